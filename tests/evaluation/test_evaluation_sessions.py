"""What the functions of the room give of small corpora with two of everything, whole, in `golden`."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sessions import check_session

from spacy_nereval import Document, count, create

pytestmark = pytest.mark.costly  # hundreds of statements, whose words some releases of other packages change

GOLDEN = Path(__file__).parent / "golden"

GOLD = {
    "a": [(0, 3, "PER"), (4, 7, "LOC")],
    "b": [(0, 3, "PER"), (8, 11, "PER")],
    "c": [],
    "d": [(0, 7, "LOC")],
    "e": [(0, 3, "LOC"), (4, 7, "PER"), (8, 11, "PER")],
    "f": [(4, 7, "PER")],
}
"""The gold spans of documents of three words; `c` has none."""

SYSTEMS = {
    "one": {"a": [(0, 3, "PER")], "b": [(0, 7, "PER"), (8, 11, "PER")], "c": [(0, 3, "PER")], "d": [(0, 7, "PER")]}
    | {"e": [(0, 3, "LOC"), (4, 7, "PER"), (8, 11, "PER")], "f": []},
    "two": {"a": [(0, 3, "PER"), (4, 7, "LOC")], "b": [(0, 3, "PER")], "c": [], "d": [(0, 3, "LOC")]}
    | {"e": [(0, 3, "PER"), (4, 7, "PER"), (8, 11, "LOC")], "f": [(4, 7, "PER")]},
}


def documents(system: str, repeats: int = 1) -> Iterator[Document]:
    """The documents with the spans of a system; each so many times, with other ids."""
    for number in range(repeats):
        for name, gold in GOLD.items():
            made = Document(gold, SYSTEMS[system][name], "Ada met Bob", id=f"{name}{number or ''}")
            made.meta = {"source": "web" if name in "abc" else "news"}
            yield made


NAMES = {"json": json, "np": np, "Document": Document, "count": count, "create": create, "documents": documents}


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.txt")))
def test_everything_that_a_session_says_is_what_its_file_has(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_session(GOLDEN / f"{name}.txt", **NAMES)
