"""The folder that tests of tables work in."""

from tabled import here  # noqa: F401  # a fixture
