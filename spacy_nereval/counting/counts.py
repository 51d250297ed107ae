"""Counts: what every score is made of, per document, additive over documents.

A count is a row (document, verdict, gold label, predicted label). Per-label
counts, totals, the confusion matrix and per-document counts are all sums over
these rows, so they cannot disagree with each other or with the verdicts.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..core.declaration import Metric
from ..core.spans import Document
from .batch import GOLD, HIT, PRED, Batch, Shape, batches, contest

NONE = -1

SHAPES, SHORT = 1 << 14, 8
"""So many contests of no more than so many spans are kept in mind, with what the metrics said of them."""

_Append = Callable[[Iterable[float]], None]
_Judge = tuple[Metric, _Append, Mapping[str, int]]
"""A metric, what takes its rows, and the number of each of its verdicts."""
_Said = tuple[_Append, tuple[float, ...]]
"""A row without the document, and what takes it."""


class Rows:
    """An append-only table (document, verdict, gold label, predicted label, amount),
    and a note behind for metrics that take notes."""

    def __init__(self, width: int = 5) -> None:
        self.width = width
        self._numbers = array("d")
        self.append = self._numbers.extend

    def extend(self, rows: np.ndarray) -> None:
        """Append rows float64[rows, width]."""
        self._numbers.frombytes(rows.tobytes())

    def column(self, place: int) -> np.ndarray:
        """float64[rows]: the same as in the array, without the rest of it."""
        return np.frombuffer(self._numbers)[place :: self.width].copy()

    def array(self) -> np.ndarray:
        """float64[rows, width]; all but the amounts are whole numbers."""
        return np.array(self._numbers).reshape(-1, self.width)


class Replicates(NamedTuple):
    """Resampled sums, as views write them on their tapes: per metric, name to
    float64[samples, labels or 1, columns]."""

    samples: int
    seed: int
    labels: tuple[str, ...]
    tapes: dict[str, dict[str, np.ndarray]]

    def added(self, other: Replicates, labels: tuple[str, ...]) -> Replicates:
        """The replicates of both, for labels that have those of both among them."""
        tapes: dict[str, dict[str, np.ndarray]] = {}
        for metric, tape in self.tapes.items():
            for name in tape:
                a, b = (part.stretched(metric, name, labels) for part in (self, other))
                tapes.setdefault(metric, {})[name] = a + b
        return Replicates(self.samples, self.seed, labels, tapes)

    def stretched(self, metric: str, name: str, labels: tuple[str, ...]) -> np.ndarray:
        """One tape's array with a row for each of these labels, 0 where a label is
        new. Views mark sums by label with a 1 behind the first part of the name."""
        values = self.tapes[metric][name]
        if not name.split(".")[0].endswith("1"):
            return values
        wide = np.zeros((len(values), len(labels), values.shape[2]))
        wide[:, [labels.index(label) for label in self.labels]] = values
        return wide


class Counts:
    """The counts of several metrics over the documents added so far.

    `documents` were counted, `skipped` had no annotation, `ignored`
    predictions fell where the reference says nothing, and `repaired` spans had
    tags that were mended in reading.

    >>> from spacy_nereval import Document, create
    >>> a = count([Document(gold=[(0, 5, "A")], pred=[(0, 5, "A")])], [create("strict")])
    >>> b = count([Document(gold=[(0, 5, "A")], pred=[])], [create("strict")])
    >>> (a + b).documents, (a + b).gold, (a + b).pred
    (2, 2, 1)
    """

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self.metrics = tuple(metrics)
        self.documents = self.skipped = self.ignored = self.repaired = 0
        self.ids: list[str | None] = []
        self.key: str | None = None  # of the span groups that were counted; None for entities
        self.by: str | None = None  # what stands in the place of labels, in a breakdown
        self.sources: list[str] = []  # the files that the documents came from
        self.replicates: Replicates | None = None
        self.label_ids: dict[str, int] = {}
        self.note_ids: dict[str, int] = {}
        self.settled = Rows()
        self.rows = tuple(Rows(6 if metric.note else 5) for metric in self.metrics)
        self._said: dict[Shape, list[_Said]] = {}
        self._verdict_ids = [{name: k for k, name in enumerate(m.verdict_names)} for m in self.metrics]

    def add(self, document: Document | None) -> None:
        """Count one document. None stands for one without annotation."""
        self.extend([document])

    def extend(self, documents: Iterable[Document | None]) -> None:
        """Count documents, some at a time: none is held longer than that takes."""
        self.extend_together(batches(documents, lambda document: document.size if document else 0))

    def extend_together(self, several: Iterable[Iterable[Document | None]]) -> None:
        """Count documents that come some at a time. Those of a `Batch` are not looked at one by one."""
        for some in several:
            batch = some if isinstance(some, Batch) else Batch([*some])
            self.skipped += batch.skipped
            if len(batch):
                with _uncollected():
                    self._count(batch)
        self._said.clear()

    def _count(self, batch: Batch) -> None:
        first = self.documents
        self.documents += len(batch)
        self.ids += batch.ids
        self.ignored += batch.ignored
        self.repaired += batch.repaired
        ids = self.label_ids
        id_of = np.array([ids.setdefault(label, len(ids)) for label in batch.labels] + [NONE])
        doc, side, kind, label = (each[batch.once] for each in (batch.doc, batch.side, batch.kind, batch.label))
        gold = np.where(side == GOLD, id_of[label], NONE)
        pred = np.where((side == PRED) | (kind == HIT), id_of[label], NONE)  # a hit is one row for both spans
        self.settled.extend(_rows(first + doc, kind, gold, pred, 1))
        judges: list[_Judge] = []
        for metric, rows, verdict_ids in zip(self.metrics, self.rows, self._verdict_ids):
            if metric.tally:
                for name, doc, gold, pred, amount in metric.tally(batch):
                    rows.extend(_rows(first + doc, verdict_ids[name], id_of[gold], id_of[pred], amount))
            else:
                judges.append((metric, rows.append, verdict_ids))
        self._judge_contests([judge for judge in judges if judge[0].settled], first, batch)
        self._judge_documents([judge for judge in judges if not judge[0].settled], first, batch)

    def _judge_contests(self, judges: list[_Judge], first: int, batch: Batch) -> None:
        """Count the verdicts on contests. What was said of one is said again of those like it."""
        for shape, docs in batch.contests() if judges else ():
            said = self._said.get(shape)
            if said is None:
                said = [*self._verdicts(judges, contest(shape))]
                if len(shape) <= SHORT and len(self._said) < SHAPES:
                    self._said[shape] = said
            for append, row in said:
                for doc in docs:
                    append((first + doc, *row))

    def _judge_documents(self, judges: list[_Judge], first: int, batch: Batch) -> None:
        """Count the verdicts on documents. All metrics see one before the next is made."""
        for doc, document in enumerate(batch if judges else (), first):
            for append, row in self._verdicts(judges, document):
                append((doc, *row))

    def _verdicts(self, judges: list[_Judge], part: Any) -> Iterator[_Said]:
        """What the metrics say of a contest or a document."""
        ids, notes = self.label_ids, self.note_ids
        for metric, append, verdict_ids in judges:
            for name, gold, pred, amount in metric.judge(part):
                label, other = ids[gold[2]] if gold else NONE, ids[pred[2]] if pred else NONE
                note = (notes.setdefault(metric.note(part, gold), len(notes)),) if metric.note else ()
                yield append, (verdict_ids[name], label, other, amount, *note)

    def __add__(self, other: Counts) -> Counts:
        """The counts of both, as if all documents had been counted together."""
        if differences := self.differences(other):
            raise ValueError(f"these counts cannot be added: {differences}")
        both = Counts(self.metrics)
        labels = list(dict.fromkeys(chain(self.label_ids, other.label_ids)))
        both.label_ids = {label: k for k, label in enumerate(labels)}
        notes = dict.fromkeys(chain(self.note_ids, other.note_ids))
        both.note_ids = {note: k for k, note in enumerate(notes)}
        for counts in (self, other):
            renamed = np.array([both.label_ids[label] for label in counts.label_ids] + [NONE], dtype=np.float64)
            for target, source in zip((both.settled, *both.rows), (counts.settled, *counts.rows)):
                rows = source.array().copy()
                rows[:, 0] += both.documents
                rows[:, 2:4] = renamed[rows[:, 2:4].astype(int)]  # NONE, -1, finds the last
                if target.width > 5:
                    new_notes = np.array([both.note_ids[note] for note in counts.note_ids])
                    rows[:, 5] = new_notes[rows[:, 5].astype(int)]
                target.extend(rows)
            both.documents += counts.documents
            both.ids += counts.ids
            both.sources += counts.sources
            both.key = counts.key
            both.skipped += counts.skipped
            both.ignored += counts.ignored
            both.repaired += counts.repaired
        if self.replicates and other.replicates:
            both.replicates = self.replicates.added(other.replicates, both.labels)
        return both

    def differences(self, other: Counts, *, replicates: bool = True) -> str:
        """What keeps two counts from being added, in words; empty if nothing does.
        Whether and how they were resampled matters only with `replicates`."""
        if [metric.name for metric in self.metrics] != [metric.name for metric in other.metrics]:
            names = (", ".join(metric.name for metric in counts.metrics) for counts in (self, other))
            return "one has the metrics {}, the other {}".format(*names)
        found = []
        if self.key != other.key:
            said = [f"spans under {key!r}" if key else "entities" for key in (self.key, other.key)]
            found.append(f"one counted {said[0]}, the other {said[1]}")
        for a, b in zip(self.metrics, other.metrics):
            ours, theirs = ({"version": metric.version, **metric.settings} for metric in (a, b))
            found += [
                f"{a.name}.{key} is {ours[key]!r} and {theirs[key]!r}" for key in ours if ours[key] != theirs[key]
            ]
        if replicates and self.replicates and (whole := [metric.name for metric in self.metrics if metric.note]):
            found.append(
                f"{whole[0]} looks at the corpus as a whole, so that its replicates do not add up: "
                f"count without replicates, or without {whole[0]}"
            )
        drawn = [counts.replicates and (counts.replicates.samples, counts.replicates.seed) for counts in (self, other)]
        if replicates and drawn[0] != drawn[1]:
            said = ["no replicates" if d is None else f"{d[0]} replicates of seed {d[1]}" for d in drawn]
            found.append(f"one has {said[0]}, the other {said[1]}")
        if (
            replicates
            and any(drawn)
            and None in self.ids
            and None in other.ids
            and (same := sorted({*self.sources} & {*other.sources}))
        ):
            found.append(
                f"both have texts without id from {same[0]}, whose replicates would be alike: give texts an id"
            )
        return "; ".join(found)

    @property
    def units(self) -> np.ndarray:
        """int[documents]: what is drawn as a whole when documents are resampled.
        Texts that share an id are one unit, and a text without an id is its own."""
        number: dict[str | int, int] = {}
        keys = (position if id is None else id for position, id in enumerate(self.ids))
        return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label that occurs in gold or prediction, sorted."""
        return tuple(sorted(self.label_ids))

    @property
    def gold(self) -> int:
        """Number of gold spans."""
        return int((self.settled.column(2) != NONE).sum())

    @property
    def pred(self) -> int:
        """Number of predicted spans."""
        return int((self.settled.column(3) != NONE).sum())


def count(documents: Iterable[Document | None], metrics: Iterable[Metric]) -> Counts:
    """Count the verdicts of every metric on every document."""
    counts = Counts(metrics)
    counts.extend(documents)
    return counts


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for garbage in cycles, of which counting leaves none: it looks
    at every span again and again, a tenth of the time where there are 100,000."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def _rows(first: np.ndarray, *others: Any) -> np.ndarray:
    """Columns, or one value for all of a column, as float64[rows, columns]."""
    rows = np.empty((len(first), 1 + len(others)))
    for place, column in enumerate((first, *others)):
        rows[:, place] = column
    return rows
