"""What the commands print: which tables there are, what is in them, and what is kept out of the way of programs.

Golden files hold whole outputs of a small corpus, 80 columns wide. After a
change that is meant to change one, write them anew with
SPACY_NEREVAL_REGENERATE=1 and read the difference.
"""

import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, line, refused, run, write
from places import SPANCAT
from tabled import COMPARE, COMPARE_MANY, ERRORS, SCORE
from typer.testing import CliRunner

from spacy_nereval.cli import nereval
from spacy_nereval.cli.command_options import TABLES as TABLES_OPTION
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.score_view import ScoreView

GOLDEN = Path(__file__).parent / "golden"


RUNS = ("--system", "A=first.jsonl,second.jsonl")
LEVEL = ("--level", 0.8)
TABLES = "labels,applied,scores,cuts,label-scores,precision,calibration"
CUT = ("-m", "strict,slot_error", "--samples", 50, "-t", TABLES)

OUTPUTS: dict[str, tuple[Any, ...]] = {
    "score.txt": SCORE,
    "score.md": (*SCORE, "--format", "markdown"),
    "score-all.txt": (*SCORE, "-m", "strict,fair,wrf", "--tables", "all", "-C", "--samples", 20, "-d", 1),
    "score-macro.txt": (*SCORE, "-a", "macro", "-d", 0, "-t", "scores,labels,label-scores"),
    "score-docs.txt": (*SCORE, "-m", "strict,loio,wrf,char", "-a", "docs", "-t", "headline,scores", "-C"),
    "score-weighted.txt": ("score", "many.jsonl", "first.jsonl", "-a", "weighted", "-t", "scores", "-C", *LEVEL),
    "compare.txt": (*COMPARE, "-m", "strict,fair"),
    "compare-many.txt": (*COMPARE_MANY, "-t", "differences"),
    "compare-all.txt": (*COMPARE_MANY, "-t", "all", "--labels", "--margin", 30, "--primary", "fair.f"),
    "compare-runs.txt": ("compare", "many.jsonl", *RUNS, "--system", "B=first.jsonl,many.jsonl", "-t", "all"),
    "runs.txt": ("score", "many.jsonl", *RUNS, "-m", "strict,fair,slot_error", "-t", "all"),
    "thresholds.txt": ("thresholds", *SPANCAT["dev"], "-m", "strict", "-t", "labels,cuts,precision,calibration"),
    "thresholds-own.txt": ("thresholds", *SPANCAT["dev"], "--apply", *SPANCAT["test"], "--per-label", "own", *CUT),
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
    assert titles(*COMPARE, "-t", "spans") == ["Changed spans of other"]
    assert len(titles(*COMPARE)) == 3
    assert titles(*COMPARE, "-t", "all") == [*titles(*COMPARE), "All scores of other against pred"]
    labels = "other against pred per label, strict"
    assert titles(*COMPARE, "--labels") == [titles(*COMPARE)[0], labels, *titles(*COMPARE)[1:]]


def test_counts_are_scored_with_the_tables_that_need_no_text(here):
    accepted("count", "gold.jsonl", "pred.jsonl", "-o", "counts.npz")
    found, expected = (json.loads(run(*a, "-t", "all", "-f", "json").stdout) for a in (("score", "counts.npz"), SCORE))
    for row in expected["Error pairs"]:
        del row["document"], row["text"]
    del expected["Repeated errors"]
    assert found == expected


REFUSED = [
    ((*SCORE, "-t", "score"), "--tables score: there is no table 'score': did you mean 'scores'? There are headline, "),
    ((*SCORE, "-t", ""), "there is no table ''"),
    ((*SCORE, "-t", "confusion", "-m", "wrf"), "confusion: the verdicts of wrf do not distinguish kinds of errors"),
    ((*COMPARE, "-t", "scores"), "there is no table 'scores'; there are differences, labels, "),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_tables_that_are_not_there_are_refused_before_anything_is_written(here, arguments, said):
    before = sorted(here.iterdir())
    assert said in refused(*arguments, "-o", "out.json")
    assert sorted(here.iterdir()) == before


def test_the_help_names_every_table():
    for name in (*ScoreView.makers, *ComparisonView.makers):
        assert name in TABLES_OPTION.help
    first, then, *_ = TABLES_OPTION.help.split(" (the default in the terminal)")
    assert tuple(first.split("score and evaluate: ")[1].split(", ")) == ScoreView.at_terminal
    other = then.removeprefix(", ").split(" (with errors, the default in other")[0].split(", ")
    assert {*other, "errors"} == {*ScoreView.usual}


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


def test_other_formats_say_the_rest_as_text_or_comments(here):
    terminal = accepted(*SCORE).splitlines()
    for format in ("markdown", "latex", "html"):
        printed = accepted(*SCORE, "-f", format)
        assert terminal[0] in printed
        assert terminal[-1] in printed
    lines = accepted(*SCORE, "-f", "latex").splitlines()
    assert all(line.startswith(("%", "\\")) or line.endswith("\\\\") for line in lines)


def printed_in(charset: str, *arguments: Any) -> str:
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
