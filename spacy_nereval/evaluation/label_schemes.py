"""Warn of predicted labels that gold does not have, and propose how to map them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from shlex import quote

from ..core.labels import LabelRules
from ..core.messages import listed, with_spaces_shown

ALIASES = (
    {"per", "person", "persons", "people", "pers"},
    {"loc", "location", "locations", "place"},
    {"org", "organization", "organisation", "organizations", "organisations"},
    {"misc", "miscellaneous"},
)
"""Names that mean the same in many annotation schemes, in lower case."""

SHOWN = 8
"""Maximum number of labels of a side that are named."""

FEWEST_PARTNERS, LEAST_RATIO = 2, 0.6
"""What makes a gold label a proposal: so many spans with the same boundaries, or so similar a name."""

Partners = Mapping[tuple[str, str], int]
"""How many spans with the same boundaries have (predicted label, gold label)."""

Table = Mapping[str, str | None]
"""Labels with their new names, None to drop them."""


def unknown_labels(gold: Mapping[str, int], pred: Mapping[str, int]) -> list[str]:
    """Return the predicted labels that never occur in gold, sorted; none if gold has no spans.

    Args:
        gold, pred: Labels with their numbers of spans.

    >>> unknown_labels({"PER": 3, "LOC": 0}, {"PER": 1, "LOC": 2})
    ['LOC']
    """
    return sorted(label for label in pred if pred[label] and not gold.get(label)) if any(gold.values()) else []


def label_lines(
    gold: Mapping[str, int],
    pred: Mapping[str, int],
    partners: Partners | None = None,
    rules: LabelRules | None = None,
    *,
    written: Callable[[Table], str] | None = None,
) -> list[str]:
    """Return a warning if predicted labels never occur in gold; an empty list otherwise.

    Args:
        gold, pred: Labels with their numbers of spans.
        partners: See `Partners`.
        rules: The label rules that are in use already.
        written: Writes a mapping of labels as something to paste; by default as `option` does.

    >>> label_lines({"PER": 3, "LOC": 1}, {"PERSON": 2, "loc": 1})[0]  # doctest: +ELLIPSIS
    '⚠ No predicted label is a gold label: gold has LOC, PER, predictions have PERSON, loc. ... PERSON=PER,loc=LOC'
    >>> label_lines({"PER": 3}, {"PER": 1})
    []
    """
    golds, preds = (sorted(label for label, number in side.items() if number) for side in (gold, pred))
    unknown = unknown_labels(gold, pred)
    if not unknown:
        return []
    shown = listed([*map(with_spaces_shown, golds)], SHOWN)
    of_preds = listed([*map(with_spaces_shown, unknown)], SHOWN)
    if len(unknown) == len(preds):
        what = (
            f"No predicted label is a gold label: gold has {shown}, predictions have {of_preds}. "
            "Scores that compare labels say little."
        )
    else:
        spans = sum(pred[label] for label in unknown)
        what = (
            f"{spans} of {sum(pred.values())} predicted spans have a label that never occurs in gold: {of_preds}. "
            f"Gold has {shown}."
        )
    proposals = {label: name for label in unknown if (name := proposed(label, golds, partners or {})) is not None}
    remedy = ""
    if proposals and not (rules and rules.depth):
        remedy = f" To map labels, add {(written or option)(extended(proposals, rules))}"
    return [f"⚠ {what}{remedy}"]


def proposed(label: str, golds: Sequence[str], partners: Partners) -> str | None:
    """Return the gold label that a predicted label probably means, None if nothing speaks for one.

    Args:
        label: A predicted label that gold does not have.
        golds: The gold labels.
        partners: See `Partners`.

    >>> [proposed(label, ["PERSON", "PhysicalObject", "ORG"], {}) for label in ("PER", "physical_object", "LOC")]
    ['PERSON', 'PhysicalObject', None]
    >>> proposed("GPE", ["LOC", "ORG"], {("GPE", "LOC"): 3, ("GPE", "ORG"): 2})
    'LOC'
    """
    plain = {name: _plain(name) for name in (label, *golds)}
    if same := [name for name in golds if plain[name] == plain[label] != ""]:
        return same[0]
    begins = [name for name in golds if plain[name] and plain[label] and _one_begins(plain[name], plain[label])]
    if begins:
        return min(begins, key=lambda name: abs(len(plain[name]) - len(plain[label])))
    numbers = {name: number for (theirs, name), number in partners.items() if theirs == label}
    best = max(numbers, key=lambda name: (numbers[name], name), default=None)
    if best is not None and numbers[best] >= FEWEST_PARTNERS and 2 * numbers[best] > sum(numbers.values()):
        return best
    alike = {name: SequenceMatcher(None, plain[label], plain[name]).ratio() for name in golds}
    nearest = max(golds, key=lambda name: alike[name])
    if alike[nearest] >= LEAST_RATIO:
        return nearest
    return next((name for name in golds if any({plain[label], plain[name]} <= names for names in ALIASES)), None)


def extended(found: Mapping[str, str], rules: LabelRules | None = None) -> dict[str, str | None]:
    """Return a mapping of labels that does what is proposed as well as what the rules in use do.

    Args:
        found: Labels with their new names.
        rules: The rules in use.

    >>> extended({"PERS": "PERSON"}, LabelRules(labels=(("PER", "PERS"), ("MISC", None))))
    {'PER': 'PERSON', 'MISC': None, 'PERS': 'PERSON'}
    """
    given = rules.mapping if rules else {}
    before = {old: None if new is None else found.get(new, new) for old, new in given.items()}
    return before | {old: new for old, new in found.items() if old not in before}


def option(table: Table) -> str:
    """Return the option that maps labels, to be pasted into a shell.

    >>> option({"PER": "PERSON"}), option({"a b": "c,d"})
    ('--labels PER=PERSON', '--labels \\'{"a b": "c,d"}\\'')
    """
    return f"--labels {quote(_text(table))}"


def argument(table: Table) -> str:
    """Return the argument of `score` that maps labels.

    >>> argument({"PER": "PERSON", "MISC": None})
    "labels='PER=PERSON,MISC='"
    """
    return f"labels={_text(table)!r}"


def setting(table: Table) -> str:
    """Return what to put into a config to map labels.

    >>> setting({"PER": "PERSON", "MISC": None})
    'to the config block of the scorer or component: labels = {"PER": "PERSON", "MISC": null}'
    """
    return f"to the config block of the scorer or component: labels = {_json(table)}"


def _text(table: Table) -> str:
    """Return a mapping as `core.labels.label_rules` reads it: pairs, or JSON if these would be ambiguous."""
    names = [*table, *filter(None, table.values())]
    if any({*name} & {",", "=", "{"} or name != name.strip() or not name.isprintable() for name in names):
        return _json(table)
    return ",".join(f"{old}={new or ''}" for old, new in table.items())


def _json(table: Table) -> str:
    printable = all(map(str.isprintable, (*table, *filter(None, table.values()))))
    return json.dumps(dict(table), ensure_ascii=not printable)


def _plain(label: str) -> str:
    """Return the letters and digits of a label, without case."""
    return "".join(filter(str.isalnum, label)).casefold()


def _one_begins(a: str, b: str) -> bool:
    return a.startswith(b) or b.startswith(a)
