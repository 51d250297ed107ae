"""The scores of every document, and where metrics disagree about one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.declaration import GOLD_SPANS, PRED_SPANS
from ..counting.counts import Counts
from ..counting.shared import Shared
from ..counting.views import View
from .result import plain
from .scores import document_scores

EXAMPLES = 3


def document_rows(counts: Counts) -> list[dict[str, Any]]:
    """A row per document with its headline scores, the worst by the first of them first,
    and of equals the one with the most spans.

    >>> from spacy_nereval import Document, count, create
    >>> docs = [Document([(0, 1, "A")], [(0, 1, "A")], id="a"), Document([(0, 1, "A")], [], id="b")]
    >>> [(row["document"], row["strict_f"]) for row in document_rows(count(docs, [create("strict")]))]
    [('b', 0.0), ('a', 1.0)]
    """
    columns: dict[str, np.ndarray] = {}
    leading = None
    shared = Shared(counts)
    for metric in counts.metrics:
        view = View(counts, metric, shared=shared)
        scores, sums = document_scores(view), view.sums(by_document=True)
        columns |= {"gold": sums[GOLD_SPANS], "pred": sums[PRED_SPANS]}
        columns |= {key: scores[name] for key, name in metric.flat.items()}
        # Of these scores less is worse, of error rates not; a metric without them has no error rate.
        rated = [key for key, name in metric.flat.items() if name.endswith(("f", "_acc"))] or [*metric.flat]
        leading = leading or rated[0]
    names = [doc if id is None else id for doc, id in enumerate(counts.ids)]
    order = np.arange(len(names))
    if leading:
        score, spans = columns[leading], columns["gold"] + columns["pred"]
        order = np.lexsort((-spans, np.nan_to_num(score), ~np.isfinite(score)))
    cells = [
        np.where(np.isfinite(values), values.astype(object), None)[order].tolist()  # type: ignore[call-overload]
        for values in columns.values()
    ]
    return [dict(zip(("document", *columns), row)) for row in zip((names[k] for k in order.tolist()), *cells)]


def disagreement(counts: Counts) -> dict[str, Any] | None:
    """In how many documents WRF is above, below and equal to strict F, with examples
    (Weber et al., section 4.3); None unless both were counted.

    Documents where one of the two is undefined are left out and counted.
    """
    by_name = {metric.name: metric for metric in counts.metrics}
    if not {"strict", "wrf"} <= by_name.keys():
        return None
    strict = document_scores(View(counts, by_name["strict"]))["f"]
    wrf = document_scores(View(counts, by_name["wrf"]))["wrf"]
    defined = np.isfinite(strict) & np.isfinite(wrf)
    close = np.isclose(wrf, strict, rtol=0, atol=1e-12)
    result: dict[str, Any] = {"documents": int(defined.sum()), "undefined": int((~defined).sum())}
    for name, chosen in (("above", wrf > strict), ("below", wrf < strict), ("equal", close)):
        found = np.flatnonzero(chosen & defined & (close if name == "equal" else ~close))
        # The widest gaps say most; among equals, the first.
        found = found[np.argsort(-np.abs(wrf - strict)[found], kind="stable")]
        examples = [doc if counts.ids[doc] is None else counts.ids[doc] for doc in found[:EXAMPLES].tolist()]
        share = len(found) / defined.sum() if defined.any() else None
        result[name] = {"documents": len(found), "share": share, "examples": examples}
    return plain(result)
