"""Verdicts and scores in words, for every table and page.

All wording of them is here. This module imports nothing from the
package, because spaCy loads it, with the colours of the verdicts, whenever it renders.
"""

from __future__ import annotations

from typing import NamedTuple


class Wording(NamedTuple):
    """A verdict in words.

    kind: what is right or wrong with the span, a key of `VERDICT_KINDS`.
    short: for use beside a marked span, whose colour shows the kind.
    full: for use alone, as in a table.
    """

    kind: str
    short: str
    full: str


VERDICTS = {
    "tp": Wording("hit", "correct", "correct"),
    "fp": Wording("spurious", "spurious", "spurious"),
    "fn": Wording("missed", "missed", "missed"),
    "le": Wording("label", "label error", "label error"),
    "be_s": Wording("boundary", "shorter than gold", "boundary: shorter than gold"),
    "be_l": Wording("boundary", "longer than gold", "boundary: longer than gold"),
    "be_o": Wording("boundary", "overlaps gold", "boundary: overlaps gold"),
    "lbe": Wording("both", "label and boundary", "label and boundary error"),
}
"""FairEval's verdicts."""

_STRICT = {name: VERDICTS[name] for name in ("tp", "fp", "fn")}
_BOUNDARY = Wording("boundary", "boundary", "boundary error")

WORDINGS = {
    "fair": VERDICTS,
    "strict": _STRICT,
    "relaxed": _STRICT,
    "loio": {
        "exact": VERDICTS["tp"],
        "overlap": Wording("boundary", "partial credit", "boundary error, with partial credit"),
        "fn": VERDICTS["fn"],
        "fp": VERDICTS["fp"],
    },
    "semeval": {
        "match": VERDICTS["tp"],
        "type_error": VERDICTS["le"],
        "extent_error": _BOUNDARY,
        "both_error": VERDICTS["lbe"],
        "mis": VERDICTS["fn"],
        "spu": VERDICTS["fp"],
    },
    "slot_error": {
        "c": VERDICTS["tp"],
        "s_type": VERDICTS["le"],
        "s_extent": _BOUNDARY,
        "s_both": VERDICTS["lbe"],
        "d": VERDICTS["fn"],
        "i": VERDICTS["fp"],
    },
}
"""Metric to verdict to wording. Verdicts of other metrics are shown by name only."""


def words_of(metric: str) -> dict[str, Wording]:
    """Return the wording of each verdict of a metric; empty if the metric has none.

    >>> words_of("semeval")["mis"].full, words_of("my_metric")
    ('missed', {})
    """
    return WORDINGS.get(metric, {})


VERDICT_KINDS = {
    "hit": "correct spans",
    "missed": "missed spans",
    "spurious": "spurious spans",
    "boundary": "wrong boundaries",
    "label": "wrong labels",
    "both": "wrong labels on wrong boundaries",
}
"""What can be right or wrong with a span, and the term for all such spans in a sentence."""

OUTCOMES = {
    "correct": VERDICTS["tp"].short,
    "boundary": "boundary",
    "label error": VERDICTS["le"].short,
    "label and boundary": VERDICTS["lbe"].short,
    "missed": VERDICTS["fn"].short,
}
"""The outcomes of a gold span under a system: the keys of `evaluation.transitions`, in words."""

CHANGES = ("fixed", "broken", "changed", "spurious gone", "spurious new")
"""How a span can differ between two systems: a gold span becomes correct, stops being
correct, or is wrong in another way; a spurious span is gone or new."""

SCORES = {
    "semeval": {
        "und": "undergeneration: gold spans missed",
        "ovg": "overgeneration: spurious predictions",
        "sub": "substitution: inexact pairs, half each",
        "err": "error per response fill",
    },
    "slot_error": {
        "ser": "slot error rate: errors per gold span",
        "err": "errors per gold or spurious span",
        "e": "1 - f",
        "f": "F of the aligned spans",
        "ser_acc": "1 - ser, at least 0",
    },
    "loio": {
        "tp": "credit for hits and overlaps",
        "fp": "predicted spans without credit",
        "fn": "gold spans without credit",
    },
    "fair": {"be": "boundary errors"},
    "wrf": {"wrf": "weighted Rouge-1 F1"},
    "token": {"accuracy": "tokens with the right tag"},
    "plagdet": {
        "granularity": "predictions per gold span found",
        "plagdet": "f, lowered by granularity",
    },
    "ace": {"value": "worth found, less false alarms"},
    "tmr": {
        "all": "recall of all gold spans",
        "seen": "trained with this label",
        "unseen_any": "not trained with this label",
        "unseen_tokens": "not in the training data",
        "unseen_type": "trained with other labels only",
        "confusable": "gold has several labels for them",
        "confusable_seen": "such spans in the training data",
        "confusable_unseen": "such spans not in the training data",
    },
}
"""Metric to score to what it measures. Precision, recall and F in rows of three need no explanation."""
