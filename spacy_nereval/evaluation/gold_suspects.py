"""Spans at which the gold annotation may be wrong, each with the evidence.

Evidence is a reason to look, not a proof: the same words may rightly have several labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ..core.spans import Document
from .error_groups import has_words

Reason = Literal["two labels", "unmarked", "agreement"]


class Evidence(NamedTuple):
    """A reason to doubt the gold annotation.

    Attributes:
        reason: "two labels": gold gives these words another label as often, or more often. "unmarked": a system
            predicts a label here that gold gives these words elsewhere, and gold has no
            span here. "agreement": all systems, two or more, predict the same span against gold.
        label: The label that speaks against gold.
        number: How many gold spans have these words and that label; for "agreement", how many systems there are.
        against: How many gold spans have these words and the label that gold has here; 0 for "unmarked"
            and "agreement".
    """

    reason: Reason
    label: str
    number: int
    against: int = 0


class Suspect(NamedTuple):
    """A span at which gold may be wrong: the number of the document, its place, gold's label ("" for none),
    and the evidence, strongest first."""

    document: int
    start: int
    end: int
    gold: str
    evidence: tuple[Evidence, ...]


def gold_suspects(systems: Sequence[Sequence[Document]]) -> list[Suspect]:
    """Return the spans at which gold may be wrong: those with most reasons first, then those with the most evidence.

    Words are compared in any case, with single spaces. Documents without words give evidence
    by agreement only.

    Args:
        systems: For each system, the documents with its predictions, all with the same gold annotation.

    >>> golds = [[(0, 4, "ORG")], [(0, 4, "ORG")], [(0, 4, "LOC")], []]
    >>> documents = [Document(gold, [(0, 4, "ORG")], "Acme") for gold in golds]
    >>> for suspect in gold_suspects([documents]):
    ...     print(suspect.document, suspect.gold, suspect.evidence[0])
    3  Evidence(reason='unmarked', label='ORG', number=2, against=0)
    2 LOC Evidence(reason='two labels', label='ORG', number=2, against=1)
    """
    if not systems:
        return []
    labels = _labels_of_surfaces(systems[0])
    found: dict[tuple[int, int, int, str], list[Evidence]] = defaultdict(list)
    for number, sides in enumerate(zip(*systems)):
        for place, evidence in _of_document(sides, labels):
            if evidence not in found[(number, *place)]:
                found[(number, *place)].append(evidence)
    suspects = []
    for (number, start, end, gold), reasons in found.items():
        ranked = tuple(sorted(reasons, key=lambda each: each.against - each.number))
        suspects.append(Suspect(number, start, end, gold, ranked))
    return sorted(suspects, key=_rank)


def surface(document: Document, start: int, end: int) -> str:
    """Return the words of a stretch, case folded, with single spaces; "" if the document has no words."""
    return " ".join((document.text or "")[start:end].casefold().split()) if has_words(document.text) else ""


def _labels_of_surfaces(documents: Sequence[Document]) -> dict[str, Counter[str]]:
    """Return how often gold gives each surface each label."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for document in documents:
        for start, end, label in document.gold:
            if words := surface(document, start, end):
                found[words][label] += 1
    return found


Place = tuple[int, int, str]


def _of_document(sides: Sequence[Document], labels: dict[str, Counter[str]]) -> Iterator[tuple[Place, Evidence]]:
    """Yield the evidence in one document, with its place and gold's label there."""
    document = sides[0]
    at: dict[tuple[int, int], list[str]] = defaultdict(list)
    for span in document.gold:
        at[span.start, span.end].append(span.label)
    for span in document.gold:
        own = labels.get(surface(document, span.start, span.end), Counter())
        # A second label on the very same place is annotation in layers, not a contradiction.
        rivals = {label: n for label, n in own.items() if label not in at[span.start, span.end]}
        if rivals:
            label, number = max(rivals.items(), key=lambda item: item[1])
            if number >= own[span.label]:
                yield (span.start, span.end, span.label), Evidence("two labels", label, number, own[span.label])
    for side in sides:
        touched = {k for _, k, _ in side.overlaps}
        for k, span in enumerate(side.pred):
            number = labels.get(surface(document, span.start, span.end), Counter())[span.label]
            if number and k not in touched and not side.is_invented(span):
                yield (span.start, span.end, ""), Evidence("unmarked", span.label, number)
    if len(sides) > 1:
        for span in sorted(set.intersection(*({*side.pred} for side in sides)) - {*document.gold}):
            if document.is_invented(span):
                continue  # gold cannot mark what the text does not have
            gold = at.get((span.start, span.end), [""])[0]
            yield (span.start, span.end, gold), Evidence("agreement", span.label, len(sides))


def _rank(suspect: Suspect) -> tuple[int, int, int, int]:
    strength = max(each.number - each.against for each in suspect.evidence)
    return -len({each.reason for each in suspect.evidence}), -strength, suspect.document, suspect.start
