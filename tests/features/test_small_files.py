"""Small files that would fill the memory or take forever are refused in a sentence, in limited memory and time."""

import random
import re
import resource
import subprocess
import sys

import hostile
import pytest
from products import mostly_at_night

MEMORY = 2 << 30
"""Bytes of memory that a command may take."""

SECONDS = 20
"""Seconds of the processor that a command may take, so that a busy machine fails no test."""


def limit_resources() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run_limited(folder, name, seed=0):
    arguments = hostile.FILES[name](folder, random.Random(f"{name}{seed}"))
    command = [sys.executable, "-m", "spacy_nereval", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=limit_resources, timeout=280, check=False)


def check(done, name):
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 2 or (done.returncode == 0 and name in hostile.MAY_BE_READ), (
        done.returncode,
        done.stderr,
    )
    if done.returncode:
        marked = [line for line in done.stderr.splitlines() if line.startswith("✘ ")]
        assert len(marked) == 1, done.stderr
        assert len(marked[0]) < 4100


LIGHT = ("key that is a list in .spacy",)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit memory so")
@pytest.mark.parametrize("name", LIGHT)
def test_a_small_file_is_refused_in_limited_memory(name, tmp_path):
    check(run_limited(tmp_path, name), name)


AS_IN_GZIP = {
    name for name in hostile.FILES if re.sub(" in (?:bz2|xz|zst)$", " in gz", name) in {*hostile.FILES} - {name}
}
"""What gzip compresses, too. The other ways take longer to read or to write."""

LONG = {
    *("newlines", "newlines in gz", "blanks in gz", "lines of CoNLL in xz", "millions of frames in gz"),
    *("empty documents in .spacy", "unknown key in .spacy", "user data of one document in .spacy"),
}
"""What takes longest, and is alike to others: the test of other files has it at night."""

BY_DAY = (
    "archive of XMI",
    "arrays of zeros in .npz",
    "buffers of zeros in a table",
    "one row in gz",
)
"""One of each kind of file that is small and holds much."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit memory so")
@pytest.mark.parametrize(
    "name", mostly_at_night(sorted({*hostile.FILES} - {*LIGHT} - AS_IN_GZIP - LONG), by_day=BY_DAY)
)
def test_every_small_file_is_refused_in_limited_memory(name, tmp_path):
    check(run_limited(tmp_path, name), name)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit memory so")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", sorted(hostile.FILES))
def test_other_small_files_are_refused_in_limited_memory(name, seed, tmp_path):
    check(run_limited(tmp_path, name, seed), name)
