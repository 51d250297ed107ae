"""Metrics and their options, as the command line gives them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.arguments import Reading
from ..core.messages import did_you_mean, shorten
from .command_options import Lookups, own_command, own_options
from .printing import say
from .sources import Gold, Source

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.breakdown import Breakdown
    from ..metrics.registry import MetricChoice


def names_and_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the arguments before the first option, and the rest.

    >>> names_and_options(["a.spacy", "b.spacy", "--fair.unit", "token"])
    (['a.spacy', 'b.spacy'], ['--fair.unit', 'token'])
    """
    at = next((k for k, argument in enumerate(arguments) if argument.startswith("--")), len(arguments))
    return list(arguments[:at]), list(arguments[at:])


def optional_name(name: str | None, arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return an optional argument, and the options: typer takes the first of these for the argument.

    Raises:
        ValueError: There is a second argument.

    >>> optional_name("--fair.unit", ["token"])
    (None, ['--fair.unit', 'token'])
    """
    names, options = names_and_options([*([name] if name is not None else []), *arguments])
    if len(names) > 1:
        raise ValueError(
            f"{describe_unexpected(names[1])}, behind gold annotation and one system. Files of one corpus are counted "
            "together by nereval count GOLD... PRED... -o counts.npz, several systems ranked by nereval leaderboard "
            "GOLD A B"
        )
    return names[0] if names else None, options


def parse_options(arguments: Sequence[str]) -> dict[str, Any]:
    """Return the values of options such as `--fair.unit token`.

    A value is read as JSON, or else as text. An option without a value is true.
    spaCy's own parser is not used, since it reads 0.3 as 0.30000000000000004.

    >>> parse_options(["--fair.unit", "token", "--loio.s=0.3", "--wrf.unique"])
    {'fair.unit': 'token', 'loio.s': 0.3, 'wrf.unique': True}

    Raises:
        ValueError: For an option without a dot in its name, and for an argument without an option.
    """
    options: dict[str, Any] = {}
    name = None  # the option that still lacks a value
    for argument in arguments:
        if argument.startswith("--"):
            name, equals, value = argument[2:].partition("=")
            if "." not in name:
                raise ValueError(describe_option(f"--{name}", own_options.get(), own_command.get(), metrics=True))
            options[name] = _value(value) if equals else True
            name = None if equals else name
        elif name:
            options[name], name = _value(argument), None
        else:
            raise ValueError(describe_unexpected(argument))
    return options


def describe_unexpected(argument: str) -> str:
    """Return the message that an argument is neither an option of a metric nor anything else."""
    return f"unexpected argument {argument}: expected options of metrics, such as --fair.unit token"


PLACES = {
    "errors": "GOLD PRED",
    "report": "GOLD PRED",
    "thresholds": "GOLD PRED",
    "evaluate": "MODEL GOLD",
    "compare": "GOLD A B",
    "leaderboard": "GOLD A B",
    "agreement": "A B",
}
"""The arguments of commands that have options of `score`, for errors."""


def describe_option(option: str, options: Iterable[str], command: str = "", *, metrics: bool = False) -> str:
    """Return the message that there is no such option, with the line to write.

    Args:
        option: The option.
        options: Those that the command has.
        command: Its name.
        metrics: Whether it has options of metrics, too.

    >>> describe_option("--ci", ["--confidence"])
    'there is no option --ci: write nereval score GOLD PRED --confidence'
    >>> describe_option("--confidnce", ["--confidence"])
    "there is no option --confidnce: did you mean '--confidence'?"
    """
    from ..core.synonyms import command_line

    said = f"there is no option {shorten(option)}"
    if line := command_line(option, at=command, others=options):
        asked = line.removeprefix("nereval score GOLD PRED ").partition(" ")[0]
        if asked in ("--format", "--output", "--json") and asked in options and command in PLACES:
            line = line.replace("score GOLD PRED", f"{command} {PLACES[command]}")
        return f"{said}: write {line}"
    asked = did_you_mean(option, options)
    of_metrics = "Options of a metric are written --fair.unit token"
    if asked:
        return f"{said}{asked}{f' {of_metrics}' * metrics}"
    return f"{said}: --help-all lists all options{f'. {of_metrics}' * metrics}"


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        from ..core.messages import shorten

        raise ValueError(f"{shorten(text)} is nested too deeply for a value of an option") from None
    except ValueError:
        return text


def chosen_metrics(
    names: str | None,
    arguments: Sequence[str],
    train: str | None = None,
    *,
    gold: Gold | None = None,
    reading: Reading | None = None,
    has_tokens: bool = False,
    attributes: Sequence[str] | None = None,
    systems: Sequence[Source] = (),
) -> MetricChoice:
    """Return the metrics asked for, with their options, and the excluded ones.

    A metric of a set is excluded if it needs an option that is
    not given, or tokens that the gold file does not have. By default `hierarchical` is
    added, with a message, if the gold file has labels with levels.

    Args:
        names: The value of `--metrics`; None for the set `papers`.
        arguments: The options of metrics, such as `["--fair.unit", "token"]`.
        train: The value of `--train`.
        gold: The gold annotation, if it is to be checked for words and tokens.
        reading: How annotation is read, if no gold annotation is given.
        has_tokens: Whether tokens are made for texts without tokens.
        attributes: The values of `--by`, which may use `--train` too.
        systems: The systems to score. Metrics have the options that the configs of the models among
            these give them, unless the command line or a set gives others.

    Raises:
        ValueError: If a metric or an option is unknown, missing, or would have no effect; or
            two models give an option different values.
    """
    from ..metrics import registry

    listed = [*registry.metric_table("papers" if names is None else names)]
    settings = _settings(listed, parse_options(arguments), train)
    reading = gold.reading if gold else reading
    if stored := stored_options_of_models(systems, reading.spans_key if reading else None):
        from ..integration.stored_settings import add_metric_options

        settings = add_metric_options(settings, stored, _say_stored)
    unknown = partial(gold.unknown, has_tokens=has_tokens) if gold else registry.Unavailable
    chosen = registry.choose_metrics(settings, unknown)
    if train is not None and not attributes:
        check_train_is_used(train, any("train" in metric.settings for metric in chosen.metrics))
    if names is not None or not gold:
        return chosen
    metrics, lines = registry.add_hierarchical(chosen.metrics, gold.first_labels(), gold.reading.sep)
    for line in lines:
        say(line, err=True)
    return chosen._replace(metrics=metrics)


def add_attributes(metrics: Sequence[Metric], gold: Gold, pred: Path | None) -> tuple[Metric, ...]:
    """Return the metrics, with a message if `attributes` is added since spans of both sides have some.

    Args:
        metrics: The metrics that are scored by default.
        gold: The gold annotation.
        pred: The file of predictions; None if the gold file contains them too.
    """
    from ..metrics.registry import ATTRIBUTES_ADDED, create

    if not gold.has_attributes(pred):
        return tuple(metrics)
    say(ATTRIBUTES_ADDED, err=True)
    return (*metrics, create("attributes"))


def say_left_attributes(metrics: Iterable[Metric], gold: Gold) -> None:
    """Say that gold spans have attributes if no metric compares them, so that nobody takes unlike systems for alike."""
    from ..metrics.registry import ATTRIBUTES_LEFT

    if not any(metric.attributes for metric in metrics) and gold.compares_attributes():
        say(ATTRIBUTES_LEFT, err=True)


def say_left_out_metrics(left_out: Mapping[str, str]) -> None:
    """Report the excluded metrics, in a command that shows no result."""
    from ..reporting.remarks import omission_lines

    for line in omission_lines(left_out):
        say(line, err=True)


def check_train_is_used(train: str, used: bool) -> None:
    """Raise ValueError if no metric and no attribute uses the file of `--train`."""
    if not used:
        raise ValueError(
            f"--train {train} is given, but nothing looks up spans in it; the metric tmr does, and with --by "
            "attributes such as eCon"
        )


def _settings(listed: Sequence[str], options: Mapping[str, Any], train: str | None) -> Settings:
    """Return the options of the metrics and sets listed.

    Raises:
        ValueError: If a metric or an option is unknown, or an option belongs to a metric that is not listed.
    """
    from ..metrics.registry import create, create_all, expand_sets, metrics_needing

    settings: Settings = {name: {} for name in listed}
    from_train = {f"{name}.train": train for name in metrics_needing("train")} if train is not None else {}
    if from_train or options:
        create_all(listed)  # unknown and repeated names are reported first
    for key, value in (from_train | dict(options)).items():
        name, option = key.split(".", 1)
        create(name, **{option: value})  # an unknown metric or option is reported before one that is not listed
        if name in expand_sets(settings, whole=True):
            settings.setdefault(name, {})[option] = value
        elif key not in from_train:
            raise ValueError(f"--{key} is given, but {name} is not among --metrics {','.join(listed)}")
    return settings


Settings = dict[str, dict[str, Any]]
"""The options of each metric or set of metrics."""


def stored_options_of_models(systems: Sequence[Source], key: str | None) -> dict[str, Settings]:
    """Return the options of metrics that models store; only models with a scorer of this package.

    Args:
        systems: Files of predictions, count files, and models.
        key: The key of the span groups that are scored; None for entities.
    """
    if not (folders := _folders_of_models(systems)):
        return {}
    from ..integration.scorer import model_options

    return {model: stored for model, folder in folders.items() if (stored := model_options(folder, key))}


def _folders_of_models(systems: Sequence[Source]) -> dict[str, Path]:
    return {system.name: folder for system in systems if (folder := system.folder)}


def add_stored_labels(reading: Reading, systems: Sequence[Source]) -> Reading:
    """Return how to read with the label options that models store, and print these. The command line takes precedence.

    Args:
        reading: How annotation is read.
        systems: As for `stored_options_of_models`.

    Raises:
        ValueError: Two models store different label options.
    """
    if not (folders := _folders_of_models(systems)):
        return reading
    from ..integration.scorer import model_label_settings
    from ..integration.stored_settings import add_label_settings

    stored = {model: model_label_settings(folder, reading.spans_key) for model, folder in folders.items()}
    added = add_label_settings(reading, stored, _say_stored)
    if added.labels != reading.labels:
        added = replace(added, labels=json.dumps(added.labels))
    if added.only != reading.only:
        added = replace(added, only=[json.dumps(added.only)])
    return added


def _say_stored(line: str) -> None:
    say(line, err=True)


def wanted_breakdowns(lookups: Lookups, metrics: Sequence[Metric]) -> list[Breakdown]:
    """Return an observer that counts by attribute, for each attribute of `--by`.

    Raises:
        ValueError: If an attribute is unknown or needs `--train`, or `--train` has no effect.
    """
    from ..core.lexicon import cached_lexicon
    from ..evaluation.breakdown import Breakdown, split_attributes

    lexicon = cached_lexicon(lookups.train) if lookups.train else None
    breakdowns = [Breakdown(metrics, by, lexicon) for by in split_attributes(lookups.by or [])]
    uses = [*(one.by.attribute.needs_lexicon for one in breakdowns), *("train" in m.settings for m in metrics)]
    if lookups.train:
        check_train_is_used(lookups.train, any(uses))
    return breakdowns


def unknown_labels(counts: Counts, breakdowns: Sequence[Breakdown]) -> list[str]:
    """Return a line about gold labels that the training data lack, a sign of another annotation scheme."""
    from ..core.lexicon import cached_lexicon
    from ..core.messages import shorten
    from ..evaluation.result import gold_by_label

    paths = {str(m.settings["train"]) for m in counts.metrics if m.settings.get("train")}
    lexicons = [b.lexicon for b in breakdowns if b.lexicon] + [cached_lexicon(path) for path in paths]
    looked_up = {lexicon.digest: lexicon for lexicon in lexicons}
    gold = {label: number for label, number in gold_by_label(counts).items() if number}
    lines = []
    for lexicon in looked_up.values():
        if unknown := {label: n for label, n in gold.items() if label not in lexicon.labels}:
            lines.append(
                f"{len(unknown)} of {len(gold)} gold labels, with {sum(unknown.values())} of {sum(gold.values())} "
                f"gold spans, do not occur in the training data: {', '.join(map(shorten, unknown))}"
            )
    return lines
