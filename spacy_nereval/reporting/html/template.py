"""Fill in the page's template: inline its style and script, and add a policy that allows nothing else."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import log2
from typing import Any, NamedTuple

import jinja2

from ...io.writing import visible
from .colors import COLORS


class Layout(NamedTuple):
    """The files that a page is made of: its template, its style sheets, and the files of its script in `script/`,
    in order of execution."""

    template: str
    styles: tuple[str, ...]
    scripts: tuple[str, ...]


REPORT = Layout(
    "page.html",
    ("page.css",),
    (
        *("elements", "widgets", "saving", "data", "triage", "state", "needle", "filters"),
        *("bars", "marks", "stretches", "text", "documents", "concordance"),
        *("matrix", "form", "copy", "actions", "sorting", "theme", "charts"),
    ),
)
THRESHOLDS = Layout(
    "thresholds.html",
    ("page.css", "thresholds.css"),
    ("elements", "widgets", "saving", "sorting", "theme", "curves", "thresholds"),
)
AGREEMENT = Layout(
    "agreement.html",
    ("page.css", "agreement.css"),
    (
        *("elements", "widgets", "saving", "disputes_data", "disputes_state", "needle", "bars", "stretches"),
        *("disputed_text", "disputes_list", "disputes_export", "disputes_actions", "sorting"),
    ),
)


class Trusted(str):
    """Text that the page itself consists of. The template does not escape it."""

    def __html__(self) -> str:
        """Return the text unchanged. Templates call this method to get markup."""
        return self


def filled_in(values: Mapping[str, Any], library: str | None, layout: Layout = REPORT) -> str:
    """Return the page.

    Args:
        values: Whatever the template shows. It escapes all text that is not `Trusted`.
        library: The script that draws charts; None for a page without charts.
        layout: The files of the page.
    """
    scripts = [*filter(None, [library]), _script(layout.scripts)]
    colors = ":root{" + "".join(f"--{kind}:{color};" for kind, color in COLORS.items()) + "}"
    style = "\n".join([colors, *map(_file, layout.styles)])
    return (
        _environment()
        .get_template(layout.template)
        .render(
            **values,
            scripts=[Trusted(script) for script in scripts],
            style=Trusted(style),
            policy=_policy(scripts, style),
        )
    )


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_readable,
        loader=jinja2.FunctionLoader(_file),
    )
    environment.filters.update(json=json.dumps, log2=log2)
    return environment


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


def _script(names: Sequence[str]) -> str:
    """The page's own script: its files inside one function, so that no name of theirs is global."""
    parts = "\n".join(_file(f"script/{name}.js") for name in names)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _file(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf8")
