"""Pages in these tests draw no charts."""

from chartless import no_charts  # noqa: F401  # a fixture
