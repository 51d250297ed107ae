"""The page of thresholds: its numbers are those of scoring what a cut keeps, and names from outside are only text."""

from __future__ import annotations

from typing import Any

import pytest
from commands import accepted, refused
from cut_pages import GOLDS, LABELS, PREDS, documents, in_percent, made, page, scored, system, without_bounds
from pages import HOSTILE, Parsed

from spacy_nereval import Document, create_all, thresholds
from spacy_nereval.core.cuts import Cuts
from spacy_nereval.evaluation.thresholds.choice import wanted
from spacy_nereval.evaluation.thresholds.inputs import Settings
from spacy_nereval.evaluation.thresholds.result import thresholds as found_in
from spacy_nereval.reporting.html import charts
from spacy_nereval.reporting.html.thresholds.lines import Measured, measured
from spacy_nereval.reporting.html.thresholds.page import ScoredSystem, thresholds_page
from spacy_nereval.reporting.html.thresholds.rows import label_rows, precision_rows


@pytest.mark.parametrize("per_label", [None, "own"])
def test_the_tables_say_what_the_cuts_are_worth_on_both_sets_of_documents(per_label):
    own, _ = system(per_label)
    cuts = own.found.cuts
    assert cuts
    there, here = scored(1, cuts), scored(0, cuts)
    strict = [result["metrics"]["strict"] for result in (there, here)]
    found = page(per_label)
    row = found.row("all labels")
    assert row[1] == ("per label" if per_label else f"{cuts.default:.4g}")
    assert [row[2], row[3]] == [str(there["gold"]), str(there["pred"])]
    assert without_bounds(row[4:7]) == in_percent(strict[0]["scores"])
    assert row[7:] == [str(here["gold"]), str(here["pred"]), *in_percent(strict[1]["scores"])]
    values = own.found.values["applied"]
    bounds = f"[{100 * values['low']:.2f}, {100 * values['high']:.2f}]"
    assert row[6].endswith(bounds)
    for label in LABELS:
        row = found.row(label)
        assert row[1] == f"{cuts.of(label):.4g}"
        assert without_bounds(row[4:7]) == in_percent(strict[0]["per_type"][label]["scores"])
        assert row[9:] == in_percent(strict[1]["per_type"][label]["scores"])
        assert f"[{100 * values['per_type'][label]['low']:.2f}, " in row[6]


def test_the_first_sentence_says_the_cut_of_each_label_and_what_it_is_worth_elsewhere():
    own, _ = system("own")
    values, cuts = own.found.values["applied"], own.found.cuts
    assert cuts
    low, high = (100 * values[key] for key in ("low", "high"))
    gain = values["gain"]
    assert (
        f"Cut FAILURE_LOC at {cuts.of('FAILURE_LOC'):.4g} and FAILURE_TYPE at {cuts.of('FAILURE_TYPE'):.4g}: "
        f"on test.jsonl strict F is {100 * values['value']:.2f} [{low:.2f}, {high:.2f}], "
        f"{100 * gain['difference']:.2f} [{100 * gain['low']:.2f}, {100 * gain['high']:.2f}] points more than without"
    ) in page("own").text


def test_other_cuts_stand_beside_the_chosen_one():
    found, own = page(), system()[0].found
    worth = {
        "the chosen cut": own.cuts,
        "the usual cut": Cuts(0.5),
        "no cut": Cuts(0.0),
        "the best common cut here (not known in practice)": Cuts(own.values["applied"]["own_best"]["cut"]),
    }
    for name, cuts in worth.items():
        result = scored(1, cuts)
        assert without_bounds(found.row(name)[2:]) == [
            f"{result['pred']:,}",
            *in_percent(result["metrics"]["strict"]["scores"]),
        ]
    usual, best = (found.row(name)[5] for name in ("the usual cut", "the best common cut here (not known in practice)"))
    assert f"A cut of 0.5 would give {usual}, the best common cut there, " in found.text
    assert f"which nobody knows in practice, {best}." in found.text
    everything = Parsed(
        thresholds_page(
            [ScoredSystem("one", found_in(documents(0), create_all(["strict"])))], Settings(), golds=["dev"]
        )
    )
    assert everything.row("the best cut")[0] and "is worth less on others" in everything.text
    assert not any("not known in practice" in cell for row in everything.rows for cell in row)


def test_a_cost_is_best_where_it_is_lowest_and_its_range_is_said():
    found = page(None, "slot_error.ser")
    data = found.data
    title = data["scores"][data["best"]]["title"]
    assert title == "ser"
    own = system(None, "slot_error.ser")[0].found
    assert found.row("the chosen cut")[1] == f"{own.cuts.default:.4g}"
    value = own.values["applied"]["value"]
    assert f"on test.jsonl ser is {100 * value:.2f} [" in found.text
    gain = own.values["applied"]["gain"]
    bounds = f"[{-100 * gain['high']:.2f}, {-100 * gain['low']:.2f}]"
    assert f", {-100 * gain['difference']:.2f} {bounds} points less than without a cut." in found.text


SPANS: Any = [(0, 3, "A"), (5, 8, "A"), (10, 13, "B")]


def test_what_a_reader_has_to_know_about_the_scores_is_a_warning():
    found = made([SPANS], [{span: 0.9 - k / 10 for k, span in enumerate(SPANS)}])
    assert "Every score is at least 0.7: the predictions are probably already cut" in found.text
    found = made([SPANS], [{span: 0.9 - k / 4 for k, span in enumerate(SPANS)}])
    assert "Nothing is known below 0.4, the lowest score" in found.text and "already cut" not in found.text


@pytest.mark.parametrize(
    ("gold", "pred", "said"),
    [
        ([[]], [{}], "There is no best cut: strict.f is undefined at every cut."),
        ([SPANS], [{}], "There are no predictions"),
        ([[]], [{(0, 3, "A"): 0.5}], "There are no gold spans, so no average precision"),
        ([SPANS], [{(0, 3, "A"): 7.5, (1, 2, "B"): -2}], "Calibration is undefined: the score 7.5 is not from 0 to 1"),
    ],
    ids=["nothing", "no predictions", "no gold", "other scores"],
)
def test_documents_without_spans_or_with_other_scores_have_a_page(gold, pred, said):
    found = made(gold, pred)
    assert said in found.text
    assert "nan" not in found.text and "None" not in found.text


def test_labels_and_names_from_outside_are_text():
    spans = [(k, k + 1, label) for k, label in enumerate(HOSTILE)]
    document = Document(spans, spans[::2], "x" * 40)
    document.span_scores = {span: 0.5 + k / 100 for k, span in enumerate(spans[::2])}
    settings = Settings(per_label="own")
    found = found_in([document], create_all(["strict"]), settings)
    systems = [ScoredSystem(HOSTILE[0], found), ScoredSystem(HOSTILE[8], found)]
    read = Parsed(thresholds_page(systems, settings, golds=[HOSTILE[2]], title=HOSTILE[1]))
    assert [attributes for tag, attributes in read.tags if tag == "img"] == []
    assert all("onclick" not in attributes for _, attributes in read.tags)
    assert sum(tag == "script" for tag, _ in read.tags) == 4
    assert set(read.data["labels"][1:]) == {*HOSTILE}
    assert "\x1b" not in read.text and "\u202e" not in read.text


def test_several_systems_stand_side_by_side():
    one, settings = system()
    two = one._replace(name="other")
    found = Parsed(thresholds_page([one, two], settings, golds=["dev.jsonl", "test.jsonl"]))
    assert [each["name"] for each in found.data["systems"]] == ["spancat", "other"]
    assert "spancat: Cut at" in found.text and "other: Cut at" in found.text
    assert len([row for row in found.rows if row[0] == "the chosen cut"]) == 2
    assert found.row("mAP")[1:3] == found.row("mAP")[3:5]
    assert "Under spancat, of those kept" in found.text
    with pytest.raises(ValueError, match="colours for at most 8 systems, 9 were given"):
        thresholds_page([one] * 9, settings, golds=["dev", "test"])


def test_the_command_writes_the_page_and_says_what_is_wrong(tmp_path, monkeypatch):
    files = [GOLDS[0], PREDS[0], "--apply", GOLDS[1], PREDS[1], "--metrics", "strict"]
    target = tmp_path / "page.html"
    accepted("thresholds", *files, "--html", target)
    found = Parsed(target.read_text(encoding="utf8"))
    assert "Thresholds of spancat-dev.jsonl" in found.text
    assert found.row("the chosen cut") == page().row("the chosen cut")
    message = refused("thresholds", *files, "--html", tmp_path / "page.txt")
    assert "--html" in message and ".html" in message
    monkeypatch.setattr(charts, "scripts", lambda: (_ for _ in ()).throw(ValueError(charts.INSTALL)))
    assert 'pip install "spacy-nereval[report]"' in refused("thresholds", *files, "--html", tmp_path / "other.html")
    assert [*tmp_path.iterdir()] == [target]


def test_the_page_never_overwrites_what_is_read(tmp_path):
    gold = tmp_path / "gold.html"
    gold.write_bytes(GOLDS[0].read_bytes())
    assert str(gold) in refused("thresholds", gold, PREDS[0], "--format", "jsonl", "--html", gold)
    assert gold.read_bytes() == GOLDS[0].read_bytes()


def test_a_result_in_python_saves_the_page(tmp_path):
    gold = [[(0, 3, "PER"), (8, 11, "PER")]]
    spans = [((0, 3), 0.9), ((4, 7), 0.4)]
    pred = [[{"start": a, "end": b, "label": "PER", "score": own} for (a, b), own in spans]]
    found = thresholds(gold, pred, ["strict"])
    found.save(tmp_path / "page.html")
    first = Parsed((tmp_path / "page.html").read_text(encoding="utf8"))
    assert "Cut at 0.9: on these documents strict F is 66.67, 50.00 without a cut." in first.text
    assert "Thresholds of page" in first.text
    found.apply(gold, pred).save(tmp_path / "applied.html")
    second = Parsed((tmp_path / "applied.html").read_text(encoding="utf8"))
    assert "on other documents strict F is 66.67 [" in second.text


def test_the_signature_and_version_are_in_the_foot():
    own, _ = system()
    assert own.found.values["applied"]["signature"] in page().text
    assert f"spacy-nereval {own.found.values['version']}" in page().text


def rated(*spans: tuple[int, int, str, float], gold: list[tuple[int, int, str]]) -> Measured:
    document = Document(gold, [span[:3] for span in spans], "x" * 40)
    document.span_scores = {span[:3]: span[3] for span in spans}
    return measured("one", [document], create_all(["strict", "slot_error"]), Settings())


def test_a_range_of_good_cuts_ends_where_something_is_kept():
    """Where nothing is kept the error rate is 1, and the one hit among 120 spans makes it hardly better."""
    gold = [(k, k + 1, label) for k in range(40) for label in "ABC"]
    found = made([gold], [{(0, 1, "A"): 0.9}], ["slot_error", "strict"], best="slot_error.ser")
    assert "is best at 0.9, and falls on both sides" in found.text and "inf" not in found.text.split()


def test_the_mean_precision_is_that_of_labels_with_gold_spans():
    side = rated((0, 1, "A", 0.9), (4, 5, "B", 0.8), gold=[(0, 1, "A"), (2, 3, "A")])
    assert [(row.label, row.values) for row in precision_rows([side], ["A", "B"])] == [
        (None, [0.5]), ("A", [0.5]), ("B", [None]),
    ]  # fmt: skip


def test_only_the_score_that_cuts_were_chosen_by_has_an_interval_in_rows_of_labels():
    own, _ = system()
    side = measured("test", documents(1), create_all(["strict"]), Settings())
    wish = wanted("strict.f", side.curves.metrics)
    _, *rows = label_rows(side, wish, own.found.cuts, LABELS, own.found.values["applied"])
    assert [[bool(cell.bounds) for cell in row.cells] for row in rows] == [[False, False, True]] * 2
