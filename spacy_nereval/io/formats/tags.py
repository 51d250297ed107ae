"""Sequences of IOB1, IOB2, BILUO and BIOES tags: their chunks, and the scheme of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...core.checked import PlainSpan
from ...core.messages import named, quoted, shortened

PREFIXES = {"B": "B", "I": "I", "L": "L", "E": "L", "U": "U", "S": "U"}
"""The prefixes of all schemes, as the letters of BILUO."""

ALLOWED = {"BILUO": re.compile("BI*L|U"), "IOB2": re.compile("BI*"), "IOB1": re.compile("[BI]I*")}
"""The prefixes that a chunk may have in each scheme. BIOES is BILUO with other letters."""

Where = Callable[[int], str]
"""Says in words where a tag is, by its number in the sentence: "line 3"."""

MISSING = "-"
"""spaCy's tag for a token without annotation."""


@lru_cache(maxsize=10_000)
def split(tag: str) -> tuple[str, str]:
    """Split a tag into its prefix, as a letter of BILUO, and its label.

    Args:
        tag: A tag of any scheme.

    Returns:
        The prefix and the label; both are empty for O and "-".

    Raises:
        ValueError: If the text is not a tag.

    >>> split("E-PER"), split("B-creative-work"), split("O")
    (('L', 'PER'), ('B', 'creative-work'), ('', ''))
    """
    if tag in ("O", MISSING):
        return "", ""
    prefix, _, label = tag.partition("-")
    if prefix not in PREFIXES or not label:
        raise ValueError(f"{tag[:40]!r} is not a tag; expected O, or B-, I-, L-, U-, E- or S- with a label")
    return PREFIXES[prefix], label


def everywhere(place: str) -> Where:
    """Return what says that all tags of a sentence are in one place."""
    return lambda _: place


class Chunk(NamedTuple):
    """A chunk of a sentence, `tags[start:end]`.

    Args:
        start: The index of its first tag.
        end: The index after its last tag.
        label: The label of its tags.
        prefixes: The prefixes of its tags, as letters of BILUO.
        joins: Whether a chunk of the same label ends where this one begins.
    """

    start: int
    end: int
    label: str
    prefixes: str
    joins: bool = False

    def is_allowed(self, scheme: str) -> bool:
        """Return whether a scheme, one of `ALLOWED`, can write this chunk."""
        return _is_allowed(self.prefixes, scheme)

    def shows(self) -> tuple[str, int]:
        """Return the scheme that the chunk is evidence for, "" if for none, and the number of the tag that shows it."""
        return _shown(self.prefixes, self.joins)


@lru_cache(maxsize=10_000)
def _is_allowed(prefixes: str, scheme: str) -> bool:
    return ALLOWED[scheme].fullmatch(prefixes) is not None


@lru_cache(maxsize=10_000)
def _shown(prefixes: str, joins: bool) -> tuple[str, int]:
    if ended := re.search("[LU]", prefixes):
        return "BILUO", ended.start()
    if prefixes[0] == "I":
        return "IOB1", 0
    return "" if joins else "IOB2", 0


def chunks(tags: Sequence[str]) -> Iterator[Chunk]:
    """Yield the chunks of one sentence by the rules of conlleval, which accept any sequence.

    A chunk begins at every B and U. It also begins at any tag that cannot continue the
    previous chunk, because that has another label or ended with an L or U. For
    sequences that their scheme allows, these are the scheme's own chunks.

    Args:
        tags: The tags of the sentence.

    Yields:
        The chunks, in order.

    Raises:
        ValueError: If a text is not a tag.

    >>> [chunk[:4] for chunk in chunks(["I-A", "I-A", "B-A", "I-B", "O"])]
    [(0, 2, 'A', 'II'), (2, 3, 'A', 'B'), (3, 4, 'B', 'I')]
    """
    start, before, prefixes, joins = 0, "", "", False  # before: the label of the tag before
    for k, (prefix, label) in enumerate(map(split, tags)):
        if label and label == before and prefix in "IL" and prefixes[-1] in "BI":
            prefixes += prefix
            continue
        if before:
            yield Chunk(start, k, before, prefixes, joins)
        start, before, prefixes, joins = k, label, prefix, label == before
    if before:
        yield Chunk(start, len(tags), before, prefixes, joins)


class Scheme:
    """The tagging scheme of a file or a list, inferred from the tags of all its sentences unless it is given.

    Any L, U, E or S makes it BILUO. Otherwise it is IOB1 if some chunk begins with I,
    and every B directly follows a chunk of its own label, as only IOB1 writes it. All
    other files are IOB2. Files that both schemes allow mean the same in both.

    Args:
        given: The scheme, one of `ALLOWED`; "" to infer it.

    >>> scheme = Scheme()
    >>> found = scheme.see(["O", "I-PER", "B-PER"], "line {}".format)
    >>> scheme.name, scheme.evidence
    ('IOB1', 'I-PER in line 1')
    >>> found = scheme.see(["B-PER"], "line {}".format)
    >>> scheme.name, scheme.evidence
    ('IOB2', 'B-PER in line 0')
    """

    def __init__(self, given: str = "") -> None:
        self._given = given
        self._evidence: dict[str, str] = {}  # the first evidence for each scheme

    def see(self, tags: Sequence[str], where: Where) -> list[Chunk]:
        """Take the tags of one sentence into account, and return their chunks."""
        found = [*chunks(tags)]
        for chunk in found:
            scheme, k = chunk.shows()
            if scheme and scheme not in self._evidence:
                self._evidence[scheme] = f"{tags[chunk.start + k]} in {where(chunk.start + k)}"
        return found

    @property
    def name(self) -> str:
        """The scheme, one of `ALLOWED`."""
        return self._given or next((scheme for scheme in ALLOWED if scheme in self._evidence), "IOB2")

    @property
    def evidence(self) -> str:
        """The first tag that only this scheme writes there, and its place; empty if the scheme was given."""
        return "" if self._given else self._evidence.get(self.name, "")


def kept_chunks(
    found: Iterable[Chunk], tags: Sequence[str], scheme: Scheme, repair: str | None, where: Where
) -> tuple[list[Chunk], int]:
    """Return the chunks of a sentence that stand for spans.

    Args:
        found: All chunks.
        tags: The tags.
        scheme: The scheme.
        repair: How to read chunks that the scheme does not allow: "conll" reads them as
            conlleval does, "discard" leaves them out, None makes them errors.
        where: Where the tags are.

    Returns:
        The chunks, and the number of chunks that the scheme does not allow.

    Raises:
        ValueError: The scheme does not allow a chunk, and `repair` is None.
    """
    kept, repaired, name = list[Chunk](), 0, scheme.name
    for chunk in found:
        allowed = chunk.is_allowed(name)
        if not allowed and not repair:
            what = "is not ended by an L or E" if chunk.prefixes[0] == "B" else "continues no span"
            shown = f", as {scheme.evidence} shows" if scheme.evidence else ""
            raise ValueError(
                f"{where(chunk.start)}: {tags[chunk.start]} {what}, and the tags are {name}{shown}; use "
                f"{named('repair', 'conll')} to read it as a span, or {named('repair', 'discard')} to leave it out"
            )
        repaired += not allowed
        if allowed or repair == "conll":
            kept.append(chunk)
    return kept, repaired


def read_tags(
    tags: Sequence[str], places: Sequence[tuple[int, int]], scheme: Scheme, repair: str | None, where: Where
) -> tuple[set[PlainSpan], int]:
    """Return the spans that the tags of a sentence of a file stand for.

    Args:
        tags: The tags.
        places: The (start, end) of each word.
        scheme: The scheme of the file.
        repair, where: As for `kept_chunks`.

    Returns:
        The spans, and the number of chunks that the scheme does not allow.

    Raises:
        ValueError: The scheme does not allow a chunk, and `repair` is None. Names the place.

    >>> read_tags(["O", "I-PER"], [(0, 2), (3, 6)], Scheme(), "conll", "line {}".format)
    ({(3, 6, 'PER')}, 1)
    """
    kept, repaired = kept_chunks(chunks(tags), tags, scheme, repair, where)
    return {(places[chunk.start][0], places[chunk.end - 1][1], chunk.label) for chunk in kept}, repaired


def gaps_of(tags: Sequence[str], places: Sequence[tuple[int, int]]) -> tuple[bool, tuple[tuple[int, int], ...]]:
    """Return whether any word is annotated (or there is none), and the places of those tagged `MISSING`.

    >>> gaps_of(["O", "-"], [(0, 3), (4, 7)])
    (True, ((4, 7),))
    """
    known = [tag != MISSING for tag in tags]
    return any(known) or not known, tuple(place for place, is_known in zip(places, known) if not is_known)


def placed(words: Iterable[str], text: str) -> list[tuple[int, int]]:
    """Return the place of each word in a text, which has them one after the other.

    Raises:
        ValueError: A word is empty or not the next one in the text.

    >>> placed(["Ada", "'s"], "Ada's")
    [(0, 3), (3, 5)]
    """
    places, end = [], 0
    for word in words:
        start = text.find(word, end)
        if not word or start < 0 or text[end:start].strip():
            raise ValueError(
                f"the token {shortened(word)!r} does not follow in the text, which goes on {quoted(text[end:])}"
            )
        end = start + len(word)
        places.append((start, end))
    return places


def spaced(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return words with spaces between them, and the place of each.

    Raises:
        ValueError: A word is empty or not a text.

    >>> spaced(["Ada", "met"])
    ('Ada met', [(0, 3), (4, 7)])
    """
    places: list[tuple[int, int]] = []
    for number, word in enumerate(words):
        if not isinstance(word, str) or not word.strip():
            raise ValueError(f"token {number} is {shortened(repr(word))}; expected a word")
        start = places[-1][1] + 1 if places else 0
        places.append((start, start + len(word)))
    return " ".join(words), places
