"""The commands without spaCy: only the module that adds them to its command line may import it when loaded."""

from __future__ import annotations

import pytest
from processes import WITHOUT_SPACY, python

HELP = (
    WITHOUT_SPACY
    + """
from typer.testing import CliRunner

assert CliRunner().invoke(nereval, ["score", "--help"]).exit_code == 0
print(CliRunner().invoke(nereval, ["metrics", "fair"]).stdout)
"""
)


@pytest.mark.costly
def test_only_the_module_that_joins_spacys_command_line_imports_spacy_when_it_is_loaded():
    done = python("-c", HELP)
    assert done.returncode == 0, done.stderr
    assert "--fair.unit" in done.stdout
