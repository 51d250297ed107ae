"""The folder that tests of what the report says work in."""

from tabled import here  # noqa: F401  # a fixture
