"""Run the project's commands and scripts in this process.

weasel reads `project.yml` and decides what to run, as for `spacy project run`. Only the start of a new Python for
each line is left out: importing spaCy, PyTorch and transformers takes longer than all that the commands do with a
few texts.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest.mock import patch

from places import ROOT

SCRIPTS = {path.stem for path in (ROOT / "scripts").glob("*.py")}


def copied(folder: Path) -> Path:
    """The project in a folder of its own."""
    for name in ("project.yml", "configs", "scripts", "assets/warranty"):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    return folder


def run(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """What `python -m spacy` with these arguments prints in a folder, and its exit status."""
    return inside(folder, "-m", "spacy", *arguments)


def inside(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """What `python` with these arguments prints in a folder, and its exit status."""
    out, err = StringIO(), StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), patch.dict(os.environ, NO_COLOR="1"):
        code = _python(arguments)
    return CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def _python(arguments: Sequence[str]) -> int:
    """Run a script or a module as Python's own command line does, and return its exit status."""
    if arguments[0] == "scripts/without_torch.py":
        arguments = arguments[1:] if arguments[1].endswith(".py") else ["-m", *arguments[1:]]
    module = arguments[0] == "-m"
    program, *rest = arguments[module:]
    started = runpy.run_module if module else runpy.run_path
    with (
        _scripts_of_this_folder(),
        patch.object(sys, "argv", [program, *rest]),
        patch("weasel.cli.run.run_command", _started),
        patch("subprocess.run", _started_by_a_script),
    ):
        try:
            started(program, run_name="__main__")
        except SystemExit as ended:
            if isinstance(ended.code, str):
                print(ended.code, file=sys.stderr)
            return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


@contextmanager
def _scripts_of_this_folder() -> Iterator[None]:
    """Let scripts import each other from this folder, and forget them after it: they may hold its paths."""
    before = {name: sys.modules.pop(name) for name in SCRIPTS & sys.modules.keys()}
    with patch.object(sys, "path", [str(Path("scripts").resolve()), *sys.path]):
        try:
            yield
        finally:
            for name in SCRIPTS & sys.modules.keys():
                del sys.modules[name]
            sys.modules.update(before)


def _started(command: Sequence[str], **_: Any) -> None:
    """Run a line of the project as weasel does, which ends with the status of a line that fails."""
    assert command[0] == sys.executable
    if code := _python(command[1:]):
        sys.exit(code)


_run = subprocess.run


def _started_by_a_script(command: Sequence[str], **how: Any) -> CompletedProcess[Any]:
    if list(command[:1]) == [sys.executable] and str(command[1]).startswith("scripts/"):
        return CompletedProcess(command, _python(command[1:]))
    return _run(command, **how)
