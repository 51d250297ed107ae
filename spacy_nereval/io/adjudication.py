"""Disputed documents as tasks for Prodigy and Label Studio, the most disputed first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.messages import listed
from ..evaluation.agreement.consensus import Rule, Vote, votes
from ..evaluation.agreement.disputes import disputes_of, ranked_documents
from ..evaluation.agreement.documents import SharedDocument, SharedDocuments
from .writing import atomic, write_rows

ENDINGS = {".jsonl": "Prodigy", ".json": "Label Studio"}
"""The formats of files for disputes, by file extension."""


def check_disputes_path(path: Path) -> None:
    """Raise ValueError if the extension of a file for disputes names no format.

    >>> check_disputes_path(Path("disputes.csv"))
    Traceback (most recent call last):
    ValueError: disputes.csv: expected a file that ends in .jsonl (Prodigy) or .json (Label Studio)
    """
    if path.suffix not in ENDINGS:
        raise ValueError(f"{path}: expected a file that ends in .jsonl (Prodigy) or .json (Label Studio)")


def write_disputes(path: Path, shared: SharedDocuments, rule: Rule = Rule()) -> int:
    """Write the disputed documents, the most disputed first.

    Args:
        path: A .jsonl file for Prodigy, or a .json file for Label Studio.
        shared: What the annotators annotated.
        rule: How many votes a span of the consensus needs, in tasks for Prodigy.

    Returns:
        The number of documents.

    Raises:
        ValueError: The file extension is none of these, or the texts are not known.
        OSError: The file cannot be written.
    """
    check_disputes_path(path)
    if path.suffix == ".jsonl":
        return write_rows(path, prodigy_tasks(shared, rule))
    tasks = [*label_studio_tasks(shared)]
    with atomic(path) as file:
        file.write(f"{json.dumps(tasks, ensure_ascii=False, indent=1)}\n".encode("utf8", "backslashreplace"))
    return len(tasks)


def prodigy_tasks(shared: SharedDocuments, rule: Rule = Rule()) -> Iterator[dict[str, Any]]:
    """Yield a task for each disputed document.

    Its `spans` are those of the consensus, so that `ner.manual` begins there. Its `options` are the
    disputed spans with those who marked them, for the interface `choice`.

    Args:
        shared: What the annotators annotated.
        rule: How many votes a span of the consensus needs.

    Raises:
        ValueError: The texts are not known.

    >>> from spacy_nereval import Document
    >>> own = {"ann": [(0, 3, "PER"), (4, 8, "ORG")], "ben": [(0, 8, "PER")], "cleo": [(0, 3, "PER")]}
    >>> shared = SharedDocuments(tuple(own), [SharedDocument(Document([], [], "Ada Acme"), own)])
    >>> for task in prodigy_tasks(shared):
    ...     print(task["spans"], task["meta"], *(option["text"] for option in task["options"]), sep="; ")
    [{'start': 0, 'end': 3, 'label': 'PER'}]; {'disputes': 6, 'annotators': 'ann, ben, cleo'}; \
ann, cleo: Ada (PER); ben: Ada Acme (PER); ann: Acme (ORG)
    """
    for document, text, disputes in _disputed(shared):
        in_text = [vote for vote in votes(document) if not document.base.is_invented(vote.span)]
        disputed = [vote for vote in in_text if disputes_of(document, vote)]
        kept = [vote.span for vote in in_text if rule.holds(len(vote.annotators), len(document.spans))]
        yield {
            **({} if document.base.id is None else {"id": document.base.id}),
            "text": text,
            "spans": [dict(zip(("start", "end", "label"), span)) for span in kept],
            "options": [_option(k, text, vote) for k, vote in enumerate(disputed)],
            "meta": {"disputes": disputes, "annotators": ", ".join(document.spans)},
        }


def label_studio_tasks(shared: SharedDocuments) -> Iterator[dict[str, Any]]:
    """Yield a task for each disputed document, with the spans of every annotator as predictions.

    The labelling config has to call its text "text" and its labels "label".

    Args:
        shared: What the annotators annotated.

    Raises:
        ValueError: The texts are not known.
    """
    for document, text, disputes in _disputed(shared):
        named = {} if document.base.id is None else {"document": document.base.id}
        yield {
            "data": {"text": text, **named, "disputes": disputes},
            "predictions": [
                {
                    "model_version": name,
                    "result": [_region(text, span) for span in sorted(own) if not document.base.is_invented(span)],
                }
                for name, own in document.spans.items()
            ],
        }


def _disputed(shared: SharedDocuments) -> Iterator[tuple[SharedDocument, str, int]]:
    """Yield the disputed documents in the order of adjudication, with their texts and disputes."""
    for place, row in ranked_documents(shared):
        document = shared.documents[place]
        text = document.base.own_text
        if text is None:
            raise ValueError(
                f"document {row['document']} has no text, so no tasks can be made of the disputes of "
                f"{listed(shared.annotators)}: give the texts"
            )
        if row["disputes"]:
            yield document, text, row["disputes"]


def _option(number: int, text: str, vote: Vote) -> dict[str, Any]:
    start, end, label = vote.span
    said = f"{', '.join(vote.annotators)}: {text[start:end]} ({label})"
    return {"id": number, "text": said, "start": start, "end": end, "label": label}


def _region(text: str, span: tuple[int, int, str]) -> dict[str, Any]:
    start, end, label = span
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"from_name": "label", "to_name": "text", "type": "labels", "value": value}
