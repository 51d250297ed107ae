"""Read annotation from Parquet and Arrow files, and write annotation and rows of scores to tables.

Rows are read and written a block at a time, so that memory does not grow with the file.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from ..core.compression import format_extension
from ..core.expansion import TooLarge, check_expansion, check_objects
from ..core.messages import describe_repeated_column, install_command, shorten, unique_keys
from .paths import error_message, readable_file
from .writing import atomic_file, escape_controls, escape_formula, json_line

EXTENSIONS = (".parquet", ".arrow", ".feather")

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
"""The first bytes of Parquet files, Arrow files and Arrow streams. Hugging Face keeps data sets as streams."""

END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"

ROWS = 1 << 10
"""Number of rows that are in memory as Python objects at once."""

ROWS_IN_GROUP = 1 << 13
"""Number of rows in a row group that is written."""

READ = 1 << 20
"""Number of bytes of a column that are read at once."""

NAMES: Mapping[str, type] = {
    **dict.fromkeys(("document", "metric", "verdict", "label", "system", "left", "right", "correct_boundary"), str),
    **dict.fromkeys(("gold_label", "gold_text", "pred_label", "pred_text"), str),
    **dict.fromkeys(("gold_attributes", "pred_attributes", "gold_pieces", "pred_pieces"), str),
    **dict.fromkeys(("gold", "pred", "kept", "gold_start", "gold_end", "pred_start", "pred_end"), int),
    "in_text": bool,
}
"""The types of the columns that commands write, so that they are the same in all files. Other columns are scores."""


def is_table(path: Path) -> bool:
    """Return whether a file is a table of Parquet or Arrow, by its content."""
    with readable_file(path).open("rb") as file:
        return file.read(8).startswith((PARQUET, ARROW, STREAM))


def row_noun(path: Path) -> str:
    """Return the noun for a document of the file in errors: "row" in a table, "line" elsewhere.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text("{}")
    >>> row_noun(path)
    'line'
    """
    return "row" if is_table(path) else "line"


def check_installed(path: Path) -> None:
    """Raise ValueError if the path names a Parquet or Arrow file, and pyarrow is not installed."""
    if format_extension(path) in EXTENSIONS and find_spec("pyarrow") is None:
        raise _pyarrow_error(path)


def _pyarrow_error(path: Path) -> ValueError:
    return ValueError(f"{path}: Parquet and Arrow files need the package pyarrow: {install_command('parquet')}")


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    """Raise ValueError, which names the file, in place of pyarrow's errors."""
    try:
        from pyarrow.lib import ArrowException
    except ImportError:
        raise _pyarrow_error(path) from None
    try:
        yield
    except (ArrowException, OSError, EOFError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        message = shorten(error_message(error), 200)
        raise ValueError(f"{path} is damaged, or no file of Parquet or Arrow ({message})") from None


class Table:
    """A Parquet or Arrow file. Creating it reads the schema only.

    Args:
        path: The file.

    Attributes:
        columns: The Arrow type of each column, by name.
        features: The description of the columns by Hugging Face's `datasets`, such as the names of tags; may be empty.

    Raises:
        ValueError: pyarrow is not installed, or the file is damaged or neither Parquet nor Arrow.
        OSError: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, readable_file(path)
        with _explain_damage(path):
            schema = self._schema()
        self.columns: dict[str, Any] = dict(zip(schema.names, schema.types))
        self._repeated: set[str] = {name for name, number in Counter(schema.names).items() if number > 1}
        description = (schema.metadata or {}).get(b"huggingface")
        self.features: dict[str, Any] = _features(description) if description else {}

    def _schema(self) -> Any:
        import pyarrow as pa
        from pyarrow import parquet

        with self._file.open("rb") as file:
            start = file.read(8)
        if start.startswith(PARQUET):
            return parquet.read_schema(self._file)
        with pa.memory_map(str(self._file)) as file:
            return (pa.ipc.open_file if start.startswith(ARROW) else pa.ipc.open_stream)(file).schema

    def rows(self, columns: Iterable[str], nested: Collection[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number of each row, from 1 up, and its values in the given columns, without nulls.

        Columns that are `nested` keep their objects, in which keys with dots are looked up. Spans and metadata may be
        JSON text. A list of objects may be an object of lists, as `datasets` stores it.

        Raises:
            ValueError: The file is damaged or cut off, or a text is not JSON.
        """
        columns = [*columns]
        names = [name for name in dict.fromkeys((*columns, *nested)) if name in self.columns]
        if repeated := [name for name in names if name in self._repeated]:
            raise ValueError(f"{self._path}: {describe_repeated_column(repeated[0])}")
        labels = {name: label_names for name in names if (label_names := _label_names(self.features.get(name)))}
        for number, row in enumerate(chain.from_iterable(self._blocks(names)), 1):
            try:
                for value in row.values():
                    if isinstance(value, str):
                        check_objects(self._path, value, self._file)
                kept = {name: row.pop(name) for name in nested if row.get(name) is not None and name not in columns}
                yield number, _json_row(row, labels) | kept
            except TooLarge:
                raise
            except ValueError as error:
                raise ValueError(f"{self._path}, row {number}: {error}") from None

    def _blocks(self, columns: list[str]) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows in blocks. Errors of the code that uses a block are raised as they are."""
        slices = self._slices(columns)
        total, size = 0, self._file.stat().st_size
        while True:
            with _explain_damage(self._path):
                rows, need = next(slices, (None, 0))
                total += need
                check_expansion(self._path, total, size, what="in its rows")
                block = [] if rows is None else rows.to_pylist()
            if rows is None:
                return
            yield block

    def _slices(self, columns: list[str]) -> Iterator[tuple[Any, int]]:
        """Yield the rows in slices that fit the memory as Python objects, with the number of their bytes."""
        from .table_sizes import small_slices  # imports numpy, which takes long

        for batch in self._batches(columns):
            yield from small_slices(batch, ROWS)

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import parquet

        from .table_sizes import check_arrow, check_parquet, repeated_texts, rows_at_once, size_of_views

        with self._file.open("rb") as file:
            start, size = file.read(8), file.seek(0, 2)
            file.seek(-min(size, len(END_OF_STREAM)), 2)
            if start.startswith(STREAM) and file.read() != END_OF_STREAM:
                raise EOFError("it is truncated: the stream has no end")
        if start.startswith(PARQUET):
            options: dict[str, Any] = {"buffer_size": READ, "page_checksum_verification": True}
            with parquet.ParquetFile(self._file, **options) as table:
                check_parquet(self._path, table, columns, size)
            with parquet.ParquetFile(self._file, read_dictionary=repeated_texts(table), **options) as table:
                for group in range(table.num_row_groups):
                    rows = rows_at_once(self._file, table, group, columns, ROWS)
                    yield from table.iter_batches(rows, [group], columns, use_threads=False)
            return
        with pa.memory_map(str(self._file)) as source:
            check_arrow(self._path, memoryview(source.read_buffer()), size)
            source.seek(0)
            if start.startswith(ARROW):
                arrow_file = pa.ipc.open_file(source)
                batches = (arrow_file.get_batch(k) for k in range(arrow_file.num_record_batches))
            else:
                batches = iter(pa.ipc.open_stream(source))
            for batch in batches:
                selected = batch.select(columns)
                selected.validate()
                check_expansion(self._path, sum(map(size_of_views, selected.columns)), size, what="in its rows")
                selected.validate(full=True)
                yield selected


def _features(description: bytes) -> dict[str, Any]:
    try:
        features = json.loads(description)["info"]["features"]
    except (ValueError, KeyError, TypeError):
        return {}
    return features if isinstance(features, dict) else {}


def _label_names(feature: Any) -> list[str]:
    """Return the names of span labels that are numbers, as `datasets` describes them; may be empty."""
    element = _element(feature)
    label = _element(element.get("label")) if isinstance(element, dict) else None
    names = label.get("names") if isinstance(label, dict) else None
    return names if isinstance(names, list) else []


def _element(feature: Any) -> Any:
    """Return the feature of the elements if a feature is a list, perhaps of lists; otherwise the feature itself."""
    while inner := feature[:1] if isinstance(feature, list) else isinstance(feature, dict) and feature.get("feature"):
        feature = inner[0] if isinstance(feature, list) else inner
    return feature


def _json_row(row: dict[str, Any], labels: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return a row in the form of an object of a JSONL file."""
    result: dict[str, Any] = {}
    for name, value in row.items():
        if value is None:
            continue
        if isinstance(value, str) and name not in ("text", "data", "id", "answer") and value[:1] in ("[", "{"):
            value = json.loads(value, object_pairs_hook=unique_keys)
        if name == "meta" and isinstance(value, list):  # a map
            value = dict(value)
        elif name != "meta" and isinstance(value, dict) and all(isinstance(values, list) for values in value.values()):
            value = [dict(zip(value, values)) for values in zip(*value.values(), strict=True)]
        if isinstance(value, list):
            value = [_object(item, labels.get(name)) if isinstance(item, dict) else item for item in value]
        result[name] = value
    return result


def _object(fields: dict[str, Any], names: list[str] | None) -> dict[str, Any]:
    """Return the fields without nulls, and with the name of a label that is a number."""
    result = {key: value for key, value in fields.items() if value is not None}
    if names and type(label := result.get("label")) is int:
        result["label"] = name_of(label, names, "label")
    return result


def name_of(number: int, names: Sequence[str], noun: str) -> str:
    """Return the name of a label or tag that is a number. `noun` is "label" or "tag", for errors.

    Raises:
        ValueError: It has no name.

    >>> name_of(1, ["O", "B-PER"], "tag")
    'B-PER'
    """
    if not 0 <= number < len(names):
        raise ValueError(f"the {noun} {shorten(str(number))} has no name; there are {len(names)} names, from 0 up")
    return names[number]


@contextmanager
def _writer(file: BinaryIO, path: Path, schema: Any) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    import pyarrow as pa
    from pyarrow import parquet

    if format_extension(path) == ".parquet":
        with parquet.ParquetWriter(file, schema, write_page_checksum=True) as writer:
            yield lambda rows: writer.write_batch(pa.RecordBatch.from_pylist(rows, schema), ROWS_IN_GROUP)
    else:
        with pa.ipc.new_file(file, schema) as writer:
            yield lambda rows: writer.write_batch(pa.RecordBatch.from_pylist(rows, schema))


def _write(path: Path, rows: Iterator[dict[str, Any]], schema: Any) -> int:
    number = 0
    with atomic_file(path) as file, _writer(file, path, schema) as write:
        while block := [*islice(rows, ROWS_IN_GROUP)]:
            write(block)
            number += len(block)
    return number


def write_documents(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write annotated texts to a Parquet or Arrow file.

    The columns are always the same: id, text, spans, tokens, meta (as JSON, since its fields may differ) and answer.

    Args:
        path: The file; its extension is one of `EXTENSIONS`.
        rows: One object per text, in the form of a JSONL line.

    Raises:
        ValueError: pyarrow is not installed.
        OSError: The file cannot be written.
    """
    check_installed(path)
    import pyarrow as pa

    offsets = [("start", pa.int64()), ("end", pa.int64())]
    attributes = pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))
    pieces = pa.list_(pa.list_(pa.int64()))
    beside = [("score", pa.float64()), ("attributes", attributes), ("pieces", pieces)]
    span = pa.struct([*offsets, ("label", pa.string()), *beside])
    columns = {"id": pa.string(), "text": pa.string(), "spans": pa.list_(span), "tokens": pa.list_(pa.struct(offsets))}
    schema = pa.schema([*columns.items(), ("meta", pa.string()), ("answer", pa.string())])
    table = (row | {"meta": json.dumps(row["meta"], ensure_ascii=False)} if "meta" in row else row for row in rows)
    _write(path, map(_list_attributes, table), schema)


def _list_attributes(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with attributes as lists in its spans, since a column has one type and attributes any names."""
    if not any("attributes" in span for span in row["spans"]):
        return row
    spans = [
        {**span, "attributes": [{"name": name, "value": value} for name, value in span.get("attributes", {}).items()]}
        for span in row["spans"]
    ]
    return {**row, "spans": spans}


def write_table(path: Path, rows: Iterable[Mapping[str, Any]], header: Sequence[str] = ()) -> int:
    """Write rows of scores and texts to a Parquet or Arrow file, and return their number.

    Args:
        path: The file; its extension is one of `EXTENSIONS`.
        rows: One mapping of column names to values per row; `NAMES` has the types of columns.
        header: The names of the columns if there is no row.

    Raises:
        ValueError: pyarrow is not installed.
        OSError: The file cannot be written.
    """
    check_installed(path)
    import pyarrow as pa

    rows = iter(rows)
    first = next(rows, None)
    names = [*(header if first is None else first)]
    types = {str: pa.string(), int: pa.int64(), bool: pa.bool_(), float: pa.float64()}
    schema = pa.schema([(name, types[NAMES.get(name, float)]) for name in names])
    all_rows = rows if first is None else chain([first], rows)
    return _write(path, ({name: _cell(name, row[name]) for name in names} for row in all_rows), schema)


def _cell(name: str, value: Any) -> Any:
    if value is None or NAMES.get(name) is not str:
        return value
    return str(value).encode("utf8", "backslashreplace").decode()  # a lone surrogate has no UTF-8 form


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], *, header: Sequence[str] | None = ()) -> int:
    """Write a table to a .jsonl, .csv, .parquet or .arrow file atomically.

    A .jsonl file has null for None, and unchanged texts. A .csv file has an empty cell for None, escaped control
    characters, and an apostrophe before a text that a spreadsheet would run as a formula.

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
    if format_extension(path) in EXTENSIONS:
        return write_table(path, rows, header or ())
    number = 0
    with atomic_file(path) as file:
        # A lone surrogate has no UTF-8 form; JSON writes it as the same escape.
        text = io.TextIOWrapper(file, encoding="utf8", errors="backslashreplace", newline="")
        try:
            write = csv.writer(text).writerow
            for number, row in enumerate(rows, 1):
                if format_extension(path) == ".jsonl":
                    text.write(f"{json_line(row)}\n")
                    continue
                if number == 1 and header is not None:
                    write(row)
                write(map(_spreadsheet_cell, row.values()))
            if format_extension(path) != ".jsonl" and not number and header is not None:
                write(header)
        finally:
            text.detach()
    return number


def _spreadsheet_cell(value: Any) -> Any:
    return escape_formula(escape_controls(value)) if isinstance(value, str) else value
