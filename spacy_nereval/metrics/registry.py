"""The registry of metrics: names, options and documentation."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import catalogue
import pydantic

from ..core.declaration import Metric, check_together
from ..core.plugins import registered, registered_names
from .options import Option

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
    ValueError: loio.s = 2: input should be less than or equal to 1
    >>> create("loio", speed=2)
    Traceback (most recent call last):
    ValueError: loio has no option 'speed'; its options are s, match, beta
    """
    make = _registered(name)
    known = {option.name: option for option in options_of(name)}
    settings = {option.name: option.default for option in known.values()}
    for key, value in options.items():
        if key not in known:
            raise ValueError(f"{name} has no option {key!r}; its options are {', '.join(known) or 'none'}")
        settings[key] = known[key].check(name, value)
    try:
        metric = make(**settings)
    except ValueError as error:
        # A message that begins with an option becomes "wrf.weights = ...".
        about_option = str(error).split(" ")[0] in known
        raise ValueError(f"{name}.{error}" if about_option else f"{name}: {error}") from None
    return replace(metric, name=name, settings={key: _storable(value) for key, value in settings.items()})


def _storable(value: Any) -> Any:
    """Return the value of an option in a form that JSON can store: infinity as text, which `create` accepts."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def create_all(metrics: Mapping[str, Mapping[str, Any]] | Iterable[str] | None = None) -> tuple[Metric, ...]:
    """Return several metrics.

    Args:
        metrics: Names of metrics or of `SETS`, or a table of names and options; by default
            the six metrics of the set `papers`.

    Returns:
        The metrics in the order of the names, each set replaced by its metrics.

    Raises:
        ValueError: As for `create`; or a name is listed twice, there is no metric, or two
            metrics have the same score key.

    >>> [metric.name for metric in create_all({"loio": {"s": 0.5}, "strict": {}})]
    ['loio', 'strict']
    >>> [(metric.name, metric.settings.get("slots")) for metric in create_all(["muc", "strict"])]
    [('semeval', None), ('slot_error', 'muc'), ('strict', None)]
    """
    if metrics is None:
        metrics = DEFAULT
    if isinstance(metrics, str):
        raise ValueError(f"metrics = {metrics!r}: expected a list of names, or a table of names and options")
    if len(listed := list(metrics)) > len(set(listed)):
        twice = sorted({name for name in listed if listed.count(name) > 1})
        raise ValueError(f"metrics names {', '.join(twice)} more than once")
    if not isinstance(metrics, Mapping):
        metrics = dict.fromkeys(listed, {})
    if not metrics:
        raise ValueError(f"metrics is empty; choose from {', '.join(names())}")
    created = tuple(create(name, **options) for name, options in expanded(metrics).items())
    check_together(created)
    return created


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
    found = registered_names(registry)
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
        make: Callable[..., Metric] = registered(registry, name)
    except catalogue.RegistryError:
        sets = ", ".join((*SETS, "all"))
        raise ValueError(f"there is no metric {name!r}; there are {', '.join(names())}, and the sets {sets}") from None
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
