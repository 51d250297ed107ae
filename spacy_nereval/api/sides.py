"""One side of a corpus in memory: items of one kind, such as rows of tokens and tags of Hugging Face's `datasets`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.arguments import Reading
from ..core.keys import TEXTS, key_maps
from ..core.messages import join_names, shorten
from ..io.formats import (
    TAG_KEYS,
    assign_annotators,
    check_fields,
    hf,
    name_of,
    named_format,
    records,
    used_fields,
)
from ..io.formats.settings import side_formats
from ..io.formats.tags import read_tag_lists, tag_number
from ..io.records import Record, row_id
from ..io.units import units_of
from .items import KINDS, About, Kind, Place, is_spacy, kind_of, place_of, record_of_tags, reshape, tags_key

TagNames = Sequence[str] | Mapping[Any, str] | str | Path | None
"""Names of tags that are numbers: in their order, a model's `id2label`, or as `--tag-names` has them."""


def names_of(items: Any) -> list[str] | None:
    """Return the names of tags that the features of a data set give; None if it has none.

    A `ClassLabel` has `names`, and a list of them is its `feature`.
    """
    features = getattr(items, "features", None)
    if not isinstance(features, Mapping):
        return None
    for key in TAG_KEYS:
        feature = features.get(key)
        while feature is not None and not getattr(feature, "names", None):
            inner = feature[0] if isinstance(feature, list) and len(feature) == 1 else None
            feature = getattr(feature, "feature", inner)
        if feature is not None:
            return [*feature.names]
    return None


def names_of_tags(tag_names: TagNames) -> list[str] | None:
    """Return the names of tags that an argument gives.

    Raises:
        ValueError: There are none in it.

    >>> names_of_tags({0: "O", 1: "B-PER"}), names_of_tags("O,B-PER")
    (['O', 'B-PER'], ['O', 'B-PER'])
    """
    if tag_names is None:
        return None
    if isinstance(tag_names, (str, Path)):
        return hf.tag_names(str(tag_names))
    if isinstance(tag_names, Mapping):
        names = hf.names_in({"id2label": {str(k): name for k, name in tag_names.items()}})
    else:
        names = hf.names_in([*tag_names] if isinstance(tag_names, Iterable) else None)
    if names is None:
        raise ValueError(f"tag_names={shorten(repr(tag_names))}: expected the names of the tags, in their order")
    return names


def tags_of(sides: Sequence[tuple[str, Iterable[Any], Sequence[str] | None]]) -> list[list[Any]]:
    """Return the tags of sides that count the same tokens. Numbers get their names.

    A place that is numbered -100 on one side is skipped on all: a model's labels have this number at the parts of a
    word after the first, and in the padding, where its output has any tag.

    Args:
        sides: For each its name in errors, its items, and the names of tags that are numbers, if they are known.

    Raises:
        ValueError: A number has no name, or the sides of a document with such a place differ in length.

    >>> tags_of([("gold", [[1, -100, 0]], ["O", "B-PER"]), ("pred", [[1, 1, 0]], ["O", "B-PER"])])
    [[['B-PER', 'O']], [['B-PER', 'O']]]
    """
    named_tags = [[*items] for _, items, _ in sides]
    numbered = [k for k, (_, _, names) in enumerate(sides) if names is not None]
    for number, tags in enumerate(zip_longest(*named_tags)):
        numbers = [tags[k] for k in numbered if tags[k] is not None]
        skipped = {at for row in numbers for at, tag in enumerate(row) if tag_number(tag) == hf.SKIPPED}
        if skipped and len({len(row) for row in tags if row is not None}) > 1:
            lengths = " and ".join(
                f"{side} has {len(row)}" for (side, _, _), row in zip(sides, tags) if row is not None
            )
            raise ValueError(f"document {number}: {lengths} tags, -100 excluded; expected one tag per token")
        for k, ((side, _, names), row) in enumerate(zip(sides, tags)):
            if row is not None and (skipped or k in numbered):
                kept = (tag for at, tag in enumerate(row) if at not in skipped)
                named_tags[k][number] = [_tag_name(tag, names, f"{side}, document {number}") for tag in kept]
    return named_tags


def _tag_name(tag: Any, names: Sequence[str] | None, where: str) -> Any:
    if names is None or tag_number(tag) is None:
        return tag
    try:
        return hf.tag_name(tag, names)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def records_of_rows(
    rows: Iterable[Mapping[str, Any] | None], side: str, names: Sequence[str] | None, reading: Reading
) -> Iterator[Record | None]:
    """Yield the rows of a side as records. All are read first, since the tagging scheme is that of all tags.

    Args:
        rows: Rows with tokens and tags; None for one without annotation.
        side: The name of the side in errors.
        names: The names of tags that are numbers.
        reading: How tags are read.

    Raises:
        ValueError: A row cannot be read; names the document.
    """
    places: list[tuple[Place, str | None, Mapping[str, Any] | None] | None] = []
    tags: list[list[str] | None] = []
    for number, row in enumerate(rows):
        if row is None:
            places.append(None)
            tags.append(None)
            continue
        try:
            key = tags_key(row)
            plain = dict(row)
            if key:  # arrays become lists
                plain["tokens"] = [*row["tokens"]]
                plain[key] = [tag if isinstance(tag, str) else int(tag) for tag in row[key]]
            words, named = hf.tokens_and_tags(plain, key, names)
            text = row.get("text")
            place = place_of(text if isinstance(text, str) else None, words)
        except ValueError as error:
            raise ValueError(f"{side}, document {number}: {error}") from None
        places.append((place, row_id(row), hf.metadata_of_row(row)))
        tags.append(named)
    tag_lists = read_tag_lists(tags, side, reading)
    for number, (place_and_id, tagged) in enumerate(zip(places, tag_lists)):
        if place_and_id is None:
            yield None
            continue
        place, id, meta = place_and_id
        empty = Record(place.text or "", set(), [*(place.offsets or ())], id, meta=meta)
        record = record_of_tags(tagged, f"{side}, document {number}", place, empty)
        yield record._replace(annotated=tagged.length == 0 or len(tagged.gaps) < tagged.length)


def _are_answers(items: Any) -> bool:
    """Return whether items are answers of a language model, as texts; tags and names have no brackets."""
    are_texts = isinstance(items, (list, tuple)) and bool(items) and all(isinstance(item, str) for item in items)
    return are_texts and any(mark in item for item in items for mark in "[{<")


class Side:
    """One side of a corpus: its items, and their common kind.

    Args:
        items: One item per document, or the path of a file or folder of any input format.
        name: "gold" or "pred", for errors.
        reading: How rows of tokens and tags are read.
        tag_names: The names of tags that are numbers, if neither `reading` nor the items give them.

    Raises:
        ValueError: The items are not a list of documents, the first is nothing that can be scored, or a file cannot be
            read.

    Attributes:
        kind: The kind of the first item that is neither None nor empty; "empty" if there is none.
    """

    def __init__(
        self, items: Any, name: str, reading: Reading = Reading(), tag_names: Sequence[str] | None = None
    ) -> None:
        if isinstance(items, Mapping) and (split := next(iter(items), None)) and hasattr(items[split], "features"):
            raise ValueError(f"{name} has the splits {', '.join(items)}; choose one, such as {name}[{split!r}]")
        self._keys_of_items = key_maps(reading.keys)[name != "gold"]
        reading = replace(reading, keys=self._keys_of_items and dict(self._keys_of_items.keys))
        items = read_if_path(items, name, replace(reading, unit=None))  # A unit is that of gold: see `kept_items`.
        self._file: str = getattr(items, "file", "")
        self._fields: Collection[str] = getattr(items, "fields", ())
        if name != "gold" and _are_answers(items):
            items = [{"answer": answer} for answer in items]
        items = unpacked_items(items, name, renamed=bool(self._keys_of_items))
        if isinstance(items, (bytes, Mapping)) or is_spacy(items, "Doc") or not isinstance(items, Iterable):
            shown = type(items).__name__
            if is_spacy(items, "Language"):
                raise ValueError(
                    f"{name} is a pipeline: write score(gold, nlp), or give its predictions, [*nlp.pipe(texts)]"
                )
            raise ValueError(f"{name} is of type {shown}; expected a list of documents: wrap a single one in []")
        self.name = name
        self.is_kept: bool = can_be_kept(items)
        self.reading = reading
        self.tag_names: Sequence[str] | None = reading.tag_names or names_of(items) or tag_names
        self._rest = self._plain_items(items)
        self._seen: list[Any] = []
        self._keys: set[str] = set()
        self.kind: Kind = "empty"
        for number, item in enumerate(self._rest):
            self._seen.append(item)
            if (kind := self._kind(number, item)) not in ("nothing", "empty"):
                self.kind = kind
                break

    @property
    def first(self) -> Any:
        """The first item that is not None, before the items are read; None if there is none."""
        return next((item for item in self._seen if item is not None), None)

    def items(self) -> Iterator[Any]:
        """Yield the items, rows of tokens and tags as records.

        Raises:
            ValueError: An item is of another kind than the first, or a row cannot be read.
        """
        if self.kind == "record" and isinstance(self.first, Mapping) and tags_key(self.first):
            return records_of_rows(self._items(), self.name, self.tag_names, self.reading)
        return self._items()

    def _items(self) -> Iterator[Any]:
        seen, self._seen = self._seen, []
        for number, item in enumerate(chain(seen, self._rest)):
            kind = self._kind(number, item)
            if kind != self.kind and kind not in ("nothing", "empty"):
                raise ValueError(
                    f"{self.name}, document {number}: {KINDS[kind].words}, and the documents before have "
                    f"{self.about.words}; expected one kind for all documents of a side"
                )
            self._keys.update(item.spans if kind == "doc" else ())
            yield item

    def check_key(self, key: str | None) -> None:
        """Raise ValueError if no Doc has a span group of a key. All must have been read."""
        if key is not None and self.kind == "doc" and key not in self._keys:
            keys = ", ".join(map(repr, sorted(self._keys))) or "none"
            raise ValueError(f"spans_key={key!r}: no Doc of {self.name} has spans under this key; there are {keys}")

    @property
    def about(self) -> About:
        """The properties of items of this kind."""
        return KINDS[self.kind]

    @property
    def used_fields(self) -> tuple[str, Collection[str]]:
        """A description of the side, and the fields of `Format` that concern it."""
        return (self._file, self._fields) if self._file else (f"{self.name} has {self.about.words}", self.about.fields)

    def check_single(self, expected: str) -> None:
        """Raise ValueError if each item contains both sides; `expected` names the alternative."""
        if self.about.holds_both_sides:
            raise ValueError(f"{self.name} has {self.about.words}, which contain both sides; expected {expected}")

    def _plain_items(self, items: Iterable[Any]) -> Iterator[Any]:
        for number, item in enumerate(items):
            try:
                renamed = self._keys_of_items.rename(item) if self._keys_of_items else item
                yield reshape(renamed, self.reading.outside)
            except ValueError as error:
                raise ValueError(f"{self.name}, document {number}: {error}") from None

    def _kind(self, number: int, item: Any) -> Kind:
        try:
            return kind_of(item)
        except ValueError as error:
            raise ValueError(f"{self.name}, document {number}: {error}") from None


def unpacked_items(items: Any, name: str, *, renamed: bool = False) -> Any:
    """Return the Docs of a DocBin, the values of a column of pyarrow, or the rows of a table; other items as given.

    Args:
        items: The items of a side.
        name: The name of the side in errors.
        renamed: Whether the columns get other names.

    Raises:
        ValueError: The columns of a table are not those of a row of text or tokens.
    """
    if is_spacy(items, "DocBin"):
        from ..integration.spacy_files import docs_of_bin

        return docs_of_bin(items)
    columns = getattr(items, "column_names", None) or getattr(items, "columns", None)  # of pyarrow; pandas and polars
    features = getattr(items, "features", None)  # of a data set, which has rows itself
    if columns is None or features is not None or isinstance(items, Mapping):
        return items.to_pylist() if hasattr(items, "to_pylist") else items
    names = [*map(str, columns)]
    if not renamed and not {*names} & {*TEXTS, "tokens", "tokenized_text"}:
        gold, pred = (
            next((column for column in names if word in column.lower()), names[0]) for word in ("gold", "pred")
        )
        raise ValueError(
            f"{name} is a table with the columns {join_names(names)}: name those of gold and predictions, as in "
            f"score(table[{gold!r}], table[{pred!r}])"
        )
    if hasattr(items, "to_pylist"):
        return items.to_pylist()
    return items.to_dicts() if hasattr(items, "to_dicts") else items.to_dict("records")


def check_arguments(sides: Iterable[Side], reading: Reading) -> None:
    """Raise ValueError if an argument of reading was given that concerns none of the sides."""
    used = [side.used_fields for side in sides]
    formats = [format._replace(spans_key=reading.spans_key) for format in side_formats(reading)]
    check_fields(formats, used)


def can_be_kept(items: Any) -> bool:
    """Return whether items can be read again: they are in memory or in a file, and no stream."""
    return isinstance(items, (str, Path)) or hasattr(items, "__len__")


def read_if_path(items: Any, name: str, reading: Reading) -> Any:
    """Return the documents of a file or folder if items are its path; else the items.

    Raises:
        ValueError: There is no such file, or it cannot be read.
    """
    if not isinstance(items, (str, Path)):
        return items
    if not Path(items).exists():
        raise ValueError(f"{name}: there is no file {str(items)!r}; expected a list of documents, or their file")
    return read_file(Path(items), reading)


class FileRecords(list[Record]):
    """The documents of a file, with its name and format in words, and the fields of `Format` that concern it."""

    file: str
    fields: Collection[str]

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name in self.__annotations__:
                raise AttributeError(name)
            raise AttributeError(
                f"these are {len(self)} documents, a list without {name!r}: write [0].text or [0].spans, triples of "
                "start, end and label; score takes the list, and show(path) describes it"
            )


def read_file(path: Path, reading: Reading) -> FileRecords:
    """Return the documents of a file or folder, in its order, with sorted spans and their units.

    Raises:
        ValueError: The file cannot be read, or a document has no unit.
    """
    (how,) = assign_annotators([path], [named_format(path, side_formats(reading)[0])])
    units, documents = units_of(path, how, reading.unit), FileRecords()
    name = name_of(path, how)
    documents.file, documents.fields = f"{path} is read as {name}", used_fields(name)
    for number, record in enumerate(records(path, reading.spans_key, how)):
        try:
            key = units.key(record)
        except ValueError as error:
            raise ValueError(f"{path}, {error_at_document(error, number, record.id)}") from None
        documents.append(record._replace(spans=sorted(record.spans), unit=(key, units.rule.text)))
    units.check_end()
    return documents


def error_at_document(error: ValueError, number: int, id: str | None) -> ValueError:
    """Return an error with the number and the id of its document."""
    return ValueError(f"document {number}{'' if id is None else f' ({shorten(id)})'}: {error}")
