"""Shorten and quote texts for messages, and name arguments as the one who reads the message writes them.

Check spans, tokens, the scores of spans, keys and names, and say what is wrong with them.

A score says how sure a model is of a span. No metric needs scores; curves over cuts do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from numbers import Real
from operator import index
from pathlib import Path
from pickle import PickleError
from typing import Any
from zipfile import BadZipFile
from zlib import error as ZlibError

MOST = 60
"""Maximum number of characters of a text in a message."""

LISTED = 5
"""Maximum number of names in a message."""


def shortened(text: str, most: int = MOST) -> str:
    """Return a text on one line; its beginning and its length if it is longer than `most` characters.

    >>> shortened("PER"), shortened("P" * 100, 4)
    ('PER', 'PPPP... (100 characters)')
    """
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def quoted(text: str, most: int = MOST) -> str:
    """Return a text in quotes; its beginning and its length if it is longer than `most` characters.

    >>> quoted("a b"), quoted("P" * 100, 4)
    ("'a b'", "'PPPP'... (100 characters)")
    """
    return repr(text) if len(text) <= most else f"{text[:most]!r}... ({len(text)} characters)"


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """Return the first names, shortened, with commas.

    >>> listed(["a", "b"]), listed(["a", "b"], 1)
    ('a, b', 'a, ...')
    """
    return ", ".join(map(shortened, names[:most])) + (", ..." if len(names) > most else "")


def install(extra: str) -> str:
    """Return the command that installs the package with an extra.

    >>> install("report")
    'python -m pip install ".[report]" in a clone of spacy-nereval'
    """
    return f'python -m pip install ".[{extra}]" in a clone of spacy-nereval'


def absent(name: object, known: Iterable[str], what: str = "", most: int = 12) -> str:
    """Return that there is no such name, with the nearest one and some that there are.

    Args:
        name: The name.
        known: The names that there are.
        what: What it is to be the name of.
        most: How many names are listed.

    >>> absent("PRE", ["PER", "LOC"]), absent("x", ["a"], "metric")
    ("there is no 'PRE': did you mean 'PER'? There are PER, LOC", "there is no metric 'x'; there are a")
    """
    known = [*known]
    asked = did_you_mean(name, known)
    there = f"{asked} There" if asked else "; there"
    shown = quoted(name) if isinstance(name, str) else shortened(repr(name))
    return f"there is no {what and f'{what} '}{shown}{there} are {listed(known, most) or 'none'}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question for the name that is meant; "" if none is near.

    >>> did_you_mean("unt", ["unit", "beta"])
    ": did you mean 'unit'?"
    """
    near = get_close_matches(str(name), [*known], 1)
    return f": did you mean {shortened(repr(near[0]))}?" if near else ""


def with_spaces_shown(label: str) -> str:
    """Return a label, in quotes if it has white space that readers would not see.

    >>> with_spaces_shown("PER"), with_spaces_shown("PER "), with_spaces_shown("a b"), with_spaces_shown("a  b")
    ('PER', "'PER '", 'a b', "'a  b'")
    """
    return label if " ".join(label.split()) == label else repr(label)


def fault(error: BaseException) -> str:
    """Return in words what else than a wrong value stops reading or counting; nothing for a mistake in a program.

    >>> fault(RecursionError()), fault(TypeError("unhashable"))
    ('it is nested too deeply', '')
    """
    said = quoted(" ".join(str(error).split()), 200) if str(error) else ""
    if isinstance(error, MemoryError):
        return f"there is not enough memory{said and f' ({said})'}: read less at once, or resample less often"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, (BadZipFile, EOFError, OverflowError, PickleError, UnicodeError, ZlibError)):
        return f"it is damaged or not what its name says ({type(error).__name__}: {said})"
    return f"{type(error).__name__}: {said}" if type(error) is RuntimeError else ""


class TryAgain(ValueError):
    """What may work when it is tried again as it is: a folder that another run holds, workers that died."""


NAME_ALONE: Any = object()
"""In place of a value: only the argument is named."""


class Pasted(str):
    """A value that people copy from a message: never shortened, and in quotes where it is written in a command."""


def as_argument(name: str, value: Any = NAME_ALONE) -> str:
    """Return an argument as it is written in Python.

    >>> as_argument("offsets", "utf16"), as_argument("offsets"), as_argument("tmr.train", "FILE")
    ("offsets='utf16'", 'offsets=', "metrics={'tmr': {'train': 'FILE'}}")
    """
    metric, dot, option = name.partition(".")
    if dot:
        return f"metrics={{{metric!r}: {{{option!r}: {'...' if value is NAME_ALONE else shortened(repr(value))}}}}}"
    written = "" if value is NAME_ALONE else repr(value)
    return f"{name}={written if isinstance(value, Pasted) else shortened(written)}"


Spelling = Callable[..., str]
"""Writes an argument, given its name and perhaps its value."""

_spelling: ContextVar[Spelling] = ContextVar("spelling", default=as_argument)


def named(name: str, value: Any = NAME_ALONE) -> str:
    """Return an argument as the one who reads the message writes it: in Python, unless `spelt` says otherwise.

    What raises an error need not know who called: `trials=5` in Python is `--trials 5` in a command.
    """
    return spelling()(name, value)


def needs_file(metric: str, option: str) -> str:
    """Return in words what a metric needs before it can judge.

    >>> needs_file("tmr", "train")
    "needs metrics={'tmr': {'train': 'FILE'}}"
    """
    return f"needs {named(f'{metric}.{option}', 'FILE')}"


def spelling() -> Spelling:
    """Return how messages name arguments now, for a worker that goes on with it."""
    return _spelling.get()


@contextmanager
def spelt(written: Spelling) -> Iterator[None]:
    """Have messages name arguments in another way, such as that of the command line.

    >>> with spelt(lambda name, value=None: f"--{name} {value}"):
    ...     named("trials", 5)
    '--trials 5'
    """
    before = _spelling.set(written)
    try:
        yield
    finally:
        _spelling.reset(before)


FARTHEST = 1 << 40
"""The greatest offset in a document without a text: such offsets times the documents of a batch fit 64 bits."""

PlainSpan = tuple[int, int, str]


def checked_tokens(tokens: Iterable[tuple[int, int]], length: int | None) -> list[tuple[int, int]]:
    """Return the tokens, sorted. Raise ValueError with the reason if they overlap or exceed the text."""
    found = sorted(checked_span("token", (*token, "token"), length)[:2] for token in tokens)
    for (_, end), (start, _) in zip(found, found[1:]):
        if start < end:
            raise ValueError(f"tokens overlap: one ends at {end}, the next begins at {start}")
    return found


def checked_spans(side: str, spans: Iterable[Sequence[Any]], length: int | None) -> list[PlainSpan]:
    """Return the spans in plain Python, each once. Raise ValueError that explains the first invalid span."""
    spans, most = [*spans], FARTHEST if length is None else length
    distinct: dict[PlainSpan, None] = {}
    try:
        for span in spans:
            # Almost all spans are valid: checking that here, without a call, halves the time of reading.
            start, end, label = span
            plain = start.__class__ is end.__class__ is int and label.__class__ is str and label
            if not (plain and 0 <= start <= end <= most):
                raise ValueError
            distinct[span if span.__class__ is tuple else (start, end, label)] = None
    except (TypeError, ValueError):
        distinct = dict.fromkeys(checked_span(side, span, length) for span in spans)
    return [*distinct]


def checked_span(side: str, span: Sequence[Any], length: int | None) -> PlainSpan:
    """Return the span in plain Python. Raise ValueError that explains what is wrong with it."""
    try:
        start, end, label = span
        if isinstance(start, bool) or isinstance(end, bool):
            raise TypeError
        start, end = index(start), index(end)
    except (TypeError, ValueError):
        raise ValueError(
            f"{side} span {shortened(repr(span))} is not (start, end, label) with whole-number offsets"
        ) from None
    if 0 <= start <= end <= (FARTHEST if length is None else length) and isinstance(label, str) and label:
        return start, end, label
    shown = f"{side} Span({start!r}, {end!r}, {quoted(label) if isinstance(label, str) else repr(label)})"
    if start < 0:
        raise ValueError(f"{shown} starts before the text")
    if end < start:
        raise ValueError(f"{shown} ends before it starts")
    if length is None and end > FARTHEST:
        raise ValueError(f"{shown} ends after character {FARTHEST}, the greatest offset without a text")
    if length is not None and end > length:
        raise ValueError(f"{shown} ends after the text, which has {length} character{'' if length == 1 else 's'}")
    raise ValueError(f"{shown} has no label: expected a non-empty string")


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of JSON that has these keys and values, as `object_pairs_hook` of `json.loads`.

    Raises:
        ValueError: A key occurs twice, so that one of its values would be lost.

    >>> import json
    >>> json.loads('{"PER": 1, "PER": 2}', object_pairs_hook=unique_keys)
    Traceback (most recent call last):
    ValueError: the key 'PER' occurs twice
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for k, key in enumerate(keys) if key in keys[:k])
        raise ValueError(f"the key {shortened(repr(twice))} occurs twice")
    return found


class Unusable(str):
    """The reason why a span has no score that can be used, in place of the score."""

    __slots__ = ()


def is_number(value: object) -> bool:
    """Return whether a value is a finite number, as the score of a span has to be.

    >>> is_number(0.5), is_number(float("nan")), is_number("0.5"), is_number(True)
    (True, False, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def highest(scores: Iterable[tuple[PlainSpan, Any]]) -> dict[PlainSpan, Any]:
    """Return the score of each span, the highest where a span is listed several times.

    A value that is no score is kept rather than a number, so that an error can name it.

    Args:
        scores: Spans with their scores as they were given; None for no score.

    >>> highest([((0, 3, "A"), 0.2), ((0, 3, "A"), 0.7), ((4, 5, "A"), None)])
    {(0, 3, 'A'): 0.7}
    """
    found: dict[PlainSpan, Any] = {}
    for span, score in scores:
        if score is None:
            continue
        known = found.get(span)
        if known is None or not is_number(score) or (is_number(known) and score > known):
            found[span] = score
    return found


def check_given_once(given: Sequence[str | Path], what: str) -> None:
    """Raise ValueError if a name or a file is given twice. A `Path` is the file it leads to, however it is written."""
    seen = set[str | Path]()
    for each in given:
        own = each.resolve() if isinstance(each, Path) else each
        if own in seen:
            raise ValueError(f"{each} is given twice: give each {what} once")
        seen.add(own)
