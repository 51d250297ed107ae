"""The documents of several annotators: which are the same, and what is left out."""

from __future__ import annotations

import pytest

from spacy_nereval.core.labels import label_rules
from spacy_nereval.io.records import Record
from spacy_nereval.io.shared_documents import Own, shared_documents

ADA = (0, 3, "PER")


def owns(*records: Record) -> list[Own]:
    return [Own(record) for record in records]


def test_repeated_texts_are_paired_in_their_order():
    first, second = Record("Ada", {ADA}), Record("Ada", set())
    found = shared_documents({"x": owns(first, second), "y": owns(first, second)})
    assert [each.spans for each in found.documents] == [{"x": [ADA], "y": [ADA]}, {"x": [], "y": []}]
    assert [found.name_of(place) for place in (0, 1)] == [0, 1]


def test_one_document_without_id_pairs_all_by_their_texts():
    x, y = Record("Ada", {ADA}, id="1"), Record("Bob", set(), id="2")
    found = shared_documents({"x": owns(x, y), "y": owns(y._replace(id=None), x._replace(id="3"))})
    assert [each.base.text for each in found.documents] == ["Ada", "Bob"]


def test_texts_may_differ_in_white_space_and_case():
    x, y = Record("Ada  met Bob", {(9, 12, "PER")}, id="1"), Record("ada met\tbob", {(8, 11, "PER")}, id="1")
    (found,) = shared_documents({"x": owns(x), "y": owns(y)}).documents
    assert (found.base.text, found.spans) == ("Ada  met Bob", {"x": [(9, 12, "PER")], "y": [(9, 12, "PER")]})


def test_tokens_are_kept_if_all_have_the_same():
    tokens = [(0, 1), (1, 3)]
    with_tokens, others = Record("Ada", set(), tokens), Record("Ada", set(), [(0, 3)])
    for record, expected in ((with_tokens, tokens), (others, None), (Record("Ada", set()), None)):
        (found,) = shared_documents({"x": owns(with_tokens), "y": owns(record)}).documents
        assert found.base.tokens == expected


def test_stretches_that_somebody_has_not_annotated_are_left_out_for_all():
    x, y = Record("Ada met Bob", {ADA}, gaps=((8, 11),)), Record("Ada met Bob", {ADA, (8, 11, "PER")})
    found = shared_documents({"x": owns(x), "y": owns(y), "z": owns(y)})
    assert found.documents[0].spans == {"x": [ADA], "y": [ADA], "z": [ADA]}
    assert found.on_reading["ignored"] == 2


def test_what_readers_left_out_adds_up_over_annotators_and_label_rules_unite():
    x = Record("Ada", {ADA, (0, 3, "ORG")}, repaired=1, duplicates=2, rejected=3)
    found = shared_documents({"x": owns(x), "y": owns(x)}, label_rules({"ORG": "PER", "GPE": "LOC"}))
    assert found.on_reading == {"ignored": 0, "repaired": 2, "duplicates": 4, "rejected": 6, "merged": 2}
    assert found.documents[0].spans == {"x": [ADA], "y": [ADA]}
    assert found.mapped == {"ORG"}


def test_mentions_that_the_text_does_not_have_are_one_line_each():
    x, y = (
        Record("Ada", {ADA}, invented=[("Zoe", "PER")]),
        Record("Ada", set(), invented=[("Zoe", "PER"), ("Eve", "PER")]),
    )
    (found,) = shared_documents({"x": owns(x), "y": owns(y)}).documents
    assert (found.base.text, found.base.annex) == ("Ada\nZoe\nEve", 3)
    assert found.spans == {"x": [ADA, (4, 7, "PER")], "y": [(4, 7, "PER"), (8, 11, "PER")]}


def test_the_unit_is_that_of_the_first_annotator():
    record = Record("Ada", set())
    found = shared_documents({"x": [Own(record, "one", "meta.a")], "y": [Own(record, "other", "meta.b")]})
    assert (found.documents[0].base.unit, found.documents[0].base.unit_rule) == ("one", "meta.a")


def test_two_texts_under_one_id_are_an_error_even_if_one_is_not_annotated():
    x, y = Record("Ada", set(), id="1"), Record("Bob", set(), id="1", annotated=False)
    with pytest.raises(ValueError, match="document 1 has one text for x and another for y"):
        shared_documents({"x": owns(x), "y": owns(y, Record("Eve", set(), id="2"))})
