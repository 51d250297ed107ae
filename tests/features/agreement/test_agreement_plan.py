"""How many documents make the intervals of agreement narrow."""

import json
from math import ceil
from pathlib import Path

import pytest
from commands import printed, refused, write

from spacy_nereval import agreement

TEXT = "Ada saw Bob in New York and Eve at home on a day of May"
WORDS = [(0, 3), (8, 11), (15, 23), (28, 31), (46, 49)]


def annotated(copies: int = 1, documents: int = 40) -> dict[str, list[dict[str, object]]]:
    """Two annotators: the second one lacks a span of every second document, and labels one else in every third one."""
    sides: dict[str, list[dict[str, object]]] = {"ann": [], "bob": []}
    for copy in range(copies):
        for k in range(documents):
            own = [(*word, "PER") for word in WORDS[: 1 + k % 5]]
            other = [(*word, "LOC" if k % 3 == 0 and n == 0 else "PER") for n, word in enumerate(WORDS[: 1 + k % 5])]
            for name, spans in (("ann", own), ("bob", other[k % 2 :])):
                marks = [{"start": start, "end": end, "label": label} for start, end, label in spans]
                sides[name].append({"id": f"{copy} {k}", "text": TEXT, "spans": marks})
    return sides


def half_width(copies: int, name: str) -> float:
    """Half the width of the interval of so many copies of the documents, in points."""
    bounds = agreement(annotated(copies), confidence=True)["intervals"]
    row = {
        "alpha": lambda: bounds["units"]["alpha"],
        "u_alpha": lambda: bounds["u_alpha"]["u_alpha"],
        "strict_f": lambda: bounds["metrics"]["strict"]["f"]["mean"],
    }[name]()
    return 50 * (row["high"] - row["low"])


@pytest.mark.parametrize("name", ["alpha", "u_alpha", "strict_f"])
def test_so_many_copies_have_an_interval_as_narrow_as_was_asked(name):
    result = agreement(annotated(), half_width=2)
    rows = {row["name"]: row for row in result["plan"]["numbers"]}
    assert rows.keys() == {"alpha", "u_alpha", "strict_f"}
    assert (result["plan"]["half_width"], result["plan"]["units"], result["plan"]["level"]) == (2, 40, 0.95)
    needed = rows[name]["documents_needed"]
    assert needed == rows[name]["units_needed"] > 40
    assert rows[name]["units_between"][0] < needed < rows[name]["units_between"][1]
    assert half_width(ceil(needed / 40), name) <= 2 * 1.03
    assert half_width(max(1, needed // 40), name) >= 2 * 0.93


def test_half_widths_through_command_python_and_frame_are_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    sides = annotated()
    for name, records in sides.items():
        write(Path(f"{name}.jsonl"), *map(json.dumps, records))
    expected = agreement({name: f"{name}.jsonl" for name in sides}, half_width=5)
    shown = printed("agreement", "ann.jsonl", "bob.jsonl", "--half-width", "5", "-o", "out.json")
    assert json.loads(Path("out.json").read_text("utf8"))["plan"] == expected["plan"]
    assert "Documents that give ± 5 points" in shown
    frame = expected.to_frame("plan")
    assert frame["documents needed"].tolist() == [row["documents_needed"] for row in expected["plan"]["numbers"]]
    alpha = next(row for row in expected["plan"]["numbers"] if row["name"] == "alpha")
    assert f"{alpha['documents_needed']:,}" in shown
    assert "plan" not in agreement(sides) and "Documents that give" not in printed(
        "agreement", "ann.jsonl", "bob.jsonl"
    )


@pytest.mark.parametrize("value", ["0", "-1", "nan"])
def test_half_widths_that_make_no_sense_are_refused_before_anything_is_read(value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "expected a number of points above 0" in refused(
        "agreement", "no.jsonl", "none.jsonl", "--half-width", value
    )
    with pytest.raises(ValueError, match="half_width=.*: expected a number of points above 0"):
        agreement({}, half_width=float(value))


def test_no_number_is_given_where_annotators_always_agree_or_documents_are_few():
    alike = {name: annotated()["ann"] for name in ("ann", "bob")}
    for sides in (alike, annotated(documents=4)):
        assert {row["documents_needed"] for row in agreement(sides, half_width=2)["plan"]["numbers"]} == {None}
