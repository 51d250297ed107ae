"""Policies: the rules that a model has to meet before it ships, read from a config in spaCy's format and checked."""

from __future__ import annotations

import codecs
import configparser
import json
import math
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ...core.arguments import MOST_POINTS
from ...core.declaration import Metric, Score
from ...core.messages import LISTED, LONGEST_REASON, is_finite_number, quote, shorten, spell_argument
from ...evaluation.bounds import FEW_UNITS, Limits
from ...evaluation.breakdown import parse_attribute
from ...evaluation.conclusion import points_per_unit
from ...evaluation.tested import Criterion, find_criterion
from ...io.paths import check_is_file
from ...io.units import parse_unit as parse_unit
from ...metrics.registry import create_all

AT_LEAST, AT_MOST, WORSE, BETTER, RATE_BETWEEN = KINDS = (
    *("at_least", "at_most", "worse_by_at_most", "better_by_at_least", "rate_between"),
)
"""The kinds of rules, by their demand."""

DIFFERENCE = "difference"
"""A rule that only a plan has: a test shows a difference of so many points from the baseline."""

HALF_WIDTH = "half_width"
"""A rule that only a plan has: the interval of a score reaches no farther than so many points on either side."""

AGAINST_BASELINE = (WORSE, BETTER, DIFFERENCE)
"""The rules that need a baseline."""

LEAST = 1e-12
"""Differences up to this one are rounding errors."""

FAIL, WARN, PASS = CONSEQUENCES = ("fail", "warn", "pass")
"""The effects that an undecided rule can have on the gate."""

FLAGGED, NOT_DECIDED = UNSEEN = ("flag", "undecided")
"""The treatment of a rule that is met only if there are no documents of a kind that is not in the test set."""


LONGEST = 1 << 20
"""Maximum length of a policy, also with its variables replaced."""

MOST_VARIABLES = 1000
"""Maximum number of variables in a policy."""

SECTION = re.compile(r"(?m)^\[([^\[\]\n]+)\]")

VARIABLE = re.compile(r"\$\{([^{}]*)\}")


class Rule(NamedTuple):
    """A rule of a policy.

    Attributes:
        name: Its name.
        kind: One of `KINDS`, `DIFFERENCE` or `HALF_WIDTH`.
        bound: The bound in points; for `rate_between` the least and the greatest rate.
        score: A score key, METRIC.SCORE or METRIC_SCORE; None for `rate_between`.
        label: The label of the score; None for all labels.
        by, bucket: A slice, such as "eLen" and "1"; None for all spans.
        required: Whether the gate depends on it. Other rules only advise.
        undecided: Its effect where it is undecided: one of `CONSEQUENCES`.
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
    """The rules that a model has to meet before it ships.

    Attributes:
        rules: The rules, one or more.
        level: Confidence level of each one-sided interval.
        unit: The rule that says which documents are resampled together; None for the usual one.
        seed: Seed of the random permutations.
        least_units: Effective number of units below which a rule is undecided, whatever its interval.
        too_few: The effect of a rule with fewer units: one of `CONSEQUENCES`.
        unseen: The treatment of a rule that would not be met if the corpus had documents of kinds that are not in the
            test set, as many as can be missed by chance: one of `UNSEEN`.
        families: Names of rules by the name of their family. Among many rules one is easily broken by luck, so a rule
            of a family of F is broken only if its interval at 1 - (1 - level) / F shows it, too; else it is undecided.
        digest: SHA-256 of the text of the policy.
    """

    rules: tuple[Rule, ...]
    level: float = 0.95
    unit: str | None = None
    seed: int = 0
    least_units: int = FEW_UNITS
    too_few: str = FAIL
    unseen: str = FLAGGED
    families: Mapping[str, Sequence[str]] = {}  # noqa: RUF012  # read only
    digest: str = ""

    @property
    def needs_baseline(self) -> list[str]:
        """The names of the rules that need a baseline."""
        return [rule.name for rule in self.rules if rule.kind in AGAINST_BASELINE]

    def check_baseline(self, has_baseline: bool, remedy: str = "") -> None:
        """Raise ValueError if a rule needs a baseline and there is none.

        Args:
            has_baseline: Whether there is one.
            remedy: The missing argument; `baseline` if it is empty.

        >>> Policy((Rule("a", "worse_by_at_most", 1, "strict_f"),)).check_baseline(False)
        Traceback (most recent call last):
        ValueError: rule a compares with a baseline: give baseline=
        """
        if self.needs_baseline and not has_baseline:
            raise ValueError(
                f"rule {self.needs_baseline[0]} compares with a baseline: give {remedy or spell_argument('baseline')}"
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
        metrics = create_all(["all"])
        names = [rule_score(rule, metrics).metric.name for rule in self.rules if rule.score]
        return [*dict.fromkeys(names)] or ["strict"]


def rule_score(rule: Rule, metrics: Sequence[Metric]) -> Criterion:
    """Return the metric and the score that a rule is about.

    Raises:
        ValueError: None of the metrics has such a score.
    """
    name = rule.score or ""
    where = (
        spell_argument("score", name)
        if rule.kind in (DIFFERENCE, HALF_WIDTH)
        else f"rule {rule.name}: score {quote(name)}"
    )
    return find_criterion(name, metrics, where)


def allowed_range(rule: Rule, score: Score) -> Limits:
    """Return the least and the greatest value that a rule allows, in the unit of the score."""
    if isinstance(rule.bound, tuple):
        return rule.bound
    bound = rule.bound / points_per_unit(score.unit)
    return {
        AT_LEAST: (bound, math.inf),
        AT_MOST: (-math.inf, bound),
        WORSE: (-bound, math.inf),
        BETTER: (bound, math.inf),
        DIFFERENCE: (2 * LEAST, math.inf),
        HALF_WIDTH: (-math.inf, math.inf),
    }[rule.kind]


TEMPLATE = """\
# A policy for `nereval gate`: requirements that a model has to meet before it ships.
# Bounds of scores are in points, as tables show them: 80 is an F-score of 0.80.

[gate]
# Each bound is one-sided at this confidence level.
level = 0.95
# With fewer effective units (documents) a rule is undecided: fail, warn or pass.
least_units = 6
too_few = "fail"
# A rule that is met only if no documents are of a kind not seen here: flag or undecided.
unseen = "flag"

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

# A score for which lower is better. The released model has to be counted with this metric, too.
# [gate.rules.errors]
# score = "slot_error.ser"
# at_most = 60
# undecided = "warn"

[gate.rules.predicted]
# Predicted spans per gold span. Add label = "..." for one label.
rate_between = [0.5, 1.5]
required = false
undecided = "warn"
"""
"""The policy that `nereval gate --init` writes."""


class _Key(NamedTuple):
    """A key of a section: the values that it takes, in words, and a predicate that checks a value."""

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
POINTS = _Key("a number of points", lambda value: is_finite_number(value) and abs(value) <= MOST_POINTS)
FROM_0 = _Key("a number of points from 0 up", lambda value: is_finite_number(value) and 0 <= value <= MOST_POINTS)

GATE = {
    "level": _Key(
        "a number above 0.5 and below 1, such as 0.95",
        lambda value: is_finite_number(value) and 0.5 < value <= 1 - 1e-9,
    ),
    "unit": _Key("a unit such as id or meta.source", _is_unit),
    "seed": _Key(
        "a whole number from 0 up", lambda value: isinstance(value, int) and is_finite_number(value) and value >= 0
    ),
    "least_units": _Key(
        f"a whole number from {FEW_UNITS} up",
        lambda value: isinstance(value, int) and is_finite_number(value) and value >= FEW_UNITS,
    ),
    "too_few": CONSEQUENCE,
    "unseen": _Key(f"one of {', '.join(UNSEEN)}", lambda value: isinstance(value, str) and value in UNSEEN),
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
            and all(map(is_finite_number, value))
            and 0 <= value[0] < value[1] <= MOST_POINTS
        ),
    ),
    "required": _Key("true or false", lambda value: isinstance(value, bool)),
    "undecided": CONSEQUENCE,
}
"""The keys of `[gate.rules.NAME]`."""

Problem = tuple[tuple[str, ...], str]
"""The path of a section or key of a policy, and a message."""


def read_policy_or_rules(path: Path | None, rules: Sequence[str] | None) -> Policy | None:
    """Return the policy in a file or of a list of rules; None without both.

    Raises:
        ValueError, OSError: As `read_policy`; or both are given.
    """
    if path is not None and rules:
        raise ValueError(f"{spell_argument('policy', str(path))}: rules are given too; give one of the two")
    if rules:
        return read_policy(rules)
    return None if path is None else read_policy(path)


def parse_rule(text: str) -> dict[str, Any]:
    """Return the keys and values of a rule on one line: a score, and keys of `RULE`, each with its value.

    Raises:
        ValueError: A quote is not closed, or a key is given twice.

    >>> parse_rule("strict_f at_least 85 label PER")
    {'score': 'strict_f', 'at_least': 85, 'label': 'PER'}
    >>> parse_rule("rate_between [0.5,1.5] required false")
    {'rate_between': [0.5, 1.5], 'required': False}
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"rule {quote(text)}: {str(error).lower()}") from None
    pairs = [*zip(*[iter([*["score"][: len(words) % 2], *words])] * 2)]
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"rule {quote(text)}: a key is given twice; each rule is given for itself")
    return {key: _rule_value(key, value) for key, value in pairs}


def _rule_value(key: str, text: str) -> Any:
    """Return the value of a key of a rule from its text, which stays a text where no other value fits the key."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if key in RULE and RULE[key].fits(value) else text


def read_policy(source: str | Path | Mapping[str, Any] | Sequence[str]) -> Policy:
    """Return a policy.

    Args:
        source: The path of a config, its content as a table, or a list of rules as `parse_rule` reads them.

    Raises:
        ValueError: It is not a policy; spaCy's `ConfigValidationError` with every problem, if it is a config.
        OSError: The file cannot be read.

    >>> rules = {"overall": {"score": "strict_f", "at_least": 80}}
    >>> read_policy({"gate": {"rules": rules}}).rules[0].bound
    80.0
    >>> read_policy(["strict_f at_least 80"]).rules[0].bound
    80.0
    >>> read_policy({"gate": {"rules": {"overall": {"score": "strict_f", "at_least": 0.8}}}})
    Traceback (most recent call last):
    confection...ConfigValidationError: ...
    """
    from confection import Config, ConfigValidationError

    if isinstance(source, str) and not Path(source).exists() and any(f" {kind} " in f" {source}" for kind in KINDS):
        source = [source]
    if isinstance(source, Sequence) and not isinstance(source, str):
        if other := [value for value in source if not isinstance(value, str)]:
            raise ValueError(f"expected rules such as 'strict_f at_least 85', not {shorten(repr(other[0]))}")
        source = {"gate": {"rules": {" ".join(text.split()): parse_rule(text) for text in source}}}
    if isinstance(source, Mapping):
        config, name = Config(dict(source)), "policy"
    else:
        name = str(source)
        check_is_file(Path(source))
        try:
            text = _with_outer_sections(_policy_text(Path(source)))
            if problems := _section_problems(text):
                raise _policy_error({}, name, problems)
            config = Config().from_str(text)
        except ConfigValidationError:
            raise
        except KeyError as error:  # from confection, which expects sections in their order
            reason = shorten(str(error), LONGEST_REASON)
            raise ValueError(
                f"{name}: not a config of spaCy: a section comes before the one that it is in, {reason}; "
                "nereval gate --init POLICY writes one"
            ) from None
        except (ValueError, RecursionError, configparser.Error) as error:
            reason = shorten(" ".join(str(error).split()), LONGEST_REASON)
            raise ValueError(
                f"{name}: not a config of spaCy: {reason}; nereval gate --init POLICY writes one"
            ) from None
    return _parse_policy(config, name)


def _policy_text(path: Path) -> str:
    """Return the text of a policy, in UTF-8 or, with a byte order mark, in UTF-16.

    Raises:
        ValueError: It is in another encoding, or longer than `LONGEST`.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError(f"it has more than {LONGEST:,} bytes, and no policy is so long")
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if is_utf16 else "utf-8-sig")


def _with_outer_sections(text: str) -> str:
    """Return the text of a policy with the sections that it lacks of those that its sections are in.

    >>> _with_outer_sections("[gate.rules]")
    '[gate]\\n[gate.rules]'
    """
    names = {*SECTION.findall(text)}

    def with_outer(section: re.Match[str]) -> str:
        outer = [section[1][: dot.start()] for dot in re.finditer(r"\.", section[1])]
        missing = [name for name in outer if name not in names]
        names.update(missing)
        return "".join(f"[{name}]\n" for name in (*missing, section[1])).rstrip()

    return SECTION.sub(with_outer, text)


def _section_problems(text: str) -> list[Problem]:
    """Return the problems of a policy's sections, and of the length that its variables have once they are replaced.

    Nothing is replaced here: a variable in a variable in a variable can expand to gigabytes.
    """
    parser = configparser.RawConfigParser()
    # Names keep their capitals, as the documentation of configparser recommends; mypy minds the assignment.
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    others = [name for name in parser.sections() if name.split(".")[0] != "gate"]
    problems: list[Problem] = [((name,), "expected only the section [gate]") for name in others[:LISTED]]
    lengths: dict[str, float] = {}

    def length(name: str) -> float:
        """Return the length of a section or of a value; infinity for one that contains itself."""
        if name not in lengths:
            lengths[name] = math.inf
            section, _, key = name.replace(":", ".").rpartition(".")
            if parser.has_section(section) and parser.has_option(section, key):
                value = parser.get(section, key) or ""
                lengths[name] = len(value) + sum(length(match[1]) for match in VARIABLE.finditer(value))
            else:
                inside = [other for other in parser.sections() if f"{other}.".startswith(f"{name}.")]
                lengths[name] = sum(length(f"{other}.{key}") for other in inside for key in parser.options(other))
        return lengths[name]

    if not problems and (
        text.count("${") > MOST_VARIABLES
        or sum(length(f"{name}.{key}") for name in parser.sections() for key in parser.options(name)) > LONGEST
    ):
        problems.append(
            (("gate",), f"its variables refer to themselves, or expand to more than {LONGEST:,} characters")
        )
    return problems


def _policy_error(config: Any, source: str, problems: Sequence[Problem]) -> ValueError:
    """Return the error that names every problem of a policy."""
    from confection import ConfigValidationError

    errors = [{"loc": place, "msg": f"{message};"} for place, message in problems]
    errors[-1]["msg"] = problems[-1][1]
    error: ValueError = ConfigValidationError(
        config=config, errors=errors, title=f"{source}: policy error", show_config=False
    )
    return error


def _parse_policy(config: Any, source: str) -> Policy:
    """Return the policy of a config. Raise `ConfigValidationError` with every problem, naming the source."""
    problems: list[Problem] = [((name,), "expected only the section [gate]") for name in config if name != "gate"]
    section = config.get("gate")
    if not isinstance(section, dict):
        problems.append((("gate",), "expected a section [gate] with sections [gate.rules.NAME]"))
        section = {"rules": None}
    given = section.get("rules")
    rules: dict[str, Any] = given if isinstance(given, dict) else {}
    rules = {name: parse_rule(rule) if isinstance(rule, str) else rule for name, rule in rules.items()}
    if not problems and not rules:
        problems.append((("gate", "rules"), "expected one or more sections [gate.rules.NAME]"))
    settings = {key: value for key, value in section.items() if key != "rules"}
    problems += _key_problems(settings, GATE, ("gate",))
    metrics = create_all(["all"])
    for name, rule in rules.items():
        place = ("gate", "rules", name)
        if not isinstance(rule, dict):
            problems.append((place, f"expected a section [gate.rules.{name}], not {shorten(repr(rule))}"))
        else:
            problems += _key_problems(rule, RULE, place) or _rule_problems(rule, place, metrics)
    if not problems:
        problems += _family_problems(settings.get("families", {}), [*rules])
    if problems:
        raise _policy_error(config, source, problems)
    policy_rules = tuple(_make_rule(name, rule) for name, rule in rules.items())
    digest = sha256(_canonical_text(config).encode("utf8", "surrogatepass")).hexdigest()
    return Policy(policy_rules, **settings, digest=digest)


def _canonical_text(config: Any) -> str:
    """Return the content of a config as text, without its comments and blank lines."""
    text: str = config.to_str()
    return text


def _key_problems(section: Mapping[str, Any], keys: Mapping[str, _Key], place: tuple[str, ...]) -> list[Problem]:
    """Return a problem for each unknown key of a section, and for each value that its key does not take."""
    return [
        ((*place, key), f"unknown key; expected {', '.join(keys)}")
        if key not in keys
        else ((*place, key), f"expected {keys[key].expected}, not {shorten(repr(value))}")
        for key, value in section.items()
        if key not in keys or not keys[key].fits(value)
    ]


def _rule_problems(rule: Mapping[str, Any], place: tuple[str, ...], metrics: Sequence[Metric]) -> list[Problem]:
    """Return the problems of a rule whose keys are valid one by one: contradictions and values unfit for its score."""
    kinds = [kind for kind in KINDS if kind in rule]
    if len(kinds) != 1:
        return [(place, f"expected one of {', '.join(KINDS)}, not {' and '.join(kinds) or 'none'}")]
    (kind,) = kinds
    problems: list[Problem] = []
    if ("by" in rule) != ("bucket" in rule):
        problems.append((place, "a slice needs both by and bucket"))
    if "by" in rule and (problem := _attribute_problem(rule["by"])):
        problems.append(((*place, "by"), problem))
    if "by" in rule and "label" in rule:
        problems.append((place, "expected a label or a slice (by and bucket), not both"))
    if kind == RATE_BETWEEN:
        return [*problems, *([((*place, "score"), "a rate has no score: leave it out")] if "score" in rule else [])]
    if "score" not in rule:
        return [*problems, ((*place, "score"), "missing; expected a score key such as strict_f")]
    try:
        score = rule_score(Rule(place[-1], kind, 0.0, rule["score"]), metrics).score
    except ValueError:
        return [
            *problems,
            ((*place, "score"), f"there is no score {quote(rule['score'])}; expected a score key such as strict_f"),
        ]
    bound = rule[kind]
    if kind not in AGAINST_BASELINE and score.unit == "ratio":
        least, most = (100 * limit for limit in score.limits)
        if 0 < abs(bound) < 1:
            problems.append(((*place, kind), f"expected points, such as {100 * bound:g}; {bound:g} looks like a ratio"))
        elif not least <= bound <= most:
            problems.append(((*place, kind), f"expected points from {least:g} to {most:g}, not {bound:g}"))
    return problems


def _attribute_problem(name: str) -> str:
    """Return why a rule cannot be about slices by an attribute; "" if it can."""
    try:
        needs_training_data = parse_attribute(name).attribute.needs_lexicon
    except ValueError as error:
        return str(error)
    return f"{name} looks spans up in training data, which a gate does not read" if needs_training_data else ""


def _family_problems(families: Mapping[str, list[str]], rules: list[str]) -> Iterator[Problem]:
    """Yield a problem for each name in a family that is no rule, or is in two families."""
    seen: set[str] = set()
    for family, names in families.items():
        for name in names:
            if name not in rules or name in seen:
                words = f"{name} is in two families, or twice in one" if name in rules else f"there is no rule {name!r}"
                yield ("gate", "families", family), words
            seen.add(name)


def _make_rule(name: str, section: Mapping[str, Any]) -> Rule:
    kind = next(kind for kind in KINDS if kind in section)
    number = section[kind]
    bound = (float(number[0]), float(number[1])) if kind == RATE_BETWEEN else float(number)
    options = {key: value for key, value in section.items() if key not in KINDS}
    return Rule(name, kind, bound, **options)
