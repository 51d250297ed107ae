"""Workers merge collapsed counts in a tree: the same bits from every tree, and nothing twice."""

from __future__ import annotations

import errno
import json
import os
import pickle
import shutil
from collections.abc import Mapping
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run
from made_up import corpus
from sharded import ALL_PARTS, SHARDS, evaluated, parts, refused

from spacy_nereval import create_all
from spacy_nereval.counting.counts import Counts
from spacy_nereval.distributed import shards
from spacy_nereval.distributed.engines import Engine
from spacy_nereval.distributed.shards import PartsFolder, Shard, ShardStatus, count_shards, locked, merged
from spacy_nereval.evaluation.collapsing import count_collapsed
from spacy_nereval.io import id_hashes
from spacy_nereval.io.count_files import _loaded, load, save
from spacy_nereval.io.id_hashes import hashes_of
from spacy_nereval.io.id_hashes import stored as stored_hashes

NAMES = "abcdefghijk"
METRICS = ["strict", "semeval", "fair", "wrf"]


class Made:
    """Counts a few made-up documents for each shard; the shards of `same` have the same content."""

    def __init__(self, same: str = "") -> None:
        self.same = same

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        return {"gold": shard.gold}

    def count(self, shard: Shard) -> Counts:
        number = NAMES.index(shard.name)
        counts = count_collapsed(corpus(2 + number % 3, seed=number, labels="AB" + shard.name), create_all(METRICS), 7)
        counts.sources = [shard.gold]
        counts.parts = ["f" * 32 if shard.name in self.same else f"{number:032}"]
        return counts


def one_by_one(function, items, ready, alone):
    return [function(item) for item in items]


TASKS = Engine(one_by_one)
"""An engine without a reduction of its own."""


def no_tasks(*given):
    pytest.fail("a task was started")


def reduction(function, items, together):
    """A reduction as Spark's: groups first, which come in any order, then two at a time. What is sent is pickled."""
    function, items = pickle.loads(pickle.dumps((function, [*items])))
    found = [function(items[first : first + together]) for first in range(0, len(items), together)]
    while len(found) > 1:
        found.append(function([found.pop(), found.pop(0)]))
    return found[0]


def counted(folder: PartsFolder, names: str = NAMES, same: str = "") -> list[ShardStatus]:
    return count_shards([Shard(name, f"{name}.jsonl") for name in names], Made(same), folder, one_by_one)


def in_tree(folder: PartsFolder, names: str = NAMES, same: str = "", engine=TASKS) -> Counts:
    with locked(folder):
        return merged(counted(folder, names, same), folder, engine, collapsed=True)


def stored(counts: Counts, path: Path) -> dict[str, Any]:
    """The arrays of a count file, and its header without what names the file."""
    save(counts, path)
    with np.load(path) as arrays:
        return {name: arrays[name].tobytes() for name in arrays}


def groups(folder: PartsFolder, size: int) -> list[str]:
    """The names of the first groups of so many parts."""
    parts = [shards.Part(str(folder.path / f"counts-{name}.npz"), {"gold": f"{name}.jsonl"}) for name in NAMES]
    return [shards.group(parts[first : first + size]).name for first in range(0, len(parts), size)]


def inside(folder: Path, name: str) -> Path:
    """Return a file in a folder, which is made if there is none."""
    folder.mkdir(exist_ok=True)
    return folder / name


@pytest.fixture(scope="module")
def counted_parts(tmp_path_factory) -> Path:
    """A folder with the counts of all shards, which need not be counted again."""
    folder = tmp_path_factory.mktemp("parts")
    assert not any(status.kept for status in counted(PartsFolder(str(folder))))
    return folder


@pytest.fixture
def folder(counted_parts, tmp_path) -> PartsFolder:
    """A copy of this folder."""
    return PartsFolder(str(shutil.copytree(counted_parts, tmp_path / "parts")))


@pytest.fixture(scope="module")
def expected(counted_parts, tmp_path_factory) -> dict[str, Any]:
    """What comes of all parts at once."""
    return stored(in_tree(PartsFolder(str(counted_parts))), tmp_path_factory.mktemp("all") / "all.npz")


@pytest.mark.parametrize("together", [2, 3, 4, 10])
def test_every_tree_gives_the_same_bits(folder, expected, tmp_path, monkeypatch, together):
    read: list[int] = []
    whole = shards.merge
    monkeypatch.setattr(shards, "merge", lambda files, **how: read.append(len(files)) or whole(files, **how))
    monkeypatch.setattr(shards, "TOGETHER", together)
    assert stored(in_tree(folder), tmp_path / "all.npz") == expected
    assert max(read) == together and read[-1] == 1, "the driver reads a single file"
    assert len(read) == {2: 6 + 3 + 2 + 1, 3: 4 + 2 + 1, 4: 3 + 1, 10: 2 + 1}[together] + 1
    assert list(parts(folder.name)) == [f"counts-{name}.npz" for name in NAMES], "what was merged on the way is deleted"


def test_an_engine_merges_in_its_own_way(folder, expected, tmp_path, monkeypatch):
    """Whatever the order, with the same bits; no tasks are started."""
    monkeypatch.setattr(shards, "TOGETHER", 3)
    with locked(folder):
        found = merged(counted(folder), folder, Engine(no_tasks, reduction), collapsed=True)
    assert stored(found, tmp_path / "all.npz") == expected
    assert list(parts(folder.name)) == [f"counts-{name}.npz" for name in NAMES]


def test_what_an_engine_gives_up_tasks_go_on_with(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "TOGETHER", 3)
    tasks: list[int] = []

    def run(function, items, ready, alone):
        tasks.append(len(items))
        return one_by_one(function, items, ready, alone)

    def gives_up(function, items, together):
        assert not function(items[:together]).error
        raise RuntimeError("a worker was terminated")

    said: list[str] = []
    with locked(folder):
        found = merged(counted(folder), folder, Engine(run, gives_up), collapsed=True, note=said.append)
    reason = "RuntimeError: a worker was terminated"
    assert said == [f"the engine failed to merge counts by itself ({reason}): tasks merge them"]
    assert tasks == [4, 2, 1]
    assert stored(found, tmp_path / "all.npz") == expected


@pytest.mark.parametrize("engine", [TASKS, Engine(one_by_one, reduction)])
def test_what_workers_cannot_merge_this_process_does_and_says_so(folder, expected, tmp_path, monkeypatch, engine):
    """As if workers could not read one of the parts."""
    monkeypatch.setattr(shards, "TOGETHER", 3)
    whole = shards.merge

    def merge(files, **how):
        if not how["names"] and files[0].name == "counts-d.npz":
            raise ValueError("counts-d.npz does not exist")
        return whole(files, **how)

    monkeypatch.setattr(shards, "merge", merge)
    said: list[str] = []
    with locked(folder):
        found = merged(counted(folder), folder, engine, collapsed=True, note=said.append)
    assert said == ["the workers failed to merge counts (counts-d.npz does not exist), so this process did it alone"]
    assert stored(found, tmp_path / "all.npz") == expected


def test_where_workers_have_no_folder_to_merge_in_this_process_merges(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "TOGETHER", 3)
    (folder.path / shards.MERGED).write_text("of somebody else")
    with pytest.warns(UserWarning, match=r"\(File exists: .*nereval-merged\), so this process did it alone"):
        found = in_tree(folder)
    assert stored(found, tmp_path / "all.npz") == expected
    assert (folder.path / shards.MERGED).read_text() == "of somebody else"


@pytest.mark.parametrize("engine", [TASKS, Engine(one_by_one, reduction)])
def test_a_part_that_cannot_be_merged_is_named_whoever_merges(folder, monkeypatch, engine):
    monkeypatch.setattr(shards, "TOGETHER", 2)
    statuses = counted(folder)
    (folder.path / "counts-c.npz").unlink()
    with pytest.raises(ValueError, match=r"counts-c\.npz does not exist"):
        merged(statuses, folder, engine, collapsed=True)


def test_few_parts_and_counts_with_documents_are_merged_by_the_driver(folder, monkeypatch):
    statuses = counted(folder)
    assert merged(statuses, folder, Engine(no_tasks, no_tasks), collapsed=True).documents == 32
    monkeypatch.setattr(shards, "TOGETHER", 2)
    assert merged(statuses, folder, Engine(no_tasks, no_tasks), collapsed=False).documents == 32


@pytest.mark.parametrize("same", ["ab", "ak"])
def test_a_shard_that_is_given_twice_is_refused_wherever_in_the_tree(tmp_path, monkeypatch, same):
    monkeypatch.setattr(shards, "TOGETHER", 2)
    with pytest.raises(ValueError, match="would count their documents twice"):
        in_tree(PartsFolder(str(tmp_path)), "abck", same=same)
    assert [name for name in os.listdir(tmp_path) if "merged" in name] == []


class OneGold(Made):
    """Counts shards of the same gold annotation with other predictions."""

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        return {"gold": "one", "pred": shard.gold}


def test_shards_of_one_gold_annotation_may_have_other_predictions(tmp_path):
    folder = PartsFolder(str(tmp_path))
    with locked(folder):
        statuses = count_shards([Shard(name, f"{name}.jsonl") for name in "ab"], OneGold(), folder, one_by_one)
        assert merged(statuses, folder, TASKS, collapsed=True).documents == 2 + 3


def test_collapsed_counts_of_one_gold_file_are_not_merged_even_if_documents_may_share_ids(folder):
    same = [status._replace(origin={"gold": "one"}) for status in counted(folder, "ab")]
    with pytest.raises(ValueError, match="have the same content"):
        merged(same, folder, TASKS, collapsed=True, shared_ids=True)


def test_workers_elsewhere_find_a_folder_that_is_relative_and_run_the_code(tmp_path, monkeypatch):
    def elsewhere(function, items, ready, alone):
        with monkeypatch.context() as patch:
            patch.chdir("/")
            return [function(item) for item in items]

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shards, "TOGETHER", 2)
    code = tmp_path / "code.py"
    code.write_text("from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\n")
    folder = PartsFolder("parts")
    with locked(folder):
        statuses = count_shards([Shard(name, f"{name}.jsonl") for name in "abc"], Made(), folder, elsewhere)
        assert merged(statuses, folder, Engine(elsewhere), collapsed=True, code=code).documents == 2 + 3 + 4
    assert code.with_suffix(".ran").exists()


def test_a_part_that_changes_after_it_was_counted_is_refused(folder, monkeypatch):
    monkeypatch.setattr(shards, "TOGETHER", 2)
    statuses = counted(folder)
    save(Made().count(Shard("c", "c.jsonl")), folder.path / "counts-c.npz", origin={"gold": "other.jsonl"})
    with pytest.raises(ValueError, match=r"counts-c\.npz was changed by somebody else after it was counted"):
        merged(statuses, folder, TASKS, collapsed=True)


def test_what_a_killed_run_merged_is_not_taken(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "TOGETHER", 4)
    first, second, _ = groups(folder, 4)
    for name in (f"counts-{first}.npz", f"counts-{second}.begun", f".counts-{second}.npz.x"):
        inside(tmp_path / "parts" / shards.MERGED, name).write_text("left behind")
    (tmp_path / "parts" / "merged-a.npz").write_text("of somebody else")
    assert stored(in_tree(folder), tmp_path / "all.npz") == expected
    assert [*parts(folder.name)][-1] == "merged-a.npz" and len(parts(folder.name)) == len(NAMES) + 1


def test_what_another_run_merged_late_is_not_taken(folder, expected, tmp_path, monkeypatch):
    """A worker that outlives its run may still write what it merged, of parts with the same names but other content."""
    monkeypatch.setattr(shards, "TOGETHER", 4)
    statuses = counted(folder)
    late = [shards.Part(str(folder.part(status.shard)), {"gold": "another"}) for status in statuses]
    strays = [shards.group(late[first : first + 4]) for first in (0, 4, 8)]
    with locked(folder):
        inner = PartsFolder(str(folder.path / shards.MERGED))
        inner.path.mkdir()
        for stray in strays:
            save(Made().count(Shard("a", "a.jsonl")), inner.part(stray), origin=shards.Merging().origin(stray))
        found = merged(statuses, folder, TASKS, collapsed=True)
    assert stored(found, tmp_path / "all.npz") == expected


def test_a_worker_that_dies_while_it_merges_costs_its_group_alone(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "TOGETHER", 4)
    first, second, third = groups(folder, 4)
    begun: list[list[str]] = []

    def mortal(function, items, ready, alone):
        begun.append([item.name for item in items])
        if len(begun) == 2:  # the first level of the tree, after the parts
            function(items[0])
            inside(tmp_path / "parts" / shards.MERGED, f"counts-{second}.begun").write_text("{}")
            raise RuntimeError("a worker was terminated")
        return one_by_one(function, items, ready, alone)

    with locked(folder):
        statuses = count_shards([Shard(name, f"{name}.jsonl") for name in NAMES], Made(), folder, mortal)
        found = merged(statuses, folder, Engine(mortal), collapsed=True)
    assert begun[1:4] == [[first, second, third], [first, third], [second]] and len(begun[4]) == 1 == len(begun) - 4
    assert stored(found, tmp_path / "all.npz") == expected


def test_a_full_disk_while_merging_is_said_and_leaves_the_parts_alone(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "TOGETHER", 4)
    whole, before = np.savez_compressed, parts(folder.name)

    def full(file, **arrays):
        whole(file, header=arrays["header"])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.warns(UserWarning, match="No space left on device.*so this process did it alone"):
        found = in_tree(folder)
    assert parts(folder.name) == before
    monkeypatch.undo()
    assert stored(found, tmp_path / "all.npz") == expected


# The command


def test_the_command_collapses_in_a_tree(here, monkeypatch):
    drawn = ("-m", "strict,fair", "--confidence", "--samples", 20)
    expected = evaluated(*SHARDS, *drawn)
    monkeypatch.setattr(shards, "TOGETHER", 2)
    found = evaluated(*SHARDS, "--collapse", *drawn, said="(4 replacing other counts)")
    for name, metric in expected["metrics"].items():
        assert found["metrics"][name]["scores"] == metric["scores"]
        own, others = (of["intervals"]["scores"]["f"]["low"] for of in (found["metrics"][name], metric))
        assert abs(own - others) < 0.05  # by half-samples, and by leaving documents out
    assert evaluated(*SHARDS, "--collapse", *drawn, said="(4 by an earlier run)") == found


@pytest.mark.parametrize("damage", ["half", "other metrics", "other version", "not collapsed"])
def test_collapsed_counts_that_are_damaged_or_of_something_else_are_not_taken(here, damage):
    expected = evaluated(*SHARDS[:2], "--collapse", "--metrics", "strict")
    file, options = Path("nereval-parts/counts-a.spacy.npz"), ["--collapse", "--metrics", "strict"]
    if damage == "half":
        file.write_bytes(file.read_bytes()[:-200])
    else:
        other = {"other metrics": ["--collapse", "--metrics", "fair"], "not collapsed": ["--metrics", "strict"]}
        evaluated(SHARDS[0], *other.get(damage, options), "--parts", "other")
        file.write_bytes(Path("other/counts-a.spacy.npz").read_bytes())
    if damage == "other version":
        changed(file, '"versions":["', '"versions":["0.0.')
    assert evaluated(*SHARDS[:2], *options, said="(1 by an earlier run, 1 replacing other counts)") == expected


def changed(file: Path, old: str, new: str) -> None:
    """Write a count file again whose header has another origin, as another version would."""
    counts, header = _loaded(file)
    origin = json.dumps(header.origin, separators=(",", ":"))
    assert old in origin
    save(counts, file, origin=json.loads(origin.replace(old, new, 1)))


def test_a_copy_of_a_shard_under_another_name_is_refused_and_the_rest_stays(here):
    Path("shards/copy.spacy").write_bytes(Path(SHARDS[0]).read_bytes())
    (line,) = refused("evaluate", "training/model-best", *SHARDS[:2], "shards/copy.spacy", "--collapse")
    assert line.startswith(
        "shards/a.spacy and shards/copy.spacy have the same content, and would count their documents"
    )
    assert evaluated(*SHARDS[:2], "--collapse", said="(2 by an earlier run)")["documents"] == 12 + 11


# Documents that several shards have are found while workers merge, by files of hashes beside the parts


class Identified(Made):
    """Counts shards whose documents have ids; the shards of `same` have one document in common."""

    def count(self, shard: Shard) -> Counts:
        counts = super().count(shard)
        counts.parts = [f"{NAMES.index(shard.name):032}"]
        own = [f"{shard.name}-{number}" for number in range(counts.documents - 1)]
        counts.id_hashes = hashes_of([*own, "common" if shard.name in self.same else f"{shard.name}-last"])
        return counts


def checked(folder: PartsFolder, engine: Engine, same: str = "", **how: Any) -> Counts:
    with locked(folder):
        statuses = count_shards([Shard(name, f"{name}.jsonl") for name in NAMES], Identified(same), folder, one_by_one)
        return merged(statuses, folder, engine, collapsed=True, check_repeats=True, **how)


ENGINES = [TASKS, Engine(no_tasks, reduction)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("together", [2, 4])
def test_workers_merge_the_hashes_of_ids_and_this_process_reads_one_file(tmp_path, monkeypatch, engine, together):
    monkeypatch.setattr(shards, "TOGETHER", together)
    folder, read = PartsFolder(str(tmp_path / "parts")), []
    whole = id_hashes.merge_hashes
    monkeypatch.setattr(id_hashes, "merge_hashes", lambda files, to: read.append(len(files)) or whole(files, to))
    found = checked(folder, engine)
    of_groups = read[len(NAMES) :]  # those before are of the shards
    assert max(of_groups) == together and of_groups[-1] == 1
    assert found.documents == 32 == len(stored_hashes(found.id_hashes))
    assert (
        found.id_hashes.read_bytes()
        == hashes_of(
            f"{name}-{number}" for name in NAMES for number in [*range(1 + NAMES.index(name) % 3), "last"]
        ).read_bytes()
    )
    names = sorted(os.listdir(folder.name))
    assert names[: len(NAMES)] == [f"counts-{name}.npz" for name in NAMES]
    assert len(names) == 2 * len(NAMES) and all(name.startswith("nereval-ids-") for name in names[len(NAMES) :])
    assert checked(folder, engine).documents == 32, "the hashes of the shards are still there"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("same", ["ab", "ac", "ak", "jk"])
def test_documents_that_two_shards_have_are_found_wherever_in_the_tree(tmp_path, monkeypatch, engine, same):
    monkeypatch.setattr(shards, "TOGETHER", 2)
    folder = PartsFolder(str(tmp_path / "parts"))
    first, second = same
    message = rf"^{first}\.jsonl and {second}\.jsonl have documents with the same id, 1 in all files: they would"
    with pytest.raises(ValueError, match=message):
        checked(folder, engine, same)
    assert not (tmp_path / "parts" / shards.MERGED).exists()
    found = checked(folder, engine, same, shared_ids=True)
    assert found.documents == 32 and len(stored_hashes(found.id_hashes)) == 31


@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(file.read_bytes()[:24]), Path.unlink])
def test_a_part_whose_hashes_are_missing_or_damaged_is_counted_again(tmp_path, damage):
    folder = PartsFolder(str(tmp_path))
    whole = checked(folder, TASKS).id_hashes.read_bytes()
    files = sorted(glob(f"{folder.name}/nereval-ids-*.bin"))
    for file in files[:2]:
        damage(Path(file))
    with locked(folder):
        statuses = count_shards([Shard(name, f"{name}.jsonl") for name in NAMES], Identified(), folder, one_by_one)
    assert sum(status.replaced for status in statuses) == 2 and sum(status.kept for status in statuses) == 9
    assert checked(folder, TASKS).id_hashes.read_bytes() == whole
    assert sorted(glob(f"{folder.name}/nereval-ids-*.bin")) == files


def test_what_killed_workers_left_is_deleted_and_files_of_others_stay(tmp_path):
    kept = [*("nereval-ids-4.bin", "counts-a.npz", "a.txt"), *(f"{shards.MERGED}/{name}" for name in ("a.txt", "b/c"))]
    unfinished = [".nereval-ids-4.bin.x1", ".counts-a.npz.x1", "counts-a.begun"]
    in_tree = [f"{shards.MERGED}/{name}" for name in ("nereval-ids-4.bin", "counts-a.npz", *unfinished)]
    for name in (*kept, *unfinished, *in_tree):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    with locked(PartsFolder(str(tmp_path))):
        assert left(tmp_path) == sorted([*kept, "run.lock"])
        for name in kept[3:]:
            (tmp_path / name).unlink()
        (tmp_path / shards.MERGED / "b").rmdir()
    assert left(tmp_path) == sorted(kept[:3]) and not (tmp_path / shards.MERGED).exists()


def left(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


# Workers count collapsed, continue an interrupted run, and never count a file twice


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
    sentence = "Documents that occur in several files were not looked for, and count several times"
    evaluated(*SHARDS[:2], "--collapse", "-m", "strict", said=sentence)
    for checked in (["--collapse", "--check-repeats"], []):
        done = run("evaluate", "training/model-best", *SHARDS[:2], "-m", "strict", *checked)
        assert done.exit_code == 0 and sentence not in done.output


def counted_in_folder(*more: object, said: str = "4 files counted in nereval-parts") -> dict[str, tuple[int, int]]:
    done = run(*COUNT, *more)
    assert done.exit_code == 0, done.output
    assert said in done.stderr
    return parts()


def test_a_run_that_was_interrupted_continues_and_other_half_samples_are_counted_anew(here):
    first = counted_in_folder()
    lost = "counts-b.jsonl.npz"
    Path("nereval-parts", lost).unlink()
    again = counted_in_folder(said="(3 by an earlier run)")
    assert {name for name in first if first[name] != again[name]} == {lost}
    counted_in_folder("--check-repeats", said="(4 replacing other counts)")
    assert len(glob("nereval-parts/nereval-ids-*.bin")) == 4 and len(glob("nereval-ids-*.bin")) == 1
    done = run(*COUNT[:-4], "--seed", 1, *COUNT[-4:])
    assert "(4 replacing other counts)" in done.stderr


def test_counts_with_documents_are_no_parts_of_collapsed_ones(here):
    assert run("count", *FILES, "--replicates", 50, "-m", "strict,fair", "-o", "full.npz").exit_code == 0
    counted_in_folder(said="(4 replacing other counts)")
    for name in ("full", "all"):
        assert run("score", f"{name}.npz", "-C", "-o", f"{name}.json").exit_code == 0
    collapsed, full = (json.loads(Path(f"{name}.json").read_text())["metrics"] for name in ("all", "full"))
    assert [own["scores"] for own in collapsed.values()] == [own["scores"] for own in full.values()]


def test_a_file_under_two_names_is_refused(here):
    for side in ("gold", "pred"):
        shutil.copy(f"{side}/a.jsonl", f"{side}/e.jsonl")
    names = [f"{side}/{letter}.jsonl" for side in ("gold", "pred") for letter in "abe"]
    done = run("count", *names, "--collapse", "--replicates", 50, "-m", "strict", "-o", "all.npz")
    assert done.exit_code == 2
    same = "gold/a.jsonl and gold/e.jsonl have the same content, and would count their documents twice"
    assert same in done.stderr and not Path("all.npz").exists()


def test_files_are_added_to_what_workers_counted_before(here):
    run(*COUNT[:1], *FILES[:2], *FILES[4:6], *COUNT[9:], "--append", "--parts", "first")
    done = run(*COUNT, "--append", "--parts", "second")
    assert "2 of 4 files are in all.npz already, and skipped: gold/a.jsonl, gold/b.jsonl" in done.stdout
    assert [name for name in parts("second") if name.endswith(".npz")] == ["counts-c.jsonl.npz", "counts-d.jsonl.npz"]
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
    assert done.exit_code == 2 and not Path("all.npz").exists()
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
