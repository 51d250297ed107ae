"""The files for CI systems judge a candidate, and the policy beside them can be used."""

import json
import math
import re
from pathlib import Path
from shutil import copy

import pytest
import srsly
from commands import run
from places import ROOT

from spacy_nereval.io.policies import read_policy
from spacy_nereval.reporting.gate_view import HARD_WORLD

FILES = ROOT / "examples" / "gate"


@pytest.mark.costly
@pytest.mark.parametrize("candidate", ["improved", "baseline"])
@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml", "pre-commit.yaml", "dvc.yaml"])
def test_each_file_judges_the_candidate_beside_it(name, candidate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for source in ("gold.jsonl", "gate/policy.cfg"):
        copy(ROOT / "examples" / source, tmp_path)
    copy(ROOT / "examples" / f"{candidate}.jsonl", "candidate.jsonl")
    run("count", "gold.jsonl", ROOT / "examples" / "improved.jsonl", "-m", "strict", "-o", "released.npz")
    steps = srsly.read_yaml(FILES / name)
    line = re.findall('nereval gate [^">]*', json.dumps(steps))[0]
    done = run(*line.split()[1:])
    assert done.exit_code == (0 if candidate == "improved" else 1), done.output
    for written in ("gate.xml", "gate.json"):
        assert Path(written).is_file() == (written in line)
    others = {each for each in line.split() if each.endswith((".jsonl", ".cfg", ".npz"))}
    if name == "dvc.yaml":
        assert {*steps["stages"]["gate"]["deps"]} == others
    elif name == "pre-commit.yaml":
        (hook,) = steps["repos"][0]["hooks"]
        assert {each for each in others if re.search(hook["files"], each)} == others


def test_the_rates_of_the_page_are_those_of_the_simulation():
    """None is above 5 per cent by more than two standard errors."""
    found = json.loads((ROOT / "benchmarks" / "gates.json").read_text("utf8"))["corpora"]
    page = (ROOT / "docs" / "explanation" / "gates.md").read_text("utf8")
    assert [row["replications"] for row in found] == [1000, 1000]
    for rule in ("at_least", "worse_by_at_most", "rate_between"):
        met = [row["rules"][rule]["met"] for row in found]
        assert f"| `{rule}` | {met[0] / 10} % | {met[1] / 10} % |" in page
        assert max(met) <= 50 + 2 * math.sqrt(1000 * 0.05 * 0.95)
        assert all(row["gates_with_one_false_rule_met"][rule] <= row["rules"][rule]["met"] for row in found)
    whole = [row["gates_with_three_false_rules_met"] for row in found]
    assert f"| gate of all three | {whole[0] / 10} % | {whole[1] / 10} % |" in page


def test_page_and_gate_say_how_often_it_is_wrong_where_a_few_documents_have_most_of_the_errors():
    found = json.loads((ROOT / "benchmarks" / "gates.json").read_text("utf8"))["hard"]
    page = " ".join((ROOT / "docs" / "explanation" / "gates.md").read_text("utf8").split())
    fifty, more = (row["at_least"]["met"] / row["replications"] for row in found)
    assert fifty > more > 0.05
    assert f"met in {fifty:.1%}".replace("%", " %") + " of the corpora of 50 documents" in page
    assert f"in {more:.1%}".replace("%", " %") + " of those of 200" in page
    told = f"in {fifty:.0%} of simulated corpora of 50 documents, and in {more:.0%} of those of 200".replace("%", " %")
    assert told in HARD_WORLD


def test_plans_are_those_of_gates_that_judged_documents_drawn_again():
    found = json.loads((ROOT / "benchmarks" / "gates.json").read_text("utf8"))["plans"]
    page = (ROOT / "docs" / "explanation" / "gates.md").read_text("utf8")
    for name in found[0]["planned"]:
        told = []
        for row in found:
            decided, planned = row["decided"][name] / row["replications"], row["planned"][name]
            assert abs(decided - planned) < 0.05
            told.append(f"{100 * planned:.0f} % ({100 * decided:.0f} %)")
        assert f"| {' | '.join(told)} |" in page, told


def test_the_policies_of_the_how_to_page_and_of_the_project_can_be_used():
    (command,) = (each for each in srsly.read_yaml(ROOT / "project.yml")["commands"] if each["name"] == "gate")
    policy = "configs/policies/gate.cfg"
    assert policy in command["deps"] and policy in command["script"][0].split()
    assert read_policy(ROOT / policy).needs_baseline
    assert len(read_policy(FILES / "policy.cfg").rules) == 4
