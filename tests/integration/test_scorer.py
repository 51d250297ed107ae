"""The scorers in a pipeline: spaCy's own numbers beside ours, keys, configs, training, processes."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction

import pytest
import spacy
import srsly
from docs import LABELS, aligned, any_example, doc, example, grouped, little_corpus, train
from hypothesis import given
from hypothesis import strategies as st
from processes import python
from profiles import tries
from spacy.language import Language
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.tokens import Span
from spacy.training import Alignment, Example
from spacy.training.loop import create_evaluation_callback
from thinc.api import Config, ConfigValidationError

import spacy_nereval
from spacy_nereval.integration.examples import documents
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer

pytestmark = pytest.mark.filterwarnings("ignore:.*predicted.* label")
"""Corpora at random may have disjoint labels; `test_checks` has the warning."""

NER = {"@scorers": "spacy-nereval.ner_scorer.v1"}
SPANS = {"@scorers": "spacy-nereval.spans_scorer.v1"}
SPACY_KEYS = {"ents_p", "ents_r", "ents_f", "ents_per_type"}
FLAT = {
    *(f"{scheme}_{x}" for scheme in ("strict", "exact", "partial", "type", "loio", "fair") for x in "prf"),
    *("ser", "err", "ser_acc", "wrf"),
}
"""Section 9 of the definitions: the keys of a spaCy score dict, without prefix."""

score_ents = make_ner_scorer()
strict_only = make_ner_scorer({"strict": {}})


def three() -> list[Example]:
    """A hit, half a hit, a mix-up."""
    gold = doc("Ada Lovelace met Bob in Rome", (0, 2, "PER"), (3, 4, "PER"), (5, 6, "LOC"))
    pred = doc("Ada Lovelace met Bob in Rome", (0, 1, "PER"), (3, 4, "PER"), (5, 6, "PER"))
    return [example(gold, pred)]


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
    assert {f"spans_k_{x}": found[f"spans_k_{x}"] for x in ("p", "r", "f", "per_type")} == spancat_score(
        examples, spans_key="k"
    )


@pytest.fixture
def no_alignment(monkeypatch):
    def forbidden(cls, *words):
        raise AssertionError("tokens were aligned")

    monkeypatch.setattr(Alignment, "from_strings", classmethod(forbidden))


def test_no_tokens_are_aligned_where_they_are_the_same(no_alignment):
    found = score_ents(three() * 3)
    assert (found["ents_p"], found["ents_r"], found["ents_f"]) == pytest.approx((1 / 3,) * 3)


def test_no_tokens_are_aligned_where_nothing_is_annotated(no_alignment):
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
    with pytest.raises(AssertionError, match="aligned"):
        score_ents([example(gold, pred)])


def test_half_a_gold_token_is_a_hit_for_spacy_and_a_boundary_error_for_us():
    found = score_ents([example(doc("U.K. wins", (0, 1, "GPE")), doc("U|.K. wins", (0, 1, "GPE")))])
    assert found["ents_f"] == 1.0
    assert found["ents_strict_f"] == 0.0
    assert found["ents_type_f"] == 1.0
    assert found["ents_nereval"]["metrics"]["fair"]["counts"]["be_s"] == 1


def test_two_halves_of_a_gold_token_are_a_hit_and_an_error_for_spacy():
    gold, pred = doc("U.K. wins", (0, 1, "GPE")), doc("U.|K. wins", (0, 1, "GPE"), (1, 2, "GPE"))
    found = score_ents([example(gold, pred)])
    assert (found["ents_p"], found["ents_r"]) == (0.5, 1.0)
    assert (found["ents_strict_p"], found["ents_strict_r"]) == (0.0, 0.0)


def test_half_a_gold_token_in_a_span_group_is_nothing_at_all_for_spacy():
    gold = doc("U.K. wins", spans={"k": [(0, 1, "GPE")]})
    pred = doc("U|.K. wins", spans={"k": [(0, 1, "GPE")]})
    found = make_spans_scorer(spans_key="k")([example(gold, pred)])
    assert (found["spans_k_p"], found["spans_k_r"]) == (0.0, 0.0)
    assert found["spans_k_per_type"]["GPE"]["f"] == 0.0
    assert found["spans_k_nereval"]["pred"] == 1
    assert found["spans_k_nereval"]["metrics"]["fair"]["counts"]["be_s"] == 1


def test_a_label_that_only_an_ignored_prediction_has_is_listed_as_spacy_lists_it():
    eg = example(doc("a b", (0, 1, "A"), missing=[(1, 2)]), doc("a b", (1, 2, "Z")))
    found = score_ents([eg])
    assert found["ents_per_type"] == get_ner_prf([eg])["ents_per_type"]
    assert set(found["ents_per_type"]) == {"A", "Z"}
    assert set(found["ents_nereval"]["metrics"]["strict"]["per_type"]) == {"A"}


# Keys


def test_every_flat_key_is_there_beside_spacys_and_the_whole_result():
    found = score_ents(three())
    assert set(found) == SPACY_KEYS | {f"ents_{key}" for key in FLAT} | {"ents_nereval"}
    assert all(type(found[f"ents_{key}"]) is float for key in FLAT)


def test_every_flat_key_of_a_span_group_has_its_name():
    examples = [example(doc("a b", spans={"my_key": [(0, 1, "A")]}), doc("a b", spans={"my_key": [(0, 1, "A")]}))]
    found = make_spans_scorer(spans_key="my_key")(examples)
    wanted = {*FLAT, "per_type", "p", "r", "f", "nereval"}
    assert set(found) == {f"spans_my_key_{key}" for key in wanted}


def test_only_the_metrics_asked_for_have_keys():
    found = make_ner_scorer({"fair": {"unit": "token"}, "slot_error": {}})(three())
    ours = ("fair_p", "fair_r", "fair_f", "ser", "err", "ser_acc", "nereval")
    assert set(found) - SPACY_KEYS == {f"ents_{x}" for x in ours}
    assert list(found["ents_nereval"]["metrics"]) == ["fair", "slot_error"]


def test_flat_keys_are_the_scores_of_the_result():
    found = score_ents(three())
    scores = {name: own["scores"] for name, own in found["ents_nereval"]["metrics"].items()}
    for name, key in [
        *((name, f"{name}_{x}") for name in ("strict", "loio", "fair") for x in "prf"),
        *(("slot_error", key) for key in ("ser", "err", "ser_acc")),
        ("wrf", "wrf"),
    ]:
        assert found[f"ents_{key}"] == scores[name][key.removeprefix(f"{name}_")]
    for scheme in ("strict", "exact", "partial", "type"):
        for x in "prf":
            assert found[f"ents_{scheme}_{x}"] == scores["semeval"][f"{scheme}_{x}"]


def test_one_sentence_scored_by_hand():
    found = score_ents(three())  # a hit, "Ada" of "Ada Lovelace", "Rome" as a person
    wanted = {
        "strict_f": Fraction(1, 3),
        "exact_f": Fraction(2, 3),
        "partial_f": Fraction(5, 6),
        "type_f": Fraction(2, 3),
        "ser": Fraction(2, 3),
        "err": Fraction(2, 3),
        "ser_acc": Fraction(1, 3),
        "loio_f": (1 + Fraction(3, 4) * Fraction(3, 12)) / 3,
        "fair_f": Fraction(1, 2),
        # PER {ada, lovelace, bob} against {ada, bob, rome}; LOC {rome} against nothing; combined 3 of 4.
        "wrf": (Fraction(4, 6) + 0 + Fraction(6, 7)) / 3,
    }
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
    assert found["ents_fair_f"] == 0.0
    assert (found["ents_nereval"]["documents"], found["ents_nereval"]["skipped"]) == (1, 2)


@pytest.mark.parametrize("number", [0, 2])
def test_without_annotation_every_flat_key_is_none(number):
    found = score_ents([example(doc("a b", annotated=False), doc("a b", (0, 1, "A")))] * number)
    assert {found[f"ents_{key}"] for key in FLAT} | {found[key] for key in SPACY_KEYS} == {None}
    assert found["ents_nereval"]["skipped"] == number
    assert found["ents_nereval"]["documents"] == 0
    in_group = make_spans_scorer()([example(doc("a b"), doc("a b"))] * number)
    assert {in_group[f"spans_sc_{key}"] for key in FLAT} | {in_group[f"spans_sc_{x}"] for x in "prf"} == {None}


def types_in(value) -> set[type]:
    if isinstance(value, dict):
        return {type(value), *map(type, value)}.union(*map(types_in, value.values()))
    if isinstance(value, (list, tuple)):
        return {type(value)}.union(*map(types_in, value))
    return {type(value)}


@pytest.mark.parametrize(
    "examples",
    [[], three(), [example(doc(""), doc(""))], [example(doc("a b"), doc("a b", (0, 1, "A")))]],
    ids=["none", "usual", "empty", "spurious"],
)
def test_scores_are_plain_python_that_json_can_hold(examples):
    metrics = {"all": {}} | {"wrf": {"weights": "lenient"}, "fair": {"unit": "token"}}
    found = make_ner_scorer(metrics)(examples)
    assert types_in(found) <= {dict, list, str, int, float, bool, type(None)}
    assert srsly.json_loads(srsly.json_dumps(found)).keys() == found.keys()
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_generator_of_examples_is_as_good_as_a_list():
    assert score_ents(eg for eg in three()) == score_ents(three())
    groups = [example(doc("a", spans={"sc": [(0, 1, "A")]}), doc("a", spans={"sc": [(0, 1, "A")]}))]
    assert make_spans_scorer()(eg for eg in groups) == make_spans_scorer()(groups)


def test_whatever_else_spacy_passes_to_a_scorer_does_not_matter():
    assert score_ents(three(), labels=("X",), spans_key="sc", beta=3, metrics={}) == score_ents(three())


def test_a_scorer_keeps_nothing_from_one_call_to_the_next():
    scorer = make_ner_scorer()
    assert scorer(three()) == scorer(three())


def test_texts_that_differ_are_an_error_that_names_the_example():
    bad = example(doc("a b"), doc("a c"))
    with pytest.raises(ValueError, match="example 1: the predicted text differs"):
        score_ents(three() + [bad])
    gold = doc("a b", spans={"sc": []})
    with pytest.raises(ValueError, match="example 0: the predicted text differs"):
        make_spans_scorer()([example(gold, doc("a c"))])


# Configs


def with_ner(scorer: dict) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("ner", config={"scorer": scorer}).add_label("PER")
    return nlp


CONFIG = """
[nlp]
lang = "en"
pipeline = ["ner"]

[components]

[components.ner]
factory = "ner"

[components.ner.scorer]
@scorers = "spacy-nereval.ner_scorer.v1"

[components.ner.scorer.metrics]
"""


@pytest.mark.parametrize(
    "options",
    [
        '[components.ner.scorer.metrics.strict]\n\n[components.ner.scorer.metrics.fair]\nunit = "token"',
        'strict = {}\nfair = {"unit": "token"}',
    ],
    ids=["blocks", "lines"],
)
def test_a_config_names_the_scorer_and_its_options(options):
    nlp = spacy.util.load_model_from_config(Config().from_str(CONFIG + options), auto_fill=True)
    found = nlp.get_pipe("ner").score(three())["ents_nereval"]["metrics"]
    assert set(found) == {"strict", "fair"}  # the lowest spaCy sorts the lines of a block
    assert found["fair"]["settings"] == {"unit": "token", "weights": "fair", "beta": 1.0, "focus": "target"}


def test_a_pipeline_keeps_its_scorer_and_options_through_disk_and_bytes(tmp_path):
    scorer = NER | {"metrics": {"fair": {"unit": "token", "weights": {"be_s": {"tp": 1}}}, "loio": {"s": 0.5}}}
    nlp = with_ner(scorer)
    nlp.initialize()
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    copied = spacy.blank("en", config=nlp.config).from_bytes(nlp.to_bytes())
    gold = doc("Ada met Bob", (0, 1, "PER"), vocab=loaded.vocab)
    for other in (loaded, copied):
        assert other.config["components"]["ner"]["scorer"] == scorer | {
            **{"confidence": None, "detail": True},
            **{"labels": None, "only": None, "depth": None, "sep": "/"},
        }
        found = other.evaluate([Example(other.make_doc(gold.text), gold)])
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
    gold = doc("Ada met Bob", (0, 1, "PER"), vocab=loaded.vocab)
    found = loaded.evaluate([Example(loaded.make_doc(gold.text), gold)])
    assert found["ents_nereval"]["metrics"]["wrf"]["settings"]["weights"] == "lenient"
    assert "ents_nereval" not in spacy.load(tmp_path / "model").evaluate([Example(loaded.make_doc(gold.text), gold)])


def test_a_scorer_can_be_set_on_a_component_that_is_there():
    nlp = spacy.blank("en")
    nlp.add_pipe("ner").scorer = make_ner_scorer()
    assert "ents_fair_f" in nlp.get_pipe("ner").score(three())


@pytest.mark.parametrize(
    "metrics, message",
    [
        ({"fare": {}}, "there is no metric 'fare'; there are strict, semeval"),
        ({"fair": {"units": "token"}}, "fair has no option 'units'; its options are unit, weights, beta, focus"),
        ({"fair": {"unit": "tokens"}}, "fair.unit = 'tokens': "),
        ({"loio": {"s": 2}}, "loio.s = 2: input should be less than or equal to 1"),
        ({"wrf": {"weights": {"A": 0.4, "combined": 0.5}}}, "they sum to 0.9, not to 1"),
        ({}, "metrics is empty; choose from strict"),
    ],
)
def test_a_mistake_in_a_config_is_shown_as_spacy_shows_them(metrics, message):
    for name, scorer in (("ner", NER), ("spancat", SPANS)):
        with pytest.raises(ConfigValidationError) as raised:
            spacy.blank("en").add_pipe(name, config={"scorer": scorer | {"metrics": metrics}})
        assert message in str(raised.value)


def test_an_unknown_argument_of_the_scorer_is_refused():
    with pytest.raises(ConfigValidationError, match="metric"):
        spacy.blank("en").add_pipe("ner", config={"scorer": NER | {"metric": {"fair": {}}}})


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
    gold = doc("one two six", spans={"r": [(0, 1, "A"), (2, 3, "A")]}, vocab=nlp.vocab)
    found = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])
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


@pytest.mark.costly
def test_a_pipeline_works_in_processes_that_start_from_nothing(tmp_path):
    script = tmp_path / "spawn.py"
    script.write_text(SPAWN, encoding="utf8")
    done = python(script)
    assert done.returncode == 0, done.stderr
    here, there, fair = json.loads(done.stdout.splitlines()[-1])
    assert here == there
    assert [0, "PER"] in there[0]
    assert fair == 1.0


# Training


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
    assert set(weights) <= set(score_ents(three()))


def test_labels_of_the_strategies_are_found_at_all():
    """The property tests above would hold of examples without a single hit, too."""
    seen = set()

    @tries(150)  # in every profile: fewer do not find them all
    @given(st.lists(any_example(), max_size=4))
    def look(examples):
        for values in (strict_only(examples)["ents_per_type"] or {}).items():
            if 0 < values[1]["f"] < 1:
                seen.add(values[0])

    look()
    assert seen == set(LABELS)
