"""`compute_metrics` for the Trainer of Hugging Face. Runs without transformers, on made-up logits."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from spacy_nereval import score

ID2LABEL = {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC", 4: "I-LOC"}
"""As in the model's config: `model.config.id2label`."""


def compute_metrics(prediction: Iterable[Any]) -> dict[str, float]:
    """Return scores for `Trainer(..., compute_metrics=compute_metrics)`, which adds "eval_" to their names.

    Args:
        prediction: The `EvalPrediction`: logits [texts, tokens, labels], and label ids [texts, tokens], which are -100
            where nothing is scored: at special tokens, padding, and the parts of a word after the first.
    """
    logits, labels = prediction
    result = score(labels, logits, ["strict", "fair"], tag_names=ID2LABEL, repair="conll")
    return result.flat()


def made_up_prediction(texts: int = 40, tokens: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return logits and label ids as the Trainer gives them: both padded, the labels with -100."""
    drawn = np.random.default_rng(seed)
    labels = drawn.choice(len(ID2LABEL), size=(texts, tokens), p=[0.6, 0.15, 0.05, 0.15, 0.05])
    inside = {2: (1, 2), 4: (3, 4)}  # a gold span begins with B
    for row in labels:
        for k, label in enumerate(row):
            if label in inside and (k == 0 or row[k - 1] not in inside[label]):
                row[k] = label - 1
    logits = drawn.normal(size=(texts, tokens, len(ID2LABEL)))
    logits[np.arange(texts)[:, None], np.arange(tokens), labels] += 2  # a model that is often right
    lengths = drawn.integers(4, tokens, size=texts)
    padding = np.arange(tokens) >= lengths[:, None]
    padding[:, 0] = True  # [CLS]
    labels[padding], logits[padding] = -100, -100
    return logits, labels


if __name__ == "__main__":
    for name, value in compute_metrics(made_up_prediction()).items():
        print(f"{name} {value:.4f}")
