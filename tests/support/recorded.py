"""The results of other programs on corpora that are not part of the project.

The recorded results lie in a folder beside the repository, ../shared/data, or
where SPACY_NEREVAL_DATA says; without it those tests are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from places import DATA

from spacy_nereval import Document

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no recorded results of other programs: {DATA} is no folder")


@cache
def germeval() -> list[Document]:
    gold, pred = list(germeval_side("target.csv")), list(germeval_side("system.csv"))
    assert len(gold) == len(pred)
    return [Document(*sides) for sides in zip(gold, pred)]


def germeval_side(name: str) -> Iterator[list[tuple[int, int, str]]]:
    """Blocks of lines are sentences, lines are spans: label, first and last token. Token i is character i - 1."""
    text = (DATA / "faireval_ner" / name).read_text(encoding="utf-8")
    for block in text.rstrip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line]
        yield [(int(first) - 1, int(last), label) for label, first, last, *_ in rows if label not in ("NONE", "EMPTY")]
