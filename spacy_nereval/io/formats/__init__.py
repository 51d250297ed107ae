"""How annotation is read: a module per format, each with `read`, which yields `Record`s one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..records import Record
from . import brat, conll, faireval, jsonl
from .settings import Format

READERS: dict[str, Callable[[Path, Format], Iterator[Record]]] = {
    "jsonl": jsonl.read,
    "conll": conll.read,
    "brat": brat.read,
    "faireval": faireval.read,
}
"""All formats but `.spacy` files, which alone have span groups."""

ENDINGS = {
    ".spacy": "spacy",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".conll": "conll",
    ".iob": "conll",
    ".bio": "conll",
    ".tsv": "conll",
    ".csv": "faireval",
}


def name_of(path: Path, format: Format = Format()) -> str:
    """The name of a path's format: the one given, or else what its ending says.

    >>> name_of(Path("a.NDJSON")), name_of(Path("a.txt"), Format("conll"))
    ('jsonl', 'conll')

    Raises ValueError if neither says anything.
    """
    if format.name:
        return format.name
    if brat.is_collection(path):
        return "brat"
    if path.suffix.lower() in ENDINGS:
        return ENDINGS[path.suffix.lower()]
    what = f"{path} is a folder without .ann files" if path.is_dir() else f"the ending of {path} is not known"
    names = ("spacy", *READERS)
    raise ValueError(
        f"{what}; known are {', '.join(ENDINGS)}, and folders of .ann and .txt files; "
        f"anything else takes --format, one of {', '.join(names)}"
    )


def records(path: Path, key: str | None = None, format: Format = Format()) -> Iterator[Record]:
    """The records of one file or folder. `key` reads `doc.spans[key]` of a `.spacy` file instead of `doc.ents`.

    Raises ValueError or OSError, naming the file and the line or document, for
    whatever cannot be read.
    """
    name = name_of(path, format)
    if name == "spacy":
        from ...integration import spacy_files

        return spacy_files.read(path, key)
    return READERS[name](path, format)
