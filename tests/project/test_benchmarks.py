"""The benchmarks run, and what they say follows from what they measured. Nothing here depends on the clock."""

from __future__ import annotations

import doctest
import gc
import json
import runpy
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

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


def run(script: str, *arguments: Any, output: Path) -> dict[str, Any]:
    """What a benchmark writes that is run as a script, but in this process."""
    command = [script, *map(str, arguments), "--output", str(output)]
    with patch.object(sys, "argv", command), pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BENCHMARKS / script), run_name="__main__")
    assert not ended.value.code
    return json.loads(output.read_text("utf8"))


def markdown(script: str, figures: dict[str, Any]) -> str:
    return runpy.run_path(str(BENCHMARKS / script))["markdown"](figures)


def cells(text: str) -> list[list[str]]:
    """The rows of all tables, heads and rules too."""
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:No predicted label is a gold label")  # random words have other entities
def test_speed_is_measured_and_shown(tmp_path, monkeypatch, capsys):
    # The other sides of the comparison; the extra `test` brings them, so that CI never skips this.
    if missing := [name for name in ("nervaluate", "seqeval") if not find_spec(name)]:
        pytest.skip(f"the extra bench is not installed: {missing}")
    monkeypatch.setattr(import_module("workloads"), "DATA", tmp_path / "none")  # what is not everywhere
    import_module("run")
    gc.freeze()  # garbage is collected before each side is timed: what is imported by now is none
    found = run("run.py", "--scale", 0.001, "--rounds", 1, output=tmp_path / "results.json")
    table = import_module("table")
    assert capsys.readouterr().out.rstrip("\n") == table.markdown(found)
    assert {corpus["name"] for corpus in found["corpora"]} >= {"4 labels", "18 labels"}
    names = {corpus["name"] for corpus in found["corpora"]} | set(found["left_out"])
    # A real pipeline is measured where one is installed.
    assert sorted(names - {"nlp.evaluate"}) == ["18 labels", "4 labels", "GermEval 2014", "WNUT17 test"]
    for corpus in found["corpora"]:
        assert all(len(times) == 1 and times[0] > 0 for times in corpus["seconds"].values())
    assert [(corpus["documents"], corpus["entities"]) for corpus in found["corpora"][:2]] == [(2, 30), (2, 30)]
    assert found["corpora"][0]["labels"] == 4 < found["corpora"][1]["labels"]
    assert [sorted(map(int, row["seconds"])) for row in found["documents"]] == [[1, 5, 10, 20, 100]] * 3
    assert all(found["memory"][row["shape"]] > 1e6 for row in found["documents"])
    assert (found["empty"]["documents"], found["bootstrap"]["documents"], found["counts"]["documents"]) == (
        1000,
        10,
        10,
    )
    pair = found["comparison"]
    assert (pair["documents"], pair["swaps"], len(pair["seconds"])) == (10, 200, 1) and pair["bytes"] > 1e6
    assert found["goals"] == table.reached(found)
    # What is added to an evaluation is a difference, which is lost in the noise of so small a corpus.
    assert all(row["value"] > 0 for row in found["goals"] if "nlp.evaluate" not in row["what"])


def figures() -> dict[str, Any]:
    """Two rounds of everything. The second was slower, for all sides alike."""
    sides = {
        "six metrics": [1, 2],
        "get_ner_prf": [4, 8],
        "six metrics, aligned": [1, 2],
        "get_ner_prf, aligned": [2, 4],
    }
    sides |= {"six metrics, offsets": [3, 6], "nervaluate": [10, 30]}
    corpus = {"name": "c", "documents": 100, "entities": 7, "labels": 2, "sentences": False, "seconds": sides}
    evaluated = {"nlp.evaluate": [100, 200], "six metrics": [2, 6], "six metrics, intervals": [25, 54]}
    evaluated |= {"get_ner_prf": [0.5, 1]}
    pair = {"documents": 10, "labels": 2, "swaps": 500, "seconds": [1, 3, 9], "bytes": 1.2e9}
    return {
        "corpora": [corpus, corpus | {"name": "s", "sentences": True}],
        "evaluations": [{"name": "c", "documents": 100, "seconds": evaluated}],
        "counts": {"documents": 10, "labels": 18, "entities": 15, "bytes": 400.0},
        "documents": [{"shape": "flat", "seconds": {"100": [1, 1], "1000": [9, 11], "5000": [20, 60]}}],
        "memory": {"flat": 5e6},
        "bootstrap": {"documents": 10, "labels": 2, "seconds": {"scores": [1], "intervals": [2, 4]}},
        "comparison": pair,
        "imports": [0.020, 0.024, 0.100],
        "start": {"score": {"nereval": [0.5, 0.6], "python -m spacy nereval": [2, 3]}},
    }


def test_what_has_to_be_reached_is_taken_from_the_rounds():
    goals = [
        (row["what"], row["where"], row["value"], row["unit"]) for row in import_module("table").reached(figures())
    ]
    assert goals == [
        *(("six metrics, aligned / get_ner_prf, aligned", name, 0.5, "") for name in "cs"),
        *(("six metrics / get_ner_prf", name, 0.25, "") for name in "cs"),
        *(("six metrics, offsets / nervaluate", name, pytest.approx(0.25), "") for name in "cs"),  # of 0.3 and 0.2
        ("what six metrics add / nlp.evaluate", "c", 2.0, "%"),  # of 1.5 and 2.5
        ("confidence = {} / nlp.evaluate", "c", pytest.approx(100 * (23 / 125 + 48 / 254) / 2), "%"),
        ("1,000 / 100 entities in one document", "flat", 10, ""),
        ("scores with intervals", "10 documents, 2 labels", 3, "s"),
        ("comparison with 500 swaps", "10 documents, 2 labels", 3, "s"),
        ("comparison with 500 swaps, memory of its process", "10 documents, 2 labels", 1200, "MB"),
        ("memory of the counts of a document", "18 labels, 15 entities", 400, "bytes"),
        ("importing what spaCy imports at its start", "beyond spaCy", 24, "ms"),
        ("nereval / python -m spacy nereval, processor time", "score", pytest.approx(0.225), ""),
    ]
    assert [row["at_most"] for row in import_module("table").reached(figures())] == [
        *(1.0, 2.5, 0.25, 0.5, 0.25, 0.25, 1, 5, 12, 1, 5, 1000, 500, 30, 0.35),
    ]


def test_a_figure_above_its_limit_is_marked_in_the_table_and_in_words():
    table = import_module("table")
    goals = table.reached(figures())
    above = [(row["what"], row["where"]) for row in goals if row["value"] > row["at_most"]]
    assert above == [
        ("what six metrics add / nlp.evaluate", "c"),
        ("confidence = {} / nlp.evaluate", "c"),
        ("scores with intervals", "10 documents, 2 labels"),
        ("comparison with 500 swaps, memory of its process", "10 documents, 2 labels"),
    ]
    assert table.verdict(goals) == (
        "**Above its limit:** what six metrics add / nlp.evaluate (c); confidence = {} / nlp.evaluate (c); "
        "scores with intervals (10 documents, 2 labels); "
        "comparison with 500 swaps, memory of its process (10 documents, 2 labels)."
    )
    about = {"rounds": 2, "machine": "m", "system": "s", "python": "3", "spacy": "3.8", "numpy": "2"}
    empty = {"documents": 10, "seconds": [1, 2]}
    shown = table.markdown({**figures(), "about": about, "empty": empty, "left_out": {}, "goals": goals})
    assert table.verdict(goals) in shown
    marked = [row[:2] for row in cells(shown) if row[2].startswith("**above** ")]
    assert marked == [list(row) for row in above]
    within = [row for row in goals if row["value"] <= row["at_most"]]
    assert table.verdict(within) == "Every figure is within its limit."


@pytest.mark.parametrize(
    ("times", "others", "expected"), [([1, 2, 9], [2, 4, 3], 0.5), ([8], [2], 4), ([1, 100], [1, 50], 1.5)]
)
def test_a_ratio_is_the_median_of_those_within_a_round(times: Sequence[float], others: Sequence[float], expected):
    assert import_module("table").ratio(times, others) == expected
    assert import_module("table").ratio(others, times) == pytest.approx(median(b / a for a, b in zip(times, others)))


def test_what_is_measured_of_a_corpus_is_shown_for_each_document():
    head, rows = import_module("table").per_document(figures()["corpora"])
    assert head[:4] == ["corpus", "documents", "entities", "six metrics"]
    assert [row[:5] for row in rows] == [[name, "100", "7", "15,000.0", "60,000.0"] for name in "cs"]


@pytest.mark.parametrize("name", ["table", "single", "workloads", "scale", "comparing", "agreeing", "thresholds"])
def test_the_examples_in_the_benchmarks_hold(name):
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0 and found.failed == 0


def test_a_smaller_corpus_is_the_beginning_of_the_larger_one():
    few, many = (import_module("workloads").made_up("", number, labels=4).pairs for number in (3, 5))
    for sides, others in zip(few, many):
        for side, other in zip(sides, others):
            assert side.to_json() == other.to_json()


def test_the_time_of_agreement_is_shown_with_its_ratio(tmp_path, capsys):
    agreeing = import_module("agreeing")
    agreeing.main(documents=4, annotators=3, rounds=1, output=tmp_path / "agreement.json")
    found = json.loads((tmp_path / "agreement.json").read_text("utf8"))
    assert capsys.readouterr().out.rstrip("\n") == agreeing.markdown(found)
    assert (found["documents"], found["annotators"]) == (4, 3)
    assert [len(seconds) for seconds in found["seconds"].values()] == [1, 1]
    seconds = {agreeing.OURS: [10.0, 40.0, 9.0], agreeing.PAIR: [1.0, 2.0, 3.0]}
    shown = agreeing.markdown({"documents": 10_000, "annotators": 5, "seconds": seconds})
    assert "| agreement / score of one pair, at most 25 | 10.0 |" in shown
    assert "| agreement, processor seconds, at most 30 | 10.0 |" in shown
    slower = agreeing.markdown({"documents": 10_000, "annotators": 5, "seconds": {**seconds, agreeing.PAIR: [0.1] * 3}})
    assert "at most 25 | **above** 100.0 |" in slower


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


# The benchmarks of memory and scale run, and what they say follows from what they measured


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


# The benchmark of workers runs, and what it says follows from what it measured


FIGURES = {
    "about": {"python": "3.11", "spacy": "3.8", "machine": "M", "processors": 2, "tokens": 40}
    | {"per_file": 10_000, "samples": 1000},
    "speed": {
        "load": 0.2,
        "rows": [
            {"case": "files", "documents": 1000, "files": 40, "seconds": [10, 5], "processor": [9, 10], "busiest": 6.0}
            | {"speedup": 2.0, "possible": 1.5, "apart": 1.6}
        ],
    },
    "memory": {
        "load": 5.0,
        "rows": [
            {"kept": "sums", "documents": 1000, "driver_mb": 100, "worker_mb": 120, "microseconds": 500}
            | {"file_bytes": 100_000},
            {"kept": "sums", "documents": 9000, "driver_mb": 101, "worker_mb": 130, "microseconds": 360}
            | {"file_bytes": 200_000},
            {"kept": "documents", "documents": 1000, "driver_mb": 300, "worker_mb": 140, "microseconds": 400}
            | {"file_bytes": 300_000},
        ],
    },
    "engines": {
        "load": 0.5,
        "rows": [
            {"engine": "loky", "seconds_to_start": 0.5, "milliseconds": 0.6, "by_tasks": 7.5},
            {"engine": "dask", "seconds_to_start": 1.5, "milliseconds": 2, "by_tasks": 8, "by_itself": 7},
            {"engine": "spark", "seconds_to_start": 9, "milliseconds": 61, "by_tasks": 8},
            {"engine": "none", "seconds_to_start": 0, "milliseconds": 9.5},
        ],
    },
    "merging": {
        "load": 0.5,
        "rows": [
            {"how": "one process", "parts": 100, "file_bytes": 50_000, "seconds": 20, "processor": 3.6}
            | {"driver_mb": 90, "worker_mb": 0},
            {"how": "a tree", "parts": 100, "file_bytes": 50_000, "seconds": 12, "processor": 4}
            | {"driver_mb": 80, "worker_mb": 60},
            {"how": "a checked tree", "parts": 100, "file_bytes": 50_000, "seconds": 15, "processor": 7.6}
            | {"driver_mb": 85, "worker_mb": 65, "ids": 1_000_000},
        ],
    },
}


def test_what_the_tables_say_follows_from_the_figures():
    text = import_module("workers_tables").markdown(FIGURES)
    for row in (
        "| count files of predictions | 1,000 | 100 | 200 | 2.00 times | 1.50 times | 1.60 times |",
        "| collapsed | 9,000 | 101 | 130 | 360 | 0.2 |",
        "| with documents | 1,000 | 300 | 140 | 400 | 0.3 |",
        "| loky | 0.5 | 0.6 | 7.5 | – |",
        "| dask | 1.5 | 2.0 | 8.0 | 7.0 |",
        "| one process | 100 | 20 | 4 | 90 | – |",
        "| count a document | 360 µs | 1,000,000,000 documents | 100.00 hours |",
        "| write and check the counts of a file | 9.5 ms | 10,000 files | 95.0 seconds |",
        "| merge a part | 36.0 ms | 10,323 parts: files, and groups of 32 | 0.10 hours |",
        "| start dask | 1.5 s | once | 1.5 seconds |",
        "| the driver, on loky | 0.6 ms | 10,324 tasks | 6.2 seconds |",
        "| the driver, on spark | 61.0 ms | 10,324 tasks | 0.17 hours |",
        "| hours | loky | dask | spark |",
        # 100 hours, 95 seconds, 324 groups of 32 parts.
        "| 1 worker | 100.13 | 100.13 | 100.13 |",
        # 1,407 seconds of counting; 2, 1 and 1 groups after the other.
        "| 256 workers | 0.39 | 0.39 | 0.40 |",
        # Spark's driver needs 610 seconds, the workers 88, and 313 groups 19.
        "| 4,096 workers | 0.03 | 0.03 | 0.18 |",
    ):
        assert row in text
    assert "take 2.0 GB of disk" in text
    assert "looked for repeated documents among 1,000,000." in text
    # 3.6 microseconds an id; files of 16 GB, and three levels of at most 32 files together.
    assert "take 64 GB while 3 levels of the tree are merged, 16 GB afterwards, and 1.0 hours of a processor" in text
    assert [line for line in text.splitlines() if "busy" in line] == [
        "Peak memory on two workers. The machine was busy with other work (load 5.0)."
    ]


@pytest.mark.slow
@on_linux
def test_runs_on_workers_are_measured(tmp_path, monkeypatch, capsys):
    workers = import_module("workers")
    monkeypatch.setattr(workers, "PER_FILE", 10)
    monkeypatch.setattr(workers, "FILES", 4)
    monkeypatch.setattr(workers, "CASES", ("pipeline",))
    monkeypatch.setattr(workers, "ENGINES", ("loky",))
    output = tmp_path / "workers.json"
    workers.main(["speed", "memory", "engines"], documents=40, most=40, tasks=10, output=output)
    workers.main(["merging"], parts=35, output=output)
    found = json.loads(output.read_text("utf8"))
    assert capsys.readouterr().out.rstrip("\n").endswith(import_module("workers_tables").markdown(found))
    assert [row["case"] for row in found["speed"]["rows"]] == ["pipeline"]
    assert all(row["speedup"] > 0 and row["possible"] > 0 for row in found["speed"]["rows"])
    assert [(row["kept"], row["documents"]) for row in found["memory"]["rows"]] == [("sums", 40), ("documents", 40)]
    assert all(row["driver_mb"] > 20 and row["worker_mb"] > 20 for row in found["memory"]["rows"])
    assert [row["engine"] for row in found["engines"]["rows"]] == ["loky", "none"]
    alone, tree, checked = found["merging"]["rows"]
    assert alone["worker_mb"] == 0 < tree["worker_mb"]
    assert checked["ids"] == 350
