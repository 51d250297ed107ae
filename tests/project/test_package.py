"""What is built, on which Pythons and systems it is installed, and what importing it costs."""

import ast
import configparser
import inspect
import json
import re
import shutil
import sys
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock

import catalogue
import pytest
import srsly
import yaml
from commands import refused
from packaging.requirements import Requirement
from places import ROOT, script
from processes import ended, python
from spacy.cli.package import get_third_party_dependencies
from spacy.lang.en import English
from spacy.util import load_config

import spacy_nereval
from spacy_nereval.cli import guards
from spacy_nereval.core.about import __version__
from spacy_nereval.core.features import features

pytestmark = pytest.mark.costly


def tracked() -> list[str]:
    """The files of the repository, as git lists them."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone, so git does not say which files belong to the repository")
    done = ended(["git", "ls-files"], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The folder with the wheel and the source distribution of a copy of the repository."""
    copy = tmp_path_factory.mktemp("package") / "copy"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    build = "from setuptools import build_meta as b; b.build_sdist('dist'); b.build_wheel('dist')"
    done = python("-c", build, cwd=copy)
    assert done.returncode == 0, done.stderr
    return copy / "dist"


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_data_file_and_nothing_else(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        (points,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith("entry_points.txt")]
        (about,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA")]
    assert names == {name for name in tracked() if name.startswith("spacy_nereval/")}
    assert {"spacy_nereval/py.typed", "spacy_nereval/features/report/page/page.html"} <= names
    found, said = configparser.ConfigParser(), configparser.ConfigParser()
    found.read_string(points)
    said.read(ROOT / "setup.cfg", encoding="utf8")
    assert found["console_scripts"]["nereval"] == "spacy_nereval.cli:nereval"
    assert {*found.sections()} == {*said["options.entry_points"]}
    assert f"\nVersion: {__version__}\n" in about
    assert (ROOT / "README.md").read_text(encoding="utf8").strip() in about


@pytest.mark.nightly
@pytest.mark.slow
def test_the_source_distribution_holds_the_whole_repository(built):
    """So its tests run."""
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        files = {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}
    assert {*tracked()} - names == set()
    made = {"PKG-INFO", "setup.cfg"}
    assert {name for name in files - {*tracked()} if not name.startswith("spacy_nereval.egg-info/")} <= made


def test_the_citation_names_this_version_and_the_papers():
    citation = srsly.read_yaml(ROOT / "CITATION.cff")
    assert citation["version"] == __version__
    assert f"\n## {__version__}" in (ROOT / "CHANGELOG.md").read_text("utf8")
    metrics = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf8")
    found = {paper["notes"].removeprefix("The metric ") for paper in citation["references"]}
    assert found == {"wrf", "loio", "slot_error", "semeval", "fair"}
    for paper in citation["references"]:
        section = metrics.split(f"\n## {paper['notes'].removeprefix('The metric ')}\n")[1].split("\n## ")[0]
        source = section.split("Source: ")[1]
        assert paper["authors"][0]["family-names"] in source
        assert "year" not in paper or str(paper["year"]) in source or paper["notes"].endswith("wrf")


def test_spacy_package_names_this_package_as_a_requirement():
    """As the README says. It finds it through the scorer that the config names."""
    English()  # without which spaCy does not know its own components yet
    config = load_config(ROOT / "examples" / "config.cfg")
    (requirement,) = get_third_party_dependencies(config)
    assert requirement.startswith(f"spacy-nereval>={__version__},<")


# Which versions of Python are tested, and what of the extras each can install


lowest = script("lowest")


def test_ci_tests_every_version_that_setup_cfg_names():
    assert lowest.claimed() == ["3.10", "3.11", "3.12", "3.13"]
    assert lowest.interpreter(f"{sys.version_info[0]}.{sys.version_info[1]}") == sys.executable
    assert lowest.interpreter("3.99") is None
    assert all((ROOT / name).is_file() for name in (*lowest.SCORERS, *lowest.MORE_SCORERS))
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf8")
    assert "scripts/lowest.py --few" in steps and "scripts/lowest.py --pythons" in steps


def test_a_version_is_run_or_named(monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(lowest, "interpreter", lambda version: {"3.10": "/ten", "3.12": "/twelve"}.get(version))
    monkeypatch.setattr(lowest, "tested", lambda *given: ran.append(given) or 3)
    monkeypatch.setattr(sys, "argv", ["lowest.py", "--pythons", "tests/core"])
    assert lowest.main() == 3
    chosen = [["pytest", "-q", "-p", "no:cacheprovider", "tests/core"]]
    assert ran == [("/twelve", [], chosen)]
    assert [line for line in capsys.readouterr().out.splitlines() if "not installed" in line] == [
        "+ Python 3.11 is not installed: not tested",
        "+ Python 3.13 is not installed: not tested",
    ]
    monkeypatch.setattr(sys, "argv", ["lowest.py", "tests/core"])
    lowest.main()
    assert ran[1] == ("/ten", lowest.lowest_versions(), chosen)
    monkeypatch.setattr(sys, "argv", ["lowest.py", "--few"])
    lowest.main()
    assert [run[0] for run in ran[2][2]] == ["pytest", "pytest", "spacy", "spacy", "spacy_nereval", "spacy_nereval"]
    assert ran[2][2][0][-3:] == ["tests/cli", "-m", "quick"]
    monkeypatch.setattr(sys, "argv", ["lowest.py"])
    lowest.main()
    assert ran[3][2][0][-3:] == ["tests", "-m", "quick"]
    monkeypatch.setattr(sys, "argv", ["lowest.py", "--pythons", "--few"])
    lowest.main()
    assert [run[0] for run in ran[4][2]] == ["pytest", "spacy", "spacy", "spacy_nereval", "spacy_nereval"]
    assert ran[4][2][0][-5:] == ["tests/core", "tests/io", "tests/cli", "-m", "quick"]


@pytest.mark.slow
def test_the_lowest_versions_are_those_of_everything_that_is_imported():
    found = dict(line.split("==") for line in lowest.lowest_versions())
    assert (found["spacy"], found["typer"], found["dkpro-cassis"]) == ("3.8.2", "0.12.4", "0.9")
    names = {name.replace("-", "_").lower() for name in found}
    imported = set()
    for path in (ROOT / "spacy_nereval").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                modules = [node.module]
            imported |= {module.split(".")[0] for module in modules}
    imported -= {*sys.stdlib_module_names, "spacy_nereval"}
    # Of extras that are too large to be installed there, and of spaCy's that none needs unless it is there.
    others = {"ray", "dask", "distributed", "pyspark", "cloudpathlib", "requests", "IPython", "pytest"}
    named = {"cassis": "dkpro_cassis", "vl_convert": "vl_convert_python"}
    assert {named.get(name, name) for name in imported} - names <= others


@pytest.mark.parametrize(("version", "has"), [("3.10", False), ("3.11", True)])
def test_extras_leave_out_what_a_version_cannot_install(version, has):
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf8")
    for extra in ("test", "bench"):
        wanted = map(Requirement, settings["options.extras_require"][extra].split("\n")[1:])
        names = {each.name for each in wanted if not each.marker or each.marker.evaluate({"python_version": version})}
        assert ("nervaluate" in names) is has  # which needs Python 3.11


# What would differ on Windows and macOS, as far as it can be seen elsewhere


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


@pytest.mark.slow
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


def test_the_page_on_installation_says_what_is_tested():
    text = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf8")
    assert all(system in text for system in ("Linux", "Windows", "macOS"))


# What importing costs those who do not use the package, and where spaCy ends


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
    assert ours == {"", "core", "core.about", "core.imports"} and "numpy" not in package
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
    with pytest.raises(AttributeError, match="has no 'scoer': did you mean 'score'"):
        print(spacy_nereval.scoer)
    with pytest.raises(ImportError, match="scoer"):
        exec("from spacy_nereval import scoer")


@pytest.mark.costly
def test_a_type_checker_finds_the_names_where_they_are_loaded_from():
    said = re.search(r"if TYPE_CHECKING:\n(.*?)else:", inspect.getsource(spacy_nereval), flags=re.S)[1]
    checked = {module: tuple(names.split(", ")) for module, names in re.findall(r"from \.([\w.]+) import (.*)", said)}
    kernel = {module: names for module, names in checked.items() if not module.startswith("features.")}
    assert kernel == spacy_nereval._WHERE
    declared = {name: place for feature in features() for name, place in feature.names.items()}
    of_features = {f"spacy_nereval.{module}": names for module, names in checked.items() if module not in kernel}
    assert declared == {name: module for module, names in of_features.items() for name in names}
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
    doors = ("spacy_nereval.cli", "spacy_nereval.features")
    commands = {name for name in added if name.startswith(doors)}
    assert "spacy_nereval.cli.spacy_app" in commands
    of_features = {module for feature in features() for module in feature.commands}
    of_features |= {place.partition(":")[0] for feature in features() for place in feature.extensions.values()}
    named = of_features | {module.rpartition(".")[0] for module in of_features} | {"spacy_nereval.features"}
    assert {name for name in commands if name.startswith(doors[1])} - named <= {
        "spacy_nereval.features.parts.corpus_lists"
    }
    # `core.arguments` is what options are made of: it imports nothing but `core.messages` and `core.expansion`.
    rest = ("core", "core.about", "core.arguments", "core.expansion", "core.features", "core.imports", "core.messages")
    rest = (*rest, "core.plugins", "integration", "integration.component")
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


@cache
def texts_of(file: Path) -> list[str]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(file.read_text(encoding="utf8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return [node.value for node in texts if isinstance(node.value, str)]


def below(*doors: str) -> list[Path]:
    """The modules outside these rooms, and outside the modules of features that open the same doors."""
    public = {f"{module.replace('.', '/')}.py" for feature in features() for module in feature.names.values()}
    opens = {
        "cli": {file for file in (PACKAGE / "features").rglob("*.py") if "from ...cli" in file.read_text("utf8")},
        "api": {PACKAGE.parent / name for name in public},
    }
    outside = {file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).parts[0] not in doors}
    return sorted(outside.difference(*(opens.get(door, ()) for door in doors)))


@pytest.mark.slow
def test_errors_below_the_commands_name_no_option():
    """They name arguments with `named`, and each door spells them. Help texts of options may name others."""
    # Help texts, commands of spaCy, a style sheet, and the table of what names of other packages mean at each door.
    texts = {PACKAGE / name for name in ("core/arguments.py", "integration/training_needs.py", "api/shown.py")}
    texts |= {PACKAGE / "core/synonyms.py"}
    files = [file for file in below("cli") if file not in texts]
    found = [file.name for file in files for text in texts_of(file) if re.search(r"(?<![\w-])--[a-z]+", text)]
    assert len(files) > 150
    # How spaCy trains; the command that writes a policy to start from, and the comments of that policy; how all
    # commands, spaCy's too, import a file, and how a metric is chosen; zstd's own options; what readers, which do not
    # know their door, offer beside the environment variable.
    expected = ["compression.py", "expansion.py", "paths.py", *["policy.py"] * 3, *["registry.py"] * 2]
    assert sorted(found) == expected


OF_BOTH_DOORS = (
    *("'nereval training' wrote", "written by 'nereval training'", "made by 'nereval training'"),  # nothing else does
    "make it again from the training corpus with 'nereval training'",
    *("'nereval compare' or Comparison.save", "'nereval thresholds' or Thresholds.save"),  # what writes a file
    "'nereval thresholds' and Thresholds.save write threshold files",
    "in Python, nlp.evaluate scores it",
    "which DocBin stores with store_user_data=True only",
    "'nereval show FILE' shows how a file is read",
    "or a count file, which 'nereval count' writes",
    'make the pipeline with aggregation_strategy="simple"',  # that of transformers
)
"""What texts below the doors say of commands and arguments: it is true whoever reads it."""


@pytest.mark.slow
def test_errors_below_the_doors_give_no_advice_for_one_of_them():
    """No text says to give an argument or to call something as Python has it, or to run a command."""
    advice = re.compile(
        r"\b(give|pass|use|with) \w+=|Document\(\w+=\.|\w=[\"'][A-Z]|with '-|'nereval \w|nereval thresholds"
    )
    files = [file for file in below("api", "cli", "compat") if file.name != "synonyms.py"]  # a table for each door
    found = {text for file in files for text in texts_of(file) if advice.search(text)}
    assert {text for text in found if not any(said in text for said in OF_BOTH_DOORS)} == set()
    assert all(any(said in text for text in found) for said in OF_BOTH_DOORS), "nothing is allowed that is not said"


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
