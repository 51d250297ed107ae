"""Options of metrics, what each changes and what is refused; a metric of a third party; what all say of themselves."""

import math
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import Annotated, Any

import pytest
from asking import near, scored
from numpy import minimum
from pydantic import Field
from refusals import refused_with
from scroll import ALL, TEXT, TOKENS

import spacy_nereval.metrics
import spacy_nereval.metrics.registry as registry_module
from spacy_nereval import Document, Metric, Score, Span, create, create_all, names, prf, score
from spacy_nereval.metrics.registry import DEFAULT, documentation, options_of, registry


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("strict", {"beta": -1}, "input should be greater than or equal to 0"),
        ("strict", {"beta": "high"}, "input should be a valid number"),
        ("strict", {"beta": math.nan}, ""),
        ("loio", {"s": 2}, "input should be less than or equal to 1"),
        ("loio", {"s": -0.5}, "input should be greater than or equal to 0"),
        ("loio", {"match": "greedy"}, "input should be 'walk' or 'optimal'"),
        ("fair", {"unit": "word"}, "input should be 'char' or 'token'"),
        ("fair", {"focus": "both"}, "input should be 'target' or 'system'"),
        ("fair", {"weights": "unfair"}, "expected fair | traditional | boundary | fine | table"),
        ("fair", {"weights": {"x": {"tp": 1}}}, "there is no error 'x'; there are fp, fn, le, be_s, be_l, be_o, lbe"),
        ("fair", {"weights": {"x": "y"}}, "expected "),
        ("fair", {"weights": {"le": {"tn": 1}}}, "expected "),
        ("fair", {"weights": {"le": {"fp": 1e308}}}, "a weight of le is not a number from 0 to 1e+12"),
        ("fair", {"weights": {"le": {"tp": 1, "fp": math.nan}}}, ""),
        ("fair", {"weights": {"le": {"fp": math.inf}}}, ""),
        ("slot_error", {"slots": "three"}, "input should be 'entity' or 'muc'"),
        ("slot_error", {"weights": "quaero"}, "expected equal | etape | table"),
        ("slot_error", {"weights": {"s": 1}}, "there is no 's'; there are s_type, s_extent, s_both, d, i"),
        ("slot_error", {"weights": {"d": 1e308}}, "the weight of 'd' is not a number from 0 to 1e+12"),
        ("slot_error", {"weights": {"d": math.nan}}, "the weight of 'd' is not a number"),
        ("wrf", {"weights": {"A": 0.5, "combined": 0.4}}, "they sum to 0.9, not to 1"),
        ("wrf", {"weights": {"A": 0.5, "combined": 0.495}}, "they sum to 0.995, not to 1"),
        ("wrf", {"weights": {}}, "they sum to 0, not to 1"),
        ("wrf", {"weights": {"A": -1, "B": 2}}, "the weight of 'A' is not a number from 0 to 1e+12"),
        ("wrf", {"unique": "perhaps"}, "input should be a valid boolean"),
        ("wrf", {"average": "macro"}, "input should be 'docs' or 'micro'"),
        ("token", {"scheme": "biluo"}, "input should be 'plain' or 'bio'"),
        ("char", {"typed": "maybe"}, "input should be a valid boolean"),
        ("relaxed", {"strong": 2}, "input should be a valid boolean"),
        ("overlap", {"recall": "min"}, "input should be 'max' or 'sum'"),
        ("plagdet", {"average": "docs"}, "input should be 'macro' or 'micro'"),
        ("ace", {"min_overlap": 1.1}, "input should be less than or equal to 1"),
        ("ace", {"min_overlap": -0.1}, "input should be greater than or equal to 0"),
        ("ace", {"type_error": 2}, "input should be less than or equal to 1"),
        ("ace", {"false_alarm": -1}, "input should be greater than or equal to 0"),
        ("ace", {"false_alarm": math.inf}, "input should be less than or equal to"),
        ("ace", {"weights": {"PER": 1e308}}, "the weight of 'PER' is not a number from 0 to 1e+12"),
        ("ace", {"weights": {"PER": math.nan}}, "the weight of 'PER' is not a number from 0 to 1e+12"),
        ("ace", {"weights": "nist"}, "expected equal | table of text to number"),
        ("hierarchical", {"sep": ""}, ""),
        ("hierarchical", {"depths": 0}, ""),
        ("hierarchical", {"depths": 10}, ""),
        ("hierarchical", {"depths": 1.5}, ""),
        ("mentions", {"scope": "hits", "multiset": True}, "with the scope 'hits'"),
    ],
    ids=lambda value: None if isinstance(value, str) else str(value)[:40],
)
def test_a_wrong_option_is_refused_with_what_would_be_right(name, options, message):
    with pytest.raises(ValueError) as raised:
        create(name, **options)
    given, _, problem = str(raised.value).partition("}: ")
    assert given.startswith(f"metrics={{{name!r}: {{{[*options][-1]!r}: ") and problem.startswith(message)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("strikt", {}, "there is no metric 'strikt': did you mean 'strict'? There are strict, semeval, slot_error"),
        ("strict", {"speed": 1}, "strict has no option 'speed'; its options are beta"),
        ("wrf", {"beta": 1}, "wrf has no option 'beta'; its options are weights, average, unique, case, unigrams"),
        ("token", {"typed": True}, "token has no option 'typed'; its options are scheme, beta"),
    ],
)
def test_a_metric_or_option_that_there_is_not_is_refused_with_those_that_there_are(name, options, message):
    with pytest.raises(ValueError) as raised:
        create(name, **options)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("fair", {"le": {"tp": 0, "fp": 1e12, "fn": 1e12}}),
        ("slot_error", {"d": 1e12, "i": 0}),
        ("ace", {"PER": 1e12, "ORG": 0}),
        ("wrf", {"A": 1, "combined": 0}),
    ],
)
def test_the_least_and_the_greatest_weight_are_taken(name, weights):
    assert create(name, weights=weights).name == name


def test_a_weight_of_0_leaves_a_class_out():
    doc = Document([(0, 3, "A"), (4, 10, "B")], [(0, 3, "A")], TEXT)
    assert scored(doc, "wrf", weights={"A": 1, "B": 0})["scores"]["wrf"] == 1


@pytest.mark.parametrize(("side", "other", "said"), [("gold", "pred", "gold"), ("pred", "gold", "predicted")])
@pytest.mark.parametrize(
    ("span", "problem"),
    [
        *(
            (span, f" span {span!r} is not (start, end, label) with whole-number offsets")
            for span in ((0, 4), (0.5, 4, "A"), (False, 4, "A"), "A04", None)
        ),
        ((-1, 4, "A"), " Span(-1, 4, 'A') starts before the text"),
        ((4, 3, "A"), " Span(4, 3, 'A') ends before it starts"),
        ((25, 30, "A"), " Span(25, 30, 'A') ends after the text, which has 29 characters"),
        ((30, 30, "A"), " Span(30, 30, 'A') ends after the text, which has 29 characters"),
        ((0, 4, ""), " Span(0, 4, '') has no label: expected a non-empty string"),
        ((0, 4, None), " Span(0, 4, None) has no label: expected a non-empty string"),
    ],
)
def test_a_wrong_span_is_refused_with_what_is_wrong(side, other, said, span, problem):
    with pytest.raises(ValueError) as raised:
        Document(**{side: [(0, 3, "A"), span], other: []}, text=TEXT)
    assert str(raised.value) == said + problem


def test_a_text_of_one_character_is_not_said_to_have_characters():
    with refused_with(ValueError, "gold Span(0, 2, 'A') ends after the text, which has 1 character"):
        Document([(0, 2, "A")], [], "A")


def test_spans_may_end_where_the_text_ends_and_anywhere_without_a_text():
    assert Document([(23, 29, "A"), (29, 29, "A")], [], TEXT).gold == ((23, 29, "A"), (29, 29, "A"))
    assert Document([(23, 10**9, "A")], []).gold == ((23, 10**9, "A"),)


ADA = Document([(0, 3, "A")], [(0, 3, "B")], "Ada sleeps")
NO_TOKENS = (
    r"this document has no tokens \(.* JSONL carry none, .*\); use the metric char instead, .* read a .spacy file"
)


@pytest.mark.parametrize(
    ("document", "name", "options", "said"),
    [
        (ADA, "tmr", {}, r"tmr needs metrics=\{'tmr': \{'train': 'FILE'\}\}"),
        (ADA, "token", {}, NO_TOKENS),
        (Document([], [], "Ada sleeps"), "token", {}, NO_TOKENS),  # accuracy counts them all
        (ADA, "fair", {"unit": "token"}, NO_TOKENS),
        (Document(*ADA.sides), "wrf", {}, "words need the text, and this document has none: give"),
        (Document(*ADA.sides), "mentions", {}, "mentions need the text"),
        (ADA, "wrf", {"weights": {"A": 0.5, "combined": 0.5}},
            "metrics={'wrf': {'weights': ...}} has no weight for 'B', which occurs in "
            "the data; 0 leaves a class out"),
        *((Document([(0, 3, "combined")], [(0, 3, "A")], "Ada sleeps"), "wrf", {"weights": weights},
            "metrics={'wrf': {'weights': ...}}: 'combined' is a label in the data too; rename the label, or use strict "
            "or lenient") for weights in ({"A": 0.5, "combined": 0.5}, {"A": 1})),
    ],
    ids=["training data", "tokens", "tokens of no span", "tokens as units", "words", "a text", "weights of labels",
         "a label of this name", "a label of this name without weight"],
)  # fmt: skip
def test_what_a_metric_needs_of_a_document_is_said(document, name, options, said):
    with pytest.raises(ValueError, match=said):
        scored(document, name, **options)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("strict,bleu", "there is no metric 'bleu'; there are strict, "),
        ("strict,strict", "metrics=['strict', 'strict']: strict more than once"),
        (" , strict", "there is no metric ''; there are strict, "),
        ([], "metrics=[]: no metric is named; choose from strict, "),
        ({}, "metrics={}: no metric is named; choose from strict, "),
        (["strict", "bleu"], "there is no metric 'bleu'; there are strict, "),
        ({"loio": {"s": 7}}, "metrics={'loio': {'s': 7}}: "),
    ],
    ids=str,
)
def test_a_wrong_choice_of_metrics_is_refused(metrics, message):
    with pytest.raises(ValueError) as raised:
        score([Document([], [])], metrics)
    assert str(raised.value).startswith(message)


def test_a_metric_that_nothing_near_is_called_may_be_in_a_file_or_a_package_that_is_missing():
    for name, is_far in (("mine", True), ("strikt", False)):
        with pytest.raises(ValueError) as raised:
            create_all(name)
        remedy = "(in commands: --code FILE), and one of another package once that is installed"
        assert str(raised.value).endswith(remedy) == is_far


def test_metrics_are_chosen_by_name_or_with_options_and_the_six_of_the_papers_otherwise():
    assert [metric.name for metric in create_all()] == ALL
    assert [metric.name for metric in create_all(["fair", "strict"])] == ["fair", "strict"]
    assert [(m.name, m.settings) for m in create_all({"strict": None, "loio": {"s": 0}})] == [
        ("strict", {"beta": 1.0}),
        ("loio", {"s": 0.0, "match": "walk", "beta": 1.0}),
    ]


def test_an_option_that_is_given_for_a_metric_wins_over_that_of_its_set_whichever_comes_first():
    for metrics in ({"slot_error": {"slots": "entity"}, "muc": {}}, {"muc": {}, "slot_error": {"slots": "entity"}}):
        assert {m.name: m.settings.get("slots") for m in create_all(metrics)} == {
            "semeval": None,
            "slot_error": "entity",
        }


# What options change


# P 3/5 and R 3/4, if nothing but exact spans counts
UNEVEN = Document(
    gold=[(0, 3, "A"), (4, 10, "A"), (11, 14, "B"), (15, 18, "B")],
    pred=[(0, 3, "A"), (4, 10, "A"), (11, 14, "B"), (19, 22, "B"), (23, 29, "A")],
    text=TEXT,
    tokens=TOKENS,
)


# One pair for each kind of error: another label, the same label, another label and place
MIXED = Document(
    gold=[(0, 3, "A"), (4, 10, "A"), (15, 18, "A")],
    pred=[(0, 3, "B"), (4, 14, "A"), (15, 22, "B")],
    text=TEXT,
    tokens=TOKENS,
)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [*((name, "") for name in ("strict", "loio", "fair", "token", "char", "relaxed", "overlap"))]
    + [("semeval", f"{s}_") for s in ("strict", "exact", "partial", "type")],
)
@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_beta_weighs_recall_against_precision(name, prefix, beta):
    scores = scored(UNEVEN, name, beta=beta)["scores"]
    p, r, f = (scores[prefix + x] for x in "prf")
    assert p < r
    assert f == near((1 + beta**2) * p * r / (beta**2 * p + r))


def test_beta_changes_the_f_of_the_slot_error_and_not_the_rate():
    one, two = (scored(UNEVEN, "slot_error", beta=beta)["scores"] for beta in (1, 2))
    assert one["ser"] == two["ser"]
    assert two["f"] == near(5 * 0.6 * 0.75 / (4 * 0.6 + 0.75))


def test_a_table_of_weights_names_the_errors_that_differ_from_fair():
    n = dict.fromkeys(("tp", "fp", "fn", "le", "be_s", "be_l", "be_o", "lbe"), 1)
    scores = create("fair", weights={"le": {"tp": 1}, "lbe": {"fp": 1, "fn": 1}}).formula(n)
    tp, fp, fn = 1 + 1, 1 + 3 * 0.5 + 1, 1 + 3 * 0.5 + 1
    assert (scores["p"], scores["r"]) == (near(tp / (tp + fp)), near(tp / (tp + fn)))


def test_an_error_kind_that_a_table_leaves_out_costs_one():
    doc = Document([(0, 3, "A"), (4, 10, "A")], [(0, 3, "B"), (11, 14, "A")])  # a wrong type, a deletion, an insertion
    assert scored(doc, "slot_error", weights={"s_type": 0.25})["scores"]["ser"] == near(2.25 / 2)
    assert scored(doc, "slot_error", weights={"d": 0, "i": 3})["scores"]["ser"] == near(4 / 2)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("semeval", ("type_error", "extent_error", "both_error")),
        ("slot_error", ("s_type", "s_extent", "s_both")),
        ("fair", ("le", "be_l", "lbe")),
    ],
)
def test_focus_says_whose_label_a_pair_counts_for(name, kinds):
    for focus, labels in (("target", "AAA"), ("system", "BAB")):
        rows = scored(MIXED, name, focus=focus)["per_type"]
        for kind, expected in zip(kinds, labels):
            assert {label: row["counts"][kind] for label, row in rows.items()} == {"A": 0, "B": 0} | {expected: 1}


def test_a_document_sorts_its_spans_and_names_them_and_takes_whole_numbers_of_any_kind():
    doc = Document([[4, 10, "B"], (0, 3, "A"), (4, 10, "A")], [])
    assert doc.gold == (Span(0, 3, "A"), Span(4, 10, "A"), Span(4, 10, "B"))
    assert doc.gold[0].label == "A"
    numpy = pytest.importorskip("numpy")
    doc = Document([(numpy.int64(0), numpy.int32(3), "A")], [])
    assert [type(value) for value in doc.gold[0]] == [int, int, str]


# A third party adds a metric with one function, and all metrics document themselves


Worth = Annotated[float, Field(ge=0, le=1, description="what a span is worth that has a counterpart")]


def headcount(*, worth: Worth = 1.0) -> Metric:
    """As many predictions as gold spans are enough.

    Where they are is all the same to this metric.

    Source: nobody (2000), Counting heads.
    """
    return Metric(
        scores=(Score("p"), Score("r"), Score("f", headline=True, key="headcount_f")),
        columns={"gold": ("hit", "lost"), "pred": ("hit", "extra")},
        formula=partial(formula, worth=worth),
        hit="hit",
        miss="lost",
        spurious="extra",
    )


def formula(columns, worth):
    tp = worth * minimum(columns["gold"], columns["pred"])
    return prf(tp, columns["pred"] - tp, columns["gold"] - tp)


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    """What a user sees of the new metric, once it is registered."""
    before = names()
    registry.register("headcount", func=headcount)
    assert names() == [*before[:6], *sorted([*before[6:], "headcount"])]
    docs = [Document([(0, 1, "A"), (2, 3, "A")], [(0, 1, "A")], "a b c"), Document([], [(4, 5, "B")], "a b c")]
    assert "headcount" not in score(docs)["metrics"], "it is not run unless it is asked for"
    return score(docs, {"strict": {}, "headcount": {"worth": 0.5}})


def test_a_new_metric_is_scored_in_all_ways(result):
    metric = result["metrics"]["headcount"]
    assert metric["counts"] == {"gold": 2, "pred": 2}
    assert metric["scores"] == {"p": 0.5, "r": 0.5, "f": 0.5}
    assert metric["per_type"]["A"] == {"counts": {"gold": 2, "pred": 1}, "scores": {"p": 0.5, "r": 0.25, "f": 1 / 3}}
    assert metric["averages"]["macro"] == {"p": 0.25, "r": 0.25, "f": 1 / 6, "undefined": {"p": 0, "r": 1, "f": 0}}
    assert "confusion" not in metric


def test_the_options_of_a_new_metric_are_checked_signed_and_documented(result):
    assert result["metrics"]["headcount"]["settings"] == {"worth": 0.5}
    assert "|headcount:worth=0.5|" in result["signature"]
    with refused_with(
        ValueError,
        "metrics={'headcount': {'worth': 2}}: input should be less than or equal to 1",
    ):
        create("headcount", worth=2)
    with refused_with(ValueError, "headcount has no option 'patience'; its options are worth"):
        create("headcount", patience=1)
    about, (option,) = documentation("headcount"), options_of("headcount")
    assert about.summary == "As many predictions as gold spans are enough."
    assert about.details == "Where they are is all the same to this metric."
    assert about.source == "nobody (2000), Counting heads."
    assert (option.name, option.default, option.values) == ("worth", 1.0, "number >= 0, <= 1")
    assert option.help == "what a span is worth that has a counterpart"


# Every metric there is


@pytest.mark.parametrize("name", names())
def test_every_metric_says_what_is_true_of_it_and_where_it_comes_from(name):
    assert documentation(name).summary.endswith(".") and documentation(name).source


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option) for name in names() for option in options_of(name)],
    ids=lambda part: getattr(part, "name", part),
)
def test_every_option_has_help_a_range_and_a_default_that_it_accepts(name, option):
    assert option.help
    assert option.values != "any"
    assert create(name, **{option.name: option.default}).settings == create(name).settings


@pytest.mark.parametrize("none", [lambda kind: kind | None, lambda kind: kind])
def test_a_validator_is_seen_in_a_union_with_none(monkeypatch, none):
    """Python 3.10 makes such a union of every type whose default is None."""

    def make(*, limit=None): ...

    make.__annotations__ = {"limit": none(Annotated[int, Field(gt=3, description="a limit")])}
    monkeypatch.setattr(registry_module, "_load_metric", lambda name: make)
    (option,) = options_of.__wrapped__("made up")
    assert (option.help, option.values) == ("a limit", "whole number > 3")
    assert (option.check("made up", None), option.check("made up", "4")) == (None, 4)
    with refused_with(ValueError, "metrics={'made up': {'limit': 3}}: input should be greater than 3"):
        option.check("made up", 3)


def test_the_package_registers_a_file_for_each_metric_and_the_default_among_them():
    own = [e for e in distribution("spacy-nereval").entry_points if e.group == "spacy_nereval_metrics"]
    assert {e.name: e.value for e in own} == {e.name: f"spacy_nereval.metrics.{e.name}:{e.name}" for e in own}
    files = {path.stem for path in Path(spacy_nereval.metrics.__file__).parent.glob("[!_]*.py")}
    assert {e.name for e in own} == files - {"registry", "choosing"} >= set(DEFAULT)
