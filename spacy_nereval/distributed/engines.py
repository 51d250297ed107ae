"""The engines that tasks run on: joblib's, which are those that people already operate."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol, TypeVar

ENGINES = ("loky", "ray", "dask", "spark")

T = TypeVar("T")

Ready = Callable[[int], Any]
"""Is called with the number of items that are ready."""


class Run(Protocol):
    """Calls a function with every item on some worker, with one at a time if they
    are to be `alone`, and lists what it returns."""

    def __call__(
        self, function: Callable[[Any], T], items: Sequence[Any], ready: Ready, alone: bool = False
    ) -> list[T]: ...


@contextmanager
def started(engine: str, workers: int = -1, *, gpus: bool = False) -> Iterator[Run]:
    """An engine with so many workers, by default as many as it has. With `gpus` each worker asks for one.

    A cluster is found where the engine itself looks for it, and otherwise
    started here: RAY_ADDRESS, DASK_SCHEDULER_ADDRESS, Spark's own configuration.

    Raises ValueError if there is no such engine, or if it is not installed.
    """
    if engine not in ENGINES:
        raise ValueError(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
    backend = {"loky": _loky, "ray": _ray, "dask": _dask, "spark": _spark}[engine]
    with ExitStack() as stack:
        try:
            from joblib import Parallel, delayed, parallel_config

            settings = stack.enter_context(backend(workers, gpus))
        except ImportError as error:
            raise ValueError(
                f"the engine {engine} is not installed ({error}): python -m pip install 'spacy-nereval[{engine}]'"
            ) from None
        except Exception as error:
            raise ValueError(f"the engine {engine} does not start: {type(error).__name__}: {error}") from error

        def run(function: Callable[[Any], T], items: Sequence[Any], ready: Ready, alone: bool = False) -> list[T]:
            class Watched(Parallel):
                def print_progress(self) -> None:  # joblib calls it whenever a task is done
                    ready(self.n_completed_tasks)

            with parallel_config(backend=engine, n_jobs=workers, **settings):
                ahead = 1 if alone else "2 * n_jobs"
                return Watched(batch_size=1, pre_dispatch=ahead)(delayed(function)(item) for item in items)

        yield run


@contextmanager
def _loky(workers: int, gpus: bool) -> Iterator[dict[str, Any]]:
    """Processes of this machine; all of them see its GPUs."""
    yield {}


@contextmanager
def _ray(workers: int, gpus: bool) -> Iterator[dict[str, Any]]:
    from ray.util.joblib import register_ray

    register_ray()
    yield {"ray_remote_args": {"num_gpus": 1}} if gpus else {}


@contextmanager
def _dask(workers: int, gpus: bool) -> Iterator[dict[str, Any]]:
    """Dask gives GPUs to workers when they are started, not to tasks."""
    import dask
    from distributed import Client
    from joblib._dask import DaskDistributedBackend
    from joblib.parallel import register_parallel_backend

    class Backend(DaskDistributedBackend):
        """joblib's, which waits for ever for a task that Dask has given up."""

        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)
            future.add_done_callback(lambda done: done.exception() and callback(done.exception()))
            return future

        def effective_n_jobs(self, n_jobs: int) -> int:
            """Two at least: with one, which may be all that is left of them, joblib would do without Dask."""
            return max(2, super().effective_n_jobs(n_jobs))

    register_parallel_backend("dask", Backend)
    here = {"n_workers": workers if workers > 0 else None, "threads_per_worker": 1, "dashboard_address": ":0"}
    with Client(**({} if dask.config.get("scheduler-address", None) else here)) as client:
        yield {"client": client}


@contextmanager
def _spark(workers: int, gpus: bool) -> Iterator[dict[str, Any]]:
    from joblibspark import register_spark

    register_spark()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="joblibspark|pyspark")  # what they lack here is not made use of
        yield {"num_gpus_per_spark_task": 1} if gpus else {}
