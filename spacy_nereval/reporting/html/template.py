"""Fill in the page's template: inline its style and script, and add a policy that allows nothing else."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isfinite, log2
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup, escape

from ...core.wording import COLORS
from ...io.writing import spelt_out, visible
from ..result_table import Cell, Estimate, Interval, Percent, Ranked


class Layout(NamedTuple):
    """The files of a page: its folder, with `page.html` and `page.css`, and its scripts in order of execution.

    `functions` know the data of the page and nothing else of it, so that they run without one; `scripts` draw it. Names
    that begin with the folder are its own, others are shared with other pages.
    """

    folder: str
    functions: tuple[str, ...]
    scripts: tuple[str, ...]


def _in(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in names)


LISTED = _in("functions", "names", "words", "plain_text", "regions", "searching", "addresses", "stretches", "columns")
LISTING = ("elements", "tips", "widgets", "saving", "highlight", "listing", "bars", "columns", "sorting")
DRAWING = ("theme", "charting")

REPORT = Layout(
    "report",
    (
        *LISTED,
        *_in("report/functions", "corpus", "asked", "marking", "lines", "places", "copied", "flags"),
        *_in("report/functions", "digests", "reviewing", "exporting"),
    ),
    (
        *_in("script", *LISTING, *DRAWING, "queue"),
        *_in("report/script", "triage", "state", "filters", "flag_elements", "text", "documents", "concordance"),
        *_in("report/script", "matrix", "form", "copy", "review", "actions", "changes", "charts"),
    ),
)
AGREEMENT = Layout(
    "agreement",
    (*LISTED, *_in("agreement/functions", "annotations", "asked", "places", "tasks", "deciding")),
    (*_in("script", *LISTING, "queue"), *_in("agreement/script", "text", "list", "actions", "adjudicating")),
)
THRESHOLDS = Layout(
    "thresholds",
    (*_in("functions", "names", "plain_text", "columns"), *_in("thresholds/functions", "curves")),
    (
        *_in("script", "elements", "tips", "widgets", "saving", "sorting", *DRAWING),
        *_in("thresholds/script", "actions"),
    ),
)


class Trusted(str):
    """Text that the page itself consists of. The template does not escape it."""

    def __html__(self) -> str:
        """Return the text unchanged. Templates call this method to get markup."""
        return self


def filled_in(values: Mapping[str, Any], library: str | None, layout: Layout) -> str:
    """Return the page.

    Args:
        values: Whatever the template shows. It escapes all text that is not `Trusted`.
        library: The script that draws charts; None for a page without charts.
        layout: The files of the page.
    """
    scripts = [*filter(None, [library]), _script(layout)]
    colors = ":root{" + "".join(f"--{kind}:{color};" for kind, color in COLORS.items()) + "}"
    style = "\n".join([colors, _file("page.css"), _file(f"{layout.folder}/page.css")])
    return (
        environment()
        .get_template(f"{layout.folder}/page.html")
        .render(
            **values,
            scripts=[Trusted(script) for script in scripts],
            style=Trusted(style),
            policy=_policy(scripts, style),
        )
    )


@cache
def environment() -> jinja2.Environment:
    """Return what reads templates: it escapes all text, and refuses what is not defined."""
    found = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_readable,
        loader=jinja2.FunctionLoader(_file),
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
    return f'"use strict";\n(() => {{\n{data}\n{functions(layout)}\n{_joined(layout.scripts)}}})();\n'


def functions(layout: Layout) -> str:
    """Return the functions of a page as JavaScript: all that they need is `data`, what `embedded` made JSON of."""
    return _joined(layout.functions)


def _joined(names: Iterable[str]) -> str:
    return "\n".join(_file(f"{name}.js") for name in names)


def _file(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf8")
