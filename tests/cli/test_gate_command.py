"""`nereval gate`: its exit statuses, its files, and that it says what Python says."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from commands import accepted, flat, line, run, write

from spacy_nereval import gate, load

POLICY = """
[gate]

[gate.rules]

[gate.rules.overall]
score = "strict_f"
at_least = 60

[gate.rules.not_worse]
score = "strict_f"
worse_by_at_most = 10
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Forty documents: gold, a released model that is right, and one that has lost a label."""
    monkeypatch.chdir(tmp_path)
    whole = [line("Ada is in Rome", (0, 3, "PER"), (10, 14, "LOC"), id=str(k)) for k in range(40)]
    lost = [line("Ada is in Rome", (0, 3, "PER"), id=str(k)) for k in range(40)]
    for name, rows in (("gold", whole), ("released", whole), ("lost", lost)):
        write(tmp_path / f"{name}.jsonl", *rows)
    (tmp_path / "policy.cfg").write_text(POLICY)
    return tmp_path


def test_the_released_model_passes_and_one_that_lost_a_label_fails(here):
    assert "✔ candidate passes the gate: 2 of 2 required rules are met" in accepted(
        "gate", "policy.cfg", "gold.jsonl", "released.jsonl", "--baseline", "released.jsonl"
    )
    done = run(
        *("gate", "policy.cfg", "gold.jsonl", "lost.jsonl", "--baseline", "released.jsonl", "-f", "markdown"),
        *("-o", "out.json", "--junit", "out.xml"),
    )
    assert done.exit_code == 1
    assert "| LOC | missed | 40 |" in done.stdout and "| 0 | LOC | Rome | missed |" in done.stdout
    result = json.loads((here / "out.json").read_text())
    assert result == gate("policy.cfg", *map(load, ("gold.jsonl", "lost.jsonl", "released.jsonl")))
    accepted("count", "gold.jsonl", "released.jsonl", "-m", "strict", "-o", "released.npz")
    done = run("gate", "policy.cfg", "gold.jsonl", "lost.jsonl", "--baseline", "released.npz")
    assert done.exit_code == 1 and "baseline's counts hold no spans" in flat(done.stdout)
    assert ElementTree.parse(here / "out.xml").getroot().get("failures") == "2"


def test_the_policy_that_init_writes_can_be_used_at_once(here):
    accepted("gate", "--init", "new.cfg")
    done = run("gate", "new.cfg", "gold.jsonl", "released.jsonl", "--baseline", "released.jsonl")
    assert done.exit_code == 1
    assert "59 documents without a difference would decide it" in flat(done.stdout)


def test_training_runs_are_judged_by_their_mean(here):
    done = run(
        "gate", "policy.cfg", "gold.jsonl", "released.jsonl,lost.jsonl", "--baseline", "gold.jsonl", "-o", "o.json"
    )
    assert done.exit_code == 1
    rows = json.loads((here / "o.json").read_text())["rules"]
    assert rows[0]["score_value"] == pytest.approx((1 + 2 / 3) / 2)  # F of half the recall is 2/3


@pytest.mark.costly
def test_the_report_says_what_the_gate_says(here):
    """Its tables are those of `gate --format html`, for each system against the first, with their own names."""
    accepted("report", "gold.jsonl", "released.jsonl", "lost.jsonl", "--policy", "policy.cfg", "-o", "report.html")
    section = (here / "report.html").read_text("utf8").split('<section id="gate"')[1].split("</section>")[0]
    told = flat(re.sub(r"<[^>]+>", " ", section))
    found = gate("policy.cfg", *map(load, ("gold.jsonl", "lost.jsonl", "released.jsonl")))
    assert found.conclusion.startswith("✘") and found.conclusion.replace("candidate", "lost") in told
    for row in found.to_frame().to_dict("records"):
        assert f"{row['rule']} {row['subject']} {row['demand']} {100 * row['found']:.2f}" in told
    assert "Gold spans that released has right and lost has wrong: " in told
    assert "LOC missed 40" in told and "0 LOC Rome missed" in told
    (here / "alone.cfg").write_text(POLICY.split("[gate.rules.not_worse]")[0])
    accepted("report", "gold.jsonl", "lost.jsonl", "--policy", "alone.cfg", "-o", "one.html", "-m", "relaxed")
    assert "✘ lost fails the gate: 0 of 1 required rule" in (here / "one.html").read_text("utf8")
    accepted("report", "gold.jsonl", "lost.jsonl", "-o", "none.html")
    assert 'id="gate"' not in (here / "none.html").read_text("utf8")
