"""Many documents settled at once, against each by itself; and read from Docs together, against one by one."""

from __future__ import annotations

import gc
from contextlib import nullcontext
from weakref import ref

import numpy as np
import pytest
import spacy
from docs import any_example, doc, example, grouped
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from spacy.attrs import ENT_IOB, ENT_TYPE
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from spacy_nereval.counting.shared import ROOM, Shared
from spacy_nereval.counting.views import View
from spacy_nereval.integration.ranges import TokenBatch
from strategies import corpora, nested

from spacy_nereval import Counts, Document, Span, count, create_all, evaluate, score
from spacy_nereval.core.declaration import Metric, Verdict, one_each
from spacy_nereval.counting.batch import CONTESTED_GOLD, CONTESTED_PRED, HIT, MISS, SPURIOUS, Batch, batches, contest
from spacy_nereval.evaluation.scores import document_scores, summarise
from spacy_nereval.integration.examples import count_examples, documents, read, read_together

some = tries(100)


def meet(a: Span, b: Span) -> bool:
    """A span of length zero meets its equals, and those that have a character on either side of it."""
    return a[:2] == b[:2] or (a.start < b.end and b.start < a.end)


def kinds(document: Document) -> dict[tuple, int]:
    """What each span of either side is, by following overlaps from span to span."""
    gold, pred = set(document.gold), set(document.pred)
    rest = [(0, span) for span in gold - pred] + [(1, span) for span in pred - gold]
    found = {(side, span): HIT for side in (0, 1) for span in gold & pred}
    for start in rest:
        group, waiting = {start}, [start]
        while waiting:
            _, span = waiting.pop()
            for other in rest:
                if other not in group and meet(span, other[1]):
                    group.add(other)
                    waiting.append(other)
        contested = len({side for side, _ in group}) == 2
        found[start] = ((CONTESTED_GOLD, CONTESTED_PRED) if contested else (MISS, SPURIOUS))[start[0]]
    return found


@some
@given(corpora(nested(most=6), most=5).filter(len))
def test_every_span_is_what_following_overlaps_says_it_is(corpus):
    batch = Batch(corpus)
    found: list[dict] = [{} for _ in corpus]
    for k, side, start, end, label, kind in zip(
        *(column.tolist() for column in (batch.doc, batch.side, batch.start, batch.end, batch.label, batch.kind))
    ):
        found[k][side, (start, end, batch.labels[label])] = kind
    assert found == [kinds(document) for document in corpus]


@some
@given(corpora(nested(most=6), most=5).filter(len))
def test_the_contests_of_many_documents_are_those_of_each(corpus):
    """Those that differ only in where they stand are one, with all the documents that it is in."""
    expected = [
        (from_its_first_span(each), k)
        for k, document in enumerate(corpus)
        for each in document.contests
        if each.gold and each.pred
    ]
    found = [((c.gold, c.pred), docs) for shape, docs in Batch(corpus).contests() if (c := contest(shape))]
    assert sorted((sides, k) for sides, docs in found for k in docs) == sorted(expected)
    assert len(found) == len({repr(sides) for sides, _ in expected})


def from_its_first_span(contest):
    first = min(span.start for span in (*contest.gold, *contest.pred))
    return tuple([Span(a - first, b - first, label) for a, b, label in side] for side in (contest.gold, contest.pred))


def test_a_span_of_length_zero_at_the_end_of_a_text_does_not_meet_one_at_the_start_of_the_next():
    corpus = [Document([(3, 3, "A")], [], "abc"), Document([], [(0, 0, "A")], "abc")]
    assert sorted(Batch(corpus).kind.tolist()) == [MISS, SPURIOUS]


@some
@given(corpus=st.lists(st.none() | nested(), max_size=7), together=st.integers(1, 3))
def test_it_does_not_matter_how_many_documents_are_counted_together(corpus, together):
    counts = Counts(create_all())
    for document in corpus:
        counts.add(document)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacy_nereval.counting.batch.TOGETHER", together)
        assert evaluate(count(corpus, create_all())) == evaluate(counts)


def test_documents_are_taken_from_their_source_as_they_are_counted():
    """And not all at first: a corpus need not fit into memory."""
    counts = Counts(create_all(["strict"]))
    seen = []

    def source():
        for k in range(5000):
            seen.append(counts.documents)
            yield Document([(k, k + 1, "A")], [])

    counts.extend(source())
    assert counts.documents == 5000
    assert all(k - behind <= 2048 for k, behind in enumerate(seen))


@pytest.mark.parametrize("end", [2**40 + 1, 10**30])
def test_offsets_that_no_text_has_are_an_error(end):
    with pytest.raises(ValueError, match=r"gold Span\(0, .*\) ends behind character 1099511627776"):
        Document([(0, end, "A")], [])
    assert (
        score([Document([(0, 2**40, "A")], [(2, 2**40, "B")])] * 300, ["fair"])["metrics"]["fair"]["counts"]["lbe"]
        == 300
    )


# Docs that are read together


def shown(document: Document | None) -> tuple | None:
    words = [[*document.unigrams(spans)] for spans in (document.gold, document.pred)] if document else None
    return document and (document.gold, document.pred, document.text, document.id, document.ignored, words)


@some
@given(st.lists(any_example(), max_size=5) | st.lists(grouped(), max_size=4))
def test_examples_are_read_together_as_one_by_one(examples):
    key = "k" if any("k" in doc.spans for eg in examples for doc in (eg.reference, eg.predicted)) else None
    alone = [read(eg.reference, eg.predicted, key) for eg in examples]
    assert [shown(document) for document in documents(examples, key)] == [shown(document) for document in alone]
    metrics = create_all(
        {name: {} for name in ("strict", "semeval", "loio", "fair", "char")} | {"wrf": {"unique": False}}
    )
    one_by_one = Counts(metrics)
    for document in alone:
        one_by_one.add(document)
    assert evaluate(count(documents(examples, key), metrics)) == evaluate(one_by_one)
    assert evaluate(count_examples(examples, metrics, key)) == evaluate(one_by_one)


def test_one_example_that_has_to_be_carried_over_leaves_the_others_as_they_are():
    same, other = doc("a b c", (0, 1, "A"), (2, 3, "B")), doc("a _ b c", (0, 1, "A"), (3, 4, "B"))
    examples = [
        example(same, same),
        example(same, other),
        example(doc("a b c", annotated=False), same),
        example(same, same),
    ]
    for some in (examples, [examples[0], examples[3]], examples[1:3]):
        counts = count_examples(some, create_all(["strict"]))
        assert counts.skipped == some.count(examples[2])
        assert evaluate(counts) == evaluate(count(documents(some), create_all(["strict"])))


def test_examples_without_annotation_are_left_out_of_what_is_read_together():
    """Rather than that all have to be made one by one because of them."""
    same, unannotated = doc("a b c", (0, 1, "A")), doc("a b c", annotated=False)
    longer, partly = doc("a b c d", annotated=False), doc("a b c", (0, 1, "A"), missing=[(1, 2)])
    first, last = example(same, doc("a b c", (2, 3, "B"))), example(same, same)
    ((_, batch),) = read_together([first, example(unannotated, same), example(longer, same), last])
    assert isinstance(batch, TokenBatch)
    assert (len(batch), batch.skipped) == (2, 2)
    assert [document.pred for document in batch] == [((4, 5, "B"),), ((0, 1, "A"),)]
    ((_, one_by_one),) = read_together([first, example(partly, same), last])
    assert not isinstance(one_by_one, TokenBatch)
    assert len([*one_by_one]) == 3


def test_documents_that_were_read_together_are_gone_when_they_are_counted():
    """At once, and not when Python next searches for cycles: Docs can be large."""
    same = doc("a b", (0, 1, "A"))
    ((_, batch),) = read_together([example(same, same)] * 3)
    assert isinstance(batch, TokenBatch)
    metrics = create_all(["token", "wrf", "fair"])
    gone = ref(batch)
    gc.disable()
    try:
        Counts(metrics).extend_together([batch])
        del batch
        assert gone() is None
    finally:
        gc.enable()


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
    gold = doc("a b", (0, 1, "ONE"), vocab=Vocab())
    pred = doc("a b", (1, 2, "OTHER"), vocab=Vocab())
    assert "OTHER" not in gold.vocab.strings
    assert [(found.gold, found.pred) for found in documents([example(gold, pred)] * 2)] == [
        (((0, 1, "ONE"),), ((2, 3, "OTHER"),))
    ] * 2


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
            list(documents([example(good, good), example(*pair), example(good, good)]))


def test_an_entity_ends_with_its_text():
    """Even if the next text begins in the middle of one."""
    good = doc("a b", (0, 2, "A"))
    assert [shown(found)[:2] for found in documents([example(good, good)] * 3)] == [(((0, 3, "A"),),) * 2] * 3
    with pytest.raises(ValueError, match=r"example 1: \[E093\]"):
        list(documents([example(good, good), example(unbegun("a b", [1, 2], ["A", ""]), good)]))


def test_a_blocked_token_ends_an_entity_and_is_none():
    gold = doc("a b c d", (0, 2, "A"), (3, 4, "A"), blocked=[(2, 3)])
    assert next(documents([example(gold, gold)])).gold == ((0, 3, "A"), (6, 7, "A"))


def test_an_error_in_a_text_names_its_example_and_comes_after_those_before_it():
    same, other = doc("a b", (0, 1, "A")), doc("a c")
    coming = documents([example(same, same), example(same, same), example(same, other)])
    assert [next(coming).gold for _ in range(2)] == [((0, 1, "A"),)] * 2
    with pytest.raises(ValueError, match=r"example 2: the predicted text differs"):
        next(coming)


def test_an_error_of_whoever_makes_the_examples_is_left_alone():
    def broken():
        yield example(doc("a"), doc("a"))
        raise ValueError("the source ran dry")

    with pytest.raises(ValueError, match=r"^the source ran dry$"):
        list(documents(broken()))


def test_examples_may_come_one_by_one():
    """As from a generator that makes each anew."""
    made = (Example(doc("a b", (0, 1, "A")), doc("a b", (0, 1, "A"))) for _ in range(600))
    counts = count_examples(made, create_all(["strict"]))
    assert (counts.documents, counts.gold, counts.pred) == (600, 600, 600)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_the_search_for_cycles_is_as_it_was_when_all_is_counted(enabled, fails):
    seen = []

    def judge(contest):
        seen.append(gc.isenabled())
        if fails:
            raise ZeroDivisionError
        return ()

    metric = Metric(judge, lambda n: {}, one_each("tp", "fn", "fp"), name="watching")
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(ZeroDivisionError) if fails else nullcontext():
            count([Document([(0, 2, "A")], [(1, 3, "A")])], [metric])
        assert (seen, gc.isenabled()) == ([False], enabled)
    finally:
        gc.enable()


TEXT = "abcdefghijklmnopqrst"
LETTERS = [(k, k + 1) for k in range(len(TEXT))]
SIDES = [
    *(([a], [b]) for a in ((0, 4), (1, 4), (0, 8)) for b in ((0, 4), (0, 3), (0, 5), (1, 4), (2, 6), (4, 6))),
    *((side, [(0, 5), (5, 9)]) for side in ([(0, 9)], [(0, 6), (6, 9)], [(0, 9), (1, 2), (5, 8)], [(4, 7), (4, 8)])),
]
"""Boundaries of gold and predicted spans, most of which have to do with each other."""


@pytest.mark.parametrize(("together", "shapes"), [(1 << 11, 1 << 14), (5, 1 << 14), (5, 3)])
def test_what_is_said_of_spans_is_said_only_of_those_like_them(monkeypatch, together, shapes):
    """Contests that differ only in where they stand are judged once; the verdicts on one document are found anew."""
    monkeypatch.setattr("spacy_nereval.counting.batch.TOGETHER", together)
    monkeypatch.setattr("spacy_nereval.counting.counts.SHAPES", shapes)
    corpus = [
        Document(
            [(a + shift, b + shift, label) for (a, b), label in zip(gold, labels)],
            [(a + shift, b + shift, label) for (a, b), label in zip(pred, "ABA")],
            TEXT,
            tokens=LETTERS,
        )
        for shift in (0, 2, 5)
        for gold, pred in SIDES
        for labels in ("ABA", "BAB", "AAA")
    ]
    assert sum(len(docs) > 1 for _, docs in Batch(corpus).contests()) > 30
    for metric in create_all(["all"]):
        sums = View(count(corpus, [metric]), metric).sums(by_document=True)
        said = [[*metric.verdicts(document)] for document in corpus]
        for column, names in metric.columns.items():
            if not isinstance(names, str):
                expected = [sum(verdict.amount for verdict in each if verdict.name in names) for each in said]
                assert sums[column].tolist() == pytest.approx(expected), (metric.name, column)


def test_contests_that_are_alike_are_judged_once_in_all_batches(monkeypatch):
    monkeypatch.setattr("spacy_nereval.counting.batch.TOGETHER", 2)
    seen = []

    def judge(contest):
        seen.append(contest)
        yield Verdict("fn", contest.gold[0], None)

    metric = Metric(judge, lambda n: {"n": n["fn"]}, one_each("tp", "fn", "fp"), totals=("n",), name="watching")
    corpus = [Document([(k, k + 3, "A")], [(k + 1, k + 3, label)]) for k in range(5) for label in "AB"]
    result = evaluate(count(corpus, [metric]))["metrics"]["watching"]
    assert (len(seen), result["scores"], result["averages"]["docs"]) == (2, {"n": 10}, {"undefined": {}})


@pytest.mark.parametrize("name", [metric.name for metric in create_all(["all"])])
def test_what_views_share_is_left_as_it_is(name):
    """The confusion matrix counts overlaps that the scores weigh."""
    (metric,) = create_all([name])
    corpus = [Document([(0, 4, "A"), (5, 9, "B")], [(0, 3, "A"), (5, 9, "A")], TEXT, tokens=LETTERS)]
    counts = count(corpus, [metric])
    shared = Shared(counts)
    View(counts, metric, shared=shared).confusion()
    View(counts, metric, shared=shared).kinds()
    found, alone = summarise(View(counts, metric, shared=shared)), summarise(View(counts, metric))
    np.testing.assert_equal(found.scores, alone.scores)
    np.testing.assert_equal(found.label_counts, alone.label_counts)


def test_documents_with_very_many_spans_are_not_taken_for_others():
    """Numbers of spans are told apart by one code, which has room for so many of each kind."""
    many = [(k, k + 1, "A") for k in range(ROOM)]
    corpus = [Document(many, many), Document([(0, 1, "A")], []), Document([], [(0, 1, "A")])]
    (metric,) = create_all(["strict"])
    assert document_scores(View(count(corpus, [metric]), metric))["f"].tolist() == [1, 0, 0]


def test_long_documents_are_taken_together_in_smaller_numbers():
    short = Document([(0, 1, "A")], [], "a b", tokens=[(0, 1), (2, 3)])
    long = Document([(0, 1, "A")], [], "a " * 100_000)
    many = Document([(0, 1, "A")], [], "a " * 40_000, tokens=[(2 * k, 2 * k + 1) for k in range(40_000)])
    assert [len(some) for some in batches([short] * 2500, lambda document: document.size)] == [2048, 452]
    assert [len(some) for some in batches([long] * 8, lambda document: document.size)] == [3, 3, 2]
    assert [len(some) for some in batches([many] * 5, lambda document: document.size)] == [2, 2, 1]
