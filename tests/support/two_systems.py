"""A corpus, two systems' predictions of it, and short ways to write and read both."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import accepted, side, write
from made_up import corpus, second
from spacy.tokens import Doc

from spacy_nereval import Document

GOLD = corpus(24)


OTHER = second(GOLD)


LIKE = [Document([(0, 3, "A")], [(0, 3, "A")], "Ada", tokens=[(0, 3)], id=str(k)) for k in range(20)]
"""Twenty documents of one size, which are effectively twenty."""


def written(path: Path) -> Any:
    """What is in a JSON file, of which nothing is NaN."""

    def impossible(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(path.read_text(encoding="utf8"), parse_constant=impossible)


def bounds(found: dict[str, Any]) -> tuple[float, float]:
    """The ends of an interval of a result."""
    assert found.keys() == {"low", "high", "k", "df", "flag"}
    return found["low"], found["high"]


def near(value: Any) -> Any:
    """The same but for the last digits."""
    if isinstance(value, dict):
        return {key: near(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [near(item) for item in value]
    return pytest.approx(value, abs=1e-9) if isinstance(value, float) else value


def jsonl(path: Path, documents: Sequence[Document], name: str, ids: bool = True) -> Path:
    rows = side(documents, name)
    return write(path, *(row if ids else {key: row[key] for key in row if key != "id"} for row in rows))


def as_docs(documents: Sequence[Document], side: str) -> list[Doc]:
    """Entities of whole tokens only, as spaCy has them."""
    nlp = spacy.blank("xx")
    made = []
    for document in documents:
        made.append(nlp.make_doc(document.text))
        spans = [made[-1].char_span(*span) for span in getattr(document, side)]
        made[-1].set_ents(spacy.util.filter_spans([span for span in spans if span]))
        made[-1].user_data["id"] = document.id
    return made


def filled(folder: Path) -> Path:
    """A directory with gold annotation, a baseline and another system."""
    jsonl(folder / "gold.jsonl", GOLD, "gold")
    jsonl(folder / "base.jsonl", GOLD, "pred")
    jsonl(folder / "other.jsonl", OTHER, "pred")
    return folder


def shards(here: Path, *sizes: int, more: Sequence[Any] = ()) -> list[Path]:
    """Counts of the corpus in parts."""
    start, parts = 0, []
    for size in sizes:
        part = slice(start, start + size)
        gold, pred = (jsonl(here / f"{side}{start}.jsonl", GOLD[part], side) for side in ("gold", "pred"))
        parts.append(here / f"{start}.npz")
        accepted("count", gold, pred, "-o", parts[-1], *more)
        start += size
    return parts


# Comparisons


def compared(here: Path, *arguments: Any) -> tuple[dict[str, Any], str]:
    printed = accepted("compare", *arguments, "-o", "compared.json")
    return written(here / "compared.json"), printed
