"""A score as a page shows it."""

from __future__ import annotations

from typing import NamedTuple

from ..result_table import Interval, shown


class ScoreValue(NamedTuple):
    """A score as it is shown, and the bounds of its interval. None means undefined.

    `few`: the interval rests on so few units that the score must not be ranked or compared.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    few: bool = False

    @property
    def text(self) -> str:
        """The score as people read it."""
        return shown(self.value)

    @property
    def bounds(self) -> str:
        """The interval as people read it, "" if there is none."""
        if self.low is None or self.high is None:
            return ""
        return shown(Interval(self.low, self.high)) + " few" * self.few
