"""The sizes that tables of Parquet and Arrow have in memory, read from their metadata before anything is unpacked.

A table can name one text a million times, and its pages and buffers can be packed thousandfold.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import error as StructError
from struct import unpack_from
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.expansion import check_expansion

ELEMENT = 8
"""Number of bytes that a number, a text or an element of a list counts for, in addition to its characters."""

BLOCK = 1 << 24
"""Number of bytes of rows that are in memory as Python objects at once, unless one row has more."""

DICTIONARY = 2
"""The type of a page of Parquet with a dictionary."""

DICTIONARY_BATCH = 2
"""The type of a message of Arrow with a dictionary."""

CONTINUATION = 0xFFFFFFFF


def check_parquet(name: object, table: Any, columns: list[str], size: int) -> None:
    """Raise TooLarge if columns of a Parquet file have more bytes or values than its size allows.

    Args:
        name: The name of the file.
        table: A `ParquetFile`.
        columns: The names of the columns that are read.
        size: The size of the file.
    """
    need = 0
    for group in range(table.num_row_groups):
        for column in _leaves(table, group, columns):
            need += max(column.total_uncompressed_size, ELEMENT * column.num_values)
    check_expansion(name, need, size)


def rows_at_once(file: Path, table: Any, group: int, columns: list[str], most: int) -> int:
    """Return how many rows of a row group are unpacked at once: `most`, or fewer if texts may be long.

    Each row may have the longest text of a dictionary, or one that repeats all of the text before it.
    """
    longest = 1
    for column in _leaves(table, group, columns):
        if column.physical_type == "BYTE_ARRAY":
            if "DELTA_BYTE_ARRAY" in column.encodings:
                longest = max(longest, column.total_uncompressed_size)
            elif column.dictionary_page_offset is not None:
                longest = max(longest, _dictionary_size(file, column))
    return max(1, min(most, (BLOCK << 4) // longest))


def repeated_texts(table: Any) -> list[str]:
    """Return the paths of the columns with texts in lists. They are read as dictionaries, each text once."""
    schema = table.schema
    columns = (schema.column(k) for k in range(len(schema)))
    return [one.path for one in columns if one.physical_type == "BYTE_ARRAY" and one.max_repetition_level]


def _leaves(table: Any, group: int, columns: list[str]) -> Iterator[Any]:
    """Yield the metadata of the columns of a row group that belong to the given columns of the table."""
    metadata = table.metadata.row_group(group)
    for k in range(metadata.num_columns):
        column = metadata.column(k)
        if any(column.path_in_schema == name or column.path_in_schema.startswith(f"{name}.") for name in columns):
            yield column


def _dictionary_size(file: Path, column: Any) -> int:
    """Return the unpacked size of the dictionary of a column, or of the column if the dictionary cannot be found.

    The header of a page begins with its type and its size, as whole numbers of Thrift's compact protocol.
    """
    with file.open("rb") as source:
        source.seek(column.dictionary_page_offset)
        header = source.read(16)
    numbers: list[int] = []
    place = 0
    while len(numbers) < 2 and header[place : place + 1] == b"\x15":
        number = shift = 0
        place += 1
        while place < len(header):
            number |= (header[place] & 0x7F) << shift
            shift += 7
            place += 1
            if not header[place - 1] & 0x80:
                break
        numbers.append(number >> 1)
    whole: int = column.total_uncompressed_size
    return min(whole, numbers[1]) if numbers[:1] == [DICTIONARY] and len(numbers) == 2 else whole


def check_arrow(name: object, content: Any, size: int) -> None:
    """Raise TooLarge if the buffers of an Arrow file or stream have more bytes than its size allows.

    Args:
        name: The name of the file.
        content: The content of the file, as a buffer.
        size: The size of the file.

    Raises:
        EOFError: The file is damaged or cut off.
    """
    need = 0
    try:
        for place in _messages(content, size):
            need += _unpacked_size(content, place)
            check_expansion(name, need, size)
    except (StructError, IndexError, OverflowError):
        raise EOFError("its metadata is damaged or truncated") from None


def _messages(content: Any, size: int) -> Iterator[int]:
    """Yield the places of the messages: those that the footer of a file lists, or all of a stream."""
    if bytes(content[:6]) == b"ARROW1":
        (length,) = unpack_from("<i", content, size - 10)
        start = size - 10 - length
        footer = start + unpack_from("<I", content, start)[0]
        for number in (2, 3):
            for block in _vector(content, footer, number, 24):
                yield unpack_from("<q", content, block)[0]
        return
    place = 0
    while place + 4 <= size:
        start, metadata, body = _message(content, place)
        if not metadata:
            return
        yield place
        place = start + metadata + body


def _message(content: Any, place: int) -> tuple[int, int, int]:
    """Return where the metadata of a message begins, and the lengths of metadata and body."""
    (length,) = unpack_from("<I", content, place)
    start = place + 4
    if length == CONTINUATION:
        (length,) = unpack_from("<I", content, start)
        start += 4
    if not length:
        return start, 0, 0
    field = _field(content, start + unpack_from("<I", content, start)[0], 3)
    body = unpack_from("<q", content, field)[0] if field else 0
    if body < 0:
        raise IndexError
    return start, length, body


def _unpacked_size(content: Any, place: int) -> int:
    """Return the number of unpacked bytes of a message: a batch, or a dictionary."""
    start, length, _ = _message(content, place)
    if not length:
        return 0
    message = start + unpack_from("<I", content, start)[0]
    header = _field(content, message, 2)
    kind = _field(content, message, 1)
    if not header or not kind or content[kind] not in (DICTIONARY_BATCH, DICTIONARY_BATCH + 1):
        return 0
    batch = header + unpack_from("<I", content, header)[0]
    if content[kind] == DICTIONARY_BATCH:
        data = _field(content, batch, 1)
        batch = data + unpack_from("<I", content, data)[0]
    is_packed, need = _field(content, batch, 3), 0
    # A column without buffers, such as one of nulls, has any length.
    values = sum(max(unpack_from("<q", content, node)[0], 0) for node in _vector(content, batch, 1, 16))
    for buffer in _vector(content, batch, 2, 16):
        offset, number = unpack_from("<qq", content, buffer)
        unpacked = unpack_from("<q", content, start + length + offset)[0] if is_packed and number >= 8 else -1
        need += max(number, unpacked, 0)
    size: int = max(need, ELEMENT * values)
    return size


def _field(content: Any, table: int, number: int) -> int:
    """Return the place of a field of a table of FlatBuffers; 0 if the table lacks it."""
    offsets = table - unpack_from("<i", content, table)[0]
    (length,) = unpack_from("<H", content, offsets)
    place = 4 + 2 * number
    offset = unpack_from("<H", content, offsets + place)[0] if place < length else 0
    return table + offset if offset else 0


def _vector(content: Any, table: int, number: int, width: int) -> range:
    """Return the places of the elements of a vector of a table of FlatBuffers."""
    if not (field := _field(content, table, number)):
        return range(0)
    start = field + unpack_from("<I", content, field)[0]
    (length,) = unpack_from("<I", content, start)
    if start + length * width > len(content):
        raise IndexError
    return range(start + 4, start + 4 + length * width, width)


def size_of_views(array: Any) -> int:
    """Return the number of bytes of the texts of a column that is not validated yet, of views only.

    Many views can show one long text, and validating them reads it as often.

    >>> import pyarrow as pa
    >>> size_of_views(pa.array(["ab", "c"], pa.string_view())), size_of_views(pa.array(["ab"]))
    (3, 0)
    """
    import pyarrow as pa

    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return size_of_views(array.storage)
    if kind in (pa.string_view(), pa.binary_view()):
        lengths = np.frombuffer(array.buffers()[1], dtype=np.int32)[::4][array.offset : array.offset + len(array)]
        return int(np.maximum(lengths, 0).sum(dtype=np.int64))
    if pa.types.is_dictionary(kind):
        return size_of_views(array.dictionary)
    if pa.types.is_struct(kind):
        return sum(size_of_views(array.field(k)) for k in range(kind.num_fields))
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return size_of_views(array.values) if is_list or pa.types.is_map(kind) else 0


def row_sizes(array: Any) -> NDArray[np.int64]:
    """Return the number of bytes of each row of a column as Python sees it, with every repetition of a text.

    Raises:
        ValueError: The column has a type that is not read.

    >>> import pyarrow as pa
    >>> row_sizes(pa.array([["ab", "c"], []]))
    array([27,  8])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, number = array.type, len(array)
    sizes: Any = np.full(number, ELEMENT, dtype=np.int64)
    if isinstance(kind, pa.BaseExtensionType):
        return row_sizes(array.storage)
    if pa.types.is_dictionary(kind):
        of_texts = np.append(row_sizes(array.dictionary), ELEMENT)
        sizes = of_texts[array.indices.cast(pa.int64()).fill_null(len(of_texts) - 1).to_numpy(zero_copy_only=False)]
    elif kind in (pa.string_view(), pa.binary_view()):
        lengths = np.frombuffer(array.buffers()[1], dtype=np.int32)[::4][array.offset : array.offset + number]
        sizes = sizes + np.where(array.is_valid(), lengths, 0)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        sizes = sizes + pc.binary_length(array).fill_null(0).to_numpy(zero_copy_only=False)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        ends = np.concatenate([[0], np.cumsum(row_sizes(array.values))])
        offsets = array.offsets.to_numpy(zero_copy_only=False)
        sizes = sizes + ends[offsets[1:]] - ends[offsets[:-1]]
    elif pa.types.is_fixed_size_list(kind):
        # Each row counts as if its list had the largest elements.
        elements = array.values if kind.value_type != pa.null() else pa.array([0])
        sizes = sizes + kind.list_size * row_sizes(elements).max(initial=0)
    elif pa.types.is_struct(kind):
        sizes = sum(map(row_sizes, array.flatten()), sizes)
    elif pa.types.is_nested(kind) or pa.types.is_run_end_encoded(kind):
        raise ValueError(f"a column has the type {kind}, which is not read")
    return np.asarray(sizes, dtype=np.int64)


def small_slices(batch: Any, rows: int) -> Iterator[tuple[Any, int]]:
    """Yield slices of a batch, of at most so many rows and, unless one row has more, `BLOCK` bytes; and their bytes.

    Raises:
        ValueError: A column has a type that is not read.
    """
    sizes = sum(map(row_sizes, batch.columns), np.zeros(batch.num_rows, dtype=np.int64))
    ends, first = np.cumsum(sizes), 0
    while first < batch.num_rows:
        before = int(ends[first - 1]) if first else 0
        last = min(first + rows, max(first + 1, int(np.searchsorted(ends, before + BLOCK, side="right"))))
        last = min(last, batch.num_rows)
        yield batch.slice(first, last - first), int(ends[last - 1]) - before
        first = last
