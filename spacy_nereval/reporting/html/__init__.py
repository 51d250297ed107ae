"""A report as one HTML file that opens without a network: scores, charts, and every document.

Texts, labels, ids and names are anybody's. In the page they are text: the
template escapes them, the script makes text nodes of them, and a content
security policy lets nothing run but the page's own scripts.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ...core.spans import Document
    from ...counting.counts import Counts
    from ...evaluation.intervals import Confidence

SCRIPT = (
    *("elements", "data", "filters"),
    *("documents", "text", "spans", "matrix", "form"),
    *("actions", "charts"),
)
"""The files of the page's script in `script/`, in the order in which they run."""


class System(NamedTuple):
    """A system by its name, the annotated documents with its predictions, and their counts."""

    name: str
    documents: Sequence[Document]
    counts: Counts


def page(systems: Sequence[System], *, title: str | None = None, confidence: Confidence | None = None) -> str:
    """The report as HTML. `fair` has to be among the metrics: its verdicts mark the spans.

    With `confidence` scores have intervals, and differences of two systems p-values.

    Raises ValueError if the systems have different documents or names that are
    alike, if there are more than charts can tell apart, and if the libraries
    that draw charts are not installed.
    """
    import jinja2

    from ...evaluation.breakdown import breakdown
    from ...evaluation.comparison import System as Compared
    from ...evaluation.comparison import comparison
    from ...evaluation.intervals import number_of_units
    from ...evaluation.result import evaluate
    from ...evaluation.transitions import judged, transitions
    from ..tables import warning
    from . import charts, tables
    from .colors import KINDS
    from .data import embedded, on_spans, page_data
    from .findings import findings, leading, with_errors

    first, *others = systems
    metrics = first.counts.metrics
    fair = next((metric for metric in metrics if metric.name == "fair"), None)
    if fair is None:
        raise ValueError("the report marks spans by the verdicts of fair, which is not among the metrics")
    if len(systems) > charts.SYSTEMS:
        raise ValueError(
            f"a report tells at most {charts.SYSTEMS} systems apart by colour and symbol, {len(systems)} were given: "
            "make several reports"
        )
    _check_alike(systems)
    names = [system.name for system in systems]

    results = [evaluate(system.counts, confidence) for system in systems]
    fates = [[judged(document, fair) for document in system.documents] for system in systems] if others else []
    tests = None
    if confidence and len(systems) == 2 and number_of_units(first.counts) > 1:
        compared = [Compared(system.name, system.counts) for system in systems]
        tests = comparison(compared, first.documents, confidence)
    summary = tables.of_metrics(metrics, results)
    labels = tables.of_labels(fair, results, [system.counts for system in systems])
    errors = tables.of_verdicts(results)
    lengths = []
    if all(document.text is not None for document in first.documents):
        lengths = tables.of_lengths(fair, [breakdown(system.documents, [fair], "eLen") for system in systems])
    changed = [
        {"system": name, **tables.of_fates(transitions(fates[0], other, first.documents))}
        for name, other in zip(names[1:], fates[1:])
    ]
    lead = leading(summary)
    charted = max(5, tables.CHARTED // len(systems))
    wrong = with_errors(systems[lead].documents, fair)
    rows = {"scores": summary, "labels": labels[:charted], "lengths": lengths}
    values = {name: [*tables.dots(found, names)] for name, found in rows.items()}
    drawn = {name: charts.dots(found, names) for name, found in values.items() if found}
    if any(n for error in errors if error.verdict != "tp" for n in error.counts):
        drawn["errors"] = charts.bars(errors, names)
    marking = on_spans(metrics)
    scripts = [charts.scripts(), _script()]
    style = ":root{" + "".join(f"--{kind}:{color};" for kind, color in KINDS.items()) + "}\n" + _file("page.css")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, finalize=_finalized
    )
    return environment.from_string(_file("page.html")).render(
        title=title or _title(names, first.counts),
        names=names,
        results=results,
        confidence=results[0].get("confidence"),
        summary=summary,
        changes=tables.changes(summary, tests) if len(systems) == 2 else [],
        tests=tests,
        labels=labels,
        charted=charted,
        errors=errors,
        lengths=lengths,
        fates=changed,
        drawn=drawn,
        unmarked=[metric.name for metric in metrics if metric not in marking],
        finding=findings(names, summary, errors, labels, lengths, results, changed, lead, wrong, tests),
        warnings=warning(number_of_units(first.counts)) if confidence else [],
        scripts=[_Own(script) for script in scripts],
        style=_Own(style),
        policy=_policy(scripts, style),
        data=_Own(embedded(page_data(systems) | {"lead": lead})),
        charts=_Own(embedded(drawn)),
    )


def _check_alike(systems: Sequence[System]) -> None:
    """Raise ValueError if two systems have one name, or not the same metrics and documents."""
    first, *others = systems
    if len({system.name for system in systems}) < len(systems):
        raise ValueError(f"the systems have names that are alike: {', '.join(system.name for system in systems)}")
    for other in others:
        if differences := first.counts.differences(other.counts, replicates=False):
            raise ValueError(f"{first.name} and {other.name} cannot stand in one report: {differences}")
        if len(first.documents) != len(other.documents):
            numbers = [f"{system.name} has {len(system.documents)} documents" for system in (first, other)]
            raise ValueError(f"{' and '.join(numbers)}; the same were wanted")
        for number, (a, b) in enumerate(zip(first.documents, other.documents)):
            if (a.text, a.gold_set) != (b.text, b.gold_set):
                raise ValueError(
                    f"document {number} of {other.name} has another text or gold annotation than that of {first.name}"
                )


def _title(names: Sequence[str], counts: Counts) -> str:
    systems = " and ".join(names) if len(names) < 3 else f"{len(names)} systems"
    return f"{systems} against {' and '.join(dict.fromkeys(counts.sources)) or 'gold'}"


class _Own(str):
    """Text of the page itself, which stays as it is."""

    def __html__(self) -> str:
        return self


def _finalized(value: Any) -> Any:
    from ...io.writing import visible

    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _policy(scripts: Iterable[str], style: str) -> str:
    """Nothing runs and nothing shows but these; nothing is fetched."""

    def hashed(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; script-src {' '.join(map(hashed, scripts))}; style-src {hashed(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _script() -> str:
    """The page's own script: its files in one function, so that they share names with each other and nobody else."""
    parts = "\n".join(_file(f"script/{name}.js") for name in SCRIPT)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _file(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf8")
