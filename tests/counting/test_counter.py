"""Counting: groups that look alike, words, amounts that are whole numbers or not, very many labels, Docs."""

import warnings
from collections import Counter as Multiset
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from asking import NEEDED, near, refusal, scored
from counted import OTHERS, rows, seen, watching
from docs import any_example
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from refusals import refused_with
from strategies import corpora, nested

from spacy_nereval import Counts, Document, Metric, Verdict, count, create, create_all, evaluate
from spacy_nereval.core.cuts import Cuts, apply_cuts
from spacy_nereval.core.declaration import Score, Tally, one_each
from spacy_nereval.core.labels import LabelRules
from spacy_nereval.counting import counter
from spacy_nereval.counting.batch import DocumentBatch
from spacy_nereval.counting.counter import Counter
from spacy_nereval.counting.counts import mirror_counts
from spacy_nereval.counting.sums import HIGH, LOW, NUMBER, Key
from spacy_nereval.integration.examples import count_examples, documents
from spacy_nereval.testing import check_laws, random_documents

some = tries(40)


either = pytest.mark.parametrize("table", [{"all": {}, **NEEDED}, OTHERS], ids=["defaults", "others"])


corpora_with_gaps = st.lists(st.none() | nested(), max_size=6)


@either
@some
@given(corpus=corpora_with_gaps, together=st.integers(1, 3), large=st.sampled_from([1, 9, 1 << 16]))
def test_it_does_not_matter_how_many_documents_are_counted_together(table, corpus, together, large):
    metrics = create_all(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacy_nereval.counting.batch.TOGETHER", together)
        patch.setattr("spacy_nereval.counting.batch.LARGE", large)
        parted = count(corpus, metrics)
    one_by_one = sum((count([document], metrics) for document in corpus), Counts(metrics))
    assert seen(parted) == seen(count(corpus, metrics)) == seen(one_by_one)


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


HOW_COUNTED = {"spans_key": "sc", "by": "eLen", "unit": "block:2", "label_rules": LabelRules(depth=1), "cut": "3c4d"}
CHANGES = {
    "added": lambda counts: counts + counts,
    "reordered": lambda counts: counts.reordered([1, 0]),
    "with other keys": lambda counts: counts.with_keys(counts.keys),
    "without rows": lambda counts: counts.without_rows(),
    "of one metric": lambda counts: counts.of(counts.metrics[:1]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_counts_that_are_changed_keep_how_they_were_counted(change):
    counts = count([Document([(0, 3, "A")], [(0, 3, "B")])] * 2, create_all("strict,fair"))
    for name, value in HOW_COUNTED.items():
        setattr(counts, name, value)
    counts.units = ["0", "1"]
    changed = change(counts)
    assert {name: getattr(changed, name) for name in HOW_COUNTED} == HOW_COUNTED


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
                correct = (gold.start == pred.start, gold.end == pred.end) if gold and pred else ()
                side = {(True, False): "left", (False, True): "right", (False, False): "neither"}.get(correct, "")
                labels = (span.label if span else "" for span in (gold, pred))
                key = Key(metric.name, name, *labels, note=side if name in metric.boundary_errors else "")
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
    found = Counter(create_all(["fair"]))
    for label in "AB":
        found.add(DocumentBatch([Document([(0, 3, label)], [(1, 3, label)])]))
    assert [[key.gold for key in row if key.metric] for row in rows(found.counts)] == [["A"], ["B"]]


def test_counts_with_different_cuts_are_not_added():
    """Those of no documents can be added to any."""
    document = Document([(0, 3, "A")], [(0, 3, "A")])
    document.span_scores = {(0, 3, "A"): 0.5}
    low, high, none = (
        count(apply_cuts([document], cuts), create_all(["strict"])) for cuts in (Cuts(0.2), Cuts(0.4), None)
    )
    assert (low + low).documents == 2 and (low + count([], low.metrics)).documents == 1
    for a, b, said in (
        (low, high, f"by {Cuts(0.2).digest}, the other by {Cuts(0.4).digest}"),
        (none, low, "by no threshold"),
    ):
        with pytest.raises(ValueError, match=f"cannot be added: one has predictions kept {said}"):
            a + b


# Words of wrf


WAYS = {"unique": [True, False], "case": ["lower", "keep"], "unigrams": ["token", "whitespace"]}
every_way = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in WAYS.items()})


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


@either
@tries(100)
@given(corpus=corpora_with_gaps)
def test_chains_are_judged_as_whole_documents_are(table, corpus):
    fast = [metric for metric in create_all(table) if metric.chains]
    slow = [replace(metric, chains=False) for metric in fast]
    assert {"ace", "char", "plagdet"} <= {metric.name for metric in fast}
    assert rows(count(corpus, fast)) == rows(count(corpus, slow))


def test_a_judge_that_looks_beyond_a_chain_would_be_noticed():
    """Only the first prediction of a document counts, so chains are not judged as documents are."""
    one = Metric(
        scores=(Score("n", unit="count"),),
        columns=one_each("tp"),
        formula=lambda columns: {"n": columns["tp"]},
        judge=lambda document: [Verdict("tp", None, span) for span in document.pred[:1]],
        scope="document",
        name="one",
    )
    apart = [Document([], [(0, 3, "A"), (5, 9, "A")])]
    assert count(apart, [one]).totals() != count(apart, [replace(one, chains=True)]).totals()


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
    found, expected = ({key: n for key, n in counts.totals().items() if n} for counts in (mirror_counts(there), back))
    assert found == expected
    assert mirror_counts(mirror_counts(there)).totals() == there.totals()
    for name, options in {"relaxed": ("typed", "strong"), "char": ("typed",), "semeval": ()}.items():
        for values in product((False, True), repeat=len(options)):
            metric = create(name, **dict(zip(options, values)))
            corpora = [random_documents(3, seed) for seed in range(4)]
            check_laws(metric, laws=["symmetric_scores_are_symmetric"], corpora=corpora)
    with refused_with(ValueError, "fair does not declare its verdicts with swapped sides"):
        mirror_counts(count([Document(one, other)], [create("fair")]))
    with refused_with(
        ValueError,
        "mirror says what 'fn' becomes, but not that it comes back: name both directions",
    ):
        replace(create("strict"), mirror={"fn": "fp"})


def crowd(gold: int, pred: int) -> Document:
    """Spans that all overlap, none with the boundaries of another one."""
    return Document([(k, 500, "A") for k in range(gold)], [(k, 600, "A") for k in range(pred)], id="d1")


def test_many_spans_that_overlap_one_another_are_told_with_their_document(monkeypatch):
    monkeypatch.setattr(counter, "CROWDED", 12)
    with pytest.warns(UserWarning, match="4 gold and 3 predicted spans of document d1 overlap one another"):
        count([crowd(4, 3)], [create("fair")])
    few = [Document([(0, 3, "A"), (9, 12, "B")], [(0, 2, "A"), (9, 11, "A")], id=f"few{k}") for k in range(3)]
    with pytest.warns(UserWarning, match="of document d1 overlap one another"):
        count([*few, crowd(4, 3)], [create("fair")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        count([crowd(3, 3), crowd(11, 1)], [create("fair")])


# Amounts


def test_partial_credit_of_one_document_may_exceed_32_bits():
    """Of three overlaps the high parts are 9/10 of 2^30 each, which is more than 2^31 together."""
    spans = [(20 * k, 20 * k + 10, "A") for k in range(3)]
    document = Document(spans, [(a, b - 1, label) for a, b, label in spans])
    counts = count([document], create_all(["loio"]))
    assert max(rows(counts)[0].values()) > 2**31
    both = counts + count([Document([(0, 2, "A")], [(0, 1, "A")])], create_all(["loio"])) + counts
    for each, overlap in ((counts, 2.7), (both, 5.9), (both.reordered([2, 0]), 5.4)):
        assert evaluate(each)["metrics"]["loio"]["counts"]["overlap"] == near(overlap)


def test_an_overlap_is_counted_once_and_its_amount_in_two_parts():
    (row,) = rows(count([Document([(0, 10, "A")], [(0, 3, "A")])], create_all(["loio"])))
    own = {key.quantity: n for key, n in row.items() if key.metric}
    assert own[NUMBER] == 1
    assert own[HIGH] == 0.3 * 2**30 // 1
    assert own[HIGH] * 2**30 + own[LOW] == 0.3 * 2**60


def giving(amount: float, verdict: str = "fn", **fields: Any) -> Metric:
    def judge(group):
        return [Verdict(verdict, group.gold[0], None, amount)]

    return replace(watching([]), judge=judge, **fields)


GROUP = Document([(0, 3, "A")], [(1, 3, "A")])


@pytest.mark.parametrize("scope", ["group", "document"])
@pytest.mark.parametrize("amount", [0.5, 1 + 2**-52, -0.25])
def test_partial_credit_that_is_not_declared_is_an_error_with_its_remedy(scope, amount):
    assert refusal(count, [GROUP], [giving(amount, scope=scope)]) == (
        f"own gives fn the amount {amount!r}, which is not a whole number: declare partial_credit=('fn',)"
    )
    declared = giving(amount, scope=scope, partial_credit=("fn",))
    assert evaluate(count([GROUP], [declared]))["metrics"]["own"]["scores"]["n"] == amount


@pytest.mark.parametrize("declared", [{}, {"partial_credit": ("fn",)}])
@pytest.mark.parametrize("amount", [float("nan"), float("inf"), -float("inf")])
def test_an_amount_that_is_not_finite_is_an_error(amount, declared):
    with pytest.raises(ValueError, match=rf"own gives fn the amount {amount!r}, which is not a finite number"):
        count([GROUP], [giving(amount, **declared)])


@pytest.mark.parametrize("scope", ["group", "document"])
def test_a_verdict_that_is_only_shown_is_declared_so(scope):
    shown = giving(1, "oops", scope=scope, confusion=("oops",))
    assert evaluate(count([GROUP], [shown]))["metrics"]["own"]["confusion"] == {"A": {"": 1}}


def test_what_a_batch_counts_is_held_to_the_same():
    undeclared = r"own gives fn the amount 0.5, .*: declare partial_credit=\('fn',\)"
    for verdict, amount, said in (("oops", 1, "own passes the verdict 'oops'"), ("fn", 0.5, undeclared)):

        def count_batch(batch, verdict=verdict, amount=amount):
            yield Tally(verdict, np.array([0]), np.array([0]), np.array([len(batch.labels)]), np.array([amount]))

        with pytest.raises(ValueError, match=said):
            count([GROUP], [giving(1, scope="document", count_batch=count_batch)])


def test_amounts_that_are_too_large_to_be_exact_are_refused_and_not_wrong():
    """In 64 bits, thirty times 1e9 with nine decimal digits would come out negative."""
    many = Document([(5 * k, 5 * k + 3, "A") for k in range(30)], [])
    with refused_with(
        ValueError,
        "amounts of one batch add up to 3e+10, too much to be exact: use weights so small that they stay below 4e+09",
    ):
        count([many], create_all({"ace": {"weights": {"A": 1e9}}}))
    with refused_with(
        ValueError,
        "amounts of one batch add up to 1e+300, too much to be exact: use weights so small that they stay below 9e+15",
    ):
        count([GROUP], [giving(1e300)])
    for amount in (2.0**53, 2.0**54):
        with pytest.raises(ValueError, match=r"too much to be exact: use weights so small that they stay below 9e\+15"):
            count([GROUP], [giving(amount)])
    few = Document([(5 * k, 5 * k + 3, "A") for k in range(3)], [])
    counts = count([few], create_all({"ace": {"weights": {"A": 1e9}}}))
    assert evaluate(counts)["metrics"]["ace"]["counts"]["gold"] == 3e9
    assert "add up to more than 4e+09, too much to be exact: use smaller weights" in refusal(evaluate, counts + counts)


def test_scores_that_are_too_large_to_be_averaged_are_refused_and_not_wrong():
    with refused_with(
        ValueError,
        "amounts or scores add up to more than 4e+09, too much to be exact: use smaller weights",
    ):
        scored(Document([(0, 3, "A")], [(5, 7, "A")]), "ace", false_alarm=1e11)


def test_numbers_of_characters_may_be_larger():
    documents = [Document([(0, 2**40, "A")], [(2, 2**40, "A")])] * 300
    assert scored(documents, "char")["counts"] == {"tp": 300 * (2**40 - 2), "fp": 0, "fn": 600}


# Very many labels


def test_thousands_of_labels_are_told_apart():
    """Columns are found by one number for the verdict, both labels and the note: here it exceeds 32 bits."""
    number = 1500
    names = [f"L{k:04}" for k in range(number)]
    corpus = [
        Document([(9 * k, 9 * k + 3, names[k])], [(9 * k, 9 * k + 3, names[-1 - k])], "x" * 9 * number, id=str(k))
        for k in range(number)
    ]
    counts = count(
        corpus, create_all({"strict": {}, "semeval": {"focus": "system"}, "tmr": NEEDED["tmr"]}), units=False
    )
    keys = {Key("", "group_gold", name, "") for name in names} | {Key("", "group_pred", "", name) for name in names}
    keys |= {Key("semeval", "type_error", name, names[-1 - k]) for k, name in enumerate(names)}
    assert keys <= {*counts.keys}
    assert {*counts.totals().values()} == {1}
    assert counts.labels == tuple(names)
    for place in (0, 1234, number - 1):
        found = {key: n for key, n in zip(counts.keys, counts.cells[[place]].toarray()[0].tolist()) if n}
        gold, pred = names[place], names[-1 - place]
        assert {key for key in found if key.metric == "semeval"} == {Key("semeval", "type_error", gold, pred)}
        (noted,) = (key for key in found if key.metric == "tmr")
        assert (noted.verdict, noted.gold, noted.pred) == ("unseen_tokens_miss", gold, "")
        assert noted.note == f"{gold}\t{'x' * 3}"


def test_many_labels_in_one_batch_of_words():
    names = [f"L{k:03}" for k in range(800)]
    text = " ".join(f"w{k:03}" for k in range(800))
    corpus = [Document([(5 * k, 5 * k + 4, names[k])], [(5 * k, 5 * k + 4, names[k])], text) for k in range(800)]
    rows_of = evaluate(count(corpus, create_all(["wrf"]), units=False))["metrics"]["wrf"]["per_type"]
    assert [*rows_of] == names
    assert all(row["counts"] == {"match": 1, "gold": 1, "pred": 1, "documents": 1} for row in rows_of.values())


# Docs


@tries(40)
@given(st.lists(any_example(), max_size=4))
def test_examples_are_counted_together_as_one_by_one(examples):
    metrics = create_all(["all"])
    together, apart = count_examples(examples, metrics), count(documents(examples), metrics)
    total = Counts(metrics)
    for eg in examples:
        total += count_examples([eg], metrics)
    assert rows(together) == rows(apart) == rows(total)
    assert evaluate(together) == evaluate(apart) == evaluate(total)
