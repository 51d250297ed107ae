"""What offsets count, spans that repeat their text, and spans that are there twice or rejected."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from commands import accepted, flat, line, refused, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import only, read

from spacy_nereval.io.count_files import load

TEXT = "Ada 😀 met Bob in New York."
WIDTHS = {
    "codepoint": lambda c: 1,
    "utf16": lambda c: len(c.encode("utf-16-le")) // 2,
    "utf8": lambda c: len(c.encode()),
}
NAMES = {"utf16": "UTF-16 code units", "utf8": "bytes of UTF-8"}


def counted(text: str, at: int, unit: str) -> int:
    return sum(map(WIDTHS[unit], text[:at]))


def entry(text: str, *spans: tuple[int, int], unit: str = "codepoint", surface: bool = True) -> dict:
    places = [(counted(text, a, unit), counted(text, b, unit), text[a:b]) for a, b in spans]
    rows = [
        {"start": start, "end": end, "label": "A"} | ({"text": own} if surface else {}) for start, end, own in places
    ]
    return {"text": text, "spans": rows}


def brat(folder: Path, text: str, *spans: tuple[int, int], unit: str = "codepoint") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.txt").write_text(text, encoding="utf8")
    rows = [
        f"T{k}\tA {counted(text, a, unit)} {counted(text, b, unit)}\t{text[a:b]}\n" for k, (a, b) in enumerate(spans)
    ]
    (folder / "a.ann").write_text("".join(rows), encoding="utf8")
    return folder


def test_the_offsets_of_the_sample():
    assert [counted(TEXT, 10, unit) for unit in WIDTHS] == [10, 11, 13]
    assert TEXT[10:13] == "Bob"


@pytest.mark.parametrize("unit", ["utf16", "utf8"])
def test_a_span_that_is_not_its_text_is_an_error_that_names_the_unit(unit, tmp_path):
    path = write(tmp_path / "a.jsonl", entry(TEXT, (0, 3), unit=unit), entry(TEXT, (10, 13), (17, 25), unit=unit))
    said = refused("score", path, path)
    at = counted(TEXT, 10, unit)
    assert f"{path}, line 2: span 0, from {at} to {at + 3}, is {TEXT[at : at + 3]!r}, but the file says 'Bob'" in said
    assert f"all spans of {path} fit if offsets count {NAMES[unit]}: --offsets {unit}" in said
    folder = brat(tmp_path / "brat", TEXT, (0, 3), (10, 13), unit=unit)
    said = refused("score", folder, folder)
    assert f"a.ann, line 2: the text at {at} {at + 3} is {TEXT[at : at + 3]!r}, but the line says 'Bob'" in said
    assert f"--offsets {unit}" in said


@pytest.mark.parametrize("way", ["given", "auto"])
@pytest.mark.parametrize("unit", WIDTHS)
def test_offsets_of_every_unit_are_read(unit, way, tmp_path):
    offsets = unit if way == "given" else "auto"
    path = write(tmp_path / "a.jsonl", entry("Ada", (0, 3), unit=unit), entry(TEXT, (10, 13), (17, 25), unit=unit))
    assert [record.spans for record in read(path, offsets=offsets)] == [
        {(0, 3, "A")},
        {(10, 13, "A"), (17, 25, "A")},
    ]
    folder = brat(tmp_path / "brat", TEXT, (0, 3), (10, 13), unit=unit)
    assert only(folder, offsets=offsets).spans == {(0, 3, "A"), (10, 13, "A")}


@tries(100)
@given(st.text(alphabet="aé😀中 \n", max_size=12), st.sampled_from([*WIDTHS]), st.data())
def test_spans_and_tokens_come_back_in_characters(text, unit, data):
    ends = st.integers(0, len(text))
    a, b = sorted((data.draw(ends), data.draw(ends)))
    row = entry(text, (a, b), unit=unit, surface=False)
    row["tokens"] = [{"start": counted(text, k, unit), "end": counted(text, k + 1, unit)} for k in range(len(text))]
    with TemporaryDirectory() as folder:
        found = only(write(Path(folder, "a.jsonl"), row), offsets=unit)
    assert found.spans == {(a, b, "A")}
    assert (found.tokens or []) == [(k, k + 1) for k in range(len(text))]


def test_a_file_without_a_unit_that_fits_is_refused_with_its_first_misfit(tmp_path):
    """Never a unit for one line and another for the next."""
    mixed = entry(TEXT, (10, 13), unit="utf16"), entry(TEXT, (10, 13), unit="utf8")
    path = write(tmp_path / "a.jsonl", *mixed)
    for options in ((), ("--offsets", "auto"), ("--offsets", "utf16")):
        said = refused("score", path, path, *options)
        assert f"line {2 if 'utf16' in options else 1}: span 0" in said
        assert "correct one of them, or use --no-check-text to go by the offsets" in said
    assert "is inside a character if offsets count UTF-16" in refused(
        "score", *[write(tmp_path / "b.jsonl", entry(TEXT, (5, 8), surface=False))] * 2, "--offsets", "utf16"
    )


def test_a_span_beyond_the_text_is_tried_in_other_units_too(tmp_path):
    path = write(tmp_path / "a.jsonl", entry("😀 Bob", (2, 5), unit="utf16"))
    assert "fit if offsets count UTF-16 code units: --offsets utf16" in refused("score", path, path)
    path = write(tmp_path / "a.jsonl", {"text": "Bob", "spans": [{"start": 0, "end": 9, "label": "A", "text": "Bob"}]})
    assert refused("score", path, path).endswith("ends after the text, which has 3 characters")


def test_a_stale_text_is_accepted_if_it_is_not_checked(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "A", "text": "old"}]})
    assert "--no-check-text" in refused("score", path, path)
    assert "1 gold span, 1 predicted span" in flat(accepted("score", path, path, "--no-check-text"))
    folder = brat(tmp_path / "brat", "Ada met", (0, 3))
    (folder / "a.ann").write_text("T1\tA 0 3\told\nT2\tA 0 3;4 7\tolder\n")
    assert "--no-check-text" in refused("score", folder, folder, "--discontinuous", "parts")
    assert only(folder, check_text=False, discontinuous="parts").spans == {(0, 3, "A"), (4, 7, "A")}


@pytest.mark.parametrize("text", [None, "Ada", " Ada\n"])
def test_a_text_that_is_right_or_missing_changes_nothing(text, tmp_path):
    span = {"start": 0, "end": 3, "label": "A", "text": text}
    assert only(write(tmp_path / "a.jsonl", {"text": "Ada met", "spans": [span]})).spans == {(0, 3, "A")}
    wrong = write(tmp_path / "a.jsonl", {"text": "Ada met", "spans": [span | {"text": 7}]})
    assert "span 0 has the text 7" in refused("score", wrong, wrong)


DOCCANO = {
    "triples": {"text": TEXT, "label": [[10, 13, "A"]]},
    "objects": {"text": TEXT, "entities": [{"start_offset": 10, "end_offset": 13, "label": "A"}]},
}


@pytest.mark.parametrize("shape", DOCCANO)
def test_doccano_has_to_say_what_its_offsets_count(shape, tmp_path):
    path = write(tmp_path / "a.jsonl", DOCCANO[shape])
    for options in ((), ("--offsets", "auto")):
        assert "say which with --offsets codepoint or --offsets utf16" in refused("score", path, path, *options)
    assert only(path, offsets="codepoint").spans == {(10, 13, "A")}
    assert only(path, offsets="utf16").spans == {(9, 12, "A")}


def test_doccano_has_to_say_so_for_a_span_that_ends_after_the_text_too(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": "a 😀 Bob", "label": [[5, 8, "A"]]})
    assert "say which with --offsets codepoint or --offsets utf16" in refused("score", path, path)
    assert only(path, offsets="utf16").spans == {(4, 7, "A")}
    assert "ends after the text" in refused("score", path, path, "--offsets", "codepoint")


@pytest.mark.parametrize("spans", [[3], ["a"], [[]], [[1]], [[0, "x", "A"]], [[0, -9, "A"]], [{}], [None]])
def test_spans_that_are_none_are_refused_before_their_unit_matters(spans, tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": TEXT, "label": spans})
    assert "a.jsonl, line 1" in refused("score", path, path)


@pytest.mark.parametrize(
    "row",
    [
        {"text": TEXT, "label": [[0, 3, "A"]]},
        {"text": "Ada é met", "label": [[4, 9, "A"]]},
        {"text": TEXT, "entities": [[10, 13, "A"]]},
        {"text": TEXT, "spans": [{"start": 10, "end": 13, "label": "A"}]},
    ],
)
def test_where_the_unit_makes_no_difference_or_is_known_it_is_not_asked_for(row, tmp_path):
    assert len(only(write(tmp_path / "a.jsonl", row)).spans) == 1


def test_an_unknown_unit_is_refused(tmp_path):
    path = write(tmp_path / "a.jsonl", line("Ada"))
    said = refused("score", path, path, "--offsets", "bytes")
    assert said == "✘ --offsets bytes: expected one of codepoint, utf16, utf8, auto"


ADA = {"start": 0, "end": 3, "label": "A"}


def told(tmp_path: Path, gold: dict, pred: dict) -> tuple[str, dict]:
    paths = write(tmp_path / "g.jsonl", gold), write(tmp_path / "p.jsonl", pred)
    printed = flat(accepted("score", *paths, "-m", "strict", "-o", tmp_path / "out.json"))
    return printed, json.loads((tmp_path / "out.json").read_text())


def test_spans_that_are_there_twice_are_told(tmp_path):
    printed, result = told(
        tmp_path, {"text": "Ada met", "spans": [ADA, ADA, ADA]}, {"text": "Ada met", "spans": [ADA, dict(ADA)]}
    )
    assert "1 gold span, 1 predicted span, 3 spans given again and counted once" in printed
    assert (result["duplicates"], result["gold"], result["metrics"]["strict"]["counts"]["tp"]) == (3, 1, 1)


def test_rejected_spans_are_told(tmp_path):
    gold = {"text": "Ada met", "spans": [ADA, {**ADA, "label": "B", "answer": "reject"}]}
    printed, result = told(tmp_path, gold, {"text": "Ada met", "spans": [{**ADA, "answer": "ignore"}]})
    assert "1 gold span, 0 predicted spans, 2 spans rejected by an annotator and left out" in printed
    assert (result["rejected"], result["duplicates"]) == (2, 0)


def test_what_is_told_survives_counts_files_and_merges(tmp_path):
    for name, spans in (("a", [ADA, ADA]), ("b", [ADA, {**ADA, "answer": "reject"}])):
        path = write(tmp_path / f"{name}.jsonl", {"text": "Ada met", "id": name, "spans": spans})
        accepted("count", path, path, "-o", tmp_path / f"{name}.npz", "-m", "strict")
    accepted("merge", tmp_path / "a.npz", tmp_path / "b.npz", "-o", tmp_path / "ab.npz")
    found = load(tmp_path / "ab.npz")
    assert (found.duplicates, found.rejected) == (2, 2)
    assert "2 spans given again" in flat(accepted("score", tmp_path / "ab.npz"))
    assert "2 spans given again" in flat(run("errors", tmp_path / "a.jsonl", tmp_path / "a.jsonl").stdout)


def test_duplicates_of_brat_and_faireval_count_too(tmp_path):
    folder = brat(tmp_path / "brat", "Ada met", (0, 3), (0, 3), (4, 7))
    assert (len(only(folder).spans), only(folder).duplicates) == (2, 1)
    path = tmp_path / "a.csv"
    path.write_text("PER\t1\t2\t1, 2\nPER\t1\t2\t1, 2\n")
    assert (len(only(path).spans), only(path).duplicates) == (1, 1)
