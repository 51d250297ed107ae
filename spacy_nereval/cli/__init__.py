"""The commands `nereval ...` and `python -m spacy nereval ...`, one module per subject.

spaCy imports this package whenever its command line starts, and `nereval` scores
most files without spaCy. Modules that take time to load, spaCy above all, are
therefore imported inside the functions that need them. `spacy_app` alone imports
spaCy when it is loaded; only spaCy's own command line loads it.
"""

from . import agreement, compare, convert, count, errors, gate, metrics, report, score, thresholds, training
from .app import nereval

__all__ = [
    "agreement",
    "compare",
    "convert",
    "count",
    "errors",
    "gate",
    "metrics",
    "nereval",
    "report",
    "score",
    "thresholds",
    "training",
]
