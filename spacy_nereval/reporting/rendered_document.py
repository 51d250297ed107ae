"""One document with its gold spans, its predictions and what a metric says of each: as text, and as HTML."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..core.declaration import Metric, Verdict
from ..core.spans import Document
from ..evaluation.error_list import is_error
from ..io.writing import escape_controls, visible
from .marked_text import with_marks
from .remarks import many
from .result_table import Kinded
from .verdict_tables import error_in_words

LEGEND = "[gold], {predicted}, ⟨label, or what is wrong⟩"


class Stretch(NamedTuple):
    """A stretch of a document's text.

    Attributes:
        text: The text.
        gold, pred: Whether it is in a gold span and in a prediction.
        said: What is said of the spans that end with it.
        kind: The kind of the last verdict on it, a key of `VERDICT_KINDS`; "" for none.
    """

    text: str
    gold: bool
    pred: bool
    said: Sequence[Kinded]
    kind: str = ""


class Said(NamedTuple):
    """What is said of the spans of a verdict: where they are, and the words."""

    spans: list[tuple[int, int, int]]
    words: Kinded

    @property
    def start(self) -> int:
        """Where the first of the spans starts."""
        return min(start for start, _, _ in self.spans)

    @property
    def end(self) -> int:
        """Where the last of the spans ends."""
        return max(end for _, end, _ in self.spans)


def said_of(document: Document, verdicts: Iterable[Verdict], metric: Metric) -> list[Said]:
    """Return what is said of the spans of verdicts: the label of a right one, and what is wrong with another.

    >>> from spacy_nereval import create
    >>> document, fair = Document([(0, 3, "PER")], [(0, 3, "LOC"), (4, 7, "PER")], "Ada met Bob"), create("fair")
    >>> [each.words for each in said_of(document, fair.verdicts(document), fair)]
    ['label error: PER as LOC', 'spurious: PER']
    """
    found = []
    for verdict in verdicts:
        name, gold, pred, _ = verdict
        marked = [(*span[:2], side) for side, span in enumerate((gold, pred)) if span]
        if not marked:
            continue
        labels = gold.label if gold else "", pred.label if pred else ""
        if is_error(metric, verdict):
            words = error_in_words(metric, name, *labels)
            kind = metric.words[name].kind if name in metric.words else "none"
        else:
            words, kind = next(filter(None, labels), ""), "hit"
        absent = any(span is not None and document.is_invented(span) for span in (gold, pred))
        found.append(Said(marked, Kinded.of(words + " (not in the text)" * absent, kind)))
    return sorted(found, key=lambda each: (each.start, each.end, each.words))


def stretches(text: str, said: Sequence[Said], low: int = 0, high: int | None = None) -> Iterator[Stretch]:
    """Cut a text where the spans of verdicts begin and end.

    Args:
        text: The text of the document.
        said: What is said of its spans.
        low, high: Where to begin and to end.

    >>> [part.text for part in stretches("Ada met Bob", [Said([(0, 3, 0), (0, 7, 1)], Kinded.of("", "boundary"))])]
    ['Ada', ' met', ' Bob']
    """
    last = len(text) if high is None else high
    spans = [(*span, each.words.kind) for each in said for span in each.spans]
    ending: dict[int, list[Kinded]] = defaultdict(list)
    for each in said:
        ending[each.end].append(each.words)
    edges = {low, last, *(edge for span in spans for edge in span[:2] if low < edge < last)}
    if ending[low]:  # of empty spans
        yield Stretch("", False, False, ending[low])
    for start, end in pairwise(sorted(edges)):
        inside = [(side, kind) for a, b, side, kind in spans if a <= start and end <= b]
        sides = {side for side, _ in inside}
        yield Stretch(text[start:end], 0 in sides, 1 in sides, ending[end], inside[-1][1] if inside else "")


class RenderedDocument:
    """A document that shows itself: in a terminal with marks, in a notebook with lines and colours.

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
        self._said = said_of(document, verdicts, metric)
        wrong = sum(each.words.kind != "hit" for each in self._said)
        spans = f"{many(len(document.gold), 'gold span')}, {many(len(document.pred), 'predicted span')}"
        self._heading = visible(f"document {name}: {spans}; {many(wrong, 'error')} ({metric.name})")

    def __repr__(self) -> str:
        if self._text is None:
            return "\n".join([self._heading, *(f"{_places(each)} ⟨{visible(each.words)}⟩" for each in self._said)])
        spans = [span for each in self._said for span in each.spans]
        notes = [(each.end, each.start == each.end, f"⟨{visible(each.words)}⟩") for each in self._said]
        return "\n".join([self._heading, escape_controls(with_marks(self._text, spans, notes)), LEGEND])

    def html(self) -> str:
        """Return the document in HTML, without a style."""
        text = self._text or ""
        parts = [_in_html(part) for part in stretches(text, self._said)]
        if self._text is None:
            parts = [f"{_places(each)} {_flag(each.words)}<br>" for each in self._said]
        key = '<span class="gold">gold</span>, <span class="pred">predicted</span>'
        return "\n".join(
            [
                f"<p>{html.escape(self._heading)}</p>",
                f'<p class="text" dir="auto">{"".join(parts)}</p>',
                f'<p class="key">{key}</p>',
            ]
        )


def _places(each: Said) -> str:
    """Return where spans are whose text is not known, with the marks of text."""
    return " ".join(f"{'[{'[side]}{start}–{end}{']}'[side]}" for start, end, side in each.spans)


def _in_html(part: Stretch) -> str:
    names = [name for name, is_in in (("gold", part.gold), ("pred", part.pred)) if is_in]
    shown = html.escape(escape_controls(part.text))
    marked = f'<span class="{" ".join([*names, part.kind])}">{shown}</span>' if names else shown
    return marked + "".join(map(_flag, part.said))


def _flag(words: Kinded) -> str:
    return f'<span class="flag {words.kind}">{html.escape(visible(words))}</span>'
