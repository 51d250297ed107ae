"""Registries that other packages can extend through entry points, and files with code that a user names.

They are in `core`, so that a room (a folder of the package) can use a higher room without importing it.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from typing import Any

import catalogue

from .messages import LONGEST_REASON, shorten, spell_argument

readers: catalogue.Registry = catalogue.create("spacy_nereval", "readers", entry_points=True)
"""Names of input formats to functions `(path, format) -> Iterator[Record]`; the entry-point
group is `spacy_nereval_readers`. `spacy_nereval.io.formats` describes the functions."""


class Stopped(SystemExit):
    """The exception by which a signal ends a command. Every other `SystemExit` is from code of other packages."""


def points_of_group(group: str) -> EntryPoints:
    """Return the entry points of a group in all installed packages.

    >>> "jsonl" in points_of_group("spacy_nereval_readers").names
    True
    """
    return _select_points(tuple(sys.path), group)


@cache
def _select_points(path: tuple[str, ...], group: str) -> EntryPoints:
    points: EntryPoints = _read_points(path).select(group=group)
    return points


@cache
def _read_points(path: tuple[str, ...]) -> Any:
    # Reads the metadata of every installed package, and a command looks up dozens of names.
    return entry_points()


def list_names(registry: catalogue.Registry) -> list[str]:
    """Return the names in a registry, sorted, without importing the registered functions.

    Args:
        registry: A registry of this module.

    Returns:
        The names of entry points and of functions registered in this process.

    >>> "jsonl" in list_names(readers)
    True
    """
    names = {point.name for point in points_of_group(registry.entry_point_namespace)}
    prefix = tuple(registry.namespace)
    return sorted(names | {key[-1] for key in catalogue.REGISTRY if key[:-1] == prefix})


@cache
def builtin_names(registry: catalogue.Registry) -> tuple[str, ...]:
    """Return the names that this package registers itself, sorted, without importing them.

    >>> "jsonl" in builtin_names(readers)
    True
    """
    points = points_of_group(registry.entry_point_namespace)
    return tuple(sorted({point.name for point in points if point.value.startswith("spacy_nereval.")}))


@cache
def check_registered_once(group: str, name: str) -> None:
    """Raise ValueError if several installed packages have an entry point of this group and name.

    >>> check_registered_once("spacy_nereval_readers", "jsonl")
    """
    targets = {point.value for point in points_of_group(group).select(name=name)}
    if len(targets) > 1:
        raise ValueError(
            f"{name!r} is registered under {group} more than once: {' and '.join(sorted(targets))}; "
            "uninstall one of the packages, or rename its entry point"
        )


def load_registered(registry: catalogue.Registry, name: str) -> Any:
    """Return the object that is registered under a name.

    Args:
        registry: A registry of this module, or of another that has entry points.
        name: The name.

    Raises:
        catalogue.RegistryError: Nothing is registered under the name.
        ValueError: Two packages have registered it, or the package that did cannot be imported; names the package.

    >>> load_registered(readers, "jsonl").__module__
    'spacy_nereval.io.formats.jsonl'
    """
    check_registered_once(registry.entry_point_namespace, name)
    point = next(iter(points_of_group(registry.entry_point_namespace).select(name=name)), None)
    if point is None:
        if not catalogue.check_exists(*registry.namespace, name):  # catalogue would import all other entry points
            raise catalogue.RegistryError(f"there is no {name!r}")
        return registry.get(name)
    try:
        registered = point.load()
    except (KeyboardInterrupt, Stopped):
        raise
    except BaseException as error:  # the code of another package can raise any exception, and may exit
        package = point.dist.name if point.dist else "another package"
        raise ValueError(
            f"{name!r}, which the package {package} registers under {registry.entry_point_namespace}, cannot be "
            f"imported: {describe_failure(error)}; correct or uninstall {package}"
        ) from None
    return registered


def load_function(registry: catalogue.Registry, name: str) -> Any:
    """Return the function that is registered under a name.

    Raises:
        catalogue.RegistryError: Nothing is registered under the name.
        ValueError: As for `load_registered`, or the registered object is no function.
    """
    function = load_registered(registry, name)
    if not callable(function):
        group = registry.entry_point_namespace
        raise ValueError(f"{name!r}, registered under {group}, is {shorten(repr(function))}; expected a function")
    return function


def describe_exit(error: SystemExit) -> str:
    """Describe where code that is not ours ended the command, on one line."""
    *_, (frame, line) = walk_tb(error.__traceback__)
    return (
        f"code that is not of this package ended the command, in {frame.f_code.co_filename}, line {line} "
        f"({describe_failure(error)}): correct it, or uninstall its package"
    )


def describe_failure(error: BaseException) -> str:
    """Describe on one line an error of code that is not ours.

    >>> describe_failure(ValueError("two\\nlines"))
    'ValueError: two lines'
    """
    where = f" in {error.filename}" if isinstance(error, SyntaxError) else ""
    try:
        reason = shorten(" ".join(str(error).split()), LONGEST_REASON)
    except Exception:  # an error may not even say what it is
        reason = ""
    return f"{type(error).__name__}{where}: {reason or 'it does not say why'}"


CODE_MODULE = "python_code"
"""The name of the module that a file named by `--code` becomes, as in spaCy's commands."""


def import_code(path: Path) -> None:
    """Run a Python file that registers functions, once as long as it does not change.

    Args:
        path: The file.

    Raises:
        ValueError: The file cannot be run; names it, and the error.
        OSError: There is no such file.
    """
    stat = path.stat()
    _import_code(path.resolve(), stat.st_mtime_ns, stat.st_size)


@cache
def _import_code(path: Path, changed: int, size: int) -> None:
    spec = spec_from_file_location(CODE_MODULE, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{spell_argument('code', str(path))}: expected a Python file, NAME.py")
    module = module_from_spec(spec)
    sys.modules[CODE_MODULE] = module
    try:
        spec.loader.exec_module(module)
    except (KeyboardInterrupt, Stopped):
        raise
    except BaseException as error:  # the user's code can raise any exception, and may exit
        raise ValueError(f"{spell_argument('code', str(path))}: {describe_failure(error)}") from None
