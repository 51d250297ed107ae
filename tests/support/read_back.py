"""Read tables back from Markdown, LaTeX and HTML, with parsers that are not ours."""

import re
from html.parser import HTMLParser
from typing import Any


def from_markdown(text: str) -> list[list[str]]:
    """The cells of a table in Markdown: pipes without a backslash divide them, and a backslash
    before punctuation is dropped (CommonMark, 2.4)."""
    found = []
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
TEX |= {r"$\downarrow$": "↓"}
TOKEN = re.compile(
    "|".join(map(re.escape, sorted(TEX, key=len, reverse=True))) + r"|\$-[\d.]+\$|[^\\{}$&%#_~^\[\]*<>|`\"]"
)


def from_latex(text: str) -> list[list[str]]:
    """The cells between the rules, of which every character is a known command or harmless."""
    body = text.split("\\toprule\n")[1].split("\\bottomrule")[0].replace("\\midrule\n", "")
    found = []
    for line in body.splitlines():
        assert line.endswith(r" \\")
        cells = []
        for cell in re.split(r"(?<!\\) & ", line[:-3]):
            tokens = TOKEN.findall(cell)
            assert "".join(tokens) == cell, cell
            cells.append("".join(TEX.get(token, token.strip("$") if len(token) > 1 else token) for token in tokens))
        found.append(cells)
    return found


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and data.strip():
            self.rows[-1][-1] += data


def from_html(text: str) -> list[list[str]]:
    parser = _Cells()
    parser.feed(text)
    parser.close()
    assert parser.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}, parser.tags
    return parser.rows
