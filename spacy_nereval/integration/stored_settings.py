"""The scoring settings in the configs of pipelines, added to those of a command or a call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..core.arguments import Reading
from ..core.messages import spell_argument, spell_in_python, spelling
from ..metrics.registry import create, expand_sets

LABEL_SETTINGS = ("labels", "only", "depth", "label_from")
"""The label settings that are None by default."""

Settings = dict[str, dict[str, Any]]
"""The options of each metric or set of metrics."""

Note = Callable[[str], object]
"""Receives which settings come from which model."""


def add_label_settings(reading: Reading, stored: Mapping[str, Mapping[str, Any]], note: Note) -> Reading:
    """Return how to read with the label options that models store. Those that are given take precedence.

    Args:
        reading: How annotation is read.
        stored: Model to label settings.
        note: Called with a line on the settings that are added.

    Raises:
        ValueError: Two models store different label options.

    >>> add_label_settings(Reading(), {"model": {"only": ["PER"]}}, print).only
    from the config of model: only=['PER']
    ['PER']
    """
    given = {name for name in LABEL_SETTINGS if getattr(reading, name) is not None}
    if reading.sep != Reading.sep:
        given.add("sep")
    stored = {
        model: {name: value for name, value in settings.items() if name not in given}
        for model, settings in stored.items()
    }
    shown = {model: _spell_settings(settings) for model, settings in stored.items()}
    if len({*shown.values()}) > 1:
        differ = "; ".join(f"{model} has {options or 'none'}" for model, options in shown.items())
        where = "in the call" if spelling() is spell_in_python else "on the command line"
        raise ValueError(
            f"the configs of models differ in label options ({differ}), and systems are scored alike: give them {where}"
        )
    for model, settings in stored.items():
        if settings:
            note(f"from the config of {model}: {shown[model]}")
            return replace(reading, **settings)
    return reading


def _spell_settings(settings: Mapping[str, Any]) -> str:
    if spelling() is spell_in_python:
        return ", ".join(spell_argument(name, value) for name, value in settings.items())
    shown = {name: value if isinstance(value, str) else json.dumps(value) for name, value in settings.items()}
    return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in shown.items())


def add_metric_options(settings: Settings, stored: Mapping[str, Settings], note: Note) -> Settings:
    """Return the settings with the options that models store for the same metrics.

    Args:
        settings: The options that are given or that a set gives, which come first.
        stored: Model to options of metrics.
        note: Called with a line on the options that are added.

    Raises:
        ValueError: Two models store different values for an option, or a value cannot be used.
    """
    given = expand_sets(settings)
    taken: Settings = {}
    source: dict[str, str] = {}
    for model, table in stored.items():
        for name, options in given.items():
            if name not in table:
                continue
            extra = {option: value for option, value in table[name].items() if option not in options}
            try:
                create(name, **extra)
            except ValueError as error:
                raise ValueError(f"the config of {model} cannot be used: {error}") from None
            if taken.setdefault(name, extra) != extra:
                option = next(o for o in {**taken[name], **extra} if taken[name].get(o) != extra.get(o))
                values = (
                    json.dumps(some[option]) if option in some else "the default" for some in (taken[name], extra)
                )
                raise ValueError(
                    f"the configs of {source[name]} and {model} differ in {name}.{option} ({' and '.join(values)}), "
                    f"and systems are scored alike: give one value with {spell_argument(f'{name}.{option}')}"
                )
            source.setdefault(name, model)
    for model in stored:
        if options_of_model := {name: o for name, o in taken.items() if o and source[name] == model}:
            note(f"from the config of {model}: {_spell_options(options_of_model)}")
    return settings | {name: options | given[name] for name, options in taken.items()}


def _spell_options(settings: Settings) -> str:
    """Return options of metrics as they are written in a call or on a command line."""
    if spelling() is spell_in_python:
        return spell_argument("metrics", settings)
    return " ".join(
        f"--{name}.{option} {json.dumps(value)}" for name, table in settings.items() for option, value in table.items()
    )
