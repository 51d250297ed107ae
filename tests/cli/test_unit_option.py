"""`--unit`: what is resampled as a whole, in every command that reads annotation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, flat, line, refused, write

from spacy_nereval.io.count_files import load

pytestmark = pytest.mark.costly  # resampling, in almost every test

NOTE = "ℹ No -DOCSTART- lines say where documents begin, so blocks of consecutive sentences are resampled"


@pytest.fixture
def texts(tmp_path) -> Path:
    """A directory with 24 texts of 8 articles of 4 sources; every fourth is not found."""
    rows = [
        line(f"Ada {k}", (0, 3, "PER"), id=f"a{k // 3}-{k}", meta={"source": f"s{k // 6}"}, tokens=[])
        for k in range(24)
    ]
    write(tmp_path / "gold.jsonl", *rows)
    write(tmp_path / "pred.jsonl", *({**row, "spans": row["spans"] if k % 4 else []} for k, row in enumerate(rows)))
    return tmp_path


@pytest.fixture
def sentences(tmp_path) -> Path:
    """A directory with 100 sentences without -DOCSTART- lines."""
    for name, every in (("gold", 1), ("pred", 3)):
        tags = ("B-PER" if k % every == 0 else "O" for k in range(100))
        (tmp_path / f"{name}.conll").write_text("".join(f"Ada {tag}\nis O\nin{k} O\n\n" for k, tag in enumerate(tags)))
    return tmp_path


def confidence(here: Path, *arguments: Any, ending: str = "jsonl") -> dict[str, Any]:
    """What `score --confidence` writes of its intervals."""
    files = here / f"gold.{ending}", here / f"pred.{ending}"
    accepted("score", *files, "-C", "-m", "strict", "-o", here / "out.json", *arguments)
    return json.loads((here / "out.json").read_text(encoding="utf8"))["confidence"]


@pytest.mark.parametrize(
    ("unit", "number"),
    [(None, 24), ("id", 24), ("document", 24), ("meta.source", 4), (r"prefix:(\w+)-", 8), ("block:5", 5)],
)
def test_score_resamples_what_the_option_says(texts, unit, number):
    found = confidence(texts, *(("--unit", unit) if unit else ()))
    assert (found["unit"], found["units"]) == (unit or "id", number)


def test_few_units_are_warned_of_by_their_number(texts):
    files = texts / "gold.jsonl", texts / "pred.jsonl"
    said = accepted("score", *files, "-C", "-m", "strict", "--unit", "meta.source")
    assert "⚠ Only 4 units: with fewer than 20" in flat(said)
    assert "⚠" not in accepted("score", *files, "-C", "-m", "strict", "--unit", "document")


@pytest.mark.parametrize("command", ["score", "compare", "report", "count"])
@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (
            "article",
            "✘ --unit article: there is no such unit; expected id, meta.FIELD, prefix:REGEX, document or block:N",
        ),
        (
            r"prefix:\w+",
            r"✘ --unit prefix:\w+: the regular expression has no group; put the name of the unit in parentheses",
        ),
        ("meta.author", "document 0 (a0-0): --unit meta.author: the document has no 'author' in its metadata"),
        ("block:25", "gold.jsonl has 24 documents; expected blocks no larger than the file"),
    ],
)
def test_units_that_do_not_exist_are_refused_on_one_line(texts, command, unit, said):
    out = {"count": "x.npz", "report": "x.html"}.get(command, "x.json")
    preds = [texts / "pred.jsonl"] * (2 if command == "compare" else 1)
    found = refused(command, texts / "gold.jsonl", *preds, "-o", texts / out, "--unit", unit, "-m", "strict")
    assert said in found
    assert not (texts / out).exists()


def test_a_model_is_evaluated_by_units(texts, model):
    written = "-m", "strict", "-o", texts / "out.json"
    accepted("evaluate", model, texts / "gold.jsonl", "-C", "--unit", "meta.source", *written)
    found = json.loads((texts / "out.json").read_text(encoding="utf8"))["confidence"]
    assert (found["unit"], found["units"]) == ("meta.source", 4)


def test_blocks_of_sentences_are_said_wherever_intervals_are(sentences):
    files = sentences / "gold.conll", sentences / "pred.conll"
    found = confidence(sentences, ending="conll")
    assert (found["unit"], found["units"]) == ("block:auto", 20)
    assert NOTE in accepted("score", *files, "-C", "-m", "strict")
    assert NOTE in accepted("score", *files, "-m", "strict"), "the main score has an interval always"
    assert NOTE not in accepted("score", *files, "-C", "-m", "strict", "--unit", "id")
    accepted("report", *files, "-C", "-m", "strict", "-o", sentences / "x.html")
    assert NOTE in (sentences / "x.html").read_text(encoding="utf8")


def test_count_files_say_what_is_resampled(sentences):
    files = sentences / "gold.conll", sentences / "pred.conll"
    accepted("count", *files, "-m", "strict", "-o", sentences / "auto.npz")
    accepted("count", *files, "-m", "strict", "-o", sentences / "ten.npz", "--unit", "block:10")
    assert (load(sentences / "auto.npz").unit, load(sentences / "ten.npz").unit) == ("block:auto", "block:10")
    assert NOTE in accepted("score", sentences / "auto.npz", "-C")
    assert "⚠ Only 10 blocks: with fewer than 20" in flat(accepted("score", sentences / "ten.npz", "-C"))
    said = refused("score", sentences / "ten.npz", "--unit", "block:10")
    assert said.endswith("ten.npz already has its units; give --unit to 'nereval count' instead")
    said = refused("merge", sentences / "auto.npz", sentences / "ten.npz", "-o", sentences / "x.npz")
    assert "cannot be merged: one resamples by block:auto, the other by block:10" in said


@pytest.mark.parametrize("unit", [None, "id", "meta.source", r"prefix:(\w+)-", "block:5"])
def test_files_are_compared_with_count_files_by_the_units_of_these(texts, unit):
    gold, pred = texts / "gold.jsonl", texts / "pred.jsonl"
    given = ("--unit", unit) if unit else ()
    accepted("count", gold, gold, "-m", "strict", "-o", texts / "a.npz", *given)
    for more in ((), given):
        accepted("compare", gold, texts / "a.npz", pred, "-o", texts / "out.json", *more)
    units = {None: 24, "id": 24, "meta.source": 4, "block:5": 5}.get(unit, 8)
    assert json.loads((texts / "out.json").read_text(encoding="utf8"))["units"] == units
    said = refused("compare", gold, texts / "a.npz", pred, "--unit", "block:7")
    assert f"one resamples by {unit or 'id'}, the other by block:7" in said
    said = refused("compare", gold, texts / "a.npz", texts / "a.npz", "--unit", "block:7")
    assert "a.npz already has its units" in said


def test_workers_resample_by_the_same_units_and_count_again_for_others(texts):
    rows = (texts / "gold.jsonl").read_text().splitlines()
    files = [write(texts / f"{name}.jsonl", *rows[a : a + 12]) for name, a in (("one", 0), ("two", 12))]
    whole = confidence(texts, "--unit", "meta.source")
    parts = texts / "parts"
    for unit, number in (("meta.source", 4), ("block:4", 6), ("id", 24)):
        written = "-m", "strict", "-o", texts / "x.npz", "--parts", parts, "--unit", unit
        result = load_after("count", *files, *files, *written)
        assert (result.unit, len({*result.units})) == (unit, number)
        if unit == whole["unit"]:
            assert len({*result.units}) == whole["units"]


def load_after(*arguments: Any) -> Any:
    """The counts that a command with workers wrote; it says on stderr how many files were counted."""
    from commands import run

    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return load(arguments[arguments.index("-o") + 1])
