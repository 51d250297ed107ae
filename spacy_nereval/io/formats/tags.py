"""Read sequences of IOB1, IOB2, BILUO, BIOES and IO tags, from files and from Python lists.

A sequence is divided into chunks. The scheme is inferred from all sequences of a file or of one side; it says which
chunks are spans, and which are errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ...core.arguments import Reading, validate_settings
from ...core.messages import PlainSpan, quote, shorten, spell_argument
from ...core.spans import Document

PREFIXES = {"B": "B", "I": "I", "M": "I", "L": "L", "E": "L", "U": "U", "S": "U", "W": "U"}
"""The prefixes of all schemes, as the letters of BILUO."""

OTHERWISE_NAMED = {"": "", "auto": "", "IO": "IOB1", "BIOES": "BILUO", "BMES": "BILUO"}
"""Schemes that are read as others: in IO, every tag is read as if it had the prefix I."""

EXPECTED = "expected O, or B-, I-, M-, L-, E-, U-, S- or W- with a label"

IO_NOTE = (
    "the tags have no prefixes and are read in the scheme IO, in which equal neighbours are one span; if they "
    "are not, name the scheme"
)

MARK = "([BILUESMWbi]|(?i:begin|beg|inside|in|middle|mid|end|last|single|unit))"
LIKE_PREFIX, LIKE_SUFFIX = re.compile(rf"{MARK}[\W_]+(\w.*)"), re.compile(rf"(.*\w)[\W_]+{MARK}")
"""Tags that look like those of a scheme, with another separator, in small letters, or with a suffix."""

WHOLE = re.compile(r"-?\d{1,9}(\.0+)?")
"""A whole number, also one that a table has made a float."""

SEVERAL = re.compile(r"\w[|;,+&/ ][BILUESMW]-\w|^[BILUESMW]-\S+ O\b")
"""A tag that is followed by another one."""

OUTSIDE_NAMES = {"no_entity", "none", "outside", "other", "o", "0", "_", "", "null", "nil", "out"}
"""Usual names of tokens outside, in small letters."""

INVISIBLE = (
    "".join(chr(k) for k in (0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xAD, 0xFEFF))
    + " \t\n\r\v\f\xa0\u2028\u2029"
)
"""Characters that nobody sees at the edges of words and tags."""

ALLOWED = {"BILUO": re.compile("BI*L|U"), "IOB2": re.compile("BI*"), "IOB1": re.compile("[BI]I*")}
"""The prefixes that a chunk may have in each scheme. BIOES is BILUO with other letters."""

Where = Callable[[int], str]
"""Returns the place of a tag, such as "line 3", from its index in the sentence; for errors."""

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
        raise ValueError(f"{tag[:40]!r} is not a tag; {EXPECTED}")
    return PREFIXES[prefix], label


def same_place(place: str) -> Where:
    """Return a function that names the same place for all tags of a sentence."""
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

    def scheme_evidence(self) -> tuple[str, int]:
        """Return the scheme that the chunk is evidence for, "" if there is none, and the index of the tag to quote."""
        return _scheme_evidence(self.prefixes, self.joins)


@lru_cache(maxsize=10_000)
def _is_allowed(prefixes: str, scheme: str) -> bool:
    return ALLOWED[scheme].fullmatch(prefixes) is not None


@lru_cache(maxsize=10_000)
def _scheme_evidence(prefixes: str, joins: bool) -> tuple[str, int]:
    if end := re.search("[LU]", prefixes):
        return "BILUO", end.start()
    if prefixes[0] == "I":
        return "IOB1", 0
    return "" if joins else "IOB2", 0


def chunks(tags: Sequence[str]) -> Iterator[Chunk]:
    """Yield the chunks of one sentence by the rules of conlleval, which accept any sequence.

    A chunk begins at every B and U. It also begins at any tag that cannot continue the
    previous chunk, because that has another label or ended with an L or U. If the scheme
    allows the sequence, these are the chunks of the scheme.

    Args:
        tags: The tags of the sentence.

    Yields:
        The chunks, in order.

    Raises:
        ValueError: If a text is not a tag.

    >>> [chunk[:4] for chunk in chunks(["I-A", "I-A", "B-A", "I-B", "O"])]
    [(0, 2, 'A', 'II'), (2, 3, 'A', 'B'), (3, 4, 'B', 'I')]
    """
    start, last_label, prefixes, joins = 0, "", "", False
    for k, (prefix, label) in enumerate(map(split, tags)):
        if label and label == last_label and prefix in "IL" and prefixes[-1] in "BI":
            prefixes += prefix
            continue
        if last_label:
            yield Chunk(start, k, last_label, prefixes, joins)
        start, last_label, prefixes, joins = k, label, prefix, label == last_label
    if last_label:
        yield Chunk(start, len(tags), last_label, prefixes, joins)


class Scheme:
    """The tagging scheme of a file or a list, inferred from the tags of all its sentences unless it is given.

    Without any prefix, the tags are in IO. Any L, U, E or S makes them BILUO. Otherwise it is IOB1 if some chunk
    begins with I, and every B directly follows a chunk of its own label, since only IOB1 writes such tags.
    All other files are IOB2. Files that both IOB schemes allow mean the same in both.

    Args:
        name: The scheme, one of `arguments.SCHEMES`.
        outside: A tag of tokens outside of spans, in addition to O; None for O alone.

    >>> scheme = Scheme()
    >>> scheme.see(["O", "I-PER", "B-PER"], "line {}".format)
    >>> scheme.name, scheme.evidence
    ('IOB1', 'I-PER in line 1')
    >>> scheme.see(["B-PER"], "line {}".format)
    >>> scheme.name, scheme.evidence
    ('IOB2', 'B-PER in line 0')
    >>> scheme = Scheme(outside="none")
    >>> scheme.see(["PER", "none", "O"], "line {}".format)
    >>> scheme.plain_tags(["PER", "none"])
    ['I-PER', 'O']
    """

    def __init__(self, name: str = "auto", outside: str | None = None) -> None:
        self._given = name
        self._outside = {"O", MISSING, *([] if outside is None else [outside])}
        self._evidence: dict[str, str] = {}  # the first evidence for each scheme
        self._places: dict[str, str] = {}  # the first place of each tag
        self._plain: dict[str, str] | None = None
        self._is_io: bool | None = None

    def see(self, tags: Sequence[str], where: Where) -> None:
        """Use the tags of one sentence as evidence."""
        for k, tag in enumerate(tags):
            if tag not in self._places:
                self._places[tag], self._plain, self._is_io = where(k), None, None
        if self._given != "auto":
            return
        with suppress(ValueError):  # tags of no known form: `plain_tags` raises an error
            outside = self._outside
            for chunk in chunks([tag if tag not in outside else "O" for tag in tags]):
                scheme, k = chunk.scheme_evidence()
                if scheme and scheme not in self._evidence:
                    self._evidence[scheme] = f"{tags[chunk.start + k]} in {where(chunk.start + k)}"

    @property
    def name(self) -> str:
        """The scheme, one of `ALLOWED`."""
        if self.is_io:
            return "IOB1"
        known = OTHERWISE_NAMED.get(self._given, self._given)
        return known or next((scheme for scheme in ALLOWED if scheme in self._evidence), "IOB2")

    @property
    def written_name(self) -> str:
        """The name of the scheme for people: IO is read as another one."""
        return "IO" if self.is_io else self.name

    @property
    def evidence(self) -> str:
        """The first tag that only this scheme allows, and its place; empty if the scheme was not inferred."""
        return self._evidence.get(self.name, "") if self._given == "auto" else ""

    @property
    def is_io(self) -> bool:
        """Whether the whole tag is the label."""
        if self._given != "auto":
            return self._given == "IO"
        if self._is_io is None:
            labelled = [tag for tag in self._places if tag.strip(INVISIBLE) not in self._outside]
            self._is_io = bool(labelled) and not any(has_prefix(_strip(tag)) for tag in labelled)
        return self._is_io

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on the scheme that was inferred."""
        return (IO_NOTE,) if self._given == "auto" and self.is_io else ()

    def plain_tags(self, tags: Sequence[str]) -> Sequence[str]:
        """Return seen tags with prefixes, and O for all tokens outside of spans.

        Raises:
            ValueError: A tag of those that were seen is of no known form. Names its place.
        """
        if self._plain is None:
            self._plain = self._read_all()
            self._is_plain = all(tag == plain for tag, plain in self._plain.items())
        return tags if self._is_plain else [self._plain[tag] for tag in tags]

    def _read_all(self) -> dict[str, str]:
        """Return each distinct tag with its plain form."""
        stripped = {tag: tag if tag in self._outside else _strip(tag) for tag in self._places}
        labelled = {tag: place for tag, place in self._places.items() if stripped[tag] not in self._outside}
        is_io = self.is_io
        if self._given == "auto" and is_io:
            _check_is_io(labelled, any(tag in self._outside - {MISSING} for tag in stripped.values()))
        elif not is_io and (odd := next((tag for tag in labelled if not has_prefix(stripped[tag])), None)) is not None:
            raise ValueError(
                f"{self._places[odd]}: {quote(odd)} is not a tag; {EXPECTED}{_written_otherwise(odd, labelled)}; "
                f"{spell_argument('scheme', 'IO')} reads whole tags as labels, {spell_argument('outside', odd)} reads "
                "this one as O"
            )
        if (several := next(filter(SEVERAL.search, labelled), None)) is not None and self._given == "auto":
            raise ValueError(
                f"{self._places[several]}: {quote(several)} has several tags; expected one, such as those of one level "
                f"of nested spans; a scheme that is named with {spell_argument('scheme')} reads it as it is"
            )
        mark = "I-" * is_io
        return {
            tag: MISSING if plain == MISSING else "O" if plain in self._outside else f"{mark}{plain}"
            for tag, plain in stripped.items()
        }


def _strip(tag: str) -> str:
    """Return a tag without characters at the edges of it and of its label that nobody sees."""
    tag = tag.strip(INVISIBLE)
    return f"{tag[:2]}{tag[2:].strip(INVISIBLE)}" if has_prefix(tag) else tag


def has_prefix(tag: str) -> bool:
    """Return whether a tag is a label with the prefix of a scheme.

    >>> has_prefix("B-PER"), has_prefix("B_PER"), has_prefix("O")
    (True, False, False)
    """
    return len(tag) > 2 and tag[1] == "-" and tag[0] in PREFIXES


def looks_like_tag(value: str) -> bool:
    """Return whether a value looks like the tag of a scheme that is written otherwise.

    >>> looks_like_tag("B_PER"), looks_like_tag("PER-I"), looks_like_tag("OTR")
    (True, True, False)
    """
    return any(pattern.fullmatch(value) for pattern in (LIKE_PREFIX, LIKE_SUFFIX))


def tag_number(tag: Any) -> int | None:
    """Return the number of a tag that is a whole number, also as a float or a text; None for any other tag.

    >>> tag_number(1), tag_number(1.0), tag_number("1.0"), tag_number(0.7), tag_number("B-PER"), tag_number(True)
    (1, 1, 1, None, None, None)
    """
    if isinstance(tag, str):
        return int(float(tag)) if WHOLE.fullmatch(tag) else None
    if isinstance(tag, (float, np.floating)):
        return int(tag) if float(tag).is_integer() else None
    return int(tag) if hasattr(tag, "__index__") and not isinstance(tag, bool) else None


def are_tags(labels: Sequence[Any], outside: str | None = None) -> bool:
    """Return whether the labels of words are their tags: one is O, or all have prefixes.

    >>> are_tags(["B-PER", "I-PER"]), are_tags(["PER", "O"]), are_tags(["PER", "E-MAIL"]), are_tags(["E-MAIL"])
    (True, True, False, False)
    """
    if not labels or not all(isinstance(label, str) for label in labels):
        return False
    labels = [label if label == outside else _strip(label) for label in labels]
    return "O" in labels or outside in labels or (labels[0][:1] in "BISUW" and all(map(has_prefix, labels)))


def are_words(strings: Sequence[str], labels: Sequence[str]) -> bool:
    """Return whether strings with labels are no tags: those before their words, or in a nested list.

    >>> are_words(["Ada"], ["PER"]), are_words(["B-PER", "O"], ["Ada", "met"]), are_words(["O", "O"], ["GAS", "GAS"])
    (True, False, True)
    """
    if not strings or not all(string == "O" or has_prefix(string) for string in strings):
        return True
    return not are_tags(labels) and not ("O" in strings and (len({*strings}) > 1 or len({*labels}) > 1))


def are_columns(lists: Sequence[Any]) -> bool:
    """Return whether lists are a list of words and one of their tags, instead of words each with its tag.

    >>> are_columns([["Ada", "met"], ["B-PER", "O"]]), are_columns([("Ada", "B-PER"), ("met", "O")])
    (True, False)
    """
    is_texts = all(isinstance(part, (list, tuple)) and all(isinstance(text, str) for text in part) for part in lists)
    if not is_texts or len(lists) < 2 or len({*map(len, lists)}) > 1 or not lists[0]:
        return False
    last = [part[-1] for part in lists]
    return not all(tag == "O" or has_prefix(tag) for tag in last) and are_prefixed(lists[-1])


def are_prefixed(tags: Sequence[Any]) -> bool:
    """Return whether all values are tags of tokens, and one has a prefix.

    >>> are_prefixed(["B-PER", "O"]), are_prefixed(["O"]), are_prefixed([[0, 3, "PER"]])
    (True, False, False)
    """
    is_tags = all(isinstance(tag, str) and (tag == "O" or has_prefix(tag)) for tag in tags)
    return is_tags and any(map(has_prefix, tags))


def _check_is_io(labelled: Mapping[str, str], has_outside: bool) -> None:
    """Raise ValueError, with the place, if tags without known prefixes may be those of another scheme than IO.

    Args:
        labelled: The tags that are not outside, and the first place of each.
        has_outside: Whether any tag is O.
    """
    remedy = f"{spell_argument('scheme', 'IO')} reads whole tags as labels"
    for tag, place in labelled.items():
        is_part = re.fullmatch(r"[BILUESMW][\W_]*|-.*", tag)
        said = ", since it has no label or no prefix" if is_part else _written_otherwise(tag, labelled)
        if said:
            raise ValueError(f"{place}: {quote(tag)} is not a tag{said}; {EXPECTED}; {remedy}")
    names = [tag for tag in labelled if tag.casefold() in OUTSIDE_NAMES]
    if has_outside and names in ([], ["other"], ["OTHER"], ["Other"]):
        return
    tag, place = next(iter(labelled.items()))
    outside = spell_argument("outside", names[0]) if names else spell_argument("outside")
    numbers = ", or name numbers with " + spell_argument("tag_names") if all(map(WHOLE.fullmatch, labelled)) else ""
    reason = f"{quote(names[0])} may be the tag" if has_outside else "no tag is O to show which are those"
    raise ValueError(
        f"{place}: {quote(tag)} is not a tag: it has no prefix, and {reason} of tokens outside of spans; give their "
        f"tag with {outside}{numbers}; {remedy}"
    )


def _written_otherwise(tag: str, labelled: Iterable[str]) -> str:
    """Return how a tag that looks like that of another scheme would be written; "" if it does not look so.

    Small letters are prefixes only if a label has both b and i, or another tag's prefix is b.
    """
    match, swap = LIKE_PREFIX.fullmatch(tag), False
    if not match:
        match, swap = LIKE_SUFFIX.fullmatch(tag), True
    if match:
        letter, label = match.groups()[:: -1 if swap else 1]
        pattern = LIKE_SUFFIX if swap else LIKE_PREFIX
        letters = {m[2 if swap else 1] for m in map(pattern.fullmatch, labelled) if m}
        if letter.isupper() or len(letter) > 1 or "b" in letters:
            return f", since its prefix is written otherwise: write it as {quote(f'{letter[0].upper()}-{label}')}"
    if has_prefix(bare := tag.strip("\"'<>[](){}`")):
        return f", since there are marks around it: write it as {quote(bare)}"
    joined = tag[1:] if tag[:1] in "BI" and len(tag) > 2 else ""
    if joined and {f"B{joined}", f"I{joined}"} <= {*labelled}:
        return f", since nothing is between its prefix and its label: write it as {quote(f'{tag[0]}-{joined}')}"
    return ""


def span_chunks(
    all_chunks: Iterable[Chunk], tags: Sequence[str], scheme: Scheme, repair: str | None, where: Where
) -> tuple[list[Chunk], int]:
    """Return the chunks of a sentence that are spans.

    Args:
        all_chunks: All chunks of the sentence.
        tags: The tags.
        scheme: The scheme.
        repair: How to read chunks that the scheme does not allow: "conll" reads them as
            conlleval does, "discard" leaves them out, None makes them errors.
        where: Names the place of a tag, for errors.

    Returns:
        The chunks that are spans, and the number of chunks that the scheme does not allow.

    Raises:
        ValueError: The scheme does not allow a chunk, and `repair` is None.
    """
    result, repaired, name = list[Chunk](), 0, scheme.name
    for chunk in all_chunks:
        allowed = chunk.is_allowed(name)
        if not allowed and not repair:
            fault = "is not ended by an L or E" if chunk.prefixes[0] == "B" else "continues no span"
            evidence = f", as {scheme.evidence} shows" if scheme.evidence else ""
            raise ValueError(
                f"{where(chunk.start)}: {tags[chunk.start]} {fault}, and the tags are {name}{evidence}; use "
                f"{spell_argument('repair', 'conll')} to read it as a span, or "
                f"{spell_argument('repair', 'discard')} to leave it out"
            )
        repaired += not allowed
        if allowed or repair == "conll":
            result.append(chunk)
    return result, repaired


def read_tags(
    tags: Sequence[str], places: Sequence[tuple[int, int]], scheme: Scheme, repair: str | None, where: Where
) -> tuple[set[PlainSpan], int]:
    """Return the spans of a sentence of a file, from its tags.

    Args:
        tags: The tags.
        places: The (start, end) of each word.
        scheme: The scheme of the file.
        repair, where: As for `span_chunks`.

    Returns:
        The spans, and the number of chunks that the scheme does not allow.

    Raises:
        ValueError: The scheme does not allow a chunk, and `repair` is None. Names the place.

    >>> scheme = Scheme("IOB2")
    >>> scheme.see(["O", "I-PER"], "line {}".format)
    >>> read_tags(["O", "I-PER"], [(0, 2), (3, 6)], scheme, "conll", "line {}".format)
    ({(3, 6, 'PER')}, 1)
    """
    tags = scheme.plain_tags(tags)
    spans_chunks, repaired = span_chunks(chunks(tags), tags, scheme, repair, where)
    return {(places[chunk.start][0], places[chunk.end - 1][1], chunk.label) for chunk in spans_chunks}, repaired


def gaps_of(tags: Sequence[str], places: Sequence[tuple[int, int]]) -> tuple[bool, tuple[tuple[int, int], ...]]:
    """Return whether any word is annotated (True without words), and the places of words tagged `MISSING`.

    >>> gaps_of(["O", "-"], [(0, 3), (4, 7)])
    (True, ((4, 7),))
    """
    annotated = [tag != MISSING for tag in tags]
    return any(annotated) or not annotated, tuple(
        place for place, is_annotated in zip(places, annotated) if not is_annotated
    )


def place_words(words: Iterable[str], text: str) -> list[tuple[int, int]]:
    """Return the place of each word in a text that consists of the words.

    Raises:
        ValueError: A word is empty or not the next one in the text.

    >>> place_words(["Ada", "'s"], "Ada's")
    [(0, 3), (3, 5)]
    """
    places, end = [], 0
    for word in words:
        start = text.find(word, end)
        if not word or start < 0 or text[end:start].strip():
            raise ValueError(
                f"the token {shorten(word)!r} does not follow in the text, which goes on {quote(text[end:])}"
            )
        end = start + len(word)
        places.append((start, end))
    return places


def join_words(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return a text of the words with spaces between them, and the place of each word.

    Raises:
        ValueError: A word is empty or not a text.

    >>> join_words(["Ada", "met"])
    ('Ada met', [(0, 3), (4, 7)])
    """
    places: list[tuple[int, int]] = []
    for number, word in enumerate(words):
        if not isinstance(word, str) or not word.strip():
            raise ValueError(f"token {number} is {shorten(repr(word))}; expected a word")
        start = places[-1][1] + 1 if places else 0
        places.append((start, start + len(word)))
    return " ".join(words), places


class TagSequence(NamedTuple):
    """The spans of a tag sequence, its repairs and its gaps.

    Args:
        length: The number of tags.
        spans: (first token, token after the last, label).
        repaired: The number of spans that the scheme does not allow.
        gaps: The numbers of the tokens tagged "-", which have no annotation.
        notes: Notes on how all tags of the side were read.
    """

    length: int
    spans: list[PlainSpan]
    repaired: int
    gaps: list[int]
    notes: Sequence[str] = ()


class TokenDocument(Document):
    """A document of tags without words. Offsets count tokens."""

    def __init__(self, gold: Iterable[Sequence[Any]], pred: Iterable[Sequence[Any]], length: int) -> None:
        super().__init__(gold, pred)
        self.tokens: list[tuple[int, int]] | None = _unit_tokens(length)

    def unigrams(self, *_: Any, **__: Any) -> Iterator[Any]:
        """Raise ValueError, since the words are unknown."""
        raise ValueError(f"words need the text: give {spell_argument('tokens')}, the words of each document")


@lru_cache(maxsize=1024)
def _unit_tokens(length: int) -> list[tuple[int, int]]:
    return [(k, k + 1) for k in range(length)]


def read_tag_lists(
    sequences: Sequence[Sequence[str] | None], side: str, reading: Reading = Reading()
) -> list[TagSequence]:
    """Read the tag sequences of one side of a corpus.

    Args:
        sequences: A sequence of tags per document; None for a document without annotation.
        side: The name of the side in errors: "gold" or "pred".
        reading: Says the `scheme`, which "auto" infers from all sequences together, the tag `outside` of spans, and
            how to `repair` a span that the scheme does not allow: "error" raises ValueError, "conll" reads it as
            conlleval does, "discard" leaves it out.

    Returns:
        One `TagSequence` per sequence.

    Raises:
        ValueError: A value is not a tag, a tag lacks its prefix, or the scheme does not
            allow a span and `repair` is "error". Names the side, the document and the tag.

    >>> sequences = [["I-PER", "I-PER", "B-PER", "O"], []]
    >>> [tagged.spans for tagged in read_tag_lists(sequences, "gold", Reading(repair="conll"))]
    [[(0, 2, 'PER'), (2, 3, 'PER')], []]
    >>> read_tag_lists([["PER", "PER", "O", "LOC"]], "gold")[0].spans
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    validate_settings(reading)
    tag_lists: list[Sequence[str]] = [sequence if sequence is not None else () for sequence in sequences]
    scheme = Scheme(reading.scheme, reading.outside)
    for number, sequence in enumerate(tag_lists):
        if any(tag.__class__ is not str or not tag for tag in sequence):
            _check_are_tags(sequence, f"{side}, document {number}", reading.outside)
        scheme.see(sequence, partial("{}, document {}, tag {}".format, side, number))
    result = []
    mode = None if reading.repair == "error" else reading.repair
    for number, sequence in enumerate(tag_lists):
        where = partial("{}, document {}, tag {}".format, side, number)
        plain = scheme.plain_tags(sequence)
        sequence_chunks, repaired = span_chunks(chunks(plain), plain, scheme, mode, where)
        gaps = [k for k, tag in enumerate(plain) if tag == MISSING] if MISSING in plain else []
        result.append(TagSequence(len(plain), [chunk[:3] for chunk in sequence_chunks], repaired, gaps, scheme.notes))
    return result


def _check_are_tags(sequence: Sequence[Any], where: str, outside: str | None) -> None:
    """Raise ValueError if one of the tags of a document is no text, or empty."""
    for k, tag in enumerate(sequence):
        if isinstance(tag, str) and (tag or outside == ""):
            continue
        place = f"{where}: tag {k} is {shorten(repr(tag))}"
        if tag_number(tag) is not None:
            raise ValueError(
                f"{place}, a number without a name; expected tags such as 'B-PER': give {spell_argument('tag_names')}, "
                "the names in their order or the model's id2label"
            )
        raise ValueError(f"{place}; expected a tag such as 'B-PER' or 'O'")
