"""The most that reading a file may cost, as a multiple of its size: one policy for all readers.

A file of a few kilobytes can contain gigabytes: compressed text, arrays of zeros, empty lists by the million. Readers
ask here before they keep the content of a file. `NEREVAL_MAX_EXPANSION`, which `--max-expansion` sets, changes the
multiple; an environment variable reaches worker processes, too.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "NEREVAL_MAX_EXPANSION"
"""The environment variable with the multiple."""

OPTION = "--max-expansion"

MULTIPLE = 50
"""Multiple without that variable. Annotation reaches about 30."""

READ = 1 << 26
"""Number of unpacked bytes up to which any multiple is allowed."""

HELD = 1 << 30
"""Number of bytes of objects and arrays in memory up to which any multiple is allowed."""

LONG = 1 << 16
"""Number of characters of JSON from which its objects are counted before they are made."""

OBJECTS = {"{": 280, "[": 90, ",": 60}
"""Bytes of memory for each of these characters of JSON, at most: a mapping with a key, a list, a value. Those inside
texts are counted, too, since a text takes less memory than that."""


class TooLarge(ValueError):
    """A file that costs more than the policy allows."""


def max_expansion() -> int:
    """Return the greatest allowed multiple of a file's size; 0 for any.

    Raises:
        ValueError: The environment variable is no whole number from 0 up.
    """
    text = os.environ.get(VARIABLE) or str(MULTIPLE)
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise ValueError(f"{VARIABLE}={text[:20]}: expected a whole number, or 0 for no limit; {MULTIPLE} is usual")
    return int(text)


@contextmanager
def use_max_expansion(multiple: int | None) -> Iterator[None]:
    """Allow another multiple inside a `with` block, in this process and in those that it starts; None changes nothing.

    >>> with use_max_expansion(100):
    ...     most_bytes(1 << 30) == 100 << 30
    True
    """
    before = os.environ.get(VARIABLE)
    if multiple is not None:
        os.environ[VARIABLE] = str(multiple)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = before


def most_bytes(size: int, floor: int = 0) -> float:
    """Return how many bytes a file may cost.

    Args:
        size: The size of the file in bytes.
        floor: The number of bytes that any file may cost, if it is not `READ`: `HELD`.

    >>> most_bytes(1000) == READ, most_bytes(1 << 30) == 50 << 30
    (True, True)
    """
    multiple = max_expansion()
    return max(floor or READ, multiple * size) if multiple else float("inf")


def check_expansion(name: object, need: int, size: int, floor: int = 0, what: str = "unpacked") -> None:
    """Raise TooLarge if a file costs more bytes than it may.

    Args:
        name: The name of the file.
        need: The number of bytes that it costs, or as many as were counted so far.
        size: The size of the file.
        floor: As for `most_bytes`.
        what: The thing of this size, in words.

    >>> check_expansion("a.npz", 1 << 30, 1000)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    spacy_nereval.core.expansion.TooLarge: a.npz has 1,000 bytes, and 1,073,741,824 or more unpacked: more than 50 ...
    """
    if need > most_bytes(size, floor):
        raise TooLarge(
            f"{name} has {size:,} bytes, and {need:,} or more {what}: more than {max_expansion()} times as much, which "
            f"could fill the memory; if you trust the file, allow more with {OPTION} or {VARIABLE} (0 for any)"
        )


def check_objects(name: object, text: str, file: Path | int) -> None:
    """Raise TooLarge if a text of JSON makes more objects than its file may cost.

    Args:
        name: The name of the file in errors.
        text: The text, which is not parsed yet.
        file: The file, or its size.

    >>> file = getfixture("tmp_path") / "a.json"
    >>> _ = file.write_text(" ")
    >>> check_objects("a.json", "[" + "{}," * 10**7 + "{}]", file)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    spacy_nereval.core.expansion.TooLarge: a.json has 1 bytes, and 3,... or more as objects in memory: more than 50 ...
    """
    if len(text) > LONG:
        need = len(text) + sum(memory * text.count(character) for character, memory in OBJECTS.items())
        size = file if isinstance(file, int) else file.stat().st_size
        check_expansion(name, need, size, HELD, "as objects in memory")


SELDOM = 50_000
"""After this many new objects, Python looks for cycles where `collect_rarely` says so."""


@contextmanager
def collect_rarely() -> Iterator[None]:
    """Let Python look for cycles of objects seldom inside a `with` block.

    By default, it looks after 700 new objects, and through all of them now and then. Documents and results are millions
    of objects without cycles, for which that takes up to a third of the time of a command.

    >>> with collect_rarely():
    ...     gc.get_threshold()[0] >= SELDOM
    True
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], SELDOM) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def pause_collection() -> Iterator[None]:
    """Let Python not look for cycles of objects inside a `with` block.

    JSON makes none, and looking for them among millions of objects takes longer than parsing them.
    """
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()
