"""What the commands of the kernel print, whole: see `printed.py`."""

from pathlib import Path

import pytest
from everything import write_everything
from printed import check_section, every_section

pytestmark = pytest.mark.costly  # a hundred commands

GOLDEN = Path(__file__).parent / "golden" / "printed"


@every_section(GOLDEN)
def test_all_that_is_printed_is_in_the_golden_file(path, title, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    write_everything(tmp_path)
    if path.stem == "models":
        (tmp_path / "model").symlink_to(request.getfixturevalue("model"))
    check_section(path, title)
