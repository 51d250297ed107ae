"""The catalogue of planted faults fits the package: every text is there once, and every room has its share."""

from __future__ import annotations

from collections import Counter

import pytest
from places import ROOT, TESTS, script

faults = script("faults")
CATALOGUE = [*faults.catalogue(faults.CATALOGUE.read_text(encoding="utf8"))]

LEAST = {"reporting": 15}
"""The least number of faults of a room."""


@pytest.mark.parametrize("fault", CATALOGUE, ids=lambda fault: fault.file)
def test_the_text_of_a_fault_is_there_once_and_its_tests_exist(fault):
    text = (ROOT / "spacy_nereval" / fault.file).read_text(encoding="utf8")
    assert text.count(fault.old) == 1, fault.old
    assert fault.new != fault.old
    assert fault.tests and all((TESTS / name).exists() for name in fault.tests)


def test_every_room_has_faults_and_none_is_there_twice():
    rooms = Counter(fault.room for fault in CATALOGUE)
    assert {room for room, least in LEAST.items() if rooms[room] < least} == set()
    assert len({(fault.file, fault.old, fault.new) for fault in CATALOGUE}) == len(CATALOGUE)


def test_a_fault_that_tests_notice_is_told_from_one_that_they_do_not(tmp_path):
    (tmp_path / "spacy_nereval").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "spacy_nereval" / "a.py").write_text("ONE = 1\n")
    (tmp_path / "tests" / "test_a.py").write_text(
        "from pathlib import Path\n\n\ndef test_one():\n    assert 'ONE = 1' in Path('spacy_nereval/a.py').read_text()\n"
    )
    for new, seen in (("ONE = 2", True), ("ONE = 1  # still", False)):
        assert faults.noticed(faults.Fault("a.py", "ONE = 1", new, ["test_a.py"]), tmp_path) is seen
    assert (tmp_path / "spacy_nereval" / "a.py").read_text() == "ONE = 1\n"
