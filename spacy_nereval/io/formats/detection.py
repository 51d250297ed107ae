"""Tell formats with the same file extension apart by the content of the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from ..paths import readable
from .contents import json_values

START = 1 << 14
"""Number of bytes from which the format is detected."""

ENTITY = re.compile(rb"<(ENAMEX|TIMEX|NUMEX)\w*\s[^<>]*TYPE", re.IGNORECASE)

TAG_KEYS = ("ner_tags", "tags", "ner", "labels")
"""The keys that can hold the tags of a row of Hugging Face's data sets."""


def detected(path: Path) -> str | None:
    """Return the format that the content of a file shows, or None if that is ambiguous or there is no file.

    It opens only files whose extension several formats share.

    >>> path = getfixture("tmp_path") / "a.json"
    >>> _ = path.write_text('[{"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]}]')
    >>> detected(path)
    'gliner'
    """
    look = LOOKS.get(path.suffix.lower())
    if look is None or not path.is_file():
        return None
    try:
        return look(path)
    except (ValueError, OSError, BadZipFile):  # the reader says what is wrong
        return None


def _of_json(path: Path) -> str | None:
    first = next(islice(json_values(path), 1), (0, None))[1]
    if isinstance(first, list):
        return "spacy2" if len(first) == 2 and isinstance(first[1], dict) else None
    return _of_object(first) if isinstance(first, dict) else None


def _of_object(first: dict[str, Any]) -> str | None:
    if "tokenized_text" in first:
        return "gliner"
    if "paragraphs" in first:
        return "spacy2"
    if "documents" in first or "passages" in first:
        return "bioc"
    if "text" not in first and "tokens" in first and any(key in first for key in TAG_KEYS):
        return "hf"
    if "features" in first and "rows" in first:
        return "hf"
    task = isinstance(first.get("data"), dict)
    if task and any(key in first for key in ("annotations", "predictions", "completions")):
        return "label_studio"
    if "annotation_id" in first and "annotator" in first:
        return "label_studio"
    return None


def _of_text(path: Path) -> str | None:
    with readable(path).open("rb") as file:
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
    return "sgml" if ENTITY.search(data) else None


def _of_table(path: Path) -> str | None:
    return "webanno" if _of_text(path) == "webanno" else None


def _of_archive(path: Path) -> str | None:
    if not is_zipfile(path):
        return None
    with ZipFile(path) as archive:
        return "xmi" if any(name.endswith(".xmi") for name in archive.namelist()) else None


LOOKS: dict[str, Callable[[Path], str | None]] = {
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), _of_json),
    **dict.fromkeys((".txt", ".xml"), _of_text),
    ".tsv": _of_table,
    ".zip": _of_archive,
}
"""File extensions that several formats share to the function that tells them apart."""
