"""The layout of a count file: the schema of its header, its arrays, and their conversion to counts.

Reading checks the header against its schema, and the arrays against the header.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import numpy as np
import pydantic
from numpy.typing import NDArray

from ..core.declaration import Metric
from ..core.labels import LabelRules
from ..core.mention_places import ANSWERED, NUMBERS
from ..core.messages import first_repeated, quote
from ..core.spans import LATER_ON_READING, ON_READING
from ..counting.counts import Counts
from ..counting.sums import DIGITS, GOLD_SUMS, NUMBER, Collapsed, Key, Replicates, Slot, Sums, empty_sums, slots
from ..counting.table import Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Format = Literal["spacy-nereval counts 4"]
FORMAT: Format = get_args(Format)[0]

CollapsedFormat = Literal["spacy-nereval counts collapsed 1"]
COLLAPSED: CollapsedFormat = get_args(CollapsedFormat)[0]

FAMILY = "spacy-nereval counts "
"""The prefix of the format names of all versions."""

PARTS = ("counts", "means", "class_means", "documents")
"""The arrays of `Sums`, in the order of its fields."""

SHARDS = "shards"
"""The array with the digests of the shards. It contains bytes; all others contain whole numbers."""

SHARD = DIGITS // 2
"""Number of bytes of the digest of a shard, a file that was counted."""


class MetricHeader(pydantic.BaseModel, extra="forbid", strict=True):
    """A counted metric: its name, version and settings, and the names of its verdicts and columns."""

    name: str
    version: int
    settings: dict[str, Any]
    verdicts: list[str]
    columns: list[str]


class ReplicatesHeader(pydantic.BaseModel, extra="forbid", strict=True):
    """How half-samples were drawn, and the labels of their sums."""

    samples: int = pydantic.Field(ge=1)
    seed: int = pydantic.Field(ge=0)
    labels: list[str]


class LabelsHeader(pydantic.BaseModel, extra="forbid", strict=True):
    """The rules that changed the labels, and the mapped labels that occurred."""

    labels: dict[str, str | None]
    only: list[str] | None
    depth: int | None = pydantic.Field(ge=1)
    sep: str = pydantic.Field(min_length=1)
    trim: str = ""
    join: bool = False
    label_from: list[str] = []
    mapped: list[str]

    @classmethod
    def describe(cls, rules: LabelRules, mapped: Collection[str]) -> LabelsHeader:
        """Return the header of label rules."""
        only = None if rules.only is None else [*rules.only]
        more: dict[str, Any] = {"trim": rules.trim, "join": rules.join, "label_from": [*rules.label_from]}
        return cls(labels=rules.mapping, only=only, depth=rules.depth, sep=rules.sep, mapped=sorted(mapped), **more)

    @property
    def rules(self) -> LabelRules:
        """The rules as `LabelRules`."""
        only = None if self.only is None else tuple(self.only)
        first = tuple(self.labels.items()), only, self.depth, self.sep, self.trim, self.join
        return LabelRules(*first, tuple(self.label_from))


DEFAULTS: dict[str, Any] = {
    "merged": 0,
    **dict.fromkeys(LATER_ON_READING, 0),
    "label_rules": None,
    "unkept": [],
    "mentions": {},
    "located": [],
    "contents": [],
    "gold_places": [],
    "signs": [],
}
"""Defaults of fields that later versions added. A field at its default is not written: older files stay valid."""


class Header(pydantic.BaseModel, extra="forbid", strict=True):
    """The schema of the header.

    Attributes:
        gold_places: A checksum of the gold spans of each document.
        unkept: The number of spans that `only` of the label rules drops, as (side, label, number).
        signs: How sides were read, and spans with odd edges, as (side, sign, number).
        parts: The digests of the count files that were merged into this one.
        contents: Hashes of the files of the corpus.
        origin: The inputs of the counts.
        digest: A hash of everything else.
    """

    format: Format
    version: str
    signature: str
    metrics: list[MetricHeader] = pydantic.Field(min_length=1)
    columns: list[tuple[str, str, str, str, str, str]]
    entries: int = pydantic.Field(ge=0)
    ids: list[str | None]
    units: list[str]
    unit: str
    gold_places: list[Annotated[int, pydantic.Field(ge=0)]] = []
    skipped: int = pydantic.Field(ge=0)
    ignored: int = pydantic.Field(ge=0)
    repaired: int = pydantic.Field(ge=0)
    duplicates: int = pydantic.Field(ge=0)
    rejected: int = pydantic.Field(ge=0)
    merged: int = pydantic.Field(default=0, ge=0)
    trimmed: int = pydantic.Field(default=0, ge=0)
    joined: int = pydantic.Field(default=0, ge=0)
    filled: int = pydantic.Field(default=0, ge=0)
    unnamed: int = pydantic.Field(default=0, ge=0)
    label_rules: LabelsHeader | None = None
    unkept: list[tuple[Literal["gold", "pred"], str, Annotated[int, pydantic.Field(ge=1)]]] = []
    mentions: dict[str, Annotated[int, pydantic.Field(ge=0)]] = {}
    located: list[str] = []
    signs: list[tuple[str, str, Annotated[int, pydantic.Field(ge=1)]]] = []
    sources: list[str]
    spans_key: str | None
    parts: list[str]
    contents: list[Annotated[str, pydantic.Field(pattern="^[0-9a-f]{32}$")]] = []
    replicates: ReplicatesHeader | None
    origin: dict[str, Any] | None
    digest: str = ""

    def json_text(self) -> str:
        """Return the header as JSON."""
        defaults = {name for name, value in self.defaults.items() if getattr(self, name) == value}
        return self.model_dump_json(exclude=defaults)

    @property
    def defaults(self) -> dict[str, Any]:
        """The defaults of optional fields, at which they are not written."""
        return DEFAULTS

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return len(self.ids)

    @pydantic.model_validator(mode="after")
    def _check_consistency(self) -> Header:
        if self.units and len(self.units) != len(self.ids):
            raise ValueError(f"it has {len(self.ids)} ids and {len(self.units)} units")
        if self.gold_places and len(self.gold_places) != len(self.ids):
            raise ValueError(f"it has {len(self.ids)} ids and checksums of {len(self.gold_places)} documents")
        if self.mentions and (
            self.mentions.keys() - {*NUMBERS, *ANSWERED}
            or max(self.mentions.get(name, 0) for name in NUMBERS) > self.mentions.get("listed", 0)
            or self.mentions.get("unreadable", 0) > self.mentions.get("answers", 0)
        ):
            raise ValueError("the numbers of mentions do not fit each other")
        if len({*self.columns}) < len(self.columns):
            raise ValueError("a column occurs twice")
        if (repeated := first_repeated(metric.name for metric in self.metrics)) is not None:
            raise ValueError(f"the metric {quote(repeated)} occurs twice")
        if any(not (metric or gold or pred) for metric, verdict, gold, pred, *_ in self.columns):
            raise ValueError("a column counts spans without a label")
        if self.replicates and "" in self.replicates.labels:
            raise ValueError("a label of the half-samples is empty")
        if self.entries > self.rows * len(self.columns):
            raise ValueError(f"{self.entries} entries do not fit {self.rows} rows")
        if self.replicates and self.replicates.labels != sorted({*self.replicates.labels}):
            raise ValueError("the labels of the half-samples are not sorted, or one occurs twice")
        return self


class CollapsedHeader(Header, extra="forbid", strict=True):
    """The schema of the header of collapsed counts. Their table has a single row. It has no ids, units or parts.

    Attributes:
        labels: The labels of the arrays.
        unit_number: The number of units, if the documents of a unit follow each other.
        shards: The number of files that were counted.
        id_hashes: The digest in the name of the file with the hashes of the ids; empty without such a file.
        pipeline: A digest of the pipeline that predicted, if there was only one.
        gold_sum: The sum of checksums of the documents' units and gold spans, modulo 2^53.
    """

    format: CollapsedFormat  # type: ignore[assignment]  # differs, so that neither header is read as the other
    ids: list[str | None] = pydantic.Field(default=[], max_length=0)
    units: list[str] = pydantic.Field(default=[], max_length=0)
    parts: list[str] = pydantic.Field(default=[], max_length=0)
    labels: list[str]
    unit_number: int = pydantic.Field(ge=0)
    shards: int = pydantic.Field(ge=0)
    id_hashes: str = pydantic.Field(default="", pattern="^([0-9a-f]{32})?$")
    pipeline: str = pydantic.Field(default="", pattern="^([0-9a-f]{32})?$")
    gold_sum: int | None = pydantic.Field(default=None, ge=0, lt=GOLD_SUMS)

    @property
    def defaults(self) -> dict[str, Any]:
        """The defaults of optional fields, at which they are not written."""
        return DEFAULTS | {"ids": [], "units": [], "parts": [], "id_hashes": "", "pipeline": "", "gold_sum": None}

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return 1


def header_of(value: Any) -> Header:
    """Parse the JSON value of a header.

    Raises:
        OtherVersion: The header is of another version of the format.
        pydantic.ValidationError: The header does not fit its schema.
    """
    name = value.get("format") if isinstance(value, dict) else None
    if name not in (FORMAT, COLLAPSED) and isinstance(name, str) and name.startswith(FAMILY):
        supported = COLLAPSED if name.startswith(COLLAPSED.rstrip("0123456789")) else FORMAT
        raise OtherVersion(f"the format {name!r}, and this version reads {supported!r}: count again")
    kind = CollapsedHeader if name == COLLAPSED else Header
    return kind.model_validate_json(json.dumps(value))


class OtherVersion(ValueError):
    """A count file of another version of the format."""


def metric_header(metric: Metric) -> MetricHeader:
    """Return the header of a metric."""
    settings = json.loads(json.dumps(dict(metric.settings)))  # equal to those of a header that was read
    return MetricHeader(
        name=metric.name,
        version=metric.version,
        settings=settings,
        verdicts=[*metric.verdict_names],
        columns=[*metric.columns],
    )


def schema(kind: type[Header] = Header) -> dict[str, Any]:
    """Return the JSON schema of the header, for programs that read count files themselves.

    >>> schema()["title"], "columns" in schema()["required"], "ids" in schema(CollapsedHeader)["required"]
    ('Header', True, False)
    """
    return kind.model_json_schema()


def extra_fields(counts: Counts) -> dict[str, Any]:
    """Return the fields of the header that collapsed counts add or change."""
    assert counts.collapsed
    return {
        "format": COLLAPSED,
        "parts": [],
        "labels": [*counts.collapsed.sums.labels],
        "unit_number": counts.collapsed.units,
        "shards": len(counts.parts),
        "pipeline": counts.collapsed.pipeline,
        "gold_sum": counts.collapsed.gold_sum,
    }


def extra_arrays(counts: Counts) -> dict[str, NDArray[Any]]:
    """Return the additional arrays of collapsed counts. The row of the table already has their counts."""
    assert counts.collapsed
    shards = b"".join(bytes.fromhex(part)[:SHARD] for part in counts.parts)
    return {
        **{f"all/{name}": array for name, array in zip(PARTS[1:], counts.collapsed.sums.arrays[1:])},
        "squares": counts.collapsed.squares,
        SHARDS: np.frombuffer(shards, dtype=np.uint8).reshape(-1, SHARD),
    }


def extra_shapes(header: CollapsedHeader, metrics: Sequence[Metric]) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays of `extra_arrays`."""
    empty = empty_sums(tuple(metrics), tuple(header.labels), False, 1)
    return {
        **{f"all/{name}": array.shape for name, array in zip(PARTS[1:], empty.arrays[1:])},
        "squares": (len(header.labels) + 2,),
        SHARDS: (header.shards, SHARD),
    }


def restore_collapsed(counts: Counts, header: CollapsedHeader, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Turn counts of one row, as read from a file of collapsed counts, into collapsed counts.

    Raises:
        ValueError: The numbers contradict each other.
    """
    table = Table(counts)
    if tuple(header.labels) != table.labels:
        raise ValueError("the labels of the sums are not those of the counts")
    row = table.cells.toarray().reshape(len(table.slots), table.width, 1).astype(np.int64)
    sums = Sums(table.metrics, table.labels, False, row, *(arrays[f"all/{name}"] for name in PARTS[1:]))
    documents = sums.documents[0]
    if min(sums.documents.min(), sums.means[0].min(initial=0), arrays["squares"].min()) < 0:
        raise ValueError("a number of documents or spans is below 0")
    if sums.means[0].max(initial=0) > documents or header.unit_number > documents:
        raise ValueError("there are more averages or units than documents")
    if counts.replicates:
        number_slots = [k for slot, k in table.slots.items() if slot.quantity == NUMBER]
        halves = counts.replicates.sums
        if (halves.documents > documents).any() or any((halves.counts[k] > row[k]).any() for k in number_slots):
            raise ValueError("a half-sample has more than there is")
    counts.collapsed = Collapsed(sums, header.unit_number, arrays["squares"], header.pipeline, header.gold_sum)
    counts.parts = [bytes(shard).hex() for shard in arrays[SHARDS]] or [header.digest[:DIGITS]]


def shapes(header: Header, metrics: Sequence[Metric]) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays that the file must have."""
    result: dict[str, tuple[int, ...]] = {"cells/data": (header.entries,), "cells/indices": (header.entries,)}
    result["cells/indptr"] = (header.rows + 1,)
    if replicates := header.replicates:
        empty = empty_sums(tuple(metrics), tuple(replicates.labels), False, 1)
        result |= {f"replicates/{name}": (*a.shape[:-1], replicates.samples) for name, a in zip(PARTS, empty.arrays)}
    return result | (extra_shapes(header, metrics) if isinstance(header, CollapsedHeader) else {})


def counts_of(metrics: Sequence[Metric], header: Header, arrays: Mapping[str, NDArray[Any]]) -> Counts:
    """Return the counts of a header and its arrays.

    Raises:
        ValueError: The numbers contradict each other.
    """
    from scipy.sparse import csr_array

    counts = Counts(metrics)
    for name in ("unit", "skipped", "sources", "spans_key", *ON_READING):
        setattr(counts, name, getattr(header, name))
    counts.mentions.update(header.mentions)
    counts.located.update(header.located)
    if rules := header.label_rules:
        counts.label_rules, counts.mapped = rules.rules, {*rules.mapped}
    counts.signs.update({(side, sign): number for side, sign, number in header.signs})
    counts.unkept.update({(side, label): number for side, label, number in header.unkept})
    counts.parts, counts.contents = header.parts or [header.digest], [*header.contents]
    data, indices, indptr = (arrays[f"cells/{name}"] for name in ("data", "indices", "indptr"))
    if indptr[0] != 0 or indptr[-1] != header.entries or (np.diff(indptr) < 0).any():
        raise ValueError("the rows do not add up to the entries")  # scipy does not check all of this
    cells = csr_array((data, indices, indptr), (header.rows, len(header.columns)))
    cells.check_format()
    _check_numbers(metrics, header, cells, arrays)
    keys = [Key(*column) for column in header.columns]
    counts.append(header.ids, header.units, cells, keys, header.gold_places)
    if replicates := header.replicates:
        if tuple(replicates.labels) != counts.labels:
            raise ValueError("the labels of the half-samples are not those of the counts")
        sum_arrays = (arrays[f"replicates/{name}"] for name in PARTS)
        sums = Sums(tuple(metrics), tuple(replicates.labels), False, *sum_arrays)
        counts.replicates = Replicates(replicates.samples, replicates.seed, sums)
    if isinstance(header, CollapsedHeader):
        restore_collapsed(counts, header, arrays)
    return counts


def _check_numbers(
    metrics: Sequence[Metric], header: Header, cells: csr_array, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Raise ValueError if a column counts something that no metric counts, or a number is negative."""
    slot_places = slots(metrics)
    keys = [Key(*column) for column in header.columns]
    if unknown := [key for key in keys if Slot(key.metric, key.verdict, key.quantity) not in slot_places]:
        raise ValueError(f"it counts {unknown[0].verdict!r} of {unknown[0].metric!r}, which is not counted here")
    numbers = np.array([key.quantity == NUMBER for key in keys], dtype=bool)
    negative = cells.data[numbers[cells.indices]].min(initial=0) < 0
    if header.replicates:
        number_slots = [k for slot, k in slot_places.items() if slot.quantity == NUMBER]
        negative |= any(
            array.min(initial=0) < 0
            for array in (
                *(arrays["replicates/counts"][k] for k in number_slots),
                arrays["replicates/means"][0],
                arrays["replicates/documents"],
            )
        )
    if negative:
        raise ValueError("a number of verdicts, spans or documents is below 0")
