"""The scores of every document, and where metrics disagree about one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Metric, Score
from ..counting.counts import Counts
from ..counting.table import Table
from .result import document_names, plain

EXAMPLES = 3
"""Maximum number of documents of each kind that `disagreement` names."""


def document_scores(counts: Counts) -> dict[str, dict[str, NDArray[Any]]]:
    """Return metric to score to float64[documents], for all scores that documents have; NaN is undefined."""
    counts.check_documents("scores of documents")
    table = Table(counts)
    blocks = [table.document_scores(table.cells[here])[0] for here in table.stretches()]
    nothing = np.zeros((sum(len(metric.averaged) for metric in counts.metrics), 0))
    rows = iter(np.concatenate([nothing, *blocks], axis=1))
    return {metric.name: {score.name: next(rows) for score in metric.averaged} for metric in counts.metrics}


def document_rows(counts: Counts) -> list[dict[str, Any]]:
    """Return a row per document with its scores that have a score key, the worst document first.

    The first headline score decides which is worst; among ties, the document with the most spans.

    >>> from spacy_nereval import Document, count, create
    >>> docs = [Document([(0, 1, "A")], [(0, 1, "A")], id="a"), Document([(0, 1, "A")], [], id="b")]
    >>> [(row["document"], row["strict_f"]) for row in document_rows(count(docs, [create("strict")]))]
    [('b', 0.0), ('a', 1.0)]
    """
    scores = document_scores(counts)
    columns: dict[str, NDArray[Any]] = {"gold": _spans(counts, GOLD_SPANS), "pred": _spans(counts, PRED_SPANS)}
    for metric in counts.metrics:
        columns |= {key: scores[metric.name][name] for key, name in metric.keys.items() if name in scores[metric.name]}
    names = document_names(counts)
    order = np.arange(len(names))
    if leading := leading_score(counts.metrics):
        metric, score = leading
        values = scores[metric.name][score.name] * (1 if score.higher_is_better else -1)
        order = np.lexsort((-(columns["gold"] + columns["pred"]), np.nan_to_num(values), ~np.isfinite(values)))
    cells = [
        [value if math.isfinite(value) else None for value in values[order].tolist()] for values in columns.values()
    ]
    return [dict(zip(("document", *columns), row)) for row in zip((names[k] for k in order.tolist()), *cells)]


def leading_score(metrics: tuple[Metric, ...]) -> tuple[Metric, Score] | None:
    """Return the first headline score of all metrics that documents have; None if there is none."""
    return next(((m, score) for m in metrics for score in m.headlines if score in m.averaged), None)


def _spans(counts: Counts, kinds: tuple[str, ...]) -> NDArray[np.int64]:
    """Return int64[documents]: how many spans of these kinds each document has."""
    wanted = [k for k, key in enumerate(counts.keys) if not key.metric and key.verdict in kinds]
    return np.asarray(counts.cells[:, wanted].sum(axis=1), dtype=np.int64)


def disagreement(counts: Counts) -> dict[str, Any] | None:
    """Return in how many documents WRF is above, below and equal to strict F, with examples
    (Weber et al., section 4.3); None unless both were counted.

    Documents where one of the two is undefined are left out and counted.
    """
    if not {"strict", "wrf"} <= {metric.name for metric in counts.metrics}:
        return None
    scores = document_scores(counts)
    strict, wrf = scores["strict"]["f"], scores["wrf"]["wrf"]
    defined = np.isfinite(strict) & np.isfinite(wrf)
    close = np.isclose(wrf, strict, rtol=0, atol=1e-12)
    result: dict[str, Any] = {"documents": int(defined.sum()), "undefined": int((~defined).sum())}
    for name, chosen in (("above", wrf > strict), ("below", wrf < strict), ("equal", close)):
        places = np.flatnonzero(chosen & defined & (close if name == "equal" else ~close))
        # The documents with the widest gaps; among ties, the first.
        places = places[np.argsort(-np.abs(wrf - strict)[places], kind="stable")]
        ids = (counts.ids[place] for place in places[:EXAMPLES].tolist())
        examples = [place if id is None else id for place, id in zip(places.tolist(), ids)]
        share = len(places) / defined.sum() if defined.any() else None
        result[name] = {"documents": len(places), "share": share, "examples": examples}
    found_result: dict[str, Any] = plain(result)
    return found_result
