"""Plant the faults of tests/data/faults.txt one after the other, and see that tests notice each of them.

    python scripts/faults.py [ROOM ...]

A ROOM is a folder of the package or of a feature, such as counting or gate. Without one, all are tried: an hour or
so. Each fault is planted into a copy of the repository, in which the tests that its entry names run. They first run
without a fault: a test that fails anyway notices nothing. They are killed after a few minutes, as is a fault that
makes something endless: that counts as noticed, and is printed.

The script ends with the number of faults that were noticed in each room, and fails if any was not.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import cache_from_source
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "tests" / "data" / "faults.txt"
PATIENCE = 240
Forked = multiprocessing.get_context("fork").Process
"""A process that has what this one has imported: where it starts anew, importing takes longer than most tests."""


class Fault(NamedTuple):
    """A text of a file of the package, what it is replaced by, and the tests that notice it."""

    file: str
    old: str
    new: str
    tests: list[str]

    @property
    def room(self) -> str:
        room, feature, *_ = self.file.split("/")
        return feature if room == "features" else room


def catalogue(text: str) -> Iterator[Fault]:
    """Yield the faults of a catalogue: `file: tests`, then lines with `- ` and `+ `; `#` begins a comment.

    >>> [*catalogue("core/a.py: core\\n- x = 1\\n+ x = 2\\n")]
    [Fault(file='core/a.py', old='x = 1', new='x = 2', tests=['core'])]
    """
    for entry in text.split("\n\n"):
        lines = [line for line in entry.splitlines() if line and not line.startswith("#")]
        if lines:
            file, _, tests = lines[0].partition(": ")
            old, new = ("\n".join(line[2:] for line in lines[1:] if line[0] == side) for side in "-+")
            yield Fault(file, old, new, tests.split())


def copied(folder: Path) -> Path:
    """Copy the files that git knows, and new ones that it does not ignore."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def failing(tests: Iterable[str], folder: Path, patience: float | None = None) -> str:
    """Return the last line that pytest prints if a test of some files or folders fails, else an empty text."""
    with tempfile.TemporaryFile() as said:
        process = Forked(target=_test, args=([f"tests/{name}" for name in tests], folder, said.fileno()))
        process.start()
        process.join(patience)
        if process.exitcode is None:
            os.killpg(process.pid or 0, signal.SIGKILL)
            process.join()
            return "out of time"
        said.seek(0)
        last = said.read().decode(errors="replace").rstrip().rpartition("\n")[2]
    return "" if not process.exitcode else last or "no output"


def _test(tests: list[str], folder: Path, said: int) -> None:
    """Run tests as `python -m pytest` does in a folder, in a group of processes that can be killed together."""
    os.setsid()
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.chdir(folder)
    sys.path[0] = str(folder)
    status = pytest.main(["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-m", "not slow", *tests])
    sys.stdout.flush()
    os._exit(status)  # workers that tests have started would keep this process from ending


def warm() -> None:
    """Import what tests import of other packages, so that every process has it, and let them keep compiled modules."""
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.path.insert(1, str(ROOT / "tests" / "support"))
    for name in ("without_torch", "scipy.sparse", "spacy.cli", "typer.testing", "pandas"):
        import_module(name)
    del sys.path[1]


def noticed(fault: Fault, folder: Path) -> str:
    """Return what `failing` says of the tests of a fault with it: an empty text if none notices it."""
    path = folder / "spacy_nereval" / fault.file
    whole = path.read_text(encoding="utf8")
    path.write_text(whole.replace(fault.old, fault.new), encoding="utf8")
    try:
        return failing(fault.tests, folder, PATIENCE)
    finally:
        path.write_text(whole, encoding="utf8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)  # it may look as if it were of the whole text


def main(rooms: list[str]) -> int:
    """Try the faults of some rooms, and return the exit status."""
    tried, found = Counter[str](), Counter[str]()
    warm()
    with tempfile.TemporaryDirectory() as name:
        folder = copied(Path(name))
        asked = [fault for fault in catalogue(CATALOGUE.read_text("utf8")) if not rooms or fault.room in rooms]
        if unknown := {*rooms} - {fault.room for fault in asked}:
            sys.exit(f"no fault is in {', '.join(sorted(unknown))}")
        if why := failing(sorted({test for fault in asked for test in fault.tests}), folder):
            sys.exit(f"tests fail without a fault, so they cannot notice one: {why}")
        for fault in asked:
            tried[fault.room] += 1
            seen = noticed(fault, folder)
            found[fault.room] += bool(seen)
            if seen in ("", "out of time"):
                print(f"{seen or 'not noticed'}: {fault.file}\n- {fault.old}\n+ {fault.new}", flush=True)
    for room, number in sorted(tried.items()):
        print(f"{room}: {found[room]} of {number}")
    return int(found != tried)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
