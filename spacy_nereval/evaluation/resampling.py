"""Half-samples and swaps of units, as weights of documents; and the settings of intervals.

Random bits decide which units are in a half-sample, or are swapped. Each unit has its own stream of bits,
seeded with its key alone. So no order of documents, files, shards or workers can change a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import LEVEL, SAMPLES, SEED, validate_settings
from ..core.declaration import GOLD_SPANS, PRED_SPANS
from ..core.messages import describe_unknown, first_repeated, quote, spell_argument
from ..counting.counts import Counts
from ..counting.table import Table
from ..counting.unit_keys import NUMBERED
from .bounds import effective_units
from .variance import mean_of_runs

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WORD = 64
"""Bits per number that the generator draws."""

CELLS = 4_000_000
"""Default number of bits that a block unpacks at once, one byte each."""

MOST_ENUMERATED = 60
"""With this many units or more, 2 ** units does not fit a whole number of 64 bits."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Rows of bits, one column per unit, stored eight to a byte.

    Attributes:
        rows: Number of patterns.
        units: Number of units.
        exact: Whether the rows are all `2 ** units` patterns, each once.
        packed: The bits of each unit, eight rows to a byte, first row in the lowest bit;
            uint8[units, bytes].

    Example:
        >>> both = patterns(0, ["d0", "d1"], 16)
        >>> both.exact, both.all().tolist()
        (True, [[0, 0], [1, 0], [0, 1], [1, 1]])
    """

    rows: int
    units: int
    exact: bool
    packed: NDArray[np.uint8]

    def blocks(self, size: int | None = None) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield the rows in blocks, so that memory stays bounded.

        Args:
            size: Rows per block; rounded up to a multiple of 8. By default as many as
                make 4 million cells.

        Yields:
            The index of the block's first row, and its bits, uint8[at most size, units].
            The array is not contiguous by rows: it is a transposed view.

        Raises:
            ValueError: `size` is below 1.

        Example:
            >>> [(start, bits.shape) for start, bits in patterns(0, ["d0"], 1).blocks(8)]
            [(0, (1, 1))]
        """
        if size is None:
            size = max(8, CELLS // max(self.units, 1))
        if size < 1:
            raise ValueError(f"a block needs at least 1 row, not {size}")
        step = -(-size // 8)
        for start in range(0, -(-self.rows // 8), step):
            packed = self.packed[:, start : start + step]
            number = min(packed.shape[1] * 8, self.rows - start * 8)
            yield start * 8, np.unpackbits(packed, axis=1, bitorder="little")[:, :number].T

    def all(self) -> NDArray[np.uint8]:
        """Return all rows at once.

        Returns:
            uint8[rows, units]: 1 where the unit is in the half-sample, or stays in the swap.

        Example:
            >>> patterns(0, ["d0"], 2).all().tolist()
            [[0], [1]]
        """
        return np.ascontiguousarray(np.unpackbits(self.packed, axis=1, bitorder="little")[:, : self.rows].T)


def half_samples(seed: int, keys: Sequence[str], samples: int) -> NDArray[np.uint8]:
    """Draw the half-samples: each unit is in each of them with probability 1/2.

    Bit r of a unit is bit `r % 64` of number `r // 64` that PCG64 draws, seeded with the
    blake2b hash of the seed and the unit's key. More samples begin with the same rows.

    Args:
        seed: Any whole number.
        keys: One key per unit, all different.
        samples: Number of half-samples.

    Returns:
        uint8[samples, units]: 1 where the unit is in the half-sample.

    Raises:
        ValueError: `samples` is below 1, or two units have the same key.

    Example:
        >>> "".join(map(str, half_samples(0, ["d0"], 16)[:, 0]))
        '1101110010000000'

    Source: half-samples, J. A. Hartigan (1969); bits by unit, A. B. Owen and D. Eckles (2012).
    """
    return patterns(seed, keys, samples, exact=False).all()


def patterns(seed: int, keys: Sequence[str], samples: int, *, exact: bool = True) -> Patterns:
    """Return all `2 ** units` patterns if there are at most `samples` of them, else random patterns.

    The enumeration follows the sorted keys: the order in which keys are given does not
    change row r.

    Args:
        seed: Any whole number; an enumeration does not depend on it.
        keys: One key per unit, all different.
        samples: Number of random patterns, and maximum number of enumerated ones.
        exact: Whether patterns may be enumerated; False for random patterns in any case.

    Returns:
        The patterns. For random ones, row r is row r of `half_samples`.

    Raises:
        ValueError: `samples` is below 1, or two units have the same key.

    Example:
        >>> drawn = patterns(0, [f"d{k}" for k in range(10)], 1000)
        >>> drawn.exact, drawn.rows
        (False, 1000)
        >>> enumerated = patterns(0, [f"d{k}" for k in range(6)], 1000)
        >>> enumerated.exact, enumerated.rows
        (True, 64)
    """
    _check_keys(keys, samples)
    units = len(keys)
    if not (exact and is_enumerable(units, samples)):
        return Patterns(samples, units, False, _random_bits(seed, keys, samples))
    numbers = np.arange(2**units)
    place = {key: k for k, key in enumerate(sorted(keys))}
    packed = np.zeros((units, -(-len(numbers) // 8)), np.uint8)
    for row, key in zip(packed, keys):
        row[:] = np.packbits((numbers >> place[key]) & 1 == 1, bitorder="little")
    return Patterns(len(numbers), units, True, packed)


def is_enumerable(units: int, samples: int) -> bool:
    """Return whether the units have at most `samples` patterns.

    Args:
        units: Number of units.
        samples: Maximum number of patterns.

    Returns:
        Whether `2 ** units <= samples`.

    Example:
        >>> is_enumerable(9, 1000), is_enumerable(10, 1000)
        (True, False)
    """
    return units < MOST_ENUMERATED and 2**units <= samples


def _random_bits(seed: int, keys: Sequence[str], samples: int) -> NDArray[np.uint8]:
    """Return the packed bits of each unit, uint8[units, bytes], a whole number of words each."""
    words = -(-samples // WORD)
    drawn = np.empty((len(keys), words), "<u8")
    for row, key in zip(drawn, keys):
        number = blake2b(f"{seed}|{key}".encode("utf8", "surrogatepass"), digest_size=8).digest()
        row[:] = np.random.PCG64(int.from_bytes(number, "little")).random_raw(words)
    return drawn.view(np.uint8)


def _check_keys(keys: Sequence[str], samples: int) -> None:
    if samples < 1:
        raise ValueError(f"the number of samples must be 1 or more, not {samples}")
    if len(set(keys)) < len(keys):
        twice = quote(first_repeated(keys))
        raise ValueError(f"each unit needs a key of its own, but {twice} occurs twice; add its documents together")


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
        """Return the settings themselves after validation.

        Raises:
            ValueError: A setting is out of range; the message names it.

        >>> Confidence(level=0.9).checked().level
        0.9
        """
        return validate_settings(self)


ConfidenceSettings = Confidence | Mapping[str, Any] | float | bool | None
"""Settings of intervals, as `read_confidence` takes them."""


def read_confidence(settings: ConfidenceSettings) -> Confidence | None:
    """Return settings of intervals from any form in which users give them.

    Args:
        settings: Settings; True or a table of settings, perhaps empty; the level alone, as 0.95 or 95; None or False
            for no intervals.

    Raises:
        ValueError: It is none of these, or there is no such setting.

    >>> read_confidence(True) == read_confidence({}) == Confidence(), read_confidence({"level": 0.9}).level
    (True, 0.9)
    >>> read_confidence(0.9) == read_confidence(90) == Confidence(level=0.9)
    True
    """
    if settings is None or settings is False:
        return None
    if settings is True:
        return Confidence()
    if isinstance(settings, Confidence):
        return settings
    if isinstance(settings, Mapping):
        if unknown := [name for name in settings if name not in Confidence._fields]:
            raise ValueError(
                f"{spell_argument('confidence', settings)}: "
                f"{describe_unknown(unknown[0], Confidence._fields, 'setting')}"
            )
        return Confidence(**settings)
    if isinstance(settings, Real):
        return Confidence(level=float(settings) / (100 if 1 < settings < 100 else 1))
    raise ValueError(
        f"{spell_argument('confidence', settings)}: expected True, a table such as {{'level': 0.95}} or "
        "Confidence(level=0.95); "
        "None for no intervals"
    )


def number_of_units(counts: Counts) -> int:
    """Return the number of units."""
    return len({*counts.units})


MOST_GROUPS = 1000
"""Beyond this number of units, the jackknife excludes groups of equal size, to bound time and memory."""


class Units:
    """The units of resampling: documents with one key are drawn together.

    Args:
        counts: Counts with the key of each document's unit.
        keys: Other keys for the documents; None for those of the counts.

    Raises:
        ValueError: The counts were made without units.

    Attributes:
        keys: The key of each unit, in the order in which they occur.
        of_document: int64[documents], the index of each document's unit.
    """

    def __init__(self, counts: Counts, keys: Sequence[str] | None = None) -> None:
        counts.check_documents("units to resample")
        if len(counts.units) != counts.documents:
            raise ValueError("these counts lack the unit of resampling of each document: count again")
        number: dict[str, int] = {}
        self.of_document: NDArray[np.int64] = np.array(
            [number.setdefault(key, len(number)) for key in keys or counts.units], dtype=np.int64
        )
        self.keys: list[str] = list(number)
        self._ids, self._rule = counts.ids, counts.unit

    def __len__(self) -> int:
        return len(self.keys)

    def sum_per_unit(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of values [documents, ...] over the documents of each unit, [units, ...]."""
        sums: NDArray[Any] = self.matrix @ values
        return sums

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
        """int64[units]: the rank of each unit by the hash of its key, whatever the order of reading."""
        hashes = [(blake2b(key.encode("utf8", "surrogatepass"), digest_size=8).digest(), key) for key in self.keys]
        places = np.empty(len(self), dtype=np.int64)
        places[sorted(range(len(self)), key=hashes.__getitem__)] = np.arange(len(self))
        return places

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """int64[units]: the group of each unit, a unit alone unless there are more than `MOST_GROUPS`."""
        groups: NDArray[np.int64] = self.order * min(len(self), MOST_GROUPS) // max(len(self), 1)
        return groups

    @cached_property
    def groups(self) -> csr_array:
        """int64[groups, documents]: 1 where the group has the document."""
        return self._ones(self.group[self.of_document], min(len(self), MOST_GROUPS))

    def names(self, units: Sequence[int]) -> list[str | int]:
        """Return names of units for people: their keys, or for documents without ids their numbers."""
        first = {unit: place for place, unit in reversed([*enumerate(self.of_document.tolist())])}
        nameless = self._rule in ("id", "document")
        keys = [self.keys[unit].partition(NUMBERED)[0] for unit in units]
        return [first[unit] if nameless and self._ids[first[unit]] is None else key for unit, key in zip(units, keys)]


class HalfSamples:
    """Weights of documents: 1 where the unit's random bit is 1.

    Args:
        units: The units to draw.
        samples: Number of rows; if there are no more patterns than this, the rows are all patterns.
        seed: The seed of the random bits.
        exact: Whether patterns may be enumerated, see `patterns`.
    """

    def __init__(self, units: Units, samples: int, seed: int, *, exact: bool = True) -> None:
        self._patterns = patterns(seed, units.keys, samples, exact=exact)
        self._unit = units.of_document
        self.sums: int = self._patterns.rows
        self.exact: bool = self._patterns.exact

    def parts(self, rows: int) -> Iterator[HalfSamples]:
        """Yield the same weights in parts of at most `rows` rows, or of 8 if that is more."""
        step = max(1, rows // 8)
        for start in range(0, -(-self.sums // 8), step):
            part, packed = copy(self), self._patterns.packed[:, start : start + step]
            part.sums = min(packed.shape[1] * 8, self.sums - start * 8)
            part._patterns = replace(self._patterns, rows=part.sums, packed=packed)
            yield part

    def block(self, documents: slice | NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return uint8[rows, documents]: the weights of some documents, by their indices."""
        packed = self._patterns.packed[self._unit[documents]]
        return np.unpackbits(packed, axis=1, bitorder="little")[:, : self.sums].T

    def bits_of_units(self) -> Iterator[NDArray[np.uint8]]:
        """Yield the bits of the units, some rows at a time: uint8[rows, units]."""
        yield from (bits for _, bits in self._patterns.blocks())


def effective_number_of_units(runs: Sequence[Counts]) -> float:
    """Return the effective number of units k, by the spans of all counts of the same documents; 0 without documents."""
    if not runs[0].documents:
        return 0.0
    units = Units(runs[0])
    spans = [spans_per_unit(Table(counts, ()), units)[:, -1] for counts in runs]
    return float(effective_units(np.sum(spans, axis=0)))


def unit_weights(systems: Sequence[Sequence[Table]], units: Units) -> NDArray[np.float64]:
    """Return the weight of each unit for each label, and last for all labels: float64[units, labels + 1].

    It is the number of gold and predicted spans, averaged over the training runs of a system, summed over the systems.
    """
    spans = [mean_of_runs([spans_per_unit(table, units) for table in runs]) for runs in systems]
    weights: NDArray[np.float64] = np.sum(spans, axis=0)
    return weights


def spans_per_unit(table: Table, units: Units) -> NDArray[Any]:
    """Return the number of spans, gold and predicted, of each unit and label, and last of all labels:
    float64[units, labels + 1]."""
    spans = table.spans(*GOLD_SPANS, *PRED_SPANS).toarray()
    spans[:, -1] = spans.sum(axis=1)
    return units.sum_per_unit(spans)
