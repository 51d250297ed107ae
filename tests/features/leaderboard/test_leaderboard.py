"""`leaderboard`: what it takes, what its tables and sentences say, and the command with the same numbers."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from boards import board, digits, tags
from commands import accepted, flat, line, refused, write
from products import mostly_at_night

from spacy_nereval import Counts, Leaderboard, leaderboard, score
from spacy_nereval.features.leaderboard.leaderboard_view import LeaderboardView
from spacy_nereval.features.leaderboard.ranking import rank_systems
from spacy_nereval.io.count_files import save

ADA, BOB = (0, 3, "PER"), (8, 11, "PER")
HITS = {"news": {"a": 0, "b": 9, "c": 10}, "mail": {"a": 0, "b": 8, "c": 8}}
"""In how many documents each system finds Bob; Ada is found everywhere."""
SIZES = {"news": 10, "mail": 8}
TEXTS = {
    "x": {"a": "103 " * 8, "b": "410 " * 7 + "301", "c": "400 " * 8},
    "y": {"a": "202 " * 9, "b": "410 " * 9, "c": "301 " * 9, "d": "004 " * 9},
}


def items(texts: dict[str, str]) -> tuple[Any, dict[str, Any]]:
    """Gold tags, and the predicted tags of each system."""
    both = {name: tags(digits(text)) for name, text in texts.items()}
    return next(iter(both.values()))[0], {name: pred for name, (_, pred) in both.items()}


def expected(**data_sets: dict[str, str]) -> dict[str, Any]:
    boards = {name: board({s: digits(text) for s, text in texts.items()}) for name, texts in data_sets.items()}
    return rank_systems(boards)


DATA_SETS = {name: items(texts) for name, texts in TEXTS.items()}


# In Python


@pytest.mark.costly
def test_data_sets_as_a_table():
    assert leaderboard(DATA_SETS) == expected(**TEXTS)
    assert [(row["data_set"], row["system"]) for row in leaderboard(DATA_SETS).rows][:4] == [
        *(("x", name) for name in "cba"),
        ("y", "b"),
    ]


def test_a_single_data_set():
    gold, systems = DATA_SETS["x"]
    assert leaderboard(gold, systems) == leaderboard({"the data set": (gold, systems)})


@pytest.mark.costly
def test_counts_results_and_count_files(tmp_path):
    gold, systems = DATA_SETS["x"]
    results = {name: score(gold, pred, "strict") for name, pred in systems.items()}
    counts: dict[str, Counts] = {name: result.counts for name, result in results.items()}
    for name, result in results.items():
        save(result.counts, tmp_path / f"{name}.npz")
    files = {name: tmp_path / f"{name}.npz" for name in results}
    for given in (results, counts, files):
        assert leaderboard(None, given) == leaderboard(gold, systems)
        assert leaderboard({"x": given})["data_sets"] == leaderboard({"x": (gold, systems)})["data_sets"]


def test_training_runs_and_folds():
    gold, systems = DATA_SETS["x"]
    runs = leaderboard(gold, {"a": {"run 1": systems["a"], "run 2": systems["b"]}, "c": systems["c"]})
    assert {row["system"]: row["runs"] for row in runs.rows} == {"a": 2, "c": 1}
    halves = {
        f"fold {k}": (gold[part], {name: pred[part] for name, pred in systems.items()})
        for k, part in enumerate((slice(0, 4), slice(4, 8)))
    }
    folded = leaderboard({"x": halves})
    assert [row["folds"] for row in folded.rows] == [2, 2, 2]
    # Tags have no ids, so that units of one position in two folds are paired by it; scores are those of all documents.
    assert [row["value"] for row in folded.rows] == [row["value"] for row in leaderboard({"x": (gold, systems)}).rows]


@pytest.mark.costly
def test_systems_are_sorted_by_means_or_by_a_data_set():
    assert leaderboard(DATA_SETS)["systems"] == ["c", "b", "a", "d"]
    assert leaderboard(DATA_SETS, sort="y")["systems"] == ["b", "c", "a", "d"]
    assert leaderboard(DATA_SETS, sort="y")["data_sets"] == leaderboard(DATA_SETS)["data_sets"]


@pytest.mark.parametrize(
    ("primary", "name"), [("slot_error.ser", ("slot_error", "ser")), ("fair_f", ("fair", "f")), (None, ("strict", "f"))]
)
def test_the_score_to_rank_by(primary, name):
    result = leaderboard(*DATA_SETS["x"], primary=primary)
    assert (result["metric"], result["score"]) == name
    assert [row["system"] for row in result.rows] == ["c", "b", "a"]


def test_results_of_one_data_set_are_the_only_argument():
    gold, systems = DATA_SETS["x"]
    results = {name: score(gold, pred, "strict") for name, pred in systems.items()}
    assert leaderboard(results) == leaderboard(None, results) == leaderboard({"the data set": results})
    assert leaderboard(results).rows == leaderboard(gold, systems).rows


GOLD, SYSTEMS = DATA_SETS["x"]
RESULT = score(GOLD, SYSTEMS["a"], "strict")


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ((GOLD,), {}, "systems are missing: expected leaderboard(gold, {'a': pred"),
        (("nowhere",), {}, "nowhere is neither a folder of data sets nor a table of them (.csv, .jsonl)"),
        (({},), {}, "systems are missing"),
        ((GOLD, {}), {}, "the data set: expected gold annotation and a table of systems"),
        ((GOLD, SYSTEMS["a"]), {}, "the data set: expected gold annotation and a table of systems"),
        ((None, SYSTEMS), {}, "the data set: missing gold annotation"),
        ((GOLD, {"a": RESULT, "b": GOLD}), {}, "the data set: b is given as predictions, and other systems as counts"),
        ((GOLD, {"a": RESULT}), {}, "the data set: gold is given with counts"),
        ((None, {"a": RESULT}), {"metrics": "fair"}, "the data set: metrics is given with counts"),
        ((None, {"a": RESULT}), {"labels": {"PER": "X"}}, "the data set: labels is given with counts"),
        ((DATA_SETS,), {"text": ["x"]}, "text= is given with several data sets"),
        ((DATA_SETS,), {"sort": "z"}, "sort='z': there is no data set 'z'"),
        ((DATA_SETS,), {"primary": "strict.g"}, "primary='strict.g': there is no such score"),
        ((DATA_SETS,), {"level": 2}, "level=2"),
        ((DATA_SETS,), {"trials": 0}, "trials=0"),
        (({"x": (GOLD, SYSTEMS), "y": (GOLD, {"a": GOLD[:3]})},), {}, "y: gold has 8 documents and a has 3 documents"),
        (({"x": {"1": (GOLD, {"a": GOLD}), "2": (GOLD, {"b": GOLD})}},), {}, "x: a has no predictions of fold 2"),
    ],
)
def test_what_python_refuses(given, options, said):
    with pytest.raises(ValueError) as error:
        leaderboard(*given, **options)
    assert said in str(error.value)


# Tables and sentences


@pytest.mark.costly
def test_the_table_at_a_terminal_fits_80_columns(monkeypatch, tmp_path):
    gold, systems = DATA_SETS["y"]
    text = leaderboard({f"{name} of the year": (gold, systems) for name in ("wnut17", "news", "mail", "chat")})
    from spacy_nereval.reporting.terminal import render

    (table,) = LeaderboardView(text).tables(["leaderboard"])
    assert max(map(len, render(table, width=80).splitlines())) <= 80


@pytest.mark.costly
def test_the_tables_in_every_format(tmp_path):
    result = leaderboard(DATA_SETS)
    for ending in ("md", "tex", "csv", "html", "json"):
        result.save(tmp_path / f"a.{ending}")
    said = {ending: (tmp_path / f"a.{ending}").read_text(encoding="utf8") for ending in ("md", "tex", "csv", "html")}
    assert "| c | **100.00†** [58.86, 100.00] | 1 | 85.71 [67.75, 94.49] | 2 | **92.86** [70.41, 97.24] |" in said["md"]
    row = r"c & \textbf{100.00$^\dagger$} {[}58.86, 100.00{]} & 1 & 85.71 {[}67.75, 94.49{]} & 2 & \textbf{92.86}"
    assert row in said["tex"] and r"\toprule" in said["tex"]
    assert '<td class="number"><b>100.00†</b> [58.86, 100.00]</td>' in said["html"]
    rows = [row for row in csv.DictReader(said["csv"].splitlines()) if row["table"] == "Leaderboard by strict F"]
    assert [rows[0][key] for key in ("system", "x", "x low", "x high", "x rank", "mean")] == [
        *("c", "100.00", "58.86", "100.00", "1", "92.86")
    ]
    assert Leaderboard.load(tmp_path / "a.json") == result


def test_the_tables_of_a_single_data_set_and_of_several():
    one, several = leaderboard(*DATA_SETS["x"]), leaderboard(DATA_SETS)
    (table,) = LeaderboardView(one).tables(["leaderboard"])
    assert table.header == ["system", "F", "rank"] and [row[2] for row in table.rows] == ["1", "2", "3"]
    tables = {name: table for name in LeaderboardView.makers for table in LeaderboardView(several).tables([name])}
    assert tables["cells"].rows[0][:3] == ["x", "c", 1] and tables["cells"].rows[0][4:] == [1, 1, "yes"]
    assert tables["pairs"].rows[0][:3] == ["x", "b", "a"] and len(tables["pairs"].rows) == 3 + 6
    assert tables["better"].rows == [["c", "b", 1, 2], ["c", "a", 2, 2], ["b", "c", 1, 2], ["b", "a", 2, 2]]
    assert tables["leaderboard"].rows[-1][:3] == ["d", None, None] and tables["leaderboard"].rows[-1][-1] is None


@pytest.mark.costly
def test_the_sentences_say_who_is_best_and_what_is_not_tested():
    assert (
        leaderboard(*DATA_SETS["x"]).conclusion
        == "c scores better than every other system on the data set by strict F."
    )
    tied = leaderboard(GOLD, {"a": SYSTEMS["c"], "b": SYSTEMS["c"]})
    assert tied.conclusion == "Top group on the data set by strict F: a, b."
    first, *groups = LeaderboardView(leaderboard(DATA_SETS)).opening()
    mean = "c has the best mean by strict F over 2 data sets: 92.86 [70.41, 97.24]"
    assert first == f"{mean}, of the 3 systems that all of them have."
    assert groups == [
        "c scores better than every other system on x by strict F.",
        "b scores better than every other system on y by strict F.",
    ]
    few = leaderboard(GOLD[:3], {"a": GOLD[:3], "b": GOLD[:3]})
    assert few.conclusion == "No system is ranked on the data set: no score rests on 6 effective units."
    assert "⚠ Not ranked on the data set: a, b; fewer than 6 effective units." in LeaderboardView(few).closing()
    assert "Systems with one training run: retraining variance is not included." in LeaderboardView(few).closing()


def test_labels_without_a_partner_are_said():
    gold, pred = [["B-PER"]] * 9, [["B-PERSON"]] * 9
    assert "PERSON" in repr(leaderboard(gold, {"a": pred, "b": gold}))


# The command


def rows(size: int, hits: int) -> list[dict[str, Any]]:
    return [line("Ada met Bob", ADA, *[BOB] * (k < hits), id=f"d{k}") for k in range(size)]


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """A folder of data sets, with gold annotation and three systems each."""
    for name, size in SIZES.items():
        (tmp_path / "sets" / name).mkdir(parents=True)
        write(tmp_path / "sets" / name / "gold.jsonl", *rows(size, size))
        for system, hits in HITS[name].items():
            write(tmp_path / "sets" / name / f"{system}.jsonl", *rows(size, hits))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def result_of(*arguments: Any) -> dict[str, Any]:
    accepted("leaderboard", *arguments, "-o", "out.json")
    found: dict[str, Any] = json.loads(Path("out.json").read_text(encoding="utf8"))
    return found


def listed(**more: Any) -> list[dict[str, Any]]:
    return [
        {"data set": name, "gold": f"{name}/gold.jsonl", "system": system, "predictions": f"{name}/{system}.jsonl"}
        | more
        for name in sorted(SIZES)
        for system in HITS[name]
    ]


@pytest.mark.costly
def test_a_folder_a_table_and_python_have_the_same_numbers(files):
    from_folder = result_of("sets")
    write(files / "sets" / "a.jsonl", *listed())
    with open("sets/a.csv", "w", encoding="utf8", newline="") as file:
        writer = csv.DictWriter(file, [*listed()[0]])
        writer.writeheader()
        writer.writerows(listed())
    assert from_folder == result_of("sets/a.jsonl") == result_of("sets/a.csv")
    given = {
        name: (f"sets/{name}/gold.jsonl", {system: f"sets/{name}/{system}.jsonl" for system in HITS[name]})
        for name in sorted(SIZES)
    }
    assert from_folder == leaderboard(given) == Leaderboard.load("out.json")
    assert from_folder == leaderboard("sets") == leaderboard("sets/a.csv") == leaderboard(Path("sets/a.jsonl"))
    import pandas

    frame = pandas.read_csv("sets/a.csv").assign(run=None, fold=float("nan"))
    for column in ("gold", "predictions"):
        frame[column] = "sets/" + frame[column]
    assert from_folder == leaderboard(frame)


@pytest.mark.costly
def test_systems_after_the_gold_annotation(files):
    paths = [f"sets/news/{name}.jsonl" for name in ("gold", "a", "b", "c")]
    found = result_of(*paths)
    assert found["data_sets"] == [{**leaderboard({"gold": (paths[0], dict(zip("abc", paths[1:])))})["data_sets"][0]}]
    named = result_of(paths[0], f"first={paths[1]}", paths[2], f"runs={paths[2]},{paths[3]}")
    assert {row["system"]: row["runs"] for row in named["data_sets"][0]["scores"]} == {"first": 1, "b": 1, "runs": 2}
    assert result_of(*paths, "--name", "x", "--name", "y", "--name", "z")["systems"] == ["z", "y", "x"]


def test_count_files(files):
    paths = [f"sets/news/{name}.jsonl" for name in ("gold", "a", "b")]
    for name in "ab":
        accepted("count", paths[0], f"sets/news/{name}.jsonl", "-o", f"{name}.npz", "-m", "strict")
    found = result_of("a.npz", "b.npz")
    direct = result_of(*paths)
    assert found["data_sets"][0]["scores"] == direct["data_sets"][0]["scores"]
    assert result_of(paths[0], "a.npz", f"b={paths[2]}")["data_sets"] == direct["data_sets"]


@pytest.mark.slow
def test_folds_and_training_runs_of_a_table(files):
    folds = [row | {"data set": "all", "fold": row["data set"]} for row in listed()]
    write(files / "sets" / "folds.jsonl", *folds)
    (found,) = result_of("sets/folds.jsonl")["data_sets"]
    assert (found["data_set"], [row["folds"] for row in found["scores"]]) == ("all", [2, 2, 2])
    runs = [*listed(run="1"), *(row | {"predictions": row["gold"], "run": "2"} for row in listed())]
    write(files / "sets" / "runs.jsonl", *runs)
    assert {row["runs"] for board in result_of("sets/runs.jsonl")["data_sets"] for row in board["scores"]} == {2}
    for name in ("folds", "runs"):
        assert result_of(f"sets/{name}.jsonl") == leaderboard(f"sets/{name}.jsonl")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("gold.spacy", "gold.spacy is the only argument: name systems after the gold annotation"),
        ("sets/news", "sets/news contains no data sets: expected sets/news/DATASET/gold.*"),
        ("nowhere", "nowhere does not exist"),
        (
            "sets d=sets/news/a.jsonl",
            "sets is a folder of data sets, with each system next to the gold annotation: remove",
        ),
        ("sets --name x", "--name x is given without systems"),
        ("sets --sort x", "--sort x: there is no data set 'x'"),
        ("sets/news/gold.jsonl", "row 1: no data set, system, predictions; expected a table with the columns"),
        ("sets/news/gold.jsonl a=no.jsonl", "no.jsonl"),
        ("sets/news/gold.jsonl a=sets/news/a.jsonl a=sets/news/b.jsonl", "there is a system a already"),
        ("sets/news/gold.jsonl sets/news/a.jsonl a=sets/news/b.jsonl", "there is a system a already"),
        ("twice.jsonl", "row 7: a has predictions on mail already"),
        ("golds.jsonl", "mail has two gold annotations"),
        ("folds.jsonl", "a has no predictions of fold"),
        ("sets -m fair --primary strict.f", "strict"),
        ("broken.jsonl", "broken.jsonl, line 1 is not JSON"),
        ("empty.csv", "empty.csv has no rows"),
        ("sets/news/gold.jsonl sets/mail/a.jsonl", "sets/mail/a.jsonl"),
        ("sets --html board.html", "✘ there is no option --html: write nereval leaderboard GOLD A B --format html"),
        ("sets -o board.html", "--output board.html: expected a .json file; --format html > board.html prints"),
    ],
)
def test_what_the_command_refuses(files, arguments, said):
    in_sets = [row | {key: f"sets/{row[key]}" for key in ("gold", "predictions")} for row in listed()]
    write(files / "twice.jsonl", *in_sets, in_sets[0])
    write(files / "golds.jsonl", *in_sets, in_sets[0] | {"system": "d", "gold": "sets/news/gold.jsonl"})
    write(files / "folds.jsonl", *in_sets, in_sets[0] | {"system": "d", "fold": "2"})
    Path("broken.jsonl").write_text("{")
    Path("gold.spacy").touch()
    Path("empty.csv").write_text("data set,gold,system,predictions\n")
    assert said in flat(refused("leaderboard", *arguments.split()))


@pytest.mark.costly
@pytest.mark.parametrize("name", mostly_at_night(["dataset", "data_set", "Data-Set", "dataSet"], by_day=["Data-Set"]))
def test_the_column_of_data_sets_has_the_names_that_people_give_it(files, name):
    rows = [{name: row["data set"], **{key: row[key] for key in row if key != "data set"}} for row in listed()]
    in_sets = [row | {key: f"sets/{row[key]}" for key in ("gold", "predictions")} for row in rows]
    write(files / "listed.jsonl", *in_sets)
    assert accepted("leaderboard", "listed.jsonl") == accepted("leaderboard", "sets")


# `nereval score` with several systems


@pytest.mark.costly
def test_score_of_several_systems_is_their_leaderboard(files):
    paths = [f"sets/news/{name}.jsonl" for name in ("gold", "a", "b")]
    expected = result_of(paths[0], f"first={paths[1]}", f"runs={paths[1]},{paths[2]}", paths[2], "-m", "strict,fair")
    given = (paths[0], f"first={paths[1]}", f"runs={paths[1]},{paths[2]}", paths[2], "-m", "strict,fair")
    accepted("score", *given, "-o", "score.json")
    assert json.loads(Path("score.json").read_text(encoding="utf8")) == expected
    assert accepted("score", *given) == accepted("leaderboard", *given)
    for name in "ab":
        accepted("count", paths[0], f"sets/news/{name}.jsonl", "-o", f"{name}.npz", "-m", "strict")
    assert accepted("score", "a.npz", "b.npz") == accepted("leaderboard", "a.npz", "b.npz")


def test_score_of_one_named_system_is_that_of_its_file_or_of_its_runs(files):
    gold, a, b = (f"sets/news/{name}.jsonl" for name in ("gold", "a", "b"))
    assert accepted("score", gold, f"x={a}") == accepted("score", gold, a)
    assert accepted("score", gold, f"x={a},{b}") == accepted("score", gold, "--system", f"x={a},{b}")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--by eLen", "--by is given with several systems, which are ranked in one table"),
        ("--per-document rows.csv", "--per-document is given with several systems"),
        ("--cut cuts.json", "--cut cuts.json is given with several systems"),
        ("--average macro", "--average macro is given with several systems"),
        ("--tables scores", "--tables scores: there is no table 'scores'; there are leaderboard"),
        ("--figure scores=a.svg", "there is no figure 'scores'"),
        ("-o sets/news/b.jsonl", "is an input"),
        ("-o sets/news/a.jsonl", "is an input"),
        ("--system x=sets/news/a.jsonl,sets/news/b.jsonl", "is given in addition to --system"),
    ],
)
def test_what_score_refuses_of_several_systems(files, options, said):
    given = [f"sets/news/{name}.jsonl" for name in ("gold", "a")]
    assert said in flat(refused("score", *given, "n=sets/news/b.jsonl", *options.split()))


def test_counts_are_not_kept_among_the_systems(files):
    assert "is in sets, which is an input" in refused("leaderboard", "sets", "--keep-counts", "sets/kept")
    assert "is an input" in refused("leaderboard", "sets", "--figure", "sets/news/a.jsonl")


def test_a_column_or_key_that_occurs_twice_is_named(tmp_path):
    """One of its values would be lost."""
    table = tmp_path / "a.csv"
    table.write_text("data set,gold,system,system,predictions\nx,g.jsonl,a,b,p.jsonl\n")
    with pytest.raises(ValueError, match=f"^{table}: several columns are called 'system': keep one of them$"):
        leaderboard(table)
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"data set": "x", "gold": "g.jsonl", "system": "a", "system": "b", "predictions": "p.jsonl"}\n')
    with pytest.raises(ValueError, match="line 1 is not JSON \\(the key 'system' occurs twice\\)"):
        leaderboard(lines)
