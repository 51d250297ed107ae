"""Groups of options: a command takes one value per group, typer sees one option per field."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, get_type_hints

from .cut_options import CUT_GROUPS
from .options import CODE, GROUPS


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters are the fields of its groups.

    A parameter such as `reading: Reading` becomes one parameter per field of
    `Reading`. A field that occurs in several groups becomes one option, and
    every group receives its value. Every command has the option `--code`: the file that it
    names is run before the command, which need not know of it.

    Args:
        command: A function with annotated parameters, some of them classes of `options.GROUPS` or `CUT_GROUPS`.
    """
    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command)
    groups = {name: hints[name] for name in signature.parameters if hints[name] in (*GROUPS, *CUT_GROUPS)}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in signature.parameters.items():
        if name in groups:
            for field in _fields(groups[name]):
                parameters.setdefault(field.name, field)
        else:
            parameters[name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
    code = inspect.Parameter("code", inspect.Parameter.KEYWORD_ONLY, default=CODE, annotation=Path | None)
    parameters.setdefault("code", code)

    @wraps(command)
    def wrapped(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field: given[field] for field in group._fields})
        command(**{name: given[name] for name in signature.parameters})

    del wrapped.__wrapped__  # else typer would read the parameters of the command itself
    shared = {"code", *(field for group in groups.values() for field in group._fields)}
    own_first = sorted(parameters.values(), key=lambda parameter: parameter.name in shared)
    # typer asks for the signature in this attribute, of which mypy does not know.
    wrapped.__signature__ = inspect.Signature(own_first)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return wrapped


def _fields(group: Any) -> list[inspect.Parameter]:
    """Return the fields of a group as parameters."""
    return [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=group._field_defaults[name], annotation=annotation
        )
        for name, annotation in get_type_hints(group).items()
    ]
