"""Tables in a terminal: in spaCy's look, as wide as there is room."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

import wasabi

from ..io.writing import spelt_out
from .formats import Cell, Marked, Table

WIDE, CLOSE = 3, 2
"""Blanks between the columns of a terminal's table, and where it would be too wide."""

NARROW = 12
"""Text is cut to no less than this, so that a table fits into a terminal."""

MARKED = 2
"""How much wider than other texts one with a marked stretch is left."""

BLOCKS = "▏▎▍▌▋▊▉█"
BAR = 10
"""Characters of a bar that stands for 100."""


def render(table: Table, *, width: int | None = None, encoding: str = "utf8") -> str:
    """The rows of a table in spaCy's look, no wider than `width` if that can be.

    Too wide a table first loses its bars, then some of the space between its
    columns; then its texts are cut, to no less than `NARROW` and last where a
    stretch is marked; then its columns go below each other, each time behind the
    texts on the left.

    >>> found = Table("", ["label", "P", "R"], [["a rather long label", 50.0, 25.0]])
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
    rows = [[encodable(cell, encoding) for cell in row] for row in table.grid()]
    values: list[Sequence[Cell]] = [table.header, *table.rows[: table.most]]
    sizes = [
        Column(k, max(map(columns, cells)), table.is_number(k), any(isinstance(row[k], Marked) for row in values))
        for k, cells in enumerate(zip(*rows))
    ]
    if table.bars and (width is None or _total([*sizes, Column(len(sizes), BAR, False)], WIDE) <= width):
        rows = [[*row, bar] for row, bar in zip(rows, ["", *bars(table, encoding)])]
        sizes.append(Column(len(sizes), BAR, False))
    space = WIDE if width is None or _total(sizes, WIDE) <= width else CLOSE
    blocks = []
    for block in _blocks(sizes, space, width):
        header, *body = (
            [_fitted(cells[c.place], row[c.place] if c.is_marked else None, c.width, encoding) for c in block]
            for cells, row in zip(rows, values)
        )
        blocks.append(
            "\n".join(_line(cells, block, space) for cells in (header, ["-" * c.width for c in block], *body))
        )
    return "\n" + "\n\n".join(blocks)


class Column(NamedTuple):
    """A column of a terminal's table."""

    place: int
    width: int
    is_number: bool
    is_marked: bool = False


def _blocks(sizes: Sequence[Column], space: int, width: int | None) -> list[list[Column]]:
    """The columns that stand side by side, as wide as they can be."""
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
    """The columns with texts cut, always the widest, until they fit or none can give more."""
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
    """The text of a cell cut at its end; around its marked stretch if it has one: on the left, then on the right,
    then in the middle of the stretch itself."""
    ellipsis = encodable("…", encoding)
    if columns(text) <= size or not isinstance(cell, Marked):
        return _cut(text, size, ellipsis)
    left, stretch, right = (encodable(spelt_out(part), encoding) for part in cell.parts)
    room = max(size - columns(stretch), 0)
    left = _cut(left.lstrip(), min(max(room - columns(right.rstrip()), len(ellipsis)), room), ellipsis, -1)
    right = _cut(right.rstrip(), room - columns(left), ellipsis)
    if columns(stretch) > size:
        end = (size - len(ellipsis)) // 2
        stretch = _cut(stretch, size - end, ellipsis) + _cut(stretch, end, "", -1)
    return left + stretch + right


def _cut(text: str, size: int, ellipsis: str, side: int = 1) -> str:
    """The text cut to its beginning, or with -1 to its end. Where there is no room for the ellipsis there is none."""
    if columns(text) <= size:
        return text
    if size < len(ellipsis):
        return ""
    while columns(text) > size - len(ellipsis):
        text = text[::side][:-1][::side]
    return (text[::side] + ellipsis[::side])[::side]


def _line(cells: Sequence[str], sizes: Sequence[Column], space: int) -> str:
    # wasabi counts characters, of which East Asian ones take two columns and combining ones none.
    widths = [c.width - columns(cell) + len(cell) for cell, c in zip(cells, sizes)]
    aligns: list[Literal["l", "r", "c"]] = ["r" if c.is_number else "l" for c in sizes]
    return wasabi.row(cells, widths=widths, aligns=aligns, spacing=space).rstrip()


def columns(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> columns("Ada"), columns("人名"), columns("e\\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def bars(table: Table, encoding: str = "utf8") -> list[str]:
    """A bar for every row; what is not 0 has one that is seen.

    >>> found = Table("", ["%"], [[50.0], [0.1], [0.0]], bars="%")
    >>> bars(found), bars(found, "ascii")
    (['█████', '▏', ''], ['#####', '#', ''])
    """
    at = [*table.header].index(table.bars or "")
    drawn = []
    for row in table.rows[: table.most]:
        share = row[at] if isinstance(row[at], float) else 0.0
        eighths = max(round(share * BAR * 8 / 100), share > 0)  # type: ignore[operator]  # a float by now
        full, rest = divmod(eighths, 8)
        bar = BLOCKS[-1] * full + (BLOCKS[rest - 1] if rest else "")
        drawn.append(bar if encodable(BLOCKS, encoding) == BLOCKS else "#" * -(-eighths // 8))
    return drawn


def encodable(text: str, encoding: str) -> str:
    """The text with "..." and "?" for what the encoding does not have.

    >>> encodable("a…é", "ascii"), encodable("a…é", "utf8")
    ('a...?', 'a…é')
    """
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        return text.replace("…", "...").encode(encoding, "replace").decode(encoding)
