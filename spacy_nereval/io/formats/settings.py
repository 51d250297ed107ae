"""How a file is to be read: what every reader is given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...core.mention_places import CASELESS, LEVELS, LISTED, OCCURRENCES

REPAIRS = ("conll", "discard")
PIECES = ("hull", "parts")
CODEPOINT, UTF16, UTF8 = OFFSETS = ("codepoint", "utf16", "utf8")
AUTO_OFFSETS = "auto"

COLUMN_NAME = re.compile(r"[^\W\d_][\w.:-]*")
"""A column that has a name instead of a number."""


class Format(NamedTuple):
    """How to read a file. A reader uses the fields that concern its format.

    Args:
        name: The registered name of the format; None infers it from the path.
        column: CoNLL: the column of the tags, 1 for the first, -1 for the last.
        both: CoNLL: the file has a column of gold tags and one of predicted tags.
            If these are its only columns, it has no words.
        repair: CoNLL: how to read tag sequences that the tagging scheme does not
            allow, one of `REPAIRS`; None makes them errors.
        discontinuous: brat, FairEval: how to read a span in several pieces, one of
            `PIECES`; None makes it an error.
        spans_key: `.spacy`: read `doc.spans[spans_key]` instead of `doc.ents`.
        offsets: Formats with offsets: their unit, one of `OFFSETS`; `AUTO_OFFSETS` for the
            unit that fits the texts of the spans. None for the unit of the format, which is
            characters unless its reader says otherwise; a file that is ambiguous is an error.
        check_text: Formats that repeat the texts of spans: whether a span has to cover that text.
        field: The column, layer, key or type that has the labels, by its name.
        annotator: Formats with several annotators in a file: whose spans are read. None for
            the only one; several are then an error.
        tag_names: Tags that are numbers: their names with commas between them, or the path of a
            JSON file with a list of names or a mapping `id2label`.
        match: JSONL: how mentions without offsets are looked for, one of `LEVELS`.
        occurrences: JSONL: which occurrences of such mentions are spans, one of `OCCURRENCES`.
    """

    name: str | None = None
    column: int = -1
    both: bool = False
    repair: str | None = None
    discontinuous: str | None = None
    spans_key: str | None = None
    offsets: str | None = None
    check_text: bool = True
    match: str = CASELESS
    occurrences: str = LISTED
    field: str | None = None
    annotator: str | None = None
    tag_names: str | None = None


def sides(
    names: Sequence[str] = (),
    column: str | None = None,
    repair: str | None = None,
    discontinuous: str | None = None,
    *,
    offsets: str | None = None,
    check_text: bool = True,
    match: str | None = None,
    occurrences: str | None = None,
    both: bool = False,
    annotator: str | None = None,
    tag_names: str | None = None,
) -> tuple[Format, Format]:
    """Translate command-line options into how to read gold and predictions.

    Args:
        names: No format, one for both sides, or one for gold and one for predictions.
        column: The value of `--column`: a number from 1 up, "last" or a name, or two of
            these with a comma between them, for gold and predictions.
        repair: The value of `--repair`.
        discontinuous: The value of `--discontinuous`.
        offsets: The value of `--offsets`.
        check_text: Whether the texts of spans are checked.
        match: The value of `--match`.
        occurrences: The value of `--occurrences`.
        both: One file has both sides. By default they are its last two columns, as in
            conlleval's input.
        annotator: The value of `--annotator`: a name, or two with a comma between them.
        tag_names: The value of `--tag-names`.

    Returns:
        The format of gold and that of predictions.

    Raises:
        ValueError: If an option has an unknown value.

    >>> gold, pred = sides(["conll"], "3,last", both=True)
    >>> gold.column, pred.column
    (3, -1)
    """
    for option, given, known in (
        ("repair", repair, REPAIRS),
        ("discontinuous", discontinuous, PIECES),
        ("offsets", offsets, (*OFFSETS, AUTO_OFFSETS)),
        ("match", match, LEVELS),
        ("occurrences", occurrences, OCCURRENCES),
    ):
        if given not in (None, *known):
            raise ValueError(f"--{option} {given}: expected one of {', '.join(known)}")
    columns = _columns(column) if column is not None else [-2, -1] if both else [-1]
    named = [name for name in columns if isinstance(name, str)]
    if both and named:
        raise ValueError(
            f"--column {named[0]}: expected 'last' or a number, since columns of CoNLL files have no names"
        )
    if both and len({*columns}) < 2:
        raise ValueError(
            f"--column {column}: a file with gold and predictions has two columns of tags; expected two, as in 3,4"
        )
    annotators = [name.strip() for name in annotator.split(",")] if annotator else [None]
    if len(annotators) > 2 or "" in annotators:
        raise ValueError(f"--annotator {annotator}: expected one name, or two for gold and predictions, as in ann,bob")
    common = Format(
        both=both,
        repair=repair,
        discontinuous=discontinuous,
        offsets=offsets,
        check_text=check_text,
        tag_names=tag_names,
        match=match or CASELESS,
        occurrences=occurrences or LISTED,
    )
    formats = []
    for side in (0, 1):
        chosen = columns[side % len(columns)]
        formats.append(
            common._replace(
                name=(*names, None)[side if len(names) > 1 else 0],
                column=chosen if isinstance(chosen, int) else -1,
                field=chosen if isinstance(chosen, str) else None,
                annotator=annotators[side % len(annotators)],
            )
        )
    return formats[0], formats[1]


def _columns(given: str) -> list[int | str]:
    """Parse the value of `--column`: numbers from 1 up, -1 for "last", or names."""
    found: list[int | str] = []
    for name in (part.strip() for part in given.split(",")):
        if name == "last" or name.isdecimal():
            found.append(-1 if name == "last" else int(name))
        elif COLUMN_NAME.fullmatch(name):
            found.append(name)
        else:
            found.append(0)
    if len(found) > 2 or 0 in found:
        raise ValueError(
            f"--column {given}: expected 'last' or a number from 1 up (or a name, where columns have names), or two of "
            "these for gold and predictions"
        )
    return found


def joined(pieces: list[tuple[int, int]], discontinuous: str | None) -> list[tuple[int, int]]:
    """Return the stretches that replace a span in these pieces.

    Args:
        pieces: The (start, end) of every piece.
        discontinuous: "hull" for one stretch over all pieces, "parts" for each piece.

    Raises:
        ValueError: If there are several pieces and `discontinuous` is None.

    >>> joined([(0, 5), (8, 10)], "hull"), joined([(0, 5), (8, 10)], "parts")
    ([(0, 10)], [(0, 5), (8, 10)])
    """
    if len(pieces) == 1 or discontinuous == "parts":
        return pieces
    if discontinuous == "hull":
        return [(min(start for start, _ in pieces), max(end for _, end in pieces))]
    raise ValueError(
        f"the span is in {len(pieces)} pieces; use --discontinuous hull to read it from its first to its last "
        "character, or --discontinuous parts to read every piece as a span"
    )
