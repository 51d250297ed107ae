"""Documents that several annotators share: one text, and the spans of each annotator who annotated it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from ...core.labels import LabelRules
from ...core.spans import Document, PlainSpan
from ..error_list import CONTEXT

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
        renamed = {name: rules.spans(own) for name, own in each.spans.items()}
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
