"""The attributes of spaCy's spans: their links, and custom attributes, `span._.NAME`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from spacy.attrs import ENT_KB_ID
from spacy.tokens import Doc, Span
from spacy.tokens.underscore import Underscore

from ..core.attribute_values import (
    ID,
    LINK,
    Attributes,
    SpanAttributes,
    attribute_value,
    attributes_by_span,
    sort_attributes,
)
from ..core.labels import NO_LABEL

CUSTOM = "_."
"""The prefix of the names of custom attributes."""

STORED = "._."
"""The first part of the keys under which a Doc stores custom attributes in its `user_data`."""

PLAIN = (bool, int, float, str)
"""The types of custom values that are read without being asked for; others are data of components."""


class Custom(NamedTuple):
    """The custom attributes of a Doc's spans: the defaults of those that have one, and the values that the Doc stores,
    by the (start, end) of their spans."""

    defaults: Mapping[str, Any]
    stored: Mapping[tuple[int, int], Mapping[str, Any]]

    def values(self, span: Span, asked: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the names of a span's custom attributes with their values; others than `PLAIN` ones only if asked."""
        values = {**self.defaults, **self.stored.get((span.start_char, span.end_char), {})}
        names = [name.removeprefix(CUSTOM) for name in asked if name.startswith(CUSTOM)]
        values |= {name: span._.get(name) for name in names if name not in values and Span.has_extension(name)}
        for name, value in values.items():
            if isinstance(value, PLAIN) or name in names:
                yield CUSTOM + name, attribute_value(value)


def doc_attributes(doc: Doc, spans: Sequence[Span], asked: Collection[str] = ()) -> SpanAttributes:
    """Return the attributes of some spans of a Doc.

    Args:
        doc: The Doc.
        spans: Its spans.
        asked: The names in `label_from`: custom attributes that are computed, and ids, are read only if named there.
    """
    custom = custom_of(doc)
    if not any(custom) and not asked and not any(span.kb_id for span in spans):
        return {}
    return attributes_by_span(
        ((span.start_char, span.end_char, span.label_ or NO_LABEL), span_attributes(span, asked, custom))
        for span in spans
    )


def span_attributes(span: Span, asked: Collection[str] = (), custom: Custom | None = None) -> Attributes:
    """Return the attributes of a span.

    Args:
        span: The span.
        asked: As for `doc_attributes`.
        custom: What `custom_of` returns for its Doc, if it is known.

    >>> import spacy
    >>> doc = spacy.blank("en")("Ada met Bob")
    >>> span_attributes(Span(doc, 0, 1, "PER", kb_id="Q42"))
    (('kb_id', 'Q42'),)
    """
    beside = [(LINK, span.kb_id_), (ID, span.id_ if ID in asked else "")]
    return sort_attributes([*beside, *(custom or custom_of(span.doc)).values(span, asked)])


def has_span_attributes(doc: Doc) -> bool:
    """Return whether entities of a Doc may have attributes that are read without being asked for."""
    return bool(doc.to_array(ENT_KB_ID).any()) or any(custom_of(doc))


def custom_of(doc: Doc) -> Custom:
    """Return the custom attributes of a Doc's spans: those that are registered with a default, and those that it
    stores, which a file may have without registering them."""
    registered = {name: default for name, (default, *others) in Underscore.span_extensions.items() if not any(others)}
    stored: dict[tuple[int, int], dict[str, Any]] = {}
    for key, value in doc.user_data.items() if doc.user_data else ():
        if isinstance(key, tuple) and len(key) > 3 and key[0] == STORED and key[3] is not None:
            stored.setdefault((key[2], key[3]), {})[key[1]] = value
    return Custom({name: default for name, default in registered.items() if isinstance(default, PLAIN)}, stored)
