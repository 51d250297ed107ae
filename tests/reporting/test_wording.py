"""Words of scores and verdicts, arrows, and the confusion with hits."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from summarised import DOCUMENTS, ROME, TEXT, evaluated

from spacy_nereval import Document, count, create, evaluate
from spacy_nereval.authoring import Metric, Score, Verdict, Wording, one_each
from spacy_nereval.core.wording import HIT
from spacy_nereval.metrics.registry import names
from spacy_nereval.reporting.declared import groups
from spacy_nereval.reporting.formats import csv_text, json_text
from spacy_nereval.reporting.result_table import Cost, ResultTable
from spacy_nereval.reporting.score_view import ScoreView
from spacy_nereval.reporting.terminal import render


@pytest.mark.parametrize("name", ["fair", "semeval", "slot_error", "loio"])
def test_hits_stand_on_the_diagonal_and_boundary_errors_beside_it(name):
    documents = [*DOCUMENTS, Document([(*ROME, "LOC")], [(*ROME, "LOC")], TEXT), Document([], [(*ROME, "LOC")], TEXT)]
    plain, table = evaluated(documents, name).tables(["confusion"])
    assert [*table.header] == ["gold", "LOC", "ORG", "boundary", "no span", "total"]
    rows = {row[0]: row[1:] for row in table.rows}
    missed_loc, confused = (2, 0) if name == "loio" else (1, 1)
    assert rows["LOC"] == [1, confused, 0, missed_loc, 3]
    assert rows["ORG"] == [0, 0, 3, 0, 3]
    assert rows["no span"] == [1, 1 - confused, 0, 0, 2 - confused]
    assert rows["total"] == [sum(rows[key][k] for key in ("LOC", "ORG", "no span")) for k in range(5)]
    assert "boundary: right label, wrong boundaries" in table.note
    assert ("errors only" in plain.note) == (name == "fair")


@pytest.mark.parametrize("name", names())
def test_every_score_beside_precision_recall_and_f_is_explained(name):
    metric = create(name)
    for group in groups(metric, [score.name for score in metric.scores]):
        if not group.is_triple:
            assert all(metric.score_by_name[score].meaning for score in group.scores), group


@pytest.mark.parametrize("name", names())
def test_words_of_verdicts_are_those_of_all_or_none_and_hits_are_hits(name):
    metric = create(name)
    assert {*metric.words} in (set(), {*metric.verdict_names})
    if metric.words:
        right = {verdict for verdict, word in metric.words.items() if word.kind == "hit"}
        assert right == {*metric.correct_verdicts}
    assert bool(metric.words) == (name in ("strict", "relaxed", "semeval", "slot_error", "loio", "fair"))


def test_a_metric_of_another_package_declares_its_words():
    touched = Wording("boundary", "touched", "touched by a prediction")
    metric = Metric(
        scores=(Score("share", headline=True, key="share", meaning="touched: gold spans that are touched"),),
        columns=one_each("hit", "near", "miss", "odd"),
        formula=lambda n: {"share": n["hit"] / (n["hit"] + n["near"] + n["miss"] + 1)},
        judge=lambda group: (Verdict("near", span, None) for span in group.gold),
        hit="hit",
        miss="miss",
        spurious="odd",
        confusion=("hit", "near", "miss", "odd"),
        words={"near": touched},
        name="mine",
    )
    counts = count([Document([(0, 3, "A"), (4, 9, "B")], [(0, 3, "A"), (4, 7, "B")], "Ada met Bob")], [metric])
    view = ScoreView(counts, evaluate(counts))
    verdicts = next(view.tables(["errors"]))
    assert ["near", "touched by a prediction", 1] in [row[:3] for row in verdicts.rows]
    assert ["hit", None, 1] in [row[:3] for row in verdicts.rows], "a verdict without words is shown by name"
    assert [*view.tables(["scores"])][-1].rows[0][-1] == "touched: gold spans that are touched"
    (first,) = view.opening()
    assert "wrong boundaries (1 of 1)" in first


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"fp": Wording("odd", "a", "b")}, "words has the kind 'odd'; expected one of hit, missed"),
        ({"x": HIT}, "names the verdict 'x'"),
    ],
)
def test_words_that_cannot_be_used_are_refused(words, said):
    with pytest.raises(ValueError, match=said):
        replace(create("strict"), words=words)


def test_people_see_an_arrow_and_programs_the_name():
    table = ResultTable("T", ["score", Cost("e")], [[Cost("ser"), 1.0], ["f", 2.0]])
    assert table.heading == "T (↓ lower is better)"
    assert csv_text([table]) == "table,score,e\nT,ser,1.00\nT,f,2.00"
    assert json.loads(json_text([table])) == {"T": [{"score": "ser", "e": 1.0}, {"score": "f", "e": 2.0}]}
    assert "ser (-)" in render(table, encoding="ascii") and "↓" not in render(table, encoding="ascii")
    assert ResultTable("T", ["score"], [["f"]]).heading == "T"


def test_a_name_of_blanks_can_be_seen():
    assert ResultTable("T", ["label", " "], [["A", 1]]).grid()[0] == ["label", "(empty)"]
    assert ResultTable("T", ["label", "n"], [["\n", 1]]).grid()[1] == ["(empty)", "1"]
