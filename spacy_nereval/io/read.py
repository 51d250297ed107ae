"""Reading gold and predicted files as documents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from ..core.spans import Document
from .formats import Format, name_of, records
from .records import Record, pair


def read_files(
    gold: Path,
    pred: Path,
    key: str | None = None,
    *,
    by_id: bool = False,
    formats: tuple[Format, Format] = (Format(), Format()),
) -> Iterator[Document | None]:
    """Documents from two files in the same order; None without gold annotation.

    `formats` says of gold and of predictions how they are to be read, where
    their endings do not. With `by_id` the order of the predictions does not
    matter where all texts have ids; they are then held in memory. So it is with
    folders, whatever is said, since files have names and no order.

    Raises ValueError or OSError, naming file and line or document, for whatever
    cannot be read, for files of different length, and for texts that differ in
    more than white space and case.
    """
    names = [name_of(path, format) for path, format in zip((gold, pred), formats)]
    if key and "spacy" not in names:
        raise ValueError(f"span groups such as {key!r} are read from .spacy files; {gold} and {pred} have none")
    end = Record("", set())
    found = False  # the key, in any prediction
    golds, preds = records(gold, key, formats[0]), records(pred, key, formats[1])
    if by_id or "brat" in names:
        golds, preds = _paired_by_id(gold, list(golds), pred, list(preds))
    for number, (a, b) in enumerate(zip_longest(golds, preds, fillvalue=end)):
        if a is end or b is end:
            rest = number + 1 + sum(1 for _ in (preds if a is end else golds))
            lengths = (number, rest) if a is end else (rest, number)
            raise ValueError(f"{gold} has {_documents(lengths[0])} and {pred} has {lengths[1]}; the same were wanted")
        found = found or b.annotated
        try:
            if a.annotated and not b.annotated and names[1] != "spacy":
                raise ValueError(f"it is annotated in {gold}, and not in {pred}")
            yield pair(a, b)
        except ValueError as error:
            which = f"document {number}{'' if a.id is None else f' ({a.id})'}"
            raise ValueError(f"{gold} and {pred}, {which}: {error}") from None
    if key and not found:
        raise ValueError(f"no document in {pred} has spans under {key!r}")


def _paired_by_id(
    gold: Path, golds: list[Record], pred: Path, preds: list[Record]
) -> tuple[Iterator[Record], Iterator[Record]]:
    """The predictions in the order of the gold texts, if all have ids; texts with one id in their own order.

    Where one side has no annotation of a text, it does not matter if the other
    lacks the text.
    """
    if any(side.id is None for side in (*golds, *preds)):
        return iter(golds), iter(preds)
    waiting: dict[str | None, list[Record]] = {}
    for side in preds:
        waiting.setdefault(side.id, []).append(side)
    ordered, missing = [], []
    for side in golds:
        if waiting.get(side.id):
            ordered.append(waiting[side.id].pop(0))
        elif side.annotated:
            missing.append(side.id)
        else:
            ordered.append(side)
    left = [side.id for sides in waiting.values() for side in sides if side.annotated]
    for path, ids in ((pred, missing), (gold, left)):
        if ids:
            more = ", ..." if len(ids) > 5 else ""
            raise ValueError(f"{path} lacks {_documents(len(ids))}: {', '.join(map(str, ids[:5]))}{more}")
    return iter(golds), iter(ordered)


def _documents(number: int) -> str:
    return f"{number} document{'' if number == 1 else 's'}"
