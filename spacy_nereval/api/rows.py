"""Rows of tokens and tags, as Hugging Face's `datasets` have them, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ..core.arguments import Reading
from ..core.messages import shortened
from ..io.formats import TAG_KEYS, hf
from ..io.records import Record, row_id
from ..io.tag_sequences import read_tags
from .items import is_number, tags_key
from .plain_records import Place, of_tagged, place_of

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


def given_names(tag_names: TagNames) -> list[str] | None:
    """Return the names of tags that an argument gives.

    Raises:
        ValueError: There are none in it.

    >>> given_names({0: "O", 1: "B-PER"}), given_names("O,B-PER")
    (['O', 'B-PER'], ['O', 'B-PER'])
    """
    if tag_names is None:
        return None
    if isinstance(tag_names, (str, Path)):
        return hf.tag_names(str(tag_names))
    if isinstance(tag_names, Mapping):
        found = hf.names_in({"id2label": {str(k): name for k, name in tag_names.items()}})
    else:
        found = hf.names_in([*tag_names] if isinstance(tag_names, Iterable) else None)
    if found is None:
        raise ValueError(f"tag_names={shortened(repr(tag_names))}: expected the names of the tags, in their order")
    return found


def tags_of(sides: Sequence[tuple[str, Iterable[Any], Sequence[str] | None]]) -> list[list[Any]]:
    """Return the tags of sides that count the same tokens. Numbers get their names.

    A place that is numbered -100 on one side is left out on all: a model's labels have this number at the parts of a
    word after the first, and in the padding, where its output has any tag.

    Args:
        sides: For each its name in errors, its items, and the names of tags that are numbers, if they are known.

    Raises:
        ValueError: A number has no name, or the sides of a document with such a place differ in length.

    >>> tags_of([("gold", [[1, -100, 0]], ["O", "B-PER"]), ("pred", [[1, 1, 0]], ["O", "B-PER"])])
    [[['B-PER', 'O']], [['B-PER', 'O']]]
    """
    found = [[*items] for _, items, _ in sides]
    numbered = [k for k, (_, _, names) in enumerate(sides) if names is not None]
    for number, tags in enumerate(zip_longest(*found)):
        known = [own for own in tags if own is not None]
        of_numbers = [tags[k] for k in numbered if tags[k] is not None]
        skipped = {at for own in of_numbers for at, tag in enumerate(own) if is_number(tag) and tag == hf.SKIPPED}
        if skipped and len({*map(len, known)}) > 1:
            lengths = " and ".join(
                f"{side} has {len(own)}" for (side, _, _), own in zip(sides, tags) if own is not None
            )
            raise ValueError(f"document {number}: {lengths} tags, with -100 left out; expected one tag per token")
        for k, ((side, _, names), own) in enumerate(zip(sides, tags)):
            if own is not None and (skipped or k in numbered):
                kept = (tag for at, tag in enumerate(own) if at not in skipped)
                found[k][number] = [_named(tag, names, f"{side}, document {number}") for tag in kept]
    return found


def _named(tag: Any, names: Sequence[str] | None, where: str) -> Any:
    if names is None or not is_number(tag):
        return tag
    try:
        return hf.named_tag(int(tag), names)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def records_of_rows(
    rows: Iterable[Mapping[str, Any] | None], side: str, names: Sequence[str] | None, reading: Reading
) -> Iterator[Record | None]:
    """Yield the rows of a side as records. All are read first, since the tagging scheme is that of all tags.

    Args:
        rows: Rows with tokens and tags; None for one without annotation.
        side: What the side is called in errors.
        names: The names of tags that are numbers.
        reading: How tags are read.

    Raises:
        ValueError: A row cannot be read; names the document.
    """
    read: list[tuple[Place, str | None] | None] = []
    tags: list[list[str] | None] = []
    for number, row in enumerate(rows):
        if row is None:
            read.append(None)
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
        read.append((place, row_id(row)))
        tags.append(named)
    for number, (known, tagged) in enumerate(zip(read, read_tags(tags, side, reading.scheme, reading.repair))):
        if known is None:
            yield None
            continue
        place, id = known
        empty = Record(place.text or "", set(), [*(place.offsets or ())], id)
        record = of_tagged(tagged, f"{side}, document {number}", place, empty)
        yield record._replace(annotated=tagged.length == 0 or len(tagged.gaps) < tagged.length)
