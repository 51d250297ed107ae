"""Tag sequences are scored in a fraction of the processor time that other packages need for fewer scores."""

import doctest
import json
from importlib import import_module

import pytest
from places import ROOT
from processes import LEAN, python

pytest.importorskip("nervaluate", reason="of the extra `test`")


@pytest.mark.nightly
@pytest.mark.slow
def test_the_benchmark_keeps_its_limit(tmp_path):
    """Processor time of one process, in rounds of all sides: not the clock on the wall."""
    output = tmp_path / "a.json"
    few = ("--sentences", 3000, "--rounds", 3, "--output", output)
    done = python(ROOT / "benchmarks" / "python_api.py", *few, path=[LEAN])
    assert done.returncode == 0, done.stderr
    assert "| score / (seqeval + nervaluate), at most 0.3 | 0." in done.stdout, done.stdout
    assert {*json.loads(output.read_text())["seconds"]} == {"score", "seqeval", "nervaluate"}


@pytest.mark.costly
def test_the_ratio_of_the_benchmark_is_that_of_its_example(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    module = import_module("python_api")
    assert doctest.testmod(module).failed == 0
    slow = {"sentences": 1, "seconds": {"score": [1.0], "seqeval": [1.0], "nervaluate": [1.0]}}
    assert "**above** 0.50" in module.markdown(slow)
    gold, pred = module.corpus(20)
    assert [*map(len, gold)] == [*map(len, pred)] and gold != pred
