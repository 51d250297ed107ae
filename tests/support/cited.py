"""The measures that the papers cite."""

from fractions import Fraction
from typing import Any

from asking import scored
from profiles import tries

from spacy_nereval import Document

examples, some = tries(150), tries(50)


def scores(doc: Document, name: str, **options: Any) -> dict[str, Any]:
    return scored(doc, name, **options)["scores"]


def f1(p: Fraction, r: Fraction) -> Fraction:
    return 2 * p * r / (p + r)
