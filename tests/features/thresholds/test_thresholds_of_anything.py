"""`thresholds` of whatever models have made, and results that show themselves."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from refusals import refused_with
from scored import rows
from spacy.tokens import Doc, SpanGroup

from spacy_nereval import Confidence, Thresholds, score, thresholds
from spacy_nereval.io.saved_results import load_cuts

GOLD, PRED = rows(1, 30, "d")
TEST_GOLD, TEST_PRED = rows(2, 20, "t")


@pytest.fixture(scope="module")
def chosen() -> Thresholds:
    return thresholds(GOLD, PRED, ["strict", "fair"], per_label="own")


def test_spans_that_are_dicts_and_docs(chosen: Thresholds) -> None:
    nlp = spacy.blank("en")

    def docs(sides: list[Any]) -> list[Doc]:
        made = [nlp.make_doc(row["text"]) for row in sides]
        for doc, row in zip(made, sides):
            spans = [doc.char_span(s["start"], s["end"], s["label"]) for s in row["spans"]]
            scores = [s["score"] for s in row["spans"] if "score" in s]
            doc.spans["sc"] = SpanGroup(doc, name="sc", spans=spans, attrs={"scores": scores} if scores else {})
        return made

    of_docs = thresholds(docs(GOLD), docs(PRED), ["strict"], spans_key="sc")
    text = [row["text"] for row in GOLD]
    of_dicts = thresholds([row["spans"] for row in GOLD], [row["spans"] for row in PRED], ["strict"], text=text)
    assert of_docs.best == of_dicts.best and of_docs.best["common"] == chosen.best["common"]


def kept_of(chosen: Thresholds, pred: list[Any]) -> list[Any]:
    """Predictions without those that the cut removes."""
    return [{**row, "spans": [s for s in row["spans"] if chosen.cuts.keeps(s["label"], s["score"])]} for row in pred]


def test_it_is_applied_to_other_documents(chosen: Thresholds) -> None:
    other = chosen.apply(TEST_GOLD, TEST_PRED, Confidence(samples=50))
    applied = other["applied"]
    assert chosen.errors() == score(GOLD, kept_of(chosen, PRED), ["fair"]).errors(), "of what is kept"
    kept = kept_of(chosen, TEST_PRED)
    assert applied["value"] == score(TEST_GOLD, kept, ["strict"])["metrics"]["strict"]["scores"]["f"]
    assert applied["no_cut"]["value"] == score(TEST_GOLD, TEST_PRED, ["strict"])["metrics"]["strict"]["scores"]["f"]
    assert "applied" not in chosen and other["best"] == chosen["best"]
    assert (chosen.headline.value, other.headline.value) == (chosen["best"]["value"], applied["value"])
    assert str(other).startswith("Thresholds 0.41 for A and 0.51 for B, on 20 other documents: strict F ")
    nothing = thresholds([[]], [[]], ["strict"])
    assert nothing.apply(TEST_GOLD, TEST_PRED) == nothing | {"applied": None}


def test_a_whole_curve(chosen: Thresholds) -> None:
    curve = chosen.curve()
    assert curve["cut"][0] is None and curve["kept"][0] == 0 and curve["f"][-1] == chosen.best["no_cut"]
    assert chosen.curve("fair", "A")["f"][-1] == score(GOLD, PRED, ["fair"]).labels["A"].fair.f
    with refused_with(ValueError, "there is no metric 'loio'; there are strict, fair"):
        chosen.curve("loio")
    with refused_with(ValueError, "there is no label 'X'; there are A, B"):
        chosen.curve(label="X")


def test_thresholds_show_themselves(chosen: Thresholds) -> None:
    """`test_threshold_page` compares texts and files with those of the command."""
    page = chosen._repr_html_()
    assert "<script" not in page and "<td>A</td>" in page
    curves = chosen.to_frame("curves")
    assert len(curves[curves["label"] == ""]) == chosen["cuts"] + 1


def test_it_is_saved_by_ending(chosen: Thresholds, tmp_path: Path) -> None:
    for name in ("a.json", "a.csv", "a.html", "best.cut.json"):
        chosen.save(tmp_path / name)
    assert json.loads((tmp_path / "a.json").read_text()) == chosen
    assert (tmp_path / "a.csv").read_text().startswith("label,cut,kept,strict.p,")
    assert load_cuts(tmp_path / "best.cut.json") == chosen.cuts
    with pytest.raises(ValueError, match=r"expected a file that ends with \.json"):
        chosen.save(tmp_path / "a.txt")


UNUSABLE = [
    ({"best": "f"}, "^best='f': there is no such score"),
    ({"best": 3}, "best=3: expected the name of a score"),
    ({"per_label": "both"}, "per_label='both': expected 'own' or 'micro'"),
    ({"hit": 0}, "hit=0: expected 'strict'"),
    ({"hit": True}, "hit=True: expected 'strict'"),
    ({"missing_score": float("inf")}, "missing_score=inf: expected a finite number"),
    ({"bins": 2.5}, "bins=2.5"),
]


@pytest.mark.parametrize(("arguments", "said"), UNUSABLE)
def test_arguments_that_cannot_be_used(arguments: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        thresholds(GOLD, PRED, ["strict"], **arguments)


def test_a_prediction_without_a_score_is_named_in_pythons_words(chosen: Thresholds) -> None:
    said = r"document 0.*: the predicted span A .* has no score; .* missing_score=1\.0 "
    for ask, sides in ((thresholds, ([[(0, 3, "A")]], [[(0, 3, "A")]])), (chosen.apply, (TEST_GOLD, TEST_GOLD))):
        with pytest.raises(ValueError, match=said):
            ask(*sides)
    chosen = thresholds([[(0, 3, "A")]], [[(0, 3, "A")]], ["strict"], missing_score=1.0)
    assert chosen.best["cut"] == 1.0
    mixed = [[{"start": 0, "end": 3, "label": "A"}, {"start": 5, "end": 8, "label": "B", "score": 0.1}]]
    chosen = thresholds([[(0, 3, "A")]], mixed, ["strict"], missing_score=1.0)
    assert chosen.errors("strict") == [], "the span without a score is kept"
    chosen = thresholds([[(5, 8, "B")]], mixed, ["strict"], missing_score=0.0)
    assert [row["verdict"] for row in chosen.errors("strict")] == []


def test_metrics_that_need_words_are_left_out_without_them() -> None:
    pred = [[{"start": 0, "end": 3, "label": "A", "score": 0.5}]]
    assert "wrf is excluded" in str(thresholds([[(0, 3, "A")]], pred))


def test_the_metric_of_the_cut_is_added() -> None:
    gold = [[(0, 3, "A"), (5, 8, "B")]]
    pred = [[{"start": 0, "end": 3, "label": "A", "score": 0.5}, {"start": 5, "end": 9, "label": "B", "score": 0.4}]]
    assert [*thresholds(gold, pred, ["fair"])["metrics"]] == ["fair", "strict"]
    assert [*thresholds(gold, pred, ["fair"], best="slot_error_ser")["metrics"]] == ["fair", "slot_error"]


def test_a_score_may_stand_behind_the_label_of_a_span() -> None:
    keys = "start", "end", "label", "score"
    gold, pred = ([row["spans"] for row in side] for side in (GOLD, PRED))
    plain = [[tuple(span[key] for key in keys) for span in spans] for spans in pred]
    assert thresholds(gold, plain, ["strict"]) == thresholds(gold, pred, ["strict"])
    for wrong in ("x", True, None):
        with pytest.raises(ValueError, match=r"expected \(start, end, label\), or a score behind the label"):
            thresholds([[(0, 3, "A")]], [[(0, 3, "A", wrong)]])
