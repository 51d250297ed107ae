"""Several annotators in one file: which of them is read."""

from __future__ import annotations

from pathlib import Path

from ...core.messages import listed, named, shortened


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
