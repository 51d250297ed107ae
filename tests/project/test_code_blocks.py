"""Every code block of README.md, docs/, examples/ and assets/ runs as printed, and prints what stands below it."""

import re
import sys
from pathlib import Path

import pytest
from chartless import no_charts  # noqa: F401  # a fixture
from places import ROOT, script
from processes import LEAN, with_path
from products import mostly_at_night
from refusals import refused_with

pytestmark = pytest.mark.costly

blocks = script("blocks")
PAGES = script("doc_pages").written_pages()
TRAINS = [page for page in PAGES if re.search(r"<!-- (slow|shortened)", page.read_text(encoding="utf8"))]


SELDOM = {page for page in PAGES if page.relative_to(ROOT).parts[0] in ("assets", "benchmarks")}
SELDOM |= {ROOT / "docs" / name for name in ("reference/gallery.md", "how-to/training-loop.md")}
"""The pages that run at night: what they show seldom changes, or is shown by other pages, too."""


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.slow
@pytest.mark.parametrize("page", mostly_at_night(PAGES, by_day={*PAGES} - SELDOM), ids=name)
def test_every_block_runs_and_prints_what_the_page_shows(page):
    assert blocks.with_output(page) == page.read_text(encoding="utf8"), "run python scripts/docs.py"


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("page", TRAINS, ids=name)
def test_what_trains_runs_in_full(page, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", with_path(LEAN))  # what trains here needs no torch
    assert blocks.with_output(page, slow=True) == page.read_text(encoding="utf8"), "run python scripts/docs.py --slow"


def test_a_block_without_a_reason_runs_and_every_output_belongs_to_a_block():
    known = r"(runs|not run|slow|shortened|output varies|output|exits with)\b|/?[\w-]+: written by"
    for page in PAGES:
        text = page.read_text(encoding="utf8")
        for block in blocks.blocks(text):
            where = f"{page.name}, line {block.line}"
            assert block.language in {*blocks.PROGRAMS, "text", ""}, f"{where}: nothing runs {block.language}"
            assert "not run" not in block.notes or len(block.notes["not run"].split()) > 1, where
        marks = re.findall(r"<!-- (.*?) ?-->\n+(?:<!-- .*? -->\n+)*```", text)
        assert [(page.name, mark) for mark in marks if not re.match(known, mark)] == [], "a comment says something else"


def test_commands_have_double_quotes():
    """The shell of Windows knows no others."""
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf8")
        commands = re.findall(r"```(?:bash|sh|console)\n(.*?)```", text, re.DOTALL)
        commands += re.findall(r"`((?:python|pip|nereval)[^`\n]*)`", text)
        assert [(page.name, command) for command in commands if "'" in command] == []
        quoted = re.search(r"[\s=]'[^'\s]*[*\[(][^'\s]*'", text)
        assert not quoted, f"{page.name}: patterns and extras are quoted doubly"


def test_tests_that_are_named_instead_of_running_a_block_exist():
    notes = [block.notes for page in PAGES for block in blocks.blocks(page.read_text(encoding="utf8"))]
    named = {name for note in notes for name in re.findall(r"tests/[\w/]+\.py", note.get("not run", ""))}
    assert len(named) > 5
    assert {name for name in named if not (ROOT / name).is_file()} == set()


# The script itself


EXAMPLES = "<!-- runs: in a folder with a copy of examples/ -->\n\n"


def written(tmp_path: Path, text: str, where: str = EXAMPLES) -> str:
    """What the script makes of a page, without the line that says where it runs."""
    path = tmp_path / "page.md"
    path.write_text(where + text, encoding="utf8")
    return blocks.with_output(path).removeprefix(where)


def test_output_that_is_wrong_is_replaced_and_the_rest_stays(tmp_path):
    before = "# A\n\n```python\nnumber = 1\nprint(number)\n```\n\n```text\n2\n```\n\nB\n\n```python\nprint(3)\n```\n"
    assert written(tmp_path, before) == before.replace("\n2\n", "\n1\n")


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("output: 1 line", "a\n…\n"),
        ("output: 3 lines", "a\nb\nc\n"),
        ('output: 2 lines from "b"', "b\nc\n"),
        ("output", "a\nb\nc\n\nd\n"),
        ("output varies: other processors", "old\n"),
    ],
)
def test_a_comment_says_which_lines_are_shown(tmp_path, note, shown):
    text = f'```python\nprint("a\\nb\\nc\\n\\nd")\n```\n\nText.\n\n<!-- {note} -->\n```text\nold\n```\n'
    assert written(tmp_path, text).split("```text\n")[1] == f"{shown}```\n"


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        ("```bash\nnereval score no.jsonl no.jsonl\n```", "'nereval score no.jsonl no.jsonl' exited with 2"),
        ("<!-- exits with 1 -->\n```bash\nnereval metrics strict\n```", "exited with 0"),
        ("```python\nprint(unknown)\n```", "NameError: name 'unknown' is not defined"),
        ('```ini\n[training.logger]\n@loggers = "spacy-nereval.unknown.v1"\n```', "spacy-nereval.unknown.v1"),
        ("```ini\n[components.nothing.scorer]\na = 1\n```", "[components.nothing]"),
        ('```json\n{"text": }\n```', "Expected object or value"),
        ("<!-- not run: why -->\n```bash\nrm x\n```", "the comment 'not run' gives no reason"),
        ('```python\n1\n```\n\n<!-- output: 2 lines from "x" -->\n```text\n```', "no line of the output begins"),
    ],
)
def test_what_does_not_run_is_named_with_its_line(tmp_path, block, complaint):
    with pytest.raises(ValueError) as raised:
        written(tmp_path, f"# A\n\n{block}\n")
    assert complaint in str(raised.value)
    assert re.search(r"page\.md, line \d+: ", str(raised.value))


def test_a_page_has_only_what_it_says_that_it_needs(tmp_path):
    files = {
        "<!-- runs: anywhere -->\n\n": (False, False),
        EXAMPLES: (True, False),
        "<!-- runs: in a clone of this repository -->\n\n": (True, True),
    }
    code = "```bash\nnereval score examples/gold.jsonl examples/improved.jsonl -m strict -o examples/new.json\n```\n"
    for where, (examples, assets) in files.items():
        text = "from pathlib import Path\n\nprint(*(Path(name).exists() for name in ('examples', 'assets')))"
        assert written(tmp_path, f"```python\n{text}\n```\n\n```text\n?\n```\n", where).endswith(
            f"{examples} {assets}\n```\n"
        )
    assert written(tmp_path, code) == code and not (ROOT / "examples" / "new.json").exists()
    with pytest.raises(ValueError, match="examples/gold.jsonl"):  # what another page has done is no help
        written(tmp_path, code, "<!-- runs: anywhere -->\n\n")
    with refused_with(
        ValueError,
        "the page does not say where it runs: expected one of the comments ['<!-- runs: anywhere "
        "-->', '<!-- runs: in a folder with a copy of examples/ -->', '<!-- runs: in a clone of this "
        "repository -->']",
    ):
        written(tmp_path, code, "")


def test_a_command_that_two_pages_have_runs_once_and_writes_its_files_for_both(tmp_path, monkeypatch):
    runs = sys.modules["block_runs"]
    ran, invoked = [], runs.invoked
    monkeypatch.setattr(runs, "RAN", {})
    monkeypatch.setattr(runs, "invoked", lambda name, words: (ran.append(words[-1]), invoked(name, words))[1])
    convert = "nereval convert examples/gold.jsonl new/once.jsonl\nnereval convert new/once.jsonl again.jsonl\n"
    count = "from pathlib import Path\n\nprint(len(Path('again.jsonl').read_text().splitlines()))\n"
    text = f"```bash\nmkdir new\n{convert}```\n\n```python\n{count}```\n\n```text\n75\n```\n"
    for _ in range(2):
        assert written(tmp_path, text) == text
    assert ran == ["new/once.jsonl", "again.jsonl", "again.jsonl"], "what a page has made may differ from another's"
