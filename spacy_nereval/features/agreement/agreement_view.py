"""The tables and sentences on the agreement of annotators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, ClassVar

from ...core.declaration import Metric
from ...core.messages import many, shorten
from ...evaluation.bounds import FEW
from ...evaluation.conclusion import unit_name
from ...io.writing import visible
from ...reporting.declared import headlines, mark_direction, score_groups, sentence_name, short_name
from ...reporting.marked_text import clip
from ...reporting.remarks import interval_lines, mention_lines, reading_phrases
from ...reporting.result_table import EMPTY, Cell, Estimate, Percent, ResultTable, direction, number_text
from ...reporting.score_tables import MOST, interval, percent, score_cell, unit_of, value_cell
from ...reporting.view import Finding, Makers, View
from .habits import difference_columns, difference_sentence, name_list, rule_sentence
from .shared_documents import OF_ANNOTATION, OF_WHITE_SPACE

MOST_SHOWN = 5
"""Maximum number of rows of differences and disputes at a terminal."""

MOST_NAMED = 3
"""Maximum number of clear habits that the lines before the tables name."""

MOST_ASKED = 60
"""Maximum number of differences in each list of a page, where each can be chosen."""

UNIT_NAMES = {"token": "tokens", "char": "characters"}
CHANCE = {
    ("units", "alpha"): "Krippendorff's alpha",
    ("units", "alpha_detect"): "alpha: span or no span",
    ("units", "alpha_label"): "alpha: label, where both mark",
    ("units", "kappa"): "Cohen's kappa, mean of pairs",
    ("units", "fleiss"): "Fleiss' kappa",
    ("units", "observed"): "observed agreement",
    ("u_alpha", "u_alpha"): "unitising alpha",
    ("u_alpha", "u_binary"): "unitising alpha, labels made one",
    ("u_alpha", "cu_alpha"): "unitising alpha of labels, where marked",
}
"""The paths in the result of measures that are corrected for chance, and of observed agreement, with their names."""

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
"""How to read each of these measures."""

SUMMARISED = ("mean", "sd", "min", "max", "pooled")
NO_RULE = "no difference between annotators clearly goes one way"

Rows = list[list[Cell]]


class AgreementView(View):
    """The tables and sentences on the agreement of annotators.

    Args:
        result: What `AgreementCounts.result` returns, or its JSON.
        metrics: The metrics. The headline score of the first one is the main score.
        main: The result with intervals of the main score and alpha, for the lines around the tables; by default, the
            result.
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

    def tables(self, names: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
        """Yield tables, with all rows if all tables are named; otherwise see `View.tables`."""
        names = [*names]
        for table in super().tables(names, digits=digits):
            yield table._replace(most=None) if {*names} >= {*self.makers} else table

    # Sentences

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return how far annotators agree and their largest habit, then the compared data."""
        first = f"{self.agreement_clause(digits)}; {self._headline_finding().sentence}."
        second = self.data_clause() + (f"; more: {more}" if more else "")
        return [visible(line) for line in [first, *self.rule_lines(digits), second, *self.remarks]]

    @property
    def remarks(self) -> list[str]:
        """Lines on mentions without offsets, further remarks, and lines on excluded metrics."""
        return [*mention_lines(self.result.get("mentions", {})), *self._remarks, *self.omissions]

    def rule_lines(self, digits: int = 2) -> list[str]:
        """Return lines on the next clear habits, rules that would settle them, and the influence of annotators."""
        clear = [row for row in self.result["differences"] if row["clear"]][:MOST_NAMED]
        lines = [f"Next: {difference_sentence(row)}." for row in clear[1:]]
        lines += [
            f"Rule{f' {number}' * (len(clear) > 1)}: {rule_sentence(row)}." for number, row in enumerate(clear, 1)
        ]
        return [*lines, *self._leave_one_out_lines(digits)]

    def _leave_one_out_lines(self, digits: int) -> Iterator[str]:
        """Yield the range of the main numbers without one of three or more annotators."""
        without = self.result["without"]
        scores = {name: result["metrics"][self.metric.name][self.score] for name, result in without.items()}
        defined = sorted((value, name) for name, value in scores.items() if value is not None)
        if not defined:
            return
        ends = defined[0], defined[-1]
        low, high = (f"{number_text(self._cell(f), digits)} (without {name_list([name])})" for f, name in ends)
        alphas = [result["units"]["alpha"] for result in without.values() if result["units"]["alpha"] is not None]
        alpha = f", alpha {number_text(min(alphas), digits)} to {number_text(max(alphas), digits)}" if alphas else ""
        yield (
            f"Without one annotator, {sentence_name(self.metric, self.score)} is {low} to {high}{alpha}; the "
            "intervals do not include the variance between annotators."
        )

    def agreement_clause(self, digits: int = 2) -> str:
        """Return the mean of the main score over pairs and alpha, in words."""
        mean = self.result["metrics"][self.metric.name][self.score]
        bounds = _part_of(self._main, "intervals", "metrics", self.metric.name, self.score)
        among = ""
        if mean["pairs"] > 1:
            low, high = (number_text(self._cell(mean[key]), digits) for key in ("min", "max"))
            among = f" (mean of {mean['pairs']} pairs, {low} to {high})"
        alpha = _coefficient(self._main, "units", "alpha")
        cells = self._cell(mean["mean"], bounds.get("mean")), alpha
        mean_text, alpha_text = (number_text(cell, digits) for cell in cells)
        return (
            f"{name_list(self.result['annotators'])}: {sentence_name(self.metric, self.score)} {mean_text}{among}, "
            f"alpha {alpha_text} on {UNIT_NAMES[self.result['units']['unit']]}"
        )

    def data_clause(self) -> str:
        """Return the compared data, in words: documents and spans, and the changes on reading."""
        result = self.result
        read = [f"{many(result['documents'], 'document')} annotated by two or more"]
        read += [f"{many(result['single'], 'document')} annotated by one only excluded"] * bool(result["single"])
        read += [f"{many(result['unannotated'], 'document')} annotated by nobody excluded"] * bool(
            result["unannotated"]
        )
        read += self._token_clauses()
        return ", ".join([*read, f"spans: {_counts_text(result['spans'])}", *reading_phrases(result)])

    def _token_clauses(self) -> Iterator[str]:
        """Yield the source of tokens if it is not the annotation and the numbers depend on tokens."""
        if self.result["units"]["unit"] != "token" and not any(metric.tokens for metric in self.metrics):
            return
        for kind, documents in self.result["tokens"].items():
            if kind != OF_ANNOTATION:
                words = "words between white space"
                source = words if kind == OF_WHITE_SPACE else kind.replace("spacy-", "those of spaCy for ")
                is_partial = documents < self.result["documents"]
                yield f"tokens: {source}" + f" in {many(documents, 'document')}" * is_partial

    def closing(self) -> list[str]:
        """Return why numbers are undefined, and warnings about intervals."""
        reasons = dict.fromkeys(
            self.result[group]["reason"] for group in ("units", "u_alpha") if "reason" in self.result[group]
        )
        return [visible(f"ℹ {reason}.") for reason in reasons] + self.warnings()

    def warnings(self) -> list[str]:
        """Return the units of the intervals if they were chosen automatically, and a warning if they are few."""
        basis = self._main.get("confidence")
        if not basis:
            return []
        return interval_lines(
            basis, self.result["documents"], chosen=False
        )  # the argument `unit` chooses the units of alpha

    @property
    def interval_note(self) -> str:
        """The level and the units of the intervals, in words; "" if there are none."""
        basis = self.result.get("confidence")
        return f"In brackets: {100 * basis['level']:g} % intervals over {unit_name(basis['unit'])}s" if basis else ""

    def measures(self) -> Iterator[tuple[str, str]]:
        """Yield each measure of agreement with how to read it, or why it is undefined."""
        unit = UNIT_NAMES[self.result["units"]["unit"]]
        for (group, name), title in CHANCE.items():
            why = self.result[group].get("reason") if self.result[group][name] is None else None
            yield title, f"Undefined: {why}." if why else ABOUT[group, name].format(unit=unit)

    def findings(self) -> list[Finding]:
        """Return the largest habit, then a finding about each table."""
        return [
            self._headline_finding(),
            self._difference_finding(),
            self._pair_finding(),
            self._chance_finding(),
            self._label_finding(),
            self._annotator_finding(),
            *self._document_findings(),
        ]

    def _headline_finding(self) -> Finding:
        if not self.result["disputes"]["spans"]:
            return Finding("headline", "no span is disputed")
        row = next((row for row in self.result["differences"] if row["clear"]), None)
        if row is None:
            return Finding("headline", NO_RULE)
        return Finding(
            "headline", f"the largest systematic difference: {difference_sentence(row)}", _document_names([row])
        )

    def _difference_finding(self) -> Finding:
        rows = self.result["differences"]
        clear = sum(row["clear"] for row in rows)
        goes = "goes" if clear == 1 else "go"
        sentence = (
            f"{clear} of {many(len(rows), 'difference')} that repeat{'s' * (len(rows) == 1)} clearly {goes} one way"
        )
        return Finding("differences", sentence if rows else "no difference repeats", _document_names(rows))

    def _pair_finding(self) -> Finding:
        values = ((self._pair_score(pair), (pair["a"], pair["b"])) for pair in self.result["pairs"])
        defined = sorted((value, pair) for value, pair in values if value is not None)
        if len(defined) < 2:
            mean = number_text(self._cell(defined[0][0] if defined else None))
            sentence = f"{sentence_name(self.metric, self.score)} of {name_list(self.result['annotators'])} is {mean}"
            return Finding("pairs", sentence)
        pair = defined[0 if self.metric.score_by_name[self.score].higher_is_better else -1][1]
        both = [row["document"] for row in self.result["disputes"]["documents"] if {*pair} <= {*row["annotators"]}]
        return Finding("pairs", f"the two who agree least are {name_list(pair)}", both)

    def _chance_finding(self) -> Finding:
        alpha = self.result["units"]["alpha"]
        sentence = "alpha is not defined" if alpha is None else f"beyond chance, alpha is {number_text(alpha)}"
        return Finding("chance", sentence)

    def _label_finding(self) -> Finding:
        label = next((row["label"] for row in self.result["disputes"]["labels"] if row["disputes"]), None)
        if label is None:
            return Finding("labels", "no label is disputed")
        documents = (row["document"] for row in self.result["disputes"]["spans"] if row["label"] == label)
        return Finding(
            "labels", f"the label disputed most is {label if label.strip() else EMPTY}", [*dict.fromkeys(documents)]
        )

    def _annotator_finding(self) -> Finding:
        against = {name: f for name, f in self.result["consensus"]["against"].items() if f is not None}
        if len(against) < 2:
            return Finding("annotators", f"spans: {_counts_text(self.result['spans'])}")
        name = min(against, key=lambda name: against[name])
        rows = self.result["disputes"]["documents"]
        documents = [row["document"] for row in rows if name in row["annotators"] and len(row["annotators"]) > 2]
        return Finding("annotators", f"the annotator farthest from the others is {name_list([name])}", documents)

    def _document_findings(self) -> Iterator[Finding]:
        rows = [row for row in self.result["disputes"]["documents"] if row["disputes"]]
        top, documents = rows[: max(1, len(rows) // 10)], self.result["documents"]
        sentence = "no document is disputed"
        if rows:
            share = percent(sum(row["disputes"] for row in top), sum(row["disputes"] for row in rows))
            have = "has" if len(top) == 1 else "have"
            sentence = f"{len(top):,} of {many(documents, 'document')} {have} {number_text(share, 0)} % of the disputes"
        yield Finding("documents", sentence, [row["document"] for row in top])
        places = sum(row["places"] for row in rows)
        sentence = f"{many(places, 'disputed place')} in {len(rows):,} of {many(documents, 'document')}"
        yield Finding("list", sentence, [row["document"] for row in rows])

    # Tables

    def pairs(self) -> Iterator[ResultTable]:
        """Yield the matrix of pairs with their main score, and F of each annotator against the others' majority."""
        values = {}
        for pair in self.result["pairs"]:
            values[pair["a"], pair["b"]] = values[pair["b"], pair["a"]] = self._cell(self._pair_score(pair))
        people = self.result["annotators"]
        rows: Rows = [[a, *(values.get((a, b)) for b in people), *self._others_cells(a)] for a in people]
        note = "; ".join(filter(None, [direction(short_name(self.metric, self.score)), self._direction_note()]))
        title = f"Pairs of annotators, {sentence_name(self.metric, self.score)}"
        yield ResultTable(title, ["annotator", *people, *self.others_header], rows, note, asks=self._annotator_asks())

    def pair_scores(self) -> Iterator[ResultTable]:
        """Yield the headline scores and the kappa of each pair."""
        place = {name: k for k, name in enumerate(self.result["annotators"])}
        rows: Rows = []
        for pair in self.result["pairs"]:
            scores = [
                score_cell(metric, name, pair["metrics"][metric.name]["scores"]) for metric, name in self._headlines()
            ]
            rows.append([pair["a"], pair["b"], pair["documents"], *scores, pair["kappa"]])
        asks = [{"one": place[pair["a"]], "other": place[pair["b"]]} for pair in self.result["pairs"]]
        header = [
            "annotator",
            "other",
            "documents",
            *(short_name(*headline) for headline in self._headlines()),
            "kappa",
        ]
        yield ResultTable("Scores of each pair", header, rows, asks=asks)

    def document_spread(self) -> Iterator[ResultTable]:
        """Yield the mean and the standard deviation over documents of each pair's headline scores."""
        rows: Rows = []
        for pair in self.result["pairs"]:
            for metric, name in self._headlines():
                if spread := pair["per_document"].get(metric.name, {}).get(name):
                    cells = (score_cell(metric, name, {name: spread[key]}) for key in ("mean", "sd"))
                    rows.append([pair["a"], pair["b"], short_name(metric, name), *cells, spread["documents"]])
        header = ["annotator", "other", "score", "mean", "sd", "documents"]
        yield ResultTable("Scores of single documents", header, rows, "without documents in which a score is undefined")

    def scores(self) -> Iterator[ResultTable]:
        """Yield the mean over pairs, spread and pooled value of headline scores. Asymmetric scores are marked."""
        rows: Rows = []
        for metric, name in self._headlines():
            mark = "" if metric.score_by_name[name].symmetric else " *"
            rows.append(
                [mark_direction(metric, name, f"{short_name(metric, name)}{mark}"), *self._summary_cells(metric, name)]
            )
        kappas = [pair["kappa"] for pair in self.result["pairs"] if pair["kappa"] is not None]
        if kappas:
            mean = _coefficient(self.result, "units", "kappa")
            rows.append(["kappa", mean, None, min(kappas), max(kappas), None, len(kappas)])
        mean_of = not all(metric.score_by_name[name].symmetric for metric, name in self._headlines())
        note = "* mean of both directions" * mean_of
        yield ResultTable("Scores of pairs", ["score", *SUMMARISED, "pairs"], rows, note)

    def leave_one_out(self) -> Iterator[ResultTable]:
        """Yield the headline scores, kappas and alphas without each of three or more annotators, and the ranges."""
        without = self.result["without"].values()
        rows: Rows = []
        for metric, name in self._headlines():
            values = [result["metrics"][metric.name][name] for result in without]
            mean = self.result["metrics"][metric.name][name]["mean"]
            cells = [score_cell(metric, name, {name: value}) for value in (mean, *_append_range(values))]
            rows.append([mark_direction(metric, name, short_name(metric, name)), *cells])
        for (group, name), title in CHANCE.items():
            rows.append([title, self.result[group][name], *_append_range([result[group][name] for result in without])])
        header = ["number", "all", *self.result["without"], "lowest", "highest"]
        note = "columns: the excluded annotator; scores: means of the other pairs"
        yield ResultTable("Without one annotator", header, rows if without else [], note)

    def all_scores(self) -> Iterator[ResultTable]:
        """Yield the mean over pairs, spread and pooled value of every score."""
        rows: Rows = []
        for metric in self.metrics:
            for group in score_groups(metric, [score.name for score in metric.scores]):
                for name in group.scores:
                    symmetric = "yes" if metric.score_by_name[name].symmetric else "no, mean of both directions"
                    rows.append([metric.name, name, *self._summary_cells(metric, name), symmetric])
        yield ResultTable("All scores of pairs", ["metric", "score", *SUMMARISED, "pairs", "symmetric"], rows)

    def chance(self) -> Iterator[ResultTable]:
        """Yield alphas and kappas."""
        unit = UNIT_NAMES[self.result["units"]["unit"]]
        rows: Rows = [
            [title, unit if group == "units" else "characters", _coefficient(self.result, group, name)]
            for (group, name), title in CHANCE.items()
        ]
        yield ResultTable("Agreement corrected for chance", ["measure", "on", "value"], rows)

    def half_widths(self) -> Iterator[ResultTable]:
        """Yield how many documents make the intervals of alpha and the main score narrow, if that was asked."""
        plan = self.result.get("plan", {"numbers": []})
        names = {name: title for (_, name), title in CHANCE.items()}
        scores = {
            f"{self.metric.name}_{score.name}": f"{sentence_name(self.metric, score.name)}, mean of pairs"
            for score in self.metric.scores
        }
        rows: Rows = [
            [
                (names | scores)[row["name"]],
                percent(row["value"]) if row["name"] in scores else row["value"],
                row["documents_needed"],
                row["documents_between"] and "{:,} to {:,}".format(*row["documents_between"]),
            ]
            for row in plan["numbers"]
        ]
        header = ["number", "now", "documents needed", "between"]
        title = f"Documents that give ± {plan['half_width']:g} points" if rows else ""
        yield ResultTable(title, header, rows, note="if they are like these; range at 90 %")

    def labels(self) -> Iterator[ResultTable]:
        """Yield, for each label, the mean main score, alpha, and disputes; the most disputed first."""
        name = headlines(self.metric, [score.name for score in self.metric.label_scores])[0]
        rows: Rows = []
        for row in self.result["disputes"]["labels"]:
            place = "per_type", row["label"], self.metric.name, name
            bounds = _part_of(self.result, "intervals", *place)
            mean = score_cell(
                self.metric, name, {name: _part_of(self.result, *place)["mean"]}, {name: bounds.get("mean")}
            )
            alpha = _coefficient(self.result, "units", "per_type", row["label"])
            rows.append([row["label"], mean, alpha, row["disputes"], row["possible"], percent(row["share"])])
        header = ["label", short_name(self.metric, name), "alpha", "disputes", "of", "share"]
        yield ResultTable("Per label", header, rows, most=MOST, asks=self._label_asks())

    def label_spans(self) -> Iterator[ResultTable]:
        """Yield the number of spans of each label and annotator."""
        people = self.result["annotators"]
        rows: Rows = [
            [row["label"], *(row["spans"][name] for name in people)] for row in self.result["disputes"]["labels"]
        ]
        yield ResultTable("Spans of each label", ["label", *people], rows, most=MOST, asks=self._label_asks())

    def annotators(self) -> Iterator[ResultTable]:
        """Yield each annotator's documents, spans, mean main score with others, and F against the others' majority."""
        rows: Rows = []
        for name in self.result["annotators"]:
            scores = [self._pair_score(pair) for pair in self.result["pairs"] if name in (pair["a"], pair["b"])]
            defined = [value for value in scores if value is not None]
            mean = self._cell(sum(defined) / len(defined) if defined else None)
            documents = sum(name in row["annotators"] for row in self.result["disputes"]["documents"])
            rows.append([name, documents, self.result["spans"][name], mean, *self._others_cells(name)])
        header = ["annotator", "documents", "spans", short_name(self.metric, self.score), *self.others_header]
        note = f"{short_name(self.metric, self.score)}: mean of pairs"
        yield ResultTable("Annotators", header, rows, note, asks=self._annotator_asks())

    def differences(self) -> Iterator[ResultTable]:
        """Yield the repeated differences: clear habits first, then the most one-sided."""
        rows: Rows = [
            [*difference_columns(row, self.result["annotators"]), row["number"], row["reverse"], _example_text(row)]
            for row in self.result["differences"]
        ]
        asks = [{"group": k} if k < MOST_ASKED else None for k in range(len(rows))]
        header = ["label", "difference", "by", "not by", "places", "reverse", "example"]
        yield ResultTable("Differences that repeat", header, rows, most=MOST_SHOWN, asks=asks)

    def same_words(self) -> Iterator[ResultTable]:
        """Yield the repeated differences in the same words."""
        people = self.result["annotators"]
        rows: Rows = [
            [
                next(iter(row["words"])),
                *difference_columns(row, people),
                row["number"],
                row["reverse"],
                _example_text(row),
            ]
            for row in self.result["same_words"]
        ]
        first = min(MOST_ASKED, len(self.result["differences"]))
        asks = [{"group": first + k} if k < MOST_ASKED else None for k in range(len(rows))]
        header = ["words", "label", "difference", "by", "not by", "places", "reverse", "example"]
        yield ResultTable("Differences in the same words", header, rows, most=MOST_SHOWN, asks=asks)

    def documents(self) -> Iterator[ResultTable]:
        """Yield the documents, the most disputed first."""
        key = self.metric.score_by_name[self.score].key or f"{self.metric.name}_{self.score}"
        disputed = [row for row in self.result["disputes"]["documents"] if row["disputes"]]
        rows: Rows = []
        for row in disputed:
            score = value_cell(row["scores"].get(key), unit_of(self.metric, self.score))
            cells: list[Cell] = [row["disputes"], row["possible"], percent(row["share"]), row["places"], score]
            rows.append([str(row["document"]), len(row["annotators"]), *cells])
        header = ["document", "annotators", "disputes", "of", "share", "places", short_name(self.metric, self.score)]
        asks = [{"document": rank} for rank in range(len(disputed))]
        yield ResultTable("Most disputed documents", header, rows, most=MOST_SHOWN, asks=asks)

    def spans(self) -> Iterator[ResultTable]:
        """Yield the disputed spans, the most disputed first, with the spans of each annotator."""
        rows: Rows = []
        for row in self.result["disputes"]["spans"]:
            text = clip(row["text"]) if row["text"] is not None else None
            place = f"{row['start']}-{row['end']}"
            rows.append([str(row["document"]), place, row["label"], text, row["disputes"], annotator_statements(row)])
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
        "per-document": document_spread,
        "alpha": chance,
        "without": leave_one_out,
        "all-scores": all_scores,
        "plan": half_widths,
    }
    at_terminal: ClassVar[Sequence[str]] = ("plan", "pairs", "differences", "labels", "documents", "spans")
    usual: ClassVar[Sequence[str]] = ("plan", "pairs", "scores", "alpha", "differences", "labels", "documents", "spans")
    needs: ClassVar[Mapping[str, str]] = {"plan": "half_width"}

    # Cells

    def _cell(self, value: float | None, bounds: Mapping[str, Any] | None = None) -> float | Estimate | None:
        return score_cell(self.metric, self.score, {self.score: value}, {self.score: bounds})

    def _pair_score(self, pair: Mapping[str, Any]) -> float | None:
        score: float | None = pair["metrics"][self.metric.name]["scores"][self.score]
        return score

    def _direction_note(self) -> str:
        return "" if self.metric.score_by_name[self.score].symmetric else "mean of both directions"

    def _headlines(self) -> Iterator[tuple[Metric, str]]:
        for metric in self.metrics:
            yield from ((metric, name) for name in headlines(metric, [score.name for score in metric.scores]))

    def _summary_cells(self, metric: Metric, name: str) -> list[Cell]:
        summary = self.result["metrics"][metric.name][name]
        bounds = _part_of(self.result, "intervals", "metrics", metric.name, name)
        cells = [score_cell(metric, name, {name: summary[key]}, {name: bounds.get(key)}) for key in SUMMARISED]
        return [*cells, summary["pairs"]]

    @property
    def others_header(self) -> list[str]:
        """The header of the column for F against the others' majority; empty if nobody has two others."""
        strict = "" if (self.metric.name, self.score) == ("strict", "f") else ", strict F"
        return [f"others' majority{strict}"] * any(f is not None for f in self.result["consensus"]["against"].values())

    def _others_cells(self, name: str) -> list[Cell]:
        return [_coefficient(self.result, "consensus", "against", name, unit=Percent)] * len(self.others_header)

    def _annotator_asks(self) -> list[dict[str, int]]:
        return [{"one": k} for k in range(len(self.result["annotators"]))]

    def _label_asks(self) -> list[dict[str, int]]:
        place = {label: k for k, label in enumerate(sorted(self.result["per_type"]))}
        return [{"label": place[row["label"]]} for row in self.result["disputes"]["labels"]]


def _part_of(result: Mapping[str, Any], *path: str) -> Any:
    """Return the part of a result at a path; an empty table if there is none."""
    part: Any = result
    for key in path:
        part = part.get(key) or {}
    return part


def _append_range(values: Sequence[float | None]) -> list[float | None]:
    """Return the values, then the lowest and the highest."""
    defined = [value for value in values if value is not None]
    return [*values, min(defined, default=None), max(defined, default=None)]


def _coefficient(result: Mapping[str, Any], *path: str, unit: type[float] = float) -> float | Estimate | None:
    """Return the number at a path as a cell, with its interval if it has one; for numbers that no metric declares."""
    *above, last = path
    value = value_cell(_part_of(result, *above).get(last), unit)
    bounds_found = _part_of(result, "intervals", *path)
    bounds = interval(bounds_found or None, unit)
    return value if value is None or bounds is None else Estimate(value, *bounds, bounds_found["flag"] == FEW)


def _counts_text(spans: Mapping[str, int]) -> str:
    return ", ".join(f"{shorten(name)} {number:,}" for name, number in spans.items())


def _document_names(rows: Iterable[Mapping[str, Any]]) -> list[str | int]:
    """Return the documents in which some differences occur."""
    return [*dict.fromkeys(place["document"] for row in rows for place in row["places"])]


def _example_text(row: Mapping[str, Any]) -> str:
    texts = (row["example"][key] for key in ("one_text", "other_text"))
    first, second = (clip(text) if text is not None else "nothing" for text in texts)
    return first if first == second else f"{first} / {second}"


def annotator_statements(row: Mapping[str, Any]) -> str:
    """Return the spans of each annotator at a disputed span.

    >>> span = {"start": 0, "end": 3, "label": "PER", "text": "Ada"}
    >>> other = span | {"end": 12, "text": "Ada Lovelace"}
    >>> annotator_statements(span | {"annotators": ["ann"], "said": {"ann": [span], "bob": [other], "eve": []}})
    'ann PER; bob PER Ada Lovelace; eve nothing'
    """
    place = itemgetter("start", "end")
    here = place(row), row.get("pieces")
    parts: dict[str, list[str]] = {}
    for name, spans in row["said"].items():
        labels = [
            span["label"] if (place(span), span.get("pieces")) == here else f"{span['label']} {_span_text(span)}"
            for span in spans
        ]
        parts.setdefault(" + ".join(labels) or "nothing", []).append(name)
    return "; ".join(f"{', '.join(people)} {labels}" for labels, people in parts.items())


def _span_text(span: Mapping[str, Any]) -> str:
    return f"{span['start']}-{span['end']}" if span["text"] is None else clip(span["text"])
