"""Tables as text, in a terminal and in pages: what each format says, read back by a parser that is not ours."""

import csv
import io
import json
import re
import shutil

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pages import HOSTILE, Parsed
from processes import ended
from profiles import tries
from refusals import refused_with

from spacy_nereval import score
from spacy_nereval.core.messages import mark_unseen
from spacy_nereval.io.writing import escape_formula, visible
from spacy_nereval.reporting.formats import csv_text, html, json_text, latex, markdown, render_document
from spacy_nereval.reporting.marked_text import MarkedText
from spacy_nereval.reporting.pages import breakable, environment
from spacy_nereval.reporting.result_table import (
    Cost,
    Estimate,
    Interval,
    Kinded,
    LinkedCount,
    Percent,
    ResultTable,
    number_text,
)
from spacy_nereval.reporting.terminal import BAR, bars, display_width, render

AWKWARD = ["|", "\\", "a|b", "\\|", "*", "_a_", "a_b", "`x`", "<script>", "&amp;", "[a](b)", "![a][b]", "~~a~~", "$1$"]
AWKWARD += ["{x}", "%", "#1", "^", '"', "'", "--", "---", "…", "=1+1", "+1", "-1", "@x", "\t=1", "\r1", "a\nb", " a "]
AWKWARD += ["", "人名", "e\u0301", "\x1b[2J", "\u202eabc", "\x00", "\u2028", "🙂", "-", "[x]", "* b", "\\\\", "&#65;"]
AWKWARD += ["]", "a](", "* ↓"]
texts = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
finite = st.floats(-1e6, 1e6)
numbers = (
    finite
    | st.builds(Percent, finite)
    | st.integers(-1000, 10**9)
    | st.none()
    | st.builds(Interval, finite, finite)
    | st.builds(Estimate, *[finite] * 3)
)


@st.composite
def tables(draw: st.DrawFn) -> ResultTable:
    kinds = draw(st.lists(st.sampled_from([texts, numbers]), min_size=1, max_size=5))
    header = [draw(texts | st.builds(Cost, texts)) for _ in kinds]
    rows = [[draw(kind) for kind in kinds] for _ in range(draw(st.integers(0, 4)))]
    return ResultTable(draw(texts), header, rows, note=draw(texts), digits=draw(st.integers(0, 5)))


def read(cell, digits: int, bold: str = "{}") -> str:
    """A cell as a person reads it; `bold` is how the format shows the best estimates."""

    def number(value: float) -> str:
        value = 100 * value if isinstance(value, Percent) else value
        text = f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"
        return text.removeprefix("-") if not text.strip("-0.") and isinstance(value, float) else text

    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Interval):
        return f"[{number(cell.low)}, {number(cell.high)}]"
    if isinstance(cell, Estimate):
        value = number(cell.value) + "†" * cell.top
        value = bold.format(value) if cell.best else value
        return f"{value} [{number(cell.low)}, {number(cell.high)}]" + " few" * cell.few
    return number(cell)


def cells(table: ResultTable, bold: str = "{}") -> list[list[str]]:
    """All cells, costs with an arrow; where names of columns or rows look alike, they are in quotes."""
    header = [f"{name} ↓" if isinstance(name, Cost) else name for name in table.header]
    rows = [header, *([read(cell, table.digits, bold) for cell in row] for row in table.rows)]
    names = {*header, *(row[0] for row in rows)}

    def clear(cell: str) -> str:
        alike = [name for name in names if visible(name) == visible(cell)] if cell in names else []
        return visible(repr(cell) if len(alike) > 1 else mark_unseen(cell)) or "(empty)"

    return [[*map(clear, row)] for row in rows]


# Parsers that are not ours


def from_markdown(text: str) -> list[list[str]]:
    """The cells of a table in Markdown: pipes without a backslash divide them, and a backslash before punctuation is
    dropped (CommonMark, 2.4). Empty comments, which keep @names and #numbers from being links, are not seen."""
    found = []
    text = text.replace("<!-- -->", "")
    for line in text.splitlines():
        cells = re.split(r"(?<!\\)((?:\\\\)*)\|", line)  # an even number of backslashes escapes nothing
        joined = [cells[k] + (cells[k + 1] if k + 1 < len(cells) else "") for k in range(0, len(cells), 2)]
        assert joined[0] == joined[-1] == "", line
        found.append([re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell.strip()) for cell in joined[1:-1]])
    assert all(re.fullmatch("---:?", cell) for cell in found[1])
    return [found[0], *found[2:]]


TEX = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<"}
TEX |= {r"\textgreater{}": ">", r"\textbar{}": "|", r"\`{}": "`", r"\char34{}": '"', r"\ldots{}": "…", "-{}": "-"}
TEX |= {f"\\{c}": c for c in "&%$#_{}"} | {f"{{{c}}}": c for c in "[]*"}
TEX |= {r"$\downarrow$": "↓", r"$^\dagger$": "†"}
COMMANDS = "|".join(map(re.escape, sorted(TEX, key=len, reverse=True)))
TOKEN = re.compile(COMMANDS + r"|\$-[\d.]+\$|[^\\{}$&%#_~^\[\]*<>|`\"]")


def from_latex(text: str) -> list[list[str]]:
    """The cells between the rules, of which every character is a known command or harmless."""
    body = text.split("\\toprule\n")[1].split("\\bottomrule")[0].replace("\\midrule\n", "")
    found = []
    for line in body.splitlines():
        assert line.endswith(r" \\")
        cells = []
        for cell in re.split(r"(?<!\\) & ", line[:-3]):
            cell = re.sub(r"^\\textbf\{([^{}]+)\}", r"«\1»", cell)
            tokens = TOKEN.findall(cell)
            assert "".join(tokens) == cell, cell
            cells.append("".join(TEX.get(token, token.strip("$") if len(token) > 1 else token) for token in tokens))
        found.append(cells)
    return found


def from_html(text: str) -> list[list[str]]:
    found = Parsed(text)
    assert {tag for tag, _ in found.tags} <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "b"}
    return found.rows


READ_BACK = [(markdown, from_markdown, "**{}**"), (latex, from_latex, "«{}»"), (html, from_html, "{}")]


def from_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("write, parse, bold", READ_BACK, ids=["markdown", "latex", "html"])
@tries(40)
@given(table=tables())
def test_a_format_read_back_gives_the_cells_of_the_table(write, parse, bold, table):
    assert parse(write(table)) == cells(table, bold)


def values(table):
    """The rows with intervals taken apart: the value, if the column has any, and both bounds."""
    found = []
    for row in table.rows:
        found.append([])
        for k, cell in enumerate(row):
            kinds = {type(other[k]) for other in table.rows} - {type(None)}
            bounded = bool(kinds & {Interval, Estimate})
            parts = cell._asdict() if isinstance(cell, (Interval, Estimate)) else {"value": cell}
            names = ["value"] * (kinds != {Interval}) + ["low", "high"] * bounded
            found[-1] += [parts.get(name) for name in names]
    return found


@tries(40)
@given(made=st.lists(tables(), max_size=3))
def test_json_read_back_gives_the_values_and_the_texts_as_they_are(made):
    found = json.loads(json_text(made))
    assert [len(rows) for rows in found.values()] == [len(table.rows) for table in made]
    for rows, table in zip(found.values(), made):
        for record, expected in zip(rows, values(table)):
            assert list(record.values()) == expected


@tries(40)
@given(table=tables())
def test_csv_read_back_gives_the_values_and_the_texts_on_one_line(table):
    header, *rows = csv.reader(io.StringIO(csv_text([table]), newline=""))
    assert header[0] == "table" and len({*header}) == len(header)
    title = escape_formula(visible(table.title))
    for row, expected in zip(rows, values(table), strict=True):
        assert row == [title] + [
            "" if value is None else escape_formula(visible(value)) if isinstance(value, str)
            else str(value) if isinstance(value, int) else read(value, table.digits) for value in expected
        ]  # fmt: skip


@tries(40)
@given(made=st.lists(tables(), min_size=1, max_size=3))
def test_a_table_in_csv_has_among_others_what_it_has_alone(made):
    together = from_csv(csv_text(made))
    assert all(None not in row and None not in row.values() for row in together)
    alone = [row for table in made for row in from_csv(csv_text([table]))]
    for row, its in zip(together, alone, strict=True):
        assert {name: row[name] for name in its} == its
        assert not any(value for name, value in row.items() if name not in its)


def test_columns_of_one_name_do_not_hide_each_other():
    """A label may be called like the column of labels, or like the one of titles."""
    table = ResultTable("T", ["gold", "gold", "table"], [["a", 1, 2]])
    assert json.loads(json_text([table])) == {"T": [{"gold": "a", "gold 2": 1, "table": 2}]}
    assert from_csv(csv_text([table])) == [{"table": "T", "gold": "a", "gold 2": "1", "table 2": "2"}]
    assert list(json.loads(json_text([table, table]))) == ["T", "T 2"]


@pytest.mark.parametrize(
    ("cells", "columns"),
    [
        ([Interval(0.1, 0.2), None], ["c low", "c high"]),
        ([None, None], ["c"]),
        ([Interval(0.1, 0.2), 3], ["c", "c low", "c high"]),
        ([Estimate(0.1, 0.05, 0.2), None], ["c", "c low", "c high"]),
        ([2, None], ["c"]),
    ],
)
def test_a_column_of_bounds_has_a_column_for_each_and_none_for_a_value_that_it_lacks(cells, columns):
    table = ResultTable("T", ["name", "c"], [[f"r{k}", cell] for k, cell in enumerate(cells)])
    rows = json.loads(json_text([table]))["T"]
    assert [[*row] for row in rows] == [["name", *columns]] * len(cells)
    assert [row["name"] for row in rows] == ["r0", "r1"] and [*from_csv(csv_text([table]))[0]][1:] == ["name", *columns]


def test_a_column_may_have_digits_of_its_own():
    table = ResultTable("T", ["p", "d"], [[0.01234, 0.01234]], digits=1, own_digits={"p": 4})
    assert table.grid()[1] == ["0.0123", "0.0"]


def test_nothing_is_minus_zero():
    assert number_text(-0.004) == "0.00"
    assert number_text(-0.005001) == "-0.01"
    assert number_text(-0.0, 0) == "0"


def test_a_number_is_no_formula_for_a_spreadsheet():
    text = csv_text([ResultTable("T", ["x", "d"], [["-1", -1.5]])])
    assert from_csv(text) == [{"table": "T", "x": "'-1", "d": "-1.50"}]


def test_people_are_shown_the_first_rows_and_programs_all():
    table = ResultTable("T", ["n"], [[k] for k in range(5)], note="numbers", most=2)
    assert table.heading == "T (numbers; the first 2 of 5)"
    for write, parse, _ in READ_BACK:
        assert parse(write(table)) == [["n"], ["0"], ["1"]]
    assert len(render(table).splitlines()) == 5
    assert len(from_csv(csv_text([table]))) == len(json.loads(json_text([table]))["T"]) == 5
    assert table._replace(most=5).heading == "T (numbers)"
    assert table._replace(note="", most=None).heading == "T"


TEXTS = [["<script>alert(1)</script>", "\x1b[31mred\u202e"], ["[a](http://x)", "=HYPERLINK(1)"]]
UNSAFE = ResultTable("T\x1b]0;x\x07", ["<img src=x>", "\\input{x}"], TEXTS, note="\x00")


@pytest.mark.parametrize("name", ["markdown", "latex", "html", "csv", "terminal"])
def test_no_control_character_and_no_element_of_a_text_reaches_a_format(name):
    text = render(UNSAFE) + visible(UNSAFE.heading)
    if name != "terminal":
        text = render_document([UNSAFE], name, ["\x1b[1m", "<b>"], ["a\nb\x1b", "</body>"])
    assert "red" in text and not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    if name == "html":
        assert not re.search("<(script|img|b)>", text) and text.count("</body>") == 1


def test_markdown_has_no_link_and_no_element_of_a_text():
    text = render_document([UNSAFE], "markdown")
    assert r"[a]\(http" in text and r"\<script" in text and "](" not in text
    for link in ("[a](b)", "![a](b)", "[a][b]", "[[a]](b)", "<http://a>", "`a`", "**a**", "_a_", "~~a~~", "&copy;"):
        assert f"| {link} |" not in markdown(ResultTable("", ["x"], [[link]]))
    assert markdown(ResultTable("", ["x"], [["a_b [c] A & B"]])).endswith("| a_b [c] A & B |")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="there is no LaTeX here")
def test_latex_compiles(tmp_path):
    awkward = "[x] ".join(AWKWARD[:40]).replace("…", "").encode("ascii", "ignore").decode()
    rows = [[awkward, "*", -3.5], ["*", "[", None]]
    made = [ResultTable("50 % &_# ${x} ~ ^ \\", ["[a]", "*", "n"], rows), ResultTable("None", ["a"], [])]
    body = render_document(made, "latex", ["100 % \\undefined"], ["x"])
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(f"{head}{body}\n\\end{{document}}\n")
    done = ended(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "t.tex"], cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]


def test_lines_around_the_tables_are_text_or_comments_or_left_out():
    tables = [ResultTable("A", ["n"], [[1]]), ResultTable("Empty", ["n"], [])]
    said = {name: render_document(tables, name, ["before & all"], ["after"]) for name in ("markdown", "latex", "html")}
    assert said["markdown"].splitlines()[0] == "before & all" and said["markdown"].splitlines()[-1] == "after"
    assert "% before & all\n" in said["latex"] and said["latex"].endswith("% after")
    assert "<p>before &amp; all</p>\n<table>" in said["html"] and "</table>\n<p>after</p>" in said["html"]
    assert not any("Empty" in text for text in said.values())
    assert json.loads(render_document(tables, "json", ["before"], ["after"])) == {"A": [{"n": 1}], "Empty": []}
    assert from_csv(render_document(tables, "csv", ["before"], ["after"])) == [{"table": "A", "n": "1"}]
    with refused_with(
        ValueError,
        "there is no table format 'xml'; there are markdown, latex, csv, json, html",
    ):
        render_document(tables, "xml")


# In a terminal


@tries(40)
@given(table=tables())
def test_a_terminal_shows_the_cells_of_the_table(table):
    lines = render(table).split("\n")[1:]
    header, divider, *rows = lines
    widths = [len(dashes) for dashes in divider.split("   ")]
    assert set(divider) <= {"-", " "}
    for line, expected in zip((header, *rows), cells(table), strict=True):
        numbers = [table.is_number(k) for k in range(len(widths))]
        padded = [
            " " * (width - display_width(cell)) + cell if number else cell + " " * (width - display_width(cell))
            for cell, width, number in zip(expected, widths, numbers)
        ]
        assert line == "   ".join(padded).rstrip()


@tries(40)
@given(table=tables(), width=st.integers(20, 120))
def test_a_terminal_is_not_written_beyond_its_width(table, width):
    """Unless the columns of text that every block repeats leave no room for a number."""
    lines = render(table, width=width).splitlines()
    kinds = [table.is_number(k) for k in range(len(table.header))]
    widest = [max(display_width(row[k]) for row in cells(table)) for k in range(len(kinds))]
    keys = kinds.index(True) if any(kinds) else len(kinds)
    keys = keys if keys < len(kinds) else 1
    needed = [min(w, 12) if not number else w for w, number in zip(widest, kinds)]
    assume(needed[0] <= width)
    assume(all(sum(needed[:keys]) + needed[k] + 2 * keys <= width for k in range(keys, len(kinds))))
    assert max(map(display_width, lines)) <= width


@tries(40)
@given(table=tables(), width=st.integers(20, 120))
def test_no_number_is_lost_in_a_narrow_terminal(table, width):
    words = render(table, width=width).split()
    for row in table.rows:
        for cell in row:
            if isinstance(cell, (int, float)):
                assert read(cell, table.digits) in words


ROWS = [["LOC", Percent(0.5), "a rather long text with … in it"], ["人名人名", Percent(0.005), "x"]]
WIDE = ResultTable("T", ["label", "share", "text"], ROWS, bars="share")

WIDTHS = [
    (None, ["LOC        50.00   a rather long text with … in it   █████", "人名人名    0.50   x" + " " * 33 + "▏"]),
    (60, ["LOC        50.00   a rather long text with … in it", "人名人名    0.50   x"]),
    (48, ["LOC       50.00  a rather long text with … in it", "人名人名   0.50  x"]),
    (40, ["LOC       50.00  a rather long text wit…", "人名人名   0.50  x"]),
    (29, ["LOC       50.00  a rather lo…", "人名人名   0.50  x"]),
    (28, ["LOC       50.00", "人名人名   0.50", "LOC       a rather long tex…", "人名人名  x"]),
]  # fmt: skip


@pytest.mark.parametrize(("width", "lines"), WIDTHS)
def test_a_wide_table_loses_bars_then_space_then_the_ends_of_texts_then_is_cut_in_two(width, lines):
    assert [line for line in render(WIDE, width=width).splitlines() if "LOC" in line or "人" in line] == lines


def test_what_an_encoding_lacks_is_shown_in_ascii():
    text = render(WIDE, encoding="ascii")
    assert "#####" in text and "with ... in it" in text and "????" in text
    text.encode("ascii")
    assert max(map(len, render(WIDE, width=40, encoding="ascii").splitlines())) <= 40
    assert "a rather lo...\n" in render(WIDE, width=28, encoding="ascii")


@tries(40)
@given(st.lists(st.floats(0, 1), min_size=2))
def test_a_longer_bar_is_a_larger_share(shares):
    table = ResultTable("T", ["share"], [[share] for share in sorted(shares)], bars="share")
    for encoding in ("utf8", "ascii", "cp437"):
        drawn = bars(table, encoding)
        lengths = [sum(("▏▎▍▌▋▊▉█".find(c) + 1) / 8 or 1 for c in bar) for bar in drawn]
        assert lengths == sorted(lengths) and lengths[-1] <= BAR
        for bar, length, (share,) in zip(drawn, lengths, table.rows):
            assert bool(bar) == (share > 0)
            exact = 1 / 16 + 1e-9 if encoding == "utf8" else 1.1
            assert share < 0.0125 or length == pytest.approx(share * 10, abs=exact)
    assert bars(ResultTable("T", ["s"], [[1.0], [None]], bars="s")) == ["█" * 10, ""]


# In pages


HALF = Percent(0.5)
TABLE = ResultTable(
    "Verdicts",
    ["verdict", "number", Cost("ser"), "P", "text", "% errors"],
    [
        [
            Kinded.create("missed", "missed"),
            LinkedCount.create(3, {"one": 1}),
            Estimate(HALF, 0.25, 0.75, True),
            7,
            "a",
            HALF,
        ],
        [HOSTILE[0], 0, None, 1.25, MarkedText.create("met ", "[Bob]", " in"), Percent(0.25)],
    ],
    bars="% errors",
    asks=[{"verdicts": ["fn"]}, None],
    above=["", "first", "first", "second", "second", "second"],
)


def drawn(table: ResultTable, *more: str) -> Parsed:
    module = environment().get_template("tables.html").module
    return Parsed(str(module.drawn(table, *more)))


@pytest.fixture(scope="module")
def found() -> Parsed:
    return drawn(TABLE)


def test_rows_and_numbers_ask_for_what_the_table_says(found):
    asked = [json.loads(str(attributes["data-ask"])) for _, attributes in found.tags if "data-ask" in attributes]
    assert asked == [{"verdicts": ["fn"]}, {"one": 1}]
    assert [a["data-name"] for tag, a in found.tags if tag == "tr" and "data-name" in a] == ["missed", HOSTILE[0]]


def test_numbers_stand_right_and_bars_are_relative_to_the_greatest(found):
    classes = [a.get("class") for tag, a in found.tags if tag == "th" and a.get("scope") == "col"]
    assert classes == [None, "number first", "number", "number first", None, "number"]
    assert [a["width"] for tag, a in found.tags if tag == "rect"] == ["96.0", "48.0"]
    assert "swatch missed" in [a.get("class") for tag, a in found.tags if tag == "span"]


def test_a_table_can_have_another_name_for_those_who_hear_the_page():
    (region,) = (a for _, a in drawn(TABLE, "Every verdict").tags if a.get("role") == "region")
    assert region["aria-label"] == "Every verdict"
    assert drawn(ResultTable("A", ["n", "i"], [["x", Interval(1.0, 2.0)]])).row("x")[1] == "[1.00, 2.00]"


@pytest.mark.parametrize("unseen", ["\u200b", "\u00a0", "\u202e", "\ufeff"], ids=ascii)
def test_characters_that_nobody_sees_are_marked_in_tables_and_headings(unseen):
    label, marked = f"P{unseen}ER", f"P{ascii(unseen)[1:-1]}ER"
    result = score([[(0, 3, label)]], [[(0, 3, "PER")]], ["strict"])
    assert marked in str(result.show("labels")) and label not in str(result.show("labels"))
    assert marked in str(breakable(f"1 of 2 errors are of {label}")).replace("<wbr>", "")
