"""Tables as pages draw them: the macro that all pages share."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pages import HOSTILE, Parsed

from spacy_nereval.reporting.html.template import environment
from spacy_nereval.reporting.marked_text import Marked
from spacy_nereval.reporting.result_table import Asking, Cost, Estimate, Interval, Kinded, Percent, ResultTable

TABLE = ResultTable(
    "Verdicts",
    ["verdict", "number", Cost("ser"), "P", "text", "% errors"],
    [
        [
            Kinded.of("missed", "missed"),
            Asking.of(3, {"one": 1}),
            Estimate(Percent(0.5), 0.25, 0.75, True),
            7,
            "a",
            Percent(0.5),
        ],
        [HOSTILE[0], 0, None, 1.25, Marked.of("met ", "[Bob]", " in"), Percent(0.25)],
    ],
    bars="% errors",
    asks=[{"verdicts": ["fn"]}, None],
    above=[("", 1), ("first", 2), ("second", 3)],
)


def drawn(table: ResultTable, *more: Any) -> Parsed:
    module: Any = environment().get_template("tables.html").module
    return Parsed(str(module.drawn(table, *more)))


@pytest.fixture(scope="module")
def found() -> Parsed:
    return drawn(TABLE)


def test_cells_are_shown_as_in_every_format(found):
    above, header, first, second = ([" ".join(cell.split()) for cell in row] for row in found.rows)
    assert above == ["", "first", "second"]
    assert header == ["verdict", "number", "ser ↓", "P", "text", "% errors", ""]
    assert first == ["missed", "3", "50.00 [0.25, 0.75] few", "7", "a", "50.00", ""]
    assert second[1:] == ["0", "-", "1.25", "met [Bob] in", "25.00", ""]
    assert second[0] in TABLE.grid()[2][0].replace("\n", " ")


def test_rows_and_numbers_ask_for_what_the_table_says(found):
    asked = [json.loads(str(attributes["data-ask"])) for _, attributes in found.tags if "data-ask" in attributes]
    assert asked == [{"verdicts": ["fn"]}, {"one": 1}]
    assert [a["data-name"] for tag, a in found.tags if tag == "tr" and "data-name" in a] == ["missed", HOSTILE[0]]


def test_numbers_stand_right_and_bars_are_relative_to_the_greatest(found):
    classes = [a.get("class") for tag, a in found.tags if tag == "th" and a.get("scope") == "col"]
    assert classes == [None, "number first", "number", "number first", None, "number"]
    assert [a["width"] for tag, a in found.tags if tag == "rect"] == ["96.0", "48.0"]
    assert "swatch missed" in [a.get("class") for tag, a in found.tags if tag == "span"]


def test_nothing_in_a_table_is_markup():
    plain = [f"L{k}" for k in range(len(HOSTILE))]
    tables = [
        ResultTable(texts[0], texts, [[text] * len(texts) for text in texts], note=texts[1], above=[(texts[2], 9)])
        for texts in ([*HOSTILE], plain)
    ]
    hostile, usual = ([tag for tag, _ in drawn(table).tags] for table in tables)
    assert hostile == usual


def test_a_table_can_have_another_name_for_those_who_hear_the_page():
    (region,) = (a for tag, a in drawn(TABLE, "Every verdict").tags if tag == "div")
    assert region["aria-label"] == "Every verdict"
    assert drawn(ResultTable("A", ["n", "i"], [["x", Interval(1.0, 2.0)]])).row("x")[1] == "[1.00, 2.00]"
