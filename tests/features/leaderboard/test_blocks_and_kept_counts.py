"""Scores of a label, the headline scores of further metrics, and counts that are kept for the next call."""

import json
import sys
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import accepted, flat, line, refused, run, write
from refusals import refused_with

from spacy_nereval import compare, leaderboard, score
from spacy_nereval.cli import counting_documents
from spacy_nereval.features.leaderboard.ranking import metric_to_rank_by

LABELS = ("PER", "LOC", "ORG")
WORDS = [f"word{k}" for k in range(12)]


def made_up(seed: int, documents: int = 40) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """Gold tags of documents of twelve words, and those of three systems of which each is a little better."""
    random = np.random.default_rng(seed)
    tags = [*(f"B-{label}" for label in LABELS), "O"]
    gold = [[*random.choice(tags, len(WORDS), p=[0.2, 0.1, 0.1, 0.6])] for _ in range(documents)]
    systems = {
        name: [[tag if random.random() < skill else str(random.choice(tags)) for tag in sentence] for sentence in gold]
        for name, skill in {"a": 0.5, "b": 0.6, "c": 0.8}.items()
    }
    return gold, systems


X, Y = made_up(0), made_up(1)
METRICS = ["strict", "fair", "slot_error", "wrf"]
TOKENS = {"tokens": [WORDS] * 40}


def cells(result: Any, name: str) -> dict[str, dict[str, Any]]:
    return {row["system"]: row for row in next(b for b in result["data_sets"] if b["data_set"] == name)["scores"]}


@pytest.mark.costly
@pytest.mark.parametrize("label", [None, "LOC"])
def test_every_block_has_the_numbers_of_score_to_the_last_digit(label):
    gold, systems = X
    result = leaderboard(gold, systems, METRICS, label=label, **TOKENS)
    assert [(block["metric"], block["score"]) for block in (result, *result["further"])] == [
        ("strict", "f"),
        ("fair", "f"),
        ("slot_error", "ser"),
        ("wrf", "wrf" if label is None else "r1_f"),
    ]
    for name, pred in systems.items():
        alone = score(gold, pred, METRICS, confidence=True, **TOKENS)["metrics"]
        for block in (result, *result["further"]):
            of_metric = alone[block["metric"]]
            values = of_metric["scores"] if label is None else of_metric["per_type"][label]["scores"]
            intervals = of_metric["intervals"]["scores" if label is None else "per_type"]
            interval = (intervals if label is None else intervals[label])[block["score"]]
            row = cells(block, "the data set")[name]
            assert row["value"] == values[block["score"]], block["metric"]
            assert [row[key] for key in ("low", "high", "k", "flag")] == [
                interval[key] for key in ("low", "high", "k", "flag")
            ]
            assert ("rank" in row) == (block is result)


@pytest.mark.costly
@pytest.mark.parametrize("metric", ["strict", "wrf"])
def test_pairs_of_a_label_are_those_of_compare_to_the_last_digit(metric):
    gold, systems = X
    result = leaderboard(gold, systems, metric, label="LOC", trials=2000, **TOKENS)
    for pair in result["data_sets"][0]["pairs"]:
        both = {name: systems[name] for name in pair["systems"]}
        compared = compare(both, gold, metric, per_label=True, trials=2000, **TOKENS)
        (row,) = (row for row in compared["comparisons"] if row["label"] == "LOC")
        for key in ("difference", "interval", "p", "p_better", "differing"):
            assert pair[key] == row[key], key


def test_pairs_of_a_metric_of_classes_are_those_of_compare():
    """Labels of a third system are kept apart too, which changes no more than rounding."""
    gold, systems = X
    (board,) = leaderboard(gold, systems, "wrf", trials=2000, **TOKENS)["data_sets"]
    for pair in board["pairs"]:
        both = {name: systems[name] for name in pair["systems"]}
        row = next(r for r in compare(both, gold, "wrf", trials=2000, **TOKENS)["comparisons"] if r["family"])
        for key in ("difference", "p", "p_better", "differing"):
            assert pair[key] == pytest.approx(row[key], abs=1e-12), key
        assert pair["interval"] == pytest.approx(row["interval"], abs=1e-9)


@pytest.mark.costly
def test_means_of_further_blocks_are_those_of_their_cells():
    result = leaderboard({"x": X, "y": Y}, metrics=["strict", "fair"])
    (block,) = result["further"]
    for row in block["means"]:
        x, y = (cells(block, name)[row["system"]] for name in "xy")
        assert isclose(row["value"], (x["value"] + y["value"]) / 2)
        assert isclose(row["value"] - row["low"], sqrt(sum((c["value"] - c["low"]) ** 2 for c in (x, y))) / 2)
    first, second = (result.to_frame(name) for name in ("leaderboard", "further"))
    assert [*second["system"]] == [*first["system"]], "in the order of the leaderboard"
    assert [*second.columns][:4] == ["system", "x", "x low", "x high"] and "By fair F" in result.summary()
    both = leaderboard({"x": X, "y": Y}, metrics=["fair", "strict"], primary="strict_f")
    assert both["further"] == result["further"] and both["means"] == result["means"]


@pytest.mark.costly
def test_a_metric_that_not_all_count_files_have_is_no_block():
    gold, systems = X
    results = {name: score(gold, pred, ["strict", "fair"]) for name, pred in systems.items()}
    assert [block["metric"] for block in leaderboard(None, results)["further"]] == ["fair"]
    assert not leaderboard({"x": results, "y": {"a": score(*X[:1], X[1]["a"], "strict")}})["further"]


def test_a_label_that_only_one_data_set_has():
    gold, systems = Y
    other = (
        [[tag.replace("LOC", "PER") for tag in sentence] for sentence in gold],
        {
            name: [[tag.replace("LOC", "PER") for tag in sentence] for sentence in pred]
            for name, pred in systems.items()
        },
    )
    result = leaderboard({"x": X, "y": other}, label="LOC")
    assert all(row["value"] is None and row["rank"] is None for row in cells(result, "y").values())
    assert all(row["rank"] for row in cells(result, "x").values())
    assert "y" in repr(result) and "of LOC" in repr(result) and "|label:LOC|" in result.signature
    with refused_with(
        ValueError,
        "label='LOCC': there is no label 'LOCC': did you mean 'LOC'? There are LOC, ORG, PER",
    ):
        leaderboard(*X, label="LOCC")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("primary", "metric"), [(None, "strict"), ("fair_f", "fair"), ("slot_error.ser", "slot_error"), ("char.f", "char")]
)
def test_only_the_metric_of_the_primary_score_is_counted(primary, metric):
    assert metric_to_rank_by(primary) == metric
    result = leaderboard(*X, primary=primary)
    assert result["metric"] == metric and result["further"] == []


# The command


def rows(hits: int, size: int = 12) -> list[dict[str, Any]]:
    """Texts in which Ada is found everywhere, Bob so many times."""
    spans = [(0, 3, "PER"), (8, 11, "LOC")]
    return [line("Ada met Bob", *spans[: 1 + (k < hits)], id=f"d{k}") for k in range(size)]


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    for name, hits in {"gold": 12, "a": 0, "b": 9, "c": 11}.items():
        write(tmp_path / f"{name}.jsonl", *rows(hits))
    write(tmp_path / "labels.json", {"LOC": "PLACE"})
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def counted(monkeypatch) -> list[str]:
    """The systems that were counted."""
    systems: list[str] = []
    count = counting_documents.count_documents

    def recorded(*arguments: Any, **how: Any) -> Any:
        systems.append(how["system"])
        return count(*arguments, **how)

    monkeypatch.setattr(counting_documents, "count_documents", recorded)
    return systems


def result_of(*arguments: Any) -> Any:
    accepted("leaderboard", *arguments, "-o", "out.json")
    return json.loads(Path("out.json").read_text(encoding="utf8"))


KEEP = ("--keep-counts", "kept/counts")


@pytest.mark.costly
def test_kept_counts_change_nothing_and_a_new_system_costs_only_itself(files, counted):
    fresh = result_of("gold.jsonl", "a.jsonl", "b.jsonl", "c.jsonl")
    assert counted == ["a", "b", "c"]
    kept = result_of("gold.jsonl", "a.jsonl", "b.jsonl", *KEEP)
    counted.clear()
    assert result_of("gold.jsonl", "a.jsonl", "b.jsonl", *KEEP) == kept and counted == []
    assert result_of("gold.jsonl", "a.jsonl", "b.jsonl", "c.jsonl", *KEEP) == fresh and counted == ["c"]
    assert len([*Path("kept/counts").iterdir()]) == 3
    accepted("score", next(Path("kept/counts").glob("*.npz")))


@pytest.mark.costly
@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({"gold.jsonl": rows(10)}, ()),
        ({"a.jsonl": rows(5)}, ()),
        ({}, ("--only", "PER")),
        ({}, ("-m", "fair")),
        ({}, ("--strict.beta", "2")),
        ({}, ("--labels", "LOC=PLACE")),
        ({}, ("--unit", "document")),
    ],
)
def test_counts_are_made_again_if_a_file_or_an_option_differs(files, counted, change, options):
    result_of("gold.jsonl", "a.jsonl", *KEEP)
    for name, content in change.items():
        write(files / name, *content)
    expected = result_of("gold.jsonl", "a.jsonl", *options)
    counted.clear()
    assert result_of("gold.jsonl", "a.jsonl", *options, *KEEP) == expected and counted == ["a"]


def test_counts_are_made_again_if_a_file_of_an_option_has_changed(files, counted):
    options = ("--labels", "labels.json", *KEEP)
    result_of("gold.jsonl", "a.jsonl", *options)
    write(files / "labels.json", {"LOC": None})
    expected = result_of("gold.jsonl", "a.jsonl", "--labels", "labels.json")
    counted.clear()
    assert result_of("gold.jsonl", "a.jsonl", *options) == expected and counted == ["a"]


def test_counts_are_made_again_if_the_file_of_names_of_tags_has_changed(files):
    for name, tags in (("gold", [1, 0]), ("a", [1, 1])):
        write(files / f"tags-{name}.jsonl", *[{"tokens": ["Ada", "met"], "ner_tags": tags}] * 4)
    options = ("tags-gold.jsonl", "tags-a.jsonl", "--tag-names", "names.json")
    found = []
    for names in (["O", "B-PER"], ["B-PER", "O"]):
        (files / "names.json").write_text(json.dumps(names))
        found.append(result_of(*options, *KEEP))
        assert found[-1] == result_of(*options)
    assert found[0] != found[1]


def test_counts_are_made_again_by_another_version_and_if_they_are_damaged(files, counted, monkeypatch):
    result_of("gold.jsonl", "a.jsonl", *KEEP)
    (path,) = Path("kept/counts").iterdir()
    content = path.read_bytes()
    path.write_bytes(content[:200])
    result = run("leaderboard", "gold.jsonl", "a.jsonl", *KEEP)
    assert result.exit_code == 0 and f"{path}" in flat(result.stderr) and "counted again" in flat(result.stderr)
    assert path.stat().st_size > 200 and counted == ["a", "a"]
    monkeypatch.setattr("spacy_nereval.features.leaderboard.kept_counts.__version__", "9")
    result_of("gold.jsonl", "a.jsonl", *KEEP)
    assert counted == ["a", "a", "a"] and len([*Path("kept/counts").iterdir()]) == 2


def test_gold_of_several_files_is_read_anew_when_one_of_them_changes(files, counted):
    (files / "parts").mkdir()
    parts = [[{**row, "id": f"{k}-{row['id']}"} for row in rows(12)] for k in range(2)]
    for k, part in enumerate(parts):
        write(files / "parts" / f"{k}.jsonl", *part)
    write(files / "all.jsonl", *parts[0], *parts[1])
    first = result_of("parts/*.jsonl", "all.jsonl", *KEEP)
    assert result_of("parts/*.jsonl", "all.jsonl", *KEEP) == first and counted == ["all"]
    write(files / "parts" / "1.jsonl", *({**row, "id": f"1-{row['id']}"} for row in rows(3)))
    assert result_of("parts/*.jsonl", "all.jsonl", *KEEP) != first and counted == ["all", "all"]


def test_warnings_of_kept_counts_are_said_again(files):
    write(files / "d.jsonl", *(line("Ada met Bob", (0, 3, "PERSON"), id=f"d{k}") for k in range(12)))
    said = [run("leaderboard", "gold.jsonl", "d.jsonl", *KEEP).stderr for _ in range(2)]
    assert "PERSON" in said[0] and said[0] == said[1]


def test_a_label_and_blocks_at_the_command(files):
    found = result_of("gold.jsonl", "a.jsonl", "b.jsonl", "--label", "LOC", "-m", "strict,fair")
    gold, systems = "gold.jsonl", {"a": "a.jsonl", "b": "b.jsonl"}
    expected = leaderboard(gold, systems, "strict,fair", label="LOC")
    assert {**found, "data_sets": found["data_sets"]} == expected
    printed = accepted("leaderboard", "gold.jsonl", "a.jsonl", "b.jsonl", "--label", "LOC", "-m", "strict,fair")
    assert "Leaderboard by strict F of LOC" in printed and "By fair F of LOC" in printed
    assert "--label XX: there is no label 'XX'" in refused("leaderboard", "gold.jsonl", "a.jsonl", "--label", "XX")


@pytest.mark.costly
def test_systems_are_named_alike_in_leaderboards_and_comparisons(files):
    accepted("compare", "gold.jsonl", "old=a.jsonl", "new=b.jsonl,c.jsonl", "-o", "named.json")
    accepted("compare", "gold.jsonl", "--system", "old=a.jsonl", "--system", "new=b.jsonl,c.jsonl", "-o", "system.json")
    accepted("compare", "gold.jsonl", "a.jsonl", "n=b.jsonl", "-o", "mixed.json")
    named, system, mixed = (json.loads(Path(f"{name}.json").read_text()) for name in ("named", "system", "mixed"))
    assert named == system and named["runs"] == [1, 2]
    assert mixed["baseline"] == "a" and mixed["comparisons"][0]["system"] == "n"
    assert "there is a system a already" in refused("compare", "gold.jsonl", "a=b.jsonl", "a.jsonl")
    assert "is an input" in refused("compare", "gold.jsonl", "a=a.jsonl", "b=b.jsonl", "-o", "b.jsonl")
    for name in "ab":
        accepted("count", "gold.jsonl", f"{name}.jsonl", "-o", f"{name}.npz", "-m", "strict")
    accepted("compare", "first=a.npz", "second=b.npz", "-o", "counts.json")
    assert json.loads(Path("counts.json").read_text())["baseline"] == "first"
    assert "is an input" in refused("compare", "first=a.npz", "second=b.npz", "-o", "a.npz")


@pytest.mark.slow
def test_the_figure_of_the_command_is_that_of_python(files):
    accepted("leaderboard", "gold.jsonl", "a.jsonl", "b.jsonl", "c.jsonl", "--figure", "all.svg")
    result = leaderboard("gold.jsonl", {name: f"{name}.jsonl" for name in "abc"})
    figure = result.plot("leaderboard")
    assert Path("all.svg").read_text(encoding="utf8") == figure._repr_svg_()
    drawn = {value["system"]: value for value in figure.spec["data"]["values"]}
    assert [*drawn] == result["systems"]
    for row in result.rows:
        numbers = [100 * row[key] for key in ("value", "low", "high")]
        assert [drawn[row["system"]][key] for key in ("value", "low", "high")] == numbers
        assert drawn[row["system"]]["top"] == row["top"]
    assert "is an input" in refused("leaderboard", "gold.jsonl", "a.jsonl", "--figure", "a.jsonl")


@pytest.mark.costly
def test_the_page_has_the_figure_before_the_tables(tmp_path, monkeypatch):
    gold, systems = X
    result = leaderboard(gold, {"<b>&": systems["a"], "c": systems["c"]})
    result.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf8")
    figure, _, table = page.partition("</figure>")
    assert result.plot().svg in figure and "<table>" in table and "<table>" not in figure and "<b>&<" not in page
    assert "&lt;b>&amp;" in figure or "&lt;b&gt;&amp;" in figure
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    result.save(tmp_path / "plain.html")
    plain = (tmp_path / "plain.html").read_text(encoding="utf8")
    assert "<svg" not in plain and table.strip()[:40] in plain


def test_the_figure_of_several_data_sets_has_a_black_mean():
    figure = leaderboard({"x": X, "y": Y}).plot()
    assert [v["set"] for v in figure.spec["data"]["values"]] == ["x", "y", "mean"] * 3
    assert "#1b1e22" in str(figure.spec["layer"][1]["encoding"]["color"])
