"""The weights of units for scores, and the effective numbers of units that they give.

A unit weighs as much as it has gold and predicted spans. For a score that the unit says nothing about, its weight is 0:
documents without predictions say nothing about precision, however many spans they lack.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Kind, Metric
from ..counting.sums import HIGH, HIGH_UNIT, LOW, LOW_UNIT, Slot, slots
from ..counting.table import Table, columns_of
from .bounds import TINY, kish
from .resampling import Units

Floats = NDArray[np.float64]

PROBES = 4
"""Number of made-up corpora that show on which counts a score depends."""


class SlotsRead(NamedTuple):
    """The slots on which each score of a metric depends, by its name: overall scores, and scores of labels."""

    overall: dict[str, frozenset[Slot]]
    labels: dict[str, frozenset[Slot]]


def slots_read(metric: Metric) -> SlotsRead:
    """Return the slots on which the scores of a metric depend: if one is changed, the score changes, or it alone makes
    the score defined.

    >>> from spacy_nereval import create
    >>> read = slots_read(create("strict")).overall
    >>> sorted(slot.verdict for slot in read["p"])
    ['group_pred', 'hit', 'spurious']
    """
    place = slots([metric])
    unit = np.array([{HIGH: HIGH_UNIT, LOW: LOW_UNIT}.get(slot.quantity, 1.0) for slot in place])
    corpora = np.random.default_rng(0).integers(1, 100, (PROBES, len(place))) * unit
    corpora[0, place[Slot("", Kind.HIT.value)]] *= 1000  # Where errors are few, no score is cut off at a limit.
    # Each corpus with one count changed, and last unchanged; and at the end corpora with a single count.
    changed = np.repeat(corpora[:, None], len(place) + 1, axis=1)
    changed[:, range(len(place)), range(len(place))] *= 8
    alone = np.vstack([np.diag(unit), np.zeros(len(place))])
    counts = np.moveaxis(np.concatenate([changed, alone[None]]), -1, 0)
    with np.errstate(all="ignore"):
        scores = metric.formula(columns_of(metric, counts, place))
    labels = {}
    for name, values in scores.items():
        moves = np.abs(values[:-1, :-1] - values[:-1, -1:]) > TINY * np.abs(values[:-1, -1:])
        is_read = moves.any(axis=0) | np.isfinite(values[-1, :-1])
        labels[name] = frozenset(slot for slot, read in zip(place, is_read) if read)
    if not metric.classes:
        return SlotsRead(labels, labels)
    # An overall score that is computed from the scores of labels may use any of them.
    together = frozenset[Slot]().union(*labels.values())
    return SlotsRead(dict.fromkeys(metric.score_by_name, together) | labels, labels)


class UnitWeights:
    """The weights of units for scores.

    A unit informs a score if its counts include one on which the score depends. Then the score is defined in the unit
    alone, or changes without the unit.

    Args:
        systems: The tables of each system's training runs, all of the same documents, with the same labels.
        units: Their units.
    """

    def __init__(self, systems: Sequence[Sequence[Table]], units: Units) -> None:
        first = systems[0][0]
        self._width, self._place = first.width, first.slots
        # The mean over runs, times a whole number that changes no effective number, so that sums are exact.
        factor = prod(len(tables) for tables in systems)
        spans = sum(
            (factor // len(tables)) * (units.matrix @ table.spans(*GOLD_SPANS, *PRED_SPANS))
            for tables in systems
            for table in tables
        ).tocoo()
        cells = sum(abs(units.matrix @ table.cells) for tables in systems for table in tables).tocoo()
        order = np.lexsort([spans.col, spans.row])
        self._unit, self._label, self._spans = (values[order] for values in (spans.row, spans.col, spans.data))
        self._of_unit = _add_up(self._unit, self._spans, len(units))
        keys = self._unit.astype(np.int64) * self._width + self._label
        key_of_cell = cells.row.astype(np.int64) * self._width + cells.col % self._width
        at = np.searchsorted(keys, key_of_cell)
        here = at < len(keys)
        here[here] = keys[at[here]] == key_of_cell[here]
        slot = cells.col // self._width
        self._entries: list[NDArray[np.int64]] = _split_by(slot[here], at[here], len(self._place))
        self._units_of_slot: list[NDArray[np.int64]] = _split_by(slot, cells.row, len(self._place))

    @property
    def effective_by_spans(self) -> float:
        """The effective number of units by all spans, whatever they inform."""
        return float(kish(self._of_unit.sum(), (self._of_unit**2).sum()))

    def weights_of_score(self, metric: Metric, score: str, label: int | None = None) -> Floats:
        """Return the weight of each unit for an overall score, or for the score of a label by its index."""
        read = slots_read(metric)
        if label is None:
            return self._overall_weights(read.overall[score])
        spans = self._label_weights(read.labels[score]) * (self._label == label)
        return _add_up(self._unit, spans, len(self._of_unit))

    def effective_numbers(self, metric: Metric) -> dict[str, Floats]:
        """Return the effective number of units of each score of each label, and last of the overall score,
        float64[labels + 1] by name."""
        read, effective = slots_read(metric), {}
        for name, slots_of_score in read.overall.items():
            spans, overall = (
                self._label_weights(read.labels.get(name, slots_of_score)),
                self._overall_weights(slots_of_score),
            )
            total, squares = (
                np.append(_add_up(self._label, spans**power, self._width)[:-1], (overall**power).sum())
                for power in (1, 2)
            )
            effective[name] = kish(total, squares)
        return effective

    def _overall_weights(self, read: frozenset[Slot]) -> Floats:
        """Return the spans of the units that have a count of some slots, else 0, float64[units]."""
        weights: Floats = self._of_unit * self._places_with_counts(self._units_of_slot, len(self._of_unit), read)
        return weights

    def _label_weights(self, read: frozenset[Slot]) -> Floats:
        """Return the spans of each label in a unit if the label has a count of some slots there, float64[entries]."""
        spans: Floats = self._spans * self._places_with_counts(self._entries, len(self._spans), read)
        return spans

    def _places_with_counts(
        self, places: Sequence[NDArray[np.int64]], size: int, read: frozenset[Slot]
    ) -> NDArray[np.bool_]:
        """Return which of `size` places have a count of some slots, given the places of each slot."""
        informing = np.zeros(size, dtype=bool)
        for slot in read:
            informing[places[self._place[slot]]] = True
        return informing


def _add_up(key: NDArray[np.int64], values: NDArray[Any], number: int) -> Floats:
    """Return the sum of the values of each key from 0 to `number` - 1."""
    sums: Floats = np.bincount(key, values, number).astype(float)
    return sums


def _split_by(key: NDArray[np.int64], values: NDArray[np.int64], number: int) -> list[NDArray[np.int64]]:
    """Return the values of each key from 0 to `number` - 1."""
    order = np.argsort(key, kind="stable")
    return np.split(values[order], np.searchsorted(key[order], np.arange(1, number)))
