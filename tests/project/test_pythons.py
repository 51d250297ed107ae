"""Which versions of Python are tested, and what of the extras each can install."""

import ast
import configparser
import sys

import pytest
from packaging.requirements import Requirement
from places import ROOT, script

lowest = script("lowest")
OWN = f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_ci_tests_every_version_that_setup_cfg_names():
    assert lowest.claimed() == ["3.10", "3.11", "3.12", "3.13"]
    assert lowest.interpreter(OWN) == sys.executable
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
    assert ran[2][2][0][-3:] == ["tests", "-m", "quick"]


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
