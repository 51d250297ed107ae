"""`score` of whatever a user has: every kind of item gives the same numbers."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace

import pytest
from places import ROOT
from spacy.training import Example
from three_texts import GOLD, GOLD_SPANS, OFFSETS, PRED, PRED_SPANS, TEXTS, WORDS, dicts, docs, records

from spacy_nereval import Confidence, Document, apply, compare, gate, load, plan, score, thresholds
from spacy_nereval.integration.examples import documents
from spacy_nereval.io.formats.tags import Scheme, chunks
from spacy_nereval.io.records import Record
from spacy_nereval.io.tag_sequences import read_tags


def objects(side):
    """As presidio-analyzer and presidio-evaluator have spans."""
    return [[SimpleNamespace(start=a, end=b, entity_type=name, score=0.9) for a, b, name in spans] for spans in side]


def metrics_of(result):
    return result["metrics"]


@pytest.fixture(scope="module")
def expected():
    sides = zip(GOLD_SPANS, PRED_SPANS, TEXTS, OFFSETS)
    made = [Document(gold, pred, text, tokens=tokens) for gold, pred, text, tokens in sides]
    return score(made)["metrics"]


WITH_TEXT = {
    "tuples": (GOLD_SPANS, PRED_SPANS, {"text": TEXTS}),
    "lists": ([[[*span] for span in spans] for spans in GOLD_SPANS], PRED_SPANS, {"text": TEXTS}),
    "dicts": (dicts(GOLD_SPANS), dicts(PRED_SPANS), {"text": TEXTS}),
    "doccano's keys": (dicts(GOLD_SPANS, "start_offset", "end_offset"), PRED_SPANS, {"text": TEXTS}),
    "transformers": (GOLD_SPANS, dicts(PRED_SPANS, label="entity_group", surface="word"), {"text": TEXTS}),
    "GLiNER": (GOLD_SPANS, dicts(PRED_SPANS, surface="text"), {"text": TEXTS}),
    "Presidio": (objects(GOLD_SPANS), objects(PRED_SPANS), {"text": TEXTS}),
    "nervaluate": (
        dicts(GOLD_SPANS, inclusive=1),
        dicts(PRED_SPANS, inclusive=1),
        {"text": TEXTS, "end": "inclusive"},
    ),
    "Docs": (docs(GOLD_SPANS), docs(PRED_SPANS), {}),
    "spaCy's Spans": (
        [[*doc.ents] for doc in docs(GOLD_SPANS)],
        [doc.ents for doc in docs(PRED_SPANS)],
        {"text": TEXTS},
    ),
    "records": (records(GOLD_SPANS), records(PRED_SPANS)[::-1], {}),
    "Records": ([Record(*pair) for pair in zip(TEXTS, map(set, GOLD_SPANS))], records(PRED_SPANS), {}),
    "Docs and spans": (docs(GOLD_SPANS), dicts(PRED_SPANS), {}),
    "Docs and tags": (docs(GOLD_SPANS), PRED, {}),
    "records, tags and words": (records(GOLD_SPANS), PRED, {"tokens": WORDS}),
    "tags and words": (GOLD, PRED, {"tokens": WORDS}),
    "tags and texts": (GOLD, PRED, {"text": TEXTS}),
    "tags, texts and words": (GOLD, PRED, {"text": TEXTS, "tokens": WORDS}),
    "tags and spans": (GOLD, PRED_SPANS, {"tokens": WORDS}),
    "spans and tokens": (GOLD_SPANS, PRED_SPANS, {"text": TEXTS, "tokens": OFFSETS}),
    "iterators": (iter(GOLD_SPANS), iter(PRED_SPANS), {"text": iter(TEXTS)}),
}


@pytest.mark.parametrize("kind", WITH_TEXT)
def test_every_kind_of_item_gives_the_numbers_of_documents(kind, expected):
    gold, pred, options = WITH_TEXT[kind]
    assert score(gold, pred, **options)["metrics"] == expected


def test_examples_are_scored_as_they_are_and_so_are_the_calls_of_before(expected):
    examples = [Example(pred, gold) for gold, pred in zip(docs(GOLD_SPANS), docs(PRED_SPANS))]
    assert score(examples)["metrics"] == expected
    made = [*documents(examples)]
    assert score(made, ["fair"])["metrics"] == score(examples, metrics=["fair"])["metrics"]
    confidence = Confidence(samples=20)
    assert (
        score(made, ["fair"], confidence)
        == score(iter(made), {"fair": {}}, confidence=confidence)
        == score(examples, metrics=["fair"], confidence=confidence)
    )
    assert score(made, None, confidence)["confidence"]["level"] == 0.95
    assert score([None, *made])["skipped"] == 1
    assert score([], ["strict"])["documents"] == score([])["documents"] == 0


def test_tags_alone_are_scored_in_tokens():
    result = score(GOLD, PRED)
    assert [*result["metrics"]] == ["strict", "semeval", "slot_error", "loio", "fair"]
    assert result["metrics"]["strict"]["counts"] == {"tp": 2, "fp": 3, "fn": 2}
    assert result["metrics"]["fair"]["counts"]["be_s"] == 1
    assert (result["gold"], result["pred"], result["documents"]) == (4, 5, 3)
    assert score(GOLD, PRED, ["token"])["metrics"]["token"]["scores"]["accuracy"] == 7 / 10


def test_without_words_wrf_is_left_out_and_the_result_says_so():
    result = score(GOLD_SPANS, PRED_SPANS)
    assert "wrf" not in result["metrics"] and len(result["metrics"]) == 5
    assert result["left_out"] == {"wrf": "the words are not known: give text=, the text of each document"}
    assert "wrf is left out: the words are not known" in str(result)
    with pytest.raises(ValueError, match="words need the text"):
        score(GOLD_SPANS, PRED_SPANS, ["wrf"])
    assert score(GOLD, PRED)["left_out"] == {"wrf": "the words are not known: give tokens=, the words of each document"}
    with pytest.raises(ValueError, match="words need the text: give tokens="):
        score(GOLD, PRED, ["wrf"])


def test_with_the_words_of_tags_wrf_counts_words_not_their_numbers():
    """The repeated "Rome" is one word, and was two while tokens were told apart by their numbers."""
    tags, words = ["B-LOC", "O", "B-LOC", "O", "B-PER"], ["Rome", "and", "Rome", "saw", "Ada"]
    predicted = ["B-LOC", "O", "O", "O", "B-PER"]
    assert score([tags], [predicted], ["wrf"], tokens=[words])["metrics"]["wrf"]["scores"]["wrf"] == 1.0
    assert "wrf" not in score([tags], [predicted])["metrics"]


def test_documents_without_annotation_are_skipped():
    result = score([GOLD[0], None, GOLD[2]], [PRED[0], PRED[1], PRED[2]])
    assert (result["documents"], result["skipped"]) == (2, 1)
    result = score(GOLD_SPANS, [PRED_SPANS[0], None, []], text=TEXTS)
    assert (result["documents"], result["skipped"]) == (2, 1)
    with pytest.raises(ValueError, match="none of the predictions of 3 documents has entity annotation"):
        score(GOLD, [None, None, None])
    with pytest.raises(ValueError, match="none of the predictions of 2 documents has entity annotation"):
        score([GOLD_SPANS[0], None, []], [None, None, None], text=TEXTS)


def test_predictions_where_gold_is_not_annotated_are_ignored_and_counted():
    for options in ({}, {"tokens": [["a", "b", "c"]]}):
        result = score([["-", "B-A", "O"]], [["B-A", "B-A", "O"]], ["strict"], **options)
        assert result["ignored"] == 1 and result["metrics"]["strict"]["scores"]["p"] == 1
        beside = score([["B-A", "-", "B-A"]], [["B-A", "O", "B-A"]], ["strict"], **options)
        assert beside["ignored"] == 0 and beside["metrics"]["strict"]["counts"]["tp"] == 2


@pytest.mark.parametrize("tokens", [None, [["Ada", "met"]], [[(0, 3), (4, 7)]]], ids=["none", "words", "offsets"])
def test_repairs_of_both_sides_are_counted(tokens):
    gold, pred = [["I-A", "O"]], [["I-A", "I-B"]]
    assert score(gold, pred, ["strict"], scheme="IOB2", repair="conll", tokens=tokens)["repaired"] == 3


def test_the_same_text_twice_is_two_units_without_words():
    gold = [["B-A", "O"]] * 6
    result = score(gold, [["B-A", "O"]] * 5 + [["O", "O"]], ["strict"], Confidence(samples=20))
    assert result["confidence"]["units"] == 6


@pytest.mark.parametrize(
    ("tags", "options", "spans"),
    [
        (["I-A", "I-A", "B-A", "O"], {}, [(0, 2), (2, 3)]),  # IOB1
        (["B-A", "L-A", "U-A", "O"], {}, [(0, 2), (2, 3)]),
        (["B-A", "E-A", "S-A", "O"], {}, [(0, 2), (2, 3)]),
        (["A", "A", "O", "A"], {}, [(0, 2), (3, 4)]),  # IO
        (["E-mail", "E-mail", "O", "O"], {"scheme": "IO"}, [(0, 2)]),
        (["B-A", "O", "I-A", "I-A"], {"repair": "conll"}, [(0, 1), (2, 4)]),
        (["B-A", "O", "I-A", "I-A"], {"repair": "discard"}, [(0, 1)]),
        (["I-A", "I-A", "O", "O"], {"scheme": "IOB2", "repair": "discard"}, []),
        (["I-A", "I-A", "O", "O"], {"scheme": "IOB1", "repair": "error"}, [(0, 2)]),
        (["B-A", "E-A", "O", "O"], {"scheme": "BIOES", "repair": "error"}, [(0, 2)]),
    ],
)
def test_schemes_and_repairs(tags, options, spans):
    (found,) = read_tags([tags], "gold", **options)
    assert [span[:2] for span in found.spans] == spans


@pytest.mark.parametrize("letters", ["BI", "BIES", "BILUES"])
def test_sequences_are_read_as_files_are(letters):
    """Random tags, most of them invalid: spans, repaired spans and gaps, and the scheme of all sequences."""
    rng = random.Random(0)
    tags = ["O", "-", *(f"{letter}-{label}" for letter in letters for label in "AB")]
    for _ in range(150):
        sequences = [[rng.choice(tags) for _ in range(rng.randrange(7))] for _ in range(3)]
        scheme = Scheme()
        for sequence in sequences:
            scheme.see(sequence, range(7))
        for sequence, found in zip(sequences, read_tags(sequences, "gold", repair="conll")):
            read = [*chunks(sequence)]
            assert found.spans == [chunk[:3] for chunk in read]
            assert found.repaired == sum(not chunk.is_allowed(scheme.name) for chunk in read)
            assert found.gaps == [k for k, tag in enumerate(sequence) if tag == "-"]


def test_files_that_are_loaded_are_scored_like_records(tmp_path, expected):
    for name, side in (("gold", GOLD_SPANS), ("pred", PRED_SPANS)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records(side))), encoding="utf8")
    gold, pred = (load(tmp_path / f"{name}.jsonl") for name in ("gold", "pred"))
    assert score(gold, pred)["metrics"] == expected
    assert score(load(str(tmp_path / "gold.jsonl"), format="jsonl"), PRED_SPANS)["metrics"] == expected
    (tmp_path / "a.txt").write_text("something", encoding="utf8")
    with pytest.raises(ValueError, match="cannot infer the format"):
        load(tmp_path / "a.txt")


RULES = {"gate": {"rules": {"found": {"score": "strict_f", "at_least": 50}}}}
EACH = {
    "score": lambda gold, a, b: score(gold, b),
    "compare": lambda gold, a, b: compare({"a": a, "b": b}, gold, "strict"),
    "gate": lambda gold, a, b: gate(RULES, gold, b, a),
    "plan": lambda gold, a, b: plan(gold, b, a, difference=5),
    "thresholds": lambda gold, a, b: thresholds(gold, b, "strict").apply(gold, b),
    "apply": lambda gold, a, b: apply(gold, ROOT / "examples" / "marks.jsonl"),
}


@pytest.mark.parametrize("function", EACH)
def test_the_path_of_a_file_stands_for_its_documents(function):
    names = ("spancat-test",) * 3 if function == "thresholds" else ("gold", "baseline", "improved")
    paths = [ROOT / "examples" / f"{name}.jsonl" for name in names]
    expected = EACH[function](*map(load, paths))
    assert EACH[function](*paths) == EACH[function](*map(str, paths)) == expected
    assert dict(expected)
