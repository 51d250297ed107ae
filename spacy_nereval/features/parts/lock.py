"""Keep two runs from writing to one folder, even when an earlier run was killed."""

from __future__ import annotations

import getpass
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from threading import Lock
from time import monotonic, sleep, time
from typing import Any

from ...core.messages import TryAgain, spell_argument
from ...io.paths import Location, error_message
from ...io.writing import FULL

_held: set[str] = set()
"""The lock files of this process.

Any other lock file with this process's id is stale: an ended process had the same id, perhaps before its container
was restarted.
"""

EMPTY_LOCK_SECONDS = 10
"""Seconds after which an empty lock file is stale."""

POLL_SECONDS = 1.0
"""Seconds between two attempts to take the lock file of another run."""

_changing = Lock()
"""Held while this process takes or releases a lock file."""


@contextmanager
def hold_lock(lock: Location, folder: str, remedy: str, wait: float = 0) -> Iterator[None]:
    """Hold a lock file, so that no other run that needs it can continue.

    A stale lock file, of a process that ran on this machine and ended, is replaced.

    Args:
        lock: The lock file, in a folder that exists.
        folder: The folder or file that is locked, as the user named it, for errors.
        remedy: An alternative to waiting, for errors.
        wait: Seconds to wait for another run that holds the lock file.

    Raises:
        TryAgain: Another run still holds the lock file; with its process, user and host.
        ValueError: The file cannot be written.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     with hold_lock(Path(folder, "run.lock"), folder, "or take another"):
        ...         print([file.name for file in Path(folder).iterdir()])
        ['run.lock']
    """
    key, until = str(lock.resolve()), monotonic() + wait
    while True:
        try:
            with _changing:
                _take(lock, key, folder, remedy)
                _held.add(key)
            break
        except TryAgain:
            if not (left := until - monotonic()) > 0:  # also true of NaN
                raise
            sleep(min(POLL_SECONDS, left))
    try:
        yield
    finally:
        with _changing:
            _held.discard(key)
            lock.unlink(missing_ok=True)


def _take(lock: Location, key: str, folder: str, remedy: str) -> None:
    """Create a lock file, or replace a stale one. Raise TryAgain if another run holds it."""
    try:
        if _is_stale(lock, key):
            _replace(lock, key, folder, remedy)
        else:
            _create(lock)
    except FileExistsError:
        owner = "process {pid} of {user} on {host}".format(**{"pid": "?", "user": "?", "host": "?", **_owner(lock)})
        raise TryAgain(
            f"another run, {owner}, writes to {folder}: wait for it, as {spell_argument('wait', 60)} does, {remedy}; "
            f"if that run has ended, delete {lock}"
        ) from None
    except OSError as error:
        raise ValueError(f"{folder} cannot be written to: {error_message(error)}") from None


def _replace(lock: Location, key: str, folder: str, remedy: str) -> None:
    """Replace a stale lock file. Of several runs that find it, only the one that holds the claim may delete it."""
    claim = lock.with_name(f"{lock.name}.claim")
    claim_key = str(claim.resolve())
    _take(claim, claim_key, folder, remedy)
    _held.add(claim_key)
    try:
        if _is_stale(lock, key):  # another run may have replaced it before this one had the claim
            lock.unlink(missing_ok=True)
        _create(lock)
    finally:
        _held.discard(claim_key)
        claim.unlink(missing_ok=True)


def _create(lock: Location) -> None:
    """Create a lock file together with its content. Raise FileExistsError if there is one."""
    content = json.dumps(this_process())
    if isinstance(lock, Path):
        whole = lock.with_name(f".{lock.name}.{token_hex(4)}")
        try:
            whole.write_text(content, encoding="utf8")
            os.link(whole, lock)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno in FULL:
                raise
        else:
            return
        finally:
            whole.unlink(missing_ok=True)
    with lock.open("x", encoding="utf8") as file:  # for file systems without hard links
        try:
            file.write(content)
            file.flush()
        except OSError:  # a half-written lock file on a full disk would lock the folder for good
            lock.unlink(missing_ok=True)
            raise


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
        owner = json.loads(lock.read_text(encoding="utf8"))
    except (OSError, ValueError):
        return {}
    is_owner = isinstance(owner, dict) and owner.keys() == {"user", "host", "pid"} and isinstance(owner["pid"], int)
    return owner if is_owner else {}


def _is_stale(lock: Location, key: str) -> bool:
    """Return whether the process that wrote a lock file ran on this machine and has ended.

    This machine cannot see the processes of others, so lock files of other machines are never stale. A run may be
    about to fill an empty lock file, so that becomes stale only after some seconds.
    """
    owner = _owner(lock)
    if not owner and _is_empty(lock):
        return True
    if owner.get("host") != socket.gethostname():
        return False
    if owner["pid"] == os.getpid():
        return key not in _held
    return _has_ended(owner["pid"]) if os.name == "posix" else _has_ended_on_windows(owner["pid"])


def _is_empty(lock: Location) -> bool:
    if not isinstance(lock, Path):
        return False  # cloud storage shows a file only with its content
    try:
        state = lock.stat()
    except OSError:
        return False
    return bool(state.st_size == 0 and time() - state.st_mtime > EMPTY_LOCK_SECONDS)


def _has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # signal 0 only checks whether the process exists
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it belongs to another user, or is not the id of a process
        return False
    return False


def _has_ended_on_windows(pid: int) -> bool:
    """Return whether a process has ended, on Windows, where os.kill would end it."""
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
    succeeded = kernel.GetExitCodeProcess(ctypes.c_void_p(process), ctypes.byref(code))
    kernel.CloseHandle(ctypes.c_void_p(process))
    return bool(succeeded) and code.value != running
