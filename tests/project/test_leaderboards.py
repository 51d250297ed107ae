"""docs/explanation/leaderboards.md: written from its numbers, which are those of the outputs that teams submitted."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from places import DATA, ROOT, script

page = script("leaderboard_page")
leaderboards = script("leaderboards")
NUMBERS: dict[str, Any] = json.loads(page.NUMBERS.read_text(encoding="utf8"))
BOARDS = NUMBERS["boards"]
TASKS = DATA / "shared_tasks"


def test_the_page_and_its_pictures_follow_from_the_numbers():
    for path, text in page.pages(NUMBERS).items():
        assert path.read_text(encoding="utf8") == text, path


def test_the_published_scores_are_reproduced():
    """All to two decimals, but four of one data set, which the page names."""
    other = {
        (board["name"], name)
        for board in BOARDS
        for name, own in board["systems"].items()
        if round(100 * own["published"], 2) != pytest.approx(round(100 * own["scores"]["strict"][0], 2), abs=0.005)
    }
    assert {name for name, _ in other} == {"hipe2020-fr"}
    assert len(other) == 4
    assert len(leaderboards.PUBLISHED) == len(BOARDS[0]["systems"]) == 7


def test_numbers_of_a_board_are_consistent():
    for board in BOARDS:
        systems, number = board["systems"], len(board["systems"])
        assert sum(board["found_by"]) == board["spans"]
        assert len(board["found_by"]) == number + 1
        assert len(board["pairs"]) == number * (number - 1) // 2
        hits = sum(k * spans for k, spans in enumerate(board["found_by"]))
        assert hits == sum(own["verdicts"]["tp"] for own in systems.values())
        for pair in board["pairs"]:
            a, b = (systems[name]["scores"] for name in pair["systems"])
            for metric, (difference, low, high, p) in pair["tests"].items():
                assert difference == pytest.approx(b[metric][0] - a[metric][0], abs=1e-6)
                assert low <= difference <= high
                assert (p <= page.LEVEL) == (low > 0 or high < 0)


def test_ranks_and_corrections_by_hand():
    """Three systems by two metrics; Holm's correction of .03 and .02 for two tests is .04 for both."""

    def scores(strict: float, cost: float) -> dict[str, Any]:
        return {"scores": {"strict": [strict, 0, 1], "slot_error": [cost, 0, 1]}}

    board = {
        "name": "wnut17",
        "systems": {"a": scores(0.5, 0.9), "b": scores(0.7, 0.4), "c": scores(0.6, 0.3)},
        "pairs": [
            {"systems": ["a", "b"], "tests": {"strict": [0.2, 0, 1, 0.001]}},
            {"systems": ["a", "c"], "tests": {"strict": [0.1, 0, 1, 0.03]}},
            {"systems": ["b", "c"], "tests": {"strict": [-0.1, 0, 1, 0.02]}},
        ],
    }
    assert [page.order(board, metric) for metric in ("strict", "slot_error")] == [["b", "c", "a"], ["c", "b", "a"]]
    assert page.neighbours(board, "strict") == [("b", "c"), ("c", "a")]
    assert page.corrected(board, page.neighbours(board, "strict"), "strict") == pytest.approx([0.04, 0.04])
    assert page.level_with_first(board, "strict") == []
    assert page.plain("neurbsl_bundle3_letemps_fr_1") == "neurbsl 3.1"


def clones(folder: Path) -> list[Path]:
    """Write the shared outputs as the repositories have them, and return the folders."""
    wnut, data, submitted = (folder / name for name in ("wnut17", "data", "eval"))
    (wnut / "submissions").mkdir(parents=True)
    (wnut / "emerging.test.annotated").write_bytes((DATA / "wnut17" / "emerging.test.annotated").read_bytes())
    for path in (TASKS / "wnut17").glob("*.gz"):
        (wnut / "submissions" / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    with (TASKS / "hipe2022" / "published.csv").open(encoding="utf8", newline="") as file:
        published = {row["run"]: row for row in csv.DictReader(file)}
    for path in (TASKS / "hipe2022").glob("*.gz"):
        name = path.name.partition(".")[0]
        of_set, language = name.split("-")
        lines = gzip.decompress(path.read_bytes()).decode().split("\n")
        for column, run in enumerate(lines[0].split("\t")[1:], start=1):
            target = submitted / leaderboards.RUNS_OF_HIPE / f"{run}.tsv"
            if run == "gold":
                target = data / leaderboards.GOLD_OF_HIPE.format(set=of_set, language=language)
            target.parent.mkdir(parents=True, exist_ok=True)
            rows = [line.split("\t") for line in lines[1:] if line]
            text = [
                f"{row[0]}\t{row[column]}\t_" if row[1:] else row[0].replace("# document", "# hipe2022:document_id =")
                for row in rows
            ]
            target.write_text("\n".join(["TOKEN\tNE-COARSE-LIT\tMISC", *text, ""]), encoding="utf8")
            if run in published:
                correct, possible, actual = (int(published[run][key]) for key in ("correct", "possible", "actual"))
                result = submitted / leaderboards.RESULTS_OF_HIPE / f"{run}_nerc_coarse.tsv"
                result.parent.mkdir(parents=True, exist_ok=True)
                row = f"{leaderboards.STRICT_OF_HIPE}\tALL\t{correct}\t{actual - correct}\t{possible - correct}"
                result.write_text(f"Evaluation\tLabel\tTP\tFP\tFN\n{row}\n", encoding="utf8")
    return [wnut, data, submitted]


@pytest.mark.slow
@pytest.mark.skipif(not TASKS.is_dir(), reason="the submissions are not beside this clone")
def test_the_numbers_are_those_of_the_outputs(tmp_path):
    wnut, data, submitted = clones(tmp_path)
    boards = [leaderboards.wnut17(wnut), *(leaderboards.hipe(data, submitted, name) for name in leaderboards.HIPE)]
    for board, expected in zip(boards, BOARDS, strict=True):
        assert leaderboards.rounded(leaderboards.numbers(board)) == expected, board.name
    assert ROOT in page.NUMBERS.parents
