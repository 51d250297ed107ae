"""Recall on tough mentions: spans that do not occur in the training data, and surfaces with several labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Annotated

from pydantic import AfterValidator, Field

from ..core.declaration import Array, Columns, Metric, Score, Verdict
from ..core.formulas import ratio
from ..core.lexicon import cached_lexicon, pinned_path
from ..core.messages import describe_needed_file
from ..core.spans import Document, Span

FAMILIARITY = ("seen", "unseen_type", "unseen_tokens")
OUTCOMES = ("hit", "miss")
SUBSETS: dict[str, tuple[str, ...]] = {
    "all": FAMILIARITY,
    "seen": ("seen",),
    "unseen_any": ("unseen_type", "unseen_tokens"),
    "unseen_tokens": ("unseen_tokens",),
    "unseen_type": ("unseen_type",),
    "confusable": FAMILIARITY,
    "confusable_seen": ("seen", "unseen_type"),
    "confusable_unseen": ("unseen_tokens",),
}
MEANINGS = {
    "all": "recall of all gold spans",
    "seen": "trained with this label",
    "unseen_any": "not trained with this label",
    "unseen_tokens": "not in the training data",
    "unseen_type": "trained with other labels only",
    "confusable": "several gold labels for them",
    "confusable_seen": "such spans in the training data",
    "confusable_unseen": "such spans not in the training data",
}
CONFUSABLE = "confusable_"


def pin_digest(train: str | None) -> str | None:
    """Return the path with the digest of its lexicon, so that results with equal signatures used equal data."""
    return train and pinned_path(train)


def labels_in_training(train: str, surface: str) -> Collection[str] | None:
    """Return the labels that a surface has in the training data; None if it is never annotated there."""
    return cached_lexicon(train).surfaces.get(surface)


def tmr(
    *,
    train: Annotated[
        str | None,
        Field(description="training corpus, or a lexicon made by 'nereval training'"),
        AfterValidator(pin_digest),
    ] = None,
) -> Metric:
    """Compute recall of exact matches on subsets of the gold spans, chosen by how the
    training data label the same words.

    A surface is the words of a span joined by spaces, case kept. A gold span is `seen`
    (training has its surface with its label), `unseen_type` (with other labels only) or
    `unseen_tokens` (not at all); `unseen_any` is the last two together. A surface is
    `confusable` if it has two or more labels among the gold spans of the whole corpus,
    also when documents are resampled. `confusable_seen` and `confusable_unseen` divide
    these by whether training has the surface at all.

    Verdicts: one of the three kinds, then `_hit` or `_miss`, with `confusable_` before it
    where that applies. Only recall is defined. A score is undefined where its subset has no spans.

    Formula: hit/size in each subset.

    Source: Tu and Lignos (2021), "TMR: Evaluating NER Recall on Tough Mentions".

    >>> from spacy_nereval import create
    >>> create("tmr").columns["unseen_tokens_size"]
    ('unseen_tokens_hit', 'unseen_tokens_miss', 'confusable_unseen_tokens_hit', 'confusable_unseen_tokens_miss')
    """
    columns = {
        f"{subset}_{column}": _verdicts_in(subset, outcomes)
        for subset in SUBSETS
        for column, outcomes in (("size", OUTCOMES), ("hit", OUTCOMES[:1]))
    }
    return Metric(
        scores=tuple(
            Score(subset, headline=subset == "all", key=f"tmr_{subset}", meaning=MEANINGS[subset]) for subset in SUBSETS
        ),
        columns=columns,
        formula=formula,
        judge=partial(judge, train=train),
        gaps=True,
        scope="document",
        text=True,
        correct=columns["all_hit"],
        note=note,
        resolve=resolve,
        needs=None if train else "train",
    )


def _verdicts_in(subset: str, outcomes: Sequence[str]) -> tuple[str, ...]:
    prefixes = (CONFUSABLE,) if subset.startswith("confusable") else ("", CONFUSABLE)
    return tuple(f"{prefix}{kind}_{outcome}" for prefix in prefixes for kind in SUBSETS[subset] for outcome in outcomes)


def judge(document: Document, train: str | None) -> Iterator[Verdict]:
    """Yield the verdict on each gold span: its kind by the training data, and whether it is a hit.

    Raises:
        ValueError: There is no training data.
    """
    if train is None:
        raise ValueError(f"tmr {describe_needed_file('tmr', 'train')}")
    for span in document.gold:
        labels = labels_in_training(train, surface_of(document, span))
        kind = "unseen_tokens" if labels is None else "seen" if span.label in labels else "unseen_type"
        hit = span in document.hits
        yield Verdict(f"{kind}_{'hit' if hit else 'miss'}", span, span if hit else None)


def surface_of(document: Document, span: Span) -> str:
    """Return the words of the span, joined by spaces."""
    return " ".join(document.words_of(span))


def note(document: Document, span: Span) -> str:
    """Return the label and the surface, from which `resolve` learns which surfaces are confusable."""
    return f"{span.label}\t{surface_of(document, span)}"


def resolve(verdicts: Sequence[str], notes: Sequence[str]) -> list[str]:
    """Return the verdicts, renamed to confusable ones where the surface has several labels in the corpus.

    Args:
        verdicts, notes: Each verdict and note that occur together in the corpus; equally long.

    >>> resolve(["seen_hit", "seen_miss", "seen_hit"], ["LOC\\tUlm", "PER\\tUlm", "LOC\\tRome"])
    ['confusable_seen_hit', 'confusable_seen_miss', 'seen_hit']
    """
    labels = Counter(_surface(text) for text in {*notes})
    return [CONFUSABLE + name if labels[_surface(text)] > 1 else name for name, text in zip(verdicts, notes)]


def _surface(note: str) -> str:
    return note.split("\t", 1)[1]


def formula(columns: Columns) -> dict[str, Array]:
    """Return the recall on each subset."""
    return {subset: ratio(columns[f"{subset}_hit"], columns[f"{subset}_size"]) for subset in SUBSETS}
