"""The registry of metrics."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, NamedTuple, get_origin, get_type_hints

import catalogue
import pydantic

from ..core.declaration import Metric
from .options import Option

registry = catalogue.create("spacy_nereval", "metrics", entry_points=True)
"""Names to functions `(**options) -> Metric`, filled by entry points."""

DEFAULT = ("strict", "semeval", "slot_error", "loio", "fair", "wrf")

SETS: dict[str, dict[str, dict[str, Any]]] = {
    "papers": {name: {} for name in DEFAULT},
    "conll": {"strict": {}},
    "muc": {"semeval": {}, "slot_error": {"slots": "muc"}},
    "cited": {name: {} for name in ("token", "char", "relaxed", "overlap", "plagdet", "ace", "tmr")},
}
"""Metrics that go together, by a name that can stand for them. `all` stands for every
registered metric. Those that need an option that a set does not give are left out of it."""


def create(name: str, **options: Any) -> Metric:
    """The metric of that name with these options.

    Raises ValueError if the metric, an option or its value is unknown, and
    says which there are.

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
        raise ValueError(f"{name}.{error}" if str(error).split()[0] in known else f"{name}: {error}") from None
    return replace(metric, name=name, settings=settings)


def create_all(metrics: Mapping[str, Mapping[str, Any]] | Iterable[str] | None = None) -> tuple[Metric, ...]:
    """Several metrics, from `{name: options}` or names, of metrics or `SETS`; by default
    the six of the papers.

    >>> [metric.name for metric in create_all({"loio": {"s": 0.5}, "strict": {}})]
    ['loio', 'strict']
    >>> [(metric.name, metric.settings.get("slots")) for metric in create_all(["muc", "strict"])]
    [('semeval', None), ('slot_error', 'muc'), ('strict', None)]
    """
    if metrics is None:
        metrics = DEFAULT
    if isinstance(metrics, str):
        raise ValueError(f"metrics = {metrics!r}: a list of names or a table of name and options was wanted")
    if len(listed := list(metrics)) > len(set(listed)):
        raise ValueError(
            f"metrics names {', '.join(sorted({n for n in listed if listed.count(n) > 1}))} more than once"
        )
    if not isinstance(metrics, Mapping):
        metrics = dict.fromkeys(listed, {})
    if not metrics:
        raise ValueError(f"metrics is empty; choose from {', '.join(names())}")
    return tuple(create(name, **options) for name, options in expanded(metrics).items())


def expanded(metrics: Mapping[str, Mapping[str, Any] | None], *, whole: bool = False) -> dict[str, dict[str, Any]]:
    """The same table with each set replaced by its metrics, the `whole` set or those
    that need no further option. Options given for a metric by its own name are
    added to those that a set gives it.

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
            raise ValueError(f"{name} is a set of metrics, which has no options; name the metric that they are for")
        else:
            for each, given in members.items():
                if whole or each in metrics or not create(each, **given).needs:
                    found[each] = given | found.get(each, {})
    return found


def names() -> list[str]:
    """Every registered metric: the papers' six first, then the others by name."""
    found = registry.get_all()
    return [name for name in DEFAULT if name in found] + sorted(set(found) - set(DEFAULT))


def needing(option: str) -> list[str]:
    """The metrics that judge nothing without an option of that name.

    >>> needing("train")
    ['tmr']
    """
    return [name for name in names() if create(name).needs == option]


class Documentation(NamedTuple):
    """A metric's docstring in parts: what is true of it, the rest, how it is
    computed, and where it comes from."""

    summary: str
    details: str
    formula: str
    source: str


def documentation(name: str) -> Documentation:
    """The documentation of a registered metric.

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
        return registry.get(name)
    except catalogue.RegistryError:
        sets = ", ".join((*SETS, "all"))
        raise ValueError(f"there is no metric {name!r}; there are {', '.join(names())}, and the sets {sets}") from None


@cache
def options_of(name: str) -> tuple[Option, ...]:
    """The options of a registered metric, from its function's signature."""
    make = _registered(name)
    hints = get_type_hints(make, include_extras=True)
    parameters = inspect.signature(make).parameters.values()
    plain = Annotated[Any, pydantic.Field()]
    return tuple(
        Option(p.name, p.default, hints[p.name] if get_origin(hints.get(p.name)) is Annotated else plain)
        for p in parameters
    )
