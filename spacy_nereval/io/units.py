"""Units: the documents that are resampled together, for intervals and tests.

Intervals and tests treat units as independent of each other. Sentences of one article, or
articles of one source, are not independent, so such documents belong in one unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..core.messages import quote, spell_argument
from ..core.patterns import TooSlow, compile_pattern, match_in_time
from ..core.spans import Document
from ..counting.unit_keys import NUMBERED, content_key
from .formats import corpus_files, name_of
from .formats.conll import sentences_without_marks
from .formats.settings import Format
from .records import Record

ID, META, PREFIX, DOCUMENT, BLOCK = FORMS = ("id", "meta", "prefix", "document", "block")

AUTOMATIC = "block:auto"
"""The default rule for the sentences of a CoNLL file without -DOCSTART- lines."""

LARGEST, FEWEST = 20, 20
"""Maximum number of sentences in an automatic block, and minimum number of blocks of a file that is long enough."""

EXPECTED = "expected id, meta.FIELD, prefix:REGEX, document or block:N"


class UnitRule(NamedTuple):
    """A rule that says which documents are resampled together.

    Args:
        text: The rule as counts and signatures show it, such as `block:20`.
        form: One of `FORMS`.
        value: The field of `meta`, or the regular expression of `prefix`.
        size: The number of documents in a `block`.
    """

    text: str
    form: str
    value: str = ""
    size: int = 0


def parse_unit(text: str) -> UnitRule:
    r"""Parse a rule, such as the value of `--unit`.

    Args:
        text: One of

            - `id`: documents with the same id. Without ids, those with the same text and the
              same gold spans; a document with an unknown text, or with one of token numbers,
              is a unit by itself.
            - `meta.FIELD`: documents with the same value in a field of their metadata.
            - `prefix:REGEX`: documents for which the first group of the regular
              expression matches the same text in the id. The match starts at the start of the id.
            - `document`: every document is a unit, even where ids repeat.
            - `block:N`: N consecutive documents of a file.

    Raises:
        ValueError: If it is not a rule; if the regular expression is not valid or
            has no group.

    >>> parse_unit("meta.source")
    UnitRule(text='meta.source', form='meta', value='source', size=0)
    >>> parse_unit("block:20").size
    20
    >>> parse_unit(r"prefix:\w+")
    Traceback (most recent call last):
    ValueError: unit='prefix:\\w+': the regular expression has no group; put the name of the unit in parentheses
    """
    if text in (ID, DOCUMENT):
        return UnitRule(text, text)
    form, mark, value = text.partition(":")
    if form == PREFIX and mark:
        _check_expression(text, value)
        return UnitRule(text, PREFIX, value)
    if form == BLOCK and mark:
        size = int(value) if value.isascii() and value.isdecimal() else 0
        if not size:
            raise ValueError(
                f"{spell_argument('unit', text)}: expected a whole number of documents from 1 up, as in block:20"
            )
        return UnitRule(f"{BLOCK}:{size}", BLOCK, size=size)
    form, mark, value = text.partition(".")
    if form == META and value:
        return UnitRule(text, META, value)
    raise ValueError(f"{spell_argument('unit', text)}: there is no such unit; {EXPECTED}")


def _check_expression(text: str, expression: str) -> None:
    try:
        groups = compile_pattern(expression).groups
    except ValueError as error:
        raise ValueError(f"{spell_argument('unit', text)}: {error}") from None
    if not groups:
        raise ValueError(
            f"{spell_argument('unit', text)}: the regular expression has no group; put the name of the unit in "
            "parentheses"
        )


def units_of(path: Path, format: Format = Format(), rule: UnitRule | str | None = None) -> FileUnits:
    """Return the object that assigns units to the documents of a gold file.

    Args:
        path: The file or folder of gold spans.
        format: How it is read.
        rule: A rule, or the text of one. By default `id`, or for a CoNLL file without
            -DOCSTART- lines blocks of sentences: a twentieth of the file each, but no
            more than 20 sentences.

    Raises:
        ValueError: If the text is not a rule; if a CoNLL file cannot be read.
        OSError: If a CoNLL file cannot be read.

    >>> path = getfixture("tmp_path") / "a.conll"
    >>> _ = path.write_text("Ada B-PER\\n\\n" * 100)
    >>> units_of(path).rule
    UnitRule(text='block:auto', form='block', value='', size=5)
    """
    if isinstance(rule, str):
        rule = parse_unit(rule)
    if rule is None and name_of(path, format) == "conll" and (sentences := _sentences(path, format)):
        rule = UnitRule(AUTOMATIC, BLOCK, size=min(LARGEST, max(1, sentences // FEWEST)))
    return FileUnits(rule or UnitRule(ID, ID), path)


def _sentences(path: Path, format: Format) -> int:
    """Return the number of sentences of a CoNLL corpus; 0 if one of its files has -DOCSTART- lines."""
    numbers = [sentences_without_marks(file) for file in corpus_files(path, format)]
    return sum(numbers) if all(numbers) else 0


class FileUnits:
    """Assigns units to the documents of one file, in their order.

    Args:
        rule: Which documents are resampled together.
        path: The file, named in the keys of blocks. Omitted for documents that do not come from a file.
    """

    def __init__(self, rule: UnitRule, path: Path = Path()) -> None:
        self.rule = rule
        self._name = path.absolute().name if path.name else ""
        self._path = path
        self._number = 0  # of documents so far
        self._block = ""  # the key of the current block
        self._copies: Counter[str] = Counter()
        self._expression = compile_pattern(rule.value) if rule.form == PREFIX else None
        keys: dict[str, Callable[[Record], str | None]] = {
            ID: lambda gold: None,
            META: self._field,
            PREFIX: self._prefix,
            DOCUMENT: self._content_and_copy,
            BLOCK: lambda gold: self._block,
        }
        self._key = keys[rule.form]

    def assign_unit(self, document: Document | None, gold: Record) -> Document | None:
        """Set the unit of a document, and return the document. Pass all documents of the file, in their order.

        Args:
            document: The document; None if it is not annotated.
            gold: Its gold side.

        Raises:
            ValueError: If the rule assigns this document no unit.
        """
        key = self.key(gold)
        if document is not None:
            document.unit, document.unit_rule = key, self.rule.text
        return document

    def key(self, gold: Record) -> str | None:
        """Return the key of the unit of the next document of the file.

        Args:
            gold: The gold side of the document.

        Returns:
            The key; None if the document's own id or content is the key, or if it is not annotated.

        Raises:
            ValueError: If the rule assigns this document no unit.
        """
        if self.rule.form == BLOCK and self._number % self.rule.size == 0:
            self._block = self._block_key(gold)
        self._number += 1
        return self._key(gold) if gold.annotated else None

    def check_end(self) -> None:
        """Raise ValueError if the file had fewer documents than a block has."""
        if self._number < self.rule.size:
            raise ValueError(
                f"{spell_argument('unit', self.rule.text)}: {self._path if self._name else 'gold'} has {self._number} "
                f"document{'s' * (self._number != 1)}; expected blocks no larger than the file"
            )

    def _block_key(self, gold: Record) -> str:
        """Return the key of the block that begins with this document.

        The document's id and content are part of the key, so that blocks of two files with the
        same name in different folders have different keys. If these begin with equal documents without ids,
        merging the counts numbers the blocks.
        """
        first = content_key(f"{gold.id or ''}\n{gold.text}", gold.spans)
        return f"{self._name}:{self._number // self.rule.size}:{first}"

    def _field(self, gold: Record) -> str:
        value = (gold.meta or {}).get(self.rule.value)
        if value is None or value == "":
            raise ValueError(
                f"{spell_argument('unit', self.rule.text)}: the document has no {self.rule.value!r} in its metadata "
                "(in JSONL "
                "under 'meta', in Docs in user_data, which DocBin stores with store_user_data=True only)"
            )
        if not isinstance(value, (str, int, float)):
            raise ValueError(
                f"{spell_argument('unit', self.rule.text)}: {self.rule.value!r} is {type(value).__name__}; "
                "expected text or a number"
            )
        return str(value)

    def _prefix(self, gold: Record) -> str:
        assert self._expression
        if gold.id is None:
            raise ValueError(f"{spell_argument('unit', self.rule.text)}: the document has no id")
        try:
            match = match_in_time(self._expression, gold.id)
        except TooSlow as error:
            raise ValueError(f"{spell_argument('unit', self.rule.text)}: {error}") from None
        if not match or not match[1]:
            raise ValueError(
                f"{spell_argument('unit', self.rule.text)}: the first group matches nothing in the id {quote(gold.id)}"
            )
        return match[1]

    def _content_and_copy(self, gold: Record) -> str:
        """Return the id and the content as the key. A repeated document also has the number of its earlier copies.

        With the id alone, keys would depend on the order of the documents and files that share it.
        """
        content = content_key(gold.text, gold.spans)
        base = content if gold.id is None else f"{gold.id}\0{content}"
        earlier = self._copies[base]
        self._copies[base] += 1
        return f"{base}{NUMBERED}{earlier}" if earlier else base
