"""The commands `python -m spacy nereval ...`: what they print and write, and what they refuse."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import spacy
from commands import GOLD, GOLD_DOCS, PRED, PRED_DOCS, accepted, flat, line, refused, run, tables_in, write
from docs import doc, train, write_docs
from processes import python
from spacy.cli._util import app
from spacy.training import Example
from typer.testing import CliRunner

import spacy_nereval
from spacy_nereval.cli import nereval
from spacy_nereval.integration.examples import documents
from spacy_nereval.io.read import read_files
from spacy_nereval.metrics.registry import options_of


def result_of(here: Path, *arguments: Any, gold: str = "gold.spacy", pred: str = "pred.spacy") -> dict[str, Any]:
    """What `score` writes."""
    accepted("score", here / gold, here / pred, "--output", here / "out.json", *arguments)
    return json.loads((here / "out.json").read_text(encoding="utf8"))


# score


def test_score_prints_every_metric_and_what_was_scored(here):
    printed = accepted("score", here / "gold.jsonl", here / "pred.jsonl", "-t", "scores")
    assert "3 documents, 3 gold spans, 3 predicted spans: fair F 50.00 [" in printed
    assert "Also: strict 33.33, semeval exact 66.67, partial 83.33, type 66.67, ser 66.67 (slot" in printed
    assert tables_in(printed)["Scores (micro)"] == [
        ["strict", "33.33", "33.33", "33.33"],
        ["semeval strict", "33.33", "33.33", "33.33"],
        ["semeval exact", "66.67", "66.67", "66.67"],
        ["semeval partial", "83.33", "83.33", "83.33"],
        ["semeval type", "66.67", "66.67", "66.67"],
        ["loio", "39.58", "39.58", "39.58"],
        ["fair", "50.00", "50.00", "50.00"],
    ]
    assert "Other scores (micro; ↓ lower is better)" in printed
    assert ["slot_error", "ser", "66.67", "slot error rate: errors per gold span"] in tables_in(printed)[
        "Other scores (micro)"
    ]
    assert "spacy-nereval|strict:beta=1.0|" in printed


@pytest.mark.parametrize("gold", ["gold.jsonl", "gold.spacy"])
@pytest.mark.parametrize("pred", ["pred.jsonl", "pred.spacy"])
def test_formats_may_be_mixed(here, gold, pred):
    assert result_of(here, gold=gold, pred=pred) == result_of(here)


def test_the_file_holds_what_python_says(here):
    wanted = spacy_nereval.score(read_files(here / "gold.spacy", here / "pred.spacy"))
    assert result_of(here) == wanted
    examples = [Example(pred, gold) for gold, pred in zip(GOLD_DOCS, PRED_DOCS)]
    assert result_of(here) == spacy_nereval.score(documents(examples))


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "docs"])
@pytest.mark.parametrize("digits", [0, 2, 5])
def test_the_numbers_printed_are_those_in_the_file(here, average, digits):
    files = (here / "gold.jsonl", here / "pred.jsonl")
    tables = "-t", "scores,labels", "-o", here / "out.json"
    found = tables_in(accepted("score", *files, "-a", average, "-d", digits, *tables))
    metrics = json.loads((here / "out.json").read_text(encoding="utf8"))["metrics"]

    def shown(value: float | None) -> str:
        return "-" if value is None else f"{100 * value:.{digits}f}"

    def scores(name: str) -> dict[str, float]:
        return metrics[name]["scores"] if average == "micro" else metrics[name]["averages"][average]

    for name, *cells in found[f"Scores ({average})"]:
        metric, _, scheme = name.partition(" ")
        prefix = {"": "", "rouge-1": "r1_"}.get(scheme, f"{scheme}_")
        assert cells == [shown(scores(metric)[prefix + x]) for x in "prf"]
    for metric, name, cell, _ in found[f"Other scores ({average})"]:
        if (metric, name) not in {("loio", "tp"), ("loio", "fp"), ("loio", "fn"), ("fair", "be")}:
            assert cell == shown(scores(metric)[name])
    labels = {row[0]: row[1:] for row in found["Per label"]}
    assert list(labels) == ["LOC", "PER"]
    for label, cells in labels.items():
        per_type = {name: own["per_type"][label]["scores"] for name, own in metrics.items()}
        assert cells[0] == {"LOC": "1", "PER": "2"}[label]
        assert cells[1] == shown(per_type["strict"]["f"])
        assert cells[-2:] == [shown(per_type["fair"]["f"]), shown(per_type["wrf"]["r1_f"])]


def test_the_counts_printed_are_those_in_the_file(here):
    files = here / "gold.jsonl", here / "pred.jsonl"
    printed = accepted("score", *files, "-m", "fair,strict", "-o", here / "out.json", "--tables", "counts")
    metrics = json.loads((here / "out.json").read_text(encoding="utf8"))["metrics"]
    rows = [[name, count, str(n)] for name, own in metrics.items() for count, n in own["counts"].items()]
    assert tables_in(printed) == {"Counts": rows}
    assert metrics["fair"]["counts"] == {"tp": 1, "fp": 0, "fn": 0, "le": 1, "be_s": 1, "be_l": 0, "be_o": 0, "lbe": 0}


def test_a_number_of_spans_is_no_percentage(here):
    printed = accepted("score", here / "gold.jsonl", here / "pred.jsonl", "-m", "fair", "-d", "1", "-t", "scores")
    assert tables_in(printed)["Other scores (micro)"] == [["fair", "be", "1", "boundary errors"]]


def test_an_undefined_score_is_a_dash_and_null(tmp_path):
    path = write(tmp_path / "a.jsonl", line("abc"))
    printed = accepted("score", path, path, "-o", tmp_path / "out.json", "-t", "scores")
    assert printed.startswith("1 document, 0 gold spans, 0 predicted spans: fair F -; no errors\n")
    assert ["strict", "-", "-", "-"] in tables_in(printed)["Scores (micro)"]
    written = json.loads((tmp_path / "out.json").read_text())["metrics"]
    assert written["strict"]["scores"] == {"p": None, "r": None, "f": None}


@pytest.mark.parametrize("listed", ["fair,wrf", " wrf , fair ", "fair"])
def test_only_the_metrics_asked_for_are_scored_in_that_order(here, listed):
    assert list(result_of(here, "--metrics", listed)["metrics"]) == [name.strip() for name in listed.split(",")]


@pytest.mark.parametrize(
    "arguments, metric, option, value",
    [
        (["--fair.unit", "token"], "fair", "unit", "token"),
        (["--fair.unit=token"], "fair", "unit", "token"),
        (["--loio.s", "1"], "loio", "s", 1.0),
        (["--loio.s", "1", "--loio.match", "optimal"], "loio", "s", 1.0),
        (["--wrf.weights", "lenient"], "wrf", "weights", "lenient"),
        (["--wrf.unique", "false"], "wrf", "unique", False),
        (["--wrf.unique"], "wrf", "unique", True),
        (["--fair.weights", '{"be_s": {"tp": 1}}'], "fair", "weights", {"be_s": {"tp": 1.0}}),
        (["--wrf.weights", '{"PER": 0.5, "LOC": 0.25, "combined": 0.25}'], "wrf", "weights", None),
        (["--slot_error.weights", "etape", "-m", "slot_error"], "slot_error", "weights", "etape"),
        (["--semeval.beta", "0.5"], "semeval", "beta", 0.5),
    ],
)
def test_options_of_a_metric_go_behind(here, arguments, metric, option, value):
    found = result_of(here, *arguments)["metrics"][metric]
    value = {"PER": 0.5, "LOC": 0.25, "combined": 0.25} if value is None else value
    assert found["settings"][option] == value
    options = {option: value} | ({"match": "optimal"} if "optimal" in arguments else {})
    wanted = spacy_nereval.score(read_files(here / "gold.spacy", here / "pred.spacy"), {metric: options})
    assert found == wanted["metrics"][metric]


def test_options_of_a_metric_before_the_files_are_refused_and_not_passed_over(here):
    for option in (["--fair.unit=token"], ["--fair.unit", "token"]):
        refused("score", *option, here / "gold.spacy", here / "pred.spacy")


def test_options_change_the_numbers(here):
    assert result_of(here, "--loio.s", "0")["metrics"]["loio"]["scores"]["f"] == pytest.approx(1 / 3)
    assert result_of(here, "--loio.s", "1")["metrics"]["loio"]["scores"]["f"] == pytest.approx((1 + 3 / 12) / 3)
    weighted = result_of(here, "--fair.weights", '{"be_s": {"tp": 1}}')
    assert weighted["metrics"]["fair"]["scores"]["f"] == pytest.approx(2 / 2.5)


def test_lines_with_tokens_can_be_scored_by_token(tmp_path):
    tokens = [{"start": 0, "end": 4}, {"start": 5, "end": 9}]
    gold = write(tmp_path / "gold.jsonl", line("U.K. wins", (0, 4, "A"), tokens=tokens))
    pred = write(tmp_path / "pred.jsonl", line("U.K. wins", (0, 2, "A"), (2, 4, "A")))
    for unit, counts in (("token", {"be_s": 1, "fp": 1}), ("char", {"be_s": 2})):
        accepted("score", gold, pred, "--fair.unit", unit, "-o", tmp_path / "out.json")
        written = json.loads((tmp_path / "out.json").read_text())["metrics"]["fair"]["counts"]
        assert {name: n for name, n in written.items() if n} == counts


def test_a_key_scores_span_groups(tmp_path):
    grouped = doc("a b", (0, 1, "E"), spans={"k": [(0, 2, "A"), (0, 1, "B")]})
    gold = write_docs(tmp_path / "gold.spacy", [grouped, doc("a")])
    pred = write_docs(tmp_path / "pred.spacy", [doc("a b", spans={"k": [(0, 2, "A")]}), doc("a")])
    for name in ("--spans-key", "-sk"):
        found = result_of(tmp_path, name, "k", gold=gold.name, pred=pred.name)
        assert (found["documents"], found["skipped"]) == (1, 1)
        assert found["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1}
    # Lines have one list of spans, which is what a key asks for.
    pred = write(tmp_path / "pred.jsonl", line("a b", (0, 1, "B")), line("a"))
    found = result_of(tmp_path, "-sk", "k", gold=gold.name, pred=pred.name)
    assert found["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1}


def test_what_was_left_out_is_said(tmp_path):
    gold = write_docs(tmp_path / "gold.spacy", [doc("a b", missing=[(0, 1)]), doc("a", annotated=False), doc("a")])
    pred = write_docs(tmp_path / "pred.spacy", [doc("a b", (0, 1, "A")), doc("a"), doc("a")])
    printed = accepted("score", gold, pred)
    assert "2 documents, 0 gold spans, 0 predicted spans" in printed
    assert "1 document without annotation skipped, 1 prediction ignored" in flat(printed)


def test_an_old_result_is_replaced(here):
    (here / "out.json").write_text("old" * 10000)
    assert result_of(here)["documents"] == 3
    assert sorted(os.listdir(here)) == ["gold.jsonl", "gold.spacy", "out.json", "pred.jsonl", "pred.spacy"]


def test_no_file_is_written_unless_asked_for(here):
    accepted("score", here / "gold.jsonl", here / "pred.jsonl")
    assert sorted(os.listdir(here)) == ["gold.jsonl", "gold.spacy", "pred.jsonl", "pred.spacy"]


def test_colour_is_for_terminals_only(here):
    arguments = ("score", here / "gold.jsonl", here / "pred.jsonl")
    assert "\x1b" not in accepted(*arguments)
    assert "\x1b[" in accepted(*arguments, color=True)
    assert "\x1b" not in accepted(*arguments, color=True, env={"NO_COLOR": "1"})


def test_a_label_that_the_terminal_cannot_show_is_no_reason_to_fail(tmp_path):
    path = write(tmp_path / "a.jsonl", line("abc", (0, 1, "人名")))
    result = CliRunner(charset="cp1252").invoke(nereval, ["score", str(path), str(path)])
    assert result.exit_code == 0, result.stderr
    assert "100.00" in result.stdout


# What score refuses


@pytest.mark.parametrize(
    "row, message",
    [
        ('{"text": "abc", "spans": [', ""),
        ("nonsense", ""),
        ("[]", 'expected an object with a "text"'),
        ("null", 'expected an object with a "text"'),
        ('"text"', 'expected an object with a "text"'),
        ({"spans": []}, 'expected an object with a "text"'),
        ({"text": 3, "spans": []}, 'expected an object with a "text"'),
        ({"text": "abc"}, 'there is no list of "spans"; write an empty list for a text without spans'),
        ({"text": "abc", "spans": None}, 'there is no list of "spans"'),
        ({"text": "abc", "spans": {}}, 'there is no list of "spans"'),
        ({"text": "abc", "ents": []}, 'there is no list of "spans"'),
        ({"text": "abc", "spans": ["abc"]}, "span 0 has no 'start', 'end', 'label'"),
        ({"text": "abc", "spans": [{"start": 0, "label": "A"}]}, "span 0 has no 'end'"),
        ({"text": "abc", "spans": [{"start": 0, "end": 1}]}, "span 0 has no 'label'"),
        (line("abc", (0, 1, "A"), (0, 4, "A")), "span 1, Span(0, 4, 'A') ends after the text, which has 3 characters"),
        (line("abc", (-1, 2, "A")), "span 0, Span(-1, 2, 'A') starts before the text"),
        (line("abc", (2, 1, "A")), "span 0, Span(2, 1, 'A') ends before it starts"),
        (line("abc", (0.0, 1, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", (0, 1.5, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", ("0", 1, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", (0, True, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", (None, 1, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", (0, 1, "")), "has no label: expected a non-empty string"),
        (line("abc", (0, 1, 7)), "has no label: expected a non-empty string"),
        (line("abc", (0, 1, None)), "has no label: expected a non-empty string"),
        (line("abc", tokens=7), '"tokens" is not a list of {"start", "end"}'),
        (line("abc", tokens=["abc"]), '"tokens" is not a list of {"start", "end"}'),
        (line("abc", tokens=[{"start": 0}]), '"tokens" is not a list of {"start", "end"}'),
        (b'{"text": "ab\xff", "spans": []}', "utf-8"),
        ('{"text": "abc", "spans": []}'.encode("utf-16"), "utf-8"),
    ],
)
@pytest.mark.parametrize("side", ["gold", "pred"])
def test_a_line_that_cannot_be_read_is_named(here, row, message, side):
    bad = write(here / f"{side}.jsonl", (GOLD if side == "gold" else PRED)[0], row, GOLD[2])
    before = set(os.listdir(here))
    said = refused("score", here / "gold.jsonl", here / "pred.jsonl", "--output", here / "out.json")
    assert f"{bad}, line 2: " in said
    assert message in said
    assert set(os.listdir(here)) == before


@pytest.mark.parametrize(
    "tokens",
    [
        [{"start": None, "end": 3}],
        [{"start": [0], "end": 3}],
        [{"start": "x", "end": 3}],
        [{"start": 0.5, "end": 3}],
        [{"start": 0, "end": 99}],
        [{"start": -1, "end": 3}],
        [{"start": 3, "end": 0}],
        [{"start": False, "end": 3}],
    ],
)
def test_tokens_with_unusable_offsets_are_named(here, tokens):
    bad = write(here / "gold.jsonl", GOLD[0], line("in Rome .", tokens=tokens), GOLD[2])
    said = refused("score", bad, here / "pred.jsonl")
    assert f"{bad}, line 2: " in said
    assert "token" in said


def missing(here: Path) -> list[Path]:
    return [here / "gold.jsonl", here / "nowhere.jsonl"]


def missing_docs(here: Path) -> list[Path]:
    return [here / "nowhere.spacy", here / "pred.spacy"]


def directory(here: Path) -> list[Path]:
    (here / "folder.jsonl").mkdir()
    return [here / "folder.jsonl", here / "pred.jsonl"]


def directory_of_docs(here: Path) -> list[Path]:
    (here / "folder.spacy").mkdir()
    return [here / "gold.spacy", here / "folder.spacy"]


def wrong_extension(here: Path) -> list[Path]:
    (here / "gold.json").write_text("{}")
    return [here / "gold.json", here / "pred.jsonl"]


def no_extension(here: Path) -> list[Path]:
    (here / "gold").write_text("{}")
    return [here / "gold.jsonl", here / "gold"]


def no_docs(here: Path) -> list[Path]:
    (here / "not.spacy").write_text('{"text": "abc"}')
    return [here / "gold.spacy", here / "not.spacy"]


def cut_short(here: Path) -> list[Path]:
    (here / "cut.spacy").write_bytes((here / "gold.spacy").read_bytes()[:-20])
    return [here / "cut.spacy", here / "pred.spacy"]


def zero_bytes(here: Path) -> list[Path]:
    (here / "empty.spacy").write_bytes(b"")
    return [here / "empty.spacy", here / "pred.spacy"]


def shorter(here: Path) -> list[Path]:
    return [write(here / "gold.jsonl", *GOLD[:1]), here / "pred.jsonl"]


def longer(here: Path) -> list[Path]:
    return [here / "gold.spacy", write(here / "pred.jsonl", *PRED, line("x"), line("y"))]


def other_text(here: Path) -> list[Path]:
    return [here / "gold.jsonl", write(here / "pred.jsonl", PRED[0], line("in Oslo ."), PRED[2])]


def other_text_of_a_named_document(here: Path) -> list[Path]:
    return [write(here / "gold.jsonl", GOLD[0] | {"id": "x-1"}), write(here / "pred.jsonl", line("Ada"))]


def nothing(here: Path) -> list[Path]:
    return [write(here / "gold.jsonl"), write(here / "pred.jsonl")]


def no_documents(here: Path) -> list[Path]:
    return [write_docs(here / "gold.spacy", []), write_docs(here / "pred.spacy", [])]


def nothing_on_one_side(here: Path) -> list[Path]:
    return [here / "gold.jsonl", write(here / "pred.jsonl")]


def no_annotation(here: Path) -> list[Path]:
    plain = [made.copy() for made in PRED_DOCS]
    for made in plain:
        made.set_ents([], default="missing")
    return [write_docs(here / "gold.spacy", plain), here / "pred.spacy"]


@pytest.mark.parametrize(
    "files, messages",
    [
        (missing, ["nowhere.jsonl does not exist or is not a file"]),
        (missing_docs, ["nowhere.spacy does not exist or is not a file"]),
        (directory, ["folder.jsonl is a folder without .ann files"]),
        (directory_of_docs, ["folder.spacy is a folder without .ann files"]),
        (wrong_extension, ["gold.json from its extension or its content; known are .spacy, .jsonl,", "--format"]),
        (no_extension, ["gold from its extension or its content; known are .spacy, .jsonl,", "--format"]),
        (no_docs, ["not.spacy is not a .spacy file; expected a file written by DocBin.to_disk"]),
        (cut_short, ["cut.spacy is not a .spacy file"]),
        (zero_bytes, ["empty.spacy is not a .spacy file"]),
        (shorter, ["gold.jsonl has 1 document and", "pred.jsonl has 3; expected the same number in both"]),
        (longer, ["gold.spacy has 3 documents and", "pred.jsonl has 5; expected the same number in both"]),
        (nothing_on_one_side, ["gold.jsonl has 3 documents and", "pred.jsonl has 0; expected the same number in both"]),
        (other_text, ["document 1: the predicted text differs from the reference in more than white space and case"]),
        (other_text_of_a_named_document, ["document 0 (x-1): the predicted text differs", "3 characters against 17"]),
        (nothing, ["there are no documents to score"]),
        (no_documents, ["there are no documents to score"]),
        (no_annotation, ["none of the 3 gold documents is annotated", "--spans-key KEY"]),
    ],
)
def test_files_that_cannot_be_scored_are_named(here, files: Callable, messages):
    gold, pred = files(here)
    before = set(os.listdir(here))
    said = refused("score", gold, pred, "--output", here / "out.json")
    assert [message for message in messages if message not in said] == []
    assert set(os.listdir(here)) == before


@pytest.mark.parametrize("name", ["pred.jsonl", "pred.spacy"])
def test_a_file_that_may_not_be_read_is_named(here, monkeypatch, name):
    def denied(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", denied)
    said = refused("score", here / name, here / name, "-o", here / "out.json")
    assert name in said
    assert "Permission denied" in said
    assert not (here / "out.json").exists()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["-m", "fare"], "there is no metric 'fare'; there are strict, semeval, slot_error, loio, fair, wrf"),
        (["-m", "fair,,wrf"], "there is no metric ''"),
        (["--fare.unit", "token"], "there is no metric 'fare'; there are strict"),
        (["--fair.units", "token"], "fair has no option 'units'; its options are unit, weights, beta, focus"),
        (["--fair.weights.be_s", "1"], "fair has no option 'weights.be_s'"),
        (["--fair.unit", "tokens"], "fair.unit = 'tokens': "),
        (["--fair.weights", '{"be_x": {"tp": 1}}'], "there is no error 'be_x'; there are"),
        (["--fair.weights", '{"be_s": {"tp": -1}}'], "a weight of be_s is not a number from 0 to 1e+12"),
        (["--fair.weights", '{"be_s": '], "fair.weights = "),
        (["--loio.s", "1.5"], "loio.s = 1.5: input should be less than or equal to 1"),
        (["--loio.s", "-1"], "loio.s = -1: input should be greater than or equal to 0"),
        (["--loio.s", "half"], "loio.s = 'half': "),
        (["--strict.beta", "-1"], "strict.beta = -1: input should be greater than or equal to 0"),
        (["--strict.beta", "nan"], "strict.beta = "),
        (["--wrf.weights", '{"PER": 0.5, "LOC": 0.25}'], "they sum to 0.75, not to 1"),
        (["--wrf.weights", '{"PER": 1.0}'], "wrf.weights has no weight for 'LOC', which occurs in the data"),
        (["-m", "strict", "--fair.unit", "token"], "--fair.unit is given, but fair is not among --metrics strict"),
        (["--average", "mean"], "--average mean: expected one of micro, macro, weighted, docs"),
        (["--metric", "fair"], "there is no option --metric; options of a metric are written --fair.unit token"),
        (["--fair"], "there is no option --fair"),
        (["-q"], "-q"),
        (["third.jsonl"], "third.jsonl"),
        (["--fair.unit", "token", "third.jsonl"], "third.jsonl"),
    ],
)
def test_options_that_cannot_be_used_are_named(here, arguments, message):
    before = set(os.listdir(here))
    assert message in refused("score", here / "gold.spacy", here / "pred.spacy", "-o", here / "out.json", *arguments)
    assert set(os.listdir(here)) == before


def test_options_are_checked_before_the_files_are_read(here):
    assert "no metric" in refused("score", here / "nowhere.spacy", here / "nowhere.spacy", "-m", "fare")


def test_tokens_cannot_be_counted_where_a_text_has_none(here):
    said = refused("score", here / "gold.jsonl", here / "pred.jsonl", "--fair.unit", "token", "-o", here / "out.json")
    assert "this document has no tokens" in said
    assert "'tokens'" in said
    assert ".spacy" in said
    assert not (here / "out.json").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("report", "-o", "r.txt"), "--output r.txt: expected an .html file"),
        (("report", "-o", "r.html", "--format", "jsonl,markdown"), "--format jsonl,markdown: no table is printed"),
        (
            ("count", "-o", "c.npz", "--format", "markdown"),
            "so markdown has no effect here; input formats are bioc, brat",
        ),
        (("count", "-o", "c.npz", "--format", "terminal"), "so terminal has no effect here"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_would_be_ignored_is_refused(here, arguments, said):
    name, *options = arguments
    before = sorted(here.iterdir())
    assert said in refused(name, here / "gold.jsonl", here / "pred.jsonl", *options)
    assert sorted(here.iterdir()) == before


def test_metrics_of_a_set_that_cannot_be_computed_are_left_out_aloud(here):
    result = run("score", here / "gold.jsonl", here / "pred.jsonl", "--metrics", "all", "-o", here / "s.json")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "tmr is left out: it needs --train FILE",
        f"token is left out: {here / 'gold.jsonl'} has no tokens",
    ]
    counted = json.loads((here / "s.json").read_text(encoding="utf8"))["metrics"]
    assert counted.keys() == {*spacy_nereval.names()} - {"tmr", "token"}


def test_a_result_cannot_go_where_there_is_no_directory(here):
    said = refused("score", here / "gold.spacy", here / "pred.spacy", "-o", here / "no" / "out.json")
    assert f"{here / 'no' / 'out.json'} cannot be written: there is no directory {here / 'no'}" in said
    assert not (here / "no").exists()


@pytest.mark.parametrize(
    "arguments", [["--digits", "11"], ["--digits", "-1"], ["--digits", "two"], ["--output", "folder"]], ids=" ".join
)
def test_an_option_of_the_wrong_kind_is_bad_usage(here, arguments, monkeypatch):
    monkeypatch.chdir(here)
    (here / "folder").mkdir()
    result = run("score", "gold.spacy", "pred.spacy", *arguments)
    assert result.exit_code == 2
    assert arguments[0] in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["evaluate", "count", "compare", "detach"])
def test_too_few_arguments_are_bad_usage(command):
    assert run(command, "one").exit_code == 2


def test_gold_annotation_alone_is_not_scored(here):
    assert "predictions to score against" in refused("score", here / "gold.jsonl")


def test_an_old_result_stays_if_scoring_fails(here):
    (here / "out.json").write_text("old")
    refused("score", here / "gold.spacy", here / "nowhere.spacy", "-o", here / "out.json")
    assert (here / "out.json").read_text() == "old"


def test_a_result_is_not_left_half_written(here, monkeypatch):
    def full(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    before = set(os.listdir(here))
    assert "No space left" in refused("score", here / "gold.spacy", here / "pred.spacy", "-o", here / "out.json")
    assert set(os.listdir(here)) == before


# metrics


def test_metrics_lists_every_metric_with_its_source_and_every_option():
    printed = accepted("metrics")
    flat = " ".join(printed.split())
    for name in spacy_nereval.names():
        assert f"\n{name}\n" in printed
        for option in options_of(name):
            assert f"--{name}.{option.name} [" in flat
            assert option.help in flat
    assert flat.count("Source: ") == len(spacy_nereval.names())
    assert "--loio.s [number >= 0, <= 1; default 0.75]" in flat


def test_metrics_shows_one_metric_at_length():
    printed = accepted("metrics", "wrf")
    assert "For each document and class" in printed
    assert "--wrf.unique [true | false; default True]" in printed
    assert "\nfair\n" not in printed
    assert len(accepted("metrics").split()) > len(printed.split())


def test_metrics_does_not_know_every_name():
    assert "there is no metric 'fare'; there are strict" in refused("metrics", "fare")


# detach


@pytest.mark.costly
def test_detach_saves_a_pipeline_without_the_package(model, tmp_path):
    assert "saved to" in accepted("detach", model, tmp_path / "new")
    saved = spacy.load(tmp_path / "new")
    assert saved.pipe_names == ["entity_ruler", "span_ruler"]
    assert [ent.text for ent in saved("Ada met Bob").ents] == ["Ada", "Bob"]
    assert "nereval" not in (tmp_path / "new" / "config.cfg").read_text(encoding="utf8")
    assert spacy.load(model).pipe_names == ["entity_ruler", "span_ruler", "nereval"]


@pytest.mark.costly
def test_detach_saves_a_trained_pipeline_with_its_weights(tmp_path):
    train(tmp_path)
    accepted("detach", tmp_path / "model-best", tmp_path / "new")
    before, after = (spacy.load(tmp_path / name) for name in ("model-best", "new"))
    assert after.get_pipe("ner").model.to_bytes() == before.get_pipe("ner").model.to_bytes()
    assert after.config["components"]["ner"]["scorer"] == {"@scorers": "spacy.ner_scorer.v1"}


def test_detach_does_not_write_over_anything(model, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    for name in ("full", "full/file"):
        said = refused("detach", model, tmp_path / name)
        assert f"{tmp_path / name} exists and is not empty: choose a new directory" in said
    assert os.listdir(tmp_path / "full") == ["file"]
    (tmp_path / "empty").mkdir()
    accepted("detach", model, tmp_path / "empty")


def test_detach_names_a_model_that_is_not_there(tmp_path):
    assert "E050" in refused("detach", "no_such_model", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_detach_says_that_it_is_done_on_any_terminal(model, tmp_path):
    result = CliRunner(charset="cp1252").invoke(nereval, ["detach", str(model), str(tmp_path / "new")])
    assert result.exit_code == 0, result.stderr


# As a process of its own


def spacy_says(*arguments: Any) -> CompletedProcess[str]:
    return python("-m", "spacy", *arguments, env={"FORCE_COLOR": ""})


def test_spacy_knows_the_command():
    assert spacy.registry.cli.get("nereval") is nereval
    listed = CliRunner().invoke(app, ["nereval", "--help"]).stdout
    assert [name for name in ("score", "evaluate", "metrics", "detach") if name not in listed] == []


@pytest.mark.costly
def test_the_command_prints_plain_text_into_a_pipe(here):
    done = spacy_says("nereval", "score", here / "gold.spacy", here / "pred.spacy", "-o", here / "out.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout
    assert "Also: strict 33.33, " in done.stdout
    assert tables_in(done.stdout)["Verdicts (fair)"][0][:3] == ["tp", "correct", "1"]
    assert json.loads((here / "out.json").read_text(encoding="utf8"))["documents"] == 3


@pytest.mark.costly
def test_the_command_fails_in_one_line_without_a_traceback(here):
    done = spacy_says("nereval", "score", here / "gold.jsonl", here / "nowhere.jsonl")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"✘ {here / 'nowhere.jsonl'} does not exist or is not a file\n"


def test_numbers_of_options_are_read_to_the_last_digit(here):
    result = json.loads(printed_json(here, "--loio.s", "0.3"))
    assert result["metrics"]["loio"]["settings"]["s"] == 0.3


def printed_json(here, *options: str) -> str:
    assert run("score", here / "gold.spacy", here / "pred.spacy", "-o", here / "s.json", *options).exit_code == 0
    return (here / "s.json").read_text(encoding="utf8")
