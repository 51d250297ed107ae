"""The component `nereval`, and `spacy evaluate`."""

import inspect
import warnings
from configparser import ConfigParser
from importlib import import_module

import pytest
import spacy
import srsly
from docs import doc, example, little_corpus, write_docs
from own_scorers import alone
from places import ROOT
from refusals import refused_with
from spacy.cli._util import app
from spacy.language import Language
from spacy.scorer import get_ner_prf
from spacy.training import Corpus, Example
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


def test_a_key_is_looked_for_on_both_sides():
    gold, pred = doc("Ada met Bob", spans={"a": [(0, 1, "X")]}), doc("Ada met Bob", spans={"b": [(0, 1, "X")]})
    told = "^spans_keys: no Doc has spans under the key 'c'; the Docs have "
    for one, other in ((gold, pred), (pred, gold)):
        for key in ("a", "b"):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                alone(ents=False, spans_keys=[key]).get_pipe("nereval").score([example(one, other)])
            assert not [line for line in said if "no Doc has spans" in str(line.message)]
        with pytest.warns(UserWarning, match=f"{told}'a', 'b'$"):
            alone(ents=False, spans_keys=["c"]).get_pipe("nereval").score([example(one, other)])
    with pytest.warns(UserWarning, match=f"{told}'b'$"):
        bare = doc("Ada met Bob")
        alone(ents=False, spans_keys=["c"]).get_pipe("nereval").score([example(bare, pred)])


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


def test_a_doc_passes_through_unchanged():
    before = pair().predicted
    state = before.to_bytes()
    after = alone(spans_keys=["a"]).get_pipe("nereval")(before)
    assert after is before and after.to_bytes() == state


def test_entities_and_span_groups_are_scored_side_by_side_and_entities_may_be_left_out():
    nlp = alone(spans_keys=["a", "b"])
    found = nlp.evaluate([pair()])
    for key, f in (("ents", 2 / 3), ("spans_a", 0.0), ("spans_b", 1.0)):
        assert found[f"{key}_strict_f"] == pytest.approx(f)
        assert found[f"{key}_nereval"]["metrics"]["strict"]["scores"]["f"] == pytest.approx(f)
    assert not any(key.startswith("spans_c") for key in found)
    assert found["spans_a_nereval"] == make_spans_scorer(spans_key="a")([pair()])["spans_a_nereval"]
    found = alone(ents=False, spans_keys=["b"]).evaluate([pair()])
    assert not any(key.startswith("ents") for key in found)
    assert found["spans_b_fair_f"] == 1.0


def test_the_component_does_not_change_how_a_model_is_chosen():
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    before = dict(nlp.config["training"]["score_weights"])
    nlp.add_pipe("nereval")
    assert nlp.config["training"]["score_weights"] == before


def test_the_component_stands_aside_in_training():
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval")
    nlp.add_pipe("ner").add_label("PER")
    examples = [Example(nlp.make_doc(gold.text), gold) for gold in little_corpus()]
    with pytest.warns(UserWarning, match="the component nereval scores the spans of ner but comes first"):
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


# What spaCy finds of this package by name works with the lowest spaCy that setup.cfg claims


SETTINGS = ConfigParser()
SETTINGS.read(ROOT / "setup.cfg", encoding="utf8")
POINTS = SETTINGS["options.entry_points"]
GROUPS = ("spacy_scorers", "spacy_factories", "spacy_callbacks", "spacy_loggers", "thinc_schedules")
REGISTERED = [line.split("=")[1].strip() for group in GROUPS for line in POINTS[group].strip().splitlines()]
assert len(REGISTERED) >= 6


@pytest.mark.parametrize("place", REGISTERED)
def test_annotations_of_registered_functions_are_types_and_no_strings(place):
    """Before spaCy 3.8.13, a config block for an argument whose annotation is a string is an error."""
    module, name = place.split(":")
    parameters = inspect.signature(getattr(import_module(module), name)).parameters.values()
    assert [p.name for p in parameters if isinstance(p.annotation, str)] == []


def test_a_doc_alone_says_where_its_scores_are():
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval")
    with refused_with(
        AttributeError,
        "scores need gold annotation, which a Doc alone has not: write nlp.evaluate(examples), or score(gold, nlp)",
    ):
        nlp("Ada met Bob")._.get("nereval")
