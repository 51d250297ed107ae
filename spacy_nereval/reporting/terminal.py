"""Tables at a terminal, in spaCy's style, no wider than the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

from wasabi.tables import row as join_cells

from ..io.writing import escape_controls
from .marked_text import MarkedText
from .result_table import LOWER, TOP, Cell, ResultTable

WIDE, CLOSE = 3, 2
"""Blanks between columns: by default, and in a table that would be too wide."""

NARROW = 12
"""Minimum width of a column of text that is shortened to make a table fit."""

MARKED = 2
"""When columns of text are narrowed, one with marked spans stays up to this many times as wide as others."""

INSTEAD = {"…": "...", "≤": "<=", "∞": "inf", LOWER: "(-)", TOP: "+"}
"""Replacements for characters that an encoding lacks."""

BLOCKS = "▏▎▍▌▋▊▉█"
BAR = 10
"""Width of a bar for 100 %, in characters."""


def render(table: ResultTable, *, width: int | None = None, encoding: str = "utf8") -> str:
    """Return the rows of a table in spaCy's style.

    A table that is too wide loses its bars, then space between columns, then long names of columns, and then the ends
    of its texts (down to `NARROW` characters, marked spans last). If it still does not fit, it is split into blocks
    below each other. Each block repeats the columns of text on the left.

    Args:
        table: The table.
        width: Number of columns of the terminal; None if the width does not matter.
        encoding: Encoding of the terminal. Characters that it lacks are replaced.

    >>> table = ResultTable("", ["label", "P", "R"], [["a rather long label", 50.0, 25.0]])
    >>> print(render(table))
    <BLANKLINE>
    label                     P       R
    -------------------   -----   -----
    a rather long label   50.00   25.00
    >>> print(render(table, width=30))
    <BLANKLINE>
    label                 P      R
    ----------------  -----  -----
    a rather long l…  50.00  25.00
    """
    table = table.terminal_table
    rows = [[replace_unencodable(cell, encoding) for cell in row] for row in table.grid()]
    values: list[Sequence[Cell]] = [table.header, *table.rows[: table.most]]
    sizes = _column_sizes(table, rows, values)
    if table.short and width is not None and _total_width(sizes, CLOSE) > width:
        rows[0] = [table.short.get(name, name) for name in rows[0]]
        sizes = _column_sizes(table, rows, values)
    if table.bars and (width is None or _total_width([*sizes, Column(len(sizes), BAR, False)], WIDE) <= width):
        rows = [[*row, bar] for row, bar in zip(rows, ["", *bars(table, encoding)])]
        sizes.append(Column(len(sizes), BAR, False))
    space = WIDE if width is None or _total_width(sizes, WIDE) <= width else CLOSE
    blocks = []
    for block in _blocks(sizes, space, width):
        header, *body = (
            [_fit_cell(cells[c.number], row[c.number] if c.is_marked else None, c.width, encoding) for c in block]
            for cells, row in zip(rows, values)
        )
        blocks.append(
            "\n".join(_line(cells, block, space) for cells in (header, ["-" * c.width for c in block], *body))
        )
    return "\n" + "\n\n".join(blocks)


def _column_sizes(table: ResultTable, rows: Sequence[Sequence[str]], values: Sequence[Sequence[Cell]]) -> list[Column]:
    """Return the columns of a table with the widths of their widest cells."""
    return [
        Column(
            k, max(map(display_width, cells)), table.is_number(k), any(isinstance(row[k], MarkedText) for row in values)
        )
        for k, cells in enumerate(zip(*rows))
    ]


class Column(NamedTuple):
    """A column of a table at a terminal. `number` is its index in the rows."""

    number: int
    width: int
    is_number: bool
    is_marked: bool = False


def _blocks(sizes: Sequence[Column], space: int, width: int | None) -> list[list[Column]]:
    """Return the columns of each block, so that every block fits."""
    if width is None:
        return [[*sizes]]
    whole = _narrow_columns(sizes, space, width)
    if _total_width(whole, space) <= width:
        return [whole]
    keys = [*takewhile(lambda c: not c.is_number, sizes)]
    keys = keys if len(keys) < len(sizes) else keys[:1]
    blocks: list[list[Column]] = []
    for column in sizes[len(keys) :]:
        if not blocks or _total_width(_narrow_columns([*blocks[-1], column], space, width), space) > width:
            blocks.append([*keys])
        blocks[-1].append(column)
    return [_narrow_columns(block, space, width) for block in blocks]


def _narrow_columns(sizes: Sequence[Column], space: int, width: int) -> list[Column]:
    """Narrow the widest column of text until all columns fit or none can be narrower."""
    sizes_now = [*sizes]
    while _total_width(sizes_now, space) > width:
        columns = [c for c in sizes_now if not c.is_number and c.width > NARROW]
        if not columns:
            break
        widest = max(columns, key=lambda c: c.width / (MARKED if c.is_marked else 1))
        sizes_now[sizes_now.index(widest)] = widest._replace(width=widest.width - 1)
    return sizes_now


def _total_width(sizes: Sequence[Column], space: int) -> int:
    return sum(c.width for c in sizes) + space * (len(sizes) - 1)


def _fit_cell(text: str, cell: Cell, size: int, encoding: str) -> str:
    """Cut the text of a cell at its end. With marked spans, cut left of them, then right of them, then within."""
    ellipsis = replace_unencodable("…", encoding)
    if display_width(text) <= size or not isinstance(cell, MarkedText):
        return _truncate(text, size, ellipsis)
    left, stretch, right = (replace_unencodable(escape_controls(part), encoding) for part in cell.parts)
    space = max(size - display_width(stretch), 0)
    left = _truncate(left.lstrip(), min(max(space - display_width(right.rstrip()), len(ellipsis)), space), ellipsis, -1)
    right = _truncate(right.rstrip(), space - display_width(left), ellipsis)
    if display_width(stretch) > size:
        end = (size - len(ellipsis)) // 2
        stretch = _truncate(stretch, size - end, ellipsis) + _truncate(stretch, end, "", -1)
    return left + stretch + right


def _truncate(text: str, size: int, ellipsis: str, side: int = 1) -> str:
    """Keep the start of a text, or with `side=-1` its end, and add the ellipsis if there is space for it."""
    if display_width(text) <= size:
        return text
    if size < len(ellipsis):
        return ""
    while display_width(text) > size - len(ellipsis):
        text = text[::side][:-1][::side]
    return (text[::side] + ellipsis[::side])[::side]


def _line(cells: Sequence[str], sizes: Sequence[Column], space: int) -> str:
    # wasabi counts characters, but East Asian ones take two columns and combining ones none.
    widths = [c.width - display_width(cell) + len(cell) for cell, c in zip(cells, sizes)]
    aligns: list[Literal["l", "r", "c"]] = ["r" if c.is_number else "l" for c in sizes]
    return join_cells(cells, widths=widths, aligns=aligns, spacing=space).rstrip()


def display_width(text: str) -> int:
    """Return the width of a text at a terminal, in columns.

    >>> display_width("Ada"), display_width("人名"), display_width("e\\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def bars(table: ResultTable, encoding: str = "utf8") -> list[str]:
    """Return a bar for every row. Every share above 0 has at least a thin bar.

    >>> table = ResultTable("", ["%"], [[0.5], [0.001], [0.0]], bars="%")
    >>> bars(table), bars(table, "ascii")
    (['█████', '▏', ''], ['#####', '#', ''])
    """
    index = [*table.header].index(table.bars or "")
    texts = []
    for row in table.rows[: table.most]:
        cell = row[index]
        share = cell if isinstance(cell, float) else 0.0
        eighths = max(round(share * BAR * 8), int(share > 0))
        full, eighths_left = divmod(eighths, 8)
        bar = BLOCKS[-1] * full + (BLOCKS[eighths_left - 1] if eighths_left else "")
        texts.append(bar if replace_unencodable(BLOCKS, encoding) == BLOCKS else "#" * -(-eighths // 8))
    return texts


def replace_unencodable(text: str, encoding: str) -> str:
    """Replace the characters that an encoding lacks by "...", "<=", "inf", "(-)", "+" or "?".

    >>> replace_unencodable("a…é ↓", "ascii"), replace_unencodable("a…é", "utf8")
    ('a...? (-)', 'a…é')
    """
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        for character, replacement in INSTEAD.items():
            text = text.replace(character, replacement)
        return text.encode(encoding, "replace").decode(encoding)
