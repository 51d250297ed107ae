"""Run every check that takes little time, and stop at the first that fails.

    python scripts/check.py                  all of them
    python scripts/check.py lint types       these

The checks are lint, format, types, the import contract, the site of the documentation
and the quick tests. CI runs all but the last, since it runs these tests anyway.
"""

import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from shutil import which
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
CHECKS: dict[str, list[str]] = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy", "--strict", "spacy_nereval"],
    "imports": ["lint-imports"],
    "site": ["mkdocs", "build", "--strict"],
    "quick tests": ["pytest", "tests", "-m", "quick", "-n", "2", "-q"],
}
MODULES = ("ruff", "mypy", "mkdocs", "pytest")
"""What `python -m` can run, so that it is the one of this environment."""


def main() -> int:
    """Run the checks, and return the exit status of the first that fails, or 0."""
    parser = ArgumentParser(description="Run the checks that take little time.")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"one of {', '.join(map(repr, CHECKS))} (all)")
    wanted = parser.parse_args().checks or list(CHECKS)
    if unknown := [name for name in wanted if name not in CHECKS]:
        parser.error(f"there is no check {unknown[0]!r}; expected one of {', '.join(map(repr, CHECKS))}")
    for name in wanted:
        command = CHECKS[name]
        print(f"+ {' '.join(command)}", flush=True)
        start = perf_counter()
        status = subprocess.run(runnable(command), cwd=ROOT, check=False).returncode
        if status:
            print(f"{name} failed: '{' '.join(command)}' exited with status {status}", file=sys.stderr)
            return status
        print(f"{name} passed ({perf_counter() - start:.0f} s)", flush=True)
    return 0


def runnable(command: list[str]) -> list[str]:
    """Return a command that runs a tool of this environment.

    Raises:
        SystemExit: If the tool is not installed.
    """
    tool, *arguments = command
    if tool in MODULES:
        return [sys.executable, "-m", tool, *arguments]
    # import-linter has no module to run; its program lies beside this Python's.
    program = which(tool, path=str(Path(sys.executable).parent)) or which(tool)
    if not program:
        sys.exit(f"{tool} is not installed: python -m pip install -e '.[dev,docs]'")
    return [program, *arguments]


if __name__ == "__main__":
    sys.exit(main())
