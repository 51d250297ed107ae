"""What each registered function, scorer, component, logger and check gives back, whole, in `golden`."""

import json
import pickle
import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import spacy
import srsly
from docs import doc, example, write_docs
from sessions import check_session, shown
from spacy.language import Language
from spacy.tokens import SpanGroup
from spacy.training import Example

pytestmark = pytest.mark.costly  # hundreds of statements, whose words some releases of other packages change

GOLDEN = Path(__file__).parent / "golden"


def pairs() -> list[Example]:
    """Three documents that differ in everything: the last is not annotated, the second only in part."""
    text = "Ada Lovelace met Bob in New York"
    groups = {"a": [(0, 2, "PER"), (1, 2, "NAME")], "b": [(5, 7, "LOC")]}
    pred_groups = {"a": [(0, 2, "PER")], "b": [(6, 7, "LOC")]}
    gold = doc(text, (0, 2, "PER"), (3, 4, "PER"), (5, 7, "LOC"), spans=groups, id="one")
    pred = doc(text, (0, 1, "PER"), (3, 4, "PER"), (5, 7, "PER"), spans=pred_groups, id="one")
    gold.user_data["meta"] = {"source": "news", "author": "x"}
    second = doc("Eve left Oslo", (2, 3, "LOC"), missing=[(0, 1)], id="two", spans={"a": [], "b": [(2, 3, "LOC")]})
    second_pred = doc("Eve left Oslo", (0, 1, "PER"), (2, 3, "LOC"), spans={"a": [(0, 1, "PER")], "b": []})
    second.user_data["source"] = "web"
    third = doc("Max ran", annotated=False, id="three")
    return [example(gold, pred), example(second, second_pred), example(third, doc("Max ran", (0, 1, "PER")))]


def pipeline(*components: tuple[str, str, dict[str, Any]], **weights: float) -> Language:
    """A pipeline of (factory, name, config), with weights for its scores; rulers find Ada."""
    nlp = spacy.blank("en")
    for factory, name, config in components:
        pipe = nlp.add_pipe(factory, name=name, config=config)
        if factory in ("entity_ruler", "span_ruler"):
            pipe.add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.config["training"]["score_weights"] = weights
    return nlp


def evaluated(nlp: Language) -> dict[str, Any]:
    """The scores of a pipeline on one text, in which its ruler finds the only person."""
    gold = doc("Ada met Bob", (0, 1, "PER"), spans={"a": [(0, 1, "PER")]}, vocab=nlp.vocab)
    scores = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])
    return {name: value for name, value in scores.items() if name != "speed"}


def ordered(scores: dict[str, Any]) -> dict[str, Any]:
    """The scores with spaCy's own scores per label in the order of labels, since spaCy takes them from a set."""
    return {k: dict(sorted(v.items())) if k.endswith("_per_type") and v else v for k, v in scores.items()}


def show(*values: Any) -> None:
    """Print values that print in another order each time, such as sets."""
    print(*map(shown, values))


NAMES = {
    **{"json": json, "np": np, "pickle": pickle, "spacy": spacy, "srsly": srsly, "sys": sys, "Path": Path},
    **{"Example": Example, "SpanGroup": SpanGroup, "SimpleNamespace": SimpleNamespace, "StringIO": StringIO},
    **{"doc": doc, "example": example, "write_docs": write_docs},
    **{"pairs": pairs, "pipeline": pipeline, "evaluated": evaluated, "ordered": ordered, "show": show},
}


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.txt")))
def test_everything_that_a_session_says_is_what_its_file_has(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    check_session(GOLDEN / f"{name}.txt", monkeypatch=monkeypatch, **NAMES)
