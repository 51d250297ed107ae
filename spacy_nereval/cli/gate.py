"""`nereval gate`: may this model ship?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

from ..core.arguments import Reading
from .app import command
from .command_options import JSON, OUTPUT, Cutting, Model, Showing, check_suffix
from .counting_documents import RunCounter, only_count_files
from .guards import STDOUT_FILE
from .metric_options import names_and_options
from .printing import apart_from, names_of_tables, print_view, say
from .systems import named_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..evaluation.gate_policy import Policy
    from ..evaluation.gate_rules import Judged

FAILED = 1
"""The exit status of a gate that fails."""


@command("gate", metric_options=True)
def gate_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    showing: Showing,
    cutting: Cutting,
    policy: Path = Argument(..., help="Policy, a config with a section [gate.rules.NAME] for each rule"),
    gold: Path | None = Argument(
        None, help="Gold annotation: a file, or a folder of brat files. Not needed if all systems are count files"
    ),
    candidate: str | None = Argument(
        None, metavar="CANDIDATE", help="Predictions, a model or a count file (.npz); training runs as RUN,RUN..."
    ),
    baseline: str | None = Option(
        None, "--baseline", help="The released model, for rules that compare: as CANDIDATE, such as its counts (.npz)"
    ),
    init: bool = Option(False, "--init", help="Write a policy to start from to POLICY, and do nothing else"),
    junit: Path | None = Option(
        None, "--junit", help="JUnit XML file with a test case for each rule, .xml", dir_okay=False
    ),
    output: Path | None = OUTPUT,
) -> None:
    """
    Say whether a model may ship, by the rules of a policy. Each rule is met, broken
    or undecided, by an interval of its score and never by the score alone.

    The exit status is 0 if the gate is passed, 1 if it fails, and 2 if the input
    cannot be used. Undecided rules pass, warn or fail, as the policy says.

    With a baseline, every broken rule lists the gold spans that the baseline has
    right and the candidate has wrong. '--format markdown' makes the comment of a pull
    request.
    """
    from ..evaluation.gate_rules import gate
    from ..io.policies import read_policy
    from ..io.writing import write_json
    from ..reporting.gate_view import GateView

    if init:
        return _write_template(policy)
    names, options = names_and_options([*filter(None, [candidate]), *ctx.args])
    if gold is not None and not names and gold.suffix == ".npz":
        gold, names = None, [str(gold)]
    if len(names) != 1:
        raise typer.BadParameter("name the policy, the gold annotation and one candidate: POLICY GOLD CANDIDATE")
    check_suffix("--output", output, *JSON)
    check_suffix("--junit", junit, ".xml")
    wanted = names_of_tables(showing, GateView)
    rules = read_policy(policy)
    sides = {"candidate": names[0], "baseline": baseline}
    result = gate(rules, *judged_systems(rules, gold, sides, options, (reading, loading, cutting)))
    if output:
        write_json(output, result)
    if junit:
        _write_junit(junit, result)
    print_view(GateView(result), wanted, showing, result["signature"])
    if not result["passed"]:
        raise typer.Exit(FAILED)


def _write_template(path: Path) -> None:
    """Write a policy to start from."""
    from ..io.paths import is_stream
    from ..io.policies import TEMPLATE
    from ..io.writing import atomic

    if str(path) == "-":
        path = Path(STDOUT_FILE)
    if path.exists() and not is_stream(path):
        raise ValueError(f"{path} exists: choose another file for the new policy")
    with atomic(path) as file:
        file.write(TEMPLATE.encode())
    with apart_from([path]):
        say(f"✔ {path}: change its bounds, then run 'nereval gate {path} GOLD CANDIDATE --baseline B'", fg="green")


def judged_systems(
    policy: Policy,
    gold: Path | None,
    sides: Mapping[str, str | None],
    options: Sequence[str],
    how: tuple[Reading, Model, Cutting],
) -> tuple[Judged, Judged | None]:
    """Return the candidate and, if there is one, the baseline, counted as the rules of a policy need it.

    Raises:
        ValueError: There is no baseline though a rule needs one.
    """
    if policy.needs_baseline and not sides["baseline"]:
        raise ValueError(f"rule {policy.needs_baseline[0]} compares with a baseline: give --baseline")
    runs = {role: _runs(given) for role, given in sides.items() if given}
    reading, loading, cutting = how
    every = [run for own in runs.values() for run in own]
    stored = any(run.endswith(".npz") for run in every)
    if policy.unit and reading.unit is None and not stored:
        reading = replace(reading, unit=policy.unit)
    metrics = None if stored else ",".join(policy.metrics)
    counter = RunCounter(every, gold or only_count_files(every), metrics, options, None, reading, loading, cutting)
    judged = {role: _judged(role, own, counter) for role, own in runs.items()}
    return judged["candidate"], judged.get("baseline")


def _runs(text: str) -> list[str]:
    """Return the training runs that an argument lists, or that a pattern matches; most systems have one."""
    return [text] if Path(text).exists() else named_runs([f"candidate={text}"])["candidate"]


def _judged(role: str, runs: list[str], counter: RunCounter) -> Judged:
    """Return a system counted, with its documents if it has a single run of predictions."""
    from ..evaluation.comparison import System
    from ..evaluation.gate_rules import Judged
    from ..evaluation.transitions import outcomes_of

    counted = [counter.count(run) for run in runs]
    kept = counted[0][1] if len(counted) == 1 else None
    outcomes = None if kept is None else outcomes_of(kept, counted[0][0].metrics)
    return Judged(System(role, [counts for counts, _ in counted], outcomes), kept)


def _write_junit(path: Path, result: dict[str, object]) -> None:
    from ..io.writing import atomic
    from ..reporting.gate_view import junit

    with atomic(path) as file:
        file.write(junit(result))
