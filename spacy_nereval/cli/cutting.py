"""Apply the cuts of `--cut` to predictions as they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .cut_options import Cutting
from .printing import say

if TYPE_CHECKING:
    from ..core.spans import Document
    from .inputs import Documents


def predictions_kept(documents: Documents, cutting: Cutting, system: str) -> Documents:
    """Return documents with the predictions that `--cut` keeps, and say in the end how many these are.

    Args:
        documents: Documents with the scores of their predictions.
        cutting: The values of `--cut` and `--missing-score`.
        system: The name of the predictions, for errors.

    Raises:
        ValueError: The file holds no cuts, or `--missing-score` is given without it; while
            reading, if a prediction has no usable score.
        OSError: The file cannot be read.
    """
    if cutting.cut is None:
        if cutting.missing_score is not None:
            raise ValueError(f"--missing-score {cutting.missing_score:g} is given without --cut")
        return documents
    from ..core.cuts import cut
    from ..io.cut_files import load_cuts

    numbers = [0, 0]
    found = cut(_counted(documents, numbers, 0), load_cuts(cutting.cut), cutting.missing_score, source=system)
    return _told(_counted(found, numbers, 1), cutting, numbers)


def check_no_count_file(cutting: Cutting, files: Sequence[object]) -> None:
    """Raise ValueError if `--cut` is given for count files."""
    if cutting.cut is not None and files:
        raise ValueError(f"--cut {cutting.cut}: {files[0]} is a count file, which has no scores of predictions")


def _counted(documents: Documents, numbers: list[int], place: int) -> Iterator[Document | None]:
    for document in documents:
        numbers[place] += len(document.sides[1]) if document else 0
        yield document


def _told(documents: Documents, cutting: Cutting, numbers: Sequence[int]) -> Iterator[Document | None]:
    yield from documents
    before, after = numbers
    say(f"{cutting.cut}: {after} of {before} predictions are kept", err=True)
