"""Score named-entity recognition by every measure that the papers propose."""

from .about import __version__
from .counts import Counts, count
from .metric import Metric, Verdict, create, create_all, names, registry
from .scores import evaluate, prf, ratio, score
from .spans import Contest, Document, Span

__all__ = [
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
    "prf",
    "ratio",
    "registry",
    "score",
]
