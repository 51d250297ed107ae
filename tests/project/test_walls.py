"""A feature can be taken out: without its folder and its entry point, all quick tests pass that are not its own."""

import shutil
import subprocess
from collections.abc import Collection
from itertools import combinations, permutations
from pathlib import Path

import pytest
from processes import python

from spacy_nereval.core.features import features

ROOT = Path(__file__).parents[2]
NAMES = [feature.name for feature in features()]
GROUPS = [[name for name, groups in zip(NAMES, combinations(range(4), 2)) if k in groups] for k in range(4)]
"""Features that are kept together: each is in two of four groups, and no two are in the same ones."""


def copied_without(left_out: Collection[str], folder: Path) -> Path:
    """Copy what git knows of the repository, without features, their tests and their entry points."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    gone = tuple(f"{room}/features/{name}/" for name in left_out for room in ("spacy_nereval", "tests"))
    for name in names:
        if (ROOT / name).is_file() and not name.startswith(gone):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    settings = (folder / "setup.cfg").read_text("utf8")
    for name in left_out:
        line = f"    {name} = spacy_nereval.features.{name}:feature\n"
        assert settings.count(line) == 1
        settings = settings.replace(line, "")
    (folder / "setup.cfg").write_text(settings, encoding="utf8")
    # What lies beside the package comes before what is installed, so that the copy has entry points of its own.
    done = python("-c", "from setuptools import setup; setup()", "-q", "egg_info", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def quick_tests_passed(folder: Path, *tests: str) -> int:
    """Run quick tests of a copy, and return how many passed. Fails if one does not."""
    command = ("-m", "pytest", *tests, "-m", "quick", "-q", "-n", "2", "-p", "no:cacheprovider")
    done = python(*command, cwd=folder, path=[folder], seconds=600)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return int(done.stdout.rsplit(" passed", 1)[0].split()[-1])


@pytest.mark.slow
def test_quick_tests_of_the_kernel_pass_without_any_feature(tmp_path):
    """Without all features at once: what needs one of them fails here, whichever it is."""
    assert quick_tests_passed(copied_without(NAMES, tmp_path / "copy"), "tests", "--ignore=tests/features") > 1500


def test_every_feature_is_tested_without_every_other():
    pairs = {(kept, name) for group in GROUPS for kept in group for name in NAMES if name not in group}
    assert pairs == {*permutations(NAMES, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("kept", GROUPS, ids="+".join)
def test_quick_tests_of_features_pass_without_the_others(kept, tmp_path):
    folder = copied_without({*NAMES} - {*kept}, tmp_path / "copy")
    assert quick_tests_passed(folder, *(f"tests/features/{name}" for name in kept)) > 50
