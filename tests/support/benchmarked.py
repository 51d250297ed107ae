"""Run a benchmark, and read what it prints. Tests of benchmarks import the fixture, too."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from processes import LEAN, python, with_path

BENCHMARKS = ROOT / "benchmarks"

# There is no other way to a peak that does not count the process that started this one.
on_linux = pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="resident memory is read as Linux has it")


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The scripts import each other, and what they start does without torch, which they do not use."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setenv("PYTHONPATH", with_path(LEAN))


def run(script: str, *arguments: Any, output: Path) -> tuple[str, dict[str, Any]]:
    """What a benchmark prints, and what it writes."""
    nowhere = {"SPACY_NEREVAL_DATA": str(output.parent / "none")}  # what is not everywhere
    done = python(BENCHMARKS / script, *arguments, "--output", output, env=nowhere, seconds=600)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(output.read_text("utf8"))


def markdown(script: str, figures: dict[str, Any]) -> str:
    return runpy.run_path(str(BENCHMARKS / script))["markdown"](figures)


def cells(text: str) -> list[list[str]]:
    """The rows of all tables, heads and rules too."""
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
