"""Reading a gold and a predicted file as documents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from ..core.spans import Document
from .formats import check_span_groups, name_of, records
from .formats.settings import Format
from .records import Predictions, Record, pair
from .units import UnitRule, units_of

LISTED = 5
"""So many ids are listed in an error."""

UNANNOTATED = (
    "expected the spans of each text, an empty list or file where there are none",
    "save the Docs after a component that sets doc.ents, with ENT_IOB and ENT_TYPE among the attributes of the DocBin",
)
"""What to do about predictions without annotation: in general, and in `.spacy` files."""


def read_files(
    gold: Path,
    pred: Path,
    key: str | None = None,
    *,
    by_id: bool = False,
    formats: tuple[Format, Format] = (Format(), Format()),
    unit: UnitRule | str | None = None,
) -> Iterator[Document | None]:
    """Pair the documents of two files, and read them one at a time.

    Documents are paired by their order. Folders have no order, so a side in brat's
    format is paired by id, as with `by_id`.

    Args:
        gold: The file or folder of gold spans.
        pred: The file or folder of predicted spans.
        key: Read `doc.spans[key]` of `.spacy` files instead of `doc.ents`.
        by_id: Pair documents by id if all of them have one. All predictions are then
            held in memory.
        formats: How to read gold and predictions.
        unit: Which documents are resampled together (see `units.parse`). By default
            every document is resampled alone, and the sentences of a CoNLL file without
            -DOCSTART- lines are resampled in blocks.

    Yields:
        One document per gold text, or None if that or its prediction is not annotated.

    Raises:
        ValueError: If a file cannot be read; if the files have different numbers of
            documents; if texts differ in more than whitespace and case; if no prediction
            is annotated; if a document has no such unit. Names the file
            and the line or document.
        OSError: If a file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "PER"}]}')
    >>> [document.hits for document in read_files(path, path)]
    [{(0, 3, 'PER')}]
    """
    names = [name_of(path, format) for path, format in zip((gold, pred), formats)]
    check_span_groups(key, (gold, pred), names)
    units = units_of(gold, formats[0], unit)
    end = Record("", set())
    predictions = Predictions(pred, UNANNOTATED[names[1] == "spacy"])
    found = False  # whether any prediction has the key
    golds, preds = records(gold, key, formats[0]), records(pred, key, formats[1])
    if by_id or "brat" in names:
        golds, preds = _paired_by_id(gold, list(golds), pred, list(preds))
    for number, (a, b) in enumerate(zip_longest(golds, preds, fillvalue=end)):
        if a is end or b is end:
            rest = number + 1 + sum(1 for _ in (preds if a is end else golds))
            lengths = (number, rest) if a is end else (rest, number)
            raise ValueError(
                f"{gold} has {_documents(lengths[0])} and {pred} has {lengths[1]}; expected the same number in both"
            )
        found = found or b.annotated
        try:
            # A Doc without the key is a prediction of nothing.
            skipped = not key and predictions.skipped(a, b)
            yield units.marked(None if skipped else pair(a, b), a)
        except ValueError as error:
            which = f"document {number}{'' if a.id is None else f' ({a.id})'}"
            raise ValueError(f"{gold} and {pred}, {which}: {error}") from None
    units.check_end()
    predictions.check_end()
    if key and not found:
        raise ValueError(f"no document in {pred} has spans under the key {key!r}")


def _paired_by_id(
    gold: Path, golds: list[Record], pred: Path, preds: list[Record]
) -> tuple[Iterator[Record], Iterator[Record]]:
    """Put the predictions in the order of the gold texts if all have ids.

    Texts with one id keep their own order. A text that one side does not annotate may
    be missing on the other.
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
            more = ", ..." if len(ids) > LISTED else ""
            raise ValueError(f"{path} lacks {_documents(len(ids))}: {', '.join(map(str, ids[:LISTED]))}{more}")
    return iter(golds), iter(ordered)


def _documents(number: int) -> str:
    return f"{number} document{'' if number == 1 else 's'}"
