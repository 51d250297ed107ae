"""Count files for the tests that damage them."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import corpus
from stored_counts import stored

from spacy_nereval import Document


@pytest.fixture
def file(tmp_path) -> Path:
    return stored([*corpus(3), Document([(0, 3, "A")], [(0, 2, "A")], "abc")], tmp_path / "a.npz")


@pytest.fixture
def with_replicates(tmp_path) -> Path:
    return stored(corpus(4), tmp_path / "replicates.npz", replicates=3)
