"""The documents that several annotators share: read their files, and match their documents."""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ...api.inputs import SideRecord
from ...core.arguments import NORMALISED, SAME, Reading
from ...core.attribute_values import SpanAttributes, move_attributes
from ...core.compression import format_extension, strip_compression
from ...core.declaration import Metric
from ...core.edges import EdgeCounter, edge_lines
from ...core.labels import LabelRules
from ...core.mention_places import append_annex, plain_text, words_after
from ...core.messages import (
    LISTED,
    PlainSpan,
    describe_unknown,
    join_names,
    list_alike,
    many,
    quote,
    shorten,
    show_spaces,
    spell_argument,
)
from ...core.pieces import covered_text, meets_any, pieces_of
from ...core.spans import LATER_ON_READING, Document
from ...counting.unit_keys import is_written
from ...evaluation.error_list import CONTEXT
from ...io.converting import NamedTokenizer
from ...io.formats import (
    annotators_of,
    assign_annotators,
    check_files,
    check_span_groups,
    infer_format,
    label_studio,
    name_of,
    records,
)
from ...io.formats.settings import GROUND_TRUTH, Format
from ...io.records import Record, carry_side, check_has_text, project_spans
from ...io.units import units_of
from ...metrics.registry import ATTRIBUTES_LEFT
from .votes import DisputedPlace, Vote, places_of_votes, votes

OF_ANNOTATION, OF_WHITE_SPACE = "annotation", "whitespace"
"""The source of a document's tokens: the annotation, or white space. Other sources are names of tokenizers."""


class SharedDocument(NamedTuple):
    """One text with the spans of its annotators.

    Attributes:
        base: A document without spans: its text, tokens, id and unit.
        spans: The spans of each annotator who annotated the text, without duplicates. An annotator who marked nothing
            has an empty list; an annotator who has not annotated the text is missing.
        surfaces: Per annotator, the listed strings of mentions by their (start, end).
        number: The index of the document among all documents that were read.
        token_kind: The source of its tokens, such as `OF_ANNOTATION`; "" if it has none.
        attributes: Per annotator, the attributes of the spans that have some.

    >>> shared = SharedDocument(Document([], [], "Ada"), {"ann": [(0, 3, "PER")], "bob": []})
    >>> shared.pair("ann", "bob")
    Document(gold=[Span(start=0, end=3, label='PER')], pred=[])
    """

    base: Document
    spans: Mapping[str, Sequence[PlainSpan]]
    surfaces: Mapping[str, Mapping[tuple[int, int], str]] = {}
    number: int = 0
    token_kind: str = ""
    attributes: Mapping[str, SpanAttributes] = {}

    def pair(self, gold: str, pred: str) -> Document:
        """Return the document with the spans of one annotator as gold and those of another as predictions."""
        document = self.base.replaced([*self.spans[gold]], [*self.spans[pred]], self.base.text)
        document.surfaces = self.surfaces.get(gold, {}), self.surfaces.get(pred, {})
        document.attributes = self.attributes.get(gold, {}), self.attributes.get(pred, {})
        return document

    def text_of(self, span: PlainSpan) -> str | None:
        """Return the text of a span; None if the document has no text."""
        text = self.base.text
        return None if text is None else covered_text(text, span)

    def around(self, start: int, end: int, context: int = CONTEXT) -> tuple[str | None, str | None]:
        """Return the text to the left and to the right of a stretch; None if the document has no text."""
        text = self.base.own_text
        return (None, None) if text is None else (text[max(0, start - context) : start], text[end : end + context])


@dataclass
class SharedDocuments:
    """The documents that two or more of several annotators annotated.

    Attributes:
        annotators: The names of the annotators, in the given order.
        documents: The documents.
        single: The number of documents that only one annotator annotated. They are excluded.
        unannotated: The number of documents that nobody annotated.
        on_reading: The changes on reading: the keys of `ON_READING` to numbers.
        rules: The rules by which labels were changed; None if they were not.
        mapped: The labels that these rules map and that occurred.
        spans_key: The key of the span groups that were read; None for entities.
        mentions: The numbers of mentions without offsets, by how they were found; empty if there were none.
        located: The settings with which these mentions were looked for.

    Raises:
        ValueError: There are fewer than two annotators, or no two of them share a document.
    """

    annotators: tuple[str, ...]
    documents: list[SharedDocument]
    single: int = 0
    unannotated: int = 0
    on_reading: Mapping[str, int] = field(default_factory=dict)
    rules: LabelRules | None = None
    mapped: Collection[str] = frozenset()
    spans_key: str | None = None
    mentions: Mapping[str, int] = field(default_factory=dict)
    located: Collection[str] = frozenset()

    def __post_init__(self) -> None:
        check_annotators(self.annotators)
        if not self.documents:
            raise ValueError(
                f"{_name_list(self.annotators)} share no document that two of them annotated ({self.single} by one "
                f"alone, {self.unannotated} by nobody): expected the same texts, with the same ids or without ids"
            )

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield each pair of annotators once."""
        for k, first in enumerate(self.annotators):
            for second in self.annotators[k + 1 :]:
                yield first, second

    def places(self, *annotators: str) -> list[int]:
        """Return the indices of the documents that all these annotators annotated."""
        return [k for k, document in enumerate(self.documents) if document.spans.keys() >= {*annotators}]

    def leave_out(self, annotator: str) -> SharedDocuments | None:
        """Return the documents of the other annotators, as far as two of them annotated each; None if none is left."""
        documents = [
            document._replace(spans={name: spans for name, spans in document.spans.items() if name != annotator})
            for document in self.documents
        ]
        remaining = [document for document in documents if len(document.spans) > 1]
        other_annotators = tuple(name for name in self.annotators if name != annotator)
        return replace(self, annotators=other_annotators, documents=remaining) if remaining else None

    def name_of(self, place: int) -> str | int:
        """Return the id of a document, or its number if it has no id."""
        document = self.documents[place]
        return document.number if document.base.id is None else document.base.id

    @cached_property
    def versions(self) -> list[dict[str, int]]:
        """For each document, annotators to versions: numbers that are equal if the annotators' spans are."""
        result = []
        for document in self.documents:
            number: dict[Any, int] = {}
            has_more = document.surfaces or document.attributes
            keys = {name: name if has_more else frozenset(spans) for name, spans in document.spans.items()}
            result.append({name: number.setdefault(key, len(number)) for name, key in keys.items()})
        return result

    @cached_property
    def votes(self) -> list[list[Vote]]:
        """The votes of each document."""
        return [votes(document.spans) for document in self.documents]

    @cached_property
    def disputed_places(self) -> list[list[DisputedPlace]]:
        """The disputed places of each document."""
        return [
            [*places_of_votes(document_votes, [*document.spans])]
            for document, document_votes in zip(self.documents, self.votes)
        ]

    @property
    def warnings(self) -> list[str]:
        """Warnings about rules for labels that change nothing here and about edges, and how annotators were read."""
        edges = EdgeCounter()
        for document in self.documents:
            edges.add(document.spans, document.base.own_text, document.base.notes)
        unused = self.rules.usage_warnings(self.mapped, self.labels) if self.rules else []
        return [*unused, *edge_lines(edges.signs, names={name: f"spans of {name}" for name in self.annotators})]

    def attribute_notes(self, metrics: Iterable[Metric]) -> list[str]:
        """Return a note if spans have attributes that no metric compares, and that are no labels either."""
        compared = any(metric.attributes for metric in metrics) or bool(self.rules and self.rules.label_from)
        has_some = not compared and any(any(document.attributes.values()) for document in self.documents)
        return [ATTRIBUTES_LEFT.removeprefix("gold ")] if has_some else []

    @property
    def tokens(self) -> dict[str, int]:
        """The sources of tokens with their numbers of documents."""
        return dict(sorted(Counter(document.token_kind for document in self.documents if document.token_kind).items()))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Every label that occurs, sorted."""
        return tuple(
            sorted({label for document in self.documents for spans in document.spans.values() for _, _, label in spans})
        )


def check_annotators(names: Sequence[str]) -> None:
    """Raise ValueError unless there are two or more annotators with distinct names.

    >>> check_annotators(["ann"])
    Traceback (most recent call last):
    ValueError: agreement needs two annotators or more; given: ann
    """
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise ValueError(f"two annotators are named {twice[0]!r}: give each a name of their own")
    if len(names) < 2:
        raise ValueError(f"agreement needs two annotators or more; given: {', '.join(names) or 'none'}")


def apply_rules(
    documents: Iterable[SharedDocument], rules: LabelRules | None
) -> Iterator[tuple[SharedDocument, Counter[str]]]:
    """Yield documents with labels and edges changed by rules, each with the numbers of changes."""
    for document in documents:
        if rules is None:
            yield document, Counter()
            continue
        sides = {
            name: rules.apply(spans, document.base.own_text, {}, document.attributes.get(name, {}))
            for name, spans in document.spans.items()
        }
        base = document.base.replaced([], [], document.base.text)
        base.label_rules = rules
        base.mapped = frozenset({label for side in sides.values() for label in side.labels} & rules.mapping.keys())
        numbers = {"duplicates": sum(side.equal + side.repeats for side in sides.values())}
        numbers |= {name: sum(getattr(side, name) for side in sides.values()) for name in CHANGES}
        yield (
            document._replace(
                base=base,
                spans={name: side.spans for name, side in sides.items()},
                attributes={name: side.attributes for name, side in sides.items() if side.attributes},
            ),
            Counter(numbers),
        )


CHANGES = ("merged", "trimmed", "joined", "unnamed")
"""Numbers of spans that rules change."""


def unit_rows(shared: SharedDocuments) -> Iterator[dict[str, Any]]:
    """Yield every span as a row with "annotator", "label", "start", "end" and "document"; with gaps, a row per piece.

    Programs for Gamma read one continuum, so each document begins one character after the end of the previous one.
    """
    offset = 0
    for place, document in enumerate(shared.documents):
        last = 0
        for name, spans in document.spans.items():
            for start, end, label in sorted((*piece, span[2]) for span in spans for piece in pieces_of(span)):
                last = max(last, end)
                row = {"annotator": name, "label": label, "start": start + offset, "end": end + offset}
                yield row | {"document": shared.name_of(place)}
        text = document.base.text
        offset += 1 + (last if text is None else len(text))


def _name_list(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


# Match documents

NO_ANNOTATION = re.compile(r"[._]|readme|licen[cs]e|changelog", re.IGNORECASE)
"""Prefixes of the names of files without annotation."""

PARTS = {"train", "training", "dev", "valid", "validation", "test", "testing", "devel", "eval"}
"""Names of folders and files that are parts of a corpus and no annotators."""

DocumentKey = tuple[str, int]
"""The id or the text of a document, and the number of earlier documents of the annotator with the same id or text."""


def match_documents(
    sides: Mapping[str, Iterable[SideRecord]],
    rules: LabelRules | None = None,
    spans_key: str | None = None,
    *,
    tokenizer: NamedTokenizer | None = None,
    match_text: str = SAME,
) -> SharedDocuments:
    """Match the annotators' documents, and return those that two or more annotated.

    Documents match by id, or by text if any document has no id. An annotator may lack documents. If no texts are
    known, only numbers of tokens, documents match by their order.

    The tokens of a document are those of the tokenizer. Without a tokenizer, they are those of its annotators if all
    have the same, or else the words between white space.

    Args:
        sides: The records of each annotator.
        rules: The rules that change labels; None for none.
        spans_key: The key of the span groups that were read.
        tokenizer: Makes the tokens of a text.
        match_text: How the texts of a document may differ, one of `arguments.TEXT_MATCHES`.

    Raises:
        ValueError: There are fewer than two annotators; one id has two texts; no document is
            shared; documents match by their order, and their numbers differ; or a label to keep does not occur.

    >>> ada = Record("Ada sleeps", {(0, 3, "PER")})
    >>> ann, bob = [SideRecord(ada)], [SideRecord(ada), SideRecord(Record("Eve", set()))]
    >>> shared = match_documents({"ann": ann, "bob": bob})
    >>> len(shared.documents), shared.single
    (1, 1)
    """
    check_annotators([*sides])
    sheets = _match_texts({name: [*sheet] for name, sheet in sides.items()}, match_text)
    for name, sheet in sheets.items():
        if not any(annotated.record.annotated for annotated in sheet):
            documents = many(len(sheet), "document")
            raise ValueError(
                f"{name} has annotated none of {documents}: expected the spans of each text, an empty list where there "
                "are none"
            )
    all_records = [annotated.record for sheet in sheets.values() for annotated in sheet]
    by_id = all(record.id is not None for record in all_records)
    if by_id and not _share(sheets, lambda record: record.id) and _share(sheets, lambda record: record.text):
        warnings.warn(f"{join_names([*sheets])} have no id in common: they are paired by text", stacklevel=2)
        by_id = False
    in_order = not by_id and not any(is_written(record.text) for record in all_records)
    if in_order:
        _check_same_length({name: len(sheet) for name, sheet in sheets.items()})
    records_by_key = _records_by_key(
        sheets, lambda record: "" if in_order else record.id if by_id and record.id is not None else record.text
    )
    numbers: Counter[str] = Counter(single=0, unannotated=0)
    mentions: Counter[str] = Counter()
    matched, located = [], set()
    alone: list[str] = []
    for number, ((key, _), sides_here) in enumerate(records_by_key.items()):
        _check_texts(key or str(number), sides_here)
        annotators = {name: annotated for name, annotated in sides_here.items() if annotated.record.annotated}
        if len(annotators) < 2:
            numbers["single" if annotators else "unannotated"] += 1
            alone += [key] * (by_id and bool(annotators))
            continue
        matched.append(_combine_records(number, annotators, numbers, tokenizer))
        for annotated in annotators.values():
            mentions.update(annotated.record.mentions)
            located |= {annotated.record.located} if annotated.record.mentions else set()
    if rules and rules.only is not None:
        _warn_of_excluded(matched, rules)
    if match_text == SAME and not by_id and not in_order and numbers["single"]:
        _name_alike_texts(sheets, bool(matched))
    renamed = [*apply_rules(matched, rules)]
    numbers = sum((changed for _, changed in renamed), numbers)
    on_reading = {name: numbers[name] for name in ("ignored", "repaired", "duplicates", "rejected")}
    if rules:
        on_reading["merged"] = numbers["merged"]
    on_reading |= {name: numbers[name] for name in LATER_ON_READING if numbers[name]}
    shared = SharedDocuments(
        tuple(sides),
        [annotated for annotated, _ in renamed],
        numbers["single"],
        numbers["unannotated"],
        on_reading,
        rules,
        frozenset[str]().union(*(annotated.base.mapped for annotated, _ in renamed)),
        spans_key,
        mentions,
        located,
    )
    if rules:
        rules.check_labels_occur(shared.labels)
    _warn_of_alike("ids", alone)
    _warn_of_alike("labels", shared.labels)
    return shared


def _name_alike_texts(sheets: Mapping[str, Sequence[SideRecord]], is_shared: bool) -> None:
    """Say which option aligns texts that one annotator has alone, and another one in another form.

    Raises:
        ValueError: There are some, and no document is shared.
    """
    writings: dict[str, set[str]] = {}
    for annotated in chain(*sheets.values()):
        text = annotated.record.text
        writings.setdefault(plain_text(text, NORMALISED), set()).add(text)
    number = sum(len(texts) > 1 for texts in writings.values())
    option = spell_argument("match_text", NORMALISED)
    if number and not is_shared:
        names = _name_list([*sheets])
        raise ValueError(f"{names} share no document that two of them annotated; {option} aligns texts of theirs")
    if number:
        texts = "1 text of one annotator alone is another's" if number == 1 else f"{number} texts of one are others'"
        warnings.warn(f"{texts} in another form, and does not count: {option} aligns them", stacklevel=3)


def _warn_of_alike(what: str, names: Iterable[str]) -> None:
    names = [*names]
    if alike := list_alike(names, names):
        warnings.warn(f"{what}: {', '.join(alike[:LISTED])}: they count as different", stacklevel=3)


def _warn_of_excluded(documents: Sequence[SharedDocument], rules: LabelRules) -> None:
    """Warn of labels that `only` excludes and that seem to be other names of labels it keeps.

    At most of their spans, an annotator who never uses the label has one that is kept.
    """
    used: defaultdict[str, set[str]] = defaultdict(set)
    for document in documents:
        for name, spans in document.spans.items():
            used[name].update(span[2] for span in spans)
    excluded = {label for labels in used.values() for label in labels if rules.count_unkept([label], ())}
    totals: Counter[str] = Counter()
    partners: Counter[tuple[str, str]] = Counter()
    for document in documents:
        for *place, label in (span for spans in document.spans.values() for span in spans if span[2] in excluded):
            others = (spans for name, spans in document.spans.items() if label not in used[name])
            kept = {other for spans in others for *at, other in spans if at == place and other not in excluded}
            totals[label] += 1
            partners.update((label, other) for other in kept)
    names = [pair for pair, number in sorted(partners.items()) if 2 * number > totals[pair[0]]]
    if names:
        warnings.warn(
            f"{spell_argument('only')} excludes {join_names([show_spaces(label) for label, _ in names])}, but other "
            f"annotators have {join_names([show_spaces(other) for _, other in names])} there: add "
            f"{spell_argument('labels', ','.join(map('='.join, names)))}",
            stacklevel=3,
        )


def _match_texts(sheets: Mapping[str, list[SideRecord]], match_text: str) -> dict[str, list[SideRecord]]:
    """Return the records of each annotator, similar texts with the text of the first."""
    if match_text == SAME:
        return {**sheets}
    texts: dict[str, str] = {}
    result: dict[str, list[SideRecord]] = {name: [] for name in sheets}
    for name, sheet in sheets.items():
        for annotated in sheet:
            record = annotated.record
            text = texts.setdefault(plain_text(record.text, match_text), record.text)
            result[name].append(annotated._replace(record=carry_side(record, text, match_text)))
    return result


def _records_by_key(
    sheets: Mapping[str, Sequence[SideRecord]], key_of: Callable[[Record], str]
) -> dict[DocumentKey, dict[str, SideRecord]]:
    """Return the records of each document by annotator; equal keys of an annotator match in their order."""
    result: dict[DocumentKey, dict[str, SideRecord]] = {}
    for name, sheet in sheets.items():
        times_seen: Counter[str] = Counter()
        for annotated in sheet:
            key = key_of(annotated.record)
            result.setdefault((key, times_seen[key]), {})[name] = annotated
            times_seen[key] += 1
    return result


def _share(sheets: Mapping[str, Sequence[SideRecord]], key: Callable[[Record], str | None]) -> bool:
    """Return whether two annotators have the same id or text, by what `key` is."""
    shown = [name for sheet in sheets.values() for name in {key(annotated.record) for annotated in sheet}]
    return len({*shown}) < len(shown)


def _check_same_length(numbers: Mapping[str, int]) -> None:
    """Raise ValueError unless all annotators have the same number of documents, which only their order pairs."""
    (first, number), *others = numbers.items()
    for name, other in others:
        if other != number:
            raise ValueError(
                f"{first} has {many(number, 'document')} and {name} has {other}: without ids and words "
                "they are paired by order; expected the same number"
            )


def _check_texts(key: str, sides_here: Mapping[str, SideRecord]) -> None:
    """Raise ValueError, naming both annotators, if texts differ in more than white space and case."""
    (first_name, first_record), *more = sides_here.items()
    for name, record in more:
        if record.record.text == first_record.record.text or (first_record.record.open_end and record.record.open_end):
            continue
        try:
            [*project_spans((), record.record.text, first_record.record.text)]
        except ValueError as error:
            difference = str(error).partition(": ")[2]
            raise ValueError(
                f"document {shorten(key)} has one text for {first_name} and another for {name} ({difference}); "
                "expected the same text under one id: correct the ids, or remove them to pair documents by their texts"
            ) from None


def _combine_records(
    number: int, sides_here: Mapping[str, SideRecord], numbers: Counter[str], tokenizer: NamedTokenizer | None
) -> SharedDocument:
    """Return a document with the spans of all its annotators, and count the changes on reading."""
    records = {name: record.record for name, record in sides_here.items()}
    first = max(records.values(), key=lambda record: len(record.text) if record.open_end else 0)
    text, strings = append_annex(first.text, (string for record in records.values() for string, _ in record.invented))
    gaps: list[PlainSpan] = []
    for record in records.values():
        gaps += _spans_in_text(record, first.text, [(*gap, "") for gap in record.gaps])
    spans: dict[str, list[PlainSpan]] = {}
    for name, record in records.items():
        carried = _spans_in_text(record, first.text, record.spans)
        outside_gaps = [span for span in carried if not meets_any(span, gaps)] if gaps else carried
        spans[name] = [*outside_gaps, *((*strings[string], label) for string, label in record.invented)]
        numbers["ignored"] += len(carried) - len(outside_gaps)
        numbers.update(repaired=record.repaired, duplicates=record.duplicates, rejected=record.rejected)
    first_side = next(iter(sides_here.values()))
    base = first_side.base
    kind = "" if base is None or base.tokens is None else OF_ANNOTATION
    if base is None:
        tokens, kind = _find_tokens(first, [*records.values()], tokenizer)
        base = Document([], [], text, tokens=[*tokens, *words_after(text, len(first.text))], id=first.id)
    base.annex = len(first.text) if strings else None
    base.unit, base.unit_rule = first_side.unit, first_side.rule
    base.notes = frozenset((name, note) for name, record in records.items() for note in record.notes)
    surfaces = {name: record.surfaces for name, record in records.items() if record.surfaces}
    attributes = {
        name: _attributes_in_text(record, first.text) for name, record in records.items() if record.attributes
    }
    return SharedDocument(base, spans, surfaces, number, kind, attributes)


def _attributes_in_text(record: Record, text: str) -> SpanAttributes:
    """Return the attributes of a record's spans by their offsets in another text."""
    if record.text == text or record.open_end:
        return record.attributes
    spans = [*record.attributes]
    return move_attributes(record.attributes, zip(spans, project_spans(spans, record.text, text)))


def _spans_in_text(record: Record, text: str, spans: Iterable[PlainSpan]) -> list[PlainSpan]:
    """Return spans of a record with their offsets in another text, which differs in white space and case only."""
    if record.text == text or record.open_end:
        return sorted({*spans})
    return sorted({*project_spans(spans, record.text, text)})


def _find_tokens(
    first: Record, records: Sequence[Record], tokenizer: NamedTokenizer | None
) -> tuple[list[tuple[int, int]], str]:
    """Return the tokens of a text and their source."""
    if tokenizer and not first.wordless:
        return [*tokenizer.tokenize(first.text)], tokenizer.name
    common = first.open_end or all((record.text, record.tokens) == (first.text, first.tokens) for record in records)
    if common and first.tokens is not None and all(record.tokens is not None for record in records):
        return first.tokens, OF_ANNOTATION
    return Document([], [], first.text).words, OF_WHITE_SPACE


# Read files


def check_reading(reading: Reading) -> None:
    """Raise ValueError for a reading option about predictions, which annotators do not have."""
    if reading.missing_tokens is not None:
        raise ValueError(
            f"{spell_argument('missing_tokens', reading.missing_tokens)}: annotators have no gold annotation with all "
            "tokens; leave it out"
        )


def annotators_in(path: Path, format: Format = Format()) -> list[str]:
    """Return the names of the annotators in a file or folder; empty if it names none.

    Label Studio and Prodigy write all annotators into one file, INCEpTION and WebAnno into one folder. Models are
    annotators only if no person annotated anything.

    Args:
        path: The file or folder.
        format: How it is read.

    Raises:
        ValueError: The file cannot be read.
        OSError: The file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada", "spans": [], "_annotator_id": "ann"}')
    >>> annotators_in(path)
    ['ann']
    """
    if name_of(path, format) == "label_studio":
        human, model, _ = label_studio.annotators_of(path, format)
        return human.names or model.names
    return annotators_of(path, format) or []


def annotators_below(path: Path, format: Format = Format()) -> dict[str, Path]:
    """Return the folder or file of each annotator in the folder of a project; empty if it is no such folder.

    Each annotator has a folder, or a file such as `ann.jsonl`. Hidden files and other files that are no annotation,
    such as a README, are skipped. In formats with a document per file, files are documents, not annotators.

    Args:
        path: The folder.
        format: How it is read.

    Raises:
        ValueError: Two files differ in their extensions only; a file cannot be read; or all are parts of a corpus.

    >>> root = getfixture("tmp_path")
    >>> for name in ("ann.jsonl", "ben.jsonl", "README.md"):
    ...     _ = (root / name).write_text("")
    >>> [*annotators_below(root)]
    ['ann', 'ben']
    """
    if not path.is_dir():
        return {}
    format_name = infer_format(path)
    inside = [entry for entry in sorted(path.iterdir()) if not NO_ANNOTATION.match(entry.name)]
    paths = [entry for entry in inside if entry.is_dir() and infer_format(entry)]
    are_documents = not paths or any(entry.suffix for entry in paths)  # in INCEpTION, such as a.txt/
    if format_name and are_documents and annotators_of(path, Format(format_name)):
        return {}
    if not paths and not format_name:
        paths = [entry for entry in inside if entry.is_file() and (format.name or infer_format(entry))]
    elif any(format_extension(entry) == ".ann" for entry in inside):
        return {}
    names = [entry.name if entry.is_dir() else strip_compression(entry).stem for entry in paths]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{path} has two files of {quote(twice[0])}: expected one file for each annotator")
    if len(paths) > 1 and {name.casefold() for name in names} <= PARTS:
        raise ValueError(
            f"{path} has the parts {join_names(names)} of a corpus, which are no annotators: expected a folder or a "
            "file "
            f"for each annotator; if they are within a part, give {path / names[0]}"
        )
    return dict(zip(names, paths)) if len(paths) > 1 else {}


def read_annotators(
    files: Mapping[str, Path],
    key: str | None = None,
    *,
    formats: Sequence[Format] = (Format(),),
    rules: LabelRules | None = None,
    chosen: Sequence[str] = (),
    others: Counter[Path] | None = None,
    tokenizer: NamedTokenizer | None = None,
    renamed: Mapping[str, str] | None = None,
) -> SharedDocuments:
    """Read the annotation of several annotators.

    Args:
        files: The file or folder of each annotator. Or a single file with all annotators, or a folder with a
            folder or a file for each, under any name.
        key: Read `doc.spans[key]` of `.spacy` files instead of `doc.ents`.
        formats: The format and the options of reading: one for all, or one for each file.
        rules: The rules that change labels.
        chosen: The annotators to read from the single file, or one for each file if files contain several.
        others: Receives the number of annotations of each file that are not spans, such as relations.
        tokenizer: Makes the tokens of a text, see `match_documents`.
        renamed: Other names of the annotators of a single file or folder.

    Returns:
        The documents that two or more of them annotated.

    Raises:
        ValueError: A single file does not name two annotators; otherwise as `match_documents`, or
            a file cannot be read.
        OSError: A file cannot be read.
    """
    format = formats[0]
    if len(files) == 1:
        files = {name: _annotation_folder(path) for name, path in files.items()}
    path = next(iter(files.values()), Path())
    below = annotators_below(path, format) if len(files) == 1 else {}
    if below:
        files = {name: below[name] for name in _select_annotators(path, [*below], chosen)}
        chosen = ()
    check_span_groups(key, [*files.values()], [name_of(path, format) for path in files.values()])
    check_files(files.values(), formats if len(formats) == len(files) else [format] * len(files))
    if len(files) == 1 and not below:
        (format,) = assign_annotators([path], [format])
        names = _annotator_names(path, format, chosen)
        sides = {name: _read_records(path, key, format._replace(annotator=name), others) for name in names}
    elif chosen and len(chosen) != len(files):
        problem = f"{spell_argument('annotator')}: {len(chosen)} given"
        raise ValueError(f"{problem} for {len(files)} files; give one for each, in their order")
    else:
        chosen_annotators: Sequence[str | None] = chosen or [None] * len(files)
        of_files = formats if len(formats) == len(files) else [format] * len(files)
        given = [how._replace(annotator=name) for how, name in zip(of_files, chosen_annotators)]
        sides = {
            name: _read_records(files[name], key, how, others)
            for name, how in zip(files, assign_annotators([*files.values()], given))
        }
    renamed = renamed or {}
    if unknown := [name for name in renamed if name not in sides]:
        raise ValueError(
            f"{spell_argument('name', unknown[0])}: {describe_unknown(unknown[0], sides, 'annotator', 20)}"
        )
    check_annotators([renamed.get(name, name) for name in sides])
    sides = {renamed.get(name, name): side for name, side in sides.items()}
    return match_documents(sides, rules, key, tokenizer=tokenizer, match_text=format.match_text)


def _annotation_folder(path: Path) -> Path:
    """Return the folder of annotators in a project that INCEpTION exported; other paths are unchanged."""
    inside = path / "annotation"
    return inside if inside.is_dir() and any((path / sibling).is_dir() for sibling in ("curation", "source")) else path


def _annotator_names(path: Path, format: Format, chosen: Sequence[str]) -> list[str]:
    """Return the chosen annotators of a single file. Raise ValueError if it names fewer than two."""
    names = annotators_in(path, format)
    if len(names) < 2:
        has = f"names {quote(names[0])} alone" if names else "names no annotators"
        raise ValueError(
            f"{path} {has}: expected a file for each annotator, or a file of Label Studio or Prodigy, or a "
            "folder of INCEpTION, with two annotators or more, or a folder with a folder or a file for each annotator"
        )
    if GROUND_TRUTH in chosen and name_of(path, format) == "label_studio":
        names += [GROUND_TRUTH] * label_studio.annotators_of(path, format)[0].has_ground_truth
    return _select_annotators(path, names, chosen)


def _select_annotators(path: Path, names: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return the chosen annotators; by default, all. Raise ValueError if one does not exist."""
    if unknown := [name for name in chosen if name not in names]:
        raise ValueError(f"{path}: {describe_unknown(unknown[0], names, 'annotator', 20)}")
    return [*dict.fromkeys(chosen or names)]


def _read_records(path: Path, key: str | None, format: Format, others: Counter[Path] | None) -> Iterator[SideRecord]:
    units = units_of(path, format)
    for record in records(path, key, format):
        if others is not None:
            others[path] += record.others
        yield SideRecord(check_has_text(record, path), units.key(record), units.rule.text)
    units.check_end()


def load_tokenizer(language: str | None) -> NamedTokenizer | None:
    """Return spaCy's tokenizer of a language; None for None."""
    if language is None:
        return None
    from ...integration import spacy_files

    return spacy_files.tokenizer_with_name(language)
