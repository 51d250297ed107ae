"""What scripts/blocks.py does with a code block of each language."""

import atexit
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from collections.abc import Collection, Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from functools import cache
from glob import glob, has_magic
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WIDTH = "84"


class BlockError(ValueError):
    """What is wrong with a block: its page and line, and what was found."""


WHERE = {
    "<!-- runs: anywhere -->": (),
    "<!-- runs: in a folder with a copy of examples/ -->": ("examples",),
    "<!-- runs: in a clone of this repository -->": (
        *("examples", "assets", "benchmarks", "configs", "docs", "scripts", "project.yml"),
    ),
}
"""A comment near the top of a page, and what the folder has in which its blocks run."""


def where(page: str) -> tuple[str, ...]:
    """Return what the folder has in which the blocks of a page run.

    Raises:
        BlockError: The page does not say where it runs.
    """
    for line in page.splitlines():
        for comment, names in WHERE.items():
            if line == comment:
                return names
    raise BlockError(f"the page does not say where it runs: expected one of the comments {[*WHERE]}")


@contextmanager
def workplace(names: Collection[str]) -> Iterator[None]:
    """Work in a folder with some of the files of a fresh clone: a copy of the examples, and links to all else."""
    with TemporaryDirectory() as folder:
        for name in names:
            if name == "examples":
                shutil.copytree(ROOT / name, Path(folder, name))
            else:
                Path(folder, name).symlink_to(ROOT / name)
        with chdir(folder):
            yield


@contextmanager
def redirected_width() -> Iterator[None]:
    """Let everything that prints find a terminal of the same width, without colours."""
    wanted = {"COLUMNS": WIDTH, "NO_COLOR": "1", "ANSI_COLORS_DISABLED": "1"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


# Python


def run_python(code: str, names: dict[str, Any]) -> str:
    """Run Python in a page's namespace, and return what it printed."""
    with redirect_stdout(StringIO()) as printed:
        try:
            exec(compile(code, "<block>", "exec"), names)
        except Exception as error:  # a page's code can raise any exception
            raise BlockError(f"{traceback.format_exc(limit=-1).splitlines()[-1]}") from error
    return plain(printed.getvalue())


# Commands


def run_commands(code: str, more: list[str], status: int) -> Iterator[str]:
    """Run the commands of a block, and yield what each printed. The last one has to end with a status."""
    lines = [line for line in code.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    commands = [part.strip() for line in lines for part in line.split(" && ")]
    for k, command in enumerate(commands):
        expected = status if k == len(commands) - 1 else 0
        arguments = expanded(shlex.split(command))
        if arguments[:4] == ["python", "-m", "spacy", "train"]:
            arguments += more
        ended, printed = ran(arguments)
        if ended != expected:
            raise BlockError(f"'{command}' exited with {ended}:\n{printed}")
        yield printed


def expanded(words: list[str]) -> list[str]:
    """Expand patterns as a shell does."""
    return [file for word in words for file in (sorted(glob(word)) if has_magic(word) and glob(word) else [word])]


def ran(arguments: list[str]) -> tuple[int, str]:
    """Run one command, and return its exit status and what it printed."""
    if arguments[:3] == ["python", "-m", "spacy"]:
        nereval = arguments[3] == "nereval"
        return repeated("nereval" if nereval else "spacy", (*arguments[3 + nereval :],))
    if arguments[0] == "nereval":
        return repeated("nereval", (*arguments[1:],))
    if arguments[0] == "python":
        arguments = [sys.executable, *arguments[1:]]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return done.returncode, plain(done.stdout + done.stderr)


@cache
def app(name: str) -> Any:
    """Return the app of a command line, made once: making it takes longer than most commands."""
    from typer.main import get_command

    if name == "nereval":
        from spacy_nereval.cli import nereval

        return get_command(nereval)
    from spacy.cli._util import app as spacys

    return get_command(spacys)


def invoked(name: str, arguments: list[str]) -> tuple[int, str]:
    """Run a command of an app in this process."""
    from click.testing import CliRunner

    result = CliRunner().invoke(app(name), arguments, prog_name=name)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, plain(result.output)


class Ran(NamedTuple):
    """The exit status of a command, what it printed, and a folder with the files that it wrote."""

    status: int
    printed: str
    files: str


RAN: dict[tuple[str, ...], Ran] = {}
"""The commands that were run on files of the repository alone, so that no two pages run the same one."""


def repeated(name: str, arguments: tuple[str, ...]) -> tuple[int, str]:
    """Run a command of an app, or do again what the same command has done for another page."""
    if any(Path(word).exists() and not word.startswith(("examples/", "assets/")) for word in arguments):
        return invoked(name, [*arguments])
    key = name, *arguments, *(folder for folder in ("examples", "assets") if Path(folder).exists())
    if key not in RAN:
        before = written()
        status, printed = invoked(name, [*arguments])
        RAN[key] = Ran(status, printed, mkdtemp())
        atexit.register(shutil.rmtree, RAN[key].files)
        for path in {path for path, _ in written() - before}:
            target = Path(RAN[key].files, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        return status, printed
    shutil.copytree(RAN[key].files, ".", dirs_exist_ok=True)
    return RAN[key].status, RAN[key].printed


def written() -> set[tuple[Path, int]]:
    """Return the files in this folder and when each was changed. What links lead to is left out."""
    found = (Path(where, name) for where, _, names in os.walk(".") for name in names)
    return {(path, path.stat().st_mtime_ns) for path in found}


def plain(printed: str) -> str:
    """Remove colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", printed)


# Configs and data


def check_config(code: str) -> None:
    """Put sections into examples/config.cfg, and resolve those that name registered functions.

    Raises:
        BlockError: If a section is not one of a training config.
    """
    from spacy.util import registry
    from thinc.api import Config

    sections = re.findall(r"^\[(.*?)\]\n(.*?)(?=^\[|\Z)", code, flags=re.M | re.S)
    if not sections:
        raise BlockError("a block of a config has no section")
    config = Config().from_disk("examples/config.cfg", interpolate=False)
    for name, lines in sections:
        *path, last = name.split(".")
        place: Any = config
        for part in path:
            if not isinstance(place, dict) or part not in place:
                raise BlockError(f"a training config has no [{'.'.join(path)}] for [{name}]")
            place = place[part]
        own = Config().from_str(f"[section]\n{lines}", interpolate=False)["section"]
        whole = any(key.startswith("@") for key in own) or not isinstance(place.get(last), dict)
        place[last] = own if whole else {**place[last], **own}
    for name, _ in sections:
        first = next((part for part in paths(name) if "@" in "".join(at(config, part))), None)
        if first:
            registry.resolve({"section": at(config, first)}, validate=True)


def paths(name: str) -> list[str]:
    """Return a section and all that it is part of, the longest last: a.b.c to a, a.b, a.b.c."""
    parts = name.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def at(config: Any, name: str) -> Any:
    """Return a section of a config."""
    for part in name.split("."):
        config = config[part]
    return config


def check_json(code: str) -> None:
    """Read a block of JSON: one document, or one in each line."""
    import srsly

    try:
        srsly.json_loads(code)
    except ValueError:
        for line in code.strip().splitlines():
            srsly.json_loads(line)
