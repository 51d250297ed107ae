"""Score named-entity recognition by every measure that the papers propose."""

from .about import __version__
from .counts import Counts, count
from .formulas import prf, ratio
from .intervals import Confidence
from .metric import Metric, Verdict, create, create_all, names, one_each, registry
from .results import evaluate, score
from .spans import Contest, Document, Span

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
