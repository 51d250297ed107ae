"""docs/explanation/leaderboards.md: written from its numbers, which are those of the outputs that teams submitted."""

import csv
import gzip
import json
import re
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


def test_the_paper_has_the_numbers_of_the_page():
    paper = " ".join((ROOT / "paper.md").read_text(encoding="utf8").split())
    (said,) = re.findall(
        r"\*\*(\d+ of \d+ neighbours in the tables can be told apart)\*\*", page.PAGE.read_text("utf8")
    )
    assert said in paper
    assert ("no order that another measure changes holds beyond chance by both" in paper) == (
        "none differs beyond chance by both" in page.PAGE.read_text("utf8")
    )


def test_all_published_scores_are_reproduced():
    """Those of entities, as the official scorers count them, and those of surface forms."""
    for board in BOARDS:
        for name, own in board["systems"].items():
            assert round(100 * page.official(own, board["spans"]), 2) == round(100 * own["published"], 2), name
            assert page.official(own, board["spans"]) <= own["scores"]["strict"][0] + 1e-6
            if "surface" in own:
                assert round(100 * own["scores"]["mentions"][0], 2) == round(100 * own["surface"], 2), name
    respelt = {(b["name"], s): own["respelt"] for b in BOARDS for s, own in b["systems"].items() if own.get("respelt")}
    assert {name for name, _ in respelt} == {"hipe2020-fr"} and sorted(respelt.values()) == [2, 6, 8, 8]
    published = {name: (own["published"], own["surface"]) for name, own in BOARDS[0]["systems"].items()}
    assert published == {
        name: (round(a / 100, 4), round(b / 100, 4)) for name, (a, b) in leaderboards.PUBLISHED.items()
    }


def test_numbers_of_a_board_are_consistent():
    for board in BOARDS:
        systems, number = board["systems"], len(board["systems"])
        assert sum(board["found_by"]) == board["spans"]
        assert len(board["found_by"]) == number + 1
        assert len(board["pairs"]) == number * (number - 1) // 2
        hits = sum(k * spans for k, spans in enumerate(board["found_by"]))
        assert hits == sum(own["verdicts"]["tp"] for own in systems.values())
        for by in ("labels", "words"):
            numbers = board["unfound"][by].values()
            assert [sum(column) for column in zip(*numbers)] == [board["spans"], board["found_by"][0]]
        assert 0 < board["unfound"]["touched"] < board["found_by"][0]
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
    assert page.swapped(board, "slot_error") == [("b", "c")]
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
            other = {"_": "O"} if run.startswith(("team2", "team3")) else {}  # so they write this word in their files
            text = [
                f"{other.get(row[0], row[0])}\t{row[column]}\t_"
                if row[1:]
                else row[0].replace("# document", "# hipe2022:document_id =")
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


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not TASKS.is_dir(), reason="the submissions are not beside this clone")
def test_the_numbers_are_those_of_the_outputs(tmp_path):
    wnut, data, submitted = clones(tmp_path)
    boards = [leaderboards.wnut17(wnut), *(leaderboards.hipe(data, submitted, name) for name in leaderboards.HIPE)]
    for board, expected in zip(boards, BOARDS, strict=True):
        assert leaderboards.rounded(leaderboards.numbers(board)) == expected, board.name
    with (TASKS / "hipe2022" / "published.csv").open(encoding="utf8", newline="") as file:
        rows = {row["run"]: row for row in csv.DictReader(file)}
    for board in BOARDS[1:]:
        for name, own in board["systems"].items():
            precise = own["scores"]["semeval"][0] - 2 * own["respelt"] / (own["spans"] + board["spans"])
            assert precise == pytest.approx(float(rows[name]["exact_f1"]), abs=2e-6), name
    assert ROOT in page.NUMBERS.parents


def test_spans_that_nobody_finds_and_hits_in_other_words_by_hand():
    from spacy_nereval import Document

    gold = [(0, 3, "A"), (4, 9, "B"), (10, 13, "A")]
    one = [Document(gold, [(0, 3, "A")], "aaa b bbb ccc")]
    two = [Document(gold, [(4, 5, "B"), (10, 13, "B")], "aaa b bbb ccc")]
    assert leaderboards.unfound([one, two]) == {
        "labels": {"A": [2, 1], "B": [1, 1]}, "words": {"1": [2, 1], "2": [1, 1]}, "touched": 2
    }  # fmt: skip
    words = [("x", "B-A"), ("_", "I-A"), ("y", "O"), ("z", "B-A")]
    other = [("x", "B-A"), ("O", "I-A"), ("w", "O"), ("z", "B-A")]
    assert leaderboards.respelt_hits(words, other) == 1 and leaderboards.respelt_hits(words, words) == 0
