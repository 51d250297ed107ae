"""Which spans are wrong: every verdict as a row, and one example of each kind of error.

Rows are made of the verdicts that are counted, so that a list and a table of
counts cannot disagree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.declaration import Metric, Verdict
from ..core.spans import Document, Span
from ..reporting.formats import Marked

PARTS = ("start", "end", "label", "text")
FIELDS = (
    *("document", "metric", "verdict", "amount"),
    *(f"{side}_{part}" for side in ("gold", "pred") for part in PARTS),
    *("left", "right"),
)
"""What a row has."""

CONTEXT = 40
"""Characters of the text on either side of a row's spans."""

MARKS = ("[", "]"), ("{", "}")
"""What stands around the gold and the predicted span of an example."""

BEFORE, AFTER, WITHIN = 12, 24, 40
"""Characters of an example before, behind, and between the marks."""


class Listed(NamedTuple):
    """A verdict of a metric on a document, which goes by its id or else by its number."""

    metric: str
    name: str | int
    document: Document
    verdict: Verdict

    def row(self, context: int = CONTEXT) -> dict[str, Any]:
        """All there is to say of it, under the names of `FIELDS`; None where there is no span or no text.

        `context` is the number of characters to the left and to the right.
        """
        text, verdict = self.document.text, self.verdict
        row: dict[str, Any] = {
            "document": self.name,
            "metric": self.metric,
            "verdict": verdict.name,
            "amount": verdict.amount,
        }
        for side, span in (("gold", verdict.gold), ("pred", verdict.pred)):
            parts = (*span, None if text is None else text[span.start : span.end]) if span else (None,) * 4
            row |= zip((f"{side}_{part}" for part in PARTS), parts)
        row["left"] = row["right"] = None
        spans = [span for span in (verdict.gold, verdict.pred) if span]
        if spans and text is not None:
            start, end = min(span.start for span in spans), max(span.end for span in spans)
            row |= {"left": text[max(0, start - context) : start], "right": text[end : end + context]}
        return row


def error_list(
    documents: Iterable[Document | None],
    metric: Metric,
    *,
    errors: Sequence[str] | None = None,
    labels: Sequence[str] = (),
) -> Iterator[Listed]:
    """Every verdict of a metric, document by document, in the order of the text.

    `errors` names the verdicts wanted, and "all" stands for every one; by default
    they are all on spans, but for those on what was found as it is. With `labels` the
    gold or the predicted span has one of these. A document without an id goes by
    its number among the annotated ones, from 0. Of a metric whose verdicts
    depend on the whole corpus all documents are held until its end.

    Raises ValueError for a verdict that the metric does not know, and, at the
    end, for a label that no span has; both say which there are.

    >>> from spacy_nereval import create
    >>> doc = Document(gold=[(0, 3, "PER"), (7, 11, "LOC")], pred=[(7, 11, "ORG")], text="Ada in Rome")
    >>> for row in (listed.row(context=3) for listed in error_list([doc], create("fair"))):
    ...     print(row["verdict"], row["gold_text"], row["gold_label"], row["pred_label"], [row["left"], row["right"]])
    fn Ada PER None ['', ' in']
    le Rome LOC ORG ['in ', '']
    """
    if unknown := [name for name in errors or () if name not in (*metric.verdict_names, "all")]:
        raise ValueError(
            f"{metric.name} has no verdict {unknown[0]!r}; there are {', '.join(metric.verdict_names)}, or 'all'"
        )
    right = hits(metric)
    seen: set[str] = set()
    for listed in _all(_with_labels(documents, seen), metric):
        name, gold, pred, amount = listed.verdict
        if errors is None:
            partly = bool(metric.floats) and amount < 1
            # What is said of no span, such as of tokens outside of all entities, is nothing to look at.
            wanted = bool(gold or pred) and gold != pred and (name not in right or partly)
        else:
            wanted = "all" in errors or name in errors
        labelled = not labels or any(span and span.label in labels for span in (gold, pred))
        if wanted and labelled and (gold or pred or amount):  # a number of 0, without a span, says nothing
            yield listed
    if missing := [label for label in labels if label not in seen]:
        raise ValueError(
            f"there is no label {missing[0]!r} in gold or prediction; there are {', '.join(sorted(seen)) or 'none'}"
        )


def hits(metric: Metric) -> list[str]:
    """The verdicts of a metric on a span that was found as it is.

    >>> from spacy_nereval import create
    >>> hits(create("fair")), hits(create("wrf"))
    (['tp'], ['match', 'combined_match'])
    """
    span = Span(0, 1, "A")
    found = {
        verdict.name for verdict in metric.verdicts(Document([span], [span], "a", tokens=[(0, 1)])) if verdict.amount
    }
    return [name for name in metric.verdict_names if name in found]


def _with_labels(documents: Iterable[Document | None], seen: set[str]) -> Iterator[Document]:
    """The annotated documents, whose labels go into `seen`."""
    for document in documents:
        if document:
            seen |= {label for spans in (document.gold_set, document.pred_set) for _, _, label in spans}
            yield document


def _all(documents: Iterable[Document], metric: Metric) -> Iterator[Listed]:
    held: list[Listed] = []
    notes: dict[str, int] = {}
    note_of: list[int] = []
    for number, document in enumerate(documents):
        for verdict in sorted(metric.verdicts(document), key=_place):
            listed = Listed(metric.name, number if document.id is None else document.id, document, verdict)
            if not metric.refine or not metric.note:
                yield listed
                continue
            held.append(listed)
            note_of.append(notes.setdefault(metric.note(document, verdict.gold), len(notes)))
    if metric.refine and held:
        names = metric.verdict_names
        first = np.array([names.index(listed.verdict.name) for listed in held])
        for listed, final in zip(held, metric.refine(first, np.array(note_of), tuple(notes)).tolist()):
            yield listed._replace(verdict=listed.verdict._replace(name=names[final]))


def _place(verdict: Verdict) -> tuple:
    """Where a verdict stands in the list of a document: in the order of the text, whatever order it was found in."""
    spans = [span for span in verdict[1:3] if span]
    return min(spans, default=()), [span or () for span in verdict[1:3]], verdict.name, verdict.amount


def example(text: str | None, gold: Span | None, pred: Span | None) -> str:
    """The spans of a verdict marked in a short stretch of the text.

    >>> example("The Ada Lovelace met Bob.", Span(4, 16, "PER"), Span(4, 7, "PER"))
    'The [{Ada} Lovelace] met Bob.'
    """
    marks: list[tuple[int, int, int, int, str]] = []
    for side, (span, (opening, closing)) in enumerate(zip((gold, pred), MARKS)):
        if span:  # what ends stands before what begins; the inner one ends first, the outer one begins first
            length = span.end - span.start
            marks.append((span.start, 1, -length, side, opening))
            marks.append((span.end, 0 if length else 2, length, -side, closing))
    if not marks or text is None:
        return ""
    marks.sort()
    first, last = marks[0][0], marks[-1][0]
    shown = ""
    for here, after in zip(marks, marks[1:]):
        shown += here[-1] + clipped(text[here[0] : after[0]])
    left = clipped(text[max(0, first - BEFORE - 1) : first], -BEFORE)
    return Marked.of(left, shown + marks[-1][-1], clipped(text[last : last + AFTER + 1], AFTER))


def clipped(text: str, room: int = WITHIN) -> str:
    """The text on one line and cut to so many characters: its first ones, or with a negative number its last.

    >>> clipped("Ada  Lovelace", 9), clipped("Ada  Lovelace", -9)
    ('Ada Love…', '…Lovelace')
    """
    text = re.sub(r"\s+", " ", text)
    if len(text) <= abs(room):
        return text
    return text[: room - 1] + "…" if room > 0 else "…" + text[room + 1 :]


Kind = tuple[str, str, str]
"""A verdict, the gold label and the predicted label; "" stands for no span."""


class Examples:
    """The first example of each kind of verdict among the documents added.

    >>> from spacy_nereval import create
    >>> found = Examples(create("fair"))
    >>> found.add(Document([(0, 3, "PER")], [], "Ada in Rome", id="a"))
    >>> found.kinds
    {('fn', 'PER', ''): ('a', '[Ada] in Rome')}
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.documents = 0
        self.kinds: dict[Kind, tuple[str | int, str]] = {}

    def add(self, document: Document | None) -> None:
        """Look at one document. One without annotation is none."""
        if document is None:
            return
        name = self.documents if document.id is None else document.id
        self.documents += 1
        new: dict[Kind, Verdict] = {}
        for verdict in self.metric.verdicts(document):
            kind = verdict.name, verdict.gold.label if verdict.gold else "", verdict.pred.label if verdict.pred else ""
            if kind not in self.kinds and (kind not in new or _place(verdict) < _place(new[kind])):
                new[kind] = verdict
        self.kinds |= {kind: (name, example(document.text, v.gold, v.pred)) for kind, v in new.items()}
