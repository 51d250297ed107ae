"""Lists of Docs and of Examples, which are read as arrays, have the results of their documents."""

import copy
import json
import pickle
import random

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from refusals import refused_with
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_nereval import score
from spacy_nereval.api import scoring
from spacy_nereval.integration.examples import DocPair, PairBatches, pair_docs

VOCAB = spacy.blank("en").vocab
WORDS = ["Ada", "met", "k", ",", "10", " ", "Ko\u0301", "\n", "Bob's", "東", "京"]


@st.composite
def docs(draw):
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
    spaces = [draw(st.booleans()) for _ in words]

    def annotated():
        doc, at = Doc(VOCAB, words, spaces), 0
        spans = []
        while at < len(words):
            size = draw(st.integers(0, 2))
            if size and at + size <= len(words):
                spans.append(Span(doc, at, at + size, draw(st.sampled_from(["A", "B", "A/C"]))))
            at += max(size, 1)
        missing = draw(st.booleans()) and spans and draw(st.booleans())
        doc.set_ents(spans, default="missing" if missing else "outside")
        return doc

    gold, pred = annotated(), annotated()
    if id := draw(st.sampled_from([None, None, "x"])):
        gold.user_data["id"] = pred.user_data["id"] = id
    return gold, pred


def content(result):
    counts = result.counts
    signs = {key: number for key, number in counts.signs.items() if number}
    return json.dumps(result), signs, result.errors("fair"), counts.ids, counts.units, str(result)


def is_bare(document):
    return document if document is None else (document.gold, document.pred, document.text, document.tokens, document.id)


@pytest.mark.slow
@tries(60)
@given(st.lists(docs(), min_size=1, max_size=6), st.sampled_from([None, ["strict", "fair", "token"]]))
def test_docs_have_the_result_of_their_documents(pairs, metrics):
    golds, preds = (list(side) for side in zip(*pairs))
    examples = [Example(pred, gold) for gold, pred in pairs]
    fast = score(golds, preds, metrics), score(examples, metrics)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "_result_of_docs", lambda *_: None)
        slow = score(golds, preds, metrics), score(examples, metrics)
    assert [*map(content, fast)] == [*map(content, slow)]
    if all(doc.has_annotation("ENT_IOB") for doc in golds):
        read = PairBatches([DocPair(*pair) for pair in pairs])
        assert [*map(is_bare, read)] == [is_bare(pair_docs(*pair)) for pair in pairs]


def test_results_of_docs_can_be_copied_and_stay_when_docs_change():
    rng = random.Random(0)
    golds = [Doc(VOCAB, ["Ada", "met", "Bob"], ents=[rng.choice(["B-A", "O"]), "O", "B-B"]) for _ in range(20)]
    preds = [Doc(VOCAB, ["Ada", "met", "Bob"], ents=["B-A", "O", "O"]) for _ in range(20)]
    result = score(golds, preds, ["strict"])
    for doc in preds:
        doc.ents = ()
    expected = score([Doc(VOCAB, ["Ada", "met", "Bob"], ents=["B-A", "O", "O"])] * 20, golds, ["strict"])
    assert len(result.errors("strict")) == len(expected.errors("strict"))
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert other.errors("strict") == result.errors("strict")


def test_docs_that_do_not_fit_together_are_told_as_before():
    gold, pred = Doc(VOCAB, ["Ada"], ents=["B-A"]), Doc(VOCAB, ["Eve"], ents=["O"])
    with refused_with(
        ValueError,
        "document 1: the predicted text differs from the reference in more than white space and "
        "case: 'E' at 0 against 'A' at 0",
    ):
        score([gold, gold], [gold, pred])
    with refused_with(
        ValueError,
        "example 1: the predicted text differs from the reference in more than white space and case: "
        "'E' at 0 against 'A' at 0",
    ):
        score([Example(gold, gold), Example(pred, gold)])
    with refused_with(
        ValueError,
        "gold has 2 documents and pred has 1; expected the same number in both; the predictions lack "
        "1 document: missing_tokens='O' reads their tokens as outside of spans",
    ):
        score([gold, gold], [gold])
