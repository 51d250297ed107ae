"""`nereval thresholds`, and what reads its cut file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from commands import Row, accepted, flat, line, refused, run, write
from scored import TEXT, rows

from spacy_nereval import Document, count, create_all, evaluate
from spacy_nereval.core.cuts import Cuts, cut
from spacy_nereval.io.cut_files import load_cuts


def document(gold: Row, pred: Row) -> Document:
    sides = [[(s["start"], s["end"], s["label"]) for s in side["spans"]] for side in (gold, pred)]
    found = Document(*sides, gold["text"], id=gold["id"])
    found.span_scores = {}
    for span, place in zip(pred["spans"], sides[1]):
        found.span_scores[place] = max(span["score"], found.span_scores.get(place, 0))
    return found


@pytest.fixture(scope="module")
def data() -> dict[str, tuple[list[Row], list[Row]]]:
    return {"dev": rows(1, 40, "d"), "test": rows(2, 30, "t")}


@pytest.fixture
def files(tmp_path: Path, data: Any) -> list[Path]:
    return [
        write(tmp_path / f"{name}-{side}.jsonl", *rows)
        for name, sides in data.items()
        for side, rows in zip(("gold", "pred"), sides)
    ]


@pytest.mark.parametrize("per_label", ["own", "micro"])
def test_a_cut_for_each_label_is_what_score_reads(files: list[Path], tmp_path: Path, per_label: str) -> None:
    cuts, out, scored = (tmp_path / name for name in ("cuts.json", "out.json", "score.json"))
    accepted(
        *("thresholds", *files[:2], "--apply", *files[2:], "-m", "strict", "--per-label", per_label),
        *("--cut-file", cuts, "-o", out, "--samples", 50),
    )
    found = json.loads(out.read_text())
    assert load_cuts(cuts).labels == found["best"]["labels"] and len(found["best"]["labels"]) == 2
    result = run("score", *files[2:], "-m", "strict", "--cut", cuts, "-o", scored)
    own = json.loads(scored.read_text())
    assert own["metrics"]["strict"]["scores"]["f"] == found["applied"]["value"]
    assert own["pred"] == found["applied"]["kept"]
    assert f"cut:{load_cuts(cuts).digest}" in own["signature"]
    assert f"{own['pred']} of {found['applied']['pred']} predictions are kept" in flat(result.stderr)


@pytest.mark.costly
def test_every_command_that_takes_predictions_takes_the_cut(files: list[Path], tmp_path: Path) -> None:
    cuts, out = tmp_path / "cuts.json", tmp_path / "out.jsonl"
    cuts.write_text('{"default": 2}')
    assert run("errors", *files[2:], "--cut", cuts, "-o", out).exit_code == 0
    assert {json.loads(row)["verdict"] for row in out.read_text().splitlines()} == {"fn"}
    assert run("report", *files[2:], "--cut", cuts, "-o", tmp_path / "report.html").exit_code == 0
    compared = run(
        *("compare", files[2], files[3], files[2], "--cut", cuts, "--missing-score", 3, "-m", "strict"),
        *("-o", tmp_path / "c.json", "--samples", 20, "--trials", 100),
    )
    assert compared.exit_code == 0, compared.output
    (row,) = json.loads((tmp_path / "c.json").read_text())["comparisons"][2:3]
    assert (row["score"], row["baseline_value"], row["value"]) == ("f", 0.0, 1.0)


def test_curves_as_a_file(files: list[Path], tmp_path: Path, data: Any) -> None:
    accepted("thresholds", *files[:2], "-m", "strict,fair", "--csv", tmp_path / "c.csv")
    with (tmp_path / "c.csv").open() as file:
        found = [*csv.DictReader(file)]
    dev = [document(*both) for both in zip(*data["dev"])]
    of_all = [row for row in found if not row["label"]]
    assert len(of_all) == 1 + len({score for d in dev for score in d.span_scores.values()})
    assert (of_all[0]["cut"], of_all[0]["kept"]) == ("", "0")
    row = of_all[len(of_all) // 2]
    kept = evaluate(count(cut(dev, Cuts(float(row["cut"]))), create_all(["strict", "fair"])))
    assert float(row["fair.f"]) == kept["metrics"]["fair"]["scores"]["f"] and int(row["kept"]) == kept["pred"]
    assert {row["label"] for row in found} == {"", "A", "B"}


def test_label_rules_and_tables(files: list[Path]) -> None:
    printed = flat(accepted("thresholds", *files[:2], "-m", "strict", "--labels", "B=A", "--tables", "all"))
    assert " B " not in printed
    for title in ("Labels", "Best cut of each score", "Calibration", "Curves"):
        assert title in printed
    assert (
        accepted("thresholds", *files[:2], "-m", "strict", "--format", "markdown", "-t", "labels").count("| A |") == 1
    )


# Bad input


def changed(files: list[Path], tmp_path: Path, value: str) -> Path:
    """The predictions with another score in the first line."""
    first, *others = files[1].read_text().splitlines()
    row = json.loads(first)
    row["spans"][0].pop("score")
    text = json.dumps(row).replace('"label": "', f'"score": {value}, "label": "', 1) if value else json.dumps(row)
    return write(tmp_path / "changed.jsonl", text, *others)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", 'has no score; expected a number as its "score", or give --missing-score 1 to keep such spans'),
        ("null", "has no score"),
        ('"high"', "has the score 'high'; expected a finite number"),
        ("true", "has the score True; expected a finite number"),
        ("1e999", "has the score inf; expected a finite number"),
    ],
)
def test_a_score_that_cannot_be_used_is_named_with_its_place(
    files: list[Path], tmp_path: Path, value: str, said: str
) -> None:
    path = changed(files, tmp_path, value)
    (tmp_path / "cuts.json").write_text('{"default": 0.5}')
    for command in (("thresholds", files[0], path), ("score", files[0], path, "--cut", tmp_path / "cuts.json")):
        message = refused(*command)
        assert message.startswith(f"✘ {path}, document 0 (d0): the predicted span ") and said in message
    assert run("score", files[0], path).exit_code == 0


def test_a_missing_score_is_filled(files: list[Path], tmp_path: Path) -> None:
    path = changed(files, tmp_path, "")
    accepted("thresholds", files[0], path, "-m", "strict", "--missing-score", 1, "-o", tmp_path / "out.json")
    found = json.loads((tmp_path / "out.json").read_text())
    assert "missing-score:1" in found["signature"] and None not in found["curves"]["cuts"][1:]


def test_labels_that_only_other_documents_have(files: list[Path], tmp_path: Path) -> None:
    gold, pred = (write(tmp_path / f"{k}.jsonl", *side) for k, side in enumerate(rows(3, 10, "x", "AZ")))
    printed = flat(run("thresholds", *files[:2], "-m", "strict", "--apply", gold, pred, "--samples", 20).output)
    assert "not seen where the cut was chosen, so that they have the common one: Z" in printed


def test_nothing_to_choose_by_writes_no_cut_file(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.jsonl", line(TEXT))
    cuts = tmp_path / "cuts.json"
    said = refused("thresholds", empty, empty, "-m", "strict", "--cut-file", cuts)
    assert "there is no best cut: strict.f is undefined at every cut" in said and not cuts.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not valid JSON"),
        ("[]", "this is not a cut file"),
        ('{"labels": {}}', "this is not a cut file"),
        ('{"default": "high"}', "the cut \"default\" is 'high'; expected a number, or null"),
        ('{"default": 0.5, "labels": {"PER": NaN}}', 'the cut "PER" is nan'),
        ('{"default": 0.5, "labels": [1]}', '"labels" is [1]; expected a cut for each label'),
        ('{"default": 0.5, "cutoff": 1}', "a cut file has no key 'cutoff'"),
    ],
)
def test_a_file_that_is_no_cut_file(files: list[Path], tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "cuts.json"
    path.write_text(content)
    message = refused("score", *files[2:], "--cut", path)
    assert message.startswith(f"✘ {path}: ") and said in message


def test_cuts_need_predictions(files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "cuts.json").write_text('{"default": 0.5}')
    accepted("count", *files[2:], "-m", "strict", "-o", tmp_path / "a.npz")
    for command in (("score", tmp_path / "a.npz"), ("compare", files[2], tmp_path / "a.npz", files[3])):
        assert "a.npz is a count file, which has no scores" in refused(*command, "--cut", tmp_path / "cuts.json")
    assert "--missing-score 1 is given without --cut" in refused("score", *files[2:], "--missing-score", 1)


def test_mentions_without_offsets_have_no_scores(tmp_path: Path) -> None:
    pred = write(tmp_path / "p.jsonl", {"text": TEXT, "mentions": [{"text": "Ada", "label": "A", "score": 0.5}]})
    said = refused("thresholds", write(tmp_path / "g.jsonl", line(TEXT, (0, 3, "A"))), pred, "-m", "strict")
    assert "since scores of mentions without offsets are not read; give offsets" in said
