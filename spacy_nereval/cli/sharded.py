"""What `evaluate` and `count` do with a corpus in several files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .common import counted, say, sources
from .options import Model, Reading, Sharding, chosen_formats

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..distributed.shards import Shard, ShardStatus
    from ..evaluation.intervals import Confidence
    from ..integration.pipelines import Pipeline

PARTS = "nereval-parts"


@dataclass(frozen=True)
class Counting:
    """How every shard is counted. It is sent to the workers, and so holds names and settings only."""

    metrics: dict[str, dict[str, Any]]
    reading: Reading
    pipeline: Pipeline | None
    replicates: Confidence | None
    home: str

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        """The content of everything that is read, and all that was asked for."""
        from importlib.metadata import version

        from ..about import __version__
        from ..io.paths import digest, fetched
        from ..metrics.registry import create

        contents: dict[str | None, str] = {}
        for name in filter(None, (shard.gold, shard.pred)):
            with fetched(name, self.home) as path:
                contents[name] = digest(path)
        origin = {
            "gold": contents[shard.gold],
            "pred": contents.get(shard.pred),
            "model": self.pipeline and self.pipeline.digest(),
            "name": shard.name,
            "reading": self.reading._replace(format=",".join(chosen_formats(self.reading.format)[0])),
            "metrics": {name: [create(name).version, options] for name, options in self.metrics.items()},
            "replicates": self.replicates and (self.replicates.samples, self.replicates.seed),
            "versions": (__version__, version("spacy")),
        }
        return json.loads(json.dumps(origin))  # as it comes back from a file

    def count(self, shard: Shard) -> Counts:
        from ..evaluation.intervals import replicate
        from ..io.paths import fetched
        from ..metrics.registry import create_all

        nlp = self.pipeline and self.pipeline.loaded()
        # What a worker learns of words is for this shard only, or its memory would grow with every file.
        zone = nlp.memory_zone() if nlp else nullcontext()
        with zone, fetched(shard.gold, self.home) as gold, fetched(shard.pred or shard.gold, self.home) as pred:
            try:
                documents = sources(gold, nlp or str(pred), self.reading, is_model=nlp is not None)
                counts = counted(documents, create_all(self.metrics), shard.name, self.reading, quiet=True)
            except ValueError as error:  # in which copies have names that nobody knows
                said = str(error).replace(str(gold), shard.gold).replace(str(pred), shard.pred or shard.gold)
                raise ValueError(said) from None
        if self.replicates:
            counts.replicates = replicate(counts, self.replicates.samples, self.replicates.seed)
        return counts


def counted_in_parts(
    golds: Sequence[str],
    preds: Sequence[str] | None,
    model: str | None,
    metrics: Sequence[Metric],
    reading: Reading,
    loading: Model,
    drawn: Confidence | None,
    sharding: Sharding,
) -> Counts:
    """The counts of all files together, each counted by some worker.

    Raises ValueError if some could not be counted, after saying which, and why.
    """
    from tqdm import tqdm

    from ..distributed.engines import started
    from ..distributed.shards import PartsFolder, count_shards, locked, merged
    from ..integration.pipelines import Pipeline

    # What looks at the whole corpus cannot be resampled in parts.
    replicates = None if any(metric.note for metric in metrics) else drawn
    code = str(loading.code) if loading.code else None
    pipeline = Pipeline(model, code, loading.gpu_id, os.getcwd()) if model else None
    settings = {metric.name: dict(metric.settings) for metric in metrics}
    work = Counting(settings, reading, pipeline, replicates, os.getcwd())
    shards, folder = named(golds, preds), PartsFolder(sharding.parts or PARTS)
    workers = sharding.workers or (-1 if sharding.engine else 1)
    gpus = loading.gpu_id >= 0
    with started(sharding.engine or "loky", workers, gpus=gpus) as run, locked(folder):
        before = {file.name for file in folder.path.glob("counts-*.npz")}
        with tqdm(total=len(shards), unit=" files", leave=False, disable=None) as bar:

            def ready(number: int) -> None:
                bar.n = number
                bar.refresh()

            parts = count_shards(shards, work, folder, run, ready)
        failed = [part for part in parts if part.error]
        for line in failures(failed):
            say(f"✘ {line}", fg="red", err=True)
        if failed:
            others = f"; the counts of the others are in {folder.name}, where the same command goes on"
            raise ValueError(
                f"{len(failed)} of {len(parts)} files could not be counted{others if len(failed) < len(parts) else ''}"
            )
        kept = sum(part.kept and folder.part(part.shard).name in before for part in parts)
        replaced = sum(part.replaced for part in parts)
        found = {"by an earlier run": kept, "in the place of other counts": replaced}
        notes = ", ".join(f"{number} {how}" for how, number in found.items() if number)
        counts = merged(parts, folder, shared_ids=sharding.shared_ids)
        say(f"✔ {len(parts)} files counted in {folder.name}{notes and f' ({notes})'}", fg="green", err=True)
        return counts


def named(golds: Sequence[str], preds: Sequence[str] | None) -> list[Shard]:
    """The shards, in the order of their names, which are what tells their gold files apart.

    Raises ValueError if two have one name.
    """
    from ..distributed.shards import PartsFolder, Shard
    from ..io.paths import short_names

    others: Sequence[str | None] = preds or [None] * len(golds)
    shards = [Shard(name, gold, pred) for name, gold, pred in zip(short_names(golds), golds, others)]
    files: dict[str, str] = {}
    for shard in shards:
        file = PartsFolder("").part(shard).name
        if file in files:
            twice = f"{shard.gold} is given twice"
            both = f"{files[file]} and {shard.gold} would both be counted in {file}: rename one"
            raise ValueError(twice if files[file] == shard.gold else both)
        files[file] = shard.gold
    return sorted(shards)


def failures(parts: Sequence[ShardStatus]) -> list[str]:
    """A line for every error, with the files that had it."""
    by_error: dict[str, list[str]] = {}
    for part in parts:
        by_error.setdefault(part.error, []).append(part.shard.gold)
    lines = []
    for error, names in by_error.items():
        listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        lines.append(error if names[0] in error else f"{listed}: {error}")
    return lines
