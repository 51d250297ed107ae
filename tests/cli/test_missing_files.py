"""Errors say where files and pipelines come from that the documentation names and that are not here."""

from __future__ import annotations

import pytest
from commands import GOLD, refused, write

CLONE = "run the command in the folder of a clone"
TRAIN = "'python -m spacy train examples/config.cfg --output training/example'"


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        (["score", "examples/gold.jsonl", "examples/improved.jsonl"], CLONE),
        (["errors", "gold.jsonl", "examples/improved.jsonl"], CLONE),
        (["compare", "examples/gold.spacy", "examples/baseline.spacy", "examples/improved.spacy"], CLONE),
        (["score", "corpus/warranty/test.spacy", "gold.jsonl"], "'python -m spacy project run corpus' makes it"),
        (["evaluate", "training/example/model-best", "gold.jsonl"], TRAIN),
        (["detach", "training/example/model-best", "new"], TRAIN),
        (["datasets", "metrics/warranty/comparison.json"], "'python -m spacy project run all' makes it"),
    ],
)
def test_a_missing_file_is_named_with_where_it_comes_from(tmp_path, monkeypatch, command, remedy):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.jsonl", *GOLD)
    said = refused(*command)
    assert said.endswith(remedy) and ("does not exist" in said or "No such file" in said)
    assert not (tmp_path / "new").exists()


def test_other_files_have_no_remedy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused("score", "gold.jsonl", "pred.jsonl") == "✘ gold.jsonl does not exist or is not a file"
