"""Predictions of a pipeline, one document at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple
from weakref import WeakSet

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import get_package_path, import_file, is_package, load_model
from thinc.api import require_gpu

from ..core.spans import Document
from ..io.formats import Format, name_of, records
from ..io.paths import digest
from ..io.records import Record, pair
from .examples import read, record
from .spacy_files import read_docs

FORGOTTEN = 1 << 11
"""Documents after which a pipeline forgets the words that it had not known before."""

_used: WeakSet[Language] = WeakSet()
"""The pipelines that have predicted so many documents, or all that there were."""


def predict(
    model: str | Language, data: Path, key: str | None = None, format: Format = Format()
) -> Iterator[Document | None]:
    """The gold documents of a file with what a pipeline predicts on their texts.

    The pipeline tokenises the text itself, as in use, unless the gold tokens are
    Docs and the spaces between them unknown: then it gets these tokens, as in
    spaCy's own evaluation. No document is kept, nor are its words: memory does
    not grow with the corpus, beyond a `.spacy` file itself.
    """
    docs = name_of(data, format) == "spacy"
    if key and not docs:
        raise ValueError(f"span groups such as {key!r} are read from .spacy files; {data} has none")
    golds: Iterator[Doc | Record] = read_docs(data) if docs else records(data, None, format)
    nlp = load_model(model) if isinstance(model, str) else model
    found = False  # the key, in any prediction
    for number, (predicted, gold) in enumerate(_predicted(nlp, golds)):
        found = found or key in predicted.spans
        try:
            yield read(gold, predicted, key) if isinstance(gold, Doc) else pair(gold, record(predicted))
        except ValueError as error:
            raise ValueError(f"{data}, document {number}: {error}") from None
    if key and not found:
        raise ValueError(f"the pipeline predicted no spans under {key!r} in {data}")


class Pipeline(NamedTuple):
    """A pipeline by its name or path, with what it needs to be loaded, seen from the folder `home`."""

    name: str
    code: str | None = None
    gpu_id: int = -1
    home: str = ""

    def digest(self) -> str:
        """A hash of all its files. Raises ValueError if there are none."""
        return _digest(self, self._stamp())

    def loaded(self) -> Language:
        """The pipeline, loaded once in a process for as long as its files stay as they are.

        Raises ValueError if it cannot be loaded.
        """
        return _loaded(self, self._stamp())

    def _folder(self) -> Path:
        if is_package(self.name):
            return get_package_path(self.name)
        if not (folder := Path(self.home, self.name)).exists():
            raise ValueError(f"there is no model {self.name}, neither a package nor a folder")
        return folder

    def _stamp(self) -> tuple[tuple[str, int, int], ...]:
        """What is cheap to know and changes with the files."""
        files = [*self._folder().rglob("*"), *([Path(self.home, self.code)] if self.code else [])]
        stats = [(str(file), file.stat()) for file in files]
        return tuple(sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats))


@lru_cache(maxsize=1)
def _digest(pipeline: Pipeline, stamp: tuple[tuple[str, int, int], ...]) -> str:
    code = digest(Path(pipeline.home, pipeline.code)) if pipeline.code else ""
    return f"{digest(pipeline._folder())}{code}"


@lru_cache(maxsize=1)
def _loaded(pipeline: Pipeline, stamp: tuple[tuple[str, int, int], ...]) -> Language:
    try:
        if pipeline.gpu_id >= 0:
            require_gpu(pipeline.gpu_id)
        if pipeline.code:
            import_file("python_code", Path(pipeline.home, pipeline.code))
        return load_model(pipeline._folder())
    except Exception as error:  # whatever its components raise
        raise ValueError(f"the model {pipeline.name} cannot be loaded: {type(error).__name__}: {error}") from None


def _predicted(nlp: Language, golds: Iterable[Doc | Record]) -> Iterator[tuple[Doc, Doc | Record]]:
    """Predictions beside what they are predicted for. A prediction can be read until the next one is asked for."""
    coming = iter(golds)
    for first in coming:
        some = chain([first], islice(coming, FORGOTTEN - 1))
        # A pipeline's first documents are not forgotten: what components note down when they
        # are first used may be for good. Zones must not be nested, and whoever opened one
        # around this forgets at its end.
        keep = nlp not in _used or nlp.vocab.in_memory_zone  # type: ignore[attr-defined]  # spaCy's stub of Vocab lacks it
        with nullcontext() if keep else nlp.memory_zone():
            yield from nlp.pipe(((_unannotated(nlp, gold), gold) for gold in some), as_tuples=True)
        _used.add(nlp)


def _unannotated(nlp: Language, gold: Doc | Record) -> Doc:
    if isinstance(gold, Record) or not gold.has_unknown_spaces:
        return nlp.make_doc(gold.text)
    return Doc(nlp.vocab, words=[t.text for t in gold], spaces=[bool(t.whitespace_) for t in gold])
