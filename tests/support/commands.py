"""Run a command of the package in this process, and write the files that it reads."""

import json
import os
import re
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from docs import doc
from typer import testing
from typer.testing import CliRunner, Result

from spacy_nereval import Document
from spacy_nereval.cli import nereval

Row = dict[str, Any]

# Typer makes its commands from their functions anew for every call, which takes longer than most calls.
testing._get_command = cache(testing._get_command)


UNFILLED = re.compile(
    r"\{\w+[(!.:}\[]|(?:^|[a-z:] )None(?: [a-z]|$|[.:] )|\S  +\S|spacy_nereval/\w+/|<\w+ object at |^Traceback|"
    r"^✘.*[;,:]$|"
    r"(?<![\w.,:%/-])(?<!of )1 (?:documents|spans|systems|units|runs|labels|predictions|annotators|files|lines)\b(?!-)"
)
"""What no sentence has: braces that are not filled in, None, two blanks, places of the code, an end that leads nowhere,
and one of several."""


def check_sentences(text: str, given: str = "") -> None:
    """Fail if a sentence of what is printed has what none has, unless it was given."""
    for line in text.splitlines():
        if line[:1] in "✘⚠✔ℹ" or re.search(r"^[A-Z][^|{}]*\.$", line):
            unfilled = UNFILLED.search(line)
            assert not unfilled or unfilled[0] in given, f"{unfilled[0]!r}: {line}"


def run(*arguments: Any, **how: Any) -> Result:
    """Run a command, and look at each sentence that it says."""
    texts = [str(argument) for argument in arguments]
    result = CliRunner().invoke(nereval, texts, **how)
    if "--debug" not in texts:
        check_sentences(result.output, " ".join(texts))
    return result


def accepted(*arguments: Any, **how: Any) -> str:
    """What a command printed."""
    result = run(*arguments, **how)
    assert result.exit_code == 0, result.output
    assert said(result) == []
    return result.stdout


def said(result: Result) -> list[str]:
    """The lines of standard error, without the notice on white space at the edges of spans, which made-up ones have."""
    return [line for line in result.stderr.splitlines() if "White space at the edges of" not in line]


def printed(*arguments: Any) -> str:
    """What a command printed that may warn or report progress on stderr."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def piped(*arguments: Any, content: bytes) -> str:
    """What a command printed with this standard input, as a shell gives it."""
    source, target = os.pipe()
    before = os.dup(0)
    thread = threading.Thread(target=lambda: (os.write(target, content), os.close(target)), daemon=True)
    try:
        os.dup2(source, 0)
        os.close(source)
        thread.start()
        done = run(*arguments)
        assert done.exit_code == 0, done.output
        return done.stdout
    finally:
        os.dup2(before, 0)
        os.close(before)
        thread.join()


def refused(*arguments: Any, status: int = 2) -> str:
    """The one line that a command printed before it failed."""
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == status
    assert result.stdout == ""
    (line,) = said(result)
    assert line.startswith("✘ ")
    return line


def line(text: str, *spans: tuple[int, int, str], **more: Any) -> Row:
    return {"text": text, "spans": [dict(zip(("start", "end", "label"), span)) for span in spans], **more}


def write(path: Path, *rows: Any) -> Path:
    """Rows as JSONL; those that are strings or bytes already, as they are."""
    with path.open("wb") as file:
        for row in rows:
            data = row if isinstance(row, bytes) else (row if isinstance(row, str) else json.dumps(row)).encode()
            file.write(data + b"\n")
    return path


def side(documents: Iterable[Document], name: str) -> list[Row]:
    """The lines of one side of documents that have tokens."""
    tokens = ([{"start": a, "end": b} for a, b in d.tokens or ()] for d in documents)
    return [line(d.text or "", *getattr(d, name), id=d.id, tokens=own) for d, own in zip(documents, tokens)]


TEXTS = ("Ada Lovelace met Bob", "in Rome .", "nothing")


GOLD_DOCS = [doc(TEXTS[0], (0, 2, "PER"), (3, 4, "PER")), doc(TEXTS[1], (1, 2, "LOC")), doc(TEXTS[2])]


PRED_DOCS = [doc(TEXTS[0], (0, 1, "PER"), (3, 4, "PER")), doc(TEXTS[1], (1, 2, "PER")), doc(TEXTS[2])]


GOLD = [line(TEXTS[0], (0, 12, "PER"), (17, 20, "PER")), line(TEXTS[1], (3, 7, "LOC")), line(TEXTS[2])]


PRED = [line(TEXTS[0], (0, 3, "PER"), (17, 20, "PER")), line(TEXTS[1], (3, 7, "PER")), line(TEXTS[2])]


def flat(printed: str) -> str:
    """What is printed, without its line ends, for sentences that a narrow terminal breaks."""
    return " ".join(printed.split())


def tables_in(printed: str) -> dict[str, list[list[str]]]:
    """The printed tables: title to rows of cells, without the arrows of scores for which lower is better."""
    found: dict[str, list[list[str]]] = {}
    for block in printed.split("\n\n"):
        lines = block.strip().splitlines()
        if lines and set(lines[0]) == {"-", " "}:
            continue
        if len(lines) == 1 and lines[0].strip():
            title = re.sub(r"; ↓ lower is better\)| \(↓ lower is better\)", ")", lines[0].strip())
            title = title if "(" in title else title.removesuffix(")")
        elif len(lines) > 2 and set(lines[1]) <= {"-", " "}:
            found[title] = [re.split(r"  +", row.strip().replace(" ↓", "")) for row in lines[2:]]
    return found
