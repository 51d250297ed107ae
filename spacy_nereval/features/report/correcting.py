"""`apply` in Python, and the result that it returns: which gold spans change, how, and which places stay undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...api.inputs import ItemReading, not_known, reading_of_items, records_of_sides, with_item_reading
from ...api.shown import Shown, table_frame
from ...api.sides import Side, read_if_path
from ...core.arguments import REFUSE, side_reading
from ...core.labels import rules_of
from ...core.messages import many
from ...io.records import Record, apply_label_rules
from ...io.writing import visible
from ...reporting.marked_text import clip
from ...reporting.result_table import Cell, ResultTable
from ...reporting.view import Finding, Makers, View
from .corrections import GOLD_WRONG, VERDICTS, correct_gold, read_marks

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

MOST = 50
"""Maximum number of places in a table."""

LONGEST = 40
"""Maximum number of characters of a span in a table."""

Row = Mapping[str, Any]


class CorrectionView(View):
    """The tables and sentences of corrections.

    Args:
        result: The result of `corrections.correct_gold`, or its JSON.
        notes: Sentences on the output.
    """

    at_terminal: ClassVar[Sequence[str]] = ("changes", "conflicts", "undecided")
    usual: ClassVar[Sequence[str]] = at_terminal

    def __init__(self, result: Mapping[str, Any], notes: Sequence[str] = ()) -> None:
        self.result = result
        self._notes = notes

    # Tables

    def changes(self) -> Iterator[ResultTable]:
        """Yield each gold span that changes, before and after."""
        rows: list[list[Cell]] = [
            [
                str(row["document"]),
                row["change"],
                _span(row["before"]),
                _spans(row["after"]),
                row["reason"] or None,
                row["note"] or None,
            ]
            for row in self.result["changes"]
        ]
        yield ResultTable("Changes", ["document", "change", "before", "after", "reason", "note"], rows, most=MOST)

    def kinds(self) -> Iterator[ResultTable]:
        """Yield how many gold spans change in each way, with each label."""
        numbers = Counter((row["change"], row["before"]["label"] if row["before"] else None) for row in self._changes)
        rows: list[list[Cell]] = [[change, label, n] for (change, label), n in numbers.most_common()]
        yield ResultTable("Kinds of changes", ["change", "label before", "spans"], rows)

    def contested_places(self) -> Iterator[ResultTable]:
        """Yield the places on which marks disagree."""
        yield self._places("Places on which marks disagree", "conflicts")

    def undecided_places(self) -> Iterator[ResultTable]:
        """Yield the places at which a reviewer finds gold wrong and gives no correction."""
        yield self._places("Wrong gold annotation without a correction", "undecided")

    makers: ClassVar[Makers] = {
        "changes": changes,
        "conflicts": contested_places,
        "undecided": undecided_places,
        "kinds": kinds,
    }

    def _places(self, title: str, name: str) -> ResultTable:
        rows: list[list[Cell]] = [
            [
                str(row["document"]),
                _span(row["before"]),
                "; ".join(row["said"]),
                row["note"] or None,
                ", ".join(row["where"]),
            ]
            for row in self.result[name]
        ]
        return ResultTable(title, ["document", "gold", "said", "note", "marks"], rows, most=MOST)

    # Sentences

    @property
    def _changes(self) -> Sequence[Row]:
        rows: Sequence[Row] = self.result["changes"]
        return rows

    def headline(self) -> str:
        """Return the number of corrections of each kind, in one line.

        >>> result = {"changes": [], "documents": 3, "spans": {"before": 7, "after": 7}}
        >>> CorrectionView(result).headline()
        'No gold span changes: 7 spans in 3 documents'
        """
        spans, documents = self.result["spans"], many(self.result["documents"], "document")
        if not self._changes:
            return f"No gold span changes: {many(spans['after'], 'span')} in {documents}"
        kinds = Counter(row["change"] for row in self._changes).most_common()
        parts = ", ".join(f"{change} {n:,}" for change, n in kinds)
        changed_documents = len({row["document"] for row in self._changes})
        return (
            f"{many(len(self._changes), 'correction')} in {changed_documents:,} of {documents} ({parts}): "
            f"{many(spans['before'], 'gold span')} before, {spans['after']:,} after"
        )

    def findings(self) -> list[Finding]:
        """Return the headline."""
        return [Finding("headline", self.headline())]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the numbers of changes and of marks."""
        marks = self.result["marks"]
        parts = ", ".join(f"{mark} {marks[mark]:,}" for mark in VERDICTS if marks[mark])
        return [self.headline(), f"Marks on {many(marks['places'], 'place')}{parts and f': {parts}'}", *self._notes]

    def closing(self) -> list[str]:
        """Return at how many places gold stays as it is although a reviewer finds it wrong."""
        lines = [
            f"Gold stays as it is on {many(len(self.result[name]), 'place')} {why}"
            for name, why in (
                ("conflicts", "on which marks disagree"),
                ("undecided", f"marked as {GOLD_WRONG!r} without a correction"),
            )
            if self.result[name]
        ]
        return [visible(line) for line in lines]


def _span(span: Row | None) -> str:
    if span is None:
        return "none"
    return f"{span['label']} {clip(span['text'], LONGEST)} ({span['start']}–{span['end']})"


def _spans(spans: Sequence[Row]) -> str:
    return "; ".join(map(_span, spans)) or "none"


class Corrections(Shown):
    """Gold annotation with its corrections: a dict of the changes, with methods that print them and write the new gold.

    `apply` makes it. It has the items

    - `documents`, the number of documents, and `spans`, the number of gold spans `before` and `after`;
    - `marks`: on how many `places` there are marks, and each mark;
    - `changes`: a row per gold span that changes or is added, with `document`, `before`, `change` in words, the spans
      `after`, `reason` and `note`;
    - `conflicts` and `undecided`: the places on which marks disagree, or that are wrong in gold without a correction;
    - `signature`, which has the digests of gold before and after.

    >>> from spacy_nereval import apply
    >>> gold = [{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "LOC"}]}]
    >>> mark = {"digest": "e35c1749c675", "gold": gold[0]["spans"][0], "mark": "gold wrong", "decided": []}
    >>> corrected = apply(gold, [mark])
    >>> corrected.changes[0]["change"], corrected.gold[0].spans
    ('removed', [])
    """

    _kind: ClassVar[str] = "Corrections"
    summarised: ClassVar[Sequence[str]] = ("changes", "conflicts", "undecided")

    def __init__(self, values: Mapping[str, Any], records: Sequence[Record] | None = None) -> None:
        super().__init__(values)
        self._records = records

    @property
    def gold(self) -> list[Record]:
        """The documents with their new gold spans, as `load` returns them and `score` takes them.

        Raises:
            ValueError: The result was read from a JSON file.
        """
        if self._records is None:
            raise self._unavailable("documents", "call apply(gold, marks)")
        return [record._replace(spans=sorted(record.spans)) for record in self._records]

    @property
    def changes(self) -> list[dict[str, Any]]:
        """A row per gold span that changes or is added."""
        return [*self["changes"]]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The same as `changes`."""
        return self.changes

    def to_frame(self, table: str = "changes") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame.

        Args:
            table: The name of a table for `--tables` of `nereval apply`: "changes", "conflicts", "undecided" or
                "kinds".

        Raises:
            ValueError: There is no such table, or pandas is not installed.

        >>> from spacy_nereval import apply
        >>> len(apply([{"text": "Ada sleeps", "spans": []}], []).to_frame())
        0
        """
        return table_frame(self._view().tables([table]))

    def write(
        self,
        path: str | Path,
        *,
        spans_key: str | None = None,
        drop: bool = False,
        lang: str = "xx",
        align: str | None = None,
    ) -> list[str]:
        """Write the new gold annotation, as `nereval convert` writes it.

        Args:
            path: A file .spacy, .jsonl, .conll or .iob, or a folder for brat's files.
            spans_key: `.spacy`: write to `doc.spans[spans_key]`, where spans may overlap, instead of `doc.ents`.
            drop: Drop spans that the format cannot store.
            lang: Language of the spaCy tokenizer for texts without tokens.
            align: The treatment of spans that do not fit the tokens of the file: "expand" or "contract" them.

        Returns:
            A sentence for everything that was dropped or aligned.

        Raises:
            ValueError: The path names no format, or the format cannot store a span; or the result was read from a JSON
                file.
            OSError: The file cannot be written.

        >>> from spacy_nereval import apply, load
        >>> gold = [{"text": "Ada sleeps", "spans": []}]
        >>> apply(gold, []).write(getfixture("tmp_path") / "new.jsonl")
        []
        """
        from ...integration.spacy_files import write_annotation

        return write_annotation(Path(path), self.gold, key=spans_key, lang=lang, drop=drop, align=align).left_out

    def _view(self, average: str = "micro", *, every: bool = False) -> CorrectionView:
        return CorrectionView(self)

    def _report(self, name: str) -> str | None:
        return None


@with_item_reading
def apply(
    gold: Iterable[Any] | str | Path,
    marks: str | Path | Mapping[str, Any] | Iterable[Any],
    *,
    conflicts: str = REFUSE,
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Corrections:
    """Return gold annotation with the corrections that reviewers decided on a report.

    Args:
        gold: The gold annotation that the report was made of, as `score` takes it.
        marks: The file that the report saved as JSON lines, or a list of such files or of their lines as dicts.
        conflicts: The treatment of contradicting marks: "refuse" all of them, or "keep" the gold annotation.
        text, tokens, scheme, repair, end, spans_key, labels, only, label_from, depth, sep, match, occurrences,
            tag_names, offsets, keys, match_text: As for `score`, and as they were when the report was made.
        outside, trim, join, missing_tokens: As for `score`, of gold annotation.

    Returns:
        The changes, with the new gold annotation: a dict with methods that print and write it; see `Corrections`.

    Raises:
        ValueError: The marks were made on other gold annotation, disagree, or make spans overlap; an argument cannot be
            used; the texts are not known.
        OSError: A file cannot be read.

    >>> from spacy_nereval import apply
    >>> gold = [{"text": "Ada in Rome", "spans": [{"start": 0, "end": 3, "label": "PER"}]}]
    >>> new = {"start": 7, "end": 11, "label": "LOC"}
    >>> mark = {"digest": "03b9b1890b74", "gold": None, "pred": new, "mark": "gold wrong", "decided": [new]}
    >>> apply(gold, [mark]).gold[0].spans
    [(0, 3, 'PER'), (7, 11, 'LOC')]
    """
    reading = reading_of_items(**options)
    text, tokens = (None if value is None else [*value] for value in (text, tokens))
    records = records_of_sides(
        {"gold": Side([*read_if_path(gold, "gold", reading)], "gold", side_reading(reading, 0))}, text, tokens, reading
    )["gold"]
    if any(side_record.base is not None for side_record in records):
        raise ValueError(not_known("texts", "text", "text"))
    rules = rules_of(reading)
    name = str(gold) if isinstance(gold, (str, Path)) else "gold"
    corrected = correct_gold(
        (apply_label_rules(side_record.record, rules) for side_record in records), read_marks(marks), conflicts, name
    )
    return Corrections(corrected.result, corrected.records)
