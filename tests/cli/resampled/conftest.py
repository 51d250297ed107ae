"""A directory with gold annotation and two systems' predictions, and a pipeline of rules."""

from pathlib import Path

import pytest
import spacy
from two_systems import filled


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    """A pipeline of one rule, that knows some of the entities."""
    path = tmp_path_factory.mktemp("models") / "rules"
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "A", "pattern": "ab"}, {"label": "B", "pattern": "ba c"}])
    nlp.to_disk(path)
    return path


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """Such a directory, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    return filled(tmp_path)
