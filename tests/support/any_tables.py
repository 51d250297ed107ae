"""Tables of anything, and their cells as a person reads them."""

from hypothesis import strategies as st

from spacy_nereval.io.writing import visible
from spacy_nereval.reporting.result_table import Cell, Cost, Estimate, Interval, Percent, ResultTable

AWKWARD = ["|", "\\", "a|b", "\\|", "*", "_a_", "a_b", "`x`", "<script>", "&amp;", "[a](b)", "![a][b]", "~~a~~", "$1$"]
AWKWARD += ["{x}", "%", "#1", "^", '"', "'", "--", "---", "…", "=1+1", "+1", "-1", "@x", "\t=1", "\r1", "a\nb", " a "]
AWKWARD += ["", "人名", "e\u0301", "\x1b[2J", "\u202eabc", "\x00", "\u2028", "🙂", "-", "[x]", "* b", "\\\\", "&#65;"]
AWKWARD += ["]", "a](", "* ↓"]


texts = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


finite = st.floats(-1e6, 1e6)


numbers: st.SearchStrategy[Cell] = (
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


def read(cell: Cell, digits: int) -> str:
    """A cell as a person reads it."""

    def number(value: float) -> str:
        value = 100 * value if isinstance(value, Percent) else value
        text = str(value) if isinstance(value, int) else f"{value:.{digits}f}"
        return text.removeprefix("-") if not text.strip("-0.") and isinstance(value, float) else text

    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Interval):
        return f"[{number(cell.low)}, {number(cell.high)}]"
    if isinstance(cell, Estimate):
        return f"{number(cell.value)} [{number(cell.low)}, {number(cell.high)}]" + " few" * cell.few
    return number(cell)


def cells(table: ResultTable) -> list[list[str]]:
    """All cells, costs with an arrow; where names of columns or rows look alike, they are in quotes."""
    header = [f"{name} ↓" if isinstance(name, Cost) else name for name in table.header]
    rows = [header, *([read(cell, table.digits) for cell in row] for row in table.rows)]
    names = {*header, *(row[0] for row in rows)}

    def clear(cell: str) -> str:
        alike = [name for name in names if visible(name) == visible(cell)] if cell in names else []
        return visible(repr(cell) if len(alike) > 1 else cell) or "(empty)"

    return [[*map(clear, row)] for row in rows]
