"""Predictions of a pipeline, one document at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spacy.tokens import Doc
from spacy.util import load_model

from .examples import read
from .files import read_docs
from .spans import Document


def predict(model: str, data: Path, key: str | None = None) -> Iterator[Document | None]:
    """The gold documents of a `.spacy` file with what a pipeline predicts on their texts.

    The pipeline tokenises the text itself, as in use. No document is kept:
    memory does not grow with the corpus, beyond the file itself.
    """
    golds = read_docs(data)
    nlp = load_model(model)
    pairs = ((_with_context(nlp.make_doc(gold.text), gold), gold) for gold in golds)
    for number, (predicted, gold) in enumerate(nlp.pipe(pairs, as_tuples=True)):
        try:
            yield read(gold, predicted, key)
        except ValueError as error:
            raise ValueError(f"document {number}: {error}") from None


def _with_context(predicted: Doc, gold: Doc) -> Doc:
    predicted.user_data.update({key: value for key, value in gold.user_data.items() if isinstance(key, str)})
    return predicted
