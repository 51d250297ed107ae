"""Checks before the work begins: that results can be written, and the settings of intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .options import Resampling

if TYPE_CHECKING:
    from ..evaluation.resampling import Confidence


def check_output(output: Path | None, *inputs: str | Path, per_document: Path | None = None) -> None:
    """Raise ValueError if a result cannot be written, before the work that leads to it.

    Args:
        output: The file of `--output`.
        inputs: The files that the command reads, which it must not overwrite.
        per_document: The file of `--per-document`.
    """
    read = [Path(name).resolve() for name in inputs]
    for path in (output, per_document):
        if path and not path.parent.is_dir():
            raise ValueError(f"{path} cannot be written: there is no directory {path.parent}")
        if path and path.resolve() in read:
            raise ValueError(f"{path} is read here, so it cannot be the output: choose another file")
    if output and per_document and output.resolve() == per_document.resolve():
        raise ValueError(f"--output and --per-document are both {output}: choose two files")
    if per_document:
        check_suffix("--per-document", per_document, ".jsonl", ".csv")


def check_suffix(option: str, path: Path, *suffixes: str) -> None:
    """Raise ValueError if a file name does not end with one of the suffixes.

    >>> check_suffix("--output", Path("rows.txt"), ".jsonl", ".csv")
    Traceback (most recent call last):
    ValueError: --output rows.txt: expected a .jsonl or .csv file
    """
    if path.suffix not in suffixes:
        raise ValueError(f"{option} {path}: expected a {' or '.join(suffixes)} file")


def check_average(average: str) -> None:
    """Raise ValueError if `--average` names no average."""
    from ..evaluation.scores import AVERAGES

    if average not in AVERAGES:
        raise ValueError(f"--average {average}: expected one of {', '.join(AVERAGES)}")


def chosen_confidence(wanted: bool, resampling: Resampling) -> Confidence | None:
    """Return the settings of intervals, or None if no intervals are wanted.

    Raises:
        ValueError: If a setting is out of range, or is given although no intervals are wanted.
    """
    from ..evaluation.resampling import Confidence

    settings = {name: value for name, value in resampling._asdict().items() if value is not None}
    if not wanted and settings:
        raise ValueError(f"--{next(iter(settings))} is given without --confidence")
    return Confidence(**settings).checked() if wanted else None
