"""Rules whose numbers are computed together have the rows that each of them has alone."""

import random

import pytest
from products import NIGHT

from spacy_nereval import Document, count, create_all
from spacy_nereval.evaluation.comparison import System
from spacy_nereval.features.gate.gate_rules import judge_candidate
from spacy_nereval.features.gate.policy import Policy, Rule


def documents(rng, quality, golds):
    return [
        Document(gold, [(s, e, label if rng.random() < quality else "B") for s, e, label in gold], id=str(k))
        for k, gold in enumerate(golds)
    ]


@pytest.mark.costly
@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=NIGHT)])
def test_rules_of_one_policy_have_the_numbers_of_rules_alone(runs, step):
    """Every fifth rule by day, which has each label, kind, score and bound; all of them at night."""
    rng = random.Random(1)
    golds = [[(k, k + 1, rng.choice("CAB")) for k in range(0, rng.randint(2, 12), 2)] for _ in range(60)]
    metrics = create_all(["strict", "fair"])
    systems = [
        System(name, [count(documents(rng, quality, golds), metrics) for _ in range(runs)])
        for name, quality in (("new", 0.9), ("old", 0.8))
    ]
    rules = [
        Rule(f"{kind} {score} {label} {bound}", kind, bound, score, label=label)
        for label in (None, "C", "A", "no such label")
        for kind in ("at_least", "worse_by_at_most", "better_by_at_least")
        for score in ("strict_r", "fair_f")
        for bound in (3, 40)
    ]
    together = judge_candidate(Policy(tuple(rules)), *systems)["rules"]
    alone = [judge_candidate(Policy((rule,)), *systems)["rules"][0] for rule in rules[::step]]
    assert together[::step] == alone
