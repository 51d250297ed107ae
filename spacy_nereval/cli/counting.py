"""`nereval count` and `nereval merge`: counts as files."""

from __future__ import annotations

from pathlib import Path

import typer
from spacy.cli._util import Arg, Opt

from .common import check_output, checked_confidence, chosen_metrics, command, counted, is_data, say, sources
from .options import COUNTS, METRICS, SEED, Model, Reading, Resampling


@command("count", metric_options=True)
def count_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    first: str = Arg(..., metavar="GOLD|MODEL", help="Gold annotation, .spacy or .jsonl; or a model"),
    second: str = Arg(..., metavar="PRED|DATA", help="Predictions on the same texts; or the model's gold annotation"),
    output: Path = COUNTS,
    metrics: str | None = METRICS,
    replicates: int = Opt(0, "--replicates", help="Also resample this often, so that intervals can be merged", min=0),
    seed: int | None = SEED,
) -> None:
    """
    Count, and write the counts to a file that can be merged and scored later.

    With --replicates every document is weighted by itself, by a hash of its id:
    parts of a corpus that were counted on different machines then merge to
    intervals of the whole.
    """
    from ..intervals import replicate
    from ..storage import save

    check_output(output, None, first, second)
    drawn = checked_confidence(replicates > 0, Resampling(None, replicates or None, seed))
    chosen = chosen_metrics(metrics, ctx.args)
    is_model = not is_data(first)
    gold, other = (Path(second), first) if is_model else (Path(first), second)
    counts = counted(sources(gold, other, reading, loading, is_model=is_model), chosen, gold.name, reading)
    if drawn:
        counts.replicates = replicate(counts, drawn.samples, drawn.seed)
    save(counts, output)
    say(f"✔ counts of {counts.documents} documents in {output}", fg="green")


@command("merge")
def merge_cli(
    parts: list[Path] = Arg(..., help="Counts of the parts, .npz"),
    output: Path = COUNTS,
) -> None:
    """
    Merge counts of the parts of a corpus to the counts of the whole.
    """
    from ..storage import merge, save

    check_output(output, None)
    counts = merge(parts)
    save(counts, output)
    say(f"✔ counts of {counts.documents} documents in {output}", fg="green")
