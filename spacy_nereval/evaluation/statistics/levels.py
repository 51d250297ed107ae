"""Which confidence levels can be asked for."""

from __future__ import annotations

LEVELS = (0.001, 1 - 1e-9)
"""The least and the greatest one: beyond them, rounding leaves intervals of scores near 1 without width."""


def is_level(level: float) -> bool:
    """Return whether a confidence level is between 0 and 1, and not too close to either.

    Args:
        level: A number.

    Example:
        >>> is_level(0.95), is_level(1 - 1e-16), is_level(95)
        (True, False, False)
    """
    return LEVELS[0] <= level <= LEVELS[1]


def check_level(level: float) -> None:
    """Check a confidence level.

    Args:
        level: The confidence level.

    Raises:
        ValueError: It is not between 0 and 1.

    Example:
        >>> check_level(95)
        Traceback (most recent call last):
        ValueError: the confidence level must be between 0 and 1, such as 0.95, not 95
    """
    if not is_level(level):
        raise ValueError(f"the confidence level must be between 0 and 1, such as 0.95, not {level}")
