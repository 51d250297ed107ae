"""How far a score could be off: percentile intervals by resampling documents.

A resample is a row of weights, one per document: how often it was drawn. As
counts are additive, its scores follow from weights times counts by the same
formulas as the scores themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from hashlib import blake2b
from itertools import accumulate
from math import factorial
from typing import Any, NamedTuple

import numpy as np

from ..counting.counts import Counts, Replicates
from ..counting.shared import Shared
from ..counting.views import View
from .scores import averages, summarise

BLOCK = 50
"""Samples drawn from one stream of random numbers. Part of what a seed means."""

CELLS = 1 << 24
"""Weights (samples by documents) held at once: 128 MB."""

STRETCH = 1 << 12
"""Documents that are replicated at once."""


class Confidence(NamedTuple):
    """The settings of intervals. Raises ValueError for settings that make none.

    >>> Confidence(level=1.5).checked()
    Traceback (most recent call last):
    ValueError: level = 1.5: a number between 0 and 1 was wanted, such as 0.95
    """

    level: float = 0.95
    samples: int = 1000
    seed: int = 0

    def checked(self) -> Confidence:
        if not all(isinstance(n, int) for n in (self.samples, self.seed)) or not isinstance(self.level, (int, float)):
            raise ValueError(
                f"level, samples, seed = {self.level!r}, {self.samples!r}, {self.seed!r}: numbers were wanted"
            )
        if not 0 < self.level < 1:
            raise ValueError(f"level = {self.level}: a number between 0 and 1 was wanted, such as 0.95")
        if self.samples < 1:
            raise ValueError(f"samples = {self.samples}: at least 1 was wanted; 1000 is usual")
        if self.seed < 0:
            raise ValueError(f"seed = {self.seed}: a whole number from 0 up was wanted")
        return self

    def used_on(self, counts: Counts) -> Drawn:
        """What intervals of these counts rest on: their own replicates, or else the settings."""
        stored = counts.replicates
        if stored:
            return Drawn("poisson", self.level, stored.samples, stored.seed)
        return Drawn("bootstrap", self.level, self.samples, self.seed)


class Drawn(NamedTuple):
    """The method and the settings of intervals."""

    method: str
    level: float
    samples: int
    seed: int

    @property
    def table(self) -> dict[str, Any]:
        return self._asdict()

    @property
    def signature(self) -> str:
        method = {"bootstrap": "bs"}.get(self.method, self.method)
        return f"{method}:{self.samples},seed:{self.seed},level:{self.level}"


def resamples(counts: Counts, confidence: Confidence) -> Iterator[np.ndarray]:
    """Weights float[samples, documents] of the bootstrap, some samples at a time.

    Drawn are whole documents: texts that share an id have one weight. The same
    seed gives the same weights on every machine.
    """
    units, number = counts.units, number_of_units(counts)
    waiting: list[np.ndarray] = []
    for start in range(0, confidence.samples, BLOCK):
        drawn = random_numbers(confidence.seed, start // BLOCK, (BLOCK, number))[: confidence.samples - start]
        drawn = (drawn % np.uint64(number)).astype(np.int64)
        cells = np.arange(len(drawn))[:, None] * number + drawn
        waiting.append(np.bincount(cells.ravel(), minlength=drawn.size).reshape(drawn.shape)[:, units].astype(float))
        if sum(map(len, waiting)) * len(units) >= CELLS:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def number_of_units(counts: Counts) -> int:
    """How many documents there are to draw from."""
    return int(counts.units.max(initial=-1)) + 1


def random_numbers(seed: int, stream: int, shape: tuple[int, int]) -> np.ndarray:
    """uint64[shape]: the generator's raw output, which stays the same in every version of numpy."""
    return np.random.PCG64([seed, stream]).random_raw(shape)


def replicate(counts: Counts, samples: int, seed: int) -> Replicates:
    """The Poisson bootstrap: every document counts 0, 1, 2, ... times by itself,
    as a hash of its id and the seed says.

    No document's weight depends on the others, so replicates of parts of a
    corpus, counted anywhere, add up to the replicates of the whole. Texts
    without an id go by the file they were read from and their position in it.
    """
    Confidence(samples=samples, seed=seed).checked()
    total: Replicates | None = None
    for start, part in _stretches(counts, STRETCH):
        weights = np.zeros((samples, part.documents), dtype=np.uint8)
        for doc, id in enumerate(part.ids):
            key = f"{seed}|{':'.join(counts.sources)}:{start + doc}" if id is None else f"{seed}|{id}"
            first = int.from_bytes(blake2b(key.encode("utf8"), digest_size=8).digest(), "little")
            weights[:, doc] = np.searchsorted(POISSON, np.random.PCG64(first).random_raw(samples), side="right")
        tapes: dict[str, dict[str, np.ndarray]] = {}
        shared = Shared(part, weights)
        for metric in counts.metrics:
            view = View(part, metric, weights=weights, tape=tapes.setdefault(metric.name, {}), shared=shared)
            averages(view, summarise(view))
        found = Replicates(samples, seed, counts.labels, tapes)
        total = total.added(found, counts.labels) if total else found
    assert total
    return total


def _stretches(counts: Counts, size: int) -> Iterator[tuple[int, Counts]]:
    """The counts of so many documents at a time, with all labels and notes, and where each stretch begins."""
    tables = [rows.array() for rows in (counts.settled, *counts.rows)]
    for start in range(0, max(1, counts.documents), size):
        part = Counts(counts.metrics)
        part.ids = counts.ids[start : start + size]
        part.documents = len(part.ids)
        part.label_ids, part.note_ids = counts.label_ids, counts.note_ids
        for rows, table in zip((part.settled, *part.rows), tables):
            here = table[(table[:, 0] >= start) & (table[:, 0] < start + size)]
            here[:, 0] -= start
            rows.extend(here)
        yield start, part


def _poisson() -> np.ndarray:
    """The chance of at most 0, 1, 2, ... under a Poisson law of mean 1, in units of 2^-64."""
    e_inverse = sum(Fraction((-1) ** k, factorial(k)) for k in range(40))
    sums = accumulate(e_inverse / factorial(k) for k in range(20))
    return np.array([min(int(chance * 2**64), 2**64 - 1) for chance in sums], dtype=np.uint64)


POISSON = _poisson()


def intervals(counts: Counts, confidence: Confidence) -> dict[str, dict[str, Any]]:
    """Per metric the intervals of the overall scores, the averages, and each label's scores.

    Resamples in which a score is undefined are left out of its interval, and
    `undefined` says how many there were, where there were any.
    """
    confidence.checked()
    if number_of_units(counts) < 2:
        few = "is one" if counts.documents else "are none"
        raise ValueError(f"intervals need at least two documents to draw from; there {few}")
    drawn: dict[str, dict[tuple[str, ...], list[np.ndarray]]] = {metric.name: {} for metric in counts.metrics}
    for views in _resampled(counts, confidence):
        for view in views:
            summary = summarise(view)
            scores: dict[tuple[str, ...], np.ndarray] = {
                ("scores", name): values for name, values in summary.scores.items()
            }
            for average, table in averages(view, summary).items():
                scores |= {("averages", average, name): v for name, v in table.items() if name != "undefined"}
            for k, label in enumerate(view.labels):
                scores |= {("per_type", label, name): v[..., k] for name, v in summary.label_scores.items()}
            for place, values in scores.items():
                drawn[view.metric.name].setdefault(place, []).append(values)
    return {
        name: _nested(
            {place: _percentiles(np.concatenate(values), confidence.level) for place, values in found.items()}
        )
        for name, found in drawn.items()
    }


def _resampled(counts: Counts, confidence: Confidence) -> Iterator[list[View]]:
    """Per metric a view of some resamples: those that came with the counts, or else drawn now."""
    stored = counts.replicates
    if stored:
        yield [View(counts, metric, tape=stored.tapes[metric.name]) for metric in counts.metrics]
        return
    for weights in resamples(counts, confidence):
        shared = Shared(counts, weights)
        yield [View(counts, metric, weights=weights, shared=shared) for metric in counts.metrics]


def _percentiles(values: np.ndarray, level: float) -> dict[str, Any]:
    defined = np.sort(values[np.isfinite(values)])
    bounds = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]) if len(defined) else [np.nan, np.nan]
    return {"interval": list(bounds), "undefined": len(values) - len(defined)}


def _nested(found: dict[tuple[str, ...], dict[str, Any]]) -> dict[str, Any]:
    """Paths as nested tables, intervals and numbers of undefined resamples apart."""
    result: dict[str, Any] = {"scores": {}, "averages": {}, "per_type": {}, "undefined": {}}
    for place, value in found.items():
        table = result
        for key in place[:-1]:
            table = table.setdefault(key, {})
        table[place[-1]] = value["interval"]
        if value["undefined"]:
            result["undefined"][".".join(place)] = value["undefined"]
    return result
