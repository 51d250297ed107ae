"""What a metric's scores are: their unit, direction, groups and headlines.

A metric does not declare this of its scores yet. Until it does, this module
infers it from the names of scores and from fields of `Metric`. No other module
of the reporting room looks into the name of a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from ..core.declaration import Metric
from ..core.spans import Document
from ..counting.counts import count
from ..evaluation.result import evaluate

Unit = Literal["ratio", "count", "raw"]


class Group(NamedTuple):
    """Scores that share a row: precision, recall and F in this order, or one score alone.

    part: what distinguishes the group from the other groups of its metric, "" if nothing does.
    """

    metric: str
    part: str
    scores: tuple[str, ...]

    @property
    def is_triple(self) -> bool:
        """Whether the group is precision, recall and F."""
        return len(self.scores) == 3

    @property
    def name(self) -> str:
        """The metric's name, followed by the part.

        >>> Group("semeval", "exact", ("exact_p", "exact_r", "exact_f")).name, Group("wrf", "wrf", ("wrf",)).name
        ('semeval exact', 'wrf')
        """
        return self.metric if self.part in ("", self.metric) else f"{self.metric} {self.part}"


def keys(metric: Metric) -> Mapping[str, str]:
    """Return the score keys of a metric, as in spaCy's score dict without a prefix, with the score of each.

    >>> from spacy_nereval import create
    >>> dict(keys(create("wrf")))
    {'wrf': 'wrf'}
    """
    return metric.flat


def unit(metric: Metric, name: str) -> Unit:
    """Return what a score measures: a ratio (shown in percent), a count of spans, or a raw number.

    >>> from spacy_nereval import create
    >>> unit(create("fair"), "f"), unit(create("fair"), "be"), unit(create("plagdet"), "granularity")
    ('ratio', 'count', 'raw')
    """
    if name in metric.totals:
        return "count"
    return "raw" if name in metric.unscaled else "ratio"


def groups(metric: Metric, names: Iterable[str]) -> list[Group]:
    """Return the groups of some scores of a metric, in the order of their last score.

    Args:
        metric: The metric of the scores.
        names: Names of scores; each is in exactly one group.

    >>> from spacy_nereval import create
    >>> [group.scores for group in groups(create("fair"), ["p", "r", "f", "be"])]
    [('p', 'r', 'f'), ('be',)]
    """
    names = list(names)
    triples = {name: (f"{name[:-1]}p", f"{name[:-1]}r", name) for name in names if name.endswith("f")}
    triples = {last: triple for last, triple in triples.items() if {*triple} <= {*names}}
    grouped = {name for triple in triples.values() for name in triple}
    found = []
    for name in names:
        if name in triples:
            found.append(Group(metric.name, name[:-1].rstrip("_"), triples[name]))
        elif name not in grouped:
            found.append(Group(metric.name, name, (name,)))
    return found


def triple(metric: Metric) -> tuple[str, ...]:
    """Return the names of precision, recall and F of a metric that has one such group among its score keys.

    >>> from spacy_nereval import create
    >>> triple(create("fair"))
    ('p', 'r', 'f')
    """
    (scores,) = (group.scores for group in groups(metric, keys(metric).values()) if group.is_triple)
    return scores


def headlines(metric: Metric, names: Sequence[str]) -> list[str]:
    """Return those of some scores that represent the metric where there is no room for all.

    >>> from spacy_nereval import create
    >>> headlines(create("fair"), ["p", "r", "f", "be"])
    ['f']
    """
    keyed = [name for name in keys(metric).values() if name in names]
    f_scores = [name for name in keyed if name.endswith("f")]
    return f_scores or keyed[:1] or [name for name in names if name.endswith("f")] or [*names[:1]]


def short_name(metric: Metric, name: str) -> str:
    """Return a score's name for the head of a column.

    >>> from spacy_nereval import create
    >>> short_name(create("fair"), "f"), short_name(create("semeval"), "exact_f"), short_name(create("wrf"), "wrf")
    ('fair', 'semeval exact', 'wrf')
    """
    if name == metric.name:
        return name
    if name.endswith("f"):
        return f"{metric.name} {name.rstrip('f').rstrip('_')}".strip()
    return next((key.replace("_", " ") for key, score in keys(metric).items() if score == name), name)


def higher_is_better(metric: Metric, name: str) -> bool:
    """Return the direction of a score: whether a higher value is the better one.

    >>> from spacy_nereval import create
    >>> higher_is_better(create("fair"), "f"), higher_is_better(create("slot_error"), "ser")
    (True, False)
    """
    perfect = Document([(0, 1, "A")], [(0, 1, "A")], "a", tokens=[(0, 1)])
    return bool(evaluate(count([perfect], [metric]))["metrics"][metric.name]["scores"][name] != 0)
