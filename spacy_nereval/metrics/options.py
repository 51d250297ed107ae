"""Options of metrics, as the functions that make metrics declare them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, get_args, get_origin

import pydantic
from pydantic import Field

Beta = Annotated[
    float, Field(ge=0, description="weight of recall relative to precision in F: 0 is precision, inf is recall")
]

Focus = Annotated[
    Literal["target", "system"],
    Field(description="label that a pair counts for: the gold one (target) or the predicted one (system)"),
]

Typed = Annotated[bool, Field(description="compare only spans of the same label")]


@dataclass(frozen=True)
class Option:
    """One option of a metric.

    Args:
        name: The name of the parameter.
        default: Its default value.
        annotation: Its type and pydantic's `Field`, as `Annotated` holds them.

    >>> option = Option("beta", 1.0, Beta)
    >>> option.help, option.values
    ('weight of recall relative to precision in F: 0 is precision, inf is recall', 'number >= 0')
    """

    name: str
    default: Any
    annotation: Any

    @property
    def help(self) -> str:
        """What the option does; empty if its function does not say."""
        return next((text for item in get_args(self.annotation)[1:] if (text := getattr(item, "description", ""))), "")

    @property
    def values(self) -> str:
        """The values that the option takes, in words."""
        return _in_words(get_args(self.annotation)[0], get_args(self.annotation)[1])

    @cached_property
    def _type(self) -> pydantic.TypeAdapter[Any]:
        return pydantic.TypeAdapter(self.annotation)

    def check(self, metric: str, value: Any) -> Any:
        """Return the value, converted to the declared type.

        Args:
            metric: The name of the metric, for the message.

        Raises:
            ValueError: The value is not one that the option takes.

        >>> Option("beta", 1.0, Beta).check("strict", "0.5")
        0.5
        >>> Option("beta", 1.0, Beta).check("strict", -1)
        Traceback (most recent call last):
        ValueError: strict.beta = -1: input should be greater than or equal to 0
        """
        if value is None and self.default is None:
            return None
        if isinstance(value, bool) and get_args(self.annotation)[0] in (int, float):
            raise ValueError(f"{metric}.{self.name} = {value!r}: expected {self.values}")
        try:
            return self._type.validate_python(value)
        except pydantic.ValidationError as error:
            problems = error.errors(include_url=False)
        # A union reports a problem for each of its members; the expected values are clearer than that list.
        problem = problems[0]["msg"].removeprefix("Value error, ") if len(problems) == 1 else f"expected {self.values}"
        raise ValueError(f"{metric}.{self.name} = {value!r}: {problem[0].lower()}{problem[1:]}")


LIMITS = {"Gt": ">", "Ge": ">=", "Lt": "<", "Le": "<="}
"""How the limits of `annotated_types` are written, by the name of their class."""

WORDS: dict[type, str] = {float: "number", int: "whole number", bool: "true | false", str: "text", type(None): "none"}


def _in_words(kind: Any, field: Any = None) -> str:
    """Return the values of a type in words, with the limits that its `Field` sets.

    >>> _in_words(Literal["a", "b"] | dict[str, float])
    'a | b | table of text to number'
    """
    if get_origin(kind) is Literal:
        return " | ".join(get_args(kind))
    if get_origin(kind) is dict:
        key, value = (_in_words(part) for part in get_args(kind))
        return f"table of {key} to {value}"
    if get_args(kind):
        return " | ".join(map(_in_words, get_args(kind)))
    limits = [
        f" {LIMITS[type(limit).__name__]} {getattr(limit, type(limit).__name__.lower())}"
        for limit in getattr(field, "metadata", [])
        if type(limit).__name__ in LIMITS
    ]
    return WORDS.get(kind, "any") + ",".join(limits)
