"""The files and the pipeline that several tests of commands work on."""

from pathlib import Path

import pytest
import spacy
from collapsing import write_corpora
from commands import GOLD, GOLD_DOCS, PRED, PRED_DOCS, write
from docs import write_docs


@pytest.fixture
def here(tmp_path) -> Path:
    """A directory with gold and predictions in both formats."""
    write(tmp_path / "gold.jsonl", *GOLD)
    write(tmp_path / "pred.jsonl", *PRED)
    write_docs(tmp_path / "gold.spacy", GOLD_DOCS)
    write_docs(tmp_path / "pred.spacy", PRED_DOCS)
    return tmp_path


@pytest.fixture
def files(tmp_path, monkeypatch) -> None:
    """The files of `collapsing.write_corpora` in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_corpora()


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    """A pipeline of rules that finds entities and spans of a group."""
    nlp = spacy.blank("en")
    patterns = [{"label": "PER", "pattern": name} for name in ("Ada", "Bob", [{"TEXT": "Eve,"}])]
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    nlp.add_pipe("span_ruler", config={"spans_key": "k"}).add_patterns([{"label": "A", "pattern": "Ada"}])
    nlp.add_pipe("nereval", config={"spans_keys": ["k"]})
    path = tmp_path_factory.mktemp("models") / "ruler"
    nlp.to_disk(path)
    return path
