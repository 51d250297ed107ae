"""The same corpus in whatever holds it is one number, bit for bit. test_partitions.py has the tables of engines."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import printed
from sharded import PAGE
from test_partitions import SPANS, written

from spacy_nereval import score
from spacy_nereval.core.compression import EXTENSIONS
from spacy_nereval.distributed import count_partition, merge
from spacy_nereval.io.count_files import load

METRICS = "strict,fair"
ROWS = [{key: value for key, value in row.items() if key != "other"} for row in SPANS if None not in row.values()]
KINDS = ["jsonl", *(f"jsonl{extension}" for extension in EXTENSIONS), "parquet", "arrow"]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    """The result of all rows in memory."""
    return score(merge([count_partition(ROWS, METRICS)]), confidence=True).to_dict()


def counted(*arguments: object) -> dict[str, Any]:
    printed("count", *arguments, "-m", METRICS, "--both", "--column", "gold,pred", "--collapse", "-o", "all.npz")
    return score(load(Path("all.npz")), confidence=True).to_dict()


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_all_kinds_are_one_number(kind, expected):
    assert counted(written(f"all.{kind}", ROWS)) == expected
    for k in range(3):
        written(f"part-{k}.{kind}", ROWS[k::3])
    Path("list.txt").write_text("part-0*\npart-[12]*\n")
    assert counted("--files-from", "list.txt") == expected


@pytest.mark.slow
def test_a_folder_of_shards_is_counted_by_the_command_of_the_page(expected):
    Path("corpus").mkdir()
    for k in range(3):
        written(f"corpus/{k}.parquet", ROWS[k::3])
    (command,) = [line for line in PAGE.read_text("utf8").splitlines() if line.startswith("nereval count corpus ")]
    printed(*command.split()[1:], "-m", METRICS)
    assert score(load(Path("counts.npz")), confidence=True).to_dict() == expected


class Streaming:
    """What a `datasets.IterableDataset` is: features, and an iterator that makes rows one by one. It has no length."""

    features = {"text": "string", "gold": [{}], "pred": [{}]}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(ROWS)


def frame() -> Iterator[Any]:
    import pandas

    return pandas.DataFrame(ROWS).itertuples()


OBJECTS: dict[str, Callable[[], Any]] = {"a generator": lambda: iter(ROWS), "a stream": Streaming, "a frame": frame}


@pytest.mark.parametrize("what", OBJECTS)
def test_rows_in_memory_are_one_number(what, expected):
    assert score(merge([count_partition(OBJECTS[what](), METRICS)]), confidence=True).to_dict() == expected


def test_data_sets_of_hugging_face_are_one_number(expected):
    datasets = pytest.importorskip("datasets", reason="datasets is no dependency")
    whole = datasets.Dataset.from_list(ROWS)
    whole.save_to_disk("saved")
    shards = whole.to_iterable_dataset(num_shards=4)
    for rows in (whole, shards):
        assert score(merge([count_partition(rows, METRICS)]), confidence=True).to_dict() == expected
    assert counted(*Path("saved").glob("*.arrow")) == expected


@pytest.mark.slow
def test_no_row_is_read_before_the_one_before_it_is_counted(monkeypatch):
    """Rows of a stream are not kept: of many, few are there at once."""
    import gc
    import weakref

    class Row(dict):
        pass

    alive: list[weakref.ref[Row]] = []
    most = [0]

    def rows() -> Iterator[Row]:
        for k in range(2000):
            row = Row(text=f"Ada {k}", gold=np.empty((0, 3)).tolist(), pred=[])
            alive.append(weakref.ref(row))
            if k % 500 == 0:
                gc.collect()
                most[0] = max(most[0], sum(each() is not None for each in alive))
            yield row

    assert merge([count_partition(rows(), "strict", samples=0)]).documents == 2000
    assert most[0] < 5, most
