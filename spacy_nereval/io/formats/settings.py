"""What is said of a file besides its name, and the little that formats share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

REPAIRS = ("conll", "discard")
PIECES = ("hull", "parts")


class Format(NamedTuple):
    """How a file is to be read.

    name: the format; without one the ending of the file tells.
    column: CoNLL: the column of the labels, 1 for the first, -1 for the last.
    both: CoNLL: the file has a column of gold and one of predicted labels, so
        that one with two columns has no words.
    repair: CoNLL: how sequences of tags that their scheme does not allow are
        mended; without it they are errors.
    discontinuous: brat, FairEval: what is made of a span in pieces; without it
        it is an error.
    """

    name: str | None = None
    column: int = -1
    both: bool = False
    repair: str | None = None
    discontinuous: str | None = None


def sides(
    names: Sequence[str] = (),
    column: str | None = None,
    repair: str | None = None,
    discontinuous: str | None = None,
    *,
    both: bool = False,
) -> tuple[Format, Format]:
    """How gold and predictions are to be read, from options as people write them.

    One name or column is for both sides, two are for gold and predictions. With
    `both` one file has the two of them, by default in its last columns, as
    conlleval has them.

    >>> gold, pred = sides(["conll"], "3,last", both=True)
    >>> gold.column, pred.column
    (3, -1)

    Raises ValueError for an option that is not known.
    """
    for option, given, known in (("repair", repair, REPAIRS), ("discontinuous", discontinuous, PIECES)):
        if given not in (None, *known):
            raise ValueError(f"--{option} {given}: one of {', '.join(known)} was wanted")
    columns = _columns(column) if column is not None else [-2, -1] if both else [-1]
    if both and len({*columns}) < 2:
        raise ValueError(f"--column {column}: a file with both sides has two columns of labels, as in --column 3,4")
    found = [
        Format((*names, None)[side if len(names) > 1 else 0], columns[side % len(columns)], both, repair, discontinuous)
        for side in (0, 1)
    ]
    return found[0], found[1]


def _columns(given: str) -> list[int]:
    listed = [name.strip() for name in given.split(",")]
    numbers = [-1 if name == "last" else int(name) if name.isdecimal() else 0 for name in listed]
    if len(numbers) > 2 or 0 in numbers:
        raise ValueError(f"--column {given}: 'last' or a number from 1 up was wanted, or two for gold and predictions")
    return numbers


def joined(pieces: list[tuple[int, int]], discontinuous: str | None) -> list[tuple[int, int]]:
    """What is to be made of a span in these pieces.

    >>> joined([(0, 5), (8, 10)], "hull"), joined([(0, 5), (8, 10)], "parts")
    ([(0, 10)], [(0, 5), (8, 10)])

    Raises ValueError for more than one piece if nothing is said of them.
    """
    if len(pieces) == 1 or discontinuous == "parts":
        return pieces
    if discontinuous == "hull":
        return [(min(start for start, _ in pieces), max(end for _, end in pieces))]
    raise ValueError(
        f"the span is in {len(pieces)} pieces; --discontinuous hull reads it from the first to the last, "
        "--discontinuous parts every piece as a span"
    )


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers, without line ends and byte order mark."""
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is no file")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise ValueError(f"{path}, line {number}: not valid in UTF-8 ({error})") from None
