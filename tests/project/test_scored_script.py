"""A span categoriser's spans with their scores: the script that writes them, and the project's command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from pages import Parsed
from project_runs import copied, run
from project_scripts import script
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_nereval.integration.spacy_files import read_docs

scored = script("scored")
TEXTS = ("oil pump leaks", "the 😀 seal is worn")
LABELS = ("PART", "STATE")


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A span categoriser with random weights, which proposes all stretches of one and two tokens."""
    nlp = spacy.blank("en")
    config: dict[str, Any] = {
        "threshold": 0.5,
        "suggester": {"@misc": "spacy.ngram_range_suggester.v1", "min_size": 1, "max_size": 2},
    }
    spancat = nlp.add_pipe("spancat", config=config)
    for label in LABELS:
        spancat.add_label(label)
    docs = [nlp.make_doc(text) for text in TEXTS]
    for doc in docs:
        doc.spans["sc"] = [spacy.tokens.Span(doc, 0, 1, label) for label in LABELS]
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    folder = tmp_path_factory.mktemp("model") / "model-best"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> Path:
    nlp = spacy.blank("en")
    docs = [nlp.make_doc(text) for text in TEXTS]
    docs[0].user_data["id"] = "first"
    path = tmp_path_factory.mktemp("texts") / "texts.spacy"
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    return path


def written(model: Path, texts: Path, folder: Path, floor: float) -> list[dict[str, Any]]:
    scored.main(model, texts, folder / "new" / "out.jsonl", floor)
    return [json.loads(line) for line in (folder / "new" / "out.jsonl").read_text(encoding="utf8").splitlines()]


def test_every_stretch_has_a_score_for_each_label_whatever_the_threshold_of_the_pipeline(model, texts, tmp_path):
    lines = written(model, texts, tmp_path, 0.0)
    assert [(line["id"], line["text"]) for line in lines] == [("first", TEXTS[0]), ("1", TEXTS[1])]
    assert [len(line["spans"]) for line in lines] == [2 * (3 + 2), 2 * (5 + 4)]
    nlp = spacy.load(model)
    nlp.get_pipe("spancat").cfg["threshold"] = 0.0
    for line, doc in zip(lines, read_docs(texts)):
        found = nlp(doc.text)
        group = found.spans["sc"]
        wanted = {
            (span.start_char, span.end_char, span.label_): round(float(score), 4)
            for span, score in zip(group, group.attrs["scores"])
        }
        assert {(s["start"], s["end"], s["label"]): s["score"] for s in line["spans"]} == wanted


def test_no_span_has_a_score_below_the_floor(model, texts, tmp_path):
    values = [span["score"] for line in written(model, texts, tmp_path, 0.0) for span in line["spans"]]
    floor = sorted(values)[len(values) // 2] - 1e-3
    kept = [span["score"] for line in written(model, texts, tmp_path, floor) for span in line["spans"]]
    assert 0 < len(kept) < len(values) and min(kept) >= floor
    assert sorted(kept) == sorted(value for value in values if value >= floor)


def test_a_pipeline_without_a_span_categoriser_is_refused(texts, tmp_path, capsys):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(SystemExit):
        scored.main(tmp_path / "blank", texts, tmp_path / "out.jsonl", 0.0)
    assert "has no component spancat" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


def test_a_corpus_can_have_its_entities_as_a_span_group_too(tmp_path):
    script("corpus").main("warranty", tmp_path, 20, "sc")
    docs = [*read_docs(tmp_path / "dev.spacy")]
    assert [[*doc.spans["sc"]] for doc in docs] == [[*doc.ents] for doc in docs]
    assert sum(len(doc.ents) for doc in docs) > 20


@pytest.mark.slow
def test_the_projects_command_trains_writes_scores_and_makes_the_page(tmp_path):
    few = ["--vars.limit", "4", "--vars.cpu_epochs", "1"]
    done = run(copied(tmp_path), "project", "run", "thresholds", ".", *few)
    assert done.returncode == 0, done.stdout + done.stderr
    made = tmp_path / "metrics" / "warranty"
    result = json.loads((made / "thresholds.json").read_text(encoding="utf8"))
    assert result["documents"] == result["applied"]["documents"] == 4
    page = Parsed((made / "thresholds.html").read_text(encoding="utf8"))
    assert "Chosen on dev.spacy, applied to " in page.text and "Chosen on 4 documents" in page.text
    assert page.row("the chosen cut") and (made / "cuts.json").is_file()
