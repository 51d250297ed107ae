"""GermEval 2014, as FairEval's author evaluated it."""

from collections.abc import Iterator
from functools import cache

from places import RECORDED

from spacy_nereval import Document


@cache
def germeval() -> list[Document]:
    gold, pred = list(germeval_side("target.csv")), list(germeval_side("system.csv"))
    assert len(gold) == len(pred)
    return [Document(*sides) for sides in zip(gold, pred)]


def germeval_side(name: str) -> Iterator[list[tuple[int, int, str]]]:
    """Blocks of lines are sentences, lines are spans: label, first and last token. Token i is character i - 1."""
    text = (RECORDED / "faireval_ner" / name).read_text(encoding="utf-8")
    for block in text.rstrip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line]
        yield [(int(first) - 1, int(last), label) for label, first, last, *_ in rows if label not in ("NONE", "EMPTY")]
