"""CoNLL-U and CoNLL-U Plus: tags in a key of MISC, or in a column of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.compression import Damaged
from ...core.messages import PlainSpan, join_names, shorten, spell_argument
from ..paths import check_is_file, open_input
from ..records import Record
from .contents import lines, missing_package
from .settings import Format
from .tags import Scheme, gaps_of, place_words, read_tags, same_place

if TYPE_CHECKING:
    from conllu import TokenList

MISC_KEY, COLUMN = "name", "ner"
"""The key of MISC that has the tags, as spaCy writes it, and the column of CoNLL-U Plus that has them."""


class Sentence(NamedTuple):
    """A sentence of the file.

    Args:
        text: Its text.
        id: Its `sent_id`.
        begins: The id of the document that it begins, "" if that has none; None if it begins no document.
        places: The place of each word. Words of one range share the place of the range.
        tags: The tag of each word.
        keys: The keys of MISC and columns that the sentence has.
    """

    text: str
    id: str | None
    begins: str | None
    places: list[tuple[int, int]]
    tags: list[str | None]
    keys: set[str]


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read the documents of a file, which begin at `# newdoc` lines, or its sentences if there are no such lines.

    The text of a sentence is that of its `# text` line. Without one, it is made of its words and
    ranges, with spaces unless SpaceAfter=No. Words of a range, such as 2-3, cover the text of the
    range. Empty nodes are skipped. The file is read twice, because its tagging scheme is
    inferred from all its tags.

    Args:
        path: The file.
        format: `format.field` names the key of MISC, or the column of CoNLL-U Plus, that has
            the tags, which are O where it is missing; by default the key `name` or the column
            NER. `format.repair` says how to read tags that the scheme does not allow.

    Yields:
        One record per document.

    Raises:
        ValueError: If conllu is not installed; if there is no such file; if it is malformed,
            has no such key, or its scheme does not allow a span and `format` does not repair it.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.conllup"
    >>> _ = path.write_text("# global.columns = ID FORM NER\\n1\\tAda\\tB-PER\\n2\\tmet\\tO\\n\\n")
    >>> [(record.text, record.spans) for record in read(path)]
    [('Ada met', {(0, 3, 'PER')})]
    """
    scheme, has_marks, is_tagged, keys = Scheme(format.scheme, format.outside), False, False, set[str]()
    for number, sentence in enumerate(_sentences(path, format), 1):
        has_marks = has_marks or sentence.begins is not None
        is_tagged = is_tagged or any(tag is not None for tag in sentence.tags)
        keys |= sentence.keys
        tags = [tag or "O" for tag in sentence.tags]
        scheme.see(tags, same_place(f"sentence {number}"))
    if keys and not is_tagged:
        lack = f"the key {format.field or MISC_KEY!r} in MISC"
        lack += "" if format.field else f", and there is no column {COLUMN.upper()}"
        raise ValueError(
            f"{path}: no word has {lack}; choose one with {spell_argument('column')}: {join_names(sorted(keys), 20)}"
        )
    document: list[tuple[int, Sentence]] = []
    for number, sentence in enumerate(_sentences(path, format), 1):
        if document and (sentence.begins is not None or not has_marks):
            yield _record(path, document, format, scheme, has_marks)
            document = []
        document.append((number, sentence))
    if document:
        yield _record(path, document, format, scheme, has_marks)


def _record(
    path: Path, document: list[tuple[int, Sentence]], format: Format, scheme: Scheme, has_marks: bool
) -> Record:
    text, spans, repaired = "", set[PlainSpan](), 0
    places: list[tuple[int, int]] = []
    all_tags: list[str] = []
    for number, sentence in document:
        start = len(text) + 1 if text else 0
        text += ("\n" if text else "") + sentence.text
        offsets = [(start + a, start + b) for a, b in sentence.places]
        tags = [tag or "O" for tag in sentence.tags]
        try:
            sentence_spans, repairs = read_tags(tags, offsets, scheme, format.repair, same_place(f"sentence {number}"))
        except ValueError as error:
            raise ValueError(f"{path}, {error}") from None
        spans, repaired = spans | sentence_spans, repaired + repairs
        places += offsets
        all_tags += tags
    annotated, gaps = gaps_of(all_tags, places)
    first = document[0][1]
    id = (first.begins or None) if has_marks else first.id
    return Record(
        text,
        spans,
        sorted({*places}),
        id,
        annotated,
        gaps,
        repaired=repaired,
        notes=scheme.notes,
        scheme=scheme.written_name,
    )


def _sentences(path: Path, format: Format) -> Iterator[Sentence]:
    try:
        from conllu import parse_incr
        from conllu.exceptions import ParseException
        from conllu.parser import DEFAULT_FIELD_PARSERS
    except ImportError:
        raise missing_package("conllu", "conllu") from None
    check_is_file(path)
    for _ in lines(path):
        break  # raises an error if the file is not UTF-8 text
    number = 0
    with TextIOWrapper(open_input(path), encoding="utf-8-sig") as file:
        sentences = iter(parse_incr(file, field_parsers={**DEFAULT_FIELD_PARSERS, "misc": _misc_of}))
        while True:
            number += 1
            try:
                parsed = next(sentences)
            except StopIteration:
                return
            except Damaged:
                raise
            except (ParseException, ValueError, KeyError, IndexError, TypeError) as error:
                raise ValueError(f"{path}, sentence {number}: not valid CoNLL-U ({shorten(str(error))})") from None
            try:
                if parsed:
                    yield _sentence(parsed, format)
            except ValueError as error:
                raise ValueError(f"{path}, sentence {number}: {error}") from None


def _misc_of(line: Sequence[str], column: int) -> dict[str, str | None] | None:
    """Return the keys and values of MISC. The parser of conllu drops what is after a second =, as in x=B-a=b."""
    if line[column] in ("", "_"):
        return None
    pairs = [part.partition("=") for part in line[column].split("|") if part]
    return {key: value if value not in ("", "_") else None for key, _, value in pairs}


def _sentence(parsed: TokenList, format: Format) -> Sentence:
    meta = parsed.metadata
    forms: list[tuple[str, bool]] = []  # the forms that the text consists of, and whether a space follows
    words: list[tuple[Any, int]] = []  # the words, and the number of their form
    last = 0  # the last word of the last range
    for token in parsed:
        if (id := token.get("id")) is None or not isinstance(token.get("form"), str):
            raise ValueError("a word has no ID or no FORM")
        if isinstance(id, tuple) and id[1] == "-":
            last = id[2]
        elif isinstance(id, tuple):
            continue  # an empty node
        if isinstance(id, tuple) or id > last:
            forms.append((token["form"], (token.get("misc") or {}).get("SpaceAfter") != "No"))
        if not isinstance(id, tuple):
            words.append((token, len(forms) - 1))
    text = meta.get("text")
    if text is None:
        text = "".join(form + " " * has_space for form, has_space in forms).rstrip(" ")
    places = place_words((form for form, _ in forms), text)
    tags = [_tag(token, format.field) for token, _ in words]
    keys = {key for token, _ in words for key in token.get("misc") or {}}
    keys |= {column for column in parsed[0] if column not in ("id", "form", "misc")}
    begins = (meta.get("newdoc id") or "") if "newdoc id" in meta or "newdoc" in meta else None
    return Sentence(text, meta.get("sent_id"), begins, [places[form] for _, form in words], tags, keys)


def _tag(token: Any, field: str | None) -> str | None:
    """Return the tag of a word, or None if it has none."""
    misc = token.get("misc") or {}
    tag = misc.get(field or MISC_KEY) if isinstance(misc, dict) else None
    if tag is None:
        tag = token.get((field or COLUMN).lower())
    if tag in (None, "_"):
        return "O" if tag == "_" else None
    return str(tag)
