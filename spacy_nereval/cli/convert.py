"""`nereval convert`: annotation written in another format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from ..core.arguments import ALIGN, Reading
from .app import command
from .command_options import check_no_table_format
from .counting_documents import with_progress
from .printing import say
from .sources import reading_of, rules_of

if TYPE_CHECKING:
    from ..io.records import Record

DROP = Option(
    False,
    "--drop",
    help="Drop spans that the format cannot store, such as nested ones in CoNLL, and report how many. By default "
    "they are an error",
)
LANG = Option("xx", "--lang", help="Language of the spaCy tokenizer for texts without tokens, such as en")


@command("convert", heading="Make gold annotation")
def convert_cli(
    reading: Reading,
    source: Path = Argument(..., metavar="IN", help="Annotated file or folder, in any format"),
    output: Path = Argument(
        ...,
        metavar="OUT",
        help="File to write, .spacy, .jsonl, .conll, .iob, .parquet or .arrow, or a folder for brat's files",
    ),
    drop: bool = DROP,
    lang: str = LANG,
    align: Annotated[str | None, ALIGN] = None,
) -> None:
    """
    Write annotated files in another format: .spacy, JSON lines, CoNLL columns
    with IOB2 tags, Parquet, Arrow, or a folder of brat files. The extension of OUT decides.

    Spans that the format cannot store are an error, unless --drop removes
    them. Other losses, such as ids in CoNLL, are reported.

    With --spans-key KEY, spans are read from and written to doc.spans[KEY] of
    .spacy files, where they may overlap.
    """
    check_no_table_format(reading.format)
    records = read_annotation(source, output, reading)
    say(write_annotation_of(output, records, source, reading, drop=drop, lang=lang, align=align))


def read_annotation(source: Path, output: Path, reading: Reading) -> Iterator[Record]:
    """Return the records of an annotated file, with their labels as they are to be written.

    Raises:
        ValueError: The extension of the output names no format, or an option of reading cannot be used.
    """
    from ..integration.spacy_files import target_of
    from ..io.formats import assign_annotators, check_files, name_of, named_format, records
    from ..io.records import apply_label_rules, check_has_text

    target = target_of(output)
    if reading.unit is not None:
        raise ValueError(f"--unit {reading.unit}: nothing is resampled here; leave it out")
    if reading.missing_tokens is not None:
        raise ValueError(f"--missing-tokens {reading.missing_tokens}: there are no predictions here; leave it out")
    format = named_format(source, reading_of(reading)[0])
    check_files([source], [format])
    assign_annotators([source], [format])
    key = reading.spans_key
    read_key = key if name_of(source, format) == "spacy" else None
    if key and not read_key and target != "spacy":
        raise ValueError(f"--spans-key {key}: neither {source} nor {output} is a .spacy file")
    rules = rules_of(reading)
    read = with_progress(records(source, read_key, format))
    return (apply_label_rules(check_has_text(record, source), rules) for record in read)


def write_annotation_of(
    output: Path, records: Iterable[Record], source: Path, reading: Reading, *, drop: bool, lang: str, align: str | None
) -> str:
    """Write records, report the losses, and return a sentence on the output."""
    from ..core.messages import many
    from ..integration.spacy_files import write_annotation

    notes: dict[str, None] = {}

    def records_while_noting() -> Iterator[Record]:
        for record in records:
            notes.update(dict.fromkeys(record.notes))
            yield record

    written = write_annotation(output, records_while_noting(), key=reading.spans_key, lang=lang, drop=drop, align=align)
    for note in notes:
        say(f"ℹ {source}: {note}.", err=True)
    if not written.documents:
        say(f"{source} has no documents", fg="yellow", err=True)
    for line in written.left_out:
        say(line, fg="yellow", err=True)
    return f"{many(written.documents, 'document')} with {many(written.spans, 'span')} written to {output}"
