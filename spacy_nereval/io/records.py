"""Records: one side of a document, as readers yield it. `pair` combines two records into a `Document`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.answers import MarkedAnswer, read_answer
from ..core.arguments import CASELESS, LISTED, NORMALISED, SAME
from ..core.attribute_values import Attributes, SpanAttributes, attributes_by_span, keep_attributes, move_attributes
from ..core.document_fields import document_id
from ..core.labels import LabelRules
from ..core.mention_places import (
    ANSWERED,
    NUMBERS,
    Characters,
    append_annex,
    comparable_characters,
    locate,
    plain_text,
    words_after,
)
from ..core.messages import PlainSpan, highest_scores, many, quote, spell_argument
from ..core.pieces import meets_any, move_span
from ..core.spans import Document
from .missing_tokens import describe_missing, divide_span, place_tokens


class Answer(NamedTuple):
    """The answer of a language model, and how it is read: the label of names without one, and the ways of `locate`."""

    written: str
    label: str | None
    match: str
    occurrences: str


class Record(NamedTuple):
    """One side of a document: a text and its gold or its predicted spans.

    Args:
        text: The text.
        spans: (start, end, label), in half-open character offsets of the text.
        tokens: The (start, end) of every token, or None if the format has no tokens.
        id: The name of the document in reports, which also pairs it with the other side.
        annotated: Whether the text is annotated at all.
        gaps: The (start, end) of stretches without annotation.
        repaired: The number of spans with repaired tags.
        duplicates: The number of spans in the file that repeat another span.
        rejected: The number of spans that an annotator rejected.
        trimmed, joined: The number of spans that were trimmed, and of those that became part of another one.
        open_end: Whether the text may be longer than the format shows.
        meta: Other fields of the document in the file; None if there are none.
        invented: The (string, label) of mentions that the text does not have.
        surfaces: The listed string of each mention, by its (start, end).
        mentions: Numbers of mentions by outcome (see `core.mention_places.NUMBERS`); empty if offsets were given.
        located: The options that located the mentions, such as "listed,caseless".
        others: The number of skipped annotations that are not spans, such as relations.
        span_scores: The score of each span that has one, unchecked.
        attributes: The attributes of the spans that have some (see `core.attribute_values`).
        wordless: Whether the file has no words, so that the text consists of token numbers.
        notes: Notes on how the side was read.
        unit: Gold side only: the key of the unit of resampling, and the rule that assigned it (see `units`). The key
            is None if it is the id or the content of the document.
        answer: An answer about a text that is not known yet (see `with_text`).
        scheme: The tagging scheme from which the spans were read; "" for none.
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
    trimmed: int = 0
    joined: int = 0
    open_end: bool = False
    meta: Mapping[str, Any] | None = None
    invented: Sequence[tuple[str, str]] = ()
    surfaces: Mapping[tuple[int, int], str] = {}
    mentions: Mapping[str, int] = {}
    located: str = ""
    others: int = 0
    span_scores: Mapping[PlainSpan, Any] = {}
    attributes: SpanAttributes = {}
    wordless: bool = False
    notes: Sequence[str] = ()
    unit: tuple[str | None, str] = (None, "id")
    answer: Answer | None = None
    scheme: str = ""

    @classmethod
    def deduplicate(
        cls,
        text: str,
        spans: Collection[PlainSpan],
        tokens: list[tuple[int, int]] | None = None,
        *,
        listed_attributes: Sequence[Attributes] = (),
        **fields: Any,
    ) -> Record:
        """Return a record of spans some of which may repeat others; these are counted as duplicates.

        Args:
            text, spans, tokens, fields: Of the record.
            listed_attributes: The attributes of each span in the order of `spans`; empty if none has any.
        """
        distinct = {*spans}
        if any(listed_attributes):
            fields["attributes"] = attributes_by_span(zip(spans, listed_attributes))
        return cls(text, distinct, tokens, duplicates=len(spans) - len(distinct), **fields)


def _answer(record: Record, name: str) -> Any:
    """Return the spans under another name for them. Raise AttributeError for other names."""
    if name in ("entities", "ents", "annotations"):
        return record.spans
    raise AttributeError(f"a record has no {name!r}: write .spans, triples of start, end and label, or .text")


if not TYPE_CHECKING:  # else no attribute would be wrong
    Record.__getattr__ = _answer


def locate_mentions(side: Record, mentions: Iterable[Any], match: str = CASELESS, occurrences: str = LISTED) -> Record:
    """Return a side with the spans of mentions without offsets, which are located in its text.

    Args:
        side: The side, without spans.
        mentions, match, occurrences: As for `core.mention_places.locate`.

    Raises:
        ValueError: A mention is not a string with a label, or an option is unknown.

    >>> locate_mentions(Record("Ada met Bob", set()), [("bob", "PER"), ("Eve", "PER")]).spans
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


def read_answer_about(side: Record, answer: Answer) -> Record:
    """Return a side with the spans of an answer about its text. One that cannot be read has none, and is counted.

    >>> side = read_answer_about(Record("Bob met Bob", set()), Answer("Bob met <PER>Bob</PER>", None, CASELESS, LISTED))
    >>> side.spans, side.mentions["answers"], side.mentions["unreadable"]
    ({(8, 11, 'PER')}, 1, 0)
    """
    parsed = read_answer(answer.written, answer.label)
    is_echo = isinstance(parsed, MarkedAnswer) and (
        plain_text(parsed.text, NORMALISED) == plain_text(side.text, NORMALISED)
    )
    readable = parsed is not None and (is_echo or not isinstance(parsed, MarkedAnswer) or bool(parsed.spans))
    mentions = (parsed.mentions if isinstance(parsed, MarkedAnswer) else parsed or []) if readable else []
    located = locate_mentions(side, mentions, answer.match, answer.occurrences)
    if isinstance(parsed, MarkedAnswer) and is_echo:
        spans = {*project_spans(parsed.spans, parsed.text, side.text, NORMALISED)}
        numbers = dict.fromkeys(NUMBERS, 0) | {"listed": len(spans), "exact": len(spans)}
        located = located._replace(spans=spans, invented=(), surfaces={}, mentions=numbers)
    return located._replace(mentions={**located.mentions, "answers": 1, "unreadable": int(not readable)}, answer=None)


def with_text(side: Record, text: str) -> Record:
    """Return a side with the text of the other side if it is an answer without a text of its own."""
    return read_answer_about(side._replace(text=text), side.answer) if side.answer else side


def check_has_text(side: Record, where: object) -> Record:
    """Return a side. Raise ValueError, which names its place, if it is an answer about a text that is not known."""
    if side.answer:
        raise ValueError(
            f'{where}: the answer {quote(side.answer.written)} has no text: add it as "text", or score the answers as '
            "predictions against gold annotation with texts"
        )
    return side


def apply_label_rules(side: Record, rules: LabelRules | None) -> Record:
    """Return a side after the rules have changed the labels of its spans and of their scores.

    >>> rules = LabelRules(labels=(("FAC", "ORG"),))
    >>> apply_label_rules(Record("Ada", {(0, 3, "FAC")}, span_scores={(0, 3, "FAC"): 0.5}), rules).span_scores
    {(0, 3, 'ORG'): 0.5}
    """
    if not rules:
        return side
    changed = rules.apply(side.spans, side.text, side.span_scores, side.attributes)
    return side._replace(
        spans={*changed.spans},
        span_scores=changed.scores,
        attributes=changed.attributes,
        trimmed=changed.trimmed,
        joined=changed.joined,
        duplicates=side.duplicates + changed.equal + changed.repeats,
    )


def row_id(row: Mapping[str, Any]) -> str | None:
    """Return the id of a JSON object as text; None if it has none."""
    return document_id(row.get("id"))


def carry_side(side: Record, text: str, match_text: str = NORMALISED) -> Record:
    """Return a side with its spans at their places in another text. Raise ValueError if the texts differ otherwise."""
    if side.text == text:
        return side
    sources = [*{*side.spans, *side.span_scores}]
    carried = dict(zip(sources, project_spans(sources, side.text, text, match_text)))
    gaps, surfaces = (
        [place[:2] for place in project_spans([(*place, "") for place in places], side.text, text, match_text)]
        for places in (side.gaps, side.surfaces)
    )
    return side._replace(
        text=text,
        spans={carried[span] for span in side.spans},
        tokens=None,
        gaps=tuple(gaps),
        surfaces=dict(zip(surfaces, side.surfaces.values())),
        span_scores=highest_scores((carried[span], score) for span, score in side.span_scores.items()),
        attributes=move_attributes(side.attributes, ((span, carried[span]) for span in side.spans)),
    )


def pair(gold: Record, pred: Record, missing_tokens: str | None = None, match_text: str = SAME) -> Document | None:
    """Combine the gold and the predicted side of a text into a document.

    Predictions that overlap a gap of the gold annotation are skipped and counted.

    Args:
        gold: The gold side; its text is used.
        pred: The predicted side.
        missing_tokens: "O" if it may lack tokens, which are read as outside of spans.
        match_text: How its text may differ, one of `arguments.TEXT_MATCHES`.

    Returns:
        The document, or None if the gold side is not annotated. The texts are compared in either case.

    Raises:
        ValueError: If the texts differ otherwise.

    >>> gold = Record("Ada met Bob", {(0, 3, "PER")}, gaps=((8, 11),))
    >>> document = pair(gold, Record("ada  met Bob", {(0, 3, "PER"), (9, 12, "PER")}))
    >>> set(document.sides[1]), document.ignored
    ({(0, 3, 'PER')}, 1)
    """
    if gold.open_end and pred.open_end:
        longer = max(gold, pred, key=lambda side: len(side.text))
        gold, pred = (side._replace(text=longer.text, tokens=longer.tokens) for side in (gold, pred))
    pred, filled = _match_text_of_gold(gold, pred, missing_tokens, match_text)
    spans = pred.spans
    if not gold.annotated:
        return None
    pred_spans = {span for span in spans if not meets_any(span, gold.gaps)} if gold.gaps else {*spans}
    document = _document_with_annex(gold, pred, pred_spans)
    if pred.span_scores:
        document.span_scores = {span: score for span, score in pred.span_scores.items() if span in pred_spans}
    if gold.attributes or pred.attributes:
        document.attributes = gold.attributes, keep_attributes(pred.attributes, pred_spans)
    document.ignored = len(spans) - len(pred_spans)
    document.filled = filled
    document.repaired = gold.repaired + pred.repaired
    document.duplicates = gold.duplicates + pred.duplicates
    document.rejected = gold.rejected + pred.rejected
    document.unit, document.unit_rule = gold.unit
    if gold.meta:
        document.meta = gold.meta
    if gold.notes or pred.notes:
        document.notes = side_notes(gold.notes, pred.notes)
    return document


def _match_text_of_gold(gold: Record, pred: Record, missing_tokens: str | None, match_text: str) -> tuple[Record, int]:
    """Return a predicted side at its places in the text of gold, and how many tokens of it the side lacked.

    Raises:
        ValueError: The texts differ otherwise; says which options would align them.
    """
    try:
        return carry_side(pred, gold.text, match_text), 0
    except ValueError as error:
        problem = error
    if missing_tokens:
        try:
            return fill_tokens(gold, pred, match_text)
        except ValueError as error:
            problem = error
    sides = (gold.text, gold.tokens), (pred.text, pred.tokens)
    raise ValueError(f"{problem}{describe_missing(*sides, match_text, missing_tokens)}") from None


def fill_tokens(gold: Record, pred: Record, match_text: str = SAME) -> tuple[Record, int]:
    """Return a predicted side with the text and tokens of gold, and how many of these tokens it lacked.

    Raises:
        ValueError: Gold does not have a word of it there, or a span covers no word.

    >>> gold = Record("Ada met Bob", set(), [(0, 3), (4, 7), (8, 11)])
    >>> pred, number = fill_tokens(gold, Record("Ada Bob", {(0, 7, "PER")}, [(0, 3), (4, 7)]))
    >>> sorted(pred.spans), number
    ([(0, 3, 'PER'), (8, 11, 'PER')], 1)
    """
    placed, number = place_tokens((gold.text, gold.tokens), (pred.text, pred.tokens), match_text)
    pieces = {span: divide_span(span, placed) for span in {*pred.spans, *pred.span_scores}}
    scores = highest_scores((piece, score) for span, score in pred.span_scores.items() for piece in pieces[span])
    spans = {piece for span in pred.spans for piece in pieces[span]}
    filled = pred._replace(text=gold.text, tokens=gold.tokens, spans=spans, span_scores=scores, gaps=())
    moved = move_attributes(pred.attributes, ((span, piece) for span in pred.spans for piece in pieces[span]))
    return filled._replace(attributes=moved), number


def side_notes(gold: Sequence[str], pred: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Return the notes on both sides with their sides."""
    return frozenset((side, note) for side, notes in (("gold", gold), ("pred", pred)) for note in notes)


def _document_with_annex(gold: Record, pred: Record, pred_spans: set[PlainSpan]) -> Document:
    """Return a document with the invented mentions after its text, one string per line.

    A string that several mentions share, on either side and with any label, has one line.
    """
    text, tokens = gold.text, gold.tokens
    gold_spans: Collection[PlainSpan] = gold.spans
    if invented := [*gold.invented, *pred.invented]:
        text, lines = append_annex(text, (string for string, _ in invented))
        if tokens is not None:
            tokens = [*tokens, *words_after(text, len(gold.text))]
        annex = [{(*lines[string], label) for string, label in side.invented} for side in (gold, pred)]
        gold_spans, pred_spans = {*gold_spans} | annex[0], pred_spans | annex[1]
    document = Document(gold_spans, pred_spans, text, tokens=tokens, id=gold.id)
    if invented:
        document.annex = len(gold.text)
    if gold.mentions or pred.mentions:
        names = (*NUMBERS, *(ANSWERED if "answers" in {**gold.mentions, **pred.mentions} else ()))
        numbers = {name: gold.mentions.get(name, 0) + pred.mentions.get(name, 0) for name in names}
        document.mentions, document.located = numbers, pred.located or gold.located
        document.surfaces = gold.surfaces, pred.surfaces
    return document


class Predictions:
    """Skips predictions without annotation, and raises an error if all predictions lack it.

    A prediction without annotation is not a prediction of no spans, so it is skipped.

    Args:
        source: The source of the predictions, for errors.
        reason: Why all predictions may lack annotation, and the remedy.

    >>> predictions = Predictions("pred.spacy", "save it with entities")
    >>> predictions.is_skipped(Record("Ada", set()), Record("Ada", set(), annotated=False))
    True
    >>> predictions.check_end()
    Traceback (most recent call last):
    ValueError: pred.spacy: none of the predictions of 1 document has entity annotation: save it with entities
    """

    def __init__(self, source: object, reason: str) -> None:
        self._source = source
        self._reason = reason
        self._annotated = self._skipped = 0

    def is_skipped(self, gold: Record, pred: Record) -> bool:
        """Return whether a document is skipped because only its gold side is annotated, and count it.

        A text of white space is never skipped, since there is nothing to annotate in it.
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


def project_spans(
    spans: Iterable[tuple[int, int, str]], source: str, target: str, match_text: str = SAME
) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of one text at their offsets in another, which differs only as `match_text` allows.

    A projected span reaches from the first to the last character of the span that is not
    whitespace. A span of whitespace alone becomes one of length zero.

    Args:
        spans: (start, end, label) in the source.
        source: The text of the spans.
        target: The other text.
        match_text: How the texts may differ, one of `arguments.TEXT_MATCHES`.

    Yields:
        (start, end, label) in the target, in the order of the spans.

    Raises:
        ValueError: If the texts differ otherwise; names the first difference.

    >>> list(project_spans([(0, 3, "A"), (4, 7, "B")], "new york", "  New\\tYork"))
    [(2, 5, 'A'), (6, 9, 'B')]
    >>> list(project_spans([(6, 7, "A")], "-LRB- A -RRB-", "(A)", "normalised"))
    [(1, 2, 'A')]
    >>> list(project_spans([], "abc", "abd"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: the predicted text differs ...: 'c' at 2 against 'd' at 2
    """
    source_characters, target_characters = (comparable_characters(text, match_text) for text in (source, target))
    if (difference := _difference(source, source_characters, target, target_characters)) and match_text == SAME:
        normalised = (comparable_characters(text, NORMALISED) for text in (source, target))
        if [c for c, _, _ in next(normalised)] == [c for c, _, _ in next(normalised)]:
            difference += f"; {spell_argument('match_text', NORMALISED)} aligns these texts"
    if difference:
        raise ValueError(f"{_DIFFER}: {difference}")
    # rank[k]: how many of the characters begin before offset k of the source
    rank = np.searchsorted([start for _, start, _ in source_characters], np.arange(len(source) + 1)).tolist()
    starts = [*(start for _, start, _ in target_characters), len(target)]

    def place(start: int, end: int) -> tuple[int, int]:
        first, last = rank[start], rank[end]
        return starts[first], target_characters[last - 1][2] if last > first else starts[first]

    for span in spans:
        yield move_span(span, place)


def _difference(source: str, one: Characters, target: str, other: Characters) -> str:
    """Return the first difference of two texts in words; "" if there is none."""
    for (a, i, _), (b, j, _) in zip(one, other):
        if a != b:
            return f"{source[i]!r} at {i} against {target[j]!r} at {j}"
    n, m = len(one), len(other)
    return f"{many(n, 'character')} against {m}, whitespace not counted" if n != m else ""


_DIFFER = "the predicted text differs from the reference in more than white space and case"
