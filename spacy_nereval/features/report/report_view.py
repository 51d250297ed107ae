"""The view of the report: the tables and sentences of one or several systems on the same documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ...core.declaration import Metric, Verdict
from ...core.lexicon import Lexicon
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
from ...evaluation.tested import Hypotheses
from ...reporting.comparison_view import ComparisonView
from ...reporting.declared import OUTCOMES, row_name, score_triple, sentence_name, span_metrics
from ...reporting.remarks import interval_basis, many, name_in_sentence, times
from ...reporting.result_table import (
    Cell,
    Estimate,
    Gain,
    Kinded,
    LinkedCount,
    Percent,
    Ranked,
    ResultTable,
    number_text,
)
from ...reporting.score_tables import PRF, percent, score_cell
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

    With several systems, sentences about a single system are about the leading one, which has the best
    F of the metric fair.

    Args:
        systems: The systems. The first one is what the others are compared with. The metric
            fair has to be among their metrics, since its verdicts mark the spans.
        confidence: Settings of intervals. With them, scores have intervals, and systems are compared.
        asked: What the comparison tests; by default with fair's F as the primary score.
        trials: How many swaps are drawn; by default enough for the number of tests.
        lexicon: The lexicon of the training data, for scores by what training shows of a span.
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
            _view(system, groups, verdicts, confidence)
            for system, groups, verdicts in zip(systems, self.groups, self.verdicts)
        ]
        self.results: list[Mapping[str, Any]] = [view.evaluation.result for view in self.views]
        self.lead: int = max(range(len(systems)), key=lambda k: (self._fair_f(k) or -1.0, -k))
        self.compared: ComparisonView | None = self._compare_systems(confidence, asked, trials)
        self.gaps: list[list[RateDifference]] = [
            rate_differences(systems[0].counts, system.counts, confidence) for system in systems[1:]
        ]
        self.slices: list[Slice] = score_slices(self.documents, self.fair, self.verdicts, lexicon, by)
        self.doubts: list[Doubt] = merge_suspects(gold_suspects(self.documents), self.documents[0])
        self.gold: GoldDoubts = GoldDoubts(self.doubts, self.documents[0], self.names)

    # Tables

    def scores(self) -> Iterator[ResultTable]:
        """Yield the scores of every metric, side by side, with the differences of two systems that are not tested."""
        prf_tables, other_tables = zip(*([*view.tables(["scores"])] for view in self.views))
        yield self._add_differences(self._join_tables(prf_tables, 1))
        table = self._add_differences(self._join_tables(other_tables, 2, 3))
        metrics = {metric.name: metric for metric in self.systems[0].counts.metrics}
        rows: list[list[Cell]] = []
        for metric, score, *cells in table.rows:
            row_metric, name = metrics[str(metric)], str(score)
            meaning = row_metric.score_by_name[name].meaning
            words = meaning.partition(": ")[2] or meaning
            rows.append(
                [
                    row_name(row_metric, name),
                    f"{metric} {score}",
                    *(words if cell == meaning else cell for cell in cells),
                ]
            )
        yield table._replace(header=["score", "", *table.header[2:]], rows=rows)

    def errors(self) -> Iterator[ResultTable]:
        """Yield how often each system has each verdict. Rows link to the spans with the verdict."""
        tables = []
        for number, view in enumerate(self.views):
            (verdict_table,) = view.tables(["errors"])
            rows: list[list[Cell]] = []
            for verdict, meaning, n, *shares in verdict_table.rows:
                ask = {"one": number, "verdicts": [verdict]}
                name = Kinded.create(str(meaning), FAIREVAL[str(verdict)].kind)
                rows.append(
                    [
                        name,
                        verdict,
                        LinkedCount.create(n, ask) if isinstance(n, int) and n and len(self.views) > 1 else n,
                        *shares,
                    ]
                )
            header = ["verdict", "", *verdict_table.header[2:]]
            tables.append(verdict_table._replace(header=header, rows=rows, bars=None))
        table = self._join_tables(tables, 2)
        yield table._replace(asks=[{"one": self.lead, "verdicts": [row[1]]} for row in table.rows])

    def label_scores(self) -> Iterator[ResultTable]:
        """Yield the scores of each label, side by side. Rows link to the errors of the label."""
        tables = [table for view in self.views for table in view.tables(["headline"])]
        if tables:
            table = self._join_tables(tables, 2, missing=[0])._replace(most=None)
            yield table._replace(asks=[self._ask_label(row[0]) for row in table.rows])

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
        names = score_triple(self.fair)
        for number, by_attribute in enumerate(self.slices):
            tables = []
            for breakdown in by_attribute.breakdowns:
                fair_scores = breakdown["metrics"]["fair"]
                rows: list[list[Cell]] = []
                for rank, (bucket, words) in enumerate(by_attribute.buckets.items()):
                    scores = fair_scores.get(bucket, {}).get("scores", {})
                    numbers = [breakdown[side].get(bucket, 0) for side in ("gold", "pred")]
                    rows.append(
                        [Ranked.create(words, rank), *numbers, *(score_cell(self.fair, name, scores) for name in names)]
                    )
                tables.append(ResultTable(by_attribute.title, [by_attribute.title, "gold", "predicted", *PRF], rows))
            asks = [{"bucket": [number, k], "one": self.lead} for k in range(len(by_attribute.buckets))]
            yield self._join_tables(tables, 2)._replace(asks=asks)

    def repeated_errors(self) -> Iterator[ResultTable]:
        """Yield, for each system, the errors that repeat on the same words. Rows link to all their places."""
        start = 0
        for number, view in enumerate(self.views):
            for table in view.tables(["groups"]):
                asks = [{"one": number, "group": start + k} for k in range(len(table.rows))]
                order = [2, 3, 0, 1, 4]  # the words name the row
                header, *rows = ([row[k] for k in order] for row in (table.header, *table.rows))
                title = self._title_of_system(table.title, number)
                yield table._replace(title=title, header=[*map(str, header)], rows=rows, asks=asks, most=SHOWN)
                start += len(table.rows)

    def pairs(self) -> Iterator[ResultTable]:
        """Yield, for each system, the errors by verdict and labels. Rows link to their places."""
        for number, view in enumerate(self.views):
            for table in view.tables(["pairs"]):
                asks = []
                for verdict, gold, pred, *_ in table.rows:
                    labels = [self._place[str(label or "")] if label is not None else -1 for label in (gold, pred)]
                    asks.append({"one": number, "verdicts": [verdict], "cell": labels})
                yield table._replace(title=self._title_of_system(table.title, number), asks=asks, most=SHOWN)

    def mending_tables(self) -> Iterator[ResultTable]:
        """Yield, for each metric that adds up whole verdicts, the gain if errors of each kind were mended."""
        for number, metric in sorted(enumerate(self.marking), key=lambda item: item[1].name != "fair"):
            if not metric.headlines[0].higher_is_better:
                continue
            verdict_lists = self.verdicts if metric is self.fair else [None for _ in self.systems]
            gains = [
                mending_gains(documents, metric, verdicts) for documents, verdicts in zip(self.documents, verdict_lists)
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
        "scores": scores,
        "differences": differences,
        "errors": errors,
        "labels": label_scores,
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

    @property
    def changes_section(self) -> str:
        """The section of the finding on the changes of the leading system, or of the second one if the first leads."""
        return "changes" if self.lead < 2 else f"changes {self.lead}"

    # Sentences

    def findings(self) -> list[Finding]:
        """Return a sentence for each section of the page."""
        return [*self._all_findings]

    @property
    def story(self) -> list[Finding]:
        """Two of the findings, the more telling one first: how often labels are predicted, and which errors repeat."""
        by_section = {finding.section: finding for finding in self._all_findings}
        rates_are_usual = by_section["rates"].sentence.startswith(NO_CLEAR_RATE)
        return [by_section[section] for section in (("groups", "rates") if rates_are_usual else ("rates", "groups"))]

    @cached_property
    def _all_findings(self) -> list[Finding]:
        by_section = {finding.section: finding for finding in self.views[self.lead].findings()}
        if len(self.systems) > 1:
            sentence = self._score_sentence()
            by_section["scores"] = Finding(
                "scores", sentence, is_named=sentence.startswith(tuple(map(name_in_sentence, self.names)))
            )
        findings = [
            *by_section.values(),
            self._groups_finding(),
            *self._length_finding(),
            self._doubt_finding(),
            self._list_finding(),
        ]
        suffix = f", under {name_in_sentence(self.names[self.lead])}" if len(self.systems) > 1 else ""
        result = [
            finding if finding.section == "scores" else finding._replace(sentence=finding.sentence + suffix)
            for finding in findings
        ]
        result.append(self._gold_finding())
        return [*result, *(self.compared.findings() if self.compared else [])]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return what was scored, for each system in a sentence of its own, after the conclusions."""
        conclusions = self.compared.opening(digits=digits) if self.compared else []
        lines = [view.opening(digits=digits, more=more)[0] for view in self.views]
        return [*conclusions, *(f"{name}: {line}" if len(lines) > 1 else line for name, line in zip(self.names, lines))]

    def closing(self) -> list[str]:
        """Return the units of the intervals if they were chosen automatically, and a warning if they are few."""
        return self.views[0].closing()

    @property
    def bounds(self) -> str:
        """The level of the intervals, and what they are computed from; "" if there are none."""
        confidence = self.results[0].get("confidence")
        if not confidence:
            return ""
        rule = "" if unit_name(confidence["unit"]) == "document" else f" ({confidence['unit']})"
        return f"Intervals: {100 * confidence['level']:g} %, from {interval_basis(confidence)}{rule}"

    def test_lines(self) -> list[str]:
        """Return how the systems were tested; nothing if they were not."""
        return self.compared.test_lines() if self.compared and self.compared.result["comparisons"] else []

    def _score_sentence(self) -> str:
        """Return which system has the best F; if systems were tested, whether it is significantly better."""
        values = [self._fair_f(k) for k in range(len(self.systems))]
        texts = [number_text(percent(value)) for value in values]
        if values[self.lead] is None:
            return "fair F is undefined: there are no spans"
        if len({*texts}) == 1:
            return f"all systems have a fair F of {texts[0]}"
        if self.test_lines():
            sentences = self.compared.significant_differences() if self.compared else []
            scores = [f"{text} ({name_in_sentence(name)})" for text, name in zip(texts, self.names)]
            if sentences:
                leading = name_in_sentence(self.names[self.lead])
                return next((line for line in sentences if line.startswith(f"{leading} is better")), sentences[0])
            verdict = "it is not settled which is better" if len(values) == 2 else "no difference is settled"
            return f"{verdict}: fair F {', '.join(scores)}"
        second = max((value for k, value in enumerate(values) if k != self.lead and value is not None), default=None)
        degree = "higher" if len(values) == 2 else "highest"
        name, best = name_in_sentence(self.names[self.lead]), texts[self.lead]
        return f"{name} has the {degree} fair F, {best} against {number_text(percent(second))}"

    def _groups_finding(self) -> Finding:
        """Return the finding on errors that repeat on the same words."""
        groups = largest_error_groups(self.groups[self.lead])[:3]
        if groups:
            errors = "; ".join(
                f"{name_in_sentence(words)}, {error} ({times(group.number)})" for words, error, group in groups
            )
            noun = "error that repeats" if len(groups) == 1 else "errors that repeat"
            return Finding(
                "groups", f"the {noun} most: {errors}", self._names(m for *_, g in groups for m in g.members)
            )
        return Finding("groups", "no error repeats on the same words" if self._errors else "there are no errors")

    def _length_finding(self) -> Iterator[Finding]:
        """Yield the finding on the length of spans that scores worst, if spans are scored by lengths that differ."""
        number, lengths = next(
            ((k, part) for k, part in enumerate(self.slices) if part.title == TITLES["eLen"]), (0, None)
        )
        if lengths is None:
            return
        breakdown = lengths.breakdowns[self.lead]
        scores, f = breakdown["metrics"]["fair"], score_triple(self.fair)[-1]
        rows = [
            (words, breakdown["gold"].get(bucket, 0), percent(scores.get(bucket, {}).get("scores", {}).get(f)))
            for bucket, words in lengths.buckets.items()
        ]
        if max(gold for _, gold, _ in rows) > NEARLY_ALL * sum(gold for _, gold, _ in rows):
            return
        sentence, words = worst_group(self.fair, "length", rows)
        digit = DIGITS[[*lengths.buckets.values()].index(words)] if words else None
        documents = self.documents[self.lead]
        numbers = (
            [
                k
                for k, span_digits in enumerate(lengths.of)
                if digit in span_digits[0] or digit in span_digits[1 + self.lead]
            ]
            if digit
            else []
        )
        yield Finding("slices", sentence, [_name(documents[k], k) for k in numbers])

    def _doubt_finding(self) -> Finding:
        """Return the finding on how many errors are where gold contradicts itself."""
        members, errors = self.errors_in_doubt[self.lead], self._errors
        if not errors:
            return Finding("doubt", "there are no errors")
        if not members and not self.doubts and not largest_error_groups(self.groups[self.lead]):
            return Finding("doubt", f"nothing repeats on the same words in {errors:,} errors")
        if not members:
            return Finding("doubt", f"gold contradicts itself in none of {errors:,} errors")
        share = 100 * len(members) / errors
        source = "mostly the system" if share < 25 else "partly gold" if share < 50 else "gold as much as the system"
        rounded_share = "under 1" if share < 1 else f"{share:.0f}"
        where = f"{len(members):,} of {errors:,} errors ({rounded_share}\N{NO-BREAK SPACE}%)"
        sentence = f"{source}: in {where} gold contradicts itself"
        return Finding("doubt", sentence, self._names(members))

    def _list_finding(self) -> Finding:
        numbers = [*self.errors_of_lead]
        documents = self.documents[self.lead]
        sentence = f"{len(numbers):,} of {many(len(documents), 'document')} have an error"
        return Finding("list", sentence, [_name(documents[k], k) for k in numbers])

    def _gold_finding(self) -> Finding:
        if not self.doubts:
            return Finding("gold", "nothing speaks against gold")
        numbers = dict.fromkeys(doubt.document for doubt in self.doubts)
        documents = [_name(self.documents[0][k], k) for k in numbers]
        return Finding("gold", f"{many(len(self.doubts), 'place')} where gold may be wrong", documents)

    # Data of the tables and sentences

    @cached_property
    def errors_of_lead(self) -> dict[int, list[Verdict]]:
        """The errors of the leading system, by the numbers of their documents."""
        return self._errors_by_document(self.lead)

    def _errors_by_document(self, number: int) -> dict[int, list[Verdict]]:
        """Return the errors of the documents that have some under a system, by the number of the document."""
        errors = (
            [verdict for verdict in verdicts if is_error(self.fair, verdict)] for verdicts in self.verdicts[number]
        )
        return {k: verdicts for k, verdicts in enumerate(errors) if verdicts}

    @property
    def _errors(self) -> int:
        return sum(map(len, self.errors_of_lead.values()))

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
            for number, errors in self._errors_by_document(system).items():
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

    @property
    def ask_errors_in_doubt(self) -> dict[str, Any] | None:
        """The filter that shows the leading system's errors where gold contradicts itself; None if there are none."""
        number = len(self.lists) - len(self.systems) + self.lead
        return {"one": self.lead, "group": number} if self.errors_in_doubt[self.lead] else None

    def _names(self, members: Iterable[Member]) -> list[str | int]:
        documents = self.documents[self.lead]
        return [_name(documents[k], k) for k in sorted({member.document for member in members})]

    def _fair_f(self, number: int) -> float | None:
        score: float | None = self.results[number]["metrics"]["fair"]["scores"]["f"]
        return score

    def _compare_systems(
        self, confidence: Confidence | None, asked: Hypotheses | None, trials: int | None
    ) -> ComparisonView | None:
        """Return the comparison of all systems with the first, with tests if there are settings of intervals."""
        if len(self.systems) == 1:
            return None
        for system, verdicts in zip(self.systems, self.verdicts):
            system.outcomes = [*map(outcomes_from_verdicts, verdicts)]  # so that no document is judged again
        if confidence:
            asked = asked or Hypotheses()
            asked = asked._replace(primary=asked.primary or PRIMARY)
            return ComparisonView(comparison(self.systems, self.documents[0], confidence, trials, **asked._asdict()))
        transitions = find_changed_spans(self.systems, self.documents[0])
        return ComparisonView({"baseline": self.names[0], "comparisons": [], "transitions": transitions})

    def _ask_label(self, label: Cell) -> dict[str, Any]:
        return {"label": self._place[str(label)], "one": self.lead}

    def _title_of_system(self, title: str, number: int) -> str:
        return f"{title} of {self.names[number]}" if len(self.names) > 1 else title

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
                    Kinded.create(words.short if words else verdict, words.kind if words else "") if verdict else label
                )
                gain = None if mending.gain is None else Gain(mending.gain)
                rows.append([name, verdict or "label", mending.errors, percent(mending.score), gain])
            tables.append(ResultTable("", ["mended", "", "errors", "score", "gain"], rows, bars="gain"))
        chosen = [
            {"verdicts": [verdict]} if verdict else {**self._ask_label(label), "side": "home"}
            for verdict, label in order
        ]
        asks = [{**ask, "metric": number, "one": self.lead} for ask in chosen]
        title = f"{sentence_name(metric, metric.headlines[0].name)}, now {', '.join(scores_now)}"
        return self._join_tables(tables, 2)._replace(title=title, asks=asks)

    def _add_differences(self, table: ResultTable) -> ResultTable:
        """Return a table of two systems with a column of their differences, unless these are tested elsewhere."""
        values = [k for k, head in enumerate(table.header) if head in ("F", "value")]
        if len(values) != 2 or self.test_lines():
            return table
        rows = [[*row, _difference(*(row[k] for k in values))] for row in table.rows]
        return table._replace(header=[*table.header, "difference"], rows=rows, above=[*table.above, ("", 1)])

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
        above = [("", first), *zip(self.names, widths), *([("", len(ends))] if ends else [])]
        return table._replace(header=[*table.header[:first], *header, *ends], rows=rows, above=above)


def _view(
    system: System, groups: ErrorGroups, verdicts: Sequence[Sequence[Verdict]], confidence: Confidence | None
) -> ScoreView:
    """Return the view of one system, with examples of its errors."""
    examples = ErrorExamples(groups.metric)
    for document, document_verdicts in zip(system.annotated_documents, verdicts):
        examples.add(document, document_verdicts)
    result = evaluate(system.counts, confidence)
    return ScoreView(system.counts, result, examples=examples.first, groups=groups)


def _name(document: Document, number: int) -> str | int:
    return number if document.id is None else document.id


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
