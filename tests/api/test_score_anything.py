"""`score` of whatever a user has: every kind of item gives the same numbers, and what cannot be read is said."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_nereval import Confidence, Document, load, score
from spacy_nereval.integration.examples import documents
from spacy_nereval.io.formats.tags import Scheme, chunks
from spacy_nereval.io.records import Record
from spacy_nereval.io.tag_sequences import read_tags

WORDS = [["Ada", "met", "Bob", "in", "New", "York"], ["Rome", "calls"], ["Nobody", "slept"]]
TEXTS = [" ".join(words) for words in WORDS]
GOLD = [["B-PER", "O", "B-PER", "O", "B-LOC", "I-LOC"], ["B-LOC", "O"], ["O", "O"]]
PRED = [["B-PER", "O", "B-ORG", "O", "O", "B-LOC"], ["B-LOC", "B-PER"], ["O", "O"]]
GOLD_SPANS = [[(0, 3, "PER"), (8, 11, "PER"), (15, 23, "LOC")], [(0, 4, "LOC")], []]
PRED_SPANS = [[(0, 3, "PER"), (8, 11, "ORG"), (19, 23, "LOC")], [(0, 4, "LOC"), (5, 10, "PER")], []]
NLP = spacy.blank("en")


OFFSETS = [[match.span() for match in re.finditer(r"\S+", text)] for text in TEXTS]


def dicts(side, start="start", end="end", label="label", *, inclusive=0, surface=None):
    made = [[{start: a, end: b - inclusive, label: name} for a, b, name in spans] for spans in side]
    if surface:
        for spans, text in zip(made, TEXTS):
            for span in spans:
                span[surface] = text[span[start] : span[end] + inclusive]
    return made


def docs(side):
    made = []
    for words, spans in zip(WORDS, side):
        doc = Doc(NLP.vocab, words=words, spaces=[True] * (len(words) - 1) + [False])
        doc.set_ents([doc.char_span(*span) for span in spans])
        made.append(doc)
    return made


def records(side):
    return [
        {"text": text, "spans": dicts([spans])[0], "id": f"d{k}"} for k, (text, spans) in enumerate(zip(TEXTS, side))
    ]


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
    assert [*result["metrics"]] == ["strict", "semeval", "slot_error", "loio", "fair", "wrf"]
    assert result["metrics"]["strict"]["counts"] == {"tp": 2, "fp": 3, "fn": 2}
    assert result["metrics"]["fair"]["counts"]["be_s"] == 1
    assert (result["gold"], result["pred"], result["documents"]) == (4, 5, 3)
    assert score(GOLD, PRED, ["token"])["metrics"]["token"]["scores"]["accuracy"] == 7 / 10
    # Half of the words of LOC [4, 6) are found, and all of LOC [0, 1).
    assert result["metrics"]["wrf"]["per_type"]["LOC"]["scores"]["r1_p"] == 1.0
    assert result["metrics"]["wrf"]["per_type"]["LOC"]["scores"]["r1_r"] == 0.75


def test_without_words_wrf_is_left_out_and_the_result_says_so():
    result = score(GOLD_SPANS, PRED_SPANS)
    assert "wrf" not in result["metrics"] and len(result["metrics"]) == 5
    assert result["left_out"] == {"wrf": "the words are not known: give text=, the text of each document"}
    assert "wrf is left out: the words are not known" in str(result)
    with pytest.raises(ValueError, match="words need the text"):
        score(GOLD_SPANS, PRED_SPANS, ["wrf"])


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
        (["B-A", "O", "I-A", "I-A"], {}, [(0, 1), (2, 4)]),
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
        for sequence, found in zip(sequences, read_tags(sequences, "gold")):
            read = [*chunks(sequence)]
            assert found.spans == [chunk[:3] for chunk in read]
            assert found.repaired == sum(not chunk.is_allowed(scheme.name) for chunk in read)
            assert found.gaps == [k for k, tag in enumerate(sequence) if tag == "-"]


TAG_ERRORS = {
    "lengths": (
        GOLD,
        [PRED[0], ["O"], PRED[2]],
        "document 1: gold has 2 tags and pred has 1; expected one tag per token",
    ),
    "documents": (GOLD, PRED[:2], "gold has 3 documents and pred has 2 documents; expected the same number"),
    "numbers": (GOLD, [[1, 0], [1], [0]], "pred, document 0: tag 0 is 1, a number without a name"),
    "none": (GOLD, [["O", None], [], []], "pred, document 0: tag 1 is None; expected a tag"),
    "no tag": ([["O", "B-A"], ["C"]], [["O", "O"], ["O"]], "gold, document 1: tag 0 is 'C', which is not a tag"),
    "bare": ([["B", "I"]], [["O", "O"]], "gold, document 0: tag 0 is 'B', which has no label"),
    "mixed": (GOLD, [PRED[0], [(0, 4, "LOC")], PRED[2]], "pred, document 1: spans, and the documents before have tags"),
    "not nested": (["B-A", "O"], ["B-A", "O"], "gold, document 0: it is the text 'B-A'; expected a list of tags"),
    "text": ("B-A", ["O"], "gold is of type str; expected a list of documents: read a file with load(path)"),
    "path": (
        GOLD,
        Path("pred.jsonl"),
        f"pred is of type {type(Path()).__name__}; expected a list of documents: read a file",
    ),
    "no pred": (GOLD, None, "pred is missing"),
    "against spans": (GOLD, PRED_SPANS, "document 0: gold has tags, which count tokens, and the other side has spans"),
}


@pytest.mark.parametrize("kind", TAG_ERRORS)
def test_what_cannot_be_read_of_tags_is_said(kind):
    gold, pred, said = TAG_ERRORS[kind]
    with pytest.raises(ValueError, match="^" + re.escape(said)):
        score(gold, pred)


SPAN_ERRORS = {
    "shorter tags": (GOLD_SPANS, [["O"], [], []], {"tokens": WORDS}, "document 0: pred has 1 tag for 6 tokens"),
    "longer tags": (GOLD, PRED, {"tokens": [WORDS[0][:5], *WORDS[1:]]}, "document 0: gold has 6 tags for 5 tokens"),
    "words": (GOLD, PRED, {"text": ["Ada", *TEXTS[1:]]}, "document 0: gold has 6 tags, and the text has 1 words"),
    "not in the text": (
        *(GOLD, PRED),
        {"text": TEXTS, "tokens": [["Ada", "Eve"], *WORDS[1:]]},
        "document 0: token 1, 'Eve', is not in the text after character 3",
    ),
    "fewer texts": (
        GOLD_SPANS,
        PRED_SPANS,
        {"text": TEXTS[:1]},
        "gold has 3 documents and pred has 3 documents and text",
    ),
    "outside": (
        [[(0, 9, "A")]],
        [[]],
        {"text": ["Ada"]},
        "document 0: gold span 0 Span(0, 9, 'A') ends after the text",
    ),
    "no label": ([[{"start": 0, "end": 3}]], [[]], {}, "document 0: gold span 0, {'start': 0, 'end': 3}, has no label"),
    "raw pipeline": (
        *([[]], [[{"entity": "B-PER", "start": 0, "end": 3}]], {}),
        "document 0: pred span 0 has the tag of a single token, 'B-PER'; expected whole spans: make the pipeline with "
        'aggregation_strategy="simple"',
    ),
    "slow tokenizer": (
        *([[]], [[{"entity_group": "PER", "start": None, "end": None}]], {}),
        "document 0: pred span 0, {'entity_group': 'PER', 'start': None, 'end': None}, has no number as start and end",
    ),
    "one span": ([(0, 3, "A")], [(0, 3, "A")], {}, "gold, document 0: (0, 3, 'A') is a single span"),
    "one dict": (dicts(GOLD_SPANS)[0], [], {}, "gold, document 0: {'start': 0, 'end': 3, 'label': 'PER'} is a single"),
    "another text": (
        *(GOLD_SPANS, [[{"start": 0, "end": 3, "label": "A", "text": "Eve"}], [], []], {"text": TEXTS}),
        "document 0: pred span 0 from 0 to 3 is 'Ada', but it says 'Eve'",
    ),
    "inclusive, said": (
        *(GOLD_SPANS, dicts(PRED_SPANS, inclusive=1, surface="word"), {"text": TEXTS}),
        "document 0: pred span 0 from 0 to 2 is 'Ad', and it says 'Ada', which ends at 3: give end=\"inclusive\"",
    ),
    "inclusive, seen": (
        *(dicts(GOLD_SPANS, inclusive=1), dicts(PRED_SPANS, inclusive=1), {"text": TEXTS}),
        "every span ends one character before the end of a word, so the ends look inclusive; expected exclusive ends: "
        'give end="inclusive"',
    ),
    "end": (GOLD_SPANS, PRED_SPANS, {"end": "open"}, "end='open': expected 'exclusive' or 'inclusive'"),
    "scheme": (GOLD, PRED, {"scheme": "BIO"}, "scheme='BIO': expected one of auto, IOB1"),
    "repair": (GOLD, PRED, {"repair": None}, "repair=None: expected one of conll"),
    "invalid tags": (
        [["O", "I-A", "B-B"]],
        [["O"] * 3],
        {"repair": "error"},
        "gold, document 0: tag 1, I-A, continues no",
    ),
    "text of Docs": (docs(GOLD_SPANS), docs(PRED_SPANS), {"text": TEXTS}, "text= is given, but the spaCy Docs have"),
    "tokens of Docs": (
        *(docs(GOLD_SPANS), PRED, {"tokens": WORDS}),
        "document 0: tokens= is given, but the document has its own",
    ),
    "ids": (
        *(records(GOLD_SPANS), [{**record, "id": f"e{k}"} for k, record in enumerate(records(PRED_SPANS))], {}),
        "pred lacks 3 documents: d0, d1, d2",
    ),
    "other texts": (
        *(records(GOLD_SPANS), [{**record, "text": "Bob met Ada in Old York"} for record in records(PRED_SPANS)], {}),
        "document 0 (d0): the predicted text differs",
    ),
    "bad record": (records(GOLD_SPANS), [{"text": "Ada"}], {}, 'pred, document 0: there is no list of "spans"'),
    "a Doc": (docs(GOLD_SPANS)[0], docs(PRED_SPANS)[0], {}, "gold is of type Doc; expected a list of documents: wrap"),
    "Documents as pred": (GOLD, [Document([], [])], {}, "pred has Documents, which hold both sides"),
    "Documents twice": (
        [Document([], [])],
        ["strict"],
        {"metrics": ["fair"]},
        "Documents and Examples hold both sides",
    ),
    "unhappy item": ([3], [3], {}, "gold, document 0: 3 is of type int; expected a list of tags"),
}


@pytest.mark.parametrize("kind", SPAN_ERRORS)
def test_what_cannot_be_read_of_spans_is_said(kind):
    gold, pred, options, said = SPAN_ERRORS[kind]
    with pytest.raises(ValueError, match="^" + re.escape(said)):
        score(gold, pred, **options)


def test_a_span_that_ends_within_a_word_is_no_mistake_if_another_does_not():
    pred = [[(0, 2, "PER"), (8, 10, "ORG"), (15, 22, "LOC")], [(0, 4, "LOC")], []]
    assert score(GOLD_SPANS, pred, text=TEXTS)["pred"] == 4


def test_files_that_are_loaded_are_scored_like_records(tmp_path, expected):
    for name, side in (("gold", GOLD_SPANS), ("pred", PRED_SPANS)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records(side))), encoding="utf8")
    gold, pred = (load(tmp_path / f"{name}.jsonl") for name in ("gold", "pred"))
    assert score(gold, pred)["metrics"] == expected
    assert score(load(str(tmp_path / "gold.jsonl"), format="jsonl"), PRED_SPANS)["metrics"] == expected
    (tmp_path / "a.txt").write_text("something", encoding="utf8")
    with pytest.raises(ValueError, match="cannot infer the format"):
        load(tmp_path / "a.txt")
