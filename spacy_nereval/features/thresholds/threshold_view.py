"""What people see of the result of `nereval thresholds`: its tables and its sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ...core.declaration import Metric
from ...core.messages import join_names, shorten
from ...evaluation.tested import label_score
from ...io.writing import visible
from ...reporting.declared import groups, short_name, spoken
from ...reporting.remarks import heading, in_sentence, kept_words, many
from ...reporting.result_table import Cell, Cost, Cut, Percent, ResultTable, shown
from ...reporting.score_tables import interval, number, percent, score_cell, unit_of
from ...reporting.view import Finding, Makers, View

NAMED = 3
"""Maximum number of labels whose cuts a sentence names."""

CLOSE = 0.02
"""The mean gap up to which scores are called calibrated."""

CHOOSING: dict[str | None, str] = {
    None: "One cut for all labels, the best for {score}",
    "own": "Each label has the cut that is best for its own {score}",
    "micro": "The cuts of the labels are together the best for {score} of all spans{local}",
}
LOCAL = ", as far as changing one at a time shows"


class ThresholdView(View):
    """The tables and sentences of one system's cuts.

    What stands under "other documents" is about the documents that the cuts were applied to; if there are
    none, everything is about those that they were chosen on.

    Args:
        result: The result, as its JSON has it.
        metrics: What was scored.
        name: The name of the system; "" if there is one only.
        applying: How to measure the cut on other documents.
        notes: Further lines on what was scored.

    Attributes:
        last: The part of the result that is about the documents that the cuts were applied to, if they were applied.
        where: What these documents are called in sentences.
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
        self._metrics = [each for each in metrics if each.name in result["metrics"]]
        (self._metric,) = (each for each in self._metrics if each.name == metric)
        self._unit = unit_of(self._metric, self._score)
        self.what: str = spoken(self._metric, self._score)
        self._chosen_on = f"the {many(result['documents'], 'document')} it was chosen on"
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
        return next(group.scores for group in groups(self._metric, names) if self._score in group.scores)

    @property
    def _heads(self) -> list[str]:
        return [*"PRF"] if len(self.columns) == 3 else [short_name(self._metric, name) for name in self.columns]

    def label_tables(self) -> Iterator[ResultTable]:
        """Yield the cut of each label, and its score with and without the cut."""
        metric, name = self._metric, label_score(self._metric, self._score).name
        found = self._of_labels(self.last)
        rows = [
            [label, row["gold"], row["pred"], self._cut(row), *self._label_cells([name], row)]
            + [number(row["no_cut"], unit_of(metric, name)), percent(row["ap"])]
            for label, row in found
        ]
        short = short_name(metric, name)
        uncut = Cost("uncut") if isinstance(short, Cost) else "uncut"
        header = ["label", "gold", "predicted", "cut", short, uncut, "AP"]
        yield self._table("Labels", header, rows, self._note, asks=[{"label": label} for label, _ in found])

    def applied_tables(self) -> Iterator[ResultTable]:
        """Yield the headline scores of other documents with and without the cut."""
        if self.applied is None:
            return
        rows: list[list[Cell]] = []
        for metric, name, own in self._headlines(self.applied["metrics"]):
            without = number(own["no_cut"][name], unit_of(metric, name))
            rows.append([short_name(metric, name), score_cell(metric, name, own["scores"], own["intervals"]), without])
        yield self._table("Other documents", ["score", "at the cut", "uncut"], rows)

    def score_tables(self) -> Iterator[ResultTable]:
        """Yield the headline scores: the best cut of each, and its value with and without that cut."""
        rows: list[list[Cell]] = []
        asks = []
        for metric, name, own in self._headlines(self.result["metrics"]):
            row, unit = own["scores"][name], unit_of(metric, name)
            values = [number(row[key], unit) for key in ("value", "no_cut")]
            cut = None if row["value"] is None else Cut.of(row["cut"])
            rows.append([short_name(metric, name), cut, *values])
            asks.append({"score": f"{metric.name}.{name}"})
        header = ["score", "best cut", "value", "uncut"]
        yield self._table("Best cut of each score", header, rows, "where chosen", asks=asks)

    def worth_tables(self) -> Iterator[ResultTable]:
        """Yield what the cuts are worth beside other cuts: the usual one, none, and the best common one."""
        names = {
            "chosen": f"the {'chosen' if self.applied else 'best'} cut{'s' * bool(self.best['labels'])}",
            "usual": "the usual cut",
            "none": "no cut",
            "best": "the best common cut",
        }
        unknown = "; the best common cut is not known in practice" if self.applied else ""
        rows: list[list[Cell]] = []
        for key, row in self.last["worth"].items():
            cells = self._cells(row["scores"], self._bounds if key == "chosen" else {})
            rows.append([names[key], self._cut(row), row["kept"], *cells])
        yield self._table("What cuts are worth", ["which cut", "cut", "kept", *self._heads], rows, self._note + unknown)

    def label_score_tables(self) -> Iterator[ResultTable]:
        """Yield the scores at the cuts, of all labels together and of each, on each set of documents."""
        parts = [("other", self.applied), ("where chosen", self.result)] if self.applied else [("", self.result)]
        rows: list[list[Cell]] = []
        asks = []
        for label in (None, *self.labels) if self.last["worth"] else ():
            for which, part in parts:
                if label is None or label in part["per_type"]:
                    documents = [which] if self.applied else []
                    rows.append([label or "all labels", *documents, *self._at_cut(part, label)])
                    asks.append({"label": label or ""})
        header = ["label", *(["documents"] if self.applied else []), "cut", "gold", "kept", *self._heads]
        yield self._table("Labels at the cut", header, rows, asks=asks)

    def precision_tables(self) -> Iterator[ResultTable]:
        """Yield the average precision of all labels together, the mean over labels, and that of each label."""
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
        """Yield the bins of the scores: how many predictions each has, and how many of them are hits."""
        found = self.last["calibration"]
        rows: list[list[Cell]] = [
            [Cut(row["low"]), Cut(row["high"]), row["n"], *(percent(row[key]) for key in ("score", "hits", "gap"))]
            for row in found["bins"] or ()
        ]
        brier = "" if found["brier"] is None else f"Brier score {found['brier']:.4f}"
        header = ["from", "to", "predictions", "mean score", "hits", "gap"]
        yield self._table("Calibration", header, rows, "; ".join(filter(None, [self._note, brier])))

    def curve_tables(self) -> Iterator[ResultTable]:
        """Yield the headline scores at up to 400 cuts."""
        curves = self.result["curves"]
        found = [(metric, name, own[name]) for metric, name, own in self._headlines(curves["metrics"])]
        rows: list[list[Cell]] = [
            [Cut.of(cut), kept, *(number(values[k], unit_of(metric, name)) for metric, name, values in found)]
            for k, (cut, kept) in enumerate(zip(curves["cuts"], curves["kept"]))
        ]
        header = ["cut", "kept", *(short_name(metric, name) for metric, name, _ in found)]
        yield self._table("Curves", header, rows, "where chosen" if self.applied else "")

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
        found: Mapping[str, Any] = self.applied["metrics"][self._metric.name]["intervals"] if self.applied else {}
        return found

    def _of_labels(self, part: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
        return [(label, part["per_type"][label]) for label in self.labels if label in part["per_type"]]

    def _headlines(self, own: Mapping[str, Any]) -> Iterator[tuple[Metric, str, Any]]:
        """Yield each headline score with what a part of the result has for its metric."""
        for metric in self._metrics:
            for score in metric.headlines:
                yield metric, score.name, own[metric.name]

    def _cut(self, row: Mapping[str, Any]) -> Cut | None:
        """Return the cut of a row; None if it has no cut, or one for each label."""
        return Cut.of(row["cut"]) if "cut" in row and not self.best["reason"] else None

    def _cells(self, scores: Mapping[str, Any], bounds: Mapping[str, Any]) -> list[Cell]:
        return [score_cell(self._metric, name, scores, bounds) for name in self.columns]

    def _label_cells(self, names: Sequence[str], row: Mapping[str, Any]) -> list[Cell]:
        """Return scores of a label; that which cuts are chosen by has its interval, if there is one."""
        bounds = {row["score"]: row} if "low" in row else {}
        return [score_cell(self._metric, name, row["scores"], bounds) for name in names]

    def _at_cut(self, part: Mapping[str, Any], label: str | None) -> list[Cell]:
        """Return the cut, numbers of spans and the scores of a label, None for all of them."""
        row: Mapping[str, Any] = part["worth"]["chosen"] if label is None else part["per_type"][label]
        if label is None:
            gold, cells = part["gold"], self._cells(row["scores"], self._bounds if part is self.applied else {})
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
        """Return what the result shows: the cut, what it is worth, and how good the scores are.

        Args:
            digits: Decimal places of scores.
        """
        sentences = {
            "headline": self._headline(digits),
            "gain": self._gain(),
            "others": self._others(digits),
            "chosen": self._chosen(digits),
            "cuts": self._kept(),
            "coverage": self._coverage(digits),
            "curves": self._near(),
            "recall": self._precision(digits),
            "calibration": self._calibration(digits),
        }
        return [Finding(section, sentence) for section, sentence in sentences.items() if sentence]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the findings, and then what a reader has to know about the scores."""
        first, *others = (found.heading for found in self.findings(digits=digits))
        return [f"{visible(self.name)}: {first}" if self.name else first, *others, *self.warnings, *self.left_out]

    def closing(self) -> list[str]:
        """Return how many documents and spans the numbers rest on, and the signature of those of other documents."""
        return [*self.footing, *([self.applied["signature"]] if self.applied else [])]

    @property
    def _parts(self) -> list[tuple[str, Mapping[str, Any]]]:
        """What was done on the documents of each part of the result, and the part."""
        return [("Chosen on", self.result), *([("Applied to", self.applied)] if self.applied else [])]

    def named(self, documents: Sequence[str]) -> str:
        """Return on which documents the cuts were chosen, and to which they were applied.

        Args:
            documents: The names of the ones and of the others.
        """
        first, *others = (f"{done} {in_sentence(name)}" for (done, _), name in zip(self._parts, documents))
        return ", ".join([first, *(f"{other[0].lower()}{other[1:]}" for other in others)])

    @property
    def choosing(self) -> str:
        """How the cuts were chosen."""
        local = LOCAL if self.best["exact"] is False else ""
        return CHOOSING[self.best["per_label"]].format(score=self.what, local=local)

    @property
    def hits(self) -> str:
        """Which predictions are hits, for average precision and calibration."""
        hit = self.last["average_precision"]["hit"]
        if hit == "strict":
            return "A prediction is a hit if it is a gold span"
        return f"A prediction is a hit if it overlaps a free gold span of its label with an IoU of at least {hit:g}"

    @property
    def footing(self) -> list[str]:
        """How many documents and spans the numbers rest on."""
        lines = []
        for done, part in self._parts:
            floor = "" if part["floor"] is None else f"; scores from {shown(Cut(part['floor']))} up"
            lines.append(f"{visible(self.name)}: " * bool(self.name) + f"{done} {heading(part)}{floor}")
        return lines

    @property
    def warnings(self) -> list[str]:
        """What a reader has to know about the scores."""
        applied = self.applied or {"warnings": [], "unseen": []}
        lines = [*self.result["warnings"], *applied["warnings"]]
        if unseen := applied["unseen"]:
            lines.append(f"not seen where the cut was chosen, so that they have the common one: {join_names(unseen)}")
        return [*(f"⚠ {line}" for line in lines), *self._notes]

    def _headline(self, digits: int) -> str:
        if self.best["reason"]:
            return f"no best cut: {self.best['reason']}"
        if self.applied is None:
            return f"{self._cuts_in_words()}, on {self.where}: {self._against(self.best, self.best['no_cut'], digits)}"
        gain, without = self.applied["gain"] or {}, self.applied["no_cut"]["value"]
        return f"{self._cuts_in_words()}, on {self.where}: {self._against(self.applied, without, digits, gain)}"

    def _cuts_in_words(self) -> str:
        cuts = {label: self.best["labels"][label] for label in self.labels if label in self.best["labels"]}
        known = [cut for cut in cuts.values() if cut is not None]
        local = "" if self.best["exact"] else " (local)"
        if not cuts:
            return "keep none" if self.best["cut"] is None else f"cut at {shown(Cut(self.best['cut']))}"
        if len(cuts) > NAMED:
            between = f" from {shown(Cut(min(known)))} to {shown(Cut(max(known)))}" if known else ""
            return f"cuts of {many(len(cuts), 'label')}{between}{local}"
        named = [f"{shorten(label)} at {shown(Cut(cut))}" for label, cut in cuts.items() if cut is not None]
        none = [shorten(label) for label, cut in cuts.items() if cut is None]
        parts = [f"cut {' and '.join(named)}"] * bool(named) + [f"keep none of {' and '.join(none)}"] * bool(none)
        return f"{', '.join(parts)}{local}"

    def _against(
        self, row: Mapping[str, Any], without: float | None, digits: int, gain: Mapping[str, Any] | None = None
    ) -> str:
        """Return the value of a row, with its interval if it has one, beside that without a cut."""
        value = row["value"]
        cell = score_cell(self._metric, self._score, {self._score: value}, {self._score: row} if "low" in row else {})
        said = f"{self.what} {shown(cell, digits)}, against {self._shown(without, digits)} uncut"
        if value is None or without is None:
            return said
        gap, bounds = self._unit(value - without), interval(gain, self._unit) if gain else None
        between = "" if bounds is None else f" {shown(bounds, digits)}"
        return f"{said} ({'+' if gap >= 0 else ''}{shown(gap, digits)}{between})"

    def _shown(self, value: float | None, digits: int) -> str:
        return shown(number(value, self._unit), digits)

    def _chosen(self, digits: int) -> str:
        if self.best["reason"]:
            return ""
        if self.applied is None:
            how = f" with {self._applying}" if self._applying else ""
            return f"on other documents it is worth less: measure it there{how}"
        return f"on {self._chosen_on}: {self._against(self.best, self.best['no_cut'], digits)}"

    def _gain(self) -> str:
        verdict = ((self.applied or {}).get("gain") or {}).get("verdict")
        return f"the cut against no cut: {verdict}" if verdict else ""

    def _others(self, digits: int) -> str:
        worth, parts = self.last["worth"], []
        if "usual" in worth:
            value = self._shown(worth["usual"]["scores"][self._score], digits)
            parts.append(f"a cut of {shown(Cut(worth['usual']['cut']))} would give {value}")
        if "best" in worth:
            cut, value = self._cut(worth["best"]), self._shown(worth["best"]["scores"][self._score], digits)
            known = ", which is not available in practice, would give" if self.applied else " gives"
            parts.append(f"the best common cut, {shown(cut)}{known} {value}")
        there = f"on {self.where} " * bool(self.applied)
        return f"{there}{', and '.join(parts)}" if parts else ""

    def _kept(self) -> str:
        worth = self.last["worth"]
        if not worth:
            return ""
        return f"{kept_words(worth['chosen']['kept'], self.last['pred'])}{self._there}"

    def _coverage(self, digits: int) -> str:
        worth, right = self.last["worth"], (self.applied or self.best)["hits"]
        if not worth:
            return ""
        kept, area = worth["chosen"]["kept"], self.last["risk_coverage"]["aurc"]
        if not kept:
            return f"no prediction is kept{self._there}"
        return (
            f"{shown(percent(kept - right, kept), digits)} % of the predictions kept{self._there} are wrong "
            f"(AURC {area:.4f})"
        )

    def _near(self) -> str:
        near = self.best["near"]
        if self.best["reason"]:
            return ""
        if near is None:
            return f"{self.what} is best where nothing is kept"
        low, high = (shown(Cut(near[key])) for key in ("low", "high"))
        if low == high:
            return f"{self.what} is best at {low}{self._here}, and falls on both sides"
        return f"{self.what} is within 1 point of its best from {low} to {high}{self._here}"

    def _precision(self, digits: int) -> str:
        found = self.last["average_precision"]
        if found["reason"]:
            return f"average precision is not known{self._there}: {found['reason']}"
        hits = "strict hits" if found["hit"] == "strict" else f"hits with IoU ≥ {found['hit']:g}"
        known = [(row["ap"], label) for label, row in self._of_labels(self.last) if row["ap"] is not None]
        lowest, label = min(known, key=lambda each: each[0])
        said = f"average precision is {shown(percent(found['ap']), digits)}{self._there} ({hits})"
        if len(known) == 1:
            return said
        mean = shown(percent(found["map"]), digits)
        return f"{said}, mean over labels {mean}, lowest {shown(percent(lowest), digits)} for {shorten(label)}"

    def _calibration(self, digits: int) -> str:
        found = self.last["calibration"]
        if found["reason"]:
            return f"calibration is not known{self._there}: {found['reason']}"
        if found["ece"] <= CLOSE:
            said = "close to the share of hits"
        elif abs(found["bias"]) < CLOSE:
            said = "too high and too low"
        else:
            said = "too low" if found["bias"] > 0 else "too high"
        gap = Percent(abs(found["largest_gap"]))
        return (
            f"scores are {said}{self._there}: {shown(percent(found['ece']), digits)} points off the share of hits "
            f"on average (ECE), at most {shown(gap, digits)}"
        )
