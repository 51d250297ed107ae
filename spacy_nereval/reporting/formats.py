"""Tables as Markdown, LaTeX, HTML, CSV or JSON. For terminals, see `terminal`.

Texts in tables (labels, document names, words) come from the corpus, so each format escapes them. All formats but JSON
show them without line breaks and with control characters spelled out.
"""

from __future__ import annotations

import csv
import html as entities
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from math import isinf
from typing import Any

from ..core.messages import describe_unknown
from ..io.writing import escape_formula, json_line, visible
from .result_table import TOP, Cell, Estimate, Interval, PValue, ResultTable

# For documents


def markdown(table: ResultTable) -> str:
    """Return a table in Markdown, without its heading.

    >>> print(markdown(ResultTable("", ["text", "n"], [["a|b", 1]])))
    | text | n |
    | --- | ---: |
    | a\\|b | 1 |
    """
    divider = ["---:" if table.is_number(k) else "---" for k in range(len(table.header))]
    header, *rows = table.grid(_escape_markdown, "**{}**")
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, divider, *rows))


def _escape_markdown(text: str) -> str:
    # A _ between letters and digits needs no escape. Links need ]( or ][.
    text = re.sub(r"[\\|`*<~$]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])|(?<=\])[(\[]", r"\\\g<0>", text)
    return LINKED.sub(r"\g<0><!-- -->", text)


LINKED = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)|\w:(?=//)|\bwww(?=\.)", re.IGNORECASE)
"""Text that platforms turn into a mention, a reference or a link, though not in Markdown: `@user`, `#1`, `GH-1`,
`https://`, `www.` A comment after it prevents that, and shows nothing."""


def _escape_line(line: str) -> str:
    """Return a line of text for Markdown, where some characters at the start would make a heading, quote or list."""
    return re.sub(r"^(\d*)([#>+=-]|(?<=\d)[.)](?=\s))", r"\1\\\2", _escape_markdown(line).replace(r"\|", "|"))


def latex(table: ResultTable) -> str:
    r"""Return a table in LaTeX. Documents that include it need the package booktabs.

    >>> print(latex(ResultTable("50 %", ["label", "n"], [["B_1", 1]])))
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
    header, *rows = (" & ".join(row) + r" \\" for row in table.grid(_escape_latex, r"\textbf{{{}}}"))
    aligns = "".join("r" if table.is_number(k) else "l" for k in range(len(table.header)))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_escape_latex(visible(table.heading))}}}",
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
    **{'"': r"\char34{}", "…": r"\ldots{}", "≤": r"$\leq$", "∞": r"$\infty$", "↓": r"$\downarrow$"},
    TOP: r"$^\dagger$",
    # After \\, LaTeX would read these as its arguments.
    **{character: f"{{{character}}}" for character in "[]*"},
}


def _escape_latex(text: str) -> str:
    if re.fullmatch(r"-[\d.]+", text):
        return f"${text}$"
    return re.sub("-(?=-)", "-{}", "".join(LATEX.get(character, character) for character in text))


def html(table: ResultTable) -> str:
    """Return a table in HTML.

    >>> print(html(ResultTable("Labels", ["label", "n"], [["<A>", 1]])))
    <table>
    <caption>Labels</caption>
    <thead><tr><th scope="col">label</th><th scope="col" class="number">n</th></tr></thead>
    <tbody>
    <tr><td>&lt;A&gt;</td><td class="number">1</td></tr>
    </tbody>
    </table>
    """
    kinds = [' class="number"' if table.is_number(k) else "" for k in range(len(table.header))]
    header, *rows = table.grid(entities.escape, "<b>{}</b>")
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


def csv_text(tables: Iterable[ResultTable]) -> str:
    """Return all tables as one CSV table.

    The first column names the table, and a row has values in the columns of its own table only. An interval takes two
    columns, low and high. Undefined values and infinite bounds are empty. Texts that a spreadsheet would take for
    formulas start with an apostrophe.

    >>> a = ResultTable("A", ["x", "P"], [["=1", Estimate(50.0, 40.0, 60.0)]])
    >>> print(csv_text([a, ResultTable("B", ["n"], [[None]])]))
    table,x,P,P low,P high,n
    A,'=1,50.00,40.00,60.00,
    B,,,,,
    """
    rows: list[dict[str, str | None]] = []
    header = dict.fromkeys(["table"])
    for table in tables:
        names = _number_repeats(["table", *map(_escape_csv, _column_names(table))])[1:]
        header |= dict.fromkeys(names)
        for values in _csv_rows(table):
            rows.append({"table": _escape_csv(table.title), **dict(zip(names, values))})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([row.get(name) for name in header] for row in rows)
    return text.getvalue().removesuffix("\n")


def _escape_csv(text: str) -> str:
    return escape_formula(visible(text))


def json_text(tables: Iterable[ResultTable]) -> str:
    """Return tables as a JSON object of titles to rows, as `records` has them; null is undefined or infinite.

    >>> print(json_text([ResultTable("A", ["x", "P"], [["=1", Estimate(0.5, 0.4, 0.6)]])]))
    {
      "A": [
        {"x": "=1", "P": 0.5, "P low": 0.4, "P high": 0.6}
      ]
    }
    """
    tables, blocks = list(tables), []
    for title, table in zip(_number_repeats(table.title for table in tables), tables):
        rows = [json_line({name: _finite_or_none(value) for name, value in row.items()}) for row in records(table)]
        blocks.append(f"  {json_line(title)}: [" + ",".join(f"\n    {row}" for row in rows) + "\n  ]")
    return "{\n" + ",\n".join(blocks) + "\n}"


def records(table: ResultTable) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table for programs: unrounded numbers, and their bounds in columns of their own.

    Ratios are from 0 to 1, so a column "% gold" is named "share of gold".

    >>> [*records(ResultTable("A", ["x", "P"], [["a", Estimate(0.5, 0.25, 0.75)], ["b", None]]))]
    [{'x': 'a', 'P': 0.5, 'P low': 0.25, 'P high': 0.75}, {'x': 'b', 'P': None, 'P low': None, 'P high': None}]
    """
    parts = [(k, part) for k in range(len(table.header)) for part in _column_parts(table, k)]
    names = [re.sub("^% ", "share of ", name) for name in _number_repeats(_column_names(table))]
    for row in table.rows:
        yield dict(zip(names, (_plain_value(_cell_part(row[k], part)) for k, part in parts)))


def _plain_value(cell: str | int | float | None) -> str | int | float | None:
    """Return a cell as a plain string, float or int."""
    return next((kind(cell) for kind in (str, float, int) if isinstance(cell, kind)), None)


def _csv_rows(table: ResultTable) -> Iterator[list[str | None]]:
    """Yield the rows for CSV, with a value for each part of an interval."""
    parts = [_column_parts(table, k) for k in range(len(table.header))]
    for row in table.rows:
        cells = [(k, _finite_or_none(_cell_part(cell, part))) for k, cell in enumerate(row) for part in parts[k]]
        yield [None if cell is None else _csv_cell(table, k, cell) for k, cell in cells]


def _csv_cell(table: ResultTable, column: int, cell: Cell) -> str:
    if isinstance(cell, str):
        return _escape_csv(cell)
    return str(cell) if isinstance(cell, int) else table.cell_text(column, cell)


def _column_names(table: ResultTable) -> list[str]:
    names = ((name, part) for k, name in enumerate(table.header) for part in _column_parts(table, k))
    return [name if part == "value" else f"{name} {part}" for name, part in names]


def _column_parts(table: ResultTable, column: int) -> tuple[str, ...]:
    kinds = {type(row[column]) for row in table.rows}
    value = () if kinds & {Interval} and not kinds - {Interval, type(None)} else ("value",)
    return (*value, "low", "high") if kinds & {Interval, Estimate} else value


def _cell_part(cell: Cell, part: str) -> str | int | float | None:
    if isinstance(cell, (Interval, Estimate)):
        value: float | None = getattr(cell, part, None)
        return value
    if part != "value":
        return None
    return float(cell) if isinstance(cell, PValue) else cell  # programs read a number, never a bound


def _finite_or_none(cell: str | int | float | None) -> str | int | float | None:
    return None if isinstance(cell, float) and isinf(cell) else cell


def _number_repeats(names: Iterable[str]) -> list[str]:
    """Return the names, with numbers after repeated ones.

    >>> _number_repeats(["gold", "PER", "gold"])
    ['gold', 'PER', 'gold 2']
    """
    unique: dict[str, None] = {}
    for name in names:
        number = 1
        while (numbered := name if number == 1 else f"{name} {number}") in unique:
            number += 1
        unique[numbered] = None
    return list(unique)


# Several tables with text around them


def render_document(
    tables: Sequence[ResultTable], format: str, before: Sequence[str] = (), after: Sequence[str] = ()
) -> str:
    """Return tables with lines of text around them, in one of the formats.

    Args:
        tables: The tables. Only CSV and JSON include those without rows.
        format: "markdown", "latex", "html", "csv" or "json".
        before: Lines of text before the tables. CSV and JSON leave them out.
        after: Lines of text after the tables. CSV and JSON leave them out.

    Raises:
        ValueError: If there is no such format.

    >>> print(render_document([ResultTable("A", ["n"], [[1]])], "markdown", ["One table."]))
    One table.
    <BLANKLINE>
    ## A
    <BLANKLINE>
    | n |
    | ---: |
    | 1 |
    """
    if format == "csv":
        return csv_text(tables)
    if format == "json":
        return json_text(tables)
    tables = [table for table in tables if table.rows]
    before, after = [visible(line) for line in before], [visible(line) for line in after]
    if format == "markdown":
        blocks = (f"## {_escape_markdown(visible(table.heading))}\n\n{markdown(table)}" for table in tables)
        before, after = ([*map(_escape_line, lines)] for lines in (before, after))
        return "\n\n".join((*before, *blocks, *after))
    if format == "latex":
        lines = ["needs \\usepackage{booktabs}; scripts other than Latin need LuaLaTeX or XeLaTeX", *before]
        return "\n".join((*(f"% {line}" for line in lines), *map(latex, tables), *(f"% {line}" for line in after)))
    if format == "html":
        sides = ([f"<p>{entities.escape(line)}</p>" for line in lines] for lines in (before, after))
        return HTML.format("\n".join((*next(sides), *map(html, tables), *next(sides))))
    raise ValueError(describe_unknown(format, ("markdown", "latex", "csv", "json", "html"), "table format"))
