"""The page of the reference on the Python API, from the code itself."""

import inspect
from importlib import import_module
from typing import Any

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
        "# Python API",
        "<!-- Written by scripts/docs.py from the docstrings; do not edit. -->",
        "Begin with `score`: [Score in Python](../how-to/notebook.md) has examples, [JSON results](result.md) what it "
        "returns. The site of this documentation shows arguments, errors and examples of everything below, and so does "
        "`help(...)`. Authors of metrics import from `spacy_nereval.authoring`.",
    ]
    for section, (module, names) in API.items():
        blocks.append(f"## {section}")
        if module == "spacy_nereval":
            functions = [name for name in names if inspect.isfunction(found_at(f"{module}.{name}"))]
            blocks.append("\n".join(f"- `{name}`: {summary(found_at(f'{module}.{name}'))}" for name in functions))
        blocks.append(f"<!-- api: {' '.join(f'{module}.{name}' for name in names)} -->")
    return "\n\n".join(blocks) + "\n"


def found_at(path: str) -> Any:
    """Return what a dotted path names."""
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)


def summary(found: Any) -> str:
    """Return the first sentence of a docstring, on one line."""
    first = (inspect.getdoc(found) or "").split("\n\n")[0]
    return " ".join(first.split())
