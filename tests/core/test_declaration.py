"""A declaration that contradicts itself is refused, with what is wrong and where; and what betas at the ends give."""

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from asking import made, near, refusal
from hypothesis import given
from laws import CONTRACT
from profiles import tries
from refusals import refused_with
from strategies import corpora

from spacy_nereval import Document, Metric, Score, Verdict, count, create, create_all, evaluate, names
from spacy_nereval.authoring import Span, one_each, prf_scores, ratio
from spacy_nereval.core.declaration import GOLD_SPANS, PRED_SPANS, Classes, Kind
from spacy_nereval.core.formulas import f_score, prf
from spacy_nereval.evaluation.error_list import ErrorExamples, error_list
from spacy_nereval.metrics.registry import options_of

COLUMNS = one_each("tp", "fp", "fn")


def formula(columns: Any) -> dict[str, Any]:
    return {"n": columns["tp"]}


def judge(group: Any) -> list[Verdict]:
    return []


def metric(**fields: Any) -> Metric:
    """A metric that is right but for these fields."""
    return Metric(**{"scores": (Score("n", unit="count"),), "columns": COLUMNS, "formula": formula} | fields)


NOTES = {"note": lambda document, span: "", "resolve": lambda verdicts, notes: [*verdicts]}
N, OTHER_N, M = Score("n"), Score("n"), Score("m")
OVERALL = Classes(scores=(N,), overall=lambda scores, weights: {}, weights=lambda labels, breakdown: np.ones(1))
ADDED_UP = "which no column adds up; the columns add up fn, fp, tp"
NO_COLUMN = "the column 'hits', which is not declared; declared are tp, fp, fn"
BOTH = "note and resolve belong together: declare both or neither"


def asks(*columns: str) -> Any:
    """A formula that returns columns under the names of scores."""
    return lambda given: dict(zip("nm", (given[column] for column in columns)))


CHAINS = (
    'a metric with chains has the scope "document" and judges spans alone: leave out note, tokens, text and '
    "attributes, or leave out chains"
)

CONTRADICTIONS = [
    ({"scope": "document"}, 'a metric of scope="document" needs a judge'),
    (NOTES | {"judge": judge}, 'a metric with a note judges whole documents: declare scope="document"'),
    ({"chains": True, "judge": judge}, CHAINS),
    ({"chains": True, "judge": judge, "scope": "document", "text": True}, CHAINS),
    ({"note": NOTES["note"], "judge": judge, "scope": "document"}, BOTH),
    ({"resolve": NOTES["resolve"]}, BOTH),
    ({"partial_credit": ("half",)}, f"partial_credit names the verdict 'half', {ADDED_UP}"),
    ({"correct": ("tp", "right")}, f"correct names the verdict 'right', {ADDED_UP}"),
    ({"scores": (N, M, OTHER_N)}, "the score 'n' is declared twice"),
    ({"scores": (Score("n", key="k"), Score("m", key="k"))}, "the score key 'k' is declared twice"),
    ({"scores": (Score("n", group="g"), Score("m", group="g"))}, "the group 'g' has 2 scores; declare P, R and F"),
    ({"scores": (*prf_scores("g"), Score("n", group="g"))}, "the group 'g' has 4 scores; declare P, R and F"),
    ({"scores": (Score("n", complement_of="m"),)}, "'n' is the complement of 'm', which is not declared"),
    ({"formula": asks("hits")}, f"the formula asks for {NO_COLUMN}"),
    ({"details": asks("hits")}, f"details asks for {NO_COLUMN}"),
    ({"formula": asks("tp", "fp")}, "the formula returns m, n; the declared scores are n"),
    ({"formula": asks()}, "the formula returns nothing; the declared scores are n"),
    ({"scores": ()}, "the formula returns n; the declared scores are none"),
    ({"classes": replace(OVERALL, scores=(M,))}, "the formula returns n; the declared scores are m"),
    ({"classes": replace(OVERALL, scores=(N, OTHER_N))}, "the score 'n' is declared twice"),
    ({"columns": ["tp"]}, "columns is ['tp']: expected a table, such as one_each('tp', 'fp')"),
    ({"columns": {"tp": "tp"}}, "the column 'tp' adds up 'tp': expected a tuple of verdicts, ('tp',)"),
    ({"formula": lambda columns: None}, "the formula returns None: expected a dict of names to numbers"),
    ({"formula": lambda columns: {"n": "x"}}, "the formula returns 'x' as n: expected numbers"),
    (
        {"formula": lambda columns: {"n": 1 / 0}},
        "the formula fails where all columns are 0 (ZeroDivisionError: division by zero): "
        "divide with ratio, for which 0/0 is NaN",
    ),
    ({"scores": (), "formula": asks()}, "no score is declared: declare those that the formula returns"),
]


@pytest.mark.parametrize(("fields", "said"), CONTRADICTIONS)
def test_a_declaration_that_contradicts_itself_is_refused_with_what_is_wrong(fields, said):
    metric()
    assert refusal(metric, **fields) == said


@pytest.mark.parametrize("unit", ["percent", "", None])
def test_a_unit_that_no_report_can_show_is_refused(unit):
    assert refusal(Score, "n", unit=unit) == f"score 'n' has the unit {unit!r}; use 'ratio', 'count' or 'raw'"


def test_what_is_replaced_is_checked_too():
    assert "no column adds up" in refusal(replace, create("strict"), correct=("tp", "half"))


def test_all_registered_metrics_have_keys_of_their_own():
    assert len(create_all({name: {} for name in names()})) == len(names())
    keys = [key for name in names() for key in create(name).keys]
    assert len(keys) == len({*keys}) > len(names())


# What follows from a declaration


def test_the_verdicts_are_those_that_are_added_up_shown_or_passed_on_single_spans():
    def declared(**fields: Any) -> tuple[str, ...]:
        columns = {"n": ("a", "b", Kind.MISS), "m": ("b",)}
        return metric(columns=columns, formula=lambda c: {"n": c["n"]}, judge=judge, **fields).verdict_names

    assert declared() == ("a", "b", "tp", "fn", "fp")
    assert declared(scope="document", confusion=("c", "a")) == ("a", "b", "c")
    assert declared(hit="a", miss="lost", spurious="b") == ("a", "b", "lost")


def test_without_a_judge_spans_in_groups_are_missed_and_spurious():
    kinds = {Kind.HIT: "tp", Kind.MISS: "fn", Kind.SPURIOUS: "fp"}
    assert metric(judge=judge).of_kind == kinds
    assert metric().of_kind == kinds | {Kind.GROUP_GOLD: "fn", Kind.GROUP_PRED: "fp"}
    assert metric(judge=judge, scope="document").of_kind == {}


def test_the_formula_gets_the_numbers_of_spans_besides_its_columns():
    asking = metric(formula=lambda columns: {"n": columns["gold_spans"] - columns["pred_spans"]})
    assert {*asking.columns} == {"tp", "fp", "fn"}
    assert {kind.value for kind in GOLD_SPANS} == {"hit", "miss", "group_gold"}
    assert {kind.value for kind in PRED_SPANS} == {"hit", "spurious", "group_pred"}


@pytest.mark.parametrize("name", names())
def test_every_metric_has_a_headline_with_a_score_key_and_says_what_is_correct(name):
    made = create(name)
    assert made.headlines
    assert made.label_headlines
    assert all(score.key for score in made.headlines)
    assert {*made.correct_verdicts} <= {*made.verdict_names}
    assert all(score.limits[0] < score.limits[1] for score in made.score_by_name.values())


# Beta at its ends: 0 gives precision, infinity gives recall


WITH_BETA = [name for name in names() if "beta" in {option.name for option in options_of(name)}]


def groups(metric: Metric) -> list[tuple[str, ...]]:
    """The names of precision, recall and F of each group."""
    found: dict[str, list[str]] = {}
    for score in metric.scores:
        if score.group:
            found.setdefault(score.group, []).append(score.name)
    return [tuple(each) for each in found.values()]


@pytest.mark.parametrize("name", WITH_BETA)
@tries(40)
@given(corpus=corpora())
def test_beta_0_gives_precision_and_infinity_recall(name, corpus):
    """But where only one side has spans, and F is 0, while one of the two is undefined."""
    for beta, place in ((0, 0), (1e-200, 0), (1e155, 1), (1e200, 1), (math.inf, 1)):
        metric = made(name, beta=beta)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = evaluate(count(corpus, [metric]))["metrics"][name]
        for scores in (found["scores"], *(row["scores"] for row in found["per_type"].values())):
            for p, r, f in groups(metric):
                ends = scores[p], scores[r]
                if ends == (None, None):
                    assert scores[f] is None
                else:
                    assert scores[f] == near(0 if None in ends or 0 in ends else ends[place]), (beta, f)
        if name == "slot_error":
            counts = found["counts"]
            c, s = counts["c"], counts["s_type"] + counts["s_extent"] + counts["s_both"]
            wholes = c + s + counts["i"], c + s + counts["d"]
            if not any(wholes):
                assert found["scores"]["f"] is None
            else:
                assert found["scores"]["f"] == near(c / wholes[place] if c else 0)
                assert found["scores"]["e"] == near(1 - found["scores"]["f"])


def test_every_metric_with_beta_is_tried_so():
    assert {*WITH_BETA} >= {"strict", "semeval", "slot_error", "loio", "fair", "token", "char", "relaxed", "overlap"}
    assert all(groups(create(name)) for name in WITH_BETA if name != "slot_error")
    assert {*WITH_BETA} <= CONTRACT.keys()


@pytest.mark.parametrize("beta", [0, 1e-200, 1e-155, 0.5, 1, 2, 1e155, 1e200, math.inf])
@pytest.mark.parametrize(("tp", "fp", "fn"), [(3, 1, 2), (0, 0, 0), (0, 2, 0), (0, 0, 2), (0, 1, 1), (0.5, 0.25, 0)])
def test_prf_at_any_beta_lies_between_p_and_r(beta, tp, fp, fn):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = {key: float(value) for key, value in prf(tp, fp, fn, beta).items()}
        from_both = float(f_score(one["p"], one["r"], beta))
    if tp:
        assert min(one["p"], one["r"]) - 1e-15 <= one["f"] <= max(one["p"], one["r"]) + 1e-15
    elif fp or fn:
        assert one["f"] == 0
    else:
        assert math.isnan(one["f"])
    assert from_both == pytest.approx(one["f"], abs=1e-15, nan_ok=True)


# What authors of metrics get wrong: every error names the metric, the verdict and the remedy


GOLD, PRED = Span(0, 5, "A"), Span(0, 4, "A")
DOCUMENT = Document([GOLD, (8, 9, "A")], [PRED], "Ada Lovelace")


def own(*verdicts: Any, key: str | None = "own", **fields: Any) -> Metric:
    """A metric whose judge passes these verdicts on every group."""
    usual = {
        "scores": (Score("own", headline=True, key=key),),
        "columns": one_each("half", "tp", "fp", "fn"),
        "formula": lambda columns: {"own": ratio(columns["half"], columns["gold_spans"])},
        "judge": lambda group: list(verdicts),
        "name": "own",
    }
    return Metric(**usual | fields)


NO_VERDICT = "which is not a verdict: expected Verdict(name, gold, pred)"
DECLARED = "which it does not declare; declared are half, tp, fp, fn. Add it to the columns, or to confusion"

NO_SPAN = "expected a span of the document"
NO_AMOUNT = "expected a number; 1 is usual"

WRONG = [
    (("half", GOLD), f"own passes ('half', Span(start=0, end=5, label='A')), {NO_VERDICT}"),
    (("half", GOLD, PRED), NO_VERDICT),
    (("half", GOLD, PRED, 1, 2), NO_VERDICT),
    *((each, f"own passes {each!r}, {NO_VERDICT}") for each in ("half", None, 3)),
    *((Verdict(name, GOLD, PRED), f"own passes the verdict {name!r}, {DECLARED}") for name in ("what", None, ["half"])),
    (Verdict("half", (0, 5), None), f"own passes the verdict 'half' with gold = (0, 5): {NO_SPAN}"),
    (Verdict("half", None, "ab"), f"own passes the verdict 'half' with pred = 'ab': {NO_SPAN}"),
    *(
        (Verdict("half", GOLD, PRED, amount), f"own gives half the amount {amount!r}: {NO_AMOUNT}")
        for amount in ("1", None, 1j, [1])
    ),
]


@pytest.mark.parametrize("scope", ["group", "document"])
@pytest.mark.parametrize(("verdict", "said"), WRONG, ids=[repr(verdict)[:40] for verdict, _ in WRONG])
def test_a_verdict_that_cannot_be_counted_is_named_with_the_remedy(verdict, said, scope):
    metric = own(verdict, scope=scope)
    for use in (
        lambda: count([DOCUMENT], [metric]),
        lambda: [*metric.verdicts(DOCUMENT)],
        lambda: [*error_list([DOCUMENT], metric)],
        lambda: ErrorExamples(metric).add(DOCUMENT),
    ):
        assert said in refusal(use)


@pytest.mark.parametrize("scope", ["group", "document"])
def test_a_judge_that_returns_nothing_or_another_span_is_named(scope):
    metric = own(judge=lambda document: None, scope=scope)
    for use in (lambda: count([DOCUMENT], [metric]), lambda: [*metric.verdicts(DOCUMENT)]):
        with refused_with(
            ValueError,
            "the judge of own returns None: let it yield verdicts, or return a list",
        ):
            use()
    with refused_with(
        ValueError,
        "own passes Verdict(name='half', gold=Span(start=0, end=5, label='Z'), p... (79 characters) "
        "on a span with a label that no span of the document has: give the verdict a span of the "
        "document",
    ):
        count([DOCUMENT], [own(Verdict("half", Span(0, 5, "Z"), None), scope=scope)])


def test_an_error_of_the_judge_itself_is_left_as_it_is():
    def judge(group: Any) -> Iterator[Verdict]:
        yield Verdict("half", {}["oops"], None)

    with pytest.raises(KeyError, match="oops"):
        count([DOCUMENT], [own(judge=judge)])


@pytest.mark.parametrize("amount", [1, True, 1.0, np.int64(1), np.float32(1), Fraction(1)], ids=repr)
@pytest.mark.parametrize("make", [Verdict, lambda *parts: parts], ids=["verdict", "tuple"])
def test_amounts_of_every_kind_of_number_count(make, amount):
    metric = own(make("half", (0, 5, "A"), None, amount))
    assert evaluate(count([DOCUMENT], [metric]))["metrics"]["own"]["scores"] == {"own": 0.5}
    assert [v for v in metric.verdicts(DOCUMENT) if v.name == "half"] == [Verdict("half", GOLD, None, 1)]


@pytest.mark.parametrize("key", ["p", "r", "f", "per_type", "nereval"])
def test_keys_of_spacys_own_scores_and_of_the_result_are_refused(key):
    with pytest.raises(ValueError, match=f"score 'own' has the key '{key}', which .* has: choose another"):
        own(key=key)


UNLIKELY_TOGETHER = [
    ([own(), own(name="other")], "own and other both have the score key 'own': rename one"),
    ([own(name="strict"), create("strict")], "two metrics have the name 'strict': count one at a time, or rename"),
    ([replace(own(), name="")], "a metric has no name: make it with create, or give it one with replace"),
]


@pytest.mark.parametrize(("metrics", "said"), UNLIKELY_TOGETHER)
def test_metrics_that_do_not_go_together_are_refused_whichever_way_they_are_given(metrics, said):
    assert said in refusal(count, [DOCUMENT], metrics)
