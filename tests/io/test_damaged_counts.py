"""Damaged files of counts, and files of something else, are refused."""

import io
import json
import os
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pydantic
import pytest
from asking import refusal
from made_up import corpus
from places import ROOT
from stored_counts import FAIR, changed, refused, same, stored, stored_collapsed

from spacy_nereval import Document, evaluate
from spacy_nereval.io.count_files import load, merge
from spacy_nereval.io.count_layout import DEFAULTS, CollapsedHeader, Header, schema


@pytest.fixture
def file(tmp_path) -> Path:
    return stored([*corpus(3), Document([(0, 3, "A")], [(0, 2, "A")], "abc")], tmp_path / "a.npz", FAIR)


@pytest.fixture
def halves(tmp_path) -> Path:
    return stored(corpus(4), tmp_path / "replicates.npz", replicates=3)


@pytest.fixture
def collapsed(tmp_path) -> Path:
    return stored_collapsed(corpus(12), tmp_path / "collapsed.npz", shard="12" * 16)


def test_a_file_that_is_not_there_or_is_a_folder_is_refused(tmp_path):
    assert "does not exist or is not a file" in refused(tmp_path / "none.npz")
    assert "does not exist or is not a file" in refused(tmp_path)


def in_zip(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def of_text(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), dtype=np.uint8)


@pytest.mark.parametrize(
    "content",
    [b"", b"hello\n", b"PK\x03\x04", b"\x93NUMPY", b"\x80\x04N.", b'{"text": "a"}\n', bytes(range(256))]
    + [in_zip(), in_zip(x=np.arange(3)), in_zip(header=np.arange(3)), in_zip(header=np.arange(3))[98:-22]]
    + [in_zip(header=of_text(text)) for text in ("{}", "[1]", '"text"', '{"format": "something else 1"}')],
)
def test_a_file_of_something_else_is_refused(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    assert "is not a count file, or is damaged" in refused(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header", "{}")
    assert "is not a count file" in refused(path)


def test_a_file_that_this_test_writes_anew_is_read(file, halves):
    """So that what is refused below is refused for what was changed."""
    for path in (file, halves):
        same(load(changed(path, lambda arrays, header: None)), load(path))


@pytest.mark.parametrize("kind", ["file", "collapsed"])
def test_a_file_that_ends_early_is_refused_wherever_it_ends(request, kind, tmp_path):
    content, path = request.getfixturevalue(kind).read_bytes(), tmp_path / "short.npz"
    for end in sorted(Random(0).sample(range(len(content)), 60)) + [len(content) - 1]:
        path.write_bytes(content[:end])
        refused(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "collapsed"])
def test_a_file_with_a_wrong_byte_is_refused_or_says_the_same_wherever_it_is(request, kind, tmp_path):
    """Some bytes, such as the time of writing, do not matter."""
    file = request.getfixturevalue(kind)
    content, path, expected = file.read_bytes(), tmp_path / "wrong.npz", evaluate(load(file))
    random, found = Random(0), 0
    for place in [*range(40), *sorted(random.sample(range(len(content)), 200))]:
        wrong = bytearray(content)
        wrong[place] ^= random.randrange(1, 256)
        path.write_bytes(wrong)
        try:
            assert evaluate(load(path)) == expected
        except ValueError as error:
            assert str(path) in str(error), place
            found += 1
    assert found > 60


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_header_that_is_nested_deeply_is_refused(file, opening):
    with np.load(file) as archive:
        arrays = dict(archive)
    for text in (opening * 200_000, '{"format": "spacy-nereval counts 4", "origin": ' + opening * 200_000):
        arrays["header"] = np.frombuffer(text.encode(), dtype=np.uint8)
        np.savez_compressed(file, **arrays)
        assert "is not a count file, or is damaged" in refused(file)


def test_a_damaged_file_is_named_among_those_to_merge(file, tmp_path):
    (tmp_path / "bad.npz").write_bytes(file.read_bytes()[:100])
    assert "bad.npz is not a count file" in refusal(merge, [file, tmp_path / "bad.npz"])


def test_what_save_writes_is_an_archive_that_numpy_reads_from_memory(file):
    """An .npz file like others, not one that only this package reads."""
    with np.load(io.BytesIO(file.read_bytes())) as archive:
        assert {*archive.files} == {"header", "cells/data", "cells/indices", "cells/indptr"}


# What was changed in a file that is otherwise intact, with the hash of its new content

Change = Callable[[dict[str, Any], dict[str, Any]], Any]
"""Changes the arrays and the header of a file."""


def says(key: str, value: Any) -> Change:
    return lambda arrays, header: header.update({key: value})


def halves_say(key: str, value: Any) -> Change:
    return lambda arrays, header: header["replicates"].update({key: value})


def column(new: Any) -> Change:
    """Another first column; a number is the place of the column that it repeats."""
    return lambda arrays, header: header["columns"].__setitem__(0, header["columns"][new] if new == 1 else new)


def number(name: str, value: int, place: int = 0) -> Change:
    return lambda arrays, header: arrays[name].reshape(-1).__setitem__(place, value)


def array(name: str, make: Callable[[np.ndarray], Any]) -> Change:
    return lambda arrays, header: arrays.update({name: make(arrays[name])})


def without(name: str) -> Change:
    return lambda arrays, header: arrays.pop(name)


STRICT = {"name": "strict", "version": 1, "settings": {"beta": 1.0}, "verdicts": [], "columns": []}
CELLS, HALVES = "cells/data", ("counts", "means", "class_means", "documents")
SUMS = ("all/means", "all/class_means", "all/documents", "squares", "shards", "cells/indptr")
DAMAGED, BELOW, SHAPE = "damaged", "below 0", "is not the array that the header describes"

VALUES: dict[str, dict[str, list[Any]]] = {
    "file": {
        "metrics": [None, [], ["strict"], [{"name": "strict"}], [STRICT | {"name": "no such"}]]
        + [[STRICT | {"settings": {"s": 1}}], [STRICT | {"settings": {"name": "fair"}}]],
        "columns": [3, [["", "hit", "A", "A"]], [["", "hit", "A", "A", "", 1]]],
        "replicates": [{"samples": 3}, {"samples": 3, "seed": 0, "labels": ["A", "B", "C"]}],
        **{"ids": [["a"], None, [1, 2, 3, 4]], "units": [["a"]], "parts": ["abc"], "origin": [[]], "spans_key": [3]},
        **{"entries": [-1, 10**15, "four"], "skipped": [-1, "none", 1.5, True], "more": [1]},
    },
    "collapsed": {
        **{"ids": [["a"]], "units": [["a"]], "parts": [["a"]], "labels": [["A", "B"], ["A", "B", "D"], None]},
        **{"unit_number": [-1, 13], "shards": [-1, 2, 10**15], "id_hashes": ["../a"], "entries": [10**6], "more": [1]},
    },
    "halves": {
        "labels": [["A", "A", "B", "C"], ["A", "B"], ["A", "B", "D"]],
        **{"samples": [-1, 10**15, 2], "seed": [-1], "more": [0]},
    },
}
"""Values that a key of the header cannot have; of halves, a key of their part of it."""

CASES: list[tuple[str, str, Change]] = [
    *(
        (kind, *(("", halves_say(key, value)) if kind == "halves" else (DAMAGED, says(key, value))))
        for kind, table in VALUES.items()
        for key, values in table.items()
        for value in values
    ),
    ("file", "which is not counted here", column(["", "hit", "A", "A", "high", ""])),
    ("file", "which is not counted here", column(["strict", "tp", "A", "A", "", ""])),
    ("file", "which is not counted here", column(["x", "tp", "A", "A", "", ""])),
    ("file", "a column occurs twice", column(1)),
    ("file", "a column counts spans without a label", column(["", "hit", "", "", "", ""])),
    ("file", "the metric 'strict' occurs twice", says("metrics", [STRICT, STRICT])),
    ("file", "... (", says("entries", 10**400)),
    # Places that there are not, and fewer than none of something
    *(
        ("file", "is damaged", number(f"cells/{name}", value, place))
        for name, places in {"indices": (0, -1), "indptr": (0, 2, -1)}.items()
        for place in places
        for value in (-1, 10**6, 2**31 - 1, -(2**31))
    ),
    ("file", BELOW, number(CELLS, -1)),
    *(("halves", BELOW, number(f"replicates/{name}", -1)) for name in ("counts", "documents")),
    *(("collapsed", BELOW, number(name, -1)) for name in (CELLS, "all/documents", "all/means", "squares")),
    ("collapsed", BELOW, number("replicates/counts", -1)),
    ("collapsed", "more averages or units than documents", number("all/documents", 5)),
    ("collapsed", "more averages or units than documents", number("all/means", 13)),
    ("collapsed", "a half-sample has more than there is", number("replicates/documents", 13)),
    ("collapsed", "a half-sample has more than there is", number("replicates/counts", 10**6)),
    # Arrays that are missing, or of another shape or type
    *(("halves", "", without(f"replicates/{name}")) for name in HALVES),
    *(("collapsed", DAMAGED, without(name)) for name in SUMS),
    *(("file", DAMAGED, without(f"cells/{name}")) for name in ("data", "indices", "indptr")),
    *(("file", SHAPE, array(CELLS, make)) for make in (lambda a: a[:-1], lambda a: a[None], lambda a: a.astype(str))),
    *(("file", SHAPE, array(CELLS, make)) for make in (lambda a: a + 0.5, lambda a: a * np.nan, lambda a: a > 0)),
    ("file", SHAPE, array(CELLS, lambda a: np.float64(3))),
    *(("file", SHAPE, array("cells/indptr", make)) for make in (lambda a: a[1:], lambda a: a.astype(complex))),
    *(("halves", SHAPE, array(f"replicates/{name}", lambda a: a[..., :-1])) for name in HALVES),
    *(("collapsed", SHAPE, array(name, lambda a: a + 0.5)) for name in SUMS if name != "all/class_means"),
    *(("collapsed", SHAPE, array(name, lambda a: np.stack([a] * 2))) for name in SUMS),
]


@pytest.mark.parametrize(("kind", "said", "change"), CASES, ids=range(len(CASES)))
def test_what_does_not_fit_the_rest_of_a_file_is_refused(request, kind, said, change):
    assert said in refused(changed(request.getfixturevalue(kind), change))


LACKING = ["labels", "unit_number", "shards", "unit", "metrics", "columns", "digest"]


@pytest.mark.parametrize(
    ("kind", "key"),
    [*(("file", key) for key in sorted(Header.model_fields.keys() - DEFAULTS.keys()))]
    + [("collapsed", key) for key in LACKING],
)
def test_a_header_that_lacks_something_is_refused(request, kind, key):
    path = request.getfixturevalue(kind)
    assert "damaged" in refused(changed(path, lambda arrays, header: header.pop(key), hashed=key != "digest"))


UNHASHED = [
    *(("file", change) for change in (number(CELLS, 7), says("skipped", 7), says("ids", ["x"] * 4))),
    *(("collapsed", change) for change in (number("all/means", 7), number("shards", 7), says("unit_number", 7))),
]


@pytest.mark.parametrize(("kind", "change"), UNHASHED)
def test_what_was_changed_without_its_hash_is_refused(request, kind, change):
    path = changed(request.getfixturevalue(kind), change, hashed=False)
    assert "it was changed after it was written" in refused(path)


FORMATS = {"file": "spacy-nereval counts 4", "collapsed": "spacy-nereval counts collapsed 1"}


@pytest.mark.parametrize(("kind", "version"), [("file", 3), ("file", 5), ("collapsed", 2)])
def test_another_version_of_the_format_is_refused_by_name_and_with_the_remedy(request, kind, version):
    format = f"{FORMATS[kind][:-1]}{version}"
    path = changed(request.getfixturevalue(kind), says("format", format))
    assert refused(path) == f"{path} has the format {format!r}, and this version reads {FORMATS[kind]!r}: count again"


@pytest.mark.parametrize(("kind", "other"), [("file", "collapsed"), ("collapsed", "file")])
def test_counts_of_one_kind_are_not_read_as_the_other(request, kind, other):
    assert "damaged" in refused(changed(request.getfixturevalue(kind), says("format", FORMATS[other])))


@pytest.mark.skipif(
    tuple(map(int, pydantic.VERSION.split(".")[:2])) < (2, 12),
    reason="earlier versions of pydantic word schemas otherwise",
)
@pytest.mark.parametrize(("kind", "name"), [(Header, "counts-file"), (CollapsedHeader, "collapsed-counts-file")])
def test_the_schema_of_the_header_is_current(kind, name):
    """Write it anew with SPACY_NEREVAL_REGENERATE=1."""
    path = ROOT / "docs" / "reference" / f"{name}.schema.json"
    if os.environ.get("SPACY_NEREVAL_REGENERATE"):
        path.write_text(json.dumps(schema(kind), indent=2) + "\n", encoding="utf8")
    assert json.loads(path.read_text(encoding="utf8")) == json.loads(json.dumps(schema(kind)))


# Count files whose arrays are damaged, too large, or not what the header describes are refused


class Trap:
    """Who unpickles it notices."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


@pytest.mark.parametrize("name", ["header", "cells/data", "cells/indptr"])
def test_an_array_of_objects_is_refused_and_not_unpickled(file, name):
    with np.load(file) as archive:
        arrays = dict(archive)
    np.savez(file, **arrays | {name: np.array([Trap()], dtype=object)})
    assert "is not a count file, or is damaged" in refused(file)
    assert not Trap.sprung


@pytest.mark.parametrize("name", ["header", "cells/data"])
@pytest.mark.parametrize("shape", [(10**15,), (10**8,), (-1,), (2**63,), (10**5,) * 3], ids=str)
def test_an_array_that_says_it_is_huge_is_refused_before_there_is_room_for_it(file, name, shape):
    start = io.BytesIO()
    np.lib.format.write_array_header_1_0(start, {"descr": "|u1", "fortran_order": False, "shape": shape})
    with_member(file, name, start.getvalue() + b"\0" * 10)
    tracemalloc.start()
    refused(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**7


def with_member(file: Path, name: str, content: bytes, **how) -> Path:
    """The archive with other bytes for one of its arrays."""
    with zipfile.ZipFile(file) as archive:
        members = {member: archive.read(member) for member in archive.namelist()} | {f"{name}.npy": content}
    with zipfile.ZipFile(file, "w", **how) as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    return file


NO_PYTHON = ("{'descr': '<i8', 'shape': (3,)", "(" * 9000, "  x\n y", "'" * 3, "-" * 9000 + "1", "[" * 150 + "]" * 150)


@pytest.mark.parametrize("name", ["header", "cells/data"])
@pytest.mark.parametrize("text", NO_PYTHON, ids=range(len(NO_PYTHON)))
def test_an_array_whose_header_is_no_python_is_refused(file, name, text):
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    said = refused(with_member(file, name, content))
    assert "is not a count file, or is damaged" in said and len(said) < 1000


def test_a_member_that_is_compressed_in_another_way_and_damaged_is_refused(file):
    content = bytearray(with_member(file, "header", b"x" * 999, compression=zipfile.ZIP_LZMA).read_bytes())
    at = content.find(b"header.npy") + len("header.npy")
    content[at + 4 : at + 12] = b"\xff" * 8
    file.write_bytes(content)
    assert "is not a count file, or is damaged" in refused(file)


def test_an_archive_that_does_not_fit_memory_is_refused_before_anything_is_unpacked(file, tmp_path, monkeypatch):
    with zipfile.ZipFile(file) as archive:
        sizes = {each.filename: each.file_size for each in archive.infolist()}
    need = sum(sizes.values()) + 3 * sizes["header.npy"]
    for available in (need, need - 1):
        monkeypatch.setattr("spacy_nereval.io.count_files.machine_memory", lambda size=available: size)
        if available == need:
            assert load(file).documents
    said = refused(file)
    assert f"{file} is not a count file, or is damaged (ValueError: unpacked it takes 0.0 GiB of memory" in said
    monkeypatch.setattr("spacy_nereval.io.count_files.machine_memory", lambda: 1 << 24)
    bomb = with_member(file, "header", b" " * (1 << 23), compression=zipfile.ZIP_DEFLATED)
    assert bomb.stat().st_size < 1 << 16
    tracemalloc.start()
    assert "unpacked it takes 0.0 GiB" in refused(bomb)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_an_encrypted_member_is_refused(file):
    content = bytearray(file.read_bytes())
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flags of each member, twice in the file
        place = content.find(signature)
        while place >= 0:
            content[place + at] |= 1
            place = content.find(signature, place + 1)
    file.write_bytes(content)
    assert "encrypted" in refused(file)
