"""What the commands print: which tables there are, what is in them, and what is kept out of the way of programs.

Golden files hold whole outputs of a small corpus, 80 columns wide. After a
change that is meant to change one, write them anew with
SPACY_NEREVAL_REGENERATE=1 and read the difference.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from asking import near
from commands import accepted, line, refused, run, write
from hypothesis import given
from laws import law
from made_up import corpus, second
from profiles import tries
from read_back import from_html, from_latex, from_markdown
from strategies import corpora

from spacy_nereval import Confidence, Document, Verdict, count, create_all, evaluate
from spacy_nereval.cli.options import TABLE_FORMATS
from spacy_nereval.cli.options import TABLES as TABLES_OPTION
from spacy_nereval.core.declaration import Kind
from spacy_nereval.core.wording import FAIREVAL
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.error_list import ErrorExamples
from spacy_nereval.evaluation.result import verdict_counts
from spacy_nereval.reporting.comparison import COMPARED, comparison_tables
from spacy_nereval.reporting.evaluated import Evaluated
from spacy_nereval.reporting.result_table import Estimate, Interval, ResultTable
from spacy_nereval.reporting.result_tables import AT_TERMINAL, TABLES, USUAL, tables
from spacy_nereval.reporting.verdict_tables import MANY, NO_SPAN, judging

GOLDEN = Path(__file__).parent / "golden"


def made(documents: list[Document], *wanted: str, metrics: Any = ("fair",), **how: Any) -> dict[str, ResultTable]:
    """Tables of documents, by their titles, with examples."""
    chosen = create_all(metrics)
    counts = count(documents, chosen)
    examples: dict[Any, Any] = {}
    if metric := judging(chosen):
        collector = ErrorExamples(metric)
        for document in documents:
            collector.add(document)
        examples = collector.first
    result = evaluate(counts, how.pop("confidence", None))
    given = Evaluated(counts, result, how.pop("average", "micro"), examples)
    return {table.title: table for table in tables(given, wanted, **how)}


TEXT = "Ada Lovelace met Bob in Rome"
ADA, LOVELACE, BOTH, BOB, ROME = (0, 3), (4, 12), (0, 12), (17, 20), (24, 28)
DOCUMENTS = [
    Document([(*BOTH, "PER"), (*BOB, "PER"), (*ROME, "LOC")], [(*ADA, "PER"), (*BOB, "PER")], TEXT, id="a"),
    Document([(*BOTH, "PER"), (*ROME, "LOC")], [(*LOVELACE, "PER"), (*ROME, "PER")], TEXT),
    Document([(*BOTH, "PER")], [(*BOTH, "PER"), (*BOB, "LOC")], TEXT, id="c"),
    Document([], [], TEXT, id="d"),
]
"""tp 2, be_s 2, fn 1, le 1, fp 1; 6 gold spans."""


# The errors


def test_verdicts_have_their_share_of_the_errors_and_of_the_gold_spans():
    table = made(DOCUMENTS, "errors")["Verdicts"]
    assert table.rows == [
        ["tp", "correct", 2, None, near(100 / 3)],
        ["be_s", "boundary: shorter than gold", 2, 40, near(100 / 3)],
        ["fp", "spurious", 1, 20, near(100 / 6)],
        ["fn", "missed", 1, 20, near(100 / 6)],
        ["le", "label error", 1, 20, near(100 / 6)],
        *([name, FAIREVAL[name].full, 0, 0, 0] for name in ("be_l", "be_o", "lbe")),
    ]
    assert (table.note, table.bars) == ("fair", "% errors")


def test_verdicts_of_other_metrics_have_words_too():
    table = made(DOCUMENTS, "errors", metrics=["wrf", "strict"])["Verdicts"]
    shares = {"fp": ["spurious", 4, 50, near(400 / 6)], "fn": ["missed", 4, 50, near(400 / 6)]}
    assert table.rows == [["tp", "correct", 2, None, near(100 / 3)], *([name, *row] for name, row in shares.items())]
    assert table.note == "strict"
    assert made(DOCUMENTS, *TABLES, metrics=["wrf"]).keys().isdisjoint({"Verdicts", "Error pairs", "Confusion matrix"})


def test_a_corpus_without_errors_or_gold_spans_has_no_shares():
    right = made([Document([(*ADA, "PER")], [(*ADA, "PER")], TEXT)], *TABLES)
    assert right["Verdicts"].rows[0] == ["tp", "correct", 1, None, 100]
    assert {tuple(row[2:]) for row in right["Verdicts"].rows[1:]} == {(0, None, 0)}
    assert right["Error pairs"].rows == []
    nothing = made([Document([], [], TEXT)], *TABLES)
    assert {tuple(row[2:]) for row in nothing["Verdicts"].rows} == {(0, None, None)}


def test_pairs_have_the_most_frequent_first_with_its_first_example():
    rows = [row for row in made(DOCUMENTS, "pairs")["Error pairs"].rows]
    assert rows == [
        ["be_s", "PER", "PER", 2, "a", "[{Ada} Lovelace] met Bob in Rome"],
        ["fn", "LOC", None, 1, "a", "…met Bob in [Rome]"],
        ["fp", None, "LOC", 1, "c", "…velace met {Bob} in Rome"],
        ["le", "LOC", "PER", 1, 1, "…met Bob in [{Rome}]"],
    ]


def test_counts_alone_have_pairs_without_examples():
    counts = count(DOCUMENTS, create_all(["fair"]))
    (table,) = tables(Evaluated(counts, evaluate(counts)), ["pairs"])
    assert [*table.header] == ["verdict", "gold", "predicted", "number"]
    assert table.rows[0] == ["be_s", "PER", "PER", 2]
    assert table.heading == "Error pairs (fair)"


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


@law
@given(corpus=corpora())
def test_the_kinds_are_the_verdicts_and_the_confusion_matrix_is_a_sum_of_them(case, corpus):
    metric = case.metric
    counts = count(corpus, [metric])
    kinds = verdict_counts(counts)[metric.name]
    found = evaluate(counts)["metrics"][metric.name]
    for column, sources in metric.columns.items():
        of_kinds = any(isinstance(source, Kind) for source in sources)
        if (
            column in found["counts"]
            and not metric.distinct
            and not of_kinds
            and not {*sources} & {*metric.partial_credit}
        ):
            total = sum(n for (verdict, *_), n in kinds.items() if verdict in sources)
            if metric.classes:  # a verdict counts for a label or for all labels together, never for both
                total -= sum(own["counts"][column] for own in found["per_type"].values())
            assert total == found["counts"][column]
    if metric.confusion is not None:
        cells: Counter[tuple[str, str]] = Counter()
        for (verdict, gold, pred), n in kinds.items():
            if verdict in metric.confusion:
                cells[gold, pred] += n
        assert {(a, b): n for a, row in found["confusion"].items() for b, n in row.items()} == cells


def test_a_confusion_matrix_has_gold_labels_in_rows():
    table = made(DOCUMENTS, "confusion")["Confusion matrix"]
    assert (table.header, table.rows) == (
        ["gold", "LOC", "PER", NO_SPAN],
        [["LOC", 0, 1, 1], ["PER", 0, 2, 0], [NO_SPAN, 1, 0, 0]],
    )
    assert table.note == "fair, errors only; gold in rows, predicted in columns"
    assert "errors only" not in made(DOCUMENTS, "confusion", metrics=["semeval"])["Confusion matrix"].note


def test_with_many_labels_the_largest_cells_come_first():
    names = [f"L{k:02}" for k in range(MANY + 1)]
    documents = [
        Document([(0, 3, a)], [(0, 3, b)], TEXT) for k, (a, b) in enumerate(product(names, names)) for _ in range(k % 3)
    ]
    table = made(documents, "confusion")["Confusion matrix"]
    assert [*table.header] == ["gold", "predicted", "number"]
    assert [row[2] for row in table.rows] == sorted((row[2] for row in table.rows), reverse=True)
    wanted = {(a, b): k % 3 for k, (a, b) in enumerate(product(names, names)) if k % 3 and a != b}
    assert {(row[0], row[1]): row[2] for row in table.rows} == wanted
    assert "the first 20 of" in table.heading
    fewer = [d for d in documents if names[-1] not in (d.gold[0].label, d.pred[0].label)]
    assert len(made(fewer, "confusion")["Confusion matrix"].header) == MANY + 2


# Documents, labels, counts


def test_the_worst_documents_come_first_and_of_equals_the_longer():
    documents = [
        Document([(*ADA, "PER")], [], TEXT, id="short"),
        Document([(*ADA, "PER"), (*BOB, "PER")], [], TEXT, id="long"),
        Document([(*ADA, "PER")], [(*ADA, "PER")], TEXT, id="right"),
        Document([], [], TEXT, id="empty"),
    ]
    table = made(documents, "documents", metrics=["strict", "slot_error"])["Documents"]
    assert [*table.header] == ["document", "gold", "predicted", "strict", "ser"]
    assert table.rows == [
        ["long", 2, 0, 0, 100],
        ["short", 1, 0, 0, 100],
        ["right", 1, 1, 100, 0],
        ["empty", 0, 0, None, None],
    ]
    assert made(documents * 3, "documents")["Documents"].heading == "Documents (the worst first; the first 10 of 12)"


def test_labels_have_their_support():
    table = made(DOCUMENTS, "labels", metrics=["strict"])["Per label"]
    assert (table.header, table.rows) == (
        ["label", "support", "strict"],
        [["LOC", 2, 0], ["PER", 4, near(200 * 2 / 9)]],
    )


@pytest.mark.parametrize(("number", "note"), [(4, "few units, not to be compared: A, B, C"), (24, "")])
def test_labels_of_few_units_are_named_where_intervals_were_drawn(number, note):
    how = {"metrics": ["strict"]}
    assert made(corpus(number), "labels", **how, confidence=Confidence(samples=20))["Per label"].note == note
    assert made(corpus(number), "labels", **how)["Per label"].note == ""


def test_scores_per_label_have_intervals_where_they_were_drawn():
    documents = corpus(24)
    confidence = Confidence(samples=20)
    table = made(documents, "label-scores", metrics=["strict"], confidence=confidence)["Scores per label"]
    result = evaluate(count(documents, create_all(["strict"])), confidence)["metrics"]["strict"]
    for label, metric, *cells, support in table.rows:
        assert metric == "strict"
        counts = result["per_type"][label]["counts"]
        assert support == counts["tp"] + counts["fn"]
        for cell, name in zip(cells, "prf"):
            own = result["intervals"]["per_type"][label][name]
            numbers = result["per_type"][label]["scores"][name], own["low"], own["high"]
            assert cell == Estimate(*(near(100 * x) for x in numbers), own["flag"] == "few")
    without = made(documents, "label-scores", metrics=["strict"])["Scores per label"]
    assert [cell.value for cell in table.rows[0][2:5]] == without.rows[0][2:5]


def test_counts_have_a_row_each():
    rows = made(DOCUMENTS, "counts", metrics=["strict", "loio"])["Counts"].rows
    assert rows[:3] == [["strict", "tp", 2], ["strict", "fp", 4], ["strict", "fn", 4]]
    assert rows[3:] == [
        ["loio", "exact", 2],
        ["loio", "overlap", near(3 / 12 + 8 / 12)],
        ["loio", "gold", 6],
        ["loio", "pred", 6],
    ]


def test_a_comparison_shows_ratios_in_percent_and_raw_numbers_as_they_are():
    sides = [(*ADA, "PER"), (*LOVELACE, "PER")], [(*BOTH, "PER")]
    cut, whole = ([Document([(*BOTH, "PER")], side, TEXT, id=str(k)) for k in range(8)] for side in sides)
    systems = [System(name, count(side, create_all(["plagdet"]))) for name, side in (("a", cut), ("b", whole))]
    result = comparison(systems, cut)
    (table,) = comparison_tables(result, ["all-differences"])
    values = {score: (a, b, gap, bounds) for _, score, a, b, gap, bounds, *_ in table.rows}
    a, b, gap, bounds = values["granularity"]
    assert (a, b, gap) == (2, 1, -1)
    assert isinstance(bounds, Interval) and -1 <= bounds.low <= -1 <= bounds.high <= 1
    assert values["p"][:2] == (100, 100)


@pytest.mark.parametrize("digits", [0, 4])
def test_digits_act_on_every_table(digits):
    for title, table in made(DOCUMENTS, *TABLES, metrics=["strict", "fair", "loio", "wrf"], digits=digits).items():
        for row in table.grid()[1:]:
            for cell in row:
                if re.fullmatch(r"-?\d+\.\d*", cell):
                    assert len(cell.partition(".")[2]) == digits, title
    assert table.digits == digits


# On the command line


GOLD = [line(d.text, *d.gold, **({"id": d.id} if d.id else {})) for d in DOCUMENTS]
PRED = [line(d.text, *d.pred, **({"id": d.id} if d.id else {})) for d in DOCUMENTS]
OTHER = [line(d.text, *(d.gold if k % 2 else d.pred)) for k, d in enumerate(DOCUMENTS)]
MANY_DOCUMENTS = corpus(24)
MORE = {
    "many": [line(d.text, *d.gold, id=d.id) for d in MANY_DOCUMENTS],
    "first": [line(d.text, *d.pred, id=d.id) for d in MANY_DOCUMENTS],
    "second": [line(d.text, *d.pred, id=d.id) for d in second(MANY_DOCUMENTS)],
}
"""Enough documents for intervals and tests."""


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, rows in (("gold", GOLD), ("pred", PRED), ("other", OTHER), *MORE.items()):
        write(tmp_path / f"{name}.jsonl", *rows)
    return tmp_path


SCORE = ("score", "gold.jsonl", "pred.jsonl")
COMPARE = ("compare", "gold.jsonl", "pred.jsonl", "other.jsonl", "--samples", 20, "--trials", 50)
COMPARE_MANY = ("compare", "many.jsonl", "first.jsonl", "second.jsonl", "--trials", 500, "-m", "strict,slot_error,fair")
ERRORS = ("errors", "gold.jsonl", "pred.jsonl")
OUTPUTS: dict[str, tuple[Any, ...]] = {
    "score.txt": SCORE,
    "score.md": (*SCORE, "--format", "markdown"),
    "score-all.txt": (*SCORE, "-m", "strict,fair,wrf", "--tables", "all", "-C", "--samples", 20, "-d", 1),
    "compare.txt": (*COMPARE, "-m", "strict,fair"),
    "compare-many.txt": (*COMPARE_MANY, "-t", "differences"),
    "compare.md": (*COMPARE, "-m", "strict,fair", "-f", "markdown"),
    "errors.txt": (*ERRORS, "--errors", "all"),
    "errors.md": (*ERRORS, "-f", "markdown"),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_output_for_a_small_corpus_is_the_golden_file(here, name):
    printed = accepted(*OUTPUTS[name], env={"COLUMNS": "80"})
    printed = re.sub(r"\|\n?v[^|\\]+(\\?)\|\n?spacy:.+", r"|v*\1|spacy:*", printed)
    if os.environ.get("SPACY_NEREVAL_REGENERATE"):
        (GOLDEN / name).write_text(printed, encoding="utf8")
    assert printed == (GOLDEN / name).read_text(encoding="utf8")


def said(output: str, format: str) -> dict[str, list[list[str]]]:
    """The tables of an output, by title, as an independent reader sees them."""
    if format == "json":
        return {
            title: [[*rows[0]], *([*row.values()] for row in rows)]
            for title, rows in json.loads(output).items()
            if rows
        }
    if format == "csv":
        found: dict[str, list[list[str]]] = {}
        for row in csv.DictReader(io.StringIO(output)):
            found.setdefault(row.pop("table"), []).append([cell for cell in row.values()])
        return found
    if format == "markdown":
        blocks = re.findall(r"^## (.*)\n\n((?:\|.*\n?)+)", output, re.M)
        return {re.sub(r"\\(.)", r"\1", title): from_markdown(text) for title, text in blocks}
    if format == "latex":
        blocks = re.findall(r"\\caption\{([^\n]*)\}\n(\\begin\{tabular\}.*?)\\end\{tabular\}", output, re.S)
        return {title: from_latex(text) for title, text in blocks}
    blocks = re.findall(r"<table>\n<caption>([^\n]*)</caption>\n(.*?)</table>", output, re.S)
    return {title: from_html(f"<table>{text}</table>") for title, text in blocks}


@pytest.mark.parametrize(
    "command", [(*SCORE, "-t", "all"), (*SCORE, "-t", "all", "-C", "--samples", 20), COMPARE, COMPARE_MANY, ERRORS]
)
def test_all_formats_have_the_same_tables_with_the_same_cells(here, command):
    outputs = {name: run(*command, "-f", name) for name in TABLE_FORMATS if name != "terminal"}
    assert all(output.exit_code == 0 for output in outputs.values())
    found = {name: said(output.stdout, name) for name, output in outputs.items()}
    assert len(found["markdown"]) > 0
    assert [*found["markdown"].values()] == [*found["latex"].values()] == [*found["html"].values()]
    for (heading, rows), (title, records) in zip(found["markdown"].items(), found["json"].items(), strict=True):
        assert heading.startswith(title)
        for row, record in zip(rows[1:], records[1:]):
            assert flat(row) == [shown(value) for value in record if value is not None]
    for rows, records in zip(found["csv"].values(), found["json"].values(), strict=True):
        for row, record in zip(rows, records[1:], strict=True):
            assert Counter(map(number, filter(None, row))) == Counter(number(v) for v in record if v not in (None, ""))


def flat(cells: list[str]) -> list[str]:
    """Cells as JSON has them: intervals taken apart, and nothing for what is undefined."""
    pieces = (
        re.sub(r"^(-?[\d.]+)? ?\[(-?[\d.]+), (-?[\d.]+)\](?: few)?$", r"\1\t\2\t\3", cell).strip("\t").split("\t")
        for cell in cells
    )
    return [shown(number(piece.removesuffix(" ↓"))) for cell in pieces for piece in cell if piece != "-"]


def number(value: Any) -> Any:
    try:
        return float(value)
    except ValueError:
        return value


def shown(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.4f}"


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


def test_other_formats_say_the_rest_as_text_or_comments(here):
    terminal = accepted(*SCORE).splitlines()
    for format in ("markdown", "latex", "html"):
        printed = accepted(*SCORE, "-f", format)
        assert terminal[0] in printed
        assert terminal[-1] in printed
    assert all(
        text.startswith(("%", "\\")) or text.endswith("\\\\") for text in accepted(*SCORE, "-f", "latex").splitlines()
    )


def test_formats_are_written_in_utf_8_whatever_the_terminal_has(here):
    from typer.testing import CliRunner

    from spacy_nereval.cli import nereval

    write(here / "gold.jsonl", line("abc", (0, 1, "人")))
    for format in ("json", "csv", "markdown", "html", "latex"):
        result = CliRunner(charset="cp1252").invoke(nereval, ["score", "gold.jsonl", "gold.jsonl", "-f", format])
        assert result.exit_code == 0 and "人" in result.stdout_bytes.decode("utf8")
    assert "人" not in CliRunner(charset="cp1252").invoke(nereval, ["score", "gold.jsonl", "gold.jsonl"]).stdout


def test_tables_are_those_asked_for_in_that_order(here):
    def titles(*arguments: Any) -> list[str]:
        return list(json.loads(run(*arguments, "-f", "json").stdout))

    scores, pairs = ["Scores", "Other scores", "Per label"], ["Error pairs", "Confusion matrix"]
    pairs += ["Confusion matrix with hits"]
    assert titles(*SCORE) == [*scores, "Verdicts", *pairs, "Documents"]
    assert titles(*SCORE, "--tables", "pairs, scores,pairs") == ["Error pairs", "Scores", "Other scores"]
    more = ["Scores per label", "Other scores per label", "Counts"]
    first = ["Labels", "Verdicts", "Repeated errors"]
    assert titles(*SCORE, "-t", "all") == [*first, *scores, *pairs, "Documents", *more]
    assert titles(*SCORE, "-t", "all", "-m", "wrf") == ["Labels", *scores, "Documents", *more]
    assert titles(*COMPARE, "-t", "spans") == ["Changed spans of other.jsonl"]
    assert len(titles(*COMPARE)) == 3
    assert titles(*COMPARE, "-t", "all") == [*titles(*COMPARE), "All scores of other.jsonl against pred.jsonl"]
    labels = "other.jsonl against pred.jsonl per label, strict"
    assert titles(*COMPARE, "--labels") == [titles(*COMPARE)[0], labels, *titles(*COMPARE)[1:]]


def test_counts_are_scored_with_the_tables_that_need_no_text(here):
    accepted("count", "gold.jsonl", "pred.jsonl", "-o", "counts.npz")
    found, expected = (json.loads(run(*a, "-t", "all", "-f", "json").stdout) for a in (("score", "counts.npz"), SCORE))
    for row in expected["Error pairs"]:
        del row["document"], row["text"]
    del expected["Repeated errors"]
    assert found == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (*SCORE, "-t", "score"),
            "--tables score: there is no table 'score'; there are headline, errors, groups, scores, ",
        ),
        ((*SCORE, "-t", ""), "there is no table ''"),
        (
            (*SCORE, "-t", "labels,confusion", "-m", "wrf"),
            "--tables confusion: the verdicts of wrf do not distinguish kinds of errors",
        ),
        ((*COMPARE, "-t", "scores"), "there is no table 'scores'; there are differences, labels, "),
        ((*SCORE, "-f", "xml"), "there is no format 'xml'"),
    ],
)
def test_tables_that_are_not_there_are_refused_before_anything_is_written(here, arguments, said):
    before = sorted(here.iterdir())
    assert said in refused(*arguments, "-o", "out.json")
    assert sorted(here.iterdir()) == before


def test_the_help_names_every_table():
    for name in (*TABLES, *COMPARED):
        assert name in TABLES_OPTION.help
    usual = TABLES_OPTION.help.split("score and evaluate have ")[1].split(" (printed by default)")[0]
    assert tuple(usual.split(", ")) == AT_TERMINAL
    other = TABLES_OPTION.help.split("(printed by default), ")[1].split(" (by default in other formats")[0]
    assert {*other.split(", "), "errors"} == {*USUAL}


# In a terminal


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


def test_bars_are_blocks_or_ascii_as_the_encoding_has_it(here):
    from typer.testing import CliRunner

    from spacy_nereval.cli import nereval

    for charset, bar in (("utf-8", "████"), ("ascii", "####")):
        result = CliRunner(charset=charset).invoke(nereval, [*SCORE, "-t", "errors"])
        assert result.exit_code == 0
        (row,) = (row for row in result.stdout.splitlines() if row.startswith("be_s"))
        assert re.split("  +", row)[-1] == bar


def test_a_text_steers_no_terminal(here):
    text = "\x1b[2J\u202eAda\x07 in Rome"
    write(here / "gold.jsonl", line(text, (0, 8, "\x1b[31mPER"), id="\x1b]0;title\x07"))
    write(here / "pred.jsonl", line(text))
    for command in ((*SCORE, "-t", "all"), ERRORS):
        for format in ("terminal", "markdown", "latex", "html", "csv"):
            printed = run(*command, "-f", format).stdout
            assert "Ada" in printed
            assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", printed), format
