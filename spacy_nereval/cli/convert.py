"""`nereval convert`: annotated files in another format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Argument, Option

from ..core.arguments import Reading
from ..core.compression import extension
from .app import command
from .command_options import check_no_table_format
from .counting_documents import with_progress
from .printing import say
from .systems import reading_of, rules_of

if TYPE_CHECKING:
    from ..io.converting import Losses
    from ..io.records import Record

TARGETS = {
    ".spacy": "spacy",
    ".jsonl": "jsonl",
    ".conll": "conll",
    ".iob": "conll",
    "": "brat",
}
"""Extensions of the output to the formats that can be written. A name without one is a folder of brat files."""

READ_LOSSES = {
    "others": "annotations that are not spans",
    "duplicates": "spans that repeat another span",
    "rejected": "spans that an annotator rejected",
    "invented": "mentions that are not in the text",
}


@command("convert")
def convert_cli(
    reading: Reading,
    source: Path = Argument(..., metavar="IN", help="Annotated file or folder, in any format"),
    output: Path = Argument(
        ..., metavar="OUT", help="File to write, .spacy, .jsonl, .conll or .iob, or a folder for brat's files"
    ),
    drop: bool = Option(
        False,
        "--drop",
        help="Leave out spans that the format cannot hold, such as nested ones in CoNLL, and say how many. By default "
        "they are an error",
    ),
    lang: str = Option(
        "xx", "--lang", help="Language whose tokenizer of spaCy is used for texts without tokens, such as en"
    ),
) -> None:
    """
    Write annotated files in another format: .spacy, JSON lines, CoNLL columns
    with IOB2 tags, or a folder of brat files. The extension of OUT decides.

    Spans that the format cannot hold are an error, unless --drop leaves them
    out. Whatever else is left out, such as ids in CoNLL, is reported.

    With --spans-key KEY, spans are read from and written to doc.spans[KEY] of
    .spacy files, where they may overlap.
    """
    from ..io.converting import GAPS, Losses, told
    from ..io.formats import name_of, records, with_annotators
    from ..io.paths import is_stream
    from ..reporting.remarks import many

    check_no_table_format(reading.format)
    target = "jsonl" if is_stream(output) else TARGETS.get(extension(output))
    if target is None:
        raise ValueError(
            f"{output}: cannot write {output.suffix} files; expected {', '.join(filter(None, TARGETS))}, or the name "
            "of a folder for brat's files"
        )
    if reading.unit is not None:
        raise ValueError(f"--unit {reading.unit}: nothing is resampled here; leave it out")
    format, _ = reading_of(reading)
    with_annotators([source], [format])
    key = reading.spans_key
    read_key = key if name_of(source, format) == "spacy" else None
    if key and not read_key and target != "spacy":
        raise ValueError(f"--spans-key {key}: neither {source} nor {output} is a .spacy file")
    losses, seen = Losses(drop, target), Counter[str]()
    rules = rules_of(reading)
    found = (
        record._replace(spans={*rules.spans(record.spans)}, span_scores=rules.scores(record.span_scores))
        if rules
        else record
        for record in records(source, read_key, format)
    )
    _writer(target, key, lang)(output, _counted(with_progress(found), losses, seen), losses)
    if not seen["documents"]:
        say(f"{source} has no documents", fg="yellow", err=True)
    for line in told(losses, [(what, seen[name]) for name, what in READ_LOSSES.items()]):
        say(line, fg="yellow", err=True)
    written = seen["spans"] - sum(n for reason, n in losses.spans.items() if reason != GAPS)
    say(f"{many(seen['documents'], 'document')} with {many(written, 'span')} written to {output}")


def _counted(records: Iterable[Record], losses: Losses, seen: Counter[str]) -> Iterator[Record]:
    for number, record in enumerate(records):
        losses.number = number
        seen["documents"] += 1
        seen["spans"] += len(record.spans)
        for name in READ_LOSSES:
            value = getattr(record, name)
            seen[name] += value if isinstance(value, int) else len(value)
        yield record


def _writer(target: str, key: str | None, lang: str) -> Callable[[Path, Iterable[Record], Losses], None]:
    from ..io import converting

    if target == "jsonl":
        return converting.write_jsonl
    if target == "brat":
        return converting.write_brat
    from ..integration.spacy_files import tokenizer, write_spacy

    if target == "conll":
        return partial(converting.write_conll, tokenize=tokenizer(lang))
    return partial(write_spacy, key=key, tokenize=tokenizer(lang))
