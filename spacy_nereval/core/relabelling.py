"""Documents with other labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .checked import PlainSpan
from .labels import LabelRules
from .span_scores import highest
from .spans import Document


def relabelled(documents: Iterable[Document | None], rules: LabelRules | None) -> Iterator[Document | None]:
    """Yield documents with their labels according to the rules; the documents given stay as they are.

    Args:
        documents: Documents; None stands for one without annotation.
        rules: What becomes of labels; None leaves them as they are.

    >>> rules = LabelRules(labels=(("FAC", "ORG"),))
    >>> (found,) = relabelled([Document([(0, 3, "ORG"), (0, 3, "FAC")], [(4, 5, "FAC")])], rules)
    >>> found.sides, found.merged
    (([(0, 3, 'ORG')], [(4, 5, 'ORG')]), 1)
    """
    if rules is None:
        yield from documents
        return
    for document in documents:
        yield document and _relabelled(document, rules)


def _relabelled(document: Document, rules: LabelRules) -> Document:
    """Return a document with new labels; `merged` counts the spans that became equal to another one."""
    renamed = [rules.spans(side) for side in document.sides]
    gold, pred = ([*dict.fromkeys(side)] for side in renamed)
    found = document.replaced(gold, pred, document.text)
    found.merged += sum(map(len, renamed)) - len(gold) - len(pred)
    found.label_rules = rules
    found.span_scores = relabelled_scores(document.span_scores, rules)
    labels = {label for side in document.sides for _, _, label in side}
    found.mapped = frozenset(labels & rules.mapping.keys())
    return found


def relabelled_scores(scores: Mapping[PlainSpan, Any], rules: LabelRules) -> dict[PlainSpan, Any]:
    """Return the scores of spans by the spans with their new labels."""
    named = ((start, end, rules.renamed(label), score) for (start, end, label), score in scores.items())
    return highest(((start, end, label), score) for start, end, label, score in named if label is not None)
