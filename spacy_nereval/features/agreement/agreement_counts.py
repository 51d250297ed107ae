"""Agreement between annotators: every metric on pairs, alphas and kappas, consensus, disputes, differences."""

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
from ...evaluation.resampling import Confidence
from ...evaluation.result import make_plain, signature
from .agreement_intervals import CORRECTED, SHARE, LeftOut, Path, Row, Samples, index_of, pair_intervals
from .annotator_differences import Differences
from .annotator_pairs import Pair, PairTables, count_pairs, document_means, document_spread, pair_row, summaries_of
from .chance import (
    Added,
    Blocks,
    Stretches,
    Unit,
    is_of_labels,
    kappa_blocks,
    kappas,
    label_alphas,
    lengths,
    overlapping,
    span_rows,
    unit_blocks,
    unit_scores,
    unitising_blocks,
    unitising_label_alphas,
    unitising_scores,
)
from .shared_documents import (
    Rule,
    SharedDocuments,
    against_others,
    consensus,
    dispute_rows,
    disputed_labels,
    f_of,
    ranked_documents,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DEFAULT = ("strict", "semeval", "relaxed", "char")
"""The metrics that are counted if none are named."""

UNKNOWN_LENGTH = "the texts are not known: without them, and without tokens, there are no units"
UNIT_SCORES = ("alpha", "alpha_detect", "alpha_label")
UNITISING_SCORES = ("u_alpha", "u_binary", "cu_alpha")


class AgreementCounts:
    """What was counted of several annotators, and the result that is made of it.

    Args:
        shared: What they annotated.
        metrics: The metrics; each annotator of a pair is once gold and once prediction.
        unit: What alpha is computed on, "token" or "char".
        rule: How many votes a span of the consensus needs.

    Raises:
        ValueError: Documents cannot be judged by a metric.

    Attributes:
        pairs: What was counted of each pair.
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
        """What the annotators differ in."""
        return Differences(self.shared)

    @cached_property
    def has_units(self) -> bool:
        """Whether the length of every document is known."""
        return None not in lengths(self.shared)

    @cached_property
    def _overlapping(self) -> str | None:
        return overlapping(self.shared, self._spans)

    @cached_property
    def _tables(self) -> list[PairTables]:
        return [PairTables(pair, self.shared.labels) for pair in self.pairs]

    @cached_property
    def _blocks(self) -> Blocks:
        """Everything but the counts of metrics that adds up over documents."""
        from scipy.sparse import csr_array

        counts = against_others(self.shared)
        found: Blocks = {"against": csr_array(counts.reshape(len(counts), -1).astype(float))}
        if not self.has_units:
            return found
        characters = Stretches(self.shared, self._spans, "char")
        own = characters if self.unit == "char" else Stretches(self.shared, self._spans, self.unit)
        found |= unit_blocks(own) | kappa_blocks(own, self.shared.annotators)
        return found | unitising_blocks(characters, self._spans)

    @cached_property
    def _divisor(self) -> float:
        """The factor that makes all amounts whole numbers: a multiple of every number of other annotators."""
        multiple = math.lcm(*range(1, max(len(each.spans) for each in self.shared.documents)))
        return float(multiple if multiple < 1 << 31 else 1)

    @cached_property
    def _whole_blocks(self) -> dict[str, csr_array]:
        """The blocks as whole numbers, so that no order of documents changes a sum."""
        return {name: _whole(block, self._divisor) for name, block in self._blocks.items()}

    @cached_property
    def _added(self) -> Added:
        return {name: np.asarray(block.sum(axis=0))[None] / self._divisor for name, block in self._whole_blocks.items()}

    def result(self, confidence: Confidence | None = None, *, short: bool = False) -> dict[str, Any]:
        """Return the result: plain Python, ready for JSON, with None where a number is undefined.

        Args:
            confidence: Settings of intervals; None for no intervals.
            short: Whether the signature leaves out options that have their default.
        """
        shared, added = self.shared, self._added
        kappa = {pair: values[0] for pair, values in self._kappas(added)}
        pairs, metrics, per_type = self._scores(kappa)
        left_out = LeftOut(shared, confidence.checked(), self.metrics) if confidence else None
        found = {
            "signature": self._signature(left_out, short),
            "version": __version__,
            "annotators": [*shared.annotators],
            "documents": len(shared.documents),
            "single": shared.single,
            "unannotated": shared.unannotated,
            **shared.on_reading,
            **({"mentions": dict(shared.mentions)} if shared.mentions else {}),
            "tokens": shared.tokens,
            "spans": {
                name: sum(len(each.spans.get(name, ())) for each in shared.documents) for name in shared.annotators
            },
            **({"confidence": left_out.drawn._asdict()} if left_out else {}),
            "pairs": None,
            "metrics": metrics,
            "per_type": None,
            "units": self._of_units(added, [value for value in kappa.values() if math.isfinite(value)]),
            "u_alpha": self._of_unitising(added),
            "consensus": self._consensus(added),
            "without": {name: self._without(name, pairs) for name in shared.annotators if len(shared.annotators) > 2},
            "disputes": self._disputes(),
        }
        # What each label has is plain already; with many labels, it is most of what is in memory.
        result: dict[str, Any] = make_plain(found) | {"pairs": pairs, "per_type": per_type} | self.differences.rows()
        if left_out:
            result["intervals"] = self._intervals(result, left_out, self._tables, self.metrics)
            result["confidence"] = make_plain(left_out.drawn._asdict())
        return result

    def with_main_interval(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a result with the intervals of its first metric and of alpha, if it has none and they are not slow."""
        if "intervals" in result or result["documents"] > MOST_DOCUMENTS:
            return result
        left_out = LeftOut(self.shared, Confidence(), self.metrics[:1])
        tables = [PairTables(pair.of(self.metrics[:1]), self.shared.labels) for pair in self.pairs]
        bounds = self._intervals(result, left_out, tables, self.metrics[:1])
        return {**result, "intervals": bounds, "confidence": left_out.drawn._asdict()}

    def _signature(self, left_out: LeftOut | None, short: bool) -> str:
        counts = index_of(self.shared)
        counts.metrics = self.metrics
        own = f"agreement:{len(self.shared.annotators)},unit:{self.unit},consensus:{self.rule.wanted}"
        own += f",tokens:{'+'.join(self.shared.tokens)}" * bool(self.shared.tokens)
        return signature(counts, own, *([left_out.drawn.signature] if left_out else []), short=short)

    def _kappas(self, added: Added) -> Iterator[tuple[tuple[str, str], NDArray[Any]]]:
        if self.has_units:
            yield from kappas(added, self.shared.annotators)

    def _unit_scores(self, added: Added) -> Iterator[tuple[tuple[str, ...], NDArray[Any]]]:
        numbers = {len(each.spans) for each in self.shared.documents}
        yield from unit_scores(added, equal_numbers=len(numbers) == 1)

    def _of_units(self, added: Added, kappa: Sequence[float]) -> dict[str, Any]:
        names = ("observed", *UNIT_SCORES, "fleiss")
        found: dict[str, Any] = {"unit": self.unit, "n": None, **dict.fromkeys(names), "kappa": None, "per_type": {}}
        if not self.has_units:
            return found | {"reason": UNKNOWN_LENGTH}
        found["n"] = round(added["units"][0, 0])
        found["kappa"] = make_plain(_mean(kappa))
        found |= {path[0]: float(values[0]) for path, values in self._unit_scores(added)}
        return found | {"per_type": dict(zip(self.shared.labels, label_alphas(added)[0].tolist()))}

    def _of_unitising(self, added: Added) -> dict[str, Any]:
        found: dict[str, Any] = {**dict.fromkeys(UNITISING_SCORES), "per_type": {}}
        if not self.has_units:
            return found | {"reason": UNKNOWN_LENGTH}
        reason = self._overlapping
        found |= {path[0]: float(values[0]) for path, values in unitising_scores(added, whole=reason is None)}
        found["per_type"] = dict(zip(self.shared.labels, unitising_label_alphas(added)[0].tolist()))
        return found | ({"reason": reason} if reason else {})

    def _against(self, added: Added) -> NDArray[np.float64]:
        """Return F of each annotator against the others, float64[sums, annotators]."""
        return f_of(added["against"].reshape(len(added["against"]), len(self.shared.annotators), 3))

    def _consensus(self, added: Added) -> dict[str, Any]:
        spans = sum(len(kept) for _, kept in consensus(self.shared, self.rule))
        against = dict(zip(self.shared.annotators, self._against(added)[0]))
        return {"rule": self.rule.wanted, "spans": spans, "against": against}

    def _without(self, annotator: str, pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the main numbers without one of three or more annotators.

        Args:
            annotator: Who is left out.
            pairs: The rows of all pairs.
        """
        rest = self.shared.without(annotator)
        own = [pair for pair in pairs if annotator not in (pair["a"], pair["b"])]
        found: dict[str, Any] = {"documents": len(rest.documents) if rest else 0, "metrics": {}}
        for metric in self.metrics:
            scores = [pair["metrics"][metric.name]["scores"] for pair in own]
            found["metrics"][metric.name] = {
                score.name: _mean(each[score.name] for each in scores) for score in metric.scores
            }
        others = AgreementCounts(rest, (), unit=self.unit) if rest else None
        found["units"] = others._of_units(others._added, []) if others else {}
        found["u_alpha"] = others._of_unitising(others._added) if others else {}
        for group, names in (("units", ("observed", *UNIT_SCORES, "fleiss")), ("u_alpha", UNITISING_SCORES)):
            found[group] = {name: found[group].get(name) for name in names}
        found["units"]["kappa"] = _mean(pair["kappa"] for pair in own)
        return found

    def _disputes(self) -> dict[str, Any]:
        means = document_means(self.shared, self._tables, self.metrics)
        documents = [row for _, row in ranked_documents(self.shared, means)]
        return {"documents": documents, "labels": disputed_labels(self.shared), "spans": dispute_rows(self.shared)}

    def _scores(
        self, kappa: Mapping[tuple[str, str], float]
    ) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
        """Return the rows of pairs with their `kappa`, and what `_summaries` returns."""
        sums = [table.sum_rows() for table in self._tables]
        of_pairs = [[*each.scores()] for each in sums]
        rows = [
            {
                **pair_row(pair, self.shared.labels, found),
                "kappa": make_plain(kappa.get((pair.a, pair.b))),
                "per_document": make_plain(document_spread(table, self.metrics)),
            }
            for pair, found, table in zip(self.pairs, of_pairs, self._tables)
        ]
        return rows, *self._summaries(of_pairs, reduce(add, sums).scores())

    def _summaries(self, of_pairs: Sequence[Any], together: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return mean, spread and pooled value of each score: overall, and of each label."""
        metrics: dict[str, Any] = {}
        per_type: dict[str, Any] = {label: {} for label in self.shared.labels}
        for k, (own, pooled) in enumerate(together):
            name, each = own.metric.name, [found[k][1] for found in of_pairs]
            metrics[name] = {}
            for score, value in pooled.overall.items():
                (summary,) = summaries_of([values.overall[score] for values in each], value)
                metrics[name][score] = {**summary, "symmetric": own.metric.score_by_name[score].symmetric}
            for score, of_labels in pooled.of_labels.items():
                summaries = summaries_of([values.of_labels[score][:, 0] for values in each], of_labels[:, 0])
                for label, summary in zip(self.shared.labels, summaries):
                    per_type[label].setdefault(name, {})[score] = summary
        return metrics, per_type

    def _intervals(
        self,
        result: Mapping[str, Any],
        left_out: LeftOut,
        tables: Sequence[PairTables],
        metrics: Sequence[Metric],
    ) -> dict[str, Any]:
        """Return the intervals of a result's numbers, in a table of the same shape."""
        found: dict[str, Any] = {"pairs": [{"a": pair.a, "b": pair.b} for pair in self.pairs]}

        def number(path: Path) -> float:
            value: Any = result
            for key in path:
                value = value[key]
            return math.nan if value is None else float(value)

        for path, row in chain(
            pair_intervals(number, tables, left_out, metrics), self._corrected_intervals(number, left_out)
        ):
            table: Any = found
            for key in path[:-1]:
                table = table[key] if isinstance(key, int) else table.setdefault(key, {})
            table[path[-1]] = make_plain(row)
        return found

    def _corrected_intervals(self, number: Callable[[Path], float], left_out: LeftOut) -> Iterator[tuple[Path, Row]]:
        """Yield the intervals of alphas and kappas, and of F against the others."""
        alone = left_out.alone(self._whole_blocks)
        overall = {name: block for name, block in alone.items() if not is_of_labels(name)}
        samples = left_out.samples(overall, self._divisor, self._corrected)
        mixed = {("pairs", k, "kappa"): own[""] for k, own in enumerate(left_out.mixed[:-1])}
        given = []
        for path, values in samples.items():
            if path[0] == "consensus" or path[-1] == "observed":
                given.append(Samples(path, number(path), values, SHARE))
            else:
                given.append(
                    Samples(path, number(path), values, CORRECTED, mixed=mixed.get(path, left_out.mixed[-1][""]))
                )
        yield from left_out.intervals(given)
        if not self.has_units:
            return
        for here, sums in left_out.label_sums(alone, self._divisor, len(self.shared.labels)):
            for group, values in (("units", label_alphas(sums)), ("u_alpha", unitising_label_alphas(sums))):
                given = []
                for label, own in zip(self.shared.labels[here], values.T):
                    path = (group, "per_type", label)
                    given.append(Samples(path, number(path), own, CORRECTED, label, left_out.mixed[-1][label]))
                yield from left_out.intervals(given)

    def _corrected(self, added: Added) -> Iterator[tuple[Path, NDArray[np.float64]]]:
        """Yield F against the others, kappas and overall alphas, float64[sums] each, with their paths."""
        for name, against in zip(self.shared.annotators, self._against(added).T):
            yield ("consensus", "against", name), against
        if not self.has_units:
            return
        of_pairs = dict(self._kappas(added))
        for k, values in enumerate(of_pairs.values()):
            yield ("pairs", k, "kappa"), values
        stacked = np.stack([*of_pairs.values()])
        known = np.isfinite(stacked)
        mean = np.where(known, stacked, 0).sum(axis=0) / np.where(known.any(axis=0), known.sum(axis=0), np.nan)
        yield ("units", "kappa"), mean
        for path, values in self._unit_scores(added):
            yield ("units", *path), values
        for path, values in unitising_scores(added, whole=self._overlapping is None):
            yield ("u_alpha", *path), values


def _mean(values: Iterable[float | None]) -> float:
    """Return the mean of the numbers that are defined; NaN if none is."""
    known = sorted(value for value in values if value is not None)
    return sum(known) / len(known) if known else math.nan


def _whole(block: csr_array, divisor: float) -> csr_array:
    found = block * divisor
    found.data = np.rint(found.data) if divisor > 1 else found.data
    return found
