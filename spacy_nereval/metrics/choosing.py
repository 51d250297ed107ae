"""Which metrics are scored: those asked for by name, and those of sets as far as what they need is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.declaration import Metric
from ..core.messages import named, shortened
from .registry import create, create_all, expanded, needs

LOOKED_AT = 1000
"""The number of documents in whose gold labels levels are looked for."""


class Unknown(NamedTuple):
    """Why the texts, the words or the tokens of documents are not known, in words; "" for what is known."""

    texts: str = ""
    words: str = ""
    tokens: str = ""

    def reason(self, metric: Metric) -> str:
        """Return why a metric has not what it needs."""
        of_text = self.words if metric.text == "words" else self.texts if metric.text else ""
        return of_text or (self.tokens if metric.tokens else "")


class Chosen(NamedTuple):
    """The metrics that are scored, and those of sets that are left out, with the reason."""

    metrics: tuple[Metric, ...]
    left_out: dict[str, str]


def chosen_metrics(metrics: Any, unknown: Callable[[], Unknown] = Unknown) -> Chosen:
    """Return the metrics that are scored, and which are left out.

    Args:
        metrics: Names of metrics or sets, or a table of names and options; None for the set `papers`.
        unknown: Returns what is not known of the documents; asked only if a metric needs it.

    Raises:
        ValueError: As for `create_all`; or a metric that is asked for by its name needs words, and the texts have none.

    >>> found = chosen_metrics(["strict", "cited"], lambda: Unknown(texts="there is no text"))
    >>> [metric.name for metric in found.metrics][:3], found.left_out["mentions"]
    (['strict', 'token', 'char'], 'there is no text')
    """
    created = create_all(metrics)
    if metrics is None:
        metrics = ()
    table = metrics if isinstance(metrics, Mapping) else dict.fromkeys(metrics, {})
    missing = [name for name in expanded(table, whole=True) if name not in expanded(table)]
    left_out = {name: f"it needs {named(f'{name}.{needs(name)}', 'FILE')}" for name in missing}
    asking = [metric for metric in created if metric.text or metric.tokens]
    known = unknown() if asking else Unknown()
    for metric in asking:
        if reason := known.reason(metric):
            if metric.name not in table:
                left_out[metric.name] = reason
            elif metric.text == "words" and not known.texts:  # counting refuses what has no text
                raise ValueError(f"{metric.name} needs words: {reason}")
    return Chosen(tuple(metric for metric in created if metric.name not in left_out), left_out)


def with_levels(metrics: Sequence[Metric], labels: Iterable[str], sep: str) -> tuple[tuple[Metric, ...], list[str]]:
    """Return the metrics, with `hierarchical` if a gold label has levels, and a line that says so.

    Args:
        metrics: The metrics that were chosen.
        labels: Gold labels.
        sep: What separates the levels.

    >>> with_levels((), ["PER", "LOC/CITY"], "/")[1]
    ['hierarchical is added, since the label LOC/CITY has levels']
    """
    if label := next((label for label in labels if sep in label.strip(sep)), None):
        line = f"hierarchical is added, since the label {shortened(label)} has levels"
        return (*metrics, create("hierarchical", sep=sep)), [line]
    return tuple(metrics), []
