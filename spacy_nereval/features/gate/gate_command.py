"""The commands `nereval gate`, which says whether a model may ship, and `nereval plan`, which says how many documents
have to be annotated to decide that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from typer import Argument, Option

from ...cli.app import command
from ...cli.command_options import GOLD, JSON, OUTPUT, Cutting, Model, Showing, check_suffix, table_format
from ...cli.counting_documents import RunCounter
from ...cli.guards import STDOUT_FILE
from ...cli.metric_options import names_and_options
from ...cli.printing import names_of_tables, print_apart_from, print_result, say
from ...cli.sources import Source, named_runs
from ...core.arguments import HALF_WIDTH_POINTS, Reading
from .report_section import RULE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...evaluation.comparison import System
    from .policy import Policy

FAILED = 1
"""The exit status of a gate that fails."""


@command("gate", metric_options=True, view="spacy_nereval.features.gate.gate_view:GateView", heading="Select a model")
def gate_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    showing: Showing,
    cutting: Cutting,
    policy: Path = Argument(..., help="Policy: a config with a section gate.rules.NAME for each rule. Not with --rule"),
    gold: Path | None = GOLD,
    candidate: str | None = Argument(
        None, metavar="CANDIDATE", help="Predictions, a model or a count file (.npz); training runs as RUN,RUN..."
    ),
    baseline: str | None = Option(
        None, "--baseline", help="The released model, for rules that compare: as CANDIDATE, such as its counts (.npz)"
    ),
    rule: Annotated[list[str] | None, RULE] = None,
    init: bool = Option(False, "--init", help="Write a policy to start from to POLICY, and do nothing else"),
    junit: Path | None = Option(
        None, "--junit", help="JUnit XML file with a test case for each rule, .xml", dir_okay=False
    ),
    output: Path | None = OUTPUT,
) -> None:
    """
    Decide whether a model may ship, by the rules of a policy. Each rule is met, broken
    or undecided, by an interval of its score and never by the score alone.

    The exit status is 0 if the gate is passed, 1 if it fails, and 2 if the input
    cannot be used; the files of --junit and --output then say why. Undecided rules
    pass, warn or fail, as the policy says.

    With a baseline, every broken rule lists the gold spans that the baseline has
    right and the candidate has wrong. '--format markdown' makes the comment of a pull
    request.
    """
    from ...io.paths import error_message
    from ...io.writing import atomic_file
    from .gate_rules import judge_candidate
    from .gate_view import GateView
    from .gate_view import junit as junit_xml
    from .policy import read_policy

    if init:
        return _write_template(policy)
    check_suffix("--output", output, *JSON)
    check_suffix("--junit", junit, ".xml")
    tables = names_of_tables(showing, GateView)
    usage = (
        "name the policy, the gold annotation and one candidate: POLICY ",
        "; nereval gate --init POLICY writes one, and --rule 'strict_f at_least 85' needs none",
    )
    more = ctx.args
    if rule:  # so that the first argument is no policy
        gold, candidate, more = policy, None if gold is None else str(gold), [*filter(None, [candidate]), *ctx.args]
        usage = ("name the gold annotation and one candidate, and no policy beside --rule: ", "")
    arguments = _read_arguments(gold, candidate, more, *usage)
    try:
        rules = read_policy(rule or policy)
        result = judge_candidate(rules, *_count_systems(rules, arguments, baseline, reading, loading, cutting))
    except (ValueError, OSError) as error:
        _write_error(error_message(error), junit, output, showing)
        raise
    if junit:
        with atomic_file(junit) as file:
            file.write(junit_xml(result))
    print_result(GateView(result), tables, showing, output)
    if not result["passed"]:
        raise typer.Exit(FAILED)


def _write_error(message: str, junit: Path | None, output: Path | None, showing: Showing) -> None:
    """Write the files that steps of CI read, which say why nothing could be judged, and print it as a comment."""
    from ...io.writing import atomic_file, visible, write_json
    from .gate_view import junit_error

    if junit:
        with atomic_file(junit) as file:
            file.write(junit_error(message))
    if output:
        write_json(output, {"verdict": "error", "passed": False, "error": message})
    if table_format(showing.format) == "markdown":
        typer.echo(f"✘ the gate could not judge the candidate: {visible(message)}")


def _write_template(path: Path) -> None:
    """Write a policy to start from."""
    from ...io.paths import is_stream
    from ...io.writing import write_text
    from .policy import TEMPLATE

    if str(path) == "-":
        path = Path(STDOUT_FILE)
    if path.exists() and not is_stream(path):
        raise ValueError(f"{path} exists: choose another file for the new policy")
    write_text(path, TEMPLATE)
    with print_apart_from([path]):
        say(f"✔ {path}: change its bounds, then run 'nereval gate {path} GOLD CANDIDATE --baseline B'", fg="green")


@command("plan", metric_options=True, view="spacy_nereval.features.gate.gate_view:PlanView", heading="Select a model")
def plan_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    showing: Showing,
    cutting: Cutting,
    gold: Path | None = Argument(None, help="Gold annotation of the pilot. Not needed if all systems are count files"),
    candidate: str | None = Argument(None, metavar="CANDIDATE", help="Predictions, a model or a count file (.npz)"),
    baseline: str | None = Option(
        None, "--baseline", help="Another system, for a difference and for rules that compare: as CANDIDATE"
    ),
    policy: Path | None = Option(None, "--policy", help="Policy of 'nereval gate' to plan for"),
    rule: Annotated[list[str] | None, RULE] = None,
    difference: float | None = Option(
        None, "--difference", help="Difference from the baseline that is to be seen, in points"
    ),
    half_width: float | None = Option(None, "--half-width", help=HALF_WIDTH_POINTS.help),
    score: str = Option(
        "strict_f", "--score", help="Score of the difference or of the half width: a score key such as fair_f"
    ),
    output: Path | None = OUTPUT,
) -> None:
    """
    Estimate how many documents have to be annotated so that the rules of a policy are
    decided, or a difference between two systems is seen, in 80 % of samples; or so that
    the interval of a score is narrow.

    The documents given are a pilot: corpora of other sizes are simulated from the contribution
    of each to the scores. '--difference 2 --score fair_f' is about a difference of 2 points
    of fair F, '--half-width 2' about F ± 2 points. Without options, a table says how many
    documents give ± 0.5, 1, 2, 3 and 5 points.
    """
    from .gate_view import PlanView
    from .policy import read_policy_or_rules
    from .sample_size import add_questions, plan_documents

    arguments = _read_arguments(gold, candidate, ctx.args, "name the gold annotation and one candidate: ")
    check_suffix("--output", output, *JSON)
    tables = names_of_tables(showing, PlanView)
    rules = add_questions(read_policy_or_rules(policy, rule), score, difference, half_width)
    result = plan_documents(rules, *_count_systems(rules, arguments, baseline, reading, loading, cutting))
    print_result(PlanView(result), tables, showing, output)


class _Arguments(NamedTuple):
    """The gold annotation, the candidate and the options of metrics that the arguments name."""

    gold: Path | None
    candidate: str
    options: Sequence[str]


def _read_arguments(
    gold: Path | None, candidate: str | None, more: Sequence[str], usage: str, remedy: str = ""
) -> _Arguments:
    """Return what the arguments name. A count file in place of the gold annotation is the candidate."""
    names, options = names_and_options([*filter(None, [candidate]), *more])
    if gold is not None and not names and Source(gold).has_counts:
        gold, names = None, [str(gold)]
    if len(names) != 1:
        raise ValueError(f"{usage}GOLD CANDIDATE{remedy}")
    return _Arguments(gold, names[0], options)


def _count_systems(
    policy: Policy, arguments: _Arguments, baseline: str | None, reading: Reading, loading: Model, cutting: Cutting
) -> tuple[System, System | None]:
    """Return the candidate and the baseline (None without one), counted as the rules of a policy need it.

    Raises:
        ValueError: There is no baseline though a rule needs one, or the policy has another unit than `reading`.
    """
    from ...core.document_fields import keep_fields

    policy.check_baseline(bool(baseline))  # before anything is read
    if policy.unit and reading.unit not in (None, policy.unit):
        raise ValueError(f"the policy has the unit {policy.unit}, and --unit is {reading.unit}: give one of them")
    candidate_runs, baseline_runs = _list_runs(arguments.candidate), _list_runs(baseline) if baseline else []
    runs = [*candidate_runs, *baseline_runs]
    has_count_file = any(run.has_counts for run in runs)
    if policy.unit and reading.unit is None and not has_count_file:
        reading = replace(reading, unit=policy.unit)
    metrics = None if has_count_file else ",".join(policy.metrics)
    counter = RunCounter(runs, arguments.gold, metrics, arguments.options, None, reading, loading, cutting)
    with keep_fields(rule.by for rule in policy.rules if rule.by):
        system = counter.system("candidate", candidate_runs)
        return system, counter.system("baseline", baseline_runs) if baseline_runs else None


def _list_runs(text: str) -> list[Source]:
    """Return the training runs that an argument lists, or that a pattern matches; most systems have one."""
    names = [text] if Path(text).exists() else named_runs([f"candidate={text}"])["candidate"]
    return [*map(Source, names)]
