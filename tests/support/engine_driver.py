"""`python engine_driver.py ENGINE [COMMAND...]`: run a command on an engine, then keep its workers busy for minutes.

Each worker that is busy writes a file named after its process id into the folder `pids`. On Ray, which is told
of two GPUs that there are not, `gpus.json` says which one each of four tasks had. On an engine with a reduction of
its own, `joined.json` has what came of a thousand items, and `joined.txt` each process that joined some, and how many.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from spacy_nereval.cli import nereval
from spacy_nereval.distributed.engines import started


def busy(folder: str) -> None:
    Path(folder, "pids", str(os.getpid())).touch()
    time.sleep(120)


def gpu(number: int) -> str | None:
    time.sleep(0.5)
    return os.environ.get("CUDA_VISIBLE_DEVICES")


def together(lists: list[list[int]]) -> list[int]:
    """Join lists, and note in a file how many they are and which process does that."""
    with Path("joined.txt").open("a") as file:
        file.write(f"{os.getpid()} {len(lists)}\n")
    return [number for each in lists for number in each]


def main(engine: str, *command: str) -> None:
    if engine == "ray":
        import ray

        ray.init(num_cpus=2, num_gpus=2)
    if command:
        nereval([*command], standalone_mode=False)
    if engine == "ray":
        with started(engine, 2, gpus=True) as workers:
            Path("gpus.json").write_text(json.dumps(workers.run(gpu, range(4), print)))
    with started(engine, 2) as workers:
        if workers.reduce:
            joined = workers.reduce(together, [[number] for number in range(1000)], 32)
            Path("joined.json").write_text(json.dumps({"driver": os.getpid(), "numbers": joined}))
        workers.run(busy, [os.getcwd()] * 4, print)


if __name__ == "__main__":
    main(*sys.argv[1:])
