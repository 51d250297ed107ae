"""Weighted Rouge-1 F1: which words were found, not how often or where."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ..core.declaration import Columns, Metric, Tally, Verdict
from ..core.formulas import ratio, weight_table
from ..core.spans import Document, Span
from ..counting.batch import GOLD, HIT, PRED, Batch
from ..counting.views import Summary, View

COMBINED = "combined"


def wrf(
    *,
    weights: Annotated[
        Literal["strict", "lenient"] | dict[str, float],
        Field(
            description="of classes: equal, combined twice, or {label: weight, combined: weight}; 0 leaves a class out"
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
    """The share of words found, per class and for all classes together, as a weighted sum.

    Per document and class, the words of all gold spans against the words of all
    predicted spans, repetition and order gone: M = `match`, T = `gold`, P =
    `pred`; r1_p = M/P, r1_r = M/T, r1_f = 2M/(P+T). The class `combined` takes
    the spans of all labels together, so that a mix-up costs the classes but not
    the combined one; with one class there is none combined. `wrf` = sum of weight
    times r1_f; a document, or a corpus, has the classes that occur in it, and
    their weights are scaled to sum to 1.

    Verdicts are on words: `match`, `fn`, `fp`, each with the first span that
    holds the word. With `unique=false` repetitions count: plain Rouge-1.

    Formula: the mean over classes, all together being one more, of 2 match/(pred + gold) words.

    Source: Weber et al., "WRF: Weighted Rouge-F1 Metric for Entity
    Recognition", equations 1 to 3, tables 3 to 5; Lin (2004) for Rouge.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(4, 14, "LOC")], pred=[(4, 10, "LOC")], text="the scroll tip")
    >>> round(score([doc], ["wrf"])["metrics"]["wrf"]["scores"]["wrf"], 4)
    0.6667
    """
    if isinstance(weights, dict):
        weight_table(weights, {}, tuple(weights))
        if abs(sum(weights.values()) - 1) > 1e-9:
            raise ValueError(f"weights = {weights!r}: they sum to {sum(weights.values()):.12g}, not to 1")
    return Metric(
        judge=partial(judge, unique=unique, case=case, by=unigrams),
        score=score,
        columns={"match": ("match",), "gold": ("match", "fn"), "pred": ("match", "fp")}
        | {COMBINED + "_match": (COMBINED + "_match",)}
        | {COMBINED + "_gold": (COMBINED + "_match", COMBINED + "_fn")}
        | {COMBINED + "_pred": (COMBINED + "_match", COMBINED + "_fp")},
        settled=None,
        tally=partial(tally, unique=unique, case=case, by=unigrams),
        flat={"wrf": "wrf"},
        summary=partial(summary, weights=weights, average=average),
        document_scores=partial(document_scores, weights=weights),
    )


def judge(document: Document, unique: bool, case: str, by: str) -> Iterator[Verdict]:
    spans = {span[:2]: span for span in (*document.gold, *document.pred)}
    found = dict(zip(spans, document.unigrams(spans.values(), case=case, by=by)))
    gold, pred = (_bags(side, found, unique) for side in (document.gold, document.pred))
    for label in sorted(gold.keys() | pred.keys()):
        t, p = gold.get(label, {}), pred.get(label, {})
        # Nobody's label: what is combined counts for no label.
        prefix = COMBINED + "_" if label == "" else ""
        for word, span in t.items():
            if word in p:
                yield Verdict(prefix + "match", *((None, None) if prefix else (span, p[word])))
            else:
                yield Verdict(prefix + "fn", None if prefix else span, None)
        for word, span in p.items():
            if word not in t:
                yield Verdict(prefix + "fp", None, None if prefix else span)


def _bags(
    spans: Iterable[Span], found: Mapping[tuple[int, int], Sequence[Hashable]], unique: bool
) -> dict[str, dict[Hashable, Span]]:
    """Per label, and under "" for all, each word and the first span that has it."""
    bags: dict[str, dict[Hashable, Span]] = {}
    for span in spans:
        for label in (span.label, ""):
            bag = bags.setdefault(label, {})
            for word in found[span[:2]]:
                key: Hashable = word
                if not unique:  # the second "scroll" is a word of its own
                    number = 0
                    while (word, number) in bag:
                        number += 1
                    key = (word, number)
                bag.setdefault(key, span)
    return bags


def tally(batch: Batch, unique: bool, case: str, by: str) -> Iterator[Tally]:
    """What `judge` says, added up per document and label."""
    sizes, word = batch.words(case=case, by=by)
    span = np.repeat(np.flatnonzero(batch.once), sizes)
    words = 1 + word.max(initial=0)
    nobody = len(batch.labels)  # whose words are those of all labels together
    cells = len(batch) * (nobody + 1)
    keys = []
    for side in (GOLD, PRED):
        here = (batch.side[span] == side) | (batch.kind[span] == HIT)
        doc, label = batch.doc[span[here]] * (nobody + 1), batch.label[span[here]]
        keys += [(cell * words + word[here]) * 2 + side for cell in (doc + label, doc + nobody)]
    key, n = np.unique(np.concatenate(keys), return_counts=True)
    if unique:
        n = np.ones_like(n)
    where = key >> 1
    both = np.flatnonzero(where[1:] == where[:-1])  # a word of both sides stands here, and behind
    cell = where // words
    match = np.bincount(cell[both], np.minimum(n[both], n[both + 1]), minlength=cells)
    gold, pred = (np.bincount(cell, n * (key & 1 == each), minlength=cells) for each in (GOLD, PRED))
    for name, amount in (("match", match), ("fn", gold - match), ("fp", pred - match)):
        cell = np.flatnonzero(amount)
        doc, label = np.divmod(cell, nobody + 1)
        none = np.full_like(label, nobody)
        gold_label, pred_label = none if name == "fp" else label, none if name == "fn" else label
        for prefix, those in (("", label < nobody), (COMBINED + "_", label == nobody)):
            yield Tally(prefix + name, doc[those], gold_label[those], pred_label[those], amount[cell[those]])


def score(n: Columns) -> dict:
    m, t, p = n["match"], n["gold"], n["pred"]
    return {"r1_p": ratio(m, p), "r1_r": ratio(m, t), "r1_f": ratio(2 * m, p + t)}


def _combined(n: Columns) -> dict:
    return {x: n[f"{COMBINED}_{x}"] for x in ("match", "gold", "pred")}


def score_combined(n: Columns) -> dict:
    return score(_combined(n))


def summary(view: View, weights: str | Mapping[str, float], average: str) -> Summary:
    total, labels = view.sums(), view.sums(by_label=True)
    means, numbers = view.means("class", score, by_label=True)
    combined_means, combined_numbers = view.means(COMBINED, score_combined)
    if average == "docs":
        label_scores, combined = means, combined_means
    else:
        label_scores, combined = score(labels), score_combined(total)
    all_scores = np.concatenate([label_scores["r1_f"], np.asarray(combined["r1_f"])[..., None]], axis=-1)
    defined = np.isfinite(all_scores)
    used = np.where(defined, _class_weights(weights, view), 0)
    used[..., -1] *= defined[..., :-1].sum(axis=-1) > 1  # with one class there is none combined
    wrf = ratio((np.where(defined, all_scores, 0) * used).sum(axis=-1), used.sum(axis=-1))
    counts = {x: labels[x] for x in ("match", "gold", "pred")} | {"documents": numbers["r1_f"]}
    combined_counts = _combined(total) | {"documents": combined_numbers["r1_f"]}
    return Summary(
        {"wrf": wrf}, combined_counts, label_scores, counts, {COMBINED: {"scores": combined, "counts": combined_counts}}
    )


def document_scores(view: View, weights: str | Mapping[str, float]) -> dict[str, np.ndarray]:
    """What `summary` says of each document, from the classes that occur in it."""
    n, classes = view.counts.documents, len(view.labels)
    doc, label, scores = view.scored("class", score, by_label=True)
    combined_doc, _, combined_scores = view.scored(COMBINED, score_combined)
    doc, label = np.append(doc, combined_doc), np.append(label, np.full(len(combined_doc), classes))
    f = np.append(scores["r1_f"], combined_scores["r1_f"])
    doc, label, f = (column[np.isfinite(f)] for column in (doc, label, f))
    several = np.bincount(doc[label < classes], minlength=n) > 1
    used = _class_weights(weights, view)[label] * ((label < classes) | several[doc])
    total, whole = (np.bincount(doc, amount, minlength=n) for amount in (f * used, used))
    return {"wrf": ratio(total, whole)}


def _class_weights(weights: str | Mapping[str, float], view: View) -> np.ndarray:
    """float[labels + 1], the combined class last."""
    labels = view.labels
    if isinstance(weights, str) or view.counts.by is not None:  # a breakdown has no labels to weigh
        return np.array([1.0] * len(labels) + [2.0 if weights == "lenient" else 1.0])
    if COMBINED in labels:
        raise ValueError(f"wrf.weights: {COMBINED!r} is a label of the data too; rename it, or weigh by name")
    if missing := [label for label in labels if label not in weights]:
        raise ValueError(
            f"wrf.weights has no weight for {', '.join(map(repr, missing))}, which occurs in the data; "
            "0 leaves a class out"
        )
    return np.array([weights[label] for label in labels] + [weights.get(COMBINED, 0.0)])
