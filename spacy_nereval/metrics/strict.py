"""Exact span and label: the measure of CoNLL-2003, seqeval and spaCy."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..core.declaration import Metric, Tally, Verdict, one_each
from ..core.formulas import prf
from ..core.spans import Contest
from ..counting.batch import CONTESTED_GOLD, CONTESTED_PRED, Batch
from .options import Beta

VERDICTS = ("tp", "fp", "fn")


def strict(*, beta: Beta = 1.0) -> Metric:
    """A span counts when its boundaries and its label are right, and not otherwise.

    A boundary slip or a mix-up counts twice: the gold span is missed (`fn`)
    and the predicted span is spurious (`fp`).

    Differs from spaCy's `ents_f` where tokenisations differ: spaCy rounds a
    prediction outward to whole gold tokens, this compares characters.

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), f = 2 tp/(2 tp + fp + fn).

    Source: Tjong Kim Sang and De Meulder (2003), CoNLL-2003 shared task.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 5, "A"), (8, 9, "B")])
    >>> score([doc], ["strict"])["metrics"]["strict"]["scores"]
    {'p': 0.5, 'r': 0.5, 'f': 0.5}
    """
    return Metric(
        judge=judge,
        tally=tally,
        score=partial(score, beta=beta),
        columns=one_each(*VERDICTS),
        flat={"strict_p": "p", "strict_r": "r", "strict_f": "f"},
        confusion=VERDICTS,
    )


def judge(contest: Contest) -> Iterator[Verdict]:
    for span in contest.gold:
        yield Verdict("fn", span, None)
    for span in contest.pred:
        yield Verdict("fp", None, span)


def tally(batch: Batch) -> Iterator[Tally]:
    """What `judge` says, all at once."""
    for name, kind in (("fn", CONTESTED_GOLD), ("fp", CONTESTED_PRED)):
        here = batch.kind == kind
        label, none = batch.label[here], np.full(here.sum(), len(batch.labels))
        gold, pred = (label, none) if name == "fn" else (none, label)
        yield Tally(name, batch.doc[here], gold, pred, np.ones(len(label)))


def score(n, beta):
    return prf(n["tp"], n["fp"], n["fn"], beta)
