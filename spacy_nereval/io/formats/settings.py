"""How a file is to be read: what every reader is given, and which of several annotators is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...core.arguments import CASELESS, LISTED, Reading, checked
from ...core.compression import uncompressed
from ...core.messages import absent, listed, named, shortened
from .contents import files_in

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
        both: One file has both sides. `column` gives the names of their keys or columns, or their numbers; by default
            they are its last two columns, as in conlleval's input.

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
    if both and (len({*columns}) < 2 or len(by_name) == 1):
        raise ValueError(
            f"{named('column', column)}: a file with gold and predictions has two columns or keys; expected the "
            "numbers of both, as in 3,4, or the names, as in gold,pred"
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
            raise ValueError(f"{self._path}: {absent(self._wanted, self._names, 'annotator', 20)}")
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
        if inside.parent.suffix and uncompressed(file).stem != INITIAL:
            annotators.see(inside.parent.as_posix(), uncompressed(file).stem)
            documents.setdefault(inside.parent.as_posix(), []).append((uncompressed(file).stem, file))
        elif not inside.parent.suffix:
            documents.setdefault(uncompressed(inside).with_suffix("").as_posix(), []).append((None, file))
    return annotators, documents
