"""Regular expressions that users write: compiled, and matched in limited time.

Python's engine tries all ways in which a pattern can match. For patterns such as `(a+)+b` their number doubles with
each character.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

SECONDS = 2.0
"""How long a match may take."""

REPEATS = ("MAX_REPEAT", "MIN_REPEAT")

ONE_AFTER_ANOTHER = 2
"""Number of repeats without a limit that a pattern may have before the time of a match is limited."""


class TooSlow(ValueError):
    """A pattern that tries too many ways to match a text."""


def compile_pattern(expression: str) -> re.Pattern[str]:
    """Return the pattern of a regular expression.

    Raises:
        ValueError: It is not valid.
    """
    try:
        return re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a valid regular expression ({error})") from None


def match_in_time(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match of a pattern at the start of a text.

    Raises:
        TooSlow: The match takes longer than `SECONDS`. Where time cannot be limited (in a thread, or on Windows), the
            pattern may need longer.

    >>> match_in_time(re.compile(r"(\\w+)-"), "a-b")[1]
    'a'
    """
    if len(text) < 1 << 12 and not may_be_slow(pattern):
        return pattern.match(text)
    problem = f"it tries too many ways to match {text[:10]!r}...: avoid nested repeats such as (a+)+"
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        raise TooSlow(problem)

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise TooSlow(problem)

    before = signal.signal(signal.SIGALRM, stop)
    timer = signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return pattern.match(text)
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)


def may_be_slow(pattern: re.Pattern[str]) -> bool:
    """Return whether a match may take long: a repeat in a repeat, choices in a repeat, a reference, or many repeats.

    >>> [may_be_slow(re.compile(text)) for text in (r"(\\w+)-\\d+", r"(\\w+-)+", r"(a|a)*", r"(a)\\1")]
    [False, True, True, True]
    """
    parser = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
    parsed = parser.parse(pattern.pattern, pattern.flags)
    return _has_slow_part(parsed, False) or _count_repeats(parsed) > ONE_AFTER_ANOTHER


def _parts(node: Any) -> list[tuple[str, Any]]:
    """Return the parts of a parsed pattern, as their names and arguments."""
    return [(str(name), argument) for name, argument in node]


def _inner(argument: Any) -> list[Any]:
    """Return the parsed patterns in the argument of a part."""
    if hasattr(argument, "getwidth"):
        return [argument]
    return [inner for item in argument for inner in _inner(item)] if isinstance(argument, (list, tuple)) else []


def _has_slow_part(node: Any, is_repeated: bool) -> bool:
    for name, argument in _parts(node):
        repeats = name in REPEATS and argument[1] > 1
        if name.startswith("GROUPREF") or (
            is_repeated and (name == "BRANCH" or (repeats and argument[0] != argument[1]))
        ):
            return True
        if any(_has_slow_part(inner, is_repeated or repeats) for inner in _inner(argument)):
            return True
    return False


def _count_repeats(node: Any) -> int:
    return sum(
        (name in REPEATS and argument[1] > 100) + sum(map(_count_repeats, _inner(argument)))
        for name, argument in _parts(node)
    )
