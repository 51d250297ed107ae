"""Count files: everything that scores, intervals and comparisons need, but no text.

A file is an .npz archive of plain arrays, never pickled: a header in JSON, the table,
and half-samples if they were requested. The header is checked against a schema, and the
shape of every array against the header, before anything is allocated.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..about import __version__
from ..core.declaration import Metric
from ..core.messages import listed
from ..counting.counts import Counts, united
from ..evaluation.collapsing import collapse
from ..evaluation.signature import signature
from ..metrics.registry import create
from .collapsed_files import added_arrays, added_fields
from .count_archive import PARTS, digest_of, read_array, read_header, reading, write_archive
from .count_arrays import counts_of, shapes
from .count_header import (
    FORMAT,
    CollapsedHeader,
    Header,
    LabelsHeader,
    OtherVersion,
    ReplicatesHeader,
    described,
)
from .id_hashes import beside, hashes_of, keep_beside, without_repeats
from .paths import Location

Asked = tuple[int | None, int | None]
"""A number of half-samples and a seed, None where none is asked for."""


def save(counts: Counts, path: Location, *, origin: Mapping[str, Any] | None = None) -> None:
    """Write counts to a file, whole or not at all.

    Args:
        counts: What to write.
        path: An .npz file.
        origin: What they were counted from, in plain JSON.

    Raises:
        OSError: The file cannot be written.

    >>> from pathlib import Path
    >>> from spacy_nereval import Document, count, create
    >>> path = Path(getfixture("tmp_path"), "counts.npz")
    >>> save(count([Document([(0, 3, "A")], [])], [create("strict")]), path)
    >>> load(path).gold
    1
    """
    stored, cells = counts.replicates, counts.cells
    more = [f"half:{stored.samples},seed:{stored.seed}"] if stored else []
    given: dict[str, Any] = dict(
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
        mentions=dict(sorted(counts.mentions.items())) if counts.collapsed else dict(counts.mentions),
        located=sorted(counts.located),
        label_rules=LabelsHeader.of(counts.label_rules, counts.mapped) if counts.label_rules else None,
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
        given |= added_fields(counts)
        if counts.id_hashes:
            given["id_hashes"] = keep_beside(path, counts.id_hashes)
        arrays |= added_arrays(counts)
    write_archive(path, CollapsedHeader(**given) if counts.collapsed else Header(**given), arrays)


def load(path: Location, *, origin: Mapping[str, Any] | None = None) -> Counts:
    """Return the counts that a file holds.

    Args:
        path: A file that `save` wrote.
        origin: If given, what the counts must have been made from.

    Returns:
        The counts, equal to those that were saved.

    Raises:
        ValueError: The file holds no counts, is damaged, has another version, or was
            counted from something else; the message names the file.

    >>> from pathlib import Path
    >>> from spacy_nereval import Document, count, create
    >>> path = Path(getfixture("tmp_path"), "counts.npz")
    >>> save(count([Document([(0, 3, "A")], [])], [create("strict")]), path, origin={"corpus": "a"})
    >>> load(path, origin={"corpus": "a"}).labels
    ('A',)
    """
    counts, header = _loaded(path)
    if origin is not None and header.origin != origin:
        raise ValueError(f"{path} was counted from something else, or in another way")
    return counts


def _loaded(path: Location, earlier: Sequence[Metric] = ()) -> tuple[Counts, Header]:
    """Return the counts in a file, and its header.

    Args:
        path: The file.
        earlier: The metrics of another file. They are often the same, and to make them takes longer than to read.
    """
    if not path.is_file():
        raise ValueError(f"{path} does not exist, or is not a file")
    with reading(path) as archive:
        header = read_header(archive)
        metrics = [*earlier] if header.metrics == [*map(described, earlier)] else _metrics_of(header)
        arrays = {name: read_array(archive, name, shape) for name, shape in shapes(header, metrics).items()}
        if header.digest != digest_of(header, arrays):
            raise ValueError("it was changed after it was written")
        counts = counts_of(metrics, header, arrays)
        if isinstance(header, CollapsedHeader) and header.id_hashes:
            counts.id_hashes = beside(path, header.id_hashes)
    for metric, stored in zip(metrics, header.metrics):
        if stored != described(metric):
            raise ValueError(
                f"{path} was counted by version {stored.version} of {metric.name}, and this is version "
                f"{metric.version}: count again"
            )
    return counts, header


def _metrics_of(header: Header) -> list[Metric]:
    return [create(stored.name, **stored.settings) for stored in header.metrics]


def delete_unused_hashes(hashes: Path) -> None:
    """Delete a file of hashes of ids, unless a count file in its folder belongs to it.

    Counts of several systems on the same documents have the same file of hashes.
    """
    if not any(file.is_file() and _may_have(file, hashes) for file in hashes.parent.iterdir()):
        hashes.unlink(missing_ok=True)


def _may_have(file: Path, hashes: Path) -> bool:
    """Return whether a file holds counts with these hashes, or may hold them, since it cannot be read."""
    if not os.access(file, os.R_OK):
        return True
    try:
        with reading(file) as archive:
            header = read_header(archive)
    except OtherVersion:
        return True
    except ValueError:
        return False
    return isinstance(header, CollapsedHeader) and beside(file, header.id_hashes) == hashes


def merge(
    paths: Sequence[Location],
    *,
    origins: Sequence[Mapping[str, Any]] | None = None,
    shared_ids: bool = False,
    allow_repeats: bool = False,
    collapsed: Asked | None = None,
    check_repeats: bool = False,
    names: Sequence[str] | None = None,
) -> Counts:
    """Return the counts of several files, as if all documents had been counted together.

    Of collapsed counts, one file is in memory at a time, besides the result.

    Args:
        paths: Files that `save` wrote.
        origins: What each was counted from, where that is known.
        shared_ids: Whether texts with the same id in several files are one document.
        allow_repeats: Whether files may hold some of the same counts. These count again.
        collapsed: If given, documents are added up, and this is the number of half-samples to keep, and their seed:
            None in their place for those of the file, or of the first one, or 1,000 and 0. Documents with the same
            id are not looked for then.
        check_repeats: Look for documents with the same id in collapsed counts, by the hashes of ids that are kept
            in files beside them.
        names: What errors on repeated documents call each file; its path, if they are not given.

    Returns:
        The counts; collapsed ones if the files hold those, or `collapsed` is given.

    Raises:
        ValueError: Metrics, settings or versions differ; two files hold, or were merged
            from, the same counts; documents of two files have one id. The message names the
            files and the difference.

    >>> from pathlib import Path
    >>> from spacy_nereval import Document, count, create
    >>> paths = [Path(getfixture("tmp_path"), name) for name in ("a.npz", "b.npz")]
    >>> for path in paths:
    ...     save(count([Document([(0, 3, "A")], [], id=path.stem)], [create("strict")]), path)
    >>> merge(paths).documents
    2
    """
    called = names or paths
    parts = _parts(paths, called, origins, shared_ids or allow_repeats, allow_repeats, collapsed, check_repeats)
    total = [next(parts)]
    hashes = [total[0].id_hashes]
    for part in parts:
        total = [united([*total, part])] if part.collapsed else [*total, part]
        hashes.append(part.id_hashes)
    found = united(total)
    if check_repeats and found.collapsed:
        found.id_hashes = without_repeats(called, hashes, shared_ids or allow_repeats)
    return found


def _parts(
    paths: Sequence[Location],
    called: Sequence[Any],
    origins: Sequence[Mapping[str, Any]] | None,
    shared_ids: bool,
    allow_repeats: bool,
    collapsed: Asked | None,
    check_repeats: bool,
) -> Iterator[Counts]:
    first: Counts | None = None
    holder: dict[str, tuple[Any, list[str]]] = {}  # the file that holds a part, and all its parts
    owner: dict[str, int] = {}  # the number of the file that has a document with this id
    for number, path in enumerate(paths):
        counts, header = _loaded(path, first.metrics if first else ())
        if origins and header.origin != origins[number]:
            raise ValueError(f"{path} was changed by somebody else after it was counted")
        if collapsed and not counts.collapsed:
            hashes = hashes_of(counts.ids) if check_repeats else None
            try:
                counts = collapse(counts, *_drawn(collapsed, counts, first))
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            counts.id_hashes = hashes
        for part in counts.parts:
            if part in holder and not allow_repeats:
                raise ValueError(_repeats(*holder[part], called[number], counts))
        if first and (differences := first.differences(counts)):
            raise ValueError(f"{paths[0]} and {path} cannot be merged: {differences}")
        if not shared_ids:
            again = {id: owner.setdefault(id, number) for id in counts.ids if id is not None}
            if doubled := [id for id, at in again.items() if at < number]:
                raise ValueError(
                    f"{called[again[doubled[0]]]} and {called[number]} both have {listed(doubled)}: documents would "
                    "count twice; if an id stands for one document in several parts, use --shared-ids"
                )
        holder |= dict.fromkeys(counts.parts, (called[number], counts.parts))
        first = first or counts
        yield counts


def _drawn(asked: Asked, counts: Counts, first: Counts | None) -> Asked:
    """Return the half-samples to keep of counts with documents: asked for, their own, or those of the first file."""
    if counts.replicates or not first:
        return asked
    samples, seed = first.replicates.drawn if first.replicates else (0, 0)
    return samples if asked[0] is None else asked[0], seed if asked[1] is None else asked[1]


def _repeats(earlier: Any, parts: Sequence[str], path: Any, counts: Counts) -> str:
    """Return in words that two files have some of the same counts."""
    same = "are the same counts" if parts == counts.parts else "hold some of the same counts"
    remedy = "leave one of them out" if counts.collapsed else "give ids to texts that only have equal counts"
    return (
        f"{earlier} and {path} {same}, and would count their documents twice; {remedy}; "
        "to count documents twice, use --allow-repeats"
    )
