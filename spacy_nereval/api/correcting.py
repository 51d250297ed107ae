"""`apply`: corrections that reviewers decided on a report, for whatever gold annotation a user has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.arguments import REFUSE
from ..core.labels import rules_of
from ..io.corrections import corrected
from ..io.marks import read_marks
from ..io.records import Record, with_labels
from ..reporting.correction_view import CorrectionView
from .agreeing import annotated
from .inputs import ItemReading, not_known, reading_of_items, with_item_reading
from .shown import Shown, table_frame
from .sides import Side, of_file

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


class Corrections(Shown):
    """Gold annotation with its corrections: a dict that says what changed, with methods that print it and write gold.

    `apply` makes it. It has the items

    - `documents`, the number of documents, and `spans`, the number of gold spans `before` and `after`;
    - `marks`: on how many `places` there are marks, and each mark;
    - `changes`: a row per gold span that changes or is added, with `document`, `before`, `change` in words, the spans
      `after`, `reason` and `note`;
    - `conflicts` and `undecided`: the places on which marks disagree, or say that gold is wrong without a correction;
    - `signature`, which has the digests of gold before and after.

    >>> from spacy_nereval import apply
    >>> gold = [{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "LOC"}]}]
    >>> mark = {"digest": "e35c1749c675", "gold": gold[0]["spans"][0], "mark": "gold wrong", "decided": []}
    >>> found = apply(gold, [mark])
    >>> found.changes[0]["change"], found.gold[0].spans
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
            raise self._gone("documents", "call apply(gold, marks)")
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
        self, path: str | Path, *, spans_key: str | None = None, drop: bool = False, lang: str = "xx"
    ) -> list[str]:
        """Write the new gold annotation, as `nereval convert` writes it.

        Args:
            path: A file .spacy, .jsonl, .conll or .iob, or a folder for brat's files.
            spans_key: `.spacy`: write to `doc.spans[spans_key]`, where spans may overlap, instead of `doc.ents`.
            drop: Leave out spans that the format cannot hold.
            lang: Language whose tokenizer of spaCy finds the tokens of texts without tokens.

        Returns:
            A sentence for everything that was left out.

        Raises:
            ValueError: The path names no format, or the format cannot hold a span; or the result was read from a JSON
                file.
            OSError: The file cannot be written.

        >>> from spacy_nereval import apply, load
        >>> gold = [{"text": "Ada sleeps", "spans": []}]
        >>> apply(gold, []).write(getfixture("tmp_path") / "new.jsonl")
        []
        """
        from ..integration.written_annotation import write_annotation

        return write_annotation(Path(path), self.gold, key=spans_key, lang=lang, drop=drop).left_out

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
        conflicts: What to do where marks decide different things: "refuse" all of them, or "keep" gold as it is there.
        text, tokens, scheme, repair, end, spans_key, labels, only, depth, sep, match, occurrences, tag_names, offsets:
            As for `score`, and as they were when the report was made.

    Returns:
        What changed, with the new gold annotation: a dict with methods that print and write it; see `Corrections`.

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
    how = reading_of_items(**options)
    text, tokens = (None if value is None else [*value] for value in (text, tokens))
    own = annotated({"gold": Side([*of_file(gold, "gold", how)], "gold", how)}, text, tokens, how)["gold"]
    if any(each.base is not None for each in own):
        raise ValueError(not_known("texts", "text", "text"))
    rules = rules_of(how)
    name = str(gold) if isinstance(gold, (str, Path)) else "gold"
    found = corrected((with_labels(each.record, rules) for each in own), read_marks(marks), conflicts, name)
    return Corrections(found.result, found.records)
