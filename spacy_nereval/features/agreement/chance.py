"""Agreement corrected for chance, from sums that add up over documents: Krippendorff's alphas, and kappas.

Each function works element by element on any leading axes, such as one total or a thousand half-samples.

Agreement corrected for chance: alphas and kappas on tokens or characters, and alpha for unitising.

All of them are computed from sums that add up over documents. A stretch is a token, or characters between two
boundaries of spans, about which every annotator says one thing throughout. Its value for an annotator is the set of
labels of the spans that share a character with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.messages import spell_argument
from ...core.overlapping import group_numbers
from ...core.spans import Document
from .shared_documents import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TINY = 1e-12
"""An expected disagreement below this share of everything is rounding: there is nothing to correct."""


def nominal_alpha(agreeing: ArrayLike, marginals: ArrayLike) -> Any:
    """Return Krippendorff's alpha for nominal values.

    Args:
        agreeing: The sum of the diagonal of the coincidence matrix, float[...].
        marginals: The row sums of the coincidence matrix: how often each value was given in
            units with two values or more, float[..., values].

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
    return _corrected(n - agreed, expected, n)


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
        agreeing: In how many units their values are equal, float[...].
        first, second: How often each gives each value, float[..., values].

    Returns:
        float[...], at most 1; NaN if both give one and the same value only.

    Example:
        >>> round(float(cohen_kappa(35, [25, 25], [30, 20])), 4)
        0.4

    Source: J. Cohen (1960), A coefficient of agreement for nominal scales.
    """
    agreed, a, b = (np.asarray(given, dtype=float) for given in (agreeing, first, second))
    n = a.sum(axis=-1)
    expected = n - (a * b).sum(axis=-1) / np.maximum(n, 1)
    return _corrected(n - agreed, expected, n)


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
    return _corrected(n - agreed, expected, n)


def unitising_alpha(agreeing: ArrayLike, totals: ArrayLike, squares: ArrayLike) -> Any:
    """Return Krippendorff's alpha for unitising, in which boundaries are found and labels given.

    Args:
        agreeing: The sum of the diagonal of the matrix of shared lengths, float[...].
        totals: Its row sums, a value for each label and one for gaps, float[..., values].
        squares: The sum of the squared lengths of all units, and of the lengths of gaps, float[...].

    Returns:
        float[...], at most 1; NaN if nothing but one label, or nothing, is marked.

    Example:
        Two annotators mark 4 of 10 characters, and share 2 of these; so they also share 4 in gaps.

        >>> round(float(unitising_alpha(2 * (2 + 4), [8, 12], 2 * (4**2 + 6))), 4)
        0.2583

    Source: K. Krippendorff, Y. Mathet, S. Bouvry and A. Widlöcher (2016), On the reliability of
    unitizing textual continua.
    """
    agreed, counts, of_squares = (np.asarray(given, dtype=float) for given in (agreeing, totals, squares))
    n = counts.sum(axis=-1)
    at_all = np.where(n > 0, n, 1)
    left = n - of_squares / at_all
    by_chance = ((counts * counts).sum(axis=-1) - of_squares) / np.where(left > TINY * at_all, left, 1)
    return _corrected(n - agreed, np.where(left > TINY * at_all, n - by_chance, 0), n)


def _corrected(observed: NDArray[Any], expected: NDArray[Any], n: NDArray[Any]) -> Any:
    """Return one minus the observed disagreement divided by the expected one; NaN if nothing is expected."""
    defined = expected > TINY * np.maximum(n, 1)
    return np.where(defined, 1 - observed / np.where(defined, expected, 1), np.nan)[()]


Numbers = NDArray[np.int64]

Unit = Literal["token", "char"]
UNITS: tuple[Unit, ...] = ("token", "char")
"""What alpha is computed on."""

MISSING, NOTHING = -1, 0
"""The value of an annotator who has not annotated the document, and of one who marks nothing there."""

Path = tuple[str, ...]
Blocks = dict[str, "csr_array"]
"""Numbers that add up: a sparse matrix float64[documents, columns] by its name."""

Added = Mapping[str, NDArray[np.float64]]
"""The same numbers added up over documents: float64[sums, columns] by name."""

ALL, DETECT, LABEL = "alpha", "alpha_detect", "alpha_label"

PREFIX = "unitising "
"""What the names of the blocks of unitising begin with."""


class SpanRows(NamedTuple):
    """The spans of all annotators as columns, sorted by document, annotator, start, end and label.

    doc, annotator, label, start, end: int64[spans]. Zero-length spans and mentions that the
    text does not have are left out: no unit has them.
    """

    doc: Numbers
    annotator: Numbers
    label: Numbers
    start: Numbers
    end: Numbers


def span_rows(shared: SharedDocuments) -> SpanRows:
    """Return the spans of all annotators as columns; labels by their number in `shared.labels`."""
    number = {label: k for k, label in enumerate(shared.labels)}
    column = {name: k for k, name in enumerate(shared.annotators)}
    found = [
        (doc, column[name], start, end, number[label])
        for doc, each in enumerate(shared.documents)
        for name, spans in each.spans.items()
        for start, end, label in spans
        if start < end and not each.base.is_invented((start, end, label))
    ]
    table = np.array(sorted(found), dtype=np.int64).reshape(-1, 5).T
    return SpanRows(doc=table[0], annotator=table[1], start=table[2], end=table[3], label=table[4])


def lengths(shared: SharedDocuments) -> list[int | None]:
    """Return the length of each document in characters; in tokens if only these are known, None if neither is."""
    return [_length(each.base) for each in shared.documents]


def _length(base: Document) -> int | None:
    if (text := base.own_text) is not None:
        return len(text)
    return None if base.tokens is None else max((end for _, end in base.tokens), default=0)


class Stretches:
    """The stretches of the shared documents that some annotator marks, and each annotator's value there.

    Args:
        shared: The documents.
        spans: Their spans.
        unit: Whether a stretch is a token, or characters between boundaries.

    Raises:
        ValueError: A document has neither a text nor tokens.

    Attributes:
        doc: int64[stretches], the document. weight: int64[stretches], the number of units.
        values: int64[stretches, annotators], numbers of values, `MISSING` or `NOTHING`.
        sets: The set of labels of each number of a value, by its numbers in `shared.labels`.
        first, last: int64[spans], the range of the stretches that each span touches.
        present: bool[documents, annotators], who annotated which document.
        units: int64[documents], the number of units of each document.
        rest: int64[documents], the units that nobody marks.
        having: int64[rows] each: a stretch, a label, and how many annotators have the label there.
    """

    def __init__(self, shared: SharedDocuments, spans: SpanRows, unit: Unit) -> None:
        self.labels: tuple[str, ...] = shared.labels
        self.present: NDArray[np.bool_] = np.array(
            [[name in each.spans for name in shared.annotators] for each in shared.documents]
        )
        edges = _tokens(shared) if unit == "token" else _between_boundaries(shared, spans)
        self.units: Numbers = edges.units
        place = edges.offset[spans.doc]
        first = np.searchsorted(edges.end, spans.start + place, "right")
        last = np.maximum(np.searchsorted(edges.start, spans.end + place, "left"), first)
        size = last - first
        touched = np.repeat(first - np.cumsum(size) + size, size) + np.arange(size.sum())
        of_span = np.repeat(np.arange(len(size)), size)
        used, row = np.unique(touched, return_inverse=True)
        self.doc: Numbers = edges.doc[used]
        self.weight: Numbers = edges.weight[used]
        self.first: Numbers = np.searchsorted(used, first)
        self.last: Numbers = self.first + size
        self._set_values(row, spans.annotator[of_span], spans.label[of_span])
        self.rest: Numbers = self.units - np.bincount(self.doc, self.weight, len(self.units)).astype(np.int64)

    def _set_values(self, row: Numbers, annotator: Numbers, label: Numbers) -> None:
        """Number the sets of labels. Almost all have one label."""
        rows, people = len(self.doc), self.present.shape[1]
        self.values: Numbers = np.where(self.present[self.doc], NOTHING, MISSING).reshape(rows, people)
        marks = np.unique((row * people + annotator) * max(len(self.labels), 1) + label)
        cell, label = np.divmod(marks, max(len(self.labels), 1))
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        sizes = np.diff(starts, append=len(cell))
        self.sets: list[frozenset[int]] = [frozenset(), *(frozenset({k}) for k in range(len(self.labels)))]
        found = label[starts] + 1
        number: dict[frozenset[int], int] = {}
        for k in np.flatnonzero(sizes > 1).tolist():
            value = frozenset(label[starts[k] : starts[k] + sizes[k]].tolist())
            found[k] = number.setdefault(value, len(self.sets))
            if found[k] == len(self.sets):
                self.sets.append(value)
        self.values.flat[cell[starts]] = found
        pairs, having = np.unique(cell // people * max(len(self.labels), 1) + label, return_counts=True)
        self.having: tuple[Numbers, Numbers, Numbers] = (*np.divmod(pairs, max(len(self.labels), 1)), having)

    @cached_property
    def people(self) -> Numbers:
        """int64[documents], how many annotated each document."""
        found: Numbers = self.present.sum(axis=1)
        return found

    def column(self, amounts: NDArray[Any]) -> csr_array:
        """Return amounts per document as a sparse column, float64[documents, 1]."""
        from scipy.sparse import csr_array

        return csr_array(amounts.astype(float).reshape(-1, 1))

    def added(self, amounts: NDArray[Any]) -> NDArray[np.float64]:
        """Return amounts per stretch, float64[stretches], times its units, added up per document."""
        return np.bincount(self.doc, amounts * self.weight, len(self.units)).astype(float)

    def by_value(self, values: Numbers, amounts: NDArray[Any], rest: NDArray[Any]) -> csr_array:
        """Return how often each value occurs in each document, float64[documents, values], sparse.

        Args:
            values: int64[stretches, columns]; negative ones are left out.
            amounts: What each counts, float64[stretches, columns], times the units of the stretch.
            rest: float64[documents], added for `NOTHING`.
        """
        from scipy.sparse import csr_array

        rows, columns = np.nonzero(values >= 0)
        documents = np.arange(len(rest))
        shape = len(rest), int(max(values.max(initial=0), len(self.sets) - 1)) + 1
        data = np.concatenate([(amounts * self.weight[:, None])[rows, columns], rest])
        at = np.concatenate([self.doc[rows], documents]), np.concatenate([values[rows, columns], 0 * documents])
        return csr_array((data, at), shape=shape)

    def equal_pairs(self, values: Numbers) -> NDArray[np.float64]:
        """Return how many ordered pairs of annotators have equal values in each stretch; negative ones are none."""
        found = np.zeros(len(self.doc))
        for k in range(values.shape[1]):
            for other in range(k + 1, values.shape[1]):
                found += 2 * ((values[:, k] == values[:, other]) & (values[:, k] >= 0))
        return found


class _Edges(NamedTuple):
    """Stretches of all documents, one after the other, with the offset of each document."""

    start: Numbers
    end: Numbers
    doc: Numbers
    weight: Numbers
    offset: Numbers
    units: Numbers


def _offsets(sizes: Sequence[int]) -> Numbers:
    """Return where each document begins, if documents follow each other with a gap between them."""
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64) + 1)[:-1]]).astype(np.int64)


def _tokens(shared: SharedDocuments) -> _Edges:
    """Return the tokens: those of the document if all annotators have the same, else what is between white space."""
    listed = [_own_tokens(each.base) for each in shared.documents]
    sizes = [len(words) for words in listed]
    offset = _offsets([max((end for _, end in words), default=0) for words in listed])
    doc = np.repeat(np.arange(len(listed)), sizes)
    both = np.array([word for words in listed for word in words], dtype=np.int64).reshape(-1, 2)
    start, end = (both[:, k] + offset[doc] for k in (0, 1))
    return _Edges(start, end, doc, np.ones(len(doc), dtype=np.int64), offset, np.array(sizes, dtype=np.int64))


def _own_tokens(base: Document) -> list[tuple[int, int]]:
    words = base.words if base.tokens is None else base.tokens
    return words if base.annex is None else [word for word in words if word[1] <= base.annex]


def _between_boundaries(shared: SharedDocuments, spans: SpanRows) -> _Edges:
    known = lengths(shared)
    if None in known:
        raise ValueError(f"document {shared.name_of(known.index(None))} has neither a text nor tokens")
    units = np.array(known, dtype=np.int64)
    offset = _offsets(units.tolist())
    place = offset[spans.doc]
    edges = np.unique(np.concatenate([spans.start + place, spans.end + place]))
    start, end = edges[:-1], edges[1:]
    doc = np.searchsorted(offset, start, "right") - 1
    return _Edges(start, end, doc, end - start, offset, units)


def checked_unit(unit: str) -> Unit:
    """Return a unit. Raise ValueError if there is none of this name.

    >>> checked_unit("char")
    'char'
    """
    for known in UNITS:
        if unit == known:
            return known
    raise ValueError(f"{spell_argument('unit', unit)}: expected {' or '.join(UNITS)}")


# Alpha and kappas on tokens or characters


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


def unit_scores(added: Added, *, equal_numbers: bool) -> Iterator[tuple[Path, Any]]:
    """Yield the scores on units with their paths, float64[sums] each.

    Args:
        added: The sums of `unit_blocks`.
        equal_numbers: Whether every document has the same number of annotators, without which
            there is no Fleiss' kappa.
    """
    yield ("observed",), observed_agreement(added[f"{ALL} agreeing"][:, 0], added[f"{ALL} marginals"])
    for name in (ALL, DETECT, LABEL):
        yield (name,), nominal_alpha(added[f"{name} agreeing"][:, 0], added[f"{name} marginals"])
    if equal_numbers:
        yield ("fleiss",), fleiss_kappa(added[f"{ALL} agreeing"][:, 0], added[f"{ALL} marginals"])


def label_alphas(added: Added) -> NDArray[np.float64]:
    """Return the alpha of each label on units, float64[sums, labels], from the sums of `unit_blocks`."""
    size, having = added["size"], added["label having"]
    found: NDArray[np.float64] = nominal_alpha(
        size + added["label agreeing"], np.stack([size - having, having], axis=-1)
    )
    return found


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


# Alpha for unitising: do annotators find the same stretches of text, and name them alike?


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


LABEL_BLOCKS = ("label having", "label agreeing", "label squares")
"""The blocks with a column for each label, which only the alphas of labels are made of."""


def is_of_labels(block: str) -> bool:
    """Return whether a block has a column for each label."""
    return block.removeprefix(PREFIX) in LABEL_BLOCKS


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


def unitising_scores(added: Added, *, whole: bool) -> Iterator[tuple[Path, Any]]:
    """Yield the alphas with their paths, float64[sums] each.

    Args:
        added: The sums of `unitising_blocks`.
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


def unitising_label_alphas(added: Added) -> NDArray[np.float64]:
    """Return the alpha for unitising of each label, float64[sums, labels], from the sums of `unitising_blocks`."""
    size, having, agreeing, squares = (added[PREFIX + name] for name in ("size", *LABEL_BLOCKS))
    gaps = size - having
    found: NDArray[np.float64] = unitising_alpha(size + agreeing, np.stack([gaps, having], axis=-1), squares + gaps)
    return found


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
