"""Which pages the documentation has, and how generated text is put into them."""

import re
from html import escape
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
        "which-score score-files convert spacy-model notebook training-loop checkpoint compare several-seeds "
        "leaderboard figures gate errors review thresholds units agreement language-models migrate tracker "
        "many-machines own-metric train",
    ),
    "reference": (
        "Look something up: reference",
        "gallery cheat-sheet metrics commands formats scores glossary result python config",
    ),
    "explanation": (
        "Understand: explanation",
        "questions choosing leaderboards alignment intervals gates other-tools evidence results speed scale "
        "architecture",
    ),
}
"""Folder of docs/ to its heading in the index, and the order of its pages. Others come last, by name."""


def pages_of(kind: str) -> list[Path]:
    """Return the pages of one folder, in the order of the index."""
    order = KINDS[kind][1].split()
    pages = sorted((ROOT / "docs" / kind).glob("*.md"))
    return sorted(pages, key=lambda page: order.index(page.stem) if page.stem in order else len(order))


LANDING = """# One F1 is not enough

<!-- Written by scripts/docs.py from the titles of the pages; do not edit. -->

**spacy-nereval** says how good an entity recogniser is, how sure that is, and what is wrong. It has every measure that
the papers propose, in spaCy, on the command line and in Python.

| {pictures} |
| --- | --- | --- | --- |

*Runs in a clone of this repository.*

<!-- not run: installs packages -->
```bash
python -m pip install .
```

```python
from spacy_nereval import score

gold, pred = [["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "O", "O", "B-LOC"]]
print(score(gold, pred, "strict,fair").scores)
```

Three ways in:

- **I have a spaCy pipeline**: [evaluate it](how-to/spacy-model.md), [choose a checkpoint](how-to/checkpoint.md),
  [decide in CI whether it may ship](how-to/gate.md).
- **I have files or lists**: [score two files](how-to/score-files.md), [score in a notebook](how-to/notebook.md),
  [compare two models](how-to/compare.md), [which score do I report?](how-to/which-score.md)
- **I have annotators**: [measure agreement](how-to/agreement.md), and read what they do differently.

[Pages to click through](reference/gallery.md) · [Cheat sheet](reference/cheat-sheet.md) ·
[Questions that people ask](explanation/questions.md) · [Glossary](reference/glossary.md) ·
[Why numbers differ between tools](explanation/other-tools.md)

## All pages"""
"""The front page, up to the list of all pages."""

PICTURES = (
    ("Which mistakes repeat?", "how-to/errors.md", "The report", "report.png"),
    ("Is the new system better?", "how-to/compare.md", "The command compare in a terminal", "terminal.svg"),
    ("How sure is a rank?", "explanation/leaderboards.md", "Intervals", "explanation/leaderboards-wnut17.svg"),
    ("Which system is best where?", "how-to/leaderboard.md", "Means", "explanation/leaderboards-hipe2022.svg"),
)
"""Each picture of the front page: its question, the page that answers it, what it shows, and its file."""

COMPARING = ROOT / "docs" / "how-to" / "compare.md"
MONOSPACE = 8.4
"""The width of a character in the picture of the terminal."""


def terminal() -> str:
    """Return the picture of a terminal: the first command of the page on comparisons, with what it prints there."""
    command, printed = re.findall(r"```(?:bash|text)\n(.*?)```", COMPARING.read_text(encoding="utf8"), flags=re.S)[:2]
    lines = [f"$ {command.strip()}", *printed.rstrip().split("\n")]
    width, height = 30 + int(MONOSPACE * max(map(len, lines))), 30 + 20 * len(lines)
    words = "\n".join(
        f'<text x="15" y="{32 + 20 * k}" xml:space="preserve">{escape(line)}</text>' for k, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="monospace" font-size="14" fill="#f0f0f0">\n<title>{escape(lines[0])}</title>\n'
        f'<rect width="{width}" height="{height}" rx="6" fill="#1f2430"/>\n{words}\n</svg>\n'
    )


def index_page() -> str:
    """Return docs/index.md: what the package answers, then every page under the heading of its kind, by its title."""
    pictures = " | ".join(f"[{asked}]({page})<br>![{shown}]({file})" for asked, page, shown, file in PICTURES)
    blocks = [LANDING.replace("{pictures}", pictures)]
    for kind, (heading, _) in KINDS.items():
        lines = []
        for page in pages_of(kind):
            title = page.read_text(encoding="utf8").splitlines()[0].removeprefix("# ")
            lines.append(f"- [{title}]({kind}/{page.name})")
        blocks += [f"### {heading}", "\n".join(lines)]
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
