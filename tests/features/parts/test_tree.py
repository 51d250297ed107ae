"""Workers merge collapsed counts in a tree: the same bits from every tree, and nothing twice."""

import os
import pickle
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run
from made_up import corpus
from products import NIGHT
from refusals import refused_with
from sharded import ALL_PARTS, SHARDS, evaluated, full_disk, one_by_one, parts, refused

from spacy_nereval import create_all
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.collapsing import count_collapsed
from spacy_nereval.features.parts import shards
from spacy_nereval.features.parts.engines import Engine
from spacy_nereval.features.parts.shards import PartsFolder, Shard, ShardStatus, count_shards, lock_folder, merge_shards
from spacy_nereval.io import id_hashes
from spacy_nereval.io.count_files import load, save
from spacy_nereval.io.id_hashes import hashes_of
from spacy_nereval.io.id_hashes import map_hashes as stored_hashes

NAMES = "abcdefghijk"
FILES_OF_ALL = [f"counts-{name}.npz" for name in NAMES]


@pytest.fixture(autouse=True)
def in_fours(monkeypatch) -> None:
    """A task merges up to four parts, so that eleven make a tree."""
    monkeypatch.setattr(shards, "TOGETHER", 4)


class Made:
    """Counts a few made-up documents for each shard.

    The shards of `same` have the same content. With `common`, documents have ids, and its shards share one of them.
    """

    def __init__(self, same: str = "", common: str | None = None, gold: str = "") -> None:
        self.same, self.common, self.gold = same, common, gold

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        return {"gold": self.gold or shard.gold, "pred": shard.name}

    def count(self, shard: Shard) -> Counts:
        number, metrics = NAMES.index(shard.name), create_all(["strict", "semeval", "fair", "wrf"])
        counts = count_collapsed(corpus(2 + number % 3, seed=number, labels="AB" + shard.name), metrics, 7)
        counts.sources = [shard.gold]
        counts.parts = ["f" * 32 if shard.name in self.same else f"{number:032}"]
        if self.common is not None:
            ids = [f"{shard.name}-{k}" for k in range(counts.documents - 1)]
            counts.id_hashes = hashes_of([*ids, "common" if shard.name in self.common else f"{shard.name}-last"])
        return counts


def no_tasks(*given):
    pytest.fail("a task was started")


def reduction(function, items, together):
    """A reduction as Spark's: groups first, which come in any order, then two at a time. What is sent is pickled."""
    function, items = pickle.loads(pickle.dumps((function, [*items])))
    found = [function(items[first : first + together]) for first in range(0, len(items), together)]
    while len(found) > 1:
        found.append(function([found.pop(), found.pop(0)]))
    return found[0]


TASKS, REDUCES = Engine(one_by_one), Engine(no_tasks, reduction)
every_engine = pytest.mark.parametrize("engine", [TASKS, REDUCES], ids=["tasks", "a reduction"])
"""An engine without a reduction of its own, and one that has one, and starts no tasks."""


def counted(folder: PartsFolder, names: str = NAMES, run: Any = one_by_one, **made: Any) -> list[ShardStatus]:
    return count_shards([Shard(name, f"{name}.jsonl") for name in names], Made(**made), folder, run)


def in_tree(folder: PartsFolder, engine: Engine = TASKS, statuses: list[ShardStatus] | None = None, **how) -> Counts:
    with lock_folder(folder):
        return merge_shards(statuses or counted(folder), folder, engine, collapsed=True, **how)


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


Stored = Callable[[Counts], dict[str, Any]]


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Stored:
    """Returns the arrays of a count file, and its header."""
    path = tmp_path_factory.mktemp("stored") / "all.npz"

    def arrays_of(counts: Counts) -> dict[str, Any]:
        save(counts, path)
        with np.load(path) as arrays:
            return {name: arrays[name].tobytes() for name in arrays}

    return arrays_of


@pytest.fixture(scope="module")
def expected(counted_parts, stored) -> dict[str, Any]:
    """What comes of all parts at once."""
    folder = PartsFolder(str(counted_parts))
    return stored(merge_shards(counted(folder), folder, Engine(no_tasks), collapsed=False))


@pytest.mark.slow
@every_engine
@pytest.mark.parametrize(("together", "merges"), [(2, 6 + 3 + 2 + 1), (3, 4 + 2 + 1), (4, 3 + 1), (10, 2 + 1)])
def test_every_tree_gives_the_same_bits(folder, stored, expected, monkeypatch, engine, together, merges):
    read: list[int] = []
    whole = shards.merge
    monkeypatch.setattr(shards, "merge", lambda files, **how: read.append(len(files)) or whole(files, **how))
    monkeypatch.setattr(shards, "TOGETHER", together)
    statuses = counted(folder)
    assert stored(in_tree(folder, engine, statuses)) == expected
    assert max(read) == together and read[-1] == 1, "the driver reads a single file"
    assert engine is REDUCES or len(read) == merges + 1
    assert list(parts(folder.name)) == FILES_OF_ALL, "what was merged on the way is deleted"


def test_what_an_engine_gives_up_tasks_go_on_with(folder, stored, expected, monkeypatch):
    tasks: list[int] = []

    def run(function, items, ready, alone):
        tasks.append(len(items))
        return one_by_one(function, items, ready, alone)

    def gives_up(function, items, together):
        assert not function(items[:together]).error
        raise RuntimeError("a worker was terminated")

    said: list[str] = []
    found = in_tree(folder, Engine(run, gives_up), note=said.append)
    reason = "RuntimeError: a worker was terminated"
    assert said == [f"the engine failed to merge counts by itself ({reason}): tasks merge them"]
    assert tasks == [3, 1]
    assert stored(found) == expected


def unreadable(folder: PartsFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if workers could not read one of the parts."""
    whole = shards.merge

    def merge(files, **how):
        if not how["names"] and files[0].name == "counts-e.npz":
            raise ValueError("counts-e.npz does not exist")
        return whole(files, **how)

    monkeypatch.setattr(shards, "merge", merge)


def no_folder(folder: PartsFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.path / shards.MERGED).write_text("of somebody else")


def full(folder: PartsFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    full_disk(monkeypatch)


@pytest.mark.slow
@every_engine
@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (unreadable, "counts-e.npz does not exist"),
        (no_folder, "File exists: .*nereval-merged"),
        (full, "No space left"),
    ],
)
def test_what_workers_cannot_merge_this_process_does_and_says_so(
    folder, stored, expected, monkeypatch, engine, happens, reason
):
    statuses = counted(folder)
    happens(folder, monkeypatch)
    before = parts(folder.name)
    with pytest.warns(UserWarning) as warned:
        found = in_tree(folder, engine, statuses)
    monkeypatch.undo()
    (said,) = (str(each.message) for each in warned)
    start = r"the workers failed to merge counts \("
    assert re.fullmatch(rf"{start}.*{reason}.*\), so this process did it alone", said), said
    assert parts(folder.name) == before
    assert stored(found) == expected


def lost(folder: PartsFolder) -> None:
    (folder.path / "counts-c.npz").unlink()


def replaced(folder: PartsFolder) -> None:
    save(Made().count(Shard("c", "c.jsonl")), folder.path / "counts-c.npz", origin={"gold": "other.jsonl"})


@every_engine
@pytest.mark.parametrize(
    ("change", "said"), [(lost, "does not exist"), (replaced, "was changed by somebody else after it was counted")]
)
def test_a_part_that_cannot_be_merged_is_named_whoever_merges(folder, engine, change, said):
    statuses = counted(folder)
    change(folder)
    with pytest.raises(ValueError, match=rf"counts-c\.npz {said}"):
        in_tree(folder, engine, statuses)


def test_few_parts_and_counts_with_documents_are_merged_by_the_driver(folder, monkeypatch):
    statuses = counted(folder)
    assert merge_shards(statuses, folder, Engine(no_tasks, no_tasks), collapsed=False).documents == 32
    monkeypatch.setattr(shards, "TOGETHER", 11)
    assert merge_shards(statuses, folder, Engine(no_tasks, no_tasks), collapsed=True).documents == 32


@pytest.mark.parametrize("same", ["ab", "ak"])
def test_a_shard_that_is_given_twice_is_refused_wherever_in_the_tree(tmp_path, monkeypatch, same):
    monkeypatch.setattr(shards, "TOGETHER", 2)
    folder = PartsFolder(str(tmp_path))
    with pytest.raises(ValueError, match="would count their documents twice"):
        in_tree(folder, statuses=counted(folder, "abck", same=same))
    assert not (tmp_path / shards.MERGED).exists()


def test_collapsed_counts_of_one_gold_file_may_have_other_predictions_but_not_the_same(tmp_path):
    """Even if documents may share ids."""
    folder = PartsFolder(str(tmp_path))
    assert in_tree(folder, statuses=counted(folder, "ab", gold="one")).documents == 2 + 3
    same = [status._replace(origin={"gold": "one"}) for status in counted(folder, "ab", gold="one")]
    with refused_with(
        ValueError,
        "a.jsonl and b.jsonl have the same content, and would count their documents twice: leave one of them out",
    ):
        in_tree(folder, statuses=same, shared_ids=True)


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
    folder.path.mkdir()
    found = in_tree(folder, Engine(elsewhere), counted(folder, "abc", elsewhere), code=code)
    assert found.documents == 2 + 3 + 4
    assert code.with_suffix(".ran").exists()


def groups(folder: PartsFolder, **origin: str) -> list[Shard]:
    """The first groups of parts, whose origins may be others."""
    found = [shards.Part(str(folder.part(each.shard)), {**each.origin, **origin}) for each in counted(folder)]
    return [shards.group_shard(found[first : first + 4]) for first in (0, 4, 8)]


def test_what_other_runs_have_merged_is_not_taken(folder, stored, expected):
    """One that was killed, and a worker that outlives its run: of parts with the same names but other content."""
    first, second, _ = (each.name for each in groups(folder))
    strays = groups(folder, gold="another")
    inner = PartsFolder(str(folder.path / shards.MERGED))
    inner.path.mkdir()
    for name in (f"counts-{first}.npz", f"counts-{second}.begun", f".counts-{second}.npz.x"):
        (inner.path / name).write_text("left behind")
    (folder.path / "merged-a.npz").write_text("of somebody else")
    statuses = counted(folder)
    with lock_folder(folder):
        inner.path.mkdir()
        for stray in strays:
            save(Made().count(Shard("a", "a.jsonl")), inner.part(stray), origin=shards.PartMerger().origin(stray))
        found = merge_shards(statuses, folder, TASKS, collapsed=True)
    assert stored(found) == expected
    assert list(parts(folder.name)) == [*FILES_OF_ALL, "merged-a.npz"]


def test_a_worker_that_dies_while_it_merges_costs_its_group_alone(folder, stored, expected):
    first, second, third = (each.name for each in groups(folder))
    begun: list[list[str]] = []

    def mortal(function, items, ready, alone):
        begun.append([item.name for item in items])
        if len(begun) == 1:
            function(items[0])
            (folder.path / shards.MERGED / f"counts-{second}.begun").write_text("{}")
            raise RuntimeError("a worker was terminated")
        return one_by_one(function, items, ready, alone)

    found = in_tree(folder, Engine(mortal))
    assert begun[:3] == [[first, second, third], [first, third], [second]] and len(begun[3]) == 1 == len(begun) - 3
    assert stored(found) == expected


# Documents that several shards have are found while workers merge, by files of hashes beside the parts


def checked(folder: PartsFolder, engine: Engine = TASKS, common: str = "", names: str = NAMES, **how: Any) -> Counts:
    folder.path.mkdir(exist_ok=True)
    return in_tree(folder, engine, counted(folder, names, common=common), check_repeats=True, **how)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("together", "engine"),
    [
        *((2, TASKS), (4, REDUCES)),
        *(pytest.param(*case, marks=NIGHT) for case in ((2, REDUCES), (4, TASKS))),
    ],
)
def test_workers_merge_the_hashes_of_ids_and_this_process_reads_one_file(tmp_path, monkeypatch, engine, together):
    monkeypatch.setattr(shards, "TOGETHER", together)
    folder, read = PartsFolder(str(tmp_path / "parts")), []
    whole = id_hashes.merge_hashes
    monkeypatch.setattr(id_hashes, "merge_hashes", lambda files, to: read.append(len(files)) or whole(files, to))
    found = checked(folder, engine)
    of_groups = read[len(NAMES) :]  # those before are of the shards
    assert max(of_groups) == together and of_groups[-1] == 1
    assert found.documents == 32 == len(stored_hashes(found.id_hashes))
    ids = (f"{name}-{k}" for name in NAMES for k in [*range(1 + NAMES.index(name) % 3), "last"])
    assert found.id_hashes.read_bytes() == hashes_of(ids).read_bytes()
    names = sorted(os.listdir(folder.name))
    assert names[: len(NAMES)] == FILES_OF_ALL
    assert len(names) == 2 * len(NAMES) and all(name.startswith("nereval-ids-") for name in names[len(NAMES) :])
    assert checked(folder, engine).documents == 32, "the hashes of the shards are still there"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("common", "engine"),
    [
        pytest.param(common, engine, marks=() if k % 2 == j else NIGHT)
        for k, common in enumerate(["ab", "ac", "ak", "dk"])
        for j, engine in enumerate([TASKS, REDUCES])
    ],
)
def test_documents_that_two_shards_have_are_found_wherever_in_the_tree(tmp_path, monkeypatch, engine, common):
    monkeypatch.setattr(shards, "TOGETHER", 2)
    folder = PartsFolder(str(tmp_path / "parts"))
    first, second = common
    message = rf"^{first}\.jsonl and {second}\.jsonl have documents with the same id, 1 in all files: they would"
    with pytest.raises(ValueError, match=message):
        checked(folder, engine, common, "abcdk")
    assert not (folder.path / shards.MERGED).exists()
    found = checked(folder, engine, common, "abcdk", shared_ids=True)
    assert found.documents == 2 + 3 + 4 + 2 + 3 == len(stored_hashes(found.id_hashes)) + 1


@pytest.mark.slow
@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(file.read_bytes()[:24]), Path.unlink])
def test_a_part_whose_hashes_are_missing_or_damaged_is_counted_again(tmp_path, damage):
    folder = PartsFolder(str(tmp_path))
    whole = checked(folder).id_hashes.read_bytes()
    files = sorted(folder.path.glob("nereval-ids-*.bin"))
    for file in files[:2]:
        damage(file)
    statuses = counted(folder, common="")
    assert sum(status.replaced for status in statuses) == 2 and sum(status.kept for status in statuses) == 9
    assert checked(folder).id_hashes.read_bytes() == whole
    assert sorted(folder.path.glob("nereval-ids-*.bin")) == files


def test_what_killed_workers_left_is_deleted_before_and_behind_and_files_of_others_stay(tmp_path):
    def left() -> list[str]:
        return sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())

    def write(*names: str) -> None:
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("x")

    kept = [*("nereval-ids-4.bin", "counts-a.npz", "a.txt"), *(f"{shards.MERGED}/{name}" for name in ("a.txt", "b/c"))]
    unfinished = [".nereval-ids-4.bin.x1", ".counts-a.npz.x1", "counts-a.begun"]
    merging = [f"{shards.MERGED}/{name}" for name in ("nereval-ids-4.bin", "counts-a.npz", *unfinished)]
    write(*kept, *unfinished, *merging)
    with lock_folder(PartsFolder(str(tmp_path))):
        assert left() == sorted([*kept, "run.lock"])
        for name in kept[3:]:
            (tmp_path / name).unlink()
        (tmp_path / shards.MERGED / "b").rmdir()
        write(*unfinished, *merging)
    assert left() == sorted(kept[:3]) and not (tmp_path / shards.MERGED).exists()


# The command: workers count collapsed, continue an interrupted run, and never count a file twice


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
    assert evaluated("whole.spacy", "--collapse", *drawn) == found
    assert all(load(Path("nereval-parts", name)).collapsed for name in ALL_PARTS) and list(parts()) == ALL_PARTS


def files_of(letters: str) -> list[str]:
    """Gold and predictions."""
    return [f"{side}/{letter}.jsonl" for side in ("gold", "pred") for letter in letters]


COLLAPSED = ("--collapse", "--replicates", 50, "-m", "strict,fair", "-o", "all.npz")


def counting(letters: str, *more: object, said: str = "") -> Counts:
    """The counts that the command writes, which says something on the way."""
    done = run("count", *files_of(letters), *COLLAPSED, *more)
    assert done.exit_code == 0 and said in done.output, done.output
    return load(Path("all.npz"))


def test_files_are_added_to_what_workers_counted_before(here):
    counting("ab", "--append", "--parts", "first")
    said = "2 of 4 files are in all.npz already, and skipped: gold/a.jsonl, gold/b.jsonl"
    found = counting("abcd", "--append", "--parts", "second", said=said)
    assert [name for name in parts("second") if name.endswith(".npz")] == ["counts-c.jsonl.npz", "counts-d.jsonl.npz"]
    together = counting("abcd", "--parts", "together")
    assert (found.totals(), found.parts) == (together.totals(), together.parts)


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
        said = "total.npz was counted with another pipeline: training/model-best, or the file of --code"
        assert line.startswith(said)
    assert Path("total.npz").read_bytes() == before
