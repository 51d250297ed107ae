"""Counting: kinds of spans, groups that look alike, words."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest
from asking import NEEDED
from counted import rows, seen, watching
from docs import any_example
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from strategies import corpora, nested

from spacy_nereval import Counts, Document, Metric, count, create, create_all, evaluate
from spacy_nereval.core.declaration import Kind
from spacy_nereval.counting.batch import DocumentBatch
from spacy_nereval.counting.counter import Counter
from spacy_nereval.counting.counts import mirrored
from spacy_nereval.counting.sums import NUMBER, Key
from spacy_nereval.integration.examples import count_examples, documents
from spacy_nereval.testing import check_laws, random_documents

some = tries(40)


OWN = {"A": 0.25, "B": 0.25, "C": 0.125, "D": 0.125, "combined": 0.25}


DEFAULTS: dict[str, dict[str, Any]] = {"all": {}, "tmr": NEEDED["tmr"]}


OTHERS: dict[str, dict[str, Any]] = {
    "semeval": {"focus": "system"},
    "slot_error": {"slots": "muc", "weights": "etape"},
    "loio": {"match": "optimal", "s": 0.3},
    "fair": {"unit": "token", "focus": "system", "weights": "fine"},
    "wrf": {"unique": False, "weights": OWN, "average": "micro"},
    "char": {"typed": False},
    "plagdet": {"average": "micro", "typed": True},
    "ace": {"weights": {"A": 0.1, "B": 0.7}},
}


either = pytest.mark.parametrize("table", [DEFAULTS, OTHERS], ids=["defaults", "others"])


corpora_with_gaps = st.lists(st.none() | nested(), max_size=6)


def one_by_one(corpus: Iterable[Document | None], metrics: Iterable[Metric]) -> Counts:
    """Each document in a table of its own, then all added from the left."""
    total = Counts(metrics)
    for document in corpus:
        total += count([document], total.metrics)
    return total


@either
@some
@given(corpus=corpora_with_gaps, together=st.integers(1, 3), large=st.sampled_from([1, 9, 1 << 16]))
def test_it_does_not_matter_how_many_documents_are_counted_together(table, corpus, together, large):
    metrics = create_all(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacy_nereval.counting.batch.TOGETHER", together)
        patch.setattr("spacy_nereval.counting.batch.LARGE", large)
        parted = count(corpus, metrics)
    assert seen(parted) == seen(count(corpus, metrics)) == seen(one_by_one(corpus, metrics))


@either
@some
@given(corpus=corpora_with_gaps, data=st.data())
def test_it_does_not_matter_in_which_order_and_tree_parts_are_merged(table, corpus, data):
    metrics = create_all(table)
    parts = [count(data.draw(st.permutations(corpus[k::3])), metrics) for k in range(3)]
    parts += [count([], metrics)]
    while len(parts) > 1:
        one = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        other = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        parts.append(one + other)
    whole = count(corpus, metrics)
    assert evaluate(parts[0]) == evaluate(whole)
    found, expected = (Multiset(frozenset(row.items()) for row in rows(counts)) for counts in (parts[0], whole))
    assert found == expected


@either
@some
@given(corpus=corpora(), data=st.data())
def test_reordered_counts_are_those_of_the_documents_in_that_order(table, corpus, data):
    metrics = create_all(table)
    order = data.draw(st.permutations(range(len(corpus))))
    found = count(corpus, metrics).reordered(order)
    assert seen(found) == seen(count([corpus[k] for k in order], metrics))


@either
@some
@given(corpus=corpora())
def test_a_metric_counts_the_same_alone_and_beside_others(table, corpus):
    together = count(corpus, create_all(table))
    for metric in together.metrics:
        alone = count(corpus, [metric])
        own = [{key: n for key, n in row.items() if key.metric in ("", metric.name)} for row in rows(together)]
        assert rows(alone) == own, metric.name


# Kinds of spans


@some
@given(corpora())
def test_strict_has_no_judge_and_needs_none(corpus):
    metric = create("strict")
    assert metric.judge is None
    counts = count(corpus, [metric])
    assert {key.metric for key in counts.keys} <= {""}
    assert {key.verdict for key in counts.keys} <= {kind.value for kind in Kind}
    sides = [(set(document.gold), set(document.pred)) for document in corpus]
    expected = {
        "tp": sum(len(gold & pred) for gold, pred in sides),
        "fp": sum(len(pred - gold) for gold, pred in sides),
        "fn": sum(len(gold - pred) for gold, pred in sides),
    }
    assert evaluate(counts)["metrics"]["strict"]["counts"] == expected


# Shapes of overlap groups


TEXT = "abcdefghijklmnopqrst"


LETTERS = [(k, k + 1) for k in range(len(TEXT))]


SIDES = [
    *(([a], [b]) for a in ((0, 4), (1, 4), (0, 8)) for b in ((0, 4), (0, 3), (0, 5), (1, 4), (2, 6), (4, 6))),
    *((side, [(0, 5), (5, 9)]) for side in ([(0, 9)], [(0, 6), (6, 9)], [(0, 9), (1, 2), (5, 8)], [(4, 7), (4, 8)])),
]
"""Boundaries of gold and predicted spans, most of which have to do with each other."""


def alike() -> list[Document]:
    """Documents with the same overlap groups in other places, and with other labels."""
    return [
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


METRICS = [metric for metric in create_all(["all"]) if metric.judge]


@cache
def judged_anew() -> list[dict[str, Multiset[Key]]]:
    """The verdicts of each metric on each of these documents."""
    found = []
    for document in alike():
        found.append({metric.name: Multiset() for metric in METRICS})
        for metric in METRICS:
            for name, gold, pred, amount in metric.verdicts(document):
                key = Key(metric.name, name, *(span.label if span else "" for span in (gold, pred)))
                found[-1][metric.name][key] += 1 if name in metric.partial_credit else int(amount)
    return found


@pytest.mark.costly
@pytest.mark.parametrize(("together", "remembered"), [(1 << 11, 1 << 14), (5, 1 << 14), (5, 3), (5, 0), (1, 0)])
def test_what_is_said_of_a_group_is_said_only_of_groups_like_it(monkeypatch, together, remembered):
    """Groups that differ only in where they stand are judged once; here each document is judged anew."""
    monkeypatch.setattr("spacy_nereval.counting.batch.TOGETHER", together)
    monkeypatch.setattr("spacy_nereval.counting.counter.REMEMBERED", remembered)
    for document, row, verdicts in zip(alike(), rows(count(alike(), METRICS)), judged_anew()):
        for metric in METRICS:
            own = Multiset({key: n for key, n in row.items() if key.metric == metric.name and key.quantity == NUMBER})
            for kind, name in metric.of_kind.items():
                for key, n in row.items():
                    if not key.metric and key.verdict == kind:
                        own[Key(metric.name, name, key.gold, key.pred)] += n
            assert own == verdicts[metric.name], (metric.name, document)


@pytest.mark.parametrize(("remembered", "judged"), [(1 << 14, 2), (2, 2), (1, 10), (0, 10)])
def test_groups_that_are_alike_are_judged_once_in_all_batches(monkeypatch, remembered, judged):
    """Unless there is no room to remember them."""
    monkeypatch.setattr("spacy_nereval.counting.batch.TOGETHER", 2)
    monkeypatch.setattr("spacy_nereval.counting.counter.REMEMBERED", remembered)
    seen: list = []
    corpus = [Document([(k, k + 3, "A")], [(k + 1, k + 3, label)]) for k in range(5) for label in "AB"]
    result = evaluate(count(corpus, [watching(seen)]))["metrics"]["own"]
    assert result["scores"] == {"n": 10}
    assert result["averages"]["docs"] == {"undefined": {}}
    assert len(seen) == judged


def test_a_shape_is_not_that_of_other_labels_with_the_same_places():
    """Labels have numbers that stay; in the second batch B alone occurs, as the first label."""
    counter = Counter(create_all(["fair"]))
    for label in "AB":
        counter.add(DocumentBatch([Document([(0, 3, label)], [(1, 3, label)])]))
    assert [[key.gold for key in row if key.metric] for row in rows(counter.counts)] == [["A"], ["B"]]


# Words of wrf


HOW = [
    dict(zip(("unique", "case", "unigrams"), values))
    for values in product([True, False], ["lower", "keep"], ["token", "whitespace"])
]


every_way = st.sampled_from(HOW)


@tries(200)
@given(how=every_way, corpus=corpora(), tokens=st.booleans())
def test_wrf_counts_in_a_batch_what_its_judge_says(how, corpus, tokens):
    fast = create("wrf", **how)
    slow = replace(fast, count_batch=None)
    if not tokens:
        corpus = [Document(document.gold, document.pred, document.text) for document in corpus]
    assert rows(count(corpus, [fast])) == rows(count(corpus, [slow]))
    assert evaluate(count(corpus, [fast])) == evaluate(count(corpus, [slow]))


@tries(100)
@given(how=every_way, examples=st.lists(any_example(), max_size=4))
def test_wrf_counts_in_docs_what_its_judge_says(how, examples):
    fast = create("wrf", **how)
    slow = replace(fast, count_batch=None)
    found = rows(count_examples(examples, [fast]))
    assert found == rows(count_examples(examples, [slow])) == rows(count(documents(examples), [slow]))


def test_wrf_without_any_word():
    """Nor any span, document or text to find one in."""
    assert rows(count([Document([], [], "")], create_all(["wrf"]))) == [{}]
    assert rows(count([Document([(1, 2, "A")], [(0, 0, "B")], "a b")], create_all(["wrf"]))) == [
        {Key("", "miss", "A", ""): 1, Key("", "spurious", "", "B"): 1}
    ]
    assert count([], create_all(["wrf"])).documents == 0


def test_mirrored_counts_are_those_of_swapped_sides():
    one, other = [(0, 3, "A"), (5, 9, "B"), (12, 15, "A")], [(0, 3, "B"), (5, 8, "B"), (20, 22, "C")]
    metrics = create_all(["strict", "semeval", "relaxed", "char"])
    there, back = (count([Document(gold, pred)], metrics) for gold, pred in ((one, other), (other, one)))
    found, expected = ({key: n for key, n in counts.totals().items() if n} for counts in (mirrored(there), back))
    assert found == expected
    assert mirrored(mirrored(there)).totals() == there.totals()
    for name, options in {"relaxed": ("typed", "strong"), "char": ("typed",), "semeval": ()}.items():
        for values in product((False, True), repeat=len(options)):
            metric = create(name, **dict(zip(options, values)))
            corpora = [random_documents(3, seed) for seed in range(4)]
            check_laws(metric, laws=["symmetric_scores_are_symmetric"], corpora=corpora)
    with pytest.raises(ValueError, match="fair does not declare what its verdicts become"):
        mirrored(count([Document(one, other)], [create("fair")]))
    with pytest.raises(ValueError, match="mirror says what 'fn' becomes, but not that it comes back"):
        replace(create("strict"), mirror={"fn": "fp"})
