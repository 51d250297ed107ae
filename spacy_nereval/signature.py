"""One line with everything that can change a number."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from .about import __version__

if TYPE_CHECKING:
    from .counts import Counts


def signature(counts: Counts, average: str = "micro") -> dict[str, str]:
    """The signature of a result and the package's version.

    >>> from spacy_nereval import Document, count, create
    >>> signature(count([], [create("loio", s=1)]))["signature"].split("|")[:3]
    ['spacy-nereval', 'loio:s=1.0,match=walk,beta=1.0', 'avg:micro']
    """
    parts = [
        "spacy-nereval",
        *(f"{metric.name}:{_settings(metric.settings)}" for metric in counts.metrics),
        f"avg:{average}",
        f"docs:{counts.documents}",
        f"v{__version__}",
        f"spacy:{version('spacy')}",
    ]
    return {"signature": "|".join(parts), "version": __version__}


def _settings(settings: Mapping[str, Any]) -> str:
    return ",".join(f"{key}={_value(value)}" for key, value in settings.items())


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_value(value[key])}" for key in sorted(value)) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)
