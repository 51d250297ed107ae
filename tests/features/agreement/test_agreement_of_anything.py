"""`agreement` and `thresholds` of whatever annotators and models have made, and results that show themselves."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import spacy
from annotators import TEXTS, records
from scored import rows
from spacy.tokens import Doc, SpanGroup

from spacy_nereval import Agreement, Confidence, Document, Thresholds, agreement, load, score, thresholds
from spacy_nereval.io.saved_results import load_cuts


@pytest.fixture(scope="module")
def found() -> Agreement:
    return agreement({name: records(name) for name in "abc"})


def test_records_and_iterators(found):
    assert str(Fraction(found["units"]["alpha"]).limit_denominator(10**4)) == "373/670"
    assert found == agreement({name: iter(records(name)) for name in "abc"})
    assert found["annotators"] == ["a", "b", "c"]


def test_tags_belong_together_by_their_order():
    ann = [["B-PER", "O", "O"], ["O", "B-LOC"], None]
    bob = [["B-PER", "O", "B-LOC"], None, ["O"]]
    eve = [["O", "O", "B-LOC"], ["O", "B-ORG"], None]
    result = agreement({"ann": ann, "bob": bob, "eve": eve})
    pairs = {(row["a"], row["b"]): row["documents"] for row in result["pairs"]}
    assert pairs == {("ann", "bob"): 1, ("ann", "eve"): 2, ("bob", "eve"): 1}
    assert (result["documents"], result["single"], result["units"]["n"]) == (2, 1, 5)
    assert [row["document"] for row in result["disputes"]["documents"]] == [0, 1]


def test_tokens_that_somebody_did_not_annotate_count_for_nobody():
    result = agreement({"ann": [["-", "B-PER", "O"]], "bob": [["B-PER", "B-PER", "O"]]})
    assert (result["ignored"], result["spans"]) == (1, {"ann": 1, "bob": 1})
    assert result["metrics"]["strict"]["f"]["mean"] == 1


def test_spans_with_and_without_texts():
    ann, bob = [[(0, 3, "PER"), (8, 11, "PER")], []], [[{"start": 0, "end": 3, "label": "PER"}], [(0, 4, "LOC")]]
    bare = agreement({"ann": ann, "bob": bob})
    assert bare["metrics"]["strict"]["f"]["mean"] == 0.5
    assert bare["units"]["alpha"] is bare["u_alpha"]["u_alpha"] is None
    assert "the texts are not known" in bare["units"]["reason"]
    assert "ℹ the texts are not known" in str(bare)
    with pytest.raises(ValueError, match="rows of gold annotation need the text, and this document has none"):
        bare.consensus()
    texts = [TEXTS["d1"], TEXTS["d2"]]
    known = agreement({"ann": ann, "bob": bob}, text=texts)
    assert known["units"]["n"] == 11
    assert known["metrics"] == bare["metrics"]
    mixed = agreement({"ann": ann, "bob": [{"text": t, "spans": s} for t, s in zip(texts, bob)]})
    assert mixed["units"] == known["units"]
    mentions = agreement({"ann": [[("Ada", "PER")]], "bob": [[("Ada", "PER"), ("Zoe", "PER")]]}, text=[TEXTS["d1"]])
    assert mentions["metrics"]["strict"]["f"]["mean"] == pytest.approx(2 / 3)
    assert mentions["mentions"]["invented"] == 1
    assert mentions["units"]["alpha"] == 1  # what the text does not have has no unit


def test_tokens_of_texts_without_tokens():
    """Words or offsets, in the order in which everybody has the texts."""
    ann, bob = ([{"text": "Ada-met Bob", "spans": spans}] for spans in ([(0, 3, "PER")], [(0, 7, "PER")]))
    assert agreement({"ann": ann, "bob": bob}, "token")["units"]["n"] == 2
    for tokens in (["Ada", "-", "met", "Bob"], [(0, 3), (3, 4), (4, 7), (8, 11)]):
        found = agreement({"ann": ann, "bob": bob}, "token", tokens=[tokens])
        assert found["units"]["n"] == found["pairs"][0]["metrics"]["token"]["counts"]["tokens"] == 4
        assert found["metrics"]["token"]["f"]["mean"] == 0.5
        assert found["tokens"] == {"annotation": 1}


def test_docs_and_their_span_groups():
    nlp, docs = spacy.blank("en"), {}
    for name, end in (("ann", 2), ("bob", 1)):
        doc = nlp("Ada Lovelace met Bob")
        doc.set_ents([spacy.tokens.Span(doc, 0, end, "PER")])
        doc.spans["sc"] = [spacy.tokens.Span(doc, 3, 4, "PER")]
        docs[name] = [doc]
    assert agreement(docs)["units"]["n"] == 4
    assert agreement(docs)["metrics"]["strict"]["f"]["mean"] == 0
    assert agreement(docs, spans_key="sc")["metrics"]["strict"]["f"]["mean"] == 1
    with pytest.raises(ValueError, match="no Doc of ann has spans under this key"):
        agreement(docs, spans_key="nowhere")


def test_label_rules_and_metrics():
    sides = {name: records(name) for name in "abc"}
    chosen = agreement(sides, ["fair"], only=["LOC"])
    assert [row["label"] for row in chosen["disputes"]["labels"]] == ["LOC"]
    result = agreement(sides, {"slot_error": {"beta": 2}}, labels={"ORG": "PER"})
    assert result["metrics"]["slot_error"]["f"]["symmetric"] is False
    assert result["merged"] == 0
    assert "⚠ labels: GPE to map" in str(agreement(sides, ["strict"], labels="GPE=LOC"))
    assert [row["label"] for row in result["disputes"]["labels"]] == ["LOC", "PER"]


def test_metrics_that_need_what_is_not_known_are_left_out():
    result = agreement({"ann": [[(0, 3, "PER")]], "bob": [[(0, 3, "PER")]]}, ["papers"])
    assert "wrf" in result["left_out"]
    assert "wrf" not in result["metrics"]
    assert "wrf is left out" in str(result)
    rows = [{"tokens": ["Ada", "met"], "ner_tags": [1, 0]}]
    named = agreement({"ann": rows, "bob": rows}, tag_names=["O", "B-PER"])
    assert named["units"]["alpha"] == 1


def test_it_shows_itself(found, tmp_path):
    """`test_agreement_doors` compares texts, frames and files with those of the command."""
    assert "Pairs of annotators, strict F" in found.summary(digits=1)
    assert "<table" in found._repr_html_() and "<script" not in found._repr_html_()
    assert found.signature == found["signature"]
    for ending in (".json", ".jsonl", ".csv", ".tex", ".html"):
        found.save(tmp_path / f"a{ending}")
    assert json.loads((tmp_path / "a.json").read_text()) == found
    assert [len(record.spans) for record in load(tmp_path / "a.jsonl")] == [2, 1, 0]
    assert load(tmp_path / "a.jsonl")[0].spans[1] == (15, 23, "LOC")
    with pytest.raises(ValueError, match=r"expected a file that ends with .*\.jsonl"):
        found.save(tmp_path / "a.png")


def test_disputes_counts_and_intervals(found):
    assert len(found.errors()) == 6
    assert {row["label"] for row in found.errors(["LOC"])} == {"LOC"}
    with pytest.raises(ValueError, match="there is no label 'X'; there are LOC, ORG, PER"):
        found.errors(["X"])
    assert found.counts["a", "b"].documents == 2
    assert [len(row["spans"]) for row in found.consensus()] == [2, 1, 0]
    assert "intervals" not in found
    bounded = agreement({name: records(name) for name in "abc"}, ["strict"], confidence=Confidence(level=0.9))
    assert bounded["confidence"]["level"] == 0.9
    assert bounded["intervals"]["metrics"]["strict"]["f"]["mean"]["flag"] == "few"


SIDES = {name: records(name) for name in "ab"}
BARE = {"text": "a b", "spans": []}
WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no table": ([records("a")], {}, "expected a table of names and annotations"),
    "a single document": ({"a": records("a")[0], "b": records("b")}, {}, "expected a list of documents"),
    "both sides": ({"a": [Document([], [])], "b": [Document([], [])]}, {}, "a has Documents, which hold both sides"),
    "unit": (SIDES, {"unit": "word"}, "unit='word': expected token or char"),
    "consensus": (SIDES, {"consensus": 3}, "expected majority, all, or a number"),
    "confidence": (SIDES, {"confidence": 0.95}, r"confidence=0.95: expected True, a table such as"),
    "text twice": (SIDES, {"text": ["x"]}, "text= is given, but the items have their"),
    "tokens twice": ({name: [BARE | {"tokens": [{"start": 0, "end": 3}]}] for name in "ab"}, {"tokens": [["a", "b"]]},
        "tokens= is given, but the documents of a have their own: leave it out"),
    "tokens of other texts": ({"a": [BARE], "b": [BARE]}, {"tokens": [["a", "c"]]},
        "document 0 of a: token 1, 'c', is not in the text"),
    "tokens of fewer": (SIDES, {"tokens": [[]]}, "tokens has 1 document; expected the"),
    "tokenizer": ({"a": [["O"]], "b": [["O"]]}, {"tokenizer": "en"}, "tokenizer='en' is given, but the texts are not"),
    "lengths": ({"a": [[]], "b": [[]]}, {"text": ["x", "y"]}, "text has 2 documents; expected the same number"),
    "numbers of tags": ({"ann": [["B-A", "O"]], "bob": [["O"]]}, {}, "document 0: ann has 2 tags and bob has 1 tag; "
        "expected one tag per token"),
    "numbers of documents": ({"ann": [["O"]] * 3, "bob": [["O"]]}, {}, "ann has 3 documents and bob has 1 document; "
        "expected the same number, with None"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_name_what_is_wrong(case):
    annotators, settings, said = WRONG[case]
    with pytest.raises(ValueError, match=said):
        agreement(annotators, **settings)


# Thresholds


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
    assert str(other).startswith("Cut A at 0.41 and B at 0.51, on 20 other documents: strict F ")
    nothing = thresholds([[]], [[]], ["strict"])
    assert nothing.apply(TEST_GOLD, TEST_PRED) == nothing | {"applied": None}


def test_a_whole_curve(chosen: Thresholds) -> None:
    curve = chosen.curve()
    assert curve["cut"][0] is None and curve["kept"][0] == 0 and curve["f"][-1] == chosen.best["no_cut"]
    assert chosen.curve("fair", "A")["f"][-1] == score(GOLD, PRED, ["fair"]).labels["A"].fair.f
    with pytest.raises(ValueError, match="there is no metric 'loio'; there are strict, fair"):
        chosen.curve("loio")
    with pytest.raises(ValueError, match="there is no label 'X'; there are A, B"):
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


def test_metrics_that_need_words_are_left_out_without_them() -> None:
    pred = [[{"start": 0, "end": 3, "label": "A", "score": 0.5}]]
    assert "wrf is left out" in str(thresholds([[(0, 3, "A")]], pred))


def test_the_metric_of_the_cut_is_added() -> None:
    gold = [[(0, 3, "A"), (5, 8, "B")]]
    pred = [[{"start": 0, "end": 3, "label": "A", "score": 0.5}, {"start": 5, "end": 9, "label": "B", "score": 0.4}]]
    assert [*thresholds(gold, pred, ["fair"])["metrics"]] == ["fair", "strict"]
    assert [*thresholds(gold, pred, ["fair"], best="slot_error_ser")["metrics"]] == ["fair", "slot_error"]
