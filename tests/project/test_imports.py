"""What importing costs those who do not use the package, and where spaCy ends."""

import ast
import inspect
import json
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock

import catalogue
import pytest
from places import script
from processes import python

import spacy_nereval

PACKAGE = Path(spacy_nereval.__file__).parent


def imported_by(*steps: str, torch: bool = False) -> list[set[str]]:
    """The modules that each step adds, one after the other in a new process, which could import torch or not."""
    code = "import sys, json; seen = [set(sys.modules)]"
    for step in steps:
        code += f"\n{step}\nseen.append(set(sys.modules))"
    code += "\nprint(json.dumps([sorted(b - a) for a, b in zip(seen, seen[1:])]))"
    done = python("-c", code, env={"PYTHONPATH": ""} if torch else {})
    assert done.returncode == 0, done.stderr
    return [set(names) for names in json.loads(done.stdout.splitlines()[-1])]


def packages(modules: set[str]) -> set[str]:
    return {name.split(".")[0] for name in modules}


@pytest.fixture(scope="module")
def scoring() -> list[set[str]]:
    """What scoring without spaCy imports, step by step: in the end every metric, an interval, and the result."""
    return imported_by(
        "import spacy_nereval; assert 'score' in dir(spacy_nereval)",
        "from spacy_nereval import Span",
        "assert spacy_nereval.score([spacy_nereval.Document([], [], 'a')])['documents'] == 1",
        "from spacy_nereval import Confidence, Document, score\n"
        "doc = Document([(0, 5, 'A'), (3, 8, 'B')], [(0, 4, 'A'), (2, 7, 'B')], 'abcde fgh', tokens=[(0, 5), (6, 9)])\n"
        "score([doc, doc], ['all'], Confidence(samples=2))\n",
        torch=True,
    )


@pytest.mark.costly
def test_scoring_plain_documents_imports_neither_spacy_nor_anything_heavy(scoring):
    found = packages(set().union(*scoring))
    assert {"spacy_nereval", "numpy"} <= found
    assert not found & {"spacy", "thinc", "confection", "typer", "tqdm", "torch", "transformers"}
    assert not found & {"pandas", "matplotlib", "sklearn", "nervaluate", "seqeval", "requests"}


@pytest.mark.costly
def test_the_package_loads_what_is_asked_for_when_it_is_asked_for(scoring):
    package, name, function, _ = scoring
    ours = {name.partition(".")[2] for name in package if name.startswith("spacy_nereval")}
    assert ours == {"", "core", "core.about"} and "numpy" not in package
    late = {"spacy_nereval.counting.counts", "spacy_nereval.evaluation.result"}
    assert "spacy_nereval.core.spans" in name and not name & late
    assert late <= function


@pytest.mark.costly
def test_every_name_of_the_package_is_there_and_none_is_that_of_a_module():
    """Whatever was imported before: a module that is imported becomes a name of its package."""
    assert len(spacy_nereval.__all__) == len(set(spacy_nereval.__all__)) > 10
    assert {*spacy_nereval.__all__} <= {*dir(spacy_nereval)}
    for name in spacy_nereval.__all__:
        assert not isinstance(getattr(spacy_nereval, name), ModuleType)
        assert not (PACKAGE / name).is_dir() and not (PACKAGE / f"{name}.py").exists()
    everything: dict = {}
    exec("from spacy_nereval import *", everything)
    assert {*spacy_nereval.__all__} <= {*everything}
    with pytest.raises(AttributeError, match="no attribute 'scoer'"):
        print(spacy_nereval.scoer)
    with pytest.raises(ImportError, match="scoer"):
        exec("from spacy_nereval import scoer")


@pytest.mark.costly
def test_a_type_checker_finds_the_names_where_they_are_loaded_from():
    said = re.search(r"if TYPE_CHECKING:\n(.*?)else:", inspect.getsource(spacy_nereval), flags=re.S)[1]
    checked = {module: tuple(names.split(", ")) for module, names in re.findall(r"from \.([\w.]+) import (.*)", said)}
    assert checked == spacy_nereval._WHERE
    assert {"__version__", *(name for names in checked.values() for name in names)} == {*spacy_nereval.__all__}


@pytest.fixture(scope="module")
def start() -> list[set[str]]:
    """What spaCy and its command line import, what the modules that they import of ours add, and a pipeline."""
    ours = "import spacy_nereval.integration.component, spacy_nereval.cli.spacy_app"
    return imported_by("import spacy, spacy.cli", ours, "spacy.blank('en').add_pipe('sentencizer')")


@pytest.mark.costly
def test_what_spacy_imports_at_every_start_is_little_and_scores_or_reads_nothing(start):
    before, added, made = start
    assert {"spacy.cli", "spacy.language"} <= before
    assert packages(added) == {"spacy_nereval"}
    commands = {name for name in added if name.startswith("spacy_nereval.cli")}
    assert "spacy_nereval.cli.spacy_app" in commands
    # `core.arguments` is what options are made of: it imports nothing but `core.messages`.
    rest = ("core", "core.about", "core.arguments", "core.messages", "integration", "integration.component")
    assert added - commands == {"spacy_nereval", *(f"spacy_nereval.{name}" for name in rest)}
    rest = ("", ".component", ".cut_component", ".loggers", ".schedules")  # of spaCy's registries
    ours = {name for name in before | made if name.startswith("spacy_nereval")}
    assert ours <= added | {f"spacy_nereval.integration{name}" for name in rest}


@pytest.mark.costly
def test_one_module_of_the_commands_imports_spacy():
    """When it is loaded: the others do so in their functions, if they have to."""
    found = {}
    for path in (PACKAGE / "cli").glob("*.py"):
        found[path.name] = set()
        for node in ast.parse(path.read_text(encoding="utf8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            found[path.name] |= packages({*names}) & {"spacy", "thinc"}
    assert {name for name, modules in found.items() if modules} == {"spacy_app.py"}


def test_errors_below_the_commands_name_no_option():
    """They name arguments with `named`, and each door spells them. Help texts of options may name others."""
    files = {file for file in PACKAGE.rglob("*.py") if "cli" not in file.relative_to(PACKAGE).parts[:1]}
    # Help texts, commands of spaCy, and a style sheet.
    files -= {PACKAGE / name for name in ("core/arguments.py", "integration/training_needs.py", "api/shown.py")}
    found = []
    for file in sorted(files):
        tree = ast.parse(file.read_text(encoding="utf8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
        texts = [node.value for node in texts if isinstance(node.value, str)]
        found += [file.name for text in texts if re.search(r"(?<![\w-])--[a-z]+", text)]
    assert len(files) > 150
    assert found == ["paths.py", "policies.py"]  # how spaCy trains; the comments of a policy to start from


@pytest.mark.costly
def test_the_command_line_can_be_the_first_import():
    assert "spacy_nereval.cli" in imported_by("import spacy_nereval.cli")[0]


# scripts/without_torch.py: what it hides, from what, and how it starts what it is given


started = script("without_torch")


@pytest.fixture
def ran(monkeypatch) -> list:
    """What was started, and whether PyTorch was hidden from it."""
    seen: list = []

    def note(program, **_) -> None:
        seen.append((program, sys.argv, sys.modules.get("torch", 0)))

    monkeypatch.setattr(started, "runpy", Mock(run_path=note, run_module=note))
    needs = {"ours": ["spacy>=3.8", "torchlike; extra == 'x'"], "plain": None, "theirs": ["numpy", "torch>=1.8.0"]}
    entries = [SimpleNamespace(name=name, dist=Mock(requires=requires)) for name, requires in needs.items()]
    found = SimpleNamespace(groups={"spacy_factories", "console_scripts"}, select=lambda group: entries)
    monkeypatch.setattr(catalogue, "AVAILABLE_ENTRY_POINTS", found)
    monkeypatch.setitem(sys.modules, "torch", "there")
    monkeypatch.setattr(sys, "path", [*sys.path])
    return seen


def test_torch_and_what_requires_it_look_as_if_they_were_not_installed(ran, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["without_torch.py", "scripts/train.py", "a.cfg", "--gpu-id", "-1"])
    started.main()
    assert ran == [("scripts/train.py", ["scripts/train.py", "a.cfg", "--gpu-id", "-1"], None)]
    points = catalogue.AVAILABLE_ENTRY_POINTS
    kept = {group: [point.name for point in of] for group, of in points.items()}
    assert kept == {"spacy_factories": ["ours", "plain"]}
    assert sys.path[0] == "scripts"


def test_a_command_for_a_gpu_has_everything(ran, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["without_torch.py", "spacy", "nereval", "evaluate", "--gpu-id", "0"])
    started.main()
    assert ran == [("spacy", ["spacy", "nereval", "evaluate", "--gpu-id", "0"], "there")]
    assert not isinstance(catalogue.AVAILABLE_ENTRY_POINTS, dict)
