"""CoNLL files: a token per line, in columns, one of which has the tags of the spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ...core.messages import PlainSpan, spell_argument
from ..records import Record
from .contents import lines
from .settings import Format
from .tags import Scheme, Where, gaps_of, read_tags, split

DOCSTART = "-DOCSTART-"

COMMENT = re.compile(r"# *(sent_id|text|global\.columns) *=.*|# *new(doc|par)( id *=.*)?")
"""A comment line of CoNLL-U."""


class Token(NamedTuple):
    """A token of a sentence: the number of its line, its word and its tag."""

    line: int
    word: str
    tag: str


Sentence = list[Token]


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    r"""Read the documents of a file, which begin at -DOCSTART- lines, or its sentences if there are no such lines.

    Blank lines separate sentences. Columns are separated by tabs, or by spaces on lines
    without tabs; the first has the words. The text of a record has a space between
    words and a newline between sentences. The file is read twice, because its tagging
    scheme is inferred from all its tags (see `Scheme`). Tokens tagged "-" are gaps.

    Args:
        path: The file.
        format: `format.column` and `format.both` say where the tags are. `format.repair`
            says how to read tags that the scheme does not allow: "conll" reads them as
            conlleval does, so that any tag may begin a span; "discard" leaves such spans out.

    Yields:
        One record per document. `repaired` is the number of its spans that the scheme does
        not allow.

    Raises:
        ValueError: If there is no such file; if a line is malformed; if the scheme does
            not allow a span and `format` does not repair it. Names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.conll"
    >>> _ = path.write_text("Ada B-PER\nsleeps O\n\nUlm B-LOC\n")
    >>> [(record.text, record.spans) for record in read(path)]
    [('Ada sleeps', {(0, 3, 'PER')}), ('Ulm', {(0, 3, 'LOC')})]
    """
    scheme, has_marks = Scheme(), False
    for sentence in _sentences(path, format):
        has_marks = has_marks or sentence is None
        scheme.see([token.tag for token in sentence or ()], _line_names(sentence or ()))
    document: list[Sentence] = []
    has_begun = False  # whether a document has begun: it may have no sentence
    for sentence in _sentences(path, format):
        if has_begun and (sentence is None or not has_marks):
            yield _record(path, document, format, scheme)
            document = []
        has_begun = True
        if sentence:
            document.append(sentence)
    if has_begun:
        yield _record(path, document, format, scheme)


def sentences_without_marks(path: Path) -> int:
    """Return the number of sentences of a file without -DOCSTART- lines; 0 if there are such lines.

    Args:
        path: The file. It is read up to its first such line.

    Raises:
        ValueError: If there is no such file, or a line is not valid UTF-8.
        OSError: If the file cannot be read.
    """
    number, inside = 0, False
    for _, line in lines(path):
        cells = _cells(line)
        if cells and cells[0] == DOCSTART:
            return 0
        number += bool(cells) and not inside
        inside = bool(cells)
    return number


def _line_names(sentence: Sequence[Token]) -> Where:
    return lambda k: f"line {sentence[k].line}"


def _record(path: Path, document: list[Sentence], format: Format, scheme: Scheme) -> Record:
    text = "\n".join(" ".join(token.word for token in sentence) for sentence in document)
    offsets: list[tuple[int, int]] = []
    for token in chain(*document):
        start = offsets[-1][1] + 1 if offsets else 0
        offsets.append((start, start + len(token.word)))
    spans, repaired, first = set[PlainSpan](), 0, 0
    for sentence in document:
        places = offsets[first : first + len(sentence)]
        try:
            tags = [token.tag for token in sentence]
            sentence_spans, repairs = read_tags(tags, places, scheme, format.repair, _line_names(sentence))
        except ValueError as error:
            raise ValueError(f"{path}, {error}") from None
        spans |= sentence_spans
        repaired += repairs
        first += len(sentence)
    annotated, gaps = gaps_of([token.tag for token in chain(*document)], offsets)
    # In a file without words, each token has its number in the sentence as its word; see `_columns`.
    wordless = format.both and all(word == str(k) for words in document for k, (_, word, _) in enumerate(words, 1))
    return Record(text, spans, offsets, None, annotated, gaps, repaired=repaired, wordless=wordless, scheme=scheme.name)


def _sentences(path: Path, format: Format) -> Iterator[Sentence | None]:
    """Yield the sentences of a file, and None for each line with -DOCSTART-."""
    sentence: Sentence = []
    width = tags = 0
    word: int | None = 0
    for number, line in lines(path):
        cells = _cells(line)
        if not width and _is_conllu(line, cells):
            raise ValueError(
                f"{path}, line {number}: this is CoNLL-U: read it with {spell_argument('format', 'conllu')}"
            )
        if cells and cells[0] != DOCSTART:
            try:
                if not width:
                    width = len(cells)
                    word, tags = _columns(width, format)
                if len(cells) != width:
                    raise ValueError(f"expected {width} columns, as in the lines before; found {len(cells)}")
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


def _is_conllu(line: str, cells: list[str]) -> bool:
    """Return whether the first line with content belongs to CoNLL-U: a comment, or a number and nine columns."""
    is_word = len(cells) == 10 and cells[0].isdecimal() and (cells[9] == "_" or "=" in cells[9])
    return is_word or bool(COMMENT.fullmatch(line))


def _check_tag(tag: str, format: Format) -> None:
    try:
        split(tag)
    except ValueError as error:
        if not format.both:
            raise
        raise ValueError(
            f"{error}. A file given alone has gold tags in its last column but one, and predictions in the last: "
            f"name other columns with {spell_argument('column', '3,4')}, or give the file of the predictions after it"
        ) from None


def _cells(line: str) -> list[str]:
    line = line.rstrip(" \t")
    if "\t" in line:
        return [cell.strip(" ") for cell in line.split("\t")]
    return [cell for cell in line.split(" ") if cell]


def _columns(width: int, format: Format) -> tuple[int | None, int]:
    """Return the indices of the columns of words and of tags.

    A file with two columns of tags and no other columns has no words. Token numbers take their place.
    """
    if format.field is not None:
        raise ValueError(
            f"{spell_argument('column', format.field)}: expected 'last' or a number, since columns of CoNLL files "
            "have no names"
        )
    word = None if format.both and width == 2 else 0
    tags = format.column - 1 if format.column > 0 else width + format.column
    if width == 1:
        raise ValueError("there is one column; expected words and tags, separated by a tab or space")
    if not 0 <= tags < width:
        raise ValueError(f"there is no column {abs(format.column)}; the file has {width}")
    if tags == word:
        raise ValueError(
            f"the first column has the words; choose another column of tags with {spell_argument('column')}"
        )
    return word, tags
