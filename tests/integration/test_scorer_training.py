"""Training with the scorer: which model is chosen, and which scores are written and shown."""

from __future__ import annotations

import pytest
import spacy
import srsly
from docs import doc, little_corpus, train
from own_scorers import NER, three, with_ner
from spacy.tokens import Span
from spacy.training import Example
from spacy.training.loop import create_evaluation_callback

from spacy_nereval.integration.scorer import make_ner_scorer


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The directory of a training run, and the rows that its console showed."""
    path = tmp_path_factory.mktemp("training")
    header, *rows = train(path)
    return path, [dict(zip(header, row)) for row in rows]


@pytest.mark.costly
def test_training_chooses_the_model_with_the_best_fair_f(run):
    path, rows = run
    best, last = (srsly.read_json(path / name / "meta.json")["performance"] for name in ("model-best", "model-last"))
    shown = [float(row["ENTS_FAIR_F"]) for row in rows]
    assert f"{100 * best['ents_fair_f']:.2f}" == f"{max(shown):.2f}"
    assert f"{100 * last['ents_fair_f']:.2f}" == f"{shown[-1]:.2f}"
    assert max(shown) > shown[-1]  # or else the last would do as well
    assert [row["SCORE"] for row in rows] == [f"{x / 100:.2f}" for x in shown]


def test_the_meta_file_has_every_score_with_a_weight(run):
    found = srsly.read_json(run[0] / "model-best" / "meta.json")["performance"]
    assert {"ents_fair_f", "ents_wrf", "ents_f"} <= set(found)


def test_the_console_shows_the_name_of_a_score_cut_short(run):
    assert {"ENTS_FAIR_F", "ENTS_PARTI..."} <= set(run[1][0])


def test_the_best_model_scores_what_its_meta_file_says(run):
    nlp = spacy.load(run[0] / "model-best")
    examples = [Example(nlp.make_doc(gold.text), gold) for gold in little_corpus()]
    found = nlp.evaluate(examples)
    for key in ("ents_fair_f", "ents_wrf", "ents_f"):
        assert found[key] == pytest.approx(nlp.meta["performance"][key])


def test_a_score_that_is_zero_at_first_is_kept_and_one_that_is_none_is_not():
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"scorer": NER})
    golds = [doc("Ada met Bob", vocab=nlp.vocab)]
    weights = {"ents_fair_f": 1.0, "ents_f": 0.5, "ents_nereval": None}
    evaluate = create_evaluation_callback(nlp, lambda nlp: [Example(nlp.make_doc(g.text), g) for g in golds], weights)
    assert evaluate()[0] == 0.0  # nothing to find, nothing found: None for spaCy, which forgets it for good
    ruler.add_patterns([{"label": "PER", "pattern": "Ada"}])
    golds[0].ents = [Span(golds[0], 0, 1, "PER")]
    score, scores = evaluate()
    assert (score, scores["ents_f"], scores["ents_fair_f"]) == (1.0, 1.0, 1.0)


def test_the_whole_result_must_not_be_weighted():
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler", config={"scorer": NER})
    golds = [doc("Ada", vocab=nlp.vocab)]
    evaluate = create_evaluation_callback(
        nlp, lambda nlp: [Example(nlp.make_doc(g.text), g) for g in golds], {"ents_nereval": 0.0}
    )
    with pytest.raises(ValueError, match="E915"):
        evaluate()


def test_the_default_weights_of_spacy_still_find_its_scores():
    nlp = with_ner(NER)
    weights = nlp.config["training"]["score_weights"]
    assert weights["ents_f"] == 1.0
    assert set(weights) <= set(make_ner_scorer()(three()))
