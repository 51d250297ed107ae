"""Importing this makes torch and spacy-transformers look as if they were not installed.

spaCy imports both wherever it starts and they are, which takes longer than everything else together.
"""

import importlib.metadata
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from typing import Any

HIDDEN = {"torch", "spacy_transformers"}


class WithoutHidden(PathFinder):
    """Finds all other modules, as Python does."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        return None if fullname.partition(".")[0] in HIDDEN else super().find_spec(fullname, path, target)


every = importlib.metadata.distributions


def shown(**how: Any) -> Iterator[importlib.metadata.Distribution]:
    """What is installed, but for those. The name of a folder tells, since reading its metadata takes long."""
    return (found for found in every(**how) if found._path.name.partition("-")[0] not in HIDDEN)


importlib.metadata.distributions = shown
sys.meta_path[:] = [WithoutHidden if finder is PathFinder else finder for finder in sys.meta_path]
