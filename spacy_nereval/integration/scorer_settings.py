"""The settings of scorers and of the component: checked, and as the config of a saved model stores them.

Mistakes are reported in spaCy's way.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy.util import load_config
from thinc.api import ConfigValidationError

from ..core.arguments import SEPARATOR
from ..core.declaration import Metric
from ..core.labels import LabelRules, label_rules
from ..evaluation.resampling import Confidence
from ..io.units import UnitRule, parse
from ..metrics.registry import create_all, expanded

MetricTable = dict[str, dict[str, Any]]
ConfidenceTable = dict[str, Any]
LabelTable = dict[str, str | None]


def settings(
    metrics: MetricTable | None,
    confidence: ConfidenceTable | None,
    detail: bool,
    labels: LabelTable | None = None,
    only: list[str] | None = None,
    depth: int | None = None,
    sep: str = SEPARATOR,
) -> dict[str, Any]:
    """Return the settings of a config block, as arguments of `Scoring`.

    Args:
        metrics: Names of metrics with their options; None for the six of the set `papers`.
        confidence: `level`, `samples`, `seed` and `unit` of intervals; None for no intervals.
        detail: Whether the scores hold the nested result.
        labels, only, depth, sep: The rules for labels, as in `label_rules`.

    Raises:
        thinc.config.ConfigValidationError: If they cannot be used; this is how spaCy reports mistakes in a config.
    """
    if confidence is not None and not detail:
        raise ConfigValidationError(
            config={"confidence": confidence, "detail": detail},
            title="Unusable confidence",
            desc="intervals are in the nested result, which detail = false leaves out: remove one of the two",
        )
    return {
        "metrics": checked(metrics),
        "confidence": checked_confidence(confidence),
        "unit": checked_unit(confidence),
        "detail": detail,
        "rules": checked_rules(labels, only, depth, sep),
    }


def checked_rules(labels: LabelTable | None, only: list[str] | None, depth: int | None, sep: str) -> LabelRules | None:
    """Return the label rules of a config block; mistakes are reported in spaCy's way."""
    try:
        return label_rules(labels, only, depth, sep)
    except ValueError as error:
        config = {"labels": labels, "only": only, "depth": depth, "sep": sep}
        raise ConfigValidationError(config=config, title="Unusable label rules", desc=str(error)) from None


def checked(metrics: Mapping[str, Mapping[str, Any]] | None) -> tuple[Metric, ...]:
    """Return the metrics of a config block; mistakes are reported in spaCy's way, as ConfigValidationError."""
    try:
        chosen = create_all(metrics)
        for metric in chosen:
            if metric.needs:
                raise ValueError(f"{metric.name} needs the option {metric.needs}")
        return chosen
    except ValueError as error:
        raise ConfigValidationError(config={"metrics": metrics}, title="Unusable metrics", desc=str(error)) from None


def checked_confidence(table: ConfidenceTable | None) -> Confidence | None:
    """Return the settings of intervals of a config block, likewise."""
    try:
        settings = {name: value for name, value in (table or {}).items() if name != "unit"}
        return None if table is None else Confidence(**settings).checked()
    except (TypeError, ValueError) as error:
        config = {"confidence": table}
        raise ConfigValidationError(config=config, title="Unusable confidence", desc=str(error)) from None


def checked_unit(table: ConfidenceTable | None) -> UnitRule | None:
    """Return the rule for units of a config block, likewise; None if it has none."""
    unit = (table or {}).get("unit")
    try:
        return None if unit is None else parse(str(unit))
    except ValueError as error:
        config = {"confidence": table}
        raise ConfigValidationError(config=config, title="Unusable confidence", desc=str(error)) from None


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
