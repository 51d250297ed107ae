"""A gate in CI: the policy to start from in the order of the documentation, and the files that later steps read."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import accepted, printed, run, write

from spacy_nereval.features.gate.gate_view import junit_error


def lines(number, *, missed=0):
    """Records of which the first ones have no prediction."""
    spans = [{"start": 0, "end": 3, "label": "PER"}]
    return [{"id": str(k), "text": "Ada met Bob", "spans": [] if k < missed else spans} for k in range(number)]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, missed in (("gold", 0), ("released", 6), ("candidate", 3)):
        write(Path(f"{name}.jsonl"), *lines(60, missed=missed))
    return tmp_path


def test_the_policy_to_start_from_works_in_the_order_of_the_documentation(here):
    accepted("gate", "--init", "policy.cfg")
    printed("count", "gold.jsonl", "released.jsonl", "-m", "strict", "-o", "released.npz")
    done = run("gate", "policy.cfg", "gold.jsonl", "candidate.jsonl", "--baseline", "released.npz")
    assert done.exit_code == 0 and "candidate passes the gate" in done.stdout


WRONG = {
    "no gold": (["none.jsonl", "candidate.jsonl"], "none.jsonl does not exist or is not a file"),
    "no candidate": (["gold.jsonl", "none.jsonl"], "none.jsonl does not exist or is not a file"),
    "no policy": (["gold.jsonl", "candidate.jsonl"], "none.cfg does not exist or is not a file"),
    "no baseline": (["gold.jsonl", "candidate.jsonl"], "rule not_worse compares with a baseline: give --baseline"),
}


@pytest.mark.parametrize("case", WRONG)
def test_the_files_of_later_steps_are_written_also_if_nothing_can_be_judged(case, here):
    files, said = WRONG[case]
    accepted("gate", "--init", "policy.cfg")
    policy = "none.cfg" if case == "no policy" else "policy.cfg"
    baseline = [] if case == "no baseline" else ["--baseline", "released.jsonl"]
    Path("gate.xml").write_text("old")
    done = run("gate", policy, *files, *baseline, "--junit", "gate.xml", "-o", "gate.json", "-f", "markdown")
    assert done.exit_code == 2
    assert said in done.stderr and said in done.stdout  # which a step sends to the comment of a pull request
    assert json.loads(Path("gate.json").read_text()) == {"verdict": "error", "passed": False, "error": said}
    root = ElementTree.parse("gate.xml").getroot()
    assert (root.get("tests"), root.get("errors")) == ("1", "1")
    assert root.find(".//error").get("message") == said


def test_control_characters_of_a_message_are_escaped_in_xml():
    assert "\\x1b" in junit_error("odd \x1b name").decode()
