"""Errors for names and modules that this package lacks, with the line to write instead.

This module is imported with the package, which spaCy imports at every start: it imports nothing else at first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

PACKAGE = __name__.partition(".")[0]


def missing_name(name: str, names: Iterable[str], caller: Any, module: str = PACKAGE) -> ImportError | AttributeError:
    """Return the error that a module has no such name, with the line to write or the existing names.

    `from spacy_nereval import NAME` hides the message of an AttributeError, and asks for submodules, too, in the module
    first: the error is an ImportError only for other names.

    Args:
        name: The name.
        names: The names that the package has.
        caller: The frame that asks for it.
        module: The module that is asked.
    """
    from .messages import did_you_mean
    from .synonyms import python_call

    importing = caller.f_globals.get("__name__") == "importlib._bootstrap"
    if name.startswith("_") or (importing and _is_module(module, name)):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    said, error = f"{module} has no {name!r}", ImportError if importing else AttributeError
    if line := python_call(name, at="import", others=[*names]):
        return error(f"{said}: write {line}")
    hint = did_you_mean(name, names)
    return error(f"{said}{f'{hint} It has' if hint else '; it has'} {_join_names(names)}")


def _is_module(package: str, name: str) -> bool:
    """Return whether a module has one of this name within it."""
    from importlib.util import find_spec

    return hasattr(sys.modules[package], "__path__") and find_spec(f"{package}.{name}") is not None


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(name for name in names if name[0].isalpha() and name.islower()))


def names_of_top(module: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module below the top one, which has the names of the top one as well.

    >>> names_of_top("spacy_nereval.metrics")("f1_score")([["B-PER"]], [["B-PER"]])
    1.0
    """

    def find(name: str) -> Any:
        top = sys.modules[PACKAGE]
        if not name.startswith("_") and not _is_module(module, name):
            try:
                return getattr(top, name)
            except AttributeError:
                pass
        raise missing_name(name, top.__all__, sys._getframe(1), module)

    return find


MODULES = (
    *("bootstrap", "evaluator", "evaluators", "export", "llm", "loaders", "plots", "plotting", "readers", "reports"),
    *("scorer", "scorers", "scores", "scoring", "significance", "statistics", "stats", "utils", "viz", "visualization"),
)
"""Modules of other packages. Here they have the names of the top one."""


class LastFinder:
    """Answers the import of a module that this package lacks, when no other finder knows it.

    `importlib.util.find_spec` and others that do not import learn that there is none.
    """

    @staticmethod
    def create_module(spec: object) -> None:
        """Let Python make the module."""

    @staticmethod
    def exec_module(module: Any) -> None:
        """Give a module the names of the top one."""
        module.__getattr__ = names_of_top(module.__name__)

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> Any:
        """Return a module of `MODULES`; else raise ModuleNotFoundError with the line to write, if one is imported.

        >>> from spacy_nereval.stats import f1_score
        >>> f1_score([["B-PER"]], [["B-PER"]])
        1.0
        """
        asks = sys._getframe(2).f_code.co_name
        if not name.startswith(f"{PACKAGE}.") or asks != "_find_and_load_unlocked":
            return None
        if name.removeprefix(f"{PACKAGE}.") in MODULES:
            from importlib.machinery import ModuleSpec

            return ModuleSpec(name, cls, is_package=True)  # type: ignore[arg-type]  # typeshed asks for an object of importlib.abc.Loader
        from .synonyms import python_call

        line = python_call(name.rpartition(".")[2], at="import", others=[])
        remedy = f"write {line}; " if line else ""
        has = _join_names(sys.modules[PACKAGE].__all__)
        raise ModuleNotFoundError(f"there is no module {name}: {remedy}{PACKAGE} itself has {has}", name=name)


def answer_imports() -> None:
    """Give errors of missing modules of this package the line to write."""
    if LastFinder not in sys.meta_path:
        sys.meta_path.append(LastFinder)
