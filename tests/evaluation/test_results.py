"""The one shape that everything prints, as a whole and key by key.

After a change that is meant to move a number or a key, write the golden file
anew with SPACY_NEREVAL_REGENERATE=1 and read the difference.
"""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import version
from typing import Any

import pytest
from places import TESTS
from processes import python

from spacy_nereval import Confidence, Document, __version__, score

GOLDEN = TESTS / "evaluation" / "golden" / "result.json"

TEXT = "Oil leak at the left pump, pump seal worn; replaced seal and pump."
TOKENS = [match.span() for match in re.finditer(r"\w+|[^\w\s]", TEXT)]


def place(words: str, label: str, nth: int = 0) -> tuple[int, int, str]:
    start = [match.start() for match in re.finditer(re.escape(words), TEXT)][nth]
    return start, start + len(words), label


def corpus() -> list[Document | None]:
    """Every kind of agreement and error, a document without spans, and one without annotation."""
    nested = Document(
        gold=[place("left pump", "LOC"), place("pump", "LOC", 1), place("seal", "PART"), place("Oil leak", "TYPE")],
        pred=[
            place("the left pump", "LOC"),
            place("pump seal", "LOC"),
            place("seal", "TYPE"),
            place("Oil leak", "TYPE"),
        ],
        text=TEXT,
        tokens=TOKENS,
        id="nested",
    )
    nested.ignored = 2
    crossed = Document(
        gold=[place("pump seal", "LOC"), place("worn; replaced", "TYPE"), place("pump", "LOC", 2), (0, 0, "GAP")],
        pred=[place("seal worn", "LOC"), place("replaced seal", "LOC"), place("left", "PART"), (0, 0, "GAP")],
        text=TEXT,
        tokens=TOKENS,
        id="crossed",
    )
    return [
        nested,
        crossed,
        None,
        Document([], [], TEXT, tokens=TOKENS, id="empty"),
        Document([place("leak", "TYPE")], [], TEXT),
    ]


def masked(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the versions of this package and of spaCy."""
    signature = re.sub(r"\|v[^|]+\|spacy:[^|]+$", "|v*|spacy:*", result["signature"])
    return result | {"signature": signature, "version": "*"}


def written(result: dict[str, Any]) -> str:
    return json.dumps(masked(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def test_the_result_of_a_small_corpus_is_the_golden_file():
    """To the last digit and in the order of its keys."""
    result = written(score(corpus()))
    if os.environ.get("SPACY_NEREVAL_REGENERATE"):
        GOLDEN.write_text(result, encoding="utf-8")
    assert result == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.costly
def test_the_result_does_not_depend_on_the_order_in_which_python_keeps_sets():
    """Nor do intervals."""
    scored = "test_results.score(test_results.corpus(), confidence=test_results.Confidence())"
    program = f"import test_results; print(test_results.written({scored}), end='')"
    folders = [TESTS / "evaluation", TESTS / "support"]
    done = python("-c", program, path=folders, env={"PYTHONHASHSEED": "1"}, cwd=TESTS.parent)
    assert done.stdout == written(score(corpus(), confidence=Confidence())), done.stderr


# The signature


def test_the_signature_names_every_setting_that_could_change_a_number():
    result = score([], {"loio": {"s": 0.5}, "wrf": {"weights": {"B": 0.25, "A": 0.75}, "unique": False}})
    assert result["signature"] == (
        "spacy-nereval|loio:s=0.5,match=walk,beta=1.0"
        "|wrf:weights={A:0.75,B:0.25},average=docs,unique=false,case=lower,unigrams=token"
        f"|avg:micro|docs:0|v{__version__}|spacy:{version('spacy')}"
    )
