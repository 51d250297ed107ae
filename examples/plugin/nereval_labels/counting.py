"""How often each label occurs."""

from collections import Counter
from pathlib import Path

from spacy_nereval import load


def label_counts(path: str | Path) -> dict[str, int]:
    """Return how often each label occurs in an annotated file, the most frequent first."""
    counts = Counter(label for record in load(path) for _, _, label in record.spans)
    return dict(counts.most_common())
