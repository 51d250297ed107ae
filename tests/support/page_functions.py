"""The functions of the pages, run in an empty page of a browser, in which nothing of a page is in reach."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spacy_nereval.reporting.html.template import Layout, functions
from spacy_nereval.reporting.html.texts import embedded

if TYPE_CHECKING:
    from browsers import Browser

HIDDEN = ("document", "window", "self", "globalThis", "location", "history", "localStorage", "navigator", "$", "state")
"""Names by which a function would reach a page, or what its scripts know."""

RUN = """const [source, hidden, data, given] = arguments;
const values = JSON.parse(given);
return JSON.stringify(new Function('data', ...hidden, ...Object.keys(values), source)(
  JSON.parse(data), ...hidden.map(() => undefined), ...Object.values(values)))"""


def called(browser: Browser, layout: Layout, data: Any, body: str, **given: Any) -> Any:
    """Return what JavaScript returns as the body of a function, in which the functions of a page and the values that
    are given have their names."""
    source = f'"use strict";\n{functions(layout)}\nreturn (() => {{\n{body}\n}})();'
    found = browser(RUN, source, [*HIDDEN], embedded(data), embedded(given))
    return None if found is None else json.loads(found)
