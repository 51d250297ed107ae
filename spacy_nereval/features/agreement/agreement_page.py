"""The agreement of annotators as one HTML file that opens without a network.

Its tables and sentences are those of the view. Its own are the differences with their places, and every disputed
place with who said what there. Texts, labels and names are never markup: see the report.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from ...core.about import __version__
from ...core.messages import shorten
from ...core.spans import Span
from ...io.writing import visible
from ...reporting import pages
from ...reporting.marked_text import clipped
from ...reporting.pages import (
    LISTED,
    LISTING,
    Example,
    Layout,
    Trusted,
    embedded,
    filled_in,
    in_context,
    is_right_to_left,
    utf16_offsets,
)
from ...reporting.remarks import many
from ...reporting.result_table import Cost, ResultTable
from .agreement_counts import AgreementCounts
from .agreement_view import MOST_ASKED, AgreementView
from .annotator_differences import Pattern
from .difference_words import KINDS, MOST_NAMES, kind_of, names, reverse_words, rule_words, what_differs
from .shared_documents import DisputedPlace, SharedDocument, Vote, disputed_places, ranked_documents, votes

AGREEMENT = Layout(
    __package__,
    LISTED,
    ("annotations", "asked", "places", "tasks", "deciding"),
    (*LISTING, "queue"),
    ("text", "list", "actions", "adjudicating"),
)

STATIC = 50
"""Maximum number of disputed places for readers whose browser runs no scripts."""

DOCUMENTS = 12
"""Maximum number of documents in the table of the most disputed ones."""


class GroupRow(NamedTuple):
    """Differences that repeat as the page lists them: their words, if they share them, what differs, and an example.

    Attributes:
        words, said: The words, "" for none, and what the annotators do differently.
        rule: A rule that would settle it; "" for what is no habit.
        others: The most frequent words, if they do not share them.
        kind: A key of `core.wording.VERDICT_KINDS`.
        number, reverse: How often, and in words how often the other way round; "" if never.
        example: The words that differ in the first place.
        ask: The request to the page's script when the user selects the group.
    """

    words: str
    said: str
    rule: str
    others: str
    kind: str
    number: int
    reverse: str
    example: Example
    ask: Mapping[str, Any] | None


class StaticPlace(NamedTuple):
    """A disputed place: the document, the text around it, its versions as text with label and annotators, and who
    marked nothing."""

    name: str | int
    example: Example
    versions: Sequence[tuple[str, str, Sequence[str]]]
    silent: Sequence[str]


def agreement_page(agreement: AgreementCounts, view: AgreementView, *, title: str | None = None) -> str:
    """Return the page.

    Args:
        agreement: The agreement, with the documents.
        view: The view of its result, with intervals or without.
        title: The title; by default, the names of the annotators.
    """
    shared, result = agreement.shared, view.result
    people = shared.annotators
    tables = {name: table for name in view.makers for table in view.tables([name])}
    places = [[*disputed_places(document.spans)] for document in shared.documents]
    listed, groups = _groups(agreement, view, tables, places)
    scores = _heat(tables["pair-scores"])
    disputed = tables["documents"].rows
    tables["documents"] = tables["documents"]._replace(most=DOCUMENTS)
    who = names(people) if len(people) <= MOST_NAMES else many(len(people), "annotator")
    data = _data(agreement, places) | {"groups": groups, "scores": scores, "symbols": pages.GLYPHS}
    data["digest"] = sha256(embedded([data["annotators"], data["labels"], data["documents"]]).encode()).hexdigest()[:16]
    lede = [*view.further(), f"{view.measured()}.", f"{view.compared()}.", *view.remarks]
    values = {
        "title": title or f"Agreement of {who}",
        "lede": [*map(visible, lede)],
        "warnings": view.warnings(),
        "names": people,
        "numbers": {name: k for k, name in enumerate(people)},
        "symbols": pages.GLYPHS,
        "bounds": view.bounds,
        "groups": [*zip(("By what differs", "By the same words"), listed)],
        "heat": scores,
        "pairs": {f"{people.index(row['a'])} {people.index(row['b'])}": k for k, row in enumerate(result["pairs"])},
        "tables": tables,
        "measures": [*view.measures()],
        "more_documents": max(0, len(disputed) - DOCUMENTS),
        "static": [*_static(agreement, places)],
        "finding": {finding.section: visible(finding.heading) for finding in view.findings()},
        "signatures": [result["signature"]],
        "version": __version__,
        "data": Trusted(embedded(data)),
    }
    return filled_in(values, None, AGREEMENT)


def _heat(table: ResultTable) -> list[dict[str, Any]]:
    """Return the scores of the pairs, a column each, as the page's script draws the heat map."""
    return [
        {
            "title": table.shown(column, name),
            "values": [row[column] for row in table.rows],
            "shown": [table.shown(column, row[column]) for row in table.rows],
            "better": -1 if isinstance(name, Cost) else 1,
        }
        for column, name in enumerate(table.header)
        if name not in table.header[:3]
    ]


def _groups(
    agreement: AgreementCounts,
    view: AgreementView,
    tables: Mapping[str, ResultTable],
    places: Sequence[Sequence[DisputedPlace]],
) -> tuple[list[list[GroupRow]], list[dict[str, Any]]]:
    """Return the differences that repeat and those in the same words as rows, and as the page's script reads them."""
    found, place_of = agreement.differences, _places_by_span(places)
    listed: list[list[GroupRow]] = []
    data: list[dict[str, Any]] = []
    patterns: tuple[tuple[str, str, Sequence[Pattern]], ...] = (
        ("differences", "differences", found.patterns),
        ("same_words", "same-words", found.in_same_words),
    )
    for key, name, own in patterns:
        listed.append([])
        for row, pattern, ask in zip(view.result[key][:MOST_ASKED], own, tables[name].asks):
            members = dict.fromkeys(place_of[each.document, each.spans[0][0]] for each in pattern.one_way)
            said, words = what_differs(row), [*row["words"]]
            shared_words = words[0] if key == "same_words" else ""
            first = pattern.one_way[0]
            example = in_context(agreement.shared.documents[first.document].base, *found.disputed(first))
            others = "" if shared_words else ", ".join(f"{clipped(text)!r} {n}" for text, n in row["words"].items())
            kind, rule = KINDS[kind_of(row)][0], rule_words(row) if row["clear"] else ""
            listed[-1].append(
                GroupRow(shared_words, said, rule, others, kind, row["number"], reverse_words(row), example, ask)
            )
            title = f"{shared_words}: {said}" if shared_words else said
            data.append({"title": title, "members": [n for member in members for n in member]})
    return listed, data


def _data(agreement: AgreementCounts, places: Sequence[Sequence[DisputedPlace]]) -> dict[str, Any]:
    """Return documents and disputed places as the page's script reads them.

    Spans are in UTF-16 units, as browsers count; annotators, labels and kinds are numbers. A document has its "rank"
    among the disputed ones, and how many votes a span of the consensus "need"s.
    """
    shared = agreement.shared
    people = {name: k for k, name in enumerate(shared.annotators)}
    labels = {label: k for k, label in enumerate(shared.labels)}
    kinds = {kind: k for k, kind in enumerate(KINDS)}
    place_of = _places_by_span(places)
    different: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
    for each in agreement.differences.members:
        at = place_of[each.document, each.spans[0][0]]
        different[at].append([kinds[each.kind], people[each.having], people[each.lacking]])
    rank = {number: k for k, (number, _) in enumerate(ranked_documents(shared))}
    documents = []
    for number, (document, own) in enumerate(zip(shared.documents, places)):
        found = votes(document.spans)
        at_span = {vote.span: k for k, vote in enumerate(found)}
        unit, annex = utf16_offsets(document.base.text or ""), document.base.annex
        documents.append(
            {
                "id": document.base.id,
                "text": document.base.text,
                "ends": None if annex is None else unit(annex),
                "rtl": is_right_to_left(document.base.text or ""),
                "by": [people[name] for name in document.spans],
                "spans": [
                    [
                        unit(vote.span.start),
                        unit(vote.span.end),
                        labels[vote.span.label],
                        [people[name] for name in vote.annotators],
                    ]
                    for vote in found
                ],
                "places": [
                    [at_span[place.versions[0].span], len(place.versions), place.disputes, different[number, k]]
                    for k, place in enumerate(own)
                ],
                "rank": rank[number],
                "need": next(n for n in range(len(document.spans) + 1) if agreement.rule.holds(n, len(document.spans))),
            }
        )
    return {
        "annotators": [*people],
        "labels": [*labels],
        "kinds": [{"name": name, "kind": kind, "words": words} for name, (kind, words) in KINDS.items()],
        "documents": documents,
    }


def _places_by_span(places: Iterable[Sequence[DisputedPlace]]) -> dict[tuple[int, Span], tuple[int, int]]:
    """Return the number of the document and of the place for every disputed span."""
    return {
        (number, vote.span): (number, k)
        for number, own in enumerate(places)
        for k, place in enumerate(own)
        for vote in place.versions
    }


def _static(agreement: AgreementCounts, places: Sequence[Sequence[DisputedPlace]]) -> Iterator[StaticPlace]:
    """Yield the most disputed places as text, then in the order of the corpus."""
    shared = agreement.shared
    found = ((number, place) for number, own in enumerate(places) for place in own)
    for number, place in sorted(found, key=lambda each: -each[1].disputes)[:STATIC]:
        document = shared.documents[number]
        versions = [(_text(document, vote), vote.span.label, vote.annotators) for vote in place.versions]
        example = in_context(document.base, place.start, place.end)
        yield StaticPlace(shared.name_of(number), example, versions, place.silent)


def _text(document: SharedDocument, vote: Vote) -> str:
    return shorten(" ".join((document.text_of(vote.span) or f"{vote.span.start}–{vote.span.end}").split()), 120)
