"""The files of examples/: each format says the same, the scores are the same, and so is the config."""

import json
import shutil
from pathlib import Path

import pytest
from commands import accepted
from places import ROOT, script
from thinc.api import Config

from spacy_nereval.integration.configs import changed_config, new_config
from spacy_nereval.integration.spacy_files import read_docs
from spacy_nereval.io.read import read_files

EXAMPLES = ROOT / "examples"
NAMES = ("gold", "baseline", "improved")
FORMATS = ("jsonl", "spacy", "conll")
BY_HAND = (
    *("container", "gate", "README.md", "config.cfg", "marks.jsonl", "news.jsonl", "news-answers.jsonl"),
    *("notebook.ipynb", "plugin", "tasks.json"),
)
"""What no script writes."""

SCORED = ("spancat-dev.jsonl", "spancat-test.jsonl")
"""What scripts/scored.py writes."""


def words_of_spans(name: str, format: str) -> list[list[tuple[list[str], str]]]:
    """The words and the label of each span, for each document."""
    path = EXAMPLES / f"{name}.{format}"
    documents = [document for document in read_files(path, path) if document]
    return [[(document.text[a:b].split(), label) for a, b, label in document.gold] for document in documents]


@pytest.mark.parametrize("name", NAMES)
def test_a_corpus_has_the_same_spans_in_each_format(name):
    first, *others = (words_of_spans(name, format) for format in FORMATS)
    assert len(first) == 75 and sum(map(len, first)) > 200
    assert others == [first, first]


def result(tmp_path: Path, gold: str, pred: str) -> dict:
    output = tmp_path / "scores.json"
    accepted("score", EXAMPLES / gold, EXAMPLES / pred, "--output", output, "--metrics", METRICS)
    return json.loads(output.read_text(encoding="utf8"))


METRICS = "strict,semeval,slot_error,loio,fair,wrf,char,relaxed,overlap,plagdet,ace"


def test_every_format_gives_the_same_numbers(tmp_path):
    for system in NAMES[1:]:
        first, *others = (result(tmp_path, f"gold.{format}", f"{system}.{format}") for format in FORMATS)
        assert 0.2 < first["metrics"]["strict"]["scores"]["f"] < 0.8
        for other in others:
            assert (other["metrics"], other["documents"]) == (first["metrics"], first["documents"])


def test_the_better_system_is_the_one_of_that_name(tmp_path):
    files = [EXAMPLES / f"{name}.jsonl" for name in NAMES]
    accepted("compare", *files, "--output", tmp_path / "comparison.json", "--metrics", "fair", "--trials", "1000")
    found = json.loads((tmp_path / "comparison.json").read_text(encoding="utf8"))
    (row,) = [row for row in found["comparisons"] if row["score"] == "f"]
    assert row["difference"] > 0.05 and row["p"] < 0.05


def test_the_gold_annotation_is_that_of_the_corpus():
    """But for spans that cut a token, which are extended to the whole token."""
    lines = (ROOT / "assets" / "warranty" / "test.jsonl").read_text(encoding="utf8").splitlines()
    texts = {entry["id"]: entry["text"] for entry in map(json.loads, lines)}
    entries = [json.loads(line) for line in (EXAMPLES / "gold.jsonl").read_text(encoding="utf8").splitlines()]
    assert [entry["text"] for entry in entries] == [texts[entry["id"]] for entry in entries]


def test_the_script_writes_the_files_again(tmp_path, monkeypatch):
    """From the examples themselves, by pipelines that find what is in them."""
    corpus, models = tmp_path / "corpus", tmp_path / "models"
    corpus.mkdir()
    for split, file in (("train", "train"), ("dev", "dev"), ("test", "gold")):
        shutil.copy(EXAMPLES / f"{file}.spacy", corpus / f"{split}.spacy")
    for name in NAMES[1:]:
        (models / name / "model-best").mkdir(parents=True)
    made = script("examples")

    monkeypatch.setattr(made, "predicted", lambda model, _: read_docs(EXAMPLES / f"{model.parent.name}.spacy"))
    made.main(models, corpus, tmp_path / "examples")
    written = {path.name for path in (tmp_path / "examples").iterdir()}
    assert written == {path.name for path in EXAMPLES.iterdir()} - {*BY_HAND, *SCORED}
    for name in written:
        new, old = tmp_path / "examples" / name, EXAMPLES / name
        if new.suffix == ".spacy":
            assert [doc.to_json() for doc in read_docs(new)] == [doc.to_json() for doc in read_docs(old)]
        else:
            assert new.read_bytes() == old.read_bytes()


def test_the_script_names_what_is_missing(tmp_path, capsys):
    with pytest.raises(SystemExit):
        script("examples").main(tmp_path, tmp_path, tmp_path)
    assert capsys.readouterr().err == f"✘ {tmp_path / 'test.spacy'} is not there: python scripts/corpus.py warranty\n"


def test_the_config_is_one_that_the_command_would_make():
    text = (EXAMPLES / "config.cfg").read_text(encoding="utf8")
    assert changed_config(text).text == text
    config, new = (Config().from_str(each, interpolate=False) for each in (text, new_config("en", ["ner"]).text))
    assert {**config["training"], **dict.fromkeys(("max_steps", "eval_frequency"))} == {
        **new["training"], **dict.fromkeys(("max_steps", "eval_frequency"))
    }  # fmt: skip
    assert {**config, "training": 0, "paths": 0} == {**new, "training": 0, "paths": 0}
    assert all((ROOT / config["paths"][split]).is_file() for split in ("train", "dev"))
