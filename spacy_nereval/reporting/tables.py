"""A result as tables, and what is said about it. What there is to print is decided here, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.declaration import GOLD_SPANS, Metric
from ..counting.counts import Counts
from ..counting.views import View
from ..evaluation.attributes import ATTRIBUTES
from ..evaluation.comparison import FEW
from ..evaluation.error_list import Kind, Listed, example, hits
from ..evaluation.per_document import document_rows
from .formats import Cell, Estimate, Table

MOST = 10
"""Rows of long tables that are shown; CSV and JSON have them all."""

MANY = 12
"""With more labels than this, the confusion matrix is a list of its cells."""

NO_SPAN = "no span"
EXAMPLE = "; in the text [gold], {predicted}"

MEANINGS = {
    "tp": "correct",
    "fn": "missed",
    "fp": "spurious",
    "le": "label error",
    "be_s": "boundary error: smaller",
    "be_l": "boundary error: larger",
    "be_o": "boundary error: overlap",
    "lbe": "label and boundary error",
}
"""FairEval's verdicts in words."""


class Source(NamedTuple):
    """What tables are made of: counts, the result of them, the average to show, and
    for kinds of errors a document and a stretch of its text."""

    counts: Counts
    result: Mapping[str, Any]
    average: str = "micro"
    examples: Mapping[Kind, tuple[str | int, str]] = {}


def tables(source: Source, wanted: Iterable[str], *, digits: int = 2) -> Iterator[Table]:
    """The tables of those names, and the breakdowns by attributes that the result has."""
    for name in wanted:
        for table in TABLES[name](source):
            yield table._replace(digits=digits)
    for found in source.result.get("breakdowns", {}).values():
        yield breakdown_table(found, source.counts.metrics, digits=digits)


def score_tables(source: Source) -> Iterator[Table]:
    """Overall scores, with intervals where there are any."""
    average = source.average
    prf, others = [], []
    for metric in source.counts.metrics:
        own = source.result["metrics"][metric.name]
        bounds = own.get("intervals", {})
        if average == "micro":
            scores, bounds = own["scores"], bounds.get("scores", {})
        else:
            scores, bounds = own["averages"][average], bounds.get("averages", {}).get(average, {})
        more_prf, more_others = _score_rows(metric, scores, bounds)
        prf += more_prf
        others += more_others
    yield Table("Scores", ["metric", "P", "R", "F"], prf, note=average)
    yield Table("Other scores", ["metric", "score", "value"], others, note=average)


def label_tables(source: Source) -> Iterator[Table]:
    """The headline scores of each label, and its gold spans."""
    metrics, result = source.counts.metrics, source.result["metrics"]
    columns = [(m, name) for m in metrics for name in headline(m, result[m.name]["per_type"])]
    rows: list[list[Cell]] = []
    for label, number in _support(source.counts).items():
        scores = [score_cell(m, name, result[m.name]["per_type"][label]["scores"]) for m, name in columns]
        rows.append([label, number, *scores])
    yield Table("Per label", ["label", "support", *(short(m, name) for m, name in columns)], rows)


def label_score_tables(source: Source) -> Iterator[Table]:
    """Every score of each label, with its interval if there is one."""
    prf, others = [], []
    for label, number in _support(source.counts).items():
        for metric in source.counts.metrics:
            own = source.result["metrics"][metric.name]
            bounds = own.get("intervals", {}).get("per_type", {}).get(label, {})
            more_prf, more_others = _score_rows(metric, own["per_type"][label]["scores"], bounds)
            prf += [[label, *row, number] for row in more_prf]
            others += [[label, *row] for row in more_others]
    yield Table("Scores per label", ["label", "metric", "P", "R", "F", "support"], prf)
    yield Table("Other scores per label", ["label", "metric", "score", "value"], others)


def count_tables(source: Source) -> Iterator[Table]:
    """What the scores are made of."""
    counted = ((m.name, source.result["metrics"][m.name]["counts"]) for m in source.counts.metrics)
    rows = [[metric, name, number] for metric, counts in counted for name, number in counts.items()]
    yield Table("Counts", ["metric", "count", "number"], rows)


def error_tables(source: Source) -> Iterator[Table]:
    """How often there was which verdict; the errors by number, the most frequent first."""
    if not (metric := judging(source.counts.metrics)):
        return
    kinds = View(source.counts, metric).kinds()
    errors = errors_of(metric)
    numbers = {
        name: sum(n for (verdict, _, _), n in kinds.items() if verdict == name) for name in (*hits(metric), *errors)
    }
    total, gold = sum(numbers[name] for name in errors), source.counts.gold
    rows: list[list[Cell]] = []
    for verdict in sorted(numbers, key=lambda name: (name in errors, -numbers[name])):
        number = numbers[verdict]
        shares: list[Cell] = [percent(number, total) if verdict in errors else None, percent(number, gold)]
        rows.append([verdict, *([MEANINGS[verdict]] if metric.name == "fair" else []), number, *shares])
    header = ["verdict", *(["meaning"] if metric.name == "fair" else []), "number", "% errors", "% gold"]
    yield Table("Verdicts", header, rows, note=metric.name, bars="% errors")


def pair_tables(source: Source) -> Iterator[Table]:
    """Which label was taken for which, in which way, the most frequent first, with examples where there are any."""
    if not (metric := judging(source.counts.metrics)):
        return
    verdicts = errors_of(metric)
    errors = {kind: n for kind, n in View(source.counts, metric).kinds().items() if kind[0] in verdicts}
    rows: list[list[Cell]] = []
    for kind in sorted(errors, key=lambda kind: (-errors[kind], kind)):
        verdict, gold, pred = kind
        shown = source.examples.get(kind, (None, None)) if source.examples else ()
        rows.append([verdict, gold or None, pred or None, errors[kind], *shown])
    header = ["verdict", "gold", "predicted", "number"]
    if source.examples:
        header += ["document", "text"]
    note = metric.name + EXAMPLE * bool(source.examples)
    yield Table("Error pairs", header, rows, note=note, most=MOST)


def confusion_tables(source: Source) -> Iterator[Table]:
    """Gold labels against predicted ones."""
    if not (metric := judging(source.counts.metrics)):
        return
    matrix = View(source.counts, metric).confusion() or {}
    labels = sorted({*matrix, *(label for row in matrix.values() for label in row)} - {""})
    if len(labels) > MANY:
        cells = [(gold, pred, number) for gold, row in matrix.items() for pred, number in row.items()]
        cells.sort(key=lambda cell: (-cell[2], cell))
        rows: list[list[Cell]] = [[gold or None, pred or None, number] for gold, pred, number in cells]
        yield Table("Confusion matrix", ["gold", "predicted", "number"], rows, note=metric.name, most=2 * MOST)
        return
    rows = [[gold or NO_SPAN, *(matrix.get(gold, {}).get(pred, 0) for pred in (*labels, ""))] for gold in (*labels, "")]
    errors_only = "" if {*hits(metric)} & {*(metric.confusion or ())} else ", errors only"
    note = f"{metric.name}{errors_only}; gold in rows, predicted in columns"
    yield Table("Confusion matrix", ["gold", *labels, NO_SPAN], rows, note=note)


def document_tables(source: Source) -> Iterator[Table]:
    """The documents, the worst first."""
    rows = document_rows(source.counts)
    columns = {"gold": "gold", "pred": "predicted"}
    plain = {"gold", "pred"}
    for metric in source.counts.metrics:
        for key, name in metric.flat.items():
            if name in _leading(metric, list(metric.flat.values())):
                columns[key] = short(metric, name)
                plain |= {key} if name in metric.plain else set()
    cells = [
        [row["document"], *(row[key] if key in plain else percent(row[key], 1) for key in columns)] for row in rows
    ]
    yield Table("Documents", ["document", *columns.values()], cells, note="the worst first", most=MOST)


def breakdown_table(found: Mapping[str, Any], metrics: Sequence[Metric], *, digits: int = 2) -> Table:
    """The headline scores of each bucket of an attribute, and the spans in it."""
    columns = [(metric, name) for metric in metrics for name in headline(metric, found["metrics"][metric.name])]
    rows: list[list[Cell]] = []
    for bucket in found["buckets"]:
        scores = [score_cell(m, name, found["metrics"][m.name][bucket]["scores"]) for m, name in columns]
        rows.append([bucket, found["gold"][bucket], found["pred"][bucket], *scores])
    header = [found["by"], "gold", "predicted", *(short(metric, name) for metric, name in columns)]
    return Table(f"By {found['by']}", header, rows, note=ATTRIBUTES[found["by"]].help, digits=digits)


def list_table(found: Iterable[Listed]) -> Table:
    """An error list."""
    found = list(found)
    whole = all(listed.verdict.amount == 1 for listed in found)
    rows: list[list[Cell]] = []
    for name, document, verdict in ((listed.name, listed.document, listed.verdict) for listed in found):
        labels: list[Cell] = [span.label if span else None for span in (verdict.gold, verdict.pred)]
        text = example(document.text, verdict.gold, verdict.pred)
        rows.append([name, verdict.name, *([] if whole else [verdict.amount]), *labels, text])
    header = ["document", "verdict", *([] if whole else ["amount"]), "gold", "predicted", "text"]
    return Table("Error list", header, rows, note=found[0].metric + EXAMPLE if found else "")


TABLES: dict[str, Callable[[Source], Iterable[Table]]] = {
    "scores": score_tables,
    "labels": label_tables,
    "errors": error_tables,
    "pairs": pair_tables,
    "confusion": confusion_tables,
    "documents": document_tables,
    "label-scores": label_score_tables,
    "counts": count_tables,
}
USUAL = ("scores", "labels", "errors", "pairs", "confusion", "documents")
"""What is printed unless other tables are asked for."""


# The cells


def percent(number: float | None, whole: float = 1) -> float | None:
    """
    >>> percent(1, 8), percent(None), percent(0, 0)
    (12.5, None, None)
    """
    return 100 * number / whole if number is not None and whole else None


def score_cell(metric: Metric, name: str, scores: Mapping[str, Any], bounds: Mapping[str, Any] = {}) -> Cell:
    """A score in percent, or a number of spans as it is; with its interval if that is defined."""
    value, low, high = (
        _scaled(metric, name, number) for number in (scores.get(name), *(bounds.get(name) or (None, None)))
    )
    return value if value is None or low is None or high is None else Estimate(value, low, high)


def _scaled(metric: Metric, name: str, number: float | None) -> float | None:
    return number if name in metric.plain else percent(number)


def judging(metrics: Sequence[Metric]) -> Metric | None:
    """The metric whose verdicts say what is wrong: fair, or else the first that judges spans one by one.

    >>> from spacy_nereval import create_all
    >>> judging(create_all(["wrf", "semeval"])).name, judging(create_all(["wrf"]))
    ('semeval', None)
    """
    by_name = {metric.name: metric for metric in metrics}
    return by_name.get("fair") or next((m for m in metrics if m.confusion is not None and m.settled), None)


def errors_of(metric: Metric) -> list[str]:
    """The verdicts that the metric's confusion matrix shows, but for those on exact hits."""
    right = hits(metric)
    return [name for name in metric.confusion or () if name not in right]


def _score_rows(
    metric: Metric, scores: Mapping[str, Any], bounds: Mapping[str, Any]
) -> tuple[list[list[Cell]], list[list[Cell]]]:
    """Rows of precision, recall and F, and of the scores that are left."""
    names = [name for name in scores if name != "undefined"]
    groups = [name[:-1] for name in names if name.endswith("p") and {name[:-1] + "r", name[:-1] + "f"} <= set(names)]
    single = [name for name in names if not (name[:-1] in groups and name[-1] in "prf")]
    prf: list[list[Cell]] = [
        [f"{metric.name} {group.rstrip('_')}".strip(), *(score_cell(metric, group + x, scores, bounds) for x in "prf")]
        for group in groups
    ]
    return prf, [[metric.name, name, score_cell(metric, name, scores, bounds)] for name in single]


def _support(counts: Counts) -> dict[str, int]:
    """Each label and its number of gold spans."""
    view = View(counts, counts.metrics[0])
    return dict(zip(view.labels, view.sums(by_label=True)[GOLD_SPANS].tolist()))


def headline(metric: Metric, per_type: Mapping[str, Any]) -> list[str]:
    """The scores of a metric that stand for a label or bucket."""
    return _leading(metric, list(next(iter(per_type.values()))["scores"]) if per_type else [])


def _leading(metric: Metric, names: Sequence[str]) -> list[str]:
    """Among scores its F, or else the first it shows in spaCy's keys."""
    shown = [name for name in metric.flat.values() if name in names]
    return [n for n in shown if n.endswith("f")] or shown[:1] or [n for n in names if n.endswith("f")] or [*names[:1]]


def short(metric: Metric, name: str) -> str:
    """A score's name at the head of a column."""
    if name == metric.name:
        return name
    if name.endswith("f"):
        return f"{metric.name} {name.rstrip('f').rstrip('_')}".strip()
    return next((key.replace("_", " ") for key, shown in metric.flat.items() if shown == name), name)


# In words


def heading(result: Mapping[str, Any]) -> str:
    """What was scored, and what was left out."""
    parts = [_many(result["documents"], "document"), _many(result["gold"], "gold span")]
    parts.append(_many(result["pred"], "predicted span"))
    if result["skipped"]:
        parts.append(f"{_many(result['skipped'], 'document')} without annotation skipped")
    if result["ignored"]:
        parts.append(f"{_many(result['ignored'], 'prediction')} ignored where the reference is not annotated")
    if result["repaired"]:
        parts.append(f"{_many(result['repaired'], 'span')} repaired")
    return ", ".join(parts)


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def warning(units: int) -> list[str]:
    """What to say of intervals and tests on few documents; nothing if there are enough.

    >>> warning(20), warning(19)
    ([], ['⚠ Fewer than 20 documents: intervals are too narrow, and little can be told from them.'])
    """
    if units >= FEW:
        return []
    return [f"⚠ Fewer than {FEW} documents: intervals are too narrow, and little can be told from them."]


def disagreement_lines(found: Mapping[str, Any]) -> list[str]:
    """Where WRF and strict F disagree, in plain words."""
    left_out = f"{found['undefined']} where one is undefined left out"
    lines = [f"WRF against strict F in {found['documents']} documents ({left_out}):"]
    for name in ("above", "below", "equal"):
        share = "-" if found[name]["share"] is None else f"{100 * found[name]['share']:.1f} %"
        such_as = f", such as {', '.join(map(str, found[name]['examples']))}" if found[name]["examples"] else ""
        lines.append(f"  {name} in {found[name]['documents']} ({share}){such_as}")
    return lines
