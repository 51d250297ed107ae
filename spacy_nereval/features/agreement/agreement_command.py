"""`nereval agreement`: how far annotators agree, and their systematic differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

from ...cli.app import command
from ...cli.command_options import (
    JSON,
    OUTPUT,
    SHORT,
    TRAIN,
    Resampling,
    Showing,
    check_suffix,
    chosen_confidence,
    split_list,
)
from ...cli.guards import check_lexicons
from ...cli.metric_options import chosen_metrics, names_and_options
from ...cli.printing import more_tables, names_of_tables, print_tables, say, tables_to_print
from ...cli.sources import Gold, Source, display_names, reading_of, rules_of, say_left_out
from ...core.arguments import HALF_WIDTH_POINTS, MOST_DOCUMENTS, Reading, check_value, side_reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .shared_documents import SharedDocuments

NAMES = Option(
    None,
    "--name",
    help="Name of an annotator: once for each file, in their order, or OLD=NEW for an annotator of a file that names "
    "several. By default the parts of the file names that differ, or the names in the file",
)


@command(
    "agreement",
    metric_options=True,
    view="spacy_nereval.features.agreement.agreement_view:AgreementView",
    heading="Start here",
)
def agreement_cli(
    ctx: typer.Context,
    reading: Reading,
    resampling: Resampling,
    showing: Showing,
    annotations: list[str] = Argument(
        ...,
        metavar="A [B C...]",
        help="Annotation of each annotator; or one file of Label Studio or Prodigy, or a folder of INCEpTION or "
        "WebAnno, with the annotation of all; or a folder with a folder or a file for each annotator",
    ),
    name: list[str] | None = NAMES,
    metrics: str | None = Option(
        None,
        "--metrics",
        "-m",
        help="Metrics or sets of metrics, separated by commas. By default strict, semeval, relaxed and char",
    ),
    unit: str = Option(
        "token", "--unit", help="Unit of alpha and kappa: token or char. Intervals resample documents, whichever it is"
    ),
    tokenizer: str | None = Option(
        None,
        "--tokenizer",
        help="Language of the spaCy tokenizer, such as en or xx. By default, tokens are those that all annotators of a "
        "document share, or else words between white space",
    ),
    consensus: str = Option(
        "majority",
        "--consensus",
        help="Votes that a span of the consensus needs: majority (of those who annotated the document), all, or a "
        "number",
    ),
    confidence: bool = Option(
        False,
        "--confidence",
        "-C",
        help="Add a confidence interval to every number (jackknife over documents). Without it, only the main "
        f"numbers have one, up to {MOST_DOCUMENTS} documents",
    ),
    half_width: float | None = Option(
        None,
        "--half-width",
        help="Estimate how many documents it takes until the intervals of alpha and of the main score reach so many "
        "points on either side. An alpha of 1 is 100 points",
    ),
    train: str | None = TRAIN,
    output: Path | None = OUTPUT,
    write_consensus: Path | None = Option(
        None,
        "--write-consensus",
        help="JSONL file for the consensus as gold annotation, with the votes for each span",
        dir_okay=False,
    ),
    html: Path | None = Option(
        None, "--html", help="HTML page with the differences that repeat and every dispute", dir_okay=False
    ),
    disputes: Path | None = Option(
        None,
        "--disputes",
        help="File for the disputed documents, the most disputed first: .jsonl for Prodigy, .json for Label Studio",
        dir_okay=False,
    ),
    units: Path | None = Option(
        None,
        "--units",
        help="CSV file without a header for all spans as annotator,label,start,end,document, which programs for "
        "Gamma read",
        dir_okay=False,
    ),
    short: bool = SHORT,
) -> None:
    """
    Measure the agreement of two or more annotators. Print how far they agree
    and their main difference, then each pair's score, each label, and the
    documents and spans that they dispute.

    Every metric scores every pair, in both directions. Alpha and kappa correct
    for chance. Documents are paired by id if all have one, else by their texts.
    An annotator may lack documents: each pair is compared on those that both
    annotated.

    --write-consensus writes the spans on which most annotators agree, as gold
    annotation with the votes for each span. --html writes a page that opens without
    a network, and --disputes the places to adjudicate.
    """
    from ...core.messages import many
    from ...io.tables import write_rows
    from ...io.writing import write_json, write_text
    from .adjudication import agreement_page, write_disputes
    from .agreement_counts import DEFAULT, AgreementCounts
    from .agreement_view import AgreementView
    from .chance import check_unit, without_chance
    from .disagreements import consensus_rows, consensus_rule
    from .shared_documents import unit_rows

    names, options = names_and_options([*annotations, *ctx.args])
    settings, on = chosen_confidence(confidence, resampling), check_unit(unit)
    if half_width is not None:
        check_value("half_width", half_width, HALF_WIDTH_POINTS)
    if (others := without_chance(metrics)) != metrics:
        metrics, showing = ",".join(others or ()), showing if showing.tables else showing._replace(tables="alpha")
    table_names = names_of_tables(showing, AgreementView)
    check_suffix("--output", output, *JSON)
    check_suffix("--write-consensus", write_consensus, ".jsonl")
    check_suffix("--units", units, ".csv")
    check_suffix("--html", html, ".html")
    check_suffix("--disputes", disputes, ".jsonl", ".json")
    first = replace(side_reading(reading, 0, len(names)), annotator=next(iter(split_list(reading.annotator)), None))
    gold = Gold(Path(names[0]), first) if len(names) > 1 else None
    chosen, left_out = chosen_metrics(metrics or ",".join(DEFAULT), options, train, gold=gold, has_tokens=True)
    check_lexicons(chosen, output, write_consensus, units, html, disputes)
    shared = _read_shared(names, name or [], reading, tokenizer)
    rule = consensus_rule(consensus, len(shared.annotators))
    counted = AgreementCounts(shared, chosen, unit=on, rule=rule)
    result = counted.result(settings, short=short) | ({"left_out": left_out} if left_out else {})
    if half_width is not None:
        result["plan"] = counted.plan(result, half_width, settings)
    bounded = counted.add_main_interval(result)
    rows = [*consensus_rows(shared, rule)] if write_consensus else []
    if output:
        write_json(output, result)
    if write_consensus:
        write_rows(write_consensus, rows)
    if units:
        write_rows(units, unit_rows(shared), header=None)
    if html:
        write_text(html, agreement_page(counted, AgreementView(bounded, chosen)))
    asked = write_disputes(disputes, shared, rule) if disputes else 0
    for line in shared.attribute_notes(chosen):
        say(line, err=True)
    view, more = AgreementView(result, chosen, main=bounded), more_tables(showing)
    print_tables(
        tables_to_print(view, table_names, showing),
        showing.format,
        before=view.opening(digits=showing.digits, more=f"{more}, --html page.html" if more and not html else more),
        after=view.closing(),
        signature=result["signature"],
    )
    if write_consensus:
        spans = sum(len(row["spans"]) for row in rows)
        content = f"{many(len(rows), 'document')} with {many(spans, 'span')}"
        say(f"✔ consensus of {content} in {write_consensus}", fg="green", err=True)
    if html:
        say(f"✔ page in {html}", fg="green", err=True)
    if disputes:
        say(f"✔ {many(asked, 'disputed document')} in {disputes}", fg="green", err=True)


def _read_shared(
    names: Sequence[str], given_names: Sequence[str], reading: Reading, language: str | None
) -> SharedDocuments:
    """Return the documents that annotators share, and print the omissions on reading."""
    from ...core.keys import key_maps
    from ...core.messages import check_given_once
    from .shared_documents import check_reading, load_tokenizer, read_annotators

    renamed = {old: new for old, _, new in (name.partition("=") for name in given_names)} if len(names) == 1 else {}
    if not all(renamed.values()):
        raise ValueError(f"{names[0]} names its annotators: expected --name OLD=NEW, as in --name 1=ann")
    if given_names and not renamed and len(given_names) != len(names):
        raise ValueError(f"--name: {len(given_names)} given for {len(names)} files; give one for each, in their order")
    check_given_once(names, "annotator")
    check_reading(reading)
    key_maps(reading.keys, 1)
    readings = [replace(side_reading(reading, k, len(names)), annotator=None) for k in range(len(names))]
    numbers_left_out: Counter[Path] = Counter()
    tokenizer = load_tokenizer(language)
    shared = read_annotators(
        dict(zip(display_names([*map(Source, names)], [] if renamed else given_names), map(Path, names))),
        reading.spans_key,
        formats=[reading_of(each)[0] for each in readings],
        rules=rules_of(reading),
        chosen=split_list(reading.annotator),
        others=numbers_left_out,
        tokenizer=tokenizer,
        renamed=renamed,
    )
    say_left_out(numbers_left_out)
    for line in shared.warnings:
        say(line, err=True)
    return shared
