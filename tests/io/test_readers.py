"""A third party adds a format with one file and one line, and nobody imports a format that is not read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import catalogue
import pytest
from processes import python
from typer.testing import CliRunner

import spacy_nereval.io.formats
from spacy_nereval.cli import nereval
from spacy_nereval.cli.options import INPUT_FORMATS
from spacy_nereval.core.lexicon import read_lexicon
from spacy_nereval.core.plugins import check_registered_once, readers
from spacy_nereval.io.formats import ENDINGS, Format, format_names, name_of, read_any, records
from spacy_nereval.io.records import Record

# The file: all there is to a format.
FILE = """
from spacy_nereval.io.records import Record


def read(path, format):
    '''Read one document per line; words in brackets are spans.'''
    for line in path.read_text(encoding="utf8").splitlines():
        words, spans = [], set()
        for word in line.split():
            start = len(" ".join([*words, ""])) if words else 0
            words.append(word.strip("[]"))
            if word.startswith("["):
                spans.add((start, start + len(words[-1]), "X"))
        yield Record(" ".join(words), spans)
"""

# What pip makes of the line in a package's setup.cfg.
ENTRY_POINTS = "[spacy_nereval_readers]\nbrackets = brackets_format:read\nbroken = no_such_module:read\n"
METADATA = "Metadata-Version: 2.1\nName: brackets-format\nVersion: 1.0\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the installed package of a third party."""
    info = tmp_path / "site" / "brackets_format-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (info / "METADATA").write_text(METADATA)
    (info.parent / "brackets_format.py").write_text(FILE)
    (tmp_path / "gold.txt").write_text("[Ada] met [Bob]\n")
    (tmp_path / "pred.txt").write_text("[Ada] met Bob\n")
    return info.parent


def printed(site: Path, code: str) -> str:
    """What a new Python prints that has the folder on its path."""
    done = python("-c", code, path=[site], cwd=site.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.costly
def test_the_format_of_a_third_party_is_read_by_its_name(site):
    """And another package's reader that cannot be imported is in nobody's way."""
    code = (
        "import json\n"
        "from typer.testing import CliRunner\n"
        "from spacy_nereval.cli import nereval\n"
        "def run(*arguments):\n"
        "    done = CliRunner().invoke(nereval, arguments)\n"
        "    return [done.exit_code, done.stdout, done.stderr]\n"
        "arguments = 'score', 'gold.txt', 'pred.txt', '-m', 'strict'\n"
        "done = [run(*arguments, '-f', 'brackets', '-o', 'out.json'), run(*arguments, '-f', 'bracket')]\n"
        "print(json.dumps(done))\n"
    )
    (status, _, warning), (refused, _, said) = json.loads(printed(site, code).splitlines()[-1])
    assert status == 0, warning
    found = json.loads((site.parent / "out.json").read_text())
    assert found["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1}
    assert refused == 1
    assert "there is no format 'bracket'; input formats are bioc, brackets, brat, broken, conll," in said


@pytest.mark.costly
def test_reading_a_format_imports_no_other(site):
    (site.parent / "a.jsonl").write_text('{"text": "Ulm", "spans": [[0, 3, "LOC"]]}')
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from spacy_nereval.io.formats import records\n"
        "assert len([*records(Path('a.jsonl'))]) == 1\n"
        "print(*sorted(sys.modules))\n"
    )
    found = printed(site, code).split()
    assert "spacy_nereval.io.formats.jsonl" in found
    others = {f"spacy_nereval.io.formats.{name}" for name in ("brat", "conll", "faireval")}
    assert not {*found} & {*others, "spacy", "spacy_nereval.integration"}


def whole_file(path: Path, format: Format) -> Iterator[Record]:
    """A reader for the tests: a file is a text, and all of it a span."""
    text = path.read_text(encoding="utf8")
    yield Record(text, {(0, len(text), "X")})


@pytest.fixture
def registered(tmp_path: Path) -> Iterator[Path]:
    """A file in a format that is registered in this process."""
    readers.register("whole", func=whole_file)
    path = tmp_path / "a.txt"
    path.write_text("Ulm", encoding="utf8")
    yield path
    del catalogue.REGISTRY["spacy_nereval", "readers", "whole"]


def test_a_function_can_be_registered(registered):
    (found,) = records(registered, format=Format("whole"))
    assert found.spans == {(0, 3, "X")}
    assert "whole" in format_names()
    done = CliRunner().invoke(nereval, ["score", str(registered), str(registered), "--format", "whole"])
    assert done.exit_code == 0, done.output


def test_an_extension_can_be_given_to_it(registered, monkeypatch):
    monkeypatch.setitem(ENDINGS, ".txt", "whole")
    assert name_of(registered) == name_of(registered, Format("auto")) == "whole"
    assert read_lexicon(registered).surfaces == {"Ulm": {"X": 1}}


def test_an_unknown_format_is_refused_wherever_it_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("something")
    with pytest.raises(
        ValueError, match=r"a\.txt: there is no format 'xml'; expected one of bioc, brat, conll, conllu, faireval,"
    ):
        records(Path("a.txt"), format=Format("xml"))
    with pytest.raises(ValueError, match=r"cannot infer the format of a\.txt"):
        read_any(Path("a.txt"), Format("auto"))


def test_the_package_registers_a_reader_for_each_of_its_formats():
    own = {e.name: e.value for e in distribution("spacy-nereval").entry_points if e.group == "spacy_nereval_readers"}
    assert own.pop("auto") == "spacy_nereval.io.formats:read_any"
    assert own.pop("spacy") == "spacy_nereval.integration.spacy_files:read"
    assert own == {name: f"spacy_nereval.io.formats.{name}:read" for name in own}
    files = Path(spacy_nereval.io.formats.__file__).parent.glob("[!_]*.py")
    assert {path.stem for path in files if "\ndef read(path: Path" in path.read_text(encoding="utf8")} == own.keys()
    assert {*ENDINGS.values()} <= {"spacy", *own}


def test_the_recipe_for_a_format_names_what_exists():
    root = Path(__file__).parents[2]
    recipe = re.split(r"^## ", (root / "CONTRIBUTING.md").read_text(encoding="utf8"), flags=re.M)
    (steps,) = (part for part in recipe if part.startswith("Add an input format"))
    files = set(re.findall(r"`([\w/]*\.(?:py|cfg|md))`", steps)) - {"spacy_nereval/io/formats/NAME.py"}
    known = [path for folder in ("spacy_nereval", "tests", "docs") for path in (root / folder).rglob("*.*")]
    places = {name: [path for path in [root / name, *known] if path.match(name) and path.exists()] for name in files}
    assert all(places.values()), places
    text = "".join(path.read_text(encoding="utf8") for paths in places.values() for path in paths)
    names = set(re.findall(r"`([A-Za-z_]{3,})(?:\(.*?\))?`", steps)) - {"Record"}
    assert [name for name in names if not re.search(rf"^(def |class |)\b{name}\b", text, flags=re.M)] == []


def test_the_help_names_the_formats_of_this_package():
    own = distribution("spacy-nereval").entry_points.select(group=readers.entry_point_namespace)
    assert sorted(INPUT_FORMATS) == sorted({point.name for point in own} - {"auto"})


def test_a_name_that_two_packages_register_is_refused_with_both(tmp_path, monkeypatch):
    """Which of the two would win is chance."""
    for package in ("one", "other"):
        folder = tmp_path / f"{package}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        groups = [f"[spacy_nereval_{kind}]\nclash = {package}:read\n" for kind in ("readers", "metrics")]
        (folder / "entry_points.txt").write_text("\n".join(groups))
    monkeypatch.syspath_prepend(tmp_path)
    for group in ("spacy_nereval_readers", "spacy_nereval_metrics"):
        with pytest.raises(ValueError, match="more than once: one:read and other:read"):
            check_registered_once(group, "clash")
