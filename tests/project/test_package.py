"""What is built from the repository: the wheel has every module and data file, the source distribution every file."""

import configparser
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
import srsly
from places import ROOT
from processes import ended, python
from spacy.cli.package import get_third_party_dependencies
from spacy.lang.en import English
from spacy.util import load_config

from spacy_nereval.core.about import __version__

pytestmark = pytest.mark.costly


def tracked() -> list[str]:
    """The files of the repository, as git lists them."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone, so git does not say which files belong to the repository")
    done = ended(["git", "ls-files"], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The folder with the wheel and the source distribution of a copy of the repository."""
    copy = tmp_path_factory.mktemp("package") / "copy"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    build = "from setuptools import build_meta as b; b.build_sdist('dist'); b.build_wheel('dist')"
    done = python("-c", build, cwd=copy)
    assert done.returncode == 0, done.stderr
    return copy / "dist"


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_data_file_and_nothing_else(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        (points,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith("entry_points.txt")]
        (about,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA")]
    assert names == {name for name in tracked() if name.startswith("spacy_nereval/")}
    assert {"spacy_nereval/py.typed", "spacy_nereval/reporting/html/report/page.html"} <= names
    found, said = configparser.ConfigParser(), configparser.ConfigParser()
    found.read_string(points)
    said.read(ROOT / "setup.cfg", encoding="utf8")
    assert found["console_scripts"]["nereval"] == "spacy_nereval.cli:nereval"
    assert {*found.sections()} == {*said["options.entry_points"]}
    assert f"\nVersion: {__version__}\n" in about
    assert (ROOT / "README.md").read_text(encoding="utf8").strip() in about


def test_the_source_distribution_holds_the_whole_repository(built):
    """So its tests run."""
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        files = {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}
    assert {*tracked()} - names == set()
    made = {"PKG-INFO", "setup.cfg"}
    assert {name for name in files - {*tracked()} if not name.startswith("spacy_nereval.egg-info/")} <= made


def test_the_citation_names_this_version_and_the_papers():
    citation = srsly.read_yaml(ROOT / "CITATION.cff")
    assert citation["version"] == __version__
    assert f"\n## {__version__}" in (ROOT / "CHANGELOG.md").read_text("utf8")
    metrics = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf8")
    found = {paper["notes"].removeprefix("The metric ") for paper in citation["references"]}
    assert found == {"wrf", "loio", "slot_error", "semeval", "fair"}
    for paper in citation["references"]:
        section = metrics.split(f"\n## {paper['notes'].removeprefix('The metric ')}\n")[1].split("\n## ")[0]
        source = section.split("Source: ")[1]
        assert paper["authors"][0]["family-names"] in source
        assert "year" not in paper or str(paper["year"]) in source or paper["notes"].endswith("wrf")


def test_spacy_package_names_this_package_as_a_requirement():
    """As the README says. It finds it through the scorer that the config names."""
    English()  # without which spaCy does not know its own components yet
    config = load_config(ROOT / "examples" / "config.cfg")
    (requirement,) = get_third_party_dependencies(config)
    assert requirement.startswith(f"spacy-nereval>={__version__},<")
