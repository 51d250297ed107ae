"""The agreement of annotators as a result."""

from __future__ import annotations

from typing import Any

from spacy_nereval import create_all
from spacy_nereval.evaluation.agreement.counts import AgreementCounts
from spacy_nereval.evaluation.agreement.documents import SharedDocuments

STRICT = create_all(["strict"])


def result_of(given: SharedDocuments, metrics: Any = STRICT, **settings: Any) -> dict[str, Any]:
    return AgreementCounts(given, metrics, **settings).result()
