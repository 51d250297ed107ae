"""A lexicon: how often a training corpus has each word and each span, and with which labels.

A surface is the words of a span as they are written, joined by spaces.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pydantic
from typing_extensions import TypedDict

from . import compression
from .expansion import TooLarge
from .labels import LabelRules
from .pieces import pieces_of
from .plugins import readers
from .spans import Document, relabel

FORMAT = "spacy-nereval training 2"
"""The format of a lexicon's JSON file."""

EARLIER = ("spacy-nereval training 1",)
"""Formats of earlier versions, which lack the numbers of occurrences of tokens in nested spans."""

PINNED = re.compile(r"(.+)@([0-9a-f]{8})")
"""A path with the digest of its lexicon."""

NO_LABEL = ""
"""The label of a token outside of all spans."""

LabelCounts = dict[str, dict[str, int]]
"""Surface or token to label to number."""


class LexiconContent(TypedDict):
    """The content of a lexicon's JSON file, except its format."""

    surfaces: dict[str, dict[str, pydantic.PositiveInt]]
    occurrences: dict[str, pydantic.PositiveInt]
    tokens: dict[str, dict[str, pydantic.PositiveInt]]
    token_occurrences: dict[str, pydantic.PositiveInt]
    documents: pydantic.PositiveInt


class Lexicon:
    """How often a training corpus has each surface and each token.

    Args:
        surfaces: Every surface of an annotated span, with its number of spans per label.
        occurrences: How often the corpus has each of these surfaces, annotated or not.
        tokens: Every token, with its number per label; `NO_LABEL` outside of all spans. A token in nested spans
            of several labels counts for each of them.
        token_occurrences: How often the corpus has each token.
        documents: The number of documents in the corpus.

    >>> lexicon = lexicon_of([Document([(0, 3, "LOC")], [], "Ulm , old Ulm")])
    >>> lexicon.surfaces, lexicon.occurrences, lexicon.tokens["Ulm"]
    ({'Ulm': {'LOC': 1}}, {'Ulm': 2}, {'LOC': 1, '': 1})
    """

    def __init__(
        self,
        surfaces: LabelCounts,
        occurrences: dict[str, int],
        tokens: LabelCounts,
        token_occurrences: dict[str, int],
        documents: int,
    ) -> None:
        self.surfaces = surfaces
        self.occurrences = occurrences
        self.tokens = tokens
        self.token_occurrences = token_occurrences
        self.documents = documents

    @cached_property
    def labels(self) -> set[str]:
        """Every label of an annotated span."""
        return {label for row in self.surfaces.values() for label in row}

    @cached_property
    def most_frequent(self) -> tuple[int, int]:
        """How often the most frequent surface is annotated, and the most frequent token occurs."""
        surface = max((sum(row.values()) for row in self.surfaces.values()), default=0)
        return surface, max(self.token_occurrences.values(), default=0)

    @cached_property
    def digest(self) -> str:
        """A hash of the counts, 8 hexadecimal digits; a corpus and its lexicon have the same."""
        parts: list[Any] = [self.surfaces, self.occurrences, self.tokens, self.documents]
        if self.token_occurrences != {token: sum(row.values()) for token, row in self.tokens.items()}:
            parts.append(self.token_occurrences)  # only with nested spans, so that others keep their digest
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:8]

    def as_json(self) -> dict[str, Any]:
        """Return the content of the lexicon's JSON file, which `read_lexicon` reads: its format and its five tables.

        >>> sorted(lexicon_of([]).as_json())
        ['documents', 'format', 'occurrences', 'surfaces', 'token_occurrences', 'tokens']
        """
        parts = {name: getattr(self, name) for name in ("surfaces", "occurrences", "tokens", "token_occurrences")}
        return {"format": FORMAT, "documents": self.documents, **parts}


def lexicon_of(documents: Iterable[Document]) -> Lexicon:
    """Return the lexicon of documents: the counts of their gold spans and of all their words.

    Args:
        documents: Documents with texts; predictions are ignored.

    Returns:
        The lexicon.

    Raises:
        ValueError: If a document has no text.

    >>> lexicon_of([Document([(4, 7, "LOC")], [], "New Ulm")]).tokens
    {'New': {'': 1}, 'Ulm': {'LOC': 1}}
    """
    surfaces: dict[tuple[str, ...], Counter[str]] = {}
    annotated: Counter[tuple[str, ...]] = Counter()  # boundaries with several labels count once
    tokens: dict[str, Counter[str]] = {}
    token_occurrences: Counter[str] = Counter()
    texts: list[list[str]] = []
    for document in documents:
        words = [(document.text or "")[start:end] for start, end in document.words]
        texts.append(words)
        token_occurrences.update(words)
        labels: list[set[str]] = [set() for _ in words]
        for span in document.gold:
            for piece in pieces_of(document.word_range(span)):
                for place in range(*piece):
                    labels[place].add(span.label)
            surfaces.setdefault(tuple(document.words_of(span)), Counter())[span.label] += 1
        annotated.update({span[:2]: tuple(document.words_of(span)) for span in document.gold}.values())
        for word, its_labels in zip(words, labels):
            tokens.setdefault(word, Counter()).update(its_labels or {NO_LABEL})
    numbers = _occurrences(surfaces, texts)
    occurrences: Counter[str] = Counter()
    joined: dict[str, Counter[str]] = {}
    for surface, row in surfaces.items():
        joined.setdefault(" ".join(surface), Counter()).update(row)
        # The surface of a span that cuts a word may not occur in the texts; then its annotations count.
        occurrences[" ".join(surface)] += max(numbers[surface], annotated[surface])
    return Lexicon(_plain_dicts(joined), dict(occurrences), _plain_dicts(tokens), dict(token_occurrences), len(texts))


def _occurrences(surfaces: Iterable[tuple[str, ...]], texts: Iterable[list[str]]) -> Counter[tuple[str, ...]]:
    """Count how often each surface occurs in the texts."""
    sizes: dict[str, set[int]] = {}
    for surface in surfaces:
        if surface:
            sizes.setdefault(surface[0], set()).add(len(surface))
    numbers: Counter[tuple[str, ...]] = Counter()
    for words in texts:
        for place, word in enumerate(words):
            for size in sizes.get(word, ()):
                numbers[tuple(words[place : place + size])] += place + size <= len(words)
    return numbers


def _plain_dicts(table: Mapping[str, Counter[str]]) -> LabelCounts:
    return {key: dict(row) for key, row in table.items()}


def read_lexicon(path: str | Path, rules: LabelRules | None = None) -> Lexicon:
    """Read a lexicon's JSON file, or make the lexicon of an annotated corpus.

    Args:
        path: A .json file written by `nereval training`, or a corpus in any format that
            can be inferred from its path.
        rules: The label rules for a corpus.

    Returns:
        The lexicon, which has at least one surface.

    Raises:
        ValueError: If the file is neither, has no annotated spans, or is a lexicon and rules are given.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "train.json"
    >>> _ = path.write_text(json.dumps(lexicon_of([Document([(4, 7, "LOC")], [], "New Ulm")]).as_json()))
    >>> read_lexicon(path).surfaces
    {'Ulm': {'LOC': 1}}
    """
    path = Path(path)
    if rules and compression.format_extension(path) == ".json":
        raise ValueError(f"{path} is a lexicon; its labels cannot be changed: give the training corpus")
    lexicon = _load(path) if compression.format_extension(path) == ".json" else _count_corpus(path, rules)
    if not lexicon.surfaces:
        raise ValueError(f"{path} has no annotated spans; expected training data with gold spans")
    return lexicon


def _count_corpus(path: Path, rules: LabelRules | None) -> Lexicon:
    # Through the registry, since the room `io`, which has the readers, imports this one.
    annotated = (record for record in readers.get("auto")(path) if record.annotated)
    documents = (Document(record.spans, [], record.text, tokens=record.tokens) for record in annotated)
    return lexicon_of(document for document in relabel(documents, rules) if document)


def pinned_path(path: str) -> str:
    """Return the path with the digest of its lexicon, for signatures.

    If the data under the path change, so does the digest. A path with a digest is returned unchanged.

    Args:
        path: A corpus or a lexicon's JSON file, with or without a digest.

    Returns:
        The path, "@" and 8 hexadecimal digits.

    Raises:
        ValueError: If there is no such file, or it cannot be read.
        OSError: If the file cannot be read.

    >>> pinned_path("train.spacy@0123abcd")
    'train.spacy@0123abcd'
    """
    return path if PINNED.fullmatch(path) else f"{path}@{cached_lexicon(path).digest}"


def cached_lexicon(path: str) -> Lexicon:
    """Return the lexicon of a path, read again only if the file changes.

    Args:
        path: A corpus or a lexicon's JSON file, with or without a digest (`pinned_path`).

    Returns:
        The lexicon, as `read_lexicon` does.

    Raises:
        ValueError: If there is no such file, it cannot be read, or the lexicon has
            another digest than the path.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "train.json"
    >>> _ = path.write_text(json.dumps(lexicon_of([Document([(4, 7, "LOC")], [], "New Ulm")]).as_json()))
    >>> cached_lexicon(pinned_path(str(path))) is cached_lexicon(str(path))
    True
    """
    match = PINNED.fullmatch(path)
    name, digest = match.groups() if match else (path, None)
    file = Path(name)
    if not file.exists():
        raise ValueError(f"{name} does not exist; expected a training corpus, or a file that 'nereval training' wrote")
    state = file.stat()
    lexicon = _read_once(name, state.st_mtime_ns, state.st_size)
    if digest not in (None, lexicon.digest):
        raise ValueError(f"{name} has changed: expected the digest {digest}, found {lexicon.digest}")
    return lexicon


@lru_cache(maxsize=4)
def _read_once(path: str, changed: int, size: int) -> Lexicon:
    return read_lexicon(path)


def _load(path: Path) -> Lexicon:
    if not path.is_file():
        raise ValueError(f"{path} does not exist or is not a file")
    content: Any = None
    try:
        content = compression.read_json(path)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        parts = pydantic.TypeAdapter(LexiconContent).validate_python(content)
        for counted, occurrences in (
            (parts["surfaces"], parts["occurrences"]),
            (parts["tokens"], parts["token_occurrences"]),
        ):
            if lacking := counted.keys() - occurrences.keys():
                raise ValueError(f"it does not say how often {min(lacking)!r} occurs")
    except TooLarge:
        raise
    except ValueError as error:
        if isinstance(content, dict) and content.get("format") in EARLIER:
            raise ValueError(
                f"{path} was written by an earlier version, which counted a token once for each label of nested spans: "
                f"make it again from the training corpus with 'nereval training'"
            ) from None
        problem = error.errors(include_url=False)[0] if isinstance(error, pydantic.ValidationError) else None
        reason = f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].lower()}" if problem else str(error)
        raise ValueError(f"{path} is not a lexicon; expected a file written by 'nereval training' ({reason})") from None
    return Lexicon(**parts)
