"""Intervals and tests by their formulas, one number at a time, from documents that are scored anew.

Nothing here knows tables or sums: a half-sample is a list of documents, and what it scores
is what `evaluate` says of that list.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import product
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy import stats

from spacy_nereval import Document, Metric, count, evaluate

Path = tuple[str, ...]
Pair = tuple[float, float]
"""The lower and the upper end of an interval, or of what a score can be."""

Bounds = Pair | None

Documents, Metrics, Scores = Sequence[Document], Sequence[Metric], Sequence[float | None]


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


def score_tables(documents: Documents, metrics: Metrics) -> dict[str, dict[Path, float | None]]:
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


COST = 0, inf
"""The limits of a cost without upper limit, whose interval is that of a Poisson mean."""


def share_of(x: float, limits: Pair) -> float:
    """The score on the 0-1 scale, a cost as it is; rounding at its ends is removed."""
    cost = {(-inf, 1): 1 - x, (1, inf): x - 1}.get(limits)
    share = x if cost is None else 1.0 if cost == inf else cost / (1 + cost)
    return 0.0 if abs(share) < 1e-12 else 1.0 if limits != COST and abs(share - 1) < 1e-12 else share


def back(y: float, limits: Pair) -> float:
    if limits not in ((-inf, 1), (1, inf)):
        return y
    odds = y / (1 - y) if y < 1 else inf
    return 1 - odds if limits[1] == 1 else 1 + odds


def poisson(x: float, n: float, t: float) -> Pair:
    centre, half = x + t * t / (2 * n), t * sqrt(x / n + t * t / (4 * n * n))
    return max(0.0, centre - half) if x else 0.0, centre + half


def bounds_of_cost(x: float, v: float, k: float, f: float, level: float, errors: float, spans: float) -> Bounds:
    """The interval of a cost; without a number of units with an error, its variance is taken as it is."""
    full = k / max(1, x)
    rho = full * v / x if x else 1
    known = full * (errors + 0.5) / (errors * rho + 0.5) if errors < inf else None
    n = known or (full / rho if rho else spans or full)
    return poisson(x, n, stats.t.ppf((1 + level) / 2, f))


def wilson(theta: float, n: float, t: float) -> Pair:
    centre = (theta + t * t / (2 * n)) / (1 + t * t / n)
    half = t / (1 + t * t / n) * sqrt(theta * (1 - theta) / n + t * t / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def bounds_of(
    theta: float, v: float, k: float, f: float, level: float, limits: Pair, mixed: float, spans: float
) -> Bounds:
    """Wilson's interval for the sample size that a variance is worth, never wider than with k; as a score."""
    if limits == COST:
        return bounds_of_cost(theta, v, k, f, level, mixed, spans)
    n = k if v < 1e-24 or theta in (0, 1) else theta * (1 - theta) / v
    if v < 1e-24 and 0 < theta < 1 and spans:
        n = spans
    elif mixed < inf:
        n = k / ((mixed * k / n + 0.5) / (mixed + 0.5))
    own = wilson(theta, n, stats.t.ppf((1 + level) / 2, f))
    widest = wilson(theta, k, stats.t.ppf((1 + level) / 2, max(k - 1, 1)))
    found = sorted(back(y, limits) for y in (max(own[0], widest[0]), min(own[1], widest[1])))
    return found[0], found[1]


class Row(NamedTuple):
    """The interval of a score, its effective number of units, its degrees of freedom, and its flag."""

    bounds: Bounds
    k: float
    df: float | None
    flag: str | None


def spread_of(theta: float, without: Sequence[float], weights: Sequence[float]) -> tuple[float, float, float]:
    """The variance of a share from its values without each unit, its effective units, and its degrees of freedom."""
    k, n = kish(weights), len(without)
    z = [(n - 1) * (theta - x) for x in without]
    z = [x - sum(z) / n for x in z]
    v = sum(x * x for x in z) / (n * (n - 1))
    q = sum(x**4 for x in z) / sum(x * x for x in z) ** 2 - 1 / n if v > 1e-24 else 0
    return v, k, max(min(k, 2 / q if q > 1e-9 else inf) - 1, 1)


def by_influence(
    value: float | None,
    without: Scores,
    alone: Scores,
    weights: Sequence[float],
    limits: Pair = (0, 1),
    spans: float = 0,
    level: float = 0.95,
    mixed: float | None = None,
) -> Row:
    """The interval of a score from its values without each unit, and in each unit alone.

    `mixed` is the number of units with an error, or of those with a hit, where the units alone do not say it."""
    k = kish(weights)
    if value is None or not k:
        return Row(None, k, None, "undefined")
    theta = share_of(value, limits)
    left = [theta if x is None else share_of(x, limits) for x in without]
    v, k, f = spread_of(theta, left, weights)
    f = max(f, 3) if limits == COST else f
    lone, one = None in without, min(k, 1)
    if lone and limits == COST:  # the variance is that of one unit that is all right or all wrong
        v = theta * max(1, theta) / one
    elif lone:
        return Row(bounds_of(theta, 0, one, 1, level, limits, inf, 0), k, 1, "few")
    own = [None if x is None else share_of(x, limits) for x in alone]
    if limits == (0, 1):
        sides = sum(x is not None and x < 1 for x in own), sum(x is not None and x > 0 for x in own)
    else:  # all right is 0; an undefined unit that moves the score has nothing but errors
        wrong = [abs(y - theta) > 1e-12 if x is None else x > 1e-12 for x, y in zip(own, left)]
        sides = sum(wrong), inf if limits == COST else sum(x is not None and x < 0.5 for x in own)
    flag = "few" if lone or k < 6 else "concentrated" if f + 1 < 6 else None
    least = min(sides) if mixed is None else mixed
    return Row(bounds_of(theta, v, one if lone else k, f, level, limits, least, spans), k, f, flag)


def interval_of_tallies(rows: Sequence[tuple[int, int, int]]) -> Row:
    """The interval of F of units of so many hits, spurious and missed spans."""

    def f(some: Sequence[tuple[int, int, int]]) -> float | None:
        tp, fp, fn = (sum(row[k] for row in some) for k in range(3))
        return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None

    without, alone = ([f([*rows[:k], *rows[k + 1 :]]) for k in range(len(rows))], [f([row]) for row in rows])
    weights = [2 * tp + fp + fn for tp, fp, fn in rows]
    return by_influence(f(rows), without, alone, weights, spans=sum(tp + fn for tp, _, fn in rows))


def by_half_samples(value: float | None, samples: Scores, k: float, limits: Pair, spans: float, level: float) -> Row:
    """The interval of a score from its values in half-samples."""
    defined = [share_of(sample, limits) for sample in samples if sample is not None]
    if value is None or not k or 2 * len(defined) < len(samples):
        return Row(None, k, None, "undefined")
    low, high = np.quantile(defined, [stats.norm.cdf(-1), stats.norm.cdf(1)])
    f = max(k - 1, 3 if limits == COST else 1)
    found = bounds_of(share_of(value, limits), ((high - low) / 2) ** 2, k, f, level, limits, inf, spans)
    return Row(found, k, f, "few" if k < 6 else None)


Found = dict[Path, Row]


Tables = dict[str, dict[Path, float | None]]


def tables_by_unit(documents: Documents, metrics: Metrics) -> tuple[Tables, list[Tables], list[Tables]]:
    """All scores of the documents, of those without each unit, and of each unit alone."""
    without, alone = (
        [score_tables([d for d in documents if (key_of(d) == key) is inside], metrics) for key in keys_of(documents)]
        for inside in (False, True)
    )
    return score_tables(documents, metrics), without, alone


def all_intervals(documents: Documents, metrics: Metrics, level: float = 0.95) -> dict[str, Found]:
    """The intervals of all scores of each metric, on documents that are scored anew without each unit."""
    whole, without, alone = tables_by_unit(documents, metrics)
    found: dict[str, Found] = {}
    for metric in metrics:
        found[metric.name] = rows = {}
        tables = [[table[metric.name] for table in side] for side in ([whole], without, alone)]
        for path, value in whole[metric.name].items():
            weights = block(documents, path, metric).values()
            rows[path] = by_influence(
                value,
                [table[metric.name].get(path) for table in without],
                [table[metric.name].get(path) for table in alone],
                informing(weights, path, metric, *tables),
                metric.score_by_name[path[-1]].limits,
                spans_of(documents, path),
                level,
            )
        _derive(documents, metric, whole[metric.name], rows)
    return found


Table = dict[Path, float | None]


def informing(
    weights: Iterable[float],
    path: Path,
    metric: Metric,
    whole: Sequence[Table],
    without: Sequence[Table],
    alone: Sequence[Table],
) -> list[float]:
    """The weights of units for a score, 0 for each that says nothing about it: alone it has no score, and the score
    without it is the same. Of an average over labels that is asked of the labels' scores: a unit that has none of
    them, and only changes how much each label counts, says nothing about the average. What a unit says about 1 - cost
    it says of the cost, also where this is above 1."""
    path = (*path[:-1], metric.score_by_name[path[-1]].complement_of or path[-1])
    asked = [path]
    if path[0] == "averages":
        if path[1] == "docs":
            return [*weights]
        asked = [place for place in whole[0] if place[0] == "per_type" and place[-1] == path[-1]]

    def informs(left: Table, single: Table) -> bool:
        changes = (abs((left.get(place) or 0) - (whole[0][place] or 0)) > 1e-12 for place in asked)
        return any(single.get(place) is not None for place in asked) or any(changes)

    return [weight if informs(left, single) else 0 for weight, left, single in zip(weights, without, alone)]


def sampled_intervals(
    documents: Documents, metrics: Metrics, level: float, number: int, seed: int, *, collapsed: bool = False
) -> dict[str, Found]:
    """The same from random half-samples, whose documents are scored anew. Collapsed counts do not say which units say
    something about a score, unless these are far fewer than all units."""
    drawn, _ = patterns(seed, keys_of(documents), number, exact=False)
    whole, without, alone = tables_by_unit(documents, metrics)
    halves = [score_tables([d for d in documents if row[key_of(d)]], metrics) for row in drawn]
    found: dict[str, Found] = {}
    for metric in metrics:
        found[metric.name] = rows = {}
        for path, value in whole[metric.name].items():
            weights = block(documents, path, metric).values()
            tables = ([table[metric.name] for table in side] for side in ([whole], without, alone))
            informed = [*weights] if collapsed else informing(weights, path, metric, *tables)
            k, limits = kish(informed), metric.score_by_name[path[-1]].limits
            samples = [half[metric.name].get(path) for half in halves]
            rows[path] = by_half_samples(value, samples, k, limits, spans_of(documents, path), level)
        _derive(documents, metric, whole[metric.name], rows)
    return found


def _derive(documents: Documents, metric: Metric, whole: dict[Path, float | None], found: Found) -> None:
    """Replace the intervals of macro averages and of complements, and flag what is unbounded."""
    for path in whole:
        if path[:2] == ("averages", "macro"):
            limits = metric.score_by_name[path[-1]].limits
            found[path] = found[path]._replace(bounds=_macro(documents, whole, found, path, limits))
    for path in whole:
        other = metric.score_by_name[path[-1]].complement_of
        if other and path[:2] != ("averages", "docs"):
            own, cost, value = found[(*path[:-1], other)].bounds, whole[(*path[:-1], other)], whole[path]
            if own is None or cost is None or value is None:
                bounds = None
            elif path[0] == "averages":
                bounds = max(0, value - (own[1] - cost)), min(1, value + (cost - own[0]))
            else:
                bounds = max(0, 1 - own[1]), max(0, 1 - own[0])
            found[path] = found[path]._replace(bounds=bounds)
    for path, row in found.items():
        if row.flag is None and row.bounds and inf in map(abs, row.bounds):
            found[path] = row._replace(flag="unbounded")


def spans_of(documents: Documents, path: Path) -> int:
    """The number of gold spans, those of the label for a score of a label."""
    spans = [span for document in documents for span in dict.fromkeys(document.gold)]
    return sum(path[0] != "per_type" or span.label == path[1] for span in spans)


def block(documents: Documents, path: Path, metric: Metric | None = None) -> dict[str, float]:
    """The weight of each unit for a score: its documents that have it, or its spans of both sides (of the label)."""
    found = dict.fromkeys(keys_of(documents), 0.0)
    for document in documents:
        spans = [*dict.fromkeys(document.gold), *dict.fromkeys(document.pred)]
        if path[0] == "per_type":
            spans = [span for span in spans if span.label == path[1]]
        if path[:2] == ("averages", "docs"):
            assert metric
            value = score_tables([document], [metric])[metric.name]["scores", path[2]]
            found[key_of(document)] += value is not None
        else:
            found[key_of(document)] += len(spans)
    return found


def _macro(
    documents: Documents, whole: Mapping[Path, float | None], found: Found, path: Path, limits: Pair
) -> Pair | None:
    own = found[path].bounds
    places = [place for place in whole if (place[0], place[-1]) == ("per_type", path[2])]
    # A label without an interval tells nothing: its score may be anything.
    rows = [(value, found[place].bounds or limits) for place in places if (value := whole[place]) is not None]
    if own is None or not rows:
        return own
    mean = sum(value for value, _ in rows) / len(rows)
    below, above = [value - low for value, (low, _) in rows], [high - value for value, (_, high) in rows]
    if limits == COST:  # on x / (1 + x), back by the slope
        shares = [[1 if x == inf else x / (1 + x) for x in (value, low, high)] for value, (low, high) in rows]
        slopes = [(1 + value) ** 2 for value, _ in rows]
        below = [min(x, g * (y - low)) for (x, _), g, (y, low, _) in zip(rows, slopes, shares)]
        above = [g * (high - y) for g, (y, _, high) in zip(slopes, shares)]
    below, above = (sqrt(sum(reach * reach for reach in side)) / len(rows) for side in (below, above))
    return min(own[0], mean - below), max(own[1], mean + above)


def swap_test(
    difference: float, after: Sequence[float], balances: Sequence[float], *, exact: bool, level: float = 0.95
) -> tuple[float, float, Pair]:
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


def share_unseen(seen: int, k: float, confidence: float) -> float:
    """The upper bound of Clopper and Pearson of a share."""
    return float(stats.beta.ppf(confidence, seen + 1, k - seen)) if seen < k else 1.0


def rare_interval(added: Scores, k: float, level: float = 0.95, limit: float = 1) -> Pair:
    """Stringer's bound from what each unit that differs adds to a difference; None where that is undefined."""
    reaches = []
    for sign in (-1, 1):
        falling = sorted((limit if x is None else sign * x for x in added if x is None or sign * x > 0), reverse=True)
        shares = [share_unseen(seen, k, (1 + level) / 2) for seen in range(len(falling) + 1)]
        steps = [(after - before) * k * x for before, after, x in zip(shares, shares[1:], falling)]
        reaches.append(min(limit, shares[0] * limit + sum(steps)))
    return -reaches[0], reaches[1]


def widened(
    difference: float, without: Scores, k: float, interval: Pair, level: float = 0.95, limit: float = 1
) -> Pair:
    """The interval of swaps, widened for the skewness of the influences of units and for units that were not seen."""
    n, z = len(without), stats.norm.ppf((1 + level) / 2)
    moved = [0.0 if x is None else (n - 1) * (difference - x) for x in without]
    away = [x - sum(moved) / n for x in moved]
    s, second = sqrt(sum(x * x for x in away) / (n * (n - 1))), sum(x * x for x in away) / n
    skew = sum(x**3 for x in away) / n / second**1.5 if s > 1e-12 else 0
    x, unseen = skew * (2 * z * z + 1) / (6 * sqrt(n)), abs(difference) * share_unseen(0, k, (1 + level) / 2)
    low = max(-limit, min(interval[0], difference - s * (z - min(x, 0)), difference - unseen))
    high = min(limit, max(interval[1], difference + s * (z + max(x, 0)), difference + unseen))
    return (max(low, 1e-12) if interval[0] > 0 else low), (min(high, -1e-12) if interval[1] < 0 else high)


def limit_of(limits: Pair, *values: float) -> float:
    """The greatest difference: of a cost, the greater of the two costs and at least 1."""
    if max(map(abs, limits)) < inf:
        return limits[1] - limits[0]
    origin = next((end for end in limits if abs(end) < inf), 0)
    return max(1, *(abs(value - origin) for value in values))
