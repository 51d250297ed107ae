"""The documents, their spans and the verdicts on them, as the page's script reads them.

Offsets count UTF-16 units, as strings do in browsers. Labels, verdicts and spans
are given by their number in a list, so that no text is ever a key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.declaration import Metric, Verdict
from ...core.spans import Document
from ...evaluation.transitions import OUTCOME_OF_VERDICT, OUTCOMES
from .colors import FAIR

if TYPE_CHECKING:
    from . import System

Places = dict[tuple[int, int, str], int]
"""Each span and its number in the list."""

NONE = -1
HIT, MISS, SPURIOUS = range(3)

# A "<" could end the script element. The others are no text in UTF-8, or are changed by parsers of HTML.
UNSAFE = re.compile("[<\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def embedded(value: Any) -> str:
    """JSON that can stand in a script element: nothing in it ends the element or gets lost.

    >>> embedded("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def on_spans(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """The metrics whose verdicts each count one span or one pair of spans."""
    return tuple(m for m in metrics if m.confusion and not m.floats and (m.settled or m.name == "fair"))


def page_data(systems: Sequence[System]) -> dict[str, Any]:
    """Everything that the script needs.

    A document is [id, text, gold, side, side, ...], a side per system
    [predictions, settled, judged by metric 0, by metric 1, ...]. Spans are
    start, end, label, start, end, label, ... Verdicts are verdict, gold span, predicted span, ...,
    with -1 for no span. `settled` are exact hits, plain misses and plain spurious
    spans: 0, 1 and 2 instead of a verdict, since every metric has its own names for
    them.
    """
    metrics = on_spans(systems[0].counts.metrics)
    labels = sorted({label for system in systems for label in system.counts.labels})
    return {
        "systems": [system.name for system in systems],
        "labels": labels,
        "metrics": [_metric(metric) for metric in metrics],
        "fates": list(OUTCOMES),
        "fateOf": list(OUTCOME_OF_VERDICT.items()),
        "documents": [
            _document(sides, metrics, {label: k for k, label in enumerate(labels)})
            for sides in zip(*(system.documents for system in systems))
        ],
    }


def _metric(metric: Metric) -> dict[str, Any]:
    names = metric.verdict_names
    words = FAIR if metric.name == "fair" else {}
    return {
        "name": metric.name,
        "verdicts": list(names),
        "words": [words[name][0] if name in words else name for name in names],
        "settled": [names.index(name) for name in metric.settled or ()],
        "right": names.index(metric.settled[HIT] if metric.settled else "tp"),
        "confusion": [names.index(name) for name in metric.confusion or ()],
    }


def _document(sides: Sequence[Document], metrics: Sequence[Metric], labels: Mapping[str, int]) -> list[Any]:
    first = sides[0]
    unit = _units(first.text or "")

    def flat(spans: Iterable[tuple[int, int, str]]) -> list[int]:
        return [n for start, end, label in spans for n in (unit(start), unit(end), labels[label])]

    gold: Places = {span: k for k, span in enumerate(first.gold)}
    found: list[Any] = [first.id, first.text, flat(gold)]
    for side in sides:
        pred: Places = {span: k for k, span in enumerate(side.pred)}
        settled = [n for span in sorted(side.hits) for n in (HIT, gold[span], pred[span])]
        contested = []
        for contest in side.contests:
            if contest.gold and contest.pred:
                contested.append(contest)
            else:
                settled += [n for span in contest.gold for n in (MISS, gold[span], NONE)]
                settled += [n for span in contest.pred for n in (SPURIOUS, NONE, pred[span])]
        judged = []
        for metric in metrics:
            verdicts = (v for part in (contested if metric.settled else (side,)) for v in metric.judge(part))
            judged.append(_flat_verdicts(verdicts, metric, gold, pred))
        found.append([flat(pred), settled, *judged])
    return found


def _flat_verdicts(verdicts: Iterable[Verdict], metric: Metric, gold: Places, pred: Places) -> list[int]:
    return [
        n
        for name, a, b, _ in verdicts
        for n in (metric.verdict_names.index(name), gold[a] if a else NONE, pred[b] if b else NONE)
    ]


def _units(text: str) -> Any:
    """From an offset in characters to one in UTF-16 units."""
    if text.isascii() or max(text) <= "\uffff":
        return int
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if character > "\uffff" else 1))
    return places.__getitem__
