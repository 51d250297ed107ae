"""The metrics once more, as slowly and plainly as their definitions read.

Brute force over sets of characters and over all pairings, for documents of a
few spans. Nothing here comes from the package, and nothing here is clever: a
twin is right when it reads like the paper. Spans are (start, end, label); a
verdict is (name, gold, pred, amount) with None for an absent span."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Triple = tuple[int, int, str]


Verdict = tuple[str, Triple | None, Triple | None, Any]


Pairing = list[tuple[Triple, Triple]]


def characters(span: Sequence[Any]) -> set[int]:
    return set(range(span[0], span[1]))


# Tallies


def tally(
    verdicts: Iterable[Verdict],
    columns: Mapping[str, Sequence[str]],
    amounts: Mapping[str, Sequence[str]],
    focus: str = "target",
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Overall and per label, how many verdicts each column counts and what they amount to.

    A pair counts for its gold label, or with focus "system" for its predicted
    label; a lone span for its own.
    """
    verdicts = list(verdicts)
    labels = {span[2] for _, gold, pred, _ in verdicts for span in (gold, pred) if span}
    total = dict.fromkeys([*columns, *amounts], 0)
    rows = {label: dict(total) for label in labels}
    for name, gold, pred, amount in verdicts:
        label = ((gold or pred) if focus == "target" else (pred or gold))[2]
        for worth, sums in ((1, columns), (amount, amounts)):
            for column in [column for column, names in sums.items() if name in names]:
                total[column] += worth
                rows[label][column] += worth
    return total, rows


def confusion(verdicts: Iterable[Verdict], shown: Iterable[str]) -> dict[str, dict[str, int]]:
    """Gold label to predicted label to number, "" for no span, empty cells left out."""
    matrix: dict[str, dict[str, int]] = {}
    for name, gold, pred, _ in verdicts:
        if name in shown:
            row = matrix.setdefault(gold[2] if gold else "", {})
            row[pred[2] if pred else ""] = row.get(pred[2] if pred else "", 0) + 1
    return matrix


# Section 1: set arithmetic


def strict(gold: Iterable[Triple], pred: Iterable[Triple]) -> Iterator[Verdict]:
    gold, pred = set(gold), set(pred)
    yield from (("tp", span, span, 1) for span in gold & pred)
    yield from (("fn", span, None, 1) for span in gold - pred)
    yield from (("fp", None, span, 1) for span in pred - gold)


# Sections 2 and 3: the alignment


def pairings(pairs: Sequence[tuple[Any, Any]]) -> Iterator[list[tuple[Any, Any]]]:
    """Every one-to-one choice from the pairs.

    >>> list(pairings([(0, "x"), (0, "y"), (1, "x")]))
    [[(0, 'x')], [(0, 'y'), (1, 'x')], [(0, 'y')], [(1, 'x')], []]
    """
    if not pairs:
        yield []
        return
    (a, b), *rest = pairs
    yield from ([(a, b), *more] for more in pairings([(c, d) for c, d in rest if c != a and d != b]))
    yield from pairings(rest)


def alignment(gold: Iterable[Triple], pred: Iterable[Triple]) -> Pairing:
    """Of all pairings of spans that share a character or have identical boundaries,
    the greatest by the criteria of section 2, then the leftmost."""
    allowed = [
        (g, p)
        for g, p in product(sorted(set(gold)), sorted(set(pred)))
        if characters(g) & characters(p) or g[:2] == p[:2]
    ]

    def rank(pairs: Pairing) -> tuple:
        return (
            -sum(g == p for g, p in pairs),
            -sum(g[:2] == p[:2] for g, p in pairs),
            -len(pairs),
            -sum(g[2] == p[2] for g, p in pairs),
            -sum(len(characters(g) & characters(p)) for g, p in pairs),
            sorted(pairs),
        )

    return min(pairings(allowed), key=rank)


def aligned(gold: Iterable[Triple], pred: Iterable[Triple], names: Sequence[str]) -> Iterator[Verdict]:
    """The alignment's verdicts: names for both right, boundaries right, label right,
    nothing right, gold left over, prediction left over."""
    both, boundaries, label, nothing, missing, spurious = names
    gold, pred = set(gold), set(pred)
    for g, p in alignment(gold, pred):
        if g == p:
            yield both, g, p, 1
        elif g[:2] == p[:2]:
            yield boundaries, g, p, 1
        elif g[2] == p[2]:
            yield label, g, p, 1
        else:
            yield nothing, g, p, 1
        gold.remove(g)
        pred.remove(p)
    yield from ((missing, g, None, 1) for g in gold)
    yield from ((spurious, None, p, 1) for p in pred)


def schemes(c: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """The table of section 2, from the six kinds of pair."""
    pairs = c["match"] + c["type_error"] + c["extent_error"] + c["both_error"]
    same_boundaries, same_label = c["match"] + c["type_error"], c["match"] + c["extent_error"]
    table = {
        "strict": (c["match"], pairs - c["match"], 0),
        "exact": (same_boundaries, pairs - same_boundaries, 0),
        "partial": (same_boundaries, 0, pairs - same_boundaries),
        "type": (same_label, pairs - same_label, 0),
    }
    rest = {"mis": c["mis"], "spu": c["spu"], "pos": pairs + c["mis"], "act": pairs + c["spu"]}
    return {name: {"cor": cor, "inc": inc, "par": par} | rest for name, (cor, inc, par) in table.items()}


# Section 4: Loio


def loio(gold: Iterable[Triple], pred: Iterable[Triple], optimal: bool = False) -> Iterator[Verdict]:
    gold, pred = set(gold), set(pred)
    for label in {span[2] for span in gold | pred}:
        expected = sorted(span for span in gold if span[2] == label)
        actual = sorted(span for span in pred if span[2] == label)
        for span in [span for span in actual if span in expected]:
            yield "exact", span, span, 1
            expected.remove(span)
            actual.remove(span)
        for g, p in _most_credit(expected, actual) if optimal else _walk(expected, actual):
            yield "overlap", g, p, factor(g, p)
            expected.remove(g)
            actual.remove(p)
        yield from (("fn", span, None, 1) for span in expected)
        yield from (("fp", None, span, 1) for span in actual)


def factor(a: Triple, b: Triple) -> Fraction:
    """Shared characters over the length of the longer span."""
    shared = len(characters(a) & characters(b))
    return Fraction(shared, max(len(characters(a)), len(characters(b)))) if shared else Fraction(0)


def _walk(expected: Sequence[Triple], actual: Sequence[Triple]) -> Pairing:
    remaining, pairs = list(expected), []
    for p in actual:
        for g in remaining:
            if characters(g) & characters(p):
                pairs.append((g, p))
                remaining.remove(g)
                break
    return pairs


def _most_credit(expected: Sequence[Triple], actual: Sequence[Triple]) -> Pairing:
    met = [(g, p) for g, p in product(expected, actual) if factor(g, p)]
    return min(pairings(met), key=lambda pairs: (-sum(factor(g, p) for g, p in pairs), sorted(pairs)))


# Section 0: averages


def mean(values: Iterable[float | None], weights: Iterable[float] | None = None) -> tuple[float | None, int]:
    """The weighted mean of what is defined, and how many are not.

    >>> mean([1.0, None, 0.0]), mean([1.0, None, 0.0], [3, 9, 1]), mean([None])
    ((0.5, 1), (0.75, 1), (None, 1))
    """
    values = list(values)
    weights = [1] * len(values) if weights is None else list(weights)
    defined = [(value, weight) for value, weight in zip(values, weights) if value is not None]
    total = sum(weight for _, weight in defined)
    undefined = len(values) - len(defined)
    return (sum(value * weight for value, weight in defined) / total if total else None), undefined
