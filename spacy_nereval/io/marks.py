"""Marks: what reviewers of a report say of places where gold and predictions differ, a line of JSON each.

A line has the `digest` of its document, the `gold` and the predicted span (`pred`), the `mark`, and what was `decided`:
the spans that replace the gold span, an empty list for none, or null if nothing was decided. The page on formats
describes every field.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..core.checked import PlainSpan, checked_span, unique_keys
from ..core.messages import quoted, shortened
from .formats.contents import lines
from .writing import SURROGATE

GOLD_WRONG, SYSTEM_WRONG, UNCLEAR = VERDICTS = ("gold wrong", "system wrong", "unclear")
"""Who is wrong, as a reviewer says it; "" if there is only a note."""

DIGITS = 12
"""Number of hexadecimal digits of the digest of a document: two of a million documents share one with a chance of less
than 1 in 500."""


class Mark(NamedTuple):
    """What a reviewer says of one place.

    Attributes:
        where: The file and the line, or the number in a list, for messages.
        digest: The digest of the document as it was reviewed, with its gold spans (see `gold_digest`).
        copy: How many documents before this one have the same digest.
        gold: The gold span of the place; None if gold has none.
        pred: The prediction; None if there is none.
        system: The system that predicts it; "" if the place is none of a system.
        mark: One of `VERDICTS`, or "".
        decided: The spans that replace the gold span; None if nothing is decided.
        reason: Why the place was reviewed, in words; "" if that is not known.
        note: The reviewer's note.
    """

    where: str
    digest: str
    copy: int
    gold: PlainSpan | None
    pred: PlainSpan | None
    system: str
    mark: str
    decided: tuple[PlainSpan, ...] | None
    reason: str
    note: str


def gold_digest(id: str | None, text: str | None, spans: Iterable[Sequence[Any]]) -> str:
    """Return a short name for a document and its gold spans, by which marks find it again.

    >>> gold_digest("a", "Ada sleeps", [(0, 3, "PER")])
    '8249a34a8e84'
    """
    content = json.dumps([id, text or "", sorted([*span] for span in spans)], ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate has no UTF-8 form; browsers write it into JSON as this escape.
    whole = SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", content)
    return sha256(whole.encode()).hexdigest()[:DIGITS]


def read_marks(given: Any) -> list[Mark]:
    """Return the marks of a file, of several, or of lines that were read already.

    Args:
        given: A path, a mapping that is one mark, or a list of paths and such mappings.

    Raises:
        ValueError: A line is no mark, or cannot be a correction; names the file and the line.
        OSError: A file cannot be read.

    >>> row = {"digest": "8249a34a8e84", "gold": {"start": 0, "end": 3, "label": "PER"}, "mark": "unclear"}
    >>> read_marks([row])[0].gold
    (0, 3, 'PER')
    """
    if isinstance(given, (str, Path, Mapping)):
        given = [given]
    if not isinstance(given, Iterable):
        raise ValueError(f"marks is {shortened(repr(given))}; expected a file of marks, or a list of files or of marks")
    return [_mark(row, where) for where, row in _rows([*given])]


def _rows(given: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for k, each in enumerate(given):
        if not isinstance(each, (str, Path)):
            yield f"mark {k}", each
            continue
        for number, line in lines(Path(each)):
            if line.strip():
                try:
                    yield f"{each}, line {number}", json.loads(line, object_pairs_hook=unique_keys)
                except (ValueError, RecursionError) as error:
                    raise ValueError(
                        f"{each}, line {number}: not valid JSON ({error}); expected the marks that a report saves as "
                        "JSON lines"
                    ) from None


def _mark(row: Any, where: str) -> Mark:
    """Return a line as a mark. Raise ValueError, with its place, if it is none."""
    try:
        if not isinstance(row, Mapping) or not isinstance(row.get("digest"), str):
            raise ValueError("it has no digest of a document; expected a mark, as a report saves it as JSON lines")
        found = Mark(
            where,
            row["digest"],
            _whole(row, "copy"),
            _span_of(row.get("gold"), "gold"),
            _span_of(row.get("pred"), "pred"),
            _text(row, "system"),
            _text(row, "mark"),
            _decided(row.get("decided")),
            _text(row, "reason"),
            _text(row, "note"),
        )
        if found.mark and found.mark not in VERDICTS:
            raise ValueError(f"the mark is {quoted(found.mark)}; expected one of {', '.join(VERDICTS)}")
        if found.decided is not None and found.mark != GOLD_WRONG:
            raise ValueError(
                f"it decides what gold should have, and its mark is {quoted(found.mark)}; expected {GOLD_WRONG!r}, or "
                "null for decided"
            )
        if found.decided == () and found.gold is None:
            raise ValueError("it decides that gold has no span here, where gold has none")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return found


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is {shortened(repr(value))}; expected a text")
    return value or ""


def _whole(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} is {shortened(repr(value))}; expected a whole number from 0")
    return value


def _decided(value: Any) -> tuple[PlainSpan, ...] | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"decided is {shortened(repr(value))}; expected a list of spans, or null")
    found = [_span_of(each, f"decided span {k}") for k, each in enumerate(value)]
    return tuple(sorted({span for span in found if span is not None}))


def _span_of(value: Any, name: str) -> PlainSpan | None:
    """Return a span with a start, an end and a label; None for null."""
    if value is None:
        return None
    keys = ("start", "end", "label")
    if not isinstance(value, Mapping) or not all(key in value for key in keys):
        raise ValueError(f"{name} is {shortened(repr(value))}; expected null or a span with start, end and label")
    return checked_span(name, [value[key] for key in keys], None)
