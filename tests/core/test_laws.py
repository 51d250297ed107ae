"""Laws that hold for every registered metric, the ones yet to be written included.

A new metric is found through the registry and tried against every law. Its
entry in CONTRACT says under which options, and names each law that it does not
keep, with the reason."""

import json
import math
import pickle
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from typing import Any

import numpy as np
import pytest
from asking import counted, near, scored
from counted import Times
from hypothesis import assume, example, given
from hypothesis import strategies as st
from laws import CONTRACT, document, law
from places import TESTS
from profiles import tries
from strategies import corpora, nested

from spacy_nereval import Document, Metric, Score, Span, Verdict, count, create, evaluate, score
from spacy_nereval.core.declaration import GOLD_SPANS, PRED_SPANS, Kind, Tally
from spacy_nereval.counting.batch import Batch
from spacy_nereval.counting.sums import slots
from spacy_nereval.counting.table import columns_of, sum_counts
from spacy_nereval.evaluation.result import confusion_matrix, verdict_counts
from spacy_nereval.evaluation.scores import score_sums
from spacy_nereval.integration.scorer import result_keys


def without_contract() -> list[str]:
    """The package's own metrics that CONTRACT does not name. Plugins that are installed here need none."""
    points = entry_points(group="spacy_nereval_metrics")
    return sorted({p.name for p in points if p.value.startswith("spacy_nereval.")} - set(CONTRACT))


def test_every_metric_of_the_package_has_a_contract():
    assert without_contract() == [], "say in CONTRACT which laws hold for these"


def test_a_missing_contract_is_noticed(monkeypatch):
    monkeypatch.delitem(CONTRACT, "fair")
    assert without_contract() == ["fair"]


def test_every_exemption_names_a_law():
    written = "".join(path.read_text("utf8") for path in TESTS.rglob("test_*.py"))
    laws = re.findall(r"^@law\n(?:@.*\n)*def test_(\w+)", written, re.MULTILINE)
    assert {name for cases in CONTRACT.values() for case in cases for name in case.exempt} <= {*laws}


# Adding up


@law
@given(first=corpora(), second=corpora())
def test_counts_add(case, first, second):
    metric = case.metric
    parts = [count(first, [metric]), count(second, [metric])]
    both = count(first + second, [metric])
    assert evaluate(parts[0] + parts[1]) == evaluate(both)
    added, whole = sum_counts(parts[0]) + sum_counts(parts[1]), sum_counts(both)
    assert added.labels == whole.labels
    for a, b in zip(added.arrays, whole.arrays):
        np.testing.assert_array_equal(a, b)


@law
@given(corpus=corpora())
def test_a_corpus_twice_scores_as_once(case, corpus):
    once, twice = case.result(corpus), case.result(corpus * 2)
    assert twice["scores"] == {
        key: near(value * 2 if key in case.numbers else value) for key, value in once["scores"].items()
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
    counts = count([doc], [metric])
    sums = sum_counts(counts)
    rows = columns_of(metric, sums.counts[..., 0], slots([metric]))
    sides = {"gold_spans": GOLD_SPANS, "pred_spans": PRED_SPANS}
    assert rows.keys() == metric.columns.keys() | sides
    worths = [(v.name, label_of(v, metric.focus), v.amount) for v in verdicts]
    worths += [(kind, span.label, 1) for kind, span in kinds(doc)]
    for column, sources in {**metric.columns, **sides}.items():
        expected = [
            near(sum(worth for name, its, worth in worths if its == label and any(same(name, s) for s in sources)))
            for label in (*sums.labels, None)
        ]
        assert list(rows[column]) == expected, column
        fractional = any(same(name, source) for name in metric.partial_credit for source in sources)
        assert rows[column].dtype.kind == ("f" if fractional else "i"), column
    if metric.confusion is not None:
        cells: Counter[tuple[str, ...]] = Counter()
        for v in verdicts:
            if v.name in metric.confusion:
                number = 1 if v.name in metric.partial_credit else v.amount
                cells[tuple(s.label if s else "" for s in v[1:3])] += number
        matrix = confusion_matrix(metric, verdict_counts(counts)[metric.name])
        assert {(a, b): n for a, row in matrix.items() for b, n in row.items()} == cells


def same(a: str, b: str) -> bool:
    """A kind and a verdict of the same name are two things: ace has a verdict "miss"."""
    return a == b and isinstance(a, Kind) is isinstance(b, Kind)


def kinds(doc: Document) -> Iterator[tuple[Kind, Span]]:
    """Every span of either side with its kind; a hit is one span."""
    yield from ((Kind.HIT, span) for span in doc.gold if span in doc.pred)
    for group in doc.overlap_groups:
        both = group.gold and group.pred
        yield from ((Kind.GROUP_GOLD if both else Kind.MISS, span) for span in group.gold)
        yield from ((Kind.GROUP_PRED if both else Kind.SPURIOUS, span) for span in group.pred)


def label_of(verdict: Verdict, focus: str) -> str | None:
    span = (verdict.gold or verdict.pred) if focus == "target" else (verdict.pred or verdict.gold)
    return span.label if span else None


@given(corpora())
def test_count_batch_is_a_faster_way_to_the_same_counts(corpus):
    """It yields what `judge` says of some documents, added up; the confusion matrix is to show the sums."""
    strict = create("strict")
    slow = replace(strict, judge=strict.verdicts, scope="document")
    fast = replace(slow, count_batch=partial(added_up, strict))
    assert evaluate(count(corpus, [fast])) == evaluate(count(corpus, [slow])) == evaluate(count(corpus, [strict]))


def added_up(metric: Metric, batch: Batch) -> Iterator[Tally]:
    place = {label: k for k, label in enumerate((*batch.labels, None))}
    for doc in range(batch.documents):
        verdicts = metric.verdicts(batch.document(doc))
        found = Counter((v.name, place[v.gold and v.gold.label], place[v.pred and v.pred.label]) for v in verdicts)
        for (name, *rest), number in found.items():
            yield Tally(name, *(np.array([value]) for value in (doc, *rest, number)))


@pytest.mark.costly
@law
@given(corpus=corpora())
def test_metrics_and_counts_can_be_pickled(case, corpus):
    """So that they travel between processes; the counts can be added to on the other side."""
    metric = case.metric
    expected = evaluate(count([*corpus, *corpus], [metric]))
    sent = pickle.loads(pickle.dumps(metric))
    counts = pickle.loads(pickle.dumps(count(corpus, [sent])))
    assert evaluate(counts + count(corpus, [metric])) == expected
    assert evaluate(count(corpus, [metric]) + counts) == expected
    for doc in corpus:
        counts = pickle.loads(pickle.dumps(counts + count([doc], [metric])))
    assert evaluate(counts) == expected


@pytest.mark.costly
@law
@given(corpus=st.lists(nested(), min_size=1, max_size=3))
def test_a_document_of_weight_2_counts_like_two_documents(case, corpus):
    """Five resamples at once, as a bootstrap draws them, overall and per label, and each by itself."""
    metric = case.metric
    times = np.random.default_rng(0).integers(0, 3, (5, len(corpus)))
    sums = sum_counts(count(corpus, [metric]), Times(times))
    (together,) = score_sums(sums)
    for k, chosen in enumerate(times):
        alone = case.result(doc for doc, n in zip(corpus, chosen) for _ in range(n))
        assert {key: known(values[k]) for key, values in together.scores.items()} == alone["scores"]
        averages = alone["averages"]["docs"]
        assert {key: known(together.averages["docs"][key][k]) for key in averages if key != "undefined"} == {
            key: value for key, value in averages.items() if key != "undefined"
        }
        for label, row in alone["per_type"].items():
            at = sums.labels.index(label), k
            assert {key: known(values[at]) for key, values in together.label_scores.items()} == row["scores"]


def known(value: float) -> Any:
    return None if np.isnan(value) else near(value)


# Between metrics


@pytest.mark.parametrize("slots", ["entity", "muc"])
@tries(100)
@given(corpus=corpora())
def test_ser_is_at_least_err_and_err_at_least_e(slots, corpus):
    """Makhoul et al. (1999), section 6."""
    scores = scored(corpus, "slot_error", slots=slots)["scores"]
    assert scores["ser"] is None or scores["ser"] >= scores["err"]
    assert scores["err"] is None or scores["err"] >= scores["e"] - 1e-12


@tries(100)
@given(corpora())
def test_fair_with_traditional_weights_is_strict(corpus):
    traditional = scored(corpus, "fair", weights="traditional")
    strict = scored(corpus, "strict")
    assert {key: traditional["scores"][key] for key in "prf"} == strict["scores"]
    for label, row in strict["per_type"].items():
        assert {key: traditional["per_type"][label]["scores"][key] for key in "prf"} == row["scores"]


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
    expected["verdicts"] = {name: _renamed(matrix, new) for name, matrix in expected["verdicts"].items()}
    if "confusion" in expected:
        expected["confusion"] = _renamed(expected["confusion"], new)
    if "boundaries" in expected:
        named = {new[label]: row for label, row in expected["boundaries"]["per_type"].items()}
        expected["boundaries"] = {"counts": expected["boundaries"]["counts"], "per_type": named}
    assert result == expected


def _renamed(matrix, new):
    named = new | {"": ""}
    return {named[a]: {named[b]: n for b, n in row.items()} for a, row in matrix.items()}


@law
@given(corpus=corpora(), data=st.data())
def test_the_order_of_documents_and_spans_and_doubles_change_nothing(case, corpus, data):
    shuffled = [
        document(doc, [data.draw(st.permutations(side)) + list(side) for side in (doc.gold, doc.pred)])
        for doc in data.draw(st.permutations(corpus))
    ]
    assert case.result(shuffled) == case.result(corpus)


@law
@given(order=st.permutations(range(2, 9)))
def test_sums_of_partial_credit_and_means_of_shares_are_the_same_in_any_order(case, order):
    """1/3 + 1/5 + 1/7 is not 1/7 + 1/5 + 1/3, for those who do not take care."""
    tokens = [(2 * k, 2 * k + 1) for k in range(9)]
    corpus = {
        words: Document([(0, 2 * words - 1, "A")], [(0, 1, "A")], "a b c d e f g h i", tokens=tokens)
        for words in range(2, 9)
    }
    assert case.result(corpus[words] for words in order) == case.result(corpus.values())


# The best, the worst, and the bounds


@law
@given(corpus=corpora())
def test_a_prediction_like_the_gold_has_the_best_score(case, corpus):
    assume(any(doc.text[span.start : span.end].strip() for doc in corpus for span in doc.gold))
    scores = case.result(document(doc, [doc.gold, doc.gold]) for doc in corpus)["scores"]
    assert {key: value for key, value in scores.items() if key not in case.numbers} == {
        key: case.best.get(key, 1) for key in scores if key not in case.numbers
    }


UNLIKE_SIDES = [
    Document(gold, pred, "New New Ulm sleeps", tokens=[(0, 3), (4, 7), (8, 11), (12, 18)])
    for gold, pred in (
        ([(0, 11, "A"), (12, 18, "B")], [(4, 11, "A"), (8, 11, "A"), (12, 18, "B")]),
        ([(0, 3, "A"), (4, 7, "B"), (8, 11, "B")], [(0, 3, "A")]),
        ([(0, 7, "A"), (8, 11, "A")], [(0, 3, "A")]),
    )
]
"""Drawn sides are often alike, and then every score is symmetric."""


@law
@example(corpus=UNLIKE_SIDES)
@given(corpus=corpora())
def test_swapping_the_sides_swaps_p_and_r(case, corpus):
    there = case.result(corpus)["scores"]
    back = case.result(document(doc, [doc.pred, doc.gold]) for doc in corpus)["scores"]
    assert case.swap.keys() <= there.keys(), "its contract must say which of its scores swap"
    assert {key: there[key] for key in case.swap} == {key: near(back[other]) for key, other in case.swap.items()}


@law
@example(corpus=UNLIKE_SIDES)
@given(corpus=corpora())
def test_swapping_the_sides_leaves_symmetric_scores_as_they_are(case, corpus):
    """Those that are declared so. Which label a pair counts for may change, so rows of labels are left out
    unless labels are classes."""
    metric = case.metric
    there, back = (case.result(side) for side in (corpus, [document(d, [d.pred, d.gold]) for d in corpus]))
    assert_same(metric.scores, there["scores"], back["scores"])
    if metric.classes:
        assert there["per_type"].keys() == back["per_type"].keys()
        for row in ("combined", *there["per_type"]):
            a, b = (result["combined"] if row == "combined" else result["per_type"][row] for result in (there, back))
            assert_same(metric.classes.scores, a["scores"], b["scores"])


def assert_same(declared: Iterable[Score], there: dict[str, Any], back: dict[str, Any]) -> None:
    symmetric = [its.name for its in declared if its.symmetric]
    assert {name: there[name] for name in symmetric} == {name: near(back[name]) for name in symmetric}


def test_fair_has_a_direction():
    """Why its contract exempts it: two gold spans share one prediction, but one gold span
    leaves to the second prediction none of its characters."""
    many, one = [(2, 7, "A"), (3, 7, "A")], [(2, 8, "B")]
    assert counted(Document(many, one), "fair") == {"lbe": 2}
    assert counted(Document(one, many), "fair") == {"lbe": 1, "fp": 1}


@law
@given(corpus=corpora())
def test_every_score_lies_within_its_declared_limits(case, corpus):
    """And so do its averages, its values for labels, and those for all labels together."""
    result, declared = case.result(corpus), case.metric.score_by_name
    rows = [result["scores"], *result["averages"].values(), *(row["scores"] for row in result["per_type"].values())]
    rows += [result["combined"]["scores"]] if "combined" in result else []
    for scores in rows:
        for key, value in scores.items():
            if key != "undefined" and value is not None:
                least, most = declared[key].limits
                assert least <= value <= most, key


def test_ratios_are_declared_to_lie_between_0_and_1_but_for_these():
    """The law above would hold for any number if all limits were infinite."""
    metrics = [case._replace(name=name).metric for name, cases in CONTRACT.items() for case in cases]
    scores = {(m.name, score) for m in metrics for score in m.score_by_name.values()}
    limits = {"slot_error ser": (0, math.inf), "ace value": (-math.inf, 1), "plagdet granularity": (1, math.inf)}
    limits |= dict.fromkeys(("fair be", "loio tp", "loio fp", "loio fn"), (0, math.inf))
    assert {f"{name} {its.name}": its.limits for name, its in scores if its.limits != (0, 1)} == limits


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
    assert {type(value) for value in leaves(dict(result))} <= {str, int, float, bool, type(None)}
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
    assert {value for key, value in result["scores"].items() if key not in case.numbers} == {None}
    assert set(result["counts"].values()) == {0}
    assert result["per_type"] == {}
    assert result.get("confusion", {}) == {}


@law
@given(corpus=corpora())
def test_every_label_of_either_side_has_a_row(case, corpus):
    labels = {span.label for doc in corpus for span in (*doc.gold, *doc.pred)}
    assert list(case.result(corpus)["per_type"]) == sorted(labels)


@law
@given(corpus=corpora())
def test_the_declared_keys_are_those_of_spacy_s_score_dict(case, corpus):
    """With the scores as values; what is undefined is 0 there, or None without any document."""
    metric = case.metric
    found, scores = result_keys(count(corpus, [metric]), "ents"), case.result(corpus)["scores"]
    assert found.pop("ents_nereval")["metrics"][metric.name]["scores"] == scores
    expected = {f"ents_{score.key}": scores[score.name] for score in metric.scores if score.key}
    assert found == {key: (value or 0.0) if corpus else None for key, value in expected.items()}
    assert found, "a metric without score keys cannot be used in spaCy"
