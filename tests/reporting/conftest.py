"""One browser for all tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browsers import Browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory) -> Iterator[Browser]:
    from browsers import Browser  # here, since selenium may be missing

    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.driver.quit()
