"""`thresholds` in Python, and what it returns."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from scored import rows
from spacy.tokens import Doc, SpanGroup

from spacy_nereval import Confidence, Thresholds, score, thresholds
from spacy_nereval.io.cut_files import load_cuts

GOLD, PRED = rows(1, 30, "d")
TEST_GOLD, TEST_PRED = rows(2, 20, "t")


@pytest.fixture(scope="module")
def found() -> Thresholds:
    return thresholds(GOLD, PRED, ["strict", "fair"], per_label="own")


def test_spans_that_are_dicts_and_docs(found: Thresholds) -> None:
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
    assert of_docs.best == of_dicts.best and of_docs.best["common"] == found.best["common"]


def kept_of(found: Thresholds, pred: list[Any]) -> list[Any]:
    """Predictions without those that the cut removes."""
    return [{**row, "spans": [s for s in row["spans"] if found.cuts.keeps(s["label"], s["score"])]} for row in pred]


def test_it_is_applied_to_other_documents(found: Thresholds) -> None:
    other = found.apply(TEST_GOLD, TEST_PRED, Confidence(samples=50))
    applied = other["applied"]
    assert found.errors() == score(GOLD, kept_of(found, PRED), ["fair"]).errors(), "of what is kept"
    kept = kept_of(found, TEST_PRED)
    assert applied["value"] == score(TEST_GOLD, kept, ["strict"])["metrics"]["strict"]["scores"]["f"]
    assert applied["no_cut"]["value"] == score(TEST_GOLD, TEST_PRED, ["strict"])["metrics"]["strict"]["scores"]["f"]
    assert "applied" not in found and other["best"] == found["best"]
    assert (found.headline.value, other.headline.value) == (found["best"]["value"], applied["value"])
    assert str(other).startswith("Cut A at 0.41 and B at 0.51, on 20 other documents: strict F ")
    nothing = thresholds([[]], [[]], ["strict"])
    assert nothing.apply(TEST_GOLD, TEST_PRED) == nothing | {"applied": None}


def test_a_whole_curve(found: Thresholds) -> None:
    curve = found.curve()
    assert curve["cut"][0] is None and curve["kept"][0] == 0 and curve["f"][-1] == found.best["no_cut"]
    assert found.curve("fair", "A")["f"][-1] == score(GOLD, PRED, ["fair"]).labels["A"].fair.f
    with pytest.raises(ValueError, match="there is no metric 'loio'; there are strict, fair"):
        found.curve("loio")
    with pytest.raises(ValueError, match="there is no label 'X'; there are A, B"):
        found.curve(label="X")


def test_it_shows_itself(found: Thresholds) -> None:
    """`test_threshold_doors` compares texts and files with those of the command."""
    page = found._repr_html_()
    assert "<script" not in page and "<td>A</td>" in page
    curves = found.to_frame("curves")
    assert len(curves[curves["label"] == ""]) == found["cuts"] + 1


def test_it_is_saved_by_ending(found: Thresholds, tmp_path: Path) -> None:
    for name in ("a.json", "a.csv", "a.html", "best.cut.json"):
        found.save(tmp_path / name)
    assert json.loads((tmp_path / "a.json").read_text()) == found
    assert (tmp_path / "a.csv").read_text().startswith("label,cut,kept,strict.p,")
    assert load_cuts(tmp_path / "best.cut.json") == found.cuts
    with pytest.raises(ValueError, match=r"expected a file that ends with \.json"):
        found.save(tmp_path / "a.txt")


WRONG = [
    ({"best": "f"}, "best 'f': there is no such score"),
    ({"best": 3}, "best=3: expected the name of a score"),
    ({"per_label": "both"}, "per_label='both': expected 'own' or 'micro'"),
    ({"hit": 0}, "hit=0: expected 'strict'"),
    ({"hit": True}, "hit=True: expected 'strict'"),
    ({"missing_score": float("inf")}, "missing_score=inf: expected a finite number"),
    ({"bins": 2.5}, "bins=2.5"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_arguments_that_cannot_be_used(arguments: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        thresholds(GOLD, PRED, ["strict"], **arguments)


def test_a_prediction_without_a_score_is_named_in_pythons_words(found: Thresholds) -> None:
    said = r"document 0.*: the predicted span A .* has no score; .* missing_score=1\.0 "
    for ask, sides in ((thresholds, ([[(0, 3, "A")]], [[(0, 3, "A")]])), (found.apply, (TEST_GOLD, TEST_GOLD))):
        with pytest.raises(ValueError, match=said):
            ask(*sides)
    found = thresholds([[(0, 3, "A")]], [[(0, 3, "A")]], ["strict"], missing_score=1.0)
    assert found.best["cut"] == 1.0


def test_metrics_that_need_words_are_left_out_without_them() -> None:
    pred = [[{"start": 0, "end": 3, "label": "A", "score": 0.5}]]
    assert "wrf is left out" in str(thresholds([[(0, 3, "A")]], pred))


def test_the_metric_of_the_cut_is_added() -> None:
    gold = [[(0, 3, "A"), (5, 8, "B")]]
    pred = [[{"start": 0, "end": 3, "label": "A", "score": 0.5}, {"start": 5, "end": 9, "label": "B", "score": 0.4}]]
    assert [*thresholds(gold, pred, ["fair"])["metrics"]] == ["fair", "strict"]
    assert [*thresholds(gold, pred, ["fair"], best="slot_error_ser")["metrics"]] == ["fair", "slot_error"]
