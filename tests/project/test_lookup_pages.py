"""Pages that people look things up in: the glossary, the cheat sheet, which score to report."""

import re
from html import unescape

import pytest
import srsly
from commands import run
from places import ROOT, script
from typer.main import get_command

from spacy_nereval import create, names
from spacy_nereval.cli import nereval
from spacy_nereval.cli.app import QUIET
from spacy_nereval.core.synonyms import GOLD_NAMES, PRED_NAMES, option_words

GOLD, PRED, OTHER = (f"examples/{name}.jsonl" for name in ("gold", "improved", "baseline"))
DEV = "assets/warranty/dev.jsonl", "examples/spancat-dev.jsonl"
TEST = "--apply", "assets/warranty/test.jsonl", "examples/spancat-test.jsonl"
ANNOTATORS = [f"assets/agreement/{name}.jsonl" for name in ("ann", "ben", "cleo")]
TRAIN = "--train", "examples/train.jsonl"
COMMANDS = (
    ("score", GOLD, PRED, "-m", "all", "--confidence", *TRAIN, "--by", "eLen,eCon"),
    ("score", GOLD, "--system", f"a={OTHER},{PRED}"),
    ("compare", GOLD, OTHER, PRED, "--labels", "--margin", "2", "--trials", "100"),
    ("agreement", *ANNOTATORS),
    ("thresholds", *DEV, *TEST),
    ("thresholds", *DEV),
    ("apply", GOLD, "examples/marks.jsonl", "-o", "corrected.jsonl"),
    ("compare", GOLD, "--system", f"a={OTHER},{PRED}", "--system", f"b={PRED},{OTHER}", "--trials", "100"),
)
PAGES = (
    ("report", GOLD, OTHER, PRED, "-o"),
    ("report", GOLD, PRED, *TRAIN, "--by", "eLen", "-o"),
    ("agreement", *ANNOTATORS, "--html"),
    ("thresholds", *DEV, *TEST, "--html"),
)
"""Commands that write a page to the file that is named last."""

THEIRS = {"ann", "ben", "cleo", "a", "b", "FAILURE_LOC", "FAILURE_TYPE"}
THEIRS |= {"baseline", "improved", "baseline.jsonl", "improved.jsonl"}
"""Names of annotators and systems, which head columns too."""


def glossary() -> set[str]:
    """The names that the page explains: those in bold."""
    text = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf8")
    entries = re.findall(r"^- \*\*(.+?)\*\*:", text, flags=re.M)
    return {name.strip("`") for entry in entries for name in entry.split(", ")}


@pytest.mark.nightly
@pytest.mark.slow
def test_every_column_and_verdict_is_in_the_glossary(monkeypatch, tmp_path):
    for name in ("examples", "assets"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    found = set()
    policy = str(tmp_path / "policy.cfg")
    assert run("gate", "--init", policy).exit_code == 0
    asked = ("plan", GOLD, PRED, "--baseline", OTHER, "--difference", "3")
    for command in (*COMMANDS, asked, ("gate", policy, GOLD, PRED, "--baseline", OTHER)):
        shown = () if command[0] == "apply" else ("--tables", "all")
        done = run(*command, *shown, "--format", "markdown")
        assert done.exit_code == 0 or command[0] == "gate", done.output
        heads = re.findall(r"^\| (.+) \|\n\| ?:?-", done.stdout, flags=re.M)
        found |= {cell.strip(" `*").removesuffix(" ↓") for head in heads for cell in head.split("|")}
    for command in PAGES:
        assert run(*command, "page.html").exit_code == 0
        text = (tmp_path / "page.html").read_text(encoding="utf8")
        heads = re.findall(r"<th\b[^>]*>(.*?)</th>", "".join(re.findall("<thead.*?</thead>", text, flags=re.S)))
        assert heads
        cells = (unescape(re.sub("<[^>]+>", "", head)).removesuffix("lower is better").strip(" ↓") for head in heads)
        found |= {
            next((name for name in glossary() if cell.endswith("…") and name.startswith(cell[:-1])), cell)
            for cell in cells
        }
    keys = {key.replace("_", " ") for name in names() for key in create(name).keys}
    found -= THEIRS | keys | {*names()} | {""}
    assert "; ".join(sorted(found - glossary())) == ""


def test_the_cheat_sheet_names_what_exists():
    text = (ROOT / "docs" / "reference" / "cheat-sheet.md").read_text(encoding="utf8")
    keys = set(re.findall(r"`(\w+_f|ser|wrf)`", text))
    assert keys - {"ents_fair_f", "spans_sc_fair_f"} <= {key for name in names() for key in create(name).keys}
    commands = set(re.findall(r"`nereval (\S+)", text))
    helped = {name: run(name, "--help").stdout for name in commands}
    assert all("Usage" in printed for printed in helped.values()), helped
    options = set(re.findall(r"`(--[a-z]+)", text))
    assert {option for option in options if not any(option in printed for printed in helped.values())} == set()


def test_the_page_on_errors_shows_every_verdict_with_its_meaning():
    text = (ROOT / "docs" / "how-to" / "errors.md").read_text(encoding="utf8")
    rows = text.split("\nVerdicts (fair)\n")[1].split("```")[0].split("\n-------")[1].splitlines()[1:]
    assert {row.split()[0] for row in rows} == {*create("fair").columns}


def test_sentences_to_copy_have_the_numbers_that_are_printed():
    """Those of quotations are in an output of the same page."""
    text = (ROOT / "docs" / "how-to" / "paper.md").read_text(encoding="utf8")
    quoted = set(re.findall(r"\d+\.\d\d", " ".join(re.findall("^> .*", text, flags=re.M))))
    printed = set(re.findall(r"\d+\.\d\d", " ".join(re.findall("```text\n(.*?)```", text, flags=re.S))))
    assert len(quoted) == 13
    assert quoted <= printed


def test_the_citation_to_copy_is_that_of_the_citation_file():
    text = " ".join((ROOT / "docs" / "how-to" / "paper.md").read_text(encoding="utf8").split())
    own = srsly.read_yaml(ROOT / "CITATION.cff")
    assert f"computed with spacy-nereval {own['version']}" in text.replace(" > ", " ")
    bib = (ROOT / "docs" / "metrics.bib").read_text(encoding="utf8")
    for entries in (text, " ".join(bib.split())):
        assert (
            f"@software{{spacy_nereval, author = {{{{{own['authors'][0]['name']}}}}}, title = {{{own['title']}}}, "
            in squeezed(entries)
        )
        assert f"version = {{{own['version']}}}" in squeezed(entries)
    titles = re.findall(r"^ *title += \{(.*)\},$", bib, flags=re.M)
    plain = {title.replace("{", "").replace("}", "") for title in titles}
    assert {reference["title"] for reference in own["references"]} <= plain


def squeezed(text: str) -> str:
    return re.sub(r" +", " ", text)


def test_each_metric_names_entries_that_the_bibliography_has_and_the_page_shows_some_of_them():
    bib = (ROOT / "docs" / "metrics.bib").read_text(encoding="utf8")
    entries = dict(re.findall(r"^(@\w+\{(\w+),.*?^\})$", bib, flags=re.M | re.S))
    keys = {key: entry for entry, key in entries.items()}
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf8")
    for name in names():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        named = re.search(r"BibTeX: ((?:`\w+` ?)+)\.", section)
        assert named and {*re.findall(r"\w+", named[1])} <= {*keys}, name
    shown = re.findall(r"^@\w+\{(\w+),.*?^\}$", (ROOT / "docs/how-to/paper.md").read_text("utf8"), flags=re.M | re.S)
    assert len(shown) == 3
    for key in shown:
        entry = re.search(
            rf"^@\w+\{{{key},.*?^\}}$", (ROOT / "docs/how-to/paper.md").read_text("utf8"), flags=re.M | re.S
        )
        assert entry and entry[0] == keys[key]


def test_every_option_that_a_page_names_exists():
    """In sentences: commands in blocks run. Options with a dot are those of metrics or of spaCy."""
    declared = [parameter for command in get_command(nereval).commands.values() for parameter in command.params]
    known = {name for parameter in declared for name in (*parameter.opts, *parameter.secondary_opts)}
    known |= {"--help", "--version", "--install-completion", *QUIET}
    known |= {f"--{name}" for name in (*GOLD_NAMES.split(), *PRED_NAMES.split())}  # files in their places
    named = {}
    for page in (ROOT / "CHANGELOG.md", *script("doc_pages").written_pages()):
        if page.parent.name == "benchmarks":  # they have options of their own
            continue
        text = re.sub("```.*?```", "", page.read_text(encoding="utf8"), flags=re.S)
        for code in re.findall(r"`([^`\n]+)`", text):
            named |= dict.fromkeys(re.findall(r"(?<![\w-])--[a-z][\w-]*(?![\w.-])", code), page.name)
    assert len(named) > 80
    assert {option: page for option, page in named.items() if option not in known and not option_words(option)} == {}
