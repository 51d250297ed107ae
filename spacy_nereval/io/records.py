"""Records: one side of a document as readers yield it, and two of them as a `Document`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import CASELESS, LISTED
from ..core.labels import LabelRules
from ..core.mention_places import NUMBERS, append_annex, locate, words_after
from ..core.messages import PlainSpan, highest_scores
from ..core.spans import Document


class Record(NamedTuple):
    """One side of a document: a text and its gold or its predicted spans.

    Args:
        text: The text.
        spans: (start, end, label), in half-open character offsets of the text.
        tokens: The (start, end) of every token, or None if the format has no tokens.
        id: The name of the document in reports, which also pairs it with the other side.
        annotated: Whether the text is annotated at all.
        gaps: The (start, end) of stretches without annotation.
        repaired: The number of spans whose tags had to be repaired.
        duplicates: The number of spans in the file that repeat another span.
        rejected: The number of spans that an annotator rejected.
        open_end: Whether the text may be longer than the format shows.
        meta: Other fields of the document in the file; None if there are none.
        invented: The (string, label) of mentions that the text does not have.
        surfaces: The listed string of each mention, by its (start, end).
        mentions: How many mentions were found and how (see `core.mention_places`); empty if offsets were given.
        located: How mentions were looked for, such as "listed,caseless".
        others: The number of annotations that are not spans, such as relations, and were left out.
        span_scores: The score of each span that has one, as the source has it, unchecked.
        wordless: Whether the text consists of the numbers of tokens, since the file has no words.
        unit: The key of what the document is resampled with, if it is gold, None for its id or content; and the rule
            by which the key was made (see `units`).
    """

    text: str
    spans: Collection[tuple[int, int, str]]
    tokens: list[tuple[int, int]] | None = None
    id: str | None = None
    annotated: bool = True
    gaps: tuple[tuple[int, int], ...] = ()
    repaired: int = 0
    duplicates: int = 0
    rejected: int = 0
    open_end: bool = False
    meta: Mapping[str, Any] | None = None
    invented: Sequence[tuple[str, str]] = ()
    surfaces: Mapping[tuple[int, int], str] = {}
    mentions: Mapping[str, int] = {}
    located: str = ""
    others: int = 0
    span_scores: Mapping[PlainSpan, Any] = {}
    wordless: bool = False
    unit: tuple[str | None, str] = (None, "id")


def with_mentions(side: Record, mentions: Iterable[Any], match: str = CASELESS, occurrences: str = LISTED) -> Record:
    """Return a side whose spans are mentions without offsets.

    Args:
        side: The side, without spans.
        mentions: As `core.mention_places.locate` takes them.
        match, occurrences: How they are looked for, as there.

    Raises:
        ValueError: A mention is not a string with a label, or an option is unknown.

    >>> with_mentions(Record("Ada met Bob", set()), [("bob", "PER"), ("Eve", "PER")]).spans
    {(8, 11, 'PER')}
    """
    located = locate(side.text, mentions, match, occurrences)
    return side._replace(
        spans={*located.spans},
        invented=located.invented,
        surfaces=located.surfaces,
        mentions=located.numbers if located.numbers["listed"] else {},
        located=f"{occurrences},{match}",
    )


def with_labels(side: Record, rules: LabelRules | None) -> Record:
    """Return a side with its labels, and those of its scores, according to the rules.

    >>> rules = LabelRules(labels=(("FAC", "ORG"),))
    >>> with_labels(Record("Ada", {(0, 3, "FAC")}, span_scores={(0, 3, "FAC"): 0.5}), rules).span_scores
    {(0, 3, 'ORG'): 0.5}
    """
    if not rules:
        return side
    return side._replace(spans={*rules.map_spans(side.spans)}, span_scores=rules.map_scores(side.span_scores))


def row_id(row: Mapping[str, Any]) -> str | None:
    """Return the id of a document in JSON as text, None if it has none."""
    return None if row.get("id") is None else str(row["id"])


def pair(gold: Record, pred: Record) -> Document | None:
    """Make a document of the two sides of one text.

    Predictions that overlap a gap of the gold annotation are left out and counted.

    Args:
        gold: The gold side, whose text is used.
        pred: The predicted side. Its text may differ in whitespace and case.

    Returns:
        The document, or None if the gold side is not annotated; its text is compared all the same.

    Raises:
        ValueError: If the texts differ in more than whitespace and case.

    >>> gold = Record("Ada met Bob", {(0, 3, "PER")}, gaps=((8, 11),))
    >>> document = pair(gold, Record("ada  met Bob", {(0, 3, "PER"), (9, 12, "PER")}))
    >>> set(document.sides[1]), document.ignored
    ({(0, 3, 'PER')}, 1)
    """
    if gold.open_end and pred.open_end:
        longer = max(gold, pred, key=lambda side: len(side.text))
        gold, pred = (side._replace(text=longer.text, tokens=longer.tokens) for side in (gold, pred))
    spans = pred.spans if gold.text == pred.text else set(project(pred.spans, pred.text, gold.text))
    if not gold.annotated:
        return None
    kept = {*spans}
    if gold.gaps:
        kept = {span for span in spans if not any(max(span[0], a) < min(span[1], b) for a, b in gold.gaps)}
    document = _with_annex(gold, pred, kept)
    if pred.span_scores:
        scores = projected_scores(pred, gold.text)
        document.span_scores = {span: score for span, score in scores.items() if span in kept}
    document.ignored = len(spans) - len(kept)
    document.repaired = gold.repaired + pred.repaired
    document.duplicates = gold.duplicates + pred.duplicates
    document.rejected = gold.rejected + pred.rejected
    document.unit, document.unit_rule = gold.unit
    return document


def _with_annex(gold: Record, pred: Record, kept: set[PlainSpan]) -> Document:
    """Return a document whose text is followed by the mentions that it does not have, a line for each.

    The same string has one line, on both sides and with all labels.
    """
    text, lines = append_annex(gold.text, (string for string, _ in (*gold.invented, *pred.invented)))
    tokens = gold.tokens
    if lines and tokens is not None:
        tokens = [*tokens, *words_after(text, len(gold.text))]
    added = [{(*lines[string], label) for string, label in side.invented} for side in (gold, pred)]
    document = Document({*gold.spans} | added[0], kept | added[1], text, tokens=tokens, id=gold.id)
    if lines:
        document.annex = len(gold.text)
    if gold.mentions or pred.mentions:
        listed = {name: gold.mentions.get(name, 0) + pred.mentions.get(name, 0) for name in NUMBERS}
        document.mentions, document.located = listed, pred.located or gold.located
        document.surfaces = gold.surfaces, _projected(pred, gold.text)
    return document


def _projected(pred: Record, text: str) -> Mapping[tuple[int, int], str]:
    """Return the listed strings of predicted mentions, by their (start, end) in another text."""
    if pred.text == text:
        return pred.surfaces
    places = project([(start, end, "") for start, end in pred.surfaces], pred.text, text)
    return {(start, end): string for (start, end, _), string in zip(places, pred.surfaces.values())}


def projected_scores(pred: Record, text: str) -> Mapping[PlainSpan, Any]:
    """Return the scores of predicted spans, by the places of the spans in another text."""
    if pred.text == text:
        return pred.span_scores
    return highest_scores(zip(project(pred.span_scores, pred.text, text), pred.span_scores.values()))


class Predictions:
    """Decides which predictions can be scored: those that are annotated, if any are.

    A missing annotation is not the same as a prediction without spans. Predictions without
    annotation are skipped, like gold documents without annotation, unless all lack it.

    Args:
        source: The source of the predictions, for errors.
        reason: Why all of them may have no annotation, and what to do.

    >>> found = Predictions("pred.spacy", "save it with entities")
    >>> found.skipped(Record("Ada", set()), Record("Ada", set(), annotated=False))
    True
    >>> found.check_end()
    Traceback (most recent call last):
    ValueError: pred.spacy: none of the predictions of 1 document has entity annotation: save it with entities
    """

    def __init__(self, source: object, reason: str) -> None:
        self._source = source
        self._reason = reason
        self._annotated = self._skipped = 0

    def skipped(self, gold: Record, pred: Record) -> bool:
        """Return whether a document is skipped, since gold is annotated and the prediction is not.

        Nothing can be annotated in a text of white space, so its predictions are always complete.
        """
        if not pred.text.strip():
            return False
        skipped = gold.annotated and not pred.annotated
        self._annotated += pred.annotated
        self._skipped += skipped
        return skipped

    def check_end(self) -> None:
        """Raise ValueError if documents were skipped and no prediction was annotated."""
        if self._skipped and not self._annotated:
            documents = f"{self._skipped} document{'s' * (self._skipped != 1)}"
            raise ValueError(
                f"{self._source}: none of the predictions of {documents} has entity annotation: {self._reason}"
            )


def project(spans: Iterable[tuple[int, int, str]], source: str, target: str) -> Iterator[tuple[int, int, str]]:
    """Carry spans of one text over to another that differs in whitespace and case only.

    A span goes to the stretch from its first to its last character that is not
    whitespace. A span of whitespace alone becomes one of length zero.

    Args:
        spans: (start, end, label) in the source.
        source: The text of the spans.
        target: The text that they are carried over to.

    Yields:
        (start, end, label) in the target, in the order of the spans.

    Raises:
        ValueError: If the texts differ otherwise; names the first difference.

    >>> list(project([(0, 3, "A"), (4, 7, "B")], "new york", "  New\\tYork"))
    [(2, 5, 'A'), (6, 9, 'B')]
    >>> list(project([], "abc", "abd"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: the predicted text differs ...: 'c' at 2 against 'd' at 2
    """
    # One character may become two in lower case, so each keeps its original offset.
    here, there = (
        [(c, i) for i, character in enumerate(text) for c in character.lower() if not character.isspace()]
        for text in (source, target)
    )
    for (a, i), (b, j) in zip(here, there):
        if a != b:
            raise ValueError(f"{_DIFFER}: {source[i]!r} at {i} against {target[j]!r} at {j}")
    if len(here) != len(there):
        raise ValueError(f"{_DIFFER}: {len(here)} characters against {len(there)}, whitespace not counted")
    rank = np.searchsorted([i for _, i in here], np.arange(len(source) + 1)).tolist()  # characters before each offset
    there.append(("", len(target)))
    for start, end, label in spans:
        first, last = rank[start], rank[end]
        yield there[first][1], there[last - 1][1] + 1 if last > first else there[first][1], label


_DIFFER = "the predicted text differs from the reference in more than white space and case"
