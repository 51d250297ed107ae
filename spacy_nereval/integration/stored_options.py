"""The options of metrics that a model's config stores, for commands that score the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spacy.util import load_config

from ..metrics.registry import expanded


def stored_options(model: Path, key: str | None) -> dict[str, dict[str, Any]]:
    """Return the options that a model's config gives to metrics.

    Args:
        model: The folder of the model.
        key: The key of the span groups that are scored; None for entities.

    Returns:
        The options of each metric. If several components score the same spans, the options
        of the last one in the pipeline, whose scores `nlp.evaluate` returns.

    Raises:
        ValueError: If there is no config, or it cannot be read.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> _ = nlp.add_pipe("nereval", config={"metrics": {"fair": {"unit": "token"}}})
    >>> folder = getfixture("tmp_path")
    >>> nlp.to_disk(folder)
    >>> stored_options(folder, None)
    {'fair': {'unit': 'token'}}
    """
    path = model / "config.cfg"
    try:
        config = load_config(path, interpolate=True)
    except Exception as error:  # of the file system, or of what reads and resolves configs
        raise ValueError(f"{path} cannot be read as a config: {error}") from None
    found: dict[str, dict[str, Any]] = {}
    disabled = config["nlp"].get("disabled") or []
    for name in config["nlp"]["pipeline"]:
        if name not in disabled:
            found |= _options_of(config["components"].get(name, {}), key)
    return found


def _options_of(component: dict[str, Any], key: str | None) -> dict[str, dict[str, Any]]:
    """Return the options of the metrics with which a component scores the entities, or the span groups of a key."""
    block: dict[str, Any] = component
    if component.get("factory") == "nereval":
        scored = key in component.get("spans_keys", []) if key else component.get("ents", True)
    else:
        block = component.get("scorer") or {}
        name = block.get("@scorers")
        group = block.get("spans_key") or component.get("spans_key") or "sc"
        scored = name == f"spacy-nereval.{'spans' if key else 'ner'}_scorer.v1" and key in (None, group)
    return expanded(block.get("metrics") or {}) if scored else {}
