"""Count files: everything that scores, intervals and comparisons need, but no text.

A file is an .npz archive of plain arrays, never pickled: a header in JSON, the table,
and half-samples if they were requested. The header is checked against a schema, and the
shape of every array against the header, before anything is allocated.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zipfile import ZipFile

import numpy as np
import pydantic
from numpy.typing import NDArray

from ..core.about import __version__
from ..core.declaration import Metric
from ..core.expansion import HELD, TooLarge, check_expansion, check_objects
from ..core.messages import LONGEST_REASON, join_names, shorten, spell_argument
from ..core.spans import LATER_ON_READING
from ..counting.counts import Counts, unite_counts
from ..counting.table import machine_memory
from ..evaluation.collapsing import collapse
from ..evaluation.result import signature
from ..metrics.registry import create
from .count_layout import (
    FORMAT,
    PARTS,
    SHARDS,
    CollapsedHeader,
    Header,
    LabelsHeader,
    OtherVersion,
    ReplicatesHeader,
    counts_of,
    extra_arrays,
    extra_fields,
    header_of,
    metric_header,
    shapes,
)
from .id_hashes import hashes_of, hashes_path, keep_hashes, merge_distinct
from .paths import Location
from .writing import SURROGATE, atomic_file

BLOCK = 1 << 20
"""Number of bytes of an array that are read at once."""

HEADER_COPIES = 4
"""Memory that reading the header takes, in multiples of its size: bytes, text and Python objects."""

SamplesAndSeed = tuple[int | None, int | None]
"""A number of half-samples and a seed; None means that of the file, or the default."""


def save(counts: Counts, path: Location, *, origin: Mapping[str, Any] | None = None) -> None:
    """Write counts to a file atomically.

    Args:
        counts: The counts to write.
        path: An .npz file.
        origin: The inputs of the counts, in plain JSON.

    Raises:
        OSError: The file cannot be written.

    >>> from pathlib import Path
    >>> from spacy_nereval import Document, count, create
    >>> path = Path(getfixture("tmp_path"), "counts.npz")
    >>> save(count([Document([(0, 3, "A")], [])], [create("strict")]), path)
    >>> load(path).gold
    1
    """
    hashes = keep_hashes(path, counts.id_hashes) if counts.id_hashes else None
    write_archive(path, *_archive(counts, origin, hashes))


def archive_bytes(counts: Counts) -> bytes:
    """Return the content of the file that `save` would write, without the hashes of ids, which are a separate file.

    >>> from spacy_nereval import Document, count, create
    >>> merge([InMemory("a", archive_bytes(count([Document([(0, 3, "A")], [])], [create("strict")])))]).gold
    1
    """
    file = BytesIO()
    _write_archive(file, "the counts", *_archive(counts))
    return file.getvalue()


class InMemory(NamedTuple):
    """The content of a count file, to be used instead of a path.

    Attributes:
        name: The name in errors.
        content: The value of `archive_bytes`.
    """

    name: str
    content: bytes

    def is_file(self) -> bool:
        """Return True, as for a file that exists."""
        return True

    def open(self, _: str) -> BytesIO:
        """Return the content as an open file."""
        return BytesIO(self.content)

    def __str__(self) -> str:
        return self.name


def _archive(
    counts: Counts, origin: Mapping[str, Any] | None = None, id_hashes: str | None = None
) -> tuple[Header, dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a count file."""
    stored, cells = counts.replicates, counts.cells
    notes = [f"half:{stored.samples},seed:{stored.seed}"] if stored else []
    fields: dict[str, Any] = dict(
        format=FORMAT,
        version=__version__,
        signature=signature(counts, *notes),
        metrics=[metric_header(metric) for metric in counts.metrics],
        columns=[(*key,) for key in counts.keys],
        entries=len(cells.data),
        ids=counts.ids,
        units=counts.units,
        unit=counts.unit,
        gold_places=counts.gold_places if counts.knows_gold else [],
        skipped=counts.skipped,
        ignored=counts.ignored,
        repaired=counts.repaired,
        duplicates=counts.duplicates,
        rejected=counts.rejected,
        merged=counts.merged,
        **{name: getattr(counts, name) for name in LATER_ON_READING},
        mentions=dict(sorted(counts.mentions.items())) if counts.collapsed else dict(counts.mentions),
        located=sorted(counts.located),
        label_rules=LabelsHeader.describe(counts.label_rules, counts.mapped) if counts.label_rules else None,
        unkept=[(*key, number) for key, number in sorted(counts.unkept.items())],
        signs=[(*key, number) for key, number in sorted((+counts.signs).items())],
        sources=counts.sources,
        spans_key=counts.spans_key,
        parts=counts.parts,
        contents=counts.contents,
        replicates=stored and ReplicatesHeader(samples=stored.samples, seed=stored.seed, labels=[*stored.sums.labels]),
        origin=None if origin is None else dict(origin),
    )
    arrays = {"cells/data": cells.data, "cells/indices": cells.indices, "cells/indptr": cells.indptr}
    if stored:
        arrays |= {f"replicates/{name}": array for name, array in zip(PARTS, stored.sums.arrays)}
    if counts.collapsed:
        fields |= extra_fields(counts) | ({"id_hashes": id_hashes} if id_hashes else {})
        arrays |= extra_arrays(counts)
    return CollapsedHeader(**fields) if counts.collapsed else Header(**fields), arrays


def load(path: Location, *, origin: Mapping[str, Any] | None = None) -> Counts:
    """Read counts from a file.

    Args:
        path: A file that `save` wrote.
        origin: The required inputs of the counts; None for any.

    Returns:
        The counts, equal to those that were saved.

    Raises:
        ValueError: The file contains no counts, is damaged, has another version, or was
            counted from something else; the message names the file.

    >>> from pathlib import Path
    >>> from spacy_nereval import Document, count, create
    >>> path = Path(getfixture("tmp_path"), "counts.npz")
    >>> save(count([Document([(0, 3, "A")], [])], [create("strict")]), path, origin={"corpus": "a"})
    >>> load(path, origin={"corpus": "a"}).labels
    ('A',)
    """
    counts, header = _load_with_header(path)
    if origin is not None and header.origin != origin:
        raise ValueError(f"{path} was counted from something else, or in another way")
    return counts


def _load_with_header(path: Location, earlier: Sequence[Metric] = ()) -> tuple[Counts, Header]:
    """Return the counts in a file, and its header.

    Args:
        path: The file.
        earlier: The metrics of another file. They are reused if they are the same, since creating metrics takes
            longer than reading.
    """
    if not path.is_file():
        raise ValueError(f"{path} does not exist or is not a file")
    with open_archive(path) as archive:
        header = read_header(archive)
        metrics = [*earlier] if header.metrics == [*map(metric_header, earlier)] else _metrics_of(header)
        arrays = {name: read_array(archive, name, shape) for name, shape in shapes(header, metrics).items()}
        if header.digest != digest_of(header, arrays):
            raise ValueError("it was changed after it was written")
        counts = counts_of(metrics, header, arrays)
        if isinstance(header, CollapsedHeader) and header.id_hashes:
            counts.id_hashes = hashes_path(path, header.id_hashes)
    for metric, stored in zip(metrics, header.metrics):
        if stored != metric_header(metric):
            raise ValueError(
                f"{path} was counted by version {stored.version} of {metric.name}, and this is version "
                f"{metric.version}: count again"
            )
    return counts, header


def _metrics_of(header: Header) -> list[Metric]:
    return [create(stored.name, **stored.settings) for stored in header.metrics]


def delete_unused_hashes(hashes: Path) -> None:
    """Delete a file of hashes of ids, unless a count file in its folder uses it.

    Counts of several systems on the same documents share one file of hashes.
    """
    if not any(file.is_file() and _may_use(file, hashes) for file in hashes.parent.iterdir()):
        hashes.unlink(missing_ok=True)


def _may_use(file: Path, hashes: Path) -> bool:
    """Return whether a count file uses these hashes, or cannot be read, so that it may use them."""
    if not os.access(file, os.R_OK):
        return True
    try:
        with open_archive(file) as archive:
            header = read_header(archive)
    except OtherVersion:
        return True
    except ValueError:
        return False
    return isinstance(header, CollapsedHeader) and hashes_path(file, header.id_hashes) == hashes


def merge(
    paths: Sequence[Location],
    *,
    origins: Sequence[Mapping[str, Any]] | None = None,
    shared_ids: bool = False,
    allow_repeats: bool = False,
    collapsed: SamplesAndSeed | None = None,
    check_repeats: bool = False,
    names: Sequence[str] | None = None,
) -> Counts:
    """Return the counts of several files, as if all documents had been counted together.

    If the counts are collapsed, only the result and one file are in memory at a time.

    Args:
        paths: Files that `save` wrote.
        origins: The required inputs of each file; None for any.
        shared_ids: Whether texts with the same id in several files are one document.
        allow_repeats: Whether files may have some of the same counts. These then count twice.
        collapsed: Collapse the counts, and keep this number of half-samples, drawn with this seed. None means
            the value of the file, else of the first file, else 1,000 and 0. Documents with the same id are then
            not detected.
        check_repeats: Detect documents with the same id in collapsed counts, by the hashes of ids in separate files.
        names: The name of each file in errors on repeated documents; by default its path.

    Returns:
        The counts; collapsed if those of the files are, or `collapsed` is given.

    Raises:
        ValueError: Metrics, settings or versions differ; two files contain, or were merged
            from, the same counts; documents of two files have the same id. The message names
            the files and the difference.

    >>> from pathlib import Path
    >>> from spacy_nereval import Document, count, create
    >>> paths = [Path(getfixture("tmp_path"), name) for name in ("a.npz", "b.npz")]
    >>> for path in paths:
    ...     save(count([Document([(0, 3, "A")], [], id=path.stem)], [create("strict")]), path)
    >>> merge(paths).documents
    2
    """
    shown_names = names or paths
    parts = _parts(paths, shown_names, origins, shared_ids or allow_repeats, allow_repeats, collapsed, check_repeats)
    total = [next(parts)]
    hashes = [total[0].id_hashes]
    for part in parts:
        total = [unite_counts([*total, part])] if part.collapsed else [*total, part]
        hashes.append(part.id_hashes)
    merged = unite_counts(total)
    if check_repeats and merged.collapsed:
        merged.id_hashes = merge_distinct(shown_names, hashes, shared_ids or allow_repeats)
    return merged


def _parts(
    paths: Sequence[Location],
    names: Sequence[Any],
    origins: Sequence[Mapping[str, Any]] | None,
    shared_ids: bool,
    allow_repeats: bool,
    collapsed: SamplesAndSeed | None,
    check_repeats: bool,
) -> Iterator[Counts]:
    """Yield the counts of each file, checked against those of the files before it; arguments as for `merge`."""
    first: Counts | None = None
    file_of_part: dict[str, tuple[Any, list[str]]] = {}  # the name of the file with a part, and all parts of that file
    file_of_id: dict[str, int] = {}  # the number of the first file with a document of this id
    for number, path in enumerate(paths):
        counts, header = _load_with_header(path, first.metrics if first else ())
        if origins and header.origin != origins[number]:
            raise ValueError(f"{path} was changed by somebody else after it was counted")
        if collapsed and not counts.collapsed:
            hashes = hashes_of(counts.ids) if check_repeats else None
            try:
                counts = collapse(counts, *_replicates_to_keep(collapsed, counts, first))
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            counts.id_hashes = hashes
        for part in counts.parts:
            if part in file_of_part and not allow_repeats:
                raise ValueError(_repeats_message(*file_of_part[part], names[number], counts))
        if first and (differences := first.differences(counts)):
            raise ValueError(f"{paths[0]} and {path} cannot be merged: {differences}")
        if not shared_ids:
            files = {id: file_of_id.setdefault(id, number) for id in counts.ids if id is not None}
            if repeated := [id for id, file in files.items() if file < number]:
                raise ValueError(
                    f"{names[files[repeated[0]]]} and {names[number]} both have {join_names(repeated)}: documents "
                    "would count twice; if the parts of one document share its id, use "
                    f"{spell_argument('shared_ids', True)}"
                )
        file_of_part |= dict.fromkeys(counts.parts, (names[number], counts.parts))
        first = first or counts
        yield counts


def _replicates_to_keep(requested: SamplesAndSeed, counts: Counts, first: Counts | None) -> SamplesAndSeed:
    """Return how many half-samples of counts to keep, and their seed; see `collapsed` of `merge`."""
    if counts.replicates or not first:
        return requested
    samples, seed = first.replicates.settings if first.replicates else (0, 0)
    return samples if requested[0] is None else requested[0], seed if requested[1] is None else requested[1]


def _repeats_message(earlier: Any, parts: Sequence[str], path: Any, counts: Counts) -> str:
    """Return the message that two files have some of the same counts."""
    same = "are the same counts" if parts == counts.parts else "share some counts"
    remedy = "remove one of them" if counts.collapsed else "give ids to texts that only have equal counts"
    return (
        f"{earlier} and {path} {same}, and would count their documents twice; {remedy}; "
        f"to count documents twice, use {spell_argument('allow_repeats', True)}"
    )


def write_archive(path: Location, header: Header, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a header and arrays to a file atomically."""
    with atomic_file(path) as file:
        _write_archive(file, path, header, arrays)


def _write_archive(file: BinaryIO, path: Location, header: Header, arrays: Mapping[str, NDArray[Any]]) -> None:
    _check_characters(path, header)
    header.digest = digest_of(header, arrays)
    encoded = np.frombuffer(header.json_text().encode("utf8"), dtype=np.uint8)
    stored: dict[str, Any] = {**arrays, "header": encoded}
    np.savez_compressed(file, **stored)


@contextmanager
def open_archive(path: Location) -> Iterator[ZipFile]:
    """Open a count file; errors that the block raises name the file.

    Raises:
        OtherVersion: The file has another version.
        ValueError: The block raised any other error.
    """
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            _check_size(path, archive, file.seek(0, os.SEEK_END))
            yield archive
    except TooLarge:
        raise
    except OtherVersion as error:
        raise OtherVersion(f"{path} has {error}") from None
    except Exception as error:  # zipfile, numpy and json raise many kinds on foreign or damaged bytes
        raise ValueError(f"{path} is not a count file, or is damaged ({reason(error)})") from None


def _check_characters(path: Location, header: Header) -> None:
    """Raise ValueError if an id, a unit or a label has a lone surrogate, which the JSON of the header cannot store."""
    texts = [
        *((f"the id of document {number}", id) for number, id in enumerate(header.ids)),
        *(("a unit", unit) for unit in header.units),
        *(("a label", label) for column in header.columns for label in column),
    ]
    for place, text in texts:
        if text and SURROGATE.search(text):
            raise ValueError(
                f"{path}: {place} of {', '.join(header.sources) or 'the documents'} is {shorten(repr(text))}: a lone "
                "surrogate is no character, and a count file cannot store it"
            )


def _check_size(path: Location, archive: ZipFile, size: int) -> None:
    """Raise ValueError if an unpacked archive needs more memory than the machine has, or than its size allows."""
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    check_expansion(path, sum(sizes.values()), size, HELD)
    check_expansion(path, sizes.get("header.npy", 0), size)
    need = sum(sizes.values()) + (HEADER_COPIES - 1) * sizes.get("header.npy", 0)
    available = machine_memory()
    if need > available:
        raise ValueError(
            f"unpacked it takes {need / 2**30:,.1f} GiB of memory, and there are {available / 2**30:,.1f} GiB"
        )


def read_header(archive: ZipFile) -> Header:
    """Return the header of a file. Raise ValueError if there is none, or it has another version."""
    content = _read_checked(archive, "header", lambda shape, dtype: len(shape) == 1 and dtype == np.uint8)
    text = content.tobytes().decode()
    check_objects(archive.filename or "the counts", text, archive.start_dir)  # the content before the list of members
    try:
        return header_of(json.loads(text))
    except RecursionError:
        raise ValueError("the header is nested too deeply") from None


def read_array(archive: ZipFile, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an array, of whole numbers or of bytes, by its name. Raise ValueError if it has another shape."""
    types = (np.dtype(np.uint8),) if name == SHARDS else (np.dtype(np.int32), np.dtype(np.int64))
    return _read_checked(archive, name, lambda actual_shape, dtype: actual_shape == shape and dtype in types)


def _read_checked(archive: ZipFile, name: str, fits: Callable[[tuple[int, ...], np.dtype[Any]], bool]) -> NDArray[Any]:
    """Return an array after checking its shape, type and size.

    Raises:
        ValueError: The shape or type does not fit, before memory is allocated; or the number of bytes differs.
    """
    member_name = f"{name}.npy"
    with archive.open(member_name) as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, dtype = read(member)
        size = prod(shape) * dtype.itemsize
        if not fits(shape, dtype) or size > archive.getinfo(member_name).file_size:
            raise ValueError(
                f"{name} is not the array that the header describes: its type is {dtype}, its shape {shape}"
            )
        content = bytearray(size)
        view, place = memoryview(content), 0
        # The stubs of zipfile promise IO[bytes], which lacks `readinto`; an open member has it.
        while number := member.readinto(view[place : place + BLOCK]):  # type: ignore[attr-defined]
            place += number
        more = member.read(1)  # zipfile compares the checksum at the end of the member
    if more or place < size:
        raise ValueError(f"{name} has {'more' if more else 'fewer'} bytes than its header describes")
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if by_columns else "C")


def digest_of(header: Header, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of the whole content, which detects a damaged file."""
    digest = sha256(header.model_copy(update={"digest": ""}).json_text().encode("utf8"))
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def reason(error: BaseException) -> str:
    """Describe on one line the error of reading a damaged file."""
    if isinstance(error, pydantic.ValidationError):
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        return f"header{place and f' {place}'}: {shorten(first['msg'].removeprefix('Value error, '), LONGEST_REASON)}"
    if "pickle" in str(error):  # numpy advises to unpickle files that it cannot read
        return "not an .npz archive of plain arrays"
    return f"{type(error).__name__}: {shorten(' '.join(str(error).split()), LONGEST_REASON)}"
