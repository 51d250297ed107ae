"""What a model has to fulfil before it ships: the rules of a policy.

Policies of gates: configs as spaCy has them, checked before anything is read.
"""

from __future__ import annotations

import configparser
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ...core.declaration import Metric, Score
from ...core.messages import is_number, named, quoted
from ...evaluation.bounds import FEW_UNITS, Limits
from ...evaluation.breakdown import requested_attribute
from ...evaluation.conclusion import points
from ...evaluation.tested import Wanted, wanted
from ...io.units import parse_unit as parse_unit
from ...metrics.registry import create_all

AT_LEAST, AT_MOST, WORSE, BETTER, RATE_BETWEEN = KINDS = (
    *("at_least", "at_most", "worse_by_at_most", "better_by_at_least", "rate_between"),
)
"""What a rule can demand."""

DIFFERENCE = "difference"
"""What only a plan asks: whether a test shows a difference of so many points from the baseline."""

AGAINST_BASELINE = (WORSE, BETTER, DIFFERENCE)
"""The rules that need a baseline."""

LEAST = 1e-12
"""Differences up to this are rounding."""

FAIL, WARN, PASS = CONSEQUENCES = ("fail", "warn", "pass")
"""What an undecided rule does to the gate."""


class Rule(NamedTuple):
    """A rule of a policy.

    Attributes:
        name: Its name.
        kind: One of `KINDS`, or `DIFFERENCE`.
        bound: The bound in points; for `rate_between` the least and the greatest rate.
        score: A score key, METRIC.SCORE or METRIC_SCORE; None for `rate_between`.
        label: The label whose score is meant; None for all labels.
        by, bucket: A slice, such as "eLen" and "1"; None for all spans.
        required: Whether the gate depends on it. Other rules only advise.
        undecided: What an undecided rule does: one of `CONSEQUENCES`.
    """

    name: str
    kind: str
    bound: float | tuple[float, float]
    score: str | None = None
    label: str | None = None
    by: str | None = None
    bucket: str | None = None
    required: bool = True
    undecided: str = FAIL


class Policy(NamedTuple):
    """What a model has to fulfil.

    Attributes:
        rules: The rules, one or more.
        level: Confidence level of each one-sided interval.
        unit: The rule that says which documents are resampled together; None for the usual one.
        seed: Seed of the random swaps.
        least_units: Effective number of units below which a rule is undecided, whatever its interval.
        too_few: What a rule with fewer units does: one of `CONSEQUENCES`.
        families: Names of rules by the name of their family. Among many rules one is easily broken by luck, so a rule
            of a family of F is broken only if its interval at 1 - (1 - level) / F says so, too; else it is undecided.
        digest: Of the text of the policy.
    """

    rules: tuple[Rule, ...]
    level: float = 0.95
    unit: str | None = None
    seed: int = 0
    least_units: int = FEW_UNITS
    too_few: str = FAIL
    families: Mapping[str, Sequence[str]] = {}  # noqa: RUF012  # read only
    digest: str = ""

    @property
    def needs_baseline(self) -> list[str]:
        """The names of the rules that need a baseline."""
        return [rule.name for rule in self.rules if rule.kind in AGAINST_BASELINE]

    def check_baseline(self, given: bool, remedy: str = "") -> None:
        """Raise ValueError if a rule needs a baseline and none is given.

        Args:
            given: Whether one is.
            remedy: What to give; the argument `baseline` if it is empty.

        >>> Policy((Rule("a", "worse_by_at_most", 1, "strict_f"),)).check_baseline(False)
        Traceback (most recent call last):
        ValueError: rule a compares with a baseline: give baseline=
        """
        if self.needs_baseline and not given:
            raise ValueError(
                f"rule {self.needs_baseline[0]} compares with a baseline: give {remedy or named('baseline')}"
            )

    def family_of(self, rule: str) -> tuple[str | None, int]:
        """Return the family of a rule, and how many rules it has: None and 1 for a rule without.

        >>> Policy((), families={"labels": ["a", "b"]}).family_of("b")
        ('labels', 2)
        """
        return next(((name, len(rules)) for name, rules in self.families.items() if rule in rules), (None, 1))

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics that the rules need.

        >>> Policy((Rule("a", "at_least", 80, "strict_f"), Rule("b", "at_most", 30, "slot_error.ser"))).metrics
        ['strict', 'slot_error']
        """
        known = create_all(["all"])
        found = [scored(rule, known).metric.name for rule in self.rules if rule.score]
        return [*dict.fromkeys(found)] or ["strict"]


def scored(rule: Rule, metrics: Sequence[Metric]) -> Wanted:
    """Return the metric and the score that a rule is about.

    Raises:
        ValueError: None of the metrics has such a score.
    """
    name = rule.score or ""
    asked = named("score", name) if rule.kind == DIFFERENCE else f"rule {rule.name}: score {quoted(name)}"
    return wanted(name, metrics, asked)


def allowed(rule: Rule, score: Score) -> Limits:
    """Return the least and the greatest value that a rule allows, in the unit of the score."""
    if isinstance(rule.bound, tuple):
        return rule.bound
    bound = rule.bound / points(score.unit)
    return {
        AT_LEAST: (bound, math.inf),
        AT_MOST: (-math.inf, bound),
        WORSE: (-bound, math.inf),
        BETTER: (bound, math.inf),
        DIFFERENCE: (2 * LEAST, math.inf),
    }[rule.kind]


TEMPLATE = """\
# A policy for `nereval gate`: what a model has to fulfil before it ships.
# Bounds of scores are in points, as tables show them: 80 is an F-score of 0.80.

[gate]
# Each bound is one-sided at this confidence level.
level = 0.95
# With fewer effective units (documents) a rule is undecided: fail, warn or pass.
least_units = 6
too_few = "fail"

# Rules of a family, such as those of all labels, are broken only if that is no luck among so many.
families = {}

[gate.rules]

[gate.rules.overall]
# Any score key, or METRIC.SCORE.
score = "strict_f"
at_least = 50
# What an undecided rule does: fail, warn or pass.
undecided = "fail"

[gate.rules.not_worse]
# Needs --baseline. A loss of up to so many points is accepted.
score = "strict_f"
worse_by_at_most = 5
undecided = "fail"

[gate.rules.errors]
# Of scores for which lower is better.
score = "slot_error.ser"
at_most = 60
undecided = "warn"

[gate.rules.predicted]
# Predicted spans per gold span. Add label = "..." for one label.
rate_between = [0.5, 1.5]
required = false
undecided = "warn"
"""
"""What `nereval gate --init` writes."""


class _Key(NamedTuple):
    """A key of a section: what it takes, in words, and whether a value is that."""

    expected: str
    fits: Callable[[Any], bool]


def _is_unit(value: Any) -> bool:
    try:
        parse_unit(value)
    except (TypeError, ValueError, AttributeError):
        return False
    return True


TEXT = _Key("a text in quotes", lambda value: isinstance(value, str) and bool(value))
CONSEQUENCE = _Key(f"one of {', '.join(CONSEQUENCES)}", lambda value: isinstance(value, str) and value in CONSEQUENCES)
POINTS = _Key("a number of points", is_number)
FROM_0 = _Key("a number of points from 0 up", lambda value: is_number(value) and value >= 0)

GATE = {
    "level": _Key(
        "a number above 0.5 and below 1, such as 0.95", lambda value: is_number(value) and 0.5 < value <= 1 - 1e-9
    ),
    "unit": _Key("a unit such as id or meta.source", _is_unit),
    "seed": _Key("a whole number from 0 up", lambda value: isinstance(value, int) and is_number(value) and value >= 0),
    "least_units": _Key(
        f"a whole number from {FEW_UNITS} up",
        lambda value: isinstance(value, int) and is_number(value) and value >= FEW_UNITS,
    ),
    "too_few": CONSEQUENCE,
    "families": _Key(
        'names of rules by family, such as {"labels": ["loc", "type"]}',
        lambda value: (
            isinstance(value, dict)
            and all(
                isinstance(rules, list) and len(rules) > 1 and all(map(TEXT.fits, rules)) for rules in value.values()
            )
        ),
    ),
}
"""The keys of `[gate]`."""

RULE = {
    "score": TEXT,
    "label": TEXT,
    "by": TEXT,
    "bucket": TEXT,
    "at_least": POINTS,
    "at_most": POINTS,
    "worse_by_at_most": FROM_0,
    "better_by_at_least": FROM_0,
    "rate_between": _Key(
        "two rates, such as [0.8, 1.2]",
        lambda value: (
            isinstance(value, (list, tuple))
            and len(value) == 2
            and all(map(is_number, value))
            and 0 <= value[0] < value[1]
        ),
    ),
    "required": _Key("true or false", lambda value: isinstance(value, bool)),
    "undecided": CONSEQUENCE,
}
"""The keys of `[gate.rules.NAME]`."""

Problem = tuple[tuple[str, ...], str]
"""Where a policy is wrong, and how."""


def read_policy(given: str | Path | Mapping[str, Any]) -> Policy:
    """Return a policy.

    Args:
        given: The path of a config, or its content as a table.

    Raises:
        ValueError: It is not a policy; spaCy's `ConfigValidationError` with every problem, if it is a config.
        OSError: The file cannot be read.

    >>> rules = {"overall": {"score": "strict_f", "at_least": 80}}
    >>> read_policy({"gate": {"rules": rules}}).rules[0].bound
    80.0
    >>> read_policy({"gate": {"rules": {"overall": {"score": "strict_f", "at_least": 0.8}}}})
    Traceback (most recent call last):
    confection...ConfigValidationError: ...
    """
    from confection import Config

    if isinstance(given, Mapping):
        config, where = Config(dict(given)), "policy"
    else:
        where = str(given)
        try:
            config = Config().from_str(Path(given).read_text(encoding="utf8"))
        except (ValueError, configparser.Error) as error:
            raise ValueError(f"{where}: not a config of spaCy: {' '.join(str(error).split())}") from None
    return _policy(config, where)


def _policy(config: Any, where: str) -> Policy:
    from confection import ConfigValidationError

    problems: list[Problem] = [((name,), "expected only the section [gate]") for name in config if name != "gate"]
    section = config.get("gate")
    if not isinstance(section, dict):
        problems.append((("gate",), "expected a section [gate] with sections [gate.rules.NAME]"))
        section = {"rules": None}
    rules = section.get("rules")
    if not problems and not (isinstance(rules, dict) and rules):
        problems.append((("gate", "rules"), "expected one or more sections [gate.rules.NAME]"))
    settings = {key: value for key, value in section.items() if key != "rules"}
    problems += _wrong(settings, GATE, ("gate",))
    for name, rule in (rules if isinstance(rules, dict) else {}).items():
        place = ("gate", "rules", name)
        if not isinstance(rule, dict):
            problems.append((place, f"expected a section [gate.rules.{name}], not {rule!r}"))
        else:
            problems += _wrong(rule, RULE, place) or _unfit(rule, place)
    if not problems:
        problems += _unfit_families(settings.get("families", {}), [*section["rules"]])
    if problems:
        errors = [{"loc": place, "msg": f"{said};"} for place, said in problems]
        raise ConfigValidationError(config=config, errors=errors, title=f"{where}: policy error", show_config=False)
    found = tuple(_rule(name, rule) for name, rule in section["rules"].items())
    digest = sha256(_canonical(config).encode()).hexdigest()
    return Policy(found, **settings, digest=digest)


def _canonical(config: Any) -> str:
    """Return the content of a config as text, whatever its comments and blank lines."""
    text: str = config.to_str()
    return text


def _wrong(section: Mapping[str, Any], keys: Mapping[str, _Key], place: tuple[str, ...]) -> list[Problem]:
    """Return the keys of a section that do not exist, and the values that are not what they take."""
    return [
        ((*place, key), f"unknown key; expected {', '.join(keys)}")
        if key not in keys
        else ((*place, key), f"expected {keys[key].expected}, not {value!r}")
        for key, value in section.items()
        if key not in keys or not keys[key].fits(value)
    ]


def _unfit(rule: Mapping[str, Any], place: tuple[str, ...]) -> list[Problem]:
    """Return what does not fit together in a rule whose single values are right."""
    kinds = [kind for kind in KINDS if kind in rule]
    if len(kinds) != 1:
        return [(place, f"expected one of {', '.join(KINDS)}, not {' and '.join(kinds) or 'none'}")]
    (kind,) = kinds
    found: list[Problem] = []
    if ("by" in rule) != ("bucket" in rule):
        found.append((place, "a slice needs both by and bucket"))
    if "by" in rule and (wrong := _unfit_attribute(rule["by"])):
        found.append(((*place, "by"), wrong))
    if "by" in rule and "label" in rule:
        found.append((place, "expected a label or a slice (by and bucket), not both"))
    if kind == RATE_BETWEEN:
        return [*found, *([((*place, "score"), "a rate has no score: leave it out")] if "score" in rule else [])]
    if "score" not in rule:
        return [*found, ((*place, "score"), "missing; expected a score key such as strict_f")]
    try:
        score = scored(Rule(place[-1], kind, 0.0, rule["score"]), create_all(["all"])).score
    except ValueError:
        return [
            *found,
            ((*place, "score"), f"there is no score {rule['score']!r}; expected a score key such as strict_f"),
        ]
    bound = rule[kind]
    if kind not in AGAINST_BASELINE and score.unit == "ratio":
        least, most = (100 * limit for limit in score.limits)
        if 0 < abs(bound) < 1:
            found.append(((*place, kind), f"expected points, such as {100 * bound:g}; {bound:g} looks like a ratio"))
        elif not least <= bound <= most:
            found.append(((*place, kind), f"expected points from {least:g} to {most:g}, not {bound:g}"))
    return found


def _unfit_attribute(name: str) -> str:
    """Return why spans cannot be grouped by an attribute; "" if they can."""
    try:
        needs_training_data = requested_attribute(name).attribute.needs_lexicon
    except ValueError as error:
        return str(error)
    return f"{name} looks spans up in training data, which a gate does not read" if needs_training_data else ""


def _unfit_families(families: Mapping[str, list[str]], rules: list[str]) -> Iterator[Problem]:
    """Yield which names in families are no rules, or are in several."""
    seen: set[str] = set()
    for family, names in families.items():
        for name in names:
            if name not in rules or name in seen:
                wrong = f"{name} is in two families, or twice in one" if name in rules else f"there is no rule {name!r}"
                yield ("gate", "families", family), wrong
            seen.add(name)


def _rule(name: str, given: Mapping[str, Any]) -> Rule:
    kind = next(kind for kind in KINDS if kind in given)
    number = given[kind]
    bound = (float(number[0]), float(number[1])) if kind == RATE_BETWEEN else float(number)
    rest = {key: value for key, value in given.items() if key not in KINDS}
    return Rule(name, kind, bound, **rest)
