"""The commands `python -m spacy nereval ...`, one module per command.

spaCy imports this package whenever its command line starts. Modules that take
time to load are therefore imported inside the functions that need them.
"""

from . import (
    compare,
    count,
    datasets,
    detach,
    doctor,
    errors,
    evaluate,
    merge,
    metrics,
    report,
    score,
    spacy_app,
    training,
)
from .app import nereval

__all__ = [
    "compare",
    "count",
    "datasets",
    "detach",
    "doctor",
    "errors",
    "evaluate",
    "merge",
    "metrics",
    "nereval",
    "report",
    "score",
    "spacy_app",
    "training",
]
