"""The catalogue of planted faults fits the package: every text is there once, and every room has its share."""

from __future__ import annotations

import ast
from collections import Counter
from subprocess import CompletedProcess

import pytest
from places import ROOT, TESTS, script

faults = script("faults")
CATALOGUE = [*faults.catalogue(faults.CATALOGUE.read_text(encoding="utf8"))]

LEAST = dict(
    api=12, cli=18, core=18, counting=25, distributed=12, evaluation=40, integration=12, io=12, metrics=9, reporting=15
)
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


@pytest.mark.parametrize(("code", "seen"), [(0, False), (1, True), (2, True)])
def test_a_fault_is_noticed_if_tests_fail_and_is_taken_back(tmp_path, monkeypatch, code, seen):
    file = tmp_path / "spacy_nereval" / "a.py"
    file.parent.mkdir()
    file.write_text("ONE = 1\n")

    def run(command, **how):
        assert (command[-1], file.read_text()) == ("tests/test_a.py", "ONE = 2\n")
        return CompletedProcess(command, code, "1 failed\n" if code else "")

    monkeypatch.setattr(faults.subprocess, "run", run)
    assert faults.noticed(faults.Fault("a.py", "ONE = 1", "ONE = 2", ["test_a.py"]), tmp_path) is seen
    assert file.read_text() == "ONE = 1\n"


def test_tests_that_fail_without_a_fault_notice_none(monkeypatch):
    monkeypatch.setattr(faults, "copied", lambda folder: folder)
    monkeypatch.setattr(faults.subprocess, "run", lambda command, **how: CompletedProcess(command, 1, "a\n1 failed\n"))
    with pytest.raises(SystemExit, match="tests fail without a fault, so they cannot notice one: 1 failed"):
        faults.main(["core"])
    with pytest.raises(SystemExit, match="no fault is in cores"):
        faults.main(["cores", "core"])
