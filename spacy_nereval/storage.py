"""Counts as files: everything that scores, intervals and comparisons need, and no text.

An .npz archive of plain arrays, never pickled: a header in JSON, and the rows
of every metric.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from .about import __version__
from .counts import Counts, Replicates, Rows
from .metric import create
from .writing import atomic

FORMAT = "spacy-nereval counts 1"


def save(counts: Counts, path: Path) -> None:
    """Write counts to a file, whole or not at all."""
    stored = counts.replicates
    header = {
        "format": FORMAT,
        "version": __version__,
        "metrics": [{"name": m.name, "version": m.version, "settings": dict(m.settings)} for m in counts.metrics],
        "labels": list(counts.label_ids),
        "documents": counts.documents,
        "ids": counts.ids,
        "skipped": counts.skipped,
        "ignored": counts.ignored,
        "source": counts.source,
        "replicates": stored and {"samples": stored.samples, "seed": stored.seed, "labels": list(stored.labels)},
    }
    arrays: dict[str, Any] = {"header": np.frombuffer(json.dumps(header).encode("utf8"), dtype=np.uint8)}
    for name, rows in zip(("settled", *(m.name for m in counts.metrics)), (counts.settled, *counts.rows)):
        table = rows.array()
        arrays[f"rows/{name}"] = table[:, :4].astype(np.int32)
        arrays[f"amounts/{name}"] = table[:, 4]
    for metric, tape in stored.tapes.items() if stored else ():
        arrays |= {f"replicates/{metric}/{name}": values for name, values in tape.items()}
    with atomic(path) as file:
        np.savez_compressed(file, **arrays)


def load(path: Path) -> Counts:
    """Read counts from a file. Raises ValueError if it has none, or if they are damaged."""
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is no file")
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}, this version reads {FORMAT!r}")
        return _counts(header, arrays)
    except (KeyError, TypeError, AttributeError, OSError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path} does not hold counts, or is damaged ({type(error).__name__}: {error})") from None
    except ValueError as error:
        # numpy's advice on files that it cannot read is to unpickle them, which is none.
        reason = "it is no .npz archive of plain arrays" if "pickle" in str(error) else error
        raise ValueError(f"{path} does not hold counts that can be used: {reason}") from None


def _counts(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Counts:
    metrics = []
    for stored in header["metrics"]:
        metric = create(stored["name"], **stored["settings"])
        if metric.version != stored["version"]:
            raise ValueError(
                f"it was counted by version {stored['version']} of {metric.name}, this is version "
                f"{metric.version}; count again"
            )
        metrics.append(metric)
    counts = Counts(metrics)
    for name in ("documents", "ids", "skipped", "ignored", "source"):
        setattr(counts, name, header[name])
    counts.label_ids = {label: k for k, label in enumerate(header["labels"])}
    for name, rows in zip(("settled", *(m.name for m in metrics)), (counts.settled, *counts.rows)):
        _fill(rows, name, arrays, counts)
    if header["replicates"]:
        tapes: dict[str, dict[str, np.ndarray]] = {metric.name: {} for metric in metrics}
        for name, values in arrays.items():
            if name.startswith("replicates/"):
                _, metric_name, place = name.split("/", 2)
                tapes[metric_name][place] = values
        drawn = header["replicates"]
        counts.replicates = Replicates(drawn["samples"], drawn["seed"], tuple(drawn["labels"]), tapes)
    return counts


def _fill(rows: Rows, name: str, arrays: dict[str, np.ndarray], counts: Counts) -> None:
    try:
        places, amounts = arrays[f"rows/{name}"], arrays[f"amounts/{name}"]
    except KeyError:
        raise ValueError(f"it is damaged, the counts of each document are missing for {name}") from None
    limits = (counts.documents, 64, len(counts.label_ids), len(counts.label_ids))
    if places.shape != (len(amounts), 4) or len(counts.ids) != counts.documents:
        raise ValueError(f"it is damaged, the counts of {name} do not fit together")
    if len(places) and ((places < -1).any() or (places.max(axis=0) >= limits).any()):
        raise ValueError(f"it is damaged, the counts of {name} name documents or labels that there are not")
    rows.extend(np.column_stack([places, amounts]).astype(np.float64))


def merge(paths: Sequence[Path]) -> Counts:
    """The counts of several files, as if all documents had been counted together.

    Raises ValueError, naming the files and the difference, if their metrics,
    settings or versions differ.
    """
    first, *others = paths
    total = load(first)
    for path in others:
        counts = load(path)
        if differences := total.differences(counts):
            raise ValueError(f"{first} and {path} cannot be merged: {differences}")
        total = total + counts
    return total
