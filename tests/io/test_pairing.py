"""Which documents of two files are a pair: by id if all of them have ids, else by their order."""

from __future__ import annotations

import itertools

import pytest
from asking import refusal
from commands import line, refused, write

from spacy_nereval.io.read import Pairing
from spacy_nereval.io.records import Record


def id_of(letter: str) -> str | None:
    return None if letter == "-" else letter


def side(*ids: str, skipped: str = "") -> list[Record]:
    """A document for each letter, which is its id; it has none if it is a hyphen."""
    return [Record("text", set(), id=id_of(id), annotated=id not in skipped) for id in ids]


def paired(golds: list[Record], preds: list[Record]) -> list[tuple[str | None, str | None]]:
    return [(gold.id, pred.id) for gold, pred in Pairing("G", "P").pairs(iter(golds), iter(preds))]


@pytest.mark.parametrize("order", itertools.permutations("abcd"))
def test_documents_with_ids_are_paired_in_any_order(order):
    assert paired(side(*"abcd"), side(*order)) == [(id, id) for id in "abcd"]
    assert paired(side(*order), side(*"abcd")) == [(id, id) for id in order]


def test_documents_with_one_id_keep_their_order():
    golds = [Record(str(k), set(), id=id) for k, id in enumerate("aba")]
    preds = [Record(str(k), set(), id=id) for k, id in enumerate("baa")]
    found = [(gold.text, pred.text) for gold, pred in Pairing("G", "P").pairs(iter(golds), iter(preds))]
    assert found == [("0", "1"), ("1", "0"), ("2", "2")]


def test_only_predictions_that_come_too_early_are_held():
    """Files in one order are read side by side, however long they are."""
    read: list[str] = []

    def noted(name: str, ids: str):
        for record in side(*ids):
            read.append(name + str(record.id))
            yield record

    for _ in Pairing("G", "P").pairs(noted("g", "abc"), noted("p", "abc")):
        pass
    assert read == ["ga", "pa", "gb", "pb", "gc", "pc"]


APART = "no id is in both: give each text the same id in both, or remove the ids from one of them to pair by order"


MISSING = [
    ("abc", "ab", "P lacks 1 document: c"),
    ("ab", "abc", "G lacks 1 document: c"),
    ("abx", "aby", "P lacks 1 document: x; G lacks 1 document: y"),
    ("aab", "ab", "P lacks 1 document: a"),
    ("abcdefg", "g", "P lacks 6 documents: a, b, c, d, e, ..."),
    ("ab", "", "P lacks 2 documents: a, b"),
    ("ab", "xy", f"P lacks 2 documents: a, b; G lacks 2 documents: x, y; {APART}"),
]


@pytest.mark.parametrize(("golds", "preds", "said"), MISSING)
def test_missing_and_surplus_documents_are_named(golds, preds, said):
    assert refusal(paired, side(*golds), side(*preds)) == said


def test_a_document_that_is_not_annotated_may_be_missing():
    assert paired(side(*"abc", skipped="b"), side(*"ca")) == [("a", "a"), ("b", "b"), ("c", "c")]
    assert paired(side(*"ac"), side(*"xca", skipped="x")) == [("a", "a"), ("c", "c")]


@pytest.mark.parametrize(("golds", "preds"), [("--", "--"), ("ab", "--"), ("--", "ab"), ("a-", "ab")])
def test_without_all_ids_documents_are_paired_by_order(golds, preds):
    assert paired(side(*golds), side(*preds)) == [(id_of(a), id_of(b)) for a, b in zip(golds, preds)]


@pytest.mark.parametrize(
    ("golds", "preds"), [("ab-", "ba-"), ("a-", "b-"), ("-a", "-b"), ("ab", "ba-"), ("ab-", "bac")]
)
def test_ids_that_contradict_the_order_are_refused(golds, preds):
    with pytest.raises(ValueError, match=r"some documents have no id, .* document \d is [ab] in G and [ab] in P: give"):
        paired(side(*golds), side(*preds))


LENGTHS = [
    ("---", "-----", "3 documents and P has 5"),
    ("abc", "-", "3 documents and P has 1"),
    ("a", "a-", "1 document and P has 2"),
]


@pytest.mark.parametrize(("golds", "preds", "said"), LENGTHS)
def test_sides_of_different_lengths_are_refused(golds, preds, said):
    assert f"G has {said}; expected the same number in both" in refusal(paired, side(*golds), side(*preds))


def test_texts_of_documents_that_are_skipped_are_compared(tmp_path):
    gold = write(tmp_path / "g.jsonl", line("Ada"), line("Bob", answer="reject"))
    pred = write(tmp_path / "p.jsonl", line("Ada"), line("Eve"))
    assert "document 1: the predicted text differs" in refused("score", gold, pred)
