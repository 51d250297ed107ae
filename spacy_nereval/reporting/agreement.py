"""Tables on the agreement of annotators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..core.declaration import Metric
from .agreement_lines import UNIT_NAMES, Agreed, estimate, in_columns
from .declared import directed, groups, headlines, short_name, spoken
from .marked_text import clipped
from .result_table import Cell, ResultTable, direction
from .score_cells import number, percent, score_cell, unit_of
from .score_tables import MOST

MOST_SHOWN = 5
"""Maximum number of rows of the lists of differences and disputes at a terminal."""


def agreement_tables(given: Agreed, wanted: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
    """Yield tables.

    Args:
        given: The result.
        wanted: Names of tables, keys of `AGREED`.
        digits: Decimal places of numbers that are not whole.
    """
    for name in wanted:
        for table in AGREED[name](given):
            yield table._replace(digits=digits)


def pair_tables(given: Agreed) -> Iterator[ResultTable]:
    """Yield the matrix of pairs with the main score, and F of each annotator against the majority of the others."""
    metric, name = given.main
    values = {}
    for pair in given.result["pairs"]:
        values[pair["a"], pair["b"]] = score_cell(metric, name, pair["metrics"][metric.name]["scores"])
    people, against = given.result["annotators"], given.result["consensus"]["against"]
    rows: list[list[Cell]] = [
        [a, *(values.get((a, b), values.get((b, a))) for b in people), percent(against[a])] for a in people
    ]
    note = "; ".join(filter(None, [direction(short_name(metric, name)), _both_directions(metric, name)]))
    header = ["annotator", *people, "others' majority"]
    if all(value is None for value in against.values()):
        header, rows = header[:-1], [row[:-1] for row in rows]
    yield ResultTable(f"Pairs of annotators, {spoken(metric, name)}", header, rows, note)


def _both_directions(metric: Metric, name: str) -> str:
    return "" if metric.score_by_name[name].symmetric else "mean of both directions"


def score_tables(given: Agreed) -> Iterator[ResultTable]:
    """Yield the mean, spread and pooled value of the headline scores; those that are not symmetric are marked."""
    rows: list[list[Cell]] = []
    for metric, name in _headlines(given):
        mark = "" if metric.score_by_name[name].symmetric else " *"
        shown = directed(metric, name, f"{short_name(metric, name)}{mark}")
        rows.append([shown, *_summary_cells(given, metric, name)])
    yield ResultTable("Scores of pairs", ["score", *SUMMARISED], rows, "* mean of both directions" * _any_mean(given))


SUMMARISED = ("mean", "sd", "min", "max", "pooled", "pairs")


def _any_mean(given: Agreed) -> bool:
    return any(not metric.score_by_name[name].symmetric for metric, name in _headlines(given))


def _headlines(given: Agreed) -> Iterator[tuple[Metric, str]]:
    for metric in given.metrics:
        yield from ((metric, name) for name in headlines(metric, [score.name for score in metric.scores]))


def _summary_cells(given: Agreed, metric: Metric, name: str) -> list[Cell]:
    own = given.result["metrics"][metric.name][name]
    bounds = given.bounds.get("metrics", {}).get(metric.name, {}).get(name, {})
    cells: list[Cell] = [score_cell(metric, name, {name: own[key]}, {name: bounds.get(key)}) for key in SUMMARISED[:-1]]
    return [*cells, own["pairs"]]


def all_score_tables(given: Agreed) -> Iterator[ResultTable]:
    """Yield the mean, spread and pooled value of every score."""
    rows: list[list[Cell]] = []
    for metric in given.metrics:
        for group in groups(metric, [score.name for score in metric.scores]):
            for name in group.scores:
                symmetric = "yes" if metric.score_by_name[name].symmetric else "no, mean of both directions"
                rows.append([metric.name, name, *_summary_cells(given, metric, name), symmetric])
    yield ResultTable("All scores of pairs", ["metric", "score", *SUMMARISED, "symmetric"], rows)


UNIT_ROWS = {
    "alpha": "alpha: label or nothing",
    "alpha_detect": "alpha: something or nothing",
    "alpha_label": "alpha: which label, where marked",
    "kappa": "Cohen's kappa, mean of pairs",
    "fleiss": "Fleiss' kappa",
    "observed": "observed agreement",
}
UNITISING_ROWS = {
    "u_alpha": "unitising alpha",
    "u_binary": "unitising alpha, labels made one",
    "cu_alpha": "unitising alpha of labels, where marked",
}


def alpha_tables(given: Agreed) -> Iterator[ResultTable]:
    """Yield alphas and kappas."""
    unit = UNIT_NAMES[given.result["units"]["unit"]]
    rows: list[list[Cell]] = []
    for group, names, on in (("units", UNIT_ROWS, unit), ("u_alpha", UNITISING_ROWS, "characters")):
        own, bounds = given.result[group], given.bounds.get(group, {})
        rows += [[shown, on, estimate(own[name], bounds.get(name))] for name, shown in names.items()]
    yield ResultTable("Agreement corrected for chance", ["measure", "on", "value"], rows)


def label_tables(given: Agreed) -> Iterator[ResultTable]:
    """Yield, for each label, the mean main score, alpha, and disputes; the most disputed first."""
    metric, _ = given.main
    name = headlines(metric, [score.name for score in metric.label_scores])[0]
    result, bounds = given.result, given.bounds
    rows: list[list[Cell]] = []
    for row in result["disputes"]["labels"]:
        label = row["label"]
        own = result["per_type"][label][metric.name][name]
        found = bounds.get("per_type", {}).get(label, {}).get(metric.name, {}).get(name, {})
        alpha = result["units"]["per_type"].get(label)
        cells: list[Cell] = [score_cell(metric, name, {name: own["mean"]}, {name: found.get("mean")})]
        cells.append(estimate(alpha, bounds.get("units", {}).get("per_type", {}).get(label)))
        rows.append([label, *cells, row["disputes"], row["possible"], percent(row["share"])])
    header = ["label", short_name(metric, name), "alpha", "disputes", "of", "%"]
    yield ResultTable("Per label", header, rows, most=MOST)


def difference_tables(given: Agreed) -> Iterator[ResultTable]:
    """Yield what two annotators differ in again and again, the most one-sided first."""
    rows: list[list[Cell]] = [
        [*in_columns(row), row["number"], row["reverse"], _example(row)] for row in given.result["differences"]
    ]
    header = ["label", "what differs", "times", "reverse", "example"]
    yield ResultTable("Differences that repeat", header, rows, most=MOST_SHOWN)


def _example(row: Mapping[str, Any]) -> str:
    texts = (row["example"][key] for key in ("one_text", "other_text"))
    one, other = (clipped(text) if text is not None else "nothing" for text in texts)
    return one if one == other else f"{one} / {other}"


def document_tables(given: Agreed) -> Iterator[ResultTable]:
    """Yield the documents, the most disputed first."""
    metric, name = given.main
    key = metric.score_by_name[name].key or f"{metric.name}_{name}"
    rows: list[list[Cell]] = []
    for row in given.result["disputes"]["documents"]:
        if row["disputes"]:
            value = row["scores"].get(key)
            score = number(value, unit_of(metric, name))
            people = len(row["annotators"])
            cells: list[Cell] = [row["disputes"], row["possible"], percent(row["share"]), score]
            rows.append([str(row["document"]), people, *cells])
    header = ["document", "annotators", "disputes", "of", "%", short_name(metric, name)]
    yield ResultTable("Most disputed documents", header, rows, most=MOST_SHOWN)


def span_tables(given: Agreed) -> Iterator[ResultTable]:
    """Yield the disputed spans, the most disputed first, with who said what."""
    rows: list[list[Cell]] = []
    for row in given.result["disputes"]["spans"]:
        text = clipped(row["text"]) if row["text"] is not None else None
        place = f"{row['start']}-{row['end']}"
        rows.append([str(row["document"]), place, row["label"], text, row["disputes"], said_by(row)])
    header = ["document", "at", "label", "text", "disputes", "who said what"]
    yield ResultTable("Most disputed spans", header, rows, most=MOST_SHOWN)


def said_by(row: Mapping[str, Any]) -> str:
    """Return who said what of a disputed span.

    >>> span = {"start": 0, "end": 3, "label": "PER", "text": "Ada"}
    >>> other = span | {"end": 12, "text": "Ada Lovelace"}
    >>> said_by(span | {"annotators": ["ann"], "said": {"ann": [span], "bob": [other], "eve": []}})
    'ann PER; bob PER Ada Lovelace; eve nothing'
    """
    here = row["start"], row["end"]
    parts: dict[str, list[str]] = {}
    for name, spans in row["said"].items():
        shown = [
            span["label"] if (span["start"], span["end"]) == here else f"{span['label']} {_text(span)}"
            for span in spans
        ]
        parts.setdefault(" + ".join(shown) or "nothing", []).append(name)
    return "; ".join(f"{', '.join(names)} {what}" for what, names in parts.items())


def _text(span: Mapping[str, Any]) -> str:
    return f"{span['start']}-{span['end']}" if span["text"] is None else clipped(span["text"])


AGREED: dict[str, Callable[[Agreed], Iterable[ResultTable]]] = {
    "pairs": pair_tables,
    "differences": difference_tables,
    "labels": label_tables,
    "documents": document_tables,
    "spans": span_tables,
    "scores": score_tables,
    "alpha": alpha_tables,
    "all-scores": all_score_tables,
}
"""The values of `--tables`, and the function that makes the tables of each."""

AT_TERMINAL = ("pairs", "differences", "labels", "documents", "spans")
"""The tables that a terminal shows by default."""

USUAL = ("pairs", "scores", "alpha", "differences", "labels", "documents", "spans")
"""The tables of other formats by default."""
