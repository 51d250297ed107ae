"""`agreement` of whatever annotators have made, and results that show themselves."""

import json
from fractions import Fraction
from typing import Any

import pytest
import spacy
from annotators import TEXTS, records
from refusals import refused_with

from spacy_nereval import Agreement, Confidence, Document, agreement, load


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
    with refused_with(
        ValueError,
        "rows of gold annotation need the text, and this document has none: give every document its text",
    ):
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
    with refused_with(
        ValueError,
        "spans_key='nowhere': no Doc of ann has spans under this key; there are 'sc'",
    ):
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
    assert "wrf is excluded" in str(result)
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
    with refused_with(ValueError, "there is no label 'X'; there are LOC, ORG, PER"):
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
    "both sides": ({"a": [Document([], [])], "b": [Document([], [])]}, {}, "a has Documents, which contain both sides"),
    "unit": (SIDES, {"unit": "word"}, "unit='word': expected token or char"),
    "consensus": (SIDES, {"consensus": 3}, "expected majority, all, or a number"),
    "confidence": (SIDES, {"confidence": "high"}, r"confidence='high': expected True, a table such as"),
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


def test_alpha_without_an_annotator_is_known_where_the_remaining_lengths_are():
    """The second document has no text, and only a and b annotated it."""
    sides = {"a": [[(0, 3, "PER")]] * 2, "b": [[(0, 3, "LOC")], [(0, 3, "PER")]], "c": [[(0, 3, "PER")], None]}
    found = agreement(sides, text=["Ada met Bob", None])
    assert found["units"]["alpha"] is None and found["without"]["c"]["units"]["alpha"] is None
    for name in ("a", "b"):
        two = agreement({other: side[:1] for other, side in sides.items() if other != name}, text=["Ada met Bob"])
        assert found["without"][name]["units"]["alpha"] is not None
        for group in ("units", "u_alpha"):
            without = {key: value for key, value in found["without"][name][group].items() if key != "kappa"}
            assert without == {key: two[group][key] for key in without}
