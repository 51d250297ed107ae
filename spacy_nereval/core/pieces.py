"""Spans with gaps, such as `left … knee pain`: their pieces, boundaries, size and overlap.

A span is (start, end, label) everywhere. A span with gaps has an `EndOfPieces` as its end, which knows the pieces. Two
such spans are equal only if their pieces are, in sets and dicts too, so code that compares spans needs no case for
gaps; code that measures them uses the functions here. Spans without gaps have ends that are plain whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from .messages import spell_argument

Boundaries = Sequence[Any]
"""Anything that begins with (start, end), in characters or tokens."""

Pieces = tuple[tuple[int, int], ...]
"""The (start, end) of stretches that do not touch, in order."""

ELLIPSIS = " … "
"""The sign for a gap where the words of a span are shown."""

B = TypeVar("B", bound=Boundaries)


class EndOfPieces(int):
    """The end of a span with gaps, with the pieces of the span.

    It is compared by `<` and `>` as the whole number that it is. It is equal only to the end of the same pieces.
    Differences of ends would count gaps, so they are errors: see `size` and `shared_characters`.

    >>> end = EndOfPieces(((0, 4), (15, 24)))
    >>> end, end == 24, end == EndOfPieces(((0, 4), (15, 24))), end > 23
    (24 of [0, 4) [15, 24), False, True, True)
    """

    pieces: Pieces

    def __new__(cls, pieces: Pieces) -> EndOfPieces:
        end = super().__new__(cls, pieces[-1][1])
        end.pieces = pieces
        return end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EndOfPieces) and self.pieces == other.pieces

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.pieces)

    def __repr__(self) -> str:
        return f"{self} of {describe_pieces(self.pieces)}"

    def __str__(self) -> str:
        return int.__repr__(self)

    def __reduce__(self) -> tuple[type[EndOfPieces], tuple[Pieces]]:
        return type(self), (self.pieces,)

    def _refuse(self, other: object = None) -> NoReturn:
        raise ValueError(
            f"the span {describe_pieces(self.pieces)} has gaps, which are not possible here: read it with "
            f"{spell_argument('discontinuous', 'hull')} from its first to its last character, or with "
            f"{spell_argument('discontinuous', 'parts')} as one span per piece"
        )

    if not TYPE_CHECKING:  # as whole numbers have them, for types
        __add__ = __radd__ = __sub__ = __rsub__ = _refuse


def has_gaps(span: Boundaries) -> bool:
    """Return whether a span has gaps.

    >>> has_gaps((0, 24, "SIGN")), has_gaps((0, EndOfPieces(((0, 4), (15, 24))), "SIGN"))
    (False, True)
    """
    return isinstance(span[1], EndOfPieces)


def any_gaps(*sides: Iterable[Boundaries]) -> bool:
    """Return whether any span of some lists has gaps."""
    for side in sides:  # plain loops, since this is asked for every document
        for span in side:
            if span[1].__class__ is EndOfPieces:
                return True
    return False


def pieces_of(span: Boundaries) -> Pieces:
    """Return the pieces of a span; itself as the only one if it has no gaps.

    >>> pieces_of((2, 5, "SIGN"))
    ((2, 5),)
    """
    end = span[1]
    return end.pieces if isinstance(end, EndOfPieces) else ((span[0], end),)


def meets_any(span: Boundaries, stretches: Iterable[Boundaries]) -> bool:
    """Return whether a span shares a character with any of the stretches.

    >>> meets_any((0, EndOfPieces(((0, 4), (15, 24)))), [(5, 8)]), meets_any((0, 9), [(5, 8)])
    (False, True)
    """
    return any(shared_characters(span, stretch) for stretch in stretches)


def check_no_gaps(spans: Iterable[Boundaries]) -> None:
    """Raise ValueError if a span has gaps, where these are not possible."""
    for span in spans:
        if isinstance(span[1], EndOfPieces):
            span[1]._refuse()


def join_pieces(pieces: Iterable[Sequence[int]], text: str | None = None) -> tuple[int, int]:
    """Return the start and the end of a span with these pieces, in any order; the end knows them if there are gaps.

    Pieces that touch are one, and with the text pieces that have white space alone between them too.

    Raises:
        ValueError: There is no piece, a piece is empty, or two pieces overlap.

    >>> join_pieces([(15, 24), (0, 4)]), join_pieces([(0, 4), (4, 9)]), join_pieces([(0, 4), (5, 9)], "left knee")
    ((0, 24 of [0, 4) [15, 24)), (0, 9), (0, 9))
    """
    joined: list[tuple[int, int]] = []
    listed = sorted((start, end) for start, end in pieces)
    for start, end in listed:
        if start == end and len(listed) > 1:
            raise ValueError(f"the piece [{start}, {end}) is empty")
        if joined and start < joined[-1][1]:
            raise ValueError(f"the pieces {describe_pieces((joined[-1], (start, end)))} overlap")
        between = None if text is None or not joined else text[joined[-1][1] : start]
        if joined and (start == joined[-1][1] or (between is not None and not between.strip())):
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    if not joined:
        raise ValueError("there are no pieces")
    return joined[0][0], joined[0][1] if len(joined) == 1 else EndOfPieces((*joined,))


def move_span(span: Sequence[Any], place: Callable[[int, int], tuple[int, int]]) -> tuple[int, int, str]:
    """Return a span with each of its pieces at another place.

    >>> move_span((0, EndOfPieces(((0, 4), (15, 24))), "SIGN"), lambda start, end: (start + 1, end + 1))
    (1, 25 of [1, 5) [16, 25), 'SIGN')
    """
    start, end, label = span
    if not isinstance(end, EndOfPieces):
        return *place(start, end), label
    places = [place(*piece) for piece in end.pieces]
    return *join_pieces([piece for piece in places if piece[0] < piece[1]] or places[:1]), label


def relative_pieces(span: Boundaries) -> Pieces:
    """Return the pieces of a span with gaps, counted from its start; none for a span without gaps.

    >>> relative_pieces((3, EndOfPieces(((3, 4), (15, 24))))), relative_pieces((3, 24))
    (((0, 1), (12, 21)), ())
    """
    return tuple((a - span[0], b - span[0]) for a, b in pieces_of(span)) if has_gaps(span) else ()


def place_pieces(start: int, end: int, relative: Pieces) -> int:
    """Return the end of a span that begins at `start` and has the pieces of `relative_pieces`."""
    return EndOfPieces(tuple((start + a, start + b) for a, b in relative)) if relative else end


def describe_pieces(pieces: Iterable[tuple[int, int]]) -> str:
    """Return pieces as text.

    >>> describe_pieces([(0, 4), (15, 24)])
    '[0, 4) [15, 24)'
    """
    return " ".join(f"[{start}, {end})" for start, end in pieces)


def span_row(span: Sequence[Any]) -> dict[str, Any]:
    """Return a span as JSON has it: start, end and label, and the pieces if it has gaps.

    >>> span_row((0, EndOfPieces(((0, 4), (15, 24))), "SIGN"))
    {'start': 0, 'end': 24, 'label': 'SIGN', 'pieces': [[0, 4], [15, 24]]}
    """
    row = dict(zip(("start", "end", "label"), (*hull(span), span[2])))
    return row | ({"pieces": [[*piece] for piece in pieces_of(span)]} if has_gaps(span) else {})


def write_offsets(span: Boundaries) -> str:
    """Return the offsets of a span as brat writes them.

    >>> write_offsets((0, EndOfPieces(((0, 4), (15, 24)))))
    '0 4;15 24'
    """
    return ";".join(f"{start} {end}" for start, end in pieces_of(span))


def hull(span: Boundaries) -> tuple[int, int]:
    """Return the start and the end of a span as plain numbers, as if it had no gaps."""
    return span[0], int.__index__(span[1])


def size(span: Boundaries) -> int:
    """Return the number of characters, or tokens, of a span without its gaps.

    >>> size((0, EndOfPieces(((0, 4), (15, 24)))))
    13
    """
    end = span[1]
    length: int = sum(b - a for a, b in end.pieces) if isinstance(end, EndOfPieces) else end - span[0]
    return length


def shared_characters(one: Boundaries, other: Boundaries) -> int:
    """Return the number of characters, or tokens, that two spans share.

    Args:
        one, other: The spans.

    >>> shared_characters((0, EndOfPieces(((0, 4), (15, 24)))), (2, 20))
    7
    """
    a, b, c, d = one[0], one[1], other[0], other[1]
    number: int
    if isinstance(b, EndOfPieces) or isinstance(d, EndOfPieces):
        number = sum(max(0, min(b, d) - max(a, c)) for a, b in pieces_of(one) for c, d in pieces_of(other))
    else:  # without calls, since this is asked for every pair
        number = (b if b < d else d) - (a if a > c else c)
    return number if number > 0 else 0


def covered_text(text: str, span: Boundaries, between: str = ELLIPSIS) -> str:
    """Return the words of a span.

    Args:
        text: The text.
        span: The span.
        between: The text for a gap of the span.

    >>> covered_text("left and right knee pain", (0, EndOfPieces(((0, 4), (15, 24))), "SIGN"))
    'left … knee pain'
    """
    end = span[1]
    if not isinstance(end, EndOfPieces):  # without a join, since this is asked for every span
        return text[span[0] : end]
    return between.join(text[start:end] for start, end in end.pieces)


def sorted_spans(spans: Iterable[B]) -> list[B]:
    """Return spans sorted by start, end, pieces and label: an order that does not depend on that of the input."""
    listed = [*spans]
    if any_gaps(listed):
        return sorted(listed, key=order_key)
    # Spans are tuples, which have an order; `B` promises any sequence.
    return sorted(listed)  # type: ignore[type-var]


def order_key(span: Boundaries) -> tuple[Any, ...]:
    """Return a key by which spans are sorted: start, end, pieces if there are gaps, and label.

    Args:
        span: The span.

    >>> order_key((0, 9, "PER")) < order_key((0, EndOfPieces(((0, 3), (5, 9))), "PER"))
    True
    """
    start, end, *others = span
    if not isinstance(end, EndOfPieces):  # without calls, since this is asked for every verdict
        return start, end, (), *others
    return start, int.__index__(end), end.pieces, *others
