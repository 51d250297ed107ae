"""Laws that hold for every registered metric, the ones yet to be written included.

A new metric is found through the registry and tried against every law. Its
entry in CONTRACT says under which options, and names each law that it does not
keep, with the reason.
"""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from asking import counted, near, scored, tables
from hypothesis import assume, given
from hypothesis import strategies as st
from laws import CONTRACT, LAWS, law
from profiles import tries
from spacy_nereval.counting.views import View
from strategies import corpora, nested

from spacy_nereval import Document, Metric, Span, Verdict, count, create, evaluate, names, score
from spacy_nereval.core.declaration import GOLD_SPANS, PRED_SPANS, Tally
from spacy_nereval.counting.batch import Batch
from spacy_nereval.evaluation.scores import summarise


def test_every_registered_metric_has_a_contract():
    missing = set(names()) - set(CONTRACT)
    assert not missing, f"say in CONTRACT which laws hold for {', '.join(sorted(missing))}"


def test_every_exemption_names_a_law():
    assert {name for cases in CONTRACT.values() for case in cases for name in case.exempt} <= LAWS


# Adding up


@law
@given(first=corpora(), second=corpora())
def test_counts_add(case, first, second):
    metric = case.metric
    parts = [count(first, [metric]), count(second, [metric])]
    both = count(first + second, [metric])
    assert evaluate(parts[0] + parts[1]) == evaluate(both)
    a, b, total = (View(counts, metric).sums() for counts in (*parts, both))
    for column in total:
        assert total[column] == (near(a[column] + b[column]) if column in metric.floats else a[column] + b[column])


@law
@given(corpus=corpora())
def test_a_corpus_twice_scores_as_once(case, corpus):
    once, twice = case.result(corpus), case.result(corpus * 2)
    assert twice["scores"] == {
        key: near(value * 2 if key in case.metric.totals else value) for key, value in once["scores"].items()
    }
    for average, scores in once["averages"].items():
        del scores["undefined"]  # which is a number of labels or documents
        assert {key: twice["averages"][average][key] for key in scores} == {key: near(v) for key, v in scores.items()}


@law
@given(corpus=corpora())
def test_the_rows_sum_to_the_total(case, corpus):
    result = case.result(corpus)
    rows = [row["counts"] for row in result["per_type"].values()]
    assert result["counts"] == {column: near(sum(row[column] for row in rows)) for column in result["counts"]}


@law
@given(doc=nested())
def test_the_verdicts_are_what_is_counted(case, doc):
    """Overall, per label under the metric's focus, and in the confusion matrix."""
    metric = case.metric
    verdicts = list(metric.verdicts(doc))
    assert {verdict.name for verdict in verdicts} <= set(metric.verdict_names)
    view = View(count([doc], [metric]), metric)
    total, rows = view.sums(), view.sums(by_label=True)
    for column, source in {**metric.columns, GOLD_SPANS: GOLD_SPANS, PRED_SPANS: PRED_SPANS}.items():
        if source in (GOLD_SPANS, PRED_SPANS):
            worths = [(span.label, 1) for span in (doc.gold if source == GOLD_SPANS else doc.pred)]
        else:
            worths = [(label_of(v, metric.focus), v.amount) for v in verdicts if v.name in source]
        assert total[column] == near(sum(worth for _, worth in worths)), column
        expected = [near(sum(worth for its, worth in worths if its == label)) for label in view.labels]
        assert list(rows[column]) == expected, column
    if metric.confusion is not None:
        cells: Counter[tuple[str, ...]] = Counter()
        for v in verdicts:
            if v.name in metric.confusion:
                cells[tuple(s.label if s else "" for s in v[1:3])] += 1 if metric.floats else v.amount
        assert {(a, b): n for a, row in view.confusion().items() for b, n in row.items()} == cells


def label_of(verdict: Verdict, focus: str) -> str | None:
    span = (verdict.gold or verdict.pred) if focus == "target" else (verdict.pred or verdict.gold)
    return span.label if span else None


@tries(50)
@given(corpora())
def test_a_tally_is_a_faster_way_to_the_same_counts(corpus):
    """It yields what `judge` says of some documents, added up; the confusion matrix is to show the sums."""
    strict = create("strict")
    slow = replace(strict, settled=None, judge=strict.verdicts, tally=None)
    fast = replace(slow, tally=partial(added_up, strict))
    assert evaluate(count(corpus, [fast])) == evaluate(count(corpus, [slow])) == evaluate(count(corpus, [strict]))


def added_up(metric: Metric, batch: Batch) -> Iterator[Tally]:
    place = {label: k for k, label in enumerate((*batch.labels, None))}
    for doc, document in enumerate(batch):
        found = Counter(
            (v.name, place[v.gold and v.gold.label], place[v.pred and v.pred.label]) for v in metric.verdicts(document)
        )
        for (name, *rest), number in found.items():
            yield Tally(name, *(np.array([value]) for value in (doc, *rest, number)))


# What changes nothing


@law
@given(corpus=corpora(), by=st.integers(1, 9))
def test_shifting_the_offsets_changes_nothing(case, corpus, by):
    def moved(span):
        return (span[0] + by, span[1] + by, *span[2:])

    shifted = [
        Document(map(moved, doc.gold), map(moved, doc.pred), "x" * by + doc.text, tokens=map(moved, doc.tokens))
        for doc in corpus
    ]
    assert case.result(shifted) == case.result(corpus)


@law
@given(corpus=corpora())
def test_renaming_the_labels_changes_nothing_but_their_names(case, corpus):
    """In an order that stays the same, since the order of labels is the last resort for ties."""
    new = {"A": "Anna", "B": "Ben", "C": "Carl", "D": "Dora"}
    renamed = [
        document(doc, [[s._replace(label=new[s.label]) for s in side] for side in (doc.gold, doc.pred)])
        for doc in corpus
    ]
    result, expected = case.result(renamed), case.result(corpus)
    expected["per_type"] = {new[label]: row for label, row in expected["per_type"].items()}
    if "confusion" in expected:
        named = new | {"": ""}
        matrix = expected["confusion"]
        expected["confusion"] = {named[a]: {named[b]: n for b, n in row.items()} for a, row in matrix.items()}
    assert result == expected


@law
@given(corpus=corpora(), data=st.data())
def test_the_order_of_documents_and_spans_and_doubles_change_nothing(case, corpus, data):
    shuffled = [
        document(doc, [data.draw(st.permutations(side)) + list(side) for side in (doc.gold, doc.pred)])
        for doc in data.draw(st.permutations(corpus))
    ]
    assert case.result(shuffled) == case.result(corpus)


@law
@given(order=st.permutations([1, 2, 3]))
def test_sums_of_floats_too_are_the_same_in_any_order(case, order):
    """.1 + .2 + .3 is not .3 + .2 + .1, for those who do not take care."""
    corpus = {
        tenths: Document([(0, 10, "A")], [(0, tenths, "A")], "ten tenths", tokens=[(0, 3), (4, 10)])
        for tenths in (1, 2, 3)
    }
    assert case.result(corpus[tenths] for tenths in order) == case.result(corpus.values())


@law
@given(order=st.permutations(range(2, 9)))
def test_means_of_shares_of_words_too_are_the_same_in_any_order(case, order):
    tokens = [(2 * k, 2 * k + 1) for k in range(9)]
    corpus = {
        words: Document([(0, 2 * words - 1, "A")], [(0, 1, "A")], "a b c d e f g h i", tokens=tokens)
        for words in range(2, 9)
    }
    assert case.result(corpus[words] for words in order) == case.result(corpus.values())


def document(like: Document, sides: Iterable[Iterable[Span]]) -> Document:
    """The same text with other spans."""
    return Document(*sides, like.text, tokens=like.tokens)


# The best, the worst, and the bounds


@law
@given(corpus=corpora())
def test_a_prediction_like_the_gold_has_the_best_score(case, corpus):
    assume(any(doc.text[span.start : span.end].strip() for doc in corpus for span in doc.gold))
    scores = case.result(document(doc, [doc.gold, doc.gold]) for doc in corpus)["scores"]
    assert {key: value for key, value in scores.items() if key not in case.metric.totals} == {
        key: case.best.get(key, 1) for key in scores if key not in case.metric.totals
    }


@law
@given(corpus=corpora())
def test_swapping_the_sides_swaps_p_and_r(case, corpus):
    there = case.result(corpus)["scores"]
    back = case.result(document(doc, [doc.pred, doc.gold]) for doc in corpus)["scores"]
    assert case.swap.keys() <= there.keys(), "its contract must say which of its scores swap"
    assert {key: there[key] for key in case.swap} == {key: near(back[other]) for key, other in case.swap.items()}


def test_fair_has_a_direction():
    """Why its contract exempts it: two gold spans share one prediction, but one gold span
    leaves to the second prediction none of its characters."""
    many, one = [(2, 7, "A"), (3, 7, "A")], [(2, 8, "B")]
    assert counted(Document(many, one), "fair") == {"lbe": 2}
    assert counted(Document(one, many), "fair") == {"lbe": 1, "fp": 1}


@law
@given(corpus=corpora())
def test_every_rate_lies_between_0_and_1(case, corpus):
    result = case.result(corpus)
    rows = [result["scores"], *result["averages"].values(), *(row["scores"] for row in result["per_type"].values())]
    for scores in rows:
        for key, value in scores.items():
            if key != "undefined" and key not in case.metric.totals and value is not None:
                assert 0 <= value <= (math.inf if key in case.above_1 else 1), key


@law
@given(corpus=corpora())
def test_a_missing_span_costs_recall_alone(case, corpus):
    """Without any prediction P is undefined, R and F are 0; without any gold span P and F are 0."""
    corpus = [document(doc, [{*doc.gold, *doc.pred}, []]) for doc in corpus]
    assume(any(doc.text[span.start : span.end].strip() for doc in corpus for span in doc.gold))
    missed = case.result(corpus)["scores"]
    spurious = case.result(document(doc, [[], doc.gold]) for doc in corpus)["scores"]
    expected = {"p": (None, 0), "r": (0, None), "f": (0, 0)}
    for key in missed:
        letter = key.rpartition("_")[2]
        assert letter not in expected or (missed[key], spurious[key]) == expected[letter], key


# The shape of the result


@law
@given(corpus=corpora())
def test_the_result_is_plain_and_survives_json(case, corpus):
    result = score(corpus, {case.name: case.options})
    assert {type(value) for value in leaves(result)} <= {str, int, float, bool, type(None)}
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def leaves(value: Any) -> Iterator[Any]:
    if type(value) in (dict, list):
        for item in value.values() if type(value) is dict else value:
            yield from leaves(item)
    else:
        yield value


@law
@given(corpus=st.just([]) | st.just([Document([], [], "", tokens=[])]))
def test_nothing_to_score_is_undefined_and_not_zero(case, corpus):
    result = case.result(corpus)
    assert {value for key, value in result["scores"].items() if key not in case.metric.totals} == {None}
    assert set(result["counts"].values()) == {0}
    assert result["per_type"] == {}
    assert result.get("confusion", {}) == {}


@law
@given(corpus=corpora())
def test_every_label_of_either_side_has_a_row(case, corpus):
    labels = {span.label for doc in corpus for span in (*doc.gold, *doc.pred)}
    assert list(case.result(corpus)["per_type"]) == sorted(labels)


@law
@given(corpus=st.just([]))
def test_the_keys_for_spacy_name_scores(case, corpus):
    assert set(case.metric.flat.values()) <= set(case.result(corpus)["scores"])


@law
@given(corpus=corpora())
def test_metrics_and_counts_can_be_pickled(case, corpus):
    """So that they travel between processes; the counts can be added to on the other side."""
    metric = case.metric
    expected = evaluate(count([*corpus, *corpus], [metric]))
    sent = pickle.loads(pickle.dumps(metric))
    counts = pickle.loads(pickle.dumps(count(corpus, [sent])))
    assert evaluate(counts + count(corpus, [metric])) == expected
    for doc in corpus:
        counts.add(doc)
    assert evaluate(counts) == expected


@law
@given(corpus=st.lists(nested(), min_size=1, max_size=3))
def test_a_document_of_weight_2_counts_like_two_documents(case, corpus):
    """Five resamples at once, as a bootstrap draws them, overall and per label, and each by itself."""
    metric = case.metric
    times = np.random.default_rng(0).integers(0, 3, (5, len(corpus)))
    view = View(count(corpus, [metric]), metric, weights=times)
    together = summarise(view)
    for k, chosen in enumerate(times):
        alone = case.result(doc for doc, n in zip(corpus, chosen) for _ in range(n))
        assert {key: known(values[k]) for key, values in together.scores.items()} == alone["scores"]
        for label, row in alone["per_type"].items():
            at = k, view.labels.index(label)
            assert {key: known(values[at]) for key, values in together.label_scores.items()} == row["scores"]


def known(value: float) -> Any:
    return None if np.isnan(value) else near(value)


# Between metrics


@tries(100)
@given(corpora())
def test_strict_f_is_below_the_f_of_every_other_scheme(corpus):
    strict, scores = scored(corpus, "strict")["scores"]["f"], scored(corpus, "semeval")["scores"]
    assert strict == scores["strict_f"]
    assert strict is None or all(strict <= scores[f"{scheme}_f"] for scheme in ("exact", "partial", "type"))


@pytest.mark.parametrize("slots", ["entity", "muc"])
@tries(100)
@given(corpus=corpora())
def test_ser_is_at_least_err_and_err_at_least_e(slots, corpus):
    """Makhoul et al. (1999), section 6."""
    scores = scored(corpus, "slot_error", slots=slots)["scores"]
    assert scores["ser"] is None or scores["ser"] >= scores["err"]
    assert scores["err"] is None or scores["err"] >= scores["e"] - 1e-12


@pytest.mark.parametrize("unit", ["char", "token"])
@tries(100)
@given(doc=nested())
def test_fair_counts_no_fewer_than_the_longer_side_and_no_more_than_both(unit, doc):
    """Ortmann (2022), section 2.1."""
    n, m = len(doc.gold), len(doc.pred)
    assert max(n, m) <= sum(tables(doc, "fair", unit=unit).total.values()) <= n + m


@tries(100)
@given(corpora())
def test_fair_with_traditional_weights_is_strict(corpus):
    traditional = scored(corpus, "fair", weights="traditional")
    strict = scored(corpus, "strict")
    assert {key: traditional["scores"][key] for key in "prf"} == strict["scores"]
    for label, row in strict["per_type"].items():
        assert {key: traditional["per_type"][label]["scores"][key] for key in "prf"} == row["scores"]


@tries(100)
@given(corpora())
def test_loio_without_credit_is_strict(corpus):
    scores = scored(corpus, "loio", s=0)["scores"]
    assert {key: scores[key] for key in "prf"} == scored(corpus, "strict")["scores"]


@tries(100)
@given(corpora())
def test_the_optimum_of_loio_is_no_less_than_the_walk(corpus):
    walk, optimal = (scored(corpus, "loio", match=match)["counts"]["overlap"] for match in ("walk", "optimal"))
    assert walk <= optimal + 1e-12


@tries(100)
@given(corpora())
def test_the_words_of_all_classes_are_the_words_of_each(corpus):
    """With repetition they add up, and what matches in a class matches among all."""
    result = scored(corpus, "wrf", unique=False)
    rows = [row["counts"] for row in result["per_type"].values()]
    assert result["counts"]["gold"] == sum(row["gold"] for row in rows)
    assert result["counts"]["pred"] == sum(row["pred"] for row in rows)
    assert result["counts"]["match"] >= sum(row["match"] for row in rows)
