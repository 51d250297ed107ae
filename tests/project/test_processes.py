"""The tests themselves: what they start ends with them, what is skipped in CI, and the catalogue of planted faults."""

import ast
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from places import ROOT, TESTS, script
from processes import ended, live, python, until
from refusals import refused_with

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


@pytest.mark.slow
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
    with refused_with(AssertionError, "the condition did not become true in 0 seconds"):
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


# In CI a test is skipped only for what is known to be missing there, and no fewer tests pass than there are


FILES = {
    "test_of_a_browser.py": "import pytest\npytest.skip('there is no browser', allow_module_level=True)",
    "test_of_java.py": "import pytest\ndef test_it():\n    pytest.skip('there is no Java')\ndef test_more():\n    pass",
}
"""Tests for a pytest of its own. They skip themselves, for that is what CI has to refuse or to allow."""


@pytest.mark.parametrize(
    ("lacks", "chosen"), [("", "not slow and not quick"), ("browser,Java", "not slow and not browser")]
)
@pytest.mark.slow
def test_other_skips_and_too_few_tests_are_failures(tmp_path, lacks, chosen):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    command = ("-m", "pytest", "-p", "conftest", "--continue-on-collection-errors", "-m", chosen)
    done = python(*command, path=[TESTS, TESTS / "support"], cwd=tmp_path, env={"NEREVAL_LACKS": lacks})
    assert done.returncode == 1 and "1 passed" in done.stdout, done.stdout + done.stderr
    assert ("1 tests passed; expected" in done.stdout) == bool(lacks)
    for reason in ("browser", "Java"):
        assert (f"there is no {reason}: NEREVAL_LACKS does not name it" in done.stdout) == (not lacks)


# The catalogue of planted faults fits the package: every text is there once, and every room has its share


faults = script("faults")
CATALOGUE = [*faults.catalogue(faults.CATALOGUE.read_text(encoding="utf8"))]

LEAST = dict(api=20, cli=14, core=39, counting=36, evaluation=25, integration=17, io=36, metrics=15, reporting=32)
LEAST |= dict(agreement=25, gate=23, leaderboard=7, parts=29, report=58, thresholds=27)
"""The least number of faults of a room or feature."""


def test_the_text_of_each_fault_is_there_once_and_its_tests_exist():
    for fault in CATALOGUE:
        text = (ROOT / "spacy_nereval" / fault.file).read_text(encoding="utf8")
        assert text.count(fault.old) == 1, f"{fault.file}: {fault.old}"
        assert fault.new != fault.old, fault
        assert fault.tests and all((TESTS / name).exists() for name in fault.tests), fault


@pytest.mark.nightly
@pytest.mark.slow
def test_each_fault_is_python():
    for fault in CATALOGUE:
        if fault.file.endswith(".py"):
            text = (ROOT / "spacy_nereval" / fault.file).read_text(encoding="utf8")
            ast.parse(text.replace(fault.old, fault.new))


def test_every_room_has_faults_and_none_is_there_twice():
    rooms = Counter(fault.room for fault in CATALOGUE)
    assert {room for room, least in LEAST.items() if rooms[room] < least} == set()
    assert len({(fault.file, fault.old, fault.new) for fault in CATALOGUE}) == len(CATALOGUE)


PLANTED = """
import json, pathlib, re, sys
sys.path.insert(0, sys.argv[1])
import faults
folder = pathlib.Path(sys.argv[2])

def noticed(new, tests, patience=60):
    faults.PATIENCE = patience
    seen = faults.noticed(faults.Fault("a.py", "ONE = 1", new, tests), folder)
    return re.sub(r" in [\\d.]+s.*", "", seen), (folder / "spacy_nereval" / "a.py").read_text().strip()[len("ONE = "):]

def ended(*rooms):
    try:
        faults.main(rooms)
    except SystemExit as error:
        return re.sub(r" in [\\d.]+s.*", "", error.code)

found = {
    "changed": noticed("ONE = 2", ["test_any.py"]),
    "noticed": noticed("ONE = 2", ["test_any.py", "test_one.py"]),
    "broken": noticed("", ["test_any.py"]),
    "endless": noticed("while True: pass", ["test_any.py"], 1),
    "passing": faults.failing(["test_any.py", "test_one.py"], folder),
}
faults.CATALOGUE, faults.warm, faults.copied = folder / "faults.txt", lambda: None, lambda _: folder
print(json.dumps(found | {"refused": ended("core"), "unknown": ended("cores", "core")}))
"""
"""The script itself, in a process of its own, since it forks: what it does with a package of one file."""


@pytest.mark.costly
@pytest.mark.slow
def test_a_fault_is_noticed_if_tests_fail_that_pass_without_it_and_is_taken_back(tmp_path):
    for name, text in {
        "spacy_nereval/a.py": "ONE = 1\n",
        "tests/test_one.py": "from spacy_nereval.a import ONE\n\n\ndef test_one():\n    assert ONE == 1\n",
        "tests/test_any.py": "from spacy_nereval.a import ONE\n\n\ndef test_any():\n    assert ONE\n",
        "tests/test_none.py": "def test_none():\n    assert False\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    entry = "core/a.py: test_none.py\n- ONE = 1\n+ ONE = 2\n"
    (tmp_path / "faults.txt").write_text(entry)
    done = python("-c", PLANTED, str(ROOT / "scripts"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "changed": ["", "1"],
        "noticed": ["1 failed, 1 passed", "1"],
        "broken": ["1 error", "1"],
        "endless": ["out of time", "1"],
        "passing": "",
        "refused": "tests fail without a fault, so they cannot notice one: 1 failed",
        "unknown": "no fault is in cores",
    }
