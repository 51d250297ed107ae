"""What people see of a result, before any format: named tables and named findings.

Terminal, Markdown, LaTeX, CSV, pages, notebooks and frames are made of a `View`, and of nothing else. So a number is
computed and rounded once, and a sentence is worded once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ..core.messages import describe_unknown
from .remarks import left_out_lines
from .result_table import ResultTable


class Finding(NamedTuple):
    """A sentence on a result.

    Attributes:
        section: What it is about, the name of a section of the page: "headline" for the first one.
        sentence: The finding, without a full stop at its end.
        documents: The names of the documents that it is about; empty if it is about all of them.
        is_named: Whether it begins with a name, whose letters stay as they are.
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


Makers = Mapping[str, Callable[[Any], Iterable[ResultTable]]]
"""Names of tables, and what makes the tables of each name of a view."""


class View(ABC):
    """The tables and sentences of one result. Each kind of result has a subclass.

    Attributes:
        result: What is shown, or its JSON.
        makers: The values of `--tables`: the name of each table, and the method or function that makes it.
        at_terminal: The names of the tables that a terminal shows by default.
        usual: The names of the tables that other formats show by default.
    """

    result: Mapping[str, Any]
    makers: ClassVar[Makers]
    at_terminal: ClassVar[Sequence[str]]
    usual: ClassVar[Sequence[str]]

    def tables(self, wanted: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
        """Yield tables.

        Args:
            wanted: Their names, keys of `makers`.
            digits: Decimal places of numbers that are not whole.

        Raises:
            ValueError: There is no such table.
        """
        for name in wanted:
            if name not in self.makers:
                raise ValueError(describe_unknown(name, self.makers, "table", 50))
            for table in self.makers[name](self):
                yield table._replace(digits=digits)

    @abstractmethod
    def findings(self) -> Sequence[Finding]:
        """Return what the result shows, the most important first. No two are about the same section."""

    @abstractmethod
    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the lines before the tables. Those of `left_out` are the last.

        Args:
            digits: Decimal places of numbers that are not whole.
            more: What shows more, if anything does.
        """

    @property
    def left_out(self) -> list[str]:
        """A line on each metric that is not scored though a set has it, with the reason."""
        return left_out_lines(self.result.get("left_out", {}))

    @abstractmethod
    def closing(self) -> list[str]:
        """Return the lines after the tables: what the numbers rest on, and warnings."""
