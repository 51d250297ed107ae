"""Options of metrics and of labels that the configs of models give. Every command that scores a model honours them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .inputs import is_data
from .options import SEP, Reading
from .printing import say

Settings = dict[str, dict[str, Any]]
"""The options of each metric or set of metrics."""


def of_models(systems: Sequence[str], key: str | None) -> dict[str, Settings]:
    """Return the options of metrics that models store; only models with a scorer of this package.

    Args:
        systems: Files of predictions, count files, and names or paths of models.
        key: The key of the span groups that are scored; None for entities.
    """
    if not (folders := dict(_folders(systems))):
        return {}
    from ..integration.scorer_settings import stored_options

    return {model: stored for model, folder in folders.items() if (stored := stored_options(folder, key))}


def _folders(systems: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the models among some systems, and their folders."""
    for name in dict.fromkeys(systems):
        if not name.endswith(".npz") and not is_data(name):
            from ..integration.pipelines import Pipeline

            with suppress(ValueError):  # a blank pipeline, or no pipeline: spaCy reports this on loading
                yield name, Pipeline(name).folder()


def with_stored_labels(reading: Reading, systems: Sequence[str]) -> Reading:
    """Return how to read with the label options that models store, and print these. The command line takes precedence.

    Args:
        reading: How annotation is read.
        systems: As for `of_models`.

    Raises:
        ValueError: Two models store different label options.
    """
    if not (folders := dict(_folders(systems))):
        return reading
    from ..integration.scorer_settings import stored_label_settings

    given = {name for name in ("labels", "only", "depth") if getattr(reading, name) is not None}
    if reading.sep != SEP.default:
        given.add("sep")
    stored = {model: stored_label_settings(folder, reading.spans_key) for model, folder in folders.items()}
    stored = {
        model: {o: value for o, value in settings.items() if o not in given} for model, settings in stored.items()
    }
    shown = {model: _as_options(settings) for model, settings in stored.items()}
    if len({*shown.values()}) > 1:
        differ = "; ".join(f"{model} has {options or 'none'}" for model, options in shown.items())
        raise ValueError(
            f"the configs of models differ in label options ({differ}), and systems are scored alike: "
            "give them on the command line"
        )
    for model, settings in stored.items():
        if settings:
            say(f"from the config of {model}: {shown[model]}", err=True)
            if "labels" in settings:
                settings["labels"] = json.dumps(settings["labels"])
            if "only" in settings:
                settings["only"] = [json.dumps(settings["only"])]
            return reading._replace(**settings)
    return reading


def _as_options(found: Mapping[str, Any]) -> str:
    return " ".join(
        f"--{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in found.items()
    )


def with_stored(settings: Settings, stored: Mapping[str, Settings]) -> Settings:
    """Return the settings with the options that models store for the same metrics, and print these.

    Args:
        settings: The options that the command line or a set gives, which come first.
        stored: Model to options, as `of_models` returns it.

    Raises:
        ValueError: Two models store different values for an option, or a value cannot be used.
    """
    from ..metrics.registry import create, expanded

    given = expanded(settings)
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
                    json.dumps(each[option]) if option in each else "the default" for each in (taken[name], extra)
                )
                raise ValueError(
                    f"the configs of {source[name]} and {model} differ in {name}.{option} ({' and '.join(values)}), "
                    f"and systems are scored alike: give one value with --{name}.{option}"
                )
            source.setdefault(name, model)
    for model in stored:
        mine = {name: options for name, options in taken.items() if source[name] == model}
        texts = (f"--{name}.{o} {json.dumps(value)}" for name, some in mine.items() for o, value in some.items())
        if listed := " ".join(texts):
            say(f"from the config of {model}: {listed}", err=True)
    return settings | {name: options | given[name] for name, options in taken.items()}
