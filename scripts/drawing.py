"""Draw lines and words as SVG, for the pictures of the documentation."""

from collections.abc import Iterable
from html import escape

SOLID, LINE, GRID = "#0b5cad", "#1f1f1f", "#d5d5d5"


def line(x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1, dashed: bool = False) -> str:
    """Return a line."""
    dashes = ' stroke-dasharray="6 4"' if dashed else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
        f'stroke-width="{width}"{dashes}/>'
    )


def text(x: float, y: float, words: str, anchor: str = "start", *, bold: bool = False) -> str:
    """Return a line of text."""
    weight = ' font-weight="bold"' if bold else ""
    # The white edge keeps words legible on the lines of the grid.
    edge = 'paint-order="stroke" stroke="#ffffff" stroke-width="4"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {edge}{weight}>{escape(words)}</text>'


def dot(x: float, y: float, color: str, fill: str) -> str:
    """Return a dot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="{color}" stroke-width="2"/>'


def picture(width: int, height: int, title: str, about: str, parts: Iterable[str]) -> str:
    """Return a picture as SVG, with words for those who do not see it."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" font-family="sans-serif" font-size="14" fill="{LINE}">',
            f"<title>{escape(title)}</title><desc>{escape(about)}</desc>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *parts,
            "</svg>\n",
        ]
    )
