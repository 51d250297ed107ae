"""benchmarks/leaderboards.md: its numbers are those of the results, which are those of the outputs of teams."""

import csv
import gzip
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from commands import accepted
from places import DATA, ROOT

from spacy_nereval import Leaderboard, leaderboard, score

ASSETS = ROOT / "assets" / "leaderboards"
PAGE = (ROOT / "benchmarks" / "leaderboards.md").read_text(encoding="utf8")
TEXT = " ".join(PAGE.split())
PUBLISHED: dict[str, dict[str, dict[str, float]]] = json.loads((ASSETS / "published.json").read_text("utf8"))
RESULTS = {name: Leaderboard.load(ASSETS / f"{name}.json") for name in ("wnut17", "hipe2022")}
BOARDS: dict[str, dict[str, Any]] = {
    board["data_set"]: board for result in RESULTS.values() for board in result["data_sets"]
}
TASKS = DATA / "shared_tasks"
RESPELT = {("hipe2020-fr", system) for system in ("team2-1-1", "team2-1-2", "team2-3-1", "team3-4-1")}
"""Runs that write some words otherwise than gold, which is an error for the official scorer."""


def shown(board: dict[str, Any]) -> set[tuple[str, str]]:
    """The pairs of systems of which the second is shown to be better."""
    return {tuple(pair["systems"]) for pair in board["pairs"] if pair["shown"]}


def test_all_published_scores_are_reproduced():
    assert {name: {row["system"] for row in board["scores"]} for name, board in BOARDS.items()} == {
        name: {*systems} for name, systems in PUBLISHED.items()
    }
    for name, board in BOARDS.items():
        for row in board["scores"]:
            gap = 100 * row["value"] - PUBLISHED[name][row["system"]]["f"]
            if (name, row["system"]) in RESPELT:
                assert 0.05 <= gap <= 0.55, row["system"]
            else:
                assert abs(gap) <= 0.005 + 1e-9, row["system"]


def test_the_sentences_of_the_page_follow_from_the_results():
    ranked = {name: [row["system"] for row in board["scores"]] for name, board in BOARDS.items()}
    apart = [(b, a) in shown(BOARDS[name]) for name, systems in ranked.items() for a, b in pairwise(systems)]
    assert f"**{sum(apart)} of {len(apart)} neighbours in the tables can be told apart**" in TEXT
    assert f"The other {len(apart) - sum(apart)} could have" in TEXT
    assert f"ranks the {sum(map(len, ranked.values()))} systems of {len(ranked)} such tables" in TEXT
    top = {name: [row["system"] for row in board["scores"] if row["top"]] for name, board in BOARDS.items()}
    assert f"In {sum(len(group) > 1 for group in top.values())} of {len(top)} tables other systems" in TEXT
    others = [name for name, group in top.items() if len({system.split("-")[0] for system in group}) > 1]
    assert others == ["wnut17", "letemps-fr"] and "In 2, WNUT 2017 and Le Temps, these are of other teams" in TEXT
    wide = max(row["high"] - row["low"] for board in BOARDS.values() for row in board["scores"])
    assert f"up to {100 * wide:.0f} points of F" in TEXT
    wnut = RESULTS["wnut17"]
    first = {block["metric"]: block["data_sets"][0]["scores"][0]["system"] for block in (wnut, *wnut["further"])}
    assert {metric for metric, system in first.items() if system == "uh_ritual"} == {"strict", "slot_error", "wrf"}
    assert first["semeval"] == "arcada"
    assert {first[metric] for metric in first if metric in ("loio", "fair", "char", "token")} == {"spinningbytes"}
    assert len(top["wnut17"]) == 5 and "The best five of seven systems are the top group" in TEXT
    assert len(RESULTS["hipe2022"]["means"]) == 2 and "Only two systems have a mean" in TEXT


def test_the_paper_has_the_numbers_of_the_page():
    paper = " ".join((ROOT / "paper.md").read_text(encoding="utf8").split())
    (said,) = re.findall(r"\*\*(\d+ of \d+ neighbours in the tables can be told apart)\*\*", TEXT)
    assert said in paper
    assert "no order that another measure changes holds beyond chance by both" in paper
    assert "none differs beyond chance by both" in TEXT


@pytest.mark.costly
def test_the_pictures_show_the_results():
    for name, result in RESULTS.items():
        drawn = (ROOT / "benchmarks" / f"leaderboards-{name}.svg").read_text(encoding="utf8")
        made = result.plot("leaderboard")._repr_svg_()
        words, points = r">([^<]+)</text>", r'd="M[^"]*" fill="#'
        assert re.findall(words, drawn) == re.findall(words, made)
        assert len(re.findall(points, drawn)) == len(re.findall(points, made)) > 0


# With the outputs of the teams, where these lie beside the clone


def clones(folder: Path) -> None:
    """Write the shared outputs as the repositories have them."""
    wnut, data, submitted = (folder / name for name in ("emerging_entities_17", "HIPE-2022-data", "HIPE-2022-eval"))
    (wnut / "submissions").mkdir(parents=True)
    (wnut / "emerging.test.annotated").write_bytes((DATA / "wnut17" / "emerging.test.annotated").read_bytes())
    for path in (TASKS / "wnut17").glob("*.gz"):
        (wnut / "submissions" / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    for path in (TASKS / "hipe2022").glob("*.gz"):
        name, language = path.name.partition(".")[0].split("-")
        lines = gzip.decompress(path.read_bytes()).decode().split("\n")
        for column, run in enumerate(lines[0].split("\t")[1:], start=1):
            target = submitted / "evaluation/system-responses/submitted" / f"{run}.tsv"
            if run == "gold":
                target = data / "data/v2.1" / name / language / f"HIPE-2022-v2.1-{name}-test-{language}.tsv"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("\n".join(["TOKEN\tNE-COARSE-LIT\tMISC", *columns(lines[1:], column), ""]), "utf8")


def columns(lines: list[str], column: int) -> Iterator[str]:
    """Yield the lines of the file of a run, from those of all runs."""
    for line in filter(None, lines):
        cells = line.split("\t")
        yield (
            f"{cells[0]}\t{cells[column]}\t_"
            if cells[1:]
            else cells[0].replace("# document", "# hipe2022:document_id =")
        )


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders that the code of the page makes of the clones."""
    folder = tmp_path_factory.mktemp("study")
    clones(folder)
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S) if "write_data_set" in block)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(code, "leaderboards.md", "exec"), {})
    return folder


needs_outputs = pytest.mark.skipif(not TASKS.is_dir(), reason="the submissions are not beside this clone")


@pytest.mark.nightly
@pytest.mark.slow
@needs_outputs
def test_the_commands_of_the_page_make_the_results(folders, monkeypatch):
    monkeypatch.chdir(folders)
    (block,) = (block for block in re.findall(r"```bash\n(.*?)```", PAGE, flags=re.S) if "nereval leaderboard" in block)
    for line in block.replace("\\\n", " ").strip().split("\n"):
        accepted(*line.split()[1:])
    for name, expected in RESULTS.items():
        found = json.loads((folders / f"{name}.json").read_text(encoding="utf8"))
        assert found["systems"] == expected["systems"]
        for block, other in zip((found, *found["further"]), (expected, *expected["further"]), strict=True):
            for board, expected_board in zip(block["data_sets"], other["data_sets"], strict=True):
                for row, expected_row in zip(board["scores"], expected_board["scores"], strict=True):
                    for key, value in expected_row.items():
                        assert row[key] == (pytest.approx(value) if isinstance(value, float) else value), (name, key)
        pairs = [
            {tuple(p["systems"]) for b in r["data_sets"] for p in b["pairs"] if p["shown"]} for r in (found, expected)
        ]
        assert pairs[0] == pairs[1]


@pytest.mark.nightly
@pytest.mark.slow
@needs_outputs
def test_no_other_order_is_beyond_chance_by_both(folders):
    """Strict F and the headline of another metric, each with Holm's correction over all pairs of a table."""
    changed = firm = 0
    for folder, result in (("wnut2017", RESULTS["wnut17"]), ("hipe2022", RESULTS["hipe2022"])):
        for block in result["further"]:
            name = f"{block['metric']}.{block['score']}"
            other = leaderboard(folders / folder, metrics=[block["metric"]], primary=name, repair="conll")
            for board, others in zip(result["data_sets"], other["data_sets"]):
                order, ranked = ([row["system"] for row in b["scores"]] for b in (board, others))
                swapped = [
                    (a, b) for k, a in enumerate(order) for b in order[k + 1 :] if ranked.index(b) < ranked.index(a)
                ]
                changed += len(swapped)
                firm += sum((b, a) in shown(board) and (a, b) in shown(others) for a, b in swapped)
    assert firm == 0 and f"Of {changed} pairs that another metric orders otherwise than strict F, none" in TEXT


@pytest.mark.nightly
@pytest.mark.slow
@needs_outputs
def test_published_scores_of_surface_forms_and_of_boundaries_are_reproduced(folders):
    surface = {"mentions": {"scope": "hits", "normalise": "exact"}}
    gold = folders / "wnut2017" / "wnut17" / "gold.conll"
    for system, published in PUBLISHED["wnut17"].items():
        found = score(gold, gold.with_name(f"{system}.conll"), surface, repair="conll")
        assert round(100 * found["metrics"]["mentions"]["scores"]["f"], 2) == published["surface"], system
    exact = next(block for block in RESULTS["hipe2022"]["further"] if block["metric"] == "semeval")
    with (TASKS / "hipe2022" / "published.csv").open(encoding="utf8", newline="") as file:
        by_run = {
            (row["data"], re.sub(r"_bundle(\d)_.*_(\d)$", r"-\1-\2", row["run"])): float(row["exact_f1"])
            for row in csv.DictReader(file)
        }
    for board in exact["data_sets"]:
        for row in board["scores"]:
            place = board["data_set"], row["system"]
            assert place in RESPELT or row["value"] == pytest.approx(by_run[place], abs=2e-6), place
