"""Draw the picture of docs/explanation/alignment.md from the spans of its example.

python scripts/alignment_figure.py            write docs/explanation/alignment.svg
python scripts/alignment_figure.py --check    exit with status 1 if it is out of date
"""

import re
from html import escape
from typing import Annotated

import typer
from doc_pages import ROOT
from wasabi import msg

from spacy_nereval import Document, Span, create
from spacy_nereval.core.overlapping import overlaps

PAGE = ROOT / "docs" / "explanation" / "alignment.md"
PICTURE = PAGE.with_suffix(".svg")
LEFT, CELL, WIDTH, HEIGHT = 96, 15.4, 900, 236
GOLD, PRED = 66, 150
"""Where the boxes of the gold and of the predicted spans begin, from the top."""
BOX, SOLID, MISSED, LINE = 30, "#0b5cad", "#9a5b00", "#1f1f1f"


def example() -> Document:
    """Return the document of the page's Python block."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf8"), flags=re.S)
    names: dict = {}
    exec(block.split("for verdict")[0], names)
    return Document(names["gold"], names["predicted"], names["text"])


def at(place: float) -> float:
    """Return where a character begins, in units of the picture."""
    return LEFT + CELL * place


def words(x: float, y: float, what: str, *, middle: bool = True, color: str = LINE) -> str:
    """Return a text."""
    anchor = ' text-anchor="middle"' if middle else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{anchor} fill="{color}">{escape(what)}</text>'


def box(span: Span, top: int, paired: bool) -> list[str]:
    """Return a span as a box with its label: dashed if it has no partner."""
    x, width = at(span.start), CELL * (span.end - span.start)
    color, dashes = (SOLID, "") if paired else (MISSED, ' stroke-dasharray="5 4"')
    return [
        f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{BOX}" rx="4" fill="#ffffff" stroke="{color}" '
        f'stroke-width="2"{dashes}/>',
        words(x + width / 2, top + 20, span.label, color=color),
    ]


def picture() -> str:
    """Return the picture as SVG."""
    document = example()
    pairs = [(v.gold, v.pred) for v in create("semeval").verdicts(document)]
    paired = {span for pair in pairs if all(pair) for span in pair}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" font-family="sans-serif" font-size="14">',
        "<title>How spans are aligned</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        words(12, GOLD + 20, "gold", middle=False),
        words(12, PRED + 20, "predicted", middle=False),
    ]
    for k, letter in enumerate(document.text):
        parts.append(f'<text x="{at(k + 0.5):.1f}" y="40" text-anchor="middle" font-family="monospace">{letter}</text>')
    for i, j, _ in overlaps(document.gold, document.pred):
        gold, pred = document.gold[i], document.pred[j]
        chosen = (gold, pred) in pairs
        style = f'stroke="{SOLID}" stroke-width="3"' if chosen else 'stroke="#8a8a8a" stroke-dasharray="4 4"'
        ends = [at((span.start + span.end) / 2) for span in (gold, pred)]
        parts.append(f'<line x1="{ends[0]:.1f}" y1="{GOLD + BOX}" x2="{ends[1]:.1f}" y2="{PRED}" {style}/>')
    for side, top in ((document.gold, GOLD), (document.pred, PRED)):
        for span in side:
            parts += box(span, top, span in paired)
    legend = "thick line: a pair; dashed line: an overlap that is no pair; dashed box: no partner"
    return "\n".join([*parts, words(WIDTH / 2, HEIGHT - 18, legend), "</svg>"]) + "\n"


def main(
    check: Annotated[bool, typer.Option(help="Write nothing, and exit with status 1 if it is out of date")] = False,
) -> None:
    """Write the picture."""
    drawn = picture()
    if PICTURE.is_file() and PICTURE.read_text(encoding="utf8") == drawn:
        msg.good(f"{PICTURE.relative_to(ROOT)} is up to date")
    elif check:
        msg.fail(f"Out of date: {PICTURE.relative_to(ROOT)}. Run 'python scripts/alignment_figure.py'", exits=1)
    else:
        PICTURE.write_text(drawn, encoding="utf8")


if __name__ == "__main__":
    typer.run(main)
