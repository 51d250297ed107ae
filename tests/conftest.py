"""What all tests share: the Hypothesis profiles, and which tests are quick."""

from __future__ import annotations

import os
from pathlib import Path

import profiles
import pytest
from hypothesis import settings
from tiny import tiny_transformer

profiles.register()

# pytest-xdist gives its workers the width of the terminal; what is tested prints into a pipe.
os.environ.pop("COLUMNS", None)

QUICK_ROOMS = {"core", "metrics", "counting", "io", "cli"}
"""The folders whose tests are quick: laws, twins, papers, counts, readers, and the commands in this process."""


def pytest_configure(config: pytest.Config) -> None:
    """Let `-m quick` choose the Hypothesis profile of that name, unless another is given."""
    if config.option.markexpr == "quick" and not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import the tests of other rooms for `-m quick`, and look for no examples in files like this one."""
    other = collection_path.parent == Path(__file__).parent and collection_path.name not in QUICK_ROOMS
    skipped = config.option.markexpr == "quick" and other
    return True if skipped or collection_path.name == "conftest.py" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test `quick` that is in one of those rooms and neither `slow` nor `costly`."""
    for item in items:
        if (
            item.path.parent.name in QUICK_ROOMS
            and item.path.name.startswith("test_")
            and not any(map(item.get_closest_marker, ("slow", "costly")))
        ):
            item.add_marker("quick")


@pytest.fixture(scope="session")
def transformer(tmp_path_factory) -> Path:
    """The folder of a transformer too small to learn anything."""
    pytest.importorskip("spacy_transformers", reason="the project's environment, requirements.txt, is not installed")
    folder = tmp_path_factory.mktemp("weights") / "tiny"
    tiny_transformer(folder)
    return folder
