"""`score` and `compare`, for whatever a user has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.declaration import Metric
from ..core.labels import SEPARATOR, label_rules
from ..core.mentions import CASELESS, LISTED
from ..core.relabelling import relabelled
from ..core.spans import Document
from ..counting.counter import count
from ..evaluation.comparison import System, comparison
from ..evaluation.resampling import Confidence
from ..evaluation.result import evaluate, gold_spans, pred_spans
from ..evaluation.transitions import gold_outcomes
from ..metrics.registry import create_all
from .inputs import Side, documents, has_words
from .plain_records import Reading
from .results import Comparison, Result

Metrics = Mapping[str, Mapping[str, Any]] | Iterable[str] | None
"""Names of metrics or sets of metrics, or a table of names and options; None for the six of the papers."""


def score(
    gold: Iterable[Any],
    pred: Any = None,
    metrics: Any = None,
    confidence: Confidence | None = None,
    *,
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
) -> Result:
    """Score predictions against gold annotation.

    Gold and predictions are lists with one item per document. An item is

    - a list of tags (IOB1, IOB2, BILUO, BIOES, IO), which count tokens;
    - a list of spans: (start, end, label), or dicts or objects with start, end and label, as
      nervaluate, GLiNER, Presidio and the pipelines of transformers have them;
    - a list of mentions without offsets, (string, label), which are looked for in the text;
    - a spaCy Doc, or a record {"text": ..., "spans": [...]} as in a JSONL file;
    - an empty list for no spans, or None for a document without annotation.

    Alternatively the first argument is a list of `Document`s or spaCy Examples, which hold
    both sides: score(documents, metrics, confidence).

    Args:
        gold: The gold annotation, or Documents or Examples.
        pred: The predictions.
        metrics: Names, or a table `{name: options}`; by default the six of the papers. Of these
            six, wrf is left out, and the result says so, if the words are not known.
        confidence: Settings of intervals; None for no intervals.
        text: The text of each document, if the items do not have it.
        tokens: The tokens of each document, as words or (start, end), if the items do not have them.
        scheme: The tagging scheme; "auto" infers it from all tags of a side.
        repair: How to read spans that the scheme does not allow: "conll" as conlleval does,
            "discard" leaves them out, "error" raises ValueError.
        end: Whether the ends of spans are "exclusive", or "inclusive" as nervaluate's.
        spans_key: Read `doc.spans[spans_key]` of Docs instead of `doc.ents`.
        labels: New names of labels, None to drop them: a table, a JSON file, or text such as "PER=PERSON,MISC=".
        only: The labels to keep, under their new names; by default all.
        depth: The number of levels of labels to keep; by default all.
        sep: What separates the levels of a label.
        match: How far a mention without offsets and the text may differ; see `locate`.
        occurrences: Which occurrences of such a mention count; see `locate`.

    Returns:
        The result: ratios from 0 to 1, None where a score is undefined. It is a dict, and can
        show itself; see `Result`.

    Raises:
        ValueError: An item cannot be read, the two sides do not fit together, or a metric, an
            option or a setting is unknown or out of range. Names the document.

    >>> result = score([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]], ["strict", "fair"])
    >>> result["metrics"]["fair"]["counts"]["be_s"], result["metrics"]["strict"]["scores"]["f"]
    (1, 0.0)
    >>> score([[(0, 3, "PER")]], [[{"start": 0, "end": 3, "label": "PER"}]], ["strict"])["metrics"]["strict"]["scores"]
    {'p': 1.0, 'r': 1.0, 'f': 1.0}
    """
    reading = Reading(scheme, repair, end, spans_key, match, occurrences).checked()
    rules = label_rules(labels, only, depth, sep)
    side = Side(gold, "gold")
    if side.kind in ("document", "example") or (side.kind == "empty" and _names_metrics(pred)):
        confidence = metrics if confidence is None and isinstance(metrics, Confidence) else confidence
        _check_one_side(text, tokens, metrics if not isinstance(metrics, Confidence) and pred is not None else None)
        chosen = metrics if pred is None and not isinstance(metrics, Confidence) else pred
        return _scored(
            relabelled(_both_sides(side, spans_key), rules), create_all(chosen), confidence, {}, kept=side.is_kept
        )
    if pred is None:
        raise ValueError("pred is missing: expected the predictions, one item per document, as the second argument")
    other = Side(pred, "pred")
    chosen, left_out = _chosen(metrics, words=has_words(side, other, text, tokens))
    found = relabelled(documents(side, other, text, tokens, reading), rules)
    return _scored(found, chosen, confidence, left_out, kept=side.is_kept and other.is_kept, key=spans_key)


def compare(
    systems: Mapping[str, Any],
    gold: Iterable[Any],
    metrics: Any = None,
    *,
    baseline: str | None = None,
    samples: int = 1000,
    trials: int = 10_000,
    seed: int = 0,
    primary: str | None = None,
    secondary: Sequence[str] | None = None,
    margin: float | None = None,
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
) -> Comparison:
    """Compare systems with a baseline: differences, their intervals, paired tests, and which spans changed.

    Args:
        systems: The name and the predictions of each system, as `score` takes them.
        gold: The gold annotation, as `score` takes it.
        metrics: As for `score`.
        baseline: The name of the system that the others are compared with; by default the first.
        samples: The number of half-samples.
        trials: The number of random swaps for the tests.
        seed: The seed of the random number generator.
        primary: The score in question, METRIC.SCORE; by default the headline of the first metric.
        secondary: The scores of the second family of tests.
        margin: The largest difference of the primary score that does not matter, in points.
        text, tokens, scheme, repair, end, spans_key, labels, only, depth, sep, match, occurrences: As for `score`.

    Returns:
        The comparison: a dict that can show itself; see `Comparison`.

    Raises:
        ValueError: There are fewer than two systems, there is no such baseline, or as for `score`.

    >>> gold = [["B-PER", "O"], ["B-LOC", "O"]] * 4
    >>> found = compare({"a": [["B-LOC", "O"]] * 8, "b": gold}, gold, ["strict"])
    >>> row = found["comparisons"][0]
    >>> row["system"], row["baseline_value"], row["value"]
    ('b', 0.5, 1.0)
    """
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise ValueError("systems: expected a table of two or more names and predictions, {'a': pred_a, 'b': pred_b}")
    if baseline is not None and baseline not in systems:
        raise ValueError(f"there is no system {baseline!r}; there are {', '.join(systems)}")
    first = baseline if baseline is not None else next(iter(systems))
    reading = Reading(scheme, repair, end, spans_key, match, occurrences).checked()
    rules = label_rules(labels, only, depth, sep)
    same = gold if hasattr(gold, "__len__") else list(gold)
    text, tokens = (None if value is None else list(value) for value in (text, tokens))
    left_out: dict[str, str] = {}
    found: list[System] = []
    kept: list[Document | None] = []
    for name in dict.fromkeys([first, *systems]):
        sides = Side(same, "gold"), Side(systems[name], name)
        chosen, left_out = _chosen(metrics, words=has_words(*sides, text, tokens))
        kept = [*relabelled(documents(*sides, text, tokens, reading), rules)]
        counts = count(kept, chosen)
        counts.spans_key = spans_key
        found.append(System(name, counts, [gold_outcomes(document) for document in kept]))
    values = comparison(
        found,
        kept,
        Confidence(samples=samples, seed=seed),
        trials,
        primary=primary,
        secondary=secondary,
        margin=margin,
    )
    return Comparison(values | ({"left_out": left_out} if left_out else {}))


def _scored(
    found: Iterator[Document | None],
    metrics: Sequence[Metric],
    confidence: Confidence | None,
    left_out: Mapping[str, str],
    *,
    kept: bool,
    key: str | None = None,
) -> Result:
    """Return the result of documents, which it keeps if they are to be listed."""
    all_documents = [*found] if kept else None
    counts = count(found if all_documents is None else all_documents, metrics)
    counts.spans_key = key
    if counts.label_rules and counts.documents:
        counts.label_rules.check_found({*gold_spans(counts), *pred_spans(counts)})
    values = evaluate(counts, confidence)
    return Result(values | ({"left_out": dict(left_out)} if left_out else {}), counts, all_documents)


def _both_sides(side: Side, spans_key: str | None) -> Iterator[Document | None]:
    """Yield the documents of items that hold both sides."""
    if side.kind != "example":
        yield from side.items()
        return
    from ..integration.examples import read_numbered

    for number, example in enumerate(side.items()):
        yield None if example is None else read_numbered(example, number, spans_key)


def _chosen(metrics: Any, *, words: bool) -> tuple[tuple[Metric, ...], dict[str, str]]:
    """Return the metrics, and which of the default ones are left out, with the reason."""
    chosen = create_all(metrics)
    if words or metrics is not None:
        return chosen, {}
    reason = "the words are not known: give text=, the text of each document"
    left_out = {metric.name: reason for metric in chosen if metric.text}
    return tuple(metric for metric in chosen if not metric.text), left_out


def _names_metrics(pred: Any) -> bool:
    """Return whether the second argument of `score` can only be metrics, or is not given."""
    listed = isinstance(pred, (list, tuple, set)) and bool(pred) and all(isinstance(name, str) for name in pred)
    return pred is None or isinstance(pred, Mapping) or listed


def _check_one_side(text: object, tokens: object, metrics: object) -> None:
    """Raise ValueError if Documents or Examples come with what they hold themselves."""
    for name, value in (("text", text), ("tokens", tokens)):
        if value is not None:
            raise ValueError(f"{name}= is given, but Documents and Examples have their own: leave it out")
    if metrics is not None:
        raise ValueError("Documents and Examples hold both sides: expected score(documents, metrics, confidence)")
