"""Count the rows of an engine's partitioned table: a DataFrame of Spark or Dask, a Dask bag, a Dataset of Ray.

Here, a *part* is the content of a count file, as bytes: the collapsed counts of one partition of the rows. Parts add up
to the same bits in any order and any tree, so every engine can use its own reduction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, tee
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from ...api.inputs import ItemReading, documents, reading_of_items, unknown, with_item_reading
from ...api.scoring import check_labels
from ...api.sides import Side
from ...core.arguments import SCHEMES, side_reading
from ...core.labels import rules_of
from ...core.messages import join_names, shorten, spell_argument
from ...core.spans import relabel
from ...counting.counts import Counts
from ...evaluation.collapsing import SAMPLES, check_collapsible, count_collapsed
from ...evaluation.resampling import Confidence
from ...io.count_files import InMemory, archive_bytes
from ...io.count_files import merge as merge_files
from ...io.records import row_id
from ...metrics.registry import choose_metrics

if TYPE_CHECKING:
    from typing_extensions import Unpack

TOGETHER = 32
"""Maximum number of parts in memory."""

TASKS = 8
"""Number of tasks that merge the parts of all partitions of Spark and Ray, before a last task or the driver does."""

PART = "part"
"""The column of parts in the tables of engines."""

COLUMNS = ("text", "tokens", "id")
"""The optional columns, read in addition to those of gold and predictions."""


@with_item_reading
def count_partition(
    rows: Iterable[Any],
    metrics: Any = None,
    *,
    gold: str = "gold",
    pred: str = "pred",
    samples: int = SAMPLES,
    seed: int = 0,
    **options: Unpack[ItemReading],
) -> bytes:
    """Count the rows of one partition of a corpus, for merging with the counts of the others.

    A row is a dict, or a named tuple as Spark's `Row` and pandas have them, with

    - "text", or "tokens" (words, or their (start, end) in the text), or both;
    - gold annotation and predictions: spans, mentions or tags, as `score` takes them; None if there is none;
    - "id", if the document has one. The id, or else the text with its gold spans, decides which half-samples
      contain the document. Repeated ids are not detected.

    Args:
        rows: The rows of one partition, in any order. They are streamed; tags are read at once.
        metrics: Names, or a table `{name: options}`, as for `score`, but `hierarchical` is only counted if it is named.
        gold, pred: The keys of gold annotation and predictions.
        samples: The number of half-samples to keep, from which intervals are computed; 0 for none.
        seed: The seed of the half-samples.
        options: How rows are read. See `score`. Tags need a `scheme`, since the tags of one partition may not show it.

    Returns:
        The content of a file of collapsed counts (.npz), empty if there are no rows. It does not depend on the order of
        the rows, if no two have the same id (or, without ids, the same text and gold spans).

    Raises:
        ValueError: A row cannot be read; names its number in the partition. Or as for `score` and `collapse`.

    >>> from spacy_nereval import score
    >>> from spacy_nereval.distributed import count_partition, merge
    >>> rows = [{"text": "Ada slept", "gold": [(0, 3, "PER")], "pred": [(0, 3, "PER")]},
    ...     {"text": "Bob, too", "gold": [(0, 3, "PER")], "pred": []}]
    >>> score(merge([count_partition(rows[:1], "strict"), count_partition(rows[1:], "strict")])).strict.r
    0.5
    """
    reading = reading_of_items(**options)
    rules = rules_of(reading)
    check_collapsible(choose_metrics(metrics).metrics)
    Confidence(samples=samples or 1, seed=seed).checked()
    values = (_row_values(number, row, gold, pred) for number, row in enumerate(rows))
    first = next(values, None)
    if first is None:
        return b""
    keys = (gold, pred, *COLUMNS)
    streams = tee(chain([first], values), len(keys))
    golds, preds, text, tokens, ids = (map(methodcaller("get", key), stream) for key, stream in zip(keys, streams))
    sides = Side(golds, "gold", side_reading(reading, 0)), Side(preds, "pred", side_reading(reading, 1))
    if reading.scheme == "auto" and any(side.kind == "tags" for side in sides):
        raise ValueError(
            f"{spell_argument('scheme', 'auto')}: the tags of a partition may not show their scheme; expected one of "
            f"{', '.join(SCHEMES[1:])}"
        )
    chosen = choose_metrics(metrics, lambda: unknown(sides, first.get("text"), first.get("tokens"))).metrics
    counts = count_collapsed(relabel(documents(*sides, text, tokens, reading, ids), rules), chosen, samples, seed)
    counts.label_rules = rules  # no document shows them where none is annotated
    return archive_bytes(counts)


def _row_values(number: int, row: Any, gold: str, pred: str) -> dict[str, Any]:
    """Return the values of a row, with None for missing ones.

    Drop gold annotation without predictions. `documents` cannot do so: it would need to know whether predictions are
    missing in every partition.

    Raises:
        ValueError: The row is neither a dict nor a named tuple, or has no text or no annotation.
    """
    named_values = getattr(row, "asDict", None) or getattr(row, "_asdict", None)
    values = named_values() if named_values else row
    if not isinstance(values, Mapping):
        raise ValueError(f"row {number} is {shorten(repr(row))}; expected a dict, or a tuple with names")
    if missing := [key for key in (gold, pred) if key not in values]:
        raise ValueError(_no_column(f"row {number}", missing[0], [*map(str, values)]))
    values = {key: None if _is_missing(value) else value for key, value in values.items()}
    text, tokens = values.get("text"), values.get("tokens")
    if text is None and tokens is None:
        raise ValueError(f"row {number} has neither a 'text' nor 'tokens'")
    if values[pred] is None and (text is None or str(text).strip()):
        values[gold] = None
    return {**values, "id": row_id(values)}


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, or NaN as tables have it for None."""
    return value is None or (isinstance(value, float) and value != value)


def combine(parts: Iterable[bytes]) -> bytes:
    """Merge parts into one, as one step of a tree reduction.

    Args:
        parts: What `count_partition` or `combine` returned. One at a time is in memory, besides the result.

    Returns:
        A part: the bytes that `count_partition` returns for all rows together.

    Raises:
        ValueError: A part is damaged, or parts were counted in different ways.

    >>> from spacy_nereval.distributed import combine, count_partition
    >>> rows = [{"text": text, "gold": [], "pred": []} for text in ("Ada slept", "Bob, too")]
    >>> combine(count_partition([row], "strict") for row in rows) == count_partition(rows, "strict")
    True
    """
    total = _merge_counts(parts)
    return b"" if total is None else archive_bytes(total)


def merge(parts: Iterable[bytes]) -> Counts:
    """Return the merged counts of all parts, for `score` and `compare`.

    Args:
        parts: What `count_partition` or `combine` returned for all rows, in any order.

    Returns:
        Collapsed counts, as `nereval count --collapse` writes them; `Result.save` keeps them in a file.

    Raises:
        ValueError: As for `combine`; or there are no rows, or a label that is to be kept occurs nowhere.

    >>> from spacy_nereval.distributed import count_partition, merge
    >>> merge([count_partition([{"text": "Ada", "gold": [], "pred": []}], "strict"), b""]).documents
    1
    """
    total = _merge_counts(parts)
    if total is None:
        raise ValueError("there are no rows to count: all partitions are empty")
    check_labels(total)
    return total


def _merge_counts(parts: Iterable[bytes]) -> Counts | None:
    """Return the merged counts of parts, with at most `TOGETHER` of them in memory; None if all are empty."""
    total: Counts | None = None
    files = (InMemory(f"part {number}", bytes(part)) for number, part in enumerate(parts) if part)
    while batch := [*islice(files, TOGETHER)]:
        counts = merge_files(batch, allow_repeats=True)  # partitions may have equal counts
        counts.parts = []  # they would make the bits depend on how the rows were partitioned
        total = counts if total is None else total + counts
    return total


RowCounter = Callable[[Iterable[Any]], bytes]
"""Counts the rows of a partition."""


def count_spark(frame: Any, metrics: Any = None, **options: Any) -> Counts:
    """Count the rows of a Spark DataFrame in one job, on a classic session as with Spark Connect.

    A task counts each partition (`DataFrame.mapInArrow`). Eight tasks merge the parts, and one task merges theirs, so
    that the driver receives a single part.

    Args:
        frame: A DataFrame with the columns that `count_partition` reads. Others are not read.
        metrics, options: As for `count_partition`.

    Returns:
        The counts: the same, bit for bit, as of all rows in one process.

    Raises:
        ValueError: As for `count_partition` and `merge`. Spark wraps the errors of workers.

    Example:
        score(count_spark(spark.read.parquet("s3://bucket/corpus"), "strict,fair"), confidence=True)
    """
    count_rows = _row_counter(metrics, options)
    rows = frame.select(*_columns(frame.columns, count_rows))
    parts = rows.mapInArrow(partial(_count_batches, count_rows), f"{PART} binary")
    for tasks in (TASKS, 1):
        parts = parts.repartition(tasks).mapInArrow(_combine_batches, f"{PART} binary")
    return merge(row[PART] for row in parts.collect())


def count_dask(collection: Any, metrics: Any = None, **options: Any) -> Counts:
    """Count the rows of a Dask bag or DataFrame, merging the counts of its partitions with `Bag.reduction`.

    Args:
        collection: A bag of rows, or a DataFrame with the columns that `count_partition` reads. Others are not read.
        metrics, options: As for `count_partition`.

    Returns:
        The counts: the same, bit for bit, as of all rows in one process.

    Raises:
        ValueError: As for `count_partition` and `merge`.

    Example:
        score(count_dask(dask.bag.read_text("corpus/*.jsonl").map(json.loads), "strict,fair"), confidence=True)
    """
    from dask.base import get_scheduler

    count_rows = _row_counter(metrics, options)
    scheduler = get_scheduler(collections=[collection])  # a bag's default scheduler would start processes
    if hasattr(collection, "to_bag"):
        frame = collection[_columns(collection.columns, count_rows)]
        if texts := [
            name for name in frame.columns if name not in COLUMNS and str(frame.dtypes[name]).startswith("str")
        ]:
            raise ValueError(
                f"the column {texts[0]!r} is text, not lists: Dask makes text of the lists of a pandas DataFrame; "
                'set dask.config.set({"dataframe.convert-string": False}) before, or read them from Parquet'
            )
        collection = frame.to_bag(format="dict")
    return merge([collection.reduction(count_rows, combine, split_every=TOGETHER).compute(scheduler=scheduler)])


def count_ray(dataset: Any, metrics: Any = None, **options: Any) -> Counts:
    """Count the rows of a Ray Dataset: each block by a task of `Dataset.map_batches`, and eight tasks merge the parts.

    Args:
        dataset: A Dataset with the columns that `count_partition` reads. Others are not read.
        metrics, options: As for `count_partition`.

    Returns:
        The counts: the same, bit for bit, as of all rows in one process.

    Raises:
        ValueError: As for `count_partition` and `merge`. Ray wraps the errors of workers.

    Example:
        score(count_ray(ray.data.read_parquet("s3://bucket/corpus"), "strict,fair"), confidence=True)
    """
    count_rows = _row_counter(metrics, options)
    if columns := dataset.columns():
        dataset = dataset.select_columns(_columns(columns, count_rows))
    parts = dataset.map_batches(partial(_count_table, count_rows), batch_size=None, batch_format="pyarrow")
    # Without new blocks, each counting task would merge only its own parts, and the driver all of theirs.
    parts = parts.repartition(TASKS).map_batches(_combine_table, batch_size=None, batch_format="pyarrow")
    return merge(row[PART] for row in parts.iter_rows())


def _row_counter(metrics: Any, options: Mapping[str, Any]) -> partial[bytes]:
    """Return `count_partition` with these arguments, after checking them."""
    count_rows: partial[bytes] = partial(count_partition, metrics=metrics, **options)
    count_rows([])
    return count_rows


def _columns(columns: Iterable[str], count_rows: partial[bytes]) -> list[str]:
    """Return those columns of a table that are read.

    Raises:
        ValueError: The table has no gold annotation, no predictions or no texts.
    """
    names = [*columns]
    keys = [count_rows.keywords.get(side, side) for side in ("gold", "pred")]
    if missing := [key for key in keys if key not in names]:
        raise ValueError(_no_column("the table", missing[0], names))
    if not {"text", "tokens"} & {*names}:
        raise ValueError(f"the table has neither a 'text' nor 'tokens'; it has {join_names(names)}")
    return [name for name in names if name in (*keys, *COLUMNS)]


def _no_column(place: str, key: str, names: Sequence[str]) -> str:
    """Return the message of an error about a missing column."""
    return (
        f"{place} has no {key!r}; it has {join_names(names)}: name the columns with {spell_argument('gold')} and "
        f"{spell_argument('pred')}"
    )


def _count_batches(count_rows: RowCounter, batches: Iterable[Any]) -> Iterator[Any]:
    """Count the rows of record batches, and yield their part in a record batch."""
    yield from _part_batches(count_rows(row for batch in batches for row in batch.to_pylist()))


def _combine_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Merge the parts in record batches, and yield the merged part in a record batch."""
    yield from _part_batches(combine(part for batch in batches for part in batch.column(PART).to_pylist()))


def _part_batches(part: bytes) -> Iterator[Any]:
    """Yield a record batch with a part; none if the part is empty."""
    import pyarrow

    if part:
        yield pyarrow.RecordBatch.from_pydict({PART: pyarrow.array([part], pyarrow.binary())})


def _count_table(count_rows: RowCounter, table: Any) -> dict[str, list[bytes]]:
    return {PART: [count_rows(table.to_pylist())]}


def _combine_table(table: Any) -> dict[str, list[bytes]]:
    return {PART: [combine(table.column(PART).to_pylist())]}
