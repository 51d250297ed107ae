"""`nereval datasets` and `datasets`: one count over data sets through both doors, and what both refuse."""

import json
import re
import shutil
from pathlib import Path

import pytest
from commands import accepted, flat, line, refused, write

from spacy_nereval import Comparison, DataSets, datasets
from spacy_nereval.features.leaderboard.datasets_view import DataSetsView

pytestmark = pytest.mark.costly  # compares

ADA, BOB = (0, 3, "PER"), (8, 11, "PER")
SIZES = {"news": (10, 9), "mail": (8, 7), "chat": (12, 4)}
DATA_SETS = [f"{name}.json" for name in SIZES]


@pytest.fixture(scope="module")
def sets(tmp_path_factory) -> Path:
    """Three comparisons: of ten documents B is better in nine, of eight in seven, of twelve in four."""
    folder: Path = tmp_path_factory.mktemp("sets")
    for name, (documents, mended) in SIZES.items():
        (folder / name).mkdir()
        found = {"gold": [(ADA, BOB)] * documents, "A": [(ADA,)] * documents}
        found["B"] = [(ADA, BOB)] * mended + [(ADA,)] * (documents - mended)
        systems = [
            write(folder / name / f"{system}.jsonl", *(line("Ada met Bob", *s, id=f"d{k}") for k, s in enumerate(own)))
            for system, own in found.items()
        ]
        accepted("compare", *systems, "-m", "strict,slot_error", "-o", folder / f"{name}.json")
    return folder


@pytest.fixture
def in_sets(sets, tmp_path, monkeypatch) -> Path:
    shutil.copytree(sets, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_of_one_name_in_several_folders(in_sets):
    again = [shutil.copy(f"{name}.json", Path(name, "strict.json")) for name in ("news", "mail")]
    printed = accepted("datasets", *again)
    assert all(path.as_posix() in printed for path in again)
    accepted("datasets", *again, "chat.json", "-o", "out.json")
    assert [row["data_set"] for row in DataSets.load("out.json").rows] == [
        "news/strict.json",
        "mail/strict.json",
        "chat.json",
    ]


def test_names_cannot_steer_a_terminal(in_sets):
    named = [shutil.copy(f"{name}.json", f"{name}\x1b[2J.json") for name in ("news", "chat")]
    printed = accepted("datasets", *named)
    assert "\x1b" not in printed
    assert printed.count(r"news\x1b[2J") == 2 and printed.count(r"chat\x1b[2J") == 2
    assert "\x1b" not in refused("datasets", named[0])


def test_a_folder_may_have_the_name_of_the_system(in_sets):
    Path("B").mkdir()
    assert accepted("datasets", *DATA_SETS, "--system", "B", "-o", "B/sets.json") and Path("B/sets.json").exists()


def test_data_sets_through_the_command_and_python(in_sets):
    printed = accepted("datasets", *DATA_SETS, "-o", "out.json")
    counted = datasets(DATA_SETS)
    assert counted == DataSets.load("out.json") == json.loads(counted.to_json())
    assert counted == datasets({name: Comparison.load(f"{name}.json") for name in SIZES})
    assert counted == datasets({name: Path(f"{name}.json") for name in SIZES})
    accepted("datasets", *DATA_SETS, "--independent", "-o", "fisher.json")
    assert datasets(DATA_SETS, independent=True) == DataSets.load("fisher.json")
    assert [DataSets.load(name)["method"] for name in ("out.json", "fisher.json")] == ["bonferroni", "fisher"]
    view = DataSetsView(counted)
    assert [f"{each.sentence}." for each in view.findings()] == view.opening()
    for text in (*view.opening(), *view.closing()):
        assert flat(text) in flat(printed)
    for table in view.tables(view.usual):
        for cells in table.grid()[1:]:
            assert " ".join(cells) in " ".join(printed.split())
    assert counted["least"] == 2 and "⚠ No test in chat: in this score the outputs differ in 4 units" in flat(printed)


NO_COMPARISON = "is not a comparison: expected the output of 'nereval compare' or Comparison.save"
REFUSED = {
    "news.json": "✘ expected the comparisons of two or more data sets, not of 1",
    "news.json mail/../news.json": "✘ mail/../news.json is given twice: give each data set once",
    "news.json scores.json": f"✘ scores.json {NO_COMPARISON}",
    **{f"news.json bad{k}.json": f"bad{k}.json is not JSON" for k in range(4)},
    "news.json none.json": "none.json",
    "news.json news": "news",
    **{
        f"{' '.join(DATA_SETS)} {options}": said
        for options, said in {
            "--score strict.x": "--score strict.x: there is no such score in news",
            "--system C": "--system C: news has no such system",
            "-f conll,markdown": "this command reads no annotation",
            "-o news.json": "is an input",
            "-o no/out.json": "there is no directory",
        }.items()
    },
}


@pytest.mark.parametrize(("arguments", "said"), REFUSED.items())
def test_what_cannot_be_counted_is_refused(in_sets, arguments, said):
    accepted("score", "news/gold.jsonl", "news/A.jsonl", "-m", "strict", "-o", "scores.json")
    for k, data in enumerate((b"", b"{", b"\xff\xfe", b"id,text\n")):
        Path(f"bad{k}.json").write_bytes(data)
    assert said in refused("datasets", *arguments.split())
    if " -" not in arguments:
        with pytest.raises((OSError, ValueError), match=re.escape(said.removeprefix("✘ "))):
            datasets(arguments.split())


def test_what_python_cannot_count_is_refused(in_sets):
    for given, options, said in (
        (
            DATA_SETS,
            {"score": "strict.g"},
            "^score='strict.g': there is no such score in news; expected METRIC.SCORE, one of strict.f, "
            "slot_error.ser, or a score key such as fair_f: did you mean 'strict.f'\\?$",
        ),
        (DATA_SETS, {"system": "C"}, "^system='C': news has no such system"),
        (Comparison.load("news.json"), {}, "^comparisons: expected those of two or more data sets"),
        ("news.json", {}, "^comparisons: expected those of two or more data sets"),
        ({"news": "news.json", "mail": {}}, {}, "^mail is not a comparison"),
    ):
        with pytest.raises(ValueError, match=said):
            datasets(given, **options)
