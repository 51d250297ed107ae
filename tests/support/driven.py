"""Two systems with every verdict, whose reports are driven in a browser, and what has to be counted in them."""

from typing import Any

from pages import system

from spacy_nereval import Document, create
from spacy_nereval.evaluation.comparison import System
from spacy_nereval.evaluation.intervals import Confidence

CHOICES = """return [...document.querySelectorAll('#verdicts label')].map(label => [
  (label.querySelector('small') || label.children[2]).textContent, Number(label.querySelector('.n').textContent)])"""
"""The verdicts or changes that the form offers, each with its number."""

LABELS = ("PER", "LOC", "ORG")
DOCUMENTS = "#view=documents"
SECOND = "&one=1"
"""What an address has for the second system."""
FEW = Confidence(samples=20)


def corpus(preds: int) -> list[Document]:
    """57 documents in which every verdict comes, and of which some are right throughout."""
    found = []
    for k in range(57):
        text = f"Text {k}: Ada Lovelace met Grace Hopper of the Navy in Arlington, Virginia."
        names = ("Ada Lovelace", "Grace Hopper", "Navy", "Arlington, Virginia")
        gold = [(text.index(n), text.index(n) + len(n), LABELS[(j + k) % 3]) for j, n in enumerate(names)]
        pred = []
        for j, (start, end, label) in enumerate(gold):
            match (k * (preds + 1) + j * 5 + preds) % 11 if k % 4 else 10:
                case 0:
                    continue
                case 1:
                    pred.append((start + 2, end, label))
                case 2:
                    pred.append((start, end + 1, label))
                case 3:
                    pred.append((start + 1, end + 1, label))
                case 4:
                    pred.append((start, end, LABELS[(j + k + 1) % 3]))
                case 5:
                    pred.append((start - 1, end, LABELS[(j + k + 2) % 3]))
                case 6:
                    pred += [(start, end, label), (0, 4, label)]
                case 7:  # two verdicts on the gold span
                    pred += [(start, start + 2, label), (start + 2, end, LABELS[(j + k + 1) % 3])]
                case _:
                    pred.append((start, end, label))
        found.append(Document(gold, pred, text, id=f"id-{k}"))
    return found


ONE, TWO = system("one", *corpus(0)), system("two", *corpus(1))
BEST = system("best", *corpus(3))
"""A system with a higher score than both, which a page shows unless its address asks for another one."""


def verdicts(found: System, metric: str = "fair") -> list[list[Any]]:
    judge = create(metric)
    return [list(judge.verdicts(document)) for document in found.documents]


def with_verdict(found: System, name: str, metric: str = "fair") -> tuple[int, int]:
    """How many verdicts of that name there are, and in how many documents."""
    numbers = [sum(v.name == name for v in each) for each in verdicts(found, metric)]
    return sum(numbers), sum(n > 0 for n in numbers)


def said(n: int, documents: int, of: int = 57, what: str = "error") -> str:
    return f"{n} {what}{'' if n == 1 else 's'} in {documents} of {of} documents"


def wrong(found: System) -> list[int]:
    return [k for k, document in enumerate(found.documents, 1) if {*document.gold} != {*document.pred}]
