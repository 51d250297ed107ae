"""Reading gold and predicted files as documents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.tokens import Doc, DocBin

from .examples import Record, pair, record
from .spans import Document, checked_span


def read_files(gold: Path, pred: Path, key: str | None = None, *, by_id: bool = False) -> Iterator[Document | None]:
    """Documents from two files, `.spacy` or `.jsonl`, in the same order; None without gold annotation.

    With `by_id` the order of the predictions does not matter where all texts
    have ids; they are then held in memory.

    Raises ValueError or OSError, naming file and line or document, for whatever
    cannot be read, for files of different length, and for texts that differ in
    more than white space and case.
    """
    if key and not any(path.suffix == ".spacy" for path in (gold, pred)):
        raise ValueError(f"span groups such as {key!r} are read from .spacy files; {gold} and {pred} have none")
    end = Record("", set())
    found = False  # the key, in any prediction
    golds, preds = records(gold, key), records(pred, key)
    if by_id:
        golds, preds = _paired_by_id(gold, list(golds), pred, list(preds))
    for number, (a, b) in enumerate(zip_longest(golds, preds, fillvalue=end)):
        if a is end or b is end:
            rest = number + 1 + sum(1 for _ in (preds if a is end else golds))
            lengths = (number, rest) if a is end else (rest, number)
            raise ValueError(f"{gold} has {lengths[0]} documents and {pred} has {lengths[1]}; the same were wanted")
        found = found or b.annotated
        try:
            yield pair(a, b)
        except ValueError as error:
            which = f"document {number}{'' if a.id is None else f' ({a.id})'}"
            raise ValueError(f"{gold} and {pred}, {which}: {error}") from None
    if key and not found:
        raise ValueError(f"no document in {pred} has spans under {key!r}")


def _paired_by_id(
    gold: Path, golds: list[Record], pred: Path, preds: list[Record]
) -> tuple[Iterator[Record], Iterator[Record]]:
    """The predictions in the order of the gold texts, if all have ids; texts with one id in their own order."""
    if any(side.id is None for side in (*golds, *preds)):
        return iter(golds), iter(preds)
    waiting: dict[str | None, list[Record]] = {}
    for side in preds:
        waiting.setdefault(side.id, []).append(side)
    ordered, missing = [], []
    for side in golds:
        if waiting.get(side.id):
            ordered.append(waiting[side.id].pop(0))
        else:
            missing.append(side.id)
    left = [id for id, sides in waiting.items() for _ in sides]
    for path, ids in ((pred, missing), (gold, left)):
        if ids:
            more = ", ..." if len(ids) > 5 else ""
            raise ValueError(f"{path} lacks {len(ids)} documents: {', '.join(map(str, ids[:5]))}{more}")
    return iter(golds), iter(ordered)


def records(path: Path, key: str | None = None) -> Iterator[Record]:
    """The records of one file. `key` reads `doc.spans[key]` of a `.spacy` file instead of `doc.ents`."""
    if path.suffix == ".spacy":
        return _from_docs(path, key)
    if path.suffix in (".jsonl", ".ndjson"):
        return _jsonl(path)
    raise ValueError(f"{path} is neither a .spacy nor a .jsonl file")


def _from_docs(path: Path, key: str | None) -> Iterator[Record]:
    for number, doc in enumerate(read_docs(path)):
        try:
            yield record(doc, key)
        except ValueError as error:
            raise ValueError(f"{path}, document {number}: {error}") from None


def read_docs(path: Path) -> Iterator[Doc]:
    """The Docs of a `.spacy` file."""
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is no file")
    data = path.read_bytes()
    try:
        docs = iter(DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab))
    except Exception:  # whatever a parser of foreign bytes raises means the same to the user
        raise ValueError(f"{path} is not a .spacy file, as DocBin.to_disk writes them") from None
    while True:
        try:
            doc = next(docs)
        except StopIteration:
            return
        except Exception as error:
            raise ValueError(f"{path} is a damaged .spacy file ({error})") from None
        yield doc


def _jsonl(path: Path) -> Iterator[Record]:
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is no file")
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield _record(_entry(line))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None


def _entry(line: bytes) -> Any:
    try:
        return srsly.json_loads(line.decode("utf-8-sig"))
    except ValueError as error:  # of the encoding, or of the JSON
        raise ValueError(f"not valid JSON in UTF-8 ({error})") from None


def _record(entry: Any) -> Record:
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        raise ValueError('an object with a "text" was wanted: {"text": ..., "spans": [{"start", "end", "label"}]}')
    if not isinstance(entry.get("spans"), list):
        raise ValueError('there is no list of "spans"; an empty one says that the text has none')
    spans = set()
    for k, span in enumerate(entry["spans"]):
        if missing := [name for name in ("start", "end", "label") if not isinstance(span, dict) or name not in span]:
            raise ValueError(f"span {k} has no {', '.join(map(repr, missing))}")
        spans.add(checked_span(f"span {k},", (span["start"], span["end"], span["label"]), len(entry["text"])))
    tokens = None
    if entry.get("tokens"):
        try:
            found = [(token["start"], token["end"], "token") for token in entry["tokens"]]
        except (TypeError, KeyError):
            raise ValueError('"tokens" were given, but not as a list of {"start", "end"}') from None
        tokens = [checked_span(f"token {k},", token, len(entry["text"]))[:2] for k, token in enumerate(found)]
    id = entry.get("id")
    return Record(entry["text"], spans, tokens, None if id is None else str(id))
