"""`.spacy` files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin

from ..io.records import Record
from .examples import record


def read(path: Path, key: str | None = None) -> Iterator[Record]:
    """A record of each Doc: of `doc.ents`, or with a key of `doc.spans[key]`."""
    for number, doc in enumerate(read_docs(path)):
        try:
            yield record(doc, key)
        except ValueError as error:
            raise ValueError(f"{path}, document {number}: {error}") from None


def read_docs(path: Path) -> Iterator[Doc]:
    """The Docs of a `.spacy` file."""
    if not path.is_file():
        raise ValueError(f"{path} is not there, or is no file")
    data = path.read_bytes()  # an unreadable file is not a damaged one
    try:
        docs = iter(DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab))
        del data  # what is compressed is of no more use
    except Exception:  # whatever a parser of foreign bytes raises means the same to the user
        raise ValueError(f"{path} is not a .spacy file, as DocBin.to_disk writes them") from None
    while True:
        try:
            doc = next(docs)
        except StopIteration:
            return
        except Exception as error:
            raise ValueError(f"{path} is a damaged .spacy file ({error})") from None
        yield doc
