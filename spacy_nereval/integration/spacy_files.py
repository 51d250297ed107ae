"""Reading `.spacy` files, which `DocBin.to_disk` writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spacy.lang.xx import MultiLanguage
from spacy.tokens import Doc, DocBin
from spacy.vocab import create_vocab

from ..io.formats.settings import Format
from ..io.paths import check_is_file, readable
from ..io.records import Record
from .examples import record


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


def read_docs(path: Path) -> Iterator[Doc]:
    """Read the Docs of a file, with a vocabulary of their own.

    Args:
        path: The file. The whole file is in memory, but not all Docs.

    Yields:
        The Docs, one at a time.

    Raises:
        ValueError: If there is no such file, or it is not a `.spacy` file or damaged.
        OSError: If the file cannot be read.
    """
    check_is_file(path)
    data = readable(path).read_bytes()  # outside of `try`: an unreadable file is not a damaged one
    if data.startswith(b"\x1f\x8b"):
        raise ValueError(f"{path} is compressed by gzip: unpack it first, with gunzip")
    # Without a pipeline: to make one, spaCy would import every installed package that extends it.
    vocab = create_vocab("xx", MultiLanguage.Defaults)
    try:
        docs = iter(DocBin().from_bytes(data).get_docs(vocab))
        del data  # only the uncompressed data are needed from here
    except Exception:  # a parser of foreign bytes can raise any exception, and all mean the same to the user
        raise ValueError(f"{path} is not a .spacy file; expected a file written by DocBin.to_disk") from None
    while True:
        try:
            doc = next(docs)
        except StopIteration:
            return
        except Exception as error:  # spaCy and msgpack raise many kinds for damaged bytes
            raise ValueError(f"{path} is a damaged .spacy file ({error})") from None
        yield doc
