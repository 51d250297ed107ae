"""Alpha for unitising: do annotators find the same stretches of text, and name them alike?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.overlapping import group_numbers
from ..statistics.alpha import unitising_alpha
from .documents import SharedDocuments
from .stretches import NOTHING, SpanRows, Stretches
from .units import ALL, DETECT, Added, Blocks, Path, unit_blocks

PREFIX = "unitising "
"""What the names of these blocks begin with."""


def overlapping(shared: SharedDocuments, spans: SpanRows) -> str | None:
    """Return where spans of one annotator overlap, in words; None if they nowhere do.

    Overlapping spans are no units of the text, so there is no overall alpha then.
    """
    key = spans.doc * len(shared.annotators) + spans.annotator
    group = _groups(key, spans)
    repeated = np.flatnonzero(np.diff(group) == 0)
    if not len(repeated):
        return None
    first = repeated[0]
    document, name = shared.name_of(int(spans.doc[first])), shared.annotators[int(spans.annotator[first])]
    return (
        f"spans of one annotator overlap, such as those of {name} in document {document}; "
        "the alphas of labels unite overlapping spans of one label"
    )


def unitising_blocks(stretches: Stretches, spans: SpanRows) -> Blocks:
    """Return what the alphas are computed from.

    Args:
        stretches: The stretches in characters.
        spans: The spans.
    """
    from scipy.sparse import csr_array

    blocks = unit_blocks(stretches)
    documents = len(stretches.units)
    gaps = blocks[f"{DETECT} marginals"][:, [0]].toarray()[:, 0]
    blocks["squares"] = stretches.column(np.bincount(spans.doc, _squared(spans.end - spans.start), documents) + gaps)
    others = np.maximum(stretches.people[stretches.doc] - 1.0, 1)
    named = np.where(stretches.values > NOTHING, stretches.values, -1)
    number = (named > 0).sum(axis=1)
    blocks["cu agreeing"] = stretches.column(stretches.added(stretches.equal_pairs(named) / others))
    share = np.repeat(((number - 1) / others)[:, None], named.shape[1], axis=1)
    blocks["cu totals"] = stretches.by_value(named, share, np.zeros(documents))
    covered = np.concatenate([[0], np.cumsum(stretches.weight * (number > 1))])
    inside = covered[stretches.last] - covered[stretches.first]
    blocks["cu squares"] = stretches.column(np.bincount(spans.doc, _squared(inside), documents))
    doc, label, size = _united(spans, stretches.present.shape[1])
    shape = documents, max(len(stretches.labels), 1)
    blocks["label squares"] = csr_array((_squared(size), (doc, label)), shape=shape)
    return {PREFIX + name: block for name, block in blocks.items()}


def unitising_scores(added: Added, labels: Sequence[str], *, whole: bool) -> Iterator[tuple[Path, Any]]:
    """Yield the alphas with their paths, float64[sums] each.

    Args:
        added: The sums of `unitising_blocks`.
        labels: The labels.
        whole: Whether there are overall alphas: no spans of one annotator overlap.
    """
    sums_of = {name.removeprefix(PREFIX): sums for name, sums in added.items() if name.startswith(PREFIX)}
    nothing = np.full(len(sums_of["size"]), np.nan)
    squares = sums_of["squares"][:, 0]
    overall = {
        "u_alpha": unitising_alpha(sums_of[f"{ALL} agreeing"][:, 0], sums_of[f"{ALL} marginals"], squares),
        "u_binary": unitising_alpha(sums_of[f"{DETECT} agreeing"][:, 0], sums_of[f"{DETECT} marginals"], squares),
        "cu_alpha": unitising_alpha(sums_of["cu agreeing"][:, 0], sums_of["cu totals"], sums_of["cu squares"][:, 0]),
    }
    for name, values in overall.items():
        yield (name,), values if whole else nothing
    size, having = sums_of["size"][:, 0], sums_of["label having"]
    for k, label in enumerate(labels):
        gaps = size - having[:, k]
        totals = np.stack([gaps, having[:, k]], axis=-1)
        yield (
            ("per_type", label),
            unitising_alpha(size + sums_of["label agreeing"][:, k], totals, sums_of["label squares"][:, k] + gaps),
        )


def _squared(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    return sizes.astype(float) ** 2


def _groups(key: NDArray[np.int64], spans: SpanRows) -> NDArray[np.int64]:
    """Return the number of the group of overlapping spans that each span is in; only spans with one key overlap.

    The spans have to be sorted by key, start and end.
    """
    offset = key * (1 + spans.end.max(initial=0))
    return group_numbers(spans.start + offset, spans.end + offset)


def _united(spans: SpanRows, annotators: int) -> tuple[NDArray[np.int64], ...]:
    """Return the document, label and length of the units of each label: overlapping ones of an annotator united."""
    order = np.lexsort((spans.end, spans.start, spans.label, spans.annotator, spans.doc))
    ordered = SpanRows(*(column[order] for column in spans))
    key = (ordered.doc * annotators + ordered.annotator) * (1 + ordered.label.max(initial=0)) + ordered.label
    first = np.flatnonzero(np.diff(_groups(key, ordered), prepend=-1))
    if not len(first):
        return ordered.doc, ordered.label, ordered.start
    size = np.maximum.reduceat(ordered.end, first) - ordered.start[first]
    return ordered.doc[first], ordered.label[first], size
