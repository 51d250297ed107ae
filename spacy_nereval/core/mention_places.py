"""Mentions without offsets: locate in a text the strings that a language model lists.

A string is searched unchanged, then normalised, then without case. Offsets always count
characters of the original text, since normalising and changing case shift them. Mentions that
the text does not contain go to its annex, lines appended to the text: every metric then sees
them as spans, and counts them as spurious.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import unescape
from html.entities import html5
from typing import Any, NamedTuple
from unicodedata import category, normalize

from .arguments import ALL, CASELESS, EXACT, LEVELS, LISTED, NORMALISED, SAME, Reading, validate_settings
from .keys import LABELS, STRINGS, first_value
from .messages import PlainSpan, quote, shorten, spell_argument
from .spans import Document

NUMBERS = ("listed", *LEVELS, "inside", "invented", "empty", "repeated", "ambiguous")
"""The names of the outcomes that are counted; see `LocatedMentions`."""

ANSWERED = ("answers", "unreadable")
"""The numbers of answers of language models, and of those that cannot be read; there if there are any."""

ALIKE = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "\xad": None})
"""Quotes and dashes that are the same once normalised; soft hyphens are dropped."""

WORD = re.compile(r"\w")


class LocatedMentions(NamedTuple):
    """The places of listed mentions in a text.

    Args:
        spans: (start, end, label) in characters of the text, each once, in the order of the list.
        invented: The (string, label) that the text does not have, each once.
        surfaces: The string of each (start, end), as it is listed.
        numbers: `listed`, the number of mentions. It is the sum of those located at each of `LEVELS`, those located
            only `inside` words, `invented` ones and `empty` strings, which are dropped. `repeated` mentions
            are listed more often than the text has them. `ambiguous` strings occur more often in the text than in
            the list.
    """

    spans: list[PlainSpan]
    invented: list[tuple[str, str]]
    surfaces: dict[tuple[int, int], str]
    numbers: dict[str, int]


def locate(text: str, mentions: Iterable[Any], match: str = CASELESS, occurrences: str = LISTED) -> LocatedMentions:
    """Return the places of mentions in a text.

    An occurrence starts and ends at the edge of a word: Bob is not in Bobville. Only strings
    without such an occurrence are searched inside words too. A string that occurs unchanged
    is not searched in other forms.

    Args:
        text: The text.
        mentions: (string, label), or objects with "text" and "label", in any order.
        match: How far a string and the text may differ, one of `LEVELS`. "exact": not at all.
            "normalised": in Unicode forms, quotes, dashes, soft hyphens and white space.
            "caseless": in case too.
        occurrences: "listed": a string listed twice takes its first two occurrences. "first": every
            listing takes the first one. "all": one listing takes all.

    Returns:
        Spans, inventions and numbers; see `LocatedMentions`.

    Raises:
        ValueError: A mention is not a string with a label, or an option is unknown.

    >>> located = locate("Bob met bob in New\\xa0York", [("Bob", "PER"), ("new york", "LOC"), ("Eve", "PER")])
    >>> located.spans, located.invented
    ([(0, 3, 'PER'), (15, 23, 'LOC')], [('Eve', 'PER')])
    """
    validate_settings(Reading(match=match, occurrences=occurrences))
    listed = [validate_mention(k, mention) for k, mention in enumerate(mentions)]
    times = Counter(listed)
    numbers = Counter(dict.fromkeys(NUMBERS, 0))
    numbers["listed"] = len(listed)
    levels = LEVELS[: LEVELS.index(match) + 1]
    places: dict[str, tuple[str, list[tuple[int, int]]]] = {}
    spans: dict[PlainSpan, None] = {}
    surfaces: dict[tuple[int, int], str] = {}
    invented: dict[tuple[str, str], None] = {}
    listings: Counter[tuple[str, str]] = Counter()
    for mention in listed:
        string, label = mention
        if string not in places:
            places[string] = _find_places(text, string, levels)
        level, matches = places[string]
        numbers[level] += 1
        if level == "empty":
            continue
        number = listings[mention]
        listings[mention] += 1
        numbers["ambiguous"] += number == 0 and len(matches) > times[mention]
        available = len(matches) if occurrences == LISTED and matches else 1
        numbers["repeated"] += number >= max(len(matches), 1)
        if not matches:
            invented[mention] = None
        elif number < available:
            for place in matches if occurrences == ALL else [matches[number if occurrences == LISTED else 0]]:
                spans[(*place, label)] = None
                surfaces.setdefault(place, string)
    return LocatedMentions([*spans], [*invented], surfaces, dict(numbers))


def validate_mention(number: int, mention: Any) -> tuple[str, str]:
    """Return a mention as (string, label).

    Raises:
        ValueError: It is neither a pair nor an object with "text" and "label"; or it has no label.

    >>> validate_mention(0, {"text": "Ada", "label": "PER"})
    ('Ada', 'PER')
    """
    parts: Any = mention
    if isinstance(mention, Mapping):
        parts = first_value(mention, STRINGS), first_value(mention, LABELS[:-1])
    if isinstance(parts, str) or not isinstance(parts, Sequence) or len(parts) != 2:
        parts = None, None
    string, label = parts
    if not isinstance(string, str) or not isinstance(label, str):
        remedy = f"; name the keys with {spell_argument('keys', 'surface=KEY,label=KEY')}"
        raise ValueError(
            f"mention {number} is {shorten(repr(mention))}; expected a text and its label: "
            f'["Ada", "PER"] or {{"text": "Ada", "label": "PER"}}{remedy * isinstance(mention, Mapping)}'
        )
    if not label:
        raise ValueError(f"mention {number}, {quote(string)}, has no label: expected a non-empty string")
    return string, label


def canonical(text: str, level: str = CASELESS) -> str:
    """Return a string in the form in which strings of a level are compared.

    Args:
        text: The string.
        level: "exact", "normalised" or "caseless".

    Returns:
        The string, unchanged if exact; else normalised and without white space at its ends, caseless also casefolded.

    >>> canonical(" Ada’s\\xa0 Engine "), canonical("Ada’s  Engine", "normalised"), canonical("Ada’s ", "exact")
    ("ada's engine", "Ada's Engine", 'Ada’s ')
    """
    return text if level == EXACT else Form(text, level).text.strip(" ")


class Form:
    """A text in the form of a level, with the place in the text that each of its characters comes from.

    A character and its combining marks belong together: an occurrence has all of them or none.

    Args:
        source: The text.
        level: One of `LEVELS`.

    Attributes:
        text: The text in this form.
        places: The (start, end) in the source of each of its characters.
    """

    def __init__(self, source: str, level: str) -> None:
        self.source = source
        self.places: list[tuple[int, int]] = []
        characters: list[str] = []
        for start, end in _characters(source):
            for character in _character_form(source[start:end], level):
                if level != EXACT and character == " " and characters and characters[-1] == " ":
                    self.places[-1] = self.places[-1][0], end
                else:
                    characters.append(character)
                    self.places.append((start, end))
        self.text: str = "".join(characters)

    def occurrences(self, string: str, *, inside: bool) -> Iterator[tuple[int, int]]:
        """Yield where a string in this form occurs in the source, from left to right, without overlaps.

        Args:
            string: The string, not empty.
            inside: Whether an occurrence may begin or end inside a word.
        """
        first = self.text.find(string)
        while first >= 0:
            last = first + len(string) - 1
            if self._is_whole(first, last) and (inside or self._is_between_words(first, last)):
                yield self.places[first][0], self.places[last][1]
                first = self.text.find(string, last + 1)
            else:
                first = self.text.find(string, first + 1)

    def _is_whole(self, first: int, last: int) -> bool:
        """Return whether a match begins and ends between characters of the source, not inside one."""
        begins = first == 0 or self.places[first - 1] != self.places[first]
        return begins and (last + 1 == len(self.places) or self.places[last + 1] != self.places[last])

    def _is_between_words(self, first: int, last: int) -> bool:
        """Return whether a match starts and ends at the edge of a word."""
        start, end = self.places[first][0], self.places[last][1]
        joins_before = start > 0 and WORD.match(self._base_char(start - 1)) and WORD.match(self.source[start])
        joins_after = end < len(self.source) and WORD.match(self._base_char(end - 1)) and WORD.match(self.source[end])
        return not joins_before and not joins_after

    def _base_char(self, index: int) -> str:
        """Return the character at an index; for a combining mark, the character that it belongs to."""
        while index > 0 and category(self.source[index])[0] == "M":
            index -= 1
        return self.source[index]


@lru_cache(maxsize=8)
def _form(text: str, level: str) -> Form:
    return Form(text, level)


def _find_places(text: str, string: str, levels: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the level at which a string occurs, or "inside", "invented" or "empty"; and where it occurs."""
    if not canonical(string, NORMALISED):
        return "empty", []
    for inside in (False, True):
        for level in levels:
            if level == EXACT and string != string.strip():
                continue  # the span would begin or end with white space
            if places := [*_form(text, level).occurrences(canonical(string, level), inside=inside)]:
                return "inside" if inside else level, places
    return "invented", []


def _characters(text: str) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of each character together with its combining marks."""
    if text.isascii():
        yield from ((k, k + 1) for k in range(len(text)))
        return
    start = 0
    for k, character in enumerate(text[1:], 1):
        if category(character)[0] != "M":
            yield start, k
            start = k
    if text:
        yield start, len(text)


def _character_form(character: str, level: str) -> str:
    """Return a character with its combining marks in the form of a level; white space is " "."""
    if level == EXACT:
        return character
    if character.isascii():
        return " " if character.isspace() else character.lower() if level == CASELESS else character
    form = normalize("NFKC", character).translate(ALIKE)
    if level == CASELESS:
        form = normalize("NFKC", form.casefold())
    return "".join(" " if part.isspace() else part for part in form)


Characters = list[tuple[str, int, int]]
"""Characters to compare, with the start and end of their source in a text."""

ESCAPES = re.compile(r"-([LR])([RSC])B-|\\([/*])|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});", re.IGNORECASE)
"""Brackets, slashes and stars as treebanks write them, and references to characters as in HTML, such as `&amp;`."""

BRACKETS = {"lr": "(", "rr": ")", "ls": "[", "rs": "]", "lc": "{", "rc": "}"}

QUOTES = str.maketrans({**dict.fromkeys('"«»„「」『』〝〞', "''"), **dict.fromkeys("`´‚‹›ʼʹ", "'"), "⁄": "/"})
"""Quotes, which treebanks write as two single ones; and the slash of fractions such as ½."""


def comparable_characters(text: str, match_text: str = SAME) -> Characters:
    """Return the characters by which two texts are compared: without white space and in lower case.

    Args:
        text: The text.
        match_text: If "normalised", also without characters that are not seen, and with Unicode forms, quotes, dashes,
            the brackets of treebanks and references such as `&amp;` made alike.

    >>> comparable_characters("-LRB- É", "normalised"), comparable_characters("&amp;", "normalised")
    ([('(', 0, 5), ('é', 6, 7)], [('&', 0, 5)])
    """
    if match_text == SAME:
        # Lower case may turn one character into two, so each is kept with its original offset.
        return [(c, k, k + 1) for k, source in enumerate(text) for c in source.lower() if not source.isspace()]
    result: Characters = []
    for source, start, end in _unescaped_characters(text):
        for part in _character_form(source, CASELESS).translate(QUOTES):
            character = "-" if category(part) == "Pd" else part
            if character == "-" and result and result[-1][0] == "-":
                result[-1] = ("-", result[-1][1], end)
            elif category(part) not in ("Cf", "Cc", "Zs") and not "\ufe00" <= part <= "\ufe0f":
                result.append((character, start, end))
    return result


def _unescaped_characters(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each character with its combining marks, or the character of an escape, and its start and end."""
    before = 0
    for escape in (*ESCAPES.finditer(text), None):
        if escape is not None and escape[0][0] == "&" and not (escape[0][1] == "#" or escape[0][1:] in html5):
            continue  # no reference that is known
        stop = len(text) if escape is None else escape.start()
        yield from (
            (text[before + start : before + end], before + start, before + end)
            for start, end in _characters(text[before:stop])
        )
        if escape is not None:
            bracket, shape, other = escape.groups()
            known = BRACKETS[f"{bracket}{shape}".lower()] if bracket else other
            yield known or unescape(escape[0]), escape.start(), escape.end()
            before = escape.end()


def plain_text(text: str, match_text: str = SAME) -> str:
    """Return a text in the form in which the texts of a pair are compared: without white space and in lower case.

    >>> plain_text("New  York"), plain_text("“New”\\u200b York", "normalised")
    ('newyork', "''new''york")
    """
    return "".join(character for character, _, _ in comparable_characters(text, match_text))


FILLED = re.compile(r"\S+")
"""A token of an annex: a piece between white space."""


def append_annex(text: str, strings: Iterable[str]) -> tuple[str, dict[str, tuple[int, int]]]:
    """Return a text followed by strings, each once on lines of its own, and the (start, end) of each.

    >>> append_annex("Ada", ["Bob", "Bob"])
    ('Ada\\nBob', {'Bob': (4, 7)})
    """
    places: dict[str, tuple[int, int]] = {}
    for string in strings:
        if string not in places:
            places[string] = len(text) + 1, len(text) + 1 + len(string)
            text += f"\n{string}"
    return text, places


def words_after(text: str, end: int) -> list[tuple[int, int]]:
    """Return the (start, end) of each word between white space from an offset on, as the tokens of an annex."""
    return [match.span() for match in FILLED.finditer(text, end)]


def share_annex(documents: Sequence[Document]) -> list[Document]:
    """Return the versions of one document, one per system, with a common annex, so that their texts are the same.

    Args:
        documents: A document with the predictions of each system. The common annex has the
            invented mentions of gold first, then those of the systems.

    >>> one, other = (Document([], [(4, 7, "PER")], f"Ada\\n{name}") for name in ("Bob", "Eve"))
    >>> one.annex = other.annex = 3
    >>> [(document.text, document.sides[1]) for document in share_annex([one, other])]
    [('Ada\\nBob\\nEve', [(4, 7, 'PER')]), ('Ada\\nBob\\nEve', [(8, 11, 'PER')])]
    """
    lines = [(document, document.text or "", document.annex) for document in documents]
    starts = {annex for _, _, annex in lines if annex is not None}
    if not starts:
        return [*documents]
    (end,) = starts  # all have the same text
    strings = [
        text[start:stop]
        for side in (0, 1)
        for document, text, annex in lines
        if annex is not None
        for start, stop, _ in sorted(document.sides[side])
        if start > end
    ]
    whole, places = append_annex(lines[0][1][:end], strings)

    def move_span(span: PlainSpan, text: str) -> PlainSpan:
        return span if span[0] <= end else (*places[text[span[0] : span[1]]], span[2])

    result = []
    for document, text, _ in lines:
        gold, pred = ([move_span(span, text) for span in side] for side in document.sides)
        new = document.replaced(gold, pred, whole)
        new.annex = end
        new.span_scores = {move_span(span, text): score for span, score in document.span_scores.items()}
        if document.tokens is not None:
            new.tokens = [token for token in document.tokens if token[1] <= end] + words_after(whole, end)
        result.append(new)
    return result
