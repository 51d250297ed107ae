"""How often a gate passes a model that it must not pass: simulated corpora with errors in clusters.

    python benchmarks/gates.py              # 1,000 replications, about twelve minutes
    python benchmarks/gates.py -n 20        # a quick look

Every document has its own chance of a hit, which both systems share, so that errors come in clusters. The recall of
each system in the population is known exactly, and each rule's bound is put on it: the rule does not hold by any
margin at all, so that "met" is the error that the level bounds. `gates.json` has the numbers.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from coverage_hard import PAIRED
from numpy.typing import NDArray
from worlds import HARD, Floats, System, f_score, ratio

from spacy_nereval import Document, count, create_all
from spacy_nereval.evaluation.bounds import needs_warning
from spacy_nereval.evaluation.comparison import System as Named
from spacy_nereval.features.gate.gate_rules import MET, judge_candidate
from spacy_nereval.features.gate.policy import WORSE, Policy, Rule
from spacy_nereval.features.gate.sample_size import answer_rate, make_questions

OUTPUT = Path(__file__).with_suffix(".json")

BASELINE, CANDIDATE = 0.80, 0.75
"""The recall of both systems in the population."""

RULES = {
    "at_least": Rule("at_least", "at_least", 75, "strict_r"),
    "worse_by_at_most": Rule("worse_by_at_most", "worse_by_at_most", 5, "strict_r"),
    "rate_between": Rule("rate_between", "rate_between", (0.75, 1.25)),
}
"""Rules that are just not met by the candidate: each bound is its true value."""

EASY = (Rule("easy", "at_least", 50, "strict_r"), Rule("not_much_worse", "worse_by_at_most", 25, "strict_r"))
"""Rules that hold."""


def corpus(random: np.random.Generator, documents: int) -> tuple[list[Document], list[Document]]:
    """Return documents with the predictions of the baseline, and of the candidate.

    The number of gold spans of a document is 1 + Poisson(2). Its chance of a hit is drawn from Beta(4, 1).
    """
    sides: tuple[list[Document], list[Document]] = ([], [])
    for number in range(documents):
        gold = [(k, k + 1, "A") for k in range(1 + random.poisson(2))]
        chance = random.beta(5 * BASELINE, 5 * (1 - BASELINE))
        easy = random.random(len(gold))
        for side, share in zip(sides, (1.0, CANDIDATE / BASELINE)):
            luck = np.where(random.random(len(gold)) < 0.5, easy, random.random(len(gold)))
            side.append(Document(gold, [s for s, u in zip(gold, luck) if u < chance * share], id=str(number)))
    return sides


def simulated(replications: int, documents: int, seed: int = 0) -> dict[str, Any]:
    """Return how often each rule was met, broken or undecided, and how often the gate with one false rule was met."""
    random = np.random.default_rng([seed, documents])
    metrics = create_all(["strict"])
    verdicts = {name: {"met": 0, "broken": 0, "undecided": 0} for name in RULES}
    gates = dict.fromkeys(RULES, 0)
    every = 0
    for _ in range(replications):
        before, after = (
            Named(name, count(side, metrics))
            for name, side in zip(("baseline", "candidate"), corpus(random, documents))
        )
        found = judge_candidate(Policy((*RULES.values(), *EASY)), after, before)
        by_name = {row["name"]: row["verdict"] for row in found["rules"]}
        easy = all(by_name[rule.name] == "met" for rule in EASY)
        every += found["verdict"] == "met"
        for name in RULES:
            verdicts[name][by_name[name]] += 1
            gates[name] += easy and by_name[name] == "met"
    return {
        "documents": documents,
        "replications": replications,
        "rules": verdicts,
        "gates_with_one_false_rule_met": gates,
        "gates_with_three_false_rules_met": every,
    }


CATASTROPHIC = "8 % catastrophic documents"
"""The world in which a sample without these documents says too much, as `worlds` has it."""


def in_hard_world(replications: int, documents: int, seed: int = 0) -> dict[str, Any]:
    """Return how often a rule whose bound is the true F was met, broken or undecided, where a few documents have most
    of the errors."""
    random, world, metrics = np.random.default_rng([seed, documents]), HARD[CATASTROPHIC], create_all(["strict"])
    true = 100 * float(f_score(world.made(np.random.default_rng(seed), 200_000).sum((0, 1))))
    verdicts = {"met": 0, "broken": 0, "undecided": 0}
    while sum(verdicts.values()) < replications:
        for counts in world.made(random, documents).astype(int).swapaxes(0, 1)[: replications - sum(verdicts.values())]:
            rule = Rule("at_least", "at_least", true, "strict_f")
            found = judge_candidate(Policy((rule,)), Named("candidate", count(made_of(counts), metrics)))
            verdicts[found["rules"][0]["verdict"]] += 1
    return {"documents": documents, "replications": replications, "world": CATASTROPHIC, "at_least": verdicts}


NEAR_ZERO = "F near 0"
"""The world of two systems with an F near 0, the second one worse, as `coverage_hard` has it. A few documents have most
of the hits."""


def near_zero(replications: int, documents: int, seed: int = 0) -> dict[str, Any]:
    """Return how often rules whose bounds are the true differences of F and precision were met, broken or undecided
    where F is near 0, and how many of those met carry a flag: `unseen`, or fewer than 20 effective documents."""
    world, second = PAIRED[NEAR_ZERO]
    assert isinstance(second, System)
    metrics, number = create_all(["strict"]), 0

    def drawn(random: np.random.Generator, size: int) -> list[Floats]:
        numbers = world.documents(random, size)
        return [world.outputs(random, system, *numbers) for system in (world.system, second)]

    whole = [counts.sum((0, 1)) for counts in drawn(np.random.default_rng([seed, 1]), 40_000)]
    rules = [
        Rule(name, WORSE, 100 * float(score(whole[0]) - score(whole[1])), name)
        for name, score in (("strict_f", f_score), ("strict_p", precision))
    ]
    random = np.random.default_rng([seed, documents, 2])
    found: dict[str, Any] = {rule.name: {"met": 0, "broken": 0, "undecided": 0, "flagged": 0} for rule in rules}
    while number < replications:
        sides = (counts.astype(int).swapaxes(0, 1) for counts in drawn(random, documents))
        for pair in zip(*sides):
            if number == replications:
                break
            number += 1
            before, after = (Named(name, count(made_of(counts), metrics)) for name, counts in zip("ab", pair))
            for row in judge_candidate(Policy(tuple(rules), seed=number), after, before)["rules"]:
                found[row["name"]][row["verdict"]] += 1
                is_few = needs_warning(row["effective_units"])
                found[row["name"]]["flagged"] += bool(row["verdict"] == MET and (row["unseen"] or is_few))
    return {"documents": documents, "replications": replications, "world": NEAR_ZERO, "rules": found}


def precision(counts: Floats) -> Floats:
    """Return the precision of tp, fp, fn along the last axis."""
    return ratio(counts[..., 0], counts[..., 0] + counts[..., 1])


def made_of(counts: NDArray[np.int64]) -> list[Document]:
    """Return documents with so many hits, spurious and missed spans, [documents, 3]."""
    documents = []
    for number, (right, wrong, missed) in enumerate(counts.tolist()):
        gold = [(k, k + 1, "A") for k in range(right + missed)]
        documents.append(Document(gold, gold[:right] + [(k, k + 1, "B") for k in range(wrong)], id=str(number)))
    return documents


ASKED = (
    Rule("at_least", "at_least", 86, "strict_f"),
    Rule("worse_by_at_most", "worse_by_at_most", 5, "strict_f"),
    Rule("rate_between", "rate_between", (0.6, 0.9)),
    Rule("at_most", "at_most", 25, "slot_error.ser"),
    Rule("label", "at_least", 78, "strict_r", label="A"),
)
"""Rules that a plan is made for."""


def planned(replications: int, documents: int, seed: int = 5) -> dict[str, Any]:
    """Return how often a plan says that so many documents decide each rule, and how often gates of such documents did.

    The gates judge documents drawn with replacement from those of the plan's pilot of 60.
    """
    metrics = create_all(["strict", "slot_error"])
    pilot = corpus(np.random.default_rng(seed), 60)
    random = np.random.default_rng([seed, documents])

    def judged(sides: Any) -> list[Named]:
        return [Named(name, count(side, metrics)) for name, side in zip(("candidate", "baseline"), sides[::-1])]

    questions = make_questions(Policy(ASKED), *judged(pilot))
    rightly = dict.fromkeys([rule.name for rule in ASKED], 0)
    for _ in range(replications):
        drawn = random.integers(0, len(pilot[0]), documents)
        again = [[Document(*side[k].sides, id=str(n)) for n, k in enumerate(drawn)] for side in pilot]
        for row, question in zip(judge_candidate(Policy(ASKED), *judged(again))["rules"], questions):
            rightly[row["name"]] += row["verdict"] == ("met" if question.is_allowed else "broken")
    simulated = {question.rule.name: answer_rate(question, documents) for question in questions}
    return {"documents": documents, "replications": replications, "planned": simulated, "decided": rightly}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=1000, help="replications")
    parser.add_argument("-o", type=Path, default=OUTPUT, help="JSON file")
    given = parser.parse_args()
    found = {"level": 0.95, "recall": {"baseline": BASELINE, "candidate": CANDIDATE}}
    rows = [simulated(given.n, documents) for documents in (50, 200)]
    plans = [planned(given.n, documents) for documents in (40, 80, 110)]
    hard = [in_hard_world(given.n, documents) for documents in (50, 200)]
    low = [near_zero(2 * given.n, documents) for documents in (20, 50)]
    found |= {"corpora": rows, "plans": plans, "hard": hard, "near_zero": low}
    given.o.write_text(json.dumps(found, indent=2) + "\n", encoding="utf8")
    for row in (*rows, *hard, *low):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
