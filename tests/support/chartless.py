"""Pages without the library of charts, which is most of a page: making it takes longer than all else of most pages."""

from collections.abc import Iterator

import pytest

from spacy_nereval.reporting import pages

NO_CHARTS = "window.vegaEmbed = () => new Promise(() => {});"
"""A library that draws nothing."""

SCRIPTS = pages.chart_library
"""The real one."""


@pytest.fixture(autouse=True, scope="module")
def no_charts() -> Iterator[None]:
    """Pages draw no charts in a module or a room that has this fixture, unless a test puts the real library back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "chart_library", lambda: NO_CHARTS)
        yield
