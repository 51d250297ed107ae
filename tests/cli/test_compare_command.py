"""`nereval compare`: what it is asked, what it says first, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import accepted, flat, line, refused, run, tables_in, write
from made_up import corpus, second

pytestmark = pytest.mark.costly  # resampling, in almost every test

DOCUMENTS = corpus(24)
FILES = ("gold.jsonl", "a.jsonl", "b.jsonl")
FEW = ("--trials", 200, "-m", "strict,slot_error,fair")


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, spans in (
        ("gold", [d.gold for d in DOCUMENTS]),
        ("a", [d.pred for d in DOCUMENTS]),
        ("b", [d.pred for d in second(DOCUMENTS)]),
    ):
        write(tmp_path / f"{name}.jsonl", *(line(d.text, *own, id=d.id) for d, own in zip(DOCUMENTS, spans)))
    return tmp_path


def rows(*arguments: Any) -> list[dict[str, Any]]:
    accepted("compare", *arguments, "-o", "out.json")
    found: list[dict[str, Any]] = json.loads(Path("out.json").read_text("utf8"))["comparisons"]
    return found


def shown(*arguments: Any) -> dict[str, Any]:
    """The tables as JSON."""
    result = run(*arguments, "-f", "json")
    assert result.exit_code == 0, result.output
    tables: dict[str, Any] = json.loads(result.stdout)
    return tables


def families(found: list[dict[str, Any]]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for row in found:
        if row["family"]:
            named.setdefault(row["family"], []).append(row["label"] or f"{row['metric']}.{row['score']}")
    return named


def test_only_rows_of_the_primary_score_have_a_sentence(here):
    found = rows("gold.jsonl", "a.jsonl", "b.jsonl", "gold.jsonl", *FEW, "--labels")
    assert [(row["system"], row["family"], row["label"]) for row in found if row["verdict"]] == [
        ("b", "primary", None),
        ("gold", "primary", None),
    ]


def test_the_primary_and_the_secondary_scores_are_those_asked_for(here):
    assert families(rows(*FILES, *FEW)) == {"primary": ["strict.f"], "secondary": ["slot_error.ser", "fair.f"]}
    found = families(rows(*FILES, *FEW, "--primary", "fair.p"))
    assert found == {"primary": ["fair.p"], "secondary": ["strict.f", "slot_error.ser"]}
    found = families(rows(*FILES, *FEW, "--primary", "fair.p", "--secondary", "fair.r, strict.f"))
    assert found == {"primary": ["fair.p"], "secondary": ["strict.f", "fair.r"]}
    assert rows(*FILES, *FEW, "--primary", "fair_p", "--secondary", "fair_r,ser") == rows(
        *FILES, *FEW, "--primary", "fair.p", "--secondary", "fair.r,slot_error.ser"
    )
    assert families(rows(*FILES, *FEW, "--secondary", "")) == {"primary": ["strict.f"]}


def test_the_least_p_is_told_as_one(here):
    """A system that finds everything, after one that finds nothing: no swap has a difference as large."""
    write(here / "none.jsonl", *(line(d.text, id=d.id) for d in DOCUMENTS))
    printed = accepted("compare", "gold.jsonl", "none.jsonl", "gold.jsonl", "-m", "strict,fair", "--trials", 200)
    assert "< before a p-value: 200 random swaps cannot show a smaller one." in flat(printed)
    assert [row[-3:-1] for row in tables_in(printed)["gold against none"]] == [["< .0050", "< .0050"]] * 2
    arguments = ("compare", "gold.jsonl", "none.jsonl", "gold.jsonl", "-m", "strict,fair", "--trials", 200)
    assert r"| \< .0050 |" in accepted(*arguments, "--format", "markdown")
    assert r"& \textless{} .0050 &" in accepted(*arguments, "--format", "latex")
    assert '<td class="number">&lt; .0050</td>' in accepted(*arguments, "--format", "html")
    in_json = json.loads(run(*arguments, "--format", "json").stdout)
    assert in_json["gold against none"][0]["p (Holm)"] == pytest.approx(1 / 201, abs=5e-5)
    assert "gold scores higher than none on texts like these, by 100.00 points (" in printed
    assert "< ." not in accepted("compare", *FILES, *FEW)


def test_words_that_say_too_much_are_not_said(here):
    for other in ("b.jsonl", "gold.jsonl", "a.jsonl"):
        printed = accepted("compare", "gold.jsonl", "a.jsonl", other, *FEW, "--labels")
        for word in ("significant", "trend", "no difference", "proves", "***"):
            assert word not in printed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--margin", -1], "--margin -1: expected a number of points above 0, such as 1"),
        (["--margin", 0], "--margin 0: expected a number of points above 0"),
        (["--margin", "nan"], "--margin nan: expected a number of points above 0"),
        (["--margin", "inf"], "--margin inf: expected a number of points above 0"),
        (["--margin", "-inf"], "--margin -inf: expected a number of points above 0"),
        (["--margin", 1, "--level", 0.5], "equivalence needs a confidence level above 0.5"),
        (["--primary", "strict"], "--primary strict: there is no such score; expected METRIC.SCORE, one of strict.p,"),
        (["--secondary", "strict.x"], "--secondary strict.x: there is no such score"),
        (["--secondary", "strict.f"], "--secondary strict.f: this score is the primary score; name each score once"),
        (["--secondary", "fair.f,fair.f"], "--secondary fair.f: this score is given twice; name each score once"),
        (["--secondary", "slot_error.ser_acc"], "function of slot_error.ser, which can be tested: --secondary slot_"),
    ],
)
def test_what_cannot_be_asked_is_answered_in_one_line_before_anything_is_written(here, options, said):
    assert said in refused("compare", *FILES, *FEW, *options, "-o", "new.json")
    assert not Path("new.json").exists()


# Several training runs


@pytest.fixture
def runs(here) -> Path:
    """Three runs of A, two of B."""
    (here / "runs").mkdir()
    for name, keep in (("a1", 0.5), ("a2", 0.55), ("a3", 0.6), ("b1", 0.9), ("b2", 0.95)):
        rng = Random(name)
        found = [[span for span in d.gold if rng.random() < keep] for d in DOCUMENTS]
        write(
            here / "runs" / f"{name}.jsonl",
            *(line(d.text, *spans, id=d.id) for d, spans in zip(DOCUMENTS, found)),
        )
    return here


A, B = "A=runs/a1.jsonl,runs/a2.jsonl, runs/a3.jsonl", "B=runs/b1.jsonl,runs/b2.jsonl"
SEVERAL = ("compare", "gold.jsonl", "--system", A, "--system", B, "-m", "strict,fair")


def test_patterns_and_count_files_name_runs_too(runs):
    expected = shown(*SEVERAL)
    patterns = ("compare", "gold.jsonl", "--system", "A=runs/a*.jsonl", "--system", "B=**/b?.jsonl")
    assert shown(*patterns, "-m", "strict,fair") == expected
    for name in ("a1", "b2"):
        accepted("count", "gold.jsonl", f"runs/{name}.jsonl", "-m", "strict,fair", "-o", f"runs/{name}.npz")
    mixed = [text.replace("a1.jsonl", "a1.npz").replace("b2.jsonl", "b2.npz") for text in (A, B)]
    assert shown("compare", "gold.jsonl", "--system", mixed[0], "--system", mixed[1]) == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([A], "a comparison needs a baseline and another system, and A is the only one"),
        ([A, A], "there is a system A already; list all its runs once, as A=RUN,RUN..."),
        (["A=a.jsonl,a.jsonl", B], "--system A: the run a.jsonl is given twice; give each training run once"),
        (["A=runs/a1.jsonl,runs/a*.jsonl", B], "the run runs/a1.jsonl is given twice"),
        (["A=none*.jsonl", B], "--system A=none*.jsonl: no file matches none*.jsonl"),
        (["a.jsonl", B], "--system a.jsonl: expected NAME=RUN,RUN..., such as A=a1.jsonl,a2.jsonl"),
        (["=a.jsonl", B], "--system =a.jsonl: expected NAME=RUN"),
        (["A=a.jsonl,", B], "--system A=a.jsonl,: expected NAME=RUN"),
        (["A=none.jsonl", B], "none.jsonl"),
        ([A, "B=runs/b1.jsonl,fewer.npz"], "run 2 of B: 1 documents are not in both systems: doc 23"),
    ],
)
def test_runs_that_cannot_be_compared_are_answered_in_one_line(runs, given, said):
    ids = [json.loads(text) for text in Path("gold.jsonl").read_text("utf8").splitlines()][:-1]
    write(runs / "fewer.jsonl", *ids)
    accepted("count", "fewer.jsonl", "fewer.jsonl", "-m", "strict,fair", "-o", "fewer.npz")
    options = [part for text in given for part in ("--system", text)]
    assert said in refused("compare", "gold.jsonl", *options, "-m", "strict,fair", "-o", "new.json")
    assert not Path("new.json").exists()


def test_systems_are_named_in_one_way_only(runs):
    said = refused("compare", "gold.jsonl", "a.jsonl", "--system", B)
    assert "a.jsonl is given in addition to --system: give all systems as --system NAME=RUN,RUN..." in said


def test_the_result_is_not_written_over_a_run(runs):
    assert "runs/b2.jsonl is an input" in refused(*SEVERAL, "-o", "runs/b2.jsonl")


def test_what_was_left_out_or_changed_on_reading_is_told_of_each_system(here):
    gold = [line("Ada met Bob", (0, 3, "PER"), id=f"d{k}") for k in range(3)]
    rest = line("Eve", (0, 3, "PER"), id="open")
    write(here / "some.jsonl", *gold, line("Eve", id="open", answer="ignore"))
    write(here / "twice.jsonl", gold[0] | {"spans": gold[0]["spans"] * 2}, *gold[1:], rest)
    write(here / "clean.jsonl", *gold, rest)
    printed = flat(accepted("compare", "some.jsonl", "twice.jsonl", "clean.jsonl", "-m", "strict", "-o", "c.json"))
    skipped, ignored = "1 document without annotation skipped", "1 prediction ignored where the reference"
    assert f"ℹ twice: {skipped}, 1 span given again and counted once." in printed
    assert f"ℹ clean: {skipped}." in printed and ignored not in printed
    found = json.loads(Path("c.json").read_text("utf8"))["on_reading"]
    assert [(own["system"], own["skipped"], own["duplicates"]) for own in found] == [
        ("twice", [1], [1]),
        ("clean", [1], [0]),
    ]
    assert "ℹ" not in accepted("compare", *FILES, *FEW)
