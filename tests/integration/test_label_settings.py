"""Label rules as settings of the scorers and of the component."""

from __future__ import annotations

import json
import pickle

import pytest
import spacy
from docs import any_example, doc, example, grouped
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from spacy.scorer import get_ner_prf
from spacy.training import Example
from thinc.api import ConfigValidationError

from spacy_nereval import count, create, evaluate
from spacy_nereval.core.labels import label_rules
from spacy_nereval.core.spans import relabelled
from spacy_nereval.integration.examples import documents
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer

STRICT = {"strict": {}}


def two() -> list[Example]:
    gold, pred = (0, 1, "PER"), (0, 1, "PERSON")
    return [
        example(doc("Ada slept", gold), doc("Ada slept", pred)),
        example(doc("Ada slept", gold), doc("A|da slept", (0, 2, "PERSON"))),  # other tokens: no arrays
    ]


def test_both_sides_are_mapped_and_spacys_own_scores_are_not():
    examples = two()
    found = make_ner_scorer(STRICT, labels={"PERSON": "PER"})(examples)
    assert found["ents_strict_f"] == 1.0
    assert {key: found[key] for key in ("ents_p", "ents_f", "ents_per_type")} == {
        key: value for key, value in get_ner_prf(examples).items() if key != "ents_r"
    }
    assert found["ents_f"] == 0.0
    assert "labels:" in found["ents_nereval"]["signature"]
    with pytest.warns(UserWarning, match="No predicted label is a gold label"):
        assert make_ner_scorer(STRICT)(examples)["ents_strict_f"] == 0.0


@tries(80)
@given(st.lists(any_example(), max_size=4))
@pytest.mark.filterwarnings("ignore:labels:UserWarning", "ignore:only:UserWarning", "ignore:.*predicted.* label")
def test_examples_are_counted_as_their_documents(examples):
    options = {"labels": {"A": "B", "C": None}, "only": ["B"]}
    found = make_ner_scorer(STRICT, **options)(examples)["ents_nereval"]
    rules = label_rules(**options)
    expected = evaluate(count(relabelled(documents(examples), rules), [create("strict")]))
    assert found["metrics"] == expected["metrics"]
    assert (found["gold"], found["pred"]) == (expected["gold"], expected["pred"])


@tries(40)
@given(st.lists(grouped(), max_size=3))
@pytest.mark.filterwarnings("ignore:labels:UserWarning", "ignore:.*never occurs in gold", "ignore:.*No predicted label")
def test_span_groups_are_mapped_too(examples):
    found = make_spans_scorer(STRICT, spans_key="k", labels={"A": "B"})(examples)["spans_k_nereval"]
    rules = label_rules({"A": "B"})
    expected = evaluate(count(relabelled(documents(examples, "k"), rules), [create("strict")]))
    assert found["metrics"] == expected["metrics"] and found.get("merged", 0) == expected.get("merged", 0)


def test_the_component_has_the_same_settings_and_keeps_them_in_its_config(tmp_path):
    nlp = spacy.blank("en")
    config = {"metrics": STRICT, "labels": {"PERSON": "PER", "X": None}, "only": ["PER"], "depth": 1, "sep": "."}
    with pytest.warns(UserWarning, match="labels: X to map, but neither side"):
        found = nlp.add_pipe("nereval", config=config).score(two())
    assert found["ents_strict_f"] == 1.0
    assert found["ents_nereval"]["signature"].count("only:PER|depth:1|sep:.") == 1
    nlp.to_disk(tmp_path)
    assert {**nlp.config["components"]["nereval"]}.items() >= config.items()
    with pytest.warns(UserWarning):
        assert spacy.load(tmp_path).get_pipe("nereval").score(two())["ents_strict_f"] == 1.0
    assert pickle.loads(pickle.dumps(nlp.get_pipe("nereval"))).scoring.rules == label_rules(
        config["labels"], ["PER"], 1, "."
    )


def test_a_label_to_keep_that_does_not_occur_ends_no_training():
    with pytest.warns(UserWarning, match="only: there is no label 'LOC'"):
        found = make_ner_scorer(STRICT, only=["LOC"])(two())
    json.dumps(found)
    assert found["ents_strict_f"] == 0.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"depth": 0}, "depth 0: expected a whole number"), ({"labels": {"A": "B", "B": "A"}}, "cycle")],
)
def test_settings_that_cannot_be_used_are_reported_in_spacys_way(settings, said):
    with pytest.raises(ConfigValidationError, match=said):
        make_ner_scorer(STRICT, **settings)
    with pytest.raises(ConfigValidationError, match=said):
        spacy.blank("en").add_pipe("nereval", config=settings)
