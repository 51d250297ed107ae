"""The base of all views: the named tables and the findings of a result, before they are formatted.

Every output (terminal, Markdown, LaTeX, CSV, pages, notebooks, data frames) is made from a `View` alone. So every
number is rounded once and every sentence is worded once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ..core.messages import describe_unknown
from .figures import Figure
from .remarks import omission_lines
from .result_table import ResultTable


class Finding(NamedTuple):
    """A sentence on a result.

    Attributes:
        section: The section of the page that it is about; "headline" for the first one.
        sentence: The finding, without a full stop.
        documents: The names of the documents that it is about; empty for all of them.
        is_named: Whether the sentence begins with a name, which keeps its case.
    """

    section: str
    sentence: str
    documents: Sequence[str | int] = ()
    is_named: bool = False

    @property
    def heading(self) -> str:
        """The sentence with a capital letter.

        >>> Finding("errors", "no errors").heading, Finding("labels", "dna scores lowest", is_named=True).heading
        ('No errors', 'dna scores lowest')
        """
        return self.sentence if self.is_named else f"{self.sentence[:1].upper()}{self.sentence[1:]}"


Figures = Mapping[str, Callable[[Any], Figure]]
"""Names of figures to the functions that make them from a view. Without a name, the first one is drawn."""

Makers = Mapping[str, Callable[[Any], Iterable[ResultTable]]]
"""Names of tables to the functions that make them from a view."""


class View(ABC):
    """The tables and sentences of one result. Each kind of result has a subclass.

    Attributes:
        result: The result, or its JSON.
        makers: The values of `--tables`, each with the method or function that makes the tables of this name.
        at_terminal: The names of the tables at a terminal by default.
        usual: The names of the tables in other formats by default.
        needs: The names of tables that have rows only with an argument, each with its name.
        figures: The names of the figures, each with the method or function that makes it.
    """

    result: Mapping[str, Any]
    makers: ClassVar[Makers]
    at_terminal: ClassVar[Sequence[str]]
    usual: ClassVar[Sequence[str]]
    needs: ClassVar[Mapping[str, str]] = {}
    figures: ClassVar[Figures] = {}

    def figure(self, name: str | None = None) -> Figure:
        """Return a figure, by default the first one.

        Raises:
            ValueError: There is no such figure, or it would show nothing.
        """
        chosen = next(iter(self.figures), "") if name is None else name
        if chosen not in self.figures:
            raise ValueError(describe_unknown(chosen, self.figures, "figure", 50))
        return self.figures[chosen](self)

    def tables(self, names: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
        """Yield tables.

        Args:
            names: Their names, keys of `makers`.
            digits: Decimal places of numbers that are not whole.

        Raises:
            ValueError: There is no such table.
        """
        for name in names:
            if name not in self.makers:
                raise ValueError(describe_unknown(name, self.makers, "table", 50))
            for table in self.makers[name](self):
                yield table._replace(digits=digits)

    @abstractmethod
    def findings(self) -> Sequence[Finding]:
        """Return the findings, the most important first, at most one about each section."""

    @abstractmethod
    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the lines before the tables. Those of `omissions` are the last.

        Args:
            digits: Decimal places of numbers that are not whole.
            more: A hint at options that show more; "" for none.
        """

    @property
    def omissions(self) -> list[str]:
        """A line on each metric of a set that is not scored, with the reason."""
        return omission_lines(self.result.get("left_out", {}))

    @abstractmethod
    def closing(self) -> list[str]:
        """Return the lines after the tables: the basis of the numbers, and warnings."""
