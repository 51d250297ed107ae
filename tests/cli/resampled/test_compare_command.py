"""`nereval compare`, and `score --system`: what is asked and said of systems of every kind and their training runs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import accepted, flat, line, run, tables_in, write
from docs import write_docs
from made_up import trained_again
from two_systems import GOLD, as_docs, compared, jsonl, written

pytestmark = pytest.mark.costly  # resampling, in almost every test

FILES = ("gold.jsonl", "base.jsonl", "other.jsonl")
FEW = ("--trials", 200, "-m", "strict,slot_error,fair")


def rows(*arguments: Any) -> list[dict[str, Any]]:
    return compared(Path(), *arguments)[0]["comparisons"]


def families(*options: Any) -> dict[str, list[str]]:
    """The scores that are tested together."""
    named: dict[str, list[str]] = {}
    for row in rows(*FILES, *FEW, *options):
        if row["family"]:
            named.setdefault(row["family"], []).append(row["label"] or f"{row['metric']}.{row['score']}")
    return named


def test_compare_uses_the_promised_number_of_trials_and_draws_no_half_samples(here):
    result, _ = compared(here, *FILES, "-m", "strict")
    assert result["swaps"] == 10_000
    assert result["confidence"] == {"level": 0.95, "samples": None, "seed": 0} and "half:" not in result["signature"]


def test_only_rows_of_the_primary_score_have_a_sentence(here):
    found = rows(*FILES, "gold.jsonl", *FEW, "--labels")
    assert [(row["system"], row["family"], row["label"]) for row in found if row["verdict"]] == [
        ("other", "primary", None),
        ("gold", "primary", None),
    ]


def test_the_primary_and_the_secondary_scores_are_those_asked_for(here):
    assert families() == {"primary": ["strict.f"], "secondary": ["slot_error.ser", "fair.f"]}
    assert families("--primary", "fair.p") == {"primary": ["fair.p"], "secondary": ["strict.f", "slot_error.ser"]}
    asked = families("--primary", "fair.p", "--secondary", "fair.r, slot_error.ser")
    assert asked == {"primary": ["fair.p"], "secondary": ["slot_error.ser", "fair.r"]}
    assert families("--primary", "fair_p", "--secondary", "fair_r,ser") == asked
    assert families("--secondary", "") == {"primary": ["strict.f"]}


def test_the_least_p_is_told_as_one(here):
    """A system that finds everything, after one that finds nothing: no swap has a difference as large."""
    write(here / "none.jsonl", *(line(d.text, id=d.id) for d in GOLD))
    arguments = ("compare", "gold.jsonl", "none.jsonl", "gold.jsonl", "-m", "strict,fair", "--trials", 200)
    printed = accepted(*arguments)
    assert "< before a p-value: 200 random swaps cannot show a smaller one." in flat(printed)
    assert [row[-3:-1] for row in tables_in(printed)["gold against none"]] == [["< .0050", "< .0050"]] * 2
    assert r"| \< .0050 |" in accepted(*arguments, "--format", "markdown")
    assert r"& \textless{} .0050 &" in accepted(*arguments, "--format", "latex")
    assert '<td class="number">&lt; .0050</td>' in accepted(*arguments, "--format", "html")
    in_json = json.loads(run(*arguments, "--format", "json").stdout)
    assert in_json["gold against none"][0]["p (Holm)"] == pytest.approx(1 / 201, abs=5e-5)
    assert "gold scores higher than none on texts like these, by 100.00 points (" in printed
    assert "< ." not in accepted("compare", *FILES, *FEW)


def test_a_system_compared_with_itself_prints_no_difference(here):
    result, printed = compared(here, "gold.jsonl", "base.jsonl", "base.jsonl", "--samples", 10, "--trials", 50)
    for row in result["comparisons"]:  # no document differs, so that there is nothing to test
        assert (row["difference"], row["differing"], row["p"], row["p_holm"]) == (0, 0, None, None)
        assert row["interval"] == [None, None]
    assert re.search(r"^strict +(\d+\.\d\d) +\1 +0\.00 +- +- +-$", printed, re.M)
    start = "base.jsonl against base.jsonl, strict F: fixes 0 gold spans, breaks 0; the outputs differ in 0 "
    assert flat(printed).startswith(start)
    assert "Changed spans" not in printed


def test_files_counts_and_models_are_compared_with_each_other(here, model):
    """Whatever the systems come as, the numbers are the same; counts name no spans."""
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    write_docs(here / "base.spacy", as_docs(GOLD, "pred"))
    nlp = spacy.load(model)
    write_docs(here / "rules.spacy", [nlp(d.text) for d in GOLD])
    for name in ("base", "rules"):
        accepted("count", "gold.spacy", f"{name}.spacy", "-o", f"{name}.npz")
    few = ["--samples", 20, "--trials", 100]
    expected, _ = compared(here, "gold.spacy", "base.spacy", "rules.spacy", *few)
    values, p = ([row[key] for row in expected["comparisons"]] for key in ("value", "p"))
    moved = expected["transitions"][0]
    for base, others in (
        ("base.spacy", ("rules.npz", model, "rules.spacy")),
        ("base.npz", ("rules.npz", "rules.spacy", model)),
    ):
        result, _ = compared(here, "gold.spacy", base, *others, *few)
        assert [row["value"] for row in result["comparisons"]] == values * 3
        assert [row["p"] for row in result["comparisons"]] == p * 3
        found_outcomes = [(found["system"], found["counts"], found["spans"]) for found in result["transitions"]]
        expected_outcomes = [(str(other), moved["counts"], moved["spans"]) for other in others[1:]]
        assert found_outcomes == (expected_outcomes if base == "base.spacy" else [])


def test_metrics_and_their_options_are_those_given_or_those_of_the_counts(here):
    few = ["--samples", 10, "--trials", 50]
    result = rows(*FILES, *few, "-m", "loio", "--loio.s", 1)
    assert {row["metric"] for row in result} == {"loio"}
    accepted("count", "gold.jsonl", "base.jsonl", "-o", "base.npz", "-m", "loio", "--loio.s", 1)
    again = rows("gold.jsonl", "base.npz", "other.jsonl", *few)
    assert [row["value"] for row in again] == [row["value"] for row in result]


def test_patterns_and_count_files_name_training_runs_too(here):
    (here / "runs").mkdir()
    for name, keep in (("a1", 0.5), ("a2", 0.55), ("a3", 0.6), ("b1", 0.9), ("b2", 0.95)):
        jsonl(here / "runs" / f"{name}.jsonl", trained_again(name, keep, GOLD), "pred")

    def tables(a: str, b: str, *options: str) -> Any:
        done = run("compare", "gold.jsonl", "--system", f"A={a}", "--system", f"B={b}", *options, "-f", "json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    metrics = ("-m", "strict,fair")
    expected = tables("runs/a1.jsonl,runs/a2.jsonl, runs/a3.jsonl", "runs/b1.jsonl,runs/b2.jsonl", *metrics)
    assert tables("runs/a*.jsonl", "**/b?.jsonl", *metrics) == expected
    for name in ("a1", "b2"):
        accepted("count", "gold.jsonl", f"runs/{name}.jsonl", *metrics, "-o", f"runs/{name}.npz")
    assert tables("runs/a1.npz,runs/a2.jsonl,runs/a3.jsonl", "runs/b1.jsonl,runs/b2.npz") == expected


def test_what_was_left_out_or_changed_on_reading_is_told_of_each_system(here):
    gold = [line("Ada met Bob", (0, 3, "PER"), id=f"d{k}") for k in range(3)]
    rest = line("Eve", (0, 3, "PER"), id="open")
    write(here / "some.jsonl", *gold, line("Eve", id="open", answer="ignore"))
    write(here / "twice.jsonl", gold[0] | {"spans": gold[0]["spans"] * 2}, *gold[1:], rest)
    write(here / "clean.jsonl", *gold, rest)
    found, printed = compared(here, "some.jsonl", "twice.jsonl", "clean.jsonl", "-m", "strict")
    skipped, ignored = "1 document without annotation skipped", "1 prediction ignored where the reference"
    assert f"ℹ twice: {skipped}, 1 span given again and counted once." in flat(printed)
    assert f"ℹ clean: {skipped}." in flat(printed) and ignored not in flat(printed)
    assert [(own["system"], own["skipped"], own["duplicates"]) for own in found["on_reading"]] == [
        ("twice", [1], [1]),
        ("clean", [1], [0]),
    ]
    assert "ℹ" not in accepted("compare", *FILES, *FEW)


# `score --system`: one system that was trained several times

RUNS = {"a1": 0.6, "a2": 0.7, "a3": 0.8}
A = "A=runs/a1.jsonl,runs/a2.jsonl,runs/a3.jsonl"
METRICS = ("-m", "strict,fair")


@pytest.fixture
def runs(here) -> Path:
    """Three training runs of a system."""
    (here / "runs").mkdir()
    for name, keep in RUNS.items():
        jsonl(here / "runs" / f"{name}.jsonl", trained_again(name, keep, GOLD), "pred")
    return here


def scored(system: str, *options: Any) -> dict[str, Any]:
    accepted("score", "gold.jsonl", "--system", system, *options, "-o", "out.json")
    return written(Path("out.json"))


def test_patterns_and_count_files_name_runs_too(runs):
    expected = scored(A, *METRICS)
    assert scored("A=runs/a*.jsonl", *METRICS) == expected
    for name in RUNS:
        accepted("count", "gold.jsonl", f"runs/{name}.jsonl", *METRICS, "-o", f"runs/{name}.npz")
    assert scored(A.replace("a2.jsonl", "a2.npz")) == expected
    assert scored("A=runs/*.npz") == expected


def test_models_are_runs_too(runs, model):
    own = scored(f"A={model},runs/a1.jsonl", "-m", "strict")["metrics"]["strict"]["runs"]["scores"]["r"]["values"]
    accepted("evaluate", model, "gold.jsonl", "-m", "strict", "-o", "alone.json")
    assert own[0] == written(Path("alone.json"))["metrics"]["strict"]["scores"]["r"]


def test_the_options_of_intervals_and_tables_apply(runs):
    wide, narrow = (
        scored(A, *METRICS, "--level", level)["metrics"]["strict"]["intervals"]["scores"]["f"] for level in (0.99, 0.5)
    )
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert scored(A, *METRICS, "--samples", 50, "--seed", 2) == scored(A, *METRICS)
    score = ("score", "gold.jsonl", "--system", A, *METRICS)
    printed = accepted(*score, "-t", "runs", "-a", "macro", "--digits", 0)
    assert [*tables_in(printed)] == ["Training runs (macro; few runs: fewer than 5)"]
    assert "avg:macro" in printed
    found = scored(A, *METRICS, "--unit", "block:4")
    assert (found["confidence"]["unit"], found["confidence"]["units"]) == ("block:4", 6)
    assert "⚠ Only 6 blocks" in accepted(*score, "--unit", "block:4")


def test_what_was_left_out_or_changed_on_reading_is_told_as_of_a_single_run(here):
    spans = [[(0, 3, "PER")], [(4, 7, "PER")], [(0, 3, "PER")]]
    gold = [line("Ada met Bob", *own, id=f"d{k}") for k, own in enumerate(spans)]
    write(here / "gold.jsonl", *gold, line("Eve", id="open", answer="ignore"))
    rest = line("Eve", (0, 3, "PER"), id="open")
    write(here / "x.jsonl", *gold, rest)
    write(here / "y.jsonl", gold[0] | {"spans": gold[0]["spans"] * 2}, *gold[1:], rest)
    strict, both = ("-m", "strict"), ("--system", "A=x.jsonl,y.jsonl")
    alone = flat(accepted("score", "gold.jsonl", "y.jsonl", *strict))
    assert "1 document without annotation skipped, 1 span given again and counted once" in alone
    printed = flat(accepted("score", "gold.jsonl", *both, *strict))
    assert "1 document without annotation skipped, spans given again and counted once: 0 and 1 in the runs" in printed
    found = scored("A=x.jsonl,y.jsonl", *strict)
    assert [found[key] for key in ("skipped", "duplicates", "repaired")] == [[1, 1], [0, 1], [0, 0]]
    assert "skipped" not in flat(accepted("score", "x.jsonl", *both, *strict))
