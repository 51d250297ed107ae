"""What tests start ends with them, and a test that hangs fails."""

import os
from pathlib import Path

import pytest
from processes import ended, live, python, until

LEAVES_A_CHILD = ["sh", "-c", "sleep 1000 & echo $!; sleep $0"]
"""The child holds what its parent writes to. The last argument says how long the parent lives."""


def gone(pid: int) -> bool:
    """Whether a process has ended, reaped or not."""
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="processes are looked up as Linux has it")


@needs_proc
def test_a_child_that_holds_the_output_is_not_waited_for():
    done = ended([*LEAVES_A_CHILD, "0"])
    assert done.returncode == 0
    until(lambda: gone(int(done.stdout)), 10)


@needs_proc
def test_what_takes_too_long_is_killed_with_its_children_and_what_it_wrote_is_said():
    with pytest.raises(AssertionError, match=r"did not end in 2 seconds; it wrote\n\d+\n") as caught:
        ended([*LEAVES_A_CHILD, "1000"], seconds=2)
    until(lambda: gone(int(str(caught.value).split("it wrote\n")[1].split()[0])), 10)


@needs_proc
def test_an_error_in_the_block_ends_what_it_started():
    with pytest.raises(ZeroDivisionError), live(["sleep", "1000"]) as process:
        pid = process.pid
        1 / 0  # noqa: B018  # any error will do
    assert gone(pid)


def test_waiting_has_an_end():
    with pytest.raises(AssertionError, match="the condition did not become true in 0 seconds"):
        until(lambda: False, 0)


def test_a_process_reads_what_it_is_given_and_its_exit_code_and_both_outputs_come_back():
    done = ended(["sh", "-c", "cat; echo né >&2; exit 3"], input="à")
    assert (done.returncode, done.stdout, done.stderr) == (3, "à", "né\n")


HANGS = """
import threading
import pytest

@pytest.mark.timeout(1)
def test_that_hangs():
    threading.Event().wait()

def test_after_it():
    pass
"""


@pytest.mark.slow
def test_a_test_that_hangs_fails_by_name_and_the_others_go_on(tmp_path):
    (tmp_path / "test_hangs.py").write_text(HANGS)
    quiet = {name: "" for name in os.environ if name.startswith("PYTEST_")}
    options = ["-c", os.devnull, "-p", "no:hypothesispytest", "-n", "1"]
    done = python("-m", "pytest", *options, "test_hangs.py", cwd=tmp_path, env=quiet)
    assert done.returncode == 1
    assert "FAILED test_hangs.py::test_that_hangs" in done.stdout
    assert "Timeout" in done.stdout and "1 failed, 1 passed" in done.stdout
