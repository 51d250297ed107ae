"""Compare the figures of a run with their limits, and print them as tables.

python benchmarks/table.py benchmarks/results.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

ALIGNED = ("six metrics, aligned", "get_ner_prf, aligned", 1.0, 2.5)
FRESH = ("six metrics", "get_ner_prf", 0.25, 0.5)
OFFSETS = ("six metrics, offsets", "nervaluate", 0.25, 0.25)
RATIOS = (ALIGNED, FRESH, OFFSETS)
"""Pairs of sides, and the maximum ratio of their times: with long documents, and with single sentences. The
first row is the case of `spacy evaluate` and `spacy train`."""

SHARE, GROWTH, INTERVALS, BYTES, IMPORT, START = 1, 12, 1, 500, 30, 0.35
"""What our scores may add to `nlp.evaluate`, in per cent; how much longer a document may take with ten times
the entities; seconds for intervals; bytes of the counts of a document; milliseconds for an import; the
processor time of `nereval`, as a share of that of `python -m spacy nereval`."""

OF_STEP, COMPARISON, MEMORY = 5, 5, 1000
"""The share of an evaluation step that the intervals of a scorer may take, in per cent; seconds for comparing two
systems, and megabytes."""

FEW_SHORT, FEW_SHARE, FEW_OF_STEP = "180 short texts", 6, 20
"""A test set of which a small pipeline makes quick work, so that what a scorer does once per call weighs more; the
limits of both shares there."""


def reached(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The measured values and their limits: `what`, `where`, `value`, `at_most`, `unit`."""
    rows = [
        (
            f"{side} / {other}",
            corpus["name"],
            ratio(corpus["seconds"][side], corpus["seconds"][other]),
            sentences if corpus["sentences"] else long,
            "",
        )
        for side, other, long, sentences in RATIOS
        for corpus in found["corpora"]
    ]
    for row in found["evaluations"]:
        sides = ("nlp.evaluate", "get_ner_prf", "six metrics", "six metrics, intervals")
        whole, spacy, plain, drawn = (row["seconds"][side] for side in sides)
        share, of_step = (FEW_SHARE, FEW_OF_STEP) if row["name"] == FEW_SHORT else (SHARE, OF_STEP)
        # The scorer takes the place of spaCy's, whose scores it returns too.
        more = [ours - theirs for ours, theirs in zip(plain, spacy)]
        rows.append(("what six metrics add / nlp.evaluate", row["name"], 100 * ratio(more, whole), share, "%"))
        # Of the whole step, which is then that much longer.
        added = [with_them - without for with_them, without in zip(drawn, plain)]
        step = [seconds + more for seconds, more in zip(whole, drawn)]
        rows.append(("confidence = {} / nlp.evaluate", row["name"], 100 * ratio(added, step), of_step, "%"))
    for row in found["documents"]:
        sizes = sorted(map(int, row["seconds"]))
        for size in sizes:
            if 10 * size in sizes:
                growth = ratio(row["seconds"][str(10 * size)], row["seconds"][str(size)])
                rows.append((f"{10 * size:,} / {size:,} entities in one document", row["shape"], growth, GROWTH, ""))
    drawn, held = found["bootstrap"], found["counts"]
    where = f"{drawn['documents']:,} documents, {drawn['labels']} labels"
    seconds = median(drawn["seconds"]["intervals"])
    rows.append(("scores with intervals", where, seconds, INTERVALS, "s"))
    pair = found["comparison"]
    where = f"{pair['documents']:,} documents, {pair['labels']} labels"
    what = f"comparison with {pair['swaps']:,} swaps"
    rows.append((what, where, median(pair["seconds"]), COMPARISON, "s"))
    rows.append((f"{what}, memory of its process", where, pair["bytes"] / 1e6, MEMORY, "MB"))
    where = f"{held['labels']} labels, {held['entities']} entities"
    rows.append(("memory of the counts of a document", where, held["bytes"], BYTES, "bytes"))
    rows.append(
        ("importing what spaCy imports at its start", "beyond spaCy", 1e3 * median(found["imports"]), IMPORT, "ms")
    )
    for command, sides in found["start"].items():
        share = ratio(sides["nereval"], sides["python -m spacy nereval"])
        rows.append(("nereval / python -m spacy nereval, processor time", command, share, START, ""))
    return [dict(zip(("what", "where", "value", "at_most", "unit"), row)) for row in rows]


def verdict(goals: Sequence[Mapping[str, Any]]) -> str:
    """Which figures are above their limit, in words.

    >>> verdict([{"what": "a", "where": "b", "value": 1.0, "at_most": 1, "unit": ""}])
    'Every figure is within its limit.'
    """
    above = [f"{row['what']} ({row['where']})" for row in goals if row["value"] > row["at_most"]]
    return f"**Above its limit:** {'; '.join(above)}." if above else "Every figure is within its limit."


def ratio(times: Iterable[float], others: Iterable[float]) -> float:
    """The median of the ratios within a round.

    >>> ratio([1, 2, 9], [2, 4, 3])
    0.5
    """
    return median(a / b for a, b in zip(times, others))


def markdown(found: Mapping[str, Any]) -> str:
    """The figures as Markdown: the values with their limits, then all times."""
    about = found["about"]
    parts = [
        f"Median of {about['rounds']} rounds; {about['machine']}, {about['system']}, Python {about['python']}, "
        f"spaCy {about['spacy']}, numpy {about['numpy']}.",
        table(
            ("all six metrics", "where", "reached", "at most"),
            (
                (
                    row["what"],
                    row["where"],
                    ("**above** " if row["value"] > row["at_most"] else "")
                    + f"{row['value']:.3g} {row['unit']}".strip(),
                    f"{row['at_most']:g} {row['unit']}".strip(),
                )
                for row in found["goals"]
            ),
        ),
        verdict(found["goals"]),
        "Microseconds per document:",
        table(*per_document(found["corpora"])),
        "Milliseconds for all six metrics on one document:",
        table(*per_size(found["documents"])),
        f"{found['empty']['documents']:,} documents, one with an entity: "
        f"{1e6 * median(found['empty']['seconds']) / found['empty']['documents']:.1f} microseconds each.",
        *(f"Left out: {name} ({reason})." for name, reason in found["left_out"].items()),
    ]
    return "\n\n".join(parts)


def per_document(corpora: Sequence[Mapping[str, Any]]) -> tuple[list[str], Iterator[list[str]]]:
    """Head and rows: a row for each corpus, a column for each side."""
    head = ["corpus", "documents", "entities", *corpora[0]["seconds"]]
    return head, (
        [c["name"], f"{c['documents']:,}", f"{c['entities']:,}"]
        + [f"{1e6 * median(times) / c['documents']:,.1f}" for times in c["seconds"].values()]
        for c in corpora
    )


def per_size(documents: Sequence[Mapping[str, Any]]) -> tuple[list[str], Iterator[list[str]]]:
    """Head and rows: a row for each shape, a column for each number of entities."""
    head = ["document", *(f"{int(size):,}" for size in documents[0]["seconds"])]
    return head, (
        [row["shape"], *(f"{1e3 * median(times):,.1f}" for times in row["seconds"].values())] for row in documents
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, numbers to the right."""
    lines = [
        list(head),
        ["---" if name in ("all six metrics", "where", "corpus", "document") else "---:" for name in head],
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [*lines, *rows])


if __name__ == "__main__":
    print(markdown(json.loads(Path(sys.argv[1]).read_text(encoding="utf8"))))
