"""FairEval's CSV files: label, first token, last token and all tokens of a span, separated by tabs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ...core.messages import spell_argument
from ...core.pieces import hull, move_span
from ..records import Record
from .contents import lines
from .settings import Format, spans_of_pieces

NO_SPAN = ("NONE", "EMPTY")
"""The labels of rows for a sentence without spans. Their only token is NO_TOKEN."""

NO_TOKEN = 999

LAST_TOKEN = 100_000
"""The highest token number. A higher one is probably a typing error, and would make a text of many megabytes."""

TokenSpan = tuple[int, int, str]
"""A span in token numbers: the first token, the one after the last token, the label."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    r"""Read one sentence per block of rows; a blank line separates blocks.

    Tokens count from 1. The file has no words, so the text of a record consists of
    token numbers with spaces between them. The file does not say how many tokens
    follow the last span, so the end of the text is open.

    Args:
        path: The file.
        format: `format.discontinuous` says how to read spans with gaps between their tokens.

    Yields:
        One record per sentence.

    Raises:
        ValueError: If there is no such file; if a row is malformed; if a span is in
            pieces and `format` does not allow it; if two blank lines follow each other
            (a sentence without spans has the row NONE, 999, 999, 999). Names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.csv"
    >>> _ = path.write_text("PER\t2\t3\t2, 3\n\nNONE\t999\t999\t999\n")
    >>> [(record.text, record.spans) for record in read(path)]
    [('1 2 3', {(2, 5, 'PER')}), ('', set())]
    """
    spans: list[TokenSpan] | None = None
    blank = 0  # the number of blank lines before this line
    for number, line in lines(path):
        if not line.strip():
            blank += 1
            continue
        try:
            if blank > (spans is not None):
                raise ValueError(f"the sentence before it has no row; expected {NO_SPAN[0]}, {NO_TOKEN} for no spans")
            row_spans = _row(line, format)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        if blank and spans is not None:
            yield _record(spans)
            spans = None
        spans = spans or []
        spans += row_spans
        blank = 0
    if spans is not None:
        yield _record(spans)


def _row(line: str, format: Format) -> list[TokenSpan]:
    """Return the spans of one row: none, one, or the pieces of one."""
    try:
        label, first, last, listed = line.split("\t")
        tokens = [int(token) for token in listed.split(",")]
        start, end = int(first), int(last)
    except ValueError:
        if {"start", "end", "label"} <= {*re.split("[,;\t]", line.strip().lower())}:
            raise ValueError(
                "a table with a row for each span is read in Python: write score(pandas.read_csv('gold.csv'), "
                "pandas.read_csv('pred.csv')), with the columns doc_id, start, end and label"
            ) from None
        raise ValueError(
            "expected label, first, last and all tokens with tabs between them, as in 'PER', '6', '7', '6, 7'; "
            f"words and their tags in columns with tabs or spaces between them are read with "
            f"{spell_argument('format', 'conll')}"
        ) from None
    if label in NO_SPAN:
        if {start, end, *tokens} != {NO_TOKEN}:
            raise ValueError(f"{label} means no span; expected {NO_TOKEN} as its only token")
        return []
    if not label:
        raise ValueError("there is no label")
    if not 1 <= start <= end <= LAST_TOKEN:
        raise ValueError(f"tokens from {start} to {end}: expected 1 to {LAST_TOKEN}, the first not after the last")
    if tokens != sorted({*tokens}) or (tokens[0], tokens[-1]) != (start, end):
        raise ValueError(f"{listed.strip()}: expected tokens from {start} to {end} in ascending order")
    pieces: list[tuple[int, int]] = []
    for token in tokens:
        if pieces and pieces[-1][1] == token:
            pieces[-1] = pieces[-1][0], token + 1
        else:
            pieces.append((token, token + 1))
    return [(start, end, label) for start, end in spans_of_pieces(pieces, format.discontinuous)]


def _record(spans: list[TokenSpan]) -> Record:
    words = [str(number + 1) for number in range(max((hull(span)[1] - 1 for span in spans), default=0))]
    tokens: list[tuple[int, int]] = []
    for word in words:
        start = tokens[-1][1] + 1 if tokens else 0
        tokens.append((start, start + len(word)))
    offsets = {move_span(span, lambda start, end: (tokens[start - 1][0], tokens[end - 2][1])) for span in spans}
    return Record(" ".join(words), offsets, tokens, open_end=True, duplicates=len(spans) - len(offsets), wordless=True)
