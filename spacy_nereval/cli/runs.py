"""Read `--system NAME=RUN,RUN...`: systems with the files, models or counts of each training run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from .cut_options import Cutting
from .cutting import check_no_count_file, predictions_kept
from .inputs import as_stored, display_names, documents_of
from .metric_options import chosen_metrics
from .options import Model, Reading
from .results import Kept, count_documents
from .stored import with_stored_labels

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts

Runs = dict[str, list[str]]
"""The name of each system to its training runs: files of predictions, models, or count files."""


def systems_and_runs(
    names: Sequence[str], given: Sequence[str], shown: Sequence[str] = ()
) -> list[tuple[str, list[str]]]:
    """Return the systems of a comparison, the baseline first: the name that tables show, and the training runs.

    Args:
        names: Systems with one run each, as arguments.
        given: The values of `--system`; one of the two is not empty.
        shown: The values of `--name`.

    Raises:
        ValueError: Both or neither are given, there is only one system, or a value cannot be read or used.

    >>> systems_and_runs(["a.jsonl", "b.jsonl"], [])
    [('a.jsonl', ['a.jsonl']), ('b.jsonl', ['b.jsonl'])]
    >>> systems_and_runs([], ["A=a1.jsonl,a2.jsonl", "B=b.jsonl"])
    [('A', ['a1.jsonl', 'a2.jsonl']), ('B', ['b.jsonl'])]
    """
    if names and given:
        raise ValueError(f"{names[0]} is given in addition to --system: give all systems as --system NAME=RUN,RUN...")
    if given and shown:
        raise ValueError(f"--name {shown[0]} is given in addition to --system, which names the systems itself")
    systems = [*named_runs(given).items()] if given else [(name, [name]) for name in names]
    if len(systems) < 2:
        raise ValueError(f"a comparison needs a baseline and another system, and {systems[0][0]} is the only one")
    return systems if given else [*zip(display_names(names, shown), (runs for _, runs in systems))]


def named_runs(given: Sequence[str]) -> Runs:
    """Return each system's name and training runs; patterns such as `runs/*.jsonl` stand for the files they match.

    Raises:
        ValueError: A value has no name or no run, or a name, a run or a file occurs twice.

    >>> named_runs(["A=a1.jsonl", "A=a2.jsonl"])
    Traceback (most recent call last):
    ValueError: --system A=a2.jsonl: there is a system A already; list all its runs once, as A=RUN,RUN...
    """
    found: Runs = {}
    for text in given:
        name, _, listed = text.partition("=")
        patterns = [run.strip() for run in listed.split(",")]
        if not name.strip() or not all(patterns):
            raise ValueError(f"--system {text}: expected NAME=RUN,RUN..., such as A=a1.jsonl,a2.jsonl")
        if name in found:
            raise ValueError(
                f"--system {text}: there is a system {name} already; list all its runs once, as {name}=RUN,RUN..."
            )
        found[name] = [run for pattern in patterns for run in _files_of(text, pattern)]
    _check_each_once(found)
    return found


class RunCounter:
    """Counts training runs against one gold annotation; count files are used unchanged.

    Args:
        runs: Files of predictions, models, or count files, of all systems.
        gold: The gold file or folder.
        metrics: The value of `--metrics`.
        options: The options of metrics. Without these and `metrics`, count files decide what is counted.
        train: The value of `--train`.
        reading: How files are read.
        loading: How models are loaded.
        cutting: Which predictions are kept.

    Raises:
        ValueError: A metric or a count file cannot be used.
        OSError: The gold annotation or a count file cannot be read.
    """

    def __init__(
        self,
        runs: Sequence[str],
        gold: Path,
        metrics: str | None,
        options: Sequence[str],
        train: str | None,
        reading: Reading,
        loading: Model,
        cutting: Cutting,
    ) -> None:
        from ..io.count_files import load
        from ..io.paths import remedy

        if not gold.exists():
            raise ValueError(f"{gold} does not exist{remedy(gold)}")
        self._gold, self._loading, self._cutting = gold, loading, cutting
        self._stored = {name: load(Path(name)) for name in runs if name.endswith(".npz")}
        check_no_count_file(cutting, [*self._stored])
        counted = self._stored and not metrics and not options
        systems = [] if counted else runs
        reading = with_stored_labels(reading, runs)
        self.metrics: tuple[Metric, ...] = chosen_metrics(
            metrics, options, train, gold=gold, reading=reading, systems=systems
        )
        if counted:
            self.metrics = next(iter(self._stored.values())).metrics
        self._reading = as_stored(reading, runs, self._stored) if self._stored else reading

    def count(self, run: str) -> tuple[Counts, Kept | None]:
        """Return the counts of a run, and its documents; None for those of a count file."""
        if run in self._stored:
            return self._stored[run], None
        kept = Kept()
        documents = predictions_kept(documents_of(run, self._gold, self._reading, self._loading), self._cutting, run)
        return count_documents(documents, self.metrics, self._gold.name, self._reading, [kept]), kept


def _files_of(text: str, pattern: str) -> list[str]:
    if files := matching_files(pattern):
        return files
    raise ValueError(f"--system {text}: no file matches {pattern}")


def matching_files(pattern: str) -> list[str]:
    """Return the files that a pattern matches, sorted; or the text itself, if it is no pattern or a file.

    >>> matching_files("runs/a.jsonl"), matching_files("nowhere/*.jsonl")
    (['runs/a.jsonl'], [])
    """
    if not has_magic(pattern) or Path(pattern).exists():
        return [pattern]
    return sorted(glob(pattern, recursive=True))


def _check_each_once(systems: Mapping[str, Sequence[str]]) -> None:
    """Raise ValueError if a run is given twice."""
    for name, runs in systems.items():
        seen: set[Path] = set()
        for run in runs:
            if (path := Path(run).resolve()) in seen:
                raise ValueError(f"--system {name}: the run {run} is given twice; give each training run once")
            seen.add(path)
