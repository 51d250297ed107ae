"""The pages on notebooks and on switching from other packages: their blocks run and print what stands below them."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import nervaluate
import pytest
import seqeval.metrics
from places import ROOT

pytestmark = [pytest.mark.costly, pytest.mark.filterwarnings("ignore")]

HOW_TO = ROOT / "docs" / "how-to"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n*(?:<!-- output: (\d+) lines -->\n)?```text\n(.*?)```)?", flags=re.S)


def run(page: str, folder: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of a page's blocks, after all of them were run."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for code, lines, expected in BLOCK.findall((HOW_TO / page).read_text(encoding="utf8")):
        with redirect_stdout(StringIO()) as printed:
            exec(compile(code, page, "exec"), names)
        found = [line.rstrip() for line in printed.getvalue().rstrip().splitlines()]
        assert "\n".join(found[: int(lines)] if lines else found) == expected.rstrip("\n")
    return names


def test_the_page_on_notebooks_runs_as_printed(tmp_path, monkeypatch):
    pytest.importorskip("pandas", reason="of the extra `frame`")
    run("notebook.md", tmp_path, monkeypatch)
    assert {path.name for path in tmp_path.iterdir()} == {"result.json", "tables.md"}


def test_the_switches_run_as_printed_and_the_packages_themselves_agree(tmp_path, monkeypatch):
    names = run("migrate.md", tmp_path, monkeypatch)
    report = seqeval.metrics.classification_report(names["y_true"], names["y_pred"], zero_division=0)
    assert names["classification_report"](names["y_true"], names["y_pred"], zero_division=0) == report
    assert names["found"]["overall_f1"] == seqeval.metrics.f1_score(names["y_true"], names["y_pred"])
    tags = ["PER", "LOC", "ORG"]
    theirs = nervaluate.Evaluator(names["true"], PRED, tags=tags, loader="dict").evaluate()["overall"]["ent_type"]
    ours = names["score"](names["true"], PRED, end="inclusive")["metrics"]["semeval"]["schemes"]["type"]
    assert (theirs.correct, theirs.incorrect, theirs.missed, theirs.spurious) == (1, 1, 0, 0)
    assert (ours["cor"], ours["inc"], ours["mis"], ours["spu"]) == (1, 1, 0, 0)


PRED = [[{"label": "PER", "start": 0, "end": 2}, {"label": "ORG", "start": 7, "end": 14}]]
