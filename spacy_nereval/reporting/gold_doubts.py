"""The places where gold may be wrong: a table of them, and what speaks against gold in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from ..core.messages import shortened
from ..core.spans import Document, Span
from ..evaluation.gold_suspects import Doubt, Evidence, Reason, surface
from .marked_text import in_context
from .remarks import times
from .result_table import Cell, ResultTable

SHOWN = 60
"""Maximum number of rows of doubtful spans, and of repeated errors and error pairs."""

OF_EACH = 10
"""How many doubtful spans with each reason have a place among these."""

OTHERS = 3
"""How many of the other documents that evidence is from are named."""

CONTRADICTIONS: tuple[Reason, ...] = ("two labels", "unmarked")
"""The reasons by which gold contradicts itself."""


class GoldDoubts:
    """The places where gold may be wrong.

    Args:
        places: The places, those with the strongest evidence first.
        documents: The documents, with gold annotation.
        names: The names of the systems whose predictions are evidence.
    """

    def __init__(self, places: Sequence[Doubt], documents: Sequence[Document], names: Sequence[str]) -> None:
        self.places: Sequence[Doubt] = places
        self.documents: Sequence[Document] = documents
        self.names: Sequence[str] = names

    def tables(self) -> Iterator[ResultTable]:
        """Yield the places, the strongest evidence first, among them the first ones of every reason."""
        rows: list[list[Cell]] = []
        shown = shown_doubts(self.places)
        for each in shown:
            document = self.documents[each.document]
            said = [evidence_words(why, each, self.names) + self._elsewhere(each, why) for why in each.evidence]
            words = "; ".join(dict.fromkeys([*said, *_proposed(each, document)]))
            at_gold = each.gold if each.place == (each.start, each.end) else None
            gold = at_gold.label if at_gold else _gold_around(document, each)
            rows.append([self._name(each.document), in_context(document, each.start, each.end), gold, words])
        if rows:
            header = ["document", "text", "gold", "what speaks against it"]
            note = f"the strongest {len(rows)} of {len(self.places):,}" if len(rows) < len(self.places) else ""
            asks = [{"document": each.document} for each in shown]
            yield ResultTable("Doubtful gold spans", header, rows, note=note, asks=asks)

    @cached_property
    def marked_places(self) -> Mapping[tuple[str, str], Sequence[tuple[int, int]]]:
        """For each surface and label, the gold spans that have them: the numbers of the document and of the span."""
        found: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for k, document in enumerate(self.documents):
            for g, span in enumerate(document.gold):
                if words := surface(document, span.start, span.end):
                    found[words, span.label].append((k, g))
        return found

    def _elsewhere(self, doubt: Doubt, evidence: Evidence) -> str:
        """Return the other documents that a piece of evidence is from, "" if it is from this one alone."""
        words = surface(self.documents[doubt.document], *doubt.place)
        places = self.marked_places.get((words, evidence.label), ()) if evidence.reason in CONTRADICTIONS else ()
        others = [*dict.fromkeys(k for k, _ in places if k != doubt.document)]
        named = [*map(self._name, others[:OTHERS])]
        rest = f" and {len(others) - OTHERS:,} more" if len(others) > OTHERS else ""
        return f" (in {', '.join(named)}{rest})" if named else ""

    def _name(self, number: int) -> str:
        id = self.documents[number].id
        return str(number + 1 if id is None else id)


def shown_doubts(places: Sequence[Doubt]) -> list[Doubt]:
    """Return the places that are shown: the first ones, among them the first ones of every reason."""
    seats: Counter[Reason] = Counter()
    first: set[int] = set()
    for k, doubt in enumerate(places):
        reasons = {each.reason for each in doubt.evidence}
        if any(seats[reason] < OF_EACH for reason in reasons):
            first.add(k)
            seats.update(reasons)
    others = [k for k in range(len(places)) if k not in first]
    return [places[k] for k in sorted([*first, *others[: max(0, SHOWN - len(first))]])]


def evidence_words(each: Evidence, doubt: Doubt, names: Sequence[str]) -> str:
    """Return a reason to doubt gold, in words."""
    label = each.label or "(empty)"
    if each.reason == "two labels" and doubt.gold:
        return f"gold has {label} {times(each.number)} for these words, {doubt.gold.label} {each.against}"
    if each.reason == "unmarked":
        return f"predicted {label}; gold marks these words so {times(each.number)} elsewhere"
    if each.reason == "agreement":
        return f"{'both' if each.number == 2 else f'all {each.number}'} systems predict {label}"
    who = "predicted" if len(names) == 1 else f"{names[each.system]} predicts"
    return f"{who} {label} with score {each.score:.4g}, above {100 * each.surer:.0f} % of its correct {label}"


def _proposed(doubt: Doubt, document: Document) -> list[str]:
    """Return the stretches that are proposed if there are several, since the text of a row marks only the first."""
    text = document.text or ""
    found = dict.fromkeys(f"“{shortened(text[start:end])}”" for start, end, _ in doubt.proposed)
    return [f"proposed: {', '.join(found)}"] if text and len(found) > 1 else []


def _gold_around(document: Document, doubt: Doubt) -> str:
    """Return the gold spans that overlap a place without being there, "none" if there are none."""
    near = [span for span in document.gold if span.overlaps(Span(doubt.start, doubt.end, ""))]
    text = document.text
    words = [span.label if text is None else f"{span.label} “{shortened(text[slice(*span[:2])])}”" for span in near]
    return ", ".join(words) or "none"
