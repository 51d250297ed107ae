"""What a scorer says of data that lack something: annotation, units, intervals, labels."""

from __future__ import annotations

import json
import warnings

import pytest
import spacy
from docs import doc, example
from own_scorers import NER, SPANS, warned, warned_at_evaluation, with_ruler
from spacy.language import Language
from spacy.training import Example

from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer

FAIR_AND_SER = NER | {"metrics": {"fair": {}, "slot_error": {}}}
FAIR = {"metrics": {"fair": {}}}


# Predictions that say nothing


@pytest.mark.parametrize("scorer", [True, False])
def test_a_pipeline_that_predicts_no_entities_at_all_is_told(scorer):
    gold = doc("Ada met Bob", (0, 1, "PER"))
    if scorer:
        lines = warned(make_ner_scorer(), [example(gold, doc("Ada met Bob", annotated=False))])
    else:
        nlp = spacy.blank("en")
        nlp.add_pipe("nereval")
        lines = warned_at_evaluation(nlp)
    (line,) = lines
    assert line.startswith("no predicted Doc has entity annotation, so every score of entities is 0")


def test_a_pipeline_that_finds_nothing_has_predicted():
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler", config={"scorer": FAIR_AND_SER})
    assert warned_at_evaluation(nlp) == []
    assert warned(make_ner_scorer(), [example(doc("a", (0, 1, "A")), doc("a"))]) == []


# Nothing that the data lack ends a training


@pytest.mark.parametrize("unit", ["meta.source", "prefix:(.)"])
def test_examples_without_a_unit_have_no_intervals_and_a_note(unit):
    nlp = with_ruler()
    nlp.add_pipe("nereval", config={"confidence": {"unit": unit}, "spans_keys": ["none"]})
    lines = warned_at_evaluation(nlp)
    assert len({*lines}) == 1 and lines[0].startswith(f"no intervals: example 0: unit={unit!r}: the document has no")
    gold = doc("Ada met Bob", (0, 1, "PER"), vocab=nlp.vocab)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])
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


def test_two_documents_of_one_unit_have_intervals_with_a_flag():
    nlp = with_ruler()
    nlp.add_pipe("nereval", config={"confidence": {}})
    gold = doc("Ada met Bob", (0, 1, "PER"), vocab=nlp.vocab)
    result = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)] * 2)["ents_nereval"]
    assert "notes" not in result
    assert result["metrics"]["strict"]["intervals"]["scores"]["f"]["flag"] == "few"


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
    gold = doc("Ada", (0, 1, "PER"), spans={"mine": [(0, 1, "PER")], "other": [(0, 1, "PER")]}, vocab=nlp.vocab)
    found = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])
    assert {"ents_fair_f", "ents_strict_f", "spans_mine_strict_f", "spans_other_fair_f"} <= set(found)
    assert not any(key.endswith("_nereval") for key in found)


def test_intervals_without_the_detail_that_holds_them_are_refused():
    with pytest.raises(ValueError, match="intervals are in the nested result"):
        spacy.blank("en").add_pipe("nereval", config={"confidence": {}, "detail": False})


# Labels that gold does not have

NO_LABEL = (
    "No predicted label is a gold label: gold has PER, predictions have PERSON. Scores that compare labels say little. "
    'To map labels, add to the config block of the scorer or component: labels = {"PERSON": "PER"}'
)


def predicting(label: str, scorer=None) -> Language:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"scorer": scorer} if scorer else {})
    ruler.add_patterns([{"label": label, "pattern": "Ada"}])
    return nlp


@pytest.mark.parametrize("with_component", [True, False])
def test_disjoint_labels_are_told_once_with_the_line_that_maps_them(with_component):
    nlp = predicting("PERSON", None if with_component else FAIR_AND_SER)
    if with_component:
        nlp.add_pipe("nereval", config=FAIR)
    assert warned_at_evaluation(nlp) == [NO_LABEL]
    assert warned_at_evaluation(nlp) == []


def test_the_scorer_and_the_component_warn_once_together():
    nlp = predicting("PERSON", FAIR_AND_SER)
    nlp.add_pipe("nereval", config={"metrics": {"strict": {}}})
    assert warned_at_evaluation(nlp) == [NO_LABEL]


def test_the_line_that_is_proposed_maps_the_labels():
    setting = NO_LABEL.partition("labels = ")[2]
    nlp = predicting("PERSON", FAIR_AND_SER | {"labels": json.loads(setting)})
    gold = doc("Ada met Bob", (0, 1, "PER"), vocab=nlp.vocab)
    assert warned_at_evaluation(nlp) == []
    assert nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])["ents_fair_f"] == 1.0


def test_labels_of_span_groups_are_told_with_their_key():
    gold, pred = ({"mine": [(0, 1, label)]} for label in ("LOC", "GPE"))
    eg = example(*(doc("Ada met Bob", spans=spans) for spans in (gold, pred)))
    (line,) = warned(make_spans_scorer({"strict": {}}, spans_key="mine"), [eg])
    assert line.startswith("doc.spans['mine']: No predicted label is a gold label: gold has LOC, predictions have GPE")
    assert "To map" not in line
    (line,) = warned(make_spans_scorer({"strict": {}}, spans_key="mine"), [eg] * 2)
    assert line.endswith('labels = {"GPE": "LOC"}'), "two spans have the same boundaries"


def test_a_label_that_gold_lacks_is_told_among_others():
    gold, pred = (doc("a b", (0, 1, "A"), (1, 2, label)) for label in ("A", "X"))
    (line,) = warned(make_ner_scorer(), [example(gold, pred)])
    assert line.startswith("1 of 2 predicted spans have a label that never occurs in gold: X. Gold has A.")
    assert warned(make_ner_scorer(only=["A"]), [example(gold, pred)]) == [], "the label is left out"
    assert warned(make_ner_scorer(), [example(doc("a b"), pred)]) == [], "gold has no label"
