"""Documents as Hypothesis draws them: short, dense and awkward.

Offsets stay below 15 and labels are few, so that spans collide in every way
they can. Every document has a text and tokens, so that any metric can judge it.
"""

from collections.abc import Sequence
from functools import cache

from hypothesis import strategies as st

from spacy_nereval import Document, Span

LABELS = ("AB", "ABC", "ABCD")
ROOM = (14, 9, 5)  # the less room, the more spans share boundaries
SLIPS = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1))


def tokenised(pieces: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A text and its tokens; as in spaCy a single space is part of no token.

    >>> tokenised(["ab", " ", "a", "  ", ","])
    ('ab a  ,', ((0, 2), (3, 4), (4, 6), (6, 7)))
    """
    text, tokens = "", []
    for piece in pieces:
        if piece != " ":
            tokens.append((len(text), len(text) + len(piece)))
        text += piece
    return text, tuple(tokens)


# Words alike but for their case, words within words, repetition, white space of every kind.
TEXTS = (
    tokenised(["a", " ", "b", " ", "a", " ", "ab", " ", "b", " ", "a", " ", "b"]),
    tokenised(["ab", " ", "AB", " ", "a", ",", "b", " ", "Ab", " ", "b"]),
    tokenised(["aaa", " ", "aa", " ", "a", "  ", "A", " ", "AA"]),
    tokenised(["\n", "ab", "\n\n", "ba", " ", "\t", " ", "a", ".", "a", "b"]),
    tokenised(["abc", "'", "d", " ", "a", "-", "b", " ", "(", "a", ")", " ", "c"]),
    tokenised(["abab", " ", "İ", "ß", " ", "ab", " ", " ", " ", "i", " "]),
)


SOME_TEXT = st.sampled_from(TEXTS)


Meeting = tuple[Span | None, Span | None]
"""A gold span and what was predicted about there, or one without the other."""


def meetings(room: int, labels: str) -> list[Meeting]:
    """Every span of up to six characters in a text of that length: missed, spurious,
    found, found under another label, and found with either end off by one."""
    found: list[Meeting] = []
    for label in labels:
        for start in range(room + 1):
            for end in range(start, min(start + 6, room) + 1):
                span = Span(start, end, label)
                found += [(span, None), (None, span), (span, span), (span, span)] * 2
                found += [(span, Span(start, end, other)) for other in labels if other != label]
                for a, b in SLIPS:
                    if 0 <= start + a <= end + b <= room:
                        found.append((span, Span(start + a, end + b, labels[(start + end) % len(labels)])))
    return found


MEETINGS = [st.sampled_from(meetings(room, labels)) for room in ROOM for labels in LABELS]


@cache
def several(most: int) -> st.SearchStrategy[list[Meeting]]:
    """So many meetings or fewer, all of them of one of those texts and with its labels."""
    return st.one_of([st.lists(meeting, max_size=most) for meeting in MEETINGS])


@st.composite
def nested(draw: st.DrawFn, most: int = 5) -> Document:
    """Spans that overlap, nest, repeat, share boundaries under several labels, or have length zero."""
    met = draw(several(most))
    text, tokens = draw(SOME_TEXT)
    return Document([gold for gold, _ in met if gold], [pred for _, pred in met if pred], text, tokens=tokens)


def flat(most: int = 5) -> st.SearchStrategy[Document]:
    """Spans as BIO tags can write them: none is empty and none overlaps one of its own side."""

    def flattened(doc: Document) -> Document:
        sides: list[list[Span]] = [[], []]
        for side, spans in zip(sides, (doc.gold, doc.pred)):
            for span in spans:
                if span.start < span.end and not any(span.overlaps(other) for other in side):
                    side.append(span)
        return Document(*sides, doc.text, tokens=doc.tokens)

    return nested(most).map(flattened)


def corpora(documents: st.SearchStrategy[Document] = nested(), most: int = 3) -> st.SearchStrategy[list[Document]]:
    """A few documents, or none."""
    return st.lists(documents, max_size=most)
