"""Count the rows of a table that an engine holds in parts: a DataFrame of Spark or Dask, a bag, data of Ray.

A *part* is here the content of a count file, as bytes: the collapsed counts of one partition of the rows. Parts add up
in any order and any tree to the same bits, so every engine may use its own way to reduce.
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
from ...core.arguments import SCHEMES
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
"""Parts that are in memory at once."""

TASKS = 8
"""Tasks that merge the parts of all partitions, where the engine does not say how many there are. One merges theirs."""

PART = "part"
"""The column of parts in the tables of engines."""

COLUMNS = ("text", "tokens", "id")
"""The columns that are read beside those of gold and predictions, where they are there."""


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
    """Count some rows of a corpus, wherever they are, to be merged with the counts of the others.

    A row is a dict, or a named tuple as Spark's `Row` and pandas have them, with

    - "text", or "tokens" (words, or their (start, end) in the text), or both;
    - gold annotation and predictions: spans, mentions or tags, as `score` takes them; None if there is none;
    - "id", if the document has one. It, or without one the text with its gold spans, decides in which half-samples
      the document is. Nobody looks for documents with the same id.

    Args:
        rows: The rows of one partition, in any order. They are read as a stream, tags all at once.
        metrics: Names, or a table `{name: options}`, as for `score`, but `hierarchical` is only counted if it is named.
        gold, pred: The keys of gold annotation and predictions.
        samples: The number of half-samples to keep, from which intervals are computed; 0 for none.
        seed: Of their random bits.
        options: How rows are read. See `score`. Tags need their `scheme`, since those of one partition may not show it.

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
    read = (_checked(number, row, gold, pred) for number, row in enumerate(rows))
    first = next(read, None)
    if first is None:
        return b""
    keys = (gold, pred, *COLUMNS)
    given = [map(methodcaller("get", key), own) for key, own in zip(keys, tee(chain([first], read), len(keys)))]
    sides = Side(given[0], "gold", reading), Side(given[1], "pred", reading)
    if reading.scheme == "auto" and any(side.kind == "tags" for side in sides):
        raise ValueError(
            f"{spell_argument('scheme', 'auto')}: the tags of a partition may not show their scheme; expected one of "
            f"{', '.join(SCHEMES[1:])}"
        )
    chosen = choose_metrics(metrics, lambda: unknown(sides, first.get("text"), first.get("tokens"))).metrics
    text, tokens, ids = given[2:]
    read_documents = documents(*sides, text, tokens, reading, ids)
    counts = count_collapsed(relabel(read_documents, rules), chosen, samples, seed)
    counts.label_rules = rules  # no document shows them where none is annotated
    return archive_bytes(counts)


def _checked(number: int, row: Any, gold: str, pred: str) -> dict[str, Any]:
    """Return a row as a dict, with None for what is missing in whatever way.

    Gold annotation without predictions is left out. It is not left to `documents` to find out whether all predictions
    are missing, since those of other partitions may be there.

    Raises:
        ValueError: It is no row, or has no text or no annotation.
    """
    named_values = getattr(row, "asDict", None) or getattr(row, "_asdict", None)
    found = named_values() if named_values else row
    if not isinstance(found, Mapping):
        raise ValueError(f"row {number} is {shorten(repr(row))}; expected a dict, or a tuple with names")
    if missing := [key for key in (gold, pred) if key not in found]:
        raise ValueError(_no_column(f"row {number}", missing[0], [*map(str, found)]))
    found = {key: None if _is_missing(value) else value for key, value in found.items()}
    text, tokens = found.get("text"), found.get("tokens")
    if text is None and tokens is None:
        raise ValueError(f"row {number} has neither a 'text' nor 'tokens'")
    if found[pred] is None and (text is None or str(text).strip()):
        found[gold] = None
    return {**found, "id": row_id(found)}


def _is_missing(value: Any) -> bool:
    """Return whether a value is None or the number that tables have in its place."""
    return value is None or (isinstance(value, float) and value != value)


def combine(parts: Iterable[bytes]) -> bytes:
    """Merge parts to one, as a step of a tree.

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
    total = _merged(parts)
    return b"" if total is None else archive_bytes(total)


def merge(parts: Iterable[bytes]) -> Counts:
    """Return the counts of all parts together, which `score` makes a result of and `compare` compares.

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
    total = _merged(parts)
    if total is None:
        raise ValueError("there are no rows to count: all partitions are empty")
    check_labels(total)
    return total


def _merged(parts: Iterable[bytes]) -> Counts | None:
    """Return the counts of parts, of which some are in memory at a time; None if all are empty."""
    total: Counts | None = None
    files = (InMemory(f"part {number}", bytes(part)) for number, part in enumerate(parts) if part)
    while some := [*islice(files, TOGETHER)]:
        found = merge_files(some, allow_repeats=True)  # partitions may have equal counts
        found.parts = []  # else the bits would tell how the rows were divided
        total = found if total is None else total + found
    return total


Counting = Callable[[Iterable[Any]], bytes]
"""Counts the rows of a partition."""


def count_spark(frame: Any, metrics: Any = None, **options: Any) -> Counts:
    """Count the rows of a Spark DataFrame in one job, on a classic session as with Spark Connect.

    Each partition is counted by a task (`DataFrame.mapInArrow`); eight tasks merge what came of these, and one merges
    what came of them, so that the driver gets a single part.

    Args:
        frame: A DataFrame with the columns that `count_partition` reads. Others are not read.
        metrics, options: As for `count_partition`.

    Returns:
        The counts: the same, bit for bit, as of all rows in one process.

    Raises:
        ValueError: As for `count_partition` and `merge`. What a worker raises, Spark wraps.

    Example:
        score(count_spark(spark.read.parquet("s3://bucket/corpus"), "strict,fair"), confidence=True)
    """
    counting = _counting(metrics, options)
    parts = frame.select(*_columns(frame.columns, counting)).mapInArrow(partial(_counted, counting), f"{PART} binary")
    for tasks in (TASKS, 1):
        parts = parts.repartition(tasks).mapInArrow(_combined, f"{PART} binary")
    return merge(row[PART] for row in parts.collect())


def count_dask(collection: Any, metrics: Any = None, **options: Any) -> Counts:
    """Count the rows of a Dask bag or DataFrame, and merge the counts of its partitions by `Bag.reduction`.

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

    counting = _counting(metrics, options)
    scheduler = get_scheduler(collections=[collection])  # that of a bag would start processes
    if hasattr(collection, "to_bag"):
        frame = collection[_columns(collection.columns, counting)]
        if texts := [
            name for name in frame.columns if name not in COLUMNS and str(frame.dtypes[name]).startswith("str")
        ]:
            raise ValueError(
                f"the column {texts[0]!r} is text, not lists: Dask makes text of the lists of a pandas DataFrame; "
                'set dask.config.set({"dataframe.convert-string": False}) before, or read them from Parquet'
            )
        collection = frame.to_bag(format="dict")
    return merge([collection.reduction(counting, combine, split_every=TOGETHER).compute(scheduler=scheduler)])


def count_ray(dataset: Any, metrics: Any = None, **options: Any) -> Counts:
    """Count the rows of a Ray Dataset: each block by a task of `Dataset.map_batches`, and eight tasks merge the parts.

    Args:
        dataset: A Dataset with the columns that `count_partition` reads. Others are not read.
        metrics, options: As for `count_partition`.

    Returns:
        The counts: the same, bit for bit, as of all rows in one process.

    Raises:
        ValueError: As for `count_partition` and `merge`. What a worker raises, Ray wraps.

    Example:
        score(count_ray(ray.data.read_parquet("s3://bucket/corpus"), "strict,fair"), confidence=True)
    """
    counting = _counting(metrics, options)
    if columns := dataset.columns():
        dataset = dataset.select_columns(_columns(columns, counting))
    parts = dataset.map_batches(partial(_counted_table, counting), batch_size=None, batch_format="pyarrow")
    # Without blocks of their own, parts would be merged by the task that counts, and all of them by the driver.
    parts = parts.repartition(TASKS).map_batches(_combined_table, batch_size=None, batch_format="pyarrow")
    return merge(row[PART] for row in parts.iter_rows())


def _counting(metrics: Any, options: Mapping[str, Any]) -> partial[bytes]:
    """Return `count_partition` with these arguments, once they are checked."""
    counting: partial[bytes] = partial(count_partition, metrics=metrics, **options)
    counting([])
    return counting


def _columns(columns: Iterable[str], counting: partial[bytes]) -> list[str]:
    """Return the columns to read, of those that a table has.

    Raises:
        ValueError: It has no gold annotation, no predictions or no texts.
    """
    names = [*columns]
    keys = [counting.keywords.get(side, side) for side in ("gold", "pred")]
    if missing := [key for key in keys if key not in names]:
        raise ValueError(_no_column("the table", missing[0], names))
    if not {"text", "tokens"} & {*names}:
        raise ValueError(f"the table has neither a 'text' nor 'tokens'; it has {join_names(names)}")
    return [name for name in names if name in (*keys, *COLUMNS)]


def _no_column(what: str, key: str, names: Sequence[str]) -> str:
    return (
        f"{what} has no {key!r}; it has {join_names(names)}: name the columns with {spell_argument('gold')} and "
        f"{spell_argument('pred')}"
    )


def _counted(counting: Counting, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the part of some record batches, in one of its own."""
    yield from _as_batches(counting(row for batch in batches for row in batch.to_pylist()))


def _combined(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the part that the parts in some record batches make, in one of its own."""
    yield from _as_batches(combine(part for batch in batches for part in batch.column(PART).to_pylist()))


def _as_batches(part: bytes) -> Iterator[Any]:
    import pyarrow

    if part:
        yield pyarrow.RecordBatch.from_pydict({PART: pyarrow.array([part], pyarrow.binary())})


def _counted_table(counting: Counting, table: Any) -> dict[str, list[bytes]]:
    return {PART: [counting(table.to_pylist())]}


def _combined_table(table: Any) -> dict[str, list[bytes]]:
    return {PART: [combine(table.column(PART).to_pylist())]}
