"""Workers count collapsed, continue an interrupted run, and never count a file twice."""

from __future__ import annotations

import json
import shutil
from glob import glob
from pathlib import Path

import pytest
from commands import run
from sharded import ALL_PARTS, SHARDS, evaluated, parts, refused

from spacy_nereval.distributed import shards
from spacy_nereval.io.count_files import load

DRAWN = ("--confidence", "--samples", 50)
FILES = [f"{side}/{letter}.jsonl" for side in ("gold", "pred") for letter in "abcd"]
COUNT = ("count", *FILES, "--collapse", "--replicates", 50, "-m", "strict,fair", "-o", "all.npz")


def test_a_model_that_is_evaluated_collapsed_has_the_same_result(here):
    found = evaluated(*SHARDS, *DRAWN, "--collapse")
    assert found == evaluated("whole.spacy", *DRAWN, "--collapse")
    for name, metric in evaluated("whole.spacy")["metrics"].items():
        assert {key: value for key, value in found["metrics"][name].items() if key != "intervals"} == metric
    assert list(parts()) == ALL_PARTS
    assert all(load(Path("nereval-parts", name)).collapsed for name in ALL_PARTS)
    lost = refused("evaluate", "training/model-best", "whole.spacy", "--collapse", "--per-document", "d.csv")
    assert "collapsed counts have no scores of documents, since they keep no documents: leave out --collapse" in lost[0]
    assert (
        "have no breakdown"
        in refused("evaluate", "training/model-best", "whole.spacy", "--collapse", "--by", "eLen")[0]
    )


def test_evaluate_says_that_repeated_documents_were_not_looked_for(here):
    sentence = "Documents that occur in several files were not looked for; --check-repeats does."
    evaluated(*SHARDS[:2], "--collapse", "-m", "strict", said=sentence)
    for checked in (["--collapse", "--check-repeats"], []):
        done = run("evaluate", "training/model-best", *SHARDS[:2], "-m", "strict", *checked)
        assert done.exit_code == 0 and sentence not in done.output


def counted(*more: object, said: str = "4 files counted in nereval-parts") -> dict[str, tuple[int, int]]:
    done = run(*COUNT, *more)
    assert done.exit_code == 0, done.output
    assert said in done.stderr
    return parts()


def test_a_run_that_was_interrupted_continues_and_other_half_samples_are_counted_anew(here):
    first = counted()
    lost = "counts-b.jsonl.npz"
    Path("nereval-parts", lost).unlink()
    again = counted(said="(3 by an earlier run)")
    assert {name for name in first if first[name] != again[name]} == {lost}
    counted("--check-repeats", said="(4 replacing other counts)")
    assert len(glob("nereval-parts/nereval-ids-*.bin")) == 4 and len(glob("nereval-ids-*.bin")) == 1
    done = run(*COUNT[:-4], "--seed", 1, *COUNT[-4:])
    assert "(4 replacing other counts)" in done.stderr


def test_counts_with_documents_are_no_parts_of_collapsed_ones(here):
    assert run("count", *FILES, "--replicates", 50, "-m", "strict,fair", "-o", "full.npz").exit_code == 0
    counted(said="(4 replacing other counts)")
    for name in ("full", "all"):
        assert run("score", f"{name}.npz", "-C", "-o", f"{name}.json").exit_code == 0
    collapsed, full = (json.loads(Path(f"{name}.json").read_text())["metrics"] for name in ("all", "full"))
    assert [own["scores"] for own in collapsed.values()] == [own["scores"] for own in full.values()]


def test_a_file_under_two_names_is_refused(here):
    for side in ("gold", "pred"):
        shutil.copy(f"{side}/a.jsonl", f"{side}/e.jsonl")
    names = [f"{side}/{letter}.jsonl" for side in ("gold", "pred") for letter in "abe"]
    done = run("count", *names, "--collapse", "--replicates", 50, "-m", "strict", "-o", "all.npz")
    assert done.exit_code == 1
    same = "gold/a.jsonl and gold/e.jsonl have the same content, and would count their documents twice"
    assert same in done.stderr and not Path("all.npz").exists()


def test_files_are_added_to_what_workers_counted_before(here):
    run(*COUNT[:1], *FILES[:2], *FILES[4:6], *COUNT[9:], "--append", "--parts", "first")
    done = run(*COUNT, "--append", "--parts", "second")
    assert "2 of 4 files are in all.npz already, and skipped: gold/a.jsonl, gold/b.jsonl" in done.stdout
    assert list(parts("second")) == ["counts-c.jsonl.npz", "counts-d.jsonl.npz"]
    found = load(Path("all.npz"))
    assert run(*COUNT, "--parts", "together").exit_code == 0
    assert found.totals() == load(Path("all.npz")).totals()
    assert found.parts == load(Path("all.npz")).parts


@pytest.mark.parametrize("together", [2, 32])
def test_documents_that_two_files_have_are_named_by_these_files(here, monkeypatch, together):
    monkeypatch.setattr(shards, "TOGETHER", together)
    for side in ("gold", "pred"):
        Path(f"{side}/e.jsonl").write_text("".join(Path(f"{side}/a.jsonl").read_text().splitlines(keepends=True)[:2]))
    names = [f"{side}/{letter}.jsonl" for side in ("gold", "pred") for letter in "abe"]
    done = run("count", *names, *COUNT[9:], "--check-repeats")
    assert done.exit_code == 1 and not Path("all.npz").exists()
    assert "gold/a.jsonl and gold/e.jsonl have documents with the same id, 2 in all files" in done.stderr


def test_nothing_is_added_to_what_another_pipeline_predicted(here):
    add = ("-m", "strict", "--collapse", "--append", "--replicates", 5, "-o", "total.npz")
    for names in (SHARDS[:1], SHARDS[:3]):  # in this process, and by workers
        assert run("count", "training/model-best", *names, *add).exit_code == 0
    before = Path("total.npz").read_bytes()
    assert run("merge", "total.npz", "-o", "copy.npz").exit_code == 0
    assert load(Path("copy.npz")).collapsed.pipeline == load(Path("total.npz")).collapsed.pipeline != ""
    Path("training/model-best/README").write_text("trained for longer")
    for name in (SHARDS[0], SHARDS[3]):  # one that is counted, and a new one
        (line,) = refused("count", "training/model-best", name, *add)
        assert line.startswith(
            "total.npz was counted with another pipeline: training/model-best, or the file of --code"
        )
    assert Path("total.npz").read_bytes() == before
