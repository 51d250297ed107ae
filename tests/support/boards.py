"""Leaderboards of a few numbers: counts of systems from (hits, spurious, missed) of each document."""

from collections.abc import Mapping, Sequence
from typing import Any

from spacy_nereval import Counts, score
from spacy_nereval.features.leaderboard.ranking import Entry

Outcomes = Sequence[tuple[int, int, int]]
"""The hits, spurious and missed spans of each document."""


def tags(outcomes: Outcomes) -> tuple[list[list[str]], list[list[str]]]:
    """Gold and predicted tags with so many hits, spurious and missed spans; every span is a token.

    The gold tags of two systems are the same if as many spans are hit or missed, and no more than 20 are spurious.
    """
    gold = [["B-PER"] * (tp + fn) + ["O"] * 20 for tp, _, fn in outcomes]
    pred = [["B-PER"] * tp + ["O"] * fn + ["B-PER"] * fp + ["O"] * (20 - fp) for tp, fp, fn in outcomes]
    return gold, pred


def counts(outcomes: Outcomes, metric: Any = "strict") -> Counts:
    made: Any = score(*tags(outcomes), metric).counts
    assert isinstance(made, Counts)
    return made


def board(systems: Mapping[str, Outcomes], metric: Any = "strict") -> dict[str, Entry]:
    return {name: Entry([counts(outcomes, metric)]) for name, outcomes in systems.items()}


def digits(text: str) -> list[tuple[int, int, int]]:
    """Outcomes written as three digits a document: "821 513"."""
    return [(int(tp), int(fp), int(fn)) for tp, fp, fn in text.split()]
