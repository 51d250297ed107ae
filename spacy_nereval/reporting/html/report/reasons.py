"""What answers why, for the page: groups of the same error, and spans at which gold may be wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ....core.declaration import Metric
from ....core.overlapping import overlaps
from ....core.spans import Document
from ....core.wording import FAIREVAL
from ....evaluation.error_groups import ErrorGroup, GroupedBy, Member, error_groups
from ....evaluation.error_list import is_error
from ....evaluation.gold_suspects import Reason, Suspect, gold_suspects
from ..contexts import Example, in_context
from .data import numbers_of
from .reported import ReportedSystem
from .suspects import SuspectRow, shown_suspects, suspect_row

SHOWN = 60
"""Maximum number of groups of one kind on the page."""

CONTRADICTIONS: tuple[Reason, ...] = ("two labels", "unmarked")
"""The reasons by which gold contradicts itself."""

KINDS: dict[GroupedBy, str] = {"surface": "By words", "labels": "By labels", "slip": "By boundary slip"}
"""The kinds of groups, with their titles."""


class GroupRow(NamedTuple):
    """A group of the same error.

    Attributes:
        words: The words of the spans, or of the slip; "" for a group by labels.
        said: What is wrong, in words.
        kind: A key of `core.wording.VERDICT_KINDS`.
        number, documents: At how many places there is such an error, and in how many documents.
        example: The first error.
        ask: The request to the page's script when the user selects the group.
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


class Reasons(NamedTuple):
    """The groups and the doubtful spans of a report.

    Attributes:
        groups: For each system, its groups of each kind, the largest first.
        suspects: The doubtful gold spans, the strongest evidence first, as many as are shown.
        doubtful: How many doubtful spans there are.
        scored: Whether predictions have scores.
        doubted: For each system, how many of its errors are where gold contradicts itself, and how many it makes.
        ask_doubted: For each system, the request to the page's script that shows these errors.
        data: The groups, as the page's script reads them.
    """

    groups: list[dict[GroupedBy, list[GroupRow]]]
    suspects: list[SuspectRow]
    doubtful: int
    scored: bool
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
    # What systems say is left out here: those that learned from the same data agree in their errors too.
    contradictions = [each for each in suspects if any(why.reason in CONTRADICTIONS for why in each.evidence)]
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
    scored = any(document.span_scores for system in systems for document in system.documents)
    shown = [suspect_row(suspect, systems) for suspect in shown_suspects(suspects)]
    return Reasons(groups, shown, len(suspects), scored, doubted, ask_doubted, data)


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
    return in_context(documents[member.document], min(s.start for s in spans), max(s.end for s in spans))


def _at_suspects(documents: Sequence[Document], suspects: Iterable[Suspect], fair: Metric) -> tuple[list[Member], int]:
    """Return the errors at doubtful places, and the number of all errors."""
    places: dict[int, list[tuple[int, int]]] = {}
    for suspect in suspects:
        places.setdefault(suspect.document, []).append((suspect.start, suspect.end))
    suspected: list[Member] = []
    errors = 0
    for number, document in enumerate(documents):
        wrong = [verdict for verdict in fair.verdicts(document) if is_error(fair, verdict)]
        errors += len(wrong)
        spans = [(span, verdict) for verdict in wrong for span in (verdict.gold, verdict.pred) if span]
        doubted = {k for k, _, _ in overlaps([span[:2] for span, _ in spans], places.get(number, []))}
        members = dict.fromkeys(Member(number, spans[k][1].gold, spans[k][1].pred) for k in sorted(doubted))
        suspected += members
    return suspected, errors
