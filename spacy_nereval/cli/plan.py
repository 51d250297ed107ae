"""`nereval plan`: how many documents have to be annotated?"""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Argument, Option

from ..core.arguments import Reading
from .app import command
from .command_options import JSON, OUTPUT, Cutting, Model, Showing, check_suffix
from .gate import judged_systems
from .metric_options import names_and_options
from .printing import names_of_tables, print_view


@command("plan", metric_options=True)
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
    policy: Path | None = Option(None, "--policy", help="Policy of 'nereval gate', whose rules are to be decided"),
    difference: float | None = Option(
        None, "--difference", help="Difference from the baseline that is to be seen, in points"
    ),
    score: str = Option("strict_f", "--score", help="Score of the difference: a score key such as fair_f"),
    output: Path | None = OUTPUT,
) -> None:
    """
    Say how many documents have to be annotated so that the rules of a policy are
    decided, or a difference between two systems is seen, 4 times in 5.

    The documents given are a pilot: corpora of other sizes are simulated from what each
    of them adds to the scores. '--difference 2 --score fair_f' is about a difference of 2 points
    of fair F.
    """
    from ..evaluation.sample_size import plan, with_difference
    from ..io.policies import read_policy
    from ..io.writing import write_json
    from ..reporting.plan_view import PlanView

    names, options = names_and_options([*filter(None, [candidate]), *ctx.args])
    if gold is not None and not names and gold.suffix == ".npz":
        gold, names = None, [str(gold)]
    if len(names) != 1:
        raise typer.BadParameter("name the gold annotation and one candidate: GOLD CANDIDATE")
    check_suffix("--output", output, *JSON)
    wanted = names_of_tables(showing, PlanView)
    asked = None if policy is None else read_policy(policy)
    if difference is not None:
        asked = with_difference(asked, score, difference)
    if asked is None:
        raise ValueError("there is nothing to plan for: give --policy, or --difference with a number of points")
    sides = {"candidate": names[0], "baseline": baseline}
    result = plan(asked, *judged_systems(asked, gold, sides, options, (reading, loading, cutting)))
    if output:
        write_json(output, result)
    print_view(PlanView(result), wanted, showing, result["signature"])
