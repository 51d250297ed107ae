"""`nereval errors`: which spans are wrong, and how."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

from ..core.arguments import Reading
from ..core.messages import many
from .app import command
from .command_options import (
    DIGITS,
    ROWS,
    ROWS_OUTPUT,
    TRAIN,
    Cutting,
    Model,
    check_no_table_format,
    check_suffix,
    split_list,
    table_format,
)
from .counting_documents import totals_while_reading
from .guards import check_lexicons
from .metric_options import add_stored_labels, chosen_metrics, optional_name
from .printing import print_tables, prints_json_alone, say
from .sources import Gold, Source, check_is_no_model

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..core.spans import Document
    from ..evaluation.error_list import ListedVerdict
    from ..reporting.result_table import ResultTable
    from .sources import Documents

LIMIT = 20
"""Rows that a terminal shows without `--limit`."""


@command("errors", metric_options=True, heading="Start here")
def errors_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    cutting: Cutting,
    gold: Path = Argument(..., help="Gold annotation: a file, or a folder of brat files"),
    system: str | None = Argument(None, metavar="PRED|MODEL", help="Predictions on the same texts, or a model"),
    metric: str = Option("fair", "--metric", "-m", help="Metric for the verdicts"),
    errors: list[str] | None = Option(
        None,
        "--errors",
        "-e",
        help="Verdicts to list, such as fn,lbe, or 'all'. By default every verdict on a span that is not a hit. "
        "May be repeated",
    ),
    label: list[str] | None = Option(
        None,
        "--label",
        "-l",
        help="List only verdicts on gold or predicted spans with one of these labels, such as PER,LOC. May be "
        "repeated; give a label that contains a comma on its own",
    ),
    context: int = Option(
        40, "--context", help="Number of characters to write to a file before and after the spans", min=0
    ),
    limit: int | None = Option(
        None,
        "--limit",
        "-n",
        help=f"Number of rows to print, 0 for all. By default {LIMIT} in the terminal and all in other formats",
        min=0,
    ),
    train: str | None = TRAIN,
    output: Path | None = ROWS_OUTPUT,
    digits: int = DIGITS,
) -> None:
    """
    List which entities are wrong, and how. Each row is a verdict of a metric, with
    its spans.

    Printed tables show the spans in a short stretch of the text, the gold span
    in [ ] and the predicted span in { }. A file has all columns, with the texts
    of the spans and the context.

    A .jsonl file contains the texts unchanged. In .csv files and printed tables,
    control characters are replaced by escape sequences. In .csv files, an
    apostrophe precedes a text that a spreadsheet would read as a formula.
    """
    from ..evaluation.error_list import FIELDS, error_list
    from ..io.tables import write_rows
    from ..io.writing import write_json
    from ..reporting.remarks import heading, mention_lines

    if output:
        check_suffix("--output", output, *ROWS)
        check_no_table_format(reading.format, output)
    name, options = optional_name(system, ctx.args)
    terminal = table_format(reading.format) == "terminal"
    check_is_no_model(gold, f"nereval errors {name or 'GOLD'} {gold}")
    source = Source(name) if name else None
    sources = [source] if source else []
    reading = add_stored_labels(reading, sources)
    chosen, *others = chosen_metrics(metric, options, train, reading=reading, systems=sources).metrics
    check_lexicons([chosen], output)
    if others:
        raise ValueError(f"--metric {metric}: expected one metric")
    documents: Documents = Gold(gold, reading, both=source is None).documents(source, loading, cutting)
    totals, mentions, documents = totals_while_reading(documents, gold.name)
    labels = label or []
    if any("," in name for name in labels):
        documents = [*documents]  # kept, since any of them may have a label that contains a comma
        labels = _split_labels(labels, documents)
    verdicts = [name for text in errors for name in split_list(text)] if errors else None
    summary = Summary()
    rows = summary.watch(error_list(documents, chosen, errors=verdicts, labels=labels))
    if output and prints_json_alone():
        write_json(output, [row.row(context) for row in rows])
    elif output:
        write_rows(output, (row.row(context) for row in rows), header=FIELDS)
        say(f"✔ {summary} in {output}", fg="green")
    else:
        table, more = _first_rows(rows, LIMIT if limit is None and terminal else limit)
        print_tables(
            [table._replace(digits=digits)],
            reading.format,
            before=[heading(totals), *mention_lines(mentions), str(summary), *summary.legend(chosen)],
            after=[f"{more} more are not shown: --limit 0 prints all, --output FILE writes all"] if more else [],
        )


class Summary:
    """The number of rows of each verdict, and the sum of their amounts."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.amounts: dict[str, float] = {}

    def watch(self, rows: Iterable[ListedVerdict]) -> Iterator[ListedVerdict]:
        """Yield the rows, and count them."""
        for row in rows:
            name, amount = row.verdict.name, row.verdict.amount
            self.numbers[name] += 1
            self.amounts[name] = self.amounts.get(name, 0) + amount
            yield row

    def legend(self, metric: Metric) -> list[str]:
        """Return the meanings of the verdicts, if the metric's verdicts have words."""
        words = metric.words
        meanings = [f"{name} = {words[name].full}" for name, _ in self.numbers.most_common() if name in words]
        return ["; ".join(meanings)] if meanings else []

    def __str__(self) -> str:
        """Return the numbers, with the amounts where these differ."""
        listed = ", ".join(
            f"{name} {number}" + (f" of amount {self.amounts[name]:g}" if self.amounts[name] != number else "")
            for name, number in self.numbers.most_common()
        )
        number = self.numbers.total()
        return f"{many(number, 'verdict')} ({listed})" if listed else "no verdicts of this kind"


def _first_rows(rows: Iterator[ListedVerdict], limit: int | None) -> tuple[ResultTable, int]:
    """Return a table of the first rows, or of all without a limit, and the number of further rows."""
    from ..reporting.verdict_tables import error_list_table

    table = error_list_table(islice(rows, min(limit, sys.maxsize) if limit else None))
    return table, sum(1 for _ in rows)


def _split_labels(given: Sequence[str], documents: Iterable[Document | None]) -> list[str]:
    """Return the labels given. One that no span has is read as a comma-separated list."""
    spans = (span for document in documents if document for span in chain(*document.sides))
    labels = {label for _, _, label in spans}
    return [label for text in given for label in ([text] if text in labels else split_list(text))]
