"""Alpha and kappas on tokens or characters, from sums that add up over documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..statistics.alpha import cohen_kappa, fleiss_kappa, nominal_alpha, observed_agreement
from .stretches import NOTHING, Stretches

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Path = tuple[str, ...]
Blocks = dict[str, "csr_array"]
"""Numbers that add up: a sparse matrix float64[documents, columns] by its name."""

Added = Mapping[str, NDArray[np.float64]]
"""The same numbers added up over documents: float64[sums, columns] by name."""

ALL, DETECT, LABEL = "alpha", "alpha_detect", "alpha_label"


def unit_blocks(stretches: Stretches) -> Blocks:
    """Return what alpha, all and in parts, and Fleiss' kappa are computed from."""
    people, rest = stretches.people, stretches.rest.astype(float)
    others = people[stretches.doc] - 1.0
    values = stretches.values
    marked = np.where(values > NOTHING, 1, values)
    named = np.where(values > NOTHING, values, -1)
    number = (named > 0).sum(axis=1)
    of_two = np.where(number[:, None] > 1, named, -1)
    blocks: Blocks = {}
    for name, given, divisor in ((ALL, values, others), (DETECT, marked, others), (LABEL, of_two, number - 1.0)):
        nobody = np.zeros_like(rest) if name == LABEL else rest * people
        agreeing = stretches.added(stretches.equal_pairs(given) / np.maximum(divisor, 1)) + nobody
        blocks[f"{name} agreeing"] = stretches.column(agreeing)
        blocks[f"{name} marginals"] = stretches.by_value(given, np.ones(given.shape), nobody)
    return blocks | _label_blocks(stretches)


def _label_blocks(stretches: Stretches) -> Blocks:
    """Return what the binary alpha of each label is computed from: has this label, or has not."""
    from scipy.sparse import csr_array

    row, label, having = stretches.having
    doc, weight = stretches.doc[row], stretches.weight[row]
    people = stretches.people[doc].astype(float)
    lacking = people - having
    # The difference to everybody lacking the label.
    agreeing = (having * (having - 1) + lacking * (lacking - 1)) / np.maximum(people - 1, 1) - people
    shape = len(stretches.units), max(len(stretches.labels), 1)
    return {
        "label agreeing": csr_array((agreeing * weight, (doc, label)), shape=shape),
        "label having": csr_array(((having * weight).astype(float), (doc, label)), shape=shape),
        "size": stretches.column(stretches.units * stretches.people),
        "units": stretches.column(stretches.units),
    }


def unit_scores(added: Added, labels: Sequence[str], *, equal_numbers: bool) -> Iterator[tuple[Path, Any]]:
    """Yield the scores on units with their paths, float64[sums] each.

    Args:
        added: The sums of `unit_blocks`.
        labels: The labels.
        equal_numbers: Whether every document has the same number of annotators, without which
            there is no Fleiss' kappa.
    """
    yield ("observed",), observed_agreement(added[f"{ALL} agreeing"][:, 0], added[f"{ALL} marginals"])
    for name in (ALL, DETECT, LABEL):
        yield (name,), nominal_alpha(added[f"{name} agreeing"][:, 0], added[f"{name} marginals"])
    if equal_numbers:
        yield ("fleiss",), fleiss_kappa(added[f"{ALL} agreeing"][:, 0], added[f"{ALL} marginals"])
    size, having = added["size"], added["label having"]
    for k, label in enumerate(labels):
        marginals = np.stack([size[:, 0] - having[:, k], having[:, k]], axis=-1)
        yield ("per_type", label), nominal_alpha(size[:, 0] + added["label agreeing"][:, k], marginals)


def kappa_blocks(stretches: Stretches, annotators: Sequence[str]) -> Blocks:
    """Return what Cohen's kappa of each pair of annotators is computed from."""
    blocks: Blocks = {}
    for a, b in combinations(range(len(annotators)), 2):
        both = stretches.present[:, a] & stretches.present[:, b]
        rest = stretches.rest * both
        pair = np.where(both[stretches.doc][:, None], stretches.values[:, [a, b]], -1)
        equal = (pair[:, 0] == pair[:, 1]) & (pair[:, 0] >= 0)
        name = _name(annotators[a], annotators[b])
        blocks[f"{name} agreeing"] = stretches.column(stretches.added(equal.astype(float)) + rest)
        for k, side in enumerate(("first", "second")):
            column = pair[:, [k]]
            blocks[f"{name} {side}"] = stretches.by_value(column, np.ones(column.shape), rest)
    return blocks


def kappas(added: Added, annotators: Sequence[str]) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield each pair of annotators with Cohen's kappa, float64[sums]."""
    for pair in combinations(annotators, 2):
        parts = (added[f"{_name(*pair)} {part}"] for part in ("agreeing", "first", "second"))
        agreeing, first, second = parts
        yield pair, cohen_kappa(agreeing[:, 0], first, second)


def _name(first: str, second: str) -> str:
    return f"kappa of {first!r} and {second!r}"
