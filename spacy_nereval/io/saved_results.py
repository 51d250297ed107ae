"""Results in JSON files, as the commands and `to_json` write them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.checked import check_given_once
from ..core.compression import uncompressed
from ..core.messages import listed, named
from ..evaluation.datasets import check_comparison
from .paths import check_is_file, content

SHAPES = {
    "Comparison": ("comparisons", "baseline"),
    "DataSets": ("data_sets", "least"),
    "Gate": ("rules", "policy"),
    "Plan": ("questions", "policy"),
    "Corrections": ("changes", "undecided"),
    "Agreement": ("disputes", "consensus"),
    "Thresholds": ("best", "curves"),
    "Result": ("metrics", "documents"),
}
"""The class of each kind of result, and keys that show it."""

COMMANDS = {
    **{"Comparison": "compare", "DataSets": "datasets", "Gate": "gate", "Plan": "plan", "Corrections": "apply"},
    **{"Agreement": "agreement", "Thresholds": "thresholds", "Result": "score"},
}
"""The command that writes each kind of result."""

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
    value = _json(path, kind)
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
        raise ValueError(f"{path} holds no result; expected what {_writers(kind)} wrote")
    if found != kind:
        raise ValueError(f"{path} {held(found, path)}")
    if LATER.get(kind, "signature") not in value:
        raise ValueError(f"{path} lacks {LATER[kind]!r}, so an older version wrote it: score again")
    read: dict[str, Any] = value
    return read


def read_comparisons(paths: Sequence[Path]) -> dict[str, Any]:
    """Return the comparisons that JSON files hold, one for each data set.

    Args:
        paths: The files.

    Returns:
        The names of the data sets, which are those of the files without their extensions, or else whole paths, to their
        comparisons.

    Raises:
        ValueError: A file is given twice, or holds no comparison of this version.
        OSError: A file cannot be read.
    """
    check_given_once(paths, "data set")
    stems = [uncompressed(path).stem for path in paths]
    names = stems if len({*stems}) == len(stems) else [path.as_posix() for path in paths]
    return {name: read_comparison(path) for name, path in zip(names, paths)}


def read_comparison(path: Path) -> Any:
    """Return the comparison that a JSON file holds, which names its file in errors.

    Raises:
        ValueError: The file holds no comparison of this version.
        OSError: The file cannot be read.
    """
    found = _json(path, "Comparison")
    check_comparison(str(path), found)
    return found


def _json(path: Path, kind: str) -> Any:
    check_is_file(path)
    try:
        return json.loads(content(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON ({error}): expected what {_writers(kind)} wrote") from None


def _writers(kind: str) -> str:
    return f"'nereval {COMMANDS[kind]}' or {kind}.save"


def held(kind: str, path: Path) -> str:
    """Return what to say of a file that holds a result of a kind.

    >>> held("Gate", Path("a.json"))
    "holds the result of a gate: Gate.load('a.json') reads it"
    """
    what = {"Result": "scores", "Thresholds": "thresholds", "Agreement": "agreement", "Corrections": "corrections"}
    what |= {"DataSets": "data sets"}
    return f"holds the result of {what.get(kind, f'a {kind.lower()}')}: {kind}.load({str(path)!r}) reads it"
