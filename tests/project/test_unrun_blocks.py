"""A code block that is not run says why, and a test that runs its commands instead is there."""

from __future__ import annotations

import re

from places import ROOT, script

blocks = script("blocks")
PAGES = script("doc_pages").written_pages()


def test_tests_that_are_named_instead_of_running_a_block_exist():
    reasons = [
        block.notes["not run"]
        for page in PAGES
        for block in blocks.blocks(page.read_text(encoding="utf8"))
        if "not run" in block.notes
    ]
    named = {name for reason in reasons for name in re.findall(r"tests/[\w/]+\.py", reason)}
    assert len(named) > 5
    assert {name for name in named if not (ROOT / name).is_file()} == set()
