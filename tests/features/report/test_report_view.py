"""The report without a browser: its view, with the numbers of the terminal, and the command that writes it."""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from commands import accepted, flat, line, refused, write
from made_up import corpus, second
from pages import FIRST, GOLDS, SECOND, Parsed, decoded, small, system
from products import NIGHT, mostly_at_night
from tabled import GOLD, MANY_DOCUMENTS

from spacy_nereval import Confidence, Document, count, create
from spacy_nereval.core.wording import FAIREVAL
from spacy_nereval.evaluation.breakdown import breakdown
from spacy_nereval.evaluation.comparison import System
from spacy_nereval.evaluation.error_list import is_error
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.tested import Hypotheses, label_score
from spacy_nereval.features.report.report_charts import TALL, all_charts, error_chart, score_chart
from spacy_nereval.features.report.report_numbers import LENGTHS
from spacy_nereval.features.report.report_page import page
from spacy_nereval.features.report.report_view import ReportView
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.declared import sentence_name
from spacy_nereval.reporting.result_table import Estimate, ResultTable, number_text
from spacy_nereval.reporting.score_tables import PRF
from spacy_nereval.reporting.score_view import ScoreView

METRICS = ["strict", "slot_error", "fair"]
FEW = Confidence(samples=20)
FAIR = create("fair")
NESTED = [(0, 2, "A"), (0, 5, "A")]


def systems(kind: str, number: int) -> list[System]:
    documents = {
        "usual": corpus(24),
        "nested": [Document(NESTED, [(0, 5, "A"), (3, 5, "B")], "ab cd", id=str(k)) for k in range(8)],
        "right": [Document([(0, 2, "A")], [(0, 2, "A")], "ab", id=str(k)) for k in range(3)],
        "without words": [Document([(0, 2, "A")], [(1, 2, "A")], None) for _ in range(3)],
    }[kind]
    found = [system("s0", *documents, metrics=METRICS)]
    for k in range(1, number):
        preds = [d.pred[k % 2 :] if (n + k) % 3 else d.gold for n, d in enumerate(documents)]
        others = [Document(d.gold, pred, d.text, id=d.id, tokens=d.tokens) for d, pred in zip(documents, preds)]
        found.append(system(f"s{k}", *others, metrics=METRICS))
    return found


COMPARED = dict.fromkeys(("scores", "headline"), ("P", "R", "F"))
COMPARED |= {"errors": ("number", "% errors", "% gold"), "pairs": ("number",)}
"""Tables of the terminal whose numbers stand in the page, and their columns."""

CASES = [
    *((kind, 1, None) for kind in ("usual", "nested", "right", "without words")),
    *[("usual", 1, FEW), ("usual", 2, None), ("usual", 2, FEW), ("usual", 5, None), ("usual", 5, FEW)],
    *[("nested", 2, FEW), ("right", 2, None)],
]


def of_day(case):
    """Whether a page is made by day: one of each kind, and of one, two and five systems, tested and not."""
    kind, number, confidence = case
    return kind != "usual" or (number, confidence is None) in ((1, False), (2, True), (5, False))


@pytest.fixture(
    scope="module",
    params=mostly_at_night(CASES, by_day=filter(of_day, CASES)),
    ids=lambda case: f"{case[0]}-{case[1]}-{case[2] is not None}",
)
def shown(request) -> tuple[ReportView, Parsed]:
    kind, number, confidence = request.param
    made = systems(kind, number)
    return ReportView(made, confidence=confidence, trials=50), Parsed(page(made, confidence=confidence, trials=50))


def on_page(table: ResultTable, row: list[Any]) -> list[str]:
    """A row of a table as a page has it."""
    cells: list[str] = []
    for k, cell in enumerate(row):
        code = getattr(cell, "code", "")
        texts = table.value_and_bounds(k, cell) if isinstance(cell, Estimate) else [table.cell_text(k, cell)]
        cells.append(flat(" ".join([*texts, *([code] if code and code != cell else [])])))
    return cells


def test_the_page_has_every_row_of_every_table(shown):
    view, found = shown
    rows = [[flat(cell) for cell in row] for row in found.rows]
    for table in view.tables(view.makers):
        for row in table.rows[: table.most]:
            assert on_page(table, row) in rows, table.title


def test_the_page_says_every_finding(shown):
    view, found = shown
    lines = [*view.opening(), *view.closing(), *view.test_lines()]
    headings = [each.heading for each in view.findings() if not each.section.startswith(("headline", "changes"))]
    for said in (*lines, *headings):
        assert flat(said) in found.text
    changes = [each for each in view.findings() if each.section.startswith("changes")]
    assert len(changes) == len(view.systems) - 1
    assert not changes or changes[max(view.lead - 1, 0)].heading in found.text


def test_every_finding_names_its_documents(shown):
    view, _ = shown
    lead = view.systems[view.lead].documents
    names = [k if document.id is None else document.id for k, document in enumerate(lead)]
    wrong = [name for name, d in zip(names, lead) if any(is_error(FAIR, verdict) for verdict in FAIR.verdicts(d))]
    found = {each.section: [*each.documents] for each in view.findings()}
    assert found["list"] == wrong
    for section in ("errors", "groups", "doubt"):
        assert {*found[section]} <= {*wrong}
    assert bool(found["errors"]) == bool(wrong)
    assert {*found["gold"]} == {names[doubt.document] for doubt in view.doubts}
    groups = view.groups[view.lead].largest_groups("surface", 2)
    assert bool(found["groups"]) == bool(groups or view.groups[view.lead].largest_groups("slip", 2))
    first = view.systems[0].documents
    for k, after in enumerate(view.systems[1:]):
        differ = {n for n, a, b in zip(names, first, after.documents) if _hits(a) != _hits(b)}
        assert differ <= {*found["changes" if k == 0 else f"changes {k + 1}"]}


def _hits(document: Document) -> set[Any]:
    return {*document.gold} & {*document.pred}


def test_the_page_has_the_numbers_of_the_terminal(shown):
    view, found = shown
    lines = [[flat(cell) for cell in row] for row in found.rows]
    for each, result, groups in zip(view.systems, view.results, view.groups):
        terminal = ScoreView(each.counts, result, groups=groups)
        for name, columns in COMPARED.items():
            (table, *_) = terminal.tables([name])
            places = [k for k, column in enumerate(table.header) if column in columns]
            for row in table.rows:
                words = row[1] if name == "errors" else FAIREVAL[str(row[0])].short if name == "pairs" else row[0]
                code = f" {row[0]}" if name in ("errors", "pairs") and row[0] != words else ""
                first = f"{words}{code}"
                cells = [flat(table.cell_text(k, row[k])) for k in places]
                own = [line for line in lines if line[:1] == [first]]
                assert any(line[k:][: len(cells)] == cells for line in own for k in range(len(line))), (row, cells)


# Single tables and sentences


def tables(name: str, *made: System, **how: Any) -> list[ResultTable]:
    return [*ReportView(made, **how).tables([name])]


def said(section: str, *made: System, **how: Any) -> tuple[str, list[str | int]]:
    (found,) = (each for each in ReportView(made, **how).findings() if each.section == section)
    return found.sentence, [*found.documents]


PERFECT = small(GOLDS, "perfect")


def test_lengths_are_those_of_the_breakdown_and_sum_to_the_whole():
    (made,) = systems("usual", 1)
    (table, *_) = tables("slices", made)
    found = breakdown(made.documents, [FAIR], "eLen")
    assert sum(found["gold"].values()) == 36 and len(found["buckets"]) > 1
    for bucket in found["buckets"]:
        (row,) = (row for row in table.rows if row[0] == LENGTHS[bucket])
        scores = found["metrics"]["fair"][bucket]["scores"]
        assert row[1:] == [found["gold"][bucket], found["pred"][bucket], *(scores[x] for x in "prf")]


def test_an_attribute_with_one_value_for_all_spans_is_half_a_sentence():
    made = small()
    assert [*dict.fromkeys(part.title for part in ReportView([made]).slices)][:1] == ["Words in the span"]
    assert "Words in the span: 1 word for all spans" in Parsed(page([made])).text
    assert [row for row in Parsed(page([made])).rows if row[:1] == ["1 word"]] == []
    titles = {table.title for table in tables("slices", made)}
    assert titles and "Words in the span" not in titles


@pytest.mark.parametrize(
    ("primary", "folded"), [("fair.f", "semeval exact, semeval strict"), ("semeval.exact_f", "semeval strict")]
)
def test_rows_that_repeat_strict_are_folded_unless_they_are_primary(primary, folded):
    documents = [Document([(0, 1, "A"), (2, 3, "A")], [(0, 1, "A")], "a b", id=str(k)) for k in range(9)]
    made = [system(name, *documents, metrics=["semeval", "strict", "fair"]) for name in ("x", "y")]
    table, _ = ReportView(made, asked=Hypotheses(primary=primary)).scores()
    strict = next(row for row in table.rows if row[0] == "strict")
    assert all(name in strict[0].code for name in folded.split(", "))
    assert ("semeval exact" in [row[0] for row in table.rows]) is (primary != "fair.f")
    assert table.rows[0][0] == ("fair" if primary == "fair.f" else "semeval exact"), "the primary score comes first"


def test_no_table_has_a_column_of_codes():
    for table in ReportView([small(), small(SECOND, "b")], confidence=FEW).tables(ReportView.makers):
        assert all(table.header), table.title
    found = Parsed(page([small()]))
    assert found.row("missed fn") and found.row("shorter than gold be_s")


def test_a_p_value_of_one_is_1_in_a_sentence():
    lines = ReportView([small(), small(SECOND, "b")], confidence=FEW, trials=50).opening()
    assert not any("1.0000" in line for line in lines)
    row = {"metric": "strict", "score": "f", "label": None, "system": "B", "family": "primary", "headline": True}
    row |= {"baseline_value": 0.5, "value": 0.5, "difference": 0.0, "interval": [-0.1, 0.1], "flag": None, "p": 1.0}
    row |= {"p_holm": 1.0, "tests": 1, "detectable": 0.1, "runs": [1, 1], "score_unit": "ratio", "verdict": "even"}
    result = {"baseline": "A", "comparisons": [row | {"higher_is_better": True}], "transitions": [], "swaps": 8}
    (line,) = ComparisonView(result | {"exact": True, "confidence": {"level": 0.95}}).opening()
    assert line == "B against A: strict F +0.00 [-10.00, 10.00], p (Holm) = 1; even."


def test_a_label_that_one_system_alone_predicts_has_a_row_for_all():
    gold = [(0, 1, "A")]
    made = [system(n, Document(gold, [(0, 1, label)], "a"), metrics=["fair"]) for n, label in (("x", "A"), ("y", "B"))]
    (table,) = tables("labels", *made)
    assert [row[:3] + row[6:7] for row in table.rows] == [["A", 1, 1, 0], ["B", 0, 0, 1]]
    (rates,) = tables("rates", *made)
    assert rates.rows == [["A", 1, 1, 1.0, 0, 0.0, -1.0], ["B", 0, 0, None, 1, None, None]]
    assert table.asks == [{"label": 0}, {"label": 1}], "for the system that is shown"


def test_two_systems_that_are_not_tested_have_the_difference_of_each_score():
    triples, others = tables("scores", small(), PERFECT)
    assert triples.header[-1] == others.header[-1] == "difference"
    assert all(row[-1] == row[6] - row[3] for row in triples.rows)
    tested, _ = tables("scores", small(), PERFECT, confidence=FEW)
    assert "difference" not in tested.header and len(tables("differences", small(), PERFECT, confidence=FEW)) == 1
    assert "difference" not in tables("scores", small(), PERFECT, small(SECOND, "second"))[0].header


def test_the_numbers_of_what_changed_ask_for_these_spans():
    (table,) = tables("transitions", small(), PERFECT)
    moved = {(row[0], after): n for row in table.rows for after, n in zip(table.header[1:], row[1:])}
    number = moved["missed", "correct"]
    assert number == 2 and number.ask == {"one": 0, "other": 1, "move": [4, 0]} and number.kind == "fixed"
    assert not hasattr(moved["correct", "correct"], "ask")
    assert said("changes", small(), PERFECT)[0] == "perfect fixes 4 gold spans, breaks 0"


def test_the_errors_that_cost_most_come_first_verdicts_before_labels():
    (table, *_) = tables("mending", small(), small(SECOND, "second"))
    assert table.title.startswith("fair F, now 44.44, ")
    order = [(row[0].code == "label", -max(row[3] or 0, row[6] or 0)) for row in table.rows]
    assert order == sorted(order) and {first for first, _ in order} == {True, False}
    assert "metric" in table.asks[0]


def test_systems_that_are_compared_are_not_ranked():
    gold = [(0, 1, "A")]
    sides: list[tuple[str, Any]] = [("x", []), ("y", gold)]
    made = [system(n, *[Document(gold, p, "a", id=str(k)) for k in range(12)], metrics=["fair"]) for n, p in sides]
    assert said("scores", *made)[0] == "y has the higher fair F, 100.00 against 0.00"
    assert said("scores", *made, confidence=FEW)[0] == "y is better by 100.00 points of fair F (73.54 to 100.00)"
    sentence, _ = said("scores", small(), small(SECOND, "b"), PERFECT)
    assert sentence.startswith("perfect has the highest fair F, 100.00")
    assert said("scores", small(), small(name="b"))[0] == "all systems have a fair F of 44.44"


SIDES: Any = {"pieces": ([(0, 3, "A"), (4, 7, "A")], 3), "half": ([], 2), "wordy": ([(0, 7, "A"), (10, 12, "B")], 1)}
"""For each system what it predicts where gold has one span, and in how many of four documents it does so."""


def ranked(*metrics: str, primary: str, **options: Any) -> tuple[ReportView, list[System]]:
    made, gold = [], [(0, 7, "A")]
    for name, (pred, n) in SIDES.items():
        documents = [Document(gold, pred if k % 4 < n else gold, "Ada Lee or so", id=str(k)) for k in range(12)]
        made.append(system(name, *documents, metrics=[*metrics]))
    return ReportView(made, asked=Hypotheses(primary=primary), **options), made


@pytest.mark.parametrize(
    ("primary", "confidence"),
    [
        pytest.param(primary, confidence, marks=() if k % 2 == (confidence is None) else NIGHT)
        for k, primary in enumerate(["fair.f", "strict_f", "strict.p", "semeval.type_f", "ser", "loio_f"])
        for confidence in (None, FEW)
    ],
)
def test_everything_of_a_report_follows_the_primary_score(primary, confidence):
    view, made = ranked("fair", "strict", "semeval", "slot_error", "loio", primary=primary, confidence=confidence)
    metric, score = view.primary
    values = [evaluate(one.counts)["metrics"][metric]["scores"][score] for one in made]
    best = (max if view.score.higher_is_better else min)(values)
    assert values[view.lead] == best
    name = sentence_name(view.metric, score)
    lines = [*view.opening(), view.findings()[0].sentence]
    assert all(name in line for line in lines), lines
    others = {sentence_name(m, s.name) for m in view.systems[0].counts.metrics for s in m.headlines} - {name}
    assert not [line for line in lines for other in others if f"{other} " in line.replace(name, "")], lines
    (labels,) = view.tables(["labels"])
    of_label = label_score(view.metric, score).name
    shown = labels.rows[0][labels.header.index("F" if "F" in labels.header else labels.header[-1])]
    if score.endswith("f") or "F" not in labels.header:
        per_label = evaluate(made[0].counts)["metrics"][metric]["per_type"]["A"]["scores"][of_label]
        assert (shown.value if isinstance(shown, Estimate) else shown) == per_label
    by_length = breakdown(made[view.lead].annotated_documents, [view.sliced], "eLen")
    (slices,) = (table for table in view.tables(["slices"]) if table.title == view.slices[0].title)
    bucket = by_length["metrics"][view.sliced.name]["2"]["scores"]
    names = view._label_triple(view.sliced)
    width = len(PRF) + 1
    start = 2 + width * view.lead + 1
    row = next(row for row in slices.rows if row[0] == "2 words")
    assert [*row[start : start + 3]] == [bucket[each] for each in names]
    mended = [table.title for table in view.tables(["mending"])]
    assert mended[0].startswith(f"{metric if metric in ('strict', 'semeval') else 'fair'} ")


@pytest.mark.parametrize("primary", ["fair.f", "ser"])
@pytest.mark.parametrize("confidence", [None, FEW])
def test_the_table_of_systems_has_the_best_first_with_what_each_fixes_and_breaks(primary, confidence):
    view, made = ranked("fair", "strict", "slot_error", primary=primary, confidence=confidence)
    (table,) = view.ranked_systems("may ship", {"half": "yes", "wordy": "no"})
    metric, score = view.primary
    values = {one.name: evaluate(one.counts)["metrics"][metric]["scores"][score] for one in made}
    order = sorted(values, key=lambda name: values[name], reverse=view.score.higher_is_better)
    assert [row[0] for row in table.rows] == order
    assert [ask["one"] for ask in table.asks] == [*map(view.names.index, order)]
    right = [[{*d.gold} & {*d.pred} for d in one.documents] for one in made]
    for name, own, difference, fixes, breaks, ships in table.rows:
        k = view.names.index(str(name))
        assert (own.value if isinstance(own, Estimate) else own) == values[name]
        assert ships == {"pieces": "baseline", "half": "yes", "wordy": "no"}[name]
        if not k:
            assert [difference, fixes, breaks] == [None] * 3
            continue
        shown = difference.value if isinstance(difference, Estimate) else difference
        assert shown == pytest.approx(values[name] - values["pieces"])
        assert number_text(shown) == f"{100 * (values[name] - values['pieces']):+.2f}", "in points, like the scores"
        assert isinstance(difference, Estimate) is bool(confidence)
        assert fixes == sum(len(a - b) for a, b in zip(right[k], right[0]))
        assert breaks == sum(len(b - a) for a, b in zip(right[k], right[0]))
        assert not fixes or fixes.ask == {"one": 0, "other": k, "chosen": [0]}
        assert not breaks or breaks.ask == {"one": 0, "other": k, "chosen": [1]}
    assert [*ReportView([made[0]]).ranked_systems()] == []
    degree = "highest" if view.score.higher_is_better else "lowest"
    leading = "is better than pieces by " if confidence else f"has the {degree} {sentence_name(view.metric, score)}, "
    assert view.ranking_sentence.startswith(f"{order[0]} {leading}")


def test_the_primary_score_decides_who_leads():
    leads = {name: ranked("fair", "strict", "slot_error", primary=name)[0].lead for name in ("fair_f", "strict_p")}
    assert leads["fair_f"] != leads["strict_p"]


def test_the_three_errors_that_repeat_most_are_named_with_their_documents():
    texts = ["Ada"] * 4 + ["Bob"] * 3 + ["Eve"] * 2 + ["Dan"] * 2
    made = system("one", *(Document([(0, 3, "PER")], [], f"{word} left") for word in texts))
    sentence = "Ada, missed: PER (4 times); Bob, missed: PER (3 times); Eve, missed: PER (2 times)"
    assert said("groups", made) == (f"the errors that repeat most: {sentence}", [*range(9)])
    once = system("one", Document([(0, 3, "PER")], [], "Ada"))
    assert said("groups", once) == ("no error repeats on the same words", [])
    assert said("groups", PERFECT) == ("there are no errors", [])


def test_what_repeats_is_told_first_where_no_label_is_predicted_too_often_or_too_rarely():
    missed = [(4 * k, 4 * k + 3, "PER") for k in range(12)]
    for pred, first in (([], "rates"), ([*missed[:-1], (44, 47, "ORG")], "groups")):
        view = ReportView([system("one", Document(missed, pred, "Ada " * 12))])
        assert [each.section for each in view.story_of(0)] == [first, *{"rates", "groups"} - {first}]


def test_rows_of_repeated_errors_ask_for_the_errors_behind_them():
    documents = [Document([(0, 3, "PER")], [], f"{word} left") for word in ("Ada", "Bob", "Bob")]
    view = ReportView([system(name, *documents) for name in ("one", "two")])
    for number, table in enumerate(view.tables(["groups"])):
        assert [row[:3] for row in table.rows] == [["Bob", "missed: PER", 2]]
        (ask,) = table.asks
        system_number, title, members = view.lists[ask["group"]]
        assert (ask["one"], system_number, title) == (number, number, "Bob: missed: PER")
        assert [member.document for member in members] == [1, 2]


def test_doubtful_gold_is_shown_with_what_speaks_against_it():
    golds: list[Any] = [[(0, 4, "ORG")], [(0, 4, "ORG")], [(0, 4, "LOC")]]
    made = system("a", *(Document(gold, [(0, 4, "X")], "Acme", id=f"n{k}") for k, gold in enumerate(golds)))
    (table,) = tables("gold", made)
    assert table.rows == [["n2", "Acme", "LOC", "gold label ORG 2 times for these words, LOC 1 (in n0, n1)"]]
    assert table.asks == [{"document": 2}]
    assert said("gold", made) == ("1 possible gold error", ["n2"])
    assert said("doubt", made) == ("partly gold: in 1 of 3 errors (33 %) gold contradicts itself", ["n2"])
    assert said("gold", PERFECT) == ("no evidence against the gold annotation", [])
    view = ReportView([made])
    assert view.ask_errors_in_doubt(view.lead) == {"one": 0, "group": len(view.lists) - 1}


def test_each_document_is_judged_once_for_all_tables_and_sentences_but_mending():
    judged = []
    judge = FAIR.judge
    fair = replace(FAIR, judge=lambda group: judged.append(group) or judge(group))
    documents = [Document([(0, 3, "A")], [(0, end, "A")], "Adam", id="d") for end in (2, 4)]
    made = [System(name, count([each], [fair]), [each]) for name, each in zip("ab", documents)]
    judged.clear()
    view = ReportView(made)
    assert view.findings() and [*view.tables([name for name in view.makers if name != "mending"])]
    assert len(judged) == 2 + 2, "each document once, and for the groups of errors each shape of an overlap group"


# Charts


def test_a_chart_without_values_is_not_there():
    def drawn(*documents: Document) -> set[str]:
        return {*all_charts(ReportView([system("a", *documents, metrics=["fair"])]))}

    assert drawn(Document([], [], "")) == set()
    assert drawn(Document([(0, 1, "A")], [(0, 1, "A")], "a")) == {"scores", "labels"}
    divided = Document([(0, 1, "A"), (2, 5, "A")], [(0, 1, "A"), (2, 5, "A")], "a b c")
    assert drawn(divided) == {"scores", "labels", "eLen", "position"}
    assert drawn(Document([(0, 1, "A")], [], "a")) >= {"errors"}


def test_the_dots_are_the_scores_for_which_higher_is_better():
    view = ReportView([small()], confidence=FEW)
    values = all_charts(view)["scores"]["data"]["values"]
    assert {dot["name"] for dot in values} >= {"strict", "semeval exact", "fair", "wrf"}
    assert not {"slot_error ser", "slot_error err", "loio tp"} & {dot["name"] for dot in values}
    own = view.results[0]["metrics"]["fair"]
    fair = {dot["mark"]: dot for dot in values if dot["name"] == "fair"}
    assert {mark: dot["value"] for mark, dot in fair.items()} == {x: 100 * own["scores"][x] for x in "prf"}
    bounds = own["intervals"]["scores"]["f"]
    assert (fair["f"]["low"], fair["f"]["high"]) == (100 * bounds["low"], 100 * bounds["high"])
    assert fair["f"]["least"] == min(dot["value"] for dot in fair.values())
    assert "low" not in fair["p"]


def test_a_score_that_is_cut_off_at_zero_has_no_dot():
    document = Document([(0, 1, "A")], [(2, 3, "A"), (4, 5, "A")], "a b c")
    values = all_charts(ReportView([system("a", document, metrics=["slot_error", "fair"])]))["scores"]["data"]["values"]
    assert {dot["name"] for dot in values} == {"fair"}


@pytest.mark.parametrize("primary", ["fair.f", "strict.f", "wrf"])
def test_the_primary_score_comes_first_and_larger_in_its_chart(primary):
    view = ReportView([small(), small(SECOND, "b")], asked=Hypotheses(primary=primary))
    spec = all_charts(view)["scores"]
    (first, *_), rest = spec["data"]["values"], [each for each in spec["data"]["values"] if each["order"]]
    assert first["order"] == 0 and first["name"] == view.metric.name and first["primary"]
    assert rest and not any("primary" in each for each in rest)
    (size,) = (layer["encoding"]["size"] for layer in spec["layer"] if "size" in layer["encoding"])
    assert size["condition"]["value"] > size["value"] and size["condition"]["test"] == "datum.primary"


@pytest.mark.parametrize("number", [1, 4])
def test_a_tall_chart_has_its_axis_at_the_top_too(number):
    made = [small(FIRST, f"s{k}") for k in range(number)]
    spec = all_charts(ReportView(made))["scores"]
    axes = [layer["encoding"]["x"].get("axis") for layer in spec["layer"]]
    sides = [axis.get("orient", "bottom") for axis in axes if axis]
    assert sides == ["bottom", "top"][: 1 + (spec["height"] > TALL)] and (spec["height"] > TALL) is (number == 4)


def test_charts_are_valid_though_a_report_does_not_check_them():
    found = all_charts(ReportView([small()]))
    for name, draw in (("scores", score_chart), ("errors", error_chart)):
        spec = draw(found[name]["data"]["values"], ["first"])
        assert alt.LayerChart.from_dict(spec).to_dict()["layer"]
        assert "url" not in json.dumps(spec["layer"])


def test_the_bars_have_every_error_and_its_share():
    values = all_charts(ReportView([small()]))["errors"]["data"]["values"]
    assert {row["name"]: row["shown"] for row in values}["missed"] == "2  (40 %)"
    assert "correct" not in {row["name"] for row in values}
    assert sum(row["n"] for row in values) == 5


# The command: what it takes, what the page says first, and what is refused


FILES = ("gold.jsonl", "pred.jsonl")
MANY = ("many.jsonl", "first.jsonl", "second.jsonl")
RESAMPLED = ("-C", "--samples", 20, "--trials", 200, "-m", "strict,slot_error")
LONG = [line(f"{'x ' * k}Ada", (2 * k, 2 * k + 3, "PER")) for k in range(80)]


@pytest.fixture
def here(here) -> Path:
    """With documents of two sources, sentences without marks, and documents of one to eighty words."""
    for name, documents in (("sourced", MANY_DOCUMENTS), ("other-sourced", second(MANY_DOCUMENTS))):
        rows = [line(d.text or "", *d.pred, id=d.id, meta={"source": k // 2}) for k, d in enumerate(documents)]
        write(here / f"{name}.jsonl", *rows)
    (here / "both.conll").write_text("Ada B-PER B-PER\nis O O\n\n" * 40)
    write(here / "long.jsonl", *LONG)
    write(here / "long-pred.jsonl", line("Ada", (0, 2, "PER")), *LONG[1:])
    return here


def reported(*arguments: Any) -> Parsed:
    accepted("report", *arguments, "-o", "r.html")
    return Parsed(Path("r.html").read_text(encoding="utf8"))


def test_the_command_writes_a_report_with_the_library_of_charts(here, library):
    before = {*here.iterdir()}
    assert accepted("report", *FILES, "-o", "r.html") == "✔ Report in r.html\n"
    found = Parsed((here / "r.html").read_text(encoding="utf8"))
    assert "pred against gold" in found.text and library() in found.raw["script"]
    assert [document[1] for document in found.data["documents"]] == [row["text"] for row in GOLD]
    assert {*here.iterdir()} - before == {here / "r.html"}


def test_the_command_takes_several_systems_metrics_intervals_and_a_title(here):
    title = ("--title", "A <b> title", "--metrics", "strict,loio", "--loio.s", "0.5")
    found = reported(*FILES, "other.jsonl", *title, "--confidence", "--samples", "20", "--name", "a", "--name", "b")
    assert "A <b> title" in found.text
    assert found.data["systems"] == ["a", "b"]
    assert [metric["name"] for metric in found.data["metrics"]] == ["strict", "fair"]
    assert "loio:s=0.5" in found.text
    assert "Intervals: 95 %, from a jackknife over 4 documents." in found.text
    assert "Only 4 documents, effectively 2.9: with fewer than 20, scores say little." in found.text


@pytest.mark.parametrize("repair", ["conll", "discard"])
def test_repaired_spans_are_told_of_each_system(here, repair):
    files = {"gold": "a B-A\nb O\nc B-A\n", "one": "a B-A\nb O\nc I-A\n", "two": "a I-A\nb O\nc I-A\n"}
    for name, text in files.items():
        Path(f"{name}.iob").write_text(f"{text}\nx B-A\ny I-A\n")
    text = reported(*(f"{name}.iob" for name in files), "--repair", repair).text
    assert "1 span repaired" in text
    assert "2 spans repaired" in text


def test_what_training_shows_is_a_slice(here):
    data = reported(*FILES, "--train", "gold.jsonl").data
    titles = [each["title"] for each in data["slices"]]
    assert titles[3:] == ["Frequency in training", "Share of its occurrences in training with this label"]
    for each in data["slices"]:
        for document, sides in zip(data["documents"], each["of"]):
            assert [3 * len(side) for side in sides] == [len(document[2]), len(document[3][0])]


def test_attributes_that_are_asked_for_come_first(here):
    data = reported("long.jsonl", "long-pred.jsonl", "--by", "sLen:2,40,eLen:2").data
    titles = [each["title"] for each in data["slices"]]
    assert titles == ["sLen: words in the document", "Words in the span", "Capitals", "Place in the text"]
    assert len(data["slices"][0]["buckets"]) == 3
    numbers = [of[0] for of in data["slices"][0]["of"]]
    assert numbers == sorted(numbers) and len({*numbers}) == 3


def test_a_conll_file_may_hold_both_sides(here):
    Path("sides.conll").write_text("Ada B-PER B-PER\nmet O O\nBob B-PER O\n")
    found = reported("sides.conll")
    assert Counter(v for v, _, _ in decoded(found.data, 0, "fair")) == {"tp": 1, "fn": 1}
    assert found.data["systems"] == ["sides"]


# Comparisons


@pytest.mark.parametrize("primary", ["fair.f", "slot_error.ser"])
def test_the_sentence_on_the_primary_score_comes_first(here, primary):
    asked = () if primary == "fair.f" else ("--primary", primary)
    text = reported(*MANY, *RESAMPLED, *asked).text
    compared = ("--trials", 200, "-m", "strict,slot_error,fair", "--primary", primary, "-o", "c.json")
    accepted("compare", *MANY, *compared)
    rows = json.loads(Path("c.json").read_text("utf8"))["comparisons"]
    (said,) = (row["verdict"] for row in rows if f"{row['metric']}.{row['score']}" == primary)
    expected = {"fair.f": "not settled: between", "slot_error.ser": "in this score the outputs differ in 5 documents"}
    assert said.startswith(expected[primary])
    score = {"fair.f": "higher fair F", "slot_error.ser": "lower slot error rate"}[primary]
    assert text.index(f" has the {score}; {said}.") < text.index("24 documents, ")


def test_a_margin_and_secondary_scores_are_those_asked_for(here):
    text = reported(*MANY, *RESAMPLED, "--margin", 40, "--secondary", "strict.p,strict.r").text
    assert "; the same within 40 points." in text
    assert "the primary score, fair F (1 test); the secondary scores (2 tests)" in text
    assert "primary family of 1 test, secondary family of 2 tests" in text


def test_units_are_called_what_they_are(here):
    text = reported("sourced.jsonl", *MANY[1:], *RESAMPLED, "--unit", "meta.source").text
    assert "jackknife over 12 units (meta.source)." in text
    assert "paired permutation test over 12 units" in text
    assert "⚠ Only 12 units" in text
    assert "unit meta.source, 12 units (effectively" in text
    assert "jackknife over 20 blocks (block:auto)." in reported("both.conll", *RESAMPLED[:3], *RESAMPLED[5:]).text
    assert "jackknife over 24 documents." in reported(*MANY, *RESAMPLED).text


def test_each_system_beside_the_first_has_a_sentence():
    documents = corpus(24)
    sides = [documents, second(documents), [Document(d.gold, d.gold, d.text, id=d.id) for d in documents]]
    systems = [system(name, *own, metrics=["fair"]) for name, own in zip("abc", sides)]
    text = Parsed(page(systems, confidence=Confidence(samples=20), trials=200)).text
    assert "b against a: fair F " in text and "; not settled: " in text
    assert "; c scores higher than a on similar texts, by " in text
    assert "the primary score, fair F (2 tests)" in text
    assert "c is better than a by " in text and "highest" not in text


# Refusals

REFUSED = [
    ([*FILES, "pred.jsonl"], "pred.jsonl is given twice"),
    ([*FILES, "-o", "no/r.html"], "there is no directory no"),
    ([*FILES, "-o", "gold.jsonl"], "gold.jsonl is an input"),
    ([*FILES, "--name", "x", "--name", "y"], "--name: 2 given for 1 system"),
    ([*FILES, "--samples", "5"], "--samples is given without --confidence"),
    (["gold.jsonl", "--fair.beta", "1"], "predictions to score against gold.jsonl are missing"),
    ([*FILES, "--by", "nope"], "there is no attribute 'nope'"),
    ([*FILES, "--by", "eFre"], "eFre needs training data"),
    (["long.jsonl", "long-pred.jsonl", "--by", "sLen:60"], "--by sLen:60 makes 60 buckets; a report shows at most 36"),
    ([*MANY, "--primary", "fair.f"], "--primary is given without --confidence"),
    ([*MANY[:2], "-C", "--margin", 1], "--margin is given, but there are no two systems to compare"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_the_command_refuses_in_one_line_and_leaves_nothing(here, arguments, said):
    before = {*here.iterdir()}
    assert said in refused("report", *arguments, *([] if "-o" in arguments else ["-o", "r.html"]))
    assert {*here.iterdir()} == before


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_libraries_for_charts_the_extra_is_named(here, library, monkeypatch, missing):
    library.cache_clear()
    monkeypatch.setitem(sys.modules, missing, None)
    assert 'python -m pip install ".[report]"' in refused("report", *FILES, "-o", "r.html")
    assert not (here / "r.html").exists()


def test_a_report_that_fails_leaves_the_old_one(here, monkeypatch):
    (here / "r.html").write_text("old")
    monkeypatch.setattr("spacy_nereval.features.report.report_page.page", lambda *_, **__: "new \ud800")
    with pytest.raises(AssertionError):
        reported(*FILES)
    assert (here / "r.html").read_text() == "old"
    assert not [path for path in here.iterdir() if path.name.startswith(".")]
