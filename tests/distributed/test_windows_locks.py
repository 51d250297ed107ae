"""Stale locks on Windows. Its kernel is replaced here, so this tests what is asked and how answers are understood."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from spacy_nereval.distributed.lock import _has_ended_on_windows

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


@pytest.mark.parametrize(("pid", "ended"), [(1, False), (2, True), (3, False), (4, True), (2**70, False), (-1, False)])
def test_what_windows_says_of_a_process(pid, ended, monkeypatch):
    """1 runs, 2 has ended and is still known, 3 belongs to somebody else, and there is no 4."""
    kernel = Kernel({1: RUNNING, 2: 0, 3: None})
    monkeypatch.setattr(ctypes, "WinDLL", lambda name, use_last_error: kernel, raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: kernel.error, raising=False)
    assert _has_ended_on_windows(pid) is ended
    assert kernel.open == []
