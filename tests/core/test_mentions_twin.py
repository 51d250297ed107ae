"""Mentions without offsets against a twin that tries every stretch of the text."""

from __future__ import annotations

from itertools import combinations
from unicodedata import category, normalize

from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval import locate
from spacy_nereval.core.mention_places import LEVELS, OCCURRENCES, canonical

# Against a twin that tries every stretch of the text

CHARACTERS = "aAbB -–’'ﬁİe\u0301\xad\xa0北_1"


WORDS = st.text(CHARACTERS, max_size=5)


def form(text: str, level: str) -> str:
    """A whole string in the form of a level, at once."""
    if level == "exact":
        return text
    for there, here in ("’'", "–-", ("\xad", "")):
        text = text.replace(there, here)
    text = normalize("NFKC", text)
    if level == "caseless":
        text = normalize("NFKC", text.casefold())
    return " ".join(text.split())


def whole(text: str, at: int) -> bool:
    """Whether no combining mark follows."""
    return at == len(text) or at == 0 or category(text[at])[0] != "M"


def edge(text: str, at: int) -> bool:
    if at in (0, len(text)):
        return True
    letter = next((c for c in reversed(text[:at]) if category(c)[0] != "M"), text[0])
    return not all(c.isalnum() or c == "_" for c in (letter, text[at]))


def twin(text: str, string: str, match: str) -> tuple[str, list[tuple[int, int]]]:
    if not form(string, "normalised"):
        return "empty", []
    for inside in (False, True):
        for level in LEVELS[: LEVELS.index(match) + 1]:
            if level == "exact" and string != string.strip():
                continue
            found: list[tuple[int, int]] = []
            for start, end in sorted(combinations(range(len(text) + 1), 2)):
                part = text[start:end]
                if level != "exact" and (part[0] in " \xa0\xad" or part[-1] in " \xa0\xad"):
                    continue
                fits = form(part, level) == form(string, level) and whole(text, start) and whole(text, end)
                if fits and (inside or edge(text, start) and edge(text, end)) and (not found or found[-1][1] <= start):
                    found.append((start, end))
            if found:
                return "inside" if inside else level, found
    return "invented", []


@tries(400)
@given(parts=st.lists(WORDS, max_size=4), string=WORDS, match=st.sampled_from(LEVELS), cut=st.booleans())
def test_strings_are_found_where_the_twin_finds_them(parts, string, match, cut):
    text = " ".join([*parts, string.upper() if cut else string, *parts[:1]])[:14]
    level, places = twin(text, string, match)
    found = locate(text, [(string, "X")], match, "all")
    assert sorted(span[:2] for span in found.spans) == places
    assert found.numbers[level] == 1


@tries(200)
@given(
    text=st.text("aAb ’'", max_size=12),
    mentions=st.lists(st.tuples(st.text("aAb '", max_size=3), st.sampled_from("XY")), max_size=6),
    match=st.sampled_from(LEVELS),
    occurrences=st.sampled_from(OCCURRENCES),
)
def test_the_numbers_add_up_and_every_span_has_its_string(text, mentions, match, occurrences):
    found = locate(text, mentions, match, occurrences)
    numbers = found.numbers
    assert numbers["listed"] == len(mentions)
    assert sum(numbers[name] for name in (*LEVELS, "inside", "invented", "empty")) == len(mentions)
    assert len(found.spans) == len({*found.spans})
    for start, end, label in found.spans:
        string = found.surfaces[start, end]
        assert canonical(text[start:end], match) == canonical(string, match)
        assert any(canonical(s, match) == canonical(string, match) for s, other in mentions if other == label)
    assert {*found.invented} <= {*mentions}
