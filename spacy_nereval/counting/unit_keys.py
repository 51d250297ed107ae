"""Keys of units: hashes for documents without an id, and numbers for documents with equal keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from json import dumps
from re import fullmatch, sub

from ..core.messages import PlainSpan
from ..core.pieces import any_gaps, pieces_of, sorted_spans

NUMBERED = "\0"
"""Separates a key from its number among equal keys. A key that ends with it is open: `fill_numbers` adds the number."""

LONGEST_NUMBER = 15
"""Maximum number of digits of such a number; a hash of content has 16 characters."""


def content_key(text: str | None, gold: Iterable[PlainSpan]) -> str:
    """Return a hash of a text and its gold spans, which names a document without an id.

    >>> content_key("Ada", [(0, 3, "PER")])
    '31ef42f2446444be'
    """
    spans = sorted_spans(gold)
    content = dumps([text, spans, *([*map(pieces_of, spans)] if any_gaps(spans) else ())], ensure_ascii=True)
    return blake2b(content.encode("ascii"), digest_size=8).hexdigest()


def document_key(text: str | None, gold: Iterable[PlainSpan]) -> str:
    """Return the key of a document without an id: a hash of its content, open unless people wrote its text.

    >>> spans = [(0, 3, "PER")]
    >>> document_key("Ada", spans), document_key("1 2", spans) == document_key(None, spans)
    ('31ef42f2446444be', True)
    """
    if text is not None and is_written(text):
        return content_key(text, gold)
    has_letters = text is not None and any(map(str.isalpha, text))
    return content_key(text if has_letters else None, gold) + NUMBERED


def is_written(text: str) -> bool:
    """Return whether people wrote a text, and not a program that has tokens without words.

    Such texts repeat one word, or number it, with or without punctuation; one alone is a mark, 0, 1 or a word in
    brackets. Documents share them.

    >>> is_written("Ada was 36"), is_written("2019"), is_written("Ada ."), is_written("so so")
    (True, True, True, False)
    >>> [is_written(text) for text in ("1 2\\n3 4", "_ , _ .", "w10 w11", "[UNK] [UNK]", "[UNK]", "1", "_", "")]
    [False, False, False, False, False, False, False, False]
    """
    words = [word for word in text.split() if any(map(str.isalnum, word))]
    if len(words) > 1:
        return len({sub(r"[\W\d_]+", "", word) for word in words}) > 1
    return bool(words) and not fullmatch(r"[01]|\[.*\]|<.*>", words[0])


def fill_numbers(keys: Iterable[str], used: Counter[str]) -> list[str]:
    """Return the keys, open ones with a number: that of earlier documents with the same key.

    Args:
        keys: The keys of documents that are counted together, in their order.
        used: How often each open key occurred before; it is updated.

    >>> fill_numbers(["a", "b\\0", "b\\0"], Counter())
    ['a', 'b\\x000', 'b\\x001']
    """
    result = []
    for key in keys:
        if key.endswith(NUMBERED):
            used[key] += 1
            key = f"{key}{used[key] - 1}"
        result.append(key)
    return result


def continue_numbers(keys: Sequence[str], ids: Sequence[str | None], rule: str, used: Counter[str]) -> list[str]:
    """Return the keys of a part's units, numbered on from the parts before it.

    Args:
        keys, ids: The key of each document's unit, and its id.
        rule: The rule that made the keys. By `document`, and by `block` without ids, all units of two parts differ,
            and a key without a number has number 0.
        used: The number of each key's units in the parts before; it is updated.

    >>> used, first, second = Counter(), ["a", "b\\x000"], ["b\\x000", "b\\x001"]
    >>> continue_numbers(first, [None, None], "id", used), continue_numbers(second, [None, None], "id", used)
    (['a', 'b\\x000'], ['b\\x001', 'b\\x002'])
    """
    all_differ = rule == "document" or (rule.startswith("block:") and all(id is None for id in ids))
    earlier, result = dict(used), []
    for key, id in zip(keys, ids):
        base, mark, number = key.rpartition(NUMBERED)
        if not is_position(key, id, rule):
            if not all_differ:
                result.append(key)
                continue
            base, mark, number = key, NUMBERED, "0"
        place = int(number) + earlier.get(base, 0)
        used[base] = max(used[base], place + 1)
        result.append(base if all_differ and not place else f"{base}{mark}{place}")
    return result


def is_position(key: str, id: str | None, rule: str) -> bool:
    """Return whether nothing but its position tells a unit from others, so that its key ends with a number.

    Args:
        key: The key of the unit.
        id: The id of a document in it.
        rule: The rule that made the key. By `id`, files of version 0.2 have the position of a document without id and
            text as its key.

    >>> is_position("b\\x000", None, "id"), is_position("7", None, "id"), is_position("7", "7", "id")
    (True, True, False)
    """
    _, mark, number = key.rpartition(NUMBERED)
    is_number = number.isdecimal() and len(number) <= LONGEST_NUMBER
    return is_number and bool(mark or (rule == "id" and id is None))


def keys_in_part(keys: Sequence[str], ids: Sequence[str | None], rule: str, part: int) -> list[str]:
    """Return the keys of units, with a checksum of their part before those that are only positions in it.

    Other parts have documents in the same positions, which are other units.

    Args:
        keys, ids: The key of each document's unit, and its id.
        rule: The rule that made the keys.
        part: The checksum of the part of the corpus.

    >>> keys_in_part(["a", "b\\x000"], ["a", None], "id", 17)
    ['a', '17\\x00b\\x000']
    """
    return [f"{part}{NUMBERED}{key}" if is_position(key, id, rule) else key for key, id in zip(keys, ids)]
