"""The command `evaluate`: pipelines on gold annotation."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import accepted, flat, refused, run, tables_in
from docs import doc, write_docs
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus

pytestmark = pytest.mark.costly  # loads a pipeline, in almost every test

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
    printed = accepted("evaluate", model, data, "-o", tmp_path / "out.json", "-t", "scores")
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
    assert re.match(r"4 documents, .* skipped, 1 prediction ignored .*: fair F \(macro\) \d+\.\d \[", flat(printed))
    assert [title.split(" (")[0] for title in tables_in(printed)] == ["Labels", "Verdicts"], "no error is repeated"
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
    assert "fair F 100.00 [" in printed and "; no errors\n" in printed and "Also: strict 100.00" in printed


# Options that the model stores


def with_options(model: Path, tmp_path: Path, **components: dict[str, Any]) -> tuple[Path, Path]:
    """A copy of the model with these components, and gold annotation that their options judge differently."""
    nlp = spacy.load(model)
    nlp.remove_pipe("nereval")
    for name, config in components.items():
        nlp.add_pipe("nereval", name=name, config=config)
    nlp.to_disk(tmp_path / "stored")
    return tmp_path / "stored", write_docs(tmp_path / "gold.spacy", CORPUS)


def scored(tmp_path: Path, *arguments: Any) -> tuple[dict[str, Any], str]:
    """The metrics of `evaluate`, and what it said beside the tables."""
    done = run("evaluate", *arguments, "-o", tmp_path / "out.json")
    assert done.exit_code == 0, done.output
    return json.loads((tmp_path / "out.json").read_text(encoding="utf8"))["metrics"], done.stderr


OWN = {"metrics": {"fair": {"unit": "token", "beta": 2.0}, "muc": {}, "loio": {"s": 0.0}}}


def test_options_are_those_of_the_last_component_that_scores_the_same_spans(model, tmp_path):
    more = {"metrics": {"fair": {"beta": 0.5}}}
    stored, data = with_options(
        model, tmp_path, own=OWN, groups=more | {"ents": False, "spans_keys": ["k"]}, other=more | {"ents": False}
    )
    assert scored(tmp_path, stored, data)[0]["fair"]["settings"]["beta"] == 2.0
    found, _ = scored(tmp_path, stored, data, "-sk", "k")
    assert (found["fair"]["settings"]["unit"], found["fair"]["settings"]["beta"]) == ("char", 0.5)
    assert found["loio"]["settings"]["s"] == 0.75


def test_options_of_a_scorer_are_taken_as_those_of_the_component_are(tmp_path):
    nlp = spacy.blank("en")
    scorer = {"@scorers": "spacy-nereval.ner_scorer.v1", "metrics": {"fair": {"unit": "token"}}}
    nlp.add_pipe("entity_ruler", config={"scorer": scorer}).add_patterns([{"label": "PER", "pattern": "Ada"}])
    spans = {"@scorers": "spacy-nereval.spans_scorer.v1", "metrics": {"fair": {"beta": 2.0}}}
    ruler = nlp.add_pipe("span_ruler", config={"spans_key": "k", "scorer": spans | {"spans_key": "k"}})
    ruler.add_patterns([{"label": "A", "pattern": "Ada"}])
    nlp.to_disk(tmp_path / "stored")
    data = write_docs(tmp_path / "gold.spacy", CORPUS)
    told = f"from the config of {tmp_path / 'stored'}:"
    assert scored(tmp_path, tmp_path / "stored", data)[1] == f'{told} --fair.unit "token"\n'
    assert scored(tmp_path, tmp_path / "stored", data, "-sk", "k")[1] == f"{told} --fair.beta 2.0\n"


# Predictions without annotation


def test_one_prediction_without_annotation_among_others_is_skipped_and_told(tmp_path):
    gold = write_docs(tmp_path / "gold.spacy", [doc("Ada", (0, 1, "PER")), doc("Bob", (0, 1, "PER")), doc("it")])
    pred = write_docs(tmp_path / "pred.spacy", [doc("Ada", annotated=False), doc("Bob", (0, 1, "PER")), doc("it")])
    printed = flat(accepted("score", gold, pred, "-o", tmp_path / "out.json"))
    assert "2 documents, 1 gold span, 1 predicted span, 1 document without annotation skipped" in printed
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf8"))
    assert found["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 0}
    said = refused("compare", gold, pred, gold)
    assert "documents are not in both systems" in said and "predictions without annotation are skipped" in said
