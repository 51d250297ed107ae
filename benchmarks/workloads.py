"""The corpora that are scored: pairs of Docs, made up or from files.

They are the same in every run: what goes wrong is drawn from seeded generators.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import spacy
from single import Entity, perturbed
from spacy.tokens import Doc
from spacy.training import Example
from table import FEW_SHORT

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SPACY_NEREVAL_DATA", ROOT / "tests" / "data"))


class Corpus(NamedTuple):
    """Pairs of a gold and a predicted Doc with the same tokens; `sentences`: whether each is a single sentence."""

    name: str
    pairs: list[tuple[Doc, Doc]]
    sentences: bool = False

    def examples(self) -> list[Example]:
        """New Examples, which have not been aligned yet."""
        return [Example(pred, gold) for gold, pred in self.pairs]


SENTENCE = 19
"""Tokens of an average sentence of GermEval 2014: 31,000 sentences have 590,000 (Benikova et al., 2014)."""


class Missing(NamedTuple):
    """A corpus that is not on this machine."""

    name: str
    reason: str


def corpora(scale: float = 1.0) -> Iterator[Corpus | Missing]:
    """All of them, or that share of their documents."""
    for labels in (4, 18):
        yield made_up(f"{labels} labels", max(1, int(2000 * scale)), labels=labels)
    for corpus in (wnut17(), germeval()):
        if isinstance(corpus, Corpus):
            yield corpus._replace(pairs=corpus.pairs[: max(1, int(len(corpus.pairs) * scale))])
        else:
            yield corpus


def made_up(name: str, documents: int, *, labels: int, tokens: int = 200, entities: int = 15) -> Corpus:
    """Texts of random words with an entity in each of as many stretches of equal length."""
    random = Random(0)
    vocab = spacy.blank("en").vocab
    words, names = [f"word{k}" for k in range(500)], [f"L{k}" for k in range(labels)]
    step = tokens // entities
    pairs = []
    for _ in range(documents):
        gold = [
            (start, start + random.randint(1, min(3, step)), random.choice(names))
            for start in range(0, step * entities, step)
        ]
        pairs.append(pair(vocab, random.choices(words, k=tokens), gold, perturbed(gold, names, random)))
    return Corpus(name, pairs)


def wnut17() -> Corpus | Missing:
    """The project's test texts from the web, with predictions that go wrong as often as those that are made up."""
    sys.path.append(str(ROOT / "scripts"))
    import readers

    name = "WNUT17 test"
    folder = next((folder for folder in (ROOT / "assets" / "wnut17", DATA / "wnut17") if folder.is_dir()), None)
    if folder is None:
        return Missing(name, "fetch it with `python -m spacy project assets`")
    test = readers.read_wnut17(folder, defaultdict(list))["test"]
    entities = [[(ent.start, ent.end, ent.label_) for ent in doc.ents] for doc in test]
    names = sorted({label for ents in entities for _, _, label in ents})
    random = Random(0)
    return Corpus(
        name,
        [
            pair(doc.vocab, [token.text for token in doc], gold, perturbed(gold, names, random))
            for doc, gold in zip(test, entities)
        ],
        sentences=True,
    )


def warranty() -> Corpus:
    """The project's 180 short test texts. Only the gold side is used, so that it stands for both."""
    sys.path.append(str(ROOT / "scripts"))
    import readers

    docs = readers.read_warranty(ROOT / "assets" / "warranty", defaultdict(list))["test"]
    return Corpus(FEW_SHORT, [(doc, doc) for doc in docs], sentences=True)


def germeval() -> Corpus | Missing:
    """Sentences of GermEval 2014 with a real model's output. The files have no texts: every token is an x, and a
    sentence has `SENTENCE` of them, or more if its entities need them."""
    name, folder = "GermEval 2014", DATA / "faireval_ner"
    if not folder.is_dir():
        return Missing(name, f"{folder} is no folder; SPACY_NEREVAL_DATA may name another one for faireval_ner")
    vocab = spacy.blank("de").vocab
    sides = []
    for file in ("target.csv", "system.csv"):
        blocks = (folder / file).read_text(encoding="utf8").rstrip("\n").split("\n\n")
        rows = ([line.split("\t") for line in block.split("\n") if line] for block in blocks)
        sides.append([[(int(a) - 1, int(b), label) for label, a, b, *_ in row if a != "999"] for row in rows])
    pairs = [pair(vocab, ["x"] * max([SENTENCE, *(e for _, e, _ in g + p)]), g, p) for g, p in zip(*sides)]
    return Corpus(name, pairs, sentences=True)


def pair(vocab: spacy.vocab.Vocab, words: list[str], gold: list[Entity], pred: list[Entity]) -> tuple[Doc, Doc]:
    """A gold and a predicted Doc over the same words."""
    return Doc(vocab, words=words, ents=tags(gold, len(words))), Doc(vocab, words=words, ents=tags(pred, len(words)))


def tags(entities: Iterable[Entity], length: int) -> list[str]:
    """IOB2 tags.

    >>> tags([(1, 3, "A")], 4)
    ['O', 'B-A', 'I-A', 'O']
    """
    found = ["O"] * length
    for start, end, label in entities:
        found[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return found
