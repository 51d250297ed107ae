"""`--collapse`: counts whose documents are added up, and what they cannot show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .options import Resampling, Sharding, Showing
from .values import table_names

if TYPE_CHECKING:
    from ..counting.counts import Counts
    from ..evaluation.collapsing import Halves
    from ..evaluation.resampling import Confidence


def check_collapse_given(sharding: Sharding, *, append: bool = False) -> None:
    """Raise ValueError if an option is given that only collapsed counts have."""
    for option, given in (("--append", append), ("--check-repeats", sharding.check_repeats)):
        if given and not sharding.collapse:
            raise ValueError(f"{option} is for collapsed counts: give --collapse, too")


def halves_of(drawn: Confidence | None) -> Halves:
    """Return the half-samples that collapsed counts keep, given the settings of intervals."""
    from ..evaluation.collapsing import Halves

    return Halves(drawn.samples, drawn.seed) if drawn else Halves()


def chosen_halves(replicates: int | None, seed: int | None) -> Halves:
    """Return the half-samples that `--replicates` and `--seed` ask for.

    Raises:
        ValueError: A setting is out of range, or a seed is given for no half-samples.
    """
    from ..evaluation.collapsing import SAMPLES, Halves
    from ..evaluation.resampling import Confidence

    if replicates == 0 and seed is not None:
        raise ValueError("--seed is given without --replicates")
    halves = Halves(SAMPLES if replicates is None else replicates, seed or 0)
    Confidence(samples=halves.samples or 1, seed=halves.seed).checked()
    return halves


def check_collapsible(
    showing: Showing, per_document: Path | None, by: Sequence[str] | None, *, file: Path | None = None
) -> None:
    """Raise ValueError if something is asked for that collapsed counts do not keep.

    Args:
        showing: Which tables are printed.
        per_document: The file for the scores of each document.
        by: The attributes by which scores are broken down.
        file: The count file; None if documents are collapsed now.
    """
    from ..reporting.score_view import ScoreView

    tables = table_names(showing.tables, ScoreView.makers, ()) if showing.tables != "all" else []
    asked = {
        "--per-document": per_document is not None,
        "--by": bool(by),
        **{f"--tables {name}": name in tables for name in ("documents", "groups")},
    }
    lost = {
        "--per-document": "scores of documents",
        "--by": "breakdown",
        "--tables documents": "scores of documents",
        "--tables groups": "repeated mistakes",
    }
    for option, wanted in asked.items():
        if wanted:
            remedy = "leave out --collapse" if file is None else "count the corpus again without --collapse"
            holder = "collapsed counts have" if file is None else f"{file} holds collapsed counts, which have"
            raise ValueError(f"{option}: {holder} no {lost[option]}, since they keep no documents: {remedy}")


def check_stored_halves(counts: Counts, wanted: bool, resampling: Resampling, file: Path) -> None:
    """Raise ValueError if intervals of collapsed counts are asked for that their half-samples cannot give.

    Args:
        counts: The counts.
        wanted: Whether intervals are asked for.
        resampling: How documents are to be resampled.
        file: The count file.
    """
    again = "count the corpus again with --replicates"
    if wanted and counts.replicates is None:
        raise ValueError(
            f"--confidence: {file} holds collapsed counts without half-samples, and no documents to resample: {again}"
        )
    for name, has in zip(("samples", "seed"), counts.replicates.drawn if counts.replicates else ()):
        given = getattr(resampling, name)
        if given is not None and given != has:
            raise ValueError(
                f"--{name} {given}: {file} holds collapsed counts, which keep the half-samples that were drawn while "
                f"counting ({name} {has}), and no documents to draw others from: {again} and --seed"
            )


def with_count_file(gold: Path | None, systems: Sequence[str], runs: Sequence[str]) -> list[str]:
    """Return the systems of a comparison. If the first argument is a count file, no gold annotation was named.

    Raises:
        ValueError: Gold annotation is missing.

    >>> with_count_file(Path("a.npz"), ["b.npz"], []), with_count_file(Path("gold.jsonl"), ["a.npz"], [])
    (['a.npz', 'b.npz'], ['a.npz'])
    """
    if gold is None or gold.suffix != ".npz":
        return [*systems]
    if other := next((name for name in (*systems, *runs) if not name.endswith(".npz") or "=" in name), None):
        raise ValueError(f"{gold} is a count file, and {other} is not: name the gold annotation first")
    return [str(gold), *systems]


def only_count_files(runs: Sequence[str]) -> Path:
    """Return the first of some count files. A comparison of these needs no gold annotation, but a file that exists.

    Raises:
        ValueError: A run is not a count file.
    """
    if other := next((run for run in runs if not run.endswith(".npz")), None):
        raise ValueError(f"{other} is not a count file: name the gold annotation first")
    return Path(runs[0])


def check_halves(systems: Sequence[str], resampling: Resampling) -> None:
    """Raise ValueError if `--samples` or `--seed` are not those of the collapsed counts among some systems."""
    from ..io.count_files import load

    for name in systems if resampling.samples is not None or resampling.seed is not None else ():
        if name.endswith(".npz") and (counts := load(Path(name))).collapsed:
            check_stored_halves(counts, True, resampling, Path(name))
