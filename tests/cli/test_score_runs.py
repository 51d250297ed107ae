"""`nereval score --system`: one system that was trained several times."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import accepted, flat, line, refused, tables_in, write
from made_up import corpus

pytestmark = pytest.mark.costly

DOCUMENTS = corpus(24)
RUNS = ("a1", "a2", "a3")
A = "A=runs/a1.jsonl,runs/a2.jsonl,runs/a3.jsonl"
SCORE = ("score", "gold.jsonl", "--system", A, "-m", "strict,fair")


@pytest.fixture
def runs(tmp_path, monkeypatch) -> Path:
    """Three training runs of a system, and a file that lacks the last document."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    rows = [line(d.text or "", *d.gold, id=d.id) for d in DOCUMENTS]
    write(tmp_path / "gold.jsonl", *rows)
    write(tmp_path / "fewer.jsonl", *rows[:-1])
    for name, keep in zip(RUNS, (0.6, 0.7, 0.8)):
        rng = Random(name)
        found = [line(d.text or "", *(s for s in d.gold if rng.random() < keep), id=d.id) for d in DOCUMENTS]
        write(tmp_path / "runs" / f"{name}.jsonl", *found)
    return tmp_path


def written(*arguments: Any) -> dict[str, Any]:
    accepted(*arguments, "-o", "out.json")
    found: dict[str, Any] = json.loads(Path("out.json").read_text("utf8"))
    return found


def test_patterns_and_count_files_name_runs_too(runs):
    expected = written(*SCORE)
    assert written("score", "gold.jsonl", "--system", "A=runs/a*.jsonl", "-m", "strict,fair") == expected
    accepted("count", "gold.jsonl", "runs/a2.jsonl", "-m", "strict,fair", "-o", "runs/a2.npz")
    mixed = A.replace("a2.jsonl", "a2.npz")
    assert written("score", "gold.jsonl", "--system", mixed) == expected
    for name in ("a1", "a3"):
        accepted("count", "gold.jsonl", f"runs/{name}.jsonl", "-m", "strict,fair", "-o", f"runs/{name}.npz")
    assert written("score", "gold.jsonl", "--system", "A=runs/*.npz") == expected


def test_models_are_runs_too(runs, model):
    found = written("score", "gold.jsonl", "--system", f"A={model},runs/a1.jsonl", "-m", "strict")
    own = found["metrics"]["strict"]["runs"]["scores"]["r"]["values"]
    alone = written("evaluate", model, "gold.jsonl", "-m", "strict")["metrics"]["strict"]["scores"]["r"]
    assert own[0] == alone


def test_the_options_of_intervals_and_tables_apply(runs):
    wide, narrow = (
        written(*SCORE, "--level", level)["metrics"]["strict"]["intervals"]["scores"]["f"] for level in (0.99, 0.5)
    )
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert written(*SCORE, "--samples", 50, "--seed", 2) == written(*SCORE)
    printed = accepted(*SCORE, "-t", "runs", "-a", "macro", "--digits", 0)
    assert [*tables_in(printed)] == ["Training runs (macro; few runs: fewer than 5)"]
    assert "avg:macro" in printed
    found = written(*SCORE, "--unit", "block:4")
    assert (found["confidence"]["unit"], found["confidence"]["units"]) == ("block:4", 6)
    assert "⚠ Only 6 blocks" in accepted(*SCORE, "--unit", "block:4")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["A=runs/a1.jsonl"], "A has one training run, which does not show how much runs vary; give two or more"),
        (["A=runs/a1*"], "or score it alone: nereval score gold.jsonl runs/a1.jsonl"),
        ([A, "--system", "B=runs/a1.jsonl"], "--system is given for A and B: score one system, or compare them with"),
        (["A=runs/a1.jsonl,runs/a1.jsonl"], "the run runs/a1.jsonl is given twice"),
        (["A=runs/a1.jsonl,runs/../runs/a1.jsonl"], "the run runs/../runs/a1.jsonl is given twice"),
        (["A=runs/a1.jsonl,fewer.jsonl"], "fewer.jsonl lacks 1 document: doc 23"),
        (["A=runs/a1.jsonl,fewer.npz"], "run 2 of A: 1 documents are not in both systems: doc 23"),
        ([A, "--unit", "meta.author"], "the document has no 'author' in its metadata"),
        ([A, "--by", "eLen"], "--by is given in addition to --system: it shows a single run"),
        ([A, "--per-document", "d.csv"], "--per-document is given in addition to --system: it shows a single run"),
        ([A, "-t", "pairs"], "there is no table 'pairs'; there are headline, scores, runs, labels, label-scores"),
        ([A, "-o", "runs/a2.jsonl"], "runs/a2.jsonl is an input"),
    ],
)
def test_what_cannot_be_scored_is_answered_in_one_line(runs, arguments, said):
    accepted("count", "fewer.jsonl", "fewer.jsonl", "-m", "strict,fair", "-o", "fewer.npz")
    before = {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()}
    assert said in refused("score", "gold.jsonl", "--system", *arguments, "-m", "strict,fair")
    assert {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()} == before


def test_predictions_beside_a_system_are_refused(runs):
    said = refused("score", "gold.jsonl", "runs/a1.jsonl", "--system", A, "-m", "strict")
    assert "runs/a1.jsonl is given in addition to --system" in said
    assert "none.jsonl does not exist" in refused("score", "none.jsonl", "--system", A, "-m", "strict")
    assert "--gpu-id is given without a model" in refused("score", "gold.jsonl", "runs/a1.jsonl", "--gpu-id", 0)


def test_what_was_left_out_or_changed_on_reading_is_told_as_of_a_single_run(runs):
    spans = [[(0, 3, "PER")], [(4, 7, "PER")], [(0, 3, "PER")]]
    gold = [line("Ada met Bob", *own, id=f"d{k}") for k, own in enumerate(spans)]
    write(runs / "gold.jsonl", *gold, line("Eve", id="open", answer="ignore"))
    rest = line("Eve", (0, 3, "PER"), id="open")
    twice = gold[0] | {"spans": gold[0]["spans"] * 2}
    write(runs / "x.jsonl", *gold, rest)
    write(runs / "y.jsonl", twice, *gold[1:], rest)
    asked = ("score", "gold.jsonl", "--system", "A=x.jsonl,y.jsonl", "-m", "strict")
    alone = flat(accepted("score", "gold.jsonl", "y.jsonl", "-m", "strict"))
    assert "1 document without annotation skipped, 1 span given again and counted once" in alone
    printed = flat(accepted(*asked))
    assert "1 document without annotation skipped, spans given again and counted once: 0 and 1 in the runs" in printed
    found = written(*asked)
    assert [found[key] for key in ("skipped", "duplicates", "repaired")] == [[1, 1], [0, 1], [0, 0]]
    assert "skipped" not in flat(accepted(*SCORE[:1], "x.jsonl", "--system", "A=x.jsonl,y.jsonl", "-m", "strict"))
