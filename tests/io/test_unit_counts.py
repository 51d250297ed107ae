"""Units of models, scorers and counts: whatever counts documents resamples the same units."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import line, write
from docs import with_data
from spacy.tokens import DocBin
from spacy.training import Example
from thinc.api import ConfigValidationError

from spacy_nereval import Confidence, Counts, Document, count, create, create_all, evaluate
from spacy_nereval.integration.examples import count_examples
from spacy_nereval.integration.pipelines import predict
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer
from spacy_nereval.io.count_files import load, merge, save
from spacy_nereval.io.read import read_files
from spacy_nereval.io.units import AUTOMATIC, parse


def counted(gold: Path, unit: str | None = None, pred: Path | None = None) -> Counts:
    return count(read_files(gold, pred or gold, unit=unit), [create("strict")])


def named(*ids: str) -> list[dict[str, Any]]:
    return [line(f"Ada in {k}", (0, 3, "PER"), id=id) for k, id in enumerate(ids)]


def sentences(path: Path, number: int) -> Path:
    path.write_text("\n".join(f"Ada B-PER\nat O\nno{k} O\n" for k in range(number)))
    return path


# models


def test_gold_documents_of_a_model_have_the_same_units(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    rows = [line("Ada in Rome", (0, 3, "PER"), id=f"{k // 2}-{k}", meta={"source": k % 2}) for k in range(4)]
    files = [
        write(tmp_path / "a.jsonl", *rows),
        tmp_path / "a.spacy",
    ]
    docs = with_data(*({"id": row["id"], "meta": row["meta"]} for row in rows))
    DocBin(docs=docs, store_user_data=True).to_disk(files[1])
    for gold in files:
        for unit, keys in (("meta.source", ["0", "1", "0", "1"]), (r"prefix:(\d)", ["0", "0", "1", "1"])):
            found = count(predict(nlp, gold, unit=unit), [create("strict")])
            assert (found.unit, found.units) == (unit, keys), gold
        with pytest.raises(ValueError, match=r"--unit block:5: .* has 4 documents"):
            [*predict(nlp, gold, unit="block:5")]
        with pytest.raises(ValueError, match=r"document 0: --unit meta.x: the document has no 'x'"):
            [*predict(nlp, gold, unit="meta.x")]
    found = count(predict(nlp, sentences(tmp_path / "a.conll", 40)), [create("strict")])
    assert (found.unit, len({*found.units})) == (AUTOMATIC, 20)


# examples


def examples(*tables: dict[str, Any]) -> list[Example]:
    """Examples with these metadata, of which every third has another tokenisation, and is read as text."""
    found = with_data(*tables)
    predicted = [spacy.blank("en").make_doc(each.text) for each in found]
    for k, each in enumerate(predicted):
        each.set_ents([])
        if k % 3 == 2:
            with each.retokenize() as tokens:
                tokens.merge(each[:2])
    return [Example(a, b) for a, b in zip(predicted, found)]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("unit", "number"),
    [(None, 7), ("id", 7), ("document", 7), ("meta.n", 3), (r"prefix:(\d)", 2), ("block:2", 4), ("block:9", 1)],
)
def test_scorers_and_the_component_resample_the_same_units(unit, number):
    given = examples(*({"id": f"{k // 4}-{k}", "meta": {"n": k // 3}} for k in range(7)))
    table = {"samples": 20, **({"unit": unit} if unit else {})}
    nlp = spacy.blank("en")
    component = nlp.add_pipe("nereval", config={"metrics": {"strict": {}}, "confidence": table})
    for example in given:
        example.reference.spans["sc"] = [*example.reference.ents]
    results = [
        make_ner_scorer({"strict": {}}, table)(given)["ents_nereval"],
        make_spans_scorer({"strict": {}}, "sc", table)(given)["spans_sc_nereval"],
        component.score(given)["ents_nereval"],
    ]
    for found in results:
        assert (found["confidence"]["unit"], found["confidence"]["units"]) == (unit or "id", number)


def test_examples_read_as_arrays_and_as_texts_have_the_same_keys():
    given = examples(*({"meta": {"n": k // 2}} for k in range(7)))
    found = count_examples(given, [create("strict")], unit=parse("meta.n"))
    assert found.units == ["0", "0", "1", "1", "2", "2", "3"]
    blocks = count_examples(given, [create("strict")], unit=parse("block:2")).units
    assert [blocks.index(key) for key in blocks] == [0, 0, 2, 2, 4, 4, 6]


def test_an_example_without_the_field_is_named():
    scorer = make_ner_scorer({"strict": {}}, {"unit": "meta.n"})
    with pytest.warns(UserWarning, match=r"^no intervals: example 2: unit = meta.n: the document has no 'n' in its"):
        found = scorer(examples({"n": 1}, {"n": 1}, {}))
    assert found["ents_nereval"]["documents"] == 3


def test_units_of_a_config_that_do_not_exist_are_shown_as_spacy_shows_mistakes():
    with pytest.raises(ConfigValidationError, match=r"unit = article: there is no such unit; expected id"):
        make_ner_scorer({"strict": {}}, {"unit": "article"})


# counts


def articles(path: Path, number: int = 60, size: int = 8) -> tuple[Path, Path]:
    """Gold and predictions of articles of several sentences: the system is good at some articles, and bad at others."""
    rng = random.Random(0)
    sides: tuple[list[Any], list[Any]] = ([], [])
    for article in range(number):
        skill = rng.choice([0.35, 0.95])
        for k in range(size):
            text, meta = f"Ada {article}", {"article": article}
            for side, found in zip(sides, (True, rng.random() < skill)):
                spans = [(0, 3, "PER")] if found else []
                side.append(line(text, *spans, id=f"a{article}-s{k}", meta=meta))
    return write(path / "gold.jsonl", *sides[0]), write(path / "pred.jsonl", *sides[1])


def recall(counts: Counts) -> tuple[float, float]:
    result = evaluate(counts, Confidence(samples=400))["metrics"]["strict"]
    found = result["intervals"]["scores"]["r"]
    assert found["low"] < result["scores"]["r"] < found["high"]
    return found["low"], found["high"]


def test_intervals_of_whole_articles_are_wider_than_those_of_their_sentences(tmp_path):
    gold, pred = articles(tmp_path)
    widths = {}
    for unit in ("id", "prefix:(.*)-", "meta.article", "block:8"):
        low, high = recall(counted(gold, unit, pred))
        widths[unit] = high - low
    # Articles differ with a standard deviation of .3 in recall, so the design effect is about 1 + 7 * .4.
    assert widths["prefix:(.*)-"] > 1.5 * widths["id"]
    assert widths["block:8"] > 1.5 * widths["id"]
    assert abs(widths["meta.article"] - widths["prefix:(.*)-"]) < 0.3 * widths["prefix:(.*)-"]


@pytest.mark.parametrize("unit", ["id", "document", "meta.article", "prefix:(.*)-"])
def test_no_order_of_the_lines_of_a_file_changes_an_interval(unit, tmp_path):
    gold, pred = articles(tmp_path, 12)
    before = evaluate(counted(gold, unit, pred), Confidence(samples=50))
    order = random.Random(1).sample(range(96), 96)
    for path in (gold, pred):
        lines = path.read_text().splitlines()
        path.write_text("\n".join(lines[k] for k in order))
    assert evaluate(counted(gold, unit, pred), Confidence(samples=50)) == before


def test_the_rule_stands_in_the_signature_and_in_the_settings_of_the_intervals(tmp_path):
    gold = write(tmp_path / "a.jsonl", *named("a", "b", "c"))
    result = evaluate(counted(gold, "block:2"), Confidence(samples=20))
    assert (result["confidence"]["unit"], result["confidence"]["units"]) == ("block:2", 2)
    assert ",unit:block:2" in result["signature"]
    assert ",unit:id" in evaluate(counted(gold), Confidence(samples=20))["signature"]


def test_count_files_keep_rule_and_units_and_other_rules_do_not_merge(tmp_path):
    parts = []
    for name, unit in (("a", "block:2"), ("b", "block:2"), ("c", "id"), ("d", "block:3")):
        found = counted(write(tmp_path / f"{name}.jsonl", *named(*(f"{name}{k}" for k in range(4)))), unit)
        save(found, tmp_path / f"{name}.npz")
        again = load(tmp_path / f"{name}.npz")
        assert (again.unit, again.units) == (found.unit, found.units)
        parts.append(tmp_path / f"{name}.npz")
    assert len({*merge(parts[:2]).units}) == 4
    for other, said in ((parts[2], "id"), (parts[3], "block:3")):
        with pytest.raises(ValueError, match=rf"cannot be merged: one resamples by block:2, the other by {said}"):
            merge([parts[0], other])


def test_files_counted_together_by_different_rules_say_so(tmp_path):
    files = sentences(tmp_path / "a.conll", 40), write(tmp_path / "b.jsonl", *named("b"))
    for order in (files, files[::-1]):
        found = count((document for file in order for document in read_files(file, file)), create_all(["strict"]))
        assert found.unit == "block:auto and id"


def test_a_document_made_by_hand_may_name_its_unit():
    docs = [Document([(0, 1, "A")], [], id="a"), Document([(0, 1, "A")], [], id="b")]
    docs[1].unit = "a"
    assert count(docs, [create("strict")]).units == ["a", "a"]
