"""Laws that hold for every metric of this package, to test a metric of your own.

A law takes a metric and a few documents, and raises AssertionError if the metric breaks it.
`check_laws` tries all of them on documents made at random: short, dense, with spans that
nest, touch, repeat, share boundaries or have length zero.

    import pytest
    from spacy_nereval import create
    from spacy_nereval.testing import LAWS, check_laws

    @pytest.mark.parametrize("law", LAWS)
    def test_it_keeps_the_law(law):
        check_laws(create("touched"), laws=[law])
"""

from __future__ import annotations

import json
import math
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .core.declaration import Metric, Score
from .core.imports import names_of_top
from .core.messages import describe_unknown
from .core.spans import Document, Span
from .counting.counter import count
from .counting.counts import mirror_counts
from .evaluation.result import evaluate, verdict_counts

if not TYPE_CHECKING:  # else no name would be wrong
    __getattr__ = names_of_top(__name__)
    __path__: list[str] = []  # so that `from spacy_nereval.testing import NAME` shows the error of a name that it lacks

__all__ = ["LAWS", "check_laws", "random_documents"]

Corpus = Sequence[Document]

WORDS = ("a", "b", "ab", "A", "Ab", "aba", "c", ",", "İ", "ß")
LABELS = "ABCD"


def check_laws(
    metric: Metric,
    *,
    laws: Iterable[str] | None = None,
    exempt: Mapping[str, str] | None = None,
    corpora: Iterable[Corpus] | None = None,
) -> None:
    """Try laws on a metric.

    Args:
        metric: The metric, such as `create("fair")` returns.
        laws: Names of the laws to try, keys of `LAWS`; by default all.
        exempt: Laws that the metric need not keep, each with the reason.
        corpora: Lists of documents; by default 30 made at random, always the same.

    Raises:
        AssertionError: The metric breaks a law; names the law and the documents.
        ValueError: There is no such law.

    >>> from spacy_nereval import create
    >>> check_laws(create("strict"))
    """
    reasons = exempt or {}
    names = [*LAWS] if laws is None else [*laws]
    if unknown := [name for name in (*names, *reasons) if name not in LAWS]:
        raise ValueError(describe_unknown(unknown[0], LAWS, "law", len(LAWS)))
    metric = metric if metric.name else replace(metric, name="metric")
    for corpus in default_corpora() if corpora is None else corpora:
        for name in names:
            if name not in reasons:
                _check(name, metric, [*corpus])


def _check(name: str, metric: Metric, corpus: Corpus) -> None:
    try:
        LAWS[name](metric, corpus)
    except AssertionError as error:
        shown = "; ".join(f"{document!r} of {document.text!r}" for document in corpus)
        raise AssertionError(f"{metric.name} breaks the law {name}: {error}\non the documents: {shown}") from error


def random_documents(number: int, seed: int = 0) -> list[Document]:
    """Return short documents with many overlapping spans.

    Args:
        number: The number of documents.
        seed: The seed of the random numbers; the same seed makes the same documents.

    Returns:
        Documents with 4 to 7 words as text and tokens, and up to 4 spans on each side.

    >>> [len(document.gold) > 0 for document in random_documents(2)]
    [True, True]
    """
    rng = random.Random(seed)
    return [_random_document(rng) for _ in range(number)]


def default_corpora() -> Iterator[Corpus]:
    """Yield the corpora that `check_laws` uses by default, of no, one, or a few documents."""
    yield []
    for seed in range(29):
        yield random_documents(1 + seed % 3, seed)


def _random_document(rng: random.Random) -> Document:
    words = [rng.choice(WORDS) for _ in range(rng.randint(4, 7))]
    text = " ".join(words)
    tokens, at = [], 0
    for word in words:
        tokens.append((at, at + len(word)))
        at += len(word) + 1
    gold = [_random_span(rng, tokens) for _ in range(rng.randint(1, 4))]
    pred = [_random_span(rng, tokens) if rng.random() < 0.4 else _like(rng, span, len(text)) for span in gold]
    return Document(gold, pred[: rng.randint(0, 4)], text, tokens=tokens)


def _random_span(rng: random.Random, tokens: Sequence[tuple[int, int]]) -> Span:
    first = rng.randrange(len(tokens))
    last = min(first + rng.choice([0, 0, 1, 2]), len(tokens) - 1)
    end = tokens[last][1] if rng.random() < 0.95 else tokens[first][0]
    return Span(tokens[first][0], end, rng.choice(LABELS[:3]))


def _like(rng: random.Random, span: Span, length: int) -> Span:
    """Return the span, or a copy with another label or another boundary."""
    slip = rng.choice(["none", "none", "label", "start", "end"])
    if slip == "label":
        return span._replace(label=rng.choice(LABELS))
    if slip == "start":
        return span._replace(start=max(0, span.start - 1))
    return span._replace(end=min(length, span.end + 1)) if slip == "end" else span


# The laws


def counts_add(metric: Metric, corpus: Corpus) -> None:
    """The counts of two parts add up to those of the whole."""
    half = len(corpus) // 2
    parts = count(corpus[:half], [metric]) + count(corpus[half:], [metric])
    _same(_result(metric, corpus), evaluate(parts)["metrics"][metric.name], "the whole", "the sum of its parts")


def order_and_doubles_change_nothing(metric: Metric, corpus: Corpus) -> None:
    """Neither the order of documents and spans nor repeated spans matter."""
    turned = [_copy(doc, [[*reversed(side), *side] for side in (doc.gold, doc.pred)]) for doc in reversed(corpus)]
    _same(_result(metric, corpus), _result(metric, turned), "as they come", "turned round, with doubles")


def shifting_changes_nothing(metric: Metric, corpus: Corpus) -> None:
    """The place of a span in the text does not matter."""

    def shift(span: Sequence[Any]) -> tuple[Any, ...]:
        return (span[0] + 3, span[1] + 3, *span[2:])

    shifted = []
    for doc in corpus:
        tokens = [shift(token)[:2] for token in doc.known_tokens]
        shifted.append(Document(map(shift, doc.gold), map(shift, doc.pred), f"xx {doc.text}", tokens=tokens))
    _same(_result(metric, corpus), _result(metric, shifted), "here", "three characters later")


def renaming_labels_renames_rows(metric: Metric, corpus: Corpus) -> None:
    """Labels are only names: other names in the same order change nothing but the names."""
    new = {label: f"label {label}" for label in LABELS}
    renamed = [
        _copy(doc, [[span._replace(label=new[span.label]) for span in side] for side in (doc.gold, doc.pred)])
        for doc in corpus
    ]
    before, after = _result(metric, corpus), _result(metric, renamed)
    for result in (before, after):
        for key in ("verdicts", "confusion", "boundaries"):
            result.pop(key, None)
    before["per_type"] = {new[label]: row for label, row in before["per_type"].items()}
    _same(before, after, "with these labels", "with other labels")


def labels_add_up_to_the_total(metric: Metric, corpus: Corpus) -> None:
    """The counts of labels add up to those of the corpus."""
    result = _result(metric, corpus)
    rows = [row["counts"] for row in result["per_type"].values()]
    added = {name: sum(row[name] for row in rows) for name in result["counts"]}
    _same(result["counts"], added, "the total", "the labels")


def verdicts_are_what_is_counted(metric: Metric, corpus: Corpus) -> None:
    """Every verdict is declared, and the counts have as many of each as the documents."""
    verdicts = [verdict for document in corpus for verdict in metric.verdicts(document)]
    unknown = {verdict.name for verdict in verdicts} - {*metric.verdict_names}
    assert not unknown, f"it passes the verdict {min(unknown)!r}, which no column adds up"
    if metric.resolve:
        return
    numbers: Counter[tuple[str, str, str]] = Counter()
    for name, gold, pred, amount in verdicts:
        partial = name in metric.partial_credit
        numbers[name, gold.label if gold else "", pred.label if pred else ""] += 1 if partial else int(amount)
    counted = verdict_counts(count(corpus, [metric]))[metric.name]
    expected = {place: number for place, number in numbers.items() if number}
    _same({place: n for place, n in counted.items() if n}, expected, "the counts", "the verdicts")


def a_perfect_prediction_has_the_best_score(metric: Metric, corpus: Corpus) -> None:
    """If the prediction is the gold annotation, every bounded score is at its best limit."""
    perfect = [_copy(doc, [doc.gold, doc.gold]) for doc in corpus]
    if not any((doc.text or "")[span.start : span.end].strip() for doc in perfect for span in doc.gold):
        return
    scores = _result(metric, perfect)["scores"]
    for score in _ratios(metric):
        best = score.limits[1] if score.higher_is_better else score.limits[0]
        if math.isfinite(best):
            _same(scores[score.name], best, f"the {score.name} of a perfect prediction", "its best value")


def scores_lie_within_their_limits(metric: Metric, corpus: Corpus) -> None:
    """No score leaves the limits that it declares, overall or for a label."""
    result, declared = _result(metric, corpus), metric.score_by_name
    for scores in (result["scores"], *(row["scores"] for row in result["per_type"].values())):
        for name, value in scores.items():
            least, most = declared[name].limits
            assert value is None or least <= value <= most, f"{name} is {value}, outside [{least}, {most}]"


def nothing_to_score_is_undefined(metric: Metric, corpus: Corpus) -> None:
    """Without any text, scores are undefined and not 0."""
    scores = _result(metric, [Document([], [], "", tokens=[]) for _ in corpus])["scores"]
    for score in _ratios(metric):
        value = scores[score.name]
        assert value is None, f"{score.name} is {value} where there is nothing to score; expected None, from 0/0"


def symmetric_scores_are_symmetric(metric: Metric, corpus: Corpus) -> None:
    """Symmetric scores stay the same if gold and prediction are swapped, and verdicts become those of `mirror`."""
    scores = _result(metric, corpus)["scores"]
    swapped = _result(metric, [_copy(doc, [doc.pred, doc.gold]) for doc in corpus])
    for score in metric.scores:
        if score.symmetric:
            _same(scores[score.name], swapped["scores"][score.name], score.name, f"{score.name} with the sides swapped")
    if metric.mirror is not None:
        image = evaluate(mirror_counts(count(corpus, [metric])))["metrics"][metric.name]
        _same(image, swapped, "the mirror image", "the result with the sides swapped")


def results_are_plain_json(metric: Metric, corpus: Corpus) -> None:
    """The result is the same after JSON, so its numbers are plain and finite."""
    result = _result(metric, corpus)
    _same(json.loads(json.dumps(result, allow_nan=False)), result, "after JSON", "before")


def metrics_can_be_pickled(metric: Metric, corpus: Corpus) -> None:
    """The metric can be sent to another process: its functions are not local ones."""
    try:
        sent: Metric = pickle.loads(pickle.dumps(metric))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise AssertionError(f"it cannot be pickled: {error}") from None
    _same(_result(sent, corpus), _result(metric, corpus), "in another process", "here")


LAWS: Mapping[str, Callable[[Metric, Corpus], None]] = {
    law.__name__: law
    for law in (
        counts_add,
        order_and_doubles_change_nothing,
        shifting_changes_nothing,
        renaming_labels_renames_rows,
        labels_add_up_to_the_total,
        verdicts_are_what_is_counted,
        a_perfect_prediction_has_the_best_score,
        scores_lie_within_their_limits,
        nothing_to_score_is_undefined,
        symmetric_scores_are_symmetric,
        results_are_plain_json,
        metrics_can_be_pickled,
    )
}
"""The laws by name. Each takes a metric and a corpus of documents with texts and tokens, and raises AssertionError."""


def _result(metric: Metric, corpus: Corpus) -> dict[str, Any]:
    result: dict[str, Any] = evaluate(count(corpus, [metric], units=False))["metrics"][metric.name]
    return result


def _ratios(metric: Metric) -> list[Score]:
    return [score for score in metric.scores if score.unit != "count"]


def _copy(document: Document, sides: Sequence[Iterable[Span]]) -> Document:
    """Return a copy of a document with other spans."""
    return Document(sides[0], sides[1], document.text, tokens=document.tokens)


def _same(actual: Any, expected: Any, name: str, other_name: str) -> None:
    """Raise AssertionError, which says where, if two values differ by more than rounding."""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        assert actual.keys() == expected.keys(), f"{name} has {[*actual]}, {other_name} {[*expected]}"
        for key in actual:
            _same(actual[key], expected[key], f"{key} of {name}", other_name)
    elif isinstance(actual, (int, float)) and isinstance(expected, (int, float)):
        assert math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-12), (
            f"{name} is {actual}, {other_name} {expected}"
        )
    else:
        assert actual == expected, f"{name} is {actual}, {other_name} {expected}"
