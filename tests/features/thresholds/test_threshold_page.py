"""What people see of thresholds: numbers are those of scoring what a cut keeps, and the same at every door."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from commands import Row, accepted, flat, line, refused, write
from pages import Parsed
from places import SPANCAT
from products import mostly_at_night
from refusals import refused_with
from scored import TEXT, rows

from spacy_nereval import Confidence, Document, Thresholds, create_all, load, score, thresholds
from spacy_nereval.core.cuts import Cuts, apply_cuts
from spacy_nereval.features.thresholds import threshold_page as threshold_charts
from spacy_nereval.features.thresholds.chosen_cuts import CutResult, find_thresholds, measure_cuts
from spacy_nereval.features.thresholds.curves import ScoredDocuments, Settings
from spacy_nereval.features.thresholds.threshold_page import thresholds_page
from spacy_nereval.features.thresholds.threshold_view import ThresholdView
from spacy_nereval.io.read import read_files
from spacy_nereval.reporting import pages as charts
from spacy_nereval.reporting.result_table import number_text

GOLDS, PREDS = zip(*SPANCAT.values())
LABELS = ["FAILURE_TYPE", "FAILURE_LOC"]  # as many gold spans as in the test texts, the most first


METRICS = create_all(["strict", "slot_error"])


@cache
def documents(split: int) -> list[Document]:
    return [document for document in read_files(GOLDS[split], PREDS[split]) if document]


def every_score() -> list[float]:
    return sorted({value for document in documents(0) for value in document.span_scores.values()}, reverse=True)


@cache
def found(per_label: str | None = None) -> CutResult:
    return measure_cuts(find_thresholds(documents(0), METRICS, Settings("strict_f", per_label)), documents(1))


@cache
def page(per_label: str | None = None) -> Parsed:
    return Parsed(thresholds_page([("spancat", found(per_label))], golds=["dev.jsonl", "test.jsonl"]))


def made(gold, preds, metrics=("strict",), **settings) -> ThresholdView:
    """The view of some documents, in which predictions are (start, end, label) with their scores."""
    read = []
    for spans, pred in zip(gold, preds):
        document = Document(spans, [*pred], "x" * 40)
        document.span_scores = pred
        read.append(document)
    result = find_thresholds(read, create_all([*metrics]), Settings(**settings))
    assert "None" not in thresholds_page([("one", result)], golds=["gold"]).split("<script>")[0]
    return ThresholdView(result.values, result.chosen_on.metrics)


def scored(split: int, cuts: Cuts) -> dict[str, Any]:
    """The result of scoring the predictions that are kept, without any curve."""
    return score([*apply_cuts(documents(split), cuts)], ["strict", "slot_error"])


SPANS: Any = [(0, 3, "A"), (5, 8, "A"), (10, 13, "B")]
CUT_BEFORE = (
    "⚠ every score is at least 0.7: the predictions were probably filtered before; for spancat set threshold = 0.0 "
)
LOWEST = "⚠ the best threshold may be below 0.4, the lowest score of the predictions, which keeps all of them"

UNUSUAL = [
    ([], {}, "No best threshold: strict.f is undefined at every threshold"),
    (SPANS, {}, "⚠ there are no predictions, so no threshold applies"),
    (
        SPANS,
        {},
        "Keep none, on the 1 development document: strict F 0.00, against 0.00 without a threshold (+0.00)",
    ),
    ([], {(0, 3, "A"): 0.5}, "Average precision is not known: there are no gold spans"),
    (SPANS, {(0, 3, "A"): 7.5, (1, 2, "B"): -2}, "Calibration is not known: the score 7.5 is not from 0 to 1"),
    (SPANS, dict(zip(SPANS, (0.9, 0.8, 0.7))), f"{CUT_BEFORE}before predicting"),
    (SPANS, dict(zip(SPANS, (0.9, 0.65, 0.4))), LOWEST),
    (SPANS, dict.fromkeys(SPANS, 1.0), "Scores are close to the share of hits: 0.00 points off the share"),
    (SPANS, dict.fromkeys(SPANS, 0.2), "Scores are too low: 80.00 points off the share of hits on"),
    (SPANS[:2], dict(zip(SPANS, (0.3, 1.0, 0.7))), "Scores are too high and too low: 46.67 points off"),
]


@pytest.mark.parametrize(("gold", "pred", "said"), UNUSUAL)
def test_what_is_said_of_unusual_spans_and_scores(gold, pred, said):
    assert any(line.startswith(said) for line in made([gold], [pred]).opening())


def test_cuts_of_labels_in_words():
    labels = [(k, k + 1, label) for k, label in enumerate("ABCD")]
    pred = {span: 0.9 - k / 10 for k, span in enumerate(labels)}
    said = "Thresholds of 4 labels from 0.6 to 0.9, on the 1 development document"
    assert made([labels], [pred], per_label="own").opening()[0].startswith(said)
    first, *_ = made([labels[1:3]], [{labels[1]: 0.8, (21, 22, "E"): 0.9}], per_label="micro").opening()
    assert first.startswith("Threshold 0.8 for B, keep none of C and E, on ")


def test_a_range_of_good_cuts_ends_where_something_is_kept():
    """Where nothing is kept the error rate is 1, and the one hit among 120 spans makes it hardly better."""
    gold = [(k, k + 1, label) for k in range(40) for label in "ABC"]
    view = made([gold], [{(0, 1, "A"): 0.9}], ["slot_error", "strict"], best="slot_error.ser")
    assert "Slot error rate is best at 0.9, and falls on both sides" in view.opening()


def test_the_range_of_good_cuts_is_that_of_scoring_anew():
    near = found().values["best"]["near"]
    every = every_score()
    values = {value: scored(0, Cuts(value))["metrics"]["strict"]["scores"]["f"] for value in every[200:620:40]}
    best = found().values["best"]["value"]
    assert all(f >= best - 0.01 for value, f in values.items() if near["low"] <= value <= near["high"])
    for end in ("low", "high"):
        place = every.index(near[end])
        inside, outside = (every[place + step] for step in (0, 1 if end == "low" else -1))
        f = [scored(0, Cuts(value))["metrics"]["strict"]["scores"]["f"] for value in (inside, outside)]
        assert f[0] >= best - 0.01 > f[1]


def test_the_mean_precision_is_that_of_labels_with_gold_spans():
    view = made([[(0, 1, "A"), (2, 3, "A")]], [{(0, 1, "A"): 0.9, (4, 5, "B"): 0.8}])
    (table,) = view.tables(["precision"])
    rows = {first: row for first, *row in table.grid()}
    assert [rows[name] for name in ("all labels", "mean over labels", "A", "B")] == [["50.00"]] * 3 + [["-"]]


def test_how_cuts_were_chosen_and_what_a_hit_is_in_words():
    view = ThresholdView(found().values, METRICS)
    assert view.describe_documents(["dev", "test"]) == "Chosen on dev, applied to test"
    assert (view.choice_sentence, view.hit_definition[-14:]) == (
        "One threshold for all labels, the best for strict F",
        "is a gold span",
    )
    span = (0, 3, "A")
    view = made([[span]], [{span: 0.5}], ["fair", "strict"], per_label="micro", best="fair_f", hit=0.5)
    assert view.describe_documents(["dev", "test"]) == "Chosen on dev"
    assert view.choice_sentence.endswith("give the best fair F over all spans, as far as changing one at a time shows")
    assert (
        view.hit_definition
        == "A prediction is a hit if it overlaps a free gold span of its label with an IoU of at least 0.5"
    )
    assert made([[span]], [{span: 0.5}], per_label="micro").choice_sentence.endswith(
        "give the best strict F over all spans"
    )
    assert made([[span]], [{span: 0.5}], per_label="own").choice_sentence.endswith("that is best for its own strict F")


def test_rows_ask_for_their_curves():
    view = ThresholdView(found().values, METRICS)
    titles = {each["name"] for each in page().data["scores"]}
    for own in view.tables(["labels", "label-scores", "precision", "scores"]):
        assert len(own.asks) == len(own.rows)
        for row, ask in zip(own.rows, own.asks):
            if ask and "label" in ask:
                assert ask["label"] in page().data["labels"] and row[0] == (ask["label"] or "all labels")
            elif ask:
                assert ask["score"] in titles


# The page


def test_more_systems_than_colours_are_refused():
    with refused_with(
        ValueError,
        "the page has colours for at most 8 systems, 9 were given: make several pages",
    ):
        thresholds_page([("one", found().chosen_on)] * 9, golds=["dev", "test"])


def test_the_command_says_what_is_wrong_with_the_page(tmp_path, monkeypatch):
    files = [GOLDS[0], PREDS[0], "--metrics", "strict"]
    message = refused("thresholds", *files, "--html", tmp_path / "page.txt")
    assert "--html" in message and ".html" in message
    monkeypatch.setattr(charts, "chart_library", lambda: (_ for _ in ()).throw(ValueError(charts.INSTALL)))
    assert 'python -m pip install ".[report]"' in refused("thresholds", *files, "--html", tmp_path / "other.html")
    assert [*tmp_path.iterdir()] == []
    gold = tmp_path / "gold.html"
    gold.write_bytes(GOLDS[0].read_bytes())
    assert str(gold) in refused("thresholds", gold, PREDS[0], "--format", "jsonl", "--html", gold)
    assert gold.read_bytes() == GOLDS[0].read_bytes()


def test_a_result_in_python_saves_the_page(tmp_path):
    gold = [[(0, 3, "PER"), (8, 11, "PER")]]
    spans = [((0, 3), 0.9), ((4, 7), 0.4)]
    pred = [[{"start": a, "end": b, "label": "PER", "score": own} for (a, b), own in spans]]
    own = thresholds(gold, pred, ["strict"])
    for name, result, said in (
        (
            "page",
            own,
            "Threshold 0.9, on the 1 development document: strict F 66.67, against 50.00 without a threshold",
        ),
        ("applied", own.apply(gold, pred), "on 1 other document: strict F 66.67 ["),
    ):
        result.save(tmp_path / f"{name}.html")
        read = Parsed((tmp_path / f"{name}.html").read_text(encoding="utf8"))
        assert said in read.text and f"Thresholds of {name}" in read.text
        assert all(part["signature"] in read.text for part in (result, result.get("applied", result)))
        assert f"spacy-nereval {result['version']}" in read.text


# Its curves


CHARTED = ("strict F", "strict", "f"), ("strict P", "strict", "p"), ("slot error rate", "slot_error", "ser")


def by_label(result: Any) -> list[dict[str, float]]:
    """The scores of a metric over all labels and of each label."""
    return [result["scores"], *(result["per_type"][label]["scores"] for label in LABELS)]


@pytest.mark.parametrize("side", [0, 1])
def test_the_lines_are_the_scores_of_what_each_cut_keeps(side):
    data = page().data
    own = data["systems"][0]["sides"][side]
    titles = [each["title"] for each in data["scores"]]
    assert data["labels"] == ["", *LABELS]
    for place in range(0, len(own["cuts"]), 60):
        result = scored(side, Cuts(own["cuts"][place] - 1e-7))["metrics"]
        for title, metric, name in CHARTED:
            lines = own["curves"][titles.index(title)]
            wanted = [each[name] for each in by_label(result[metric])]
            assert [line[place] for line in lines] == pytest.approx(wanted, abs=1e-5)
    wanted = by_label(scored(side, found().cuts)["metrics"]["strict"])
    assert own["marks"][titles.index("strict F")] == [number_text(100 * each["f"]) for each in wanted]


def test_the_best_cut_of_every_line_is_exact_even_where_lines_are_thinned(monkeypatch):
    monkeypatch.setattr(threshold_charts, "POINTS", 3)
    monkeypatch.setattr(threshold_charts, "BUDGET", 0)
    side = ScoredDocuments.create(documents(0), METRICS)
    lines = threshold_charts.line_data(side, LABELS, None)
    assert len(lines["cuts"]) < 60
    results = {each: scored(0, Cuts(each))["metrics"] for each in every_score()[::20]}
    for (metric, own_score), peaks in zip(threshold_charts.scores_with_curves(METRICS), lines["peaks"]):
        best = max if own_score.higher_is_better else min
        for k, (at, value, said) in enumerate(peaks):
            every = (by_label(result[metric.name])[k][own_score.name] for result in results.values())
            known = [each for each in (value, *every) if each is not None]
            assert best(known) == pytest.approx(value, abs=1e-5), (own_score, k)
            if at is not None:
                assert k or at in lines["cuts"]  # the line goes through its best point
                exact = by_label(scored(0, Cuts(at - 1e-7))["metrics"][metric.name])[k][own_score.name]
                assert exact == pytest.approx(value, abs=1e-5) and said == f"{100 * exact:.2f} at {at:.4g}"


def test_precision_over_recall_and_risk_over_coverage_are_counts_of_what_is_kept():
    own = page("own").data["systems"][0]["sides"][1]
    scores = [(span, value, each.hits) for each in documents(1) for span, value in each.span_scores.items()]
    predictions = [(value, span in hits, span[2]) for span, value, hits in scores]
    for k, label in enumerate([None, *LABELS]):
        kept = [(value, hit) for value, hit, name in predictions if label in (None, name)]
        gold = sum(label in (None, span.label) for document in documents(1) for span in document.gold)
        distinct = sorted({value for value, _ in kept}, reverse=True)
        last, first = (sum(hit for value, hit in kept if value >= cut) for cut in (distinct[-1], distinct[0]))
        assert own["recall"][k][-1] == pytest.approx(last / gold, abs=1e-5)
        assert own["precision"][k][-1] == pytest.approx(last / len(kept), abs=1e-5)
        assert own["coverage"][k][-1] == 1 and own["risk"][k][-1] == pytest.approx(1 - last / len(kept), abs=1e-5)
        assert own["recall"][k][0] == pytest.approx(first / gold, abs=1e-5)
    for k, scores in enumerate(by_label(scored(1, found("own").cuts)["metrics"]["strict"])):
        assert own["at_recall"][k][:2] == pytest.approx([scores["r"], scores["p"]], abs=1e-5)
        assert own["at_recall"][k][2] == f"{100 * scores['r']:.2f}, {100 * scores['p']:.2f}"
        assert own["at_coverage"][k][1] == pytest.approx(1 - scores["p"], abs=1e-5)


def test_many_labels_have_fewer_points(monkeypatch):
    monkeypatch.setattr(threshold_charts, "BUDGET", 3000)
    spans = [(k, k + 1, f"L{k % 30}") for k in range(300)]
    document = Document(spans, spans, "x" * 301)
    document.span_scores = {span: k / 300 for k, span in enumerate(spans)}
    side = ScoredDocuments.create([document], create_all(["strict"]))
    assert 20 <= len(threshold_charts.line_data(side, [f"L{k}" for k in range(30)], None)["cuts"]) <= 40


def test_the_files_of_the_small_span_categoriser_are_what_they_say():
    for split, path in enumerate(PREDS):
        texts = (file.read_text(encoding="utf8").splitlines() for file in (GOLDS[split], path))
        golds, lines = ([*map(json.loads, rows)] for rows in texts)
        assert [(each["id"], each["text"]) for each in lines] == [(each["id"], each["text"]) for each in golds]
        values = [span["score"] for each in lines for span in each["spans"]]
        assert 0.05 <= min(values) < 0.06 and 0.99 < max(values) <= 1
        assert {span["label"] for each in lines for span in each["spans"]} == {*LABELS}


# All doors


THERE, HERE = "measure it there with --apply GOLD2 PRED2", "measure it there with apply(gold, pred)"
"""What the command and Python say in their own words."""


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


BY_DAY = ["own cuts", "micro cuts", "keep none", "no predictions", "no probabilities"]


@pytest.fixture(scope="module", params=mostly_at_night(CASES, by_day=BY_DAY))
def doors(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Doors:
    return Doors(tmp_path_factory.mktemp("doors"), *CASES[request.param])


def test_python_and_the_command_give_the_same(doors: Doors) -> None:
    assert doors.found == doors.json
    assert doors.saved == doors.markdown.replace(THERE, HERE)
    printed = flat(doors.printed.replace(THERE, HERE))
    assert [row for row in str(doors.found).splitlines() if flat(row) not in printed] == []


def test_the_page_has_the_sentences_and_tables_of_the_command(doors: Doors) -> None:
    for sentence in doors.view.opening():
        assert sentence in doors.page.text and sentence in flat(doors.printed)
    for row in doors.view.footing:
        assert row in doors.page.text and row in flat(doors.printed)
    assert f"{doors.view.choice_sentence}." in doors.page.text and f"{doors.view.hit_definition}." in doors.page.text
    said = {tuple(cell.replace(" ", "") for cell in row) for row in doors.page.rows}
    for table in doors.view.tables(["cuts", "label-scores", "scores", "precision", "calibration"]):
        header, *cells = table.grid()
        assert not cells or {tuple(cell.replace(" ", "") for cell in row) for row in (header, *cells)} <= said
        said -= {tuple(cell.replace(" ", "") for cell in row) for row in (header, *cells)}
    assert said == set()


def known(value: Any):
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
    applied, settings = doors.json.get("applied"), doors.found._result.chosen_on.settings
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
        assert first.startswith(f"{name}: Threshold ") and f"Labels of {name}" in printed
        assert all(sentence in flat(printed) and sentence in read.text for sentence in (first, *others, *view.footing))
        for table in view.tables(["cuts", "precision"]):
            assert all(read.row(*row) == row for row in table.grid()[1:])
    assert printed.index("one: Threshold") < printed.index("two: Threshold")
