"""Which pages the documentation has, and how generated text is put into them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def written_pages() -> list[Path]:
    """Return the pages whose code blocks have to run: README.md, and those of the folders below."""
    folders = ("examples", "assets/agreement", "assets/trials", "assets/warranty", "benchmarks", "docs")
    return [ROOT / "README.md", *(path for name in folders for path in sorted((ROOT / name).rglob("*.md")))]


SECTIONS = {
    "Get started": "how-to/install tutorial/better-model",
    "Score": "how-to/choose-metric how-to/score-files how-to/notebook how-to/spacy-model how-to/training-loop "
    "how-to/language-models how-to/pii how-to/attributes how-to/gaps how-to/migrate",
    "Compare and report": "how-to/compare how-to/sample-size how-to/units how-to/paper how-to/leaderboard",
    "Errors and annotation": "how-to/errors how-to/review how-to/agreement",
    "Production": "how-to/gate how-to/thresholds how-to/large-corpora how-to/own-metric",
    "Reference": "reference/commands reference/metrics reference/formats reference/result reference/python "
    "reference/config reference/glossary reference/cheat-sheet reference/gallery reference/versions",
    "Explanation": "explanation/questions explanation/other-tools explanation/alignment explanation/intervals "
    "explanation/evidence explanation/performance",
    "Project": "explanation/architecture how-to/train",
}
"""The navigation of the site: headings to pages in docs/, without their extension."""

MOVED = {
    "explanation/choosing": "how-to/choose-metric",
    "how-to/which-score": "how-to/paper",
    "how-to/figures": "how-to/paper/#figures",
    "how-to/own-feature": "how-to/own-metric/#add-commands-and-functions",
    "how-to/convert": "reference/formats/#convert-files",
    "how-to/checkpoint": "how-to/spacy-model/#choose-model-best",
    "how-to/tracker": "how-to/spacy-model/#experiment-trackers",
    "how-to/several-seeds": "how-to/compare/#training-runs",
    "how-to/many-machines": "how-to/large-corpora",
    "how-to/collapse": "how-to/large-corpora/#collapse",
    "reference/scores": "reference/metrics/#score-keys",
    "reference/count-files": "reference/formats/#count-files",
    "explanation/gates": "explanation/intervals/#what-a-gate-guarantees",
    "explanation/leaderboards": "how-to/leaderboard/#what-published-leaderboards-show",
    "explanation/results": "how-to/train/#results",
    "explanation/speed": "explanation/performance",
    "explanation/scale": "how-to/large-corpora/#memory-and-time",
}
"""Old addresses of pages, and where they lead now."""


def navigation() -> dict[str, list[str]]:
    """Return the headings of the navigation, each with its pages, relative to docs/."""
    return {heading: [f"{page}.md" for page in pages.split()] for heading, pages in SECTIONS.items()}


def fill(text: str, part: str, content: str) -> str:
    """Return a text with new content between the marks of a part."""
    pattern = rf"(<!-- {part}: .*? -->\n).*?(<!-- /{part} -->)"
    return re.sub(pattern, lambda match: f"{match[1]}\n{content.strip()}\n\n{match[2]}", text, flags=re.S)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in cells)
