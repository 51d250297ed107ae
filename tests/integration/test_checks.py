"""What a pipeline's scorers and weights get wrong together is said: once, when it is loaded or first evaluated."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from docs import doc, example
from own_scorers import NER, SPANS, alone, evaluated, warned, warned_at_evaluation, with_ruler
from processes import python
from spacy.tokens import DocBin
from spacy.training import Example
from spacy.training.initialize import init_nlp
from thinc.api import Config

from spacy_nereval import Metric, Result, Score, one_each
from spacy_nereval.integration.checks import check_pipeline
from spacy_nereval.integration.scorer import Scoring, make_ner_scorer, make_spans_scorer

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
    found = evaluated(nlp, (0, 2, "PER"), text="Ada Lovelace")["ents_fair_p"]
    gold = doc("Ada Lovelace", (0, 2, "PER"), vocab=nlp.vocab)
    examples = [Example(nlp(gold.text), gold)]
    own = {name: nlp.get_pipe(name).score(examples)["ents_fair_p"] for name in ("nereval", "entity_ruler")}
    assert found == own.pop(last) not in own.values()


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
    (line,) = warned_at_evaluation(nlp)
    assert line.startswith("the components entity_ruler, ner all write ents_fair_p and 5 more:")
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


def one_result(*configs: dict[str, Any], lines: int = 0, **weights: float) -> dict[str, Any]:
    """The nested result of components `a`, `b`, ..., of three texts; there are so many warnings."""
    nlp = with_ruler()
    for name, config in zip("abc", configs):
        nlp.add_pipe("nereval", name=name, config=config)
    texts = ("Ada met Bob", "Bob met Ada", "Bob")
    examples = [
        Example.from_dict(nlp.make_doc(text), {"entities": [(text.index("Bob"), text.index("Bob") + 3, "PER")]})
        for text in texts
    ]
    results: list[dict[str, Any]] = []
    said = warned(lambda: results.append(nlp.evaluate(examples)))
    assert len(said) == lines and all("different label rules or settings of intervals" in line for line in said)
    return results[0]["ents_nereval"]


def test_the_nested_result_has_the_metrics_of_all_components_with_their_intervals():
    strict, fair = {"metrics": ["strict"]}, {"metrics": ["fair"]}
    both = one_result({"metrics": ["strict", "fair"], "confidence": True})
    assert one_result(strict | {"confidence": True}, fair | {"confidence": True}) == both
    for first, last in ((strict | {"confidence": True}, fair), (strict, fair | {"confidence": True})):
        merged = one_result(first, last)
        assert merged["signature"] == both["signature"] and merged["scores"] == both["scores"]
        assert merged["confidence"] == both["confidence"]
        for name, config in (("strict", first), ("fair", last)):
            expected = both["metrics"][name] | {"intervals": both["metrics"][name]["intervals"]}
            expected = expected if "confidence" in config else {k: v for k, v in expected.items() if k != "intervals"}
            assert merged["metrics"][name] == expected
        assert Result(merged).strict.f == both["metrics"]["strict"]["scores"]["f"]
        assert "strict" in str(Result(merged)) and "fair" in json.dumps(merged)
    assert one_result(strict, {"metrics": ["wrf"]}, fair)["metrics"].keys() == {"strict", "wrf", "fair"}


def test_what_cannot_be_merged_is_kept_of_the_last_component_and_said():
    strict, fair = {"metrics": ["strict"]}, {"metrics": ["fair"]}
    for first, last in (
        (strict | {"labels": {"PER": "PERSON"}}, fair),
        (strict | {"confidence": {"level": 0.9}}, fair | {"confidence": {}}),
    ):
        assert one_result(first, last, lines=1) == one_result(last)


def test_a_scorer_and_a_component_have_one_nested_result():
    nlp = with_ruler(NER | {"metrics": {"strict": {}}})
    nlp.add_pipe("nereval", config=FAIR)
    assert evaluated(nlp)["ents_nereval"]["metrics"].keys() == {"strict", "fair"}
    examples = [Example(nlp("Ada met Bob"), doc("Ada met Bob", (0, 1, "PER"), vocab=nlp.vocab))]
    by_component = nlp.evaluate(examples, per_component=True)
    assert by_component["nereval"]["ents_nereval"]["metrics"].keys() == {"fair"}


# Weights


FROZEN = """
[nlp]
lang = "en"
pipeline = ["ner", "nereval"]
[components]
[components.ner]
source = "{model}"
[components.nereval]
factory = "nereval"
metrics = ["fair"]
[training]
frozen_components = ["ner"]
[training.score_weights]
ents_f = 1.0
[corpora]
[corpora.train]
@readers = "spacy.Corpus.v1"
path = "{docs}"
[corpora.dev]
@readers = "spacy.Corpus.v1"
path = "{docs}"
"""


def saved_with_ner(folder: Path, **weights: float) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("ner").add_label("PER")
    nlp.add_pipe("nereval", config=FAIR)
    nlp.initialize()
    nlp.config["training"]["score_weights"] = weights
    nlp.to_disk(folder)
    return folder


@pytest.mark.slow
def test_a_weight_on_what_a_frozen_or_disabled_component_writes_is_no_mistake(tmp_path):
    model = saved_with_ner(tmp_path / "model", ents_f=1.0)
    DocBin(docs=[doc("Ada met Bob", (0, 1, "PER"))]).to_disk(tmp_path / "gold.spacy")
    written = FROZEN.format(model=model, docs=tmp_path / "gold.spacy")
    config = spacy.blank("en").config.merge(Config().from_str(written))
    assert warned(lambda: init_nlp(config)) == []
    for options in ({"disable": ["ner"]}, {"exclude": ["ner"]}):
        assert warned(lambda options=options: warned_at_evaluation(spacy.load(model, **options))) == []
    nlp = spacy.load(model)
    with nlp.select_pipes(disable="ner"):
        assert warned(check_pipeline, nlp) == []
    (tmp_path / "assembled.cfg").write_text(written)
    done = python("-m", "spacy", "assemble", tmp_path / "assembled.cfg", tmp_path / "assembled")
    assert done.returncode == 0 and "score_weights" not in done.stdout + done.stderr


def test_a_weight_that_nothing_writes_is_a_mistake_beside_disabled_components_too(tmp_path):
    model = saved_with_ner(tmp_path / "model", ents_fare_f=1.0)
    (line,) = warned(lambda: spacy.load(model, disable=["ner"]))
    assert line.endswith("is it ents_fair_f?")


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
    assert line.startswith("the component nereval scores the spans of spancat, ner but comes first")
    assert "put it last" in line
    assert warned_at_evaluation(nlp) == []
    nlp.to_disk(tmp_path)
    assert warned(spacy.load, tmp_path) == [line]


@pytest.mark.parametrize(
    ("config", "ruler", "told"),
    [
        ({"ents": False, "spans_keys": ["mine"]}, "entity_ruler", False),
        ({"ents": True}, "entity_ruler", True),
        ({}, "entity_ruler", True),
        ({"ents": False, "spans_keys": ["mine"]}, "span_ruler", True),
        ({"ents": False, "spans_keys": ["other"]}, "span_ruler", False),
    ],
)
def test_only_components_that_set_what_is_scored_are_told(config, ruler, told):
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval", config=FAIR | config)
    own = nlp.add_pipe(ruler, config={"spans_key": "mine"} if ruler == "span_ruler" else {})
    own.add_patterns([{"label": "PER", "pattern": "Ada"}])
    told_of = [line.partition(" but ")[0] for line in warned(check_pipeline, nlp)]
    assert told_of == [f"the component nereval scores the spans of {ruler}"] * told


# Predictions that say nothing


@pytest.mark.parametrize("scorer", [True, False])
def test_a_pipeline_that_predicts_no_entities_at_all_is_told(scorer):
    gold = doc("Ada met Bob", (0, 1, "PER"))
    silent = example(gold, doc("Ada met Bob", annotated=False))
    (line,) = warned(make_ner_scorer(), [silent]) if scorer else warned_at_evaluation(alone())
    assert line.startswith("no predicted Doc has entity annotation, so every score of entities is 0")


def test_a_pipeline_that_finds_nothing_has_predicted():
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler", config={"scorer": FAIR_AND_SER})
    assert warned_at_evaluation(nlp) == []
    assert warned(make_ner_scorer(), [example(doc("a", (0, 1, "A")), doc("a"))]) == []


# Nothing that the data lack ends a training


@pytest.mark.filterwarnings("ignore:no intervals", "ignore:spans_keys")
@pytest.mark.parametrize("unit", ["meta.source", "prefix:(.)"])
def test_examples_without_a_unit_have_no_intervals_and_a_note(unit):
    nlp = with_ruler()
    nlp.add_pipe("nereval", config={"confidence": {"unit": unit}, "spans_keys": ["none"]})
    lines = [line for line in warned_at_evaluation(nlp) if not line.startswith("spans_keys: no Doc has spans under")]
    assert len({*lines}) == 1 and lines[0].startswith(f"no intervals: example 0: unit={unit!r}: the document has no")
    found = evaluated(nlp)
    assert found["ents_fair_f"] == 1.0
    result = found["ents_nereval"]
    assert result["confidence"] is None and result["notes"] == lines[:1]
    assert {name: own["intervals"] for name, own in result["metrics"].items()} == dict.fromkeys(result["metrics"])


NO_DOCUMENT = "no intervals: no document is annotated, and intervals need at least 2"
ONE_DOCUMENT = "no intervals: 1 document is annotated, and intervals need at least 2"


@pytest.mark.parametrize("confidence", [{}, {"unit": "document"}, {"unit": "block:3"}])
@pytest.mark.parametrize(
    ("annotated", "note"),
    [([], NO_DOCUMENT), ([False], NO_DOCUMENT), ([True], ONE_DOCUMENT), ([True, False], ONE_DOCUMENT)],
)
def test_with_fewer_than_two_documents_intervals_are_null_with_a_note(annotated, note, confidence):
    nlp = with_ruler()
    nlp.add_pipe("nereval", config={"confidence": confidence, "spans_keys": ["none"]})
    golds = [doc("Ada met Bob", annotated=each, vocab=nlp.vocab) for each in annotated]
    found = nlp.evaluate([Example(nlp.make_doc(gold.text), gold) for gold in golds])
    for key, expected in (("ents_nereval", note), ("spans_none_nereval", NO_DOCUMENT)):
        assert found[key]["notes"] == [expected]
        assert found[key]["confidence"] is None
        assert {own["intervals"] for own in found[key]["metrics"].values()} == {None}


# Detail


def test_without_detail_there_are_flat_keys_only():
    eg = example(doc("a b", (0, 1, "A")), doc("a b", (0, 1, "A")))
    with_detail, without = make_ner_scorer()([eg]), make_ner_scorer(detail=False)([eg])
    assert with_detail == without | {"ents_nereval": with_detail["ents_nereval"]}
    assert not any(isinstance(value, dict) for key, value in without.items() if key != "ents_per_type")


def test_the_setting_detail_stands_in_config_blocks(tmp_path):
    nlp = with_ruler(FAIR_AND_SER | {"detail": False})
    nlp.add_pipe("nereval", config={"metrics": {"strict": {}}, "spans_keys": ["mine"], "detail": False})
    spancat = nlp.add_pipe("spancat", config={"spans_key": "other", "scorer": SPANS | FAIR | {"detail": False}})
    spancat.add_label("PER")
    nlp.initialize()
    nlp.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    found = evaluated(nlp, text="Ada", spans={"mine": [(0, 1, "PER")], "other": [(0, 1, "PER")]})
    assert {"ents_fair_f", "ents_strict_f", "spans_mine_strict_f", "spans_other_fair_f"} <= set(found)
    assert not any(key.endswith("_nereval") for key in found)


# Labels that gold does not have

NO_LABEL = (
    "No predicted label is a gold label: the gold labels are PER, the predicted labels PERSON. Scores that compare "
    "labels are not meaningful. "
    'To map labels, add to the config block of the scorer or component: labels = {"PERSON": "PER"}'
)


@pytest.mark.parametrize(
    ("scorer", "config"), [(None, FAIR), (FAIR_AND_SER, None), (FAIR_AND_SER, {"metrics": "strict"})]
)
def test_disjoint_labels_are_told_once_with_the_line_that_maps_them(scorer, config):
    """By the scorer, by the component, and by both once together."""
    nlp = with_ruler(scorer, "PERSON")
    if config:
        nlp.add_pipe("nereval", config=config)
    assert warned_at_evaluation(nlp) == [NO_LABEL]
    assert warned_at_evaluation(nlp) == []


def test_the_line_that_is_proposed_maps_the_labels():
    setting = NO_LABEL.partition("labels = ")[2]
    nlp = with_ruler(FAIR_AND_SER | {"labels": json.loads(setting)}, "PERSON")
    assert warned_at_evaluation(nlp) == []
    assert evaluated(nlp)["ents_fair_f"] == 1.0


def test_labels_of_span_groups_are_told_with_their_key():
    gold, pred = ({"mine": [(0, 1, label)]} for label in ("LOC", "GPE"))
    eg = example(*(doc("Ada met Bob", spans=spans) for spans in (gold, pred)))
    (line,) = warned(make_spans_scorer({"strict": {}}, spans_key="mine"), [eg])
    assert "doc.spans['mine']: No predicted label is a gold label: " in line and "the predicted labels GPE" in line
    assert "To map" not in line
    (line,) = warned(make_spans_scorer({"strict": {}}, spans_key="mine"), [eg] * 2)
    assert line.endswith('labels = {"GPE": "LOC"}'), "two spans have the same boundaries"


def test_a_label_that_gold_lacks_is_told_among_others():
    gold, pred = (doc("a b", (0, 1, "A"), (1, 2, label)) for label in ("A", "X"))
    (line,) = warned(make_ner_scorer(), [example(gold, pred)])
    assert line.startswith("1 of 2 predicted spans has a label that never occurs in gold: X. Gold has A.")
    (left_out,) = warned(make_ner_scorer(only=["A"]), [example(gold, pred)])
    assert left_out == f"{line.partition(' Gold has A.')[0]} Gold has A. only= excludes X."
    assert warned(make_ner_scorer(), [example(doc("a b"), pred)]) == [], "gold has no label"
