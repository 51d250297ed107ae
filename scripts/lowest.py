"""Test the scorers and the component with the lowest spaCy that setup.cfg claims.

    python scripts/lowest.py
    python scripts/lowest.py tests/integration/test_logger_and_plateau.py

The script makes a virtual environment with this package, that spaCy, and the other
requirements of these tests. It leaves out tests that start processes or train, unless
you name tests.
"""

import os
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("registered", "checks", "check_data", "scorer", "scorer_configs", "scorer_training", "component", "detach")
TESTS = [f"tests/integration/test_{name}.py" for name in NAMES]
BUILT_FROM = ["pyproject.toml", "setup.cfg", "README.md", "LICENSE"]
"""What building needs beside the package."""
NEEDED = ["pytest", "pytest-timeout", "pytest-xdist", "hypothesis"]


def lowest() -> str:
    """Return the requirement of the lowest spaCy, such as `spacy==3.8.0`.

    Raises:
        SystemExit: If setup.cfg claims none.
    """
    settings = ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf8")
    found = re.search(r"^spacy>=([\d.]+)", settings["options"]["install_requires"], flags=re.M)
    if not found:
        sys.exit("setup.cfg has no line 'spacy>=VERSION' in install_requires")
    return f"spacy=={found[1]}"


def main() -> int:
    """Install, run the tests, and return their exit status."""
    tests = sys.argv[1:] or [*TESTS, "-m", "not slow and not costly"]
    print(f"+ {lowest()}: pytest {' '.join(tests)}", flush=True)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with TemporaryDirectory() as folder:
        venv, source = Path(folder, "venv"), Path(folder, "source")
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        python = str(Path(venv, "Scripts" if os.name == "nt" else "bin", "python"))
        # A build leaves files behind, and another installation may be building in the repository.
        shutil.copytree(ROOT / "spacy_nereval", source / "spacy_nereval")
        for name in BUILT_FROM:
            shutil.copy(ROOT / name, source)
        install = [python, "-m", "pip", "install", "-q", lowest(), *NEEDED, str(source)]
        subprocess.run(install, check=True, env=env)
        return subprocess.run(
            [python, "-m", "pytest", "-q", "-n", "2", *tests], cwd=ROOT, env=env, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
