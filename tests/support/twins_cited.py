"""The cited metrics once more, as slowly and plainly as their definitions read.

Sets of characters, sets of tokens, and all pairings; for documents of a few
spans. Nothing here comes from the package. Spans are (start, end, label); a
verdict is (name, gold, pred, amount) with None for an absent span.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import log2
from typing import Any

from twins import Pairing, Tokens, Triple, Verdict, characters, pairings

Side = Iterable[Triple]
Verdicts = Iterator[Verdict]


def label_by_label(gold: Side, pred: Side, typed: bool) -> Iterator[tuple[Side, Side]]:
    """Both sides, without doubles and in order; typed once for each label."""
    gold, pred = sorted(set(gold)), sorted(set(pred))
    if not typed:
        yield gold, pred
    else:
        for label in {span[2] for span in gold + pred}:
            yield [span for span in gold if span[2] == label], [span for span in pred if span[2] == label]


# Tokens and characters


def verdicts_on_units(gold: Mapping[Any, Triple], pred: Mapping[Any, Triple]) -> Counter:
    """Given the span that each unit is in, on either side: (name, gold span, predicted span) to number of units."""
    said: Counter = Counter()
    for unit in gold.keys() | pred.keys():
        g, p = gold.get(unit), pred.get(unit)
        said["tp" if g and p else "fn" if g else "fp", g, p] += 1
    return said


def owners(side: Side) -> dict[int, Triple]:
    """For each character in a span the leftmost, then the shortest, then the one of the smallest label."""
    return {place: min(s for s in side if place in characters(s)) for span in side for place in characters(span)}


def char(gold: Side, pred: Side, typed: bool = True) -> Verdicts:
    for ours, theirs in label_by_label(gold, pred, typed):
        yield from ((*key, n) for key, n in verdicts_on_units(owners(ours), owners(theirs)).items())


def tags(side: Side, token: tuple[int, int], tokens: Tokens, scheme: str) -> dict[tuple[str, str], Triple]:
    """The tags of a token, outside of all spans none, and the span that each comes from."""
    over = [span for span in side if characters(span) & characters(token)]
    found = {}
    for label in {span[2] for span in over}:
        spans = [span for span in over if span[2] == label]
        begins = any(not any(characters(s) & characters(t) for t in tokens if t < token) for s in spans)
        found[label, "" if scheme == "plain" else "B" if begins else "I"] = min(spans)
    return found


def token(gold: Side, pred: Side, tokens: Tokens, scheme: str = "plain") -> Verdicts:
    said: Counter = Counter()
    gold, pred = set(gold), set(pred)
    for place in tokens:
        ours, theirs = (tags(side, place, tokens, scheme) for side in (gold, pred))
        said += verdicts_on_units(ours, theirs)
        said["correct" if ours.keys() == theirs.keys() else "wrong", None, None] += 1
    yield from ((*key, n) for key, n in said.items())


# Pairs


def meet(a: Triple, b: Triple) -> bool:
    return bool(characters(a) & characters(b)) or a[:2] == b[:2]


def closeness(pairs: Pairing) -> tuple[int, Pairing]:
    """What settles ties: characters that only one of a pair has, then the leftmost pairs."""
    return sum(len(characters(g) ^ characters(p)) for g, p in pairs), sorted(pairs)


def relaxed(gold: Side, pred: Side, typed: bool = False, strong: bool = False) -> Verdicts:
    gold, pred = set(gold), set(pred)
    pairs = [(g, p) for g, p in product(gold, pred) if not typed or g[2] == p[2]]
    allowed = [(g, p) for g, p in pairs if (g[:2] == p[:2] if strong else meet(g, p))]

    def rank(pairs: Pairing) -> tuple:
        return -len(pairs), -sum(g[2] == p[2] for g, p in pairs), *closeness(pairs)

    pairs = min(pairings(allowed), key=rank)
    yield from (("tp", g, p, 1) for g, p in pairs)
    yield from (("fn", g, None, 1) for g in gold - {g for g, _ in pairs})
    yield from (("fp", None, p, 1) for p in pred - {p for _, p in pairs})


def in_list_order(gold: Sequence[Triple], pred: Sequence[Triple], typed: bool = False) -> tuple[int, int, int]:
    """tp, fp and fn when each prediction takes the first free gold span of the list, as GERBIL does."""
    free = list(gold)
    for p in pred:
        for g in free:
            if meet(g, p) and (not typed or g[2] == p[2]):
                free.remove(g)
                break
    tp = len(gold) - len(free)
    return tp, len(pred) - tp, len(gold) - tp


def ace(
    gold: Side,
    pred: Side,
    min_overlap: Fraction = Fraction(3, 10),
    type_error: Fraction = Fraction(1, 2),
    false_alarm: Fraction = Fraction(3, 4),
    weights: Mapping[str, Fraction] | str = "equal",
) -> tuple[Fraction | None, list[Verdict]]:
    """The value, and what it is made of."""
    gold, pred = set(gold), set(pred)
    weight = {span[2]: Fraction(1) for span in gold | pred} | ({} if isinstance(weights, str) else dict(weights))

    def gate(g: Triple, p: Triple) -> bool:
        longer = max(len(characters(g)), len(characters(p)))
        return meet(g, p) and (not longer or Fraction(len(characters(g) & characters(p)), longer) >= min_overlap)

    def worth(g: Triple, p: Triple) -> Fraction:
        return min(weight[g[2]], weight[p[2]]) * (1 if g[2] == p[2] else type_error)

    def value(pairs: Pairing) -> Fraction:
        spurious = pred - {p for _, p in pairs}
        return sum(worth(g, p) for g, p in pairs) - false_alarm * sum(weight[p[2]] for p in spurious)

    allowed = [(g, p) for g, p in product(gold, pred) if gate(g, p)]
    pairs = min(pairings(allowed), key=lambda pairs: (-value(pairs), -len(pairs), *closeness(pairs)))
    verdicts: list[Verdict] = [("mapped", g, p, worth(g, p)) for g, p in pairs]
    verdicts += [("err", g, p, weight[g[2]] - worth(g, p)) for g, p in pairs if worth(g, p) < weight[g[2]]]
    verdicts += [("miss", g, None, weight[g[2]]) for g in gold - {g for g, _ in pairs}]
    verdicts += [("fa", None, p, weight[p[2]]) for p in pred - {p for _, p in pairs}]
    total = sum(weight[g[2]] for g in gold)
    return (value(pairs) / total if total else None), verdicts


# Coverage


def share(span: Triple, others: Side, how: str) -> Fraction:
    others = list(others)
    if not characters(span):
        return Fraction(any(other[:2] == span[:2] for other in others))
    if how == "sum":
        inside = len({place for other in others for place in characters(other)} & characters(span))
    else:
        inside = max((len(characters(other) & characters(span)) for other in others), default=0)
    return Fraction(inside, len(characters(span)))


def overlap(gold: Side, pred: Side, recall: str = "max", precision: str = "max", typed: bool = False) -> Verdicts:
    for ours, theirs in label_by_label(gold, pred, typed):
        for g in ours:
            c = share(g, theirs, recall)
            yield "covered_gold" if c else "fn", g, None, c
        for p in theirs:
            c = share(p, ours, precision)
            yield "covered_pred" if c else "fp", None, p, c


def pieces(gold: Side, pred: Side) -> Verdicts:
    for g in gold:
        found = [p for p in pred if characters(g) & characters(p)]
        yield from (("fragment" if k else "detected", g, p, 1) for k, p in enumerate(found))


def plagdet(gold: Side, pred: Side, average: str = "macro", typed: bool = False) -> Verdicts:
    if average == "macro":
        yield from overlap(gold, pred, "sum", "sum", typed)
    for ours, theirs in label_by_label(gold, pred, typed):
        yield from pieces(ours, theirs)
        if average == "micro":
            said: Counter = Counter()
            for (_, g, p), n in verdicts_on_units(owners(ours), owners(theirs)).items():
                if g:
                    said["covered_gold" if p else "fn", g, None] += n
                if p:
                    said["covered_pred" if g else "fp", None, p] += n
            yield from ((*key, n) for key, n in said.items())


def plagdet_score(p: Fraction | None, r: Fraction | None, detections: int, detected: int) -> tuple[Any, Any, Any]:
    """F, granularity, and the score made of both."""
    if p is None and r is None:
        return None, None, None
    granularity = Fraction(detections, detected) if detected else Fraction(1)
    f = 2 * p * r / (p + r) if p and r else Fraction(0)
    return f, granularity, f / Fraction(log2(1 + granularity))
