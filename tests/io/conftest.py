"""Count files for the tests that damage them."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up import corpus
from stored_counts import FAIR, stored, stored_collapsed

from spacy_nereval import Document


@pytest.fixture
def file(tmp_path) -> Path:
    return stored([*corpus(3), Document([(0, 3, "A")], [(0, 2, "A")], "abc")], tmp_path / "a.npz", FAIR)


@pytest.fixture
def halves(tmp_path) -> Path:
    return stored(corpus(4), tmp_path / "replicates.npz", replicates=3)


@pytest.fixture
def collapsed(tmp_path) -> Path:
    return stored_collapsed(corpus(12), tmp_path / "collapsed.npz", shard="12" * 16)
