"""`nereval compare`: systems against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

from ..core.arguments import Reading
from .app import command
from .command_options import (
    GOLD,
    JSON,
    METRICS,
    NAMES,
    OUTPUT,
    TRAIN,
    Cutting,
    HypothesisOptions,
    Model,
    Resampling,
    Showing,
    check_suffix,
    chosen_confidence,
)
from .counting_documents import RunCounter
from .guards import check_lexicons
from .help_pages import GroupedCommand
from .metric_options import names_and_options
from .printing import names_of_tables, print_result
from .sources import compared_systems

if TYPE_CHECKING:
    from collections.abc import Sequence


class WithBareLabels(GroupedCommand):
    """Reads `--labels` without a mapping as `--per-label`, which it meant before labels could be mapped."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # releases of typer differ in the class of contexts
        """Return the arguments that are left, as the base class does."""
        return super().parse_args(ctx, with_per_label(args))


def with_per_label(args: Sequence[str]) -> list[str]:
    """Return the arguments with `--per-label` for each `--labels` that no mapping follows.

    >>> with_per_label(["--labels", "gold.jsonl", "a.jsonl"])
    ['--per-label', 'gold.jsonl', 'a.jsonl']
    >>> with_per_label(["--labels", "PER=PERSON", "--labels"])
    ['--labels', 'PER=PERSON', '--per-label']
    """
    following = [*args[1:], ""]
    mapping = ["=" in text or text.endswith(".json") or text.startswith("{") for text in following]
    return ["--per-label" if arg == "--labels" and not its else arg for arg, its in zip(args, mapping)]


@command(
    "compare",
    metric_options=True,
    cls=WithBareLabels,
    view="spacy_nereval.reporting.comparison_view:ComparisonView",
    heading="Start here",
)
def compare_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    testing: HypothesisOptions,
    showing: Showing,
    cutting: Cutting,
    gold: Path | None = GOLD,
    systems: list[str] | None = Argument(
        None, metavar="BASELINE OTHER...", help="Predictions, models, or count files (.npz)"
    ),
    system: list[str] | None = Option(
        None,
        "--system",
        metavar="NAME=RUN,RUN...",
        help="System with its training runs: predictions, models or count files, or patterns such as "
        'A="a/*.jsonl". Once for each system, the baseline first, instead of BASELINE OTHER...',
    ),
    name: list[str] | None = NAMES,
    per_label: bool = Option(
        False, "--per-label", help="Also compare the primary score of each label, as --labels without a value does"
    ),
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    output: Path | None = OUTPUT,
) -> None:
    """
    Compare systems with a baseline. Print a conclusion on the primary score, then
    differences with intervals, paired tests, and the gold spans whose outcome
    changed.

    Each system is a file of predictions, a model, or a count file. Count files
    hold no spans, so changed spans are listed for the other systems only.

    Collapsed counts are compared by the half-samples that they keep, without
    permutation tests.

    Give systems that were trained several times as --system A=a1.jsonl,a2.jsonl
    --system B=b1.jsonl,b2.jsonl: their mean scores are compared, and intervals
    and tests account for the randomness of training.
    """
    from ..evaluation.comparison import comparison
    from ..evaluation.tested import families
    from ..reporting.comparison_view import ComparisonView

    names, options = names_and_options([*(systems or []), *ctx.args])
    check_suffix("--output", output, *JSON)
    drawn = chosen_confidence(True, resampling)
    gold, named = compared_systems(gold, names, system or [], name or [])
    every_run = [run for _, runs in named for run in runs]
    wanted = names_of_tables(showing, ComparisonView)
    hypotheses = testing.hypotheses(per_label)
    if resampling.samples is not None or resampling.seed is not None:
        for run in every_run:
            run.check_half_samples(resampling, wanted=True)
    counter = RunCounter(every_run, gold, metrics, options, train, reading, loading, cutting)
    check_lexicons(counter.metrics, output)
    families(counter.metrics, hypotheses.primary, hypotheses.secondary)  # before anything is read
    compared = [counter.system(shown, runs) for shown, runs in named]
    documents = next((system.documents for system in reversed(compared) if system.documents), [])
    result = comparison(compared, documents, drawn, testing.trials, **hypotheses._asdict(), short=showing.short)
    result |= {"left_out": counter.left_out} if counter.left_out else {}
    print_result(ComparisonView(result), wanted, showing, output)
