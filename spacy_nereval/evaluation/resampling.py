"""Half-samples and swaps of units, as weights of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import LEVEL, SAMPLES, SEED, checked
from ..core.declaration import GOLD_SPANS, PRED_SPANS
from ..core.messages import absent, named
from ..counting.counts import Counts
from ..counting.table import Table
from .statistics.bits import patterns
from .statistics.bounds import effective_units
from .statistics.runs import mean_of_runs

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_GROUPS = 1000
"""More units than this are left out in groups of equal size, so that neither time nor memory grows with them."""


class Confidence(NamedTuple):
    """The settings of intervals.

    level: the confidence level. samples, seed: how many half-samples are drawn, and the seed of their random bits; only
    collapsed counts and scores over distinct strings of a corpus need them.

    >>> Confidence(level=1.5).checked()
    Traceback (most recent call last):
    ValueError: level=1.5: expected a number between 0 and 1, such as 0.95
    """

    level: Annotated[float, LEVEL] = 0.95
    samples: Annotated[int, SAMPLES] = 1000
    seed: Annotated[int, SEED] = 0

    def checked(self) -> Confidence:
        """Return the settings themselves, once they are checked.

        Raises:
            ValueError: A setting is out of range; the message names it.

        >>> Confidence(level=0.9).checked().level
        0.9
        """
        return checked(self)


Wanted = Confidence | Mapping[str, Any] | bool | None
"""Settings of intervals, as `wanted_confidence` takes them."""


def wanted_confidence(given: Wanted) -> Confidence | None:
    """Return settings of intervals, however they are given.

    Args:
        given: Settings; True or a table of settings, perhaps empty; None or False for no intervals.

    Raises:
        ValueError: It is none of these, or there is no such setting.

    >>> wanted_confidence(True) == wanted_confidence({}) == Confidence(), wanted_confidence({"level": 0.9}).level
    (True, 0.9)
    """
    if given is None or given is False:
        return None
    if given is True:
        return Confidence()
    if isinstance(given, Confidence):
        return given
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in Confidence._fields]:
            raise ValueError(f"{named('confidence', given)}: {absent(unknown[0], Confidence._fields, 'setting')}")
        return Confidence(**given)
    raise ValueError(
        f"{named('confidence', given)}: expected True, a table such as {{'level': 0.95}} or Confidence(level=0.95); "
        "None for no intervals"
    )


def number_of_units(counts: Counts) -> int:
    """Return the number of units."""
    return len({*counts.units})


class Units:
    """What is resampled: documents with one key are drawn together.

    Args:
        counts: Counts with the key of each document's unit.

    Raises:
        ValueError: The counts were made without units.

    Attributes:
        keys: The key of each unit, in the order in which they occur.
        of_document: int64[documents], the index of each document's unit.
    """

    def __init__(self, counts: Counts) -> None:
        counts.check_documents("units to resample")
        if len(counts.units) != counts.documents:
            raise ValueError("these counts do not say what is resampled: count again, with the unit of each document")
        number: dict[str, int] = {}
        self.of_document: NDArray[np.int64] = np.array(
            [number.setdefault(key, len(number)) for key in counts.units], dtype=np.int64
        )
        self.keys: list[str] = list(number)
        self._ids, self._rule = counts.ids, counts.unit

    def __len__(self) -> int:
        return len(self.keys)

    def added(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of values [documents, ...] over the documents of each unit, [units, ...]."""
        found: NDArray[Any] = self.matrix @ values
        return found

    @cached_property
    def matrix(self) -> csr_array:
        """int64[units, documents]: 1 where the unit has the document."""
        return self._ones(self.of_document, len(self))

    def _ones(self, row: NDArray[np.int64], rows: int) -> csr_array:
        from scipy.sparse import csr_array

        documents = np.arange(len(row))
        return csr_array((np.ones(len(row), dtype=np.int64), (row, documents)), (rows, len(row)))

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """int64[units]: the place of each unit by the hash of its key, which no order of reading changes."""
        hashes = [(blake2b(key.encode("utf8", "surrogatepass"), digest_size=8).digest(), key) for key in self.keys]
        found = np.empty(len(self), dtype=np.int64)
        found[sorted(range(len(self)), key=hashes.__getitem__)] = np.arange(len(self))
        return found

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """int64[units]: the group of each unit, a unit alone unless there are more than `MOST_GROUPS`."""
        found: NDArray[np.int64] = self.order * min(len(self), MOST_GROUPS) // max(len(self), 1)
        return found

    @cached_property
    def groups(self) -> csr_array:
        """int64[groups, documents]: 1 where the group has the document."""
        return self._ones(self.group[self.of_document], min(len(self), MOST_GROUPS))

    def names(self, units: Sequence[int]) -> list[str | int]:
        """Return what people call some units: their keys, or of documents without ids their numbers."""
        first = {unit: place for place, unit in reversed([*enumerate(self.of_document.tolist())])}
        nameless = self._rule in ("id", "document")
        return [first[unit] if nameless and self._ids[first[unit]] is None else self.keys[unit] for unit in units]


class HalfSamples:
    """Weights of documents: 1 where the unit's random bit is 1.

    Args:
        units: What is drawn.
        samples: Number of rows; if there are no more patterns than this, the rows are all patterns.
        seed: Of the random bits.
        exact: False draws random rows even where there are no more patterns than rows.
    """

    def __init__(self, units: Units, samples: int, seed: int, *, exact: bool = True) -> None:
        self._patterns = patterns(seed, units.keys, samples, exact=exact)
        self._unit = units.of_document
        self.sums: int = self._patterns.rows
        self.exact: bool = self._patterns.exact

    def parts(self, rows: int) -> Iterator[HalfSamples]:
        """Yield the same weights with no more than so many rows at a time, or 8 if that is less."""
        step = max(1, rows // 8)
        for start in range(0, -(-self.sums // 8), step):
            part, packed = copy(self), self._patterns.packed[:, start : start + step]
            part.sums = min(packed.shape[1] * 8, self.sums - start * 8)
            part._patterns = replace(self._patterns, rows=part.sums, packed=packed)
            yield part

    def of(self, documents: slice | NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return uint8[rows, documents]: the weights of some documents, by their indices."""
        packed = self._patterns.packed[self._unit[documents]]
        return np.unpackbits(packed, axis=1, bitorder="little")[:, : self.sums].T

    def of_units(self) -> Iterator[NDArray[np.uint8]]:
        """Yield the bits of the units, some rows at a time: uint8[rows, units]."""
        yield from (bits for _, bits in self._patterns.blocks())


def effective_number_of_units(runs: Sequence[Counts]) -> float:
    """Return the effective number of units k, by the spans of all counts of the same documents; 0 without any."""
    if not runs[0].documents:
        return 0.0
    units = Units(runs[0])
    spans = [spans_per_unit(Table(counts, ()), units)[:, -1] for counts in runs]
    return float(effective_units(np.sum(spans, axis=0)))


def unit_weights(systems: Sequence[Sequence[Table]], units: Units) -> NDArray[np.float64]:
    """Return what each unit weighs for each label, and last in all: float64[units, labels + 1].

    That is its gold and predicted spans, on average over the training runs of a system, of all systems together.
    """
    spans = [mean_of_runs([spans_per_unit(table, units) for table in runs]) for runs in systems]
    found: NDArray[np.float64] = np.sum(spans, axis=0)
    return found


def effective_by_label(weights: NDArray[np.float64], labels: Sequence[str]) -> dict[str, float]:
    """Return the effective number of units of each label, and of all labels under "", from `unit_weights`."""
    return dict(zip((*labels, ""), np.atleast_1d(effective_units(weights)).tolist()))


def spans_per_unit(table: Table, units: Units) -> NDArray[Any]:
    """Return float64[units, labels + 1]: gold plus predicted spans of each unit and label, and in all."""
    spans = table.spans(*GOLD_SPANS, *PRED_SPANS).toarray()
    spans[:, -1] = spans.sum(axis=1)
    return units.added(spans)
