"""What the commands print: which tables there are, what is in them, and what is kept out of the way of programs.

Whole outputs are in tests/cli/golden.
"""

import csv
import io
import json
import re
from collections import Counter
from itertools import product

import pytest
from asking import near
from commands import accepted, line, run, write
from hypothesis import given
from made_up import corpus
from profiles import tries
from strategies import corpora
from tabled import ADA, BOB, BOTH, COMPARE, DOCUMENTS, ERRORS, LOVELACE, SCORE, TEXT
from typer.testing import CliRunner

from spacy_nereval import Confidence, Document, Verdict, count, create, create_all, evaluate
from spacy_nereval.cli import nereval
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.error_groups import error_groups
from spacy_nereval.features.leaderboard.datasets_view import DataSetsView
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.formats import render_document
from spacy_nereval.reporting.result_table import Interval, ResultTable
from spacy_nereval.reporting.score_view import ScoreView
from spacy_nereval.reporting.verdict_tables import MANY, NO_SPAN


def test_counts_are_scored_with_the_tables_that_need_no_text(here):
    accepted("count", "gold.jsonl", "pred.jsonl", "-o", "counts.npz")
    found, expected = (json.loads(run(*a, "-t", "all", "-f", "json").stdout) for a in (("score", "counts.npz"), SCORE))
    for row in expected["Error pairs"]:
        del row["document"], row["text"]
    del expected["Repeated errors"]
    assert found == expected


@pytest.mark.parametrize("columns", [60, 80, 140])
@pytest.mark.parametrize("command", [(*SCORE, "-t", "all"), COMPARE, ERRORS])
def test_nothing_but_the_signature_is_wider_than_the_terminal(here, command, columns):
    printed = accepted(*command, env={"COLUMNS": str(columns)})
    headings = [row for row in printed.splitlines() if re.match(r"[A-Z][\w ]+\(", row)]
    for row in printed.splitlines():
        if not row.startswith("spacy-nereval|") and row not in headings:
            assert len(row) <= columns, row


@pytest.mark.parametrize("columns", [60, 70, 80])
def test_a_narrow_terminal_shows_the_marked_spans(here, columns):
    """Whatever else is cut: long labels, long ids, and the text around the spans."""
    text = f"Half of 2 piston rings [sic] for the infotainment system of {'the car ' * 9}"
    start, end = text.index("info"), text.index(" system")
    label, other = "VEHICLE_EQUIPMENT", "VEHICLE_ACCESSORY"
    write(here / "gold.jsonl", line(text, (start, end, label), id="reviews-2023-0000123"))
    write(here / "pred.jsonl", line(text, (start, end, other), id="reviews-2023-0000123"))
    for command in (ERRORS, (*SCORE, "-t", "pairs")):
        printed = run(*command, env={"COLUMNS": str(columns)}).stdout  # that no label is shared is said on stderr
        marked = [row for row in printed.splitlines() if re.search(r"\[\{info?.*?…?m?ent\}\]", row)]
        assert len(marked) == 1, printed
        table = printed.split(")\n\n")[1].split("\n\nspacy-nereval|")[0]
        assert max(map(len, table.splitlines())) <= columns


def test_what_is_piped_is_not_cut(here):
    printed = accepted(*SCORE, "-t", "labels,pairs", "-m", "strict,semeval,loio,fair,wrf")
    assert "…" not in printed.split("Error pairs")[0]
    (header,) = (row for row in printed.splitlines() if row.startswith("label "))
    assert re.split("  +", header)[-2:] == ["fair", "wrf rouge-1"]


@pytest.mark.parametrize(("command", "least"), [((*SCORE, "-t", "all", "-C"), 20), (COMPARE, 4)])
def test_json_has_ratios_where_people_read_percent(here, command, least):
    found = json.loads(run(*command, "-f", "json").stdout)
    ratio = re.compile(r"(P|R|F|strict|fair|baseline|system|difference|detectable|share of \w+)( low| high)?")
    ratios = [value for rows in found.values() for row in rows for name, value in row.items() if ratio.fullmatch(name)]
    assert len([value for value in ratios if value]) >= least
    assert all(-1 <= value <= 1 for value in ratios if value is not None)
    assert not any(name.startswith("%") for rows in found.values() for row in rows for name in row)


@pytest.mark.parametrize("format", ["csv", "json"])
@pytest.mark.parametrize("command", [SCORE, COMPARE, ERRORS])
def test_a_program_gets_the_tables_alone_and_a_person_the_rest(here, format, command):
    result = run(*command, "-f", format)
    assert result.exit_code == 0
    if format == "json":
        json.loads(result.stdout)
    else:
        assert len({len(row) for row in csv.reader(io.StringIO(result.stdout))}) == 1
    terminal = accepted(*command)
    assert "spacy-nereval|" not in result.stdout
    for text in result.stderr.splitlines():
        assert " ".join(text.split()) in " ".join(terminal.split())
    assert result.stderr.strip()


def printed_in(charset: str, *arguments) -> str:
    """What a command prints where the terminal has this encoding."""
    result = CliRunner(charset=charset).invoke(nereval, [*arguments])
    assert result.exit_code == 0
    return result.stdout_bytes.decode(charset if "-f" not in arguments else "utf8")


def test_bars_are_blocks_or_ascii_as_the_encoding_has_it(here):
    for charset, bar in (("utf-8", "████"), ("ascii", "####")):
        (row,) = (row for row in printed_in(charset, *SCORE, "-t", "errors").splitlines() if row.startswith("be_s"))
        assert re.split("  +", row)[-1] == bar


def test_formats_are_written_in_utf_8_whatever_the_terminal_has(here):
    write(here / "gold.jsonl", line("abc", (0, 1, "人")))
    own = ("score", "gold.jsonl", "gold.jsonl")
    for format in ("json", "csv", "markdown", "html", "latex"):
        assert "人" in printed_in("cp1252", *own, "-f", format)
    assert "人" not in printed_in("cp1252", *own)


# What is in the tables: verdicts, pairs, documents, labels, counts and data sets


def made(documents, *wanted: str, metrics=("fair",), confidence=None) -> dict[str, ResultTable]:
    """Tables of documents, by their titles."""
    counts = count(documents, create_all(metrics))
    return {table.title: table for table in ScoreView(counts, evaluate(counts, confidence)).tables(wanted)}


@pytest.mark.parametrize("counted", ["documents", "counts"])
def test_a_gold_span_in_pieces_is_one_of_gold(counted):
    gold = [(0, 9, "A"), (10, 19, "A"), (20, 29, "A"), (30, 39, "A")]
    pieces = [(10 + k, 13 + k, "A") for k in (0, 3, 6)]
    documents = [Document(gold, [gold[0], *pieces, (30, 39, "B"), (40, 49, "A")], "x" * 50)] * 2
    metric = create("fair")
    counts, groups = count(documents, [metric]), error_groups(documents, metric, by=())
    view = ScoreView(counts, evaluate(counts), groups=groups if counted == "documents" else None)
    (table,) = view.tables(["errors"])
    assert {row[0]: (row[2], row[4]) for row in table.rows if row[2]} == {
        "tp": (2, 0.25),
        "be_s": (6, 0.25 if counted == "documents" else None),
        "fn": (2, 0.25),
        "fp": (2, None),
        "le": (2, 0.25 if counted == "documents" else None),
    }


def test_verdicts_of_other_metrics_have_words_too():
    table = made(DOCUMENTS, "errors", metrics=["wrf", "strict"])["Verdicts"]
    shares = {"fp": ["spurious", 4, 0.5, None], "fn": ["missed", 4, 0.5, near(4 / 6)]}
    assert table.rows == [["tp", "correct", 2, None, near(1 / 3)], *([name, *row] for name, row in shares.items())]
    assert table.note == "strict"
    others = made(DOCUMENTS, *ScoreView.makers, metrics=["wrf"])
    assert others.keys().isdisjoint({"Verdicts", "Error pairs", "Confusion matrix"})


def test_a_corpus_without_errors_or_gold_spans_has_no_shares():
    right = made([Document([(*ADA, "PER")], [(*ADA, "PER")], TEXT)], *ScoreView.makers)
    assert right["Verdicts"].rows[0] == ["tp", "correct", 1, None, 1]
    assert {tuple(row[2:]) for row in right["Verdicts"].rows[1:]} == {(0, None, 0), (0, None, None)}
    assert right["Error pairs"].rows == []
    nothing = made([Document([], [], TEXT)], *ScoreView.makers)
    assert {tuple(row[2:]) for row in nothing["Verdicts"].rows} == {(0, None, None)}


@tries(40)
@given(documents=corpora())
def test_all_tables_of_errors_are_sums_of_the_same_verdicts(documents):
    """Counted here from the verdicts themselves."""
    (metric,) = create_all(["fair"])
    verdicts = [verdict for document in documents for verdict in metric.verdicts(document)]
    found = made(documents, "errors", "pairs", "confusion")
    names = Counter(verdict.name for verdict in verdicts)
    assert {row[0]: row[2] for row in found["Verdicts"].rows} == {name: names[name] for name in metric.verdict_names}
    kinds = Counter((v.name, *labels(v)) for v in verdicts if v.name != "tp")
    assert {tuple(row[:3]): row[3] for row in found["Error pairs"].rows} == kinds
    frequent = [row[3] for row in found["Error pairs"].rows]
    assert frequent == sorted(frequent, reverse=True)
    cells = Counter((gold or NO_SPAN, pred or NO_SPAN) for _, gold, pred in kinds.elements())
    header, rows = found["Confusion matrix"].header[1:], found["Confusion matrix"].rows
    assert {(row[0], pred): n for row in rows for pred, n in zip(header, row[1:]) if n} == cells


def labels(verdict: Verdict) -> tuple[str | None, str | None]:
    return verdict.gold and verdict.gold.label, verdict.pred and verdict.pred.label


def test_with_many_labels_the_largest_cells_come_first():
    names = [f"L{k:02}" for k in range(MANY + 1)]
    pairs = [pair for k, pair in enumerate(product(names, names)) for _ in range(k % 3)]
    documents = [Document([(0, 3, a)], [(0, 3, b)], TEXT) for a, b in pairs]
    table = made(documents, "confusion")["Confusion matrix"]
    assert [*table.header] == ["gold", "predicted", "number"]
    assert [row[2] for row in table.rows] == sorted((row[2] for row in table.rows), reverse=True)
    assert {(row[0], row[1]): row[2] for row in table.rows} == Counter(pair for pair in pairs if pair[0] != pair[1])
    assert "the first 20 of" in table.heading
    fewer = [d for d in documents if names[-1] not in (d.gold[0].label, d.pred[0].label)]
    assert len(made(fewer, "confusion")["Confusion matrix"].header) == MANY + 2


def test_the_worst_documents_come_first_and_of_equals_the_longer():
    documents = [
        Document([(*ADA, "PER")], [], TEXT, id="short"),
        Document([(*ADA, "PER"), (*BOB, "PER")], [], TEXT, id="long"),
        Document([(*ADA, "PER")], [(*ADA, "PER")], TEXT, id="right"),
        Document([], [], TEXT, id="empty"),
    ]
    table = made(documents, "documents", metrics=["strict", "slot_error"])["Documents"]
    assert [*table.header] == ["document", "gold", "predicted", "strict", "ser"]
    worst, rest = [["long", 2, 0, 0, 1], ["short", 1, 0, 0, 1]], [["right", 1, 1, 1, 0], ["empty", 0, 0, None, None]]
    assert table.rows == worst + rest
    assert made(documents * 3, "documents")["Documents"].heading == "Documents (the worst first; the first 10 of 12)"


@pytest.mark.parametrize(("number", "note"), [(4, "few units, not to be compared: A, B, C"), (24, "")])
def test_labels_of_few_units_are_named_where_intervals_were_drawn(number, note):
    how = {"metrics": ["strict"]}
    assert made(corpus(number), "labels", **how, confidence=Confidence(samples=20))["Per label"].note == note
    assert made(corpus(number), "labels", **how)["Per label"].note == ""


def test_a_comparison_shows_ratios_in_percent_and_raw_numbers_as_they_are():
    sides = [(*ADA, "PER"), (*LOVELACE, "PER")], [(*BOTH, "PER")]
    cut, whole = ([Document([(*BOTH, "PER")], side, TEXT, id=str(k)) for k in range(8)] for side in sides)
    systems = [System(name, count(side, create_all(["plagdet"]))) for name, side in (("a", cut), ("b", whole))]
    result = comparison(systems, cut)
    (table,) = ComparisonView(result).tables(["all-differences"])
    values = {score: (a, b, gap, bounds) for _, score, a, b, gap, bounds, *_ in table.rows}
    a, b, gap, bounds = values["granularity"]
    assert (a, b, gap) == (2, 1, -1)
    assert isinstance(bounds, Interval) and -1 <= bounds.low <= -1 <= bounds.high <= 1
    assert values["p"][:2] == (1, 1)
    seen = {row[1]: row[2] for row in table.grid()}
    assert (seen["p"], seen["granularity ↓"]) == ("100.00", "2.00")


# Data sets


def found(**more):
    """What is counted over two data sets: B is better in the first, and the second has no test."""
    rows = [
        {"data_set": "news", "difference": 0.1, "interval": [0.02, 0.18], "p_better": 0.001, "p_holm": 0.002},
        {"data_set": "mail", "difference": None, "interval": [None, None], "p_better": None, "p_holm": 1.0},
    ]
    given = {"metric": "strict", "score": "f", "score_unit": "ratio", "higher_is_better": True, "level": 0.95}
    given |= {"baseline": "A", "system": "B", "method": "bonferroni", "least": 1, "number": 2, "p": [0.002, 1.0]}
    return given | {"data_sets": [row | {"differing": 30, "named": k == 0} for k, row in enumerate(rows)]} | more


def test_ratios_are_shown_in_percent_and_what_is_undefined_is_none():
    sets, counts = DataSetsView(found()).tables(DataSetsView.usual)
    news = ["news", 0.1, Interval(0.02, 0.18), 0.001, 0.002, "yes"]
    assert sets.rows == [news, ["mail", None, None, None, 1.0, "no"]]
    assert sets.grid()[1][1:3] == ["10.00", "[2.00, 18.00]"]
    assert counts.rows == [["1 of 2", 0.002, "yes"], ["2 of 2", 1.0, "no"]]


UNITS = [("ratio", False, "10.00"), ("raw", False, "0.10"), ("count", True, "0.10")]


@pytest.mark.parametrize(("unit", "higher", "shown"), UNITS)
def test_the_unit_and_the_direction_are_declared_and_the_metric_need_not_be_registered(unit, higher, shown):
    given = found(metric="of another package", score="x", score_unit=unit, higher_is_better=higher)
    sets, _ = DataSetsView(given).tables(DataSetsView.usual)
    assert (sets.grid()[1][1], sets.note) == (shown, "" if higher else "lower is better")


REASONS = [
    (5, "in this score the outputs differ in 5 units, and a test needs 6"),
    (1, "in this score the outputs differ in 1 unit, and a test needs 6"),
    (6, "the score is undefined there for one of the two"),
    (None, "the score is undefined there for one of the two"),
]


@pytest.mark.parametrize(("differing", "why"), REASONS)
def test_why_there_is_no_test(differing, why):
    given = found()
    given["data_sets"][1]["differing"] = differing
    _, warned = DataSetsView(given).closing()
    assert warned == f"⚠ No test in mail: {why}. It counts as p = 1."


def test_the_footer_says_the_direction_the_method_and_the_level():
    first, *_ = DataSetsView(found()).closing()
    assert "Tested in each data set: B is better than A (one-sided)." in first
    assert "by Bonferroni's method" in first and "Fisher" not in first
    assert "by Fisher's method" in DataSetsView(found(method="fisher")).closing()[0]
    assert DataSetsView(found(level=0.99)).closing()[0].count("at most 1 %") == 2


def test_the_least_p_that_swaps_can_give_is_said_to_be_one():
    given = found(p=[2 / 10001, 1.0])
    given["data_sets"][0] |= {"p_better": 1 / 10001, "p_holm": 2 / 10001, "swaps": 10_000, "exact": False}
    sets, counts = DataSetsView(given).tables(DataSetsView.usual)
    assert sets.grid()[1][3:5] == ["< .0001", "< .0002"]
    assert [row[1] for row in counts.grid()[1:]] == ["< .0002", "1.0000"]
    said = "< before a p-value: the permutations of that comparison cannot show a smaller one."
    assert said in DataSetsView(given).closing()
    in_json = render_document([sets], "json")
    assert json.loads(in_json)[sets.title][0]["p (one-sided)"] == pytest.approx(1 / 10001) and "< ." not in in_json
    for other in ({"exact": True}, {"runs": [3, 3]}, {"p_better": 2 / 10001}):
        changed = found()
        changed["data_sets"][0] |= {"p_better": 1 / 10001, "swaps": 10_000, "exact": False} | other
        assert "before a p-value" not in "".join(DataSetsView(changed).closing())
