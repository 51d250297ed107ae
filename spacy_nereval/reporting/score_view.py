"""The tables and sentences on the scores of one system, and of one system with several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ..core.arguments import MOST_DOCUMENTS
from ..core.declaration import Metric
from ..core.messages import many
from ..core.wording import VERDICT_KINDS
from ..counting.counts import Counts
from ..evaluation.conclusion import Footing, footer
from ..evaluation.error_groups import ErrorGroups
from ..evaluation.error_list import ListedVerdict
from ..evaluation.intervals import run_intervals
from ..evaluation.prediction_rates import PredictionRate, prediction_rates, result_rates
from ..evaluation.resampling import Confidence
from ..evaluation.result import LabelledVerdict, documents_with
from ..evaluation.tested import label_score
from ..io.writing import visible
from .declared import error_metric, error_verdicts, headlines, main_metric, sentence_name, short_name
from .figures import Figure, matrix_figure, score_figure, verdict_figure
from .remarks import (
    few_runs,
    heading,
    interval_basis,
    interval_lines,
    mention_lines,
    name_in_sentence,
    runs_phrases,
    times,
)
from .result_table import Cell, Estimate, ResultTable, direction, number_text
from .score_tables import (
    MOST_LABELS,
    Evaluation,
    attribute_tables,
    breakdown_table,
    count_tables,
    document_tables,
    headline_tables,
    label_score_tables,
    label_tables,
    percent,
    score_cell,
    score_tables,
    unit_of,
    value_cell,
)
from .verdict_tables import (
    NO_SPAN,
    boundary_tables,
    confusion_tables,
    group_tables,
    hit_matrix,
    pair_tables,
    verdict_tables,
)
from .view import Figures, Finding, Makers, View

FEW = 10
"""Labels and buckets with fewer gold spans are not ranked, unless all have fewer."""

EVEN = (0.8, 1.25)
"""Without intervals: a label with this many predictions per gold span is neither over- nor underpredicted."""

NO_CLEAR_RATE = "no label is clearly predicted too often or too rarely"


VALUE_BOUNDS = ("value low", "value high")
"""The columns of bounds in the table of every score."""

NO_INTERVAL: Mapping[str, Any] = {"share_of_training": None}
"""Used for scores that are numbers of spans, which have no interval."""


def _table_maker(make: Callable[[Evaluation], Iterable[ResultTable]]) -> Callable[[ScoreView], Iterable[ResultTable]]:
    return lambda view: make(view.evaluation)


def _first_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the main score of each label, and the scores of attributes if another metric has them."""
    yield from headline_tables(evaluation)
    if not evaluation.metric.attributes:
        yield from attribute_tables(evaluation)


class ScoreView(View):
    """The tables and sentences on the scores of one system.

    Args:
        counts: The counts of the corpus; None if only the result is known.
        result: The result that `evaluate` returns for the counts.
        average: The average that tables of scores show.
        examples: The first verdict of each kind of error, if documents were available.
        groups: Groups of the same error, if documents were available.
        metrics: The metrics of the result, if there are no counts.
        primary: The metric and the name of the score that is shown first and for labels; None for the first headline
            of the main metric.

    >>> from spacy_nereval import Document, count, create_all, evaluate
    >>> counts = count([Document([(0, 3, "A"), (4, 8, "A")], [(0, 3, "A")])], create_all(["fair", "slot_error"]))
    >>> view = ScoreView(counts, evaluate(counts))
    >>> [table.title for table in view.tables(["labels", "counts"])]
    ['Per label', 'Counts']
    >>> [finding.sentence for finding in view.findings()][1:3]
    ['most frequent errors: missed spans (1 of 1)', 'A is the only label: F 66.67 on 2 gold spans']
    """

    makers: ClassVar[Makers] = {
        "headline": lambda view: _first_tables(view.evaluation_with_intervals),
        "errors": _table_maker(verdict_tables),
        "groups": _table_maker(group_tables),
        "scores": _table_maker(score_tables),
        "labels": _table_maker(label_tables),
        "attributes": _table_maker(attribute_tables),
        "pairs": _table_maker(pair_tables),
        "boundaries": _table_maker(boundary_tables),
        "confusion": _table_maker(confusion_tables),
        "documents": _table_maker(document_tables),
        "label-scores": _table_maker(label_score_tables),
        "counts": _table_maker(count_tables),
    }
    at_terminal: ClassVar[Sequence[str]] = ("headline", "errors", "groups")
    usual: ClassVar[Sequence[str]] = (
        "scores",
        "labels",
        "attributes",
        "errors",
        "boundaries",
        "pairs",
        "confusion",
        "documents",
    )

    def __init__(
        self,
        counts: Counts | None,
        result: Mapping[str, Any],
        average: str = "micro",
        *,
        examples: Mapping[LabelledVerdict, ListedVerdict] = {},
        groups: ErrorGroups | None = None,
        metrics: Sequence[Metric] = (),
        primary: tuple[str, str] | None = None,
    ) -> None:
        self.result = result
        scored = metrics if counts is None else counts.metrics
        self.evaluation: Evaluation = Evaluation(counts, result, scored, average, examples, groups, primary)
        self.metric: Metric = main_metric(scored)

    @cached_property
    def evaluation_with_intervals(self) -> Evaluation:
        """The evaluation, with intervals of the main metric if they are fast to compute."""
        counts, result, metric = self.evaluation.counts, self.evaluation.result, self.evaluation.metric
        if counts is None:
            return self.evaluation
        drawn_before = counts.collapsed and counts.replicates  # then there is nothing to draw
        too_slow = counts.documents > MOST_DOCUMENTS or len(counts.units) != counts.documents
        if "confidence" in result or (too_slow and not drawn_before):
            return self.evaluation
        intervals = run_intervals([counts.of([metric])], Confidence())
        bounded_metric = result["metrics"][metric.name] | {"intervals": intervals.metrics[metric.name]}
        metrics, confidence = result["metrics"] | {metric.name: bounded_metric}, intervals.basis._asdict()
        return self.evaluation._replace(result={**result, "metrics": metrics, "confidence": confidence})

    def tables(self, names: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
        """Yield tables, then the breakdowns by attributes if the result has any; see `View.tables`."""
        yield from super().tables(names, digits=digits)
        for breakdown in self.evaluation.result.get("breakdowns", {}).values():
            yield breakdown_table(breakdown, self.evaluation.metrics, digits=digits)

    def every_row(self) -> ResultTable:
        """Return a table for programs: every score of every metric, overall and of each label, and its bounds."""
        rows: list[list[Cell]] = []
        for metric in self.evaluation.metrics:
            result = self.evaluation.result["metrics"][metric.name]
            bounds = self.evaluation.intervals(metric.name).get("per_type", {})
            places = [("", *self.evaluation.overall(metric.name))]
            places += [(label, row["scores"], bounds.get(label, {})) for label, row in result["per_type"].items()]
            for label, scores, intervals in places:
                for name in (name for name in scores if name != "undefined"):  # in averages, a number of labels
                    cell = score_cell(metric, name, scores, intervals)
                    # The bounds have separate columns, even if no score has bounds.
                    numbers = cell[:3] if isinstance(cell, Estimate) else (cell, None, None)
                    rows.append([label, metric.score_by_name[name].key or None, metric.name, name, *numbers])
        return ResultTable("All scores", ["label", "key", "metric", "score", "value", *VALUE_BOUNDS], rows)

    # Figures

    def _score_figure(self) -> Figure:
        """Return a figure of precision, recall and F of each metric, with the intervals of F."""
        table, _ = score_tables(self.evaluation_with_intervals)
        return score_figure([(str(row[0]), row[1:]) for row in table.rows], "score, %")

    def _label_figure(self) -> Figure:
        """Return a figure of the main score of each label, the most frequent first, with precision and recall."""
        rows = [row for table in headline_tables(self.evaluation_with_intervals) for row in table.rows[:MOST_LABELS]]
        metric = self.evaluation.metric
        main = label_score(metric, self.evaluation.primary[1]) if self.evaluation.primary else metric.label_headlines[0]
        title = f"{sentence_name(metric, main.name)}{', %' * (main.unit == 'ratio')}"
        return score_figure([(str(row[0]), row[3:]) for row in rows], title)

    def _verdict_figure(self) -> Figure:
        """Return a figure of the number of each verdict, with the share of the errors of its own."""
        metric, rows = self._judge("verdicts"), []
        kinds, errors = self.evaluation.verdicts(metric), error_verdicts(metric)
        numbers = Counter({name: 0 for name in (*metric.correct_verdicts, *errors)})
        for (verdict, _, _), number in kinds.items():
            if verdict in numbers:
                numbers[verdict] += number
        total = sum(numbers[name] for name in errors)
        for name in sorted(numbers, key=lambda name: (name in errors, -numbers[name])):
            words = metric.words.get(name)
            share = (
                f" ({number_text(percent(numbers[name], total), 0)} % of errors)" if name in errors and total else ""
            )
            rows.append((words.short if words else name, words.kind if words else "", numbers[name], share))
        return verdict_figure(rows)

    def _confusion_figure(self) -> Figure:
        """Return a figure of the confusion matrix with hits on its diagonal."""
        metric = self._judge("confusion")
        cells, labels, more = hit_matrix(metric, self.evaluation.verdicts(metric))
        columns = (*labels, *more, "")
        return matrix_figure({g: {p: cells.get(g, {}).get(p, 0) for p in columns} for g in (*labels, "")}, NO_SPAN)

    def _judge(self, figure: str) -> Metric:
        """Return the metric of the verdicts that are shown. Raise ValueError if no metric has verdicts."""
        if not (metric := error_metric(self.evaluation.metrics)):
            names = ", ".join(metric.name for metric in self.evaluation.metrics)
            raise ValueError(
                f"there is no figure {figure!r} of {names}: score fair as well, since it shows fair verdicts"
            )
        return metric

    figures: ClassVar[Figures] = {
        "scores": _score_figure,
        "labels": _label_figure,
        "verdicts": _verdict_figure,
        "confusion": _confusion_figure,
    }

    # Sentences

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return a line on the main score and the most frequent errors, and a line on the other scores.

        >>> from spacy_nereval import Document, count, create_all, evaluate
        >>> documents = [Document([(0, 3, "A"), (4, 8, "A")], [(0, 3, "A")])]
        >>> counts = count(documents, create_all(["fair", "slot_error"]), units=False)
        >>> for line in ScoreView(counts, evaluate(counts)).opening():
        ...     print(line)
        1 document, 2 gold spans, 1 predicted span: fair F 66.67; most frequent errors: missed spans (1 of 1)
        Also: ser 50.00 (slot error rate, lower is better)
        """
        main, other_scores = self._headline_scores(digits)
        errors = self._most_frequent_error()
        lines = [f"{self.subject}: {'; '.join([*main, *([errors[0]] if errors else [])])}"]
        also = [f"Also{self._average_note}: {', '.join(_score_phrases(other_scores))}"] * bool(other_scores)
        lines += ["; ".join([*also, *([f"more: {more}"] if more else [])])] * bool(also or more)
        result = self.evaluation.result
        return [*lines, *mention_lines(result.get("mentions", {})), *self.omissions]

    @property
    def subject(self) -> str:
        """The scored data; the first line begins with them."""
        return heading(self.evaluation.result)

    def closing(self) -> list[str]:
        """Return the units of the intervals if they were chosen automatically, and warnings if they are few."""
        result = self.evaluation_with_intervals.result
        return interval_lines(result["confidence"], result["documents"]) if result.get("confidence") else []

    def findings(self) -> list[Finding]:
        """Return findings on the main score, errors, labels, confused labels, and how often labels are predicted."""
        return [
            self._score_finding(),
            *self._error_findings(),
            self._label_finding(),
            *self._confusion_findings(),
            self._rates_finding(),
        ]

    def _score_finding(self) -> Finding:
        main, _ = self._headline_scores(2)
        return Finding("scores", main[0] if main else f"{self.evaluation.metric.name} has no score")

    @property
    def _average_note(self) -> str:
        return "" if self.evaluation.average == "micro" else f" ({self.evaluation.average})"

    def _headline_scores(self, digits: int) -> tuple[list[str], list[tuple[Metric, str, str]]]:
        """Return the main score in words, and the metric, name and value of each other headline score."""
        evaluation = self.evaluation_with_intervals
        rows = [
            (metric, name, _value_text(score_cell(metric, name, *evaluation.overall(metric.name)), digits))
            for metric in evaluation.metrics
            for name in self._shown_scores(metric, evaluation)
        ]
        main = next((row for row in rows if self._is_main(*row[:2])), None)
        phrases = [f"{sentence_name(*main[:2])}{self._average_note} {main[2]}"] if main else []
        return phrases, [row for row in rows if row is not main]

    def _shown_scores(self, metric: Metric, evaluation: Evaluation) -> list[str]:
        """Return the headline scores of a metric that have a value, and the primary score, which comes first."""
        names = [name for name in evaluation.overall(metric.name)[0] if name != "undefined"]
        first = [name for name in names if (metric.name, name) == evaluation.primary]
        return [*dict.fromkeys([*first, *headlines(metric, names)])]

    def _is_main(self, metric: Metric, name: str) -> bool:
        primary = self.evaluation.primary
        return metric is self.evaluation.metric and (primary is None or name == primary[1])

    def _most_frequent_error(self) -> tuple[str, str] | None:
        """Return the most frequent kind of error, in words and as a key; None if verdicts show no kinds."""
        if not error_metric([self.metric]):
            return None
        numbers: Counter[str] = Counter()
        for (verdict, _, _), number in self._verdicts.items():
            if verdict in error_verdicts(self.metric):
                numbers[self._error_kind(verdict)] += number
        if not numbers:
            return "no errors", ""
        ((kind, number),) = numbers.most_common(1)
        words = VERDICT_KINDS.get(kind, kind)
        return f"most frequent errors: {words} ({number:,} of {numbers.total():,})", kind

    @property
    def _verdicts(self) -> Mapping[LabelledVerdict, int]:
        return self.evaluation.verdicts(self.metric)

    def _error_kind(self, verdict: str) -> str:
        """Return the kind of a verdict: a key of `VERDICT_KINDS` if the metric declares its words, else its name."""
        words = self.metric.words
        return words[verdict].kind if verdict in words else verdict

    def _documents_where(self, is_wanted: Callable[[LabelledVerdict], object]) -> list[str | int]:
        counts = self.evaluation.counts
        return [] if counts is None else documents_with(counts, self.metric, is_wanted)

    def _error_findings(self) -> Iterator[Finding]:
        if most_frequent := self._most_frequent_error():
            sentence, kind = most_frequent
            wrong = error_verdicts(self.metric)
            documents = self._documents_where(lambda v: v[0] in wrong and self._error_kind(v[0]) == kind)
            yield Finding("errors", sentence, documents)

    def _label_finding(self) -> Finding:
        evaluation, rows = self.evaluation, list[Any]()
        for table in headline_tables(evaluation):
            column = next(k for k, name in enumerate(table.header) if k > 2 and name not in table.bare)
            rows += [(row[0], row[1], row[column]) for row in table.rows]
        name = label_score(evaluation.metric, evaluation.primary[1]).name if evaluation.primary else None
        sentence, label = worst_group(evaluation.metric, "label", rows, name)
        documents = self._documents_where(lambda verdict: label in verdict[1:]) if label else ()
        return Finding("labels", sentence, documents, sentence.startswith(name_in_sentence(label or "")))

    def _confusion_findings(self) -> Iterator[Finding]:
        """Yield the pair of labels that is confused most often, if the metric has a confusion matrix."""
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
        sentence = f"{name_in_sentence(most[1])} is predicted for {name_in_sentence(most[0])} {times(number)}"
        yield Finding("confusion", sentence, self._documents_where(lambda v: v[0] in confusion and v[1:] == most), True)

    @cached_property
    def rates(self) -> list[PredictionRate]:
        """How often each label is predicted, with intervals if the result has intervals."""
        if self.evaluation.counts is None:
            return result_rates(self.evaluation.result)
        basis = self.evaluation.result.get("confidence")
        settings = {name: basis[name] for name in Confidence._fields if basis[name] is not None} if basis else {}
        return prediction_rates(self.evaluation.counts, Confidence(**settings) if basis else None)

    def _rates_finding(self) -> Finding:
        """Return the most overpredicted and the most underpredicted label."""
        clear = [rate for rate in self.rates if rate.gold >= FEW and not rate.few]
        if any(rate.low is not None for rate in clear):
            clear = [rate for rate in clear if rate.low is not None and not rate.low <= 1 <= (rate.high or 1)]
        else:
            clear = [rate for rate in clear if not EVEN[0] <= rate.pred / rate.gold <= EVEN[1]]
        gaps = {rate: rate.pred - rate.gold for rate in clear}
        over = max((rate for rate in clear if gaps[rate] > 0), key=lambda rate: gaps[rate], default=None)
        under = min((rate for rate in clear if gaps[rate] < 0), key=lambda rate: gaps[rate], default=None)
        phrases = [_rate_phrase(over, "is predicted")] if over else []
        phrases += [_rate_phrase(under, "is predicted only" if under.pred else "is predicted")] if under else []
        labels = {rate.label for rate in (over, under) if rate}
        documents = self._documents_where(lambda verdict: labels & {*verdict[1:]}) if labels else ()
        return Finding("rates", ", ".join(phrases) or NO_CLEAR_RATE, documents, bool(phrases))


class RunsView(ScoreView):
    """The tables and sentences on a system with several runs, from the first run's counts and the result."""

    def runs(self) -> Iterator[ResultTable]:
        """Yield the spread of the headline scores over the training runs."""
        evaluation, rows = self.evaluation, list[list[Cell]]()
        for metric in evaluation.metrics:
            runs, average = evaluation.result["metrics"][metric.name]["runs"], evaluation.average
            means, bounds = evaluation.overall(metric.name)
            spread = runs["scores"] if average == "micro" else runs["averages"].get(average, {})
            for name in headlines(metric, [*means]) if means else []:
                values = (means[name], *(spread[name][key] for key in ("sd", "least", "greatest")))
                scaled = (value_cell(value, unit_of(metric, name)) for value in values)
                share = bounds.get(name, NO_INTERVAL)["share_of_training"]
                rows.append([short_name(metric, name), *scaled, percent(share)])
        header, few = ["score", "mean", "sd", "least", "greatest", "share of training"], self._few_runs_note
        yield ResultTable("Training runs", header, rows, note="; ".join([evaluation.average, *([few] if few else [])]))

    makers: ClassVar[Makers] = {
        "headline": ScoreView.makers["headline"],
        "scores": ScoreView.makers["scores"],
        "runs": runs,
        "labels": ScoreView.makers["labels"],
        "label-scores": ScoreView.makers["label-scores"],
    }
    figures: ClassVar[Figures] = {name: ScoreView.figures[name] for name in ("scores", "labels")}
    at_terminal: ClassVar[Sequence[str]] = ("headline", "runs")
    usual: ClassVar[Sequence[str]] = ("scores", "runs", "labels")

    @property
    def subject(self) -> str:
        """The scored data, and the changes on reading."""
        result, few = self.evaluation.result, self._few_runs_note
        parts = [f"{result['system']}: means of {many(result['runs'], 'training run')}{few and f' ({few})'}"]
        parts += [many(result["documents"], "document"), many(result["gold"], "gold span")]
        return visible(", ".join([*parts, *runs_phrases(result)]))

    @property
    def _few_runs_note(self) -> str:
        return few_runs([self.evaluation.result["runs"]])

    def _most_frequent_error(self) -> None:
        return None  # the counts are those of one run

    def findings(self) -> list[Finding]:
        """Return sentences on the mean scores, overall and of labels."""
        return [self._score_finding(), self._label_finding()]

    def closing(self) -> list[str]:
        """Return the meaning and the basis of the intervals, and a warning if there are few units."""
        result = self.evaluation.result
        basis = result["confidence"]
        unit, units, effective, level = (basis[key] for key in ("unit", "units", "effective_units", "level"))
        documents = result["documents"]
        footing = Footing(unit, units, effective, basis["seed"], level=level, runs=(result["runs"],))
        return [
            f"Intervals ({100 * level:g} %) are for the expected score when the system is trained again and scored on "
            f"other similar texts. Their variance is that of {interval_basis(basis, documents)} plus that of the mean "
            "over the training runs.",
            footer(footing),
            *interval_lines(basis, documents),
        ]


def worst_group(
    metric: Metric, kind: str, rows: Sequence[tuple[str, int, float | Estimate | None]], score_name: str | None = None
) -> tuple[str, str | None]:
    """Return a sentence on the label or bucket that scores worst, and its name, or None if no single one does.

    Labels with few gold spans or few units are not ranked.

    Args:
        metric: The metric of the scores.
        kind: The kind of rows: "label" or "length".
        rows: The name, the number of gold spans and the score of each label or bucket.
        score_name: The name of the score of labels; None for the first headline.

    >>> from spacy_nereval import create
    >>> worst_group(create("fair"), "label", [("A", 12, 0.5), ("B", 20, 0.25), ("C", 2, 0.0)])
    ('B scores lowest: F 0.25 on 20 gold spans', 'B')
    >>> worst_group(create("slot_error"), "label", [("A", 12, 0.5), ("B", 20, 0.25)])
    ('A scores highest: ser 0.50 on 12 gold spans', 'A')
    >>> worst_group(create("fair"), "label", [("A", 12, 1.0), ("B", 20, 1.0)])
    ('every label has F 1.00', None)
    """
    scored = [row for row in rows if row[1] and row[2] is not None]
    if any(isinstance(cell, Estimate) for _, _, cell in scored):
        scored = [row for row in scored if isinstance(row[2], Estimate) and not row[2].few]
        if not scored:
            return f"every {kind} rests on too few units to be ranked", None
    scored = [row for row in scored if row[1] >= FEW] or scored
    if not scored:
        return f"no {kind} has gold spans", None
    main = next((score for score in metric.label_scores if score.name == score_name), metric.label_headlines[0])
    score = main.name.rpartition("_")[2].upper() if main.group else short_name(metric, main.name)
    sign = 1 if main.higher_is_better else -1
    name, gold, cell = min(scored, key=lambda row: (sign * _cell_value(row[2]), row[0]))
    if len(rows) == 1:
        only = f"{name_in_sentence(name)} is the only {kind}: {score} {number_text(_cell_value(cell))}"
        return f"{only} on {many(gold, 'gold span')}", name
    if len(scored) > 1 and len({_cell_value(row[2]) for row in scored}) == 1:
        return f"every {kind} has {score} {number_text(_cell_value(cell))}", None
    who = f"spans of {name_in_sentence(name)} score" if kind == "length" else f"{name_in_sentence(name)} scores"
    worst = "lowest" if main.higher_is_better else "highest"
    return f"{who} {worst}: {score} {number_text(_cell_value(cell))} on {many(gold, 'gold span')}", name


def _cell_value(cell: float | Estimate | None) -> float:
    assert cell is not None
    return cell.value if isinstance(cell, Estimate) else cell


def _rate_phrase(rate: PredictionRate, verb: str) -> str:
    number = times(rate.pred) if rate.pred else "0 times"
    return f"{name_in_sentence(rate.label)} {verb} {number} for {many(rate.gold, 'gold span')}"


def _score_phrases(scores: Iterable[tuple[Metric, str, str]]) -> Iterator[str]:
    """Yield a phrase on each score with its value. The name of a metric is not repeated."""
    before = None
    for metric, name, value in scores:
        short = short_name(metric, name)
        shown_name = short.removeprefix(f"{metric.name} ") if metric is before else short
        yield f"{shown_name} {value}{_meaning_suffix(metric, name)}"
        before = metric


def _value_text(cell: float | Estimate | None, digits: int) -> str:
    # A warning below the tables says if there are few documents.
    return number_text(cell._replace(few=False) if isinstance(cell, Estimate) else cell, digits)


def _meaning_suffix(metric: Metric, name: str) -> str:
    meaning = metric.score_by_name[name].meaning.partition(":")[0] if name != metric.name else ""
    parts = [part for part in (meaning, direction(short_name(metric, name))) if part]
    return f" ({', '.join(parts)})" if parts else ""
