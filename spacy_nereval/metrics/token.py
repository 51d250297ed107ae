"""Tokens inside entities, and the accuracy of their tags."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from ..core.declaration import Array, Columns, Metric, Score, Verdict, one_each, prf_scores
from ..core.formulas import prf_of_columns, ratio
from ..core.overlapping import stretches
from ..core.pieces import pieces_of
from ..core.spans import Document, Span, by_label
from .registry import Beta

VERDICTS = ("tp", "fp", "fn")


def token(
    *,
    scheme: Annotated[
        Literal["plain", "bio"],
        Field(description="tags: the label alone, or also whether the token is the first of its span"),
    ] = "plain",
    beta: Beta = 1.0,
) -> Metric:
    """Compare gold and prediction token by token, so that long spans count more than short ones.

    Verdicts, with a number of tokens as the amount: `tp`, `fn` and `fp`, for each label by
    itself, so that a wrong label is an `fn` and an `fp`. `correct` and `wrong` count every
    token of the text once, also those outside all entities, by whether gold and
    prediction give it the same tags. They belong to no label. `accuracy` is high wherever
    entities are rare. With `scheme="bio"`, a token that is the first of its span on one
    side only is an `fn` and an `fp`.

    The tokens are those of the reference. A span has the tokens that it shares a
    character with [our choice]. A token under several spans of one label counts once: as
    a first token if one of the spans begins there, and assigned to the leftmost span,
    then the shortest [our choice].

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), of tokens; accuracy = correct/tokens.

    Source: Tjong Kim Sang and De Meulder (2003), CoNLL-2003 shared task, for
    the tags; scores per token as in Sotnyk (Phase One Karma), "Yet another way
    of NER systems evaluation".

    >>> from spacy_nereval import Document, score
    >>> tokens = [(0, 3), (4, 7), (8, 11), (12, 18)]
    >>> doc = Document(gold=[(0, 11, "A")], pred=[(4, 11, "A")], text="New New Ulm sleeps", tokens=tokens)
    >>> score([doc], ["token"]).token.counts
    {'tp': 2, 'fp': 0, 'fn': 1, 'correct': 3, 'tokens': 4}
    """
    return Metric(
        scores=(
            *prf_scores("token", key="token", symmetric=beta == 1),
            Score("accuracy", key="token_accuracy", symmetric=True, meaning="tokens with the right tag"),
        ),
        columns={**one_each(*VERDICTS, "correct"), "tokens": ("correct", "wrong")},
        formula=partial(formula, beta=beta),
        judge=partial(judge, bio=scheme == "bio"),
        gaps=True,
        scope="document",
        correct=("tp", "correct"),
        tokens=True,
        confusion=VERDICTS,
    )


def judge(document: Document, bio: bool) -> Iterator[Verdict]:
    """Yield the numbers of shared, missed and spurious tokens of each span, then those of right and wrong tags.

    Raises:
        ValueError: The document has no tokens.
    """
    total = len(document.known_tokens)
    numbers: Counter[tuple[str, Span | None, Span | None]] = Counter()
    wrong = set()
    for group in by_label(document):
        gold, pred = (tags(document, spans, bio) for spans in (group.gold, group.pred))
        numbers.update(("tp", span, pred[tag]) if tag in pred else ("fn", span, None) for tag, span in gold.items())
        numbers.update(("fp", None, span) for tag, span in pred.items() if tag not in gold)
        wrong |= {place for place, _ in gold.keys() ^ pred.keys()}
    numbers["correct", None, None] = total - len(wrong)
    numbers["wrong", None, None] = len(wrong)
    yield from (Verdict(*key, number) for key, number in numbers.items() if number)


def tags(document: Document, spans: Sequence[Span], bio: bool) -> dict[tuple[int, bool], Span]:
    """Return the span of each token under the spans, by (index of the token, whether it is a first token).

    Without `bio` no token is a first token.
    """
    ranges = [document.covered_tokens(span) for span in spans]
    firsts = {start for start, end in ranges if bio and start < end}
    return {
        (index, index in firsts): spans[stretch[2]]
        for stretch in stretches(ranges)
        for piece in pieces_of(stretch)
        for index in range(*piece)
    }


def formula(columns: Columns, beta: float) -> dict[str, Array]:
    """Return precision, recall and F of tokens, and the accuracy of their tags."""
    return prf_of_columns(columns, beta) | {"accuracy": ratio(columns["correct"], columns["tokens"])}
