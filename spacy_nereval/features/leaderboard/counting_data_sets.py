"""The function `datasets`, which takes comparisons or their files, and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...api.results import Comparison
from ...api.shown import Shown, table_frame
from .datasets import data_sets, read_comparison, read_comparisons
from .datasets_view import DataSetsView

if TYPE_CHECKING:
    import pandas


class DataSets(Shown):
    """In how many data sets a system is better: a dict, equal to the JSON of `nereval datasets`, to print and save.

    `datasets` makes it.

    >>> from spacy_nereval import compare, datasets
    >>> gold = [["B-PER"], ["B-LOC"]] * 30
    >>> worse = {"news": [["B-PER"]] * 60, "mail": [["B-LOC"]] * 59 + [["O"]]}
    >>> result = datasets({name: compare({"a": pred, "b": gold}, gold, "strict") for name, pred in worse.items()})
    >>> result.least, [row["data_set"] for row in result.rows if row["named"]]
    (2, ['news', 'mail'])
    """

    _kind: ClassVar[str] = "DataSets"
    summarised: ClassVar[Sequence[str]] = DataSetsView.usual

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per data set: the difference there, its interval, and its p-values."""
        return [*self["data_sets"]]

    @property
    def least(self) -> int:
        """The least number of data sets in which the system is better, by the p-values."""
        number: int = self["least"]
        return number

    def to_frame(self, table: str = "data-sets") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame.

        Args:
            table: The name of a table of `nereval datasets`: "data-sets" or "counts".

        Raises:
            ValueError: There is no such table, or pandas is not installed.

        >>> from spacy_nereval import compare, datasets
        >>> gold = [["B-PER"], ["B-LOC"]] * 30
        >>> worse = {"news": [["B-PER"]] * 60, "mail": [["B-LOC"]] * 59 + [["O"]]}
        >>> result = datasets({name: compare({"a": pred, "b": gold}, gold, "strict") for name, pred in worse.items()})
        >>> result.to_frame("counts")["supported"].tolist()
        ['yes', 'yes']
        """
        return table_frame(DataSetsView(self).tables([table]))

    def _view(self, average: str = "micro", *, every: bool = False) -> DataSetsView:
        return DataSetsView(self)

    def _report(self, name: str) -> str | None:
        return None


def datasets(
    comparisons: Mapping[str, Comparison | Mapping[str, Any] | str | Path] | Sequence[str | Path],
    *,
    score: str | None = None,
    system: str | None = None,
    independent: bool = False,
) -> DataSets:
    """Count the data sets in which a system is better than the baseline.

    Args:
        comparisons: The name of each data set, and the comparison there: what `compare` returns, or the path of a JSON
            file that contains it. Alternatively a list of such paths, with data sets named like the files.
        score: The score to count by, METRIC.SCORE or its score key; by default the primary score of the comparisons.
        system: The system to count for, where the comparisons have several besides the baseline.
        independent: Whether the data sets share neither texts nor trained models. Then their p-values are combined by
            Fisher's method, which finds more.

    Returns:
        The count, a row for each data set and the conclusion: a dict with methods that print and save it.

    Raises:
        ValueError: There are fewer than two data sets, or their comparisons are not of the same systems by the same
            score at the same level.
        OSError: A file cannot be read.

    Source: R. Dror et al., Replicability Analysis for Natural Language Processing (2017).

    >>> from spacy_nereval import compare
    >>> gold = [["B-PER"], ["B-LOC"]] * 30
    >>> worse = {"news": [["B-PER"]] * 60, "mail": [["B-LOC"]] * 59 + [["O"]]}
    >>> result = datasets({name: compare({"a": pred, "b": gold}, gold, "strict") for name, pred in worse.items()})
    >>> result.conclusion.partition(": ")[0]
    'b scores better than a in both data sets by strict F'
    """
    if isinstance(comparisons, (str, Path, Comparison)):
        raise ValueError("comparisons: expected those of two or more data sets, {'news': comparison, 'mail': another}")
    if isinstance(comparisons, Mapping):
        results = {
            name: read_comparison(Path(comparison)) if isinstance(comparison, (str, Path)) else comparison
            for name, comparison in comparisons.items()
        }
    else:
        results = read_comparisons([*map(Path, comparisons)])
    return DataSets(data_sets(results, score=score, system=system, independent=independent))
