"""A small corpus in four files, a pipeline for it, and short ways to evaluate one on the other."""

import errno
import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run
from docs import doc
from places import ROOT
from processes import LEAN, with_path
from spacy.tokens import Doc

NAMES, PLACES = ("Ada", "Bob", "Eve"), ("Rome", "Oslo", "Bern", "Kiel")
SHARDS = [f"shards/{letter}.spacy" for letter in "abcd"]


PAGE = ROOT / "docs" / "how-to" / "large-corpora.md"
COMMANDS = re.findall(
    r"^(nereval (?:.*--engine \w+ --workers 2 --[cr].*|score counts\.npz --confidence))$",
    PAGE.read_text("utf8"),
    flags=re.M,
)
"""The commands that the documentation gives."""

ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", "OMP_NUM_THREADS": "1"}
ENVIRONMENT |= {"PYTHONPATH": with_path(LEAN), "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Ray makes its workers so nice that on a busy machine they never come to anything. Java compiles more than it runs."""

CONNECT = {"SPARK_REMOTE": "local[2]", "SPARK_TESTING": "1"}
"""A session of Spark Connect, each on a port of its own."""

CODE = """
import os, signal, time
from pathlib import Path
from spacy.language import Language

HERE = Path(__file__).parent

@Language.component("mortal")
def mortal(doc):
    if "Kiel" in doc.text:
        try:
            (HERE / "kill").rename(HERE / "killed")  # one worker of all, once
        except FileNotFoundError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    while "Bern" in doc.text and (HERE / "wait").exists():
        time.sleep(0.1)
    return doc
"""
"""The code of a component that dies or waits if a file says so."""


def sentences(letter: str) -> list[Doc]:
    """Twelve texts, for the next letter one less. Of twelve names the pipeline finds eight,
    of twelve places it finds six, takes three for persons and misses three. `doc.spans["sc"]` has the names."""
    group = {"sc": [(0, 1, "PER")]}
    texts = [f"{name} saw {place} ." for name in NAMES for place in PLACES]
    docs = [doc(text, (0, 1, "PER"), (2, 3, "LOC"), spans=group) for text in texts]
    for number, text in enumerate(docs):
        text.user_data["id"] = f"{letter} {number}"
    return docs[ord(letter) - ord("a") :]


def evaluated(*arguments: Any, said: str = "") -> dict[str, Any]:
    """The result of `evaluate`, in this process if there is no more than one worker."""
    done = run("evaluate", "training/model-best", *arguments, "--output", "out.json")
    assert done.exit_code == 0, done.output
    assert said in done.stderr
    return json.loads(Path("out.json").read_text("utf8"))


def refused(*arguments: Any) -> list[str]:
    """The lines that a command printed before it failed."""
    done = run(*arguments)
    assert isinstance(done.exception, SystemExit) and done.exit_code in (2, 75), done.output
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert all(line.startswith("✘ ") for line in lines)
    return [line.removeprefix("✘ ") for line in lines]


def parts(folder: str = "nereval-parts") -> dict[str, tuple[int, int]]:
    """The files in a folder, with a stamp that changes when they are written again."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in sorted(Path(folder).iterdir())}


def one_by_one(function: Any, items: Any, ready: Any, alone: bool) -> list[Any]:
    """Run tasks as an engine of one worker does: this process."""
    return [function(item) for item in items]


def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every count file end in the middle, as on a full disk."""
    whole = np.savez_compressed

    def full(file: Any, **arrays: Any) -> None:
        whole(file, header=arrays["header"])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez_compressed", full)


def running(pid: int) -> bool:
    """Whether a process runs: it exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


ALL_PARTS = [f"counts-{letter}.spacy.npz" for letter in "abcd"]
