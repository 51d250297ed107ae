"""Every engine gives the same numbers, whatever is killed, and starts and ends as it should."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from subprocess import PIPE, Popen
from typing import NamedTuple

import engine_driver
import pytest
from commands import printed
from processes import live, python, slept, until
from products import mostly_at_night
from sharded import ALL_PARTS, COMMANDS, ENVIRONMENT, SHARDS, evaluated, parts, refused, running

from spacy_nereval.features.parts import engines
from spacy_nereval.features.parts.engines import ENGINES, start_engine
from spacy_nereval.io import count_files as storage

PACKAGES = {"loky": ["joblib"], "ray": ["ray"], "dask": ["distributed"], "spark": ["pyspark"]}


def command_of(engine: str) -> str:
    """The command that docs/how-to/large-corpora.md gives for an engine."""
    return next(line for line in COMMANDS if line.startswith("nereval evaluate") and f"--engine {engine} " in line)


def installed(engine: str) -> None:
    if missing := [name for name in PACKAGES[engine] if not find_spec(name)]:
        pytest.skip(f"{engine} is not installed: {missing}")
    if engine == "spark" and not shutil.which("java"):
        pytest.skip("Spark needs Java, which is not here")


class Driven(NamedTuple):
    """A process that ran the documented command on an engine, and now has both workers of the engine busy."""

    engine: str
    folder: Path
    process: Popen[bytes]

    @property
    def workers(self) -> list[int]:
        return [int(path.name) for path in (self.folder / "pids").iterdir()]

    @property
    def printed(self) -> str:
        return (self.folder / "printed").read_text("utf8")


@contextmanager
def driving(engine: str, folder: Path, *command: str) -> Iterator[Driven]:
    """Drive an engine."""
    (folder / "pids").mkdir()
    run = [sys.executable, engine_driver.__file__, engine, *command]
    with (
        (folder / "printed").open("wb") as printed,
        live(run, cwd=folder, env=os.environ | ENVIRONMENT, stdout=printed, stderr=printed) as process,
    ):
        found = Driven(engine, folder, process)
        until(lambda: len(found.workers) == 2 or process.poll() is not None, 300)
        assert len(found.workers) == 2, found.printed
        yield found


BY_DAY = {*ENGINES} - {"ray"}
"""The engines that are started after every change. Ray takes longer to start than the others together."""


@pytest.fixture(scope="module", params=mostly_at_night(ENGINES, by_day=BY_DAY))
def driven(request, made, tmp_path_factory) -> Iterator[Driven]:
    """The documented command, with a pipeline that kills its first worker in the middle of a file."""
    engine = request.param
    installed(engine)
    shutil.copytree(made, folder := tmp_path_factory.mktemp(engine), dirs_exist_ok=True)
    shutil.rmtree(folder / "training" / "model-best")
    shutil.move(folder / "mortal", folder / "training" / "model-best")
    (folder / "kill").touch()
    with driving(engine, folder, *command_of(engine).split()[1:], "--code", "code.py") as found:
        yield found


@pytest.mark.slow
def test_every_engine_gives_the_same_numbers_though_a_worker_is_killed(driven, monkeypatch):
    monkeypatch.chdir(driven.folder)
    assert Path("killed").exists()
    assert "✔ 4 files counted in nereval-parts" in driven.printed
    assert "earlier run" not in driven.printed
    assert list(parts()) == ALL_PARTS
    found = json.loads(Path("result.json").read_text("utf8"))
    assert found == evaluated(*SHARDS, "--code", "code.py", "--confidence", "--parts", "one-after-the-other")


@pytest.mark.slow
def test_an_engine_with_a_reduction_of_its_own_joins_items_on_its_workers(driven):
    if driven.engine in ("loky", "ray"):
        assert not (driven.folder / "joined.txt").exists()
        return
    found = json.loads((driven.folder / "joined.json").read_text())
    calls = [tuple(map(int, line.split())) for line in (driven.folder / "joined.txt").read_text().splitlines()]
    assert sorted(found["numbers"]) == list(range(1000))
    assert sorted(number for _, number in calls) == [8, *[32] * 32], "32 groups, and then what came of them"
    assert found["driver"] not in {process for process, _ in calls}


@pytest.mark.slow
@pytest.mark.parametrize("driven", ["spark"], indirect=True)
def test_spark_makes_one_job_with_a_task_for_each_item(driven):
    """On as many workers as are asked for, whatever the machine has; and a job each where items are to be alone."""
    found = json.loads((driven.folder / "jobs.json").read_text())
    told = found.pop("told")
    assert found == {"numbers": [*range(9)], "workers": 2, "tasks": [9], "alone": 3}
    assert told == sorted({*told}) and told[-1] == 9 and len(told) > 2


def test_what_a_program_says_while_it_starts_is_shown_if_it_does_not(capfd):
    said: list[str] = []

    def heard(word: str) -> bool:
        said.append(capfd.readouterr().err)
        return word in "".join(said)

    with engines._hold_back_stderr():
        process = Popen([sys.executable, "-c", "import os; input(); os.write(2, b'later')"], stdin=PIPE)
        os.write(2, b"starting\nto start")  # a line without an end
    process.communicate(b"\n")
    until(lambda: heard("later"), 20)
    assert "".join(said) == "later"
    with pytest.raises(KeyError), engines._hold_back_stderr():
        os.write(2, b"what is wrong\n")
        raise KeyError
    until(lambda: heard("what is wrong"), 60)


@pytest.mark.slow
@pytest.mark.parametrize("driven", mostly_at_night(["ray"], by_day=[]), indirect=True)
def test_ray_gives_each_worker_a_gpu_of_its_own(driven):
    """Two of which it is only told."""
    assert {*json.loads((driven.folder / "gpus.json").read_text())} == {"0", "1"}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_workers_end_with_the_process_that_started_them(driven):
    """Though it is killed. The tasks of workers that are not watched over take two minutes."""
    check_workers_end(driven, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_workers_of_this_machine_end_with_a_process_that_is_asked_to_end(tmp_path):
    with driving("loky", tmp_path) as found:
        check_workers_end(found, signal.SIGTERM)


def check_workers_end(driven: Driven, ending: signal.Signals) -> None:
    workers = driven.workers
    driven.process.send_signal(ending)
    driven.process.wait()
    try:
        until(lambda: not any(map(running, workers)), 10)
    finally:
        for pid in filter(running, workers):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("always", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["once", "always"])
def test_a_worker_of_loky_that_dies_before_its_first_file_is_followed_by_another(always, tmp_path):
    """And where all die, it is said what is kept."""
    script = Path(__file__).parents[2] / "support" / "dying.py"
    done = python(script, tmp_path, "always" if always else "once", path=[script.parent])
    assert (tmp_path / "died").exists()
    if not always:
        assert "['', '', '']" in done.stdout and len([*tmp_path.glob("counts-*.npz")]) == 3, done.stderr
        return
    assert "the engine failed twice before a worker had begun a file: TerminatedWorkerError" in done.stderr
    assert "finished counts are kept in" in done.stderr and "same command" in done.stderr


def test_a_single_worker_is_this_process_which_goes_on():
    with start_engine("loky", 1) as loky:
        assert loky.run(abs, [os.getpid()], print) == [os.getpid()]


def test_the_documentation_has_a_command_for_every_engine():
    assert [engine for engine in ENGINES if command_of(engine)] == ["loky", "ray", "dask", "spark"]


@pytest.mark.slow
@pytest.mark.parametrize("driven", ["dask"], indirect=True)
def test_a_task_that_dask_gives_up_is_said_to_have_failed(driven):
    """And it is Dask's worker that dies, though there is only one."""
    assert (driven.folder / "died.txt").read_text() == "KilledWorker"


@pytest.mark.slow
@pytest.mark.nightly
def test_the_number_of_workers_changes_nothing(here):
    asked = ("--confidence", "--samples", 50)
    expected = evaluated(*SHARDS, *asked)
    assert evaluated(*SHARDS[::-1], *asked, "--parts", "at-once", "--workers", 2) == expected


@pytest.mark.slow
def test_predictions_in_several_files_are_counted_as_the_documentation_says(here):
    counting, scoring = [line for line in COMMANDS if line.startswith(("nereval count", "nereval score"))]
    for command in (counting, scoring):
        printed(*(name for word in command.split()[1:] for name in sorted(glob(word)) or [word]))
    found = storage.load(Path("counts.npz"))
    assert found.replicates.samples == 1000
    assert found.sources == ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]
    assert (found.documents, found.gold, found.pred) == (42, 84, 17 + 15 + 13 + 11)


def test_every_finished_file_moves_the_progress_bar():
    with start_engine("loky", 1) as loky:
        seen: list[int] = []
        assert loky.run(str.upper, ["a", "b", "c"], seen.append) == ["A", "B", "C"]
    assert sorted({*seen}) == [1, 2, 3]


@pytest.mark.slow
def test_one_at_a_time_means_that_no_two_are_begun_at_once(tmp_path):
    with start_engine("loky", 2) as loky:
        times = loky.run(slept, [0.2, 0.2, 0.2], print, alone=True)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(sorted(times)))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_that_is_not_installed_is_answered_with_its_extra(here, engine, monkeypatch):
    package = PACKAGES[engine][0]
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    (line,) = refused("evaluate", "training/model-best", *SHARDS, "--engine", engine)
    assert f'pip install ".[{engine}]"' in line
