"""Workers end with the process that started them, however it ends, on every engine that is started here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest
from sharded import running

from spacy_nereval.distributed.engines import ENGINES, started

PACKAGES = {"loky": "joblib", "ray": "ray", "dask": "distributed", "spark": "joblibspark"}

DRIVER = """
import os, sys, time
from pathlib import Path
from spacy_nereval.distributed.engines import started

def slow(number):
    Path(os.environ["PIDS"], str(os.getpid())).touch()
    time.sleep(120)

if __name__ == "__main__":
    with started(sys.argv[1], 2) as run:
        run(slow, range(4), print)
"""

SECONDS = 10
"""Workers that are not watched over go on for the two minutes that each of their tasks takes."""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("engine", ENGINES)
def test_workers_end_with_the_process_that_started_them(tmp_path, engine, ending):
    if not find_spec(PACKAGES[engine]):
        pytest.skip(f"{engine} is not installed")
    if engine == "spark" and not which("java"):
        pytest.skip("Spark needs Java, which is not here")
    (tmp_path / "driver.py").write_text(DRIVER)
    pids = tmp_path / "pids"
    pids.mkdir()
    env = {**os.environ, "PIDS": str(pids), "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    command = [sys.executable, str(tmp_path / "driver.py"), engine]
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        assert within(240, lambda: len([*pids.iterdir()]) == 2), "the workers never began"
        workers = [int(path.name) for path in pids.iterdir()]
        driver.send_signal(ending)
        driver.wait()
    try:
        assert within(SECONDS, lambda: not any(map(running, workers)))
    finally:
        for pid in filter(running, workers):
            os.kill(pid, signal.SIGKILL)


def within(seconds: int, true: Callable[[], bool]) -> bool:
    for _ in range(10 * seconds):
        if true():
            return True
        time.sleep(0.1)
    return False


def test_a_single_worker_is_this_process_which_goes_on():
    with started("loky", 1) as run:
        assert run(abs, [os.getpid()], print) == [os.getpid()]
