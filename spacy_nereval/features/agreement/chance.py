"""Agreement corrected for chance: Krippendorff's alphas on tokens, characters and spans, and kappas.

First come the formulas. They work element by element on any leading axes, such as one total or a thousand half-samples.

Then their counts, which add up over documents. A stretch is a token, or the characters between two neighbouring span
boundaries, so that an annotator annotates all of it alike. Its value for an annotator is the set of labels of the
annotator's spans that share a character with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.messages import spell_argument
from ...core.overlapping import group_numbers
from ...core.pieces import pieces_of
from ...core.spans import Document
from ...core.synonyms import CHANCE_NAMES
from .shared_documents import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TINY = 1e-12
"""An expected disagreement below this share of all values is a rounding error of 0."""


def without_chance(metrics: Any) -> Any:
    """Return metrics without the names of coefficients corrected for chance, which are always computed; None if no
    others are named.

    >>> without_chance("kappa"), without_chance(["strict", "kappa"]), without_chance({"wrf": {}})
    (None, ['strict'], {'wrf': {}})
    """
    names = metrics.split(",") if isinstance(metrics, str) else metrics
    if not isinstance(names, (list, tuple)):
        return metrics
    others = [name for name in names if str(name).lower().replace("-", "_") not in CHANCE_NAMES]
    return metrics if len(others) == len(names) else others or None


def nominal_alpha(agreeing: ArrayLike, marginals: ArrayLike) -> Any:
    """Return Krippendorff's alpha for nominal values.

    Args:
        agreeing: The sum of the diagonal of the coincidence matrix, float[...].
        marginals: The row sums of the coincidence matrix, float[..., values]: how often each value was given in units
            with two values or more.

    Returns:
        float[...], at most 1; NaN if all values are the same.

    Example:
        >>> round(float(nominal_alpha(25, [25, 9])), 4)
        0.34

    Source: K. Krippendorff, Content Analysis (2019), chapter 12.
    """
    agreed, counts = np.asarray(agreeing, dtype=float), np.asarray(marginals, dtype=float)
    n = counts.sum(axis=-1)
    expected = (n * n - (counts * counts).sum(axis=-1)) / np.maximum(n - 1, 1)
    return _correct_for_chance(n - agreed, expected, n)


def observed_agreement(agreeing: ArrayLike, marginals: ArrayLike) -> Any:
    """Return the share of coinciding values that are equal, without a correction for chance.

    Args:
        agreeing, marginals: As for `nominal_alpha`.

    Returns:
        float[...], from 0 to 1; NaN if no unit has two values.

    Example:
        >>> observed_agreement(3, [3, 1]).item()
        0.75

    Source: one minus the observed disagreement of Krippendorff's alpha, see `nominal_alpha`.
    """
    n = np.asarray(marginals, dtype=float).sum(axis=-1)
    return np.where(n > 0, np.asarray(agreeing, dtype=float) / np.where(n > 0, n, 1), np.nan)[()]


def cohen_kappa(agreeing: ArrayLike, first: ArrayLike, second: ArrayLike) -> Any:
    """Return Cohen's kappa of two annotators.

    Args:
        agreeing: The number of units in which their values are equal, float[...].
        first, second: How often each annotator gives each value, float[..., values].

    Returns:
        float[...], at most 1; NaN if both give the same value to all units.

    Example:
        >>> round(float(cohen_kappa(35, [25, 25], [30, 20])), 4)
        0.4

    Source: J. Cohen (1960), A coefficient of agreement for nominal scales.
    """
    agreed, a, b = (np.asarray(values, dtype=float) for values in (agreeing, first, second))
    n = a.sum(axis=-1)
    expected = n - (a * b).sum(axis=-1) / np.maximum(n, 1)
    return _correct_for_chance(n - agreed, expected, n)


def fleiss_kappa(agreeing: ArrayLike, marginals: ArrayLike) -> Any:
    """Return Fleiss' kappa, for units that all have the same number of values.

    Args:
        agreeing, marginals: As for `nominal_alpha`.

    Returns:
        float[...], at most 1; NaN if all values are the same.

    Example:
        >>> round(float(fleiss_kappa(25, [25, 9])), 4)
        0.32

    Source: J. L. Fleiss (1971), Measuring nominal scale agreement among many raters.
    """
    agreed, counts = np.asarray(agreeing, dtype=float), np.asarray(marginals, dtype=float)
    n = counts.sum(axis=-1)
    expected = n - (counts * counts).sum(axis=-1) / np.maximum(n, 1)
    return _correct_for_chance(n - agreed, expected, n)


def unitising_alpha(agreeing: ArrayLike, totals: ArrayLike, squares: ArrayLike) -> Any:
    """Return Krippendorff's alpha for unitising, in which annotators choose both boundaries and labels.

    Args:
        agreeing: The sum of the diagonal of the matrix of shared lengths, float[...].
        totals: The row sums of this matrix, for each label and for gaps, float[..., values].
        squares: The sum of the squared lengths of all units plus the lengths of gaps, float[...].

    Returns:
        float[...], at most 1; NaN if all the text has the same label, or nothing is marked.

    Example:
        Two annotators mark 4 of 10 characters, and share 2 of these; so they also share 4 in gaps.

        >>> round(float(unitising_alpha(2 * (2 + 4), [8, 12], 2 * (4**2 + 6))), 4)
        0.2583

    Source: K. Krippendorff, Y. Mathet, S. Bouvry and A. Widlöcher (2016), On the reliability of
    unitizing textual continua.
    """
    agreed, counts, of_squares = (np.asarray(values, dtype=float) for values in (agreeing, totals, squares))
    n = counts.sum(axis=-1)
    at_all = np.where(n > 0, n, 1)
    left = n - of_squares / at_all
    by_chance = ((counts * counts).sum(axis=-1) - of_squares) / np.where(left > TINY * at_all, left, 1)
    return _correct_for_chance(n - agreed, np.where(left > TINY * at_all, n - by_chance, 0), n)


def _correct_for_chance(observed: NDArray[Any], expected: NDArray[Any], n: NDArray[Any]) -> Any:
    """Return 1 - observed / expected disagreement; NaN if no disagreement is expected."""
    defined = expected > TINY * np.maximum(n, 1)
    return np.where(defined, 1 - observed / np.where(defined, expected, 1), np.nan)[()]


Numbers = NDArray[np.int64]

Unit = Literal["token", "char"]
UNITS: tuple[Unit, ...] = ("token", "char")
"""The units on which alpha is computed."""

MISSING, NOTHING = -1, 0
"""The value of an annotator who has not annotated the document, and of one who marks nothing in the stretch."""

KeyPath = tuple[str, ...]
Blocks = dict[str, "csr_array"]
"""Counts that add up over documents: names to sparse matrices, float64[documents, columns]."""

BlockSums = Mapping[str, NDArray[np.float64]]
"""Names of blocks to their sums over documents, float64[sums, columns]."""

ALL, DETECT, LABEL = "alpha", "alpha_detect", "alpha_label"

PREFIX = "unitising "
"""The prefix of the names of blocks for unitising."""


class SpanRows(NamedTuple):
    """The spans of all annotators as columns, sorted by document, annotator, start, end and label.

    doc, annotator, label, start, end: int64[spans]. Each piece of a span with gaps is one. Zero-length spans and
    invented mentions are excluded, since they share no character with a unit.
    """

    doc: Numbers
    annotator: Numbers
    label: Numbers
    start: Numbers
    end: Numbers

    def select(self, chosen: NDArray[np.bool_]) -> SpanRows:
        """Return some of the spans, bool[spans]."""
        return SpanRows(*(column[chosen] for column in self))


def span_rows(shared: SharedDocuments) -> SpanRows:
    """Return the spans of all annotators as columns; a label is its index in `shared.labels`."""
    number = {label: k for k, label in enumerate(shared.labels)}
    column = {name: k for k, name in enumerate(shared.annotators)}
    rows = [
        (doc, column[name], start, end, number[span[2]])
        for doc, document in enumerate(shared.documents)
        for name, spans in document.spans.items()
        for span in spans
        for start, end in pieces_of(span)
        if start < end and not document.base.is_invented(span)
    ]
    table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 5).T
    return SpanRows(doc=table[0], annotator=table[1], start=table[2], end=table[3], label=table[4])


def document_lengths(shared: SharedDocuments) -> list[int | None]:
    """Return the length of each document in characters, or the end of its last token; None if neither is known."""
    return [_length(document.base) for document in shared.documents]


def _length(base: Document) -> int | None:
    if (text := base.own_text) is not None:
        return len(text)
    return None if base.tokens is None else max((end for _, end in base.tokens), default=0)


class Stretches:
    """The stretches of the shared documents that any annotator marks, with each annotator's value there.

    Args:
        shared: The documents.
        spans: Their spans.
        unit: "token" if stretches are tokens, "char" if they are the characters between boundaries.

    Raises:
        ValueError: A document has neither a text nor tokens.

    Attributes:
        doc: int64[stretches], the document. weight: int64[stretches], the number of units.
        values: int64[stretches, annotators], indices of `sets`, or `MISSING`; `NOTHING` is the index of the empty set.
        sets: Sets of labels, as their indices in `shared.labels`.
        first, last: int64[spans], the range of the stretches that each span touches.
        present: bool[documents, annotators], who annotated which document.
        units: int64[documents], the number of units of each document.
        unmarked: int64[documents], the number of units that nobody marks.
        having: int64[rows] each: a stretch, a label, and the number of annotators who have the label there.
    """

    def __init__(self, shared: SharedDocuments, spans: SpanRows, unit: Unit) -> None:
        self.labels: tuple[str, ...] = shared.labels
        self.present: NDArray[np.bool_] = np.array(
            [[name in document.spans for name in shared.annotators] for document in shared.documents]
        )
        edges = _token_stretches(shared) if unit == "token" else _boundary_stretches(shared, spans)
        self.units: Numbers = edges.units
        offset = edges.offset[spans.doc]
        first = np.searchsorted(edges.end, spans.start + offset, "right")
        last = np.maximum(np.searchsorted(edges.start, spans.end + offset, "left"), first)
        size = last - first
        touched = np.repeat(first - np.cumsum(size) + size, size) + np.arange(size.sum())
        of_span = np.repeat(np.arange(len(size)), size)
        used, row = np.unique(touched, return_inverse=True)
        self.doc: Numbers = edges.doc[used]
        self.weight: Numbers = edges.weight[used]
        self.first: Numbers = np.searchsorted(used, first)
        self.last: Numbers = self.first + size
        self._set_values(row, spans.annotator[of_span], spans.label[of_span])
        self.unmarked: Numbers = self.units - np.bincount(self.doc, self.weight, len(self.units)).astype(np.int64)

    def _set_values(self, row: Numbers, annotator: Numbers, label: Numbers) -> None:
        """Set `values`, `sets` and `having`. Almost all sets have one label."""
        rows, people = len(self.doc), self.present.shape[1]
        self.values: Numbers = np.where(self.present[self.doc], NOTHING, MISSING).reshape(rows, people)
        marks = np.unique((row * people + annotator) * max(len(self.labels), 1) + label)
        cell, label = np.divmod(marks, max(len(self.labels), 1))
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        sizes = np.diff(starts, append=len(cell))
        self.sets: list[frozenset[int]] = [frozenset(), *(frozenset({k}) for k in range(len(self.labels)))]
        set_number = label[starts] + 1
        number: dict[frozenset[int], int] = {}
        for k in np.flatnonzero(sizes > 1).tolist():
            value = frozenset(label[starts[k] : starts[k] + sizes[k]].tolist())
            set_number[k] = number.setdefault(value, len(self.sets))
            if set_number[k] == len(self.sets):
                self.sets.append(value)
        self.values.flat[cell[starts]] = set_number
        pairs, having = np.unique(cell // people * max(len(self.labels), 1) + label, return_counts=True)
        self.having: tuple[Numbers, Numbers, Numbers] = (*np.divmod(pairs, max(len(self.labels), 1)), having)

    def leave_out(self, annotator: int) -> Stretches:
        """Return the stretches without an annotator, and without the documents that then have fewer than two.

        Nobody is present in these documents, so they add nothing to any sum. `first`, `last` and `having` stay.

        Args:
            annotator: The index of the annotator.
        """
        remaining, present = copy(self), self.present.copy()
        present[:, annotator] = False
        has_two = present.sum(axis=1) > 1
        remaining.present = present & has_two[:, None]
        remaining.values = np.where(remaining.present[self.doc], self.values, MISSING)
        remaining.units, remaining.unmarked = self.units * has_two, self.unmarked * has_two
        return remaining

    @property
    def people(self) -> Numbers:
        """int64[documents], the number of annotators of each document."""
        numbers: Numbers = self.present.sum(axis=1)
        return numbers

    @property
    def has_equal_numbers(self) -> bool:
        """Whether all documents that anybody annotated have the same number of annotators."""
        return len({*self.people.tolist()} - {0}) == 1

    def column(self, amounts: NDArray[Any]) -> csr_array:
        """Return amounts per document as a sparse column, float64[documents, 1]."""
        from scipy.sparse import csr_array

        return csr_array(amounts.astype(float).reshape(-1, 1))

    def document_sums(self, amounts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum per document of amounts per stretch, float64[stretches], times the units of the stretch."""
        return np.bincount(self.doc, amounts * self.weight, len(self.units)).astype(float)

    def value_counts(self, values: Numbers, amounts: NDArray[Any], unmarked: NDArray[Any]) -> csr_array:
        """Return how often each value occurs in each document, float64[documents, values], sparse.

        Args:
            values: int64[stretches, columns]; negative ones are excluded.
            amounts: The weight of each value, float64[stretches, columns], which the units of its stretch multiply.
            unmarked: float64[documents], added to the counts of `NOTHING`.
        """
        from scipy.sparse import csr_array

        rows, columns = np.nonzero(values >= 0)
        documents = np.arange(len(unmarked))
        shape = len(unmarked), int(max(values.max(initial=0), len(self.sets) - 1)) + 1
        data = np.concatenate([(amounts * self.weight[:, None])[rows, columns], unmarked])
        positions = np.concatenate([self.doc[rows], documents]), np.concatenate([values[rows, columns], 0 * documents])
        return csr_array((data, positions), shape=shape)

    def equal_pairs(self, values: Numbers) -> NDArray[np.float64]:
        """Return the number of ordered pairs of annotators with equal, not negative values in each stretch."""
        pairs = np.zeros(len(self.doc))
        for first in range(values.shape[1]):
            for second in range(first + 1, values.shape[1]):
                pairs += 2 * ((values[:, first] == values[:, second]) & (values[:, first] >= 0))
        return pairs


class _Edges(NamedTuple):
    """Stretches of all documents in one continuous text, with the offset of each document."""

    start: Numbers
    end: Numbers
    doc: Numbers
    weight: Numbers
    offset: Numbers
    units: Numbers


def _offsets(sizes: Sequence[int]) -> Numbers:
    """Return the offset of each document in one continuous text, with a gap between documents."""
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64) + 1)[:-1]]).astype(np.int64)


def _token_stretches(shared: SharedDocuments) -> _Edges:
    """Return the tokens of the documents, or the words between white space where a document has no tokens."""
    listed = [_text_tokens(document.base) for document in shared.documents]
    sizes = [len(words) for words in listed]
    offset = _offsets([max((end for _, end in words), default=0) for words in listed])
    doc = np.repeat(np.arange(len(listed)), sizes)
    bounds = np.array([word for words in listed for word in words], dtype=np.int64).reshape(-1, 2)
    start, end = (bounds[:, k] + offset[doc] for k in (0, 1))
    return _Edges(start, end, doc, np.ones(len(doc), dtype=np.int64), offset, np.array(sizes, dtype=np.int64))


def _text_tokens(base: Document) -> list[tuple[int, int]]:
    words = base.words if base.tokens is None else base.tokens
    return words if base.annex is None else [word for word in words if word[1] <= base.annex]


def _boundary_stretches(shared: SharedDocuments, spans: SpanRows) -> _Edges:
    sizes = document_lengths(shared)
    if None in sizes:
        raise ValueError(f"document {shared.name_of(sizes.index(None))} has neither a text nor tokens")
    units = np.array(sizes, dtype=np.int64)
    document_offsets = _offsets(units.tolist())
    span_offsets = document_offsets[spans.doc]
    edges = np.unique(np.concatenate([spans.start + span_offsets, spans.end + span_offsets]))
    start, end = edges[:-1], edges[1:]
    doc = np.searchsorted(document_offsets, start, "right") - 1
    return _Edges(start, end, doc, end - start, document_offsets, units)


def check_unit(unit: str) -> Unit:
    """Validate the unit.

    >>> check_unit("char")
    'char'
    """
    for valid in UNITS:
        if unit == valid:
            return valid
    raise ValueError(f"{spell_argument('unit', unit)}: expected {' or '.join(UNITS)}")


# Alpha and kappas on tokens or characters


def unit_blocks(stretches: Stretches) -> Blocks:
    """Return the blocks for alpha, its variants and Fleiss' kappa, overall and of labels."""
    return overall_blocks(stretches) | _label_blocks(stretches)


def overall_blocks(stretches: Stretches) -> Blocks:
    """Return the blocks for alpha, its variants and Fleiss' kappa."""
    people, unmarked = stretches.people, stretches.unmarked.astype(float)
    peers = people[stretches.doc] - 1.0
    values = stretches.values
    marked = np.where(values > NOTHING, 1, values)
    named = np.where(values > NOTHING, values, -1)
    number = (named > 0).sum(axis=1)
    of_two = np.where(number[:, None] > 1, named, -1)
    blocks: Blocks = {}
    for name, value_numbers, divisor in ((ALL, values, peers), (DETECT, marked, peers), (LABEL, of_two, number - 1.0)):
        nobody = np.zeros_like(unmarked) if name == LABEL else unmarked * people
        agreeing = stretches.document_sums(stretches.equal_pairs(value_numbers) / np.maximum(divisor, 1)) + nobody
        blocks[f"{name} agreeing"] = stretches.column(agreeing)
        blocks[f"{name} marginals"] = stretches.value_counts(value_numbers, np.ones(value_numbers.shape), nobody)
    return blocks | {
        "size": stretches.column(stretches.units * stretches.people),
        "units": stretches.column(stretches.units),
    }


def _label_blocks(stretches: Stretches) -> Blocks:
    """Return the blocks for the binary alpha of each label: whether a stretch has this label."""
    from scipy.sparse import csr_array

    row, label, having = stretches.having
    doc, weight = stretches.doc[row], stretches.weight[row]
    people = stretches.people[doc].astype(float)
    lacking = people - having
    # Relative to the value where nobody has the label, so that the block is sparse.
    agreeing = (having * (having - 1) + lacking * (lacking - 1)) / np.maximum(people - 1, 1) - people
    shape = len(stretches.units), max(len(stretches.labels), 1)
    return {
        "label agreeing": csr_array((agreeing * weight, (doc, label)), shape=shape),
        "label having": csr_array(((having * weight).astype(float), (doc, label)), shape=shape),
    }


def unit_scores(sums: BlockSums, *, equal_numbers: bool) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the scores on units with their paths, float64[sums] each.

    Args:
        sums: The sums of `unit_blocks`.
        equal_numbers: Whether every document has the same number of annotators, as Fleiss' kappa requires.
    """
    yield ("observed",), observed_agreement(sums[f"{ALL} agreeing"][:, 0], sums[f"{ALL} marginals"])
    for name in (ALL, DETECT, LABEL):
        yield (name,), nominal_alpha(sums[f"{name} agreeing"][:, 0], sums[f"{name} marginals"])
    if equal_numbers:
        yield ("fleiss",), fleiss_kappa(sums[f"{ALL} agreeing"][:, 0], sums[f"{ALL} marginals"])


def label_alphas(sums: BlockSums) -> NDArray[np.float64]:
    """Return the alpha of each label on units, float64[sums, labels], from the sums of `unit_blocks`."""
    size, having = sums["size"], sums["label having"]
    alphas: NDArray[np.float64] = nominal_alpha(
        size + sums["label agreeing"], np.stack([size - having, having], axis=-1)
    )
    return alphas


def kappa_blocks(stretches: Stretches, annotators: Sequence[str]) -> Blocks:
    """Return the blocks for Cohen's kappa of each pair of annotators."""
    blocks: Blocks = {}
    for a, b in combinations(range(len(annotators)), 2):
        both = stretches.present[:, a] & stretches.present[:, b]
        unmarked = stretches.unmarked * both
        pair = np.where(both[stretches.doc][:, None], stretches.values[:, [a, b]], -1)
        equal = (pair[:, 0] == pair[:, 1]) & (pair[:, 0] >= 0)
        name = _kappa_block_name(annotators[a], annotators[b])
        blocks[f"{name} agreeing"] = stretches.column(stretches.document_sums(equal.astype(float)) + unmarked)
        for k, side in enumerate(("first", "second")):
            column = pair[:, [k]]
            blocks[f"{name} {side}"] = stretches.value_counts(column, np.ones(column.shape), unmarked)
    return blocks


def kappas(sums: BlockSums, annotators: Sequence[str]) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield each pair of annotators with Cohen's kappa, float64[sums]."""
    for pair in combinations(annotators, 2):
        parts = (sums[f"{_kappa_block_name(*pair)} {part}"] for part in ("agreeing", "first", "second"))
        agreeing, first, second = parts
        yield pair, cohen_kappa(agreeing[:, 0], first, second)


def _kappa_block_name(first: str, second: str) -> str:
    return f"kappa of {first!r} and {second!r}"


# Alpha for unitising: do annotators mark the same stretches of text, with the same labels?


def overlap_reason(shared: SharedDocuments, spans: SpanRows) -> str | None:
    """Return why there is no overall alpha: spans of one annotator overlap. None if no such spans overlap.

    Overlapping spans do not divide the text into units.
    """
    key = spans.doc * len(shared.annotators) + spans.annotator
    group = _overlap_groups(key, spans)
    repeated = np.flatnonzero(np.diff(group) == 0)
    if not len(repeated):
        return None
    first = repeated[0]
    document, name = shared.name_of(int(spans.doc[first])), shared.annotators[int(spans.annotator[first])]
    return (
        f"spans of one annotator overlap, such as those of {name} in document {document}; "
        "the alphas of labels unite overlapping spans of one label"
    )


LABEL_BLOCKS = ("label having", "label agreeing", "label squares")
"""The blocks with a column for each label, from which only the alphas of labels are computed."""


def is_of_labels(block: str) -> bool:
    """Return whether a block has a column for each label."""
    return block.removeprefix(PREFIX) in LABEL_BLOCKS


def unitising_blocks(stretches: Stretches, spans: SpanRows) -> Blocks:
    """Return the blocks for the alphas of unitising, overall and of labels, from stretches of characters and all
    spans."""
    from scipy.sparse import csr_array

    doc, label, size = _merge_units(spans, stretches.present.shape[1])
    shape = len(stretches.units), max(len(stretches.labels), 1)
    blocks = _label_blocks(stretches) | {"label squares": csr_array((_squares(size), (doc, label)), shape=shape)}
    return overall_unitising_blocks(stretches, spans) | {PREFIX + name: block for name, block in blocks.items()}


def overall_unitising_blocks(stretches: Stretches, spans: SpanRows) -> Blocks:
    """Return the blocks for the overall alphas of unitising, from stretches of characters and all spans."""
    blocks, counts = overall_blocks(stretches), stretches.present[spans.doc, spans.annotator]
    documents = len(stretches.units)
    gaps = blocks[f"{DETECT} marginals"][:, [0]].toarray()[:, 0]
    blocks["squares"] = stretches.column(
        np.bincount(spans.doc, _squares(spans.end - spans.start) * counts, documents) + gaps
    )
    peers = np.maximum(stretches.people[stretches.doc] - 1.0, 1)
    named = np.where(stretches.values > NOTHING, stretches.values, -1)
    number = (named > 0).sum(axis=1)
    blocks["cu agreeing"] = stretches.column(stretches.document_sums(stretches.equal_pairs(named) / peers))
    share = np.repeat(((number - 1) / peers)[:, None], named.shape[1], axis=1)
    blocks["cu totals"] = stretches.value_counts(named, share, np.zeros(documents))
    covered = np.concatenate([[0], np.cumsum(stretches.weight * (number > 1))])
    inside = covered[stretches.last] - covered[stretches.first]
    blocks["cu squares"] = stretches.column(np.bincount(spans.doc, _squares(inside) * counts, documents))
    return {PREFIX + name: block for name, block in blocks.items()}


def unitising_scores(all_sums: BlockSums, *, whole: bool) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the alphas with their paths, float64[sums] each.

    Args:
        all_sums: The sums of `unitising_blocks`.
        whole: Whether there are overall alphas, because no spans of one annotator overlap.
    """
    sums_of = {name.removeprefix(PREFIX): sums for name, sums in all_sums.items() if name.startswith(PREFIX)}
    nothing = np.full(len(sums_of["size"]), np.nan)
    squares = sums_of["squares"][:, 0]
    overall = {
        "u_alpha": unitising_alpha(sums_of[f"{ALL} agreeing"][:, 0], sums_of[f"{ALL} marginals"], squares),
        "u_binary": unitising_alpha(sums_of[f"{DETECT} agreeing"][:, 0], sums_of[f"{DETECT} marginals"], squares),
        "cu_alpha": unitising_alpha(sums_of["cu agreeing"][:, 0], sums_of["cu totals"], sums_of["cu squares"][:, 0]),
    }
    for name, values in overall.items():
        yield (name,), values if whole else nothing


def unitising_label_alphas(sums: BlockSums) -> NDArray[np.float64]:
    """Return the alpha for unitising of each label, float64[sums, labels], from the sums of `unitising_blocks`."""
    size, having, agreeing, squares = (sums[PREFIX + name] for name in ("size", *LABEL_BLOCKS))
    gaps = size - having
    alphas: NDArray[np.float64] = unitising_alpha(size + agreeing, np.stack([gaps, having], axis=-1), squares + gaps)
    return alphas


def _squares(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    return sizes.astype(float) ** 2


def _overlap_groups(key: NDArray[np.int64], spans: SpanRows) -> NDArray[np.int64]:
    """Return the group of overlapping spans of each span, as a number. Only spans with the same key share a group.

    The spans have to be sorted by key, start and end.
    """
    offset = key * (1 + spans.end.max(initial=0))
    return group_numbers(spans.start + offset, spans.end + offset)


def _merge_units(spans: SpanRows, annotators: int) -> tuple[NDArray[np.int64], ...]:
    """Return the document, label and length of each unit of a label. Overlapping spans of an annotator are merged."""
    order = np.lexsort((spans.end, spans.start, spans.label, spans.annotator, spans.doc))
    ordered = SpanRows(*(column[order] for column in spans))
    key = (ordered.doc * annotators + ordered.annotator) * (1 + ordered.label.max(initial=0)) + ordered.label
    first = np.flatnonzero(np.diff(_overlap_groups(key, ordered), prepend=-1))
    if not len(first):
        return ordered.doc, ordered.label, ordered.start
    size = np.maximum.reduceat(ordered.end, first) - ordered.start[first]
    return ordered.doc[first], ordered.label[first], size
