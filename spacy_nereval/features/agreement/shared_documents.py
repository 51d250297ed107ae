"""The documents that several annotators share, with votes for spans, the consensus, and disputes.

Annotators vote for the spans that they mark. A pair of annotators disputes a span if only one of the two marks it. So a
span with v votes of k annotators has v(k - v) disputes, of v(k - 1) possible ones, and the pooled strict F of all pairs
is 1 minus the share of disputes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.edges import Signs, edge_lines, edge_signs
from ...core.formulas import ratio
from ...core.labels import LabelRules
from ...core.messages import PlainSpan, spell_argument
from ...core.overlapping import group_numbers
from ...core.spans import Document, Span
from ...evaluation.error_list import CONTEXT

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

    >>> shared = SharedDocument(Document([], [], "Ada"), {"ann": [(0, 3, "PER")], "bob": []})
    >>> shared.pair("ann", "bob")
    Document(gold=[Span(start=0, end=3, label='PER')], pred=[])
    """

    base: Document
    spans: Mapping[str, Sequence[PlainSpan]]
    surfaces: Mapping[str, Mapping[tuple[int, int], str]] = {}
    number: int = 0
    token_kind: str = ""

    def pair(self, gold: str, pred: str) -> Document:
        """Return the document with the spans of one annotator as gold and those of another as predictions."""
        document = self.base.replaced([*self.spans[gold]], [*self.spans[pred]], self.base.text)
        document.surfaces = self.surfaces.get(gold, {}), self.surfaces.get(pred, {})
        return document

    def text_of(self, span: PlainSpan) -> str | None:
        """Return the text of a span; None if the document has no text."""
        text = self.base.text
        return None if text is None else text[span[0] : span[1]]

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
        single: The number of documents that only one annotator annotated. They are left out.
        unannotated: The number of documents that nobody annotated.
        on_reading: What reading changed or left out, numbers by the keys in `ON_READING`.
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
        return [k for k, document in enumerate(self.documents) if all(name in document.spans for name in annotators)]

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
            keys = {name: frozenset(spans) if not document.surfaces else name for name, spans in document.spans.items()}
            result.append({name: number.setdefault(key, len(number)) for name, key in keys.items()})
        return result

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


def reading_warnings(shared: SharedDocuments) -> list[str]:
    """Return warnings of label rules that change nothing, of edges that look odd, and how annotators were read."""
    signs: Signs = Counter()
    for document in shared.documents:
        signs.update(document.base.notes)
        if (text := document.base.own_text) is not None:
            signs.update(edge_signs(document.spans, text))
    unused = shared.rules.usage_warnings(shared.mapped, shared.labels) if shared.rules else []
    return unused + edge_lines(signs, names={name: f"spans of {name}" for name in shared.annotators})


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
    """Yield documents with labels and edges changed by rules, each with numbers of what was changed."""
    for document in documents:
        if rules is None:
            yield document, Counter()
            continue
        renamed = {name: rules.map_spans(spans) for name, spans in document.spans.items()}
        edited = {name: rules.edit(spans, document.base.own_text) for name, spans in renamed.items()}
        distinct = {name: spans.spans for name, spans in edited.items()}
        base = document.base.replaced([], [], document.base.text)
        base.label_rules = rules
        base.mapped = frozenset(
            {label for spans in document.spans.values() for _, _, label in spans} & rules.mapping.keys()
        )
        merged = sum(len(spans) - len({*spans}) for spans in renamed.values())
        numbers = {"merged": merged, "duplicates": sum(spans.equal for spans in edited.values())}
        numbers |= {name: sum(getattr(spans, name) for spans in edited.values()) for name in ("trimmed", "joined")}
        yield document._replace(base=base, spans=distinct), Counter(numbers)


def unit_rows(shared: SharedDocuments) -> Iterator[dict[str, Any]]:
    """Yield every span as a row with "annotator", "label", "start", "end" and "document".

    Programs for Gamma read one continuum, so each document begins one character after the end of the previous one.
    """
    offset = 0
    for place, document in enumerate(shared.documents):
        last = 0
        for name, spans in document.spans.items():
            for start, end, label in sorted(spans):
                last = max(last, end)
                row = {"annotator": name, "label": label, "start": start + offset, "end": end + offset}
                yield row | {"document": shared.name_of(place)}
        text = document.base.text
        offset += 1 + (last if text is None else len(text))


def _name_list(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


# The consensus

MAJORITY, ALL = "majority", "all"


class Vote(NamedTuple):
    """A span, the annotators who marked it, and how many annotated the document."""

    span: Span
    annotators: tuple[str, ...]
    of: int

    @property
    def disputes(self) -> int:
        """How many pairs of annotators disagree about the span: one has it, the other has not."""
        return len(self.annotators) * (self.of - len(self.annotators))

    @property
    def possible(self) -> int:
        """The maximum number of disputes about the span with this number of votes."""
        return len(self.annotators) * (self.of - 1)


def votes(spans: Mapping[str, Collection[PlainSpan]]) -> list[Vote]:
    """Return every span of a document in the order of the text, with the annotators who marked it.

    Args:
        spans: The spans of each annotator of the document.

    >>> votes({"ann": [(0, 3, "PER")], "bob": [(0, 3, "PER")]})
    [Vote(span=Span(start=0, end=3, label='PER'), annotators=('ann', 'bob'), of=2)]
    """
    voters: dict[PlainSpan, dict[str, None]] = {}
    for name, annotator_spans in spans.items():
        for span in annotator_spans:
            voters.setdefault(span, {})[name] = None
    return [Vote(Span(*span), tuple(names), len(spans)) for span, names in sorted(voters.items())]


class Rule(NamedTuple):
    """The number of votes that a span of the consensus needs: "majority" (more than half), "all", or a number."""

    wanted: str | int = MAJORITY

    def holds(self, number: int, annotators: int) -> bool:
        """Return whether this number of votes is enough, given the number of annotators.

        >>> Rule().holds(1, 2), Rule("all").holds(2, 3), Rule(2).holds(2, 3)
        (False, False, True)
        """
        if self.wanted == MAJORITY:
            return 2 * number > annotators
        return number == annotators if self.wanted == ALL else number >= int(self.wanted)


def consensus_rule(wanted: Any, annotators: int) -> Rule:
    """Return the rule of an option's value.

    Args:
        wanted: "majority", "all", or a number of votes, which may be text.
        annotators: The number of annotators.

    Raises:
        ValueError: The value is none of these, or exceeds the number of annotators.

    >>> consensus_rule("2", 3)
    Rule(wanted=2)
    """
    if wanted in (MAJORITY, ALL):
        return Rule(wanted)
    number = int(wanted) if isinstance(wanted, str) and wanted.isascii() and wanted.isdecimal() else wanted
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= annotators:
        raise ValueError(
            f"{spell_argument('consensus', wanted)}: expected majority, all, or a number of votes from 1 to "
            f"{annotators}"
        )
    return Rule(number)


def consensus(shared: SharedDocuments, rule: Rule) -> Iterator[tuple[SharedDocument, list[Vote]]]:
    """Yield each document with the spans that have enough votes."""
    for document in shared.documents:
        yield (
            document,
            [vote for vote in votes(document.spans) if rule.holds(len(vote.annotators), len(document.spans))],
        )


def consensus_rows(shared: SharedDocuments, rule: Rule) -> Iterator[dict[str, Any]]:
    """Yield the consensus as rows of a JSONL file of gold annotation.

    Each span has its votes and the annotators who marked it; each document has its annotators under "meta".

    Raises:
        ValueError: The texts are not known.
    """
    for place, (document, document_votes) in enumerate(consensus(shared, rule)):
        text, tokens = document.base.known_text("rows of gold annotation")[: document.base.annex], document.base.tokens
        row: dict[str, Any] = {"text": text} if document.base.id is None else {"text": text, "id": document.base.id}
        row["spans"] = [
            dict(zip(("start", "end", "label"), span)) | {"votes": len(names), "annotators": [*names]}
            for span, names, _ in document_votes
            if not document.base.is_invented(span)
        ]
        if tokens is not None and document.token_kind != OF_WHITE_SPACE:
            row["tokens"] = [{"start": start, "end": end} for start, end in tokens if end <= len(text)]
        yield row | {"meta": {"annotators": [*shared.documents[place].spans]}}


def others_majority_counts(shared: SharedDocuments) -> NDArray[np.int64]:
    """Return the counts for strict F of each annotator against the majority of the others.

    Returns:
        int64[documents, annotators, 3]: hits, spans of the others' majority, spans of the annotator. They are 0 for
        documents with fewer than two others, who form no majority.
    """
    counts = np.zeros((len(shared.documents), len(shared.annotators), 3), dtype=np.int64)
    rule = Rule()
    for place, document in enumerate(shared.documents):
        if len(document.spans) < 3:
            continue
        number = Counter(chain.from_iterable(document.spans.values()))
        for k, name in enumerate(shared.annotators):
            if name in document.spans:
                spans = {*document.spans[name]}
                majority = {
                    span for span, n in number.items() if rule.holds(n - (span in spans), len(document.spans) - 1)
                }
                counts[place, k] = len(spans & majority), len(majority), len(spans)
    return counts


def f_scores(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return F from the counts of `others_majority_counts`, float64[...]; NaN where there are no spans."""
    hits, gold, own_spans = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    f: NDArray[np.float64] = ratio(2 * hits, gold + own_spans)
    return f


# Disputes


def span_disputes(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return a row for each disputed span, the most disputed first, then in the order of the corpus.

    Each row has the document, the span with its text and context, "votes", "of" (the number of annotators of the
    document), "disputes", "annotators" (who marked it), and "said": for each annotator of the document, the spans that
    overlap it or are equal.
    """
    disputed = []
    for place, document in enumerate(shared.documents):
        ordered = {name: sorted(spans) for name, spans in document.spans.items()}
        for vote in votes(document.spans):
            if vote.disputes:
                disputed.append((-vote.disputes, place, vote.span, _dispute_row(shared, place, vote, ordered)))
    return [row for *_, row in sorted(disputed, key=lambda item: item[:3])]


def _dispute_row(
    shared: SharedDocuments, place: int, vote: Vote, ordered: Mapping[str, Sequence[PlainSpan]]
) -> dict[str, Any]:
    document, (start, end) = shared.documents[place], vote.span[:2]
    statements = {
        name: [
            _span_row(document, span) for span in spans if max(span[0], start) < min(span[1], end) or span == vote.span
        ]
        for name, spans in ordered.items()
    }
    left, right = document.around(start, end)
    return {
        "document": shared.name_of(place),
        **_span_row(document, vote.span),
        "left": left,
        "right": right,
        "votes": len(vote.annotators),
        "of": vote.of,
        "disputes": vote.disputes,
        "annotators": [*vote.annotators],
        "said": statements,
    }


def _span_row(document: SharedDocument, span: PlainSpan) -> dict[str, Any]:
    return {**dict(zip(("start", "end", "label"), span)), "text": document.text_of(span)}


def document_disputes(
    shared: SharedDocuments, scores: Mapping[str, Sequence[float]] = {}
) -> list[tuple[int, dict[str, Any]]]:
    """Return a row for each document with its index, ordered by disputes, then by their share (descending), then by id.

    Args:
        shared: The documents.
        scores: Scores of each document, by name; NaN where undefined.
    """
    rows = []
    for place, document in enumerate(shared.documents):
        document_votes = votes(document.spans)
        number, most = sum(vote.disputes for vote in document_votes), sum(vote.possible for vote in document_votes)
        row = {
            "document": shared.name_of(place),
            "annotators": [*document.spans],
            "disputes": number,
            "possible": most,
            "share": number / most if most else None,
            "places": sum(1 for _ in disputed_places(document.spans)) if number else 0,
            "scores": {name: values[place] for name, values in scores.items()},
        }
        rows.append((place, row))
    return sorted(rows, key=lambda item: _rank(item[1]))


def _rank(row: Mapping[str, Any]) -> tuple[int, float, bool, str | int]:
    return -row["disputes"], -(row["share"] or 0), isinstance(row["document"], str), row["document"]


def label_disputes(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return a row for each label, the most disputed first, with the number of spans of each annotator."""
    rows = {
        label: {
            "label": label,
            "disputes": 0,
            "possible": 0,
            "share": 0.0,
            "spans": dict.fromkeys(shared.annotators, 0),
        }
        for label in shared.labels
    }
    for vote in chain.from_iterable(votes(document.spans) for document in shared.documents):
        row: dict[str, Any] = rows[vote.span.label]
        row["disputes"] += vote.disputes
        row["possible"] += vote.possible
        row["share"] = row["disputes"] / row["possible"]
        for name in vote.annotators:
            row["spans"][name] += 1
    return sorted(rows.values(), key=lambda row: (-row["disputes"], row["label"]))


class DisputedPlace(NamedTuple):
    """Spans of several annotators that overlap, of which some are disputed.

    Attributes:
        versions: The spans, sorted, each with its annotators.
        silent: The annotators of the document who marked nothing here.
        disputes: The number of disputes about the spans.
    """

    versions: tuple[Vote, ...]
    silent: tuple[str, ...]
    disputes: int

    @property
    def start(self) -> int:
        """The start of the place, in characters."""
        return self.versions[0].span.start

    @property
    def end(self) -> int:
        """The end of the place."""
        return max(version.span.end for version in self.versions)


def disputed_places(spans: Mapping[str, Collection[PlainSpan]]) -> Iterator[DisputedPlace]:
    """Yield the places of a document where its annotators disagree, in the order of the text.

    Args:
        spans: The spans of each annotator of the document.

    >>> own = {"ann": [(0, 9, "PART")], "ben": [(5, 9, "PART")], "cleo": [(0, 9, "PART"), (20, 24, "PART")]}
    >>> for place in disputed_places(own):
    ...     print(place.start, place.end, place.disputes, place.silent, *(vote.annotators for vote in place.versions))
    0 9 4 () ('ann', 'cleo') ('ben',)
    20 24 2 ('ann', 'ben') ('cleo',)
    """
    document_votes = votes(spans)
    groups = group_numbers(*(np.array([vote.span[k] for vote in document_votes]) for k in (0, 1))).tolist()
    for _, members in groupby(zip(groups, document_votes), key=lambda item: item[0]):
        versions = tuple(vote for _, vote in members)
        disputes = sum(vote.disputes for vote in versions)
        if disputes:
            spoke = {name for vote in versions for name in vote.annotators}
            yield DisputedPlace(versions, tuple(name for name in spans if name not in spoke), disputes)
