"""Token classification data of Hugging Face's `datasets`: rows of tokens and tags, as JSON or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.compression import format_extension
from ...core.document_fields import metadata
from ...core.keys import nested_value, outer_keys
from ...core.messages import many, shorten, spell_argument
from ..paths import check_is_file, error_message, json_content
from ..records import Record, row_id
from ..tables import Table, is_table, name_of, row_noun
from . import TAG_KEYS
from .contents import json_values
from .settings import Format
from .tags import EXPECTED, MISSING, Scheme, gaps_of, has_prefix, join_words, read_tags, same_place, tag_number

SKIPPED = -100
"""The tag of a token for which no loss is computed. Here it means that the token is not annotated."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per row with `tokens` and `ner_tags`.

    The text has spaces between the tokens. Tags are texts, or numbers that are named by
    `format.tag_names` or by `features` in the file. A token tagged -100 is a gap. The file is
    read twice, because the tagging scheme is inferred from all tags.

    Args:
        path: The file: a list of rows, a row per line, or an object with `features` and `rows`.
        format: `format.tag_names` gives names to numbers, `format.field` names the key of the
            tags, `format.repair` says how to read tags that the scheme does not allow.

    Yields:
        One record per row.

    Raises:
        ValueError: If there is no such file, a row is malformed, tags are numbers without names,
            or the scheme does not allow a span and `format` does not repair it. Names the line.
        OSError: If a file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"tokens": ["Ada", "met"], "ner_tags": [1, 0]}')
    >>> [(record.text, record.spans) for record in read(path, Format(tag_names="O,B-PER"))]
    [('Ada met', {(0, 3, 'PER')})]
    """
    explicit_names = given_names(format)
    check_is_file(path)
    scheme, noun = Scheme(format.scheme, format.outside), row_noun(path)
    for number, row, names in _rows(path, format.field, explicit_names):
        place = f"{noun} {number}"
        try:
            _, tags = tokens_and_tags(row, format.field, names)
            scheme.see(tags, same_place(place))
        except ValueError as error:
            raise ValueError(f"{path}, {place}: {error}") from None
    for number, row, names in _rows(path, format.field, explicit_names):
        place = f"{noun} {number}"
        try:
            words, tags = tokens_and_tags(row, format.field, names)
            text, places = join_words(words)
        except ValueError as error:
            raise ValueError(f"{path}, {place}: {error}") from None
        try:
            spans, repaired = read_tags(tags, places, scheme, format.repair, same_place(place))
        except ValueError as error:
            raise ValueError(f"{path}, {error}") from None
        annotated, gaps = gaps_of(tags, places)
        record = Record(text, spans, places, row_id(row), annotated, gaps, repaired=repaired, meta=metadata_of_row(row))
        yield record._replace(notes=scheme.notes, scheme=scheme.written_name)


def given_names(format: Format) -> list[str] | None:
    """Return the names of tags that are numbers, as they were given; None if they were not."""
    given: list[str] | None = format.tag_names
    return tag_names(str(given)) if isinstance(given, (str, Path)) else given


def metadata_of_row(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the metadata of a row of tokens and tags: its field "meta", and others that are kept."""
    return metadata(row, row["meta"] if isinstance(row.get("meta"), Mapping) else None)


def tag_names(source: str) -> list[str]:
    """Return the names of tags that are numbers, in the order of the numbers.

    Args:
        source: The names, with commas between them, or the path of a JSON file: a list of
            names, a model's `config.json` with `id2label`, or `dataset_info.json` with `features`.

    Raises:
        ValueError: The file has no names, or names are missing.

    >>> tag_names("O, B-PER")
    ['O', 'B-PER']
    """
    path = Path(source)
    if not path.is_file():
        if format_extension(path) == ".json":
            raise ValueError(f"{spell_argument('tag_names', source)}: there is no such file")
        names = [name.strip() for name in source.split(",")]
        if len(names) == 1 and not has_prefix(source):
            raise ValueError(f"{spell_argument('tag_names', source)}: {source[:40]!r} is not a tag; {EXPECTED}")
        return names
    try:
        described_names = names_in(json_content(path))
    except ValueError as error:
        raise ValueError(f"{spell_argument('tag_names', source)}: {error_message(error)}") from None
    if described_names is None:
        raise ValueError(
            f"{spell_argument('tag_names', source)}: expected a list of names, or an object with 'id2label' or "
            "'features'"
        )
    return described_names


def names_in(value: Any, field: str | None = None) -> list[str] | None:
    """Return the names of tags in the description of a data set or model; None if it has none.

    Args:
        value: The description, parsed from JSON.
        field: The feature that has the tags; by default the first of `TAG_KEYS`.

    Raises:
        ValueError: The numbers of the tags are not all numbers from 0 up.

    >>> names_in({"id2label": {"1": "B-PER", "0": "O"}})
    ['O', 'B-PER']
    """
    if isinstance(value, list) and value and all(isinstance(name, str) for name in value):
        return value
    if not isinstance(value, Mapping):
        return None
    if isinstance(labels := value.get("id2label"), Mapping):
        if {*labels} != {str(k) for k in range(len(labels))}:
            raise ValueError(f"id2label has the keys {shorten(str([*labels]))}; expected all numbers from 0 up")
        return [str(labels[str(k)]) for k in range(len(labels))]
    features = value.get("features")
    if isinstance(features, list):  # as the server of the hub writes them
        columns = [column for column in features if isinstance(column, Mapping)]
        features = {column["name"]: column.get("type") for column in columns if isinstance(column.get("name"), str)}
    for key in (field,) if field else TAG_KEYS:
        feature = features.get(key) if isinstance(features, Mapping) else None
        while isinstance(feature, Mapping) and isinstance(feature.get("feature"), Mapping):
            feature = feature["feature"]
        if isinstance(feature, Mapping) and (names := names_in(feature.get("names"))):
            return names
    return None


def _rows(path: Path, field: str | None, explicit_names: list[str] | None) -> Iterator[tuple[int, dict[str, Any], Any]]:
    """Yield the number of the line (of the row in a table), the row, and the names of its tags."""
    if is_table(path):
        table = Table(path)
        names = explicit_names or names_in({"features": table.features}, field)
        for number, row in table.rows(["id", "tokens", *((field,) if field else TAG_KEYS)], outer_keys([field or ""])):
            yield number, row, names
        return
    for line, value in json_values(path):
        rows, names = [value], explicit_names
        if isinstance(value, dict) and isinstance(value.get("rows"), list):
            rows, names = value["rows"], explicit_names or names_in(value, field)
        for row in rows:
            row = row["row"] if isinstance(row, dict) and isinstance(row.get("row"), dict) else row
            if not isinstance(row, dict):
                raise ValueError(
                    f'{path}, line {line}: expected a row: {{"tokens": ["Ada", ...], "ner_tags": [1, ...]}}'
                )
            yield line, row, names


def tokens_and_tags(
    row: Mapping[str, Any], field: str | None, names: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the tokens of a row, and the names of their tags. A token tagged `SKIPPED` gets the tag `MISSING`.

    Args:
        row: The row.
        field: The key of the tags; by default the first of `TAG_KEYS` that the row has.
        names: The names of tags that are numbers.

    Raises:
        ValueError: The row is malformed, or a tag is a number without a name.

    >>> tokens_and_tags({"tokens": ["Ada", "##da"], "ner_tags": [1, -100]}, None, ["O", "B-PER"])
    (['Ada', '##da'], ['B-PER', '-'])
    """
    key = field or next((key for key in TAG_KEYS if key in row), TAG_KEYS[0])
    words, tags = row.get("tokens"), nested_value(row, key)
    if not isinstance(words, list) or not isinstance(tags, list):
        raise ValueError(
            f'expected lists "tokens" and "{key}"; there are {shorten(", ".join(row))}: name the key of the tags '
            f"with {spell_argument('column')}"
        )
    if len(words) != len(tags):
        raise ValueError(
            f"expected one tag per token; there are {many(len(words), 'token')} and {many(len(tags), 'tag')}"
        )
    return words, [tag_name(tag, names) for tag in tags]


def tag_name(tag: Any, names: Sequence[str] | None) -> str:
    """Return the name of a tag, which may be a number; `MISSING` for `SKIPPED`. Raise ValueError if there is none."""
    number = tag_number(tag)
    if isinstance(tag, str) and (number is None or names is None or tag in names):
        return tag
    if number is None:
        raise ValueError(f"the tag {shorten(repr(tag))} is neither text nor a whole number")
    if number == SKIPPED:
        return MISSING
    if names is None:
        raise ValueError(
            f"the tag {shorten(str(tag))} is a number without a name: give the names in their order with "
            f"{spell_argument('tag_names', 'O,B-PER,...')} or a file with id2label, such as the model's config.json"
        )
    return name_of(number, names, "tag")
