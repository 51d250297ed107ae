"""What a metric is, and the registry that finds them all.

A metric is a value: which verdicts it passes, how it counts them, how it turns
counts into scores. A metric *file* holds one function that takes the options
and returns that value; an entry point in the group `spacy_nereval_metrics`
makes it known. Options, defaults, ranges, help and documentation are read from
that function's signature and docstring, and from nowhere else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import catalogue
import numpy as np
import pydantic

from .spans import Document, Span

if TYPE_CHECKING:
    from .settling import Batch
    from .views import Summary, View

Columns = Mapping[str, np.ndarray]
"""Column name to an array of counts. All arrays have one shape, whatever it is:
one total, a row per label, a row per document, ten thousand resamples."""

Beta = Annotated[
    float, pydantic.Field(gt=0, allow_inf_nan=False, description="weight of recall against precision in F")
]
Focus = Annotated[
    Literal["target", "system"],
    pydantic.Field(description="label that a pair counts for: the gold one (target) or the predicted one (system)"),
]

registry = catalogue.create("spacy_nereval", "metrics", entry_points=True)
"""Names to functions `(**options) -> Metric`, filled by entry points."""

GOLD_SPANS = "gold_spans"
PRED_SPANS = "pred_spans"
"""Columns that every `score` gets besides the metric's own: the number of spans."""

# In the order in which they are shown, which entry points do not have.
DEFAULT = ("strict", "semeval", "slot_error", "loio", "fair", "wrf")

SETS: dict[str, dict[str, dict[str, Any]]] = {
    "papers": {name: {} for name in DEFAULT},
    "conll": {"strict": {}},
    "muc": {"semeval": {}, "slot_error": {"slots": "muc"}},
    "cited": {name: {} for name in ("token", "char", "relaxed", "overlap", "plagdet", "ace", "tmr")},
}
"""Metrics that go together, by a name that can stand for them. `all` stands for every
registered metric. Those that need an option that a set does not give are left out of it."""


class Verdict(NamedTuple):
    """What a metric says of a gold span, a predicted span, or a pair of them.

    `name` is the source's own abbreviation. `amount` is 1 unless the metric
    gives partial credit.
    """

    name: str
    gold: Span | None
    pred: Span | None
    amount: float = 1


class Tally(NamedTuple):
    """Verdicts of one name on several documents: arrays of the same length.

    Documents are told by their place in a batch, labels by theirs in its list of
    labels; the place behind the last stands for none.
    """

    name: str
    doc: np.ndarray
    gold: np.ndarray
    pred: np.ndarray
    amount: np.ndarray


@dataclass(frozen=True)
class Metric:
    """A metric with its options filled in.

    judge: the verdicts on a `Contest`: gold and predicted spans that may overlap
        but are not alike. With `settled=None` it gets whole documents instead. Where
        in its text a contest stands must not matter: those that differ in nothing
        else are judged once.
    score: counts to scores, element by element, for arrays of any shape: a total, labels
        and documents may stand in one. 0/0 is NaN.
    columns: each column and the verdicts whose amounts it adds up, or `GOLD_SPANS`
        or `PRED_SPANS`. `one_each` makes a column of each verdict.
    floats: the columns that are no whole numbers.
    settled: the verdicts on an exact hit, a plain miss, a plain spurious span.
    flat: keys of a spaCy score dict (without prefix) and the score each shows.
    focus: the label that a pair counts for.
    confusion: the verdicts that the confusion matrix shows; None has none.
    details: further counts to show, computed like the scores.
    totals: scores that are numbers of spans, not ratios; no average is taken.
    summary: all scores from a `View` of the counts, where they are not simply
        the scores of the summed counts.
    document_scores: with a `summary`, its overall scores of each document by itself,
        float[documents], from a `View` too.
    version: goes up when the numbers change; counts of different versions do not mix.
    note: with `settled=None`, of a document and a gold span a text to keep with
        the verdict on it.
    refine: each row's final verdict, int[rows], from its verdict, its place among
        all notes, and these, where a verdict depends on the whole corpus.
    unscaled: scores that are no shares of 1, and are shown as they are.
    tokens: whether documents without tokens cannot be judged.
    needs: an option that must be given, and is not; the metric has numbers but judges nothing.
    tally: the verdicts of `judge` on all documents of a batch, added up; only for
        speed, where there are many.
    """

    judge: Callable[[Any], Iterable[Verdict]]
    score: Callable[[Columns], dict[str, np.ndarray]]
    columns: Mapping[str, tuple[str, ...] | str]
    floats: tuple[str, ...] = ()
    settled: tuple[str, str, str] | None = ("tp", "fn", "fp")
    flat: Mapping[str, str] = field(default_factory=dict)
    focus: str = "target"
    confusion: tuple[str, ...] | None = None
    details: Callable[[Columns], dict[str, Any]] | None = None
    totals: tuple[str, ...] = ()
    summary: Callable[[View], Summary] | None = None
    document_scores: Callable[[View], dict[str, np.ndarray]] | None = None
    tally: Callable[[Batch], Iterable[Tally]] | None = None
    note: Callable[[Document, Any], str] | None = None
    refine: Callable[[np.ndarray, np.ndarray, tuple[str, ...]], np.ndarray] | None = None
    unscaled: tuple[str, ...] = ()
    tokens: bool = False
    needs: str | None = None
    version: int = 1
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.summary is None) != (self.document_scores is None):
            raise ValueError(
                "a metric with a summary of its own needs document_scores too, for the same scores "
                "of each document; one without has no document_scores"
            )
        if self.note and self.settled:
            raise ValueError("a metric with a note judges whole documents, and needs settled=None")

    @property
    def plain(self) -> tuple[str, ...]:
        """The scores that are no shares of 1, and are never shown in percent."""
        return (*self.totals, *self.unscaled)

    @cached_property
    def verdict_names(self) -> tuple[str, ...]:
        """Every verdict the metric may pass, in the order of its columns."""
        sources = [names for names in self.columns.values() if not isinstance(names, str)]
        sources += [self.settled or (), self.confusion or ()]
        return tuple(dict.fromkeys(name for names in sources for name in names))

    def verdicts(self, document: Document) -> Iterator[Verdict]:
        """All verdicts on a document: the evidence behind every number.

        >>> from spacy_nereval import create, Document
        >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 5, "A"), (2, 4, "B")])
        >>> [verdict.name for verdict in create("strict").verdicts(doc)]
        ['tp', 'fp', 'fn']
        """
        if self.settled is None:
            yield from self.judge(document)
            return
        hit, miss, spurious = self.settled
        for span in map(Span._make, sorted(document.hits)):
            yield Verdict(hit, span, span)
        for contest in document.contests:
            if contest.gold and contest.pred:
                yield from self.judge(contest)
            else:
                yield from (Verdict(miss, span, None) for span in contest.gold)
                yield from (Verdict(spurious, None, span) for span in contest.pred)


def one_each(*verdicts: str) -> dict[str, tuple[str, ...] | str]:
    """A column for each verdict.

    >>> one_each("tp", "fp")
    {'tp': ('tp',), 'fp': ('fp',)}
    """
    return {name: (name,) for name in verdicts}


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


class Option(NamedTuple):
    """One option of a metric, as its function declares it."""

    name: str
    default: Any
    annotation: Any

    @property
    def help(self) -> str:
        return next((text for item in get_args(self.annotation)[1:] if (text := getattr(item, "description", ""))), "")

    @property
    def values(self) -> str:
        """What the option takes, in words."""
        return _in_words(get_args(self.annotation)[0], get_args(self.annotation)[1])

    def check(self, metric: str, value: Any) -> Any:
        """The value, converted to the declared type. Raises ValueError if it is none."""
        if isinstance(value, bool) and get_args(self.annotation)[0] in (int, float):
            raise ValueError(f"{metric}.{self.name} = {value!r}: wanted {self.values}")
        try:
            return pydantic.TypeAdapter(self.annotation).validate_python(value)
        except pydantic.ValidationError as error:
            problems = error.errors(include_url=False)
            message = (
                problems[0]["msg"].removeprefix("Value error, ") if len(problems) == 1 else f"wanted {self.values}"
            )
            raise ValueError(f"{metric}.{self.name} = {value!r}: {message[0].lower()}{message[1:]}") from None


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


BOUNDS = {"Gt": ">", "Ge": ">=", "Lt": "<", "Le": "<="}


def _in_words(kind: Any, limits: Any = None) -> str:
    if get_origin(kind) is Literal:
        return " | ".join(get_args(kind))
    if get_origin(kind) is dict:
        key, value = (_in_words(part) for part in get_args(kind))
        return f"table of {key} to {value}"
    if get_args(kind):
        return " | ".join(map(_in_words, get_args(kind)))
    bounds = [
        f" {BOUNDS[type(bound).__name__]} {getattr(bound, type(bound).__name__.lower())}"
        for bound in getattr(limits, "metadata", [])
        if type(bound).__name__ in BOUNDS
    ]
    words = {float: "number", int: "whole number", bool: "true | false", str: "text", type(None): "none"}
    return words.get(kind, "any") + ",".join(bounds)
