"""Tag sequences as Python lists: their spans in tokens, all sequences of a side at once, as arrays.

The rules are those of `formats.tags`, which reads files line by line; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import Reading, checked
from ..core.messages import named, quoted, shortened
from ..core.spans import Document, PlainSpan
from .formats.tags import MISSING, PREFIXES

OUT, B, I, L, U = range(5)  # noqa: E741  # the letters of the field
NUMBERS = {"B": B, "I": I, "L": L, "U": U}

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Tagged(NamedTuple):
    """A tag sequence that has been read: its length, its spans in tokens, and what was odd about it.

    Args:
        length: The number of tags.
        spans: (first token, token after the last, label).
        repaired: The number of spans that the scheme does not allow.
        gaps: The numbers of the tokens tagged "-", which have no annotation.
    """

    length: int
    spans: list[PlainSpan]
    repaired: int
    gaps: list[int]


class TokenDocument(Document):
    """A document of tags alone, without words: offsets count tokens."""

    def __init__(self, gold: Iterable[Sequence[Any]], pred: Iterable[Sequence[Any]], length: int) -> None:
        super().__init__(gold, pred)
        self.tokens: list[tuple[int, int]] | None = _unit_tokens(length)

    def unigrams(self, *_: Any, **__: Any) -> Iterator[Any]:
        """Raise ValueError: the words are not known."""
        raise ValueError(f"words need the text: give {named('tokens')}, the words of each document")


@lru_cache(maxsize=1024)
def _unit_tokens(length: int) -> list[tuple[int, int]]:
    return [(k, k + 1) for k in range(length)]


def read_tags(
    sequences: Sequence[Sequence[str] | None], side: str, scheme: str = "auto", repair: str = "error"
) -> list[Tagged]:
    """Read the tag sequences of one side of a corpus.

    Args:
        sequences: A sequence of tags per document; None for a document without annotation.
        side: What the side is called in errors: "gold" or "pred".
        scheme: One of `arguments.SCHEMES`; "auto" infers it from all sequences together. In IO, the
            whole tag is the label.
        repair: What to do with a span that the scheme does not allow: "error" raises ValueError, "conll" keeps it as
            conlleval reads it, "discard" leaves it out.

    Returns:
        One `Tagged` per sequence.

    Raises:
        ValueError: A tag is not a tag, the tags are of several kinds, or the scheme does not
            allow a span and `repair` is "error". Names the side, the document and the tag.

    >>> [tagged.spans for tagged in read_tags([["I-PER", "I-PER", "B-PER", "O"], []], "gold", repair="conll")]
    [[(0, 2, 'PER'), (2, 3, 'PER')], []]
    >>> read_tags([["PER", "PER", "O", "LOC"]], "gold")[0].spans
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    checked(Reading(scheme=scheme, repair=repair))
    lengths = [0 if tags is None else len(tags) for tags in sequences]
    number = _Numbers()
    every = chain.from_iterable(tags for tags in sequences if tags is not None)
    try:
        code = np.fromiter(map(number.__getitem__, every), dtype=np.int64, count=sum(lengths))
    except TypeError:  # a list or a dict has no number
        raise _not_a_tag(sequences, side, lambda tag: not isinstance(tag, str)) from None
    table, chosen = _letters(list(number), sequences, side, scheme)
    flat = _Flat.of(table[0][code], table[1][code], lengths)
    allowed = np.ones(len(flat.begin), dtype=bool)
    if chosen != "IO":
        chosen = flat.scheme() if chosen == "auto" else chosen
        allowed = flat.allowed(chosen)
        if repair == "error" and not allowed.all():
            raise _violation(sequences, side, flat, int(np.flatnonzero(~allowed)[0]), chosen)
    return _split(flat, allowed, repair, lengths, labels=table[2], missing=code == number.get(MISSING, -1))


class _Numbers(dict[Any, int]):
    """Numbers things in the order in which they are asked for."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number


def _letters(
    tags: Sequence[Any], sequences: Sequence[Sequence[str] | None], side: str, scheme: str
) -> tuple[tuple[Numbers, Numbers, list[str]], str]:
    """Return the letter and the label number of each distinct tag, the labels, and the scheme as far as it shows."""
    for tag in tags:
        if not isinstance(tag, str) or not tag:
            raise _not_a_tag(
                sequences, side, lambda other, tag=tag: other is tag or (other == tag and bool(tag) is bool(other))
            )
    marked = {tag: _prefixed(tag) for tag in tags if tag not in ("O", MISSING)}
    if scheme == "auto" and marked and not any(marked.values()):
        if bare := [tag for tag in marked if tag in PREFIXES]:
            raise ValueError(
                f"{_place(sequences, side, bare[0])} is {bare[0]!r}, which has no label; expected a tag such as "
                f"'{bare[0]}-PER', or scheme=\"IO\" if it is a label"
            )
        scheme = "IO"
    if scheme != "IO" and (odd := [tag for tag, prefixed in marked.items() if not prefixed]):
        other = next((tag for tag, prefixed in marked.items() if prefixed), "B-PER")
        raise ValueError(
            f"{_place(sequences, side, odd[0])} is {quoted(odd[0])}, which is not a tag; expected O, or B-, I-, L-, "
            f'U-, E- or S- with a label, such as {quoted(other)}; tags without any prefix are read with scheme="IO"'
        )
    labels = _Numbers({"": 0})
    rows = [(OUT, 0) if tag not in marked else _row(tag, scheme, labels) for tag in tags]
    letters, numbers = (np.array([row[k] for row in rows], dtype=np.int64) for k in (0, 1))
    return (letters, numbers, list(labels)), "BILUO" if scheme == "BIOES" else scheme


def _row(tag: str, scheme: str, labels: _Numbers) -> tuple[int, int]:
    if scheme == "IO":
        return I, labels[tag]
    return NUMBERS[PREFIXES[tag[0]]], labels[tag[2:]]


def _prefixed(tag: str) -> bool:
    return len(tag) > 2 and tag[1] == "-" and tag[0] in PREFIXES


class _Flat(NamedTuple):
    """All tags of a side, one after the other, and the spans that conlleval reads in them.

    letter, label, sequence: int64[tags]. begin, end: int64[spans], places among the tags.
    joins: bool[spans], whether a span of the same label ends where this one begins.
    """

    letter: Numbers
    label: Numbers
    sequence: Numbers
    begin: Numbers
    end: Numbers
    joins: Flags

    @classmethod
    def of(cls, letter: Numbers, label: Numbers, lengths: Sequence[int]) -> _Flat:
        sequence = np.repeat(np.arange(len(lengths)), lengths)
        follows = np.zeros(len(letter), dtype=bool)  # the tag before is of the same sequence and label
        follows[1:] = (sequence[1:] == sequence[:-1]) & (label[1:] == label[:-1]) & (letter[1:] != OUT)
        before = np.roll(letter, 1)
        goes_on = follows & ((letter == I) | (letter == L)) & ((before == B) | (before == I))
        begin = np.flatnonzero((letter != OUT) & ~goes_on)
        stops = np.append(np.flatnonzero(~goes_on), len(letter))
        end = stops[np.searchsorted(stops, begin, side="right")]
        return cls(letter, label, sequence, begin, end, follows[begin])

    def scheme(self) -> str:
        """Return the scheme, as `formats.tags.Scheme` infers it."""
        first = self.letter[self.begin]
        if (self.letter >= L).any():
            return "BILUO"
        if ((first == B) & ~self.joins).any() or not (first == I).any():
            return "IOB2"
        return "IOB1"

    def allowed(self, scheme: str) -> Flags:
        """Return whether the scheme can write each span."""
        first, last, single = self.letter[self.begin], self.letter[self.end - 1], self.end - self.begin == 1
        if scheme == "BILUO":
            allowed: Flags = np.where(single, first == U, (first == B) & (last == L))
            return allowed
        inside: Flags = (last == B) | (last == I)
        found: Flags = inside & ((first == B) | ((scheme == "IOB1") & (first == I)))
        return found


def _split(
    flat: _Flat, allowed: Flags, repair: str, lengths: Sequence[int], *, labels: Sequence[str], missing: Flags
) -> list[Tagged]:
    kept = allowed if repair == "discard" else np.ones_like(allowed)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    sequence = flat.sequence[flat.begin[kept]]
    origin = offsets[sequence]
    starts, ends = (flat.begin[kept] - origin).tolist(), (flat.end[kept] - origin).tolist()
    named = map(labels.__getitem__, flat.label[flat.begin[kept]].tolist())
    spans = [*zip(starts, ends, named)]
    edges = np.searchsorted(sequence, np.arange(len(lengths) + 1)).tolist()
    repaired = np.bincount(flat.sequence[flat.begin[~allowed]], minlength=len(lengths)).tolist()
    gaps: dict[int, list[int]] = {}
    for place in np.flatnonzero(missing).tolist():
        at = int(flat.sequence[place])
        gaps.setdefault(at, []).append(place - int(offsets[at]))
    return [
        Tagged(length, spans[a:b], odd, gaps.get(k, []))
        for k, (length, a, b, odd) in enumerate(zip(lengths, edges, edges[1:], repaired))
    ]


def _violation(
    sequences: Sequence[Sequence[str] | None], side: str, flat: _Flat, number: int, scheme: str
) -> ValueError:
    begin = int(flat.begin[number])
    document = int(flat.sequence[begin])
    place = begin - int(np.searchsorted(flat.sequence, document))
    tag = (sequences[document] or ())[place]
    what = "is not ended by an L or E" if flat.letter[begin] == B else "continues no span"
    return ValueError(
        f"{side}, document {document}: tag {place}, {tag}, {what}, and the tags are {scheme}; "
        f"use {named('repair', 'conll')} to read it as a span, or {named('repair', 'discard')} to leave it out"
    )


def _place(sequences: Sequence[Sequence[str] | None], side: str, tag: Any) -> str:
    for document, tags in enumerate(sequences):
        for k, other in enumerate(tags if tags is not None else ()):
            if type(other) is type(tag) and other == tag:
                return f"{side}, document {document}: tag {k}"
    raise AssertionError("the tag is of these sequences")


def _not_a_tag(sequences: Sequence[Sequence[str] | None], side: str, is_odd: Any) -> ValueError:
    document, place, tag = next(
        (document, place, tag)
        for document, tags in enumerate(sequences)
        for place, tag in enumerate(tags if tags is not None else ())
        if is_odd(tag)
    )
    where = f"{side}, document {document}: tag {place} is {shortened(repr(tag))}"
    if isinstance(tag, (int, np.integer)) and not isinstance(tag, bool):
        return ValueError(
            f"{where}, a number without a name; expected tags such as 'B-PER': give {named('tag_names')}, the names in "
            "their order or the model's id2label"
        )
    return ValueError(f"{where}; expected a tag such as 'B-PER' or 'O'")
