"""Training with the scorer, and pipelines that leave the package behind."""

import json
from pathlib import Path

import pytest
import spacy
import srsly
from docs import doc, little_corpus, train
from own_scorers import NER, SPANS, alone, evaluated, three, with_ner
from processes import python
from spacy.language import Language
from spacy.tokens import Span
from spacy.training import Example
from spacy.training.loop import create_evaluation_callback

from spacy_nereval.integration.detach import detach
from spacy_nereval.integration.scorer import make_ner_scorer

pytestmark = pytest.mark.filterwarnings("ignore:.*predicted.* label")
"""Corpora at random may have disjoint labels; `test_checks` has the warning."""

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
    except Exception as error:  # spaCy raises many kinds; the test compares what they say
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


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> tuple[Path, list[dict[str, str]]]:
    """A training run that detaches what it saves, and the rows that its console showed."""
    path = tmp_path_factory.mktemp("training")
    header, *rows = train(path, **{"training.before_to_disk": {"@callbacks": "spacy-nereval.detach.v1"}})
    return path, [dict(zip(header, row)) for row in rows]


@pytest.fixture(scope="module")
def trained(shown) -> Path:
    return shown[0]


def performance(folder: Path) -> dict[str, float]:
    return srsly.read_json(folder / "meta.json")["performance"]


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


def test_a_detached_pipeline_has_nothing_of_ours_and_predicts_the_same(pipeline):
    copy = detach(pipeline)
    found = entities(pipeline.pipe(TEXTS))
    assert any(found) and entities(copy.pipe(TEXTS)) == found
    assert copy.component_names == ["ner", "span_ruler"]
    assert copy.config["components"]["ner"]["scorer"] == {"@scorers": "spacy.ner_scorer.v1"}
    assert copy.config["components"]["span_ruler"]["scorer"]["@scorers"].startswith("spacy.")
    assert "spacy-nereval." not in copy.config.to_str()


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
    with pytest.warns(UserWarning, match="the components nereval, ner all write ents_fair_p"):
        assert "ents_nereval" in evaluated(pipeline)


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


@pytest.mark.slow
def test_a_pipeline_loads_without_the_package_once_it_is_detached(pipeline, trained, tmp_path):
    pipeline.to_disk(tmp_path / "with")
    detach(pipeline).to_disk(tmp_path / "without")
    alone().to_disk(tmp_path / "component")
    paths = tmp_path / "with", tmp_path / "component", tmp_path / "without", trained / "model-best"
    scorer, factory, copied, saved = without_the_package(*paths)
    assert "E893" in scorer or "E002" in scorer
    assert "E002" in factory
    assert (copied["pipes"], copied["meta"], saved["pipes"]) == (["ner", "span_ruler"], "little", ["ner"])
    assert saved["ents"] == copied["ents"] == entities(pipeline.pipe(TEXTS))


# Which model is chosen, and which scores are written and shown


@pytest.mark.costly
def test_training_chooses_the_model_with_the_best_fair_f(shown):
    path, rows = shown
    best, last = (performance(path / name)["ents_fair_f"] for name in ("model-best", "model-last"))
    found = [float(row["ENTS_FAIR_F"]) for row in rows]
    assert (f"{100 * best:.2f}", f"{100 * last:.2f}") == (f"{max(found):.2f}", f"{found[-1]:.2f}")
    assert max(found) > found[-1]  # or else the last would do as well
    assert [row["SCORE"] for row in rows] == [f"{x / 100:.2f}" for x in found]
    assert {"ENTS_FAIR_F", "ENTS_PARTI..."} <= set(rows[0]), "the console shows long names cut short"


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


def test_the_default_block_spacy_still_find_its_scores():
    nlp = with_ner(NER)
    weights = nlp.config["training"]["score_weights"]
    assert weights["ents_f"] == 1.0
    assert set(weights) <= set(make_ner_scorer()(three()))
