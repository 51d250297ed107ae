"""Plans: how many documents decide a rule, against real gates on documents drawn again and again."""

import json
from collections import Counter
from math import ceil
from operator import ne
from pathlib import Path

import numpy as np
import pytest
from commands import accepted, line, printed, write
from scipy.stats import chi2, t
from twin_statistics import kish, rare_interval

from spacy_nereval import Confidence, Document, Plan, compare, count, create, create_all, evaluate, plan
from spacy_nereval.evaluation.comparison import System
from spacy_nereval.evaluation.intervals import run_intervals
from spacy_nereval.evaluation.variance import influences
from spacy_nereval.features.gate import sample_size
from spacy_nereval.features.gate.gate_rules import judge_candidate, units_to_decide
from spacy_nereval.features.gate.gate_view import PlanView
from spacy_nereval.features.gate.policy import DIFFERENCE, Policy, Rule
from spacy_nereval.features.gate.sample_size import (
    add_questions,
    answer_rate,
    make_pilot,
    make_questions,
    plan_documents,
    sizes_between,
    units_interval,
    units_needed,
)

METRICS = create_all(["strict", "slot_error"])

RULES = (
    Rule("overall", "at_least", 82, "strict_f"),
    Rule("label", "at_least", 75, "strict_r", label="A"),
    Rule("errors", "at_most", 35, "slot_error.ser"),
    Rule("worse", "worse_by_at_most", 8, "strict_f"),
    Rule("rate", "rate_between", (0.6, 0.97)),
)
COST = Rule("cost", "worse_by_at_most", 9, "slot_error.ser")
OF_A = Rule("of A", "worse_by_at_most", 9, "strict_f", label="A")


def corpus(seed: int, documents: int) -> tuple[list[Document], list[Document]]:
    """Documents with the predictions of two systems, whose errors come in clusters."""
    random, sides = np.random.default_rng(seed), ([], [])
    for number in range(documents):
        gold = [(k, k + 1, "AB"[k % 2]) for k in range(1 + random.poisson(2))]
        luck = random.random((3, len(gold)))
        for side, chance in zip(sides, (0.9, 0.85)):
            own = np.where(luck[0] < 0.5, luck[1], random.random(len(gold)))
            found = [span for span, u in zip(gold, own) if u < chance * (1 - 0.4 * (number % 3 == 0))]
            side.append(Document(gold, found + [(90, 91, "A")] * (number % 7 == 0), id=str(number)))
    return sides


def judged(documents):
    return System("s", count(documents, METRICS))


def questions(rules=RULES, seed=1, documents=60):
    baseline, candidate = map(judged, corpus(seed, documents))
    return make_questions(Policy(rules), candidate, baseline)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("number", [30, 80])
def test_simulated_corpora_answer_as_often_as_corpora_that_are_drawn_counted_and_judged(number):
    """The brute force: documents of the pilot are drawn with replacement, and the gate itself judges them."""
    sides, random, rounds = corpus(1, 60), np.random.default_rng(number), 100
    found = questions()
    simulated = np.array([answer_rate(question, number) for question in found])
    hits = np.zeros(len(RULES))
    for _ in range(rounds):
        drawn = random.integers(0, 60, number)
        again = [[Document(*side[k].sides, id=str(n)) for n, k in enumerate(drawn)] for side in sides]
        rows = judge_candidate(Policy(RULES), judged(again[1]), judged(again[0]))["rules"]
        hits += [row["verdict"] == ("met" if each.is_allowed else "broken") for row, each in zip(rows, found)]
    assert simulated.min() < 0.6 and simulated.max() > 0.4  # nothing would be shown by certainties alone
    error = np.sqrt(simulated * (1 - simulated) / rounds)
    assert (np.abs(hits / rounds - simulated) <= 3 * error + 0.03).all()


@pytest.mark.slow
def test_influences_are_those_of_the_intervals():
    """Their variance is that which `score --confidence` has, and of a difference that of documents left out of both."""
    sides = corpus(2, 12)
    baseline, candidate = (count(side, METRICS) for side in sides)
    for question in questions(seed=2, documents=12):
        rule = question.rule
        compared = rule.kind == "worse_by_at_most"
        pilot = make_pilot(question.subject, candidate, baseline if compared else None)
        left = []
        for k in range(12):
            rest = [side[:k] + side[k + 1 :] for side in sides]
            counts = [count(each, METRICS) for each in rest]
            left.append(make_pilot(question.subject, counts[1], counts[0] if compared else None).value)
        by_hand = influences([pilot.value], [0] * 12, left, 12)
        assert (pilot.influence**2).sum() / (12 * 11) == pytest.approx(by_hand.variance[0], rel=1e-9)
        assert pilot.influence.sum() == pytest.approx(0, abs=1e-9)
        if rule.kind == "rate_between":
            assert sorted(zip(*pilot.sides)) == sorted((bool(d.pred), True) for d in sides[1])


def test_the_number_needed_is_where_four_of_five_are_answered():
    for question in questions():
        needed = units_needed(question)
        assert needed is not None
        assert answer_rate(question, needed, seed=7) == pytest.approx(0.8, abs=0.05) or needed < 20
        assert answer_rate(question, 4 * needed, seed=7) > 0.98
        assert answer_rate(question, max(6, needed // 4), seed=7) < 0.7


@pytest.mark.slow
def test_a_larger_margin_needs_fewer_and_the_formula_of_the_gate_is_near():
    baseline, candidate = map(judged, corpus(3, 80))
    rules = [Rule(str(bound), "worse_by_at_most", bound, "strict_f") for bound in (20, 14, 10)]
    result = plan_documents(Policy((*rules, Rule("f", "at_least", 70, "strict_f"))), candidate, baseline)
    needed = [row["units_needed"] for row in result["questions"][:3]]
    assert needed[0] < needed[1] < needed[2] and Plan(result).headline.name == "10"
    found, cost = (judge_candidate(Policy((rule,)), candidate, baseline)["rules"][0] for rule in (rules[2], COST))
    asked = plan_documents(Policy((COST, OF_A)), candidate, baseline)["questions"]
    assert asked[0]["value"] == pytest.approx(cost["value"])
    hits = [[Counter(span in d.gold for span in d.pred if span.label == "A") for d in side] for side in corpus(3, 80)]
    assert asked[1]["differing"] == sum(map(ne, *hits)) < asked[0]["differing"]
    formula = units_to_decide(40, (found["value"], *found["interval"]), -0.1, np.inf)
    assert formula is None or formula * 2 == pytest.approx(needed[2], rel=0.35)


@pytest.mark.slow
def test_a_rule_of_a_family_needs_more_documents_to_be_broken_and_no_more_to_be_met():
    """The gate calls it broken only at the level of all rules of its family."""
    candidate = judged(corpus(1, 60)[1])
    for bound, more in ((95, True), (60, False)):
        rules = tuple(Rule(name, "at_least", bound, "strict_f") for name in "abcde")
        alone, (first, *_) = (
            plan_documents(Policy(rules, families=each), candidate)["questions"] for each in ({}, {"f": tuple("abcde")})
        )
        assert (first["units_needed"] > alone[0]["units_needed"]) == more
        assert more or first == alone[0]
    questions = make_questions(Policy(rules[:2], families={"f": ("a", "b")}), candidate)
    assert [question.level for question in questions] == [0.95, 0.95]


def test_at_the_bound_no_number_answers_and_wrong_answers_are_rare():
    (question,) = questions((RULES[3],))
    at_bound = question._replace(value=question.least)
    assert units_needed(at_bound) is None
    assert answer_rate(question._replace(least_units=50), 45) == 0 < answer_rate(question, 45)
    for number in (50, 400):
        assert answer_rate(at_bound, number) < 0.08  # "met" although the rule holds by no margin


def test_what_a_pilot_cannot_tell_has_no_number():
    gold = [(0, 3, "A")]
    same = [Document(gold, gold, id=str(k)) for k in range(40)]
    nearly = [Document(gold, gold if k > 2 else [], id=str(k)) for k in range(40)]
    rules = (
        Rule("alike", "worse_by_at_most", 5, "strict_f"),
        Rule("nearly", "worse_by_at_most", 9, "strict_f"),
        Rule("absent", "at_least", 50, "strict_f", label="B"),
        Rule("fine", "at_least", 50, "strict_f"),
    )
    result = plan_documents(add_questions(Policy(rules), "strict_f", 5, None), judged(nearly), judged(same))
    by_name = {row["name"]: row for row in result["questions"]}
    assert [name for name, row in by_name.items() if row["units_needed"] is None] == ["alike", "absent", DIFFERENCE]
    ours, theirs = (count(documents, create_all(["strict"])) for documents in (nearly, same))
    losses = -make_pilot(
        make_questions(Policy(rules), judged(nearly), judged(same))[0].subject, ours, theirs
    ).contributions
    assert len(losses) == 3
    needed = next(k for k in range(40, 1000) if -rare_interval((-losses).tolist(), k, 0.9)[0] <= 0.09)
    assert by_name["nearly"]["units_needed"] == -(-needed * 40 // by_name["nearly"]["effective_units"])
    assert (by_name["nearly"]["differing"], by_name["nearly"]["units_between"]) == (3, None)
    assert all(row["few"] and row["curve"][0]["answered"] is None for name, row in by_name.items() if name != "fine")
    view = PlanView(result)
    assert view.headline().endswith(
        "are enough for each of the others in 80 % of samples; no number can be given for alike, absent, difference"
    )
    closing = " ".join(view.closing())
    assert "alike: in this score the systems differ in 3 documents, too few to say how much they vary." in closing
    assert "nearly: in this score the systems differ in 3 documents of the pilot. With the number needed" in closing
    assert "absent: there are no such spans in the pilot" in closing
    assert plan_documents(Policy(rules[3:], least_units=50), judged(nearly))["questions"][0]["few"]
    few = plan_documents(Policy(rules[3:]), judged(nearly[:4]))
    assert "the pilot has effectively 2.6" in " ".join(PlanView(few).closing()) or few["questions"][0]["few"]


def test_the_range_is_that_of_a_variance_and_of_a_value_known_from_a_small_pilot():
    """With f degrees of freedom a variance is between f/χ²(.05) and f/χ²(.95) times what was found."""
    baseline, candidate = map(judged, corpus(1, 60))
    (row,) = plan_documents(add_questions(None, "strict_f", 4, None), candidate, baseline)["questions"]
    f, needed = row["freedom"], row["units_needed"]
    ends = [-(-needed * f // chi2.ppf(tail, f)) for tail in (0.95, 0.05)]
    assert row["units_between"] == ends
    sizes = [each["units"] for each in row["curve"]]
    assert sizes[0] <= min(needed, 60) / 2 and sizes[-1] >= max(needed, 60)
    rule = Rule("overall", "at_least", 65, "strict_f")
    (row,) = plan_documents(Policy((rule,)), candidate)["questions"]
    low, high = row["units_between"]
    (judgement,) = judge_candidate(Policy((rule,)), candidate)["rules"]
    f, needed = row["freedom"], row["units_needed"]
    gap, near, far = (abs(value - 0.65) for value in (row["value"], *judgement["interval"]))
    spread = [np.log(f / chi2.ppf(tail, f)) for tail in (0.95, 0.05)]
    assert low == -(-needed // np.exp(np.hypot(spread[0], 2 * np.log(far / gap))))
    assert high == -(-needed * np.exp(np.hypot(spread[1], 2 * np.log(gap / near))) // 1)
    assert low < needed < high


def test_there_is_no_upper_limit_where_the_interval_of_the_pilot_holds_the_bound():
    candidate = judged(corpus(1, 60)[1])
    result = plan_documents(Policy(RULES[:1]), candidate)
    (row,), (judgement,) = result["questions"], judge_candidate(Policy(RULES[:1]), candidate)["rules"]
    assert judgement["verdict"] == "undecided" and row["units_between"][1] is None
    assert Plan(result).headline.interval == (row["units_between"][0], np.inf)
    view = PlanView(result)
    assert f"{row['units_between'][0]:,} or more, no upper limit" in next(view.units_needed()).rows[0]
    assert "There is no upper limit where" in " ".join(view.closing())


def test_the_range_of_a_rule_by_hand():
    assert units_interval(120, 0.56, 0.5, (0.52, 0.60), 19) == pytest.approx((39.112, 1180.05), rel=1e-5)
    assert units_interval(120, 0.44, 0.5, (0.40, 0.48), 19) == pytest.approx((39.112, 1180.05), rel=1e-5)
    low, high = units_interval(120, 0.56, 0.5, (0.49, 0.63), 19)
    assert (low, high) == (pytest.approx(23.896, abs=5e-4), np.inf)


# How many documents make an interval narrow


def half_width_of(side: list[Document], copies: int, metric: str, score: str, label: str | None = None) -> float:
    """Half the width of the interval of so many copies of the documents, in points."""
    documents = [Document(*each.sides, id=f"{each.id} {copy}") for copy in range(copies) for each in side]
    rows = run_intervals([count(documents, METRICS)], Confidence()).metrics[metric]
    row = rows["scores"][score] if label is None else rows["per_type"][label][score]
    return 50 * (row["high"] - row["low"])


@pytest.mark.slow
@pytest.mark.parametrize("points", [1, 2, 3])
@pytest.mark.parametrize(("metric", "score"), [("strict", "f"), ("strict", "p"), ("slot_error", "ser")])
def test_so_many_copies_of_the_pilot_have_an_interval_as_narrow_as_was_asked(metric, score, points):
    """Copies have the pilot's variance and nothing else; the plan is right to one copy of 60 documents."""
    candidate = corpus(3, 60)[1]
    policy = add_questions(None, f"{metric}.{score}", None, points)
    (row,) = plan_documents(policy, judged(candidate))["questions"]
    copies = row["units_needed"] / 60
    assert half_width_of(candidate, ceil(copies) + 1, metric, score) <= points * 1.01
    assert half_width_of(candidate, int(copies), metric, score) >= points * 0.95
    assert row["documents_needed"] == row["units_needed"]
    assert row["units_between"][0] < row["units_needed"] < row["units_between"][1]


def test_the_units_for_a_half_width_are_those_of_the_formula():
    """The variance of the score, by leaving each document out with the formula of F alone."""
    candidate, score = corpus(3, 60)[1], create("strict")
    whole = evaluate(count(candidate, [score]))["metrics"]["strict"]["scores"]["f"]
    left = [evaluate(count([d for d in candidate if d is not out], [score]))["metrics"]["strict"]["scores"]["f"]
            for out in candidate]  # fmt: skip
    z = 59 * (whole - np.array(left))
    z -= z.mean()
    variance = float((z**2).sum()) / 59  # of the score, times 60
    k = kish([len(d.gold) + len(d.pred) for d in candidate])
    freedom = min(k, 2 / ((z**4).sum() / (z**2).sum() ** 2 - 1 / 60)) - 1
    needed = next(
        n for n in range(2, 100_000)
        if t.ppf(0.975, max(min(k, freedom + 1) * n / 60 - 1, 1)) * (variance / n) ** 0.5 <= 0.02
    )  # fmt: skip
    (row,) = plan(None, count(candidate, [score]), half_width=2)["questions"]
    assert row["units_needed"] == needed
    ratios = [freedom / 2 / chi2.ppf(q, freedom / 2) for q in (0.95, 0.05)]
    assert row["units_between"] == [ceil(needed * ratio) for ratio in ratios]


def test_without_any_question_a_plan_is_a_table_of_half_widths():
    candidate = corpus(3, 60)[1]
    result = plan(None, count(candidate, METRICS))
    assert [row["bound"] for row in result["questions"]] == [0.005, 0.01, 0.02, 0.03, 0.05]
    needed = [*result.documents_needed.values()]
    assert needed == sorted(needed, reverse=True) and len({*needed}) == 5
    assert plan(None, count(candidate, METRICS), half_width=2).documents_needed == {"half width": needed[2]}
    table = result.to_frame()
    assert table["demand"].tolist() == ["± 0.5", "± 1", "± 2", "± 3", "± 5"]
    assert table["needed"].tolist() == needed
    text = str(result)
    assert f"about {needed[0]:,} documents like these give strict F ± 0.5" in text and "80 %" not in text


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        ([Document([(0, 3, "A")], [(0, 3, "A")], id=str(k)) for k in range(30)], "do not vary in this score"),
        (corpus(3, 4)[1], "too few to say how much they vary"),
        ([Document([(0, 3, "A")], [], id=str(k)) for k in range(30)], "do not vary"),
    ],
)
def test_pilots_that_cannot_say_how_many_documents_give_a_half_width_say_why(documents, reason):
    result = plan_documents(add_questions(None, "strict_f", None, 2), judged(documents))
    assert result["questions"][0]["units_needed"] is None
    view = PlanView(result)
    assert reason in " ".join(view.closing()) and view.headline() == "no number can be given for half width"


def test_a_half_width_is_planned_with_the_rules_of_a_policy():
    baseline, candidate = corpus(1, 60)
    policy = add_questions(Policy(RULES[:1]), "strict_f", 4, 3)
    result = plan_documents(policy, judged(candidate), judged(baseline))
    assert [row["name"] for row in result["questions"]] == ["overall", "difference", "half width"]
    headline = PlanView(result).headline()
    assert "are enough for each question in 80 % of samples; about" in headline and "give strict F ± 3" in headline


def test_half_widths_through_command_and_python_are_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    candidate = corpus(3, 60)[1]
    for side in ("gold", "pred"):
        write(Path(f"{side}.jsonl"), *(line("x" * 100, *getattr(d, side), id=d.id) for d in candidate))
    expected = plan("gold.jsonl", "pred.jsonl", half_width=2, score="strict_r")
    shown = printed("plan", "gold.jsonl", "pred.jsonl", "--half-width", "2", "--score", "strict_r", "-o", "plan.json")
    assert json.loads(Path("plan.json").read_text("utf8")) == expected
    needed = expected["questions"][0]["units_needed"]
    assert f"about {needed:,} documents like these give strict R ± 2" in shown.replace("\n", " ")
    assert "half_width:strict_r:2" in expected["signature"]
    accepted("count", "gold.jsonl", "pred.jsonl", "-m", "strict", "-o", "counts.npz")
    printed("plan", "counts.npz", "--half-width", "2", "--score", "strict_r", "-o", "counts.json")
    assert json.loads(Path("counts.json").read_text("utf8"))["questions"] == expected["questions"]


def test_rules_without_a_policy_through_command_and_python_are_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side in ("gold", "pred"):
        write(Path(f"{side}.jsonl"), *(line("x" * 100, *getattr(d, side), id=d.id) for d in corpus(3, 60)[1]))
    rules = ["strict_f at_least 50", "strict_r at_least 40 label A"]
    expected = plan("gold.jsonl", "pred.jsonl", policy=rules)
    given = [word for rule in rules for word in ("--rule", rule)]
    printed("plan", "gold.jsonl", "pred.jsonl", *given, "-o", "plan.json")
    assert json.loads(Path("plan.json").read_text("utf8")) == expected
    assert [row["name"] for row in expected["questions"]] == rules
    assert plan("gold.jsonl", "pred.jsonl", policy=rules[0]) == plan("gold.jsonl", "pred.jsonl", policy=rules[:1])


def test_a_policy_that_leaves_rules_undecided_for_unseen_kinds_needs_more_documents():
    """Of perfect predictions Wilson's interval is above 95 from about 55 documents on, .05^(1/k) from 59 on."""
    gold = [(0, 3, "A")]
    candidate = judged([Document(gold, gold, id=str(k)) for k in range(60)])
    rule = Rule("overall", "at_least", 95, "strict_f")
    flagged, decided = (plan_documents(Policy((rule,), unseen=unseen), candidate) for unseen in ("flag", "undecided"))
    numbers = [result["questions"][0]["units_needed"] for result in (flagged, decided)]
    assert 50 < numbers[0] < 58 < numbers[1] < 62
    assert [result["questions"][0]["unseen"] for result in (flagged, decided)] == [True, False]
    assert "it is met unless up to 3 in" in " ".join(PlanView(flagged).closing())


def test_documents_of_one_unit_are_drawn_together():
    baseline, candidate = corpus(1, 60)
    paired = [[Document(*each.sides, id=f"{n // 2}") for n, each in enumerate(side)] for side in (baseline, candidate)]
    assert len({each.id for each in paired[0]}) == 30
    found = [plan_documents(Policy(RULES[:1]), judged(side)) for side in (candidate, paired[1])]
    assert [each["units"] for each in found] == [60, 30]
    row = found[1]["questions"][0]
    assert row["documents_needed"] == 2 * row["units_needed"]
    low, _ = row["units_between"]
    assert Plan(found[1]).headline[1:3] == (row["documents_needed"], (2 * low, np.inf))


def test_every_simulation_has_the_seed_of_the_policy_and_the_signature_names_it(monkeypatch):
    seeds = set()
    monkeypatch.setattr(sample_size, "answer_rate", lambda question, units, seed=0: seeds.add(seed) or units / 200)
    baseline, candidate = map(judged, corpus(1, 60))
    result = plan_documents(add_questions(Policy(RULES[:1], seed=7), "strict_f", 4, None), candidate, baseline)
    assert seeds == {7} and all(f"|{part}|" in result["signature"] for part in ("seed:7", "difference:strict_f:4"))


def test_more_than_a_thousand_units_are_taken_in_groups():
    found = corpus(5, 900)[1]
    twice = [Document(*each.sides, id=str(n)) for n, each in enumerate([*found, *found])]
    rows = [
        plan_documents(Policy((Rule("f", "at_least", 78, "strict_f"),)), judged(side))["questions"]
        for side in (found, twice)
    ]
    assert rows[1][0]["units_needed"] == pytest.approx(rows[0][0]["units_needed"], rel=0.15)


def test_round_numbers_surround_what_is_asked():
    assert sizes_between(10, 10) == [10]
    assert sizes_between(75, 620) == [50, 100, 200, 500, 1000]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"half_width": 0}, "half_width=0: expected a number of points above 0, such as 2"),
        ({"half_width": 2, "score": "nonsense"}, "score='nonsense'"),
        ({"difference": 0}, "difference=0: expected a number of points above 0, such as 1"),
        ({"difference": 2}, "rule difference compares with a baseline: give baseline="),
        ({"difference": 2, "score": "strict_x"}, "^score='strict_x': there is no such score; .* 'strict_"),
    ],
)
def test_what_cannot_be_planned_is_said(arguments, message):
    gold = [["B-A"]] * 20
    with pytest.raises(ValueError, match=message):
        plan(gold, gold, **arguments)


def test_a_difference_that_is_seen_is_one_that_compare_would_show():
    """The number is near the one at which `compare` detects this difference, which goes with its interval."""
    sides = corpus(4, 90)
    gold = [[(s, e, label) for s, e, label in each.sides[0]] for each in sides[0]]
    systems = [[[(s, e, label) for s, e, label in each.sides[1]] for each in side] for side in sides]
    needed = plan(gold, systems[1], systems[0], difference=4).documents_needed["difference"]
    compared = compare({"a": systems[0], "b": systems[1]}, gold, ["strict"])
    row = next(row for row in compared["comparisons"] if row["score"] == "f")
    assert 90 * (100 * row["detectable"] / 4) ** 2 == pytest.approx(needed, rel=0.2)


def test_where_few_documents_differ_the_bounds_leave_room_for_a_rare_difference():
    """A corpus of 58 documents of one span, none of which differs, does not answer; one of 59 does."""
    gold = [(0, 3, "A")]
    systems = [judged([Document(gold, gold, id=str(k)) for k in range(40)]) for _ in range(2)]
    (question,) = make_questions(Policy((Rule("alike", "worse_by_at_most", 5, "strict_f"),)), *systems)
    assert [answer_rate(question, number) for number in (58, 59)] == [0, 1]
