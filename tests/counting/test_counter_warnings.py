"""What counting tells of spans that take long."""

from __future__ import annotations

import warnings

import pytest

from spacy_nereval import Document, count, create
from spacy_nereval.counting import counter


def crowd(gold: int, pred: int) -> Document:
    """Spans that all overlap, none with the boundaries of another one."""
    return Document([(k, 500, "A") for k in range(gold)], [(k, 600, "A") for k in range(pred)], id="d1")


def test_many_spans_that_overlap_one_another_are_told_with_their_document(monkeypatch):
    monkeypatch.setattr(counter, "CROWDED", 12)
    with pytest.warns(UserWarning, match="4 gold and 3 predicted spans of document d1 overlap one another"):
        count([crowd(4, 3)], [create("fair")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        count([crowd(3, 3), crowd(11, 1)], [create("fair")])
