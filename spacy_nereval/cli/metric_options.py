"""Metrics and their options, as the command line gives them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .inputs import has_tokens, label_with_levels
from .options import Reading
from .printing import say
from .stored import of_models, with_stored

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from .stored import Settings


def names_and_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the arguments before the first option, and the rest.

    >>> names_and_options(["a.spacy", "b.spacy", "--fair.unit", "token"])
    (['a.spacy', 'b.spacy'], ['--fair.unit', 'token'])
    """
    at = next((k for k, argument in enumerate(arguments) if argument.startswith("--")), len(arguments))
    return list(arguments[:at]), list(arguments[at:])


def optional_name(name: str | None, arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return an argument that may be left out, and the options: typer takes the first of these for the argument.

    Raises:
        ValueError: There is a second argument.

    >>> optional_name("--fair.unit", ["token"])
    (None, ['--fair.unit', 'token'])
    """
    names, options = names_and_options([*([name] if name is not None else []), *arguments])
    if len(names) > 1:
        raise ValueError(f"unexpected argument {names[1]}: expected options of metrics, such as --fair.unit token")
    return names[0] if names else None, options


def parse_options(arguments: Sequence[str]) -> dict[str, Any]:
    """Return the values of options such as `--fair.unit token`.

    A value is read as JSON, or else as text. An option without a value is true.
    spaCy's own parser is not used, since it reads 0.3 as 0.30000000000000004.

    >>> parse_options(["--fair.unit", "token", "--loio.s=0.3", "--wrf.unique"])
    {'fair.unit': 'token', 'loio.s': 0.3, 'wrf.unique': True}

    Raises:
        ValueError: For an option whose name has no dot, and for an argument without an option.
    """
    options: dict[str, Any] = {}
    name = None  # the option whose value may follow
    for argument in arguments:
        if argument.startswith("--"):
            name, equals, value = argument[2:].partition("=")
            if "." not in name:
                raise ValueError(f"there is no option {argument}; options of a metric are written --fair.unit token")
            options[name] = _value(value) if equals else True
            name = None if equals else name
        elif name:
            options[name], name = _value(argument), None
        else:
            raise ValueError(f"unexpected argument {argument}: expected options of metrics, such as --fair.unit token")
    return options


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        from ..core.messages import shortened

        raise ValueError(f"{shortened(text)} is nested too deeply for a value of an option") from None
    except ValueError:
        return text


def chosen_metrics(
    names: str | None,
    arguments: Sequence[str],
    train: str | None = None,
    *,
    gold: Path | None = None,
    reading: Reading | None = None,
    attributes: Sequence[str] | None = None,
    systems: Sequence[str] = (),
) -> tuple[Metric, ...]:
    """Return the metrics asked for, with their options.

    A metric of a set is left out, with a message, if it needs an option that is
    not given, or tokens that the gold file does not have. By default `hierarchical` is
    added, with a message, if the gold file has labels with levels.

    Args:
        names: The value of `--metrics`; None for the set `papers`.
        arguments: The options of metrics, such as `["--fair.unit", "token"]`.
        train: The value of `--train`.
        gold: The gold file, if it is to be checked for tokens.
        reading: How the gold file is read, and what is scored.
        attributes: The values of `--by`, which may use `--train` too.
        systems: What is scored. Metrics have the options that the configs of the models among
            these give them, unless the command line or a set gives others.

    Raises:
        ValueError: If a metric or an option is unknown, missing, or would have no effect; or
            two models give an option different values.
    """
    from ..core.messages import shortened
    from ..metrics.registry import create, create_all, expanded, needs

    listed = [name.strip() for name in names.split(",")] if names is not None else ["papers"]
    settings = _settings(listed, parse_options(arguments), train)
    if stored := of_models(systems, reading.spans_key if reading else None):
        settings = with_stored(settings, stored)
    for name in expanded(settings, whole=True).keys() - expanded(settings).keys():
        say(f"{name} is left out: it needs --{needs(name)} FILE", err=True)
    metrics = create_all(settings)
    if train is not None and not attributes:
        check_train_is_used(train, any("train" in metric.settings for metric in metrics))
    for metric in metrics:
        if metric.needs:
            raise ValueError(f"{metric.name} needs --{metric.needs} FILE")
    if names is None and gold and reading and (label := label_with_levels(gold, reading)):
        say(f"hierarchical is added, since the label {shortened(label)} has levels", err=True)
        metrics = (*metrics, create("hierarchical", sep=reading.sep))
    return _without_tokens(metrics, settings, gold, reading) if gold and reading else metrics


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
    from ..metrics.registry import create, create_all, expanded, needing

    create_all(listed)  # unknown and repeated names are reported first
    settings: Settings = {name: {} for name in listed}
    from_train = {f"{name}.train": train for name in needing("train")} if train is not None else {}
    for key, value in (from_train | dict(options)).items():
        name, option = key.split(".", 1)
        create(name, **{option: value})  # an unknown metric or option is reported before one that is not listed
        if name in expanded(settings, whole=True):
            settings.setdefault(name, {})[option] = value
        elif key not in from_train:
            raise ValueError(f"--{key} is given, but {name} is not among --metrics {','.join(listed)}")
    return settings


def _without_tokens(
    metrics: tuple[Metric, ...], settings: Settings, gold: Path, reading: Reading
) -> tuple[Metric, ...]:
    """Return the metrics without those of a set that need tokens, if the gold file has none."""
    optional = [metric.name for metric in metrics if metric.tokens and metric.name not in settings]
    if not optional or has_tokens(gold, reading):
        return metrics
    say(f"{', '.join(optional)} is left out: {gold} has no tokens", err=True)
    return tuple(metric for metric in metrics if metric.name not in optional)
