"""The benchmarks run, and show what they measured. Nothing here depends on the clock.

That the pages show the tables of the kept figures, `test_what_repeats_the_code_is_current` says.
"""

import doctest
import gc
import json
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import spacy
from docs import doc, write_docs
from places import ROOT
from processes import LEAN, with_path

BENCHMARKS = ROOT / "benchmarks"

# There is no other way to a peak that does not count the process that started this one.
on_linux = pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="resident memory is read as Linux has it")


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The scripts import each other, and what they start does without torch, which they do not use."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setenv("PYTHONPATH", with_path(LEAN))


def shown(file: Path, module: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What a benchmark has written, which it also printed as the documentation shows it."""
    found: dict[str, Any] = json.loads(file.read_text("utf8"))
    assert capsys.readouterr().out.rstrip("\n").endswith(import_module(module).markdown(found))
    return found


# They run, and show what they measured


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:No predicted label is a gold label")  # random words have other entities
def test_speed_is_measured_and_shown(tmp_path, monkeypatch, capsys):
    # The other sides of the comparison; the extra `test` brings them, so that the nightly run never skips this.
    if missing := [name for name in ("nervaluate", "seqeval") if not find_spec(name)]:
        pytest.skip(f"the extra bench is not installed: {missing}")
    monkeypatch.setattr(import_module("workloads"), "DATA", tmp_path / "none")  # what is not everywhere
    module = import_module("run")
    gc.freeze()  # garbage is collected before each side is timed: what is imported by now is none
    module.main(rounds=1, scale=0.001, output=tmp_path / "results.json")
    found, table = shown(tmp_path / "results.json", "table", capsys), import_module("table")
    names = {corpus["name"] for corpus in found["corpora"]} | set(found["left_out"])
    # A real pipeline is measured where one is installed.
    assert sorted(names - {"nlp.evaluate", table.FEW_SHORT}) == [
        "18 labels",
        "4 labels",
        "GermEval 2014",
        "WNUT17 test",
    ]
    for corpus, labels in zip(found["corpora"], (4, 18), strict=True):
        assert (corpus["documents"], corpus["entities"]) == (2, 30) and 4 <= corpus["labels"] <= labels
        assert all(len(times) == 1 and times[0] > 0 for times in corpus["seconds"].values())
    assert found["goals"] == table.reached(found)
    # What is added to an evaluation is a difference, which is lost in the noise of so small a corpus.
    assert all(row["value"] > 0 for row in found["goals"] if "nlp.evaluate" not in row["what"])


@pytest.mark.nightly
@pytest.mark.slow
@on_linux
def test_memory_and_the_cost_of_a_document_are_measured_and_shown(tmp_path, monkeypatch, capsys):
    """Here by this process, but for a case of few documents, and for merging half of the counts."""
    memory, scale, peaks = import_module("memory"), import_module("scale"), []
    own_process = memory.in_process

    def measured(case: str, folder: Path) -> dict[str, int]:
        return (own_process if (case, folder.name) == ("jsonl", "20") else memory.measured)(case, folder)

    monkeypatch.setattr(memory, "in_process", measured)
    memory.main(sizes=[300, 20], tokens=12, output=tmp_path / "memory.json", case="", folder=Path())
    rows = {row["case"]: row["of_counts"] for row in shown(tmp_path / "memory.json", "memory", capsys)["rows"]}
    assert [*rows] == [*memory.CASES]
    assert rows["jsonl"] == rows["spacy"] == rows["replicates"] > 0
    assert rows["jsonl and a pipeline"] == rows["spacy and a pipeline"] == rows["shards and a pipeline"] > 0

    in_process = scale.in_process

    def here(paths: list[Path]) -> dict[str, int]:
        peaks.append(scale.driver(paths) if len(paths) > 1 else in_process(paths))
        return peaks[-1]

    monkeypatch.setattr(scale, "in_process", here)
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}, {"label": "LOC", "pattern": "Bob"}])
    for folder in ("ruler", "people"):
        (tmp_path / folder).mkdir()
    nlp.to_disk(tmp_path / "ruler" / "model-best")
    data = write_docs(tmp_path / "people" / "test.spacy", [doc("Ada met Bob", (0, 1, "PER"), (2, 3, "PER")), doc(".")])
    sizes = {"shards": 3, "documents": 10, "samples": 4}
    scale.main([str(tmp_path / "ruler" / "model-best")], data, **sizes, output=tmp_path / "scale.json", drive=False)
    found = shown(tmp_path / "scale.json", "scale", capsys)
    assert [each["pipeline"] for each in found["predicting"]] == ["ruler"]
    for corpus, (tokens, entities) in zip(found["corpora"], [(2, 1), (200, 15)], strict=True):
        assert (corpus["tokens"], corpus["entities"]) == (tokens, entities)
        assert all(corpus["microseconds_per_document"][step] > 0 for step in ("files", "replicating", "merging"))
    assert len(peaks) == 4 and all(0 < peak["merging"] <= peak["scoring"] for peak in peaks)


@pytest.mark.nightly
@pytest.mark.slow
@on_linux
def test_runs_on_workers_are_measured_and_shown(tmp_path, monkeypatch, capsys):
    workers = import_module("workers")
    for name, value in {"PER_FILE": 10, "FILES": 4, "CASES": ("files",), "ENGINES": ("loky",)}.items():
        monkeypatch.setattr(workers, name, value)
    output = tmp_path / "workers.json"
    workers.main(["speed", "memory", "engines"], documents=40, most=40, tasks=10, output=output)
    workers.main(["merging"], parts=35, output=output)
    found = shown(output, "workers_tables", capsys)
    assert [row["case"] for row in found["speed"]["rows"]] == ["files"]
    assert [(row["kept"], row["documents"]) for row in found["memory"]["rows"]] == [("sums", 40), ("documents", 40)]
    assert [row["engine"] for row in found["engines"]["rows"]] == ["loky", "none"]
    alone, tree, checked = found["merging"]["rows"]
    assert alone["worker_mb"] == 0 < tree["worker_mb"] and checked["ids"] == 350


def test_the_time_of_agreement_is_measured_and_shown_with_its_ratio(tmp_path, capsys):
    agreeing = import_module("agreeing")
    agreeing.main(documents=4, annotators=3, rounds=1, output=tmp_path / "agreement.json")
    found = shown(tmp_path / "agreement.json", "agreeing", capsys)
    assert [len(seconds) for seconds in found["seconds"].values()] == [1, 1]
    for of_a_pair, said in (([1.0, 2.0, 3.0], "10.0"), ([0.1] * 3, "**above** 100.0")):
        seconds = {agreeing.OURS: [10.0, 40.0, 9.0], agreeing.PAIR: of_a_pair}
        text = agreeing.markdown({"documents": 10_000, "annotators": 5, "seconds": seconds})
        assert f"| agreement / score of one pair, at most 25 | {said} |" in text
        assert "| agreement, processor seconds, at most 30 | 10.0 |" in text


# What has to be reached


def test_a_figure_above_its_limit_is_marked_in_the_table_and_in_words():
    """Of the figures that are kept, and of the same if some had been worse."""
    table = import_module("table")
    figures = json.loads((BENCHMARKS / "results.json").read_text("utf8"))
    goals = table.reached(figures)
    assert goals == figures["goals"] and len(goals) > 20
    for worse in ({}, {2: 9.0, 5: 99.0}):
        found = [row | {"value": worse.get(k, 0.0) + min(row["value"], row["at_most"])} for k, row in enumerate(goals)]
        above = [(goals[k]["what"], goals[k]["where"]) for k in worse]
        said = "**Above its limit:** " + "; ".join(f"{what} ({where})" for what, where in above) + "."
        assert table.verdict(found) == (said if worse else "Every figure is within its limit.")
        lines = table.markdown({**figures, "goals": found}).splitlines()
        marked = [tuple(line.strip("| ").split(" | ")[:2]) for line in lines if "| **above** " in line]
        assert table.verdict(found) in lines and marked == above


@pytest.mark.parametrize(
    ("times", "others", "expected"), [([1, 2, 9], [2, 4, 3], 0.5), ([8], [2], 4), ([1, 100], [1, 50], 1.5)]
)
def test_a_ratio_is_the_median_of_those_within_a_round(times: Sequence[float], others: Sequence[float], expected):
    assert import_module("table").ratio(times, others) == expected
    assert import_module("table").ratio(others, times) == pytest.approx(median(b / a for a, b in zip(times, others)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["table", "single", "workloads", "scale", "comparing", "agreeing", "thresholds", "waiting"]
)
def test_the_examples_in_the_benchmarks_hold(name):
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0 and found.failed == 0


def test_a_smaller_corpus_is_the_beginning_of_the_larger_one():
    few, many = (import_module("workloads").made_up("", number, labels=4).pairs for number in (3, 5))
    for sides, others in zip(few, many):
        for side, other in zip(sides, others):
            assert side.to_json() == other.to_json()


@pytest.mark.parametrize("name", ["results", "memory", "scale", "workers"])
def test_the_figures_of_the_documentation_are_those_of_a_whole_run(name):
    file = BENCHMARKS / f"{name}.json"
    found = json.loads(file.read_text("utf8"))
    if name == "results":
        assert found["about"]["scale"] == 1 and found["about"]["rounds"] >= 5
    elif name == "memory":
        assert [[*row["peak_mb"]] for row in found["rows"]] == [["10000", "100000"]] * len(found["rows"])
    elif name == "scale":
        assert found["about"]["samples"] == 1000 and len(found["predicting"]) == 2
    else:
        assert [row["documents"] for row in found["memory"]["rows"]] == [10_000, 100_000, 1_000_000, 10_000, 100_000]
