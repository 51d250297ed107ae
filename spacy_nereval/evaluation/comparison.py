"""Is one system better than another? Differences, their intervals, and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..core.about import __version__
from ..core.arguments import TRIALS, check_value
from ..core.messages import spell_argument
from ..core.spans import Document, Span
from ..counting.counts import Counts
from .bounds import FEW, FEW_UNITS, UNBOUNDED
from .collapsing import require_half_samples, unit_numbers
from .conclusion import Footing, conclude, margin_sentence, points_per_unit, signature_part, unit_name
from .differences import (
    LEAST_DIFFERING,
    NOT_ENOUGH,
    Differences,
    equivalence_level,
    margin_answer,
    number_of_swaps,
    units_for_rare_loss,
    units_to_tell,
)
from .error_list import outcomes_per_document, transitions
from .evidence import Evidence, half_sample_evidence, pair_effective_units, run_evidence, swap_evidence
from .pairs import Pair, align_runs, all_labels
from .resampling import Confidence, Units, effective_number_of_units, is_enumerable, number_of_units
from .result import make_plain, mention_numbers, reading_numbers, signature
from .tested import (
    PRIMARY,
    Families,
    Hypotheses,
    difference,
    families,
    find_primary,
    holm_by_family,
    largest_family,
    subjects,
)


class System:
    """A system: its name, its counts, and its documents if they were kept.

    Args:
        name: Its name.
        counts: Its counts; those of each training run if it was trained several times.
        documents: Its documents, None for one without gold annotation. Those of several runs are not kept.

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
        return None if self.documents is None else outcomes_per_document(self.documents, self.counts.metrics)


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
        systems: Two or more, counted on the same documents. Systems with several runs
            are compared by their mean scores, collapsed counts by their half-samples, other systems by swaps.
        documents: The documents, for the texts of the spans that changed.
        confidence: The level of intervals and the seed.
        trials: How many swaps are drawn; by default enough for the number of tests.
        primary: The score that the conclusion is about, METRIC.SCORE or its score key; by default the headline of the
            first metric.
        secondary: The scores of the second family; by default one headline of each further metric.
        labels: Whether the primary score is compared for each label too.
        margin: The largest difference of the primary score that does not matter, in points.
        short: Whether the signature omits default options.

    Returns:
        A result in plain Python; ratios are not in per cent. p-values are corrected by Holm's method within families.
        Each row of the primary score has a `verdict`, the sentence that its numbers support. `on_reading` counts the
        spans that were skipped or changed in each system, a number per training run; `mentions`, if there were any
        without offsets, how those of the first run were found.

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
    hypotheses = Hypotheses(primary, secondary, labels, margin).resolve(first.metrics)
    family = families(first.metrics, hypotheses.primary, hypotheses.secondary)
    aligned = [align_runs(first, system.name, system.runs) for system in systems]
    runs, counted = [*map(len, aligned)], [counts for runs_of_system in aligned for counts in runs_of_system]
    if first.collapsed:
        confidence = _half_sample_settings(first, confidence, trials, max(runs))
    single_runs = [counts for (counts, *parts) in aligned[1:] if runs[0] == 1 and not parts]
    if trials is None and not first.collapsed:
        label_tests = sum(count_label_tests(first, counts, family) for counts in single_runs) if labels else 0
        trials = default_swaps(family, hypotheses, systems=len(others), labels=label_tests)
    rows: list[dict[str, Any]] = []
    for other, system_runs in zip(others, aligned[1:]):
        for row in _rows(aligned[0], system_runs, family, hypotheses, confidence, trials):
            leading = {key: row[key] for key in ("metric", "score", "label")} | {"system": other.name}
            rows.append(leading | {key: value for key, value in row.items() if key not in leading})
    _add_corrected_p(rows)
    _add_conclusions(rows, baseline.name, first, confidence.level)
    units, k, exact, swaps = _footing_numbers(counted, trials if single_runs else None)
    samples = confidence.samples if first.collapsed or any(metric.distinct for metric in first.metrics) else None
    seed = None if samples is swaps is None else confidence.seed
    footing = Footing(first.unit, units, k, seed, samples, confidence.level, swaps=swaps, exact=exact)
    parts = [
        f"units:{'?' if units is None else units}",
        *([f"runs:{'+'.join(map(str, runs))}"] if max(runs) > 1 else []),
        *hypotheses.signature,
    ]
    located = {way for counts in counted for way in counts.located}
    parts += [f"mentions:{way}" for way in sorted(located - first.located)]
    mentions = {system.name: mention_numbers(runs_of_system) for system, (runs_of_system, *_) in zip(systems, aligned)}
    mentions = {name: numbers for name, numbers in mentions.items() if numbers}
    result: dict[str, Any] = make_plain(
        {
            "signature": signature(first, signature_part(footing), *parts, short=short),
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
            "on_reading": [
                {"system": system.name, **reading_numbers(runs_of_system)}
                for system, runs_of_system in zip(systems, aligned)
            ],
            **({"mentions": mentions} if mentions else {}),
            "comparisons": rows,
            "transitions": find_changed_spans(systems, documents),
        }
    )
    return result


def find_changed_spans(systems: Sequence[System], documents: Sequence[Document | None]) -> list[dict[str, Any]]:
    """Return the gold spans that each system after the first fixes or breaks, if the outcomes of spans are known."""
    baseline, *others = systems
    return [
        {"system": other.name, **transitions(baseline.outcomes, other.outcomes, documents)}
        for other in others
        if baseline.outcomes is not None and other.outcomes is not None
    ]


def _rows(
    baseline: Sequence[Counts],
    system: Sequence[Counts],
    family: Families,
    hypotheses: Hypotheses,
    confidence: Confidence,
    trials: int | None,
) -> list[dict[str, Any]]:
    """Return a row per score, metric by metric, then one per label if the hypotheses include labels."""
    first = baseline[0]
    tested = subjects(first.metrics, family, all_labels(*baseline, *system) if hypotheses.labels else ())
    if first.collapsed:
        evidences = half_sample_evidence(first, system[0], tested)
    elif len(baseline) == len(system) == 1:
        assert trials is not None
        evidences = swap_evidence(first, system[0], tested, confidence, trials)
    else:
        evidences = run_evidence(baseline, system, tested, confidence)
    units = unit_numbers(first).number if first.collapsed else number_of_units(first)
    rows = {}
    for evidence in evidences:
        row = difference_row(evidence, confidence.level, hypotheses.margin, units, first)
        few = row["differing"] is not None and row["differing"] < LEAST_DIFFERING
        if few and row["family"] == PRIMARY:
            row["differing_documents"] = _differing_documents([*baseline, *system], evidence)
        rows[evidence.subject.key] = row
    return [rows[subject.key] for subject in tested]


def difference_row(
    evidence: Evidence, level: float, margin: float | None, units: int | None, counts: Counts
) -> dict[str, Any]:
    """Return the row of one score: values, difference, interval, p-values. A score outside all families has no p.

    Flags are those of the interval of a score: `few` for fewer than 6 effective units, `unbounded`
    where a bound is infinite, which JSON shows as null.
    """
    subject, (a, b), nothing = evidence.subject, evidence.values, np.array(np.nan)
    test = evidence.test(level) if evidence.test else Differences(*[nothing] * len(Differences._fields))
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
        "k": evidence.k,
        "flag": FEW if evidence.k < FEW_UNITS else UNBOUNDED if math.isinf(high - low) else None,
        "differing": evidence.differing,
        "differing_documents": None,
        "detectable": detectable,
        "same_within": None,
        "margin_answer": None,
        "units_needed": None,
        "runs": [*evidence.runs],
        "degrees_of_freedom": evidence.freedom,
        "share_of_training": evidence.training,
        "score_unit": subject.score.unit,
        "higher_is_better": subject.score.higher_is_better,
        "headline": subject.score.headline,
        **({} if evidence.error is None else {"standard_error": evidence.error}),
    }
    if margin is not None and subject.family == PRIMARY:
        row |= _margin_columns(evidence, level, margin, units, counts)
    return row


def _margin_columns(
    evidence: Evidence, level: float, margin: float, units: int | None, counts: Counts
) -> dict[str, Any]:
    """Return the columns of a row about a margin, in points, from the interval at `equivalence_level`."""
    factor, score = points_per_unit(evidence.subject.score.unit), evidence.subject.score
    level = equivalence_level(level)
    if not math.isfinite(difference(*evidence.values)):
        return {}
    low, high = math.nan, math.nan
    if evidence.test:
        test = evidence.test(level)
        low, high = factor * float(test.low), factor * float(test.high)
    answer = margin_answer(*((low, high) if score.higher_is_better else (-high, -low)), margin)
    needed = None
    if units and answer == NOT_ENOUGH and evidence.contributions is not None:
        amounts = evidence.contributions.amounts
        effective = units_for_rare_loss(amounts, margin / factor, level, evidence.limit)
        needed = effective and math.ceil(effective * units / evidence.k - 1e-9)
    elif units and answer == NOT_ENOUGH:
        needed = units_to_tell(units, low, high, margin)
    runs_factor = ((high - low) / 2 / margin) ** 2 if needed and max(evidence.runs) > 1 else 1
    name = f"{unit_name(counts.unit, units, counts.documents)}s"
    return {
        "same_within": margin if -margin < low and high < margin else None,
        "margin_answer": margin_sentence(answer, margin, name, needed, runs_factor),
        "units_needed": needed,
    }


def _differing_documents(counted: Sequence[Counts], evidence: Evidence) -> list[str | int]:
    """Return the names of the documents with different counts, of differing units only if the evidence names these."""
    (first, *others), metric = counted, evidence.subject.metric
    pairs = [Pair.of(first, other, [metric]) for other in others]
    documents = {doc for pair in pairs for doc in pair.differing_documents(metric).tolist()}
    if evidence.contributions is not None:
        of_document, units = Units(first).of_document.tolist(), {*evidence.contributions.units.tolist()}
        documents = {doc for doc in documents if of_document[doc] in units}
    return [doc if first.ids[doc] is None else first.ids[doc] for doc in sorted(documents)]


def _half_sample_settings(counts: Counts, confidence: Confidence, trials: int | None, runs: int) -> Confidence:
    """Return the settings of the half-samples that collapsed counts keep.

    Raises:
        ValueError: An option needs documents.
    """
    if trials is not None:
        counts.check_documents(f"permutation tests ({spell_argument('trials')})")
    if runs > 1:
        counts.check_documents("means of training runs")
    samples, seed = require_half_samples(counts).settings
    return confidence._replace(samples=samples, seed=seed)


def _footing_numbers(counts: Sequence[Counts], trials: int | None) -> tuple[int | None, float, bool, int | None]:
    """Return the number of units, the effective number, whether the swaps are all patterns, and their number."""
    first = counts[0]
    if first.collapsed:
        k = min(pair_effective_units(first, other)[""] for other in counts[1:])
        return unit_numbers(first).number, k, False, None
    units, k = number_of_units(first), effective_number_of_units(counts)
    exact = trials is not None and is_enumerable(units, trials)
    return units, k, exact, 2**units if exact else trials


def _add_corrected_p(rows: Sequence[dict[str, Any]]) -> None:
    """Add to each row the p-value corrected within its family, and the number of tests there."""
    adjusted = holm_by_family([row["p"] for row in rows], [row["family"] for row in rows])
    for row, p, size in zip(rows, adjusted.p.tolist(), adjusted.sizes.tolist()):
        row |= {"p_holm": p, "tests": size}


def _add_conclusions(rows: Sequence[dict[str, Any]], baseline: str, counts: Counts, level: float) -> None:
    """Add the conclusion to each row of the primary score, and None to the others."""
    number = unit_numbers(counts).number if counts.collapsed else number_of_units(counts)
    units = f"{unit_name(counts.unit, number, counts.documents)}s"
    for row in rows:
        row["verdict"] = None
        if row["family"] == PRIMARY:
            row["verdict"] = conclude(row, baseline=baseline, level=level, units=units)


def count_label_tests(baseline: Counts, system: Counts, family: Families) -> int:
    """Return how many labels have enough differing units to be tested by the primary score."""
    primary = find_primary(baseline.metrics, family)
    if primary is None:
        return 0
    labels = all_labels(baseline, system)
    tested = [subject for subject in subjects(baseline.metrics, family, labels) if subject.label is not None]
    by_label = Pair.of(baseline, system, [primary[0]], labels).contributions(tested, labels)
    return sum(len(contributions.units) >= LEAST_DIFFERING for contributions in by_label)


def default_swaps(family: Families, hypotheses: Hypotheses = Hypotheses(), *, systems: int = 1, labels: int = 0) -> int:
    """Return the default number of swaps.

    Args:
        family: The family of tests of each score, see `families`.
        hypotheses: The tests.
        systems: How many systems are compared with the baseline.
        labels: How many tests of labels there are, with all systems together.

    >>> from spacy_nereval import create_all
    >>> default_swaps(families(create_all())), default_swaps(families(create_all()), systems=2)
    (10000, 20000)
    """
    return number_of_swaps(max(systems * largest_family([*family.values()]), labels if hypotheses.labels else 0))
