"""Tokens inside entities, and the accuracy of their tags."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from ..core.coverage import by_label, stretches
from ..core.declaration import Columns, Metric, Verdict
from ..core.formulas import prf, ratio
from ..core.spans import Document, Span
from .options import Beta

VERDICTS = ("tp", "fp", "fn")


def token(
    *,
    scheme: Annotated[
        Literal["plain", "bio"], Field(description="tags: the label alone, or also whether a token is its span's first")
    ] = "plain",
    beta: Beta = 1.0,
) -> Metric:
    """Every token inside an entity counts, and a long span counts more than a short one.

    Verdicts, with the number of tokens as amount: `tp`, `fn`, `fp`, label by
    label: the wrong label is an `fn` and an `fp`. `correct` and `wrong` count
    every token of the text once, those outside all entities too, by whether
    gold and prediction say the same of it; they belong to no label. `accuracy`
    is high wherever entities are rare. With `scheme="bio"` a first token where
    the other side has a later one of the same label is an `fn` and an `fp`.

    The tokens are those of the reference. A span has those that it shares a
    character with [ours]. Tokens under several spans of one label count once:
    as first if one of the spans begins there, and as those of the leftmost
    span, then the shortest [ours].

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), of tokens; accuracy = correct/tokens.

    Source: Tjong Kim Sang and De Meulder (2003), CoNLL-2003 shared task, for
    the tags; scores per token as in Sotnyk (Phase One Karma), "Yet another way
    of NER systems evaluation".

    >>> from spacy_nereval import Document, score
    >>> tokens = [(0, 3), (4, 7), (8, 11), (12, 18)]
    >>> doc = Document(gold=[(0, 11, "A")], pred=[(4, 11, "A")], text="New New Ulm sleeps", tokens=tokens)
    >>> score([doc], ["token"])["metrics"]["token"]["counts"]
    {'tp': 2, 'fp': 0, 'fn': 1, 'correct': 3, 'tokens': 4}
    """
    return Metric(
        judge=partial(judge, bio=scheme == "bio"),
        score=partial(score, beta=beta),
        columns={name: (name,) for name in (*VERDICTS, "correct")} | {"tokens": ("correct", "wrong")},
        settled=None,
        tokens=True,
        flat={"token_p": "p", "token_r": "r", "token_f": "f", "token_accuracy": "accuracy"},
        confusion=VERDICTS,
    )


def judge(document: Document, bio: bool) -> Iterator[Verdict]:
    if document.tokens is None:
        raise ValueError(
            "this document has no tokens (plain offsets and JSONL carry none, unless they list "
            "them under 'tokens'); take the metric char instead, or read a .spacy file"
        )
    numbers: Counter[tuple[str, Span | None, Span | None]] = Counter()
    wrong = set()
    for contest in by_label(document):
        gold, pred = (tags(document, spans, bio) for spans in (contest.gold, contest.pred))
        numbers.update(("tp", span, pred[tag]) if tag in pred else ("fn", span, None) for tag, span in gold.items())
        numbers.update(("fp", None, span) for tag, span in pred.items() if tag not in gold)
        wrong |= {place for place, _ in gold.keys() ^ pred.keys()}
    numbers["correct", None, None] = len(document.tokens) - len(wrong)
    numbers["wrong", None, None] = len(wrong)
    yield from (Verdict(*key, number) for key, number in numbers.items() if number)


def tags(document: Document, spans: Sequence[Span], bio: bool) -> dict[tuple[int, bool], Span]:
    """Each token under the spans, with bio also whether it is a first one, and its span."""
    ranges = [document.covered(span) for span in spans]
    firsts = {start for start, end in ranges if bio and start < end}
    return {(at, at in firsts): spans[k] for start, end, k in stretches(ranges) for at in range(start, end)}


def score(n: Columns, beta: float) -> dict:
    return prf(n["tp"], n["fp"], n["fn"], beta) | {"accuracy": ratio(n["correct"], n["tokens"])}
