"""The catalogue of planted faults fits the package: every text is there once, and every room has its share."""

import ast
import json
from collections import Counter

import pytest
from places import ROOT, TESTS, script
from processes import python

faults = script("faults")
CATALOGUE = [*faults.catalogue(faults.CATALOGUE.read_text(encoding="utf8"))]

LEAST = dict(api=25, cli=25, core=30, counting=34, distributed=18)
LEAST |= dict(evaluation=75, integration=14, io=36, metrics=15, reporting=80)
"""The least number of faults of a room."""


@pytest.mark.parametrize("fault", CATALOGUE, ids=lambda fault: fault.file)
def test_the_text_of_a_fault_is_there_once_and_its_tests_exist(fault):
    text = (ROOT / "spacy_nereval" / fault.file).read_text(encoding="utf8")
    assert text.count(fault.old) == 1, fault.old
    assert fault.new != fault.old
    if fault.file.endswith(".py"):
        ast.parse(text.replace(fault.old, fault.new))
    assert fault.tests and all((TESTS / name).exists() for name in fault.tests)


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
