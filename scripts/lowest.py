"""Test the package with the lowest spaCy and Python that setup.cfg claims, or with its other versions of Python.

    python scripts/lowest.py
    python scripts/lowest.py tests/integration/test_logger_and_plateau.py
    python scripts/lowest.py --pythons

Each Python gets a virtual environment with this package and the requirements of these
tests. They leave out tests that start processes or train, unless you name tests. A
Python that is not installed is named and skipped; without a lower one, the lowest spaCy
is tested with the Python that runs this script.
"""

import os
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from configparser import ConfigParser
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
SCORERS = tuple(f"tests/integration/test_{name}.py" for name in ("component", "scorer", "scorer_configs"))
MORE_SCORERS = tuple(f"tests/integration/test_{name}.py" for name in ("checks", "scorer_training", "detach"))
ROOMS = (
    *("tests/core/test_declaration.py", "tests/core/test_labels.py", "tests/counting/test_batch.py"),
    *("tests/metrics/test_registry.py", "tests/metrics/test_tmr.py"),
    *("tests/io/test_conll_files.py", "tests/io/test_files.py"),
    *("tests/api/test_rows.py", "tests/api/test_score_anything.py"),
    *(f"tests/cli/test_{name}.py" for name in ("cli", "help", "label_options", "score_command")),
)
"""Tests of options, types, files and commands: what differs between versions of Python."""
BUILT_FROM = ["pyproject.toml", "setup.cfg", "README.md", "LICENSE"]
"""What building needs beside the package."""
NEEDED = ["pytest", "pytest-timeout", "pytest-xdist", "hypothesis"]


def settings() -> ConfigParser:
    """Return what setup.cfg says."""
    found = ConfigParser()
    found.read(ROOT / "setup.cfg", encoding="utf8")
    return found


def lowest_spacy() -> str:
    """Return the requirement of the lowest spaCy, such as `spacy==3.8.2`.

    Raises:
        SystemExit: If setup.cfg claims none.
    """
    found = re.search(r"^spacy>=([\d.]+)", settings()["options"]["install_requires"], flags=re.M)
    if not found:
        sys.exit("setup.cfg has no line 'spacy>=VERSION' in install_requires")
    return f"spacy=={found[1]}"


def claimed() -> list[str]:
    """Return the versions of Python that setup.cfg names, such as 3.10, the lowest first."""
    return re.findall(r"^Programming Language :: Python :: (3\.\d+)$", settings()["metadata"]["classifiers"], re.M)


def interpreter(version: str) -> str | None:
    """Return the program of a version of Python, from PATH or pyenv; None if it is not installed."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for found in [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)]:
        # A program of pyenv in PATH may be of a version that is switched off.
        asked = [found, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
        if found and subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == version:
            return str(found)
    return None


def tested(python: str, requirements: list[str], tests: list[str]) -> int:
    """Install the package for a Python with some requirements, run tests, and return their exit status."""
    version = subprocess.run([python, "-VV"], capture_output=True, text=True, check=True).stdout.split("(")[0].strip()
    print(f"+ {' '.join([version, *requirements])}: pytest {' '.join(tests)}", flush=True)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with TemporaryDirectory() as folder:
        venv, source = Path(folder, "venv"), Path(folder, "source")
        pip = [sys.executable, "-m", "pip", "--python"] if find_spec("pip") else []
        subprocess.run([python, "-m", "venv", *["--without-pip"] * bool(pip), venv], check=True)
        own = str(Path(venv, "Scripts" if os.name == "nt" else "bin", "python"))
        # A build leaves files behind, and another installation may be building in the repository.
        shutil.copytree(ROOT / "spacy_nereval", source / "spacy_nereval")
        for name in BUILT_FROM:
            shutil.copy(ROOT / name, source)
        pip = [*pip, own] if pip else [own, "-m", "pip"]  # that of this Python saves installing another
        subprocess.run([*pip, "install", "-q", *requirements, *NEEDED, str(source)], check=True, env=env)
        command = [own, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode


def main() -> int:
    """Run the tests with each Python, and return the first exit status that is not 0."""
    parser = ArgumentParser(description="Test with the lowest spaCy and Python, or with the other Pythons.")
    parser.add_argument("--pythons", action="store_true", help="each Python but the lowest one and this one")
    parser.add_argument("--few", action="store_true", help="leave out tests of checks and of training")
    given, tests = parser.parse_known_args()
    found = {version: interpreter(version) for version in claimed()}
    lowest = next(python for python in found.values() if python)
    quick = ["-m", "not slow and not costly"]
    more = () if given.few else MORE_SCORERS
    if not given.pythons:
        return tested(lowest, [lowest_spacy()], tests or [*SCORERS, *more, *ROOMS, *quick])
    statuses = []
    for version, python in found.items():
        if python is None:
            print(f"+ Python {version} is not installed: not tested", flush=True)
        elif python not in (lowest, sys.executable):
            statuses.append(tested(python, [], tests or [*SCORERS, *more, *ROOMS, *quick]))
    return next(filter(None, statuses), 0)


if __name__ == "__main__":
    sys.exit(main())
