"""Time the scorer with all six metrics against spaCy's own `get_ner_prf`.

    python benchmarks/scorer.py --output benchmarks/scorer.json

Both sides get fresh `Example` objects over the same Docs in every round, and
take turns, so that a machine whose speed drifts is fair to both. What counts is
the ratio of the medians. `spans` is the floor: reading nothing but the
character spans of both sides.
"""

from __future__ import annotations

import gc
import json
import platform
import random
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated

import spacy
import typer
from spacy.scorer import get_ner_prf
from spacy.tokens import Doc
from spacy.training import Example
from wasabi import table

from spacy_nereval.scorer import make_ner_scorer


def read_spans(examples: list[Example]) -> None:
    for example in examples:
        for doc in (example.reference, example.predicted):
            [(span.start_char, span.end_char, span.label_) for span in doc.ents]


def main(
    documents: Annotated[int, typer.Option(help="Number of documents")] = 2000,
    tokens: Annotated[int, typer.Option(help="Tokens per document")] = 200,
    entities: Annotated[int, typer.Option(help="Entities per document")] = 15,
    labels: Annotated[int, typer.Option(help="Number of labels")] = 4,
    rounds: Annotated[int, typer.Option(help="Rounds, after one that is left out")] = 7,
    output: Annotated[Path | None, typer.Option(help="JSON file for the figures")] = None,
) -> None:
    """Print the median time per document of each side and its ratio to spaCy's."""
    pairs = corpus(documents, tokens, entities, [f"L{k}" for k in range(labels)])
    sides = {"get_ner_prf": get_ner_prf, "six metrics": make_ner_scorer(), "spans": read_spans}
    times: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, side in sides.items():
            examples = [Example(predicted, reference) for predicted, reference in pairs]
            gc.collect()
            start = perf_counter()
            side(examples)
            if number:
                times[name].append(perf_counter() - start)
    base = median(times["get_ner_prf"])
    rows = [
        {"side": name, "us_per_doc": 1e6 * median(taken) / documents, "ratio": median(taken) / base}
        for name, taken in times.items()
    ]
    cells = [[row["side"], f"{row['us_per_doc']:.1f}", f"{row['ratio']:.2f}"] for row in rows]
    print(table(cells, header=["side", "µs per document", "ratio"], divider=True, aligns=["l", "r", "r"]))
    if output:
        about = {"python": platform.python_version(), "spacy": spacy.__version__, "machine": platform.machine()}
        size = {"documents": documents, "tokens": tokens, "entities": entities, "labels": labels, "rounds": rounds}
        output.write_text(json.dumps({"about": about, "size": size, "rows": rows}, indent=2) + "\n")


def corpus(documents: int, tokens: int, entities: int, labels: list[str]) -> list[tuple[Doc, Doc]]:
    """Predicted and gold Docs: one entity in five is missed, mislabelled or cut."""
    random.seed(0)
    vocab = spacy.blank("en").vocab
    words = [f"word{k}" for k in range(500)]
    step = tokens // entities
    pairs = []
    for _ in range(documents):
        text = random.choices(words, k=tokens)
        gold, pred = ["O"] * tokens, ["O"] * tokens
        for start in range(0, step * entities, step):
            length, label = random.randint(1, min(3, step)), random.choice(labels)
            fate = random.choices(["hit", "missed", "mislabelled", "cut"], [16, 2, 1, 1])[0]
            tag(gold, start, length, label)
            if fate != "missed":
                tag(pred, start, max(1, length - (fate == "cut")), labels[0] if fate == "mislabelled" else label)
        pairs.append((Doc(vocab, words=text, ents=pred), Doc(vocab, words=text, ents=gold)))
    return pairs


def tag(tags: list[str], start: int, length: int, label: str) -> None:
    tags[start : start + length] = [f"B-{label}", *[f"I-{label}"] * (length - 1)]


if __name__ == "__main__":
    typer.run(main)
