"""Tables in a terminal: their widths, their bars, and what an encoding lacks."""

from __future__ import annotations

import pytest
from any_tables import cells, read, tables
from hypothesis import assume, given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval.reporting.result_table import Percent, ResultTable
from spacy_nereval.reporting.terminal import BAR, bars, columns, render


@tries(40)
@given(table=tables())
def test_a_terminal_shows_the_cells_of_the_table(table):
    lines = render(table).split("\n")[1:]
    header, divider, *rows = lines
    widths = [len(dashes) for dashes in divider.split("   ")]
    assert set(divider) <= {"-", " "}
    for line, expected in zip((header, *rows), cells(table), strict=True):
        numbers = [table.is_number(k) for k in range(len(widths))]
        padded = [
            " " * (width - columns(cell)) + cell if number else cell + " " * (width - columns(cell))
            for cell, width, number in zip(expected, widths, numbers)
        ]
        assert line == "   ".join(padded).rstrip()


@tries(40)
@given(table=tables(), width=st.integers(20, 120))
def test_a_terminal_is_not_written_beyond_its_width(table, width):
    """Unless the columns of text that every block repeats leave no room for a number."""
    lines = render(table, width=width).splitlines()
    kinds = [table.is_number(k) for k in range(len(table.header))]
    widest = [max(columns(row[k]) for row in cells(table)) for k in range(len(kinds))]
    keys = kinds.index(True) if any(kinds) else len(kinds)
    keys = keys if keys < len(kinds) else 1
    needed = [min(w, 12) if not number else w for w, number in zip(widest, kinds)]
    assume(
        all(sum(needed[:keys]) + needed[k] + 2 * keys <= width for k in range(keys, len(kinds))) and needed[0] <= width
    )
    assert max(map(columns, lines)) <= width


@tries(40)
@given(table=tables(), width=st.integers(20, 120))
def test_no_number_is_lost_in_a_narrow_terminal(table, width):
    words = render(table, width=width).split()
    for row in table.rows:
        for cell in row:
            if isinstance(cell, (int, float)):
                assert read(cell, table.digits) in words


WIDE = ResultTable(
    "T",
    ["label", "share", "text"],
    [["LOC", Percent(0.5), "a rather long text with … in it"], ["人名人名", Percent(0.005), "x"]],
    bars="share",
)


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (None, ["LOC        50.00   a rather long text with … in it   █████", "人名人名    0.50   x" + " " * 33 + "▏"]),
        (60, ["LOC        50.00   a rather long text with … in it", "人名人名    0.50   x"]),
        (48, ["LOC       50.00  a rather long text with … in it", "人名人名   0.50  x"]),
        (40, ["LOC       50.00  a rather long text wit…", "人名人名   0.50  x"]),
        (29, ["LOC       50.00  a rather lo…", "人名人名   0.50  x"]),
        (28, ["LOC       50.00", "人名人名   0.50", "LOC       a rather long tex…", "人名人名  x"]),
    ],
)  # fmt: skip
def test_a_wide_table_loses_bars_then_space_then_the_ends_of_texts_then_is_cut_in_two(width, lines):
    assert [line for line in render(WIDE, width=width).splitlines() if "LOC" in line or "人" in line] == lines


def test_what_an_encoding_lacks_is_shown_in_ascii():
    text = render(WIDE, encoding="ascii")
    assert "#####" in text and "with ... in it" in text and "????" in text
    text.encode("ascii")
    assert max(map(len, render(WIDE, width=40, encoding="ascii").splitlines())) <= 40
    assert "a rather lo...\n" in render(WIDE, width=28, encoding="ascii")


@tries(40)
@given(st.lists(st.floats(0, 1), min_size=2))
def test_a_longer_bar_is_a_larger_share(shares):
    table = ResultTable("T", ["share"], [[share] for share in sorted(shares)], bars="share")
    for encoding in ("utf8", "ascii", "cp437"):
        drawn = bars(table, encoding)
        lengths = [sum(("▏▎▍▌▋▊▉█".find(c) + 1) / 8 or 1 for c in bar) for bar in drawn]
        assert lengths == sorted(lengths) and lengths[-1] <= BAR
        for bar, length, (share,) in zip(drawn, lengths, table.rows):
            assert bool(bar) == (share > 0)
            assert (
                length == pytest.approx(share * 10, abs=1 / 16 + 1e-9 if encoding == "utf8" else 1.1) or share < 0.0125
            )
    assert bars(ResultTable("T", ["s"], [[1.0], [None]], bars="s")) == ["█" * 10, ""]
