"""What engines write of their own accord."""

from importlib.util import find_spec

import pytest
from processes import python
from sharded import CONNECT, ENVIRONMENT
from test_engines import installed

from spacy_nereval.distributed.engines import ENGINES


@pytest.mark.slow
@pytest.mark.parametrize("engine", [*ENGINES, "connect"])
def test_engines_write_nothing_into_the_log(here, engine):
    """No progress bars, and no warnings: what a scheduler keeps are lines of the command."""
    environment = {**ENVIRONMENT, "RAY_AUTH_MODE": "disabled"}
    if engine == "connect":
        engine = "spark"
        environment |= CONNECT
        if not find_spec("grpc"):  # no part of the extra `spark`: few have a server for it, and .ci/run installs it
            pytest.skip("Spark Connect is not installed: grpc")
    installed(engine)
    files = [f"{side}/{letter}.jsonl" for side in ("gold", "pred") for letter in "abc"]
    command = ["count", *files, "--collapse", "-m", "strict", "--engine", engine, "--workers", "2", "-o", "all.npz"]
    done = python("-m", "spacy_nereval", *command, env=environment, seconds=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "✔ 3 files counted in nereval-parts\n"
    assert [line[0] for line in done.stdout.splitlines()] == ["✔", "ℹ"]
