"""Mean scores of a system's training runs, with intervals that include the retraining variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.about import __version__
from ..core.declaration import Metric
from ..core.messages import many
from ..counting.counts import Counts
from ..counting.table import sum_counts
from .intervals import nest_paths, run_intervals
from .pairs import align_runs, all_labels
from .resampling import Confidence
from .result import gold_by_label, make_plain, predictions_by_label, reading_numbers, scores_by_key, signature
from .scores import AVERAGES, Path, score_sums
from .variance import FEW_RUNS, mean_of_runs


def evaluate_runs(
    runs: Sequence[Counts],
    confidence: Confidence | None = None,
    *,
    system: str = "the system",
    average: str = "micro",
    short: bool = False,
) -> dict[str, Any]:
    """Return the mean scores of a system's training runs, with intervals that include the retraining variance.

    Args:
        runs: The counts of each run, two or more, of the same documents in any order.
        confidence: Level, number of half-samples and seed; by default those of `Confidence`.
        system: The name of the system, for the result and for errors.
        average: The average that tables show; it only enters the signature.
        short: Whether the signature omits default options.

    Returns:
        A result in plain Python, with None where a score of some run is undefined. Per metric,
        "scores", "averages" and "per_type" have the means over the runs in place of the scores in the
        result of `evaluate`; "intervals" has their intervals, each with the share of the
        retraining variance; "runs" has for each score the "values" of the runs in the
        order given, their standard deviation "sd", and the "least" and "greatest" of them.
        "skipped", "pred" and the reading statistics ("repaired" and others) have a number per run.

    Raises:
        ValueError: There is only one run; the runs are of different documents, or counted in
            different ways; a setting is out of range.

    Example:
        >>> from spacy_nereval import Document, count, create_all
        >>> gold = [(0, 3, "PER"), (8, 11, "PER")]
        >>> preds = [gold, gold[:1]], [gold, gold], [gold[1:], gold]
        >>> runs = [
        ...     count([Document(gold, pred, id=f"d{k}") for k, pred in enumerate(run)], create_all(["strict"]))
        ...     for run in preds
        ... ]
        >>> strict = evaluate_runs(runs)["metrics"]["strict"]
        >>> round(strict["scores"]["r"], 4), strict["runs"]["scores"]["r"]["values"]
        (0.8333, [0.75, 1.0, 0.75])

    Source: min F', H. H. Clark (1973), for the variance of the mean; see `bounds`.
    """
    for counts in runs:
        counts.check_documents("means of training runs")
    confidence = (confidence or Confidence()).checked()
    if len(runs) < 2:
        raise ValueError(
            f"{system} has {many(len(runs), 'training run')}: expected two or more, "
            "since one run does not show how much runs vary; score a single run alone"
        )
    first = runs[0]
    runs = align_runs(first, system, runs)
    bounds = run_intervals(runs, confidence)
    labels = all_labels(*runs)
    sums = [sum_counts(counts, labels=labels) for counts in runs]
    metrics: dict[str, Any] = {}
    for run_scores in zip(*map(score_sums, sums)):
        metric = run_scores[0].metric
        places = [path for path, _ in run_scores[0].paths(labels)]
        values = np.array([scores.stack_values(metric.score_by_name)[0] for scores in run_scores])
        metrics[metric.name] = _run_metric_result(metric, places, values, labels) | {
            "intervals": bounds.metrics[metric.name]
        }
    result: dict[str, Any] = make_plain(
        {
            "signature": signature(first, bounds.basis.signature, f"runs:{len(runs)}", average=average, short=short),
            "version": __version__,
            "system": system,
            "runs": len(runs),
            "few_runs": len(runs) < FEW_RUNS,
            "documents": first.documents,
            "gold": first.gold,
            "pred": [counts.pred for counts in runs],
            **reading_numbers(runs),
            "confidence": bounds.basis._asdict(),
            "scores": scores_by_key(first.metrics, metrics),
            "per_type": _mean_spans_per_label(runs, labels),
            "metrics": metrics,
        }
    )
    return result


def _mean_spans_per_label(runs: Sequence[Counts], labels: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the number of gold spans of each label, and the mean number of predicted spans of the runs."""
    gold, preds = gold_by_label(runs[0]), [predictions_by_label(counts) for counts in runs]
    means = {label: sum(pred.get(label, 0) for pred in preds) / len(runs) for label in labels}
    return {label: {"gold": gold.get(label, 0), "pred": means[label]} for label in labels}


def _run_metric_result(
    metric: Metric, places: Sequence[Path], values: NDArray[np.float64], labels: Sequence[str]
) -> Any:
    """Return the means and the spread of the runs' scores, from float64[runs, places]."""
    ordered = np.sort(values, axis=0)  # so that the order of the runs does not change the last digit
    means, deviations = mean_of_runs(values), ordered.std(axis=0, ddof=1)
    nested_means = nest_paths(dict(zip(places, means)))
    # In a result, the scores of labels are one level deeper, next to their counts.
    nested_means["averages"] = {average: nested_means["averages"].get(average, {}) for average in AVERAGES[1:]}
    nested_means["per_type"] = {label: {"scores": nested_means["per_type"].get(label, {})} for label in labels}
    spread = {
        path: {"values": values[:, n], "sd": deviations[n], "least": values[:, n].min(), "greatest": values[:, n].max()}
        for n, path in enumerate(places)
    }
    return {"settings": metric.settings, **nested_means, "runs": nest_paths(spread)}
