"""Is one system better than another? Differences, their intervals, and paired permutation tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..about import __version__
from ..core.declaration import Metric, Score
from ..core.spans import Document, Span
from ..counting.counts import Counts
from ..counting.sums import Sums
from ..counting.table import GOLD, PRED, Table, columns_of
from .resampling import Confidence, HalfSamples, Units
from .result import plain
from .scores import score_sums
from .signature import signature
from .statistics.differences import balance, number_of_swaps, swap_test
from .statistics.families import PRIMARY, SECONDARY, UNTESTED, holm_by_family
from .statistics.power import detectable_difference
from .transitions import transitions

if TYPE_CHECKING:
    from scipy.sparse import csr_array


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
    family = families(baseline.counts.metrics, primary)
    tests = len(others) * max(1, [*family.values()].count(SECONDARY), 1)
    trials = trials or number_of_swaps(tests)
    rows = []
    for other in others:
        for row in compare(baseline.counts, other.counts, confidence=confidence, trials=trials, primary=primary):
            rows.append({"metric": row.pop("metric"), "score": row.pop("score"), "system": other.name, **row})
    adjusted = holm_by_family([row["p"] for row in rows], [row["family"] for row in rows])
    for row, p, size in zip(rows, adjusted.p.tolist(), adjusted.sizes.tolist()):
        row |= {"p_holm": p, "tests": size}
    units = len({*baseline.counts.units})
    exact = all_swaps(units, trials)
    tested = f"swaps:{f'all {2**units}' if exact else trials},seed:{confidence.seed},level:{confidence.level}"
    result: dict[str, Any] = plain(
        {
            "signature": signature(baseline.counts, f"{tested},units:{units}", short=short),
            "version": __version__,
            "documents": baseline.counts.documents,
            "units": units,
            "baseline": baseline.name,
            "confidence": {"level": confidence.level, "seed": confidence.seed},
            "swaps": 2**units if exact else trials,
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
    """Return the family of tests of each score that has a score key.

    The primary score is one family; one headline of each further metric is another. Other
    scores are not tested, least of all those that are functions of another score.

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
    heads = [(metric.name, metric.headlines[0].name) for metric in metrics if metric.headlines]
    first = tuple(primary.split(".", 1)) if primary else heads[0] if heads else None
    if primary and first not in shown:
        known = ", ".join(".".join(key) for key in shown)
        raise ValueError(f"--primary {primary}: there is no such score; expected METRIC.SCORE, one of {known}")
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
    """Return a row per metric and score that has a score key: both values, the difference, its interval, and p.

    Null hypothesis: per unit, the two systems' outputs are exchangeable. p is two-sided. With
    few units all swaps are enumerated, else `trials` are drawn. The interval holds every
    difference that the same test does not reject; where fewer than 6 units differ there is
    neither. Only scores of a family have a p, see `families`.

    Args:
        baseline, system: Counts of the same documents, in any order.
        confidence: Level and seed.
        trials: Number of swaps.
        primary: See `comparison`.

    Raises:
        ValueError: The two were not counted on the same documents.
    """
    family = families(baseline.metrics, primary)
    pair = Pair(baseline, paired(baseline, system))
    trials = trials or number_of_swaps(len(family))
    swaps = HalfSamples(pair.units, trials, confidence.seed)
    whole = [table.summed() for table in pair.tables]
    kept = pair.summed(swaps)
    gap = whole[1] - whole[0]
    moved = Sums(*gap[:3], *(total - stays for total, stays in zip(gap.arrays, kept.arrays)))
    after = whole[0] + moved, Sums(*moved[:3], *(b - m for b, m in zip(whole[1].arrays, moved.arrays)))
    balances = balance(*pair.span_weights(swaps))
    rows = []
    for metric, observed, drawn in zip(baseline.metrics, _both(*whole), _both(*after)):
        differing = pair.differing(metric)
        for score in metric.scores:
            if (metric.name, score.name) in family:
                a, b = (float(values[0]) for values in observed[score.name])
                difference = 0.0 if abs(b - a) < SAME else b - a  # undefined stays undefined
                found = swap_test(
                    difference, drawn[score.name][1] - drawn[score.name][0], balances, exact=swaps.exact,
                    differing=differing, level=confidence.level, higher_is_better=score.higher_is_better,
                    limit=score.limits[1] - score.limits[0],
                )  # fmt: skip
                rows.append(_row(metric, score, family, (a, b, difference), found, differing))
    return rows


SAME = 1e-12
"""Differences below this are rounding."""


def _row(
    metric: Metric, score: Score, family: Mapping[tuple[str, str], str], values: Any, found: Any, differing: int
) -> Any:
    own = family[metric.name, score.name]
    low, high = float(found.low), float(found.high)
    known = score.complement_of is None
    return {
        "metric": metric.name,
        "score": score.name,
        "family": own,
        "baseline_value": values[0],
        "value": values[1],
        "difference": values[2],
        "interval": [low, high] if known else [np.nan, np.nan],
        "p": float(found.p) if own and known else np.nan,
        "p_better": float(found.p_better) if own and known else np.nan,
        "differing": differing,
        "detectable": detectable_difference(low, high) if known else np.nan,
    }


def _both(first: Sums, second: Sums) -> Iterator[dict[str, tuple[NDArray[Any], NDArray[Any]]]]:
    """Yield per metric each overall score of two systems, [sums] each."""
    for a, b in zip(score_sums(first), score_sums(second)):
        yield {name: (a.scores[name], b.scores[name]) for name in a.scores}


class Pair(Table):
    """The rows of a system less those of the baseline, for the same documents in the same order."""

    def __init__(self, baseline: Counts, system: Counts) -> None:
        labels = tuple(sorted({*baseline.labels, *system.labels}))
        super().__init__(baseline, labels)
        first, second = Table(baseline, labels), Table(system, labels)
        self.tables = first, second
        self.units = Units(baseline)
        self.cells = (second.cells - first.cells).tocsr()

    def additive_rows(self, here: slice) -> tuple[Any, NDArray[Any], NDArray[Any]]:
        first, second = (table.additive_rows(here) for table in self.tables)
        return second[0] - first[0], second[1] - first[1], second[2] - first[2]

    def differing(self, metric: Metric) -> int:
        """Return the number of units in which some count of the metric differs."""
        per_unit = (self._unit_matrix() @ (self.cells @ self._columns(metric))).tocsr()
        per_unit.data[np.abs(per_unit.data) < SAME] = 0
        return int((abs(per_unit).sum(axis=1) > 0).sum())

    def _columns(self, metric: Metric) -> csr_array:
        """Return [slots * (labels + 1), columns * (labels + 1)]: how slots add up to the metric's columns."""
        from scipy.sparse import csr_array, identity, kron

        columns = columns_of(metric, np.eye(len(self.slots)), self.slots)
        coefficients = np.stack([columns[name] for name in metric.columns], axis=1)
        return csr_array(kron(coefficients, identity(len(self.labels) + 1), format="csr"))

    def _unit_matrix(self) -> csr_array:
        from scipy.sparse import csr_array

        of_document = self.units.of_document
        shape = len(self.units), len(of_document)
        return csr_array((np.ones(len(of_document)), (of_document, np.arange(len(of_document)))), shape)

    def span_weights(self, swaps: HalfSamples) -> tuple[NDArray[Any], float]:
        """Return how many spans stay with each swap, float64[swaps], and how many there are: per
        unit twice the gold spans plus the predicted spans of both systems."""
        width = len(self.labels) + 1
        weights = np.zeros(len(self.units.of_document))
        for table in self.tables:
            for slot in (*GOLD, *PRED):  # a hit is in both
                first = self.slots[slot] * width
                weights += np.asarray(table.cells[:, first : first + width].sum(axis=1))
        own = self.units.added(weights)
        return np.concatenate([bits @ own for bits in swaps.of_units()]), float(own.sum())


def all_swaps(units: int, trials: int) -> bool:
    """Return whether all swaps are enumerated, since they are no more than the trials."""
    return units < 60 and 2**units <= trials


def paired(baseline: Counts, system: Counts) -> Counts:
    """Return the system's counts in the baseline's order of documents, paired by id, or without ids by position.

    Raises:
        ValueError: They are not the same documents, or not counted in the same way; the
            message names the difference.
    """
    if differences := baseline.differences(system, replicates=False):
        raise ValueError(f"the systems cannot be compared: {differences}")
    if baseline.ids != system.ids:
        ours, theirs = (_places(counts) for counts in (baseline, system))
        if missing := [key for key in (*ours, *theirs) if key not in ours or key not in theirs]:
            names = ", ".join(str(id) for id, _ in missing[:5]) + (", ..." if len(missing) > 5 else "")
            raise ValueError(f"{len(missing)} documents are not in both systems: {names}")
        system = system.reordered([theirs[key] for key in ours])
    _check_same_gold(baseline, system)
    return system


def _check_same_gold(baseline: Counts, system: Counts) -> None:
    """Raise ValueError, naming documents, if their gold labels differ."""
    labels = tuple(sorted({*baseline.labels, *system.labels}))
    tables = [Table(counts, labels) for counts in (baseline, system)]
    width = len(labels) + 1
    gold = []
    for table in tables:
        parts = [table.cells[:, table.slots[slot] * width : (table.slots[slot] + 1) * width] for slot in GOLD]
        gold.append(parts[0] + parts[1] + parts[2])
    differing = np.flatnonzero(np.asarray(abs(gold[0] - gold[1]).sum(axis=1)))
    if len(differing):
        ids = (baseline.ids[doc] for doc in differing[:5].tolist())
        names = ", ".join(str(doc if id is None else id) for doc, id in zip(differing.tolist(), ids))
        more = ", ..." if len(differing) > 5 else ""
        raise ValueError(f"the systems have different gold annotation in {len(differing)} documents: {names}{more}")


def _places(counts: Counts) -> dict[tuple[str | int, int], int]:
    """Return the position of each document by its id and how many had it before; without id, by position."""
    seen: dict[str | int, int] = {}
    places = {}
    for position, id in enumerate(counts.ids):
        key: str | int = position if id is None else id
        places[key, seen.setdefault(key, 0)] = position
        seen[key] += 1
    return places
