"""Is one system better than another? Differences, their intervals, and paired permutation tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..about import __version__
from ..core.declaration import Metric, Score
from ..core.spans import Document, Span
from ..counting.counts import Counts
from .pairs import SAME, Pair, balances, paired
from .resampling import Confidence, HalfSamples, Units, number_of_units
from .result import plain
from .scores import Scores
from .signature import signature
from .statistics.bits import enumerable
from .statistics.differences import number_of_swaps, swap_test
from .statistics.families import PRIMARY, SECONDARY, UNTESTED, holm_by_family, largest_family
from .statistics.power import detectable_difference
from .transitions import transitions


class System(NamedTuple):
    """A system: its name, its counts, and, if its predictions are at hand, the outcome of each gold span."""

    name: str
    counts: Counts
    outcomes: list[dict[Span, str]] | None = None


def comparison(
    systems: Sequence[System],
    documents: Sequence[Document | None],
    confidence: Confidence | None = None,
    trials: int | None = None,
    *,
    primary: str | None = None,
    short: bool = False,
) -> dict[str, Any]:
    """Compare all systems with the first.

    Args:
        systems: Two or more, counted on the same documents.
        documents: The documents, for the texts of the spans that changed.
        confidence: The level of intervals and the seed.
        trials: How many swaps are drawn; by default enough for the number of tests.
        primary: The score in question, METRIC.SCORE; by default the headline of the first metric.
        short: Whether the signature leaves out options that have their default.

    Returns:
        A result in plain Python; p-values are corrected after Holm within families.

    Raises:
        ValueError: The systems were counted on different documents or in different ways, or
            there is no such primary score.
    """
    confidence = (confidence or Confidence()).checked()
    baseline, *others = systems
    if trials is None:
        trials = swaps_for(families(baseline.counts.metrics, primary), len(others))
    rows = []
    for other in others:
        for row in compare(baseline.counts, other.counts, confidence=confidence, trials=trials, primary=primary):
            named = {"metric": row["metric"], "score": row["score"], "system": other.name}
            rows.append(named | {key: value for key, value in row.items() if key not in named})
    adjusted = holm_by_family([row["p"] for row in rows], [row["family"] for row in rows])
    for row, p, size in zip(rows, adjusted.p.tolist(), adjusted.sizes.tolist()):
        row |= {"p_holm": p, "tests": size}
    units = number_of_units(baseline.counts)
    exact = enumerable(units, trials)
    swaps = 2**units if exact else trials
    tested = f"swaps:{f'all {swaps}' if exact else swaps},seed:{confidence.seed},level:{confidence.level}"
    result: dict[str, Any] = plain(
        {
            "signature": signature(baseline.counts, f"{tested},unit:{baseline.counts.unit},units:{units}", short=short),
            "version": __version__,
            "documents": baseline.counts.documents,
            "unit": baseline.counts.unit,
            "units": units,
            "baseline": baseline.name,
            "confidence": {"level": confidence.level, "seed": confidence.seed},
            "swaps": swaps,
            "exact": exact,
            "comparisons": rows,
            "transitions": [
                {"system": other.name, **transitions(baseline.outcomes, other.outcomes, documents)}
                for other in others
                if baseline.outcomes is not None and other.outcomes is not None
            ],
        }
    )
    return result


def families(metrics: Sequence[Metric], primary: str | None = None) -> dict[tuple[str, str], str]:
    """Return the family of tests of each score that has a score key or is a headline.

    The primary score is one family; one headline of each further metric is another. Other
    scores are not tested. One that is a function of another cannot even be chosen as primary.

    Args:
        metrics: In the order in which they were asked for.
        primary: METRIC.SCORE; by default the headline of the first metric.

    Raises:
        ValueError: There is no such score.

    >>> from spacy_nereval import create_all
    >>> found = families(create_all(["strict", "slot_error"]))
    >>> [key for key, family in found.items() if family], found["slot_error", "ser_acc"]
    ([('strict', 'f'), ('slot_error', 'ser')], '')
    """
    shown = {(m.name, score.name): UNTESTED for m in metrics for score in m.scores if score.key or score.headline}
    complements = {
        (metric.name, score.name): f"{metric.name}.{score.complement_of}"
        for metric in metrics
        for score in metric.scores
        if score.complement_of
    }
    heads = [(metric.name, metric.headlines[0].name) for metric in metrics if metric.headlines]
    first = tuple(primary.split(".", 1)) if primary else heads[0] if heads else None
    if primary and first not in shown:
        known = ", ".join(".".join(key) for key in shown if key not in complements)
        raise ValueError(f"--primary {primary}: there is no such score; expected METRIC.SCORE, one of {known}")
    if primary and first in complements:
        raise ValueError(
            f"--primary {primary}: this score is a function of {complements[first]}, which can be tested: "
            f"--primary {complements[first]}"
        )
    for key in heads:
        if first and key[0] != first[0]:
            shown[key] = SECONDARY
    return shown | ({(first[0], first[1]): PRIMARY} if first else {})


def compare(
    baseline: Counts,
    system: Counts,
    *,
    confidence: Confidence = Confidence(),
    trials: int | None = None,
    primary: str | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each score that has a score key or is a headline.

    A row has both values, the difference, its interval, and p.

    Null hypothesis: per unit, the two systems' outputs are exchangeable. p is two-sided. With
    few units all swaps are enumerated, else `trials` are drawn. The interval holds every
    difference that the same test does not reject; where fewer than 6 units differ there is
    neither. Only scores of a family have a p, see `families`.

    Args:
        baseline, system: Counts of the same documents, in any order.
        confidence: Level and seed.
        trials: Number of swaps; by default enough for the number of tests.
        primary: See `comparison`.

    Raises:
        ValueError: The two were not counted on the same documents, or a setting is out of range.
    """
    confidence.checked()
    family = families(baseline.metrics, primary)
    system = paired(baseline, system)
    units = Units(baseline)
    swaps = HalfSamples(units, swaps_for(family) if trials is None else trials, confidence.seed)
    weights = balances(baseline, system, units, swaps)
    rows: dict[str, list[dict[str, Any]]] = {}
    for metrics in _with_and_without_classes(baseline.metrics):
        pair = Pair(baseline, system, metrics)
        for metric, observed, swapped in zip(metrics, pair.scores(), pair.swapped(swaps)):
            basis = _Basis(weights, swaps.exact, pair.differing(metric), confidence.level)
            rows[metric.name] = [
                _row(metric, score, family[metric.name, score.name], observed, swapped, basis)
                for score in metric.scores
                if (metric.name, score.name) in family
            ]
    return [row for metric in baseline.metrics for row in rows[metric.name]]


def _with_and_without_classes(metrics: Sequence[Metric]) -> list[list[Metric]]:
    found = [[metric for metric in metrics if bool(metric.classes) is wanted] for wanted in (False, True)]
    return [some for some in found if some]


class _Basis(NamedTuple):
    """What the tests of a metric rest on: see `swap_test`."""

    balances: NDArray[np.float64]
    exact: bool
    differing: int
    level: float


def _row(
    metric: Metric,
    score: Score,
    family: str,
    observed: tuple[Scores, Scores],
    swapped: tuple[Scores, Scores],
    basis: _Basis,
) -> dict[str, Any]:
    """Return the row of one score, NaN where there is no value, interval or p."""
    a, b = (float(scores[score.name][0]) for scores in observed)
    difference = 0.0 if abs(b - a) < SAME else b - a
    p, p_better, low, high = (np.nan,) * 4
    if score.complement_of is None:  # else it says nothing that the other score does not say
        found = swap_test(
            difference,
            swapped[1][score.name] - swapped[0][score.name],
            basis.balances,
            exact=basis.exact,
            differing=basis.differing,
            level=basis.level,
            higher_is_better=score.higher_is_better,
            limit=np.inf if score.unit == "count" else score.limits[1] - score.limits[0],
        )
        p, p_better, low, high = map(float, found)
    return {
        "metric": metric.name,
        "score": score.name,
        "family": family,
        "baseline_value": a,
        "value": b,
        "difference": difference,
        "interval": [low, high],
        "p": p if family else np.nan,
        "p_better": p_better if family else np.nan,
        "differing": basis.differing,
        "detectable": float(detectable_difference(low, high, level=basis.level)),
    }


def swaps_for(family: Mapping[tuple[str, str], str], systems: int = 1) -> int:
    """Return how many swaps are drawn by default.

    Args:
        family: The family of tests of each score, see `families`.
        systems: How many systems are compared with the baseline.

    >>> from spacy_nereval import create_all
    >>> swaps_for(families(create_all())), swaps_for(families(create_all()), systems=2)
    (10000, 20000)
    """
    return number_of_swaps(systems * largest_family([*family.values()]))
