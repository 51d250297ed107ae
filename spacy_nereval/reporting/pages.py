"""The libraries that draw charts without a network, and what tells systems apart in charts.

Texts and names from outside, for pages: as data of a script, in a sentence, and their direction.

Fill in the page's template: inline its style and script, and add a policy that allows nothing else.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isfinite, log2
from typing import Any, NamedTuple
from unicodedata import bidirectional

import jinja2
from markupsafe import Markup, escape

from ..core.messages import install_command
from ..core.spans import Document
from ..core.wording import COLORS
from ..evaluation.comparison import System
from ..io.writing import spelt_out, visible
from . import marked_text
from .result_table import Cell, Estimate, Interval, Percent, Ranked

GLYPHS = "●■◆✚▶◀★✖"
"""Characters like the symbols, for the legend."""

INSTALL = f'charts need Altair and vl-convert, which the extra "report" brings: {install_command("report")}'


@cache
def scripts() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script.

    Raises:
        ValueError: If they are not installed. The message names the extra that installs them.
    """
    try:
        import altair
        import vl_convert
    except ImportError:
        raise ValueError(INSTALL) from None
    version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version).replace("</script", "<\\/script")


JOINT = re.compile(r"(?<=[._/])(?=[^\W\d])|(?<=[a-z])(?=[A-Z])")

# A "<" could end the script element. The others cannot be encoded in UTF-8, or are changed by parsers of HTML.
UNSAFE = re.compile("[<\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def embedded(value: Any) -> str:
    """Return JSON for a script element, escaped so that it cannot end the element or be changed.

    >>> embedded("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def breakable(sentence: str) -> Markup:
    """Return a sentence whose names may be broken behind their dots, underscores and slashes, and before capitals.

    >>> breakable("a_b.jsonl < 0.5")
    Markup('a_<wbr>b.<wbr>jsonl &lt; 0.5')
    """
    return Markup(JOINT.sub("<wbr>", escape(visible(sentence))))


def is_right_to_left(text: str) -> bool:
    """Return whether the first character with a strong direction runs from right to left.

    >>> is_right_to_left("1. \u05d0b"), is_right_to_left("b \u05d0"), is_right_to_left("12")
    (True, False, False)
    """
    strong = (kind for character in text if (kind := bidirectional(character)) in ("L", "R", "AL"))
    return next(strong, "L") != "L"


def utf16_offsets(text: str) -> Any:
    """Return the function from an offset in characters to one in UTF-16 units."""
    if text.isascii() or max(text) <= "\uffff":
        return int
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + (2 if character > "\uffff" else 1))
    return offsets.__getitem__


class Example(NamedTuple):
    """A stretch of text with its context, escaped, on one line, with the spaces at its ends."""

    left: Markup
    text: Markup
    right: Markup
    right_to_left: bool = False


def in_context(document: Document, start: int, end: int) -> Example:
    """Return a stretch of a document's text with its context, its places if there is no text."""
    left, here, right = (escape(spelt_out(part)) for part in marked_text.in_context(document, start, end).parts)
    return Example(left, here, right, is_right_to_left(document.text or ""))


class Layout(NamedTuple):
    """The files of a page, which lie in the folder `page` of a package.

    `page.html` and `page.css` are its own; `functions` and `scripts` are names of files in folders of these names, in
    order of execution: first those that this room shares with all pages, then the page's own. `functions` know the
    data of the page and nothing else of it, so that they run without one; `scripts` draw it.
    """

    package: str
    shared_functions: tuple[str, ...]
    functions: tuple[str, ...]
    shared_scripts: tuple[str, ...]
    scripts: tuple[str, ...]


LISTED = ("names", "words", "plain_text", "regions", "searching", "addresses", "stretches", "columns")
"""The functions of pages with a list of places."""

LISTING = ("elements", "tips", "widgets", "saving", "highlight", "listing", "bars", "columns", "sorting")
"""The scripts of pages with a list of places."""

DRAWING = ("theme", "charting")
"""The scripts of pages with charts."""


class Trusted(str):
    """Text that the page itself consists of. The template does not escape it."""

    def __html__(self) -> str:
        """Return the text unchanged. Templates call this method to get markup."""
        return self


class Section(NamedTuple):
    """A section that another feature adds to the report, as the method `section` of its extension returns it.

    Attributes:
        id: The id of its element.
        name: Its name in the list of contents.
        draw: Returns the element for the systems of the report.
        metrics: Names of the metrics that it needs.
        unit: The unit that it needs; None for the usual one.
    """

    id: str
    name: str
    draw: Callable[[Sequence[System]], Trusted]
    metrics: Sequence[str] = ()
    unit: str | None = None


def filled_in(values: Mapping[str, Any], library: str | None, layout: Layout) -> str:
    """Return the page.

    Args:
        values: Whatever the template shows. It escapes all text that is not `Trusted`.
        library: The script that draws charts; None for a page without charts.
        layout: The files of the page.
    """
    scripts = [*filter(None, [library]), _script(layout)]
    colors = ":root{" + "".join(f"--{kind}:{color};" for kind, color in COLORS.items()) + "}"
    style = "\n".join([colors, *(_file(package, "page.css") for package in (__package__, layout.package))])
    return (
        environment(layout.package)
        .get_template("page.html")
        .render(
            **values,
            scripts=[Trusted(script) for script in scripts],
            style=Trusted(style),
            policy=_policy(scripts, style),
        )
    )


@cache
def environment(package: str = __package__) -> jinja2.Environment:
    """Return what reads the templates of a package and those of all pages: it escapes all text, and refuses what is not
    defined."""
    found = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_readable,
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name, "page") for name in (package, __package__)]),
    )
    found.filters.update(json=json.dumps, log2=log2, inline=_inline, sorted_by=_sorted_by)
    found.tests["percent"] = lambda value: isinstance(value, Percent)
    return found


def _inline(text: str) -> Markup:
    """Escape a text and its control characters, and keep the spaces at its ends."""
    return escape(spelt_out(text))


def _sorted_by(cell: Cell) -> str | None:
    """Return the number that a cell of a table is sorted by, as people see it, "" if it is undefined, None for text."""
    if isinstance(cell, str):
        return str(cell.rank) if isinstance(cell, Ranked) else None
    if cell is None:
        return ""
    value = cell.value if isinstance(cell, Estimate) else cell.low if isinstance(cell, Interval) else cell
    number = 100 * value if isinstance(value, Percent) else float(value)
    return f"{number:.9g}" if isfinite(number) else "Infinity" if number > 0 else "-Infinity"


def _readable(value: Any) -> Any:
    """Escape the control characters of anything that is not markup."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _policy(scripts: Iterable[str], style: str) -> str:
    """The content security policy: these scripts run and this style applies, nothing else, and nothing is fetched."""

    def hashed(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; script-src {' '.join(map(hashed, scripts))}; style-src {hashed(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _script(layout: Layout) -> str:
    """The page's own script: its files inside one function, so that no name of theirs is global."""
    data = 'const data = JSON.parse(document.getElementById("data").textContent);'
    return f'"use strict";\n(() => {{\n{data}\n{functions(layout)}\n{_joined(layout.package, "script", layout.shared_scripts, layout.scripts)}}})();\n'


def functions(layout: Layout) -> str:
    """Return the functions of a page as JavaScript: all that they need is `data`, what `embedded` made JSON of."""
    return _joined(layout.package, "functions", layout.shared_functions, layout.functions)


def _joined(package: str, folder: str, shared: Iterable[str], own: Iterable[str]) -> str:
    names = [*((__package__, name) for name in shared), *((package, name) for name in own)]
    return "\n".join(_file(owner, f"{folder}/{name}.js") for owner, name in names)


def _file(package: str, name: str) -> str:
    return (files(package) / "page" / name).read_text(encoding="utf8")
