"""Intervals in scorers: at any size of data an evaluation goes on."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from docs import doc
from spacy.training import Example

from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer


def examples(number: int, *, gold: bool = True, pred: bool = True) -> list[Example]:
    entity = [(0, 1, "PER")]
    return [
        Example(doc(f"Ada {k}", *(entity if pred and k % 2 else [])), doc(f"Ada {k}", *(entity if gold else [])))
        for k in range(number)
    ]


def intervals(found: Any) -> list[dict[str, Any]]:
    """All intervals, wherever they are."""
    if isinstance(found, dict) and {"low", "high"} <= found.keys():
        return [found]
    return [each for value in found.values() for each in intervals(value)] if isinstance(found, dict) else []


@pytest.mark.parametrize("sides", [{}, {"gold": False}, {"pred": False}, {"gold": False, "pred": False}], ids=str)
@pytest.mark.parametrize("number", [0, 1, 2, 7])
def test_data_of_any_size_have_intervals_or_none_and_never_an_error(number, sides):
    scores = make_ner_scorer(confidence={})(examples(number, **sides))
    result = scores["ents_nereval"]
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert (result["confidence"] is None) is (number < 2)
    assert number < 2 or result["confidence"]["units"] == number
    for metric in result["metrics"].values():
        assert (metric["intervals"] is None) is (number < 2)
        for found in intervals(metric["intervals"]):
            assert (found["low"] is None) is (found["flag"] == "undefined")
            if found["low"] is not None:
                assert found["low"] < found["high"] and math.isfinite(found["low"])
                assert (found["flag"] == "few") is (found["k"] < 6)


@pytest.mark.parametrize("number", [2, 3])
def test_span_groups_have_them_too(number):
    given = examples(number)
    for example in given:
        for side in (example.predicted, example.reference):
            side.spans["sc"] = list(side.ents)
    found = make_spans_scorer({"strict": {}}, "sc", confidence={})(given)
    assert found["spans_sc_nereval"]["confidence"]["units"] == number


def test_blocks_larger_than_the_data_are_one_block():
    """The command line refuses them; in training the development data may be cut short."""
    found = make_ner_scorer({"strict": {}}, {"unit": "block:1000"})(examples(5))["ents_nereval"]
    assert found["confidence"]["units"] == 1
