"""Read sequences of IOB1, IOB2, BILUO, BIOES and IO tags, from files and from Python lists.

A sequence is divided into chunks. The scheme is inferred from all sequences of a file or of one side; it says which
chunks are spans, and which are errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ...core.arguments import Reading, validate_settings
from ...core.messages import PlainSpan, quote, shorten, spell_argument
from ...core.spans import Document

PREFIXES = {"B": "B", "I": "I", "L": "L", "E": "L", "U": "U", "S": "U"}
"""The prefixes of all schemes, as the letters of BILUO."""

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
        raise ValueError(f"{tag[:40]!r} is not a tag; expected O, or B-, I-, L-, U-, E- or S- with a label")
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

    Any L, U, E or S makes it BILUO. Otherwise it is IOB1 if some chunk begins with I,
    and every B directly follows a chunk of its own label, since only IOB1 writes such tags.
    All other files are IOB2. Files that both IOB schemes allow mean the same in both.

    Args:
        name: The scheme, one of `ALLOWED`; "" to infer it.

    >>> scheme = Scheme()
    >>> chunks_of_sentence = scheme.see(["O", "I-PER", "B-PER"], "line {}".format)
    >>> scheme.name, scheme.evidence
    ('IOB1', 'I-PER in line 1')
    >>> chunks_of_sentence = scheme.see(["B-PER"], "line {}".format)
    >>> scheme.name, scheme.evidence
    ('IOB2', 'B-PER in line 0')
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._evidence: dict[str, str] = {}  # the first evidence for each scheme

    def see(self, tags: Sequence[str], where: Where) -> list[Chunk]:
        """Use the tags of one sentence as evidence, and return their chunks."""
        sentence_chunks = [*chunks(tags)]
        for chunk in sentence_chunks:
            scheme, k = chunk.scheme_evidence()
            if scheme and scheme not in self._evidence:
                self._evidence[scheme] = f"{tags[chunk.start + k]} in {where(chunk.start + k)}"
        return sentence_chunks

    @property
    def name(self) -> str:
        """The scheme, one of `ALLOWED`."""
        return self._name or next((scheme for scheme in ALLOWED if scheme in self._evidence), "IOB2")

    @property
    def evidence(self) -> str:
        """The first tag that only this scheme allows, and its place; empty if the scheme was not inferred."""
        return "" if self._name else self._evidence.get(self.name, "")


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

    >>> read_tags(["O", "I-PER"], [(0, 2), (3, 6)], Scheme(), "conll", "line {}".format)
    ({(3, 6, 'PER')}, 1)
    """
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
    """

    length: int
    spans: list[PlainSpan]
    repaired: int
    gaps: list[int]


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
    sequences: Sequence[Sequence[str] | None], side: str, scheme: str = "auto", repair: str = "error"
) -> list[TagSequence]:
    """Read the tag sequences of one side of a corpus.

    Args:
        sequences: A sequence of tags per document; None for a document without annotation.
        side: The name of the side in errors: "gold" or "pred".
        scheme: One of `arguments.SCHEMES`; "auto" infers it from all sequences together. In IO, the
            whole tag is the label.
        repair: What to do with a span that the scheme does not allow: "error" raises ValueError, "conll" reads it
            as conlleval does, "discard" leaves it out.

    Returns:
        One `TagSequence` per sequence.

    Raises:
        ValueError: A value is not a tag, a tag lacks its prefix, or the scheme does not
            allow a span and `repair` is "error". Names the side, the document and the tag.

    >>> [tagged.spans for tagged in read_tag_lists([["I-PER", "I-PER", "B-PER", "O"], []], "gold", repair="conll")]
    [[(0, 2, 'PER'), (2, 3, 'PER')], []]
    >>> read_tag_lists([["PER", "PER", "O", "LOC"]], "gold")[0].spans
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    validate_settings(Reading(scheme=scheme, repair=repair))
    try:
        tags = [*dict.fromkeys(chain.from_iterable(sequence for sequence in sequences if sequence is not None))]
    except TypeError:  # a tag that is a list or a dict cannot be a key
        raise _not_a_tag(sequences, side, lambda tag: not isinstance(tag, str)) from None
    kind = _scheme(tags, sequences, side, scheme)
    tag_lists: list[Sequence[str]] = [sequence if sequence is not None else () for sequence in sequences]
    if kind == "IO":  # equal neighbours are one span, as with the prefix I, which IOB1 allows everywhere
        tag_lists = [[tag if tag in ("O", MISSING) else f"I-{tag}" for tag in sequence] for sequence in tag_lists]
    inferred = Scheme({"auto": "", "IO": "IOB1", "BIOES": "BILUO"}.get(kind, kind))
    all_chunks = [inferred.see(sequence, same_place(f"document {number}")) for number, sequence in enumerate(tag_lists)]
    result = []
    mode = None if repair == "error" else repair
    for number, sequence in enumerate(tag_lists):
        where = partial("{}, document {}, tag {}".format, side, number)
        sequence_chunks, repaired = span_chunks(all_chunks[number], sequence, inferred, mode, where)
        gaps = [k for k, tag in enumerate(sequence) if tag == MISSING] if MISSING in sequence else []
        result.append(TagSequence(len(sequence), [chunk[:3] for chunk in sequence_chunks], repaired, gaps))
    return result


def _scheme(tags: Sequence[Any], sequences: Sequence[Sequence[str] | None], side: str, scheme: str) -> str:
    """Return the scheme of distinct tags: IO if no tag has a prefix and none was given, otherwise the given one.

    Raises:
        ValueError: A value is not a tag, or a tag lacks its prefix.
    """
    for tag in tags:
        if not isinstance(tag, str) or not tag:
            raise _not_a_tag(
                sequences, side, lambda other, tag=tag: other is tag or (other == tag and bool(tag) is bool(other))
            )
    has_prefix = {tag: _has_prefix(tag) for tag in tags if tag not in ("O", MISSING)}
    if scheme == "auto" and has_prefix and not any(has_prefix.values()):
        if bare := [tag for tag in has_prefix if tag in PREFIXES]:
            raise ValueError(
                f"{_place(sequences, side, bare[0])} is {bare[0]!r}, which has no label; expected a tag such as "
                f"'{bare[0]}-PER', or {spell_argument('scheme', 'IO')} if it is a label"
            )
        scheme = "IO"
    if scheme != "IO" and (odd := [tag for tag, prefixed in has_prefix.items() if not prefixed]):
        example = next((tag for tag, prefixed in has_prefix.items() if prefixed), "B-PER")
        raise ValueError(
            f"{_place(sequences, side, odd[0])} is {quote(odd[0])}, which is not a tag; expected O, or B-, I-, L-, "
            f"U-, E- or S- with a label, such as {quote(example)}; tags without any prefix are read with "
            f"{spell_argument('scheme', 'IO')}"
        )
    return scheme


def _has_prefix(tag: str) -> bool:
    return len(tag) > 2 and tag[1] == "-" and tag[0] in PREFIXES


def _place(sequences: Sequence[Sequence[str] | None], side: str, tag: Any) -> str:
    for document, tags in enumerate(sequences):
        for k, candidate in enumerate(tags if tags is not None else ()):
            if type(candidate) is type(tag) and candidate == tag:
                return f"{side}, document {document}: tag {k}"
    raise AssertionError("the tag is of these sequences")


def _not_a_tag(sequences: Sequence[Sequence[str] | None], side: str, is_odd: Any) -> ValueError:
    document, place, tag = next(
        (document, place, tag)
        for document, tags in enumerate(sequences)
        for place, tag in enumerate(tags if tags is not None else ())
        if is_odd(tag)
    )
    where = f"{side}, document {document}: tag {place} is {shorten(repr(tag))}"
    if isinstance(tag, (int, np.integer)) and not isinstance(tag, bool):
        return ValueError(
            f"{where}, a number without a name; expected tags such as 'B-PER': give {spell_argument('tag_names')}, "
            "the names in "
            "their order or the model's id2label"
        )
    return ValueError(f"{where}; expected a tag such as 'B-PER' or 'O'")
