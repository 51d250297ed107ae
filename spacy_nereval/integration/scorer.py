"""The scorers that a spaCy config names, and how results become spaCy's score keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import PRFScore
from spacy.training import Example
from thinc.api import ConfigValidationError

from ..core.declaration import Metric
from ..core.spans import Document
from ..counting.batch import HIT
from ..counting.counts import NONE, Counts
from ..evaluation.intervals import Confidence
from ..evaluation.result import evaluate
from ..metrics.registry import create_all
from .examples import count_examples, read_together
from .ranges import TokenBatch, TokenDocument

MetricTable = dict[str, dict[str, Any]]
ConfidenceTable = dict[str, Any]


def make_ner_scorer(
    metrics: MetricTable | None = None, confidence: ConfidenceTable | None = None
) -> Callable[..., dict[str, Any]]:
    """`@scorers = "spacy-nereval.ner_scorer.v1"`: spaCy's `ents_*`, and every metric of `doc.ents`.

    metrics: names and options of the metrics; by default all six, as the papers
        define them.
    confidence: `level`, `samples` and `seed` of intervals, which are then in the
        nested result; `{}` for the usual ones. By default there are none.
    """
    return NerScorer(checked(metrics), checked_confidence(confidence))


def make_spans_scorer(
    metrics: MetricTable | None = None,
    spans_key: str | None = None,
    confidence: ConfidenceTable | None = None,
) -> Callable[..., dict[str, Any]]:
    """`@scorers = "spacy-nereval.spans_scorer.v1"`: spaCy's `spans_{key}_*`, and every metric of `doc.spans[key]`.

    spans_key: by default that of the component.
    """
    return SpansScorer(checked(metrics), spans_key, checked_confidence(confidence))


class NerScorer:
    """Scores `doc.ents`. A class rather than a closure, so that it can be pickled."""

    def __init__(self, metrics: tuple[Metric, ...], confidence: Confidence | None = None) -> None:
        self.metrics = metrics
        self.confidence = confidence

    def __call__(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        spacy, counts = SpacyCounts(), Counts(self.metrics)
        counts.extend_together(spacy.watched(examples))
        return spacy.scores(counts) | result_keys(counts, "ents", self.confidence)


class SpansScorer:
    """Scores `doc.spans[key]`."""

    def __init__(
        self, metrics: tuple[Metric, ...], spans_key: str | None = None, confidence: Confidence | None = None
    ) -> None:
        self.metrics = metrics
        self.spans_key = spans_key
        self.confidence = confidence

    def __call__(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        key = self.spans_key or kwargs.get("spans_key") or "sc"
        examples = list(examples)
        counts = count_examples(examples, self.metrics, key)
        spacy = spancat_score(examples, **kwargs | {"spans_key": key})
        return spacy | result_keys(counts, f"spans_{key}", self.confidence)


class SpacyCounts:
    """What spaCy's own `get_ner_prf` counts: per label, spans rounded outward to gold tokens.

    Aligning tokens is most of the time that spaCy takes. It is needed only
    where tokenisations differ or annotation is partial.
    """

    def __init__(self) -> None:
        self.alike: list[bool] = []
        self.own: dict[str, PRFScore] = defaultdict(PRFScore)

    def watched(self, examples: Iterable[Example]) -> Iterator[Iterable[Document | None]]:
        """The examples as documents, some at a time, all of them counted here."""
        for some, found in read_together(examples):
            if isinstance(found, TokenBatch):
                self.alike += [True] * len(found)
                yield found
            else:
                yield self._watched(some, found)

    def _watched(self, examples: Iterable[Example], found: Iterable[Document | None]) -> Iterator[Document | None]:
        for example, document in zip(examples, found):
            if document is not None:
                # Where spans are ranges of tokens on both sides, spaCy's alignment is the identity.
                self.alike.append(isinstance(document, TokenDocument))
                if not self.alike[-1]:
                    self.add(example)
            yield document

    def add(self, example: Example) -> None:
        """Count what spaCy counts of one example."""
        missed = {(span.label_, span.start, span.end) for span in example.reference.ents}
        x2y = example.alignment.x2y
        for span in example.predicted.ents:
            score = self.own[span.label_]
            tokens = x2y[span.start : span.end]
            if not len(tokens):
                continue
            start, end = int(tokens[0]), int(tokens[-1]) + 1
            if any(token.ent_iob == 0 for token in example.reference[start:end]):
                continue
            if (span.label_, start, end) in missed:
                missed.remove((span.label_, start, end))
                score.tp += 1
            else:
                score.fp += 1
        for label, _, _ in missed:
            self.own[label].fn += 1

    def scores(self, counts: Counts) -> dict[str, Any]:
        """`ents_p`, `ents_r`, `ents_f`, `ents_per_type`, as spaCy returns them."""
        per_type = self.own.copy()
        doc, kind, gold, pred, _ = counts.settled.array().astype(np.int64).T
        alike = np.array(self.alike, dtype=bool)[doc]
        names = tuple(counts.label_ids)
        for side, hit, miss in ((gold, "tp", "fn"), (pred, None, "fp")):
            for name, chosen in ((hit, kind == HIT), (miss, kind != HIT)):
                numbers = np.bincount(side[chosen & alike & (side != NONE)], minlength=len(names))
                for label, number in zip(names, numbers.tolist()):
                    if name and number:
                        per_type[label] += PRFScore(**{name: number})
        total = sum(per_type.values(), PRFScore())
        if not len(total):
            return dict.fromkeys(("ents_p", "ents_r", "ents_f", "ents_per_type"))
        return {
            "ents_p": total.precision,
            "ents_r": total.recall,
            "ents_f": total.fscore,
            "ents_per_type": {label: score.to_dict() for label, score in per_type.items()},
        }


def result_keys(counts: Counts, prefix: str, confidence: Confidence | None = None) -> dict[str, Any]:
    """The result under `{prefix}_nereval`, and its headline scores under flat keys.

    spaCy drops a score for a whole training run if it is None at first. So an
    undefined score is 0.0 here, and None only if no document is annotated.
    """
    counts.key = prefix.removeprefix("spans_") if prefix.startswith("spans_") else None
    result = evaluate(counts, confidence)
    scores = {}
    for metric in counts.metrics:
        for key, name in metric.flat.items():
            value = result["metrics"][metric.name]["scores"][name]
            scores[f"{prefix}_{key}"] = (value or 0.0) if counts.documents else None
    return scores | {f"{prefix}_nereval": result}


def checked(metrics: Mapping[str, Mapping[str, Any]] | None) -> tuple[Metric, ...]:
    """The metrics of a config block; mistakes are shown as spaCy shows them."""
    try:
        chosen = create_all(metrics)
        for metric in chosen:
            if metric.needs:
                raise ValueError(f"{metric.name} needs the option {metric.needs}")
        return chosen
    except ValueError as error:
        raise ConfigValidationError(config={"metrics": metrics}, title="Unusable metrics", desc=str(error)) from None


def checked_confidence(table: ConfidenceTable | None) -> Confidence | None:
    """The intervals of a config block, likewise."""
    try:
        return None if table is None else Confidence(**table).checked()
    except (TypeError, ValueError) as error:
        config = {"confidence": table}
        raise ConfigValidationError(config=config, title="Unusable confidence", desc=str(error)) from None
