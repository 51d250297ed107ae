"""What `score` and `compare` return."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from ..core.declaration import Metric
from ..core.edges import edge_lines
from ..core.features import features
from ..core.features import load_object as load_named
from ..core.imports import PACKAGE
from ..core.messages import describe_unknown
from ..core.spans import Document
from ..core.synonyms import RESULT_NAMES, SCORE_NAMES
from ..counting.counter import add_units
from ..counting.counts import Counts
from ..evaluation.comparison import System
from ..evaluation.error_groups import error_groups
from ..evaluation.error_list import ErrorExamples, error_list
from ..evaluation.intervals import run_intervals
from ..evaluation.label_schemes import label_lines, label_warnings
from ..evaluation.resampling import Confidence
from ..evaluation.result import document_rows, evaluate, labels_before_only, spans_of_labels
from ..evaluation.scores import check_average
from ..evaluation.tested import PRIMARY, SECONDARY, Hypotheses
from ..io.count_files import load as load_counts
from ..io.count_files import save as save_counts
from ..io.paths import is_count_file
from ..metrics.registry import create
from ..reporting.comparison_view import ComparisonView, score_key
from ..reporting.declared import error_metric, main_metric
from ..reporting.result_table import ResultTable
from ..reporting.score_tables import headline_tables
from ..reporting.score_view import VALUE_BOUNDS, RunsView, ScoreView
from ..reporting.verdict_tables import hit_matrix
from ..reporting.view import View
from .accessors import (
    Confusion,
    Headline,
    LabelScores,
    MetricName,
    MetricScoreSet,
    Named,
    ScoreKey,
    ScoreValue,
    answer,
    interval_of,
    line_for,
    paths,
    predicted_axis,
    score_of_words,
)
from .shown import Rendered, Rows, Shown, frame, table_frame

if TYPE_CHECKING:
    import pandas

R = TypeVar("R", bound="Result")

OTHERS = {"other-scores": "scores", "other-label-scores": "label-scores", "confusion-hits": "confusion"}
"""The frames of the further parts of a table, and the tables that they belong to: scores that are not
precision, recall and F, and the confusion matrix with hits."""

SUBTRACTIONS = ("diff", "difference", "compare", "compare_to", "compare_with")
"""The names that other packages give to a method that compares a result with another one."""

SIGNIFICANT = ("significant", "is_significant")
"""The names that other packages give to whether a difference is more than chance."""

DETAILED = ("groups", "pairs")
"""The tables that show spans, for which documents are needed."""


class Result(Shown):
    """The scores of a system: a dict, equal to the JSON of `nereval score`, with methods that print and save it.

    `score` makes it.

    >>> from spacy_nereval import score
    >>> result = score([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]], ["fair"])
    >>> result.fair.counts["be_s"], result.signature.startswith("spacy-nereval|fair")
    (1, True)
    >>> [(error["verdict"], error["gold_end"], error["pred_end"]) for error in result.errors()]
    [('be_s', 2, 1)]

    Scores have short names: those of JSON, and the score keys of spaCy. `f1` without a metric is that of strict.

    >>> result.fair.f == result["fair.f"] == result["fair_f"] == result.labels["PER"].fair.f
    True
    >>> result.headline.name, result.scores["fair_p"], result.confusion("fair")["PER", "PER"]
    ('fair_f', 0.0, 1)
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        counts: Counts | None = None,
        documents: Sequence[Document | None] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if "metrics" not in values:
            raise ValueError(
                "this is no result of this package: write score(gold, nlp); or Result(scores['ents_nereval']) with the "
                "scores of nlp.evaluate, if the pipeline has the scorer of this package"
            )
        super().__init__(values)
        self._counts = counts
        self._documents = documents
        self._notes = notes
        self._metrics: Sequence[Metric] = counts.metrics if counts else registered_metrics(values["metrics"])
        self._computed: dict[str, Mapping[str, Any]] = {}  # intervals, by the metrics that were asked for

    _kind: ClassVar[str] = "Result"

    @classmethod
    def load(cls: type[R], path: str | Path) -> R:
        """Return the result in a file that `save` wrote, or a command with `--output`.

        Args:
            path: A `.json` file: the result is equal to the saved one, without counts and documents; methods that need
                these raise an error. Or a count file, `.npz`: it is scored again, without documents.

        Raises:
            ValueError: There is no such file, or it contains another kind of result, or none.
            OSError: The file cannot be read.

        >>> from spacy_nereval import Result, score
        >>> result, folder = score([["B-PER"]], [["B-PER"]], ["strict"]), getfixture("tmp_path")
        >>> result.save(folder / "result.json"), result.save(folder / "counts.npz")
        (None, None)
        >>> Result.load(folder / "result.json") == Result.load(folder / "counts.npz") == result
        True
        """
        if not is_count_file(path):
            return super().load(path)
        counts = load_counts(Path(path))
        return cls(evaluate(counts), counts)

    @property
    def counts(self) -> Counts:
        """The counts behind the scores: they can be added, stored and resampled.

        Raises:
            ValueError: The result was read from a JSON file.
        """
        if self._counts is None:
            raise self._unavailable("counts", "save them too, result.save('counts.npz'), and read that file")
        if self._documents is not None and len(self._counts.units) != self._counts.documents:
            # Only now: the units of documents without ids would take a fifth of the time of `score`.
            add_units(self._counts, self._documents)
        return self._counts

    # Scores by name

    @property
    def headline(self) -> Headline:
        """The score of the first sentence: its score key, value, interval and direction."""
        metric = main_metric(self._metrics)
        score = (metric.headlines or metric.scores)[0].name
        bounds = self._scored().evaluation_with_intervals.result["metrics"][metric.name].get("intervals")
        return Headline.of(metric, score, self._sets[metric.name][score], bounds and bounds["scores"].get(score))

    @property
    def scores(self) -> dict[str, float | None]:
        """Every score that has a score key in spaCy, by this key without a prefix, such as "fair_f"."""
        return dict(self["scores"])

    @property
    def labels(self) -> Mapping[str, LabelScores]:
        """The scores of each label: `labels["PER"].fair.f`."""
        return Named({label: LabelScores(label, self._sets, values) for label, values in self["per_type"].items()})

    def flat(self, prefix: str = "", *, labels: bool = False) -> dict[str, float]:
        """Return numbers alone, by score key, as trackers of experiments take them, without undefined scores.

        Args:
            prefix: A prefix of the names, such as "val_".
            labels: Whether to include the scores of labels, as "PER/strict_f".

        >>> from spacy_nereval import score
        >>> score([["B-PER", "O"]], [["B-PER", "O"]], "strict").flat("val_")
        {'val_strict_p': 1.0, 'val_strict_r': 1.0, 'val_strict_f': 1.0}
        >>> score([["O"]], [["O"]], "strict").flat()
        {}
        """
        scores = dict(self.scores)
        if labels:
            scores |= {f"{name}/{key}": value for name, row in self.labels.items() for key, value in row.scores.items()}
        return {f"{prefix}{key}": float(value) for key, value in scores.items() if value is not None}

    def confusion(self, metric: str | None = None, *, hits: bool = False) -> Confusion:
        """Return the confusion matrix of a metric.

        Args:
            metric: The name of one of the metrics; by default the one for tables of errors.
            hits: Whether hits, and nothing else, are on the diagonal, as in scikit-learn. Boundary errors are then in a
                column "boundary". Without it, the metric decides: the matrix of `strict` has hits, that of `fair`
                errors only.

        Returns:
            Gold label to predicted label to number, "" for no span; `to_frame()` makes a DataFrame of it, and `plot()`
            a figure.

        Raises:
            KeyError: There is no such metric among those that were scored.
            ValueError: The metric has no confusion matrix.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-LOC"]], ["fair"]).confusion()["PER", "LOC"]
        1
        >>> score([["B-PER"]], [["B-PER"]], ["fair"]).confusion("fair", hits=True)["PER", "PER"]
        1
        """
        name = metric or main_metric(self._metrics).name
        if name not in self._sets:
            raise KeyError(self._absent(name))
        matrix = self._sets[name].confusion
        if not hits:
            return matrix
        evaluated = self._scored().evaluation
        judge = self._metric(name)
        cells, _, more = hit_matrix(judge, evaluated.verdicts(judge))
        return Confusion(judge, cells, more)

    @property
    def _sets(self) -> dict[str, MetricScoreSet]:
        """The scores of each metric."""
        return {
            metric.name: MetricScoreSet(metric, metric.scores, self["metrics"][metric.name], self._bounds(metric))
            for metric in self._metrics
        }

    def _bounds(self, metric: Metric) -> Callable[[], Mapping[str, Any]]:
        """Return a function that returns the intervals of a metric, and computes them if the result has none."""

        def bounds() -> Mapping[str, Any]:
            intervals = self["metrics"][metric.name].get("intervals") or self._computed.get(metric.name)
            if intervals is None:
                counts = self.counts.of([metric])
                intervals = self._computed[metric.name] = run_intervals([counts], Confidence()).metrics[metric.name]
            return {**intervals["scores"], "of labels": intervals["per_type"]}

        return bounds

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: MetricName) -> MetricScoreSet: ...

        @overload
        def __getitem__(self, key: ScoreKey) -> float | None: ...

        @overload
        def __getitem__(self, key: str) -> Any: ...

        def __getitem__(self, key: str) -> Any: ...

    def __missing__(self, key: str) -> Any:
        try:
            return answer(key, self._sets)
        except KeyError:
            if (meant := self._meant(key)) is not None:
                return meant
            if RESULT_NAMES.get(key, key) == "labels":
                return self.labels
            if key in self["per_type"]:
                return self.labels[key]
            raise KeyError(self._absent(key)) from None

    def __getattr__(self, name: str) -> MetricScoreSet:
        if name.startswith("_"):
            raise AttributeError(name)
        scores: Any
        if name == "metrics":
            return Named(self._sets)  # type: ignore[return-value]  # the one attribute that is a table of sets
        try:
            scores = self._sets.get(name) or answer(name, self._sets)
        except KeyError:
            scores = self._meant(name)
        if scores is None:
            scores = self._attribute_meant(name)
        if scores is None and (verdict := {"false_negatives": "fn", "false_positives": "fp"}.get(name)):
            scores = self.errors("strict", [verdict])
        if scores is None:
            raise AttributeError(self._absent(name))
        return ScoreValue.of(scores, lambda: self._interval_of(name))  # type: ignore[no-any-return]  # a set, or a number by its score key

    def _meant(self, name: str) -> Any:
        """Return what other packages have under a name; None if nothing, or if it could be several things."""
        return self if name == "overall" else score_of_words(name, self._sets)

    def _interval_of(self, name: str) -> Any:
        """Return the interval of a score by its score key, or by its name elsewhere; None if there is none."""
        asked = next((scores for scores in self._sets.values() if name in scores.keys), None)
        return asked.interval(name) if asked else self._meant(f"{name}_ci")

    def _absent(self, name: object) -> str:
        if why := self.get("left_out", {}).get(name):
            return f"there is no {name!r}: it was excluded: {why}"
        line = self._remedy(name) or line_for(str(name), self._sets, self.labels)
        return (
            f"there is no {name!r}: {line}"
            if line
            else describe_unknown(name, [*self._sets, *self._listed_names(), *paths(self._sets)], most=30)
        )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._sets})

    def _ipython_key_completions_(self) -> list[str]:
        return [*paths(self._sets), *self.keys()]

    def _frame_as_elsewhere(self, table: str | None = None, **options: Any) -> pandas.DataFrame:
        """Return the frame that `to_pandas` makes elsewhere: a row for all spans (label "") and for each label.

        Its columns have the names that the scores have elsewhere, as strict scores, and then every score by its key.
        With a table, it is that of `to_frame`.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], "strict").to_pandas().columns.tolist()
        ['label', 'precision', 'recall', 'f1', 'support', 'strict_p', 'strict_r', 'strict_f']
        """
        if table is not None or options:
            return super()._frame_as_elsewhere(table or "scores", **options)

        def row(label: str, meant: Callable[[str], Any], support: int, scores: Mapping[str, Any]) -> dict[str, Any]:
            usual = {name: meant(name) for name in ("precision", "recall", "f1")}
            return {"label": label, **usual, "support": support, **scores}

        of_labels = (row(label, one._meant, one.support, one.scores) for label, one in self.labels.items())
        return frame([row("", self._meant, self["gold"], self.scores), *of_labels])

    summarised: ClassVar[Sequence[str]] = (*ScoreView.at_terminal, "scores")

    def __sub__(self, baseline: Result) -> Comparison:
        """Return the comparison with another result of the same documents, as `compare` makes it.

        >>> from spacy_nereval import score
        >>> gold = [["B-PER"], ["B-LOC"]] * 4
        >>> (score(gold, gold, "strict") - score(gold, [["B-PER"]] * 8, "strict")).delta
        0.5
        """
        compare: Callable[[Mapping[str, Any]], Comparison] = import_module(PACKAGE).compare  # made of this module
        return compare({"baseline": baseline, "system": self})

    def _attribute_meant(self, name: str) -> Any:
        if re.fullmatch("errors?_(df|frame|dataframe)", name):
            return Rows(self.errors())._frame
        if name in ("warnings", "notes"):
            return [*self._notes]
        return self.__sub__ if name in SUBTRACTIONS else super()._attribute_meant(name)

    def errors(
        self, metric: str = "fair", verdicts: Sequence[str] | None = None, labels: Sequence[str] | None = None
    ) -> list[dict[str, Any]]:
        """Return the errors, a row each, as `nereval errors -o` writes them.

        Args:
            metric: Name of a metric, which need not be among those that were scored.
            verdicts: Verdicts to list, or kinds of them, such as "boundary", or "all"; by default every error.
            labels: List only spans with one of these labels.

        Returns:
            Rows in the order of the documents: the verdict, and start, end, label and text of both spans.

        Raises:
            ValueError: The documents came from an iterator and are gone, the metric or a
                verdict is unknown, or no span has one of the labels.

        >>> from spacy_nereval import score
        >>> [(row["verdict"], row["gold_label"]) for row in score([["B-PER"]], [["B-LOC"]], ["fair"]).errors()]
        [('le', 'PER')]
        """
        documents = self._listable("errors to list")
        labels = [labels] if isinstance(labels, str) else labels or ()
        listed = error_list(documents, self._metric(metric), errors=verdicts, labels=labels)
        return [verdict.row() for verdict in listed]

    def render(self, document: int | str = 0, metric: str = "fair") -> Rendered:
        """Return one document with its gold spans, its predictions, and a metric's verdict on each.

        Args:
            document: The id of a document, or its number among the annotated ones, from 0: as in the rows of `errors`.
            metric: Name of a metric, which need not be among those that were scored.

        Returns:
            An object that a notebook shows in colours, as displaCy does, and `print` with [gold] and {predicted} marks.

        Raises:
            ValueError: There is no such document or metric, or the documents came from an iterator or a file.

        >>> from spacy_nereval import score
        >>> found = score([[(0, 3, "PER")]], [[(0, 3, "PER"), (8, 11, "LOC")]], ["fair"], text=["Ada met Bob"])
        >>> print(found.render(0))
        document 0: 1 gold span, 2 predicted spans; 1 error (fair)
        [{Ada}]⟨PER⟩ met {Bob}⟨spurious: LOC⟩
        [gold], {predicted}, ⟨label, or error⟩
        """
        annotated = [candidate for candidate in self._listable("documents to show") if candidate is not None]
        by_id = {candidate.id: number for number, candidate in enumerate(annotated) if candidate.id is not None}
        if isinstance(document, str) and document not in by_id:
            raise ValueError(
                describe_unknown(document, by_id)
                if by_id
                else f"documents have no ids: give a number, not {document!r}"
            )
        number = by_id[document] if isinstance(document, str) else document
        if not -len(annotated) <= number < len(annotated):
            raise ValueError(f"there is no document {number}: there are {len(annotated)}, numbered from 0")
        shown, chosen = annotated[number], self._metric(metric)
        listed = error_list(annotated if chosen.resolve else [shown], chosen, errors=["all"])
        verdicts = [item.verdict for item in listed if item.document is shown]
        name = number % len(annotated) if shown.id is None else shown.id
        return Rendered(name, shown, verdicts, chosen)

    def _listable(self, what: str) -> Sequence[Document | None]:
        """Return the documents. Raise ValueError if they are not known."""
        if self._counts is None:
            raise self._unavailable("documents", "score them again")
        self._counts.check_documents(what)
        if self._documents is None:
            raise ValueError(
                "the documents came from an iterator and were not kept: give score a list, such as "
                "score(list(gold), list(pred))"
            )
        return self._documents

    def to_frame(self, table: str = "scores", average: str = "micro") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame; ratios are from 0 to 1, and an interval has columns "low" and "high".

        Args:
            table: "all" for a row per score of every metric, overall (label "") and of each label, with its score key,
                and always with the columns "value low" and "value high";
                or the name of a table for `--tables`. "scores" and "label-scores" have a row
                per metric (and label) with P, R and F; "other-scores" and
                "other-label-scores" have a row per score that is not one of these. "confusion" is the matrix of
                `confusion()`; "confusion-hits" has hits on its diagonal and boundary errors in a column of their
                own, and no rows where it would show nothing else. "documents" has the columns of
                `--per-document`.
            average: The average that overall scores show: "micro", "macro", "weighted" or "docs".

        Returns:
            A row per row of the table, and a column per column.

        Raises:
            ValueError: There is no such table or average, or pandas is not installed.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], ["strict"]).to_frame()[["metric", "F"]].values.tolist()
        [['strict', 1.0]]
        >>> every = score([["B-PER"]], [["B-PER"]], "strict").to_frame("all")
        >>> every[["label", "key", "value"]].values.tolist()[2:4]
        [['', 'strict_f', 1.0], ['PER', 'strict_p', 1.0]]
        """
        if table == "documents":
            return frame(document_rows(self.counts))
        if table not in (table_names := ["all", *ScoreView.makers, *OTHERS]):
            raise ValueError(describe_unknown(table, table_names, "table", 50))
        view = self._view(average, every=table in DETAILED)
        if table == "all":  # bounds are numbers also where none of them is defined
            return table_frame([view.every_row()]).astype(dict.fromkeys(VALUE_BOUNDS, float))
        if table == "headline":  # without the intervals that only people are shown unasked
            headlines = [*headline_tables(view.evaluation)]
            # A score alone is called "value", as in the frames of other scores.
            if headlines and len(headlines[0].header) == 4:
                headlines[0] = headlines[0]._replace(header=[*headlines[0].header[:3], "value"])
            return table_frame(headlines)
        tables = [*View.tables(view, [OTHERS.get(table, table)])]  # without breakdowns
        pairs = (*OTHERS.values(), *OTHERS)
        shown = table_frame(tables[table in OTHERS :][:1] if table in pairs else tables)
        if table == "confusion" and (metric := error_metric(self._metrics)):
            shown = shown.rename_axis(columns=predicted_axis(metric))
        return shown

    def save(self, path: str | Path) -> None:
        """Write the result to a file in the format that the file extension names.

        Args:
            path: `.json` for the whole result; `.npz` for the counts; `.md`, `.tex` or `.csv` for all tables;
                `.html` for the report of `nereval report`, with every document, or for all tables if the
                texts are not known or the documents came from an iterator and were not kept.

        Raises:
            ValueError: The file extension is unknown, or the libraries that draw the report's charts are not installed.
            OSError: The file cannot be written.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], ["strict"]).save(getfixture("tmp_path") / "counts.npz")
        """
        if is_count_file(path):
            save_counts(self.counts, Path(path))
        else:
            super().save(path)

    def _endings(self) -> Sequence[str]:
        return (*super()._endings(), ".npz")

    def _report(self, name: str) -> str | None:
        if self._documents is None:
            return None
        drawn = self.get("confidence")
        settings = drawn and Confidence(
            **{field: drawn[field] for field in Confidence._fields if drawn[field] is not None}
        )
        return page_of([System(name, self.counts, self._documents)], settings)

    def _metric(self, name: str) -> Metric:
        return next((metric for metric in self._metrics if metric.name == name), None) or create(name)

    def _view(self, average: str = "micro", *, every: bool = False) -> ScoreView:
        """Return the view, with examples of errors if `every`."""
        check_average(average)
        metric = error_metric(self._metrics)
        if self._documents is None or metric is None:
            return self._scored(average)
        annotated = [document for document in self._documents if document]
        examples = ErrorExamples(metric)
        groups = None
        if not metric.resolve:
            is_read = all(document.text is not None for document in annotated)
            groups = error_groups(annotated, metric, members=False, by=("surface", "slip") if is_read else ())
        for document in annotated if every else ():
            examples.add(document)
        return ScoreView(self.counts, self, average, examples=examples.first, groups=groups)

    def _scored(self, average: str = "micro") -> ScoreView:
        """Return the view without examples of errors."""
        if self._counts is not None:
            return ScoreView(self.counts, self, average)
        return (RunsView if "runs" in self else ScoreView)(None, self, average, metrics=self._metrics)

    def _parts(
        self, average: str, digits: int, *, every: bool = False
    ) -> tuple[list[str], list[ResultTable], list[str]]:
        before, tables, after = super()._parts(average, digits, every=every)
        before += self._notes
        has_counts = self._counts is not None
        if has_counts:
            gold, pred = labels_before_only(self.counts)
        else:
            gold, pred = (spans_of_labels(self, side) for side in ("gold", "pred"))
        if has_counts:
            warnings = warnings_of(self.counts)
        else:  # each training run has its own warnings, unless the result was read from a file
            warnings = [] if "runs" in self and self._notes else label_lines(gold, pred)
        return warnings + before if have_no_common_label(gold, pred) else before + warnings, tables, after


def page_of(
    systems: Sequence[System],
    confidence: Confidence | None = None,
    asked: Hypotheses | None = None,
    trials: int | None = None,
) -> str | None:
    """Return the HTML page that a feature makes of systems with their documents; None if none can make one."""
    place = next((feature.page for feature in features() if feature.page), None)
    return load_named(place)(systems, confidence, asked, trials) if place else None


class Comparison(Shown):
    """Systems compared with a baseline: a dict, equal to the JSON of `nereval compare`, that you can print and save.

    `compare` makes it.

    >>> from spacy_nereval import compare
    >>> found = compare({"a": [["B-PER"]] * 8, "b": [["B-LOC"]] * 8}, [["B-PER"]] * 8, ["strict"])
    >>> found["baseline"], found["comparisons"][0]["difference"]
    ('a', -1.0)
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        notes: Sequence[str] = (),
        warnings: Sequence[str] = (),
        *,
        systems: Sequence[System] | None = None,
        confidence: Confidence | None = None,
        asked: Hypotheses | None = None,
        trials: int | None = None,
    ) -> None:
        super().__init__(values)
        self._notes, self._warnings = notes, warnings
        self._systems = systems
        self._how = confidence, asked, trials

    def to_frame(self, table: str = "differences") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame.

        Args:
            table: The name of a table for `--tables` of `nereval compare`. "differences" has
                every score of every system, from 0 to 1 if it is a ratio, with its
                interval and p-values.

        Returns:
            A row per row of the table, and a column per column.

        Raises:
            ValueError: There is no such table, or pandas is not installed.

        >>> from spacy_nereval import compare
        >>> found = compare({"a": [["B-PER"]] * 8, "b": [["B-LOC"]] * 8}, [["B-PER"]] * 8, ["strict"])
        >>> found.to_frame().query("score == 'f'")[["system", "baseline_value", "value"]].values.tolist()
        [['b', 1.0, 0.0]]
        """
        view = ComparisonView(self)
        return table_frame([view.every_row()] if table in ("differences", "all-differences") else view.tables([table]))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per score and system: its difference from the baseline, interval and p-values."""
        return [*self["comparisons"]]

    @property
    def headline(self) -> Headline:
        """The difference of the primary score, of the first system: its score key, value, interval and direction."""
        row = next((row for row in self.rows if row["family"] == PRIMARY), self.rows[0])
        low, high = row["interval"] or (None, None)
        bounds = interval_of({"low": low, "high": high, "flag": row["flag"]})
        words = "higher is better" if row["higher_is_better"] else "lower is better"
        name, score = row["metric"], row["score"]
        return Headline(score_key(row) or f"{name}.{score}", row["difference"], bounds, words)

    def _remedy(self, name: object) -> str:
        rows = self.get("comparisons", ())  # without them, asking for them would lead here again
        if any(name == row["system"] for row in rows):
            return f"{name!r} is a system: write c.to_frame().query({f'system == {name!r}'!r})"
        if any(name == row["metric"] for row in rows):
            return f"{name!r} is a metric: write c.to_frame().query({f'metric == {name!r}'!r})"
        return super()._remedy(name)

    def _value_of_line(self, name: object) -> Any:
        """Return a value of the primary score; None if there are several systems, of which one would have to be named.

        >>> from spacy_nereval import compare
        >>> found = compare({"a": [["B-PER"]] * 8, "b": [["B-LOC"]] * 8}, [["B-PER"]] * 8, ["strict"])
        >>> found.difference, found.p_value
        (-1.0, 0.0078125)
        >>> found.significant
        True
        """
        rows = [row for row in self.get("comparisons", ()) if row["family"] == PRIMARY]
        if len(rows) != 1:
            return None
        if name in SIGNIFICANT:
            return rows[0]["p_holm"] is not None and rows[0]["p_holm"] < 1 - self["confidence"]["level"]
        is_p = "p_holm" in self._lines.get(str(name), "")
        return rows[0]["p_holm"] if is_p else super()._value_of_line(name)

    @property
    def conclusion(self) -> str:
        """The sentences on the primary score of each system, as the command prints them."""
        findings = self._view().findings()
        return "\n".join(finding.sentence for finding in findings if finding.section.startswith("headline"))

    _lines: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("p", "p_value", "pvalue"), "c.to_frame().p_holm"),
        **dict.fromkeys(("p_values", "pvalues", "adjusted_p_values"), "c.to_pandas()[['metric', 'score', 'p_value']]"),
        **dict.fromkeys(("difference", "delta", "diff", "value"), "c.headline.value"),
        **dict.fromkeys(("interval", "ci", "confidence_interval"), "c.headline.interval"),
        **{name: f"c.headline.{bound.replace('()', '')}" for name, bound in SCORE_NAMES.items() if "()." in bound},
        **dict.fromkeys(("winner", "best", "verdict", "better"), "print(c.conclusion)"),
        **dict.fromkeys(SIGNIFICANT, "c.p_value < 0.05, or print(c.conclusion)"),
        **dict.fromkeys(("scores", "metrics", "results"), "c.to_frame()"),
        **dict.fromkeys(("errors", "changes", "fixed", "broken"), "c.to_frame('spans')"),
    }
    _kind: ClassVar[str] = "Comparison"
    summarised: ClassVar[Sequence[str]] = ("differences", "slices", "transitions")

    def _view(self, average: str = "micro", *, every: bool = False) -> ComparisonView:
        return ComparisonView(self, self._notes, self._warnings)

    def _report(self, name: str) -> str | None:
        confidence, asked, trials = self._how
        if self._systems is None or asked is None:
            return None
        tested = {
            family: [f"{row['metric']}.{row['score']}" for row in self.rows if row["family"] == family]
            for family in (PRIMARY, SECONDARY)
        }
        asked = asked._replace(primary=tested[PRIMARY][0], secondary=[*dict.fromkeys(tested[SECONDARY])])
        return page_of(self._systems, confidence, asked, trials)


def warnings_of(counts: Counts, system: str = "") -> list[str]:
    """Return warnings of labels that do not occur, or on one side only, and of edges that look odd."""
    labels = label_warnings(*labels_before_only(counts), counts.partners, counts.label_rules, counts.mapped, system)
    return labels + edge_lines(counts.signs, system)


def have_no_common_label(gold: Mapping[str, int], pred: Mapping[str, int]) -> bool:
    """Return whether both sides have spans, but no label in common."""
    golds, preds = ({label for label, number in side.items() if number} for side in (gold, pred))
    return bool(golds and preds) and golds.isdisjoint(preds)


def registered_metrics(metrics: Mapping[str, Any]) -> list[Metric]:
    """Return the metrics of a result, from its JSON.

    Raises:
        ValueError: A metric is not registered here.
    """
    created = []
    for name, described in metrics.items():
        try:
            created.append(create(name, **described.get("settings", {})))
        except (ValueError, OSError):  # such as a lexicon that is not at its place: scores have the same names without
            created.append(create(name))
    return created
