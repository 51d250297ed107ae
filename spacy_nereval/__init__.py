"""Score named-entity recognition with the metrics of the research literature.

Names are loaded on first use: spaCy imports this package at every start, and
rarely to score anything.
"""

from importlib import import_module
from sys import _getframe as getframe
from typing import TYPE_CHECKING, Any

from .core.about import __version__
from .core.imports import answer_imports, missing_name

if TYPE_CHECKING:
    from .api.batches import Counter
    from .api.inputs import load
    from .api.results import Comparison, Result
    from .api.scoring import compare, evaluate, merge, score, score_runs
    from .api.showing import show
    from .core.declaration import Classes, Metric, Score, Verdict, one_each, prf_scores
    from .core.formulas import prf, ratio
    from .core.mention_places import locate
    from .core.spans import Document, OverlapGroup, Span
    from .counting.counter import count
    from .counting.counts import Counts
    from .evaluation.collapsing import collapse, count_collapsed
    from .evaluation.resampling import Confidence
    from .features.agreement.agreeing import Agreement, agreement
    from .features.gate.gating import Gate, Plan, gate, plan
    from .features.leaderboard.counting_data_sets import DataSets, datasets
    from .features.leaderboard.ranking_systems import Leaderboard, leaderboard
    from .features.report.correcting import Corrections, apply
    from .features.thresholds.thresholding import Thresholds, thresholds
    from .metrics.registry import create, create_all, names, registry
else:
    _WHERE = {
        "api.batches": ("Counter",),
        "api.inputs": ("load",),
        "api.results": ("Comparison", "Result"),
        "api.scoring": ("compare", "evaluate", "merge", "score", "score_runs"),
        "api.showing": ("show",),
        "core.declaration": ("Classes", "Metric", "Score", "Verdict", "one_each", "prf_scores"),
        "core.formulas": ("prf", "ratio"),
        "core.mention_places": ("locate",),
        "core.spans": ("Document", "OverlapGroup", "Span"),
        "counting.counter": ("count",),
        "counting.counts": ("Counts",),
        "evaluation.collapsing": ("collapse", "count_collapsed"),
        "evaluation.resampling": ("Confidence",),
        "metrics.registry": ("create", "create_all", "names", "registry"),
    }

    def __getattr__(name: str) -> Any:
        for module, names in _WHERE.items():
            if name in names:
                value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
                return value
        from .core.features import features

        for feature in features():
            if name in feature.names:
                value = globals()[name] = getattr(import_module(feature.names[name]), name)
                return value
        if not name.startswith("_") and (value := import_module(f"{__name__}.compat.functions").function_named(name)):
            return value
        raise missing_name(name, __all__, getframe(1))

    answer_imports()


__all__ = [
    "Agreement",
    "Classes",
    "Comparison",
    "Confidence",
    "Corrections",
    "Counter",
    "Counts",
    "DataSets",
    "Document",
    "Gate",
    "Leaderboard",
    "Metric",
    "OverlapGroup",
    "Plan",
    "Result",
    "Score",
    "Span",
    "Thresholds",
    "Verdict",
    "__version__",
    "agreement",
    "apply",
    "collapse",
    "compare",
    "count",
    "count_collapsed",
    "create",
    "create_all",
    "datasets",
    "evaluate",
    "gate",
    "leaderboard",
    "load",
    "locate",
    "merge",
    "names",
    "one_each",
    "plan",
    "prf",
    "prf_scores",
    "ratio",
    "registry",
    "score",
    "score_runs",
    "show",
    "thresholds",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
