"""JSON lines: this package's own, and those of Prodigy, doccano and spaCy's older training data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import srsly

from ...core.spans import checked_span
from ..records import Record
from .settings import Format, lines

KEYS = ("spans", "entities", "label", "labels")
"""The keys under which spans are looked for, as lists of objects or of [start, end, label]."""

NAMES = (("start", "end", "label"), ("start_offset", "end_offset", "label"))
"""The keys of a span's parts, in Prodigy and in doccano."""

ANSWERS = ("accept", "reject", "ignore")


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per line.

    A line is an object with a "text" and a list of spans under one of `KEYS`, and it may
    have "tokens", an "id", an "answer", and fields of the document in "meta". Offsets
    count characters, and the end is exclusive. As in Prodigy's own training, a line with
    an `answer` other than `accept` is not annotated; an accepted line without a list of
    spans has none. Empty lines are skipped.

    Args:
        path: The file.
        format: No field concerns this format.

    Yields:
        One record per line.

    Raises:
        ValueError: If there is no such file, or a line is malformed; names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "PER"}]}')
    >>> [(record.text, record.spans) for record in read(path)]
    [('Ada sleeps', {(0, 3, 'PER')})]
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
        raise ValueError('expected an object with a "text": {"text": ..., "spans": [{"start", "end", "label"}]}')
    id = None if entry.get("id") is None else str(entry["id"])
    if not _is_accepted(entry):
        return Record(text, set(), id=id, annotated=False)
    tokens = None
    if entry.get("tokens"):
        try:
            found = [(token["start"], token["end"], "token") for token in entry["tokens"]]
        except (TypeError, KeyError):
            raise ValueError('"tokens" is not a list of {"start", "end"}') from None
        tokens = [checked_span(f"token {k},", token, len(text))[:2] for k, token in enumerate(found)]
    meta = entry["meta"] if isinstance(entry.get("meta"), dict) else None
    return Record(text, _spans(entry, len(text)), tokens, id, meta=meta)


def _is_accepted(entry: dict[str, Any]) -> bool:
    """Say whether a line, or a span in Prodigy's binary annotation, was not rejected or ignored."""
    answer: object = entry.get("answer", "accept")
    if answer not in ANSWERS:
        raise ValueError(f"the answer {answer!r} is not one of {', '.join(ANSWERS)}")
    return answer == "accept"


def _spans(entry: dict[str, Any], length: int) -> set[tuple[int, int, str]]:
    listed = {key: entry[key] for key in KEYS if isinstance(entry.get(key), list)}
    if not listed:
        if entry.get("answer") and not any(entry.get(key) for key in KEYS[:2]):
            return set()  # Prodigy leaves the list out where an annotator saw that there are no spans
        raise ValueError('there is no list of "spans"; write an empty list for a text without spans')
    found = {
        key: {
            checked_span(f"span {k},", _parts(k, span), length)
            for k, span in enumerate(spans)
            if not isinstance(span, dict) or _is_accepted(span)
        }
        for key, spans in listed.items()
    }
    (first, spans), *rest = found.items()
    for key, other in rest:
        if other != spans:
            raise ValueError(f'"{first}" and "{key}" do not list the same spans; keep one of them')
    return spans


def _parts(k: int, span: Any) -> Any:
    """Return a span as [start, end, label], unchecked."""
    if isinstance(span, list):
        return span
    names = NAMES[isinstance(span, dict) and "start_offset" in span]
    if missing := [name for name in names if not isinstance(span, dict) or name not in span]:
        raise ValueError(f"span {k} has no {', '.join(map(repr, missing))}")
    return [span[name] for name in names]
