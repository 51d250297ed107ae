"""What is said around the tables: what was scored, warnings, and where metrics disagree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..evaluation.comparison import FEW


def heading(result: Mapping[str, Any]) -> str:
    """Return a sentence on what was scored and what was left out.

    >>> heading({"documents": 1, "gold": 2, "pred": 2, "skipped": 0, "ignored": 0, "repaired": 1})
    '1 document, 2 gold spans, 2 predicted spans, 1 span repaired'
    """
    parts = [_many(result["documents"], "document"), _many(result["gold"], "gold span")]
    parts.append(_many(result["pred"], "predicted span"))
    if result["skipped"]:
        parts.append(f"{_many(result['skipped'], 'document')} without annotation skipped")
    if result["ignored"]:
        parts.append(f"{_many(result['ignored'], 'prediction')} ignored where the reference is not annotated")
    if result["repaired"]:
        parts.append(f"{_many(result['repaired'], 'span')} repaired")
    return ", ".join(parts)


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def warning(units: int) -> list[str]:
    """Return a warning about intervals and tests on few documents; an empty list if there are enough.

    >>> warning(20), warning(19)
    ([], ['⚠ Fewer than 20 documents: intervals are too narrow and conclusions unreliable.'])
    """
    if units >= FEW:
        return []
    return [f"⚠ Fewer than {FEW} documents: intervals are too narrow and conclusions unreliable."]


def disagreement_lines(found: Mapping[str, Any]) -> list[str]:
    """Return lines on the documents in which WRF and strict F disagree.

    Args:
        found: What `evaluation.per_document.disagreement` returns.
    """
    lines = [
        f"WRF compared with strict F in {found['documents']} documents "
        f"({found['undefined']} left out, in which one of them is undefined):"
    ]
    for name in ("above", "below", "equal"):
        share = "-" if found[name]["share"] is None else f"{100 * found[name]['share']:.1f} %"
        such_as = f", such as {', '.join(map(str, found[name]['examples']))}" if found[name]["examples"] else ""
        lines.append(f"  {name} in {found[name]['documents']} ({share}){such_as}")
    return lines
