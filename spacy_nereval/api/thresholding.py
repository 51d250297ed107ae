"""`thresholds`, for whatever a user has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..core.arguments import CASELESS, LISTED, SEPARATOR
from ..core.messages import shortened
from ..evaluation.thresholds.choice import with_metric_of
from ..evaluation.thresholds.inputs import Settings
from ..evaluation.thresholds.result import thresholds as found_in
from ..metrics.choosing import with_levels
from .inputs import Items, documents_of, gold_labels, reading_of_items
from .rows import TagNames
from .threshold_results import Thresholds


def thresholds(
    gold: Iterable[Any],
    pred: Any,
    metrics: Any = None,
    *,
    best: str = "strict_f",
    per_label: str | bool | None = None,
    hit: str | float = "strict",
    missing_score: float | None = None,
    bins: int = 10,
    bin_kind: str = "equal",
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    scheme: str = "auto",
    repair: str = "error",
    end: str = "exclusive",
    spans_key: str | None = None,
    labels: Mapping[str, str | None] | str | Path | None = None,
    only: Iterable[str] | str | None = None,
    depth: int | None = None,
    sep: str = SEPARATOR,
    match: str = CASELESS,
    occurrences: str = LISTED,
    tag_names: TagNames = None,
    offsets: str | None = None,
) -> Thresholds:
    """Find the best cut (score threshold) for predictions, and compute every metric at every cut.

    A prediction is kept if its score is at least the cut. Scores are those of span dicts, of
    records, of objects with a `score`, and of `doc.spans[key].attrs["scores"]`.

    Args:
        gold, pred: The gold annotation and the predictions, as `score` takes them.
        metrics: As for `score`. The metric of `best` is added if it is not among them.
        best: The score by which the cut is chosen, such as "strict_f" or "slot_error.ser".
        per_label: A cut for each label: "own" for the best of its own score, "micro" for the cuts that
            together have the best overall score; True is "own". By default all labels have one cut.
        hit: Which predictions are hits for average precision and calibration: "strict", or the least
            IoU of characters with a gold span of the same label, such as 0.5.
        missing_score: The score of predictions without one; by default they are an error.
        bins: The number of bins for calibration.
        bin_kind: "equal" for bins of the same width, "equal_mass" for the same number of predictions.
        text, tokens, scheme, repair, end, spans_key, labels, only, depth, sep, match, occurrences, tag_names, offsets:
            As for `score`.

    Returns:
        The result: a dict with methods that print and save it; see `Thresholds`.

    Raises:
        ValueError: A prediction has no score or one that is not a finite number, or as for `score`.
        OSError: As for `score`.

    >>> gold = [[(0, 3, "PER"), (8, 11, "PER")]]
    >>> pred = [[(0, 3, "PER"), (8, 11, "PER"), (4, 7, "LOC")]]
    >>> scored = [[dict(zip(("start", "end", "label", "score"), (*span, score)))
    ...            for span, score in zip(pred[0], (0.9, 0.8, 0.3))]]
    >>> found = thresholds(gold, scored, ["strict"])
    >>> found.best["cut"], found.best["value"], found.best["no_cut"]
    (0.8, 1.0, 0.8)
    """
    if not isinstance(best, str):
        raise ValueError(f"best={shortened(repr(best))}: expected the name of a score, such as 'strict_f'")
    of_labels = "own" if per_label is True else per_label or None
    settings = Settings(best, of_labels, hit, missing_score, bins, bin_kind).checked()
    reading = reading_of_items(
        scheme=scheme,
        repair=repair,
        end=end,
        spans_key=spans_key,
        labels=labels,
        only=only,
        depth=depth,
        sep=sep,
        match=match,
        occurrences=occurrences,
        tag_names=tag_names,
        offsets=offsets,
    )
    items = Items(metrics, reading)
    documents, chosen = documents_of(gold, pred, items._replace(text=text, tokens=tokens))
    with_all, added = with_levels(chosen.metrics, () if metrics is not None else gold_labels(documents), sep)
    result = found_in(documents, with_metric_of(best, with_all), settings)
    result.values["left_out"] |= chosen.left_out
    return Thresholds(result, settings, items, added)
