"""Tables of verdicts: their numbers, error pairs, confusion matrices, repeated errors, and the error list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..core.declaration import Metric
from ..evaluation.error_groups import ErrorGroup, ErrorGroups
from ..evaluation.error_list import ListedVerdict
from ..evaluation.result import LabelledVerdict, confusion_matrix
from .declared import error_metric, error_verdicts, has_hits
from .marked_text import MarkedText, clip, mark_excerpt, mark_row
from .result_table import EMPTY, Cell, ResultTable
from .score_tables import MOST, Evaluation, percent

MOST_GROUPS = 5
"""Maximum number of repeated errors for people; CSV and JSON have all."""

SURFACE = 20
"""Maximum number of characters of a repeated error's text."""

MANY = 12
"""With more labels than this, the confusion matrix becomes a list of its cells."""

NO_SPAN = "no span"
MARKING = "; in the text [gold], {predicted}"


def verdict_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the number of each verdict, the most frequent error first.

    "% gold" is the share of gold spans that have the verdict. It is empty where counts do not show this, because a gold
    span may have several verdicts.
    """
    if not (metric := error_metric(evaluation.metrics)):
        return
    kinds = evaluation.verdicts(metric)
    errors = error_verdicts(metric)
    numbers = {
        name: sum(n for (verdict, _, _), n in kinds.items() if verdict == name)
        for name in (*metric.correct_verdicts, *errors)
    }
    total, gold = sum(numbers[name] for name in errors), evaluation.result["gold"]
    on_gold, words = _gold_counts(evaluation, metric), metric.words
    rows: list[list[Cell]] = []
    for verdict in sorted(numbers, key=lambda name: (name in errors, -numbers[name])):
        number = numbers[verdict]
        shares: list[Cell] = [percent(number, total) if verdict in errors else None]
        shares.append(percent(on_gold[verdict], gold) if verdict in on_gold else None)
        rows.append([verdict, *([words[verdict].full if verdict in words else None] if words else []), number, *shares])
    header = ["verdict", *(["meaning"] if words else []), "number", "% errors", "% gold"]
    yield ResultTable("Verdicts", header, rows, note=metric.name, bars="% errors")


def _gold_counts(evaluation: Evaluation, metric: Metric) -> dict[str, int]:
    """Return the number of gold spans with each verdict, for the verdicts where it is known."""
    names = [name for name in metric.verdict_names if name != metric.spurious]
    if evaluation.groups and evaluation.groups.metric.name == metric.name:
        return {name: evaluation.groups.gold[name] for name in names}
    numbers: Counter[str] = Counter()
    for (verdict, gold, _), number in evaluation.verdicts(metric).items():
        numbers[verdict] += number if gold else 0
    if numbers.total() != evaluation.result["gold"]:  # then some gold span has several verdicts
        names = [name for name in names if name in (metric.hit, metric.miss) or numbers[name] < 2]
    return {name: numbers[name] for name in names}


def pair_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the errors by verdict, gold label and predicted label, the most frequent first, each with an example."""
    if not (metric := error_metric(evaluation.metrics)):
        return
    verdicts = error_verdicts(metric)
    errors = {kind: n for kind, n in evaluation.verdicts(metric).items() if kind[0] in verdicts}
    rows: list[list[Cell]] = []
    for kind in sorted(errors, key=lambda kind: (-errors[kind], kind)):
        verdict, gold, pred = kind
        example: list[Cell] = []
        if evaluation.examples:
            first = evaluation.examples.get(kind)
            example = [first.name, _marked_spans(first)] if first else [None, None]
        rows.append([verdict, gold or None, pred or None, errors[kind], *example])
    header = ["verdict", "gold", "predicted", "number"]
    if evaluation.examples:
        header += ["document", "text"]
    note = metric.name + MARKING * bool(evaluation.examples)
    yield ResultTable("Error pairs", header, rows, note=note, most=MOST)


NOT_SPLIT = "counted before this was recorded: count again"


def boundary_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield how many boundary errors have a correct left boundary, right one or neither, in all and per label."""
    if not (metric := error_metric(evaluation.metrics)) or not metric.boundary_errors:
        return
    split = evaluation.result["metrics"][metric.name].get("boundaries")
    if not split:
        return
    numbers: Counter[str] = Counter()
    for (verdict, gold, _), number in evaluation.verdicts(metric).items():
        numbers[gold] += number if verdict in metric.boundary_errors else 0
    # Only spans with gaps can have both boundaries right.
    sides = [side for side, number in split["counts"].items() if side != "be_both" or number]
    rows: list[list[Cell]] = [["all labels", numbers.total(), *(split["counts"][side] for side in sides)]]
    for label in sorted(split["per_type"], key=lambda label: (-numbers[label], label)):
        rows.append([label, numbers[label], *(split["per_type"][label][side] for side in sides)])
    note = f"{metric.name}; by the boundary that is correct"
    if None in split["counts"].values():
        note += f"; {NOT_SPLIT}"
    yield ResultTable("Boundary errors", ["label", "be", *sides], rows, note=note, most=MOST)


def confusion_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the confusion matrix of the metric, or the list of its cells if there are many labels.

    If the diagonal has boundary errors, or no hits, a second matrix with totals has the hits on its diagonal.
    """
    if not (metric := error_metric(evaluation.metrics)):
        return
    kinds = evaluation.verdicts(metric)
    matrix = confusion_matrix(metric, kinds)
    labels = sorted({*matrix, *(label for row in matrix.values() for label in row)} - {""})
    if len(labels) > MANY:
        cells = [(gold, pred, number) for gold, row in matrix.items() for pred, number in row.items()]
        cells.sort(key=lambda cell: (-cell[2], cell))
        rows: list[list[Cell]] = [[gold or None, pred or None, number] for gold, pred, number in cells]
        note = _matrix_note(metric)
        yield ResultTable("Confusion matrix", ["gold", "predicted", "number"], rows, note=note, most=2 * MOST)
        return
    yield matrix_table(metric, matrix, labels)
    yield from _hit_matrix_tables(metric, kinds, f"{metric.name}; {SIDES}")


SIDES = "gold in rows, predicted in columns"


def _matrix_note(metric: Metric) -> str:
    """Return the name of the metric, with the omissions of its confusion matrix."""
    return metric.name if has_hits(metric) else f"{metric.name}, errors only"


def matrix_table(
    metric: Metric, matrix: Mapping[str, Mapping[str, int]], labels: Sequence[str], more: Sequence[str] | None = None
) -> ResultTable:
    """Return the confusion matrix of a metric as a table.

    Args:
        metric: The metric.
        matrix: Gold label to predicted label to number; "" is no span.
        labels: The labels, in order.
        more: If hits alone are on the diagonal: the column of boundary errors, if there are any.
    """
    columns = (*labels, *(more or ()), "")
    rows: list[list[Cell]] = [
        [gold or NO_SPAN, *(matrix.get(gold, {}).get(pred, 0) for pred in columns)] for gold in (*labels, "")
    ]
    note = f"{_matrix_note(metric) if more is None else metric.name}; {SIDES}{BOUNDARY_NOTE * bool(more)}"
    return ResultTable("Confusion matrix", ["gold", *columns[:-1], NO_SPAN], rows, note=note)


BOUNDARY = "boundary"
BOUNDARY_NOTE = "; boundary: right label, wrong boundaries"


def hit_matrix(
    metric: Metric, kinds: Mapping[LabelledVerdict, int]
) -> tuple[dict[str, dict[str, int]], list[str], list[str]]:
    """Return a confusion matrix with hits alone on its diagonal; "" is no span.

    Args:
        metric: The metric.
        kinds: The number of each verdict with its gold and its predicted label.

    Returns:
        Gold label to predicted label to number; the labels; and the names of further columns: that of boundary errors,
        which have the right label, if there are any.
    """
    errors = error_verdicts(metric)
    judged = {kind: number for kind, number in kinds.items() if kind[0] in errors or kind[0] in metric.correct_verdicts}
    labels = sorted({label for kind in judged for label in kind[1:]} - {""})
    boundary = BOUNDARY if BOUNDARY not in labels else f"{BOUNDARY} error"
    matrix: dict[str, dict[str, int]] = {}
    for (verdict, gold, pred), number in judged.items():
        row = matrix.setdefault(gold, Counter())
        row[boundary if gold == pred and verdict in errors else pred] += number
    return matrix, labels, [boundary] if any(row.get(boundary) for row in matrix.values()) else []


def _hit_matrix_tables(metric: Metric, kinds: Mapping[LabelledVerdict, int], note: str) -> Iterator[ResultTable]:
    """Yield a confusion matrix with hits on the diagonal and boundary errors in a column of their own.

    Without boundary errors there is none, unless the metric's other matrix has no hits.
    """
    matrix, labels, more = hit_matrix(metric, kinds)
    if not more and (has_hits(metric) or not matrix):
        return
    columns = (*labels, *(more or [BOUNDARY]), "")
    numbers = [[matrix.get(gold, {}).get(pred, 0) for pred in columns] for gold in (*labels, "")]
    rows: list[list[Cell]] = [[gold, *row, sum(row)] for gold, row in zip((*labels, NO_SPAN), numbers)]
    sums = [sum(column) for column in zip(*numbers)]
    rows.append(["total", *sums, sum(sums)])
    header = ["gold", *labels, BOUNDARY, NO_SPAN, "total"]
    yield ResultTable("Confusion matrix with hits", header, rows, note=f"{note}{BOUNDARY_NOTE}")


def group_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the errors that occur at several places, the most frequent first, each with an example."""
    if evaluation.groups is None or not evaluation.groups.by:
        return
    rows: list[list[Cell]] = [
        [group.number, group.documents, clip(words, SURFACE), error, mark_row(group.example)]
        for words, error, group in largest_error_groups(evaluation.groups)
    ]
    header = ["times", "docs", "words", "error", "first example"]
    yield ResultTable("Repeated errors", header, rows, note=evaluation.groups.metric.name + MARKING, most=MOST_GROUPS)


def largest_error_groups(groups: ErrorGroups) -> list[tuple[str, str, ErrorGroup]]:
    """Return the groups of errors at several places, the largest first, each with its words and its error in words."""
    largest = sorted(
        [*groups.largest_groups("surface", 2), *groups.largest_groups("slip", 2)], key=lambda group: -group.number
    )
    return [(*_describe_group(groups.metric, group), group) for group in largest]


def _describe_group(metric: Metric, group: ErrorGroup) -> tuple[str, str]:
    """Return the words that the errors of a group share, and the error in words."""
    if group.slip:
        change, end = "added" if group.slip.added else "missing", "start" if group.slip.end == "leading" else "end"
        return group.slip.words, f"{change} at the {end}"
    return group.surface or "", describe_error(metric, *group.labels)


def describe_error(metric: Metric, verdict: str, gold: str, pred: str) -> str:
    """Return an error in words, from the labels of its gold span and its prediction; "" is no span.

    >>> from spacy_nereval import create
    >>> describe_error(create("fair"), "fn", "ORG", ""), describe_error(create("fair"), "le", "ORG", "LOC")
    ('missed: ORG', 'label error: ORG as LOC')
    """
    words = metric.words[verdict].short if verdict in metric.words else verdict
    return f"{words}: {' as '.join(label for label in dict.fromkeys((gold, pred)) if label) or EMPTY}"


def error_list_table(entries: Iterable[ListedVerdict]) -> ResultTable:
    """Return an error list as a table, with the spans marked in the text."""
    entries = list(entries)
    whole = all(listed.verdict.amount == 1 for listed in entries)
    split = any(listed.correct_boundary for listed in entries)
    rows: list[list[Cell]] = []
    for listed in entries:
        verdict = listed.verdict
        sides = zip((verdict.gold, verdict.pred), listed.attributes)
        labels: list[Cell] = [
            f"{span.label} ({words})" if span and words else span.label if span else None for span, words in sides
        ]
        amount: list[Cell] = [] if whole else [verdict.amount]
        boundary: list[Cell] = [listed.correct_boundary] if split else []
        rows.append([listed.name, verdict.name, *amount, *labels, *boundary, _marked_spans(listed)])
    header = ["document", "verdict", *([] if whole else ["amount"]), "gold", "predicted"]
    header += [*(["correct"] if split else []), "text"]
    note = f"{entries[0].metric}{MARKING}{'; correct: the boundary that agrees with gold' * split}" if entries else ""
    return ResultTable("Error list", header, rows, note=note)


def _marked_spans(listed: ListedVerdict) -> str | None:
    """Return an excerpt of the text with the spans of a verdict marked. An invented mention precedes it."""
    document, (_, gold, pred, _) = listed.document, listed.verdict
    invented = [span for span in (gold, pred) if span and document.is_invented(span)]
    if not invented or document.text is None:
        return mark_excerpt(document.own_text, gold, pred) or None
    start, end, _ = invented[0]
    sides = [span._replace(start=0, end=end - start) if span in invented else None for span in (gold, pred)]
    stretch = mark_excerpt(document.text[start:end], *sides)
    other_sides = [None if span in invented else span for span in (gold, pred)]
    excerpt = mark_excerpt(document.own_text, *other_sides)
    return MarkedText.create("", stretch, f" (not in the text) {excerpt}".rstrip())
