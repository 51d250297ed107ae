"""A result as tables. What is printed is decided here, once, from the result and the registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from wasabi import table

from .attributes import ATTRIBUTES
from .comparison import FEW
from .metric import Metric, create_all
from .transitions import KINDS

CHANGED = 10
"""Changed spans shown in a terminal; the JSON file has them all."""


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
        if name in metric.totals:
            return str(value) if isinstance(value, int) else f"{value:.{digits}f}"
        return f"{100 * value:.{digits}f}"

    prf_rows, others, counts = [], [], []
    for metric in metrics:
        own = result["metrics"][metric.name]
        scores = own["scores"] if average == "micro" else own["averages"][average]
        groups, single = _grouped([name for name in scores if name != "undefined"])
        bounds = own.get("intervals", {})
        bounds = bounds.get("scores", {}) if average == "micro" else bounds.get("averages", {}).get(average, {})

        def cell(name: str, metric=metric, scores=scores, bounds=bounds) -> str:
            shown = number(metric, name, scores)
            if name in bounds and None not in bounds[name]:
                low, high = (number(metric, name, {name: bound}) for bound in bounds[name])
                shown += f" [{low}, {high}]"
            return shown

        for group in groups:
            cells = [cell(f"{group}{x}") for x in "prf"]
            prf_rows.append([" ".join([metric.name, group.rstrip("_")]).strip(), *cells])
        others += [[metric.name, name, cell(name)] for name in single]
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
    aligns: list[Literal["l", "r"]] = ["r" if _is_number(found, k) else "l" for k in range(len(found.header))]
    text = table(found.rows, header=found.header, divider=True, aligns=aligns, max_col=120)
    return "\n".join(line.rstrip() for line in text.splitlines())


def side_by_side(results: Mapping[str, Mapping[str, Any]], *, digits: int = 2) -> Iterator[Table]:
    """The results of several systems, by their names, in one table each of scores, counts and labels."""
    first = next(iter(results.values()))
    metrics = create_all({name: own["settings"] for name, own in first["metrics"].items()})

    def cells(metric: Metric, *path: str) -> list[str]:
        """One cell per system for what stands at a place below its metric."""
        shown = []
        for result in results.values():
            value: Any = result["metrics"][metric.name]
            for key in path:
                value = value.get(key, {})
            shown.append(
                "-" if value in (None, {}) else _count(value) if "counts" in path else f"{100 * value:.{digits}f}"
            )
        return shown

    scores = [[key, *cells(metric, "scores", name)] for metric in metrics for key, name in metric.flat.items()]
    yield Table("Scores", ["score", *results], scores)
    counts = []
    for metric in metrics:
        names = dict.fromkeys(name for result in results.values() for name in result["metrics"][metric.name]["counts"])
        counts += [[metric.name, name, *cells(metric, "counts", name)] for name in names]
    yield Table("Counts", ["metric", "count", *results], counts)
    labels = sorted({label for result in results.values() for label in result["metrics"][metrics[0].name]["per_type"]})
    rows = []
    for label in labels:
        for metric in metrics:
            for name in _headline(metric, first):
                rows.append([label, _short(metric, name), *cells(metric, "per_type", label, "scores", name)])
    yield Table("Per label", ["label", "score", *results], rows)


def markdown(found: Table) -> str:
    """A table in Markdown.

    >>> print(markdown(Table("", ["text", "n"], [["a|b", "1"]])))
    | text | n |
    | --- | ---: |
    | a\\|b | 1 |
    """
    divider = ["---:" if _is_number(found, k) else "---" for k in range(len(found.header))]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |"
        for row in (found.header, divider, *found.rows)
    )


def comparison_tables(result: Mapping[str, Any], *, digits: int = 2) -> Iterator[Table]:
    """A table of differences per system, and of what became of the gold spans."""
    for system in dict.fromkeys(row["system"] for row in result["comparisons"]):
        rows = []
        for row in result["comparisons"]:
            if row["system"] == system:
                values = (row["baseline_value"], row["value"], row["difference"], *row["interval"])
                a, b, gap, low, high = ("-" if v is None else f"{100 * v:.{digits}f}" for v in values)
                p, p_holm = ("-" if v is None else f"{v:.4f}" for v in (row["p"], row["p_holm"]))
                rows.append([row["metric"], row["score"], a, b, gap, f"[{low}, {high}]", p, p_holm])
        header = ["metric", "score", "baseline", "system", "difference", "interval", "p", "p (Holm)"]
        yield Table(f"{system} against {result['baseline']}", header, rows)
    for found in result["transitions"]:
        kinds = list(dict.fromkeys([*found["counts"], *(to for row in found["counts"].values() for to in row)]))
        kinds.sort(key=list(dict.fromkeys(KINDS.values())).index)
        rows = [[kind, *(str(found["counts"].get(kind, {}).get(to, 0)) for to in kinds)] for kind in kinds]
        title = f"Gold spans under {result['baseline']} (rows) and {found['system']} (columns)"
        yield Table(title, ["", *kinds], rows)
        if changed := found["spans"]:
            rows = []
            for span in changed[:CHANGED]:
                place, change = f"{span['start']}-{span['end']}", f"{span['from']} → {span['to']}"
                rows.append([str(span["document"]), place, span["label"], _clipped(span["text"]), change])
            more = f", the first {CHANGED} of {len(changed)}" if len(changed) > CHANGED else ""
            yield Table(f"Changed spans{more}", ["document", "place", "label", "text", "change"], rows)


def footer(result: Mapping[str, Any]) -> list[str]:
    """What was tested, in plain words."""
    drawn = result["confidence"]
    swaps = f"all {result['swaps']}" if result["exact"] else f"{result['swaps']} random"
    lines = [
        f"Tested was whether each difference could come about if it made no matter which of the two systems had "
        f"produced a document's predictions: a two-sided paired permutation test over {result['units']} documents, "
        f"{swaps} swaps. p (Holm) is corrected for all {len(result['comparisons'])} tests of this report. Intervals "
        f"are those of the difference, {100 * drawn['level']:g} % of {drawn['samples']} resamples of the documents, "
        "the same for both systems."
    ]
    return lines + warning(result["units"])


def warning(units: int) -> list[str]:
    """What to say of intervals and tests on few documents; nothing if there are enough.

    >>> warning(20), warning(19)
    ([], ['⚠ Fewer than 20 documents: intervals are too narrow, and little can be told from them.'])
    """
    if units >= FEW:
        return []
    return [f"⚠ Fewer than {FEW} documents: intervals are too narrow, and little can be told from them."]


def disagreement_lines(found: Mapping[str, Any]) -> list[str]:
    """Where WRF and strict F disagree, in plain words."""
    left_out = f"{found['undefined']} where one is undefined left out"
    lines = [f"WRF against strict F in {found['documents']} documents ({left_out}):"]
    for name in ("above", "below", "equal"):
        share = "-" if found[name]["share"] is None else f"{100 * found[name]['share']:.1f} %"
        such_as = f", such as {', '.join(map(str, found[name]['examples']))}" if found[name]["examples"] else ""
        lines.append(f"  {name} in {found[name]['documents']} ({share}){such_as}")
    return lines


def breakdown_table(found: Mapping[str, Any], metrics: Sequence[Metric], *, digits: int = 2) -> Table:
    """The headline scores of each bucket of an attribute, and the spans in it."""
    columns = [(metric, name) for metric in metrics for name in _headline_of(metric, found["metrics"][metric.name])]
    rows = []
    for bucket in found["buckets"]:
        cells = []
        for metric, name in columns:
            value = found["metrics"][metric.name][bucket]["scores"][name]
            cells.append("-" if value is None else f"{100 * value:.{digits}f}")
        rows.append([bucket, str(found["gold"][bucket]), str(found["pred"][bucket]), *cells])
    title = f"By {found['by']}: {ATTRIBUTES[found['by']].help}"
    return Table(title, [found["by"], "gold", "pred", *(_short(metric, name) for metric, name in columns)], rows)


def heading(result: Mapping[str, Any]) -> str:
    """What was scored, and what was left out."""
    parts = [_many(result["documents"], "document"), _many(result["gold"], "gold span")]
    parts.append(_many(result["pred"], "predicted span"))
    if result["skipped"]:
        parts.append(f"{_many(result['skipped'], 'document')} without annotation skipped")
    if result["ignored"]:
        parts.append(f"{_many(result['ignored'], 'prediction')} ignored where the reference is not annotated")
    if result["repaired"]:
        parts.append(f"{_many(result['repaired'], 'tag')} repaired")
    return ", ".join(parts)


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _grouped(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Prefixes under which p, r and f all exist, and the names that are left."""
    groups = [name[:-1] for name in names if name.endswith("p") and {name[:-1] + "r", name[:-1] + "f"} <= set(names)]
    return groups, [name for name in names if not (name[:-1] in groups and name[-1] in "prf")]


def _headline(metric: Metric, result: Mapping[str, Any]) -> list[str]:
    return _headline_of(metric, result["metrics"][metric.name]["per_type"])


def _headline_of(metric: Metric, per_type: Mapping[str, Any]) -> list[str]:
    """The scores of a metric that stand for a label or bucket: its F, or else the first it shows in spaCy's keys."""
    names = list(next(iter(per_type.values()))["scores"]) if per_type else []
    shown = [name for name in metric.flat.values() if name in names]
    return [n for n in shown if n.endswith("f")] or shown[:1] or [n for n in names if n.endswith("f")] or names[:1]


def _short(metric: Metric, name: str) -> str:
    if name.endswith("f"):
        return f"{metric.name} {name.rstrip('f').rstrip('_')}".strip()
    return next((key.replace("_", " ") for key, shown in metric.flat.items() if shown == name), name)


def _clipped(text: str | None, width: int = 40) -> str:
    shown = " ".join((text or "").split())
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def _count(value: float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _is_number(found: Table, column: int) -> bool:
    """Whether a column holds numbers, and intervals of numbers, alone."""
    return all(not row[column] or row[column][0] in "-[0123456789" for row in found.rows)
