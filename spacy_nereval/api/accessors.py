"""Scores by name: `result["fair.f"]`, `result.fair.f` and `result.labels["PER"].fair.f`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

from ..core.declaration import Metric, Score
from ..core.messages import describe_unknown, join_names
from ..core.synonyms import AVERAGE_NAMES, COUNT_NAMES, GROUP_NAMES, METRIC_NAMES, SCORE_NAMES, python_line
from ..evaluation.bounds import UNBOUNDED
from ..evaluation.resampling import Confidence
from ..metrics.registry import SETS, names
from ..reporting.declared import has_hits
from ..reporting.figures import Figure, matrix_figure
from ..reporting.formats import html as html_table
from ..reporting.formats import records
from ..reporting.result_table import Cost, Interval, ResultTable, direction
from ..reporting.terminal import render
from ..reporting.verdict_tables import NO_SPAN, matrix_table
from .shown import as_html, frame

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")

Bounds = Callable[[], Mapping[str, Any]]
"""Returns the intervals of scores, which are computed only when they are asked for."""

# fmt: off
MetricName = Literal[
    "strict", "semeval", "slot_error", "loio", "fair", "wrf", "ace", "attributes", "char", "hierarchical",
    "overlap", "plagdet", "relaxed", "tmr", "token",
]
"""The metrics of this package, but `mentions`, since JSON has this key too."""

ScoreKey = Literal[
    "strict_p", "strict_r", "strict_f", "exact_p", "exact_r", "exact_f", "partial_p", "partial_r", "partial_f",
    "type_p", "type_r", "type_f", "ser", "err", "ser_acc", "loio_p", "loio_r", "loio_f", "fair_p", "fair_r",
    "fair_f", "char_p", "char_r", "char_f", "hierarchical_p", "hierarchical_r", "hierarchical_f", "mentions_p",
    "mentions_r", "mentions_f", "overlap_p", "overlap_r", "overlap_f", "plagdet_p", "plagdet_r", "plagdet_f",
    "plagdet_granularity", "relaxed_p", "relaxed_r", "relaxed_f", "tmr_all", "tmr_seen", "tmr_unseen_any",
    "tmr_unseen_tokens", "tmr_unseen_type", "tmr_confusable", "tmr_confusable_seen", "tmr_confusable_unseen",
    "token_p", "token_r", "token_f", "token_accuracy", "attributes_given_p", "attributes_given_r",
    "attributes_given_f", "attributes_end_p", "attributes_end_r", "attributes_end_f", "attributes_accuracy",
    "attributes_all",
]
"""The score keys of this package that are no names of metrics."""
# fmt: on


F_SCORES = {"wrf": "wrf"}
"""The metrics whose F has another name, and that name."""


class Headline(NamedTuple):
    """The number that represents a result.

    name: the score key, such as "fair_f". value: from 0 to 1 if it is a ratio; None if undefined. interval: its
    bounds; None if there are none. direction: "higher is better" or "lower is better".
    """

    name: str
    value: float | None
    interval: Interval | None
    direction: str

    @classmethod
    def of(cls, metric: Metric, score: str, value: float | None, bounds: Mapping[str, Any] | None) -> Headline:
        """Return the headline of a metric's score, with bounds as JSON has them."""
        declared = metric.score_by_name[score]
        name = declared.key or f"{metric.name}.{score}"
        words = direction(name if declared.higher_is_better else Cost(name)) or "higher is better"
        return cls(name, value, interval_of(bounds), words)


def interval_of(bounds: Mapping[str, Any] | None) -> Interval | None:
    """Return the bounds of a score, as JSON or `bounded` has them; None if there are none.

    >>> interval_of({"low": 0.25, "high": 0.5}), interval_of({"low": None, "high": None, "flag": "undefined"})
    (Interval(low=0.25, high=0.5), None)
    >>> interval_of({"low": 0.25, "high": None, "flag": "unbounded"})
    Interval(low=0.25, high=inf)
    """
    if not bounds:
        return None
    low, high = bounds.get("low"), bounds.get("high")
    if bounds.get("flag") == UNBOUNDED:  # JSON has null for an infinite bound
        low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
    return None if low is None or high is None or math.isnan(low + high) else Interval(low, high)


class Named(dict[str, T]):
    """A dict whose KeyError names the nearest key.

    >>> Named(PER=1)["PRE"]
    Traceback (most recent call last):
    KeyError: "there is no 'PRE': did you mean 'PER'? There are PER"
    """

    def __missing__(self, key: str) -> T:
        raise KeyError(describe_unknown(key, self))

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            line = f"write [{name!r}]" if name in self else describe_unknown(name, self)
            raise AttributeError(f"these are items, not attributes: {line}")


class Average(Named[Any]):
    """The scores of an average, by the names that scores have: `averages["macro"]["f"]`, or `f1` and `recall`."""

    def __missing__(self, key: str) -> Any:
        usual = SCORE_NAMES.get(str(key).lower(), "")
        return self[usual] if usual in self else super().__missing__(key)

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            return self[name] if SCORE_NAMES.get(name.lower(), "") in self else super().__getattr__(name)


class IntervalOfResult(Interval):
    """An interval that may be asked for by a call, too: `result.confidence_interval("recall")`."""

    _make_interval: Callable[[str | None], Interval | None]
    _parts: Mapping[str, ScoreSet]
    _level: float | None

    def __call__(self, score: str | None = None, level: float | None = None) -> Interval | None:
        """Return the interval of a score, as `ScoreSet.interval` does."""
        if level is not None and level != self._level:
            raise ValueError(f"intervals have the level of the result: write score(gold, pred, confidence={level!r})")
        if score is not None and score in self._parts:
            return self._parts[score].interval()
        return self._make_interval(score)

    if not TYPE_CHECKING:  # which knows an interval as a pair

        def __getitem__(self, place: Any) -> Any:
            return self(place) if isinstance(place, str) else super().__getitem__(place)

    def __repr__(self) -> str:
        return repr(Interval(*self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Interval, (self.low, self.high)  # copies for other processes do without the result


class ScoreValue(float):
    """A score, a number that also knows its interval: `result.f1.ci`.

    >>> from spacy_nereval import score
    >>> f1 = score([["B-PER"]] * 20, [["B-PER"]] * 20, "strict").f1
    >>> f1, f1.value, f1.ci.high, f1.foo
    Traceback (most recent call last):
    AttributeError: a score is a number, without 'foo': write r.strict.f for the number, and r.strict.interval()
    """

    _find_interval: Callable[[], Interval | None]

    @classmethod
    def of(cls, value: Any, find_interval: Callable[[], Interval | None]) -> Any:
        """Return a score that knows its interval; other values, such as None, as they are."""
        if type(value) is not float:
            return value
        made = cls(value)
        made._find_interval = find_interval
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        meant, _, end = SCORE_NAMES.get(name, name).partition(".")
        if meant in ("interval()", "interval"):
            interval = self._find_interval()
            return getattr(interval, end) if end else interval
        if meant == "value":
            return float(self)
        raise AttributeError(
            f"a score is a number, without {name!r}: write r.strict.f for the number, and r.strict.interval()"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return float, (float(self),)  # copies for other processes do without the result


class ScoreSet:
    """The scores of one metric, overall or of a label, each an attribute and an item.

    A score has the name that JSON gives it, such as `f`, or its score key in spaCy, such as `fair_f`. `precision`,
    `recall` and `f1` are understood too.

    >>> from spacy_nereval import score
    >>> fair = score([["B-PER", "O"]], [["B-PER", "B-LOC"]], ["fair"]).fair
    >>> fair.p, fair["f"] == fair["fair_f"] == fair.value, fair.counts["fp"]
    (0.5, True, 1)
    """

    p: float | None
    r: float | None
    f: float | None

    def __init__(self, metric: Metric, declared: Sequence[Score], values: Mapping[str, Any], bounds: Bounds) -> None:
        self._metric = metric
        self._declared = declared
        self._values = values
        self._bounds = bounds

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self._metric.name

    @property
    def scores(self) -> dict[str, float | None]:
        """Every score by name; None where it is undefined."""
        return dict(self._values["scores"])

    @property
    def counts(self) -> dict[str, int]:
        """The counts that the scores are computed from; empty for the means of training runs."""
        return dict(self._values.get("counts", {}))

    @property
    def value(self) -> float | None:
        """The score that represents the metric, such as `f`, `ser` or `wrf`."""
        return self[self._main]

    def interval(self, score: str | None = None) -> Interval | None:
        """Return the interval of a score: that of the result, or else one at 95 %.

        Args:
            score: Its name; by default that of `value`.

        Returns:
            `low` and `high`; None if the score has no interval, since it is undefined.

        Raises:
            KeyError: There is no such score.
            ValueError: The result contains neither intervals nor the counts to compute them.
        """
        return interval_of(self._bounds().get(self._named(score or self._main)))

    @property
    def keys(self) -> dict[str, str]:
        """The score keys, and the names of their scores."""
        return {score.key: score.name for score in self._declared if score.key and score.name in self._values["scores"]}

    def of_group(self, group: str) -> ScoreSet | None:
        """Return the scores of a group, such as "partial" of `semeval`, as p, r and f; None if there is no such group.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-LOC"]], "semeval").semeval.of_group("type").f
        0.0
        """
        long = {score.name.removeprefix(f"{group}_"): score for score in self._declared if score.group == group}
        if "f" not in long:
            return None
        values = {short: self._values["scores"][score.name] for short, score in long.items()}
        declared = [replace(score, name=short, headline=short == "f") for short, score in long.items()]
        return ScoreSet(
            self._metric,
            declared,
            {**self._values, "scores": values, "counts": self._values.get("schemes", {}).get(group, {})},
            lambda: {short: self._bounds().get(score.name) for short, score in long.items()},
        )

    def meant(self, words: Sequence[str]) -> Any:
        """Return what other packages call by these words: an average, a score or a count; None if nothing.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], "strict").strict.meant(["macro", "f1"])
        1.0
        """
        if not words:
            return self
        for there, here in GROUP_NAMES.items():
            words = "_".join(words).replace(there, here).split("_")
        for count in COUNT_NAMES.get("_".join(words), ()):
            if (number := self.counts.get(count, self.scores.get(count))) is not None:
                return number
        for place, others in ((0, words[1:]), (-1, words[:-1])):
            if average := AVERAGE_NAMES.get(words[place]):
                return self._average(average, [word for word in others if word != "avg"])
            group = self.of_group(GROUP_NAMES.get(words[place], words[place]))
            if group and group.name != words[place]:
                return group.meant(others)
        return self._value_meant("_".join(words))

    def _value_meant(self, name: str) -> Any:
        """Return the interval, a score or a count that other packages call by a name; None if nothing."""
        usual = SCORE_NAMES.get(name, name)
        if usual == "interval()":
            return self._callable_interval()
        if usual in ("interval().low", "interval().high"):
            bounds = self.interval()
            return bounds and getattr(bounds, usual[11:])
        if name.endswith("_ci"):
            score = SCORE_NAMES.get(name.removesuffix("_ci"), "")
            return self.interval(score) if score in self._values["scores"] else None
        if usual == "f" and usual not in self._values["scores"] and self.name in F_SCORES:
            return self[F_SCORES[self.name]]
        if usual in ("p", "r", "f", "value"):
            is_score = usual in self._values["scores"] or usual == "value"
            return getattr(self, usual) if is_score and self._is_of_beta(name) else None
        is_whole = {score.group for score in self._declared} <= {None, self.name}  # a group has no counts of its own
        return self.counts.get(name, self.scores.get(name)) if is_whole else self.scores.get(name)

    def _average(self, average: str, words: Sequence[str]) -> Any:
        if average == "micro":
            return self.meant(words)
        scores = getattr(self, "averages", {}).get(average)
        name = "_".join(words)
        return scores if not words or scores is None else scores.get(SCORE_NAMES.get(name, name))

    def _callable_interval(self) -> Interval | None:
        if (bounds := self.interval()) is None:
            return None
        interval = IntervalOfResult(*bounds)
        interval._make_interval, interval._parts = self.interval, {}
        interval._level = None if self._values.get("intervals") else Confidence().level
        return interval

    @property
    def _main(self) -> str:
        return next((score.name for score in self._declared if score.headline), self._declared[0].name)

    def _named(self, name: str) -> str:
        values = self._values["scores"]
        if name in values:
            return name
        if name in self.keys:
            return self.keys[name]
        usual = SCORE_NAMES.get(name.lower(), "")
        if usual == "f" and usual not in values:
            usual = F_SCORES.get(self.name, "")
        if usual in values and self._is_of_beta(name):
            return usual
        raise KeyError(self._absent(name))

    def _is_of_beta(self, name: str) -> bool:
        """Return whether a name fits the beta of the metric: F2 is not to be read as F1."""
        return "1" not in name or self._metric.settings.get("beta", 1.0) == 1.0

    def _absent(self, name: str) -> str:
        names_known = [*self._values["scores"]]
        usual = SCORE_NAMES.get(name.lower(), name)
        if name in self.counts:
            return f"{self.name} has no score {name!r}, but a count: write .counts[{name!r}]"
        if name in ("errors", "error_counts", "error_types", "verdicts"):
            return (
                f"{self.name} has no score {name!r}: write .counts for numbers, and r.errors({self.name!r}) for a list"
            )
        alike = [score for score in names_known if score.endswith(f"_{usual}")]
        if usual != name and (usual in names_known or hasattr(type(self), usual.partition("(")[0].partition("[")[0])):
            return f"{self.name} has no score {name!r}: write .{usual}"
        if alike or usual in ("p", "r", "f"):
            lines = ", ".join(f".{score}" for score in alike or ["value", *names_known])
            return f"{self.name} has no score {name!r}: write {lines}"
        return f"{self.name}: {describe_unknown(name, names_known)}"

    def __float__(self) -> float:
        return math.nan if self.value is None else self.value

    def __getitem__(self, name: str) -> float | None:
        value: float | None
        try:
            value = self._values["scores"][self._named(name)]
        except KeyError:
            if (value := self.meant(words_of(name))) is None and (value := self._values.get(name)) is None:
                raise
        return value

    def __getattr__(self, name: str) -> float | None:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return ScoreValue.of(self[name], lambda: self.interval(name))  # type: ignore[no-any-return]  # a number
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in self._values["scores"] if name.isidentifier())})

    def _ipython_key_completions_(self) -> list[str]:
        return [*self._values["scores"]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values["scores"])

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._values["scores"].items())
        return f"{self.name}({values})"


class MetricScoreSet(ScoreSet):
    """The scores of one metric over all labels, with those of each label.

    >>> from spacy_nereval import score
    >>> fair = score([["B-PER", "O"]], [["B-PER", "B-LOC"]], ["fair"]).fair
    >>> fair.labels["PER"].f, fair.averages["macro"]["f"], fair.confusion["", "LOC"]
    (1.0, 0.5, 1)
    """

    @property
    def labels(self) -> Named[ScoreSet]:
        """The scores of each label."""
        return Named({label: self.of_label(label) for label in self._values["per_type"]})

    def of_label(self, label: str) -> ScoreSet:
        """Return the scores of a label that the result has."""
        scores, metric, bounds = self._values["per_type"][label], self._metric, self._bounds
        return ScoreSet(metric, metric.label_scores, scores, lambda: bounds().get("of labels", {}).get(label, {}))

    @property
    def averages(self) -> dict[str, dict[str, Any]]:
        """The averages over labels, "macro" and "weighted", and over documents, "docs"."""
        return Named({average: Average(scores) for average, scores in self._values["averages"].items()})

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix: gold in rows, predicted in columns. Raise ValueError if the metric has none."""
        if "confusion" not in self._values:
            raise ValueError(
                f"{self.name} has no confusion matrix: write confusion('fair') with fair among the metrics"
            )
        return Confusion(self._metric, self._values["confusion"])


class Confusion(dict[str, dict[str, int]]):
    """A confusion matrix: gold label to predicted label to number; "" means no span.

    >>> from spacy_nereval import score
    >>> found = score([["B-PER", "O"]], [["B-LOC", "O"]], ["fair"]).confusion("fair")
    >>> found["PER"]["LOC"], found["PER", "LOC"], found["LOC", "PER"], found.labels
    (1, 1, 0, ['LOC', 'PER', ''])
    """

    def __init__(
        self, metric: Metric, cells: Mapping[str, Mapping[str, int]], more: Sequence[str] | None = None
    ) -> None:
        labels = {*cells, *(label for row in cells.values() for label in row)} - {"", *(more or ())}
        self.labels: list[str] = [*sorted(labels), ""]
        """The labels, and last "" for no span."""
        columns = [*sorted(labels), *(more or ()), ""]
        super().__init__(
            {gold: Named({pred: cells.get(gold, {}).get(pred, 0) for pred in columns}) for gold in self.labels}
        )
        self._metric, self._more = metric, more

    @overload
    def __getitem__(self, key: str) -> dict[str, int]: ...

    @overload
    def __getitem__(self, key: tuple[str, str]) -> int: ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2:
            return self[key[0]][key[1]]
        if key not in self:
            raise KeyError(describe_unknown(key, self.labels))
        return super().__getitem__(key)

    @property
    def _table(self) -> ResultTable:
        return matrix_table(self._metric, self, self.labels[:-1], self._more)

    def to_frame(self) -> pandas.DataFrame:
        """Return the matrix as a pandas DataFrame with gold labels as its index and predicted ones as its columns.

        The name of the columns is "predicted", or "predicted (errors only)" where the matrix has no hits.

        Raises:
            ValueError: pandas is not installed.
        """
        axis = predicted_axis(self._metric) if self._more is None else "predicted"
        return frame(records(self._table)).set_index("gold").rename_axis(columns=axis)

    def plot(self) -> Figure:
        """Return the matrix as a figure: a notebook shows it, and `save` writes it as `.svg`, `.png` or `.pdf`.

        Raises:
            ValueError: The matrix is empty.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-LOC"]], ["strict"]).confusion("strict").plot().spec["height"]
        72
        """
        return matrix_figure(self, NO_SPAN)

    def __repr__(self) -> str:
        return f"{self._table.heading}\n{render(self._table)}"

    def _repr_html_(self) -> str:
        return as_html([html_table(self._table)])


def predicted_axis(metric: Metric) -> str:
    """Return the name of the columns in the frame of a metric's confusion matrix."""
    return "predicted" if has_hits(metric) else "predicted (errors only)"


class LabelScores:
    """The scores of one label by every metric: `result.labels["PER"].fair.f` or `result.labels["PER"]["fair.f"]`.

    >>> from spacy_nereval import score
    >>> label = score([["B-PER", "O"]], [["B-PER", "B-LOC"]], ["strict", "fair"]).labels["PER"]
    >>> label.fair.f, label["strict.p"], label.scores["fair_f"], label.support
    (1.0, 1.0, 1.0, 1)
    """

    def __init__(self, label: str, parts: Mapping[str, MetricScoreSet], spans: Mapping[str, int]) -> None:
        self.label: str = label
        """The label."""
        self.support: int = spans["gold"]
        """Its number of gold spans."""
        self.predicted: int = spans["pred"]
        """Its number of predicted spans, the mean over training runs."""
        self._parts = parts

    @property
    def scores(self) -> dict[str, float | None]:
        """Every score that has a score key, by that key."""
        return flat(self._sets())

    def _sets(self) -> dict[str, ScoreSet]:
        return {name: part.of_label(self.label) for name, part in self._parts.items()}

    def __getitem__(self, name: str) -> Any:
        try:
            return answer(name, self._sets())
        except KeyError as error:
            if (meant := self._meant(name)) is not None:
                return meant
            raise KeyError(self._absent(name) or error.args[0]) from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._parts:
            return self._parts[name].of_label(self.label)
        if (meant := self._meant(name)) is not None:
            return meant
        raise AttributeError(
            self._absent(name) or describe_unknown(name, [*self._parts, "scores", "support", "predicted"])
        )

    def _meant(self, name: str) -> Any:
        """Return what other packages have under a name; None if nothing, or if it could be several things."""
        return score_of_words(name, self._sets())

    def _absent(self, name: str) -> str:
        """Return the line to write instead of the name of a score without its metric; "" for other names."""
        usual = {"f1-score": "f"}.get(name, SCORE_NAMES.get(name, name))
        names_known = (*OF_METRICS, "counts")
        lines = [f".{metric}.{usual}" for metric, part in self._sets().items() if usual in (*part, *names_known)]
        return f"the label {self.label} has no {name!r}: write {join_names(lines)}" if lines else ""

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parts})

    def _ipython_key_completions_(self) -> list[str]:
        return paths(self._sets())

    def __repr__(self) -> str:
        defined = ((key, value) for key, value in self.scores.items() if value is not None)
        return f"{self.label}({', '.join(f'{key}={value:.4g}' for key, value in defined)})"


def flat(parts: Mapping[str, ScoreSet]) -> dict[str, float | None]:
    """Return scores by their score keys, as spaCy has them without a prefix."""
    return {key: part[name] for part in parts.values() for key, name in part.keys.items()}


def paths(parts: Mapping[str, ScoreSet]) -> list[str]:
    """Return the names that can be asked for: metrics, METRIC.SCORE, and score keys."""
    dotted = [f"{name}.{score}" for name, part in parts.items() for score in part]
    return [*dict.fromkeys([*parts, *dotted, *flat(parts)])]


def answer(name: object, parts: Mapping[str, T]) -> T | float | None:
    """Return a metric's scores by its name, or a score by METRIC.SCORE or its score key.

    Args:
        name: The name that was asked for.
        parts: The scores of each metric.

    Raises:
        KeyError: There is no such metric or score; the message names the nearest.
    """
    sets: Any = parts
    metric, dot, score = str(name).partition(".")
    if metric in sets:
        value: T | float | None = sets[metric][score] if dot else sets[metric]
        return value
    keys = flat(sets)
    if name in keys:
        return keys[str(name)]
    raise KeyError(describe_unknown(name, paths(sets)))


def scores_meant(name: object, parts: Mapping[str, ScoreSet]) -> ScoreSet | None:
    """Return the scores that other packages have under a name, a metric or a group of its scores; None if none.

    >>> from spacy_nereval import score
    >>> result = score([["B-PER"]], [["B-LOC"]], ["strict", "semeval"])
    >>> result.exact.f1, result["ent_type"]["f1"], result.labels["PER"].partial.recall
    (1.0, 0.0, 1.0)
    """
    group = GROUP_NAMES.get(str(name), str(name))
    groups = (part.of_group(group) for part in parts.values())
    return next((scores for scores in groups if scores), None) or parts.get(METRIC_NAMES.get(str(name), ""))


def words_of(name: object) -> list[str]:
    """Return the words of a name in lower case.

    >>> words_of("macro avg.f1-score")
    ['macro', 'avg', 'f1', 'score']
    """
    return [word for word in re.split("[^a-z0-9]+", str(name).lower()) if word]


def score_of_words(name: object, parts: Mapping[str, ScoreSet]) -> Any:
    """Return what other packages have under a name: a metric, an average and a score in any order; None if nothing.

    A name without a metric, such as `f1` or `overall_recall`, means strict scores, as in seqeval, conlleval and spaCy;
    in a result without `strict`, those of its only metric.

    >>> from spacy_nereval import score
    >>> result = score([["B-PER"]], [["B-LOC"]], ["strict", "semeval", "fair"])
    >>> result.f1, result.strict_f1, result.partial_recall, result.macro_f1, result.weighted.recall
    (0.0, 0.0, 1.0, 0.0, 0.0)
    >>> score([["B-PER"]], [["B-PER"]], "fair").ci.high
    1.0
    """
    words = words_of(name)
    splits = [(words[:end], words[end:]) for end in range(len(words), 0, -1)]
    splits += [(words[start:], words[:start]) for start in range(1, len(words))]
    for metric, others in splits:
        if scores := parts.get("_".join(metric)) or scores_meant("_".join(metric), parts):
            return scores.meant(others)
    usual = "strict" if "strict" in parts else next(iter(parts))
    if not words or (usual != "strict" and len(parts) > 1):
        return None
    is_clear = len(parts) == 1 or words not in (["score"], ["value"])
    meant = parts[usual].meant(words) if is_clear else None
    if isinstance(meant, IntervalOfResult):
        meant._parts = {**parts}
    return meant


OF_METRICS = ("value", "scores", "interval()", "interval().low", "interval().high")
"""The attributes of the scores of every metric and label."""


def line_for(name: str, parts: Mapping[str, ScoreSet], labels: Iterable[str]) -> str:
    """Return the problem of a name that a `Result` lacks, and the line to write instead; "" if unknown."""
    labels = [*labels]
    bare = name.removeprefix("ents_").removeprefix("overall_").removeprefix("spans_sc_")
    usual = SCORE_NAMES.get(bare, bare)
    if name in labels:
        return f"it is a label: write r.labels[{name!r}]"
    if usual in ("p", "r", "f", "interval()") or name == "score":
        score_names = {metric: {*part.keys.values()} for metric, part in parts.items()}
        lines = [f"r.{metric}.{usual}" for metric in parts if usual in (*score_names[metric], "value", "interval()")]
        in_groups = [
            f"r.{metric}.{score}" for metric, part in parts.items() for score in part if score.endswith(f"_{usual}")
        ]
        lines = lines[:3] or in_groups[:4]
        return f"write {join_names(lines)}, or r.headline" if lines else "write r.headline.value"
    if bare != name and bare in paths(parts):
        return f"score keys have no prefix here: write r[{bare!r}]"
    metric = name.partition(".")[0]
    if members := [f"r.{one}" for one in SETS.get(metric, ()) if one in parts]:
        return f"{metric} is a set of metrics: write {' or '.join(members)}"
    if metric not in names() and (words := words_of(name)):
        metric = METRIC_NAMES.get(words[0], next((word for word in words if word in names()), metric))
    if metric not in parts and metric in names():
        return f"{metric} is not among the metrics: write score(gold, pred, {[*parts, metric]})"
    if name in flat(parts):
        return f"write r[{name!r}]"
    line = python_line(name, next(iter(parts)), next(iter(labels), "PER"), others=paths(parts))
    if not line and name in COUNT_NAMES and "semeval" in parts:
        line = f"r.strict.{name}, r.exact.{name}, r.partial.{name}, or r['type'].{name}"
    return f"write {line}" if line else ""
