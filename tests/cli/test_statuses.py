"""Exit statuses: 0 done, 1 a verdict says no, 2 input or usage, 75 try again."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from commands import refused, run
from places import ROOT

from spacy_nereval.cli import sharded
from spacy_nereval.core.messages import TryAgain
from spacy_nereval.distributed.shards import PartsFolder, Shard, ShardStatus

GOLD, PRED, WORSE = (str(ROOT / "examples" / f"{name}.jsonl") for name in ("gold", "improved", "baseline"))


@pytest.mark.parametrize(
    ("status", "arguments"),
    [
        (0, ("score", GOLD, PRED, "-m", "strict")),
        (0, ("metrics",)),
        (0, ("plan", GOLD, WORSE, "--policy", "policy.cfg", "--baseline", PRED)),
        (2, ("plan", GOLD, WORSE, "--difference", "-1", "--baseline", PRED)),
        (1, ("gate", "policy.cfg", GOLD, WORSE, "--baseline", PRED)),
        (1, ("doctor", "--corpus", "nowhere")),
        (2, ("score", "nowhere.jsonl", PRED)),
        (2, ("score", GOLD, PRED, "--metrcs", "strict")),
        (2, ("scor",)),
        (2, ("gate", "nowhere.cfg", GOLD, PRED)),
    ],
)
def test_the_status_says_what_became_of_a_command(tmp_path, monkeypatch, status, arguments):
    monkeypatch.chdir(tmp_path)
    run("gate", "--init", "policy.cfg")
    assert run(*arguments).exit_code == status


def test_a_busy_output_is_worth_another_try(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    owner = {"user": "ada", "host": socket.gethostname(), "pid": os.getppid()}
    count = "count", GOLD, PRED, "-m", "strict", "-o", "all.npz", "--collapse", "--append"
    run(*count)
    Path("all.npz.lock").write_text(json.dumps(owner))
    assert "another run" in refused(*count, status=75)


@pytest.mark.parametrize(("lost", "kind"), [(True, TryAgain), (False, ValueError)])
def test_lost_workers_are_worth_another_try_and_bad_files_are_not(tmp_path, lost, kind):
    parts = [ShardStatus(Shard("a", "a.jsonl", "b.jsonl"), error="why", lost=lost)]
    with pytest.raises(ValueError, match="1 of 1 files could not be counted") as raised:
        sharded._check_all_counted(parts, PartsFolder(tmp_path, ""))
    assert type(raised.value) is kind


def test_the_page_of_commands_lists_them():
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf8")
    assert all(f"\n| {status} | " in page for status in (0, 1, 2, 75))
