"""`nereval compare`: what it is asked, what it says first, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, line, refused, run, tables_in, write
from made_up import corpus, second

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


def families(found: list[dict[str, Any]]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for row in found:
        if row["family"]:
            named.setdefault(row["family"], []).append(row["label"] or f"{row['metric']}.{row['score']}")
    return named


def test_the_first_line_is_the_sentence_on_the_primary_score(here):
    (own,) = (row for row in rows(*FILES, *FEW) if row["family"] == "primary")
    said = f"strict f, b.jsonl against a.jsonl: {own['verdict']}."
    assert own["verdict"].startswith("not settled: between -")
    printed = accepted("compare", *FILES, *FEW, env={"COLUMNS": "80"})
    assert " ".join(printed.split()).startswith(said)
    assert accepted("compare", *FILES, *FEW, "-f", "markdown").startswith(said)
    assert said in accepted("compare", *FILES, *FEW, "-f", "html").split("<table>")[0]
    assert said in run("compare", *FILES, *FEW, "-f", "json").stderr.splitlines()[0]


def test_only_rows_of_the_primary_score_have_a_sentence(here):
    found = rows("gold.jsonl", "a.jsonl", "b.jsonl", "gold.jsonl", *FEW, "--labels")
    assert [(row["system"], row["family"], row["label"]) for row in found if row["verdict"]] == [
        ("b.jsonl", "primary", None),
        ("gold.jsonl", "primary", None),
    ]


def test_the_primary_and_the_secondary_scores_are_those_asked_for(here):
    assert families(rows(*FILES, *FEW)) == {"primary": ["strict.f"], "secondary": ["slot_error.ser", "fair.f"]}
    found = families(rows(*FILES, *FEW, "--primary", "fair.p"))
    assert found == {"primary": ["fair.p"], "secondary": ["strict.f", "slot_error.ser"]}
    found = families(rows(*FILES, *FEW, "--primary", "fair.p", "--secondary", "fair.r, strict.f"))
    assert found == {"primary": ["fair.p"], "secondary": ["strict.f", "fair.r"]}
    assert families(rows(*FILES, *FEW, "--secondary", "")) == {"primary": ["strict.f"]}


def test_labels_are_compared_by_the_primary_score(here):
    found = [row for row in rows(*FILES, *FEW, "--labels") if row["label"]]
    assert [(row["metric"], row["score"], row["label"]) for row in found] == [("strict", "f", x) for x in "ABC"]
    for row in found:
        assert (row["p"] is not None) is (row["interval"][0] is not None) is (row["differing"] >= 6)
    assert {row["tests"] for row in found} == {2}
    printed = accepted("compare", *FILES, *FEW, "--labels", env={"COLUMNS": "80"})
    assert [row[0] for row in tables_in(printed)["b.jsonl against a.jsonl per label, strict"]] == ["A", "B", "C"]
    assert "strict f of labels (2 tests)" in " ".join(printed.split())
    assert "labels family of 2 tests" in " ".join(printed.split())


def test_a_margin_tells_systems_that_are_the_same_within_it(here):
    def primary(*more: Any) -> dict[str, Any]:
        return next(row for row in rows(*FILES, *FEW, *more) if row["family"] == "primary")

    assert primary("--margin", 30)["verdict"] == "the same within 30 points"
    assert primary("--margin", 30)["same_within"] == 30
    assert primary("--margin", 5)["verdict"] == primary()["verdict"]
    # Inside the 90 % interval is enough; the 95 % interval reaches further.
    narrow = primary("--level", 0.9)["interval"]
    margin = 100 * max(-narrow[0], narrow[1])
    assert primary("--margin", margin + 0.01)["same_within"] is not None
    assert primary("--margin", margin - 0.01)["same_within"] is None
    assert 100 * max(map(abs, primary()["interval"])) > margin + 0.01


def test_the_least_p_is_told_as_one(here):
    """A system that finds everything, after one that finds nothing: no swap has a difference as large."""
    write(here / "none.jsonl", *(line(d.text, id=d.id) for d in DOCUMENTS))
    printed = accepted("compare", "gold.jsonl", "none.jsonl", "gold.jsonl", "-m", "strict,fair", "--trials", 200)
    printed = " ".join(printed.split())
    assert "No smaller p comes out of 200 swaps: strict f of gold.jsonl p ≤ 1/201, fair f of gold.jsonl p ≤ 1/201." in (
        printed
    )
    assert "gold.jsonl scores higher than none.jsonl on texts like these, by 100.00 points (" in printed
    assert "No smaller p" not in accepted("compare", *FILES, *FEW)


@pytest.mark.parametrize("word", ["significant", "trend", "no difference", "proves", "***"])
def test_words_that_say_too_much_are_not_said(here, word):
    for other in ("b.jsonl", "gold.jsonl", "a.jsonl"):
        assert word not in accepted("compare", "gold.jsonl", "a.jsonl", other, *FEW, "--labels")


@pytest.mark.parametrize("columns", [80])
def test_the_tables_stand_in_one_piece(here, columns):
    printed = accepted("compare", *FILES, "--trials", 200, "--labels", env={"COLUMNS": str(columns)})
    first = printed.split("\n\n")[2]
    assert len(first.splitlines()) == 2 + 8
    assert max(map(len, first.splitlines())) <= columns
    assert "lower is better: ser" in printed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--margin", -1], "--margin -1: expected a number of points above 0, such as 1"),
        (["--margin", 0], "--margin 0: expected a number of points above 0"),
        (["--margin", "nan"], "--margin nan: expected a number of points above 0"),
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
