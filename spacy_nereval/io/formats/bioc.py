"""BioC, as XML or JSON: documents of passages, with annotations that have offsets in the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...core.attribute_values import Attributes, attribute_value, sort_attributes
from ...core.compression import Damaged
from ...core.expansion import TooLarge
from ...core.keys import describe_keys
from ...core.messages import PlainSpan, shorten, spell_argument
from ..paths import check_is_file, open_input
from ..records import Record
from .contents import START, check_is_text, check_xml, documents_in, json_values, missing_package
from .settings import Format, Misfit, assemble_text, document_files, fit_span, locate_error, spans_of_pieces

KIND = "type"
"""The infon that has the label."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read the documents of a collection.

    The text of a document has its passages, or their sentences, at their offsets, with white
    space between them. Annotations have offsets in the document; if that does not fit their texts, and
    offsets in their passage or sentence do, they have these.

    Args:
        path: A file, or a folder of files.
        format: `format.field` names the infon with the labels, by default `type`;
            `format.discontinuous` says how to read annotations with several locations,
            `format.offsets` the unit of offsets, `format.check_text` whether the texts of
            annotations are checked.

    Yields:
        One record per document.

    Raises:
        ValueError: If bioc is not installed; if there is no such file; if it is malformed or
            defines entities; if an annotation has no label or differs from the text.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.xml"
    >>> mark = '<annotation><infon key="type">PER</infon><location offset="0" length="3"/><text>Ada</text></annotation>'
    >>> passage = f"<passage><offset>0</offset><text>Ada met</text>{mark}</passage>"
    >>> _ = path.write_text(f"<collection><document><id>1</id>{passage}</document></collection>")
    >>> [(record.id, record.text, record.spans) for record in read(path)]
    [('1', 'Ada met', {(0, 3, 'PER')})]
    """
    format = format._replace(end=None)  # lengths say where annotations end
    for file in document_files(path, (".xml", ".json"), format):
        for number, document in enumerate(_documents(file.path)):
            where = f"{file.path}, document {document.id if document.id else number}"
            try:
                yield file.annotated_record(_record(document, format))
            except (TypeError, AttributeError) as error:
                raise ValueError(f"{where}: not valid BioC ({error})") from None
            except ValueError as error:
                raise locate_error(error, where) from None


def _documents(path: Path) -> Iterator[Any]:
    try:
        from bioc.biocxml.decoder import BioCXMLDocumentReader
    except ImportError:
        raise missing_package("bio", "bioc") from None
    check_is_file(path)
    with open_input(path) as content:
        start = content.read(START)
        check_is_text(path, start)
        is_json = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
        content.seek(0)
        if not is_json:
            check_xml(path, content)
    try:
        if is_json:
            from bioc.biocjson.decoder import parse_collection

            for _, value in json_values(path):
                documents = [value] if (inside := documents_in(value)) is None else inside
                if not all(isinstance(item, dict) and "passages" in item for item in documents):
                    raise ValueError(
                        f"expected documents with passages; {describe_keys(value)}; name the keys of other "
                        f"JSON with {spell_argument('keys', 'text=KEY,...')}"
                    )
                collection = {"source": "", "date": "", "key": "", "infons": {}, "documents": documents}
                yield from parse_collection(collection).documents
            return
        with open_input(path) as content:
            yield from BioCXMLDocumentReader(content)
    except (GeneratorExit, Damaged, TooLarge):
        raise
    except Exception as error:  # bioc and lxml raise many kinds for damaged files
        message = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        if isinstance(error, KeyError):
            message = f"there is no {error}; name the keys of other JSON with {spell_argument('keys', 'text=KEY,...')}"
        raise ValueError(f"{path}: not valid BioC ({shorten(message, 200)})") from None


def _record(document: Any, format: Format) -> Record:
    passages = [piece for passage in document.passages for piece in _pieces(passage)]
    text = assemble_text(sorted(passages), format)
    spans: list[PlainSpan] = []
    listed: list[Attributes] = []
    sentences = [sentence for passage in document.passages for sentence in passage.sentences]
    containers = [document, *document.passages, *sentences]
    try:
        for container in containers:
            for each in container.annotations:
                spans += _spans(each, text, format)
                listed += [_attributes(each, format)] * (len(spans) - len(listed))
    except Misfit as error:  # INCEpTION writes offsets in the sentence; the texts of annotations decide
        spans, listed = [], []
        try:
            for container in containers:
                start = getattr(container, "offset", 0)
                for each in container.annotations:
                    spans += _spans(each, text, format, start)
                    listed += [_attributes(each, format)] * (len(spans) - len(listed))
        except ValueError:
            raise error from None
    others = sum(len(container.relations) for container in containers)
    id = None if document.id in ("", None) else str(document.id)
    return Record.deduplicate(text, spans, id=id, others=others, listed_attributes=listed)


def _attributes(annotation: Any, format: Format) -> Attributes:
    """Return the infons of an annotation, other than its label."""
    label = format.field or KIND
    return sort_attributes((key, attribute_value(value)) for key, value in annotation.infons.items() if key != label)


def _pieces(passage: Any) -> Iterable[tuple[int, str]]:
    """Return the offset and the text of a passage, or of its sentences."""
    texts = [passage] if passage.text else passage.sentences
    pieces = [(part.offset, part.text or "") for part in texts]
    for offset, text in pieces:
        if type(offset) is not int or offset < 0 or not isinstance(text, str):
            raise ValueError(f"a passage has the offset {shorten(repr(offset))}; expected a number from 0 up")
    return pieces


def _spans(annotation: Any, text: str, format: Format, begin: int = 0) -> list[PlainSpan]:
    """Return the spans of an annotation, with offsets relative to `begin`."""
    name = f"annotation {shorten(str(annotation.id))}"
    key = format.field or KIND
    label = annotation.infons.get(key)
    if not label:
        keys = shorten(", ".join(annotation.infons))
        raise ValueError(
            f"{name} has no infon {key!r} with its label; choose one with {spell_argument('column')}: {keys}"
        )
    if not annotation.locations:
        raise ValueError(f"{name} has no location")
    starts = [begin + location.offset for location in annotation.locations]
    pieces = [(start, start + place.length, label) for start, place in zip(starts, annotation.locations)]
    surface = annotation.text if len(pieces) == 1 else None
    places = [fit_span(f"{name},", piece, text, format, surface)[:2] for piece in pieces]
    return [(start, end, label) for start, end in spans_of_pieces(places, format.discontinuous, text)]
