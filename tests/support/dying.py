"""Start with loky a worker that dies before it has begun a file: once, or whenever there is one."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spacy_nereval import Counts, Document, count, create
from spacy_nereval.features.parts.engines import start_engine
from spacy_nereval.features.parts.shards import PartsFolder, Shard, count_shards


class Dies:
    """Counts shards of one document. It ends the worker that receives it."""

    def __init__(self, folder: str, *, always: bool) -> None:
        self.folder, self.always, self.driver = folder, always, os.getpid()

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        mark = Path(self.folder, "died")
        if os.getpid() != self.driver and (self.always or not mark.exists()):
            mark.mkdir(exist_ok=True)
            os._exit(9)

    def origin(self, shard: Shard) -> dict[str, Any]:
        return {"gold": shard.gold}

    def count(self, shard: Shard) -> Counts:
        return count([Document([(0, 1, "A")], [(0, 1, "A")], id=shard.name)], [create("strict")])


if __name__ == "__main__":
    from dying import Dies as Named  # which workers can import

    folder, always = sys.argv[1], sys.argv[2] == "always"
    with start_engine("loky", 2) as loky:
        shards = [Shard(f"s{k}", f"g{k}") for k in range(3)]
        found = count_shards(shards, Named(folder, always=always), PartsFolder(folder), loky.run)
        print([each.error for each in found])
