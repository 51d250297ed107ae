"""`gate` and `plan` in Python, of files, objects or counts, and the results that they return."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ...api.accessors import Headline, interval_of
from ...api.inputs import ItemReading, Items, documents_of, kept_items, reading_of_items, with_item_reading
from ...api.scoring import counts_of, counts_of_documents, runs_of
from ...api.shown import Shown, table_frame
from ...core.compression import format_extension
from ...core.document_fields import keep_fields
from ...evaluation.comparison import System
from ...io.writing import atomic_file
from ...metrics.registry import create, names
from .gate_rules import judge_candidate
from .gate_view import GateView, PlanView, demand, junit
from .policy import Policy, read_policy
from .sample_size import add_questions, plan_documents

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


FAILURES = ("failures", "failed", "failed_rules", "reasons", "broken", "violations", "errors", "messages")
"""The names that other packages give to the rules that fail."""


class RuleVerdict(NamedTuple):
    """The verdict on a rule.

    Attributes:
        name: The name of the rule.
        verdict: "met", "broken" or "undecided".
        counts_as: Its effect on the gate: "pass", "warn" or "fail".
        required: Whether the gate depends on the rule.
        value: The score or the difference; ratios are from 0 to 1; None where undefined.
        low, high: Its one-sided bounds; None where there is no interval.
        units_needed: About how many units would decide it, if that is known.
        unseen: Whether it is met only if there are no documents of a kind that is not in the test set.
    """

    name: str
    verdict: str
    counts_as: str
    required: bool
    value: float | None
    low: float | None
    high: float | None
    units_needed: int | None
    unseen: bool


class Gate(Shown):
    """The verdict on a candidate: a dict, equal to the JSON of `nereval gate`, that you can print and save.

    `gate` makes it.

    >>> from spacy_nereval import gate
    >>> rules = {"overall": {"score": "strict_f", "at_least": 90}}
    >>> result = gate({"gate": {"rules": rules}}, [["B-PER"]] * 60, [["B-PER"]] * 60)
    >>> result.passed, result.verdict, result.rules[0].verdict
    (True, 'met', 'met')
    """

    _lines: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("ok", "success", "is_passed", "pass_"), "g.passed"),
        "status": "g.verdict",
        **dict.fromkeys(("reason", "message", "explanation", "why"), "g.conclusion"),
        **dict.fromkeys(("to_junit", "to_xml", "save_junit", "junit"), "g.save('results.xml')"),
        **dict.fromkeys(("exit_code", "returncode"), "int(not g.passed)"),
        **dict.fromkeys(("raise_if_failed", "check", "assert_passed", "raise_for_status"), "assert g.passed, str(g)"),
        **dict.fromkeys(FAILURES, "[rule for rule in g.rules if rule.counts_as == 'fail'], or print(g)"),
    }
    _kind: ClassVar[str] = "Gate"
    summarised: ClassVar[Sequence[str]] = ("rules", "lost")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per rule: its demand, the finding, and the verdict."""
        return [*self["rules"]]

    @property
    def headline(self) -> Headline:
        """The score or difference of the first required rule that is broken, else of the first undecided one, else of
        the first: its score key, value, one-sided bounds and direction.

        A rule on how often spans are predicted has its own name, and its demand as direction.
        """
        verdicts = ("broken", "undecided", "met")
        row = min(self.rows, key=lambda row: (not row["required"], verdicts.index(row["verdict"])))
        bounds = dict(zip(("low", "high"), row["interval"]))
        if row["metric"] not in names():
            return Headline(row["name"], row["value"], interval_of(bounds), demand(row))
        return Headline.of(create(row["metric"]), row["score"], row["value"], bounds)

    def _attribute_meant(self, name: str) -> Any:
        if name in FAILURES:
            return [rule for rule in self.rules if rule.counts_as == "fail"]
        return super()._attribute_meant(name)

    @property
    def passed(self) -> bool:
        """Whether no required rule fails."""
        passed: bool = self["passed"]
        return passed

    def __bool__(self) -> bool:
        """Return whether the gate is passed: `assert gate(...)`. To the encoder of JSON it is a dict with items."""
        return self.passed or sys._getframe(1).f_globals.get("__name__") == "json.encoder"

    @property
    def verdict(self) -> str:
        """The verdict on all required rules: "met", "broken" or "undecided"."""
        verdict: str = self["verdict"]
        return verdict

    @property
    def rules(self) -> list[RuleVerdict]:
        """The verdict on each rule."""
        return [
            RuleVerdict(
                row["name"],
                row["verdict"],
                row["counts_as"],
                row["required"],
                row["value"],
                row["interval"][0],
                row["interval"][1],
                row["units_needed"],
                row["unseen"],
            )
            for row in self["rules"]
        ]

    def to_frame(self, table: str = "rules") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame.

        Args:
            table: The name of a table for `--tables` of `nereval gate`: "rules", "unmet", "lost" or "spans".

        Raises:
            ValueError: There is no such table, or pandas is not installed.

        >>> from spacy_nereval import gate
        >>> rules = {"overall": {"score": "strict_f", "at_least": 90}}
        >>> result = gate({"gate": {"rules": rules}}, [["B-PER"]] * 60, [["B-PER"]] * 60)
        >>> result.to_frame()[["rule", "found"]].values.tolist()
        [['overall', 1.0]]
        """
        return table_frame(GateView(self).tables([table]))

    def save(self, path: str | Path) -> None:
        """Write the result to a file in the format that the file extension names.

        Args:
            path: `.json` for the whole result; `.xml` for JUnit XML; `.md`, `.tex`, `.csv` or `.html` for all tables.

        Raises:
            ValueError: The file extension is unknown.
            OSError: The file cannot be written.

        >>> from spacy_nereval import gate
        >>> rules = {"overall": {"score": "strict_f", "at_least": 90}}
        >>> result = gate({"gate": {"rules": rules}}, [["B-PER"]] * 60, [["B-PER"]] * 60)
        >>> result.save(getfixture("tmp_path") / "gate.xml")
        """
        if format_extension(Path(path)) == ".xml":
            with atomic_file(Path(path)) as file:
                file.write(junit(self))
        else:
            super().save(path)

    def _view(self, average: str = "micro", *, every: bool = False) -> GateView:
        return GateView(self)

    def _report(self, name: str) -> str | None:
        return None


@with_item_reading
def gate(
    policy: str | Path | Mapping[str, Any] | Sequence[str],
    gold: Iterable[Any] | str | Path | None,
    candidate: Any,
    baseline: Any = None,
    *,
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Gate:
    """Decide whether a model may ship, by the rules of a policy.

    Args:
        policy: The path of a policy, its content as a table, {"gate": {"rules": {NAME: {...}}}}, or a list of rules
            as `--rule` takes them, ["strict_f at_least 85"].
        gold: The gold annotation, as `score` takes it; None if the systems are counts.
        candidate: Predictions as `score` takes them, or counts. For a system that was
            trained several times, a table of its runs, {"run 1": pred, "run 2": pred}.
        baseline: The released model, for rules that compare: as `candidate`.
        text, tokens, scheme, repair, end, spans_key, labels, only, label_from, depth, sep, match, occurrences,
            tag_names, offsets, keys, match_text: As for `score`.
        outside, trim, join, missing_tokens: As for `score`.

    Returns:
        The verdict: a dict with methods that print and save it; see `Gate`.

    Raises:
        ValueError: The policy or an argument cannot be used, or the baseline has other gold annotation.
        OSError: A file cannot be read.

    >>> from spacy_nereval import gate
    >>> rules = {"not_worse": {"score": "strict_f", "worse_by_at_most": 5}}
    >>> gold = [["B-PER", "B-LOC"]] * 40
    >>> result = gate({"gate": {"rules": rules}}, gold, [["B-PER", "O"]] * 40, gold)
    >>> result.verdict, result["rules"][0]["lost_groups"]
    ('broken', [{'label': 'LOC', 'to': 'missed', 'spans': 40}])
    """
    return Gate(judge_candidate(*_count_systems(read_policy(policy), gold, candidate, baseline, text, tokens, options)))


def _count_systems(
    policy: Policy,
    gold: Iterable[Any] | str | Path | None,
    candidate: Any,
    baseline: Any,
    text: Iterable[str | None] | None,
    tokens: Iterable[Any] | None,
    options: ItemReading,
) -> tuple[Policy, System, System | None]:
    """Return a policy, the candidate and the baseline, counted as the rules need it."""
    with keep_fields(rule.by for rule in policy.rules if rule.by):
        reading = reading_of_items(**options)
        runs_of_role = {
            role: [(name, run, counts_of(run)) for name, run in runs_of(role, pred)]
            for role, pred in (("candidate", candidate), ("baseline", baseline))
            if role == "candidate" or pred is not None
        }
        stored_counts = next((counts for runs in runs_of_role.values() for *_, counts in runs if counts), None)
        reading_in_units = reading if stored_counts else replace(reading, unit=policy.unit)
        items, gold_items = kept_items(Items(policy.metrics, reading_in_units, text, tokens), gold)
        systems: dict[str, System] = {}
        for role, runs in runs_of_role.items():
            run_counts, kept = [], None
            for name, run, counts in runs:
                if counts is None:
                    if gold_items is None:
                        raise ValueError("missing gold annotation: expected one item per document")
                    kept, chosen = documents_of(gold_items, run, items, name)
                    counts = counts_of_documents(
                        kept, stored_counts.metrics if stored_counts else chosen.metrics, reading.spans_key
                    )
                run_counts.append(counts)
            systems[role] = System(role, run_counts, kept)
        return policy, systems["candidate"], systems.get("baseline")


class Plan(Shown):
    """How many documents answer the questions of a release: a dict, equal to the JSON of `nereval plan`, that you can
    print and save.

    `plan` makes it.

    >>> from spacy_nereval import plan
    >>> gold, pred = [["B-PER", "B-LOC"]] * 60, [["B-PER", "B-LOC"], ["B-PER", "O"]] * 30
    >>> result = plan(gold, pred, policy={"gate": {"rules": {"recall": {"score": "strict_r", "at_least": 70}}}})
    >>> result["questions"][0]["units_needed"]
    170
    """

    _lines: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("n", "n_docs", "n_documents", "sample_size", "docs", "needed", "required", "size"), "p.documents_needed"
    )
    _kind: ClassVar[str] = "Plan"
    summarised: ClassVar[Sequence[str]] = ("needed",)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per question: its demand, the value in the pilot, and how many units answer it."""
        return [*self["questions"]]

    @property
    def headline(self) -> Headline:
        """The question that needs most documents: its name, the number and its range, and "documents needed".

        The number is None if there is none for any question. The range is infinite where there is no upper limit.
        """
        row = max(self.rows, key=lambda row: row["documents_needed"] or 0)
        documents_per_unit, interval = self["documents"] / max(self["units"], 1), row["units_between"] or None
        bounds = interval and {
            name: math.inf if bound is None else documents_per_unit * bound
            for name, bound in zip(("low", "high"), interval)
        }
        number = None if row["documents_needed"] is None else float(row["documents_needed"])
        return Headline(row["name"], number, interval_of(bounds), "documents needed")

    @property
    def documents_needed(self) -> dict[str, int | None]:
        """About how many documents answer each question in 80 % of samples, by its name; None where it is not known."""
        return {row["name"]: row["documents_needed"] for row in self["questions"]}

    def to_frame(self, table: str = "needed") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame.

        Args:
            table: The name of a table for `--tables` of `nereval plan`: "needed" or "curve".

        Raises:
            ValueError: There is no such table, or pandas is not installed.

        >>> from spacy_nereval import plan
        >>> rules = {"gate": {"rules": {"recall": {"score": "strict_r", "at_least": 70}}}}
        >>> result = plan([["B-PER", "B-LOC"]] * 60, [["B-PER", "B-LOC"], ["B-PER", "O"]] * 30, policy=rules)
        >>> result.to_frame()[["question", "in the pilot"]].values.tolist()
        [['recall', 0.75]]
        """
        return table_frame(PlanView(self).tables([table]))

    def _view(self, average: str = "micro", *, every: bool = False) -> PlanView:
        return PlanView(self)

    def _report(self, name: str) -> str | None:
        return None


@with_item_reading
def plan(
    gold: Iterable[Any] | str | Path | None,
    candidate: Any,
    baseline: Any = None,
    *,
    policy: str | Path | Mapping[str, Any] | Sequence[str] | None = None,
    difference: float | None = None,
    half_width: float | None = None,
    score: str = "strict_f",
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Plan:
    """Estimate how many documents have to be annotated, from the documents of a pilot.

    They are enough if the rules of a policy are decided, or a difference between two systems is seen, in 80 % of
    samples; or if the interval of a score is narrow. If nothing is asked, the plan is for half widths of 0.5, 1, 2, 3
    and 5 points.

    Args:
        gold: The gold annotation of the pilot, as `score` takes it; None if the systems are counts.
        candidate: Predictions, counts or training runs, as `gate` takes them.
        baseline: Another system, for a difference and for rules that compare: as `candidate`.
        policy: The policy of a gate, as `gate` takes it; None for none.
        difference: The difference from the baseline that is to be seen, in points; None for none.
        half_width: How far the interval of the score may reach on either side, in points; None for no such question.
        score: The score of the difference or of the half width, a score key or METRIC.SCORE.
        text, tokens, scheme, repair, end, spans_key, labels, only, label_from, depth, sep, match, occurrences,
            tag_names, offsets, keys, match_text: As for `score`.
        outside, trim, join, missing_tokens: As for `score`.

    Returns:
        The plan: a dict with methods that print and save it; see `Plan`.

    Raises:
        ValueError: The policy or an argument cannot be used.
        OSError: A file cannot be read.

    >>> from spacy_nereval import plan
    >>> gold = [["B-PER", "B-LOC"]] * 60
    >>> old, new = [["B-PER", "B-LOC"], ["B-PER", "O"]] * 30, [["B-PER", "B-LOC"], ["O", "B-LOC"], ["O", "B-LOC"]] * 20
    >>> plan(gold, new, old, difference=5).documents_needed
    {'difference': 170}
    >>> plan(gold, new, half_width=3).documents_needed
    {'half width': 128}
    """
    rules = add_questions(None if policy is None else read_policy(policy), score, difference, half_width)
    return Plan(plan_documents(*_count_systems(rules, gold, candidate, baseline, text, tokens, options)))
