"""The tables of a page: their rows and cells, read from its HTML or from its elements in a browser."""

from html.parser import HTMLParser
from itertools import accumulate
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A cell: its element, its attributes, its text, and the number by which it is sorted."""

    tag: str
    scope: str | None
    span: int
    text: str
    value: str | None = None


class PageTable(NamedTuple):
    """A table: the section it lies in, its name, the widths of its column groups, its head and its other rows."""

    section: str
    caption: str
    groups: list[int]
    head: list[list[Cell]]
    body: list[list[Cell]]

    @property
    def width(self) -> int:
        return sum(cell.span for cell in self.head[-1])

    def under(self, name: str) -> dict[str, list[str | None]]:
        """Each row with its numbers in the columns that the first row of the head gives to a name."""
        starts = accumulate((cell.span for cell in self.head[0]), initial=0)
        ((start, cell),) = ((at, cell) for at, cell in zip(starts, self.head[0]) if cell.text == name)
        return self.numbers(start, start + cell.span)

    def numbers(self, start: int, end: int | None = None) -> dict[str, list[str | None]]:
        """Each row with its numbers in some columns."""
        return {row[0].text: [cell.value for cell in row[start:end]] for row in self.body}


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[PageTable] = []
        self._section, self._inside = "", ""
        self._open: list[list[Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "section":
            self._section = attributes.get("id") or ""
        elif tag == "table":
            self.tables.append(PageTable(self._section, "", [], [], []))
        elif tag == "colgroup":
            self.tables[-1].groups.append(int(attributes.get("span") or 1))
        elif tag in ("thead", "tbody", "caption"):
            self._inside = tag
        elif tag == "tr":
            (self.tables[-1].head if self._inside == "thead" else self.tables[-1].body).append([])
        elif tag in ("th", "td"):
            rows = self.tables[-1].head if self._inside == "thead" else self.tables[-1].body
            value = attributes.get("data-value")
            rows[-1].append(Cell(tag, attributes.get("scope"), int(attributes.get("colspan") or 1), "", value))
            self._open.append(rows[-1])

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td"):
            self._open.pop()
        elif tag in ("table", "caption"):
            self._inside = ""

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if self._open:
            cell = self._open[-1][-1]
            self._open[-1][-1] = cell._replace(text=f"{cell.text} {text}".strip())
        elif self._inside == "caption":
            self.tables[-1] = self.tables[-1]._replace(caption=f"{self.tables[-1].caption} {text}".strip())


def tables_of(html: str) -> list[PageTable]:
    """The tables of a page before its scripts run, without those that these fill."""
    parser = _Tables()
    parser.feed(html)
    return [table for table in parser.tables if table.head]


DRAWN = """const cells = row => [...row.cells].filter(cell => cell.checkVisibility()).map(cell =>
  [cell.localName, cell.getAttribute('scope'), cell.colSpan, cell.textContent.trim(), cell.dataset.value ?? null]);
return [...document.querySelectorAll('table')].filter(table => table.checkVisibility()).map(table => [
  table.closest('section')?.id ?? '', table.caption?.textContent.trim() ?? '',
  [...table.querySelectorAll('colgroup')].filter(group => !group.hidden).map(group => group.span),
  [...table.tHead?.rows ?? []].map(cells), [...table.tBodies].flatMap(body => [...body.rows].map(cells))])"""
"""JavaScript that returns the tables of a page as its scripts have drawn them."""


def drawn_tables(browser: Any) -> list[PageTable]:
    """The tables that can be seen in a browser, with the columns that are not hidden."""
    return [
        PageTable(section, caption, groups, *([[Cell(*cell) for cell in row] for row in rows] for rows in (head, body)))
        for section, caption, groups, head, body in browser(DRAWN)
    ]


def assert_whole(table: PageTable) -> None:
    """Every row is as wide as the others, and each cell has the headings that stand over and before it."""
    assert table.caption, table
    rows = [*table.head, *table.body]
    assert {sum(cell.span for cell in row) for row in rows} == {table.width}, table.caption
    *above, heads = table.head
    assert len(above) <= 1, table.caption
    assert all(cell.scope == "col" and cell.span == 1 for cell in heads if cell.tag == "th"), table.caption
    assert [cell.tag for cell in heads if not cell.text] == ["td"] * sum(not cell.text for cell in heads)
    for row in above:
        assert [cell.span for cell in row] == table.groups, table.caption
        assert all((cell.scope, bool(cell.text)) == ("colgroup", True) for cell in row if cell.tag == "th")
    for first, *rest in table.body:
        assert (first.tag, first.scope) == ("th", "row") and all(cell.tag == "td" for cell in rest), table.caption
