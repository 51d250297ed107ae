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
    from ..core.lexicon import table
    from ..evaluation.breakdown import Breakdown

    training = table(lookups.train) if lookups.train else None
    breakdowns = [Breakdown(metrics, by, training) for by in split_attributes(lookups.by or [])]
    uses = [*(each.asked.attribute.training for each in breakdowns), *("train" in m.settings for m in metrics)]
    if lookups.train:
        check_train_is_used(lookups.train, any(uses))
    return breakdowns


def unknown_labels(counts: Counts, breakdowns: Sequence[Breakdown]) -> list[str]:
    """Return a line about gold labels that the training data lack, a sign of another annotation scheme."""
    from ..core.declaration import GOLD_SPANS
    from ..core.lexicon import table
    from ..counting.views import View

    paths = {str(m.settings["train"]) for m in counts.metrics if m.settings.get("train")}
    looked_up = {id(t): t for t in (*(b.training for b in breakdowns), *map(table, paths)) if t}
    view = View(counts, counts.metrics[0])
    gold = {label: int(n) for label, n in zip(view.labels, view.sums(by_label=True)[GOLD_SPANS]) if n}
    lines = []
    for training in looked_up.values():
        if unknown := {label: n for label, n in gold.items() if label not in training.labels}:
            lines.append(
                f"{len(unknown)} of {len(gold)} gold labels, with {sum(unknown.values())} of {sum(gold.values())} "
                f"gold spans, do not occur in the training data: {', '.join(unknown)}"
            )
    return lines


def split_attributes(given: Sequence[str]) -> list[str]:
    """Return the attributes in comma-separated lists. Numbers belong to the attribute before them.

    >>> split_attributes(["eLen:2,5,eCon", "case"])
    ['eLen:2,5', 'eCon', 'case']
    """
    found: list[str] = []
    for part in ",".join(given).split(",") if given else ():
        if found and ":" in found[-1] and part.replace(".", "").strip().isdigit():
            found[-1] += f",{part.strip()}"
        else:
            found.append(part.strip())
    return list(dict.fromkeys(found))
