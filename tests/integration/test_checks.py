"""What a pipeline's scorers and weights get wrong together is said: once, when it is loaded or first evaluated."""

from __future__ import annotations

import pickle

import pytest
import spacy
from docs import doc, example
from own_scorers import NER, SPANS, warned, warned_at_evaluation, with_ruler
from spacy.training import Example

from spacy_nereval import Metric, Score, one_each
from spacy_nereval.integration.checks import check_pipeline
from spacy_nereval.integration.scorer import Scoring, make_ner_scorer

FAIR_AND_SER = NER | {"metrics": {"fair": {}, "slot_error": {}}}
FAIR = {"metrics": {"fair": {}}}


# Two numbers under one key


def test_a_component_beside_the_scorer_is_told_when_the_pipeline_is_loaded(tmp_path):
    nlp = with_ruler(FAIR_AND_SER)
    nlp.add_pipe("nereval", config=FAIR)
    nlp.to_disk(tmp_path)
    (line,) = warned(spacy.load, tmp_path)
    assert line.startswith(
        "the components entity_ruler, nereval all write ents_fair_p and 2 more: the scores of nereval replace"
    )


@pytest.mark.parametrize(("first", "last"), [(True, "entity_ruler"), (False, "nereval")])
def test_the_numbers_that_stand_are_those_that_are_said_to(first, last):
    nlp = with_ruler(FAIR_AND_SER)
    nlp.add_pipe("nereval", first=first or None, config={"metrics": {"fair": {"weights": {"be_s": {"tp": 1}}}}})
    (line,) = warned_at_evaluation(nlp)
    assert f"the scores of {last} replace the others" in line
    gold = doc("Ada Lovelace", (0, 2, "PER"), vocab=nlp.vocab)
    found = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])
    own = nlp.get_pipe(last).score([Example(nlp(gold.text), gold)])
    assert (
        found["ents_fair_p"]
        == own["ents_fair_p"]
        != nlp.get_pipe({"nereval": "entity_ruler", "entity_ruler": "nereval"}[last]).score(
            [Example(nlp(gold.text), gold)]
        )["ents_fair_p"]
    )


def test_a_component_added_twice_is_told_when_training_begins_and_only_once():
    nlp = with_ruler()
    for name in ("one", "two"):
        nlp.add_pipe("nereval", name=name, config=FAIR)
    (line,) = warned(nlp.initialize)
    assert "the components one, two all write ents_fair_p" in line and "the scores of two replace the others" in line
    assert warned_at_evaluation(nlp) == []


def test_two_scorers_without_the_component_are_told_at_the_first_evaluation():
    nlp = with_ruler(FAIR_AND_SER)
    nlp.add_pipe("ner", config={"scorer": FAIR_AND_SER}).add_label("PER")
    nlp.initialize()
    assert [line.split(":")[0] for line in warned_at_evaluation(nlp)] == [
        "the components entity_ruler, ner all write ents_fair_p and 5 more"
    ]
    assert warned_at_evaluation(nlp) == []


def test_what_does_not_clash_is_not_told(tmp_path):
    nlp = with_ruler(FAIR_AND_SER, ents_fair_f=1.0, ents_f=0.5, ents_ser_acc=0.1, ents_ser=0.0, spans_mine_f=0.1)
    spancat = nlp.add_pipe("spancat", config={"spans_key": "mine", "scorer": SPANS | FAIR})
    spancat.add_label("PER")
    nlp.initialize()
    nlp.add_pipe("nereval", config={"metrics": {"strict": {}}})
    assert warned_at_evaluation(nlp) == []
    nlp.to_disk(tmp_path)
    assert warned(spacy.load, tmp_path) == []


def test_the_component_can_be_pickled_and_read_from_bytes():
    nlp = with_ruler()
    component = nlp.add_pipe("nereval", config=FAIR)
    assert pickle.loads(pickle.dumps(component)).score([]) == component.score([])
    assert nlp.from_bytes(nlp.to_bytes()).has_pipe("nereval")


# Weights


@pytest.mark.parametrize(("cost", "better"), [("ents_ser", "ents_ser_acc"), ("ents_err", "ents_ser_acc")])
def test_a_weight_on_a_cost_is_told_once_with_the_key_to_use(cost, better):
    nlp = with_ruler(FAIR_AND_SER, **{cost: 1.0})
    (line,) = warned_at_evaluation(nlp)
    assert f"has {cost}, for which lower is better" in line and line.endswith(f"; use {better}")
    assert warned_at_evaluation(nlp) == []


def test_a_weight_on_a_cost_without_a_complement_names_the_score_of_the_same_metric():
    nlp = with_ruler(FAIR_AND_SER | {"metrics": {"plagdet": {}}}, ents_plagdet_granularity=1.0)
    assert warned_at_evaluation(nlp)[0].endswith("; use ents_plagdet")


def test_of_several_good_scores_the_complement_of_the_cost_is_the_one_to_use():
    own = Metric(
        scores=(
            Score("f", headline=True, key="own_f"),
            Score("wrong", higher_is_better=False, key="own_wrong"),
            Score("right", complement_of="wrong", key="own_right"),
        ),
        columns=one_each("tp", "fp", "fn"),
        formula=lambda columns: {name: columns["tp"] / 2 for name in ("f", "wrong", "right")},
        name="own",
    )
    nlp = with_ruler(ents_own_wrong=1.0)
    component = nlp.add_pipe("nereval")
    component.scoring = Scoring((own,))
    (line,) = warned(check_pipeline, nlp)
    assert line.endswith("; use ents_own_right")


@pytest.mark.parametrize(
    ("key", "hint"), [("ents_wrf", ""), ("ents_fare_f", "; is it ents_fair_f?"), ("spans_sc_fair_f", "")]
)
def test_a_weight_on_a_score_that_nothing_produces_is_told(key, hint):
    (line,) = warned_at_evaluation(with_ruler(FAIR_AND_SER, **{key: 1.0}))
    assert line.startswith(f"[training.score_weights] has {key}, which no metric")
    assert line.endswith(hint or line)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("fair_f", "; is it ents_fair_f?"),
        ("ser_acc", "; is it ents_ser_acc?"),
        ("ents_fair", "; is it ents_fair_f?"),
        ("ents_ace", "; the metric ace has it"),
    ],
)
def test_a_weight_on_a_key_without_prefix_or_of_another_metric_is_told(key, hint):
    nlp = with_ruler(**{key: 1.0})
    nlp.add_pipe("nereval")
    (line,) = warned_at_evaluation(nlp)
    assert line.startswith(f"[training.score_weights] has {key}, which no metric") and line.endswith(hint), line


def test_weights_are_checked_for_the_component_too():
    nlp = with_ruler(ents_ser=1.0)
    nlp.add_pipe("nereval")
    assert [line.endswith("use ents_ser_acc") for line in warned_at_evaluation(nlp)] == [True]


def test_a_scorer_that_no_pipeline_calls_checks_nothing():
    eg = example(doc("a b", (0, 1, "A")), doc("a b", (0, 1, "A")))
    assert warned(make_ner_scorer(), [eg]) == []


# A component that comes too early


def test_a_component_before_one_that_sets_the_spans_is_told(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval", config=FAIR | {"spans_keys": ["mine"]})
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("spancat", config={"spans_key": "mine"}).add_label("PER")
    nlp.add_pipe("ner").add_label("PER")
    (line,) = warned(nlp.initialize)
    assert line.startswith("the component nereval comes before spancat, ner, whose spans it scores")
    assert "put it last" in line
    assert warned_at_evaluation(nlp) == []
    nlp.to_disk(tmp_path)
    assert warned(spacy.load, tmp_path) == [line]


@pytest.mark.parametrize(
    ("config", "told"), [({"ents": False, "spans_keys": ["mine"]}, False), ({"ents": True}, True), ({}, True)]
)
def test_only_components_that_set_what_is_scored_are_told(config, told):
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval", config=FAIR | config)
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    assert [line.split(",")[0] for line in warned_at_evaluation(nlp)] == [
        "the component nereval comes before entity_ruler"
    ] * told


@pytest.mark.parametrize(("key", "told"), [("mine", True), ("other", False)])
def test_a_ruler_after_the_component_is_told_where_it_sets_the_span_group_that_is_scored(key, told):
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval", config=FAIR | {"ents": False, "spans_keys": ["mine"]})
    nlp.add_pipe("span_ruler", config={"spans_key": key}).add_patterns([{"label": "PER", "pattern": "Ada"}])
    assert [line.split(",")[0] for line in warned(check_pipeline, nlp)] == [
        "the component nereval comes before span_ruler"
    ] * told
