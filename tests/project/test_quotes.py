"""Commands in the documentation work in every shell: that of Windows knows double quotes only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_have_double_quotes(page):
    text = page.read_text(encoding="utf8")
    commands = re.findall(r"```(?:bash|sh|console)\n(.*?)```", text, re.DOTALL)
    commands += re.findall(r"`((?:python|pip|nereval)[^`\n]*)`", text)
    assert [command for command in commands if "'" in command] == []
    assert not re.search(r"[\s=]'[^'\s]*[*\[(][^'\s]*'", text), "patterns and extras are quoted doubly"
