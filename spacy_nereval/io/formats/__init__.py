"""Input formats: find the format of a file, and its reader.

A reader is a function `(path, format) -> Iterator[Record]`. It yields one record per
document, does not load the file into memory, and raises ValueError that names the file and
the line or document. It is registered in the entry-point group `spacy_nereval_readers`.

To add a format, write one module with such a function and add one line to `setup.cfg`.
Users then name the format with `--format NAME`. A row in `ENDINGS` infers it from the
file extension.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from glob import glob, has_magic
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

import catalogue

from ...core.compression import EXTENSIONS, format_extension, strip_compression
from ...core.keys import MENTIONS, SPAN_LISTS, TEXTS, describe_keys, first_value
from ...core.messages import SHOW, describe_error, shorten, spell_argument
from ...core.plugins import builtin_names, list_names, load_function, load_registered, readers
from ..paths import check_is_file, files_under, open_input, readable_file
from ..records import Record
from ..saved_results import kind_of, loading_hint
from ..tables import EXTENSIONS as TABLES
from .contents import documents_in, files_in, json_values
from .settings import ELEMENTS, Format, read_with_fitting_offsets

Reader = Callable[[Path, Format], Iterator[Record]]

AUTO = "auto"
"""The format name for a format that is to be inferred."""

ENDINGS = {
    ".spacy": "spacy",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".conll": "conll",
    ".iob": "conll",
    ".bio": "conll",
    **dict.fromkeys((".iob2", ".bio2", ".bmes", ".bioes"), "conll"),
    ".tsv": "conll",
    ".csv": "faireval",
    ".xmi": "xmi",
    ".conllu": "conllu",
    ".conllup": "conllu",
    ".pubtator": "pubtator",
    ".sgm": "sgml",
    ".sgml": "sgml",
    ".name": "sgml",
    **dict.fromkeys(TABLES, "parquet"),
}
"""The format of each file extension, unless the content shows another one (see `detect_format`). Folders with
`.ann` files are in brat's format."""

JSON = (".json", ".jsonl", ".ndjson")
"""The file extensions of JSON, which several formats share."""

FOLDERS = ("webanno", "xmi", "sgml", "bioc")
"""Formats with one document per file, so that whole folders can be read."""

IN_FOLDERS = (".tsv", ".xmi", ".zip", ".sgm", ".sgml", ".name", ".xml", ".txt")
"""File extensions that show the format of a folder. Others, such as .json, are common in folders of models."""

UNREAD = {
    **dict.fromkeys(
        EXTENSIONS,
        "expected the extension of a text format before it, as in a.jsonl.gz; unpack a .spacy, .parquet or .zip file",
    ),
    ".npz": "a count file has no texts and no spans: give the files that it was counted from",
}
"""Extensions of files that cannot be read, and the remedy."""


MOST_SEARCHED = 10_000
"""Number of files in a folder that are searched for annotation: a folder by mistake may be a whole disk."""


def infer_format(path: Path) -> str | None:
    """Infer the format of a file from its extension and content, or of a folder from its files.

    Args:
        path: A file or folder. A file need not exist.

    Returns:
        The name of the format; None if it cannot be inferred.

    >>> infer_format(Path("a.NDJSON")), infer_format(Path("a.txt"))
    ('jsonl', None)
    """
    if path.is_dir():
        files = [*islice(files_in(path, ""), MOST_SEARCHED)]
        if any(strip_compression(file).suffix == ".ann" for file in files):
            return "brat"
        inside = sorted(file for file in files if format_extension(file) in IN_FOLDERS)
        if (name := next((name for name in map(infer_format, inside) if name in FOLDERS), None)) is None:
            _check_all_searched(path, files)
        return name
    return detect_format(path) or ENDINGS.get(format_extension(path))


def _check_all_searched(path: Path, files: Sequence[Path]) -> None:
    """Raise ValueError if a folder may have more files than those that were searched for annotation."""
    if len(files) == MOST_SEARCHED:
        raise ValueError(
            f"{path} is a folder of which the first {MOST_SEARCHED:,} files are no annotation: give the folder of the "
            "annotation alone"
        )


def name_of(path: Path, format: Format = Format()) -> str:
    """Return the name of a path's format: that of `format` if it has one, otherwise the inferred one.

    Args:
        path: A file or folder.
        format: How to read it; `format.name` overrides the inferred format.

    Raises:
        ValueError: If no name is given and none can be inferred, or there is no such file.

    >>> name_of(Path("a.NDJSON")), name_of(Path("a.txt"), Format("conll"))
    ('jsonl', 'conll')
    """
    if format.name not in (None, AUTO):
        return format_here(format.name)
    path = corpus_files(path)[0]
    name = infer_format(path)
    if format.keys and not path.is_dir() and (name is None or format_extension(path) in (*JSON, *TABLES)):
        return "parquet" if format_extension(path) in TABLES else "jsonl"
    if name:
        return name
    if not path.is_dir():
        check_is_file(path)
    elif (path / "meta.json").exists() and (path / "config.cfg").exists():
        raise ValueError(
            f"{path} is a trained pipeline, not annotation: 'nereval evaluate' and 'nereval count' take it before "
            "the data, as MODEL DATA; in Python, nlp.evaluate scores it"
        )
    if remedy := UNREAD.get(path.suffix.lower()):
        raise ValueError(f"{path}: {remedy}")
    if kind := _kind_of_result(path):
        counted = "or a count file, which 'nereval count' writes"
        raise ValueError(f"{path} {loading_hint(kind, path)}; expected annotation, {counted}")
    inside = ""
    if format_extension(path) in JSON and not path.is_dir():
        inside = _describe_json(path)
    problem = (
        f"{path} is a folder without .ann files, so its format has to be named"
        if path.is_dir()
        else f"cannot infer the format of {path} from its extension or its content"
    )
    raise ValueError(
        f"{problem}; known are {', '.join(ENDINGS)}, other files by their content, and folders of .ann and "
        f".txt files; {SHOW}. {inside}"
        f"For other names, choose a format with {spell_argument('format')}: {', '.join(format_names())}"
    )


def named_format(path: Path, format: Format = Format()) -> Format:
    """Return the format of a path with its name filled in, so that the name is inferred only once.

    A pattern keeps the format that is given, since its files may differ.

    Raises:
        ValueError: See `name_of`.

    >>> named_format(Path("a.jsonl")).name
    'jsonl'
    """
    name = name_of(path, format)
    return format if corpus_files(path) != [path] else format._replace(name=name)


def is_file_format(name: str | None) -> bool:
    """Return whether a format of this package has many documents per file, so that a folder of files is a corpus.

    >>> is_file_format("jsonl"), is_file_format("brat"), is_file_format(None)
    (True, False, False)
    """
    return name in builtin_names(readers) and name not in (AUTO, "brat", *FOLDERS)


def corpus_members(inside: Sequence[PurePath], name: str | None) -> set[PurePath]:
    """Return the files of a folder that make up a corpus: those with an extension of the format, or all if none has.

    Hidden files and folders are skipped, and names that begin with "_", such as _SUCCESS.

    Args:
        inside: The paths of all files, relative to the folder.
        name: The name of the format.

    >>> [*corpus_members([Path("a.parquet"), Path("_SUCCESS"), Path("README.md")], "parquet")] == [Path("a.parquet")]
    True
    """
    visible = {file for file in inside if not any(part.startswith((".", "_")) for part in file.parts)}
    return {file for file in visible if ENDINGS.get(format_extension(Path(file))) == name} or visible


def corpus_files(path: Path, format: Format = Format()) -> list[Path]:
    """Return the files of a corpus, sorted: those of a folder, or those that match a pattern.

    Args:
        path: A file, a folder, or a pattern such as `shards/*.jsonl`, with `**` for subfolders at any depth.
        format: How it is read. A folder is a corpus only if `format.name` is a format of many documents per file.

    Returns:
        The files; the path itself if it is neither a pattern nor the folder of a corpus.

    Raises:
        ValueError: The folder has no files, or none matches the pattern.

    >>> corpus_files(Path("a.jsonl"))
    [PosixPath('a.jsonl')]
    """
    if has_magic(str(path)) and not path.exists():
        if files := sorted(map(Path, glob(str(path), recursive=True))):
            return files
        raise ValueError(f"no file matches {path}")
    if not is_file_format(format.name) or not path.is_dir():
        return [path]
    inside = [file.relative_to(path) for file in files_under(path)]
    if not (members := corpus_members(inside, format.name)):
        raise ValueError(f"{path} is a folder without files of the format {format.name}")
    return sorted(path / file for file in members)


def format_names() -> list[str]:
    """Return the names of all registered formats, including those of plugins.

    >>> {"brat", "conll", "faireval", "jsonl", "spacy"} <= set(format_names())
    True
    """
    return [name for name in list_names(readers) if name != AUTO]


def is_format(name: str) -> bool:
    """Return whether a reader is registered under a name. Only that reader is imported.

    Raises:
        ValueError: The reader cannot be imported.

    >>> is_format("jsonl"), is_format("markdown")
    (True, False)
    """
    try:
        load_registered(readers, name)
    except catalogue.RegistryError:
        return False
    return True


OTHER_NAMES = {
    "labelstudio": "label_studio",
    **dict.fromkeys(("jsonlines", "ndjson", "prodigy", "doccano"), "jsonl"),
    **dict.fromkeys(("iob", "iob2", "bio", "bioes", "conll2003", "conll03"), "conll"),
    **dict.fromkeys(("docbin", "spacydocbin"), "spacy"),
    **dict.fromkeys(("huggingface", "datasets"), "hf"),
    "standoff": "brat",
}
"""The names of formats elsewhere, in lower case and without what separates words, and here."""


def format_here(name: str) -> str:
    """Return the name under which a format is registered here, if others spell it otherwise.

    >>> format_here("LabelStudio"), format_here("CoNLL-2003"), format_here("brat"), format_here("docx")
    ('label_studio', 'conll', 'brat', 'docx')
    """
    return name if is_format(name) else OTHER_NAMES.get(re.sub(r"[\W_]", "", name.lower()), name)


def read_any(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read a file or folder of any registered format, or all files of a corpus (see `corpus_files`).

    Args:
        path: A file, folder or pattern.
        format: How to read it; without a name the format is inferred from the path.

    Returns:
        An iterator over one record per document, read one at a time.

    Raises:
        ValueError: If the format is unknown; while reading, if the content is not valid.
        OSError: While reading, if the file cannot be read.

    >>> read_any(Path("a.jsonl"), Format("xml"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: a.jsonl: there is no format 'xml'; expected one of ...
    """
    if (files := corpus_files(path, format)) != [path]:
        return chain.from_iterable(read_any(file, format) for file in files)
    name = name_of(path, format)
    if not is_format(name):
        raise ValueError(
            f"{path}: there is no format {name!r}; expected one of {', '.join(format_names())}; "
            "if you added a reader to setup.cfg, install the package again"
        )
    read: Reader = load_function(readers, name)
    return _locate_faults(path, read_with_fitting_offsets(read, path, format))


def _locate_faults(path: Path, unlocated: Iterator[Record]) -> Iterator[Record]:
    """Yield records. Turn errors of damaged input into ValueError that names the file and the document."""
    number = 0
    try:
        for record in unlocated:
            yield record
            number += 1
    except Exception as error:  # readers of other packages raise many kinds; `describe_error` knows those of bad input
        if isinstance(error, OSError) or not (message := describe_error(error)):
            raise
        raise ValueError(f"{path}, document {number}: {message}") from error


def records(path: Path, key: str | None = None, format: Format = Format()) -> Iterator[Record]:
    """Read a file or folder as `read_any` does, with the key of span groups as an argument.

    Args:
        path: A file or folder.
        key: Read `doc.spans[key]` of a `.spacy` file instead of `doc.ents`.
        format: How to read it.

    Returns:
        An iterator over one record per document.

    Raises:
        ValueError: If the format is unknown; while reading, if the content is not valid.
        OSError: While reading, if the file cannot be read.
    """
    return read_any(path, format._replace(spans_key=key))


def annotators_of(path: Path, format: Format = Format()) -> list[str] | None:
    """Return the annotators that a file or folder names, including the models that predicted.

    Args:
        path: A file or folder.
        format: How to read it.

    Returns:
        The names that `--annotator` takes, in the order in which they occur. None for formats of
        other packages, which only their readers know.

    Raises:
        ValueError: If the format is unknown, or a file is malformed.
        OSError: If a file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada", "spans": [], "_annotator_id": "ann"}')
    >>> annotators_of(path)
    ['ann']
    """
    if (files := corpus_files(path, format)) != [path]:
        lists = [annotators_of(file, format) for file in files]
        return None if None in lists else [*dict.fromkeys(name for names in lists for name in names or ())]
    name = name_of(path, format)
    if name not in builtin_names(readers):
        return None
    from . import jsonl, label_studio, settings

    if name in ("jsonl", "parquet"):
        return jsonl.annotators_of(path, format)[0].names
    if name == "label_studio":
        human, model, _ = label_studio.annotators_of(path, format)
        return [*human.names, *model.names]
    if name in FOLDERS and path.is_dir():
        return settings.annotators_of(path, IN_FOLDERS, format)[0].names
    return []


WITH_KEYS = ("jsonl", "parquet")
"""The formats of which users can name the keys."""

_TAGGED = ("conll", "conllu", "hf", *WITH_KEYS)
_NAMED = (*_TAGGED, "bioc", "label_studio", "sgml", "webanno", "xmi")
_WITH_OFFSETS = (*WITH_KEYS, "bioc", "brat", "label_studio", "pubtator", "spacy2", "webanno", "xmi")

USERS: Mapping[str, tuple[str, Collection[str] | None]] = {
    "column": ("numbers of columns", ("conll",)),
    "field": ("names of columns, layers or keys", _NAMED),
    "words": ("columns", ("conll",)),
    "links": ("columns", ("conll",)),
    "scheme": ("tags", _TAGGED),
    "outside": ("tags", _TAGGED),
    "repair": ("tags", (*_TAGGED, "spacy2")),
    "tag_names": ("tags that are numbers", ("conll", "hf", *WITH_KEYS)),
    "end": ("offsets", _WITH_OFFSETS),
    "offsets": ("offsets", _WITH_OFFSETS),
    "discontinuous": ("spans in pieces", ("bioc", "brat", "faireval", "jsonl", "parquet")),
    "match": ("listed mentions", WITH_KEYS),
    "occurrences": ("listed mentions", WITH_KEYS),
    "keys": ("keys to name", WITH_KEYS),
    "match_text": ("texts of two sides", None),
    "missing_tokens": ("words of two sides", None),
    "spans_key": ("span groups", ("spacy",)),
}
"""Fields of `Format` that do not concern every input: the requirement, and the formats that meet it; None
for all."""

_USUAL = {"end": "exclusive", "offsets": "codepoint"}
"""Values of fields that say the same as none."""

_ARGUMENTS = {"field": "column", "words": "word_column", "links": "link_column"}
"""The arguments that fields of `Format` have another name than."""


def used_fields(name: str) -> Collection[str]:
    """Return the fields of `USERS` that concern a format: all for a format of another package.

    >>> used_fields("brat")
    ['end', 'offsets', 'discontinuous', 'match_text', 'missing_tokens']
    """
    if name not in builtin_names(readers):
        return list(USERS)
    return [field for field, (_, users) in USERS.items() if users is None or name in users]


def check_fields(formats: Iterable[Format], sides: Iterable[tuple[str, Collection[str]]]) -> None:
    """Raise ValueError if a field was given that concerns none of the sides.

    Args:
        formats: How the sides are read.
        sides: A description of each side, and the fields of `USERS` that concern it.

    >>> check_fields([Format(scheme="IOB2")], [("a.pubtator is read as pubtator", used_fields("pubtator"))])
    Traceback (most recent call last):
    ValueError: scheme='IOB2': a.pubtator is read as pubtator, where there are no tags: leave it out
    """
    formats, sides = [*formats], [*sides]
    for field, (things, _) in USERS.items():
        values = [getattr(format, field) for format in formats]
        given = [value for value in values if value not in (Format._field_defaults[field], _USUAL.get(field))]
        if given and not any(field in used for _, used in sides):
            value = () if field == "keys" else ("last",) if given[0] == -1 else (given[0],)
            argument = spell_argument(_ARGUMENTS.get(field, field), *value)
            words = " and ".join(dict.fromkeys(words for words, _ in sides))
            raise ValueError(f"{argument}: {words}, where there are no {things}: leave it out")


def check_files(paths: Iterable[Path], formats: Iterable[Format]) -> None:
    """Raise ValueError if a field of the formats was given that concerns none of the files, as `check_fields`."""
    formats = [*formats]
    names = [(path, name_of(path, format)) for path, format in zip(paths, formats)]
    check_fields(formats, [(f"{path} is read as {name}", used_fields(name)) for path, name in names])


def assign_annotators(paths: Sequence[Path], formats: Sequence[Format]) -> list[Format]:
    """Return the formats of files, each without the settings that concern another file.

    These are the chosen annotator where a file names none, keys where it has none, and `ELEMENTS` where it has none.

    Args:
        paths: The files or folders.
        formats: How to read each of them.

    Raises:
        ValueError: An annotator is chosen and no file names annotators; or the files have
            different ones chosen, and one of them names none. Different keys are named for them, and one has no keys.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada", "spans": []}')
    >>> assign_annotators([path], [Format(annotator="ann")])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: annotator='ann': ...a.jsonl names no annotator; leave it out
    """
    unnamed = [format.annotator and annotators_of(path, format) == [] for path, format in zip(paths, formats)]
    shared = len({format.annotator for format in formats}) == 1
    if any(unnamed) and (all(unnamed) or not shared):
        names = [*dict.fromkeys(str(path) for path, flag in zip(paths, unnamed) if flag)]
        named = f"{' and '.join(names)} name{'s' * (len(names) == 1)}"
        annotator = next(format.annotator for format, flag in zip(formats, unnamed) if flag)
        raise ValueError(f"{spell_argument('annotator', annotator)}: {named} no annotator; leave it out")
    formats = [format._replace(annotator=None) if flag else format for format, flag in zip(formats, unnamed)]
    without = [format.keys and name_of(path, format) not in WITH_KEYS for path, format in zip(paths, formats)]
    if any(without) and len({format.keys for format in formats}) > 1:
        path, format = next((path, format) for path, format, flag in zip(paths, formats, without) if flag)
        raise ValueError(
            f"{spell_argument('keys')}: {path} is read as {name_of(path, format)}, which has no keys to name; expected "
            "JSON or Parquet: leave it out"
        )
    formats = [format._replace(keys=None) if flag else format for format, flag in zip(formats, without)]
    have_elements = [
        format.field == ELEMENTS and name_of(path, format) == "sgml" for path, format in zip(paths, formats)
    ]
    return [
        format._replace(field=None) if format.field == ELEMENTS and any(have_elements) and not has_them else format
        for format, has_them in zip(formats, have_elements)
    ]


def check_span_groups(key: str | None, paths: Sequence[Path], names: Sequence[str]) -> None:
    """Check that a key of span groups is given only with a `.spacy` file.

    Args:
        key: The key, or None for `doc.ents`.
        paths: The files to read.
        names: Their formats.

    Raises:
        ValueError: If there is a key, and no file is a `.spacy` file.

    >>> check_span_groups("sc", [Path("a.jsonl")], ["jsonl"])
    Traceback (most recent call last):
    ValueError: span groups such as 'sc' are read from .spacy files only; given: a.jsonl
    """
    if key and "spacy" not in names:
        files = " and ".join(map(str, paths))
        raise ValueError(f"span groups such as {key!r} are read from .spacy files only; given: {files}")


START = 1 << 14
"""Number of bytes at the start of a file from which the format is detected."""

ENTITY = re.compile(rb"<(ENAMEX|TIMEX|NUMEX)\w*\s[^<>]*TYPE", re.IGNORECASE)

TAG_KEYS = ("ner_tags", "tags", "ner", "labels")
"""The possible keys of the tags in a row of Hugging Face's data sets."""


def detect_format(path: Path) -> str | None:
    """Return the format that the content of a file or pipe shows; None if it is ambiguous or there is no file.

    Files with an extension of one format alone are not opened.

    >>> path = getfixture("tmp_path") / "a.json"
    >>> _ = path.write_text('[{"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]}]')
    >>> detect_format(path), detect_format(path.rename(path.with_suffix("")))
    ('gliner', 'gliner')
    """
    extension = format_extension(path)
    if (extension not in DETECTORS and extension in {*ENDINGS, *UNREAD}) or path.is_dir() or not path.exists():
        return None
    state = readable_file(path).stat()
    return _detect_once(path, state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1 << 10)
def _detect_once(path: Path, *state: int) -> str | None:
    """Return the format that the content of a file shows.

    The result is cached, since a command needs it several times, and the first value of a JSON file may be the whole
    file. `state` changes when the file does.
    """
    detect = DETECTORS.get(format_extension(path), _format_of_content)
    try:
        return detect(path)
    except (ValueError, OSError, BadZipFile):  # the reader reports the problem
        return None


def _format_of_json(path: Path) -> str | None:
    first = _first_value(path)
    if isinstance(first, list):
        return "spacy2" if len(first) == 2 and isinstance(first[1], dict) else None
    return _format_of_object(first) if isinstance(first, dict) else None


def _first_value(path: Path) -> Any:
    """Return the first value of a JSON file; None if it has none. Raise ValueError if it is not valid."""
    return next(islice(json_values(path), 1), (0, None))[1]


def _describe_json(path: Path) -> str:
    """Return sentences on how JSON of no known format can be read, by its first value."""
    try:
        first = _first_value(path)
    except ValueError as error:
        return f"{error}. "
    if first is not None and not isinstance(first, Mapping):
        rows = '{"text": ..., "spans": [...]} or {"tokens": [...], "ner_tags": [...]}'
        return f"The first value is {shorten(repr(first))}; expected an object such as {rows}. "
    keys = spell_argument("keys", "text=KEY,spans=KEY,...")
    return f"If its texts and spans have other keys than usual, name them with {keys}; {describe_keys(first)}. "


def _kind_of_result(path: Path) -> str | None:
    """Return the kind of the saved result in a file; None if there is none."""
    try:
        return kind_of(_first_value(path)) if format_extension(path) == ".json" else None
    except ValueError:  # not valid JSON
        return None


def _format_of_object(first: dict[str, Any]) -> str | None:
    if kind_of(first):
        return None
    if "tokenized_text" in first:
        return "gliner"
    if "paragraphs" in first:
        return "spacy2"
    documents = documents_in(first)
    inner = documents[0] if documents and isinstance(documents[0], dict) else first
    if "passages" in inner:
        return "bioc"
    if "text" not in first and "tokens" in first and any(key in first for key in TAG_KEYS):
        return "hf"
    if "features" in first and "rows" in first:
        return "hf"
    has_data = isinstance(first.get("data"), dict)
    if has_data and any(key in first for key in ("annotations", "predictions", "completions")):
        return "label_studio"
    if "annotation_id" in first and "annotator" in first:
        return "label_studio"
    return "jsonl" if documents is not None or _has_text(first) else None


def _has_text(entry: Mapping[str, Any]) -> bool:
    """Return whether a JSON object has a text with its spans, or an answer about a text."""
    has_spans = any(isinstance(entry.get(key), (list, dict)) for key in (*SPAN_LISTS, MENTIONS))
    return (has_spans and isinstance(first_value(entry, TEXTS), str)) or isinstance(entry.get("answer"), str)


def _format_of_text(path: Path) -> str | None:
    with open_input(path) as file:
        data = file.read(START)
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if data.startswith(b"#FORMAT=WebAnno TSV"):
        return "webanno"
    if re.match(rb"[^\s|]+\|[ta]\|", data):
        return "pubtator"
    if re.search(rb"<xmi:XMI\b", data):
        return "xmi"
    if re.search(rb"<collection\b", data) and re.search(rb"<document\b", data):
        return "bioc"
    if ENTITY.search(data):
        return "sgml"
    from .conll import has_columns

    text = data.decode("utf8", "replace")
    whole_lines = text.rpartition("\n")[0] if len(data) > START // 2 else text
    return "conll" if has_columns(whole_lines) else None


def _format_of_tsv(path: Path) -> str | None:
    return "webanno" if _format_of_text(path) == "webanno" else None


def _format_of_archive(path: Path) -> str | None:
    if not is_zipfile(path):
        return None
    with ZipFile(path) as archive:
        return "xmi" if any(name.endswith(".xmi") for name in archive.namelist()) else None


def _format_of_content(path: Path) -> str | None:
    """Return the format of a file or pipe whose name does not tell it."""
    with open_input(path) as file:
        start = file.read(START).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in (b"{", b"["):
        return _format_of_json(path) or _format_of_text(path)
    if start[:2] in ZLIB:
        return "spacy"
    return _format_of_archive(path) or _format_of_text(path)


ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
"""The first bytes of compressed data such as a `.spacy` file."""

DETECTORS: dict[str, Callable[[Path], str | None]] = {
    **dict.fromkeys(JSON, _format_of_json),
    **dict.fromkeys((".txt", ".xml"), _format_of_text),
    ".tsv": _format_of_tsv,
    ".zip": _format_of_archive,
}
"""The function that detects the format of a file, for each extension that several formats share."""
