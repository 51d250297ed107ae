"""The metric "seqeval" of Hugging Face's `evaluate`: the same keys and the same numbers.

from spacy_nereval.compat.evaluate import compute
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .seqeval import ZeroDivision, accuracy_score, classification_report


def compute(
    *,
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    suffix: bool = False,
    scheme: Any = None,
    mode: str | None = None,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
) -> dict[str, Any]:
    """Return the scores of each label, and those of all labels together.

    Args:
        predictions: The predicted tags of each sentence.
        references: The gold tags.
        suffix, scheme, mode, sample_weight, zero_division: As for `compat.seqeval.classification_report`.

    Returns:
        Each label with its precision, recall, f1 and number of gold spans; `overall_precision`,
        `overall_recall`, `overall_f1` and `overall_accuracy`, from 0 to 1.

    Raises:
        ValueError: As for `compat.seqeval.classification_report`.

    >>> scores = compute(predictions=[["B-PER", "O"]], references=[["B-PER", "O"]])
    >>> scores["PER"], scores["overall_f1"]
    ({'precision': 1.0, 'recall': 1.0, 'f1': 1.0, 'number': 1}, 1.0)
    """
    # `evaluate` turns its input into lists, and seqeval's strict mode takes nothing else.
    report = classification_report(
        y_true=[tags if isinstance(tags, str) else [*tags] for tags in references],
        y_pred=[tags if isinstance(tags, str) else [*tags] for tags in predictions],
        suffix=suffix,
        output_dict=True,
        scheme=scheme,
        mode=mode,
        sample_weight=sample_weight,
        zero_division=zero_division,
    )
    assert isinstance(report, dict)
    nothing = {"precision": 0.0, "recall": 0.0, "f1-score": 0.0}
    overall = report.get("micro avg", nothing)
    labels = {name: row for name, row in report.items() if name not in ("micro avg", "macro avg", "weighted avg")}
    return {
        **{
            name: {
                "precision": row["precision"],
                "recall": row["recall"],
                "f1": row["f1-score"],
                "number": row["support"],
            }
            for name, row in labels.items()
        },
        "overall_precision": overall["precision"],
        "overall_recall": overall["recall"],
        "overall_f1": overall["f1-score"],
        "overall_accuracy": accuracy_score(references, predictions),
    }
