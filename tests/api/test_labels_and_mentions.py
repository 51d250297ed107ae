"""Labels are mapped, selected and cut, and mentions are located, whatever a user has."""

from __future__ import annotations

import re

import pytest

from spacy_nereval import compare, score

TEXT = "Ada met Bob in Rome. Bob left."
GOLD = [[(0, 3, "PER"), (8, 11, "PER"), (15, 19, "LOC"), (21, 24, "PER")]]
MENTIONS = [[("ada", "PER"), ("Bob", "PER"), ("Bob", "PER"), ("Eve", "PER"), ("Rome", "GPE/CITY")]]


def strict(result):
    return tuple(result["metrics"]["strict"]["counts"].values())


def test_mentions_are_spans_where_the_text_has_them_and_spurious_where_it_does_not():
    result = score(GOLD, MENTIONS, ["strict", "fair"], text=[TEXT])
    assert strict(result) == (3, 2, 1)
    assert (result["mentions"]["listed"], result["mentions"]["invented"]) == (5, 1)
    assert "5 mentions without offsets" in str(result) and "mentions:listed,caseless" in result.signature
    assert [row["pred_text"] for row in result.errors(verdicts=["fp"])] == ["Eve"]
    named = [[{"text": string, "label": label, "score": 0.5} for string, label in MENTIONS[0]]]
    for given in ({"pred": named, "text": [TEXT]}, {"pred": [{"text": TEXT, "mentions": named[0]}]}):
        gold = GOLD if "text" in given else [{"text": TEXT, "spans": GOLD[0]}]
        assert score(gold, metrics=["strict", "fair"], **given) == result, "scores change nothing"


def test_how_mentions_are_looked_for_can_be_chosen():
    assert strict(score(GOLD, MENTIONS, ["strict"], text=[TEXT], match="exact")) == (2, 3, 2)
    assert strict(score(GOLD, MENTIONS, ["strict"], text=[TEXT], occurrences="first")) == (2, 2, 2)
    record = {"text": TEXT, "mentions": [list(mention) for mention in MENTIONS[0]]}
    gold = [{"text": TEXT, "spans": [list(span) for span in GOLD[0]]}]
    assert strict(score(gold, [record], ["strict"])) == strict(score(gold, MENTIONS, ["strict"])) == (3, 2, 1)
    assert strict(score(gold, [record], ["strict"], match="exact")) == (2, 3, 2)


def test_labels_are_mapped_cut_and_selected():
    mapped = score(GOLD, MENTIONS, ["strict"], text=[TEXT], labels={"GPE": "LOC"}, depth=1)
    assert strict(mapped) == (3, 2, 1), "mapped before they are cut"
    mapped = score(GOLD, MENTIONS, ["strict"], text=[TEXT], labels={"GPE/CITY": "LOC"})
    assert strict(mapped) == (4, 1, 0) and "labels:" in mapped.signature
    cut = score(GOLD, MENTIONS, ["strict"], text=[TEXT], depth=1, only=["PER", "GPE"])
    assert strict(cut) == (3, 2, 0) and [*cut["metrics"]["strict"]["per_type"]] == ["GPE", "PER"]
    tags = score([["B-A:x", "O"]], [["B-A:y", "B-C"]], ["strict"], depth=1, sep=":", labels="C=")
    assert strict(tags) == (1, 0, 0) and tags["merged"] == 0


def test_documents_and_comparisons_take_label_options_too():
    documents = score(GOLD, MENTIONS, text=[TEXT])._documents
    assert strict(score(documents, ["strict"], labels={"GPE/CITY": "LOC"})) == (4, 1, 0)
    found = compare(
        {"a": MENTIONS * 8, "b": GOLD * 8}, GOLD * 8, ["strict"], text=[TEXT] * 8, labels={"GPE/CITY": "LOC"}
    )
    row = next(row for row in found["comparisons"] if row["score"] == "f")
    assert (row["baseline_value"], row["value"]) == (pytest.approx(8 / 9), 1.0)
    assert "labels:" in found.signature


def test_labels_that_differ_between_the_sides_are_said_first():
    result = score([["B-PERSON"]], [["B-PER"]], ["strict"])
    assert "⚠ No predicted label is a gold label" in str(result).splitlines()[0]
    assert "add labels='PER=PERSON'" in str(result)
    assert "to map, but neither side has such a label" in str(
        score([["B-A"]], [["B-A"]], ["strict"], labels={"B": "C"})
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text": None}, "document 0: pred has mentions without offsets, which are looked for in the text: give text="),
        ({"match": "close"}, "match"),
        ({"occurrences": "some"}, "occurrences"),
        ({"only": ["ORG"]}, "only='ORG': there is no label 'ORG' in gold or prediction"),
        ({"labels": {"A": "B", "B": "A"}}, "labels: A -> B -> A is a cycle"),
        ({"depth": 0}, "depth=0: expected a whole number of levels"),
    ],
)
def test_options_that_cannot_be_used(options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        score(GOLD, MENTIONS, ["strict"], **{"text": [TEXT], **options})
