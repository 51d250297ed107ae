"""The corpus, the pipelines and the predictions that the tests of shards work on."""

import shutil
from pathlib import Path

import pytest
import spacy
from commands import line, write
from corpora import corpus  # noqa: F401  # a fixture
from docs import write_docs
from sharded import CODE, SHARDS, sentences

from spacy_nereval.core.plugins import import_code


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """A pipeline, a corpus in four files, the same in one, and predictions."""
    folder = tmp_path_factory.mktemp("corpus")
    nlp = spacy.blank("en")
    patterns = [("PER", "Ada"), ("PER", "Bob"), ("LOC", "Rome"), ("LOC", "Oslo"), ("PER", "Bern")]
    ruler = nlp.add_pipe("span_ruler", name="entity_ruler", config={"spans_key": "sc", "annotate_ents": True})
    ruler.add_patterns([{"label": label, "pattern": name} for label, name in patterns])
    (folder / "training").mkdir()
    nlp.to_disk(folder / "training" / "model-best")
    (folder / "code.py").write_text(CODE)
    import_code(folder / "code.py")
    nlp.add_pipe("mortal")
    nlp.to_disk(folder / "mortal")
    for name in ("shards", "gold", "pred"):
        (folder / name).mkdir()
    for name in SHARDS:
        letter = Path(name).stem
        write_docs(folder / name, sentences(letter))
        for side, found in (("gold", sentences(letter)), ("pred", list(nlp.pipe(map(str, sentences(letter)))))):
            rows = (
                line(text.text, *((e.start_char, e.end_char, e.label_) for e in text.ents), id=f"{letter} {number}")
                for number, text in enumerate(found)
            )
            write(folder / side / f"{letter}.jsonl", *rows)
    write_docs(folder / "whole.spacy", [text for name in SHARDS for text in sentences(Path(name).stem)])
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch) -> Path:
    """A copy of all that, to work in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
