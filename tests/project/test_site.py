"""The site of the documentation, built strictly and looked at: wide and narrow, light and dark, in print."""

import base64
import re
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from browsers import Browser, needs_browser
from places import ROOT, script
from processes import python
from products import NIGHT

pytestmark = pytest.mark.slow  # .ci/run installs the extra 'docs' before the slow tests

OVERFLOW = "return document.documentElement.scrollWidth - innerWidth"
BROKEN = "return [...document.images].filter(e => !e.naturalWidth).map(e => e.src)"
BOTTOMS = """return arguments[0].map(name => Math.max(...[...document.querySelectorAll(name)].map(
  e => e.getBoundingClientRect().bottom)))"""
UNSEARCHED = "window.Worker = class extends EventTarget { postMessage() {} }"
"""JavaScript with which a page does not make its index of all pages, which takes longer than all else."""
SCHEME = "return document.body.getAttribute('data-md-color-scheme')"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built as CI builds it: a warning is an error."""
    pytest.importorskip("mkdocs", reason="the site is made with the extra 'docs'")
    folder = tmp_path_factory.mktemp("site")
    done = python("-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Page(HTMLParser):
    """The links, anchors and cards of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.cards: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        self.links += [found[key] for key in ("href", "src") if key in found and tag != "base"]
        self.anchors |= {found[key] for key in ("id", "name") if key in found}
        if found.get("property", "").startswith("og:"):
            self.cards[found["property"]] = found["content"]


def written(site: Path) -> dict[Path, Page]:
    """Every page of the site but those of the gallery, which have tests of their own, and those for lost addresses."""
    others = {site / "404.html", *(site / old / "index.html" for old in script("doc_pages").MOVED)}
    paths = (path for path in site.rglob("*.html") if path.parent != site / "gallery" and path not in others)
    return {path: Page(path.read_text(encoding="utf8")) for path in paths}


def test_every_link_of_the_site_leads_somewhere_and_every_page_has_a_card(site):
    pages = written(site)
    assert len(pages) > 50
    lost, titles = [], set()
    for path, page in pages.items():
        for link in {*page.links, page.cards["og:image"]}:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            target = target / "index.html" if target.is_dir() else target
            known = pages[target].anchors if target in pages else set()
            if not target.is_file() or (
                address.fragment and target in pages and unquote(address.fragment) not in known
            ):
                lost.append((path.relative_to(site), link))
        titles.add(page.cards["og:title"])
    assert not lost
    assert len(titles) == len(pages), "two pages have one title"


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("chromium"), "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
    yield started
    started.driver.quit()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site) -> Iterator[str]:
    """The address of the site, served here."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def show(browser: Browser, *, width: int = 1280, dark: bool = False) -> None:
    """Have a window of a width, on a system with light or dark windows."""
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def look(browser: Browser, url: str, *, width: int = 1280, dark: bool = False) -> None:
    show(browser, width=width, dark=dark)
    browser.driver.get(url)
    browser.until(lambda: browser("return document.readyState === 'complete'"))


def of_a_browser(test: Any) -> Any:
    for mark in needs_browser:
        test = mark(test)
    return test


@of_a_browser
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=NIGHT)])
def test_no_page_is_wider_than_the_window_or_lacks_a_picture(site, browser, address, step):
    """Every fifth page by day, all of them at night."""
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": UNSEARCHED})
    for path in sorted(written(site))[::step]:
        look(browser, address + path.relative_to(site).as_posix())
        assert browser(BROKEN) == [], path
        assert browser(OVERFLOW) <= 0, path
        show(browser, width=390)
        assert browser(OVERFLOW) <= 0, f"{path} in a narrow window"
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    assert browser.log == [], "a page asks for what is not on the site"


@of_a_browser
def test_the_front_page_is_one_screen(browser, address):
    """What it is, two commands and the first questions are above the edge of a small screen."""
    look(browser, address)
    assert len(browser.all("pre")) == 1 and len(browser.all("article ul")) == 5
    assert all(bottom <= 800 for bottom in browser(BOTTOMS, ["pre", "article > ul:first-of-type > li"]))


@of_a_browser
def test_the_dark_switch_and_the_search_work(browser, address):
    for dark in (True, False):
        look(browser, address, dark=dark)
        browser("localStorage.clear()")
        look(browser, address, dark=dark)
        assert browser(SCHEME) == ("slate" if dark else "default")
    browser.click("label[title='Dark']")
    browser.until(lambda: browser(SCHEME) == "slate")
    browser.click("label[title='Light']")
    for asked, page in (("seqeval", "other-tools"), ("krippendorff", "agreement"), ("checkpoint", "spacy-model")):
        look(browser, address)
        browser["input.md-search__input"].send_keys(asked)
        browser.until(lambda page=page: browser.all(f".md-search-result__link[href*='{page}']"))


@of_a_browser
def test_the_cheat_sheet_is_one_printed_page(browser, address):
    pages = {}
    for name in ("reference/cheat-sheet/", "reference/glossary/"):
        look(browser, address + name)
        for paper in ((8.27, 11.69), (8.5, 11)):
            size = {"paperWidth": paper[0], "paperHeight": paper[1]}
            printed = base64.b64decode(browser.driver.execute_cdp_cmd("Page.printToPDF", size)["data"])
            pages[name, paper] = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert [number for (name, _), number in pages.items() if "cheat" in name] == [1, 1]
    assert min(number for (name, _), number in pages.items() if "cheat" not in name) > 1
