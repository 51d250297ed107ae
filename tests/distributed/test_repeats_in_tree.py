"""Documents that several shards have are found while workers merge, by files of hashes beside the parts."""

from __future__ import annotations

import os
from glob import glob
from pathlib import Path
from typing import Any

import pytest
from small_parts import NAMES, TASKS, Made, no_tasks, one_by_one, reduction

from spacy_nereval.counting.counts import Counts
from spacy_nereval.distributed import shards
from spacy_nereval.distributed.engines import Engine
from spacy_nereval.distributed.shards import PartsFolder, Shard, count_shards, locked, merged
from spacy_nereval.io import id_hashes
from spacy_nereval.io.id_hashes import hashes_of
from spacy_nereval.io.id_hashes import stored as stored_hashes


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
