"""Run a benchmark, and read what it prints. Tests of benchmarks import the fixture, too."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from places import ROOT
from processes import LEAN, with_path

BENCHMARKS = ROOT / "benchmarks"

# There is no other way to a peak that does not count the process that started this one.
on_linux = pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="resident memory is read as Linux has it")


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The scripts import each other, and what they start does without torch, which they do not use."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setenv("PYTHONPATH", with_path(LEAN))


def run(script: str, *arguments: Any, output: Path) -> dict[str, Any]:
    """What a benchmark writes that is run as a script, but in this process."""
    command = [script, *map(str, arguments), "--output", str(output)]
    with patch.object(sys, "argv", command), pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BENCHMARKS / script), run_name="__main__")
    assert not ended.value.code
    return json.loads(output.read_text("utf8"))


def markdown(script: str, figures: dict[str, Any]) -> str:
    return runpy.run_path(str(BENCHMARKS / script))["markdown"](figures)


def cells(text: str) -> list[list[str]]:
    """The rows of all tables, heads and rules too."""
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
