"""The headings of the page: what each section found, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ...core.declaration import Metric
from ...core.spans import Document
from ...io.writing import visible
from ..formats import shown
from .tables import Error, Row

KINDS = {
    "missed": "missed spans",
    "spurious": "spurious spans",
    "boundary": "wrong boundaries",
    "label": "wrong labels",
    "both": "wrong labels on wrong boundaries",
}
LONGEST = 48
LEVEL = 0.05
"""Two systems are told apart by a test whose p-value is below it."""
FEW = 10


def findings(
    names: Sequence[str],
    summary: Sequence[Row],
    errors: Sequence[Error],
    labels: Sequence[Row],
    lengths: Sequence[Row],
    results: Sequence[Mapping[str, Any]],
    fates: Sequence[Mapping[str, Any]],
    lead: int,
    wrong: int,
    tests: Mapping[str, Any] | None = None,
) -> dict[str, Markup]:
    """A sentence for each section. Where there are several systems, those on
    errors, labels and so on are about the `lead`, which makes an error in `wrong` documents.
    That it leads is said only if `tests`, a `comparison`, say so."""
    under = Markup("Under {}, ").format(named(names[lead])) if len(names) > 1 else Markup("")
    found = {
        "scores": _scores(names, summary, lead, tests),
        "errors": under + _errors(errors, lead),
        "labels": under + _weakest(labels, lead, "label"),
        "lengths": under + _weakest(lengths, lead, "length"),
        "confusion": under + _confusion(results[lead]["metrics"]["fair"]["confusion"]),
        "documents": under + Markup("{} of {} documents have an error").format(wrong, results[0]["documents"]),
    }
    if fates:
        fate = fates[max(lead - 1, 0)]
        spans = "gold span" if fate["mended"] == 1 else "gold spans"
        sentence = Markup("{} mends {} {} and breaks {}")
        found["changes"] = sentence.format(named(fate["system"]), fate["mended"], spans, fate["broken"])
    return {name: Markup(text[:1].upper()) + text[1:] for name, text in found.items()}


def named(text: str) -> Markup:
    """Anybody's text in a sentence: in one line, not too long, and with a direction of its own."""
    text = visible(text)
    return Markup("<bdi>{}</bdi>").format(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def _scores(names: Sequence[str], summary: Sequence[Row], lead: int, tests: Mapping[str, Any] | None) -> Markup:
    (fair,) = (row for row in summary if row.metric == "fair")
    values = [cell.value for cell in fair.headlines]
    best = fair.headlines[lead]
    if best.value is None:
        return Markup("fair F is undefined: there are no spans")
    if len(names) == 1:
        strict = [row.headlines[0].text for row in summary if row.metric == "strict"]
        return Markup("fair F is {}").format(best.text) + Markup("".join(f", strict F {text}" for text in strict))
    if len({cell.text for cell in fair.headlines}) == 1:
        return Markup("all systems have a fair F of {}").format(best.text)
    second = max((value for k, value in enumerate(values) if k != lead and value is not None), default=None)
    numbers = (best.text, shown(second))
    if tests is None:
        degree = "higher" if len(names) == 2 else "highest"
        return Markup("{} has the {} fair F, {} against {}").format(named(names[lead]), degree, *numbers)
    tested = {(row["metric"], row["score"]): row["p_holm"] for row in tests["comparisons"]}
    p = tested.get(("fair", fair.scores[-1]))
    if p is not None and p < LEVEL:
        return Markup("{} leads with a fair F of {} against {}").format(named(names[lead]), *numbers)
    both = named(names[lead]), named(names[1 - lead])
    return Markup("{} and {} are not told apart: fair F {} against {}").format(*both, *numbers)


def _errors(errors: Sequence[Error], lead: int) -> Markup:
    numbers = {kind: sum(error.counts[lead] for error in errors if error.kind == kind) for kind in KINDS}
    total = sum(numbers.values())
    if not total:
        return Markup("there are no errors")
    kind = max(numbers, key=lambda kind: numbers[kind])
    return Markup(f"{100 * numbers[kind] / total:.0f}\u00a0% of the errors are {KINDS[kind]}")


def _weakest(rows: Sequence[Row], lead: int, what: str) -> Markup:
    values = [row.headlines[lead].value for row in rows]
    scored = [(value, k) for k, value in enumerate(values) if value is not None and rows[k].gold]
    # The lowest score of a rare label says little, if there are others.
    scored = [(value, k) for value, k in scored if (rows[k].gold or 0) >= FEW] or scored
    if not scored:
        return Markup(f"no {what} has gold spans")
    value, k = min(scored)
    row = rows[k]
    if len(rows) == 1:
        return Markup(f"there is one {what}, {{}}").format(named(row.name))
    name = Markup("spans of {}").format(named(row.name)) if what == "length" else named(row.name)
    verb = "score" if what == "length" else "scores"
    return Markup("{} {} lowest: F\u00a0{} on {} gold spans").format(name, verb, shown(value), f"{row.gold:,}")


def _confusion(matrix: Mapping[str, Mapping[str, int]]) -> Markup:
    pairs = [(n, a, b) for a, row in matrix.items() for b, n in row.items() if a and b and a != b]
    if not pairs:
        return Markup("no label is predicted for another")
    n, gold, pred = max(pairs, key=lambda pair: pair[0])
    times = "once" if n == 1 else f"{n} times"
    return Markup("{} is predicted for {} {}").format(named(pred), named(gold), times)


def leading(summary: Sequence[Row]) -> int:
    """The place of the system with the best fair F."""
    (fair,) = (row for row in summary if row.metric == "fair")
    values = [-1.0 if cell.value is None else cell.value for cell in fair.headlines]
    return values.index(max(values))


def with_errors(documents: Iterable[Document], fair: Metric) -> int:
    """In how many documents there is an error."""
    return sum(any(verdict.name != "tp" for verdict in fair.verdicts(document)) for document in documents)
