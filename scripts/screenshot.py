"""Take the screenshot of a report that README.md shows.

Unless a report is given, the script makes one of the test texts of `warranty`. It
uses the project's CPU pipeline if that is trained, and otherwise trains a small
one, which takes a few minutes. It needs the extra `report`, selenium, and Debian's
chromium and chromium-driver.
"""

import random
import shutil
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Annotated, Any

import spacy
import srsly
import typer
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed, minibatch
from wasabi import msg

from spacy_nereval.cli import nereval

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "assets" / "warranty"
TRAINED = ROOT / "training" / "warranty" / "trials" / "cpu-0" / "model-best"
EPOCHS = 12
WIDTH, HEIGHT = 1280, 1400
DRAWN = """return [...document.querySelectorAll('.chart')].every(chart =>
  chart.getBoundingClientRect().top > innerHeight || chart.querySelector('svg[aria-hidden]'))"""
"""JavaScript that returns whether all visible charts are drawn."""

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


def main(
    output: Annotated[Path, typer.Option(help="Where to write the screenshot")] = ROOT / "docs" / "report.png",
    report: Annotated[Path | None, typer.Option(help="A report to show")] = None,
) -> None:
    """Write the screenshot to OUTPUT."""
    with TemporaryDirectory() as folder:
        output.parent.mkdir(exist_ok=True)
        output.write_bytes(picture(report or made(Path(folder)), Path(folder) / "profile"))
    msg.good(f"{output} ({output.stat().st_size // 1024} kB)")


def made(folder: Path) -> Path:
    """Make a report on the test texts and return its path."""
    nlp = spacy.load(TRAINED) if TRAINED.exists() else trained()
    rows = []
    for row in srsly.read_jsonl(CORPUS / "test.jsonl"):
        found = [{"start": e.start_char, "end": e.end_char, "label": e.label_} for e in nlp(row["text"]).ents]
        rows.append({**row, "spans": found})
    srsly.write_jsonl(folder / "pipeline.jsonl", rows)
    files = [str(CORPUS / "test.jsonl"), str(folder / "pipeline.jsonl")]
    title = "Failures in warranty claims: what the pipeline gets wrong"
    arguments = ["report", *files, "--output", str(folder / "report.html"), "--title", title]
    nereval(arguments, standalone_mode=False)
    return folder / "report.html"


def trained() -> Language:
    """Train a small pipeline, with the same weights every time."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    examples = []
    for row in srsly.read_jsonl(CORPUS / "train.jsonl"):
        spans = [(span["start"], span["end"], span["label"]) for span in row["spans"]]
        examples.append(Example.from_dict(nlp.make_doc(row["text"]), {"entities": spans}))
    nlp.initialize(lambda: examples)
    for _ in range(EPOCHS):
        random.shuffle(examples)
        for batch in minibatch(examples, 16):
            nlp.update(batch, drop=0.2)
    return nlp


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


def picture(report: Path, profile: Path) -> bytes:
    """Return a PNG of the top of the report."""
    with browser(profile) as driver:
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(report.resolve().as_uri())
        while not driver.execute_script(DRAWN):
            sleep(0.1)
        return b64decode(driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])


if __name__ == "__main__":
    typer.run(main)
