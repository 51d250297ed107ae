"""The scorers in configs, in saved pipelines and in other processes."""

from __future__ import annotations

import json
import pickle

import pytest
import spacy
from docs import any_example, doc, example, grouped
from hypothesis import given
from hypothesis import strategies as st
from own_scorers import NER, SPACY_KEYS, SPANS, evaluated, three, with_ner
from processes import LEAN, python
from profiles import tries
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.training import Example
from thinc.api import Config, ConfigValidationError

from spacy_nereval import Result, count, create, evaluate
from spacy_nereval.core.labels import label_rules
from spacy_nereval.core.spans import relabelled
from spacy_nereval.evaluation.resampling import wanted_confidence
from spacy_nereval.integration.examples import documents
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer, stored_options

CONFIG = """
[nlp]
lang = "en"
pipeline = ["ner"]

[components]

[components.ner]
factory = "ner"

[components.ner.scorer]
@scorers = "spacy-nereval.ner_scorer.v1"
"""


@pytest.mark.parametrize(
    "metrics",
    [
        "[components.ner.scorer.metrics]\n[components.ner.scorer.metrics.strict]\n"
        '[components.ner.scorer.metrics.fair]\nunit = "token"',
        '[components.ner.scorer.metrics]\nstrict = {}\nfair = {"unit": "token"}',
        'metrics = {"strict": {}, "fair": {"unit": "token"}}',
        'metrics = ["strict", "fair"]',
        'metrics = "strict, fair"',
    ],
    ids=["blocks", "lines", "a table", "a list", "names"],
)
def test_a_config_names_the_scorer_and_its_metrics_as_python_does(metrics, tmp_path):
    nlp = spacy.util.load_model_from_config(Config().from_str(CONFIG + metrics), auto_fill=True)
    found = nlp.get_pipe("ner").score(three())["ents_nereval"]["metrics"]
    assert set(found) == {"strict", "fair"}  # the lowest spaCy sorts the lines of a block
    unit = "token" if "token" in metrics else "char"
    assert found["fair"]["settings"] == {"unit": unit, "weights": "fair", "beta": 1.0, "focus": "target"}
    given = nlp.config["components"]["ner"]["scorer"]["metrics"]
    component = spacy.blank("en").add_pipe("nereval", config={"metrics": given})
    assert sorted(metric.name for metric in component.metrics) == ["fair", "strict"]
    nlp.to_disk(tmp_path)
    assert stored_options(tmp_path, None) == {"strict": {}, "fair": {"unit": "token"} if unit == "token" else {}}


@pytest.mark.parametrize(
    ("given", "level"), [(True, 0.95), ({}, 0.95), ({"level": 0.9}, 0.9), (False, None), (None, None)], ids=str
)
def test_a_config_asks_for_intervals_as_python_does(given, level):
    found = with_ner(NER | {"metrics": ["strict"], "confidence": given}).get_pipe("ner").score(three())
    assert ("confidence" in found["ents_nereval"]) == (level is not None)  # and why there are none for one document
    result = Result(found["ents_nereval"])
    assert result.strict.f == result["scores"]["strict_f"]
    assert result.conclusion in str(result) + result.to_frame("all").to_csv()
    component = spacy.blank("en").add_pipe("nereval", config={"metrics": "strict", "confidence": given})
    assert component.scoring.confidence == wanted_confidence(given)


def test_a_pipeline_keeps_its_scorer_and_options_through_disk_and_bytes(tmp_path):
    scorer = NER | {"metrics": {"fair": {"unit": "token", "weights": {"be_s": {"tp": 1}}}, "loio": {"s": 0.5}}}
    nlp = with_ner(scorer)
    nlp.initialize()
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    copied = spacy.blank("en", config=nlp.config).from_bytes(nlp.to_bytes())
    filled = {"confidence": None, "detail": True, "labels": None, "only": None, "depth": None, "sep": "/"}
    for other in (loaded, copied):
        assert other.config["components"]["ner"]["scorer"] == scorer | filled
        found = evaluated(other)
        settings = {name: own["settings"] for name, own in found["ents_nereval"]["metrics"].items()}
        assert settings["fair"]["weights"] == {"be_s": {"tp": 1.0}}
        assert (settings["fair"]["unit"], settings["loio"]["s"]) == ("token", 0.5)
        assert set(found) > SPACY_KEYS


def test_load_can_put_the_scorer_into_a_pipeline_that_has_spacys(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("ner").add_label("PER")
    nlp.initialize()
    nlp.to_disk(tmp_path / "model")
    own = NER | {"metrics": {"wrf": {"weights": "lenient"}}}
    loaded = spacy.load(tmp_path / "model", config={"components": {"ner": {"scorer": own}}})
    assert evaluated(loaded)["ents_nereval"]["metrics"]["wrf"]["settings"]["weights"] == "lenient"
    assert "ents_nereval" not in evaluated(spacy.load(tmp_path / "model"))


def test_a_scorer_can_be_set_on_a_component_that_is_there():
    nlp = spacy.blank("en")
    nlp.add_pipe("ner").scorer = make_ner_scorer()
    assert "ents_fair_f" in nlp.get_pipe("ner").score(three())


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"metrics": {"fare": {}}}, "there is no metric 'fare': did you mean 'fair'? There are strict, semeval"),
        ({"metrics": {"fair": {"units": "token"}}}, "fair has no option 'units': did you mean 'unit'? Its options are"),
        ({"metrics": {"fair": {"unit": "tokens"}}}, "fair.unit = 'tokens': "),
        ({"metrics": {"loio": {"s": 2}}}, "loio.s = 2: input should be less than or equal to 1"),
        ({"metrics": {"wrf": {"weights": {"A": 0.4, "combined": 0.5}}}}, "they sum to 0.9, not to 1"),
        ({"metrics": {}}, "metrics is empty; choose from strict"),
        ({"metric": {"fair": {}}}, "metric"),
        ({"depth": 0}, "depth=0: expected a whole number"),
        ({"labels": {"A": "B", "B": "A"}}, "cycle"),
    ],
)
def test_a_mistake_in_a_config_is_shown_as_spacy_shows_them(config, message):
    for name, own in (("ner", {"scorer": NER | config}), ("spancat", {"scorer": SPANS | config}), ("nereval", config)):
        with pytest.raises(ConfigValidationError) as raised:
            spacy.blank("en").add_pipe(name, config=own)
        assert message in str(raised.value)


def test_the_span_categoriser_passes_its_key():
    nlp = spacy.blank("en")
    spancat = nlp.add_pipe("spancat", config={"spans_key": "mine", "scorer": SPANS | {"metrics": {"strict": {}}}})
    gold, pred = (doc("a b c", spans={"mine": [(0, end, "A"), (1, 2, "B")]}) for end in (1, 2))
    found = spancat.score([example(gold, pred)])
    assert found["spans_mine_strict_f"] == found["spans_mine_f"] == 0.5
    assert found["spans_mine_nereval"]["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 1, "fn": 1}
    assert spancat_score([example(gold, pred)], spans_key="mine").items() <= found.items()


def test_the_key_of_the_scorer_comes_before_that_of_the_component():
    nlp = spacy.blank("en")
    spancat = nlp.add_pipe("spancat", config={"spans_key": "mine", "scorer": SPANS | {"spans_key": "other"}})
    gold = doc("a b c", spans={"mine": [(0, 1, "A")], "other": [(0, 2, "A")]})
    found = spancat.score([example(gold, doc("a b c", spans={"other": [(0, 2, "A")]}))])
    assert found["spans_other_f"] == found["spans_other_fair_f"] == 1.0
    assert not any(key.startswith("spans_mine") for key in found)


def test_the_span_ruler_takes_the_scorer_too(tmp_path):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("span_ruler", config={"spans_key": "r", "scorer": SPANS | {"spans_key": "r"}})
    ruler.add_patterns([{"label": "A", "pattern": "one"}, {"label": "A", "pattern": "two"}])
    found = evaluated(nlp, (0, 1, "A"), text="one two six", spans={"r": [(0, 1, "A"), (2, 3, "A")]})
    assert found["spans_r_f"] == found["spans_r_strict_f"] == 0.5


# Processes


@pytest.mark.parametrize("scorer", [make_ner_scorer({"fair": {"unit": "token"}, "wrf": {}}), make_spans_scorer()])
def test_a_scorer_survives_pickling(scorer):
    copied = pickle.loads(pickle.dumps(scorer))
    gold = doc("a b", (0, 1, "A"), spans={"sc": [(0, 1, "A")]})
    eg = example(gold, doc("a b", (0, 2, "A"), spans={"sc": [(0, 2, "A")]}))
    assert copied([eg]) == scorer([eg])


SPAWN = """
import multiprocessing, json, sys
import spacy
from spacy.training import Alignment, Example

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    scorer = {"@scorers": "spacy-nereval.ner_scorer.v1", "metrics": {"fair": {"unit": "token"}}}
    nlp = spacy.blank("en")
    nlp.add_pipe("ner", config={"scorer": scorer}).add_label("PER")
    nlp.initialize()
    ruler = nlp.add_pipe("entity_ruler", config={"overwrite_ents": True, "scorer": scorer})
    ruler.add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.add_pipe("nereval", config={"spans_keys": ["sc"]})
    texts = ["Ada met Bob", "Bob met Ada"] * 3
    found = [list(nlp.pipe(texts, n_process=n, batch_size=2)) for n in (1, 2)]
    examples = [Example(a, b) for a, b in zip(*found)]
    ents = [[[(ent.start_char, ent.label_) for ent in doc.ents] for doc in docs] for docs in found]
    print(json.dumps([*ents, nlp.evaluate(examples)["ents_fair_f"]]))
"""


@pytest.mark.slow
def test_a_pipeline_works_in_processes_that_start_from_nothing(tmp_path):
    script = tmp_path / "spawn.py"
    script.write_text(SPAWN, encoding="utf8")
    done = python(script, path=[LEAN])
    assert done.returncode == 0, done.stderr
    here, there, fair = json.loads(done.stdout.splitlines()[-1])
    assert here == there
    assert [0, "PER"] in there[0]
    assert fair == 1.0


# Label rules as settings of the scorers and of the component


STRICT = {"strict": {}}


def two() -> list[Example]:
    gold = doc("Ada slept", (0, 1, "PER"))
    others = doc("A|da slept", (0, 2, "PERSON"))  # other tokens: no arrays
    return [example(gold, doc("Ada slept", (0, 1, "PERSON"))), example(gold, others)]


def test_both_sides_are_mapped_and_spacys_own_scores_are_not():
    examples = two()
    found = make_ner_scorer(STRICT, labels={"PERSON": "PER"})(examples)
    assert found["ents_strict_f"] == 1.0
    spacys = get_ner_prf(examples)
    assert {key: found[key] for key in spacys} == spacys and found["ents_f"] == 0.0
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
    with pytest.warns(UserWarning, match="only='LOC': there is no label 'LOC'"):
        found = make_ner_scorer(STRICT, only=["LOC"])(two())
    json.dumps(found)
    assert found["ents_strict_f"] == 0.0
