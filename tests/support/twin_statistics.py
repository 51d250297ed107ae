"""Intervals and tests by their formulas, one number at a time, from documents that are scored anew.

Nothing here knows tables or sums: a half-sample is a list of documents, and what it scores
is what `evaluate` says of that list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import product
from math import inf, sqrt

import numpy as np
from scipy import stats

from spacy_nereval import Document, Metric, count, evaluate

Path = tuple[str, ...]


def key_of(document: Document) -> str:
    """The unit of a document: its id, or else a hash of its text and gold spans."""
    if document.id is not None:
        return document.id
    content = json.dumps([document.text, sorted([*span] for span in document.gold)])
    return blake2b(content.encode(), digest_size=8).hexdigest()


def keys_of(documents: Iterable[Document]) -> list[str]:
    return list(dict.fromkeys(map(key_of, documents)))


def bits(seed: int, key: str, number: int) -> list[int]:
    """The random bits of a unit."""
    start = int.from_bytes(blake2b(f"{seed}|{key}".encode(), digest_size=8).digest(), "little")
    raw = [int(word) for word in np.random.PCG64(start).random_raw(number // 64 + 1)]
    return [raw[r // 64] >> (r % 64) & 1 for r in range(number)]


def patterns(seed: int, keys: Sequence[str], number: int, *, exact: bool = True) -> tuple[list[dict[str, int]], bool]:
    """The bit of each unit in each sample, and whether these are all patterns that there are."""
    if exact and 2 ** len(keys) <= number:
        return [dict(zip(keys, row)) for row in product((0, 1), repeat=len(keys))], True
    columns = {key: bits(seed, key, number) for key in keys}
    return [{key: columns[key][r] for key in keys} for r in range(number)], False


def score_tables(documents: Sequence[Document], metrics: Sequence[Metric]) -> dict[str, dict[Path, float | None]]:
    """Every score of each metric but numbers of spans, with its place in the result."""
    results = evaluate(count(documents, metrics))["metrics"]
    tables: dict[str, dict[Path, float | None]] = {}
    for metric in metrics:
        result = results[metric.name]
        found: dict[Path, float | None] = {("scores", name): value for name, value in result["scores"].items()}
        for average, row in result["averages"].items():
            found |= {("averages", average, name): value for name, value in row.items() if name != "undefined"}
        for label, row in result["per_type"].items():
            found |= {("per_type", label, name): value for name, value in row["scores"].items()}
        of_spans = {path for path in found if metric.score_by_name[path[-1]].unit == "count"}
        tables[metric.name] = {path: value for path, value in found.items() if path not in of_spans}
    return tables


def kish(weights: Sequence[float]) -> float:
    return sum(weights) ** 2 / sum(w * w for w in weights) if any(weights) else 0.0


def interval(
    value: float | None,
    samples: Sequence[float | None],
    k: float,
    limits: tuple[float, float] = (0, 1),
    level: float = 0.95,
) -> tuple[float, float] | None:
    """The interval of one score; None where it has none."""
    defined = [sample for sample in samples if sample is not None]
    if value is None or not k or 2 * len(defined) < len(samples):
        return None
    cost: Callable[[float], float]
    cost = {(0, inf): lambda x: x, (-inf, 1): lambda x: 1 - x, (1, inf): lambda x: x - 1}.get(limits, lambda x: x)

    def share(x: float) -> float:
        return x if limits == (0, 1) else cost(x) / (1 + cost(x))

    def back(y: float) -> float:
        if limits == (0, 1):
            return y
        odds = y / (1 - y) if y < 1 else inf
        return {(0, inf): odds, (-inf, 1): 1 - odds, (1, inf): 1 + odds}[limits]

    theta = share(value)
    theta = 0 if abs(theta) < 1e-12 else 1 if abs(theta - 1) < 1e-12 else theta
    low, high = np.quantile([share(sample) for sample in defined], [stats.norm.cdf(-1), stats.norm.cdf(1)])
    s = (high - low) / 2
    n = k if s < 1e-12 or theta in (0, 1) else theta * (1 - theta) / s**2
    z = stats.t.ppf((1 + level) / 2, max(k - 1, 1))
    centre = (theta + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(theta * (1 - theta) / n + z * z / (4 * n * n))
    bounds = sorted((back(max(0.0, centre - half)), back(min(1.0, centre + half))))
    return bounds[0], bounds[1]


Found = dict[Path, tuple[tuple[float, float] | None, float]]
"""The interval of each score, and its effective number of units."""


def all_intervals(
    documents: Sequence[Document],
    metrics: Sequence[Metric],
    level: float,
    number: int,
    seed: int,
    *,
    exact: bool = True,
) -> dict[str, Found]:
    """The intervals of all scores of each metric."""
    drawn, _ = patterns(seed, keys_of(documents), number, exact=exact)
    whole = score_tables(documents, metrics)
    halves = [score_tables([d for d in documents if row[key_of(d)]], metrics) for row in drawn]
    return {m.name: _of_metric(documents, m, whole[m.name], [half[m.name] for half in halves], level) for m in metrics}


def _of_metric(
    documents: Sequence[Document],
    metric: Metric,
    whole: dict[Path, float | None],
    halves: Sequence[dict[Path, float | None]],
    level: float,
) -> Found:
    found: Found = {}
    for path, value in whole.items():
        k = kish([*weights_of(documents, path).values()])
        limits = metric.score_by_name[path[-1]].limits
        found[path] = interval(value, [half.get(path) for half in halves], k, limits, level), k
    for path in whole:
        if path[:2] == ("averages", "macro"):
            limits = metric.score_by_name[path[-1]].limits
            found[path] = _macro(documents, whole, found, path, limits), found[path][1]
    for path in whole:
        other = metric.score_by_name[path[-1]].complement_of
        if other and path[0] != "averages":
            own = found[(*path[:-1], other)][0]
            found[path] = (max(0, 1 - own[1]), max(0, 1 - own[0])) if own else None, found[path][1]
    return found


def weights_of(documents: Sequence[Document], path: Path) -> dict[str, float]:
    """The weight of each unit for a score: its documents, or its gold and predicted spans (of the label)."""
    found = dict.fromkeys(keys_of(documents), 0.0)
    for document in documents:
        spans = [*dict.fromkeys(document.gold), *dict.fromkeys(document.pred)]
        if path[0] == "per_type":
            spans = [span for span in spans if span.label == path[1]]
        found[key_of(document)] += 1 if path[:2] == ("averages", "docs") else len(spans)
    return found


def _macro(
    documents: Sequence[Document],
    whole: Mapping[Path, float | None],
    found: Found,
    path: Path,
    limits: tuple[float, float],
) -> tuple[float, float] | None:
    own = found[path][0]
    labels = sorted({span.label for document in documents for span in document.gold})
    places = [("per_type", label, path[2]) for label in labels]
    # A label without an interval tells nothing: its score may be anything.
    rows = [(value, found[place][0] or limits) for place in places if (value := whole[place]) is not None]
    if own is None or not rows:
        return own
    mean = sum(value for value, _ in rows) / len(rows)
    below = sqrt(sum((value - low) ** 2 for value, (low, _) in rows)) / len(rows)
    above = sqrt(sum((high - value) ** 2 for value, (_, high) in rows)) / len(rows)
    return min(own[0], mean - below), max(own[1], mean + above)


def swap_test(
    difference: float, after: Sequence[float], balances: Sequence[float], *, exact: bool, level: float = 0.95
) -> tuple[float, float, tuple[float, float]]:
    """p, one-sided p (more is better), and the interval, from the difference after each swap."""
    more, swaps = 0 if exact else 1, len(after)
    p = (sum(abs(s) >= abs(difference) - 1e-12 for s in after) + more) / (swaps + more)
    p_better = (sum(s >= difference - 1e-12 for s in after) + more) / (swaps + more)
    lows, highs = [], []
    for s, b in zip(after, balances):
        above, below = (0.0 if abs(x) < 1e-12 else x for x in (difference - s, difference + s))
        pair = [(above, 1 - b), (below, 1 + b)]
        lows.append(min(x / y if y > 0 else -inf for x, y in pair))
        highs.append(max(x / y if y > 0 else inf for x, y in pair))
    alpha = 1 - level
    m = int(alpha * swaps + 1e-9) + 1 if exact else int(alpha * (swaps + 1) + 1e-9)
    return p, p_better, (sorted(lows)[m - 1], sorted(highs)[-m])
