"""Run processes that end after a time limit, or when their test fails, with all that they started.

`subprocess.run(..., capture_output=True, timeout=60)` kills only its own child, and then waits
until all processes that hold the pipe have closed it: workers, daemons, browsers. If an error ends
a block `with subprocess.Popen(...)`, the block waits for its process without a limit. Here output
goes into files, which nothing waits for, and a process has a group, which is killed as a whole.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import CompletedProcess, Popen
from tempfile import TemporaryFile
from typing import Any

PATIENCE = 120
"""Default number of seconds until a test gives up waiting: much more than anything takes."""

WITHOUT_SPACY = """
import sys
from types import ModuleType

sys.modules["spacy"] = sys.modules["thinc"] = None  # so that importing them fails
sys.modules["spacy_nereval.cli.spacy_app"] = ModuleType("spacy_nereval.cli.spacy_app")

from spacy_nereval.cli import nereval
"""
"""A program that has the commands, and starts in a fifth of the time that spaCy takes."""


@contextmanager
def live(command: Sequence[str | Path], **how: Any) -> Iterator[Popen[bytes]]:
    """Run a command while the block lasts; then end it and all that it started."""
    process = Popen([*map(str, command)], start_new_session=True, **how)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for stream in filter(None, (process.stdin, process.stdout)):
            stream.close()
        process.wait(PATIENCE)


def ended(command: Sequence[Any], *, seconds: float = PATIENCE, input: str = "", **how: Any) -> CompletedProcess[str]:
    """Run a command to its end: its exit code, and what it wrote, in UTF-8.

    Raises:
        AssertionError: If it takes longer; with what it wrote so far.
    """
    with TemporaryFile() as read, TemporaryFile() as out, TemporaryFile() as err:
        read.write(input.encode())
        read.seek(0)
        with live(command, stdin=read, stdout=out, stderr=err, **how) as process:
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
        written = [_text(file) for file in (out, err)]
    assert code is not None, f"{process.args} did not end in {seconds} seconds; it wrote\n{written[0]}\n{written[1]}"
    return CompletedProcess(process.args, code, *written)


def _text(file: Any) -> str:
    file.seek(0)
    return file.read().decode("utf8", "replace").replace(os.linesep, "\n")


LEAN = Path(__file__).parent / "lean"
"""A folder with which Python starts without torch."""


def with_path(*folders: str | Path) -> str:
    """The value of PYTHONPATH that has these folders before others."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def python(*arguments: Any, path: Sequence[Path] = (), env: Any = None, **how: Any) -> CompletedProcess[str]:
    """Run this Python to its end, with folders before others on its path and more in its environment."""
    environment = os.environ | {"PYTHONPATH": with_path(*path), "PYTHONIOENCODING": "utf8"} | (env or {})
    return ended([sys.executable, *map(str, arguments)], env=environment, **how)


def until(true: Callable[[], Any], seconds: float = PATIENCE, every: float = 0.1) -> Any:
    """Wait until a condition is true, and return its value.

    Raises:
        AssertionError: If it does not become true.
    """
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, f"the condition did not become true in {seconds} seconds"
        time.sleep(every)
    return found


def slept(seconds: float) -> tuple[float, float]:
    """Sleep, and return when that began and ended. It is in this module so that workers can import it."""
    begin = time.time()
    time.sleep(seconds)
    return begin, time.time()
