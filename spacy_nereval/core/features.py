"""The registry of features, and the declaration of a feature's additions to the package.

A feature is a package with everything that one kind of question needs: its numbers, its view, its page, its functions
in Python and its commands. It declares itself in one `Feature`, which an entry point of the group
`spacy_nereval_features` names, and is imported when it is used. The rest of the package uses features only through
their declarations, and no feature uses another.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import catalogue

from .messages import shorten
from .plugins import Stopped, describe_failure, list_names, load_registered

registry: catalogue.Registry = catalogue.create("spacy_nereval", "features", entry_points=True)
"""Names of features to their declarations; the entry-point group is `spacy_nereval_features`."""


class ResultKind(NamedTuple):
    """A kind of result in JSON.

    Attributes:
        keys: Keys that show that a result is of this kind.
        command: The command that writes it.
        words: Its subject: "a gate", "thresholds".

    >>> ResultKind(("rules", "policy"), "gate", "a gate").command
    'gate'
    """

    keys: tuple[str, ...]
    command: str
    words: str


@dataclass(frozen=True)
class Feature:
    """The additions of a feature to the package. Modules and functions are named, not imported.

    Attributes:
        name: Its name, that of the entry point.
        commands: Modules that register commands when they are imported.
        names: The module that defines each public name.
        results: The kinds of results that it makes, by the name of their class.
        inputs: Parameters of its commands that name files, folders or models that are read. A text may name several,
            with commas between them.
        outputs: Parameters of its commands that name files that are written.
        extensions: Its additions to other commands, by the name of the command: "module:object" of an `Extension`.
        page: The function that makes one HTML page of systems with their documents, "module:function"; "" if none.

    >>> Feature("example", names={"ask": "example.asking"}).name
    'example'
    """

    name: str
    commands: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, ResultKind] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    extensions: Mapping[str, str] = field(default_factory=dict)
    page: str = ""


@cache
def features() -> tuple[Feature, ...]:
    """Return the declarations of all features, sorted by name. One that cannot be imported is skipped, with a warning.

    >>> [feature.name for feature in features()][:2]
    ['agreement', 'gate']
    """
    declarations = []
    for name in list_names(registry):
        try:
            feature = load_registered(registry, name)
        except ValueError as error:  # other commands still work if the package of a feature is broken
            warnings.warn(str(error), stacklevel=2)
            continue
        if isinstance(feature, Feature):
            declarations.append(feature)
        else:
            warnings.warn(f"the feature {name!r} is {shorten(repr(feature))}; expected a Feature", stacklevel=2)
    return tuple(declarations)


def load_object(place: str) -> Any:
    """Return the object that "module:name" names.

    >>> load_object("spacy_nereval.core.features:load_object").__name__
    'load_object'
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def extensions(command: str) -> dict[str, Any]:
    """Return the additions of features to a command, by the name of the feature."""
    added = {}
    for feature in features():
        if place := feature.extensions.get(command):
            try:
                added[feature.name] = load_object(place)
            except (KeyboardInterrupt, Stopped):
                raise
            except BaseException as error:  # the command still works if the package of a feature is broken
                said = f"{place}, which the feature {feature.name!r} adds to {command!r}, cannot be imported"
                warnings.warn(f"{said}: {describe_failure(error)}", stacklevel=2)
    return added
