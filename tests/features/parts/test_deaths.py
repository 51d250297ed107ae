"""Whoever is killed, workers or the process that gives them work, nothing is lost or counted twice."""

import os
from pathlib import Path
from subprocess import CompletedProcess

import mortal
import numpy as np
import pytest
from processes import LEAN, python
from products import mostly_at_night
from test_engines import installed

from spacy_nereval.io.count_files import load, save
from spacy_nereval.io.id_hashes import hashes_of, name_of_hashes

SUPPORT = Path(mortal.__file__).parent

DEATHS = {"loky": {"driver": 2, "counter": 6, "merger": 2}, "dask": {"counter": 8, "merger": 2}}
ENOUGH = 9
"""So many processes have to die. Some end before their death, and others die in their place."""


@pytest.mark.slow
@pytest.mark.parametrize("engine", mostly_at_night(DEATHS, by_day=["loky"]))
def test_nothing_is_lost_or_counted_twice_whoever_is_killed(tmp_path, engine):
    """A run that fails because a file killed its worker twice is repeated, as its user is told to do."""
    installed(engine)
    for folder in ("deaths", "dying", "dead"):
        (tmp_path / folder).mkdir()
    for who, number in DEATHS[engine].items():
        for death in range(number):
            (tmp_path / "deaths" / f"{who}-{death:02}").touch()
    runs: list[CompletedProcess[str]] = []
    environment = {"MORTAL": str(tmp_path), "OMP_NUM_THREADS": "1"}
    while not (tmp_path / "all.npz").exists() or len(os.listdir(tmp_path / "dead")) < ENOUGH:
        assert len(runs) < 2 * ENOUGH, runs[-1].stderr
        if not os.listdir(tmp_path / "deaths"):
            (tmp_path / "deaths" / f"counter-again-{len(runs)}").touch()
        (tmp_path / "all.npz").unlink(missing_ok=True)
        if runs and not runs[-1].returncode:  # all is counted, and somebody is still to die
            for part in sorted((tmp_path / "parts").glob("counts-*.npz"))[::2]:
                part.unlink()
        runs.append(python(SUPPORT / "mortal.py", engine, path=[LEAN, SUPPORT], env=environment, seconds=300))
    found, expected = load(tmp_path / "all.npz"), tmp_path / "expected.npz"
    save(all_counts(), expected)
    with np.load(expected) as wanted, np.load(tmp_path / "all.npz") as arrays:
        assert arrays.files == wanted.files
        assert all((arrays[name] == wanted[name]).all() for name in wanted)
    assert found.documents == 40 * len(mortal.SHARDS)
    names = sorted(os.listdir(tmp_path / "parts"))
    assert names[: len(mortal.SHARDS)] == [f"counts-{shard.name}.npz" for shard in mortal.SHARDS]
    hashes = {f"nereval-ids-{name_of_hashes(hashes_of(mortal.ids_of(shard)))}.bin" for shard in mortal.SHARDS}
    assert {*names[len(mortal.SHARDS) :]} == hashes


def all_counts():
    """The counts of all shards, added in one process."""
    total, *others = [mortal.Mortal().count(shard) for shard in mortal.SHARDS]
    for other in others:
        total += other
    total.id_hashes = hashes_of(id for shard in mortal.SHARDS for id in mortal.ids_of(shard))
    return total
