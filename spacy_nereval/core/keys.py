"""The names under which JSON has the parts of a document and of a span: those of many tools, and a map to others."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .messages import describe_unknown, join_names, shorten, spell_argument, unique_keys

TEXTS = ("text", "data", "full_text")
"""The possible keys of the text of a document."""

SPAN_LISTS = ("spans", "entities", "ents", "label", "labels")
"""The possible keys of the spans of a document, as lists of objects or of [start, end, label]."""

MENTIONS = "mentions"
"""The key of mentions: spans without offsets."""

PIECES = "pieces"
"""The key of the pieces of a span with gaps, as lists of [start, end]."""

STARTS = ("start_char", "start", "start_offset", "start_position")
ENDS = ("end_char", "end", "end_offset", "end_position")
LABELS = ("label_", "label", "entity_group", "entity_type", "type", "entity")
SURFACES = ("text", "word", "entity_value")
"""The names of the parts of a span: in files, in span dicts, in the output of models, and as attributes. The first
counts. Under "entity", pipelines have the tag of a token, and Rasa the label of a span: see `label_of`."""

STRINGS = (*SURFACES, "name", "mention", "entity", "value")
"""The names of the string of a mention."""

TOKEN_TAG = re.compile(r"[BIESLUM]-.+|O")
"""A tag of a single token."""

RASA_TAG = re.compile(r"[BI]-.+|O")
"""The same in a span of Rasa, whose labels may be such as E-MAIL: it has no tokens."""


def first_value(item: Any, names: Iterable[str]) -> Any:
    """Return the value of the first of these keys or attributes that is there and is not None."""
    if isinstance(item, Mapping):
        for name in names:  # a plain loop, since this is asked several times for every span
            if (value := item.get(name)) is not None:
                return value
        return None
    return next((value for name in names if (value := getattr(item, name, None)) is not None), None)


def label_of(span: Any) -> Any:
    """Return the label of a span; None if it has none, or only the tag of a token.

    >>> label_of({"entity": "PER", "start": 0}), label_of({"entity": "B-PER", "start": 0})
    ('PER', None)
    >>> label_of({"entity": "E-MAIL", "start": 0}), label_of({"entity": "E-MAIL", "value": "a@b.org"})
    (None, 'E-MAIL')
    """
    label = first_value(span, LABELS)
    if not isinstance(span, Mapping) or first_value(span, LABELS[:-1]) is not None:
        return label
    pattern = RASA_TAG if "value" in span else TOKEN_TAG
    return None if "index" in span or pattern.fullmatch(str(label)) else label


def mention_of(item: Any) -> tuple[str, str] | None:
    """Return the string and the label of an item without offsets; None if it is no such item.

    >>> mention_of({"name": "Ada", "type": "PER"}), mention_of(["Ada", "PER"]), mention_of({"text": "Ada", "start": 0})
    (('Ada', 'PER'), ('Ada', 'PER'), None)
    """
    if isinstance(item, Mapping):
        if any(_is_place(name, value) for name, value in item.items()):
            return None
        item = first_value(item, STRINGS), first_value(item, LABELS[:-1])
    if isinstance(item, (list, tuple)) and len(item) == 2 and all(isinstance(part, str) for part in item):
        return item[0], item[1]
    return None


def _is_place(name: str, value: Any) -> bool:
    """Return whether a key of a span may say where it is, also under a name that is not known."""
    is_place = isinstance(value, (list, dict)) or (isinstance(value, int) and not isinstance(value, bool))
    return name in (*STARTS, *ENDS) or (is_place and name not in ("id", "score", "confidence"))


def mentions_of(value: Any) -> list[Any] | None:
    """Return the mentions of a list of them, or of lists of strings by label; None if it is neither, or empty.

    >>> mentions_of({"PER": ["Ada", "Bob"]}), mentions_of([["Ada", "PER"]]), mentions_of([[0, 3, "PER"]])
    ([('Ada', 'PER'), ('Bob', 'PER')], [['Ada', 'PER']], None)
    """
    if isinstance(value, Mapping) and all(isinstance(strings, list) for strings in value.values()):
        pairs = [(string, label) for label, strings in value.items() for string in strings]
        return pairs if value and all(isinstance(string, str) for string, _ in pairs) else None
    return value if isinstance(value, list) and value and all(map(mention_of, value)) else None


def spans_by_label(value: Any) -> list[dict[str, Any]] | None:
    """Return the spans of places by their strings by their labels, as CLUENER has them; None for any other value.

    >>> spans_by_label({"name": {"Ada": [[0, 2]]}}), spans_by_label({"PER": ["Ada"]}), spans_by_label({})
    ([{'start': 0, 'end': 2, 'label': 'name', 'text': 'Ada'}], None, None)
    """
    if not isinstance(value, Mapping) or not value or not all(isinstance(named, Mapping) for named in value.values()):
        return None
    lists = [(label, text, places) for label, named in value.items() for text, places in named.items()]
    if not all(isinstance(places, list) for _, _, places in lists):
        return None
    listed = [(label, text, place) for label, text, places in lists for place in places]
    if not all(isinstance(place, list) and len(place) == 2 for _, _, place in listed):
        return None
    return [{"start": start, "end": end, "label": label, "text": text} for label, text, (start, end) in listed]


def describe_token_label() -> str:
    """Return the remedy for a span that is the tag of a single token."""
    return (
        'expected whole spans: make the pipeline with aggregation_strategy="simple"; if it is the label, '
        f"{spell_argument('keys', 'label=entity')} reads it"
    )


def describe_lack(span: Mapping[str, Any]) -> str:
    """Return the remedy for a span without all parts under usual names; names its keys."""
    mentions = spell_argument("keys", "surface=KEY,label=KEY")
    without = "" if {*STARTS, *ENDS} & span.keys() else f", or those of a mention without offsets with {mentions}"
    return f"{describe_keys(span)}: name the keys with {spell_argument('keys', 'start=KEY,...')}{without}"


def nested_value(item: Any, key: str) -> Any:
    """Return the value under a key, None if there is none.

    Dots reach into nested objects, if no key has the dots, and into lists by number, from 0 up.

    >>> nested_value({"a": {"b.c": 1}}, "a.b.c"), nested_value({"a.b": 2, "a": {"b": 3}}, "a.b")
    (1, 2)
    >>> nested_value({"points": [{"start": 4}]}, "points.0.start"), nested_value({"span": [0, 3]}, "span.2")
    (4, None)
    """
    if isinstance(item, (list, tuple)):
        item = {str(number): value for number, value in enumerate(item)}
    if not isinstance(item, Mapping):
        return None
    if key in item:
        return item[key]
    dots = [at for at, character in enumerate(key) if character == "."]
    values = (nested_value(item[key[:at]], key[at + 1 :]) for at in dots if key[:at] in item)
    return next((value for value in values if value is not None), None)


def outer_keys(keys: Iterable[str]) -> list[str]:
    """Return the keys in which keys with dots may be nested.

    >>> outer_keys(["a.b.c", "d"])
    ['a', 'a.b']
    """
    return [key[:at] for key in keys for at, character in enumerate(key) if character == "."]


def describe_keys(item: Any, most: int = 12) -> str:
    """Return the keys of an object in words.

    >>> describe_keys({"content": "Ada", "items": []}), describe_keys({})
    ('there are content, items', 'there is no key')
    """
    names = [str(name) for name in item] if isinstance(item, Mapping) else []
    return f"there {'are' if len(names) > 1 else 'is'} {join_names(names, most)}" if names else "there is no key"


DOCUMENT_PARTS: Mapping[str, Sequence[str]] = {
    "text": TEXTS,
    "spans": (*SPAN_LISTS, MENTIONS),
    "id": ("id",),
    "tokens": ("tokens",),
    "meta": ("meta",),
    "answer": ("answer",),
}
SPAN_PARTS: Mapping[str, Sequence[str]] = {
    "start": STARTS,
    "end": ENDS,
    "length": ENDS,
    "label": LABELS,
    "score": ("score",),
    "surface": STRINGS,
}
"""The parts that a map can name, with the usual names of each, which the map replaces."""

DOCUMENTS = "documents"
"""The part with the list of documents, where a file is an object."""

UNREAD = "_unread"
"""The key of the lists of a document that are read in part: `KeyMap.rename` adds a tuple, which no JSON has."""

NEEDED = ("text", "start", "end", "length", "label")
"""Parts that are required if a map names them."""


class KeyMap(NamedTuple):
    """The keys of parts of documents and spans, where they have other names than the usual ones.

    Args:
        keys: The part and its key. Dots reach into nested objects.

    >>> keys = read_keys("text=content,spans=items,start=at.from,length=n,label=kind")
    >>> keys.rename({"content": "Ada met", "items": [{"at": {"from": 0}, "n": 3, "kind": "PER"}]})
    {'text': 'Ada met', 'spans': [{'at': {'from': 0}, 'start': 0, 'label': 'PER', 'end': 3}]}
    """

    keys: tuple[tuple[str, str], ...]

    def of_documents(self) -> list[str]:
        """Return the keys of parts of documents."""
        return [key for part, key in self.keys if part in DOCUMENT_PARTS]

    def rename(self, item: Any) -> Any:
        """Return a document, or a list of spans, with the usual names; any other value as it is.

        Raises:
            ValueError: A key is missing; names those that are there.
        """
        if isinstance(item, list):
            return [self._rename_span(k, span) for k, span in enumerate(item)]
        if not isinstance(item, Mapping):
            return item
        document = self._rename_keys(item, DOCUMENT_PARTS, "the document")
        unread = self._unread([item], DOCUMENT_PARTS)
        for name in (*SPAN_LISTS, MENTIONS):
            if isinstance(spans := document.get(name), list):
                unread |= self._unread(spans, SPAN_PARTS)
                document[name] = self.rename(spans)
        return document | {UNREAD: tuple(sorted(unread))} if unread else document

    def _unread(self, items: Iterable[Any], parts: Collection[str]) -> set[str]:
        """Return the keys of the lists in items that have more elements than these keys name by number."""
        numbers: dict[str, set[str]] = {}
        for inner in (key.split(".") for part, key in self.keys if part in parts):
            for k, number in enumerate(inner):
                if k and number.isdecimal():
                    numbers.setdefault(".".join(inner[:k]), set()).add(number)
        lists = ((key, nested_value(item, key), named) for key, named in numbers.items() for item in items)
        return {key for key, value, named in lists if isinstance(value, (list, tuple)) and len(value) > len(named)}

    def _rename_span(self, number: int, span: Any) -> Any:
        if isinstance(span, (list, tuple)) and any(key.isdecimal() for _, key in self.keys):
            span = {str(k): value for k, value in enumerate(span)}
        if not isinstance(span, Mapping):
            return span
        result = self._rename_keys(span, SPAN_PARTS, f"span {number}")
        if "surface" in result and "surface" in dict(self.keys):
            result["text"] = result.pop("surface")
        if "length" in dict(self.keys):
            start, length = first_value(result, STARTS), result.pop("length")
            if not isinstance(start, int) or not isinstance(length, int):
                raise ValueError(f"span {number} has the start {start!r} and the length {length!r}; expected numbers")
            result["end"] = start + length
        return result

    def _rename_keys(self, item: Mapping[str, Any], parts: Mapping[str, Sequence[str]], what: str) -> dict[str, Any]:
        chosen = {part: key for part, key in self.keys if part in parts}
        usual = {name for part in chosen for name in parts[part]}
        result = {name: value for name, value in item.items() if name not in usual and name not in chosen.values()}
        for part, key in chosen.items():
            if (value := nested_value(item, key)) is not None:
                result[part] = value
            elif part in NEEDED:
                said = spell_argument("keys", f"{part}={key}")
                raise ValueError(f"{what} has no {key!r} ({said}); {describe_keys(item)}")
        return result


def read_keys(given: Any) -> KeyMap | None:
    """Return the map of keys that a text or a mapping describes; None if it is empty.

    Args:
        given: Such as "text=content,spans=items", the same as a mapping, or as a JSON object.

    Raises:
        ValueError: It is no map of keys, or names an unknown part.

    >>> read_keys({"text": "content"})
    KeyMap(keys=(('text', 'content'),))
    >>> read_keys("txt=content")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: keys='txt=content': there is no part 'txt': did you mean 'text'? There are text, spans, ...
    """
    pairs: Any = given
    try:
        if isinstance(given, str) and given.lstrip().startswith("{"):
            pairs = json.loads(given, object_pairs_hook=unique_keys)
        elif isinstance(given, str):
            pairs = unique_keys([(part, key) for part, _, key in (pair.partition("=") for pair in given.split(","))])
    except ValueError as error:
        raise ValueError(f"{spell_argument('keys', given)}: {error}") from None
    if not given:
        return None
    parts = (
        {str(part).strip(): key.strip() for part, key in pairs.items() if isinstance(key, str)}
        if isinstance(pairs, Mapping)
        else {}
    )
    if not parts or len(parts) < len(pairs) or not all(parts.values()):
        raise ValueError(f"{spell_argument('keys', given)}: expected PART=KEY,..., as in text=content,spans=items")
    known = (DOCUMENTS, *DOCUMENT_PARTS, *SPAN_PARTS)
    if unknown := [part for part in parts if part not in known]:
        raise ValueError(f"{spell_argument('keys', given)}: {describe_unknown(unknown[0], known[1:], 'part')}")
    if {"end", "length"} <= parts.keys():
        raise ValueError(f"{spell_argument('keys', given)}: expected the key of the end or of the length, not both")
    return KeyMap(tuple(parts.items()))


def key_maps(given: Any, sides: int = 2) -> list[KeyMap | None]:
    """Return the map of keys of each side: one for all, or one for each, gold first.

    Args:
        given: A map, a list of maps, or None.
        sides: The number of sides.

    Raises:
        ValueError: There are neither one nor as many as sides; or one cannot be read.
    """
    listed = [given] if given is None or isinstance(given, (str, Mapping)) else [*given] or [None]
    if len(listed) not in (1, sides):
        shown, most = shorten(repr(given)), f", or {sides}" * (sides > 1)
        raise ValueError(f"{spell_argument('keys')}: {shown} are {len(listed)} maps; expected one{most}")
    return [read_keys(one) for one in (listed * sides)[:sides]]
