"""Warn of predicted labels that never occur in the gold annotation, and propose how to map them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from ..core.labels import NO_LABEL, LabelRules
from ..core.messages import LISTED, Pasted, join_names, list_alike, show_spaces, spell_argument

SCHEMES = (
    "per pers person persons people",  # CoNLL, ACE, GermEval; OntoNotes, GUM, WNUT
    "loc location locations place ort",  # CoNLL, OntoNotes; WNUT; GUM; German
    "org organization organizations organisation organisations",
    "misc miscellaneous oth",  # CoNLL; GermEval
    "gpe geopoliticalentity",
    "fac facility",
    "veh vehicle",  # ACE
    "wea weapon",
    "prod product",
    "evt event",
    "workofart creativework",  # OntoNotes; WNUT
    "lang language",
    "percent percentage",
    "gene ggp geneorgeneproduct",  # BioCreative; CRAFT; BioNLP
    "chem chemical simplechemical chebi",
    "species organism taxon",
    "celltype cl",
)
"""Per line the names that annotation schemes have for one kind of entity, in the form of `_bare_letters`. Kinds that
overlap only in part, such as GPE and LOC, are different lines."""

SHOWN = 8
"""Maximum number of labels of a side that are named."""

FEWEST_PARTNERS = 2
"""Minimum number of spans with the same boundaries by which a gold label is proposed."""

PREFIX = re.compile("[BI]-(?=.)")
"""The prefix of a tag that was taken for a label."""

Partners = Mapping[tuple[str, str], int]
"""How many spans with the same boundaries have (predicted label, gold label)."""

Table = Mapping[str, str | None]
"""Labels with their new names, None to drop them."""


def unknown_labels(gold: Mapping[str, int], pred: Mapping[str, int]) -> list[str]:
    """Return the predicted labels that never occur in gold, sorted; none without gold spans.

    Args:
        gold, pred: Labels with their numbers of spans.

    >>> unknown_labels({"PER": 3, "LOC": 0}, {"PER": 1, "LOC": 2})
    ['LOC']
    """
    return sorted(label for label in pred if pred[label] and not gold.get(label)) if any(gold.values()) else []


def label_warnings(
    gold: Mapping[str, int],
    pred: Mapping[str, int],
    partners: Partners | None,
    rules: LabelRules | None,
    mapped: Collection[str],
    system: str = "",
) -> list[str]:
    """Return warnings if predicted labels never occur in gold, or labels of rules never occur at all.

    Args:
        gold, pred, partners, rules: As for `label_lines`.
        mapped: The labels that the rules map and that occurred.
        system: The name of the system, if there are several.

    >>> rules = LabelRules({"ORG": "COMPANY"})
    >>> label_warnings({"PER": 1}, {"PER": 1}, None, rules, set())
    ['⚠ labels: ORG to map, but neither side has such a label']
    """
    lines = [
        *label_lines(gold, pred, partners, rules),
        *(rules.usage_warnings(mapped, {*gold, *pred}) if rules else []),
    ]
    return [f"⚠ {system}: {line.removeprefix('⚠ ')}" for line in lines] if system else lines


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
        gold, pred: Labels with their numbers of spans, including labels that the rules drop.
        partners: See `Partners`.
        rules: The label rules that are in use already.
        written: A function that formats a mapping of labels for pasting; by default `mapping_argument`.

    >>> label_lines({"PER": 3, "LOC": 1}, {"PERSON": 2, "loc": 1})[0]  # doctest: +ELLIPSIS
    "⚠ No predicted label is a gold label: the gold labels are LOC, PER, ... loc. ...='PERSON=PER,loc=LOC'"
    >>> label_lines({"PER": 3}, {"PER": 1})
    []
    """
    golds, preds = (sorted(label for label, number in side.items() if number) for side in (gold, pred))
    unknown = unknown_labels(gold, pred)
    if not unknown:
        return []
    shown = join_names([*map(show_spaces, golds)], SHOWN)
    of_preds = join_names([*map(show_spaces, unknown)], SHOWN)
    if len(unknown) == len(preds):
        problem = (
            f"No predicted label is a gold label: the gold labels are {shown}, the predicted labels {of_preds}. "
            "Scores that compare labels are not meaningful."
        )
    else:
        spans = sum(pred[label] for label in unknown)
        has = "has" if spans == 1 else "have"
        problem = (
            f"{_shown(spans)} of {_shown(sum(pred.values()))} predicted spans {has} a label that never "
            f"occurs in gold: {of_preds}. Gold has {shown}."
        )
    if rules and rules.only is not None and (dropped := [label for label in unknown if label not in rules.only]):
        problem += f" {spell_argument('only')} excludes {join_names([*map(show_spaces, dropped)])}."
    if alike := list_alike(unknown, golds):
        problem += f" {', '.join(alike[:LISTED])}."
    if preds == [NO_LABEL] and not (rules and rules.depth):
        unlabelled = (written or mapping_argument)(extend_mapping(dict.fromkeys(golds, NO_LABEL), rules))
        return [f"⚠ {problem} To compare boundaries alone, add {unlabelled}"]
    if rules and rules.label_from:
        partners = None  # another value on a span that both sides have is an error, and no other name
    candidates = {label: propose_label(label, golds, partners or {}, pred[label]) for label in unknown}
    proposals = {label: proposal for label, proposal in candidates.items() if proposal}
    remedy = ""
    if proposals and not (rules and rules.depth):
        remedy = "".join(
            f" {proposal.spans} of {pred[label]} spans predicted as {show_spaces(label)} have the boundaries "
            f"of a gold {show_spaces(proposal.name)}."
            for label, proposal in proposals.items()
            if proposal.spans
        )
        names = {label: proposal.name for label, proposal in proposals.items()}
        remedy += f" To map labels, add {(written or mapping_argument)(extend_mapping(names, rules))}"
    return [f"⚠ {problem}{remedy}"]


class Proposal(NamedTuple):
    """A gold label that a predicted label probably means. `spans` is the number of predicted spans with the boundaries
    of gold spans of that label; 0 if the names alone are the reason."""

    name: str
    spans: int = 0


def propose_label(label: str, golds: Sequence[str], partners: Partners, number: int = 0) -> Proposal | None:
    """Return the gold label that a predicted label probably means; None without evidence for one.

    The names are the same but for case, separators and the prefix of a tag; or known schemes use them for one kind of
    entity; or most of the predicted spans have the boundaries of gold spans with that label. Names that merely look
    alike mean nothing: PERCENT is no PER.

    Args:
        label: A predicted label that gold does not have.
        golds: The gold labels.
        partners: See `Partners`.
        number: How many predicted spans have the label; by default those with partners.

    >>> [propose_label(label, ["PERSON", "PhysicalObject"], {}) for label in ("PER", "physical_object", "PERCENT")]
    [Proposal(name='PERSON', spans=0), Proposal(name='PhysicalObject', spans=0), None]
    >>> propose_label("GPE", ["LOC", "ORG"], {("GPE", "LOC"): 3, ("GPE", "ORG"): 2})
    Proposal(name='LOC', spans=3)
    """
    for form in (_bare_letters, _scheme_names):
        if (meant := form(label)) and len(candidates := _group_by_form(tuple(golds), form).get(meant, [])) == 1:
            return Proposal(candidates[0])
    numbers = {name: spans for (predicted, name), spans in partners.items() if predicted == label}
    best = max(numbers, key=lambda name: (numbers[name], name), default=None)
    if best is None or numbers[best] < FEWEST_PARTNERS or 2 * numbers[best] <= max(number, sum(numbers.values())):
        return None
    return Proposal(best, numbers[best])


def extend_mapping(names: Mapping[str, str], rules: LabelRules | None = None) -> dict[str, str | None]:
    """Return one mapping of labels for the proposed names and the rules in use.

    Args:
        names: Labels with their new names.
        rules: The rules in use.

    >>> extend_mapping({"PERS": "PERSON"}, LabelRules(labels=(("PER", "PERS"), ("MISC", None))))
    {'PER': 'PERSON', 'MISC': None, 'PERS': 'PERSON'}
    """
    mapping = rules.mapping if rules else {}
    before = {old: None if new is None else names.get(new, new) for old, new in mapping.items()}
    return before | {old: new for old, new in names.items() if old not in before}


def mapping_setting(table: Table) -> str:
    """Return the line of a config that maps labels.

    >>> mapping_setting({"PER": "PERSON", "MISC": None})
    'to the config block of the scorer or component: labels = {"PER": "PERSON", "MISC": null}'
    """
    return f"to the config block of the scorer or component: labels = {_json(table)}"


def mapping_argument(table: Table) -> str:
    """Return the argument that maps labels, to be pasted: pairs, or JSON if these would be ambiguous.

    >>> print(mapping_argument({"PER": "PERSON", "MISC": None}), mapping_argument({"a b": "c=d"}))
    labels='PER=PERSON,MISC=' labels='{"a b": "c=d"}'
    """
    return spell_argument("labels", Pasted(_text(table)))


def _text(table: Table) -> str:
    names = [*table, *filter(None, table.values())]
    if any({*name} & {",", "=", "{"} or name != name.strip() or not name.isprintable() for name in names):
        return _json(table)
    return ",".join(f"{old}={new or ''}" for old, new in table.items())


def _json(table: Table) -> str:
    printable = all(map(str.isprintable, (*table, *filter(None, table.values()))))
    return json.dumps(dict(table), ensure_ascii=not printable)


@lru_cache(maxsize=4)  # all predicted labels are compared with the same gold labels
def _group_by_form(golds: tuple[str, ...], form: Callable[[str], str | None]) -> dict[str | None, list[str]]:
    """Return the gold labels by their form."""
    result: dict[str | None, list[str]] = {}
    for name in golds:
        result.setdefault(form(name), []).append(name)
    return result


def _bare_letters(label: str) -> str:
    """Return the letters and digits of a label, without case, Unicode form and the prefix of a tag."""
    return "".join(filter(str.isalnum, normalize("NFKC", PREFIX.sub("", label, count=1)))).casefold()


def _scheme_names(label: str) -> str | None:
    """Return the names that known schemes have for a kind of entity; None if they do not have the label."""
    return next((names for names in SCHEMES if _bare_letters(label) in names.split()), None)


def _shown(number: float) -> str:
    """Return a number of spans, which is a mean over training runs if it is not whole."""
    return f"{number:.1f}".removesuffix(".0")
