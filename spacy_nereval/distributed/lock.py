"""Keep two runs from writing to one folder, even when an earlier run was killed."""

from __future__ import annotations

import getpass
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from ..io.paths import Location, in_words

_held: set[str] = set()
"""The lock files that this process holds. Any other lock file with this process's id is a
leftover: of a restarted container, where ids start again, or of an ended process that had
the same id."""

_changing = Lock()
"""Held while this process takes or releases a lock file."""


@contextmanager
def exclusive(lock: Location, folder: str, remedy: str) -> Iterator[None]:
    """Hold a lock file, so that no other run that needs it can continue.

    A stale lock file, whose process ran on this machine and ended, is replaced.

    Args:
        lock: The lock file, in a folder that exists.
        folder: The folder or file that is locked, as the user named it, for errors.
        remedy: What else to do than to wait, for errors.

    Raises:
        ValueError: If another run holds the lock file, with its process, user and host;
            or if the file cannot be written.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     with exclusive(Path(folder, "run.lock"), folder, "or take another"):
        ...         print([file.name for file in Path(folder).iterdir()])
        ['run.lock']
    """
    key = str(lock.resolve())
    with _changing:
        _take(lock, key, folder, remedy)
        _held.add(key)
    try:
        yield
    finally:
        with _changing:
            _held.discard(key)
            lock.unlink(missing_ok=True)


def _take(lock: Location, key: str, folder: str, remedy: str) -> None:
    if _is_stale(lock, key):
        lock.unlink(missing_ok=True)
    try:
        with lock.open("x") as file:
            file.write(json.dumps(this_process()))
    except FileExistsError:
        who = "process {pid} of {user} on {host}".format(**{"pid": "?", "user": "?", "host": "?", **_owner(lock)})
        raise ValueError(
            f"another run, {who}, writes to {folder}: wait for it, {remedy}; if that run has ended, delete {lock}"
        ) from None
    except OSError as error:  # otherwise a half-written lock file on a full disk would lock the folder for good
        lock.unlink(missing_ok=True)
        raise ValueError(f"{folder} cannot be written to: {in_words(error)}") from None


def this_process() -> dict[str, Any]:
    """Return the user, the host and the id of this process, for files that record who wrote them."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may have no name for its user
        user = "somebody"
    return {"user": user, "host": socket.gethostname(), "pid": os.getpid()}


def _owner(lock: Location) -> dict[str, Any]:
    """Return who wrote a lock file; nothing if it is missing, half written or not a lock file."""
    try:
        owner = json.loads(lock.read_text())
    except (OSError, ValueError):
        return {}
    known = isinstance(owner, dict) and owner.keys() == {"user", "host", "pid"} and isinstance(owner["pid"], int)
    return owner if known else {}


def _is_stale(lock: Location, key: str) -> bool:
    """Return whether the process that wrote a lock file ran on this machine and has ended.

    Nothing is known about processes of other machines, so their lock files are never stale.
    """
    owner = _owner(lock)
    if owner.get("host") != socket.gethostname():
        return False
    if owner["pid"] == os.getpid():
        return key not in _held
    return _has_ended(owner["pid"]) if os.name == "posix" else _has_ended_on_windows(owner["pid"])


def _has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # signal 0 only checks whether the process exists
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it belongs to another user, or is not the id of a process
        return False
    return False


def _has_ended_on_windows(pid: int) -> bool:
    """Ask Windows, where os.kill would end the process."""
    import ctypes

    may_ask, no_such_process, running = 0x1000, 87, 259
    api: Any = ctypes  # these names exist on Windows only
    kernel = api.WinDLL("kernel32", use_last_error=True)
    kernel.OpenProcess.restype = ctypes.c_void_p
    if not 0 < pid < 1 << 32:
        return False
    process = kernel.OpenProcess(may_ask, False, pid)
    if not process:
        return bool(api.get_last_error() == no_such_process)
    code = ctypes.c_ulong()
    known = kernel.GetExitCodeProcess(ctypes.c_void_p(process), ctypes.byref(code))
    kernel.CloseHandle(ctypes.c_void_p(process))
    return bool(known) and code.value != running
