"""Documents with other labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .labels import LabelRules
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
    labels = {label for side in document.sides for _, _, label in side}
    found.mapped = frozenset(labels & rules.mapping.keys())
    return found
