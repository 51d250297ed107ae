"""`score` of what cannot be read: the error says what is wrong with which item."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from three_texts import GOLD, GOLD_SPANS, PRED, PRED_SPANS, TEXTS, WORDS, dicts, docs, records

from spacy_nereval import Document, score

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
    "text": ("B-A", ["O"], "gold: there is no file 'B-A'; expected a list of documents, or their file"),
    "path": (
        GOLD,
        Path("pred.jsonl"),
        "pred: there is no file 'pred.jsonl'; expected a list of documents, or their file",
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
        "every span ends one character before the end of a word, so the ends look inclusive: "
        'give end="inclusive", or end="exclusive" if they are not',
    ),
    "end": (GOLD_SPANS, PRED_SPANS, {"end": "open"}, "end='open': expected one of exclusive, inclusive"),
    "scheme": (GOLD, PRED, {"scheme": "BIO"}, "scheme='BIO': expected one of auto, IOB1"),
    "repair": (GOLD, PRED, {"repair": None}, "repair=None: expected one of error, conll, discard"),
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
