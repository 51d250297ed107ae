"""Options of metrics, as their functions declare them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import pydantic
from pydantic import Field

Beta = Annotated[
    float, pydantic.Field(gt=0, allow_inf_nan=False, description="weight of recall against precision in F")
]

Focus = Annotated[
    Literal["target", "system"],
    pydantic.Field(description="label that a pair counts for: the gold one (target) or the predicted one (system)"),
]

Typed = Annotated[bool, Field(description="let only spans of the same label meet")]


class Option(NamedTuple):
    """One option of a metric, as its function declares it."""

    name: str
    default: Any
    annotation: Any

    @property
    def help(self) -> str:
        return next((text for item in get_args(self.annotation)[1:] if (text := getattr(item, "description", ""))), "")

    @property
    def values(self) -> str:
        """What the option takes, in words."""
        return _in_words(get_args(self.annotation)[0], get_args(self.annotation)[1])

    def check(self, metric: str, value: Any) -> Any:
        """The value, converted to the declared type. Raises ValueError if it is none."""
        if isinstance(value, bool) and get_args(self.annotation)[0] in (int, float):
            raise ValueError(f"{metric}.{self.name} = {value!r}: wanted {self.values}")
        try:
            return pydantic.TypeAdapter(self.annotation).validate_python(value)
        except pydantic.ValidationError as error:
            problems = error.errors(include_url=False)
            message = (
                problems[0]["msg"].removeprefix("Value error, ") if len(problems) == 1 else f"wanted {self.values}"
            )
            raise ValueError(f"{metric}.{self.name} = {value!r}: {message[0].lower()}{message[1:]}") from None


BOUNDS = {"Gt": ">", "Ge": ">=", "Lt": "<", "Le": "<="}


def _in_words(kind: Any, limits: Any = None) -> str:
    if get_origin(kind) is Literal:
        return " | ".join(get_args(kind))
    if get_origin(kind) is dict:
        key, value = (_in_words(part) for part in get_args(kind))
        return f"table of {key} to {value}"
    if get_args(kind):
        return " | ".join(map(_in_words, get_args(kind)))
    bounds = [
        f" {BOUNDS[type(bound).__name__]} {getattr(bound, type(bound).__name__.lower())}"
        for bound in getattr(limits, "metadata", [])
        if type(bound).__name__ in BOUNDS
    ]
    words = {float: "number", int: "whole number", bool: "true | false", str: "text", type(None): "none"}
    return words.get(kind, "any") + ",".join(bounds)
