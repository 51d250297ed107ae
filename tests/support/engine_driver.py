"""`python engine_driver.py ENGINE [COMMAND...]`: run a command on an engine, then keep its workers busy for minutes.

Each worker that is busy writes a file named after its process id into the folder `pids`. On Ray, which is told
of two GPUs that there are not, `gpus.json` says which one each of four tasks had. On an engine with a reduction of
its own, `joined.json` has what came of a thousand items, and `joined.txt` each process that joined some, and how many.
`jobs.json` says what Spark makes of nine items, and `died.txt` what Dask says of a task that kills its only worker.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from spacy_nereval.cli import nereval
from spacy_nereval.features.parts.engines import Engine, start_engine


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


def slow(number: int) -> tuple[int, int]:
    time.sleep(0.4)
    return number, os.getpid()


def jobs_of(spark: Engine) -> dict[str, Any]:
    """What Spark makes of nine items, and of three that are to be alone."""
    from pyspark import SparkContext

    tracker, told = SparkContext._active_spark_context.statusTracker(), []
    before = {*tracker.getJobIdsForGroup(None)}
    numbers, workers = zip(*spark.run(slow, range(9), told.append))
    jobs = {*tracker.getJobIdsForGroup(None)} - before
    tasks = [tracker.getStageInfo(stage).numTasks for job in jobs for stage in tracker.getJobInfo(job).stageIds]
    spark.run(abs, range(3), print, alone=True)
    alone = len({*tracker.getJobIdsForGroup(None)} - before - jobs)
    return {"numbers": numbers, "workers": len({*workers}), "tasks": tasks, "told": told, "alone": alone}


def dies(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def given_up_by_dask() -> str:
    """What Dask raises if the only worker dies of a task that is not to be tried again."""
    import dask

    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), start_engine("dask", 1) as workers:
        try:
            workers.run(dies, [1], print)
        except Exception as error:  # of whatever kind: that the run ends at all is what is asked
            return type(error).__name__
    return "nothing"


def main(engine: str, *command: str) -> None:
    if engine == "ray":
        import ray

        ray.init(num_cpus=2, num_gpus=2)
    if command:
        nereval([*command], standalone_mode=False)
    if engine == "ray":
        with start_engine(engine, 2, gpus=True) as workers:
            Path("gpus.json").write_text(json.dumps(workers.run(gpu, range(4), print)))
    if engine == "dask":
        Path("died.txt").write_text(given_up_by_dask())
    with start_engine(engine, 2) as workers:
        if engine == "spark":
            Path("jobs.json").write_text(json.dumps(jobs_of(workers)))
        if workers.reduce:
            joined = workers.reduce(together, [[number] for number in range(1000)], 32)
            Path("joined.json").write_text(json.dumps({"driver": os.getpid(), "numbers": joined}))
        workers.run(busy, [os.getcwd()] * 4, print)


if __name__ == "__main__":
    main(*sys.argv[1:])
