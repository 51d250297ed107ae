"""Records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..core.spans import Document


class Record(NamedTuple):
    """One side of a document: a text and its spans.

    `annotated` is false if nothing is said about the text at all; `gaps` are
    the stretches of text about which nothing is said. `repaired` is the number
    of spans that are not as they were written. With `open_end` the text may go
    on behind what is known of it.
    """

    text: str
    spans: set[tuple[int, int, str]]
    tokens: list[tuple[int, int]] | None = None
    id: str | None = None
    annotated: bool = True
    gaps: tuple[tuple[int, int], ...] = ()
    repaired: int = 0
    open_end: bool = False


def pair(gold: Record, pred: Record) -> Document | None:
    """Two records of one text as a document, or None if the gold one is not annotated."""
    if not gold.annotated:
        return None
    if gold.open_end and pred.open_end:
        longer = max(gold, pred, key=lambda side: len(side.text))
        gold, pred = (side._replace(text=longer.text, tokens=longer.tokens) for side in (gold, pred))
    spans = pred.spans if gold.text == pred.text else set(project(pred.spans, pred.text, gold.text))
    kept = {span for span in spans if not any(max(span[0], a) < min(span[1], b) for a, b in gold.gaps)}
    document = Document(gold.spans, kept, gold.text, tokens=gold.tokens, id=gold.id)
    document.ignored = len(spans) - len(kept)
    document.repaired = gold.repaired + pred.repaired
    return document


def project(spans: Iterable[tuple[int, int, str]], source: str, target: str) -> Iterator[tuple[int, int, str]]:
    """Spans of one text carried over to another that differs in white space and case only.

    A span goes to the stretch from its first to its last character that is not
    white space; one without any becomes a span of length zero.

    >>> list(project([(0, 3, "A"), (4, 7, "B")], "new york", "  New\\tYork"))
    [(2, 5, 'A'), (6, 9, 'B')]
    >>> list(project([], "abc", "abd"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: the predicted text differs ...: 'c' at 2 against 'd' at 2
    """
    # A character may be two in lower case, so each is told by where it comes from.
    here, there = (
        [(c, i) for i, character in enumerate(text) for c in character.lower() if not character.isspace()]
        for text in (source, target)
    )
    for (a, i), (b, j) in zip(here, there):
        if a != b:
            raise ValueError(f"{_DIFFER}: {source[i]!r} at {i} against {target[j]!r} at {j}")
    if len(here) != len(there):
        raise ValueError(f"{_DIFFER}: {len(here)} characters against {len(there)}, white space left out")
    rank = np.searchsorted([i for _, i in here], np.arange(len(source) + 1)).tolist()  # characters before each offset
    there.append(("", len(target)))
    for start, end, label in spans:
        first, last = rank[start], rank[end]
        yield there[first][1], there[last - 1][1] + 1 if last > first else there[first][1], label


_DIFFER = "the predicted text differs from the reference in more than white space and case"
