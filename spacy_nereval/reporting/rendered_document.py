"""One document with its gold spans, its predictions and a metric's verdicts on them, as text and as HTML."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..core.declaration import Metric, Verdict
from ..core.messages import many
from ..core.pieces import pieces_of
from ..core.spans import Document
from ..evaluation.error_list import is_error
from ..io.writing import escape_controls, visible
from .marked_text import insert_marks
from .result_table import Kinded
from .verdict_tables import describe_error

LEGEND = "[gold], {predicted}, ⟨label, or error⟩"


class Stretch(NamedTuple):
    """A stretch of a document's text.

    Attributes:
        text: The text.
        gold, pred: Whether it is in a gold span and in a prediction.
        notes: The notes on the spans that end with it.
        kind: The kind of the last verdict on it, a key of `VERDICT_KINDS`; "" for none.
    """

    text: str
    gold: bool
    pred: bool
    notes: Sequence[Kinded]
    kind: str = ""


class SpanNote(NamedTuple):
    """The pieces of the spans of a verdict as (start, end, side), and the words on them."""

    spans: list[tuple[int, int, int]]
    words: Kinded

    @property
    def start(self) -> int:
        """The start of the first span."""
        return min(start for start, _, _ in self.spans)

    @property
    def end(self) -> int:
        """The end of the last span."""
        return max(end for _, end, _ in self.spans)


def span_notes(document: Document, verdicts: Iterable[Verdict], metric: Metric) -> list[SpanNote]:
    """Return a note on the spans of each verdict: the label of a hit, or the error.

    >>> from spacy_nereval import create
    >>> document, fair = Document([(0, 3, "PER")], [(0, 3, "LOC"), (4, 7, "PER")], "Ada met Bob"), create("fair")
    >>> [note.words for note in span_notes(document, fair.verdicts(document), fair)]
    ['label error: PER as LOC', 'spurious: PER']
    """
    notes = []
    for verdict in verdicts:
        name, gold, pred, _ = verdict
        marked = [(*piece, side) for side, span in enumerate((gold, pred)) if span for piece in pieces_of(span)]
        if not marked:
            continue
        labels = gold.label if gold else "", pred.label if pred else ""
        if is_error(metric, verdict):
            words = describe_error(metric, name, *labels)
            kind = metric.words[name].kind if name in metric.words else "none"
        else:
            words, kind = next(filter(None, labels), ""), "hit"
        absent = any(span is not None and document.is_invented(span) for span in (gold, pred))
        notes.append(SpanNote(marked, Kinded.create(words + " (not in the text)" * absent, kind)))
    return sorted(notes, key=lambda note: (note.start, note.end, note.words))


def stretches(text: str, notes: Sequence[SpanNote], low: int = 0, high: int | None = None) -> Iterator[Stretch]:
    """Yield the stretches of a text between the offsets at which spans of notes begin or end.

    Args:
        text: The text of the document.
        notes: The notes on its spans.
        low, high: Where to begin and to end; by default, at the ends of the text.

    >>> note = SpanNote([(0, 3, 0), (0, 7, 1)], Kinded.create("", "boundary"))
    >>> [part.text for part in stretches("Ada met Bob", [note])]
    ['Ada', ' met', ' Bob']
    """
    last = len(text) if high is None else high
    spans = [(*span, note.words.kind) for note in notes for span in note.spans]
    ending: dict[int, list[Kinded]] = defaultdict(list)
    for note in notes:
        ending[note.end].append(note.words)
    edges = {low, last, *(edge for span in spans for edge in span[:2] if low < edge < last)}
    if ending[low]:  # of empty spans
        yield Stretch("", False, False, ending[low])
    for start, end in pairwise(sorted(edges)):
        inside = [(side, kind) for a, b, side, kind in spans if a <= start and end <= b]
        sides = {side for side, _ in inside}
        yield Stretch(text[start:end], 0 in sides, 1 in sides, ending[end], inside[-1][1] if inside else "")


class RenderedDocument:
    """A document that displays itself: in a terminal with marks, in a notebook with lines and colours.

    Args:
        name: The document's id, or its number.
        document: The document.
        verdicts: The verdicts of a metric on it.
        metric: The metric.

    >>> from spacy_nereval import create
    >>> document, fair = Document([(0, 3, "PER")], [(0, 3, "LOC"), (4, 7, "PER")], "Ada met Bob"), create("fair")
    >>> print(str(RenderedDocument("a1", document, fair.verdicts(document), fair)).splitlines()[1])
    [{Ada}]⟨label error: PER as LOC⟩ {met}⟨spurious: PER⟩ Bob
    """

    def __init__(self, name: str | int, document: Document, verdicts: Iterable[Verdict], metric: Metric) -> None:
        self._text = document.text
        self._notes = span_notes(document, verdicts, metric)
        wrong = sum(note.words.kind != "hit" for note in self._notes)
        spans = f"{many(len(document.gold), 'gold span')}, {many(len(document.pred), 'predicted span')}"
        self._heading = visible(f"document {name}: {spans}; {many(wrong, 'error')} ({metric.name})")

    def __repr__(self) -> str:
        if self._text is None:
            return "\n".join(
                [self._heading, *(f"{_offset_text(note)} ⟨{visible(note.words)}⟩" for note in self._notes)]
            )
        spans = [span for note in self._notes for span in note.spans]
        marks = [(note.end, note.start == note.end, f"⟨{visible(note.words)}⟩") for note in self._notes]
        return "\n".join([self._heading, escape_controls(insert_marks(self._text, spans, marks)), LEGEND])

    def html(self) -> str:
        """Return the document in HTML, without a style."""
        text = self._text or ""
        parts = [_stretch_html(part) for part in stretches(text, self._notes)]
        if self._text is None:
            parts = [f"{_offset_text(note)} {_note_html(note.words)}<br>" for note in self._notes]
        key = '<span class="gold">gold</span>, <span class="pred">predicted</span>'
        return "\n".join(
            [
                f"<p>{html.escape(self._heading)}</p>",
                f'<p class="text" dir="auto">{"".join(parts)}</p>',
                f'<p class="key">{key}</p>',
            ]
        )


def _offset_text(note: SpanNote) -> str:
    """Return the offsets of a note's spans with marks, for documents without a text."""
    return " ".join(f"{'[{'[side]}{start}–{end}{']}'[side]}" for start, end, side in note.spans)


def _stretch_html(part: Stretch) -> str:
    names = [name for name, is_in in (("gold", part.gold), ("pred", part.pred)) if is_in]
    shown = html.escape(escape_controls(part.text))
    marked = f'<span class="{" ".join([*names, part.kind])}">{shown}</span>' if names else shown
    return marked + "".join(map(_note_html, part.notes))


def _note_html(words: Kinded) -> str:
    return f'<span class="flag {words.kind}">{html.escape(visible(words))}</span>'
