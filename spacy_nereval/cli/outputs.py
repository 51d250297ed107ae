"""Checks before the work begins: that results can be written, and the settings of intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .options import Resampling

if TYPE_CHECKING:
    from ..evaluation.resampling import Confidence


def check_suffix(option: str, path: Path, *suffixes: str) -> None:
    """Raise ValueError if a file name does not end with one of the suffixes.

    >>> check_suffix("--output", Path("rows.txt"), ".jsonl", ".csv")
    Traceback (most recent call last):
    ValueError: --output rows.txt: expected a .jsonl or .csv file
    """
    if path.suffix not in suffixes:
        raise ValueError(f"{option} {path}: expected a {' or '.join(suffixes)} file")


def check_per_document(path: Path | None) -> None:
    """Raise ValueError if `--per-document` names a file of an unknown kind."""
    if path:
        check_suffix("--per-document", path, ".jsonl", ".csv")


def check_average(average: str) -> None:
    """Raise ValueError if `--average` names no average."""
    from ..evaluation.scores import AVERAGES

    if average not in AVERAGES:
        raise ValueError(f"--average {average}: expected one of {', '.join(AVERAGES)}")


def chosen_confidence(wanted: bool, resampling: Resampling, option: str = "--confidence") -> Confidence | None:
    """Return the settings of intervals, or None if no intervals are wanted.

    Args:
        wanted: Whether intervals are wanted.
        resampling: How documents are resampled.
        option: The option that asks for resampling.

    Raises:
        ValueError: If a setting is out of range, or is given although no intervals are wanted.
    """
    from ..evaluation.resampling import Confidence

    settings = {name: value for name, value in resampling._asdict().items() if value is not None}
    if not wanted and settings:
        raise ValueError(f"--{next(iter(settings))} is given without {option}: add that, or leave it out")
    return Confidence(**settings).checked() if wanted else None
