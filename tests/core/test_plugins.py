"""What other packages register: used by its name, named where it cannot be imported, and in nobody's way."""

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import refusal
from commands import accepted, run
from processes import LEAN, python

from spacy_nereval.core.lexicon import read_lexicon
from spacy_nereval.core.plugins import Stopped, check_registered_once, load_registered, readers
from spacy_nereval.io.formats import ENDINGS, Format, format_names, name_of, records
from spacy_nereval.io.records import Record

# The file: all there is to a format.
NAMES = r"""
import re
from spacy_nereval.io.records import Record

def read(path, format):
    '''Read one document per line; words that begin with a capital are spans.'''
    for line in path.read_text(encoding="utf8").splitlines():
        yield Record(line, {(*found.span(), "X") for found in re.finditer(r"[A-Z]\w+", line)})
"""

# What runs in a Python of its own, after which it says what it has imported.
SESSION = """
import json, sys
from pathlib import Path
from spacy_nereval.io.formats import records
assert len([*records(Path("a.jsonl"))]) == 1
imported = [*sys.modules]
from typer.testing import CliRunner
from spacy_nereval.cli import nereval

def run(*arguments):
    done = CliRunner().invoke(nereval, ["score", "-m", "strict", *arguments])
    if not isinstance(done.exception, (SystemExit, type(None))):
        raise done.exception
    return done.exit_code, done.stderr

brackets, lines = ("gold.txt", "pred.txt"), ("a.jsonl", "a.jsonl")
done = {"read": run(*brackets, "-f", "brackets", "-o", "out.json"), "unknown format": run(*brackets, "-f", "bracket")}
done |= {"used": run(*lines), "unknown": run(*lines, "-m", "od"), "odd": run(*lines, "-m", "odd")}
done |= {"all": run(*lines, "-m", "all"), "reader": run(*lines, "--format", "odd")}
print(json.dumps([imported, done]))
"""


# Runs some commands, and says how each ended.
COMMANDS = """
import json, sys
from typer.testing import CliRunner
from spacy_nereval.cli import nereval

done = {}
for name, arguments in json.loads(sys.argv[1]).items():
    result = CliRunner().invoke(nereval, arguments)
    done[name] = result.exit_code, result.output + repr(result.exception)  # older releases of click mix both streams
print(json.dumps(done))
"""


def install(site: Path, package: str, points: str, code: str = "") -> None:
    """Make what pip makes of a package with these entry points."""
    info = site / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    (site / f"{package.replace('-', '_')}.py").write_text(code)


@pytest.mark.slow
def test_packages_of_others_are_used_by_name_and_hinder_nobody_if_they_cannot_be_imported(tmp_path):
    site, of_metrics, of_readers = tmp_path / "site", "[spacy_nereval_metrics]\n", "[spacy_nereval_readers]\n"
    install(site, "brackets-format", f"{of_readers}brackets = brackets_format:read\nbroken = no_such:read\n", NAMES)
    install(
        site, "odd-metrics", f"{of_metrics}odd = odd_metrics:odd\n{of_readers}odd = odd_metrics:read\n", "def odd(:\n"
    )
    (tmp_path / "gold.txt").write_text("Ada met Bob\n")
    (tmp_path / "pred.txt").write_text("Ada met bob\n")
    (tmp_path / "a.jsonl").write_text('{"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n')
    ended = python("-c", SESSION, path=[site, LEAN], cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    imported, done = json.loads(ended.stdout.splitlines()[-1])
    said = {name: text for name, (_, text) in done.items()}
    assert [name for name, (status, _) in done.items() if status == 0] == ["read", "used"], said
    assert json.loads((tmp_path / "out.json").read_text())["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1}
    assert "there is no format 'bracket'; input formats are bioc, brackets, brat, broken, con" in said["unknown format"]
    assert "there is no metric 'od': did you mean 'odd'? There are strict," in said["unknown"]
    assert " odd, " in said["unknown"]
    for text in (said["odd"], said["all"]):
        assert text.startswith(
            "✘ 'odd', which the package odd-metrics registers under spacy_nereval_metrics, cannot be imported: "
            "SyntaxError in "
        )
        assert (
            "odd_metrics.py" in text and text.endswith("correct or uninstall odd-metrics\n") and text.count("\n") == 1
        )
    assert "odd-metrics registers under spacy_nereval_readers" in said["reader"]
    others = {f"spacy_nereval.io.formats.{name}" for name in ("brat", "conll", "faireval")}
    assert "spacy_nereval.io.formats.jsonl" in imported, "reading a format imports no other"
    assert not {*imported} & {*others, "spacy", "spacy_nereval.integration"}


@pytest.mark.slow
def test_no_package_ends_a_command_in_silence_or_hides_its_reason(tmp_path):
    site = tmp_path / "site"
    code = {
        "exits": ("metrics", "import sys; sys.exit(0)\n"),
        "exits-late": ("metrics", "def x(): raise SystemExit(0)\n"),
        "other-kind": ("metrics", "class Odd(BaseException): pass\nraise Odd('why')\n"),
        "number": ("metrics", "x = 3\n"),
        "no-metric": ("metrics", "def x(): return 3\n"),
        "no-reader": ("readers", "x = 3\n"),
        "reader-exits": ("readers", "def x(path, format):\n    raise SystemExit('why')\n    yield\n"),
    }
    for name, (group, text) in code.items():
        install(site, name, f"[spacy_nereval_{group}]\n{name} = {name.replace('-', '_')}:x\n", text)
    install(site, "of-spacy", "[spacy_languages]\nxx = of_spacy:x\n", "raise SystemExit(0)\n")
    (tmp_path / "a.jsonl").write_text('{"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n')
    commands = {
        name: ["score", "a.jsonl", "a.jsonl", "-m" if group == "metrics" else "-f", name]
        for name, (group, _) in code.items()
    }
    commands["of-spacy"] = ["convert", "a.jsonl", "b.spacy"]
    ended = python("-c", COMMANDS, json.dumps(commands), path=[site, *sys.path], cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    done = json.loads(ended.stdout.splitlines()[-1])
    assert {name for name, (status, _) in done.items() if status != 2} == set(), done
    imported = "registers under spacy_nereval_metrics, cannot be imported: "
    ended_by = "code that is not of this package ended the command, in "
    for name, said in {
        "exits": f"✘ 'exits', which the package exits {imported}SystemExit: 0; correct or uninstall exits",
        "exits-late": f"{ended_by}{site / 'exits_late.py'}, line 1 (SystemExit: 0)",
        "other-kind": f"✘ 'other-kind', which the package other-kind {imported}Odd: why; correct or",
        "number": "✘ 'number', registered under spacy_nereval_metrics, is 3; expected a function",
        "no-metric": "the function of the metric 'no-metric' returned 3; expected a Metric",
        "no-reader": "'no-reader', registered under spacy_nereval_readers, is 3; expected a function",
        "reader-exits": f"{ended_by}{site / 'reader_exits.py'}, line 2 (SystemExit: why)",
        "of-spacy": f"{ended_by}{site / 'of_spacy.py'}, line 1 (SystemExit: 0)",
    }.items():
        assert said in done[name][1], (name, done[name][1])


def test_a_signal_ends_a_command_whatever_the_package_that_handles_it(monkeypatch, tmp_path):
    """As Ray does, which replaces our handler by one that raises this."""

    def stop(*given):
        raise SystemExit(int(signal.SIGTERM))

    monkeypatch.setattr("spacy_nereval.cli.app.check_files", stop)
    result = run("score", tmp_path, tmp_path)
    assert (result.exit_code, result.output) == (signal.SIGTERM, "")


def test_a_signal_ends_a_command_that_is_importing_the_package_of_another(monkeypatch):
    def load(point):
        raise Stopped(143)

    monkeypatch.setattr("importlib.metadata.EntryPoint.load", load)
    with pytest.raises(Stopped):
        load_registered(readers, "jsonl")


def test_a_name_that_two_packages_register_is_refused_with_both(tmp_path, monkeypatch):
    """Which of the two would win is chance."""
    groups = ("spacy_nereval_readers", "spacy_nereval_metrics")
    for package in ("one", "other"):
        install(tmp_path, package, "".join(f"[{group}]\nclash = {package}:read\n" for group in groups))
    monkeypatch.syspath_prepend(tmp_path)
    for group in groups:
        assert "more than once: one:read and other:read" in refusal(check_registered_once, group, "clash")


def whole_file(path: Path, format: Format) -> Iterator[Record]:
    """A reader for the tests: a file is a text, and all of it a span."""
    text = path.read_text(encoding="utf8")
    yield Record(text, {(0, len(text), "X")})


def test_a_function_can_be_registered_and_an_extension_given_to_it(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("Ulm", encoding="utf8")
    readers.register("whole", func=whole_file)
    (found,) = records(path, format=Format("whole"))
    assert found.spans == {(0, 3, "X")}
    assert "whole" in format_names()
    accepted("score", path, path, "--format", "whole", "-m", "strict")
    monkeypatch.setitem(ENDINGS, ".txt", "whole")
    assert name_of(path) == name_of(path, Format("auto")) == "whole"
    assert read_lexicon(path).surfaces == {"Ulm": {"X": 1}}
