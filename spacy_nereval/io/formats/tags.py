"""Sequences of IOB1, IOB2, BILUO and BIOES tags: what their chunks are, and which a scheme allows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

PREFIXES = {"B": "B", "I": "I", "L": "L", "E": "L", "U": "U", "S": "U"}
"""The prefixes of all schemes in the letters of BILUO."""

ALLOWED = {"BILUO": re.compile("BI*L|U"), "IOB2": re.compile("BI*"), "IOB1": re.compile("[BI]I*")}
"""The prefixes of a chunk in each scheme."""

MISSING = "-"
"""spaCy's tag for a token of which nothing is known."""


@lru_cache(maxsize=10_000)
def split(tag: str) -> tuple[str, str]:
    """Prefix, in the letters of BILUO, and label; both are empty outside of chunks.

    >>> split("E-PER"), split("B-creative-work"), split("O")
    (('L', 'PER'), ('B', 'creative-work'), ('', ''))

    Raises ValueError for what is no tag.
    """
    if tag in ("O", MISSING):
        return "", ""
    prefix, _, label = tag.partition("-")
    if prefix not in PREFIXES or not label:
        raise ValueError(f"{tag[:40]!r} is no tag; O was wanted, or B-, I-, L-, U-, E- or S- with a label")
    return PREFIXES[prefix], label


class Chunk(NamedTuple):
    """A chunk of a sentence, `tags[start:end]`. `joins` says that a chunk of the
    same label ends where it begins."""

    start: int
    end: int
    label: str
    prefixes: str
    joins: bool = False

    def is_allowed(self, scheme: str) -> bool:
        return ALLOWED[scheme].fullmatch(self.prefixes) is not None


def chunks(tags: Sequence[str]) -> Iterator[Chunk]:
    """The chunks of one sentence, by the rules of conlleval, which cut any sequence.

    B and U begin a chunk, and so does whatever cannot continue the chunk before
    it, since that has another label or was ended by an L or U. Sequences that
    their scheme allows are cut as it means them.

    >>> [chunk[:4] for chunk in chunks(["I-A", "I-A", "B-A", "I-B", "O"])]
    [(0, 2, 'A', 'II'), (2, 3, 'A', 'B'), (3, 4, 'B', 'I')]
    """
    last = None
    for k, (prefix, label) in enumerate(map(split, tags)):
        if not prefix:
            continue
        joins = last is not None and last.end == k and last.label == label
        if last and joins and prefix in "IL" and last.prefixes[-1] in "BI":
            last = last._replace(end=k + 1, prefixes=last.prefixes + prefix)
        else:
            if last:
                yield last
            last = Chunk(k, k + 1, label, prefix, joins)
    if last:
        yield last


class Scheme:
    """The scheme of a file, by the tags of all its sentences.

    With an L, U, E or S anywhere it is BILUO. Without, it is IOB1 if some chunk
    begins with an I, and every B stands right behind a chunk of its own label,
    as in IOB1 alone; otherwise IOB2. What both allow means the same in both.

    >>> scheme = Scheme()
    >>> scheme.see(["O", "I-PER", "B-PER"], where=[1, 2, 3])
    >>> scheme.name, scheme.evidence
    ('IOB1', 'I-PER in line 2')
    >>> scheme.see(["B-PER"], where=[5])
    >>> scheme.name, scheme.evidence
    ('IOB2', 'B-PER in line 5')
    """

    def __init__(self) -> None:
        self._evidence: dict[str, str] = {}  # the first for each scheme

    def see(self, tags: Sequence[str], where: Sequence[int]) -> None:
        """Take into account the tags of a sentence, which stand in these lines."""
        for chunk in chunks(tags):
            if at := re.search("[LU]", chunk.prefixes):
                kind, k = "BILUO", chunk.start + at.start()
            elif chunk.prefixes[0] == "I":
                kind, k = "IOB1", chunk.start
            elif not chunk.joins:
                kind, k = "IOB2", chunk.start
            else:
                continue
            self._evidence.setdefault(kind, f"{tags[k]} in line {where[k]}")

    @property
    def name(self) -> str:
        return next((scheme for scheme in ALLOWED if scheme in self._evidence), "IOB2")

    @property
    def evidence(self) -> str:
        """The first tag that only this scheme has there, and its line."""
        return self._evidence.get(self.name, "")
