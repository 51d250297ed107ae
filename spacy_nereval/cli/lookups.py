"""`--by` and `--train`: attributes of spans, and the lexicon in which spans are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .metric_options import check_train_is_used
from .options import Lookups

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.breakdown import Breakdown


def wanted_breakdowns(lookups: Lookups, metrics: Sequence[Metric]) -> list[Breakdown]:
    """Return an observer that counts by attribute, for each attribute of `--by`.

    Raises:
        ValueError: If an attribute is unknown or needs `--train`, or `--train` has no effect.
    """
    from ..core.lexicon import cached_lexicon
    from ..evaluation.breakdown import Breakdown

    lexicon = cached_lexicon(lookups.train) if lookups.train else None
    breakdowns = [Breakdown(metrics, by, lexicon) for by in split_attributes(lookups.by or [])]
    uses = [*(each.by.attribute.needs_lexicon for each in breakdowns), *("train" in m.settings for m in metrics)]
    if lookups.train:
        check_train_is_used(lookups.train, any(uses))
    return breakdowns


def unknown_labels(counts: Counts, breakdowns: Sequence[Breakdown]) -> list[str]:
    """Return a line about gold labels that the training data lack, a sign of another annotation scheme."""
    from ..core.lexicon import cached_lexicon
    from ..core.messages import shortened
    from ..evaluation.result import gold_spans

    paths = {str(m.settings["train"]) for m in counts.metrics if m.settings.get("train")}
    lexicons = [b.lexicon for b in breakdowns if b.lexicon] + [cached_lexicon(path) for path in paths]
    looked_up = {lexicon.digest: lexicon for lexicon in lexicons}
    gold = {label: number for label, number in gold_spans(counts).items() if number}
    lines = []
    for lexicon in looked_up.values():
        if unknown := {label: n for label, n in gold.items() if label not in lexicon.labels}:
            lines.append(
                f"{len(unknown)} of {len(gold)} gold labels, with {sum(unknown.values())} of {sum(gold.values())} "
                f"gold spans, do not occur in the training data: {', '.join(map(shortened, unknown))}"
            )
    return lines


def split_attributes(given: Sequence[str]) -> list[str]:
    """Return the attributes in comma-separated lists. Numbers belong to the attribute before them.

    >>> split_attributes(["eLen:2,5,eCon", "case"])
    ['eLen:2,5', 'eCon', 'case']
    """
    attributes: list[str] = []
    for part in ",".join(given).split(",") if given else ():
        if attributes and ":" in attributes[-1] and part.replace(".", "").strip().isdigit():
            attributes[-1] += f",{part.strip()}"
        else:
            attributes.append(part.strip())
    return list(dict.fromkeys(attributes))
