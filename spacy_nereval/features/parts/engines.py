"""Run a function on the workers of an engine: processes of this machine, Ray, Dask or Spark.

Ray and processes are used through joblib. Dask is used directly, since joblib waits forever for a task that Dask has
given up. Spark is used directly, since joblib starts a job for every task.

An engine's errors are raised, and the command prints its progress, so the engine's own log and progress bars are off.
"""

from __future__ import annotations

import gc
import logging
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import itemgetter
from secrets import token_bytes
from threading import Event, Thread
from typing import Any, Protocol, TypeVar, cast

from ...core.messages import describe_unknown, install_command

ENGINES = ("loky", "ray", "dask", "spark")

POLL_SECONDS = 1.0
"""Seconds between two checks by a worker that its parent is alive, or by the driver how many items are finished."""

T = TypeVar("T")

Ready = Callable[[int], Any]
"""A function that is called with the number of finished items."""


class Run(Protocol):
    """Calls a function with every item, each on some worker.

    Args:
        function: The function to call. It and the items have to be picklable.
        items: Its arguments, one per call.
        ready: Called with the number of finished items, whenever it grows.
        alone: Whether each item starts only when the previous one is finished.

    Returns:
        The results of the function, in the order of the items.

    Raises:
        Exception: An error of the function, or of the engine when a worker dies.
    """

    def __call__(
        self, function: Callable[[Any], T], items: Sequence[Any], ready: Ready, alone: bool = False
    ) -> list[T]: ...


class Reduce(Protocol):
    """Joins items in a tree: workers join groups of items, then groups of the results, until one item is left.

    Args:
        function: Joins several items to one. It and the items have to be picklable.
        items: The items, at least one.
        group_size: Maximum number of items that one call joins.

    Returns:
        The last item.

    Raises:
        Exception: An error of the function, or of the engine when workers die again and again.
    """

    def __call__(self, function: Callable[[list[T]], T], items: Sequence[T], group_size: int) -> T: ...


@dataclass(frozen=True)
class Engine:
    """A running engine.

    Attributes:
        run: Runs a function on its workers.
        reduce: Its own tree reduction; None if it has none.
    """

    run: Run
    reduce: Reduce | None = None


@contextmanager
def start_engine(engine: str, workers: int = -1, *, gpus: bool = False) -> Iterator[Engine]:
    """Start an engine.

    If there is a running cluster where the engine usually looks (RAY_ADDRESS,
    DASK_SCHEDULER_ADDRESS, or Spark's own configuration), the engine uses it. Otherwise it
    starts one on this machine. Its workers end within seconds of this process, even if
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
        >>> with start_engine("loky", workers=1) as loky:
        ...     loky.run(str.upper, ["a", "b"], ready=lambda number: None)
        ['A', 'B']
    """
    if engine not in ENGINES:
        raise ValueError(describe_unknown(engine, ENGINES, "engine"))
    backend = {"loky": _loky, "ray": _ray, "dask": _dask, "spark": _spark}[engine]
    with ExitStack() as stack:
        try:
            handle = stack.enter_context(backend(workers, gpus))
        except ImportError as error:
            raise ValueError(f"the engine {engine} is not installed ({error}): {install_command(engine)}") from None
        except Exception as error:  # each engine has its own exceptions
            raise ValueError(f"the engine {engine} does not start: {type(error).__name__}: {error}") from error
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", module="joblib|pyspark|ray|distributed|dask")
        yield handle


def _joblib_run(engine: str, workers: int, settings: Mapping[str, Any]) -> Run:
    """Return a `Run` that runs tasks with one of joblib's backends."""
    from joblib import Parallel, delayed, parallel_config

    def run(function: Callable[[Any], T], items: Sequence[Any], ready: Ready, alone: bool = False) -> list[T]:
        class ReportingParallel(Parallel):
            def print_progress(self) -> None:  # joblib calls this whenever a task is done
                ready(self.n_completed_tasks)

        with parallel_config(backend=engine, n_jobs=workers, **settings):
            ahead = 1 if alone else "2 * n_jobs"
            return ReportingParallel(batch_size=1, pre_dispatch=ahead)(delayed(function)(item) for item in items)

    return run


@contextmanager
def _loky(workers: int, gpus: bool) -> Iterator[Engine]:
    """Use processes of this machine, which joblib starts on demand. All of them see its GPUs.

    The workers of the other engines end with the process that started them; these have to watch it.
    """
    yield Engine(_joblib_run("loky", workers, {"initializer": _parent_watcher(os.getpid())}))


@lru_cache(maxsize=1)
def _parent_watcher(parent: int) -> Callable[[], None]:
    """Return the function that workers call first. It is cached: joblib reuses workers only for an equal function."""
    return partial(exit_after_parent, parent)


def exit_after_parent(parent: int) -> None:
    """End this process soon after its parent, however the parent ends.

    On Linux and macOS, a process gets a new parent when its parent ends. Windows keeps the old one, so
    workers there first finish the file that they count.

    Args:
        parent: The process id of the parent.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)
        os._exit(1)  # nobody waits for the result, and `count_shard` leaves no half-written file

    Thread(target=watch, name="end-with-parent", daemon=True).start()


@contextmanager
def _ray(workers: int, gpus: bool) -> Iterator[Engine]:
    import ray
    from ray.util.joblib import register_ray

    register_ray()
    if not ray.is_initialized():
        ray.init(logging_level=logging.ERROR, log_to_driver=False)
    yield Engine(_joblib_run("ray", workers, {"ray_remote_args": {"num_gpus": 1}} if gpus else {}))


@contextmanager
def _dask(workers: int, gpus: bool) -> Iterator[Engine]:
    """Connect to a Dask cluster. `gpus` has no effect: Dask assigns GPUs when it starts its workers."""
    import dask
    from dask import bag
    from distributed import Client, as_completed

    local = {"n_workers": workers if workers > 0 else None, "threads_per_worker": 1, "dashboard_address": ":0"}
    # After this time, Dask looks for a worker that has died, and gives it up if it has died again just then.
    settings = {"distributed.deploy.lost-worker-timeout": "1 day"}
    if not dask.config.get("logging", None):
        settings["logging.distributed"] = "critical"  # for its workers
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
    cluster = {} if dask.config.get("scheduler-address", None) else local
    with dask.config.set(settings), Client(**cluster) as client:

        def run(function: Callable[[Any], T], items: Sequence[Any], ready: Ready) -> list[T]:
            futures = client.map(function, items, pure=False)
            try:
                done = (future for future in as_completed(futures) if future.status == "finished")
                for number, _ in enumerate(done, 1):
                    ready(number)
                return cast("list[T]", client.gather(futures))
            finally:
                client.cancel(futures)  # otherwise tasks go on after one of them has failed

        def reduce(function: Callable[[list[T]], T], items: Sequence[T], group_size: int) -> T:
            def join(group: Iterable[T]) -> T:
                return function([*group])

            groups = bag.from_sequence(items, partition_size=group_size)
            return cast(T, client.compute(groups.reduction(join, join, split_every=group_size)).result())

        yield Engine(_support_alone(run), reduce)


@contextmanager
def _spark(workers: int, gpus: bool) -> Iterator[Engine]:
    from pyspark.sql.utils import is_remote

    with _hold_back_stderr():
        session = _spark_session(workers)
    if is_remote():  # it has no RDDs, so it cannot reduce
        yield Engine(_support_alone(_dataframe_run(session, gpus)))
        return
    context = session.sparkContext
    if "PYSPARK_PYTHON" not in os.environ and context.master.startswith("local"):
        context.pythonExec = sys.executable  # by default its workers run `python3`, which may lack this package

    def run(function: Callable[[Any], T], items: Sequence[Any], ready: Ready) -> list[T]:
        done = context.accumulator(0)

        def run_task(item: Any) -> T:
            result = function(item)
            _keep_imports()
            done.add(1)
            return result

        tasks = context.parallelize(items, len(items) or 1)
        if gpus and not context.master.startswith("local"):  # which gives tasks no resources
            tasks = tasks.withResources(_gpu_profile())
        with _report_progress(ready, lambda: done.value):
            return cast("list[T]", tasks.map(run_task).collect())

    def reduce(function: Callable[[list[T]], T], items: Sequence[T], group_size: int) -> T:
        # RDD.treeReduce would join two items at a time, and the last of them in this process.
        left, level = len(items), context.parallelize([*enumerate(items)])
        while left > 1:
            left = -(-left // group_size)
            groups = level.map(lambda item: (item[0] // group_size, item[1])).groupByKey(left)
            level = groups.mapValues(lambda group: function([*group]))
        ((_, result),) = level.collect()
        return result

    yield Engine(_support_alone(run), reduce)


@lru_cache(maxsize=1)
def _keep_imports() -> None:
    """Exempt a worker's imports from garbage collection, which PySpark runs after every task."""
    gc.collect()
    gc.freeze()


def _spark_session(workers: int) -> Any:
    """Return the active session, or a new one from Spark's own configuration, without progress bars and log.

    Without a configured master, the session has this number of workers on this machine.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    if session := SparkSession.getActiveSession():
        return session
    settings = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}  # errors are raised
    if os.name == "posix":  # TCP makes every task wait for the end of a delay; Spark before 4.1 ignores the setting
        settings["spark.python.unix.domain.socket.enabled"] = "true"
    builder = SparkSession.builder.appName("nereval")
    remote = os.environ.get("SPARK_REMOTE", "")
    if is_remote() or remote:
        if remote.startswith("local"):  # the server is started here
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            builder = builder.config(map=settings)
        return builder.getOrCreate()
    SparkContext._ensure_initialized()  # Spark then knows its configuration, whoever started it
    configured = SparkConf().get("spark.master", "local[*]")
    master = f"local[{workers}]" if configured == "local[*]" and workers > 0 else configured
    return builder.master(master).config(map=settings).getOrCreate()


@contextmanager
def _hold_back_stderr() -> Iterator[None]:
    """Hold back the stderr of programs that start in this block, and print it if the block fails.

    Their later output on stderr is passed on.
    """
    stderr = os.dup(2)
    read_end, write_end = os.pipe()
    mark = token_bytes(16).hex().encode() + b"\n"
    lines: list[bytes] = []
    passing = Event()

    def copy() -> None:
        with open(read_end, "rb") as source, open(stderr, "wb", buffering=0) as target:
            for line in source:
                if passing.is_set():
                    target.write(line)
                elif line.endswith(mark):
                    passing.set()
                else:
                    lines.append(line)

    os.dup2(write_end, 2)
    os.close(write_end)
    Thread(target=copy, name="copy-stderr", daemon=True).start()
    try:
        yield
    except BaseException:
        os.write(2, mark)
        passing.wait(POLL_SECONDS)
        os.write(stderr, b"".join(lines))
        raise
    else:
        os.write(2, mark)
    finally:
        os.dup2(stderr, 2)


@contextmanager
def _report_progress(ready: Ready, number: Callable[[], int]) -> Iterator[None]:
    """Call `ready` with the number of finished items of a job whenever it has grown."""
    finished = Event()

    def watch() -> None:
        reported = 0
        while True:
            last = finished.wait(POLL_SECONDS)
            if (current := number()) > reported:
                ready(reported := current)
            if last:
                return

    thread = Thread(target=watch, name="report-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _dataframe_run(session: Any, gpus: bool) -> Callable[..., list[Any]]:
    """Return a function that runs another on the workers of Spark Connect, which has only DataFrames."""

    def run(function: Callable[[Any], T], items: Sequence[Any], ready: Ready) -> list[T]:
        def run_batches(batches: Iterable[Any]) -> Iterator[Any]:
            from pyarrow import RecordBatch

            for batch in batches:
                for packed in batch.column("item").to_pylist():
                    number, item = pickle.loads(packed)
                    yield RecordBatch.from_pydict({"item": [pickle.dumps((number, function(item)))]})
                    _keep_imports()

        frame = session.createDataFrame([(pickle.dumps(item),) for item in enumerate(items)], "item binary")
        frame = frame.coalesce(1).repartition(len(items) or 1)  # of a single partition, every row goes to its own
        rows = frame.mapInArrow(run_batches, "item binary", **({"profile": _gpu_profile()} if gpus else {})).collect()
        ready(len(rows))
        return [result for _, result in sorted((pickle.loads(row.item) for row in rows), key=itemgetter(0))]

    return run


def _gpu_profile() -> Any:
    """Return Spark's resource profile of tasks that need a GPU each."""
    from pyspark.resource import ResourceProfileBuilder, TaskResourceRequests

    return ResourceProfileBuilder().require(TaskResourceRequests().cpus(1).resource("gpu", 1)).build


def _support_alone(run: Callable[..., list[Any]]) -> Run:
    """Return a `Run` that calls `run` once with all items, or with `alone` once per item."""

    def run_all(function: Callable[[Any], T], items: Sequence[Any], ready: Ready, alone: bool = False) -> list[T]:
        jobs = [[item] for item in items] if alone else [items]
        return [result for job in jobs for result in run(function, job, ready)]

    return run_all
