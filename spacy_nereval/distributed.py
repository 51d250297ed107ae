"""Count the rows of an engine's table, or parts of a corpus, with many workers: the functions of `features.parts`.

Names are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .features.parts.partitions import combine, count_dask, count_partition, count_ray, count_spark, merge

__all__ = ["combine", "count_dask", "count_partition", "count_ray", "count_spark", "merge"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__package__}.features.parts.partitions"), name)
