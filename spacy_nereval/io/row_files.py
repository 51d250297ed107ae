"""Rows of scores and texts in files: JSONL, CSV, Parquet and Arrow."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.compression import extension
from .tables import EXTENSIONS, write_table
from .writing import atomic, for_spreadsheets, json_line, spelt_out


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], *, header: Sequence[str] | None = ()) -> int:
    """Write a table to a .jsonl, .csv, .parquet or .arrow file; nothing is written if a row cannot be.

    None becomes null in a .jsonl file, and an empty cell in a .csv file. A .jsonl file
    keeps every text as it is. In a .csv file control characters are escaped, and an
    apostrophe precedes what a spreadsheet would run as a formula.

    Args:
        path: The file; its folder has to exist.
        rows: One mapping of column names to values per row.
        header: The column names of a file without rows; None writes no names into a .csv file.

    Returns:
        The number of rows.

    Raises:
        ValueError: If a float is not finite, or the file needs a package that is not installed.
        OSError: If the file cannot be written.
    """
    if extension(path) in EXTENSIONS:
        return write_table(path, rows, header or ())
    number = 0
    with atomic(path) as file:
        # A lone surrogate has no UTF-8 form; JSON writes it as the same escape.
        text = io.TextIOWrapper(file, encoding="utf8", errors="backslashreplace", newline="")
        try:
            write = csv.writer(text).writerow
            for number, row in enumerate(rows, 1):
                if extension(path) == ".jsonl":
                    text.write(f"{json_line(row)}\n")
                    continue
                if number == 1 and header is not None:
                    write(row)
                write(map(_cell, row.values()))
            if extension(path) != ".jsonl" and not number and header is not None:
                write(header)
        finally:
            text.detach()
    return number


def _cell(value: Any) -> Any:
    return for_spreadsheets(spelt_out(value)) if isinstance(value, str) else value
