"""Shorten and quote texts for messages, and name arguments as the one who reads the message writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
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
