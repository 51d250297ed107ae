"""One side of a corpus in memory: its items, which are of one kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from ..core.arguments import Reading
from ..core.messages import shortened
from ..io.formats import records, with_annotators
from ..io.formats.settings import sides
from ..io.records import Record
from ..io.units import units_of
from .items import WORDS, Kind, familiar, is_spacy, kind_of, tags_key
from .rows import names_of, records_of_rows


class Side:
    """One side of a corpus: its items, and their common kind.

    Args:
        items: One item per document, or the path of a file or folder of any input format.
        name: "gold" or "pred", for errors.
        reading: How rows of tokens and tags are read.
        tag_names: The names of tags that are numbers, if neither `reading` nor the items give them.
        kind: The kind of the first item that is neither None nor empty; "empty" if there is none.

    Raises:
        ValueError: The items are not a list of documents, the first is nothing that can be scored, or a file cannot be
            read.
    """

    def __init__(
        self, items: Any, name: str, reading: Reading = Reading(), tag_names: Sequence[str] | None = None
    ) -> None:
        if isinstance(items, Mapping) and (split := next(iter(items), None)) and hasattr(items[split], "features"):
            raise ValueError(f"{name} has the splits {', '.join(items)}; choose one, such as {name}[{split!r}]")
        items = of_file(items, name, replace(reading, unit=None))  # A unit is that of gold: see `kept_items`.
        if isinstance(items, (bytes, Mapping)) or is_spacy(items, "Doc") or not isinstance(items, Iterable):
            shown = type(items).__name__
            raise ValueError(f"{name} is of type {shown}; expected a list of documents: wrap a single one in []")
        self.name = name
        self.is_kept: bool = can_be_kept(items)
        self._reading = reading
        self.tag_names: Sequence[str] | None = reading.tag_names or names_of(items) or tag_names
        self._rest = self._familiar(items)
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
            return records_of_rows(self._items(), self.name, self.tag_names, self._reading)
        return self._items()

    def _items(self) -> Iterator[Any]:
        seen, self._seen = self._seen, []
        for number, item in enumerate(chain(seen, self._rest)):
            kind = self._kind(number, item)
            if kind != self.kind and kind not in ("nothing", "empty"):
                raise ValueError(
                    f"{self.name}, document {number}: {WORDS[kind]}, and the documents before have "
                    f"{WORDS[self.kind]}; expected one kind for all documents of a side"
                )
            self._keys.update(item.spans if kind == "doc" else ())
            yield item

    def check_key(self, key: str | None) -> None:
        """Raise ValueError if no Doc has a span group of a key. All must have been read."""
        if key is not None and self.kind == "doc" and key not in self._keys:
            known = ", ".join(map(repr, sorted(self._keys))) or "none"
            raise ValueError(f"spans_key={key!r}: no Doc of {self.name} has spans under this key; there are {known}")

    @property
    def holds_texts(self) -> bool:
        """Whether each item has a text of its own."""
        return self.kind in ("doc", "record")

    def _familiar(self, items: Iterable[Any]) -> Iterator[Any]:
        for number, item in enumerate(items):
            try:
                yield familiar(item)
            except ValueError as error:
                raise ValueError(f"{self.name}, document {number}: {error}") from None

    def _kind(self, number: int, item: Any) -> Kind:
        try:
            return kind_of(item)
        except ValueError as error:
            raise ValueError(f"{self.name}, document {number}: {error}") from None


def can_be_kept(items: Any) -> bool:
    """Return whether items can be read again: they are in memory or in a file, and no stream."""
    return isinstance(items, (str, Path)) or hasattr(items, "__len__")


def of_file(items: Any, name: str, reading: Reading) -> Any:
    """Return the documents of a file or folder if items are its path; else the items.

    Raises:
        ValueError: There is no such file, or it cannot be read.
    """
    if not isinstance(items, (str, Path)):
        return items
    if not Path(items).exists():
        raise ValueError(f"{name}: there is no file {str(items)!r}; expected a list of documents, or their file")
    return read_file(Path(items), reading)


def read_file(path: Path, reading: Reading) -> list[Record]:
    """Return the documents of a file or folder, in its order, with sorted spans and their units.

    Raises:
        ValueError: The file cannot be read, or a document has no unit.
    """
    (how,) = with_annotators([path], [sides(reading)[0]])
    units, found = units_of(path, how, reading.unit), list[Record]()
    for number, record in enumerate(records(path, reading.spans_key, how)):
        try:
            key = units.key(record)
        except ValueError as error:
            raise ValueError(f"{path}, {located(error, number, record.id)}") from None
        found.append(record._replace(spans=sorted(record.spans), unit=(key, units.rule.text)))
    units.check_end()
    return found


def located(error: ValueError, number: int, id: str | None) -> ValueError:
    """Return an error with the number and the id of its document."""
    return ValueError(f"document {number}{'' if id is None else f' ({shortened(id)})'}: {error}")
