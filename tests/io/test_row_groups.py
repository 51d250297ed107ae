"""Parquet and Arrow: rows as those of JSONL or Hugging Face, read by row groups; rows that are written."""

import json
import struct
import sys
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from commands import line, printed, refused, write
from reading import check_row_files, error, read, rows_in
from refusals import refused_with
from samples import FORMS, HF, ROW, SPANS, TAGS, TEXT, write_table

from spacy_nereval.io import tables
from spacy_nereval.io.converting import Losses
from spacy_nereval.io.converting import write_table as write_table_of
from spacy_nereval.io.records import Record
from spacy_nereval.io.tables import write_documents, write_rows

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

ENDINGS = [".parquet", ".arrow", ".feather"]

CORPUS = [
    line("Ada Lovelace met Bob", (0, 12, "PER"), (0, 3, "PER"), (17, 20, "PER"), id="a", meta={"source": "x", "n": 1}),
    line("nothing", id="b", meta={"source": None, "deep": {"k": [1, 2.5]}}),
    line("not annotated", id="c", answer="ignore"),
    line("😀 in Rome", (5, 9, "LOC"), id="d", tokens=[{"start": 0, "end": 1}, {"start": 2, "end": 4}]),
    {"text": "Eve", "spans": [{"start": 0, "end": 3, "label": "PER", "score": 1 / 3}], "id": "e"},
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_documents_come_back_from_a_table_as_they_are(ending, tmp_path, monkeypatch):
    """Through several groups and blocks of rows, and again as JSONL."""

    def convert(source: Path, target: Path) -> Path:
        printed("convert", source, target)
        return target

    monkeypatch.setattr(tables, "ROWS", 2)
    monkeypatch.setattr(tables, "ROWS_IN_GROUP", 3)
    source = write(tmp_path / "a.jsonl", *CORPUS)
    written = convert(source, tmp_path / f"a{ending}")
    assert read(written) == read(source)
    assert read(convert(written, tmp_path / "b.jsonl")) == read(source)
    assert (tmp_path / "b.jsonl").read_text() == convert(source, tmp_path / "c.jsonl").read_text()
    empty = tmp_path / f"empty{ending}"
    write_documents(empty, [])
    assert read(empty) == []


STRUCT = pa.struct([("start", pa.int16()), ("end", pa.uint32()), ("label", pa.dictionary(pa.int8(), pa.string()))])

COLUMNS = {key: [span[key] for span in ROW["spans"]] for key in ("start", "end", "label")}
PLACE = {"start": 0, "end": 3}

SHAPES: dict[str, dict[str, Any]] = {
    "spans are objects": ROW,
    "another key": {"text": TEXT, "entities": ROW["spans"]},
    "an object of lists": {"text": TEXT, "spans": COLUMNS},
    "text in JSON": {"text": TEXT, "spans": json.dumps(ROW["spans"])},
    "triples in JSON": {"text": TEXT, "entities": json.dumps(SPANS)},
    "tokens and tags": HF,
    "a text beside tokens and tags": HF | {"text": TEXT},
    "tags as text": {"tokens": FORMS, "tags": TAGS},
    "mentions": {"text": TEXT, "mentions": [{"text": TEXT[a:b], "label": label} for a, b, label in SPANS]},
    "a key of tags beside places of tokens": {"text": TEXT, "tokens": [PLACE], "labels": ROW["spans"]},
    "an id in brackets": ROW | {"id": "[7"},
    "tags of a document": ROW | {"tokens": [PLACE], "tags": ["news"]},
    "nulls": ROW | {"id": None, "tokens": None, "meta": None, "answer": None},
}


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
@pytest.mark.parametrize("name", SHAPES)
def test_rows_of_every_shape_are_read(name, ending, tmp_path):
    (record,) = read(write_table(tmp_path / f"a{ending}", SHAPES[name]))
    assert record.text.replace(" .", ".") == TEXT
    assert {*record.spans} == {*SPANS}


def test_narrow_and_wide_types_are_read(tmp_path):
    table = {"text": pa.array([TEXT], pa.large_string()), "spans": pa.array([ROW["spans"]], pa.large_list(STRUCT))}
    table |= {"id": pa.array([7]), "meta": pa.array([[("source", "x")]], pa.map_(pa.string(), pa.string()))}
    parquet.write_table(pa.table(table | {"image": pa.array([b"x"])}), tmp_path / "a.parquet")
    (record,) = read(tmp_path / "a.parquet")
    assert (record.text, {*record.spans}, record.id, record.meta) == (TEXT, {*SPANS}, "7", {"source": "x"})
    tagged = SHAPES["tags as text"].items()
    for kind in (pa.large_list(pa.string()), pa.list_(pa.string(), 8)):
        parquet.write_table(pa.table({name: pa.array([each], kind) for name, each in tagged}), tmp_path / "b.parquet")
        assert {*read(tmp_path / "b.parquet")[0].spans} == {*SPANS}


NUMBERED = [span | {"label": ["LOC", "PER"].index(span["label"])} for span in ROW["spans"]]
IN_LISTS = COLUMNS | {"label": [span["label"] for span in NUMBERED]}
CLASS = {"names": ["LOC", "PER"], "_type": "ClassLabel"}


@pytest.mark.parametrize(
    ("spans", "feature"),
    [(NUMBERED, {"feature": {"label": CLASS}, "_type": "List"}), (NUMBERED, [{"label": CLASS}])]
    + [(IN_LISTS, {"label": {"feature": CLASS}})],
)
def test_labels_of_spans_that_are_numbers_have_the_names_of_the_schema(spans, feature, tmp_path):
    about = {"huggingface": json.dumps({"info": {"features": {"spans": feature}}})}
    for name, own in (("a", spans), ("b", [NUMBERED[0] | {"label": -1}])):
        table = pa.Table.from_pylist([{"text": TEXT, "spans": own}])
        parquet.write_table(table.replace_schema_metadata(about), tmp_path / f"{name}.parquet")
    assert {*read(tmp_path / "a.parquet")[0].spans} == {*SPANS}
    assert isinstance(spans, dict) or "row 1: the label -1 has no name" in error(tmp_path / "b.parquet")


def test_data_sets_that_the_library_itself_writes_are_read(tmp_path):
    datasets = pytest.importorskip("datasets", reason="datasets is no dependency")
    kinds = datasets.Value("string"), datasets.ClassLabel(names=["O", "B-PER", "B-LOC", "I-LOC"])
    features = dict(zip(("tokens", "ner_tags"), map(datasets.Sequence, kinds)))
    found = datasets.Dataset.from_list([HF], features=datasets.Features(features))
    found.to_parquet(tmp_path / "a.parquet")
    found.save_to_disk(tmp_path / "a")
    (stream,) = (tmp_path / "a").glob("*.arrow")
    assert {*read(tmp_path / "a.parquet")[0].spans} == {*SPANS}
    assert read(stream) == read(tmp_path / "a.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_a_group_of_rows_is_in_memory(ending, tmp_path, monkeypatch):
    """Neither Python's objects nor those of Arrow grow with the file."""
    monkeypatch.setattr(tables, "ROWS", 100)
    monkeypatch.setattr(tables, "ROWS_IN_GROUP", 200)
    most, peak = {}, 0
    for size in (200, 4000):  # Readers of Arrow have buffers of their own, in old versions of megabytes.
        path = tmp_path / f"{size}{ending}"
        write_documents(path, (line(f"Ada met Bob {k} " * 20, (0, 3, "PER"), id=str(k)) for k in range(size)))
        before, most[size] = pa.total_allocated_bytes(), 0
        tracemalloc.start()
        for number, _ in tables.Table(path).rows(["text", "spans", "id"]):  # noqa: B007  # used after the loop
            most[size] = max(most[size], pa.total_allocated_bytes() - before)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert number == size
    whole = sum(len(record.text) for record in read(path))
    assert most[4000] - most[200] < whole / 4
    assert peak < whole / 2


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_a_file_that_is_cut_off_or_changed_is_an_error(ending, stream, tmp_path):
    rows = [line(f"Ada met Bob {k}", (0, 3, "PER")) for k in range(40)]
    path = write_table(tmp_path / f"a{ending}", *rows, stream=stream, compression="none")
    data = path.read_bytes()
    for cut in {*range(8, len(data), len(data) // 60), len(data) - 1, len(data) - 8}:
        path.write_bytes(data[:cut])
        assert error(path).startswith(f"{path} is damaged, or no file of Parquet or Arrow (")
    place = data.index(b"Bob 17")
    path.write_bytes(data[:place] + b"C" + data[place + 1 :])
    if ending == ".parquet":
        assert "CRC" in error(path)
        return
    offsets = struct.pack("<3i", 0, 13, 26)  # of the texts; Arrow has no checksums
    path.write_bytes(data.replace(offsets, offsets[:8] + struct.pack("<i", 1 << 30)))
    assert error(path).startswith(f"{path} is damaged")


REFUSED = [
    ([ROW, line("Ada", (0, 9, "PER"))], "a.parquet, row 2: span 0"),
    ([ROW, {"text": "Ada", "spans": None}], 'a.parquet, row 2: there is no list of "spans"'),
    ([HF | {"ner_tags": [1]}], "a.parquet, row 1: expected one tag per token; there are 8 tokens and 1 tag"),
    ([{"tokens": ["a", "b"], "tags": ["B-X", "I-Y"]}], "a.parquet, row 1: I-Y continues no span, and the tags"),
    ([{"sentence": "Ada"}], 'a.parquet, row 1: expected an object with a "text"'),
    ([{"text": "Ada", "spans": "[{"}], "a.parquet, row 1: "),
    ([{"text": "Ada", "spans": '[{"end": 1, "end": 2}]'}], "a.parquet, row 1: the key 'end' occurs twice"),
    ([{"text": "Ada", "spans": {"start": [0], "end": [3, 4], "label": ["A"]}}], "a.parquet, row 1: "),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_row_that_cannot_be_read_is_named(rows, said, tmp_path):
    assert said in error(write_table(tmp_path / "a.parquet", *rows))


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_a_column_that_occurs_twice_is_named_and_others_may(ending, tmp_path):
    row = {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}], "note": "x"}
    table = pa.Table.from_pylist([row])
    path = tmp_path / f"a{ending}"
    for name, said in (("spans", "several columns are called 'spans': keep one of them"), ("note", "")):
        twice = table.append_column(name, table[name])
        if ending == ".parquet":
            parquet.write_table(twice, path)
        else:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, twice.schema) as writer:
                writer.write_table(twice)
        if said:
            assert error(path) == f"{path}: {said}"
        else:
            assert [record.spans for record in read(path)] == [{(0, 3, "PER")}]


def test_a_table_by_another_name_is_read_by_its_content(tmp_path):
    path = write_table(tmp_path / "a.parquet", ROW).rename(tmp_path / "part-0")
    assert read(path, name="parquet") == read(path, name="jsonl")
    (tmp_path / "b.parquet").write_text("text")
    assert error(tmp_path / "b.parquet").startswith(f"{tmp_path / 'b.parquet'} is damaged, or no file of Parquet")


def test_pyarrow_that_is_not_installed_is_named(tmp_path, monkeypatch):
    path, good = write_table(tmp_path / "a.parquet", ROW), write(tmp_path / "a.jsonl", *CORPUS)
    for name in ("pyarrow", "pyarrow.lib"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    wanted = f"Parquet and Arrow files need the package pyarrow: {tables.install_command('parquet')}"
    assert refused("score", path, path) == f"✘ {path}: {wanted}"
    output = tmp_path / "rows.parquet"
    assert refused("errors", good, good, "-o", output) == f"✘ {output}: {wanted}"
    assert refused("convert", good, output) == f"✘ {output}: {wanted}"


def test_annotators_of_a_table_are_chosen_as_those_of_lines(tmp_path):
    rows = [ROW | {"_annotator_id": "ann"}, line(TEXT) | {"_annotator_id": "bob"}]
    path = write_table(tmp_path / "a.parquet", *rows)
    assert "choose an annotator with annotator=: ann, bob" in error(path)
    assert {*read(path, annotator="ann")[0].spans} == {*SPANS}


# Rows that commands write

OUTPUTS = {
    "errors": ("errors", "{gold}", "{pred}", "-o", "{out}"),
    "documents": ("score", "{gold}", "{pred}", "-m", "strict,fair", "--per-document", "{out}"),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_file_of_rows_may_be_a_table(name, tmp_path):
    parts = [row["spans"][k % 2 :] for k, row in enumerate(CORPUS)]
    preds = [row | {"spans": spans} for row, spans in zip(CORPUS, parts)]
    files = {"gold": write(tmp_path / "g.jsonl", *CORPUS), "pred": write(tmp_path / "p.jsonl", *preds)}
    check_row_files(tmp_path, *(part.format(**files, out="{out}") for part in OUTPUTS[name]))


def test_columns_have_the_same_types_whatever_is_in_them(tmp_path):
    """A file without rows, and one whose first thousands of rows are null."""
    row = {"document": "a", "gold_label": None, "gold_start": None, "in_text": None, "strict_f": None}
    later = {"document": 7, "gold_label": "\ud800", "gold_start": 3, "in_text": True, "strict_f": 1}
    schemas = []
    for name, rows in (("none", []), ("some", [row] * 3), ("many", [row] * 9000 + [later])):
        path = tmp_path / f"{name}.parquet"
        assert write_rows(path, rows, header=[*row]) == len(rows)
        schemas.append(parquet.read_schema(path))
    assert schemas[0] == schemas[1] == schemas[2]
    assert [str(kind) for kind in schemas[0].types] == ["string", "string", "int64", "bool", "double"]
    assert rows_in(path)[-1] == {**later, "document": "7", "gold_label": "\\ud800", "strict_f": 1.0}
    assert parquet.ParquetFile(path).num_row_groups == 2


def test_a_table_that_cannot_be_written_leaves_nothing(tmp_path):
    with refused_with(
        ValueError,
        "document 0: the character '\\ud800' cannot be written in this format; choose another",
    ):
        write_table_of(tmp_path / "a.parquet", [Record("Ada", set()), Record("\ud800", set())], Losses(False, "table"))
    assert not [*tmp_path.iterdir()]


@pytest.mark.costly
def test_the_size_of_rows_counts_every_repetition_of_a_text():
    """Whatever the type of the column is. Each text has 8 bytes in addition to its characters."""
    import pyarrow as pa

    from spacy_nereval.io.table_sizes import row_sizes, small_slices

    texts = pa.array(["ab", None, "abcd", ""])
    wanted = [10, 8, 12, 8]
    columns = [
        texts,
        texts.cast(pa.large_string()),
        texts.dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
    ]
    with suppress(pa.ArrowNotImplementedError):  # which older releases cannot do
        columns.append(texts.cast(pa.string_view()))
    for column in columns:
        kind = column.type
        assert row_sizes(column).tolist() == wanted, kind
        assert row_sizes(column.slice(1, 2)).tolist() == wanted[1:3], kind
    lists = pa.array([["ab", "c"], [], None, ["d"]])
    assert row_sizes(lists).tolist() == [8 + 10 + 9, 8, 8, 8 + 9]
    assert row_sizes(lists.slice(2)).tolist() == [8, 8 + 9]
    assert row_sizes(pa.array([{"a": 1, "b": "xy"}, None])).tolist() == [8 + 8 + 10, 8 + 8 + 8]
    assert row_sizes(pa.nulls(2, pa.list_(pa.null(), 1000))).tolist() == [8 + 8000] * 2
    batch = pa.record_batch({"text": ["a" * (10 << 20)] * 5})
    assert [(rows.num_rows, size >> 20) for rows, size in small_slices(batch, 1000)] == [(1, 10)] * 5
    batch = pa.record_batch({"text": ["a"] * 2500})
    assert [rows.num_rows for rows, _ in small_slices(batch, 1000)] == [1000, 1000, 500]


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("maker", ["new_file", "new_stream"])
def test_the_unpacked_size_of_arrow_is_known_before_it_is_unpacked(compression, maker, tmp_path, monkeypatch):
    import pyarrow as pa

    from spacy_nereval.core import expansion
    from spacy_nereval.io import table_sizes

    table = pa.table({"text": [f"{k}" * 50 for k in range(5000)], "n": range(5000)})
    path = tmp_path / "a.arrow"
    with getattr(pa.ipc, maker)(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=1000)
    content = path.read_bytes()
    sizes = [table_sizes._unpacked_size(content, place) for place in table_sizes._messages(content, len(content))]
    batches = [size for size in sizes if size]
    wanted = [sum(column.nbytes for column in batch.columns) for batch in table.to_batches(1000)]
    assert len(batches) == 5
    assert all(expected <= size <= expected * 1.1 for size, expected in zip(batches, wanted))
    monkeypatch.setenv(expansion.VARIABLE, "1")
    monkeypatch.setattr(expansion, "READ", sum(sizes))
    table_sizes.check_arrow("a.arrow", content, len(content))
    if compression:
        monkeypatch.setattr(expansion, "READ", sum(sizes) - 1)
        with pytest.raises(expansion.TooLarge):
            table_sizes.check_arrow("a.arrow", content, len(content))
