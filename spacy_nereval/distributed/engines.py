"""Run a function on the workers of an engine: processes of this machine, Ray, Dask or Spark.

Dask is used directly, since joblib waits forever for a task that Dask has given up. The others are
used through joblib.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import Thread
from typing import Any, Protocol, TypeVar

from ..core.messages import install

ENGINES = ("loky", "ray", "dask", "spark")

LOOKS = 1.0
"""Seconds between two checks by a worker that the run that started it still exists."""

T = TypeVar("T")

Ready = Callable[[int], Any]
"""A function that is called with the number of finished items."""


class Run(Protocol):
    """Calls a function with every item, each on some worker.

    Args:
        function: What to call. It and the items have to be picklable.
        items: What to call it with.
        ready: Called with the number of finished items, whenever it grows.
        alone: Whether each item starts only when the previous one is finished.

    Returns:
        What the function returned, in the order of the items.

    Raises:
        Exception: What the function raised, or what the engine raises when a worker dies.
    """

    def __call__(
        self, function: Callable[[Any], T], items: Sequence[Any], ready: Ready, alone: bool = False
    ) -> list[T]: ...


class Reduce(Protocol):
    """Joins items in a tree, until one is left: workers join some items to one, then some of what came of that.

    Args:
        function: Joins several items to one. It and the items have to be picklable.
        items: The items, at least one.
        together: Maximum number of items that one call joins.

    Returns:
        The last item.

    Raises:
        Exception: What the function raised, or what the engine raises when workers die again and again.
    """

    def __call__(self, function: Callable[[list[T]], T], items: Sequence[T], together: int) -> T: ...


@dataclass(frozen=True)
class Engine:
    """An engine that was started.

    Attributes:
        run: Runs a function on its workers.
        reduce: Its own way to join items in a tree; None if it has none.
    """

    run: Run
    reduce: Reduce | None = None


@contextmanager
def started(engine: str, workers: int = -1, *, gpus: bool = False) -> Iterator[Engine]:
    """Start an engine.

    If there is a running cluster where the engine usually looks (RAY_ADDRESS,
    DASK_SCHEDULER_ADDRESS, or Spark's own configuration), the engine uses it. Otherwise it
    starts one on this machine, whose workers end within seconds of this process, even if
    this process is killed.

    Args:
        engine: One of `ENGINES`.
        workers: The number of workers; -1 for as many as the engine has.
        gpus: Whether each worker needs a GPU of its own.

    Yields:
        The engine, which runs functions on its workers.

    Raises:
        ValueError: If there is no such engine, or if it is not installed or does not start.

    Example:
        >>> with started("loky", workers=1) as loky:
        ...     loky.run(str.upper, ["a", "b"], ready=lambda number: None)
        ['A', 'B']
    """
    if engine not in ENGINES:
        raise ValueError(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
    backend = {"loky": _loky, "ray": _ray, "dask": _dask, "spark": _spark}[engine]
    with ExitStack() as stack:
        try:
            found = stack.enter_context(backend(workers, gpus))
        except ImportError as error:
            raise ValueError(f"the engine {engine} is not installed ({error}): {install(engine)}") from None
        except Exception as error:  # each engine has its own exceptions
            raise ValueError(f"the engine {engine} does not start: {type(error).__name__}: {error}") from error
        yield found


def _with_joblib(engine: str, workers: int, settings: Mapping[str, Any]) -> Run:
    from joblib import Parallel, delayed, parallel_config

    def run(function: Callable[[Any], T], items: Sequence[Any], ready: Ready, alone: bool = False) -> list[T]:
        class Watched(Parallel):
            def print_progress(self) -> None:  # joblib calls this whenever a task is done
                ready(self.n_completed_tasks)

        with parallel_config(backend=engine, n_jobs=workers, **settings):
            ahead = 1 if alone else "2 * n_jobs"
            return Watched(batch_size=1, pre_dispatch=ahead)(delayed(function)(item) for item in items)

    return run


@contextmanager
def _loky(workers: int, gpus: bool) -> Iterator[Engine]:
    """Start nothing: joblib starts processes of this machine by itself. All of them see its GPUs.

    The workers of the other engines end with the process that started them; these have to watch it.
    """
    yield Engine(_with_joblib("loky", workers, {"initializer": _ending_with(os.getpid())}))


@lru_cache(maxsize=1)
def _ending_with(parent: int) -> Callable[[], None]:
    """Return what workers run when they start. Where it is the same, joblib takes the workers of the last run."""
    return partial(end_with, parent)


def end_with(parent: int) -> None:
    """End this process soon after its parent, however the parent ends.

    Linux and macOS give a process whose parent has ended another parent. Windows does not, so
    workers there first finish the file that they count.

    Args:
        parent: The process id of the parent.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOKS)
        os._exit(1)  # nobody waits for the result, and `count_shard` leaves no half-written file

    Thread(target=watch, name="end-with-parent", daemon=True).start()


@contextmanager
def _ray(workers: int, gpus: bool) -> Iterator[Engine]:
    from ray.util.joblib import register_ray

    register_ray()
    yield Engine(_with_joblib("ray", workers, {"ray_remote_args": {"num_gpus": 1}} if gpus else {}))


@contextmanager
def _dask(workers: int, gpus: bool) -> Iterator[Engine]:
    """Connect to a Dask cluster. `gpus` has no effect: Dask assigns GPUs when it starts its workers."""
    import dask
    from dask import bag
    from distributed import Client, as_completed

    local = {"n_workers": workers if workers > 0 else None, "threads_per_worker": 1, "dashboard_address": ":0"}
    # After this time, Dask looks for a worker that has died, and gives it up if it has died again just then.
    patience = {"distributed.deploy.lost-worker-timeout": "1 day"}
    cluster = {} if dask.config.get("scheduler-address", None) else local
    with dask.config.set(patience), Client(**cluster) as client:

        def run(function: Callable[[Any], T], items: Sequence[Any], ready: Ready, alone: bool = False) -> list[T]:
            if alone:
                return [result for item in items for result in run(function, [item], ready)]
            futures = client.map(function, items, pure=False)
            try:
                done = (future for future in as_completed(futures) if future.status == "finished")
                for number, _ in enumerate(done, 1):
                    ready(number)
                found: list[T] = client.gather(futures)
                return found
            finally:
                client.cancel(futures)  # otherwise tasks go on after one of them has failed

        def reduce(function: Callable[[list[T]], T], items: Sequence[T], together: int) -> T:
            def joined(some: Iterable[T]) -> T:
                return function([*some])

            groups = bag.from_sequence(items, partition_size=together)
            found: T = client.compute(groups.reduction(joined, joined, split_every=together)).result()
            return found

        yield Engine(run, reduce)


@contextmanager
def _spark(workers: int, gpus: bool) -> Iterator[Engine]:
    from joblibspark import register_spark
    from joblibspark.backend import is_spark_connect_mode
    from joblibspark.utils import get_spark_session

    register_spark()
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", module="joblibspark|pyspark"
        )  # the warnings are about missing packages that are not needed
        session = get_spark_session()
        run = _with_joblib("spark", workers, {"num_gpus_per_spark_task": 1} if gpus else {})
        if is_spark_connect_mode():  # it has no RDDs, so it cannot reduce
            yield Engine(run)
            return
        context = session.sparkContext
        if "PYSPARK_PYTHON" not in os.environ and context.master.startswith("local"):
            context.pythonExec = sys.executable  # by default its workers run `python3`, which may lack this package

        def reduce(function: Callable[[list[T]], T], items: Sequence[T], together: int) -> T:
            # RDD.treeReduce would join two items at a time, and the last of them in this process.
            left, level = len(items), context.parallelize([*enumerate(items)])
            while left > 1:
                left = -(-left // together)
                groups = level.map(lambda item: (item[0] // together, item[1])).groupByKey(left)
                level = groups.mapValues(lambda some: function([*some]))
            ((_, found),) = level.collect()
            return found

        yield Engine(run, reduce)
