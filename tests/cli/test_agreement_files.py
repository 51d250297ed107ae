"""`nereval agreement --html` and `--disputes`, and the same from Python: what they write, and what they refuse."""

from __future__ import annotations

import json
import re

import pytest
from annotators import EXAMPLES, example
from commands import accepted, flat, line, refused, run, write
from pages import Parsed

from spacy_nereval import agreement
from spacy_nereval.io.shared_documents import label_studio_tasks, prodigy_tasks

FILES = [EXAMPLES / f"{name}.jsonl" for name in ("ann", "ben", "cleo")]


@pytest.fixture
def two(tmp_path):
    """Two annotators of one text."""
    text = "the left door leaks"
    return [
        write(tmp_path / "ann.jsonl", line(text, (4, 13, "PART"), id="a")),
        write(tmp_path / "ben.jsonl", line(text, (9, 13, "PART"), id="a")),
    ]


def test_the_first_lines_of_the_terminal_name_the_rule_in_which_the_examples_differ():
    printed = flat("\n".join(accepted("agreement", *FILES, "--metrics", "strict").splitlines()[:4]))
    assert "ann and cleo include leading words of FAILURE_LOC that ben leaves out, 62 times, such as 'left'" in printed


def test_the_command_and_the_result_write_the_same_page(tmp_path, two):
    result = run("agreement", *two, "--html", tmp_path / "page.html")
    assert result.exit_code == 0 and flat(result.stderr).startswith("✔ page in")
    page = (tmp_path / "page.html").read_text(encoding="utf8")
    assert "Agreement of ann and ben" in Parsed(page).text
    records = {path.stem: [json.loads(path.read_text(encoding="utf8"))] for path in two}
    agreement(records).save(tmp_path / "saved.html")
    saved = (tmp_path / "saved.html").read_text(encoding="utf8")
    assert Parsed(saved).data["documents"] == Parsed(page).data["documents"]


def test_the_page_has_intervals_of_the_main_numbers_without_being_asked(tmp_path):
    run("agreement", *FILES[:2], "--metrics", "strict", "--html", tmp_path / "page.html")
    text = Parsed((tmp_path / "page.html").read_text(encoding="utf8")).text
    assert re.search(r"ann and ben: strict F 77.15 \[[\d.]+, [\d.]+\], alpha 0.85 \[[\d.]+, [\d.]+\] on tokens\.", text)


def test_the_ending_chooses_the_format_of_the_disputes(tmp_path):
    for path in (tmp_path / "tasks.jsonl", tmp_path / "tasks.json"):
        result = run("agreement", *FILES, "--metrics", "strict", "--disputes", path)
        assert "45 disputed documents in" in flat(result.stderr)
    rows = [json.loads(row) for row in (tmp_path / "tasks.jsonl").read_text(encoding="utf8").splitlines()]
    assert rows == [*prodigy_tasks(example())]
    assert json.loads((tmp_path / "tasks.json").read_text(encoding="utf8")) == [*label_studio_tasks(example())]


def test_the_disputes_are_input_of_the_command(tmp_path):
    run("agreement", *FILES, "--metrics", "strict", "--disputes", tmp_path / "tasks.json")
    printed = accepted("agreement", tmp_path / "tasks.json", "--metrics", "strict")
    assert flat(printed).startswith("ann, ben and cleo: strict F")


def test_python_writes_the_disputes_too(tmp_path, two):
    found = agreement({path.stem: [json.loads(path.read_text(encoding="utf8"))] for path in two})
    assert found.save_disputes(tmp_path / "tasks.jsonl") == 1
    with pytest.raises(ValueError, match="ends in .jsonl"):
        found.save_disputes(tmp_path / "tasks.csv")


@pytest.mark.parametrize(("option", "file"), [("--html", "page.htm"), ("--disputes", "tasks.csv")])
def test_other_endings_are_refused_before_anything_is_read(tmp_path, option, file):
    said = refused("agreement", tmp_path / "none.jsonl", tmp_path / "nor.jsonl", option, tmp_path / file)
    assert option in said and "expected a" in said


@pytest.mark.parametrize(("option", "file"), [("--html", "page.html"), ("--disputes", "tasks.jsonl")])
def test_a_folder_that_is_not_there_is_named(tmp_path, two, option, file):
    said = refused("agreement", *two, option, tmp_path / "none" / file)
    assert "none" in said
