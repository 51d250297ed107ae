"""The documents with errors as marked text, for readers whose browser runs no scripts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup, escape

from ....core.declaration import Metric, Verdict
from ....core.spans import Document
from ....evaluation.error_list import is_error
from ....io.writing import spelt_out
from ..contexts import SPACE
from ..texts import is_right_to_left
from .reasons import wording

DOCUMENTS = 50
"""Maximum number of documents."""

LONGEST, BEFORE = 1500, 200
"""Maximum number of characters of a document, and how many of them come before its first error."""


class Stretch(NamedTuple):
    """A stretch of text: its words on one line, whether it is in the gold span or the prediction of an
    error, and what is wrong with the errors that end after it."""

    text: Markup
    gold: bool
    pred: bool
    said: list[str]


class StaticDocument(NamedTuple):
    """A document with errors: its number from 1, its name, and its text."""

    number: int
    name: str
    stretches: list[Stretch]
    right_to_left: bool


def static_documents(documents: Sequence[Document], fair: Metric) -> list[StaticDocument]:
    """Return the first documents with errors as marked text.

    Args:
        documents: The documents of a system.
        fair: The metric whose errors are marked.
    """
    found: list[StaticDocument] = []
    for number, document in enumerate(documents, 1):
        errors = [verdict for verdict in fair.verdicts(document) if is_error(fair, verdict)]
        if errors:
            right_to_left = is_right_to_left(document.text or "")
            found.append(StaticDocument(number, document.id or "", [*_stretches(document, errors)], right_to_left))
        if len(found) == DOCUMENTS:
            break
    return found


def _stretches(document: Document, errors: Iterable[Verdict]) -> Iterator[Stretch]:
    """Cut the text where the spans of errors begin and end. A document without a text has its offsets only."""
    text = document.text
    said: dict[int, list[str]] = defaultdict(list)
    spans = []
    for name, gold, pred, _ in errors:
        marked = [span for span in (gold, pred) if span]
        absent = " (not in the text)" * any(map(document.is_invented, marked))
        end = max(span.end for span in marked)
        said[end].append(wording(name, gold.label if gold else "", pred.label if pred else "") + absent)
        spans += [(span.start, span.end, side) for side, span in enumerate((gold, pred)) if span]
    if text is None:
        yield from (Stretch(Markup(f"…{end} "), False, False, words) for end, words in sorted(said.items()))
        return
    low = max(0, min(start for start, _, _ in spans) - BEFORE)
    high = min(len(text), low + LONGEST)
    edges = {low, high, *(edge for span in spans for edge in span[:2] if low < edge < high)}
    if low:
        yield Stretch(Markup("… "), False, False, [])
    for start, end in pairwise(sorted(edges)):
        inside = {side for a, b, side in spans if a <= start and end <= b}
        yield Stretch(escape(spelt_out(SPACE.sub(" ", text[start:end]))), 0 in inside, 1 in inside, said[end])
    if rest := sum(len(words) for end, words in said.items() if end > high):
        yield Stretch(Markup(f" … {rest} more"), False, False, [])
    elif high < len(text):
        yield Stretch(Markup(" …"), False, False, [])
