"""A run whose processes are killed at random moments. `python mortal.py ENGINE FOLDER` starts it, or goes on with it.

Every file `FOLDER/deaths/WHO-NUMBER` is one death: whoever takes it is killed soon
afterwards, wherever it is then. WHO is `driver`, `counter` (a worker that counts) or `merger`.
"""

import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

from made_up import corpus

from spacy_nereval import create_all
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.collapsing import count_collapsed
from spacy_nereval.features.parts import shards
from spacy_nereval.features.parts.engines import start_engine
from spacy_nereval.features.parts.shards import PartsFolder, Shard, count_shards, lock_folder
from spacy_nereval.io.count_files import save
from spacy_nereval.io.id_hashes import hashes_of

FOLDER = Path(os.environ.get("MORTAL", "."))
SHARDS = [Shard(f"{number:02}", f"{number:02}.jsonl") for number in range(24)]
random = Random(os.getpid())


def marked_for_death(who: str, chance: float = 0.7, seconds: float = 0.1) -> None:
    """Take a death, perhaps, if there is one left, and be killed within so many seconds."""
    if random.random() > chance:
        return
    for death in sorted((FOLDER / "deaths").glob(f"{who}-*")):
        try:
            death.rename(FOLDER / "dying" / death.name)
        except FileNotFoundError:  # another process took it
            continue
        Timer(random.uniform(0, seconds), die, [death.name]).start()
        return


def die(name: str) -> None:
    (FOLDER / "dead" / name).touch()
    os.kill(os.getpid(), signal.SIGKILL)


def ids_of(shard: Shard) -> list[str]:
    """Return the ids of the documents of a shard."""
    return [f"{shard.name}-{number}" for number in range(40)]


class Mortal:
    """Counts a few made-up documents for each shard, and may be killed meanwhile."""

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        return {"gold": shard.gold}

    def count(self, shard: Shard) -> Counts:
        marked_for_death("counter")
        counts = count_collapsed(corpus(40, seed=int(shard.name)), create_all(["strict", "fair"]), 10)
        counts.sources, counts.parts = [shard.gold], [f"{int(shard.name):032}"]
        counts.id_hashes = hashes_of(ids_of(shard))
        time.sleep(0.02)
        return counts


class MortalMerging(shards.PartMerger):
    """Merges parts, and may be killed meanwhile."""

    def count(self, shard: Shard) -> Counts:
        marked_for_death("merger")
        counts = super().count(shard)
        time.sleep(0.02)
        return counts


def main(engine: str) -> None:
    shards.TOGETHER, shards.PartMerger = 4, MortalMerging
    marked_for_death("driver", 1, 3)
    folder = PartsFolder(str(FOLDER / "parts"))
    with start_engine(engine, 2) as workers, lock_folder(folder):
        statuses = count_shards(SHARDS, Mortal(), folder, workers.run)
        if lost := [status.error for status in statuses if status.error]:
            sys.exit("\n".join(lost))
        found = shards.merge_shards(statuses, folder, workers, collapsed=True, check_repeats=True)
        save(found, FOLDER / "all.npz")


if __name__ == "__main__":
    import mortal  # so that workers find its classes by name

    mortal.main(sys.argv[1])
