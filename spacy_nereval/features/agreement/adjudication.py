"""The input of adjudicators: one HTML page, and tasks for Prodigy and Label Studio.

The page opens without a network. Its tables and sentences come from the view. It adds the repeated differences with
their places, and every disputed place with the spans of each annotator. Texts of the corpus are escaped, see
`reporting.pages`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ...core.about import __version__
from ...core.compression import format_extension
from ...core.messages import join_names, many, shorten
from ...core.pieces import check_no_gaps, has_gaps, span_row
from ...core.spans import Span
from ...io.tables import write_rows
from ...io.writing import json_line, visible, write_text
from ...reporting import pages
from ...reporting.marked_text import clip
from ...reporting.pages import (
    LIST_FUNCTIONS,
    LIST_SCRIPTS,
    Example,
    Layout,
    html_example,
    is_right_to_left,
    packed_json,
    render_page,
    script_json,
    utf16_offsets,
)
from ...reporting.result_table import Cost, ResultTable
from .agreement_counts import AgreementCounts
from .agreement_view import MOST_ASKED, AgreementView
from .disagreements import Rule, document_disputes
from .habits import (
    KINDS,
    MOST_NAMES,
    Pattern,
    difference_clause,
    difference_kind,
    name_list,
    reverse_phrase,
    rule_sentence,
)
from .shared_documents import SharedDocument, SharedDocuments
from .votes import DisputedPlace, Vote, votes

AGREEMENT = Layout(
    __package__,
    LIST_FUNCTIONS,
    ("annotations", "asked", "places", "tasks", "deciding", "heat"),
    (*LIST_SCRIPTS, "queue"),
    ("text", "list", "actions", "adjudicating"),
)

STATIC = 50
"""Maximum number of disputed places on the page without scripts."""

DOCUMENTS = 12
"""Maximum number of documents in the table of the most disputed documents."""


class GroupRow(NamedTuple):
    """A repeated difference in a list of the page.

    Attributes:
        words: The words that its places share; "" if they share none.
        clause: The systematic difference, in words.
        rule: A rule that would settle it; "" if it is no clear habit.
        others: The most frequent words, if its places share none.
        kind: A key of `core.wording.VERDICT_KINDS`.
        number, reverse: The number of places; in words, the number that goes the other way, "" for none.
        example: The words in question in the first place.
        ask: The request to the page's script when the user chooses the difference.
    """

    words: str
    clause: str
    rule: str
    others: str
    kind: str
    number: int
    reverse: str
    example: Example
    ask: Mapping[str, Any] | None


class StaticPlace(NamedTuple):
    """A disputed place on the page without scripts.

    name: the document. versions: the text, label and annotators of each span. silent: who marked nothing.
    """

    name: str | int
    example: Example
    versions: Sequence[tuple[str, str, Sequence[str]]]
    silent: Sequence[str]


def agreement_page(agreement: AgreementCounts, view: AgreementView, *, title: str | None = None) -> str:
    """Return the page as HTML.

    Args:
        agreement: The agreement with its documents.
        view: The view of its result, with intervals or without.
        title: The title; by default, it names the annotators.
    """
    shared, result = agreement.shared, view.result
    people = shared.annotators
    tables = {name: table for name in view.makers for table in view.tables([name])}
    places = shared.disputed_places
    listed, groups = _group_rows(agreement, view, tables, places)
    scores = _heat_map(tables["pair-scores"])
    disputed = tables["documents"].rows
    tables["documents"] = tables["documents"]._replace(most=DOCUMENTS)
    who = name_list(people) if len(people) <= MOST_NAMES else many(len(people), "annotator")
    data = _page_data(agreement, places) | {"groups": groups, "scores": scores, "symbols": pages.GLYPHS}
    data["digest"] = sha256(script_json([data["annotators"], data["labels"], data["documents"]]).encode()).hexdigest()[
        :16
    ]
    lede = [*view.rule_lines(), f"{view.agreement_clause()}.", f"{view.data_clause()}.", *view.remarks]
    values = {
        "title": title or f"Agreement of {who}",
        "lede": [*map(visible, lede)],
        "warnings": view.warnings(),
        "names": people,
        "numbers": {name: k for k, name in enumerate(people)},
        "symbols": pages.GLYPHS,
        "bounds": view.interval_note,
        "groups": [*zip(("By difference", "By the same words"), listed)],
        "heat": scores,
        "pairs": {f"{people.index(row['a'])} {people.index(row['b'])}": k for k, row in enumerate(result["pairs"])},
        "tables": tables,
        "measures": [*view.measures()],
        "more_documents": max(0, len(disputed) - DOCUMENTS),
        "static": [*_static_places(agreement, places)],
        "finding": {finding.section: visible(finding.heading) for finding in view.findings()},
        "signatures": [result["signature"]],
        "version": __version__,
        "data": packed_json(data),
    }
    return render_page(values, None, AGREEMENT)


def _heat_map(table: ResultTable) -> list[dict[str, Any]]:
    """Return the columns of scores of the table of pairs, from which the page's script draws the heat map."""
    return [
        {
            "title": table.cell_text(column, name),
            "values": [row[column] for row in table.rows],
            "shown": [table.cell_text(column, row[column]) for row in table.rows],
            "better": -1 if isinstance(name, Cost) else 1,
        }
        for column, name in enumerate(table.header)
        if name not in table.header[:3]
    ]


def _group_rows(
    agreement: AgreementCounts,
    view: AgreementView,
    tables: Mapping[str, ResultTable],
    places: Sequence[Sequence[DisputedPlace]],
) -> tuple[list[list[GroupRow]], list[dict[str, Any]]]:
    """Return the repeated differences and those in the same words, as rows of the page and as data for its script."""
    differences, place_of = agreement.differences, _places_by_span(places)
    listed: list[list[GroupRow]] = []
    data: list[dict[str, Any]] = []
    patterns: tuple[tuple[str, str, Sequence[Pattern]], ...] = (
        ("differences", "differences", differences.patterns),
        ("same_words", "same-words", differences.patterns_in_same_words),
    )
    for key, name, listed_patterns in patterns:
        listed.append([])
        for row, pattern, ask in zip(view.result[key][:MOST_ASKED], listed_patterns, tables[name].asks):
            members = dict.fromkeys(
                place_of[difference.document, difference.spans[0][0]] for difference in pattern.forward
            )
            clause, words = difference_clause(row), [*row["words"]]
            shared_words = words[0] if key == "same_words" else ""
            first = pattern.forward[0]
            example = html_example(
                agreement.shared.documents[first.document].base, *differences.stretch_in_dispute(first)
            )
            other_words = "" if shared_words else ", ".join(f"{clip(text)!r} {n}" for text, n in row["words"].items())
            kind, rule = KINDS[difference_kind(row)][0], rule_sentence(row) if row["clear"] else ""
            listed[-1].append(
                GroupRow(
                    shared_words, clause, rule, other_words, kind, row["number"], reverse_phrase(row), example, ask
                )
            )
            title = f"{shared_words}: {clause}" if shared_words else clause
            data.append({"title": title, "members": [n for member in members for n in member]})
    return listed, data


def _page_data(agreement: AgreementCounts, places: Sequence[Sequence[DisputedPlace]]) -> dict[str, Any]:
    """Return the documents and disputed places as data for the page's script.

    Offsets count UTF-16 code units, as in browsers. Annotators, labels and kinds are indices. A document has its "rank"
    by disputes, and "need", the number of votes that a span of the consensus needs.
    """
    shared = agreement.shared
    people = {name: k for k, name in enumerate(shared.annotators)}
    labels = {label: k for k, label in enumerate(shared.labels)}
    kinds = {kind: k for k, kind in enumerate(KINDS)}
    place_of = _places_by_span(places)
    different: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
    for difference in agreement.differences.members:
        at = place_of[difference.document, difference.spans[0][0]]
        different[at].append([kinds[difference.kind], people[difference.having], people[difference.lacking]])
    rank = {number: k for k, (number, _) in enumerate(document_disputes(shared))}
    documents = []
    for number, (document, document_votes, places_here) in enumerate(zip(shared.documents, shared.votes, places)):
        at_span = {vote.span: k for k, vote in enumerate(document_votes)}
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
                        *([[[unit(a), unit(b)] for a, b in vote.span.pieces]] if has_gaps(vote.span) else []),
                    ]
                    for vote in document_votes
                ],
                "places": [
                    [at_span[place.versions[0].span], len(place.versions), place.disputes, different[number, k]]
                    for k, place in enumerate(places_here)
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
    """Return the index of the document and of the place of every disputed span."""
    return {
        (number, vote.span): (number, k)
        for number, document_places in enumerate(places)
        for k, place in enumerate(document_places)
        for vote in place.versions
    }


def _static_places(agreement: AgreementCounts, places: Sequence[Sequence[DisputedPlace]]) -> Iterator[StaticPlace]:
    """Yield the most disputed places for the page without scripts; of equals, in the order of the corpus."""
    shared = agreement.shared
    numbered = ((number, place) for number, document_places in enumerate(places) for place in document_places)
    for number, place in sorted(numbered, key=lambda item: -item[1].disputes)[:STATIC]:
        document = shared.documents[number]
        versions = [(_version_text(document, vote), vote.span.label, vote.annotators) for vote in place.versions]
        example = html_example(document.base, place.start, place.end)
        yield StaticPlace(shared.name_of(number), example, versions, place.silent)


def _version_text(document: SharedDocument, vote: Vote) -> str:
    return shorten(" ".join((document.text_of(vote.span) or f"{vote.span.start}–{vote.span.end}").split()), 120)


# Tasks for Prodigy and Label Studio

TASK_ENDINGS = {".jsonl": "Prodigy", ".json": "Label Studio"}
"""File extensions to the formats of files for disputes."""


def check_disputes_path(path: Path) -> None:
    """Raise ValueError if the file extension of a file for disputes names no format.

    >>> check_disputes_path(Path("disputes.csv"))
    Traceback (most recent call last):
    ValueError: disputes.csv: expected a file that ends in .jsonl (Prodigy) or .json (Label Studio)
    """
    if format_extension(path) not in TASK_ENDINGS:
        raise ValueError(f"{path}: expected a file that ends in .jsonl (Prodigy) or .json (Label Studio)")


def write_disputes(path: Path, shared: SharedDocuments, rule: Rule = Rule()) -> int:
    """Write the disputed documents, the most disputed first.

    Args:
        path: A .jsonl file for Prodigy, or a .json file for Label Studio.
        shared: The documents of the annotators.
        rule: The number of votes that a span of the consensus needs, for tasks of Prodigy.

    Returns:
        The number of documents.

    Raises:
        ValueError: The file extension is none of these, or the texts are not known.
        OSError: The file cannot be written.
    """
    check_disputes_path(path)
    if format_extension(path) == ".jsonl":
        return write_rows(path, prodigy_tasks(shared, rule))
    tasks = [*label_studio_tasks(shared)]
    write_text(path, f"{json_line(tasks, indent=1)}\n")
    return len(tasks)


def prodigy_tasks(shared: SharedDocuments, rule: Rule = Rule()) -> Iterator[dict[str, Any]]:
    """Yield a task for each disputed document.

    Its `spans` are the consensus, with which `ner.manual` begins. Its `options` are the disputed spans with the
    annotators who marked them, for the interface `choice`.

    Args:
        shared: The documents of the annotators.
        rule: The number of votes that a span of the consensus needs.

    Raises:
        ValueError: The texts are not known.

    >>> from spacy_nereval import Document
    >>> spans = {"ann": [(0, 3, "PER"), (4, 8, "ORG")], "ben": [(0, 8, "PER")], "cleo": [(0, 3, "PER")]}
    >>> shared = SharedDocuments(tuple(spans), [SharedDocument(Document([], [], "Ada Acme"), spans)])
    >>> for task in prodigy_tasks(shared):
    ...     print(task["spans"], task["meta"], *(option["text"] for option in task["options"]), sep="; ")
    [{'start': 0, 'end': 3, 'label': 'PER'}]; {'disputes': 6, 'annotators': 'ann, ben, cleo'}; \
ann, cleo: Ada (PER); ben: Ada Acme (PER); ann: Acme (ORG)
    """
    for document, text, disputes in _dispute_texts(shared):
        in_text = [vote for vote in votes(document.spans) if not document.base.is_invented(vote.span)]
        disputed = [vote for vote in in_text if vote.disputes]
        consensus_spans = [vote.span for vote in in_text if rule.holds(len(vote.annotators), vote.of)]
        yield {
            **({} if document.base.id is None else {"id": document.base.id}),
            "text": text,
            "spans": [span_row(span) for span in consensus_spans],
            "options": [_option(k, text, vote) for k, vote in enumerate(disputed)],
            "meta": {"disputes": disputes, "annotators": ", ".join(document.spans)},
        }


def label_studio_tasks(shared: SharedDocuments) -> Iterator[dict[str, Any]]:
    """Yield a task for each disputed document, with the spans of every annotator as predictions.

    The labelling configuration has to name its text "text" and its labels "label".

    Args:
        shared: The documents of the annotators.

    Raises:
        ValueError: The texts are not known.
    """
    for document, text, disputes in _dispute_texts(shared):
        named = {} if document.base.id is None else {"document": document.base.id}
        yield {
            "data": {"text": text, **named, "disputes": disputes},
            "predictions": [
                {
                    "model_version": name,
                    "result": [_region(text, span) for span in sorted(spans) if not document.base.is_invented(span)],
                }
                for name, spans in document.spans.items()
            ],
        }


def _dispute_texts(shared: SharedDocuments) -> Iterator[tuple[SharedDocument, str, int]]:
    """Yield the disputed documents, the most disputed first, with their texts and numbers of disputes."""
    for place, row in document_disputes(shared):
        document = shared.documents[place]
        text = document.base.own_text
        if text is None:
            raise ValueError(
                f"document {row['document']} has no text, so no tasks can be made of the disputes of "
                f"{join_names(shared.annotators)}: give the texts"
            )
        if row["disputes"]:
            check_no_gaps(
                span for spans in document.spans.values() for span in spans
            )  # Prodigy and Label Studio lack them
            yield document, text, row["disputes"]


def _option(number: int, text: str, vote: Vote) -> dict[str, Any]:
    start, end, label = vote.span
    words = f"{', '.join(vote.annotators)}: {text[start:end]} ({label})"
    return {"id": number, "text": words, "start": start, "end": end, "label": label}


def _region(text: str, span: tuple[int, int, str]) -> dict[str, Any]:
    start, end, label = span
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"from_name": "label", "to_name": "text", "type": "labels", "value": value}
