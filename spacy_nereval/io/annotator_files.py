"""Files with the annotation of several annotators: one file each, or one for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..core.labels import LabelRules
from ..core.messages import listed, quoted
from ..evaluation.agreement.documents import SharedDocuments
from .formats import annotators_of, check_span_groups, label_studio, name_of, records, with_annotators
from .formats.settings import Format
from .shared_documents import Own, shared_documents
from .units import units_of


def annotators_in(path: Path, format: Format = Format()) -> list[str]:
    """Return the names of the annotators whose spans a file or folder holds; empty if it names none.

    Label Studio and Prodigy write all annotators into one file, INCEpTION and WebAnno into one folder.
    The predictions of models count only where nobody annotated anything.

    Args:
        path: The file or folder.
        format: How it is read.

    Raises:
        ValueError: The file cannot be read.
        OSError: The file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada", "spans": [], "_annotator_id": "ann"}')
    >>> annotators_in(path)
    ['ann']
    """
    if name_of(path, format) == "label_studio":
        human, model, _ = label_studio.annotators_of(path, format)
        return human.names or model.names
    return annotators_of(path, format) or []


def read_annotators(
    files: Mapping[str, Path],
    key: str | None = None,
    *,
    format: Format = Format(),
    rules: LabelRules | None = None,
    chosen: Sequence[str] = (),
    others: Counter[Path] | None = None,
) -> SharedDocuments:
    """Read the annotation of several annotators.

    Args:
        files: The file or folder of each annotator; or one file that holds all of them, under any name.
        key: Read `doc.spans[key]` of `.spacy` files instead of `doc.ents`.
        format: How the files are read.
        rules: What becomes of labels.
        chosen: The annotators to read: those of the single file, or one for each file that holds several.
        others: Counts the annotations of each file that are not spans, such as relations.

    Returns:
        The documents that two or more of them annotated.

    Raises:
        ValueError: A single file does not name two annotators; otherwise as `shared_documents`, or
            a file cannot be read.
        OSError: A file cannot be read.
    """
    check_span_groups(key, [*files.values()], [name_of(path, format) for path in files.values()])
    if len(files) == 1:
        (path,) = files.values()
        sides = {
            name: _own(path, key, format._replace(annotator=name), others) for name in _names(path, format, chosen)
        }
    elif chosen and len(chosen) != len(files):
        raise ValueError(f"--annotator: {len(chosen)} given for {len(files)} files; give one for each, in their order")
    else:
        wanted: Sequence[str | None] = chosen or [None] * len(files)
        formats = with_annotators([*files.values()], [format._replace(annotator=name) for name in wanted])
        sides = {name: _own(files[name], key, own, others) for name, own in zip(files, formats)}
    return shared_documents(sides, rules, key)


def _names(path: Path, format: Format, chosen: Sequence[str]) -> list[str]:
    """Return the annotators of a single file. Raise ValueError if it does not name two."""
    names = annotators_in(path, format)
    if len(names) < 2:
        has = f"names {quoted(names[0])} alone" if names else "names no annotators"
        raise ValueError(
            f"{path} {has}: expected a file for each annotator, or a file of Label Studio or Prodigy, or a "
            "folder of INCEpTION, with two annotators or more"
        )
    if unknown := [name for name in chosen if name not in names]:
        raise ValueError(f"{path}: there is no annotator {quoted(unknown[0])}; there are {listed(names, 20)}")
    return [*dict.fromkeys(chosen)] or names


def _own(path: Path, key: str | None, format: Format, others: Counter[Path] | None) -> Iterator[Own]:
    units = units_of(path, format)
    for record in records(path, key, format):
        if others is not None:
            others[path] += record.others
        yield Own(record, units.key(record), units.rule.text)
    units.check_end()
