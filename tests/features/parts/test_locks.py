"""Two runs that share a folder: locks, and what a killed run leaves."""

import ctypes
import errno
import json
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from processes import live
from sharded import ALL_PARTS, SHARDS, evaluated, parts, refused, run

from spacy_nereval.features.parts import lock as locks
from spacy_nereval.features.parts import shards
from spacy_nereval.features.parts.lock import _has_ended_on_windows
from spacy_nereval.features.parts.shards import PartsFolder, ShardStatus, lock_folder
from spacy_nereval.io import count_files as storage


@pytest.fixture
def somebody() -> Iterator[Popen[bytes]]:
    """A process that runs, and does nothing."""
    with live([sys.executable, "-c", "input()"], stdin=PIPE) as process:
        yield process


def lock(**owner: Any) -> None:
    Path("nereval-parts").mkdir(exist_ok=True)
    Path("nereval-parts/run.lock").write_text(json.dumps({"user": "ada", "host": socket.gethostname(), **owner}))


def test_two_runs_do_not_write_to_one_folder(here, somebody):
    lock(pid=somebody.pid)
    (line,) = refused("evaluate", "training/model-best", *SHARDS)
    assert f"another run, process {somebody.pid} of ada on {socket.gethostname()}, writes to nereval-parts" in line
    assert "--parts" in line
    assert list(parts()) == ["run.lock"]
    evaluated(*SHARDS, "--parts", "another")


def test_a_run_that_is_to_wait_goes_on_when_the_other_ends(here, somebody, monkeypatch):
    """As long as it is to wait, and no longer. `--append` waits for its file in the same way."""
    clock, files = [0.0], [Path("nereval-parts/run.lock"), Path("all.npz.lock")]

    def slept(seconds: float) -> None:
        clock[0] += seconds
        if clock[0] >= 5:
            for file in files:
                file.unlink(missing_ok=True)

    monkeypatch.setattr(locks, "sleep", slept)
    monkeypatch.setattr(locks, "monotonic", lambda: clock[0])
    lock(pid=somebody.pid)
    (line,) = refused("evaluate", "training/model-best", *SHARDS, "--wait", 3.5)
    assert "wait for it, as --wait 60 does, or choose another folder" in line and clock == [3.5]
    evaluated(*SHARDS, "--wait", 60)
    assert clock == [5.5] and list(parts()) == ALL_PARTS
    append = ("count", "training/model-best", "whole.spacy", "--collapse", "--append", "-m", "strict", "-o", "all.npz")
    files[1].write_text(json.dumps({"user": "ada", "host": "elsewhere", "pid": 1}))
    clock[0] = 0.0
    assert "writes to all.npz" in refused(*append, "--wait", 2)[0]
    assert run(*append, "--wait", 9).exit_code == 0 and clock == [5.0]


GONE = 2**22 + 1
"""The number of a process that is no more: so many there cannot be."""


@pytest.mark.parametrize("stale", ["gone", "own", "empty"])
def test_a_lock_that_a_killed_run_left_does_not_count(here, stale):
    """Of a process that is gone; of a container that was started again, where numbers begin anew; empty for long."""
    lock(pid=os.getpid() if stale == "own" else GONE)
    if stale == "empty":
        Path("nereval-parts/run.lock").write_text("")
        assert "another run, process ? of ?" in refused("evaluate", "training/model-best", *SHARDS)[0]
        os.utime("nereval-parts/run.lock", (0, 0))
    evaluated(*SHARDS)
    assert list(parts()) == ALL_PARTS


HERE = {"user": "ada", "host": socket.gethostname()}


CONTENTS = {
    "another machine": '{"pid": 1, "user": "ada", "host": "elsewhere"}',
    "empty": "",
    "a list": "[]",
    "a number alone": '{"pid": 1}',
    "no number": json.dumps({**HERE, "pid": "1"}),
    "no number of a process": json.dumps({**HERE, "pid": 2**70}),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_a_lock_of_which_nothing_is_known_here_is_respected(here, content):
    """Of another machine, or half written."""
    lock()
    Path("nereval-parts/run.lock").write_text(content)
    (line,) = refused("evaluate", "training/model-best", *SHARDS)
    assert "if that run has ended, delete nereval-parts/run.lock" in line


def test_a_folder_is_locked_while_it_is_used_and_not_behind(tmp_path):
    """Against another run of this process too."""
    folder = PartsFolder(str(tmp_path / "new"))
    for error in (ValueError, KeyError):
        with pytest.raises(error), lock_folder(folder):
            assert json.loads((tmp_path / "new" / "run.lock").read_text())["pid"] == os.getpid()
            (tmp_path / "new" / "counts-a.npz").touch()
            with pytest.raises(ValueError, match=f"another run, process {os.getpid()} of "), lock_folder(folder):
                pass
            assert (tmp_path / "new" / "run.lock").exists()
            raise error
        assert list(parts(str(tmp_path / "new"))) == ["counts-a.npz"]


def test_a_lock_that_cannot_be_written_keeps_nobody_out(tmp_path, monkeypatch):
    def full() -> dict[str, Any]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(locks, "this_process", full)
    with (
        pytest.raises(ValueError, match="cannot be written to: .*No space left"),
        lock_folder(PartsFolder(str(tmp_path))),
    ):
        pass
    assert parts(str(tmp_path)) == {}


def test_counts_that_another_run_changed_are_not_merged(here, monkeypatch):
    evaluated(*SHARDS)
    merge = shards.merge_shards

    def late(found: Sequence[ShardStatus], folder: PartsFolder, *engine: Any, **options: Any) -> Any:
        counts = storage.load(folder.part(found[0].shard))
        storage.save(counts, folder.part(found[0].shard), origin={"gold": "another"})
        return merge(found, folder, *engine, **options)

    monkeypatch.setattr(shards, "merge_shards", late)
    lines = refused("evaluate", "training/model-best", *SHARDS[:2])
    assert "counts-a.spacy.npz was changed by somebody else" in lines[-1]


# Stale locks on Windows. Its kernel is replaced here, so this tests what is asked and how answers are understood


RUNNING = 259


class Call:
    """A function of the kernel. ctypes sets attributes of such functions."""

    def __init__(self, does: Any) -> None:
        self.does = does

    def __call__(self, *given: Any) -> Any:
        return self.does(*given)


class Kernel:
    """Processes by number, with their exit codes; None where this user may not look."""

    def __init__(self, processes: dict[int, int | None]) -> None:
        self.processes = processes
        self.error = 0
        self.open: list[int] = []
        self.OpenProcess = Call(self.opened)
        self.GetExitCodeProcess = Call(self.exit_code)
        self.CloseHandle = Call(lambda handle: self.open.remove(handle.value))

    def opened(self, access: int, inherit: bool, pid: int) -> int | None:
        assert (access, inherit) == (0x1000, False)
        if self.processes.get(pid) is None:
            self.error = 5 if pid in self.processes else 87
            return None
        self.open.append(pid)
        return pid

    def exit_code(self, handle: Any, code: Any) -> int:
        code._obj.value = self.processes[handle.value]
        return 1


@pytest.mark.parametrize(("pid", "ended"), [(1, False), (2, True), (3, False), (4, True), (2**32, False), (-1, False)])
def test_what_windows_says_of_a_process(pid, ended, monkeypatch):
    """1 runs, 2 has ended and is still known, 3 belongs to somebody else, and there is no 4."""
    kernel = Kernel({1: RUNNING, 2: 0, 3: None})
    monkeypatch.setattr(ctypes, "WinDLL", lambda name, use_last_error: kernel, raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: kernel.error, raising=False)
    assert _has_ended_on_windows(pid) is ended
    assert kernel.open == []


def test_a_lock_file_has_its_content_at_once(tmp_path, monkeypatch):
    seen = []
    link = os.link
    monkeypatch.setattr(os, "link", lambda a, b: (seen.append(Path(a).read_text()), link(a, b)))
    with locks.hold_lock(tmp_path / "run.lock", "x", ""):
        assert json.loads(seen[0])["pid"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


TAKING = """
import sys
from pathlib import Path
from spacy_nereval.features.parts.lock import hold_lock

for path in sys.argv[1:]:
    print("ready", flush=True)
    input()
    try:
        with hold_lock(Path(path), "x", "or not"):
            print("taken", flush=True)
            input()
    except ValueError:
        print("busy", flush=True)
        input()
"""


def answers(runs: Sequence[Popen[bytes]]) -> list[bytes]:
    """What each of the processes says, before all go on."""
    said = sorted(each.stdout.readline() for each in runs)
    for each in runs:
        each.stdin.write(b"\n")
        each.stdin.flush()
    return said


def test_a_stale_lock_is_taken_by_one_of_several(tmp_path):
    """All find the lock of a process that is gone, and are let go at once, again and again."""
    files = [tmp_path / f"{k}.lock" for k in range(3)]
    for file in files:
        file.write_text(json.dumps({**HERE, "pid": GONE}))
    with ExitStack() as stack:
        command, both = [sys.executable, "-c", TAKING, *files], {"stdin": PIPE, "stdout": PIPE}
        runs = [stack.enter_context(live(command, **both)) for _ in range(4)]
        for _ in files:
            assert answers(runs) == [b"ready\n"] * 4
            assert answers(runs) == [b"busy\n"] * 3 + [b"taken\n"]


def test_who_finds_a_stale_lock_replaced_meanwhile_leaves_it(tmp_path, monkeypatch, somebody):
    """Another run takes the stale lock between the look and the claim."""
    path = tmp_path / "run.lock"
    path.write_text(json.dumps({**HERE, "pid": GONE}))
    other = json.dumps({**HERE, "user": "bob", "pid": somebody.pid})
    create = locks._create

    def slow(lock: Path) -> None:
        create(lock)
        if lock.suffix == ".claim":
            path.write_text(other)

    monkeypatch.setattr(locks, "_create", slow)
    with pytest.raises(ValueError, match=f"process {somebody.pid} of bob"), locks.hold_lock(path, "x", ""):
        pass
    assert path.read_text() == other
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(30, "Read-only file system")])
def test_a_folder_that_cannot_be_written_is_refused_with_the_option_that_names_another(error, tmp_path, monkeypatch):
    def refuse(self, *args, **how):
        raise error

    monkeypatch.setattr(Path, "mkdir", refuse)
    said = "nereval-parts, which keeps the counts of each file, cannot be written: choose another with parts="
    with pytest.raises(ValueError, match=said), lock_folder(PartsFolder("nereval-parts")):
        pass


def test_a_folder_of_somebody_else_is_refused_with_the_option_that_names_another(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *args: False)
    with (
        pytest.raises(ValueError, match="cannot be written: choose another with parts="),
        lock_folder(PartsFolder(str(tmp_path))),
    ):
        pass
