"""Every command with collapsed counts: it works, or says in words what they lack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from commands import flat, line, run, write
from refusals import refused_with

from spacy_nereval import Document, Gate, Plan, compare, create_all, evaluate, gate, plan, score
from spacy_nereval.cli import nereval
from spacy_nereval.counting.counter import count
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.intervals import intervals
from spacy_nereval.evaluation.resampling import Confidence
from spacy_nereval.io.count_files import save

GOLD = [[(0, 3, "PER"), (8, 11, "LOC")][: 1 + k % 2] for k in range(40)]
OLD = [spans if k % 3 else [(0, 3, "LOC")] for k, spans in enumerate(GOLD)]
NEW = [spans if k % 7 else [(0, 2, "PER")] for k, spans in enumerate(GOLD)]
METRICS = create_all(["strict", "slot_error", "fair", "wrf"])


def documents(pred):
    return [Document(a, b, "Ada met Bob", id=f"d{k}") for k, (a, b) in enumerate(zip(GOLD, pred))]


FULL = {name: count(documents(pred), METRICS) for name, pred in (("old", OLD), ("new", NEW))}
COLLAPSED = {name: collapse(counts) for name, counts in FULL.items()}

SCORE = {"score": "strict_f", "at_least": 60}
RULES = {
    "score": SCORE,
    "label": {"score": "strict_r", "label": "PER", "at_least": 60},
    "most": {"score": "ser", "at_most": 90},
    "average": {"score": "wrf", "at_least": 50},
    "difference": {"score": "fair_f", "worse_by_at_most": 5},
    "of label": {"score": "strict_f", "label": "LOC", "worse_by_at_most": 5},
}
RATE = {"rate_between": [0.5, 2]}
SLICE = {"score": "strict_f", "by": "eLen", "bucket": "one", "at_least": 50}


def policy(path: str, **rules: dict[str, object]) -> None:
    lines = ["[gate]", "[gate.rules]"]
    for name, rule in rules.items():
        lines += [f"[gate.rules.{name}]", *(f"{key} = {json.dumps(value)}" for key, value in rule.items())]
    Path(path).write_text("\n".join(lines), encoding="utf8")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, sides in (("gold", GOLD), ("pred", NEW)):
        write(Path(f"{name}.jsonl"), *(line("Ada met Bob", *spans, id=f"d{k}") for k, spans in enumerate(sides)))
    for name, counts in COLLAPSED.items():
        save(counts, Path(f"{name}.npz"))
        save(FULL[name], Path(f"{name}-full.npz"))
    policy("score.cfg", score=SCORE, difference=RULES["difference"])
    policy("rate.cfg", rate=RATE)
    policy("slice.cfg", slice=SLICE)


NO_SPANS = "new.npz: a count file has no texts and no spans: give the files that it was counted from"
NO_PLAN = "collapsed counts keep no documents, so they have no sizes of documents to plan with: count the corpus again"
OTHER_KIND = "one is collapsed, the other has documents (--collapse makes both alike)"
COMMANDS = {
    # a command and its arguments: what it prints, and with ✘ in front what it refuses with
    "score new.npz": "40 documents, 60 gold spans",
    "score new.npz --confidence --tables all": "half:1000,seed:0,level:0.95,unit:id,units:40",
    "score new.npz --per-document x.csv": "✘ which have no scores of documents, since they keep no documents",
    "score new.npz --by eLen": "✘ new.npz is a count file without spans",
    "score gold.jsonl new.npz": f"✘ {NO_SPANS}",
    "evaluate new.npz gold.jsonl": "✘ new.npz",
    "compare old.npz new.npz": "so there is no permutation test and no p-value",
    "compare old.npz new.npz --per-label": "new against old per label",
    "compare old.npz new.npz --trials 100": "✘ so they have no permutation tests (--trials)",
    "compare old-full.npz new.npz": f"✘ {OTHER_KIND}",
    "leaderboard old.npz new.npz": "No tests on the data set: its counts are collapsed and keep no documents to "
    "permute",
    "leaderboard old.npz new.npz --trials 100": "✘ so they have no permutation tests (--trials)",
    "leaderboard old-full.npz new.npz": f"✘ {OTHER_KIND}",
    "errors gold.jsonl new.npz": f"✘ {NO_SPANS}",
    "agreement old.npz new.npz": "✘ a count file has no texts and no spans",
    "report gold.jsonl new.npz -o x.html": f"✘ {NO_SPANS}",
    "gate score.cfg new.npz --baseline old.npz": "candidate passes the gate: 2 of 2 required rules are met",
    "gate score.cfg new.npz --baseline old-full.npz": f"✘ {OTHER_KIND}",
    "gate rate.cfg new.npz": "✘ so they have no interval of a rate, which the rule rate needs",
    "gate slice.cfg new.npz": "✘ a slice by eLen needs the documents",
    "plan new.npz --policy rate.cfg": f"✘ {NO_PLAN}",
    "plan new.npz --baseline old.npz --difference 2": f"✘ {NO_PLAN}",
    "thresholds gold.jsonl new.npz": f"✘ {NO_SPANS}",
    "convert new.npz x.jsonl": f"✘ {NO_SPANS}",
    "show new.npz": "✘ new.npz is a count file, which has neither texts nor spans to show: score it",
    "apply new.npz pred.jsonl -o x.jsonl": "✘ new.npz",
    "count gold.jsonl new.npz -o x.npz": f"✘ {NO_SPANS}",
    "merge new.npz old.npz -o x.npz": "counts of 80 documents in x.npz",
    "merge new.npz new.npz -o x.npz": "✘ are the same counts, and would count their documents twice",
    "merge new.npz old-full.npz -o x.npz": f"✘ {OTHER_KIND}",
    "datasets old.npz new.npz": "✘ old.npz is a count file; expected the .json output of",
    "training new.npz -o x.json": f"✘ {NO_SPANS}",
    "init-config new.npz": "✘ new.npz",
    "detach new.npz x": "✘ new.npz",
}
WITHOUT_COUNTS = {"doctor", "metrics", "help"}
"""The commands that take no files of results."""


def test_the_table_has_every_command():
    names = {*typer.main.get_command(nereval).commands}
    assert {line.partition(" ")[0] for line in COMMANDS} | WITHOUT_COUNTS == names


@pytest.mark.costly
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_takes_collapsed_counts_or_refuses_them_in_words(files, command):
    done, said = run(*command.split()), COMMANDS[command]
    printed = flat(done.output)
    if said.startswith("✘"):
        assert done.exit_code == 2 and done.output.startswith("✘")
        assert said.removeprefix("✘ ") in printed
    else:
        assert done.exit_code == 0 and said in printed
    for word in ("Traceback", "matmul", "mismatch", "signature (", "no a ", "None|"):
        assert word not in printed


def test_a_gate_on_collapsed_counts_has_the_intervals_of_score_and_compare():
    """At 90 %, so that each bound is one-sided at 95 %."""
    found = gate({"gate": {"rules": RULES}}, None, COLLAPSED["new"], COLLAPSED["old"])
    rules = {rule["name"]: rule for rule in found["rules"]}
    bounds = intervals(COLLAPSED["new"], Confidence(level=0.9))
    expected = {
        "score": bounds["strict"]["scores"]["f"],
        "label": bounds["strict"]["per_type"]["PER"]["r"],
        "most": bounds["slot_error"]["scores"]["ser"],
        "average": bounds["wrf"]["scores"]["wrf"],
    }
    for name, row in expected.items():
        assert rules[name]["interval"] == [row["low"], row["high"]], name
        assert rules[name]["effective_units"] == row["k"]
    sides = {"old": COLLAPSED["old"], "new": COLLAPSED["new"]}
    rows = compare(sides, level=0.9, per_label=True, primary="strict_f").rows
    by_place = {(row["metric"], row["score"], row["label"]): row for row in rows}
    for name, place in (("difference", ("fair", "f", None)), ("of label", ("strict", "f", "LOC"))):
        row = by_place[place]
        assert (rules[name]["value"], rules[name]["interval"]) == (row["difference"], row["interval"]), name
    assert found["units"] == 40 and "units:40" in found.signature
    full = gate({"gate": {"rules": RULES}}, None, FULL["new"], FULL["old"])
    assert [rule["value"] for rule in found["rules"]] == [rule["value"] for rule in full["rules"]]
    assert [rule["verdict"] for rule in found["rules"]] == [rule["verdict"] for rule in full["rules"]]
    assert isinstance(found, Gate)


def test_python_refuses_what_commands_refuse():
    with refused_with(
        ValueError,
        "collapsed counts keep no documents, so they have no interval of a rate, which the rule rate "
        "needs: count the corpus again without collapse=True",
    ):
        gate({"gate": {"rules": {"rate": RATE}}}, None, COLLAPSED["new"])
    with refused_with(
        ValueError,
        "collapsed counts keep no documents, so they have no sizes of documents to plan with: count "
        "the corpus again without collapse=True",
    ):
        plan(None, COLLAPSED["new"], policy={"gate": {"rules": {"score": SCORE}}})
    assert isinstance(plan(None, FULL["new"], policy={"gate": {"rules": {"score": SCORE}}}), Plan)


@pytest.mark.parametrize("names", [["fair"], ["wrf"], ["slot_error", "wrf"], ["wrf", "strict"]])
def test_some_metrics_of_collapsed_counts_are_those_that_were_collapsed_alone(names):
    chosen = [metric for name in names for metric in METRICS if metric.name == name]
    part, alone = COLLAPSED["new"].of(chosen), collapse(FULL["new"].of(chosen))
    assert evaluate(part, Confidence()) == evaluate(alone, Confidence())
    for a, b in ((part.collapsed.sums, alone.collapsed.sums), (part.replicates.sums, alone.replicates.sums)):
        assert [array.tolist() for array in a.arrays] == [array.tolist() for array in b.arrays]
    assert score(part + alone).counts.documents == 80
