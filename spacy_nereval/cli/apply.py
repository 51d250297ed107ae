"""`nereval apply`: corrections that reviewers decided on a report, in new gold annotation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..core import arguments
from ..core.arguments import Reading
from .app import command
from .command_options import Showing
from .convert import DROP, LANG, read_annotation, write_told
from .printing import names_of_tables, print_view


@command("apply")
def apply_cli(
    reading: Reading,
    showing: Showing,
    gold: Path = Argument(..., help="Gold annotation that the report was made of, in any format"),
    marks: list[Path] = Argument(..., help="Marks that the report saved as JSON lines, of one or several reviewers"),
    output: Path = Option(
        ...,
        "--output",
        "-o",
        help="File for the new gold annotation, .spacy, .jsonl, .conll, .iob or .parquet, or a folder for brat's files",
    ),
    conflicts: Annotated[str, arguments.CONFLICTS] = arguments.REFUSE,
    drop: bool = DROP,
    lang: str = LANG,
) -> None:
    """
    Write gold annotation with the corrections that reviewers decided on a report.
    What is not decided stays as it is.

    Marks are found again by a digest of the document, so those that were made on
    other gold annotation are refused, and so are corrections that lie outside of the
    text or make spans overlap. Read gold with the options that the report was made with.

    The marks of several reviewers are joined. Where they decide different things, nothing
    is written, unless '--conflicts keep' leaves gold as it is there.
    """
    from ..io.corrections import corrected
    from ..io.marks import read_marks
    from ..reporting.correction_view import CorrectionView

    wanted = names_of_tables(showing, CorrectionView)
    found = corrected(read_annotation(gold, output, reading), read_marks(marks), conflicts)
    written = write_told(output, found.records, gold, reading, drop=drop, lang=lang)
    print_view(CorrectionView(found.result, [written]), wanted, showing, found.result["signature"])
