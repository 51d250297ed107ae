"""The agreement of annotators as people see it: tables, findings, and the lines around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ...core.declaration import Metric
from ...core.messages import shorten
from ...evaluation.bounds import FEW
from ...evaluation.conclusion import unit_name
from ...io.writing import visible
from ...reporting.declared import directed, groups, headlines, short_name, spoken
from ...reporting.marked_text import clipped
from ...reporting.remarks import interval_lines, many, mention_lines, on_reading
from ...reporting.result_table import EMPTY, Cell, Estimate, Percent, ResultTable, direction, shown
from ...reporting.score_tables import MOST, interval, number, percent, score_cell, unit_of
from ...reporting.view import Finding, Makers, View
from .difference_words import difference_words, in_columns, names, rule_words
from .shared_documents import OF_ANNOTATION, OF_WHITE_SPACE

MOST_SHOWN = 5
"""Maximum number of rows of the lists of differences and disputes that people see at a terminal."""

MOST_NAMED = 3
"""Maximum number of systematic differences that sentences before the tables name."""

MOST_ASKED = 60
"""Maximum number of differences of each list that a page shows and that can be chosen there."""

UNIT_NAMES = {"token": "tokens", "char": "characters"}
CHANCE = {
    ("units", "alpha"): "alpha: label or nothing",
    ("units", "alpha_detect"): "alpha: something or nothing",
    ("units", "alpha_label"): "alpha: which label, where marked",
    ("units", "kappa"): "Cohen's kappa, mean of pairs",
    ("units", "fleiss"): "Fleiss' kappa",
    ("units", "observed"): "observed agreement",
    ("u_alpha", "u_alpha"): "unitising alpha",
    ("u_alpha", "u_binary"): "unitising alpha, labels made one",
    ("u_alpha", "cu_alpha"): "unitising alpha of labels, where marked",
}
"""Measures that are corrected for chance, and observed agreement: the place of each in the result, and its name."""

ABOUT = {
    ("units", "alpha"): "Krippendorff's alpha: whether {unit} are marked, and with which label, beyond chance.",
    ("units", "alpha_detect"): "Whether one of the {unit} is marked at all, whatever its label.",
    ("units", "alpha_label"): "Given that both mark one of the {unit}, whether they give it the same label.",
    ("units", "kappa"): "Close to alpha, for two annotators at a time.",
    ("units", "fleiss"): "For several annotators. Defined if all of them annotated every document.",
    ("units", "observed"): "The share of {unit} on which two annotators agree, chance included. High wherever most "
    "{unit} are unmarked.",
    ("u_alpha", "u_alpha"): "Alpha on whole spans: where they begin and end, and their labels.",
    ("u_alpha", "u_binary"): "The same, all labels taken as one.",
    ("u_alpha", "cu_alpha"): "The same for labels alone, where spans of two annotators meet.",
}
"""How to read them."""

SUMMARISED = ("mean", "sd", "min", "max", "pooled")
NO_RULE = "no difference between annotators clearly goes one way"

Rows = list[list[Cell]]


class AgreementView(View):
    """The tables and sentences of a result.

    Args:
        result: What `AgreementCounts.result` returns.
        metrics: The metrics.
        main: The result with the intervals of the main numbers at least, for the opening and closing lines; by default
            the result.
        remarks: Further lines before the tables.
    """

    def __init__(
        self,
        result: Mapping[str, Any],
        metrics: Sequence[Metric],
        *,
        main: Mapping[str, Any] | None = None,
        remarks: Iterable[str] = (),
    ) -> None:
        self.result = result
        self.metrics = metrics
        self.metric: Metric = metrics[0]
        self.score: str = headlines(self.metric, [score.name for score in self.metric.scores])[0]
        self._main = main or result
        self._remarks = [*remarks]

    def tables(self, wanted: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
        """Yield tables, with all their rows if all tables are wanted; otherwise see `View.tables`."""
        given = [*wanted]
        for table in super().tables(given, digits=digits):
            yield table._replace(most=None) if {*given} >= {*self.makers} else table

    # Sentences

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return how far annotators agree and what they differ in most, then what was compared."""
        first = f"{self.measured(digits)}; {self._headline().sentence}."
        second = self.compared() + (f"; more: {more}" if more else "")
        return [visible(line) for line in [first, *self.further(digits), second, *self.remarks]]

    @property
    def remarks(self) -> list[str]:
        """How mentions were looked for, further lines on what was compared, and which metrics are left out."""
        return [*mention_lines(self.result.get("mentions", {})), *self._remarks, *self.left_out]

    def further(self, digits: int = 2) -> list[str]:
        """Return the systematic differences after the largest, the first few; a rule for each that would settle it; and
        what other annotators may change."""
        clear = [row for row in self.result["differences"] if row["clear"]][:MOST_NAMED]
        lines = [f"Next: {difference_words(row)}." for row in clear[1:]]
        lines += [f"Rule{f' {number}' * (len(clear) > 1)}: {rule_words(row)}." for number, row in enumerate(clear, 1)]
        return [*lines, *self._of_other_annotators(digits)]

    def _of_other_annotators(self, digits: int) -> Iterator[str]:
        """Yield how far the main numbers change without one of three or more annotators."""
        without = self.result["without"]
        scores = {name: found["metrics"][self.metric.name][self.score] for name, found in without.items()}
        known = sorted((value, name) for name, value in scores.items() if value is not None)
        if not known:
            return
        low, high = (
            f"{shown(self._cell(value), digits)} (without {names([name])})" for value, name in (known[0], known[-1])
        )
        alphas = [found["units"]["alpha"] for found in without.values() if found["units"]["alpha"] is not None]
        alpha = f", alpha {shown(min(alphas), digits)} to {shown(max(alphas), digits)}" if alphas else ""
        yield (
            f"With one annotator left out, {spoken(self.metric, self.score)} is {low} to {high}{alpha}; other "
            "annotators may change as much, and no interval says so."
        )

    def measured(self, digits: int = 2) -> str:
        """Return how far annotators agree: the mean of the main score over pairs, and alpha."""
        mean = self.result["metrics"][self.metric.name][self.score]
        bounds = _at(self._main, "intervals", "metrics", self.metric.name, self.score)
        among = ""
        if mean["pairs"] > 1:
            low, high = (shown(self._cell(mean[key]), digits) for key in ("min", "max"))
            among = f" (mean of {mean['pairs']} pairs, {low} to {high})"
        alpha = _coefficient(self._main, "units", "alpha")
        return (
            f"{names(self.result['annotators'])}: {spoken(self.metric, self.score)} "
            f"{shown(self._cell(mean['mean'], bounds.get('mean')), digits)}{among}, alpha {shown(alpha, digits)} on "
            f"{UNIT_NAMES[self.result['units']['unit']]}"
        )

    def compared(self) -> str:
        """Return what was compared: documents and spans, and what was changed or left out on reading."""
        result = self.result
        read = [f"{many(result['documents'], 'document')} annotated by two or more"]
        read += [f"{many(result['single'], 'document')} by one alone left out"] * bool(result["single"])
        read += [f"{many(result['unannotated'], 'document')} by nobody left out"] * bool(result["unannotated"])
        read += self._tokens()
        return ", ".join([*read, f"spans: {_numbers(result['spans'])}", *on_reading(result)])

    def _tokens(self) -> Iterator[str]:
        """Yield what tokens are if the annotators have none and the numbers depend on them."""
        if self.result["units"]["unit"] != "token" and not any(metric.tokens for metric in self.metrics):
            return
        for kind, documents in self.result["tokens"].items():
            if kind != OF_ANNOTATION:
                words = "words between white space"
                of = words if kind == OF_WHITE_SPACE else kind.replace("spacy-", "those of spaCy for ")
                some = documents < self.result["documents"]
                yield f"tokens: {of}" + f" in {many(documents, 'document')}" * some

    def closing(self) -> list[str]:
        """Return why numbers are undefined, what the intervals rest on, and warnings."""
        reasons = dict.fromkeys(
            self.result[group]["reason"] for group in ("units", "u_alpha") if "reason" in self.result[group]
        )
        return [visible(f"ℹ {reason}.") for reason in reasons] + self.warnings()

    def warnings(self) -> list[str]:
        """Return what the intervals rest on if it was chosen automatically, and a warning if it is too little."""
        drawn = self._main.get("confidence")
        if not drawn:
            return []
        return interval_lines(drawn, chosen=False)  # there, `unit` is what alpha is computed on

    @property
    def bounds(self) -> str:
        """How wide intervals are, and over what; "" if there are none."""
        drawn = self.result.get("confidence")
        return f"In brackets: {100 * drawn['level']:g} % intervals over {unit_name(drawn['unit'])}s" if drawn else ""

    def measures(self) -> Iterator[tuple[str, str]]:
        """Yield each measure of the table of alphas and kappas with how to read it, or why it is undefined."""
        unit = UNIT_NAMES[self.result["units"]["unit"]]
        for (group, name), title in CHANCE.items():
            why = self.result[group].get("reason") if self.result[group][name] is None else None
            yield title, f"Undefined: {why}." if why else ABOUT[group, name].format(unit=unit)

    def findings(self) -> list[Finding]:
        """Return the largest difference, then what each table shows."""
        return [
            self._headline(),
            self._of_differences(),
            self._of_pairs(),
            self._of_chance(),
            self._of_labels(),
            self._of_annotators(),
            *self._of_documents(),
        ]

    def _headline(self) -> Finding:
        if not self.result["disputes"]["spans"]:
            return Finding("headline", "no span is disputed")
        row = next((row for row in self.result["differences"] if row["clear"]), None)
        if row is None:
            return Finding("headline", NO_RULE)
        return Finding("headline", f"the largest systematic difference: {difference_words(row)}", _documents([row]))

    def _of_differences(self) -> Finding:
        rows = self.result["differences"]
        clear = sum(row["clear"] for row in rows)
        goes = "goes" if clear == 1 else "go"
        sentence = (
            f"{clear} of {many(len(rows), 'difference')} that repeat{'s' * (len(rows) == 1)} clearly {goes} one way"
        )
        return Finding("differences", sentence if rows else "no difference repeats", _documents(rows))

    def _of_pairs(self) -> Finding:
        values = ((self._score_of(pair), (pair["a"], pair["b"])) for pair in self.result["pairs"])
        known = sorted((value, pair) for value, pair in values if value is not None)
        if len(known) < 2:
            mean = shown(self._cell(known[0][0] if known else None))
            sentence = f"{spoken(self.metric, self.score)} of {names(self.result['annotators'])} is {mean}"
            return Finding("pairs", sentence)
        pair = known[0 if self.metric.score_by_name[self.score].higher_is_better else -1][1]
        both = [row["document"] for row in self.result["disputes"]["documents"] if {*pair} <= {*row["annotators"]}]
        return Finding("pairs", f"the two who agree least are {names(pair)}", both)

    def _of_chance(self) -> Finding:
        alpha = self.result["units"]["alpha"]
        sentence = "alpha is not defined" if alpha is None else f"beyond chance, alpha is {shown(alpha)}"
        return Finding("chance", sentence)

    def _of_labels(self) -> Finding:
        label = next((row["label"] for row in self.result["disputes"]["labels"] if row["disputes"]), None)
        if label is None:
            return Finding("labels", "no label is disputed")
        found = (row["document"] for row in self.result["disputes"]["spans"] if row["label"] == label)
        return Finding(
            "labels", f"the label disputed most is {label if label.strip() else EMPTY}", [*dict.fromkeys(found)]
        )

    def _of_annotators(self) -> Finding:
        against = {name: f for name, f in self.result["consensus"]["against"].items() if f is not None}
        if len(against) < 2:
            return Finding("annotators", f"spans: {_numbers(self.result['spans'])}")
        name = min(against, key=lambda name: against[name])
        rows = self.result["disputes"]["documents"]
        own = [row["document"] for row in rows if name in row["annotators"] and len(row["annotators"]) > 2]
        return Finding("annotators", f"the annotator farthest from the others is {names([name])}", own)

    def _of_documents(self) -> Iterator[Finding]:
        rows = [row for row in self.result["disputes"]["documents"] if row["disputes"]]
        top, documents = rows[: max(1, len(rows) // 10)], self.result["documents"]
        sentence = "no document is disputed"
        if rows:
            share = percent(sum(row["disputes"] for row in top), sum(row["disputes"] for row in rows))
            have = "has" if len(top) == 1 else "have"
            sentence = f"{len(top):,} of {many(documents, 'document')} {have} {shown(share, 0)} % of the disputes"
        yield Finding("documents", sentence, [row["document"] for row in top])
        places = sum(row["places"] for row in rows)
        sentence = f"{many(places, 'disputed place')} in {len(rows):,} of {many(documents, 'document')}"
        yield Finding("list", sentence, [row["document"] for row in rows])

    # Tables

    def pairs(self) -> Iterator[ResultTable]:
        """Yield the matrix of pairs with the main score, and F of each annotator against the majority of the others."""
        values = {}
        for pair in self.result["pairs"]:
            values[pair["a"], pair["b"]] = values[pair["b"], pair["a"]] = self._cell(self._score_of(pair))
        people = self.result["annotators"]
        rows: Rows = [[a, *(values.get((a, b)) for b in people), *self._against(a)] for a in people]
        note = "; ".join(filter(None, [direction(short_name(self.metric, self.score)), self._both_directions()]))
        title = f"Pairs of annotators, {spoken(self.metric, self.score)}"
        yield ResultTable(title, ["annotator", *people, *self.others], rows, note, asks=self._ask_annotators())

    def pair_scores(self) -> Iterator[ResultTable]:
        """Yield the headline scores of every pair, and its kappa."""
        place = {name: k for k, name in enumerate(self.result["annotators"])}
        rows: Rows = []
        for pair in self.result["pairs"]:
            scores = [
                score_cell(metric, name, pair["metrics"][metric.name]["scores"]) for metric, name in self._headlines()
            ]
            rows.append([pair["a"], pair["b"], pair["documents"], *scores, pair["kappa"]])
        asks = [{"one": place[pair["a"]], "other": place[pair["b"]]} for pair in self.result["pairs"]]
        header = ["annotator", "other", "documents", *(short_name(*each) for each in self._headlines()), "kappa"]
        yield ResultTable("Scores of each pair", header, rows, asks=asks)

    def per_document(self) -> Iterator[ResultTable]:
        """Yield the mean and the standard deviation over documents of every pair's headline scores."""
        rows: Rows = []
        for pair in self.result["pairs"]:
            for metric, name in self._headlines():
                if own := pair["per_document"].get(metric.name, {}).get(name):
                    cells = (score_cell(metric, name, {name: own[key]}) for key in ("mean", "sd"))
                    rows.append([pair["a"], pair["b"], short_name(metric, name), *cells, own["documents"]])
        header = ["annotator", "other", "score", "mean", "sd", "documents"]
        yield ResultTable(
            "Scores of single documents", header, rows, "documents in which a score is undefined left out"
        )

    def scores(self) -> Iterator[ResultTable]:
        """Yield the mean, spread and pooled value of the headline scores; those that are not symmetric are marked."""
        rows: Rows = []
        for metric, name in self._headlines():
            mark = "" if metric.score_by_name[name].symmetric else " *"
            rows.append([directed(metric, name, f"{short_name(metric, name)}{mark}"), *self._summary(metric, name)])
        kappas = [pair["kappa"] for pair in self.result["pairs"] if pair["kappa"] is not None]
        if kappas:
            mean = _coefficient(self.result, "units", "kappa")
            rows.append(["kappa", mean, None, min(kappas), max(kappas), None, len(kappas)])
        mean_of = not all(metric.score_by_name[name].symmetric for metric, name in self._headlines())
        note = "* mean of both directions" * mean_of
        yield ResultTable("Scores of pairs", ["score", *SUMMARISED, "pairs"], rows, note)

    def without(self) -> Iterator[ResultTable]:
        """Yield the headline scores, kappas and alphas without each of three or more annotators, and their range."""
        without = self.result["without"].values()
        rows: Rows = []
        for metric, name in self._headlines():
            values = [found["metrics"][metric.name][name] for found in without]
            mean = self.result["metrics"][metric.name][name]["mean"]
            cells = [score_cell(metric, name, {name: value}) for value in (mean, *_with_range(values))]
            rows.append([directed(metric, name, short_name(metric, name)), *cells])
        for (group, name), title in CHANCE.items():
            rows.append([title, self.result[group][name], *_with_range([found[group][name] for found in without])])
        header = ["number", "all", *self.result["without"], "lowest", "highest"]
        note = "who is left out; scores: means of the other pairs"
        yield ResultTable("Without one annotator", header, rows if without else [], note)

    def all_scores(self) -> Iterator[ResultTable]:
        """Yield the mean, spread and pooled value of every score."""
        rows: Rows = []
        for metric in self.metrics:
            for group in groups(metric, [score.name for score in metric.scores]):
                for name in group.scores:
                    symmetric = "yes" if metric.score_by_name[name].symmetric else "no, mean of both directions"
                    rows.append([metric.name, name, *self._summary(metric, name), symmetric])
        yield ResultTable("All scores of pairs", ["metric", "score", *SUMMARISED, "pairs", "symmetric"], rows)

    def chance(self) -> Iterator[ResultTable]:
        """Yield alphas and kappas."""
        unit = UNIT_NAMES[self.result["units"]["unit"]]
        rows: Rows = [
            [title, unit if group == "units" else "characters", _coefficient(self.result, group, name)]
            for (group, name), title in CHANCE.items()
        ]
        yield ResultTable("Agreement corrected for chance", ["measure", "on", "value"], rows)

    def labels(self) -> Iterator[ResultTable]:
        """Yield, for each label, the mean main score, alpha, and disputes; the most disputed first."""
        name = headlines(self.metric, [score.name for score in self.metric.label_scores])[0]
        rows: Rows = []
        for row in self.result["disputes"]["labels"]:
            place = "per_type", row["label"], self.metric.name, name
            bounds = _at(self.result, "intervals", *place)
            mean = score_cell(self.metric, name, {name: _at(self.result, *place)["mean"]}, {name: bounds.get("mean")})
            alpha = _coefficient(self.result, "units", "per_type", row["label"])
            rows.append([row["label"], mean, alpha, row["disputes"], row["possible"], percent(row["share"])])
        header = ["label", short_name(self.metric, name), "alpha", "disputes", "of", "share"]
        yield ResultTable("Per label", header, rows, most=MOST, asks=self._ask_labels())

    def label_spans(self) -> Iterator[ResultTable]:
        """Yield how many spans of each label each annotator has."""
        people = self.result["annotators"]
        rows: Rows = [
            [row["label"], *(row["spans"][name] for name in people)] for row in self.result["disputes"]["labels"]
        ]
        yield ResultTable("Spans of each label", ["label", *people], rows, most=MOST, asks=self._ask_labels())

    def annotators(self) -> Iterator[ResultTable]:
        """Yield documents, spans, the mean main score with another annotator, and F against the others' majority."""
        rows: Rows = []
        for name in self.result["annotators"]:
            own = [self._score_of(pair) for pair in self.result["pairs"] if name in (pair["a"], pair["b"])]
            known = [value for value in own if value is not None]
            mean = self._cell(sum(known) / len(known) if known else None)
            documents = sum(name in row["annotators"] for row in self.result["disputes"]["documents"])
            rows.append([name, documents, self.result["spans"][name], mean, *self._against(name)])
        header = ["annotator", "documents", "spans", short_name(self.metric, self.score), *self.others]
        note = f"{short_name(self.metric, self.score)}: mean of pairs"
        yield ResultTable("Annotators", header, rows, note, asks=self._ask_annotators())

    def differences(self) -> Iterator[ResultTable]:
        """Yield what annotators differ in again and again, clear rules first, then the most one-sided."""
        rows: Rows = [
            [*in_columns(row, self.result["annotators"]), row["number"], row["reverse"], _example(row)]
            for row in self.result["differences"]
        ]
        asks = [{"group": k} if k < MOST_ASKED else None for k in range(len(rows))]
        header = ["label", "what differs", "by", "not by", "places", "reverse", "example"]
        yield ResultTable("Differences that repeat", header, rows, most=MOST_SHOWN, asks=asks)

    def same_words(self) -> Iterator[ResultTable]:
        """Yield what annotators differ in again and again on the same words."""
        people = self.result["annotators"]
        rows: Rows = [
            [next(iter(row["words"])), *in_columns(row, people), row["number"], row["reverse"], _example(row)]
            for row in self.result["same_words"]
        ]
        first = min(MOST_ASKED, len(self.result["differences"]))
        asks = [{"group": first + k} if k < MOST_ASKED else None for k in range(len(rows))]
        header = ["words", "label", "what differs", "by", "not by", "places", "reverse", "example"]
        yield ResultTable("Differences in the same words", header, rows, most=MOST_SHOWN, asks=asks)

    def documents(self) -> Iterator[ResultTable]:
        """Yield the documents, the most disputed first."""
        key = self.metric.score_by_name[self.score].key or f"{self.metric.name}_{self.score}"
        disputed = [row for row in self.result["disputes"]["documents"] if row["disputes"]]
        rows: Rows = []
        for row in disputed:
            score = number(row["scores"].get(key), unit_of(self.metric, self.score))
            cells: list[Cell] = [row["disputes"], row["possible"], percent(row["share"]), row["places"], score]
            rows.append([str(row["document"]), len(row["annotators"]), *cells])
        header = ["document", "annotators", "disputes", "of", "share", "places", short_name(self.metric, self.score)]
        asks = [{"document": rank} for rank in range(len(disputed))]
        yield ResultTable("Most disputed documents", header, rows, most=MOST_SHOWN, asks=asks)

    def spans(self) -> Iterator[ResultTable]:
        """Yield the disputed spans, the most disputed first, with who said what."""
        rows: Rows = []
        for row in self.result["disputes"]["spans"]:
            text = clipped(row["text"]) if row["text"] is not None else None
            place = f"{row['start']}-{row['end']}"
            rows.append([str(row["document"]), place, row["label"], text, row["disputes"], said_by(row)])
        header = ["document", "at", "label", "text", "disputes", "who said what"]
        yield ResultTable("Most disputed spans", header, rows, most=MOST_SHOWN)

    makers: ClassVar[Makers] = {
        "pairs": pairs,
        "differences": differences,
        "same-words": same_words,
        "labels": labels,
        "label-spans": label_spans,
        "annotators": annotators,
        "documents": documents,
        "spans": spans,
        "scores": scores,
        "pair-scores": pair_scores,
        "per-document": per_document,
        "alpha": chance,
        "without": without,
        "all-scores": all_scores,
    }
    at_terminal: ClassVar[Sequence[str]] = ("pairs", "differences", "labels", "documents", "spans")
    usual: ClassVar[Sequence[str]] = ("pairs", "scores", "alpha", "differences", "labels", "documents", "spans")

    # Cells

    def _cell(self, value: float | None, bounds: Mapping[str, Any] | None = None) -> float | Estimate | None:
        return score_cell(self.metric, self.score, {self.score: value}, {self.score: bounds})

    def _score_of(self, pair: Mapping[str, Any]) -> float | None:
        found: float | None = pair["metrics"][self.metric.name]["scores"][self.score]
        return found

    def _both_directions(self) -> str:
        return "" if self.metric.score_by_name[self.score].symmetric else "mean of both directions"

    def _headlines(self) -> Iterator[tuple[Metric, str]]:
        for metric in self.metrics:
            yield from ((metric, name) for name in headlines(metric, [score.name for score in metric.scores]))

    def _summary(self, metric: Metric, name: str) -> list[Cell]:
        own = self.result["metrics"][metric.name][name]
        bounds = _at(self.result, "intervals", "metrics", metric.name, name)
        cells = [score_cell(metric, name, {name: own[key]}, {name: bounds.get(key)}) for key in SUMMARISED]
        return [*cells, own["pairs"]]

    @property
    def others(self) -> list[str]:
        """The column for F against the others, if anybody has two others."""
        strict = "" if (self.metric.name, self.score) == ("strict", "f") else ", strict F"
        return [f"others' majority{strict}"] * any(f is not None for f in self.result["consensus"]["against"].values())

    def _against(self, name: str) -> list[Cell]:
        return [_coefficient(self.result, "consensus", "against", name, unit=Percent)] * len(self.others)

    def _ask_annotators(self) -> list[dict[str, int]]:
        return [{"one": k} for k in range(len(self.result["annotators"]))]

    def _ask_labels(self) -> list[dict[str, int]]:
        place = {label: k for k, label in enumerate(sorted(self.result["per_type"]))}
        return [{"label": place[row["label"]]} for row in self.result["disputes"]["labels"]]


def _at(result: Mapping[str, Any], *path: str) -> Any:
    """Return a part of a result; an empty table if there is none."""
    found: Any = result
    for key in path:
        found = found.get(key) or {}
    return found


def _with_range(values: Sequence[float | None]) -> list[float | None]:
    """Return the values, then the lowest and the highest."""
    known = [value for value in values if value is not None]
    return [*values, min(known, default=None), max(known, default=None)]


def _coefficient(result: Mapping[str, Any], *path: str, unit: type[float] = float) -> float | Estimate | None:
    """Return a number that no metric declares as a cell, with its interval if it has one."""
    *above, last = path
    value = number(_at(result, *above).get(last), unit)
    found = _at(result, "intervals", *path)
    bounds = interval(found or None, unit)
    return value if value is None or bounds is None else Estimate(value, *bounds, found["flag"] == FEW)


def _numbers(spans: Mapping[str, int]) -> str:
    return ", ".join(f"{shorten(name)} {number:,}" for name, number in spans.items())


def _documents(rows: Iterable[Mapping[str, Any]]) -> list[str | int]:
    """Return the documents in which there are some differences."""
    return [*dict.fromkeys(place["document"] for row in rows for place in row["places"])]


def _example(row: Mapping[str, Any]) -> str:
    texts = (row["example"][key] for key in ("one_text", "other_text"))
    one, other = (clipped(text) if text is not None else "nothing" for text in texts)
    return one if one == other else f"{one} / {other}"


def said_by(row: Mapping[str, Any]) -> str:
    """Return who said what of a disputed span.

    >>> span = {"start": 0, "end": 3, "label": "PER", "text": "Ada"}
    >>> other = span | {"end": 12, "text": "Ada Lovelace"}
    >>> said_by(span | {"annotators": ["ann"], "said": {"ann": [span], "bob": [other], "eve": []}})
    'ann PER; bob PER Ada Lovelace; eve nothing'
    """
    here = row["start"], row["end"]
    parts: dict[str, list[str]] = {}
    for name, spans in row["said"].items():
        what = [
            span["label"] if (span["start"], span["end"]) == here else f"{span['label']} {_text(span)}"
            for span in spans
        ]
        parts.setdefault(" + ".join(what) or "nothing", []).append(name)
    return "; ".join(f"{', '.join(people)} {what}" for what, people in parts.items())


def _text(span: Mapping[str, Any]) -> str:
    return f"{span['start']}-{span['end']}" if span["text"] is None else clipped(span["text"])
