"""Random trials: some seconds in the suite, hours on demand.

    NEREVAL_FUZZ_SECONDS=3600 NEREVAL_FUZZ_SEED=1000 python -m pytest -m slow tests/cli/test_fuzz_*.py -n 2 -s

A trial that fails names its seed, which alone decides what it does.
"""

import os
from collections.abc import Iterator
from random import Random
from time import monotonic

SECONDS = float(os.environ.get("NEREVAL_FUZZ_SECONDS", "6"))
FIRST = int(os.environ.get("NEREVAL_FUZZ_SEED", "0"))

STEERING = ("\x1b]52;c;aGVsbG8=\x07", "\x9b2J", "\u202e", "\x1b[2J", "\x08\x08", "\x00")
HOSTILE = (
    *STEERING,
    *("\ud800", "=1+1", "</script><b>", "a\tb", "a\nb", '"', "'", "\\", "{", "%s", "🙂", "", " ", "\u00a0", "x" * 300),
)


def trials(door: str, least: int = 1) -> Iterator[Random]:
    """Yield random numbers for one trial after the other until the time is over, and say how many there were.

    However slow the machine is, there is a least number of them.
    """
    end, seed = monotonic() + SECONDS, FIRST
    while monotonic() < end or seed < FIRST + least:
        numbers = Random(seed)
        numbers.name = f"{door}, seed {seed}"
        yield numbers
        seed += 1
    print(f"\n{door}: {seed - FIRST} trials from seed {FIRST}")
