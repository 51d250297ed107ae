"""The recipe of the container: what it copies is enough to install the package, and its user is not root."""

import json
import re
import shutil
from configparser import ConfigParser

import pytest
from places import ROOT
from processes import python


@pytest.fixture(scope="module")
def steps() -> list[tuple[str, str]]:
    """The instructions, each with what follows it."""
    lines = (ROOT / "examples/container/Dockerfile").read_text("utf8").replace("\\\n", " ").splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def declared() -> ConfigParser:
    found = ConfigParser()
    found.read(ROOT / "setup.cfg", "utf8")
    return found


def test_what_the_recipe_names_is_declared_its_command_is_nereval_and_its_user_is_not_root(steps, declared):
    (image,) = [rest for what, rest in steps if what == "FROM"]
    (version,) = re.findall(r"^python:(3\.\d+)-slim$", image)
    assert f"Programming Language :: Python :: {version}" in declared["metadata"]["classifiers"]
    arguments = dict(rest.split("=") for what, rest in steps if what == "ARG")
    assert {*arguments["EXTRAS"].split(",")} <= {*declared["options.extras_require"]} and arguments["PACKAGES"] == '""'
    (run,) = [rest for what, rest in steps if what == "RUN"]
    assert run == 'python -m pip install --no-cache-dir ".[${EXTRAS}]" ${PACKAGES}'
    last, order = dict(steps), [what for what, _ in steps]
    assert json.loads(last["ENTRYPOINT"]) == ["nereval"]
    assert "nereval =" in declared["options.entry_points"]["console_scripts"]
    assert last["USER"] == "nobody" and last["WORKDIR"] == "/data"
    assert order.index("USER") > order.index("RUN")


def test_a_wheel_is_built_of_what_is_copied(steps, tmp_path):
    """With every file of the package."""
    for what, rest in steps:
        *sources, target = rest.split()
        for source in sources if what == "COPY" else ():
            path = ROOT / source
            assert path.exists(), source
            if path.is_dir():
                shutil.copytree(path, tmp_path / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, tmp_path / target)
    build = "import sys; from setuptools import setup; setup(script_args=['--quiet', 'build'])"
    done = python("-c", build, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    package = ROOT / "spacy_nereval"
    ends = (".py", ".html", ".css", ".js")
    wanted = {file.relative_to(package) for file in package.rglob("*") if file.suffix in ends}
    built = tmp_path / "build" / "lib" / "spacy_nereval"
    assert wanted - {file.relative_to(built) for file in built.rglob("*")} == set()
