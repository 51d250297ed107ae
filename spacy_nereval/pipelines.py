"""Predictions of a pipeline, one document at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model

from .examples import read
from .files import read_docs
from .spans import Document


def predict(model: str, data: Path, key: str | None = None) -> Iterator[Document | None]:
    """The gold documents of a `.spacy` file with what a pipeline predicts on their texts.

    The pipeline tokenises the text itself, as in use, unless the spaces between
    the gold tokens are unknown: then it gets these tokens, as in spaCy's own
    evaluation. No document is kept: memory does not grow with the corpus,
    beyond the file itself.
    """
    golds = read_docs(data)
    nlp = load_model(model)
    pairs = ((_unannotated(nlp, gold), gold) for gold in golds)
    found = False  # the key, in any prediction
    for number, (predicted, gold) in enumerate(nlp.pipe(pairs, as_tuples=True)):
        found = found or key in predicted.spans
        try:
            yield read(gold, predicted, key)
        except ValueError as error:
            raise ValueError(f"{data}, document {number}: {error}") from None
    if key and not found:
        raise ValueError(f"{model} predicted no spans under {key!r}")


def _unannotated(nlp: Language, gold: Doc) -> Doc:
    if not gold.has_unknown_spaces:
        return nlp.make_doc(gold.text)
    return Doc(nlp.vocab, words=[t.text for t in gold], spaces=[bool(t.whitespace_) for t in gold])
