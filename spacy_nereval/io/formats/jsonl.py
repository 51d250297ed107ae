"""Lines of JSON: our own, Prodigy's, doccano's, and those in the manner of spaCy's training data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import srsly

from ...core.spans import checked_span
from ..records import Record
from .settings import Format, lines

KEYS = ("spans", "entities", "label", "labels")
"""Where spans are looked for, as lists of objects or of [start, end, label]."""

NAMES = (("start", "end", "label"), ("start_offset", "end_offset", "label"))
"""What the parts of a span are called, by Prodigy and by doccano."""

ANSWERS = ("accept", "reject", "ignore")


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """A record of each line. What an annotator rejected or ignored is not annotated.

    Offsets are characters, the end is the first one behind the span. As in
    Prodigy's own training, a line with an `answer` counts only if that is
    `accept`, and then the text has no spans but those of the line.
    """
    for number, line in lines(path):
        if not line.strip():
            continue
        try:
            yield _record(_entry(line))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None


def _entry(line: str) -> Any:
    try:
        return srsly.json_loads(line)
    except ValueError as error:
        raise ValueError(f"not valid JSON ({error})") from None


def _record(entry: Any) -> Record:
    text = entry.get("text", entry.get("data")) if isinstance(entry, dict) else None  # data: doccano 1.5 and 1.6
    if not isinstance(text, str):
        raise ValueError('an object with a "text" was wanted: {"text": ..., "spans": [{"start", "end", "label"}]}')
    id = None if entry.get("id") is None else str(entry["id"])
    if not _accepted(entry):
        return Record(text, set(), id=id, annotated=False)
    tokens = None
    if entry.get("tokens"):
        try:
            found = [(token["start"], token["end"], "token") for token in entry["tokens"]]
        except (TypeError, KeyError):
            raise ValueError('"tokens" were given, but not as a list of {"start", "end"}') from None
        tokens = [checked_span(f"token {k},", token, len(text))[:2] for k, token in enumerate(found)]
    return Record(text, _spans(entry, len(text)), tokens, id)


def _accepted(entry: dict[str, Any]) -> bool:
    answer = entry.get("answer", "accept")
    if answer not in ANSWERS:
        raise ValueError(f"the answer {answer!r} is none of {', '.join(ANSWERS)}")
    return answer == "accept"


def _spans(entry: dict[str, Any], length: int) -> set[tuple[int, int, str]]:
    listed = {key: entry[key] for key in KEYS if isinstance(entry.get(key), list)}
    if not listed:
        if entry.get("answer") and not any(entry.get(key) for key in KEYS[:2]):
            return set()  # Prodigy writes no spans where it was shown that there are none
        raise ValueError('there is no list of "spans"; an empty one says that the text has none')
    found = {
        key: {checked_span(f"span {k},", _parts(k, span), length) for k, span in enumerate(spans) if _counts(span)}
        for key, spans in listed.items()
    }
    (first, spans), *rest = found.items()
    for key, other in rest:
        if other != spans:
            raise ValueError(f'"{first}" and "{key}" do not list the same spans')
    return spans


def _counts(span: Any) -> bool:
    """Whether a span was not rejected by itself, as in Prodigy's binary annotation."""
    return not isinstance(span, dict) or _accepted(span)


def _parts(k: int, span: Any) -> Any:
    if isinstance(span, list):
        return span
    names = NAMES[isinstance(span, dict) and "start_offset" in span]
    if missing := [name for name in names if not isinstance(span, dict) or name not in span]:
        raise ValueError(f"span {k} has no {', '.join(map(repr, missing))}")
    return [span[name] for name in names]
