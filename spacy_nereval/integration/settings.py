"""Check the settings of scorers and of the component, and report mistakes in spaCy's way."""

from collections.abc import Mapping
from typing import Any

from thinc.api import ConfigValidationError

from ..core.declaration import Metric
from ..core.labels import SEPARATOR, LabelRules, label_rules
from ..evaluation.resampling import Confidence
from ..io.units import UnitRule, parse
from ..metrics.registry import create_all

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
