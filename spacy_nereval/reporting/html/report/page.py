"""The report as one HTML file: scores, charts, and every document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....evaluation.prediction_rates import PredictionRate, RateDifference
from .reported import ReportedSystem

if TYPE_CHECKING:
    from ....core.declaration import Metric
    from ....core.lexicon import Lexicon
    from ....counting.counts import Counts
    from ....evaluation.resampling import Confidence
    from ....evaluation.tested import Asked

CHARTED = 30
"""Maximum number of rows of labels in the chart, for all systems together; the table has all labels."""


PRIMARY = "fair.f"
"""The default primary score."""


def page(
    systems: Sequence[ReportedSystem],
    *,
    title: str | None = None,
    confidence: Confidence | None = None,
    asked: Asked | None = None,
    trials: int | None = None,
    lexicon: Lexicon | None = None,
    by: Sequence[str] = (),
) -> str:
    """Return the report as HTML.

    Args:
        systems: The systems. The first one is what the others are compared with. The metric
            fair has to be among their metrics, since its verdicts mark the spans.
        title: The title; by default, the names of the systems and of the gold files.
        confidence: Settings of intervals. With them, scores have intervals, systems are compared,
            and the page begins with a conclusion on the primary score.
        asked: What the comparison tests; by default with fair's F as the primary score.
        trials: How many swaps are drawn; by default enough for the number of tests.
        lexicon: The lexicon of the training data, for scores by what training shows of a span.
        by: Attributes by which spans are scored besides the usual ones, as `--by` names them.

    Raises:
        ValueError: If fair is missing, if systems share a name or have different documents,
            if there are more of them than charts can distinguish, or if the libraries that
            draw charts are not installed; if there is no such score, or the margin is not above 0; if an attribute
            is unknown, or cannot be computed.
    """
    from ....evaluation.prediction_rates import prediction_rates, rate_differences
    from ....evaluation.result import evaluate
    from ....evaluation.statistics.conclusion import unit_name
    from ...comparison_view import ComparisonView
    from ...remarks import bounded_by, interval_lines
    from .. import charts
    from ..template import REPORT, Trusted, filled_in
    from ..texts import embedded
    from .charts import all_charts
    from .data import on_spans, page_data
    from .findings import findings, leading, with_errors
    from .mending import mending
    from .reasons import KINDS, reasons
    from .score_rows import differences, label_rows, metric_rows
    from .slices import TITLES, slices
    from .static import static_documents
    from .verdict_rows import outcome_matrix, verdict_rows

    fair = _checked(systems)
    first = systems[0]
    metrics, unit = first.counts.metrics, first.counts.unit
    names = [system.name for system in systems]
    results = [evaluate(system.counts, confidence) for system in systems]
    tests, changes = _compared(systems, confidence, asked, trials)
    drawn_from = results[0].get("confidence")
    summary = metric_rows(metrics, results)
    labels = label_rows(fair, results, [system.counts for system in systems])
    errors = verdict_rows(results)
    sliced = slices(systems, fair, lexicon, by)
    lengths = next((each.rows for each in sliced if each.title == TITLES["eLen"]), [])
    all_labels = sorted({label for system in systems for label in system.counts.labels})
    why = reasons(systems, fair, all_labels)
    rates = [prediction_rates(system.counts, confidence) for system in systems]
    gaps_of_rates: list[list[RateDifference]] = [
        rate_differences(first.counts, system.counts, confidence) for system in systems[1:]
    ]
    outcomes = [{"system": found["system"], **outcome_matrix(found)} for found in changes]
    lead, marking = leading(summary), on_spans(metrics)
    charted = max(5, CHARTED // len(systems))
    drawn = all_charts(
        {"scores": summary, "labels": labels[:charted]} | {each.name: each.rows for each in sliced}, errors, names
    )
    wrong = with_errors(systems[lead].documents, fair)
    finding = findings(
        names,
        lead,
        tests,
        summary=summary,
        errors=errors,
        labels=labels,
        lengths=lengths,
        confusion=results[lead]["metrics"]["fair"]["confusion"],
        outcomes=outcomes,
        rates=rates[lead],
        why=why,
        wrong=wrong,
        documents=results[0]["documents"],
    )
    data = page_data(systems) | {"lead": lead, "groups": why.data, "slices": [each.data for each in sliced]}
    values = {
        "title": title or _title(names, first.counts),
        "names": names,
        "results": results,
        "confidence": drawn_from,
        "bounded_by": bounded_by,
        "unit": unit_name(unit),
        "summary": summary,
        "differences": differences(summary, tests) if len(systems) == 2 else [],
        "tests": tests,
        "conclusions": ComparisonView(tests).opening() if tests else [],
        "tested": ComparisonView(tests).tested() if tests else [],
        "labels": labels,
        "charted": charted,
        "symbols": charts.GLYPHS,
        "errors": errors,
        "numbers": {label: k for k, label in enumerate(all_labels)},
        "slices": sliced,
        "why": why,
        "group_kinds": KINDS,
        "lead": lead,
        "rates": _rate_rows(rates),
        "rate_gaps": [{each.label: each for each in gaps} for gaps in gaps_of_rates],
        "mending": mending(systems, marking, all_labels, lead),
        "outcomes": outcomes,
        "drawn": drawn,
        "static": static_documents(systems[lead].documents, fair),
        "wrong": wrong,
        "unmarked": [metric.name for metric in metrics if metric not in marking],
        "finding": finding,
        "warnings": interval_lines(drawn_from) if drawn_from else [],
        "signatures": [results[0]["signature"]],
        "version": results[0]["version"],
        "data": Trusted(embedded(data)),
        "charts": Trusted(embedded(drawn)),
    }
    return filled_in(values, charts.scripts(), REPORT)


def _checked(systems: Sequence[ReportedSystem]) -> Metric:
    """Return the metric fair. Raise ValueError if it is missing, or if the systems cannot share a report."""
    from .. import charts

    first, *others = systems
    fair = next((metric for metric in first.counts.metrics if metric.name == "fair"), None)
    if fair is None:
        raise ValueError("the report marks spans by the verdicts of fair, which is not among the metrics: add it")
    if len(systems) > charts.SYSTEMS:
        raise ValueError(
            f"a report has colours and symbols for at most {charts.SYSTEMS} systems, {len(systems)} were given: "
            "make several reports"
        )
    if len({system.name for system in systems}) < len(systems):
        raise ValueError(f"the systems have equal names: {', '.join(system.name for system in systems)}; rename one")
    for other in others:
        if differences := first.counts.differences(other.counts, replicates=False):
            raise ValueError(f"{first.name} and {other.name} cannot be in one report: {differences}")
        if len(first.documents) != len(other.documents):
            numbers = [f"{system.name} has {len(system.documents)} documents" for system in (first, other)]
            raise ValueError(f"{' and '.join(numbers)}; all systems of a report need the same documents")
        for number, (a, b) in enumerate(zip(first.documents, other.documents)):
            if (a.text, a.gold) != (b.text, b.gold):
                raise ValueError(
                    f"document {number} of {other.name} has another text or gold annotation than that of {first.name}"
                )
    return fair


def _compared(
    systems: Sequence[ReportedSystem], confidence: Confidence | None, asked: Asked | None, trials: int | None
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """The comparison of all systems with the first, where intervals are wanted, and what each of them changes."""
    from ....evaluation.comparison import System, changed_spans, comparison
    from ....evaluation.tested import Asked
    from ....evaluation.transitions import outcomes_of

    compared = [System(each.name, each.counts, outcomes_of(each.documents, each.counts.metrics)) for each in systems]
    if not confidence or len(systems) < 2:
        return None, changed_spans(compared, systems[0].documents)
    asked = asked or Asked()
    asked = asked._replace(primary=asked.primary or PRIMARY)
    tests = comparison(compared, systems[0].documents, confidence, trials, **asked._asdict())
    return tests, tests["transitions"]


def _rate_rows(rates: Sequence[Sequence[PredictionRate]]) -> list[tuple[PredictionRate, ...]]:
    """Return, for each label, how often each system predicts it; the label of most gold spans first."""
    by_label = {label: None for own in rates for label in (each.label for each in own)}
    found = []
    for label in by_label:
        own = [
            next((each for each in rate if each.label == label), PredictionRate(label, 0, 0, None)) for rate in rates
        ]
        gold = max(each.gold for each in own)
        found.append(tuple(each._replace(gold=gold, rate=each.pred / gold if gold else None) for each in own))
    return sorted(found, key=lambda row: -row[0].gold)


def _title(names: Sequence[str], counts: Counts) -> str:
    systems = " and ".join(names) if len(names) < 3 else f"{len(names)} systems"
    return f"{systems} against {' and '.join(dict.fromkeys(counts.sources)) or 'gold'}"
