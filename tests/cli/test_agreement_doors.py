"""The agreement of annotators is the same in Python, at the terminal, in files, on the page and in frames."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import flat, line, run, write
from pages import Parsed

from spacy_nereval import Confidence, agreement, load
from spacy_nereval.reporting.difference_words import difference_words

TEXTS = [f"the pump {k} and the left door of car {k} leak oil" for k in range(12)]
TABLES = ["pairs", "differences", "same-words", "labels", "label-spans", "annotators", "documents", "spans"]
TABLES += ["scores", "pair-scores", "per-document", "alpha", "without", "all-scores"]

MORE = "; more: --tables all, --html page.html"

Sides = Mapping[str, Sequence[Any]]


def spans_of(name: str, text: str, k: int, *, nested: bool = False) -> list[tuple[int, int, str]]:
    """Ann and cleo include articles, dan names doors otherwise, ben has slips and blanks at the ends of spans."""
    pump, door, oil = text.index("pump"), text.index("left"), text.index("oil")
    found = [(pump - 4 * (name in "anncleo"), pump + 4 + (name == "ben" and k > 1), "PART")]
    found.append((door, door + 9, "PLACE" if name == "dan" else "PART"))
    found += [(oil, oil + 3, "FLUID")] * ((k + len(name)) % 3 > 0)
    return found + [(door, door + 4, "SIDE"), (door + 5, door + 9, "DOOR")] * (nested and (name != "ann" or k % 2))


def sides(*names: str, nested: bool = False, missing: bool = False) -> Sides:
    return {
        name: [
            line(text, *spans_of(name, text, k, nested=nested), id=f"d{k}")
            for k, text in enumerate(TEXTS)
            if not missing or name == names[0] or (k + place) % 3
        ]
        for place, name in enumerate(names)
    }


def merged() -> Sides:
    """Ann marks one long span where the others mark several."""
    text, several = "the left door leaks oil", [(4, 8, "SIDE"), (9, 13, "PART")]
    return {
        name: [line(f"{text} {k}", *([(4, 13, "PART")] if name == "ann" else several), id=f"d{k}") for k in range(12)]
        for name in ("ann", "ben", "cleo")
    }


CASES = {
    "two": sides("ann", "ben"),
    "four": sides("ann", "ben", "cleo", "dan"),
    "nested": sides("ann", "ben", "dan", nested=True),
    "missing": sides("ann", "ben", "cleo", missing=True),
    "merged": merged(),
    "blanks": {"ann": [line("Ada left", (0, 3, "A"), id=str(k)) for k in range(12)],
               "ben": [line("Ada left", (0, 4, "A"), id=str(k)) for k in range(12)]},
    "equal": {"ann": sides("ann")["ann"], "ben": sides("ann")["ann"]},
}  # fmt: skip


class Doors:
    """What each door gives of the same annotations, with intervals and the metrics strict, fair and slot_error."""

    def __init__(self, folder: Path, given: Sides) -> None:
        for name, rows in given.items():
            write(folder / f"{name}.jsonl", *rows)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            self.printed = self._run(given, "-o", "result.json", "--html", "page.html", "-t", "all")
            self.first_screen = self._run(given)
            self.rows = json.loads(self._run(given, "-t", "all", "-f", "json"))
            self.markdown = self._run(given, "-t", "all", "-f", "markdown")
            self.found = agreement(
                {name: load(f"{name}.jsonl") for name in given},
                ["strict", "fair", "slot_error"],
                confidence=Confidence(),
            )
            self.found.save("saved.md")
            self.saved = Path("saved.md").read_text()
            self.json = json.loads(Path("result.json").read_text())
            self.page = Parsed(Path("page.html").read_text(encoding="utf8"))

    @staticmethod
    def _run(given: Sides, *options: str) -> str:
        done = run("agreement", *(f"{name}.jsonl" for name in given), "-m", "strict,fair,slot_error", "-C", *options)
        assert done.exit_code == 0, done.output
        return done.stdout


@pytest.fixture(scope="module", params=CASES)
def doors(request, tmp_path_factory) -> Doors:
    return Doors(tmp_path_factory.mktemp(request.param), CASES[request.param])


def test_the_command_and_python_have_one_result_and_the_same_lines_and_tables(doors):
    assert doors.found == doors.json
    assert doors.saved.split("\n\n") == doors.markdown.split("\n\n")
    assert flat(str(doors.found)) == flat(doors.first_screen.replace(MORE, ""))


def test_frames_have_the_rows_of_the_tables_and_ratios_from_0_to_1(doors):
    titles = iter(doors.rows.values())
    for name in TABLES:
        frame, rows = doors.found.to_frame(name), next(titles)
        assert len(frame) == len(rows), name
        if rows:
            assert {*frame.columns} <= {*rows[0]}
    assert doors.found.to_frame("labels")["share"].between(0, 1).all()
    pair = doors.json["pairs"][0]
    value = doors.found.to_frame("pairs").set_index("annotator").loc[pair["a"], pair["b"]]
    assert value == pair["metrics"]["strict"]["scores"]["f"]


def test_every_row_and_sentence_of_the_page_is_a_row_or_sentence_of_the_terminal(doors):
    view, printed, sections = doors.found._view(), flat(doors.printed), doors.page.text.casefold()
    known = {tuple(row) for table in view.tables(TABLES) for row in table._replace(most=None).grid()}
    table = {tuple(flat(cell) for cell in row) for row in doors.page.rows}
    heat = {row for row in table if row[0] == "" or row[0][0] in "●■◆▲✚"}
    assert table - heat <= known
    assert all(cell in {"·", "-", *sum(known, ())} for row in heat for cell in row[1:])
    for row in {row for table in view.tables(TABLES) for row in map(tuple, table.grid()[1:])}:
        assert all(flat(cell) in printed for cell in row)
    lines = doors.first_screen.split("\n\n")[0].replace(MORE, "").splitlines()
    for part in (part for each in lines for part in each.rstrip(".").split("; ")):
        assert flat(part).casefold() in sections
    for finding in view.findings():
        assert finding.sentence.casefold() in sections


def test_the_page_lists_the_differences_of_the_result_and_the_headline_is_the_first_clear_one(doors):
    rows = [*doors.json["differences"], *doors.json["same_words"]]
    listed = re.findall(r"(\d+)× ", doors.page.text)
    assert listed == [str(row["number"]) for row in rows]
    table = [
        row["places"]
        for name in ("Differences that repeat", "Differences in the same words")
        for row in doors.rows.get(name, [])
    ]
    assert table == [row["number"] for row in rows]
    groups = doors.page.data["groups"]
    for row, group in zip(rows, groups, strict=True):
        places = [[*place] for place in zip(group["members"][::2], group["members"][1::2])]
        texts = doors.page.data["documents"]
        assert {texts[document]["id"] for document, _ in places} == {place["document"] for place in row["places"]}
        assert row["documents"] == len({place["document"] for place in row["places"]})
    clear = [row for row in doors.json["differences"] if row["clear"]]
    first = flat(doors.first_screen.split("\n\n")[0])
    assert ("the largest systematic difference" in first) == bool(clear)
    if clear:
        assert f"{clear[0]['number']} places" in first or f"{clear[0]['number']} with other words" in first
        assert all(name in first.partition("difference:")[2] for name in clear[0]["one"])
    for row in clear[1:3]:
        assert f"Next: {flat(difference_words(row))}." in first


USUAL = {"left": "SIDE", "door": "PART", "car": "CAR", "oil": "FLUID"}


def project(root: Path) -> None:
    """A folder in brat's format for each annotator: max merges, maria adds 'of', peter has a label of his own."""
    (root / "README.md").parent.mkdir()
    (root / "README.md").write_text("# Our project\n")
    (root / "annotation.conf").write_text("[entities]\nPART\n")
    for place, name in enumerate(("lisa", "maria", "max", "peter")):
        (root / name).mkdir()
        for k in range(24):
            text = f"the left door of car {k} leaks oil"
            spans = [(text.index(word), text.index(word) + len(word), label) for word, label in USUAL.items()]
            if name == "max":
                spans[:2] = [(4, 13, "PART")]
            if name == "maria":
                spans[2] = (14, 20, "CAR")
            if name == "peter":
                spans[3] = (*spans[3][:2], "LIQUID")
            if (k + place) % 6 == 0:  # a slip
                del spans[-1 - k % 2]
            rows = (f"T{n}\t{label} {a} {b}\t{text[a:b]}\n" for n, (a, b, label) in enumerate(spans, 1))
            (root / name / f"{k:02}.txt").write_text(text)
            (root / name / f"{k:02}.ann").write_text("".join(rows))


def test_one_command_on_a_project_names_its_habits_a_rule_for_each_and_the_places_to_discuss(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project(Path("project"))
    done = run("agreement", "project", "-o", "result.json", "--html", "page.html")
    assert done.exit_code == 0, done.output
    first, page = flat(done.stdout), Parsed(Path("page.html").read_text(encoding="utf8")).text
    said = [
        "max marks one PART where lisa, maria and peter mark several spans: 'left door' (24 places)",
        "maria includes leading 'of' of CAR where lisa, max and peter do not (20 places)",
        "peter says LIQUID where lisa, maria and max say FLUID: 'oil' (24 places)",
        "as lisa, maria and peter do, mark several spans, not one, for 'left door'.",
        "as lisa, max and peter do, leave leading 'of' out of CAR.",
        "as lisa, maria and max do, mark 'oil' as FLUID, not LIQUID.",
        "With one annotator left out, strict F is ",
    ]
    for each in said:
        assert each in first, each
        assert each.rstrip(".") in flat(page), each
    assert "Most disputed documents" in first
    result = json.loads(Path("result.json").read_text())
    folders = {name: Path("project", name) for name in result["annotators"]}
    for given in ("project", Path("project"), folders):
        assert agreement(given) == result
    assert [row["number"] for row in result["differences"][:3]] == [24, 24, 20]
