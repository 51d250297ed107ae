"""Laws that hold for every registered metric, the ones yet to be written included.

A new metric is found through the registry and tried against every law. Its
entry in CONTRACT says under which options, and names each law that it does not
keep, with the reason."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from typing import Any

import numpy as np
import pytest
from asking import near
from hypothesis import given
from hypothesis import strategies as st
from laws import CONTRACT, law
from places import TESTS
from profiles import tries
from strategies import corpora, nested
from times import Times

from spacy_nereval import Document, Metric, Span, Verdict, count, create, evaluate
from spacy_nereval.core.declaration import GOLD_SPANS, PRED_SPANS, Kind, Tally
from spacy_nereval.counting.batch import Batch
from spacy_nereval.counting.sums import slots
from spacy_nereval.counting.table import columns_of, summed
from spacy_nereval.evaluation.result import confusion_matrix, verdict_counts
from spacy_nereval.evaluation.scores import score_sums


def without_contract() -> list[str]:
    """The package's own metrics that CONTRACT does not name. Plugins that are installed here need none."""
    points = entry_points(group="spacy_nereval_metrics")
    return sorted({p.name for p in points if p.value.startswith("spacy_nereval.")} - set(CONTRACT))


def test_every_metric_of_the_package_has_a_contract():
    missing = without_contract()
    assert not missing, f"say in CONTRACT which laws hold for {', '.join(missing)}"


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
    added, whole = summed(parts[0]) + summed(parts[1]), summed(both)
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
    sums = summed(counts)
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


@tries(50)
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
    sums = summed(count(corpus, [metric]), Times(times))
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
