"""Count a corpus of many files, or the rows of an engine's table, with many workers, on one machine or a cluster.

May import every room but `compat`, `testing` and `cli`. Names are loaded on first use: workers that count files do not
need what reads rows.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .partitions import combine, count_dask, count_partition, count_ray, count_spark, merge

__all__ = ["combine", "count_dask", "count_partition", "count_ray", "count_spark", "merge"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.partitions"), name)
