"""Several annotators, in one file or in a folder with a file per annotator of a document: which of them is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...core.messages import listed, named, shortened
from .contents import files_in
from .settings import Format


class Annotators:
    """The annotators of the documents of a file, and the one who is read.

    A file that several annotators share is read as it is, if each document has one of
    them. A document with several annotations is ambiguous, so one annotator has to be chosen.

    Args:
        path: The file, for errors.
        wanted: The value of `--annotator`.

    >>> found = Annotators("a.json", None)
    >>> found.see("1", "ann")
    >>> found.see("1", "bob")
    >>> found.check()
    Traceback (most recent call last):
    ValueError: a.json: document 1 has 2 annotations, by ann, bob; choose an annotator with annotator=: ann, bob
    """

    def __init__(self, path: Path | str, wanted: str | None) -> None:
        self._path = path
        self._wanted = wanted
        self._names: dict[str, None] = {}
        self.of: dict[str, list[str]] = {}

    @property
    def names(self) -> list[str]:
        """All annotators, in the order in which they occur."""
        return [*self._names]

    def see(self, document: str, name: str, *, annotated: bool = True) -> None:
        """Take an annotation of a document into account; `annotated` is false if the annotator rejected it."""
        self._names[name] = None
        if annotated:
            self.of.setdefault(document, []).append(name)

    def check(self) -> None:
        """Check that every document has at most one annotation of the annotator who is read.

        Raises:
            ValueError: The annotator has none at all, or a document has several.
        """
        if self._wanted is not None and self._wanted not in self._names:
            known = f"; there are {listed([*self._names], 20)}" if self._names else "; the file names no annotator"
            raise ValueError(f"{self._path}: there is no annotator {shortened(self._wanted)!r}{known}")
        for document, names in self.of.items():
            mine = [name for name in names if self._wanted in (None, name)]
            if len(mine) < 2:
                continue
            remedy = f"choose an annotator with {named('annotator')}: {listed([*self._names], 20)}"
            if len({*mine}) == 1:
                remedy = "keep one of them"
            raise ValueError(
                f"{self._path}: document {shortened(document)} has {len(mine)} annotations, by {listed(mine)}; {remedy}"
            )

    def reads(self, name: str) -> bool:
        """Return whether the annotations of an annotator are read."""
        return self._wanted in (None, name)


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
