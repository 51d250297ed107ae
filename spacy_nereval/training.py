"""What a training corpus says of surfaces and tokens: counts to look up, and to keep as a file.

A surface is the words of a span, joined by spaces, as they are written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from .spans import Document
from .writing import write_json

FORMAT = "spacy-nereval training 1"
OUTSIDE = ""
"""The label of tokens and surfaces that are not annotated."""

Table = dict[str, dict[str, int]]
"""Surface or token to label to number."""


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

    def save(self, path: Path) -> None:
        """Write the counts to a JSON file, whole or not at all."""
        parts = {"surfaces": self.surfaces, "occurrences": self.occurrences, "tokens": self.tokens}
        write_json(path, {"format": FORMAT, "documents": self.documents, **parts})


def collect(documents: Iterable[Document]) -> Training:
    """The counts of the gold spans and all words of documents."""
    surfaces: dict[str, Counter[str]] = {}
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
            surfaces.setdefault(" ".join(document.words_of(span)), Counter())[span.label] += 1
        for word, its in zip(words, labels):
            tokens.setdefault(word, Counter()).update(its or {OUTSIDE})
    occurrences = _occurrences(surfaces, texts)
    return Training(_plain(surfaces), occurrences, _plain(tokens), len(texts))


def _occurrences(surfaces: Mapping[str, Counter[str]], texts: Iterable[list[str]]) -> dict[str, int]:
    """How often each surface stands in the texts: at least as often as it is annotated with
    one label, also where the ends of its spans are no ends of words."""
    sizes: dict[str, set[int]] = {}
    for surface in surfaces:
        words = surface.split(" ")
        sizes.setdefault(words[0], set()).add(len(words))
    found: Counter[str] = Counter()
    for words in texts:
        for at, word in enumerate(words):
            for size in sizes.get(word, ()):
                found[" ".join(words[at : at + size])] += at + size <= len(words)
    return {surface: max(found[surface], *row.values()) for surface, row in surfaces.items()}


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
    from .files import records

    annotated = (record for record in records(path) if record.annotated)
    training = collect(Document(record.spans, [], record.text, tokens=record.tokens) for record in annotated)
    if not training.surfaces:
        raise ValueError(f"{path} has no annotated spans, and says nothing of how they were seen in training")
    return training


def table(path: str) -> Training:
    """The same, read once for as long as the file does not change."""
    found = Path(path)
    if not found.exists():
        raise ValueError(f"{path} is not there: a training corpus was wanted, or a table of training counts")
    state = found.stat()
    return _kept(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _kept(path: str, changed: int, size: int) -> Training:
    return read(path)


def _load(path: Path) -> Training:
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is no file")
    try:
        table: dict[str, Any] = json.loads(path.read_bytes())
        if table["format"] != FORMAT:
            raise ValueError(f"its format is {table['format']!r}, this version reads {FORMAT!r}")
        training = Training(table["surfaces"], table["occurrences"], table["tokens"], table["documents"])
        training.most_frequent, training.labels  # noqa: B018  # looked at here, so that damage is found here
        return training
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} is no table of training counts, as 'python -m spacy nereval training' writes them "
            f"({type(error).__name__}: {error})"
        ) from None
