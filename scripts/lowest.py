"""Test the package with the lowest versions of all that setup.cfg names, or with its other versions of Python.

    python scripts/lowest.py
    python scripts/lowest.py tests/integration/test_logger_and_plateau.py
    python scripts/lowest.py --pythons

Each Python gets a virtual environment with this package, the extras that read and write files, and what the quick
tests need; then it runs these tests, those of scorers, and commands, unless you name tests. The lowest Python gets the
lowest version of every requirement, all together. A Python that is not installed is named and skipped; without
a lower one, the lowest versions are tested with the Python that runs this script.
"""

import os
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from configparser import ConfigParser
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
SCORERS = tuple(f"tests/integration/test_{name}.py" for name in ("component", "scorer"))
MORE_SCORERS = tuple(f"tests/integration/test_{name}.py" for name in ("checks", "detach"))
QUICK = ("tests", "-m", "quick")
OF_KERNEL = (*(f"tests/{room}" for room in ("core", "metrics", "counting", "evaluation", "io", "cli")), "-m", "quick")
OF_PYTHON = ("tests/core", "tests/io", "tests/cli", "-m", "quick")
"""Quick tests of what depends on the version of Python: types, archives, JSON, command lines. No numbers."""
COMMANDS = (
    ("spacy", "info"),
    ("spacy", "nereval", "--version"),
    ("spacy_nereval", "score", "examples/gold.jsonl", "examples/improved.jsonl", "--confidence"),
    ("spacy_nereval", "compare", "examples/gold.jsonl", "examples/baseline.jsonl", "examples/improved.jsonl"),
)
"""Commands that have to work, as `python -m` takes them."""
EXTRAS = ("uima", "conllu", "bio", "parquet", "zst", "report", "frame", "loky")
"""The extras that are installed: those that take no more than seconds."""
BUILT_FROM = ["pyproject.toml", "setup.cfg", "README.md", "LICENSE"]
"""What building needs beside the package."""
NEEDED = ["pytest", "pytest-timeout", "pytest-xdist", "hypothesis"]


def settings() -> ConfigParser:
    """Return what setup.cfg says."""
    found = ConfigParser()
    found.read(ROOT / "setup.cfg", encoding="utf8")
    return found


def lowest_versions() -> list[str]:
    """Return the lowest version of each requirement of the package and its extras, such as `spacy==3.8.2`.

    Raises:
        SystemExit: If setup.cfg claims no lowest version of one.
    """
    found, extras = settings(), settings()["options.extras_require"]
    wanted = [found["options"]["install_requires"], *(extras[name] for name in EXTRAS)]
    lines = [line for text in wanted for line in text.split("\n") if line and not line.startswith("#")]
    lowest = [re.match(r"([\w-]+)>=([\d.]+)", line) for line in lines]
    if missing := [line for line, known in zip(lines, lowest) if not known]:
        sys.exit(f"setup.cfg has no lowest version for {', '.join(missing)}: expected 'NAME>=VERSION'")
    return [f"{known[1]}=={known[2]}" for known in lowest if known]


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


def tested(python: str, requirements: list[str], runs: list[list[str]]) -> int:
    """Install the package for a Python with some requirements, run tests and commands, and return their exit status.

    Args:
        python: The program.
        requirements: What is installed beside the package.
        runs: The arguments of `python -m` for each test run and each command.
    """
    version = subprocess.run([python, "-VV"], capture_output=True, text=True, check=True).stdout.split("(")[0].strip()
    print(f"+ {' '.join([version, *requirements])}", flush=True)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with TemporaryDirectory() as folder:
        venv, source = Path(folder, "venv"), Path(folder, "source")
        uv = shutil.which("uv")  # it installs in a fifth of the time that pip takes
        subprocess.run([python, "-m", "venv", *["--without-pip"] * bool(uv), venv], check=True)
        own = str(Path(venv, "Scripts" if os.name == "nt" else "bin", "python"))
        # A build leaves files behind, and another installation may be building in the repository.
        shutil.copytree(ROOT / "spacy_nereval", source / "spacy_nereval")
        for name in BUILT_FROM:
            shutil.copy(ROOT / name, source)
        install = [uv, "pip", "install", "--python", own] if uv else [own, "-m", "pip", "install"]
        given = [*requirements, *NEEDED, f"{source}[{','.join(EXTRAS)}]"]
        subprocess.run([*install, "-q", *given], check=True, env=env)
        statuses = []
        for run in runs:
            print(f"+ python -m {' '.join(run)}", flush=True)
            statuses.append(subprocess.run([own, "-m", *run], cwd=ROOT, env=env, check=False).returncode)
        return next(filter(None, statuses), 0)


def main() -> int:
    """Run the tests with each Python, and return the first exit status that is not 0."""
    parser = ArgumentParser(description="Test with all lowest versions, or with the other Pythons.")
    parser.add_argument("--pythons", action="store_true", help="each Python but the lowest one and this one")
    parser.add_argument(
        "--few",
        action="store_true",
        help="fewer tests: none of features, checks and training; with --pythons only those of rooms"
        " where the version of Python matters",
    )
    given, tests = parser.parse_known_args()
    found = {version: interpreter(version) for version in claimed()}
    lowest = next(python for python in found.values() if python)
    scorers = SCORERS if given.few else (*SCORERS, *MORE_SCORERS)
    quick = OF_KERNEL if given.few else QUICK
    chosen = [[*quick], [*scorers, "-m", "not slow and not costly"]]
    if tests or (given.few and given.pythons):
        chosen = [tests or [*OF_PYTHON]]
    runs = [["pytest", "-q", "-p", "no:cacheprovider", *some] for some in chosen]
    runs += [] if tests else [[*command] for command in COMMANDS]
    if not given.pythons:
        return tested(lowest, lowest_versions(), runs)
    statuses = []
    for version, python in found.items():
        if python is None:
            print(f"+ Python {version} is not installed: not tested", flush=True)
        elif python not in (lowest, sys.executable):
            statuses.append(tested(python, [], runs))
    return next(filter(None, statuses), 0)


if __name__ == "__main__":
    sys.exit(main())
