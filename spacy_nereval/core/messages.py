"""How messages show what may be long, or looks like something else."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 60
"""So many characters of a text a message shows."""

LISTED = 5
"""So many names a message lists."""


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
    """Return a label, in quotes if it has white space that would not be seen.

    >>> with_spaces_shown("PER"), with_spaces_shown("PER "), with_spaces_shown("a b"), with_spaces_shown("a  b")
    ('PER', "'PER '", 'a b', "'a  b'")
    """
    return label if " ".join(label.split()) == label else repr(label)
