"""One browser for all tests of pages, and the pages that several files of tests open."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chartless import NO_CHARTS, SCRIPTS, no_charts  # noqa: F401  # the last is a fixture
from command_files import files, here, model  # noqa: F401  # fixtures
from commands import accepted
from pages import without_predictions
from places import SPANCAT

from spacy_nereval.evaluation.comparison import System
from spacy_nereval.reporting import pages as charts
from spacy_nereval.reporting.pages import Layout, page_functions, script_json

if TYPE_CHECKING:
    from browsers import Browser


@pytest.fixture
def library(monkeypatch) -> Callable[[], str]:
    """The real library of charts, in pages too. Other tests draw none, unless one asks for `made(..., drawn=True)`."""
    monkeypatch.setattr(charts, "chart_library", SCRIPTS)
    return SCRIPTS


@pytest.fixture(scope="session")
def browser(tmp_path_factory) -> Iterator[Browser]:
    from browsers import Browser  # here, since selenium may be missing

    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.driver.quit()


UNFILLED_PAGE = r"""const text = document.body?.innerText ?? '';
const ofScripts = /.*(\bNaN\b|\[object |\bnull\b|\$\{|(?<!is |was )\bundefined\b(?! at| for| of| where)).*/;
const ofPython = /.*([a-z:] None\b|\{\w+[(!.:\[]|spacy_nereval\/\w+\/|<\w+ object at ).*/;
return (text.match(ofScripts) ?? text.match(ofPython))?.[0] ?? null"""
"""The first line of a page on which something is written that was not there."""


@pytest.fixture(autouse=True)
def nothing_is_left_on_the_console_or_in_the_browser(request) -> Iterator[None]:
    """A test of a page fails if its console says anything; what the page keeps ends with the test."""
    yield
    if "browser" in request.fixturenames:
        browser = request.getfixturevalue("browser")
        assert not browser(UNFILLED_PAGE), "a value that is none stands on the page"
        browser("if (location.protocol === 'file:') localStorage.clear()")
        assert browser.log == []


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Callable[..., Path]:
    """The page of some systems, written once; without charts, unless they are asked for.

    One system is the second on its page, after one that predicts nothing, unless it is to be alone.
    """
    from spacy_nereval.features.report.report_page import page  # here, since a feature may be taken out

    folder = tmp_path_factory.mktemp("pages")

    def write(name: str, *systems: System, drawn: bool = False, alone: bool = False, **options: Any) -> Path:
        path = folder / f"{name}{'-drawn' * drawn}{'-alone' * alone}.html"
        if not path.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(charts, "chart_library", SCRIPTS if drawn else lambda: NO_CHARTS)
                first = [without_predictions(*systems)] if len(systems) == 1 and not alone else []
                path.write_bytes(page([*first, *systems], **options).encode())
        return path

    return write


@pytest.fixture(scope="session")
def agreement(tmp_path_factory) -> Path:
    """The page on the agreement of the annotators of the examples."""
    from annotators import example_page

    path: Path = tmp_path_factory.mktemp("agreement") / "page.html"
    path.write_text(example_page(), encoding="utf8")
    return path


@pytest.fixture(scope="session")
def cuts(tmp_path_factory) -> Path:
    """The page of thresholds of the span categoriser of the examples, with charts."""
    path: Path = tmp_path_factory.mktemp("cuts") / "page.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charts, "chart_library", SCRIPTS)
        how = ["--per-label", "own", "--metrics", "strict,slot_error", "--html", path]
        accepted("thresholds", *SPANCAT["dev"], "--apply", *SPANCAT["test"], *how)
    return path


HIDDEN = ("document", "window", "self", "globalThis", "location", "history", "localStorage", "navigator", "$", "state")
"""Names by which a function would reach a page, or what its scripts know."""

RUN = """const [source, hidden, data, given] = arguments;
const values = JSON.parse(given);
return JSON.stringify(new Function('data', ...hidden, ...Object.keys(values), source)(
  JSON.parse(data), ...hidden.map(() => undefined), ...Object.values(values)))"""


@pytest.fixture
def run(browser) -> Callable[..., Any]:
    """Runs JavaScript beside the functions of a page on its data: `run(layout, data, body, given=...)`."""
    browser.driver.get("about:blank")
    browser.soil()

    def called(layout: Layout, data: Any, body: str, **given: Any) -> Any:
        """What JavaScript returns as the body of a function, in which the functions of a page and the values that are
        given have their names."""
        source = f'"use strict";\n{page_functions(layout)}\nreturn (() => {{\n{body}\n}})();'
        found = browser(RUN, source, [*HIDDEN], script_json(data), script_json(given))
        return None if found is None else json.loads(found)

    return called


@pytest.fixture
def second(made) -> Path:
    """The page of two unlike systems: tests ask for the second, which is not the one that the page would show."""
    from driven import BEST, ONE

    return made("second", BEST, ONE)


@pytest.fixture
def one(browser, second) -> Browser:
    """The page of two systems with the documents of the second."""
    from driven import DOCUMENTS, SECOND

    browser.visit(second, anchor=DOCUMENTS + SECOND)
    return browser


@pytest.fixture
def two(browser, made) -> Browser:
    """The page of two systems with the documents of the first."""
    from driven import DOCUMENTS, FEW, ONE, TWO

    browser.visit(made("two", ONE, TWO, confidence=FEW), anchor=DOCUMENTS + "&one=0")
    return browser
