"""Is one system better than another? Differences, their intervals, and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..core.about import __version__
from ..core.arguments import TRIALS, check_value
from ..core.messages import named
from ..core.spans import Document, Span
from ..counting.counts import Counts
from .bounds import FEW, FEW_UNITS, UNBOUNDED
from .collapsing import stored_half_samples, unit_numbers
from .conclusion import Footing, margin_sentence, points, signature_part, unit_name, verdict
from .differences import (
    LEAST_DIFFERING,
    NOT_ENOUGH,
    Differences,
    against_margin,
    equivalence_level,
    number_of_swaps,
    units_to_tell,
)
from .error_list import outcomes_of, transitions
from .evidence import Evidence, by_halves, by_runs, by_swaps, effective_units
from .pairs import Pair, aligned_runs, all_labels
from .resampling import Confidence, effective_number_of_units, enumerable, number_of_units
from .result import mention_numbers, plain, read_with, signature
from .tested import PRIMARY, Asked, Families, difference, families, holm_by_family, largest_family, primary_of, subjects


class System:
    """A system: its name, its counts, and its documents if they were kept.

    Args:
        name: Its name.
        counts: Its counts; those of each training run if it was trained several times.
        documents: Its documents, None for one without gold annotation. Those of several training runs are not kept.

    Attributes:
        runs: The counts of each training run.
        documents: The documents; None if they were not kept.

    Raises:
        ValueError: There is no training run.

    >>> from spacy_nereval import Document, count, create_all
    >>> documents = [Document([(0, 3, "A")], [])]
    >>> counts = count(documents, create_all(["strict"]))
    >>> len(System("A", [counts, counts]).runs), System("B", counts).outcomes, System("C", counts, documents).outcomes
    (2, None, [{Span(start=0, end=3, label='A'): 'missed'}])
    """

    def __init__(
        self,
        name: str,
        counts: Counts | Sequence[Counts],
        documents: Sequence[Document | None] | None = None,
    ) -> None:
        self.name = name
        self.runs: list[Counts] = [counts] if isinstance(counts, Counts) else [*counts]
        if not self.runs:
            raise ValueError(f"{name} has no training run: give the counts of one or more")
        self.documents: Sequence[Document | None] | None = documents if len(self.runs) == 1 else None

    @property
    def counts(self) -> Counts:
        """The counts of the first training run; most systems have one."""
        return self.runs[0]

    @cached_property
    def annotated_documents(self) -> list[Document]:
        """The documents that have gold annotation."""
        return [document for document in self.documents or () if document]

    @cached_property
    def outcomes(self) -> list[dict[Span, str]] | None:
        """The outcome of each gold span of each document; None without documents."""
        return None if self.documents is None else outcomes_of(self.documents, self.counts.metrics)


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
        primary: The score that the conclusion is about, METRIC.SCORE or its score key; by default the headline of the
            first metric.
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
    if trials is not None:
        check_value("trials", trials, TRIALS)
    baseline, *others = systems
    first = baseline.runs[0]
    asked = Asked(primary, secondary, labels, margin).of(first.metrics)
    family = families(first.metrics, asked.primary, asked.secondary)
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
    _say(rows, baseline.name, first, confidence.level)
    units, k, exact, swaps = _based_on(every, trials if once else None)
    samples = confidence.samples if first.collapsed or any(metric.distinct for metric in first.metrics) else None
    seed = None if samples is swaps is None else confidence.seed
    footing = Footing(first.unit, units, k, seed, samples, confidence.level, swaps=swaps, exact=exact)
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
            "confidence": {"level": confidence.level, "samples": samples, "seed": seed},
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
) -> list[dict[str, Any]]:
    """Return a row per score, metric by metric, and then one per label, if labels are asked for."""
    first = ours[0]
    wanted = subjects(first.metrics, family, all_labels(*ours, *theirs) if asked.labels else ())
    if first.collapsed:
        found = by_halves(first, theirs[0], wanted)
    elif len(ours) == len(theirs) == 1:
        assert trials is not None
        found = by_swaps(first, theirs[0], wanted, confidence, trials)
    else:
        found = by_runs(ours, theirs, wanted, confidence)
    units = unit_numbers(first).number if first.collapsed else number_of_units(first)
    rows = {each.subject.key: difference_row(each, confidence.level, asked.margin, units, first) for each in found}
    for row in rows.values():
        few = row["differing"] is not None and row["differing"] < LEAST_DIFFERING
        if few and row["family"] == PRIMARY:
            row["differing_documents"] = _differing_documents([*ours, *theirs], row["metric"])
    return [rows[subject.key] for subject in wanted]


def difference_row(
    found: Evidence, level: float, margin: float | None, units: int | None, counts: Counts
) -> dict[str, Any]:
    """Return the row of one score; without a family it has no p.

    Flags are those of the interval of a score: `few` for fewer than 6 effective units, `unbounded`
    where a bound is infinite, which JSON shows as null.
    """
    subject, (a, b), nothing = found.subject, found.values, np.array(np.nan)
    test = found.test(level) if found.test else Differences(*[nothing] * len(Differences._fields))
    p, p_better, low, high, detectable = map(float, test)
    tested = bool(subject.family)
    row = {
        "metric": subject.metric.name,
        "score": subject.score.name,
        "label": subject.label,
        "family": subject.family,
        "baseline_value": a,
        "value": b,
        "difference": difference(a, b),
        "interval": [low, high],
        "p": p if tested else math.nan,
        "p_better": p_better if tested else math.nan,
        "k": found.k,
        "flag": FEW if found.k < FEW_UNITS else UNBOUNDED if math.isinf(high - low) else None,
        "differing": found.differing,
        "differing_documents": None,
        "detectable": detectable,
        "same_within": None,
        "margin_answer": None,
        "units_needed": None,
        "runs": [*found.runs],
        "degrees_of_freedom": found.freedom,
        "share_of_training": found.training,
        "score_unit": subject.score.unit,
        "higher_is_better": subject.score.higher_is_better,
        "headline": subject.score.headline,
        **({} if found.error is None else {"standard_error": found.error}),
    }
    if margin is not None and subject.family == PRIMARY:
        row |= _against_margin(found, level, margin, units, counts)
    return row


def _against_margin(found: Evidence, level: float, margin: float, units: int | None, counts: Counts) -> dict[str, Any]:
    """Return what the interval at twice the error says about a margin, in points: if it is held, and in words."""
    factor, score = points(found.subject.score.unit), found.subject.score
    level = equivalence_level(level)
    if not math.isfinite(difference(*found.values)):
        return {}
    low, high = math.nan, math.nan
    if found.test:
        test = found.test(level)
        low, high = factor * float(test.low), factor * float(test.high)
    answer = against_margin(*((low, high) if score.higher_is_better else (-high, -low)), margin)
    needed = units_to_tell(units, low, high, margin) if units and answer == NOT_ENOUGH else None
    more = ((high - low) / 2 / margin) ** 2 if needed and max(found.runs) > 1 else 1
    name = f"{unit_name(counts.unit, units, counts.documents)}s"
    return {
        "same_within": margin if -margin < low and high < margin else None,
        "margin_answer": margin_sentence(answer, margin, name, needed, more),
        "units_needed": needed,
    }


def _differing_documents(counted: Sequence[Counts], name: str) -> list[str | int]:
    """Return the names of the documents in which some counts of a metric differ."""
    first, *others = counted
    metric = next(metric for metric in first.metrics if metric.name == name)
    found = {doc for other in others for doc in Pair(first, other, [metric]).differing_documents(metric).tolist()}
    return [doc if first.ids[doc] is None else first.ids[doc] for doc in sorted(found)]


def _stored(counts: Counts, confidence: Confidence, trials: int | None, runs: int) -> Confidence:
    """Return the settings of the half-samples that collapsed counts keep.

    Raises:
        ValueError: Something is asked for that needs documents.
    """
    if trials is not None:
        counts.check_documents(f"permutation tests ({named('trials')})")
    if runs > 1:
        counts.check_documents("means of training runs")
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


def _say(rows: Sequence[dict[str, Any]], baseline: str, counts: Counts, level: float) -> None:
    """Add the sentence to each row of the primary score, and None to the others."""
    number = unit_numbers(counts).number if counts.collapsed else number_of_units(counts)
    units = f"{unit_name(counts.unit, number, counts.documents)}s"
    for row in rows:
        row["verdict"] = None
        if row["family"] == PRIMARY:
            row["verdict"] = verdict(row, baseline=baseline, level=level, units=units)


def labels_to_test(baseline: Counts, system: Counts, family: Families) -> int:
    """Return how many labels have enough differing units to be tested by the primary score."""
    primary = primary_of(baseline.metrics, family)
    if primary is None:
        return 0
    pair = Pair(baseline, system, [primary[0]], all_labels(baseline, system))
    return int((pair.differing(primary[0])[:, :-1].sum(axis=0) >= LEAST_DIFFERING).sum())


def swaps_for(family: Families, asked: Asked = Asked(), *, systems: int = 1, labels: int = 0) -> int:
    """Return how many swaps are drawn by default.

    Args:
        family: The family of tests of each score, see `families`.
        asked: What is tested.
        systems: How many systems are compared with the baseline.
        labels: How many tests of labels there are, with all systems together.

    >>> from spacy_nereval import create_all
    >>> swaps_for(families(create_all())), swaps_for(families(create_all()), systems=2)
    (10000, 20000)
    """
    return number_of_swaps(max(systems * largest_family([*family.values()]), labels if asked.labels else 0))
