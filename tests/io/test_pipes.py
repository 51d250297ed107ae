"""Pipes, linked folders, and files of a kind that is not read."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import GOLD, GOLD_DOCS, PRED, accepted, flat, line, refused, run, write
from docs import write_docs
from reading import read

from spacy_nereval.io import paths

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")


def pipe(path: Path, data: bytes) -> Path:
    """A named pipe, into which somebody writes once."""
    if not path.exists():
        os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(data,), daemon=True).start()
    return path


@posix
@pytest.mark.parametrize(
    "command", [("score", "-m", "strict"), ("errors",), ("compare", "-m", "strict", "--trials", "20")]
)
def test_pipes_are_read_as_files_are(command, tmp_path):
    """Several times, where that is needed: the format, tokens and both sides are looked up."""
    gold, pred = write(tmp_path / "g.jsonl", *GOLD), write(tmp_path / "p.jsonl", *PRED)
    name, *options = command
    systems = (pred, pred) if name == "compare" else (pred,)
    wanted = accepted(name, gold, *systems, *options, "--format", "jsonl")
    found = accepted(name, pipe(tmp_path / "g", gold.read_bytes()), *systems, *options, "--format", "jsonl")
    assert found == wanted
    assert accepted(name, pipe(tmp_path / "g", gold.read_bytes()), *systems, *options, "-f", "jsonl") == wanted


@posix
def test_a_pipe_that_is_written_again_is_read_again(tmp_path):
    pred = write(tmp_path / "p.jsonl", line("Ada"))
    accepted("score", pipe(tmp_path / "x", b'{"text": "Ada", "spans": []}\n'), pred, "-f", "jsonl")
    assert "differs" in refused("score", pipe(tmp_path / "x", b'{"text": "Bob", "spans": []}\n'), pred, "-f", "jsonl")


@posix
def test_process_substitution_of_a_shell_is_read(tmp_path):
    """CoNLL is read twice; a model is not looked for under the name of a pipe."""
    source, target = os.pipe()
    os.write(target, b"Ada B-PER\nmet O\n")
    os.close(target)
    conll = tmp_path / "p.conll"
    conll.write_text("Ada B-PER\nmet O\n")
    said = accepted("errors", conll, f"/dev/fd/{source}", "--format", "conll")
    os.close(source)
    assert "1 gold span, 1 predicted span" in flat(said)


@posix
def test_docs_come_from_a_pipe_too(tmp_path):
    data = write_docs(tmp_path / "g.spacy", GOLD_DOCS).read_bytes()
    assert len(read(pipe(tmp_path / "x", data), name="spacy")) == len(GOLD_DOCS)


@posix
@pytest.mark.parametrize("command", [("score", "-m", "strict"), ("errors",), ("count", "-o", "out.npz")])
def test_a_full_disk_of_temporary_files_names_the_pipe_and_the_folder(command, tmp_path, monkeypatch):
    import resource

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    (tmp_path / "full").mkdir()
    monkeypatch.setattr(paths, "_folder_of_copies", lambda: SimpleNamespace(name=tmp_path / "full"))
    pred, gold = write(tmp_path / "p.jsonl", *PRED * 9), tmp_path / "g"
    os.mkfifo(gold)

    def fill() -> None:
        with suppress(BrokenPipeError):
            gold.write_bytes(pred.read_bytes())

    writer = threading.Thread(target=fill, daemon=True)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        writer.start()
        said = refused(*command, gold, pred, "-f", "jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    where = f"{tmp_path}/full, the folder for temporary files (File too large)"
    assert said == f"✘ the content of {gold} cannot be written to {where}: set TMPDIR to a folder with more space"
    assert not [*(tmp_path / "full").rglob("?")]


@posix
def test_a_pipe_that_could_not_be_copied_is_not_opened_again(tmp_path, monkeypatch):
    def fails(path: Path) -> Path:
        opened.append(path)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    opened: list[Path] = []
    monkeypatch.setattr(paths, "_copy", fails)
    os.mkfifo(tmp_path / "g")
    for _ in range(2):
        with pytest.raises(OSError, match="No space left on device"):
            paths.readable(tmp_path / "g")
    assert opened == [tmp_path / "g"]


def brat(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text(text)
    (folder / f"{name}.ann").write_text("")


def test_linked_folders_of_brat_are_followed(tmp_path):
    brat(tmp_path / "x", "a", "Ada")
    brat(tmp_path / "other" / "deep", "b", "Bob")
    (tmp_path / "x" / "linked").symlink_to(tmp_path / "other")
    (tmp_path / "x" / "again").symlink_to(tmp_path / "x" / "linked" / "deep")
    found = [(record.id, record.text) for record in read(tmp_path / "x")]
    assert found == [("a", "Ada"), ("again/b", "Bob"), ("linked/deep/b", "Bob")]
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "linked").symlink_to(tmp_path / "other")
    assert [record.id for record in read(tmp_path / "only")] == ["linked/deep/b"]


def test_links_that_lead_back_end(tmp_path):
    brat(tmp_path / "x" / "a", "1", "Ada")
    brat(tmp_path / "y", "2", "Bob")
    (tmp_path / "x" / "a" / "up").symlink_to(tmp_path / "x")
    (tmp_path / "x" / "y").symlink_to(tmp_path / "y")
    (tmp_path / "y" / "x").symlink_to(tmp_path / "x")
    found = {record.id for record in read(tmp_path / "x")}
    assert {"a/1", "y/2"} <= found
    assert len(found) < 10


@pytest.mark.parametrize("side", ["gold", "pred"])
def test_tokens_that_overlap_are_refused_on_both_sides(side, tmp_path):
    good = write(tmp_path / "a.jsonl", line("Ada met", tokens=[{"start": 0, "end": 3}, {"start": 4, "end": 7}]))
    bad = write(tmp_path / "b.jsonl", line("Ada met", tokens=[{"start": 0, "end": 5}, {"start": 4, "end": 7}]))
    said = refused("score", *((bad, good) if side == "gold" else (good, bad)))
    assert f"{bad}, line 1: tokens overlap: one ends at 5, the next begins at 4" in said


ROW = '{"text": "Ada", "spans": []}\n'


OTHER_KINDS = [
    ("a.conll", b"PK\x03\x04zip", "a.conll is a zip archive: unpack it first"),
    ("a.jsonl", ROW.encode("utf-16"), "a.jsonl is in UTF-16, expected UTF-8: convert it first, with iconv"),
    ("a.conll", "Ada B-PER\n".encode("utf-16-le"), "a.conll is in UTF-16, expected UTF-8"),
    ("a.csv", "PER\t1\t1\t1\n".encode("utf-16-be"), "a.csv is in UTF-16, expected UTF-8"),
    (
        "a.conll",
        b"# sent_id = 1\n# text = Ada\n1\tAda\n",
        "a.conll, line 1: this is CoNLL-U: read it with --format conllu",
    ),
    ("a.tsv", b"1\tAda\tAda\tPROPN\t_\t_\t0\troot\t_\tname=B-PER\n", "a.tsv, line 1: this is CoNLL-U"),
]


@pytest.mark.parametrize(("name", "data", "said"), OTHER_KINDS, ids=[said[:40] for _, _, said in OTHER_KINDS])
def test_files_of_another_kind_are_named_with_the_remedy(name, data, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    assert said in refused("score", path, path)


@pytest.mark.parametrize("text", ["# B-PER\ntext O\n", "1 O\n2 B-A\n", "# O\n= O\n"])
def test_a_file_that_only_looks_like_conllu_is_read(text, tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(text)
    assert run("score", path, path).exit_code == 0


def test_a_text_with_some_zeros_is_not_taken_for_utf_16(tmp_path):
    path = write(tmp_path / "a.jsonl", line("Ada\0", (0, 3, "A")))
    assert run("score", path, path).exit_code == 0
