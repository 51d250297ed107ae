"""Predictions that lack tokens of gold, such as those after the maximum length of a model, or whole sentences.

Their words are placed among those of gold, and the tokens that are missing are read as outside of spans.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import chain
from re import finditer
from typing import NamedTuple, TypeVar

from ..core.arguments import NORMALISED, SAME
from ..core.mention_places import plain_text
from ..core.messages import PlainSpan, quote, spell_argument
from ..core.pieces import check_no_gaps

Token = tuple[int, int]


class Placed(NamedTuple):
    """A token of the predictions, the same token of gold, and the number of that token."""

    token: Token
    in_gold: Token
    number: int


Side = tuple[str, Sequence[Token] | None]
"""The text of a side, and its tokens if they are known."""


def place_tokens(gold: Side, pred: Side, match_text: str = SAME) -> tuple[list[Placed], int]:
    """Return the positions of the predictions' tokens in gold, and the number of other gold tokens.

    Where both sides have as many sentences, each is placed in its own. Without tokens, those are between white space.

    Args:
        gold, pred: The sides.
        match_text: How their words may differ, one of `arguments.TEXT_MATCHES`.

    Raises:
        ValueError: Gold does not have a word there.

    >>> place_tokens(("Ada met Bob", None), ("Ada Bob", None))[0][1]
    Placed(token=(4, 7), in_gold=(8, 11), number=2)
    """
    placed: list[Placed] = []
    total = 0
    for complete, part in zip(*_sentences(gold, pred)):
        words = _plain_words(pred[0], part, match_text)
        places = place_words(words, _plain_words(gold[0], complete, match_text))
        if len(places) < len(words):
            word = pred[0][slice(*part[len(places)])]
            raise ValueError(f"the predictions have the word {quote(word)}, which the gold text lacks here")
        placed += [Placed(token, complete[k], total + k) for token, k in zip(part, places)]
        total += len(complete)
    return placed, total - len(placed)


def _plain_words(text: str, tokens: Sequence[Token], match_text: str) -> list[str]:
    return [plain_text(text[start:end], match_text) for start, end in tokens]


def describe_missing(gold: Side, pred: Side, match_text: str, missing_tokens: str | None) -> str:
    """Return the remedy if a predicted side only lacks tokens of gold, or would do so with normalised words.

    Args:
        gold, pred: The sides.
        match_text, missing_tokens: The given settings, which do not align them.
    """
    for match in dict.fromkeys((match_text, NORMALISED)):
        try:
            _, number = place_tokens(gold, pred, match)
        except ValueError:
            continue
        if missing_tokens or not number:
            return f"; {spell_argument('match_text', match)} aligns their words" * bool(missing_tokens)
        options = [spell_argument("missing_tokens", "O")]
        options += [] if match == match_text else [spell_argument("match_text", match)]
        verb = "read" if len(options) > 1 else "reads"
        tokens = f"the predictions lack {number} token{'s' * (number != 1)}"
        return f"; {tokens}: {' and '.join(options)} {verb} them as outside of spans"
    return ""


def place_sentences(golds: Sequence[Side], preds: Sequence[Side], match_text: str = SAME) -> list[int] | None:
    """Return which sentence of gold each sentence of the predictions is; None if one fits none in this order.

    A sentence fits one that has all its words. As many as possible have all of its words; see also `place_words`.

    Args:
        golds, preds: The sentences or documents of the two sides.
        match_text: How their words may differ.

    >>> place_sentences([("Ada met Bob", None), ("He ran", None), ("Bob", None)], [("He", None), ("Bob", None)])
    [1, 2]
    """
    complete, words = (
        [tuple(chain(*(_plain_words(side[0], part, match_text) for part in _sentences(side)[0]))) for side in sides]
        for sides in (golds, preds)
    )

    def fit(part: Sequence[str], whole: Sequence[str]) -> int | None:
        if part == whole:
            return 0
        return len(words) + 1 if len(_leftmost_places(part, whole)) == len(part) else None

    places = place_words(words, complete, fit)
    return places if len(places) == len(words) else None


def _sentences(*sides: Side) -> list[list[list[Token]]]:
    """Return the tokens of each sentence of each side; of the whole document if they have not as many sentences."""
    have_tokens = all(tokens is not None for _, tokens in sides)
    result: list[list[list[Token]]] = []
    for text, tokens in sides:
        sentences: list[list[Token]] = [[]]
        for token in tokens or () if have_tokens else (match.span() for match in finditer(r"\S+", text)):
            if sentences[-1] and "\n" in text[sentences[-1][-1][1] : token[0]]:
                sentences.append([])
            sentences[-1].append(token)
        result.append(sentences)
    return result if len({*map(len, result)}) == 1 else [[[*chain(*sentences)]] for sentences in result]


def divide_span(span: PlainSpan, placed: Sequence[Placed]) -> list[PlainSpan]:
    """Return a predicted span in the text of gold, divided where tokens are missing.

    Raises:
        ValueError: It covers no word, or has gaps.
    """
    check_no_gaps([span])
    start, end, label = span
    first = bisect_right(placed, start, key=lambda place: place.token[1])
    touched = placed[first : bisect_left(placed, end, key=lambda place: place.token[0])]
    if not touched:
        raise ValueError(f"the predicted span {span} covers no word, so its position in the gold text is unknown")
    runs: list[list[Placed]] = []
    for place in touched:
        if not runs or runs[-1][-1].number + 1 < place.number:
            runs.append([])
        runs[-1].append(place)
    edges = [(run[0], run[-1]) for run in runs]
    if any(_length(a.token) != _length(a.in_gold) for a in touched) and (
        touched[0].token[0] < start or end < touched[-1].token[1]
    ):
        raise ValueError(f"the predicted span {span} is inside of a token that gold writes otherwise")
    return [
        (a.in_gold[0] + max(start - a.token[0], 0), b.in_gold[1] - max(b.token[1] - end, 0), label) for a, b in edges
    ]


Word = TypeVar("Word")
"""A word, or a sentence of words."""


def _is_same(word: Word, other: Word) -> int | None:
    return 0 if word == other else None


Fit = Callable[[Word, Word], int | None]
"""Returns the cost of placing a word at another one; None if it does not fit."""


def place_words(words: Sequence[Word], complete: Sequence[Word], fit: Fit[Word] = _is_same) -> list[int]:
    """Return the place of each word in a longer sequence that has them in their order.

    Of all ways, the cheapest is taken: that with the fewest stretches. Of several, it is the one farthest to the left.

    Args:
        words: The words.
        complete: The longer sequence.
        fit: Returns the additional cost of a place for a word; None where it has no place.

    Returns:
        The places; fewer than words, up to the first that has none, if the sequence does not have all.

    >>> place_words(["the", "cat"], ["the", "dog", "the", "cat"]), place_words(["a", "b"], ["b", "a"])
    ([2, 3], [1])
    """
    leftmost = _leftmost_places(words, complete, fit)
    if len(leftmost) < len(words):
        return leftmost
    rightmost = [len(complete) - 1 - k for k in reversed(_leftmost_places(words[::-1], complete[::-1], fit))]
    best: list[dict[int, tuple[int, int]]] = []  # of each place of a word, the last word first: cost, next place
    cheapest: list[tuple[int, int, int]] = []  # of each place of the word after: least cost from there on, where, place
    for word, low, high in zip(reversed(words), reversed(leftmost), reversed(rightmost)):
        steps: dict[int, tuple[int, int]] = {}
        for place in range(low, high + 1):
            if (cost := fit(word, complete[place])) is None:
                continue
            options = [(best[-1][place + 1][0], place + 1)] if best and place + 1 in best[-1] else []
            k = bisect_right(cheapest, place, key=lambda entry: entry[2])
            options += [(cheapest[k][0] + 1, cheapest[k][1])] if k < len(cheapest) else []
            if options or not best:
                least, following = min(options, default=(0, -1))
                steps[place] = least + cost, following
        best.append(steps)
        cheapest = []
        for place in sorted(steps, reverse=True):
            fewest = min([(steps[place][0], place), *(entry[:2] for entry in cheapest[-1:])])
            cheapest.append((*fewest, place))
        cheapest.reverse()
    places: list[int] = []
    at = cheapest[0][1] if cheapest else -1
    for steps in reversed(best):
        places.append(at)
        at = steps[at][1]
    return places


def _leftmost_places(words: Sequence[Word], complete: Sequence[Word], fit: Fit[Word] = _is_same) -> list[int]:
    """Return the first place that each word can have; fewer than words, up to the first that has none."""
    places: list[int] = []
    following = iter(range(len(complete)))
    for word in words:
        if (place := next((k for k in following if fit(word, complete[k]) is not None), None)) is None:
            break
        places.append(place)
    return places


def _length(token: Token) -> int:
    return token[1] - token[0]
