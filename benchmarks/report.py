"""How much processor time the HTML report takes to open, to filter and to unfold, in Chromium.

    python benchmarks/report.py

prints the size of the page and seconds, for 10,000 documents and for one document of
50,000 characters and 2,000 entities. The bounds stand beside them. It needs the extra
`report`, selenium, and Debian's chromium and chromium-driver.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from spacy_nereval import Document, count, create_all
from spacy_nereval.evaluation.comparison import System
from spacy_nereval.features.report.report_page import page

QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)

LABELS = ("PER", "LOC", "ORG", "MISC")
WORDS = (
    *("the", "report", "of", "Monday", "says", "that", "a", "large", "part"),
    *("of", "all", "valves", "has", "to", "be", "replaced", "soon"),
)

READY = """const done = arguments[0];
const look = () => {
  if (document.getElementById("matches").textContent) requestAnimationFrame(() => setTimeout(done));
  else setTimeout(look);
};
look()"""
"""JavaScript that waits until the page has read its data and drawn its list."""

FILTERS = {
    "label": "const e = document.getElementById('label'); e.value = '1'; e.dispatchEvent(new Event('change'))",
    "verdict": "document.querySelector('#verdicts label:nth-child(3) input').click()",
    "label that counts": "const e = document.getElementById('side'); e.value = 'home'; "
    "e.dispatchEvent(new Event('change'))",
    "metric": "const e = document.getElementById('metric'); e.value = '1'; e.dispatchEvent(new Event('change'))",
    "slice": "document.querySelector('#slices tbody button').click()",
    "group": "document.querySelector('#why tbody th button').click()",
    "cell": "document.querySelector('#matrix button').click()",
    "documents": "document.getElementById('view-documents').click()",
    "errors": "document.getElementById('view-errors').click()",
    "everything": "document.getElementById('reset').click()",
    "review": "document.querySelector('[data-review=doubts]').click()",
    "review of the list": "document.querySelector('[data-review=list]').click()",
    "correction": "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '1', bubbles: true}))",
    "sort": "document.querySelectorAll('.lines button.sort')[2].click()",
}
"""What a reader chooses, as JavaScript."""


@contextmanager
def browser(profile: Path) -> Iterator[Any]:
    """Provide Chromium without a window and without a network."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (*QUIET, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def document(rng: Random, words: int, entities: int, name: str) -> Document:
    """A document of that many words and gold entities, a third of them predicted wrong."""
    text, gold, pred = "", [], []
    named = {*rng.sample(range(words), entities)}
    for k in range(words):
        word = f"Name{rng.randrange(900)}" if k in named else rng.choice(WORDS)
        start = len(text)
        text += f"{word} "
        if k in named:
            span = start, start + len(word), rng.choice(LABELS)
            gold.append(span)
            wrong = rng.randrange(9)
            if wrong == 1:
                pred.append((span[0], span[1], rng.choice(LABELS)))
            elif wrong == 2:
                pred.append((span[0], span[1] - 2, span[2]))
            elif wrong:
                pred.append(span)
    return Document(gold, pred, text, id=name)


def corpora() -> Iterator[tuple[str, list[Document], float]]:
    """Yield the name of each corpus, its documents, and the bound of megabytes."""
    rng = Random(0)
    yield "10,000 documents", [document(rng, 14, 3, f"doc-{k}") for k in range(10_000)], 4.0
    yield "2,000 entities", [document(rng, 9_500, 2_000, "long")], 4.0


def varied(documents: list[Document], number: int) -> System:
    """A system that lacks every fifth prediction, each number others."""
    sides = [
        Document(d.gold, [span for k, span in enumerate(d.pred, place) if k % 5 != number], d.text, id=d.id)
        for place, d in enumerate(documents)
    ]
    return System(f"system {number}", count(sides, create_all(None)), sides)


def busy(driver: Any) -> float:
    """Return how many seconds of processor time the page has taken so far, for scripts, layout and painting."""
    found = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(float(each["value"]) for each in found if each["name"] == "TaskDuration")


def seconds(driver: Any, script: str) -> float:
    """Return the processor time of a script, with the layout and the painting that follow it."""
    before = busy(driver)
    driver.execute_async_script(
        f"const done = arguments[0]; {script}; requestAnimationFrame(() => setTimeout(() => setTimeout(done)))"
    )
    return busy(driver) - before


def opened(driver: Any, path: Path) -> float:
    """Return the processor time that opening a page takes."""
    driver.get("about:blank")
    driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    before = busy(driver)
    driver.get(path.as_uri())
    driver.execute_async_script(READY)
    after = busy(driver)
    return after - before if after > before else after  # the page may have a new process


def row(what: str, measured: float, bound: float, unit: str) -> None:
    """Print a measurement beside its bound."""
    print(f"{what:<40} {measured:8.3f} {unit:<3} of {bound:g} {'' if measured <= bound else 'TOO MUCH'}")


def main() -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder, browser(Path(folder) / "profile") as driver:
        for name, documents, megabytes in corpora():
            system = System("system", count(documents, create_all(["strict", "fair"])), documents)
            path = Path(folder) / f"{len(documents)}.html"
            begun = time.process_time()
            path.write_bytes(page([system]).encode())
            row(f"{name}: written", time.process_time() - begun, 60, "s")
            if len(documents) > 1:
                begun = time.process_time()
                page([System(f"system {k}", system.counts, documents) for k in range(5)])
                row(f"{name}, five systems: written", time.process_time() - begun, 22, "s")
                three = Path(folder) / "three.html"
                three.write_bytes(page([varied(documents, k) for k in range(3)]).encode())
                row(f"{name}, three systems: size", three.stat().st_size / 1e6, 5, "MB")
                row(f"{name}, three systems: opened", min(opened(driver, three) for _ in range(3)), 0.5, "s")
            row(f"{name}: size", path.stat().st_size / 1e6, megabytes, "MB")
            row(f"{name}: opened", opened(driver, path), 2, "s")
            if len(documents) > 1:
                for choice, script in FILTERS.items():
                    row(f"{name}: {choice}", seconds(driver, script), 0.1, "s")
            else:
                seconds(driver, FILTERS["documents"])
                row(f"{name}: unfolded", seconds(driver, "document.querySelector('.fold').click()"), 1, "s")


if __name__ == "__main__":
    main()
