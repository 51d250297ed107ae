"""What the list of a report has to hold: a twin of its filters, as simple as possible, and documents for it."""

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple

from spacy_nereval import Document, create
from spacy_nereval.core.declaration import Verdict
from spacy_nereval.evaluation.error_list import gold_outcomes

WORDS = ("Ada", "😀", "Łódź", "a.b*c", "1,234", "(x", "New", "York", "👩\u200d👧", "=SUM", "is", "in")
LABELS = ("A", "B", "C")


def _spans(rng: Random, words: list[str], number: int) -> list[tuple[int, int, str]]:
    starts = [*itertools.accumulate((len(word) + 1 for word in words), initial=0)]
    found = set()
    for _ in range(number):
        first = rng.randrange(len(words))
        last = min(len(words) - 1, first + rng.choice((0, 0, 1, 2)))
        found.add((starts[first], starts[last] + len(words[last]), rng.choice(LABELS)))
    return sorted(found)


def corpora(seed: int, systems: int) -> list[list[Document]]:
    """Fourteen documents under some systems: spans nest and cross, and a system keeps most of gold."""
    rng = Random(seed)
    found: list[list[Document]] = [[] for _ in range(systems)]
    for k in range(14):
        words = [rng.choice(WORDS) for _ in range(rng.randrange(1, 14))]
        gold = _spans(rng, words, rng.randrange(5))
        for own in found:
            kept = [s for s in gold if rng.random() < 0.6]
            pred = sorted({*kept, *_spans(rng, words, rng.randrange(4))})
            own.append(Document(gold, pred, " ".join(words), id=f"id-{k}" if k % 3 else None))
    return found


class Wanted(NamedTuple):
    """What a reader asks for, in words: systems by their number, metrics, verdicts, labels and relations by names.

    `cell` and `move` are pairs of labels and of outcomes, "" for no span; `words` is a number of words of the span;
    `members` has the places of a group: document, gold span, predicted span; `marked` has documents with gold spans, or
    with the boundaries of predictions on none, that have the chosen mark.
    """

    one: int = 0
    other: int | None = None
    metric: str = "fair"
    chosen: frozenset[str] = frozenset()
    label: str | None = None
    side: str = ""
    cell: tuple[str, str] | None = None
    move: tuple[str, str] | None = None
    words: int | None = None
    members: frozenset[Any] | None = None
    marked: frozenset[Any] | None = None
    relation: str = ""
    find: str = ""
    wrong: bool = True

    @property
    def narrows(self) -> bool:
        """Whether only documents with a matching place are listed."""
        rest = self._replace(one=0, other=None, metric="fair", side="", find="", wrong=True)
        return self.wrong or rest != Wanted()


Place = tuple[int, str, Any, Any]
"""A document, a verdict or change, and the gold span and the prediction that it is on, or None."""


@cache
def judged(metric: str, document: Document) -> list[Verdict]:
    return [*create(metric).verdicts(document)]


@cache
def right(metric: str) -> str:
    return create(metric).hit


outcomes = cache(gold_outcomes)


def listed(systems: Sequence[Sequence[Document]], wanted: Wanted) -> tuple[list[Place], list[int]]:
    """Return the places that pass every filter, and the numbers of the documents."""
    places: list[Place] = []
    documents = []
    for k, sides in enumerate(zip(*systems)):
        if not any(wanted.find.lower() in (text or "").lower() for text in (sides[0].text, sides[0].id)):
            continue
        own = [row for row, at in _rows(k, sides, wanted) if _passes(k, row, at, sides, wanted)]
        places += own
        if own or not wanted.narrows:
            documents.append(k)
    return places, documents


def _rows(k: int, sides: Sequence[Document], wanted: Wanted) -> Iterator[tuple[Place, Any]]:
    """Yield each verdict or change, with the systems' verdicts at its place."""
    if wanted.other is None:
        for v in judged(wanted.metric, sides[wanted.one]):
            if v.gold or v.pred:
                yield (k, v.name, v.gold, v.pred), [(wanted.one, v.gold, v.pred)]
        return
    pair = (wanted.one, wanted.other)
    fair = {s: judged("fair", sides[s]) for s in pair}
    before, after = (outcomes(sides[s]) for s in pair)
    for gold in before:
        if before[gold] != after[gold]:
            to_or_from = {"correct": "fixed"}.get(after[gold], "broken" if before[gold] == "correct" else "changed")
            if wanted.move in (None, (before[gold], after[gold])):
                yield (k, to_or_from, gold, None), [(s, gold, v.pred) for s in pair for v in fair[s] if v.gold == gold]
    wrong = [{v.pred for v in fair[s] if v.name == "fp"} for s in pair]
    if wanted.move is None:
        yield from (((k, "spurious gone", None, p), [(pair[0], None, p)]) for p in wrong[0] - wrong[1])
        yield from (((k, "spurious new", None, p), [(pair[1], None, p)]) for p in wrong[1] - wrong[0])


def _passes(k: int, row: Place, at: Any, sides: Sequence[Document], wanted: Wanted) -> bool:
    _, name, gold, pred = row
    metric = "fair" if wanted.other is not None else wanted.metric
    hit = right(metric)
    own = [(g, p) for system, g, p in at if system == wanted.one]
    labels = {
        "": {span.label for _, *both in at for span in both if span},
        "gold": {gold.label if gold else None},
        "pred": {p.label for _, _, p in at if p},
        "home": {(gold or pred).label},
    }
    span = gold or pred
    named = [(g.label if g else "", p.label if p else "") for g, p in own]
    return (
        (name in wanted.chosen or not wanted.chosen)
        and not (name == hit and wanted.wrong and not wanted.chosen)
        and (wanted.label is None or wanted.label in labels[wanted.side])
        and (wanted.cell is None or wanted.cell in named)
        and (wanted.words is None or len((sides[0].text or "")[span.start : span.end].split()) == wanted.words)
        and (wanted.members is None or any((k, *pair) in wanted.members for pair in own))
        and (wanted.marked is None or any((k, g or p[:2]) in wanted.marked for _, g, p in at))
        and (not wanted.relation or _related(gold, pred, sides, metric, hit, wanted))
    )


def _related(gold: Any, pred: Any, sides: Sequence[Document], metric: str, hit: str, wanted: Wanted) -> bool:
    wrong = []
    for verdicts in (judged(metric, side) for side in sides):
        if gold:
            wrong.append(not any(v.gold == gold and v.name == hit for v in verdicts))
        else:
            wrong.append(any(v.gold is None and v.pred == pred for v in verdicts))
    if wanted.relation == "all":
        return all(wrong)
    if wanted.relation == "only":
        return wrong == [k == wanted.one for k in range(len(sides))]
    return not wrong[int(wanted.relation)]
