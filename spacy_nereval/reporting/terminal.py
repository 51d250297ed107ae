"""Tables at a terminal, in spaCy's style, no wider than the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

from wasabi.tables import row as joined

from ..io.writing import escape_controls
from .marked_text import Marked
from .result_table import LOWER, Cell, ResultTable

WIDE, CLOSE = 3, 2
"""Blanks between columns: usually, and where the table would be too wide."""

NARROW = 12
"""Width to which a column of text is cut at most, to make a table fit."""

MARKED = 2
"""How much wider a column with marked spans stays than other columns of text."""

INSTEAD = {"…": "...", "≤": "<=", "∞": "inf", LOWER: "(-)"}
"""What is shown for characters that an encoding lacks."""

BLOCKS = "▏▎▍▌▋▊▉█"
BAR = 10
"""Characters of a bar for 100 %."""


def render(table: ResultTable, *, width: int | None = None, encoding: str = "utf8") -> str:
    """Return the rows of a table in spaCy's style.

    A table that is too wide loses, in this order: its bars, some of the space between its
    columns, long names of columns that have a short one, the ends of its texts (down to
    `NARROW` characters, marked spans last).
    If that is not enough, it is split into blocks below each other, and each block
    repeats the columns of text on the left.

    Args:
        table: The table.
        width: Number of columns of the terminal; None if the width does not matter.
        encoding: Encoding of the terminal. Characters that it lacks are replaced.

    >>> found = ResultTable("", ["label", "P", "R"], [["a rather long label", 50.0, 25.0]])
    >>> print(render(found))
    <BLANKLINE>
    label                     P       R
    -------------------   -----   -----
    a rather long label   50.00   25.00
    >>> print(render(found, width=30))
    <BLANKLINE>
    label                 P      R
    ----------------  -----  -----
    a rather long l…  50.00  25.00
    """
    table = table.at_terminal
    rows = [[encodable(cell, encoding) for cell in row] for row in table.grid()]
    values: list[Sequence[Cell]] = [table.header, *table.rows[: table.most]]
    sizes = _sizes(table, rows, values)
    if table.short and width is not None and _total(sizes, CLOSE) > width:
        rows[0] = [table.short.get(name, name) for name in rows[0]]
        sizes = _sizes(table, rows, values)
    if table.bars and (width is None or _total([*sizes, Column(len(sizes), BAR, False)], WIDE) <= width):
        rows = [[*row, bar] for row, bar in zip(rows, ["", *bars(table, encoding)])]
        sizes.append(Column(len(sizes), BAR, False))
    space = WIDE if width is None or _total(sizes, WIDE) <= width else CLOSE
    blocks = []
    for block in _blocks(sizes, space, width):
        header, *body = (
            [_fitted(cells[c.number], row[c.number] if c.is_marked else None, c.width, encoding) for c in block]
            for cells, row in zip(rows, values)
        )
        blocks.append(
            "\n".join(_line(cells, block, space) for cells in (header, ["-" * c.width for c in block], *body))
        )
    return "\n" + "\n\n".join(blocks)


def _sizes(table: ResultTable, rows: Sequence[Sequence[str]], values: Sequence[Sequence[Cell]]) -> list[Column]:
    """Return the columns of a table, as wide as the widest of their cells."""
    return [
        Column(k, max(map(columns, cells)), table.is_number(k), any(isinstance(row[k], Marked) for row in values))
        for k, cells in enumerate(zip(*rows))
    ]


class Column(NamedTuple):
    """A column of a table at a terminal. `number` is its place in the rows, from 0."""

    number: int
    width: int
    is_number: bool
    is_marked: bool = False


def _blocks(sizes: Sequence[Column], space: int, width: int | None) -> list[list[Column]]:
    """Return the columns of each block, as wide as fits."""
    if width is None:
        return [[*sizes]]
    whole = _narrowed(sizes, space, width)
    if _total(whole, space) <= width:
        return [whole]
    keys = [*takewhile(lambda c: not c.is_number, sizes)]
    keys = keys if len(keys) < len(sizes) else keys[:1]
    blocks: list[list[Column]] = []
    for column in sizes[len(keys) :]:
        if not blocks or _total(_narrowed([*blocks[-1], column], space, width), space) > width:
            blocks.append([*keys])
        blocks[-1].append(column)
    return [_narrowed(block, space, width) for block in blocks]


def _narrowed(sizes: Sequence[Column], space: int, width: int) -> list[Column]:
    """Narrow the widest column of text, again and again, until all fit or none can be narrower."""
    found = [*sizes]
    while _total(found, space) > width:
        giving = [c for c in found if not c.is_number and c.width > NARROW]
        if not giving:
            break
        widest = max(giving, key=lambda c: c.width / (MARKED if c.is_marked else 1))
        found[found.index(widest)] = widest._replace(width=widest.width - 1)
    return found


def _total(sizes: Sequence[Column], space: int) -> int:
    return sum(c.width for c in sizes) + space * (len(sizes) - 1)


def _fitted(text: str, cell: Cell, size: int, encoding: str) -> str:
    """Cut the text of a cell at its end. If spans are marked in it, cut to the left of them, then to the right,
    then in their middle."""
    ellipsis = encodable("…", encoding)
    if columns(text) <= size or not isinstance(cell, Marked):
        return _cut(text, size, ellipsis)
    left, stretch, right = (encodable(escape_controls(part), encoding) for part in cell.parts)
    space = max(size - columns(stretch), 0)
    left = _cut(left.lstrip(), min(max(space - columns(right.rstrip()), len(ellipsis)), space), ellipsis, -1)
    right = _cut(right.rstrip(), space - columns(left), ellipsis)
    if columns(stretch) > size:
        end = (size - len(ellipsis)) // 2
        stretch = _cut(stretch, size - end, ellipsis) + _cut(stretch, end, "", -1)
    return left + stretch + right


def _cut(text: str, size: int, ellipsis: str, side: int = 1) -> str:
    """Keep the start of a text, or with `side=-1` its end. The ellipsis is left out where there is no space for it."""
    if columns(text) <= size:
        return text
    if size < len(ellipsis):
        return ""
    while columns(text) > size - len(ellipsis):
        text = text[::side][:-1][::side]
    return (text[::side] + ellipsis[::side])[::side]


def _line(cells: Sequence[str], sizes: Sequence[Column], space: int) -> str:
    # wasabi counts characters, but East Asian ones take two columns and combining ones none.
    widths = [c.width - columns(cell) + len(cell) for cell, c in zip(cells, sizes)]
    aligns: list[Literal["l", "r", "c"]] = ["r" if c.is_number else "l" for c in sizes]
    return joined(cells, widths=widths, aligns=aligns, spacing=space).rstrip()


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> columns("Ada"), columns("人名"), columns("e\\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def bars(table: ResultTable, encoding: str = "utf8") -> list[str]:
    """Return a bar for every row, visible for every share above 0.

    >>> found = ResultTable("", ["%"], [[0.5], [0.001], [0.0]], bars="%")
    >>> bars(found), bars(found, "ascii")
    (['█████', '▏', ''], ['#####', '#', ''])
    """
    at = [*table.header].index(table.bars or "")
    drawn = []
    for row in table.rows[: table.most]:
        cell = row[at]
        share = cell if isinstance(cell, float) else 0.0
        eighths = max(round(share * BAR * 8), int(share > 0))
        full, rest = divmod(eighths, 8)
        bar = BLOCKS[-1] * full + (BLOCKS[rest - 1] if rest else "")
        drawn.append(bar if encodable(BLOCKS, encoding) == BLOCKS else "#" * -(-eighths // 8))
    return drawn


def encodable(text: str, encoding: str) -> str:
    """Return the text with "...", "<=", "inf", "(-)" and "?" for characters that the encoding lacks.

    >>> encodable("a…é ↓", "ascii"), encodable("a…é", "utf8")
    ('a...? (-)', 'a…é')
    """
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        for character, instead in INSTEAD.items():
            text = text.replace(character, instead)
        return text.encode(encoding, "replace").decode(encoding)
