"""Random bits by unit: which units a half-sample holds, and which units change places in a swap.

Each unit has its own stream of bits, seeded with its key alone. A unit therefore
gets the same bits wherever and in whatever order it is read, so no order of
documents, files, shards or workers can change a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

WORD = 64
"""Bits per number that the generator draws."""

CELLS = 4_000_000
"""Default number of bits that a block unpacks at once, one byte each."""

MOST_ENUMERATED = 60
"""With this many units or more, 2 ** units does not fit a whole number of 64 bits."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Rows of bits, one column per unit, packed eight to a byte until they are asked for.

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
            The number of the block's first row, and its bits, uint8[at most size, units].
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
    """Return all patterns of the units where they are no more than the samples, else random ones.

    The enumeration follows the sorted keys: the order in which keys are given does not
    change row r.

    Args:
        seed: Any whole number; an enumeration does not depend on it.
        keys: One key per unit, all different.
        samples: Number of random patterns, and maximum number of enumerated ones.
        exact: Whether few patterns are enumerated; else all are random.

    Returns:
        The patterns. For random ones, row r is row r of `half_samples`.

    Raises:
        ValueError: `samples` is below 1, or two units have the same key.

    Example:
        >>> some = patterns(0, [f"d{k}" for k in range(10)], 1000)
        >>> some.exact, some.rows
        (False, 1000)
        >>> every = patterns(0, [f"d{k}" for k in range(6)], 1000)
        >>> every.exact, every.rows
        (True, 64)
    """
    _check(keys, samples)
    units = len(keys)
    if not (exact and enumerable(units, samples)):
        return Patterns(samples, units, False, _streams(seed, keys, samples))
    numbers = np.arange(2**units)
    place = {key: k for k, key in enumerate(sorted(keys))}
    packed = np.zeros((units, -(-len(numbers) // 8)), np.uint8)
    for row, key in zip(packed, keys):
        row[:] = np.packbits((numbers >> place[key]) & 1 == 1, bitorder="little")
    return Patterns(len(numbers), units, True, packed)


def enumerable(units: int, samples: int) -> bool:
    """Return whether the units have no more patterns than there are samples.

    Args:
        units: Number of units.
        samples: Maximum number of patterns.

    Returns:
        Whether `2 ** units <= samples`.

    Example:
        >>> enumerable(9, 1000), enumerable(10, 1000)
        (True, False)
    """
    return units < MOST_ENUMERATED and 2**units <= samples


def _streams(seed: int, keys: Sequence[str], samples: int) -> NDArray[np.uint8]:
    """Return the packed bits of each unit, uint8[units, bytes], a whole number of words each."""
    words = -(-samples // WORD)
    drawn = np.empty((len(keys), words), "<u8")
    for row, key in zip(drawn, keys):
        number = blake2b(f"{seed}|{key}".encode("utf8", "surrogatepass"), digest_size=8).digest()
        row[:] = np.random.PCG64(int.from_bytes(number, "little")).random_raw(words)
    return drawn.view(np.uint8)


def _check(keys: Sequence[str], samples: int) -> None:
    if samples < 1:
        raise ValueError(f"the number of samples must be 1 or more, not {samples}")
    if len(set(keys)) < len(keys):
        twice = next(key for k, key in enumerate(keys) if key in set(keys[:k]))
        raise ValueError(f"each unit needs a key of its own, but {twice!r} occurs twice; add its documents together")
