"""Rows in partitions add up to the same bits as in one process, however they are divided."""

import json
from collections import namedtuple
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from products import NIGHT
from refusals import refused_with

from spacy_nereval import collapse, score
from spacy_nereval.core.compression import packing_stream
from spacy_nereval.distributed import combine, count_dask, count_partition, merge
from spacy_nereval.io.count_files import archive_bytes


def written(path, rows):
    """A file of rows, as its extension says."""
    import pyarrow
    from pyarrow import parquet

    path, table = Path(path), pyarrow.Table.from_pylist(rows)
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=8)
    elif path.suffix == ".arrow":
        with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, 8)
    else:
        with path.open("wb") as file, packing_stream(file, path) as target:
            target.write("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    return path


NAMES, PLACES = ("Ada", "Bob", "Eve"), ("Rome", "Oslo", "Bern", "Kiel")

TAGS = {"PER": ("B-PER", "O", "O"), "LOC": ("B-PER", "O", "B-LOC")}


def span(text, word, label):
    return {"start": text.index(word), "end": text.index(word) + len(word), "label": label}


def rows_of_spans(number=23):
    """Rows with ids. One has no predictions, one no gold annotation, the rest all kinds of mistakes."""
    rows = []
    for k in range(number):
        name, place = NAMES[k % 3], PLACES[k % 4]
        text = f"{name} saw {place} on day {k}."
        gold = [span(text, name, "PER"), span(text, place, "LOC")]
        pred = [
            [span(text, name, "PER")],
            [gold[0], span(text, place, "PER")],
            [],
            gold,
            [span(text, f"saw {place}", "LOC")],
        ]
        rows.append({"id": k, "text": text, "gold": gold, "pred": pred[k % 5], "other": "column"})
    rows[7]["pred"] = rows[8]["gold"] = None
    return rows


def rows_of_tags():
    tags = [["B-PER", "O", "B-LOC", "I-LOC"], ["B-PER", "O", "O", "B-LOC"]]
    words = [[NAMES[k % 3], f"saw{k}", PLACES[k % 4], "city"] for k in range(20)]
    return [{"tokens": own, "gold": tags[0], "pred": tags[k % 3 == 0]} for k, own in enumerate(words)]


def as_tuples(rows, kind):
    found = [{**row, "gold": [*map(kind, row["gold"] or ())], "pred": [*map(kind, row["pred"] or ())]} for row in rows]
    Row = namedtuple("Row", found[0])
    return [Row(**row) for row in found]


def in_array(spans):
    """Spans as Parquet has them in pandas, whose missing lists are numbers."""
    return float("nan") if spans is None else np.array(spans, dtype=object)


def without_ids(rows):
    return [{key: value for key, value in row.items() if key != "id"} for row in rows]


SPANS, PLAIN = rows_of_spans(), without_ids(rows_of_spans())

CASES = {
    "ids": (SPANS, {}),
    "no ids, no half-samples": (PLAIN, {"samples": 0}),
    "named tuples of tuples": (as_tuples(PLAIN, lambda each: (*each.values(),)), {}),
    "arrays": ([{**row, "gold": in_array(row["gold"])} for row in SPANS], {"seed": 3}),
    "tags": (rows_of_tags(), {"scheme": "IOB2"}),
    "mentions": (
        [{"text": f"{a} in {b}", "gold": [(a, "PER")], "pred": {"LOC": [b]}} for a in NAMES for b in PLACES],
        {"metrics": "strict,mentions"},
    ),
    "labels": (PLAIN, {"labels": {"PER": "NAME"}, "only": "NAME"}),
    "other columns": ([{**row, "mine": row["pred"], "pred": 1} for row in SPANS], {"pred": "mine"}),
}


def divided(rows, partitions):
    """Rows in several partitions, of which the third is empty, and the last first."""
    found = [rows[k::partitions] for k in range(partitions)]
    return [*found[:2], [], *found[2:]][::-1]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("alone", [False, pytest.param(True, marks=NIGHT)])
def test_rows_that_are_divided_add_up_to_the_same_bits(case, alone):
    """In five partitions; and at night with every row in one of its own, as rows with ids are by day."""
    rows, options = CASES[case]
    metrics = (options := {**options}).pop("metrics", "strict,fair,wrf")
    counted = partial(count_partition, metrics=metrics, **({"samples": 20} | options))
    expected = counted(rows)
    assert {counted([*rows[::-1]]), combine([expected, b""])} == {expected}
    for partitions in (5, len(rows)) if alone or case == "ids" else (5,):
        parts = [*map(counted, divided(rows, partitions))]
        assert b"" in parts and combine(parts) == expected
        assert combine([combine(parts[:4]), combine(parts[4:])]) == expected
        assert archive_bytes(merge(parts)) == expected


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("ids", "arrays", "other columns")])
def test_they_are_the_counts_of_score(case):
    """Whose documents are collapsed after counting, and which reads columns and not rows."""
    rows, options = CASES[case]
    rows = [row if isinstance(row, dict) else row._asdict() for row in rows]
    metrics = (options := {**options}).pop("metrics", "strict,fair,wrf")
    samples, seed = options.pop("samples", 20), options.pop("seed", 0)
    lists = {key: [row[key] for row in rows] for key in rows[0]}
    column = "tokens" if "tokens" in rows[0] else "text"
    whole = score(lists["gold"], lists["pred"], metrics, True, **{column: lists[column]}, **options).counts
    assert archive_bytes(collapse(whole, samples, seed)) == count_partition(
        rows, metrics, samples=samples, seed=seed, **options
    )


def test_ids_decide_in_which_half_samples_documents_are():
    """And the checksum that says which documents were counted, which is left out here."""

    def archived(rows, samples):
        counts = merge([count_partition(rows, "strict", samples=samples)])
        counts.collapsed = counts.collapsed._replace(gold_sum=None)
        return archive_bytes(counts)

    whole = [archived(rows, samples) for rows in (SPANS, PLAIN) for samples in (0, 20)]
    assert whole[0] == whole[2] and whole[1] != whole[3]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_partitions_with_equal_counts_and_partitions_without_annotation_add_up(missing):
    """A count file that two others were merged from would be refused."""
    part = partial(count_partition, metrics="strict", samples=0, labels={"PER": "NAME"})
    skipped = [{**row, "pred": None} for row in SPANS[:3]]
    found = merge([part(SPANS[:1]), part(SPANS[15:16]), part(skipped), part([{**SPANS[0], "gold": missing}])])
    assert (found.documents, found.skipped, found.pred) == (2, 4, 2)
    (again,) = (merge([archive_bytes(found), part(SPANS[:1])]),)
    assert again.documents == 3


REFUSED = {
    "expected a dict": ([("Ada", [], [])], {}),
    "row 0 has no 'gold'; it has text, spans": ([{"text": "Ada", "spans": []}], {}),
    "row 1 has neither a 'text' nor 'tokens'": ([SPANS[0], {"gold": [], "pred": []}], {}),
    r"document 1 \(b\): .*ends after the text": (
        [SPANS[0], {"id": "b", "text": "Ada", "gold": [], "pred": [(0, 9, "PER")]}],
        {},
    ),
    "scheme.*may not show": (rows_of_tags(), {}),
    **{
        f"^scheme='auto': the tags of a partition may not show their scheme; expected one of IOB1{end}": (
            [{"tokens": ["Ada", "met"], "gold": [(0, 3, "PER")], "pred": [(0, 3, "PER")], side: ["B-PER", "O"]}],
            {},
        )
        for side, end in (("gold", ""), ("pred", ", "))
    },
    "mentions depends on the corpus": ([], {"metrics": {"mentions": {"scope": "hits"}}}),
    "there is no metric 'stric'": ([], {"metrics": "stric"}),
    "samples": ([], {"samples": -1}),
    "count_partition has no argument scheme1: did you mean 'scheme'": ([], {"scheme1": "IOB2"}),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_cannot_be_counted_is_refused(said):
    rows, options = REFUSED[said]
    with pytest.raises((ValueError, TypeError), match=said):
        count_partition(rows, **options)


def test_what_cannot_be_merged_is_refused():
    part = count_partition(SPANS, "strict")
    for parts, said in [
        ([], "all partitions are empty"),
        ([part, count_partition(SPANS, "fair")], "one has the metrics strict, the other fair"),
        ([part, count_partition(SPANS, "strict", seed=1)], "seed"),
        ([part, part[:-9]], "part 1 is not a count file, or is damaged"),
        ([count_partition(PLAIN, "strict", only="PRE")], "PRE"),
    ]:
        with pytest.raises(ValueError, match=said):
            merge(parts)


def test_columns_that_a_table_lacks_are_named_before_anything_runs():
    class Frame:
        columns = ("text", "gold", "predicted")
        to_bag = __dask_scheduler__ = None

    for name, named in (("pred", {}), ("guess", {"pred": "guess"})):
        with pytest.raises(ValueError, match=rf"the table has no '{name}'; it has text, gold, predicted: .*pred="):
            count_dask(Frame(), **named)
    Frame.columns = ("gold", "pred")
    with refused_with(ValueError, "the table has neither a 'text' nor 'tokens'; it has gold, pred"):
        count_dask(Frame())
    with pytest.raises(ValueError, match="there is no metric 'stric'"):
        count_dask(Frame(), "stric")
