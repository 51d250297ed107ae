"""Fields of documents by which scores are broken down, such as `meta.source`: which are kept, and their values.

Readers keep the metadata of a document, and other fields of it only if an attribute names them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .messages import describe_unknown, spell_argument

META = "meta."
"""How the name of an attribute begins that is a field of the document."""

_kept: ContextVar[tuple[str, ...]] = ContextVar("kept fields", default=())


def field_of(attribute: str) -> str:
    """Return the field that an attribute names; "" if it is an attribute of spans.

    >>> field_of("meta.source"), field_of("meta.year:1990,2000"), field_of("eLen")
    ('source', 'year', '')
    """
    name = attribute.partition(":")[0].strip()
    return name.removeprefix(META) if name.startswith(META) else ""


@contextmanager
def keep_fields(attributes: Iterable[str] | str | None) -> Iterator[None]:
    """Have readers keep the fields that attributes name, inside a `with` block.

    Args:
        attributes: Attributes of breakdowns, each alone or in a list with commas; None for none.

    >>> with keep_fields("meta.source,eLen"):
    ...     metadata({"text": "Ada", "source": "web"}, None)
    {'source': 'web'}
    """
    listed = [attributes] if isinstance(attributes, str) else attributes or ()
    fields = [field_of(part) for text in listed if isinstance(text, str) for part in text.split(",")]
    token = _kept.set(tuple(dict.fromkeys(name for field in fields if field for name in (field, field.split(".")[0]))))
    try:
        yield
    finally:
        _kept.reset(token)


def kept_fields() -> tuple[str, ...]:
    """Return the names of the fields that readers keep."""
    return _kept.get()


def metadata(fields: Mapping[str, Any], meta: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the metadata of a document, with those of its other fields that are kept; None if there are none.

    Args:
        fields: The fields of the document, such as the object of a line of JSON.
        meta: Its metadata; these fields take precedence.
    """
    kept = {name: fields[name] for name in _kept.get() if name in fields}
    return {**kept, **(meta or {})} if kept else meta


def field_value(meta: Mapping[str, Any] | None, field: str) -> float | str | None:
    """Return the value of a field of the metadata; None if there is none. Dots reach into nested objects.

    Raises:
        ValueError: The value is a list or an object.

    >>> meta = {"source": {"name": "web"}, "year": 2020, "draft": True}
    >>> field_value(meta, "source.name"), field_value(meta, "year"), field_value(meta, "draft"), field_value(meta, "x")
    ('web', 2020.0, 'true', None)
    """
    value: Any = meta or {}
    if field in value:
        value = value[field]
    else:
        for key in field.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
    value = value.item() if hasattr(value, "item") else value
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)) and abs(value) < math.inf:
        return float(value)
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ValueError(
        f"{spell_argument('by', f'{META}{field}')}: a document has a {type(value).__name__} there; expected text or a "
        "number"
    )


def document_id(value: object) -> str | None:
    """Return the id of a document as text; None if it has none, as where the id is blank or NaN.

    >>> document_id(7), document_id(" "), document_id(math.nan), document_id(None)
    ('7', None, None, None)
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    text = str(value)
    return None if not text or text.isspace() else text


def describe_missing_field(field: str, known: Iterable[str]) -> str:
    """Return the message that no document has a field.

    >>> describe_missing_field("sorce", ["source"]).partition(" (in")[0]
    "by='meta.sorce': no document has it: there is no field 'sorce': did you mean 'source'? There are source"
    """
    return (
        f"{spell_argument('by', f'{META}{field}')}: no document has it: {describe_unknown(field, known, 'field')} (in "
        "JSONL under 'meta' or next to the text, in Parquet as a column, in Label Studio under 'data', in Docs in "
        "user_data or doc._, which DocBin stores with store_user_data=True only)"
    )
