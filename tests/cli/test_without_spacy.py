"""The commands without spaCy: only the module that adds them to its command line may import it when loaded."""

from __future__ import annotations

import subprocess
import sys

LOAD = """
import sys
from types import ModuleType

sys.modules["spacy"] = sys.modules["thinc"] = None  # so that importing them fails
sys.modules["spacy_nereval.cli.spacy_app"] = ModuleType("spacy_nereval.cli.spacy_app")

from typer.testing import CliRunner

from spacy_nereval.cli import nereval

assert CliRunner().invoke(nereval, ["score", "--help"]).exit_code == 0
print(CliRunner().invoke(nereval, ["metrics", "fair"]).stdout)
"""


def test_only_the_module_that_joins_spacys_command_line_imports_spacy_when_it_is_loaded():
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, encoding="utf8", timeout=60)
    assert done.returncode == 0, done.stderr
    assert "--fair.unit" in done.stdout
