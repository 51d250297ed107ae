"""Find out what an argument names, and read documents from files or models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import glob, has_magic
from itertools import islice
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.arguments import Labelling, Reading
from ..core.messages import spell_argument
from .command_options import Cutting, Model, input_formats
from .printing import say

if TYPE_CHECKING:
    from spacy.language import Language

    from ..core.labels import LabelRules
    from ..core.spans import Document
    from ..counting.counts import Counts
    from ..io.formats.settings import Format
    from ..io.units import UnitRule
    from ..metrics.registry import Unavailable

    Documents = Iterable[Document | None]
    """Gold documents with predictions; None for a document without gold annotation."""
    from ..core.spans import Document


BOTH = ("jsonl", "parquet", "hf", "webanno", "xmi", "conllu", "bioc")
"""Formats of which one file may hold gold and predictions, under names that `--column` gives."""


def is_data(name: str) -> bool:
    """Return whether an argument names annotated files rather than a model.

    >>> is_data("gold.spacy"), is_data("en_core_web_sm")
    (True, False)
    """
    from ..io.formats import infer_format
    from ..io.paths import is_pipe

    path = Path(name)
    return "://" in name or path.is_file() or is_pipe(path) or infer_format(path) is not None


def documents_of(system: str | None, gold: Path, reading: Reading, loading: Model) -> Documents:
    """Return the gold documents with the predictions of a system.

    Args:
        system: A file of predictions, a model, or None if the gold file holds predictions too.
        gold: The gold file or folder.
        reading: How files are read.
        loading: How a model is loaded.
    """
    if system is None:
        return documents_of_files(gold, None, reading)
    if is_data(system):
        return documents_of_files(gold, Path(system), reading)
    return documents_of_model(system, gold, reading, loading)


def documents_of_files(gold: Path, pred: Path | None, reading: Reading) -> Documents:
    """Return the gold documents with the predictions of a file.

    Raises:
        ValueError: If no predictions are given, and the gold file does not hold both.
    """
    from ..core.spans import relabel
    from ..io.formats import name_of
    from ..io.read import read_files

    rules = rules_of(reading)
    formats = reading_of(reading, both=pred is None)
    if pred is None and (name := name_of(gold, formats[0])) != "conll" and (name not in BOTH or not formats[0].field):
        remedy = f"; if the file holds them, name both keys with {spell_argument('column')}, as in gold,pred"
        raise ValueError(f"predictions to score against {gold} are missing{remedy if name in BOTH else ''}")
    _read_pipes({gold: formats[0]} | ({pred: formats[1]} if pred else {}))
    others: Counter[Path] = Counter()
    documents = read_files(gold, pred or gold, reading.spans_key, formats=formats, unit=_unit(reading), others=others)
    return relabel(_told(documents, others), rules)


def _read_pipes(formats: Mapping[Path, Format]) -> None:
    """Copy the content of pipes before documents are counted, so that the rate shown is that of counting.

    Raises:
        ValueError: The format of a file is not known. Pipes are not read then.
        OSError: A pipe cannot be read.
    """
    from ..io.formats import name_of
    from ..io.paths import is_pipe, readable_file

    for path, format in formats.items():
        name_of(path, format)
    for path in formats:
        if is_pipe(path):
            readable_file(path)


def _told(documents: Documents, others: Counter[Path]) -> Documents:
    """Yield documents, and say in the end how many annotations of their files were left out."""
    yield from documents
    say_left_out(others)


def say_left_out(others: Counter[Path]) -> None:
    """Say how many annotations of each file were left out, since they are not spans."""
    for path, number in others.items():
        if number:
            say(f"{path}: annotations that are not spans, such as relations, were left out ({number})", err=True)


def documents_of_model(model: str | Language, gold: Path, reading: Reading, loading: Model | None = None) -> Documents:
    """Return the gold documents with the predictions of a model.

    Args:
        model: A pipeline, or the name or path of one.
        gold: The gold file or folder.
        reading: How the gold file is read.
        loading: How the model is loaded; None if it is loaded already. Its code has been run.
    """
    from spacy.cli._util import setup_gpu

    from ..core.spans import relabel
    from ..integration.pipelines import predict

    gold_format, _ = reading_of(reading)
    unit, rules = _unit(reading), rules_of(reading)
    _read_pipes({gold: gold_format})
    if loading:
        setup_gpu(loading.gpu_id, silent=True)
    return relabel(predict(model, gold, reading.spans_key, gold_format, unit=unit), rules)


def rules_of(reading: Reading | Labelling) -> LabelRules | None:
    """Return the rules of `--labels`, `--only` and `--depth`; None if none is given.

    Raises:
        ValueError: An option cannot be used.
    """
    from ..core import labels

    only = [label for given in reading.only for label in labels.split_labels(given)] if reading.only else None
    return labels.rules_of(replace(reading, only=only))


def unknown(gold: Path, reading: Reading, *, both: bool = False, has_tokens: bool = False) -> Unavailable:
    """Return what is not known of a gold file, by its first document. Those of `.spacy` files always have tokens.

    Args:
        gold: The file.
        reading: How it is read.
        both: Whether it holds the predictions too.
        has_tokens: Whether tokens are made for texts without tokens.
    """
    from ..io.formats import name_of, records
    from ..metrics.registry import NO_TOKENS, NO_WORDS, Unavailable

    gold_format, _ = reading_of(reading, both=both)
    if name_of(gold, gold_format) == "spacy":
        return Unavailable()
    first = next(records(gold, None, gold_format), None)
    return Unavailable(
        words=NO_WORDS if first and first.wordless else "",
        tokens=NO_TOKENS if first and first.tokens is None and not has_tokens else "",
    )


def gold_labels(gold: Path, reading: Reading, *, both: bool = False) -> Iterator[str]:
    """Yield the labels of the first gold documents, in which labels with levels are looked for.

    Mistakes in the file are left to those who read all of it.
    """
    from ..io.formats import records
    from ..metrics.registry import LOOKED_AT

    rules = rules_of(reading)
    with suppress(ValueError, OSError):
        for record in islice(records(gold, reading.spans_key, reading_of(reading, both=both)[0]), LOOKED_AT):
            for _, _, label in sorted(record.spans):
                if name := rules.new_name(label) if rules else label:
                    yield name


def reading_of(reading: Reading, *, both: bool = False) -> tuple[Format, Format]:
    """Return how gold and predictions are read. With `both`, one file holds both sides."""
    from ..io.formats.settings import side_formats

    return side_formats(replace(reading, format=",".join(input_formats(reading.format))), both=both)


def check_no_unit(reading: Reading, count_file: object) -> None:
    """Raise ValueError if `--unit` is given for a count file."""
    if reading.unit is not None:
        raise ValueError(
            f"--unit {reading.unit}: {count_file} already has its units; give --unit to 'nereval count' instead"
        )


def check_no_labels(reading: Reading, count_file: object) -> None:
    """Raise ValueError if label rules are given for a count file."""
    if given := next((name for name in ("labels", "only", "depth") if getattr(reading, name) is not None), None):
        raise ValueError(f"--{given} is given, but {count_file} is a count file: give it to 'nereval count' instead")


def as_stored(reading: Reading, names: Sequence[str], stored: Mapping[str, Counts]) -> Reading:
    """Return how to read systems that are compared with count files, so that the same units are resampled.

    Args:
        reading: How files are read.
        names: All systems.
        stored: The count files among them.

    Raises:
        ValueError: If `--unit` is given, and all systems are count files.
    """
    name, counts = next(iter(stored.items()))
    if all(each in stored for each in names):
        check_no_unit(reading, name)
        check_no_labels(reading, name)
    if reading.unit is not None or "block:auto" in counts.unit:
        return reading
    return replace(reading, unit=counts.unit)


def _unit(reading: Reading) -> UnitRule | None:
    """Return the rule that `--unit` names, before anything is read or loaded."""
    from ..io.units import parse_unit

    return parse_unit(reading.unit) if reading.unit is not None else None


def display_names(systems: Sequence[str], given: Sequence[str] = ()) -> list[str]:
    """Return short names for systems, to be shown in tables: those of `--name` if they are given.

    A file is shown without its extension. Of several systems, the parts of the path
    that all of them begin or end with are left out, and so are the parts of the names
    of files, unless nothing unique would be left.

    Raises:
        ValueError: The names given are not one for each system, or one is empty or given twice.

    >>> display_names(["runs/first/model-best", "runs/second/model-best"])
    ['first', 'second']
    >>> display_names(["data/pred.jsonl"]), display_names(["out/wnut17-crf.jsonl", "out/wnut17-bert.jsonl.gz"])
    (['pred'], ['crf', 'bert'])
    >>> display_names(["a.jsonl", "a.spacy"]), display_names(["run-1.jsonl", "run-2.jsonl"])
    (['a.jsonl', 'a.spacy'], ['run-1', 'run-2'])
    >>> display_names(["a.jsonl", "b.jsonl"], ["before", "after"])
    ['before', 'after']
    """
    if given:
        _check_names(given, systems)
        return list(given)
    if len(systems) == 1:
        return [_stem(Path(name).name) if is_data(name) else name for name in systems]
    paths = [Path(name).parts for name in systems]
    shortest = min(map(len, paths))
    start = next((k for k in range(shortest) if len({path[k] for path in paths}) > 1), 0)
    end = next((k for k in range(shortest) if len({path[-1 - k] for path in paths}) > 1), 0)
    names = [str(Path(*path[start : len(path) - end])) for path in paths]
    if "." in names or len(set(names)) < len(set(systems)):
        return list(systems)
    stems = [
        _stem(name) if end == 0 and (is_data(system) or system.endswith(".npz")) else name
        for name, system in zip(names, systems)
    ]
    if len(set(stems)) < len(stems):
        return names
    return _differing(stems) if end == 0 and all(map(is_data, systems)) else stems


def _stem(name: str) -> str:
    """Return the name of a file without the extensions of its format and compression."""
    from ..core.compression import strip_compression

    return str(strip_compression(Path(name)).with_suffix(""))


def _differing(names: Sequence[str]) -> list[str]:
    """Return names without the parts that all begin or end with, unless something without a letter would be left."""
    parts = [re.split(r"(?<=[-._ ])|(?=[-._ ])", name) for name in names]
    start = len(commonprefix(parts))
    end = len(commonprefix([own[:start:-1] for own in parts]))
    found = ["".join(own[start : len(own) - end]).strip("-._ ") for own in parts]
    return found if all(re.search(r"[^\W\d]", name) for name in found) and len({*found}) == len(found) else [*names]


def _check_names(given: Sequence[str], systems: Sequence[str]) -> None:
    if len(given) != len(systems):
        raise ValueError(
            f"--name: {len(given)} given for {len(systems)} systems ({', '.join(systems)}); give one for "
            "each, in their order"
        )
    for k, name in enumerate(given):
        if not name.strip() or name in given[:k]:
            raise ValueError(f"--name {name!r}: expected a name that no other system has")


Runs = dict[str, list[str]]
"""The name of each system to its training runs: files of predictions, models, or count files."""


def systems_and_runs(
    names: Sequence[str], given: Sequence[str], shown: Sequence[str] = ()
) -> list[tuple[str, list[str]]]:
    """Return the systems of a comparison, the baseline first: the name that tables show, and the training runs.

    Args:
        names: Systems with one run each, as arguments.
        given: The values of `--system`; one of the two is not empty.
        shown: The values of `--name`.

    Raises:
        ValueError: Both or neither are given, there is only one system, or a value cannot be read or used.

    >>> systems_and_runs(["a.jsonl", "b.jsonl"], [])
    [('a', ['a.jsonl']), ('b', ['b.jsonl'])]
    >>> systems_and_runs([], ["A=a1.jsonl,a2.jsonl", "B=b.jsonl"])
    [('A', ['a1.jsonl', 'a2.jsonl']), ('B', ['b.jsonl'])]
    """
    if names and given:
        raise ValueError(f"{names[0]} is given in addition to --system: give all systems as --system NAME=RUN,RUN...")
    if given and shown:
        raise ValueError(f"--name {shown[0]} is given in addition to --system, which names the systems itself")
    systems = [*named_runs(given).items()] if given else [(name, [name]) for name in names]
    if len(systems) < 2:
        raise ValueError(f"a comparison needs a baseline and another system, and {systems[0][0]} is the only one")
    return systems if given else [*zip(display_names(names, shown), (runs for _, runs in systems))]


def named_runs(given: Sequence[str]) -> Runs:
    """Return each system's name and training runs; patterns such as `runs/*.jsonl` stand for the files they match.

    Raises:
        ValueError: A value has no name or no run, or a name, a run or a file occurs twice.

    >>> named_runs(["A=a1.jsonl", "A=a2.jsonl"])
    Traceback (most recent call last):
    ValueError: --system A=a2.jsonl: there is a system A already; list all its runs once, as A=RUN,RUN...
    """
    found: Runs = {}
    for text in given:
        name, _, listed = text.partition("=")
        patterns = [run.strip() for run in listed.split(",")]
        if not name.strip() or not all(patterns):
            raise ValueError(f"--system {text}: expected NAME=RUN,RUN..., such as A=a1.jsonl,a2.jsonl")
        if name in found:
            raise ValueError(
                f"--system {text}: there is a system {name} already; list all its runs once, as {name}=RUN,RUN..."
            )
        found[name] = [run for pattern in patterns for run in _files_of(text, pattern)]
    _check_each_once(found)
    return found


def _files_of(text: str, pattern: str) -> list[str]:
    if files := matching_files(pattern):
        return files
    raise ValueError(f"--system {text}: no file matches {pattern}")


def matching_files(pattern: str) -> list[str]:
    """Return the files that a pattern matches, sorted; or the text itself, if it is no pattern or a file.

    >>> matching_files("runs/a.jsonl"), matching_files("nowhere/*.jsonl")
    (['runs/a.jsonl'], [])
    """
    if not has_magic(pattern) or "://" in pattern or Path(pattern).exists():
        return [pattern]
    return sorted(glob(pattern, recursive=True))


def _check_each_once(systems: Mapping[str, Sequence[str]]) -> None:
    """Raise ValueError if a run is given twice."""
    for name, runs in systems.items():
        seen: set[Path] = set()
        for run in runs:
            if (path := Path(run).resolve()) in seen:
                raise ValueError(f"--system {name}: the run {run} is given twice; give each training run once")
            seen.add(path)


def predictions_kept(documents: Documents, cutting: Cutting, system: str) -> Documents:
    """Return documents with the predictions that `--cut` keeps, and say in the end how many these are.

    Args:
        documents: Documents with the scores of their predictions.
        cutting: The values of `--cut` and `--missing-score`.
        system: The name of the predictions, for errors.

    Raises:
        ValueError: The file holds no cuts, or `--missing-score` is given without it; while
            reading, if a prediction has no usable score.
        OSError: The file cannot be read.
    """
    if cutting.cut is None:
        if cutting.missing_score is not None:
            raise ValueError(f"--missing-score {cutting.missing_score:g} is given without --cut")
        return documents
    from ..core.cuts import apply_cuts
    from ..io.saved_results import load_cuts

    numbers = [0, 0]
    found = apply_cuts(_counted(documents, numbers, 0), load_cuts(cutting.cut), cutting.missing_score, source=system)
    return _told_of_cut(_counted(found, numbers, 1), cutting, numbers)


def check_no_count_file(cutting: Cutting, files: Sequence[object]) -> None:
    """Raise ValueError if `--cut` is given for count files."""
    if cutting.cut is not None and files:
        raise ValueError(f"--cut {cutting.cut}: {files[0]} is a count file, which has no scores of predictions")


def _counted(documents: Documents, numbers: list[int], place: int) -> Iterator[Document | None]:
    for document in documents:
        numbers[place] += len(document.sides[1]) if document else 0
        yield document


def _told_of_cut(documents: Documents, cutting: Cutting, numbers: Sequence[int]) -> Iterator[Document | None]:
    from ..reporting.remarks import cut_phrase

    yield from documents
    before, after = numbers
    say(f"{cutting.cut}: {cut_phrase(after, before)}", err=True)
