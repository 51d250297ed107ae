"""CoNLL files: a token per line, in columns, one of which has the tags of the spans."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

from ...core.attribute_values import LINK, SpanAttributes, attributes_by_span, sort_attributes
from ...core.messages import PlainSpan, describe_repeated_column, describe_unknown, join_names, quote, spell_argument
from ..records import Record
from .contents import lines
from .hf import given_names, tag_name
from .settings import COLUMN_NAME, Format
from .tags import EXPECTED, INVISIBLE, MISSING, Scheme, Where, gaps_of, has_prefix, looks_like_tag, read_tags

DOCSTART = "-DOCSTART-"

CONLLU_COMMENT = re.compile(r"# *(sent_id|text) *=.*|# *new(doc|par)( id *=.*)?")
"""A comment of CoNLL-U, which other formats have too."""

COMMENT = re.compile(r" *(#|%+|;+|//+)(\s.*|\s*\w+\s*=.*|(begin|end) document.*)")
"""A line that is a comment unless it has the columns of a token."""

HEADER = re.compile(
    r"(?i)tokens?|words?|forms?|text|surface|(ne(r|[-_].+)?|pos|named.?entity|bio|iob2?|gold|true|pred(ict\w+)?)?"
    r"[-_ ]?(tags?|labels?)?|(sentence|sent|token|word)?[-_ ]?(#|id|idx|index|no|number)|entity|misc"
)
"""The usual names of columns in a header row."""

WORDS = re.compile(r"(?i)tokens?|words?|forms?|text|surface")
"""The usual names of the column of the words."""

SAMPLE = 250
"""The number of rows at the start of a file that show the meaning of its columns."""


class Token(NamedTuple):
    """A token of a sentence: the number of its line, its word, its tag and its link."""

    line: int
    word: str
    tag: str
    link: str = ""


Sentence = list[Token]


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    r"""Read the documents of a file, which begin at -DOCSTART- lines, or its sentences if there are no such lines.

    Blank lines separate sentences. Columns are separated by tabs, or by spaces on lines
    without tabs; the first has the words, unless it has the numbers of tokens or sentences, or
    their names. Comments, which begin with #, %, ; or //, and a header row are skipped. The text of a record has
    a space between words and a newline between sentences. The file is read twice, because its tagging
    scheme is inferred from all its tags (see `Scheme`). Tokens tagged "-" are gaps.

    Args:
        path: The file.
        format: `format.column`, `format.field` and `format.both` say where the tags are, `format.words` where the
            words are; by default, tags are in the last column, or in the only one that has tags. `format.repair`
            says how to read tags that the scheme does not allow: "conll" reads them as
            conlleval does, so that any tag may begin a span; "discard" leaves such spans out. `format.tag_names` gives
            names to tags that are numbers.

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
    layout, names = _layout(path, format), given_names(format)
    scheme, has_marks = Scheme(format.scheme, format.outside), False
    for sentence in _sentences(path, layout, names):
        has_marks = has_marks or sentence is None
        scheme.see([token.tag for token in sentence or ()], _line_names(sentence or ()))
    try:
        scheme.plain_tags(())
    except ValueError as error:
        raise ValueError(f"{path}, {error}{_OF_BOTH.format(spell_argument('column', '3,4')) * format.both}") from None
    document: list[Sentence] = []
    has_begun = False  # whether a document has begun: it may have no sentence
    for sentence in _sentences(path, layout, names):
        if has_begun and (sentence is None or not has_marks):
            yield _record(path, document, format, scheme, layout)
            document = []
        has_begun = True
        if sentence:
            document.append(sentence)
    if has_begun:
        yield _record(path, document, format, scheme, layout)


_OF_BOTH = (
    ". A file given alone has gold tags in its last column but one, and predictions in the last: name other columns "
    "with {}, or give the file of the predictions after it"
)


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


def _record(path: Path, document: list[Sentence], format: Format, scheme: Scheme, layout: Layout) -> Record:
    text = "\n".join(" ".join(token.word for token in sentence) for sentence in document)
    offsets: list[tuple[int, int]] = []
    for token in chain(*document):
        start = offsets[-1][1] + 1 if offsets else 0
        offsets.append((start, start + len(token.word)))
    spans, repaired, first = set[PlainSpan](), 0, 0
    links = dict(zip((start for start, _ in offsets), (token.link for token in chain(*document))))
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
    notes = (*scheme.notes, *layout.notes)
    wordless = layout.word is None
    return Record(
        text,
        spans,
        offsets,
        None,
        annotated,
        gaps,
        repaired=repaired,
        wordless=wordless,
        notes=notes,
        scheme=scheme.written_name,
        attributes=_links_of(spans, links) if layout.link is not None else {},
    )


NO_LINK = ("", "_", "-", "O")
"""The values of tokens without a link."""


def _links_of(spans: Collection[PlainSpan], links: Mapping[int, str]) -> SpanAttributes:
    """Return the link of each span, that of its first token.

    Args:
        spans: The spans.
        links: The value of the column of links, by the start of its token.
    """
    pairs = ((span, links[span[0]]) for span in spans)
    return attributes_by_span(
        (span, sort_attributes([(LINK, "" if link in NO_LINK else link)])) for span, link in pairs
    )


class Layout(NamedTuple):
    """The meaning of the columns of a file.

    Args:
        width: The number of columns.
        word: The index of the words; None if there are none, so that token numbers replace them.
        tag: The index of the tags.
        header: The number of the line that has the names of the columns; 0 if there is none.
        tags: The tags in the first rows.
        notes: Notes on the columns.
        has_tags: Whether any column has tags with prefixes alone.
        link: The index of the links; None if no column of them was named.
    """

    width: int
    word: int | None
    tag: int
    header: int = 0
    tags: Collection[str] = ()
    notes: Sequence[str] = ()
    has_tags: bool = True
    link: int | None = None

    def is_comment(self, line: str, cells: Sequence[str], begins: bool) -> bool:
        """Return whether a line is a comment, which has no tag. `begins` says whether no sentence has begun."""
        if not COMMENT.fullmatch(line):
            return False
        if len(cells) == self.width and (cells[self.tag] in self.tags or has_prefix(cells[self.tag])):
            return False
        return begins or "=" in line


def _layout(path: Path, format: Format) -> Layout:
    """Return the meaning of the columns of a file, by its first rows. Raise ValueError if it is unclear."""
    rows: list[tuple[int, list[str]]] = []
    marked: list[tuple[int, list[str]]] = []  # rows that may be comments
    ends: set[int] = set()  # the rows before which a sentence ends
    is_conllu = False
    for number, line in lines(path):
        cells = _cells(line)
        if not rows and line.startswith("# global.columns"):
            raise _is_conllu(path, number)
        if not cells or cells[0] == DOCSTART:
            ends.add(len(rows))
        elif COMMENT.fullmatch(line):
            marked.append((number, cells))
            is_conllu = is_conllu or bool(CONLLU_COMMENT.fullmatch(line))
        else:
            rows.append((number, cells))
        if len(rows) > SAMPLE:
            break
    rows = rows or [row for row in marked if row[1][-1] == "O" or has_prefix(row[1][-1])]
    if not rows:
        return Layout(0, 0, 0)
    number, first = rows[0]
    try:
        if len(first) == 10 and first[0].isdecimal() and (first[9] == "_" or "=" in first[9]):
            raise _is_conllu(path, number)
        layout = _columns(rows, ends, format)
        if is_conllu and not layout.has_tags and first[0].isdecimal():
            raise _is_conllu(path, number)
        return layout
    except ValueError as error:
        raise error if str(error).startswith(str(path)) else ValueError(f"{path}, line {number}: {error}") from None


def _is_conllu(path: Path, number: int) -> ValueError:
    return ValueError(f"{path}, line {number}: this is CoNLL-U: read it with {spell_argument('format', 'conllu')}")


def _columns(rows: Sequence[tuple[int, list[str]]], ends: Collection[int], format: Format) -> Layout:
    """Return the meaning of the columns of rows.

    Args:
        rows: The first rows with the numbers of their lines, without comments.
        ends: The indices of rows before which a sentence ends.
        format: Says which columns were named.
    """
    number, first = rows[0]
    width = len(first)
    _check_width([cells for _, cells in rows])
    names = [name for name in (format.field, format.words, format.links) if name is not None and not _is_number(name)]
    outside = {"O", MISSING, *([] if format.outside is None else [format.outside])}
    body = [cells for _, cells in rows if len(cells) == width]
    looks_named = (
        not any(cell in outside or has_prefix(cell) for cell in first)
        and sum(map(bool, map(HEADER.fullmatch, first))) > 1
    )
    has_names = any(name in first for name in names) or (looks_named and len(body) > 1)
    header = first if has_names else []
    values = [*zip(*body[has_names:])] or [()] * width
    tagged = [k for k in range(width) if _are_tags(values[k], outside)]
    if not (has_names or tagged or format.scheme == "IO"):
        _check_has_no_header(first, [column[1:] for column in values], outside, format)
    notes = []
    if format.field is not None:
        tag = _index(format.field, header, "column")
    elif format.column:
        tag = format.column - 1 if format.column > 0 else width + format.column
        if not 0 <= tag < width:
            raise ValueError(f"there is no column {abs(format.column)}; the file has {width}")
    else:
        tag = width - 1
        others = [] if {*outside} & {*values[tag]} - {MISSING} else [k for k in tagged if k]
        if len(others) > 1 and tag not in tagged:
            listed = join_names([header[k] if header else str(k + 1) for k in others], 20)
            raise ValueError(f"the last column has no tags; choose one with {spell_argument('column')}: {listed}")
        if tagged == [0] and any(map(has_prefix, values[0])) and format.scheme != "IO":
            raise ValueError(
                f"the tags are in column 1: name it with {spell_argument('column', 1)}, and the column of the words "
                f"with {spell_argument('word_column', 2)}"
            )
        if others and tag not in tagged:
            tag = others[0]
            notes.append(f"tags are read from column {tag + 1}, the only one that has tags")
        more = [k for k in tagged if k not in (0, tag) and any(map(has_prefix, values[k]))]
        if tag in tagged and more and not format.both:
            columns = join_names([header[k] if header else str(k + 1) for k in more], 5)
            notes.append(f"tags are read from the last column; {spell_argument('column')} reads others: {columns}")
    if has_names and not names and (not HEADER.fullmatch(header[tag]) or header[tag] in values[tag]):
        header, has_names = [], False
    sentences = _sentence_values(rows, width, ends, has_names)
    word, is_numbered = _word_column(sentences, tag, tagged, format, header)
    if is_numbered:
        notes.append(f"words are read from column {word + 1}, since the one before has numbers" if word else "")
    if tag == word:
        raise ValueError(
            f"the {'first' if tag == 0 else f'{tag + 1}th'} column has the words; choose another column of tags with "
            f"{spell_argument('column')}, or one of words with {spell_argument('word_column')}"
        )
    tags = {*outside, *(v for v in values[tag] if v)}
    link = _named_column(format.links, width, header, "link_column")
    return Layout(width, word, tag, number if has_names else 0, tags, tuple(filter(None, notes)), bool(tagged), link)


def _check_width(rows: Sequence[Sequence[str]]) -> None:
    """Raise ValueError if the first row has no columns, or another number than all rows after it."""
    first, widths = rows[0], {len(cells) for cells in rows[1:]}
    if len(first) == 1:
        raise ValueError(
            f"there is one column, {quote(first[0])}; expected words and tags, separated by a tab or space"
            f"{_COMMENTS * first[0].startswith(_MARKS)}"
        )
    if len(rows) > 2 and len(widths) == 1 and widths != {len(first)}:
        raise ValueError(f"expected {min(widths)} columns, as in the lines after; found {len(first)}{_COMMENTS}")


def _are_tags(values: Sequence[str], outside: Collection[str]) -> bool:
    """Return whether all values of a column are tags, and not all of them missing."""
    return bool({*values} - {MISSING}) and all(value in outside or has_prefix(value) for value in values)


def _check_has_no_header(
    first: Sequence[str], columns: Sequence[Sequence[str]], outside: Collection[str], format: Format
) -> None:
    """Raise ValueError if the first row seems to have names of columns, since the rows after it alone have tags.

    Args:
        first: The first row.
        columns: The values of each column in the rows after it.
        outside: The tags of tokens outside of spans.
        format: The settings, with the column that was asked for.
    """
    tagged = [k for k, values in enumerate(columns) if _are_tags(values, outside) and any(map(has_prefix, values))]
    labels = {value[2:] for k in tagged for value in columns[k] if has_prefix(value)}
    if not tagged or any(first[k] in labels or looks_like_tag(first[k]) for k in tagged):
        return
    names = [first[k] for k in tagged][-2 if format.both else -1 :]
    remedy = "take the line out"
    if all(map(COLUMN_NAME.fullmatch, names)):
        remedy = f"{spell_argument('column', ','.join(names))} reads the columns by their names"
    raise ValueError(
        f"{quote(first[tagged[-1]])} is not a tag, and all rows after it have tags there: if the line is a header with "
        f"the names of the columns, {remedy}; otherwise {EXPECTED}"
    )


def _named_column(name: str | None, width: int, header: Sequence[str], option: str) -> int | None:
    """Return the index of the column with a number or a name; None without one."""
    if name is None:
        return None
    if not _is_number(name):
        return _index(name, header, option)
    column = width - 1 if name == "last" else int(name) - 1
    if not 0 <= column < width:
        raise ValueError(f"{spell_argument(option, name)}: there is no such column; the file has {width}")
    return column


def _is_number(name: str) -> bool:
    return name == "last" or name.isdecimal()


def _index(name: str, header: Sequence[str], option: str) -> int:
    """Return the index of the column with a name. Raise ValueError if there is none."""
    if header.count(name) > 1:
        raise ValueError(f"{spell_argument(option, name)}: {describe_repeated_column(name)}, or give its number")
    if name in header:
        return header.index(name)
    if not header:
        raise ValueError(
            f"{spell_argument(option, name)}: expected 'last' or a number, since columns of CoNLL files have no names "
            "without a header row"
        )
    raise ValueError(f"{spell_argument(option)}: {describe_unknown(name, header, 'column', 20)}")


def _sentence_values(
    rows: Sequence[tuple[int, list[str]]], width: int, ends: Collection[int], has_names: bool
) -> list[list[tuple[str, ...]]]:
    """Return, for each column, the values of each sentence."""
    sentences: list[list[list[str]]] = [[]]
    for k, (_, cells) in enumerate(rows):
        if k in ends and sentences[-1]:
            sentences.append([])
        if len(cells) == width and k >= has_names:
            sentences[-1].append(cells)
    return [[tuple(cells[k] for cells in sentence) for sentence in sentences if sentence] for k in range(width)]


def _word_column(
    columns: Sequence[list[tuple[str, ...]]], tag: int, tagged: Sequence[int], format: Format, header: Sequence[str]
) -> tuple[int | None, bool]:
    """Return the index of the words, None if there are none, and whether columns of numbers come before it."""
    if format.words is not None:
        return _named_column(format.words, len(columns), header, "word_column"), False
    named = [k for k, name in enumerate(header) if WORDS.fullmatch(name) and k != tag]
    if len(named) == 1:
        return named[0], False
    if format.both and len(columns) == 2:
        return None, False
    candidates = [k for k in range(len(columns)) if k not in tagged and (k != tag or k == 0)]
    for k in candidates:
        kind = _kind_of_column(columns[k])
        if kind == "numbers" and any(_kind_of_column(columns[other]) == "words" for other in candidates):
            names = join_names([str(other + 1) for other in candidates], 20)
            raise ValueError(
                f"column {k + 1} has numbers alone, which may not be the words; name the column of the words with "
                f"{spell_argument('word_column')}: {names}"
            )
        if kind != "index":
            return k, k > 0
    first = [*chain(*columns[0])]  # next to tags alone, names are words, even if they look like those of sentences
    has_none = len(candidates) > 1 or (len(first) > 2 and all(value[:1].isdecimal() for value in first))
    return (None, True) if has_none else (0, False)


def _kind_of_column(sentences: Sequence[tuple[str, ...]]) -> str:
    """Return whether a column has an "index" of tokens, sentences or documents, other "numbers", or "words".

    >>> _kind_of_column([("1", "2"), ("1",)]), _kind_of_column([("7", "7"), ("8", "8")]), _kind_of_column([("5", "9")])
    ('index', 'index', 'numbers')
    >>> _kind_of_column([("Ada", "met"), ("1",)]), _kind_of_column([("bc/cctv_0", "bc/cctv_0", "bc/cctv_0")])
    ('words', 'index')
    >>> _kind_of_column([("T1", "T2"), ("T1",)]), _kind_of_column([("s1-1", "s1-2"), ("s2-1",)])
    ('index', 'index')
    """
    values = [*chain(*sentences)]
    longer = [sentence for sentence in sentences if len(sentence) > 1]
    is_constant = bool(longer) and all(len({*sentence}) == 1 for sentence in longer)
    patterns = {re.sub(r"\d+", "#", value) for value in values}  # s1 and s2 are alike
    blocks = len([*groupby(values)]) == len({*values}) < len(values)  # as numbers of sentences without blank lines
    if values and all(re.fullmatch(r"\d{1,9}([-.]\d{1,9})?[:.]?", value) for value in values):
        numbers = [[int(value) for value in sentence if value.isdecimal()] for sentence in sentences]
        return "index" if _count_up(numbers) or is_constant or blocks else "numbers"
    names = is_constant and ("/" in values[0] or (len(values) > 2 and len(longer) > 1))
    is_numbered = len(patterns) == 1 and "#" in min(patterns) and len(values) > 2
    if is_numbered and longer and not blocks:
        blocks = _count_up([[int(re.findall(r"\d+", value)[-1]) for value in sentence] for sentence in sentences])
    return "index" if names or (is_numbered and blocks) else "words"


def _count_up(numbers: Sequence[Sequence[int]]) -> bool:
    """Return whether numbers count tokens up: from 0 or 1 in each sentence, or throughout."""
    counts = all([*row] == [*range(row[0], row[0] + len(row))] and row[0] < 2 for row in numbers if row)
    joined = [*chain(*numbers)]
    return counts or (len(joined) > 1 and joined == [*range(joined[0], joined[0] + len(joined))])


_COMMENTS = "; a comment begins with #, %, ; or // and a space, and is before a sentence or has a ="

_MARKS = ("#", "%", ";", "//", "--", "*", "!")
"""Beginnings of lines that are perhaps meant as comments."""


def _sentences(path: Path, layout: Layout, names: Sequence[str] | None) -> Iterator[Sentence | None]:
    """Yield the sentences of a file, and None for each line with -DOCSTART-. `names` are those of tags of numbers."""
    sentence: Sentence = []
    for number, line in lines(path):
        cells = _cells(line)
        if cells and cells[0] != DOCSTART:
            if number == layout.header or layout.is_comment(line, cells, not sentence):
                continue
            if len(cells) != layout.width:
                raise ValueError(
                    f"{path}, line {number}: expected {layout.width} columns, as in the lines before; "
                    f"found {len(cells)}{_COMMENTS * line.startswith(_MARKS)}"
                )
            word = str(len(sentence) + 1) if layout.word is None else cells[layout.word]
            if not word:
                raise ValueError(
                    f"{path}, line {number}: there is no word in column {(layout.word or 0) + 1}; name the column of "
                    f"the words with {spell_argument('word_column')}"
                )
            link = "" if layout.link is None else cells[layout.link]
            try:
                tag = tag_name(cells[layout.tag], names)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            sentence.append(Token(number, word, tag, link))
            continue
        if sentence:
            yield sentence
            sentence = []
        if cells:
            yield None
    if sentence:
        yield sentence


def _cells(line: str) -> list[str]:
    """Return the columns of a line; none if nobody sees anything on it."""
    line = line.rstrip(" \t")
    if not line.strip(INVISIBLE):
        return []
    if "\t" in line:
        return [cell.strip(" ") for cell in line.split("\t")]
    return [cell for cell in line.rstrip(INVISIBLE).split(" ") if cell]


def has_columns(start: str) -> bool:
    """Return whether the start of a text file has words and tags in columns.

    >>> has_columns("EU NNP B-ORG\\nrejects VBZ O\\n"), has_columns("Ada met Bob\\nO my\\n")
    (True, False)
    """
    rows = [
        cells for line in start.split("\n")[:SAMPLE] if (cells := _cells(line.strip("\r"))) and cells[0] != DOCSTART
    ]
    rows = [cells for cells in rows if not cells[0].startswith("#") and not COMMENT.fullmatch(" ".join(cells))]
    if not rows or len({*map(len, rows)}) > 1 or len(rows[0]) < 2:
        return False
    tags = [[cells[k] for cells in rows] for k in range(1, len(rows[0]))]
    return any(all(tag == "O" or has_prefix(tag) for tag in column) for column in tags)
