"""Read a gold and a predicted file as documents."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path

from ..core.arguments import SAME
from ..core.messages import LISTED, join_names, list_alike, shorten
from ..core.spans import Document
from .formats import assign_annotators, check_files, check_span_groups, name_of, named_format, records
from .formats.settings import Format
from .records import Predictions, Record, carry_side, check_has_text, pair, plain_text, with_text
from .units import UnitRule, units_of

UNANNOTATED = (
    "expected the spans of each text, an empty list or file where there are none",
    "save the Docs after a component that sets doc.ents, with ENT_IOB and ENT_TYPE among the attributes of the DocBin",
)
"""Remedies for predictions without annotation: in general, and in `.spacy` files."""


def read_files(
    gold: Path,
    pred: Path,
    key: str | None = None,
    *,
    formats: tuple[Format, Format] = (Format(), Format()),
    unit: UnitRule | str | None = None,
    others: Counter[Path] | None = None,
) -> Iterator[Document | None]:
    """Read two files, and pair their documents, one at a time.

    If all documents have ids, they are paired by id, in any order; otherwise by their order (see `Pairing`).
    Only documents that still wait for their partner are kept in memory.

    Args:
        gold: The file or folder of gold spans.
        pred: The file or folder of predicted spans.
        key: Read `doc.spans[key]` of `.spacy` files instead of `doc.ents`.
        formats: How to read gold and predictions.
        unit: Which documents are resampled together (see `units.parse_unit`). By default
            documents with one id are resampled together, and the sentences of a CoNLL file
            without -DOCSTART- lines in blocks.
        others: Counts, per file, the annotations that are not spans, such as relations.

    Yields:
        One document per gold text, in the order of the gold file; None if the text or its
        prediction is not annotated.

    Raises:
        ValueError: If a file cannot be read; if a document of one file is missing in the
            other; if documents are paired by their order and two of them have different
            ids; if texts differ in more than whitespace and case; if no prediction is
            annotated; if a document has no such unit. Names the file and the line
            or document.
        OSError: If a file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "PER"}]}')
    >>> [document.hits for document in read_files(path, path)]
    [{(0, 3, 'PER')}]
    """
    named_formats = [named_format(path, format) for path, format in zip((gold, pred), formats)]
    names = [name_of(path, format) for path, format in zip((gold, pred), named_formats)]
    check_span_groups(key, (gold, pred), names)
    check_files((gold, pred), named_formats)
    gold_format, pred_format = assign_annotators((gold, pred), named_formats)
    units = units_of(gold, gold_format, unit)
    predictions = Predictions(pred, UNANNOTATED[names[1] == "spacy"])
    has_key = False  # whether any prediction has the key
    sides = records(gold, key, gold_format), records(pred, key, pred_format)
    for number, (gold_side, pred_side) in enumerate(Pairing(gold, pred, gold_format.match_text).pairs(*sides)):
        has_key = has_key or pred_side.annotated
        if others is not None:
            others[gold] += gold_side.others
            others[pred] += pred_side.others if pred != gold else 0
        try:
            # A Doc without the key predicts no spans.
            skipped = not key and predictions.is_skipped(gold_side, pred_side)
            document = pair(gold_side, pred_side, pred_format.missing_tokens)  # compares texts if it is skipped too
            yield units.assign_unit(None if skipped else document, gold_side)
        except ValueError as error:
            id = "" if gold_side.id is None else f" ({shorten(gold_side.id)})"
            raise ValueError(f"{gold} and {pred}, document {number}{id}: {error}") from None
    units.check_end()
    predictions.check_end()
    if key and not has_key:
        raise ValueError(f"no document in {pred} has spans under the key {key!r}")


class Pairing:
    """Pairs the documents of two files. No other code pairs documents.

    If every document of both files has an id, documents are paired by id; documents with the same
    id keep their order. If no id is in both files, and the texts are the same, each once, they are
    paired by text, with a warning. Otherwise documents are paired by order; the ids of a pair have to
    be the same if both have one.

    Args:
        gold, pred: The names of the two files, for errors.
        match_text: How the texts of a pair may differ, one of `arguments.TEXT_MATCHES`.

    >>> golds = [Record("a", set(), id="1"), Record("b", set(), id="2")]
    >>> [pred.text for _, pred in Pairing("g.jsonl", "p.jsonl").pairs(iter(golds), reversed(golds))]
    ['a', 'b']
    >>> [*Pairing("g.jsonl", "p.jsonl").pairs(iter(golds), iter(golds[1:]))]
    Traceback (most recent call last):
    ValueError: p.jsonl lacks 1 document: 1
    """

    def __init__(self, gold: object, pred: object, match_text: str = SAME) -> None:
        self._gold, self._pred, self._match_text = gold, pred, match_text
        self._mismatch = ""  # a message on the first different ids
        self._waiting: dict[str, deque[Record]] = {}  # predictions before their gold document
        self._missing: list[str] = []  # gold documents without a prediction
        self._unpaired: list[Record] = []  # gold documents before the first pair
        self._has_pair = False  # whether any id is in both files

    def pairs(self, golds: Iterator[Record], preds: Iterator[Record]) -> Iterator[tuple[Record, Record]]:
        """Yield every gold document with its prediction, in the order of the gold file.

        A document that has an id and is not annotated may be missing in the other file. An answer without a text
        has that of gold. At the end, a warning lists the answers that could not be read.

        Raises:
            ValueError: A document is missing in one of the files, or ids and order
                contradict each other.
        """
        unreadable: list[str] = []
        answers = 0
        for number, (gold, pred) in enumerate(self._pairs((check_has_text(gold, self._gold) for gold in golds), preds)):
            side = with_text(pred, gold.text)
            if self._match_text != SAME and not (gold.open_end and side.open_end):
                try:
                    side = carry_side(side, gold.text, self._match_text)
                except ValueError as error:
                    raise ValueError(f"{self._gold} and {self._pred}, document {number}: {error}") from None
            answers += side.mentions.get("answers", 0)
            unreadable += [str(number) if gold.id is None else gold.id] * side.mentions.get("unreadable", 0)
            yield gold, side
        if unreadable:
            warnings.warn(
                f"{self._pred}: {len(unreadable)} of {answers} answers cannot be read, and count as documents without "
                f"spans: {join_names(unreadable, 20)}",
                stacklevel=2,
            )

    def _pairs(self, golds: Iterator[Record], preds: Iterator[Record]) -> Iterator[tuple[Record, Record]]:
        number = -1
        for number, gold in enumerate(golds):
            pred = None if gold.id is None else self._partner(number, gold.id, preds)
            if gold.id is None or (pred and pred.id is None):
                first = [] if pred is None else [pred]
                yield from self._pairs_by_order(number, chain([gold], golds), chain(first, preds))
                return
            if pred is not None or self._has_pair:
                yield from self._unannotated()
            else:
                self._unpaired.append(gold)
            if pred is not None:
                self._has_pair = True
                yield gold, pred
            elif gold.annotated:
                self._missing.append(gold.id)
            elif self._has_pair:
                yield gold, gold
        for pred in preds:
            if pred.id is None:
                yield from self._pairs_by_order(number + 1, iter(()), chain([pred], preds))
            else:
                self._waiting.setdefault(pred.id, deque()).append(pred)
        if pairs := self._pairs_by_text():
            yield from pairs
            return
        yield from self._unannotated()
        self._check_complete()

    def _unannotated(self) -> Iterator[tuple[Record, Record]]:
        """Yield the gold documents before the first pair that need no prediction, and forget all of them."""
        unpaired, self._unpaired = self._unpaired, []
        yield from ((gold, gold) for gold in unpaired if not gold.annotated)

    def _pairs_by_text(self) -> list[tuple[Record, Record]]:
        """Return the pairs by text, with a warning; none if an id is in both files, or texts are not the same ones."""
        preds = [pred for preds in self._waiting.values() for pred in preds]
        by_text = {plain_text(pred.text, self._match_text): pred for pred in preds}
        texts = [plain_text(gold.text, self._match_text) for gold in self._unpaired]
        if self._has_pair or not len({*texts}) == len(texts) == len(preds) or by_text.keys() != {*texts}:
            return []
        if texts:
            warnings.warn(f"{self._gold} and {self._pred} have no id in common: they are paired by text", stacklevel=2)
        return [(gold, by_text[text]) for gold, text in zip(self._unpaired, texts)]

    def _partner(self, number: int, id: str, preds: Iterator[Record]) -> Record | None:
        """Return the next prediction with this id, or the next one without any; None if there is neither.

        Predictions with other ids are kept for later.
        """
        if self._waiting.get(id):
            return self._waiting[id].popleft()
        for pred in preds:
            if pred.id is None or pred.id == id:
                return pred
            self._mismatch = self._mismatch or self._different_ids(number, id, pred.id)
            self._waiting.setdefault(pred.id, deque()).append(pred)
        return None

    def _pairs_by_order(
        self, number: int, golds: Iterator[Record], preds: Iterator[Record]
    ) -> Iterator[tuple[Record, Record]]:
        """Yield pairs by order, from the first document without an id.

        Args:
            number: How many documents came before.
            golds, preds: The remaining documents.
        """
        if self._mismatch:
            raise self._contradiction(self._mismatch)
        if self._missing:
            self._check_complete()
        for position, (gold, pred) in enumerate(zip_longest(golds, preds), number):
            if gold is None or pred is None:
                length = position + 1 + sum(1 for _ in (preds if gold is None else golds))
                lengths = (position, length) if gold is None else (length, position)
                raise ValueError(
                    f"{self._gold} has {_documents(lengths[0])} and {self._pred} has {lengths[1]}; "
                    "expected the same number in both"
                )
            if gold.id is not None and pred.id is not None and gold.id != pred.id:
                raise self._contradiction(self._different_ids(position, gold.id, pred.id))
            yield gold, pred

    def _different_ids(self, number: int, gold: str, pred: str) -> str:
        """Return the message that two documents at the same position have different ids."""
        return f"document {number} is {shorten(gold)} in {self._gold} and {shorten(pred)} in {self._pred}"

    def _contradiction(self, mismatch: str) -> ValueError:
        return ValueError(
            f"some documents have no id, so {self._gold} and {self._pred} are paired by order, but {mismatch}: "
            "give every document an id, or none"
        )

    def _check_complete(self) -> None:
        surplus = [pred.id or "" for preds in self._waiting.values() for pred in preds if pred.annotated]
        lacks = [
            f"{path} lacks {_documents(len(ids))}: {join_names(ids)}"
            for path, ids in ((self._pred, self._missing), (self._gold, surplus))
            if ids
        ]
        if len(lacks) == 2 and not self._has_pair:
            remedy = "give each text the same id in both, or remove the ids from one of them to pair by order"
            lacks.append(f"no id is in both: {remedy}")
        if alike := list_alike(self._missing, surplus):
            lacks.append(f"ids: {', '.join(alike[:LISTED])}; write them alike")
        if lacks:
            raise ValueError("; ".join(lacks))


def _documents(number: int) -> str:
    return f"{number} document{'' if number == 1 else 's'}"
