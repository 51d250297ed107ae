"""Importing this makes torch and spacy-transformers look as if they were not installed.

spaCy imports both wherever it starts and they are, which takes longer than everything else together.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from typing import Any

HIDDEN = {"torch", "spacy_transformers"}


class Hidden:
    """Where Python looks for modules first."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


every = importlib.metadata.distributions


def shown(**how: Any) -> Iterator[importlib.metadata.Distribution]:
    """What is installed, but for those. The name of a folder tells, since reading its metadata takes long."""
    return (found for found in every(**how) if found._path.name.partition("-")[0] not in HIDDEN)


importlib.metadata.distributions = shown
sys.meta_path.insert(0, Hidden())
