"""Load a pipeline, and predict with it, one document at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple
from weakref import WeakSet

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import get_package_path, is_package, load_model
from thinc.api import require_gpu

from ..core.messages import spell_argument
from ..core.plugins import import_code
from ..core.spans import Document
from ..io.formats import assign_annotators, check_files, check_span_groups, corpus_files, name_of, named_format, records
from ..io.formats.settings import Format
from ..io.paths import digest, remedy
from ..io.records import Predictions, Record, pair
from ..io.units import UnitRule, units_of
from .examples import doc_record
from .spacy_files import read_docs

BLOCK = 1 << 11
"""Number of documents after which a pipeline forgets the words that are new to it."""

_used: WeakSet[Language] = WeakSet()
"""The pipelines that have predicted a first block."""


def predict(
    model: str | Language,
    data: Path,
    key: str | None = None,
    format: Format = Format(),
    *,
    unit: UnitRule | str | None = None,
) -> Iterator[Document | None]:
    """Read the gold documents of a file and predict on their texts.

    The pipeline tokenises each text itself, as in production. Gold Docs that lack the spaces
    between their tokens are the exception: it gets these tokens, as in spaCy's own
    evaluation. Neither documents nor their words are kept, so memory does not grow with
    the corpus, except by the strings of a `.spacy` file.

    Args:
        model: A pipeline, or its package name or path.
        data: The file or folder of gold spans, in any format.
        key: Score `doc.spans[key]` instead of `doc.ents`; for `.spacy` files only.
        format: How to read the gold spans.
        unit: Which documents are resampled together, as in `read_files`.

    Yields:
        One document per gold text; None if the text or its prediction is not annotated.

    Raises:
        ValueError: If the file cannot be read, if the pipeline predicts nothing under the
            key, or no entities at all, or if a document has no such unit.
        OSError: If a file cannot be read, or there is no such pipeline.
    """
    format = named_format(data, format)
    name = name_of(data, format)
    check_span_groups(key, [data], [name])
    check_files([data], [format])
    assign_annotators([data], [format])
    units = units_of(data, format, unit)
    golds: Iterator[Doc | Record] = (
        chain.from_iterable(map(read_docs, corpus_files(data, format)))
        if name == "spacy"
        else records(data, None, format)
    )
    nlp = load_pipeline(model, model) if isinstance(model, str) else model
    has_key = False  # whether any prediction has the key
    components = f"its components are {', '.join(nlp.pipe_names)}" if nlp.pipe_names else "it has no components"
    predictions = Predictions(
        model if isinstance(model, str) else "the pipeline",
        f"no component sets doc.ents ({components}); add one, such as ner, or score span groups with "
        f"{spell_argument('spans_key', 'KEY')}",
    )
    for number, (predicted, gold) in enumerate(_predict_pairs(nlp, golds)):
        has_key = has_key or key in predicted.spans
        try:
            gold_side = doc_record(gold, key, asked=format.asked) if isinstance(gold, Doc) else gold
            pred_side = doc_record(predicted, key, asked=format.asked)
            skipped = not key and predictions.is_skipped(gold_side, pred_side)
            yield units.assign_unit(None if skipped else pair(gold_side, pred_side), gold_side)
        except ValueError as error:
            raise ValueError(f"{data}, document {number}: {error}") from None
    units.check_end()
    predictions.check_end()
    if key and not has_key:
        raise ValueError(f"the pipeline predicted no spans under the key {key!r} in {data}")


def docs_of_file(path: Path, key: str | None) -> list[Doc] | None:
    """Return the Docs of a `.spacy` file or folder of these; None for another format. For errors see `predict`."""
    format = named_format(path, Format())
    name = name_of(path, format)
    if name != "spacy":
        return None
    check_span_groups(key, [path], [name])
    return [*chain.from_iterable(map(read_docs, corpus_files(path, format)))]


def predict_records(
    nlp: Language, golds: Iterable[Doc | str], key: str | None, asked: Collection[str] = ()
) -> Iterator[Record]:
    """Yield the predictions of a pipeline on the texts of Docs, or on texts, as records.

    Args:
        nlp: The pipeline.
        golds: The gold Docs, or texts.
        key: Predictions are `doc.spans[key]` instead of `doc.ents`.
        asked: The names of attributes that become the labels.

    Raises:
        ValueError: The pipeline predicts nothing under the key.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    >>> [record.spans for record in predict_records(nlp, ["Ada sleeps"], None)]
    [{(0, 3, 'PER')}]
    """
    has_key = False
    sources = (Record(gold, set()) if isinstance(gold, str) else gold for gold in golds)
    for predicted, _ in _predict_pairs(nlp, sources):
        has_key = has_key or key in predicted.spans
        yield doc_record(predicted, key, asked=asked)
    if key and not has_key:
        raise ValueError(f"the pipeline predicted no spans under the key {key!r}")


class Pipeline(NamedTuple):
    """A pipeline that is not loaded yet.

    Args:
        name: Its package name or path.
        code: A Python file to import first.
        gpu_id: The GPU to use, or -1 for the CPU.
        home: The folder that relative paths start from.
    """

    name: str
    code: str | None = None
    gpu_id: int = -1
    home: str = ""

    def digest(self) -> str:
        """Return a hash of all its files and of `code`.

        Raises:
            ValueError: If there is no such pipeline.
        """
        return _digest(self, self._stamp())

    def load(self) -> Language:
        """Return the pipeline, loaded once per process as long as its files do not change.

        Raises:
            ValueError: If it cannot be loaded.
        """
        return _load_cached(self, self._stamp())

    def folder(self) -> Path:
        """Return the folder of its files.

        Raises:
            ValueError: If there is no such pipeline.
        """
        if is_package(self.name):
            return get_package_path(self.name)
        if not (folder := Path(self.home, self.name)).exists():
            raise ValueError(f"there is no model {self.name}, neither a package nor a folder")
        return folder

    def _stamp(self) -> tuple[tuple[str, int, int], ...]:
        """Return the names, sizes and times of all files, which show changes without reading the files."""
        files = [*self.folder().rglob("*"), *([Path(self.home, self.code)] if self.code else [])]
        stats = [(str(file), file.stat()) for file in files]
        return tuple(sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats))


@lru_cache(maxsize=1)
def _digest(pipeline: Pipeline, stamp: tuple[tuple[str, int, int], ...]) -> str:
    code = digest(Path(pipeline.home, pipeline.code)) if pipeline.code else ""
    return f"{digest(pipeline.folder())}{code}"


def load_pipeline(model: str | Path, name: str) -> Language:
    """Load a pipeline.

    Args:
        model: Its folder, or the name of a package.
        name: Its name in errors.

    Raises:
        ValueError: The pipeline cannot be loaded, such as when a file is damaged; names the pipeline and the file.
        OSError: There is no such pipeline, or one of its files is missing.
    """
    try:
        return load_model(model)
    except OSError as error:
        if hint := remedy(Path(model)):
            raise FileNotFoundError(f"the pipeline {name} does not exist{hint}") from error
        raise
    except Exception as error:  # components, and parsers of damaged bytes, can raise any exception
        file = _last_file(error)
        where = f" (its file {file})" if file else ""
        raise ValueError(f"the model {name} cannot be loaded{where}: {type(error).__name__}: {error}") from None


def _last_file(error: Exception) -> Path | None:
    """Return the file that was in use when an error was raised: the last local variable that is a path of a file."""
    last = None
    step = error.__traceback__
    while step:
        files = [value for value in step.tb_frame.f_locals.values() if isinstance(value, Path) and value.is_file()]
        last = files[-1] if files else last
        step = step.tb_next
    return last


@lru_cache(maxsize=1)
def _load_cached(pipeline: Pipeline, stamp: tuple[tuple[str, int, int], ...]) -> Language:
    try:
        if pipeline.gpu_id >= 0:
            require_gpu(pipeline.gpu_id)
        if pipeline.code:
            import_code(Path(pipeline.home, pipeline.code))
    except Exception as error:  # the user's code can raise any exception
        raise ValueError(f"the model {pipeline.name} cannot be loaded: {type(error).__name__}: {error}") from None
    try:
        return load_pipeline(pipeline.folder(), pipeline.name)
    except OSError as error:
        raise ValueError(f"the model {pipeline.name} cannot be loaded: {type(error).__name__}: {error}") from None


def _predict_pairs(nlp: Language, golds: Iterable[Doc | Record]) -> Iterator[tuple[Doc, Doc | Record]]:
    """Yield predictions with their gold side. A prediction is valid until the next one is requested."""
    remaining = iter(golds)
    for first in remaining:
        block = chain([first], islice(remaining, BLOCK - 1))
        # The words of the first block are kept, because components may keep references to them
        # when they are first used. Memory zones must not be nested; if the caller opened one, the
        # words are forgotten at its end.
        keep = nlp not in _used or nlp.vocab.in_memory_zone  # type: ignore[attr-defined]  # spaCy's stub of Vocab lacks it
        with nullcontext() if keep else nlp.memory_zone():
            yield from nlp.pipe(((_blank_doc(nlp, gold), gold) for gold in block), as_tuples=True)
        _used.add(nlp)


def _blank_doc(nlp: Language, gold: Doc | Record) -> Doc:
    if isinstance(gold, Record) or not gold.has_unknown_spaces:
        return nlp.make_doc(gold.text)
    return Doc(nlp.vocab, words=[t.text for t in gold], spaces=[bool(t.whitespace_) for t in gold])
