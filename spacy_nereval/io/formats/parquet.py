"""Parquet and Arrow files. Their columns are the keys of JSONL, or the tokens and tags of Hugging Face's data sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...core.keys import MENTIONS, SPAN_LISTS, TEXTS
from ..paths import check_is_file
from ..records import Record
from ..tables import Table
from . import TAG_KEYS, hf, jsonl
from .settings import Format


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per row.

    A row has `text` and a list of spans, as in JSONL, or `tokens` and `ner_tags`, as in Hugging Face's data sets;
    the types of the columns decide which. Tags that are numbers get their names from the schema.

    Args:
        path: The file.
        format: As for JSONL, or for rows of tokens and tags. `format.field` names the column of the spans or tags.

    Yields:
        One record per row.

    Raises:
        ValueError: If pyarrow is not installed; if there is no such file, it is damaged, or a row is malformed; names
            the row.
        OSError: If the file cannot be read.

    >>> from spacy_nereval.io.tables import write_documents
    >>> path = getfixture("tmp_path") / "a.parquet"
    >>> write_documents(path, [{"text": "Ada met", "spans": [{"start": 0, "end": 3, "label": "PER"}]}])
    >>> [(record.text, record.spans) for record in read(path)]
    [('Ada met', {(0, 3, 'PER')})]
    """
    check_is_file(path)
    reader = hf if _has_tags(Table(path), format) else jsonl
    yield from reader.read(path, format)


def _has_tags(table: Table, format: Format) -> bool:
    """Return whether the rows are tokens and tags rather than texts and spans."""
    has_text = any(name in table.columns for name in TEXTS)
    if format.keys or (format.field and format.field not in table.columns):  # a key in a nested column
        return not format.keys and not has_text
    spans = ((format.field,) if format.field else (*SPAN_LISTS, MENTIONS)) if has_text else ()
    tags = ((format.field,) if format.field else TAG_KEYS) if "tokens" in table.columns else ()
    if any(name in table.columns and not _is_tags(table.columns[name]) for name in spans):
        return False
    return any(name in table.columns and _is_tags(table.columns[name]) for name in tags)


def _is_tags(kind: object) -> bool:
    """Return whether a column has lists of numbers or texts."""
    from pyarrow import types

    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    # pyarrow has no types; a list's type has that of its values.
    return bool(is_list and not types.is_nested(kind.value_type))  # type: ignore[attr-defined]
