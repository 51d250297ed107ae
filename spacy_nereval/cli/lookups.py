"""`--by` and `--train`: attributes of spans, and what they are looked up in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .options import Lookups

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.breakdown import Breakdown


def asked_breakdowns(lookups: Lookups, metrics: Sequence[Metric]) -> list[Breakdown]:
    """What counts by the attributes asked for."""
    from ..core.lexicon import cached_lexicon
    from ..evaluation.breakdown import Breakdown

    training = cached_lexicon(lookups.train) if lookups.train else None
    breakdowns = [Breakdown(metrics, by, training) for by in attributes_in(lookups.by or [])]
    uses = [*(each.asked.attribute.needs_lexicon for each in breakdowns), *("train" in m.settings for m in metrics)]
    if training and not any(uses):
        raise ValueError(
            f"--train {lookups.train} is given, but nothing looks spans up in it: neither tmr nor a --by eCon"
        )
    return breakdowns


def unknown_labels(counts: Counts, breakdowns: Sequence[Breakdown]) -> list[str]:
    """What to say of gold labels that training data do not have, which look like another annotation."""
    from ..core.declaration import GOLD_SPANS
    from ..core.lexicon import cached_lexicon
    from ..counting.views import View

    paths = {str(m.settings["train"]) for m in counts.metrics if m.settings.get("train")}
    looked_up = {id(t): t for t in (*(b.training for b in breakdowns), *map(cached_lexicon, paths)) if t}
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


def attributes_in(given: Sequence[str]) -> list[str]:
    """Attributes separated by commas; numbers belong to the attribute before them.

    >>> attributes_in(["eLen:2,5,eCon", "case"])
    ['eLen:2,5', 'eCon', 'case']
    """
    found: list[str] = []
    for part in ",".join(given).split(",") if given else ():
        if found and ":" in found[-1] and part.replace(".", "").strip().isdigit():
            found[-1] += f",{part.strip()}"
        else:
            found.append(part.strip())
    return list(dict.fromkeys(found))
