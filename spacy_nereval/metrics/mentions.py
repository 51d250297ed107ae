"""Mentions of a document regardless of their positions: sets of strings with labels."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from typing import Annotated, Literal

from pydantic import Field

from ..core.declaration import Array, Columns, Metric, Verdict, one_each, prf_scores
from ..core.formulas import prf, prf_of_columns
from ..core.mention_places import canonical
from ..core.pieces import covered_text
from ..core.spans import Document, Span
from .registry import Beta

VERDICTS = ("tp", "fp", "fn")

OF_CORPUS = ("hit", "gold", "pred")
"""The verdicts with `scope="hits"`."""

PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")

Surfaces = dict[tuple[str, str], list[Span]]
"""The string and the label of spans, with the spans."""


def mentions(
    *,
    normalise: Annotated[
        Literal["caseless", "exact", "universalner"],
        Field(
            description="rule for equal strings: ignore Unicode forms, quotes, white space and case; "
            "compare every character; or UniversalNER's rules"
        ),
    ] = "caseless",
    scope: Annotated[
        Literal["documents", "hits"],
        Field(
            description="count a string once per document, wherever it is, or once in the whole corpus, where it is "
            "found if one of its spans is predicted exactly"
        ),
    ] = "documents",
    multiset: Annotated[bool, Field(description="count a string as often as it occurs in the document")] = False,
    beta: Beta = 1.0,
) -> Metric:
    """Compare which strings a document mentions under which label, not where.

    Most evaluations of language models count like this, as models list strings without
    offsets. A string counts once per document. If a list of strings was scored, the strings
    are those of the list, including strings that the text does not have.

    `normalise="universalner"` ignores case and ASCII punctuation, and skips the words
    a, an and the. So it takes C++ and C for the same.

    With `scope="hits"` a string with its label counts once in the whole corpus, also when
    documents are resampled. It is found if one of its spans is predicted exactly. Intervals
    account for this; tests between systems are not possible.

    Verdicts: `tp` (a string with its label on both sides), `fn` (in gold only), `fp` (in
    the prediction only). With `scope="hits"`: `hit` (a span on both sides), and `gold` and
    `pred` for the spans of each side.

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), f = 2 tp/(2 tp + fp + fn).

    Source: the evaluations of Zhou et al. (2024), "UniversalNER", and Sainz et al. (2024),
    "GoLLIE" (`multiset=true`); Derczynski et al. (2017), WNUT-2017 shared task, surface forms
    (`scope="hits"`).

    >>> from spacy_nereval import Document, score
    >>> doc = Document([(0, 3, "PER"), (8, 11, "PER")], [(8, 11, "PER")], "Ada and Ada")
    >>> score([doc], ["mentions"]).mentions.scores
    {'p': 1.0, 'r': 1.0, 'f': 1.0}
    """
    scores = prf_scores("mentions", key="mentions", symmetric=beta == 1)
    if scope == "hits":
        if multiset:
            raise ValueError("multiset: with the scope 'hits' a string counts once in the corpus")
        return Metric(
            scores=scores,
            columns=one_each(*OF_CORPUS),
            formula=partial(corpus_formula, beta=beta),
            judge=judge_spans,
            gaps=True,
            scope="document",
            correct=OF_CORPUS,
            note=partial(note, normalise=normalise),
            distinct=True,
            text=True,
        )
    return Metric(
        scores=scores,
        columns=one_each(*VERDICTS),
        formula=partial(prf_of_columns, beta=beta),
        judge=partial(judge, normalise=normalise, multiset=multiset),
        gaps=True,
        scope="document",
        correct=("tp",),
        text=True,
    )


def judge(document: Document, normalise: str, multiset: bool) -> Iterator[Verdict]:
    """Yield a verdict on each string with a label, for its first span; with `multiset` for every span."""
    gold, pred = (surfaces(document, side, normalise) for side in (0, 1))
    for key in dict.fromkeys((*gold, *pred)):
        for a, b in zip_longest(*(side.get(key, [])[: None if multiset else 1] for side in (gold, pred))):
            yield Verdict("tp" if a and b else "fn" if a else "fp", a, b)


def judge_spans(document: Document) -> Iterator[Verdict]:
    """Yield every span, and every span that is on both sides."""
    for span in document.gold:
        yield Verdict("gold", span, None)
        if span in document.hits:
            yield Verdict("hit", span, span)
    for span in document.pred:
        yield Verdict("pred", None, span)


def note(document: Document, span: Span, normalise: str) -> str:
    """Return the label and the string of a span; equal ones count once. Raise ValueError if there is no text."""
    return f"{span.label}\t{NORMALISERS[normalise](covered_text(document.known_text('mentions'), span, ' '))}"


def surfaces(document: Document, side: int, normalise: str) -> Surfaces:
    """Return the strings and labels of gold (0) or predicted (1) spans, with their spans in order.

    Raises:
        ValueError: The document has no text.
    """
    text, normaliser = document.known_text("mentions"), NORMALISERS[normalise]
    result: Surfaces = {}
    for span in (document.gold, document.pred)[side]:
        surface = document.surfaces[side].get(span[:2], covered_text(text, span, " "))
        result.setdefault((normaliser(surface), span.label), []).append(span)
    return result


def universalner(text: str) -> str:
    """Return a string without case, ASCII punctuation and articles.

    >>> universalner("The vitamin A"), universalner("C++")
    ('vitamin', 'c')
    """
    return " ".join(ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split())


NORMALISERS: dict[str, Callable[[str], str]] = {"caseless": canonical, "exact": str, "universalner": universalner}


def corpus_formula(columns: Columns, beta: float) -> dict[str, Array]:
    """Return precision, recall and F from the numbers of strings with a hit, in gold and in the prediction."""
    hits = columns["hit"]
    return prf(hits, columns["pred"] - hits, columns["gold"] - hits, beta)
