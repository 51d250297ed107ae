"""The view of one system at both doors: its findings, its first screen, and the words of scores and verdicts."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commands import Row, accepted, flat, line, printed, refused, run, tables_in, write
from made_up import corpus
from places import ROOT
from refusals import refused_with

from spacy_nereval import Confidence, Document, Result, Span, count, create, create_all, evaluate, score
from spacy_nereval.authoring import Metric, Score, Verdict, Wording, one_each
from spacy_nereval.cli.printing import fold_signature, wrap_line
from spacy_nereval.core.wording import HIT
from spacy_nereval.evaluation.error_groups import error_groups
from spacy_nereval.evaluation.error_list import error_list, is_error
from spacy_nereval.metrics.registry import names
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.declared import score_groups
from spacy_nereval.reporting.formats import csv_text, json_text
from spacy_nereval.reporting.marked_text import mark_excerpt, mark_row
from spacy_nereval.reporting.result_table import Cost, ResultTable
from spacy_nereval.reporting.score_view import NO_CLEAR_RATE, ScoreView
from spacy_nereval.reporting.terminal import display_width, render
from spacy_nereval.reporting.verdict_tables import MOST_GROUPS

TEXT = "the Navy met the Navy in Rome"
NAVY, THE_NAVY, AGAIN, THE_AGAIN, ROME = (4, 8), (0, 8), (17, 21), (13, 21), (25, 29)
DOCUMENTS = [
    Document([(*NAVY, "ORG"), (*AGAIN, "ORG"), (*ROME, "LOC")], [(*THE_NAVY, "ORG"), (*THE_AGAIN, "ORG")], TEXT),
    Document([(*NAVY, "ORG"), (*ROME, "LOC")], [(*THE_NAVY, "ORG"), (*ROME, "ORG")], TEXT),
]
"""Three times "the" too much, one missed span, one wrong label."""


def evaluated(documents: list[Document], *metrics: str, confidence: Confidence | None = None, **how: Any) -> ScoreView:
    chosen = create_all(list(metrics))
    counts = count(documents, chosen, units=confidence is not None)
    found = error_groups(documents, chosen[0], by=("surface", "slip"))
    return ScoreView(counts, evaluate(counts, confidence), groups=found, **how)


SENTENCE = "Ada Lovelace met Bob in Rome"
ADA, BOTH, BOB, IN_ROME = (0, 3, "PER"), (0, 12, "PER"), (17, 20, "PER"), (24, 28, "LOC")
RIGHT = [Document([BOTH, BOB], [BOTH, BOB], SENTENCE, id=f"r{k}") for k in range(3)]
NESTING = [ADA, BOTH, IN_ROME, (17, 20, "ORG")], [BOTH, (0, 12, "ORG"), IN_ROME]
NESTED = [Document(*NESTING, SENTENCE, id=f"n{k}") for k in range(4)]
METRICS = ["strict", "fair", "slot_error"]

CASES: dict[str, tuple[list[Document], list[str], Confidence | None]] = {
    "many": (corpus(30), METRICS, None),
    "many, with intervals": (corpus(30), METRICS, Confidence(samples=50)),
    "few": (DOCUMENTS, METRICS, None),
    "no errors": (RIGHT, METRICS, None),
    "nested": (NESTED, METRICS, Confidence(samples=20)),
    "no verdicts of errors": (corpus(20), ["wrf", "loio"], None),
    "semeval": (corpus(20), ["semeval"], None),
}


@pytest.fixture(params=CASES)
def doors(request, tmp_path) -> SimpleNamespace:
    """One corpus at both doors: the command, and the result in Python."""
    documents, metrics, confidence = CASES[request.param]
    sides: list[list[Row]] = [[], []]
    for d in documents:
        tokens = [{"start": start, "end": end} for start, end in d.tokens or ()]
        more = {name: value for name, value in (("id", d.id), ("tokens", tokens)) if value}
        for side, spans in zip(sides, (d.gold, d.pred)):
            side.append(line(d.text or "", *spans, **more))
    files = [write(tmp_path / f"{name}.jsonl", *side) for name, side in zip(("gold", "pred"), sides)]
    more = ("-C", "--samples", confidence.samples) if confidence else ()
    command = ("score", *files, "-m", ",".join(metrics), *more)
    return SimpleNamespace(command=command, result=score(*sides, metrics, confidence))


@pytest.mark.parametrize(("ending", "format"), [("md", "markdown"), ("tex", "latex"), ("csv", "csv")])
def test_files_of_python_are_what_the_command_prints(doors, tmp_path, ending, format):
    doors.result.save(tmp_path / f"r.{ending}")
    assert (tmp_path / f"r.{ending}").read_text("utf8") == printed(*doors.command, "-t", "all", "-f", format)


def test_python_prints_what_the_command_prints(doors):
    tables = ",".join(Result.summarised)
    assert flat(doors.result.summary()) == flat(printed(*doors.command, "-t", tables))


def test_a_notebook_shows_what_the_command_prints(doors):
    page = printed(*doors.command, "-t", ",".join(Result.summarised), "-f", "html")
    body = page.partition("<body>")[2].partition("</body>")[0].split("\n")
    assert {*body} - {""} and {*body} - {""} <= {*doors.result._repr_html_().split("\n")}


def test_frames_have_the_numbers_of_the_json(doors):
    pytest.importorskip("pandas", reason="frames are made with pandas, of the extra `frame`")
    metrics = {metric.name: metric for metric in doors.result.counts.metrics}
    for table in ("scores", "other-scores", "label-scores", "other-label-scores"):
        for row in doors.result.to_frame(table).to_dict("records"):
            metric = metrics[row["metric"].partition(" ")[0]]
            own = doors.result["metrics"][metric.name]
            bounds = own.get("intervals", {})
            if "label" in row:
                own, bounds = own["per_type"][row["label"]], bounds.get("per_type", {}).get(row["label"], {})
            else:
                bounds = bounds.get("scores", {})
            names = {"value": row.get("score")}
            if "P" in row:
                (triple,) = (g for g in score_groups(metric, [*own["scores"]]) if g.name == row["metric"])
                names = dict(zip("PRF", triple.scores))
            wanted = {column: own["scores"][name] for column, name in names.items()}
            for column, name in names.items():
                if f"{column} low" in row and bounds.get(name):
                    wanted |= {f"{column} {end}": bounds[name][end] for end in ("low", "high")}
            assert {column: None if row[column] != row[column] else row[column] for column in wanted} == wanted


# Findings


def finding(view: ScoreView, section: str) -> tuple[str, list[str | int]]:
    (found,) = (each for each in view.findings() if each.section == section)
    return found.sentence, [*found.documents]


@pytest.mark.parametrize("metrics", [("fair",), ("strict",), ("semeval",), ("slot_error",)], ids=str)
def test_the_most_frequent_errors_name_the_documents_that_have_them(metrics):
    documents = corpus(30)
    view = evaluated(documents, *metrics)
    (metric,) = view.evaluation.counts.metrics
    kinds: dict[str, list[str | None]] = {}
    for document in documents:
        for verdict in (verdict for verdict in metric.verdicts(document) if is_error(metric, verdict)):
            words = metric.words.get(verdict.name)
            kinds.setdefault(words.kind if words else verdict.name, []).append(document.id)
    most = max(kinds, key=lambda kind: len(kinds[kind]))
    sentence, named = finding(view, "errors")
    assert f"({len(kinds[most])} of {sum(map(len, kinds.values()))})" in sentence
    assert named == [d.id for d in documents if d.id in kinds[most]]
    assert sentence in view.opening()[0]


def test_the_lowest_label_is_one_that_is_no_rarity_if_there_is_such():
    spans = [(3 * k, 3 * k + 2, "COMMON") for k in range(12)]
    documents = [Document([*spans, (40, 42, "RARE")], spans[:6], "x" * 50), Document([], [], "x")]
    assert finding(evaluated(documents, "fair"), "labels") == ("COMMON scores lowest: F 66.67 on 12 gold spans", [0])
    assert finding(evaluated(documents, "slot_error"), "labels")[0].startswith("COMMON scores highest: ser 50.00")
    alone = [Document([(0, 2, "RARE")], [(0, 2, "RARE")], "xx")]
    assert finding(evaluated(alone, "fair"), "labels")[0] == "RARE is the only label: F 100.00 on 1 gold span"
    assert finding(evaluated([Document([], [], "")], "fair"), "labels") == ("no label has gold spans", [])
    few = evaluated(documents, "fair", confidence=Confidence(samples=20))
    assert finding(few, "labels") == ("every label rests on too few units to be ranked", [])


def test_a_label_is_predicted_too_often_or_too_rarely_if_it_has_spans_enough():
    often = [(3 * k, 3 * k + 2, "OFTEN") for k in range(12)]
    rare = [(40, 42, "RARE"), (44, 46, "RARE")]
    extra = [(50 + 3 * k, 52 + 3 * k, "OFTEN") for k in range(9)]

    def said(*pred: Any) -> tuple[str, list[str | int]]:
        document = Document([*often, *rare], pred, "x y " * 30, id="a")
        return finding(evaluated([Document([], [], "x", id="b"), document], "fair"), "rates")

    assert said(*often, *extra) == ("OFTEN is predicted 21 times for 12 gold spans", ["a"])
    assert said(*often[:6], *rare) == ("OFTEN is predicted only 6 times for 12 gold spans", ["a"])
    assert said(*often, *rare * 3) == (NO_CLEAR_RATE, [])
    assert said()[0] == "OFTEN is predicted 0 times for 12 gold spans"


def test_of_several_labels_that_with_the_greatest_difference_is_named_on_either_side():
    labels = {"A": (12, 6), "B": (20, 2), "C": (12, 3), "D": (12, 18), "E": (12, 40), "F": (20, 30)}
    gold, pred = ([(k, k + 1, name) for name, n in labels.items() for k in range(n[side])] for side in (0, 1))
    sentence, _ = finding(evaluated([Document(gold, pred, "x" * 50)], "fair"), "rates")
    assert sentence == "E is predicted 40 times for 12 gold spans, B is predicted only 2 times for 20 gold spans"


def test_confused_labels_name_their_documents():
    documents = [Document([IN_ROME], [(24, 28, "ORG")], SENTENCE, id=f"c{k}") for k in range(2)] + RIGHT
    assert finding(evaluated(documents, "fair"), "confusion") == ("ORG is predicted for LOC 2 times", ["c0", "c1"])
    assert finding(evaluated(RIGHT, "fair"), "confusion") == ("no label is predicted for another", [])


def test_names_in_sentences_are_readable_and_have_their_own_direction():
    label = "\u05d0\u05d1\x1b"
    documents = [Document([(0, 1, "A" * 60)], [(0, 1, label)], "xx")]
    sentence, _ = finding(evaluated(documents, "fair"), "confusion")
    assert sentence == f"\u2068\u05d0\u05d1\\x1b\u2069 is predicted for {'A' * 47}… once"


def test_collapsed_counts_have_findings_without_documents(tmp_path: Path):
    for name, spans in (("gold", [BOTH, IN_ROME]), ("pred", [BOTH])):
        write(tmp_path / name, *(line(SENTENCE, *spans, id=str(k)) for k in range(8)))
    files = (tmp_path / "gold", tmp_path / "pred", "-o", tmp_path / "c.npz")
    accepted("count", *files, "--format", "jsonl", "--collapse", "-m", "fair")
    result = score(tmp_path / "c.npz")
    found = ScoreView(result.counts, result).findings()
    assert found[1].sentence == "most frequent errors: missed spans (8 of 8)"
    assert not any(each.documents for each in found)


# The first screen


GOLD, BASELINE, IMPROVED = (ROOT / "examples" / f"{name}.jsonl" for name in ("gold", "baseline", "improved"))
SCORE = ("score", GOLD, BASELINE)
COMPARE = ("compare", GOLD, BASELINE, IMPROVED)

OPENINGS = [
    (("strict", "fair"), "fair F "),
    (("semeval",), "semeval exact F "),
    (("strict",), "strict F "),
    (("slot_error",), "slot error rate 100.00; most frequent errors: wrong boundaries (3 of 5)"),
    (("loio",), "loio F "),
    (("wrf",), "wrf "),
    (("char",), "char F "),
]


@pytest.mark.parametrize(("metrics", "start"), OPENINGS)
def test_every_metric_can_stand_for_the_result(metrics, start):
    first, *others = evaluated(DOCUMENTS, *metrics).opening()
    assert first.partition(": ")[2].startswith(start)
    assert len(others) == (1 if metrics in (("strict", "fair"), ("semeval",)) else 0)


def test_the_average_that_is_asked_for_is_named():
    given = evaluated(DOCUMENTS, "fair", "strict", average="macro")
    macro = [given.evaluation.result["metrics"][name]["averages"]["macro"]["f"] for name in ("fair", "strict")]
    first, others = given.opening(digits=1)
    assert first.partition(": ")[2].startswith(f"fair F (macro) {100 * macro[0]:.1f}; ")
    assert others == f"Also (macro): strict {100 * macro[1]:.1f}"


def test_labels_of_a_metric_without_precision_have_its_own_score():
    (table,) = evaluated(DOCUMENTS, "slot_error").tables(["headline"])
    assert [*table.header] == ["label", "support", "predicted", "ser"]
    assert table.heading == "Labels (slot error rate; ↓ lower is better)"
    assert [*evaluated([Document([], [], TEXT)], "fair").tables(["headline"])] == []


def test_errors_that_repeat_are_listed_with_their_first_example():
    (table,) = evaluated(DOCUMENTS, "fair").tables(["groups"])
    words = [["Navy", "longer than gold: ORG"], ["the", "added at the start"]]
    assert table.rows == [[3, 2, *row, "{the [Navy]} met the Navy in Rome"] for row in words]
    assert table.most == MOST_GROUPS
    shorter = [Document([(*THE_NAVY, "ORG")], [(*NAVY, "ORG")], TEXT)] * 2
    assert [*evaluated(shorter, "fair").tables(["groups"])][0].rows[1][2:4] == ["the", "missing at the start"]
    labels = [Document([(*ROME, "LOC")], [(*ROME, "ORG")], TEXT)] * 2
    (table,) = evaluated(labels, "semeval").tables(["groups"])
    assert table.rows[0][:4] == [2, 2, "Rome", "label error: LOC as ORG"]


def test_an_example_is_marked_in_a_row_as_in_its_document():
    (metric,) = create_all(["fair"])
    for listed in error_list([*DOCUMENTS, *corpus(24)], metric, errors=["all"]):
        for context in (14, 40):
            text = mark_excerpt(listed.document.text, listed.verdict.gold, listed.verdict.pred)
            assert mark_row(listed.row(context + 20)) == text
    without = Document([(*ROME, "LOC")], [])
    (listed,) = error_list([without], metric)
    assert mark_row(listed.row()) == ""


@pytest.mark.parametrize(
    ("pieces", "marked"),
    [
        ([(3, 7), (18, 27)], "No {[left] and}…[knee pain]"),
        ([(0, 2), (8, 11), (18, 22)], "[No]…{left [and]}…[knee] pain"),
    ],
)
def test_each_piece_of_a_span_is_marked_with_its_own_words(pieces, marked):
    document = Document([Span.of_pieces(pieces, "SIGN")], [(3, 11, "SIGN")], "No left and right knee pain")
    (row,) = score([document], "strict").errors()
    assert mark_row(row) == marked


def test_counts_and_numbered_tokens_have_no_repeated_errors(tmp_path):
    accepted("count", *SCORE[1:], "-o", tmp_path / "c.npz", "-m", "fair")
    printed = accepted("score", tmp_path / "c.npz")
    assert [title.split(" (")[0] for title in tables_in(printed)] == ["Labels", "Verdicts"]
    assert "keeps no texts" in refused("score", tmp_path / "c.npz", "-t", "groups")
    assert "Repeated" not in accepted("score", tmp_path / "c.npz", "-t", "all")
    rows = "LOC\t1\t1\t1\n\nLOC\t1\t1\t1\n\n"
    (tmp_path / "gold.csv").write_text(rows)
    (tmp_path / "pred.csv").write_text(rows.replace("LOC", "ORG"))
    printed = run("score", tmp_path / "gold.csv", tmp_path / "pred.csv", "-f", "faireval").stdout
    assert [title.split(" (")[0] for title in tables_in(printed)] == ["Labels", "Verdicts"]


def test_the_examples_fit_one_screen():
    printed = accepted(*SCORE, env={"COLUMNS": "80"}).splitlines()
    assert len(printed) <= 40 and max(map(display_width, printed)) <= 80


def test_what_is_piped_is_not_broken_into_lines():
    first, second, *rest = accepted(*SCORE).splitlines()
    assert first.startswith("75 documents, 336 gold spans, 214 predicted spans: fair F 45.28 [")
    assert first.endswith("]; most frequent errors: missed spans (138 of 261)")
    assert second.startswith("Also: strict 39.27, semeval exact 40.36, partial 53.09, type 63.27, ser 77.68 (")
    assert second.endswith(", lower is better), loio 48.85, wrf 57.19; more: --tables all")
    assert "more:" not in accepted(*SCORE, "-t", "headline")
    assert rest[-1].startswith("spacy-nereval|strict:") and "|v" in rest[-1]


def test_a_signature_is_folded_at_its_separators():
    signature = accepted(*SCORE).splitlines()[-1]
    for width in (40, 60, 80):
        lines = fold_signature(signature, width).splitlines()
        assert "".join(lines) == signature and max(map(len, lines)) <= width
    assert fold_signature("a" * 9 + "|b", 4) == "a" * 9 + "|\nb"
    assert wrap_line("x [1.00, 2.00] y", 12) == "x\n[1.00, 2.00]\ny"


RATE = "slot error rate -10.00 [-20.00, -5.00], p (Holm) = 0.0200; V."

SENTENCES = [
    ({}, [f"B against A: {RATE}"]),
    ({"interval": [None, None], "p_holm": None}, ["B against A, slot error rate: V."]),
    ({"verdict": None}, []),
    ({"runs": [2, 3]}, [f"B against A, means of 3 and 2 training runs (few runs: fewer than 5): {RATE}"]),
]


@pytest.mark.parametrize(("more", "said"), SENTENCES)
def test_the_sentence_counts_what_a_score_is_worth_not_only_its_sign(more, said):
    row: dict[str, Any] = {"metric": "slot_error", "score": "ser", "label": None, "system": "B", "verdict": "V"}
    row |= {"score_unit": "ratio", "higher_is_better": False, "runs": [1, 1]}
    row |= {"difference": -0.1, "interval": [-0.2, -0.05], "p": 0.01, "p_holm": 0.02}
    row |= dict.fromkeys(("baseline_value", "value", "detectable")) | more
    result = {"baseline": "A", "swaps": 1000, "exact": False, "comparisons": [row], "transitions": []}
    assert ComparisonView(result | {"confidence": {"level": 0.95}}).opening() == said


WRONG_NAMES = [
    (("--name", "a"), "--name: 1 given for 2 systems ("),
    (("--name", "a", "--name", "a"), "--name 'a': expected a name that no other system has"),
    (("--name", "a", "--name", " "), "--name ' ': expected a name that no other system has"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG_NAMES)
def test_names_that_do_not_fit_the_systems_are_refused(arguments, said):
    assert said in refused(*COMPARE, *arguments)
    runs = "--system", f"A={BASELINE}", "--system", f"B={IMPROVED}"
    assert "--name a is given in addition to --system" in refused("compare", GOLD, *runs, *arguments)


def test_the_verdicts_of_an_error_list_are_explained():
    printed = accepted("errors", *SCORE[1:], "-m", "slot_error", "-n", 1)
    assert "\nd = missed; s_extent = boundary error; i = spurious; s_both = label and boundary error; s_t" in printed
    assert "= " not in accepted("errors", *SCORE[1:], "-m", "char", "-n", 1)


# Words of scores and verdicts, and the confusion with hits


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
    for group in score_groups(metric, [each.name for each in metric.scores]):
        if not group.is_triple:
            assert all(metric.score_by_name[each].meaning for each in group.scores), group


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


def test_words_that_cannot_be_used_are_refused():
    with refused_with(
        ValueError,
        "words has the kind 'odd'; expected one of hit, missed, spurious, boundary, label, both",
    ):
        replace(create("strict"), words={"fp": Wording("odd", "a", "b")})
    with refused_with(
        ValueError,
        "words names the verdict 'x', which no column adds up; the columns add up fn, fp, tp",
    ):
        replace(create("strict"), words={"x": HIT})


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
