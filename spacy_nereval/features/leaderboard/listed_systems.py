"""Tables and folders that list systems with their predictions on data sets."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...core.compression import format_extension
from ...core.messages import describe_repeated_column, first_repeated, join_names, unique_keys
from ...io.paths import check_is_file, content

COLUMNS = ("data set", "gold", "system", "predictions")
"""The columns that a table must have. `run` and `fold` may follow."""

OPTIONAL = ("run", "fold")

COLUMN_NAMES = {"dataset": "data set"}
"""Names of columns in lower case without spaces, underscores and hyphens, and the names in `COLUMNS`."""


def _key(name: object) -> str:
    return re.sub(r"[\s_-]", "", str(name)).lower()


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
        fold: The name of the fold, which has its own gold annotation; "" without folds.
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
    return list_rows(_rows(path), str(path), path.parent)


def list_rows(rows: Iterable[Mapping[Any, Any]], path: str, folder: Path = Path()) -> list[Listed]:
    """Return the rows of a table.

    Args:
        rows: The rows, with the columns `COLUMNS`. None, "" and NaN are no value.
        path: The name of the table, for errors.
        folder: The folder of the files that the table names.

    Raises:
        ValueError: As for `read_table`.
    """
    listed: list[Listed] = []
    for number, row in enumerate(rows, 1):
        given = {COLUMN_NAMES.get(key := _key(name), key): value for name, value in row.items()}
        values = {name: None if value != value else value for name, value in given.items()}  # NaN of a frame
        lacking = [name for name in COLUMNS if values.get(name) in (None, "") and name != "gold"]
        if lacking or "gold" not in values:
            raise ValueError(
                f"{path}, row {number}: no {join_names(lacking or ['gold'])}; expected a table with the columns "
                f"{', '.join(COLUMNS)}, and {' and '.join(OPTIONAL)} if there are any, or systems after "
                "the gold annotation"
            )
        gold = folder / str(values["gold"]) if values["gold"] else None
        file = folder / str(values["predictions"])
        predictions = str(file if file.exists() else values["predictions"])
        parts = ("" if values.get(name) is None else str(values[name]) for name in OPTIONAL)
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


def group_by_fold(listed: Iterable[Listed], path: str) -> dict[tuple[str, str, Path | None], dict[str, list[Listed]]]:
    """Return the rows of each system, one for each training run, by data set, fold and gold annotation.

    Args:
        listed: The content of a table or a folder.
        path: Its name, for errors.

    Raises:
        ValueError: A data set, or a fold of it, has two gold annotations.
    """
    folds: dict[tuple[str, str, Path | None], dict[str, list[Listed]]] = {}
    golds: dict[tuple[str, str], Path | None] = {}
    for entry in listed:
        other = golds.setdefault((entry.data_set, entry.fold), entry.gold)
        if other != entry.gold:
            raise ValueError(
                f"{path}: {entry.data_set} has two gold annotations, {other} and {entry.gold}: give all its systems "
                "the same one, or name folds in a column `fold`"
            )
        folds.setdefault((entry.data_set, entry.fold, entry.gold), {}).setdefault(entry.system, []).append(entry)
    return folds


def read_data_sets(given: Any) -> dict[str, Any] | None:
    """Return data sets as the function `leaderboard` takes them; None if they are not listed.

    Args:
        given: A folder, the path of a table, or a frame.

    Raises:
        ValueError: As for `read_folder`, `read_table` and `group_by_fold`.
        OSError: The table cannot be read.
    """
    if isinstance(given, (str, Path)):
        where = str(given)
        is_table = format_extension(Path(given)) in FILES
        listed = read_table(Path(given)) if is_table and not Path(given).is_dir() else read_folder(Path(given))
    elif hasattr(given, "columns"):  # a frame of pandas or polars
        rows = given.to_dicts() if hasattr(given, "to_dicts") else given.to_dict("records")
        where, listed = "the table", list_rows(rows, "the table")
    else:
        return None
    data_sets: dict[str, Any] = {}
    for (data_set, fold, gold), systems in group_by_fold(listed, where).items():
        runs_of_systems = {
            name: {entry.run: entry.predictions for entry in runs} if len(runs) > 1 else runs[0].predictions
            for name, runs in systems.items()
        }
        if fold:
            data_sets.setdefault(data_set, {})[fold] = gold, runs_of_systems
        else:
            data_sets[data_set] = gold, runs_of_systems
    return data_sets


def _place(entry: Listed) -> tuple[str, ...]:
    return entry.data_set, entry.system, entry.run, entry.fold


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table. Raise ValueError if it cannot be read."""
    try:
        text = content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 ({error.reason})") from None
    if format_extension(path) == ".csv":
        table = csv.DictReader(io.StringIO(text))
        if (repeated := first_repeated(table.fieldnames or ())) is not None:
            raise ValueError(f"{path}: {describe_repeated_column(repeated)}")
        yield from table
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}, line {number} is not JSON ({error})") from None
        if not isinstance(row, dict):
            raise ValueError(f"{path}, line {number}: expected an object with the keys {', '.join(COLUMNS)}")
        yield row


def has_data_sets(folder: Path) -> bool:
    """Return whether a folder contains data sets: folders with gold annotation."""
    return any(path.parent.is_dir() for path in folder.glob("*/gold.*"))


def read_folder(folder: Path) -> list[Listed]:
    """Return the content of a folder: DATASET/gold.* with DATASET/SYSTEM.* for each data set.

    Raises:
        ValueError: There is no such data set, or one has no gold annotation or no system.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is neither a folder of data sets nor a table of them ({', '.join(FILES)})")
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
            f"{folder} contains no data sets: expected {folder}/DATASET/gold.* with {folder}/DATASET/SYSTEM.*, or "
            "systems "
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
