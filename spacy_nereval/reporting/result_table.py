"""A table before it is formatted, and how numbers look in every format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate, groupby
from math import inf, isfinite, isinf
from typing import Any, NamedTuple
from unicodedata import is_normalized, normalize

from ..core.cuts import format_cut
from ..io.writing import on_one_line, visible


class Percent(float):
    """A ratio, such as 0.25, that is shown in percent. Formats for programs keep the ratio."""


class Gain(Percent):
    """A change of a ratio, shown with its sign."""


class Cut(float):
    """A cut (score threshold), shown with four significant digits. Infinity keeps no prediction."""

    @classmethod
    def create(cls, cut: float | None) -> Cut:
        """Return a cut from its value in a result, where None keeps no prediction.

        >>> number_text(Cut.create(0.62)), number_text(Cut.create(1 / 3)), number_text(Cut.create(None))
        ('0.62', '0.3333', 'keep none')
        """
        return cls(inf if cut is None else cut)


class Interval(NamedTuple):
    """The lower and the upper bound of a number."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A number and its bounds.

    Attributes:
        value: The number.
        low, high: Its bounds.
        few: Whether there are too few units to rank or compare it.
        top: Whether it belongs to the top group, those not shown to be worse than the best. Shown as `TOP`.
        best: Whether it is the best one, which Markdown and LaTeX show in bold.
    """

    value: float
    low: float
    high: float
    few: bool = False
    top: bool = False
    best: bool = False


class Cost(str):
    """The name of a score for which lower is better, shown with `LOWER` after it."""

    code: str = ""

    @classmethod
    def create(cls, text: str, code: str) -> Cost:
        """Return the name with its code, which pages show after it in small type."""
        cost = cls(text)
        cost.code = code
        return cost


class Kinded(str):
    """Text with a kind of verdict, a key of `core.wording.VERDICT_KINDS`. Pages show its colour before the text.

    It may have a code, such as the name of a verdict, which pages show after it in small type.

    >>> Kinded.create("missed", "missed", "fn").kind
    'missed'
    """

    kind: str
    code: str

    @classmethod
    def create(cls, text: str, kind: str, code: str = "") -> Kinded:
        """Return the text with its kind; "" for none."""
        kinded = cls(text)
        kinded.kind, kinded.code = kind, code
        return kinded


class Ranked(str):
    """Text with a rank by which pages sort it: "first quarter" comes before "fourth quarter".

    >>> Ranked.create("fourth quarter", 3).rank
    3
    """

    rank: int

    @classmethod
    def create(cls, text: str, rank: int) -> Ranked:
        """Return the text with its rank."""
        ranked = cls(text)
        ranked.rank = rank
        return ranked


class LinkedCount(int):
    """A number on a page that can be clicked; `ask` is the request to the page's script.

    >>> LinkedCount.create(7, {"label": 0}).ask
    {'label': 0}
    """

    ask: Mapping[str, Any]
    kind: str

    @classmethod
    def create(cls, number: int, ask: Mapping[str, Any], kind: str = "") -> LinkedCount:
        """Return the number with its request and the class of its cell on a page."""
        linked = cls(number)
        linked.ask, linked.kind = ask, kind
        return linked


LOWER = "↓"

TOP = "†"
"""After a score of the top group."""


def direction(score: str) -> str:
    """Return the direction of a score for a title; "" if higher is better.

    >>> direction(Cost("ser")), direction("f")
    ('lower is better', '')
    """
    return "lower is better" if isinstance(score, Cost) else ""


EMPTY = "(empty)"
"""Shown in place of an invisible text, such as a label of blanks."""


class PValue(float):
    """A p-value. Programs get the number. People see 4 digits, or a bound if the p-value is or may be smaller.

    >>> PValue(0.0391).text, PValue(0.00003).text, PValue.create(5 / 10001, True).text
    ('0.0391', '< .0001', '< .0005')
    """

    is_bound = False

    @classmethod
    def create(cls, p: float, is_bound: bool) -> PValue:
        """Return a p-value, as a bound if its test can give no smaller one, so that more swaps may lower it."""
        result = cls(p)
        result.is_bound = is_bound
        return result

    @property
    def text(self) -> str:
        """The p-value with four digits, or a bound such as "< .0001"."""
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
        note: A remark after the title, in parentheses.
        digits: Decimal places of numbers that are not whole.
        own_digits: Column names to decimal places, for columns of p-values and the like: values above 0 are not shown
            as 0 there.
        most: Maximum number of rows shown to people; programs get all.
        bars: The name of a column of ratios to which a terminal adds bars.
        ranges: The name of a column with intervals that pages draw on one scale; "" for none.
        asks: For each row, the request to a page's script when the row is chosen; None if it cannot be chosen. Empty
            if no row can be chosen.
        short: Column names to shorter names, for narrow terminals.
        abbreviated: Column names to the words that people read; programs get the names.
        above: For each column, the heading above it and its neighbours, for pages; "" for none. Empty without any.
        bare: Names of columns without intervals in a terminal, to save space.
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
    abbreviated: Mapping[str, str] = {}
    above: Sequence[str] = ()
    bare: Collection[str] = ()
    ranges: str = ""

    @property
    def heading(self) -> str:
        """The title with the note, the number of rows if only the first are shown, and the meaning of `LOWER`."""
        notes = [self.note] * bool(self.note)
        if self.most is not None and len(self.rows) > self.most:
            notes.append(f"the first {self.most:,} of {len(self.rows):,}")
        names = (*self.header, *(cell for row in self.rows[: self.most] for cell in row))
        notes += [f"{LOWER} {direction(Cost())}"] * any(isinstance(name, Cost) for name in names)
        return f"{self.title} ({'; '.join(notes)})" if notes else self.title

    def is_number(self, column: int) -> bool:
        """Return whether a column has numbers and no text. Undefined values are neither."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and not any(isinstance(cell, str) for cell in cells)

    @property
    def number_columns(self) -> set[int]:
        """The indices of the columns of numbers. Computed from all rows, so read it once per table."""
        return {column for column in range(len(self.header)) if self.is_number(column)}

    @property
    def headings_above(self) -> list[tuple[str, int]]:
        """The headings over several columns, each with the number of its columns.

        >>> ResultTable("", ["label", "P", "R", "P", "R"], [], above=["", "A", "A", "B", "B"]).headings_above
        [('', 1), ('A', 2), ('B', 2)]
        """
        return [(name, len([*columns])) for name, columns in groupby(self.above)]

    @property
    def first_columns(self) -> set[int]:
        """The indices of the columns with which a heading over several columns begins.

        >>> ResultTable("", ["label", "P", "R", "P", "R"], [], above=["", "A", "A", "B", "B"]).first_columns
        {1, 3}
        """
        starts = accumulate((width for _, width in self.headings_above), initial=0)
        return {start for start, (name, _) in zip(starts, self.headings_above) if name}

    def range_of_intervals(self) -> tuple[float, float]:
        """Return the least and the greatest finite bound or value of the column `ranges`; 0 and 0 without intervals.

        >>> rows = [[Estimate(0.5, 0.25, inf)], [0.75], [Estimate(0.5, 0.4, 0.9)]]
        >>> ResultTable("", ["F"], rows, ranges="F").range_of_intervals()
        (0.25, 0.9)
        """
        column = self.header.index(self.ranges)
        cells = [cell for row in self.rows if isinstance(cell := row[column], Estimate)]
        numbers = [number for cell in cells for number in cell[:3] if isfinite(number)]
        return min(numbers, default=0.0), max(numbers, default=0.0)

    def value_and_bounds(self, column: int, cell: Cell) -> tuple[str, str]:
        """Return the texts of a cell's value and of its bounds; "" if it has no bounds.

        >>> ResultTable("", ["F"], []).value_and_bounds(0, Estimate(50.0, 30.0, 70.0, True))
        ('50.00', '[30.00, 70.00] few')
        """
        if not isinstance(cell, Estimate):
            return self.cell_text(column, cell), ""
        value, _, bounds = number_text(cell, self.digits).partition(" ")
        return value, bounds

    @property
    def terminal_table(self) -> ResultTable:
        """The table without the intervals of `bare` columns."""
        rows = [
            [
                cell.value if isinstance(cell, Estimate) and name in self.bare else cell
                for name, cell in zip(self.header, row)
            ]
            for row in self.rows
        ]
        return self._replace(rows=rows) if self.bare else self

    def grid(self, escape: Callable[[str], str] = str, bold: str = "{}") -> list[list[str]]:
        """Return the texts of the header and of the rows, without line breaks.

        Args:
            escape: A function that escapes the special characters of a format in a text.
            bold: How a format writes bold text, with "{}" for the text: the best estimates.
        """
        rows = [[self.cell_text(k, cell) for k, cell in enumerate(row)] for row in self.rows[: self.most]]
        header = [_name_with_direction(self.abbreviated.get(name, name)) for name in self.header]
        distinct = _quote_lookalikes([*header, *(row[0] for row in rows if row)])
        lines = [on_one_line if name in TEXTS else visible for name in self.header]
        texts = [[escape(visible(distinct.get(name, name)) or EMPTY) for name in header]]
        texts += [
            [escape(line(distinct.get(cell, cell)) or EMPTY) for line, cell in zip(lines, row, strict=True)]
            for row in rows
        ]
        for cells, row in zip(texts[1:], self.rows):
            for column, cell in enumerate(row):
                if isinstance(cell, Estimate) and cell.best:
                    value, space, bounds = cells[column].partition(" ")
                    cells[column] = f"{bold.format(value)}{space}{bounds}"
        return texts

    def cell_text(self, column: int, cell: Cell) -> str:
        """Return the text of a cell.

        >>> ResultTable("", ["p"], [], own_digits={"p": 4}).cell_text(0, 0.00003)  # not 0.0000
        '3e-05'
        """
        if isinstance(cell, str):
            return _name_with_direction(cell)
        digits = self.own_digits.get(self.header[column])
        if isinstance(cell, float) and not isinstance(cell, PValue) and digits is not None:
            return p_text(cell, digits)
        return number_text(cell, self.digits if digits is None else digits)


TEXTS = ("text", "mention", "string")
"""Columns that have parts of texts, in which characters that are not seen are usual."""


def _name_with_direction(text: str) -> str:
    return f"{text} {LOWER}" if isinstance(text, Cost) else text


def p_text(p: float, digits: int = 4) -> str:
    """Return the text of a p-value or the like. Values above 0 are not shown as 0.

    >>> p_text(0.0391), p_text(0.00003)
    ('0.0391', '3e-05')
    """
    return f"{p:.0e}" if 0 < abs(p) < 0.5 * 10**-digits else number_text(p, digits)


def number_text(number: int | float | Interval | Estimate | None, digits: int = 2) -> str:
    """Return the text of a number, the same in every format.

    >>> number_text(33.333), number_text(7), number_text(-0.0001), number_text(None)
    ('33.33', '7', '0.00', '-')
    >>> number_text(Interval(30.0, 70.0), 0), number_text(Interval(Percent(0.25), Percent(0.5)))
    ('[30, 70]', '[25.00, 50.00]')
    >>> number_text(Estimate(50.0, 30.0, float("inf")), 1), number_text(Estimate(100.0, 14.0, 100.0, True), 1)
    ('50.0 [30.0, ∞] unbounded', '100.0 [14.0, 100.0] few')
    >>> number_text(Estimate(50.0, 30.0, 70.0, top=True), 0)
    '50† [30, 70]'
    >>> number_text(Gain(0.25)), number_text(Gain(-0.25)), number_text(Gain(0.0))
    ('+25.00', '-25.00', '0.00')
    """
    if number is None:
        return "-"
    if isinstance(number, Estimate):
        bounds = number_text(Interval(number.low, number.high), digits)
        flags = [" few"] * number.few + [" unbounded"] * isinf(number.high - number.low)
        return f"{number_text(number.value, digits)}{TOP * number.top} {bounds}{''.join(flags)}"
    if isinstance(number, Interval):
        return f"[{number_text(number.low, digits)}, {number_text(number.high, digits)}]"
    if isinstance(number, PValue):
        return number.text
    if isinstance(number, int):
        return f"{number:,}"
    if isinstance(number, Cut):
        return "keep none" if isinf(number) else format_cut(number)
    if isinf(number):
        return "∞" if number > 0 else "-∞"
    text = f"{display_value(number):.{digits}f}"
    sign = "+" if isinstance(number, Gain) and float(text) > 0 else ""
    return sign + text if float(text) else text.lstrip("-")  # never minus zero


def display_value(number: float) -> float:
    """Return a number for display, which is 100 times a ratio.

    >>> display_value(Percent(0.25)), display_value(0.25)
    (25.0, 0.25)
    """
    return 100 * number if isinstance(number, Percent) else number


def _quote_lookalikes(names: Sequence[str]) -> dict[str, str]:
    """Return the names that differ from another name only in white space or Unicode form, each with its quoted form.

    >>> _quote_lookalikes(["A", "A ", "B C"]), _quote_lookalikes(["\u00e9", "e\u0301"])["e\u0301"]
    ({'A': "'A'", 'A ': "'A '"}, "'e\\\\u0301'")
    """
    groups: dict[str, dict[str, None]] = {}
    for name in names:
        groups.setdefault(normalize("NFC", visible(name)), {})[name] = None
    return {
        name: repr(name) if is_normalized("NFC", name) else ascii(name)
        for group in groups.values()
        if len(group) > 1
        for name in group
    }
