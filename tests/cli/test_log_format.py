"""`--log-format json`: what is said beside the result is a JSON object per line on stderr."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from commands import run
from places import ROOT

from spacy_nereval.cli import sharded

GOLD, PRED = (str(ROOT / "examples" / f"{name}.jsonl") for name in ("gold", "improved"))


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def log(done):
    found = [json.loads(line) for line in done.stderr.splitlines()]
    assert all(entry.pop("time").endswith("+00:00") for entry in found)
    return found


def test_files_that_are_finished_counts_and_notes_are_entries():
    Path("gold2.jsonl").write_text(Path(GOLD).read_text().replace('"text": "', '"text": "2'))
    Path("pred2.jsonl").write_text(Path(PRED).read_text().replace('"text": "', '"text": "2'))
    command = ("count", GOLD, "gold2.jsonl", PRED, "pred2.jsonl", "-m", "strict", "--collapse", "--no-check-text")
    done = run(*command, "-o", "all.npz", "--log-format", "json", "--parts", "p")
    assert (done.exit_code, done.stdout) == (0, ""), done.output
    entries = log(done)
    assert [entry for entry in entries if "files" in entry] == [
        {"level": "info", "message": f"{k} of 2 files are finished", "files": k, "of": 2} for k in (1, 2)
    ]
    assert {"level": "info", "message": "2 files counted in p"} in entries
    assert any(entry["message"].startswith("counts of ") for entry in entries)
    assert {entry["level"] for entry in entries} == {"info"}
    again = run(*command, "-o", "all.npz", "--parts", "p")
    assert "✔ counts of" in again.stdout and "files are finished" not in again.output


def test_errors_and_warnings_are_entries_and_the_result_stays_what_it_is(monkeypatch):
    done = run("score", "none.jsonl", PRED, "--log-format", "json")
    assert done.exit_code == 2
    assert [entry["level"] for entry in log(done)] == ["error"] and "none.jsonl" in log(done)[0]["message"]
    plain, structured = (run("score", GOLD, PRED, "-m", "strict", "--log-format", how) for how in ("text", "json"))
    assert plain.stdout == structured.stdout and plain.stdout

    def warned(given):
        warnings.warn("a \x1b and a\nline", stacklevel=1)
        raise ValueError("and stops")

    warnings.simplefilter("always")  # under pytest they are errors
    monkeypatch.setattr("spacy_nereval.cli.score.named_runs", warned)
    assert log(run("score", GOLD, "--system", f"a={PRED}", "--log-format", "json")) == [
        {"level": "warning", "message": "a \\x1b and a\nline"},
        {"level": "error", "message": "and stops"},
    ]


def test_every_tenth_of_many_files_is_an_entry_and_no_more(capsys):
    from spacy_nereval.cli.printing import logged_as
    from spacy_nereval.distributed.shards import PartsFolder, Shard

    class Counter:
        def origin(self, shard):
            raise ValueError("nothing is counted")

    def told(function, items, ready, alone=False):
        for number in range(1, len(items) + 1):
            ready(number)
        return [*map(function, items)]

    with logged_as("json"):
        sharded._count_shards([Shard(str(k), str(k)) for k in range(95)], Counter(), PartsFolder("none"), told)
    numbers = [json.loads(line)["files"] for line in capsys.readouterr().err.splitlines()]
    assert numbers == [10, 19, 29, 38, 48, 57, 67, 76, 86, 95]
