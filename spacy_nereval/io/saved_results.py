"""Results in JSON files, as the commands and `to_json` write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.messages import listed, named
from .paths import check_is_file, content

SHAPES = {
    "Comparison": ("comparisons", "baseline"),
    "Gate": ("rules", "policy"),
    "Plan": ("questions", "policy"),
    "Corrections": ("changes", "undecided"),
    "Agreement": ("disputes", "consensus"),
    "Thresholds": ("best", "curves"),
    "Result": ("metrics", "documents"),
}
"""The class of each kind of result, and keys that show it."""

LATER = {"Result": "scores"}
"""Keys without which a result was written by an older version."""


def kind_of(value: object) -> str | None:
    """Return the name of the class of a result, as JSON has it; None if it is no result.

    >>> kind_of({"signature": "", "comparisons": [], "baseline": "a"}), kind_of({"text": "Ada", "spans": []})
    ('Comparison', None)
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("signature"), str):
        return None
    return next((kind for kind, keys in SHAPES.items() if all(key in value for key in keys)), None)


def read_result(path: Path, kind: str, system: str | None = None) -> dict[str, Any]:
    """Return the result that a JSON file holds.

    Args:
        path: The file.
        kind: The name of its class, a key of `SHAPES`.
        system: Which of several results to return, as `nereval thresholds` writes them for several systems.

    Raises:
        ValueError: There is no such file, or it holds no result of this kind; says which it holds.
        OSError: The file cannot be read.
    """
    check_is_file(path)
    try:
        value = json.loads(content(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON ({error}): expected a file that {kind}.save wrote") from None
    systems = value.get("systems") if isinstance(value, Mapping) else None
    if isinstance(systems, Mapping):
        if kind != "Thresholds":
            raise ValueError(f"{path} {held('Thresholds', path)}")
        if system not in systems:
            raise ValueError(
                f"{path} holds several systems: choose one with {named('system')}, of {listed([*systems])}"
            )
        value = systems[system]
    elif system is not None:
        raise ValueError(f"{named('system', system)}: {path} holds one system, without a name")
    found = kind_of(value)
    if found is None:
        raise ValueError(f"{path} holds no result; expected a JSON file that {kind}.save wrote")
    if found != kind:
        raise ValueError(f"{path} {held(found, path)}")
    if LATER.get(kind, "signature") not in value:
        raise ValueError(f"{path} lacks {LATER[kind]!r}, so an older version wrote it: score again")
    read: dict[str, Any] = value
    return read


def held(kind: str, path: Path) -> str:
    """Return what to say of a file that holds a result of a kind.

    >>> held("Gate", Path("a.json"))
    "holds the result of a gate: Gate.load('a.json') reads it"
    """
    what = {"Result": "scores", "Thresholds": "thresholds", "Agreement": "agreement", "Corrections": "corrections"}
    return f"holds the result of {what.get(kind, f'a {kind.lower()}')}: {kind}.load({str(path)!r}) reads it"
