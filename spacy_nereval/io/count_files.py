"""Counts as files: everything that scores, intervals and comparisons need, and no text.

An .npz archive of plain arrays, never pickled: a header in JSON, and the rows
of every metric.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ..about import __version__
from ..core.declaration import Metric
from ..counting.counts import Counts, Replicates
from ..evaluation.signature import signature
from ..metrics.registry import create
from .paths import Location
from .writing import atomic

FORMAT = "spacy-nereval counts 3"


def save(counts: Counts, path: Location, *, origin: Mapping[str, Any] | None = None) -> None:
    """Write counts to a file, whole or not at all; `origin` says what they were counted from, in plain JSON."""
    stored = counts.replicates
    header = {
        "format": FORMAT,
        "version": __version__,
        "signature": signature(counts, *([f"poisson:{stored.samples},seed:{stored.seed}"] if stored else [])),
        "metrics": [_described(metric) for metric in counts.metrics],
        "labels": list(counts.label_ids),
        "documents": counts.documents,
        "ids": counts.ids,
        "skipped": counts.skipped,
        "ignored": counts.ignored,
        "repaired": counts.repaired,
        "notes": list(counts.note_ids),
        "sources": list(counts.sources),
        "key": counts.key,
        "replicates": stored and {"samples": stored.samples, "seed": stored.seed, "labels": list(stored.labels)},
        "origin": origin,
    }
    arrays: dict[str, Any] = {}
    for name, rows in zip(("settled", *(m.name for m in counts.metrics)), (counts.settled, *counts.rows)):
        table = rows.array()
        arrays[f"rows/{name}"] = table[:, :4].astype(np.int32)
        arrays[f"amounts/{name}"] = table[:, 4]
        if rows.width > 5:
            arrays[f"notes/{name}"] = table[:, 5].astype(np.int32)
    for metric, tape in stored.tapes.items() if stored else ():
        arrays |= {f"replicates/{metric}/{name}": values for name, values in tape.items()}
    header["digest"] = _digest(header, arrays)
    arrays["header"] = np.frombuffer(json.dumps(header).encode("utf8"), dtype=np.uint8)
    with atomic(path) as file:
        np.savez_compressed(file, **arrays)


def load(path: Location, *, origin: Mapping[str, Any] | None = None) -> Counts:
    """Read counts from a file. Raises ValueError if it has none, if they are damaged,
    or if they were not counted from that origin."""
    counts, header = _loaded(path)
    if origin is not None and header.get("origin") != origin:
        raise ValueError(f"{path} was counted from something else, or in another way")
    return counts


def _loaded(path: Location) -> tuple[Counts, dict[str, Any]]:
    """The counts in a file, and its header."""
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is no file")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}, this version reads {FORMAT!r}")
        for name in ("settled", *(stored["name"] for stored in header["metrics"])):
            if not {f"rows/{name}", f"amounts/{name}"} <= arrays.keys():
                raise ValueError(f"the counts of each document are missing for {name}")
        if header["digest"] != _digest({key: header[key] for key in header if key != "digest"}, arrays):
            raise ValueError("it was changed since it was written")
        metrics = [create(stored["name"], **stored["settings"]) for stored in header["metrics"]]
        counts = _counts(metrics, header, arrays)
    except FOREIGN as error:
        # numpy's advice on files that it cannot read is to unpickle them, which is none.
        reason = "no .npz archive of plain arrays" if "pickle" in str(error) else f"{type(error).__name__}: {error}"
        raise ValueError(f"{path} does not hold counts, or is damaged ({reason})") from None
    for metric, stored in zip(metrics, header["metrics"]):
        if stored != _described(metric):
            raise ValueError(
                f"{path} was counted by version {stored['version']} of {metric.name}, this is version "
                f"{metric.version}: count again"
            )
    return counts, header


FOREIGN = (
    KeyError,
    IndexError,
    ValueError,
    TypeError,
    AttributeError,
    OSError,
    EOFError,
    BadZipFile,
    NotImplementedError,
    zlib.error,
)
"""What parsers of foreign bytes may raise."""


def _counts(metrics: Sequence[Metric], header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Counts:
    counts = Counts(metrics)
    for name in ("documents", "ids", "skipped", "ignored", "repaired", "sources", "key"):
        setattr(counts, name, header[name])
    counts.label_ids = {label: k for k, label in enumerate(header["labels"])}
    counts.note_ids = {note: k for k, note in enumerate(header["notes"])}
    for name, rows in zip(("settled", *(m.name for m in metrics)), (counts.settled, *counts.rows)):
        columns = [arrays[f"{part}/{name}"] for part in ("rows", "amounts", "notes")[: rows.width - 3]]
        rows.extend(np.column_stack(columns).astype(np.float64))
    if header["replicates"]:
        tapes: dict[str, dict[str, np.ndarray]] = {metric.name: {} for metric in metrics}
        for name, values in arrays.items():
            if name.startswith("replicates/"):
                _, metric_name, place = name.split("/", 2)
                tapes[metric_name][place] = values
        drawn = header["replicates"]
        counts.replicates = Replicates(drawn["samples"], drawn["seed"], tuple(drawn["labels"]), tapes)
    return counts


def _described(metric: Metric) -> dict[str, Any]:
    """What the numbers of a metric mean: the rows name verdicts by their place in `verdicts`."""
    return {
        "name": metric.name,
        "version": metric.version,
        "settings": dict(metric.settings),
        "verdicts": list(metric.verdict_names),
        "columns": list(metric.columns),
    }


def _digest(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> str:
    """A hash of all there is, which tells a damaged file."""
    digest = sha256(json.dumps(header, sort_keys=True).encode("utf8"))
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def merge(
    paths: Sequence[Location], *, origins: Sequence[Mapping[str, Any]] | None = None, shared_ids: bool = False
) -> Counts:
    """The counts of several files, as if all documents had been counted together.

    `origins` says what each was counted from, where that is known. With
    `shared_ids` texts of several files that have one id are one document.

    Raises ValueError, naming the files and the difference, if their metrics,
    settings or versions differ, if two files hold the same counts, or if
    documents of two files have one id.
    """
    return _sum(_parts(paths, origins, shared_ids))


def _parts(
    paths: Sequence[Location], origins: Sequence[Mapping[str, Any]] | None, shared_ids: bool
) -> Iterator[Counts]:
    first: Counts | None = None
    holder: dict[str, Location] = {}  # of counts, by their digest
    owner: dict[str, int] = {}  # the number of the file that has a document of this id
    for number, path in enumerate(paths):
        counts, header = _loaded(path)
        if origins and header.get("origin") != origins[number]:
            raise ValueError(f"{path} was changed by somebody else since it was counted")
        if (digest := header["digest"]) in holder:
            raise ValueError(
                f"{holder[digest]} and {path} are the same counts, and would count their documents twice; "
                "texts that do no more than count alike are told apart by an id"
            )
        if first and (differences := first.differences(counts)):
            raise ValueError(f"{paths[0]} and {path} cannot be merged: {differences}")
        if not shared_ids:
            again = {id: owner.setdefault(id, number) for id in counts.ids if id is not None}
            if doubled := [id for id, at in again.items() if at < number]:
                raise ValueError(
                    f"{paths[again[doubled[0]]]} and {path} both have {_few(doubled)}: documents would count twice; "
                    "if an id stands for a document in several parts, allow it: --shared-ids"
                )
        holder[digest] = path
        first = first or counts
        yield counts


def _sum(parts: Iterable[Counts]) -> Counts:
    """All added up. Sums of 1, 2, 4, ... parts wait for another as large, so that a
    row is copied a few times rather than once for every part."""
    waiting: list[tuple[int, Counts]] = []
    for counts in parts:
        size = 1
        while waiting and waiting[-1][0] == size:
            counts, size = waiting.pop()[1] + counts, 2 * size
        waiting.append((size, counts))
    total = waiting.pop()[1]
    while waiting:
        total = waiting.pop()[1] + total
    return total


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
