"""Is one system better than another? Differences, their intervals, and tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..about import __version__
from ..core.spans import Document, Span
from ..counting.counts import Counts
from .collapsed_differences import collapsed_rows, effective_units
from .collapsing import stored_half_samples, unit_numbers
from .conclusions import verdict
from .pairs import aligned_runs, paired
from .resampling import Confidence, effective_number_of_units, number_of_units
from .result import mention_numbers, plain, read_with
from .run_differences import run_rows
from .signature import signature
from .statistics.bits import enumerable
from .statistics.conclusion import Footing, signature_part, unit_name
from .statistics.families import PRIMARY, holm_by_family
from .swapping import labels_to_test, swap_rows, swaps_for
from .tested import Asked, Families, families, primary_of
from .transitions import transitions

__all__ = ["System", "compare", "comparison", "families", "swaps_for"]


class System(NamedTuple):
    """A system: its name, its counts, and, if its predictions are available, the outcome of each gold span.

    A system that was trained several times has the counts of each training run.

    >>> from spacy_nereval import Document, count, create_all
    >>> runs = [count([Document([(0, 3, "A")], [])], create_all(["strict"])) for _ in range(2)]
    >>> len(System("A", runs).runs), len(System("B", runs[0]).runs)
    (2, 1)
    """

    name: str
    counts: Counts | Sequence[Counts]
    outcomes: list[dict[Span, str]] | None = None

    @property
    def runs(self) -> list[Counts]:
        """The counts of each training run. Raise ValueError if there are none."""
        found = [self.counts] if isinstance(self.counts, Counts) else [*self.counts]
        if not found:
            raise ValueError(f"{self.name} has no training run: give the counts of one or more")
        return found


def comparison(
    systems: Sequence[System],
    documents: Sequence[Document | None],
    confidence: Confidence | None = None,
    trials: int | None = None,
    *,
    primary: str | None = None,
    secondary: Sequence[str] | None = None,
    labels: bool = False,
    margin: float | None = None,
    short: bool = False,
) -> dict[str, Any]:
    """Compare all systems with the first.

    Args:
        systems: Two or more, counted on the same documents. A system with several training runs
            is compared by their mean scores, see `statistics.runs`; those with collapsed counts by the
            half-samples of these; other systems by swaps.
        documents: The documents, for the texts of the spans that changed.
        confidence: The level of intervals and the seed.
        trials: How many swaps are drawn; by default enough for the number of tests.
        primary: The score that the conclusion is about, METRIC.SCORE; by default the headline of the first metric.
        secondary: The scores of the second family; by default one headline of each further metric.
        labels: Whether the primary score is compared for each label too.
        margin: The largest difference of the primary score that does not matter, in points.
        short: Whether the signature leaves out options that have their default.

    Returns:
        A result in plain Python; ratios are not in per cent. p-values are corrected by Holm's method within families.
        Each row of the primary score has a `verdict`, the sentence that its numbers support. `on_reading` says what
        was left out or changed in each system, a number per training run; `mentions`, if there were any without
        offsets, how those of the first run were found.

    Raises:
        ValueError: The systems were counted on different documents or in different ways,
            there is no such score, or the margin is not above 0.

    >>> from spacy_nereval import Document, count, create_all
    >>> documents = [Document([(0, 3, "A")], [(0, 3, "A")], id=str(k)) for k in range(8)]
    >>> nothing = [Document([(0, 3, "A")], [], id=str(k)) for k in range(8)]
    >>> a, b = (System(name, count(of, create_all(["strict"]))) for name, of in (("a", documents), ("b", nothing)))
    >>> next(row["difference"] for row in comparison([a, b], [])["comparisons"] if row["score"] == "r")
    -1.0
    """
    confidence = (confidence or Confidence()).checked()
    asked = Asked(primary, secondary, labels, margin).checked()
    baseline, *others = systems
    first = baseline.runs[0]
    family = families(first.metrics, primary, secondary)
    aligned = [aligned_runs(first, system.name, system.runs) for system in systems]
    runs, every = [*map(len, aligned)], [counts for own in aligned for counts in own]
    if first.collapsed:
        confidence = _stored(first, confidence, trials, max(runs))
    once = [counts for (counts, *more) in aligned[1:] if runs[0] == 1 and not more]
    if trials is None and not first.collapsed:
        of_labels = sum(labels_to_test(first, counts, family) for counts in once) if labels else 0
        trials = swaps_for(family, asked, systems=len(others), labels=of_labels)
    rows: list[dict[str, Any]] = []
    for other, theirs in zip(others, aligned[1:]):
        for row in _rows(aligned[0], theirs, family, asked, confidence, trials):
            named = {key: row[key] for key in ("metric", "score", "label")} | {"system": other.name}
            rows.append(named | {key: value for key, value in row.items() if key not in named})
    _correct(rows)
    _say(rows, baseline.name, first, family, confidence.level)
    units, k, exact, swaps = _based_on(every, trials if once else None)
    footing = Footing(
        first.unit, units, k, confidence.seed, confidence.samples, confidence.level, swaps=swaps, exact=exact
    )
    more = [
        f"units:{'?' if units is None else units}",
        *([f"runs:{'+'.join(map(str, runs))}"] if max(runs) > 1 else []),
        *asked.signature,
    ]
    located = {way for counts in every for way in counts.located}
    more += [f"mentions:{way}" for way in sorted(located - first.located)]
    mentions = {system.name: mention_numbers(own) for system, (own, *_) in zip(systems, aligned)}
    mentions = {name: numbers for name, numbers in mentions.items() if numbers}
    result: dict[str, Any] = plain(
        {
            "signature": signature(first, signature_part(footing), *more, short=short),
            "version": __version__,
            "documents": first.documents,
            "unit": first.unit,
            "units": units,
            "effective_units": k,
            "baseline": baseline.name,
            "runs": runs,
            "confidence": {"level": confidence.level, "samples": confidence.samples, "seed": confidence.seed},
            "swaps": swaps,
            "exact": exact,
            **({"collapsed": True} if first.collapsed else {}),
            "margin": margin,
            "on_reading": [{"system": system.name, **read_with(own)} for system, own in zip(systems, aligned)],
            **({"mentions": mentions} if mentions else {}),
            "comparisons": rows,
            "transitions": changed_spans(systems, documents),
        }
    )
    return result


def changed_spans(systems: Sequence[System], documents: Sequence[Document | None]) -> list[dict[str, Any]]:
    """Return, for each system after the first, what it changes, where the outcomes of the spans are known."""
    baseline, *others = systems
    return [
        {"system": other.name, **transitions(baseline.outcomes, other.outcomes, documents)}
        for other in others
        if baseline.outcomes is not None and other.outcomes is not None
    ]


def _rows(
    ours: Sequence[Counts],
    theirs: Sequence[Counts],
    family: Families,
    asked: Asked,
    confidence: Confidence,
    trials: int | None,
) -> Iterator[dict[str, Any]]:
    """Return the rows of two systems: by half-samples of collapsed counts, by swaps, or by training runs."""
    if ours[0].collapsed:
        return collapsed_rows(ours[0], theirs[0], family, asked, confidence)
    if len(ours) == len(theirs) == 1:
        assert trials is not None
        return swap_rows(ours[0], theirs[0], family, asked, confidence, trials)
    return run_rows(ours, theirs, family, asked, confidence)


def _stored(counts: Counts, confidence: Confidence, trials: int | None, runs: int) -> Confidence:
    """Return the settings of the half-samples that collapsed counts keep.

    Raises:
        ValueError: Something is asked for that needs documents.
    """
    for wanted, what in ((trials is not None, "permutation tests (--trials)"), (runs > 1, "means of training runs")):
        if wanted:
            counts.check_documents(what)
    samples, seed = stored_half_samples(counts).drawn
    return confidence._replace(samples=samples, seed=seed)


def _based_on(counts: Sequence[Counts], trials: int | None) -> tuple[int | None, float, bool, int | None]:
    """Return the number of units, the effective number, whether swaps are all patterns, and how many there are."""
    first = counts[0]
    if first.collapsed:
        k = min(effective_units(first, other)[""] for other in counts[1:])
        return unit_numbers(first).number, k, False, None
    units, k = number_of_units(first), effective_number_of_units(counts)
    exact = trials is not None and enumerable(units, trials)
    return units, k, exact, 2**units if exact else trials


def _correct(rows: Sequence[dict[str, Any]]) -> None:
    """Add to each row the p-value corrected within its family, and the number of tests there."""
    adjusted = holm_by_family([row["p"] for row in rows], [row["family"] for row in rows])
    for row, p, size in zip(rows, adjusted.p.tolist(), adjusted.sizes.tolist()):
        row |= {"p_holm": p, "tests": size}


def _say(rows: Sequence[dict[str, Any]], baseline: str, counts: Counts, family: Families, level: float) -> None:
    """Add the sentence to each row of the primary score, and None to the others."""
    primary = primary_of(counts.metrics, family)
    units = f"{unit_name(counts.unit)}s"
    for row in rows:
        row["verdict"] = None
        if row["family"] == PRIMARY and primary:
            row["verdict"] = verdict(row, primary[1], baseline=baseline, level=level, units=units)


def compare(
    baseline: Counts,
    system: Counts,
    *,
    confidence: Confidence = Confidence(),
    trials: int | None = None,
    primary: str | None = None,
    secondary: Sequence[str] | None = None,
    labels: bool = False,
    margin: float | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each score that has a score key or is a headline.

    A row has both values, the difference, its interval, and p.

    Null hypothesis: per unit, the two systems' outputs are exchangeable. p is two-sided. With
    few units all swaps are enumerated, else `trials` are drawn. The interval holds every
    difference that the same test does not reject; where fewer than 6 units differ there is
    neither. Only scores of a family have a p, see `families`.

    Args:
        baseline, system: Counts of the same documents, in any order.
        confidence: Level and seed.
        trials: Number of swaps; by default enough for the number of tests.
        primary, secondary, labels, margin: See `comparison`.

    Returns:
        Rows in the order of the metrics and their scores. Ratios and their differences are not in per cent.

    Raises:
        ValueError: The two were not counted on the same documents, or a setting is out of range.

    >>> from spacy_nereval import Document, count, create_all
    >>> counts = count([Document([(0, 3, "A")], [(0, 3, "A")])], create_all(["strict"]))
    >>> [(row["score"], row["difference"]) for row in compare(counts, counts)]
    [('p', 0.0), ('r', 0.0), ('f', 0.0)]
    """
    confidence.checked()
    asked = Asked(primary, secondary, labels, margin).checked()
    family = families(baseline.metrics, primary, secondary)
    system = paired(baseline, system)
    if baseline.collapsed:
        confidence = _stored(baseline, confidence, trials, 1)
    elif trials is None:
        trials = swaps_for(family, asked, labels=labels_to_test(baseline, system, family) if labels else 0)
    return [*_rows([baseline], [system], family, asked, confidence, trials)]
