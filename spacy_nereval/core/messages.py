"""Shorten and quote texts for messages."""

from __future__ import annotations

from collections.abc import Sequence

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


def with_spaces_shown(label: str) -> str:
    """Return a label, in quotes if it has white space that readers would not see.

    >>> with_spaces_shown("PER"), with_spaces_shown("PER "), with_spaces_shown("a b"), with_spaces_shown("a  b")
    ('PER', "'PER '", 'a b', "'a  b'")
    """
    return label if " ".join(label.split()) == label else repr(label)
