"""`compare`, for whatever a user has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.messages import absent
from ..core.spans import Document
from ..counting.counts import Counts
from ..evaluation.comparison import System, comparison
from ..evaluation.resampling import Confidence
from ..evaluation.result import gold_spans, pred_spans
from ..evaluation.tested import Asked, families
from ..evaluation.transitions import outcomes_of
from ..metrics.registry import with_levels
from .inputs import (
    ItemReading,
    Items,
    documents_of,
    gold_labels,
    kept_items,
    reading_of_items,
    with_item_reading,
)
from .reports import KeptSystem
from .results import Comparison, Result, have_no_common_label, warnings_of
from .scoring import check_alone, counted, counts_of, runs_of
from .sides import can_be_kept

if TYPE_CHECKING:
    from typing_extensions import Unpack


@with_item_reading
def compare(
    systems: Mapping[str, Any],
    gold: Iterable[Any] | str | Path | None = None,
    metrics: Any = None,
    *,
    baseline: str | None = None,
    level: float = 0.95,
    samples: int = 1000,
    trials: int | None = None,
    seed: int = 0,
    primary: str | None = None,
    secondary: Sequence[str] | str | None = None,
    margin: float | None = None,
    per_label: bool = False,
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Comparison:
    """Compare systems with a baseline: differences, their intervals, paired tests, and which spans changed.

    Args:
        systems: The name and the predictions of each system, as `score` takes them. For a system
            that was trained several times, give a table of its runs, {"run 1": pred, "run 2": pred};
            their mean scores are compared. Alternatively, all systems are results of `score`, counts or paths of count
            files (.npz);
            collapsed ones are compared by the half-samples that they keep.
        gold: The gold annotation, as `score` takes it; None with counts.
        metrics: As for `score`.
        baseline: The name of the system that the others are compared with; by default the first.
        level: The confidence level of the intervals.
        samples: The number of half-samples, random halves of the documents, for intervals.
        trials: The number of random swaps for the tests; by default enough for the number of tests.
        seed: The seed of the random number generator.
        primary: The score that the conclusion is about, METRIC.SCORE or its score key, such as fair_f; by
            default the headline of the first metric.
        secondary: Further scores to test, METRIC.SCORE each; by default one headline of each further metric.
        margin: The largest difference of the primary score that does not matter, in points.
        per_label: Whether to compare the primary score of each label too.
        text, tokens, scheme, repair, end, spans_key, labels, only: As for `score`.
        depth, sep, match, occurrences, tag_names, offsets: As for `score`.

    Returns:
        The comparison: a dict with methods that print and save it; see `Comparison`.

    Raises:
        ValueError: There are fewer than two systems, there is no such baseline, or as for `score`.
        OSError: As for `score`.

    >>> gold = [["B-PER", "O"], ["B-LOC", "O"]] * 4
    >>> found = compare({"a": [["B-LOC", "O"]] * 8, "b": gold}, gold, ["strict"])
    >>> row = found["comparisons"][0]
    >>> row["system"], row["baseline_value"], row["value"]
    ('b', 0.5, 1.0)
    """
    if isinstance(gold, Mapping) and not isinstance(systems, Mapping):
        raise ValueError("systems come before gold: write compare({'a': pred_a, 'b': pred_b}, gold)")
    if isinstance(systems, Result):
        raise ValueError("results have no names: write compare({'a': result_a, 'b': result_b})")
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise ValueError("systems: expected a table of two or more names and predictions, {'a': pred_a, 'b': pred_b}")
    if baseline is not None and baseline not in systems:
        raise ValueError(absent(baseline, systems, "system"))
    first = baseline if baseline is not None else next(iter(systems))
    asked = Asked(primary, secondary, per_label, margin).checked()
    settings = Confidence(level, samples, seed).checked()
    if given := _given_counts(systems, first):
        check_alone(gold=gold, metrics=metrics, text=text, tokens=tokens, **options)
        return Comparison(comparison(given, [], settings, trials, **asked._asdict()))
    if gold is None:
        raise ValueError("gold is missing: expected the gold annotation, one item per document, as the second argument")
    items = Items(metrics, reading_of_items(**options), text, tokens)
    items, same = kept_items(items, gold)
    left_out: dict[str, str] = {}
    warnings: list[str] = []
    notes: list[str] = []
    compared: list[System] = []
    kept: list[Document | None] = []
    reported: list[KeptSystem] | None = [] if can_be_kept(gold) else None
    for name in dict.fromkeys([first, *systems]):
        runs: list[Counts] = []
        for shown, pred in runs_of(name, systems[name]):
            kept, (found, left_out) = documents_of(same, pred, items, shown)
            chosen, added = with_levels(found, () if metrics is not None else gold_labels(kept), items.reading.sep)
            families(chosen, asked.primary, asked.secondary)  # so that it fails before anything is counted
            counts = counted(kept, chosen, items.reading.spans_key)
            lines = warnings_of(counts, shown)
            (warnings if have_no_common_label(gold_spans(counts), pred_spans(counts)) else notes).extend(lines)
            runs.append(counts)
        outcomes = outcomes_of(kept, chosen) if len(runs) == 1 else None
        compared.append(System(name, runs, outcomes))
        can_be_reported = reported is not None and len(runs) == 1 and can_be_kept(systems[name])
        reported = [*(reported or ()), KeptSystem(name, kept, runs[0])] if can_be_reported else None
    values = comparison(compared, kept, settings, trials, **asked._asdict())
    values |= {"left_out": left_out} if left_out else {}
    return Comparison(
        values, [*notes, *added], warnings, systems=reported, confidence=settings, asked=asked, trials=trials
    )


def _given_counts(systems: Mapping[str, Any], first: str) -> list[System] | None:
    """Return systems that are given as counts, the baseline first; None if none is.

    Raises:
        ValueError: Only some of them are counts.
    """
    given = {name: runs_of(name, systems[name]) for name in dict.fromkeys([first, *systems])}
    found = {name: [counts_of(run) for _, run in runs] for name, runs in given.items()}
    if not any(any(own) for own in found.values()):
        return None
    if other := next((name for name, own in found.items() if not all(own)), None):
        raise ValueError(f"{other} is given as predictions, and other systems as counts: give all as one of the two")
    return [System(name, [counts for counts in own if counts]) for name, own in found.items()]
