"""The numbers of the page on agreement as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ....core.declaration import Metric
from ....evaluation.agreement.disputes import ranked_documents
from ....evaluation.agreement.documents import SharedDocuments
from ...agreement import UNIT_ROWS, UNITISING_ROWS
from ...agreement_lines import UNIT_NAMES
from ...declared import headlines, spoken
from ...result_table import Estimate, Percent, shown
from ...score_cells import interval, number, percent, score_cell, unit_of

Result = Mapping[str, Any]

DOCUMENTS = 12
"""Maximum number of documents in the table of the most disputed ones."""


class Value(NamedTuple):
    """A number and its interval as people read them, "" for no interval."""

    text: str
    bounds: str = ""


class PairScore(NamedTuple):
    """A score of every pair of annotators.

    Attributes:
        title: Its name.
        about: How to read it.
        lower_is_better: Its direction.
        values: The score of each pair, None where it is undefined.
        shown: The same as people read it.
        mean, sd, min, max, pooled: What the pairs have together.
    """

    title: str
    about: str
    lower_is_better: bool
    values: list[float | None]
    shown: list[str]
    mean: Value
    sd: str
    min: str
    max: str
    pooled: Value

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script needs to draw the heat map."""
        better = -1 if self.lower_is_better else 1
        return {"values": self.values, "shown": self.shown, "better": better, "about": self.about}


class ChanceRow(NamedTuple):
    """A measure corrected for chance: its display name and its key in JSON, its value, and an explanation."""

    title: str
    key: str
    value: Value
    about: str


class LabelRow(NamedTuple):
    """Agreement on one label. `number` is its place among the labels of the page."""

    label: str
    number: int
    disputes: int
    share: str
    f: Value
    alpha: Value
    spans: list[int]


class AnnotatorRow(NamedTuple):
    """One annotator: documents, spans, F against the consensus of the others, and mean F with another annotator."""

    name: str
    documents: int
    spans: int
    consensus: Value
    f: Value


class DocumentRow(NamedTuple):
    """A disputed document: its number from 0, its name, and who annotated it."""

    number: int
    name: str | int
    disputes: int
    share: str
    by: list[str]


CHANCE = {
    ("units", "alpha"): "Krippendorff's alpha: whether {unit} are marked, and with which label, beyond chance.",
    ("units", "alpha_detect"): "Whether a {one} is marked at all, whatever its label.",
    ("units", "alpha_label"): "Given that both mark a {one}, whether they give it the same label.",
    ("u_alpha", "u_alpha"): "Alpha on whole spans: where they begin and end, and their labels.",
    ("u_alpha", "u_binary"): "The same, all labels taken as one.",
    ("u_alpha", "cu_alpha"): "The same for labels alone, where spans of two annotators meet.",
    ("units", "kappa"): "Close to alpha, for two annotators at a time.",
    ("units", "fleiss"): "For several annotators. Defined if all of them annotated every document.",
    ("units", "observed"): "The share of {unit} on which two annotators agree, chance included. High wherever most "
    "{unit} are unmarked.",
}
"""Place in the result, and explanation. The titles are those of the tables."""


def ratio_value(number: float | None, bounds: Any = None) -> Value:
    """Return an alpha or a kappa with three decimals.

    >>> ratio_value(0.85663, {"low": 0.8206, "high": 0.8854}), ratio_value(None)
    (Value(text='0.857', bounds='[0.821, 0.885]'), Value(text='-', bounds=''))
    """
    if number is None:
        return Value("-")
    found = interval(bounds)
    return Value(shown(float(number), 3), shown(found, 3) if found else "")


def pair_scores(result: Result, metrics: Sequence[Metric]) -> list[PairScore]:
    """Return the scores that represent each metric, and kappa, for every pair."""
    rows = []
    for metric in metrics:
        summaries = result["metrics"][metric.name]
        bounds = result.get("intervals", {}).get("metrics", {}).get(metric.name, {})
        for name in headlines(metric, [*summaries]):
            unit = unit_of(metric, name)
            values = [pair["metrics"][metric.name]["scores"][name] for pair in result["pairs"]]
            summary, low = summaries[name], not metric.score_by_name[name].higher_is_better
            cells = [number(value, unit) for value in values]
            about = "In percent. " * (unit is Percent) + "Lower is better. " * low
            if not summary["symmetric"]:
                about += "The mean of both directions, since it differs by who counts as gold. "
            of_pairs = [shown(cell, 1) for cell in cells]
            sd, least, most = (shown(number(summary[part], unit)) for part in ("sd", "min", "max"))
            both = (
                _score_value(metric, name, summary[part], bounds.get(name, {}).get(part)) for part in ("mean", "pooled")
            )
            mean, pooled = both
            rows.append(
                PairScore(spoken(metric, name), about.strip(), low, cells, of_pairs, mean, sd, least, most, pooled)
            )
    return [*rows, *_kappa(result)]


def _kappa(result: Result) -> Iterator[PairScore]:
    values = [pair["kappa"] for pair in result["pairs"]]
    known = [value for value in values if value is not None]
    if not known:
        return
    bounds = result.get("intervals", {}).get("units", {}).get("kappa")
    mean = ratio_value(result["units"]["kappa"], bounds)
    texts = [shown(value, 3) for value in values]
    about = f"Cohen's kappa on {UNIT_NAMES[result['units']['unit']]}: 1 is complete agreement, 0 is chance."
    yield PairScore(
        "kappa", about, False, values, texts, mean, "", shown(min(known), 3), shown(max(known), 3), Value("")
    )


def _score_value(metric: Metric, name: str, value: float | None, bounds: Any) -> Value:
    cell = score_cell(metric, name, {name: value}, {} if bounds is None else {name: bounds})
    if not isinstance(cell, Estimate):
        return Value(shown(cell))
    return Value(shown(cell.value), shown(interval(bounds, unit_of(metric, name))) + " few" * cell.few)


def chance_rows(result: Result) -> list[ChanceRow]:
    """Return the alphas and kappas that are defined, with what they say."""
    rows = []
    unit, titles = result["units"]["unit"], UNIT_ROWS | UNITISING_ROWS
    for (group, key), about in CHANCE.items():
        bounds = result.get("intervals", {}).get(group, {}).get(key)
        value, why = result[group][key], result[group].get("reason")
        if value is not None or why:
            said = about.format(unit=UNIT_NAMES[unit], one=UNIT_NAMES[unit][:-1])
            rows.append(
                ChanceRow(
                    titles[key], key, ratio_value(value, bounds), said if value is not None else f"Undefined: {why}."
                )
            )
    return rows


def label_rows(result: Result, shared: SharedDocuments, metric: Metric) -> list[LabelRow]:
    """Return the labels, the most disputed first, with a metric's first headline score."""
    (name, *_) = headlines(metric, [*result["metrics"][metric.name]])
    bounds = result.get("intervals", {})
    spans = {(who, label): 0 for who in shared.annotators for label in shared.labels}
    for document in shared.documents:
        for who, own in document.spans.items():
            for _, _, label in own:
                spans[who, label] += 1
    rows = []
    for disputed in result["disputes"]["labels"]:
        label = disputed["label"]
        f = result["per_type"].get(label, {}).get(metric.name, {}).get(name, {}).get("mean")
        f_bounds = bounds.get("per_type", {}).get(label, {}).get(metric.name, {}).get(name, {}).get("mean")
        alpha = result["units"]["per_type"].get(label)
        alpha_bounds = bounds.get("units", {}).get("per_type", {}).get(label)
        rows.append(
            LabelRow(
                label,
                shared.labels.index(label),
                disputed["disputes"],
                _share(disputed["share"]),
                _score_value(metric, name, f, f_bounds),
                ratio_value(alpha, alpha_bounds),
                [spans[who, label] for who in shared.annotators],
            )
        )
    return rows


def annotator_rows(result: Result, shared: SharedDocuments, metric: Metric) -> list[AnnotatorRow]:
    """Return a row for each annotator."""
    (name, *_) = headlines(metric, [*result["metrics"][metric.name]])
    bounds = result.get("intervals", {}).get("consensus", {}).get("against", {})
    rows = []
    for who in shared.annotators:
        own = [
            pair["metrics"][metric.name]["scores"][name] for pair in result["pairs"] if who in (pair["a"], pair["b"])
        ]
        known = [value for value in own if value is not None]
        against = percent(result["consensus"]["against"].get(who))
        bounds_against = interval(bounds.get(who), Percent)
        value = Value(shown(against), shown(bounds_against) if bounds_against and against is not None else "")
        mean = _score_value(metric, name, sum(known) / len(known) if known else None, None)
        documents = sum(who in document.spans for document in shared.documents)
        rows.append(AnnotatorRow(who, documents, result["spans"][who], value, mean))
    return rows


def document_rows(shared: SharedDocuments) -> list[DocumentRow]:
    """Return the disputed documents, in the order in which to adjudicate them."""
    return [
        DocumentRow(place, row["document"], row["disputes"], _share(row["share"]), row["annotators"])
        for place, row in ranked_documents(shared)
        if row["disputes"]
    ]


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"
