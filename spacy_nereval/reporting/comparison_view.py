"""The tables and sentences of a comparison, and how it was tested."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ..core.messages import many
from ..evaluation.bounds import FEW, UNBOUNDED
from ..evaluation.conclusion import Footing, is_significant, unit_name
from ..evaluation.conclusion import footer as footing_line
from ..evaluation.differences import LEAST_DIFFERING, POWER
from ..evaluation.tested import LABELS, PRIMARY, SECONDARY
from ..io.writing import visible
from ..metrics.registry import create, names
from .declared import OUTCOMES, score_words, short_name
from .marked_text import clip
from .remarks import few_runs, mention_lines, name_in_sentence, runs_phrases, unit_lines, units_warning
from .result_table import Cell, Cost, Estimate, Interval, Percent, PValue, ResultTable, direction, number_text
from .score_tables import MOST, interval, p_value, percent, value_cell
from .view import Finding, Makers, View

Row = Mapping[str, Any]

P, P_HOLM, ERROR = "p", "p (Holm)", "standard error"

TEST_COLUMNS = ("baseline", "system", "difference", P, P_HOLM, "detectable")
"""The columns of a difference between two systems."""

COLLAPSED_COLUMNS = ("baseline", "system", "difference", ERROR, "detectable")
"""The columns of a difference between collapsed counts, which allow no test."""

P_DIGITS = {P: 4, P_HOLM: 4}
SHORT = {P_HOLM: "p Holm"}
ABBREVIATED = {"detectable": "MDD"}


class ComparisonView(View):
    """The tables and sentences of a comparison.

    Args:
        result: The result of `evaluation.comparison.comparison`, or its JSON.
        notes: Remarks on the input. They follow the conclusions.
        warnings: Warnings that a reader needs first. They precede the conclusions.

    >>> row = {"metric": "strict", "score": "f", "label": None, "system": "B", "family": "primary", "headline": True}
    >>> row |= {"baseline_value": 0.5, "value": 0.502, "difference": 0.002, "interval": [-0.004, 0.008], "flag": None}
    >>> row |= {"p": 0.5, "p_holm": 0.5, "tests": 1, "detectable": 0.01, "runs": [1, 1], "score_unit": "ratio"}
    >>> row |= {"higher_is_better": True, "verdict": "the same within 1 point"}
    >>> basis = {"swaps": 1024, "exact": True, "confidence": {"level": 0.95}}
    >>> view = ComparisonView({"baseline": "A", "comparisons": [row], "transitions": [], **basis})
    >>> view.opening()
    ['B against A: strict F +0.20 [-0.40, 0.80], p (Holm) = 0.5000; the same within 1 point.']
    """

    at_terminal: ClassVar[Sequence[str]] = ("differences", "labels", "slices")
    usual: ClassVar[Sequence[str]] = (*at_terminal, "runs", "transitions", "spans")
    needs: ClassVar[Mapping[str, str]] = {"slices": "by"}

    def __init__(self, result: Mapping[str, Any], notes: Sequence[str] = (), warnings: Sequence[str] = ()) -> None:
        self.result = result
        self._notes, self._warnings = notes, warnings
        self._rows: Sequence[Row] = result["comparisons"]
        self._transition_of = {transition["system"]: transition for transition in result["transitions"]}

    # Tables

    def differences(self) -> Iterator[ResultTable]:
        """Yield, for each system, its headline scores, the baseline's, their differences, and the tests."""
        for system, rows in self._rows_per_system():
            prominent = [row for row in rows if row["label"] is None and is_prominent(row)]
            cells = [[_score_title(row), *self.cells(row)] for row in prominent]
            yield self._table(self._pair_title(system), "score", cells)

    def labels(self) -> Iterator[ResultTable]:
        """Yield, for each system, the primary score of each label, its difference from the baseline, and the test."""
        for system, rows in self._rows_per_system():
            if label_rows := [row for row in rows if row["label"] is not None]:
                score = _score_title(label_rows[0])
                title = f"{self._pair_title(system)} per label, {score}"
                cells = [[row["label"], *self.cells(row)] for row in label_rows]
                yield self._table(title, "label", cells, direction(score))

    def slices(self) -> Iterator[ResultTable]:
        """Yield, for each attribute and system, the primary score of each bucket, its difference, and the test."""
        for breakdown in self.result.get("breakdowns", {}).values():
            for system in dict.fromkeys(row["system"] for row in breakdown["rows"]):
                rows = [row for row in breakdown["rows"] if row["system"] == system]
                score = _score_title(rows[0])
                title = f"{self._pair_title(system)} by {breakdown['by']}, {score}"
                cells = [[row["label"], breakdown["gold"].get(row["label"], 0), *self.cells(row)] for row in rows]
                note = direction(score)
                yield ResultTable(
                    title,
                    [breakdown["by"], "gold", *self.columns],
                    cells,
                    note=note,
                    own_digits=P_DIGITS,
                    short=SHORT,
                    abbreviated=ABBREVIATED,
                )

    def runs(self) -> Iterator[ResultTable]:
        """Yield, for each system with several runs, how much of the uncertainty comes from training."""
        for system, rows in self._rows_per_system():
            run_rows = [row for row in rows if max(row["runs"]) > 1 and row["label"] is None and is_prominent(row)]
            if run_rows:
                cells: list[list[Cell]] = [
                    [_score_title(row), *row["runs"], row["degrees_of_freedom"], percent(row["share_of_training"])]
                    for row in run_rows
                ]
                header = ["score", "baseline runs", "system runs", "degrees of freedom", "share of training"]
                note = few_runs(run_rows[0]["runs"])
                yield ResultTable(f"Training runs of {system} and {self.result['baseline']}", header, cells, note=note)

    def transitions(self) -> Iterator[ResultTable]:
        """Yield, for each system, the outcomes of the gold spans under the baseline and under the system."""
        baseline = self.result["baseline"]
        for system, transition in self._transition_of.items():
            counts = transition["counts"]
            outcomes = [key for key in OUTCOMES if key in counts or any(key in row for row in counts.values())]
            rows: list[list[Cell]] = [
                [OUTCOMES[before], *(counts.get(before, {}).get(after, 0) for after in outcomes)] for before in outcomes
            ]
            title = f"Gold spans under {baseline} (rows) and {system} (columns)"
            yield ResultTable(title, [baseline, *(OUTCOMES[key] for key in outcomes)], rows)

    def spans(self) -> Iterator[ResultTable]:
        """Yield, for each system, the gold spans with an outcome other than the baseline's."""
        header = ["document", "start", "end", "label", "text", self.result["baseline"]]
        for system, transition in self._transition_of.items():
            rows: list[list[Cell]] = [
                [
                    *(span[key] for key in ("document", "start", "end", "label")),
                    clip(span["text"]) if span["text"] is not None else None,
                    OUTCOMES[span["from"]],
                    OUTCOMES[span["to"]],
                ]
                for span in transition["spans"]
            ]
            yield ResultTable(f"Changed spans of {system}", [*header, system], rows, most=MOST)

    def all_differences(self) -> Iterator[ResultTable]:
        """Yield, for each system, both values of each score, their difference, and its test."""
        header = ["metric", "score", "baseline", "system", "difference", "interval", P, P_HOLM]
        for system, rows in self._rows_per_system():
            cells: list[list[Cell]] = [
                [row["metric"], _mark_direction(row, row["score"]), *_values(row), _bounds(row), *self._p_values(row)]
                for row in rows
                if row["label"] is None
            ]
            yield ResultTable(f"All scores of {self._pair_title(system)}", header, cells, own_digits=P_DIGITS)

    makers: ClassVar[Makers] = {
        "differences": differences,
        "labels": labels,
        "slices": slices,
        "runs": runs,
        "transitions": transitions,
        "spans": spans,
        "all-differences": all_differences,
    }

    def every_row(self) -> ResultTable:
        """Return every row of every system and label, for programs."""
        keys, values = ["system", "metric", "score", "label"], ["baseline_value", "value", "difference"]
        rows = [
            [*(row[name] for name in keys), score_key(row), *(row[name] for name in values)]
            + [*(_bounds(row) or (None, None)), row["p"], row["p_holm"]]
            for row in self._rows
        ]
        return ResultTable("Differences", [*keys, "key", *values, "low", "high", "p", "p_holm"], rows)

    def cells(self, row: Row) -> list[Cell]:
        """Return a cell for each of `columns`, from a row of the comparison."""
        a, b, value = _values(row)
        bounds, detectable = _bounds(row), value_cell(row["detectable"], row_unit(row))
        gap = value if bounds is None or value is None else Estimate(value, *bounds, row.get("flag") == FEW)
        if self.result.get("collapsed"):
            return [a, b, gap, value_cell(row["standard_error"], row_unit(row)), detectable]
        return [a, b, gap, *self._p_values(row), detectable]

    @property
    def columns(self) -> Sequence[str]:
        """The names of the cells that `cells` returns."""
        return COLLAPSED_COLUMNS if self.result.get("collapsed") else TEST_COLUMNS

    def row(self, metric: str, score: str, system: str | None = None) -> Row | None:
        """Return the row of an overall score, for the first system by default; None if there is none."""
        key = metric, score, system or next((row["system"] for row in self._rows), None)
        of_scores = (row for row in self._rows if row["label"] is None)
        return next((row for row in of_scores if (row["metric"], row["score"], row["system"]) == key), None)

    def changes_of(self, system: str) -> dict[str, int]:
        """Return how many gold spans a system fixes and breaks, by the names of these changes."""
        return _changes(self._transition_of[system]["counts"])

    def _table(self, title: str, first: str, cells: list[list[Cell]], note: str = "") -> ResultTable:
        return ResultTable(
            title, [first, *self.columns], cells, note=note, own_digits=P_DIGITS, short=SHORT, abbreviated=ABBREVIATED
        )

    def _p_values(self, row: Row) -> tuple[PValue | None, PValue | None]:
        return p_value(row, "p", self.result), p_value(row, "p_holm", self.result)

    def _pair_title(self, system: str) -> str:
        return f"{system} against {self.result['baseline']}"

    def _rows_per_system(self) -> Iterator[tuple[str, list[Row]]]:
        for system in dict.fromkeys(row["system"] for row in self._rows):
            yield system, [row for row in self._rows if row["system"] == system]

    # Sentences

    def findings(self) -> list[Finding]:
        """Return findings on the conclusion about each system, then on how many spans each fixes and breaks."""
        result: list[Finding] = []
        for section, row, line in self._conclusions(2):
            result.append(Finding(section, line, row.get("differing_documents") or ()))
        for k, (system, transition) in enumerate(self._transition_of.items()):
            names = dict.fromkeys(span["document"] for span in transition["spans"])
            line = visible(f"{system} {_changes_phrase(transition['counts'])}")
            result.append(Finding(_section_name("changes", k), line, [*names], is_named=True))
        return result

    def significant_differences(self) -> list[str]:
        """Return a short sentence for each system that differs significantly: which of the two is better."""
        sentences = []
        for row in self._rows:
            if row["verdict"] is None or not is_significant(row["p_holm"], 1 - self.result["confidence"]["level"]):
                continue
            systems = [name_in_sentence(name) for name in (row["system"], self.result["baseline"])]
            better, worse = systems if (row["difference"] > 0) == row["higher_is_better"] else systems[::-1]
            ends = [number_text(row_unit(row)(bound)) for bound in sorted(map(abs, _bounds(row) or ()))]
            spread = f" ({' to '.join(ends)})" if ends else ""
            gap = number_text(row_unit(row)(abs(row["difference"])))
            than = f" than {worse}" if len({other["system"] for other in self._rows}) > 1 else ""
            score = score_words(row["metric"], row["score"])
            sentences.append(f"{better} is better{than} by {gap} points of {score}{spread}")
        return sentences

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the difference in each system's primary score with its verdict, between warnings and notes."""
        lines = [*self._warnings, *(f"{line}." for _, _, line in self._conclusions(digits)), *self._notes]
        return [*lines, *([f"P, R and changed spans: {more}"] if more else []), *self.omissions]

    def _conclusions(self, digits: int) -> Iterator[tuple[str, Row, str]]:
        """Yield for each system the section, the row of the primary score, and the sentence."""
        for k, row in enumerate(row for row in self._rows if row["verdict"] is not None):
            system = f"{self._pair_title(row['system'])}{_runs_phrase(row['runs'])}"
            difference = self._difference(row, digits)
            score = score_words(row["metric"], row["score"])
            start = f"{system}: {score} {difference}; " if difference else f"{system}, {score}: "
            transition = self._transition_of.get(row["system"])
            clauses = [*([_changes_phrase(transition["counts"])] if transition else []), row["verdict"]]
            yield _section_name("headline", k), row, visible(f"{start}{'; '.join(clauses)}")

    def _difference(self, row: Row, digits: int) -> str:
        """Return a difference with its interval and p-value, or standard error; "" where it has none of these."""
        cells = dict(zip(self.columns, self.cells(row)))
        gap = cells["difference"]
        if not isinstance(gap, Estimate):
            return ""
        text = f"{'' if gap.value < 0 else '+'}{number_text(gap, digits)}"
        if row.get("standard_error") is not None:
            return f"{text}, {ERROR} {number_text(row_unit(row)(row['standard_error']), digits)}"
        if (p := self._p_values(row)[1]) is None:
            return ""
        shown = "1" if float(p) == 1 else p.text
        return f"{text}, {P_HOLM} {'' if shown.startswith('<') else '= '}{shown}"

    def closing(self) -> list[str]:
        """Return the legend, the tests, the omissions, and a warning if there are few units."""
        result = self.result
        mentions = [
            f"{name}: {line}" for name, numbers in result.get("mentions", {}).items() for line in mention_lines(numbers)
        ]
        read = ((run["system"], runs_phrases(run)) for run in result.get("on_reading", ()))
        return [
            self.legend(),
            *map(visible, mentions),
            *self.test_lines(),
            *(visible(f"ℹ {system}: {', '.join(parts)}.") for system, parts in read if parts),
            *unit_lines(result["unit"]),
            *units_warning(result["units"], result["effective_units"], result["unit"], result["documents"]),
        ]

    def legend(self) -> str:
        """Return the meaning of the abbreviations in the tables of differences."""
        registered = names()
        scores = dict.fromkeys((row["metric"], row["score"]) for row in self._rows if is_prominent(row))
        meanings = [
            f"{score} = {meaning.partition(':')[0]}"
            for metric, score in scores
            if metric in registered and (meaning := create(metric).score_by_name[score].meaning)
        ]
        power = f"{100 * POWER:g} % of such samples"
        detectable = f"MDD (minimal detectable difference) = the true difference that would be detected in {power}"
        return f"{'; '.join([detectable, *meanings])}."

    def test_lines(self) -> list[str]:
        """Return the tests, the meaning of "<" before a p-value, and the basis of the numbers."""
        result = self.result
        lines = [" ".join(self._half_sample_lines() if result.get("collapsed") else self._test_sentences())]
        if any(p.is_bound for row in self._rows for p in self._p_values(row) if p is not None):
            lines.append(f"< before a p-value: {result['swaps']:,} random permutations cannot show a smaller one.")
        return [*lines, self._footing()]

    @property
    def _unit(self) -> str:
        return unit_name(self.result["unit"], self.result["units"], self.result["documents"])

    def _test_sentences(self) -> Iterator[str]:
        """Yield the null hypothesis, the test, and which p-values are corrected together."""
        result, has_runs = self.result, max(self.result["runs"]) > 1
        if result["swaps"] is not None:
            swaps = f"all {result['swaps']:,}" if result["exact"] else f"{result['swaps']:,} random"
            yield f"Null hypothesis: in every {self._unit}, the predictions of the two systems are exchangeable."
            basis = f"over {many(result['units'], self._unit)}, {swaps} permutations"
            yield f"Test: a two-sided paired permutation test {basis}."
        if has_runs:
            yield "Systems with several training runs are compared by their mean scores."
            yield "Null hypothesis: the expected scores of the two systems are the same, over documents and training"
            yield "runs. Test: two-sided, min F'."
        families = {
            PRIMARY: "the primary score, {words}",
            SECONDARY: "the secondary scores",
            LABELS: "{words} of labels",
        }
        tests = [
            f"{families[family].format(words=score_words(row['metric'], row['score']))} ({many(row['tests'], 'test')})"
            for family, row in self._families().items()
        ]
        if tests:
            yield f"{P_HOLM} is corrected within a family of tests: {'; '.join(tests)}."
        yield "An interval contains every difference that the same test does not reject at"
        yield f"{100 * result['confidence']['level']:g} %."
        if result["swaps"] is not None:
            yield f"It is wider where few {self._unit}s make the difference."
            yield f"Where a score differs in fewer than {LEAST_DIFFERING} {self._unit}s, there is no p: the interval"
            yield f"bounds the change that similar {self._unit}s can make (Stringer's bound), and contains 0."
        if has_runs:
            yield f"For training runs of which fewer than {LEAST_DIFFERING} {self._unit}s differ, there is no p and no"
            yield "interval."

    def _half_sample_lines(self) -> Iterator[str]:
        """Yield how collapsed counts were compared, with half-samples in place of a test."""
        basis = self.result["confidence"]
        yield f"Collapsed counts keep no {self._unit}s that could be permuted, so there is no permutation test and no"
        yield "p-value. The standard error of a difference is its spread over the"
        yield f"{basis['samples']:,} half-samples that both systems keep, a bootstrap; the interval"
        yield f"({100 * basis['level']:g} %) reaches a quantile of t times this error to each side."
        yield f"Unless the half-samples prove that at least {LEAST_DIFFERING} {self._unit}s differ, there is no"
        yield "interval."

    def _families(self) -> dict[str, Row]:
        """Return each family of tests with one of its rows."""
        rows = {row["family"]: row for row in reversed(self._rows) if row["family"] and row["tests"]}
        return {family: rows[family] for family in (PRIMARY, SECONDARY, LABELS) if family in rows}

    def _footing(self) -> str:
        """Return the units, samples and swaps that the numbers are based on, and the sizes of the families of tests."""
        result, basis = self.result, self.result["confidence"]
        footing = Footing(
            result["unit"],
            result["units"],
            result["effective_units"],
            basis["seed"] if result["swaps"] is not None or result.get("collapsed") else None,
            level=basis["level"],
            swaps=result["swaps"],
            exact=result["exact"],
            runs=tuple(result["runs"]),
        )
        sizes = [f"{family} family of {many(row['tests'], 'test')}" for family, row in self._families().items()]
        return ", ".join([footing_line(footing), *sizes])


def is_prominent(row: Row) -> bool:
    """Return whether a row is tested or shows a headline score."""
    return bool(row["family"] or row["headline"])


def score_key(row: Row) -> str | None:
    """Return the score key of a row's score, such as "fair_f"; None if it has none."""
    return create(row["metric"]).score_by_name[row["score"]].key or None if row["metric"] in names() else None


def row_unit(row: Row) -> type[float]:
    """Return the type of a row's score in cells: `Percent` for a ratio."""
    return Percent if row["score_unit"] == "ratio" else float


def _values(row: Row) -> list[float | None]:
    return [value_cell(row[key], row_unit(row)) for key in ("baseline_value", "value", "difference")]


def _bounds(row: Row) -> Interval | None:
    # Only the flag distinguishes an unbounded interval from a missing one.
    bounds = interval(row["interval"], row_unit(row))
    return Interval(-math.inf, math.inf) if bounds is None and row.get("flag") == UNBOUNDED else bounds


def _score_title(row: Row) -> str:
    """Return the name of a row's score: the short one for a headline."""
    if row["headline"] and row["metric"] in names():  # only a registered metric can be made from its name
        return short_name(create(row["metric"]), row["score"])
    return _mark_direction(row, f"{row['metric']} {row['score']}")


def _mark_direction(row: Row, name: str) -> str:
    return name if row["higher_is_better"] else Cost(name)


def _section_name(name: str, number: int) -> str:
    return name if number == 0 else f"{name} {number + 1}"


def _runs_phrase(runs: Sequence[int]) -> str:
    """Return the numbers of training runs of the baseline and the system in words; "" with one each."""
    if max(runs) == 1:
        return ""
    few = few_runs(runs)
    return f", means of {runs[1]} and {many(runs[0], 'training run')}{few and f' ({few})'}"


def _changes_phrase(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Return how many gold spans a system fixes and breaks."""
    numbers = _changes(counts)
    return f"fixes {many(numbers['fixed'], 'gold span')}, breaks {numbers['broken']:,}"


def _changes(counts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    fixed = sum(row.get("correct", 0) for before, row in counts.items() if before != "correct")
    broken = sum(n for after, n in counts.get("correct", {}).items() if after != "correct")
    return {"fixed": fixed, "broken": broken}
