"""The component `nereval`, `spacy evaluate`, and pipelines that leave the package behind."""

from __future__ import annotations

import inspect
from configparser import ConfigParser
from importlib import import_module

import pytest
import spacy
import srsly
from docs import doc, example, little_corpus, write_docs
from own_scorers import alone
from places import ROOT
from spacy.cli._util import app
from spacy.language import Language
from spacy.scorer import Scorer, get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Corpus, Example
from thinc.api import ConfigValidationError
from typer.testing import CliRunner

from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer


def pair() -> Example:
    gold = doc("Ada met Bob", (0, 1, "PER"), spans={"a": [(0, 1, "X")], "b": [(1, 2, "Y")], "c": []})
    pred = doc("Ada met Bob", (0, 1, "PER"), (1, 3, "PER"), spans={"a": [(0, 2, "X")], "b": [(1, 2, "Y")]})
    return example(gold, pred)


def test_a_key_that_no_doc_has_is_warned_about_once_with_those_there_are():
    nlp = alone(ents=False, spans_keys=["typo", "a"])
    with pytest.warns(UserWarning, match="^spans_keys: no Doc has spans under the key 'typo'; the Docs have '") as said:
        nlp.evaluate([pair()])
        nlp.evaluate([pair()])
    assert len([each for each in said if "typo" in str(each.message)]) == 1
    component = alone(ents=False, spans_keys=["typo"]).get_pipe("nereval")
    with pytest.warns(UserWarning, match="the Docs have 'a', 'b', 'c'$"):
        component.score([pair()])


def with_ruler(**config) -> Language:
    """A pipeline that finds persons by their names, and the component."""
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": name} for name in ("Ada", "Bob")])
    nlp.add_pipe("nereval", config=config)
    return nlp


# Scores


def test_the_component_adds_every_metric_to_what_evaluate_says():
    examples = [pair()]
    found = alone().evaluate(examples)
    ours = {key: value for key, value in make_ner_scorer()(examples).items() if key not in get_ner_prf(examples)}
    assert ours.items() <= found.items()
    assert not {key for key in found.keys() - ours.keys() if not key.startswith(("token_", "speed"))}


def test_spacys_scores_stay_what_they_are():
    nlp = with_ruler()
    golds = [doc("Ada met Bob in Rome", (0, 1, "PER"), (4, 5, "LOC"), vocab=nlp.vocab)]

    def evaluated() -> dict:
        found = nlp.evaluate([Example(nlp.make_doc(gold.text), gold) for gold in golds])
        return {key: found[key] for key in ("ents_p", "ents_r", "ents_f", "ents_per_type")}

    beside = evaluated()
    nlp.remove_pipe("nereval")
    assert beside == evaluated()
    assert beside["ents_f"] == 0.5


def test_predictions_that_are_there_already_are_scored_as_they_are():
    assert alone().evaluate([pair()])["ents_fair_f"] == pytest.approx(2 / 3)


def test_the_component_scores_whatever_component_predicted():
    nlp = with_ruler()
    gold = doc("Ada met Bob in Rome", (0, 1, "PER"), (4, 5, "LOC"), vocab=nlp.vocab)
    found = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])
    assert found["ents_nereval"]["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 1, "fn": 1}


def test_a_doc_passes_through_unchanged():
    nlp = alone(spans_keys=["a"])
    before = pair().predicted
    state = before.to_bytes()
    after = nlp.get_pipe("nereval")(before)
    assert after is before
    assert after.to_bytes() == state


def test_entities_and_span_groups_are_scored_side_by_side():
    nlp = alone(spans_keys=["a", "b"])
    found = nlp.evaluate([pair()])
    for key, f in (("ents", 2 / 3), ("spans_a", 0.0), ("spans_b", 1.0)):
        assert found[f"{key}_strict_f"] == pytest.approx(f)
        assert found[f"{key}_nereval"]["metrics"]["strict"]["scores"]["f"] == pytest.approx(f)
    assert not any(key.startswith("spans_c") for key in found)
    assert found["spans_a_nereval"] == make_spans_scorer(spans_key="a")([pair()])["spans_a_nereval"]


def test_entities_may_be_left_out():
    found = alone(ents=False, spans_keys=["b"]).evaluate([pair()])
    assert not any(key.startswith("ents") for key in found)
    assert found["spans_b_fair_f"] == 1.0


def test_only_the_metrics_asked_for_are_scored():
    nlp = alone(metrics={"loio": {"s": 0.0}})
    found = nlp.evaluate([pair()])
    assert found["ents_nereval"]["metrics"]["loio"]["settings"]["s"] == 0.0
    ours = {key for key in found if key.startswith("ents")}
    assert ours == {f"ents_{x}" for x in ("loio_p", "loio_r", "loio_f", "nereval")}


def test_a_generator_is_used_up_by_the_first_component_of_spacys_scorer():
    nlp = alone()
    found = Scorer(nlp).score(eg for eg in [pair()])
    assert found["ents_fair_f"] is None  # the tokenizer was first; nlp.evaluate makes a list of it
    assert nlp.evaluate(eg for eg in [pair()])["ents_fair_f"] == pytest.approx(2 / 3)


def test_scores_can_be_told_apart_by_component():
    found = with_ruler().evaluate([pair()], per_component=True)
    assert "ents_fair_f" in found["nereval"]
    assert "ents_fair_f" not in found["entity_ruler"]


def test_a_mistake_in_the_config_is_shown_as_spacy_shows_them():
    with pytest.raises(ConfigValidationError) as raised:
        alone(metrics={"fare": {}})
    assert "there is no metric 'fare'" in str(raised.value)
    with pytest.raises(ConfigValidationError, match="key"):
        alone(key="sc")


def test_the_component_does_not_change_how_a_model_is_chosen():
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    before = dict(nlp.config["training"]["score_weights"])
    nlp.add_pipe("nereval")
    assert nlp.config["training"]["score_weights"] == before


def test_the_component_keeps_its_options_through_disk(tmp_path):
    nlp = with_ruler(metrics={"fair": {"unit": "token"}}, spans_keys=["a"])
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    found = loaded.evaluate([Example(loaded.make_doc("Ada met Bob"), pair().reference)])
    assert found["ents_nereval"]["metrics"]["fair"]["settings"]["unit"] == "token"
    assert "spans_a_fair_f" in found


def test_the_component_stands_aside_in_training():
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval")
    nlp.add_pipe("ner").add_label("PER")
    examples = [Example(nlp.make_doc(gold.text), gold) for gold in little_corpus()]
    with pytest.warns(UserWarning, match="the component nereval comes before ner"):
        optimizer = nlp.initialize(lambda: examples)
    assert nlp.update(examples[:2], sgd=optimizer)["ner"] > 0


# spaCy's command line


def test_spacy_evaluate_writes_every_score_into_its_file(tmp_path):
    nlp = with_ruler(spans_keys=["a"])
    nlp.to_disk(tmp_path / "model")
    golds = [doc("Ada met Bob", (0, 1, "PER")), doc("Rome", (0, 1, "LOC")), doc("Ada", annotated=False)]
    data = write_docs(tmp_path / "gold.spacy", golds)
    arguments = [tmp_path / "model", data, "--output", tmp_path / "scores.json"]
    spacy.registry.cli.get_all()  # adds the commands of packages, as spaCy does when it starts: typer looks once
    done = CliRunner().invoke(app, ["evaluate", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    assert "NER F   50.00" in done.stdout
    assert "fair" not in done.stdout  # which is why there are commands of our own
    written = srsly.read_json(tmp_path / "scores.json")
    found = nlp.evaluate(list(Corpus(data)(nlp)))
    assert written.keys() == found.keys()
    assert written["ents_fair_f"] == found["ents_fair_f"] == 0.5
    assert written["ents_nereval"]["metrics"]["fair"]["per_type"]["LOC"]["counts"]["fn"] == 1
    assert written["ents_nereval"]["skipped"] == 1
    assert written["spans_a_fair_f"] is None


# What spaCy does with spans of length zero, and why the core works without Docs


def test_a_predicted_doc_with_a_span_of_length_zero_cannot_be_copied():
    made = doc("a b", spans={"k": [(1, 1, "A")]})
    with pytest.raises(ValueError, match="E1052"):
        made.copy()


def test_a_span_of_length_zero_is_scored_all_the_same():
    gold, pred = (doc("a b", spans={"k": [(1, 1, "A")]}) for _ in range(2))
    found = alone(ents=False, spans_keys=["k"]).get_pipe("nereval").score([example(gold, pred)])
    assert found["spans_k_strict_f"] == found["spans_k_loio_f"] == 1.0
    assert isinstance(pred, Doc) and isinstance(pred.spans["k"][0], Span)


# What spaCy finds of this package by name works with the lowest spaCy that setup.cfg claims


SETTINGS = ConfigParser()
SETTINGS.read(ROOT / "setup.cfg", encoding="utf8")
GROUPS = ("spacy_scorers", "spacy_factories", "spacy_callbacks", "spacy_loggers", "thinc_schedules")
REGISTERED = [
    line.split("=")[1].strip()
    for group in GROUPS
    for line in SETTINGS["options.entry_points"][group].strip().splitlines()
]


@pytest.mark.parametrize("place", REGISTERED)
def test_annotations_of_registered_functions_are_types_and_no_strings(place):
    """Before spaCy 3.8.13, a config block for an argument whose annotation is a string is an error."""
    module, name = place.split(":")
    parameters = inspect.signature(getattr(import_module(module), name)).parameters.values()
    assert [p.name for p in parameters if isinstance(p.annotation, str)] == []


def test_every_registered_function_is_looked_at():
    assert len(REGISTERED) >= 6
