"""The agreement of annotators as one HTML file that opens without a network.

It begins with the differences that repeat, and ends with every disputed place and who said
what there. Texts, labels and names are never markup: see the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ....about import __version__
from ....core.messages import shortened
from ....io.writing import visible
from ...agreement_lines import MOST_NAMES, largest_difference, listed
from ...remarks import many

if TYPE_CHECKING:
    from ....evaluation.agreement.counts import AgreementCounts
    from ..contexts import Example
    from .data import Disputes
    from .rows import ChanceRow, DocumentRow, LabelRow, PairScore

STATIC = 50
"""Maximum number of disputed places for readers whose browser runs no scripts."""


class StaticVersion(NamedTuple):
    """A span, its label, and who marked it."""

    text: str
    label: str
    by: Sequence[str]


class StaticPlace(NamedTuple):
    """A disputed place: the document, the text around it, its versions, and who marked nothing."""

    name: str | int
    example: Example
    versions: list[StaticVersion]
    silent: Sequence[str]


def agreement_page(agreement: AgreementCounts, result: Mapping[str, Any], *, title: str | None = None) -> str:
    """Return the page.

    Args:
        agreement: The agreement, with the documents.
        result: What `agreement.result` returned, with intervals or without.
        title: The title; by default, the names of the annotators.
    """
    from ....evaluation.statistics.conclusion import unit_name
    from ...remarks import interval_lines, on_reading
    from .. import charts
    from ..template import AGREEMENT, Trusted, filled_in
    from ..texts import embedded
    from .data import disputes_of, groups_of, page_data
    from .rows import DOCUMENTS, annotator_rows, chance_rows, document_rows, label_rows, pair_scores

    shared, first = agreement.shared, agreement.metrics[0]
    disputes = disputes_of(shared)
    rows, groups = groups_of(shared, disputes)
    scores, chance = pair_scores(result, agreement.metrics), chance_rows(result)
    labels, documents = label_rows(result, shared, first), document_rows(shared)
    drawn = result.get("confidence")
    rank = {row.number: k for k, row in enumerate(documents)}
    data = page_data(shared, disputes) | {
        "groups": groups,
        "scores": [score.data for score in scores],
        "symbols": charts.GLYPHS,
    }
    for number, entry in enumerate(data["documents"]):
        entry["rank"] = rank.get(number, len(rank))
        entry["need"] = next(n for n in range(len(entry["by"]) + 1) if agreement.rule.holds(n, len(entry["by"])))
    pairs = {
        f"{shared.annotators.index(pair['a'])} {shared.annotators.index(pair['b'])}": {
            "number": k,
            "documents": pair["documents"],
            "shown": [score.shown[k] for score in scores],
        }
        for k, pair in enumerate(result["pairs"])
    }
    spans = sum(result["spans"].values())
    values = {
        "title": title or f"Agreement of {_people(shared.annotators)}",
        "headline": _headline(result, disputes),
        "lede": f"{many(result['documents'], 'document')} with {many(spans, 'span')} of {len(shared.annotators)} "
        f"annotators. {_measured(scores, chance, len(result['pairs']))}",
        "notes": [*_left_out(result), *on_reading(result)],
        "warnings": interval_lines(drawn) if drawn else [],
        "names": shared.annotators,
        "numbers": {name: k for k, name in enumerate(shared.annotators)},
        "symbols": charts.GLYPHS,
        "confidence": drawn,
        "units": f"{unit_name(drawn['unit'])}s" if drawn else "",
        "groups": [("By what differs", rows[0]), ("By the same words", rows[1])],
        "scores": scores,
        "pairs": pairs,
        "chance": chance,
        "labels": labels,
        "with_others": any(value is not None for value in result["consensus"]["against"].values()),
        "people": annotator_rows(result, shared, first),
        "documents": documents[:DOCUMENTS],
        "more_documents": max(0, len(documents) - DOCUMENTS),
        "disputed": disputes.number,
        "static": [*_static(agreement, disputes)],
        "finding": _findings(result, disputes, scores, chance, labels, documents),
        "signatures": [result["signature"]],
        "version": __version__,
        "data": Trusted(embedded(data)),
    }
    return filled_in(values, None, AGREEMENT)


def _people(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= MOST_NAMES else many(len(names), "annotator")


def _headline(result: Mapping[str, Any], disputes: Disputes) -> str:
    if not disputes.number:
        return "The annotators agree on every span."
    sentence = visible(largest_difference(result["differences"]))
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _measured(scores: Sequence[PairScore], chance: Sequence[ChanceRow], pairs: int) -> str:
    """Return the two numbers that people ask for first."""
    alpha = next((row for row in chance if row.key == "alpha"), None)
    first = f"The {scores[0].title} of two annotators is {_both(scores[0].mean)}{' on average' * (pairs > 1)}"
    return f"{first}, and alpha is {_both(alpha.value)}." if alpha else f"{first}."


def _both(value: Any) -> str:
    return f"{value.text} {value.bounds}".strip()


def _left_out(result: Mapping[str, Any]) -> Iterator[str]:
    for key, why in (("single", "one annotator alone annotated"), ("unannotated", "nobody annotated")):
        if number := result.get(key):
            yield f"{number:,} document{'s' * (number != 1)} that {why} {'is' if number == 1 else 'are'} left out."


def _findings(
    result: Mapping[str, Any],
    disputes: Disputes,
    scores: Sequence[PairScore],
    chance: Sequence[ChanceRow],
    labels: Sequence[LabelRow],
    documents: Sequence[DocumentRow],
) -> dict[str, str]:
    """Return the heading of each section: one sentence that states the finding."""
    sentences = {
        "differences": f"{many(len(disputes.differences), 'difference')} between two annotators",
        "pairs": "How well the two agree",
        "chance": "Agreement beyond chance",
        "labels": "Agreement on each label",
        "annotators": "Each annotator",
        "documents": "No document is disputed",
        "list": f"{many(disputes.number, 'disputed place')} in {many(len(documents), 'document')}.",
    }
    pairs = [(pair["a"], pair["b"]) for pair in result["pairs"]]
    known = [(value, pair) for value, pair in zip(scores[0].values, pairs) if value is not None]
    if len(known) > 1:
        sentences["pairs"] = f"{listed(min(known)[1])} agree least"
    if alpha := next((row for row in chance if row.key == "alpha"), None):
        sentences["chance"] = f"Beyond chance, alpha is {alpha.value.text}"
    against = {name: value for name, value in result["consensus"]["against"].items() if value is not None}
    if len(against) > 1:
        sentences["annotators"] = (
            f"{listed([min(against, key=lambda name: against[name])])} is farthest from the others"
        )
    if documents:
        sentences["labels"] = f"{listed([labels[0].label or '(empty)'])} is disputed most"
        top = documents[: max(1, len(documents) // 10)]
        share = sum(row.disputes for row in top) / sum(row.disputes for row in documents)
        have = "has" if len(top) == 1 else "have"
        sentences["documents"] = (
            f"{len(top):,} of {result['documents']:,} documents {have} {100 * share:.0f} % of the disputes"
        )
    return {name: visible(text) for name, text in sentences.items()}


def _static(agreement: AgreementCounts, disputes: Disputes) -> Iterator[StaticPlace]:
    """Yield the most disputed places as text."""
    from ..contexts import in_context
    from .data import ranked

    shared = agreement.shared
    for _, (number, place) in zip(range(STATIC), ranked(disputes)):
        document = shared.documents[number]
        versions = [
            StaticVersion(
                shortened(" ".join((document.text_of(span) or f"{span.start}–{span.end}").split()), 120), span.label, by
            )
            for span, by in place.versions
        ]
        example = in_context(document.base, place.start, place.end)
        yield StaticPlace(shared.name_of(number), example, versions, place.silent)
