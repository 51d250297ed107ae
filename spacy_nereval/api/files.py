"""Annotation files, for `score` and `compare`."""

from __future__ import annotations

from pathlib import Path

from ..io.formats import records
from ..io.formats.settings import Format
from ..io.records import Record


def load(path: str | Path, *, format: str | None = None, spans_key: str | None = None) -> list[Record]:
    """Return the documents of an annotation file, as `score` and `compare` take them.

    Args:
        path: A file or folder of any input format.
        format: The name of the format; by default inferred from the extension.
        spans_key: Read `doc.spans[spans_key]` of a `.spacy` file instead of `doc.ents`.

    Raises:
        ValueError: The file cannot be read; names the line or document.
        OSError: There is no such file.

    >>> from spacy_nereval import load, score
    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "PER"}]}')
    >>> score(load(path), load(path), ["strict"])["metrics"]["strict"]["scores"]["f"]
    1.0
    """
    return [*records(Path(path), spans_key, Format(format))]
