"""The registry of metrics: names, options and documentation; options that several metrics have.

Which metrics are scored follows from the names that are asked for, and from sets as far as what their metrics
need is known.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import catalogue
import pydantic
from pydantic import Field

from ..core.declaration import Metric, check_together
from ..core.messages import describe_needed_file, describe_unknown, did_you_mean, shorten, spell_argument
from ..core.plugins import list_names, load_registered

Beta = Annotated[
    float, Field(ge=0, description="weight of recall relative to precision in F: 0 is precision, inf is recall")
]

Focus = Annotated[
    Literal["target", "system"],
    Field(description="label that a pair counts for: the gold one (target) or the predicted one (system)"),
]

Typed = Annotated[bool, Field(description="compare only spans of the same label")]


@dataclass(frozen=True)
class Option:
    """One option of a metric.

    Args:
        name: The name of the parameter.
        default: Its default value.
        annotation: Its type and pydantic's `Field`, as `Annotated` holds them.

    >>> option = Option("beta", 1.0, Beta)
    >>> option.help, option.values
    ('weight of recall relative to precision in F: 0 is precision, inf is recall', 'number >= 0')
    """

    name: str
    default: Any
    annotation: Any

    @property
    def help(self) -> str:
        """What the option does; empty if its function does not say."""
        return next((text for item in get_args(self.annotation)[1:] if (text := getattr(item, "description", ""))), "")

    @property
    def values(self) -> str:
        """The values that the option takes, in words."""
        return _in_words(get_args(self.annotation)[0], get_args(self.annotation)[1])

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
        given = spell_argument(f"{metric}.{self.name}", value)
        if isinstance(value, bool) and get_args(self.annotation)[0] in (int, float):
            raise ValueError(f"{given}: expected {self.values}")
        try:
            return self._type.validate_python(value)
        except pydantic.ValidationError as error:
            problems = error.errors(include_url=False)
        # A union reports a problem for each of its members; the expected values are clearer than that list.
        problem = problems[0]["msg"].removeprefix("Value error, ") if len(problems) == 1 else f"expected {self.values}"
        raise ValueError(f"{given}: {problem[0].lower()}{problem[1:]}")


LIMITS = {"Gt": ">", "Ge": ">=", "Lt": "<", "Le": "<="}
"""How the limits of `annotated_types` are written, by the name of their class."""

WORDS: dict[type, str] = {float: "number", int: "whole number", bool: "true | false", str: "text", type(None): "none"}


def _in_words(kind: Any, field: Any = None) -> str:
    """Return the values of a type in words, with the limits that its `Field` sets.

    >>> _in_words(Literal["a", "b"] | dict[str, float])
    'a | b | table of text to number'
    """
    if get_origin(kind) is Literal:
        return " | ".join(get_args(kind))
    if get_origin(kind) is dict:
        key, value = (_in_words(part) for part in get_args(kind))
        return f"table of {key} to {value}"
    if get_args(kind):
        return " | ".join(map(_in_words, get_args(kind)))
    limits = [
        f" {LIMITS[type(limit).__name__]} {getattr(limit, type(limit).__name__.lower())}"
        for limit in getattr(field, "metadata", [])
        if type(limit).__name__ in LIMITS
    ]
    return WORDS.get(kind, "any") + ",".join(limits)


registry: catalogue.Registry = catalogue.create("spacy_nereval", "metrics", entry_points=True)
"""Names to functions `(**options) -> Metric`. Packages add theirs by entry points."""

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
"""Names of sets to their metrics, each with its options. There is also `all`, the set of every
registered metric. A set leaves out the metrics that need an option it does not give."""


def create(name: str, **options: Any) -> Metric:
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
    make = _registered(name)
    known = {option.name: option for option in options_of(name)}
    settings = {option.name: option.default for option in known.values()}
    for key, value in options.items():
        if key not in known:
            asked = did_you_mean(key, known)
            its = f"{asked} Its" if asked else "; its"
            raise ValueError(f"{name} has no option {key!r}{its} options are {', '.join(known) or 'none'}")
        settings[key] = known[key].check(name, value)
    try:
        metric = make(**settings)
    except ValueError as error:
        option, _, problem = str(error).partition(": ")
        given = spell_argument(f"{name}.{option}", settings[option]) if option in known else name
        raise ValueError(f"{given}: {problem if option in known else error}") from None
    return replace(metric, name=name, settings={key: _storable(value) for key, value in settings.items()})


def _storable(value: Any) -> Any:
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
    created = tuple(create(name, **options) for name, options in expanded(as_table(metrics)).items())
    check_together(created)
    return created


def as_table(metrics: Metrics) -> dict[str, Mapping[str, Any]]:
    """Return metrics, however they are given, as a table of names and options; the set `papers` for None.

    Raises:
        ValueError: A name is listed twice, or there is none.

    >>> as_table("strict,fair") == as_table(["strict", "fair"]) == as_table({"strict": {}, "fair": {}})
    True
    """
    if metrics is None:
        metrics = DEFAULT
    if isinstance(metrics, str):
        metrics = [name.strip() for name in metrics.split(",")]
    try:
        found = metrics if isinstance(metrics, Mapping) else [*metrics]
    except TypeError:
        raise ValueError(f"{spell_argument('metrics', metrics)}: expected names, such as ['strict', 'fair']") from None
    if len(found) > len({*found}):
        listed = [*found]
        twice = sorted({name for name in listed if listed.count(name) > 1})
        raise ValueError(f"{spell_argument('metrics', listed)}: {', '.join(twice)} more than once")
    if not found:
        raise ValueError(f"{spell_argument('metrics', found)}: no metric is named; choose from {', '.join(names())}")
    return {**found} if isinstance(found, Mapping) else dict.fromkeys(found, {})


def expanded(metrics: Mapping[str, Mapping[str, Any] | None], *, whole: bool = False) -> dict[str, dict[str, Any]]:
    """Return the table with each set replaced by its metrics.

    Options given for a metric by its own name are added to those that a set gives it.

    Args:
        metrics: Names of metrics or sets, and options.
        whole: Whether to keep the metrics of a set that need an option it does not give.

    Raises:
        ValueError: A set is given options.

    >>> expanded({"muc": {}, "slot_error": {"beta": 2}})
    {'semeval': {}, 'slot_error': {'slots': 'muc', 'beta': 2}}
    """
    found: dict[str, dict[str, Any]] = {}
    for name, options in metrics.items():
        members = SETS.get(name)
        if name == "all":
            members = {each: {} for each in names()}
        if members is None:
            found.setdefault(name, {}).update(options or {})
        elif options:
            raise ValueError(f"{name} is a set of metrics and has no options; give them to one of its metrics by name")
        else:
            for each, given in members.items():
                if whole or each in metrics or needs(each) in (None, *given):
                    found[each] = given | found.get(each, {})
    return found


def names() -> list[str]:
    """Return the name of every registered metric, those of the set `papers` first.

    Returns:
        The six of the set `papers` first, then the others in alphabetical order.

    >>> names()[:3]
    ['strict', 'semeval', 'slot_error']
    """
    found = list_names(registry)
    return [name for name in DEFAULT if name in found] + [name for name in found if name not in DEFAULT]


@cache
def needs(name: str) -> str | None:
    """Return the option that must be given before the metric of that name can judge; None if there is none.

    >>> needs("tmr"), needs("strict")
    ('train', None)
    """
    return create(name).needs


def needing(option: str) -> list[str]:
    """Return the metrics that need the option of that name.

    >>> needing("train")
    ['tmr']
    """
    return [name for name in names() if needs(name) == option]


class Documentation(NamedTuple):
    """The parts of a metric's docstring: what it measures, details, the formula, and the source."""

    summary: str
    details: str
    formula: str
    source: str


def documentation(name: str) -> Documentation:
    """Return the documentation of a registered metric.

    The first paragraph of the docstring is the summary. Those that begin with "Formula: "
    and "Source: " are the formula and the source. Doctests are left out.

    >>> documentation("strict").source
    'Tjong Kim Sang and De Meulder (2003), CoNLL-2003 shared task.'
    """
    paragraphs = (inspect.getdoc(_registered(name)) or "").split("\n\n")
    prose = [" ".join(paragraph.split()) for paragraph in paragraphs if not paragraph.startswith(">>>")]
    named = {"Formula: ": "", "Source: ": ""}
    details = []
    for paragraph in prose[1:]:
        if mark := next((mark for mark in named if paragraph.startswith(mark)), None):
            named[mark] = paragraph.removeprefix(mark)
        else:
            details.append(paragraph)
    return Documentation(prose[0], "\n\n".join(details), *named.values())


def _registered(name: str) -> Callable[..., Metric]:
    try:
        make: Callable[..., Metric] = load_registered(registry, name)
    except catalogue.RegistryError:
        sets = ", ".join((*SETS, "all"))
        raise ValueError(f"{describe_unknown(name, names(), 'metric', 50)}, and the sets {sets}") from None
    return make


@cache
def options_of(name: str) -> tuple[Option, ...]:
    """Return the options of a registered metric, from the signature of its function.

    >>> [option.name for option in options_of("loio")]
    ['s', 'match', 'beta']
    """
    make = _registered(name)
    hints = get_type_hints(make, include_extras=True)
    parameters = inspect.signature(make).parameters.values()
    return tuple(Option(p.name, p.default, _annotated(hints.get(p.name))) for p in parameters)


def _annotated(hint: Any) -> Any:
    """Return the `Annotated` of a parameter's type.

    It may be in a union with None. Python 3.10 makes one of every type whose default is None.
    """
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    found = (part for part in parts if get_origin(part) is Annotated)
    return next(found, Annotated[Any, pydantic.Field()])  # by default for a parameter that is not annotated


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


NO_TOKENS = "the documents have no tokens"
NO_WORDS = "the documents have the numbers of words instead of words"


class Chosen(NamedTuple):
    """The metrics that are scored, and those of sets that are left out, with the reason."""

    metrics: tuple[Metric, ...]
    left_out: dict[str, str]


def chosen_metrics(metrics: Any, unknown: Callable[[], Unknown] = Unknown) -> Chosen:
    """Return the metrics that are scored, and which are left out.

    Args:
        metrics: As for `create_all`.
        unknown: Returns what is not known of the documents; asked only if a metric needs it.

    Raises:
        ValueError: As for `create_all`; or a metric that is asked for by its name needs a file and was given none, or
            needs words, and the texts have none.

    >>> found = chosen_metrics(["strict", "cited"], lambda: Unknown(texts="there is no text"))
    >>> [metric.name for metric in found.metrics][:3], found.left_out["mentions"]
    (['strict', 'token', 'char'], 'there is no text')
    """
    table = {} if metrics is None else as_table(metrics)
    created = create_all(table or None)
    missing = [name for name in expanded(table, whole=True) if name not in expanded(table)]
    left_out = {name: f"it {describe_needed_file(name, option)}" for name in missing if (option := needs(name))}
    for metric in created:
        if metric.needs:
            raise ValueError(f"{metric.name} {describe_needed_file(metric.name, metric.needs)}")
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
        line = f"hierarchical is added, since the label {shorten(label)} has levels"
        return (*metrics, create("hierarchical", sep=sep)), [line]
    return tuple(metrics), []
