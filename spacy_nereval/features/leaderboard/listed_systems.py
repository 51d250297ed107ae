"""Tables and folders that list systems with their predictions on data sets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...core.compression import format_extension
from ...core.messages import join_names
from ...io.paths import check_is_file, content

COLUMNS = ("data set", "gold", "system", "predictions")
"""The columns that a table must have. `run` and `fold` may follow."""

OPTIONAL = ("run", "fold")

FILES = (".csv", ".jsonl")
"""The extensions of tables."""


class Listed(NamedTuple):
    """The predictions of a system on a data set.

    Attributes:
        data_set: The name of the data set.
        gold: Its gold annotation; None with counts.
        system: The name of the system.
        predictions: The file of predictions or counts, or the model.
        run: The name of the training run; "" for a system that was trained once.
        fold: The name of the fold, whose gold annotation is its own; "" without folds.
    """

    data_set: str
    gold: Path | None
    system: str
    predictions: str
    run: str = ""
    fold: str = ""


def read_table(path: Path) -> list[Listed]:
    """Return the rows of a table with the columns `COLUMNS`; names of files are relative to its folder.

    Raises:
        ValueError: A column or a value is missing, or a row occurs twice; names the row.
        OSError: The file cannot be read.
    """
    check_is_file(path)
    listed: list[Listed] = []
    for number, row in enumerate(_rows(path), 1):
        values = {str(name).strip().lower().replace("_", " "): value for name, value in row.items()}
        lacking = [name for name in COLUMNS if values.get(name) in (None, "") and name != "gold"]
        if lacking or "gold" not in values:
            raise ValueError(
                f"{path}, row {number}: no {join_names(lacking or ['gold'])}; expected a table with the columns "
                f"{', '.join(COLUMNS)}, and {' and '.join(OPTIONAL)} if there are any"
            )
        gold = path.parent / str(values["gold"]) if values["gold"] else None
        file = path.parent / str(values["predictions"])
        predictions = str(file if file.exists() else values["predictions"])
        parts = (str(values.get(name) or "") for name in OPTIONAL)
        entry = Listed(str(values["data set"]), gold, str(values["system"]), predictions, *parts)
        if any(_place(entry) == _place(other) for other in listed):
            raise ValueError(
                f"{path}, row {number}: {entry.system} has predictions on {entry.data_set} already; name training "
                "runs in a column `run`, folds in a column `fold`"
            )
        listed.append(entry)
    if not listed:
        raise ValueError(f"{path} has no rows: expected a table with the columns {', '.join(COLUMNS)}")
    return listed


def _place(entry: Listed) -> tuple[str, ...]:
    return entry.data_set, entry.system, entry.run, entry.fold


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table. Raise ValueError if it cannot be read."""
    try:
        text = content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 ({error.reason})") from None
    if format_extension(path) == ".csv":
        yield from csv.DictReader(io.StringIO(text))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}, line {number} is not JSON ({error})") from None
        if not isinstance(row, dict):
            raise ValueError(f"{path}, line {number}: expected an object with the keys {', '.join(COLUMNS)}")
        yield row


def read_folder(folder: Path) -> list[Listed]:
    """Return what a folder holds: DATASET/gold.* with DATASET/SYSTEM.* for each data set.

    Raises:
        ValueError: There is no such data set, or one has no gold annotation or no system.
    """
    listed: list[Listed] = []
    for data_set in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = {path: path.name.partition(".")[0] for path in sorted(data_set.iterdir()) if path.name[:1] not in "._"}
        golds = [path for path, name in files.items() if name == "gold"]
        systems = [path for path in files if path not in golds]
        names = _distinct_names(systems)
        if len(golds) > 1:
            raise ValueError(f"{data_set} has several gold annotations: {join_names([path.name for path in golds])}")
        if golds and not systems:
            raise ValueError(f"{data_set} has gold annotation and no predictions: expected {data_set}/SYSTEM.*")
        if golds or any(format_extension(path) == ".npz" for path in systems):
            gold = golds[0] if golds else None
            listed += [Listed(data_set.name, gold, name, str(path)) for path, name in zip(systems, names)]
    if not listed:
        raise ValueError(
            f"{folder} holds no data sets: expected {folder}/DATASET/gold.* with {folder}/DATASET/SYSTEM.*, or systems "
            "after the gold annotation"
        )
    return listed


def _distinct_names(paths: Iterable[Path]) -> list[str]:
    """Return the names of files without extensions, with these where two would be the same.

    >>> _distinct_names([Path("a.jsonl"), Path("b.spacy"), Path("b.conll.gz")])
    ['a', 'b.spacy', 'b.conll.gz']
    """
    names = [path.name for path in paths]
    stems = [name.partition(".")[0] for name in names]
    return [name if stems.count(stem) > 1 else stem for name, stem in zip(names, stems)]
