"""brat's standoff: a folder with a `.txt` and an `.ann` file for each document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ...core.spans import checked_span
from ..records import Record
from .settings import Format, joined, lines

SPAN = re.compile(r"T[^\t]*\t(\S+) (\d+ \d+(?:;\d+ \d+)*)\t([^\t]*)")
"""A line of an `.ann` file: its name, the label and the offsets, the text; brat allows a comment behind."""


def is_collection(path: Path) -> bool:
    """Whether there are `.ann` files in a folder, or in a folder in it."""
    return any(_files(path, ".ann"))


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """A record of each document in a folder and the folders in it, in the order of their names.

    The id is the path within the folder, without the ending, so that two
    folders can be compared by names. Only the lines of text-bound annotations,
    T1, T2, ..., are read. Offsets count the characters of the `.txt` file, line
    ends and a byte order mark included. As in brat, a text without an `.ann`
    file is not annotated, and one with an empty file has no spans.

    Raises ValueError, naming the line, for a span whose text is not that of the
    `.txt` file, white space aside, and for a span in pieces, unless `format`
    says what is to be made of it; and for an `.ann` file without a text.
    """
    if not path.is_dir():
        raise ValueError(f"{path} is no folder of .txt and .ann files")
    texts, annotations = _files(path, ".txt"), _files(path, ".ann")
    for id in sorted({*texts, *annotations}):
        if id not in texts:
            raise ValueError(f"{annotations[id]} has no text: there is no {Path(id).name}.txt beside it")
        text = _text(texts[id])
        spans = _spans(annotations[id], text, format) if id in annotations else set()
        yield Record(text, spans, id=id, annotated=id in annotations)


def _files(path: Path, ending: str) -> dict[str, Path]:
    """The files with that ending by their ids; hidden ones are none of the user's."""
    return {
        file.relative_to(path).with_suffix("").as_posix(): file
        for file in path.rglob(f"*{ending}")
        if not file.name.startswith(".")
    }


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: not valid in UTF-8 ({error})") from None


def _spans(path: Path, text: str, format: Format) -> set[tuple[int, int, str]]:
    spans = set()
    for number, line in lines(path):
        if not line.startswith("T"):
            continue
        try:
            spans.update(_pieces(line, text, format))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    return spans


def _pieces(line: str, text: str, format: Format) -> list[tuple[int, int, str]]:
    if not (found := SPAN.match(line)):
        raise ValueError("'T1', a tab, 'LABEL 0 5', a tab, and the text from 0 to 5 were wanted")
    label, offsets, shown = found.groups()
    pieces = []
    for piece in offsets.split(";"):
        start, end = map(int, piece.split())
        pieces.append(checked_span(line.split("\t")[0], (start, end, label), len(text))[:2])
    covered = " ".join(text[start:end] for start, end in pieces)
    if covered.split() != shown.split():
        raise ValueError(f"the text at {offsets} is {_short(covered)}, and not {_short(shown)}")
    return [(start, end, label) for start, end in joined(pieces, format.discontinuous)]


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
