"""Docstrings of the documented Python API have what a reader looks for: arguments, value, errors and an example."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from project_scripts import script

pages = script("reference_pages")

WITHOUT_EXAMPLE = {"save", "save_disputes", "merge", "load", "Metric"}
"""What writes or reads files, whose examples are in docs/how-to, and a class that is shown there as a whole."""


def documented() -> Iterator[tuple[str, Any]]:
    """The functions and classes that docs/reference/python.md lists, and the methods of results."""
    for module, names in pages.API.values():
        for name in names:
            found = pages.found_at(f"{module}.{name}")
            yield name, found
            if inspect.isclass(found) and issubclass(found, dict):
                yield from ((f"{name}.{key}", of) for key, of in vars(found).items() if is_method(key, of))


def is_method(name: str, value: object) -> bool:
    return inspect.isfunction(value) and not name.startswith("_")


def lacking(function: Callable[..., Any], doc: str) -> Iterator[str]:
    """What the docstring of a function lacks."""
    signature = inspect.signature(function)
    if {*signature.parameters} - {"self"} and "Args:" not in doc and "See `" not in doc:
        yield "Args:"
    told = doc.startswith(("Return ", "Yield ", "Create ")) or "Returns:" in doc or "Yields:" in doc
    if signature.return_annotation not in (None, "None") and not told and "spacy-nereval." not in doc:
        yield "Returns:"
    if "    raise " in inspect.getsource(function) and "Raises:" not in doc:
        yield "Raises:"


def test_everything_documented_says_what_it_takes_returns_and_raises_and_has_an_example():
    found = {}
    for name, what in documented():
        doc = inspect.getdoc(what) or ""
        missing = [*lacking(what, doc)] if inspect.isfunction(what) else []
        example = ">>> " in doc or "Example:" in doc or name.rpartition(".")[2] in WITHOUT_EXAMPLE
        if lacks := [*missing, *(["an example"] if not example else [])]:
            found[name] = lacks
    assert found == {}


def test_a_docstring_without_sections_is_noticed():
    def function(number: int) -> int:
        """Take a number."""
        if number < 0:
            raise ValueError
        return number

    assert [*lacking(function, function.__doc__ or "")] == ["Args:", "Returns:", "Raises:"]
