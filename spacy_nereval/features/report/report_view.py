"""The view of the report: the tables and sentences of one or several systems on the same documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ...core.declaration import Metric, Score, Verdict
from ...core.lexicon import Lexicon
from ...core.messages import many
from ...core.overlapping import overlaps
from ...core.spans import Document
from ...core.wording import FAIREVAL
from ...evaluation.comparison import System, comparison, find_changed_spans
from ...evaluation.conclusion import unit_name
from ...evaluation.error_groups import ErrorGroups, Member, error_groups
from ...evaluation.error_list import ErrorExamples, is_error, outcomes_from_verdicts
from ...evaluation.prediction_rates import PredictionRate, RateDifference, rate_differences
from ...evaluation.resampling import Confidence
from ...evaluation.result import evaluate
from ...evaluation.tested import PRIMARY as PRIMARY_FAMILY
from ...evaluation.tested import Hypotheses, families, label_score
from ...io.writing import visible
from ...reporting.comparison_view import ComparisonView
from ...reporting.declared import OUTCOMES, name_of_group, row_name, score_groups, sentence_name, span_metrics
from ...reporting.remarks import interval_basis, name_in_sentence, times
from ...reporting.result_table import (
    Cell,
    Cost,
    Estimate,
    Gain,
    Kinded,
    LinkedCount,
    Percent,
    Ranked,
    ResultTable,
    number_text,
)
from ...reporting.score_tables import PRF, percent, score_cell, unit_of, value_cell
from ...reporting.score_view import NO_CLEAR_RATE, ScoreView, worst_group
from ...reporting.verdict_tables import largest_error_groups
from ...reporting.view import Finding, Makers, View
from .gold_suspects import CONTRADICTIONS, SHOWN, Doubt, GoldDoubts, gold_suspects, merge_suspects
from .report_numbers import DIGITS, TITLES, MendingGain, Slice, mending_gains, require_fair, score_slices

PRIMARY = "fair.f"
"""The default primary score."""

NEARLY_ALL = 0.9
"""If one length has a greater share of the gold spans than this, lengths are not ranked."""


class ReportView(View):
    """The tables and sentences of a report.

    The primary score comes first, and labels and attributes have the scores of its metric. With several systems,
    sentences about a single system are about the leading one, which has the best primary score.

    Args:
        systems: The systems. The first one is the baseline. The metric
            fair has to be among their metrics, since its verdicts mark the spans.
        confidence: Settings of intervals. With them, scores have intervals, and systems are compared.
        asked: The tests of the comparison; by default with fair's F as the primary score, also where nothing is tested.
        trials: How many swaps are drawn; by default enough for the number of tests.
        lexicon: The lexicon of the training data, for scores by properties of spans in training data.
        by: Attributes by which spans are scored besides the usual ones, as `--by` names them.

    Raises:
        ValueError: If fair is missing, if systems share a name or have different documents, or if there are too many
            of them; if there is no such score, or the margin is not above 0; if an attribute is unknown, or cannot be
            computed.
    """

    def __init__(
        self,
        systems: Sequence[System],
        *,
        confidence: Confidence | None = None,
        asked: Hypotheses | None = None,
        trials: int | None = None,
        lexicon: Lexicon | None = None,
        by: Sequence[str] = (),
    ) -> None:
        self.fair: Metric = require_fair(systems)
        self.systems = systems
        metrics = systems[0].counts.metrics
        asked = asked or Hypotheses()
        asked = asked._replace(primary=asked.primary or PRIMARY)
        tested = families(metrics, asked.primary)
        self.primary: tuple[str, str] = next(key for key, family in tested.items() if family == PRIMARY_FAMILY)
        self.metric: Metric = next(metric for metric in metrics if metric.name == self.primary[0])
        self.score: Score = self.metric.score_by_name[self.primary[1]]
        self.names: list[str] = [system.name for system in systems]
        self.labels: list[str] = sorted({label for system in systems for label in system.counts.labels})
        self._place = {label: place for place, label in enumerate(self.labels)}
        self.marking: tuple[Metric, ...] = span_metrics(systems[0].counts.metrics)
        self.documents: list[Sequence[Document]] = [system.annotated_documents for system in systems]
        self.verdicts: list[list[list[Verdict]]] = [
            [[*self.fair.verdicts(document)] for document in side] for side in self.documents
        ]
        self.groups: list[ErrorGroups] = [error_groups(side, self.fair) for side in self.documents]
        self.views: list[ScoreView] = [
            _view(system, groups, verdicts, confidence, self.primary)
            for system, groups, verdicts in zip(systems, self.groups, self.verdicts)
        ]
        self.results: list[Mapping[str, Any]] = [view.evaluation.result for view in self.views]
        self.lead: int = min(range(len(systems)), key=self._rank)
        self.compared: ComparisonView | None = self._compare_systems(confidence, asked, trials)
        self.gaps: list[list[RateDifference]] = [
            rate_differences(systems[0].counts, system.counts, confidence) for system in systems[1:]
        ]
        self.sliced: Metric = self.metric if self._label_triple(self.metric) else self.fair
        self.slices: list[Slice] = score_slices(
            self.documents, self.sliced, self._verdicts_of(self.sliced), lexicon, by
        )
        self.doubts: list[Doubt] = merge_suspects(gold_suspects(self.documents), self.documents[0])
        self.gold: GoldDoubts = GoldDoubts(self.doubts, self.documents[0], self.names)

    # Tables

    def ranked_systems(self, column: str = "", cells: Mapping[str, str] = {}) -> Iterator[ResultTable]:
        """Yield the systems, the best first: primary score, difference from the first, spans fixed and broken.

        Args:
            column: The title of a further column; "" for none.
            cells: Its texts, by the names of the systems.
        """
        if self.compared is None:
            return
        unit, score = unit_of(self.metric, self.score.name), sentence_name(self.metric, self.score.name)
        baseline = self.names[0]
        rows: list[list[Cell]] = []
        for k in sorted(range(len(self.names)), key=self._rank):
            name, evaluation = self.names[k], self.views[k].evaluation
            own = score_cell(self.metric, self.score.name, *evaluation.overall(self.metric.name))
            row = self.compared.row(*self.primary, name) if self.compared.result["comparisons"] and k else None
            difference: Cell = None
            if row:
                difference = self.compared.cells(row)[2]
            elif k and isinstance(value := self._primary_value(k), float) and self._primary_value(0) is not None:
                difference = value_cell(value - (self._primary_value(0) or 0), Gain if unit is Percent else unit)
            if isinstance(difference, Estimate) and unit is Percent:
                difference = difference._replace(value=Gain(difference.value))
            numbers: list[Cell] = (
                [
                    LinkedCount.create(n, {"one": 0, "other": k, "chosen": [change]}, kind) if n else n
                    for change, (kind, n) in enumerate(self.compared.changes_of(name).items())
                ]
                if k
                else [None, None]
            )
            cells_of_row = [Kinded.create(name, f"system-{k}"), own, difference, *numbers]
            rows.append([*cells_of_row, *([cells.get(name, "baseline")] if column else [])])
        header = ["system", score, f"difference from {name_in_sentence(baseline)}", "fixes", "breaks"]
        asks = [{"one": self.names.index(str(row[0]))} for row in rows]
        yield ResultTable("Systems", [*header, *([column] if column else [])], rows, asks=asks, ranges=score)

    def scores(self) -> Iterator[ResultTable]:
        """Yield the scores of every metric, side by side, with the differences of two systems that are not tested."""
        prf_tables, other_tables = zip(*([*view.tables(["scores"])] for view in self.views))
        table = self._add_differences(self._join_tables(prf_tables, 1))
        primary = name_of_group(self.metric, self.score.name)
        folded = self._fold_rows_of_strict(table.rows)
        yield table._replace(rows=sorted(folded, key=lambda row: row[0] != primary))
        table = self._add_differences(self._join_tables(other_tables, 2, 3))
        metrics = {metric.name: metric for metric in self.systems[0].counts.metrics}
        rows: list[list[Cell]] = []
        for metric, score, *cells in table.rows:
            row_metric, name = metrics[str(metric)], str(score)
            meaning = row_metric.score_by_name[name].meaning
            words = meaning.partition(": ")[2] or meaning
            title, code = row_name(row_metric, name), f"{metric} {score}"
            coded = Cost.create(title, code) if isinstance(title, Cost) else Kinded.create(title, "", code)
            rows.append([coded, *(words if cell == meaning else cell for cell in cells)])
        primary_code = " ".join(self.primary)
        rows.sort(key=lambda row: _code_of(row[0]) != primary_code)
        yield table._replace(header=["score", *table.header[2:]], rows=rows, above=table.above[1:])

    def errors(self) -> Iterator[ResultTable]:
        """Yield how often each system has each verdict. Rows link to the spans with the verdict."""
        tables = []
        for number, view in enumerate(self.views):
            (verdict_table,) = view.tables(["errors"])
            rows: list[list[Cell]] = []
            for verdict, meaning, n, *shares in verdict_table.rows:
                ask = {"one": number, "verdicts": [verdict]}
                name = Kinded.create(str(meaning), FAIREVAL[str(verdict)].kind, str(verdict))
                rows.append(
                    [
                        name,
                        LinkedCount.create(n, ask) if isinstance(n, int) and n and len(self.views) > 1 else n,
                        *shares,
                    ]
                )
            header = ["verdict", *verdict_table.header[2:]]
            tables.append(verdict_table._replace(header=header, rows=rows, bars=None))
        table = self._join_tables(tables, 1)
        yield table._replace(asks=[{"verdicts": [_code_of(row[0])]} for row in table.rows])

    def label_scores(self) -> Iterator[ResultTable]:
        """Yield the scores of each label, side by side. Rows link to the errors of the label."""
        headlines = (table for view in self.views for table in view.tables(["headline"]))
        if tables := [table for table in headlines if table.header[0] == "label"]:
            table = self._join_tables(tables, 2, missing=[0])._replace(most=None)
            yield table._replace(asks=[self._ask_label(row[0]) for row in table.rows])

    def attribute_scores(self) -> Iterator[ResultTable]:
        """Yield the scores of each attribute and of its values, side by side, if a metric has them."""
        if tables := [table for view in self.views for table in view.tables(["attributes"])]:
            yield self._join_tables(tables, 2, missing=[0])._replace(most=None)

    def rates(self) -> Iterator[ResultTable]:
        """Yield how often each label is predicted, per gold span, and the differences from the first system."""
        tables = []
        for number, view in enumerate(self.views):
            gaps = {gap.label: gap for gap in self.gaps[number - 1]} if number else {}
            rows: list[list[Cell]] = []
            for rate in self._rates(view):
                gap = gaps.get(rate.label)
                difference = [] if gap is None else [_as_estimate(gap.difference, gap)]
                rows.append([rate.label, rate.gold, rate.pred, _as_estimate(rate.rate, rate), *difference])
            header = ["label", "gold", "predicted", "rate", *(["difference"] if number else [])]
            tables.append(ResultTable("How often each label is predicted", header, rows, bars="rate"))
        table = self._join_tables(tables, 2)
        if table.rows:
            yield table._replace(asks=[self._ask_label(row[0]) for row in table.rows])

    def slice_tables(self) -> Iterator[ResultTable]:
        """Yield the scores by each attribute. Rows link to the errors of the bucket."""
        names = self._label_triple(self.sliced)
        for number, by_attribute in enumerate(self.slices):
            if by_attribute not in self.divided_slices:
                continue
            tables = []
            for breakdown in by_attribute.breakdowns:
                scores_by_bucket = breakdown["metrics"][self.sliced.name]
                rows: list[list[Cell]] = []
                for rank, (bucket, words) in enumerate(by_attribute.buckets.items()):
                    scores = scores_by_bucket.get(bucket, {}).get("scores", {})
                    numbers = [breakdown[side].get(bucket, 0) for side in ("gold", "pred")]
                    rows.append(
                        [
                            Ranked.create(words, rank),
                            *numbers,
                            *(score_cell(self.sliced, name, scores) for name in names),
                        ]
                    )
                tables.append(ResultTable(by_attribute.title, [by_attribute.title, "gold", "predicted", *PRF], rows))
            asks = [{"bucket": [number, k]} for k in range(len(by_attribute.buckets))]
            yield self._join_tables(tables, 2)._replace(asks=asks)

    @property
    def divided_slices(self) -> list[Slice]:
        """The attributes that divide the spans into several buckets."""
        return [by_attribute for by_attribute in self.slices if len(by_attribute.buckets) > 1]

    @property
    def undivided_slices(self) -> list[str]:
        """A phrase on each attribute that has one value for all spans."""
        slices = (by_attribute for by_attribute in self.slices if len(by_attribute.buckets) == 1)
        return [f"{each.title}: {next(iter(each.buckets.values()))} for all spans" for each in slices]

    def _fold_rows_of_strict(self, rows: Sequence[Sequence[Cell]]) -> list[Sequence[Cell]]:
        """Return rows of scores without those that repeat the row of strict, which then names them."""
        strict = next((row for row in rows if row[0] == "strict"), None)
        primary = name_of_group(self.metric, self.score.name)
        repeated = [row for row in rows if strict and row is not strict and row[1:] == strict[1:] and row[0] != primary]
        names = ", ".join(str(row[0]) for row in repeated)
        named = [Kinded.create("strict", "", f"the same: {names}"), *strict[1:]] if strict and repeated else strict
        return [named if named and row is strict else row for row in rows if row not in repeated]

    def repeated_errors(self) -> Iterator[ResultTable]:
        """Yield, for each system, the errors that repeat on the same words. Rows link to all their places."""
        start = 0
        for number, view in enumerate(self.views):
            for table in view.tables(["groups"]):
                asks = [{"one": number, "group": start + k} for k in range(len(table.rows))]
                order = [2, 3, 0, 1, 4]  # the words name the row
                header, *rows = ([row[k] for k in order] for row in (table.header, *table.rows))
                yield table._replace(header=[*map(str, header)], rows=rows, asks=asks, most=SHOWN)
                start += len(table.rows)

    def pairs(self) -> Iterator[ResultTable]:
        """Yield, for each system, the errors by verdict and labels. Rows link to their places."""
        for number, view in enumerate(self.views):
            for table in view.tables(["pairs"]):
                asks, rows = [], []
                for verdict, gold, pred, *cells in table.rows:
                    words = FAIREVAL[str(verdict)]
                    rows.append([Kinded.create(words.short, words.kind, str(verdict)), gold, pred, *cells])
                    labels = [self._place[str(label or "")] if label is not None else -1 for label in (gold, pred)]
                    asks.append({"one": number, "verdicts": [verdict], "cell": labels})
                yield table._replace(rows=rows, asks=asks, most=SHOWN)

    def mending_tables(self) -> Iterator[ResultTable]:
        """Yield, for each metric that adds up whole verdicts, the gain if errors of each kind were mended."""
        for number, metric in sorted(
            enumerate(self.marking), key=lambda item: (item[1] is not self.metric, item[1] is not self.fair)
        ):
            if not metric.headlines[0].higher_is_better:
                continue
            verdict_lists = self.verdicts if metric is self.fair else [None for _ in self.systems]
            gains = [
                mending_gains(system.annotated_documents, metric, verdicts, system.counts)
                for system, verdicts in zip(self.systems, verdict_lists)
            ]
            if any(gains):
                yield self._mending_table(metric, number, gains)

    def doubtful_spans(self) -> Iterator[ResultTable]:
        """Yield the doubtful gold spans."""
        yield from self.gold.tables()

    def differences(self) -> Iterator[ResultTable]:
        """Yield the differences from the first system and their tests, where systems are compared."""
        if self.compared and self.compared.result["comparisons"]:
            yield from self.compared.tables(["differences", "labels"])

    def changes(self) -> Iterator[ResultTable]:
        """Yield, for each other system, the outcomes of gold spans. Numbers link to the spans that they count."""
        for other, table in enumerate(self.compared.tables(["transitions"]) if self.compared else (), 1):
            places = {words: k for k, words in enumerate(OUTCOMES.values())}
            rows: list[list[Cell]] = []
            for before, *numbers in table.rows:
                cells: list[Cell] = [before]
                for after, n in zip(table.header[1:], numbers):
                    move = [places[str(before)], places[str(after)]]
                    kind = "fixed" if move[1] == 0 else "broken" if move[0] == 0 else "changed"
                    ask = {"one": 0, "other": other, "move": move}
                    cells.append(
                        LinkedCount.create(n, ask, kind) if isinstance(n, int) and n and before != after else n
                    )
                rows.append(cells)
            yield table._replace(rows=rows)

    makers: ClassVar[Makers] = {
        "systems": ranked_systems,
        "scores": scores,
        "differences": differences,
        "errors": errors,
        "labels": label_scores,
        "attributes": attribute_scores,
        "rates": rates,
        "slices": slice_tables,
        "groups": repeated_errors,
        "pairs": pairs,
        "mending": mending_tables,
        "gold": doubtful_spans,
        "transitions": changes,
    }
    at_terminal: ClassVar[Sequence[str]] = ("scores", "labels", "errors")
    usual: ClassVar[Sequence[str]] = (*makers,)

    @property
    def has_span_scores(self) -> bool:
        """Whether predictions have scores."""
        return any(document.span_scores for documents in self.documents for document in documents)

    def changes_section(self, number: int) -> str:
        """Return the section of the finding on the changes of a system, or of the second one for the first."""
        return "changes" if number < 2 else f"changes {number}"

    # Sentences

    def findings(self) -> list[Finding]:
        """Return a sentence for each section of the page, those on a single system about the leading one."""
        return self._all_findings[self.lead]

    def findings_of(self, number: int) -> list[Finding]:
        """Return a sentence for each section of the page, those on a single system about the one with this number."""
        return self._all_findings[number]

    def story_of(self, number: int) -> list[Finding]:
        """Return two findings on a system, the more telling first: how often it predicts labels, repeated errors."""
        by_section = {finding.section: finding for finding in self._all_findings[number]}
        rates_are_usual = by_section["rates"].sentence.startswith(NO_CLEAR_RATE)
        return [by_section[section] for section in (("groups", "rates") if rates_are_usual else ("rates", "groups"))]

    @cached_property
    def _all_findings(self) -> list[list[Finding]]:
        """The findings, for each system."""
        shared = [self._gold_finding(), *(self.compared.findings() if self.compared else [])]
        ranking = self._ranking(lambda verdict, score, values: f"{verdict}: {score} {values}")
        result = []
        for number, view in enumerate(self.views):
            by_section = {finding.section: finding for finding in view.findings()}
            if len(self.systems) > 1:
                by_section["scores"] = ranking
            own = [self._groups_finding(number), *self._length_finding(number), self._doubt_finding(number)]
            result.append([*by_section.values(), *own, self._list_finding(number), *shared])
        return result

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the scored data, for each system in a sentence of its own, after the conclusions."""
        conclusions = self.compared.opening(digits=digits) if self.compared else []
        lines = [view.opening(digits=digits, more=more)[0] for view in self.views]
        return [*conclusions, *(f"{name}: {line}" if len(lines) > 1 else line for name, line in zip(self.names, lines))]

    def closing(self) -> list[str]:
        """Return the units of the intervals if they were chosen automatically, and a warning if they are few."""
        return self.views[0].closing()

    @property
    def bounds(self) -> str:
        """The level of the intervals, and their basis; "" if there are none."""
        confidence = self.results[0].get("confidence")
        if not confidence:
            return ""
        documents = self.results[0]["documents"]
        rule = "" if unit_name(confidence["unit"]) == "document" else f" ({confidence['unit']})"
        return f"Intervals: {100 * confidence['level']:g} %, from {interval_basis(confidence, documents)}{rule}"

    def test_lines(self) -> list[str]:
        """Return how the systems were tested; nothing if they were not."""
        return self.compared.test_lines() if self.compared and self.compared.result["comparisons"] else []

    def _ranking(self, unsettled: Callable[[str, str, str], str]) -> Finding:
        """Return the finding on which system is best, and if systems were tested, whether it is significantly better.

        Args:
            unsettled: Returns the sentence where nothing is significant, from a clause, the score, and the values.
        """
        sentence = self._ranking_sentence(unsettled)
        return Finding("scores", sentence, is_named=sentence.startswith(tuple(map(name_in_sentence, self.names))))

    def _ranking_sentence(self, unsettled: Callable[[str, str, str], str]) -> str:
        values = [self._primary_value(k) for k in range(len(self.systems))]
        unit, score = unit_of(self.metric, self.score.name), sentence_name(self.metric, self.score.name)
        texts = [number_text(value_cell(value, unit)) for value in values]
        if values[self.lead] is None:
            return f"{score} is undefined: there are no spans"
        if len({*texts}) == 1:
            return f"all systems have a {score} of {texts[0]}"
        if self.test_lines():
            sentences = self.compared.significant_differences() if self.compared else []
            scores = [f"{text} ({name_in_sentence(name)})" for text, name in zip(texts, self.names)]
            if sentences:
                leading = name_in_sentence(self.names[self.lead])
                return next((line for line in sentences if line.startswith(f"{leading} is better")), sentences[0])
            verdict = "it is not settled which is better" if len(values) == 2 else "no difference is settled"
            return unsettled(verdict, score, ", ".join(scores))
        return f"{self._leader}, {texts[self.lead]} against {texts[self._second]}"

    @property
    def _second(self) -> int:
        """The number of the system after the leading one."""
        return min((k for k in range(len(self.systems)) if k != self.lead), key=self._rank)

    @property
    def _leader(self) -> str:
        """Which system has the best primary score, as the beginning of a sentence."""
        degrees = ("higher", "highest") if self.score.higher_is_better else ("lower", "lowest")
        score = sentence_name(self.metric, self.score.name)
        return f"{name_in_sentence(self.names[self.lead])} has the {degrees[len(self.systems) > 2]} {score}"

    @property
    def ranking_sentence(self) -> str:
        """Which system is best by the primary score, and whether that is settled, without the scores of all."""
        row = self.compared.row(*self.primary) if self.compared and len(self.systems) == 2 else None
        if row and row["verdict"] is not None:
            is_tie = self._primary_value(self.lead) == self._primary_value(self._second)
            if is_tie or row["verdict"].startswith(row["system"]):
                return visible(f"By {sentence_name(self.metric, self.score.name)}: {row['verdict']}")
            return visible(f"{self._leader}; {row['verdict']}")
        return self._ranking(lambda verdict, score, _: f"{self._leader}, but {verdict}").heading

    @property
    def corpus(self) -> str:
        """How many documents and gold spans there are."""
        return f"{many(self.results[0]['documents'], 'document')}, {many(self.results[0]['gold'], 'gold span')}"

    def _groups_finding(self, number: int) -> Finding:
        """Return the finding on errors of a system that repeat on the same words."""
        groups = largest_error_groups(self.groups[number])[:3]
        if groups:
            errors = "; ".join(
                f"{name_in_sentence(words)}, {error} ({times(group.number)})" for words, error, group in groups
            )
            noun = "error that repeats" if len(groups) == 1 else "errors that repeat"
            return Finding(
                "groups", f"the {noun} most: {errors}", self._names(number, (m for *_, g in groups for m in g.members))
            )
        words = "no error repeats on the same words" if self.errors_of(number) else "there are no errors"
        return Finding("groups", words)

    def _length_finding(self, number: int) -> Iterator[Finding]:
        """Yield the finding on the length of spans that scores worst, if spans are scored by lengths that differ."""
        lengths = next((part for part in self.slices if part.title == TITLES["eLen"]), None)
        if lengths is None:
            return
        breakdown = lengths.breakdowns[number]
        scores, main = breakdown["metrics"][self.sliced.name], self._label_main(self.sliced)
        rows = [
            (words, breakdown["gold"].get(bucket, 0), percent(scores.get(bucket, {}).get("scores", {}).get(main)))
            for bucket, words in lengths.buckets.items()
        ]
        if max(gold for _, gold, _ in rows) > NEARLY_ALL * sum(gold for _, gold, _ in rows):
            return
        sentence, words = worst_group(self.sliced, "length", rows, main)
        digit = DIGITS[[*lengths.buckets.values()].index(words)] if words else None
        documents = self.documents[number]
        numbers = (
            [
                k
                for k, span_digits in enumerate(lengths.of)
                if digit in span_digits[0] or digit in span_digits[1 + number]
            ]
            if digit
            else []
        )
        yield Finding("slices", sentence, [_name(documents[k], k) for k in numbers])

    def _doubt_finding(self, number: int) -> Finding:
        """Return the finding on how many errors of a system are where gold contradicts itself."""
        members, errors = self.errors_in_doubt[number], sum(map(len, self.errors_of(number).values()))
        if not errors:
            return Finding("doubt", "there are no errors")
        if not members and not self.doubts and not largest_error_groups(self.groups[number]):
            return Finding("doubt", f"nothing repeats on the same words in {errors:,} errors")
        if not members:
            return Finding("doubt", f"gold contradicts itself in none of {errors:,} errors")
        share = 100 * len(members) / errors
        source = "mostly the system" if share < 25 else "partly gold" if share < 50 else "gold as much as the system"
        rounded_share = "under 1" if share < 1 else f"{share:.0f}"
        where = f"{len(members):,} of {errors:,} errors ({rounded_share} %)"
        sentence = f"{source}: in {where} gold contradicts itself"
        return Finding("doubt", sentence, self._names(number, members))

    def _list_finding(self, number: int) -> Finding:
        numbers = [*self.errors_of(number)]
        documents = self.documents[number]
        sentence = f"{len(numbers):,} of {many(len(documents), 'document')} have an error"
        return Finding("list", sentence, [_name(documents[k], k) for k in numbers])

    def _gold_finding(self) -> Finding:
        if not self.doubts:
            return Finding("gold", "no evidence against the gold annotation")
        numbers = dict.fromkeys(doubt.document for doubt in self.doubts)
        documents = [_name(self.documents[0][k], k) for k in numbers]
        return Finding("gold", many(len(self.doubts), "possible gold error"), documents)

    # Data of the tables and sentences

    def errors_of(self, number: int) -> dict[int, list[Verdict]]:
        """Return the errors of a system, by the numbers of their documents."""
        return self._errors_by_document[number]

    @cached_property
    def _errors_by_document(self) -> list[dict[int, list[Verdict]]]:
        """For each system the errors of the documents that have some, by the number of the document."""
        lists = (
            [[verdict for verdict in verdicts if is_error(self.fair, verdict)] for verdicts in side]
            for side in self.verdicts
        )
        return [{k: verdicts for k, verdicts in enumerate(errors) if verdicts} for errors in lists]

    @cached_property
    def errors_in_doubt(self) -> list[list[Member]]:
        """For each system, its errors where gold contradicts itself.

        Evidence by predictions does not count here: systems that learned from the same data agree in their errors too.
        """
        places: dict[int, list[tuple[int, int]]] = {}
        for doubt in self.doubts:
            if any(piece.reason in CONTRADICTIONS for piece in doubt.evidence):
                places.setdefault(doubt.document, []).append(doubt.place)
        result = []
        for system in range(len(self.systems)):
            members: dict[Member, None] = {}
            for number, errors in self.errors_of(system).items():
                spans = [(span, verdict) for verdict in errors for span in (verdict.gold, verdict.pred) if span]
                positions = {k for k, _, _ in overlaps([span[:2] for span, _ in spans], places.get(number, []))}
                members |= dict.fromkeys(Member(number, spans[k][1].gold, spans[k][1].pred) for k in sorted(positions))
            result.append([*members])
        return result

    @cached_property
    def lists(self) -> list[tuple[int, str, list[Member]]]:
        """The groups of errors that rows link to: the number of the system, a title, and the errors."""
        groups = [
            (number, f"{words}: {error}", group.members)
            for number, system_groups in enumerate(self.groups)
            for words, error, group in largest_error_groups(system_groups)
        ]
        return [*groups, *((number, "gold in doubt", members) for number, members in enumerate(self.errors_in_doubt))]

    def ask_errors_in_doubt(self, number: int) -> dict[str, Any] | None:
        """Return the filter that shows a system's errors where gold contradicts itself; None if there are none."""
        group = len(self.lists) - len(self.systems) + number
        return {"one": number, "group": group} if self.errors_in_doubt[number] else None

    def _names(self, number: int, members: Iterable[Member]) -> list[str | int]:
        documents = self.documents[number]
        return [_name(documents[k], k) for k in sorted({member.document for member in members})]

    def _primary_value(self, number: int) -> float | None:
        """Return the primary score of a system."""
        metric, score = self.primary
        value: float | None = self.results[number]["metrics"][metric]["scores"][score]
        return value

    def _rank(self, number: int) -> tuple[bool, float, int]:
        """Return a key by which the system with the best primary score comes first, and undefined scores last."""
        value = self._primary_value(number)
        return value is None, (value or 0) * (-1 if self.score.higher_is_better else 1), number

    def _label_main(self, metric: Metric) -> str:
        """Return the name of the score of labels that belongs to the primary score, or of the metric's headline."""
        return label_score(metric, self.primary[1]).name if metric is self.metric else metric.label_headlines[0].name

    def _label_triple(self, metric: Metric) -> tuple[str, ...]:
        """Return the names of precision, recall and F of labels; none if the metric has no such scores for labels."""
        names = [score.name for score in metric.label_scores]
        groups = score_groups(metric, names) if metric.label_headlines else []
        return next(
            (group.scores for group in groups if group.is_triple and self._label_main(metric) in group.scores), ()
        )

    def _verdicts_of(self, metric: Metric) -> Sequence[Sequence[Sequence[Verdict]]]:
        """Return the verdicts of a metric on each document of each system."""
        if metric is self.fair:
            return self.verdicts
        return [[[*metric.verdicts(document)] for document in side] for side in self.documents]

    def _compare_systems(
        self, confidence: Confidence | None, asked: Hypotheses, trials: int | None
    ) -> ComparisonView | None:
        """Return the comparison of all systems with the first, with tests if there are settings of intervals."""
        if len(self.systems) == 1:
            return None
        for system, verdicts in zip(self.systems, self.verdicts):
            system.outcomes = [*map(outcomes_from_verdicts, verdicts)]  # so that no document is judged again
        if confidence:
            return ComparisonView(comparison(self.systems, self.documents[0], confidence, trials, **asked._asdict()))
        transitions = find_changed_spans(self.systems, self.documents[0])
        return ComparisonView({"baseline": self.names[0], "comparisons": [], "transitions": transitions})

    def _ask_label(self, label: Cell) -> dict[str, Any]:
        return {"label": self._place[str(label)]}

    def _rates(self, view: ScoreView) -> list[PredictionRate]:
        """Return how often a system predicts each label of any system; the label of most gold spans first."""
        gold = {rate.label: rate.gold for view_rates in self.views for rate in view_rates.rates}
        by_label = {rate.label: rate for rate in view.rates}
        rates = [by_label.get(label) or PredictionRate(label, n, 0, 0.0 if n else None) for label, n in gold.items()]
        return sorted(rates, key=lambda rate: (-rate.gold, rate.label))

    def _mending_table(self, metric: Metric, number: int, systems: Sequence[Sequence[MendingGain]]) -> ResultTable:
        """Return the table of a metric's headline score, for each system, if errors were mended."""
        mendings = [{(mending.verdict, mending.label): mending for mending in system} for system in systems]
        nothing = {choice: MendingGain(*choice, 0, None, None) for by_choice in mendings for choice in by_choice}
        mendings = [nothing | by_choice for by_choice in mendings]
        order = sorted(
            nothing, key=lambda choice: (choice[0] is None, -max(gains[choice].gain or 0 for gains in mendings))
        )
        scores_now, tables = [], []
        for system, by_choice in zip(systems, mendings):
            scores = [
                mending.score - mending.gain
                for mending in system
                if mending.score is not None and mending.gain is not None
            ]
            scores_now.append(number_text(percent(scores[0])) if scores else "-")
            rows: list[list[Cell]] = []
            for choice in order:
                (verdict, label), mending = choice, by_choice[choice]
                words = metric.words.get(verdict or "")
                name = (
                    Kinded.create(words.short if words else verdict, words.kind if words else "", verdict)
                    if verdict
                    else Kinded.create(str(label), "", "label")
                )
                gain = None if mending.gain is None else Gain(mending.gain)
                rows.append([name, mending.errors, percent(mending.score), gain])
            tables.append(ResultTable("", ["corrected", "errors", "score", "gain"], rows, bars="gain"))
        chosen = [
            {"verdicts": [verdict]} if verdict else {**self._ask_label(label), "side": "home"}
            for verdict, label in order
        ]
        asks = [{**ask, "metric": number} for ask in chosen]
        title = f"{sentence_name(metric, metric.headlines[0].name)}, now {', '.join(scores_now)}"
        return self._join_tables(tables, 1)._replace(title=title, asks=asks)

    def _add_differences(self, table: ResultTable) -> ResultTable:
        """Return a table of two systems with a column of their differences, unless these are tested elsewhere."""
        values = [k for k, head in enumerate(table.header) if head in ("F", "value")]
        if len(values) != 2 or self.test_lines():
            return table
        rows = [[*row, _difference(*(row[k] for k in values))] for row in table.rows]
        return table._replace(header=[*table.header, "difference"], rows=rows, above=[*table.above, ""])

    def _join_tables(
        self, tables: Sequence[ResultTable], first: int, last: int | None = None, *, missing: Sequence[Cell] = ()
    ) -> ResultTable:
        """Return one table with the columns of several side by side.

        Args:
            tables: A table for each system.
            first: The number of columns on the left that the systems share; they identify a row.
            last: The first of the columns that they share on the right.
            missing: The first cells of a system that lacks a row.
        """
        table = tables[0]
        if len(tables) == 1:
            return table
        last = len(table.header) if last is None else last
        ends = table.header[last:]
        rows_by_key = [{tuple(row[:first]): row for row in part.rows} for part in tables]
        shared = {
            key: row[len(row) - len(ends) :]
            for system_rows in reversed(rows_by_key)
            for key, row in system_rows.items()
        }
        widths = [len(part.header) - first - len(ends) for part in tables]
        rows: list[list[Cell]] = []
        for key in dict.fromkeys(key for system_rows in rows_by_key for key in system_rows):
            cells: list[Cell] = []
            for system_rows, width in zip(rows_by_key, widths):
                row = (
                    system_rows[key][first : first + width]
                    if key in system_rows
                    else [*missing, *[None] * width][:width]
                )
                cells += row
            rows.append([*key, *cells, *shared[key]])
        header = [name for part, width in zip(tables, widths) for name in part.header[first : first + width]]
        names = [name for name, width in zip(self.names, widths) for _ in range(width)]
        above = [*[""] * first, *names, *[""] * len(ends)]
        return table._replace(header=[*table.header[:first], *header, *ends], rows=rows, above=above)


def _view(
    system: System,
    groups: ErrorGroups,
    verdicts: Sequence[Sequence[Verdict]],
    confidence: Confidence | None,
    primary: tuple[str, str],
) -> ScoreView:
    """Return the view of one system, with examples of its errors."""
    examples = ErrorExamples(groups.metric)
    for document, document_verdicts in zip(system.annotated_documents, verdicts):
        examples.add(document, document_verdicts)
    result = evaluate(system.counts, confidence)
    return ScoreView(system.counts, result, examples=examples.first, groups=groups, primary=primary)


def _name(document: Document, number: int) -> str | int:
    return number if document.id is None else document.id


def _code_of(cell: Cell) -> str:
    """Return the code of a name; the name itself if it has none."""
    return cell.code if isinstance(cell, (Cost, Kinded)) else str(cell)


def _as_estimate(value: float | None, interval: PredictionRate | RateDifference) -> float | Estimate | None:
    if value is None or interval.low is None or interval.high is None:
        return value
    return Estimate(value, interval.low, interval.high, interval.few)


def _difference(a: Cell, b: Cell) -> Cell:
    """Return the difference of two scores, None where one is undefined."""
    first, second = (cell.value if isinstance(cell, Estimate) else cell for cell in (a, b))
    if not isinstance(first, (int, float)) or not isinstance(second, (int, float)):
        return None
    return Gain(second - first) if isinstance(second, Percent) else second - first
