"""Recall on tough mentions: those that training did not show, and those with two meanings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from ..core.declaration import Columns, Metric, Verdict
from ..core.formulas import ratio
from ..core.lexicon import cached_lexicon, pinned_path
from ..core.spans import Document, Span

KINDS = ("seen", "unseen_type", "unseen_tokens")
OUTCOMES = ("hit", "miss")
VERDICTS = tuple(f"{kind}_{outcome}" for kind in KINDS for outcome in OUTCOMES)
SUBSETS = {
    "all": KINDS,
    "seen": ("seen",),
    "unseen_any": ("unseen_type", "unseen_tokens"),
    "unseen_tokens": ("unseen_tokens",),
    "unseen_type": ("unseen_type",),
    "confusable": KINDS,
    "confusable_seen": ("seen", "unseen_type"),
    "confusable_unseen": ("unseen_tokens",),
}


def pinned(train: str | None) -> str | None:
    return train and pinned_path(train)


def tmr(
    *,
    train: Annotated[
        str | None, Field(description="training corpus, or a table made by 'nereval training'"), AfterValidator(pinned)
    ] = None,
) -> Metric:
    """The share of gold spans found exactly, by what training showed of their words.

    A surface is the words of a span joined by spaces, case kept. Verdicts end in
    `_hit` or `_miss`: `seen` (the surface has this label in training),
    `unseen_type` (it has others only), `unseen_tokens` (it has none);
    `unseen_any` is both. `confusable` are the surfaces that have two or more
    labels in the gold spans of the whole corpus, whatever is resampled of it;
    `confusable_seen` and `confusable_unseen` say whether training has the
    surface at all. Only recall exists. A subset without spans is undefined.

    Formula: hit/size in each subset.

    Source: Tu and Lignos (2021), "TMR: Evaluating NER Recall on Tough Mentions".

    >>> from spacy_nereval import create
    >>> create("tmr").columns["unseen_tokens_size"]
    ('unseen_tokens_hit', 'unseen_tokens_miss', 'confusable_unseen_tokens_hit', 'confusable_unseen_tokens_miss')
    """
    return Metric(
        judge=partial(judge, train=train),
        score=score,
        columns={
            f"{subset}_{column}": _members(subset, outcomes)
            for subset in SUBSETS
            for column, outcomes in (("size", OUTCOMES), ("hit", OUTCOMES[:1]))
        },
        settled=None,
        note=note,
        refine=refine,
        flat={f"tmr_{subset}": subset for subset in SUBSETS},
        needs=None if train else "train",
    )


def _members(subset: str, outcomes: Sequence[str]) -> tuple[str, ...]:
    prefixes = ("confusable_",) if subset.startswith("confusable") else ("", "confusable_")
    return tuple(f"{p}{kind}_{outcome}" for p in prefixes for kind in SUBSETS[subset] for outcome in outcomes)


def judge(document: Document, train: str | None) -> Iterator[Verdict]:
    if train is None:
        raise ValueError("tmr looks gold spans up in training data: name it, --train FILE or the option tmr.train")
    surfaces = cached_lexicon(train).surfaces
    for span in document.gold:
        labels = surfaces.get(" ".join(document.words_of(span)))
        kind = "unseen_tokens" if labels is None else "seen" if span.label in labels else "unseen_type"
        hit = span in document.pred_set
        yield Verdict(f"{kind}_{'hit' if hit else 'miss'}", span, span if hit else None)


def note(document: Document, span: Span) -> str:
    """The label and the surface: what tells in the end which surfaces have several labels."""
    return f"{span.label}\t{' '.join(document.words_of(span))}"


def refine(verdict: np.ndarray, note: np.ndarray, notes: tuple[str, ...]) -> np.ndarray:
    """The verdicts, with those on surfaces of several labels renamed to the confusable ones."""
    surfaces = [its.split("\t", 1)[1] for its in notes]
    labels = dict.fromkeys(surfaces, 0)
    for surface in surfaces:
        labels[surface] += 1
    confusable = np.array([labels[surface] > 1 for surface in surfaces], dtype=bool)
    return verdict + len(VERDICTS) * confusable[note]


def score(n: Columns) -> dict:
    return {subset: ratio(n[f"{subset}_hit"], n[f"{subset}_size"]) for subset in SUBSETS}
