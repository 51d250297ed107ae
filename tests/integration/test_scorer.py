"""The scorers: spaCy's own numbers beside ours, keys, intervals, configs, saved pipelines and other processes."""

import json
import math
import pickle
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
import spacy
import srsly
from docs import LABELS, aligned, any_example, doc, example, grouped
from hypothesis import given
from hypothesis import strategies as st
from own_scorers import NER, SPACY_KEYS, SPANS, alone, evaluated, three, warned, with_ner
from processes import LEAN, python
from profiles import tries
from refusals import refused_with
from spacy.pipeline.span_finder import span_finder_score
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.training import Alignment, Example
from thinc.api import Config, ConfigValidationError

import spacy_nereval
from spacy_nereval import Result, count, create, evaluate, score
from spacy_nereval.core.labels import label_rules
from spacy_nereval.core.spans import relabel
from spacy_nereval.evaluation.resampling import read_confidence
from spacy_nereval.integration.examples import documents
from spacy_nereval.integration.scorer import (
    label_settings_of_config,
    make_ner_scorer,
    make_spans_scorer,
    merge_results,
    metric_options_of_config,
    model_label_settings,
    model_options,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*predicted.* label")
"""Corpora at random may have disjoint labels; `test_checks` has the warning."""

FLAT = {
    *(f"{scheme}_{x}" for scheme in ("strict", "exact", "partial", "type", "loio", "fair") for x in "prf"),
    *("ser", "err", "ser_acc", "wrf"),
}
"""Section 9 of the definitions: the keys of a spaCy score dict, without prefix."""

score_ents = make_ner_scorer()
strict_only = make_ner_scorer({"strict": {}})


# spaCy's own numbers


@tries(150)
@given(st.lists(any_example(), max_size=4))
def test_spacys_keys_hold_what_spacy_itself_says(examples):
    found = strict_only(examples)
    assert {key: found[key] for key in SPACY_KEYS} == get_ner_prf(examples)


@tries(100)
@given(st.lists(aligned(kinds=("all", "some", "none")), max_size=4))
def test_spacys_f_is_our_strict_f_where_the_tokens_are_the_same(examples):
    found = strict_only(examples)
    for x in "prf":
        assert (found[f"ents_{x}"] or 0.0) == pytest.approx(found[f"ents_strict_{x}"] or 0.0, abs=1e-12)
    for label, ours in found["ents_nereval"]["metrics"]["strict"]["per_type"].items():
        spacys = found["ents_per_type"][label]
        assert (spacys["f"], spacys["r"]) == pytest.approx(tuple(ours["scores"][x] or 0.0 for x in "fr"), abs=1e-12)


@tries(60)
@given(st.lists(grouped(), max_size=4))
def test_spacys_keys_of_a_span_group_hold_what_spacy_itself_says(examples):
    found = make_spans_scorer({"strict": {}}, spans_key="k")(examples)
    spacys = spancat_score(examples, spans_key="k")
    assert {key: found[key] for key in spacys} == spacys


def test_labels_of_the_strategies_are_found_at_all():
    """The property tests above would hold of examples without a single hit, too."""
    seen = set()

    @tries(300)  # fewer do not find them all by day
    @given(st.lists(any_example(), max_size=4))
    def look(examples):
        for values in (strict_only(examples)["ents_per_type"] or {}).items():
            if 0 < values[1]["f"] < 1:
                seen.add(values[0])

    look()
    assert seen == set(LABELS)


@pytest.fixture
def no_alignment(monkeypatch):
    def forbidden(cls, *words):
        raise AssertionError("tokens were aligned")

    monkeypatch.setattr(Alignment, "from_strings", classmethod(forbidden))


def test_no_tokens_are_aligned_where_they_are_the_same_or_nothing_is_annotated(no_alignment):
    found = score_ents(three() * 3)
    assert (found["ents_p"], found["ents_r"], found["ents_f"]) == pytest.approx((1 / 3,) * 3)
    score_ents([example(doc("a b", annotated=False), doc("a|_|b", (0, 1, "A")))])


@pytest.mark.parametrize(
    "gold, pred",
    [
        (doc("a b", (0, 1, "A")), doc("a|_|b", (0, 1, "A"))),
        (doc("a b", (0, 1, "A"), missing=[(1, 2)]), doc("a b", (0, 1, "A"))),
        (doc("a b", (0, 1, "A")), doc("a|b", (0, 1, "A"))),
    ],
    ids=["other tokens", "a gap", "other white space"],
)
def test_tokens_are_aligned_where_spacys_numbers_may_need_it(gold, pred, no_alignment):
    with refused_with(AssertionError, "tokens were aligned"):
        score_ents([example(gold, pred)])


def test_parts_of_a_gold_token_are_a_hit_for_spacy_and_boundary_errors_for_us():
    gold, half = doc("U.K. wins", (0, 1, "GPE")), doc("U|.K. wins", (0, 1, "GPE"))
    found = score_ents([example(gold, half)])
    assert (found["ents_f"], found["ents_strict_f"], found["ents_type_f"]) == (1, 0, 1)
    assert found["ents_nereval"]["metrics"]["fair"]["counts"]["be_s"] == 1
    found = score_ents([example(gold, doc("U.|K. wins", (0, 1, "GPE"), (1, 2, "GPE")))])
    assert (found["ents_p"], found["ents_r"]) == (0.5, 1.0)
    assert (found["ents_strict_p"], found["ents_strict_r"]) == (0.0, 0.0)


# Keys


def test_every_flat_key_is_there_beside_spacys_and_the_whole_result():
    found = score_ents(three())
    assert set(found) == SPACY_KEYS | {f"ents_{key}" for key in FLAT} | {"ents_nereval"}
    assert all(type(found[f"ents_{key}"]) is float for key in FLAT)


def test_every_flat_key_of_a_span_group_has_its_name():
    made = doc("a b", spans={"my_key": [(0, 1, "A")]})
    found = make_spans_scorer(spans_key="my_key")([example(made, made)])
    assert set(found) == {f"spans_my_key_{key}" for key in {*FLAT, "per_type", "p", "r", "f", "nereval"}}


def test_one_sentence_scored_by_hand():
    found = score_ents(three())  # a hit, "Ada" of "Ada Lovelace", "Rome" as a person
    third, half = Fraction(1, 3), Fraction(1, 2)
    wanted = {"strict_f": third, "exact_f": 2 * third, "partial_f": Fraction(5, 6), "type_f": 2 * third}
    wanted |= {"ser": 2 * third, "err": 2 * third, "ser_acc": third, "fair_f": half}
    wanted["loio_f"] = (1 + Fraction(3, 4) * Fraction(3, 12)) / 3
    # PER {ada, lovelace, bob} against {ada, bob, rome}; LOC {rome} against nothing; combined 3 of 4.
    wanted["wrf"] = (Fraction(4, 6) + 0 + Fraction(6, 7)) / 3
    assert {key: found[f"ents_{key}"] for key in wanted} == pytest.approx({key: float(x) for key, x in wanted.items()})


def test_the_result_is_the_one_of_the_package_on_the_same_documents():
    assert score_ents(three())["ents_nereval"] == spacy_nereval.score(documents(three()))


def test_nothing_to_find_and_nothing_found_scores_zero_and_not_none():
    for eg in (example(doc("a b"), doc("a b")), example(doc(""), doc(""))):
        found = score_ents([eg])
        assert {found[f"ents_{key}"] for key in FLAT} == {0.0}
        assert found["ents_nereval"]["metrics"]["strict"]["scores"]["f"] is None
        assert {found[key] for key in SPACY_KEYS} == {None}


def test_one_annotated_document_among_others_is_enough_for_zero():
    blank = example(doc("a b", annotated=False), doc("a b", (0, 1, "A")))
    found = score_ents([blank, example(doc("a b"), doc("a b")), blank])
    result = found["ents_nereval"]
    assert (found["ents_fair_f"], result["documents"], result["skipped"]) == (0.0, 1, 2)


@pytest.mark.parametrize("number", [0, 2])
def test_without_annotation_every_flat_key_is_none(number):
    found = score_ents([example(doc("a b", annotated=False), doc("a b", (0, 1, "A")))] * number)
    assert {found[f"ents_{key}"] for key in FLAT} | {found[key] for key in SPACY_KEYS} == {None}
    assert (found["ents_nereval"]["skipped"], found["ents_nereval"]["documents"]) == (number, 0)
    in_group = make_spans_scorer()([example(doc("a b"), doc("a b"))] * number)
    assert {in_group[f"spans_sc_{key}"] for key in FLAT} | {in_group[f"spans_sc_{x}"] for x in "prf"} == {None}


@pytest.mark.parametrize(
    "examples",
    [[], three(), [example(doc(""), doc(""))], [example(doc("a b"), doc("a b", (0, 1, "A")))]],
    ids=["none", "usual", "empty", "spurious"],
)
def test_scores_are_plain_python_that_json_can_hold(examples):
    metrics = {"all": {}} | {"wrf": {"weights": "lenient"}, "fair": {"unit": "token"}}
    found = make_ner_scorer(metrics)(examples)
    assert srsly.json_loads(srsly.json_dumps(found)).keys() == found.keys()
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_generator_is_as_good_as_a_list_and_whatever_else_spacy_passes_or_asked_before_does_not_matter():
    found = score_ents(three())
    assert score_ents(eg for eg in three()) == found
    assert score_ents(three(), labels=("X",), spans_key="sc", beta=3, metrics={}) == found
    made = doc("a", spans={"sc": [(0, 1, "A")]})
    assert make_spans_scorer()(eg for eg in [example(made, made)]) == make_spans_scorer()([example(made, made)])


# Intervals: at any size of data an evaluation goes on


def examples(number: int, *, gold: bool = True, pred: bool = True) -> list[Example]:
    entity = [(0, 1, "PER")]
    return [
        Example(doc(f"Ada {k}", *(entity if pred and k % 2 else [])), doc(f"Ada {k}", *(entity if gold else [])))
        for k in range(number)
    ]


def intervals(found: Any) -> list[dict[str, Any]]:
    """All intervals, wherever they are."""
    if isinstance(found, dict) and {"low", "high"} <= found.keys():
        return [found]
    return [each for value in found.values() for each in intervals(value)] if isinstance(found, dict) else []


@pytest.mark.parametrize("sides", [{}, {"gold": False}, {"pred": False}, {"gold": False, "pred": False}], ids=str)
@pytest.mark.parametrize("number", [0, 1, 2, 7])
def test_data_of_any_size_have_intervals_or_none_and_never_an_error(number, sides):
    scores = make_ner_scorer(confidence={})(examples(number, **sides))
    result = scores["ents_nereval"]
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert (result["confidence"] is None) is (number < 2)
    assert number < 2 or result["confidence"]["units"] == number
    for metric in result["metrics"].values():
        assert (metric["intervals"] is None) is (number < 2)
        for found in intervals(metric["intervals"]):
            assert (found["low"] is None) is (found["flag"] == "undefined")
            if found["low"] is not None:
                assert found["low"] < found["high"] and math.isfinite(found["low"])
                assert (found["flag"] == "few") is (found["k"] < 6)


# Configs, saved pipelines and other processes


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
    assert model_options(tmp_path, None) == {"strict": {}, "fair": {"unit": "token"} if unit == "token" else {}}


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
    assert component.scoring.confidence == read_confidence(given)


def test_a_pipeline_keeps_its_scorer_and_options_through_disk_and_bytes(tmp_path):
    scorer = NER | {"metrics": {"fair": {"unit": "token", "weights": {"be_s": {"tp": 1}}}, "loio": {"s": 0.5}}}
    nlp = with_ner(scorer)
    nlp.initialize()
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    copied = spacy.blank("en", config=nlp.config).from_bytes(nlp.to_bytes())
    filled = {
        "confidence": None,
        "detail": True,
        "labels": None,
        "only": None,
        "depth": None,
        "sep": "/",
        "label_from": None,
    }
    for other in (loaded, copied):
        assert other.config["components"]["ner"]["scorer"] == scorer | filled
        found = evaluated(other)
        settings = {name: own["settings"] for name, own in found["ents_nereval"]["metrics"].items()}
        assert settings["fair"]["weights"] == {"be_s": {"tp": 1.0}}
        assert (settings["fair"]["unit"], settings["loio"]["s"]) == ("token", 0.5)
        assert set(found) > SPACY_KEYS


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"metrics": {"fare": {}}}, "there is no metric 'fare': did you mean 'fair'? There are strict, semeval"),
        ({"metrics": {"fair": {"units": "token"}}}, "fair has no option 'units': did you mean 'unit'? Its options are"),
        ({"metrics": {"fair": {"unit": "tokens"}}}, "metrics={'fair': {'unit': 'tokens'}}: "),
        ({"metrics": {"loio": {"s": 2}}}, "metrics={'loio': {'s': 2}}: input should be less than or equal to 1"),
        ({"metrics": {"wrf": {"weights": {"A": 0.4, "combined": 0.5}}}}, "they sum to 0.9, not to 1"),
        ({"metrics": {}}, "metrics={}: no metric is named; choose from strict"),
        ({"metric": {"fair": {}}}, "metric"),
        ({"confidence": {}, "detail": False}, "intervals are in the nested result"),
        ({"depth": 0}, "depth=0: expected a whole number"),
        ({"label_from": "label+"}, "label_from='label+': expected different names of attributes"),
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


# Processes


@pytest.mark.parametrize("scorer", [make_ner_scorer({"fair": {"unit": "token"}, "wrf": {}}), make_spans_scorer()])
def test_a_scorer_survives_pickling(scorer):
    copied = pickle.loads(pickle.dumps(scorer))
    gold = doc("a b", (0, 1, "A"), spans={"sc": [(0, 1, "A")]})
    eg = example(gold, doc("a b", (0, 2, "A"), spans={"sc": [(0, 2, "A")]}))
    assert copied([eg]) == scorer([eg])


SPAWN = """
import multiprocessing, json
import spacy
from spacy.training import Example

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    scorer = {"@scorers": "spacy-nereval.ner_scorer.v1", "metrics": {"fair": {"unit": "token"}}}
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"scorer": scorer})
    ruler.add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.add_pipe("nereval", config={"spans_keys": ["sc"]})
    found = [list(nlp.pipe(["Ada met Bob", "Bob met Ada"] * 3, n_process=n, batch_size=2)) for n in (1, 2)]
    ents = [[[(ent.start_char, ent.label_) for ent in doc.ents] for doc in docs] for docs in found]
    print(json.dumps([*ents, nlp.evaluate([Example(a, b) for a, b in zip(*found)])["ents_fair_f"]]))
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
    expected = evaluate(count(relabel(documents(examples), rules), [create("strict")]))
    assert found["metrics"] == expected["metrics"]
    assert (found["gold"], found["pred"]) == (expected["gold"], expected["pred"])


@tries(40)
@given(st.lists(grouped(), max_size=3))
@pytest.mark.filterwarnings("ignore:.*labels", "ignore:.*never occurs in gold", "ignore:.*No predicted label")
def test_span_groups_are_mapped_too(examples):
    found = make_spans_scorer(STRICT, spans_key="k", labels={"A": "B"})(examples)["spans_k_nereval"]
    rules = label_rules({"A": "B"})
    expected = evaluate(count(relabel(documents(examples, "k"), rules), [create("strict")]))
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
    rules = label_rules(config["labels"], ["PER"], 1, ".")
    assert pickle.loads(pickle.dumps(nlp.get_pipe("nereval"))).scoring.rules == rules
    assert nlp.from_bytes(nlp.to_bytes()).get_pipe("nereval").scoring.rules == rules
    assert model_label_settings(tmp_path, None) == {name: config[name] for name in ("labels", "only", "depth", "sep")}


def test_a_scorer_of_a_component_scores_its_own_spans_key_before_that_of_the_component():
    scorer = {"@scorers": "spacy-nereval.spans_scorer.v1", "metrics": {"fair": {"beta": 2.0}}, "only": ["PER"]}
    for own, of_component, key in (("x", "y", "x"), (None, "y", "y"), ("x", None, "x"), (None, None, "sc")):
        block = {"scorer": scorer | ({"spans_key": own} if own else {})}
        block |= {"spans_key": of_component} if of_component else {}
        config = {"nlp": {"pipeline": ["spancat"]}, "components": {"spancat": block}}
        for asked in ("x", "y", "sc", None):
            is_scored = asked == key
            assert metric_options_of_config(config, asked, "model") == ({"fair": {"beta": 2.0}} if is_scored else {})
            assert bool(label_settings_of_config(config, asked, "model")) is is_scored


def test_labels_to_map_and_labels_to_keep_that_do_not_occur_are_both_said():
    with pytest.warns(UserWarning) as said:
        make_ner_scorer(STRICT, labels={"X": "Y"}, only=["Z"])(two())
    lines = [str(line.message) for line in said]
    for line in ("labels: X to map, but neither side has such a label", "only='Z': there is no label 'Z' in gold"):
        assert len([each for each in lines if each.startswith(line)]) == 1, lines
    assert len({*lines}) == len(lines)


def test_a_label_to_keep_that_does_not_occur_ends_no_training():
    with pytest.warns(UserWarning, match="only='LOC': there is no label 'LOC'"):
        found = make_ner_scorer(STRICT, only=["LOC"])(two())
    json.dumps(found)
    assert found["ents_strict_f"] == 0.0


# Spans without a label, as span_finder gives them


def unlabelled(*gold: tuple[int, int, str], pred: Sequence[tuple[int, int, str]] = ((0, 1, ""), (2, 3, ""))) -> Any:
    """An Example of `doc.spans["sc"]`."""
    docs = [doc("Ada met Bob", spans={"sc": list(spans)}) for spans in (pred, gold)]
    return Example(*docs)


def test_spans_without_a_label_are_scored_as_spacy_scores_them():
    examples = [unlabelled((0, 1, "")), unlabelled((2, 3, ""), pred=[(0, 2, "")])]
    scores = make_spans_scorer(["strict"], labels=None)(examples, spans_key="sc")
    by_spacy = span_finder_score(examples, spans_key="sc")
    assert {key: scores[key] for key in by_spacy} == by_spacy
    assert [scores[f"spans_sc_strict_{score}"] for score in "prf"] == [by_spacy[f"spans_sc_{score}"] for score in "prf"]
    assert scores["spans_sc_nereval"]["per_type"] == {"(no label)": {"gold": 2, "pred": 3}}
    assert score(examples, "strict", spans_key="sc").strict.f == by_spacy["spans_sc_f"]
    nlp = alone(metrics=["strict"], ents=False, spans_keys=["sc"])
    assert nlp.evaluate(examples)["spans_sc_strict_f"] == by_spacy["spans_sc_f"]


def test_gold_labels_beside_predictions_without_labels_are_warned_of_with_a_mapping_that_works():
    examples = [unlabelled((0, 1, "PER"), (2, 3, "LOC"))]
    by_spacy = span_finder_score(examples, spans_key="sc")
    assert by_spacy["spans_sc_f"] == 1
    scorer = make_spans_scorer(["strict"])
    (line,) = warned(lambda: scorer(examples, spans_key="sc"))
    remedy = 'labels = {"LOC": "(no label)", "PER": "(no label)"}'
    assert (
        "the predicted labels (no label)" in line
        and "To compare boundaries alone, add" in line
        and line.endswith(remedy)
    )
    mapped = make_spans_scorer(["strict"], labels=json.loads(remedy.partition("= ")[2]))
    assert mapped(examples, spans_key="sc")["spans_sc_strict_f"] == 1
    assert mapped(examples, spans_key="sc")["spans_sc_f"] == 1
    half = [unlabelled((0, 1, "PER"), (2, 3, "LOC"), pred=[(0, 1, "PER"), (2, 3, "")])]
    assert scorer(half, spans_key="sc")["spans_sc_f"] == spancat_score(half, spans_key="sc")["spans_sc_f"] == 0.5


def test_examples_that_nobody_has_predicted_are_refused_by_score():
    gold = doc("Ada met Bob", (0, 1, "PER"))
    silent = Example(doc("Ada met Bob", annotated=False), gold)
    with refused_with(
        ValueError,
        "no predicted Doc of the examples has annotation in doc.ents: score(examples, nlp) runs the "
        "pipeline on the texts first, and so does nlp.evaluate(examples)",
    ):
        score([silent, silent], "strict")
    with pytest.warns(UserWarning, match=r"^1 of 2 predicted Docs have no annotation in doc.ents: they count as witho"):
        assert score([silent, Example(gold, gold)], "strict").strict.r == 0.5
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    assert score([silent, silent], nlp, "strict").strict.f == 1
    assert score([silent], nlp, "strict") == score([gold], nlp, "strict")
    assert score([Example(doc("Ada met Bob"), gold)], "strict").strict.r == 0
    empty = doc("Ada met Bob")
    assert score([Example(doc("Ada met Bob", annotated=False), empty)], "strict").strict.f is None
    spans = Example(doc("Ada met Bob"), doc("Ada met Bob", spans={"sc": [(0, 1, "PER")]}))
    with refused_with(
        ValueError,
        "no predicted Doc of the examples has annotation in doc.spans['sc']: score(examples, nlp) "
        "runs the pipeline on the texts first, and so does nlp.evaluate(examples)",
    ):
        score([spans], "strict", spans_key="sc")


def test_results_of_two_scorers_are_one_if_one_alone_has_intervals_and_none_if_they_differ():
    examples = [Example(doc("Ada met Bob"), doc("Ada met Bob", (0, 1, "PER"), (2, 3, "PER"))) for _ in range(4)]
    level = {"samples": 20, "level": 0.9}
    plain, sure, other = (
        make_ner_scorer({metric: {}}, confidence=confidence)(examples)["ents_nereval"]
        for metric, confidence in (("fair", None), ("strict", level), ("fair", {**level, "level": 0.8}))
    )
    for pair in ((plain, sure), (sure, plain)):
        merged = merge_results(*pair)
        assert merged and merged["metrics"].keys() == {"strict", "fair"}
        assert merged["confidence"] == sure["confidence"]
        assert merged["metrics"]["strict"] == sure["metrics"]["strict"]
    assert merge_results(sure, other) is merge_results(other, sure) is None
