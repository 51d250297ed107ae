"""`nereval errors`: which spans are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from spacy.cli._util import Arg, Opt

from .common import check_output, chosen_metrics, command, is_data, passing, print_tables, say, sources
from .options import DIGITS, TRAIN, Model, Reading, check_prints_none, chosen_formats, listed

if TYPE_CHECKING:
    from ..core.spans import Document

LIMIT = 20
HEAD = ("documents", "gold", "pred", "skipped", "ignored", "repaired")


@command("errors", metric_options=True)
def errors_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    gold: Path = Arg(..., help="Gold annotation: a file, or a folder of brat's"),
    system: str | None = Arg(None, metavar="PRED|MODEL", help="Predictions on the same texts, or a model"),
    metric: str = Opt("fair", "--metric", "-m", help="The metric whose verdicts are listed"),
    errors: list[str] | None = Opt(
        None,
        "--errors",
        "-e",
        help="Verdicts to list, such as fn,lbe, or 'all'. By default all on spans but hits. May be repeated",
    ),
    label: list[str] | None = Opt(
        None,
        "--label",
        "-l",
        help="Labels, such as PER,LOC, of which the gold or the predicted span has one. May be repeated; "
        "a label that has a comma itself goes alone",
    ),
    context: int = Opt(40, "--context", help="Characters of the text on either side of the spans, in a file", min=0),
    limit: int | None = Opt(
        None,
        "--limit",
        "-n",
        help=f"Rows to print, 0 for all. By default {LIMIT} in a terminal's table, else all",
        min=0,
    ),
    train: str | None = TRAIN,
    output: Path | None = Opt(
        None, "--output", "-o", help="Write the rows to this file, .jsonl or .csv, and print none", dir_okay=False
    ),
    digits: int = DIGITS,
) -> None:
    """
    List every verdict of a metric with its spans: which entities are wrong, and how.

    A file has all there is to say of a row, the texts and the context included;
    a .jsonl file has texts as they are. In .csv files and tables, control
    characters are spelt out, and in .csv files an apostrophe stands in front of
    what a spreadsheet would take for a formula. Printed tables mark the gold
    span with [ ] and the predicted one with { } in a stretch of the text.
    """
    from ..counting.counts import Counts
    from ..evaluation.error_list import FIELDS, Listed, error_list
    from ..io.writing import write_rows
    from ..reporting.sentences import heading
    from ..reporting.verdict_tables import list_table

    check_output(output, None, gold, *([system] if system else []))
    if output and output.suffix not in (".jsonl", ".csv"):
        raise ValueError(f"--output {output}: a .jsonl or a .csv file was wanted")
    if output:
        check_prints_none(reading.format)
    _, format = chosen_formats(reading.format)
    chosen, *others = chosen_metrics(metric, ctx.args, train)
    if others:
        raise ValueError(f"--metric {metric}: one metric was wanted, whose verdicts are to be listed")
    counts = Counts([chosen])
    counts.sources = [gold.name]
    documents: Iterable[Document | None] = passing(
        sources(gold, system, reading, loading, is_model=bool(system and not is_data(system))), counts
    )
    wanted = [name for each in errors for name in listed(each)] if errors else None
    labels = label or []
    if any("," in name for name in labels):
        documents = [*documents]  # held, since any of them may have a label with a comma
        labels = _known(labels, documents)
    numbers: Counter[str] = Counter()
    amounts: Counter[str] = Counter()

    def found() -> Iterator[Listed]:
        for each in error_list(documents, chosen, errors=wanted, labels=labels):
            numbers[each.verdict.name] += 1
            amounts[each.verdict.name] += each.verdict.amount  # type: ignore[assignment]  # of characters, shares
            yield each

    if output:
        write_rows(output, (each.row(context) for each in found()), header=FIELDS)
        say(f"✔ {_summary(numbers, amounts)} in {output}", fg="green")
        return
    limit = LIMIT if limit is None and format == "terminal" else limit
    rows = found()
    table = list_table(islice(rows, limit or None))
    more = sum(1 for _ in rows)
    print_tables(
        [table._replace(digits=digits)],
        reading.format,
        before=[heading({name: getattr(counts, name) for name in HEAD}), _summary(numbers, amounts)],
        after=[f"{more} more are not shown: --limit 0 prints all, --output FILE writes all"] if more else [],
    )


def _known(given: Sequence[str], documents: Iterable[Document | None]) -> list[str]:
    """The labels given: what some span has as it is, and of the rest what stands between commas."""
    seen = {span[2] for document in documents if document for span in (*document.gold_set, *document.pred_set)}
    return [label for each in given for label in ([each] if each in seen else listed(each))]


def _summary(numbers: Counter[str], amounts: Counter[str]) -> str:
    """How many there are of each verdict, and what they add up to where that is something else."""
    listed = ", ".join(
        f"{name} {number}" + (f" of amount {amounts[name]:g}" if amounts[name] != number else "")
        for name, number in numbers.most_common()
    )
    return f"{numbers.total()} verdicts ({listed})" if numbers else "no verdicts of this kind"
