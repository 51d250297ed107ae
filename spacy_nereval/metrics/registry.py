"""The registry of metrics: names, sets, options and documentation; options that several metrics share.

`choose_metrics` selects the metrics. If an option, words or tokens are missing, a metric of a set is excluded, and
a metric that the user names raises an error.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import catalogue
import pydantic
from pydantic import Field

from ..core.declaration import Metric, check_together
from ..core.messages import describe_needed_file, describe_unknown, did_you_mean, shorten, spell_argument
from ..core.plugins import list_names, load_function
from ..core.synonyms import METRIC_NAMES, METRICS_OF_SCORES, line_here

Beta = Annotated[
    float, Field(ge=0, description="weight of recall relative to precision in F: 0 is precision, inf is recall")
]

Focus = Annotated[
    Literal["target", "system"],
    Field(description="label that a pair counts for: the gold one (target) or the predicted one (system)"),
]

Typed = Annotated[bool, Field(description="compare only spans with equal labels")]


@dataclass(frozen=True)
class Option:
    """One option of a metric.

    Args:
        name: The name of the parameter.
        default: Its default value.
        annotation: Its type and pydantic's `Field`, in an `Annotated`.

    >>> option = Option("beta", 1.0, Beta)
    >>> option.help, option.values
    ('weight of recall relative to precision in F: 0 is precision, inf is recall', 'number >= 0')
    """

    name: str
    default: Any
    annotation: Any

    @property
    def help(self) -> str:
        """The effect of the option; empty if its function does not describe it."""
        return next((text for item in get_args(self.annotation)[1:] if (text := getattr(item, "description", ""))), "")

    @property
    def values(self) -> str:
        """A description of the values that the option takes."""
        return _describe_type(get_args(self.annotation)[0], get_args(self.annotation)[1])

    @cached_property
    def _type(self) -> pydantic.TypeAdapter[Any]:
        return pydantic.TypeAdapter(self.annotation)

    def check(self, metric: str, value: Any) -> Any:
        """Return the value, converted to the declared type.

        Args:
            metric: The name of the metric, for the message.

        Raises:
            ValueError: The value is not one that the option takes.

        >>> Option("beta", 1.0, Beta).check("strict", "0.5")
        0.5
        >>> Option("beta", 1.0, Beta).check("strict", -1)
        Traceback (most recent call last):
        ValueError: metrics={'strict': {'beta': -1}}: input should be greater than or equal to 0
        """
        if value is None and self.default is None:
            return None
        argument = spell_argument(f"{metric}.{self.name}", value)
        if isinstance(value, bool) and get_args(self.annotation)[0] in (int, float):
            raise ValueError(f"{argument}: expected {self.values}")
        try:
            return self._type.validate_python(value)
        except pydantic.ValidationError as error:
            problems = error.errors(include_url=False)
        # A union reports a problem for each of its members; the expected values are clearer than that list.
        problem = problems[0]["msg"].removeprefix("Value error, ") if len(problems) == 1 else f"expected {self.values}"
        raise ValueError(f"{argument}: {problem[0].lower()}{problem[1:]}")


LIMITS = {"Gt": ">", "Ge": ">=", "Lt": "<", "Le": "<="}
"""The sign of each limit of `annotated_types`, by the name of its class."""

WORDS: dict[type, str] = {float: "number", int: "whole number", bool: "true | false", str: "text", type(None): "none"}


def _describe_type(kind: Any, field: Any = None) -> str:
    """Describe the values of a type, with the limits that its `Field` sets.

    >>> _describe_type(Literal["a", "b"] | dict[str, float])
    'a | b | table of text to number'
    """
    if get_origin(kind) is Literal:
        return " | ".join(get_args(kind))
    if get_origin(kind) is dict:
        key, value = (_describe_type(part) for part in get_args(kind))
        return f"table of {key} to {value}"
    if get_args(kind):
        return " | ".join(map(_describe_type, get_args(kind)))
    limits = [
        f" {LIMITS[type(limit).__name__]} {getattr(limit, type(limit).__name__.lower())}"
        for limit in getattr(field, "metadata", [])
        if type(limit).__name__ in LIMITS
    ]
    return WORDS.get(kind, "any") + ",".join(limits)


registry: catalogue.Registry = catalogue.create("spacy_nereval", "metrics", entry_points=True)
"""The functions `(**options) -> Metric` by name. Other packages register theirs as entry points."""

DEFAULT = ("strict", "semeval", "slot_error", "loio", "fair", "wrf")
"""The metrics of the set `papers`, computed by default."""

SETS: dict[str, dict[str, dict[str, Any]]] = {
    "papers": {name: {} for name in DEFAULT},
    "conll": {"strict": {}},
    "muc": {"semeval": {}, "slot_error": {"slots": "muc"}},
    "cited": {
        name: {}
        for name in ("token", "char", "relaxed", "overlap", "plagdet", "ace", "tmr", "hierarchical", "mentions")
    },
}
"""The metrics of each set, with their options. There is also `all`, the set of every
registered metric. A set excludes the metrics that need an option it does not give."""


def create(name: str, /, **options: Any) -> Metric:
    """Return the metric of that name with these options.

    Args:
        name: The name of a registered metric.
        options: Values of its options; the others have their defaults.

    Returns:
        The metric, with its name and the values of all its options.

    Raises:
        ValueError: The metric, an option or its value is unknown, in which case the message
            lists those that exist; or the metric's declaration contradicts itself.

    >>> create("loio", s=1).settings["s"]
    1.0
    >>> create("loio", s=2)
    Traceback (most recent call last):
    ValueError: metrics={'loio': {'s': 2}}: input should be less than or equal to 1
    >>> create("loio", speed=2)
    Traceback (most recent call last):
    ValueError: loio has no option 'speed'; its options are s, match, beta
    """
    make = _load_metric(name)
    declared = {option.name: option for option in options_of(name)}
    settings = {option.name: option.default for option in declared.values()}
    for key, value in options.items():
        if key not in declared:
            hint = did_you_mean(key, declared)
            remedy = f"{hint} Its" if hint else "; its"
            raise ValueError(f"{name} has no option {key!r}{remedy} options are {', '.join(declared) or 'none'}")
        settings[key] = declared[key].check(name, value)
    try:
        metric = make(**settings)
    except ValueError as error:
        option, _, problem = str(error).partition(": ")
        argument = spell_argument(f"{name}.{option}", settings[option]) if option in declared else name
        raise ValueError(f"{argument}: {problem if option in declared else error}") from None
    if not isinstance(metric, Metric):
        raise ValueError(f"the function of the metric {name!r} returned {shorten(repr(metric))}; expected a Metric")
    named = copy(metric)  # whose declaration `replace` would check once more
    vars(named).update(name=name, settings={key: _json_value(value) for key, value in settings.items()})
    return named


def _json_value(value: Any) -> Any:
    """Return the value of an option in a form that JSON can store: infinity as text, which `create` accepts."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


Metrics = Mapping[str, Mapping[str, Any]] | Iterable[str] | None
"""Names of metrics or sets, as a list or as text with commas, or a table of names and options."""


def create_all(metrics: Metrics = None) -> tuple[Metric, ...]:
    """Return several metrics.

    Args:
        metrics: Names of metrics or of `SETS`: a list, text with commas, or a table of names and options; by default
            the six metrics of the set `papers`.

    Returns:
        The metrics in the order of the names, each set replaced by its metrics.

    Raises:
        ValueError: As for `create`; or a name is listed twice, there is no metric, or two
            metrics have the same score key.

    >>> [metric.name for metric in create_all({"loio": {"s": 0.5}, "strict": {}})]
    ['loio', 'strict']
    >>> [(metric.name, metric.settings.get("slots")) for metric in create_all("muc, strict")]
    [('semeval', None), ('slot_error', 'muc'), ('strict', None)]
    """
    created = tuple(create(name, **options) for name, options in expand_sets(metric_table(metrics)).items())
    check_together(created)
    return created


def metric_table(metrics: Metrics) -> dict[str, Mapping[str, Any]]:
    """Convert metrics in any accepted form to a table of names and options; None is the set `papers`.

    Raises:
        ValueError: A name is listed twice, or there is none.

    >>> metric_table("strict,fair") == metric_table(["strict", "fair"]) == metric_table({"strict": {}, "fair": {}})
    True
    """
    if metrics is None:
        metrics = DEFAULT
    if isinstance(metrics, str):
        metrics = [name.strip() for name in metrics.split(",")]
    try:
        table = metrics if isinstance(metrics, Mapping) else [*_names_here(metrics)]
    except TypeError:
        raise ValueError(f"{spell_argument('metrics', metrics)}: expected names, such as ['strict', 'fair']") from None
    if len(table) > len({*table}):
        all_names = [*table]
        repeated = sorted({name for name in all_names if all_names.count(name) > 1})
        raise ValueError(f"{spell_argument('metrics', all_names)}: {', '.join(repeated)} more than once")
    if not table:
        raise ValueError(f"{spell_argument('metrics', table)}: no metric is named; choose from {', '.join(names())}")
    return {**table} if isinstance(table, Mapping) else dict.fromkeys(table, {})


def _names_here(metrics: Iterable[str]) -> Iterator[str]:
    """Yield the names of metrics, with those of `METRIC_NAMES` for their names elsewhere."""
    listed, registered, meant = [*metrics], list_names(registry), METRIC_NAMES | METRICS_OF_SCORES
    here_of = {name: meant.get(name) or _metric_of_score(name, {*registered, *meant}) for name in listed}
    here_of = {name: meant.get(here, here) for name, here in here_of.items()}
    others = {here for name, here in here_of.items() if name not in registered and here != name}
    for name in listed:
        here = here_of[name]
        if name in registered or here == name:
            yield name
        elif here in others and here not in listed:
            others.discard(here)
            yield here


def _metric_of_score(name: str, metrics: Collection[str]) -> str:
    """Return the metric in the name of a score, such as "fair_f1"; the name itself if it is none."""
    metric = re.sub("_(f1|f1_score|f_score|score|f|precision|recall|p|r)$", "", name)
    return metric if metric in metrics else name


def expand_sets(metrics: Mapping[str, Mapping[str, Any] | None], *, whole: bool = False) -> dict[str, dict[str, Any]]:
    """Return the table with each set replaced by its metrics.

    Options given for a metric by its own name are added to those that a set gives it.

    Args:
        metrics: Names of metrics or sets, and options.
        whole: Whether to keep the metrics of a set that need an option it does not give.

    Raises:
        ValueError: A set is given options.

    >>> expand_sets({"muc": {}, "slot_error": {"beta": 2}})
    {'semeval': {}, 'slot_error': {'slots': 'muc', 'beta': 2}}
    """
    table: dict[str, dict[str, Any]] = {}
    for name, options in metrics.items():
        members = SETS.get(name)
        if name == "all":
            members = {member: {} for member in names()}
        if members is None:
            table.setdefault(name, {}).update(options or {})
        elif options:
            raise ValueError(f"{name} is a set of metrics and has no options; give them to one of its metrics by name")
        else:
            for member, defaults in members.items():
                if whole or member in metrics or mandatory_option(member) in (None, *defaults):
                    table[member] = defaults | table.get(member, {})
    return table


def names() -> list[str]:
    """Return the name of every registered metric, those of the set `papers` first.

    Returns:
        The six of the set `papers` first, then the others in alphabetical order.

    >>> names()[:3]
    ['strict', 'semeval', 'slot_error']
    """
    registered = list_names(registry)
    return [name for name in DEFAULT if name in registered] + [name for name in registered if name not in DEFAULT]


@cache
def mandatory_option(name: str) -> str | None:
    """Return the option that a metric needs to judge; None if it needs none.

    >>> mandatory_option("tmr"), mandatory_option("strict")
    ('train', None)
    """
    return create(name).needs


def metrics_needing(option: str) -> list[str]:
    """Return the metrics that need an option.

    >>> metrics_needing("train")
    ['tmr']
    """
    return [name for name in names() if mandatory_option(name) == option]


class Documentation(NamedTuple):
    """The parts of a metric's docstring: summary, details, the formula, and the source."""

    summary: str
    details: str
    formula: str
    source: str


def documentation(name: str) -> Documentation:
    """Return the documentation of a registered metric.

    The first paragraph of the docstring is the summary. Those that begin with "Formula: "
    and "Source: " are the formula and the source. Doctests are removed.

    >>> documentation("strict").source
    'Tjong Kim Sang and De Meulder (2003), CoNLL-2003 shared task.'
    """
    paragraphs = (inspect.getdoc(_load_metric(name)) or "").split("\n\n")
    prose = [" ".join(paragraph.split()) for paragraph in paragraphs if not paragraph.startswith(">>>")]
    sections = {"Formula: ": "", "Source: ": ""}
    details = []
    for paragraph in prose[1:]:
        if mark := next((mark for mark in sections if paragraph.startswith(mark)), None):
            sections[mark] = paragraph.removeprefix(mark)
        else:
            details.append(paragraph)
    return Documentation(prose[0], "\n\n".join(details), *sections.values())


OWN_METRIC = (
    ". A metric of your own is known once the file that registers it is imported (in commands: --code FILE), "
    "and one of another package once that is installed"
)


def _load_metric(name: str) -> Callable[..., Metric]:
    try:
        make: Callable[..., Metric] = load_function(registry, name)
    except catalogue.RegistryError:
        sets = ", ".join((*SETS, "all"))
        if line := line_here(name):
            option = line.removeprefix("nereval score GOLD PRED ")  # which other commands have, too
            raise ValueError(
                f"there is no metric {name!r}: write {option if option.startswith('--metrics ') else line}"
            ) from None
        unknown = describe_unknown(name, names(), "metric", 50)
        remedy = "" if "did you mean" in unknown else OWN_METRIC
        raise ValueError(f"{unknown}, and the sets {sets}{remedy}") from None
    return make


@cache
def options_of(name: str) -> tuple[Option, ...]:
    """Return the options of a registered metric, from the signature of its function.

    >>> [option.name for option in options_of("loio")]
    ['s', 'match', 'beta']
    """
    make = _load_metric(name)
    hints = get_type_hints(make, include_extras=True)
    parameters = inspect.signature(make).parameters.values()
    return tuple(Option(p.name, p.default, _find_annotation(hints.get(p.name))) for p in parameters)


def _find_annotation(hint: Any) -> Any:
    """Return the `Annotated` of a parameter's type.

    It may be in a union with None. Python 3.10 makes one of every type with the default None.
    """
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    annotations = (part for part in parts if get_origin(part) is Annotated)
    return next(annotations, Annotated[Any, pydantic.Field()])  # by default for a parameter that is not annotated


SEARCHED_DOCUMENTS = 1000
"""Number of documents that are searched for gold labels with levels."""


class Unavailable(NamedTuple):
    """Why documents lack texts, words or tokens; "" for the parts they have."""

    texts: str = ""
    words: str = ""
    tokens: str = ""

    def reason(self, metric: Metric) -> str:
        """Return why a metric cannot be computed; "" if it can."""
        of_text = self.words if metric.text == "words" else self.texts if metric.text else ""
        return of_text or (self.tokens if metric.tokens else "")


NO_TOKENS = "the documents have no tokens"
NO_WORDS = "the documents have the numbers of words instead of words"


class MetricChoice(NamedTuple):
    """The metrics that are scored, and the excluded ones of sets, with the reason."""

    metrics: tuple[Metric, ...]
    left_out: dict[str, str]


def choose_metrics(metrics: Any, unknown: Callable[[], Unavailable] = Unavailable) -> MetricChoice:
    """Return the metrics that are scored, and the excluded ones of sets.

    Args:
        metrics: As for `create_all`.
        unknown: Returns the parts that the documents lack; called only if a metric needs texts or tokens.

    Raises:
        ValueError: As for `create_all`; or a metric that is given by name needs a file that is not given, or needs
            words that the texts do not have.

    >>> choice = choose_metrics(["strict", "cited"], lambda: Unavailable(texts="there is no text"))
    >>> [metric.name for metric in choice.metrics][:3], choice.left_out["mentions"]
    (['strict', 'token', 'char'], 'there is no text')
    """
    table = {} if metrics is None else metric_table(metrics)
    created = create_all(table or None)
    missing = [name for name in expand_sets(table, whole=True) if name not in expand_sets(table)]
    left_out = {
        name: f"it {describe_needed_file(name, option)}" for name in missing if (option := mandatory_option(name))
    }
    for metric in created:
        if metric.needs:
            raise ValueError(f"{metric.name} {describe_needed_file(metric.name, metric.needs)}")
    text_metrics = [metric for metric in created if metric.text or metric.tokens]
    unavailable = unknown() if text_metrics else Unavailable()
    for metric in text_metrics:
        if reason := unavailable.reason(metric):
            if metric.name not in table:
                left_out[metric.name] = reason
            elif metric.text == "words" and not unavailable.texts:  # without a text, counting raises an error
                raise ValueError(f"{metric.name} needs words: {reason}")
    return MetricChoice(tuple(metric for metric in created if metric.name not in left_out), left_out)


ATTRIBUTES_ADDED = "attributes is added, since spans of both sides have attributes"
ATTRIBUTES_LEFT = "gold spans have attributes, which these metrics do not compare; the metric attributes does"
"""The note on spans with attributes."""


def add_hierarchical(
    metrics: Sequence[Metric], labels: Iterable[str], sep: str
) -> tuple[tuple[Metric, ...], list[str]]:
    """Add `hierarchical` if a gold label has levels; return the metrics, and a line on it.

    Args:
        metrics: The metrics that were chosen.
        labels: Gold labels.
        sep: The separator of the levels.

    >>> add_hierarchical((), ["PER", "LOC/CITY"], "/")[1]
    ['hierarchical is added, since the label LOC/CITY has levels']
    """
    if label := next((label for label in labels if sep in label.strip(sep)), None):
        line = f"hierarchical is added, since the label {shorten(label)} has levels"
        return (*metrics, create("hierarchical", sep=sep)), [line]
    return tuple(metrics), []
