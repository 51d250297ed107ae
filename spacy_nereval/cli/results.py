"""Count documents, and show the results.

Commands call the rooms `counting` and `evaluation` through these functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .options import Reading, Showing
from .printing import print_tables, say
from .values import table_names

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..core.spans import Document
    from ..counting.counts import Counts
    from ..evaluation.breakdown import Breakdown
    from ..evaluation.error_list import ErrorExamples
    from ..evaluation.resampling import Confidence
    from .inputs import Documents


class Observer(Protocol):
    """Something that sees every document as it is counted."""

    def add(self, document: Document | None) -> None: ...


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
) -> Counts:
    """Return the counts of documents.

    Args:
        documents: The documents; None for one without gold annotation.
        metrics: What to count.
        source: Name of the gold file.
        reading: How the documents are read.
        observers: Their `add` is called with every document.
        quiet: Show no progress bar.

    Raises:
        ValueError: If there is no document to count.
    """

    def observed() -> Iterator[Document | None]:
        for document in _with_progress(documents, quiet):
            for observer in observers:
                observer.add(document)
            yield document

    from ..counting.counter import count

    counts = count(observed(), metrics)
    counts.sources = [source]
    counts.spans_key = reading.spans_key
    _check_not_empty(source, counts.documents, counts.skipped)
    if not quiet:
        warn_of_labels(counts)
    return counts


def warn_of_labels(counts: Counts) -> None:
    """Print a warning if gold and predicted labels have little in common."""
    from ..evaluation.result import gold_spans, pred_spans
    from ..reporting.label_schemes import label_lines

    for line in label_lines(gold_spans(counts), pred_spans(counts)):
        say(line, err=True)


def totals_while_reading(documents: Documents, source: str) -> tuple[Counter[str], Iterator[Document | None]]:
    """Return the totals of a heading, and the documents, which are added to the totals as they are read.

    After the last one, ValueError is raised if there was no document with gold annotation.
    """
    from ..core.spans import ON_READING
    from ..reporting.label_schemes import label_lines

    labels: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    totals = Counter(dict.fromkeys(("documents", "gold", "pred", "skipped", *ON_READING), 0))

    def added() -> Iterator[Document | None]:
        for document in _with_progress(documents):
            if document is None:
                totals["skipped"] += 1
            else:
                sides = dict(zip(("gold", "pred"), map(len, document.sides)))
                for seen, spans in zip(labels, document.sides):
                    seen.update(label for _, _, label in spans)
                totals.update({**sides, "documents": 1, **{name: getattr(document, name) for name in ON_READING}})
            yield document
        _check_not_empty(source, totals["documents"], totals["skipped"])
        for line in label_lines(*labels):
            say(line, err=True)

    return totals, added()


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

    save(counts, output)
    documents = "1 document" if counts.documents == 1 else f"{counts.documents} documents"
    say(f"✔ counts of {documents} in {output}", fg="green")


def wanted_tables(showing: Showing, metrics: Sequence[Metric]) -> list[str]:
    """Return the tables to print.

    Raises:
        ValueError: If a table is unknown, or no metric has the verdicts that it shows.
    """
    from ..reporting.result_tables import TABLES, USUAL
    from ..reporting.verdict_tables import judging

    wanted = table_names(showing.tables, TABLES, USUAL)
    by_name = [] if showing.tables in (None, "all") else wanted
    for name in by_name:
        if name in ("errors", "pairs", "confusion") and not judging(metrics):
            names = ", ".join(metric.name for metric in metrics)
            raise ValueError(
                f"--tables {name}: the verdicts of {names} do not distinguish kinds of errors; add fair to --metrics"
            )
    return wanted


def wanted_examples(showing: Showing, metrics: Sequence[Metric]) -> list[ErrorExamples]:
    """Return an observer that collects examples of errors, if a table shows them."""
    from ..evaluation.error_list import ErrorExamples
    from ..reporting.verdict_tables import judging

    metric = judging(metrics)
    return [ErrorExamples(metric)] if metric and "pairs" in wanted_tables(showing, metrics) else []


def show_result(
    counts: Counts,
    drawn: Confidence | None,
    showing: Showing,
    *,
    output: Path | None = None,
    per_document: Path | None = None,
    breakdowns: Sequence[Breakdown] = (),
    examples: Sequence[ErrorExamples] = (),
) -> None:
    """Score counts, write the files asked for, and print the tables.

    Args:
        counts: The counts of a corpus.
        drawn: The settings of intervals; None for no intervals.
        showing: Which tables are printed, and how.
        output: JSON file for the result.
        per_document: File for the scores of each document.
        breakdowns: What `--by` counted.
        examples: Examples of errors.
    """
    from ..evaluation.per_document import disagreement, document_rows
    from ..evaluation.result import evaluate
    from ..io.writing import write_json, write_rows
    from ..reporting.evaluated import Evaluated
    from ..reporting.remarks import disagreement_lines, heading
    from ..reporting.result_tables import tables

    wanted = wanted_tables(showing, counts.metrics)
    result = evaluate(counts, drawn, average=showing.average, short=showing.short)
    if breakdowns:
        result["breakdowns"] = {found["by"]: found for found in (each.result() for each in breakdowns)}
    if output:
        write_json(output, result)
    notes = _warnings(counts, result.get("confidence"), breakdowns)
    if per_document:
        write_rows(per_document, document_rows(counts))
        if found := disagreement(counts):
            notes.append("\n".join(disagreement_lines(found)))
    found_examples = {kind: example for each in examples for kind, example in each.first.items()}
    given = Evaluated(counts, result, showing.average, found_examples)
    print_tables(
        tables(given, wanted, digits=showing.digits),
        showing.format,
        before=[heading(result)],
        after=notes,
        signature=result["signature"],
    )


def _warnings(counts: Counts, drawn: Mapping[str, Any] | None, breakdowns: Sequence[Breakdown]) -> list[str]:
    """Return warnings about unknown labels, and about few units if there are intervals."""
    from ..reporting.remarks import unit_lines, warning
    from .lookups import unknown_labels

    lines = [f"⚠ {line}" for line in unknown_labels(counts, breakdowns)]
    if drawn:
        lines += [*unit_lines(counts.unit), *warning(drawn["units"], drawn["effective_units"], counts.unit)]
    return lines
