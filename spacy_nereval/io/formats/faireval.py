"""The CSV files of FairEval: label, first token, last token and all tokens of a span, separated by tabs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..records import Record
from .settings import Format, joined, lines

NOTHING = ("NONE", "EMPTY")
"""The labels of rows that stand for no span. Their only token is NO_TOKEN."""

NO_TOKEN = 999

MOST = 100_000
"""The greatest number of a token. A greater one is a slip, and would make a text of many megabytes."""

Rows = list[tuple[int, int, str]]
"""Spans in tokens: the first, the one behind the last, the label."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """A record of each sentence, that is of each block between blank lines.

    Tokens are counted from 1. The file has no words: the numbers of the tokens
    stand for them, with spaces between. How many tokens there are behind the
    last span is not known, so the end of the text is open.

    Raises ValueError, naming the line, for whatever is no row, for a span in
    pieces, unless `format` says what is to be made of it, and for two blank
    lines in a row: a sentence without spans has the row NONE, 999, 999, 999.
    """
    rows: Rows | None = None
    blank = 0  # lines before this one
    for number, line in lines(path):
        if not line.strip():
            blank += 1
            continue
        try:
            if blank > (rows is not None):
                raise ValueError(f"the sentence before it has no row, not even {NOTHING[0]}, {NO_TOKEN}")
            found = _row(line, format)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        if blank and rows is not None:
            yield _record(rows)
            rows = None
        rows = rows or []
        rows += found
        blank = 0
    if rows is not None:
        yield _record(rows)


def _row(line: str, format: Format) -> Rows:
    try:
        label, first, last, listed = line.split("\t")
        tokens = [int(token) for token in listed.split(",")]
        start, end = int(first), int(last)
    except ValueError:
        raise ValueError("label, first, last and all tokens were wanted, as in 'PER', '6', '7', '6, 7'") from None
    if label in NOTHING:
        if {start, end, *tokens} != {NO_TOKEN}:
            raise ValueError(f"{label} stands for no span, and has no tokens but {NO_TOKEN}")
        return []
    if not label:
        raise ValueError("there is no label")
    if not 1 <= start <= end <= MOST:
        raise ValueError(f"tokens from {start} to {end}: from 1 up to {MOST} was wanted, the last not before the first")
    if tokens != sorted({*tokens}) or (tokens[0], tokens[-1]) != (start, end):
        raise ValueError(f"{listed.strip()} are not tokens from {start} to {end} in their order")
    pieces: list[tuple[int, int]] = []
    for token in tokens:
        if pieces and pieces[-1][1] == token:
            pieces[-1] = pieces[-1][0], token + 1
        else:
            pieces.append((token, token + 1))
    return [(start, end, label) for start, end in joined(pieces, format.discontinuous)]


def _record(rows: Rows) -> Record:
    words = [str(number + 1) for number in range(max((end - 1 for _, end, _ in rows), default=0))]
    tokens: list[tuple[int, int]] = []
    for word in words:
        start = tokens[-1][1] + 1 if tokens else 0
        tokens.append((start, start + len(word)))
    spans = {(tokens[start - 1][0], tokens[end - 2][1], label) for start, end, label in rows}
    return Record(" ".join(words), spans, tokens, open_end=True)
