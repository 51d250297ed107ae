"""Attributes of spans, such as `negated` or the identifier of a linked entry: names with values, both texts.

A span without attributes is not in a table of attributes, so corpora without them pay nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .messages import PlainSpan, shorten, spell_argument

NONE = "none"
"""The value of an attribute that a span does not have."""

LABEL = "label"
"""The name under which `label_from` names the label itself."""

LINK, ID = "kb_id", "id"
"""The attributes that spans have in addition to their start and end. The id is read only if it is asked for."""

PLUS, JOINT = "+", "|"
"""The separator of names in `label_from`, and of values in the labels that it makes."""

Attributes = tuple[tuple[str, str], ...]
"""The attributes of a span as (name, value), sorted by name."""

SpanAttributes = Mapping[PlainSpan, frozenset[Attributes]]
"""The attributes of the spans that have some. A span has several where it is listed several times, such as a mention
with two links."""


def attribute_value(value: Any) -> str:
    """Return the value of an attribute as text; "" if it has none.

    >>> [attribute_value(value) for value in (True, 2, 0.5, "mild", ["a", "b"], None, "none")]
    ['true', '2', '0.5', 'mild', 'a,b', '', '']
    """
    if isinstance(value, str):
        return "" if value == NONE else value
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ",".join(filter(None, map(attribute_value, value)))
    if hasattr(value, "item"):  # a number of numpy
        value = value.item()
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


def read_attributes(values: Any, name: str = "the span") -> Attributes:
    """Return attributes of any shape: a mapping, a list of names that are true, or a list of names with values.

    Args:
        values: The attributes.
        name: The name of the span in errors.

    Raises:
        ValueError: They have another shape.

    >>> read_attributes({"negated": True, "grade": 2}), read_attributes(["negated"]), read_attributes(None)
    ((('grade', '2'), ('negated', 'true')), (('negated', 'true'),), ())
    """
    pairs: list[tuple[Any, Any]] | None = None
    if values is None:
        pairs = []
    elif isinstance(values, Mapping):
        pairs = [*values.items()]
    elif isinstance(values, (list, tuple)):
        if all(isinstance(value, str) for value in values):
            pairs = [(value, True) for value in values]
        elif all(isinstance(value, tuple) and len(value) == 2 for value in values):
            pairs = [(key, value) for key, value in values]  # a map of Arrow
        elif all(isinstance(value, Mapping) and {"name", "value"} <= value.keys() for value in values):
            pairs = [(value["name"], value["value"]) for value in values]
    if pairs is None or not all(isinstance(key, str) and key for key, _ in pairs):
        raise ValueError(
            f'{name} has the attributes {shorten(repr(values))}; expected names with values, as in {{"negated": true}}'
        )
    return sort_attributes((key, attribute_value(value)) for key, value in pairs)


def item_attributes(span: Any, asked: Collection[str] = (), name: str = "the span") -> Attributes:
    """Return the attributes of a span of a file or of Python: its `attributes`, and its `kb_id`.

    Args:
        span: The span, a mapping or an object; others have none.
        asked: The names in `label_from`. Most tools number their spans, so its `id` is read only if it is named there.
        name: The name of the span in errors.

    Raises:
        ValueError: The attributes have a shape that is not known.

    >>> item_attributes({"start": 0, "end": 3, "label": "PER", "kb_id": "Q42", "id": "T1"})
    (('kb_id', 'Q42'),)
    """
    if isinstance(span, (list, tuple)):
        return ()
    get = span.get if isinstance(span, Mapping) else partial(getattr, span)
    listed = get("attributes", None)
    beside = [(key, attribute_value(get(key, None))) for key in (LINK, *(ID for asked_for in asked if asked_for == ID))]
    if not listed and not any(value for _, value in beside):
        return ()
    return sort_attributes([*beside, *read_attributes(listed, name)])


def sort_attributes(pairs: Iterable[tuple[str, str]]) -> Attributes:
    """Return attributes without those that have no value, sorted. Of two with one name, the last counts.

    >>> sort_attributes([("severity", "mild"), ("negated", ""), ("kb_id", "Q42")])
    (('kb_id', 'Q42'), ('severity', 'mild'))
    """
    return tuple(sorted({name: value for name, value in pairs if value}.items()))


def attributes_by_span(pairs: Iterable[tuple[PlainSpan, Attributes]]) -> dict[PlainSpan, frozenset[Attributes]]:
    """Return the attributes of each span that has some.

    Args:
        pairs: Every span as it is listed, with its attributes, those without any included.

    >>> attributes_by_span([((0, 3, "PER"), (("kb_id", "Q1"),)), ((4, 7, "PER"), ())])
    {(0, 3, 'PER'): frozenset({(('kb_id', 'Q1'),)})}
    """
    sets: dict[PlainSpan, set[Attributes]] = {}
    for span, attributes in pairs:
        sets.setdefault(span, set()).add(attributes)
    return {span: frozenset(listed) for span, listed in sets.items() if any(listed)}


def move_attributes(attributes: SpanAttributes, places: Iterable[tuple[PlainSpan, PlainSpan]]) -> SpanAttributes:
    """Return the attributes of spans that became other ones. Those of spans that became equal are united.

    Args:
        attributes: The attributes.
        places: Each span, and its final form.

    >>> listed = {(0, 3, "PER"): frozenset({(("negated", "true"),)})}
    >>> move_attributes(listed, [((0, 3, "PER"), (0, 3, "LOC")), ((4, 5, "PER"), (4, 5, "LOC"))])
    {(0, 3, 'LOC'): frozenset({(('negated', 'true'),)})}
    """
    if not attributes:
        return attributes
    return attributes_by_span((new, listed) for old, new in places for listed in attributes.get(old, NOTHING))


NOTHING: frozenset[Attributes] = frozenset({()})
"""The attributes of a span that has none."""


def keep_attributes(attributes: SpanAttributes, spans: Iterable[PlainSpan]) -> SpanAttributes:
    """Return the attributes of some of the spans."""
    return {span: attributes[span] for span in spans if span in attributes} if attributes else attributes


def attributes_of(attributes: SpanAttributes, span: PlainSpan) -> dict[str, str]:
    """Return the attributes of a span by name. Where it is listed with several values, these are joined by commas.

    >>> links = {(0, 3, "PER"): frozenset({(("kb_id", "Q2"),), (("kb_id", "Q1"), ("negated", "true"))})}
    >>> attributes_of(links, (0, 3, "PER"))
    {'kb_id': 'Q1,Q2', 'negated': 'true'}
    """
    values: dict[str, set[str]] = {}
    for listed in attributes.get(span, ()):
        for name, value in listed:
            values.setdefault(name, set()).add(value)
    return {name: ",".join(sorted(values[name])) for name in sorted(values)}


def describe_attributes(values: Mapping[str, str]) -> str:
    """Return attributes in words, those with the value true as their names.

    >>> describe_attributes({"negated": "true", "severity": "mild"})
    'negated, severity=mild'
    """
    return ", ".join(name if value == "true" else f"{name}={value}" for name, value in values.items())


def split_names(label_from: Any) -> tuple[str, ...]:
    """Return the names in `label_from`: a text with + between them, or a list of them.

    Raises:
        ValueError: A name is empty, or given twice.

    >>> split_names("label+negated"), split_names(["kb_id"]), split_names(None)
    (('label', 'negated'), ('kb_id',), ())
    """
    if label_from is None:
        return ()
    names: Sequence[Any] = label_from.split(PLUS) if isinstance(label_from, str) else label_from
    is_list = isinstance(names, (list, tuple))
    names = [name.strip() if isinstance(name, str) else name for name in names] if is_list else []
    if not names or not all(isinstance(name, str) and name for name in names) or len({*names}) < len(names):
        raise ValueError(
            f"{spell_argument('label_from', label_from)}: expected different names of attributes, as in kb_id, negated "
            "or label+negated"
        )
    return tuple(names)
