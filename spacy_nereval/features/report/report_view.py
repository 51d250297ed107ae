"""What people see of one or several systems on the same documents: the tables and sentences of the HTML report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ...core.declaration import Metric, Verdict
from ...core.lexicon import Lexicon
from ...core.overlapping import overlaps
from ...core.spans import Document
from ...core.wording import FAIREVAL
from ...evaluation.comparison import System, changed_spans, comparison
from ...evaluation.conclusion import unit_name
from ...evaluation.error_groups import ErrorGroups, Member, error_groups
from ...evaluation.error_list import ErrorExamples, is_error, outcomes_by
from ...evaluation.prediction_rates import PredictionRate, RateDifference, rate_differences
from ...evaluation.resampling import Confidence
from ...evaluation.result import evaluate
from ...evaluation.tested import Asked
from ...reporting.comparison_view import ComparisonView
from ...reporting.declared import OUTCOMES, on_spans, row_name, spoken, triple
from ...reporting.remarks import bounded_by, in_sentence, many, times
from ...reporting.result_table import Asking, Cell, Estimate, Gain, Kinded, Percent, Ranked, ResultTable, shown
from ...reporting.score_tables import PRF, percent, score_cell
from ...reporting.score_view import UNTOLD, ScoreView, lowest
from ...reporting.verdict_tables import repeated
from ...reporting.view import Finding, Makers, View
from .gold_suspects import CONTRADICTIONS, SHOWN, Doubt, GoldDoubts, doubts, gold_suspects
from .report_numbers import DIGITS, TITLES, Mended, Slice, fair_of, slices, what_if

PRIMARY = "fair.f"
"""The default primary score."""

NEARLY_ALL = 0.9
"""No length is called the lowest if one has a greater share of the gold spans."""


class ReportView(View):
    """The tables and sentences of a report.

    Where there are several systems, sentences that are about one are about the leading one, the system with the best
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
        asked: Asked | None = None,
        trials: int | None = None,
        lexicon: Lexicon | None = None,
        by: Sequence[str] = (),
    ) -> None:
        self.fair: Metric = fair_of(systems)
        self.systems = systems
        self.names: list[str] = [system.name for system in systems]
        self.labels: list[str] = sorted({label for system in systems for label in system.counts.labels})
        self._place = {label: place for place, label in enumerate(self.labels)}
        self.marking: tuple[Metric, ...] = on_spans(systems[0].counts.metrics)
        self.documents: list[Sequence[Document]] = [system.annotated_documents for system in systems]
        self.verdicts: list[list[list[Verdict]]] = [
            [[*self.fair.verdicts(document)] for document in side] for side in self.documents
        ]
        self.groups: list[ErrorGroups] = [error_groups(own, self.fair) for own in self.documents]
        self.views: list[ScoreView] = [
            _view(system, groups, verdicts, confidence)
            for system, groups, verdicts in zip(systems, self.groups, self.verdicts)
        ]
        self.results: list[Mapping[str, Any]] = [view.given.result for view in self.views]
        self.lead: int = max(range(len(systems)), key=lambda k: (self._fair_f(k) or -1.0, -k))
        self.compared: ComparisonView | None = self._compared(confidence, asked, trials)
        self.gaps: list[list[RateDifference]] = [
            rate_differences(systems[0].counts, each.counts, confidence) for each in systems[1:]
        ]
        self.slices: list[Slice] = slices(self.documents, self.fair, self.verdicts, lexicon, by)
        self.doubts: list[Doubt] = doubts(gold_suspects(self.documents), self.documents[0])
        self.gold: GoldDoubts = GoldDoubts(self.doubts, self.documents[0], self.names)

    # Tables

    def scores(self) -> Iterator[ResultTable]:
        """Yield the scores of every metric, side by side, with the differences of two systems that are not tested."""
        triples, others = zip(*([*view.tables(["scores"])] for view in self.views))
        yield self._differing(self._beside(triples, 1))
        table = self._differing(self._beside(others, 2, 3))
        metrics = {metric.name: metric for metric in self.systems[0].counts.metrics}
        rows: list[list[Cell]] = []
        for metric, score, *cells in table.rows:
            own, name = metrics[str(metric)], str(score)
            meaning = own.score_by_name[name].meaning
            said = meaning.partition(": ")[2] or meaning
            rows.append(
                [row_name(own, name), f"{metric} {score}", *(said if cell == meaning else cell for cell in cells)]
            )
        yield table._replace(header=["score", "", *table.header[2:]], rows=rows)

    def errors(self) -> Iterator[ResultTable]:
        """Yield how often each system has each verdict. A verdict asks for its spans."""
        tables = []
        for number, view in enumerate(self.views):
            (found,) = view.tables(["errors"])
            rows: list[list[Cell]] = []
            for verdict, meaning, n, *shares in found.rows:
                ask = {"one": number, "verdicts": [verdict]}
                name = Kinded.of(str(meaning), FAIREVAL[str(verdict)].kind)
                rows.append(
                    [
                        name,
                        verdict,
                        Asking.of(n, ask) if isinstance(n, int) and n and len(self.views) > 1 else n,
                        *shares,
                    ]
                )
            header = ["verdict", "", *found.header[2:]]
            tables.append(found._replace(header=header, rows=rows, bars=None))
        table = self._beside(tables, 2)
        yield table._replace(asks=[{"one": self.lead, "verdicts": [row[1]]} for row in table.rows])

    def label_scores(self) -> Iterator[ResultTable]:
        """Yield the scores of each label, side by side. A label asks for its errors."""
        tables = [table for view in self.views for table in view.tables(["headline"])]
        if tables:
            table = self._beside(tables, 2, missing=[0])._replace(most=None)
            yield table._replace(asks=[self._ask_label(row[0]) for row in table.rows])

    def rates(self) -> Iterator[ResultTable]:
        """Yield how often each label is predicted, per gold span, and the differences from the first system."""
        tables = []
        for number, view in enumerate(self.views):
            gaps = {gap.label: gap for gap in self.gaps[number - 1]} if number else {}
            rows: list[list[Cell]] = []
            for each in self._rates(view):
                gap = gaps.get(each.label)
                more = [] if gap is None else [_bounded(gap.difference, gap)]
                rows.append([each.label, each.gold, each.pred, _bounded(each.rate, each), *more])
            header = ["label", "gold", "predicted", "rate", *(["difference"] if number else [])]
            tables.append(ResultTable("How often each label is predicted", header, rows, bars="rate"))
        table = self._beside(tables, 2)
        if table.rows:
            yield table._replace(asks=[self._ask_label(row[0]) for row in table.rows])

    def sliced(self) -> Iterator[ResultTable]:
        """Yield the scores by each attribute. A bucket asks for its errors."""
        names = triple(self.fair)
        for number, each in enumerate(self.slices):
            tables = []
            for found in each.breakdowns:
                own = found["metrics"]["fair"]
                rows: list[list[Cell]] = []
                for rank, (bucket, words) in enumerate(each.buckets.items()):
                    scores = own.get(bucket, {}).get("scores", {})
                    numbers = [found[side].get(bucket, 0) for side in ("gold", "pred")]
                    rows.append(
                        [Ranked.of(words, rank), *numbers, *(score_cell(self.fair, name, scores) for name in names)]
                    )
                tables.append(ResultTable(each.title, [each.title, "gold", "predicted", *PRF], rows))
            asks = [{"bucket": [number, k], "one": self.lead} for k in range(len(each.buckets))]
            yield self._beside(tables, 2)._replace(asks=asks)

    def repeated(self) -> Iterator[ResultTable]:
        """Yield, for each system, the errors that repeat on the same words; they ask for all their places."""
        start = 0
        for number, view in enumerate(self.views):
            for table in view.tables(["groups"]):
                asks = [{"one": number, "group": start + k} for k in range(len(table.rows))]
                order = [2, 3, 0, 1, 4]  # the words name the row
                header, *rows = ([row[k] for k in order] for row in (table.header, *table.rows))
                title = self._of(table.title, number)
                yield table._replace(title=title, header=[*map(str, header)], rows=rows, asks=asks, most=SHOWN)
                start += len(table.rows)

    def pairs(self) -> Iterator[ResultTable]:
        """Yield, for each system, the errors by verdict and labels; they ask for their places."""
        for number, view in enumerate(self.views):
            for table in view.tables(["pairs"]):
                asks = []
                for verdict, gold, pred, *_ in table.rows:
                    cell = [self._place[str(label or "")] if label is not None else -1 for label in (gold, pred)]
                    asks.append({"one": number, "verdicts": [verdict], "cell": cell})
                yield table._replace(title=self._of(table.title, number), asks=asks, most=SHOWN)

    def mending(self) -> Iterator[ResultTable]:
        """Yield, for each metric of the page that has such rows, the score if errors were mended."""
        for number, metric in sorted(enumerate(self.marking), key=lambda item: item[1].name != "fair"):
            if not metric.headlines[0].higher_is_better:
                continue
            known = self.verdicts if metric is self.fair else [None for _ in self.systems]
            found = [what_if(documents, metric, own) for documents, own in zip(self.documents, known)]
            if any(found):
                yield self._mended(metric, number, found)

    def doubtful(self) -> Iterator[ResultTable]:
        """Yield the doubtful gold spans."""
        yield from self.gold.tables()

    def differences(self) -> Iterator[ResultTable]:
        """Yield the differences from the first system and their tests, where systems are compared."""
        if self.compared and self.compared.result["comparisons"]:
            yield from self.compared.tables(["differences", "labels"])

    def changes(self) -> Iterator[ResultTable]:
        """Yield, for each other system, the outcomes of gold spans; a number asks for the spans that it counts."""
        for other, table in enumerate(self.compared.tables(["transitions"]) if self.compared else (), 1):
            places = {words: k for k, words in enumerate(OUTCOMES.values())}
            rows: list[list[Cell]] = []
            for before, *numbers in table.rows:
                cells: list[Cell] = [before]
                for after, n in zip(table.header[1:], numbers):
                    move = [places[str(before)], places[str(after)]]
                    kind = "fixed" if move[1] == 0 else "broken" if move[0] == 0 else "changed"
                    ask = {"one": 0, "other": other, "move": move}
                    cells.append(Asking.of(n, ask, kind) if isinstance(n, int) and n and before != after else n)
                rows.append(cells)
            yield table._replace(rows=rows)

    makers: ClassVar[Makers] = {
        "scores": scores,
        "differences": differences,
        "errors": errors,
        "labels": label_scores,
        "rates": rates,
        "slices": sliced,
        "groups": repeated,
        "pairs": pairs,
        "mending": mending,
        "gold": doubtful,
        "transitions": changes,
    }
    at_terminal: ClassVar[Sequence[str]] = ("scores", "labels", "errors")
    usual: ClassVar[Sequence[str]] = (*makers,)

    @property
    def scored(self) -> bool:
        """Whether predictions have scores."""
        return any(document.span_scores for documents in self.documents for document in documents)

    @property
    def changed(self) -> str:
        """The section of the finding on what the leading system changes, or else the second one."""
        return "changes" if self.lead < 2 else f"changes {self.lead}"

    # Sentences

    def findings(self) -> list[Finding]:
        """Return a sentence for each section of the page."""
        return [*self._found]

    @property
    def story(self) -> list[Finding]:
        """Two of the findings, the more telling one first: how often labels are predicted, and which errors repeat."""
        found = {finding.section: finding for finding in self._found}
        untold = found["rates"].sentence.startswith(UNTOLD)
        return [found[section] for section in (("groups", "rates") if untold else ("rates", "groups"))]

    @cached_property
    def _found(self) -> list[Finding]:
        own = {finding.section: finding for finding in self.views[self.lead].findings()}
        if len(self.systems) > 1:
            ranked = self._ranked()
            own["scores"] = Finding("scores", ranked, is_named=ranked.startswith(tuple(map(in_sentence, self.names))))
        said = [*own.values(), self._repeating(), *self._lowest_length(), self._doubted(), self._wrong()]
        under = f", under {in_sentence(self.names[self.lead])}" if len(self.systems) > 1 else ""
        found = [each if each.section == "scores" else each._replace(sentence=each.sentence + under) for each in said]
        found.append(self._doubtful_gold())
        return [*found, *(self.compared.findings() if self.compared else [])]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return what was scored, for each system in a sentence of its own, after the conclusions."""
        conclusions = self.compared.opening(digits=digits) if self.compared else []
        lines = [view.opening(digits=digits, more=more)[0] for view in self.views]
        return [*conclusions, *(f"{name}: {line}" if len(lines) > 1 else line for name, line in zip(self.names, lines))]

    def closing(self) -> list[str]:
        """Return what the intervals rest on if nobody chose it, and a warning if there are few units."""
        return self.views[0].closing()

    @property
    def bounds(self) -> str:
        """How wide intervals are, and what they rest on; "" if there are none."""
        drawn = self.results[0].get("confidence")
        if not drawn:
            return ""
        rule = "" if unit_name(drawn["unit"]) == "document" else f" ({drawn['unit']})"
        return f"Intervals: {100 * drawn['level']:g} %, from {bounded_by(drawn)}{rule}"

    def tested(self) -> list[str]:
        """Return how the systems were tested; nothing if they were not."""
        return self.compared.tested() if self.compared and self.compared.result["comparisons"] else []

    def _ranked(self) -> str:
        """Return which system has the best F, or all of them where tests say more than a rank."""
        values = [self._fair_f(k) for k in range(len(self.systems))]
        texts = [shown(percent(value)) for value in values]
        if values[self.lead] is None:
            return "fair F is undefined: there are no spans"
        if len({*texts}) == 1:
            return f"all systems have a fair F of {texts[0]}"
        if self.tested():
            told = self.compared.better() if self.compared else []
            each = [f"{text} ({in_sentence(name)})" for text, name in zip(texts, self.names)]
            if told:
                leading = in_sentence(self.names[self.lead])
                return next((line for line in told if line.startswith(f"{leading} is better")), told[0])
            unsettled = "it is not settled which is better" if len(values) == 2 else "no difference is settled"
            return f"{unsettled}: fair F {', '.join(each)}"
        second = max((value for k, value in enumerate(values) if k != self.lead and value is not None), default=None)
        degree = "higher" if len(values) == 2 else "highest"
        name, best = in_sentence(self.names[self.lead]), texts[self.lead]
        return f"{name} has the {degree} fair F, {best} against {shown(percent(second))}"

    def _repeating(self) -> Finding:
        """Return the errors that repeat most on the same words."""
        groups = repeated(self.groups[self.lead])[:3]
        if groups:
            said = "; ".join(f"{in_sentence(words)}, {error} ({times(each.number)})" for words, error, each in groups)
            noun = "error that repeats" if len(groups) == 1 else "errors that repeat"
            return Finding("groups", f"the {noun} most: {said}", self._names(m for *_, g in groups for m in g.members))
        return Finding("groups", "no error repeats on the same words" if self._errors else "there are no errors")

    def _lowest_length(self) -> Iterator[Finding]:
        """Yield which length of spans scores worst, if spans are scored by their length and differ in it."""
        number, own = next(((k, each) for k, each in enumerate(self.slices) if each.title == TITLES["eLen"]), (0, None))
        if own is None:
            return
        found = own.breakdowns[self.lead]
        scores, f = found["metrics"]["fair"], triple(self.fair)[-1]
        rows = [
            (words, found["gold"].get(bucket, 0), percent(scores.get(bucket, {}).get("scores", {}).get(f)))
            for bucket, words in own.buckets.items()
        ]
        if max(gold for _, gold, _ in rows) > NEARLY_ALL * sum(gold for _, gold, _ in rows):
            return
        sentence, words = lowest(self.fair, "length", rows)
        digit = DIGITS[[*own.buckets.values()].index(words)] if words else None
        documents = self.documents[self.lead]
        found_in = [k for k, of in enumerate(own.of) if digit in of[0] or digit in of[1 + self.lead]] if digit else []
        yield Finding("slices", sentence, [_name(documents[k], k) for k in found_in])

    def _doubted(self) -> Finding:
        """Return how many errors are where gold contradicts itself, and so who is rather to blame."""
        at, errors = self.doubted[self.lead], self._errors
        if not errors:
            return Finding("doubt", "there are no errors")
        if not at and not self.doubts and not repeated(self.groups[self.lead]):
            return Finding("doubt", f"nothing repeats on the same words in {errors:,} errors")
        if not at:
            return Finding("doubt", f"gold contradicts itself in none of {errors:,} errors")
        share = 100 * len(at) / errors
        who = "mostly the system" if share < 25 else "partly gold" if share < 50 else "gold as much as the system"
        rounded = "under 1" if share < 1 else f"{share:.0f}"
        sentence = f"{who}: in {len(at):,} of {errors:,} errors ({rounded}\N{NO-BREAK SPACE}%) gold contradicts itself"
        return Finding("doubt", sentence, self._names(at))

    def _wrong(self) -> Finding:
        found = [*self.wrong]
        documents = self.documents[self.lead]
        sentence = f"{len(found):,} of {many(len(documents), 'document')} have an error"
        return Finding("list", sentence, [_name(documents[k], k) for k in found])

    def _doubtful_gold(self) -> Finding:
        if not self.doubts:
            return Finding("gold", "nothing speaks against gold")
        numbers = dict.fromkeys(each.document for each in self.doubts)
        documents = [_name(self.documents[0][k], k) for k in numbers]
        return Finding("gold", f"{many(len(self.doubts), 'place')} where gold may be wrong", documents)

    # What both are made from

    @cached_property
    def wrong(self) -> dict[int, list[Verdict]]:
        """The errors of the leading system, by the numbers of their documents."""
        return self._wrong_under(self.lead)

    def _wrong_under(self, number: int) -> dict[int, list[Verdict]]:
        """Return the errors of the documents that have some under a system, by the number of the document."""
        errors = ([each for each in own if is_error(self.fair, each)] for own in self.verdicts[number])
        return {k: own for k, own in enumerate(errors) if own}

    @property
    def _errors(self) -> int:
        return sum(map(len, self.wrong.values()))

    @cached_property
    def doubted(self) -> list[list[Member]]:
        """For each system, its errors where gold contradicts itself.

        What systems say is left out here: those that learned from the same data agree in their errors too.
        """
        places: dict[int, list[tuple[int, int]]] = {}
        for doubt in self.doubts:
            if any(why.reason in CONTRADICTIONS for why in doubt.evidence):
                places.setdefault(doubt.document, []).append(doubt.place)
        found = []
        for system in range(len(self.systems)):
            members: dict[Member, None] = {}
            for number, errors in self._wrong_under(system).items():
                spans = [(span, verdict) for verdict in errors for span in (verdict.gold, verdict.pred) if span]
                at = {k for k, _, _ in overlaps([span[:2] for span, _ in spans], places.get(number, []))}
                members |= dict.fromkeys(Member(number, spans[k][1].gold, spans[k][1].pred) for k in sorted(at))
            found.append([*members])
        return found

    @cached_property
    def lists(self) -> list[tuple[int, str, list[Member]]]:
        """The errors that a row can ask for by `group`: the number of their system, a title, and the errors."""
        groups = [
            (number, f"{words}: {error}", group.members)
            for number, own in enumerate(self.groups)
            for words, error, group in repeated(own)
        ]
        return [*groups, *((number, "gold in doubt", members) for number, members in enumerate(self.doubted))]

    @property
    def ask_doubted(self) -> dict[str, Any] | None:
        """What shows the leading system's errors where gold contradicts itself; None if there are none."""
        number = len(self.lists) - len(self.systems) + self.lead
        return {"one": self.lead, "group": number} if self.doubted[self.lead] else None

    def _names(self, members: Iterable[Member]) -> list[str | int]:
        documents = self.documents[self.lead]
        return [_name(documents[k], k) for k in sorted({member.document for member in members})]

    def _fair_f(self, number: int) -> float | None:
        found: float | None = self.results[number]["metrics"]["fair"]["scores"]["f"]
        return found

    def _compared(
        self, confidence: Confidence | None, asked: Asked | None, trials: int | None
    ) -> ComparisonView | None:
        """Return the comparison of all systems with the first: with tests where intervals are wanted."""
        if len(self.systems) == 1:
            return None
        for system, verdicts in zip(self.systems, self.verdicts):
            system.outcomes = [*map(outcomes_by, verdicts)]  # so that no document is judged again
        if confidence:
            asked = asked or Asked()
            asked = asked._replace(primary=asked.primary or PRIMARY)
            return ComparisonView(comparison(self.systems, self.documents[0], confidence, trials, **asked._asdict()))
        moved = changed_spans(self.systems, self.documents[0])
        return ComparisonView({"baseline": self.names[0], "comparisons": [], "transitions": moved})

    def _ask_label(self, label: Cell) -> dict[str, Any]:
        return {"label": self._place[str(label)], "one": self.lead}

    def _of(self, title: str, number: int) -> str:
        return f"{title} of {self.names[number]}" if len(self.names) > 1 else title

    def _rates(self, view: ScoreView) -> list[PredictionRate]:
        """Return how often a system predicts each label of any system; the label of most gold spans first."""
        gold = {each.label: each.gold for own in self.views for each in own.rates}
        known = {each.label: each for each in view.rates}
        found = [known.get(label) or PredictionRate(label, n, 0, 0.0 if n else None) for label, n in gold.items()]
        return sorted(found, key=lambda each: (-each.gold, each.label))

    def _mended(self, metric: Metric, number: int, owns: Sequence[Sequence[Mended]]) -> ResultTable:
        """Return what the headline score of a metric would be, for each system, if errors were mended."""
        keys = dict.fromkeys((each.verdict, each.label) for own in owns for each in own)
        gains = [{(each.verdict, each.label): each.gain or 0 for each in own} for own in owns]
        ordered = sorted(keys, key=lambda key: (key[0] is None, -max(own.get(key, 0) for own in gains)))
        now, tables = [], []
        for own in owns:
            found = {(each.verdict, each.label): each for each in own}
            scores = [each.score - each.gain for each in own if each.score is not None and each.gain is not None]
            now.append(shown(percent(scores[0])) if scores else "-")
            rows: list[list[Cell]] = []
            for key in ordered:
                words = metric.words.get(key[0] or "")
                name = Kinded.of(words.short if words else key[0], words.kind if words else "") if key[0] else key[1]
                each = found.get(key, Mended(*key, 0, None, None))
                gain = None if each.gain is None else Gain(each.gain)
                rows.append([name, key[0] or "label", each.errors, percent(each.score), gain])
            tables.append(ResultTable("", ["mended", "", "errors", "score", "gain"], rows, bars="gain"))
        chosen = [
            {"verdicts": [verdict]} if verdict else {**self._ask_label(label), "side": "home"}
            for verdict, label in ordered
        ]
        asks = [{**each, "metric": number, "one": self.lead} for each in chosen]
        title = f"{spoken(metric, metric.headlines[0].name)}, now {', '.join(now)}"
        return self._beside(tables, 2)._replace(title=title, asks=asks)

    def _differing(self, table: ResultTable) -> ResultTable:
        """Return the scores of two systems with the differences of the last ones, unless these are tested."""
        values = [k for k, head in enumerate(table.header) if head in ("F", "value")]
        if len(values) != 2 or self.tested():
            return table
        rows = [[*row, _gap(*(row[k] for k in values))] for row in table.rows]
        return table._replace(header=[*table.header, "difference"], rows=rows, above=[*table.above, ("", 1)])

    def _beside(
        self, tables: Sequence[ResultTable], first: int, last: int | None = None, *, missing: Sequence[Cell] = ()
    ) -> ResultTable:
        """Return tables of the systems side by side.

        Args:
            tables: A table for each system.
            first: How many columns the systems share on the left; they tell the rows apart.
            last: The first of the columns that they share on the right.
            missing: The first cells of a system that does not have a row.
        """
        table = tables[0]
        if len(tables) == 1:
            return table
        last = len(table.header) if last is None else last
        ends = table.header[last:]
        found = [{tuple(row[:first]): row for row in each.rows} for each in tables]
        shared = {key: row[len(row) - len(ends) :] for own in reversed(found) for key, row in own.items()}
        widths = [len(each.header) - first - len(ends) for each in tables]
        rows: list[list[Cell]] = []
        for key in dict.fromkeys(key for own in found for key in own):
            cells: list[Cell] = []
            for own, width in zip(found, widths):
                row = own[key][first : first + width] if key in own else [*missing, *[None] * width][:width]
                cells += row
            rows.append([*key, *cells, *shared[key]])
        header = [name for each, width in zip(tables, widths) for name in each.header[first : first + width]]
        above = [("", first), *zip(self.names, widths), *([("", len(ends))] if ends else [])]
        return table._replace(header=[*table.header[:first], *header, *ends], rows=rows, above=above)


def _view(
    system: System, groups: ErrorGroups, verdicts: Sequence[Sequence[Verdict]], confidence: Confidence | None
) -> ScoreView:
    """Return the view of one system, with examples of its errors."""
    examples = ErrorExamples(groups.metric)
    for document, own in zip(system.annotated_documents, verdicts):
        examples.add(document, own)
    result = evaluate(system.counts, confidence)
    return ScoreView(system.counts, result, examples=examples.first, groups=groups)


def _name(document: Document, number: int) -> str | int:
    return number if document.id is None else document.id


def _bounded(value: float | None, found: PredictionRate | RateDifference) -> float | Estimate | None:
    if value is None or found.low is None or found.high is None:
        return value
    return Estimate(value, found.low, found.high, found.few)


def _gap(a: Cell, b: Cell) -> Cell:
    """Return the difference of two scores, None where one is undefined."""
    first, second = (cell.value if isinstance(cell, Estimate) else cell for cell in (a, b))
    if not isinstance(first, (int, float)) or not isinstance(second, (int, float)):
        return None
    return Gain(second - first) if isinstance(second, Percent) else second - first
