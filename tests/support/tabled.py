"""A small corpus whose tables are known, as documents and as files."""

from pathlib import Path

import pytest
from commands import line, write
from made_up import corpus, second

from spacy_nereval import Document

TEXT = "Ada Lovelace met Bob in Rome"


ADA, LOVELACE, BOTH, BOB, ROME = (0, 3), (4, 12), (0, 12), (17, 20), (24, 28)


DOCUMENTS = [
    Document([(*BOTH, "PER"), (*BOB, "PER"), (*ROME, "LOC")], [(*ADA, "PER"), (*BOB, "PER")], TEXT, id="a"),
    Document([(*BOTH, "PER"), (*ROME, "LOC")], [(*LOVELACE, "PER"), (*ROME, "PER")], TEXT),
    Document([(*BOTH, "PER")], [(*BOTH, "PER"), (*BOB, "LOC")], TEXT, id="c"),
    Document([], [], TEXT, id="d"),
]
"""tp 2, be_s 2, fn 1, le 1, fp 1; 6 gold spans."""


GOLD = [line(d.text, *d.gold, **({"id": d.id} if d.id else {})) for d in DOCUMENTS]


PRED = [line(d.text, *d.pred, **({"id": d.id} if d.id else {})) for d in DOCUMENTS]


OTHER = [line(d.text, *(d.gold if k % 2 else d.pred)) for k, d in enumerate(DOCUMENTS)]


MANY_DOCUMENTS = corpus(24)


MORE = {
    "many": [line(d.text, *d.gold, id=d.id) for d in MANY_DOCUMENTS],
    "first": [line(d.text, *d.pred, id=d.id) for d in MANY_DOCUMENTS],
    "second": [line(d.text, *d.pred, id=d.id) for d in second(MANY_DOCUMENTS)],
}
"""Enough documents for intervals and tests."""


SCORE = ("score", "gold.jsonl", "pred.jsonl")


COMPARE = ("compare", "gold.jsonl", "pred.jsonl", "other.jsonl", "--samples", 20, "--trials", 50)


COMPARE_MANY = ("compare", "many.jsonl", "first.jsonl", "second.jsonl", "--trials", 500, "-m", "strict,slot_error,fair")


ERRORS = ("errors", "gold.jsonl", "pred.jsonl")


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A folder with the files of `tabled`, in which commands run."""
    monkeypatch.chdir(tmp_path)
    for name, rows in (("gold", GOLD), ("pred", PRED), ("other", OTHER), *MORE.items()):
        write(tmp_path / f"{name}.jsonl", *rows)
    return tmp_path
