"""Reading `.spacy` files, which `DocBin.to_disk` writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from spacy.lang.xx import MultiLanguage
from spacy.strings import StringStore
from spacy.tokens import Doc, DocBin
from spacy.vocab import create_vocab

from ..io.formats.settings import Format
from ..io.paths import check_is_file, readable
from ..io.records import Record
from .examples import record
from .spacy_blocks import TooManyStrings, blocks, parts_of


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read the Docs of a file as records.

    Args:
        path: The file.
        format: With `format.spans_key`, read `doc.spans[spans_key]` instead of `doc.ents`.

    Yields:
        One record per Doc.

    Raises:
        ValueError: If there is no such file, it is not a `.spacy` file or damaged, or a
            span has no label; names the document.
        OSError: If the file cannot be read.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> doc = nlp.make_doc("Ada sleeps")
    >>> doc.set_ents([doc.char_span(0, 3, "PER")])
    >>> path = getfixture("tmp_path") / "a.spacy"
    >>> DocBin(docs=[doc]).to_disk(path)
    >>> [(found.text, found.spans, found.tokens) for found in read(path)]
    [('Ada sleeps', {(0, 3, 'PER')}, [(0, 3), (4, 10)])]
    """
    for number, doc in enumerate(read_docs(path)):
        try:
            yield record(doc, format.spans_key)
        except ValueError as error:
            raise ValueError(f"{path}, document {number}: {error}") from None


WHOLE = 1 << 20
"""Maximum size in bytes of a file that is read as a whole, which saves a few milliseconds."""


def read_docs(path: Path) -> Iterator[Doc]:
    """Read the Docs of a file, with a vocabulary of their own.

    Args:
        path: The file. Of a large one, only its strings, the words so far and a block of
            documents are in memory.

    Yields:
        The Docs, one at a time.

    Raises:
        ValueError: If there is no such file, it is not a `.spacy` file or damaged, or its
            strings take too much memory.
        OSError: If the file cannot be read.
    """
    check_is_file(path)
    # Without a pipeline: to make one, spaCy would import every installed package that extends it.
    vocab = create_vocab("xx", MultiLanguage.Defaults)
    with readable(path).open("rb") as file:
        if file.read(2) == b"\x1f\x8b":
            raise ValueError(f"{path} is compressed by gzip: unpack it first, with gunzip")
        try:
            bins = _bins(file, vocab.strings)
        except TooManyStrings as error:
            raise ValueError(f"{path} {error}") from None
        except OSError:  # an unreadable file is not a damaged one
            raise
        except Exception:  # a parser of foreign bytes can raise any exception, and all mean the same to the user
            raise ValueError(f"{path} is not a .spacy file; expected a file written by DocBin.to_disk") from None
        docs = chain.from_iterable(found.get_docs(vocab) for found in bins)
        while True:
            try:
                doc = next(docs)
            except StopIteration:
                return
            except OSError:
                raise
            except Exception as error:  # spaCy and msgpack raise many kinds for damaged bytes
                raise ValueError(f"{path} is a damaged .spacy file ({error})") from None
            yield doc


def _bins(file: BinaryIO, strings: StringStore) -> Iterable[DocBin]:
    """Return DocBins of consecutive documents, whose strings are either in them or added to `strings`."""
    if file.seek(0, os.SEEK_END) > WHOLE:
        return blocks(parts_of(file, strings))
    file.seek(0)
    return [DocBin().from_bytes(file.read())]
