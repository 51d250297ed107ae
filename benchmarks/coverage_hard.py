"""How often intervals, tests, gates and plans hold in hard worlds, by the functions that the commands call.

A world is a pool of documents, counted once. A test set is drawn from the pool with replacement, so that its true
scores are those of the whole pool.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from worlds import ALPHA, FREQUENCIES, HARD, LEVEL, Floats, System, Tally, World, holds, with_f

from spacy_nereval import Confidence, Counts, Document, count, create_all
from spacy_nereval.evaluation import comparison
from spacy_nereval.evaluation.differences import equivalence_level
from spacy_nereval.evaluation.evidence import swap_evidence
from spacy_nereval.evaluation.intervals import run_intervals
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.tested import Subject
from spacy_nereval.features.gate.gate_rules import MET, bounds_if_unseen, interval_verdict, judge_candidate
from spacy_nereval.features.gate.policy import AT_LEAST, WORSE, Policy, Rule
from spacy_nereval.features.gate.sample_size import plan_documents

LABELS = "ABCDE"
METRICS = create_all(["strict", "fair", "slot_error"])
SWAPS = 1000
SIZES = [10, 20, 50]
"""Documents of a test set, from which scores have intervals; for differences and gates the last two."""

PILOTS = [30, 60, 120]
"""Documents of a pilot."""

POOL = 80
"""A pool has `worlds.TOGETHER` times as many documents."""

FEWEST = 20
"""From fewer intervals than these no share is shown."""

Spans = list[tuple[int, int, str]]
Change = Callable[[np.random.Generator, Spans, Spans], Spans]
"""What a second system predicts, from the gold spans and what the first system predicts."""


def lose_documents(share: float, change: Change | None = None) -> Change:
    """Return a system that predicts nothing in a share of the documents, and else what the first one does, or a changed
    one."""

    def predict_in_most(rng: np.random.Generator, gold: Spans, pred: Spans) -> Spans:
        if rng.random() < share:
            return []
        return change(rng, gold, pred) if change else pred

    return predict_in_most


def lose_spans(share: float) -> Change:
    """Return a system that misses the first hit in a share of the documents."""

    def predict_less(rng: np.random.Generator, gold: Spans, pred: Spans) -> Spans:
        hit = next((span for span in pred if span in gold), None) if rng.random() < share else None
        return [span for span in pred if span != hit]

    return predict_less


def swap_errors(rng: np.random.Generator, gold: Spans, pred: Spans) -> Spans:
    """Return boundary errors in place of label errors and the other way round, other spurious spans, and in 8 % of the
    documents a hit less."""
    at = {start: (end, label) for start, end, label in gold}
    swapped = []
    for start, end, label in pred:
        if start in at and (end, label) != at[start]:
            whole, right = at[start]
            swapped.append((start, whole - 1, right) if end == whole else (start, whole, label_after(right)))
        elif start in at or rng.random() < 0.7:
            swapped.append((start, end, label))
    swapped += [(20_000, 20_004, "A")] * (rng.random() < 0.3)
    return lose_spans(0.08)(rng, gold, swapped)


MID = World(with_f(0.68, 0.68))
FEW_PREDICTIONS = World(System(np.array(0.03), 0.03))

SCORED = {
    "mid, F .68": MID,
    "document sizes Pareto": HARD["document sizes Pareto"],
    "F near 0": HARD["ordinary, F .07"],
    "F near 1": HARD["ordinary, F .967"],
    "few predictions, half of them right": FEW_PREDICTIONS,
    "one span in 20 % of documents": World(with_f(0.68, 0.68), empty=0.8, single=True),
    "60 % of documents without gold spans": World(with_f(0.68, 0.68), empty=0.6),
    "4 % catastrophic documents": World(with_f(0.95, 0.95), broken=0.04),
    "8 % catastrophic documents": HARD["8 % catastrophic documents"],
}
"""Worlds of one system."""

PAIRED: dict[str, tuple[World, System | Change]] = {
    "two alike systems": (MID, MID.system),
    "one is worse": (MID, with_f(0.64, 0.63)),
    "document sizes Pareto": (HARD["document sizes Pareto"], with_f(0.77, 0.76)),
    "F near 0": (HARD["ordinary, F .07"], with_f(0.05, 0.03)),
    "few predictions, half of them right": (FEW_PREDICTIONS, FEW_PREDICTIONS.system),
    "swaps between kinds of error": (MID, swap_errors),
    "equal outputs but for a span in 5 % of documents": (World(with_f(0.9, 0.9)), lose_spans(0.05)),
    "swaps, and 4 % of documents are lost": (World(with_f(0.9, 0.9)), lose_documents(0.04, swap_errors)),
    "equal outputs, but 8 % of documents are lost": (World(with_f(0.9, 0.9)), lose_documents(0.08)),
}
"""Worlds of a first and of a second system, which scores no higher."""

SCORES: dict[str, tuple[str, ...]] = {
    "strict f": ("strict", "scores", "f"),
    "strict p": ("strict", "scores", "p"),
    "strict r": ("strict", "scores", "r"),
    "strict p of a rare label": ("strict", "per_type", "D", "p"),
    "strict r of a rare label": ("strict", "per_type", "D", "r"),
    "weighted p": ("strict", "averages", "weighted", "p"),
    "macro f": ("strict", "averages", "macro", "f"),
    "documents: p": ("strict", "averages", "docs", "p"),
    "documents: r": ("strict", "averages", "docs", "r"),
    "documents: f": ("strict", "averages", "docs", "f"),
    "documents: ser_acc": ("slot_error", "averages", "docs", "ser_acc"),
    "weighted: ser_acc": ("slot_error", "averages", "weighted", "ser_acc"),
    "ser": ("slot_error", "scores", "ser"),
    "documents: ser": ("slot_error", "averages", "docs", "ser"),
    "weighted: ser": ("slot_error", "averages", "weighted", "ser"),
    "macro ser": ("slot_error", "averages", "macro", "ser"),
}
"""Names of scores, and where their intervals are."""

COMPARED = [("strict", "f"), ("strict", "r"), ("strict", "p"), ("slot_error", "ser"), ("fair", "f")]
NAMES = [f"{metric} {score}" for metric, score in COMPARED]
ROWS = HELD, TESTED, CONTRADICTED, PASSED, CAREFUL = (
    *("held", "p ≤ .05", "p and interval disagree", "gate wrongly met", "the same, unseen undecided"),
)
"""What is counted of differences. A gate is asked whether the second system is worse by no more than it is."""

SUBJECTS = [
    Subject(metric, metric.score_by_name[score], None, "primary")
    for name, score in COMPARED
    for metric in METRICS
    if metric.name == name
]


def label_after(label: str) -> str:
    """Return another label.

    >>> label_after("A"), label_after("E")
    ('B', 'A')
    """
    return LABELS[(LABELS.index(label) + 1) % len(LABELS)]


def predict(rng: np.random.Generator, gold: Spans, hits: int, wrong: int) -> Spans:
    """Return so many hits and wrong spans: of these a third have another label than a gold span that is missed, a third
    another end, and the others are where no gold span is."""
    order = [gold[k] for k in rng.permutation(len(gold))]
    pred, missed = order[:hits], order[hits:]
    for number, kind in enumerate(rng.integers(3, size=wrong)):
        if number < len(missed) and kind < 2:
            start, end, label = missed[number]
            pred.append((start, end - 1, label) if kind else (start, end, label_after(label)))
        else:
            pred.append((10_000 + 10 * number, 10_004 + 10 * number, LABELS[rng.choice(len(LABELS), p=FREQUENCIES)]))
    return pred


def _make_pool(world: World, second: System | Change | None = None, seed: int = 0) -> list[Counts]:
    """Return the counts of a pool of documents under one system or two."""
    rng = np.random.default_rng([seed, POOL])
    numbers = world.documents(rng, POOL)
    systems = [world.system, *([second] if isinstance(second, System) else [])]
    counts = [world.outputs(rng, system, *numbers).reshape(-1, 3).astype(int).tolist() for system in systems]
    sides: list[list[Document]] = [[], []]
    for number, tallies in enumerate(zip(*counts)):
        labels = rng.choice(len(LABELS), tallies[0][0] + tallies[0][2], p=FREQUENCIES)
        gold = [(10 * k, 10 * k + 4, LABELS[label]) for k, label in enumerate(labels.tolist())]
        preds = [predict(rng, gold, hits, wrong) for hits, wrong, _ in tallies]
        if second is not None and not isinstance(second, System):
            preds.append(second(rng, gold, preds[0]))
        for side, pred in zip(sides, preds):
            side.append(Document(gold, pred, id=str(number)))
    return [count(side, METRICS) for side in sides if side]


@cache
def scored_pool(name: str, seed: int) -> list[Counts]:
    """Return the counts of the pool of a world of one system."""
    return [
        counts.of([metric for metric in METRICS if metric.name != "fair"])
        for counts in _make_pool(SCORED[name], seed=seed)
    ]


@cache
def paired_pool(name: str, seed: int) -> list[Counts]:
    """Return the counts of the pool of a world of two systems."""
    return _make_pool(*PAIRED[name], seed)


def draws(pool: list[Counts], number: int, sets: int, seed: int) -> Iterator[list[Counts]]:
    """Yield the counts of test sets of so many documents, under each system."""
    rng = np.random.default_rng([seed, number, 1])
    for _ in range(sets):
        places = rng.integers(pool[0].documents, size=number).tolist()
        drawn = [counts.reordered(places) for counts in pool]
        for counts in drawn:
            counts.ids = counts.units = [f"d{k}" for k in range(number)]
        yield drawn


def value_at(table: Any, path: tuple[str, ...]) -> Any:
    """Return what nested tables have at a path; None where there is nothing."""
    for key in path:
        table = (table or {}).get(key)
    return table


def score_at(table: Any, path: Sequence[str]) -> Any:
    """Return a score of a metric's result by the path of its interval."""
    return value_at(table, (*path[:-1], "scores", path[-1]) if path[0] == "per_type" else tuple(path))


def of_scores(name: str, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the interval of each score holds the true one, and its mean width over the true width.

    The true macro average is that of the labels that occur in the test set.
    """
    pool = scored_pool(name, seed)
    true = evaluate(pool[0])["metrics"]
    seen: dict[str, list[tuple[float, float, float, float]]] = {score: [] for score in SCORES}
    for (counts,) in draws(pool, number, sets, seed):
        rows, found = run_intervals([counts], Confidence(LEVEL)).metrics, evaluate(counts)["metrics"]
        for score, (metric, *path) in SCORES.items():
            row, value = value_at(rows[metric], tuple(path)), score_at(found[metric], path)
            if value is None or row is None or row["flag"] == "undefined":
                continue
            if path[1] == "macro":
                tables = [found[metric]["per_type"], true[metric]["per_type"]]
                expected = mean_of_labels(*tables, path[2])
            else:
                expected = score_at(true[metric], path)
            seen[score].append((row["low"], row["high"], value, expected))
    return {score: describe(np.array(numbers)) for score, numbers in seen.items()}


def mean_of_labels(found: Any, true: Any, score: str) -> float:
    """Return the mean of the true scores of the labels that have one in a test set."""
    labels = [label for label, table in found.items() if table["scores"][score] is not None]
    return float(np.mean([true[label]["scores"][score] for label in labels]))


def describe(numbers: Floats) -> str:
    """Return per cent of intervals that hold, and their mean width over that of the normal interval with the true
    standard deviation; numbers [sets, 4]: low, high, value, true value."""
    if len(numbers) < FEWEST:
        return "–"
    low, high, value, true = numbers.T
    spread = 3.92 * float((value - true).std())
    return f"{100 * ((low <= true) & (true <= high)).mean():.0f} ({(high - low).mean() / spread:.1f})"


def of_differences(name: str, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return what intervals, tests and gates of differences do, for each of the compared scores."""
    pool = paired_pool(name, seed)
    first, other = (evaluate(counts)["metrics"] for counts in pool)
    true = {key: other[key[0]]["scores"][key[1]] - first[key[0]]["scores"][key[1]] for key in COMPARED}
    tallies = {key: Tally() for key in COMPARED}
    for tally in tallies.values():
        tally.update({row: [] for row in ROWS})
    confidence = Confidence(LEVEL, seed=seed)
    for a, b in draws(pool, number, sets, seed):
        for evidence in swap_evidence(a, b, SUBJECTS, confidence, SWAPS):
            key = evidence.subject.key[:2]
            tally, gap = tallies[key], evidence.values[1] - evidence.values[0]
            if evidence.test is None or not math.isfinite(gap):
                continue
            test, narrow = evidence.test(LEVEL), evidence.test(equivalence_level(LEVEL))
            p = float(test.p)
            tally[HELD].append(np.array([bool(holds(test.low, test.high, true[key]))]))
            tally[TESTED].append(np.array([p <= ALPHA]))
            if math.isfinite(p):
                tally[CONTRADICTED].append(np.array([bool(holds(test.low, test.high, 0)) != (p > ALPHA)]))
            sign = 1 if evidence.subject.score.higher_is_better else -1
            low, high = sorted((sign * float(narrow.low), sign * float(narrow.high)))
            least = sign * true[key]
            tally[PASSED].append(np.array([interval_verdict(low, high, least, math.inf) == MET]))
            careful = bounds_if_unseen(WORSE, sign * gap, low, high, evidence.k)
            tally[CAREFUL].append(np.array([interval_verdict(*careful, least, math.inf) == MET]))
    shares = [tallies[key].shares() for key in COMPARED]
    return {row: " / ".join(share[row] for share in shares) for row in ROWS}


def of_gates(name: str, number: int, sets: int, seed: int) -> str:
    """Return how often a gate wrongly says that F is at least what it is / and how often with `unseen` undecided."""
    strict = [counts.of(METRICS[:1]) for counts in scored_pool(name, seed)]
    bound = 100 * evaluate(strict[0])["metrics"]["strict"]["scores"]["f"]
    policy = Policy((Rule("overall", AT_LEAST, bound, "strict_f"),))
    rows = [
        judge_candidate(policy, comparison.System("candidate", counts))["rules"][0]
        for (counts,) in draws(strict, number, sets, seed)
    ]
    met = np.array([[row["verdict"] == MET, row["verdict"] == MET and not row["unseen"]] for row in rows])
    usual, careful = 100 * met.mean(axis=0)
    return f"{usual:.0f} / {careful:.0f}"


PLANNED = ["one is worse", "swaps, and 4 % of documents are lost"]
"""Worlds whose second system gets a plan: it scores 5 points above one bound, and differs by 5 points from another."""


@cache
def planned_pool(name: str, seed: int) -> tuple[list[Counts], Policy, list[int]]:
    """Return a pool, two rules on its second system, and how many documents they need if everything is known."""
    pool = [counts.of(METRICS[:1]) for counts in paired_pool(name, seed)]
    a, b = (100 * evaluate(counts)["metrics"]["strict"]["scores"]["f"] for counts in pool)
    policy = Policy((Rule(AT_LEAST, AT_LEAST, b - 5, "strict_f"), Rule(WORSE, WORSE, a - b + 5, "strict_f")), seed=seed)
    systems = [comparison.System(name, counts) for name, counts in zip("ba", reversed(pool))]
    return pool, policy, [row["units_needed"] for row in plan_documents(policy, *systems)["questions"]]


def of_plans(name: str, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the range of the number of documents that a pilot gives holds that of the pool."""
    pool, policy, needed = planned_pool(name, seed)
    tally = Tally()
    for a, b in draws(pool, number, sets, seed):
        plan = plan_documents(policy, comparison.System("b", b), comparison.System("a", a))
        for row, known in zip(plan["questions"], needed):
            if row["units_between"] is not None:
                low, high = row["units_between"]
                tally[f"{name}: {row['name']}, held"].append(
                    np.array([low <= known and (high is None or known <= high)])
                )
                tally[f"{name}: {row['name']}, no upper limit"].append(np.array([high is None]))
    return tally.shares()
