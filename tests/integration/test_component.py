"""The component `nereval`, `spacy evaluate`, and pipelines that leave the package behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import spacy
import srsly
from docs import doc, example, little_corpus, train, write_docs
from processes import python
from spacy.cli._util import app
from spacy.language import Language
from spacy.scorer import Scorer, get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Corpus, Example
from thinc.api import ConfigValidationError
from typer.testing import CliRunner

from spacy_nereval.integration.detach import detach
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer

pytestmark = pytest.mark.filterwarnings("ignore:.*predicted.* label")
"""Corpora at random may have disjoint labels; `test_checks` has the warning."""

NER = {"@scorers": "spacy-nereval.ner_scorer.v1"}
SPANS = {"@scorers": "spacy-nereval.spans_scorer.v1"}


def pair() -> Example:
    gold = doc("Ada met Bob", (0, 1, "PER"), spans={"a": [(0, 1, "X")], "b": [(1, 2, "Y")], "c": []})
    pred = doc("Ada met Bob", (0, 1, "PER"), (1, 3, "PER"), spans={"a": [(0, 2, "X")], "b": [(1, 2, "Y")]})
    return example(gold, pred)


def with_ruler(**config) -> Language:
    """A pipeline that finds persons by their names, and the component."""
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": name} for name in ("Ada", "Bob")])
    nlp.add_pipe("nereval", config=config)
    return nlp


def alone(**config) -> Language:
    nlp = spacy.blank("en")
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


def test_examples_may_come_from_a_generator():
    component = alone(spans_keys=["a", "b"]).get_pipe("nereval")
    assert component.score(eg for eg in [pair()]) == component.score([pair()])


def test_a_generator_is_used_up_by_the_first_component_of_spacys_scorer():
    nlp = alone()
    found = Scorer(nlp).score(eg for eg in [pair()])
    assert found["ents_fair_f"] is None  # the tokenizer was first; nlp.evaluate makes a list of it
    assert nlp.evaluate(eg for eg in [pair()])["ents_fair_f"] == pytest.approx(2 / 3)


def test_scores_can_be_told_apart_by_component():
    found = with_ruler().evaluate([pair()], per_component=True)
    assert "ents_fair_f" in found["nereval"]
    assert "ents_fair_f" not in found["entity_ruler"]


def test_settings_that_evaluate_passes_to_every_scorer_do_not_matter():
    assert alone().evaluate([pair()], scorer_cfg={"spans_key": "a", "beta": 2})["ents_fair_f"] == pytest.approx(2 / 3)


def test_texts_that_differ_are_an_error_that_names_the_example():
    component = alone().get_pipe("nereval")
    with pytest.raises(ValueError, match="example 1: the predicted text differs"):
        component.score([pair(), example(doc("a"), doc("b"))])


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


# Without the package

WITHOUT = """
import importlib.metadata, json, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "spacy_nereval":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
every = importlib.metadata.distributions
importlib.metadata.distributions = lambda **kw: (d for d in every(**kw) if d.metadata["Name"] != "spacy-nereval")

import spacy

said = []
for path in sys.argv[2:]:
    try:
        nlp = spacy.load(path)
    except Exception as error:
        said.append(str(error))
        continue
    docs = nlp.pipe(json.loads(sys.argv[1]))
    ents = [[[ent.start_char, ent.end_char, ent.label_] for ent in doc.ents] for doc in docs]
    said.append({"pipes": nlp.pipe_names, "disabled": nlp.disabled, "ents": ents, "meta": nlp.meta["name"]})
assert not any(name.startswith("spacy_nereval") for name in sys.modules)
print(json.dumps(said))
"""

TEXTS = ["Ada lives in Rome .", "Zoe lives in Oslo .", "Max , Bob"]


def without_the_package(*models: Path) -> list:
    """What becomes of some models where the package is not installed: an error, or what they predict."""
    done = python("-c", WITHOUT, json.dumps(TEXTS), *models)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def entities(docs) -> list:
    return [[[ent.start_char, ent.end_char, ent.label_] for ent in each.ents] for each in docs]


def mentions(model: Path) -> list[str]:
    """Lines in the files of a saved pipeline that ask for something of the package: a function or a factory.

    Scores may keep their names, and say in their signature what counted them.
    """
    lines = (model / "config.cfg").read_text(encoding="utf8").splitlines()
    return [line for line in lines if '"spacy-nereval.' in line or '"nereval"' in line]


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A training run that detaches what it saves."""
    path = tmp_path_factory.mktemp("training")
    train(path, **{"training.before_to_disk": {"@callbacks": "spacy-nereval.detach.v1"}})
    return path


@pytest.fixture(scope="module")
def pipeline(trained) -> Language:
    """A trained pipeline that uses everything of ours: both scorers, two components."""
    own = NER | {"metrics": {"fair": {"unit": "token"}}}
    nlp = spacy.load(trained / "model-best", config={"components": {"ner": {"scorer": own}}})
    nlp.add_pipe("nereval", first=True)
    nlp.add_pipe("nereval", name="groups", config={"ents": False, "spans_keys": ["sc"]})
    nlp.add_pipe("span_ruler", config={"scorer": SPANS | {"spans_key": "ruler"}})
    nlp.meta["name"] = "little"
    nlp.disable_pipe("groups")
    return nlp


def test_a_detached_pipeline_has_nothing_of_ours(pipeline):
    copy = detach(pipeline)
    assert copy.component_names == ["ner", "span_ruler"]
    assert copy.config["components"]["ner"]["scorer"] == {"@scorers": "spacy.ner_scorer.v1"}
    assert copy.config["components"]["span_ruler"]["scorer"]["@scorers"].startswith("spacy.")
    assert "spacy-nereval." not in copy.config.to_str()


def test_a_detached_pipeline_predicts_the_same(pipeline):
    found = entities(pipeline.pipe(TEXTS))
    assert any(found)
    assert entities(detach(pipeline).pipe(TEXTS)) == found


def test_detaching_leaves_the_pipeline_as_it_was(pipeline):
    config, meta, predicted = pipeline.config.to_str(), dict(pipeline.meta), entities(pipeline.pipe(TEXTS))
    components = dict(pipeline.components)
    weights = pipeline.get_pipe("ner").model.to_bytes()
    vectors = pipeline.vocab.vectors
    copy = detach(pipeline)
    with copy.select_pipes(enable=["ner"]):
        copy.get_pipe("ner").add_label("NEW")
    copy.meta["name"] = "changed"
    assert pipeline.config.to_str() == config
    assert dict(pipeline.meta) == meta
    assert all(pipeline.get_pipe(name) is component for name, component in components.items())
    assert pipeline.get_pipe("ner").model.to_bytes() == weights
    assert pipeline.vocab.vectors is vectors
    assert entities(pipeline.pipe(TEXTS)) == predicted
    gold = little_corpus()[0]
    with pytest.warns(UserWarning, match="the components nereval, ner all write ents_fair_p"):
        assert "ents_nereval" in pipeline.evaluate([Example(pipeline.make_doc(gold.text), gold)])


def test_a_detached_pipeline_keeps_what_is_known_about_it(pipeline):
    copy = detach(pipeline)
    for key in ("lang", "name", "version", "performance"):
        assert copy.meta[key] == pipeline.meta[key]
    assert copy.meta["performance"]["ents_fair_f"] > 0


def test_a_detached_pipeline_keeps_which_components_are_disabled(pipeline):
    with pipeline.select_pipes(disable=["ner"]):
        copy = detach(pipeline)
        assert copy.disabled == ["ner"]
    assert detach(pipeline).disabled == []


@pytest.mark.parametrize("factory", ["entity_ruler", "span_ruler"])
@pytest.mark.parametrize("pattern", ["Ada", [{"LOWER": "ada"}]], ids=["phrase", "tokens"])
def test_detaching_where_nothing_is_ours_copies_the_pipeline(factory, pattern):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe(factory, config={"annotate_ents": True} if factory == "span_ruler" else {})
    ruler.add_patterns([{"label": "PER", "pattern": pattern}])
    copy = detach(nlp)
    assert copy is not nlp
    assert copy.config.to_str() == nlp.config.to_str()
    assert entities(copy.pipe(TEXTS)) == entities(nlp.pipe(TEXTS)) == [[[0, 3, "PER"]], [], []]


def test_a_detached_component_listens_to_the_vectors_of_its_own_pipeline():
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}
    nlp.add_pipe("ner", config={"model": {"tok2vec": listener}, "scorer": NER})
    nlp.initialize(lambda: [Example(nlp.make_doc(gold.text), gold) for gold in little_corpus()])
    found, listeners = entities(nlp.pipe(TEXTS)), nlp.get_pipe("tok2vec").listeners
    copy = detach(nlp)
    assert entities(copy.pipe(TEXTS)) == found == entities(nlp.pipe(TEXTS))
    assert nlp.get_pipe("tok2vec").listeners == listeners
    assert len(copy.get_pipe("tok2vec").listeners) == 1


@pytest.mark.costly
def test_a_pipeline_loads_without_the_package_once_it_is_detached(pipeline, trained, tmp_path):
    pipeline.to_disk(tmp_path / "with")
    detach(pipeline).to_disk(tmp_path / "without")
    component = spacy.blank("en")
    component.add_pipe("nereval")
    component.to_disk(tmp_path / "component")
    scorer, factory, copied, saved = without_the_package(
        tmp_path / "with", tmp_path / "component", tmp_path / "without", trained / "model-best"
    )
    assert "E893" in scorer or "E002" in scorer
    assert "E002" in factory
    assert copied["pipes"] == ["ner", "span_ruler"]
    assert copied["ents"] == entities(pipeline.pipe(TEXTS))
    assert copied["meta"] == "little"
    assert saved["pipes"] == ["ner"]
    assert saved["ents"] == copied["ents"]


def test_the_config_of_a_detached_pipeline_asks_for_nothing_of_ours(pipeline, tmp_path):
    detach(pipeline).to_disk(tmp_path / "without")
    assert mentions(tmp_path / "without") == []


def test_a_training_run_detaches_what_it_saves(trained):
    for name in ("model-best", "model-last"):
        config = spacy.util.load_config(trained / name / "config.cfg")
        assert config["components"]["ner"]["scorer"] == {"@scorers": "spacy.ner_scorer.v1"}
        performance = srsly.read_json(trained / name / "meta.json")["performance"]
        assert "ents_fair_f" in performance


def test_the_config_that_a_training_run_detached_asks_for_nothing_of_ours(trained):
    assert mentions(trained / "model-best") == []
    assert mentions(trained / "model-last") == []


def test_a_training_run_chooses_by_our_scores_though_it_saves_without_them(trained):
    best, last = (srsly.read_json(trained / name / "meta.json")["performance"] for name in ("model-best", "model-last"))
    assert best["ents_fair_f"] > last["ents_fair_f"]


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


@pytest.mark.parametrize(
    ("weights", "left"),
    [
        ({"ents_fair_f": 1.0, "ents_nereval": None}, {"ents_f": 1.0}),
        ({"ents_fair_f": 0.5, "spans_sc_wrf": 0.5, "tag_acc": 0.0}, {"tag_acc": 0.0, "ents_f": 1.0}),
        ({"ents_fair_f": 0.5, "tag_acc": 0.5}, {"tag_acc": 1.0}),
    ],
    ids=["only ours", "the others weigh nothing", "another one"],
)
def test_a_detached_pipeline_is_still_chosen_by_a_score(weights, left):
    nlp = alone()
    nlp.config["training"]["score_weights"] = weights
    assert detach(nlp).config["training"]["score_weights"] == left
