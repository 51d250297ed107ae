"""Tables as text: in Markdown, LaTeX, HTML, CSV or JSON. terminal.py has them for people at a terminal.

What a number looks like is decided here, once for all of them. Texts in tables
(labels, names of documents, words) are anybody's: each format gets them
escaped, and all but JSON without line breaks and with control characters spelt
out.
"""

from __future__ import annotations

import csv
import html as entities
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..io.writing import for_spreadsheets, visible


class Interval(NamedTuple):
    """The bounds of a number."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A number and its bounds."""

    value: float
    low: float
    high: float


class Marked(str):
    """Text with a stretch that is still seen where the text is cut.

    >>> text = Marked.of("met ", "[Bob]", " in Rome")
    >>> text, text.parts
    ('met [Bob] in Rome', ('met ', '[Bob]', ' in Rome'))
    """

    parts: tuple[str, str, str]

    @classmethod
    def of(cls, left: str, stretch: str, right: str) -> Marked:
        text = cls(left + stretch + right)
        text.parts = left, stretch, right
        return text


Cell = str | int | float | Interval | Estimate | None
"""Text, a number, or None for what is undefined."""


class Table(NamedTuple):
    """A title, a header, and rows of cells, each as long as the header.

    `note` goes behind the title. Numbers that are no whole ones have `digits`
    behind the point, in columns that `own_digits` names as many as it says.
    People are shown the first `most` rows. In a terminal, bars stand for the
    percentages of the column `bars`.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    digits: int = 2
    own_digits: Mapping[str, int] = {}
    most: int | None = None
    bars: str | None = None

    @property
    def heading(self) -> str:
        """The title and what is to be said of the rows."""
        cut = self.most is not None and len(self.rows) > self.most
        notes = [self.note] * bool(self.note) + [f"the first {self.most} of {len(self.rows)}"] * cut
        return f"{self.title} ({'; '.join(notes)})" if notes else self.title

    def is_number(self, column: int) -> bool:
        """Whether a column holds numbers and no text. What is undefined is neither."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and not any(isinstance(cell, str) for cell in cells)

    def grid(self, escaped: Callable[[str], str] = str) -> list[list[str]]:
        """The header and the rows as they are read, on one line each."""
        return [
            [escaped(visible(name)) for name in self.header],
            *([escaped(visible(self.shown(k, cell))) for k, cell in enumerate(row)] for row in self.rows[: self.most]),
        ]

    def shown(self, column: int, cell: Cell) -> str:
        """A cell of that column as it is read."""
        return cell if isinstance(cell, str) else shown(cell, self.own_digits.get(self.header[column], self.digits))


def shown(number: int | float | Interval | Estimate | None, digits: int = 2) -> str:
    """A number as it is read, in whichever format.

    >>> shown(33.333), shown(7), shown(-0.0001), shown(None)
    ('33.33', '7', '0.00', '-')
    >>> shown(Estimate(50.0, 30.0, 70.0), 1), shown(Interval(30.0, 70.0), 0)
    ('50.0 [30.0, 70.0]', '[30, 70]')
    """
    if number is None:
        return "-"
    if isinstance(number, Estimate):
        return f"{shown(number.value, digits)} {shown(Interval(number.low, number.high), digits)}"
    if isinstance(number, Interval):
        return f"[{shown(number.low, digits)}, {shown(number.high, digits)}]"
    if isinstance(number, int):
        return str(number)
    text = f"{number:.{digits}f}"
    return text if float(text) else text.lstrip("-")


# For documents


def markdown(table: Table) -> str:
    """A table in Markdown.

    >>> print(markdown(Table("", ["text", "n"], [["a|b", 1]])))
    | text | n |
    | --- | ---: |
    | a\\|b | 1 |
    """
    divider = ["---:" if table.is_number(k) else "---" for k in range(len(table.header))]
    header, *rows = table.grid(_in_markdown)
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, divider, *rows))


def _in_markdown(text: str) -> str:
    # A _ between letters and digits is one. Without ]( and ][ there is no link.
    return re.sub(r"[\\|`*<~$]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])|(?<=\])[(\[]", r"\\\g<0>", text)


def latex(table: Table) -> str:
    r"""A table in LaTeX, which needs the package booktabs.

    >>> print(latex(Table("50 %", ["label", "n"], [["B_1", 1]])))
    \begin{table}
    \centering
    \caption{50 \%}
    \begin{tabular}{lr}
    \toprule
    label & n \\
    \midrule
    B\_1 & 1 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    header, *rows = (" & ".join(row) + r" \\" for row in table.grid(_in_latex))
    aligns = "".join("r" if table.is_number(k) else "l" for k in range(len(table.header)))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_in_latex(visible(table.heading))}}}",
            rf"\begin{{tabular}}{{{aligns}}}",
            r"\toprule",
            header,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\`{}"},
    **{'"': r"\char34{}", "…": r"\ldots{}"},
    # Behind \\ these would be arguments of it.
    **{character: f"{{{character}}}" for character in "[]*"},
}


def _in_latex(text: str) -> str:
    if re.fullmatch(r"-[\d.]+", text):
        return f"${text}$"
    return re.sub("-(?=-)", "-{}", "".join(LATEX.get(character, character) for character in text))


def html(table: Table) -> str:
    """A table in HTML.

    >>> print(html(Table("Labels", ["label", "n"], [["<A>", 1]])))
    <table>
    <caption>Labels</caption>
    <thead><tr><th scope="col">label</th><th scope="col" class="number">n</th></tr></thead>
    <tbody>
    <tr><td>&lt;A&gt;</td><td class="number">1</td></tr>
    </tbody>
    </table>
    """
    kinds = [' class="number"' if table.is_number(k) else "" for k in range(len(table.header))]
    header, *rows = table.grid(entities.escape)
    head = "".join(f'<th scope="col"{kind}>{name}</th>' for kind, name in zip(kinds, header))
    body = ("".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, row)) for row in rows)
    return "\n".join(
        [
            "<table>",
            f"<caption>{entities.escape(visible(table.heading))}</caption>",
            f"<thead><tr>{head}</tr></thead>",
            "<tbody>",
            *(f"<tr>{row}</tr>" for row in body),
            "</tbody>",
            "</table>",
        ]
    )


HTML = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>NER evaluation</title>
<style>
:root {{ color-scheme: light dark }}
table {{ border-collapse: collapse; margin: 1em 0 }}
caption {{ font-weight: bold; text-align: left }}
th, td {{ padding: 0.2em 0.8em; text-align: left }}
.number {{ text-align: right; font-variant-numeric: tabular-nums }}
</style>
</head>
<body>
{}
</body>
</html>"""


# For programs


def csv_text(tables: Iterable[Table]) -> str:
    """All tables as one: its first column names the table, and a row has values in the columns of its own table.

    An interval is two columns, low and high. What is undefined is empty. Texts
    that a spreadsheet would take for formulas have an apostrophe in front.

    >>> a = Table("A", ["x", "P"], [["=1", Estimate(50.0, 40.0, 60.0)]])
    >>> print(csv_text([a, Table("B", ["n"], [[None]])]))
    table,x,P,P low,P high,n
    A,'=1,50.00,40.00,60.00,
    B,,,,,
    """
    rows: list[dict[str, str]] = []
    header = dict.fromkeys(["table"])
    for table in tables:
        names = _unique(["table", *map(_in_csv, _names(table))])[1:]
        header |= dict.fromkeys(names)
        for values in _values(table, text=_in_csv, number=str):
            rows.append({"table": _in_csv(table.title), **dict(zip(names, values))})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([row.get(name) for name in header] for row in rows)
    return text.getvalue().removesuffix("\n")


def _in_csv(text: str) -> str:
    return for_spreadsheets(visible(text))


def json_text(tables: Iterable[Table]) -> str:
    """An object of title to rows, each an object of column to value; null is undefined.

    >>> print(json_text([Table("A", ["x", "P"], [["=1", Estimate(50.0, 40.0, 60.0)]])]))
    {
      "A": [
        {"x": "=1", "P": 50.0, "P low": 40.0, "P high": 60.0}
      ]
    }
    """
    tables, blocks = list(tables), []
    for title, table in zip(_unique(table.title for table in tables), tables):
        names = _unique(_names(table))
        values = _values(table, text=str, number=json.loads)
        rows = [json.dumps(dict(zip(names, row)), ensure_ascii=False) for row in values]
        blocks.append(
            f"  {json.dumps(title, ensure_ascii=False)}: [" + ",".join(f"\n    {row}" for row in rows) + "\n  ]"
        )
    return "{\n" + ",\n".join(blocks) + "\n}"


def _values(table: Table, *, text: Callable[[str], Any], number: Callable[[str], Any]) -> Iterator[list[Any]]:
    """The rows with the parts of intervals as values of their own."""
    parts = [_parts(table, k) for k in range(len(table.header))]
    for row in table.rows:
        cells = [(k, _part(cell, part)) for k, cell in enumerate(row) for part in parts[k]]
        yield [
            None if cell is None else text(cell) if isinstance(cell, str) else number(table.shown(k, cell))
            for k, cell in cells
        ]


def _names(table: Table) -> list[str]:
    names = ((name, part) for k, name in enumerate(table.header) for part in _parts(table, k))
    return [name if part == "value" else f"{name} {part}" for name, part in names]


def _parts(table: Table, column: int) -> tuple[str, ...]:
    kinds = {type(row[column]) for row in table.rows}
    value = () if kinds & {Interval} and not kinds - {Interval, type(None)} else ("value",)
    return (*value, "low", "high") if kinds & {Interval, Estimate} else value


def _part(cell: Cell, part: str) -> str | int | float | None:
    if isinstance(cell, (Interval, Estimate)):
        return getattr(cell, part, None)
    return cell if part == "value" else None


def _unique(names: Iterable[str]) -> list[str]:
    """The names, numbered where one comes again.

    >>> _unique(["gold", "PER", "gold"])
    ['gold', 'PER', 'gold 2']
    """
    found: dict[str, None] = {}
    for name in names:
        number = 1
        while (numbered := name if number == 1 else f"{name} {number}") in found:
            number += 1
        found[numbered] = None
    return list(found)


# Several tables, and what is said about them


def document(tables: Sequence[Table], format: str, before: Sequence[str] = (), after: Sequence[str] = ()) -> str:
    """Tables in one of the formats, with what is said before and behind them.

    CSV and JSON have no room for that, and get empty tables too.
    """
    if format == "csv":
        return csv_text(tables)
    if format == "json":
        return json_text(tables)
    tables = [table for table in tables if table.rows]
    before, after = [visible(line) for line in before], [visible(line) for line in after]
    if format == "markdown":
        blocks = (f"## {_in_markdown(visible(table.heading))}\n\n{markdown(table)}" for table in tables)
        before, after = ([_in_markdown(line).replace(r"\|", "|") for line in lines] for lines in (before, after))
        return "\n\n".join((*before, *blocks, *after))
    if format == "latex":
        lines = ["needs \\usepackage{booktabs}; scripts other than Latin need LuaLaTeX or XeLaTeX", *before]
        return "\n".join((*(f"% {line}" for line in lines), *map(latex, tables), *(f"% {line}" for line in after)))
    if format == "html":
        sides = ([f"<p>{entities.escape(line)}</p>" for line in lines] for lines in (before, after))
        return HTML.format("\n".join((*next(sides), *map(html, tables), *next(sides))))
    raise ValueError(f"there is no format {format!r} of tables; there are markdown, latex, csv, json, html")
