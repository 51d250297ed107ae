"""Run the code blocks of a Markdown page, and put what they print below them.

    python scripts/blocks.py docs/how-to/units.md     show the page with the output of its blocks

The blocks of a page run one after the other, in a folder that has a copy of examples/
and links to the other folders of the repository. Commands run in this process, Python
blocks of a page share their names, and blocks of a config are put into
examples/config.cfg, where every function that they name has to exist.

A block of `text` that follows a block of commands or of Python directly is its output.
Comments before a block say what is different about it:

    <!-- not run: REASON -->        the block is an example of something that is not here
    <!-- slow: REASON -->           run by the slow tests only
    <!-- shortened: ARGUMENTS; REASON -->  `spacy train` gets these arguments, but not in the slow tests
    <!-- exits with 1 -->           the last command has to fail
    <!-- output -->                 the output of the last block, though there is text in between
    <!-- output: 12 lines -->       its first 12 lines, and "…" if they end within a paragraph or a table
    <!-- output: 12 lines from "Per label" -->  12 lines, from the one that begins so
    <!-- output varies: REASON -->  shown as it once was: not compared, not replaced
"""

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from block_runs import (
    BlockError,
    check_config,
    check_json,
    redirected_width,
    run_commands,
    run_python,
    where,
    workplace,
)
from doc_pages import ROOT

PROGRAMS = {"bash": "commands", "python": "Python", "ini": "a config", "json": "JSON"}
"""The languages of blocks that run, and what they hold."""
NOTE = re.compile(r"<!-- (not run|slow|shortened|exits with|output varies|output)(?:: | )?(.*?) ?-->")
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", flags=re.M | re.S)
SHOWN = re.compile(r'(\d+) lines?(?: from "(.*)")?')


@dataclass
class Block:
    """A code block: where its code begins and ends in the page, and what the comments before it say."""

    language: str
    code: str
    start: int
    end: int
    line: int
    indent: str
    notes: dict[str, str] = field(default_factory=dict)
    printed: bool = False
    """Whether this is the output of the block before."""


def blocks(text: str) -> list[Block]:
    """Return the code blocks of a page."""
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(text):
        between = text[end : match.start()]
        # The comments that directly precede the block, with nothing but white space around them.
        before = re.search(r"(?:<!--(?:(?!-->).)*-->\s*)*\Z", between, flags=re.S)
        block = Block(
            match[2], dedent(match[3]), match.start(3), match.end(3), text[: match.start()].count("\n") + 1, match[1]
        )
        block.notes = {kind: about for kind, about in NOTE.findall(before[0] if before else "")}
        runs = bool(found) and found[-1].language in ("bash", "python") and not found[-1].printed
        directly = runs and not NOTE.sub("", between).strip()
        block.printed = block.language in ("", "text") and (
            directly or bool({"output", "output varies"} & {*block.notes})
        )
        found.append(block)
        end = match.end()
    return found


def with_output(page: Path, *, slow: bool = False) -> str:
    """Return a page with the output that its blocks have now.

    Args:
        page: Markdown file of this repository.
        slow: Run slow blocks too, replace output that varies, and shorten nothing.

    Raises:
        BlockError: If a block fails, or if a comment names none of what is expected.
    """
    text = page.read_text(encoding="utf8")
    found = blocks(text)
    if not any(block.language in PROGRAMS for block in found):
        return text
    pieces, here, printed = [], 0, ""
    with workplace(where(text)), redirected_width():
        names: dict[str, Any] = {"__name__": "__main__"}
        for block in found:
            place = f"{os.path.relpath(page, ROOT)}, line {block.line}"
            if block.printed:
                if slow or "output varies" not in block.notes:
                    pieces += [text[here : block.start], indent(shown(printed, block, place), block.indent)]
                    here = block.end
            elif block.language in PROGRAMS:
                try:
                    printed = run(block, names, slow=slow)
                except Exception as error:  # whatever it is, the writer needs to know which block
                    raise BlockError(f"{place}: {error}") from error
    return "".join(pieces) + text[here:]


def shown(printed: str, block: Block, where: str) -> str:
    """Return the lines of an output that a page shows."""
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    about = block.notes.get("output") or block.notes.get("output varies", "")
    if part := SHOWN.search(about):
        first = 0
        if part[2]:
            first = next((k for k, line in enumerate(lines) if line.startswith(part[2])), -1)
            if first < 0:
                raise BlockError(f"{where}: no line of the output begins with {part[2]!r}")
        following = lines[first + int(part[1]) :]
        lines = lines[first : first + int(part[1])]
        if following and following[0].strip() and lines[-1].strip():
            lines.append("…")  # readers see that the table goes on
    return "\n".join(lines).strip("\n") + "\n"


def run(block: Block, names: dict[str, Any], *, slow: bool) -> str:
    """Run a block, and return what it printed."""
    for note in ("not run", "slow", "shortened"):
        if note in block.notes and len(block.notes[note]) < 10:
            raise BlockError(f"the comment '{note}' gives no reason")
    if "not run" in block.notes or ("slow" in block.notes and not slow):
        return ""
    if block.language == "python":
        return run_python(block.code, names)
    if block.language == "ini":
        check_config(block.code)
    elif block.language == "json":
        check_json(block.code)
    elif block.language == "bash":
        more = [] if slow else block.notes.get("shortened", "").split(";")[0].split()
        status = int(block.notes.get("exits with", 0))
        return "".join(run_commands(block.code, more, status))
    return ""


if __name__ == "__main__":
    print(with_output(Path(sys.argv[1]).resolve(), slow="--slow" in sys.argv))
