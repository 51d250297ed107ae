"""What answers why, for the page: groups of the same error, and spans at which gold may be wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ...core.declaration import Metric
from ...core.overlap import overlaps
from ...core.spans import Document
from ...core.wording import FAIREVAL
from ...evaluation.error_groups import ErrorGroup, GroupedBy, Member, error_groups
from ...evaluation.error_list import CONTEXT, is_error
from ...evaluation.gold_suspects import Suspect, gold_suspects
from ...io.writing import spelt_out
from .data import is_right_to_left, numbers_of
from .reported import ReportedSystem

SHOWN = 60
"""Maximum number of groups of one kind, and of doubtful spans, on the page."""

SPACE = re.compile(r"\s+")

KINDS: dict[GroupedBy, str] = {"surface": "By words", "labels": "By labels", "slip": "By boundary slip"}
"""The kinds of groups, with their titles."""


class Example(NamedTuple):
    """A stretch of text with its context, escaped, on one line, with the spaces at its ends."""

    left: Markup
    text: Markup
    right: Markup
    right_to_left: bool = False


class GroupRow(NamedTuple):
    """A group of the same error.

    Attributes:
        words: The words of the spans, or of the slip; "" for a group by labels.
        said: What is wrong, in words.
        kind: A key of `core.wording.VERDICT_KINDS`.
        number, documents: How many errors there are, and in how many documents.
        example: The first error.
        ask: What the page's script is asked for when the group is chosen.
    """

    words: str
    said: str
    kind: str
    number: int
    documents: int
    example: Example
    ask: dict[str, Any]

    @property
    def title(self) -> str:
        """The group in one line."""
        return f"{self.words}: {self.said}" if self.words else self.said


class SuspectRow(NamedTuple):
    """A place where gold may be wrong, with the evidence in words."""

    document: int
    name: str
    example: Example
    gold: str
    reasons: list[str]


class Reasons(NamedTuple):
    """The groups and the doubtful spans of a report.

    Attributes:
        groups: For each system, its groups of each kind, the largest first.
        suspects: The doubtful gold spans, the strongest evidence first, as many as are shown.
        doubtful: How many doubtful spans there are.
        doubted: For each system, how many of its errors are where gold contradicts itself, and how many it makes.
        ask_doubted: For each system, what the page's script is asked for to show these.
        data: The groups, as the page's script reads them.
    """

    groups: list[dict[GroupedBy, list[GroupRow]]]
    suspects: list[SuspectRow]
    doubtful: int
    doubted: list[tuple[int, int]]
    ask_doubted: list[dict[str, Any]]
    data: list[dict[str, Any]]


def reasons(systems: Sequence[ReportedSystem], fair: Metric, labels: Sequence[str]) -> Reasons:
    """Return the groups and the doubtful spans of a report.

    Args:
        systems: The systems, on the same documents.
        fair: The metric whose errors are grouped.
        labels: The labels, in the order of the page's data.
    """
    data: list[dict[str, Any]] = []
    groups, doubted, ask_doubted = [], [], []
    suspects = gold_suspects([system.documents for system in systems])
    # Agreement is left out here: systems that learned from the same data agree in their errors too.
    contradictions = [each for each in suspects if any(why.reason != "agreement" for why in each.evidence)]
    for number, system in enumerate(systems):
        found = error_groups(system.documents, fair)
        rows: dict[GroupedBy, list[GroupRow]] = {}
        for by in KINDS:
            least = 1 if by == "labels" else 2
            rows[by] = [
                _row(group, number, system.documents, labels, data) for group in found.largest(by, least)[:SHOWN]
            ]
        groups.append(rows)
        at, errors = _at_suspects(system.documents, contradictions, fair)
        doubted.append((len(at), errors))
        ask_doubted.append({"one": number, "group": len(data)})
        data.append({"title": "gold in doubt", "members": _flat(at, system.documents)})
    shown = [_suspect_row(suspect, systems) for suspect in suspects[:SHOWN]]
    return Reasons(groups, shown, len(suspects), doubted, ask_doubted, data)


def said(group: ErrorGroup) -> str:
    """Return what is wrong with the errors of a group.

    >>> said(ErrorGroup("labels", (), {}, verdict="le", gold="ORG", pred="LOC"))
    'ORG predicted as LOC'
    """
    if group.slip:
        return f"{group.slip.end} words {'taken in' if group.slip.added else 'left out'}"
    return wording(group.verdict or "", group.gold or "", group.pred or "")


def wording(verdict: str, gold: str, pred: str) -> str:
    """Return what is wrong with a gold span and a prediction of these labels.

    >>> wording("fn", "ORG", ""), wording("lbe", "ORG", "LOC")
    ('ORG missed', 'ORG predicted as LOC, wrong boundaries')
    """
    gold_label, pred_label = gold or "(empty)", pred or "(empty)"
    if verdict == "fn":
        return f"{gold_label} missed"
    if verdict == "fp":
        return f"spurious {pred_label}"
    if gold != pred:
        return f"{gold_label} predicted as {pred_label}" + (", wrong boundaries" if verdict == "lbe" else "")
    return f"{gold_label} {FAIREVAL[verdict].short}"


def times(number: int) -> str:
    """Return how often, in words.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if number == 1 else f"{number:,} times"


def _row(
    group: ErrorGroup, system: int, documents: Sequence[Document], labels: Sequence[str], data: list[dict[str, Any]]
) -> GroupRow:
    words = group.slip.words if group.slip else group.surface or ""
    first = group.members[0]
    kind = FAIREVAL[group.verdict].kind if group.verdict else "boundary"
    row = GroupRow(words, said(group), kind, group.number, group.documents, _example_of(documents, first), {})
    if group.by == "labels":
        cell = [labels.index(label) if label else -1 for label in (group.gold, group.pred)]
        return row._replace(ask={"one": system, "verdicts": [group.verdict], "cell": cell})
    data.append({"title": row.title, "members": _flat(group.members, documents)})
    return row._replace(ask={"one": system, "group": len(data) - 1})


def _flat(members: Iterable[Member], documents: Sequence[Document]) -> list[int]:
    """Return the members as numbers: document, gold span and prediction, -1 for none."""
    found = []
    for number, gold, pred in members:
        golds, preds = numbers_of(documents[number])
        found += [number, golds[gold] if gold else -1, preds[pred] if pred else -1]
    return found


def _example_of(documents: Sequence[Document], member: Member) -> Example:
    spans = [span for span in (member.gold, member.pred) if span]
    return _example(documents[member.document], min(s.start for s in spans), max(s.end for s in spans))


def _example(document: Document, start: int, end: int) -> Example:
    text = document.text
    if text is None:
        return Example(Markup(), Markup(f"{start}–{end}"), Markup())
    long = end - start > 2 * CONTEXT
    middle = f"{text[start : start + CONTEXT]}…{text[end - CONTEXT : end]}" if long else text[start:end]
    parts = text[max(0, start - CONTEXT) : start], middle, (document.own_text or "")[end : end + CONTEXT]
    if document.is_invented((start, end, "")):
        parts = "not in the text: ", middle, ""
    left, here, right = (escape(spelt_out(SPACE.sub(" ", part))) for part in parts)
    return Example(left, here, right, is_right_to_left(text))


def _at_suspects(documents: Sequence[Document], suspects: Iterable[Suspect], fair: Metric) -> tuple[list[Member], int]:
    """Return the errors at doubtful places, and the number of all errors."""
    places: dict[int, list[tuple[int, int]]] = {}
    for suspect in suspects:
        places.setdefault(suspect.document, []).append((suspect.start, suspect.end))
    found: list[Member] = []
    errors = 0
    for number, document in enumerate(documents):
        wrong = [verdict for verdict in fair.verdicts(document) if is_error(fair, verdict)]
        errors += len(wrong)
        spans = [(span, verdict) for verdict in wrong for span in (verdict.gold, verdict.pred) if span]
        doubted = {k for k, _, _ in overlaps([span[:2] for span, _ in spans], places.get(number, []))}
        members = dict.fromkeys(Member(number, spans[k][1].gold, spans[k][1].pred) for k in sorted(doubted))
        found += members
    return found, errors


def _suspect_row(suspect: Suspect, systems: Sequence[ReportedSystem]) -> SuspectRow:
    document = systems[0].documents[suspect.document]
    said = []
    for each in suspect.evidence:
        if each.reason == "two labels":
            said.append(f"gold has {each.label} {times(each.number)} for these words, {suspect.gold} {each.against}")
        elif each.reason == "unmarked":
            said.append(f"predicted {each.label}; gold marks these words so {times(each.number)} elsewhere")
        else:
            said.append(f"all {each.number} systems predict {each.label}")
    name = str(suspect.document + 1) if document.id is None else document.id
    example = _example(document, suspect.start, suspect.end)
    return SuspectRow(suspect.document, name, example, suspect.gold or "none", list(dict.fromkeys(said)))
