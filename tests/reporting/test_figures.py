"""Figures: their numbers are those of the tables, and files have the width of a column of a paper."""

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import accepted, refused
from refusals import refused_with

from spacy_nereval import Result, compare, score
from spacy_nereval.reporting.figures import (
    SYSTEMS,
    WIDTH,
    curve_figure,
    leaderboard_figure,
    matrix_figure,
    score_figure,
    verdict_figure,
)
from spacy_nereval.reporting.result_table import Estimate, Percent

GOLD, PRED = "examples/gold.jsonl", "examples/improved.jsonl"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def result() -> Result:
    return score(ROOT / GOLD, ROOT / PRED, confidence=True)


def values(figure: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = figure.spec["data"]["values"]
    return listed


def test_scores_and_their_intervals_are_those_of_the_result(result):
    points = {(value["name"], value["mark"]): value for value in values(result.plot("scores"))}
    for metric, mark, name in (("strict", "F", "f"), ("fair", "precision", "p"), ("loio", "recall", "r")):
        assert points[metric, mark]["value"] == 100 * result[metric][name]
    bounds = result["metrics"]["fair"]["intervals"]["scores"]["f"]
    assert [points["fair", "F"][key] for key in ("low", "high")] == [100 * bounds[key] for key in ("low", "high")]
    assert "low" not in points["fair", "recall"], "one interval in a row"
    assert result.plot().spec == result.plot("scores").spec


def test_labels_are_those_of_the_result_the_most_frequent_first(result):
    listed = [value for value in values(result.plot("labels")) if value["mark"] == "F"]
    assert [value["name"] for value in listed] == ["FAILURE_LOC", "FAILURE_TYPE"]
    for value in listed:
        assert value["value"] == 100 * result.labels[value["name"]].fair.f
    single = score(ROOT / GOLD, ROOT / PRED, ["slot_error"]).plot("labels")
    assert {value["mark"] for value in values(single)} == {"F"} and "legend" in str(single.spec)


def test_verdicts_are_those_of_the_result(result):
    numbers = {value["name"]: (value["n"], value["shown"]) for value in values(result.plot("verdicts"))}
    counts = result.fair.counts
    assert numbers["correct"] == (counts["tp"], f"{counts['tp']}")
    errors = sum(counts[name] for name in ("fp", "fn", "le", "be_s", "be_l", "be_o", "lbe"))
    assert numbers["missed"] == (counts["fn"], f"{counts['fn']} ({100 * counts['fn'] / errors:.0f} % of errors)")
    assert sum(n for n, _ in numbers.values()) == errors + counts["tp"]


def test_the_matrix_has_hits_on_its_diagonal(result):
    cells = {(value["gold"], value["predicted"]): value["n"] for value in values(result.plot("confusion"))}
    matrix = result.confusion("fair", hits=True)
    assert cells["FAILURE_LOC", "FAILURE_LOC"] == matrix["FAILURE_LOC", "FAILURE_LOC"] > 0
    assert cells["FAILURE_LOC", "boundary"] == matrix["FAILURE_LOC", "boundary"]
    assert cells["no span", "FAILURE_TYPE"] == matrix["", "FAILURE_TYPE"] and cells["no span", "no span"] is None
    assert values(result.confusion("fair", hits=True).plot()) == values(result.plot("confusion"))


@pytest.mark.parametrize("metric", ["strict", "semeval", "slot_error", "fair"])
def test_hits_of_every_metric_are_on_the_diagonal(result, metric):
    matrix = result.confusion(metric, hits=True)
    assert sum(matrix[label, label] for label in matrix.labels) == result.strict.counts["tp"]
    gold = {label: result.labels[label].support for label in matrix.labels if label}
    if metric in ("strict", "semeval"):
        assert {label: sum(matrix[label].values()) for label in gold} == gold, (
            "every gold span is in one cell of its row"
        )
    frame = matrix.to_frame()
    assert frame.loc["FAILURE_LOC", "FAILURE_LOC"] == matrix["FAILURE_LOC", "FAILURE_LOC"]
    assert frame.columns.name == "predicted" and "errors only" not in repr(matrix)


def test_strict_is_the_same_with_hits_and_without(result):
    assert result.confusion("strict", hits=True) == result.confusion("strict")
    assert result.confusion("strict").labels == ["FAILURE_LOC", "FAILURE_TYPE", ""]


def test_the_matrix_with_hits_has_the_numbers_of_the_table(result):
    frame, matrix = result.to_frame("confusion-hits").set_index("gold"), result.confusion("fair", hits=True)
    for gold in matrix.labels:
        for pred, number in matrix[gold].items():
            assert frame.loc[gold or "no span", pred or "no span"] == number


def test_a_label_named_boundary_keeps_its_column():
    gold, pred = [["B-boundary", "I-boundary", "O"]], [["B-boundary", "O", "O"]]
    matrix = score(gold, pred, ["fair"]).confusion("fair", hits=True)
    assert matrix["boundary", "boundary"] == 0 and matrix["boundary", "boundary error"] == 1


def test_rare_labels_of_a_large_matrix_are_added_up():
    names = [f"L{k}" for k in range(12)]
    cells = {gold: {pred: (k + 1) * (gold == pred) + 1 for pred in [*names, ""]} for k, gold in enumerate(names)}
    cells[""] = {pred: 1 for pred in [*names, ""]}
    drawn = values(matrix_figure(cells, "no span"))
    rows = list(dict.fromkeys(value["gold"] for value in drawn))
    assert rows[-2:] == ["5 others", "no span"] and len(rows) == 7 + 2 and rows[0] == "L5"
    total = sum(number for gold, row in cells.items() for pred, number in row.items() if gold or pred)
    assert sum(value["n"] or 0 for value in drawn) == total


def test_a_leaderboard_marks_the_top_group_and_keeps_the_order():
    cell = Estimate(Percent(0.5), Percent(0.4), Percent(0.7), top=True)
    figure = leaderboard_figure(["b", "a"], {"x": {"a": Percent(0.25), "b": cell}, "mean": {"b": cell}}, "f")
    first, third, second = values(figure)
    assert (first["system"], first["set"], first["low"], first["top"], first["order"]) == ("b", "x", 40.0, True, 0)
    assert (second["system"], second["top"], "low" in second) == ("a", False, False)
    assert third["set"] == "mean"


def test_a_curve_leaves_out_what_is_undefined():
    figure = curve_figure([None, 0.9, 0.5], {"F": [None, Percent(0.5), None], "P": [None, None, Percent(1.0)]}, 0.9)
    assert [(v["line"], v["x"], v["y"]) for v in values(figure)] == [("F", 0.9, 50.0), ("P", 0.5, 100.0)]
    assert "threshold 0.9" in str(figure.spec["layer"])


@pytest.mark.costly
def test_files_have_the_width_of_a_column(result, tmp_path):
    for ending in ("svg", "png", "pdf"):
        result.plot("confusion").save(tmp_path / f"a.{ending}")
    svg, png, pdf = ((tmp_path / f"a.{ending}").read_bytes() for ending in ("svg", "png", "pdf"))
    assert f'width="{WIDTH}"'.encode() in svg[:200] and svg == result.plot("confusion")._repr_svg_().encode()
    assert struct.unpack(">I", png[16:20])[0] == pytest.approx(8.5 / 2.54 * 300, abs=2)
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) [\d.]+\]", pdf)
    assert float(box) == pytest.approx(8.5 / 2.54 * 72, abs=0.5)
    assert result.plot().chart.to_dict()["width"] == WIDTH, "Altair takes it"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scores", "labels", "verdicts", "confusion"])
def test_altair_finds_no_fault_and_no_letter_is_too_small(result, name):
    result.plot(name).chart.to_dict(validate=True)
    sizes = [int(size) for size in re.findall(r'font-size="(\d+)px"', result.plot(name)._repr_svg_())]
    assert sizes and min(sizes) * 0.75 >= 7, "points, in a column"


def placed(element: Any, at: float = 0.0) -> Iterator[tuple[Any, float]]:
    """The elements of an SVG with the place of each from the left."""
    moved = re.match(r"translate\(([-\d.]+)", element.get("transform", ""))
    at += float(moved[1]) if moved else 0
    yield element, at
    for inner in element:
        yield from placed(inner, at)


FULL = [Percent(0.0), Percent(1.0), Estimate(Percent(0.5), Percent(0.0), Percent(1.0))]
CELLS = {"a-long-name": Estimate(Percent(0.9), Percent(0.8), Percent(1.0), top=True), "b": FULL[2]}
DRAWN = {
    "scores": lambda: score_figure([("semeval partial", FULL), ("strict", FULL)], "score, %"),
    "board": lambda: leaderboard_figure([*CELLS], {"news": CELLS, "mail": CELLS}, "strict F, %"),
    "curve": lambda: curve_figure([0.0, 0.5, 1.0], {"F": [*FULL[:2], Percent(0.5)], "P": [*FULL[:2], None]}, 0.5),
    "verdicts": lambda: verdict_figure([("missed", "missed", 123_456, " (100 % of errors)"), ("hit", "hit", 1, "")]),
    "equal": lambda: verdict_figure([("a", "", 1, ""), ("label and boundary", "label", 1, " (50 % of errors)")]),
}
"""Figures whose values reach from end to end."""


@pytest.mark.costly
@pytest.mark.parametrize("name", DRAWN)
def test_texts_end_within_the_figure_and_marks_touch_no_names(name):
    elements = [*placed(ElementTree.fromstring(DRAWN[name]().svg))]
    texts = [(e, at) for e, at in elements if e.tag.endswith("text") and "rotate" not in e.get("transform", "")]
    assert texts
    for element, at in texts:
        width = 4.9 * len(element.text)  # pixels
        left = at - {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor", "start")]
        assert left >= -3 and left + width <= WIDTH + 3, (name, element.text, left, left + width)
    names = max((at for e, at in texts if e.get("text-anchor") == "end"), default=0)
    points = [at for e, at in elements if e.get("aria-roledescription") == "point"]
    assert bool(points) is (name in ("scores", "board")) and all(names + 8 <= at <= WIDTH - 8 for at in points)


def test_the_colours_are_those_of_the_pages():
    css = (ROOT / "spacy_nereval/reporting/page/page.css").read_text(encoding="utf8")
    assert re.findall(r"--system-\d: (#\w{6})", css.partition("@media")[0]) == [*SYSTEMS]


def test_what_there_is_no_figure_of(result, tmp_path):
    with refused_with(
        ValueError,
        "there is no figure 'score': did you mean 'scores'? There are scores, labels, verdicts, confusion",
    ):
        result.plot("score")
    with refused_with(
        ValueError,
        "there is no figure 'confusion' of wrf: score fair as well, since it shows fair verdicts",
    ):
        score([["B-A"]], [["B-A"]], ["wrf"], tokens=[["x"]]).plot("confusion")
    with refused_with(ValueError, "there is nothing to draw: no score has a value"):
        score([["O"]], [["O"]], ["strict"]).plot("labels")
    with pytest.raises(ValueError, match=r"a.jpg: expected a file that ends with .svg, .png or .pdf"):
        result.plot().save(tmp_path / "a.jpg")
    with refused_with(ValueError, "there is no figure ''; there are none"):
        compare({"a": [["B-A"]], "b": [["O"]]}, [["B-A"]], "strict").plot()


@pytest.mark.costly
def test_figures_of_the_command_are_those_of_python(result, tmp_path):
    gold, pred = ROOT / GOLD, ROOT / PRED
    for name in ("scores", "confusion"):
        accepted("score", gold, pred, "-C", "--figure", f"{name}={tmp_path / name}.svg")
        assert (tmp_path / f"{name}.svg").read_text() == result.plot(name)._repr_svg_()
    accepted("score", gold, pred, "-C", "--figure", tmp_path / "first.svg")
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "scores.svg").read_bytes()
    runs = f"A={pred},{ROOT / 'examples/baseline.jsonl'}"
    accepted("score", gold, "--system", runs, "--figure", f"labels={tmp_path / 'runs.svg'}")
    assert "there is no figure 'confusion'" in refused(
        "score", gold, "--system", runs, "--figure", f"confusion={tmp_path / 'x.svg'}"
    )
    assert "is an input" in refused("score", gold, pred, "--figure", f"scores={gold}")
    assert "expected a .svg, .png or .pdf file" in refused("score", gold, pred, "--figure", tmp_path / "a.gif")
