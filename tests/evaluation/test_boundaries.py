"""Which boundary of a boundary error is right: the same in the error list, the result, tables, frames and files."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, line, printed, tables_in, write
from hypothesis import given
from profiles import tries
from refusals import refused_with
from strategies import corpora, nested

from spacy_nereval import Document, Metric, Result, collapse, count, create, evaluate, merge, score
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.error_list import error_list
from spacy_nereval.io.count_files import load, save

SIDES = ("be_left", "be_right", "be_both", "be_neither")
TEXT = "Dr. Ada Lovelace met Bob in New York"
GOLD = [(0, 16, "PER"), (21, 24, "PER"), (28, 36, "LOC")]
PREDICTED = {
    # a prediction for the gold span 4-16: its verdict, and which boundary is right
    (4, 7): ("be_s", "left"),
    (8, 16): ("be_s", "right"),
    (5, 15): ("be_s", "neither"),
    (4, 20): ("be_l", "left"),
    (0, 16): ("be_l", "right"),
    (0, 20): ("be_l", "neither"),
    (0, 7): ("be_o", "neither"),
}


@pytest.mark.parametrize(("place", "expected"), PREDICTED.items())
@pytest.mark.parametrize("unit", ["char", "token"])
def test_a_boundary_is_right_where_both_spans_have_it(place, expected, unit):
    tokens = [(0, 3), (4, 7), (8, 16), (17, 20)]
    document = Document([(4, 16, "A")], [(*place, "A")], TEXT, tokens=tokens)
    (listed,) = error_list([document], create("fair", unit=unit))
    assert (listed.verdict.name, listed.row()["correct_boundary"]) == expected
    found = evaluate(count([document], [create("fair", unit=unit)]))["metrics"]["fair"]
    assert found["boundaries"]["counts"] == {side: int(side == f"be_{expected[1]}") for side in SIDES}
    assert found["counts"][expected[0]] == 1, "the verdict is the same as before"


def test_only_a_right_label_on_wrong_boundaries_has_a_boundary():
    document = Document(
        [(0, 3, "A"), (4, 7, "A"), (8, 16, "A"), (17, 20, "A")], [(0, 3, "A"), (4, 7, "B"), (8, 9, "B")]
    )
    rows = [listed.row() for listed in error_list([document], create("fair"), errors=["all"])]
    assert Counter((row["verdict"], row["correct_boundary"]) for row in rows) == {
        ("tp", None): 1, ("le", None): 1, ("lbe", None): 1, ("fn", None): 1
    }  # fmt: skip


def twin(corpus: list[Document], metric: Metric) -> Counter[tuple[str, str]]:
    """Label and side of each boundary error, from the offsets of the verdicts."""
    numbers: Counter[tuple[str, str]] = Counter()
    for verdict in (verdict for document in corpus for verdict in metric.verdicts(document)):
        if verdict.name.startswith("be_"):
            left, right = verdict.gold.start == verdict.pred.start, verdict.gold.end == verdict.pred.end
            assert not (left and right)
            numbers[verdict.gold.label, "be_left" if left else "be_right" if right else "be_neither"] += 1
    return numbers


@tries(100)
@given(corpus=corpora(nested()))
def test_the_split_has_every_boundary_error_once(corpus):
    metric = create("fair")
    numbers, found = twin(corpus, metric), evaluate(count(corpus, [metric]))["metrics"]["fair"]
    overall, per_label = found["boundaries"]["counts"], found["boundaries"]["per_type"]
    assert sum(overall.values()) == found["scores"]["be"]
    assert overall["be_both"] == 0, "no span has gaps"
    for side in SIDES:
        assert overall[side] == sum(n for (_, other), n in numbers.items() if other == side)
    assert per_label == {
        label: {side: numbers[label, side] for side in SIDES} for label in sorted({label for label, _ in numbers})
    }
    listed = Counter(each.correct_boundary for each in error_list(corpus, metric))
    del listed[None]
    assert {f"be_{side}": n for side, n in listed.items()} == {side: n for side, n in overall.items() if n}


def documents(number: int, first: int = 0) -> list[Document]:
    """Each with one boundary error, of all kinds in turn."""
    places = [*PREDICTED]
    return [
        Document([(4, 16, "PER")], [(*places[k % len(places)], "PER")], TEXT, id=f"d{k}")
        for k in range(first, first + number)
    ]


EXPECTED = {"be_left": 4, "be_right": 4, "be_both": 0, "be_neither": 6}


def test_merged_and_collapsed_counts_have_the_split_of_one_call(tmp_path):
    parts = [count(documents(5), [create("fair")]), count(documents(9, 5), [create("fair")])]
    whole = count(documents(14), [create("fair")])
    save(parts[0], tmp_path / "a.npz")
    made = (whole, merge([load(tmp_path / "a.npz"), parts[1]]), collapse(whole), merge([*map(collapse, parts)]))
    for counts in made:
        found = evaluate(counts)["metrics"]["fair"]["boundaries"]
        assert found == {"counts": EXPECTED, "per_type": {"PER": EXPECTED}}


def boundary_tables(*arguments: str) -> dict[str, list[list[str]]]:
    """The printed tables of boundaries, by their headings."""
    tables = tables_in(printed("score", *arguments, "-t", "boundaries"))
    return {heading: rows for heading, rows in tables.items() if heading.startswith("Boundary errors")}


def written_result(*arguments: str) -> dict[str, Any]:
    """The JSON that the command writes."""
    printed("score", *arguments, "-o", "written.json")
    return json.loads(Path("written.json").read_text(encoding="utf8"))


def counted_before(corpus: list[Document], path: Path) -> Counts:
    """Counts as files hold them that were made before the split was recorded."""
    fair = create("fair")
    save(count(corpus, [replace(fair, boundary_errors=())]), path)
    return load(path)


def test_counts_from_before_are_read_and_say_that_they_have_no_split(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    old = counted_before(documents(5), Path("old.npz"))
    new = count(documents(9, 5), [create("fair")])
    save(new, Path("new.npz"))
    save(merge([old, new]), Path("both.npz"))
    unknown = dict.fromkeys(SIDES)
    for name in ("old.npz", "both.npz"):
        result = written_result(name)["metrics"]["fair"]
        assert result["boundaries"] == {"counts": unknown, "per_type": {"PER": unknown}}, name
        assert result["scores"]["be"] == (5 if name == "old.npz" else 14)
        ((heading, rows),) = boundary_tables(name).items()
        assert heading.endswith("by the boundary that is correct; counted before this was recorded: count again)")
        be = f"{result['scores']['be']}"
        assert rows == [["all labels", be, "-", "-", "-"], ["PER", be, "-", "-", "-"]]
    assert [*boundary_tables("new.npz")] == ["Boundary errors (fair; by the boundary that is correct)"]


def test_every_door_shows_the_same_split(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    corpus = documents(14)
    for name, sides in (("gold", [each.gold for each in corpus]), ("pred", [each.pred for each in corpus])):
        rows = [line(TEXT, *map(tuple, spans), id=each.id) for spans, each in zip(sides, corpus)]
        write(Path(f"{name}.jsonl"), *rows)
    files = ("gold.jsonl", "pred.jsonl")

    assert written_result(*files)["metrics"]["fair"]["boundaries"]["counts"] == EXPECTED
    assert score(*files)["metrics"]["fair"]["boundaries"]["counts"] == EXPECTED
    ((_, rows),) = boundary_tables(*files).items()
    assert rows == [["all labels", "14", "4", "4", "6"], ["PER", "14", "4", "4", "6"]], "be_both needs gaps"

    frame = score(*files).to_frame("boundaries").set_index("label")
    assert frame.loc["PER"].to_dict() == {"be": 14} | {side: n for side, n in EXPECTED.items() if n}
    saved = score(*files)
    saved.save("result.json")
    assert Result.load("result.json").to_frame("boundaries").equals(saved.to_frame("boundaries"))

    accepted("errors", *files, "-o", "errors.csv")
    written = Path("errors.csv").read_text(encoding="utf8").splitlines()
    by_file = Counter(row["correct_boundary"] for row in csv.DictReader(written))
    listed = Counter(row["correct_boundary"] for row in saved.errors())
    (rows,) = tables_in(accepted("errors", *files, "-n", 0)).values()
    by_terminal = Counter(row[4] for row in rows)
    for found in (by_file, listed, by_terminal):
        assert {f"be_{side}": n for side, n in found.items()} == {side: n for side, n in EXPECTED.items() if n}


def test_a_metric_keeps_one_text_with_a_verdict():
    with refused_with(
        ValueError,
        "a metric keeps one text with a verdict: declare note or boundary_errors",
    ):
        replace(create("mentions", scope="hits"), boundary_errors=("tp",))
    with refused_with(
        ValueError,
        "boundary_errors names the verdict 'near', which no column adds up; the columns add up be_l, "
        "be_o, be_s, fn, fp, lbe, le, tp",
    ):
        replace(create("fair"), boundary_errors=("near",))
