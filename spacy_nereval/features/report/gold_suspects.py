"""Places where the gold annotation may be wrong, each with the evidence, and a table of them.

Evidence is a reason to look, not a proof: the same words may rightly have several labels.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from ...core.messages import PlainSpan, is_finite_number, shorten
from ...core.pieces import covered_text, shared_characters
from ...core.spans import Document, Span
from ...evaluation.error_groups import fold_words, has_words
from ...reporting.marked_text import span_in_context
from ...reporting.remarks import times
from ...reporting.result_table import Cell, ResultTable

Reason = Literal["two labels", "unmarked", "agreement", "confidence"]

REASONS: tuple[Reason, ...] = get_args(Reason)

SURE = 0.5
"""A system is sure of a prediction if its score exceeds this share of the scores of its correct predictions of the
label."""

FEW = 10
"""The number of correct predictions of a label that a system needs to be called sure of another one."""


class Evidence(NamedTuple):
    """A reason to doubt the gold annotation.

    Attributes:
        reason: "two labels": the gold annotation has another label for these words as often, or more often.
            "unmarked": a system predicts a label here that these words have in gold elsewhere, and there is no gold
            span here. "agreement": all systems, two or more, predict the same span against gold. "confidence": a
            system is sure of a prediction against gold (see `SURE`).
        label: The label that speaks against gold.
        number: How many gold spans have these words and that label; for "agreement", how many systems there are;
            for "confidence", how many of them are sure of this prediction.
        against: The number of gold spans with these words and the gold label here; 0 for the other reasons.
        system: For "confidence", the number of the system.
        score: For "confidence", the score of the prediction.
        surer: For "confidence", the share of the system's correct predictions of the label that have a lower score.
    """

    reason: Reason
    label: str
    number: int
    against: int = 0
    system: int = 0
    score: float | None = None
    surer: float = 0.0


class Suspect(NamedTuple):
    """A span at which gold may be wrong.

    Attributes:
        document: The number of its document.
        start, end: Its boundaries.
        gold: The label of gold there; "" for none.
        evidence: The evidence, strongest first.
    """

    document: int
    start: int
    end: int
    gold: str
    evidence: tuple[Evidence, ...]


class Doubt(NamedTuple):
    """A place where gold may be wrong.

    Attributes:
        document: The number of its document.
        gold: The gold span at which it is; None if no gold span overlaps it.
        start, end: The stretch that the evidence is about.
        evidence: All evidence on the place, of one or several suspects, strongest first.
        proposed: The spans that the evidence proposes in place of the gold span, each a correction of its own.
    """

    document: int
    gold: Span | None
    start: int
    end: int
    evidence: tuple[Evidence, ...]
    proposed: tuple[PlainSpan, ...]

    @property
    def place(self) -> tuple[int, int]:
        """The boundaries of the gold span; without one, those of the stretch that the evidence is about."""
        return self.gold[:2] if self.gold else (self.start, self.end)


def gold_suspects(systems: Sequence[Sequence[Document]]) -> list[Suspect]:
    """Return the spans at which gold may be wrong: those with most reasons first, then those with the most evidence.

    Words are compared in any case, with single spaces. Documents without words give evidence
    by agreement and confidence only, predictions without scores none by confidence.

    Args:
        systems: For each system, the documents with its predictions, all with the same gold annotation.

    >>> golds = [[(0, 4, "ORG")], [(0, 4, "ORG")], [(0, 4, "LOC")], []]
    >>> documents = [Document(gold, [(0, 4, "ORG")], "Acme") for gold in golds]
    >>> for suspect in gold_suspects([documents]):
    ...     print(suspect.document, suspect.gold, suspect.evidence[0][:4])
    3  ('unmarked', 'ORG', 2, 0)
    2 LOC ('two labels', 'ORG', 2, 1)
    """
    if not systems:
        return []
    labels = _labels_of_surfaces(systems[0])
    scores_of_hits = [_scores_of_hits(documents) for documents in systems]
    evidence_of: dict[tuple[int, int, int, str], list[Evidence]] = defaultdict(list)
    for number, sides in enumerate(zip(*systems)):
        for place, evidence in (*_document_evidence(sides, labels), *_confidence_evidence(sides, scores_of_hits)):
            if evidence not in evidence_of[(number, *place)]:
                evidence_of[(number, *place)].append(evidence)
    suspects = []
    for (number, start, end, gold), reasons in evidence_of.items():
        ranked = tuple(sorted(reasons, key=lambda piece: piece.against - piece.number))
        suspects.append(Suspect(number, start, end, gold, ranked))
    return sorted(suspects, key=_rank)


def merge_suspects(suspects: Sequence[Suspect], documents: Sequence[Document]) -> list[Doubt]:
    """Return the places of suspects, in their order; suspects on one gold span make one place.

    >>> golds = [[(0, 4, "ORG")], [(0, 4, "ORG")], [(0, 4, "LOC")], []]
    >>> documents = [Document(gold, [(0, 4, "ORG")], "Acme") for gold in golds]
    >>> places = merge_suspects(gold_suspects([documents]), documents)
    >>> [(place.document, place.gold, place.proposed) for place in places]
    [(3, None, ((0, 4, 'ORG'),)), (2, Span(start=0, end=4, label='LOC'), ((0, 4, 'ORG'),))]
    """
    by_place: dict[Any, Doubt] = {}
    for suspect in suspects:
        document = documents[suspect.document]
        gold = _gold_span(suspect, document)
        key = suspect.document, gold or (suspect.start, suspect.end)
        proposed = tuple((suspect.start, suspect.end, piece.label) for piece in suspect.evidence)
        doubt = Doubt(suspect.document, gold, suspect.start, suspect.end, suspect.evidence, proposed)
        if earlier := by_place.get(key):
            doubt = earlier._replace(
                evidence=earlier.evidence + doubt.evidence, proposed=earlier.proposed + doubt.proposed
            )
        by_place[key] = doubt._replace(proposed=tuple(dict.fromkeys(doubt.proposed)))
    return [*by_place.values()]


def _gold_span(suspect: Suspect, document: Document) -> Span | None:
    """Return the gold span of a suspect; the one that overlaps it most if there is none at its place."""
    if suspect.gold:
        return Span(suspect.start, suspect.end, suspect.gold)
    place = suspect.start, suspect.end
    shared = {span: shared_characters(span, place) for span in document.gold}
    return max(
        (span for span, n in shared.items() if n > 0), key=lambda span: (shared[span], -span.start), default=None
    )


def surface(document: Document, start: int, end: int) -> str:
    """Return the words of a stretch, case folded, with single spaces; "" if the document has no words."""
    return fold_words(covered_text(document.text or "", (start, end))) if has_words(document.text) else ""


def _labels_of_surfaces(documents: Sequence[Document]) -> dict[str, Counter[str]]:
    """Return the number of gold spans with each surface and label, the most frequent label first."""
    numbers: dict[str, Counter[str]] = defaultdict(Counter)
    for document in documents:
        for start, end, label in document.gold:
            if words := surface(document, start, end):
                numbers[words][label] += 1
    return {words: Counter(dict(labels.most_common())) for words, labels in numbers.items()}


Place = tuple[int, int, str]


def _document_evidence(sides: Sequence[Document], labels: dict[str, Counter[str]]) -> Iterator[tuple[Place, Evidence]]:
    """Yield the evidence in one document that needs no scores, with its place and gold's label there."""
    document = sides[0]
    at: dict[tuple[int, int], list[str]] = defaultdict(list)
    for span in document.gold:
        at[span.start, span.end].append(span.label)
    for span in document.gold:
        numbers = labels.get(surface(document, span.start, span.end), Counter())
        # A second label on the very same place is annotation in layers, not a contradiction.
        labels_here = at[span.start, span.end]
        rival = next(((label, n) for label, n in numbers.items() if label not in labels_here), None)
        if rival:
            label, number = rival
            if number >= numbers[span.label]:
                yield (span.start, span.end, span.label), Evidence("two labels", label, number, numbers[span.label])
    for side in sides:
        overlapping = {k for _, k, _ in side.overlaps}
        for k, span in enumerate(side.pred):
            number = labels.get(surface(document, span.start, span.end), Counter())[span.label]
            if number and k not in overlapping and not side.is_invented(span):
                yield (span.start, span.end, ""), Evidence("unmarked", span.label, number)
    if len(sides) > 1:
        for span in sorted(set.intersection(*({*side.pred} for side in sides)) - {*document.gold}):
            if document.is_invented(span):
                continue  # gold cannot mark words that the text lacks
            gold = at.get((span.start, span.end), [""])[0]
            yield (span.start, span.end, gold), Evidence("agreement", span.label, len(sides))


def _scores_of_hits(documents: Sequence[Document]) -> dict[str, list[float]]:
    """Return the scores of a system's correct predictions of each label, ascending."""
    scores_of: dict[str, list[float]] = defaultdict(list)
    for document in documents:
        for span in document.hits if document.span_scores else ():
            if (score := _score(document, span)) is not None:
                scores_of[span[2]].append(score)
    return {label: sorted(scores) for label, scores in scores_of.items()}


def _score(document: Document, span: PlainSpan) -> float | None:
    """Return the score of a prediction; None if it has none, or no finite one."""
    score: Any = document.span_scores.get(span)
    return float(score) if is_finite_number(score) else None


def _confidence_evidence(
    sides: Sequence[Document], scores_of_hits: Sequence[Mapping[str, Sequence[float]]]
) -> Iterator[tuple[Place, Evidence]]:
    """Yield the evidence by confidence in one document, with its place and gold's label there."""
    sure: dict[Span, list[Evidence]] = defaultdict(list)
    for system, (side, scores) in enumerate(zip(sides, scores_of_hits)):
        for span in side.pred if side.span_scores else ():
            score = _score(side, span)
            hit_scores = scores.get(span.label, ())
            if score is None or len(hit_scores) < FEW or span in side.hits or side.is_invented(span):
                continue
            surer = bisect_left(hit_scores, score) / len(hit_scores)
            if surer >= SURE:
                sure[span].append(Evidence("confidence", span.label, 0, 0, system, score, surer))
    if sure:
        labels = {(start, end): label for start, end, label in reversed(sides[0].gold)}
        for span, pieces in sure.items():
            for piece in pieces:
                place = span.start, span.end, labels.get(span[:2], "")
                yield place, piece._replace(number=len(pieces))


def _rank(suspect: Suspect) -> tuple[float, ...]:
    reasons = {piece.reason for piece in suspect.evidence}
    strength = max(piece.number - piece.against for piece in suspect.evidence)
    surer = sum(piece.surer for piece in suspect.evidence)
    return -len(reasons), -strength, -surer, suspect.document, suspect.start


SHOWN = 60
"""Maximum number of rows of doubtful spans, repeated errors and pairs of labels."""

PER_REASON = 10
"""Minimum number of doubtful spans with each reason among these rows, if there are so many."""

OTHERS = 3
"""Maximum number of other documents that are named as the source of evidence."""

CONTRADICTIONS: tuple[Reason, ...] = ("two labels", "unmarked")
"""The reasons by which gold contradicts itself."""


class GoldDoubts:
    """The places where gold may be wrong.

    Args:
        places: The places, those with the strongest evidence first.
        documents: The documents, with gold annotation.
        names: The names of the systems that predicted.
    """

    def __init__(self, places: Sequence[Doubt], documents: Sequence[Document], names: Sequence[str]) -> None:
        self.places: Sequence[Doubt] = places
        self.documents: Sequence[Document] = documents
        self.names: Sequence[str] = names

    def tables(self) -> Iterator[ResultTable]:
        """Yield the table of the places, the strongest evidence first; every reason has some rows."""
        rows: list[list[Cell]] = []
        doubts = select_doubts(self.places)
        for doubt in doubts:
            document = self.documents[doubt.document]
            reasons = [
                evidence_words(piece, doubt, self.names) + self._sources(doubt, piece) for piece in doubt.evidence
            ]
            words = "; ".join(dict.fromkeys([*reasons, *_proposal_words(doubt, document)]))
            at_gold = doubt.gold if doubt.place == (doubt.start, doubt.end) else None
            gold = at_gold.label if at_gold else _gold_around(document, doubt)
            rows.append([self._name(doubt.document), span_in_context(document, doubt.start, doubt.end), gold, words])
        if rows:
            header = ["document", "text", "gold", "evidence against it"]
            note = f"the strongest {len(rows)} of {len(self.places):,}" if len(rows) < len(self.places) else ""
            asks = [{"document": doubt.document} for doubt in doubts]
            yield ResultTable("Doubtful gold spans", header, rows, note=note, asks=asks)

    @cached_property
    def gold_places(self) -> Mapping[tuple[str, str], Sequence[tuple[int, int]]]:
        """The gold spans with each surface and label: the number of the document, and of the span in it."""
        places: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for k, document in enumerate(self.documents):
            for g, span in enumerate(document.gold):
                if words := surface(document, span.start, span.end):
                    places[words, span.label].append((k, g))
        return places

    def _sources(self, doubt: Doubt, evidence: Evidence) -> str:
        """Return the names of the other documents that evidence is from; "" if it is from this one alone."""
        words = surface(self.documents[doubt.document], *doubt.place)
        places = self.gold_places.get((words, evidence.label), ()) if evidence.reason in CONTRADICTIONS else ()
        documents = [*dict.fromkeys(k for k, _ in places if k != doubt.document)]
        names = [*map(self._name, documents[:OTHERS])]
        remainder = f" and {len(documents) - OTHERS:,} more" if len(documents) > OTHERS else ""
        return f" (in {', '.join(names)}{remainder})" if names else ""

    def _name(self, number: int) -> str:
        id = self.documents[number].id
        return str(number + 1 if id is None else id)


def select_doubts(places: Sequence[Doubt]) -> list[Doubt]:
    """Return the doubts that the table shows: the first ones of each reason, and the first of the others."""
    numbers: Counter[Reason] = Counter()
    first: set[int] = set()
    for k, doubt in enumerate(places):
        reasons = {piece.reason for piece in doubt.evidence}
        if any(numbers[reason] < PER_REASON for reason in reasons):
            first.add(k)
            numbers.update(reasons)
    rest = [k for k in range(len(places)) if k not in first]
    return [places[k] for k in sorted([*first, *rest[: max(0, SHOWN - len(first))]])]


def evidence_words(piece: Evidence, doubt: Doubt, names: Sequence[str]) -> str:
    """Return a piece of evidence in words."""
    label = piece.label or "(empty)"
    if piece.reason == "two labels" and doubt.gold:
        return f"gold label {label} {times(piece.number)} for these words, {doubt.gold.label} {piece.against}"
    if piece.reason == "unmarked":
        return f"predicted {label}; these words are gold {label} {times(piece.number)} elsewhere"
    if piece.reason == "agreement":
        return f"{'both' if piece.number == 2 else f'all {piece.number}'} systems predict {label}"
    who = "predicted" if len(names) == 1 else f"{names[piece.system]} predicts"
    return f"{who} {label} with score {piece.score:.4g}, above {100 * piece.surer:.0f} % of its correct {label}"


def _proposal_words(doubt: Doubt, document: Document) -> list[str]:
    """Return the proposed stretches in words if there are several, since the text of a row marks only the first."""
    text = document.text or ""
    stretches = dict.fromkeys(f"“{shorten(covered_text(text, span))}”" for span in doubt.proposed)
    return [f"proposed: {', '.join(stretches)}"] if text and len(stretches) > 1 else []


def _gold_around(document: Document, doubt: Doubt) -> str:
    """Return the gold spans that overlap a stretch, in words; "none" if there are none."""
    spans = [span for span in document.gold if span.overlaps(Span(doubt.start, doubt.end, ""))]
    text = document.text
    words = [span.label if text is None else f"{span.label} “{shorten(covered_text(text, span))}”" for span in spans]
    return ", ".join(words) or "none"
