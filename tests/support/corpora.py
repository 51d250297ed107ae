"""A corpus in folders of files, and the same in one file of all; scores of a command on it."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from commands import line, printed, write

NAMES = ("a", "b", "deep/c")


def write_corpus(folder: Path) -> None:
    """Write folders of gold and predictions, one file of all of either, and files of both."""
    drawn = random.Random(3)
    rows: dict[str, list[Any]] = {"gold": [], "pred": []}
    places = [(0, 3, "PER"), (8, 11, "PER"), (4, 7, "ORG")]
    for name in NAMES:
        for side, all_rows in rows.items():
            documents = [line(f"Ada met Bob {name} {k}", *drawn.sample(places, 2), id=f"{name}{k}") for k in range(4)]
            (folder / side / name).parent.mkdir(parents=True, exist_ok=True)
            write(folder / side / f"{name}.jsonl", *documents)
            all_rows += documents
    for side, all_rows in rows.items():
        write(folder / f"{side}.jsonl", *all_rows)
        (folder / side / "_SUCCESS").write_text("")
        (folder / side / ".part.crc").write_text("?")
    both = [
        {"text": gold["text"], "id": gold["id"], "gold": gold["spans"], "pred": pred["spans"]}
        for gold, pred in zip(rows["gold"], rows["pred"])
    ]
    write(folder / "both.jsonl", *both)
    for k in range(3):
        write(folder / f"both{k}.jsonl", *both[k::3])


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of gold and predictions, and one file of all of either; the current folder."""
    write_corpus(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check_scores(command: str) -> None:
    """Check that a command has the scores of the corpus in one file of gold and one of predictions."""
    expected = result("score gold.jsonl pred.jsonl")
    assert 0 < expected["metrics"]["strict"]["scores"]["f"] < 1
    assert result(command) == expected


def result(command: str) -> dict[str, Any]:
    """The scores of a command, or of what it counts."""
    name, *arguments = command.split()
    if name == "count":
        printed(name, *arguments, "-m", "strict,fair", "-o", "counts.npz")
        arguments = ["counts.npz"]
    else:
        arguments += ["-m", "strict,fair"]
    printed("score", *arguments, "-o", "result.json")
    scored = json.loads(Path("result.json").read_text())
    return {"metrics": scored["metrics"], "documents": scored["documents"]}
