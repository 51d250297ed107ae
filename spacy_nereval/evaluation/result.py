"""The result: one JSON shape, from which all outputs are made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.about import __version__
from ..core.declaration import GOLD_SPANS, PRED_SPANS, Kind, Metric
from ..core.mention_places import NUMBERS
from ..core.spans import ON_READING
from ..counting.counts import Counts
from ..counting.sums import NUMBER
from ..counting.table import resolved, summed
from .intervals import Confidence, bounded
from .scores import MetricScores, score_sums
from .signature import signature


def evaluate(
    counts: Counts, confidence: Confidence | None = None, *, average: str = "micro", short: bool = False
) -> dict[str, Any]:
    """Return the result: plain Python, ready for JSON, with None where a score is undefined.

    Args:
        counts: What `count` returned.
        confidence: Settings of intervals; None for no intervals.
        average: The average that tables show; it only enters the signature.
        short: Whether the signature leaves out options that have their default.

    Returns:
        Numbers of documents and spans, in all and of each label under "per_type"; "scores" by their score keys; and
        "metrics": for each its "scores" (ratios, not in per cent), "counts", "averages", "per_type", "verdicts" and
        "confusion"; with intervals also "confidence".

    Raises:
        ValueError: Intervals are asked for, and the counts do not say what is resampled, or a
            setting of the intervals is out of range.

    >>> from spacy_nereval import Document, count, create_all
    >>> counts = count([Document([(0, 3, "A")], [(0, 3, "A")])], create_all(["strict"]))
    >>> evaluate(counts)["metrics"]["strict"]["scores"]
    {'p': 1.0, 'r': 1.0, 'f': 1.0}
    """
    sums = summed(counts)
    bounds = bounded([counts], confidence) if confidence else None
    verdicts = verdict_counts(counts)
    metrics: dict[str, Any] = {}
    for own in score_sums(sums):  # with many labels, a result is most of what is in memory: it is there but once
        found = _of_metric(own, sums.labels, verdicts)
        metrics[own.metric.name] = plain(found | ({"intervals": bounds.metrics.pop(own.metric.name)} if bounds else {}))
    result: dict[str, Any] = plain(
        {
            "signature": signature(counts, *([bounds.drawn.signature] if bounds else []), average=average, short=short),
            "version": __version__,
            "documents": counts.documents,
            "skipped": counts.skipped,
            "gold": sums.spans(GOLD_SPANS).sum(),
            "pred": sums.spans(PRED_SPANS).sum(),
            **totals_on_reading(counts),
            **({"confidence": bounds.drawn._asdict()} if bounds else {}),
            "scores": keyed_scores(counts.metrics, metrics),
            "per_type": spans_per_label(counts),
        }
    )
    return result | {"metrics": metrics}


def totals_on_reading(counts: Counts) -> dict[str, Any]:
    """Return what was changed or left out on reading.

    `merged` is there only if labels were changed, `mentions` only if there were mentions without offsets.
    """
    found: dict[str, Any] = dict(counts.on_reading)
    if not counts.label_rules:
        del found["merged"]
    mentions = mention_numbers(counts)
    return found | ({"mentions": mentions} if mentions else {})


def mention_numbers(counts: Counts) -> dict[str, int]:
    """Return how many mentions without offsets there were and how they were found; empty if there were none."""
    return {name: counts.mentions[name] for name in NUMBERS} if counts.mentions else {}


def _of_metric(
    own: MetricScores, labels: tuple[str, ...], verdicts: Mapping[str, Mapping[LabelledVerdict, int]]
) -> dict[str, Any]:
    metric = own.metric
    found: dict[str, Any] = {"settings": metric.settings, "scores": first(own.scores), "counts": first(own.counts)}
    if own.combined:
        found["combined"] = {"scores": first(own.combined), "counts": found["counts"]}
    found |= first(own.details)
    found["averages"] = first(own.averages)
    tables = [
        {name: values[:, 0].tolist() for name, values in table.items()}
        for table in (own.label_scores, own.label_counts)
    ]
    found["per_type"] = {
        label: {
            what: {name: values[k] for name, values in table.items()}
            for what, table in zip(("scores", "counts"), tables)
        }
        for k, label in enumerate(labels)
    }
    found["verdicts"] = nested_verdicts(metric, verdicts[metric.name])
    if metric.confusion is not None:
        found["confusion"] = confusion_matrix(metric, verdicts[metric.name])
    return found


def read_with(runs: Sequence[Counts]) -> dict[str, list[int]]:
    """Return what was left out or changed on reading: "skipped" and others to a number for each run."""
    found = {"skipped": [counts.skipped for counts in runs]}
    names = [name for name in totals_on_reading(runs[0]) if name in ON_READING]
    return found | {name: [counts.on_reading[name] for counts in runs] for name in names}


LabelledVerdict = tuple[str, str, str]
"""A verdict, the gold label and the predicted label; "" stands for no span."""


def keyed_scores(metrics: Iterable[Metric], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the overall scores that have a score key by this key, such as "fair_f".

    Args:
        metrics: The metrics.
        found: What a result has of each.
    """
    return {key: found[metric.name]["scores"][name] for metric in metrics for key, name in metric.keys.items()}


def spans_per_label(counts: Counts) -> dict[str, dict[str, int]]:
    """Return the numbers of gold and predicted spans of each label."""
    gold, pred = gold_spans(counts), pred_spans(counts)
    return {label: {"gold": gold[label], "pred": pred[label]} for label in counts.labels}


def spans_of_labels(result: Mapping[str, Any], side: str) -> dict[str, int]:
    """Return each label of a result and its number of spans on a side, "gold" or "pred", 0 included."""
    return {label: own[side] for label, own in result["per_type"].items()}


def gold_spans(counts: Counts) -> dict[str, int]:
    """Return each label and its number of gold spans, 0 included."""
    return _spans(counts, GOLD_SPANS, "gold")


def pred_spans(counts: Counts) -> dict[str, int]:
    """Return each label and its number of predicted spans, 0 included."""
    return _spans(counts, PRED_SPANS, "pred")


def _spans(counts: Counts, kinds: tuple[Kind, ...], side: str) -> dict[str, int]:
    found = dict.fromkeys(counts.labels, 0)
    for key, number in counts.totals().items():
        if not key.metric and key.verdict in kinds:
            found[getattr(key, side)] += number
    return found


def verdict_counts(counts: Counts) -> dict[str, dict[LabelledVerdict, int]]:
    """Return per metric how many verdicts there are of each (verdict, gold label, predicted label)."""
    totals = [*counts.totals().values()]
    found: dict[str, dict[LabelledVerdict, int]] = {}
    for metric, columns in _verdict_columns(counts):
        numbers: Counter[LabelledVerdict] = Counter()
        for column, verdict in columns:
            if totals[column]:
                numbers[verdict] += totals[column]
        found[metric.name] = numbers
    return found


def documents_with(counts: Counts, metric: Metric, is_wanted: Callable[[LabelledVerdict], object]) -> list[str | int]:
    """Return the names of the documents with certain verdicts of a metric; none if the counts are collapsed.

    Args:
        counts: The counts of a corpus.
        metric: One of their metrics.
        is_wanted: Whether a verdict on spans of these labels is wanted.

    >>> from spacy_nereval import Document, count, create
    >>> strict = create("strict")
    >>> counts = count([Document([(0, 1, "A")], [(0, 1, "A")]), Document([(0, 1, "A")], [], id="b")], [strict])
    >>> documents_with(counts, strict, lambda verdict: verdict[0] == "fn")
    ['b']
    """
    if counts.collapsed:
        return []
    (columns,) = (own for each, own in _verdict_columns(counts) if each.name == metric.name)
    wanted = [column for column, verdict in columns if is_wanted(verdict)]
    names = document_names(counts)
    return [names[k] for k in np.unique(counts.cells.tocsc()[:, wanted].nonzero()[0]).tolist()]


def document_names(counts: Counts) -> list[str | int]:
    """Return the id of each document, its number from 0 where it has none."""
    return [number if id is None else id for number, id in enumerate(counts.ids)]


def _verdict_columns(counts: Counts) -> Iterator[tuple[Metric, list[tuple[int, LabelledVerdict]]]]:
    """Yield each metric with the columns that count its verdicts: their numbers, verdicts and labels."""
    keys = resolved(counts)
    places: dict[tuple[str, str], list[int]] = {}
    for place, key in enumerate(keys):
        if key.quantity == NUMBER:
            places.setdefault((key.metric, key.verdict), []).append(place)
    for metric in counts.metrics:
        # The metric's own verdicts, and those that kinds of spans have with it.
        verdict_of = {("", kind.value): verdict for kind, verdict in metric.of_kind.items()}
        verdict_of |= {(metric.name, verdict): verdict for verdict in metric.verdict_names}
        own = sorted((k, verdict) for what, verdict in verdict_of.items() if verdict for k in places.get(what, ()))
        yield metric, [(k, (verdict, keys[k].gold, keys[k].pred)) for k, verdict in own]


def confusion_matrix(metric: Metric, verdicts: Mapping[LabelledVerdict, int]) -> dict[str, dict[str, int]]:
    """Return gold label to predicted label to number, of the verdicts that the metric declares; "" is no span."""
    matrix: dict[str, dict[str, int]] = {}
    for (verdict, gold, pred), number in sorted(verdicts.items(), key=lambda item: item[0][1:]):
        if verdict in (metric.confusion or ()):
            matrix.setdefault(gold, Counter())[pred] += number
    return matrix


def nested_verdicts(metric: Metric, verdicts: Mapping[LabelledVerdict, int]) -> dict[str, Any]:
    """Return verdict to gold label to predicted label to number, in the order that the metric declares."""
    found: dict[str, Any] = {}
    place = {name: k for k, name in enumerate(metric.verdict_names)}
    for verdict, gold, pred in sorted(verdicts, key=lambda own: (place.get(own[0], -1), *own)):
        found.setdefault(verdict, {}).setdefault(gold, {})[pred] = verdicts[verdict, gold, pred]
    return found


def first(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return each array's value for the first sum, which for a result is the whole corpus."""
    return {name: first(value) if isinstance(value, Mapping) else value[0] for name, value in table.items()}


def plain(value: Any) -> Any:
    """Return the same in plain Python, with None for what is not finite."""
    kind = type(value)
    if kind is float:  # the most frequent types first: a result of many labels has millions of numbers
        return value if math.isfinite(value) else None
    if kind is str or kind is int:
        return value
    if kind is dict:
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value]
