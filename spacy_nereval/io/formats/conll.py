"""CoNLL files: a token per line, in columns, one of which has the tags of the spans."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ..records import Record
from .settings import Format, lines
from .tags import MISSING, Chunk, Scheme, chunks, split

DOCUMENT = "-DOCSTART-"


class Token(NamedTuple):
    line: int
    word: str
    tag: str


Sentence = list[Token]


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """A record of each document: of what lies between lines with -DOCSTART-, or
    without any of what lies between blank lines.

    Columns are separated by tabs, or by spaces on lines without tabs. The first
    has the words. In the text they have a space between them, and a newline
    between sentences. Which scheme the tags have, `Scheme` tells from the whole
    file; hence it is read twice.

    Raises ValueError, naming the line, for a span that its scheme does not
    allow, unless it is repaired: `conll` reads it as conlleval does, which lets
    a span begin where nothing is continued and end where nothing continues it;
    `discard` leaves it out. The record has the number of such spans.
    """
    scheme, marked = Scheme(), False
    for sentence in _sentences(path, format):
        marked = marked or sentence is None
        scheme.see([token.tag for token in sentence or ()], [token.line for token in sentence or ()])
    document: list[Sentence] = []
    begun = False  # the document: it may have no sentence
    for sentence in _sentences(path, format):
        if begun and (sentence is None or not marked):
            yield _record(path, document, format, scheme)
            document = []
        begun = True
        if sentence:
            document.append(sentence)
    if begun:
        yield _record(path, document, format, scheme)


def _record(path: Path, document: list[Sentence], format: Format, scheme: Scheme) -> Record:
    text = "\n".join(" ".join(token.word for token in sentence) for sentence in document)
    places: list[tuple[int, int]] = []
    for token in chain(*document):
        start = places[-1][1] + 1 if places else 0
        places.append((start, start + len(token.word)))
    spans, repaired, before = set(), 0, 0
    for sentence in document:
        for chunk in chunks([token.tag for token in sentence]):
            allowed = chunk.is_allowed(scheme.name)
            if not allowed and not format.repair:
                raise ValueError(f"{path}, {_wrong(sentence, chunk, scheme)}")
            repaired += not allowed
            if allowed or format.repair == "conll":
                spans.add((places[before + chunk.start][0], places[before + chunk.end - 1][1], chunk.label))
        before += len(sentence)
    known = [token.tag != MISSING for token in chain(*document)]
    gaps = tuple(place for place, is_known in zip(places, known) if not is_known)
    return Record(text, spans, places, None, any(known) or not known, gaps, repaired=repaired)


def _wrong(sentence: Sentence, chunk: Chunk, scheme: Scheme) -> str:
    line, _, tag = sentence[chunk.start]
    what = "is not ended by an L or E" if chunk.prefixes[0] == "B" else "continues nothing"
    return (
        f"line {line}: {tag} {what}, and the tags are {scheme.name}, as {scheme.evidence} shows; "
        "--repair conll makes a span of it, --repair discard leaves it out"
    )


def _sentences(path: Path, format: Format) -> Iterator[Sentence | None]:
    """The sentences of a file, and None for each line with -DOCSTART-."""
    sentence: Sentence = []
    width = tags = 0
    word: int | None = 0
    for number, line in lines(path):
        cells = _cells(line)
        if cells and cells[0] != DOCUMENT:
            try:
                if not width:
                    width = len(cells)
                    word, tags = _columns(width, format)
                if len(cells) != width:
                    raise ValueError(f"columns: {len(cells)}, and {width} before")
                _check_tag(cells[tags], format)
                if word is not None and not cells[word]:
                    raise ValueError("there is no word in the first column")
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            sentence.append(Token(number, str(len(sentence) + 1) if word is None else cells[word], cells[tags]))
            continue
        if sentence:
            yield sentence
            sentence = []
        if cells:
            yield None
    if sentence:
        yield sentence


def _check_tag(tag: str, format: Format) -> None:
    try:
        split(tag)
    except ValueError as error:
        if not format.both:
            raise
        raise ValueError(
            f"{error}; a file alone has gold tags in its last column but one, and predictions in the last: "
            "name other columns with --column 3,4, or the file of the predictions behind it"
        ) from None


def _cells(line: str) -> list[str]:
    line = line.rstrip(" \t")
    if "\t" in line:
        return [cell.strip(" ") for cell in line.split("\t")]
    return [cell for cell in line.split(" ") if cell]


def _columns(width: int, format: Format) -> tuple[int | None, int]:
    """Where words and tags are. In a file with two columns of tags and no other, numbers stand for words."""
    word = None if format.both and width == 2 else 0
    tags = format.column - 1 if format.column > 0 else width + format.column
    if width == 1:
        raise ValueError("there is one column; words and tags were wanted")
    if not 0 <= tags < width:
        raise ValueError(f"there is no column {abs(format.column)}; there are {width}")
    if tags == word:
        raise ValueError("the first column has the words, and no tags")
    return word, tags
