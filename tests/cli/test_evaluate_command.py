"""The command `evaluate`: pipelines on gold annotation."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import accepted, flat, refused, tables_in
from docs import doc, write_docs
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus

CORPUS = [
    doc("Ada Lovelace met Bob .", (0, 2, "PER"), (3, 4, "PER"), spans={"k": [(0, 1, "A"), (3, 4, "A")]}),
    doc("Rome", (0, 1, "LOC")),
    doc("Ada", annotated=False),
    doc("Ada, Bob", (1, 2, "PER"), missing=[(0, 1)]),
    doc("nothing|_|here"),
]


def evaluated(nlp: Language, data: Path, key: str = "ents") -> dict[str, Any]:
    """What `spacy evaluate` would say."""
    return nlp.evaluate(list(Corpus(data)(nlp)))[f"{key}_nereval"]


def test_evaluate_says_what_the_pipeline_says_of_itself(model, tmp_path):
    data = write_docs(tmp_path / "gold.spacy", CORPUS)
    printed = accepted("evaluate", model, data, "-o", tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf8"))
    assert written == evaluated(spacy.load(model), data)
    assert (written["documents"], written["skipped"], written["ignored"]) == (4, 1, 1)
    assert "4 documents, 4 gold spans, 3 predicted spans, 1 document without annotation skipped" in flat(printed)
    f = 100 * written["metrics"]["strict"]["scores"]["f"]
    assert tables_in(printed)["Scores (micro)"][0][-1] == f"{f:.2f}"


def test_evaluate_scores_span_groups_too(model, tmp_path):
    data = write_docs(tmp_path / "gold.spacy", CORPUS)
    accepted("evaluate", model, data, "-sk", "k", "-o", tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf8"))
    assert written == evaluated(spacy.load(model), data, "spans_k")
    assert written["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1}


def test_evaluate_takes_the_options_of_score(model, tmp_path):
    data = write_docs(tmp_path / "gold.spacy", CORPUS)
    printed = accepted("evaluate", model, data, "-m", "fair", "--fair.unit", "token", "-a", "macro", "-d", "1")
    titles = ["Scores (macro)", "Per label", "Verdicts (fair)", "Error pairs (fair; in the text [gold], {predicted})"]
    titles += [
        "Confusion matrix (fair, errors only; gold in rows, predicted in columns)",
        "Documents (the worst first)",
    ]
    assert list(tables_in(printed)) == titles
    assert "fair:unit=token" in printed


def test_evaluate_keeps_the_tokens_of_a_corpus_whose_spaces_are_unknown(model, tmp_path):
    """As `spacy evaluate` does; what `spacy convert` makes of IOB and CoNLL files is of this kind."""
    gold = Doc(spacy.blank("en").vocab, words=["Eve,", "Bob"], ents=["B-PER", "O"])
    assert gold.has_unknown_spaces
    data = write_docs(tmp_path / "gold.spacy", [gold])
    accepted("evaluate", model, data, "-o", tmp_path / "out.json")
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf8"))
    wanted = evaluated(spacy.load(model), data)
    assert wanted["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 1, "fn": 0}
    assert written["metrics"]["strict"]["counts"] == wanted["metrics"]["strict"]["counts"]


def test_evaluate_imports_code_that_the_pipeline_needs(tmp_path):
    name = "first_is_person_for_the_test"
    code = tmp_path / "own.py"
    code.write_text(
        "from spacy.language import Language\n"
        f"@Language.component('{name}')\n"
        "def find(doc):\n"
        "    doc.ents = [doc.char_span(0, len(doc[0]), 'PER')]\n"
        "    return doc\n"
    )
    nlp = spacy.blank("en")
    nlp.add_pipe("merge_entities", name=name)
    nlp.to_disk(tmp_path / "model")
    config = tmp_path / "model" / "config.cfg"
    config.write_text(config.read_text(encoding="utf8").replace('"merge_entities"', f'"{name}"'), encoding="utf8")
    data = write_docs(tmp_path / "gold.spacy", [doc("Ada", (0, 1, "PER"))])
    assert name in refused("evaluate", tmp_path / "model", data)
    printed = accepted("evaluate", tmp_path / "model", data, "--code", code)
    assert tables_in(printed)["Scores (micro)"][0] == ["strict", "100.00", "100.00", "100.00"]


@pytest.mark.parametrize(
    "name, data, messages",
    [
        ("no_such_model", "gold.spacy", ["E050", "no_such_model"]),
        ("{here}/nowhere", "gold.spacy", ["E050", "nowhere"]),
        ("{here}", "gold.spacy", ["E053"]),
        ("{model}", "nowhere.spacy", ["nowhere.spacy does not exist or is not a file"]),
        ("{model}", "nowhere.jsonl", ["nowhere.jsonl does not exist or is not a file"]),
        ("{model}", "plain.spacy", ["none of the 1 gold documents is annotated"]),
        ("{model}", "empty.spacy", ["there are no documents to score"]),
    ],
)
def test_what_evaluate_cannot_use_is_named(here, model, name, data, messages):
    write_docs(here / "plain.spacy", [doc("a", annotated=False)])
    write_docs(here / "empty.spacy", [])
    before = set(os.listdir(here))
    said = refused("evaluate", name.format(here=here, model=model), here / data, "-o", here / "out.json")
    assert [message for message in messages if message not in said] == []
    assert set(os.listdir(here)) == before


def test_evaluate_checks_the_options_before_it_loads_the_model(here):
    assert "no metric" in refused("evaluate", "no_such_model", here / "gold.spacy", "-m", "fare")
    assert "--average mean" in refused("evaluate", "no_such_model", here / "gold.spacy", "-a", "mean")
