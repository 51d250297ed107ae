"""The tables of cuts: what each label and score gains, calibration, and curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.declaration import Metric
from .declared import short_name
from .remarks import many
from .result_table import Cell, Cost, Estimate, ResultTable, shown
from .score_cells import interval, number, percent, unit_of

NONE = "none kept"
"""Shown for the cut at which no prediction is kept."""

CUT_DIGITS = 4


class Thresholded(NamedTuple):
    """The result of `nereval thresholds` for one system.

    name: the name of the system; "" if there is one only. metrics: what was scored.
    """

    result: Mapping[str, Any]
    metrics: Sequence[Metric]
    name: str = ""

    @property
    def best(self) -> Mapping[str, Any]:
        """The best cut."""
        found: Mapping[str, Any] = self.result["best"]
        return found

    @property
    def applied(self) -> Mapping[str, Any] | None:
        """What the cut is worth on other documents, if it was applied to others."""
        return self.result.get("applied")

    @property
    def metric(self) -> Metric:
        """The metric of the score by which the cut was chosen."""
        name = self.best["score"].partition(".")[0]
        return next(metric for metric in self.metrics if metric.name == name)

    @property
    def score(self) -> str:
        """The name of that score within its metric."""
        return str(self.best["score"].partition(".")[2])

    @property
    def unit(self) -> type[float]:
        """The type of the score in cells."""
        return unit_of(self.metric, self.score)

    def shown(self, value: float | None, digits: int) -> str:
        """Return a value of the score as people read it."""
        return shown(number(value, self.unit), digits)

    def with_interval(self, row: Mapping[str, Any], digits: int) -> str:
        """Return the value of a row, with its interval if it has one."""
        bounds = interval({"low": row["low"], "high": row["high"]}, self.unit)
        if bounds is None or row["value"] is None:
            return self.shown(row["value"], digits)
        return shown(Estimate(self.unit(row["value"]), *bounds), digits)


def cut_in_words(cut: float | None) -> str:
    """Return a cut as people read it.

    >>> cut_in_words(0.62), cut_in_words(1 / 3), cut_in_words(None)
    ('0.62', '0.3333', 'none kept')
    """
    return NONE if cut is None else f"{cut:.{CUT_DIGITS}g}"


def label_tables(given: Thresholded) -> Iterator[ResultTable]:
    """Yield the cut of each label, and its score with and without the cut."""
    metric = given.metric
    rows: list[list[Cell]] = []
    source = given.result["per_type"] if given.applied is None else given.applied["per_type"]
    name = next((row["score"] for row in source.values()), None)
    if name is None:
        return
    unit = unit_of(metric, name)
    for label, row in sorted(source.items(), key=lambda item: (-item[1]["gold"], item[0])):
        value = number(row["value"], unit)
        bounds = interval({"low": row["low"], "high": row["high"]}, unit) if "low" in row else None
        cell = value if bounds is None or value is None else Estimate(value, *bounds, row["flag"] == "few")
        without = number(row["no_cut"], unit)
        precision = given.result["per_type"].get(label, {"ap": None})["ap"]
        rows.append([label, row["gold"], row["pred"], _cell(row["cut"]), cell, without, percent(precision)])
    short = short_name(metric, name)
    header = ["label", "gold", "predicted", "cut", short, Cost("uncut") if isinstance(short, Cost) else "uncut", "AP"]
    where = "" if given.applied is None else f"{many(given.applied['documents'], 'other document')}; AP where chosen"
    yield _table(given, "Labels", header, rows, where)


def score_tables(given: Thresholded) -> Iterator[ResultTable]:
    """Yield the headline scores: the best cut of each, and its value with and without that cut."""
    rows: list[list[Cell]] = []
    for metric in given.metrics:
        own = given.result["metrics"].get(metric.name, {"scores": {}})["scores"]
        for score in metric.headlines:
            if score.name in own:
                row, unit = own[score.name], unit_of(metric, score.name)
                values = (number(row[key], unit) for key in ("value", "no_cut"))
                rows.append([short_name(metric, score.name), _cell(row["cut"]), *values])
    yield _table(given, "Best cut of each score", ["score", "best cut", "value", "uncut"], rows, "where chosen")


def applied_tables(given: Thresholded) -> Iterator[ResultTable]:
    """Yield the headline scores of other documents at the cut that was chosen, with intervals."""
    if given.applied is None:
        return
    rows: list[list[Cell]] = []
    for metric in given.metrics:
        own = given.applied["metrics"].get(metric.name)
        for score in metric.headlines if own else ():
            unit = unit_of(metric, score.name)
            value, without = (number(own[key][score.name], unit) for key in ("scores", "no_cut"))
            bounds = interval(own["intervals"].get(score.name), unit)
            few = (own["intervals"].get(score.name) or {}).get("flag") == "few"
            cell = value if value is None or bounds is None else Estimate(value, *bounds, few)
            rows.append([short_name(metric, score.name), cell, without])
    yield _table(given, "Other documents", ["score", "at the cut", "uncut"], rows)


def calibration_tables(given: Thresholded) -> Iterator[ResultTable]:
    """Yield the bins of the scores: how many predictions each has, and how many of them are hits."""
    rows: list[list[Cell]] = [
        [row["low"], row["high"], row["n"], *(percent(row[key]) for key in ("score", "hits", "gap"))]
        for row in given.result["calibration"]["bins"] or ()
    ]
    yield _table(given, "Calibration", ["from", "to", "predictions", "mean score", "hits", "gap"], rows)


def curve_tables(given: Thresholded) -> Iterator[ResultTable]:
    """Yield the headline scores at up to 400 cuts."""
    curves = given.result["curves"]
    names = [
        (metric, score.name)
        for metric in given.metrics
        if metric.name in curves["metrics"]
        for score in metric.headlines
    ]
    columns = [(unit_of(metric, name), curves["metrics"][metric.name][name]) for metric, name in names]
    rows: list[list[Cell]] = [
        [_cell(cut), kept, *(number(values[k], unit) for unit, values in columns)]
        for k, (cut, kept) in enumerate(zip(curves["cuts"], curves["kept"]))
    ]
    header = ["cut", "kept", *(short_name(metric, name) for metric, name in names)]
    yield _table(given, "Curves", header, rows)


TABLES: dict[str, Callable[[Thresholded], Iterable[ResultTable]]] = {
    "labels": label_tables,
    "applied": applied_tables,
    "scores": score_tables,
    "calibration": calibration_tables,
    "curves": curve_tables,
}
"""The values of `--tables`, and the function that makes the tables of each."""

USUAL = ("labels", "applied", "scores")
"""The tables that are shown by default."""


def threshold_tables(given: Thresholded, wanted: Sequence[str] = USUAL, *, digits: int = 2) -> Iterator[ResultTable]:
    """Yield tables.

    Args:
        given: The result.
        wanted: Names of tables, keys of `TABLES`.
        digits: Decimal places of scores.
    """
    for name in wanted:
        for table in TABLES[name](given):
            yield table._replace(digits=digits)


def _cell(cut: float | None) -> Cell:
    return NONE if cut is None else cut


def _table(
    given: Thresholded, title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]], note: str = ""
) -> ResultTable:
    own_digits = {name: CUT_DIGITS for name in header if name in ("cut", "best cut", "from", "to")}
    title = f"{title} of {given.name}" if given.name else title
    return ResultTable(title, header, rows, note=note, own_digits=own_digits)
