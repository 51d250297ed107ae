"""`nereval count` and `nereval merge`: counts as files."""

from __future__ import annotations

from pathlib import Path

import typer
from spacy.cli._util import Arg, Opt

from .common import (
    check_output,
    checked_confidence,
    chosen_metrics,
    command,
    counted,
    is_data,
    names_and_options,
    say,
    sources,
)
from .options import COUNTS, METRICS, SEED, SHARED_IDS, TRAIN, Model, Reading, Resampling, Sharding, check_prints_none


@command("count", metric_options=True)
def count_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    sharding: Sharding,
    first: str = Arg(..., metavar="GOLD...|MODEL", help="Gold annotation; or a model"),
    others: list[str] = Arg(
        ..., metavar="PRED...|DATA...", help="As many predictions on the same texts; or the model's gold annotation"
    ),
    output: Path = COUNTS,
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    replicates: int = Opt(0, "--replicates", help="Also resample this often, so that intervals can be merged", min=0),
    seed: int | None = SEED,
) -> None:
    """
    Count, and write the counts to a file that can be merged and scored later.

    With --replicates every document is weighted by itself, by a hash of its id:
    parts of a corpus that were counted on different machines then merge to
    intervals of the whole. With several files of gold annotation, or an engine,
    each is counted by some worker, and a run that was stopped goes on where it was.
    """
    from ..evaluation.intervals import replicate
    from ..io.count_files import save
    from ..io.paths import fetched

    names, options = names_and_options([first, *others, *ctx.args])
    check_output(output, None, *names)
    check_prints_none(reading.format)
    drawn = checked_confidence(replicates > 0, Resampling(None, replicates or None, seed))
    chosen = chosen_metrics(metrics, options, train)
    model = None if is_data(first) else first
    if model is None and len(names) % 2:
        raise ValueError(f"{len(names)} files were given; as many predictions as gold files were wanted, behind them")
    golds, preds = (names[1:], None) if model else (names[: len(names) // 2], names[len(names) // 2 :])
    if len(golds) > 1 or sharding.asked:
        from .sharded import counted_in_parts

        if drawn and (whole := [metric.name for metric in chosen if metric.note]):
            raise ValueError(f"{whole[0]} looks at the corpus as a whole, and cannot be resampled in parts")
        counts = counted_in_parts(golds, preds, model, chosen, reading, loading, drawn, sharding)
    else:
        with fetched(golds[0]) as gold, fetched(preds[0] if preds else golds[0]) as pred:
            documents = sources(gold, model or str(pred), reading, loading, is_model=model is not None)
            counts = counted(documents, chosen, gold.name, reading)
        if drawn:
            counts.replicates = replicate(counts, drawn.samples, drawn.seed)
    save(counts, output)
    say(f"✔ counts of {counts.documents} documents in {output}", fg="green")


@command("merge")
def merge_cli(
    parts: list[Path] = Arg(..., help="Counts of the parts, .npz"),
    output: Path = COUNTS,
    shared_ids: bool = SHARED_IDS,
) -> None:
    """
    Merge counts of the parts of a corpus to the counts of the whole.
    """
    from ..io.count_files import merge, save

    check_output(output, None)
    counts = merge(parts, shared_ids=shared_ids)
    save(counts, output)
    say(f"✔ counts of {counts.documents} documents in {output}", fg="green")
