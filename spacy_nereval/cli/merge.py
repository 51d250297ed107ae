"""`nereval merge`: the counts of a corpus from the counts of its parts."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

from .app import command
from .collapsing import chosen_halves
from .options import CHECK_REPEATS, COLLAPSE, COUNTS, REPLICATES, SEED, SHARED_IDS
from .results import save_counts


@command("merge")
def merge_cli(
    files: list[Path] = Argument(..., metavar="PARTS...", help="Count files of the parts, .npz"),
    output: Path = COUNTS,
    shared_ids: bool = SHARED_IDS,
    allow_repeats: bool = Option(
        False,
        "--allow-repeats",
        help="Count documents as often as the parts have them, even if two parts hold some of the same counts",
    ),
    collapse: bool = COLLAPSE,
    check_repeats: bool = CHECK_REPEATS,
    replicates: int | None = REPLICATES,
    seed: int | None = SEED,
) -> None:
    """
    Merge the count files of the parts of a corpus. The result is the count file
    of the whole corpus.

    A count file records which parts it was merged from. A part that would count
    twice is refused.

    With --collapse, the documents of the parts are summed, so that memory does not
    grow with their number. Parts that are already collapsed stay so. The half-samples
    (random halves of the documents, for intervals) are those that the parts keep,
    unless --replicates or --seed ask for others.
    """
    from ..io.count_files import merge

    if not collapse and (replicates is not None or seed is not None):
        raise ValueError("--replicates and --seed are for documents that are added up: give --collapse, too")
    if collapse:
        chosen_halves(replicates, seed)  # before anything is read
    asked = (replicates, seed) if collapse else None
    counts = merge(
        files, shared_ids=shared_ids, allow_repeats=allow_repeats, collapsed=asked, check_repeats=check_repeats
    )
    save_counts(counts, output)
