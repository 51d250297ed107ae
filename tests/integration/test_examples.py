"""Reading Docs and Examples: which spans, which texts, which of them are annotated."""

from __future__ import annotations

from weakref import ref

import numpy as np
import pytest
import spacy
from docs import any_example, doc, example, nlp
from hypothesis import given
from hypothesis import strategies as st
from own_scorers import counts
from profiles import tries
from spacy.attrs import ENT_IOB, ENT_TYPE
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_nereval import Document, count, create, create_all, evaluate
from spacy_nereval.counting.counter import Counter
from spacy_nereval.integration.examples import DocBatch, batches, count_examples, documents, read

# What is read


@pytest.mark.parametrize(
    ("groups", "key", "spans"),
    [
        ({"x": [(2, 3, "X")], "all": [(0, 3, "Y")]}, "x", ((8, 11, "X"),)),
        ({"x": [(2, 3, "X")]}, None, ((0, 3, "PER"), (15, 23, "LOC"))),
        ({"x": [(0, 1, "A"), (0, 1, "A"), (0, 1, "B")]}, "x", ((0, 3, "A"), (0, 3, "B"))),
        ({"x": [(0, 3, "A"), (0, 2, "A"), (1, 3, "A")]}, "x", ((0, 7, "A"), (0, 11, "A"), (4, 11, "A"))),
    ],
)
def test_entities_or_a_group_are_characters_of_the_reference_text(groups, key, spans):
    text = "Ada met Bob in New York ."
    made = doc(text, (0, 1, "PER"), (4, 6, "LOC"), spans=groups)
    for gold, pred in ((made, doc(text, spans={"x": []})), (doc(text, spans={"x": []}), made)):
        found = read(gold, pred, key)
        assert (found.gold, found.pred, found.text) == ((spans, (), text) if gold is made else ((), spans, text))


@pytest.mark.parametrize("place, offset", [(0, 0), (1, 2), (4, 7)], ids=["first", "middle", "last"])
def test_a_span_of_length_zero_sits_at_the_start_of_its_token_and_has_no_words(place, offset):
    gold = doc("a b|_|cc dd", spans={"k": [(place, place, "A")]})
    found = read(gold, gold, "k")
    assert found.gold == ((offset, offset, "A"),)
    assert counts(found) == {"tp": 1}
    assert next(found.unigrams([found.gold[0]])) == []
    assert len(range(*found.covered_tokens(found.gold[0]))) == 0


def test_a_span_without_a_label_is_an_error_that_names_the_example_and_the_group():
    good, bad = (doc("a b", spans={"k": [(0, 1, label)]}) for label in ("A", ""))
    with pytest.raises(ValueError, match=r"example 1: doc\.spans\['k'\] has a span without a label"):
        list(documents([example(good, good), example(good, bad)], "k"))
    with pytest.raises(ValueError, match=r"example 0: .*without a label"):
        list(documents([example(bad, good)], "k"))


def test_the_id_is_the_one_in_the_user_data_of_the_reference_as_a_string():
    named, numbered = doc("a", (0, 1, "A"), id="clause 7"), doc("a")
    numbered.user_data["id"] = 7
    for pred in (doc("a", id="other"), doc("A", annotated=False)):
        assert (read(named, pred).id, read(numbered, pred).id) == ("clause 7", "7")
    assert read(doc("a"), named).id is None


def test_an_empty_doc_reads_as_an_empty_document():
    for found in (read(doc(""), doc("")), read(doc(""), doc("_"))):
        assert (found.gold, found.pred, found.text) == ((), (), "")


# Which documents are annotated


def test_a_reference_without_annotation_is_skipped_and_counted():
    blank, gold, pred = doc("a b", annotated=False), doc("a b", (0, 1, "A")), doc("a b", (1, 2, "A"))
    read_all = list(documents([example(blank, pred), example(gold, pred), example(blank, pred)]))
    assert [found is None for found in read_all] == [True, False, True]
    total = count(read_all, [create("strict")])
    assert (total.documents, total.skipped, total.gold, total.pred) == (1, 2, 1, 1)


@pytest.mark.parametrize(
    ("gold", "key", "annotated"),
    [
        (nlp("a b"), None, False),
        (doc("a b"), None, True),
        (Doc(nlp.vocab), None, True),
        (doc("_|\n", annotated=False), None, False),
        (doc("_|\n"), None, True),
        (doc("a b"), "k", False),
        (doc("a b", spans={"k": []}), "k", True),
    ],
    ids=[
        "nothing said",
        "no entities",
        "an empty text",
        "white space",
        "no entity in it",
        "no group",
        "an empty group",
    ],
)
def test_which_references_are_annotated(gold, key, annotated):
    assert (read(gold, gold, key) is not None) is annotated


GROUP = {"k": [(0, 1, "A")]}
MISSING = doc("a b", missing=[(0, 2)], spans=GROUP)
PARTIAL = doc("a b c d", (0, 1, "A"), missing=[(2, 4)])
SAID = {
    "no entities": (doc("a b"), doc("a b", (0, 1, "A")), None, {"fp": 1}, 0),
    "a prediction that says nothing": (doc("a b", (0, 1, "A")), doc("a b", annotated=False), None, {"fn": 1}, 0),
    "an empty group": (doc("a b", spans={"k": []}), doc("a b", spans=GROUP), "k", {"fp": 1}, 0),
    "a prediction without the group": (doc("a b", spans=GROUP), doc("a b"), "k", {"fn": 1}, 0),
    "without it, in other case": (doc("a b", spans=GROUP), doc("A B"), "k", {"fn": 1}, 0),
    "without it, with white space": (doc("a b", spans=GROUP), doc("a|_|b"), "k", {"fn": 1}, 0),
    "a gap is none for a group": (MISSING, doc("a b", spans={"k": [(1, 2, "A")]}), "k", {"fp": 1, "fn": 1}, 0),
    "nor if case differs": (MISSING, doc("A B", spans={"k": [(1, 2, "A")]}), "k", {"fp": 1, "fn": 1}, 0),
    "predictions in a gap": (PARTIAL, doc("a b c d", *((k, k + 1, "AAAB"[k]) for k in range(4))), None,
        {"tp": 1, "fp": 1}, 2),
    "beside a gap": (doc("Ada|-|Bob met", (0, 1, "A"), missing=[(1, 2)]),
        doc("Ada|-|Bob met", (0, 1, "A"), (2, 3, "A")), None, {"tp": 1, "fp": 1}, 0),
    "in part in a gap": (doc("a b c", missing=[(1, 2)]), doc("a b c", (0, 2, "A"), (2, 3, "A")), None, {"fp": 1}, 1),
    "a gold span that such a one meets": (doc("a b c", (0, 1, "A"), missing=[(1, 2)]), doc("a b c", (0, 2, "A")), None,
        {"fn": 1}, 1),
    "a gap where the predicted text differs": (doc("_|a b c", (2, 3, "A"), missing=[(3, 4)]),
        doc("A B C", (1, 2, "A"), (2, 3, "A")), None, {"tp": 1}, 1),
    "white space between gaps": (doc("a b c", missing=[(0, 1), (2, 3)]), doc("a b c", (1, 2, "A")), None, {"fp": 1}, 0),
    "gaps of the prediction": (doc("a b", (0, 1, "A")), doc("a b", (0, 1, "A"), missing=[(1, 2)]), None, {"tp": 1}, 0),
    "a blocked token": (doc("a b", blocked=[(0, 1)]), doc("a b", (0, 1, "A")), None, {"fp": 1}, 0),
}  # fmt: skip


@pytest.mark.parametrize(("gold", "pred", "key", "counted", "ignored"), SAID.values(), ids=SAID)
def test_what_is_annotated_counts_and_what_is_not_is_ignored(gold, pred, key, counted, ignored):
    found = read(gold, pred, key)
    assert (counts(found), found.ignored) == (counted, ignored)
    assert count([found, found], []).ignored == 2 * ignored


# Partial annotation


@pytest.mark.filterwarnings("ignore:.*W030")
def test_entities_that_fit_no_tokens_turn_into_gaps():
    made = Example.from_dict(nlp("abc de"), {"entities": [(0, 2, "A"), (4, 6, "B")]})
    made.predicted.ents = [Span(made.predicted, 0, 1, "A"), Span(made.predicted, 1, 2, "B")]
    (found,) = documents([made])
    assert counts(found) == {"tp": 1}
    assert found.ignored == 1


# Docs that are read together as arrays, against each pair read by itself


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
    assert [count_examples(examples, [], key).spans_key for key in (None, "k")] == [None, "k"]
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


def test_words_are_told_apart_as_each_vocabulary_does():
    """Oslo was found where Rome was to be found."""
    usual, own = spacy.blank("en").vocab, spacy.blank("en").vocab
    own["Rome"].lower_ = own["Oslo"].lower_ = "town"
    for order in ([usual, own], [own, usual], [own, usual, own]):
        pairs = ([doc("Rome Oslo", (k, k + 1, "A"), vocab=vocab) for k in (0, 1)] for vocab in order)
        counts = count_examples((example(*pair) for pair in pairs), create_all(["wrf"]))
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


def test_an_entity_ends_with_its_text_or_at_a_blocked_token():
    """Even if the next text begins in the middle of one."""
    good = doc("a b", (0, 2, "A"))
    assert [shown(found)[:2] for found in together([example(good, good)] * 3)] == [(((0, 3, "A"),),) * 2] * 3
    with pytest.raises(ValueError, match=r"example 1: \[E093\]"):
        together([example(good, good), example(unbegun("a b", [1, 2], ["A", ""]), good)])
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
