"""Documents that several annotators share: one text, and the spans of each annotator who annotated it.

Votes for spans: the consensus of annotators, each of them against the others, and what they dispute.

A pair of annotators disputes a span if one of the two has it and the other has not. So a span with v votes of
k annotators has v(k - v) disputes, of v(k - 1) that there could be, and strict F of all pairs
together is 1 minus the share of disputes.
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

from ...core.formulas import ratio
from ...core.labels import LabelRules
from ...core.messages import PlainSpan, spell_argument
from ...core.overlapping import group_numbers
from ...core.spans import Document, Span
from ...evaluation.error_list import CONTEXT

OF_ANNOTATION, OF_WHITE_SPACE = "annotation", "whitespace"
"""How the tokens of a document are found: its annotators have them, or they are the words between white space. A
tokenizer has a name of its own."""


class SharedDocument(NamedTuple):
    """One text with the spans of its annotators.

    Attributes:
        base: A document without spans: its text, tokens, id and unit.
        spans: The spans of each annotator who annotated the text, without duplicates. An
            annotator who marked nothing has an empty list; one who has not annotated it is missing.
        surfaces: Per annotator, the listed strings of mentions by their (start, end).
        number: The number of the document among all that were given, from 0.
        token_kind: How its tokens were found, such as `OF_ANNOTATION`; "" if none are known.

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
        """Return the document with one annotator's spans as gold, and another's as predictions."""
        found = self.base.replaced([*self.spans[gold]], [*self.spans[pred]], self.base.text)
        found.surfaces = self.surfaces.get(gold, {}), self.surfaces.get(pred, {})
        return found

    def text_of(self, span: PlainSpan) -> str | None:
        """Return the text of a span, None if the text is not known."""
        text = self.base.text
        return None if text is None else text[span[0] : span[1]]

    def around(self, start: int, end: int, context: int = CONTEXT) -> tuple[str | None, str | None]:
        """Return the text to the left and to the right of a stretch; None if it is not known."""
        text = self.base.own_text
        return (None, None) if text is None else (text[max(0, start - context) : start], text[end : end + context])


@dataclass
class SharedDocuments:
    """What several annotators annotated.

    Attributes:
        annotators: Their names, in the order given.
        documents: The documents that two or more of them annotated.
        single: The number of documents that only one annotated, which enter no number.
        unannotated: The number of documents that nobody annotated.
        on_reading: What was changed or left out on reading, by the names in `ON_READING`.
        rules: The rules by which labels were changed; None if they were not.
        mapped: The labels that these rules map and that occurred.
        spans_key: The key of the span groups that were read; None for entities.
        mentions: How many mentions without offsets were found and how; empty if there were none.
        located: How they were looked for.

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
                f"{_listed(self.annotators)} share no document that two of them annotated ({self.single} by one "
                f"alone, {self.unannotated} by nobody): expected the same texts, with the same ids or without ids"
            )

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield each pair of annotators once."""
        for k, first in enumerate(self.annotators):
            for second in self.annotators[k + 1 :]:
                yield first, second

    def places(self, *annotators: str) -> list[int]:
        """Return the indices of the documents that all of these annotators annotated."""
        return [k for k, each in enumerate(self.documents) if all(name in each.spans for name in annotators)]

    def without(self, annotator: str) -> SharedDocuments | None:
        """Return what the others annotated, without documents that only one of them has; None if none is left."""
        documents = [
            each._replace(spans={name: own for name, own in each.spans.items() if name != annotator})
            for each in self.documents
        ]
        kept = [each for each in documents if len(each.spans) > 1]
        others = tuple(name for name in self.annotators if name != annotator)
        return replace(self, annotators=others, documents=kept) if kept else None

    def name_of(self, place: int) -> str | int:
        """Return the id of a document, or without one its number, from 0."""
        each = self.documents[place]
        return each.number if each.base.id is None else each.base.id

    @cached_property
    def versions(self) -> list[dict[str, int]]:
        """For each document the version of each annotator: a number that is equal where the spans are."""
        found = []
        for each in self.documents:
            number: dict[Any, int] = {}
            keys = {name: frozenset(own) if not each.surfaces else name for name, own in each.spans.items()}
            found.append({name: number.setdefault(key, len(number)) for name, key in keys.items()})
        return found

    @property
    def tokens(self) -> dict[str, int]:
        """How many documents have tokens of which kind."""
        return dict(sorted(Counter(each.token_kind for each in self.documents if each.token_kind).items()))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Every label that occurs, sorted."""
        return tuple(sorted({label for each in self.documents for own in each.spans.values() for _, _, label in own}))


def check_annotators(names: Sequence[str]) -> None:
    """Raise ValueError unless there are two annotators or more, with names of their own.

    >>> check_annotators(["ann"])
    Traceback (most recent call last):
    ValueError: agreement needs two annotators or more; given: ann
    """
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise ValueError(f"two annotators are named {twice[0]!r}: give each a name of their own")
    if len(names) < 2:
        raise ValueError(f"agreement needs two annotators or more; given: {', '.join(names) or 'none'}")


def with_rules(documents: Iterable[SharedDocument], rules: LabelRules | None) -> Iterator[tuple[SharedDocument, int]]:
    """Yield documents with their labels changed, each with the number of spans that became equal to another."""
    for each in documents:
        if rules is None:
            yield each, 0
            continue
        renamed = {name: rules.map_spans(own) for name, own in each.spans.items()}
        kept = {name: [*dict.fromkeys(own)] for name, own in renamed.items()}
        base = each.base.replaced([], [], each.base.text)
        base.label_rules = rules
        base.mapped = frozenset({label for own in each.spans.values() for _, _, label in own} & rules.mapping.keys())
        yield each._replace(base=base, spans=kept), sum(len(renamed[name]) - len(kept[name]) for name in kept)


def unit_rows(shared: SharedDocuments) -> Iterator[dict[str, Any]]:
    """Yield every span as "annotator", "label", "start", "end" and "document", documents one after the other.

    Programs for Gamma read one continuum, so each document begins one character after the end of the one before.
    """
    offset = 0
    for place, each in enumerate(shared.documents):
        last = 0
        for name, own in each.spans.items():
            for start, end, label in sorted(own):
                last = max(last, end)
                row = {"annotator": name, "label": label, "start": start + offset, "end": end + offset}
                yield row | {"document": shared.name_of(place)}
        text = each.base.text
        offset += 1 + (last if text is None else len(text))


def _listed(names: Sequence[str]) -> str:
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
        """The most disputes that these votes could be: each against all others."""
        return len(self.annotators) * (self.of - 1)


def votes(spans: Mapping[str, Collection[PlainSpan]]) -> list[Vote]:
    """Return every span of a document in the order of the text, with those who marked it.

    Args:
        spans: For each annotator of the document, the spans.

    >>> votes({"ann": [(0, 3, "PER")], "bob": [(0, 3, "PER")]})
    [Vote(span=Span(start=0, end=3, label='PER'), annotators=('ann', 'bob'), of=2)]
    """
    voters: dict[PlainSpan, dict[str, None]] = {}
    for name, own in spans.items():
        for span in own:
            voters.setdefault(span, {})[name] = None
    return [Vote(Span(*span), tuple(names), len(spans)) for span, names in sorted(voters.items())]


class Rule(NamedTuple):
    """How many votes a span needs: "majority" (more than half), "all", or a number."""

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
    """Return the rule that an option names.

    Args:
        wanted: "majority", "all", or the number of votes that a span needs, also as text.
        annotators: The number of annotators.

    Raises:
        ValueError: It is none of these, or there are not so many annotators.

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
    for each in shared.documents:
        yield each, [vote for vote in votes(each.spans) if rule.holds(len(vote.annotators), len(each.spans))]


def consensus_rows(shared: SharedDocuments, rule: Rule) -> Iterator[dict[str, Any]]:
    """Yield the consensus as rows of a JSONL file of gold annotation.

    Each span has its votes and those who marked it, each document its annotators under "meta".

    Raises:
        ValueError: The texts are not known.
    """
    for place, (each, kept) in enumerate(consensus(shared, rule)):
        text, tokens = each.base.known_text("rows of gold annotation")[: each.base.annex], each.base.tokens
        row: dict[str, Any] = {"text": text} if each.base.id is None else {"text": text, "id": each.base.id}
        row["spans"] = [
            dict(zip(("start", "end", "label"), span)) | {"votes": len(names), "annotators": [*names]}
            for span, names, _ in kept
            if not each.base.is_invented(span)
        ]
        if tokens is not None and each.token_kind != OF_WHITE_SPACE:
            row["tokens"] = [{"start": start, "end": end} for start, end in tokens if end <= len(text)]
        yield row | {"meta": {"annotators": [*shared.documents[place].spans]}}


def against_others(shared: SharedDocuments) -> NDArray[np.int64]:
    """Return what strict F of each annotator against the majority of the others is computed from.

    Returns:
        int64[documents, annotators, 3]: hits, spans of the others' majority, own spans. They are 0
        for documents with fewer than two others, since nobody could be outvoted there.
    """
    found = np.zeros((len(shared.documents), len(shared.annotators), 3), dtype=np.int64)
    rule = Rule()
    for place, each in enumerate(shared.documents):
        if len(each.spans) < 3:
            continue
        number = Counter(chain.from_iterable(each.spans.values()))
        for k, name in enumerate(shared.annotators):
            if name in each.spans:
                own = {*each.spans[name]}
                rest = {span for span, n in number.items() if rule.holds(n - (span in own), len(each.spans) - 1)}
                found[place, k] = len(own & rest), len(rest), len(own)
    return found


def f_of(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return F from hits, gold spans and own spans, float64[..., 3]; NaN where there are neither."""
    hits, gold, own = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    found: NDArray[np.float64] = ratio(2 * hits, gold + own)
    return found


# What is disputed


def dispute_rows(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return the disputed spans, the most disputed first, then by their place, with who said what.

    Each row has the document, the span and its text, its context, "votes", "of" (how many
    annotated the document), "disputes", "annotators" (who marked it), and "said": for each
    annotator of the document the spans that overlap it, and the same one itself.
    """
    disputed = []
    for place, each in enumerate(shared.documents):
        ordered = {name: sorted(own) for name, own in each.spans.items()}
        for vote in votes(each.spans):
            if vote.disputes:
                disputed.append((-vote.disputes, place, vote.span, _dispute_row(shared, place, vote, ordered)))
    return [row for *_, row in sorted(disputed, key=lambda item: item[:3])]


def _dispute_row(
    shared: SharedDocuments, place: int, vote: Vote, ordered: Mapping[str, Sequence[PlainSpan]]
) -> dict[str, Any]:
    each, (start, end) = shared.documents[place], vote.span[:2]
    said = {
        name: [_span_row(each, span) for span in own if max(span[0], start) < min(span[1], end) or span == vote.span]
        for name, own in ordered.items()
    }
    left, right = each.around(start, end)
    return {
        "document": shared.name_of(place),
        **_span_row(each, vote.span),
        "left": left,
        "right": right,
        "votes": len(vote.annotators),
        "of": vote.of,
        "disputes": vote.disputes,
        "annotators": [*vote.annotators],
        "said": said,
    }


def _span_row(each: SharedDocument, span: PlainSpan) -> dict[str, Any]:
    return {**dict(zip(("start", "end", "label"), span)), "text": each.text_of(span)}


def ranked_documents(
    shared: SharedDocuments, scores: Mapping[str, Sequence[float]] = {}
) -> list[tuple[int, dict[str, Any]]]:
    """Return a row for each document, the most disputed first: by disputes, then by their share, then by id.

    Each comes with the index of its document, since ids may repeat.

    Args:
        shared: The documents.
        scores: Scores of each document, by name; NaN where undefined.
    """
    rows = []
    for place, each in enumerate(shared.documents):
        found = votes(each.spans)
        number, most = sum(vote.disputes for vote in found), sum(vote.possible for vote in found)
        row = {
            "document": shared.name_of(place),
            "annotators": [*each.spans],
            "disputes": number,
            "possible": most,
            "share": number / most if most else None,
            "places": sum(1 for _ in disputed_places(each.spans)) if number else 0,
            "scores": {name: values[place] for name, values in scores.items()},
        }
        rows.append((place, row))
    return sorted(rows, key=lambda item: _rank(item[1]))


def _rank(row: Mapping[str, Any]) -> tuple[int, float, bool, str | int]:
    return -row["disputes"], -(row["share"] or 0), isinstance(row["document"], str), row["document"]


def disputed_labels(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return a row for each label, the most disputed first, with how many spans each annotator has."""
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
    for vote in chain.from_iterable(votes(each.spans) for each in shared.documents):
        row: dict[str, Any] = rows[vote.span.label]
        row["disputes"] += vote.disputes
        row["possible"] += vote.possible
        row["share"] = row["disputes"] / row["possible"]
        for name in vote.annotators:
            row["spans"][name] += 1
    return sorted(rows.values(), key=lambda row: (-row["disputes"], row["label"]))


class DisputedPlace(NamedTuple):
    """Spans of several annotators that overlap, some of which not all annotators marked.

    Attributes:
        versions: The spans, sorted, each with its annotators.
        silent: The annotators of the document who marked nothing here.
        disputes: The pairs of annotators that disagree about a span, added up over the spans.
    """

    versions: tuple[Vote, ...]
    silent: tuple[str, ...]
    disputes: int

    @property
    def start(self) -> int:
        """Where the place begins, in characters."""
        return self.versions[0].span.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return max(version.span.end for version in self.versions)


def disputed_places(spans: Mapping[str, Collection[PlainSpan]]) -> Iterator[DisputedPlace]:
    """Yield the places of a document where its annotators disagree, in the order of the text.

    Args:
        spans: For each annotator of the document, the spans.

    >>> own = {"ann": [(0, 9, "PART")], "ben": [(5, 9, "PART")], "cleo": [(0, 9, "PART"), (20, 24, "PART")]}
    >>> for place in disputed_places(own):
    ...     print(place.start, place.end, place.disputes, place.silent, *(each.annotators for each in place.versions))
    0 9 4 () ('ann', 'cleo') ('ben',)
    20 24 2 ('ann', 'ben') ('cleo',)
    """
    found = votes(spans)
    groups = group_numbers(*(np.array([vote.span[k] for vote in found]) for k in (0, 1))).tolist()
    for _, members in groupby(zip(groups, found), key=lambda each: each[0]):
        versions = tuple(vote for _, vote in members)
        disputes = sum(vote.disputes for vote in versions)
        if disputes:
            spoke = {name for vote in versions for name in vote.annotators}
            yield DisputedPlace(versions, tuple(name for name in spans if name not in spoke), disputes)
