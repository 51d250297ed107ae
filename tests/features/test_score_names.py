"""Which score a name stands for: for every argument that names one, in three spellings, with one error."""

import pytest
from data_sets import comparison, row

from spacy_nereval import create_all
from spacy_nereval.evaluation.tested import Hypotheses, families, find_criterion, find_score
from spacy_nereval.features.gate.policy import Rule, rule_score
from spacy_nereval.features.gate.sample_size import add_questions
from spacy_nereval.features.leaderboard.datasets import data_sets

ALL = create_all(["all"])
TESTED = [
    (metric.name, score.name)
    for metric in ALL
    for score in metric.scores
    if score.key and not score.complement_of and score.unit != "count"
]
KEYS = {(metric.name, name): key for metric in ALL for key, name in metric.keys.items()}


def counted_by(name: str) -> tuple[str, str]:
    rows = [row(0.01, metric=metric, score=score, family="secondary") for metric, score in TESTED]
    found = data_sets({"news": comparison(*rows), "mail": comparison(*rows, documents=91)}, score=name)
    return found["metric"], found["score"]


def best_by(name: str) -> tuple[str, str]:
    wish = find_criterion(name, ALL)
    return wish.metric.name, wish.score.name


def ruled_by(name: str) -> tuple[str, str]:
    wish = rule_score(Rule("overall", "at_least", 80.0, name), ALL)
    return wish.metric.name, wish.score.name


def planned_by(name: str) -> tuple[str, str]:
    wish = rule_score(add_questions(None, name, 2, None).rules[0], ALL)
    return wish.metric.name, wish.score.name


def primary(name: str) -> tuple[str, str]:
    return next(key for key, family in families(ALL, name).items() if family == "primary")


def secondary(name: str) -> tuple[str, str]:
    return next(key for key, family in families(ALL, "wrf.wrf", [name]).items() if family == "secondary")


def signed(name: str) -> tuple[str, str]:
    asked = Hypotheses(name, [name]).resolve(ALL)
    assert asked.secondary == [asked.primary]
    metric, _, score = (asked.primary or "").partition(".")
    return metric, score


DOORS = (primary, secondary, signed, best_by, ruled_by, planned_by, counted_by)


@pytest.mark.parametrize("door", DOORS)
def test_every_argument_takes_all_three_spellings_of_every_score(door):
    assert len(TESTED) > 30
    for own in TESTED[:: len(TESTED) // 12]:
        if own != ("wrf", "wrf"):
            assert [door(name) for name in (".".join(own), "_".join(own), KEYS[own])] == [own] * 3


@pytest.mark.parametrize(
    ("door", "asked"),
    [
        (primary, "primary='fair_g'"),
        (secondary, "secondary='fair_g'"),
        (signed, "primary='fair_g'"),
        (best_by, "best='fair_g'"),
        (ruled_by, "rule overall: score 'fair_g'"),
        (planned_by, "score='fair_g'"),
        (counted_by, "score='fair_g'"),
    ],
)
def test_a_name_of_no_score_has_one_error_with_the_nearest_name(door, asked):
    said = r": there is no such score( in news)?; expected METRIC.SCORE, one of .*, or a score key such as fair_f"
    with pytest.raises(ValueError, match=f"^{asked}{said}: did you mean 'fair_"):
        door("fair_g")


def test_a_metric_of_another_package_is_named_by_its_scores():
    rows = [row(0.01, metric="not_registered", score="f")]
    given = {"news": comparison(*rows), "mail": comparison(*rows, documents=91)}
    for name in ("not_registered.f", "not_registered_f"):
        assert data_sets(given, score=name)["metric"] == "not_registered"


def test_a_whole_name_comes_before_a_score_key_and_a_score_key_before_joined_names():
    known = {("a", "b_c"): None, ("a_b", "c"): None, ("x", "y"): "a_b_c"}
    assert find_score("", "a_b_c", known) == ("x", "y")
    assert find_score("", "a.b", {("x", "y"): "a.b", ("a", "b"): None}) == ("a", "b")
    with pytest.raises(ValueError, match="no such score"):
        find_score("", "", {("x", "y"): "", ("a", "b"): None})
