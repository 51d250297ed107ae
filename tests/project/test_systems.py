"""What would differ on Windows and macOS, as far as it can be seen elsewhere."""

import ast
import re

import yaml
from commands import refused
from places import ROOT

from spacy_nereval.cli import guards

CALLS = {"open", "read_text", "write_text"}


def opens_text(call: ast.Call) -> bool:
    """Whether a call opens a file as text in the encoding of the system."""
    function, named = call.func, {each.arg for each in call.keywords}
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = getattr(getattr(function, "value", None), "id", "")
    inside = [each.value for part in call.args for each in ast.walk(part) if isinstance(each, ast.Constant)]
    modes = [value for value in inside if isinstance(value, str)]
    ours = name != "open" and (isinstance(function, ast.Name) or (name == "read_text" and call.args))
    binary = ours or name == "open" and any(re.fullmatch("[abrwx+]*b[abrwx+]*", mode) for mode in modes)
    return name in CALLS and owner not in ("os", "archive", "file") and not binary and "encoding" not in named


def without_encoding(source: str) -> list[int]:
    """The lines with such calls."""
    calls = (each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Call))
    return sorted(call.lineno for call in calls if opens_text(call))


def test_the_check_of_encodings_finds_them():
    source = 'open(a)\nopen(a, "rb")\np.read_text()\np.read_text(encoding="utf8")\nos.open(a, 1)'
    assert without_encoding(source) == [1, 3]


def test_no_file_is_read_or_written_in_the_encoding_of_the_system():
    found = {}
    for folder in ("spacy_nereval", "scripts"):
        for path in (ROOT / folder).rglob("*.py"):
            if lines := without_encoding(path.read_text(encoding="utf8")):
                found[path.name] = lines
    assert found == {}


def test_commands_of_the_project_have_only_what_every_shell_understands():
    """Weasel splits them by the rules of POSIX, and Windows has no single quotes."""
    project = yaml.safe_load((ROOT / "project.yml").read_text(encoding="utf8"))
    for command in project["commands"]:
        for line in command["script"]:
            plain = re.sub(r"\$\{vars\.\w+\}", "x", line)
            assert not set(plain) & set("'`$|;&<>\\\\*?"), f"{command['name']}: {line}"


def test_where_standard_input_is_no_file_this_is_said(monkeypatch):
    monkeypatch.setattr(guards, "POSIX", False)
    assert "standard input cannot be read on this system" in refused("score", "-", "p.jsonl", "-f", "jsonl")


def test_the_readme_says_what_is_tested():
    text = (ROOT / "README.md").read_text(encoding="utf8")
    assert all(system in text for system in ("Linux", "Windows", "macOS"))
