"""`thresholds`, for whatever a user has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..core.labels import SEPARATOR, label_rules
from ..core.mention_places import CASELESS, LISTED
from ..core.messages import shortened
from ..evaluation.thresholds.choice import with_metric_of
from ..evaluation.thresholds.inputs import Settings
from ..evaluation.thresholds.result import thresholds as found_in
from .choice import separator, with_levels
from .documents import Items, documents_of
from .plain_records import Reading
from .rows import TagNames, given_names
from .threshold_results import Thresholds
from .words import in_python


def thresholds(
    gold: Iterable[Any],
    pred: Any,
    metrics: Any = None,
    *,
    best: str = "strict_f",
    per_label: str | None = None,
    hit: str | float = "strict",
    missing_score: float | None = None,
    bins: int = 10,
    bin_kind: str = "equal",
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    scheme: str = "auto",
    repair: str = "conll",
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
            together have the best overall score. By default all labels have one cut.
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
    settings = Settings(best, per_label, hit, missing_score, bins, bin_kind).checked()
    reading = Reading(scheme, repair, end, spans_key, match, occurrences, given_names(tag_names), offsets).checked()
    items = Items(metrics, reading, label_rules(labels, only, depth, sep))
    documents, chosen, without = documents_of(gold, pred, items._replace(text=text, tokens=tokens))
    chosen_too, added = with_levels(chosen, documents, separator(metrics, sep))
    try:
        result = found_in(documents, with_metric_of(best, chosen_too), settings)
    except ValueError as error:
        raise ValueError(in_python(str(error))) from None
    result.values["left_out"] |= without
    return Thresholds(result, settings, items, added)
