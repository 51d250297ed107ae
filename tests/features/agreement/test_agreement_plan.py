"""How many documents make the intervals of agreement narrow."""

import json
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from annotators import shared
from commands import printed, refused, write
from products import mostly_at_night
from scipy.stats import chi2, t

from spacy_nereval import agreement, create
from spacy_nereval.features.agreement.agreement_counts import AgreementCounts

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


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_at_night(["alpha", "u_alpha", "strict_f"], by_day=["u_alpha"]))
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


@pytest.mark.slow
def test_the_documents_for_a_half_width_of_alpha_are_those_of_the_formula():
    """The variance of alpha, by leaving each document out, on the scale d / (1 + d) of its distance d from 1."""
    sides = annotated()

    def distance(out: int | None = None) -> float:
        chosen = {name: [row for k, row in enumerate(rows) if k != out] for name, rows in sides.items()}
        return 1 - agreement(chosen)["units"]["alpha"]

    whole, left = distance(), np.array([distance(k) for k in range(40)])
    z = 39 * (whole / (1 + whole) - left / (1 + left))
    z -= z.mean()
    variance = float((z**2).sum()) / 39 * (1 + whole) ** 4  # of alpha, times 40
    sizes = [sum(len(rows[k]["spans"]) for rows in sides.values()) for k in range(40)]
    k = sum(sizes) ** 2 / sum(size**2 for size in sizes)
    freedom = min(k, 2 / ((z**4).sum() / (z**2).sum() ** 2 - 1 / 40)) - 1
    needed = next(
        n for n in range(2, 100_000)
        if t.ppf(0.975, max((freedom + 1) * n / 40 - 1, 1)) * (variance / n) ** 0.5 <= 0.05
    )  # fmt: skip
    row = next(row for row in agreement(sides, half_width=5)["plan"]["numbers"] if row["name"] == "alpha")
    assert row["documents_needed"] == needed
    ratios = [freedom / 2 / chi2.ppf(q, freedom / 2) for q in (0.95, 0.05)]
    assert row["documents_between"] == [ceil(needed * ratio) for ratio in ratios]


def test_each_main_score_of_a_metric_has_a_row_under_its_name():
    frame = agreement(annotated(), metrics=["semeval"], half_width=5).to_frame("plan")
    assert frame["number"].tolist()[:3] == [f"semeval {name} F, mean of pairs" for name in ("exact", "partial", "type")]
    alone = agreement(annotated(), half_width=5).to_frame("plan")
    assert alone["number"].tolist() == ["strict F, mean of pairs", "Krippendorff's alpha", "unitising alpha"]


def test_where_units_have_several_documents_the_range_is_one_of_documents():
    spans = {name: [[*map(dict.values, row["spans"])] for row in rows] for name, rows in annotated().items()}
    sides = {str(k): {name: [*map(tuple, rows[k])] for name, rows in spans.items()} for k in range(40)}
    given = shared(sides, dict.fromkeys(sides, TEXT))
    for number, document in enumerate(given.documents):
        document.base.unit = f"u{number // 2}"
    counted = AgreementCounts(given, [create("strict")])
    plan = counted.plan(counted.result(), 5)
    assert plan["units"] == 20
    for row in plan["numbers"]:
        assert row["documents_needed"] == 2 * row["units_needed"]
        assert row["documents_between"] == [2 * end for end in row["units_between"]]


@pytest.mark.costly
def test_the_page_has_the_plan_if_it_was_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, records in annotated().items():
        write(Path(f"{name}.jsonl"), *map(json.dumps, records))
    title = "<h3>Documents that give ± 5 points</h3>"
    for options, is_there in (([], False), (["--half-width", "5"], True)):
        printed("agreement", "ann.jsonl", "bob.jsonl", "--html", "page.html", *options)
        assert (title in Path("page.html").read_text("utf8")) is is_there


@pytest.mark.costly
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
