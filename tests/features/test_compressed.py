"""Compressed files: read as a stream by their content, written by their extension, refused when damaged."""

import gzip
import json
import os
import random
import re
import threading
import time
import tracemalloc
from hashlib import sha256
from pathlib import Path

import pytest
from asking import refusal
from commands import GOLD, PRED, accepted, line, printed, refused, run, write
from compressed import PACK, UNPACK, packed
from products import mostly_at_night
from reading import error, read
from samples import SAMPLES, SPANS, write_sample

from spacy_nereval import Result, Thresholds, agreement, load, score
from spacy_nereval.core import compression, expansion
from spacy_nereval.core.lexicon import read_lexicon
from spacy_nereval.io.formats import infer_format, name_of

ROW = b'{"text": "Ada", "spans": []}\n'

TEXT_FILES = [name for name, (_, file, _) in SAMPLES.items() if not file.endswith((".zip", ".parquet", ".arrow"))]


@pytest.mark.parametrize("extension", PACK)
@pytest.mark.parametrize("name", TEXT_FILES)
def test_every_text_format_is_read_compressed(name, extension, tmp_path):
    """The format is that of the name without the compression; a folder has compressed files."""
    path = write_sample(name, tmp_path)
    wanted, format = read(path), name_of(path)
    for file in [each for each in tmp_path.iterdir() if each != path]:
        packed(file, extension)
    path = packed(path, extension)
    assert wanted[0].spans == {*SPANS}
    assert name_of(path) == format
    assert read(path) == wanted


@pytest.mark.parametrize("extension", PACK)
def test_the_content_says_whether_a_file_is_compressed(extension, tmp_path):
    skippable = b"\x50\x2a\x4d\x18\3\0\0\0..." if extension == ".zst" else b""
    (tmp_path / "a.jsonl").write_bytes(skippable + PACK[extension](ROW))
    (tmp_path / f"b.jsonl{extension}").write_bytes(ROW)
    (tmp_path / "none.jsonl").write_bytes(PACK[extension](b""))
    (tmp_path / "twice.jsonl").write_bytes(PACK[extension](ROW) + PACK[extension](ROW))
    assert [len(read(path)) for path in sorted(tmp_path.iterdir())] == [1, 1, 0, 2]


@pytest.mark.parametrize("extension", PACK)
def test_a_file_that_is_cut_off_or_changed_is_an_error(extension, tmp_path):
    """Wherever it is cut: never fewer documents without a word."""
    rows = b"".join(json.dumps(line(f"Ada met Bob {k}", (0, 3, "PER"))).encode() + b"\n" for k in range(40))
    data, path = PACK[extension](rows), tmp_path / f"a.jsonl{extension}"
    for cut in {*range(0, len(data), 7), *range(12), len(data) - 1}:
        path.write_bytes(data[:cut])
        said = error(path)
        assert said.startswith(str(path))
        assert cut < 10 or f"{path} is truncated: its " in said
    for place in range(len(data) // 3, len(data), len(data) // 5):
        path.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
        assert error(path).startswith(f"{path} is ")
    path.write_bytes(data)
    assert len(read(path)) == 40


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    mostly_at_night(
        ["HF lines", "GLiNER", "BioC", "BioC JSON", "CoNLL-U", "spaCy 2", "brat"],
        by_day=["GLiNER", "BioC", "CoNLL-U", "brat"],
    ),
)
def test_every_way_of_reading_says_that_a_file_is_cut_off(name, tmp_path):
    """At its start as at its end, which is behind white space or comments here that cannot be packed."""
    path = write_sample(name, tmp_path)
    drawn = random.Random(0)
    rest = "".join(drawn.choices(" \n\t\r", k=400_000))
    if name == "CoNLL-U":
        rest = "\n".join(f"# x{k} = {drawn.random()}" for k in range(9000)) + "\n1\tAda\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    for file in path.rglob("*.*") if path.is_dir() else [path]:
        whole = gzip.compress(file.read_bytes() + (b"" if path.is_dir() else rest.encode()))
        for data in (whole[:-9], whole[: len(whole) // 2]):
            file.write_bytes(data)
            said = error(path, name=SAMPLES[name][0])
            assert said == f"{file} is truncated: its gzip data have no end; copy it again"
        file.write_bytes(whole)
    assert read(path, name=SAMPLES[name][0])[0].spans == {*SPANS}


@pytest.mark.slow
@pytest.mark.parametrize("extension", PACK)
def test_a_file_that_would_fill_the_memory_is_refused(extension, tmp_path, monkeypatch):
    """Annotation that is only large, or only repeats itself, is read; also more, if the user allows it."""
    monkeypatch.setattr(expansion, "READ", 1 << 18)
    path = tmp_path / "a.jsonl"
    path.write_bytes(PACK[extension](ROW + b" " * (1 << 20) + ROW))
    assert re.match(
        rf"{path} has [\d,]+ bytes, and [\d,]+ or more unpacked: more than 50 times as much, which", error(path)
    )
    path.write_bytes(PACK[extension](ROW + b" " * ((1 << 18) - 1000)))
    with compression.open_unpacked(path) as file:
        assert len(file.read()) == file.seek(0) + len(file.read()), "what is read again counts once"
    rows = (b'{"text": "%s", "spans": []}\n' % sha256(b"%d" % k).hexdigest().encode() for k in range(4000))
    path.write_bytes(PACK[extension](b"".join(rows)))
    assert len(read(path)) == 4000
    path.write_bytes(PACK[extension](ROW * 12_000))
    assert "more than 50 times" in error(path)
    for multiple in ("0", "9999"):
        monkeypatch.setenv(expansion.VARIABLE, multiple)
        assert len(read(path)) == 12_000
    monkeypatch.setenv(expansion.VARIABLE, "-1")
    assert error(path) == "NEREVAL_MAX_EXPANSION=-1: expected a whole number, or 0 for no limit; 50 is usual"


@pytest.mark.slow
@pytest.mark.parametrize("extension", mostly_at_night(PACK, by_day=[".gz", ".zst"]))
def test_a_file_that_is_too_large_is_measured_before_it_is_read_for_long(extension, tmp_path, monkeypatch):
    """Of 96 MiB, 8 are read before the rest is measured."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(PACK[extension](b" " * (96 << 20)))
    with compression.open_unpacked(path) as file:
        number = 0
        with pytest.raises(expansion.TooLarge, match="67,1"):
            while block := file.read(1 << 16):
                number += len(block)
    assert number == 8 << 20


@pytest.mark.parametrize("extension", PACK)
def test_files_that_were_appended_to_each_other_are_one_file(extension, tmp_path):
    path = tmp_path / "a.jsonl"
    rows, empty = PACK[extension](ROW), PACK[extension](b"")
    padding = b"" if extension == ".zst" else b"\0" * 5000
    path.write_bytes((rows + empty * 300 + padding) * 7)
    assert len(read(path)) == 7
    path.write_bytes(rows * 7 + rows[:-3])
    assert f"{path} is truncated" in error(path)
    path.write_bytes(rows + b"Ada" + rows)
    assert "damaged" in error(path), "what follows bytes of something else is not left out in silence"


@pytest.mark.parametrize("extension", [".gz", ".zst"])
def test_many_empty_frames_are_read_in_seconds(extension, tmp_path):
    path = tmp_path / "a.jsonl"
    empty = PACK[extension](b"")
    path.write_bytes(empty * 300_000 + PACK[extension](ROW))
    start = time.process_time()
    with compression.open_unpacked(path) as file:
        assert file.read() == ROW
    assert time.process_time() - start < 3


@pytest.mark.slow
@pytest.mark.parametrize("extension", PACK)
def test_a_block_of_the_content_is_in_memory(extension, tmp_path):
    rows = b"".join(b'{"text": "%d %s", "spans": []}\n' % (k, b"Ada met Bob. " * 20) for k in range(12_000))
    path = tmp_path / f"a.jsonl{extension}"
    path.write_bytes(PACK[extension](rows))
    tracemalloc.start()
    with compression.open_unpacked(path) as file:
        number = sum(1 for _ in file)
        peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert number == 12_000
    assert peak < len(rows) / 5


@pytest.mark.parametrize("extension", PACK)
def test_many_small_frames_are_read_to_their_end_and_more_than_once(extension, tmp_path):
    pack = PACK[extension]
    parts = [b"", b"A", b"", b"", b"d" * 70_000, b"a", b""]
    path = tmp_path / f"a.jsonl{extension}"
    path.write_bytes(b"".join(map(pack, parts)) * 200)
    wanted = b"".join(parts) * 200
    with compression.open_unpacked(path) as file:
        assert file.read(1) == b"A"
        assert [file.seek(0), file.read()] == [0, wanted]
        assert [file.seek(0), file.read()] == [0, wanted]
    path.write_bytes(pack(b"") * 2000)
    with compression.open_unpacked(path) as file:
        assert [file.read(), file.seek(0), file.read()] == [b"", 0, b""]
    path.write_bytes(pack(b"") * 2000 + pack(b"Ada")[:-3])
    with compression.open_unpacked(path) as file, pytest.raises(compression.Damaged, match="truncated"):
        file.read()


def test_pipes_and_standard_input_may_be_compressed(tmp_path):
    gold, pred = write(tmp_path / "g.jsonl", *GOLD), write(tmp_path / "p.jsonl", *PRED)
    wanted = accepted("score", gold, pred, "-m", "strict")
    os.mkfifo(tmp_path / "x")
    data = gzip.compress(gold.read_bytes())
    threading.Thread(target=(tmp_path / "x").write_bytes, args=(data,), daemon=True).start()
    assert accepted("score", tmp_path / "x", packed(pred, ".xz"), "-m", "strict", "-f", "jsonl") == wanted


def test_a_document_that_is_there_twice_is_an_error(tmp_path):
    for name in ("SGML", "brat"):
        folder = tmp_path / name
        folder.mkdir()
        path = write_sample(name, folder)
        file = next(each for each in folder.rglob("*.txt"))
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        said = error(folder if path.is_file() else path, name=SAMPLES[name][0])
        assert " has both " in said
        assert said.endswith(": remove one of them")


REFUSED = [
    ("a.spacy", gzip.compress(b"x"), "a.spacy is compressed by gzip: unpack it first"),
    ("a.spacy.gz", gzip.compress(b"x"), "a.spacy.gz: expected the extension of a text format before it, as in a.jsonl"),
    ("a.PARQUET.gz", gzip.compress(b"PAR1"), "a.PARQUET.gz: expected the extension of a text format before it, as in"),
    (
        "a.gz",
        gzip.compress(b"Ada met Bob"),
        "a.gz: expected the extension of a text format before it, as in a.jsonl.gz",
    ),
    ("a.jsonl.gz", gzip.compress(gzip.compress(ROW)), "a.jsonl.gz is compressed twice: unpacked, it is compressed by"),
    ("a.conll.bz2", b"", "a.conll.bz2 has 0 bytes; expected a file compressed by bzip2: copy it again"),
    ("a.jsonl.gz", gzip.compress(ROW.decode().encode("utf-16")), "a.jsonl.gz is in UTF-16, expected UTF-8"),
    ("a.jsonl.gz", gzip.compress(ROW + b"x"), "a.jsonl.gz, line 2: not valid JSON"),
]


@pytest.mark.parametrize(("name", "data", "said"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_what_cannot_be_read_is_named_with_the_remedy(name, data, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    assert said in refused("score", path, path)


def long_frame(window_log):
    """A frame as `zstd --long` makes it of a long file: its header asks for so much memory, 2 ** window_log bytes."""
    zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed")
    packer = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    frame = bytearray(packer.compress(ROW) + packer.flush())
    frame[5] = (window_log - 10) << 3
    assert zstandard.get_frame_parameters(bytes(frame)).window_size == 1 << window_log
    return bytes(frame)


@pytest.mark.parametrize("window_log", [24, 27, 28, 31])
def test_streams_of_zstd_long_are_read_or_named_and_never_called_damaged(window_log, tmp_path):
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(long_frame(window_log))
    result = run("score", path, path, "-m", "strict", "-o", tmp_path / "out.json")
    if window_log <= 27:
        assert json.loads((tmp_path / "out.json").read_text())["documents"] == 1
        return
    assert result.exit_code == 2 and "damaged" not in result.stderr
    assert "a.jsonl.zst needs more than 128 MB to be unpacked, as 'zstd --long=28' or more" in result.stderr
    assert "unpack it first, with zstd -d --long=31" in result.stderr


def test_zstandard_that_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "find_spec", lambda name: None)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\x28\xb5\x2f\xfd rest")
    wanted = f"{path}: files compressed by zstandard need the package zstandard: {compression.install_command('zst')}"
    assert refused("score", path, path) == f"✘ {wanted}"
    good, output = write(tmp_path / "b.jsonl", *GOLD), tmp_path / "rows.csv.zst"
    assert refused("errors", good, good, "-o", output).startswith(f"✘ {output}: files compressed by zstandard need")


COMMANDS = {
    "score": ("score", "{gold}", "{pred}", "-m", "strict,fair", "-o", "{out}.json"),
    "documents": ("score", "{gold}", "{pred}", "-m", "strict", "--per-document", "{out}.csv"),
    "errors": ("errors", "{gold}", "{pred}", "-o", "{out}.jsonl"),
    "convert": ("convert", "{gold}", "{out}.conll"),
    "training": ("training", "{gold}", "-o", "{out}.json"),
    "report": ("report", "{gold}", "{pred}", "-m", "strict", "-o", "{out}.html"),
    "thresholds": ("thresholds", "{gold}", "{scored}", "-m", "strict", "--csv", "{out}.csv"),
    "agreement": ("agreement", "{gold}", "{pred}", "-m", "strict", "--disputes", "{out}.json"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_output_is_compressed_by_its_extension(command, tmp_path):
    """Its content is that of the plain file, and its bytes are the same every time."""
    scored = [row | {"spans": [span | {"score": 0.5} for span in row["spans"]]} for row in PRED]
    files = {"gold": GOLD, "pred": PRED, "scored": scored}
    names = {name: write(tmp_path / f"{name}.jsonl", *rows) for name, rows in files.items()}

    def written(extension: str) -> bytes:
        arguments = [part.format(**names, out=tmp_path / "out") for part in COMMANDS[command]]
        place = next(k for k, part in enumerate(arguments) if "/out." in part)
        arguments[place] += extension
        printed(*arguments)
        return Path(arguments[place]).read_bytes()

    plain = written("")
    for extension in PACK if command == "score" else [".gz", ".zst"]:
        found = written(extension)
        assert UNPACK[extension](found) == plain
        assert found == written(extension)
        assert extension != ".gz" or found[4:8] == bytes(4), "no time"
        assert extension != ".zst" or found[4] & 4, "a checksum"
    assert not [*tmp_path.glob(".*")]


def test_results_that_were_saved_compressed_are_read_again(tmp_path):
    gold, pred = write(tmp_path / "g.jsonl", *GOLD), write(tmp_path / "p.jsonl", *PRED)
    result = score(load(gold), load(pred), ["strict"])
    for extension in PACK:
        result.save(tmp_path / f"r.json{extension}")
        assert Result.load(tmp_path / f"r.json{extension}") == result
    agreement({"a": load(gold), "b": load(pred)}).save(tmp_path / "consensus.jsonl.gz")
    assert len(read(tmp_path / "consensus.jsonl.gz")) == len(GOLD)
    assert "ends with" in refusal(result.save, tmp_path / "counts.npz.gz")
    assert "contains the result of scores" in refusal(Thresholds.load, tmp_path / "r.json.gz")


def test_files_of_options_may_be_compressed(tmp_path):
    gold = write(tmp_path / "g.jsonl", *GOLD)
    labels = packed(write(tmp_path / "names.json", '{"PER": "PERSON"}'), ".gz")
    assert "PERSON" in accepted("score", gold, gold, "-m", "strict", "--labels", labels)
    accepted("training", gold, "-o", tmp_path / "lexicon.json.gz")
    assert "Rome" in read_lexicon(tmp_path / "lexicon.json.gz").surfaces
    assert read_lexicon(packed(gold, ".bz2")).surfaces == read_lexicon(tmp_path / "lexicon.json.gz").surfaces


def test_names_of_systems_lose_both_extensions(tmp_path):
    paths = [packed(write(tmp_path / f"{name}.jsonl", *GOLD), ".gz") for name in ("ann", "bob")]
    assert "ann" in accepted("agreement", *paths, "-m", "strict")
    assert ".jsonl" not in accepted("agreement", *paths, "-m", "strict")
    assert infer_format(paths[0]) == "jsonl"
