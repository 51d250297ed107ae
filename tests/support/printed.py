"""Golden files: commands, and everything that they print and write.

A golden file has sections. A section begins with `## TITLE`; its commands run one after the other in a new copy of the
folder of `everything.py`, so that a command may read what an earlier one wrote. A line that begins with `#` is a
comment. A command is a line `$ COMMAND`, followed by what it prints: standard output indented by two spaces, lines of
standard error after `! `, and `= STATUS` if the exit status is not 0. `$ cat FILE` shows a file that was written, JSON
with few lines and rounded numbers, and of a page its words.

After a change that is meant to change what is printed, write the files anew with SPACY_NEREVAL_REGENERATE=1, without
-n, and read the difference.
"""

import difflib
import json
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import pytest
from commands import run

WIDTH = 100
REGENERATE = bool(os.environ.get("SPACY_NEREVAL_REGENERATE"))

CHANGING = (
    (re.compile(r"\|\n?v\d[^|\\\n\"]*(\\?)(?=\|)"), r"|v*\1"),
    (re.compile(r"\|\n?spacy:[\w.]+"), "|spacy:*"),
    (re.compile(r"\|\n?v\d[\w.+]*"), "|v*"),
    (re.compile(r'("(?:version|time)": )"[^"]*"'), r'\1"*"'),
    (re.compile(r"(?<![\w.])-?\d+\.\d{8,}(?:e[-+]?\d+)?(?![\w.])|(?<![\w.])-?\d(?:\.\d+)?e-\d+"), None),
)
"""What differs from one version or machine to the next, and what stands for it: versions, and the last digits."""


def steady(text: str) -> str:
    """The text with what may differ between versions replaced."""
    for pattern, instead in CHANGING:
        text = pattern.sub(instead if instead is not None else _rounded, text)
    return text


def _rounded(match: re.Match[str]) -> str:
    value = float(match[0])
    return f"{value if abs(value) > 1e-12 else 0.0:.8g}"


def compact(value: Any, indent: str = "") -> str:
    """JSON with as much on a line as fits."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + len(indent) <= WIDTH or not isinstance(value, (dict, list)):
        return line
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {compact(item, inner)}" for key, item in value.items()]
    else:
        parts = [compact(item, inner) for item in value]
    lines = [inner]
    for part in parts:
        if lines[-1] != inner and ("\n" in lines[-1] + part or len(lines[-1]) + len(part) + 2 > WIDTH):
            lines.append(inner)
        lines[-1] += f"{part}, "
    first, last = "{}" if isinstance(value, dict) else "[]"
    return first + "\n".join(["", *(line.rstrip() for line in lines)])[:-1] + last


def words_of_page(page: str) -> str:
    """The words of a page, without its scripts: a line for each paragraph, heading and row of a table."""
    page = re.sub(r"<(script|style|title)\b[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    page = re.sub(r"</(?:td|th|button|option|label)>", " | ", " ".join(page.split()))
    page = re.sub(r"</?(?:p|h\d|li|tr|div|section|table|caption|summary|details|nav|header)\b[^>]*>", "\n", page)
    lines = (" ".join(unescape(re.sub(r"<[^>]+>", "", line)).split()) for line in page.splitlines())
    return "\n".join(line.removesuffix(" |") for line in lines if line.strip("| "))


def shown(name: str) -> str:
    """What is in a file: JSON compact, the words of a page, everything else as it is."""
    text = Path(name).read_text(encoding="utf8")
    if name.endswith(".html"):
        return words_of_page(text)
    return compact(json.loads(text)) if name.endswith(".json") else text


def _show_warning(*about: Any, **more: Any) -> None:
    print(warnings.formatwarning(*about[:4]), end="", file=sys.stderr)


@contextmanager
def _stdout_file() -> Iterator[IO[bytes]]:
    """Let what is written to /dev/stdout, such as the JSON of --json, go to a file in a `with` block."""
    before = os.dup(1)
    with TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield file
        finally:
            os.dup2(before, 1)
            os.close(before)


def answer(command: str) -> str:
    """Run a command, and write down what it prints as a golden file has it."""
    name, *arguments = shlex.split(command)
    if name == "cat":
        lines, status = [line for file in arguments for line in steady(shown(file)).splitlines()], 0
        errors: list[str] = []
    else:
        with warnings.catch_warnings(), _stdout_file() as file:
            warnings.filterwarnings("default", category=UserWarning)  # which are errors in tests
            warnings.filterwarnings("ignore", r".*W\d\d\d", UserWarning)  # spaCy's
            warnings.showwarning = _show_warning
            result = run(name, *arguments, env={"COLUMNS": str(WIDTH)})
            file.seek(0)
            alone = file.read().decode()
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        whole = result.stdout + (compact(json.loads(alone)) if alone else "")
        lines, errors = (steady(text).splitlines() for text in (whole, result.stderr))
        status = result.exit_code
    written = [f"  {line}".rstrip() if not line.strip() else f"  {line}" for line in lines]
    return "\n".join([f"$ {command}", *written, *(f"! {line}" for line in errors), *[f"= {status}"] * bool(status), ""])


def _sections(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each section of a golden file."""
    for text in re.split(r"^(?=## )", path.read_text("utf8"), flags=re.MULTILINE)[1:]:
        yield text[3 : text.index("\n")], text


def every_section(folder: Path) -> pytest.MarkDecorator:
    """Give a test the path and the title of each section of the golden files in a folder."""
    given = [(path, title) for path in sorted(folder.glob("*.txt")) for title, _ in _sections(path)]
    titles = [f"{path.stem}: {title}" for path, title in given]
    assert len({*titles}) == len(titles) > 0, "each section has a title of its own"
    return pytest.mark.parametrize(("path", "title"), given, ids=titles)


def check_section(path: Path, title: str) -> None:
    """Run the commands of a section in the current folder; fail if they print anything else than they should."""
    old = dict(_sections(path))[title]
    parts = [f"## {title}\n\n"]
    for line in old.splitlines()[1:]:
        if line.startswith("#"):
            parts.append(f"{line}\n")
        elif line.startswith("$ "):
            parts.append(answer(line[2:]) + "\n")
    new = "".join(parts)
    if REGENERATE:
        path.write_text(path.read_text("utf8").replace(old, new), encoding="utf8")
    else:
        sides = [text.rstrip().splitlines() for text in (old, new)]
        changes = [*difflib.unified_diff(*sides, "expected", "printed", lineterm="", n=3)]
        assert not changes, "\n".join([f"{path.name}, {title}: printed is not what is expected", *changes])
