"""Which pages the documentation has, and how generated text is put into them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def written_pages() -> list[Path]:
    """Return the pages whose code blocks have to run: README.md, those of examples/ and assets/, and all in docs/."""
    folders = ("examples", "assets/agreement", "assets/trials", "assets/warranty", "docs")
    return [ROOT / "README.md", *(path for name in folders for path in sorted((ROOT / name).rglob("*.md")))]


KINDS = {
    "tutorial": ("Learn: a tutorial", "better-model"),
    "how-to": (
        "Do something: how-to pages",
        "which-score score-files convert spacy-model notebook checkpoint compare several-seeds errors thresholds units "
        "agreement language-models migrate tracker many-machines own-metric train",
    ),
    "reference": (
        "Look something up: reference",
        "cheat-sheet metrics commands formats scores glossary result python config",
    ),
    "explanation": (
        "Understand: explanation",
        "questions choosing leaderboards alignment intervals other-tools evidence results speed scale architecture",
    ),
}
"""Folder of docs/ to its heading in the index, and the order of its pages. Others come last, by name."""


def pages_of(kind: str) -> list[Path]:
    """Return the pages of one folder, in the order of the index."""
    order = KINDS[kind][1].split()
    pages = sorted((ROOT / "docs" / kind).glob("*.md"))
    return sorted(pages, key=lambda page: order.index(page.stem) if page.stem in order else len(order))


def index_page() -> str:
    """Return docs/index.md: every page, under the heading of its kind, by its own title."""
    blocks = [
        "# Documentation",
        "<!-- Written by scripts/docs.py from the titles of the pages; do not edit. -->",
        "Four kinds of pages. Choose by what you want to do.",
    ]
    for kind, (heading, _) in KINDS.items():
        lines = []
        for page in pages_of(kind):
            title = page.read_text(encoding="utf8").splitlines()[0].removeprefix("# ")
            lines.append(f"- [{title}]({kind}/{page.name})")
        blocks += [f"## {heading}", "\n".join(lines)]
    blocks.append(
        "JSON schemas: [the header of a count file](reference/counts-file.schema.json), and [that of collapsed "
        "counts](reference/collapsed-counts-file.schema.json)."
    )
    return "\n\n".join(blocks) + "\n"


def fill(text: str, part: str, content: str) -> str:
    """Return a text with new content between the marks of a part."""
    pattern = rf"(<!-- {part}: .*? -->\n).*?(<!-- /{part} -->)"
    return re.sub(pattern, lambda match: f"{match[1]}\n{content.strip()}\n\n{match[2]}", text, flags=re.S)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in cells)
