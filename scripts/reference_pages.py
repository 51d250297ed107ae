"""The pages of the reference that list score keys and the Python API, from the code itself."""

import inspect
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from doc_pages import table

from spacy_nereval import Metric
from spacy_nereval.metrics.registry import SETS

API = {
    "Score and compare": (
        "spacy_nereval",
        [
            *("score", "Result", "score_runs", "compare", "Comparison", "leaderboard", "Leaderboard", "datasets"),
            *("DataSets", "gate", "Gate", "plan", "Plan", "thresholds", "Thresholds", "apply", "Corrections"),
            *("Counter", "Confidence", "Document", "load", "locate", "show"),
        ],
    ),
    "Agreement of annotators": ("spacy_nereval", ["agreement", "Agreement"]),
    "Functions of other packages": (
        "spacy_nereval.compat",
        [
            "seqeval.classification_report",
            "seqeval.precision_score",
            "seqeval.recall_score",
            "seqeval.f1_score",
            "seqeval.accuracy_score",
            "evaluate.compute",
        ],
    ),
    "Counts": ("spacy_nereval", ["count", "count_collapsed", "collapse", "Counts", "merge", "evaluate"]),
    "Files": (
        "spacy_nereval.io",
        ["read.read_files", "count_files.save", "count_files.load", "count_files.merge"],
    ),
    "Comparison of counts": (
        "spacy_nereval.evaluation",
        ["comparison.comparison", "comparison.System", "run_means.evaluate_runs"],
    ),
    "Tables of engines": (
        "spacy_nereval.distributed",
        ["count_spark", "count_dask", "count_ray", "count_partition", "combine", "merge"],
    ),
    "Errors": ("spacy_nereval.evaluation", ["error_list.error_list"]),
    "spaCy": (
        "spacy_nereval.integration",
        [
            "scorer.make_ner_scorer",
            "scorer.make_spans_scorer",
            "component.make_nereval",
            "cut_component.make_nereval_cut",
            "loggers.make_logger",
            "schedules.plateau",
            "detach.detach",
        ],
    ),
    "Metrics": ("spacy_nereval", ["create", "create_all", "names", "Metric", "Score", "prf_scores", "one_each"]),
}
"""Section to module and the names that it lists."""


def api_page() -> str:
    """Return docs/reference/python.md."""
    blocks = [
        "# The Python API",
        "<!-- Written by scripts/docs.py from the docstrings; do not edit. -->",
        "The tables have the first sentence of each docstring. The site of this documentation "
        "(`python -m mkdocs serve`) and `help(...)` show the whole docstring, with arguments, errors and examples. "
        "Authors of metrics import from `spacy_nereval.authoring`.",
        "Begin with `score`: [Score in a notebook](../how-to/notebook.md) has examples, and [the shape of a "
        "result](result.md) describes what it returns.",
    ]
    for section, (module, names) in API.items():
        rows, marks = [], []
        for name in names:
            path = f"{module}.{name}"
            found = found_at(path)
            rows.append([f"`{path}`", summary(found)])
            marks.append(f"<!-- api: {path} -->")
        blocks += [f"## {section}", table(["name", "what it is"], rows), "\n".join(marks)]
    return "\n\n".join(blocks) + "\n"


def found_at(path: str) -> Any:
    """Return what a dotted path names."""
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)


def summary(found: Any) -> str:
    """Return the first sentence of a docstring, on one line."""
    first = (inspect.getdoc(found) or "").split("\n\n")[0]
    return " ".join(first.split())


def scores_page(metrics: Iterable[Metric]) -> str:
    """Return docs/reference/scores.md."""
    blocks = [
        "# The score keys",
        "<!-- Written by scripts/docs.py from what the metrics declare; do not edit. -->",
        "Score keys are names in spaCy's score dict: in `nlp.evaluate`, in the training log and in "
        "`[training.score_weights]`. They are prefixed with `ents_`, or with `spans_KEY_` for a span group `KEY`: "
        "`fair_f` is `ents_fair_f` or `spans_sc_fair_f`. `nereval init-config --score` takes the key without "
        "the prefix. `--primary`, `--secondary`, `--best` and `--score` take it too, or the metric and the score's own "
        "name, as in `fair.f`.",
        "The values are from 0 to 1, except where the unit says otherwise. Where lower is better, do not choose a "
        "model by the score. An undefined score is 0.0 here and `null` in the [nested result](result.md). A headline "
        "score represents its metric in summaries.",
    ]
    for metric in metrics:
        rows = [
            [
                f"`{score.key}`",
                f"`{metric.name}.{score.name}`",
                str(score.unit),
                "higher" if score.higher_is_better else "lower",
            ]
            + ["yes" if score.headline else ""]
            for score in metric.scores
            if score.key
        ]
        sets = ", ".join(f"`{name}`" for name, members in SETS.items() if metric.name in members)
        said = f"[{metric.name}](metrics.md#{metric.name})" + (f", in the set {sets}" if sets else "")
        blocks += [
            f"## {metric.name}",
            said + ".",
            table(["key", "score", "unit", "better", "headline"], rows),
        ]
    return "\n\n".join(blocks) + "\n"
