"""Which versions of Python are tested, and what of the extras each can install."""

from __future__ import annotations

import configparser
import sys

import pytest
from packaging.requirements import Requirement
from places import ROOT, script

lowest = script("lowest")
OWN = f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_ci_tests_every_version_that_setup_cfg_names():
    assert lowest.claimed() == ["3.10", "3.11", "3.12", "3.13"]
    assert lowest.interpreter(OWN) == sys.executable
    assert lowest.interpreter("3.99") is None
    assert all((ROOT / name).is_file() for name in (*lowest.SCORERS, *lowest.MORE_SCORERS, *lowest.ROOMS))
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf8")
    assert "scripts/lowest.py --few" in steps and "scripts/lowest.py --pythons" in steps


def test_a_version_is_run_or_named(monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(lowest, "interpreter", lambda version: {"3.10": "/ten", "3.12": "/twelve"}.get(version))
    monkeypatch.setattr(lowest, "tested", lambda *given: ran.append(given) or 3)
    monkeypatch.setattr(sys, "argv", ["lowest.py", "--pythons", "tests/core"])
    assert lowest.main() == 3
    assert ran == [("/twelve", [], ["tests/core"])]
    assert [line for line in capsys.readouterr().out.splitlines() if "not installed" in line] == [
        "+ Python 3.11 is not installed: not tested",
        "+ Python 3.13 is not installed: not tested",
    ]
    monkeypatch.setattr(sys, "argv", ["lowest.py", "tests/core"])
    lowest.main()
    assert ran[1] == ("/ten", [lowest.lowest_spacy()], ["tests/core"])


@pytest.mark.parametrize(("version", "has"), [("3.10", False), ("3.11", True)])
def test_extras_leave_out_what_a_version_cannot_install(version, has):
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf8")
    for extra in ("test", "bench"):
        wanted = map(Requirement, settings["options.extras_require"][extra].split("\n")[1:])
        names = {each.name for each in wanted if not each.marker or each.marker.evaluate({"python_version": version})}
        assert ("nervaluate" in names) is has  # which needs Python 3.11
