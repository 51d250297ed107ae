"""One line with everything that can change a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from ..about import __version__
from ..core.declaration import Metric
from ..counting.counts import Counts
from ..metrics.registry import options_of


def signature(counts: Counts, *more: str, average: str = "micro", short: bool = False) -> str:
    """The signature of a result. Two results with one signature, from the same data, are equal.

    more: further parts, such as those of intervals. short: leave out options
    that have their default.

    >>> from spacy_nereval import Document, count, create
    >>> counts = count([], [create("loio", s=1), create("wrf")])
    >>> signature(counts, short=True).split("|")[:4]
    ['spacy-nereval', 'loio:s=1.0', 'wrf', 'avg:micro']
    """
    parts = [
        "spacy-nereval",
        *(_metric(metric, short) for metric in counts.metrics),
        *([f"spans:{counts.spans_key}"] if counts.spans_key else []),
        f"avg:{average}",
        f"docs:{counts.documents}",
        *more,
        f"v{__version__}",
        f"spacy:{_spacy_version()}",
    ]
    return "|".join(parts)


@cache
def _spacy_version() -> str:
    return version("spacy")


def _metric(metric: Metric, short: bool) -> str:
    defaults = {option.name: option.default for option in options_of(metric.name)} if short else {}
    shown = [f"{key}={_value(v)}" for key, v in metric.settings.items() if key not in defaults or defaults[key] != v]
    version = [f"version={metric.version}"] if metric.version > 1 else []
    return ":".join([metric.name, *([",".join(shown + version)] if shown or version else [])])


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_value(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ",".join(map(_value, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)
