"""Cut files: the cuts that `nereval thresholds --cut-file` writes and `--cut` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.checked import is_number, unique_keys
from ..core.cuts import Cuts
from ..core.messages import shortened
from .paths import check_is_file, content
from .writing import write_json

KEYS = ("score", "default", "labels", "floor", "documents", "signature")
"""The keys of a cut file. Only `default` is required."""


def save_cuts(path: Path, cuts: Cuts) -> None:
    """Write a cut file.

    Args:
        path: The file; its folder has to exist.
        cuts: The cuts.

    Raises:
        OSError: If the file cannot be written.
    """
    write_json(path, as_json(cuts))


def as_json(cuts: Cuts) -> dict[str, Any]:
    """Return what a cut file has; a cut of None keeps no prediction.

    >>> as_json(Cuts(0.5, {"PER": None}, "strict.f", 0.25, 3, "s"))["labels"]
    {'PER': None}
    """
    return {key: getattr(cuts, key) for key in KEYS} | {"labels": dict(cuts.labels)}


def load_cuts(path: Path) -> Cuts:
    """Return the cuts that a cut file holds.

    Args:
        path: The file.

    Raises:
        ValueError: There is no such file, or it holds no cuts; says what is wrong.
        OSError: The file cannot be read.

    >>> path = getfixture("tmp_path") / "cuts.json"
    >>> save_cuts(path, Cuts(0.5))
    >>> load_cuts(path).keeps("PER", 0.5)
    True
    """
    check_is_file(path)
    try:
        value = json.loads(content(path), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{path}: not valid JSON ({error}); expected a cut file that 'nereval thresholds' or Thresholds.save wrote"
        ) from None
    try:
        return cuts_of(value)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def cuts_of(value: Any) -> Cuts:
    """Return the cuts that the content of a cut file gives.

    Raises:
        ValueError: It gives none; says what is wrong.

    >>> cuts_of({"default": "high"})
    Traceback (most recent call last):
    ValueError: the cut "default" is 'high'; expected a number, or null to keep no prediction
    """
    if not isinstance(value, Mapping) or "default" not in value:
        raise ValueError('this is not a cut file; expected {"default": 0.5, "labels": {"PER": 0.7}}')
    if unknown := [key for key in value if key not in KEYS]:
        raise ValueError(f"a cut file has no key {shortened(repr(unknown[0]))}; expected {', '.join(KEYS)}")
    labels = {} if value.get("labels") is None else value["labels"]
    if not isinstance(labels, Mapping):
        raise ValueError(
            f'"labels" is {shortened(repr(labels))}; expected a cut for each label, such as {{"PER": 0.7}}'
        )
    for name, cut in (("default", value["default"]), ("floor", value.get("floor")), *labels.items()):
        if cut is not None and not is_number(cut):
            shown = f'the cut "{shortened(str(name))}" is {shortened(repr(cut))}'
            raise ValueError(f"{shown}; expected a number, or null to keep no prediction")
    documents = value.get("documents", 0)
    return Cuts(
        value["default"],
        dict(labels),
        str(value.get("score") or ""),
        value.get("floor"),
        documents if isinstance(documents, int) else 0,
        str(value.get("signature") or ""),
    )
