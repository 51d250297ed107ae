"""The headings of the page: one sentence per section, which states the finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ....core.declaration import Metric
from ....core.spans import Document
from ....core.wording import FAIREVAL, VERDICT_KINDS
from ....evaluation.prediction_rates import PredictionRate
from ...remarks import times
from ...result_table import shown
from ..texts import named
from .reasons import Reasons
from .score_rows import ScoreRow
from .verdict_rows import VerdictRow

FEW = 10
"""Labels and lengths with fewer gold spans are not called the lowest, if there are others."""


EVEN = (0.8, 1.25)
"""Where there are no intervals, a label that is predicted this often for each gold span is not called over- or
under-predicted."""

UNTOLD = Markup("no label is clearly predicted too often or too rarely")


def findings(
    names: Sequence[str],
    lead: int,
    tests: Mapping[str, Any] | None,
    *,
    summary: Sequence[ScoreRow],
    errors: Sequence[VerdictRow],
    labels: Sequence[ScoreRow],
    lengths: Sequence[ScoreRow],
    confusion: Mapping[str, Mapping[str, int]],
    outcomes: Sequence[Mapping[str, Any]],
    rates: Sequence[PredictionRate],
    why: Reasons,
    wrong: int,
    documents: int,
) -> dict[str, Markup]:
    """Return a sentence for each section of the page.

    Where there are several systems, the sentences on errors, labels, lengths and
    documents are about the leading one.

    Args:
        names: The names of the systems.
        lead: The number of the system with the best score.
        tests: A comparison of the systems. The page begins with its conclusion, so no system is ranked here.
        summary: The overall scores.
        errors: The number of each verdict.
        labels: The scores of each label.
        lengths: The scores by length of the span.
        confusion: FairEval's confusion matrix of the leading system.
        outcomes: For each system but the first, what it fixes and breaks.
        rates: How often the leading system predicts each label.
        why: The groups of the same error, and the doubtful gold spans.
        wrong: Number of documents in which the leading system makes an error.
        documents: Number of documents.
    """
    under = Markup("Under {}, ").format(named(names[lead])) if len(names) > 1 else Markup("")
    sentences = {
        "scores": _scores(names, summary, lead, tests),
        "errors": under + _errors(errors, lead),
        "labels": under + _lowest(labels, lead, "label"),
        "lengths": under + _lowest(lengths, lead, "length"),
        "confusion": under + _confusion(confusion),
        "list": under + Markup("{:,} of {:,} documents have an error").format(wrong, documents),
        "fault": under + _fault(why, lead),
    }
    story, other = _rates(rates), _groups(why, lead)
    if story == UNTOLD:
        story, other = other, story
    sentences |= {"story": under + story, "also": under + other}
    if outcomes:
        sentences["changes"] = _changes(outcomes[max(lead - 1, 0)])
    return {name: Markup(text[:1].upper()) + text[1:] for name, text in sentences.items()}


def _rates(rates: Sequence[PredictionRate]) -> Markup:
    """The label that is predicted most too often, and the one most too rarely."""
    told = [each for each in rates if each.gold >= FEW and not each.few]
    if any(each.low is not None for each in told):
        told = [each for each in told if each.low is not None and not each.low <= 1 <= (each.high or 1)]
    else:
        told = [each for each in told if not EVEN[0] <= each.pred / each.gold <= EVEN[1]]
    over = max((each for each in told if each.pred > each.gold), key=lambda each: each.pred - each.gold, default=None)
    under = max((each for each in told if each.pred < each.gold), key=lambda each: each.gold - each.pred, default=None)
    said = []
    if over:
        said.append(_rate(over, "is predicted"))
    if under:
        said.append(_rate(under, "is predicted only" if under.pred else "is predicted"))
    return Markup(", ").join(said) if said else UNTOLD


def _rate(each: PredictionRate, verb: str) -> Markup:
    spans = Markup("{} {} {} for {:,} gold spans")  # of which there are FEW at least
    return spans.format(named(each.label), verb, times(each.pred) if each.pred else "0 times", each.gold)


def _groups(why: Reasons, lead: int) -> Markup:
    surfaces = why.groups[lead]["surface"]
    if surfaces:
        said = [Markup("{}, {} ({})").format(named(g.words), named(g.said), times(g.number)) for g in surfaces[:3]]
        most = "the error that repeats most: " if len(said) == 1 else "the errors that repeat most: "
        return Markup(most) + Markup("; ").join(said)
    labels = why.groups[lead]["labels"]
    if not labels:
        return Markup("there are no errors")
    return Markup("no error repeats on the same words; most often: {} ({})").format(
        named(labels[0].said), labels[0].number
    )


def _fault(why: Reasons, lead: int) -> Markup:
    doubted, errors = why.doubted[lead]
    if not errors:
        return Markup("there are no errors")
    if (
        not any(groups for groups in (why.groups[lead]["surface"], why.groups[lead]["slip"], why.suspects))
        and not doubted
    ):
        return Markup("nothing repeats on the same words in {:,} errors").format(errors)
    if not doubted:
        return Markup("gold contradicts itself in none of {:,} errors").format(errors)
    share = 100 * doubted / errors
    who = "mostly the system" if share < 25 else "partly gold" if share < 50 else "gold as much as the system"
    rounded = "under 1" if share < 1 else f"{share:.0f}"
    return Markup("{}: in {:,} of {:,} errors ({}\u00a0%) gold contradicts itself").format(
        who, doubted, errors, rounded
    )


def _changes(found: Mapping[str, Any]) -> Markup:
    spans = "gold span" if found["fixed"] == 1 else "gold spans"
    return Markup("{} fixes {} {} and breaks {}").format(named(found["system"]), found["fixed"], spans, found["broken"])


def _scores(names: Sequence[str], summary: Sequence[ScoreRow], lead: int, tests: Mapping[str, Any] | None) -> Markup:
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
    each = [Markup("{} under {}").format(cell.text, named(name)) for name, cell in zip(names, fair.headlines)]
    return Markup("fair F is {} and {}").format(Markup(", ").join(each[:-1]), each[-1])


def _errors(errors: Sequence[VerdictRow], lead: int) -> Markup:
    numbers = {
        kind: sum(error.counts[lead] for error in errors if error.is_error and error.kind == kind)
        for kind in VERDICT_KINDS
    }
    total = sum(numbers.values())
    if not total:
        return Markup("there are no errors")
    kind = max(numbers, key=lambda kind: numbers[kind])
    return Markup(f"{100 * numbers[kind] / total:.0f}\u00a0% of the errors are {VERDICT_KINDS[kind]}")


def _lowest(rows: Sequence[ScoreRow], lead: int, what: str) -> Markup:
    values = [row.headlines[lead].value for row in rows]
    scored = [(value, k) for k, value in enumerate(values) if value is not None and rows[k].gold]
    # The score of a rare label says little, and one of few units is not ranked.
    cells = [row.headlines[lead] for row in rows]
    if any(cell.bounds for cell in cells):
        scored = [(value, k) for value, k in scored if cells[k].bounds and not cells[k].few]
        if not scored:
            return Markup(f"every {what} rests on too few units to be ranked")
    scored = [(value, k) for value, k in scored if (rows[k].gold or 0) >= FEW] or scored
    if not scored:
        return Markup(f"no {what} has gold spans")
    value, k = min(scored)
    row = rows[k]
    if len(rows) == 1:
        return Markup(f"there is one {what}, {{}}").format(named(row.name))
    name = Markup("spans of {}").format(named(row.name)) if what == "length" else named(row.name)
    verb = "score" if what == "length" else "scores"
    return Markup("{} {} lowest: F\u00a0{} on {} gold {}").format(
        name, verb, shown(value), f"{row.gold:,}", "span" if row.gold == 1 else "spans"
    )


def _confusion(matrix: Mapping[str, Mapping[str, int]]) -> Markup:
    pairs = [(n, a, b) for a, row in matrix.items() for b, n in row.items() if a and b and a != b]
    if not pairs:
        return Markup("no label is predicted for another")
    n, gold, pred = max(pairs, key=lambda pair: pair[0])
    return Markup("{} is predicted for {} {}").format(named(pred), named(gold), times(n))


def leading(summary: Sequence[ScoreRow]) -> int:
    """Return the number of the system with the best fair F."""
    (fair,) = (row for row in summary if row.metric == "fair")
    values = [-1.0 if cell.value is None else cell.value for cell in fair.headlines]
    return values.index(max(values))


def with_errors(documents: Iterable[Document], fair: Metric) -> int:
    """Return in how many documents there is an error."""
    return sum(
        any(FAIREVAL[verdict.name].kind != "hit" for verdict in fair.verdicts(document)) for document in documents
    )
