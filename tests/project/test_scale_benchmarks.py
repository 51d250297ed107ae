"""The benchmarks of memory and scale run, and what they say follows from what they measured."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import spacy
from benchmarked import cells, importable, markdown, on_linux  # noqa: F401  # `importable` is a fixture
from docs import doc, write_docs
from spacy.language import Language
from spacy.tokens import Span

from spacy_nereval import count, create_all
from spacy_nereval.integration import pipelines

# Memory


@pytest.mark.slow
@on_linux
def test_memory_is_measured_and_shown(tmp_path, monkeypatch, capsys):
    """Here all cases in one process, but for a last one."""
    memory, last = import_module("memory"), {}
    in_process = memory.in_process

    def here(case: str, folder: Path) -> dict[str, int]:
        if case == memory.CASES[-1] and folder.name == "300":
            last.update(in_process(case, folder))
        return memory.measured(case, folder)

    monkeypatch.setattr(memory, "in_process", here)
    memory.main(sizes=[300, 20], tokens=12, output=tmp_path / "memory.json", case="", folder=Path())
    found = json.loads((tmp_path / "memory.json").read_text("utf8"))
    assert capsys.readouterr().out.rstrip("\n") == memory.markdown(found)
    rows = {row["case"]: row for row in found["rows"]}
    assert [*rows] == [*memory.CASES]
    assert all([*row["peak_mb"]] == ["20", "300"] for row in rows.values())
    counts = {case: row["of_counts"] for case, row in rows.items()}
    assert counts["jsonl"] == counts["spacy"] == counts["replicates"] > 0
    assert counts["jsonl and a pipeline"] == counts["spacy and a pipeline"] == counts["shards and a pipeline"] > 0
    assert last["peak"] > last["counts"] > 300 * 40  # a row at least


def test_bytes_that_a_document_adds_are_shown_beside_those_of_its_counts():
    rows = [{"case": "jsonl", "peak_mb": {"10": 0.4, "2000": 7.6}, "bytes_per_document": 1234, "of_counts": 405}]
    about = {"machine": "m", "python": "3", "spacy": "3.8"}
    assert cells(markdown("memory.py", {"about": about, "tokens": 40, "rows": rows})) == [
        ["case", "10 documents, MB", "2,000 documents, MB", "bytes that a document adds", "of these its counts"],
        ["---", "---:", "---:", "---:", "---:"],
        ["jsonl", "0", "8", "1,234", "405"],
    ]


def test_a_pipeline_forgets_on_its_way_the_words_that_were_new_to_it(tmp_path, monkeypatch):
    """But not those of its first documents, with which components may have set themselves up."""
    noted: dict[str, int] = {}

    def tag(doc):
        label = noted.setdefault("label", doc.vocab.strings.add("PER"))
        doc.set_ents([Span(doc, 2, 3, label=label)])
        return doc

    monkeypatch.setattr(pipelines, "FORGOTTEN", 2)
    Language.component("tag_of_test", func=tag)
    nlp = spacy.blank("en")
    nlp.add_pipe("tag_of_test")
    nlp.batch_size, known, documents = 1, [], []
    data = write_docs(tmp_path / "data.spacy", [doc(f"unheard{k} of Ada", (0, 1, "ORG")) for k in range(7)])
    for document in pipelines.predict(nlp, data):
        known.append(sum(string.startswith("unheard") for string in nlp.vocab.strings))
        documents.append(document)
    assert known == [1, 2, 3, 4, 3, 4, 3]
    # Nothing that was forgotten is asked for.
    assert [(d.text, d.gold, d.pred) for d in documents] == [
        (f"unheard{k} of Ada", ((0, 8, "ORG"),), ((12, 15, "PER"),)) for k in range(7)
    ]
    assert count(documents, create_all()).pred == 7
    # Of the next file nothing is kept.
    more = write_docs(tmp_path / "more.spacy", [doc(f"unknown{k} of Ada", (0, 1, "ORG")) for k in range(3)])
    assert len(list(pipelines.predict(nlp, more))) == 3
    assert not any(string.startswith("unknown") for string in nlp.vocab.strings)
    with nlp.memory_zone():  # which must not be nested
        assert len(list(pipelines.predict(nlp, more))) == 3
        assert "unknown0" in nlp.vocab.strings


# Scale


@pytest.mark.slow
@on_linux
def test_the_cost_of_a_document_is_measured_and_shown(tmp_path, monkeypatch, capsys):
    """Here the merging of all counts in this process, and that of half of them in one of its own, as usual."""
    scale = import_module("scale")
    in_process, peaks = scale.in_process, []

    def here(paths: list[Path]) -> dict[str, int]:
        peaks.append(scale.driver(paths) if len(paths) > 1 else in_process(paths))
        return peaks[-1]

    monkeypatch.setattr(scale, "in_process", here)
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}, {"label": "LOC", "pattern": "Bob"}])
    for folder in ("ruler", "people"):
        (tmp_path / folder).mkdir()
    nlp.to_disk(tmp_path / "ruler" / "model-best")
    texts = [doc("Ada met Bob", (0, 1, "PER"), (2, 3, "PER")), doc("nobody came .")]
    data = write_docs(tmp_path / "people" / "test.spacy", texts)
    sizes = {"shards": 3, "documents": 10, "samples": 4}
    scale.main([str(tmp_path / "ruler" / "model-best")], data, **sizes, output=tmp_path / "scale.json", drive=False)
    found = json.loads((tmp_path / "scale.json").read_text("utf8"))
    assert capsys.readouterr().out.rstrip("\n") == scale.markdown(found)
    assert {name: found["about"][name] for name in sizes} == sizes
    assert [each["pipeline"] for each in found["predicting"]] == ["ruler"]
    assert found["predicting"][0]["microseconds_per_document"] > 0
    people, large = found["corpora"]
    assert [people[what] for what in ("name", "tokens", "entities", "labels")] == ["people", 3, 1, 2]
    assert (large["tokens"], large["entities"]) == (200, 15)
    for corpus in (people, large):
        assert all(corpus["microseconds_per_document"][step] > 0 for step in ("files", "replicating", "merging"))
        assert all(corpus["bytes_per_document"][what] > 0 for what in ("rows", "id", "in_file"))
        assert corpus["replicates"]["megabytes"] > 0
    assert len(peaks) == 4 and all(0 < peak["merging"] <= peak["scoring"] for peak in peaks)


def costs() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """3.6 microseconds for a document are an hour for 10^9."""
    steps = {"files": 36, "counting": 7.2, "replicating": 3.6, "writing": 3.6, "merging": 1.8, "scoring": 3.6}
    corpus = {
        "name": "c",
        "tokens": 30,
        "entities": 4.5,
        "labels": 2,
        "microseconds_per_document": steps,
        "bytes_per_document": {"rows": 800, "id": 60, "in_file": 50, "merging": 2000, "scoring": 4000},
        "replicates": {
            "megabytes": 1.5,
            "megabytes_in_file": 0.5,
            "milliseconds_to_merge_a_file": 180,  # of each of 10,000: half an hour
            "seconds_to_intervals": 360,
        },
    }
    return corpus, [{"pipeline": "p", "microseconds_per_document": 3600, "seconds_to_load": 0}]


def test_what_many_documents_cost_is_shared_by_the_workers():
    head, rows = import_module("scale").hours(*costs())
    assert head == ["hours", "one processor", "16 workers", "256 workers", "4,096 workers"]
    assert rows == [
        ["predict: p", "1,000.0", "62.5", "3.9", "0.24"],
        ["count", "2.0", "0.12", "0.01", "0.00"],
        ["add up half-samples", "1.0", "0.06", "0.00", "0.00"],
        ["write the counts", "1.0", "0.06", "0.00", "0.00"],
        ["read predictions from files, and count", "10.0", "0.62", "0.04", "0.00"],
    ]
