"""Packages of others that cannot be imported are named, and hinder nobody who does not use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes import LEAN, python

METADATA = "Metadata-Version: 2.1\nName: odd-metrics\nVersion: 1.0\n"
POINTS = "[spacy_nereval_metrics]\nodd = odd_metrics:odd\n[spacy_nereval_readers]\nodd = odd_metrics:read\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with an installed package whose module is no Python."""
    info = tmp_path / "site" / "odd_metrics-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(POINTS)
    (info.parent / "odd_metrics.py").write_text("def odd(:\n")
    (tmp_path / "a.jsonl").write_text('{"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n')
    return info.parent


SESSION = """
from typer.testing import CliRunner
from spacy_nereval.cli import nereval

def line(*arguments):
    done = CliRunner().invoke(nereval, [*arguments])
    print(done.exit_code, done.stderr.count("\\n"), done.stderr)
    if not isinstance(done.exception, (SystemExit, type(None))):
        raise done.exception

for arguments in (("-m", "strict"), ("-m", "od"), ("-m", "odd"), ("-m", "all"), ("--format", "odd")):
    line("score", "a.jsonl", "a.jsonl", *arguments)
"""


@pytest.mark.costly
def test_a_package_with_a_syntax_error_is_named_in_one_line(site):
    done = python("-c", SESSION, path=[site, LEAN], cwd=site.parent)
    assert done.returncode == 0, done.stderr
    used, unknown, odd, every, reader = (line for line in done.stdout.splitlines() if line[:2] in ("0 ", "2 "))
    assert used.startswith("0 "), "who does not use the package is not hindered"
    assert "there is no metric 'od': did you mean 'odd'? There are strict," in unknown and " odd, " in unknown
    for printed in (odd, every):
        assert printed.startswith(
            "2 1 ✘ 'odd', which the package odd-metrics registers under spacy_nereval_metrics, cannot be imported: "
            "SyntaxError in "
        )
        assert "odd_metrics.py" in printed and printed.endswith("correct or uninstall odd-metrics")
    assert "odd-metrics registers under spacy_nereval_readers" in reader
