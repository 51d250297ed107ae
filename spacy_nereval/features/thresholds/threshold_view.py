"""The tables and sentences on the result of `thresholds`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ...core.declaration import Metric
from ...core.messages import join_names, many, shorten
from ...evaluation.tested import label_score
from ...io.writing import visible
from ...reporting.declared import score_groups, sentence_name, short_name
from ...reporting.figures import Figure, curve_figure
from ...reporting.remarks import cut_phrase, heading, name_in_sentence
from ...reporting.result_table import Cell, Cost, Cut, ResultTable, number_text
from ...reporting.score_tables import interval, percent, score_cell, unit_of, value_cell
from ...reporting.view import Figures, Finding, Makers, View

NAMED = 3
"""Maximum number of labels with cuts that a sentence names."""

CLOSE = 0.02
"""Scores with at most this mean gap are called close to the share of hits."""

CHOOSING: dict[str | None, str] = {
    None: "One threshold for all labels, the best for {score}",
    "own": "Each label has the threshold that is best for its own {score}",
    "micro": "Together the thresholds of the labels give the best {score} over all spans{local}",
}
UNFILTERED = "all kept"
"""The header of scores without a threshold."""
LOCAL = ", as far as changing one at a time shows"


class ThresholdView(View):
    """The tables and sentences on one system's cuts.

    If the cuts were applied to other documents, most tables and sentences are about those documents. Otherwise all are
    about the documents on which the cuts were chosen.

    Args:
        result: The result, or its JSON.
        metrics: The metrics.
        name: The name of the system; "" for a single system.
        applying: How to measure the cut on other documents, in words.
        notes: Further lines on the scored data.

    Attributes:
        last: The part of the result on the documents that the cuts were applied to, or else the result.
        where: The name of these documents in sentences.
    """

    at_terminal: ClassVar[Sequence[str]] = ("labels", "applied", "scores")
    usual: ClassVar[Sequence[str]] = at_terminal

    def __init__(
        self,
        result: Mapping[str, Any],
        metrics: Sequence[Metric],
        name: str = "",
        *,
        applying: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        self.result: Mapping[str, Any] = result
        self.name: str = name
        self._applying, self._notes = applying, notes
        self.best: Mapping[str, Any] = result["best"]
        self.applied: Mapping[str, Any] | None = result.get("applied")
        self.last: Mapping[str, Any] = self.applied or result
        metric, _, self._score = self.best["score"].partition(".")
        self._metrics = [candidate for candidate in metrics if candidate.name in result["metrics"]]
        (self._metric,) = (candidate for candidate in self._metrics if candidate.name == metric)
        self._unit = unit_of(self._metric, self._score)
        self.score_name: str = sentence_name(self._metric, self._score)
        self._chosen_on = f"the {many(result['documents'], 'development document')}"
        self.where: str = f"{many(self.applied['documents'], 'other document')}" if self.applied else self._chosen_on
        self._here, self._there = (f" on {where}" * bool(self.applied) for where in (self._chosen_on, self.where))

    # Tables

    @property
    def labels(self) -> list[str]:
        """The labels of all documents, those of most gold spans first."""
        rows: Mapping[str, Any] = self.result["per_type"] | self.last["per_type"]
        return sorted(rows, key=lambda label: (-rows[label]["gold"], label))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the scores that share a row with the one that cuts are chosen by, such as p, r and f."""
        names = [score.name for score in self._metric.scores if score.unit != "count"]
        return next(group.scores for group in score_groups(self._metric, names) if self._score in group.scores)

    @property
    def _headers(self) -> list[str]:
        return [*"PRF"] if len(self.columns) == 3 else [short_name(self._metric, name) for name in self.columns]

    def label_tables(self) -> Iterator[ResultTable]:
        """Yield the cut of each label, and its score with and without the cut."""
        metric, name = self._metric, label_score(self._metric, self._score).name
        label_rows = self._label_rows(self.last)
        rows = [
            [label, row["gold"], row["pred"], self._cut(row), *self._label_cells([name], row)]
            + [value_cell(row["no_cut"], unit_of(metric, name)), percent(row["ap"])]
            for label, row in label_rows
        ]
        short = short_name(metric, name)
        uncut = Cost(UNFILTERED) if isinstance(short, Cost) else UNFILTERED
        header = ["label", "gold", "predicted", "threshold", short, uncut, "AP"]
        yield self._table("Labels", header, rows, self._note, asks=[{"label": label} for label, _ in label_rows])

    def applied_tables(self) -> Iterator[ResultTable]:
        """Yield the headline scores of other documents with and without the cut."""
        if self.applied is None:
            return
        rows: list[list[Cell]] = []
        for metric, name, result in self._headlines(self.applied["metrics"]):
            without = value_cell(result["no_cut"][name], unit_of(metric, name))
            score = score_cell(metric, name, result["scores"], result["intervals"])
            rows.append([short_name(metric, name), score, without])
        yield self._table("Other documents", ["score", "filtered", UNFILTERED], rows)

    def score_tables(self) -> Iterator[ResultTable]:
        """Yield the headline scores: the best cut of each, and its value with and without that cut."""
        rows: list[list[Cell]] = []
        asks = []
        for metric, name, result in self._headlines(self.result["metrics"]):
            row, unit = result["scores"][name], unit_of(metric, name)
            values = [value_cell(row[key], unit) for key in ("value", "no_cut")]
            cut = None if row["value"] is None else Cut.create(row["cut"])
            rows.append([short_name(metric, name), cut, *values])
            asks.append({"score": f"{metric.name}.{name}"})
        header = ["score", "best threshold", "value", UNFILTERED]
        yield self._table("Best threshold of each score", header, rows, "where chosen", asks=asks)

    def worth_tables(self) -> Iterator[ResultTable]:
        """Yield the scores at the cuts and, for comparison, at the default cut, no cut, and the best common cut."""
        names = {
            "chosen": "chosen" if self.applied else "best",
            "usual": "usual",
            "none": "none",
            "best": "best common",
        }
        unknown = "; the best common threshold is unknown in practice" if self.applied else ""
        rows: list[list[Cell]] = []
        for key, row in self.last["worth"].items():
            cells = self._score_cells(row["scores"], self._bounds if key == "chosen" else {})
            rows.append([names[key], self._cut(row), row["kept"], *cells])
        header = ["choice", "threshold", "kept", *self._headers]
        yield self._table("Scores by threshold", header, rows, self._note + unknown)

    def label_score_tables(self) -> Iterator[ResultTable]:
        """Yield the scores at the cuts, of all labels together and of each label, on each set of documents."""
        parts = [("other", self.applied), ("where chosen", self.result)] if self.applied else [("", self.result)]
        rows: list[list[Cell]] = []
        asks = []
        for label in (None, *self.labels) if self.last["worth"] else ():
            for which, part in parts:
                if label is None or label in part["per_type"]:
                    documents = [which] if self.applied else []
                    rows.append([label or "all labels", *documents, *self._cut_cells(part, label)])
                    asks.append({"label": label or ""})
        header = ["label", *(["documents"] if self.applied else []), "threshold", "gold", "kept", *self._headers]
        yield self._table("Labels at the threshold", header, rows, asks=asks)

    def precision_tables(self) -> Iterator[ResultTable]:
        """Yield the average precision: of all labels together, the mean over labels, and of each label."""
        parts = [self.applied, self.result] if self.applied else [self.result]
        rows: list[list[Cell]] = [
            [name, *(percent(part["average_precision"][key]) for part in parts)]
            for name, key in (("all labels", "ap"), ("mean over labels", "map"))
        ]
        rows += [
            [label, *(percent(part["per_type"].get(label, {}).get("ap")) for part in parts)] for label in self.labels
        ]
        header = ["label", "AP", "AP where chosen"][: 1 + len(parts)]
        asks = [{"label": ""}, None, *({"label": label} for label in self.labels)]
        yield self._table("Average precision", header, rows, self._note, asks=asks)

    def calibration_tables(self) -> Iterator[ResultTable]:
        """Yield the bins of the scores with their numbers of predictions and shares of hits."""
        calibration = self.last["calibration"]
        rows: list[list[Cell]] = [
            [Cut(row["low"]), Cut(row["high"]), row["n"], *(percent(row[key]) for key in ("score", "hits", "gap"))]
            for row in calibration["bins"] or ()
        ]
        brier = "" if calibration["brier"] is None else f"Brier score {calibration['brier']:.4f}"
        header = ["from", "to", "predictions", "mean score", "hits", "gap"]
        yield self._table("Calibration", header, rows, "; ".join(filter(None, [self._note, brier])))

    def curve_tables(self) -> Iterator[ResultTable]:
        """Yield the headline scores at up to 400 cuts."""
        curves = self.result["curves"]
        headline_scores = self._headlines(curves["metrics"])
        columns = [(metric, name, values_by_name[name]) for metric, name, values_by_name in headline_scores]
        rows: list[list[Cell]] = [
            [
                Cut.create(cut),
                number_kept,
                *(value_cell(values[k], unit_of(metric, name)) for metric, name, values in columns),
            ]
            for k, (cut, number_kept) in enumerate(zip(curves["cuts"], curves["kept"]))
        ]
        header = ["threshold", "kept", *(short_name(metric, name) for metric, name, _ in columns)]
        yield self._table("Curves", header, rows, "where chosen" if self.applied else "")

    def _figure(self) -> Figure:
        """Return a figure of the main score at every cut, with precision and recall, and a line at the best cut."""
        curves = self.result["curves"]
        values = curves["metrics"][self._metric.name]
        lines = {
            name: [value_cell(value, self._unit) for value in values[score]]
            for name, score in sorted(zip(self._headers, self.columns), key=lambda column: column[1] != self._score)
        }
        cut = self.best["cut"] if not self.best["labels"] else None
        return curve_figure(curves["cuts"], lines, cut)

    figures: ClassVar[Figures] = {"curve": _figure}

    makers: ClassVar[Makers] = {
        "labels": label_tables,
        "applied": applied_tables,
        "scores": score_tables,
        "cuts": worth_tables,
        "label-scores": label_score_tables,
        "precision": precision_tables,
        "calibration": calibration_tables,
        "curves": curve_tables,
    }

    @property
    def _note(self) -> str:
        return self.where if self.applied else ""

    @property
    def _bounds(self) -> Mapping[str, Any]:
        """The intervals of the scores at the cuts, if there are any."""
        intervals: Mapping[str, Any] = self.applied["metrics"][self._metric.name]["intervals"] if self.applied else {}
        return intervals

    def _label_rows(self, part: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
        return [(label, part["per_type"][label]) for label in self.labels if label in part["per_type"]]

    def _headlines(self, by_metric: Mapping[str, Any]) -> Iterator[tuple[Metric, str, Any]]:
        """Yield the metric and the name of each headline score, and the metric's part of some results by metric."""
        for metric in self._metrics:
            for score in metric.headlines:
                yield metric, score.name, by_metric[metric.name]

    def _cut(self, row: Mapping[str, Any]) -> Cut | None:
        """Return the cut of a row; None if it has no cut, or one for each label."""
        return Cut.create(row["cut"]) if "cut" in row and not self.best["reason"] else None

    def _score_cells(self, scores: Mapping[str, Any], bounds: Mapping[str, Any]) -> list[Cell]:
        return [score_cell(self._metric, name, scores, bounds) for name in self.columns]

    def _label_cells(self, names: Sequence[str], row: Mapping[str, Any]) -> list[Cell]:
        """Return scores of a label; the score by which cuts are chosen has its interval, if there is one."""
        bounds = {row["score"]: row} if "low" in row else {}
        return [score_cell(self._metric, name, row["scores"], bounds) for name in names]

    def _cut_cells(self, part: Mapping[str, Any], label: str | None) -> list[Cell]:
        """Return the cut, the numbers of spans and the scores of a label; None for all labels."""
        row: Mapping[str, Any] = part["worth"]["chosen"] if label is None else part["per_type"][label]
        if label is None:
            gold, cells = part["gold"], self._score_cells(row["scores"], self._bounds if part is self.applied else {})
        else:
            names = [label_score(self._metric, name).name for name in self.columns]
            gold, cells = row["gold"], self._label_cells(names, row)
        return [self._cut(row), gold, row["kept"], *cells]

    def _table(
        self,
        title: str,
        header: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        note: str = "",
        asks: Sequence[Mapping[str, Any] | None] = (),
    ) -> ResultTable:
        title = f"{title} of {self.name}" if self.name else title
        return ResultTable(title, header, rows, note=note, asks=asks)

    # Sentences

    def findings(self, *, digits: int = 2) -> list[Finding]:
        """Return findings on the cut, the scores at it, and the ranking and calibration of predictions.

        Args:
            digits: Decimal places of scores.
        """
        sentences = {
            "headline": self._headline_sentence(digits),
            "gain": self._gain_sentence(),
            "others": self._other_cuts_sentence(digits),
            "chosen": self._origin_sentence(digits),
            "cuts": self._number_sentence(),
            "coverage": self._risk_sentence(digits),
            "curves": self._range_sentence(),
            "recall": self._precision_sentence(digits),
            "calibration": self._calibration_sentence(digits),
        }
        return [Finding(section, sentence) for section, sentence in sentences.items() if sentence]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the findings, then warnings and notes about the scores."""
        first, *more_findings = (finding.heading for finding in self.findings(digits=digits))
        start = f"{visible(self.name)}: " if self.name else ""
        return [f"{start}{first}", *more_findings, *self.warnings, *self.omissions]

    def closing(self) -> list[str]:
        """Return the numbers of documents and spans, and the signature of the result on other documents."""
        return [*self.footing, *([self.applied["signature"]] if self.applied else [])]

    @property
    def _parts(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The parts of the result, each with a phrase for its documents: "Chosen on" or "Applied to"."""
        return [("Chosen on", self.result), *([("Applied to", self.applied)] if self.applied else [])]

    def describe_documents(self, documents: Sequence[str]) -> str:
        """Return on which documents the cuts were chosen and to which they were applied, given the names of both."""
        first, *more = (f"{action} {name_in_sentence(name)}" for (action, _), name in zip(self._parts, documents))
        return ", ".join([first, *(f"{phrase[0].lower()}{phrase[1:]}" for phrase in more)])

    @property
    def choice_sentence(self) -> str:
        """How the cuts were chosen, in words."""
        local = LOCAL if self.best["exact"] is False else ""
        return CHOOSING[self.best["per_label"]].format(score=self.score_name, local=local)

    @property
    def hit_definition(self) -> str:
        """Which predictions are hits in average precision and calibration, in words."""
        hit = self.last["average_precision"]["hit"]
        if hit == "strict":
            return "A prediction is a hit if it is a gold span"
        return f"A prediction is a hit if it overlaps a free gold span of its label with an IoU of at least {hit:g}"

    @property
    def footing(self) -> list[str]:
        """The numbers of documents and spans, a line for each part of the result."""
        lines = []
        for action, part in self._parts:
            floor = "" if part["floor"] is None else f"; scores from {number_text(Cut(part['floor']))} up"
            lines.append(f"{visible(self.name)}: " * bool(self.name) + f"{action} {heading(part)}{floor}")
        return lines

    @property
    def warnings(self) -> list[str]:
        """Warnings and notes about the scores."""
        applied = self.applied or {"warnings": [], "unseen": []}
        lines = [*self.result["warnings"], *applied["warnings"]]
        if unseen := applied["unseen"]:
            lines.append(f"labels absent from the tuning documents use the common threshold: {join_names(unseen)}")
        return [*(f"⚠ {line}" for line in lines), *self._notes]

    def _headline_sentence(self, digits: int) -> str:
        if self.best["reason"]:
            return f"no best threshold: {self.best['reason']}"
        if self.applied is None:
            return f"{self._cuts_phrase()}, on {self.where}: {self._contrast(self.best, self.best['no_cut'], digits)}"
        gain, without = self.applied["gain"] or {}, self.applied["no_cut"]["value"]
        return f"{self._cuts_phrase()}, on {self.where}: {self._contrast(self.applied, without, digits, gain)}"

    def _cuts_phrase(self) -> str:
        cuts = {label: self.best["labels"][label] for label in self.labels if label in self.best["labels"]}
        finite = [cut for cut in cuts.values() if cut is not None]
        local = "" if self.best["exact"] else " (local)"
        if not cuts:
            return "keep none" if self.best["cut"] is None else f"threshold {number_text(Cut(self.best['cut']))}"
        if len(cuts) > NAMED:
            between = f" from {number_text(Cut(min(finite)))} to {number_text(Cut(max(finite)))}" if finite else ""
            return f"thresholds of {many(len(cuts), 'label')}{between}{local}"
        named = [f"{number_text(Cut(cut))} for {shorten(label)}" for label, cut in cuts.items() if cut is not None]
        none = [shorten(label) for label, cut in cuts.items() if cut is None]
        threshold = "threshold" if len(named) == 1 else "thresholds"
        parts = [f"{threshold} {' and '.join(named)}"] * bool(named)
        parts += [f"keep none of {' and '.join(none)}"] * bool(none)
        return f"{', '.join(parts)}{local}"

    def _contrast(
        self, row: Mapping[str, Any], without: float | None, digits: int, gain: Mapping[str, Any] | None = None
    ) -> str:
        """Return a phrase with the value of a row, its interval if it has one, and the value without a cut."""
        value = row["value"]
        cell = score_cell(self._metric, self._score, {self._score: value}, {self._score: row} if "low" in row else {})
        unfiltered = f"{self._value_text(without, digits)} without a threshold"
        text = f"{self.score_name} {number_text(cell, digits)}, against {unfiltered}"
        if value is None or without is None:
            return text
        gap, bounds = self._unit(value - without), interval(gain, self._unit) if gain else None
        between = "" if bounds is None else f" {number_text(bounds, digits)}"
        return f"{text} ({'+' if gap >= 0 else ''}{number_text(gap, digits)}{between})"

    def _value_text(self, value: float | None, digits: int) -> str:
        return number_text(value_cell(value, self._unit), digits)

    def _origin_sentence(self, digits: int) -> str:
        if self.best["reason"]:
            return ""
        if self.applied is None:
            how = f" with {self._applying}" if self._applying else ""
            return f"expect a smaller gain on other documents: measure it there{how}"
        return f"on {self._chosen_on}: {self._contrast(self.best, self.best['no_cut'], digits)}"

    def _gain_sentence(self) -> str:
        verdict = ((self.applied or {}).get("gain") or {}).get("verdict")
        return f"threshold against no threshold: {verdict}" if verdict else ""

    def _other_cuts_sentence(self, digits: int) -> str:
        worth, parts = self.last["worth"], []
        if "usual" in worth:
            value = self._value_text(worth["usual"]["scores"][self._score], digits)
            parts.append(f"a threshold of {number_text(Cut(worth['usual']['cut']))} would give {value}")
        if "best" in worth:
            cut, value = self._cut(worth["best"]), self._value_text(worth["best"]["scores"][self._score], digits)
            verb = ", which is not available in practice, would give" if self.applied else ", gives"
            parts.append(f"the best common threshold, {number_text(cut)}{verb} {value}")
        there = f"on {self.where} " * bool(self.applied)
        return f"{there}{', and '.join(parts)}" if parts else ""

    def _number_sentence(self) -> str:
        worth = self.last["worth"]
        if not worth:
            return ""
        return f"{cut_phrase(worth['chosen']['kept'], self.last['pred'])}{self._there}"

    def _risk_sentence(self, digits: int) -> str:
        worth, hits = self.last["worth"], (self.applied or self.best)["hits"]
        if not worth:
            return ""
        number_kept, area = worth["chosen"]["kept"], self.last["risk_coverage"]["aurc"]
        if not number_kept:
            return f"no prediction is kept{self._there}"
        wrong = number_text(percent(number_kept - hits, number_kept), digits)
        return f"{wrong} % of the predictions kept{self._there} are wrong (AURC {area:.4f})"

    def _range_sentence(self) -> str:
        near = self.best["near"]
        if self.best["reason"]:
            return ""
        if near is None:
            return f"{self.score_name} is best where nothing is kept"
        low, high = (number_text(Cut(near[key])) for key in ("low", "high"))
        if low == high:
            return f"{self.score_name} is best at {low}{self._here}, and falls on both sides"
        return f"{self.score_name} is within 1 point of its best from {low} to {high}{self._here}"

    def _precision_sentence(self, digits: int) -> str:
        precision = self.last["average_precision"]
        if precision["reason"]:
            return f"average precision is not known{self._there}: {precision['reason']}"
        hits = "strict hits" if precision["hit"] == "strict" else f"hits with IoU ≥ {precision['hit']:g}"
        per_label = [(row["ap"], label) for label, row in self._label_rows(self.last) if row["ap"] is not None]
        lowest, label = min(per_label, key=lambda row: row[0])
        sentence = f"average precision is {number_text(percent(precision['ap']), digits)}{self._there} ({hits})"
        if len(per_label) == 1:
            return sentence
        mean, least = (number_text(percent(value), digits) for value in (precision["map"], lowest))
        return f"{sentence}, mean over labels {mean}, lowest {least} for {shorten(label)}"

    def _calibration_sentence(self, digits: int) -> str:
        calibration = self.last["calibration"]
        if calibration["reason"]:
            return f"calibration is not known{self._there}: {calibration['reason']}"
        if calibration["ece"] <= CLOSE:
            verdict = "close to the share of hits"
        elif abs(calibration["bias"]) < CLOSE:
            verdict = "too high and too low"
        else:
            verdict = "too low" if calibration["bias"] > 0 else "too high"
        gaps = calibration["ece"], abs(calibration["largest_gap"])
        mean, largest = (number_text(percent(gap), digits) for gap in gaps)
        distance = f"{mean} points off the share of hits on average (ECE), at most {largest}"
        return f"scores are {verdict}{self._there}: {distance}"
