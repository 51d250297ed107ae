"""A made-up corpus that is always the same, a second system on it, and the variants of every metric."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from spacy_nereval import Document, Span, names

OWN_WEIGHTS = {"A": 0.3, "B": 0.25, "C": 0, "D": 0.15, "combined": 0.3}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    # Not tmr: what is confusable shows in the whole corpus, of which a resample is a part. Not attributes: these spans
    # have none, see test_attribute_metric.py.
    *((name, {}) for name in names() if name not in ("tmr", "attributes")),
    ("semeval", {"focus": "system", "beta": 2}),
    ("slot_error", {"slots": "muc", "weights": "etape"}),
    ("loio", {"match": "optimal", "s": 1}),
    ("fair", {"unit": "token", "weights": "fine", "focus": "system"}),
    ("wrf", {"average": "micro"}),
    ("wrf", {"weights": OWN_WEIGHTS}),
    ("wrf", {"weights": "lenient", "average": "micro", "unique": False}),
    ("plagdet", {"average": "micro", "typed": True}),
    ("ace", {"weights": {"A": 0.3, "B": 0}}),
]
IDS = [":".join([name, *options]) for name, options in VARIANTS]
every_variant = pytest.mark.parametrize(("name", "options"), VARIANTS, ids=IDS)


def side_by_side() -> list[dict[str, dict[str, Any]]]:
    """All variants in as few tables as their names allow: what is counted together takes a fraction of the time."""
    tables: list[dict[str, dict[str, Any]]] = []
    for name, options in VARIANTS:
        table = next((table for table in tables if name not in table), None)
        if table is None:
            tables.append(table := {})
        table[name] = options
    return tables


every_table = pytest.mark.parametrize("table", side_by_side(), ids=lambda table: f"{len(table)} metrics")
"""Every variant, beside those of other metrics."""

every_table_the_largest_slowly = pytest.mark.parametrize(
    "table",
    [pytest.param(table, marks=pytest.mark.slow if len(table) > 10 else ()) for table in side_by_side()],
    ids=lambda table: f"{len(table)} metrics",
)
"""The same, where the largest table takes longer than all others."""


def corpus(number: int, seed: int = 0, labels: Sequence[str] = "ABC", named: bool = True) -> list[Document]:
    """Texts of twelve words with a few spans, most of them found and some found wrongly; always the same."""
    random = Random(seed)
    found = []
    for k in range(number):
        words = random.choices(("a", "b", "ab", "ba", "c", "Ab"), k=12)
        text = " ".join(words)
        starts = [sum(len(word) + 1 for word in words[:i]) for i in range(12)]
        tokens = [(start, start + len(word)) for start, word in zip(starts, words)]
        gold, pred = [], []
        for first in random.sample(range(0, 12, 3), random.randint(0, 4)):
            length = random.randint(1, 3)
            label, other = random.choice(labels), random.choice(labels)
            span = (tokens[first][0], tokens[first + length - 1][1])
            slip = (tokens[first][0], tokens[first][1])
            gold_span, pred_span = random.choices(
                [((*span, label), (*span, label)), ((*span, label), (*slip, label)), ((*span, label), (*span, other))]
                + [((*span, label), None), (None, (*span, label))],
                weights=[5, 1, 1, 2, 1],
            )[0]
            gold += [gold_span] if gold_span else []
            pred += [pred_span] if pred_span else []
        found.append(Document(gold, pred, text, tokens=tokens, id=f"doc {k}" if named else None))
    return found


def trained_again(name: str, keep: float, documents: Sequence[Document]) -> list[Document]:
    """The predictions of one training run, always the same for its name: of each gold span with this chance."""
    random = Random(name)
    preds = [[span for span in d.gold if random.random() < keep] for d in documents]
    return [Document(d.gold, pred, d.text, tokens=d.tokens, id=d.id) for d, pred in zip(documents, preds)]


def repeated(documents: Sequence[Document], weights: Sequence[float]) -> list[Document]:
    """Every document as often as its weight says."""
    return [document for document, weight in zip(documents, weights) for _ in range(round(weight))]


def close(values: dict[str, Any]) -> dict[str, Any]:
    """Equal but for rounding; None and NaN are equal to nothing else."""
    return {key: None if n is None else pytest.approx(n, abs=1e-9, nan_ok=True) for key, n in values.items()}


def tallied(tp: int, fp: int, fn: int, id: str | None = None, label: str = "A") -> Document:
    """A document with so many hits, spurious and missed spans, far from each other.
    Documents with equal tp + fn have equal gold spans."""
    gold = [(4 * k, 4 * k + 2, label) for k in range(tp + fn)]
    return Document(gold, gold[:tp] + [(1000 + 4 * k, 1002 + 4 * k, label) for k in range(fp)], id=id)


def second(documents: Sequence[Document]) -> list[Document]:
    """Another system on the same documents: in every second one it repeats the gold spans without
    the first, in every third one it moves their ends, elsewhere it does as the first system."""
    found = []
    for k, d in enumerate(documents):
        pred: Sequence[Span] = d.pred
        if k % 2:
            pred = d.gold[1:]
        elif not k % 3:
            pred = [span._replace(end=max(span.start, span.end - 1)) for span in d.gold]
        found.append(Document(d.gold, pred, d.text, tokens=d.tokens, id=d.id))
    return found
