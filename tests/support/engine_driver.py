"""`python engine_driver.py ENGINE [COMMAND...]`: run a command on an engine, then keep its workers busy for minutes.

Each worker that is busy writes a file named after its process id into the folder `pids`. On Ray, which is told
of two GPUs that there are not, `gpus.json` says which one each of four tasks had.
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


def main(engine: str, *command: str) -> None:
    if engine == "ray":
        import ray

        ray.init(num_cpus=2, num_gpus=2)
    if command:
        nereval([*command], standalone_mode=False)
    if engine == "ray":
        with started(engine, 2, gpus=True) as run:
            Path("gpus.json").write_text(json.dumps(run(gpu, range(4), print)))
    with started(engine, 2) as run:
        run(busy, [os.getcwd()] * 4, print)


if __name__ == "__main__":
    main(*sys.argv[1:])
