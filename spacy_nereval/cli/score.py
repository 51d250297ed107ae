"""`nereval score`: predictions against gold annotation, or counts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from spacy.cli._util import Arg

from .common import asked_examples, check_output, checked_confidence, chosen_metrics, command, counted, show, sources
from .lookups import asked_breakdowns
from .options import CONFIDENCE, METRICS, OUTPUT, PER_DOCUMENT, Lookups, Reading, Resampling, Showing

if TYPE_CHECKING:
    from ..evaluation.breakdown import Breakdown
    from ..evaluation.error_list import Examples


@command("score", metric_options=True)
def score_cli(
    ctx: typer.Context,
    reading: Reading,
    resampling: Resampling,
    showing: Showing,
    lookups: Lookups,
    gold: Path = Arg(..., help="Gold annotation: a file, or a folder of brat's; or counts, .npz"),
    pred: Path | None = Arg(None, help="Predictions on the same texts, in the same order"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    confidence: bool = CONFIDENCE,
    per_document: Path | None = PER_DOCUMENT,
) -> None:
    """
    Score predictions against gold annotation, or counts.

    Both sides may be .spacy files; .jsonl files, of one {"text", "spans":
    [{"start", "end", "label"}]} per line, or as Prodigy and doccano write them;
    CoNLL files (.conll, .iob, .bio, .tsv); folders of brat's .txt and .ann
    files; or .csv files of FairEval. A CoNLL file alone has gold labels in its
    last column but one, and predictions in the last. An .npz file is one that
    'count' or 'merge' wrote; its metrics are settled.
    """
    drawn = checked_confidence(confidence, resampling)
    breakdowns: list[Breakdown] = []
    examples: list[Examples] = []
    check_output(output, per_document, gold, *([pred] if pred else []), average=showing.average)
    if gold.suffix == ".npz":
        if pred or metrics or ctx.args or lookups.by or lookups.train:
            raise ValueError(
                f"{gold} holds counts and no spans: predictions, metrics and their options were given when counting, "
                "and nothing can be looked up"
            )
        from ..io.count_files import load

        counts = load(gold)
    else:
        chosen = chosen_metrics(metrics, ctx.args, lookups.train, attributes=lookups.by, gold=gold, reading=reading)
        breakdowns = asked_breakdowns(lookups, chosen)
        examples = asked_examples(showing, chosen)
        documents = sources(gold, str(pred) if pred else None, reading)
        counts = counted(documents, chosen, gold.name, reading, [*breakdowns, *examples])
    show(counts, drawn, output, per_document, showing, breakdowns, examples)
