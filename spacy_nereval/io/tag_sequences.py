"""Tag sequences as Python lists: their spans in tokens, by the rules of `formats.tags`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import Reading, checked
from ..core.messages import named, quoted, shortened
from ..core.spans import Document, PlainSpan
from .formats.tags import MISSING, PREFIXES, Scheme, everywhere, kept_chunks


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
    try:
        tags = [*dict.fromkeys(chain.from_iterable(sequence for sequence in sequences if sequence is not None))]
    except TypeError:  # a list or a dict is no key
        raise _not_a_tag(sequences, side, lambda tag: not isinstance(tag, str)) from None
    chosen = _scheme(tags, sequences, side, scheme)
    read: list[Sequence[str]] = [sequence if sequence is not None else () for sequence in sequences]
    if chosen == "IO":  # equal neighbours are one span, as with the prefix I, which IOB1 allows everywhere
        read = [[tag if tag in ("O", MISSING) else f"I-{tag}" for tag in sequence] for sequence in read]
    used = Scheme({"auto": "", "IO": "IOB1", "BIOES": "BILUO"}.get(chosen, chosen))
    seen = [used.see(sequence, everywhere(f"document {number}")) for number, sequence in enumerate(read)]
    found = []
    for number, (sequence, own) in enumerate(zip(read, seen)):
        where = partial("{}, document {}, tag {}".format, side, number)
        kept, repaired = kept_chunks(own, sequence, used, None if repair == "error" else repair, where)
        gaps = [k for k, tag in enumerate(sequence) if tag == MISSING] if MISSING in sequence else []
        found.append(Tagged(len(sequence), [chunk[:3] for chunk in kept], repaired, gaps))
    return found


def _scheme(tags: Sequence[Any], sequences: Sequence[Sequence[str] | None], side: str, scheme: str) -> str:
    """Return the scheme as far as the distinct tags show it.

    Raises:
        ValueError: A tag is not a tag, or the tags are of several kinds.
    """
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
                f"'{bare[0]}-PER', or {named('scheme', 'IO')} if it is a label"
            )
        scheme = "IO"
    if scheme != "IO" and (odd := [tag for tag, prefixed in marked.items() if not prefixed]):
        other = next((tag for tag, prefixed in marked.items() if prefixed), "B-PER")
        raise ValueError(
            f"{_place(sequences, side, odd[0])} is {quoted(odd[0])}, which is not a tag; expected O, or B-, I-, L-, "
            f"U-, E- or S- with a label, such as {quoted(other)}; tags without any prefix are read with "
            f"{named('scheme', 'IO')}"
        )
    return scheme


def _prefixed(tag: str) -> bool:
    return len(tag) > 2 and tag[1] == "-" and tag[0] in PREFIXES


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
