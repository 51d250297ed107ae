"""A learning rate that falls when the loss has stopped falling.

spaCy imports this module whenever it makes or loads a pipeline. Everything that takes time to import
is therefore imported inside the functions.
"""

import threading
import warnings
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass


# A training config creates both the schedule and the logger, but passes neither to the other.
# The schedule waits here until the logger of the same thread takes it.
_waiting = threading.local()


@dataclass
class Plateau:
    """A constant rate that is multiplied by `factor` whenever the loss stops falling.

    A loss is a new lowest one if it is below the lowest loss so far by at least the share
    `min_delta` of it; NaN never is. The loss has stopped falling after `patience` losses in
    a row without a new lowest one. The rate never falls below `minimum`.

    Its state is `rate`, `lowest` and `waited`. A schedule that is created with the state
    of another one continues it.

    Attributes:
        rate: The current learning rate.
        factor: The factor of each reduction of the rate.
        patience: The number of losses in a row without a new lowest one after which the rate falls.
        min_delta: The share of the lowest loss by which a new one must be lower.
        minimum: The smallest rate.
        lowest: The lowest loss so far, or None.
        waited: The number of losses since the last lowest one, or since the rate fell.
        started: Whether a rate was requested before.
    """

    rate: float
    factor: float
    patience: int
    min_delta: float
    minimum: float
    lowest: float | None
    waited: int
    started: bool = False

    def __iter__(self) -> "Plateau":
        return self

    def __next__(self) -> float:
        if self.started and self._stop_waiting():
            warnings.warn(
                "the learning rate will not fall: spacy-nereval.plateau.v1 receives the losses only from "
                '[training.logger] @loggers = "spacy-nereval.logger.v1"; use that logger, or another schedule',
                stacklevel=2,
            )
        self.started = True
        return self.rate

    def observe(self, loss: float) -> None:
        """Record the next loss, and lower the rate if the loss has stopped falling."""
        self._stop_waiting()
        if loss < (inf if self.lowest is None else self.lowest * (1 - self.min_delta)):
            self.lowest, self.waited = loss, 0
            return
        self.waited += 1
        if self.waited >= self.patience:
            self.rate, self.waited = max(self.minimum, self.rate * self.factor), 0

    def _stop_waiting(self) -> bool:
        """Return whether the schedule was waiting for a logger, and stop waiting."""
        return getattr(_waiting, "schedule", None) is self and take_schedule() is self

    def state(self) -> dict[str, Any]:
        """Return the state, as arguments of `plateau`."""
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
    """Create the schedule `spacy-nereval.plateau.v1`: a rate that falls when the training loss stops falling.

    The logger of the same config has to be `spacy-nereval.logger.v1`, which passes
    one loss per evaluation to the schedule.

    Args:
        rate: The first learning rate.
        factor: The factor of each reduction of the rate.
        patience: The number of evaluations in a row without a new lowest loss after which the rate falls.
        min_delta: The share of the lowest loss by which a new one must be lower, from 0 to below 1.
        minimum: The smallest rate.
        lowest: The lowest loss of an interrupted training that is continued.
        waited: The number of evaluations without a new lowest loss in that training, up to the interruption.

    Returns:
        An iterator over the learning rates, one for each step.

    Raises:
        ValueError: If a value is outside its range.

    Example:
        >>> rate = plateau(0.5, factor=0.5)
        >>> for loss in (3.0, 2.0, 2.0, 1.0):
        ...     rate.observe(loss)
        >>> next(rate), rate.state()
        (0.25, {'rate': 0.25, 'lowest': 1.0, 'waited': 0})
        >>> plateau(0.1, factor=2)
        Traceback (most recent call last):
        ValueError: factor = 2: expected a number above 0 and below 1
    """
    if not 0 < factor < 1:
        raise ValueError(f"factor = {factor}: expected a number above 0 and below 1")
    if patience < 1:
        raise ValueError(f"patience = {patience}: expected at least 1 evaluation")
    if not 0 <= min_delta < 1:
        raise ValueError(f"min_delta = {min_delta}: expected a share from 0 up and below 1")
    if not 0 <= minimum <= rate:
        raise ValueError(f"minimum = {minimum}: expected a rate from 0 to the first rate, {rate}")
    schedule = Plateau(rate, factor, patience, min_delta, minimum, lowest, waited)
    _waiting.schedule = schedule
    return schedule


def take_schedule() -> Plateau | None:
    """Return the schedule that this thread created last, and forget it; None if there is none."""
    schedule = getattr(_waiting, "schedule", None)
    _waiting.schedule = None
    return schedule
