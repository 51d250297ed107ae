"""Writing files: whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    with atomic(path) as file:
        file.write(f"{_json(value, indent=2)}\n".encode())


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table as .jsonl or .csv, whole or not at all; an undefined value is null, or empty."""
    with atomic(path) as file:
        if path.suffix == ".jsonl":
            file.write("".join(f"{_json(row)}\n" for row in rows).encode("utf8"))
            return
        text = io.TextIOWrapper(file, encoding="utf8", newline="")
        writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)
        text.detach()


@contextmanager
def atomic(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes its name only when all is written.

    A link stays a link; what is no plain file, such as /dev/stdout, is written directly.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _json(value: Any, **style: Any) -> str:
    # Not srsly, which keeps ten decimals of a float.
    return json.dumps(value, ensure_ascii=False, allow_nan=False, **style)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
