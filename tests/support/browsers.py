"""Chromium without a window, with the network off, and short ways to ask it about a page of this package.

Needs `chromium` and `chromedriver` (Debian's packages chromium and chromium-driver). Tests are skipped without.
"""

import shutil
import time
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from pages import unpacked

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
By = pytest.importorskip("selenium.webdriver.common.by").By
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
Service = pytest.importorskip("selenium.webdriver.chrome.service").Service

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
needs_browser = [
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="there is no chromium with chromedriver here"),
    pytest.mark.browser,
]
"""The marks of every module of tests that drive a browser."""

QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--disable-default-apps", "--disable-component-extensions-with-background-pages", "--disable-breakpad"),
    *("--disable-domain-reliability", "--disable-software-rasterizer", "--metrics-recording-only"),
    *("--password-store=basic", "--process-per-site", "--host-resolver-rules=MAP * ~NOTFOUND"),
    "--disable-features=Translate,OptimizationHints,MediaRouter,BackForwardCache,IsolateOrigins,site-per-process",
)

AXE = """const [within, done] = arguments;
axe.run(within, {resultTypes: ['violations']}).then(found => done(found.violations.map(
  v => [v.id, v.impact, v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary)])))"""
"""JavaScript that returns the violations that axe finds."""

WITHOUT_FLAGS = """const text = number => {
  const copy = document.querySelector(`#doc-${number} .text`).cloneNode(true);
  copy.querySelectorAll('.flag, .fold').forEach(e => e.remove());
  return copy;
};"""

RECTS = """return [...document.querySelectorAll(arguments[0])].map(e => {
  const r = e.getBoundingClientRect(); return [r.left, r.right, r.top, r.bottom] })"""
"""Left, right, top and bottom of elements."""

CHOOSE = """const list = document.querySelector(arguments[0]);
const option = [...list.options].find(e => e.text.trim() === arguments[1]);
if (!option || option.disabled || list.disabled || !list.checkVisibility()) return false;
if (option.selected) return true;
list.focus();
list.value = option.value;
for (const name of ['input', 'change']) list.dispatchEvent(new Event(name, {bubbles: true}));
return true"""
"""JavaScript that chooses an option by its text, and says whether it could."""

SAVED = """let saved; const make = URL.createObjectURL;
URL.createObjectURL = blob => { saved = blob; return make(blob) };
document.querySelector(arguments[0]).click(); URL.createObjectURL = make; return saved ? saved.text() : ''"""
"""JavaScript that clicks a button and returns what it saves."""

PATIENCE = 30
"""Seconds until a test gives up waiting: much more than anything takes."""


class Browser:
    """A page in Chromium, and short ways to ask it."""

    def __init__(self, profile: Path, *more: str) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in (*QUIET, f"--user-data-dir={profile}", *more):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(4 * PATIENCE)
        self.opened: Any = None

    def visit(self, path: Path, *, anchor: str = "", **look: Any) -> None:
        """Go to an address of a page. One that is open already is not loaded again: it follows its address, as by Back.

        What is not in the address stays, such as folds and choices of the matrix: see `soil`.
        """
        if self.opened != (path, look):
            self.open(path, anchor=anchor, **look)
            self.opened = (path, look)
            return
        self("history.replaceState(null, '', location.href.split('#')[0] + arguments[0])", anchor)
        self("document.activeElement.blur(); dispatchEvent(new PopStateEvent('popstate')); scrollTo(0, 0)")

    def soil(self) -> None:
        """Have the next test load its page anew, since this one changes what an address does not hold."""
        self.opened = None

    def open(self, path: Path, *, dark: bool = False, width: int = 1280, height: int = 900, anchor: str = "") -> None:
        """Open a page anew."""
        self.opened = None
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(path.as_uri() + anchor)
        self.until(lambda: self("return document.readyState === 'complete' && Boolean(matches.textContent)"))

    def __call__(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, true: Callable[[], Any]) -> Any:
        """Wait until it is."""
        end = time.monotonic() + PATIENCE
        while not (found := true()):
            if time.monotonic() > end:
                raise AssertionError(f"it never came: {self.driver.current_url}, {self.log}")
            time.sleep(0.02)
        return found

    def __getitem__(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def each(self, selector: str, said: str = "e.textContent") -> list[Any]:
        """What JavaScript says of each element e."""
        return [*self(f"return [...document.querySelectorAll(arguments[0])].map(e => {said})", selector)]

    def value(self, selector: str) -> str | None:
        return self[selector].get_attribute("value")

    @property
    def data(self) -> Any:
        """The data of the page, as its scripts read them."""
        return unpacked(self["#data"].get_attribute("textContent"))

    def saved(self, selector: str) -> str:
        """The content of the file that a button saves."""
        return str(self(SAVED, selector))

    def click(self, selector: str) -> None:
        self("arguments[0].scrollIntoView({block: 'center'})", self[selector])
        self[selector].click()

    def choose(self, selector: str, text: str) -> None:
        """Choose from a list that can be seen, as by hand, in one message to the browser."""
        assert self(CHOOSE, selector, text), f"{selector} cannot be seen, or has no {text}"

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    @property
    def focused(self) -> str:
        return self(
            "return document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
        )

    @property
    def matches(self) -> str:
        return self["#matches"].text

    def find(self, text: str) -> None:
        """Type what is to be found, and wait for the list."""
        self("list.replaceChildren()")
        self["#find"].clear()
        self["#find"].send_keys(text or " ")
        self.until(
            lambda: self.all("#list article, #list tbody tr") or self.matches.startswith(("No document", "This is no"))
        )

    @property
    def shown(self) -> list[int]:
        """The numbers of the documents that are shown."""
        return [int(element.get_attribute("id")[4:]) for element in self.all("#list article")]

    def text_of(self, number: int) -> str:
        """The text of a document in the page, hidden parts too, without its flags and buttons."""
        return self(WITHOUT_FLAGS + "return text(arguments[0]).textContent", number)

    def visible_text_of(self, number: int) -> str:
        """The text of a document that is not folded away."""
        return self(
            WITHOUT_FLAGS + "const copy = text(arguments[0]);"
            "copy.querySelectorAll('[hidden]').forEach(e => e.remove()); return copy.textContent",
            number,
        )

    def violations(self, within: str) -> list[Any]:
        """The violations of accessibility that axe finds in an element, small ones too, everything unfolded."""
        axe = files(pytest.importorskip("selenium_axe_python", reason="selenium-axe-python is not installed"))
        self("document.querySelectorAll('details').forEach(e => { e.open = true })")
        self((axe / "axe-core" / "axe.min.js").read_text(encoding="utf8"))
        return [*self.driver.execute_async_script(AXE, within)]

    @property
    def log(self) -> list[str]:
        """What the console says since it was asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def charts(self) -> list[str]:
        """The names of the charts, once all are drawn."""
        for element in self.all(".chart"):
            self("arguments[0].scrollIntoView()", element)
            self.until(partial(self, "return arguments[0].querySelector('svg[aria-hidden]')", element))
        return [element.get_attribute("data-chart") for element in self.all(".chart")]
