"""Exact boundaries and the exact label: the measure of CoNLL-2003, seqeval and spaCy."""

from functools import partial

from ..core.declaration import Metric, one_each, prf_scores
from ..core.formulas import prf_of_columns
from ..core.wording import HITS_AND_MISSES
from .registry import Beta

VERDICTS = ("tp", "fp", "fn")


def strict(*, beta: Beta = 1.0) -> Metric:
    """Count a prediction as correct when its boundaries and its label are exactly those of a gold span.

    Verdicts: `tp` (the span is on both sides), `fn` (a gold span that was missed), `fp`
    (a spurious prediction). A wrong boundary or a wrong label therefore counts twice: as
    an `fn` and as an `fp`.

    This is seqeval's F. spaCy's `ents_f` differs where the tokens of gold and prediction
    differ: spaCy extends a prediction to whole gold tokens, while `strict` compares
    characters.

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), f = 2 tp/(2 tp + fp + fn).

    Source: Tjong Kim Sang and De Meulder (2003), CoNLL-2003 shared task.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 5, "A"), (8, 9, "B")])
    >>> score([doc], ["strict"]).strict.scores
    {'p': 0.5, 'r': 0.5, 'f': 0.5}
    """
    return Metric(
        scores=prf_scores("strict", key="strict", symmetric=beta == 1),
        columns=one_each(*VERDICTS),
        formula=partial(prf_of_columns, beta=beta),
        confusion=VERDICTS,
        words=HITS_AND_MISSES,
        mirror={"fn": "fp", "fp": "fn"},
    )
