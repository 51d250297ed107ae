"""The processor time and the memory of this process and its workers, on Linux."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from threading import Event, Thread

from joblib.externals.loky import get_reusable_executor


def processor_time() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def watched() -> Iterator[dict[int, int]]:
    """Yield the greatest resident set of each child process, which a thread keeps up to date."""
    peaks: dict[int, int] = {}
    done = Event()

    def watch() -> None:
        while not done.wait(0.2):
            for pid in children():
                try:
                    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
                    peaks[pid] = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
                except (OSError, StopIteration):  # it has just ended
                    continue

    thread = Thread(target=watch, daemon=True)
    thread.start()
    yield peaks
    done.set()
    thread.join()


def children() -> list[str]:
    return [pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()]


def end_workers() -> list[float]:
    """End the workers of loky, if there are any, and return the processor time of each."""
    ticks, found = os.sysconf("SC_CLK_TCK"), []
    for pid in children():
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        found.append((int(fields[11]) + int(fields[12])) / ticks)
    if found:
        get_reusable_executor().shutdown(wait=True)
    return found
