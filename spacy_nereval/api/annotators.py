"""What several annotators annotated, from whatever a user has: a list of items for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.arguments import Reading
from ..core.spans import Document
from ..io.records import Record
from ..io.shared_documents import Own
from ..io.tag_sequences import Tagged, TokenDocument, read_tags
from .inputs import all_tagged, has_text, listed_items, record_of_item, records_of
from .items import WORDS, Ends
from .plain_records import Place, place_of, plain_record, tags_in_words
from .rows import tags_of
from .sides import Side


def annotated(sides: Mapping[str, Side], text: Any, tokens: Any, reading: Reading) -> dict[str, list[Own]]:
    """Return the records of each annotator.

    Args:
        sides: The items of each annotator.
        text: The text of each document; None if they are not known, or the items have them.
        tokens: The tokens of each document; None if not known.
        reading: How the items are read.

    Raises:
        ValueError: Items cannot be read, or do not fit together; names the annotator and the document.
    """
    for name, side in sides.items():
        if side.kind in ("document", "example"):
            raise ValueError(
                f"{name} has {WORDS[side.kind]}, which hold two sides; expected the items of one annotator"
            )
    if all(side.holds_texts for side in sides.values()):
        for given, value in (("text", text), ("tokens", tokens)):
            if value is not None:
                raise ValueError(f"{given}= is given, but the items have their own: leave it out")
        found = {name: [Own(record) for record in records_of(side, reading)] for name, side in sides.items()}
    elif text is tokens is None and {side.kind for side in sides.values()} <= {"tags", "empty"}:
        found = _of_tags(sides, reading)
    else:
        found = _in_order(sides, text, tokens, reading)
    for side in sides.values():
        side.check_key(reading.spans_key)
    return found


def _of_tags(sides: Mapping[str, Side], reading: Reading) -> dict[str, list[Own]]:
    """Return the records of tag sequences, whose unit is the token."""
    items = {name: [*side.items()] for name, side in sides.items()}
    _check_lengths({name: len(tags) for name, tags in items.items()})
    items = dict(zip(items, tags_of([(name, tags, sides[name].tag_names) for name, tags in items.items()])))
    tagged = {name: read_tags(tags, name, reading.scheme, reading.repair) for name, tags in items.items()}
    found: dict[str, list[Own]] = {name: [] for name in sides}
    for number, sequences in enumerate(zip(*tagged.values())):
        known = {name: each for name, each in zip(sides, sequences) if items[name][number] is not None}
        if len({each.length for each in known.values()}) > 1:
            has = " and ".join(f"{name} has {tags_in_words(each.length)}" for name, each in known.items())
            raise ValueError(f"document {number}: {has}; expected one tag per token from everyone")
        length = next((each.length for each in known.values()), 0)
        for name in sides:
            record = _tag_record(known.get(name))
            found[name].append(Own(record, str(number), base=TokenDocument([], [], length)))
    return found


def _tag_record(tagged: Tagged | None) -> Record:
    if tagged is None:
        return Record("", set(), annotated=False)
    gaps = tuple((token, token + 1) for token in tagged.gaps)
    return Record("", {*tagged.spans}, gaps=gaps, repaired=tagged.repaired)


def _in_order(sides: Mapping[str, Side], text: Any, tokens: Any, reading: Reading) -> dict[str, list[Own]]:
    """Return the records of items of which some have no texts: they belong together by their order."""
    tagged = all_tagged([*sides.values()], reading)
    items = {name: own or [*side.items()] for (name, side), own in zip(sides.items(), tagged)}
    extra = {
        name: [*listed_items(value, name)] for name, value in (("text", text), ("tokens", tokens)) if value is not None
    }
    _check_lengths({name: len(own) for name, own in (*items.items(), *extra.items())})
    found: dict[str, list[Own]] = {name: [] for name in sides}
    ends = Ends()
    for number, row in enumerate(zip(*items.values())):
        known = {name: values[number] for name, values in extra.items()}
        try:
            for name, own in zip(sides, _records_of_document([*sides], row, known, reading, ends)):
                found[name].append(own._replace(unit=None if own.base is None else str(number)))
        except ValueError as error:
            raise ValueError(f"document {number}: {error}") from None
    ends.check(reading.end)
    return found


def _records_of_document(
    names: Sequence[str], row: Sequence[Any], known: Mapping[str, Any], reading: Reading, ends: Ends
) -> Iterator[Own]:
    """Yield the records of one document. Items without a text have that of the others."""
    own = [record_of_item(item, name, reading) if has_text(item) else None for name, item in zip(names, row)]
    first = next((record for record in own if record), None)
    place = Place(first.text, first.tokens) if first else place_of(known.get("text"), known.get("tokens"))
    base = Document([], [], tokens=place.offsets) if place.text is None else None
    for name, item, record in zip(names, row, own):
        yield Own(record or plain_record(item, name, place, reading, ends), base=base)


def _check_lengths(lengths: Mapping[str, int]) -> None:
    if len({*lengths.values()}) > 1:
        found = " and ".join(f"{name} has {n} document{'s' * (n != 1)}" for name, n in lengths.items())
        raise ValueError(f"{found}; expected the same number, with None for what an annotator has not annotated")


def sides_of(annotators: Any, reading: Reading) -> dict[str, Side]:
    """Return the items of each annotator. Raise ValueError if they are no table of names and items.

    Names of tags that one data set gives are those of all.
    """
    if not isinstance(annotators, Mapping) or not all(isinstance(name, str) and name.strip() for name in annotators):
        raise ValueError("annotators: expected a table of names and annotations, {'ann': docs, 'bob': docs}")
    found: dict[str, Side] = {}
    for name, items in annotators.items():
        known = next((side.tag_names for side in found.values() if side.tag_names), None)
        found[name] = Side(_as_list(items), name, reading, known)
    return found


def _as_list(items: Any) -> Any:
    """Return an iterator's items as a list; what is no iterator stays, and `Side` judges it."""
    return [*items] if isinstance(items, Iterator) and not isinstance(items, str) else items
