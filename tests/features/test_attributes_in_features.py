"""The metric `attributes` beyond its scores: in intervals, comparisons, gates, count files, pages and agreement."""

import json
import random
from pathlib import Path

import pytest
from commands import line, printed, run, write

from spacy_nereval import compare, load, score

PLACES = [(0, 3, "A"), (4, 7, "B"), (9, 12, "A"), (13, 16, "C")]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """Gold annotation and two systems, all with attributes drawn at random."""
    monkeypatch.chdir(tmp_path)
    for name, seed in (("gold", 1), ("a", 2), ("b", 3)):
        rng, rows = random.Random(seed), []
        for k in range(30):
            row = line("x" * 20, *(place for place in PLACES if rng.random() < 0.9), id=str(k))
            for span in row["spans"]:
                span["attributes"] = {key: rng.choice("xy") for key in "nm" if rng.random() < 0.6}
            rows.append(row)
        write(Path(f"{name}.jsonl"), *rows)
    return tmp_path


def test_intervals_comparisons_gates_count_files_and_pages(here):
    result = score("gold.jsonl", "a.jsonl", ["strict", "attributes"], confidence=True)
    bounds = result["metrics"]["attributes"]["intervals"]["scores"]["given_f"]
    assert bounds["low"] < result.attributes.given_f < bounds["high"]
    row = result.attributes.labels["n=x"]
    assert row.given_f is not None
    assert (
        printed("score", "gold.jsonl", "a.jsonl", "-m", "strict,attributes").count("Attributes (attributes given") == 1
    )
    compared = compare({"a": load("a.jsonl"), "b": load("b.jsonl")}, load("gold.jsonl"), ["attributes"])
    assert "attributes given" in str(compared) and "n=x" not in str(compared)
    Path("policy.cfg").write_text(
        '[gate]\n\n[gate.rules]\n\n[gate.rules.links]\nscore = "attributes.given_f"\nat_least = 1\n\n'
        '[gate.rules.worse]\nscore = "attributes.accuracy"\nworse_by_at_most = 90\n'
    )
    done = run("gate", "policy.cfg", "gold.jsonl", "a.jsonl", "--baseline", "b.jsonl", "-o", "gate.json")
    assert done.exit_code == 0, done.output
    assert json.loads(Path("gate.json").read_text())["verdict"] == "met"
    printed("count", "gold.jsonl", "a.jsonl", "-m", "attributes", "-o", "c.npz")
    fresh = score("gold.jsonl", "a.jsonl", ["attributes"])
    assert score("c.npz")["metrics"]["attributes"] == fresh["metrics"]["attributes"]
    printed("report", "gold.jsonl", "a.jsonl", "b.jsonl", "-m", "strict,attributes", "-o", "page.html")
    assert "n=x" in Path("page.html").read_text()
    assert "attributes" in printed("agreement", "gold.jsonl", "a.jsonl", "-m", "strict,attributes")
    said = run("count", "gold.jsonl", "a.jsonl", "-m", "attributes", "-o", "d.npz", "--collapse").output
    assert "attributes depends on the corpus as a whole, so its counts cannot be collapsed" in said
