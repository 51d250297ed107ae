"""The result: one JSON shape, from which all outputs are made.

Its signature is one line that names everything that can change a number. The module also has the scores of
each document, and the documents about which metrics disagree.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from importlib.metadata import version
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.about import __version__
from ..core.declaration import GOLD_SPANS, PRED_SPANS, Kind, Metric, Score
from ..core.formulas import share_floats
from ..core.mention_places import NUMBERS
from ..core.spans import LATER_ON_READING, ON_READING, SIDES
from ..counting.counts import Counts
from ..counting.sums import NUMBER
from ..counting.table import Table, resolve_keys, sum_counts
from ..metrics.registry import options_of
from .intervals import run_intervals
from .resampling import Confidence
from .scores import MetricScores, score_sums


def signature(
    counts: Counts, *more: str, average: str = "micro", short: bool = False, documents: int | None = None
) -> str:
    """Return the signature of a result.

    Two results with the same signature and the same data have the same numbers. The
    format follows the signatures of sacreBLEU (Post 2018, "A Call for Clarity in
    Reporting BLEU Scores").

    Args:
        counts: The counts that the result was computed from.
        more: Further parts, such as the settings of intervals.
        average: The average that the result shows.
        short: Leave out options that have their default value.
        documents: The number of documents; by default that of the counts.

    Returns:
        The parts, separated by `|`.

    Example:
        >>> from spacy_nereval import Document, count, create
        >>> counts = count([], [create("loio", s=1), create("wrf")])
        >>> signature(counts, short=True).split("|")[:4]
        ['spacy-nereval', 'loio:s=1.0', 'wrf', 'avg:micro']
    """
    parts = [
        "spacy-nereval",
        *(_metric_part(metric, short) for metric in counts.metrics),
        *([f"spans:{counts.spans_key}"] if counts.spans_key else []),
        *(f"mentions:{way}" for way in sorted(counts.located)),
        *(counts.label_rules.parts() if counts.label_rules else []),
        *([f"cut:{counts.cut}"] if counts.cut else []),
        f"avg:{average}",
        f"docs:{counts.documents if documents is None else documents}",
        *more,
        f"v{__version__}",
        f"spacy:{_spacy_version()}",
    ]
    return "|".join(parts)


@cache
def _spacy_version() -> str:
    return version("spacy")


def _metric_part(metric: Metric, short: bool) -> str:
    defaults = {option.name: option.default for option in options_of(metric.name)} if short else {}
    settings = [
        f"{name}={_signature_text(value)}"
        for name, value in metric.settings.items()
        if name not in defaults or defaults[name] != value
    ]
    if metric.version > 1:
        settings.append(f"version={metric.version}")
    return ":".join([metric.name, *([",".join(settings)] if settings else [])])


def _signature_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_signature_text(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ",".join(map(_signature_text, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def evaluate(
    counts: Counts, confidence: Confidence | None = None, *, average: str = "micro", short: bool = False
) -> dict[str, Any]:
    """Return the result: plain Python, ready for JSON, with None where a score is undefined.

    Args:
        counts: What `count` returned.
        confidence: Settings of intervals; None for no intervals.
        average: The average that tables show; it only enters the signature.
        short: Whether the signature omits default options.

    Returns:
        Numbers of documents and spans, in all and of each label under "per_type"; "scores" by their score keys; and
        "metrics": for each its "scores" (ratios, not in per cent), "counts", "averages", "per_type", "verdicts",
        "confusion" and "boundaries"; with intervals also "confidence".

    Raises:
        ValueError: Intervals are requested and the counts have no units, or a setting of the intervals is out of range.

    >>> from spacy_nereval import Document, count, create_all
    >>> counts = count([Document([(0, 3, "A")], [(0, 3, "A")])], create_all(["strict"]))
    >>> evaluate(counts)["metrics"]["strict"]["scores"]
    {'p': 1.0, 'r': 1.0, 'f': 1.0}
    """
    sums = sum_counts(counts)
    bounds = run_intervals([counts], confidence) if confidence else None
    verdicts = verdict_counts(counts)
    metrics: dict[str, Any] = {}
    for scores in score_sums(sums):  # with many labels, a result takes most of the memory: keep one copy
        name = scores.metric.name
        part = _metric_result(scores, sums.labels, verdicts)
        if scores.metric.attributes:
            part |= _own_rows(counts, scores.metric)
        if scores.metric.boundary_errors:
            part["boundaries"] = split_boundary_errors(counts, scores.metric)
        metrics[name] = make_plain(part | ({"intervals": bounds.metrics.pop(name)} if bounds else {}))
    result: dict[str, Any] = make_plain(
        {
            "signature": signature(counts, *([bounds.basis.signature] if bounds else []), average=average, short=short),
            "version": __version__,
            "documents": counts.documents,
            "skipped": counts.skipped,
            "gold": sums.spans(GOLD_SPANS).sum(),
            "pred": sums.spans(PRED_SPANS).sum(),
            **reading_totals(counts),
            **({"confidence": bounds.basis._asdict()} if bounds else {}),
            "scores": scores_by_key(counts.metrics, metrics),
            "per_type": spans_per_label(counts),
        }
    )
    return result | {"metrics": metrics}


def _own_rows(counts: Counts, metric: Metric) -> dict[str, Any]:
    """Return the scores and counts in the rows that a metric's verdicts name, and the averages over these rows."""
    rows = counts.in_rows(metric)
    (scores,) = score_sums(sum_counts(rows))
    values = _metric_result(scores, rows.labels, {metric.name: {}})
    return {name: values[name] for name in ("averages", "per_type")}


def reading_totals(counts: Counts) -> dict[str, Any]:
    """Return the reading statistics of a result.

    `merged` is there only if labels were changed, `mentions` only if there were mentions without offsets.
    """
    totals: dict[str, Any] = dict(counts.on_reading)
    if not counts.label_rules:
        del totals["merged"]
    for name in LATER_ON_READING:
        if not totals[name]:
            del totals[name]
    mentions = mention_numbers(counts)
    return totals | ({"mentions": mentions} if mentions else {})


def mention_numbers(counts: Counts) -> dict[str, float]:
    """Return how many mentions without offsets there were and how they were found; empty if there were none.

    If there were answers of language models, `readable` is the rate of those that could be read.
    """
    numbers: dict[str, float] = {name: counts.mentions[name] for name in NUMBERS} if counts.mentions else {}
    if answers := counts.mentions["answers"]:
        unreadable = counts.mentions["unreadable"]
        numbers |= {"answers": answers, "unreadable": unreadable, "readable": 1 - unreadable / answers}
    return numbers


def _metric_result(
    scores: MetricScores, labels: tuple[str, ...], verdicts: Mapping[str, Mapping[LabelledVerdict, int]]
) -> dict[str, Any]:
    metric = scores.metric
    result: dict[str, Any] = {
        "settings": metric.settings,
        "scores": first_values(scores.scores),
        "counts": first_values(scores.counts),
    }
    if scores.combined:
        result["combined"] = {"scores": first_values(scores.combined), "counts": result["counts"]}
    result |= first_values(scores.details)
    result["averages"] = first_values(scores.averages)
    tables = [
        {name: _first_column(values) for name, values in table.items()}
        for table in (scores.label_scores, scores.label_counts)
    ]
    result["per_type"] = {
        label: {
            part: {name: values[k] for name, values in table.items()}
            for part, table in zip(("scores", "counts"), tables)
        }
        for k, label in enumerate(labels)
    }
    result["verdicts"] = nest_verdicts(metric, verdicts[metric.name])
    if metric.confusion is not None:
        result["confusion"] = confusion_matrix(metric, verdicts[metric.name])
    return result


def reading_numbers(runs: Sequence[Counts]) -> dict[str, list[int]]:
    """Return the reading statistics of training runs: "skipped" and others to a number for each run."""
    numbers = {"skipped": [counts.skipped for counts in runs]}
    totals = [reading_totals(counts) for counts in runs]
    names = [name for name in ON_READING if any(name in numbers for numbers in totals)]
    return numbers | {name: [counts.on_reading[name] for counts in runs] for name in names}


def split_boundary_errors(counts: Counts, metric: Metric) -> dict[str, Any]:
    """Return how many boundary errors of a metric have a right left boundary, a right one, both or neither.

    Both boundaries can be right in spans with gaps only. The numbers are None where counts were made before this was
    recorded.

    Returns:
        "counts", the numbers of all labels, "be_left", "be_right", "be_both" and "be_neither"; and "per_type", the
        same for each label with boundary errors.
    """
    numbers: dict[str, Counter[str]] = {}
    for key, number in counts.totals().items():
        if key.metric == metric.name and key.verdict in metric.boundary_errors and number:
            numbers.setdefault(key.gold, Counter())[key.note] += number

    def split(sides: Counter[str]) -> dict[str, int | None]:
        return {f"be_{side}": None if sides[""] else sides[side] for side in SIDES}

    per_label = {label: split(numbers[label]) for label in sorted(numbers)}
    return {"counts": split(reduce(add, numbers.values(), Counter())), "per_type": per_label}


LabelledVerdict = tuple[str, str, str]
"""A verdict, the gold label and the predicted label; "" for no span."""


def scores_by_key(metrics: Iterable[Metric], metric_results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the overall scores by their score keys, such as "fair_f".

    Args:
        metrics: The metrics.
        metric_results: The part of a result for each metric, by name.
    """
    return {key: metric_results[metric.name]["scores"][name] for metric in metrics for key, name in metric.keys.items()}


def spans_per_label(counts: Counts) -> dict[str, dict[str, int]]:
    """Return the numbers of gold and predicted spans of each label."""
    gold, pred = gold_by_label(counts), predictions_by_label(counts)
    return {label: {"gold": gold[label], "pred": pred[label]} for label in counts.labels}


def spans_of_labels(result: Mapping[str, Any], side: str) -> dict[str, int]:
    """Return each label of a result and its number of spans on a side, "gold" or "pred", 0 included."""
    return {label: spans[side] for label, spans in result["per_type"].items()}


def gold_by_label(counts: Counts) -> dict[str, int]:
    """Return each label and its number of gold spans, 0 included."""
    return _spans(counts, GOLD_SPANS, "gold")


def predictions_by_label(counts: Counts) -> dict[str, int]:
    """Return each label and its number of predicted spans, 0 included."""
    return _spans(counts, PRED_SPANS, "pred")


def labels_before_only(counts: Counts) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return each label with its number of gold spans, and of predicted spans, before label rules keep only some."""
    sides = {"gold": Counter(gold_by_label(counts)), "pred": Counter(predictions_by_label(counts))}
    for (side, label), number in counts.unkept.items():
        sides[side][label] += number
    return sides["gold"], sides["pred"]


def _spans(counts: Counts, kinds: tuple[Kind, ...], side: str) -> dict[str, int]:
    spans = dict.fromkeys(counts.labels, 0)
    for key, number in counts.totals().items():
        if not key.metric and key.verdict in kinds:
            spans[getattr(key, side)] += number
    return spans


def verdict_counts(counts: Counts) -> dict[str, dict[LabelledVerdict, int]]:
    """Return per metric how many verdicts there are of each (verdict, gold label, predicted label)."""
    totals = [*counts.totals().values()]
    result: dict[str, dict[LabelledVerdict, int]] = {}
    for metric, columns in _verdict_columns(counts):
        numbers: Counter[LabelledVerdict] = Counter()
        for column, verdict in columns:
            if totals[column]:
                numbers[verdict] += totals[column]
        result[metric.name] = numbers
    return result


def documents_with(counts: Counts, metric: Metric, is_wanted: Callable[[LabelledVerdict], object]) -> list[str | int]:
    """Return the names of the documents with certain verdicts of a metric; none if the counts are collapsed.

    Args:
        counts: The counts of a corpus.
        metric: One of their metrics.
        is_wanted: Whether a verdict on spans of these labels is wanted.

    >>> from spacy_nereval import Document, count, create
    >>> strict = create("strict")
    >>> counts = count([Document([(0, 1, "A")], [(0, 1, "A")]), Document([(0, 1, "A")], [], id="b")], [strict])
    >>> documents_with(counts, strict, lambda verdict: verdict[0] == "fn")
    ['b']
    """
    if counts.collapsed:
        return []
    columns = next(columns for declared, columns in _verdict_columns(counts) if declared.name == metric.name)
    selected = [column for column, verdict in columns if is_wanted(verdict)]
    names = document_names(counts)
    return [names[k] for k in np.unique(counts.cells.tocsc()[:, selected].nonzero()[0]).tolist()]


def document_names(counts: Counts) -> list[str | int]:
    """Return the id of each document, its number from 0 where it has none."""
    return [number if id is None else id for number, id in enumerate(counts.ids)]


def _verdict_columns(counts: Counts) -> Iterator[tuple[Metric, list[tuple[int, LabelledVerdict]]]]:
    """Yield each metric with the columns that count its verdicts: their numbers, verdicts and labels."""
    keys = resolve_keys(counts)
    places: dict[tuple[str, str], list[int]] = {}
    for place, key in enumerate(keys):
        if key.quantity == NUMBER:
            places.setdefault((key.metric, key.verdict), []).append(place)
    for metric in counts.metrics:
        # The verdicts of the metric's judge, and those that it assigns to kinds of spans.
        verdict_of = {("", kind.value): verdict for kind, verdict in metric.of_kind.items()}
        verdict_of |= {(metric.name, verdict): verdict for verdict in metric.verdict_names}
        columns = sorted(
            (k, verdict) for source, verdict in verdict_of.items() if verdict for k in places.get(source, ())
        )
        yield metric, [(k, (verdict, keys[k].gold, keys[k].pred)) for k, verdict in columns]


def confusion_matrix(metric: Metric, verdicts: Mapping[LabelledVerdict, int]) -> dict[str, dict[str, int]]:
    """Return gold label to predicted label to number, of the verdicts that the metric declares; "" is no span."""
    matrix: dict[str, dict[str, int]] = {}
    for (verdict, gold, pred), number in sorted(verdicts.items(), key=lambda item: item[0][1:]):
        if verdict in (metric.confusion or ()):
            matrix.setdefault(gold, Counter())[pred] += number
    return matrix


def nest_verdicts(metric: Metric, verdicts: Mapping[LabelledVerdict, int]) -> dict[str, Any]:
    """Return verdict to gold label to predicted label to number, in the order that the metric declares."""
    result: dict[str, Any] = {}
    place = {name: k for k, name in enumerate(metric.verdict_names)}
    for verdict, gold, pred in sorted(verdicts, key=lambda verdict_key: (place.get(verdict_key[0], -1), *verdict_key)):
        result.setdefault(verdict, {}).setdefault(gold, {})[pred] = verdicts[verdict, gold, pred]
    return result


def _first_column(values: NDArray[Any]) -> list[Any]:
    """Return the values of the first sum, of arrays [labels, sums]."""
    column = values[:, 0]
    return share_floats(column) if column.dtype == float else column.tolist()


def first_values(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return each array's value for the first sum, which for a result is the whole corpus."""
    return {name: first_values(value) if isinstance(value, Mapping) else value[0] for name, value in table.items()}


def make_plain(value: Any) -> Any:
    """Return a value in plain Python types, with None for numbers that are not finite."""
    kind = type(value)
    if kind is float:  # the most frequent types first: a result of many labels has millions of numbers
        return value if math.isfinite(value) else None
    if kind is str or kind is int:
        return value
    if kind is dict:
        return {str(key): make_plain(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Mapping):
        return {str(key): make_plain(item) for key, item in value.items()}
    return [make_plain(item) for item in value]


EXAMPLES = 3
"""Maximum number of documents of each kind that `disagreement` names."""


def document_scores(counts: Counts) -> dict[str, dict[str, NDArray[Any]]]:
    """Return metric to score to float64[documents], for all scores averaged over documents; NaN if undefined."""
    counts.check_documents("scores of documents")
    table = Table(counts)
    blocks = [table.document_scores(table.cells[here])[0] for here in table.document_slices()]
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
    columns: dict[str, NDArray[Any]] = {
        "gold": _numbers_per_document(counts, GOLD_SPANS),
        "pred": _numbers_per_document(counts, PRED_SPANS),
    }
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
    """Return the first headline score that single documents have, and its metric; None if there is none."""
    return next(((m, score) for m in metrics for score in m.headlines if score in m.averaged), None)


def _numbers_per_document(counts: Counts, kinds: tuple[str, ...]) -> NDArray[np.int64]:
    """Return int64[documents]: how many spans of these kinds each document has."""
    columns = [k for k, key in enumerate(counts.keys) if not key.metric and key.verdict in kinds]
    return np.asarray(counts.cells[:, columns].sum(axis=1), dtype=np.int64)


def disagreement(counts: Counts) -> dict[str, Any] | None:
    """Return in how many documents WRF is above, below and equal to strict F, with examples
    (Weber et al., section 4.3); None unless both were counted.

    Documents where one of the two is undefined are excluded and counted.
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
    plain_result: dict[str, Any] = make_plain(result)
    return plain_result
