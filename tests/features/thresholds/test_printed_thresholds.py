"""What the commands of this feature print, whole: see `printed.py`."""

from pathlib import Path

import pytest
from everything import write_everything
from printed import check_section, every_section

pytestmark = pytest.mark.costly  # many commands


@every_section(Path(__file__).parent / "golden")
def test_all_that_is_printed_is_in_the_golden_file(path, title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_everything(tmp_path)
    check_section(path, title)
