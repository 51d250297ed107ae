"""Score named-entity recognition by every measure that the papers propose.

What is imported from here is loaded when it is first asked for: spaCy imports
this package at each of its starts, and seldom to score anything.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .about import __version__

if TYPE_CHECKING:
    from .counts import Counts, count
    from .formulas import prf, ratio
    from .intervals import Confidence
    from .metric import Metric, Verdict, create, create_all, names, one_each, registry
    from .results import evaluate, score
    from .spans import Contest, Document, Span
else:
    _WHERE = {
        "counts": ("Counts", "count"),
        "formulas": ("prf", "ratio"),
        "intervals": ("Confidence",),
        "metric": ("Metric", "Verdict", "create", "create_all", "names", "one_each", "registry"),
        "results": ("evaluate", "score"),
        "spans": ("Contest", "Document", "Span"),
    }

    def __getattr__(name: str) -> Any:
        for module, found in _WHERE.items():
            if name in found:
                value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Confidence",
    "Contest",
    "Counts",
    "Document",
    "Metric",
    "Span",
    "Verdict",
    "__version__",
    "count",
    "create",
    "create_all",
    "evaluate",
    "names",
    "one_each",
    "prf",
    "ratio",
    "registry",
    "score",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
