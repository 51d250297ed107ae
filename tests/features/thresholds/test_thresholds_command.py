"""`nereval thresholds`, and what reads its cut file."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, flat, line, refused, run, write
from reading import check_row_files
from scored import TEXT, rows

from spacy_nereval import count, create_all, evaluate, thresholds
from spacy_nereval.core.cuts import Cuts, apply_cuts
from spacy_nereval.io.read import read_files
from spacy_nereval.io.saved_results import load_cuts

DEV, TEST = ("dev-gold.jsonl", "dev-pred.jsonl"), ("test-gold.jsonl", "test-pred.jsonl")
CHOSEN = ("thresholds", *DEV, "-m", "strict")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for names, sides in ((DEV, rows(1, 40, "d")), (TEST, rows(2, 30, "t"))):
        for name, own in zip(names, sides):
            write(Path(name), *own)
    Path("half.json").write_text('{"default": 0.5}')


def written(*arguments: Any) -> dict[str, Any]:
    run(*arguments, "-o", "out.json")
    found: dict[str, Any] = json.loads(Path("out.json").read_text())
    return found


@pytest.mark.parametrize("per_label", ["own", "micro"])
def test_a_cut_for_each_label_is_what_score_reads(per_label):
    found = written(*CHOSEN, "--apply", *TEST, "--per-label", per_label, "--cut-file", "cuts.json", "--samples", 50)
    cuts = load_cuts(Path("cuts.json"))
    assert cuts.labels == found["best"]["labels"] and len(cuts.labels) == 2
    own = written("score", *TEST, "-m", "strict", "--cut", "cuts.json")
    assert own["metrics"]["strict"]["scores"]["f"] == found["applied"]["value"]
    assert own["pred"] == found["applied"]["kept"]
    assert f"cut:{cuts.digest}" in own["signature"]
    said = flat(run("score", *TEST, "-m", "strict", "--cut", "cuts.json").stderr)
    assert f"{own['pred']} of {found['applied']['pred']} predictions are kept" in said


@pytest.mark.costly
def test_every_command_that_takes_predictions_takes_the_cut():
    Path("cuts.json").write_text('{"default": 2}')
    assert run("errors", *TEST, "--cut", "cuts.json", "-o", "out.jsonl").exit_code == 0
    assert {json.loads(row)["verdict"] for row in Path("out.jsonl").read_text().splitlines()} == {"fn"}
    assert run("report", *TEST, "--cut", "cuts.json", "-o", "report.html").exit_code == 0
    how = ("--cut", "cuts.json", "--missing-score", 3, "-m", "strict", "--samples", 20, "--trials", 100)
    row = written("compare", *TEST, TEST[0], *how)["comparisons"][2]
    assert (row["score"], row["baseline_value"], row["value"]) == ("f", 0.0, 1.0)


def test_curves_as_a_file():
    accepted(*CHOSEN[:-1], "strict,fair", "--csv", "c.csv")
    found = [*csv.DictReader(Path("c.csv").read_text().splitlines())]
    dev = [document for document in read_files(*map(Path, DEV)) if document]
    of_all = [row for row in found if not row["label"]]
    assert len(of_all) == 1 + len({score for d in dev for score in d.span_scores.values()})
    assert (of_all[0]["cut"], of_all[0]["kept"]) == ("", "0")
    row = of_all[len(of_all) // 2]
    kept = evaluate(count(apply_cuts(dev, Cuts(float(row["cut"]))), create_all(["strict", "fair"])))
    assert float(row["fair.f"]) == kept["metrics"]["fair"]["scores"]["f"] and int(row["kept"]) == kept["pred"]
    assert {row["label"] for row in found} == {"", "A", "B"}


def changed(score: str) -> str:
    """The predictions with another score in the first line."""
    first, *others = Path(DEV[1]).read_text().splitlines()
    row = json.loads(first)
    del row["spans"][0]["score"]
    text = json.dumps(row).replace('"label": "', f'"score": {score}, "label": "', 1) if score else json.dumps(row)
    write(Path("changed.jsonl"), text, *others)
    return "changed.jsonl"


@pytest.mark.parametrize(
    ("score", "said"),
    [
        ("", 'has no score; expected a number as its "score", or give --missing-score 1 to keep such spans'),
        ("null", "has no score"),
        ('"high"', "has the score 'high'; expected a finite number"),
        ("true", "has the score True; expected a finite number"),
        ("1e999", "has the score inf; expected a finite number"),
    ],
)
def test_a_score_that_cannot_be_used_is_named_with_its_place(score, said):
    files = DEV[0], changed(score)
    for command in (("thresholds", *files), ("score", *files, "--cut", "half.json")):
        message = refused(*command)
        assert message.startswith("✘ changed.jsonl, document 0 (d0): the predicted span ") and said in message
    assert run("score", *files).exit_code == 0


def test_a_missing_score_is_filled():
    found = written("thresholds", DEV[0], changed(""), "-m", "strict", "--missing-score", 1)
    assert "missing-score:1" in found["signature"] and None not in found["curves"]["cuts"][1:]


def test_nothing_to_choose_by_writes_no_cut_file():
    empty = write(Path("empty.jsonl"), line(TEXT))
    said = refused("thresholds", empty, empty, "-m", "strict", "--cut-file", "cuts.json")
    assert (
        "there is no best threshold: strict.f is undefined at every threshold" in said
        and not Path("cuts.json").exists()
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not valid JSON"),
        ("[]", "this is not a threshold file"),
        ('{"labels": {}}', "this is not a threshold file"),
        ('{"default": "high"}', "the threshold \"default\" is 'high'; expected a number, or null"),
        ('{"default": 0.5, "labels": {"PER": NaN}}', 'the threshold "PER" is nan'),
        ('{"default": 0.5, "labels": [1]}', '"labels" is [1]; expected a threshold for each label'),
        ('{"default": 0.5, "labels": []}', '"labels" is []; expected a threshold for each label'),
        ('{"default": 0.5, "cutoff": 1}', "a threshold file has no key 'cutoff'"),
        ('{"default": 0.5, "default": 0.6}', "the key 'default' occurs twice"),
    ],
)
def test_a_file_that_is_no_cut_file(content, said):
    Path("cuts.json").write_text(content)
    message = refused("score", *TEST, "--cut", "cuts.json")
    assert message.startswith("✘ cuts.json: ") and said in message


def test_mentions_without_offsets_have_no_scores():
    write(Path("p.jsonl"), {"text": TEXT, "mentions": [{"text": "Ada", "label": "A", "score": 0.5}]})
    said = refused("thresholds", write(Path("g.jsonl"), line(TEXT, (0, 3, "A"))), "p.jsonl", "-m", "strict")
    assert "since scores of mentions without offsets are not read; give offsets" in said


@pytest.mark.parametrize("systems", [("a",), ("a", "b")])
def test_curves_may_be_written_as_a_table(systems, tmp_path):
    spans = [(0, 3, "PER"), (8, 11, "PER")]
    gold = write(tmp_path / "gold.jsonl", *(line("Ada met Bob", *spans) for _ in range(3)))
    files = []
    for number, name in enumerate(systems):
        rows = [line("Ada met Bob", *spans[number:]) for _ in range(3)]
        scored = [[span | {"score": 0.5 + k / 9} for span in row["spans"]] for k, row in enumerate(rows)]
        files.append(write(tmp_path / f"{name}.jsonl", *(row | {"spans": own} for row, own in zip(rows, scored))))
    check_row_files(tmp_path, "thresholds", gold, *files, "-m", "strict", "--csv", "{out}")


@pytest.mark.costly
def test_the_figure_of_the_command_is_that_of_the_curves():
    accepted(*CHOSEN, "--figure", "curve.svg")
    result = thresholds(*DEV, "strict")
    figure = result.plot("curve")
    assert Path("curve.svg").read_text(encoding="utf8") == figure._repr_svg_()
    curves = result["curves"]
    f = {cut: value for cut, value in zip(curves["cuts"], curves["metrics"]["strict"]["f"])}
    drawn = {value["x"]: value["y"] for value in figure.spec["data"]["values"] if value["line"] == "F"}
    assert drawn == {cut: 100 * value for cut, value in f.items() if cut is not None and value is not None}
    said = refused("thresholds", *DEV, f"other={DEV[1]}", "-m", "strict", "--figure", "x.svg")
    assert "--figure x.svg: it shows one system, and 2 are given" in said
