"""Read files into records, and score them on the command line."""

import json
from pathlib import Path
from typing import Any

import commands
import pytest

from spacy_nereval.io.formats import Format
from spacy_nereval.io.read import records
from spacy_nereval.io.records import Record


def run(*arguments: Any):
    return commands.run(*arguments, catch_exceptions=False)


def refused(*arguments: Any) -> str:
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    assert not done.stdout
    assert done.stderr.count("\n") == 1
    return done.stderr


def read(path: Path, **settings: Any) -> list[Record]:
    return list(records(path, format=Format(**settings)))


def only(path: Path, **settings: Any) -> Record:
    (found,) = read(path, **settings)
    return found


def error(path: Path, **settings: Any) -> str:
    """What is said of a file that cannot be read, on one line."""
    with pytest.raises(ValueError) as raised:
        read(path, **settings)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def saved(path: Path, value: Any) -> Path:
    """A file of JSON."""
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf8")
    return path


SHAPES = {
    "objects": {"start": 0, "end": 3, "label": "PER", "token_start": 0},
    "offsets": {"id": 7, "start_offset": 0, "end_offset": 3, "label": "PER"},
    "triples": [0, 3, "PER"],
}


def file_of(path: Path, *sentences: str) -> Path:
    """Words w0, w1, ... with these tags."""
    blocks = ("".join(f"w{k}\t{tag}\n" for k, tag in enumerate(sentence.split())) for sentence in sentences)
    path.write_text("\n".join(blocks), encoding="utf8")
    return path


def result_of(tmp_path: Path, *arguments: Any) -> dict[str, Any]:
    done = run("score", *arguments, "--output", tmp_path / "out.json", "-m", "strict,fair")
    assert done.exit_code == 0, done.output
    return json.loads((tmp_path / "out.json").read_text(encoding="utf8"))


def rows_in(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines, or of a Parquet or Arrow table."""
    if path.suffix == ".jsonl":
        return [json.loads(row) for row in path.read_text(encoding="utf8").splitlines()]
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_file(path.read_bytes()).read_all()
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def check_row_files(folder: Path, *command: Any) -> None:
    """A command that writes rows to "{out}" writes the same rows as JSON lines and as tables, and some."""
    rows = {}
    for ending in (".jsonl", ".parquet", ".arrow"):
        path = folder / f"rows{ending}"
        commands.printed(*(str(part).format(out=path) for part in command))
        rows[ending] = rows_in(path)
    assert rows[".parquet"] == rows[".arrow"] == rows[".jsonl"] != []
