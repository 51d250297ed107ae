"""What the page on language models prints is what its commands print."""

from __future__ import annotations

import re

import pytest
from commands import accepted
from places import ROOT

PAGE = (ROOT / "docs" / "how-to" / "language-models.md").read_text(encoding="utf8")
COMMANDS = re.findall(r"```bash\nnereval (.*?)\n```\n\n```text\n(.*?)\n```", PAGE, flags=re.S)


@pytest.mark.parametrize(("command", "expected"), COMMANDS, ids=range(len(COMMANDS)))
def test_a_command_prints_what_the_page_shows(command, expected, monkeypatch):
    monkeypatch.chdir(ROOT)
    printed = accepted(*command.split(), env={"COLUMNS": "500"})
    release = r"\|v[^|]*\|spacy:\S+"
    assert re.sub(release, "", printed.strip()) == re.sub(release, "", expected.strip())


def test_every_command_is_looked_at():
    assert len(COMMANDS) == PAGE.count("```bash") == 3


def test_the_python_of_the_page_runs():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
    exec(block, {})


def test_the_strict_precision_that_the_page_speaks_of():
    """11 hits of 15 predictions, of which 2 are invented."""
    assert "11/13 = 84.62" in PAGE and round(1100 / 13, 2) == 84.62 and round(1100 / 15, 2) == 73.33
