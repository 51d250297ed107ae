"""A result as tables. What is printed is decided here, once, from the result and the registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from wasabi import table

from .metric import Metric


class Table(NamedTuple):
    """A title, a header, and rows of cells that are ready to print."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def tables(
    result: Mapping[str, Any], metrics: Sequence[Metric], *, average: str = "micro", digits: int = 2
) -> Iterator[Table]:
    """Overall scores, other scores, counts, and scores per label."""

    def number(metric: Metric, name: str, scores: Mapping[str, Any]) -> str:
        value = scores.get(name)
        if value is None:
            return "-"
        return f"{value:.{digits}f}" if name in metric.totals else f"{100 * value:.{digits}f}"

    prf_rows, others, counts = [], [], []
    for metric in metrics:
        own = result["metrics"][metric.name]
        scores = own["scores"] if average == "micro" else own["averages"][average]
        groups, single = _grouped([name for name in scores if name != "undefined"])
        for group in groups:
            cells = [number(metric, f"{group}{x}", scores) for x in "prf"]
            prf_rows.append([" ".join([metric.name, group.rstrip("_")]).strip(), *cells])
        others += [[metric.name, name, number(metric, name, scores)] for name in single]
        counts += [[metric.name, "  ".join(f"{name} {_count(value)}" for name, value in own["counts"].items())]]
    if prf_rows:
        yield Table(f"Scores ({average})", ["metric", "P", "R", "F"], prf_rows)
    if others:
        yield Table(f"Other scores ({average})", ["metric", "score", "value"], others)
    yield Table("Counts", ["metric", "counts"], counts)

    columns = [(metric, name) for metric in metrics for name in _headline(metric, result)]
    rows = []
    for label in sorted({label for own in result["metrics"].values() for label in own["per_type"]}):
        cells = []
        for metric, name in columns:
            cells.append(number(metric, name, result["metrics"][metric.name]["per_type"][label]["scores"]))
        rows.append([label, *cells])
    if rows:
        header = ["label", *(_short(metric, name) for metric, name in columns)]
        yield Table("Per label", header, rows)


def render(found: Table) -> str:
    """The rows of a table for the terminal, in spaCy's look."""
    aligns: list[Literal["l", "r"]] = [
        "l" if any(not _numeric(row[k]) for row in found.rows) else "r" for k in range(len(found.header))
    ]
    text = table(found.rows, header=found.header, divider=True, aligns=aligns, max_col=120)
    return "\n".join(line.rstrip() for line in text.splitlines())


def heading(result: Mapping[str, Any]) -> str:
    """What was scored, and what was left out."""
    parts = [f"{result['documents']} documents", f"{result['gold']} gold spans", f"{result['pred']} predicted spans"]
    if result["skipped"]:
        parts.append(f"{result['skipped']} documents without annotation skipped")
    if result["ignored"]:
        parts.append(f"{result['ignored']} predictions ignored where the reference is not annotated")
    return ", ".join(parts)


def _grouped(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Prefixes under which p, r and f all exist, and the names that are left."""
    groups = [name[:-1] for name in names if name.endswith("p") and {name[:-1] + "r", name[:-1] + "f"} <= set(names)]
    return groups, [name for name in names if not (name[:-1] in groups and name[-1] in "prf")]


def _headline(metric: Metric, result: Mapping[str, Any]) -> list[str]:
    """The scores of a metric that stand for a label: its F, or else the first it shows in spaCy's keys."""
    per_type = result["metrics"][metric.name]["per_type"]
    names = list(next(iter(per_type.values()))["scores"]) if per_type else []
    shown = [name for name in metric.flat.values() if name in names]
    return [n for n in shown if n.endswith("f")] or shown[:1] or [n for n in names if n.endswith("f")] or names[:1]


def _short(metric: Metric, name: str) -> str:
    return f"{metric.name} {name.rstrip('f').rstrip('_')}".strip() if name.endswith("f") else name


def _count(value: float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _numeric(cell: str) -> bool:
    return cell == "-" or cell.replace(".", "", 1).isdigit()
