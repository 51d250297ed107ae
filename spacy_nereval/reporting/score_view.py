"""What people see of the scores of one system: its tables, and the sentences about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ..core.arguments import MOST_DOCUMENTS
from ..core.declaration import Metric
from ..core.wording import VERDICT_KINDS
from ..counting.counts import Counts
from ..evaluation.error_groups import ErrorGroups
from ..evaluation.error_list import ListedVerdict
from ..evaluation.intervals import run_intervals
from ..evaluation.prediction_rates import PredictionRate, prediction_rates, rates_of
from ..evaluation.resampling import Confidence
from ..evaluation.result import LabelledVerdict, documents_with
from .declared import errors_of, headlines, judging, main_metric, short_name, spoken
from .remarks import heading, in_sentence, interval_lines, many, mention_lines, times
from .result_table import Cell, Estimate, ResultTable, direction, shown
from .score_tables import (
    Evaluated,
    breakdown_table,
    count_tables,
    document_tables,
    headline_tables,
    label_score_tables,
    label_tables,
    score_cell,
    score_tables,
)
from .verdict_tables import confusion_tables, group_tables, pair_tables, verdict_tables
from .view import Finding, Makers, View

FEW = 10
"""Labels and buckets with fewer gold spans are not called the lowest, if there are others."""

EVEN = (0.8, 1.25)
"""Where there are no intervals, a label that is predicted this often for each gold span is not called over- or
under-predicted."""

UNTOLD = "no label is clearly predicted too often or too rarely"


def _of(make: Callable[[Evaluated], Iterable[ResultTable]]) -> Callable[[ScoreView], Iterable[ResultTable]]:
    return lambda view: make(view.given)


class ScoreView(View):
    """The tables and sentences of one system.

    Args:
        counts: The counts of the corpus; None if only the result is known.
        result: The result that `evaluate` returns for the counts.
        average: The average that tables of scores show.
        examples: The first verdict of each kind of error, if documents were available.
        groups: Groups of the same error, if documents were available.
        metrics: The metrics of the result, if there are no counts.

    >>> from spacy_nereval import Document, count, create_all, evaluate
    >>> counts = count([Document([(0, 3, "A"), (4, 8, "A")], [(0, 3, "A")])], create_all(["fair", "slot_error"]))
    >>> view = ScoreView(counts, evaluate(counts))
    >>> [table.title for table in view.tables(["labels", "counts"])]
    ['Per label', 'Counts']
    >>> [finding.sentence for finding in view.findings()][1:3]
    ['most frequent errors: missed spans (1 of 1)', 'A is the only label: F 66.67 on 2 gold spans']
    """

    makers: ClassVar[Makers] = {
        "headline": lambda view: headline_tables(view.bounded),
        "errors": _of(verdict_tables),
        "groups": _of(group_tables),
        "scores": _of(score_tables),
        "labels": _of(label_tables),
        "pairs": _of(pair_tables),
        "confusion": _of(confusion_tables),
        "documents": _of(document_tables),
        "label-scores": _of(label_score_tables),
        "counts": _of(count_tables),
    }
    at_terminal: ClassVar[Sequence[str]] = ("headline", "errors", "groups")
    usual: ClassVar[Sequence[str]] = ("scores", "labels", "errors", "pairs", "confusion", "documents")

    def __init__(
        self,
        counts: Counts | None,
        result: Mapping[str, Any],
        average: str = "micro",
        *,
        examples: Mapping[LabelledVerdict, ListedVerdict] = {},
        groups: ErrorGroups | None = None,
        metrics: Sequence[Metric] = (),
    ) -> None:
        self.result = result
        scored = metrics if counts is None else counts.metrics
        self.given: Evaluated = Evaluated(counts, result, scored, average, examples, groups)
        self.metric: Metric = main_metric(scored)

    @cached_property
    def bounded(self) -> Evaluated:
        """What was given, with intervals of the main metric if they are computed quickly."""
        counts, result, metric = self.given.counts, self.given.result, self.metric
        if counts is None:
            return self.given
        drawn_before = counts.collapsed and counts.replicates  # then there is nothing to draw
        too_slow = counts.documents > MOST_DOCUMENTS or len(counts.units) != counts.documents
        if "confidence" in result or (too_slow and not drawn_before):
            return self.given
        found = run_intervals([counts if counts.collapsed else counts.of([metric])], Confidence())
        own = result["metrics"][metric.name] | {"intervals": found.metrics[metric.name]}
        more = {"metrics": result["metrics"] | {metric.name: own}, "confidence": found.basis._asdict()}
        return self.given._replace(result={**result, **more})

    def tables(self, wanted: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
        """Yield tables, then the breakdowns by attributes if the result has any; see `View.tables`."""
        yield from super().tables(wanted, digits=digits)
        for found in self.given.result.get("breakdowns", {}).values():
            yield breakdown_table(found, self.given.metrics, digits=digits)

    def every_row(self) -> ResultTable:
        """Return every score of every metric, overall and of each label, for programs."""
        rows: list[list[Cell]] = []
        for metric in self.given.metrics:
            own = self.given.result["metrics"][metric.name]
            bounds, of_labels = self.given.intervals(metric.name), own["per_type"].items()
            places = [("", *self.given.overall(metric.name))]
            places += [(label, each["scores"], bounds.get("per_type", {}).get(label, {})) for label, each in of_labels]
            for label, scores, intervals in places:
                for name in (name for name in scores if name != "undefined"):  # in averages: how many are
                    cell = score_cell(metric, name, scores, intervals)
                    rows.append([label, metric.score_by_name[name].key or None, metric.name, name, cell])
        return ResultTable("All scores", ["label", "key", "metric", "score", "value"], rows)

    # Sentences

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return a sentence on the main score and the most frequent errors, and one on the other scores.

        >>> from spacy_nereval import Document, count, create_all, evaluate
        >>> documents = [Document([(0, 3, "A"), (4, 8, "A")], [(0, 3, "A")])]
        >>> counts = count(documents, create_all(["fair", "slot_error"]), units=False)
        >>> for line in ScoreView(counts, evaluate(counts)).opening():
        ...     print(line)
        1 document, 2 gold spans, 1 predicted span: fair F 66.67; most frequent errors: missed spans (1 of 1)
        Also: ser 50.00 (slot error rate, lower is better)
        """
        main, others = self._main_and_others(digits)
        errors = self._most_errors()
        lines = [f"{self.scored}: {'; '.join([*main, *([errors[0]] if errors else [])])}"]
        also = [f"Also{self._average}: {', '.join(_listed(others))}"] * bool(others)
        lines += ["; ".join([*also, *([f"more: {more}"] if more else [])])] * bool(also or more)
        result = self.given.result
        return [*lines, *mention_lines(result.get("mentions", {})), *self.left_out]

    @property
    def scored(self) -> str:
        """What was scored, the start of the first sentence."""
        return heading(self.given.result)

    def closing(self) -> list[str]:
        """Return what the intervals rest on if nobody chose it, and warnings if these are few units."""
        found = self.bounded.result.get("confidence")
        return interval_lines(found) if found else []

    def findings(self) -> list[Finding]:
        """Return sentences on the scores, errors, labels, confused labels, and how often labels are predicted."""
        return [
            self._main_score(),
            *self._frequent_errors(),
            self._lowest_label(),
            *self._confused(),
            self._predicted(),
        ]

    def _main_score(self) -> Finding:
        main, _ = self._main_and_others(2)
        return Finding("scores", main[0] if main else f"{self.metric.name} has no score")

    @property
    def _average(self) -> str:
        return "" if self.given.average == "micro" else f" ({self.given.average})"

    def _main_and_others(self, digits: int) -> tuple[list[str], list[tuple[Metric, str, str]]]:
        """Return the main score in words, and the other headline scores: metric, name and value."""
        given = self.bounded
        rows = [
            (each, name, _without_few(score_cell(each, name, *given.overall(each.name)), digits))
            for each in given.metrics
            for name in headlines(each, [name for name in given.overall(each.name)[0] if name != "undefined"])
        ]
        main = next((row for row in rows if row[0] is self.metric), None)
        said = [f"{spoken(*main[:2])}{self._average} {main[2]}"] if main else []
        return said, [row for row in rows if row is not main]

    def _most_errors(self) -> tuple[str, str] | None:
        """Return which kind of error is the most frequent, in words and as a key; None if verdicts show no kinds."""
        if not judging([self.metric]):
            return None
        numbers: Counter[str] = Counter()
        for (verdict, _, _), number in self._verdicts.items():
            if verdict in errors_of(self.metric):
                numbers[self._kind(verdict)] += number
        if not numbers:
            return "no errors", ""
        ((kind, number),) = numbers.most_common(1)
        words = VERDICT_KINDS.get(kind, kind)
        return f"most frequent errors: {words} ({number:,} of {numbers.total():,})", kind

    @property
    def _verdicts(self) -> Mapping[LabelledVerdict, int]:
        return self.given.verdicts(self.metric)

    def _kind(self, verdict: str) -> str:
        """Return what is wrong about a verdict, a key of `VERDICT_KINDS` if the metric declares its words."""
        words = self.metric.words
        return words[verdict].kind if verdict in words else verdict

    def _with(self, is_wanted: Callable[[LabelledVerdict], object]) -> list[str | int]:
        counts = self.given.counts
        return [] if counts is None else documents_with(counts, self.metric, is_wanted)

    def _frequent_errors(self) -> Iterator[Finding]:
        if found := self._most_errors():
            sentence, kind = found
            wrong = errors_of(self.metric)
            yield Finding("errors", sentence, self._with(lambda v: v[0] in wrong and self._kind(v[0]) == kind))

    def _lowest_label(self) -> Finding:
        rows: Any = [(row[0], row[1], row[-1]) for table in headline_tables(self.given) for row in table.rows]
        sentence, label = lowest(self.metric, "label", rows)
        documents = self._with(lambda verdict: label in verdict[1:]) if label else ()
        return Finding("labels", sentence, documents, sentence.startswith(in_sentence(label or "")))

    def _confused(self) -> Iterator[Finding]:
        """Yield which label is most often predicted for another one, if the metric has a confusion matrix."""
        confusion = self.metric.confusion
        if confusion is None:
            return
        pairs: Counter[tuple[str, str]] = Counter()
        for (verdict, gold, pred), number in self._verdicts.items():
            if verdict in confusion and gold and pred and gold != pred:
                pairs[gold, pred] += number
        if not pairs:
            yield Finding("confusion", "no label is predicted for another")
            return
        most, number = min(pairs.items(), key=lambda pair: (-pair[1], pair[0]))
        sentence = f"{in_sentence(most[1])} is predicted for {in_sentence(most[0])} {times(number)}"
        yield Finding("confusion", sentence, self._with(lambda v: v[0] in confusion and v[1:] == most), True)

    @cached_property
    def rates(self) -> list[PredictionRate]:
        """How often each label is predicted, with intervals if the result has some."""
        if self.given.counts is None:
            return rates_of(self.given.result)
        found = self.given.result.get("confidence")
        chosen = {name: found[name] for name in Confidence._fields if found[name] is not None} if found else {}
        settings = Confidence(**chosen) if found else None
        return prediction_rates(self.given.counts, settings)

    def _predicted(self) -> Finding:
        """Return the label that is predicted most too often, and the one most too rarely."""
        told = [each for each in self.rates if each.gold >= FEW and not each.few]
        if any(each.low is not None for each in told):
            told = [each for each in told if each.low is not None and not each.low <= 1 <= (each.high or 1)]
        else:
            told = [each for each in told if not EVEN[0] <= each.pred / each.gold <= EVEN[1]]
        gaps = {each: each.pred - each.gold for each in told}
        over = max((each for each in told if gaps[each] > 0), key=lambda each: gaps[each], default=None)
        under = min((each for each in told if gaps[each] < 0), key=lambda each: gaps[each], default=None)
        said = [_rate(over, "is predicted")] if over else []
        said += [_rate(under, "is predicted only" if under.pred else "is predicted")] if under else []
        labels = {each.label for each in (over, under) if each}
        documents = self._with(lambda verdict: labels & {*verdict[1:]}) if labels else ()
        return Finding("rates", ", ".join(said) or UNTOLD, documents, bool(said))


def lowest(
    metric: Metric, what: str, rows: Sequence[tuple[str, int, float | Estimate | None]]
) -> tuple[str, str | None]:
    """Return which label or bucket scores worst, and its name, None if none can be said to.

    The score of a rare label says little, and one of few units is not ranked.

    Args:
        metric: The metric of the scores.
        what: What the rows are: "label" or "length".
        rows: Of each, the name, the number of gold spans, and its score.

    >>> from spacy_nereval import create
    >>> lowest(create("fair"), "label", [("A", 12, 0.5), ("B", 20, 0.25), ("C", 2, 0.0)])
    ('B scores lowest: F 0.25 on 20 gold spans', 'B')
    >>> lowest(create("fair"), "label", [("A", 12, 1.0), ("B", 20, 1.0)])  # trivial: none is lower than another
    ('every label has F 1.00', None)
    """
    scored = [row for row in rows if row[1] and row[2] is not None]
    if any(isinstance(cell, Estimate) for _, _, cell in scored):
        scored = [row for row in scored if isinstance(row[2], Estimate) and not row[2].few]
        if not scored:
            return f"every {what} rests on too few units to be ranked", None
    scored = [row for row in scored if row[1] >= FEW] or scored
    if not scored:
        return f"no {what} has gold spans", None
    main = metric.label_headlines[0]
    score, sign = ("F" if main.group else short_name(metric, main.name)), 1 if main.higher_is_better else -1
    name, gold, cell = min(scored, key=lambda row: (sign * _value(row[2]), row[0]))
    if len(rows) == 1:
        only = f"{in_sentence(name)} is the only {what}: {score} {shown(_value(cell))}"
        return f"{only} on {many(gold, 'gold span')}", name
    if len(scored) > 1 and len({_value(row[2]) for row in scored}) == 1:
        return f"every {what} has {score} {shown(_value(cell))}", None
    who = f"spans of {in_sentence(name)} score" if what == "length" else f"{in_sentence(name)} scores"
    worst = "lowest" if main.higher_is_better else "highest"
    return f"{who} {worst}: {score} {shown(_value(cell))} on {many(gold, 'gold span')}", name


def _value(cell: float | Estimate | None) -> float:
    assert cell is not None
    return cell.value if isinstance(cell, Estimate) else cell


def _rate(each: PredictionRate, verb: str) -> str:
    number = times(each.pred) if each.pred else "0 times"
    return f"{in_sentence(each.label)} {verb} {number} for {many(each.gold, 'gold span')}"


def _listed(found: Iterable[tuple[Metric, str, str]]) -> Iterator[str]:
    """Yield scores with their values. The name of a metric is not repeated."""
    before = None
    for metric, name, value in found:
        short = short_name(metric, name)
        shown_name = short.removeprefix(f"{metric.name} ") if metric is before else short
        yield f"{shown_name} {value}{_explained(metric, name)}"
        before = metric


def _without_few(cell: float | Estimate | None, digits: int) -> str:
    # Warnings say below where there are few documents.
    return shown(cell._replace(few=False) if isinstance(cell, Estimate) else cell, digits)


def _explained(metric: Metric, name: str) -> str:
    meaning = metric.score_by_name[name].meaning.partition(":")[0] if name != metric.name else ""
    said = [part for part in (meaning, direction(short_name(metric, name))) if part]
    return f" ({', '.join(said)})" if said else ""
