"""The signature of a result: one line that names everything that can change a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from ..core.about import __version__
from ..core.declaration import Metric
from ..counting.counts import Counts
from ..metrics.registry import options_of


def signature(counts: Counts, *more: str, average: str = "micro", short: bool = False) -> str:
    """Return the signature of a result.

    Two results with the same signature and the same data have the same numbers. The
    format follows the signatures of sacreBLEU (Post 2018, "A Call for Clarity in
    Reporting BLEU Scores").

    Args:
        counts: The counts that the result was computed from.
        more: Further parts, such as the settings of intervals.
        average: The average that the result shows.
        short: Leave out options that have their default value.

    Returns:
        The parts, separated by `|`.

    Example:
        >>> from spacy_nereval import Document, count, create
        >>> counts = count([], [create("loio", s=1), create("wrf")])
        >>> signature(counts, short=True).split("|")[:4]
        ['spacy-nereval', 'loio:s=1.0', 'wrf', 'avg:micro']
    """
    parts = [
        "spacy-nereval",
        *(_metric_part(metric, short) for metric in counts.metrics),
        *([f"spans:{counts.spans_key}"] if counts.spans_key else []),
        *(f"mentions:{way}" for way in sorted(counts.located)),
        *(counts.label_rules.parts() if counts.label_rules else []),
        *([f"cut:{counts.cut}"] if counts.cut else []),
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


def _metric_part(metric: Metric, short: bool) -> str:
    defaults = {option.name: option.default for option in options_of(metric.name)} if short else {}
    settings = [
        f"{name}={_in_signature(value)}"
        for name, value in metric.settings.items()
        if name not in defaults or defaults[name] != value
    ]
    if metric.version > 1:
        settings.append(f"version={metric.version}")
    return ":".join([metric.name, *([",".join(settings)] if settings else [])])


def _in_signature(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_in_signature(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ",".join(map(_in_signature, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)
