"""How a file is to be read: what every reader is given."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...core.arguments import CASELESS, LISTED, Reading, checked
from ...core.messages import named

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
            allow, "conll" or "discard"; None makes them errors.
        discontinuous: brat, FairEval: how to read a span in several pieces, one of
            `arguments.PIECES`; None makes it an error.
        spans_key: `.spacy`: read `doc.spans[spans_key]` instead of `doc.ents`.
        offsets: Formats with offsets: their unit, one of `arguments.OFFSETS`; "auto" for the
            unit that fits the texts of the spans. None for the unit of the format, which is
            characters unless its reader says otherwise; a file that is ambiguous is an error.
        check_text: Formats that repeat the texts of spans: whether a span has to cover that text.
        field: The column, layer, key or type that has the labels, by its name.
        annotator: Formats with several annotators in a file: whose spans are read. None for
            the only one; several are then an error.
        tag_names: Tags that are numbers: their names with commas between them, or the path of a
            JSON file with a list of names or a mapping `id2label`.
        match: JSONL: how mentions without offsets are looked for, one of `mentions.LEVELS`.
        occurrences: JSONL: which occurrences of such mentions are spans, one of `mentions.OCCURRENCES`.
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


def sides(reading: Reading, *, both: bool = False) -> tuple[Format, Format]:
    """Return how to read gold and predictions.

    Args:
        reading: How annotation is read; `format`, `column` and `annotator` may have a value for each side, with a comma
            between them.
        both: One file has both sides. By default they are its last two columns, as in
            conlleval's input.

    Returns:
        The format of gold and that of predictions.

    Raises:
        ValueError: If an argument has an unknown value.

    >>> gold, pred = sides(Reading(format="conll", column="3,last"), both=True)
    >>> gold.column, pred.column
    (3, -1)
    """
    checked(reading)
    column, annotator = reading.column, reading.annotator
    columns = _columns(column) if column is not None else [-2, -1] if both else [-1]
    by_name = [name for name in columns if isinstance(name, str)]
    if both and by_name:
        raise ValueError(
            f"{named('column', by_name[0])}: expected 'last' or a number, since columns of CoNLL files have no names"
        )
    if both and len({*columns}) < 2:
        raise ValueError(
            f"{named('column', column)}: a file with gold and predictions has two columns of tags; expected two, as in "
            "3,4"
        )
    annotators = [name.strip() for name in annotator.split(",")] if annotator else [None]
    if len(annotators) > 2 or "" in annotators:
        raise ValueError(
            f"{named('annotator', annotator)}: expected one name, or two for gold and predictions, as in ann,bob"
        )
    formats = reading.format.split(",") if reading.format else [None]
    gold, pred = (
        Format(
            name=formats[side % len(formats)],
            column=chosen if isinstance(chosen, int) else -1,
            field=chosen if isinstance(chosen, str) else None,
            annotator=annotators[side % len(annotators)],
            both=both,
            repair=None if reading.repair == "error" else reading.repair,
            discontinuous=reading.discontinuous,
            offsets=reading.offsets,
            check_text=reading.check_text,
            tag_names=reading.tag_names,
            match=reading.match,
            occurrences=reading.occurrences,
        )
        for side, chosen in enumerate((columns[0], columns[-1]))
    )
    return gold, pred


def _columns(given: str | int) -> list[int | str]:
    """Parse the columns of an argument: numbers from 1 up, -1 for "last", or names."""
    found: list[int | str] = []
    for name in (part.strip() for part in str(given).split(",")):
        if name == "last" or name.isdecimal():
            found.append(-1 if name == "last" else int(name))
        elif COLUMN_NAME.fullmatch(name):
            found.append(name)
        else:
            found.append(0)
    if len(found) > 2 or 0 in found:
        raise ValueError(
            f"{named('column', given)}: expected 'last' or a number from 1 up (or a name, where columns have names), "
            "or two of these for gold and predictions"
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
        f"the span is in {len(pieces)} pieces; use {named('discontinuous', 'hull')} to read it from its first to its "
        f"last character, or {named('discontinuous', 'parts')} to read every piece as a span"
    )
