"""A run goes on where it was interrupted, and takes no counts of anything else."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import numpy as np
import pytest
import spacy
from docs import write_docs
from processes import live, until
from sharded import ALL_PARTS, ENVIRONMENT, SHARDS, evaluated, parts, refused, run, running, sentences

from spacy_nereval.integration import pipelines
from spacy_nereval.io.paths import digest


def test_what_is_counted_already_is_not_counted_again(here, monkeypatch):
    expected = evaluated(*SHARDS)
    before = parts()
    Path("nereval-parts/counts-c.spacy.npz").unlink()
    monkeypatch.setattr(pipelines, "_loaded", pipelines._loaded.__wrapped__)  # as in a new process
    assert evaluated(*SHARDS, said="4 files counted in nereval-parts (3 by an earlier run)\n") == expected
    after = parts()
    assert [name for name in after if after[name] != before[name]] == ["counts-c.spacy.npz"]


def other_metrics(here: Path) -> Sequence[Any]:
    return ["--metrics", "strict"]


def other_settings(here: Path) -> Sequence[Any]:
    return ["--loio.s", 1]


def collapsed(here: Path) -> Sequence[Any]:
    return ["--collapse"]


def other_spans(here: Path) -> Sequence[Any]:
    return ["--spans-key", "sc"]


def other_pipeline(here: Path) -> Sequence[Any]:
    nlp = spacy.load("training/model-best")
    nlp.get_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Eve"}])
    nlp.to_disk("training/model-best")
    return []


def other_code(here: Path) -> Sequence[Any]:
    return ["--code", "code.py"]


@pytest.mark.parametrize("change", [other_metrics, other_settings, other_spans, collapsed, other_pipeline, other_code])
def test_counts_of_something_else_are_not_taken(here, change):
    given = (*SHARDS[:2], "--metrics", "strict,loio")
    evaluated(*given)
    before = parts()
    options = change(here)
    found = evaluated(*given, *options, said="2 files counted in nereval-parts (2 replacing other counts)\n")
    assert all(after != before[name] for name, after in parts().items())
    assert found == evaluated(*given, *options, "--parts", "new")


def test_a_file_that_has_changed_is_counted_anew(here):
    evaluated(*SHARDS[:2], "-m", "strict")
    before = parts()
    write_docs(here / SHARDS[1], sentences("b")[:-1])
    said = "(1 by an earlier run, 1 replacing other counts)"
    assert evaluated(*SHARDS[:2], "-m", "strict", said=said)["documents"] == 12 + 10
    assert [name for name, after in parts().items() if after != before[name]] == ["counts-b.spacy.npz"]


@pytest.mark.parametrize("content", [b"", b"no archive", "half"])
def test_counts_that_are_damaged_are_not_taken(here, content):
    expected = evaluated(*SHARDS[:2], "-m", "strict")
    file = Path("nereval-parts/counts-a.spacy.npz")
    file.write_bytes(file.read_bytes()[:-200] if content == "half" else content)
    assert evaluated(*SHARDS[:2], "-m", "strict", said="(1 by an earlier run, 1 replacing other counts)") == expected


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_where_it_was(here):
    """The driver too, in the middle of the third file: its lock and what its workers had begun are left behind."""
    Path("wait").touch()
    write_docs(here / SHARDS[0], [d for d in sentences("a") if "Bern" not in d.text])
    write_docs(here / SHARDS[1], [d for d in sentences("b") if "Bern" not in d.text])
    arguments = ["evaluate", "mortal", *SHARDS, "--code", "code.py", "--workers", "2"]
    command = [sys.executable, "-m", "spacy", "nereval", *arguments]
    left = {*ALL_PARTS[:2], "run.lock", "counts-c.spacy.begun", "counts-d.spacy.begun"}
    with live(command, env=os.environ | ENVIRONMENT, stdout=DEVNULL, stderr=DEVNULL) as driver:
        until(lambda: written(Path("nereval-parts")) == left)
        workers = [json.loads(path.read_text())["pid"] for path in Path("nereval-parts").glob("*.begun")]
        driver.kill()
        driver.wait()
        until(lambda: not any(map(running, workers)))
    assert set(parts()) == left
    before = parts()
    Path("wait").unlink()
    done = run("evaluate", "mortal", *SHARDS, "--code", "code.py", "--output", "out.json")
    assert done.exit_code == 0, done.output
    assert "(2 by an earlier run)" in done.stderr
    assert list(parts()) == ALL_PARTS
    assert [parts()[name] == before.get(name) for name in ALL_PARTS] == [True, True, False, False]
    found = json.loads(Path("out.json").read_text("utf8"))
    assert found["documents"] == 42 - 6


def written(folder: Path) -> set[str]:
    """The files that are not empty, if none of them is just getting its name."""
    try:
        return {path.name for path in folder.glob("*") if path.stat().st_size}
    except FileNotFoundError:
        return set()


def test_a_full_disk_is_said_and_leaves_nothing_half_written(here, monkeypatch):
    evaluated(*SHARDS[:2])
    whole, before = np.savez_compressed, parts()

    def full(file, **arrays):
        whole(file, header=arrays["header"])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez_compressed", full)
    lines = refused("evaluate", "training/model-best", *SHARDS)
    files = {name: f"{here}/nereval-parts/counts-{name}.spacy.npz" for name in "cd"}
    assert lines[:2] == [f"shards/{name}.spacy: No space left on device: {file}" for name, file in files.items()]
    assert parts() == before
    monkeypatch.undo()
    os.chdir(here)
    assert evaluated(*SHARDS, said="(2 by an earlier run)")["documents"] == 42


def test_a_folder_is_told_by_its_files_and_their_names(tmp_path):
    seen = set()
    for number, files in enumerate([{"a": "1", "b": "2"}, {"a": "2", "b": "1"}, {"a": "12"}, {"a": "1", "c": "2"}, {}]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_text(content)
        seen.add(digest(folder))
        shutil.copytree(folder, tmp_path / f"copy {number}")
        (tmp_path / f"copy {number}" / "__pycache__").mkdir()
        (tmp_path / f"copy {number}" / "__pycache__" / "a.pyc").touch()
        assert digest(tmp_path / f"copy {number}") == digest(folder)
    assert len(seen) == 5
