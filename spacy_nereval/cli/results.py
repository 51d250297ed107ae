"""Count documents.

Commands call the rooms `counting` and `evaluation` through these functions; `showing` shows the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .options import Reading
from .printing import say

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..core.labels import LabelRules
    from ..core.spans import Document
    from ..counting.counts import Counts
    from ..evaluation.collapsing import Halves
    from ..evaluation.resampling import Confidence
    from .inputs import Documents


class Observer(Protocol):
    """Something that sees every document as it is counted."""

    def add(self, document: Document | None) -> None:
        """See a document; None has no gold annotation."""


class Kept(list["Document"]):
    """An observer that keeps the documents with gold annotation."""

    def add(self, document: Document | None) -> None:
        """Keep the document, unless it is None."""
        if document:
            self.append(document)


def count_documents(
    documents: Documents,
    metrics: Sequence[Metric],
    source: str,
    reading: Reading,
    observers: Sequence[Observer] = (),
    *,
    quiet: bool = False,
    collapse: Halves | None = None,
    check_repeats: bool = False,
) -> Counts:
    """Return the counts of documents.

    Args:
        documents: The documents; None for one without gold annotation.
        metrics: What to count.
        source: Name of the gold file.
        reading: How the documents are read.
        observers: Their `add` is called with every document.
        quiet: Show no progress bar.
        collapse: Add up the documents, and keep these half-samples; None keeps a row for each document.
        check_repeats: Keep hashes of the ids of collapsed counts.

    Raises:
        ValueError: If there is no document to count.
    """

    def observed() -> Iterator[Document | None]:
        for document in _with_progress(documents, quiet):
            for observer in observers:
                observer.add(document)
            yield document

    from ..counting.counter import count
    from ..evaluation.collapsing import count_collapsed
    from ..io.id_hashes import IdHashes

    hashes = IdHashes() if check_repeats else None
    observers = [*observers, *([hashes] if hashes else [])]
    counts = count_collapsed(observed(), metrics, *collapse) if collapse else count(observed(), metrics)
    counts.sources = [source]
    counts.spans_key = reading.spans_key
    counts.id_hashes = hashes.file() if hashes else None
    _check_not_empty(source, counts.documents, counts.skipped)
    if not quiet:
        warn_of_labels(counts)
    return counts


def warn_of_labels(counts: Counts) -> None:
    """Print warnings about labels that occur on one side only, or not at all.

    Raises:
        ValueError: A label of `--only` occurs nowhere.
    """
    from ..evaluation.result import gold_spans, pred_spans

    _warn(gold_spans(counts), pred_spans(counts), counts.partners, counts.label_rules, counts.mapped)


def _warn(
    gold: Mapping[str, int],
    pred: Mapping[str, int],
    partners: Mapping[tuple[str, str], int],
    rules: LabelRules | None,
    mapped: Collection[str],
) -> None:
    from ..evaluation.label_schemes import label_lines

    if rules:
        rules.check_found({*gold, *pred})
    lines = rules.unused(mapped) if rules else []
    for line in [*lines, *label_lines(gold, pred, partners, rules)]:
        say(line, err=True)


def totals_while_reading(
    documents: Documents, source: str
) -> tuple[Counter[str], Counter[str], Iterator[Document | None]]:
    """Return the totals of a heading, those of mentions, and the documents, which are added to them as they are read.

    After the last one, ValueError is raised if there was no document with gold annotation.
    """
    from ..core.spans import ON_READING

    labels: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    partners: Counter[tuple[str, str]] = Counter()
    rules: LabelRules | None = None
    mapped: set[str] = set()
    mentions: Counter[str] = Counter()
    totals = Counter(dict.fromkeys(("documents", "gold", "pred", "skipped", *ON_READING), 0))

    def added() -> Iterator[Document | None]:
        nonlocal rules
        for document in _with_progress(documents):
            if document is None:
                totals["skipped"] += 1
            else:
                partners.update(document.partners)
                rules = rules or document.label_rules
                mapped.update(document.mapped)
                mentions.update(document.mentions)
                sides = dict(zip(("gold", "pred"), map(len, document.sides)))
                for seen, spans in zip(labels, document.sides):
                    seen.update(label for _, _, label in spans)
                totals.update({**sides, "documents": 1, **{name: getattr(document, name) for name in ON_READING}})
            yield document
        _check_not_empty(source, totals["documents"], totals["skipped"])
        _warn(*labels, partners, rules, mapped)

    return totals, mentions, added()


def _with_progress(documents: Documents, quiet: bool = False) -> Documents:
    """Return the documents, with a progress bar if the output is a terminal."""
    from tqdm import tqdm

    progress: Iterable[Document | None] = tqdm(documents, unit=" docs", leave=False, disable=quiet or None)
    return progress


def _check_not_empty(source: str, documents: int, skipped: int) -> None:
    if not documents and not skipped:
        raise ValueError(f"there are no documents to score in {source}")
    if not documents:
        raise ValueError(
            f"{source}: none of the {skipped} gold documents is annotated; "
            "if the annotation is in span groups, name one with --spans-key KEY"
        )


def add_replicates(counts: Counts, drawn: Confidence) -> None:
    """Resample the counts, so that intervals of several count files can be merged."""
    from ..evaluation.intervals import replicate

    counts.replicates = replicate(counts, drawn.samples, drawn.seed)


def save_counts(counts: Counts, output: Path) -> None:
    """Write a count file, and print its name."""
    from ..io.count_files import save
    from ..reporting.remarks import on_reading

    unchecked = _unchecked(counts)  # before the hashes of ids move
    save(counts, output)
    documents = "1 document" if counts.documents == 1 else f"{counts.documents} documents"
    said = on_reading({**counts.on_reading, "skipped": counts.skipped})
    say(", ".join([f"✔ counts of {documents} in {output}", *said]), fg="green")
    if unchecked:
        say(unchecked)


def say_if_unchecked(counts: Counts) -> None:
    """Print to stderr that nobody looked for repeated documents, if that is so."""
    if unchecked := _unchecked(counts):
        say(unchecked, err=True)


def _unchecked(counts: Counts) -> str:
    """Return why repeated documents are not found: counts are collapsed, and have no hashes of ids or no ids."""
    if not counts.collapsed:
        return ""
    if not counts.id_hashes:
        return "ℹ Documents that occur in several files were not looked for; --check-repeats does."
    if not counts.id_hashes.stat().st_size:
        return "ℹ No document has an id, so --check-repeats cannot find documents that occur in several files."
    return ""
