"""What all tests share: the Hypothesis profiles, and which tests are quick."""

from __future__ import annotations

import profiles
import pytest

profiles.register()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test `quick` that is neither `slow` nor `costly`."""
    for item in items:
        if not any(item.iter_markers("slow")) and not any(item.iter_markers("costly")):
            item.add_marker("quick")
