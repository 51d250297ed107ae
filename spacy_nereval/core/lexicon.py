"""What a training corpus says of surfaces and tokens: counts to look up, and to keep as a file.

A surface is the words of a span, joined by spaces, as they are written.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path

import pydantic
from typing_extensions import TypedDict

from ..io.writing import write_json
from .spans import Document

FORMAT = "spacy-nereval training 1"
PINNED = re.compile(r"(.+)@([0-9a-f]{8})")
OUTSIDE = ""
"""The label of tokens and surfaces that are not annotated."""

Table = dict[str, dict[str, int]]
"""Surface or token to label to number."""


class Parts(TypedDict):
    """What a file of training counts holds besides its format."""

    surfaces: dict[str, dict[str, pydantic.PositiveInt]]
    occurrences: dict[str, pydantic.PositiveInt]
    tokens: dict[str, dict[str, pydantic.PositiveInt]]
    documents: pydantic.PositiveInt


class Training:
    """Counts of a training corpus.

    `surfaces` are those of the annotated spans, with the number of spans of
    each label; `occurrences` says how often each stands in the corpus at all,
    annotated or not. `tokens` are all tokens, with the number of each label;
    a token outside of all spans counts for "".

    >>> training = collect([Document([(0, 3, "LOC")], [], "Ulm , old Ulm")])
    >>> training.surfaces, training.occurrences, training.tokens["Ulm"]
    ({'Ulm': {'LOC': 1}}, {'Ulm': 2}, {'LOC': 1, '': 1})
    """

    def __init__(self, surfaces: Table, occurrences: dict[str, int], tokens: Table, documents: int) -> None:
        self.surfaces = surfaces
        self.occurrences = occurrences
        self.tokens = tokens
        self.documents = documents

    @cached_property
    def labels(self) -> set[str]:
        """Every label of an annotated span."""
        return {label for row in self.surfaces.values() for label in row}

    @cached_property
    def most_frequent(self) -> tuple[int, int]:
        """How often the most frequent surface, as an annotated span, and the most frequent token occur."""
        return tuple(  # type: ignore[return-value]  # two tables, two numbers
            max((sum(row.values()) for row in table.values()), default=0) for table in (self.surfaces, self.tokens)
        )

    @cached_property
    def digest(self) -> str:
        """A hash of the counts, which are the same for a corpus and its table."""
        parts = [self.surfaces, self.occurrences, self.tokens, self.documents]
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:8]

    def save(self, path: Path) -> None:
        """Write the counts to a JSON file, whole or not at all."""
        parts = {"surfaces": self.surfaces, "occurrences": self.occurrences, "tokens": self.tokens}
        write_json(path, {"format": FORMAT, "documents": self.documents, **parts})


def collect(documents: Iterable[Document]) -> Training:
    """The counts of the gold spans and all words of documents."""
    surfaces: dict[tuple[str, ...], Counter[str]] = {}
    places: Counter[tuple[str, ...]] = Counter()
    tokens: dict[str, Counter[str]] = {}
    texts: list[list[str]] = []
    for document in documents:
        words = [(document.text or "")[start:end] for start, end in document.words]
        texts.append(words)
        labels: list[set[str]] = [set() for _ in words]
        for span in document.gold:
            first, last = document.word_range(span)
            for at in range(first, last):
                labels[at].add(span.label)
            surfaces.setdefault(tuple(document.words_of(span)), Counter())[span.label] += 1
        places.update({span[:2]: tuple(document.words_of(span)) for span in document.gold}.values())
        for word, its in zip(words, labels):
            tokens.setdefault(word, Counter()).update(its or {OUTSIDE})
    found = _occurrences(surfaces, texts)
    occurrences: Counter[str] = Counter()
    joined: dict[str, Counter[str]] = {}
    for surface, row in surfaces.items():
        joined.setdefault(" ".join(surface), Counter()).update(row)
        # At least as often as it is annotated, also where the ends of spans are no ends of words.
        occurrences[" ".join(surface)] += max(found[surface], places[surface])
    return Training(_plain(joined), dict(occurrences), _plain(tokens), len(texts))


def _occurrences(surfaces: Iterable[tuple[str, ...]], texts: Iterable[list[str]]) -> Counter[tuple[str, ...]]:
    """How often each surface stands in the texts."""
    sizes: dict[str, set[int]] = {}
    for surface in surfaces:
        if surface:
            sizes.setdefault(surface[0], set()).add(len(surface))
    found: Counter[tuple[str, ...]] = Counter()
    for words in texts:
        for at, word in enumerate(words):
            for size in sizes.get(word, ()):
                found[tuple(words[at : at + size])] += at + size <= len(words)
    return found


def _plain(table: Mapping[str, Counter[str]]) -> Table:
    return {key: dict(row) for key, row in table.items()}


def read(path: str | Path) -> Training:
    """The counts of a corpus in any format that can be read, or those that `save` wrote.

    Raises ValueError or OSError, naming the file, if it is neither, and if it is
    a corpus without annotation.
    """
    path = Path(path)
    if path.suffix == ".json":
        return _load(path)
    from ..io.read import records

    annotated = (record for record in records(path) if record.annotated)
    training = collect(Document(record.spans, [], record.text, tokens=record.tokens) for record in annotated)
    if not training.surfaces:
        raise ValueError(f"{path} has no annotated spans, and says nothing of how they were seen in training")
    return training


def pinned(path: str) -> str:
    """The path with a hash of the counts behind it, as it stands in signatures: other
    data under the same name are not the same. A path that has one stays as it is.
    """
    return path if PINNED.fullmatch(path) else f"{path}@{table(path).digest}"


def table(path: str) -> Training:
    """The counts of a path, pinned or not, read once for as long as the file does not change.

    Raises ValueError if they are not there, or not those that it was pinned to.
    """
    match = PINNED.fullmatch(path)
    name, digest = match.groups() if match else (path, None)
    found = Path(name)
    if not found.exists():
        raise ValueError(f"{name} is not there: a training corpus was wanted, or a table of training counts")
    state = found.stat()
    training = _kept(name, state.st_mtime_ns, state.st_size)
    if digest not in (None, training.digest):
        raise ValueError(f"{name} has changed: its counts have the hash {training.digest}, and {digest} was wanted")
    return training


@lru_cache(maxsize=4)
def _kept(path: str, changed: int, size: int) -> Training:
    return read(path)


def _load(path: Path) -> Training:
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is no file")
    try:
        found = json.loads(path.read_bytes())
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        parts = pydantic.TypeAdapter(Parts).validate_python(found)
        if lacking := parts["surfaces"].keys() - parts["occurrences"].keys():
            raise ValueError(f"it does not say how often {min(lacking)!r} occurs")
    except ValueError as error:
        what = error.errors(include_url=False)[0] if isinstance(error, pydantic.ValidationError) else None
        reason = f"{'.'.join(map(str, what['loc']))}: {what['msg'].lower()}" if what else str(error)
        raise ValueError(
            f"{path} is no table of training counts, as 'python -m spacy nereval training' writes them ({reason})"
        ) from None
    return Training(**parts)
