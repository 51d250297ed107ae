"""A corpus in several files: the same numbers from every engine, whatever is killed, stale or broken."""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import DEVNULL
from typing import Any
from unittest.mock import ANY

import pytest
import spacy
from commands import run
from docs import doc, write_docs
from processes import live, until
from refusals import refused_with
from sharded import ALL_PARTS, ENVIRONMENT, SHARDS, evaluated, full_disk, one_by_one, parts, refused, running, sentences

from spacy_nereval import Document, count, create_all
from spacy_nereval.features.parts.engines import Engine
from spacy_nereval.features.parts.shards import PartsFolder, Shard, ShardStatus, count_shards, merge_shards
from spacy_nereval.integration import pipelines
from spacy_nereval.io.count_files import _load_with_header, load, save
from spacy_nereval.io.paths import digest

EVALUATE = ("evaluate", "training/model-best")


def test_counts_in_parts_are_those_of_one_file_bit_for_bit(here):
    """Whatever the order of the files; test_engines.py has several workers."""
    asked = ("--confidence", "--samples", 200, "--seed", 3)
    whole = evaluated("whole.spacy", *asked)
    assert whole["documents"] == 42
    assert whole["metrics"]["fair"]["counts"]["tp"] == 14 + 12 + 10 + 9
    assert whole["metrics"]["fair"]["counts"]["le"] == 3 + 3 + 3 + 2
    drawn = {"method": "infl", "unit": "id", "units": 42, "exact": True, "effective_units": ANY, "concentrated": ANY}
    assert whole["confidence"] == drawn | {"level": 0.95, "samples": None, "seed": None}
    interval = whole["metrics"]["strict"]["intervals"]["scores"]["f"]
    assert interval["low"] < whole["metrics"]["strict"]["scores"]["f"] < interval["high"]
    assert evaluated(*SHARDS, *asked, said="4 files counted in nereval-parts") == whole
    assert evaluated(*SHARDS[::-1], *asked, "--parts", "backwards") == whole
    assert run("count", "training/model-best", *SHARDS[::-1], "-o", "backwards.npz").exit_code == 0
    assert load(Path("backwards.npz")).sources == ["a.spacy", "b.spacy", "c.spacy", "d.spacy"]


def test_what_looks_at_the_whole_corpus_is_resampled_after_merging(here):
    wanted = ["-m", "strict,tmr", "--train", "shards/a.spacy", "--confidence", "--samples", 20]
    assert evaluated(*SHARDS, *wanted) == evaluated("whole.spacy", *wanted)
    shutil.copy("shards/b.spacy", "shards/a.spacy")  # other training
    assert evaluated(*SHARDS[1:], *wanted, said="(3 replacing other counts)")["documents"] == 30


def test_one_file_without_an_engine_is_counted_as_ever(here):
    done = run("evaluate", "training/model-best", "whole.spacy")
    assert done.exit_code == 0
    assert done.stderr == ""
    assert not Path("nereval-parts").exists()


def test_the_model_is_loaded_once_for_all_files_of_a_worker(here, monkeypatch):
    loads = []
    whole = pipelines.load_model
    monkeypatch.setattr(pipelines, "load_model", lambda name: loads.append(name) or whole(name))
    evaluated(*SHARDS)
    assert loads == [here / "training" / "model-best"]


def test_what_a_worker_learns_of_words_it_forgets_with_the_file(here):
    write_docs(here / SHARDS[0], [doc("unheardof saw Rome .", (2, 3, "LOC"))])
    nlp = pipelines.Pipeline("training/model-best", home=str(here)).load()
    before = set(nlp.vocab.strings)
    evaluated(*SHARDS)
    assert pipelines.Pipeline("training/model-best", home=str(here)).load() is nlp
    assert set(nlp.vocab.strings) == before and "unheardof" not in before


# Files that cannot be counted or told apart are named, with what to do


def test_files_that_cannot_be_counted_are_named_with_what_is_wrong_while_the_others_are_counted(here):
    write_docs(Path("shards/empty.spacy"), [])
    Path("shards/text.spacy").write_text("no DocBin")
    Path("shards/folder.spacy").mkdir()
    write_docs(Path("shards/bare.spacy"), [doc("Ada saw Rome .", annotated=False)])
    bad = [f"shards/{name}.spacy" for name in ("bare", "empty", "folder", "none", "text")]
    lines = refused(*EVALUATE, *SHARDS, *bad)
    for line, said in zip(
        lines,
        [
            "bare.spacy: none of the 1 gold documents is annotated",
            "there are no documents to score in empty.spacy",
            "shards/folder.spacy is a folder without .ann files",
            "No such file or directory: ",
            "shards/text.spacy is not a .spacy file; expected a file written by DocBin.to_disk",
            "5 of 9 files could not be counted; the counts of the others are in nereval-parts",
        ],
        strict=True,
    ):
        assert said in line
    assert list(parts()) == ALL_PARTS
    assert evaluated(*SHARDS, said="(4 by an earlier run)")["documents"] == 42


def test_a_model_that_cannot_be_loaded_is_one_line_for_all_files(here):
    config = Path("mortal/config.cfg")
    config.write_text(config.read_text().replace('factory = "mortal"', 'factory = "immortal"'))
    said, last = refused("evaluate", "mortal", *SHARDS)
    assert said.startswith("shards/a.spacy, shards/b.spacy, shards/c.spacy, shards/d.spacy: the model mortal cannot")
    assert "immortal" in said and last.endswith("4 of 4 files could not be counted")
    assert refused("evaluate", "no_such_model", *SHARDS)[0].endswith(
        "there is no model no_such_model, neither a package nor a folder"
    )


def test_documents_of_one_id_in_two_files_are_refused_unless_they_may_share_it(here):
    write_docs(here / "shards/e.spacy", sentences("a")[:2])
    (line,) = [line for line in refused(*EVALUATE, *SHARDS, "shards/e.spacy") if "both" in line]
    assert "shards/a.spacy and shards/e.spacy both have a 0, a 1" in line
    assert evaluated(*SHARDS, "shards/e.spacy", "--shared-ids")["documents"] == 44
    shutil.copy(here / SHARDS[1], here / "shards/f.spacy")
    (line,) = refused(*EVALUATE, *SHARDS, "shards/f.spacy")
    assert line.startswith("shards/b.spacy and shards/f.spacy have the same content, and would count their documents")
    assert evaluated(*SHARDS, "shards/f.spacy", "--shared-ids", said="(5 by an earlier run)")["documents"] == 42 + 11


TWICE = ["shards/a.spacy", "shards/b.spacy", "shards/a.spacy"]
ODD = ["count", "gold/a.jsonl", "gold/b.jsonl", "pred/a.jsonl", "-o", "out.npz"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*EVALUATE, *TWICE], "shards/a.spacy is given twice"),
        ([*EVALUATE, "shards/x/a.spacy", "shards/x-a.spacy"], "both be counted in counts-x-a.spacy.npz: rename one"),
        ([*EVALUATE, *SHARDS, "--engine", "hadoop"], "there is no engine 'hadoop'; there are loky, ray, dask, spark"),
        ([*EVALUATE, *SHARDS, "--by", "eLen"], "--by needs every span"),
        ([*EVALUATE, *SHARDS, "--parts", "far://away"], "cannot read far:// URLs"),
        (ODD, "3 files were given"),
    ],
)
def test_what_cannot_be_is_refused_at_once(here, arguments, said):
    (line,) = refused(*arguments)
    assert said in line
    assert not Path("nereval-parts").exists()


def test_files_of_one_name_in_folders_are_told_apart(here):
    for letter in "ab":
        Path(f"shards/day={letter}").mkdir()
        shutil.move(f"shards/{letter}.spacy", f"shards/day={letter}/data.spacy")
    assert evaluated("shards/day=a/data.spacy", "shards/day=b/data.spacy")["documents"] == 12 + 11
    assert list(parts()) == ["counts-day=a-data.spacy.npz", "counts-day=b-data.spacy.npz"]


# A file that fails is tried once more, and a worker that dies costs no other file anything


class Fakes:
    """Work of which each shard fails as often as it is told to."""

    def __init__(self, **failures: int) -> None:
        self.failures = failures
        self.attempts: list[str] = []

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        return {"gold": shard.gold}

    def count(self, shard: Shard) -> Any:
        self.attempts.append(shard.name)
        if self.failures.get(shard.name, 0):
            self.failures[shard.name] -= 1
            raise ValueError(f"no {shard.name}")
        return count([Document([(0, 1, "A")], [], id=shard.name)], create_all(["strict"]))


A, B, C, D = (Shard(name, f"{name}.spacy") for name in "abcd")


def test_a_file_that_fails_is_tried_once_more_and_no_more(tmp_path):
    work = Fakes(b=1, c=2)
    found = count_shards([A, B, C], work, PartsFolder(str(tmp_path)), one_by_one)
    assert [part.error for part in found] == ["", "", "no c"]
    assert work.attempts == ["a", "b", "c", "b", "c"]
    assert list(parts(str(tmp_path))) == ["counts-a.npz", "counts-b.npz"]


def test_a_file_that_kills_every_worker_is_tried_alone_and_costs_the_others_nothing(tmp_path):
    folder, work, groups = PartsFolder(str(tmp_path)), Fakes(), []

    def pool(function, items, ready, alone):
        groups.append([alone, *(item.name for item in items)])
        if alone and A in items:
            function(A)
        if B in items:
            for item in [B] if alone else [A, B]:
                folder.marker(item).write_text("{}")
            raise RuntimeError("a worker was terminated\nat some place")
        return one_by_one(function, items, ready, alone)

    found = count_shards([A, B, C, D], work, folder, pool)
    assert groups == [[False, "a", "b", "c", "d"], [False, "c", "d"], [True, "a", "b"], [True, "a"]]
    assert [part.error[:18] for part in found] == ["", "its worker died tw", "", ""]
    assert found[1].error.endswith("(RuntimeError: a worker was terminated)")
    assert list(parts(str(tmp_path))) == ["counts-a.npz", "counts-c.npz", "counts-d.npz"]


@pytest.mark.parametrize("other", [{"model": "2"}, {}], ids=["another", "none"])
def test_parts_of_different_models_are_not_merged(other, tmp_path):
    """Though of one name, on different machines."""
    same = {"model": "1"}
    found = [ShardStatus(shard, {"gold": shard.gold} | model) for shard, model in ((A, same), (B, same), (C, other))]
    with refused_with(
        ValueError,
        "a.spacy and c.spacy were predicted by different models with one name: install the same "
        "model on all machines, then run the command again",
    ):
        merge_shards(found, PartsFolder(str(tmp_path)), Engine(one_by_one))


def test_an_engine_that_does_not_start_is_no_fault_of_any_file(tmp_path):
    tries = []

    def fails(function, items, ready, alone):
        tries.append(items)
        raise TimeoutError("no scheduler at 10.0.0.1")

    said = "twice before a worker had begun a file: TimeoutError: no scheduler at 10.0.0.1; finished counts are kept in"
    with pytest.raises(ValueError, match=said):
        count_shards([A], Fakes(), PartsFolder(str(tmp_path)), fails)
    assert tries == [[A], [A]]


@pytest.mark.parametrize("begun", [(), (A,)], ids=["first file", "second file"])
def test_a_worker_that_dies_before_it_begins_a_file_is_followed_by_another(begun, tmp_path):
    deaths = [RuntimeError("a worker was terminated")]
    work = Fakes()

    def pool(function, items, ready, alone):
        for item in begun if deaths else ():
            function(item)
        if deaths:
            raise deaths.pop()
        return one_by_one(function, items, ready, alone)

    found = count_shards([A, B], work, PartsFolder(str(tmp_path)), pool)
    assert [part.error for part in found] == ["", ""]
    assert work.attempts == ["a", "b"]


# A run goes on where it was interrupted, and takes no counts of anything else


def test_what_is_counted_already_is_not_counted_again(here, monkeypatch):
    expected = evaluated(*SHARDS)
    before = parts()
    Path("nereval-parts/counts-c.spacy.npz").unlink()
    monkeypatch.setattr(pipelines, "_load_cached", pipelines._load_cached.__wrapped__)  # as in a new process
    assert evaluated(*SHARDS, said="4 files counted in nereval-parts (3 by an earlier run)\n") == expected
    after = parts()
    assert [name for name in after if after[name] != before[name]] == ["counts-c.spacy.npz"]


def other_pipeline() -> None:
    nlp = spacy.load("training/model-best")
    nlp.get_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Eve"}])
    nlp.to_disk("training/model-best")


def other_version() -> None:
    for file in Path("nereval-parts").glob("counts-*.npz"):
        counts, header = _load_with_header(file)
        origin = json.dumps(header.origin)
        assert '"versions": ["' in origin
        save(counts, file, origin=json.loads(origin.replace('"versions": ["', '"versions": ["0.0.')))


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        *(("--metrics", "strict"), ("--loio.s", 1), ("--spans-key", "sc"), ("--collapse",), ("--code", "code.py")),
        *(other_pipeline, other_version),
    ],
    ids=lambda change: "-".join(map(str, change)) if isinstance(change, tuple) else change.__name__,
)
def test_counts_of_something_else_are_not_taken(here, change):
    evaluated(*SHARDS[:2], "--metrics", "strict,loio")
    given = SHARDS[:2] if change == ("--metrics", "strict") else (*SHARDS[:2], "--metrics", "strict,loio")
    before = parts()
    options = change if isinstance(change, tuple) else change() or ()
    found = evaluated(*given, *options, said="2 files counted in nereval-parts (2 replacing other counts)\n")
    assert all(after != before[name] for name, after in parts().items())
    assert found == evaluated(*given, *options, "--parts", "new")


@pytest.mark.parametrize("content", [b"", b"no archive", "half", "half of collapsed counts"])
def test_counts_that_are_damaged_are_not_taken(here, content):
    asked = (*SHARDS[:2], "-m", "strict", *(["--collapse"] if content == "half of collapsed counts" else []))
    expected = evaluated(*asked)
    file = Path("nereval-parts/counts-a.spacy.npz")
    file.write_bytes(content if isinstance(content, bytes) else file.read_bytes()[:-200])
    assert evaluated(*asked, said="(1 by an earlier run, 1 replacing other counts)") == expected


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
    before = parts()
    full_disk(monkeypatch)
    lines = refused(*EVALUATE, *SHARDS)
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
