"""Parts of a metric's declaration for tables: names of scores, their rows and headlines, the verdicts on errors.

Also the outcomes of a gold span, in words. The words of verdicts and scores are in the metrics' declarations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..core.declaration import Metric
from ..core.wording import HIT, LABEL, MISSED
from ..metrics.registry import create, names
from .result_table import Cost

OUTCOMES = {
    "correct": HIT.short,
    "boundary": "boundary",
    "label error": LABEL.short,
    "label and boundary": "label and boundary",
    "missed": MISSED.short,
}
"""The outcomes of a gold span under a system, keys of `evaluation.transitions`, in words."""

CHANGES = ("fixed", "broken", "changed", "spurious gone", "spurious new")
"""How a span can differ between two systems: a gold span becomes correct, stops being
correct, or is wrong in another way; a spurious span is gone or new."""


class Group(NamedTuple):
    """Scores that share a row of a table: precision, recall and F in this order, or one score alone.

    part: the name of the group within its metric, "" if the metric has one group only.
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


def score_groups(metric: Metric, names: Iterable[str]) -> list[Group]:
    """Return the groups of some scores of a metric, in the order of their last score.

    Args:
        metric: The metric of the scores.
        names: Names of scores; each is in exactly one group.

    >>> from spacy_nereval import create
    >>> [group.scores for group in score_groups(create("fair"), ["p", "r", "f", "be"])]
    [('p', 'r', 'f'), ('be',)]
    """
    names = list(names)
    members: dict[str, list[str]] = {}
    for name in names:
        if group := metric.score_by_name[name].group:
            members.setdefault(group, []).append(name)
    result = []
    for name in names:
        group = metric.score_by_name[name].group
        if not group or len(members[group]) < 3:
            result.append(Group(metric.name, name, (name,)))
        elif name == members[group][-1]:
            result.append(Group(metric.name, group, tuple(members[group])))
    return result


def headlines(metric: Metric, names: Sequence[str]) -> list[str]:
    """Return the headline scores among some scores of a metric, or else the first score.

    >>> from spacy_nereval import create
    >>> headlines(create("fair"), ["p", "r", "f", "be"])
    ['f']
    """
    return [name for name in names if metric.score_by_name[name].headline] or [*names[:1]]


def short_name(metric: Metric, name: str) -> str:
    """Return a score's name for the header of a column.

    >>> from spacy_nereval import create
    >>> short_name(create("fair"), "f"), short_name(create("semeval"), "exact_f"), short_name(create("wrf"), "wrf")
    ('fair', 'semeval exact', 'wrf')
    """
    score = metric.score_by_name[name]
    if score.group and score.headline:
        return mark_direction(metric, name, Group(metric.name, score.group, (name,)).name)
    return mark_direction(metric, name, score.key.replace("_", " ") if score.key else name)


def name_of_group(metric: Metric, name: str) -> str:
    """Return the name of the group of a score, as rows of precision, recall and F have it.

    >>> from spacy_nereval import create
    >>> name_of_group(create("semeval"), "exact_p"), name_of_group(create("strict"), "f")
    ('semeval exact', 'strict')
    """
    return Group(metric.name, metric.score_by_name[name].group or name, (name,)).name


def mark_direction(metric: Metric, name: str, title: str) -> str:
    """Return the title of a score, as a `Cost` if lower is better.

    >>> from spacy_nereval import create
    >>> type(mark_direction(create("slot_error"), "err", "err")).__name__
    'Cost'
    """
    return title if metric.score_by_name[name].higher_is_better else Cost(title)


def sentence_name(metric: Metric, name: str) -> str:
    """Return the name of a score in a sentence.

    >>> from spacy_nereval import create
    >>> sentence_name(create("semeval"), "exact_f"), sentence_name(create("slot_error"), "ser")
    ('semeval exact F', 'slot error rate')
    """
    group = metric.score_by_name[name].group
    part = name.rpartition("_")[2]
    return f"{Group(metric.name, group, (name,)).name} {part.upper()}" if group else row_name(metric, name)


def score_words(metric: str, name: str) -> str:
    """Return the name of a score in a sentence, from the names in a result; a metric that is gone keeps them.

    >>> score_words("strict", "f"), score_words("slot_error", "ser"), score_words("gone", "f")
    ('strict F', 'slot error rate', 'gone f')
    """
    return sentence_name(create(metric), name) if metric in names() else f"{metric} {name}"


def row_name(metric: Metric, name: str) -> str:
    """Return a score's name for the header of a row, in words if its meaning has the form "words: explanation".

    >>> from spacy_nereval import create
    >>> row_name(create("slot_error"), "ser"), row_name(create("semeval"), "exact_f"), row_name(create("loio"), "tp")
    ('slot error rate', 'semeval exact', 'loio tp')
    """
    score = metric.score_by_name[name]
    words, explained, _ = score.meaning.partition(":")
    if explained:
        return mark_direction(metric, name, words)
    whole_name = f"{metric.name} {name}".replace("_", " ")
    return short_name(metric, name) if score.key else mark_direction(metric, name, whole_name)


def error_metric(metrics: Sequence[Metric]) -> Metric | None:
    """Return the metric that tables of errors show; None if no metric judges single spans.

    That is the first metric with a taxonomy of errors, or else the first that judges single spans.

    >>> from spacy_nereval import create_all
    >>> error_metric(create_all(["wrf", "semeval"])).name, error_metric(create_all(["wrf"]))
    ('semeval', None)
    """
    judges = [m for m in metrics if m.taxonomy or (m.confusion is not None and m.scope == "group")]
    return next((m for m in judges if m.taxonomy), judges[0] if judges else None)


def error_verdicts(metric: Metric) -> list[str]:
    """Return the verdicts of the metric's confusion matrix that are errors.

    >>> from spacy_nereval import create
    >>> error_verdicts(create("strict"))
    ['fp', 'fn']
    """
    right = metric.correct_verdicts
    return [name for name in metric.confusion or () if name not in right]


def has_hits(metric: Metric) -> bool:
    """Return whether the metric's confusion matrix counts hits, and not errors alone."""
    return not {*metric.correct_verdicts}.isdisjoint(metric.confusion or ())


def main_metric(metrics: Sequence[Metric]) -> Metric:
    """Return the metric that represents a result: that of `error_metric`, or else the first.

    >>> from spacy_nereval import create_all
    >>> main_metric(create_all(["wrf", "fair"])).name, main_metric(create_all(["wrf"])).name
    ('fair', 'wrf')
    """
    return error_metric(metrics) or metrics[0]


def span_metrics(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """Return the metrics of which each verdict counts one span or one pair, so that it can be shown on a text."""
    return tuple(m for m in metrics if m.confusion and not m.partial_credit and (m.scope == "group" or m.taxonomy))
