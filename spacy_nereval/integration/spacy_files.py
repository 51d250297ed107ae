"""Read `.spacy` files, as `DocBin.to_disk` writes them, and write annotation in every format that can be written.

A `.spacy` file is a map in MessagePack, compressed by zlib. Its parts follow each other: all tokens,
all spaces, all strings, all categories. A Doc needs an item of each part. Memory must not grow with the
number of documents. A large file is therefore decompressed once to find the parts. It is decompressed
again by one reader per part, all reading in step. Only the strings are kept,
since Docs refer to them by hashes.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.lang.xx import MultiLanguage
from spacy.strings import StringStore
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab, create_vocab
from srsly.msgpack import Unpacker

from ..core.arguments import ALIGN, check_value
from ..core.attribute_values import LINK, attributes_of
from ..core.compression import compression_of, format_extension
from ..core.expansion import HELD, TooLarge, check_expansion, most_bytes
from ..core.messages import PlainSpan, is_finite_number, shorten, spell_argument
from ..counting.table import machine_memory
from ..io import converting
from ..io.converting import (
    GAPS,
    HOLD_TOKENS,
    UNALIGNED,
    WITH_GAPS,
    Losses,
    NamedTokenizer,
    Places,
    Tokenizer,
    align_records,
    check_characters,
    flat_spans,
    report_omitted,
    without_gaps,
)
from ..io.formats.settings import Format
from ..io.paths import check_is_file, is_stream, readable_file
from ..io.records import Record
from ..io.tables import EXTENSIONS
from ..io.writing import atomic_file
from .examples import doc_record
from .span_attributes import CUSTOM, STORED

WHOLE = 1 << 22
"""Maximum unpacked size in bytes of a file that is read as a whole, which is a few milliseconds faster."""

DOCUMENTS, TOKENS = 1 << 10, 1 << 17
"""Maximum number of documents in a block, and the number of tokens at which a block ends."""

COMPRESSED, READ = 1 << 16, 1 << 17
"""Number of compressed bytes, and of decompressed bytes, that are read at once."""

LARGEST = (1 << 31) - 1
"""Maximum size of one item, such as the user data of one document, in bytes."""

PER_CONTAINER, UNCHECKED = 1 << 8, 1 << 20
"""Memory of a list or map, at most, and the size of packed data up to which lists and maps need not be counted."""

PER_DOCUMENT, STRING = 1 << 6, 100
"""Bytes that a document and a string count for, when the content of a file is compared with its size."""

PER_STRING = 450
"""Approximate number of bytes of memory of a string, together with the attributes of the word."""

SHARE = 0.5
"""The share of the memory that the strings of one file may take."""

ARRAYS = ("tokens", "spaces", "lengths")
LISTS = ("cats", "flags", "span_groups", "user_data")
"""The parts with an item per document. Files of older versions of spaCy lack some of them."""

LENGTHS = {0xC4: 1, 0xC5: 2, 0xC6: 4}
"""The number of bytes of the length of binary data in MessagePack, by the byte before the length."""

TARGETS = {
    ".spacy": "spacy",
    ".jsonl": "jsonl",
    ".conll": "conll",
    ".iob": "conll",
    **dict.fromkeys(EXTENSIONS, "table"),
    "": "brat",
}
"""The format that is written for each extension. A name without extension is a folder of brat files."""

READ_LOSSES = {
    "others": "annotations that are not spans",
    "duplicates": "spans that repeat another span",
    "rejected": "spans that an annotator rejected",
    "invented": "mentions that are not in the text",
}
"""The fields of `Record` that count skipped things, and their descriptions."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read the Docs of a file as records.

    Args:
        path: The file.
        format: With `format.spans_key`, read `doc.spans[spans_key]` instead of `doc.ents`.

    Yields:
        One record per Doc.

    Raises:
        ValueError: If there is no such file, it is not a `.spacy` file or damaged, or a
            span has no label; names the document.
        OSError: If the file cannot be read.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> doc = nlp.make_doc("Ada sleeps")
    >>> doc.set_ents([doc.char_span(0, 3, "PER")])
    >>> path = getfixture("tmp_path") / "a.spacy"
    >>> DocBin(docs=[doc]).to_disk(path)
    >>> [(record.text, record.spans, record.tokens) for record in read(path)]
    [('Ada sleeps', {(0, 3, 'PER')}, [(0, 3), (4, 10)])]
    """
    for number, doc in enumerate(read_docs(path)):
        try:
            yield doc_record(doc, format.spans_key, asked=format.asked)
        except ValueError as error:
            raise ValueError(f"{path}, document {number}: {error}") from None


def read_docs(path: Path) -> Iterator[Doc]:
    """Read the Docs of a file, with a vocabulary of their own.

    Args:
        path: The file. If it is large, only its strings, the words so far and a block of
            documents are in memory.

    Yields:
        The Docs, one at a time.

    Raises:
        ValueError: If there is no such file, it is not a `.spacy` file or damaged, or its
            strings take too much memory.
        OSError: If the file cannot be read.
    """
    check_is_file(path)
    # Not by spacy.blank: to make a pipeline, spaCy imports every installed package that extends it.
    vocab = create_vocab("xx", MultiLanguage.Defaults)
    with readable_file(path).open("rb") as file:
        if packed := compression_of(file.read(16)):
            raise ValueError(f"{path} is compressed by {packed.name}: unpack it first")
        try:
            bins = _bins(file, vocab.strings, path)
        except TooManyStrings as error:
            raise ValueError(f"{path} {error}") from None
        except (OSError, TooLarge):  # a file that cannot be read is not damaged
            raise
        except Exception:  # a parser of foreign bytes can raise any exception, and all mean the same to the user
            raise ValueError(f"{path} is not a .spacy file; expected a file written by DocBin.to_disk") from None
        docs = chain.from_iterable(doc_bin.get_docs(vocab) for doc_bin in bins)
        while True:
            try:
                doc = next(docs)
            except StopIteration:
                return
            except (OSError, TooLarge):
                raise
            except Exception as error:  # spaCy and msgpack raise many kinds for damaged bytes
                raise ValueError(f"{path} is a damaged .spacy file ({error})") from None
            yield doc


def docs_of_bin(doc_bin: DocBin) -> list[Doc]:
    """Return the Docs of a DocBin, with a vocabulary of their own.

    >>> docs_of_bin(DocBin())
    []
    """
    return [*doc_bin.get_docs(create_vocab("xx", MultiLanguage.Defaults))]


def _bins(file: BinaryIO, strings: StringStore, path: Path) -> Iterable[DocBin]:
    """Return DocBins of consecutive documents. Their strings are in them, or are added to `strings`."""
    if file.seek(0, os.SEEK_END) > WHOLE or len(InflatingReader(file).read(WHOLE + 1)) > WHOLE:
        return blocks(parts_of(file, strings, path))
    file.seek(0)
    return [DocBin().from_bytes(file.read())]


class TooManyStrings(ValueError):
    """The strings of a file take too much memory."""


class InflatingReader:
    """Reads a compressed file and decompresses it.

    Args:
        file: The file. Several readers can share it.
        name: Its name in errors.
    """

    def __init__(self, file: BinaryIO, name: object = "the file") -> None:
        self._file, self.name = file, name
        self.size = os.fstat(file.fileno()).st_size
        self._inflate = zlib.decompressobj()
        self._compressed = 0  # compressed bytes read so far
        self._decompressed = 0  # decompressed bytes returned so far
        self._before: InflatingReader | None = None  # this reader before the last call of `read`

    def read(self, size: int) -> bytes:
        """Return the next bytes: as many as requested, or all that remain.

        Raises:
            zlib.error: If the file is damaged or ends too early.
            TooLarge: If it unpacks to more bytes than its size allows.
        """
        self._before = self._copy()
        pieces = []
        while size and not self._inflate.eof:
            data = self._inflate.unconsumed_tail or self._more()
            piece = self._inflate.decompress(data, size)
            if not piece and not data:
                raise zlib.error("the file ends too early")
            pieces.append(piece)
            self._decompressed += len(piece)
            size -= len(piece)
        check_expansion(self.name, self._decompressed, self.size)
        return b"".join(pieces)

    def reader_at(self, place: int) -> InflatingReader:
        """Return another reader of the file that begins at an offset within the bytes of the last call of `read`."""
        reader = (self._before or self)._copy()
        reader.read(place - reader._decompressed)
        return reader

    def _more(self) -> bytes:
        self._file.seek(self._compressed)
        data = self._file.read(COMPRESSED)
        self._compressed += len(data)
        return data

    def _copy(self) -> InflatingReader:
        copy = InflatingReader(self._file, self.name)
        copy._inflate, copy._compressed, copy._decompressed = self._inflate.copy(), self._compressed, self._decompressed
        return copy


class Parts(NamedTuple):
    """The parts of a DocBin.

    Attributes:
        attrs: The attributes of a token, one per column.
        arrays: A reader of each array, and its size in bytes, by name.
        lists: The items of each list, by name.
    """

    attrs: list[Any]
    arrays: dict[str, tuple[InflatingReader, int]]
    lists: dict[str, Iterator[Any]]


def parts_of(file: BinaryIO, strings: StringStore, name: object = "the file") -> Parts:
    """Find the parts of a DocBin.

    Args:
        file: The file that `DocBin.to_disk` wrote. It has to stay open while the parts are read.
        strings: The strings of the file are added to it.
        name: The name of the file in errors.

    Raises:
        TooManyStrings: If the strings take more memory than one file may. None has been added.
        TooLarge: If the content of the file is too large for its size.
        Exception: If the file is damaged or not a DocBin: any error of zlib and msgpack.
    """
    source = InflatingReader(file, name)
    unpacker = _unpacker(source)
    parts = Parts([], {}, {})
    for _ in range(unpacker.read_map_header()):
        part = unpacker.unpack()
        if part == "attrs":
            parts.attrs.extend(unpacker.unpack())
        elif part == "strings":
            number = unpacker.read_array_header()
            check_expansion(name, number * STRING, source.size, HELD, "in memory")
            _check_memory(number, parts)
            for _ in range(number):
                strings.add(unpacker.unpack())
        elif part in ARRAYS:
            size = _length(unpacker)
            parts.arrays[part] = source.reader_at(unpacker.tell()), size
            _skip(unpacker, size)
        else:
            if part in LISTS:
                parts.lists[part] = _items(source.reader_at(unpacker.tell()))
            unpacker.skip()
    if unpacker.read_bytes(1):
        raise ValueError("it goes on after its end")
    if not parts.attrs or len(parts.arrays) < len(ARRAYS) or "cats" not in parts.lists:
        raise ValueError("a part is missing")
    return parts


def blocks(parts: Parts) -> Iterator[DocBin]:
    """Yield DocBins of consecutive documents, without the strings.

    Raises:
        Exception: If the parts contradict each other.
    """
    (tokens, size), (spaces, remaining), (reader, documents) = (parts.arrays[name] for name in ARRAYS)
    check_expansion(reader.name, documents // 4 * PER_DOCUMENT, reader.size, what="for its documents")
    row = 8 * len(parts.attrs)
    if size != row * remaining:
        raise ValueError(f"{size} bytes of tokens do not fit {remaining} spaces")
    for lengths in _lengths(reader, documents // 4):
        number = int(lengths.sum())
        remaining -= number
        if lengths.min() < 0 or remaining < 0:
            raise ValueError("the lengths of the documents do not fit their tokens")
        columns = np.frombuffer(tokens.read(row * number), dtype=np.uint64).reshape((number, len(parts.attrs)))
        column = np.frombuffer(spaces.read(number), dtype=bool).reshape((number, 1))
        block, ends = DocBin(), np.cumsum(lengths)[:-1]
        block.attrs, block.tokens, block.spaces = parts.attrs, np.split(columns, ends), np.split(column, ends)
        missing_lists = {"span_groups": [b""] * len(lengths), "flags": [{}] * len(lengths), "user_data": []}
        for name, default in {"cats": [], **missing_lists}.items():
            items = parts.lists.get(name)
            setattr(block, name, default if items is None else [*islice(items, len(lengths))])
        for data in (*block.user_data, *block.span_groups):
            if isinstance(data, bytes) and len(data) > UNCHECKED:
                check_packed(data, reader)
        yield block


def _lengths(reader: InflatingReader, documents: int) -> Iterator[NDArray[np.int32]]:
    """Yield the lengths of the documents of each block."""
    for first in range(0, documents, DOCUMENTS):
        lengths = np.frombuffer(reader.read(4 * min(DOCUMENTS, documents - first)), dtype=np.int32)
        full = (np.cumsum(lengths, dtype=np.int64) - 1) // TOKENS
        yield from np.split(lengths, np.flatnonzero(np.diff(full)) + 1)


class _ContainerCount:
    """Counts the lists and maps that an unpacker makes.

    Args:
        source: The reader of the file.
        keeps: Whether the lists and maps are kept.
    """

    def __init__(self, source: InflatingReader, keeps: bool = True) -> None:
        self._source, self._keeps = source, keeps
        self.number = 0

    def options(self) -> dict[str, Any]:
        """Return the arguments of an unpacker that is to be counted."""
        most = int(min(LARGEST, most_bytes(self._source.size, HELD) // PER_CONTAINER))
        hooks = {"list_hook": self.see, "object_hook": self.see}
        return {"raw": False, "max_array_len": most, "max_map_len": most, "strict_map_key": False, **hooks}

    def see(self, container: Any) -> Any:
        """Count a list or map, and return it, or None if it is not kept. Raise TooLarge if there are too many."""
        self.number += 1
        need = self.number * PER_CONTAINER
        if need > HELD:
            check_expansion(self._source.name, need, self._source.size, HELD, "as objects in memory")
        return container if self._keeps else None


def check_packed(data: bytes, source: InflatingReader) -> None:
    """Raise TooLarge if packed data, which spaCy is going to unpack, contain too many lists and maps."""
    unpacker = Unpacker(max_buffer_size=LARGEST, **_ContainerCount(source, keeps=False).options())
    unpacker.feed(data)
    unpacker.unpack()


def _unpacker(source: InflatingReader, count: _ContainerCount | None = None) -> Any:
    options = (count or _ContainerCount(source)).options()
    return Unpacker(source, read_size=READ, max_buffer_size=LARGEST, **options)


def _items(source: InflatingReader) -> Iterator[Any]:
    count = _ContainerCount(source)
    unpacker = _unpacker(source, count)
    for _ in range(unpacker.read_array_header()):
        count.number = 0
        yield unpacker.unpack()


def _length(unpacker: Any) -> int:
    """Return the length of the binary data that follows. msgpack itself would read the data as a whole."""
    return int.from_bytes(unpacker.read_bytes(LENGTHS[unpacker.read_bytes(1)[0]]), "big")


def _skip(unpacker: Any, size: int) -> None:
    for start in range(0, size, READ):
        unpacker.read_bytes(min(READ, size - start))


def _check_memory(strings: int, parts: Parts) -> None:
    need, available = strings * PER_STRING, SHARE * machine_memory()
    if need > available:
        documents = parts.arrays["lengths"][1] // 4 if "lengths" in parts.arrays else 0
        sizes = f", of about {int(documents * available / need):,} documents each" if documents else ""
        raise TooManyStrings(
            f"has {strings:,} different strings, which take about {need / 2**30:,.1f} GiB of memory; one file may take "
            f"{available / 2**30:,.1f} GiB on this machine: write it as several files{sizes}"
        )


def tokenizer_with_name(language: str | None) -> NamedTokenizer | None:
    """Return the tokenizer of a language with its name; None without a language. Errors are those of `tokenizer`."""
    return None if language is None else NamedTokenizer(f"spacy-{language}", tokenizer(language, "tokenizer"))


def tokenizer(language: str, option: str = "lang") -> Tokenizer:
    """Return the tokenizer of a language: a function of a text that returns the offsets of its tokens.

    Args:
        language: spaCy's code of the language, such as `en`, or `xx` for any.
        option: The option that named the language, for errors.

    Raises:
        ValueError: spaCy has no such language, or it needs another package.

    >>> tokenizer("en")("Ada met Bob.")
    [(0, 3), (4, 7), (8, 11), (11, 12)]
    """
    try:
        nlp = spacy.blank(language)
    except ImportError as error:
        raise ValueError(f"{spell_argument(option, language)}: {str(error).splitlines()[0]}") from None
    nlp.max_length = sys.maxsize  # spaCy's limit is for its parser and entity recogniser, which do not run
    return lambda text: [(token.idx, token.idx + len(token)) for token in nlp.make_doc(text)]


def write_spacy(path: Path, records: Iterable[Record], losses: Losses, key: str | None, tokenize: Tokenizer) -> None:
    """Write records as a `.spacy` file. Ids and metadata go to `user_data` of the Docs.

    Args:
        path: The file. It appears under this name only when it is complete.
        records: The records.
        losses: Counts the losses.
        key: Write to `doc.spans[key]`, which can store spans that overlap, instead of `doc.ents`.
        tokenize: Finds the tokens of a text that has none.

    Raises:
        ValueError: A span does not fit the tokens, or overlaps another in `doc.ents`, and spans
            may not be dropped.
        OSError: If the file cannot be written.
    """
    doc_bin = DocBin(store_user_data=True)
    vocab = Vocab()
    for record in records:
        check_characters(record, losses)
        doc_bin.add(_doc(record, vocab, losses, key, tokenize))
    with atomic_file(path) as file:
        file.write(doc_bin.to_bytes())


def _doc(record: Record, vocab: Vocab, losses: Losses, key: str | None, tokenize: Tokenizer) -> Doc:
    places = record.tokens if record.tokens is not None else tokenize(record.text)
    words, spaces = _words(record.text, places)
    doc = Doc(vocab, words=words, spaces=spaces)
    if doc.text != record.text:
        raise ValueError(f"document {losses.number}: spaCy does not keep its text {shorten(repr(record.text))}")
    if record.id is not None:
        doc.user_data["id"] = record.id
    if record.meta:
        doc.user_data["meta"] = dict(record.meta)
    if not record.annotated:
        return doc
    if key:
        doc_spans = [(_span(doc, record, span, losses), record.span_scores.get(span)) for span in sorted(record.spans)]
        aligned = [(span, score) for span, score in doc_spans if span is not None]
        scores = [score for _, score in aligned if is_finite_number(score)]
        attrs = {"scores": scores} if aligned and len(scores) == len(aligned) else {}
        doc.spans[key] = SpanGroup(doc, name=key, spans=[span for span, _ in aligned], attrs=attrs)
        losses.others["scores of groups in which a span has none"] += 0 if attrs else len(record.span_scores)
        for gap in record.gaps:
            losses.add_gap(record, gap)
        return doc
    losses.others["scores of spans"] += len(record.span_scores)
    entities = [_span(doc, record, span, losses) for span in flat_spans(record, losses)]
    missing = []
    for gap in record.gaps:
        if (span := doc.char_span(*gap)) is None or any(
            e and e.start < span.end and span.start < e.end for e in entities
        ):
            losses.add_gap(record, gap)
        else:
            missing.append(span)
    doc.set_ents([span for span in entities if span is not None], missing=missing, default="outside")
    return doc


def _span(doc: Doc, record: Record, span: PlainSpan, losses: Losses) -> Span | None:
    attributes = attributes_of(record.attributes, span)
    link = attributes.pop(LINK, "")
    doc_span = doc.char_span(*span, kb_id=link) if span[0] < span[1] else None
    if doc_span is None:
        losses.add_span(record, span, UNALIGNED)
        return None
    for name, value in attributes.items():
        key: Any = (STORED, name.removeprefix(CUSTOM), doc_span.start_char, doc_span.end_char)
        doc.user_data[key] = {"true": True, "false": False}.get(value, value)
    return doc_span


def _words(text: str, places: Places) -> tuple[list[str], list[bool]]:
    """Return words that cover a whole text, and whether a space follows each."""
    words: list[str] = []
    spaces: list[bool] = []
    end = 0
    for start, stop in (*places, (len(text), len(text))):
        between = text[end:start]
        if words and between.startswith(" "):
            spaces[-1] = True
            between = between[1:]
        for word in (between, text[start:stop]):
            if word:
                words.append(word)
                spaces.append(False)
        end = max(end, stop)
    return words, spaces


class WriteResult(NamedTuple):
    """The number of documents and spans that were written, and lines about the losses."""

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
    target = "jsonl" if is_stream(output) else TARGETS.get(format_extension(output))
    if target is None:
        raise ValueError(
            f"{output}: cannot write {output.suffix} files; expected {', '.join(filter(None, TARGETS))}, or the name "
            "of a folder for brat's files"
        )
    return target


def write_annotation(
    output: Path,
    records: Iterable[Record],
    *,
    key: str | None = None,
    lang: str = "xx",
    drop: bool = False,
    align: str | None = None,
) -> WriteResult:
    """Write records in the format that the extension of the path names, see `TARGETS`.

    Args:
        output: A file, or a folder for brat's files.
        records: The records.
        key: `.spacy`: write to `doc.spans[key]` instead of `doc.ents`.
        lang: Language of the spaCy tokenizer for texts without tokens.
        drop: Drop spans that the format cannot store, and count them, rather than raise an error.
        align: The treatment of spans that do not fit the tokens, one of `arguments.ALIGNMENTS`; None for an error.

    Raises:
        ValueError: The extension is unknown, or the format cannot store a span, a label or a text.
        OSError: If the output cannot be written.
    """
    target = target_of(output)
    losses, totals = Losses(drop, target), Counter[str]()
    if target in HOLD_TOKENS:
        records = without_gaps(records, losses)
    if align:
        check_value("align", align, ALIGN)
        if target not in HOLD_TOKENS:
            raise ValueError(f"{spell_argument('align', align)}: {output} can store spans inside tokens; remove it")
        records = align_records(records, tokenizer(lang), align, losses)
    _writer(target, key, lang)(output, _count_records(records, losses, totals), losses)
    left_before = {GAPS, f"spans that {WITH_GAPS}"} | ({f"spans that {UNALIGNED}"} if align else set())
    spans = totals["spans"] - sum(number for reason, number in losses.spans.items() if reason not in left_before)
    left_out = report_omitted(losses, [(description, totals[name]) for name, description in READ_LOSSES.items()])
    return WriteResult(totals["documents"], spans, left_out)


def _count_records(records: Iterable[Record], losses: Losses, totals: Counter[str]) -> Iterator[Record]:
    for number, record in enumerate(records):
        losses.number = number
        totals["documents"] += 1
        totals["spans"] += len(record.spans)
        for name in READ_LOSSES:
            value = getattr(record, name)
            totals[name] += value if isinstance(value, int) else len(value)
        yield record


def _writer(target: str, key: str | None, lang: str) -> Callable[[Path, Iterable[Record], Losses], None]:
    if target == "jsonl":
        return converting.write_jsonl
    if target == "table":
        return converting.write_table
    if target == "brat":
        return converting.write_brat
    if target == "conll":
        return partial(converting.write_conll, tokenize=tokenizer(lang))
    return partial(write_spacy, key=key, tokenize=tokenizer(lang))
