"""A batch of documents is one table of spans, which says of each what its document says."""

from collections import Counter as Labels

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from strategies import corpora, nested

from spacy_nereval import Document, Span, create, create_all
from spacy_nereval.counting import batch as module
from spacy_nereval.counting.batch import Batch, DocumentBatch, batches, group_shapes, kinds_and_groups
from spacy_nereval.counting.counter import Counter, count
from spacy_nereval.counting.unit_keys import content_key
from spacy_nereval.evaluation.collapsing import count_collapsed

some = tries(100)
many = corpora(nested(most=6), most=5)


def meet(a: Span, b: Span) -> bool:
    """A span of length zero meets its equals, and those that have a character on either side of it."""
    return a[:2] == b[:2] or (a.start < b.end and b.start < a.end)


def groups_of(document: Document) -> list[set]:
    """All spans but the hits as (side, span), in groups, by following overlaps from span to span."""
    gold, pred = set(document.gold), set(document.pred)
    rest = {(0, span) for span in gold - pred} | {(1, span) for span in pred - gold}
    found = []
    while rest:
        group, waiting = set(), [rest.pop()]
        while waiting:
            one = waiting.pop()
            group.add(one)
            near = {other for other in rest if meet(one[1], other[1])}
            rest -= near
            waiting += near
        found.append(group)
    return found


def spans(batch: Batch) -> list[dict[Span, tuple[bool, bool]]]:
    """The spans of each document, and whether gold and prediction have them."""
    found: list[dict] = [{} for _ in range(batch.documents)]
    columns = (batch.doc, batch.start, batch.end, batch.label, batch.gold, batch.pred)
    for doc, start, end, label, gold, pred in zip(*(column.tolist() for column in columns)):
        span = Span(start, end, batch.labels[label])
        assert span not in found[doc], "a span is there once"
        found[doc][span] = gold, pred
    return found


@some
@given(many)
def test_gold_labels_at_the_place_of_another_predicted_label_are_the_same_from_everywhere(corpus):
    pairs = ((p, g) for doc in corpus for p in {*doc.pred} - {*doc.gold} for g in {*doc.gold})
    wanted = Labels((p.label, g.label) for p, g in pairs if p[:2] == g[:2])
    strict = [create("strict")]
    assert sum((doc.partners for doc in corpus), Labels()) == module.count_partners(DocumentBatch(corpus)) == wanted
    assert count(corpus, strict).partners == count_collapsed(corpus, strict, 0).partners == wanted
    assert sum((count([doc], strict) for doc in corpus[1:]), count(corpus[:1], strict)).partners == wanted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "TOGETHER", 1)
        assert count(corpus, strict).partners == wanted


@some
@given(many)
def test_a_batch_has_the_spans_of_its_documents_in_order(corpus):
    batch = DocumentBatch(corpus)
    expected = [{span: (span in d.gold, span in d.pred) for span in sorted({*d.gold, *d.pred})} for d in corpus]
    assert [[*each.items()] for each in spans(batch)] == [[*each.items()] for each in expected]
    assert list(batch.doc) == sorted(batch.doc)
    assert batch.labels == sorted({span.label for document in corpus for span in (*document.gold, *document.pred)})


@some
@given(many)
def test_kinds_and_groups_are_what_following_overlaps_says(corpus):
    batch = DocumentBatch(corpus)
    kind, group = (column.tolist() for column in kinds_and_groups(batch))
    assert [number == -1 for number in group] == [each == module.HIT for each in kind]
    found: list[dict] = [{} for _ in corpus]
    row = 0
    for doc, own in enumerate(spans(batch)):
        for span, (gold, pred) in own.items():
            if gold and pred:
                assert kind[row] == module.HIT
            else:
                found[doc].setdefault(group[row], set()).add((int(pred), span, kind[row]))
            row += 1
    assert len({number for each in found for number in each}) == sum(map(len, found)), "a group is in one document"
    for document, own in zip(corpus, found):
        expected = groups_of(document)
        assert {frozenset(each) for each in expected} == {
            frozenset((side, span) for side, span, _ in each) for each in own.values()
        }
        for each in own.values():
            both = len({side for side, _, _ in each}) == 2
            assert {(side, its) for side, _, its in each} <= (
                {(0, module.GROUP_GOLD), (1, module.GROUP_PRED)} if both else {(0, module.MISS), (1, module.SPURIOUS)}
            )


@some
@given(many)
def test_the_shapes_of_groups_are_the_groups_of_each_document_moved_to_the_start(corpus):
    batch = DocumentBatch(corpus)
    first, shapes = group_shapes(batch, *kinds_and_groups(batch), batch.label, {})
    found = []
    for doc, shape in zip(batch.doc[first].tolist(), shapes):
        group = module.overlap_group(shape, batch.labels, [])
        found.append((doc, group.gold, group.pred))
    expected = []
    for doc, document in enumerate(corpus):
        for group in document.overlap_groups:
            if group.gold and group.pred:
                origin = min(span.start for span in (*group.gold, *group.pred))
                moved = [
                    [Span(a - origin, b - origin, label) for a, b, label in side] for side in (group.gold, group.pred)
                ]
                expected.append((doc, *moved))
    assert sorted(found) == sorted(expected)


def test_a_span_of_length_zero_at_the_end_of_a_text_does_not_meet_one_at_the_start_of_the_next():
    corpus = [Document([(3, 3, "A")], [], "abc"), Document([], [(0, 0, "A")], "abc")]
    assert kinds_and_groups(DocumentBatch(corpus))[0].tolist() == [module.MISS, module.SPURIOUS]


@pytest.mark.parametrize("end", [2**40 + 1, 10**30])
def test_offsets_that_no_text_has_are_an_error(end):
    with pytest.raises(ValueError, match=r"gold Span\(0, .*\) ends after character 1099511627776"):
        Document([(0, end, "A")], [])


def test_the_greatest_offsets_of_many_documents_do_not_get_into_each_other_s_way():
    corpus = [Document([(0, 2**40, "A")], [(2**40 - 1, 2**40, "B")])] * module.TOGETHER
    kind, group = kinds_and_groups(DocumentBatch(corpus))
    assert kind.tolist() == [module.GROUP_GOLD, module.GROUP_PRED] * len(corpus)
    assert group.tolist() == [k // 2 for k in range(2 * len(corpus))]


# What documents are called


def test_what_a_document_is_resampled_with_is_its_unit_then_its_id_then_its_content():
    named, alone, other, within = (Document([(0, 1, "A")], [], "ab", id=id) for id in ("a", None, None, "b"))
    other.text, within.unit = "ba", "patient 1"
    *found, last = DocumentBatch([named, alone, other, within]).units()
    assert last == "patient 1"
    assert found == ["a", content_key("ab", [(0, 1, "A")]), content_key("ba", [(0, 1, "A")])]
    assert len({*found}) == 3
    empty, *long = (Document([], [], "x" * 9000 + end, id=id) for end, id in (("", "a"), ("y", None), ("z", None)))
    empty.unit = ""
    keys = DocumentBatch([empty, *long]).units()
    assert keys[0] == "" and keys[1] != keys[2], "an empty key is a key, and of a text every letter counts"


@some
@given(st.permutations([(0, 1, "A"), (0, 1, "B"), (3, 5, "A"), (3, 9, "C")]), nested())
def test_neither_the_order_of_spans_nor_the_prediction_changes_what_a_document_is_resampled_with(gold, other):
    base = Document([(0, 1, "A"), (0, 1, "B"), (3, 5, "A"), (3, 9, "C")], [])
    assert DocumentBatch([Document(gold + gold[:2], other.pred)]).units() == DocumentBatch([base]).units()
    assert DocumentBatch([other, base]).units()[1] == DocumentBatch([base]).units()[0]


# Documents read in several batches


@some
@given(corpus=st.lists(st.none() | nested(), min_size=1, max_size=6), data=st.data())
def test_documents_read_in_parts_are_counted_as_if_read_at_once(corpus, data):
    for number, document in enumerate(corpus):
        if document:
            document.id = data.draw(st.sampled_from([None, str(number)]))
            document.ignored, document.repaired = number, 1
    home = [data.draw(st.integers(0, 2)) for _ in corpus]
    kept = [k for k, document in enumerate(corpus) if document]
    parts = []
    for own in range(3):
        mine = [k for k in range(len(corpus)) if home[k] == own]
        parts.append(DocumentBatch([corpus[k] for k in mine]))
        parts[-1].places = np.array([kept.index(k) for k in mine if corpus[k]], dtype=np.int64)
    counters = [Counter(create_all()) for _ in range(2)]
    counters[0].add(*parts)
    counters[1].add(DocumentBatch(corpus))
    found, whole = (counter.counts for counter in counters)
    for name in ("ids", "units", "labels", "skipped", "ignored", "repaired", "documents"):
        assert getattr(found, name) == getattr(whole, name), name
    tables = [
        [{key: n for key, n in zip(counts.keys, row) if n} for row in counts.cells.toarray().tolist()]
        for counts in (found, whole)
    ]
    assert tables[0] == tables[1]


# How many at a time


def test_long_documents_are_taken_together_in_smaller_numbers():
    short = Document([(0, 1, "A")], [], "a b", tokens=[(0, 1), (2, 3)])
    long = Document([(0, 1, "A")], [], "a " * 100_000)
    tokens = Document([(0, 1, "A")], [], "a " * 40_000, tokens=[(2 * k, 2 * k + 1) for k in range(40_000)])
    assert [each.documents for each in batches([short] * 2500)] == [2048, 452]
    assert [each.documents for each in batches([long] * 8)] == [3, 3, 2]
    assert [each.documents for each in batches([tokens] * 5)] == [2, 2, 1]
    assert [(each.documents, each.skipped) for each in batches([None, short, None])] == [(1, 2)]
    assert [*batches([])] == []


def test_documents_are_taken_from_their_source_as_they_are_counted():
    """And not all at first: a corpus need not fit into memory."""
    taken, done = iter(range(5000)), 0
    for batch in batches(Document([(k, k + 1, "A")], []) for k in taken):
        done += batch.documents
        assert taken.__length_hint__() >= 5000 - done - 1
    assert done == 5000
