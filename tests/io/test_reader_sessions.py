"""What each reader gives of a small file with two of everything, and all that it refuses, in `golden`."""

import json
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from sessions import check_session, shown

from spacy_nereval.core.keys import read_keys
from spacy_nereval.io.formats import Format
from spacy_nereval.io.read import read_files, records

pytestmark = pytest.mark.costly  # hundreds of statements, whose words some releases of other packages change

GOLDEN = Path(__file__).parent / "golden"


def write(name: str, content: Any) -> Path:
    """A file with a text, with bytes, or with a value as JSON."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    is_text = isinstance(content, str)
    path.write_bytes(content if isinstance(content, bytes) else (content if is_text else json.dumps(content)).encode())
    return path


def read(file: str, content: Any = None, /, **settings: Any) -> None:
    """Print the records of a file or folder, which is first written if there is a content."""
    path = Path(file) if content is None else write(file, content)
    settings |= {"keys": read_keys(settings["keys"])} if "keys" in settings else {}
    for number, record in enumerate(records(path, format=Format(**settings))):
        print(f"- {number}\n{shown(record)}")


def refused(file: str, *contents: Any, **settings: Any) -> None:
    """Print what is said of each content that cannot be read, and the records of any other."""
    for content in contents:
        shown_records = StringIO()
        try:
            with redirect_stdout(shown_records):
                read(file, content, **settings)
        except ValueError as error:
            print(error)
        else:
            print(f"read:\n{shown_records.getvalue()}", end="")


NUMBERS = ("ignored", "repaired", "duplicates", "rejected", "filled")
TABLES = ("meta", "notes", "span_scores", "attributes")


def paired(gold: str, pred: str, gold_settings: Any = (), pred_settings: Any = (), **options: Any) -> None:
    """Print the documents of two files, with what else there is of each, and of both."""
    formats, others = (Format(**dict(gold_settings)), Format(**dict(pred_settings))), Counter[Path]()
    for document in read_files(Path(gold), Path(pred), formats=formats, others=others, **options):
        if document is None:
            print(None)
            continue
        values = {name: getattr(document, name, None) for name in (*NUMBERS, *TABLES)}
        values["mentions"] = {name: number for name, number in document.mentions.items() if number}
        more = {name: value for name, value in values.items() if value and value != ({}, {})}
        print(shown((document.id, document.text, document.gold, document.pred, document.unit, *[more] * bool(more))))
    if others:
        print("others:", {str(path): number for path, number in others.items()})


NAMES = {
    "json": json,
    "write": write,
    "read": read,
    "refused": refused,
    "paired": paired,
    "Path": Path,
    "Format": Format,
}


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.txt")))
def test_everything_that_a_session_says_is_what_its_file_has(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_session(GOLDEN / f"{name}.txt", **NAMES)
