"""Thresholds in Python, by the command and on the page: the same JSON, sentences and tables, on the same documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Row, accepted, flat, line, write
from pages import Parsed
from scored import TEXT, rows

from spacy_nereval import Confidence, Thresholds, load, thresholds
from spacy_nereval.reporting.threshold_view import ThresholdView

DOORS = {"measure it there with --apply GOLD2 PRED2": "measure it there with apply(gold, pred)"}
"""What each door says in its own words."""


def spans(*found: tuple[int, int, str, float]) -> Row:
    keys = ("start", "end", "label", "score")
    return {"text": TEXT, "spans": [dict(zip(keys, span)) for span in found], "id": "s"}


WRONG = [line(TEXT, (0, 3, "A"), id="s")], [spans((4, 7, "A", 0.5), (8, 11, "A", 0.25))]
DEV, TEST, OTHER = rows(1, 40, "d"), rows(2, 30, "t", "ABC"), rows(3, 40, "d")
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "one cut": (DEV, None, {}),
    "applied": (DEV, TEST, {}),
    "own cuts": (DEV, TEST, {"per_label": "own"}),
    "micro cuts": (DEV, None, {"per_label": "micro"}),
    "micro cuts of another score": (DEV, TEST, {"per_label": "micro", "best": "fair_f"}),
    "overlap": (DEV, TEST, {"hit": 0.5, "bins": 3, "bin_kind": "equal_mass"}),
    "a cost": (DEV, TEST, {"best": "slot_error.ser"}),
    "keep none": (WRONG, TEST, {"best": "slot_error.ser"}),
    "keep none of a label": (rows(4, 30, "d", "A" * 9 + "B"), None, {"per_label": "micro"}),
    "no cut": (([line(TEXT)], [line(TEXT)]), TEST, {}),
    "no predictions": (([line(TEXT, (0, 3, "A"))], [line(TEXT)]), TEST, {}),
    "no probabilities": (([line(TEXT, (0, 3, "A"))], [spans((0, 3, "A", 7.5))]), None, {}),
}


class Doors:
    """What each door gives for a case."""

    def __init__(self, folder: Path, dev: Any, test: Any, options: dict[str, Any]) -> None:
        files = [write(folder / f"{k}.jsonl", *side) for k, side in enumerate([*dev, *(test or ())])]
        out, html = folder / "out.json", folder / "page.html"
        given = [part for key, value in options.items() for part in (f"--{key.replace('_', '-')}", value)]
        applied = ["--apply", *files[2:], "--samples", 50] if test else []
        common = [*files[:2], *applied, "-m", "strict,fair,slot_error"]
        self.printed = accepted("thresholds", *common, *given, "-t", "all", "-o", out, "--html", html)
        self.markdown = accepted("thresholds", *common, *given, "-t", "all", "--format", "markdown")
        self.json = json.loads(out.read_text())
        self.page = Parsed(html.read_text(encoding="utf8"))
        read = [load(path) for path in files]
        self.found: Thresholds = thresholds(*read[:2], ["strict", "fair", "slot_error"], **options)
        if test:
            self.found = self.found.apply(*read[2:], Confidence(samples=50))
        self.found.save(folder / "python.md")
        self.saved = (folder / "python.md").read_text(encoding="utf8")
        self.view = ThresholdView(self.found, self.found._metrics, applying="--apply GOLD2 PRED2")


@pytest.fixture(scope="module", params=CASES)
def doors(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Doors:
    return Doors(tmp_path_factory.mktemp("doors"), *CASES[request.param])


def test_python_and_the_command_give_the_same(doors: Doors) -> None:
    assert doors.found == doors.json
    (written, own), *_ = DOORS.items()
    assert doors.saved == doors.markdown.replace(written, own)
    printed = flat(doors.printed.replace(written, own))
    assert [row for row in str(doors.found).splitlines() if flat(row) not in printed] == []


def test_the_page_has_the_sentences_and_tables_of_the_command(doors: Doors) -> None:
    for sentence in doors.view.opening():
        assert sentence in doors.page.text and sentence in flat(doors.printed)
    for row in doors.view.footing:
        assert row in doors.page.text and row in flat(doors.printed)
    said = {tuple(cell.replace(" ", "") for cell in row) for row in doors.page.rows}
    for table in doors.view.tables(["cuts", "label-scores", "scores", "precision", "calibration"]):
        header, *cells = table.grid()
        assert not cells or {tuple(cell.replace(" ", "") for cell in row) for row in (header, *cells)} <= said
        said -= {tuple(cell.replace(" ", "") for cell in row) for row in (header, *cells)}
    assert said == set()


def known(value: Any) -> Iterator[str]:
    """The numbers of a result as people read them."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from known(each)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield f"{value:,}"
        yield str(value)
    elif isinstance(value, float):
        yield from (f"{abs(100 * value):.2f}", f"{value:.4g}", f"{value:g}", f"{value:.4f}")


def test_every_number_is_in_the_json(doors: Doors) -> None:
    """Those of a sentence that compares two values are their difference."""
    result = doors.json
    numbers = {*known(result)}
    for part in (result["best"], result.get("applied") or {"no_cut": {"value": None}}):
        no_cut = part["no_cut"]["value"] if isinstance(part["no_cut"], dict) else part["no_cut"]
        if part.get("value") is not None and no_cut is not None:
            numbers.add(f"{abs(100 * (part['value'] - no_cut)):.2f}")
        if part.get("kept"):
            numbers.add(f"{100 * (1 - part['hits'] / part['kept']):.2f}")
    gain = (result.get("applied") or {}).get("gain") or {"verdict": ""}
    opening = [row.replace(gain["verdict"], "") for row in doors.view.opening()]
    found = [row.replace("within 1 point", "") for row in opening] + doors.view.footing
    found += [cell for table in doors.view.tables(doors.view.makers) for row in table.grid()[1:] for cell in row]
    for text in found:
        for number in re.findall(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?", text):
            assert number.rstrip(",") in numbers, (number, text)


def test_what_is_said_of_other_documents_is_theirs(doors: Doors) -> None:
    """Cutting the other documents alone gives every number that does not depend on the cut."""
    applied, settings = doors.json.get("applied"), doors.found._found.here.settings
    if not applied:
        return
    alone = thresholds(*TEST, ["strict"], hit=settings.hit, bins=settings.bins, bin_kind=settings.bin_kind)
    for key in ("documents", "gold", "pred", "floor", "average_precision", "calibration", "risk_coverage"):
        assert applied[key] == alone[key]
    view = alone._view()
    assert doors.view.footing[1] == view.footing[0].replace("Chosen on", "Applied to")
    said, own = ({each.section: each.sentence for each in some.findings()} for some in (doors.view, view))
    for section in ("recall", "calibration"):
        assert f" on {doors.view.where}" in said[section]
        assert said[section].replace(f" on {doors.view.where}", "") == own[section]
    for name in ("precision", "calibration"):
        (here,), (there,) = doors.view.tables([name]), view.tables([name])
        width = len(there.header)
        assert {tuple(row[:width]) for row in there.grid()} <= {tuple(row[:width]) for row in here.grid()}
        assert doors.view.where in here.note


def test_several_systems_stand_side_by_side(tmp_path: Path) -> None:
    sides = {"gold": DEV[0], "one": DEV[1], "two": OTHER[1], "gold2": TEST[0], "pred2": TEST[1]}
    gold, one, two, *other = (write(tmp_path / f"{name}.jsonl", *rows) for name, rows in sides.items())
    out, page, curves = (tmp_path / name for name in ("out.json", "page.html", "c.csv"))
    pairs = ["--apply", *other, "--apply", *other, "--samples", 20, "--name", "one", "--name", "two"]
    written = ["-o", out, "--html", page, "--csv", curves]
    printed = accepted("thresholds", gold, one, two, "-m", "strict", *pairs, *written)
    systems = json.loads(out.read_text())["systems"]
    assert [*systems] == ["one", "two"] and curves.read_text().startswith("system,label,cut,kept,strict.p")
    read = Parsed(page.read_text(encoding="utf8"))
    for name, pred in (("one", one), ("two", two)):
        found = thresholds(load(gold), load(pred), ["strict"]).apply(*map(load, other), Confidence(samples=20))
        assert systems[name] == found
        view = ThresholdView(found, found._metrics, name)
        first, *others = view.opening()
        assert first.startswith(f"{name}: Cut at ") and f"Labels of {name}" in printed
        assert all(sentence in flat(printed) and sentence in read.text for sentence in (first, *others, *view.footing))
        for table in view.tables(["cuts", "precision"]):
            assert all(read.row(*row) == row for row in table.grid()[1:])
    assert printed.index("one: Cut") < printed.index("two: Cut")
