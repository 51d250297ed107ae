"""Comparisons as `compare` writes them, for the tests of counts over data sets."""

from typing import Any


def row(p: float | None, value: float = 0.6, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"metric": "strict", "score": "f", "score_unit": "ratio", "higher_is_better": True}
    found |= {"system": "B", "family": "primary", "differing": 40}
    found |= {"baseline_value": 0.5, "value": value, "difference": value - 0.5, "interval": [value - 0.6, value - 0.4]}
    found |= {"p": None if p is None else min(1.0, 2 * p), "p_better": p}
    return found | more


def comparison(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = {
        "signature": "spacy-nereval|strict:beta=1.0|fair:unit=char,beta=1.0|avg:micro|docs:90|v1",
        "version": "1",
        "documents": 90,
        "units": 90,
        "baseline": "A",
        "confidence": {"level": 0.95, "seed": 0},
        "comparisons": list(rows),
    }
    return found | more


def results(*p_values: float | None) -> dict[str, dict[str, Any]]:
    """One comparison per p-value, no two with the same numbers."""
    return {f"set{k}": comparison(row(p, 0.6 + k / 100)) for k, p in enumerate(p_values)}
