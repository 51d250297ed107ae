"""The function `thresholds` for Python objects and files, and its result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ...api.accessors import Headline
from ...api.inputs import ItemReading, Items, documents_of, gold_labels, reading_of_items, with_item_reading
from ...api.results import registered_metrics
from ...api.shown import Shown, frame, table_frame
from ...core.compression import format_extension, strip_compression
from ...core.cuts import Cuts, apply_cuts
from ...core.declaration import Metric
from ...core.messages import describe_unknown
from ...core.synonyms import SCORE_NAMES
from ...evaluation.error_list import error_list
from ...evaluation.resampling import ConfidenceSettings, read_confidence
from ...evaluation.result import make_plain
from ...evaluation.tested import add_missing_metric, curve_scores
from ...io.saved_results import read_result, save_cuts
from ...io.tables import EXTENSIONS, write_rows
from ...metrics.registry import add_hierarchical, create
from .chosen_cuts import CutResult, find_thresholds, measure_cuts
from .curves import Settings, curve_columns, curve_rows
from .threshold_view import ThresholdView

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

T = TypeVar("T", bound="Thresholds")

APPLYING = "apply(gold, pred)"
"""How to measure a cut on other documents, in the words of Python."""


@with_item_reading
def thresholds(
    gold: Iterable[Any] | str | Path,
    pred: Any,
    metrics: Any = None,
    *,
    best: str = "strict_f",
    per_label: str | bool | None = None,
    hit: str | float = "strict",
    missing_score: float | None = None,
    bins: int = 10,
    bin_kind: str = "equal",
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Thresholds:
    """Find the best cut (score threshold) for predictions, and compute every metric at every cut.

    A prediction is kept if its score is at least the cut. Scores are those of span dicts, of
    records, of objects with a `score`, and of `doc.spans[key].attrs["scores"]`.

    Args:
        gold, pred: The gold annotation and the predictions, as `score` takes them.
        metrics: As for `score`. The metric of `best` is added if it is not among them.
        best: The score by which the cut is chosen, such as "strict_f" or "slot_error.ser".
        per_label: A cut for each label: "own" for the best of its own score, "micro" for the cuts that
            together have the best overall score; True is "own". By default all labels have one cut.
        hit: Which predictions are hits for average precision and calibration: "strict", or the least
            IoU of characters with a gold span of the same label, such as 0.5.
        missing_score: The score of predictions without one; by default they are an error.
        bins: The number of bins for calibration.
        bin_kind: "equal" for bins of the same width, "equal_mass" for the same number of predictions.
        text, tokens, scheme, repair, end, spans_key, labels, only, label_from, depth, sep, match, occurrences,
            tag_names, offsets, keys, match_text: As for `score`.
        outside, trim, join, missing_tokens: As for `score`.

    Returns:
        The result: a dict with methods that print and save it; see `Thresholds`.

    Raises:
        ValueError: A prediction has no score or one that is not a finite number, or as for `score`.
        OSError: As for `score`.

    >>> gold = [[(0, 3, "PER"), (8, 11, "PER")]]
    >>> pred = [[(0, 3, "PER"), (8, 11, "PER"), (4, 7, "LOC")]]
    >>> scored = [[dict(zip(("start", "end", "label", "score"), (*span, score)))
    ...            for span, score in zip(pred[0], (0.9, 0.8, 0.3))]]
    >>> result = thresholds(gold, scored, ["strict"])
    >>> result.best["cut"], result.best["value"], result.best["no_cut"]
    (0.8, 1.0, 0.8)
    """
    choice = "own" if per_label is True else per_label or None
    settings = Settings(best, choice, hit, missing_score, bins, bin_kind).validate()
    reading = reading_of_items(**options)
    items = Items(metrics, reading)
    documents, chosen = documents_of(gold, pred, items._replace(text=text, tokens=tokens))
    with_all, added = add_hierarchical(
        chosen.metrics, () if metrics is not None else gold_labels(documents), reading.sep
    )
    result = find_thresholds(documents, add_missing_metric(best, with_all), settings)
    result.values["left_out"] |= chosen.left_out
    return Thresholds(result.values, (result, items), added)


class Best(dict[str, Any]):
    """The best cut, whose items are attributes too, by the names that they have elsewhere.

    >>> best = Best(score="strict_f", cut=0.5, value=0.9)
    >>> best.cut, best.threshold, best.f1
    (0.5, 0.5, 0.9)
    """

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            here = {"threshold": "cut", "cutoff": "cut", "best_score": "value"}.get(name, name)
            if here not in self and SCORE_NAMES.get(name) == re.split("[._]", self.get("score", ""))[-1]:
                here = "value"
            if name.startswith("_") or here not in self:
                raise AttributeError(describe_unknown(name, self))
            return self[here]


class Thresholds(Shown):
    """Curves over the scores of predictions: a dict, equal to the JSON of `nereval thresholds`.

    `thresholds` makes it. It has the methods of a `Result` that print and save it.

    >>> from spacy_nereval import thresholds
    >>> gold = [[(0, 3, "PER"), (8, 11, "PER")]]
    >>> pred = [[{"start": 0, "end": 3, "label": "PER", "score": 0.9},
    ...          {"start": 4, "end": 7, "label": "PER", "score": 0.4}]]
    >>> result = thresholds(gold, pred, ["strict"])
    >>> result.best["cut"], round(result.best["value"], 4), result.cuts.keeps("PER", 0.4)
    (0.9, 0.6667, False)
    """

    _lines: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("cut", "threshold", "best_threshold"), "t.best['cut']"),
        **dict.fromkeys(("f1", "f", "value", "best_f1", "best_score", "score"), "t.headline.value"),
        **dict.fromkeys(("labels", "per_label", "by_label", "per_type"), "t.to_frame('labels')"),
        **dict.fromkeys(
            ("precision_recall_curve", "curves", "thresholds", "precision", "recall", "precisions", "recalls"),
            "t.curve('strict'), or t.to_frame('curves')",
        ),
    }
    _kind: ClassVar[str] = "Thresholds"

    def __init__(
        self, values: Mapping[str, Any], source: tuple[CutResult, Items] | None = None, notes: Sequence[str] = ()
    ) -> None:
        super().__init__(values)
        self._kept, self._notes = source, notes

    @classmethod
    def load(cls: type[T], path: str | Path, system: str | None = None) -> T:
        """Return the result that a JSON file contains: one that `save` wrote, or the command with `--output`.

        Args:
            path: The file.
            system: The name of a system, if the command wrote several.

        Raises:
            ValueError: There is no such file or system, or the file contains another kind of result, or none.
            OSError: The file cannot be read.

        >>> from spacy_nereval import Thresholds, thresholds
        >>> result = thresholds([[(0, 3, "A")]], [[{"start": 0, "end": 3, "label": "A", "score": 0.9}]], ["strict"])
        >>> result.save(getfixture("tmp_path") / "result.json")
        >>> Thresholds.load(getfixture("tmp_path") / "result.json").cuts == result.cuts
        True
        """
        return cls._check_shown(path, read_result(Path(path), cls._kind, system), cls)

    @property
    def _source(self) -> tuple[CutResult, Items]:
        """The result with its documents, and the settings of reading."""
        if self._kept is None:
            raise self._unavailable("documents", "call thresholds(...) with them again")
        return self._kept

    @property
    def _result(self) -> CutResult:
        return self._source[0]

    def __missing__(self, key: str) -> Any:
        if key in self.get("per_type", ()):
            return Best(self["per_type"][key])
        return super().__missing__(key)

    @property
    def best(self) -> Best:
        """The best cut: "cut" (None keeps nothing), "value", "no_cut", "labels" with a cut for each label."""
        return Best(self["best"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per label: its cut, spans and scores."""
        return [{"label": label, **row} for label, row in self["per_type"].items()]

    @property
    def headline(self) -> Headline:
        """The score at the best cut: its score key, value, interval and direction.

        It is that of the documents the cut was applied to, or else of those it was chosen on, without an interval.
        """
        name, _, score = self.best["score"].partition(".")
        metric = next(candidate for candidate in self._metrics if candidate.name == name)
        applied = self.get("applied")
        return Headline.of(metric, score, (applied or self.best)["value"], applied)

    @property
    def cuts(self) -> Cuts:
        """The cuts; their `keeps` says whether a prediction is kept. Raise ValueError if the score is undefined."""
        best = self.best
        if best["reason"]:
            raise ValueError(f"there is no best threshold: {best['reason']}")
        chosen_on = self["floor"], self["documents"], self.signature
        return Cuts(best["cut"], best["labels"], best["score"], *chosen_on)

    def apply(
        self,
        gold: Iterable[Any] | str | Path,
        pred: Any,
        confidence: ConfidenceSettings = None,
        *,
        text: Iterable[str | None] | None = None,
        tokens: Iterable[Any] | None = None,
    ) -> Thresholds:
        """Return the same result with the scores at the best cut on other documents, under "applied".

        Intervals treat the cut as fixed. "own_best" is the best cut of the other documents, which is not
        available in practice.

        Args:
            gold, pred: Other documents, as `thresholds` takes them. They are read with the same options as those on
                which the cut was chosen.
            confidence: As for `score`.
            text, tokens: As for `thresholds`.

        Returns:
            A new result. Its "applied" has the score at the cut, "value", "low" and "high", and "gain", the
            difference from no cut; "applied" is None if there is no best cut.

        Raises:
            ValueError: As for `thresholds`.

        >>> from spacy_nereval import thresholds
        >>> gold, pred = [[(0, 3, "PER")]], [[{"start": 0, "end": 3, "label": "PER", "score": 0.9}]]
        >>> thresholds(gold, pred, ["strict"]).apply(gold, pred)["applied"]["value"]
        1.0
        """
        here, items = self._source
        other_documents, _ = documents_of(gold, pred, items._replace(text=text, tokens=tokens))
        result = measure_cuts(here, other_documents, read_confidence(confidence))
        return Thresholds(result.values, (result, items), self._notes)

    def curve(self, metric: str | None = None, label: str | None = None) -> dict[str, list[Any]]:
        """Return the scores of a metric at every cut.

        Args:
            metric: The name of a metric; by default that of the best cut.
            label: A label; by default all of them.

        Returns:
            "cut", from the highest, None where nothing is kept; "kept", the number of predictions of all
            labels that are kept; and each score, None where it is undefined.

        Raises:
            ValueError: There is no such metric or label.

        >>> from spacy_nereval import thresholds
        >>> result = thresholds([[(0, 3, "A")]], [[{"start": 0, "end": 3, "label": "A", "score": 0.9}]], ["strict"])
        >>> result.curve()["cut"], result.curve()["f"]
        ([None, 0.9], [0.0, 1.0])
        """
        curves = self._result.curves
        name = metric or self.best["score"].partition(".")[0]
        chosen = next((candidate for candidate in curves.metrics if candidate.name == name), None)
        if chosen is None:
            raise ValueError(describe_unknown(name, [candidate.name for candidate in curves.metrics], "metric"))
        if label is not None and label not in curves.labels:
            raise ValueError(describe_unknown(label, curves.labels, "label"))
        at, scores = (slice(None), curves.overall(chosen)) if label is None else curves.label_curve(chosen, label)
        kinds = chosen.scores if label is None else chosen.label_scores
        values = {score.name: scores[score.name] for score in curve_scores(kinds)}
        result: dict[str, list[Any]] = make_plain({"cut": curves.cuts[at], "kept": curves.kept[at], **values})
        return result

    def errors(
        self, metric: str = "fair", verdicts: Sequence[str] | None = None, labels: Sequence[str] | None = None
    ) -> list[dict[str, Any]]:
        """Return the errors of the predictions that the best cut keeps, as `Result.errors` does.

        Args:
            metric, verdicts, labels: As for `Result.errors`.

        Returns:
            Rows as those of `Result.errors`.

        Raises:
            ValueError: As for `Result.errors`, or there is no best cut.

        >>> from spacy_nereval import thresholds
        >>> pred = [[{"start": 0, "end": 3, "label": "A", "score": 0.9}]]
        >>> thresholds([[(0, 3, "A")]], pred, ["strict"]).errors()
        []
        """
        chosen = next((candidate for candidate in self._metrics if candidate.name == metric), None) or create(metric)
        side = self._result.chosen_on
        cut_documents = [*apply_cuts(side.documents, self.cuts, side.settings.missing_score)]
        return [error.row() for error in error_list(cut_documents, chosen, errors=verdicts, labels=labels or ())]

    def to_frame(self, table: str = "labels") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame.

        Args:
            table: "curves" for every score at every cut, overall (label "") and of each label; or the name of
                a table for `--tables` of `nereval thresholds`.

        Returns:
            A row per row of the table, and a column per column.

        Raises:
            ValueError: There is no such table, or pandas is not installed.

        >>> from spacy_nereval import thresholds
        >>> pred = [[{"start": 0, "end": 3, "label": "A", "score": 0.9}]]
        >>> thresholds([[(0, 3, "A")]], pred, ["strict"]).to_frame("curves")["strict.f"].tolist()
        [0.0, 1.0, 0.0, 1.0]
        """
        if table == "curves":
            return frame(curve_rows(self._result.curves), curve_columns(self._metrics))
        return table_frame(self._view().tables([table]))

    def save(self, path: str | Path) -> None:
        """Write the result to a file in the format that the file extension names.

        Args:
            path: `.json` for the result; `.csv`, `.parquet` or `.arrow` for every score at every cut; `.html` for a
                page with the cuts and charts of the curves, which opens without a network; `.md` or `.tex` for the
                tables.
                A name that ends with `.cut.json` gets the cut file that `--cut` reads.

        Raises:
            ValueError: The file extension is unknown, there is no best cut for a cut file, or the libraries that draw
                charts are not installed.
            OSError: The file cannot be written.

        >>> from spacy_nereval import thresholds
        >>> result = thresholds([[(0, 3, "A")]], [[{"start": 0, "end": 3, "label": "A", "score": 0.9}]], ["strict"])
        >>> result.save(getfixture("tmp_path") / "best.cut.json")
        """
        path = Path(path)
        if strip_compression(path).name.endswith(".cut.json"):
            save_cuts(path, self.cuts)
        elif format_extension(path) in (".csv", *EXTENSIONS):
            write_rows(path, curve_rows(self._result.curves), header=curve_columns(self._metrics))
        else:
            super().save(path)

    @property
    def _metrics(self) -> Sequence[Metric]:
        return self._result.curves.metrics if self._kept else registered_metrics(self["metrics"])

    summarised: ClassVar[Sequence[str]] = ThresholdView.usual

    def _view(self, average: str = "micro", *, every: bool = False) -> ThresholdView:
        return ThresholdView(self, self._metrics, applying=APPLYING, notes=self._notes)

    def _report(self, name: str) -> str | None:
        if self._kept is None:
            return None
        from .threshold_page import thresholds_page

        golds = ["these documents", "other documents"]
        return thresholds_page([(name, self._result)], golds=golds, applying=APPLYING)
