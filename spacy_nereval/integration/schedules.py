"""A learning rate that falls when the loss has stopped falling."""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from math import inf
from typing import Any

# A config makes both a schedule and the logger that feeds it, but gives neither
# to the other: the schedule waits here until the logger of its thread takes it.
_waiting = threading.local()


@dataclass
class Plateau:
    """A constant rate, multiplied by `factor` whenever the loss has stopped falling.

    That is when `patience` losses in a row were not below the lowest one so far,
    by at least its share `min_delta`. A loss that is no number is below nothing.
    The rate never falls below `minimum`.

    `rate`, `lowest` and `waited` are all that changes: a schedule made with those
    of another goes on like it.
    """

    rate: float
    factor: float
    patience: int
    min_delta: float
    minimum: float
    lowest: float | None
    waited: int
    started: bool = False

    def __iter__(self) -> Plateau:
        return self

    def __next__(self) -> float:
        if self.started and self._stops_waiting():
            warnings.warn(
                "the learning rate will not fall: the losses reach spacy-nereval.plateau.v1 only through "
                '[training.logger] @loggers = "spacy-nereval.logger.v1"',
                stacklevel=2,
            )
        self.started = True
        return self.rate

    def observe(self, loss: float) -> None:
        """Take the next loss into account."""
        self._stops_waiting()
        if loss < (inf if self.lowest is None else self.lowest * (1 - self.min_delta)):
            self.lowest, self.waited = loss, 0
            return
        self.waited += 1
        if self.waited >= self.patience:
            self.rate, self.waited = max(self.minimum, self.rate * self.factor), 0

    def _stops_waiting(self) -> bool:
        """Whether no logger has taken it so far; from now on none will."""
        return getattr(_waiting, "schedule", None) is self and take() is self

    def state(self) -> dict[str, Any]:
        """What changed so far, as arguments of the same names."""
        return {"rate": self.rate, "lowest": self.lowest, "waited": self.waited}


def plateau(
    rate: float,
    factor: float = 0.1,
    patience: int = 1,
    min_delta: float = 0.0,
    minimum: float = 0.0,
    lowest: float | None = None,
    waited: int = 0,
) -> Plateau:
    """`@schedules = "spacy-nereval.plateau.v1"`: a rate that falls when the training loss has stopped falling.

    The logger of the same config has to be `spacy-nereval.logger.v1`: it brings
    the losses, one per evaluation.

    rate: the first rate.
    factor: what the rate is multiplied by.
    patience: evaluations in a row without a new lowest loss before it is.
    min_delta: share of the lowest loss that a new one has to be below it by.
    minimum: the rate that it never falls below.
    lowest, waited: where an interrupted training stood.

    Raises ValueError for a value outside its range.

    >>> rate = plateau(0.5, factor=0.5)
    >>> for loss in (3.0, 2.0, 2.0, 1.0):
    ...     rate.observe(loss)
    >>> next(rate), rate.state()
    (0.25, {'rate': 0.25, 'lowest': 1.0, 'waited': 0})
    >>> plateau(0.1, factor=2)
    Traceback (most recent call last):
    ValueError: factor = 2: a number above 0 and below 1 was wanted
    """
    if not 0 < factor < 1:
        raise ValueError(f"factor = {factor}: a number above 0 and below 1 was wanted")
    if patience < 1:
        raise ValueError(f"patience = {patience}: at least 1 evaluation was wanted")
    if not 0 <= min_delta < 1:
        raise ValueError(f"min_delta = {min_delta}: a share from 0 up and below 1 was wanted")
    if not 0 <= minimum <= rate:
        raise ValueError(f"minimum = {minimum}: a rate from 0 up to the first one, {rate}, was wanted")
    schedule = Plateau(rate, factor, patience, min_delta, minimum, lowest, waited)
    _waiting.schedule = schedule
    return schedule


def take() -> Plateau | None:
    """The schedule that this thread made last, unless it was taken before."""
    schedule = getattr(_waiting, "schedule", None)
    _waiting.schedule = None
    return schedule
