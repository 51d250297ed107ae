"""`nereval datasets`, on comparisons that `nereval compare` makes here."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from commands import accepted, flat, line, refused, run, tables_in, write

TEXT = "Ada met Bob"
ADA, BOB = (0, 3, "PER"), (8, 11, "PER")

TABLES = ("B.jsonl against A.jsonl by strict f", "Better in at least")


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


def test_the_table_and_the_sentence(sets):
    printed = accepted("datasets", *sets.values())
    # All swaps are enumerated: B is better in each unit that differs, so that p is 1 / 2^D. Four are too few.
    assert flat(printed).startswith(
        "B.jsonl scores better than A.jsonl in at least 2 of 3 data sets by strict f: in news, mail; "
        "for these trained models; another training was not tried. "
    )
    found = tables_in(printed)
    assert [(row[0], *row[-3:]) for row in found[TABLES[0]]] == [
        ("news", f"{1 / 512:.4f}", f"{3 / 512:.4f}", "yes"),
        ("mail", f"{1 / 128:.4f}", f"{2 / 128:.4f}", "yes"),
        ("chat", "-", "1.0000", "no"),
    ]
    assert found[TABLES[1]] == [
        ["1 of 3", f"{3 / 512:.4f}", "yes"],
        ["2 of 3", f"{2 / 128:.4f}", "yes"],
        ["3 of 3", "1.0000", "no"],
    ]
    assert "Tested in each data set: B.jsonl is better than A.jsonl (one-sided)." in " ".join(printed.split())
    assert "⚠ No test in chat: the outputs differ in 4 units, and a test needs 6. It counts as p = 1." in flat(printed)


def test_the_difference_and_its_interval_are_those_of_the_comparison(sets):
    (row, *_) = tables_in(accepted("datasets", *sets.values(), "-d", 3))[TABLES[0]]
    compared = json.loads(sets["news"].read_text())["comparisons"]
    (own,) = (each for each in compared if each["family"] == "primary")
    low, high = own["interval"]
    assert row[1] == f"{100 * own['difference']:.3f}"
    assert row[2] == f"[{100 * low:.3f}, {100 * high:.3f}]"


def test_a_system_that_is_worse_is_not_counted(sets, tmp_path):
    """The test is one-sided: with the systems exchanged nothing is found."""
    worse = []
    for name in ("news", "mail"):
        own = sets[name].parent / name
        output = tmp_path / f"{name}.json"
        accepted("compare", *(own / f"{each}.jsonl" for each in ("gold", "B", "A")), "-m", "strict", "-o", output)
        worse.append(output)
    printed = accepted("datasets", *worse)
    assert printed.startswith("not settled in any of 2 data sets: whether A.jsonl scores better than B.jsonl by")
    assert [row[-3:] for row in tables_in(printed)["A.jsonl against B.jsonl by strict f"]] == [
        ["1.0000", "1.0000", "no"]
    ] * 2


def test_a_score_of_which_less_is_better(sets):
    printed = accepted("datasets", *sets.values(), "--score", "slot_error.ser")
    assert "by slot_error ser (lower is better)" in printed
    assert "in at least 2 of 3 data sets by slot_error ser: in news, mail" in flat(printed)


def test_independent_data_sets(sets, tmp_path):
    printed = accepted("datasets", *sets.values(), "--independent", "-o", tmp_path / "out.json")
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["method"], found["least"]) == ("fisher", 2)
    assert "Fisher's method, which holds only for data sets that share neither texts nor trained models" in " ".join(
        printed.split()
    )


@pytest.mark.parametrize("format", ["terminal", "markdown", "latex", "html"])
def test_formats_for_people(sets, format):
    printed = accepted("datasets", *sets.values(), "-f", format)
    assert "in at least 2 of 3 data sets" in printed
    assert printed.count("news") == 2, "in the sentence and in the table"
    assert "No test in chat" in printed


@pytest.mark.parametrize("format", ["csv", "json"])
def test_formats_for_programs(sets, format):
    done = run("datasets", *sets.values(), "-f", format)
    assert done.exit_code == 0
    assert "in at least 2 of 3 data sets" in done.stderr
    if format == "json":
        rows = json.loads(done.stdout)[TABLES[0]]
    else:
        every = csv.DictReader(io.StringIO(done.stdout))
        rows = [{key: value or None for key, value in row.items()} for row in every if row["table"] == TABLES[0]]
    assert [row["data set"] for row in rows] == ["news", "mail", "chat"]
    assert [row["p (one-sided)"] and float(row["p (one-sided)"]) for row in rows] == [0.002, 0.0078, None]


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


def test_the_same_data_set_with_another_seed(sets, tmp_path):
    own = sets["news"].parent / "news"
    output = tmp_path / "seed.json"
    files = [own / f"{each}.jsonl" for each in ("gold", "A", "B")]
    accepted("compare", *files, "-m", "strict,slot_error", "--seed", 5, "-o", output)
    assert "have the same numbers" in refused("datasets", sets["news"], output)


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


def test_comparisons_of_different_systems(sets, tmp_path):
    other = corpus(tmp_path / "other", 9, 8)
    (other / "B.jsonl").rename(other / "C.jsonl")
    output = tmp_path / "other.json"
    accepted("compare", *(other / f"{name}.jsonl" for name in ("gold", "A", "C")), "-m", "strict", "-o", output)
    assert refused("datasets", sets["news"], output) == (
        "✘ the system is B.jsonl in news and C.jsonl in other: data sets can be counted only where the comparisons "
        "are alike"
    )


def test_comparisons_by_different_options(sets, tmp_path):
    folder = corpus(tmp_path / "other", 9, 8)
    output = compared(folder, "--strict.beta", 2)
    assert "the metric is strict:beta=1.0 in news and strict:beta=2.0 in other" in refused(
        "datasets", sets["news"], output
    )


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
    Path("B.jsonl").mkdir()
    said = accepted("datasets", *sets.values(), "--system", "B.jsonl", "-o", "B.jsonl/sets.json")
    assert said and Path("B.jsonl/sets.json").exists()
