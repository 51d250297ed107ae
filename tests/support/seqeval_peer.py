"""seqeval, imported by the first test that asks it: it imports scikit-learn, which takes longer than asking."""

from typing import Any

import pytest

asks_seqeval = pytest.mark.costly
"""Marks a test that is too slow for the quick tests."""


def report(gold: list[list[str]], pred: list[list[str]], scheme: str | None = None, **options: Any) -> dict[str, Any]:
    """Its scores, overall, as averages and per label. Those that are undefined are 0."""
    import seqeval.metrics
    import seqeval.scheme

    named = {"scheme": getattr(seqeval.scheme, scheme)} if scheme else {}
    return seqeval.metrics.classification_report(gold, pred, output_dict=True, zero_division=0, **named, **options)


def spans(tags: list[str]) -> list[tuple[str, int, int]]:
    """Label, first and last place of every span that conlleval reads."""
    from seqeval.metrics.sequence_labeling import get_entities

    return get_entities(tags)


def whole_spans(tags: list[str], scheme: str) -> list[tuple[str, int, int]]:
    """Label, first and last place of every span that its strict mode reads."""
    import seqeval.scheme

    (found,) = seqeval.scheme.Entities([tags], getattr(seqeval.scheme, scheme)).entities
    return [(entity.tag, entity.start, entity.end - 1) for entity in found]
