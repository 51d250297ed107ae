"""`nereval datasets`, on comparisons that `nereval compare` makes here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import accepted, line, refused, write

ADA, BOB = (0, 3, "PER"), (8, 11, "PER")
SIZES = {"news": (10, 9), "mail": (8, 7), "chat": (12, 4)}
FILES = [f"{name}.json" for name in SIZES]


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
def here(sets, tmp_path, monkeypatch) -> Path:
    shutil.copytree(sets, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_of_one_name_in_several_folders(here):
    again = [shutil.copy(f"{name}.json", Path(name, "strict.json")) for name in ("news", "mail")]
    printed = accepted("datasets", *again)
    assert all(path.as_posix() in printed for path in again)


def test_names_cannot_steer_a_terminal(here):
    named = [shutil.copy(f"{name}.json", f"{name}\x1b[2J.json") for name in ("news", "chat")]
    printed = accepted("datasets", *named)
    assert "\x1b" not in printed
    assert printed.count(r"news\x1b[2J") == 2 and printed.count(r"chat\x1b[2J") == 2
    assert "\x1b" not in refused("datasets", named[0])


def test_a_folder_may_have_the_name_of_the_system(here):
    Path("B").mkdir()
    assert accepted("datasets", *FILES, "--system", "B", "-o", "B/sets.json") and Path("B/sets.json").exists()


NO_COMPARISON = "is not a comparison: expected a JSON file that 'nereval compare -o FILE' wrote"
REFUSED = {
    "news.json": "✘ expected the comparisons of two or more data sets, not of 1",
    "news.json mail/../news.json": "✘ mail/../news.json is given twice: give each data set once",
    "news.json copy.json": "✘ news and copy have the same numbers: give each data set once",
    "news.json scores.json": f"✘ scores.json {NO_COMPARISON}",
    "news.json counted.json": "counted.json is not a comparison",
    **{f"news.json bad{k}.json": f"bad{k}.json is not JSON" for k in range(4)},
    "news.json none.json": "none.json",
    "news.json news": "news",
    **{
        f"{' '.join(FILES)} {options}": said
        for options, said in {
            "--score strict.x": "--score strict.x: news has no such score",
            "--score strict.p": "not tested in news",
            "--system C": "--system C: news has no such system",
            "-f conll,markdown": "this command reads no annotation",
            "-o news.json": "is an input",
            "-o no/out.json": "there is no directory",
        }.items()
    },
}


@pytest.mark.parametrize(("arguments", "said"), REFUSED.items())
def test_what_cannot_be_counted_is_refused(here, arguments, said):
    shutil.copy("news.json", "copy.json")
    accepted("score", "news/gold.jsonl", "news/A.jsonl", "-m", "strict", "-o", "scores.json")
    accepted("datasets", *FILES, "-o", "counted.json")
    for k, data in enumerate((b"", b"{", b"\xff\xfe", b"id,text\n")):
        Path(f"bad{k}.json").write_bytes(data)
    assert said in refused("datasets", *arguments.split())
