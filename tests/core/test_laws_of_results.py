"""Laws for every registered metric: the shape of the result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from laws import law
from strategies import corpora

from spacy_nereval import Document, count, score
from spacy_nereval.integration.scorer import result_keys

# The shape of the result


@law
@given(corpus=corpora())
def test_the_result_is_plain_and_survives_json(case, corpus):
    result = score(corpus, {case.name: case.options})
    assert {type(value) for value in leaves(dict(result))} <= {str, int, float, bool, type(None)}
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def leaves(value: Any) -> Iterator[Any]:
    if type(value) in (dict, list):
        for item in value.values() if type(value) is dict else value:
            yield from leaves(item)
    else:
        yield value


@law
@given(corpus=st.just([]) | st.just([Document([], [], "", tokens=[])]))
def test_nothing_to_score_is_undefined_and_not_zero(case, corpus):
    result = case.result(corpus)
    assert {value for key, value in result["scores"].items() if key not in case.numbers} == {None}
    assert set(result["counts"].values()) == {0}
    assert result["per_type"] == {}
    assert result.get("confusion", {}) == {}


@law
@given(corpus=corpora())
def test_every_label_of_either_side_has_a_row(case, corpus):
    labels = {span.label for doc in corpus for span in (*doc.gold, *doc.pred)}
    assert list(case.result(corpus)["per_type"]) == sorted(labels)


@law
@given(corpus=corpora())
def test_the_declared_keys_are_those_of_spacy_s_score_dict(case, corpus):
    """With the scores as values; what is undefined is 0 there, or None without any document."""
    metric = case.metric
    found, scores = result_keys(count(corpus, [metric]), "ents"), case.result(corpus)["scores"]
    assert found.pop("ents_nereval")["metrics"][metric.name]["scores"] == scores
    expected = {f"ents_{score.key}": scores[score.name] for score in metric.scores if score.key}
    assert found == {key: (value or 0.0) if corpus else None for key, value in expected.items()}
    assert found, "a metric without score keys cannot be used in spaCy"
