"""FairEval and WRF once more, as slowly and plainly as their definitions read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from twins import Triple, Verdict, characters, mean

# Section 5: FairEval, Algorithm 2


def fair(  # noqa: C901  # in one piece, as the paper states it
    gold: Iterable[Triple], pred: Iterable[Triple], tokens: Sequence[tuple[int, int]] | None = None
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


def words(
    span: Triple, text: str, tokens: Sequence[tuple[int, int]], case: str = "lower", unigrams: str = "token"
) -> list[str]:
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
