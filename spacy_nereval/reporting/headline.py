"""What a person with one minute needs: a sentence on the result, the main score of each label, repeated errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..core.declaration import Metric
from ..core.wording import VERDICT_KINDS
from ..evaluation.error_groups import ErrorGroup
from ..evaluation.result import pred_spans, verdict_counts
from .declared import groups, headlines, short_name, spoken
from .evaluated import Evaluated
from .marked_text import clipped, marked_row
from .result_table import Cell, Estimate, ResultTable, direction, shown
from .score_cells import score_cell
from .score_tables import support
from .verdict_tables import MARKING, errors_of, judging

MOST_LABELS, MOST_GROUPS = 20, 5
"""Maximum number of rows for people; CSV and JSON have all."""

SURFACE = 20
"""Maximum number of characters of a repeated error's text."""


def main_metric(metrics: Sequence[Metric]) -> Metric:
    """Return the metric that stands for a result: the one whose verdicts show what is wrong, or else the first.

    >>> from spacy_nereval import create_all
    >>> main_metric(create_all(["wrf", "fair"])).name, main_metric(create_all(["wrf"])).name
    ('fair', 'wrf')
    """
    return judging(metrics) or metrics[0]


def summary_lines(given: Evaluated, scored: str, *, digits: int = 2, errors: bool = True, more: str = "") -> list[str]:
    """Return a sentence on the main score and the most frequent errors, and one on the other scores.

    Args:
        given: Counts with their result.
        scored: What was scored, the start of the sentence.
        digits: Decimal places of numbers that are not whole.
        errors: Whether to name the most frequent errors.
        more: What shows more, if anything does.

    >>> from spacy_nereval import Document, count, create_all, evaluate
    >>> counts = count([Document([(0, 3, "A"), (4, 8, "A")], [(0, 3, "A")])], create_all(["fair", "slot_error"]))
    >>> for line in summary_lines(Evaluated(counts, evaluate(counts)), "2 gold spans"):
    ...     print(line)
    2 gold spans: fair F 66.67; most frequent errors: missed spans (1 of 1)
    Also: ser 50.00 (slot error rate, lower is better)
    """
    given, metric = given.with_bounds, main_metric(given.counts.metrics)
    rows = [
        (each, name, _shown(score_cell(each, name, *given.overall(each.name)), digits))
        for each in given.counts.metrics
        for name in headlines(each, [name for name in given.overall(each.name)[0] if name != "undefined"])
    ]
    main = next((row for row in rows if row[0] is metric), None)
    average = "" if given.average == "micro" else f" ({given.average})"
    score = [f"{spoken(*main[:2])}{average} {main[2]}"] if main else []
    most = _most_errors(given, metric) if errors else []
    lines = [f"{scored}: {'; '.join([*score, *most])}"]
    others = ", ".join(_listed(row for row in rows if row is not main))
    ends = [f"Also{average}: {others}"] * bool(others) + [f"more: {more}"] * bool(more)
    lines += ["; ".join(ends)] * bool(ends)
    return lines


def _listed(found: Iterable[tuple[Metric, str, str]]) -> Iterator[str]:
    """Yield scores with their values. The name of a metric is not repeated."""
    before = None
    for metric, name, value in found:
        short = short_name(metric, name)
        shown_name = short.removeprefix(f"{metric.name} ") if metric is before else short
        yield f"{shown_name} {value}{_explained(metric, name)}"
        before = metric


def _shown(cell: float | Estimate | None, digits: int) -> str:
    # Warnings say below where there are few documents.
    return shown(cell._replace(few=False) if isinstance(cell, Estimate) else cell, digits)


def _explained(metric: Metric, name: str) -> str:
    meaning = metric.score_by_name[name].meaning.partition(":")[0] if name != metric.name else ""
    said = [part for part in (meaning, direction(short_name(metric, name))) if part]
    return f" ({', '.join(said)})" if said else ""


def _most_errors(given: Evaluated, metric: Metric) -> list[str]:
    """Return which kind of error is the most frequent; an empty list if the metric's verdicts do not show kinds."""
    if not judging([metric]):
        return []
    errors, words = errors_of(metric), metric.words
    numbers: Counter[str] = Counter()
    for (verdict, _, _), number in verdict_counts(given.counts)[metric.name].items():
        if verdict in errors:
            numbers[VERDICT_KINDS[words[verdict].kind] if verdict in words else verdict] += number
    if not numbers:
        return ["no errors"]
    ((kind, number),) = numbers.most_common(1)
    return [f"most frequent errors: {kind} ({number:,} of {numbers.total():,})"]


def headline_tables(given: Evaluated) -> Iterator[ResultTable]:
    """Yield the main score of each label, with precision and recall if it is an F, the most frequent label first.

    The number of predicted spans shows labels that are predicted too often, even where the metric counts an error
    for the gold label alone.
    """
    given, metric = given.with_bounds, main_metric(given.counts.metrics)
    result = given.result["metrics"][metric.name]
    numbers, predicted = support(given), pred_spans(given.counts)
    if not numbers:
        return
    declared = [*next(iter(result["per_type"].values()))["scores"]]
    main = headlines(metric, declared)[0]
    names = next((group.scores for group in groups(metric, declared) if main in group.scores), (main,))
    rows: list[list[Cell]] = []
    for label in sorted(numbers, key=lambda label: (-numbers[label], label)):
        scores = result["per_type"][label]["scores"]
        bounds = result.get("intervals", {}).get("per_type", {}).get(label, {})
        cells = [score_cell(metric, name, scores, {main: bounds[main]} if main in bounds else {}) for name in names]
        rows.append([label, numbers[label], predicted.get(label, 0), *cells])
    bounded = [cell for row in rows for cell in row if isinstance(cell, Estimate)]
    notes = [spoken(metric, main).removesuffix(" F")]
    if bounded:
        notes.append(f"{100 * given.result['confidence']['level']:g} % intervals")
    notes += ["few: too few documents to rank or compare"] * any(cell.few for cell in bounded)
    header = [
        "label",
        "support",
        "predicted",
        *("PRF" if len(names) == 3 else [short_name(metric, name) for name in names]),
    ]
    yield ResultTable("Labels", header, rows, note="; ".join(notes), most=MOST_LABELS)


def group_tables(given: Evaluated) -> Iterator[ResultTable]:
    """Yield the errors that were made at several places, the most frequent first, each with an example."""
    if given.groups is None or not given.groups.by:
        return
    found = [*given.groups.largest("surface", 2), *given.groups.largest("slip", 2)]
    metric = given.groups.metric
    rows: list[list[Cell]] = [
        [group.number, group.documents, *_error(metric, group), marked_row(group.example)]
        for group in sorted(found, key=lambda group: -group.number)
    ]
    header = ["times", "docs", "words", "error", "first example"]
    yield ResultTable("Repeated errors", header, rows, note=metric.name + MARKING, most=MOST_GROUPS)


def _error(metric: Metric, group: ErrorGroup) -> tuple[str, str]:
    """Return the words that the errors of a group share, and what is wrong with them."""
    if group.slip:
        done, end = "added" if group.slip.added else "missing", "start" if group.slip.end == "leading" else "end"
        return clipped(group.slip.words, SURFACE), f"{done} at the {end}"
    words = metric.words
    verdict = words[group.verdict].short if group.verdict and group.verdict in words else group.verdict
    labels = [label for label in dict.fromkeys((group.gold, group.pred)) if label]
    return clipped(group.surface or "", SURFACE), f"{verdict}: {' as '.join(labels)}"
