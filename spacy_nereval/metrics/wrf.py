"""Weighted Rouge-1 F1: which words were found, not how often or where."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..core.declaration import Array, Classes, Columns, Metric, Score, SpanTable, Tally, Verdict
from ..core.formulas import ratio, weight_table
from ..core.messages import spell_argument
from ..core.spans import Document, Span

COMBINED = "combined"


def wrf(
    *,
    weights: Annotated[
        Literal["strict", "lenient"] | dict[str, float],
        Field(
            description="weights of the classes: equal (strict), combined twice (lenient), or "
            "{label: weight, combined: weight}; 0 leaves a class out"
        ),
    ] = "strict",
    average: Annotated[
        Literal["docs", "micro"],
        Field(description="class scores: mean over the documents with the class, or from words summed over all"),
    ] = "docs",
    unique: Annotated[bool, Field(description="count each word once per document and class")] = True,
    case: Annotated[Literal["lower", "keep"], Field(description="fold case, or keep it")] = "lower",
    unigrams: Annotated[
        Literal["token", "whitespace"], Field(description="words are reference tokens, or split at white space")
    ] = "token",
) -> Metric:
    """Average, over the classes, the Rouge-1 F of the words inside entities.

    A class is a label; one more class, `combined`, takes the spans of all labels
    together. A wrong label therefore costs two classes, but not the combined one. For each
    document and class, the words of all gold spans are compared with the words of all
    predicted spans. Order and repetition do not matter. With M = `match`, the number of
    words that both have, T = `gold` and P = `pred`: r1_p = M/P, r1_r = M/T,
    r1_f = 2M/(P + T).

    `wrf` is the sum of weight times r1_f over the classes that occur, with their weights
    scaled to sum to 1. Where only one label occurs, the combined class is omitted.

    Verdicts are on words: `match`, `fn` and `fp`, each with the first span that has the
    word. For the combined class they have the prefix `combined_` and no span. With
    `unique=false` repetitions count, which is plain Rouge-1.

    Formula: the mean of 2 match/(pred + gold) words over the labels and the combined class.

    Source: Weber et al., "WRF: Weighted Rouge-F1 Metric for Entity
    Recognition", equations 1 to 3, tables 3 to 5; Lin (2004) for Rouge.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(4, 14, "LOC")], pred=[(4, 10, "LOC")], text="the scroll tip")
    >>> round(score([doc], ["wrf"]).wrf.wrf, 4)
    0.6667
    """
    if isinstance(weights, dict):
        weight_table(weights, {}, tuple(weights))
        if abs(sum(weights.values()) - 1) > 1e-9:
            raise ValueError(f"weights: they sum to {sum(weights.values()):.12g}, not to 1")
    return Metric(
        scores=(Score("wrf", headline=True, key="wrf", symmetric=True, meaning="weighted Rouge-1 F1"),),
        columns={
            "match": ("match", "combined_match"),
            "gold": ("match", "fn", "combined_match", "combined_fn"),
            "pred": ("match", "fp", "combined_match", "combined_fp"),
        },
        formula=formula,
        judge=partial(judge, unique=unique, case=case, by=unigrams),
        gaps=True,
        scope="document",
        text="words",
        correct=("match", "combined_match"),
        classes=Classes(
            scores=(
                Score("r1_p", group="rouge-1"),
                Score("r1_r", group="rouge-1"),
                Score("r1_f", group="rouge-1", headline=True, symmetric=True),
            ),
            overall=overall,
            weights=partial(class_weights, weights=weights),
            document_mean=average == "docs",
        ),
        count_batch=partial(count_batch, unique=unique, case=case, by=unigrams),
    )


def judge(document: Document, unique: bool, case: str, by: str) -> Iterator[Verdict]:
    """Yield the verdict on each word of each class."""
    spans = {span[:2]: span for span in (*document.gold, *document.pred)}
    words = dict(zip(spans, document.unigrams(spans.values(), case=case, by=by)))
    gold, pred = (_words_by_label(side, words, unique) for side in (document.gold, document.pred))
    for label in sorted(gold.keys() | pred.keys()):
        gold_words, pred_words = gold.get(label, {}), pred.get(label, {})
        combined = label == ""
        prefix = COMBINED + "_" if combined else ""
        # The combined class has no label, so its verdicts name no span.
        for word, span in gold_words.items():
            if word in pred_words:
                yield Verdict(prefix + "match", *((None, None) if combined else (span, pred_words[word])))
            else:
                yield Verdict(prefix + "fn", None if combined else span, None)
        for word, span in pred_words.items():
            if word not in gold_words:
                yield Verdict(prefix + "fp", None, None if combined else span)


def _words_by_label(
    spans: Iterable[Span], words: Mapping[tuple[int, int], Sequence[Hashable]], unique: bool
) -> dict[str, dict[Hashable, Span]]:
    """Return the words of each label, and of all labels under "", each with the first span that has it.

    Args:
        spans: The spans of one side.
        words: The words between two boundaries.
        unique: Whether repetitions of a word are the same word.
    """
    result: dict[str, dict[Hashable, Span]] = {}
    for span in spans:
        for label in (span.label, ""):
            label_words = result.setdefault(label, {})
            for word in words[span[:2]]:
                key: Hashable = word
                if not unique:  # the second "scroll" is another word
                    number = 0
                    while (word, number) in label_words:
                        number += 1
                    key = (word, number)
                label_words.setdefault(key, span)
    return result


def count_batch(spans: SpanTable, unique: bool, case: str, by: str) -> Iterator[Tally]:
    """Yield the verdicts of `judge`, added up per document and class."""
    # Several times as fast as `judge`. A test checks that the two agree.
    row, word = spans.words(case=case, by=by)
    words = 1 + word.max(initial=0)
    combined = len(spans.labels)
    classes = combined + 1
    # A cell is a document and a class. A key encodes cell, word and side as one whole number; its last bit is the side.
    keys = []
    for side, has_span in enumerate((spans.gold, spans.pred)):
        mask = has_span[row]
        first = spans.doc[row[mask]] * classes
        keys += [(cell * words + word[mask]) * 2 + side for cell in (first + spans.label[row[mask]], first + combined)]
    key, times = np.unique(np.concatenate(keys), return_counts=True)
    if unique:
        times = np.ones_like(times)
    cell_and_word = key >> 1
    both = np.flatnonzero(cell_and_word[1:] == cell_and_word[:-1])  # the prediction's count is in the next element
    # Only cells with a word are stored, since a document has few of the labels.
    cells, cell = np.unique(cell_and_word // words, return_inverse=True)

    def sum_per_cell(cell: NDArray[Any], amount: NDArray[Any]) -> NDArray[Any]:
        return np.bincount(cell, amount, minlength=len(cells)).astype(np.int64)

    match = sum_per_cell(cell[both], np.minimum(times[both], times[both + 1]))
    gold, pred = (sum_per_cell(cell, times * (key & 1 == side)) for side in (0, 1))
    for name, amount in (("match", match), ("fn", gold - match), ("fp", pred - match)):
        nonzero = np.flatnonzero(amount)
        doc, label = np.divmod(cells[nonzero], classes)
        no_span = np.full_like(label, combined)
        gold_label, pred_label = no_span if name == "fp" else label, no_span if name == "fn" else label
        for prefix, rows in (("", label < combined), (COMBINED + "_", label == combined)):
            yield Tally(prefix + name, doc[rows], gold_label[rows], pred_label[rows], amount[nonzero[rows]])


def formula(columns: Columns) -> dict[str, Array]:
    """Return Rouge-1 precision, recall and F of a class."""
    match, gold, pred = columns["match"], columns["gold"], columns["pred"]
    return {"r1_p": ratio(match, pred), "r1_r": ratio(match, gold), "r1_f": ratio(2 * match, pred + gold)}


def overall(class_scores: Mapping[str, NDArray[Any]], weights: NDArray[Any]) -> dict[str, Array]:
    """Return the weighted mean of the class scores over the classes where they are defined.

    Args:
        class_scores: float[labels + 1, ...] by name, the combined class last.
        weights: float[labels + 1].

    Returns:
        `wrf`, float[...]; NaN where no class of positive weight is defined.

    >>> scores = np.array([[0.5, 1.0], [1.0, np.nan], [0.6, 0.2]])
    >>> overall({"r1_f": scores}, np.ones(3))["wrf"]
    array([0.7, 1. ])
    """
    f = np.asarray(class_scores["r1_f"])
    defined = np.isfinite(f)
    weight = np.where(defined, np.reshape(weights, (-1, *[1] * (f.ndim - 1))), 0.0)
    # Where a single label occurs, the combined class would only repeat it.
    weight[-1] *= defined[:-1].sum(axis=0) > 1
    return {"wrf": ratio((np.where(defined, f, 0.0) * weight).sum(axis=0), weight.sum(axis=0))}


def class_weights(labels: Sequence[str], is_breakdown: bool, weights: str | Mapping[str, float]) -> NDArray[np.float64]:
    """Return the weights of the labels and, last, of the combined class: float[labels + 1].

    Args:
        labels: The labels of the data, or in a breakdown its rows.
        is_breakdown: Whether `labels` are buckets, for which a table of weights has no entries.
        weights: "strict", "lenient" or a table.

    Raises:
        ValueError: The table lacks a label, or a label has the name of the combined class.

    >>> class_weights(["LOC", "PER"], False, "lenient").tolist()
    [1.0, 1.0, 2.0]
    >>> class_weights(["LOC", "PER"], False, {"LOC": 0.75, "PER": 0.25}).tolist()
    [0.75, 0.25, 0.0]
    """
    if isinstance(weights, str) or is_breakdown:
        return np.array([1.0] * len(labels) + [2.0 if weights == "lenient" else 1.0])
    if COMBINED in labels:
        raise ValueError(
            f"{spell_argument('wrf.weights')}: {COMBINED!r} is a label in the data too; "
            "rename the label, or use strict or lenient"
        )
    if missing := [label for label in labels if label not in weights]:
        raise ValueError(
            f"{spell_argument('wrf.weights')} has no weight for {', '.join(map(repr, missing))}, which occurs in "
            "the data; "
            "0 leaves a class out"
        )
    return np.array([*(weights[label] for label in labels), weights.get(COMBINED, 0.0)])
