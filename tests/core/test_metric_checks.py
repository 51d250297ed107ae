"""What authors of metrics get wrong: every error names the metric, the verdict and the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from spacy_nereval import Document, count, create, evaluate
from spacy_nereval.authoring import Metric, Score, Span, Verdict, one_each, ratio
from spacy_nereval.core.metric_checks import is_number
from spacy_nereval.evaluation.error_list import ErrorExamples, error_list

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

WRONG = [
    (("half", GOLD), f"own passes ('half', Span(start=0, end=5, label='A')), {NO_VERDICT}"),
    (("half", GOLD, PRED), NO_VERDICT),
    (("half", GOLD, PRED, 1, 2), NO_VERDICT),
    ("half", f"own passes 'half', {NO_VERDICT}"),
    (None, f"own passes None, {NO_VERDICT}"),
    (3, f"own passes 3, {NO_VERDICT}"),
    (Verdict("what", GOLD, PRED), f"own passes the verdict 'what', {DECLARED}"),
    (Verdict(None, GOLD, PRED), f"own passes the verdict None, {DECLARED}"),
    (Verdict(["half"], GOLD, PRED), f"own passes the verdict ['half'], {DECLARED}"),
    (
        Verdict("half", (0, 5), None),
        "own passes the verdict 'half' with gold = (0, 5): expected a span of the document",
    ),
    (Verdict("half", None, "ab"), "own passes the verdict 'half' with pred = 'ab': expected a span of the document"),
    (Verdict("half", GOLD, PRED, "1"), "own gives half the amount '1': expected a number; 1 is usual"),
    (Verdict("half", GOLD, PRED, None), "own gives half the amount None: expected a number; 1 is usual"),
    (Verdict("half", GOLD, PRED, 1j), "own gives half the amount 1j: expected a number; 1 is usual"),
    (Verdict("half", GOLD, PRED, [1]), "own gives half the amount [1]: expected a number; 1 is usual"),
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
        with pytest.raises(ValueError) as raised:
            use()
        assert said in str(raised.value)


def test_a_span_that_is_not_in_the_document_is_named():
    with pytest.raises(ValueError, match="a span whose label no span of the document has: give the verdict a span of"):
        count([DOCUMENT], [own(Verdict("half", Span(0, 5, "Z"), None))])


@pytest.mark.parametrize("scope", ["group", "document"])
def test_a_judge_that_returns_nothing_is_named(scope):
    metric = own(judge=lambda document: None, scope=scope)
    for use in (lambda: count([DOCUMENT], [metric]), lambda: [*metric.verdicts(DOCUMENT)]):
        with pytest.raises(ValueError) as raised:
            use()
        assert str(raised.value) == "the judge of own returns None: let it yield verdicts, or return a list"


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


def test_half_credits_count_half_if_they_are_declared_and_are_refused_otherwise():
    credit = Verdict("half", GOLD, PRED, 0.5)
    documents = [DOCUMENT, Document([GOLD], [PRED])]
    found = evaluate(count(documents, [own(credit, partial_credit=("half",))]))["metrics"]["own"]
    assert (found["counts"]["half"], found["scores"]["own"], found["averages"]["docs"]["own"]) == (1.0, 1 / 3, 0.375)
    with pytest.raises(ValueError, match=r"own gives half the amount 0.5.* declare partial_credit=\('half',\)"):
        count(documents, [own(credit)])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"columns": ["half"]}, "columns is ['half']: expected a table, such as one_each('tp', 'fp')"),
        ({"columns": {"half": "half"}}, "the column 'half' adds up 'half': expected a tuple of verdicts, ('half',)"),
        ({"formula": lambda columns: None}, "the formula returns None: expected a dict of names to numbers"),
        ({"formula": lambda columns: {"own": "x"}}, "the formula returns 'x' as own: expected numbers"),
        (
            {"formula": lambda columns: {"own": 1 / 0}},
            "the formula fails where all columns are 0 (ZeroDivisionError: division by zero): "
            "divide with ratio, for which 0/0 is NaN",
        ),
        ({"scores": (), "formula": lambda columns: {}}, "no score is declared: declare those that the formula returns"),
    ],
)
def test_a_declaration_that_cannot_work_is_refused(fields, said):
    with pytest.raises(ValueError) as raised:
        own(**fields)
    assert str(raised.value) == said


@pytest.mark.parametrize("key", ["p", "r", "f", "per_type", "nereval"])
def test_keys_of_spacys_own_scores_and_of_the_result_are_refused(key):
    with pytest.raises(ValueError, match=f"score 'own' has the key '{key}', which .* has: choose another"):
        own(key=key)


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ([own(), own(name="other")], "own and other both have the score key 'own': rename one"),
        ([own(name="strict"), create("strict")], "two metrics have the name 'strict': count one at a time, or rename"),
        ([replace(own(), name="")], "a metric has no name: make it with create, or give it one with replace"),
    ],
)
def test_metrics_that_do_not_go_together_are_refused_whichever_way_they_are_given(metrics, said):
    with pytest.raises(ValueError) as raised:
        count([DOCUMENT], metrics)
    assert said in str(raised.value)


def test_what_is_a_number():
    assert is_number(np.float64("nan")) and not is_number("nan")
