"""The benchmark of workers runs, and what it says follows from what it measured."""

from __future__ import annotations

import json
from importlib import import_module

import pytest
from benchmarked import importable, on_linux  # noqa: F401  # `importable` is a fixture

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
        # 10^9 documents of 360 microseconds are 100 hours, and 10,000 files of 36 milliseconds a tenth of an hour.
        "| 1 | 100.10 | 101 | 130 |",
        "| 256 | 0.39 | 101 | 130 |",
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
