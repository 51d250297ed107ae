"""`nereval score --system`: one system that was trained several times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import accepted, flat, line, tables_in, write
from made_up import trained_again
from two_systems import GOLD, jsonl, written

pytestmark = pytest.mark.costly

RUNS = {"a1": 0.6, "a2": 0.7, "a3": 0.8}
A = "A=runs/a1.jsonl,runs/a2.jsonl,runs/a3.jsonl"
METRICS = ("-m", "strict,fair")


@pytest.fixture
def runs(here) -> Path:
    """Three training runs of a system."""
    (here / "runs").mkdir()
    for name, keep in RUNS.items():
        jsonl(here / "runs" / f"{name}.jsonl", trained_again(name, keep, GOLD), "pred")
    return here


def scored(system: str, *options: Any) -> dict[str, Any]:
    accepted("score", "gold.jsonl", "--system", system, *options, "-o", "out.json")
    return written(Path("out.json"))


def test_patterns_and_count_files_name_runs_too(runs):
    expected = scored(A, *METRICS)
    assert scored("A=runs/a*.jsonl", *METRICS) == expected
    for name in RUNS:
        accepted("count", "gold.jsonl", f"runs/{name}.jsonl", *METRICS, "-o", f"runs/{name}.npz")
    assert scored(A.replace("a2.jsonl", "a2.npz")) == expected
    assert scored("A=runs/*.npz") == expected


def test_models_are_runs_too(runs, model):
    own = scored(f"A={model},runs/a1.jsonl", "-m", "strict")["metrics"]["strict"]["runs"]["scores"]["r"]["values"]
    accepted("evaluate", model, "gold.jsonl", "-m", "strict", "-o", "alone.json")
    assert own[0] == written(Path("alone.json"))["metrics"]["strict"]["scores"]["r"]


def test_the_options_of_intervals_and_tables_apply(runs):
    wide, narrow = (
        scored(A, *METRICS, "--level", level)["metrics"]["strict"]["intervals"]["scores"]["f"] for level in (0.99, 0.5)
    )
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert scored(A, *METRICS, "--samples", 50, "--seed", 2) == scored(A, *METRICS)
    score = ("score", "gold.jsonl", "--system", A, *METRICS)
    printed = accepted(*score, "-t", "runs", "-a", "macro", "--digits", 0)
    assert [*tables_in(printed)] == ["Training runs (macro; few runs: fewer than 5)"]
    assert "avg:macro" in printed
    found = scored(A, *METRICS, "--unit", "block:4")
    assert (found["confidence"]["unit"], found["confidence"]["units"]) == ("block:4", 6)
    assert "⚠ Only 6 blocks" in accepted(*score, "--unit", "block:4")


def test_what_was_left_out_or_changed_on_reading_is_told_as_of_a_single_run(here):
    spans = [[(0, 3, "PER")], [(4, 7, "PER")], [(0, 3, "PER")]]
    gold = [line("Ada met Bob", *own, id=f"d{k}") for k, own in enumerate(spans)]
    write(here / "gold.jsonl", *gold, line("Eve", id="open", answer="ignore"))
    rest = line("Eve", (0, 3, "PER"), id="open")
    write(here / "x.jsonl", *gold, rest)
    write(here / "y.jsonl", gold[0] | {"spans": gold[0]["spans"] * 2}, *gold[1:], rest)
    strict, both = ("-m", "strict"), ("--system", "A=x.jsonl,y.jsonl")
    alone = flat(accepted("score", "gold.jsonl", "y.jsonl", *strict))
    assert "1 document without annotation skipped, 1 span given again and counted once" in alone
    printed = flat(accepted("score", "gold.jsonl", *both, *strict))
    assert "1 document without annotation skipped, spans given again and counted once: 0 and 1 in the runs" in printed
    found = scored("A=x.jsonl,y.jsonl", *strict)
    assert [found[key] for key in ("skipped", "duplicates", "repaired")] == [[1, 1], [0, 1], [0, 0]]
    assert "skipped" not in flat(accepted("score", "x.jsonl", *both, *strict))
