"""Plant the faults of tests/data/faults.txt one after the other, and see that tests notice each of them.

    python scripts/faults.py [ROOM ...]

A ROOM is a folder of the package, such as counting. Without one, all are tried: an hour or so. Each fault is
planted into a copy of the repository, in which the tests that its entry names run. They first run without a fault: a
test that fails anyway notices nothing. They are killed after a few minutes, as is a fault that makes something endless:
that is noticed, too.

The script ends with the number of faults that were noticed in each room, and fails if any was not.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "tests" / "data" / "faults.txt"
PATIENCE = 240


class Fault(NamedTuple):
    """A text of a file of the package, what it is replaced by, and the tests that notice it."""

    file: str
    old: str
    new: str
    tests: list[str]

    @property
    def room(self) -> str:
        return self.file.partition("/")[0]


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
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
    command += [f"tests/{name}" for name in tests]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=patience)
    return f"\n{done.stdout}".rstrip().rpartition("\n")[2] or "no tests" if done.returncode else ""


def noticed(fault: Fault, folder: Path) -> bool:
    """Return whether a test fails with a fault."""
    path = folder / "spacy_nereval" / fault.file
    whole = path.read_text(encoding="utf8")
    path.write_text(whole.replace(fault.old, fault.new), encoding="utf8")
    try:
        return bool(failing(fault.tests, folder, PATIENCE))
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(whole, encoding="utf8")


def main(rooms: list[str]) -> int:
    """Try the faults of some rooms, and return the exit status."""
    tried, found = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = copied(Path(name))
        asked = [fault for fault in catalogue(CATALOGUE.read_text("utf8")) if not rooms or fault.room in rooms]
        if unknown := {*rooms} - {fault.room for fault in asked}:
            sys.exit(f"no fault is in {', '.join(sorted(unknown))}")
        if why := failing(sorted({test for fault in asked for test in fault.tests}), folder):
            sys.exit(f"tests fail without a fault, so they cannot notice one: {why}")
        for fault in asked:
            tried[fault.room] += 1
            found[fault.room] += (seen := noticed(fault, folder))
            if not seen:
                print(f"not noticed: {fault.file}\n- {fault.old}\n+ {fault.new}", flush=True)
    for room, number in sorted(tried.items()):
        print(f"{room}: {found[room]} of {number}")
    return int(found != tried)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
