"""A feature can be taken out: without its folder and its entry point, all quick tests pass that are not its own."""

import shutil
import subprocess
from pathlib import Path

import pytest
from processes import python

from spacy_nereval.core.features import features

ROOT = Path(__file__).parents[2]


def copied_without(feature: str, folder: Path) -> Path:
    """Copy what git knows of the repository, without a feature, its tests and its entry point."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    gone = (f"spacy_nereval/features/{feature}/", f"tests/features/{feature}/")
    for name in names:
        if (ROOT / name).is_file() and not name.startswith(gone):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    settings = (folder / "setup.cfg").read_text("utf8")
    line = f"    {feature} = spacy_nereval.features.{feature}:feature\n"
    assert settings.count(line) == 1
    (folder / "setup.cfg").write_text(settings.replace(line, ""), encoding="utf8")
    # What lies beside the package comes before what is installed, so that the copy has entry points of its own.
    done = python("-c", "from setuptools import setup; setup()", "-q", "egg_info", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("feature", [feature.name for feature in features()])
def test_all_other_quick_tests_pass_without_a_feature(feature, tmp_path):
    folder = copied_without(feature, tmp_path / "copy")
    together = [f"--ignore={file.relative_to(folder)}" for file in folder.glob("tests/features/test_*.py")]
    command = ("-m", "pytest", "tests", "-m", "quick", "-q", "-n", "2", "-p", "no:cacheprovider", *together)
    done = python(*command, cwd=folder, path=[folder], seconds=600)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(done.stdout.rsplit(" passed", 1)[0].split()[-1]) > 1500
