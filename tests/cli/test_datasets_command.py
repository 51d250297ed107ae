"""`nereval datasets`, on comparisons that `nereval compare` makes here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import accepted, line, refused, run, write

TEXT = "Ada met Bob"
ADA, BOB = (0, 3, "PER"), (8, 11, "PER")


def corpus(folder: Path, documents: int, mended: int) -> Path:
    """A corpus in which system A misses a span in every document, and B in all but the first `mended`."""
    folder.mkdir()
    ids = [f"d{k}" for k in range(documents)]
    write(folder / "gold.jsonl", *(line(TEXT, ADA, BOB, id=id) for id in ids))
    write(folder / "A.jsonl", *(line(TEXT, ADA, id=id) for id in ids))
    found = [(ADA, BOB) if k < mended else (ADA,) for k in range(documents)]
    write(folder / "B.jsonl", *(line(TEXT, *spans, id=id) for id, spans in zip(ids, found)))
    return folder


def compared(folder: Path, *more: object) -> Path:
    output = folder.with_suffix(".json")
    systems = [folder / f"{name}.jsonl" for name in ("gold", "A", "B")]
    accepted("compare", *systems, *more, "-m", "strict,slot_error", "-o", output)
    return output


@pytest.fixture(scope="module")
def sets(tmp_path_factory) -> dict[str, Path]:
    """Three comparisons: of ten documents B is better in nine, of eight in seven, of twelve in four."""
    folder = tmp_path_factory.mktemp("sets")
    sizes = {"news": (10, 9), "mail": (8, 7), "chat": (12, 4)}
    return {name: compared(corpus(folder / name, *size)) for name, size in sizes.items()}


def test_files_of_one_name_in_several_folders(sets, tmp_path):
    for name in ("news", "mail"):
        (tmp_path / name).mkdir()
        shutil.copy(sets[name], tmp_path / name / "strict.json")
    printed = accepted("datasets", *(tmp_path / name / "strict.json" for name in ("news", "mail")))
    assert all((tmp_path / name / "strict.json").as_posix() in printed for name in ("news", "mail"))


def test_names_cannot_steer_a_terminal(sets, tmp_path):
    named = [tmp_path / f"{name}\x1b[2J.json" for name in ("news", "chat")]
    for name, path in zip(("news", "chat"), named):
        shutil.copy(sets[name], path)
    printed = accepted("datasets", *named)
    assert "\x1b" not in printed
    assert printed.count(r"news\x1b[2J") == 2 and printed.count(r"chat\x1b[2J") == 2
    assert "\x1b" not in refused("datasets", named[0])


# What is refused


def test_one_file(sets):
    assert refused("datasets", sets["news"]) == "✘ expected the comparisons of two or more data sets, not of 1"
    assert run("datasets").exit_code == 2


def test_the_same_file_twice(sets, tmp_path):
    again = sets["news"].parent / "mail" / ".." / "news.json"
    assert refused("datasets", sets["news"], again) == f"✘ {again} is given twice: give each data set once"
    shutil.copy(sets["news"], tmp_path / "copy.json")
    assert refused("datasets", sets["news"], tmp_path / "copy.json") == (
        "✘ news and copy have the same numbers: give each data set once"
    )


def test_files_that_are_no_comparison(sets, tmp_path):
    scores = tmp_path / "scores.json"
    folder = sets["news"].parent / "news"
    accepted("score", folder / "gold.jsonl", folder / "A.jsonl", "-m", "strict", "-o", scores)
    said = refused("datasets", sets["news"], scores)
    assert said == f"✘ {scores} is not a comparison: expected a JSON file that 'nereval compare -o FILE' wrote"
    counted = tmp_path / "counted.json"
    accepted("datasets", *sets.values(), "-o", counted)
    assert f"{counted} is not a comparison" in refused("datasets", sets["news"], counted)
    for data in (b"", b"{", b"\xff\xfe", b"id,text\n"):
        scores.write_bytes(data)
        assert f"{scores} is not JSON" in refused("datasets", sets["news"], scores)
    assert str(tmp_path / "none.json") in refused("datasets", sets["news"], tmp_path / "none.json")
    assert str(tmp_path) in refused("datasets", sets["news"], tmp_path)


def test_options_that_cannot_be(sets, tmp_path):
    files = list(sets.values())
    assert "--score strict.x: news has no such score" in refused("datasets", *files, "--score", "strict.x")
    assert "not tested in news" in refused("datasets", *files, "--score", "strict.p")
    assert "--system C: news has no such system" in refused("datasets", *files, "--system", "C")
    assert "this command reads no annotation" in refused("datasets", *files, "-f", "conll,markdown")
    assert "is an input" in refused("datasets", *files, "-o", files[0])
    assert "there is no directory" in refused("datasets", *files, "-o", tmp_path / "no" / "out.json")


def test_a_folder_may_have_the_name_of_the_system(sets, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("B").mkdir()
    said = accepted("datasets", *sets.values(), "--system", "B", "-o", "B/sets.json")
    assert said and Path("B/sets.json").exists()
