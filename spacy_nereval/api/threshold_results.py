"""What `thresholds` returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.cuts import Cuts, cut
from ..core.declaration import Metric
from ..core.spans import Document
from ..evaluation.error_list import error_list
from ..evaluation.resampling import Confidence
from ..evaluation.result import plain
from ..evaluation.thresholds.applying import applied
from ..evaluation.thresholds.inputs import Settings
from ..evaluation.thresholds.parts import finite
from ..evaluation.thresholds.result import Found
from ..evaluation.thresholds.rows import columns, curve_rows
from ..io.cut_files import save_cuts
from ..io.writing import write_rows
from ..metrics.registry import create
from ..reporting.result_table import ResultTable
from ..reporting.threshold_lines import story_lines, warning_lines
from ..reporting.thresholds import TABLES, USUAL, Thresholded, threshold_tables
from .documents import Items, documents_of
from .shown import Shown, frame, table_frame
from .words import in_python

if TYPE_CHECKING:
    import pandas


class Thresholds(Shown):
    """Curves over the scores of predictions: a dict, equal to the JSON of `nereval thresholds`.

    `thresholds` makes it. It has the methods of a `Result` that print and save it.

    >>> from spacy_nereval import thresholds
    >>> gold = [[(0, 3, "PER"), (8, 11, "PER")]]
    >>> pred = [[{"start": 0, "end": 3, "label": "PER", "score": 0.9},
    ...          {"start": 4, "end": 7, "label": "PER", "score": 0.4}]]
    >>> found = thresholds(gold, pred, ["strict"])
    >>> found.best["cut"], round(found.best["value"], 4), found.cuts.keeps("PER", 0.4)
    (0.9, 0.6667, False)
    """

    def __init__(self, found: Found, settings: Settings, items: Items, notes: Sequence[str] = ()) -> None:
        super().__init__(found.values)
        self._found, self._settings, self._items, self._notes = found, settings, items, notes
        self._others: Sequence[Document | None] = ()

    @property
    def best(self) -> dict[str, Any]:
        """The best cut: "cut" (None keeps nothing), "value", "no_cut", "labels" with a cut for each label."""
        best: dict[str, Any] = self["best"]
        return best

    @property
    def cuts(self) -> Cuts:
        """The cuts, which tell whether a prediction is kept. Raise ValueError if the score is undefined."""
        if self._found.cuts is None:
            raise ValueError(f"there is no best cut: {self.best['reason']}")
        return self._found.cuts

    def apply(
        self,
        gold: Iterable[Any],
        pred: Any,
        confidence: Confidence | None = None,
        *,
        text: Iterable[str | None] | None = None,
        tokens: Iterable[Any] | None = None,
    ) -> Thresholds:
        """Return the same result with what the best cut is worth on other documents, under "applied".

        Intervals hold the cut fixed. "own_best" is the best cut of the other documents, which is not
        available in practice.

        Args:
            gold, pred: Other documents, as `thresholds` takes them. They are read, and their labels changed,
                as those on which the cut was chosen.
            confidence: The settings of intervals.
            text, tokens: As for `thresholds`.

        Returns:
            A new result. Its "applied" has the score at the cut, "value", "low" and "high", and "gain", the
            difference from no cut.

        Raises:
            ValueError: As for `thresholds`.

        >>> from spacy_nereval import thresholds
        >>> gold, pred = [[(0, 3, "PER")]], [[{"start": 0, "end": 3, "label": "PER", "score": 0.9}]]
        >>> thresholds(gold, pred, ["strict"]).apply(gold, pred)["applied"]["value"]
        1.0
        """
        others, _, _ = documents_of(gold, pred, self._items._replace(text=text, tokens=tokens))
        try:
            values = applied(others, self._metrics, self.cuts, self._settings, confidence, self["per_type"])
        except ValueError as error:
            raise ValueError(in_python(str(error))) from None
        new = Thresholds(self._found, self._settings, self._items, self._notes)
        new["applied"], new._others = values, others
        return new

    def curve(self, metric: str | None = None, label: str | None = None) -> dict[str, list[Any]]:
        """Return a whole curve.

        Args:
            metric: The name of a metric; by default that of the best cut.
            label: A label; by default all of them.

        Returns:
            "cut", from the highest, None where nothing is kept; "kept", the number of predictions of all
            labels that are kept; and each score, None where it is undefined.

        Raises:
            ValueError: There is no such metric or label.

        >>> from spacy_nereval import thresholds
        >>> found = thresholds([[(0, 3, "A")]], [[{"start": 0, "end": 3, "label": "A", "score": 0.9}]], ["strict"])
        >>> found.curve()["cut"], found.curve()["f"]
        ([None, 0.9], [0.0, 1.0])
        """
        curves = self._found.curves
        name = metric or self.best["score"].partition(".")[0]
        chosen = next((each for each in curves.metrics if each.name == name), None)
        if chosen is None:
            raise ValueError(
                f"there is no metric {name!r}; there are {', '.join(each.name for each in curves.metrics)}"
            )
        if label is not None and label not in curves.labels:
            raise ValueError(f"there is no label {label!r}; there are {', '.join(curves.labels) or 'none'}")
        at, scores = (slice(None), curves.overall(chosen)) if label is None else curves.of_label(chosen, label)
        kinds = chosen.scores if label is None else chosen.label_scores
        shown = {score.name: scores[score.name] for score in kinds if score.unit != "count"}
        cuts = [finite(value) for value in curves.cuts[at].tolist()]
        return {"cut": cuts, **plain({"kept": curves.kept[at], **shown})}

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
        chosen = next((own for own in self._metrics if own.name == metric), None) or create(metric)
        kept = [*cut(self._found.documents, self.cuts, self._settings.missing_score)]
        return [found.row() for found in error_list(kept, chosen, errors=verdicts, labels=labels or ())]

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
        if table not in TABLES:
            raise ValueError(f"there is no table {table!r}; there are {', '.join(TABLES)}")
        if table == "curves":
            return frame(curve_rows(self._found.curves), columns(self._metrics))
        return table_frame(TABLES[table](self._given))

    def save(self, path: str | Path) -> None:
        """Write the result to a file in the format that the file extension names.

        Args:
            path: `.json` for the result; `.csv` for every score at every cut; `.html` for a page with the cuts
                and charts of the curves, which opens without a network; `.md` or `.tex` for the tables.
                A name that ends with `.cut.json` gets the cut file that `--cut` reads.

        Raises:
            ValueError: The file extension is unknown, there is no best cut for a cut file, or the libraries that draw
                charts are not installed.
            OSError: The file cannot be written.

        >>> from spacy_nereval import thresholds
        >>> found = thresholds([[(0, 3, "A")]], [[{"start": 0, "end": 3, "label": "A", "score": 0.9}]], ["strict"])
        >>> found.save(getfixture("tmp_path") / "best.cut.json")
        """
        path = Path(path)
        if path.name.endswith(".cut.json"):
            save_cuts(path, self.cuts)
        elif path.suffix == ".csv":
            write_rows(path, curve_rows(self._found.curves), header=columns(self._metrics))
        else:
            super().save(path)

    @property
    def _metrics(self) -> tuple[Metric, ...]:
        return self._found.curves.metrics

    @property
    def _given(self) -> Thresholded:
        return Thresholded(self, self._metrics)

    def _parts(
        self, average: str, digits: int, *, every: bool = False
    ) -> tuple[list[str], list[ResultTable], list[str]]:
        return self._before(), self._tables(average, digits, every=every), self._after()

    def _tables(self, average: str, digits: int, *, every: bool) -> list[ResultTable]:
        return [*threshold_tables(self._given, [*TABLES] if every else USUAL, digits=digits)]

    def _before(self) -> list[str]:
        return [*story_lines(self._given), *warning_lines(self._given), *self._notes]

    def _after(self) -> list[str]:
        return [self.signature]

    def _report(self, name: str) -> str | None:
        from ..reporting.html.thresholds.page import ScoredSystem, thresholds_page

        system = ScoredSystem(name, self._found._replace(values=dict(self)), self._others)
        return thresholds_page([system], self._settings, golds=["these documents", "other documents"])
