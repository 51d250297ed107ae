"""A table, before any format: a title, a header, and rows of cells.

This module decides how numbers look, once for all formats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from math import inf, isinf
from typing import Any, NamedTuple

from ..core.cuts import format_cut
from ..io.writing import visible


class Percent(float):
    """A ratio, such as 0.25, that people read in percent and programs as it is."""


class Gain(Percent):
    """A change of a ratio. People see its sign."""


class Cut(float):
    """A cut (score threshold), which people read with four significant digits; infinity keeps no prediction."""

    @classmethod
    def of(cls, cut: float | None) -> Cut:
        """Return a cut as a result has it: None keeps no prediction.

        >>> shown(Cut.of(0.62)), shown(Cut.of(1 / 3)), shown(Cut.of(None))
        ('0.62', '0.3333', 'keep none')
        """
        return cls(inf if cut is None else cut)


class Interval(NamedTuple):
    """The bounds of a number."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A number and its bounds; `few` if there are too few units to rank or compare it."""

    value: float
    low: float
    high: float
    few: bool = False


class Cost(str):
    """The name of a score for which lower is better. People see `LOWER` after it."""


class Kinded(str):
    """Text with a kind of verdict, a key of `core.wording.VERDICT_KINDS`. Pages show the kind's colour before it.

    >>> Kinded.of("missed", "missed").kind
    'missed'
    """

    kind: str

    @classmethod
    def of(cls, text: str, kind: str) -> Kinded:
        """Return the text with its kind."""
        found = cls(text)
        found.kind = kind
        return found


class Ranked(str):
    """Text with its place among others, by which pages sort it: "first quarter" comes before "fourth quarter".

    >>> Ranked.of("fourth quarter", 3).rank
    3
    """

    rank: int

    @classmethod
    def of(cls, text: str, rank: int) -> Ranked:
        """Return the text with its place."""
        found = cls(text)
        found.rank = rank
        return found


class Asking(int):
    """A number with what a page shows when the number is chosen, as its script reads it.

    >>> Asking.of(7, {"label": 0}).ask
    {'label': 0}
    """

    ask: Mapping[str, Any]
    kind: str

    @classmethod
    def of(cls, number: int, ask: Mapping[str, Any], kind: str = "") -> Asking:
        """Return the number with what it asks for, and the class of its cell on a page."""
        found = cls(number)
        found.ask, found.kind = ask, kind
        return found


LOWER = "↓"


def direction(score: str) -> str:
    """Return what to say about a score where its name stands in a title: "" if higher is better.

    >>> direction(Cost("ser")), direction("f")
    ('lower is better', '')
    """
    return "lower is better" if isinstance(score, Cost) else ""


EMPTY = "(empty)"
"""Shown in place of a text that would be invisible, such as a label of blanks."""


class PValue(float):
    """A p-value. Programs get the number; people see 4 digits, or a bound if it is smaller or can be.

    >>> PValue(0.0391).text, PValue(0.00003).text, PValue.of(1 / 10001, True).text, PValue.of(5 / 10001, True).text
    ('0.0391', '< .0001', '< .0001', '< .0005')
    """

    is_bound = False

    @classmethod
    def of(cls, p: float, is_bound: bool) -> PValue:
        """Return a p-value; `is_bound` if it is the least one of its test, so that more swaps might make it smaller."""
        found = cls(p)
        found.is_bound = is_bound
        return found

    @property
    def text(self) -> str:
        """The p-value as people read it."""
        least = 10**-P_DIGITS
        if self < 1 and (self.is_bound or 0 < self < least):
            return f"< {(int(self / least + 1e-9) + 1) * least:.{P_DIGITS}f}".replace(" 0.", " .")
        return f"{float(self):.{P_DIGITS}f}"


P_DIGITS = 4


Cell = str | int | float | Interval | Estimate | None
"""Text, a number, or None for an undefined value."""


class ResultTable(NamedTuple):
    """A title, a header, and rows of cells, each as long as the header.

    Attributes:
        note: Follows the title, in parentheses.
        digits: Decimal places of numbers that are not whole.
        own_digits: Decimal places of single columns, by their name. Such a column holds p-values or the like,
            and values above 0 are not shown as 0.
        most: Maximum number of rows shown to people; programs get all.
        bars: Name of a column of ratios that a terminal shows as bars too.
        asks: For each row, what a page shows when the row is chosen, as its script reads it; None for nothing.
            Empty if no row can be chosen.
        short: Shorter names of columns, for terminals that are too narrow for the others.
        above: Headings of several columns, for pages: each with the number of its columns, "" over columns without.
        bare: Names of columns whose intervals a terminal leaves out, since they would take too much space.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    digits: int = 2
    own_digits: Mapping[str, int] = {}
    most: int | None = None
    bars: str | None = None
    asks: Sequence[Mapping[str, Any] | None] = ()
    short: Mapping[str, str] = {}
    above: Sequence[tuple[str, int]] = ()
    bare: Collection[str] = ()

    @property
    def heading(self) -> str:
        """The title with the note, the number of rows if not all are shown, and what `LOWER` means."""
        notes = [self.note] * bool(self.note)
        if self.most is not None and len(self.rows) > self.most:
            notes.append(f"the first {self.most:,} of {len(self.rows):,}")
        names = (*self.header, *(cell for row in self.rows[: self.most] for cell in row))
        notes += [f"{LOWER} {direction(Cost())}"] * any(isinstance(name, Cost) for name in names)
        return f"{self.title} ({'; '.join(notes)})" if notes else self.title

    def is_number(self, column: int) -> bool:
        """Return whether a column holds numbers and no text. Undefined values are neither."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and not any(isinstance(cell, str) for cell in cells)

    @property
    def number_columns(self) -> set[int]:
        """The columns that hold numbers, for many rows at once: finding out takes a look at every row."""
        return {column for column in range(len(self.header)) if self.is_number(column)}

    @property
    def first_columns(self) -> set[int]:
        """The columns with which a heading of several columns begins.

        >>> ResultTable("", ["label", "P", "R", "P", "R"], [], above=[("", 1), ("A", 2), ("B", 2)]).first_columns
        {1, 3}
        """
        starts = accumulate((width for _, width in self.above), initial=0)
        return {start for start, (name, _) in zip(starts, self.above) if name}

    def parts(self, column: int, cell: Cell) -> tuple[str, str]:
        """Return a cell as people read it, with its bounds apart from its value; "" if it has none.

        >>> ResultTable("", ["F"], []).parts(0, Estimate(50.0, 30.0, 70.0, True))
        ('50.00', '[30.00, 70.00] few')
        """
        if not isinstance(cell, Estimate):
            return self.shown(column, cell), ""
        value = shown(cell.value, self.digits)
        return value, shown(cell, self.digits).removeprefix(f"{value} ")

    @property
    def at_terminal(self) -> ResultTable:
        """The table without the intervals that a terminal leaves out."""
        rows = [
            [
                cell.value if isinstance(cell, Estimate) and name in self.bare else cell
                for name, cell in zip(self.header, row)
            ]
            for row in self.rows
        ]
        return self._replace(rows=rows) if self.bare else self

    def grid(self, escaped: Callable[[str], str] = str) -> list[list[str]]:
        """Return the header and the rows as people read them, without line breaks.

        Args:
            escaped: Applied to every text, to escape what a format would misread.
        """
        rows = [[self.shown(k, cell) for k, cell in enumerate(row)] for row in self.rows[: self.most]]
        header = [_named(name) for name in self.header]
        distinct = _distinct([*header, *(row[0] for row in rows if row)])
        return [[escaped(visible(distinct.get(cell, cell)) or EMPTY) for cell in row] for row in (header, *rows)]

    def shown(self, column: int, cell: Cell) -> str:
        """Return a cell of a column as people read it.

        >>> ResultTable("", ["p"], [], own_digits={"p": 4}).shown(0, 0.00003)  # not 0.0000
        '3e-05'
        """
        if isinstance(cell, str):
            return _named(cell)
        digits = self.own_digits.get(self.header[column])
        if isinstance(cell, float) and not isinstance(cell, PValue) and digits is not None:
            return p_cell(cell, digits)
        return shown(cell, self.digits if digits is None else digits)


def _named(text: str) -> str:
    return f"{text} {LOWER}" if isinstance(text, Cost) else text


def p_cell(p: float, digits: int = 4) -> str:
    """Return a p-value, or the like, as tables show it: values above 0 are not shown as 0.

    >>> p_cell(0.0391), p_cell(0.00003)
    ('0.0391', '3e-05')
    """
    return f"{p:.0e}" if 0 < abs(p) < 0.5 * 10**-digits else shown(p, digits)


def shown(number: int | float | Interval | Estimate | None, digits: int = 2) -> str:
    """Return a number as people read it in every format.

    >>> shown(33.333), shown(7), shown(-0.0001), shown(None)
    ('33.33', '7', '0.00', '-')
    >>> shown(Estimate(50.0, 30.0, 70.0), 1), shown(Interval(30.0, 70.0), 0), shown(Estimate(100.0, 14.0, 100.0, True))
    ('50.0 [30.0, 70.0]', '[30, 70]', '100.00 [14.00, 100.00] few')
    >>> shown(Estimate(50.0, 30.0, float("inf"))), shown(Percent(0.5)), shown(Interval(Percent(0.25), Percent(0.5)))
    ('50.00 [30.00, ∞] unbounded', '50.00', '[25.00, 50.00]')
    >>> shown(Gain(0.25)), shown(Gain(-0.25)), shown(Gain(0.0))
    ('+25.00', '-25.00', '0.00')
    """
    if number is None:
        return "-"
    if isinstance(number, Estimate):
        bounds = shown(Interval(number.low, number.high), digits)
        flags = [" few"] * number.few + [" unbounded"] * isinf(number.high - number.low)
        return f"{shown(number.value, digits)} {bounds}{''.join(flags)}"
    if isinstance(number, Interval):
        return f"[{shown(number.low, digits)}, {shown(number.high, digits)}]"
    if isinstance(number, PValue):
        return number.text
    if isinstance(number, int):
        return f"{number:,}"
    if isinstance(number, Cut):
        return "keep none" if isinf(number) else format_cut(number)
    if isinf(number):
        return "∞" if number > 0 else "-∞"
    text = f"{in_points(number):.{digits}f}"
    sign = "+" if isinstance(number, Gain) and float(text) > 0 else ""
    return sign + text if float(text) else text.lstrip("-")  # never minus zero


def in_points(number: float) -> float:
    """Return a number as charts draw it: a ratio times 100.

    >>> in_points(Percent(0.25)), in_points(0.25)
    (25.0, 0.25)
    """
    return 100 * number if isinstance(number, Percent) else number


def _distinct(names: Sequence[str]) -> dict[str, str]:
    """Return the names, quoted, that differ from others only in white space.

    >>> _distinct(["A", "A ", "B C"])
    {'A': "'A'", 'A ': "'A '"}
    """
    alike: dict[str, dict[str, None]] = {}
    for name in names:
        alike.setdefault(visible(name), {})[name] = None
    return {name: repr(name) for group in alike.values() if len(group) > 1 for name in group}
