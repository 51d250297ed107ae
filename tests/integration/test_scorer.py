"""The scorers in a pipeline: spaCy's own numbers beside ours, keys, configs, training, processes."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
import srsly
from docs import LABELS, aligned, any_example, doc, example, grouped
from hypothesis import given
from hypothesis import strategies as st
from own_scorers import SPACY_KEYS, three
from profiles import tries
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.training import Alignment, Example

import spacy_nereval
from spacy_nereval.integration.examples import documents
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer

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
    assert {f"spans_k_{x}": found[f"spans_k_{x}"] for x in ("p", "r", "f", "per_type")} == spancat_score(
        examples, spans_key="k"
    )


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
    with pytest.raises(AssertionError, match="aligned"):
        score_ents([example(gold, pred)])


def test_parts_of_a_gold_token_are_a_hit_for_spacy_and_boundary_errors_for_us():
    gold, half = doc("U.K. wins", (0, 1, "GPE")), doc("U|.K. wins", (0, 1, "GPE"))
    found = score_ents([example(gold, half)])
    assert (found["ents_f"], found["ents_strict_f"], found["ents_type_f"]) == (1, 0, 1)
    assert found["ents_nereval"]["metrics"]["fair"]["counts"]["be_s"] == 1
    found = score_ents([example(gold, doc("U.|K. wins", (0, 1, "GPE"), (1, 2, "GPE")))])
    assert (found["ents_p"], found["ents_r"]) == (0.5, 1.0)
    assert (found["ents_strict_p"], found["ents_strict_r"]) == (0.0, 0.0)


def test_half_a_gold_token_in_a_span_group_is_nothing_at_all_for_spacy():
    gold, pred = (doc(text, spans={"k": [(0, 1, "GPE")]}) for text in ("U.K. wins", "U|.K. wins"))
    found = make_spans_scorer(spans_key="k")([example(gold, pred)])
    assert (found["spans_k_p"], found["spans_k_r"], found["spans_k_per_type"]["GPE"]["f"]) == (0, 0, 0)
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
    made = doc("a b", spans={"my_key": [(0, 1, "A")]})
    found = make_spans_scorer(spans_key="my_key")([example(made, made)])
    assert set(found) == {f"spans_my_key_{key}" for key in {*FLAT, "per_type", "p", "r", "f", "nereval"}}


def test_only_the_metrics_asked_for_have_keys():
    found = make_ner_scorer({"fair": {"unit": "token"}, "slot_error": {}})(three())
    ours = ("fair_p", "fair_r", "fair_f", "ser", "err", "ser_acc", "nereval")
    assert set(found) - SPACY_KEYS == {f"ents_{x}" for x in ours}
    assert list(found["ents_nereval"]["metrics"]) == ["fair", "slot_error"]


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


def test_a_generator_is_as_good_as_a_list_and_whatever_else_spacy_passes_or_asked_before_does_not_matter():
    found = score_ents(three())
    assert score_ents(eg for eg in three()) == found
    assert score_ents(three(), labels=("X",), spans_key="sc", beta=3, metrics={}) == found
    made = doc("a", spans={"sc": [(0, 1, "A")]})
    assert make_spans_scorer()(eg for eg in [example(made, made)]) == make_spans_scorer()([example(made, made)])


def test_texts_that_differ_are_an_error_that_names_the_example():
    bad = example(doc("a b"), doc("a c"))
    with pytest.raises(ValueError, match="example 1: the predicted text differs"):
        score_ents(three() + [bad])
    gold = doc("a b", spans={"sc": []})
    with pytest.raises(ValueError, match="example 0: the predicted text differs"):
        make_spans_scorer()([example(gold, doc("a c"))])


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


def test_span_groups_have_them_too():
    given = examples(3)
    for each in given:
        for side in (each.predicted, each.reference):
            side.spans["sc"] = list(side.ents)
    found = make_spans_scorer({"strict": {}}, "sc", confidence={})(given)
    assert found["spans_sc_nereval"]["confidence"]["units"] == 3


def test_blocks_larger_than_the_data_are_one_block():
    """The command line refuses them; in training the development data may be cut short."""
    found = make_ner_scorer({"strict": {}}, {"unit": "block:1000"})(examples(5))["ents_nereval"]
    assert found["confidence"]["units"] == 1
