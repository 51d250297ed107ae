"""The files of a corpus, and what the feature adds to `count` and `evaluate`."""

from pathlib import Path
from typing import Any

import pytest
from commands import GOLD, PRED, accepted, refused, write
from refusals import refused_with

from spacy_nereval.cli.command_options import Model
from spacy_nereval.cli.counting_documents import CountTask
from spacy_nereval.cli.guards import NamedInputs
from spacy_nereval.core.arguments import Reading
from spacy_nereval.features.parts.corpus_lists import corpus_values
from spacy_nereval.features.parts.parts_command import CountWorkers, Workers
from spacy_nereval.io.count_files import load
from spacy_nereval.metrics.registry import create_all

COUNT: dict[str, Any] = {"first": None, "others": None, "files_from": None, "format": None, "both": False}
EVALUATE: dict[str, Any] = {"model": "model", "data": None, "files_from": None, "format": None}
SIDES = ["gold/a.jsonl", "gold/b.jsonl", "pred/a.jsonl", "pred/b.jsonl"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch) -> None:
    """Two files of gold annotation, and of predictions."""
    monkeypatch.chdir(tmp_path)
    for side, rows in (("gold", GOLD), ("pred", PRED)):
        Path(side).mkdir()
        for name in ("a", "b"):
            write(Path(side, f"{name}.jsonl"), *({**row, "id": f"{name}{k}"} for k, row in enumerate(rows)))
    Path("list.txt").write_text("gold/a.jsonl\tpred/a.jsonl\n\n gold/b.jsonl \t pred/b.jsonl\n")
    Path("golds.txt").write_text("gold/*.jsonl\n")


@pytest.mark.parametrize(
    "given",
    [
        {"first": "gold/a.jsonl", "others": SIDES[1:]},
        {"first": "gold/*.jsonl", "others": ["pred/*.jsonl"]},
        {"first": "gold", "others": ["pred"], "format": "jsonl"},
        {"files_from": Path("list.txt")},
    ],
    ids=["files", "patterns", "folders", "list"],
)
def test_a_corpus_is_named_by_files_patterns_folders_or_a_list(given):
    values = corpus_values(COUNT | given)
    assert [values["first"], *values["others"]] == SIDES


@pytest.mark.parametrize(
    "given", [{"data": ["gold/?.jsonl"]}, {"data": ["gold"], "format": "jsonl"}, {"files_from": Path("golds.txt")}]
)
def test_a_model_is_evaluated_on_the_files_of_gold_annotation(given):
    assert corpus_values(EVALUATE | given)["data"] == SIDES[:2]


def test_options_of_metrics_stay_behind_the_files():
    values = corpus_values(COUNT | {"first": "gold/*.jsonl", "others": ["pred/*.jsonl", "--fair.beta", "2"]})
    assert values["others"] == [*SIDES[1:], "--fair.beta", "2"]


def test_a_corpus_without_files_or_with_a_list_beside_files_is_refused():
    with refused_with(
        ValueError,
        "there are no files to count: give GOLD... and PRED..., or a list with --files-from",
    ):
        corpus_values(COUNT)
    with refused_with(
        ValueError,
        "gold/a.jsonl and --files-from list.txt exclude each other: list the files in one place",
    ):
        corpus_values(COUNT | {"first": "gold/a.jsonl", "files_from": Path("list.txt")})


def task(number: int) -> CountTask:
    """So many pairs of files to count."""
    return CountTask(
        None, SIDES[:number], SIDES[2 : 2 + number], create_all({"strict": {}}), Reading(), Model(None, -1)
    )


def workers(kind: type[Workers] = Workers, **options: Any) -> Workers:
    """The options, the others as they are when they are not given."""
    return kind(**{"engine": None, "workers": None, "parts": None, "files_from": None, "wait": 0, **options})


def test_workers_count_several_files_and_a_single_one_if_asked_for():
    assert workers().takes(task(2)) and not workers().takes(task(1))
    for option in ({"engine": "loky"}, {"workers": 1}, {"parts": "folder"}):
        assert workers(**option).takes(task(1)), option
    assert workers(CountWorkers, append=True).takes(task(1)) and not workers(CountWorkers, append=False).takes(task(1))


def test_without_the_feature_several_files_are_refused_and_one_is_counted():
    with refused_with(
        ValueError,
        "2 files of gold annotation are given, and one is expected: count several one by one, and "
        "add the counts with 'nereval merge'",
    ):
        task(2).counts()
    assert task(1).counter([workers()]) is None
    assert task(1).counts().documents == len(GOLD)


def test_breakdowns_need_texts_which_workers_do_not_keep():
    said = refused("evaluate", "no_such_model", *SIDES[:2], "--by", "eLen")
    assert "--by needs every span, and workers keep no spans: evaluate one file, without workers" in said
    said = refused("evaluate", "no_such_model", *SIDES[:2], "--tables", "groups")
    assert "--tables groups: a corpus that workers count keeps no texts, so repeated errors are not known" in said


def test_append_looks_for_repeats_unless_told_otherwise():
    given = {**COUNT, "first": SIDES[0], "others": SIDES[2:3], "append": True, "collapse": True}
    for asked, looked in ((None, True), (False, False), (True, True)):
        assert CountWorkers.prepare({**given, "check_repeats": asked})["check_repeats"] is looked
    with refused_with(ValueError, "--append is for collapsed counts: give --collapse, too"):
        CountWorkers.prepare({**given, "collapse": False})


def test_the_folder_of_parts_is_checked():
    given = {"output": Path("nereval-parts/counts-a.jsonl.npz"), "parts": None}
    with refused_with(
        ValueError,
        "nereval-parts/counts-a.jsonl.npz has the name of a part, and parts are inputs, so it cannot "
        "be the output: choose another",
    ):
        Workers.check_files(given, NamedInputs(SIDES))
    with refused_with(
        ValueError,
        "--parts gold/deep is in gold, which is an input, so no parts can be written there: choose another folder",
    ):
        Workers.check_files({"parts": "gold/deep"}, NamedInputs(["gold"]))
    Workers.check_files({"parts": "parts"}, NamedInputs(SIDES))


def test_new_files_are_added_to_counts_and_old_ones_are_skipped():
    add = ("-m", "strict", "--collapse", "--append", "--replicates", "0", "-o", "all.npz")
    for name in ("a", "b"):
        assert "counts of" in accepted("count", f"gold/{name}.jsonl", f"pred/{name}.jsonl", *add)
    assert load(Path("all.npz")).documents == 2 * len(GOLD)
    assert "nothing to add to all.npz" in accepted("count", "gold/b.jsonl", "pred/b.jsonl", *add)
