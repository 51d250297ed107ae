"""The header of a count file: what its numbers mean, and how that is checked."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Annotated, Any, Literal, get_args

import pydantic

from ..core.declaration import Metric
from ..core.labels import LabelRules
from ..core.mentions import NUMBERS

Format = Literal["spacy-nereval counts 4"]
FORMAT: Format = get_args(Format)[0]

CollapsedFormat = Literal["spacy-nereval counts collapsed 1"]
COLLAPSED: CollapsedFormat = get_args(CollapsedFormat)[0]

FAMILY = "spacy-nereval counts "
"""How the formats of all versions begin."""


class MetricHeader(pydantic.BaseModel, extra="forbid", strict=True):
    """What the numbers of a metric mean."""

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
    """The rules by which labels were changed, and which of the labels to map occurred."""

    labels: dict[str, str | None]
    only: list[str] | None
    depth: int | None = pydantic.Field(ge=1)
    sep: str = pydantic.Field(min_length=1)
    mapped: list[str]

    @classmethod
    def of(cls, rules: LabelRules, mapped: Collection[str]) -> LabelsHeader:
        """Return the description of rules."""
        only = None if rules.only is None else [*rules.only]
        return cls(labels=rules.mapping, only=only, depth=rules.depth, sep=rules.sep, mapped=sorted(mapped))

    @property
    def rules(self) -> LabelRules:
        """The rules themselves."""
        only = None if self.only is None else tuple(self.only)
        return LabelRules(tuple(self.labels.items()), only, self.depth, self.sep)


LATER: dict[str, Any] = {"merged": 0, "label_rules": None, "mentions": {}, "located": [], "contents": []}
"""Fields that are left out of a file where they have these values, so that files without them stay valid."""


class Header(pydantic.BaseModel, extra="forbid", strict=True):
    """The schema of the header.

    `digest` is a hash of everything else; `parts` are the digests of the files that were merged into this one;
    `contents` are hashes of the files of the corpus; `origin` says what the counts were made from.
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
    skipped: int = pydantic.Field(ge=0)
    ignored: int = pydantic.Field(ge=0)
    repaired: int = pydantic.Field(ge=0)
    duplicates: int = pydantic.Field(ge=0)
    rejected: int = pydantic.Field(ge=0)
    merged: int = pydantic.Field(default=0, ge=0)
    label_rules: LabelsHeader | None = None
    mentions: dict[str, Annotated[int, pydantic.Field(ge=0)]] = {}
    located: list[str] = []
    sources: list[str]
    spans_key: str | None
    parts: list[str]
    contents: list[Annotated[str, pydantic.Field(pattern="^[0-9a-f]{32}$")]] = []
    replicates: ReplicatesHeader | None
    origin: dict[str, Any] | None
    digest: str = ""

    def as_json(self) -> str:
        """Return the header as text."""
        return self.model_dump_json(
            exclude={name for name, value in self.later.items() if getattr(self, name) == value}
        )

    @property
    def later(self) -> dict[str, Any]:
        """The fields that are left out where they have these values."""
        return LATER

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return len(self.ids)

    @pydantic.model_validator(mode="after")
    def _agrees(self) -> Header:
        if self.units and len(self.units) != len(self.ids):
            raise ValueError(f"it has {len(self.ids)} ids and {len(self.units)} units")
        if self.mentions and (
            self.mentions.keys() - {*NUMBERS} or max(self.mentions.values()) > self.mentions.get("listed", 0)
        ):
            raise ValueError("the numbers of mentions do not fit each other")
        if len({*self.columns}) < len(self.columns):
            raise ValueError("a column occurs twice")
        if self.entries > self.rows * len(self.columns):
            raise ValueError(f"{self.entries} entries do not fit {self.rows} rows")
        if self.replicates and self.replicates.labels != sorted({*self.replicates.labels}):
            raise ValueError("the labels of the half-samples are not sorted, or one occurs twice")
        return self


class CollapsedHeader(Header, extra="forbid", strict=True):
    """The schema of the header of collapsed counts, whose table has a single row. `labels` are those of
    its arrays, `unit_number` is the number of units if documents of a unit follow each other, `shards`
    how many files were counted, `pipeline` a digest of the pipeline that predicted, if a single one did. There are no
    ids, units and parts."""

    format: CollapsedFormat  # type: ignore[assignment]  # another one, so that neither is taken for the other
    ids: list[str | None] = pydantic.Field(default=[], max_length=0)
    units: list[str] = pydantic.Field(default=[], max_length=0)
    parts: list[str] = pydantic.Field(default=[], max_length=0)
    labels: list[str]
    unit_number: int = pydantic.Field(ge=0)
    shards: int = pydantic.Field(ge=0)
    id_hashes: str = pydantic.Field(default="", pattern="^([0-9a-f]{32})?$")
    pipeline: str = pydantic.Field(default="", pattern="^([0-9a-f]{32})?$")

    @property
    def later(self) -> dict[str, Any]:
        """The same for collapsed counts."""
        return LATER | {"ids": [], "units": [], "parts": [], "id_hashes": "", "pipeline": ""}

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return 1


def header_of(found: Any) -> Header:
    """Return the header that JSON holds.

    Raises:
        OtherVersion: It is that of another version of the format.
        pydantic.ValidationError: It does not fit its schema.
    """
    name = found.get("format") if isinstance(found, dict) else None
    if name not in (FORMAT, COLLAPSED) and isinstance(name, str) and name.startswith(FAMILY):
        read = COLLAPSED if name.startswith(COLLAPSED.rstrip("0123456789")) else FORMAT
        raise OtherVersion(f"the format {name!r}, and this version reads {read!r}: count again")
    kind = CollapsedHeader if name == COLLAPSED else Header
    return kind.model_validate_json(json.dumps(found))


class OtherVersion(ValueError):
    """A count file of another version of the format."""


def described(metric: Metric) -> MetricHeader:
    """Return the description of a metric for a count file."""
    settings = json.loads(json.dumps(dict(metric.settings)))  # as it is read back from a file
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
