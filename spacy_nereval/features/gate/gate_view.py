"""The views of gates and plans: their tables and sentences, and a gate as JUnit XML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ...core.messages import join_names, many
from ...evaluation.bounds import WARNING_UNITS, needs_warning
from ...evaluation.conclusion import points_per_unit, unit_name
from ...evaluation.differences import LEAST_DIFFERING, MOST_UNITS
from ...io.writing import visible
from ...metrics.registry import create
from ...reporting.declared import sentence_name
from ...reporting.marked_text import clip
from ...reporting.remarks import name_in_sentence
from ...reporting.result_table import Cell, Interval, Percent, ResultTable, number_text
from ...reporting.view import Finding, Makers, View
from .gate_rules import BROKEN, MET, UNDECIDED, unseen_words
from .policy import AGAINST_BASELINE, AT_LEAST, AT_MOST, BETTER, DIFFERENCE, FAIL, HALF_WIDTH, RATE_BETWEEN, WARN, WORSE

Row = Mapping[str, Any]

MARKS = {MET: "✔", BROKEN: "✘", UNDECIDED: "?"}
MOST_SPANS = 20
"""Maximum number of lost spans in a table."""

NEAR = 30
"""Maximum number of characters of a lost span in a table."""

HARD_WORLD = "at 95 %, in 12 % of simulated corpora of 50 documents, and in 7 % of those of 200"
"""How often a violated rule was met where 8 % of the documents are catastrophic (`benchmarks/gates.json`). No
flag can detect this: corpora that pass are the ones that have too few of these documents by chance."""


class GateView(View):
    """The tables and sentences of a gate.

    Args:
        result: What `gate_rules.judge_candidate` returns, or its JSON.
    """

    at_terminal: ClassVar[Sequence[str]] = ("unmet", "lost")
    usual: ClassVar[Sequence[str]] = ("rules", "lost", "spans")

    def __init__(self, result: Mapping[str, Any], notes: Sequence[str] = ()) -> None:
        self.result = result
        self._notes = notes
        self._rows: Sequence[Row] = result["rules"]

    # Tables

    def rules(self) -> Iterator[ResultTable]:
        """Yield all rules with their verdicts."""
        yield self._table("Rules", self._rows)

    def unmet(self) -> Iterator[ResultTable]:
        """Yield the rules that are broken or undecided."""
        yield self._table("Rules that are not met", [row for row in self._rows if row["verdict"] != MET])

    def lost_groups(self) -> Iterator[ResultTable]:
        """Yield how many gold spans of each label were lost, for the rules that this broke, the largest group first."""
        for names, row in self._rows_with_lost_spans():
            rows: list[list[Cell]] = [[group["label"], group["to"], group["spans"]] for group in row["lost_groups"]]
            yield ResultTable(f"{self._title_of_lost_spans(row)}: {names}", ["label", "now", "spans"], rows)

    def lost_spans(self) -> Iterator[ResultTable]:
        """Yield the gold spans that were lost, for the rules that this broke, the largest group first."""
        for names, row in self._rows_with_lost_spans():
            order = {(group["label"], group["to"]): rank for rank, group in enumerate(row["lost_groups"])}
            ordered = sorted(row["lost"], key=lambda span: order[span["label"], span["to"]])
            rows: list[list[Cell]] = [
                [str(span["document"]), span["label"], clip(span["text"] or "", NEAR), span["to"]] for span in ordered
            ]
            header = ["document", "label", "text", "now"]
            yield ResultTable(f"The spans: {names}", header, rows, most=MOST_SPANS)

    makers: ClassVar[Makers] = {"unmet": unmet, "rules": rules, "lost": lost_groups, "spans": lost_spans}

    def _table(self, title: str, rows: Sequence[Row]) -> ResultTable:
        header = ["rule", "subject", "demand", "found", "interval", "verdict", "counts as"]
        level = f"each bound one-sided at {100 * self.result['level']:g} %"
        cells: list[list[Cell]] = [
            [
                row["name"] if row["required"] else f"{row['name']} (advice)",
                subject(row),
                demand(row),
                displayed_number(row, row["value"]),
                _interval(row),
                f"{MARKS[row['verdict']]} {row['verdict']}{', unless unseen' * is_flagged(row)}",
                row["counts_as"],
            ]
            for row in rows
        ]
        return ResultTable(title, header, cells, note=level)

    @property
    def unmet_rows(self) -> list[Row]:
        """The required rules that are not met, the broken ones first."""
        rows = [row for row in self._rows if row["required"] and row["verdict"] != MET]
        return sorted(rows, key=lambda row: row["verdict"] != BROKEN)

    @property
    def answer(self) -> str:
        """Whether the candidate may ship, and which rules it does not meet."""
        names = ", ".join(row["name"] for row in self.unmet_rows if row["counts_as"] == FAIL)
        return "✔ yes" if self.result["passed"] else f"✘ no: {names}"

    def _rows_with_lost_spans(self) -> Iterator[tuple[str, Row]]:
        """Yield a row of each broken rule that lost spans, with its name; rules with the same spans share a row."""
        rows = [row for row in self._rows if row["verdict"] == BROKEN and row["lost"]]
        parts = [(row["label"], row["by"], row["bucket"]) for row in rows]
        for part in dict.fromkeys(parts):
            group = [row for row, row_part in zip(rows, parts) if row_part == part]
            yield ", ".join(row["name"] for row in group), group[0]

    def _title_of_lost_spans(self, row: Row) -> str:
        if row["lost"][0]["from"] is None:
            return "Gold spans that the candidate has wrong (the baseline's counts contain no spans)"
        return f"Gold spans that {self.result['baseline']} has right and {self.result['candidate']} has wrong"

    # Sentences

    def headline(self) -> str:
        """Return the verdict in one line.

        >>> GateView({"rules": [], "verdict": "met", "passed": True, "candidate": "new"}).headline()
        '✔ new passes the gate: 0 of 0 required rules are met'
        """
        required = [row for row in self._rows if row["required"]]
        met = sum(row["verdict"] == MET for row in required)
        names = {
            verdict: [row["name"] for row in required if row["verdict"] == verdict] for verdict in (BROKEN, UNDECIDED)
        }
        parts = [f"{verdict}: {', '.join(rules)}" for verdict, rules in names.items() if rules]
        mark, does = ("✔", "passes") if self.result["passed"] else ("✘", "fails")
        count = f"{met} of {many(len(required), 'required rule')} {'is' if len(required) == 1 else 'are'} met"
        return visible(f"{mark} {self.result['candidate']} {does} the gate: {'; '.join([count, *parts])}")

    def findings(self) -> list[Finding]:
        """Return the verdict."""
        return [Finding("headline", self.headline())]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the verdict, and remarks on the input."""
        return [*self._notes, self.headline()]

    def closing(self) -> list[str]:
        """Return why rules are undecided, which intervals come without a test, and the guarantee of the gate."""
        rows = [row for row in self._rows if row["verdict"] == UNDECIDED]
        lines = [visible(f"{row['name']} is undecided: {row['reason']}.") for row in rows]
        result = self.result
        units = f"{unit_name(result['unit'], result['units'], result['documents'])}s"
        lines += [
            visible(f"{row['name']} is met, {unseen_words(row['effective_units'], units)}.")
            for row in self._rows
            if is_flagged(row)
        ]
        lines += map(visible, _warn_of_few_units(self._rows, units))
        names = [row["name"] for row in self._rows if row["differing"] is not None]
        if names:
            lines.append(
                visible(
                    f"{', '.join(names)}: in this score fewer than 6 {units} differ, so that there is no test. The "
                    f"interval bounds the change that similar {units} can make."
                )
            )
        risk = f"{100 * (1 - result['level']):.3g} %"
        return [
            *lines,
            f"All required rules have to be met. If any required rule is truly violated, the gate passes with a "
            f"probability of at most about {risk}, provided that errors are spread over the documents. Where a few of "
            f"them have most of the errors it passes more often: {HARD_WORLD}.",
        ]


def _warn_of_few_units(rows: Sequence[Row], units: str) -> list[str]:
    """Return a warning about the rules that are met or broken on few effective units, named `units`; [] for none.

    >>> rows = [{"name": str(k), "verdict": "met", "effective_units": k} for k in (8.64, 19.5, 19.96)]
    >>> _warn_of_few_units(rows, "documents")
    ['⚠ 8.64, 19.5: fewer than 20 effective documents (the fewest: 8.6), so that verdicts say little.']
    """
    # Rounded as it is shown: 19.99 is not fewer than 20.
    few = [row for row in rows if row["verdict"] != UNDECIDED and needs_warning(round(row["effective_units"], 1))]
    if not few:
        return []
    least = min(row["effective_units"] for row in few)
    return [
        f"⚠ {join_names([row['name'] for row in few])}: fewer than {WARNING_UNITS} effective {units} (the fewest: "
        f"{least:.1f}), so that verdicts say little."
    ]


def ship_sentence(gates: Sequence[GateView]) -> str:
    """Return which candidates may ship, and where none may, the rule that most of them do not meet.

    >>> met = {"rules": [], "verdict": "met", "passed": True}
    >>> ship_sentence([GateView(met | {"candidate": "a"}), GateView(met | {"candidate": "b", "passed": False})])
    'a may ship, b may not'
    """
    passed, failed = ([gate for gate in gates if gate.result["passed"] is said] for said in (True, False))
    names, others = ([name_in_sentence(gate.result["candidate"]) for gate in part] for part in (passed, failed))
    if names and others:
        return f"{_names(names)} may ship, {_names(others)} may not"
    if names:
        return f"{_names(names)} may ship" if len(names) == 1 else f"All {len(names)} may ship"
    reasons = Counter(_reason(row) for gate in gates for row in gate.unmet_rows)
    ((reason, number),) = reasons.most_common(1) or [("", 0)]
    where = f" ({number} of {len(gates)})" if 0 < number < len(gates) else ""
    who = f"{others[0]} may not ship" if len(gates) == 1 else f"None of {len(gates)} may ship"
    return f"{who}{reason and f': {reason}'}{where}"


def _names(names: Sequence[str]) -> str:
    """Return names in a sentence, or how many there are."""
    if len(names) > 3:
        return f"{len(names)} systems"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _reason(row: Row) -> str:
    """Return why a rule is not met, in words."""
    if row["verdict"] == UNDECIDED:
        return f"{subject(row)} is undecided ({demand(row)})"
    bound = demand(row).rpartition(" ")[2]
    return f"{subject(row)} " + {
        AT_LEAST: f"is below {bound}",
        AT_MOST: f"is above {bound}",
        WORSE: f"is worse by more than {bound}",
        BETTER: f"is not better by {bound}",
        RATE_BETWEEN: f"is not {demand(row)}",
    }.get(row["kind"], f"is not {demand(row)}")


def is_flagged(row: Row) -> bool:
    """Return whether a rule is met only if there are no documents of a kind that is not in the test set."""
    return bool(row["verdict"] == MET and row["unseen"])


def subject(row: Row) -> str:
    """Return the score that a rule is about, in words."""
    part = f" of {row['label']}" if row["label"] else f" of {row['by']} {row['bucket']}" if row["by"] else ""
    if row["kind"] == RATE_BETWEEN:
        return f"predicted spans per gold span{part}"
    return f"{sentence_name(create(row['metric']), row['score'])}{part}"


def demand(row: Row) -> str:
    """Return the demand of a rule, in words."""
    if row["kind"] == RATE_BETWEEN:
        return f"between {row['bound'][0]:g} and {row['bound'][1]:g}"
    bound = f"{points_per_unit(row['score_unit']) * row['bound']:.6g}"
    return {
        DIFFERENCE: f"a difference of {bound}",
        HALF_WIDTH: f"± {bound}",
        AT_LEAST: f"at least {bound}",
        AT_MOST: f"at most {bound}",
        WORSE: f"worse by at most {bound}",
        BETTER: f"better by at least {bound}",
    }[row["kind"]]


def displayed_number(row: Row, value: float | None) -> float | None:
    """Return a number of a rule as tables show it: a ratio in per cent."""
    if value is None or row["kind"] == RATE_BETWEEN or row["score_unit"] != "ratio":
        return value
    return Percent(value)


def _between_words(least: int, most: int | None) -> str:
    """Return a range of numbers of units in words."""
    return f"{least:,} or more, no upper limit" if most is None else f"{least:,} to {most:,}"


def _interval(row: Row) -> Interval | None:
    low, high = (displayed_number(row, bound) for bound in row["interval"])
    return None if low is None or high is None else Interval(low, high)


def rule_sentence(row: Row) -> str:
    """Return a rule, its value and the reason for its verdict in one line, as a test report shows it."""
    interval = _interval(row)
    value = "undefined" if row["value"] is None else number_text(displayed_number(row, row["value"]))
    bounds = "" if interval is None else f" {number_text(interval)}"
    against = " (difference from the baseline)" if row["kind"] in AGAINST_BASELINE else ""
    reason = f"; {row['reason']}" if row["reason"] else ""
    return visible(f"{subject(row)}: {demand(row)}, found {value}{bounds}{against}{reason}")


def junit(result: Mapping[str, Any]) -> bytes:
    """Return a gate as JUnit XML: a test case for each rule, which fails, is skipped with a warning, or passes.

    Rules that only advise are never failures.

    >>> junit({"rules": [], "signature": "s", "policy": "d", "candidate": "new"}).decode().splitlines()[1]
    '<testsuites tests="0" failures="0" skipped="0">'
    """
    cases = Element("testsuite", name="nereval gate")
    totals = {"tests": 0, "failures": 0, "skipped": 0}
    properties = SubElement(cases, "properties")
    for name in ("signature", "policy", "candidate"):
        SubElement(properties, "property", name=name, value=visible(str(result[name])))
    for row in result["rules"]:
        case = SubElement(cases, "testcase", classname="gate", name=visible(row["name"]))
        totals["tests"] += 1
        if row["counts_as"] == FAIL and row["required"]:
            totals["failures"] += 1
            failed = SubElement(case, "failure", type=row["verdict"], message=visible(rule_sentence(row)))
            lines = [
                f"{group['label']}, now {group['to']}: {many(group['spans'], 'span')}" for group in row["lost_groups"]
            ]
            lines += [
                f"{span['document']} {span['start']}-{span['end']} {span['label']}: {span['text'] or ''}"
                for span in row["lost"]
            ]
            failed.text = "\n".join(map(visible, lines))
        elif row["counts_as"] in (WARN, FAIL):
            totals["skipped"] += 1
            SubElement(case, "skipped", message=visible(rule_sentence(row)))
    return _suites(cases, totals)


def junit_error(message: str) -> bytes:
    """Return the JUnit XML of a gate that could not judge: one test case with an error.

    >>> junit_error("gold.jsonl does not exist").decode().splitlines()[1]
    '<testsuites tests="1" errors="1">'
    """
    cases = Element("testsuite", name="nereval gate")
    case = SubElement(cases, "testcase", classname="gate", name="input")
    SubElement(case, "error", message=visible(message))
    return _suites(cases, {"tests": 1, "errors": 1})


def _suites(cases: Element, totals: Mapping[str, int]) -> bytes:
    """Return the XML of test cases with their totals."""
    suites = Element("testsuites", {name: str(number) for name, number in totals.items()})
    for name, number in totals.items():
        cases.set(name, str(number))
    suites.append(cases)
    indent(suites)
    xml: bytes = tostring(suites, encoding="utf8", xml_declaration=True)
    return xml + b"\n"


class PlanView(View):
    """The tables and sentences of a plan.

    Args:
        result: What `sample_size.plan_documents` returns, or its JSON.
    """

    at_terminal: ClassVar[Sequence[str]] = ("needed", "curve")
    usual: ClassVar[Sequence[str]] = ("needed", "curve")

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.result = result
        self._rows: Sequence[Row] = result["questions"]

    @property
    def _units(self) -> str:
        """The name of several units."""
        return f"{unit_name(self.result['unit'], self.result['units'], self.result['documents'])}s"

    def units_needed(self) -> Iterator[ResultTable]:
        """Yield how many units answer each question, and the interval of that number."""
        header = ["question", "subject", "demand", "in the pilot", "needed", "between", "with the pilot"]
        cells: list[list[Cell]] = [
            [
                row["name"],
                subject(row),
                demand(row),
                None if row["kind"] == DIFFERENCE else displayed_number(row, row["value"]),
                row["units_needed"],
                row["units_between"] and _between_words(*row["units_between"]),
                None if row["answered"] is None else Percent(row["answered"]),
            ]
            for row in self._rows
        ]
        is_simulated = any(row["kind"] != HALF_WIDTH for row in self._rows)
        note = f"answered in {100 * self.result['power']:g} % of such corpora" if is_simulated else ""
        yield ResultTable(f"{self._units.capitalize()} needed", header, cells, note=note)

    def curve(self) -> Iterator[ResultTable]:
        """Yield the share of corpora of several sizes that answer each question."""
        rows = [row for row in self._rows if row["curve"] and row["curve"][0]["answered"] is not None]
        if rows:
            cells: list[list[Cell]] = [
                [points_of[0]["units"], *(Percent(point["answered"]) for point in points_of)]
                for points_of in zip(*(row["curve"] for row in rows))
            ]
            header = [self._units, *(row["name"] for row in rows)]
            yield ResultTable("Power", header, cells, note="in per cent of simulated corpora")

    makers: ClassVar[Makers] = {"needed": units_needed, "curve": curve}

    def headline(self) -> str:
        """Return how many units answer all questions, in one line.

        >>> PlanView({"questions": [], "unit": "id", "units": 9, "documents": 9}).headline()
        'nothing is asked'
        """
        if not self._rows:
            return "nothing is asked"
        rows = [row for row in self._rows if row["kind"] != HALF_WIDTH]
        numbers = [row["units_needed"] for row in rows if row["units_needed"]]
        names = [row["name"] for row in self._rows if not row["units_needed"]]
        remarks = [visible(f"no number can be given for {', '.join(names)}")] if names else []
        answers = [
            f"about {row['units_needed']:,} {self._units} like these give {subject(row)} {demand(row)}"
            for row in self._rows
            if row["kind"] == HALF_WIDTH and row["units_needed"]
        ]
        if numbers:
            which = (
                ""
                if len(rows) == 1
                else " for each of the others"
                if len(numbers) < len(rows)
                else " for each question"
            )
            answer = f"about {max(numbers):,} {self._units} like these are enough{which}"
            answers.insert(0, f"{answer} in {100 * self.result['power']:g} % of samples")
        return visible("; ".join([*answers[:1], *answers[1:][-1:], *remarks]))

    def findings(self) -> list[Finding]:
        """Return the headline."""
        return [Finding("headline", self.headline())]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the headline."""
        return [self.headline()]

    def closing(self) -> list[str]:
        """Return why questions have no number, and the assumptions of the numbers."""
        lines = [visible(f"{row['name']}: {self._reason(row)}.") for row in self._rows if not row["units_needed"]]
        lines += [
            visible(
                f"{row['name']}: in this score the systems differ in {many(row['differing'], self._units[:-1])} of the "
                f"pilot. With the number needed, similar {self._units} cannot break the rule unless another "
                f"{self._units[:-1]} differs."
            )
            for row in self._rows
            if row["units_needed"] and _is_too_alike(row)
        ]
        pilot = f"the pilot of {many(self.result['units'], self._units[:-1])}"
        rules = any(row["kind"] not in (DIFFERENCE, HALF_WIDTH) for row in self._rows)
        values = any(row["kind"] != DIFFERENCE for row in self._rows)
        lines.append(
            f"Assumes new {self._units} like those of {pilot}{', and the same values' if values else ''}. The range "
            "is the "
            f"90 % interval of the number needed, since a pilot only estimates the variance of {self._units}"
            f"{' and the distance from the bound' if rules else ''}."
        )
        if any(row["units_between"] and row["units_between"][1] is None for row in self._rows):
            lines.append(
                "There is no upper limit where the 90 % interval of the value in the pilot contains the bound."
            )
        lines += [
            visible(
                f"{row['name']}: with {row['units_needed']:,} {self._units} it is met "
                f"{unseen_words(row['effective_units'] * row['units_needed'] / self.result['units'], self._units)}."
            )
            for row in self._rows
            if row["unseen"]
        ]
        if any(row["kind"] == DIFFERENCE for row in self._rows):
            lines.append(
                f"The difference is assumed to vary over {self._units} like that of the pilot's two systems. More "
                "similar systems need fewer."
            )
        return lines

    def _reason(self, row: Row) -> str:
        """Return why a question has no number."""
        if not row["effective_units"]:
            return "there are no such spans in the pilot, or the score is undefined without one of its documents"
        if _is_too_alike(row):
            return (
                f"in this score the systems differ in {many(row['differing'], self._units[:-1])}, too few to say how "
                "much they vary"
            )
        if row["few"]:
            return (
                f"the pilot has effectively {row['effective_units']:.1f} {self._units} with such spans, too few to say "
                "how much they vary: annotate a larger one first"
            )
        if row["kind"] == HALF_WIDTH:
            return (
                f"the {self._units} of the pilot do not vary in this score, or more than {MOST_UNITS:,} are needed: "
                "annotate a larger pilot, or ask for a wider interval"
            )
        return f"the value in the pilot is so close to the bound that more {self._units} like these would hardly decide"


def _is_too_alike(row: Row) -> bool:
    """Return whether two systems differ in too few units of the pilot to test."""
    return row["differing"] is not None and row["differing"] < LEAST_DIFFERING
