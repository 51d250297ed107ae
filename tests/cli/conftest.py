"""The files and the pipeline that tests of commands work on."""

from chartless import no_charts  # noqa: F401  # a fixture
from command_files import files, here, model  # noqa: F401  # fixtures
from corpora import corpus  # noqa: F401  # a fixture
