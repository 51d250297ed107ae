"""GLiNER's training data: lists of tokens, and spans from the first to the last token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...core.messages import shorten
from ..records import Record, row_id
from .contents import json_values
from .settings import Format, locate_error
from .tags import join_words


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per object with `tokenized_text` and `ner`. The objects are in a list or one per line.

    The text has spaces between the tokens. The end of a span is its last token, inclusive.

    Args:
        path: The file.
        format: Not used.

    Yields:
        One record per object.

    Raises:
        ValueError: If there is no such file, or an object is malformed. Names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.json"
    >>> _ = path.write_text('[{"tokenized_text": ["New", "York"], "ner": [[0, 1, "LOC"]]}]')
    >>> [(record.text, record.spans) for record in read(path)]
    [('New York', {(0, 8, 'LOC')})]
    """
    for line, entry in json_values(path):
        try:
            yield record_of(entry)
        except ValueError as error:
            raise locate_error(error, f"{path}, line {line}") from None


def record_of(entry: Any) -> Record:
    """Return the record of one object. Raise ValueError if it is invalid."""
    words = entry.get("tokenized_text") if isinstance(entry, dict) else None
    if not isinstance(words, list):
        raise ValueError('expected an object: {"tokenized_text": ["Ada", ...], "ner": [[0, 0, "PER"], ...]}')
    if not isinstance(entry.get("ner"), list):
        raise ValueError('there is no list "ner"; write an empty list for a text without spans')
    text, places = join_words(words)
    spans = []
    for k, span in enumerate(entry["ner"]):
        start, end, label = span if isinstance(span, (list, tuple)) and len(span) == 3 else (None, None, None)
        if type(start) is not int or type(end) is not int or not isinstance(label, str) or not label:
            raise ValueError(f"span {k} is {shorten(repr(span))}; expected [first token, last token, label]")
        if not 0 <= start <= end < len(places):
            raise ValueError(
                f"span {k} is from token {shorten(str(start))} to {shorten(str(end))}; expected the first and the last "
                f"of its tokens, from 0 to {len(places) - 1}"
            )
        spans.append((places[start][0], places[end][1], label))

    return Record.deduplicate(text, spans, places, id=row_id(entry))
