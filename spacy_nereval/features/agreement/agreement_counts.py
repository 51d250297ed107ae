"""The result of agreement: every metric on pairs, alphas and kappas, consensus, disputes, and differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import chain
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.about import __version__
from ...core.arguments import MOST_DOCUMENTS
from ...core.declaration import Metric
from ...core.formulas import ratio
from ...evaluation.bounds import FEW, UNDEFINED
from ...evaluation.planning import plan_half_width
from ...evaluation.resampling import Confidence
from ...evaluation.result import make_plain, signature
from .annotator_pairs import (
    CORRECTED,
    SHARE,
    Interval,
    Jackknife,
    KeyPath,
    Pair,
    PairTables,
    Samples,
    count_pairs,
    document_means,
    document_spread,
    empty_counts,
    pair_intervals,
    pair_row,
    summarise_scores,
)
from .chance import (
    Blocks,
    BlockSums,
    Stretches,
    Unit,
    document_lengths,
    is_of_labels,
    kappa_blocks,
    kappas,
    label_alphas,
    overall_blocks,
    overall_unitising_blocks,
    overlap_reason,
    span_rows,
    unit_blocks,
    unit_scores,
    unitising_blocks,
    unitising_label_alphas,
    unitising_scores,
)
from .disagreements import Rule, consensus, document_disputes, label_disputes, span_disputes
from .habits import Differences
from .shared_documents import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DEFAULT = ("strict", "semeval", "relaxed", "char")
"""The default metrics."""

UNKNOWN_LENGTH = "the texts are not known: without them, and without tokens, there are no units"

UNIT_SCORES = ("alpha", "alpha_detect", "alpha_label")

UNITISING_SCORES = ("u_alpha", "u_binary", "cu_alpha")


class AgreementCounts:
    """The counts of several annotators, from which the result is computed.

    Args:
        shared: The documents of the annotators.
        metrics: The metrics; each annotator of a pair is once gold and once prediction.
        unit: The unit of alpha, "token" or "char".
        rule: The number of votes that a span of the consensus needs.

    Raises:
        ValueError: A metric cannot judge the documents.

    Attributes:
        pairs: The counts of each pair.
    """

    def __init__(
        self, shared: SharedDocuments, metrics: Sequence[Metric], *, unit: Unit = "token", rule: Rule = Rule()
    ) -> None:
        self.shared = shared
        self.metrics: tuple[Metric, ...] = tuple(metrics)
        self.unit: Unit = unit
        self.rule = rule
        self.pairs: list[Pair] = count_pairs(shared, metrics) if metrics else []
        self._spans = span_rows(shared)

    @cached_property
    def differences(self) -> Differences:
        """The differences between the annotators."""
        return Differences(self.shared)

    @cached_property
    def has_units(self) -> bool:
        """Whether the length of every document is known."""
        return None not in document_lengths(self.shared)

    @cached_property
    def _overlap_reason(self) -> str | None:
        return overlap_reason(self.shared, self._spans)

    @cached_property
    def _tables(self) -> list[PairTables]:
        return [PairTables(pair, self.shared.labels) for pair in self.pairs]

    @cached_property
    def _stretches(self) -> tuple[Stretches, Stretches]:
        """The stretches of the unit, and those of characters."""
        characters = Stretches(self.shared, self._spans, "char")
        return characters if self.unit == "char" else Stretches(self.shared, self._spans, self.unit), characters

    @cached_property
    def _whole_blocks(self) -> dict[str, csr_array]:
        """All counts that add up over documents, except those of metrics, as whole numbers: see `_whole`."""
        from scipy.sparse import csr_array

        counts = others_majority_counts(self.shared)
        blocks: Blocks = {"against": csr_array(counts.reshape(len(counts), -1).astype(float))}
        if self.has_units:
            stretches, characters = self._stretches
            blocks |= unit_blocks(stretches) | kappa_blocks(stretches, self.shared.annotators)
            blocks |= unitising_blocks(characters, self._spans)
        return _whole(blocks, self._divisor)

    @cached_property
    def _divisor(self) -> float:
        return _common_multiple(max(len(document.spans) for document in self.shared.documents))

    @cached_property
    def _block_sums(self) -> BlockSums:
        return _sum_blocks(self._whole_blocks, self._divisor)

    def result(self, confidence: Confidence | None = None, *, short: bool = False) -> dict[str, Any]:
        """Return the result in plain Python, with None for undefined numbers.

        Args:
            confidence: Settings of intervals; None for no intervals.
            short: Whether the signature omits default options.
        """
        shared, sums = self.shared, self._block_sums
        kappa = {pair: values[0] for pair, values in self._kappas(sums)}
        pairs, metrics, per_type = self._scores(kappa)
        jackknife = Jackknife(shared, confidence.checked(), self.metrics) if confidence else None
        parts = {
            "signature": self._signature(jackknife, short),
            "version": __version__,
            "annotators": [*shared.annotators],
            "documents": len(shared.documents),
            "single": shared.single,
            "unannotated": shared.unannotated,
            **shared.on_reading,
            **({"mentions": dict(shared.mentions)} if shared.mentions else {}),
            "tokens": shared.tokens,
            "spans": {
                name: sum(len(document.spans.get(name, ())) for document in shared.documents)
                for name in shared.annotators
            },
            **({"confidence": jackknife.basis._asdict()} if jackknife else {}),
            "pairs": None,
            "metrics": metrics,
            "per_type": None,
            "units": self._unit_result(sums, [value for value in kappa.values() if math.isfinite(value)]),
            "u_alpha": self._unitising_result(sums),
            "consensus": self._consensus(sums),
            "without": {
                name: self._leave_one_out(name, pairs) for name in shared.annotators if len(shared.annotators) > 2
            },
            "disputes": None,
        }
        # These are plain already, and take most of the memory.
        plain = {"pairs": pairs, "per_type": per_type, "disputes": self._disputes()}
        result: dict[str, Any] = make_plain(parts) | plain | self.differences.rows()
        if jackknife:
            result["intervals"] = self._intervals(result, jackknife, self._tables, self.metrics)
            result["confidence"] = make_plain(jackknife.basis._asdict())
        return result

    def add_main_interval(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a result with intervals of its first metric and of alpha, unless it has intervals or they are slow."""
        if "intervals" in result or result["documents"] > MOST_DOCUMENTS:
            return result
        jackknife, bounds = self._main_intervals(result, Confidence())
        return {**result, "intervals": bounds, "confidence": jackknife.basis._asdict()}

    def plan(self, result: Mapping[str, Any], points: float, confidence: Confidence | None = None) -> dict[str, Any]:
        """Return how many documents make the intervals of alpha and of the main score narrow.

        Args:
            result: The result.
            points: How far the intervals may reach on either side; of alpha, 1 is 100 points.
            confidence: The settings of the intervals.

        Returns:
            "half_width", "level", "units", and under "numbers" a row per number: "name", "value", "units_needed" and
            "documents_needed" with the 90 % intervals "units_between" and "documents_between". These are None if too
            few units have such spans, or the number does not vary.
        """
        jackknife, bounds = self._main_intervals(result, (confidence or Confidence()).checked())
        units = jackknife.basis.units or 0
        rows = []

        def documents_of(number: int) -> int:
            return math.ceil(number * len(self.shared.documents) / units - 1e-9)

        for path, variance in jackknife.variances.items():
            value, row = _value_at(result, path), _value_at(bounds, path)
            if value is None:
                continue
            plan = None
            if row["flag"] not in (FEW, UNDEFINED):
                plan = plan_half_width(variance, points / 100, row["k"], row["df"], units, jackknife.basis.level)
            rows.append(
                {
                    "name": path[-1] if path[0] != "metrics" else f"{path[1]}_{path[2]}",
                    "value": value,
                    "units_needed": plan and plan.units,
                    "units_between": plan and [*plan.between],
                    "documents_needed": plan and documents_of(plan.units),
                    "documents_between": plan and [*map(documents_of, plan.between)],
                }
            )
        return {"half_width": points, "level": jackknife.basis.level, "units": units, "numbers": rows}

    def _main_intervals(self, result: Mapping[str, Any], confidence: Confidence) -> tuple[Jackknife, dict[str, Any]]:
        """Return the intervals of the first metric and of alpha, and the jackknife that they come from."""
        jackknife = Jackknife(self.shared, confidence, self.metrics[:1])
        tables = [PairTables(pair.select_metrics(self.metrics[:1]), self.shared.labels) for pair in self.pairs]
        return jackknife, self._intervals(result, jackknife, tables, self.metrics[:1])

    def _signature(self, jackknife: Jackknife | None, short: bool) -> str:
        counts = empty_counts(self.shared)
        counts.metrics = self.metrics
        settings = f"agreement:{len(self.shared.annotators)},unit:{self.unit},consensus:{self.rule.wanted}"
        settings += f",tokens:{'+'.join(self.shared.tokens)}" * bool(self.shared.tokens)
        return signature(counts, settings, *([jackknife.basis.signature] if jackknife else []), short=short)

    def _kappas(self, sums: BlockSums) -> Iterator[tuple[tuple[str, str], NDArray[Any]]]:
        if self.has_units:
            yield from kappas(sums, self.shared.annotators)

    def _unit_scores(self, sums: BlockSums) -> Iterator[tuple[tuple[str, ...], NDArray[Any]]]:
        yield from unit_scores(sums, equal_numbers=self._stretches[0].has_equal_numbers)

    def _unit_result(self, sums: BlockSums, kappa: Sequence[float]) -> dict[str, Any]:
        names = ("observed", *UNIT_SCORES, "fleiss")
        result: dict[str, Any] = {"unit": self.unit, "n": None, **dict.fromkeys(names), "kappa": None, "per_type": {}}
        if not self.has_units:
            return result | {"reason": UNKNOWN_LENGTH}
        result["n"] = round(sums["units"][0, 0])
        result["kappa"] = make_plain(_mean(kappa))
        result |= {path[0]: float(values[0]) for path, values in self._unit_scores(sums)}
        return result | {"per_type": dict(zip(self.shared.labels, label_alphas(sums)[0].tolist()))}

    def _unitising_result(self, sums: BlockSums) -> dict[str, Any]:
        result: dict[str, Any] = {**dict.fromkeys(UNITISING_SCORES), "per_type": {}}
        if not self.has_units:
            return result | {"reason": UNKNOWN_LENGTH}
        reason = self._overlap_reason
        result |= {path[0]: float(values[0]) for path, values in unitising_scores(sums, whole=reason is None)}
        result["per_type"] = dict(zip(self.shared.labels, unitising_label_alphas(sums)[0].tolist()))
        return result | ({"reason": reason} if reason else {})

    def _others_f(self, sums: BlockSums) -> NDArray[np.float64]:
        """Return F of each annotator against the others' majority, float64[sums, annotators]."""
        return f_scores(sums["against"].reshape(len(sums["against"]), len(self.shared.annotators), 3))

    def _consensus(self, sums: BlockSums) -> dict[str, Any]:
        spans = sum(len(votes) for _, votes in consensus(self.shared, self.rule))
        against = dict(zip(self.shared.annotators, self._others_f(sums)[0]))
        return {"rule": self.rule.wanted, "spans": spans, "against": against}

    def _leave_one_out(self, annotator: str, pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the main numbers without one of three or more annotators.

        Args:
            annotator: The annotator to exclude.
            pairs: The rows of all pairs.
        """
        remaining_pairs = [pair for pair in pairs if annotator not in (pair["a"], pair["b"])]
        result: dict[str, Any] = {"documents": self._documents_without(annotator), "metrics": {}}
        for metric in self.metrics:
            scores = [pair["metrics"][metric.name]["scores"] for pair in remaining_pairs]
            result["metrics"][metric.name] = {
                score.name: _mean(pair_scores[score.name] for pair_scores in scores) for score in metric.scores
            }
        result["units"] = dict.fromkeys(("observed", *UNIT_SCORES, "fleiss"))
        result["u_alpha"] = dict.fromkeys(UNITISING_SCORES)
        if self.has_units and result["documents"]:
            for (group, name), value in self._alphas_without(annotator):
                result[group][name] = value
        elif remaining := self.shared.leave_out(annotator):  # whose lengths may be known, though not all are
            counts = AgreementCounts(remaining, (), unit=self.unit)
            for group, values in (
                ("units", counts._unit_result(counts._block_sums, [])),
                ("u_alpha", counts._unitising_result(counts._block_sums)),
            ):
                result[group] = {name: values[name] for name in result[group]}
        result["units"]["kappa"] = _mean(pair["kappa"] for pair in remaining_pairs)
        return result

    def _documents_without(self, annotator: str) -> int:
        """Return how many documents two of the other annotators annotated."""
        return sum(len(document.spans) - (annotator in document.spans) > 1 for document in self.shared.documents)

    def _alphas_without(self, annotator: str) -> Iterator[tuple[tuple[str, str], float]]:
        """Yield the overall scores on units and alphas for unitising without an annotator, each with its path."""
        place = self.shared.annotators.index(annotator)
        stretches, characters = (side.leave_out(place) for side in self._stretches)
        divisor = _common_multiple(int(stretches.people.max()))
        spans = self._spans.select(characters.present[self._spans.doc, self._spans.annotator])
        blocks = overall_blocks(stretches) | overall_unitising_blocks(characters, self._spans)
        sums = _sum_blocks(_whole(blocks, divisor), divisor)
        for (name,), values in unit_scores(sums, equal_numbers=stretches.has_equal_numbers):
            yield ("units", name), float(values[0])
        for (name,), values in unitising_scores(sums, whole=overlap_reason(self.shared, spans) is None):
            yield ("u_alpha", name), float(values[0])

    def _disputes(self) -> dict[str, Any]:
        means = document_means(self.shared, self._tables, self.metrics)
        documents = make_plain([row for _, row in document_disputes(self.shared, means)])
        return {"documents": documents, "labels": label_disputes(self.shared), "spans": span_disputes(self.shared)}

    def _scores(
        self, kappa: Mapping[tuple[str, str], float]
    ) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
        """Return the rows of pairs with their kappas, then the summaries of scores, overall and of labels."""
        directions = [table.sum_directions() for table in self._tables]
        of_pairs = [[*direction.scores()] for direction in directions]
        rows = [
            {
                **pair_row(pair, self.shared.labels, scores),
                "kappa": make_plain(kappa.get((pair.a, pair.b))),
                "per_document": make_plain(document_spread(table, self.metrics)),
            }
            for pair, scores, table in zip(self.pairs, of_pairs, self._tables)
        ]
        return rows, *self._summaries(of_pairs, reduce(add, directions).scores())

    def _summaries(self, of_pairs: Sequence[Any], together: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the mean, spread and pooled value of each score, overall and of labels."""
        metrics: dict[str, Any] = {}
        per_type: dict[str, Any] = {label: {} for label in self.shared.labels}
        for k, (metric_scores, pooled) in enumerate(together):
            name, values_of_pairs = metric_scores.metric.name, [scores[k][1] for scores in of_pairs]
            metrics[name] = {}
            for score, value in pooled.overall.items():
                (summary,) = summarise_scores([values.overall[score] for values in values_of_pairs], value)
                metrics[name][score] = {**summary, "symmetric": metric_scores.metric.score_by_name[score].symmetric}
            for score, of_labels in pooled.of_labels.items():
                summaries = summarise_scores(
                    [values.of_labels[score][:, 0] for values in values_of_pairs], of_labels[:, 0]
                )
                for label, summary in zip(self.shared.labels, summaries):
                    per_type[label].setdefault(name, {})[score] = summary
        return metrics, per_type

    def _intervals(
        self, result: Mapping[str, Any], jackknife: Jackknife, tables: Sequence[PairTables], metrics: Sequence[Metric]
    ) -> dict[str, Any]:
        """Return the intervals of a result's numbers, nested like the numbers."""
        result_intervals: dict[str, Any] = {"pairs": [{"a": pair.a, "b": pair.b} for pair in self.pairs]}

        def number(path: KeyPath) -> float:
            value = _value_at(result, path)
            return math.nan if value is None else float(value)

        for path, row in chain(
            pair_intervals(number, tables, jackknife, metrics), self._chance_intervals(number, jackknife)
        ):
            table: Any = result_intervals
            for key in path[:-1]:
                table = table[key] if isinstance(key, int) else table.setdefault(key, {})
            table[path[-1]] = make_plain(row)
        return result_intervals

    def _chance_intervals(
        self, number: Callable[[KeyPath], float], jackknife: Jackknife
    ) -> Iterator[tuple[KeyPath, Interval]]:
        """Yield the intervals of alphas and kappas, and of F against the others' majority."""
        against = self._whole_blocks["against"].toarray().reshape(-1, len(self.shared.annotators), 3)
        for annotator, has_spans in zip(self.shared.annotators, against.any(axis=2).T):
            jackknife.restrict(("consensus", "against", annotator), np.flatnonzero(has_spans))
        alone = jackknife.group_sums(self._whole_blocks)
        overall = {name: block for name, block in alone.items() if not is_of_labels(name)}
        samples = jackknife.values(overall, self._divisor, self._chance_scores)
        mixed = {("pairs", k, "kappa"): label_values[""] for k, label_values in enumerate(jackknife.mixed[:-1])}
        numbers = []
        for path, values in samples.items():
            if path[0] == "consensus" or path[-1] == "observed":
                numbers.append(Samples(path, number(path), values, SHARE))
            else:
                numbers.append(
                    Samples(path, number(path), values, CORRECTED, mixed=mixed.get(path, jackknife.mixed[-1][""]))
                )
        yield from jackknife.intervals(numbers)
        if not self.has_units:
            return
        for here, sums in jackknife.label_sums(alone, self._divisor, len(self.shared.labels)):
            for group, values in (("units", label_alphas(sums)), ("u_alpha", unitising_label_alphas(sums))):
                numbers = []
                for label, label_values in zip(self.shared.labels[here], values.T):
                    path = (group, "per_type", label)
                    numbers.append(
                        Samples(path, number(path), label_values, CORRECTED, label, jackknife.mixed[-1][label])
                    )
                yield from jackknife.intervals(numbers)

    def _chance_scores(self, sums: BlockSums) -> Iterator[tuple[KeyPath, NDArray[np.float64]]]:
        """Yield F against the others' majority, kappas and overall alphas, float64[sums] each, with their paths."""
        for name, against in zip(self.shared.annotators, self._others_f(sums).T):
            yield ("consensus", "against", name), against
        if not self.has_units:
            return
        by_pair = dict(self._kappas(sums))
        for k, values in enumerate(by_pair.values()):
            yield ("pairs", k, "kappa"), values
        stacked = np.stack([*by_pair.values()])
        defined = np.isfinite(stacked)
        mean = np.where(defined, stacked, 0).sum(axis=0) / np.where(defined.any(axis=0), defined.sum(axis=0), np.nan)
        yield ("units", "kappa"), mean
        for path, values in self._unit_scores(sums):
            yield ("units", *path), values
        for path, values in unitising_scores(sums, whole=self._overlap_reason is None):
            yield ("u_alpha", *path), values


def _value_at(table: Any, path: KeyPath) -> Any:
    """Return the value of nested tables at a path."""
    for key in path:
        table = table[key]
    return table


def _mean(values: Iterable[float | None]) -> float:
    """Return the mean of the numbers that are defined; NaN if none is."""
    defined = sorted(value for value in values if value is not None)
    return sum(defined) / len(defined) if defined else math.nan


def _common_multiple(annotators: int) -> float:
    """Return the factor that makes all amounts whole numbers: a common multiple of the numbers of other annotators."""
    multiple = math.lcm(*range(1, annotators))
    return float(multiple if multiple < 1 << 31 else 1)


def _whole(blocks: Blocks, divisor: float) -> dict[str, csr_array]:
    """Return blocks as whole numbers, so that the order of documents changes no sum."""
    result = {name: block * divisor for name, block in blocks.items()}
    for block in result.values():
        block.data = np.rint(block.data) if divisor > 1 else block.data
    return result


def _sum_blocks(whole_blocks: Mapping[str, csr_array], divisor: float) -> BlockSums:
    return {name: np.asarray(block.sum(axis=0))[None] / divisor for name, block in whole_blocks.items()}


def others_majority_counts(shared: SharedDocuments) -> NDArray[np.int64]:
    """Return the counts for strict F of each annotator against the majority of the others.

    Returns:
        int64[documents, annotators, 3]: hits, spans of the others' majority, spans of the annotator. They are 0 for
        documents with fewer than two others, who form no majority.
    """
    number = {name: k for k, name in enumerate(shared.annotators)}
    documents = np.repeat(np.arange(len(shared.documents)), [*map(len, shared.votes)])
    voters = [vote.annotators for document_votes in shared.votes for vote in document_votes]
    marked = np.zeros((len(documents), len(number)), dtype=bool)
    rows = np.repeat(np.arange(len(documents)), [*map(len, voters)])
    marked[rows, [number[name] for names in voters for name in names]] = True
    present = np.array([[name in document.spans for name in shared.annotators] for document in shared.documents])
    present &= present.sum(axis=1, keepdims=True) > 2
    here = present[documents]
    marked &= here
    has_majority = 2 * (marked.sum(axis=1, keepdims=True) - marked) > here.sum(axis=1, keepdims=True) - 1
    counts = np.zeros((len(shared.documents), len(number), 3), dtype=np.int64)
    np.add.at(counts, documents, np.stack([marked & has_majority, here & has_majority, marked], axis=2))
    return counts


def f_scores(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return F from the counts of `others_majority_counts`, float64[...]; NaN where there are no spans."""
    hits, gold, own_spans = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    f: NDArray[np.float64] = ratio(2 * hits, gold + own_spans)
    return f
