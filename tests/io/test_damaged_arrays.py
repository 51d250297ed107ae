"""Count files whose arrays are damaged, too large, or not what the header describes are refused."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stored_counts import changed, refused


class Trap:
    """Who unpickles it notices."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


@pytest.mark.parametrize("name", ["header", "cells/data", "cells/indptr"])
def test_an_array_of_objects_is_refused_and_not_unpickled(file, name):
    def trapped(arrays, header):
        arrays[name] = np.array([Trap()], dtype=object)

    with np.load(file) as archive:
        arrays = dict(archive)
    trapped(arrays, None)
    path = file.with_name("trap.npz")
    np.savez(path, **arrays)
    assert "does not hold counts, or is damaged" in refused(path)
    assert not Trap.sprung


@pytest.mark.parametrize("name", ["cells/data", "cells/indices", "cells/indptr", "header"])
def test_a_file_that_lacks_an_array_is_refused(file, name):
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays.pop(name)
    np.savez(file, **arrays)
    assert "damaged" in refused(file)


@pytest.mark.parametrize("value", [-1, 10**6, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize(
    ("name", "place"), [("indices", 0), ("indices", -1), ("indptr", 0), ("indptr", 2), ("indptr", -1)]
)
def test_places_that_there_are_not_are_refused(file, name, place, value):
    path = changed(file, lambda arrays, header: arrays[f"cells/{name}"].__setitem__(place, value))
    assert "is damaged" in refused(path)


def test_fewer_than_none_of_something_is_refused(file, with_replicates):
    for path, name in (
        (file, "cells/data"),
        (with_replicates, "replicates/counts"),
        (with_replicates, "replicates/documents"),
    ):
        path = changed(path, lambda arrays, header, name=name: arrays[name].reshape(-1).__setitem__(0, -1))
        assert "below 0" in refused(path)


@pytest.mark.parametrize(
    "put",
    [
        lambda a: a.update({"cells/data": a["cells/data"][:-1]}),
        lambda a: a.update({"cells/data": a["cells/data"][None]}),
        lambda a: a.update({"cells/data": a["cells/data"].astype(str)}),
        lambda a: a.update({"cells/data": a["cells/data"] + 0.5}),
        lambda a: a.update({"cells/data": a["cells/data"] * np.nan}),
        lambda a: a.update({"cells/data": a["cells/data"] > 0}),
        lambda a: a.update({"cells/data": np.float64(3)}),
        lambda a: a.update({"cells/indptr": a["cells/indptr"][1:]}),
        lambda a: a.update({"cells/indptr": a["cells/indptr"].astype(complex)}),
    ],
    ids=["fewer", "another axis", "text", "halves", "nan", "truth", "one", "fewer rows", "complex"],
)
def test_arrays_that_do_not_fit_the_header_are_refused(file, put):
    assert "is not the array that the header describes" in refused(changed(file, lambda arrays, header: put(arrays)))


@pytest.mark.parametrize("name", ["counts", "means", "class_means", "documents"])
def test_replicates_that_lack_something_or_have_another_shape_are_refused(with_replicates, name):
    refused(changed(with_replicates, lambda arrays, header: arrays.pop(f"replicates/{name}")))

    def cut(arrays: dict[str, Any], header: dict[str, Any]) -> None:
        arrays[f"replicates/{name}"] = arrays[f"replicates/{name}"][..., :-1]

    assert f"replicates/{name} is not the array" in refused(changed(with_replicates, cut))


@pytest.mark.parametrize("name", ["header", "cells/data"])
@pytest.mark.parametrize("shape", [(10**15,), (10**8,), (-1,), (2**63,), (10**5,) * 3], ids=str)
def test_an_array_that_says_it_is_huge_is_refused_before_there_is_room_for_it(file, name, shape):
    with zipfile.ZipFile(file) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    start = io.BytesIO()
    np.lib.format.write_array_header_1_0(start, {"descr": "|u1", "fortran_order": False, "shape": shape})
    members[f"{name}.npy"] = start.getvalue() + b"\0" * 10
    with zipfile.ZipFile(file, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
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
    assert "does not hold counts, or is damaged" in said and len(said) < 1000


def test_a_member_that_is_compressed_in_another_way_and_damaged_is_refused(file):
    content = bytearray(with_member(file, "header", b"x" * 999, compression=zipfile.ZIP_LZMA).read_bytes())
    at = content.find(b"header.npy") + len("header.npy")
    content[at + 4 : at + 12] = b"\xff" * 8
    file.write_bytes(content)
    assert "does not hold counts, or is damaged" in refused(file)


def test_an_encrypted_member_is_refused(file):
    content = bytearray(file.read_bytes())
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flags of each member, twice in the file
        place = content.find(signature)
        while place >= 0:
            content[place + at] |= 1
            place = content.find(signature, place + 1)
    file.write_bytes(content)
    assert "encrypted" in refused(file)
