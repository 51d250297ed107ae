"""Folders with a document per file, and with a file per annotator of a document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .annotators import Annotators
from .settings import Format, files_in

INITIAL = "INITIAL_CAS"
"""The name of the file in which INCEpTION exports a document before anybody annotated it."""


class Part(NamedTuple):
    """A file of a folder.

    Args:
        path: The file.
        id: The id of its document; None for a file that is given itself.
        annotated: Whether it is the annotation that is read; otherwise it only has the text.
    """

    path: Path
    id: str | None = None
    annotated: bool = True


def parts(path: Path, endings: tuple[str, ...], format: Format) -> Iterator[Part]:
    """Yield the file of each document in a folder and its subfolders, in the order of their names.

    The id of a document is its path in the folder without the extension. In an export of
    INCEpTION or WebAnno, a document is itself a folder, such as `a.txt/`, with a file per annotator.

    Args:
        path: A file, which is yielded as it is, or a folder.
        endings: The extensions of the files.
        format: `format.annotator` chooses the annotator.

    Raises:
        ValueError: The folder has no such file, or a document has several annotators and
            none is chosen.
    """
    if not path.is_dir():
        yield Part(path)
        return
    annotators, documents = annotators_of(path, endings, format)
    if not documents:
        raise ValueError(f"{path} is a folder without {' or '.join(endings)} files")
    if annotators.of or format.annotator:
        annotators.check()
    for id, files in documents.items():
        mine = [file for name, file in files if name is None or annotators.reads(name)]
        yield Part(mine[0] if mine else files[0][1], id, bool(mine))


def annotators_of(
    path: Path, endings: tuple[str, ...], format: Format
) -> tuple[Annotators, dict[str, list[tuple[str | None, Path]]]]:
    """Return the annotators of a folder, and the files of each document with their annotators."""
    annotators = Annotators(path, format.annotator)
    documents: dict[str, list[tuple[str | None, Path]]] = {}
    for file in sorted(file for ending in endings for file in files_in(path, ending)):
        inside = file.relative_to(path)
        if inside.parent.suffix and file.stem != INITIAL:
            annotators.see(inside.parent.as_posix(), file.stem)
            documents.setdefault(inside.parent.as_posix(), []).append((file.stem, file))
        elif not inside.parent.suffix:
            documents.setdefault(inside.with_suffix("").as_posix(), []).append((None, file))
    return annotators, documents
