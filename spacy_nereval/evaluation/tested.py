"""The tests of a comparison: scores in families, with Holm's correction within each family.

Also: the score that a name refers to, and the number of data sets in which a system is better.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core import arguments
from ..core.arguments import LEVEL, check_value
from ..core.declaration import Metric, Score
from ..core.messages import did_you_mean, spell_argument
from ..core.synonyms import score_key_here
from ..metrics.registry import create
from ..metrics.registry import names as registered
from .bounds import TINY
from .scores import MetricScores

Floats = NDArray[np.float64]

PRIMARY = "primary"
"""The family of the primary score: a test per system."""

SECONDARY = "secondary"
"""The family of the secondary scores: by default a headline of each further metric; a test per system."""

LABELS = "labels"
"""The family of the primary score of labels: a test per label and system."""

UNTESTED = ""
"""No family: these scores have an interval, but no p."""


class Adjusted(NamedTuple):
    """P-values corrected within their families; one entry per test.

    Attributes:
        p: Holm's p-values, NaN for none.
        sizes: F, the number of tests in the family of each; 0 where untested.
    """

    p: Floats
    sizes: NDArray[np.intp]


def holm(p_values: ArrayLike) -> Floats:
    """Return p-values corrected by Holm's method, which controls the familywise error rate.

    Args:
        p_values: float[tests]; NaN stays NaN and is not counted.

    Returns:
        float[tests], in the order given.

    Raises:
        ValueError: A p-value is not between 0 and 1, or there is more than one axis.

    Example:
        >>> holm([0.03, 0.004, 0.6, 0.012]).round(3).tolist()
        [0.06, 0.016, 0.6, 0.036]

    Source: S. Holm (1979).
    """
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise ValueError(f"the correction needs a list of p-values, not an array of {p.ndim} axes")
    if ((p < 0) | (p > 1)).any():
        raise ValueError("p-values must be between 0 and 1")
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: np.isfinite(p).sum()]  # NaN comes last.
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


def holm_by_family(p_values: ArrayLike, families: Sequence[str]) -> Adjusted:
    """Return p-values corrected for the number of tests in their family.

    Args:
        p_values: float[tests]; NaN stays NaN and is not counted.
        families: The family of each test; "" for an untested score, which gets NaN.

    Returns:
        The corrected p-values and the sizes of their families.

    Raises:
        ValueError: There is not one family per p-value, or a p-value is not between 0 and 1.

    Example:
        >>> adjusted = holm_by_family([0.04, 0.01, 0.03, 0.5], ["primary", "labels", "labels", ""])
        >>> adjusted.p.tolist(), adjusted.sizes.tolist()
        ([0.04, 0.02, 0.03, nan], [1, 2, 2, 0])
    """
    p = np.asarray(p_values, dtype=float)
    if p.shape != (len(families),):
        raise ValueError(f"{len(families)} families for p-values of shape {list(p.shape)}: give one per p-value")
    adjusted, sizes = np.full(len(p), np.nan), np.zeros(len(p), np.intp)
    for family in sorted(set(families) - {UNTESTED}):
        members = np.array([k for k, name in enumerate(families) if name == family])
        adjusted[members] = holm(p[members])
        sizes[members] = np.isfinite(p[members]).sum()
    return Adjusted(adjusted, sizes)


def largest_family(families: Sequence[str]) -> int:
    """Return the number of tests in the largest family, which the number of swaps depends on.

    Args:
        families: The family of each test; "" for an untested score.

    Returns:
        0 if there is no test.

    Example:
        >>> largest_family(["primary", "labels", "labels", ""])
        2
    """
    return max(Counter(family for family in families if family != UNTESTED).values(), default=0)


class DataSets(NamedTuple):
    """In how many data sets a system is better.

    Attributes:
        least: k̂, the system is better in at least this many.
        number: N, the number of data sets.
        p: P-values of "better in at least u data sets", for u = 1 to N; float[N].
    """

    least: int
    number: int
    p: Floats


def count_data_sets(p_values: ArrayLike, *, level: float = 0.95, independent: bool = False) -> DataSets:
    """Count the data sets in which a system is better, with a bound on counting too many.

    The chance that the count is too high is at most 1 − level. Holm's correction, never
    Fisher's method, decides which data sets can be named.

    Args:
        p_values: One-sided p-values, one per data set, at least one. NaN (no test was
            possible) counts as 1.
        level: Confidence level, between 0 and 1.
        independent: Whether the data sets share neither texts nor trained models; then
            their p-values are combined by Fisher's method, which finds more.

    Returns:
        The count, the number of data sets, and the p-values from which it is computed.

    Raises:
        ValueError: There is no p-value, one is not above 0 and up to 1, or the level is
            not between 0 and 1.

    Example:
        >>> count_data_sets([0.001, 0.004, 0.012, 0.03, 0.2]).least
        3
        >>> count_data_sets([0.001, 0.004, 0.012, 0.03, 0.2], independent=True).least
        4

    Source: R. Dror et al., Replicability Analysis for Natural Language Processing (2017).
    """
    from scipy.special import chdtrc

    check_value("level", level, LEVEL)
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not len(p):
        raise ValueError("the data sets need a list of p-values, one for each")
    if ((p <= 0) | (p > 1)).any():
        raise ValueError("the p-values of data sets must be above 0 and at most 1")
    p = np.sort(np.where(np.isnan(p), 1.0, p))
    left = np.arange(len(p), 0, -1)
    fisher = chdtrc(2 * left, -2 * np.cumsum(np.log(p[::-1]))[::-1])
    combined = np.maximum.accumulate(fisher if independent else np.minimum(left * p, 1.0))
    # The rounding of 1 - 0.95 must not change the count.
    return DataSets(int((combined <= 1 - level + 1e-12).sum()), len(p), combined)


Key = tuple[str, str]
"""Metric and score."""

ScoreKeys = Mapping[Key, str | None]
"""The score key of each score; None or "" for one without."""

Families = dict[Key, str]
"""Metric and score to the family of tests."""


class Hypotheses(NamedTuple):
    """The tests of a comparison.

    primary: the score that the conclusion is about, METRIC.SCORE or its score key; None for the headline of the first
        metric.
    secondary: the scores of the second family, listed; None for one headline of each further metric.
    labels: whether the primary score is tested for each label too.
    margin: the largest difference of the primary score that does not matter, in points; None for no margin.

    >>> Hypotheses(margin=-1).checked()
    Traceback (most recent call last):
    ValueError: margin=-1: expected a number of points above 0, such as 1
    """

    primary: Annotated[str | None, arguments.PRIMARY] = None
    secondary: Annotated[Sequence[str] | str | None, arguments.SECONDARY] = None
    labels: bool = False
    margin: Annotated[float | None, arguments.MARGIN] = None

    def resolve(self, metrics: Sequence[Metric]) -> Hypotheses:
        """Return the settings with METRIC.SCORE in place of other names, so that equal settings share a signature."""
        hypotheses = self.checked()
        primary = hypotheses.primary and ".".join(_find_testable("primary", hypotheses.primary, metrics))
        secondary = hypotheses.secondary and [
            ".".join(_find_testable("secondary", name, metrics)) for name in hypotheses.secondary
        ]
        return hypotheses._replace(primary=primary, secondary=secondary)

    def checked(self) -> Hypotheses:
        """Return the settings, with a list of secondary scores. Raise ValueError if one cannot be used."""
        if not isinstance(self.labels, bool):
            raise ValueError(f"{spell_argument('per_label', self.labels)}: expected True or False")
        arguments.validate_settings(self)
        if isinstance(self.secondary, str):
            listed = [name.strip() for name in self.secondary.split(",")] if self.secondary else []
            return self._replace(secondary=listed)
        names = () if self.secondary is None else self.secondary
        if not isinstance(names, Collection) or not all(isinstance(name, str) for name in names):
            raise ValueError(
                f"{spell_argument('secondary', names)}: expected names of scores, such as ['strict_p', 'strict_r']"
            )
        return self

    @property
    def signature(self) -> list[str]:
        """The parts of the signature: they decide which tests are corrected together.

        >>> Hypotheses("strict.f", ["strict.p", "strict.r"], True, 0.5).signature
        ['primary:strict.f', 'secondary:strict.p,strict.r', 'labels:yes', 'margin:0.5']
        >>> Hypotheses().signature
        []
        """
        return [
            *([f"primary:{self.primary}"] if self.primary else []),
            *([] if self.secondary is None else [f"secondary:{','.join(self.secondary)}"]),
            *(["labels:yes"] if self.labels else []),
            *([] if self.margin is None else [f"margin:{self.margin:g}"]),
        ]


def find_score(source: str, name: str, score_keys: ScoreKeys, offered: Iterable[Key] = (), where: str = "") -> Key:
    """Return the metric and the score that a name refers to: METRIC.SCORE, METRIC_SCORE or a score key.

    Args:
        source: Where the name was given, for errors: an argument with its value, or a place in a file.
        name: The name.
        score_keys: The scores that exist.
        offered: The scores that an error suggests, by default all.
        where: Where the scores exist, for errors.

    Raises:
        ValueError: There is no such score.

    >>> keys = {("fair", "f"): "fair_f", ("slot_error", "ser"): "ser"}
    >>> [find_score("", name, keys)[1] for name in ("fair_f", "slot_error.ser", "slot_error_ser")]
    ['f', 'ser', 'ser']
    >>> find_score("best='fair_g'", "fair_g", keys, [("fair", "f")])
    Traceback (most recent call last):
    ValueError: best='fair_g': there is no such score; expected METRIC.SCORE, one of fair.f, or a score key such as \
fair_f: did you mean 'fair_f'?
    """
    names = {"_".join(score): score for score in score_keys} | {key: score for score, key in score_keys.items() if key}
    names |= {".".join(score): score for score in score_keys}
    for key in (name, score_key_here(name)):
        if key in names:
            return names[key]
    chosen = [*(offered or score_keys)]
    choices = ", ".join(".".join(score) for score in chosen)
    hint = did_you_mean(name, [spelled for spelled, score in names.items() if score in chosen])
    raise ValueError(
        f"{source}: there is no such score{where}; expected METRIC.SCORE, one of {choices}, or a score key such as "
        f"fair_f{hint}"
    )


def families(metrics: Sequence[Metric], primary: str | None = None, secondary: Sequence[str] | None = None) -> Families:
    """Return the family of tests of each score that has a score key.

    The primary score is one family; one headline of each further metric is another. Other
    scores are not tested, and those that are functions of another score cannot be.

    Args:
        metrics: In the order given by the user.
        primary: METRIC.SCORE; by default the headline of the first metric.
        secondary: The scores of the second family, METRIC.SCORE each, instead of the headlines.

    Raises:
        ValueError: There is no such score, it is a function of another one, or it is given twice.

    >>> from spacy_nereval import create_all
    >>> family_of = families(create_all(["strict", "slot_error"]))
    >>> [key for key, family in family_of.items() if family], family_of["slot_error", "ser_acc"]
    ([('strict', 'f'), ('slot_error', 'ser')], '')
    >>> family_of = families(create_all(["strict", "slot_error"]), secondary=["strict.p", "strict.r"])
    >>> [key for key, family in family_of.items() if family == "secondary"]
    [('strict', 'p'), ('strict', 'r')]
    >>> families(create_all(["strict", "fair"]), "fair_f")["fair", "f"]
    'primary'
    """
    result = dict.fromkeys(_comparable_scores(metrics), UNTESTED)
    heads = [(metric.name, metric.headlines[0].name) for metric in metrics if metric.headlines]
    first = _find_testable("primary", primary, metrics) if primary else heads[0] if heads else None
    if secondary is None:
        second = [key for key in heads if first and key[0] != first[0]]
    else:
        second = [_find_testable("secondary", name, metrics) for name in secondary]
    for key in second:
        if key == first or second.count(key) > 1:
            where = "is the primary score" if key == first else "is given twice"
            raise ValueError(f"{spell_argument('secondary', '.'.join(key))}: this score {where}; name each score once")
        result[key] = SECONDARY
    return result | ({first: PRIMARY} if first else {})


def _comparable_scores(metrics: Sequence[Metric]) -> ScoreKeys:
    """Return the scores that a comparison shows."""
    return {(m.name, score.name): score.key for m in metrics for score in m.scores if score.key or score.headline}


def _find_testable(argument: str, name: str, metrics: Sequence[Metric]) -> Key:
    """Return the metric and the score that an argument names. Raise ValueError if it cannot be tested."""
    complements = {
        (metric.name, score.name): f"{metric.name}.{score.complement_of}"
        for metric in metrics
        for score in metric.scores
        if score.complement_of
    }
    score_keys = _comparable_scores(metrics)
    score = find_score(
        spell_argument(argument, name), name, score_keys, [key for key in score_keys if key not in complements]
    )
    if base := complements.get(score):
        raise ValueError(
            f"{spell_argument(argument, name)}: this score is a function of {base}, which can be tested: "
            f"{spell_argument(argument, base)}"
        )
    return score


def label_score(metric: Metric, name: str) -> Score:
    """Return the score of a label that belongs to an overall score: the one of the same name, or else the headline.

    >>> from spacy_nereval import create
    >>> label_score(create("strict"), "p").name, label_score(create("wrf"), "wrf").name
    ('p', 'r1_f')
    """
    of_labels = {score.name: score for score in metric.label_scores}
    return of_labels.get(name) or metric.label_headlines[0]


def greatest_difference(score: Score) -> float:
    """Return the greatest possible difference of two values of a score; infinite for one without limits.

    >>> from spacy_nereval import create
    >>> greatest_difference(create("strict").score_by_name["f"])
    1.0
    """
    return math.inf if score.unit == "count" else score.limits[1] - score.limits[0]


def limit_of_difference(score: Score, *values: float) -> float:
    """Return a limit of the difference of two values of a score, which is finite even for a score without limits.

    For a score with both limits it is their distance. For another score it is the greatest distance of the values from
    the finite limit (or from 0), and at least 1.

    >>> from spacy_nereval import create
    >>> limit_of_difference(create("slot_error").score_by_name["ser"], 0.5, 1.75)
    1.75
    """
    greatest = greatest_difference(score)
    if math.isfinite(greatest):
        return greatest
    origin = next((limit for limit in score.limits if math.isfinite(limit)), 0.0)
    return max([1.0, *(abs(value - origin) for value in values if math.isfinite(value))])


class Subject(NamedTuple):
    """The subject of a row: an overall score, or with a label the score of this label, and its family of tests."""

    metric: Metric
    score: Score
    label: str | None
    family: str

    @property
    def key(self) -> tuple[str, str, str | None]:
        """Metric, score and label."""
        return self.metric.name, self.score.name, self.label

    def values(self, scores: MetricScores, labels: Sequence[str]) -> NDArray[Any]:
        """Return the values of the score, [sums]. `labels` are those of the sums."""
        if self.label is None:
            return scores.scores[self.score.name]
        values: NDArray[Any] = scores.label_scores[self.score.name][labels.index(self.label)]
        return values


def subjects(metrics: Sequence[Metric], family: Families, labels: Sequence[str] = ()) -> list[Subject]:
    """Return the subjects of all rows: the scores of a family, metric by metric, then the primary score of labels.

    >>> from spacy_nereval import create_all
    >>> metrics = create_all(["strict"])
    >>> [(row.score.name, row.label, row.family) for row in subjects(metrics, families(metrics), ["A"])]
    [('p', None, ''), ('r', None, ''), ('f', None, 'primary'), ('f', 'A', 'labels')]
    """
    result = [
        Subject(metric, score, None, family[metric.name, score.name])
        for metric in metrics
        for score in metric.scores
        if (metric.name, score.name) in family
    ]
    if primary := find_primary(metrics, family):
        metric, score = primary
        result += [Subject(metric, label_score(metric, score.name), label, LABELS) for label in labels]
    return result


def difference(a: float, b: float) -> float:
    """Return b minus a, or 0 where the difference is only rounding."""
    return 0.0 if abs(b - a) < TINY else b - a


def find_primary(metrics: Sequence[Metric], family: Families) -> tuple[Metric, Score] | None:
    """Return the primary score and its metric; None if no metric has a headline."""
    by_name = {metric.name: metric for metric in metrics}
    first = next((key for key, which in family.items() if which == PRIMARY), None)
    return first and (by_name[first[0]], by_name[first[0]].score_by_name[first[1]])


def curve_scores(scores: Iterable[Score]) -> list[Score]:
    """Return the scores that have curves: all but counts."""
    return [score for score in scores if score.unit != "count"]


class Criterion(NamedTuple):
    """The score by which cuts are chosen."""

    metric: Metric
    score: Score

    @property
    def name(self) -> str:
        """METRIC.SCORE."""
        return f"{self.metric.name}.{self.score.name}"

    def orient(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return values of the score so that higher is better; minus infinity where it is undefined."""
        array = np.asarray(values, dtype=float)
        array = array if self.score.higher_is_better else -array
        return np.where(np.isfinite(array), array, -np.inf)


def find_criterion(name: str, metrics: Sequence[Metric], source: str = "") -> Criterion:
    """Return the score that a name refers to: METRIC.SCORE, METRIC_SCORE or a score key.

    Args:
        name: The name.
        metrics: The metrics that can have it.
        source: Where the name was given, for errors; by default the argument `best`.

    Raises:
        ValueError: There is no such score.

    >>> from spacy_nereval import create_all
    >>> find_criterion("strict_f", create_all()).name, find_criterion("slot_error.ser", create_all()).name
    ('strict.f', 'slot_error.ser')
    """
    scores = {
        (metric.name, score.name): Criterion(metric, score)
        for metric in metrics
        for score in curve_scores(metric.scores)
    }
    score_keys = {key: criterion.score.key for key, criterion in scores.items()}
    return scores[find_score(source or spell_argument("best", name), name, score_keys)]


def add_missing_metric(best: str, metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Return the metrics, with the metric of a score such as "strict_f" added if it is missing.

    >>> from spacy_nereval import create_all
    >>> [metric.name for metric in add_missing_metric("strict_f", create_all(["fair"]))]
    ['fair', 'strict']
    """
    try:
        find_criterion(best, metrics)
    except ValueError:
        names = sorted((name for name in registered() if best.startswith((f"{name}.", f"{name}_"))), key=len)
        missing = [name for name in names if name not in [metric.name for metric in metrics]]
        return (*metrics, create(missing[-1])) if missing else tuple(metrics)
    return tuple(metrics)
