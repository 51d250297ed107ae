"""Find out what an argument names, and read documents from files or models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from .options import Labelling, Model, Reading
from .printing import say
from .values import input_formats

if TYPE_CHECKING:
    from spacy.language import Language

    from ..core.labels import LabelRules
    from ..core.spans import Document
    from ..counting.counts import Counts
    from ..io.formats.settings import Format
    from ..io.units import UnitRule

    Documents = Iterable[Document | None]
    """Gold documents with predictions; None for a document without gold annotation."""


def is_data(name: str) -> bool:
    """Return whether an argument names annotated files rather than a model.

    >>> is_data("gold.spacy"), is_data("en_core_web_sm")
    (True, False)
    """
    from ..io.formats import inferred_name
    from ..io.paths import is_pipe

    path = Path(name)
    return path.is_file() or is_pipe(path) or inferred_name(path) is not None


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
        ValueError: If no predictions are given, and the gold file is not a CoNLL file, which may hold both.
    """
    from ..core.spans import relabelled
    from ..io.formats import name_of
    from ..io.read import read_files

    rules = rules_of(reading)
    formats = reading_of(reading, both=pred is None)
    if pred is None and name_of(gold, formats[0]) != "conll":
        raise ValueError(f"predictions to score against {gold} are missing")
    _read_pipes({gold: formats[0]} | ({pred: formats[1]} if pred else {}))
    others: Counter[Path] = Counter()
    documents = read_files(gold, pred or gold, reading.spans_key, formats=formats, unit=_unit(reading), others=others)
    return relabelled(_told(documents, others), rules)


def _read_pipes(formats: Mapping[Path, Format]) -> None:
    """Copy the content of pipes before documents are counted, so that the rate shown is that of counting.

    Raises:
        ValueError: The format of a file is not known. Pipes are not read then.
        OSError: A pipe cannot be read.
    """
    from ..io.formats import name_of
    from ..io.paths import is_pipe, readable

    for path, format in formats.items():
        name_of(path, format)
    for path in formats:
        if is_pipe(path):
            readable(path)


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

    from ..core.spans import relabelled
    from ..integration.pipelines import predict

    gold_format, _ = reading_of(reading)
    unit, rules = _unit(reading), rules_of(reading)
    _read_pipes({gold: gold_format})
    if loading:
        setup_gpu(loading.gpu_id, silent=True)
    return relabelled(predict(model, gold, reading.spans_key, gold_format, unit=unit), rules)


def rules_of(reading: Reading | Labelling) -> LabelRules | None:
    """Return the rules of `--labels`, `--only` and `--depth`; None if none is given.

    Raises:
        ValueError: An option cannot be used.
    """
    from ..core.labels import label_rules, listed_labels

    only = [label for given in reading.only for label in listed_labels(given)] if reading.only else None
    return label_rules(reading.labels, only, reading.depth, reading.sep)


def has_tokens(gold: Path, reading: Reading) -> bool:
    """Return whether the first document of a gold file has tokens. Those of `.spacy` files always have."""
    from ..io.formats import name_of, records

    gold_format, _ = reading_of(reading)
    if name_of(gold, gold_format) == "spacy":
        return True
    first = next(records(gold, None, gold_format), None)
    return first is None or first.tokens is not None


def has_words(gold: Path, reading: Reading) -> bool:
    """Return whether the texts of a gold file consist of words. FairEval's files only number the tokens."""
    from ..io.formats import name_of

    return name_of(gold, reading_of(reading)[0]) != "faireval"


LOOKED_AT = 1000
"""Number of gold documents in which labels with levels are looked for."""


def label_with_levels(gold: Path, reading: Reading) -> str | None:
    """Return a label of the first gold documents that has levels, such as LOC/CITY; None if there is none.

    Mistakes in the file are left to those who read all of it.
    """
    from ..io.formats import records

    rules = rules_of(reading)
    try:
        for record in islice(records(gold, reading.spans_key, reading_of(reading)[0]), LOOKED_AT):
            for _, _, label in sorted(record.spans):
                name = rules.renamed(label) if rules else label
                if name and reading.sep in name.strip(reading.sep):
                    return name
    except (ValueError, OSError):
        return None
    return None


def reading_of(reading: Reading, *, both: bool = False) -> tuple[Format, Format]:
    """Return how gold and predictions are read. With `both`, one file holds both sides."""
    from ..io.formats.settings import sides

    names = input_formats(reading.format)
    return sides(
        names,
        reading.column,
        reading.repair,
        reading.discontinuous,
        offsets=reading.offsets,
        check_text=reading.check_text,
        match=reading.match,
        occurrences=reading.occurrences,
        both=both,
        annotator=reading.annotator,
        tag_names=reading.tag_names,
    )


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
    return reading._replace(unit=counts.unit)


def _unit(reading: Reading) -> UnitRule | None:
    """Return the rule that `--unit` names, before anything is read or loaded."""
    from ..io.units import parse

    return parse(reading.unit) if reading.unit is not None else None


def display_names(systems: Sequence[str], given: Sequence[str] = ()) -> list[str]:
    """Return short names for systems, to be shown in tables: those of `--name` if they are given.

    One file is shown by its name. Of several systems, the parts of the path
    that all of them begin or end with are left out, unless nothing unique
    would be left.

    Raises:
        ValueError: The names given are not one for each system, or one is empty or given twice.

    >>> display_names(["runs/first/model-best", "runs/second/model-best"])
    ['first', 'second']
    >>> display_names(["data/pred.jsonl"])
    ['pred.jsonl']
    >>> display_names(["a.jsonl", "b.jsonl"], ["before", "after"])
    ['before', 'after']
    """
    if given:
        _check_names(given, systems)
        return list(given)
    if len(systems) == 1:
        return [Path(name).name if is_data(name) else name for name in systems]
    paths = [Path(name).parts for name in systems]
    shortest = min(map(len, paths))
    start = next((k for k in range(shortest) if len({path[k] for path in paths}) > 1), 0)
    end = next((k for k in range(shortest) if len({path[-1 - k] for path in paths}) > 1), 0)
    names = [str(Path(*path[start : len(path) - end])) for path in paths]
    return names if "." not in names and len(set(names)) == len(set(systems)) else list(systems)


def _check_names(given: Sequence[str], systems: Sequence[str]) -> None:
    if len(given) != len(systems):
        raise ValueError(
            f"--name: {len(given)} given for {len(systems)} systems ({', '.join(systems)}); give one for "
            "each, in their order"
        )
    for k, name in enumerate(given):
        if not name.strip() or name in given[:k]:
            raise ValueError(f"--name {name!r}: expected a name that no other system has")
