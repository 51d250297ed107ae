"""The common parts of all HTML pages: texts escaped for a page, and templates filled in with their styles and scripts.

A page is one file that opens without a network. Its content security policy allows its own style and scripts alone.
"""

from __future__ import annotations

import json
import re
import zlib
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
from ..io.writing import escape_controls, visible
from . import marked_text
from .result_table import Cell, Estimate, Interval, Percent, Ranked

GLYPHS = "●■◆✚▶◀★✖"
"""A character for each system, like the symbols in charts, for legends."""

INSTALL = f'charts need Altair and vl-convert, which the extra "report" brings: {install_command("report")}'


@cache
def chart_library() -> str:
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

# A "<" could end the script element. UTF-8 cannot encode the others, or HTML parsers change them.
UNSAFE = re.compile("[<\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def script_json(value: Any) -> str:
    """Return JSON for a script element, escaped so that it cannot end the element or be changed.

    >>> script_json("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def packed_json(value: Any) -> Trusted:
    """Return the data of a page: JSON, compressed by zlib, in Base64. `data.js` reads it."""
    return Trusted(b64encode(zlib.compress(script_json(value).encode())).decode())


def breakable(sentence: str) -> Markup:
    """Return a sentence with line break opportunities in its names: after dots, underscores, slashes, before capitals.

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
    """Return a function that converts an offset in characters to an offset in UTF-16 code units."""
    if text.isascii() or max(text) <= "\uffff":
        return int
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + (2 if character > "\uffff" else 1))
    return offsets.__getitem__


class Example(NamedTuple):
    """A stretch of text with its context, escaped and on one line. The spaces at its ends stay."""

    left: Markup
    text: Markup
    right: Markup
    right_to_left: bool = False


def html_example(document: Document, start: int, end: int) -> Example:
    """Return a stretch of a document's text with its context; its offsets if there is no text."""
    left, here, right = (inline_text(part) for part in marked_text.span_in_context(document, start, end).parts)
    return Example(left, here, right, is_right_to_left(document.text or ""))


class Layout(NamedTuple):
    """The names of a page's files, in order of execution.

    They are in the folder `page` of `package`, with `page.html` and `page.css`; shared files are in the folder `page`
    of this room. Functions read the page's data and no element, so that they run outside of a page.
    Scripts draw the page.
    """

    package: str
    shared_functions: tuple[str, ...]
    functions: tuple[str, ...]
    shared_scripts: tuple[str, ...]
    scripts: tuple[str, ...]


LIST_FUNCTIONS = ("names", "words", "plain_text", "regions", "searching", "addresses", "stretches", "columns")
"""The shared functions of pages with a list of places."""

LIST_SCRIPTS = ("elements", "tips", "widgets", "saving", "highlight", "listing", "bars", "columns", "sorting")
"""The shared scripts of pages with a list of places."""

CHART_SCRIPTS = ("theme", "charting")
"""The shared scripts of pages with charts."""


class Trusted(str):
    """Text of this package, such as a script, which templates do not escape."""

    def __html__(self) -> str:
        """Return the text unchanged. Templates call this method to get markup."""
        return self


class Drawn(NamedTuple):
    """A section of the report, and the answer that it gives to the reader's first question.

    Attributes:
        markup: The element.
        answer: A sentence without a full stop, which becomes the heading of the page; "" for none.
        column: The title of a column in the table of systems; "" for none.
        cells: The texts of that column, by the names of the systems.
    """

    markup: Trusted
    answer: str = ""
    column: str = ""
    cells: Mapping[str, str] = {}


class Section(NamedTuple):
    """A section that another feature adds to the report, as the method `section` of its extension returns it.

    Attributes:
        id: The id of its element.
        name: Its name in the list of contents.
        draw: Returns the chart for the systems of the report.
        metrics: Names of the metrics that it needs.
        unit: The unit that it needs; None for the usual one.
    """

    id: str
    name: str
    draw: Callable[[Sequence[System]], Drawn]
    metrics: Sequence[str] = ()
    unit: str | None = None


def render_page(values: Mapping[str, Any], library: str | None, layout: Layout) -> str:
    """Return a page as HTML.

    Args:
        values: The values for the template. It escapes all text that is not `Trusted`.
        library: The script that draws charts; None for a page without charts.
        layout: The files of the page.
    """
    scripts = [*filter(None, [library]), page_script(layout)]
    colors = ":root{" + "".join(f"--{kind}:{color};" for kind, color in COLORS.items()) + "}"
    style = "\n".join([colors, *(_read_file(package, "page.css") for package in (__package__, layout.package))])
    return (
        environment(layout.package)
        .get_template("page.html")
        .render(
            **values,
            scripts=[Trusted(script) for script in scripts],
            style=Trusted(style),
            policy=_security_policy(scripts, style),
        )
    )


@cache
def environment(package: str = __package__) -> jinja2.Environment:
    """Return the Jinja environment of a package's templates and the shared ones. It escapes texts; names must exist."""
    templates = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_join_lines,
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name, "page") for name in (package, __package__)]),
    )
    templates.filters.update(json=json.dumps, log2=log2, inline=inline_text, sort_key=_sort_key)
    templates.tests["percent"] = lambda value: isinstance(value, Percent)
    return templates


def inline_text(text: str) -> Markup:
    """Return a document's text, or a part of it, escaped with its control characters. The spaces at its ends stay.

    >>> inline_text("a < b ")
    Markup('a &lt; b ')
    """
    return escape(escape_controls(text))


def _sort_key(cell: Cell) -> str | None:
    """Return the number by which a page sorts a cell of a table; "" if it is undefined, None for text."""
    if isinstance(cell, str):
        return str(cell.rank) if isinstance(cell, Ranked) else None
    if cell is None:
        return ""
    value = cell.value if isinstance(cell, Estimate) else cell.low if isinstance(cell, Interval) else cell
    number = 100 * value if isinstance(value, Percent) else float(value)
    return f"{number:.9g}" if isfinite(number) else "Infinity" if number > 0 else "-Infinity"


def _join_lines(value: Any) -> Any:
    """Return a name or a sentence on one line, its control characters escaped; markup and other values stay.

    Texts of documents are markup already, by `inline_text`: the spaces at the ends of their parts have to stay.
    """
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _security_policy(scripts: Iterable[str], style: str) -> str:
    """Return the content security policy, by which only these scripts and this style apply and nothing is fetched."""

    def digest(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; script-src {' '.join(map(digest, scripts))}; style-src {digest(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def page_script(layout: Layout) -> str:
    """Return the page's own script: its files inside one function, so that none of their names is global."""
    data = _read_file(__package__, "data.js")
    script = _join_files(layout.package, "script", layout.shared_scripts, layout.scripts)
    return f'"use strict";\n(async () => {{\n{data}\n{page_functions(layout)}\n{script}}})();\n'


def page_functions(layout: Layout) -> str:
    """Return the functions of a page as JavaScript. They need `data`, as `packed_json` got it."""
    return _join_files(layout.package, "functions", layout.shared_functions, layout.functions)


def _join_files(package: str, folder: str, shared: Iterable[str], page_names: Iterable[str]) -> str:
    names = [*((__package__, name) for name in shared), *((package, name) for name in page_names)]
    return "\n".join(_read_file(owner, f"{folder}/{name}.js") for owner, name in names)


def _read_file(package: str, name: str) -> str:
    return (files(package) / "page" / name).read_text(encoding="utf8")
