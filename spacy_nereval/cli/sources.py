"""The source that an argument names (annotation, a model or a count file); and gold documents with predictions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from functools import cached_property
from glob import glob, has_magic
from itertools import islice
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import BadParameter

from ..core.arguments import Labelling, Reading
from ..core.messages import spell_argument
from .command_options import Cutting, Model, Resampling, input_formats, split_list
from .printing import say

if TYPE_CHECKING:
    from spacy.language import Language

    from ..core.labels import LabelRules
    from ..core.spans import Document
    from ..counting.counts import Counts
    from ..io.formats.settings import Format
    from ..io.records import Record
    from ..metrics.registry import Unavailable

    Documents = Iterable[Document | None]
    """Gold documents with predictions; None for a document without gold annotation."""


class Kind(Enum):
    """The kind of source, or of counting: it determines the questions that can be answered."""

    FILES = "annotated file or folder"
    MODEL = "model"
    COUNTS = "count file"
    COLLAPSED = "collapsed count file"
    COLLAPSING = "documents that are added up while they are counted"
    RUNS = "training runs of a system"


COUNTED = {
    "spans": "{source} is a count file without spans: give it without predictions, metrics, options of metrics, "
    "--by and --train",
    "units": "{asked}: {source} already has its units; give --unit to 'nereval count' instead",
    "labels": "{asked} is given, but {source} is a count file: give it to 'nereval count' instead",
    "scores of predictions": "{asked}: {source} is a count file, which has no {question}",
    "repeated mistakes": "{asked}: {source} keeps no texts, so repeated errors are not known",
}

REFUSALS: Mapping[Kind, Mapping[str, str]] = {
    Kind.FILES: {},
    Kind.MODEL: {},
    Kind.COUNTS: COUNTED,
    Kind.COLLAPSED: {
        **COUNTED,
        **dict.fromkeys(
            ("scores of documents", "breakdown", "repeated mistakes"),
            "{asked}: {source} contains collapsed counts, which have no {question}, since they keep no documents: "
            "count the corpus again without --collapse",
        ),
        "half-samples": "{asked}: {source} contains collapsed counts without {question}, and no documents to resample: "
        "count the corpus again with --replicates",
        "other half-samples": "{asked}: {source} contains collapsed counts, which keep the half-samples that were "
        "drawn while counting ({kept}), and no documents to draw others from: count the corpus again with "
        "--replicates and "
        "--seed",
    },
    Kind.COLLAPSING: dict.fromkeys(
        ("scores of documents", "breakdown", "repeated mistakes"),
        "{asked}: collapsed counts have no {question}, since they keep no documents: remove --collapse",
    ),
    Kind.RUNS: dict.fromkeys(
        ("predictions", "breakdown", "scores of documents"),
        "{asked} is given in addition to --system: it shows a single run, so score that one alone",
    ),
}
"""For each kind, the questions that it cannot answer: why, and the remedy. It answers all others."""


def check_answers(refusals: Mapping[str, str], questions: Iterable[tuple[str, str]], **words: object) -> None:
    """Raise ValueError, with the remedy, if something that is asked for cannot be answered.

    Args:
        refusals: The questions that cannot be answered, with the reason: a row of `REFUSALS`, or one of a feature.
        questions: The questions of options: each option as it is written, and its question.
        words: Values for the placeholders of the reasons: the `source` that is asked, and the half-samples `kept` in
            it.

    >>> check_answers(REFUSALS[Kind.COUNTS], [("--by", "breakdown")])
    >>> check_answers(REFUSALS[Kind.COUNTS], [("--cut cuts.json", "scores of predictions")], source="a.npz")
    Traceback (most recent call last):
    ValueError: --cut cuts.json: a.npz is a count file, which has no scores of predictions
    """
    for asked, question in questions:
        if sentence := refusals.get(question):
            raise ValueError(sentence.format(asked=asked, question=question, **words))


def questions_of(
    reading: Reading = Reading(),
    cutting: Cutting = Cutting(),
    *,
    pred: object = None,
    by: Sequence[str] | None = None,
    per_document: Path | None = None,
    tables: str | None = None,
) -> list[tuple[str, str]]:
    """Return the questions of options that some kinds cannot answer: each option as it is written, and its question.

    >>> questions_of(Reading(unit="document"), tables="scores,groups")
    [('--unit document', 'units'), ('--tables groups', 'repeated mistakes')]
    """
    names = split_list(tables)
    options = (
        (str(pred), "predictions", pred),
        (f"--unit {reading.unit}", "units", reading.unit),
        *((f"--{name}", "labels", getattr(reading, name)) for name in ("labels", "only", "depth")),
        ("--label-from", "labels", reading.label_from),
        (f"--cut {cutting.cut}", "scores of predictions", cutting.cut),
        ("--per-document", "scores of documents", per_document),
        ("--by", "breakdown", by or None),
        ("--tables documents", "scores of documents", "documents" in names or None),
        ("--tables groups", "repeated mistakes", "groups" in names or None),
    )
    return [(asked, question) for asked, question, value in options if value is not None]


class Source:
    """The source that an argument names. Its kind and content are looked up once.

    Args:
        name: The argument.
        kind: Its kind, where an argument can name nothing else.
        pipeline: The model, if it is loaded already. Its code has been run.

    >>> Source("gold.spacy").kind, Source("en_core_web_sm").kind
    (<Kind.FILES: 'annotated file or folder'>, <Kind.MODEL: 'model'>)
    """

    def __init__(self, name: str | Path, kind: Kind | None = None, pipeline: Language | None = None) -> None:
        self.name = str(name)
        self.path = Path(name)
        self.pipeline = pipeline
        self._kind = kind

    def __str__(self) -> str:
        return self.name

    @cached_property
    def has_counts(self) -> bool:
        """Whether it is a count file, which need not exist."""
        from ..io.paths import is_count_file

        return self._kind is None and is_count_file(self.name)

    @cached_property
    def is_model(self) -> bool:
        """Whether it is a model rather than files."""
        from ..io.formats import infer_format
        from ..io.paths import is_pipe

        if self._kind or self.has_counts:
            return self._kind is Kind.MODEL
        is_file = "://" in self.name or self.path.is_file() or is_pipe(self.path)
        return not (is_file or infer_format(self.path))

    @property
    def kind(self) -> Kind:
        """Its kind. Raise ValueError if it is a count file that cannot be read."""
        if self.has_counts:
            return Kind.COLLAPSED if self.counts.collapsed else Kind.COUNTS
        return Kind.MODEL if self.is_model else Kind.FILES

    @cached_property
    def counts(self) -> Counts:
        """The counts of a count file. Raise ValueError if it cannot be read."""
        from ..io.count_files import load

        return load(self.path)

    @cached_property
    def folder(self) -> Path | None:
        """The folder of a model; None for a blank pipeline or none, which spaCy reports on loading."""
        if self.is_model:
            from ..integration.pipelines import Pipeline

            with suppress(ValueError):
                return Pipeline(self.name).folder()
        return None

    @property
    def stem(self) -> str:
        """The name of a file without its folder and the extensions of its format and compression; that of a model."""
        return self.name if self.is_model else _stem(self.path.name)

    def check(self, questions: Iterable[tuple[str, str]], kept: str = "") -> None:
        """Raise ValueError, with the remedy, if it cannot answer the questions of options; see `check_answers`."""
        check_answers(REFUSALS[self.kind], questions, source=self, kept=kept)

    def check_half_samples(self, resampling: Resampling, *, wanted: bool) -> None:
        """Raise ValueError if collapsed counts have no half-samples, and intervals are wanted, or have others."""
        if self.kind is not Kind.COLLAPSED:
            return
        stored = self.counts.replicates
        if stored is None and wanted:
            self.check([("--confidence", "half-samples")])
        for name, kept in zip(("samples", "seed"), stored.settings if stored else ()):
            given = getattr(resampling, name)
            if given is not None and given != kept:
                self.check([(f"--{name} {given}", "other half-samples")], f"{name} {kept}")


def check_is_no_model(gold: Path, line: str) -> None:
    """Raise ValueError, with the line to write, if a model is given as gold annotation."""
    if (gold / "config.cfg").is_file() and (gold / "meta.json").is_file():
        raise ValueError(f"{gold} is a model, and gold annotation is expected: write {line}")


BOTH = ("jsonl", "parquet", "hf", "webanno", "xmi", "conllu", "bioc")
"""Formats in which one file may contain gold and predictions, under names that `--column` gives."""


class Gold:
    """Gold annotation, and how it is read. Its format is inferred once, and its first document is read once.

    Args:
        path: The file or folder.
        reading: How annotation is read.
        both: Whether it contains the predictions too.
    """

    def __init__(self, path: Path, reading: Reading, *, both: bool = False) -> None:
        self.path, self.reading, self._both = path, reading, both

    @cached_property
    def _sides(self) -> tuple[Format, Format]:
        return reading_of(self.reading, both=self._both)

    @cached_property
    def format(self) -> Format:
        """How it is read. Raise ValueError if the format is not known."""
        from ..io.formats import named_format

        return named_format(self.path, self._sides[0])

    @cached_property
    def _records(self) -> Iterator[Record]:
        from ..io.formats import records

        return records(self.path, self.reading.spans_key, self.format)

    @cached_property
    def _first(self) -> Record | None:
        return next(self._records, None)

    def unknown(self, *, has_tokens: bool = False) -> Unavailable:
        """Return the missing parts, by the first document. Those of `.spacy` files always have tokens.

        Args:
            has_tokens: Whether tokens are made for texts without tokens.
        """
        from ..io.formats import name_of
        from ..metrics.registry import NO_TOKENS, NO_WORDS, Unavailable

        if name_of(self.path, self.format) == "spacy" or self._first is None:
            return Unavailable()
        return Unavailable(
            words=NO_WORDS if self._first.wordless else "",
            tokens=NO_TOKENS if self._first.tokens is None and not has_tokens else "",
        )

    @cached_property
    def _read_first(self) -> list[Record]:
        """The first documents. Mistakes in the file are left to those who read all of it."""
        from ..metrics.registry import SEARCHED_DOCUMENTS

        searched: list[Record] = []
        with suppress(ValueError, OSError):
            searched += [] if self._first is None else [self._first]
            searched.extend(islice(self._records, SEARCHED_DOCUMENTS - 1))
        return searched

    def first_labels(self) -> Iterator[str]:
        """Yield the labels of the first documents, in which labels with levels are looked for."""
        rules = rules_of(self.reading)
        if rules and rules.label_from:  # links have levels that mean nothing
            return
        for record in self._read_first:
            for _, _, label in sorted(record.spans):
                if name := rules.new_name(label) if rules else label:
                    yield name

    def compares_attributes(self) -> bool:
        """Return whether spans of the first documents have attributes that are not made their labels."""
        return self.reading.label_from is None and any(record.attributes for record in self._read_first)

    def has_attributes(self, pred: Path | None) -> bool:
        """Return whether both sides do, in their first documents; `pred` is None if the file contains both sides."""
        from ..io.formats import named_format, records
        from ..metrics.registry import SEARCHED_DOCUMENTS

        if not self.compares_attributes():
            return False
        with suppress(ValueError, OSError):
            path = pred or self.path
            read = records(path, self.reading.spans_key, named_format(path, self._sides[1]))
            return any(record.attributes for record in islice(read, SEARCHED_DOCUMENTS))
        return False

    def documents(
        self, system: Source | None = None, loading: Model | None = None, cutting: Cutting = Cutting()
    ) -> Documents:
        """Return the gold documents with the predictions of a system.

        Args:
            system: A file of predictions or a model; None if the gold file contains the predictions too.
            loading: How a model is loaded that is not loaded yet.
            cutting: Which predictions are kept.

        Raises:
            ValueError: A file or an option cannot be used, or the system is a count file.
            OSError: A pipe cannot be read.
        """
        from ..core.spans import relabel

        rules = rules_of(self.reading)
        if system and system.is_model:
            documents = self._predict(system, loading)
        else:
            documents = self._read_predictions(system.path if system else None)
        return predictions_kept(relabel(documents, rules), cutting, str(system or self.path))

    def _read_predictions(self, pred: Path | None) -> Documents:
        from ..io.formats import name_of, named_format
        from ..io.read import read_files

        name = name_of(self.path, self.format)
        if pred is None and name != "conll" and (name not in BOTH or not self.format.field):
            remedy = f"; if the file contains them, name both keys with {spell_argument('column')}, as in gold,pred"
            raise ValueError(f"predictions to score against {self.path} are missing{remedy if name in BOTH else ''}")
        formats = self.format, named_format(pred or self.path, self._sides[1])
        self._finish_looking(self.path, pred or self.path)
        others: Counter[Path] = Counter()
        how: dict[str, Any] = {"formats": formats, "unit": self.reading.unit, "others": others}
        return _report_left_out(read_files(self.path, pred or self.path, self.reading.spans_key, **how), others)

    def _predict(self, model: Source, loading: Model | None) -> Documents:
        from spacy.cli._util import setup_gpu

        from ..integration.pipelines import predict

        key, format, unit = self.reading.spans_key, self.format, self.reading.unit
        self._finish_looking(self.path)
        if loading:
            setup_gpu(loading.gpu_id, silent=True)
        return predict(model.pipeline or model.name, self.path, key, format, unit=unit)

    def _finish_looking(self, *paths: Path) -> None:
        """Close the file of which the first documents were looked at, and copy the content of pipes.

        Both is done before documents are counted, so that the rate that is shown is that of counting.
        """
        from ..io.paths import readable_file

        for name in ("_records", "_searched"):
            self.__dict__.pop(name, None)
        for path in paths:
            readable_file(path)


def _report_left_out(documents: Documents, others: Counter[Path]) -> Documents:
    """Yield documents, and report in the end how many annotations of their files were skipped."""
    yield from documents
    say_left_out(others)


def say_left_out(others: Counter[Path]) -> None:
    """Report how many annotations of each file were skipped, since they are not spans."""
    for path, number in others.items():
        if number:
            say(f"{path}: annotations other than spans, such as relations, were skipped ({number})", err=True)


def rules_of(reading: Reading | Labelling) -> LabelRules | None:
    """Return the rules of `--label-from`, `--labels`, `--only` and `--depth`; None if none is given.

    Raises:
        ValueError: An option cannot be used.
    """
    from ..core import labels

    only = [label for given in reading.only for label in labels.split_labels(given)] if reading.only else None
    return labels.rules_of(replace(reading, only=only))


def reading_of(reading: Reading, *, both: bool = False) -> tuple[Format, Format]:
    """Return how gold and predictions are read. With `both`, one file contains both sides."""
    from ..io.formats.settings import side_formats

    return side_formats(replace(reading, format=",".join(input_formats(reading.format))), both=both)


def display_names(sources: Sequence[Source], given: Sequence[str] = ()) -> list[str]:
    """Return short names for systems, to be shown in tables: those of `--name` if they are given.

    A file is shown without its extension. Of several systems, the parts of the path
    that all of them begin or end with are omitted, and so are the parts of the names
    of files, unless nothing unique would be left.

    Raises:
        ValueError: The names given are not one for each system, or one is empty or given twice.

    >>> def shown(*names, given=()): return display_names([*map(Source, names)], given)
    >>> shown("runs/first/model-best", "runs/second/model-best")
    ['first', 'second']
    >>> shown("data/pred.jsonl"), shown("out/wnut17-crf.jsonl", "out/wnut17-bert.jsonl.gz")
    (['pred'], ['crf', 'bert'])
    >>> shown("a.jsonl", "a.spacy"), shown("run-1.jsonl", "run-2.jsonl")
    (['a.jsonl', 'a.spacy'], ['run-1', 'run-2'])
    >>> shown("a.jsonl", "b.jsonl", given=["before", "after"])
    ['before', 'after']
    """
    systems = [source.name for source in sources]
    if given:
        _check_names(given, systems)
        return list(given)
    if len(sources) == 1:
        return [sources[0].stem]
    paths = [source.path.parts for source in sources]
    shortest = min(map(len, paths))
    start = next((k for k in range(shortest) if len({path[k] for path in paths}) > 1), 0)
    end = next((k for k in range(shortest) if len({path[-1 - k] for path in paths}) > 1), 0)
    names = [str(Path(*path[start : len(path) - end])) for path in paths]
    if "." in names or len(set(names)) < len(set(systems)):
        return systems
    stems = [_stem(name) if end == 0 and not source.is_model else name for name, source in zip(names, sources)]
    if len(set(stems)) < len(stems):
        return names
    has_models = any(source.is_model for source in sources)
    return _differing_parts(stems) if end == 0 and not has_models else stems


def _stem(name: str) -> str:
    """Return the name of a file without the extensions of its format and compression."""
    from ..core.compression import strip_compression

    return str(strip_compression(Path(name)).with_suffix(""))


def _differing_parts(names: Sequence[str]) -> list[str]:
    """Return names without the parts that all begin or end with, unless something without a letter would be left."""
    parts = [re.split(r"(?<=[-._ ])|(?=[-._ ])", name) for name in names]
    start = len(commonprefix(parts))
    end = len(commonprefix([pieces[:start:-1] for pieces in parts]))
    short = ["".join(pieces[start : len(pieces) - end]).strip("-._ ") for pieces in parts]
    return short if all(re.search(r"[^\W\d]", name) for name in short) and len({*short}) == len(short) else [*names]


def _check_names(given: Sequence[str], systems: Sequence[str]) -> None:
    if len(given) != len(systems):
        raise ValueError(
            f"--name: {len(given)} given for {len(systems)} system{'s' * (len(systems) != 1)} "
            f"({', '.join(systems)}); give one for each, in their order"
        )
    for k, name in enumerate(given):
        if not name.strip() or name in given[:k]:
            raise ValueError(f"--name {name!r}: expected a name that no other system has")


def compared_systems(
    gold: Path | None, names: Sequence[str], given: Sequence[str] = (), shown: Sequence[str] = ()
) -> tuple[Path | None, list[tuple[str, list[Source]]]]:
    """Return the gold annotation of a comparison, and its systems, the baseline first.

    Args:
        gold: The first argument. A count file in its place is a system.
        names: Systems as arguments, also as NAME=RUN,RUN...
        given: The values of `--system`.
        shown: The values of `--name`.

    Returns:
        The gold annotation, None if none is given; and for each system the name that tables show, and its training
        runs.

    Raises:
        BadParameter: No system is given.
        ValueError: Systems are given in both ways, there is only one, or a value cannot be read or used.

    >>> gold, systems = compared_systems(Path("gold.jsonl"), ["a.jsonl", "b.jsonl"])
    >>> gold, [(name, [*map(str, runs)]) for name, runs in systems]
    (PosixPath('gold.jsonl'), [('a', ['a.jsonl']), ('b', ['b.jsonl'])])
    >>> gold, systems = compared_systems(Path("gold.jsonl"), ["before=a.jsonl", "after=b1.jsonl,b2.jsonl"])
    >>> [(name, [*map(str, runs)]) for name, runs in systems]
    [('before', ['a.jsonl']), ('after', ['b1.jsonl', 'b2.jsonl'])]
    >>> gold, systems = compared_systems(None, [], ["A=a1.npz,a2.npz", "B=b.npz"])
    >>> gold, [(name, [*map(str, runs)]) for name, runs in systems]
    (None, [('A', ['a1.npz', 'a2.npz']), ('B', ['b.npz'])])
    """
    stored = gold is not None and Source(gold).has_counts
    arguments = [*([str(gold)] if stored else []), *names]
    if arguments and given:
        raise ValueError(
            f"{arguments[0]} is given in addition to --system: give all systems as --system NAME=RUN,RUN..."
        )
    if given and shown:
        raise ValueError(f"--name {shown[0]} is given in addition to --system, which names the systems itself")
    if not arguments and not given:
        raise BadParameter(
            "name the gold annotation, then the systems: BASELINE OTHER..., or --system NAME=RUN,RUN... for each"
        )
    if given:
        systems = [(name, [*map(Source, runs)]) for name, runs in named_runs(given).items()]
    else:
        systems = arguments_with_runs(arguments, shown if len(arguments) > 1 else (), repeats=True)
    if len(systems) < 2:
        only = systems[0][0] if given else arguments[0]
        raise ValueError(
            f"a comparison needs a baseline and another system, and {only} is the only one: write "
            "nereval compare GOLD A B; what differs between two files is listed by nereval errors A B, and by nereval "
            "agreement A B for annotators"
        )
    return None if stored else gold, systems


def named_runs(given: Iterable[str], option: str = "--system ") -> dict[str, list[str]]:
    """Return each system's name and training runs; patterns such as `runs/*.jsonl` match files.

    Args:
        given: Texts such as "A=a1.jsonl,a2.jsonl".
        option: The option before each, for errors; "" for arguments.

    Raises:
        ValueError: A value has no name or no run, or a name, a run or a file occurs twice.

    >>> named_runs(["A=a1.jsonl", "A=a2.jsonl"])
    Traceback (most recent call last):
    ValueError: --system A=a2.jsonl: there is a system A already; list all its runs once, as A=RUN,RUN...
    """
    systems: dict[str, list[str]] = {}
    for text in given:
        name, _, listed = text.partition("=")
        patterns = [run.strip() for run in listed.split(",")]
        if not name.strip() or not all(patterns):
            raise ValueError(f"{option}{text}: expected NAME=RUN,RUN..., such as A=a1.jsonl,a2.jsonl")
        if name in systems:
            raise ValueError(
                f"{option}{text}: there is a system {name} already; list all its runs once, as {name}=RUN,RUN..."
            )
        files = {pattern: matching_files(pattern) for pattern in patterns}
        if unmatched := next((pattern for pattern in patterns if not files[pattern]), None):
            raise ValueError(f"{option}{text}: no file matches {unmatched}")
        systems[name] = [run for pattern in patterns for run in files[pattern]]
    _check_no_run_twice(systems, option)
    return systems


def arguments_with_runs(
    arguments: Sequence[str], shown: Sequence[str] = (), *, repeats: bool = False
) -> list[tuple[str, list[Source]]]:
    """Return the systems that arguments name: the name that tables show, and the training runs of each.

    Args:
        arguments: Files, models or count files; or NAME=RUN,RUN...
        shown: The values of `--name`, for those without a name.
        repeats: Whether a file without a name may be given several times.

    Raises:
        ValueError: An argument cannot be read, or two systems have the same name.

    >>> [(name, [*map(str, runs)]) for name, runs in arguments_with_runs(["a.jsonl", "B=b1.jsonl,b2.jsonl"])]
    [('a', ['a.jsonl']), ('B', ['b1.jsonl', 'b2.jsonl'])]
    """
    named = [argument for argument in arguments if is_named(argument)]
    runs_by_name = {name: [*map(Source, runs)] for name, runs in named_runs(named, "").items()}
    names = iter(runs_by_name)
    sources = [Source(argument) for argument in arguments if not is_named(argument)]
    unnamed = iter(zip(display_names(sources, shown), sources)) if sources or shown else iter(())
    systems: list[tuple[str, list[Source]]] = []
    for argument in arguments:
        if is_named(argument):
            name = next(names)
            runs = runs_by_name[name]
        else:
            name, source = next(unnamed)
            runs = [source]
        if any(name == other for other, _ in systems) and not (repeats and name not in runs_by_name):
            raise ValueError(f"{argument}: there is a system {name} already; give each its name, as NAME={argument}")
        systems.append((name, runs))
    return systems


def named_sources(arguments: Sequence[str], shown: Sequence[str] = ()) -> list[tuple[str, Source]]:
    """Return the systems that arguments name, for commands that take one training run of each.

    Raises:
        ValueError: A system has several, or as for `arguments_with_runs`.

    >>> [(name, str(source)) for name, source in named_sources(["a.jsonl", "B=b.jsonl"])]
    [('a', 'a.jsonl'), ('B', 'b.jsonl')]
    """
    systems = arguments_with_runs(arguments, shown)
    for name, runs in systems:
        if len(runs) > 1:
            raise ValueError(
                f"{name} has {len(runs)} training runs, and one is expected: name each run, as {name}1=RUN"
            )
    return [(name, runs[0]) for name, runs in systems]


def is_named(argument: str) -> bool:
    """Return whether an argument is NAME=FILE, and not itself a file.

    >>> is_named("A=a.jsonl"), is_named("runs/lr=1.jsonl"), is_named("a.jsonl")
    (True, False, False)
    """
    name, equals, _ = argument.partition("=")
    return bool(equals) and "/" not in name and not name.startswith("-") and not Path(argument).exists()


def matching_files(pattern: str) -> list[str]:
    """Return the files that a pattern matches, sorted; or the text itself, if it is no pattern or a file.

    >>> matching_files("runs/a.jsonl"), matching_files("nowhere/*.jsonl")
    (['runs/a.jsonl'], [])
    """
    if not has_magic(pattern) or "://" in pattern or Path(pattern).exists():
        return [pattern]
    return sorted(glob(pattern, recursive=True))


def _check_no_run_twice(systems: Mapping[str, Sequence[str]], option: str) -> None:
    """Raise ValueError if a run is given twice."""
    for name, runs in systems.items():
        seen: set[Path] = set()
        for run in runs:
            if (path := Path(run).resolve()) in seen:
                raise ValueError(f"{option}{name}: the run {run} is given twice; give each training run once")
            seen.add(path)


def predictions_kept(documents: Documents, cutting: Cutting, system: str) -> Documents:
    """Return documents with the predictions that `--cut` keeps, and say in the end how many these are.

    Args:
        documents: Documents with the scores of their predictions.
        cutting: The values of `--cut` and `--missing-score`.
        system: The name of the predictions, for errors.

    Raises:
        ValueError: The file contains no cuts, or `--missing-score` is given without it; while
            reading, if a prediction has no usable score.
        OSError: The file cannot be read.
    """
    if cutting.cut is None:
        if cutting.missing_score is not None:
            raise ValueError("--missing-score is given without --cut: add that, or leave it out")
        return documents
    from ..core.cuts import apply_cuts
    from ..io.saved_results import load_cuts

    numbers = [0, 0]  # of predictions, before and after
    counted = _count_predictions(documents, numbers, 0)
    kept = apply_cuts(counted, load_cuts(cutting.cut), cutting.missing_score, source=system)
    return _count_predictions(kept, numbers, 1, cutting.cut)


def _count_predictions(
    documents: Documents, numbers: list[int], place: int, cut: Path | None = None
) -> Iterator[Document | None]:
    """Yield documents, and add up the number of their predictions; say in the end how many a cut has kept."""
    from ..reporting.remarks import cut_phrase

    for document in documents:
        numbers[place] += len(document.sides[1]) if document else 0
        yield document
    if cut:
        say(f"{cut}: {cut_phrase(numbers[1], numbers[0])}", err=True)
