"""Docs that are read together as arrays, against each pair read by itself."""

from __future__ import annotations

from weakref import ref

import numpy as np
import pytest
import spacy
from docs import any_example, doc, example
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from spacy.attrs import ENT_IOB, ENT_TYPE
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_nereval import Document, count, create_all, evaluate
from spacy_nereval.counting.counter import Counter
from spacy_nereval.integration.examples import DocBatch, batches, count_examples, documents


def together(examples: list[Example]) -> list[Document]:
    """The documents of all batches, in their places."""
    placed: dict[int, Document] = {}
    for parts, _ in batches(examples):
        first = len(placed)
        for part in parts:
            placed |= {first + place: part.document(k) for k, place in enumerate(part.places.tolist())}
    assert [*sorted(placed)] == [*range(len(placed))]
    return [placed[place] for place in sorted(placed)]


def shown(document: Document) -> tuple:
    words = [[*document.unigrams(spans)] for spans in (document.gold, document.pred)]
    return document.gold, document.pred, document.text, document.tokens, document.id, words


@tries(100)
@given(st.lists(any_example(), max_size=5))
def test_examples_are_read_together_as_one_by_one(examples):
    alone = [document for document in documents(examples) if document]
    assert [shown(each) for each in together(examples)] == [shown(each) for each in alone]
    for parts, _ in batches(examples):
        assert sum(part.skipped for part in parts) == len(examples) - len(alone)
    counts = count_examples(examples, create_all(["strict"]))
    assert counts.units == count(alone, create_all(["strict"])).units


def test_documents_that_were_read_together_are_gone_when_they_are_counted():
    """Docs can be large."""
    same = doc("a b", (0, 1, "A"))
    (((batch,), _),) = batches([example(same, same)] * 3)
    assert isinstance(batch, DocBatch)
    counter = Counter(create_all(["token", "wrf", "fair"]))
    gone = ref(batch)
    counter.add(batch)
    del batch
    assert gone() is None


def mistaken(vocab: Vocab) -> Example:
    """Oslo was found where Rome was to be found."""
    gold, pred = doc("Rome Oslo", (0, 1, "A"), vocab=vocab), doc("Rome Oslo", (1, 2, "A"), vocab=vocab)
    return example(gold, pred)


def test_words_are_told_apart_as_each_vocabulary_does():
    usual, own = spacy.blank("en").vocab, spacy.blank("en").vocab
    own["Rome"].lower_ = own["Oslo"].lower_ = "town"
    for order in ([usual, own], [own, usual], [own, usual, own]):
        counts = count_examples(map(mistaken, order), create_all(["wrf"]))
        found = evaluate(counts)["metrics"]["wrf"]["per_type"]["A"]["counts"]
        assert found["match"] == order.count(own)


def test_a_label_may_be_known_to_one_vocabulary_only():
    gold, pred = doc("a b", (0, 1, "ONE"), vocab=Vocab()), doc("a b", (1, 2, "OTHER"), vocab=Vocab())
    assert "OTHER" not in gold.vocab.strings
    found = [(each.gold, each.pred) for each in together([example(gold, pred)] * 2)]
    assert found == [(((0, 1, "ONE"),), ((2, 3, "OTHER"),))] * 2


def unbegun(words: str, iob: list[int], kinds: list[str]) -> Doc:
    """A Doc with these values of tokens, which spaCy itself would not write."""
    made = doc(words)
    numbers = [made.vocab.strings.add(kind) if kind else 0 for kind in kinds]
    made.from_array([ENT_IOB, ENT_TYPE], np.array([iob, numbers], dtype=np.uint64).T)
    return made


@pytest.mark.parametrize(
    ("iob", "kinds"),
    [([1, 2, 2], ["A", "", ""]), ([2, 1, 2], ["", "A", ""]), ([3, 1, 2], ["", "A", ""]), ([3, 2, 1], ["A", "", "A"])],
)
def test_an_entity_that_goes_on_but_never_began_is_an_error_that_names_the_example(iob, kinds):
    good, bad = doc("a b c", (2, 3, "A")), unbegun("a b c", iob, kinds)
    for pair in ((good, bad), (bad, good)):
        with pytest.raises(ValueError, match=r"example 1: \[E093\]"):
            together([example(good, good), example(*pair), example(good, good)])


def test_an_entity_ends_with_its_text():
    """Even if the next text begins in the middle of one."""
    good = doc("a b", (0, 2, "A"))
    assert [shown(found)[:2] for found in together([example(good, good)] * 3)] == [(((0, 3, "A"),),) * 2] * 3
    with pytest.raises(ValueError, match=r"example 1: \[E093\]"):
        together([example(good, good), example(unbegun("a b", [1, 2], ["A", ""]), good)])


def test_a_blocked_token_ends_an_entity_and_is_none():
    gold = doc("a b c d", (0, 2, "A"), (3, 4, "A"), blocked=[(2, 3)])
    assert together([example(gold, gold)])[0].gold == ((0, 3, "A"), (6, 7, "A"))


def test_an_error_of_whoever_makes_the_examples_is_left_alone():
    def broken():
        yield example(doc("a"), doc("a"))
        raise ValueError("the source ran dry")

    with pytest.raises(ValueError, match=r"^the source ran dry$"):
        count_examples(broken(), create_all(["strict"]))


def test_examples_of_several_vocabularies_are_counted_once_each_and_in_their_order():
    first, second = spacy.blank("en").vocab, spacy.blank("en").vocab
    examples = []
    for name, vocab in zip("ABCD", (first, second, second, first)):
        gold, pred = doc("Ada slept", (0, 1, name), id=name, vocab=vocab), doc("Ada slept", (1, 2, name), vocab=vocab)
        examples.append(example(gold, pred))
    found = together(examples)
    assert [(each.id, each.gold[0].label, each.pred[0].label) for each in found] == [(k, k, k) for k in "ABCD"]
    counts = count_examples(examples, create_all(["strict"]))
    assert (counts.ids, counts.gold, counts.pred) == ([*"ABCD"], 4, 4)
