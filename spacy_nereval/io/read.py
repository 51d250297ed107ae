"""Read a gold and a predicted file as documents."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path

from ..core.arguments import SAME
from ..core.mention_places import plain_text
from ..core.messages import LISTED, join_names, list_alike, shorten, spell_argument
from ..core.spans import Document
from .formats import assign_annotators, check_files, check_span_groups, name_of, named_format, records
from .formats.settings import Format
from .missing_tokens import Side, place_sentences
from .records import Predictions, Record, check_has_text, pair, with_text
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
    pairing = Pairing(gold, pred, gold_format.match_text, pred_format.missing_tokens)
    for number, (gold_side, pred_side) in enumerate(pairing.pairs(*sides)):
        has_key = has_key or pred_side.annotated
        if others is not None and (gold_side.others or pred_side.others):
            others[gold] += gold_side.others
            others[pred] += pred_side.others if pred != gold else 0
        try:
            # A Doc without the key predicts no spans.
            skipped = not key and predictions.is_skipped(gold_side, pred_side)
            document = pairing.document(gold_side, pred_side)  # compares texts if it is skipped too
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
        missing_tokens: "O" if predictions may lack tokens, and whole documents, which are read as outside of spans.

    >>> golds = [Record("a", set(), id="1"), Record("b", set(), id="2")]
    >>> [pred.text for _, pred in Pairing("g.jsonl", "p.jsonl").pairs(iter(golds), reversed(golds))]
    ['a', 'b']
    >>> [*Pairing("g.jsonl", "p.jsonl").pairs(iter(golds), iter(golds[1:]))]
    Traceback (most recent call last):
    ValueError: p.jsonl lacks 1 document: 1; missing_tokens='O' reads their tokens as outside of spans
    """

    def __init__(self, gold: object, pred: object, match_text: str = SAME, missing_tokens: str | None = None) -> None:
        self._gold, self._pred, self._match_text, self._missing_tokens = gold, pred, match_text, missing_tokens
        self._mismatch = ""  # a message on the first different ids
        self._waiting: dict[str, deque[Record]] = {}  # predictions before their gold document
        self._missing: list[str] = []  # gold documents without a prediction
        self._unpaired: list[Record] = []  # gold documents before the first pair
        self._following: tuple[Iterator[Record], Iterator[Record]] | None = None  # those that are paired by order
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
            if "answers" in side.mentions:
                answers += side.mentions["answers"]
                unreadable += [str(number) if gold.id is None else gold.id] * side.mentions["unreadable"]
            yield gold, side
        if unreadable:
            warnings.warn(
                f"{self._pred}: {len(unreadable)} of {answers} answers cannot be read, and count as documents without "
                f"spans: {join_names(unreadable, 20)}",
                stacklevel=2,
            )

    def document(self, gold: Record, pred: Record) -> Document | None:
        """Return the document of a pair that `pairs` has just yielded; None if gold is not annotated.

        Raises:
            ValueError: If the texts differ; says whether predictions lack whole documents.
        """
        try:
            return pair(gold, pred, self._missing_tokens, self._match_text)
        except ValueError as error:
            raise ValueError(f"{error}{self._describe_lost(gold, pred)}") from None

    def _describe_lost(self, gold: Record, pred: Record) -> str:
        """Return the remedy if predictions from this pair on lack documents, or have another order; "" if neither."""
        if self._missing_tokens or not self._following:
            return ""
        golds, preds = ([side, *islice(sides, MOST_PLACED)] for side, sides in zip((gold, pred), self._following))
        number = len(golds) - len(preds)
        if number < 0 or len(golds) > MOST_PLACED:
            return ""
        if number == 0:
            texts, others = (sorted(plain_text(r.text, self._match_text) for r in side) for side in (golds, preds))
            return "; the same texts follow in another order: give every document an id, by which they are paired" * (
                texts == others
            )
        places = place_sentences(_sides(golds), _sides(preds), self._match_text)
        return "" if places is None else _spell_remedy(number)

    def _pairs(self, golds: Iterator[Record], preds: Iterator[Record]) -> Iterator[tuple[Record, Record]]:
        number = -1
        for number, gold in enumerate(golds):
            pred = None if gold.id is None else self._partner(number, gold.id, preds)
            if gold.id is None or (pred and pred.id is None):
                first = [] if pred is None else [pred]
                yield from self._pairs_by_order(number, chain([gold], golds), chain(first, preds))
                return
            self._has_pair = self._has_pair or pred is not None
            if not self._has_pair:
                self._unpaired.append(gold)
            elif self._unpaired:
                yield from self._unannotated()
            if pred is not None:
                yield gold, pred
            elif gold.annotated and not (self._missing_tokens and self._has_pair):
                self._missing.append(gold.id)
            elif self._has_pair:
                yield gold, _partner_of_lost(gold)
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
        """Yield the gold documents before the first pair that need no prediction or may lack it, and forget all."""
        unpaired, self._unpaired = self._unpaired, []
        is_lost = bool(self._has_pair and self._missing_tokens)
        self._missing = [] if is_lost else self._missing
        yield from ((gold, _partner_of_lost(gold)) for gold in unpaired if is_lost or not gold.annotated)

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
        if self._missing_tokens:
            golds, preds = self._add_lost([*golds], [*preds])
        self._following = golds, preds
        for position, (gold, pred) in enumerate(zip_longest(golds, preds), number):
            if gold is None or pred is None:
                length = position + 1 + sum(1 for _ in (preds if gold is None else golds))
                lengths = (position, length) if gold is None else (length, position)
                has_words = gold is not None and not self._missing_tokens
                raise ValueError(
                    f"{self._gold} has {_documents(lengths[0])} and {self._pred} has {lengths[1]}; "
                    f"expected the same number in both{_spell_remedy(length - position) * has_words}"
                )
            if gold.id is not None and pred.id is not None and gold.id != pred.id:
                raise self._contradiction(self._different_ids(position, gold.id, pred.id))
            yield gold, pred

    def _add_lost(self, golds: list[Record], preds: list[Record]) -> tuple[Iterator[Record], Iterator[Record]]:
        """Return the documents of both sides, with empty predictions where they lack a whole document of gold."""
        places = None
        if len(preds) < len(golds):
            places = place_sentences(_sides(golds), _sides(preds), self._match_text)
        if places is None:
            return iter(golds), iter(preds)
        partners = dict(zip(places, preds))
        return iter(golds), (partners.get(k) or _partner_of_lost(gold) for k, gold in enumerate(golds))

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
            said = (
                f"; {_REMEDY.format(spell_argument('missing_tokens', 'O'))}" if self._has_pair and not surplus else ""
            )
            raise ValueError(f"{'; '.join(lacks)}{said}")


MOST_PLACED = 20_000
"""Maximum number of documents that are compared for the remedy in an error."""


def _sides(records: Sequence[Record]) -> list[Side]:
    return [(record.text, record.tokens) for record in records]


def _partner_of_lost(gold: Record) -> Record:
    """Return the partner of a document that predictions lack: itself if it is not annotated, else one without words."""
    return Record("", set(), None if gold.tokens is None else [], gold.id) if gold.annotated else gold


def _spell_remedy(number: int) -> str:
    """Return the remedy for predictions that lack a number of documents."""
    return f"; the predictions lack {_documents(number)}: {_REMEDY.format(spell_argument('missing_tokens', 'O'))}"


_REMEDY = "{} reads their tokens as outside of spans"


def _documents(number: int) -> str:
    return f"{number} document{'' if number == 1 else 's'}"
