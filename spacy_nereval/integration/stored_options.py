"""The options of metrics and the label settings that a model's config stores, for commands that score the model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spacy.util import load_config

from ..core.labels import SEPARATOR
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
    found: dict[str, dict[str, Any]] = {}
    for block in _blocks(model, key):
        found |= expanded(block.get("metrics") or {})
    return found


def stored_label_settings(model: Path, key: str | None) -> dict[str, Any]:
    """Return the label settings of a model's config: those of `labels`, `only`, `depth` and `sep` that are given.

    Args, Raises: As for `stored_options`.
    """
    found: dict[str, Any] = {}
    for block in _blocks(model, key):
        found = {name: block[name] for name in ("labels", "only", "depth") if block.get(name) is not None}
        if found and (sep := block.get("sep", SEPARATOR)) != SEPARATOR:
            found["sep"] = sep
    return found


def _blocks(model: Path, key: str | None) -> Iterator[dict[str, Any]]:
    """Yield the settings of each scorer and component that score the spans, in the order of the pipeline."""
    path = model / "config.cfg"
    if model.is_dir() and not path.exists():
        raise ValueError(
            f"{model} is a folder without a config.cfg, so it is not a pipeline; to read the files in it, name them, "
            f"such as {model / '*.jsonl'}"
        )
    try:
        config = load_config(path, interpolate=True)
    except Exception as error:  # of the file system, or of what reads and resolves configs
        raise ValueError(f"{path} cannot be read as a config: {error}") from None
    try:
        disabled = config["nlp"].get("disabled") or []
        names = [name for name in config["nlp"]["pipeline"] if name not in disabled]
        blocks = [_block_of(config["components"].get(name, {}), key) for name in names]
    except (KeyError, TypeError, AttributeError) as error:
        missing = f": it has no {error}" if isinstance(error, KeyError) else ""
        raise ValueError(f"{path} is not the config of a pipeline{missing}; save the pipeline again") from None
    yield from (block for block in blocks if block is not None)


def _block_of(component: dict[str, Any], key: str | None) -> dict[str, Any] | None:
    """Return the settings with which a component scores the entities, or a key's span groups; None if it does not."""
    block: dict[str, Any] = component
    if component.get("factory") == "nereval":
        scored = key in component.get("spans_keys", []) if key else component.get("ents", True)
    else:
        block = component.get("scorer") or {}
        name = block.get("@scorers")
        group = block.get("spans_key") or component.get("spans_key") or "sc"
        scored = name == f"spacy-nereval.{'spans' if key else 'ner'}_scorer.v1" and key in (None, group)
    return block if scored else None
