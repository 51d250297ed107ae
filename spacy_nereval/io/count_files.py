"""Count files: everything that scores, intervals and comparisons need, but no text.

A file is an .npz archive of plain arrays, never pickled: a header in JSON, the table,
and half-samples if they were requested. The header is checked against a schema, and the
shape of every array against the header, before anything is allocated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from math import prod
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import numpy as np
import pydantic
from numpy.typing import NDArray

from ..about import __version__
from ..core.declaration import Metric
from ..core.messages import listed, shortened
from ..core.spans import ON_READING
from ..counting.collapsed import Replicates
from ..counting.counts import Counts, united
from ..counting.keys import NUMBER, Key, Slot, slots
from ..counting.sums import Sums, empty_sums
from ..evaluation.signature import signature
from ..metrics.registry import create
from .count_header import FORMAT, Header, LabelsHeader, ReplicatesHeader, described
from .paths import Location
from .writing import atomic

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_OF_REASON = 300
"""So many characters are shown of what a parser says of a damaged file, which may quote all of it."""

PARTS = ("counts", "means", "class_means", "documents")
"""The arrays of `Sums`, in the order of its fields."""


def save(counts: Counts, path: Location, *, origin: Mapping[str, Any] | None = None) -> None:
    """Write counts to a file, whole or not at all.

    Args:
        counts: What to write.
        path: An .npz file.
        origin: What they were counted from, in plain JSON.
    """
    stored, cells = counts.replicates, counts.cells
    more = [f"half:{stored.samples},seed:{stored.seed}"] if stored else []
    header = Header(
        format=FORMAT,
        version=__version__,
        signature=signature(counts, *more),
        metrics=[described(metric) for metric in counts.metrics],
        columns=[(*key,) for key in counts.keys],
        entries=len(cells.data),
        ids=counts.ids,
        units=counts.units,
        unit=counts.unit,
        skipped=counts.skipped,
        ignored=counts.ignored,
        repaired=counts.repaired,
        duplicates=counts.duplicates,
        rejected=counts.rejected,
        merged=counts.merged,
        mentions=dict(counts.mentions),
        located=sorted(counts.located),
        label_rules=LabelsHeader.of(counts.label_rules, counts.mapped) if counts.label_rules else None,
        sources=counts.sources,
        spans_key=counts.spans_key,
        parts=counts.parts,
        replicates=stored and ReplicatesHeader(samples=stored.samples, seed=stored.seed, labels=[*stored.sums.labels]),
        origin=None if origin is None else dict(origin),
    )
    arrays = {"cells/data": cells.data, "cells/indices": cells.indices, "cells/indptr": cells.indptr}
    if stored:
        arrays |= {f"replicates/{name}": array for name, array in zip(PARTS, stored.sums.arrays)}
    header.digest = _digest(header, arrays)
    arrays["header"] = np.frombuffer(header.as_json().encode("utf8"), dtype=np.uint8)
    with atomic(path) as file:
        np.savez_compressed(file, **arrays)


def load(path: Location, *, origin: Mapping[str, Any] | None = None) -> Counts:
    """Read counts from a file.

    Args:
        path: A file that `save` wrote.
        origin: If given, what the counts must have been made from.

    Raises:
        ValueError: The file holds no counts, is damaged, has another version, or was
            counted from something else; the message names the file.
    """
    counts, header = _loaded(path)
    if origin is not None and header.origin != origin:
        raise ValueError(f"{path} was counted from something else, or in another way")
    return counts


class _OtherVersion(ValueError):
    """A count file of another version of the format."""


def _loaded(path: Location) -> tuple[Counts, Header]:
    """Return the counts in a file, and its header."""
    if not path.is_file():
        raise ValueError(f"{path} does not exist, or is not a file")
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            header = _header(archive)
            metrics = [create(stored.name, **stored.settings) for stored in header.metrics]
            arrays = {name: _array(archive, name, shape) for name, shape in _shapes(header, metrics).items()}
        if header.digest != _digest(header, arrays):
            raise ValueError("it was changed after it was written")
        counts = _counts(metrics, header, arrays)
    except _OtherVersion as error:
        raise ValueError(f"{path} has {error}") from None
    except Exception as error:  # parsers of foreign bytes raise anything
        raise ValueError(f"{path} does not hold counts, or is damaged ({_reason(error)})") from None
    for metric, stored in zip(metrics, header.metrics):
        if stored != described(metric):
            raise ValueError(
                f"{path} was counted by version {stored.version} of {metric.name}, and this is version "
                f"{metric.version}: count again"
            )
    return counts, header


def _header(archive: ZipFile) -> Header:
    found = json.loads(_checked(archive, "header", lambda shape, kind: len(shape) == 1 and kind == np.uint8).tobytes())
    name = found.get("format") if isinstance(found, dict) else None
    if name != FORMAT and isinstance(name, str) and name.startswith(FORMAT.rstrip("0123456789")):
        raise _OtherVersion(f"the format {name!r}, and this version reads {FORMAT!r}: count again")
    return Header.model_validate_json(json.dumps(found))


def _shapes(header: Header, metrics: Sequence[Metric]) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays that the file must have."""
    found: dict[str, tuple[int, ...]] = {"cells/data": (header.entries,), "cells/indices": (header.entries,)}
    found["cells/indptr"] = (len(header.ids) + 1,)
    if drawn := header.replicates:
        one = empty_sums(tuple(metrics), tuple(drawn.labels), False, 1)
        found |= {f"replicates/{name}": (*a.shape[:-1], drawn.samples) for name, a in zip(PARTS, one.arrays)}
    return found


def _array(archive: ZipFile, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Read whole numbers of a known shape."""
    wanted = np.dtype(np.int32), np.dtype(np.int64)
    return _checked(archive, name, lambda given, kind: given == shape and kind in wanted)


def _checked(archive: ZipFile, name: str, fits: Callable[[tuple[int, ...], np.dtype[Any]], bool]) -> NDArray[Any]:
    """Read an array. Raise ValueError before anything is allocated if its shape and type do not
    fit, or if there are fewer bytes than it takes."""
    member_name = f"{name}.npy"
    with archive.open(member_name) as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(member)
    if not fits(shape, kind) or prod(shape) * kind.itemsize > archive.getinfo(member_name).file_size:
        raise ValueError(f"{name} is not the array that the header describes: its type is {kind}, its shape {shape}")
    with archive.open(member_name) as member:
        found: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
    return found


def _counts(metrics: Sequence[Metric], header: Header, arrays: Mapping[str, NDArray[Any]]) -> Counts:
    from scipy.sparse import csr_array

    counts = Counts(metrics)
    for name in ("unit", "skipped", "sources", "spans_key", *ON_READING):
        setattr(counts, name, getattr(header, name))
    counts.mentions.update(header.mentions)
    counts.located.update(header.located)
    if rules := header.label_rules:
        counts.label_rules, counts.mapped = rules.rules, {*rules.mapped}
    counts.parts = header.parts or [header.digest]
    data, indices, indptr = (arrays[f"cells/{name}"] for name in ("data", "indices", "indptr"))
    if indptr[0] != 0 or indptr[-1] != header.entries or (np.diff(indptr) < 0).any():
        raise ValueError("the rows do not add up to the entries")  # scipy does not check all of this
    cells = csr_array((data, indices, indptr), (len(header.ids), len(header.columns)))
    cells.check_format()
    _check_numbers(metrics, header, cells, arrays)
    counts.append(header.ids, header.units, cells, [Key(*column) for column in header.columns])
    if drawn := header.replicates:
        if tuple(drawn.labels) != counts.labels:
            raise ValueError("the labels of the half-samples are not those of the counts")
        stored = (arrays[f"replicates/{name}"] for name in PARTS)
        sums = Sums(tuple(metrics), tuple(drawn.labels), False, *stored)
        counts.replicates = Replicates(drawn.samples, drawn.seed, sums)
    return counts


def _check_numbers(
    metrics: Sequence[Metric], header: Header, cells: csr_array, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Raise ValueError if a column counts something that no metric counts, or a number is negative."""
    place = slots(metrics)
    keys = [Key(*column) for column in header.columns]
    if unknown := [key for key in keys if Slot(key.metric, key.verdict, key.quantity) not in place]:
        raise ValueError(f"it counts {unknown[0].verdict!r} of {unknown[0].metric!r}, which is not counted here")
    numbers = np.array([key.quantity == NUMBER for key in keys], dtype=bool)
    negative = cells.data[numbers[cells.indices]].min(initial=0) < 0
    if header.replicates:
        whole = [k for slot, k in place.items() if slot.quantity == NUMBER]
        negative |= any(
            array.min(initial=0) < 0
            for array in (
                arrays["replicates/counts"][whole],
                arrays["replicates/means"][0],
                arrays["replicates/documents"],
            )
        )
    if negative:
        raise ValueError("a number of verdicts, spans or documents is below 0")


def _digest(header: Header, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of the whole content, by which a damaged file is detected."""
    digest = sha256(header.model_copy(update={"digest": ""}).as_json().encode("utf8"))
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _reason(error: BaseException) -> str:
    if isinstance(error, pydantic.ValidationError):
        first = error.errors(include_url=False)[0]
        return f"header {'.'.join(map(str, first['loc']))}: {first['msg']}"
    if "pickle" in str(error):  # numpy advises to unpickle files that it cannot read
        return "not an .npz archive of plain arrays"
    return f"{type(error).__name__}: {shortened(' '.join(str(error).split()), MOST_OF_REASON)}"


def merge(
    paths: Sequence[Location],
    *,
    origins: Sequence[Mapping[str, Any]] | None = None,
    shared_ids: bool = False,
    allow_repeats: bool = False,
) -> Counts:
    """Return the counts of several files, as if all documents had been counted together.

    Args:
        paths: Files that `save` wrote.
        origins: What each was counted from, where that is known.
        shared_ids: Whether texts with the same id in several files are one document.
        allow_repeats: Whether files may hold some of the same counts. These count again.

    Raises:
        ValueError: Metrics, settings or versions differ; two files hold, or were merged
            from, the same counts; documents of two files have one id. The message names the
            files and the difference.
    """
    return united([*_parts(paths, origins, shared_ids or allow_repeats, allow_repeats)])


def _parts(
    paths: Sequence[Location], origins: Sequence[Mapping[str, Any]] | None, shared_ids: bool, allow_repeats: bool
) -> Iterator[Counts]:
    first: Counts | None = None
    holder: dict[str, tuple[Location, list[str]]] = {}  # the file that holds a part, and all its parts
    owner: dict[str, int] = {}  # the number of the file that has a document with this id
    for number, path in enumerate(paths):
        counts, header = _loaded(path)
        if origins and header.origin != origins[number]:
            raise ValueError(f"{path} was changed by somebody else after it was counted")
        for part in counts.parts:
            if part in holder and not allow_repeats:
                earlier, parts = holder[part]
                same = "are the same counts" if parts == counts.parts else "hold some of the same counts"
                raise ValueError(
                    f"{earlier} and {path} {same}, and would count their documents twice; "
                    "give ids to texts that only have equal counts; to count documents twice, use --allow-repeats"
                )
        if first and (differences := first.differences(counts)):
            raise ValueError(f"{paths[0]} and {path} cannot be merged: {differences}")
        if not shared_ids:
            again = {id: owner.setdefault(id, number) for id in counts.ids if id is not None}
            if doubled := [id for id, at in again.items() if at < number]:
                raise ValueError(
                    f"{paths[again[doubled[0]]]} and {path} both have {listed(doubled)}: documents would count twice; "
                    "if an id stands for one document in several parts, use --shared-ids"
                )
        holder |= dict.fromkeys(counts.parts, (path, counts.parts))
        first = first or counts
        yield counts
