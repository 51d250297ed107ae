"""The same tables in every format, read back by parsers that are not ours."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from commands import accepted, line, run, write
from read_back import from_html, from_latex, from_markdown
from tabled import (
    COMPARE,
    COMPARE_MANY,
    ERRORS,
    SCORE,
)

from spacy_nereval.cli.command_options import TABLE_FORMATS


def said(output: str, format: str) -> dict[str, list[list[str]]]:
    """The tables of an output, by title, as an independent reader sees them."""
    if format == "json":
        return {
            title: [[*rows[0]], *([*row.values()] for row in rows)]
            for title, rows in json.loads(output).items()
            if rows
        }
    if format == "csv":
        found: dict[str, list[list[str]]] = {}
        for row in csv.DictReader(io.StringIO(output)):
            found.setdefault(row.pop("table"), []).append([cell for cell in row.values()])
        return found
    if format == "markdown":
        blocks = re.findall(r"^## (.*)\n\n((?:\|.*\n?)+)", output, re.M)
        return {re.sub(r"\\(.)", r"\1", title): from_markdown(text) for title, text in blocks}
    if format == "latex":
        blocks = re.findall(r"\\caption\{([^\n]*)\}\n(\\begin\{tabular\}.*?)\\end\{tabular\}", output, re.S)
        return {title: from_latex(text) for title, text in blocks}
    blocks = re.findall(r"<table>\n<caption>([^\n]*)</caption>\n(.*?)</table>", output, re.S)
    return {title: from_html(f"<table>{text}</table>") for title, text in blocks}


@pytest.mark.parametrize(
    "command", [(*SCORE, "-t", "all"), (*SCORE, "-t", "all", "-C", "--samples", 20), COMPARE, COMPARE_MANY, ERRORS]
)
def test_all_formats_have_the_same_tables_with_the_same_cells(here, command):
    outputs = {name: run(*command, "-f", name) for name in TABLE_FORMATS if name != "terminal"}
    assert all(output.exit_code == 0 for output in outputs.values())
    found = {name: said(output.stdout, name) for name, output in outputs.items()}
    assert len(found["markdown"]) > 0
    assert [*found["markdown"].values()] == [*found["latex"].values()] == [*found["html"].values()]
    for (heading, rows), (title, records) in zip(found["markdown"].items(), found["json"].items(), strict=True):
        assert heading.startswith(title)
        for row, record in zip(rows[1:], records[1:]):
            values = [value for value in record if value is not None]
            assert all(alike(cell, value) for cell, value in zip(flat(row), values, strict=True))
    for table, records in zip(found["csv"].values(), found["json"].values(), strict=True):
        for row, record in zip(table, records[1:], strict=True):
            rest = [cell for cell in row if cell]
            for value in (value for value in record if value not in (None, "")):
                rest.remove(next(cell for cell in rest if alike(cell, value)))
            assert not rest


@pytest.mark.parametrize(("command", "least"), [((*SCORE, "-t", "all", "-C"), 20), (COMPARE, 4)])
def test_json_has_ratios_where_people_read_percent(here, command, least):
    found = json.loads(run(*command, "-f", "json").stdout)
    ratio = re.compile(r"(P|R|F|strict|fair|baseline|system|difference|detectable|share of \w+)( low| high)?")
    ratios = [value for rows in found.values() for row in rows for name, value in row.items() if ratio.fullmatch(name)]
    assert len([value for value in ratios if value]) >= least
    assert all(-1 <= value <= 1 for value in ratios if value is not None)
    assert not any(name.startswith("%") for rows in found.values() for row in rows for name in row)


def alike(cell: str, value: str | float) -> bool:
    """Whether people see a value as this cell: a text as it is, a number rounded, a ratio perhaps in percent."""
    if isinstance(value, str):
        return cell == value
    seen = number(cell)
    return not isinstance(seen, str) and any(abs(seen - times * value) < 0.00501 for times in (1, 100))


def flat(cells: list[str]) -> list[str]:
    """Cells with intervals taken apart, and nothing for what is undefined."""
    pieces = (
        re.sub(r"^(-?[\d.]+)? ?\[(-?[\d.]+), (-?[\d.]+)\](?: few)?$", r"\1\t\2\t\3", cell).strip("\t").split("\t")
        for cell in cells
    )
    return [piece.removesuffix(" ↓") for cell in pieces for piece in cell if piece != "-"]


def number(value: Any) -> Any:
    try:
        return float(value)
    except ValueError:
        return value


@pytest.mark.parametrize("format", ["csv", "json"])
@pytest.mark.parametrize("command", [SCORE, COMPARE, ERRORS])
def test_a_program_gets_the_tables_alone_and_a_person_the_rest(here, format, command):
    result = run(*command, "-f", format)
    assert result.exit_code == 0
    if format == "json":
        json.loads(result.stdout)
    else:
        assert len({len(row) for row in csv.reader(io.StringIO(result.stdout))}) == 1
    terminal = accepted(*command)
    assert "spacy-nereval|" not in result.stdout
    for text in result.stderr.splitlines():
        assert " ".join(text.split()) in " ".join(terminal.split())
    assert result.stderr.strip()


def test_other_formats_say_the_rest_as_text_or_comments(here):
    terminal = accepted(*SCORE).splitlines()
    for format in ("markdown", "latex", "html"):
        printed = accepted(*SCORE, "-f", format)
        assert terminal[0] in printed
        assert terminal[-1] in printed
    assert all(
        text.startswith(("%", "\\")) or text.endswith("\\\\") for text in accepted(*SCORE, "-f", "latex").splitlines()
    )


def test_formats_are_written_in_utf_8_whatever_the_terminal_has(here):
    from typer.testing import CliRunner

    from spacy_nereval.cli import nereval

    write(here / "gold.jsonl", line("abc", (0, 1, "人")))
    for format in ("json", "csv", "markdown", "html", "latex"):
        result = CliRunner(charset="cp1252").invoke(nereval, ["score", "gold.jsonl", "gold.jsonl", "-f", format])
        assert result.exit_code == 0 and "人" in result.stdout_bytes.decode("utf8")
    assert "人" not in CliRunner(charset="cp1252").invoke(nereval, ["score", "gold.jsonl", "gold.jsonl"]).stdout
