"""Write records as JSON lines, tables, CoNLL or brat files, and count the losses of the format."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple

from ..core.arguments import EXPAND, PIECES
from ..core.attribute_values import LINK, NOTHING, attributes_of, move_attributes
from ..core.expansion import check_expansion
from ..core.messages import PlainSpan, highest_scores, is_finite_number, quote, shorten, spell_argument
from ..core.pieces import any_gaps, covered_text, has_gaps, join_pieces, size, sorted_spans, span_row, write_offsets
from .formats.conll import DOCSTART
from .formats.tags import MISSING
from .records import Record
from .tables import write_documents
from .writing import atomic_file, json_line, resolve_links

Places = list[tuple[int, int]]
"""The (start, end) of each token of a text."""

Tokenizer = Callable[[str], Places]
"""Returns the (start, end) of each token of a text."""

NAME = re.compile(r"(?!\.)[\w.-]{1,100}(/(?!\.)[\w.-]{1,100})*")
"""An id that can name a file."""

HOLD_TOKENS = ("conll", "spacy")
"""Formats in which spans consist of tokens."""

OVERLAP = "overlap other spans"
WITH_GAPS = "have gaps"
UNALIGNED = "do not begin and end at token boundaries"
MOVED = "spans that were aligned with the tokens"
GAPS = "stretches without annotation"


class NamedTokenizer(NamedTuple):
    """A tokenizer and its name in results, such as `spacy-en`."""

    name: str
    tokenize: Tokenizer


class Losses:
    """Counts the losses of a format, or raises an error if spans may not be lost.

    Args:
        allowed: Whether spans and gaps may be dropped.
        target: The name of the format, for errors.

    Attributes:
        spans: The number of spans and gaps of each kind that were dropped.
        others: The number of other things of each kind that were dropped.

    >>> Losses(False, "CoNLL").add_span(Record("Ada", set(), id="1"), (0, 2, "PER"), UNALIGNED)
    Traceback (most recent call last):
    ValueError: document 1: CoNLL cannot store spans that do not begin and end at token boundaries, such as PER 'Ad' \
from 0 to 2; give the language of the tokenizer with lang=, align them with align='expand', choose another format, \
or drop them with drop=True
    """

    def __init__(self, allowed: bool, target: str) -> None:
        self._allowed = allowed
        self._target = target
        self.spans: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        self.number = 0
        """The number of the document that is being written."""

    def add_span(self, record: Record, span: PlainSpan, reason: str) -> None:
        """Count a dropped span. Raise ValueError if no span may be dropped."""
        start, end, label = span
        example = f"{label} {quote(covered_text(record.text, span))} from {start} to {end}"
        remedies = ""
        if reason == WITH_GAPS:
            hulls, parts = (spell_argument("discontinuous", value) for value in PIECES)
            remedies = f"read them from their first to their last character with {hulls}, one by one with {parts}, "
        if reason == UNALIGNED:
            language = f"give the language of the tokenizer with {spell_argument('lang')}, "
            has_words = bool(covered_text(record.text, span).strip())  # only tokens can be expanded to
            expand = f"align them with {spell_argument('align', EXPAND)}, " * has_words
            remedies = f"{language * (record.tokens is None and has_words)}{expand}"
        self._add_loss(record, f"spans that {reason}", f"spans that {reason}, such as {example}", remedies)

    def add_gap(self, record: Record, gap: tuple[int, int]) -> None:
        """Count a gap that becomes text without spans. Raise ValueError if gaps may not be lost."""
        example = quote(record.text[slice(*gap)])
        self._add_loss(record, GAPS, f"{GAPS}, such as {example}")

    def _add_loss(self, record: Record, reason: str, description: str, remedies: str = "") -> None:
        if not self._allowed:
            raise ValueError(
                f"document {self.number if record.id is None else shorten(record.id)}: {self._target} cannot store "
                f"{description}; {remedies}choose another format, or drop them with {spell_argument('drop', True)}"
            )
        self.spans[reason] += 1


def write_jsonl(path: Path, records: Iterable[Record], losses: Losses) -> None:
    """Write records as JSON lines. A text without annotation gets the answer `ignore`.

    Args:
        path: The file; it gets its name once it is complete.
        records: The records.
        losses: Counts the losses.

    Raises:
        ValueError: A record has gaps, and gaps may not be lost.
        OSError: If the file cannot be written.
    """
    with atomic_file(path) as file:
        for row in _rows(records, losses):
            file.write(f"{json_line(row)}\n".encode())


def write_table(path: Path, records: Iterable[Record], losses: Losses) -> None:
    """Write records as rows of a Parquet or Arrow file. Arguments and errors are those of `write_jsonl`.

    Raises:
        ValueError: Also if a text has a lone surrogate, or pyarrow is not installed.
    """

    def writable_records() -> Iterator[Record]:
        for record in records:
            check_characters(record, losses)
            yield record

    write_documents(path, _rows(writable_records(), losses))


def _rows(records: Iterable[Record], losses: Losses) -> Iterator[dict[str, Any]]:
    for record in records:
        for gap in record.gaps if record.annotated else ():
            losses.add_gap(record, gap)
        yield _row(record, losses)


def _row(record: Record, losses: Losses) -> dict[str, Any]:
    row: dict[str, Any] = {} if record.id is None else {"id": record.id}
    row["text"] = record.text
    row["spans"] = _span_rows(record)
    for span in row["spans"] if record.span_scores else ():
        score = record.span_scores.get(_span_of_row(span))
        if is_finite_number(score):
            span["score"] = score
        losses.others["scores that are not finite numbers"] += score is not None and not is_finite_number(score)
    if record.tokens:
        row["tokens"] = [{"start": start, "end": end} for start, end in record.tokens]
    if record.meta is not None:
        try:
            row["meta"] = json.loads(json.dumps(dict(record.meta), allow_nan=False))
        except (TypeError, ValueError):
            losses.others["metadata that JSON cannot store"] += 1
    if not record.annotated:
        row["answer"] = "ignore"
    return row


def _span_rows(record: Record) -> list[dict[str, Any]]:
    """Return a row for each span. A span with several values of one attribute has a row for each."""
    rows = []
    for span in sorted_spans(record.spans):
        for attributes in sorted(record.attributes.get(span, NOTHING)):
            row = span_row(span)
            rows.append(row | ({"attributes": dict(attributes)} if attributes else {}))
    return rows


def _span_of_row(row: Mapping[str, Any]) -> PlainSpan:
    pieces = row.get("pieces")
    return *(join_pieces(pieces) if pieces else (row["start"], row["end"])), row["label"]


def without_gaps(records: Iterable[Record], losses: Losses) -> Iterator[Record]:
    """Yield records without the spans that have gaps, which count as losses.

    Raises:
        ValueError: A span has gaps, and spans may not be dropped.
    """
    for losses.number, record in enumerate(records):
        if any_gaps(record.spans):
            for span in filter(has_gaps, sorted_spans(record.spans)):
                losses.add_span(record, span, WITH_GAPS)
            record = record._replace(spans=[span for span in record.spans if not has_gaps(span)])
        yield record


def write_conll(path: Path, records: Iterable[Record], losses: Losses, tokenize: Tokenizer) -> None:
    """Write records as words and IOB2 tags, with a -DOCSTART- line before each document.

    A line end in the text ends a sentence, unless it is inside a span. Tokens of a gap, or of a
    text without annotation, are tagged "-".

    Args:
        path: The file; it gets its name once it is complete.
        records: The records.
        losses: Counts the losses.
        tokenize: Splits a text if its record has no tokens.

    Raises:
        ValueError: A span overlaps another or does not fit the tokens, and spans may not be
            dropped; a token or label cannot be written in columns.
        OSError: If the file cannot be written.
    """
    with atomic_file(path) as file:
        for record in records:
            check_characters(record, losses)
            places = [place for place in record.tokens or tokenize(record.text) if record.text[slice(*place)].strip()]
            rows = [f"{DOCSTART}\tO", ""]
            end = 0
            for (start, stop), tag in zip(places, _tags(record, places, losses)):
                if end and "\n" in record.text[end:start] and not tag.startswith("I-"):
                    rows.append("")
                word, end = record.text[start:stop], stop
                if word == DOCSTART or any(mark in f"{word}{tag}" for mark in "\t\n\r") or tag != tag.strip():
                    raise _unwritable(record, losses, f"the token {word!r} with the tag {tag!r}")
                rows.append(f"{word}\t{tag}")
            losses.others["ids"] += record.id is not None
            losses.others["scores of spans"] += len(record.span_scores)
            losses.others["attributes of spans"] += len(record.attributes)
            losses.others["metadata"] += bool(record.meta)
            losses.others["that texts without tokens are not annotated"] += not (places or record.annotated)
            file.write(_encode_text(record, losses, "\n".join([*rows, "", ""])))


def _tags(record: Record, places: Places, losses: Losses) -> list[str]:
    if not record.annotated:
        return [MISSING] * len(places)
    tags = ["O"] * len(places)
    starts, ends = {start: k for k, (start, _) in enumerate(places)}, {end: k for k, (_, end) in enumerate(places)}
    for start, end, label in flat_spans(record, losses):
        if start not in starts or end not in ends or starts[start] > ends[end]:
            losses.add_span(record, (start, end, label), UNALIGNED)
            continue
        first, last = starts[start], ends[end]
        tags[first : last + 1] = [f"B-{label}", *[f"I-{label}"] * (last - first)]
    for gap in record.gaps:
        inside = [k for k, (start, end) in enumerate(places) if gap[0] < end and start < gap[1]]
        if any(tags[k] != "O" or places[k][0] < gap[0] or places[k][1] > gap[1] for k in inside):
            losses.add_gap(record, gap)
            continue
        for k in inside:
            tags[k] = MISSING
    return tags


def align_records(records: Iterable[Record], tokenize: Tokenizer, align: str, losses: Losses) -> Iterator[Record]:
    """Yield records with spans that begin and end at the edges of tokens.

    Args:
        records: The records.
        tokenize: Finds the tokens of a text that has none.
        align: "expand" for all tokens that a span touches, "contract" for those inside of it.
        losses: Counts the spans that are moved, and those that have no token inside.

    Raises:
        ValueError: A span has no token inside, and spans may not be dropped; a text has a lone surrogate.
    """
    for record in records:
        check_characters(record, losses)  # tokenizers cannot read a lone surrogate either
        tokens = [place for place in record.tokens or tokenize(record.text) if record.text[slice(*place)].strip()]
        spans: dict[PlainSpan, PlainSpan] = {}
        for start, end, label in sorted(record.spans):
            touched = [
                (a, b) for a, b in tokens if a < end and start < b and (align == EXPAND or start <= a and b <= end)
            ]
            if touched:
                spans[start, end, label] = (touched[0][0], touched[-1][1], label)
            else:
                losses.add_span(record._replace(tokens=tokens), (start, end, label), UNALIGNED)
        losses.others[MOVED] += sum(span != moved for span, moved in spans.items())
        scores = highest_scores((spans[span], score) for span, score in record.span_scores.items() if span in spans)
        attributes = move_attributes(record.attributes, spans.items())
        yield record._replace(spans={*spans.values()}, tokens=tokens, span_scores=scores, attributes=attributes)


def flat_spans(record: Record, losses: Losses) -> list[PlainSpan]:
    """Return the spans without overlaps: the longest of overlapping ones are kept, and the others count as losses."""
    flat: list[PlainSpan] = []
    for span in sorted(record.spans, key=lambda s: (s[0] - s[1], s)):
        if span[0] == span[1]:
            losses.add_span(record, span, "have no characters")
        elif any(max(span[0], start) < min(span[1], end) for start, end, _ in flat):
            losses.add_span(record, span, OVERLAP)
        else:
            flat.append(span)
    return flat


def write_brat(path: Path, records: Iterable[Record], losses: Losses) -> None:
    """Write records as a folder of `.txt` and `.ann` files. A text without annotation gets no `.ann` file.

    Files are named after the id of the document, or after its number if no id can name them.

    Args:
        path: The folder. It may exist if it is empty, and gets its name once it is complete.
        records: The records.
        losses: Counts the losses.

    Raises:
        ValueError: The folder has files; a record has gaps, and gaps may not be lost; a label
            has white space; the texts of overlapping spans, which brat repeats, are too large.
        OSError: If a file cannot be written.
    """
    with atomic_folder(path) as folder:
        used: set[str] = set()
        for record in records:
            for gap in record.gaps if record.annotated else ():
                losses.add_gap(record, gap)
            name = record.id
            # The file is there already if the system takes names that differ in case or Unicode form as one.
            if name is None or not NAME.fullmatch(name) or name in used or (folder / f"{name}.txt").exists():
                losses.others["ids that cannot name a file, so that the number does"] += bool(name)
                name = f"{losses.number:06}"
                if name in used or (folder / f"{name}.txt").exists():
                    raise ValueError(f"document {losses.number}: another document has the id {name}; change that id")
            used.add(name)
            losses.others["tokens"] += bool(record.tokens)
            losses.others["scores of spans"] += len(record.span_scores)
            losses.others["metadata"] += bool(record.meta)
            length = sum(map(size, record.spans))
            check_expansion(f"document {losses.number}", length, len(record.text), what="as texts of its spans")
            rows = [_brat_line(k, span, record, losses) for k, span in enumerate(sorted_spans(record.spans), 1)]
            rows += _brat_attributes(record)
            target = folder / f"{name}.txt"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_encode_text(record, losses, record.text))
            if record.annotated:
                target.with_name(f"{target.name[:-4]}.ann").write_bytes(_encode_text(record, losses, "".join(rows)))


RESOURCE = re.compile(r"[^\s:]+:\S+")
"""A resource and an identifier in it, as brat writes links."""


def _brat_attributes(record: Record) -> Iterator[str]:
    """Yield the lines of the attributes of a record's spans: N for links with a resource, A for others."""
    numbers: Counter[str] = Counter()
    for k, span in enumerate(sorted_spans(record.spans), 1):
        for name, value in attributes_of(record.attributes, span).items():
            is_link = name == LINK and RESOURCE.fullmatch(value)
            kind = "N" if is_link else "A"
            numbers[kind] += 1
            shown, covered = (re.sub(r"\s", " ", part) for part in (value, covered_text(record.text, span, " ")))
            flag = [re.sub(r"\s", "_", name), f"T{k}", *([] if value == "true" else [shown])]
            said = f"Reference T{k} {shown}\t{covered}" if is_link else " ".join(flag)
            yield f"{kind}{numbers[kind]}\t{said}\n"


def _brat_line(number: int, span: PlainSpan, record: Record, losses: Losses) -> str:
    label = span[2]
    if re.search(r"\s", label):
        raise _unwritable(record, losses, f"the label {label!r} with white space")
    covered = re.sub(r"\s", " ", covered_text(record.text, span, " "))
    return f"T{number}\t{label} {write_offsets(span)}\t{covered}\n"


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Provide a folder to write to. It gets its name only once it is complete.

    Args:
        path: Where the folder goes.

    Yields:
        The folder. It is deleted if the block raises.

    Raises:
        ValueError: The path exists, and is not an empty folder.
        OSError: The folder cannot be written.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ValueError(f"{path} exists already; expected a new or empty folder for .txt and .ann files")
    path = resolve_links(path)
    folder = Path(mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        yield folder
        folder.chmod(0o755)
        if path.is_dir():
            path.rmdir()
        os.replace(folder, path)
    except BaseException as error:
        rmtree(folder)
        if isinstance(error, OSError) and str(error.filename).startswith(str(folder)):
            error.filename = str(path) + str(error.filename).removeprefix(str(folder))
        raise


def check_characters(record: Record, losses: Losses) -> None:
    """Check that a format can store the characters of a record.

    Raises:
        ValueError: A text has a lone surrogate, which UTF-8 cannot encode.
    """
    for text in (
        record.text,
        record.id or "",
        json.dumps(record.meta, ensure_ascii=False),
        *(part for values in record.attributes.values() for pairs in values for pair in pairs for part in pair),
        *{s[2] for s in record.spans},
    ):
        _encode_text(record, losses, text)


def _encode_text(record: Record, losses: Losses, text: str) -> bytes:
    try:
        return text.encode("utf8")
    except UnicodeEncodeError as error:
        raise _unwritable(record, losses, f"the character {error.object[error.start]!r}") from None


def _unwritable(record: Record, losses: Losses, content: str) -> ValueError:
    name = losses.number if record.id is None else shorten(record.id)
    return ValueError(f"document {name}: {shorten(content, 200)} cannot be written in this format; choose another")


def report_omitted(losses: Losses, read: Sequence[tuple[str, int]]) -> list[str]:
    """Return a line for each kind of loss.

    Args:
        losses: The losses of the format.
        read: The kinds of things that were skipped on reading, and their numbers.

    >>> losses = Losses(True, "CoNLL")
    >>> losses.others["ids"] += 3
    >>> report_omitted(losses, [("annotations that are not spans", 1), ("repeated spans", 0)])
    ['not written: ids (3)', 'excluded on reading: annotations that are not spans (1)']
    """
    moved = {MOVED: losses.others.pop(MOVED, 0)}
    kinds: list[tuple[str, Mapping[str, int]]] = [("excluded", losses.spans), ("not written", losses.others)]
    kinds += [("excluded on reading", dict(read)), ("changed", moved)]
    return [f"{kind}: {reason} ({number})" for kind, counts in kinds for reason, number in counts.items() if number]
