"""Counts of files of predictions that are kept in a folder, so that a new system costs only itself.

The name of a count file is a hash of all that can change a number: the content of the gold annotation and of the
predictions, the options, and the versions of the programs. So counts are found only where they are still right.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any

from ...cli.counting_documents import RunCounter, pipeline_of, warn_of_labels
from ...cli.printing import say
from ...cli.sources import Source, matching_files
from ...core.about import __version__

if TYPE_CHECKING:
    from ...counting.counts import Counts


class KeepingCounter(RunCounter):
    """Counts training runs as `RunCounter` does, and keeps the counts in a folder.

    Args:
        folder: The folder; None keeps nothing. It is made if there is none.
        arguments: The arguments of `RunCounter`.
    """

    def __init__(self, folder: Path | None, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._folder = folder

    def counts(self, run: Source, name: str = "") -> Counts:
        """Return the counts of a run: those that were kept, or else new ones."""
        if self._folder is None or run.has_counts:
            return super().counts(run, name)
        from ...io.count_files import load, save

        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._digest(run)}.npz"
        if path.exists():
            try:
                counts = load(path)
            except ValueError as error:  # damaged
                say(f"⚠ {error}: counted again", err=True)
            else:
                warn_of_labels(counts, name or run.name)
                return counts
        counts = super().counts(run, name)
        save(counts, path)
        return counts

    def _digest(self, run: Source) -> str:
        """Return a hash of all that can change a number of the counts of a run."""
        from ...io.count_layout import metric_header
        from ...io.paths import content_digest

        pipeline = pipeline_of(run.name, self.loading) if run.is_model else None
        reading, headers = self.gold.reading, [metric_header(metric) for metric in self.metrics]
        settings = {**asdict(reading), **self.cutting._asdict(), **self.loading._asdict()}
        named = [reading.labels, reading.tag_names, self.cutting.cut, self.loading.code]
        named += [value for header in headers for value in header.settings.values()]
        files = [Path(value) for value in named if isinstance(value, (str, Path)) and Path(value).name]
        return content_digest(
            *_hashes(self.gold.path),
            *([pipeline.digest()] if pipeline else _hashes(run.path)),
            *(digest for file in files if file.exists() for digest in _hashes(file)),  # lexicons, labels, cuts, code
            *(f"{name}={value}" for name, value in sorted(settings.items())),
            *(header.model_dump_json() for header in headers),
            *_versions(),
        )


def _hashes(path: Path) -> Iterator[str]:
    """Yield the name and the hash of a file or folder, or of each file that a pattern matches."""
    from ...io.formats.xmi import TYPES
    from ...io.paths import digest, readable_file

    for file in map(Path, matching_files(str(path))):
        yield from (file.name, digest(readable_file(file)))  # the extension may say how it is read
        yield from (digest(types) for types in sorted(file.parent.glob(f"{TYPES}*")) if types.is_file())


READERS = ("spacy", "bioc", "conllu", "dkpro-cassis", "pyarrow")
"""Other packages that read annotation."""


def _versions() -> Iterator[str]:
    """Yield the versions of the programs that read and count annotation."""
    yield __version__
    yield python_version()
    for name in READERS:
        with suppress(PackageNotFoundError):
            yield f"{name} {version(name)}"
