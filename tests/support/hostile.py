"""Small files that would fill the memory, or take forever, if they were read without a limit.

Each function of `FILES` writes files to a folder, and returns the arguments of the command that reads them, and whether
they have to be refused: some may also be read, if that takes neither long nor much memory.
"""

import bz2
import gzip
import io
import json
import lzma
import random
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import srsly

ROW = b'{"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}], "id": "0"}\n'

Hostile = Callable[[Path, random.Random], list[Any]]

FILES: dict[str, Hostile] = {}
"""Each has to be refused in a sentence."""

MAY_BE_READ: set[str] = set()


def zstandard(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=3).compress(data)


PACK = {
    "gz": lambda data: gzip.compress(data, 1),
    "bz2": lambda data: bz2.compress(data, 1),
    "xz": lambda data: lzma.compress(data, preset=0),
    "zst": zstandard,
}

MIB = 1 << 20


def hostile(name: str, *, may_be_read: bool = False) -> Callable[[Hostile], Hostile]:
    def register(function: Hostile) -> Hostile:
        FILES[name] = function
        if may_be_read:
            MAY_BE_READ.add(name)
        return function

    return register


def one(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def good(folder: Path) -> Path:
    return one(folder / "good.jsonl", ROW)


def size(drawn: random.Random, least: int = 70, most: int = 90) -> int:
    return drawn.randint(least, most) * MIB


for _extension, _pack in PACK.items():
    for _what, _unit in {
        "newlines": b"\n",
        "blanks": b" ",
        "rows": b'{"text": "", "spans": []}\n',
        "one row": b"[],",
    }.items():

        def _packed(folder, drawn, extension=_extension, pack=_pack, unit=_unit, what=_what):
            start = b'{"text": "", "spans": [' if what == "one row" else b""
            path = one(folder / f"a.jsonl.{extension}", pack(start + unit * (size(drawn) // len(unit))))
            return drawn.choice((["score", path, path], ["convert", path, folder / "b.spacy"]))

        hostile(f"{_what} in {_extension}")(_packed)


@hostile("lines of CoNLL in xz")
def _(folder, drawn):
    path = one(folder / "a.conll.xz", PACK["xz"](drawn.choice((b"a O\n", b"\n", b"a O\n\n")) * (24 * MIB)))
    return ["score", path, path]


for _extension, _pack in PACK.items():

    def _frames(folder, drawn, extension=_extension, pack=_pack):
        frames = [pack(b""), pack(b"\n")] + [b"\x50\x2a\x4d\x18\0\0\0\0"] * (extension == "zst")  # to be skipped
        several = b"".join(drawn.choice((frames, [drawn.choice(frames)])))
        path = one(folder / f"a.{drawn.choice(('jsonl', 'conll'))}.{extension}", several * (9 * MIB // len(several)))
        return ["score", path, path]

    hostile(f"millions of frames in {_extension}", may_be_read=True)(_frames)


@hostile("lists in JSON in gzip")
def _(folder, drawn):
    unit = drawn.choice((b"[],", b"{},", b'{"a":1},', b"[[[]]],"))
    data = b'[{"text": "a", "spans": [' + unit * (24 * MIB // len(unit))
    path = one(folder / "a.json.gz", gzip.compress(data, 1))
    return ["score", path, path]


@hostile("blanks in JSON", may_be_read=True)
def _(folder, drawn):
    blank = drawn.choice((b" ", b"\n", b"\t", b"\r\n", b" \n"))
    start, end = drawn.choice(((b"[", b""), (b"", b""), (b"[", b"]"), (b'[{"a": 1}', b"]"), (b"{", b'"a": 1}')))
    path = one(folder / "a.json", start + blank * (9 * MIB // len(blank)) + end)
    return ["score", path, path]


@hostile("newlines", may_be_read=True)
def _(folder, drawn):
    blank = drawn.choice((b"\n", b"\r\n", b" \n"))
    extension = drawn.choice(("jsonl", "conll", "tsv", "conllu", "csv", "pubtator"))
    path = one(folder / f"a.{extension}", blank * (9 * MIB // len(blank)))
    return ["score", path, path]


def doc_bin(folder: Path, **parts: bytes) -> Path:
    """A `.spacy` file of one document, with some parts in MessagePack in place of its own."""
    import spacy
    from spacy.tokens import DocBin

    doc = spacy.blank("en").make_doc("Ada met Bob")
    doc.set_ents([doc.char_span(0, 3, "PER")])
    table = srsly.msgpack_loads(zlib.decompress(DocBin(docs=[doc], store_user_data=True).to_bytes()))
    packed = {name: srsly.msgpack_dumps(value) for name, value in table.items()} | parts
    names = [(bytes([0xA0 + len(name)]) + name.encode(), value) for name, value in packed.items()]
    path = folder / "a.spacy"
    content = zlib.compressobj(6)
    with path.open("wb") as file:
        file.write(content.compress(bytes([0x80 + len(names)])))
        for name, value in names:
            file.write(content.compress(name + value))
        file.write(content.flush())
    return path


def array(number: int, item: bytes) -> bytes:
    return b"\xdd" + number.to_bytes(4, "big") + item * number


def binary(data: bytes) -> bytes:
    return b"\xc6" + len(data).to_bytes(4, "big") + data


EMPTY = {
    "maps": b"\x80",
    "lists": b"\x90",
    "nothing": b"\xc0",
    "maps in lists": b"\x91\x80",
    "maps of one": b"\x81\1\1",
}


@hostile("unknown key in .spacy")
def _(folder, drawn):
    path = doc_bin(folder, other=array(drawn.randint(66, 90) * MIB, drawn.choice([*EMPTY.values()])))
    return ["score", path, path]


@hostile("key that is a list in .spacy")
def _(folder, drawn):
    data = b"\x81" + array(drawn.randint(20, 60) * MIB, drawn.choice([*EMPTY.values()])) + b"\1"
    path = one(folder / "a.spacy", zlib.compress(data))
    return ["score", path, path]


@hostile("strings, categories and attributes in .spacy")
def _(folder, drawn):
    part = drawn.choice(("strings", "cats", "attrs", "flags", "span_groups", "user_data"))
    item = drawn.choice([*EMPTY.values(), b"\xa1a", array(1 << 16, b"\x80")])
    number = drawn.randint(20, 40) * MIB // len(item)
    data = array(1, array(number, item)) if drawn.random() < 0.5 else array(number, item)
    path = doc_bin(folder, **{part: data})
    return ["score", path, path]


@hostile("user data of one document in .spacy")
def _(folder, drawn):
    part = drawn.choice(("user_data", "span_groups"))
    item = drawn.choice([*EMPTY.values()])
    path = doc_bin(folder, **{part: array(1, binary(array(drawn.randint(20, 40) * MIB // len(item), item)))})
    return ["score", path, path]


@hostile("empty documents in .spacy")
def _(folder, drawn):
    number = drawn.randint(8, 12) * MIB
    parts = {"tokens": binary(b""), "spaces": binary(b""), "lengths": binary(bytes(4 * number))}
    lists = {"cats": array(number, b"\x80"), "flags": array(number, b"\x80"), "span_groups": array(number, b"\xc4\0")}
    path = doc_bin(folder, **parts, **lists, user_data=array(number, b"\xc0"))
    return ["score", path, path]


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def counts(folder: Path) -> dict[str, bytes]:
    from spacy_nereval import Document, collapse, count, create
    from spacy_nereval.io.count_files import save

    documents = [Document([(0, 3, "PER")], [(0, 3, "LOC")], "Ada met", id=str(k)) for k in range(3)]
    path = folder / "counts.npz"
    save(collapse(count(documents, [create("strict")]), samples=10), path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


@hostile("arrays of zeros in .npz")
def _(folder, drawn):
    members = counts(folder)
    name = drawn.choice(sorted(members))
    kind = np.uint8 if name == "header.npy" else np.int64
    number = drawn.randint(150, 200) * MIB
    start = npy(np.zeros(0, kind)).replace(b"(0,)", f"({number},)".encode())
    start = start[:-1].rstrip(b" ") + b" " * (128 - len(start[:-1].rstrip(b" ")) - 1) + b"\n"
    path = folder / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for other, data in members.items():
            if other != name:
                file.writestr(other, data)
        with file.open(name, "w", force_zip64=True) as member:
            member.write(start)
            for _ in range(number * np.dtype(kind).itemsize // MIB):
                member.write(bytes(MIB))
    return drawn.choice((["score", path], ["merge", path, path, "-o", folder / "b.npz"]))


@hostile("half-samples without end in .npz")
def _(folder, drawn):
    members = counts(folder)
    header = json.loads(np.load(io.BytesIO(members["header.npy"])).tobytes())
    change = drawn.choice(("samples", "labels", "columns", "lists", "shards", "entries"))
    if change == "samples":
        header["replicates"]["samples"] = drawn.choice((10**9, 10**18, 10**30))
    elif change == "labels":
        header["labels"] = header["replicates"]["labels"] = [f"L{k:08}" for k in range(10**6)]
    elif change == "columns":
        header["columns"] = [[str(k), *header["columns"][0][1:]] for k in range(2 * 10**5)]
    elif change == "lists":
        header["origin"] = {"a": [[]] * (20 * MIB)}
    else:
        header[change] = 10**12
    members["header.npy"] = npy(np.frombuffer(json.dumps(header).encode(), np.uint8))
    return ["score", archive(folder / "a.npz", members)]


@hostile("long texts, often, in a table")
def _(folder, drawn):
    import pyarrow as pa
    from pyarrow import parquet

    text, number = "a" * drawn.randint(3 * MIB, 6 * MIB), 2000
    index = pa.array([0] * number, pa.int32())
    spans = pa.array(
        [[]] * number, pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string())]))
    )
    if drawn.random() < 0.5:
        texts = pa.DictionaryArray.from_arrays(index, pa.array([text]))
    else:
        texts = pa.array(["b"] * number)
        label = pa.DictionaryArray.from_arrays(index, pa.array([text]))
        zeros = pa.array([0] * number)
        inner = pa.StructArray.from_arrays([zeros, zeros, label], ["start", "end", "label"])
        spans = pa.ListArray.from_arrays(pa.array(range(number + 1), pa.int32()), inner)
    table = pa.table({"text": texts, "spans": spans})
    if drawn.random() < 0.5:
        parquet.write_table(table, path := folder / "a.parquet", compression="zstd", store_schema=False)
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(path := folder / "a.arrow", table.schema, options=options) as writer:
            writer.write_table(table)
    return ["score", path, path]


@hostile("buffers of zeros in a table")
def _(folder, drawn):
    import pyarrow as pa
    from pyarrow import parquet

    number = drawn.randint(10, 16) * MIB
    zeros = pa.array(np.zeros(number, np.int64))
    kind = drawn.choice(("long list", "long text", "many rows"))
    if kind == "long list":
        inner = pa.StructArray.from_arrays([zeros, zeros], ["start", "end"])
        spans = pa.ListArray.from_arrays(pa.array([0, number], pa.int32()), inner)
        table = pa.table({"text": pa.array(["a"]), "spans": spans})
    elif kind == "long text":
        table = pa.table({"text": pa.array(["a" * (2 * number)]), "spans": pa.array(["[]"])})
    else:
        text = pa.array(np.zeros(number, np.int8)).cast(pa.string())
        table = pa.table({"text": text, "spans": pa.nulls(number, pa.string())})
    if drawn.random() < 0.5 and kind != "many rows":
        parquet.write_table(table, path := folder / "a.parquet", compression="zstd")
    else:
        path = folder / "a.arrow"
        options = pa.ipc.IpcWriteOptions(compression=drawn.choice(("zstd", "lz4")))
        make = drawn.choice((pa.ipc.new_file, pa.ipc.new_stream))
        with make(path, table.schema, options=options) as writer:
            writer.write_table(table)
    return ["score", path, path]


def arrow_file(path: Path, columns: dict[str, Any]) -> Path:
    import pyarrow as pa

    table = pa.table(columns)
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return path


@hostile("columns without buffers in a table")
def _(folder, drawn):
    import pyarrow as pa

    number = drawn.randint(10**8, 10**9)
    nulls = pa.nulls(number)
    if drawn.random() < 0.5:
        columns = {"text": nulls, "spans": nulls}
    else:
        lists = pa.Array.from_buffers(pa.list_(pa.null(), number), 1, [None], children=[nulls])
        columns = {"text": ["a"], "spans": lists}
    path = arrow_file(folder / "a.arrow", columns)
    return ["score", path, path]


@hostile("many views of one text in a table")
def _(folder, drawn):
    import pyarrow as pa

    text, number = "a" * drawn.randint(3 * MIB, 6 * MIB), 10**5
    _, view, *texts = pa.array([text], pa.string_view()).buffers()
    views = pa.py_buffer(view.to_pybytes()[:16] * number)
    column = pa.Array.from_buffers(pa.string_view(), number, [None, views, *texts])
    if drawn.random() < 0.5:
        columns = {"text": column, "spans": pa.nulls(number, pa.string())}
    else:
        labels = pa.StructArray.from_arrays([pa.array(range(number)), column], ["start", "label"])
        columns = {"text": ["a"], "spans": pa.ListArray.from_arrays(pa.array([0, number], pa.int32()), labels)}
    path = arrow_file(folder / "a.arrow", columns)
    return ["score", path, path]


@hostile("spans inside spans, whose texts brat repeats")
def _(folder, drawn):
    number = drawn.randint(50_000, 100_000)
    spans = [[k, 2 * number - k, "X"] for k in range(number)]
    path = one(folder / "a.jsonl", json.dumps({"id": "0", "text": "a" * 2 * number, "spans": spans}).encode())
    return ["convert", path, folder / "b"]


@hostile("archive of XMI")
def _(folder, drawn):
    path = archive(folder / "a.zip", {"a.xmi": b" " * size(drawn), "TypeSystem.xml": b"<a/>"})
    return ["score", path, path]


@hostile("depth", may_be_read=True)
def _(folder, drawn):
    number = drawn.choice((500, 2000, 10**5, 3 * MIB))
    opened = drawn.choice((b"[", b'{"a":', b"<a>", b'[{"text":"a","spans":['))
    extension = "xml" if opened == b"<a>" else drawn.choice(("json", "jsonl"))
    path = one(folder / f"a.{extension}", (b"<collection>" if extension == "xml" else b"") + opened * number)
    return ["score", path, path, "--format", "bioc"] if extension == "xml" else ["score", path, path]


@hostile("mapping of labels", may_be_read=True)
def _(folder, drawn):
    number = 10**5
    kind = drawn.choice(("chain", "cycle", "twice", "many"))
    pairs = [f'"L{k}": "L{k + 1}"' for k in range(number)]
    if kind == "cycle":
        pairs.append(f'"L{number}": "L0"')
    if kind == "twice":
        pairs.append('"L0": "a"')
    if kind == "many":
        pairs = [f'"L{k}": "a"' for k in range(number)]
    path = one(folder / "map.json", f"{{{', '.join(pairs)}}}".encode())
    return ["score", good(folder), good(folder), "--labels", path]


@hostile("lists in a result, a lexicon, a cut file")
def _(folder, drawn):
    unit = drawn.choice((b"[],", b"{},", b'{"a":[]},'))
    data = b'{"signature": "", "format": "", "default": [' + unit * (24 * MIB // len(unit)) + b"0]}"
    path = one(folder / "a.json.gz", gzip.compress(data, 1))
    file = good(folder)
    return drawn.choice(
        (
            ["datasets", path, path],
            ["score", file, file, "--cut", path],
            ["score", file, file, "--labels", path],
            ["score", file, file, "-m", "tmr", "--train", path],
            ["apply", file, path, "-o", folder / "b.jsonl"],
        )
    )
