"""The commands `python -m spacy nereval ...`, a module each.

spaCy imports this package at every call of its command line, so everything that
takes time to import is imported inside the commands.
"""

from . import compare, counting, detach, doctor, errors, evaluate, metrics, report, score, training
from .common import nereval

__all__ = [
    "compare",
    "counting",
    "detach",
    "doctor",
    "errors",
    "evaluate",
    "metrics",
    "nereval",
    "report",
    "score",
    "training",
]
