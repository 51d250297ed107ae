"""The edges of spans: trimming, joining, and signs of wrong edges.

Spans with inclusive ends, or with white space at an edge, match nothing. Both
is common in the output of other tools, so it is noticed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from .messages import PlainSpan, highest_scores, is_finite_number, spell_argument
from .pieces import any_gaps, hull, join_pieces, move_span, pieces_of

Wholes = NDArray[np.int64]

FEWEST = 3
"""Minimum number of spans by which the ends of a side are judged."""

NEARLY_ALL = 0.9
"""The share of the spans of a side that have to look inclusive."""

WORD = re.compile(r"\w")

SIGNS = ("space", "cut", "placed", "short", "empty")
"""The signs of `EdgeCounter`."""

TOGETHER = 1 << 19
"""Edges are judged when the texts that were added have this many characters."""


def trim_span(span: PlainSpan, text: str, trim: str) -> PlainSpan:
    """Return a span without white space at its edges, or without punctuation too; a span of nothing else as it is.

    Pieces of a span with gaps are trimmed one by one.

    >>> trim_span((0, 5, "PER"), " Ada,", "space"), trim_span((0, 5, "PER"), " Ada,", "space,punct")
    ((1, 5, 'PER'), (1, 4, 'PER'))
    """
    punctuation = "punct" in trim

    def trim_piece(start: int, end: int) -> tuple[int, int]:
        while start < end and _is_trimmed(text[start], punctuation):
            start += 1
        while start < end and _is_trimmed(text[end - 1], punctuation):
            end -= 1
        return start, end

    trimmed = move_span(span, trim_piece)
    return trimmed if trimmed[0] < trimmed[1] else span


def _is_trimmed(character: str, punctuation: bool) -> bool:
    return character.isspace() or (punctuation and category(character)[0] == "P")


def join_spans(spans: Iterable[PlainSpan], text: str) -> dict[PlainSpan, PlainSpan]:
    """Return spans with the spans that they become part of: those of one label with white space alone between them.

    >>> join_spans([(0, 3, "PER"), (4, 8, "PER"), (8, 9, "PER")], "Ada King.")
    {(0, 3, 'PER'): (0, 8, 'PER'), (4, 8, 'PER'): (0, 8, 'PER'), (8, 9, 'PER'): (8, 9, 'PER')}
    """
    result: dict[PlainSpan, PlainSpan] = {}
    of_label: dict[str, list[PlainSpan]] = {}
    for span in sorted(set(spans)):
        of_label.setdefault(span[2], []).append(span)
    for label, listed in of_label.items():
        groups: dict[PlainSpan, list[PlainSpan]] = {span: [span] for span in listed}
        by_end = sorted(listed, key=lambda span: span[1])
        ends = [end for _, end, _ in by_end]
        for span in listed:
            before = span[0]
            while before and text[before - 1].isspace():
                before -= 1
            for other in by_end[bisect_left(ends, before) : bisect_right(ends, span[0] - 1)]:
                if groups[other] is not groups[span] and other[0] < span[0]:
                    groups[other] += groups[span]
                    for member in groups[span]:
                        groups[member] = groups[other]
        for group in {id(group): group for group in groups.values()}.values():
            result |= dict.fromkeys(group, (*_unite(group, text), label))
    return result


def _unite(spans: Sequence[PlainSpan], text: str) -> tuple[int, int]:
    """Return the start and the end of a span that has the characters of all spans, and the white space between them."""
    if not any_gaps(spans):
        return min(start for start, _, _ in spans), max(end for _, end, _ in spans)
    covered = {place for span in spans for piece in pieces_of(span) for place in range(*piece)}
    return join_pieces(((place, place + 1) for place in covered), text)


class EditedSpans:
    """The spans of a side after trimming and joining.

    Args:
        spans: The spans with their new labels.
        text: The text without invented mentions, which keep their spans; None if it is not known.
        trim: The characters to remove from the edges, one of `arguments.TRIMS`; "" for nothing.
        join: Whether spans of one label with white space alone between them are joined then.

    Attributes:
        spans: The spans, each once.
        trimmed: How many spans were trimmed. equal: how many became equal to another one by it. joined: how many
            became part of another one.

    Raises:
        ValueError: The text is needed, and not known.

    >>> edited = EditedSpans([(0, 4, "PER"), (0, 3, "PER"), (4, 8, "PER")], "Ada King", "space", True)
    >>> edited.spans, edited.trimmed, edited.equal, edited.joined
    ([(0, 8, 'PER')], 1, 1, 1)
    """

    def __init__(self, spans: Iterable[PlainSpan], text: str | None, trim: str = "", join: bool = False) -> None:
        self._trimmed = {span: span for span in spans}
        self._joined: dict[PlainSpan, PlainSpan] = {}
        if (trim or join) and text is None:
            raise ValueError(
                f"{spell_argument('trim' if trim else 'join', trim or True)} needs the text, and a document has none: "
                "give every document its text"
            )
        if trim and text is not None:
            self._trimmed = {s: trim_span(s, text, trim) if s[1] <= len(text) else s for s in self._trimmed}
        distinct = [*dict.fromkeys(self._trimmed.values())]
        if join and text is not None:
            self._joined = join_spans((span for span in distinct if span[1] <= len(text)), text)
        self.spans: list[PlainSpan] = [*dict.fromkeys(self._joined.get(span, span) for span in distinct)]
        self.trimmed: int = sum(span != part for span, part in self._trimmed.items())
        self.equal: int = len(self._trimmed) - len(distinct)
        self.joined: int = len(distinct) - len(self.spans)

    def whole(self, span: PlainSpan) -> PlainSpan:
        """Return the final form of a given span."""
        trimmed = self._trimmed[span]
        return self._joined.get(trimmed, trimmed)

    def map_scores(self, scores: Mapping[PlainSpan, Any]) -> Mapping[PlainSpan, Any]:
        """Return the score of each span: the highest of those that became equal, the lowest of those that were joined.

        >>> edited = EditedSpans([(0, 3, "PER"), (4, 8, "PER")], "Ada King", join=True)
        >>> edited.map_scores({(0, 3, "PER"): 0.9, (4, 8, "PER"): 0.2})
        {(0, 8, 'PER'): 0.2}
        """
        if not self.trimmed and not self.joined:
            return scores
        trimmed = highest_scores((self._trimmed[span], score) for span, score in scores.items())
        lowest: dict[PlainSpan, Any] = {}
        for span, score in trimmed.items():
            whole = self._joined.get(span, span)
            is_kept = whole not in lowest or not is_finite_number(score)
            if is_kept or (is_finite_number(lowest[whole]) and score < lowest[whole]):
                lowest[whole] = score
        return lowest


Signs = Counter[tuple[str, str]]
"""Numbers of spans by (side, sign): all "spans", and those that look odd; or a sentence about how a side was read."""


class EdgeCounter:
    """Counts the spans with odd edges on each side, and notes on how sides were read.

    The signs: "space", white space at an edge; "cut", the end is one character before that of a word; "placed", the
    span begins where one of another side begins; "short", it also ends one character before that one does; "empty", it
    has no character.

    >>> counter = EdgeCounter()
    >>> counter.add({"gold": [(0, 3, "PER")], "pred": [(0, 2, "PER"), (3, 7, "LOC")]}, "Ada met Bob")
    >>> signs = counter.signs
    >>> signs["pred", "cut"], signs["pred", "short"], signs["pred", "space"], signs["gold", "cut"]
    (1, 1, 1, 0)
    """

    def __init__(self) -> None:
        self._signs: Signs = Counter()
        self._texts: list[str] = []
        self._length = 0  # of these texts, joined by line breaks
        self._places: dict[str, list[int]] = {}  # of each side, start and end of spans in the joined texts, in turn

    def add(
        self,
        sides: Mapping[str, Collection[PlainSpan]],
        text: str | None,
        notes: Collection[tuple[str, str]] = (),
    ) -> None:
        """Add a document.

        Args:
            sides: The spans of each side.
            text: The text without invented mentions, which are not judged; None if it is not known.
            notes: Notes on how a side was read, as (side, sentence).
        """
        if notes:
            self._signs.update(notes)
        if text is None:
            return
        offset, length = self._length, len(text)
        for side, spans in sides.items():
            if spans:
                self._signs[side, "spans"] += len(spans)
                places = self._places.setdefault(side, [])
                for span in spans:
                    start, end = hull(span)
                    if end <= length:
                        places += (start + offset, end + offset)
        self._add_texts([text])

    def add_columns(self, sides: Mapping[str, tuple[Wholes, Wholes, Wholes]], texts: Sequence[str | None]) -> None:
        """Add several documents.

        Args:
            sides: For each side the index of the document, the start and the end of its spans, int64[spans] each.
            texts: The texts, as for `add`.
        """
        lengths = np.array([-1 if text is None else len(text) for text in texts], dtype=np.int64)
        offsets = self._length + np.cumsum(lengths + 1) - lengths - 1
        for side, (document, start, end) in sides.items():
            self._signs[side, "spans"] += int((lengths[document] >= 0).sum())
            is_judged = end <= lengths[document]
            places = np.stack([start, end])[:, is_judged] + offsets[document[is_judged]]
            self._places.setdefault(side, []).extend(places.T.ravel().tolist())
        self._add_texts([text for text in texts if text is not None])

    def _add_texts(self, texts: Sequence[str]) -> None:
        self._texts += texts
        self._length += sum(map(len, texts)) + len(texts)
        if self._length > TOGETHER:
            self._judge()

    @property
    def signs(self) -> Signs:
        """The signs of the documents so far."""
        self._judge()
        return +self._signs

    def _judge(self) -> None:
        """Count the signs of the documents that were added last: at once, since that takes a fifth of the time."""
        characters = np.frombuffer("\n".join([*self._texts, "", ""]).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        places = {side: np.array(numbers, np.int64).reshape(-1, 2).T for side, numbers in self._places.items()}
        for side, (start, end) in places.items():
            codes, index = np.unique(characters[[start, end - 1, end, end + 1]], return_inverse=True)
            kinds = [(chr(code).isspace(), bool(WORD.match(chr(code)))) for code in codes.tolist()]
            space, word = np.array(kinds, bool).reshape(-1, 2)[index.reshape(4, -1)].transpose(2, 0, 1)
            spaced = (start < end) & (space[0] | space[1])
            cut = ~spaced & ((start == end) | (word[1] & word[2])) & ~(word[2] & word[3]) & ~space[2]
            others = np.concatenate([np.zeros((2, 0), np.int64), *(places[name] for name in places if name != side)], 1)
            spans, longer, other = (a * self._length + b for a, b in ((start, end), (start, end + 1), others))
            short = np.isin(longer, other) & ~np.isin(spans, other)
            for sign, has_sign in zip(SIGNS, (spaced, cut, np.isin(start, others[0]), short, start == end)):
                self._signs[side, sign] += int(has_sign.sum())
        self._texts, self._length, self._places = [], 0, {}


def edge_lines(
    signs: Mapping[tuple[str, str], int],
    system: str = "",
    names: Mapping[str, str] = {"gold": "gold spans", "pred": "predicted spans"},
) -> list[str]:
    """Return notes on how sides were read, and on spans with odd edges.

    Args:
        signs: The counts of an `EdgeCounter`.
        system: The name of the system, if there are several.
        names: The sides, and the names of their spans.

    >>> signs = Counter({("pred", "spans"): 4, ("pred", "cut"): 4, ("gold", "spans"): 4, ("pred", "space"): 1})
    >>> edge_lines(signs)  # doctest: +ELLIPSIS
    ["⚠ 4 of 4 predicted spans end one character before a word does, ...: end='exclusive,inclusive'", "⚠ White ..."]
    """
    inclusive: dict[str, str] = {}
    for side, name in names.items():
        number, cut, placed, short = (signs.get((side, sign), 0) for sign in ("spans", "cut", "placed", "short"))
        if cut >= max(FEWEST, NEARLY_ALL * number):
            inclusive[side] = f"{cut:,} of {number:,} {name} end one character before a word does"
        elif short >= max(FEWEST, NEARLY_ALL * placed):
            inclusive[side] = f"{short:,} of {number:,} {name} end one character before one of the other side does"
    empty = {
        side: f"{n:,} of {signs.get((side, 'spans'), 0):,} {name}"
        for side, name in names.items()
        if side not in inclusive and (n := signs.get((side, "empty"), 0))
    }
    ends = ["inclusive" if side in {*inclusive, *empty} else "exclusive" for side in names]
    option = spell_argument("end", ",".join(ends) if len({*ends}) > 1 else ends[0])
    lines = []
    if inclusive:
        lines.append(f"⚠ {'; '.join(inclusive.values())}, so these ends look inclusive: {option}")
    if empty:
        sides = (" and " if len(empty) == 2 else "; ").join(empty.values())
        lines.append(f"⚠ {sides} have no character: {option}, if an end is that of the last one")
    if spaced := [f"{n:,} of the {name}" for side, name in names.items() if (n := signs.get((side, "space"), 0))]:
        lines.append(
            f"⚠ White space at the edges of {' and '.join(spaced)}: {spell_argument('trim', 'space')} leaves it out"
        )
    lines += [f"ℹ {side}: {sign}." for side, sign in sorted(signs) if " " in sign]
    return [f"{line[:2]}{system}: {line[2:]}" for line in lines] if system else lines
