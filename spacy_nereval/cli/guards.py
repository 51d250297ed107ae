"""The checks of all commands before they read anything: the files that they name, and the open streams.

A parameter that names a file is listed here by its name, so that no command checks for itself.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..core.features import features
from ..core.messages import describe_error
from ..core.plugins import Stopped
from .command_options import figure_place, table_format
from .metric_options import names_and_options, parse_options
from .sources import is_named, matching_files, named_runs

if TYPE_CHECKING:
    from ..core.declaration import Metric

READ = (
    "gold",
    "pred",
    "first",
    "others",
    "model",
    "data",
    "system",
    "systems",
    "files",
    "train",
    "code",
    "source",
    "tag_names",
    "cut",
)
"""Parameters that name the inputs of a command of the kernel: files, folders or models."""

WRITTEN = ("output", "per_document", "figure")
"""Parameters that name the outputs of a command of the kernel."""

REMOTE = ("first", "others", "data")
"""Parameters that may name inputs in cloud storage."""

CLOUD_LIBRARIES = ("botocore", "boto3", "s3transfer", "google", "azure", "cloudpathlib", "urllib")
"""Packages with errors that do not name the file, and are often neither ValueError nor OSError."""

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/+\w")
"""The start of a URL; a `Path` has only one of its slashes."""


def input_parameters() -> tuple[str, ...]:
    """Return the parameters that name inputs of commands, with those of features."""
    return (*READ, *(name for feature in features() for name in feature.inputs))


def output_files(given: Mapping[str, Any]) -> dict[str, Path]:
    """Return the files that a command writes, by parameter, with those of features."""
    names = (*WRITTEN, *(name for feature in features() for name in feature.outputs))
    files = {name: given[name] for name in names if given.get(name) is not None}
    return {name: figure_place(str(file))[1] if name == "figure" else file for name, file in files.items()}


def open_streams() -> None:
    """Connect each of stdin, stdout and stderr that is closed to the null device, for child processes too.

    The opened file gets the lowest free descriptor, which is that of the closed stream. Otherwise
    the next opened file would get it, and printed text could end up in that file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf8", errors="backslashreplace")  # noqa: SIM115  # open until the end
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def cloud_storage_message(error: Exception, given: Mapping[str, Any]) -> str:
    """Return the error of a cloud storage library on one line, or nothing for other errors.

    Args:
        error: The exception that a command raised.
        given: The values of its parameters.
    """
    from ..io.paths import error_message

    if type(error).__module__.partition(".")[0] not in CLOUD_LIBRARIES:
        return ""
    values = [given.get(name) for name in dict.fromkeys((*REMOTE, *given))]
    texts = [str(text) for value in values for text in (value if isinstance(value, list) else [value])]
    names = [text for text in texts if "://" in text]
    return f"{', '.join(names)}: cloud storage cannot be used: {type(error).__name__}: {error_message(error)}"


def one_line_message(error: Exception, given: Mapping[str, Any]) -> str:
    """Return the reason why a command stopped; nothing for a mistake in this package.

    Args:
        error: The exception that the command raised.
        given: The values of its parameters.
    """
    from ..io.paths import error_message

    said = describe_error(error)
    if isinstance(error, OSError) or (isinstance(error, ValueError) and not said):
        return error_message(error)
    if not said:
        return ""
    names = [*input_names(given)]
    where = "" if not names or any(name in said for name in names) else f"{', '.join(names)}: "
    return f"{where}{said}" + ("" if given["debug"] else "; --debug shows where this happened")


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """End a terminated command like an interrupted one: incomplete output is removed.

    Processes that the command starts end at once, as without this.
    """
    if threading.current_thread() is not threading.main_thread():  # others may set no signals
        yield
        return
    process = os.getpid()

    def stop(number: int, frame: FrameType | None) -> None:
        if os.getpid() != process:
            os._exit(128 + number)
        raise Stopped(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


POSIX = os.name == "posix"

STDIN_FILE = "/dev/stdin"

STDOUT_FILE = "/dev/stdout"

STDIN = ("first", "others", "gold", "pred")
"""Parameters that may be `-`, for the standard input."""


def with_standard_streams(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the parameters, with /dev/stdin for the `-` of an input, /dev/stdout for that of an output.

    `--json` is the same as `--output -`, without tables.

    Raises:
        ValueError: Both sides are to come from the standard input; or `--json` is given with `--output`, or with what
            concerns tables.

    >>> with_standard_streams({"first": "-", "others": ["a.jsonl"]})
    {'first': '/dev/stdin', 'others': ['a.jsonl']}
    """
    values = {**given, **{name: Path(STDOUT_FILE) for name, path in output_files(given).items() if str(path) == "-"}}
    if given.get("json"):
        if given.get("output") is not None:
            raise ValueError(
                f"--json prints what --output {given['output']} writes: give one of them, or send what --json prints "
                f"to the file: --json > {given['output']}"
            )
        if given.get("tables") or table_format(given.get("format")) not in ("terminal", "json"):
            raise ValueError("--json prints the result and no tables: remove --json, or --tables and the table format")
        values["output"] = Path(STDOUT_FILE)
    number = 0
    for name in STDIN:
        listed: list[Any] = values[name] if isinstance(values.get(name), list) else [values.get(name)]
        read = [type(value)(STDIN_FILE) if str(value) == "-" else value for value in listed]
        number += sum(str(value) == STDIN_FILE for value in read)
        if name in values and read:
            values[name] = read if isinstance(values[name], list) else read[0]
    if number > 1:
        raise ValueError("standard input is given for gold and for predictions: give one of them as a file or a pipe")
    return values


def with_matching_files(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the parameters, with files for patterns such as `parts/*.npz`, where the shell left those.

    A pattern that is a file itself, or matches none, stays as it is. The files are sorted.
    """
    values = dict(given)
    for name in input_parameters():
        if name != "system" and isinstance(given.get(name), list):
            matches = {text: [] if str(text).startswith("--") else matching_files(str(text)) for text in given[name]}
            values[name] = [type(text)(file) for text in given[name] for file in matches[text] or [text]]
    return values


def check_files(
    given: Mapping[str, Any], further_checks: Iterable[Callable[[Mapping[str, Any], NamedInputs], None]] = ()
) -> None:
    """Check the files that a command names, by the values of its parameters.

    No output may be a file that the command reads, or be in a folder that it reads. Links
    are followed, and files with two names are recognised.

    Args:
        given: The values of its parameters.
        further_checks: Called with these values and the inputs at the end.

    Raises:
        ValueError: An output is also an input, cannot be written, or is given twice; or a file
            in cloud storage is given where only local files are possible.
    """
    from ..io.paths import is_stream
    from ..io.tables import check_installed
    from ..io.writing import resolve_links

    _check_local(given)
    if given.get("tag_names"):
        from ..io.formats.hf import tag_names

        tag_names(given["tag_names"])
    from ..core.compression import check_writable

    outputs = output_files(given)
    names = [*input_names(given)]
    _check_standard_input(names)
    inputs = NamedInputs(names)
    for path in outputs.values():
        resolve_links(path)
        check_writable(path)
        check_installed(path)
        if not path.parent.is_dir() and not is_stream(path):
            raise ValueError(f"{path} cannot be written: there is no directory {path.parent}")
        inputs.check_output(path)
    _check_different(outputs)
    for check in further_checks:
        check(given, inputs)


def _check_different(outputs: Mapping[str, Path]) -> None:
    """Raise ValueError if two outputs are one file."""
    names: dict[Path, str] = {}
    for name, path in outputs.items():
        option = f"--{name.replace('_', '-')}"
        other = names.setdefault(path.resolve(), option)
        if other != option:
            raise ValueError(f"{other} and {option} are both {path}: choose two files")


def check_lexicons(metrics: Iterable[Metric], *outputs: Path | None) -> None:
    """Check that no output is a training corpus or a lexicon in which metrics look up spans.

    The command line need not name these: the config of a model does, and so do counts.

    Raises:
        ValueError: An output is one of them.
    """
    for metric in metrics:
        for output in outputs:
            if output and (train := metric.settings.get("train")):
                NamedInputs([train]).check_output(output)


def _check_standard_input(read: Iterable[str]) -> None:
    """Raise ValueError if the standard input is named and nothing is sent to it: it is neither a file nor a pipe."""
    from ..io.paths import is_pipe

    path = Path(STDIN_FILE)
    if STDIN_FILE in read and not POSIX:
        raise ValueError("standard input cannot be read on this system, where it is no file: name a file")
    if STDIN_FILE in read and not path.is_file() and not is_pipe(path):
        raise ValueError("standard input is empty: send a file or the output of a program to it, or name a file")


def _check_local(given: Mapping[str, Any]) -> None:
    for name in (*input_parameters(), *output_files(given), "config"):
        if name in REMOTE or (value := given.get(name)) is None:
            continue
        for text in map(str, value if isinstance(value, (list, tuple)) else [value]):
            place = text.partition("=")[2] if (name == "system" and "=" in text) or is_named(text) else text
            if URL.match(place) and not Path(place).exists():
                raise ValueError(
                    f"{re.sub(':/+', '://', place, count=1)}: only local files can be given here; "
                    "'nereval count' and 'nereval evaluate' read corpora from cloud storage"
                )


def input_names(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of a command's inputs, including those in options of metrics."""
    from ..core.labels import is_file_name

    mixed: list[str] = []  # typer puts the options of metrics into the last list of arguments
    for name in input_parameters():
        value = given.get(name)
        if value is None:
            continue
        if name == "system" and isinstance(value, list):
            yield from (run for runs in named_runs(value).values() for run in runs)
        elif isinstance(value, list):
            mixed += map(str, value)
        elif isinstance(value, str) and name not in READ:
            yield from value.split(",")
        elif is_named(str(value)):
            yield from (run for runs in named_runs([str(value)], "").values() for run in runs)
        else:
            yield from matching_files(str(value)) or [str(value)]
    if is_file_name(labels := given.get("labels") or ""):
        yield labels
    names, options = names_and_options([*mixed, *(given["ctx"].args if "ctx" in given else ())])
    named = [name for name in names if is_named(name)]
    yield from (name for name in names if name not in named)
    yield from (run for runs in named_runs(named, "").values() for run in runs)
    for key, text in _metric_settings(options).items():
        if isinstance(text, str) and (key.endswith(".train") or Path(text).is_file()):
            yield text


def _metric_settings(options: list[str]) -> dict[str, Any]:
    try:
        return parse_options(options)
    except ValueError:  # the command itself reports the problem
        return {}


class NamedInputs:
    """The files, folders and models that a command reads.

    Each is looked up once, since both the inputs and the outputs may be thousands of files.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [*names]

    @cached_property
    def _places(self) -> dict[Path, Path]:
        """The inputs, by their paths without links."""
        return {place.resolve(): place for place in map(_place, self._names)}

    @cached_property
    def _folders(self) -> set[Path]:
        return {resolved for resolved in self._places if resolved.is_dir()}

    @cached_property
    def _files(self) -> dict[tuple[int, int], Path]:
        """All files that are read, by device and number."""
        files = (file for place in self._places.values() for file in _files(place) if file.exists())
        return {_state(file): file for file in files}

    def check_output(self, output: Path) -> None:
        """Raise ValueError if an output is an input, or is in a folder that is one."""
        if output.exists() and not output.is_file() and not output.is_dir():
            return  # such as /dev/null
        place = output.resolve()
        if place in self._places:
            raise ValueError(f"{output} is an input, so it cannot be the output: choose another file")
        if folder := self.folder_of(place):
            raise ValueError(
                f"{output} is in {folder}, which is an input, so it cannot be the output: choose a file outside of it"
            )
        if output.is_file() and (same := self._files.get(_state(output))):
            raise ValueError(
                f"{output} and {same} are the same file, which is an input, so it cannot be the output: "
                "choose another file"
            )

    def folder_of(self, place: Path) -> Path | None:
        """Return the input folder that is, or contains, a path without links."""
        return next((self._places[folder] for folder in (place, *place.parents) if folder in self._folders), None)


def _state(file: Path) -> tuple[int, int]:
    """Return the device and the number of a file, by which two names of it are recognised."""
    state = file.stat()
    return state.st_dev, state.st_ino


def _place(name: str) -> Path:
    """Return the file or folder of an argument, which may also name the package of a model."""
    path = Path(re.sub("@[0-9a-f]{8}$", "", name))
    if path.exists() or not name.isidentifier():
        return path
    module = find_spec(name)
    folders = module.submodule_search_locations if module else None
    return Path(next(iter(folders))) if folders else path


def _files(place: Path) -> Iterable[Path]:
    from ..io.paths import files_under

    return files_under(place) if place.is_dir() else [place]
