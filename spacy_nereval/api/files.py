"""Annotation files, for `score` and `compare`."""

from __future__ import annotations

from pathlib import Path

from ..io.formats import records, with_annotators
from ..io.formats.settings import sides
from ..io.records import Record
from .words import in_python


def load(
    path: str | Path,
    *,
    format: str | None = None,
    spans_key: str | None = None,
    column: str | int | None = None,
    repair: str | None = None,
    discontinuous: str | None = None,
    offsets: str | None = None,
    check_text: bool = True,
    annotator: str | None = None,
    tag_names: str | None = None,
    match: str | None = None,
    occurrences: str | None = None,
) -> list[Record]:
    """Return the documents of an annotation file, as `score` and `compare` take them.

    Args:
        path: A file or folder of any input format.
        format: The name of the format; by default inferred from the extension.
        spans_key: Read `doc.spans[spans_key]` of a `.spacy` file instead of `doc.ents`.
        column, repair, discontinuous, offsets, check_text, annotator, tag_names, match, occurrences:
            As the options of these names in the commands.

    Returns:
        A record per document, in the order of the file; spans are in characters.

    Raises:
        ValueError: The file cannot be read, or an option is unknown; names the line or document.
        OSError: There is no such file.

    >>> from spacy_nereval import load, score
    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "PER"}]}')
    >>> score(load(path), load(path), ["strict"])["metrics"]["strict"]["scores"]["f"]
    1.0
    """
    try:
        how, _ = sides(
            [format] if format else [],
            None if column is None else str(column),
            repair,
            discontinuous,
            offsets=offsets,
            check_text=check_text,
            match=match,
            occurrences=occurrences,
            annotator=annotator,
            tag_names=tag_names,
        )
        (how,) = with_annotators([Path(path)], [how])
        return [*records(Path(path), spans_key, how)]
    except ValueError as error:
        raise ValueError(in_python(str(error))) from None
