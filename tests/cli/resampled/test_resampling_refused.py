"""Intervals, counts and comparisons: mistakes are one line and leave no file."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run
from docs import write_docs
from two_systems import GOLD, accepted, as_docs, filled, jsonl

pytestmark = pytest.mark.costly  # resampling, in almost every test


# Refused


SCORED = ("score", "gold.jsonl", "base.jsonl", "-C")


COMPARED = ("compare", "gold.jsonl", "base.jsonl", "other.jsonl")


BAD = {
    "samples 0": ([*SCORED, "--samples", 0, "-o", "new"], "--samples 0: expected at least 1"),
    "level 1": ([*SCORED, "--level", 1, "-o", "new"], "--level 1: expected a number"),
    "level nan": ([*SCORED, "--level", "nan", "-o", "new"], "--level nan"),
    "seed -1": ([*SCORED, "--seed", -1, "-o", "new"], "--seed -1"),
    "counts and metrics": (["score", "counts.npz", "--metrics", "strict", "-o", "new"], "counts.npz is a count file"),
    "counts and predictions": (["score", "counts.npz", "base.jsonl", "-o", "new"], "counts.npz is a count file"),
    "counts that are none": (["score", "text.npz", "-o", "new"], "text.npz does not hold counts"),
    "counts that are not there": (["score", "none.npz", "-o", "new"], "none.npz does not exist"),
    "no predictions": (["score", "gold.jsonl", "-o", "new"], "predictions to score against gold.jsonl are missing"),
    "unknown suffix": (["score", "gold.txt", "base.jsonl", "-o", "new"], "cannot infer the format of gold.txt"),
    "suffix of rows": (
        ["score", "gold.jsonl", "base.jsonl", "--per-document", "new.txt", "-o", "new"],
        "--per-document new.txt: expected a .jsonl, .csv, .parquet or .arrow file",
    ),
    "no folder for rows": (
        ["score", "gold.jsonl", "base.jsonl", "--per-document", "none/new.csv", "-o", "new"], "no directory none"
    ),
    "no folder for counts": (["count", "gold.jsonl", "base.jsonl", "-o", "none/new.npz"], "there is no directory none"),
    "no predictions to count": (["count", "gold.jsonl", "none.jsonl", "-o", "new.npz"], "none.jsonl does not exist"),
    "other metrics to merge": (
        ["merge", "counts.npz", "one.npz", "-o", "new.npz"], "counts.npz and one.npz cannot be merged"
    ),
    "text to merge": (["merge", "counts.npz", "text.npz", "-o", "new.npz"], "text.npz does not hold counts"),
    "nothing there to merge": (["merge", "counts.npz", "none.npz", "-o", "new.npz"], "none.npz does not exist"),
    "predictions to merge": (["merge", "base.jsonl", "-o", "new.npz"], "base.jsonl does not hold counts"),
    "no folder to merge to": (["merge", "counts.npz", "-o", "none/new.npz"], "there is no directory none"),
    "one system": (["compare", "gold.jsonl", "base.jsonl", "-o", "new"], "needs a baseline and another system"),
    "a system that is not there": (["compare", "gold.jsonl", "base.jsonl", "none.jsonl", "-o", "new"], "none.jsonl"),
    "counts that are no system": (["compare", "gold.jsonl", "base.jsonl", "none.npz", "-o", "new"], "none.npz"),
    "a model that is not there": (["compare", "gold.spacy", "no_such", "base.jsonl", "-o", "new"], "no_such"),
    "no gold": (["compare", "none.jsonl", "base.jsonl", "other.jsonl", "-o", "new"], "none.jsonl"),
    "other metrics": (
        ["compare", "gold.jsonl", "counts.npz", "one.npz", "-o", "new"], "cannot be compared: one has the metrics"
    ),
    "metrics unlike those of the counts": (
        ["compare", "gold.jsonl", "counts.npz", "base.jsonl", "-m", "fair", "-o", "new"], "cannot be compared"
    ),
    "other documents": (["compare", "gold.jsonl", "base.jsonl", "fewer.npz", "-o", "new"], "in both systems: doc 23"),
    "samples of a comparison": (
        [*COMPARED, "--samples", 0, "-o", "new"], "--samples 0: expected at least 1"
    ),
    "trials 0": ([*COMPARED, "--trials", 0, "-o", "new"], "--trials 0: expected"),
    "replicates -1": (
        ["count", "gold.jsonl", "base.jsonl", "--replicates", -1, "-o", "new.npz"], "--replicates -1: expected"
    ),
    "no folder for a comparison": (
        [*COMPARED, "-o", "none/new"], "there is no directory none"
    ),
    "unknown option": (
        [*COMPARED, "--loio.x", 1, "-o", "new"], "no option 'x'"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def spoilt_once(tmp_path_factory) -> Path:
    """Also counts, and what only looks like it."""
    folder = filled(tmp_path_factory.mktemp("spoilt"))
    jsonl(folder / "one.jsonl", GOLD[:1], "gold")
    for side in ("gold", "pred"):
        jsonl(folder / f"fewer_{side}.jsonl", GOLD[:23], side)
    for files, metrics, name in (
        (("gold.jsonl", "base.jsonl"), "strict,wrf", "counts.npz"),
        (("one.jsonl", "one.jsonl"), "strict", "one.npz"),
        (("fewer_gold.jsonl", "fewer_pred.jsonl"), None, "fewer.npz"),
    ):
        more = ["-m", metrics] if metrics else []
        accepted("count", *(folder / file for file in files), "-o", folder / name, *more)
    write_docs(folder / "gold.spacy", as_docs(GOLD, "gold"))
    for name in ("text.npz", "gold.txt", "base.txt"):
        (folder / name).write_text("hello")
    return folder


@pytest.fixture
def spoilt(spoilt_once, monkeypatch) -> Path:
    monkeypatch.chdir(spoilt_once)
    return spoilt_once


@pytest.mark.parametrize(("arguments", "said"), BAD.values(), ids=BAD.keys())
def test_a_mistake_is_one_line_and_leaves_no_file(spoilt, arguments, said):
    before = {path: path.read_bytes() for path in spoilt.rglob("*") if path.is_file()}
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("✘ ") and said in line
    assert {path: path.read_bytes() for path in spoilt.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["count", "gold.jsonl", "base.jsonl"],
        ["merge", "-o", "new.npz"],
        [*SCORED, "--samples", "many", "-o", "new"],
        ["compare", "-o", "new"],
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_a_number_out_of_range_or_a_missing_argument_is_refused_as_by_every_command_of_spacy(here, arguments):
    before = sorted(here.iterdir())
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 2
    assert "Traceback" not in result.output and ("Invalid value" in result.output or "Missing" in result.output)
    assert sorted(here.iterdir()) == before


def test_a_failed_command_leaves_the_old_output_as_it_was(spoilt):
    for name, arguments in (
        ("new.npz", ["merge", "counts.npz", "text.npz", "-o", "new.npz"]),
        ("new.json", ["score", "one.jsonl", "base.jsonl", "-C", "-o", "new.json"]),
        ("new.json", ["compare", "gold.jsonl", "counts.npz", "one.npz", "-o", "new.json"]),
    ):
        (spoilt / name).write_text("old")
        assert run(*arguments).exit_code == 2
        assert (spoilt / name).read_text() == "old"
        (spoilt / name).unlink()
