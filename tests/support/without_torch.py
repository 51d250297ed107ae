"""Importing this makes torch and spacy-transformers look as if they were not installed.

spaCy imports both wherever it starts and they are, which takes longer than everything else together.
"""

from __future__ import annotations

import importlib.metadata
import sys
from typing import Any

HIDDEN = {"torch", "spacy_transformers", "spacy-transformers"}
"""By the names that Python and pip know."""


class Hidden:
    """Where Python looks for modules first."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


every = importlib.metadata.distributions
importlib.metadata.distributions = lambda **how: (d for d in every(**how) if d.metadata["Name"] not in HIDDEN)
sys.meta_path.insert(0, Hidden())
