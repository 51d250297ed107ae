"""Docstrings of the public Python API have what a reader looks for: arguments, value, errors and an example."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from places import script

import spacy_nereval
from spacy_nereval import authoring, distributed, testing
from spacy_nereval.api.shown import Shown

pages = script("reference_pages")

MODULES = (spacy_nereval, authoring, distributed, testing)
"""The modules whose `__all__` is public."""


def documented() -> Iterator[tuple[str, Any]]:
    """The functions and classes that docs/reference/python.md lists or that are public, and the methods of results."""
    paths = [f"{module}.{name}" for module, names in pages.API.values() for name in names]
    paths += [f"{module.__name__}.{name}" for module in MODULES for name in module.__all__]
    for path in paths:
        found = pages.found_at(path)
        if not inspect.isfunction(found) and not (inspect.isclass(found) and found.__module__.startswith("spacy_")):
            continue  # a number, a text, a type annotation, or the registry
        yield path, found
        if inspect.isclass(found) and issubclass(found, Shown):
            methods = (pair for cls in (found, Shown) for pair in vars(cls).items())
            yield from ((f"{path}.{key}", of) for key, of in methods if is_method(key, of))


def is_method(name: str, value: object) -> bool:
    return inspect.isfunction(value) and not name.startswith("_") and not getattr(value, "__isabstractmethod__", False)


def lacking(function: Callable[..., Any], doc: str) -> Iterator[str]:
    """What the docstring of a function lacks."""
    signature = inspect.signature(function)
    unnamed = [name for name in signature.parameters if name != "self" and not re.search(rf"\b{name}\b", doc)]
    if unnamed and "See `" not in doc:
        yield f"Args: {', '.join(unnamed)}"
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
        if lacks := [*missing, *(["an example"] if not re.search(">>> |Example:", doc) else [])]:
            found[name] = lacks
    assert found == {}


def test_a_docstring_without_sections_is_noticed():
    def function(number: int) -> int:
        """Take it."""
        if number < 0:
            raise ValueError
        return number

    assert [*lacking(function, function.__doc__ or "")] == ["Args: number", "Returns:", "Raises:"]
