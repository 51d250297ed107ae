"""Intervals of agreement: the documents are resampled, and everything is added up anew."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.declaration import Metric
from ...counting.batch import content_key
from ...counting.counts import Counts
from ..intervals import Drawn
from ..resampling import Confidence, HalfSamples, Units
from ..statistics.intervals import UNBOUNDED, effective_units, score_intervals
from ..statistics.scales import Limits
from .annotator_pairs import Directions, PairTables
from .shared import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Path = tuple[Any, ...]
"""The keys that lead to a number in the result."""

CORRECTED: Limits = -math.inf, 1.0
"""The limits of alphas and kappas."""

SHARE: Limits = 0.0, 1.0

TOGETHER = 1 << 11
"""The number of documents whose random bits are unpacked at once."""


class Samples(NamedTuple):
    """A number, its values in the half-samples, and how to make an interval of them.

    value: float. of_samples: float[samples]. limits: its lowest and highest value. label: the label whose
    spans say how many units there effectively are; "" for all spans.
    """

    value: float
    of_samples: NDArray[np.float64]
    limits: Limits
    label: str = ""


class Resampled:
    """The half-samples of the shared documents.

    Args:
        shared: The documents.
        confidence: Level, number of half-samples and seed.
    """

    def __init__(self, shared: SharedDocuments, confidence: Confidence) -> None:
        counts = index_of(shared)
        self._units = Units(counts)
        self._confidence = confidence
        self._rule = counts.unit
        self.halves: HalfSamples = HalfSamples(self._units, confidence.samples, confidence.seed)
        labels = shared.labels
        place = {label: k for k, label in enumerate(labels)}
        spans = np.zeros((len(shared.documents), len(labels) + 1))
        for doc, each in enumerate(shared.documents):
            for own in each.spans.values():
                for _, _, label in own:
                    spans[doc, [place[label], -1]] += 1
        k = np.atleast_1d(effective_units(self._units.added(spans)))
        self.effective: dict[str, float] = dict(zip((*labels, ""), k.tolist()))

    @property
    def drawn(self) -> Drawn:
        """What the intervals are based on."""
        settings, halves = self._confidence, self.halves
        base = settings.level, halves.sums, settings.seed, self._rule
        return Drawn("half", *base, len(self._units), halves.exact, self.effective[""])

    def added(self, blocks: Mapping[str, csr_array]) -> dict[str, NDArray[np.float64]]:
        """Return the sums of each block in every half-sample, float64[samples, columns]."""
        documents = len(self._units.of_document)
        total = {name: np.zeros((self.halves.sums, block.shape[1])) for name, block in blocks.items()}
        for start in range(0, documents, TOGETHER):
            here = slice(start, min(start + TOGETHER, documents))
            bits = self.halves.of(here).astype(float)
            for name, block in blocks.items():
                total[name] += (block[here].T @ bits.T).T
        return total

    def of_places(self, places: NDArray[np.int64]) -> _OfPlaces:
        """Return the weights of some of the documents, by their indices."""
        return _OfPlaces(self.halves, places)

    def intervals(self, samples: Iterable[tuple[Path, Samples]]) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield the interval of each number: {"low", "high", "k", "flag"}, as in other results."""
        given = [*samples]
        if not given:
            return
        values, limits = [each.value for _, each in given], [each.limits for _, each in given]
        drawn = np.stack([each.of_samples for _, each in given], axis=1)
        k = [self.effective.get(each.label, 0.0) for _, each in given]
        bounds = score_intervals(values, drawn, np.array(k), level=self._confidence.level, limits=limits)
        for n, (path, _) in enumerate(given):
            low, high = float(bounds.low[n]), float(bounds.high[n])
            flag = str(bounds.flag[n]) or None
            if flag is None and math.inf in (abs(low), abs(high)):
                flag = UNBOUNDED
            yield path, {"low": low, "high": high, "k": float(bounds.units[n]), "flag": flag}


class _OfPlaces:
    """Weights of some of the documents; see `counting.table.Weights`."""

    def __init__(self, halves: HalfSamples, places: NDArray[np.int64]) -> None:
        self._halves, self._places = halves, places
        self.sums: int = halves.sums

    def of(self, documents: slice) -> NDArray[Any]:
        return self._halves.of(self._places[documents])


def index_of(shared: SharedDocuments) -> Counts:
    """Return counts of nothing on the shared documents, with their ids and units."""
    counts = Counts([])
    counts.ids = [each.base.id for each in shared.documents]
    counts.units = [_unit(shared, place) for place in range(len(shared.documents))]
    counts.unit = " and ".join(sorted({each.base.unit_rule for each in shared.documents}))
    counts.spans_key, counts.label_rules, counts.located = shared.spans_key, shared.rules, {*shared.located}
    return counts


def _unit(shared: SharedDocuments, place: int) -> str:
    base = shared.documents[place].base
    if base.unit is not None or base.id is not None:
        return str(base.id if base.unit is None else base.unit)
    return str(place) if base.text is None else content_key(base.own_text, ())


def pair_samples(
    whole: Mapping[Path, float], tables: Sequence[PairTables], resampled: Resampled, metrics: Sequence[Metric]
) -> Iterator[tuple[Path, Samples]]:
    """Yield the scores of pairs, their means over pairs, and those of all pairs together.

    Args:
        whole: The numbers in the result, by their paths.
        tables: The tables of each pair.
        resampled: The half-samples.
        metrics: The metrics of the tables.
    """
    scores = {(metric.name, name): score for metric in metrics for name, score in metric.score_by_name.items()}
    total: dict[Path, list[NDArray[np.float64]]] = {}
    pooled: Directions | None = None
    for number, each in enumerate(tables):
        sums = each.summed(resampled.of_places(each.pair.places))
        pooled = sums if pooled is None else pooled + sums
        for own, values in sums.scores():
            for path, of_samples in values.items():
                place = _place(own.metric.name, path)
                so_far = total.setdefault(place, [np.zeros_like(of_samples), np.zeros_like(of_samples)])
                so_far[0] += np.nan_to_num(of_samples)
                so_far[1] += np.isfinite(of_samples)
                if path[0] == "scores":
                    at = ("pairs", number, "metrics", own.metric.name, "scores", path[-1])
                    if own.metric.score_by_name[path[-1]].unit != "count":
                        yield at, Samples(whole[at], of_samples, scores[own.metric.name, path[-1]].limits)
    together = (
        {}
        if pooled is None
        else {_place(own.metric.name, path): values[path] for own, values in pooled.scores() for path in values}
    )
    for place, (added, number_of) in total.items():
        name, score = place[-2:] if place[0] == "per_type" else place[1:]
        if scores[name, score].unit == "count":
            continue
        label = place[1] if place[0] == "per_type" else ""
        with np.errstate(invalid="ignore"):
            mean = np.where(number_of > 0, added / np.maximum(number_of, 1), np.nan)
        for what, of_samples in (("mean", mean), ("pooled", together[place])):
            at = (*place, what)
            yield at, Samples(whole[at], of_samples, scores[name, score].limits, label)


def _place(metric: str, path: tuple[str, ...]) -> Path:
    """Return where the summary of a score is in the result."""
    return ("metrics", metric, path[-1]) if path[0] == "scores" else ("per_type", path[1], metric, path[-1])
