"""The metrics once more, as slowly and plainly as their definitions read.

Brute force over sets of characters and over all pairings, for documents of a
few spans. Nothing here comes from the package, and nothing here is clever: a
twin is right when it reads like the paper. Spans are (start, end, label); a
verdict is (name, gold, pred, amount) with None for an absent span."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

Triple = tuple[int, int, str]


Verdict = tuple[str, Triple | None, Triple | None, Any]


Pairing = list[tuple[Triple, Triple]]


Tokens = Sequence[tuple[int, int]]


def characters(span: Sequence[Any]) -> set[int]:
    """Where there are gaps, a span has its end and its pieces in place of its end; no pieces if it has no gaps."""
    end, pieces = span[1] if isinstance(span[1], tuple) else (span[1], ())
    return {place for piece in pieces or [(span[0], end)] for place in range(*piece)}


# Tallies


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
    pairs = product(sorted(set(gold)), sorted(set(pred)))
    allowed = [(g, p) for g, p in pairs if characters(g) & characters(p) or g[:2] == p[:2]]

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


# FairEval and WRF once more, as slowly and plainly as their definitions read


# Section 5: FairEval, Algorithm 2


def fair(  # noqa: C901  # in one piece, as the paper states it
    gold: Iterable[Triple], pred: Iterable[Triple], tokens: Tokens | None = None
) -> Iterator[Verdict]:
    """Algorithm 2 over characters, or over tokens if there are any."""

    def units(span: Triple) -> set[int]:
        if tokens is None:
            return characters(span)
        return {k for k, token in enumerate(tokens) if characters(token) & characters(span)}

    def shortest_first(spans: Iterable[Triple]) -> list[Triple]:
        return sorted(spans, key=lambda span: (len(units(span)), span))

    target, system = shortest_first(set(gold)), shortest_first(set(pred))

    # Step 1
    for t in list(target):
        if t in system:
            yield "tp", t, t, 1
            target.remove(t)
            system.remove(t)
    for t in list(target):
        for s in system:
            if t[:2] == s[:2]:
                yield "le", t, s, 1
                target.remove(t)
                system.remove(s)
                break

    # Steps 2 and 3
    target_units = {t: units(t) for t in target}
    system_units = {s: units(s) for s in system}
    matched_target: list[Triple] = []
    matched_system: list[Triple] = []

    def update(t: Triple, s: Triple) -> None:
        shared = target_units[t] & system_units[s]
        target_units[t] -= shared
        system_units[s] -= shared

    def most_similar(span: Triple, its_units: set, others: Sequence[Triple], other_units: dict, equal: bool) -> Any:
        found = [o for o in others if (o[2] == span[2]) is equal and its_units & other_units[o]]
        return min(
            found,
            key=lambda o: (-len(its_units & other_units[o]), len(its_units ^ other_units[o]), len(units(o)), o),
            default=None,
        )

    for equal in (True, False):
        for t in list(target):
            s = most_similar(t, target_units[t], system, system_units, equal)
            if s is not None:
                yield (boundary_error(t, s) if equal else "lbe"), t, s, 1
                update(t, s)
                target.remove(t)
                matched_target.append(t)
                system.remove(s)
                matched_system.append(s)
        for t in list(target):
            s = most_similar(t, target_units[t], matched_system, system_units, equal)
            if s is not None:
                yield (boundary_error(t, s) if equal else "lbe"), t, s, 1
                update(t, s)
                target.remove(t)
                matched_target.append(t)
        for s in list(system):
            t = most_similar(s, system_units[s], matched_target, target_units, equal)
            if t is not None:
                yield (boundary_error(t, s) if equal else "lbe"), t, s, 1
                update(t, s)
                system.remove(s)
                matched_system.append(s)

    # Step 4
    yield from (("fn", t, None, 1) for t in target)
    yield from (("fp", None, s, 1) for s in system)


def boundary_error(t: Triple, s: Triple) -> str:
    if characters(s) <= characters(t):
        return "be_s"
    return "be_l" if characters(t) <= characters(s) else "be_o"


# Section 6: WRF


def words(span: Triple, text: str, tokens: Tokens, case: str = "lower", unigrams: str = "token") -> list[str]:
    if unigrams == "token":
        pieces = ["".join(text[k] for k in range(*token) if k in characters(span)) for token in tokens]
    else:
        pieces = "".join(text[k] for k in sorted(characters(span))).split()
    pieces = [piece for piece in pieces if piece.strip()]
    return [piece.lower() for piece in pieces] if case == "lower" else pieces


def rouge_counts(document: Any, unique: bool = True, **how: str) -> dict[str, tuple[int, int, int]]:
    """Per class that has words, and for "combined", M, P and T of one document."""
    gold, pred = set(document.gold), set(document.pred)
    counts = {}
    for label in {span[2] for span in gold | pred} | {"combined"}:
        p, t = (
            Counter(
                word
                for span in side
                if label in (span[2], "combined")
                for word in words(span, document.text, document.tokens, **how)
            )
            for side in (pred, gold)
        )
        if unique:
            p, t = Counter(set(p)), Counter(set(t))
        if p or t:
            counts[label] = ((p & t).total(), p.total(), t.total())
    return counts


def rouge(m: int, p: int, t: int) -> dict[str, Fraction | None]:
    return {
        "r1_p": Fraction(m, p) if p else None,
        "r1_r": Fraction(m, t) if t else None,
        "r1_f": Fraction(2 * m, p + t) if p + t else None,
    }


class Words(NamedTuple):
    """Of each class and of "combined": M, P, T and the number of documents; R1-P, R1-R and R1-F1. And WRF."""

    counts: dict[str, tuple[int, int, int, int]]
    scores: dict[str, dict[str, Fraction | None]]
    wrf: Fraction | None


def wrf(
    documents: Iterable[Any],
    weights: str | Mapping[str, Fraction] = "strict",
    average: str = "docs",
    unique: bool = True,
    **how: str,
) -> Words:
    per_document = [rouge_counts(document, unique, **how) for document in documents]
    classes = sorted({label for counts in per_document for label in counts})
    counts, scores = {}, {}
    for label in classes:
        rows = [counts[label] for counts in per_document if label in counts]
        m, p, t = (sum(column) for column in zip(*rows))
        counts[label] = (m, p, t, len(rows))
        if average == "micro":
            scores[label] = rouge(m, p, t)
        else:
            scores[label] = {x: mean([rouge(*row)[x] for row in rows])[0] for x in ("r1_p", "r1_r", "r1_f")}
    k = [label for label in classes if label != "combined"]
    if len(k) > 1:
        k.append("combined")
    if weights == "strict":
        gamma = {label: Fraction(1) for label in k}
    elif weights == "lenient":
        gamma = {label: Fraction(2 if label == "combined" else 1) for label in k}
    else:
        gamma = {label: weights[label] for label in k}
    total = sum(gamma.values())
    return Words(counts, scores, sum(gamma[label] * scores[label]["r1_f"] for label in k) / total if total else None)
