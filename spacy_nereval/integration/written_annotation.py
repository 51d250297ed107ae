"""Annotation in files of every format that can be written: which one a path names, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..core.compression import extension
from ..io import converting
from ..io.converting import GAPS, Losses, told
from ..io.paths import is_stream
from ..io.records import Record
from ..io.tables import EXTENSIONS

TARGETS = {
    ".spacy": "spacy",
    ".jsonl": "jsonl",
    ".conll": "conll",
    ".iob": "conll",
    **dict.fromkeys(EXTENSIONS, "table"),
    "": "brat",
}
"""Extensions of the output to the formats that can be written. A name without one is a folder of brat files."""

READ_LOSSES = {
    "others": "annotations that are not spans",
    "duplicates": "spans that repeat another span",
    "rejected": "spans that an annotator rejected",
    "invented": "mentions that are not in the text",
}


class Written(NamedTuple):
    """What was written: the number of documents and spans, and sentences on what was left out."""

    documents: int
    spans: int
    left_out: list[str]


def target_of(output: Path) -> str:
    """Return the format that is written to a path.

    Raises:
        ValueError: Its extension names no format that can be written.

    >>> target_of(Path("a.iob")), target_of(Path("folder"))
    ('conll', 'brat')
    """
    target = "jsonl" if is_stream(output) else TARGETS.get(extension(output))
    if target is None:
        raise ValueError(
            f"{output}: cannot write {output.suffix} files; expected {', '.join(filter(None, TARGETS))}, or the name "
            "of a folder for brat's files"
        )
    return target


def write_annotation(
    output: Path, records: Iterable[Record], *, key: str | None = None, lang: str = "xx", drop: bool = False
) -> Written:
    """Write records in the format that the path names.

    Args:
        output: A file, or a folder for brat's files.
        records: The records.
        key: `.spacy`: write to `doc.spans[key]` instead of `doc.ents`.
        lang: Language whose tokenizer of spaCy finds the tokens of texts without tokens.
        drop: Leave out spans that the format cannot hold, and count them, rather than raise an error.

    Raises:
        ValueError: The path names no format, or the format cannot hold a span, a label or a text.
        OSError: If the output cannot be written.
    """
    target = target_of(output)
    losses, seen = Losses(drop, target), Counter[str]()
    _writer(target, key, lang)(output, _counted(records, losses, seen), losses)
    spans = seen["spans"] - sum(n for reason, n in losses.spans.items() if reason != GAPS)
    left_out = told(losses, [(what, seen[name]) for name, what in READ_LOSSES.items()])
    return Written(seen["documents"], spans, left_out)


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
    if target == "jsonl":
        return converting.write_jsonl
    if target == "table":
        return converting.write_table
    if target == "brat":
        return converting.write_brat
    from .spacy_files import tokenizer, write_spacy

    if target == "conll":
        return partial(converting.write_conll, tokenize=tokenizer(lang))
    return partial(write_spacy, key=key, tokenize=tokenizer(lang))
